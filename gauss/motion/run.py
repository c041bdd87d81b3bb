"""`Run`: one simulation from its start to whatever ends it, step by step."""

from __future__ import annotations

import contextlib
from dataclasses import replace

import numpy as np

from gauss.errors import GaussError, InputError, described
from gauss.foundation.arrays import Array
from gauss.foundation.progress import Bar, Silent
from gauss.model.compiled import StepScalar
from gauss.model.tableaus import DOP853, RADAU
from gauss.motion.course import Beginning, Course
from gauss.motion.events.guards import Stop
from gauss.motion.events.halts import alarm, jam, singular_ahead, vanish
from gauss.motion.events.monitors import Event, ZeroCrossing
from gauss.motion.record.trajectory import Ending, MotionEvent, Trajectory
from gauss.motion.segments import begin, finish_slips, handle, mind_redundant
from gauss.motion.singular.passage import FIXED_AHEAD, Passage
from gauss.motion.singular.redundant import EVEN, independence
from gauss.motion.steps.acceptance import PIVOT_ALARM, certified, objection, projected_again
from gauss.motion.steps.sampled import ZeroOrderHold, same_instant
from gauss.motion.steps.steppers import FusedStepper, Setting

BLOCKS = (512, 64)  # equal steps taken in one compiled call where nothing is watched
SHORT = 1e4  # steps below so many times the resolution of time are short enough to look for a slip that ends
OPENED = 1e-6  # share of the run to which the time is located at which a position locks the motion no more
LOOKS = 100  # steps are no longer than this share of the run where events or contacts are watched


