"""`Integrator`: what a simulation is at now, its state and the rows in force, and everything recorded on the way."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from gauss.contact import in_space
from gauss.dynamics import judged
from gauss.errors import SolverError
from gauss.foundation.arrays import Array
from gauss.foundation.tolerances import EPS, RESTS
from gauss.model.compiled import Terms
from gauss.model.state import State
from gauss.motion.contacts.friction import ContactModes
from gauss.motion.events.event import Event
from gauss.motion.events.monitors import Monitors
from gauss.motion.events.stalling import Guards
from gauss.motion.record.blocks import StepBlock, followed_by, joined, with_all_rows
from gauss.motion.record.described import described_contacts
from gauss.motion.record.trajectory import Description, Ending, MotionEvent, Trajectory, assemble
from gauss.motion.singular.collocation import Window, record_in
from gauss.motion.singular.derived import locked_stepper
from gauss.motion.singular.tangent_branches.guided import Guide
from gauss.motion.steps.quadratic import StepSolver
from gauss.motion.steps.sampled import ZeroOrderHold
from gauss.motion.steps.setting import sliding_forces
from gauss.motion.steps.staged import CarefulStepper
from gauss.motion.steps.steppers import (
    Setting,
    Slide,
    Stepper,
    careful,
    redirected,
    refine,
    sliding_force,
    stepper_of,
)
from gauss.motion.steps.waiting import MOST, SHORT, Waiting, left_over
from gauss.principle.contact_sizes import ContactSizes, contact_sizes
from gauss.uniqueness import Verdict

RECENT = 12  # states from which a place where branches touch is extrapolated, and blocks that they are looked for in
SMALLEST = 1e-13  # steps below this share of the largest time of the run are not taken


@dataclass(frozen=True)
class Beginning:
    """How a motion starts."""

    base: tuple[int, ...]  # independent equality rows
    a0: Array | None = None  # (n,) the acceleration at a start on or near a singular position that the motion leaves
    obliged: bool = True  # whether it must be left by a window; a start that is only near has its ordinary rows
    locked: int | None = None  # the rank at a start on a locked position, where the motion stays
    directions: int | None = None  # how many directions are locked there, where that is known
    guide: Guide | None = None  # the branch that it leaves a singular position on, where the rows do not tell
    opening: tuple[int, ...] = ()  # closed contacts that do not press as the motion leaves a singular position
    clear: bool = False  # whether the start is so far from a singular position as `clear_at` wants it


class Laws(NamedTuple):
    """What is to happen at impacts, as options of `simulate`."""

    impacts: str
    paradox: str
    allow_energy_gain: bool


class Integrator:
    """The current state of one simulation, the rows in force, and everything recorded so far."""

    KEPT: tuple[str, ...] = (
        *("x", "base", "rows", "slides", "modes", "decided", "settled", "count", "noted", "memory", "guards", "solver"),
        *("_told", "_pull"),
    )
    stepper: Stepper
    monitors: Monitors

    def __init__(
        self,
        setting: Setting,
        solver: str,
        events: tuple[Event, ...],
        t_end: float,
        fixed: float | None,
        x: Array,
        beginning: Beginning,
        laws: Laws,
    ):
        self.setting, self.system, self.events, self.t_end, self.fixed = setting, setting.system, events, t_end, fixed
        self.solver = StepSolver(setting, solver)
        self.functions = [self.system.model.event(e.function, f"event {e.name!r}") for e in events]
        self.x = x  # (2n+1,) t, q, v
        self.start = State(x[1 : self.system.n + 1], x[self.system.n + 1 :], float(x[0]))
        self.base = beginning.base
        self.clear = beginning.clear
        self.locked = beginning.locked
        self.directions = beginning.directions
        self.span = t_end - float(x[0])
        self.resolution = SMALLEST * max(abs(float(x[0])), abs(t_end))
        self.guards = Guards(self.span)
        self.memory = np.zeros(len(events)), np.zeros(len(events))  # what monitors hand on to the next segment
        self.before: dict[str, Array] = {}  # what was recorded before the blocks, by the fields of a trajectory
        self.blocks: list[StepBlock] = []
        self.count = 0  # recorded states
        self.log: list[MotionEvent] = []
        self.windows: list[Window] = []
        self.settled = False  # whether the rows in force are those of the current state
        self._told = 0  # events in the log when the last state was recorded
        self._waiting: list[Waiting] = []  # states in the last blocks whose programs are still to be solved
        self.law, self.paradox, self.allow_energy_gain = laws
        self.contacts, self.in_space = self.system.contacts, in_space(self.system)
        self.modes = ContactModes()
        self._pull: Array | None = None  # (m,) largest accelerations of the rows by the forces at events so far
        self._terms: tuple[bytes, Terms] | None = None  # the last terms, and the state they belong to
        self._sizes: tuple[bytes, ContactSizes] | None = None  # the last sizes, and the state they belong to
        self.pressed: dict[tuple[Any, ...], tuple[int, ...]] = {}  # by program, the contacts that carry its reaction
        self.watched: dict[tuple[int, ...], Monitors] = {}  # by rows in force, without the memory of user events
        self.decided = not self.contacts  # whether the modes of the contacts have been decided
        self.noted = 0  # impacts so far with several contacts closed
        self.enforce(self.base)

    def enforce(self, rows: tuple[int, ...], slides: tuple[Slide, ...] = ()) -> None:
        """Put independent rows in force, and friction of sliding contacts."""
        self.rows, self.slides = rows, slides
        if self.locked is not None:
            self.stepper = locked_stepper(self.setting, rows, self.locked, self.start, self.directions)
        else:
            self.stepper = stepper_of(self.setting, rows, slides)

    def care(self) -> bool:
        """Go on by orthogonal factors of the rows, which are nearly dependent; return whether that is another way."""
        if careful(self.stepper) is None:
            return False
        self.use(replace(self.setting, careful=True))
        self.enforce(self.rows)
        return True

    @property
    def stepper_note(self) -> str:
        """What rounding has left open, where rows are nearly dependent; mostly nothing."""
        if not isinstance(self.stepper, CarefulStepper):
            return ""
        left = EPS / max(self.stepper.least, EPS)
        sine = f"as rows differ by a sine of {self.stepper.least:.2g}"
        return f"; rounding leaves about {left:.1g} of its accelerations open, {sine}"

    def take_up(self, after: ContactModes, note: str = "") -> None:
        """Let contacts go on in modes that have been decided; `note` says what else could happen.

        At the start of a run only a slip that begins there, from rest, is an event.
        """
        resting = [] if self.blocks else self._resting(after)
        changed = [
            j
            for j, mode in after.modes.items()
            if self.contacts[j].static != 0.0
            and mode != (self.modes.modes.get(j) if self.blocks else "stick" if j in resting else mode)
        ]
        for j in changed or (list(after.modes)[:1] if note else []):  # one must tell what else could happen
            mode = after.modes[j]
            kind, value = ("stick", 0.0) if mode == "stick" else ("slip", 1.0 if mode == "slip+" else -1.0)
            if mode == "slip":
                value = next((float(np.arctan2(*s.way[::-1])) for s in after.slides if s.contact == j), 0.0)
            self.log.append(MotionEvent(self.t, kind, self.contacts[j].name, value, verdict=note))
        self.modes, self.decided = after, True
        self.enforce(tuple(sorted((*self.base, *after.closed, *after.held))), after.slides)

    def _resting(self, after: ContactModes) -> list[int]:
        """Return the contacts that touch without slipping now; dry pins, whose turns are logged, are left out."""
        terms = self.terms
        least = self.sizes(terms).rate(RESTS)
        touching = [(j, self.contacts[j]) for j in after.modes]
        return [j for j, c in touching if c.pin is None and all(abs(terms.psi[k]) <= least[k] for k in c.slip)]

    def redirect(self) -> None:
        """Let the friction of contacts that slide in space follow the direction in which they slip now."""
        turned = redirected(self.setting, self.x, self.slides)
        if turned == self.slides:
            return
        self.modes = replace(self.modes, slides=turned)
        self.enforce(self.rows, turned)
        self.monitors.follow(self.modes)

    @property
    def terms(self) -> Terms:
        """The terms of the model now; they are not to be written to."""
        if self._terms is None or self._terms[0] != self._place:
            state = self.state
            self._terms = self._place, self.system.model.terms(state.q, state.v, state.t, self.setting.theta)
        return self._terms[1]

    @property
    def _place(self) -> bytes:
        """The state and the parameters now, which what is kept of them belongs to."""
        return self.x.tobytes() + self.setting.theta.tobytes()

    def sizes(self, terms: Terms) -> ContactSizes:
        """Return the natural sizes of gaps, rates and slips now."""
        kept, x = self._sizes, self._place
        if kept is not None and kept[0] == x:
            return kept[1]
        state, theta = self.state, self.setting.theta
        force = None if self.system.black_box_force is None else self.setting.untraced_force(self.t, state.q, state.v)
        found = contact_sizes(self.system, state, terms, theta, span=self.span, force=force, pull=self._pull)
        self._pull, self._sizes = found.pull, (x, found)
        return found

    @property
    def t(self) -> float:
        """The time now."""
        return float(self.x[0])

    @property
    def state(self) -> State:
        """The state now."""
        n = self.system.n
        return State(self.x[1 : n + 1], self.x[n + 1 :], self.t)

    @property
    def control(self) -> Array:
        """The controls now."""
        return self.setting.controls_at(self.state)

    def verdict(self) -> Verdict:
        """Return the verdict on the state now, as `judged` does; a rank in doubt is that of the motion (hysteresis).

        Redundant rows are dependent on the constraints only, and a state that has drifted off them by rounding makes
        them seem independent. A rank that has dropped is seen all the same.
        """
        return judged(self.system, self.state, self.control, target=len(self.base))

    # ------------------------------------------------------------------ records

    def record(self, states: Array, records: Array, solve: bool = True) -> None:
        """Keep states with the records of the steps that left them; the solver solves each one's program."""
        n = self.system.n
        distance, shared = np.zeros(len(states)), self.modes.shared
        forces = None if shared is None else np.zeros((len(states), self.system.model.m))
        slides, carrying = (self.slides, None) if shared is None else (shared.slides, shared.rows)
        solving = self.solver.solver != "kkt" and solve and self.locked is None
        if solving and self._may_wait(len(states)):
            self._wait(states, records)
            return
        if solving and shared is None and (len(states) > 1 or not slides):
            applied = sliding_forces(self.setting, states, records[:, n : n + len(self.rows)], self.rows, slides)
            if applied is not None or not slides:
                many = self.solver.distances(states, records[:, :n], self.rows, None, applied)
                solving, distance = (solving, distance) if many is None else (False, many)
        done = 0 if solving or shared is not None else len(states)
        try:
            for i, (x, record) in enumerate(zip(states[done:], records[done:], strict=True)):
                loads, rows = record[n : n + len(self.rows)], self.rows
                if shared is not None and forces is not None:
                    loads = forces[i] = shared.forces(x, record)
                    rows = tuple(range(len(loads)))
                if solving:
                    applied = sliding_force(self.setting, x, loads, rows, slides)
                    distance[i] = self._solved(self.stepper, x, record, applied, carrying)
                done = i + 1
        finally:  # where one state fails, those before it are kept
            if done:
                forces = None if forces is None else forces[:done]
                block = StepBlock(
                    states[:done], records[:done], self.rows, distance[:done], slides, forces, carrying or ()
                )
                self.blocks.append(with_all_rows(self.setting, block))
                self.count, self._told = self.count + done, len(self.log)

    def _solved(
        self,
        stepper: Stepper,
        x: Array,
        record: Array,
        applied: Array | None = None,
        carrying: tuple[int, ...] | None = None,
    ) -> float:
        """Solve the program of a state; where its answer is another, take the record once more, refined, in place.

        `applied` (n,) is friction that counts as applied. Short steps do not ask for accurate accelerations, records
        do. Raises SolverError where that does not help.
        """
        n, k = self.system.n, len(stepper.rows)
        while True:
            try:
                return self.solver.distance(x, record[:n], stepper.rows, applied, carrying)
            except SolverError:
                if carrying is not None or not refine(stepper):
                    raise
                record[: n + k] = stepper.step(x, 0.0)[1][: n + k]

    def _may_wait(self, count: int) -> bool:
        """Whether the programs of so many states may be solved later, side by side with those of other segments."""
        setting = self.setting
        alone = self.solver.solver == "osqp" and setting.fused and not setting.careful and count < SHORT
        free = not self.slides and self.modes.shared is None and self.inside is None
        return alone and free and bool(self.blocks) and len(self.base) == len(self.system.model.equality)

    def _wait(self, states: Array, records: Array) -> None:
        """Keep states whose programs wait."""
        if len(self._waiting) >= MOST:
            self.verify()
        distance = np.zeros(len(states))
        block = StepBlock(states, records, self.rows, distance)
        told = self._told, len(self.log)
        self._waiting.append(Waiting(len(self.blocks), self.stepper, states, records, distance, told))
        self.blocks.append(block)
        self.count, self._told = self.count + len(states), len(self.log)

    def use(self, setting: Setting) -> None:
        """Go on with another setting, behind the programs that wait: they are those of the one before."""
        self.verify()
        self.setting = self.solver.setting = setting

    def verify(self) -> None:
        """Solve the programs of the states that wait.

        Raises SolverError where one has another answer: the motion then ends before its state, as it does before the
        first of them where anything else fails.
        """
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, []
        each, i = waiting[0], 0
        try:
            for each, i in left_over(self.solver, waiting):
                each.distance[i] = self._solved(each.stepper, each.states[i], each.records[i])
        except KeyboardInterrupt:
            self._waiting = waiting
            raise
        except Exception:
            self._end_before(each, i)
            raise

    def _end_before(self, ending: Waiting, i: int) -> None:
        """Leave out what was recorded from a state on."""
        last, self.x, self.settled = self.blocks[ending.block], ending.states[i], False
        kept = replace(last, states=last.states[:i], records=last.records[:i], distance=last.distance[:i])
        self.count -= sum(len(block.states) for block in self.blocks[ending.block :]) - i
        self.blocks[ending.block :] = [kept] if i else []
        self.windows = [window for window in self.windows if window.t < self.x[0]]
        self._told = ending.told[i > 0]

    def fold(self) -> None:
        """Join all blocks but the last ones to what was recorded before: they need not be joined once more."""
        older, self.blocks = self.blocks[:-RECENT], self.blocks[-RECENT:]
        if older:
            self.before = followed_by(self.before, joined(older, self.system.n, self.system.model.m))

    def record_here(self) -> None:
        """Record the current state with the acceleration of the rows in force, or of the window that it lies in."""
        window = self.inside
        if window is not None:
            self.record(self.x[None], self.window_record(window)[None], solve=self.away(window))
            return
        if not self.decided:  # no force of the contacts is known here
            return
        _, record = self.stepper.step(self.x, 0.0)
        self.record(self.x[None], record[None])

    @property
    def recorded(self) -> tuple[Array, Array]:
        """All recorded states (N, 2n+1) and their accelerations (N, n)."""
        found = followed_by(self.before, joined(self.blocks, self.system.n, self.system.model.m))
        return np.column_stack([found["t"], found["q"], found["v"]]), found["a"]

    @property
    def inside(self) -> Window | None:
        """The window in which the current state is computed."""
        window = self.windows[-1] if self.windows else None
        return window if window is not None and window.t < self.x[0] <= window.t + window.h else None

    @property
    def recorded_here(self) -> bool:
        """Whether the current state is the last recorded one."""
        return bool(self.blocks) and np.array_equal(self.blocks[-1].states[-1], self.x)

    def forget(self) -> None:
        """Drop what was logged since the last recorded state: an impact, say, whose outcome is not recorded."""
        last = float(self.blocks[-1].states[-1, 0]) if self.blocks else -np.inf
        self.log[self._told :] = [event for event in self.log[self._told :] if event.t < last]

    def record_start(self) -> None:
        """Record the state that a run starts from, where an impact changes it at once."""
        if not self.blocks:
            _, record = self.stepper.step(self.x, 0.0)
            self.record(self.x[None], record[None])

    def away(self, window: Window) -> bool:
        """Whether the current state of a window is away from the singular position in it."""
        return not window.near(float(self.x[0]))

    def window_record(self, window: Window) -> Array:
        """Return the record of the current state in a window; near dependence with the polynomial's acceleration."""
        _, record = self.stepper.step(self.x, 0.0)
        return record if self.away(window) else record_in(window, self.setting, self.rows, self.x, record)

    def trajectory(self, ending: Ending, setting: Setting) -> Trajectory:
        """Return everything recorded so far, with the setting of the run, whose controls may be held for a while."""
        model, system, control = self.system.model, self.system, setting.control
        constants = [float(u) for u in setting.theta[len(system.parameters) :]]
        about = Description(
            system=system.name,
            coordinates=system.coordinates,
            rows=model.names,
            kinds=model.kinds,
            parameters=dict(system.parameters),
            controls=dict(zip(system.controls, constants, strict=True)),
            feedback=control is not None,
            method=setting.tableau.name,
            solver=self.solver.solver,
            rtol=setting.rtol,
            qp_count=self.solver.count,
            has_potential=system.kinetic_energy is not None,
            locked=self.locked,
            redundant=tuple(model.names[k] for k in model.equality if k not in self.base),
            contacts=described_contacts(system),
            units=dict(system.units),
            sampled=control.period if isinstance(control, ZeroOrderHold) else 0.0,
        )
        events = tuple(sorted(self.log, key=lambda event: event.t))
        return assemble(about, setting, self.blocks, events, ending, tuple(self.windows), self.before)
