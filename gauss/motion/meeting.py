"""Where branches of the constraint set touch on the way of a motion: it may go on along any of them.

Where branches cross, the velocity tells which of them a motion follows. Where they touch it does not, and the rows lose
their rank with a power m of the distance above one. The m-th root of a determinant of the rows, with many digits, is
smooth along the branch that the motion comes on: its zero is the place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from flint import arb, arb_mat

from gauss.arrays import Array
from gauss.errors import GaussError
from gauss.germs.curve import Curve, curve_along, through
from gauss.germs.germ import Germ, germ_of, holonomic_parts
from gauss.germs.numbers import Noisy, OpenError, precise
from gauss.germs.reduction import Rows, Split, settled
from gauss.model import System
from gauss.motion.crossing import HIGHEST, KNOWN, LINEAR, singular_share
from gauss.motion.guided import BEYOND, Guide, GuidedStepper, leaving, several_at, time_to
from gauss.motion.sheets import Sheet
from gauss.motion.steppers import Stepper
from gauss.motion.window import COUNT, Window, collocate, gauss_nodes
from gauss.principle import GaussProblem
from gauss.principle.metric import metric_of
from gauss.regularity.any_order import AnyOrder
from gauss.state import State
from gauss.zero import UNIT

NODES = 6  # states on either side of the place that are looked at
ROOM = 0.01  # share of the window that must be left on either side of it
WHOLE = 0.3  # by how much the estimate of a power may be off
FEWEST = 8  # states from which a place ahead is extrapolated
LONGER = 1.02  # length of a window to it, relative to the time until there
BEFORE = 0.96  # share of such a window in which its nodes lie: behind the place sheets may have changed their sides
STEPS = 4  # of Newton's method for the time
NO_POWER = "the rows do not lose their rank with a power of the distance"

Located = Callable[[list[list[Any]], list[Any]], list[float] | None]  # from points, and sizes of a determinant there


@dataclass(frozen=True)
class Meeting:
    """A state at which branches that touch leave in the direction of the motion."""

    window: Window  # that leads there
    share: float  # of the window, at which it is
    state: State
    found: AnyOrder

    @property
    def branches(self) -> int:
        """The number of branches on which motions leave."""
        return leaving(self.found)


def meeting_in(window: Window, stepper: Stepper, u: Array) -> Meeting | None:
    """Return the place in a window where the branch of the motion touches others, or None; u are the controls."""
    system = stepper.setting.system
    place = singular_share(window, stepper) if _has_germs(system) else None
    if place is None or not ROOM < place[0] < 1.0 - ROOM or place[1] < LINEAR or place[2] == "not zero":
        return None
    try:
        with precise():
            share, state = _refined(window, system, place[0])
        ends = (window.state(x)[1 : system.n + 1] for x in (0.0, 1.0))
        found = several_at(system, state, u, doubts(system, state, -np.subtract(*ends)))
    except (OpenError, GaussError):
        return None
    return None if found is None else Meeting(replace(window, singular=share), share, state, found)


def meeting_ahead(stepper: Stepper, states: Array, u: Array) -> Meeting | None:
    """Return the place to which the last of some states (k, 2n+1) comes, or None where no branches touch there.

    The states lead to it on one branch, which the series there show with the others. Along its curve a window follows.
    """
    system, x = stepper.setting.system, states[-1]
    n = system.n
    if not _has_germs(system) or len(states) < FEWEST:
        return None
    try:
        with precise():
            places, lead = _place(system, x, states[:, 1 : n + 1], _extrapolated)
        q = x[1 : n + 1].copy()
        q[list(places)] = list(places.values())
        unsure = doubts(system, State(q, x[n + 1 :], float(x[0])), q - states[0, 1 : n + 1])
        q = np.where(np.abs(q) <= UNIT * unsure / KNOWN, 0.0, q)
        guide = _incoming(system, State(q, np.zeros(n), float(x[0])), unsure, x, lead)
        guided = GuidedStepper(guide, stepper.setting, stepper.rows)
        a = guided.accelerate(x)[0]
        h = LONGER * time_to(abs(q[lead] - x[1 + lead]), x[1 + n + lead], a[lead] * np.sign(q[lead] - x[1 + lead]))
        window = collocate(guided, x, h, BEFORE * gauss_nodes(COUNT), a, 1.0, stepper.setting.rtol)
        if window is None:
            return None
        share = _share(window, lead, q[lead], 1.0 / LONGER)
        there = window.state(share)
        if not np.all(np.abs(there[1 : n + 1] - q) <= unsure):
            return None
        state = State(q, there[n + 1 :], float(there[0]))
        found = several_at(system, state, u, unsure)
    except (OpenError, GaussError):
        return None
    return None if found is None else Meeting(replace(window, singular=share, off=BEYOND), share, state, found)


def _has_germs(system: System) -> bool:
    """Whether all equality rows are ones whose germ is known: holonomic, and the same at all times."""
    model = system.model
    return all(model.kinds[k] == "holonomic" for k in model.equality) and not model.trace.rheonomic


def _place(system: System, x: Array, states: Array, located: Located) -> tuple[dict[int, float], int]:
    """Return coordinates of a place near x that positions (k, n) lead to, and the one that is fastest there.

    `located` gives them for a part of the rows, or None. Raises OpenError.
    """
    places: dict[int, float] = {}
    lead = -1
    for part in holonomic_parts(system):
        own = list(part.coordinates)
        speeds = np.abs(x[system.n + 1 :][own])
        if not np.any(speeds):
            continue
        fastest = int(np.argmax(speeds))
        found = located(*_measured(part, fastest, list(states[:, own])))
        if found is not None:
            places |= dict(zip(own, found, strict=True))
            lead = own[fastest]
    if lead < 0:
        raise OpenError(NO_POWER)
    return places, lead


def _extrapolated(points: list[list[Any]], sizes: list[Any]) -> list[float]:
    """Return where a power of the distance vanishes that sizes at points follow. Raises OpenError."""
    best: tuple[float, list[float]] = (np.inf, [])
    extent = max(float(abs(b - a)) for a, b in zip(points[0], points[-1], strict=True))
    for power in range(2, int(HIGHEST) + 1):
        roots = [size.root(power).mid() for size in sizes]
        pairs = list(zip(roots, points, strict=True))
        one, other = (through(given)(arb(0)) for given in (pairs, pairs[2:]))
        miss = max(float(abs(a - b)) for a, b in zip(one, other, strict=True)) / extent
        if miss < best[0]:
            best = miss, [float(value.mid()) for value in one]
    if not best[0] <= KNOWN:
        raise OpenError(NO_POWER)
    return best[1]


def _incoming(system: System, state: State, unsure: Array, x: Array, lead: int) -> Guide:
    """Return the branch, or sheet, at a place that a state x is on. Raises OpenError."""
    germ = germ_of(system, state, None, unsure)
    part = next((part for part in germ.factors or (germ,) if lead in part.coordinates), germ)
    try:
        curve = _curve_of(system, part, state, unsure, x)
    except OpenError:
        return Guide((), (), (), 1, "", (Sheet.through(system, part, x[1 : system.n + 1]),))
    return Guide((curve,), (0,), (), 1, "")


def _curve_of(system: System, part: Germ, state: State, unsure: Array, x: Array) -> Curve:
    """Return the branch of a germ at a state that a state x is on. Raises OpenError."""
    found: list[tuple[float, Curve]] = []
    own = list(part.coordinates)
    for branch in part.branches:
        if branch.ramification > 1:
            continue
        reach = abs(x[1 + branch.lead] - state.q[branch.lead])
        curve = curve_along(system, part, branch, 2.0 * reach)
        tau = curve.parameter(x[1 + branch.lead], 0)
        if np.isfinite(tau):
            found.append((float(np.max(np.abs(curve.at(tau)[0] - x[1:][own]) / unsure[own])), curve))
    near = [entry for entry in found if entry[0] <= 1.0]
    if not near:
        raise OpenError("the state is on no branch of the place ahead")
    return min(near, key=lambda entry: entry[0])[1]


def doubts(system: System, state: State, way: Array) -> Array:
    """Return the uncertainty (n,) of the coordinates of a place that was located on a way of the extent `way` (n,)."""
    metric = metric_of(GaussProblem.at(system, state, None, []))
    return np.asarray(KNOWN * metric.norm(way) / np.linalg.norm(metric.L, axis=1))


def _refined(window: Window, system: System, share: float) -> tuple[float, State]:
    """Return the share of the window at which the rows lose their rank, and the state there. Raises OpenError."""
    n = system.n
    x, room = window.state(share), min(share, 1.0 - share)
    offsets = [side * room * (0.5 + k / (2.0 * NODES - 2.0)) for side in (-1.0, 1.0) for k in range(NODES)]
    states = np.array([window.state(share + offset)[1 : n + 1] for offset in offsets])
    places, lead = _place(system, x, states, lambda points, sizes: _between(points, sizes, offsets))
    share = _share(window, lead, places[lead], share)
    x = window.state(share)
    q = x[1 : n + 1].copy()
    q[list(places)] = list(places.values())
    state = State(q, x[n + 1 :], float(x[0]))
    rounding = UNIT * doubts(system, state, states[-1] - states[0]) / KNOWN
    return share, State(np.where(np.abs(q) <= rounding, 0.0, q), state.v, state.t)


def _share(window: Window, lead: int, value: float, guess: float) -> float:
    """Return the share of a window at which a coordinate has a value, by Newton's method from a guess."""
    share, n = guess, window.a.shape[1]
    for _ in range(STEPS):
        x = window.state(share)
        share -= float((x[1 + lead] - value) / (window.h * x[1 + n + lead]))
    return share


