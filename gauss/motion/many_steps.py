"""`ManySteps`: steps of a run that are taken many at once, in one compiled call, as long as nothing happens in them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gauss.foundation.arrays import Array, Indices
from gauss.model.compiled.steps.taylor import Reach
from gauss.model.compiled.steps.trials import Trials
from gauss.motion.events.halts import alarm
from gauss.motion.segments import mind_redundant
from gauss.motion.single_steps import SingleSteps
from gauss.motion.singular.singularities import FIXED_AHEAD
from gauss.motion.steps.step_certificate import certified, objections
from gauss.motion.steps.steppers import FusedStepper
from gauss.motion.steps.taylor import series_pay
from gauss.numerics.runge_kutta import taylor

TRIALS = (64, 256)  # trial steps taken in one compiled call; more where all of the ones before were kept
SMALL = 20  # coordinates up to which as many steps by series as ever are tried from the start
SHORTENED = 2  # times that steps by Taylor series become shorter, where something else than their errors keeps none
SHORTER, LONGER = 4.0, 3.0  # times: what they become shorter by, and longer after each call of which some are kept
WATCHED = (64, 16)  # trial steps taken in one compiled call where something is watched, the latter where few are kept
SINGLY, FEW = 16, 3  # steps that are taken one by one, where so few at once could be kept
BLOCKS = (512, 64)  # equal steps taken in one compiled call, the fewer where something is watched


class ManySteps:
    """Equal steps (`march`) and steps by trial (`leap`), as many at once as pay; the others are left to `single`."""

    KEPT: tuple[str, ...] = ("_singly", "_few", "_whole", "_calm", "_many", "_reach", "_shortened")

    def __init__(self, single: SingleSteps):
        self.single, self.integrator, self.singularities = single, single.integrator, single.singularities
        self._singly = 0  # steps that are still taken one by one
        self._few = 0  # of them after the next call that keeps only a few where something is watched
        self._whole = False  # whether the last state has been recorded
        self._calm: bool | None = None  # whether nothing has happened in the last trial steps that were taken at once
        self._many = TRIALS[-1] if self.integrator.system.n <= SMALL else TRIALS[0]  # steps by series at once
        self._reach, self._shortened = np.inf, 0  # s, longest of these, and how often it has just become shorter

    @property
    def whole(self) -> bool:
        """Whether the last state of the run has been recorded with the steps that lead to it."""
        return self._whole

    @property
    def foreseen(self) -> bool:
        """Whether what happens in steps can be told of many of them at once."""
        turning = any(slide.across is not None for slide in self.integrator.slides)
        return self.single.held is None and not turning and not self.integrator.monitors.sharing

    def march(self, stepper: FusedStepper) -> None:
        """Take many equal steps in one call, of the last call those that fit; the last step of a run is on its own."""
        integrator, fixed = self.integrator, self.single.fixed
        assert fixed is not None
        left = int((integrator.t_end - integrator.t) / fixed - 0.5)  # the last step ends exactly at t_end
        if left < 1:
            self.single.advance()
            return
        watching = len(integrator.monitors) > 0
        size = next((size for size in BLOCKS if size <= left and not watching), BLOCKS[-1])
        count = min(left, size)
        states, records = (each[:count] for each in stepper.march(integrator.x, fixed, size))
        good = certified(states, records)
        accepted = count if np.all(good) else int(np.argmin(good))
        certain = accepted
        if watching:
            whole, h = np.vstack([integrator.x, states[:certain]]), np.full(certain, fixed)
            calm = integrator.monitors.calm(whole, h, records[:certain], stepper)
            accepted = calm.steps
        ahead = self.singularities.dip(states, records)
        turns = ahead is not None and ahead <= accepted
        accepted = ahead if ahead is not None and turns else accepted
        if watching:
            integrator.monitors.remember(calm, accepted)
        self._keep(states, records, accepted)
        if turns:
            if not self.singularities.cross(FIXED_AHEAD * fixed):
                self.single.advance()
        elif accepted < count:
            if accepted == certain:
                alarm(integrator)
            self.single.advance()

    def leap(self, stepper: FusedStepper) -> bool:
        """Take many steps in one call and keep those that nothing happens in; return whether there were any.

        The first step that asks for more than it tells by itself is left to `single`.
        """
        integrator, single = self.integrator, self.single
        redundant = len(integrator.base) < len(integrator.system.model.equality)
        if self._singly > 0 or redundant or not self.singularities.many:
            self._singly -= 1
            return False
        h = 0.0 if single.setting.series else single.trial_step()  # series have a length of their own
        count = self._at_once(stepper, h)
        found = stepper.trials(integrator.x, h, Reach(integrator.t_end, min(single.max_step, self._reach), count))
        strange = objections(stepper, found, integrator.resolution)
        trials = int(np.argmax(strange)) if strange.any() else len(strange)
        taken, states, kept = self._undisturbed(stepper, found, trials)
        self._singly, self._calm = 0 if kept > FEW else SINGLY, kept == taken.size > FEW and trials == count
        if len(integrator.monitors):
            self._few = 0 if kept > FEW else min(2 * self._few + 1, SINGLY)
            self._singly = self._few if kept < FEW else int(kept < taken.size)
        self._many = min(2 * self._many, TRIALS[-1]) if kept == len(strange) else max(kept, SINGLY)
        if single.setting.series and not kept and taken.size and self._shortened < SHORTENED:
            self._reach, self._shortened, self._singly = found.steps[0] / SHORTER, self._shortened + 1, 0
            return True
        self._reach, self._shortened = LONGER * self._reach, 0
        if not kept:
            return False
        self._take(stepper, found, taken, states, kept)
        self.turn_to_series(kept)
        return True

    def _take(self, stepper: FusedStepper, found: Trials, taken: Indices, states: Array, kept: int) -> None:
        """Record the first steps that are `kept` of those `taken`, which join the states, and go on behind them."""
        integrator = self.integrator
        self.single.h = float(found.following[taken[kept - 1]])
        records, reached = found.records_of(taken), states[1 : kept + 1]
        self._whole = float(states[kept, 0]) >= integrator.t_end - integrator.resolution
        if self._whole:  # the last state is one record more
            known = found.last.size > 0 and taken[kept - 1] == len(found.taken) - 1
            last = found.last if known else stepper.step(states[kept], 0.0)[1]
            records = np.concatenate([records[:kept], last[None]])
            reached = np.concatenate([reached, states[kept][None]])
        self._keep(reached, records, len(reached))
        longest = self._longest(stepper)
        longest[0] = max(longest[0], integrator.count)
        integrator.guards.steps(states[:kept, 0])

    def _at_once(self, stepper: FusedStepper, h: float) -> int:
        """Return how many trial steps, the first of them h (s), are taken in one call."""
        if len(self.integrator.monitors):
            return WATCHED[self._few > 0]
        return self._many if self.single.setting.series else self._calmly(stepper, h)

    def _calmly(self, stepper: FusedStepper, h: float) -> int:
        """Return how many trial steps of the pair, the first of them h (s), are taken in one call."""
        integrator = self.integrator
        if self._calm is None:  # a run of this system before may have been calm, and as long
            self._calm = integrator.system.n <= SMALL and self._longest(stepper)[0] > TRIALS[0]
        return TRIALS[-1] if self._calm and (integrator.t_end - integrator.t) / h > TRIALS[0] / 2 else TRIALS[0]

    def _undisturbed(self, stepper: FusedStepper, found: Trials, count: int) -> tuple[Indices, Array, int]:
        """Return which of the first `count` trials were taken (l,), the states (l+1, 2n+1) that they join, and how many
        of these steps nothing happens in.
        """
        n, x, monitors = self.integrator.system.n, self.integrator.x, self.integrator.monitors
        taken, states, tried = found.kept(x, count)
        calm = monitors.calm(states, found.steps[taken], found.records[taken], stepper) if len(monitors) else None
        kept = int(taken.size) if calm is None else calm.steps
        if kept:
            a = found.records_of(taken[:kept])[:, :n]
            kept = self.singularities.clear(states[: kept + 1], tried[:kept], a)
        if calm is not None:
            monitors.remember(calm, kept)
        return taken, states, kept

    @staticmethod
    def _longest(stepper: FusedStepper) -> list[int]:
        """Return how many states the longest run by these steps has had, to be written anew."""
        found: list[int] = stepper.compiled.once("longest run", lambda: [0])
        return found

    def turn_to_series(self, count: int) -> None:
        """Go on by Taylor series, if that is left open and they pay after `count` more steps of the pair."""
        setting, stepper = self.single.setting, self.integrator.stepper
        if not setting.auto or setting.series or not isinstance(stepper, FusedStepper):
            return
        if series_pay(stepper.compiled, setting.rtol, count):
            self.single.step_as(replace(setting, tableau=taylor()), None)

    def _keep(self, states: Array, records: Array, count: int) -> None:
        """Record the first `count` of equal steps, and go on from there."""
        if not count:
            return
        integrator, before = self.integrator, self.integrator.count
        try:
            integrator.record(np.concatenate([integrator.x[None], states[: count - 1]]), records[:count])
        finally:  # go on from there, or end with those that could be recorded
            if integrator.count > before:
                integrator.x = states[integrator.count - before - 1]
        mind_redundant(integrator)
