"""A branch of a constraint set as a curve q(τ) over a whole interval of τ, not as a series at its start alone.

The series at the singular position tells the branches apart. Where they are apart, Newton's method with many digits
finds points on the one that the series leads to. A polynomial that begins with the series passes through these points.
Near the singular position the rows would not tell the branches apart; there the series counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb, arb_mat
from numpy.polynomial import chebyshev

from gauss.foundation.arrays import Array
from gauss.foundation.threads import precise
from gauss.foundation.zero import CLEAR, UNIT, ZERO
from gauss.model.system import System
from gauss.uniqueness.germs.elimination import Split
from gauss.uniqueness.germs.germ import Germ, RealBranch
from gauss.uniqueness.germs.numbers import MANY_BITS, Noisy, OpenError
from gauss.uniqueness.germs.parts import RestrictedRows, holonomic_parts
from gauss.uniqueness.germs.series import Series

NODES = 8  # points on either side, at 1/2 to 1 of the length
STEPPING = 6  # halvings of the length, at most, from which Newton's method follows the branch
NEAR = 1 / 64  # largest second step of Newton's method over its first, from a guess that belongs to the branch
SWEEPS = 12  # steps of Newton's method
SHARP = 2.0**-300  # relative size of the last
HALVINGS = 24  # of the length


@dataclass(frozen=True)
class Curve:
    """The coordinates on a branch: q(τ) for |τ| ≤ length, where coordinate `lead` is base ± τ^e exactly."""

    coordinates: tuple[int, ...]  # (k,) positions in the system
    lead: int  # position in the system
    base: float  # value of the lead coordinate at τ = 0
    sign: int
    ramification: int  # e
    length: float
    table: Array  # (N, k) Chebyshev coefficients of q in τ / length

    @cached_property
    def _tables(self) -> tuple[Array, ...]:
        """Coefficients of q, dq/dτ and d²q/dτ²."""
        return tuple(np.asarray(chebyshev.chebder(self.table, k) / self.length**k) for k in range(3))

    def parameter(self, lead: float, half: int) -> float:
        """Return τ at a value of the lead coordinate, on the half τ > 0 or τ < 0; nan beyond the curve's length."""
        along, e = self.sign * (lead - self.base), self.ramification
        size = max(along, 0.0) if e % 2 == 0 else abs(along)
        tau = (half if e % 2 == 0 else float(np.sign(along))) * size ** (1.0 / e)
        return tau if abs(tau) <= self.length else float("nan")

    def at(self, tau: float) -> tuple[Array, Array, Array]:
        """Return q, dq/dτ and d²q/dτ² (k,)."""
        x = tau / self.length
        q, once, twice = (np.asarray(chebyshev.chebval(x, table)) for table in self._tables)
        return q, once, twice


def curve_along(system: System, part: Germ, branch: RealBranch, reach: float) -> Curve:
    """Return a branch of a germ of curves as a curve of at most the length at which |lead − base| = reach.

    It is shorter where the branch is not known so far. Raises OpenError.
    """
    e = branch.ramification
    with precise(MANY_BITS):
        rows = next(rows for rows in holonomic_parts(system) if rows.coordinates == part.coordinates)
        path = _Path(rows, branch)
        length = min(reach, 2.0 * _radius(branch) ** e) ** (1.0 / e)
        for _ in range(HALVINGS):
            try:
                return path.curve(length)
            except OpenError as error:
                failure = error
                length /= 2.0
        raise OpenError(f"the branch could not be followed: {failure}")


def _radius(branch: RealBranch) -> float:
    """Return |τ| at which terms of the series are as large as its first; inf where there are no others."""
    e = branch.ramification
    sizes = np.max(np.abs(branch.series), axis=1)
    later = [(sizes[e] / sizes[k]) ** (1.0 / (k - e)) for k in range(e + 1, len(sizes)) if sizes[k] > 0.0]
    return float(min(later, default=np.inf))