def _measured(rows: Rows, lead: int, states: list[Array]) -> tuple[list[list[Any]], list[Any]]:
    """Return the points of the set at some states, and the sizes of a determinant of the rows there.

    Raises OpenError.
    """
    others = [j for j in range(len(rows.coordinates)) if j != lead]
    split, points, sizes = None, [], []
    for q in states:
        point = [Noisy(arb(float(value)), 0.0) for value in q]
        if split is None:
            across = [[row[j] for j in others] for row in rows.jacobian(point)]
            part = Split.of(across, rows.names, [1] * len(others))
            solved, free = (tuple(others[j] for j in own) for own in (part.solved, part.free))
            split = Split(part.solving, solved, part.rest, (lead, *free))
        point, _ = settled(rows, split, point)
        J = rows.jacobian([Noisy(entry.value, 0.0) for entry in point])
        r = len(split.solving)
        slopes = arb_mat(r, r, [J[i][j].value.mid() for i in split.solving for j in split.solved])
        points.append([entry.value.mid() for entry in point])
        sizes.append(abs(slopes.det().mid()))
    return points, sizes


def _between(points: list[list[Any]], sizes: list[Any], offsets: list[float]) -> list[float] | None:
    """Return where a power of the offset vanishes that sizes at points follow, or None if they vanish nowhere.

    Raises OpenError where they follow no power.
    """
    power = _power_of(np.abs(offsets), [float(size.log()) for size in sizes])
    if power < LINEAR:
        return None
    if abs(power - round(power)) > WHOLE:
        raise OpenError(NO_POWER)
    sides = [1 if offset > 0.0 else -1 for offset in offsets]
    roots = [(size.root(round(power)) * side).mid() for size, side in zip(sizes, sides, strict=True)]
    found: list[Any] = through(list(zip(roots, points, strict=True)))(arb(0))
    return [float(value.mid()) for value in found]


def _power_of(distances: Array, logarithms: list[float]) -> float:
    """Return the mean power with which sizes, given by logarithms, grow with the distance on both sides."""
    half = len(distances) // 2
    slopes = [
        (logarithms[last] - logarithms[first]) / np.log(distances[last] / distances[first])
        for first, last in ((0, half - 1), (half, 2 * half - 1))
    ]
    return float(np.mean(slopes))
