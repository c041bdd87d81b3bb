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
import scipy

from gauss.foundation.arrays import Array
from gauss.numerics.quadrics.equalities import least_at, on_equalities, pieces_of
from gauss.numerics.quadrics.fritz_john import convex, curvatures, gradients, stationarity
from gauss.numerics.quadrics.types import (
    FIT,
    HELD,
    LOCAL,
    MAXIMUM,
    ROUND,
    ROUNDED,
    SADDLE,
    UNDECIDED,
    VERTEX,
    Quadric,
    Stationary,
    StationaryPart,
    ZeroSetPiece,
    form_of,
    joined,
    point,
)

MOST_SIDES = 6  # inequalities up to which all active sets are examined; beyond, those with at most two
MEMBERS = 200  # of a family whose inequalities are examined


def on_region(quadrics: Sequence[Quadric], y0: Array, tolerance: float) -> StationaryPart:
    """Return what is stationary on equalities and inequalities, in the coordinates of the target."""
    equalities, sides = _sorted(quadrics, tolerance)
    if sides and not equalities and all(q.value(y0) >= -tolerance * q.size() for q in sides):
        words = "the target is admissible, so it is the only point of value zero; points of larger value are not listed"
        return StationaryPart((), (point(y0, y0, LOCAL),), True, (words,), 0.0, whole=False)
    return _region(equalities, sides, y0, tolerance)


def _region(equalities: list[Quadric], sides: list[Quadric], y0: Array, tolerance: float) -> StationaryPart:
    if not sides:
        return on_equalities(equalities, y0, tolerance)
    if equalities:
        zero = pieces_of(equalities, y0.size, tolerance)
        if len(zero.pieces) != 1 or zero.pieces[0].basis.shape[1] < y0.size:
            return _over_pieces(zero, sides, y0, tolerance)
    return _over_active_sets(_Sides(equalities, sides, y0), tolerance)


def _sorted(quadrics: Sequence[Quadric], tolerance: float) -> tuple[list[Quadric], list[Quadric]]:
    """Return equalities, those among the inequalities that cannot be positive included, and true inequalities."""
    equalities, sides = [q for q in quadrics if q.sense == "="], []
    for q in (q for q in quadrics if q.sense == ">="):
        values = np.linalg.eigvalsh(form_of(q))
        if values[-1] <= tolerance and values[0] < -tolerance:
            equalities.append(replace(q, sense="="))
        elif values[0] < -tolerance:
            sides.append(q)
    return equalities, sides


def _over_pieces(zero: StationaryPart, sides: list[Quadric], y0: Array, tolerance: float) -> StationaryPart:
    """Return what is stationary on the parts of the pieces of a zero set that the inequalities leave."""
    parts, pieces, close = [], zero.pieces, 10.0 * tolerance
    for k, piece in enumerate(pieces):
        pairs = [(q, piece.restricted(q)) for q in sides]
        reach = max(1.0, float(np.linalg.norm(piece.offset)))
        real = [on_piece for q, on_piece in pairs if on_piece.size() > tolerance * q.size(reach)]  # others vanish there
        own, others = _sorted([*piece.quadrics, *real], tolerance)
        part = _region(own, others, piece.coordinates(y0), tolerance).lifted(piece, y0)
        parts.append(replace(part, found=tuple(replace(x, piece=k) for x in part.found)))
    found: list[Stationary] = []
    for x in (x for part in parts for x in part.found):
        if not x.bases and sum(piece.holds(x.y, close, HELD) for piece in pieces) > 1:
            x = replace(x, kind=VERTEX, least=least_at(x.y, pieces, parts, close))
        if x.bases or not any(other.contains(x.y, close) for other in found if not other.bases):
            found.append(x)
    whole = all(part.whole for part in parts)
    bounds = [part.lower_bound for part in parts if part.found]
    return joined(
        [zero, *parts],
        pieces=tuple(piece for part in parts for piece in part.pieces) if whole else pieces,
        found=tuple(found),
        lower_bound=min(b for b in bounds if b is not None) if bounds and None not in bounds else None,
    )


def pressing(y: Array, y0: Array, equalities: Sequence[Quadric], sides: Sequence[Quadric]) -> tuple[Array, float]:
    """Return μ (equalities, then sides ≥ 0) of y − y0 = Σ μ_k (S_k y + g_k) by least squares, and the residual."""
    if not sides:
        at = stationarity(y, y0, equalities)
        return at.multipliers, at.residual
    G, unit = gradients(y, [*equalities, *sides])
    G = np.where(np.linalg.norm(G, axis=0) > ROUND, G, 0.0)
    mu = _bounded(G, y - y0, len(equalities))
    return mu / unit, float(np.linalg.norm(G @ mu - (y - y0)))


def _bounded(A: Array, b: Array, free: int) -> Array:
    """Return the x of least |A x − b| whose components beyond the first ones, which are free, are not negative."""
    low = np.where(np.arange(A.shape[1]) < free, -np.inf, 0.0)
    return np.asarray(scipy.optimize.lsq_linear(A, b, bounds=(low, np.inf), method="bvls", tol=ROUNDED).x)


