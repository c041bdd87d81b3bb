"""Assembly: loops closed from roughly given poses, what may still move, and in which other ways they close.

    assembly = assemble(mechanism, *poses, hold="crank")
    assembly.state, assembly.freedoms, assembly.redundant, assembly.modes

Poses are moved until all rows hold (`closing.py`). What is held keeps its value and rate. If the closed mechanism then
stands still its positions are finitely many, the *assembly modes*; they are looked for from random poses, and for
planar linkages made of dyads they are all found in closed form (`dyads.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from gauss.bodies.assembly.closing import Loops, rigid
from gauss.bodies.assembly.dyads import positions
from gauss.bodies.assembly.holding import HeldNumber, by_joints, facing_rows, held_numbers, joint_values
from gauss.bodies.assembly.unclosed import SAME, mixed_lengths, require_one_motion, two_rates, unclosed
from gauss.bodies.body.body import Pose
from gauss.bodies.mechanism import Mechanism
from gauss.bodies.tree.states import joint_state
from gauss.dynamics import classify
from gauss.errors import GaussError, InconsistentStateError, InputError
from gauss.foundation.arrays import Array, scalar, tidied, unit_rows
from gauss.foundation.calls import advised
from gauss.foundation.outcomes import Shown
from gauss.foundation.threads import one_by_one
from gauss.model.state import State
from gauss.motion.steps.consistent_state import consistent
from gauss.principle import GaussProblem
from gauss.uniqueness import Regularity, Verdict, diagnose, find_singular

NEAR = 1e-6  # share of the length, and singular value of the rows, within which a singular position is meant
STARTS = 60  # random poses from which other modes are looked for


@dataclass(frozen=True)
class Moved:
    """By how much a body was moved from the pose that was given.

    >>> from gauss import bodies as mb
    >>> bar = mb.PlanarBody("bar", 1.0, inertia=0.1)
    >>> hung = mb.Mechanism("pendulum", [bar], [mb.Pin("pin", mb.GROUND, (0, 0), bar, (0, 0))])
    >>> mb.assemble(hung, bar.pose((0.3, 0.4))).moved  # the pose had its end half a metre off
    (Moved(body='bar', shift=0.5, turn=0.0),)
    """

    body: str
    shift: float  # of its origin, m
    turn: float  # rad


@dataclass(frozen=True, eq=False, repr=False)
class AssemblyMode(Shown):
    """One way in which the loops close.

    >>> from gauss import bodies as mb
    >>> bar = mb.PlanarBody("bar", 1.0, inertia=0.1)
    >>> hung = mb.Mechanism("pendulum", [bar], [mb.Pin("pin", mb.GROUND, (0, 0), bar, (0, 0))])
    >>> mode = mb.assemble(hung, bar.pose((0.3, 0.4))).modes[0]
    >>> mode.distance, mode.values
    (0.5, {'pin': 0.0})
    """

    state: State
    distance: float  # from the given poses, m: root of the summed squares of shifts and of turns times the length
    values: dict[str, float]  # joint coordinates by name, m or rad
    moved: tuple[Moved, ...]  # one for each body


@dataclass(frozen=True, eq=False, repr=False)
class Assembly(Shown):
    """A mechanism put together: its state, what may still move, what is redundant, and its other modes."""

    mechanism: Mechanism
    state: State  # on all rows; of the modes found, the nearest to the given poses
    regularity: Regularity  # of the rows at the state, with their minimal dependent sets
    freedoms: Array  # (n, f) velocities that all rows admit, f = n − rank; see `independent`
    independent: tuple[str, ...]  # joint coordinates: the k-th freedom has the rate 1 in the k-th and 0 in the others
    rates: dict[str, Array]  # (f,) rate of each joint coordinate in each freedom
    held: tuple[str, ...]
    loose: int  # directions in which it really moves although `held` is held; no finite number of modes if > 0
    modes: tuple[AssemblyMode, ...]  # by distance; the first is the state. Alone if others were not looked for
    complete: bool  # whether it is proved that there are no other modes
    search: str  # how modes were looked for, and what is proved

    @property
    def mobility(self) -> int:
        """Number of instantaneous freedoms with nothing held: n − rank."""
        return int(self.freedoms.shape[1])

    @property
    def moving(self) -> tuple[str, ...]:
        """Joint coordinates that change in some freedom."""
        return tuple(name for name, rate in self.rates.items() if np.any(rate != 0.0))

    @property
    def dependent(self) -> tuple[tuple[str, ...], ...]:
        """Minimal sets of rows that depend on one another, one for each redundant row; empty if none do."""
        return self.regularity.dependent

    @property
    def redundant(self) -> tuple[str, ...]:
        """Rows that follow, to first order, from those before them: the last of each dependent set."""
        return tuple(group[-1] for group in self.dependent)

    @property
    def moved(self) -> tuple[Moved, ...]:
        """By how much each body was moved."""
        return self.modes[0].moved

    @property
    def largest(self) -> tuple[float, float]:
        """Largest shift (m) and largest turn (rad) of a body."""
        return max(m.shift for m in self.moved), max(m.turn for m in self.moved)

    @property
    def values(self) -> dict[str, float]:
        """Joint coordinates by name, m or rad."""
        return self.modes[0].values

    @cached_property
    def verdict(self) -> Verdict:
        """What `gauss.classify` says of the state: redundant rows, or a singular position, and the accelerations."""
        return classify(self.mechanism.system, self.state.q, self.state.v, self.state.t)

    @property
    def sentence(self) -> str:
        """The result in words."""
        count = self.mobility
        text = f"{self.mechanism.name!r} is assembled; {count} freedom{'s' * (count != 1)}"
        text += f" ({', '.join(self.moving)} move{'s' * (len(self.moving) == 1)})" if self.moving else ""
        lost = len(self.redundant)
        text += f"; {lost} redundant row{'s' * (lost != 1)}" if lost else "; no redundant rows"
        shift, turn = self.largest
        doubt = mixed_lengths(self.mechanism, shift)
        moved = f"Bodies were moved by up to {shift:.3g} m and {turn:.3g} rad.{doubt}"
        return f"{text}.{self._singular} {moved} {self.search}"

    @property
    def _singular(self) -> str:
        """What a position is told where rows are dependent there alone, as at the change point of a linkage, or ""."""
        try:
            words = self.verdict.verdicts if self.redundant else ()
        except GaussError:  # told where accelerations are asked for
            return ""
        if not {*words} - {"regular", "redundant"}:
            return ""
        if "branching" in words:
            return (
                " This position is singular, a change point: several motions meet, and its freedoms are those of first"
                ' order. simulate(…, branches="all") follows each motion; other values, a little aside, give one.'
            )
        return (
            f" This position is singular ({', '.join(words)}): its freedoms are those of first order, and .verdict says"
            " what moves."
        )

    def __str__(self) -> str:
        lines = [self.sentence]
        if self.redundant:
            lines.append(f"redundant: {', '.join(self.redundant)}")
        for k in range(len(self.independent)):
            rates = ", ".join(f"{name} {rate[k]:.4g}" for name, rate in self.rates.items() if rate[k] != 0.0)
            lines.append(f"freedom {k + 1}: {rates}")
        for k, mode in enumerate(self.modes):
            numbers = tidied(np.array([*mode.values.values()]))
            values = ", ".join(f"{name} {value:.6g}" for name, value in zip(mode.values, numbers, strict=True))
            lines.append(f"mode {k + 1}, {mode.distance:.3g} m away" + (f": {values}" if values else ""))
        return "\n".join(lines)


@advised
def assemble(
    mechanism: Mechanism,
    *poses: Pose,
    hold: Any = (),
    modes: Literal["all", "nearest"] = "all",
    starts: int = STARTS,
    t: float = 0.0,
    values: Mapping[str, float] | None = None,
) -> Assembly:
    """Put a mechanism together from one rough pose for each body, and say what may still move.

    `values` of joints by name, as `Mechanism.state` takes them, stand for the poses where these are left out.

    `hold` names what keeps its value and its rate: joints with a coordinate (a crank's bearing), bodies, coordinates.
    Poses move by shifts and turns until the rows hold at the time `t` (s), velocities then change least in the mass
    metric. Directions that a joint makes parallel must point the same way, so no joint is put together reversed.

    If nothing really moves with `hold` held, other modes are looked for (modes="all") from `starts` random poses,
    always the same ones, and for planar dyads in closed form; the state is the mode nearest to the given poses.

    Raises InputError for unknown names, InconsistentStateError, with the gaps (m) and the rows' residuals, if no start
    closes the loops.

    >>> from gauss import bodies as mb
    >>> one, two = (mb.PlanarBody(name, 1.0, inertia=0.1) for name in ("one", "two"))  # bars of 1 m, feet 1.2 m apart
    >>> feet = [mb.Pin("foot", mb.GROUND, (0, 0), one, (0, 0)), mb.Pin("other foot", mb.GROUND, (1.2, 0), two, (0, 0))]
    >>> ladder = mb.Mechanism("stepladder", [one, two], [*feet, mb.Pin("top", one, (1, 0), two, (1, 0))])
    >>> found = mb.assemble(ladder, one.pose(angle=0.8), two.pose((1.2, 0), angle=2.0))
    >>> found.mobility, found.complete, [round(mode.values["top"], 6) for mode in found.modes]  # it folds up, or down
    (0, True, [1.287002, -1.287002])
    """
    if not isinstance(mechanism, Mechanism):
        raise InputError(f"assemble expects a Mechanism, got {mechanism!r}.")
    if modes not in ("all", "nearest"):
        raise InputError(f'modes is {modes!r}; expected "all" or "nearest".')
    if isinstance(starts, bool) or not isinstance(starts, int) or starts < 0:
        raise InputError(f"starts must be a whole number, 0 or more, got {starts!r}.")
    natural = mechanism.oriented
    q, v = natural.state(*poses, values=values if values is not None or poses else {})
    at = scalar(t, "the time")
    with one_by_one(len(natural.system.coordinates)):
        found = _assembled(_Job.of(natural, q, v, at, held_numbers(natural, hold), starts), q, modes)
    return found if natural is mechanism else _in_joint_coordinates(found, mechanism)


def _in_joint_coordinates(found: Assembly, mechanism: Mechanism) -> Assembly:
    """Return an assembly with its states, freedoms and rows in the joint coordinates of its mechanism."""
    system, names = mechanism.system, found.mechanism.system.coordinates

    def there(q: Array, v: Array) -> tuple[Array, Array]:
        moved = joint_state(mechanism.tree, *(dict(zip(names, x.tolist(), strict=True)) for x in (q, v)))
        return system.vector(moved[0], "q"), system.vector(moved[1], "v")

    modes = tuple(replace(m, state=State(*there(m.state.q, m.state.v), m.state.t)) for m in found.modes)
    freedoms = [there(found.state.q, column)[1] for column in found.freedoms.T]
    return replace(
        found,
        mechanism=mechanism,
        state=modes[0].state,
        modes=modes,
        regularity=diagnose(GaussProblem.at(system, modes[0].state)),
        freedoms=np.array(freedoms).reshape(len(freedoms), system.n).T,
    )


def _assembled(job: _Job, q: Array, modes: str) -> Assembly:
    """Return the modes of a mechanism: the nearest one, or all."""
    first = job.first()
    loose = job.loops.movable(first)
    found, complete, search = [first], False, "Other modes were not looked for."
    if loose.shape[1]:
        still = f" with {', '.join(job.names)} held" if job.names else ""
        search = f"Its positions{still} are a continuum, so it has no finite number of modes."
    elif modes == "all":
        found, complete, search = job.others(first)
    found.sort(key=lambda one: job.loops.distance(q, one))
    bent = [str(k) for k, one in enumerate(found, 1) if not loose.shape[1] and job.loops.movable(one).shape[1]]
    if bent:
        complete, search = False, f"{search} Mode {', '.join(bent)} is no single position: it can still move."
    return _described(job, tuple(job.mode(one) for one in found), loose.shape[1], complete, search)


@dataclass(frozen=True, eq=False)
class _Job:
    """What is asked for: the rows with those of what is held, and the poses that were given."""

    mechanism: Mechanism
    loops: Loops
    held: tuple[HeldNumber, ...]
    given: State
    starts: int

    @staticmethod
    def of(mechanism: Mechanism, q: Array, v: Array, t: float, held: list[HeldNumber], starts: int) -> _Job:
        """Return the task, with held values and rates read from the given poses."""
        values = {f"assembly_{k}": x.of(mechanism.named(q)) for k, x in enumerate(held)}
        require_one_motion(mechanism, dict(zip(held, map(float, values.values()), strict=True)), t)
        rows = [x.row(k, t) for k, x in enumerate(held)]
        parameters = {**mechanism.parameters, **values, **{f"{name}_rate": 0.0 for name in values}}
        facing = [row for joint in mechanism.joints for row in facing_rows(joint)]
        at_rest = tuple(0.0 for _ in range(mechanism.bodies[0].dimension))
        search = Mechanism(
            mechanism.name,
            mechanism.bodies,
            mechanism.joints,
            gravity=at_rest,
            constraints=[*mechanism.constraints, *facing, *rows],
            parameters=parameters,
        ).system
        J = search.model.terms(q, v, t, search.theta()).J
        rates = [float(J[search.row_names.index(f"held {x.name}")] @ v) for x in held]
        system = search.with_parameters(**{f"assembly_{k}_rate": rate for k, rate in enumerate(rates)})
        return _Job(mechanism, Loops.of(mechanism, system, q, t), tuple(held), State(q, v, t), starts)

    @property
    def names(self) -> tuple[str, ...]:
        """What is held."""
        return tuple(dict.fromkeys(x.name for x in self.held))

    def first(self) -> Array:
        """Return closed loops: those reached from the given poses, else the nearest of those reached from elsewhere."""
        q, size = self.loops.closed(self.given.q)
        if self.loops.is_closed(size):
            return q
        tried, rng = [(size, q)], np.random.default_rng(1)
        closed: list[Array] = []
        for _ in range(self.starts):
            q, size = self.loops.closed(self.loops.shuffled(self.given.q, rng))
            tried.append((size, q))
            if self.loops.is_closed(size):
                closed.append(q)
        if closed:
            return min(closed, key=lambda one: self.loops.distance(self.given.q, one))
        nearest = min(tried, key=lambda one: one[0])[1]
        raise unclosed(self.mechanism, self.loops, nearest, self.given.q, self.starts, self.names)

    def others(self, first: Array) -> tuple[list[Array], bool, str]:
        """Return all modes found, whether they are proved to be all, and how they were looked for."""
        found, hits, rng = [first], 0, np.random.default_rng(1)
        exact = positions(self.mechanism, self.loops, first, self.names)
        for q in exact or []:
            near, size = self.loops.closed(q)
            if self.loops.is_closed(size):
                self._add(found, near)
        if exact is not None:
            text = f"Each dyad closes in closed form: {_modes(len(found))}, and there are no others."
            return found, True, text
        for _ in range(self.starts):
            q, size = self.loops.closed(self.loops.shuffled(first, rng))
            if self.loops.is_closed(size):
                hits += 1
                self._add(found, q)
        text = f"{_modes(len(found))} found by {self.starts} starts, of which {hits} closed; not proved complete."
        return found, False, text

    def _add(self, found: list[Array], q: Array) -> None:
        if all(self.loops.distance(q, other) > SAME * self.loops.length for other in found):
            found.append(q)

    def on_singular(self, q: Array) -> Array | None:
        """Return the singular position that q misses by no more than the root of rounding, None if there is none."""
        try:
            exact = find_singular(self.mechanism.system, q, t=self.given.t).q
        except GaussError:
            return None
        near = self.loops.distance(q, exact) < NEAR * self.loops.length
        return exact if near and self.loops.is_closed(float(np.linalg.norm(self.loops.at(exact)[0]))) else None

    def mode(self, q: Array) -> AssemblyMode:
        """Return a mode with its velocities, the given ones carried along with the bodies and projected."""
        rates = np.linalg.lstsq(self.loops.tangent(rigid(self.loops.bodies, self.given.q)), self.given.v, rcond=None)[0]
        try:
            state = consistent(self.loops.system, q, self.loops.tangent(q) @ rates, self.given.t)
        except InconsistentStateError as error:
            raise two_rates(self.mechanism, self.loops, self.held, q, error) from error
        moves = zip(self.loops.bodies, self.loops.moves(self.given.q, state.q), strict=True)
        moved = tuple(Moved(body.name, *move) for body, move in moves)
        return AssemblyMode(
            state, self.loops.distance(self.given.q, state.q), joint_values(self.mechanism, state.q), moved
        )


def _nearly_dependent(regularity: Regularity) -> bool:
    """Whether rows are as dependent as poses are exact at a singular position: to the root of rounding."""
    kept = regularity.sigma[regularity.sigma > regularity.tolerance]
    return bool(kept.size) and float(np.min(kept)) < NEAR


def _modes(count: int) -> str:
    return f"{count} mode{'s' * (count != 1)}"


def _described(job: _Job, modes: tuple[AssemblyMode, ...], loose: int, complete: bool, search: str) -> Assembly:
    """Return the assembly with its freedoms and its redundant rows."""
    mechanism, state = job.mechanism, modes[0].state
    problem = GaussProblem.at(mechanism.system, state)
    regularity = diagnose(problem)
    exact = job.on_singular(state.q) if _nearly_dependent(regularity) else None
    if exact is not None:
        modes = (job.mode(exact), *modes[1:])
        state = modes[0].state
        problem = GaussProblem.at(mechanism.system, state)
        regularity = diagnose(problem)
    metric = problem.metric
    rows = problem.rows.J[np.isfinite(problem.rows.lower) | np.isfinite(problem.rows.upper)]
    basis = np.eye(problem.n)
    if regularity.rank:
        basis = np.linalg.svd(unit_rows(metric.whitened(rows)))[2][regularity.rank :].T
    freedoms, independent, rates = by_joints(mechanism, state.q, metric.lift(basis))
    return Assembly(
        mechanism, state, regularity, freedoms, independent, rates, job.names, loose, modes, complete, search
    )
