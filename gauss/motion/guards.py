"""Guards against runs that would never end: impacts that accumulate, contacts that flicker, steps that stall."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gauss.motion.trajectory import Ending, MotionEvent

STALL_STEPS, STALL_PROGRESS = 2000, 1e-7  # so many steps must advance the time by this share of the run
CHATTER_INTERVAL = 1e-8  # impacts this close (relative to the run's span), and ever closer, have accumulated
CHATTER_CHANGES = 100  # changes of the active rows without progress in time
INSTANT = 1e-9  # share of the run's span that counts as no progress


class Stop(Exception):
    """Ends a run from within, with its reason."""

    def __init__(self, kind: str, message: str, limit: float | None = None):
        super().__init__(message)
        self.ending = Ending(kind, message, limit)


class Guards:
    """What the guards remember of one run of the given span (s)."""

    def __init__(self, span: float):
        self.span = span
        self._changes: list[float] = []
        self._steps, self._mark = 0, -np.inf

    def chatter(self, row: str, log: Iterable[MotionEvent]) -> None:
        """Stop when the impacts of one contact follow each other ever faster, towards a limit in time."""
        gaps_before = 7
        times = np.array([e.t for e in log if e.kind == "impact" and e.name == row][-gaps_before - 1 :])
        gaps = np.diff(times)
        if gaps.size < gaps_before or not np.all(np.diff(gaps) <= 0.0) or gaps[-1] > CHATTER_INTERVAL * self.span:
            return
        # The longest of the intervals give the ratio: the last ones are shorter than rounding allows for.
        ratio = float((gaps[3] / gaps[0]) ** (1 / 3)) if gaps[0] > 0.0 else 0.0
        limit = float(times[0] + gaps[0] / (1.0 - ratio)) if ratio < 1.0 else float(times[-1])
        raise Stop(
            "chattering",
            f"the impacts of {row!r} accumulate: the last two are {gaps[-1]:.2g} s apart, each interval {ratio:.4g}"
            f" of the one before, so infinitely many fit before t = {limit:.9g} s. Then the contact stays closed:"
            " start again from there with restitution 0",
            limit,
        )

    def change(self, t: float) -> None:
        """Note a change of the active rows; stop when they change again and again without progress in time."""
        self._changes = [earlier for earlier in self._changes if t - earlier <= INSTANT * self.span] + [t]
        if len(self._changes) > CHATTER_CHANGES:
            raise Stop(
                "chattering",
                f"the active contacts changed {CHATTER_CHANGES} times within {INSTANT * self.span:.1g} s"
                f" at t = {t:.12g} s",
            )

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
