"""One of two smooth sets of several dimensions that touch, as functions of the coordinates that are free on it.

Where two sheets are nearly one, the rows are nearly dependent. All but one of them are solved for as many coordinates z
still; the last one, with these, is a function g of one coordinate y, like a parabola, whose roots are the two sheets.
Its larger root is always on the same of them, up to where they touch. Newton's method with 300 digits finds the point,
and the derivatives of (z, y) by the free coordinates, which are smooth however near the sheets come.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from flint import arb, arb_mat, arb_series

from gauss.foundation.arrays import Array
from gauss.foundation.threads import precise
from gauss.foundation.zero import ZERO
from gauss.model import System
from gauss.uniqueness.germs.elimination import Split
from gauss.uniqueness.germs.germ import Germ
from gauss.uniqueness.germs.numbers import MANY_BITS, OpenError, fine
from gauss.uniqueness.germs.parts import RestrictedRows, holonomic_parts
from gauss.uniqueness.germs.series import Series

HALVINGS = 20  # of a time, until a point that it leads to is found on the sheet
STEPS = 16  # of Newton's method
NEAR = 2.0**-20  # step onto a sheet, relative to the way to the other one, behind which Newton's method stays on it
SHARP = 0.4  # share of the bits in its last step, relative
KEPT = 64  # points that are remembered


@dataclass(frozen=True)
class Sheet:
    """The solved coordinates as functions of the free ones, on one of two sets that touch."""

    rows: RestrictedRows
    split: Split  # the last of the rows and of the solved coordinates are those of the parabola
    side: int  # 1 for its larger root, −1 for the smaller one
    _known: dict[bytes, tuple[list[Any], Any, Any]] = field(default_factory=dict, repr=False, compare=False)

    @staticmethod
    def of(system: System, part: Germ, side: int) -> Sheet:
        """Return the sheet on a side of a germ of two sheets that touch. Raises OpenError for another germ."""
        if part.parting is None:
            raise OpenError("no two smooth sets touch here")
        rows = next(rows for rows in holonomic_parts(system) if rows.coordinates == part.coordinates)
        return Sheet(rows, part.parting, side)

    @staticmethod
    def through(system: System, part: Germ, q: Array) -> Sheet:
        """Return the sheet of a germ that a position q (n,) apart from the other one is on. Raises OpenError."""
        either = Sheet.of(system, part, 0)
        with precise(MANY_BITS):
            point = either._newton([arb(float(x)) for x in q[list(part.coordinates)]])
            slope, bend = either._parabola(point)[1:3]
            if not slope * bend:
                raise OpenError("the sheets do not part here")
        return Sheet(either.rows, either.split, 1 if slope * bend > 0 else -1)

    @staticmethod
    def along(system: System, part: Germ, branch: int, way: float) -> Sheet:
        """Return one of two branches, on the side of the place to which its lead coordinate goes. Raises OpenError."""
        one, other = part.branches[branch], part.branches[1 - branch]
        tau = [np.sign(way * each.series[1, each.lead]) for each in (one, other)]
        for k in range(1, min(len(one.series), len(other.series))):
            ends = [each.series[k, each.other] * sign**k for each, sign in zip((one, other), tau, strict=True)]
            if abs(ends[0] - ends[1]) > ZERO * (one.noise[k, one.other] + other.noise[k, other.other]):
                return Sheet.of(system, part, 1 if ends[0] > ends[1] else -1)
        raise OpenError("the branches do not part")

    @property
    def coordinates(self) -> tuple[int, ...]:
        """Positions (k,) in the system."""
        return self.rows.coordinates

    def moved(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Return the point (k,) of the sheet, and the velocity, with the same free coordinates. Raises OpenError."""
        with precise(MANY_BITS):
            point, tangents, _ = self._at(q)
            return _floats(point), _floats(self._speed(tangents, v))

    def ahead(self, q: Array, v: Array, a: Array, span: float) -> Array:
        """Return the farthest point (k,) found that a motion from (q, v) comes by within a time. Raises OpenError."""
        for halving in range(HALVINGS):
            time = span / 2.0**halving
            with suppress(OpenError):
                return self.moved(q + time * v + time**2 / 2.0 * a, v)[0]
        raise OpenError("the sheet is not found on the way")

    def parting(self, q: Array) -> Any:
        """Return the size of the slope of the parabola at a point, which vanishes where the sheets touch."""
        with precise(MANY_BITS):
            return abs(self._parabola(self._at(q)[0])[1])

    def conditions(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Return J (r, k) and γ (r,) of its tangents J v = 0 and its accelerations J a = γ. Raises OpenError."""
        solved, free = (list(columns) for columns in (self.split.solved, self.split.free))
        with precise(MANY_BITS):
            point, tangents, inverse = self._at(q)
            J = np.zeros((len(solved), len(point)))
            J[:, solved] = np.eye(len(solved))
            for row, tangent in zip(J, tangents.table(), strict=True):
                row[free] = -_floats(tangent)
            bends = [2 * row[2] for row in self._along(point, dict(enumerate(self._speed(tangents, v))), 3)]
            return J, -_floats((inverse * arb_mat(len(bends), 1, bends)).entries())

    def _speed(self, tangents: Any, v: Array) -> list[Any]:
        """Return a velocity (k,) to all digits, in which the free coordinates are those of v."""
        speed = [arb(float(x)) for x in v]
        rates = tangents * arb_mat([[speed[j]] for j in self.split.free])
        for j, rate in zip(self.split.solved, rates.entries(), strict=True):
            speed[j] = rate.mid()
        return speed

    def _at(self, q: Array) -> tuple[list[Any], Any, Any]:
        """Return the point with the free coordinates of q (k,), its derivatives by them, and inverse slopes (r, r)."""
        if not np.all(np.isfinite(q)):
            raise OpenError("the sheet is not known so far")
        key = q[list(self.split.free)].tobytes()
        if key not in self._known:
            point = self._newton(self._beside([arb(float(x)) for x in q]))
            inverse = self._linear(point, self.split.solved)[1].inv()
            tangents = -inverse * self._linear(point, self.split.free)[1]
            if len(self._known) >= KEPT:
                self._known.clear()
            self._known[key] = point, tangents, inverse
        return self._known[key]

    def _linear(self, point: list[Any], columns: tuple[int, ...]) -> tuple[Any, Any]:
        """Return the rows (r, 1) at a point, and their derivatives (r, k) by some of the coordinates."""
        found = [self._along(point, {j: arb(1)}, 2) for j in columns]
        slopes = arb_mat([[column[i][1].mid() for column in found] for i in range(len(found[0]))])
        return arb_mat([[row[0].mid()] for row in found[0]]), slopes

    def _along(self, point: list[Any], direction: dict[int, Any], length: int) -> list[Any]:
        """Return the rows (r,) as series along a direction from a point."""
        at = [
            Series(arb_series([x, direction[j]] if j in direction else [x], length), None) for j, x in enumerate(point)
        ]
        return [row.value for row in self.rows.values(at, self.split.solving, length)]

    def _parabola(self, point: list[Any]) -> tuple[Any, Any, Any, dict[int, Any], dict[int, Any]]:
        """Return g, g' and g'' along y, the moves of z onto its rows, and the direction of z and y."""
        *z, y = self.split.solved
        r = len(z)
        moves, along, weights = dict.fromkeys(z, arb(0)), {y: arb(1)}, [arb(1)]
        if z:
            values, slopes = (found.table() for found in self._linear(point, self.split.solved))
            regular = arb_mat([row[:r] for row in slopes[:r]])
            both = regular.solve(arb_mat([[values[i][0], slopes[i][r]] for i in range(r)])).table()
            moves = {j: row[0].mid() for j, row in zip(z, both, strict=True)}
            along |= {j: -row[1].mid() for j, row in zip(z, both, strict=True)}
            last = regular.transpose().solve(arb_mat(r, 1, slopes[r][:r])).entries()
            weights = [*(-x.mid() for x in last), arb(1)]
        found = self._along(point, along, 3)
        value, slope, half = (
            sum((w * row[k] for w, row in zip(weights, found, strict=True)), arb(0)).mid() for k in range(3)
        )
        return value, slope, 2 * half, moves, along

    def _beside(self, point: list[Any]) -> list[Any]:
        """Return a point so near to the sheet that Newton's method stays on it. Raises OpenError."""
        near = False
        for _ in range(STEPS):
            value, slope, bend, moves, along = self._parabola(point)
            if not bend:
                break
            square = slope * slope - 2 * value * bend
            root = square.sqrt().mid() if square > 0 else arb(0)
            step = ((root if bend * self.side > 0 else -root) - slope) / bend
            for j, direction in along.items():
                point[j] = (point[j] + step * direction - moves.get(j, 0)).mid()
            before, near = near, bool(root > 0 and abs(step) <= arb(NEAR) * abs(root / bend))
            if near and before:  # the others are on their rows, too
                return point
        raise OpenError("no point on the sheet was found")

    def _newton(self, point: list[Any]) -> list[Any]:
        """Return the point on the rows, by Newton's method from next to it. Raises OpenError."""
        for _ in range(STEPS):
            values, slopes = self._linear(point, self.split.solved)
            try:
                steps = slopes.solve(values).entries()
            except ZeroDivisionError:
                raise OpenError("the rows are dependent where the sheets touch") from None
            for j, step in zip(self.split.solved, steps, strict=True):
                point[j] = (point[j] - step).mid()
            size = max((abs(x) for x in point), key=float)
            if max((abs(step.mid()) for step in steps), key=float) <= arb(fine(SHARP)) * size:
                return point
        raise OpenError("no point on the rows was found")


def _floats(values: Iterable[Any]) -> Array:
    return np.array([float(x.mid()) for x in values])
