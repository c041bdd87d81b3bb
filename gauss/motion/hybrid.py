"""Switched constraints: a motion through modes, each a system of its own with the same coordinates.

A latch that catches, a clutch that sticks or slips, a rope that breaks: an event ends the motion of one mode, and that
of another begins in the same position. Rows that come into force there may ask for other velocities. Then an ideal
impact gives them, the nearest in the mass metric (Carnot; Gauss's principle one level lower),

    min ½ |v⁺ − v⁻|²_M   subject to  J v⁺ + b = 0,    M (v⁺ − v⁻) = JᵀΛ.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from gauss.contact.impacts.problem import after_impact
from gauss.errors import InconsistentStateError, InputError, MotionWarning, described
from gauss.foundation.arrays import Array, positive, repeated_in, scalar
from gauss.foundation.calls import advised
from gauss.foundation.outcomes import FEW, Shown
from gauss.foundation.threads import warn
from gauss.model import System, system_of
from gauss.model.state import State
from gauss.motion.events.event import Event
from gauss.motion.record.trajectory import Ending, Trajectory
from gauss.motion.simulate import Options, simulate
from gauss.motion.steps.sampled import own_control
from gauss.principle.offsets import STATE_TOLERANCE, offsets

if TYPE_CHECKING:
    import xarray

INSIDE = (0.0, 0.25, 0.5, 0.75)  # where each step is looked at for an overload, as shares of it
PHASES = 1000  # a motion that switches more often is stopped


@dataclass(frozen=True)
class Overload:
    """A row that bears a multiplier up to ±limit (its own unit): the mode ends where |λ| reaches the limit.

    Of rows that depend on one another the multiplier is the one of least norm, as in a run. Raises InputError.
    """

    row: str
    limit: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "limit", positive(self.limit, f"the limit of {self.row!r}"))


@dataclass(frozen=True)
class Switch:
    """What ends a mode and which mode follows; with `impact` the rows of that mode may change the velocities.

    Raises InputError.
    """

    when: Event | Overload
    to: str
    impact: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.when, Event | Overload):
            raise InputError(f"a switch needs a gauss.Event or an Overload, got {self.when!r}.")
        if not isinstance(self.to, str):
            raise InputError(f"a switch needs the name of the mode that follows, got {self.to!r}.")
        if not isinstance(self.impact, bool):
            raise InputError(f"impact of the switch to {self.to!r} must be True or False, got {self.impact!r}.")


@dataclass(frozen=True)
class Mode:
    """A system and what ends its motion.

    Raises InputError for what is no system or no `Switch`, and for an `Overload` of a row that the system lacks.
    """

    system: Any  # a System, or what stands for it as a Mechanism does
    switches: Sequence[Switch] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "system", system_of(self.system))
        given = (self.switches,) if isinstance(self.switches, Switch) else self.switches
        if not isinstance(given, Iterable) or any(not isinstance(each, Switch) for each in given):
            raise InputError(f"the switches of {self.system.name!r} must be a list of Switch, got {self.switches!r}.")
        object.__setattr__(self, "switches", tuple(given))
        for each in self.switches:
            if isinstance(each.when, Overload) and each.when.row not in self.system.row_names:
                known = ", ".join(map(repr, self.system.row_names)) or "none"
                raise InputError(f"{self.system.name!r} has no row {each.when.row!r} to be overloaded; it has {known}.")
        repeated = repeated_in(each.when.name for each in self.switches if isinstance(each.when, Event))
        if repeated:
            raise InputError(
                f"several switches of {self.system.name!r} wait for events called {', '.join(map(repr, repeated))};"
                " give each event its own name."
            )


@dataclass(frozen=True, repr=False)
class Phase(Shown):
    """The motion in one mode, and the impact with which it began."""

    mode: str
    run: Trajectory
    impulses: dict[str, float] = field(default_factory=dict)  # Λ by row, unit of the multiplier times s
    energy_loss: float = 0.0  # J, kinetic energy before the impact minus after


@dataclass(frozen=True, repr=False)
class HybridMotion(Shown):
    """A motion through modes, in their order; the ending is that of the last one."""

    phases: tuple[Phase, ...]
    ending: Ending

    @property
    def t(self) -> Array:
        """Times (N,) of all phases; where one ends and the next begins the time is there twice."""
        return np.concatenate([phase.run.t for phase in self.phases])

    @property
    def modes(self) -> tuple[str, ...]:
        """The modes, one for each phase."""
        return tuple(phase.mode for phase in self.phases)

    @property
    def energy(self) -> Array:
        """Kinetic plus potential energy (N,), J."""
        return np.concatenate([phase.run.energy for phase in self.phases])

    def __getitem__(self, name: str) -> Array:
        """Return a coordinate, a velocity (``d_x``), an acceleration (``dd_x``) or a λ (N,); 0 where a row is not."""
        parts = []
        for phase in self.phases:
            known = any(name in other.run.about.rows for other in self.phases)
            missing = known and name not in phase.run.about.rows
            parts.append(np.zeros(len(phase.run)) if missing else phase.run[name])
        return np.concatenate(parts)

    def _ipython_key_completions_(self) -> list[str]:
        return list(dict.fromkeys(name for phase in self.phases for name in phase.run.names))

    @property
    def data(self) -> xarray.DataTree:
        """The tables of the phases as an xarray DataTree: "0", "1", … in their order, with the mode as attribute."""
        import xarray

        tables = {str(k): phase.run.data.assign_attrs(mode=phase.mode) for k, phase in enumerate(self.phases)}
        return xarray.DataTree.from_dict(tables)

    def _in_a_line(self) -> str:
        return f"{', '.join(self.modes[:FEW])}{', …' * (len(self.modes) > FEW)}: {self.ending.kind}"

    def __str__(self) -> str:
        lines = [
            f"{phase.mode}: "
            + (f"t = {phase.run.t[0]:.9g} … {phase.run.t[-1]:.9g} s" if len(phase.run) else "no motion")
            + (f", begun by an impact that lost {phase.energy_loss:.6g} J" if phase.impulses else "")
            for phase in self.phases
        ]
        return "\n".join([*lines, f"{self.ending.kind}: {self.ending.message}"])


@advised
def hybrid(
    modes: Mapping[str, Mode], start: str, q: object, v: object = None, *, t_end: float, t: float = 0.0, **options: Any
) -> HybridMotion:
    """Return the motion from (q, v) at time t to t_end that starts in the mode `start`.

    Options are those of `gauss.simulate`, but for `branches` and `checkpoint`; events among them are recorded in every
    mode. Where the velocities do not satisfy the rows of the mode that a switch leads to, they change by an ideal
    impact if the switch has ``impact=True``. A motion that comes back, at one instant, to a mode it was in with the
    same velocities, or that changes its mode a thousand times, ends as "chattering" with a `MotionWarning`. A mode that
    cannot begin ends the motion as "failed", with the reason: where a switch without impact leads to rows that the
    velocities do not satisfy, or the position does not satisfy them, say. Ctrl-C returns what was computed.

    Raises InputError for unknown modes, modes of different coordinates and events of one name, and what `simulate`
    raises about the start.

    >>> import gauss as g
    >>> rope = g.Holonomic("rope", lambda q: q.z)
    >>> load = {"mass_matrix": [[1.0]], "force": lambda t: [-t]}  # N, growing
    >>> held, free = g.System("held", "z", **load, constraints=[rope]), g.System("free", "z", **load)
    >>> breaks = g.motion.Switch(g.motion.Overload("rope", 0.2), to="free")  # at 0.2 N
    >>> modes = {"held": g.motion.Mode(held, breaks), "free": g.motion.Mode(free)}
    >>> run = g.motion.hybrid(modes, "held", [0.0], t_end=0.3)
    >>> run.modes, round(run.phases[1].run.t[0].item(), 9)
    (('held', 'free'), 0.2)
    """
    _require_modes(modes, start)
    events = _other_events(modes, options)
    state, end = modes[start].system.start(q, v, t), scalar(t_end, "t_end")
    phases: list[Phase] = []
    try:
        ending = _through(modes, start, state, end, phases, events, options)
    except KeyboardInterrupt:
        if not phases:
            raise
        ending = Ending("interrupted", f"interrupted after {_so_far(phases)}; what was computed is kept")
    except Exception as error:  # of a mode that cannot begin, of a function of the user: the phases are kept
        if not phases:
            raise
        ending = Ending("failed", f"after {_so_far(phases)} the motion cannot go on: {described(error)}")
    if not ending.complete and ending != phases[-1].run.ending:  # else `simulate` has warned
        warn(ending.message, MotionWarning)
    return HybridMotion(tuple(phases), ending)


def _so_far(phases: Sequence[Phase]) -> str:
    """Return how far a motion has come, in words."""
    last = phases[-1]
    return f"the mode {last.mode!r}" + (f" at t = {last.run.t[-1]:.9g} s" if len(last.run) else "")


def _through(
    modes: Mapping[str, Mode],
    name: str,
    state: State,
    end: float,
    phases: list[Phase],
    events: tuple[Event, ...],
    options: dict[str, Any],
) -> Ending:
    """Follow the motion through its modes, add each phase as soon as it is known, and return how it ends."""
    impulses, loss = dict[str, float](), 0.0
    while len(phases) < PHASES:
        again = options
        if any(isinstance(each.when, Overload) for each in modes[name].switches) and "control" in options:
            again = options | {"control": own_control(options["control"])}  # for the part that is followed once more
        phases.append(Phase(name, _run(modes[name], state, end, events, options), impulses, loss))
        switch, time = _switch(modes[name], phases[-1].run)
        broken_off = phases[-1].run.ending
        if time is not None:
            options = again
            phases[-1] = replace(phases[-1], run=_cut(modes[name], phases[-1].run, time, events, options))
        run = phases[-1].run
        if switch is None or not run.ending.complete:
            return run.ending
        if broken_off.kind == "interrupted":
            return broken_off
        state = State(run.q[-1], run.v[-1], float(run.t[-1]))
        state, impulses, loss = _entered(modes[switch.to].system, state, switch)
        name = switch.to
        if state.t >= end - 1e-12 * max(abs(phases[0].run.t[0]), abs(end)):
            return Ending("finished", "the end time was reached at a switch")
        circle = _circle(phases, name, state)
        if circle:
            return Ending("chattering", f"at t = {state.t:.9g} s the modes follow each other for ever: {circle}")
    times = f"{phases[0].run.t[0]:g} and {phases[-1].run.t[-1]:.9g} s"
    return Ending("chattering", f"the mode changed {PHASES} times between {times}")


def _other_events(modes: Mapping[str, Mode], options: dict[str, Any]) -> tuple[Event, ...]:
    """Take the events that no switch waits for out of the options.

    Raises InputError for what cannot be watched, and TypeError for what is no option.
    """
    unknown = sorted(options.keys() - Options.__annotations__.keys() - {"branches"})
    if unknown:  # said here, not by `simulate`, which the caller did not call
        raise TypeError(f"hybrid() got an unexpected keyword argument {unknown[0]!r}")
    if options.get("branches", "none") != "none":
        raise InputError("hybrid follows one motion: it cannot be used with branches='all'.")
    if options.get("checkpoint") is not None:
        raise InputError("a checkpoint is the file of one run, and hybrid makes one for each phase: leave it out.")
    given = options.pop("events", ())
    events = tuple(given) if isinstance(given, Iterable) else (given,)
    if not isinstance(given, Iterable) or any(not isinstance(event, Event) for event in events):
        raise InputError(f"events must be a list of gauss.Event objects, got {given!r}.")
    waited = {each.when.name for mode in modes.values() for each in mode.switches if isinstance(each.when, Event)}
    shared = sorted(waited & {event.name for event in events})
    if shared:
        raise InputError(
            f"the events {', '.join(map(repr, shared))} have the names of events that switches wait for; give others."
        )
    return events


def _circle(phases: Sequence[Phase], name: str, state: State) -> str:
    """Return the modes in which a motion turns round at one instant, or nothing."""
    for k in range(len(phases) - 1, -1, -1):
        run = phases[k].run
        if run.t[0] != state.t:
            return ""
        if phases[k].mode == name and np.array_equal(run.v[0], state.v):
            return ", ".join(repr(mode) for mode in (*(phase.mode for phase in phases[k:]), name))
    return ""


def _require_modes(modes: object, start: object) -> None:
    if not isinstance(modes, Mapping) or not modes or any(not isinstance(mode, Mode) for mode in modes.values()):
        raise InputError(f"modes must be a dict from names to Mode objects, got {modes!r}.")
    if not isinstance(start, str):
        raise InputError(f"the mode to start in must be a name, got {start!r}.")
    wanted = {start, *(switch.to for mode in modes.values() for switch in mode.switches)}
    unknown = sorted(str(name) for name in wanted if name not in modes)
    if unknown:
        raise InputError(f"there is no mode {', '.join(unknown)}; known: {', '.join(map(str, modes))}.")
    first, *others = modes.values()
    for mode in others:
        if mode.system.coordinates != first.system.coordinates:
            raise InputError(
                f"the modes {first.system.name!r} and {mode.system.name!r} have different coordinates:"
                f" {', '.join(first.system.coordinates)} and {', '.join(mode.system.coordinates)}."
            )


def _run(mode: Mode, state: State, end: float, events: tuple[Event, ...], options: dict[str, Any]) -> Trajectory:
    """Return the motion in a mode up to an event that a switch waits for, whatever the loads."""
    watched = [switch.when for switch in mode.switches if isinstance(switch.when, Event)]
    ending = [replace(event, terminal=True) for event in watched]
    found = simulate(mode.system, state.q, state.v, t=state.t, t_end=end, events=(*ending, *events), **options)
    assert isinstance(found, Trajectory)
    return found


def _cut(mode: Mode, run: Trajectory, time: float, events: tuple[Event, ...], options: dict[str, Any]) -> Trajectory:
    """Return the motion in a mode up to the time of an overload."""
    if time <= run.t[0]:
        return replace(run.at(run.t[0]), ending=Ending("finished", "a row is overloaded at once"))
    return _run(mode, State(run.q[0], run.v[0], float(run.t[0])), time, events, options)


def _switch(mode: Mode, run: Trajectory) -> tuple[Switch | None, float | None]:
    """Return the first switch of a motion in a mode, if there is one, and the time of an overload that it waits for."""
    if not len(run):
        return None, None
    loads = [(switch, switch.when) for switch in mode.switches if isinstance(switch.when, Overload)]
    reached = {switch: time for switch, load in loads if (time := _overloaded(run, load)) is not None}
    if reached:
        switch = min(reached, key=lambda each: reached[each])
        return switch, reached[switch]
    if run.ending.kind != "event":
        return None, None
    last = [event.name for event in run.events if event.kind == "event" and event.t == run.events[-1].t]
    for switch in mode.switches:
        if isinstance(switch.when, Event) and switch.when.name in last:
            return switch, None
    return None, None


def _overloaded(run: Trajectory, overload: Overload) -> float | None:
    """Return the first time (s) at which a multiplier reaches its limit, or None."""

    def excess(found: Trajectory) -> Array:
        return np.asarray(np.abs(found[overload.row]) - overload.limit)

    if excess(run)[0] > 0.0:
        return float(run.t[0])
    steps = np.diff(run.t)
    times = np.unique(np.append((run.t[:-1, None] + steps[:, None] * np.array(INSIDE)).ravel(), run.t[-1]))
    beyond = np.flatnonzero(excess(run.at(times)) > 0.0)
    if not beyond.size:
        return None
    left, right = float(times[max(beyond[0] - 1, 0)]), float(times[beyond[0]])
    return float(
        scipy.optimize.brentq(
            lambda time: float(excess(run.at(time))[0]), left, right, xtol=1e-14 * max(abs(left), abs(right))
        )
    )


def _entered(system: System, state: State, switch: Switch) -> tuple[State, dict[str, float], float]:
    """Return the state in which a mode begins, the impulses by row and the energy lost (J).

    Raises InconsistentStateError where the position or, without impact, the velocities do not satisfy its rows.
    """
    position, velocity = offsets(system, state)
    wrong = np.flatnonzero(position > STATE_TOLERANCE)
    moving = np.flatnonzero(velocity > STATE_TOLERANCE)
    if not wrong.size and (not moving.size or switch.impact):
        return _after_impact(system, state) if switch.impact else (state, {}, 0.0)
    kind, rows, sizes = ("positions", wrong, position) if wrong.size else ("velocities", moving, velocity)
    remedy = "let the event be where they hold" if wrong.size else "give the switch impact=True, if they may jump"
    names = {system.row_names[k]: float(sizes[k]) for k in rows}
    raise InconsistentStateError(
        f"at t = {state.t:.9g} s the {kind} do not satisfy {', '.join(map(repr, names))} of {system.name!r}, off by"
        f" {max(names.values()):.3g} of their size; {remedy}.",
        names,
    )


def _after_impact(system: System, state: State) -> tuple[State, dict[str, float], float]:
    """Return the state after the ideal impact on the equality rows, the impulses by row and the energy lost (J)."""
    model = system.model
    low, high = np.zeros(model.m), np.zeros(model.m)
    for k in model.unilateral:
        low[k], high[k] = -np.inf, np.inf
    v, impulses, loss = after_impact(system, state, low, high, f"the rows of {system.name!r}")
    return State(state.q, v, state.t), dict(zip(system.row_names, map(float, impulses), strict=True)), loss
