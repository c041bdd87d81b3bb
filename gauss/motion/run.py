"""`Run`: one simulation from its start to whatever ends it, step by step."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gauss.errors import GaussError, InputError, described
from gauss.foundation.arrays import Array, Indices
from gauss.foundation.outcomes import FINISHED
from gauss.foundation.progress import Bar, NoProgress
from gauss.foundation.threads import one_by_one
from gauss.model.compiled import StepScalar
from gauss.model.compiled.steps.taylor import Reach
from gauss.model.compiled.steps.trials import Trials
from gauss.motion.events.event import Event
from gauss.motion.events.halts import alarm, jam, singular_ahead, vanish
from gauss.motion.events.stalling import Stop
from gauss.motion.events.zeros import ZeroCrossing
from gauss.motion.integrator import RECENT, Beginning, Integrator
from gauss.motion.record.checkpoint import UNDER_WAY, Checkpoint
from gauss.motion.record.trajectory import Ending, MotionEvent, Trajectory, taken_apart
from gauss.motion.remembered import kept, packed, put, unpacked
from gauss.motion.segments import begin, finish_slips, handle, mind_redundant, watch
from gauss.motion.singular.redundant import EVEN, independence
from gauss.motion.singular.singularities import FIXED_AHEAD, Singularities
from gauss.motion.steps.sampled import ZeroOrderHold, same_instant
from gauss.motion.steps.step_certificate import (
    PIVOT_ALARM,
    certified,
    certified_once,
    objection,
    objections,
    projected_again,
)
from gauss.motion.steps.steppers import FusedStepper, Setting
from gauss.motion.steps.taylor import series_pay
from gauss.numerics.runge_kutta import RADAU, dop853, taylor
from gauss.numerics.step_size import LAST, first_guess, grown, shrunk

TRIALS = (64, 256)  # trial steps taken in one compiled call; more where all of the ones before were kept
SMALL = 6  # coordinates up to which as many steps by series as ever are tried from the start
SHORTENED = 2  # times that steps by Taylor series become shorter, where something else than their errors keeps none
SHORTER, LONGER = 4.0, 3.0  # times: what they become shorter by, and longer after each call of which some are kept
WATCHED = (64, 16)  # trial steps taken in one compiled call where something is watched, the latter where few are kept
SINGLY, FEW = 16, 3  # steps that are taken one by one, where so few at once could be kept
BLOCKS = (512, 64)  # equal steps taken in one compiled call, the fewer where something is watched
SHORT = 1e4  # steps below so many times the resolution of time are short enough to look for a slip that ends
OPENED = 1e-6  # share of the run to which the time is located at which a position locks the motion no more
LOOKS = 100  # steps are no longer than this share of the run where events or contacts are watched


class Run:
    """The steps of one simulation, which take its course to the end."""

    KEPT: tuple[str, ...] = (
        "h",
        "_singly",
        "_few",
        "_whole",
        "_calm",
        "_many",
        "_reach",
        "_shortened",
        "integrator",
        "singularities",
    )

    def __init__(
        self,
        setting: Setting,
        solver: str,
        events: tuple[Event, ...],
        t_end: float,
        step: float | None,
        max_step: float | None,
        report: Bar | NoProgress,
        x: Array,
        beginning: Beginning,
        law: str = "moreau",
        paradox: str = "end",
        allow_energy_gain: bool = False,
        checkpoint: Checkpoint | None = None,
    ):
        if beginning.locked is not None and setting.tableau.name == RADAU.name:
            raise InputError(f"{setting.system.name!r} starts on a locked position, which needs method='dop853'.")
        self.fixed = None if setting.tableau.adaptive else step
        self.setting, self.held = setting, setting.control if isinstance(setting.control, ZeroOrderHold) else None
        held = self._held_setting(x)
        self.integrator = Integrator(
            held, solver, events, t_end, self.fixed, x, beginning, law, paradox, allow_energy_gain
        )
        if self.held is not None:
            self._note_sample(self.held)
        self.beginning, self.report, self.checkpoint = beginning, report, checkpoint
        self.h = step
        self._singly = 0  # steps that are still taken one by one
        self._few = 0  # of them after the next call that keeps only a few where something is watched
        self._whole = False  # whether the last state has been recorded
        self._calm: bool | None = None  # whether nothing has happened in the last trial steps that were taken at once
        self._many = TRIALS[-1] if setting.system.n <= SMALL else TRIALS[0]  # steps by series at once
        self._reach, self._shortened = np.inf, 0  # s, longest of these, and how often it has just become shorter
        self.due = np.inf  # time (s) that a fixed step which is taken in parts ends at
        watching = bool(events) or bool(setting.system.model.unilateral) or bool(self.integrator.contacts)
        looks = LOOKS if watching else 0
        self.max_step = max_step if max_step is not None else (self.integrator.span / looks if looks else np.inf)
        self.singularities = Singularities(self.integrator)
        self.ending = FINISHED
        self.started = False  # whether the start has been found good: what fails after that ends the run

    # ------------------------------------------------------------------ the story

    def go(self) -> Trajectory:
        """Run to the end, whatever ends it, and return everything recorded.

        Raises a GaussError about the start; after that an error, like Ctrl-C, only ends the run.
        """
        system = self.integrator.system
        with np.errstate(all="ignore"), one_by_one(system.n):  # the run checks every number itself
            try:
                self._run()
                return self._trajectory()
            except KeyboardInterrupt:
                self._break_off(
                    Ending("interrupted", f"interrupted at t = {self.integrator.t:.9g} s; what was computed is kept")
                )
                return self._trajectory()

    def _run(self) -> None:
        """Run to the end, whatever but Ctrl-C ends it."""
        integrator = self.integrator
        try:
            if not self.started:
                self._begin()
            while integrator.x[0] < integrator.t_end - integrator.resolution:
                stepper = integrator.stepper
                if not isinstance(stepper, FusedStepper) or not self._foreseen:
                    self._advance()
                    self._sample()
                elif self.fixed is not None and not self.singularities.wary:
                    self._march(stepper)
                elif self.fixed is not None or not self._leap(stepper):
                    self._advance()
                if self.checkpoint is not None:
                    self.checkpoint.reached(self._remembered, self._so_far)
                self.report((integrator.t - integrator.t_end) / integrator.span + 1.0)
            note = integrator.stepper_note
            self._stop(replace(self.ending, message=self.ending.message + note) if note else self.ending)
        except Stop as stop:
            self._stop(self.singularities.told(stop.ending))
        except GaussError as error:
            if not self.started and not integrator.blocks:
                raise
            self._break_off(Ending("failed", described(error)))
        except Exception as error:  # of a user's function, a library or ourselves: what was computed is worth more
            self._break_off(Ending("failed", f"broken off at t = {integrator.t:.9g} s by {described(error)}"))

    def _begin(self) -> None:
        """Resolve what happens at the start, and leave it."""
        integrator, beginning = self.integrator, self.beginning
        begin(integrator)
        if beginning.a0 is None and len(integrator.monitors):
            values = integrator.monitors.values(integrator.x, integrator.stepper)
            integrator.monitors.require_finite(values, integrator.x)
        self.started = True
        if beginning.a0 is not None:
            self.singularities.leave(beginning.a0, beginning.obliged, beginning.guide)
        self._turn_to_series(0)

    def _stop(self, ending: Ending) -> None:
        """End the run at the current state, with that state."""
        self.ending = ending
        if self._whole:
            return
        try:
            self.integrator.record_here()
        except Exception as error:
            kind = "failed" if ending.complete else ending.kind
            text = f"{ending.message}, but the state there could not be recorded: {described(error)}"
            self.ending = Ending(kind, text, ending.limit)
            self.integrator.forget()

    def _break_off(self, ending: Ending) -> None:
        """End the run somewhere on its way; the current state is recorded if it is certified with the rows in force."""
        integrator, self.ending = self.integrator, ending
        with contextlib.suppress(Exception, KeyboardInterrupt):  # what failed may fail again
            if integrator.settled and not integrator.recorded_here:
                following, record = integrator.stepper.step(integrator.x, 0.0)
                if integrator.inside is not None or certified_once(following, record):
                    integrator.record_here()
        integrator.forget()

    def _trajectory(self) -> Trajectory:
        """Return everything recorded so far."""
        try:
            self.integrator.verify()
        except Exception as error:
            self.ending = Ending("failed", described(error))
            self.integrator.forget()
        if self.checkpoint is not None:
            self.integrator.fold()
        return self.integrator.trajectory(self.ending, self.setting)

    # ------------------------------------------------------------------ going on

    def _so_far(self) -> Trajectory:
        """Return the motion up to a checkpoint."""
        self.integrator.fold()
        ending = Ending("interrupted", f"{UNDER_WAY} at t = {self.integrator.t:.9g} s")
        return self.integrator.trajectory(ending, self.setting)

    @property
    def settled(self) -> dict[str, Any]:
        """What beside the motion a run that is complete is known by, as plain data."""
        held, system = self.held, self.integrator.system
        control = None if held is None else packed(held.asked(system, len(held.states)))
        return {"careful": self.setting.careful, "control": control}

    def _remembered(self) -> Callable[[], dict[str, Any]]:
        """Return what makes plain data of what the run remembers now, between two steps."""
        integrator, held = self.integrator, self.held
        integrator.verify()
        now = {"run": kept(self), "stepper": kept(integrator.stepper), "monitors": kept(integrator.monitors)}
        lists = {"blocks": integrator.blocks[-RECENT:], "log": [*integrator.log], "windows": [*integrator.windows]}
        asked, careful = 0 if held is None else len(held.states), self.setting.careful

        def plain() -> dict[str, Any]:
            control = None if held is None else packed(held.asked(integrator.system, asked))
            return now | {name: packed(x) for name, x in lists.items()} | {"careful": careful, "control": control}

        return plain

    def go_on(self, plain: dict[str, Any], recorded: Trajectory) -> int:
        """Remember what `_remembered` has returned, and go on behind what was recorded; return the count of states.

        Raises KeyError, TypeError and ValueError for anything else, InputError where a sampled control does not return
        what it returned.
        """
        integrator, own = self.integrator, dict[str, object](system=self.setting.system)
        if self.held is not None:
            self.held.go_on(integrator.system, **unpacked(plain["control"], own))
        self.setting = replace(self.setting, careful=bool(plain["careful"]))
        x = unpacked(plain["run"]["integrator"]["x"], own)
        integrator.use(self._held_setting(x))
        own["setting"] = integrator.setting
        put(self, plain["run"], own)
        integrator.enforce(integrator.rows, integrator.slides)
        put(integrator.stepper, plain["stepper"], own)
        watch(integrator)
        put(integrator.monitors, plain["monitors"], own)
        integrator.blocks, integrator.log, integrator.windows = (
            unpacked(plain[name], own) for name in ("blocks", "log", "windows")
        )
        first = integrator.count - sum(len(block.states) for block in integrator.blocks)
        integrator.before = taken_apart(recorded, first)
        self.started = True
        self.report.begun = (integrator.t - integrator.t_end) / integrator.span + 1.0
        return integrator.count

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
        return min(self.integrator.t_end, self.due, np.inf if self.held is None else self.held.due)

    def _note_sample(self, held: ZeroOrderHold) -> None:
        integrator = self.integrator
        controls = integrator.setting.theta[len(integrator.system.parameters) :]
        integrator.guards.sample(held.period, integrator.system.controls, controls)

    def _sample(self) -> None:
        """At a sampling instant, ask the controller and go on with what it returns. Raises Stop beyond an instant."""
        integrator, held = self.integrator, self.held
        if held is None or (integrator.t < held.due and not same_instant(integrator.t, held.due, held.period)):
            return
        if not same_instant(integrator.t, held.due, held.period):
            raise Stop(
                "failed", f"the sampling instant t = {held.due:.9g} s lies in the passage of a singular position"
            )
        if integrator.t >= integrator.t_end - integrator.resolution:
            return
        integrator.x[0] = held.due
        integrator.guards.bounded(integrator.t)
        held.sample(integrator.t, integrator.state.q, integrator.state.v)
        integrator.use(self._held_setting(integrator.x))
        self._note_sample(held)
        integrator.memory, pressed = integrator.monitors.memory, integrator.monitors.pressing
        begin(integrator)
        names = [integrator.system.row_names[row] for row in pressed if row not in integrator.rows]
        integrator.log += [MotionEvent(integrator.t, "release", name) for name in names]

    # ------------------------------------------------------------------ steps

    @property
    def _foreseen(self) -> bool:
        """Whether what happens in steps can be told of many of them at once."""
        turning = any(slide.across is not None for slide in self.integrator.slides)
        return self.held is None and not turning and not self.integrator.monitors.sharing

    def _march(self, stepper: FusedStepper) -> None:
        """Take many equal steps in one call, of the last call those that fit; the last step of a run is on its own."""
        integrator = self.integrator
        assert self.fixed is not None
        left = int((integrator.t_end - integrator.t) / self.fixed - 0.5)  # the last step ends exactly at t_end
        if left < 1:
            self._advance()
            return
        watching = len(integrator.monitors) > 0
        size = next((size for size in BLOCKS if size <= left and not watching), BLOCKS[-1])
        count = min(left, size)
        states, records = (each[:count] for each in stepper.march(integrator.x, self.fixed, size))
        good = certified(states, records)
        accepted = count if np.all(good) else int(np.argmin(good))
        certain = accepted
        if watching:
            whole, h = np.vstack([integrator.x, states[:certain]]), np.full(certain, self.fixed)
            calm = integrator.monitors.calm(whole, h, records[:certain], stepper)
            accepted = calm.steps
        ahead = self.singularities.dip(states, records)
        turns = ahead is not None and ahead <= accepted
        accepted = ahead if ahead is not None and turns else accepted
        if watching:
            integrator.monitors.remember(calm, accepted)
        self._keep(states, records, accepted)
        if turns:
            if not self.singularities.cross(FIXED_AHEAD * self.fixed):
                self._advance()
        elif accepted < count:
            if accepted == certain:
                alarm(integrator)
            self._advance()

    def _leap(self, stepper: FusedStepper) -> bool:
        """Take many steps in one call and keep those that nothing happens in; return whether there were any.

        The first step that asks for more than it tells by itself is left to `_advance`.
        """
        integrator = self.integrator
        redundant = len(integrator.base) < len(integrator.system.model.equality)
        if self._singly > 0 or redundant or not self.singularities.many:
            self._singly -= 1
            return False
        h = 0.0 if self.setting.series else self._trial_step()  # series have a length of their own
        watching = len(integrator.monitors) > 0
        count = WATCHED[self._few > 0] if watching else self._many if self.setting.series else self._calmly(stepper, h)
        reach = Reach(integrator.t_end, min(self.max_step, self._reach), count)
        found = stepper.trials(integrator.x, h, reach)
        strange = objections(stepper, found, integrator.resolution)
        trials = int(np.argmax(strange)) if strange.any() else len(strange)
        taken, states, kept = self._undisturbed(stepper, found, trials)
        self._singly, self._calm = 0 if kept > FEW else SINGLY, kept == taken.size > FEW and trials == count
        if watching:
            self._few = 0 if kept > FEW else min(2 * self._few + 1, SINGLY)
            self._singly = self._few if kept < FEW else int(kept < taken.size)
        self._many = min(2 * self._many, TRIALS[-1]) if kept == len(strange) else max(kept, SINGLY)
        if self.setting.series and not kept and taken.size and self._shortened < SHORTENED:
            self._reach, self._shortened, self._singly = found.steps[0] / SHORTER, self._shortened + 1, 0
            return True
        self._reach, self._shortened = LONGER * self._reach, 0
        if not kept:
            return False
        self.h = float(found.following[taken[kept - 1]])
        records, reached = found.records_of(taken), states[1 : kept + 1]
        self._whole = float(states[kept, 0]) >= integrator.t_end - integrator.resolution
        if self._whole:  # the last state is one record more
            known = found.last.size > 0 and taken[kept - 1] == len(found.taken) - 1
            last = found.last if known else stepper.step(states[kept], 0.0)[1]
            records = np.concatenate([records[:kept], last[None]])
            reached = np.concatenate([reached, states[kept][None]])
        self._keep(reached, records, len(reached))
        longest = self._longest(stepper)
        longest[0] = max(longest[0], self.integrator.count)
        integrator.guards.steps(states[:kept, 0])
        self._turn_to_series(kept)
        return True

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

    def _turn_to_series(self, count: int) -> None:
        """Go on by Taylor series, if that is left open and they pay after `count` more steps of the pair."""
        stepper = self.integrator.stepper
        if not self.setting.auto or self.setting.series or not isinstance(stepper, FusedStepper):
            return
        if series_pay(stepper.compiled, self.setting.rtol, count):
            self._step_as(replace(self.setting, tableau=taylor()), None)

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

    def _advance(self) -> None:
        """Take one step, located at the first event inside it."""
        integrator = self.integrator
        integrator.guards.step(integrator.t)
        horizon = self._horizon()
        left = horizon - integrator.t
        h = min(self.fixed or self._trial_step(), left)
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

    def _divided(self) -> bool:
        """Take a fixed step in parts, as long as their errors allow, where it may lead over a turn; return whether so.

        What leads beyond its end is followed up to the end of a later one.
        """
        integrator, step, setting = self.integrator, self.fixed, self.setting
        if step is None or not self.singularities.wary:
            return False
        x, count = integrator.x, 1
        self._step_as(replace(setting, tableau=dop853()), None)
        try:
            while integrator.t < min(x[0] + count * step, integrator.t_end) - integrator.resolution:
                self.due = x[0] + count * step
                self._advance()
                self._sample()
                count = max(count, int(np.ceil((integrator.t - x[0] - integrator.resolution) / step)))
        finally:
            self.due, self.h = np.inf, step
            self._step_as(setting, step)
        self.singularities.leave_behind(x)
        return True

    def _step_as(self, setting: Setting, fixed: float | None) -> None:
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

    def _trial_step(self) -> float:
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
