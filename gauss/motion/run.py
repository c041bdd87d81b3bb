"""`Run`: one simulation from its start to whatever ends it, step by step."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gauss.errors import GaussError, InputError, described
from gauss.foundation.arrays import Array
from gauss.foundation.outcomes import FINISHED
from gauss.foundation.progress import Bar, NoProgress
from gauss.foundation.threads import one_by_one
from gauss.motion.contacts.friction import ModeChange
from gauss.motion.events.event import Event
from gauss.motion.events.stalling import Stop
from gauss.motion.integrator import RECENT, Beginning, Integrator, Laws
from gauss.motion.many_steps import ManySteps
from gauss.motion.record.checkpoint import UNDER_WAY, Checkpoint
from gauss.motion.record.trajectory import Ending, Trajectory, taken_apart
from gauss.motion.remembered import kept, packed, put, unpacked
from gauss.motion.segments import begin, note_sample, watch
from gauss.motion.single_steps import SingleSteps
from gauss.motion.steps.sampled import held_setting
from gauss.motion.steps.step_certificate import certified_once
from gauss.motion.steps.steppers import FusedStepper, Setting
from gauss.numerics.runge_kutta import RADAU


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
        report: Bar | NoProgress,
        x: Array,
        beginning: Beginning,
        laws: Laws,
        checkpoint: Checkpoint | None = None,
    ):
        if beginning.locked is not None and setting.tableau.name == RADAU.name:
            raise InputError(f"{setting.system.name!r} starts on a locked position, which needs method='dop853'.")
        fixed = None if setting.tableau.adaptive else step
        held = held_setting(setting, x)
        self.integrator = Integrator(held, solver, events, t_end, fixed, x, beginning, laws)
        self.single = SingleSteps(setting, self.integrator, step, max_step)
        self.many = ManySteps(self.single)
        self.held, self.singularities = self.single.held, self.single.singularities
        if self.held is not None:
            note_sample(self.integrator, self.held)
        self.beginning, self.report, self.checkpoint = beginning, report, checkpoint
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
                self._step()
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

    def _step(self) -> None:
        """Take a step, or many at once where what happens in them can be told of many."""
        single, many, stepper = self.single, self.many, self.integrator.stepper
        if not isinstance(stepper, FusedStepper) or not many.foreseen:
            single.advance()
            single.sample()
        elif single.fixed is not None and not self.singularities.wary:
            many.march(stepper)
        elif single.fixed is not None or not many.leap(stepper):
            single.advance()

    def _begin(self) -> None:
        """Resolve what happens at the start, and leave it."""
        integrator, beginning = self.integrator, self.beginning
        begin(integrator, ModeChange(released=beginning.opening))
        if beginning.a0 is None and len(integrator.monitors):
            values = integrator.monitors.values(integrator.x, integrator.stepper)
            integrator.monitors.require_finite(values, integrator.x)
        self.started = True
        if beginning.a0 is not None:
            self.singularities.leave(beginning.a0, beginning.obliged, beginning.guide)
        self.many.turn_to_series(0)

    def _stop(self, ending: Ending) -> None:
        """End the run at the current state, with that state."""
        self.ending = ending
        if self.many.whole:
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
        return self.integrator.trajectory(self.ending, self.single.setting)

    # ------------------------------------------------------------------ going on

    def _so_far(self) -> Trajectory:
        """Return the motion up to a checkpoint."""
        self.integrator.fold()
        ending = Ending("interrupted", f"{UNDER_WAY} at t = {self.integrator.t:.9g} s")
        return self.integrator.trajectory(ending, self.single.setting)

    @property
    def settled(self) -> dict[str, Any]:
        """What beside the motion a run that is complete is known by, as plain data."""
        held, system = self.held, self.integrator.system
        control = None if held is None else packed(held.asked(system, len(held.states)))
        return {"careful": self.single.setting.careful, "control": control}

    def _remembered(self) -> Callable[[], dict[str, Any]]:
        """Return what makes plain data of what the run remembers now, between two steps."""
        integrator, held = self.integrator, self.held
        integrator.verify()
        now = {
            "run": kept(self.many) | kept(self.single),
            "stepper": kept(integrator.stepper),
            "monitors": kept(integrator.monitors),
        }
        lists = {"blocks": integrator.blocks[-RECENT:], "log": [*integrator.log], "windows": [*integrator.windows]}
        asked, careful = 0 if held is None else len(held.states), self.single.setting.careful

        def plain() -> dict[str, Any]:
            control = None if held is None else packed(held.asked(integrator.system, asked))
            return now | {name: packed(x) for name, x in lists.items()} | {"careful": careful, "control": control}

        return plain

    def go_on(self, plain: dict[str, Any], recorded: Trajectory) -> int:
        """Remember what `_remembered` has returned, and go on behind what was recorded; return the count of states.

        Raises KeyError, TypeError and ValueError for anything else, InputError where a sampled control does not return
        what it returned.
        """
        integrator, single = self.integrator, self.single
        own = dict[str, object](system=integrator.system)
        if self.held is not None:
            self.held.go_on(integrator.system, **unpacked(plain["control"], own))
        single.setting = replace(single.setting, careful=bool(plain["careful"]))
        x = unpacked(plain["run"]["integrator"]["x"], own)
        integrator.use(held_setting(single.setting, x))
        own["setting"] = integrator.setting
        for steps in (self.many, single):
            put(steps, plain["run"], own)
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