class Run:
    """The steps of one simulation, which take its course to the end."""

    def __init__(
        self,
        setting: Setting,
        solver: str,
        events: tuple[Event, ...],
        t_end: float,
        step: float | None,
        max_step: float | None,
        report: Bar | Silent,
        x: Array,
        beginning: Beginning,
        law: str = "moreau",
        paradox: str = "end",
        allow_energy_gain: bool = False,
    ):
        if beginning.locked is not None and setting.tableau.name == RADAU.name:
            raise InputError(f"{setting.system.name!r} starts on a locked position, which needs method='dop853'.")
        self.fixed = None if setting.tableau.adaptive else step
        self.setting, self.held = setting, setting.control if isinstance(setting.control, ZeroOrderHold) else None
        held = self._held_setting(x)
        self.course = Course(held, solver, events, t_end, self.fixed, x, beginning, law, paradox, allow_energy_gain)
        self.beginning, self.report = beginning, report
        self.h = step
        self.due = np.inf  # time (s) that a fixed step which is taken in parts ends at
        watching = bool(events) or bool(setting.system.model.unilateral) or bool(self.course.contacts)
        looks = LOOKS if watching else 0
        self.max_step = max_step if max_step is not None else (self.course.span / looks if looks else np.inf)
        self.passage = Passage(self.course)
        self.ending = Ending("finished", "the end time was reached")
        self.started = False  # whether the start has been found good: what fails after that ends the run

    # ------------------------------------------------------------------ the story

    def go(self) -> Trajectory:
        """Run to the end, whatever ends it, and return everything recorded.

        Raises a GaussError about the start; after that an error, like Ctrl-C, only ends the run.
        """
        with np.errstate(all="ignore"):  # the run checks every number itself
            try:
                self._run()
                return self._trajectory()
            except KeyboardInterrupt:
                self._break_off(
                    Ending("interrupted", f"interrupted at t = {self.course.t:.9g} s; what was computed is kept")
                )
                return self._trajectory()

    def _run(self) -> None:
        """Run to the end, whatever but Ctrl-C ends it."""
        course, beginning = self.course, self.beginning
        try:
            begin(course)
            if beginning.a0 is None:
                course.monitors.require_finite(course.monitors.values(course.x, course.stepper), course.x)
            self.started = True
            if beginning.a0 is not None:
                self.passage.leave(beginning.a0, beginning.obliged, beginning.guide)
            while course.x[0] < course.t_end - course.resolution:
                free = self.held is None and len(course.monitors) == 0
                if (
                    self.fixed is not None
                    and free
                    and isinstance(course.stepper, FusedStepper)
                    and not self.passage.wary
                ):
                    self._march(course.stepper)
                else:
                    self._advance()
                    self._sample()
                self.report((course.t - course.t_end) / course.span + 1.0)
            self._stop(replace(self.ending, message=self.ending.message + course.stepper_note))
        except Stop as stop:
            self._stop(self.passage.told(stop.ending))
        except GaussError as error:
            if not self.started and not course.blocks:
                raise
            self._break_off(Ending("failed", described(error)))
        except Exception as error:  # of a user's function, a library or ourselves: what was computed is worth more
            self._break_off(Ending("failed", f"broken off at t = {course.t:.9g} s by {described(error)}"))

    def _stop(self, ending: Ending) -> None:
        """End the run at the current state, with that state."""
        self.ending = ending
        try:
            self.course.record_here()
        except Exception as error:
            kind = "failed" if ending.complete else ending.kind
            text = f"{ending.message}, but the state there could not be recorded: {described(error)}"
            self.ending = Ending(kind, text, ending.limit)
            self.course.forget()

    def _break_off(self, ending: Ending) -> None:
        """End the run somewhere on its way; the current state is recorded if it is certified with the rows in force."""
        course, self.ending = self.course, ending
        with contextlib.suppress(Exception, KeyboardInterrupt):  # what failed may fail again
            if course.settled and not course.recorded_here:
                following, record = course.stepper.step(course.x, 0.0)
                if course.inside is not None or certified(following[None], record[None])[0]:
                    course.record_here()
        course.forget()

    def _trajectory(self) -> Trajectory:
        """Return everything recorded so far."""
        self.course.setting = self.setting
        return self.course.trajectory(self.ending)

    # ------------------------------------------------------------------ sampled controls

    def _held_setting(self, x: Array) -> Setting:
        """Return the setting with the controls that are held at a state as constants."""
        if self.held is None:
            return self.setting
        n = self.setting.system.n
        return replace(
            self.setting, theta=self.setting.parameters_at(float(x[0]), x[1 : n + 1], x[n + 1 :]), control=None
        )

    def _horizon(self) -> float:
        """Return the time (s) that the next step may not pass: the end, the next sampling instant, or what is due."""
        return min(self.course.t_end, self.due, np.inf if self.held is None else self.held.due)

    def _sample(self) -> None:
        """At a sampling instant, ask the controller and go on with what it returns. Raises Stop beyond an instant."""
        course, held = self.course, self.held
        if held is None or (course.t < held.due and not same_instant(course.t, held.due, held.sampled.period)):
            return
        if not same_instant(course.t, held.due, held.sampled.period):
            raise Stop(
                "failed", f"the sampling instant t = {held.due:.9g} s lies in the passage of a singular position"
            )
        if course.t >= course.t_end - course.resolution:
            return
        course.x[0] = held.due
        held.sample(course.t, course.state.q, course.state.v)
        course.setting = course.solver.setting = self._held_setting(course.x)
        course.memory, pressed = course.monitors.memory, course.monitors.pressing
        begin(course)
        names = [course.system.row_names[row] for row in pressed if row not in course.rows]
        course.log += [MotionEvent(course.t, "release", name) for name in names]

    # ------------------------------------------------------------------ steps

    def _march(self, stepper: FusedStepper) -> None:
        """Take many equal steps in one call, of the last call those that fit; the last step of a run is on its own."""
        course = self.course
        assert self.fixed is not None
        left = int((course.t_end - course.t) / self.fixed - 0.5)  # the last step ends exactly at t_end
        if left < 1:
            self._advance()
            return
        size = next((size for size in BLOCKS if size <= left), BLOCKS[-1])
        count = min(left, size)
        states, records = (each[:count] for each in stepper.march(course.x, self.fixed, size))
        good = certified(states, records)
        accepted = count if np.all(good) else int(np.argmin(good))
        ahead = self.passage.dip(states, records)
        if ahead is not None and ahead <= accepted:
            self._keep(states, records, ahead)
            if not self.passage.cross(FIXED_AHEAD * self.fixed):
                self._advance()
            return
        self._keep(states, records, accepted)
        if accepted < count:
            alarm(course)
            self._advance()

    def _keep(self, states: Array, records: Array, count: int) -> None:
        """Record the first `count` of equal steps, and go on from there."""
        if not count:
            return
        course, before = self.course, self.course.count
        try:
            course.record(np.concatenate([course.x[None], states[: count - 1]]), records[:count])
        finally:  # go on from there, or end with those that could be recorded
            if course.count > before:
                course.x = states[course.count - before - 1]
        mind_redundant(course)

    def _advance(self) -> None:
        """Take one step, located at the first event inside it."""
        course = self.course
        course.guards.step(course.t)
        horizon = self._horizon()
        left = horizon - course.t
        h = min(self.fixed or self._trial_step(), left)
        if left - h < 1e-9 * h:
            h = left
        if self.passage.ahead(h) or self._divided():
            return
        tried = self._tried(h)
        if tried is None:
            return
        following, record = tried
        if self.passage.within(h, following) or self._divided():
            return
        if self.passage.leaps(following):
            self._reject(h, np.inf)
            return
        error, crossing = float(record[StepScalar.ERROR]), None
        if len(course.monitors):
            crossing = course.monitors.find(course.x, following, record, h, course.stepper)
        following = self._recorded(h, following, record, crossing)
        course.x = following
        self.passage.log_passed()
        course.redirect()
        mind_redundant(course)
        if self.fixed is None and self.h is not None and self.h < min(h, course.resolution) and h < left:
            vanish(course, error)
            self.h = None  # behind a jam
        if left == h and crossing is None:
            course.x[0] = horizon
        if crossing is not None:
            handle(course, crossing.which)
        elif self.h is not None and self.h < SHORT * course.resolution:
            finish_slips(course)

    def _divided(self) -> bool:
        """Take a fixed step in parts, as long as their errors allow, where it may lead over a turn; return whether so.

        What leads beyond its end is followed up to the end of a later one.
        """
        course, step, setting = self.course, self.fixed, self.setting
        if step is None or not self.passage.wary:
            return False
        x, count = course.x, 1
        self._step_as(replace(setting, tableau=DOP853), None)
        try:
            while course.t < min(x[0] + count * step, course.t_end) - course.resolution:
                self.due = x[0] + count * step
                self._advance()
                self._sample()
                count = max(count, int(np.ceil((course.t - x[0] - course.resolution) / step)))
        finally:
            self.due, self.h = np.inf, step
            self._step_as(setting, step)
        self.passage.leave_behind(x)
        return True

    def _step_as(self, setting: Setting, fixed: float | None) -> None:
        """Take steps by the method of a setting from now on, and as carefully."""
        course, tableau, careful = self.course, setting.tableau, setting.careful
        self.setting = replace(self.setting, tableau=tableau, careful=careful)
        course.setting = course.solver.setting = replace(course.setting, tableau=tableau, careful=careful)
        self.fixed = course.fixed = fixed
        course.enforce(course.rows, course.slides)

    def _tried(self, h: float) -> tuple[Array, Array] | None:
        """Return the state after a step h, projected and certified, and its record; None where h is made smaller."""
        course = self.course
        following, record = course.stepper.step(course.x, h)
        self._without_masses(record, following)
        error = float(record[StepScalar.ERROR])
        if self.fixed is None and not error <= 1.0:  # too large, or nan
            if not record[StepScalar.PIVOT] > PIVOT_ALARM:
                if mind_redundant(course, EVEN):
                    return None
                alarm(course)
                if self._care():
                    return None
            self._reject(h, error)
            return None
        following, record = projected_again(course.stepper, following, record)
        if certified(following[None], record[None])[0]:
            return following, record
        if mind_redundant(course, EVEN):
            return None
        alarm(course)
        if not record[StepScalar.PIVOT] > PIVOT_ALARM and self._care():
            return None
        if self.fixed is None and h > 1e-6 * course.span:
            self._reject(h, np.inf)
            return None
        if course.slides and not record[StepScalar.PIVOT] > PIVOT_ALARM:
            jam(course)
            self.h = None  # behind a jam
            return None
        if record[StepScalar.PIVOT] <= PIVOT_ALARM or (
            course.setting.careful and np.isfinite(record[StepScalar.PIVOT])
        ):
            raise singular_ahead(course, record, h)
        why = course.stepper.trouble or objection(following, record)
        remedy = "; take a smaller step" if self.fixed is not None else ""
        raise Stop("failed", f"no certified step from t = {course.t:.9g} s: {why}{remedy}")

    def _care(self) -> bool:
        """Go on by orthogonal factors, where elimination loses independent rows; return whether that is new."""
        found = self.course.care()
        if found:
            self.setting = replace(self.setting, careful=True)
        return found

    def _without_masses(self, record: Array, following: Array) -> None:
        """Put what the rows alone say in the place of a small pivot, which masses may have made so."""
        if (
            self.setting.careful
            or not 0.0 < record[StepScalar.PIVOT] <= PIVOT_ALARM
            or self.course.slides
            or self.course.locked is not None
        ):
            return
        for x in (self.course.x, following):
            n = self.course.system.n
            if not np.all(np.isfinite(x)):
                break
            terms = self.course.system.model.terms(x[1 : n + 1], x[n + 1 :], float(x[0]), self.course.setting.theta)
            sine = independence(terms.J[list(self.course.rows)])
            if sine**2 <= PIVOT_ALARM:
                return
        record[StepScalar.PIVOT] = sine**2

    def _recorded(self, h: float, following: Array, record: Array, crossing: ZeroCrossing | None) -> Array:
        """Record the step h, or the part of it up to an event; return the state after it."""
        course = self.course
        if crossing is None:
            course.record(course.x[None], record[None])
            if self.fixed is None:
                error = float(record[StepScalar.ERROR])
                growth = 10.0 if error == 0.0 else min(10.0, 0.9 * error ** (-1 / 8))
                self.h = min(h * max(growth, 0.2), self.max_step)
            return following
        if crossing.h > 0.0:
            following, record = course.stepper.step(course.x, crossing.h)
            course.record(course.x[None], record[None])
            return following
        return course.x

    def _trial_step(self) -> float:
        """Return the step to try: the one the controller kept, or a first guess (Hairer, Nørsett, Wanner I, §II.4)."""
        if self.h is None:
            course, s = self.course, self.course.setting
            n = course.system.n
            a, _ = course.stepper.accelerate(course.x)
            y, f = course.x[1:], np.concatenate([course.x[n + 1 :], a])
            scale = s.atol + s.rtol * np.abs(y)
            d0, d1 = np.linalg.norm(y / scale), np.linalg.norm(np.nan_to_num(f) / scale)
            self.h = float(0.01 * d0 / d1) if d0 > 1e-5 and d1 > 1e-5 else 1e-6 * course.span
        return float(min(self.h, self.max_step))

    def _reject(self, h: float, error: float) -> None:
        """Make the step smaller, or stop where it cannot be."""
        factor = 0.1 if not np.isfinite(error) else max(0.2, 0.9 * error ** (-1 / 8))
        self.h = h * factor
        course = self.course
        opens = course.locked is not None and course.stepper.trouble != ""
        if self.h < (OPENED * course.span if opens else course.resolution):
            vanish(course, error)
            self.h = None  # behind a jam
