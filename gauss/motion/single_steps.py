"""`SingleSteps`: steps of a run that are taken one by one, each up to the first event inside it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gauss.foundation.arrays import Array
from gauss.model.compiled import StepScalar
from gauss.motion.events.halts import alarm, jam, singular_ahead, vanish
from gauss.motion.events.stalling import Stop
from gauss.motion.events.zeros import ZeroCrossing
from gauss.motion.integrator import Integrator
from gauss.motion.segments import finish_slips, handle, mind_redundant, sample
from gauss.motion.singular.redundant import EVEN, independence
from gauss.motion.singular.singularities import Singularities
from gauss.motion.steps.sampled import ZeroOrderHold
from gauss.motion.steps.step_certificate import PIVOT_ALARM, certified_once, objection, projected_again
from gauss.motion.steps.steppers import Setting
from gauss.numerics.runge_kutta import dop853
from gauss.numerics.step_size import LAST, first_guess, grown, shrunk

SHORT = 1e4  # steps below so many times the resolution of time are short enough to look for a slip that ends
OPENED = 1e-6  # share of the run to which the time is located at which a position locks the motion no more
LOOKS = 100  # steps are no longer than this share of the run where events or contacts are watched


class SingleSteps:
    """What a step needs, the `setting` of the run among it, with the method and the size of the next one."""

    KEPT: tuple[str, ...] = ("h", "integrator", "singularities")

    def __init__(self, setting: Setting, integrator: Integrator, step: float | None, max_step: float | None):
        self.setting, self.held = setting, setting.control if isinstance(setting.control, ZeroOrderHold) else None
        self.integrator, self.singularities = integrator, Singularities(integrator)
        self.fixed, self.h = integrator.fixed, step
        self.due = np.inf  # time (s) that a fixed step which is taken in parts ends at
        watching = bool(integrator.events) or bool(setting.system.model.unilateral) or bool(integrator.contacts)
        longest = integrator.span / LOOKS if watching else np.inf
        self.max_step = longest if max_step is None else max_step

    def advance(self) -> None:
        """Take one step, located at the first event inside it."""
        integrator = self.integrator
        integrator.guards.step(integrator.t)
        horizon = self._horizon()
        left = horizon - integrator.t
        h = min(self.fixed or self.trial_step(), left)
        if left - h < LAST * h:
            h = left
        if self.singularities.ahead(h) or self._divided():
            return
        tried = self._tried(h)
        if tried is None:
            return
        following, record = tried
        if self.singularities.within(h, following) or self._divided():
            return
        if self.singularities.leaps(following):
            self._reject(h, np.inf)
            return
        error, crossing = float(record[StepScalar.ERROR]), None
        if len(integrator.monitors):
            crossing = integrator.monitors.find(integrator.x, following, record, h, integrator.stepper)
        following = self._recorded(h, following, record, crossing)
        integrator.x = following
        self.singularities.log_passed()
        integrator.redirect()
        mind_redundant(integrator)
        if self.fixed is None and self.h is not None and self.h < min(h, integrator.resolution) and h < left:
            vanish(integrator, error)
            self.h = None  # behind a jam
        if left == h and crossing is None:
            integrator.x[0] = horizon
        if crossing is not None:
            handle(integrator, crossing.which)
        elif self.h is not None and self.h < SHORT * integrator.resolution:
            finish_slips(integrator)

    def _horizon(self) -> float:
        """Return the time (s) that the next step may not pass: the end, the next sampling instant, or what is due."""
        return min(self.integrator.t_end, self.due, np.inf if self.held is None else self.held.due)

    def sample(self) -> None:
        """At a sampling instant, ask the controller and go on with what it returns. Raises Stop beyond an instant."""
        if self.held is not None:
            sample(self.integrator, self.held, self.setting)

    def _divided(self) -> bool:
        """Take a fixed step in parts, as long as their errors allow, where it may lead over a turn; return whether so.

        What leads beyond its end is followed up to the end of a later one.
        """
        integrator, step, setting = self.integrator, self.fixed, self.setting
        if step is None or not self.singularities.wary:
            return False
        x, count = integrator.x, 1
        self.step_as(replace(setting, tableau=dop853()), None)
        try:
            while integrator.t < min(x[0] + count * step, integrator.t_end) - integrator.resolution:
                self.due = x[0] + count * step
                self.advance()
                self.sample()
                count = max(count, int(np.ceil((integrator.t - x[0] - integrator.resolution) / step)))
        finally:
            self.due, self.h = np.inf, step
            self.step_as(setting, step)
        self.singularities.leave_behind(x)
        return True

    def step_as(self, setting: Setting, fixed: float | None) -> None:
        """Take steps by the method of a setting from now on, and as carefully."""
        integrator, tableau, careful = self.integrator, setting.tableau, setting.careful
        self.setting = replace(self.setting, tableau=tableau, careful=careful)
        integrator.use(replace(integrator.setting, tableau=tableau, careful=careful))
        self.fixed = integrator.fixed = fixed
        integrator.enforce(integrator.rows, integrator.slides)

    def _tried(self, h: float) -> tuple[Array, Array] | None:
        """Return the state after a step h, projected and certified, and its record; None where h is made smaller."""
        integrator = self.integrator
        following, record = integrator.stepper.step(integrator.x, h)
        self._without_masses(record, following)
        error = float(record[StepScalar.ERROR])
        if self.fixed is None and not error <= 1.0:  # too large, or nan
            if not record[StepScalar.PIVOT] > PIVOT_ALARM:
                if mind_redundant(integrator, EVEN):
                    return None
                alarm(integrator)
                if self._care():
                    return None
            self._reject(h, error)
            return None
        following, record = projected_again(integrator.stepper, following, record)
        if certified_once(following, record):
            return following, record
        if mind_redundant(integrator, EVEN):
            return None
        alarm(integrator)
        if not record[StepScalar.PIVOT] > PIVOT_ALARM and self._care():
            return None
        if self.fixed is None and h > 1e-6 * integrator.span:
            self._reject(h, np.inf)
            return None
        if integrator.slides and not record[StepScalar.PIVOT] > PIVOT_ALARM:
            jam(integrator)
            self.h = None  # behind a jam
            return None
        if record[StepScalar.PIVOT] <= PIVOT_ALARM or (
            integrator.setting.careful and np.isfinite(record[StepScalar.PIVOT])
        ):
            raise singular_ahead(integrator, record, h)
        why = integrator.stepper.trouble or objection(following, record)
        remedy = "; take a smaller step" if self.fixed is not None else ""
        raise Stop("failed", f"no certified step from t = {integrator.t:.9g} s: {why}{remedy}")

    def _care(self) -> bool:
        """Go on by orthogonal factors, where elimination loses independent rows; return whether that is new."""
        found = self.integrator.care()
        if found:
            self.setting = replace(self.setting, careful=True)
        return found

    def _without_masses(self, record: Array, following: Array) -> None:
        """Put what the rows alone say in the place of a small pivot, which masses may have made so."""
        if (
            self.setting.careful
            or not 0.0 < record[StepScalar.PIVOT] <= PIVOT_ALARM
            or self.integrator.slides
            or self.integrator.locked is not None
        ):
            return
        for x in (self.integrator.x, following):
            n = self.integrator.system.n
            if not np.all(np.isfinite(x)):
                break
            terms = self.integrator.system.model.terms(
                x[1 : n + 1], x[n + 1 :], float(x[0]), self.integrator.setting.theta
            )
            sine = independence(terms.J[list(self.integrator.rows)])
            if sine**2 <= PIVOT_ALARM:
                return
        record[StepScalar.PIVOT] = sine**2

    def _recorded(self, h: float, following: Array, record: Array, crossing: ZeroCrossing | None) -> Array:
        """Record the step h, or the part of it up to an event; return the state after it."""
        integrator = self.integrator
        if crossing is None:
            integrator.record(integrator.x[None], record[None])
            if self.fixed is None:
                self.h = min(grown(h, float(record[StepScalar.ERROR])), self.max_step)
            return following
        if crossing.h > 0.0:
            following, record = integrator.stepper.step(integrator.x, crossing.h)
            integrator.record(integrator.x[None], record[None])
            return following
        return integrator.x

    def trial_step(self) -> float:
        """Return the step to try: the one the controller kept, or a first guess."""
        if self.h is None:
            integrator, s = self.integrator, self.integrator.setting
            n = integrator.system.n
            a, _ = integrator.stepper.accelerate(integrator.x)
            y, f = integrator.x[1:], np.concatenate([integrator.x[n + 1 :], a])
            scale = s.atol + s.rtol * np.abs(y)
            self.h = first_guess(y, f, scale, integrator.span)
        return float(min(self.h, self.max_step))

    def _reject(self, h: float, error: float) -> None:
        """Make the step smaller, or stop where it cannot be."""
        self.h = shrunk(h, error)
        integrator = self.integrator
        opens = integrator.locked is not None and integrator.stepper.trouble != ""
        if self.h < (OPENED * integrator.span if opens else integrator.resolution):
            vanish(integrator, error)
            self.h = None  # behind a jam