@dataclass(frozen=True, eq=False)
class _Sides:
    """A region with an irreducible set of equalities, or none."""

    equalities: list[Quadric]
    sides: list[Quadric]
    y0: Array

    def active(self, y: Array) -> list[Quadric] | None:
        """Return the inequalities that touch at y; None if one does not hold."""
        level = [q.share(y) for q in self.sides]
        return [q for q, x in zip(self.sides, level) if x <= HELD] if min(level) >= -HELD else None

    def pressed(self, y: Array, active: list[Quadric]) -> tuple[Array, bool]:
        """Return the multipliers of equalities and active inequalities, and whether they explain y − y0."""
        mu, residual = pressing(y, self.y0, self.equalities, active)
        return mu, residual <= FIT * max(float(np.linalg.norm(y - self.y0)), FIT)

    def kept(self, p: Stationary) -> Stationary | None:
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
        size = max(float(np.linalg.norm(p.y - self.y0)), FIT)
        n = len(self.equalities)
        strong = [q for q, x in zip(active, share[n:]) if x > HELD * size]
        at = stationarity(p.y, self.y0, [*self.equalities, *strong])
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
        G, _ = gradients(y, [*self.equalities, *active])
        if n and np.linalg.svd(G[:, :n], compute_uv=False)[-1] <= FIT:
            return True
        rows = np.vstack([G, np.arange(n + len(active)) >= n])
        right = np.eye(len(rows))[-1]
        return bool(np.linalg.norm(rows @ _bounded(rows, right, n) - right) <= FIT)

    def settled(self, p: Stationary, others: list[tuple[float, Array]]) -> Stationary:
        """Return a vertex about which all active conditions are cones as "not least" if a point of them is nearer.

        The segment from the vertex to that point then belongs to the cones, and ½|y − y0|² decreases at its beginning.
        """
        if p.kind != VERTEX or p.least is not None:
            return p
        touching = [q for q in self.sides if abs(q.value(p.y)) <= HELD * q.size()]
        G, _ = gradients(p.y, [*self.equalities, *touching])
        if np.any(np.linalg.norm(G, axis=0) > HELD):
            return p
        downhill = any(v < p.value and (y - p.y) @ (self.y0 - p.y) > HELD for v, y in others)
        return replace(p, least=False) if downhill else p

    def cut(self, f: Stationary, active: list[Quadric], others: list[Quadric]) -> Stationary | None:
        """Return the part of a family that satisfies the inequalities, or None."""
        if not self.pressed(f.y, active)[1]:
            return None
        members = [*f.axes(), *f.sample(MEMBERS, 0)]
        reach = max(1.0, *(float(np.linalg.norm(y)) for y in members))
        holds = np.array([[q.value(y) >= -HELD * q.size(reach) for q in others] for y in members], dtype=bool)
        if not np.any(np.all(holds, axis=1)):
            return None
        within = tuple(q for q, always in zip(others, np.all(holds, axis=0)) if not always)
        return replace(f, kind=SADDLE if f.kind == MAXIMUM and active else f.kind, within=within)

    def bound(self, found: list[Stationary]) -> float:
        """Return the least value if the Lagrangian proves that nothing admissible is less, else 0."""
        if not found:
            return 0.0
        least = min(found, key=lambda x: x.value)
        active = self.active(least.y) or []
        mu, explained = self.pressed(least.y, active)
        quadrics = [*self.equalities, *active]
        return least.value if quadrics and explained and convex(quadrics, mu) else 0.0


def _over_active_sets(region: _Sides, tolerance: float) -> StationaryPart:
    """Return what is stationary on a region, of one active set after another."""
    equalities, sides, y0, close = region.equalities, region.sides, region.y0, FIT / 10.0
    all_sets = len(sides) <= MOST_SIDES
    points: list[Stationary] = []
    families: list[Stationary] = []
    parts = []
    for chosen in (c for n in range((len(sides) if all_sets else 2) + 1) for c in combinations(sides, n)):
        active = [replace(q, sense="=") for q in chosen]
        others = [q for q in sides if all(q is not x for x in chosen)]
        parts.append(on_equalities([*equalities, *active], y0, tolerance))
        for x in parts[-1].found:
            kept = region.cut(x, active, others) if x.bases else region.kept(x)
            if kept is not None and x.bases:
                families.append(kept)
            elif kept is not None and not any(p.contains(kept.y, close) for p in points):
                points.append(kept)
    points = [p for p in points if not any(f.contains(p.y, close) for f in families)]
    known = [(x.value, y) for x in (*points, *families) if not x.within for y in x.axes()]
    count = f"all {2 ** len(sides)} active sets" if all_sets else "only active sets of at most two inequalities"
    words = StationaryPart(
        complete=all_sets, evidence=(f"{count} of {len(sides)} inequalities were examined",), whole=False
    )
    return joined(
        [words, *parts],
        pieces=(ZeroSetPiece(np.zeros(y0.size), np.eye(y0.size), tuple(equalities)),) if equalities else (),
        found=(*(region.settled(p, known) for p in points), *families),
        lower_bound=region.bound([*points, *families]),
    )
