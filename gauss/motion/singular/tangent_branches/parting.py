"""The place at which branches touch: there a determinant of the rows vanishes with a power of the distance.

Its root of that power is smooth along a branch. With many digits it is interpolated between states on both sides of
the place, or extrapolated from states before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
import scipy
from flint import arb, arb_mat

from gauss.foundation.arrays import Array
from gauss.foundation.tolerances import SETTLED
from gauss.model import System
from gauss.motion.singular.collocation import Window
from gauss.motion.singular.crossing import KNOWN
from gauss.motion.singular.look_ahead import HIGHEST, LINEAR
from gauss.motion.singular.tangent_branches.sheets import Sheet
from gauss.uniqueness.germs.curve import through
from gauss.uniqueness.germs.elimination import Split
from gauss.uniqueness.germs.numbers import Noisy, OpenError
from gauss.uniqueness.germs.parts import RestrictedRows, holonomic_parts
from gauss.uniqueness.germs.reduction import settled

NODES = 6  # states on either side of the place that are looked at
WHOLE = 0.3  # by how much the estimate of a power may be off
PATH = 6  # degree of the path of coordinates that the rows leave free
SEEN = 1e-3  # miss of an extrapolation, relative to the way of the states, from which a power is not seen at all
NEARER = 60  # points on the way to the place, each half as far from it as the one before
AWAY = (0.0, 0.9)  # share of the way to the place on which a window that is guided there is looked at
ALONG = 12  # such states
LOOKS = 25  # shares of a window along a sheet at which it is looked at
NO_POWER = "the rows do not lose their rank with a power of the distance"
SECANTS = 40  # towards a zero of a polynomial

Sized = tuple[list[Any], Any]  # a point of the set, and the size of a determinant of the rows there
Located = Callable[
    [RestrictedRows, int, list[Array]], list[float] | None
]  # from rows, their fastest coordinate, and positions


def place_of(system: System, x: Array, states: Array, located: Located) -> tuple[dict[int, float], int]:
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


def extrapolated(rows: RestrictedRows, lead: int, states: list[Array]) -> list[float]:
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


def between(rows: RestrictedRows, lead: int, states: list[Array], offsets: list[float]) -> list[float] | None:
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
    found, inner = ([float(x.mid()) for x in through(given)(arb(0))] for given in (roots, roots[1:-1]))
    if np.max(np.abs(np.subtract(found, inner))) > KNOWN * np.max(np.ptp(states, axis=0)):
        raise OpenError(NO_POWER)
    return found


def end_of(window: Window, sheet: Sheet, share: float) -> float:
    """Return the share of a window along a sheet at which that touches the other. Raises OpenError."""
    known = [([arb(x)], _parting(window, sheet, x)) for x in np.linspace(*AWAY, ALONG) * share]
    return float(_power_ahead(known, 0)[1][0])


def inside(window: Window, sheet: Sheet) -> float | None:
    """Return the share of a window along a sheet at which that touches the other, behind its start, or None.

    Raises OpenError.
    """
    looks, found = np.linspace(0.0, 1.0, LOOKS)[1:], []
    sizes = [_parting(window, sheet, x) for x in looks.tolist()]
    least = next((k for k in range(1, len(looks) - 1) if sizes[k - 1] > sizes[k] <= sizes[k + 1]), None)
    if least is None:
        return None
    offsets = around(1.0, 2.0)
    shares, sides = looks[least] + looks[0] * offsets, np.sign(offsets)
    signed = [(x, side, _parting(window, sheet, x)) for x, side in zip(shares.tolist(), sides, strict=True)]
    for power in range(2, int(HIGHEST) + 1):
        known = [(arb(x), [size.root(power) * side]) for x, side, size in signed]
        one, other = (
            float(scipy.optimize.brentq(lambda x: float(root(arb(x))[0]), shares[0], shares[NODES]))  # noqa: B023
            for root in (through(known), through(known[: NODES - 1] + known[NODES:-1]))
        )
        found.append((abs(one - other), one))
    miss, share = min(found)
    if not miss <= KNOWN:
        raise OpenError(NO_POWER)
    return share


def _parting(window: Window, sheet: Sheet, share: float) -> Any:
    """Return how far a sheet is from the other one at a share of a window along it, as `Sheet.parting` says it."""
    return sheet.parting(window.state(share)[1 : window.a.shape[1] + 1][list(sheet.coordinates)])


def around(near: float, far: float) -> Array:
    """Return offsets on both sides of a place, from near to far on each."""
    return np.outer([-1.0, 1.0], np.linspace(near, far, NODES)).ravel()


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


def _displaced(rows: RestrictedRows, split: Split, point: list[Any], free: list[Any]) -> list[Any]:
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


def _split(rows: RestrictedRows, lead: int, q: Array) -> Split:
    """Return independent rows, and the coordinates they are solved for without the leading one. Raises OpenError."""
    others = [j for j in range(len(rows.coordinates)) if j != lead]
    across = [[row[j] for j in others] for row in rows.jacobian([Noisy(arb(float(value)), 0.0) for value in q])]
    part = Split.of(across, rows.names, [1] * len(others))
    solved, free = (tuple(others[j] for j in own) for own in (part.solved, part.free))
    return Split(part.solving, solved, part.rest, (lead, *free))


def _measured(rows: RestrictedRows, split: Split, q: Iterable[Any]) -> Sized:
    """Return the point of the set near q (n,), and the size of a determinant of the rows there. Raises OpenError."""
    point, r = _on_rows(rows, split, q), len(split.solving)
    return point, abs(arb_mat(r, r, [x.mid() for row in rows.slopes(point, split) for x in row]).det().mid())


def _on_rows(rows: RestrictedRows, split: Split, q: Iterable[Any]) -> list[Any]:
    """Return the point (n,) of the set near q (n,). Raises OpenError."""
    found, _ = settled(rows, split, [Noisy(x if isinstance(x, arb) else arb(float(x)), 0.0) for x in q])
    return [entry.value.mid() for entry in found]


def _power_of(distances: Array, logarithms: list[float]) -> float:
    """Return the mean power with which sizes, given by logarithms, grow with the distance on both sides."""
    half = len(distances) // 2
    slopes = [
        (logarithms[last] - logarithms[first]) / np.log(distances[last] / distances[first])
        for first, last in ((0, half - 1), (half, 2 * half - 1))
    ]
    return float(np.mean(slopes))
