"""Guards against runs that would never end: contacts that flicker, steps that stall, sampled controls that diverge.

A sampled loop that is unstable grows e-fold in so many periods: its speed has no pole, and its steps shrink by the same
factor from period to period without ever reaching zero, so that neither `escape` nor a stall is seen.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from gauss.foundation.arrays import Array
from gauss.motion.record.trajectory import Ending

STALL_STEPS, STALL_PROGRESS = 2000, 1e-6  # so many steps must advance the time by this share of the run
PERIODS, GROWTH, ONCE = 60, 1e4, 10.0  # a control that grows so much in so many periods diverges; once counts no more
COSTLY = (500, 10)  # a period is costly that has so many steps, and so many times as many as the shortest has
ENDLESS = (4000, 100)  # and endless, if its control has grown too
CHANGES = ((100, 1e-9, 0.0), (1000, 0.0, 1e-6))  # changes of the active rows within a share of the run, or in s


class Stop(Exception):
    """Ends a run from within, with its reason."""

    def __init__(self, kind: str, message: str, limit: float | None = None):
        super().__init__(message)
        self.ending = Ending(kind, message, limit)


class Guards:
    """What the guards remember of one run of the given span (s)."""

    KEPT: tuple[str, ...] = ("_changes", "_steps", "_mark", "_sampled", "_fewest", "_largest", "_names", "_period")

    def __init__(self, span: float):
        self.span = span
        self._changes: deque[float] = deque(maxlen=max(count for count, *_ in CHANGES) + 1)
        self._steps, self._mark = 0, -np.inf
        self._sampled, self._fewest = 0, np.inf  # steps at the last sampling instant, and in the shortest period so far
        self._largest: list[Array] = []  # of each control up to the last instants
        self._names: tuple[str, ...] = ()
        self._period = 0.0  # s

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

    def sample(self, period: float, names: tuple[str, ...], controls: Array) -> None:
        """Note what a sampled control holds from now on."""
        self._fewest = min(self._fewest, max(self._steps - self._sampled, 1)) if self._largest else np.inf
        self._names, self._period, self._sampled = names, period, self._steps
        before = self._largest[-1] if self._largest else np.zeros(len(names))
        self._largest = [*self._largest[-PERIODS:], np.maximum(before, np.abs(controls))]

    def bounded(self, t: float) -> None:
        """Stop where a sampled control grows from period to period and steps become ever shorter with it."""
        steps = self._steps - self._sampled
        if len(self._largest) < 2 or steps < COSTLY[0] or steps < COSTLY[1] * self._fewest:
            return
        largest = np.array(self._largest)
        with np.errstate(all="ignore"):
            growth = np.where(largest[:-1] > 0.0, largest[1:] / largest[:-1], 1.0)
        diverging = np.prod(np.minimum(growth, ONCE), axis=0) >= GROWTH
        if steps >= ENDLESS[0] and steps >= ENDLESS[1] * self._fewest:
            diverging |= growth[-1] >= ONCE
        for k in np.flatnonzero(diverging)[:1]:
            raise Stop(
                "failed",
                f"the sampled control {self._names[k]!r} diverges: it has grown from {largest[0, k]:.2g} to"
                f" {largest[-1, k]:.2g} in the last {len(growth) * self._period:g} s, and the last period has taken"
                f" {steps} steps, up to t = {t:.9g} s. Sample faster, lower the gains, or limit it (numpy.clip)",
            )

    def step(self, t: float) -> None:
        """Note a step; stop when many bring no progress in time, as at a force that jumps (dry friction at rest)."""
        self._steps += 1
        if self._largest and not (self._steps - self._sampled) % STALL_STEPS:
            self.bounded(t)
        if self._steps % STALL_STEPS:
            return
        if t - self._mark < STALL_PROGRESS * self.span:
            raise Stop(
                "failed",
                f"the last {STALL_STEPS} steps advanced the time by only {t - self._mark:.2g} s, to t = {t:.12g} s: a"
                " force that is not smooth (dry friction that comes to rest, a switch) or a very stiff one keeps the"
                " steps small. Dry friction is no force like -sign(v) but a row: gauss.Friction(name, slip, limit=…),"
                " or friction=gauss.Coulomb(…) of a contact",
            )
        self._mark = t
