"""Where branches of the constraint set touch on the way of a motion: it may go on along any of them.

Where branches cross, the velocity tells which of them a motion follows. Where they touch it does not, and the rows lose
their rank with a power m of the distance above one. The m-th root of a determinant of the rows, with many digits, is
smooth along the branch that the motion comes on: its zero is the place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
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
PATH = 6  # degree of the path of coordinates that the rows leave free
SEEN = 1e-3  # miss of an extrapolation, relative to the way of the states, from which a power is not seen at all
SECANTS = 40  # towards a zero of a polynomial
NEARER = 60  # points on the way to the place, each half as far from it as the one before
SETTLED = 1e-13  # change of the place by such a point, relative, that ends this
FEWEST = 8  # states from which a place ahead is extrapolated
LONGER = 1.02  # length of a window to it, relative to the time until there
BEFORE = 0.96  # share of such a window in which its nodes lie: behind the place sheets may have changed their sides
AWAY = (0.0, 0.9)  # share of the way to the place on which a window that is guided there is looked at
ALONG = 12  # such states
AT_REST = 1e-4  # share of the speed before: a place known to its square is reached at rest with less than this
STEPS = 4  # of Newton's method for the time
NO_POWER = "the rows do not lose their rank with a power of the distance"

Sized = tuple[list[Any], Any]  # a point of the set, and the size of a determinant of the rows there
Located = Callable[[Rows, int, list[Array]], list[float] | None]  # from rows, their fastest coordinate, and positions


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


def meeting_in(window: Window, stepper: Stepper, before: Array, u: Array) -> Meeting | None:
    """Return the place in a window where the branch of the motion touches others, or None.

    Where the window does not tell it, the states `before` it (k, 2n+1) are asked; u are the controls.
    """
    system = stepper.setting.system
    if not _has_germs(system):
        return None
    place = singular_share(window, stepper)
    if place is None:
        return meeting_ahead(stepper, before, u)
    if not ROOM < place[0] < 1.0 - ROOM or place[1] < LINEAR or place[2] == "not zero":
        return None
    try:
        with precise():
            share, state = _refined(window, system, place[0])
        ends = (window.state(x)[1 : system.n + 1] for x in (0.0, 1.0))
        found = several_at(system, state, u, doubts(system, state, -np.subtract(*ends)))
    except (OpenError, GaussError):
        return meeting_ahead(stepper, before, u)
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
        if guide.sheets and not np.all(np.abs(there[1 : n + 1] - q) <= unsure):
            share = _end_of(window, guide.sheets[0], share)  # the window is nearer to the sheet than the states are
            there = window.state(share)
            q[list(guide.sheets[0].coordinates)] = there[1 : n + 1][list(guide.sheets[0].coordinates)]
            unsure = np.minimum(unsure, stepper.setting.rtol * np.abs(q - x[1 : n + 1]) + UNIT * np.abs(q))
        if not np.all(np.abs(there[1 : n + 1] - q) <= unsure):
            return None
        state = State(q, there[n + 1 :], float(there[0]))
        if np.linalg.norm(state.v) <= AT_REST * np.linalg.norm(x[n + 1 :]):
            share, there = _at_rest(window, guided, share)
            state = State(np.where(np.abs(q) <= unsure, 0.0, q), np.zeros(n), float(there[0]))
        found = several_at(system, state, u, unsure)
    except (OpenError, GaussError):
        return None
    return None if found is None else Meeting(replace(window, singular=share, off=BEYOND), share, state, found)


def _at_rest(window: Window, stepper: Stepper, share: float) -> tuple[float, Array]:
    """Return the share of a window near a given one at which the motion in it comes to rest, and the state there."""
    n, there = window.a.shape[1], window.state(share)
    for _ in range(STEPS):
        v, a = there[n + 1 :], stepper.accelerate(there)[0]
        change = float(v @ a) / float(a @ a) / window.h if np.all(np.isfinite(a)) and np.any(a) else 0.0
        share -= change
        there = window.state(share)
    return share, there


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
        found = located(part, fastest, list(states[:, own]))
        if found is not None:
            places |= dict(zip(own, found, strict=True))
            lead = own[fastest]
    if lead < 0:
        raise OpenError(NO_POWER)
    return places, lead


def _extrapolated(rows: Rows, lead: int, states: list[Array]) -> list[float]:
    """Return where a power of the distance vanishes that a determinant of the rows follows. Raises OpenError.

    Points nearer and nearer to that place, on a smooth path on which the states are, show where it is.
    """
    split, count = _split(rows, lead, states[0]), len(states)
    table, free = np.array(states), list(split.free)
    middle, extent = table[-1, lead], float(np.ptp(table[:, lead]))
    path = np.polynomial.polynomial.polyfit((table[:, lead] - middle) / extent, table[:, free], min(PATH, count - 3))

    def on_path(x: Any) -> list[Any]:
        """The free coordinates at a value x of the leading one."""
        share = (x - arb(float(middle))) / arb(extent)
        found = [sum((arb(float(c)) * share**i for i, c in enumerate(column)), arb(0)).mid() for column in path.T]
        return [x if j == lead else value for j, value in zip(free, found, strict=True)]

    known = []
    for q in states:
        point = _on_rows(rows, split, q)
        known.append(_measured(rows, split, _displaced(rows, split, point, on_path(point[lead]))))
    located, place = _power_ahead(known, lead)
    for _ in range(NEARER):
        x, last = ((place[lead] + known[-1][0][lead]) / 2).mid(), place[lead]
        point = through([(q[lead], q) for q, _ in known[-count:]])(x)
        for j, value in zip(free, on_path(x), strict=True):
            point[j] = value
        known.append(_measured(rows, split, point))
        place = located(known[-count:])
        if abs(float(place[lead] - last)) <= SETTLED * extent:
            return [float(value) for value in place]
    raise OpenError(NO_POWER)


def _displaced(rows: Rows, split: Split, point: list[Any], free: list[Any]) -> list[Any]:
    """Return a point moved to given free coordinates, along the tangent of the independent rows."""
    J = rows.jacobian([Noisy(x, 0.0) for x in point])
    change = [value - point[j] for j, value in zip(split.free, free, strict=True)]
    right = [sum((J[i][j].value * d for j, d in zip(split.free, change, strict=True)), arb(0)) for i in split.solving]
    r = len(right)
    slopes = arb_mat(r, r, [x for row in rows.slopes(point, split) for x in row])
    found = list(point)
    for j, step in zip(split.solved, (slopes.inv() * arb_mat(r, 1, right)).entries(), strict=True):
        found[j] = (found[j] - step).mid()
    for j, value in zip(split.free, free, strict=True):
        found[j] = value
    return found


def _end_of(window: Window, sheet: Sheet, share: float) -> float:
    """Return the share of a window along a sheet at which that touches the other. Raises OpenError."""
    n, own = window.a.shape[1], list(sheet.coordinates)
    known = [([arb(x)], sheet.parting(window.state(x)[1 : n + 1][own])) for x in np.linspace(*AWAY, ALONG) * share]
    return float(_power_ahead(known, 0)[1][0])


def _power_ahead(known: Sequence[Sized], lead: int) -> tuple[Callable[[Sequence[Sized]], list[Any]], list[Any]]:
    """Return how the place is found where a power vanishes that sizes at points follow, and it. Raises OpenError."""
    extent = abs(float(known[-1][0][lead] - known[0][0][lead]))
    for way in (_inverse, partial(_direct, lead=lead)):
        found = []
        for power in range(2, int(HIGHEST) + 1):
            located = partial(way, power=power)
            one, *others = (located(given) for given in (known, known[2:], known[:-2]))
            miss = max(abs(float(one[lead] - other[lead])) for other in others) / extent
            found.append((miss if miss == miss else np.inf, power, located, one))
        miss, _, located, place = min(found, key=lambda entry: entry[:2])
        ahead = (place[lead] - known[-1][0][lead]) * (known[-1][0][lead] - known[0][0][lead]) >= 0
        if miss <= SEEN and ahead:
            return located, place
    raise OpenError(NO_POWER)


def _inverse(known: Sequence[Sized], power: int) -> list[Any]:
    """Return the point at which the roots of sizes at points vanish, points being polynomials of the root."""
    return [value.mid() for value in through([(size.root(power).mid(), q) for q, size in known])(arb(0))]


def _direct(known: Sequence[Sized], power: int, lead: int) -> list[Any]:
    """Return the same point, roots being polynomials of the leading coordinate: they may vanish soon again."""
    root = through([(q[lead], [size.root(power).mid()]) for q, size in known])
    before, x = known[-2][0][lead], known[-1][0][lead]
    for _ in range(SECANTS):
        at, last = root(x)[0], root(before)[0]
        if at == last:
            break
        before, x = x, (x - at * (x - before) / (at - last)).mid()
    return [value.mid() for value in through([(q[lead], q) for q, _ in known])(x)]


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
    places, lead = _place(system, x, states, partial(_between, offsets=offsets))
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


def _split(rows: Rows, lead: int, q: Array) -> Split:
    """Return independent rows, and the coordinates they are solved for without the leading one. Raises OpenError."""
    others = [j for j in range(len(rows.coordinates)) if j != lead]
    across = [[row[j] for j in others] for row in rows.jacobian([Noisy(arb(float(value)), 0.0) for value in q])]
    part = Split.of(across, rows.names, [1] * len(others))
    solved, free = (tuple(others[j] for j in own) for own in (part.solved, part.free))
    return Split(part.solving, solved, part.rest, (lead, *free))


def _measured(rows: Rows, split: Split, q: Iterable[Any]) -> Sized:
    """Return the point of the set near q (n,), and the size of a determinant of the rows there. Raises OpenError."""
    point, r = _on_rows(rows, split, q), len(split.solving)
    return point, abs(arb_mat(r, r, [x.mid() for row in rows.slopes(point, split) for x in row]).det().mid())


def _on_rows(rows: Rows, split: Split, q: Iterable[Any]) -> list[Any]:
    """Return the point (n,) of the set near q (n,). Raises OpenError."""
    found, _ = settled(rows, split, [Noisy(x if isinstance(x, arb) else arb(float(x)), 0.0) for x in q])
    return [entry.value.mid() for entry in found]


def _between(rows: Rows, lead: int, states: list[Array], offsets: list[float]) -> list[float] | None:
    """Return where a power of the offset vanishes that a determinant of the rows follows, or None if it has none.

    Raises OpenError where it follows no power.
    """
    split = _split(rows, lead, states[0])
    known = [_measured(rows, split, q) for q in states]
    power = _power_of(np.abs(offsets), [float(size.log()) for _, size in known])
    if power < LINEAR:
        return None
    if abs(power - round(power)) > WHOLE:
        raise OpenError(NO_POWER)
    sides = [1 if offset > 0.0 else -1 for offset in offsets]
    roots = [((size.root(round(power)) * side).mid(), q) for (q, size), side in zip(known, sides, strict=True)]
    found: list[Any] = through(roots)(arb(0))
    return [float(value.mid()) for value in found]


def _power_of(distances: Array, logarithms: list[float]) -> float:
    """Return the mean power with which sizes, given by logarithms, grow with the distance on both sides."""
    half = len(distances) // 2
    slopes = [
        (logarithms[last] - logarithms[first]) / np.log(distances[last] / distances[first])
        for first, last in ((0, half - 1), (half, 2 * half - 1))
    ]
    return float(np.mean(slopes))
