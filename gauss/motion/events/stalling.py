"""Guards against runs that would never end: contacts that flicker, steps that stall."""

from __future__ import annotations

from collections import deque

import numpy as np

from gauss.foundation.arrays import Array
from gauss.motion.record.trajectory import Ending

STALL_STEPS, STALL_PROGRESS = 2000, 1e-7  # so many steps must advance the time by this share of the run
CHANGES = ((100, 1e-9, 0.0), (1000, 0.0, 1e-6))  # changes of the active rows within a share of the run, or in s


class Stop(Exception):
    """Ends a run from within, with its reason."""

    def __init__(self, kind: str, message: str, limit: float | None = None):
        super().__init__(message)
        self.ending = Ending(kind, message, limit)


class Guards:
    """What the guards remember of one run of the given span (s)."""

    KEPT: tuple[str, ...] = ("_changes", "_steps", "_mark")

    def __init__(self, span: float):
        self.span = span
        self._changes: deque[float] = deque(maxlen=max(count for count, *_ in CHANGES) + 1)
        self._steps, self._mark = 0, -np.inf

    def change(self, t: float) -> None:
        """Note a change of the active rows; stop when they change again and again without progress in time."""
        self._changes.append(t)
        for count, share, seconds in CHANGES:
            within = share * self.span + min(seconds, seconds * self.span)
            if len(self._changes) > count and t - self._changes[-count - 1] <= within:
                raise Stop(
                    "chattering",
                    f"the active contacts changed {count} times within {within:.1g} s at t = {t:.12g} s",
                )

    def steps(self, times: Array) -> None:
        """Note steps that begin at times (k,), as `step` does one after another."""
        if self._steps % STALL_STEPS + len(times) < STALL_STEPS:
            self._steps += len(times)
            return
        for t in times.tolist():
            self.step(t)

    def step(self, t: float) -> None:
        """Note a step; stop when many bring no progress in time, as at a force that jumps (dry friction at rest)."""
        self._steps += 1
        if self._steps % STALL_STEPS:
            return
        if t - self._mark < STALL_PROGRESS * self.span:
            raise Stop(
                "failed",
                f"the last {STALL_STEPS} steps advanced the time by only {t - self._mark:.2g} s, to t = {t:.12g} s: a"
                " force that is not smooth (dry friction that comes to rest, a switch) or a very stiff one keeps the"
                " steps small",
            )
        self._mark = t
