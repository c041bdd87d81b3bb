"""Inequalities yᵀS y + 2 gᵀy + c ≥ 0 beside equalities: the nearest points of a region, one active set after another.

If there are only inequalities and the target satisfies them, it is the only point of value zero, and nothing else is
looked for. Otherwise each stationary point lies on the zero set of the equalities and of some inequalities (the active
set): these are solved as equalities, and a point is kept if the other inequalities hold and the active ones press,
y − y0 = Σ μ_k (S_k y + g_k) with μ_k ≥ 0. Where gradients are dependent M₀ (y − y0) = Σ M_k (S_k y + g_k) with
M_k ≥ 0, M ≠ 0 is enough (Fritz John).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from scipy.optimize import lsq_linear

from gauss.foundation.arrays import Array
from gauss.numerics.quadrics.equalities import least_of, on_equalities, pieces_of
from gauss.numerics.quadrics.fritz_john import CONVEX, FIT, convex, curvatures, gradients, stationarity
from gauss.numerics.quadrics.types import (
    LOCAL,
    MAXIMUM,
    SADDLE,
    UNDECIDED,
    VERTEX,
    Family,
    Part,
    Piece,
    Quadric,
    StationaryPoint,
    form_of,
)

MOST_SIDES = 6  # inequalities up to which all active sets are examined; beyond, those with at most two
TOUCHING = CONVEX  # value of a quadric, or what a multiplier explains, relative to its terms: below it counts as zero
SAME = 1e-8  # distance, in units of the length, below which points of two active sets are the same
MEMBERS = 200  # of a family whose inequalities are examined


def on_region(quadrics: Sequence[Quadric], y0: Array, length: float, tolerance: float) -> Part:
    """Return what is stationary on equalities and inequalities, in the coordinates of the target."""
    equalities, sides = _sorted(quadrics, length, tolerance)
    if sides and not equalities and all(q.value(y0) >= -tolerance * q.size(length) for q in sides):
        words = "the target is admissible, so it is the only point of value zero; points of larger value are not listed"
        return Part((), (StationaryPoint(y0, 0.0, LOCAL, True),), (), True, (words,), 0.0, whole=False)
    return _region(equalities, sides, y0, length, tolerance)


def _region(equalities: list[Quadric], sides: list[Quadric], y0: Array, length: float, tolerance: float) -> Part:
    if not sides:
        return on_equalities(equalities, y0, length, tolerance)
    if equalities:
        zero = pieces_of(equalities, y0.size, length, tolerance)
        if len(zero.pieces) != 1 or zero.pieces[0].basis.shape[1] < y0.size:
            part = _over_pieces(zero.pieces, sides, y0, length, tolerance)
            return replace(part, complete=part.complete and zero.complete, evidence=(*zero.evidence, *part.evidence))
    return _over_active_sets(_Sides(equalities, sides, y0, length), tolerance)


def _sorted(quadrics: Sequence[Quadric], length: float, tolerance: float) -> tuple[list[Quadric], list[Quadric]]:
    """Return equalities, those among the inequalities that cannot be positive included, and true inequalities."""
    equalities, sides = [q for q in quadrics if q.sense == "="], []
    for q in (q for q in quadrics if q.sense == ">="):
        values = np.linalg.eigvalsh(form_of(q, length))
        if values[-1] <= tolerance and values[0] < -tolerance:
            equalities.append(replace(q, sense="="))
        elif values[0] < -tolerance:
            sides.append(q)
    return equalities, sides


def _over_pieces(pieces: tuple[Piece, ...], sides: list[Quadric], y0: Array, length: float, tolerance: float) -> Part:
    """Return what is stationary on the parts of the pieces that the inequalities leave."""
    parts = []
    for piece in pieces:
        restricted = [piece.restricted(q) for q in sides]
        size = max(length, float(np.linalg.norm(piece.offset)))
        # zero where it vanishes on the piece to rounding
        real = [r for q, r in zip(sides, restricted) if r.size(length) > tolerance * q.size(size)]
        own, others = _sorted([*piece.quadrics, *real], length, tolerance)
        parts.append(_region(own, others, piece.coordinates(y0), length, tolerance).lifted(piece, y0))
    close = 10.0 * tolerance * length
    points: list[StationaryPoint] = []
    for k, part in enumerate(parts):
        for p in part.points:
            reach = max(float(np.linalg.norm(p.y)), float(np.linalg.norm(y0)))
            twin = next((j for j, other in enumerate(points) if np.linalg.norm(other.y - p.y) <= close), None)
            through = [
                x for x, piece in zip(parts, pieces) if x is not part and piece.holds(p.y, close, TOUCHING, reach)
            ]
            missed = [x for x in through if all(np.linalg.norm(other.y - p.y) > close for other in x.points)]
            if twin is not None:
                least = None if None in (p.least, points[twin].least) else p.least and points[twin].least
                points[twin] = replace(points[twin], kind=VERTEX, least=least)
            elif through:
                points.append(replace(p, kind=VERTEX, least=False if missed else p.least, piece=k))
            else:
                points.append(replace(p, piece=k))
    bounds = [part.lower_bound for part in parts if part.points or part.families]
    whole = all(part.whole for part in parts)
    return Part(
        pieces=tuple(piece for part in parts for piece in part.pieces) if whole else pieces,
        points=tuple(points),
        families=tuple(replace(f, piece=k) for k, part in enumerate(parts) for f in part.families),
        complete=all(part.complete for part in parts),
        evidence=tuple(dict.fromkeys(word for part in parts for word in part.evidence)),
        lower_bound=min(b for b in bounds if b is not None) if bounds and None not in bounds else None,
        isolated=all(part.isolated for part in parts),
        whole=whole,
    )


def pressing(
    y: Array, y0: Array, equalities: Sequence[Quadric], sides: Sequence[Quadric], length: float
) -> tuple[Array, float]:
    """Return μ (equalities, then sides ≥ 0) of y − y0 = Σ μ_k (S_k y + g_k) by least squares, and the residual."""
    quadrics, step = [*equalities, *sides], y - y0
    if not quadrics:
        return np.zeros(0), float(np.linalg.norm(step))
    G, unit = gradients(y, quadrics, length)
    G = np.where(np.linalg.norm(G, axis=0) > 1e-12, G, 0.0)
    mu = _bounded(G, step, len(equalities))
    return mu / unit, float(np.linalg.norm(G @ mu - step))


def _bounded(A: Array, b: Array, free: int) -> Array:
    """Return the x of least |A x − b| whose components beyond the first ones, which are free, are not negative."""
    low = np.where(np.arange(A.shape[1]) < free, -np.inf, 0.0)
    return np.asarray(lsq_linear(A, b, bounds=(low, np.inf), method="bvls", tol=1e-14).x)


@dataclass(frozen=True, eq=False)
class _Sides:
    """A region with an irreducible set of equalities, or none."""

    equalities: list[Quadric]
    sides: list[Quadric]
    y0: Array
    length: float

    def active(self, y: Array) -> list[Quadric] | None:
        """Return the inequalities that touch at y; None if one does not hold."""
        reach = max(self.length, float(np.linalg.norm(y)))
        level = [q.value(y) / q.size(reach) for q in self.sides]
        return [q for q, x in zip(self.sides, level) if x <= TOUCHING] if min(level) >= -TOUCHING else None

    def pressed(self, y: Array, active: list[Quadric]) -> tuple[Array, bool]:
        """Return the multipliers of equalities and active inequalities, and whether they explain y − y0."""
        mu, residual = pressing(y, self.y0, self.equalities, active, self.length)
        return mu, residual <= FIT * max(float(np.linalg.norm(y - self.y0)), FIT * self.length)

    def kept(self, p: StationaryPoint) -> StationaryPoint | None:
        """Return the point with its kind on the region, or None if it is not admissible or not stationary there."""
        active = self.active(p.y)
        if active is None:
            return None
        mu, explained = self.pressed(p.y, active)
        if not explained:
            return replace(p, kind=VERTEX, least=None) if self.fritz_john(p.y, active) else None
        if p.kind == VERTEX:
            return replace(p, least=False if p.least is False else None)
        quadrics = [*self.equalities, *active]
        share = mu * np.array([np.linalg.norm(q.slope(p.y)) for q in quadrics])
        size = max(float(np.linalg.norm(p.y - self.y0)), FIT * self.length)
        n = len(self.equalities)
        strong = [q for q, x in zip(active, share[n:]) if x > TOUCHING * size]
        at = stationarity(p.y, self.y0, [*self.equalities, *strong], self.length)
        values = curvatures(quadrics, mu, at.tangent)
        if np.all(values > FIT):
            return replace(p, kind=LOCAL, least=True)
        if at.independent and len(strong) == len(active) and np.any(values < -FIT):
            return replace(p, kind=SADDLE, least=False)
        return replace(p, kind=UNDECIDED, least=None)

    def fritz_john(self, y: Array, active: list[Quadric]) -> bool:
        """Return whether a combination of the gradients vanishes whose weights on the inequalities are not negative."""
        n = len(self.equalities)
        if not n and not active:
            return False
        G, _ = gradients(y, [*self.equalities, *active], self.length)
        if n and np.linalg.svd(G[:, :n], compute_uv=False)[-1] <= FIT:
            return True
        rows = np.vstack([G, np.arange(n + len(active)) >= n])
        right = np.eye(len(rows))[-1]
        return bool(np.linalg.norm(rows @ _bounded(rows, right, n) - right) <= FIT)

    def settled(self, p: StationaryPoint, others: list[tuple[float, Array]]) -> StationaryPoint:
        """Return a vertex about which all active conditions are cones as "not least" if a point of them is nearer.

        The segment from the vertex to that point then belongs to the cones, and ½|y − y0|² decreases at its beginning.
        """
        if p.kind != VERTEX or p.least is not None:
            return p
        touching = [q for q in self.sides if abs(q.value(p.y)) <= TOUCHING * q.size(self.length)]
        G, _ = gradients(p.y, [*self.equalities, *touching], self.length)
        if np.any(np.linalg.norm(G, axis=0) > TOUCHING):
            return p
        along = TOUCHING * self.length**2
        downhill = any(v < p.value and (y - p.y) @ (self.y0 - p.y) > along for v, y in others)
        return replace(p, least=False) if downhill else p

    def cut(self, f: Family, active: list[Quadric], others: list[Quadric]) -> Family | None:
        """Return the part of a family that satisfies the inequalities, or None."""
        if not self.pressed(f.axes()[0], active)[1]:
            return None
        members = np.vstack([f.axes(), f.sample(MEMBERS, 0)])
        reach = max(self.length, float(np.max(np.linalg.norm(members, axis=1))))
        holds = np.array([[q.value(x) >= -TOUCHING * q.size(reach) for q in others] for x in members])
        if others and not np.any(np.all(holds, axis=1)):
            return None
        within = tuple(q for q, always in zip(others, np.all(holds, axis=0)) if not always) if others else ()
        return replace(f, kind=SADDLE if f.kind == MAXIMUM and active else f.kind, within=within)

    def bound(self, found: Part) -> float:
        """Return the least value if the Lagrangian proves that nothing admissible is less, else 0."""
        if not found.points and not found.families:
            return 0.0
        value, y = least_of(found)
        active = self.active(y) or []
        quadrics = [*self.equalities, *active]
        mu, explained = self.pressed(y, active)
        return value if quadrics and explained and convex(quadrics, mu) else 0.0


def _over_active_sets(region: _Sides, tolerance: float) -> Part:
    """Return what is stationary on a region, of one active set after another."""
    equalities, sides, y0, close = region.equalities, region.sides, region.y0, SAME * region.length
    all_sets = len(sides) <= MOST_SIDES
    points: list[StationaryPoint] = []
    families: list[Family] = []
    parts = []
    for chosen in (c for n in range((len(sides) if all_sets else 2) + 1) for c in combinations(sides, n)):
        active = [replace(q, sense="=") for q in chosen]
        parts.append(on_equalities([*equalities, *active], y0, region.length, tolerance))
        for p in parts[-1].points:
            kept = region.kept(p)
            if kept is not None and all(np.linalg.norm(kept.y - x.y) > close for x in points):
                points.append(kept)
        others = [q for q in sides if all(q is not x for x in chosen)]
        families += [g for f in parts[-1].families if (g := region.cut(f, active, others)) is not None]
    points = [p for p in points if not any(f.contains(p.y, close) for f in families)]
    known = [(p.value, p.y) for p in points] + [(f.value, y) for f in families if not f.within for y in f.axes()]
    count = f"all {2 ** len(sides)} active sets" if all_sets else "only active sets of at most two inequalities"
    found = Part(
        pieces=(Piece(np.zeros(y0.size), np.eye(y0.size), tuple(equalities)),) if equalities else (),
        points=tuple(region.settled(p, known) for p in points),
        families=tuple(families),
        complete=all_sets and all(part.complete for part in parts),
        evidence=(
            f"{count} of {len(sides)} inequalities were examined",
            *dict.fromkeys(word for part in parts for word in part.evidence),
        ),
        isolated=all(part.isolated for part in parts),
        whole=False,
    )
    return replace(found, lower_bound=region.bound(found))
