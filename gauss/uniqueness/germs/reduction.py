"""Independent rows are solved for as many coordinates, and the other rows become equations in those that are left.

Of rows φ(q) with rank r at q₀, elimination picks r rows and r coordinates c whose square Jacobian is regular; the other
coordinates y are free. The implicit function theorem gives c(y) as a power series, here by Newton steps with the
Jacobian at q₀, each of which gains one order. The rows left over, g(y) = φ(q₀ + y, c(y)), are the reduced equations:
they vanish to first order, and g = 0 is the set of solutions near q₀. Coordinates keep their own units throughout, and
neither these nor factors of rows change a decision.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb, arb_mat, arb_series

from gauss.foundation.arrays import Array
from gauss.foundation.threads import precise
from gauss.foundation.zero import UNIT
from gauss.model.system import System
from gauss.uniqueness.germs.elimination import Split
from gauss.uniqueness.germs.numbers import DUST, Noisy, OpenError, fine, is_zero
from gauss.uniqueness.germs.parts import RestrictedRows, holonomic_parts
from gauss.uniqueness.germs.puiseux import THIRD
from gauss.uniqueness.germs.series import Packing, Series

BESIDE = 4.0  # steps of Newton's method, with an inverse from nearby, within which the solution lies for sure
SETTLED = 0.9  # share of the bits in a Newton step, relative, that ends the solution of the rows at a point
STEPS = 40  # Newton steps until then
SLOW = 1e-6  # reduction of a step from which the Jacobian is kept for the next one
UNSEEN = 2.0**-20  # share of their size by which coordinates are moved where a move by all of it meets a kink
APART = 2.0**-80  # of a coordinate, over which rows are differenced: the other digits tell how they change
FAR = 8  # order to which rows are expanded along a coordinate, at least, where its length is sought
SPREAD = 2.0**20  # rounding of the 77 digits at higher orders over that at lower ones, at the radii
BALLS = 2.0**16  # radii of a ball up to which its middle is the rounding of many operations
FARTHEST = 1e10  # roundings by which a state may miss the rows; its other coordinates are held for as uncertain
LARGEST_RANK = 30  # coordinates up to which the rank is computed by elimination


@dataclass(frozen=True)
class Reduction:
    """The coordinates and the reduced equations as power series in the free coordinates, from a point on the rows."""

    rows: RestrictedRows
    split: Split
    base: tuple[Noisy, ...]  # (n,) the point, on the independent rows
    inverse: Any  # (r, r) inverse Jacobian of the independent rows by the solved coordinates
    packing: Packing
    coordinates: tuple[Series, ...]  # (n,)
    equations: tuple[Series, ...]  # (m − r,) the rows left over
    least: int = THIRD  # order to which branches are expanded at least, if they are known so far

    @staticmethod
    def at(rows: RestrictedRows, split: Split, base: Sequence[Noisy], degree: int, noisy: bool = True) -> Reduction:
        """Expand to the given total degree at a point, without noise if no one asks for it. Raises OpenError."""
        inverse = _inverse(rows.slopes([x.value for x in base], split))
        packing = Packing(len(split.free), degree)
        start = Reduction(rows, split, tuple(base), inverse, packing, (), ())
        return start._expanded(noisy)

    def to(self, degree: int) -> Reduction:
        """Return the same to another degree."""
        return replace(self, packing=Packing(len(self.split.free), degree))._expanded()

    def _expanded(self, noisy: bool = True) -> Reduction:
        split, packing = self.split, self.packing
        corrections = [arb_series([], packing.length) for _ in split.solved]
        for order in range(1, packing.degree + 1 if split.solved else 0):
            length = (order + 1) * (packing.degree + 1) ** max(packing.d - 1, 0)
            residuals = self.rows.values(self._series(corrections, length), split.solving, length)
            corrections = self._improved(corrections, [r.value for r in residuals], length)
        if noisy:
            zeros = [np.zeros(packing.length) for _ in split.solved]
            plain = replace(self, coordinates=tuple(self._series(corrections, packing.length, zeros)))
            coordinates = self._series(corrections, packing.length, plain._noises(corrections))
        else:
            coordinates = self._series(corrections, packing.length)
        equations = self.rows.values(coordinates, split.rest, packing.length) if split.rest else []
        return replace(self, coordinates=tuple(coordinates), equations=tuple(equations))

    def _noises(self, corrections: list[Any]) -> list[Array]:
        """Return the noise of the solved coordinates: that of their rows through J⁻¹, twice, as orders move the next.

        It is what the inverse Jacobian along the solution makes of it, at least: as far from the state as that becomes
        singular, orders grow, and their noise with them. What rounding of the 77 digits has left of the rows can reach
        every order; the radii say how much.
        """
        if not self.split.solved:
            return []
        weights, noises = _sizes(self.inverse), [np.zeros(self.packing.length) for _ in self.split.solved]
        carried = noises
        for again in range(2):
            at = self._series(corrections, self.packing.length, noises)
            found = self.rows.values(at, self.split.solving, self.packing.length)
            rounded = np.array([r.noise for r in found])
            carried = carried if again else self._carried(corrections, rounded)
            noises = list(np.maximum(weights @ rounded, carried))
        left = weights @ np.array([r.reach for r in found])
        if np.any(left):
            places = [place for _, place in self.packing.monomials]
            scales = np.array([float(np.prod(self.radii ** np.array(a))) for a, _ in self.packing.monomials])
            for noise, rest in zip(noises, left, strict=True):
                noise[places] += SPREAD * np.max(rest[places] * scales) / scales
        return noises

    def _carried(self, corrections: list[Any], rounded: Array) -> list[Array]:
        """Return what noise (r, L) of the independent rows makes of the solved coordinates, by |J⁻¹| along the set."""
        packing, r = self.packing, len(self.split.solved)
        powers, places = (np.array(x) for x in zip(*packing.monomials, strict=True))
        J = np.array([[[float(x[k].mid()) for k in places] for x in column] for column in self._turned(corrections)])
        J = J.transpose(2, 1, 0)
        order = {tuple(a): k for k, a in enumerate(powers.tolist())}
        inverse, found = np.zeros_like(J), np.zeros((r, packing.length))
        inverse[0] = np.linalg.pinv(J[0], rcond=0.0)
        by_degree = np.argsort(powers.sum(axis=1), kind="stable")
        with np.errstate(over="ignore", invalid="ignore"):
            for c in by_degree.tolist():
                below = np.flatnonzero(np.all(powers <= powers[c], axis=1))
                rest = np.array([order[tuple(a)] for a in (powers[c] - powers[below]).tolist()])
                if powers[c].any():
                    moved = below > 0
                    inverse[c] = -inverse[0] @ np.einsum("kij,kjl->il", J[below[moved]], inverse[rest[moved]])
                found[:, places[c]] = np.einsum("kij,jk->i", np.abs(inverse[below]), rounded[:, places[rest]])
        return list(np.where(np.isfinite(found), found, 0.0))

    def _turned(self, corrections: list[Any]) -> list[list[Any]]:
        """Return the Jacobian along the solution as series, a list for each solved coordinate, by differences."""
        at, length = self._series(corrections, self.packing.length), self.packing.length
        here, found = self.rows.values(at, self.split.solving, length), []
        for j in self.split.solved:
            size = max(float(abs(self.base[j].value)), 1.0)
            moved = [Series(x.value + APART * size, None) if k == j else x for k, x in enumerate(at)]
            there = self.rows.values(moved, self.split.solving, length)
            found.append([(y.value - x.value) / (APART * size) for x, y in zip(here, there, strict=True)])
        return found

    def _series(self, corrections: list[Any], length: int, noises: list[Array] | None = None) -> list[Series]:
        """Return q = base + y + corrections; `noises` (r, L) of the solved coordinates, None for no noise at all."""
        found: list[Series | None] = [None] * len(self.base)
        for k, j in enumerate(self.split.solved):
            shifted = arb_series([self.base[j].value], length) + corrections[k]
            found[j] = Series(shifted, None if noises is None else noises[k])
        for k, j in enumerate(self.split.free):
            noise = None if noises is None else self.base[j].noise
            found[j] = Series.of(self.base[j].value, noise, length, self.packing.weights[k])
        for j, entry in enumerate(found):
            if entry is None:  # held fixed
                found[j] = Series.of(self.base[j].value, None if noises is None else self.base[j].noise, length)
        return [entry for entry in found if entry is not None]

    def _improved(self, corrections: list[Any], residuals: list[Any], length: int) -> list[Any]:
        improved = []
        for k, correction in enumerate(corrections):
            for i, residual in enumerate(residuals):
                correction = correction - residual * self.inverse[k, i]
            improved.append(arb_series([_settled_middle(c) for c in correction.coeffs()], length))
        return [arb_series(c.coeffs(), self.packing.length) for c in improved]

    @cached_property
    def radii(self) -> Array:
        """Lengths (d,) of the free coordinates at which terms of different order are of one size, at least.

        A coordinate in which every row has one term alone moves the rows as much as the others do, or by 1, or by what
        makes terms with others as large.
        """
        lines = [self._line(i, j) for i, j in enumerate(self.split.free)]
        own = np.array([min((_reach(sizes) for sizes in line), default=np.inf) for line in lines])
        known = np.isfinite(own) & (own > 0.0)
        found = np.where(known, own, np.inf)
        for row in zip(*lines, strict=True):
            orders = [next(iter(np.flatnonzero(sizes).tolist()), 0) for sizes in row]
            k = min((order for order in orders if order), default=0)
            effect = np.array([sizes[k] ** (1.0 / k) if k and order == k else 0.0 for sizes, order in zip(row, orders)])
            most = float(np.max(effect[known] * own[known], initial=0.0))
            for i in np.flatnonzero(~known & (effect > 0.0)) if most > 0.0 else ():
                found[i] = min(found[i], most / effect[i])
        alone = ~np.isfinite(found)
        found = np.where(alone, 1.0, found)
        return np.where(alone, min(1.0, self._mixed(found)), found) if self.packing.d > 1 and np.any(alone) else found

    def _mixed(self, lengths: Array) -> float:
        """Return at which share of displacements by lengths (d,) of all free coordinates terms are of one size."""
        slopes = [
            sum(float(series.value[w]) * x for w, x in zip(self.packing.weights, lengths, strict=True))
            for series in self.coordinates
        ]

        def rows(share: float) -> list[Series]:
            at = []
            for base, slope in zip(self.base, slopes, strict=True):
                sizes = np.zeros(FAR + 1)
                sizes[:2] = share * abs(float(base.value)), share * abs(slope)
                at.append(Series(arb_series([base.value, slope], FAR + 1), sizes))
            return self.rows.values(at, range(len(self.rows.rows)), FAR + 1)

        try:
            found = rows(1.0)
        except OpenError:  # so much noise hides on which side of a kink, or of a cut, the state lies
            found = rows(UNSEEN)
        return min((_reach(row.noise) for row in found), default=1.0)

    def _line(self, i: int, j: int) -> list[Array]:
        """Return the sizes of the powers of a free coordinate (the i-th, j) in each row."""
        line, place = self, i
        if self.packing.d > 1 and self.packing.degree < FAR:
            line, place = Reduction.at(self.rows, replace(self.split, free=(j,)), self.base, FAR), 0
        weight = line.packing.weights[place]
        try:
            rows = line._sized(1.0)  # then the noise is about Σ|terms|
        except OpenError:  # so much noise hides on which side of a kink the state lies
            rows = line._sized(UNSEEN)
        return [row.noise[: weight * line.packing.degree + 1 : weight] for row in rows]

    def _sized(self, share: float) -> list[Series]:
        """Return the rows with the noise of coordinates that are uncertain by a share of their size."""
        rounded = [Series(x.value, share * x.sizes) for x in self.coordinates]
        return self.rows.values(rounded, range(len(self.rows.rows)), self.packing.length)

    def near(self, y: Sequence[Any]) -> list[Noisy]:
        """Return the coordinates (n,) of the point on the independent rows at free coordinates y (d,) from the base.

        Raises OpenError where Newton's method, from the series, does not find it.
        """
        at = [_value(self.packing, series.value, y) for series in self.coordinates]
        for j, x in zip(self.split.free, y, strict=True):
            at[j] = (self.base[j].value + x).mid()
        noises = {j: DUST * max(abs(float(x)), DUST) for j, x in zip(self.split.free, y, strict=True)}
        point = [Noisy(at[j], noises.get(j, 0.0)) for j in range(len(at))]
        return settled(self.rows, self.split, point, self.inverse)[0]

    def enclosed(self, point: Sequence[Noisy]) -> list[Noisy]:
        """Return a point (n,) whose solved coordinates are balls about all that the independent rows do not tell."""
        rows = self.rows.values([Series.of(x.value, None, 1) for x in point], self.split.solving, 1)
        found = list(point)
        if rows:
            steps = (self.inverse * arb_mat(len(rows), 1, [row.value[0] for row in rows])).entries()
            for j, step in zip(self.split.solved, steps, strict=True):
                found[j] = Noisy(arb(point[j].value.mid(), BESIDE * step.abs_upper()), point[j].noise)
        return found


def _settled_middle(c: Any) -> Any:
    """Return the middle of a ball, or zero where it is the rounding of many operations."""
    return c.mid() if abs(c.mid()) > BALLS * c.rad() else 0


def _reach(sizes: Array) -> float:
    """Return the length at which the lowest power and another, with given sizes, are equal; inf for one power alone."""
    lowest, *higher = np.flatnonzero(sizes).tolist() or [0]
    return min(((sizes[lowest] / sizes[k]) ** (1.0 / (k - lowest)) for k in higher), default=float("inf"))


def _value(packing: Packing, series: Any, y: Sequence[Any]) -> Any:
    total = arb(0)
    for powers, place in packing.monomials:
        term = series[place]
        if not term.is_zero():
            for x, k in zip(y, powers, strict=True):
                term = term * x**k
            total = total + term
    return total.mid()


def _inverse(slopes: list[list[Any]]) -> Any:
    """Return the inverse (r, r) of the Jacobian of the independent rows by the solved coordinates."""
    r = len(slopes)
    try:
        inverse = arb_mat(r, r, [x for row in slopes for x in row]).inv()
    except ZeroDivisionError:
        raise OpenError("the independent rows are dependent beside the state") from None
    return arb_mat(r, r, [x.mid() for x in inverse.entries()])


def settled(
    rows: RestrictedRows, split: Split, q: Sequence[Noisy], inverse: Any = None
) -> tuple[list[Noisy], list[Any]]:
    """Return a point moved along the solved coordinates onto the independent rows, and the moves (r,).

    The solved coordinates of the answer carry the noise of the rows. Raises OpenError where Newton's method fails.
    """
    point = [x.value for x in q]
    if not split.solved:
        return list(q), []
    inverse = _inverse(rows.slopes(point, split)) if inverse is None else inverse
    last, before, kept, renewed = np.inf, None, True, False  # the first step is compared with nothing
    for _ in range(STEPS):
        residuals = rows.values([Series.of(x, None, 1) for x in point], split.solving, 1)
        steps = (inverse * arb_mat(len(residuals), 1, [r.value[0] for r in residuals])).entries()
        size = 0.0
        for j, step in zip(split.solved, steps, strict=True):
            point[j] = (point[j] - step).mid()
            size = max(size, float(abs(step.mid())) / max(float(abs(point[j])), float(abs(q[j].value)), 1e-300))
        if size <= fine(SETTLED) or _within_balls(steps):
            break
        lengths = np.array([float(abs(step.mid())) for step in steps])
        shrinks = before is not None and np.max(lengths) < np.max(before)  # towards a coordinate that is zero, too
        before = lengths
        if not shrinks and np.max(lengths) <= fine(SETTLED) * max(float(abs(x)) for x in point):
            break  # of a coordinate that is zero only rounding is left
        if size > last and size > UNIT and not (shrinks or renewed):
            raise OpenError("the state is too far off the rows, or the point too far from the state")
        slow = size > SLOW * last
        renewed, kept = kept and slow, kept and not slow  # the first step with a new Jacobian is compared with nothing
        if slow:
            inverse = _inverse(rows.slopes(point, split))
        last = size
    else:
        raise OpenError("no point on the independent rows was found")
    fixed = [Series.of(x, 0.0 if j in split.solved else q[j].noise, 1) for j, x in enumerate(point)]
    noise = np.array([float(r.noise[0] + r.reach[0]) for r in rows.values(fixed, split.solving, 1)])
    doubts = dict(zip(split.solved, _sizes(inverse) @ noise, strict=True))
    moved = [point[j] - q[j].value for j in split.solved]
    return [Noisy(x, float(doubts.get(j, q[j].noise))) for j, x in enumerate(point)], moved


def _sizes(matrix: Any) -> Array:
    return np.array([[abs(float(x.mid())) for x in row] for row in matrix.table()])


def _within_balls(steps: Sequence[Any]) -> bool:
    return all(step.contains(0) for step in steps)


def point_of(rows: RestrictedRows, q: Array, doubt: Array) -> tuple[Split, list[Noisy]]:
    """Return the split of the rows at a state, and the state moved onto the independent rows. Raises OpenError.

    A state that misses the rows by more than rounding is as uncertain in its other coordinates.
    """
    given = [Noisy(arb(float(x)), float(UNIT * abs(x) + w)) for x, w in zip(q, doubt, strict=True)]
    split = Split.of(rows.jacobian(given), rows.names, rows.shared)
    point, moved = settled(rows, split, given)
    factor = 1.0
    for j, move in zip(split.solved, moved, strict=True):
        allowed = point[j].noise + given[j].noise
        if is_zero(move, allowed) is not True:
            factor = max(factor, float(abs(move.mid())) / allowed if allowed > 0.0 else np.inf)
    if factor > FARTHEST:
        raise OpenError("the state is off the rows; project it, or give its uncertainty")
    if factor > 1.0:
        coarse = [Noisy(x.value, x.noise * factor) for x in given]
        split = Split.of(rows.jacobian(coarse), rows.names, rows.shared)
        point, _ = settled(rows, split, coarse)
    return split, point


def rank_of(system: System, q: Array, rows: Sequence[str], beside: bool = False) -> int | None:
    """Return the rank of rows at a state q (n,), by 77 digits; None where these leave it open, or rows are others.

    The state is moved onto the rows, or taken as it is, `beside` them.
    """
    kinds = dict(zip(system.model.names, system.model.kinds, strict=True))
    if any(kinds[name] != "holonomic" for name in rows) or system.model.trace.rheonomic or system.n > LARGEST_RANK:
        return None

    def split(part: RestrictedRows) -> Split:
        own = q[list(part.coordinates)]
        if beside:
            return Split.of(part.jacobian([Noisy(arb(float(x)), 0.0) for x in own]), part.names, part.shared)
        return point_of(part, own, np.zeros(len(own)))[0]

    try:
        with precise():
            return sum(len(split(part).solving) for part in holonomic_parts(system, rows))
    except OpenError:
        return None
