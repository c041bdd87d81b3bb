"""`Run`: the segments, steps and events of one simulation, recorded as they happen."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gauss.arrays import Array
from gauss.contact import pressing_rows, resolve_impact
from gauss.dynamics import judged
from gauss.errors import GaussError
from gauss.motion.crossing import Outlook, crossing_in, verdict_near, window_from, windows_across
from gauss.motion.escape import vanished
from gauss.motion.guards import Guards, Stop
from gauss.motion.locked import LockedStepper
from gauss.motion.monitors import Event, Monitors
from gauss.motion.progress import Bar, Silent
from gauss.motion.quadratic import StepSolver
from gauss.motion.redundant import bearing_contacts
from gauss.motion.steppers import FusedStepper, Setting, Stepper, stepper_of
from gauss.motion.trajectory import (
    Block,
    Description,
    Ending,
    MotionEvent,
    Trajectory,
    assemble,
    with_all_rows,
)
from gauss.motion.window import KEEP_OFF, Window, WindowStepper, projected, record_in
from gauss.principle import GaussProblem
from gauss.principle.metric import metric_of
from gauss.principle.problem import CONTACT_TOLERANCE, closed_rows, row_size
from gauss.regularity import diagnose
from gauss.state import State

BLOCKS = (512, 64)  # equal steps taken in one compiled call where nothing is watched
LOOKS = 100  # steps are no longer than this share of the run where events or contacts are watched
PIVOT_ALARM = 1e-10  # a pivot (squared sine between rows) below this sends the state to the singular values
REPEATS = 5  # of the projection after a step, where it has not converged
RESIDUAL = 1e-7  # largest acceptable certificate residual, relative to the acceleration in the mass metric
JUDGED = ("row residual", "stationarity residual", "off position", "off velocity")
OFF = 1e-12  # largest acceptable distance off the constraints after projection, relative to the state
FIXED_AHEAD = 8.0  # fixed steps within which a singular position must be expected for a window to be tried
FEW = 200  # coordinates times rows up to which each step looks for rows that have turned round
SHORTEST = 0.05  # share of the time |q|/|v| that is not too long for a window
AT_ONCE = 0.05  # share of a step: nearer singular positions are left by a window that starts there
REDUNDANT = 1e-9  # largest distance off the constraints of rows that count as redundant, relative to the state
SMALLEST = 1e-13  # steps below this share of the largest time of the run are not taken


@dataclass(frozen=True)
class Beginning:
    """How a motion starts."""

    base: tuple[int, ...]  # independent equality rows
    a0: Array | None = None  # (n,) the acceleration at a start on or near a singular position that the motion leaves
    obliged: bool = True  # whether it must be left by a window; a start that is only near has its ordinary rows
    locked: int | None = None  # the rank at a start on a locked position, where the motion stays


class Run:
    """One simulation: the current state, the rows in force, and everything recorded so far."""

    def __init__(
        self,
        setting: Setting,
        solver: str,
        events: tuple[Event, ...],
        t_end: float,
        step: float | None,
        max_step: float | None,
        report: Bar | Silent,
    ):
        self.setting, self.events, self.t_end, self.report = setting, events, t_end, report
        self.system = setting.system
        self.fixed = None if setting.tableau.adaptive else step
        self.h = step
        watching = bool(events) or bool(self.system.model.unilateral)
        self._functions = [self.system.model.event(e.function, f"event {e.name!r}") for e in events]
        self.max_step = max_step if max_step is not None else np.inf
        self._look_often = watching and max_step is None
        self.solver = StepSolver(setting, solver)
        self.x: Array = np.zeros(0)
        self.base: tuple[int, ...] = self.system.model.equality  # independent equality rows
        self.locked: int | None = None  # rank of the rows where the motion stays on a locked position
        self.rows: tuple[int, ...] = ()  # independent rows in force
        self.stepper: Stepper
        self.monitors: Monitors
        self.span = self.resolution = 0.0
        self.ending = Ending("finished", "the end time was reached")
        self._memory = np.zeros(len(events)), np.zeros(len(events))  # what monitors hand on to the next segment
        self._blocks: list[Block] = []
        self._log: list[MotionEvent] = []
        self._guards = Guards(0.0)
        self._windows: list[Window] = []
        self._outlook = Outlook()
        self._no_window_before = -np.inf  # time up to which windows have been tried in vain

    # ------------------------------------------------------------------ the story

    def go(self, x: Array, beginning: Beginning) -> None:
        """Run from the state x to the end, whatever ends it."""
        self.base, self.locked = beginning.base, beginning.locked
        self.x, self.span = x, self.t_end - float(x[0])
        self._guards = Guards(self.span)
        self.resolution = SMALLEST * max(abs(float(x[0])), abs(self.t_end))
        if self._look_often:
            self.max_step = self.span / LOOKS
        self.rows = self.base
        self.stepper = self._stepper()
        try:
            self._begin_segment(())
            if beginning.a0 is None:
                self.monitors.require_finite(self.monitors.values(self.x, self.stepper), self.x)
            else:
                self._leave(beginning.a0, beginning.obliged)
            while self.x[0] < self.t_end - self.resolution:
                if self.fixed is not None and len(self.monitors) == 0 and isinstance(self.stepper, FusedStepper):
                    self._march(self.stepper)
                else:
                    self._advance()
                self.report((float(self.x[0]) - self.t_end) / self.span + 1.0)
            self._record_here()
        except Stop as stop:
            self.ending = stop.ending
            self._record_here()
        except GaussError as error:
            if not self._blocks:
                raise
            self.ending = Ending("failed", f"{type(error).__name__}: {error}")

    def interrupt(self) -> None:
        """End the run at what has been recorded."""
        self.ending = Ending("interrupted", f"interrupted at t = {self.x[0]:.9g} s; what was computed is kept")
        if not self._blocks or not np.array_equal(self._blocks[-1].states[-1], self.x):
            with contextlib.suppress(KeyboardInterrupt):  # interrupted again: the last state is given up
                self._record_here()

    def trajectory(self) -> Trajectory:
        """Return everything recorded so far."""
        model = self.system.model
        about = Description(
            system=self.system.name,
            coordinates=self.system.coordinates,
            rows=model.names,
            kinds=model.kinds,
            parameters=dict(self.system.parameters),
            controls=dict(zip(self.system.controls, self._constants(), strict=True)),
            feedback=self.setting.control is not None,
            method=self.setting.tableau.name,
            solver=self.solver.solver,
            rtol=self.setting.rtol,
            qp_count=self.solver.count,
            has_potential=self.system.kinetic_energy is not None,
            locked=self.locked,
            redundant=tuple(model.names[k] for k in model.equality if k not in self.base),
        )
        events = tuple(sorted(self._log, key=lambda event: event.t))
        return assemble(about, self.setting, self._blocks, events, self.ending, tuple(self._windows))

    # ------------------------------------------------------------------ segments

    def _state(self) -> State:
        n = self.system.n
        return State(self.x[1 : n + 1], self.x[n + 1 :], float(self.x[0]))

    def _constants(self) -> list[float]:
        """Return the constant controls."""
        return [float(u) for u in self.setting.theta[len(self.system.parameters) :]]

    def _control(self) -> Array:
        state = self._state()
        return self.setting.parameters_at(state.t, state.q, state.v)[len(self.system.parameters) :]

    def _stepper(self) -> Stepper:
        """Return the stepper for the rows in force."""
        if self.locked is not None:
            return LockedStepper(self.setting, self.rows, self.locked)
        return stepper_of(self.setting, self.rows)

    def _begin_segment(self, released: tuple[int, ...], settled: tuple[int, ...] = ()) -> None:
        """Resolve impacts at the current state, let the quadratic program choose the pressing rows, set up.

        `settled` are contacts whose rebound is too small to be followed; they count as closed.
        """
        model = self.system.model
        pressing: tuple[int, ...] = ()
        if model.unilateral:
            before = self.x
            closed = tuple(sorted({*self._after_impacts(), *settled}))
            if self.x is not before:  # an impact has changed the velocities, and with them the reactions
                released = ()
            pressing, solution = pressing_rows(self.system, self._state(), closed, released, self._control())
            metric = metric_of(solution.problem)
            pressing = bearing_contacts(self.system, self._state(), metric, self.base, pressing, solution.multipliers)
            self._guards.change(float(self.x[0]))
        self.rows = tuple(sorted((*self.base, *pressing)))
        self.stepper = self._stepper()
        self.monitors = Monitors(
            self.system, self.events, self._functions, self.rows, self.setting.theta, *self._memory
        )

    def _after_impacts(self) -> tuple[int, ...]:
        """Resolve the impact of a closing contact, if there is one; return the contacts that are then closed."""
        state = self._state()
        terms = self.system.model.terms(state.q, state.v, state.t, self.setting.theta)
        closed = closed_rows(self.system, terms.phi, terms.psi, terms.J, state)
        speed = CONTACT_TOLERANCE * row_size(terms.J, state.v)
        hitting = [k for k in closed if terms.psi[k] < -speed[k]]
        if not hitting:
            return closed
        if len(hitting) > 1:
            names = ", ".join(repr(self.system.row_names[k]) for k in hitting)
            raise Stop(
                "simultaneous",
                f"the contacts {names} close at the same time t = {state.t:.12g} s; what then happens depends on the"
                " order of the impacts, and one restitution coefficient each does not determine it",
            )
        if not self._blocks:
            self._record_here()
        k = hitting[0]
        impact = resolve_impact(self.system, state, k, [c for c in closed if c != k])
        self.x = np.concatenate([[state.t], state.q, impact.v])
        self._log.append(MotionEvent(state.t, "impact", impact.row, -float(terms.psi[k]), impact.energy_loss))
        self._guards.chatter(impact.row, self._log)
        return self._after_impacts()

    # ------------------------------------------------------------------ steps

    def _march(self, stepper: FusedStepper) -> None:
        """Take many equal steps in one call while they fit; the last steps of the run are taken one by one."""
        assert self.fixed is not None
        left = int((self.t_end - float(self.x[0])) / self.fixed - 0.5)  # the last step ends exactly at t_end
        count = next((size for size in BLOCKS if size <= left), 0)
        if not count:
            self._advance()
            return
        states, records = stepper.march(self.x, self.fixed, count)
        good = self._certified(states, records)
        accepted = count if np.all(good) else int(np.argmin(good))
        ahead = self._dip(records)
        if ahead is not None and ahead <= accepted:
            if ahead:
                self._record(np.concatenate([self.x[None], states[: ahead - 1]]), records[:ahead])
                self.x = states[ahead - 1]
            if not self._cross(FIXED_AHEAD * self.fixed):
                self._advance()
            return
        if accepted:
            self._record(np.concatenate([self.x[None], states[: accepted - 1]]), records[:accepted])
            self.x = states[accepted - 1]
        if accepted < count:
            self._alarm()
            self._advance()

    def _dip(self, records: Array) -> int | None:
        """Return the first of equal steps that should begin a window, as the rows head for dependence, or None."""
        assert self.fixed is not None
        sines = np.sqrt(np.maximum(records[:, -9], 0.0))
        falling = sines[:-1] - sines[1:]
        with np.errstate(divide="ignore", invalid="ignore"):
            soon = (falling > 0.0) & (sines[1:] / falling < FIXED_AHEAD)
        times = float(self.x[0]) + self.fixed * np.arange(1, len(records))
        soon &= times > self._no_window_before
        return int(np.argmax(soon)) + 1 if np.any(soon) else None

    def _advance(self) -> None:
        """Take one step, located at the first event inside it."""
        self._guards.step(float(self.x[0]))
        left = self.t_end - float(self.x[0])
        h = min(self.fixed or self._trial_step(), left)
        if left - h < 1e-9 * h:
            h = left
        watched = self.rows and self.locked is None and self.x[0] > self._no_window_before
        if watched and self._cross(h if self.fixed is None else FIXED_AHEAD * self.fixed):
            return
        following, record = self.stepper.step(self.x, h)
        error = float(record[-1])
        if self.fixed is None and not error <= 1.0:  # too large, or nan
            if not record[-5] > PIVOT_ALARM:
                self._alarm()
            self._reject(h, error)
            return
        following, record = self._projected_again(following, record)
        if not self._certified(following[None], record[None])[0]:
            self._alarm()
            if self.fixed is None and h > 1e-6 * self.span:
                self._reject(h, np.inf)
                return
            if record[-5] <= PIVOT_ALARM:
                raise self._singular_ahead(record, h)
            why = self.stepper.trouble or self._objection(following, record)
            remedy = "; take a smaller step" if self.fixed is not None else ""
            raise Stop("failed", f"no certified step from t = {self.x[0]:.9g} s: {why}{remedy}")
        if watched and self._turned(following) and self._cross(h, through=following):
            return
        crossing = None
        if len(self.monitors):
            crossing = self.monitors.find(self.x, following, record, h, self.stepper)
        if crossing is not None:
            if crossing.h > 0.0:
                following, record = self.stepper.step(self.x, crossing.h)
                self._record(self.x[None], record[None])
            else:
                following = self.x
        else:
            self._record(self.x[None], record[None])
            if self.fixed is None:
                growth = 10.0 if error == 0.0 else min(10.0, 0.9 * error ** (-1 / 8))
                self.h = min(h * max(growth, 0.2), self.max_step)
        self.x = following
        self._require_redundant()
        if self.fixed is None and self.h is not None and self.h < min(h, self.resolution) and h < left:
            self._vanish(error)
        if left == h and crossing is None:
            self.x[0] = self.t_end
        if crossing is not None:
            self._handle(crossing.which)

    def _projected_again(self, following: Array, record: Array) -> tuple[Array, Array]:
        """Repeat the projection after a step too long for its two sweeps: a step of size zero projects, and no more."""
        record = record.copy()
        for _ in range(REPEATS):
            if not np.max(record[-3:-1]) > OFF * (1.0 + np.linalg.norm(following[1:])):
                break
            following, again = self.stepper.step(following, 0.0)
            record[-3:-1] = again[-3:-1]
        return following, record

    def _trial_step(self) -> float:
        """Return the step to try: the one the controller kept, or a first guess (Hairer, Nørsett, Wanner I, §II.4)."""
        if self.h is None:
            n, s = self.system.n, self.setting
            a, _ = self.stepper.accelerate(self.x)
            y, f = self.x[1:], np.concatenate([self.x[n + 1 :], a])
            scale = s.atol + s.rtol * np.abs(y)
            d0, d1 = np.linalg.norm(y / scale), np.linalg.norm(np.nan_to_num(f) / scale)
            self.h = float(0.01 * d0 / d1) if d0 > 1e-5 and d1 > 1e-5 else 1e-6 * self.span
        return float(min(self.h, self.max_step))

    def _reject(self, h: float, error: float) -> None:
        """Make the step smaller, or stop where it cannot be."""
        factor = 0.1 if not np.isfinite(error) else max(0.2, 0.9 * error ** (-1 / 8))
        self.h = h * factor
        if self.h < self.resolution:
            self._vanish(error)

    def _vanish(self, error: float) -> None:
        """Stop a run whose step size went to zero, saying why; `error` is that of the last step tried."""
        n, t = self.system.n, float(self.x[0])
        ending = vanished(self._blocks, n, t, self.resolution, error, self.stepper.trouble)
        if ending.kind != "escape":  # on an escape numbers may be too large for a verdict on the rows
            with contextlib.suppress(GaussError):
                self._alarm()
                verdict = verdict_near(self.system, self._state(), self._control())
                if verdict is not None:
                    raise Stop("singular", f"at t = {t:.12g} s the motion ends at a singular position. {verdict}")
        raise Stop(ending.kind, ending.message, ending.limit)

    def _certified(self, states: Array, records: Array) -> NDArray[np.bool_]:
        """Return which steps are certified: finite, pivots away from zero, residuals and distances at rounding."""
        values, limits = self._judged(states, records)
        with np.errstate(invalid="ignore"):
            good = (records[:, -5] > PIVOT_ALARM) & np.all(values <= limits, axis=0)
        return np.asarray(good & np.all(np.isfinite(states), axis=1))

    def _judged(self, states: Array, records: Array) -> tuple[Array, Array]:
        """Return the residuals and distances of steps (4, k), in the order of `JUDGED`, and their limits."""
        n = self.system.n
        zwang, primal, dual, _, _, off_q, off_v, _ = records[:, -8:].T
        size = 1.0 + np.sqrt(np.abs(zwang)) + np.linalg.norm(records[:, :n], axis=1)
        place = 1.0 + np.linalg.norm(states[:, 1 : n + 1], axis=1)
        speed = 1.0 + np.linalg.norm(states[:, n + 1 :], axis=1)
        limits = np.array([RESIDUAL * size, RESIDUAL * size, OFF * place, OFF * speed])
        return np.array([primal, dual, off_q, off_v]), limits

    def _alarm(self) -> None:
        """Judge the current state, and stop if its rows are dependent."""
        if self.locked is not None:
            return
        verdict = judged(self.system, self._state(), self._control())
        if not set(verdict.verdicts) <= {"regular", "redundant"}:
            raise Stop("singular", f"at t = {self.x[0]:.9g} s the position is {verdict.sentence}")

    def _singular_ahead(self, record: Array, h: float) -> Stop:
        """Return the end of a run whose next step leads onto a rank-deficient position, naming the rows."""
        state, n = self._state(), self.system.n
        a = np.nan_to_num(record[:n])
        ahead = State(state.q + h * state.v + h * h * a / 2, state.v + h * a, state.t + h)
        weakest = diagnose(GaussProblem.at(self.system, ahead, self._control())).weakest
        names = " + ".join(repr(name) for name in weakest)
        return Stop(
            "singular",
            f"between t = {state.t:.9g} and {ahead.t:.9g} s the motion comes to a rank-deficient position, where the"
            f" rows {names} become dependent (smallest pivot {record[-5]:.2g})",
        )

    def _objection(self, following: Array, record: Array) -> str:
        """Return what refuses a step, with its limit, for a message."""
        values, limits = self._judged(following[None], record[None])
        parts = [
            f"{name} {value:.2g} (limit {limit:.2g})"
            for name, value, limit in zip(JUDGED, values[:, 0], limits[:, 0], strict=True)
            if not value <= limit
        ]
        if not record[-5] > PIVOT_ALARM:
            parts.append(f"pivot {record[-5]:.2g} (limit {PIVOT_ALARM:.2g})")
        return ", ".join(parts) or "the state after it is not finite"

    # ------------------------------------------------------------------ singular positions

    def _turned(self, following: Array) -> bool:
        """Whether a row has turned round in a step, as it does where it vanishes in between."""
        n, rows = self.system.n, list(self.rows)
        if n * len(rows) > FEW:
            return False
        before, after = (
            self.system.model.terms(x[1 : n + 1], x[n + 1 :], float(x[0]), self.setting.theta).J[rows]
            for x in (self.x, following)
        )
        return bool(np.any(np.sum(before * after, axis=1) < 0.0))

    def _cross(self, h: float, through: Array | None = None) -> bool:
        """Pass through the singular position that is expected within a step or so, if there is one.

        Steps that something else keeps short do not make windows short, where the rows are nearly dependent throughout.
        """
        n = self.system.n
        size, speed = (float(np.linalg.norm(part)) for part in (self.x[1 : n + 1], self.x[n + 1 :]))
        h = max(h, min(SHORTEST * size / speed, self.t_end - float(self.x[0])) if speed > 0.0 else 0.0)
        time = self._outlook.expected(self.stepper, self.x, h)
        if time is None and through is not None:
            here, there = (self._outlook.indicator(self.stepper, x) for x in (self.x, through))
            time = float(through[0] - self.x[0]) * here / (here + there) if here + there > 0.0 else None
        if time is None or time < self.resolution:
            return False
        window = None
        if time < AT_ONCE * h:
            verdict = judged(self.system, self._state(), self._control())
            if verdict.solution is not None:
                window = window_from(self.stepper, self.x, verdict.solution.a, 10.0 * h, self.setting.rtol)
        else:
            window = next(windows_across(self.stepper, self.x, time, h, self.setting.rtol), None)
        if window is None:
            self._no_window_before = float(self.x[0]) + time / 2.0
            return False
        self._take(window)
        return True

    def _leave(self, a0: Array, obliged: bool) -> None:
        """Leave a singular position at the start with a given acceleration."""
        window = window_from(self.stepper, self.x, a0, self.span, self.setting.rtol)
        if window is None and not obliged:
            return
        if window is None:
            raise Stop(
                "singular",
                f"the motion does not leave the singular position at t = {self.x[0]:.9g} s on a smooth branch with the"
                " acceleration given by the conditions of order 4",
            )
        self._take(window)

    def _take(self, window: Window) -> None:
        """Record the motion in a window, up to an event that changes the rows in force, and go on from there."""
        crossing = crossing_in(window, self.stepper)
        self._windows.append(window)
        try:
            self._through(window)
        finally:
            left = float(self.x[0])
            self._windows[-1] = replace(window, end=min((left - window.t) / window.h, 1.0))
            if crossing is not None and crossing.t <= left:
                place, name = tuple(crossing.q.tolist()), " + ".join(crossing.rows)
                event = MotionEvent(crossing.t, "singular", name, crossing.sigma_min, q=place, verdict=crossing.verdict)
                self._log.append(event)

    def _through(self, window: Window) -> None:
        """Record the motion in a window; what the user watches is logged on the way."""
        stepper, monitors = WindowStepper(window, self.stepper), self.monitors
        for t in self._times_in(window):
            while self.x[0] < t:
                following = projected(window, stepper.inner, (t - window.t) / window.h)
                record, away = self._window_record(window), self._away(window)
                found = None
                if len(monitors):
                    found = monitors.find(self.x, following, record, t - float(self.x[0]), stepper)
                self._record(self.x[None], record[None], solve=away)
                if found is None:
                    self.x = following
                    self.x[0] = t
                    continue
                self.x = stepper.step(self.x, found.h)[0] if found.h > 0.0 else self.x
                self._handle(found.which)
                if self.monitors is not monitors:
                    return

    def _away(self, window: Window) -> bool:
        """Whether the current state of a window is away from the singular position in it."""
        return abs((float(self.x[0]) - window.t) / window.h - window.singular) >= KEEP_OFF

    def _times_in(self, window: Window) -> list[float]:
        """Return the times in a window at which its motion is recorded, and where it ends."""
        end = min(window.t + window.h, self.t_end)
        if self.fixed is None:
            inner: Array = window.t + window.h * window.nodes
        else:
            count = int((end - window.t) / self.fixed + 1e-9)
            inner = np.asarray(window.t + self.fixed * np.arange(1, count + 1), dtype=float)
            if end < self.t_end and inner.size:
                end = float(inner[-1])
        slack = 1e-9 * window.h
        return [*(float(t) for t in inner if window.t + slack < t < end - slack), end]

    def _window_record(self, window: Window) -> Array:
        """Return the record of the current state in a window; near dependence with the polynomial's acceleration."""
        _, record = self.stepper.step(self.x, 0.0)
        return record if self._away(window) else record_in(window, self.setting, self.rows, self.x, record)

    def _require_redundant(self) -> None:
        """Stop where rows that were left out as redundant are no longer satisfied."""
        out = [k for k in self.system.model.equality if k not in self.base]
        if not out:
            return
        state = self._state()
        terms = self.system.model.terms(state.q, state.v, state.t, self.setting.theta)
        length = np.asarray(np.linalg.norm(terms.J[out], axis=1), dtype=float)
        length = np.where(length > 0.0, length, 1.0)
        place, speed = 1.0 + np.linalg.norm(state.q), 1.0 + np.linalg.norm(state.v)
        bad = (np.abs(terms.phi[out]) / length > REDUNDANT * place) | (
            np.abs(terms.psi[out]) / length > REDUNDANT * speed
        )
        if np.any(bad):
            names = ", ".join(repr(self.system.row_names[k]) for k, wrong in zip(out, bad, strict=True) if wrong)
            raise Stop(
                "singular",
                f"at t = {state.t:.9g} s the rows {names}, redundant so far, are no longer satisfied by the motion that"
                " the other rows allow: the rank of the constraints changes here",
            )

    # ------------------------------------------------------------------ events and records

    def _handle(self, which: tuple[int, ...]) -> None:
        """Log what crossed; end the segment where the active rows change, or the run at a terminal event."""
        monitors, t = self.monitors, float(self.x[0])
        opened, pressing = len(monitors.open), len(monitors.pressing)
        released: list[int] = []
        settled: list[int] = []
        closing = False
        for i in which:
            if i < opened:
                closing = True
                row = monitors.open[i]
                terms = self.system.model.terms(*self._split(), self.setting.theta)
                if terms.psi[row] >= -CONTACT_TOLERANCE * row_size(terms.J, self._split()[1])[row]:
                    settled.append(row)
                    self._log.append(MotionEvent(t, "contact", self.system.row_names[row]))
            elif i < opened + pressing:
                row = monitors.pressing[i - opened]
                released.append(row)
                self._log.append(MotionEvent(t, "release", self.system.row_names[row]))
            else:
                event = monitors.events[i - opened - pressing]
                self._log.append(MotionEvent(t, "event", event.name))
                if event.terminal:
                    raise Stop("event", f"event {event.name!r} at t = {t:.12g} s")
        if closing or released:
            self._memory = monitors.memory
            self._record_here()
            self._begin_segment(tuple(released), tuple(settled))

    def _split(self) -> tuple[Array, Array, float]:
        state = self._state()
        return state.q, state.v, state.t

    def _record_here(self) -> None:
        """Record the current state with the acceleration of the rows in force, or of the window that it lies in."""
        window = self._windows[-1] if self._windows else None
        if window is not None and window.t < self.x[0] <= window.t + window.h:
            self._record(self.x[None], self._window_record(window)[None], solve=self._away(window))
            return
        _, record = self.stepper.step(self.x, 0.0)
        self._record(self.x[None], record[None])

    def _record(self, states: Array, records: Array, solve: bool = True) -> None:
        """Keep states with the records of the steps that left them; the solver solves each one's program."""
        n = self.system.n
        distance = np.zeros(len(states))
        if self.solver.solver != "kkt" and solve and self.locked is None:
            for i, (x, record) in enumerate(zip(states, records, strict=True)):
                distance[i] = self.solver.distance(x, record[:n], self.rows)
        self._blocks.append(with_all_rows(self.setting, Block(states, records, self.rows, distance)))