class _Path:
    """Points on one branch."""

    def __init__(self, rows: RestrictedRows, branch: RealBranch):
        self.rows, self.branch = rows, branch
        self.head = [[ball[k].mid() for k in range(len(branch.series))] for ball in branch.balls]  # (k) lists
        self.lead = rows.coordinates.index(branch.lead)
        self.others = [j for j in range(len(rows.coordinates)) if j != self.lead]

    def curve(self, length: float) -> Curve:
        """Return the curve to |τ| = length. Raises OpenError.

        Near the state the rounding of the rows' constants may hide which branch a point is on: the way there can begin
        farther out.
        """
        for stepping in range(STEPPING, 0, -1):
            try:
                return self._from(stepping, length)
            except OpenError as error:
                failure = error
        raise failure

    def _from(self, stepping: int, length: float) -> Curve:
        """Return the curve by points from 2 to the power −stepping of the length on. Raises OpenError."""
        size = arb(length)
        chebyshev_nodes = [0.75 + 0.25 * float(np.cos(np.pi * (k + 0.5) / NODES)) for k in reversed(range(NODES))]
        checks = [0.35, 0.77, 0.9]
        points: list[tuple[Any, list[Any]]] = []  # at τ / length: the remainder, point minus series over τ^K
        tests: list[tuple[Any, list[Any], Array]] = []
        for side in (1, -1):
            known: list[tuple[Any, list[Any]]] = []
            steps = [2.0**-k for k in range(2, stepping + 1)]
            for share in sorted([*steps, *chebyshev_nodes, *checks]):
                x = side * arb(share)
                point, doubt = self._point(x * size, self._guessed(x, size, known))
                found = self._remainder(point, x, size)
                known = [*known, (x, found)][-4:]
                if share in chebyshev_nodes:
                    points.append((x, found))
                elif share in checks:
                    tests.append((x, found, doubt))
        values = through(points)
        extent = [self._extent(j, points, size) for j in self.others]
        for x, remainder, doubt in tests:
            power = (x * size) ** len(self.branch.series)
            for own, value, expected, unsure in zip(extent, values(x), remainder, doubt, strict=True):
                if not abs(float((value - expected) * power)) <= ZERO * UNIT * own + CLEAR * unsure:
                    raise OpenError("the polynomial through points of the branch does not represent it")
        e = self.branch.ramification
        return Curve(
            coordinates=self.rows.coordinates,
            lead=self.branch.lead,
            base=float(self.head[self.lead][0]),
            sign=1 if self.head[self.lead][e] > 0 else -1,
            ramification=e,
            length=length,
            table=self._table(values, size),
        )

    def _extent(self, j: int, points: list[tuple[Any, list[Any]]], size: Any) -> float:
        """Return the largest absolute value of a coordinate at points of the branch."""
        order, k = len(self.branch.series), self.others.index(j)
        return max(abs(float(self._head(j, x * size) + r[k] * (x * size) ** order)) for x, r in points)

    def _head(self, j: int, tau: Any) -> Any:
        total = arb(0)
        for c in reversed(self.head[j]):
            total = total * tau + c
        return total

    def _guessed(self, x: Any, size: Any, known: list[tuple[Any, list[Any]]]) -> list[Any]:
        """Return the coordinates that the series and the points so far make expect at τ = x size."""
        tau = x * size
        ahead = through(known)(x) if known else [arb(0)] * len(self.others)
        point = [self._head(j, tau) for j in range(len(self.head))]
        for j, remainder in zip(self.others, ahead, strict=True):
            point[j] = (point[j] + remainder * tau ** len(self.branch.series)).mid()
        return [value.mid() for value in point]

    def _remainder(self, point: list[Any], x: Any, size: Any) -> list[Any]:
        tau = x * size
        return [((point[j] - self._head(j, tau)) / tau ** len(self.branch.series)).mid() for j in self.others]

    def _point(self, tau: Any, guess: list[Any]) -> tuple[list[Any], Array]:
        """Return the point of the branch at τ, by Newton's method from a guess, and what it is uncertain by (k − 1,).

        That is what the rounding of the rows' constants makes of the other coordinates. Raises OpenError.
        """
        point, first, last = list(guess), None, None
        for _ in range(SWEEPS):
            J = self.rows.jacobian([Noisy(value, 0.0) for value in point])
            across = [[row[j] for j in self.others] for row in J]
            if last is None:
                split = Split.of(across, self.rows.names, [1] * len(self.others))
                if split.free:
                    raise OpenError("the rows vanish along the branch, not only at its start")
            values = self.rows.values([Series.of(value, None, 1) for value in point], split.solving, 1)
            r = len(split.solving)
            slopes = arb_mat(r, r, [across[i][j].value.mid() for i in split.solving for j in range(r)])
            try:
                steps = slopes.solve(arb_mat(r, 1, [v.value[0].mid() for v in values])).entries()
            except ZeroDivisionError:
                raise OpenError("the rows are dependent on the way along the branch") from None
            size = max((abs(step.mid()) for step in steps), key=float, default=arb(0))
            for j, step in zip(self.others, steps, strict=True):
                point[j] = (point[j] - step).mid()
            reach = max((abs(point[j] - self.head[j][0]) for j in range(len(point))), key=float)
            if size <= arb(SHARP) * reach:
                return point, self._doubt(point, split, slopes)
            if first is None:
                first = size
            elif last is first and not size <= arb(NEAR) * first:
                raise OpenError("it is not clear which of the branches a point belongs to")
            last = size
        raise OpenError("no point on the branch was found")

    def _doubt(self, point: list[Any], split: Split, slopes: Any) -> Array:
        """Return what the rounding of constants leaves open of the coordinates but the lead one."""
        at = [Series.of(value, UNIT * abs(float(value)), 1) for value in point]
        noise = np.array([float(row.noise[0]) for row in self.rows.values(at, split.solving, 1)])
        inverse = np.array([[abs(float(entry.mid())) for entry in row] for row in slopes.inv().table()])
        return np.asarray(inverse @ noise)

    def _table(self, values: Any, size: Any) -> Array:
        """Return the Chebyshev coefficients (N, k) of the coordinates in τ / length."""
        order = len(self.branch.series)
        count = order + 2 * NODES
        angles = [arb.pi() * (2 * k + 1) / (2 * count) for k in range(count)]
        rows = []
        for angle in angles:
            x = angle.cos().mid()
            tau = x * size
            place = [self._head(j, tau) for j in range(len(self.head))]
            for j, remainder in zip(self.others, values(x), strict=True):
                place[j] = place[j] + remainder * tau**order
            rows.append(place)
        found = np.zeros((count, len(self.head)))
        for k in range(count):
            cosines = [(angle * k).cos() for angle in angles]
            for j in range(len(self.head)):
                total = sum((c * place[j] for c, place in zip(cosines, rows, strict=True)), arb(0))
                found[k, j] = float((total * (1 if k == 0 else 2) / count).mid())
        return found


def through(points: list[tuple[Any, list[Any]]]) -> Any:
    """Return the polynomials through points (x, values) as a function of x (Newton's divided differences)."""
    places = [x for x, _ in points]
    columns = []
    for j in range(len(points[0][1])):
        differences = [values[j] for _, values in points]
        for k in range(1, len(places)):
            for i in range(len(places) - 1, k - 1, -1):
                differences[i] = ((differences[i] - differences[i - 1]) / (places[i] - places[i - k])).mid()
        columns.append(differences)

    def at(x: Any) -> list[Any]:
        found = []
        for differences in columns:
            total = arb(0)
            for place, c in zip(reversed(places), reversed(differences), strict=True):
                total = (total * (x - place) + c).mid()
            found.append(total)
        return found

    return at
