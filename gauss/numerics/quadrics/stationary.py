"""Gauss's principle on quadrics: every point at which ½|y − y0|² is stationary, and what is known about the list.

At a singular position the conditions of order 4 on the acceleration are quadrics, and the Zwang has to be minimised on
their zero set, which is not convex: Stäckel's particle at the apex of a cone. y are whitened coordinates, in which the
Zwang is ½|y − y0|². The answer is a set, never one member of it without saying so:

    1  conditions that do not touch each other are solved one by one          cone_product
    2  the zero set is split into subspaces and what does not split           cone_split, cone_pencil, cone_zero
    3  a subspace: the foot of the perpendicular                              cone_piece
       one quadric: the secular equation, hard case included; complete        cone_secular, cone_roots
       several: homotopy continuation; complete with probability one          cone_homotopy, cone_fritz_john
    4  where pieces meet: vertices                                            cone_union
    5  inequalities: active sets                                              cone_sides
    6  a lower bound: the Lagrangian here, the semidefinite relaxation in     cone_certificate

The quadrics are necessary conditions: whether a motion starts with a stationary y is for the caller to confirm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array
from gauss.numerics.quadrics.certificate import ShorBound, certify
from gauss.numerics.quadrics.fritz_john import slope_sizes, stationarity
from gauss.numerics.quadrics.piece import Found
from gauss.numerics.quadrics.product import factors, pieces_product, solved
from gauss.numerics.quadrics.sides import TOUCHING, on_region, pressing
from gauss.numerics.quadrics.types import (
    CONTINUUM,
    FINITE,
    GLOBAL,
    LOCAL,
    NONE,
    TOLERANCE,
    UNDECIDED,
    UNIQUE,
    VERTEX,
    Family,
    Piece,
    Quadric,
    StationaryPoint,
    StationarySet,
    ZeroSet,
    checked,
    checked_quadrics,
    length_of,
)
from gauss.numerics.quadrics.union import Part
from gauss.numerics.quadrics.zero import pieces_of

__all__ = [
    "TOLERANCE",
    "Family",
    "Piece",
    "Quadric",
    "ShorBound",
    "StationaryPoint",
    "StationarySet",
    "ZeroSet",
    "certify",
    "stationary",
    "zero_set",
]

NO_MULTIPLIERS = 1e-7  # residual relative to |y − y0| and the length above which no finite multipliers exist


def stationary(y0: object, quadrics: Sequence[Quadric], tolerance: float = TOLERANCE) -> StationarySet:
    """Return every point y at which ½|y − y0|² is stationary on quadrics yᵀS y + 2 gᵀy + c = 0 or ≥ 0.

    y0 (d,). `tolerance` is the relative uncertainty of the data: eigenvalues, angles and coefficients below it (at the
    distance of target and quadrics from the origin) count as zero or as equal, so that a target within tolerance · |y0|
    of an axis of symmetry gets the continuum that belongs to the axis. Nothing depends on factors of the quadrics, on
    the unit of y, or on rotations. If all quadrics are inequalities that hold at y0 the answer is y0 alone.

    `complete` is True for pieces that are subspaces or lie on one quadric, and for several quadrics where homotopy
    continuation has followed all paths to regular ends; the argument is in `evidence`. Not examined: whether motions
    with these y exist. Raises InputError for bad shapes, numbers that are not finite, or unsymmetric matrices.
    """
    target, given, tolerance = checked(y0, quadrics, tolerance)
    length = length_of(target, given)
    effective, impossible = _effective(given)
    if impossible:
        return _empty(f"the condition {impossible!r} has no solution at all", length, tolerance)
    part = solved(on_region, effective, target, length, tolerance)
    points = sorted((_finished(p, part, target, given, length) for p in part.points), key=lambda p: p.value)
    families = sorted((_family(f, target, given, length) for f in part.families), key=lambda f: f.value)
    count = len(points) + len(families)
    status = UNIQUE if count == 1 else FINITE if count else NONE
    if families or not part.isolated:
        status = CONTINUUM
    linear = len(part.pieces) == 1 and part.pieces[0].linear and part.whole
    evidence = "; ".join(part.evidence)
    if not part.isolated:
        evidence += "; the points found are samples of a continuum whose form is not known"
    found = StationarySet(
        status=status,
        points=tuple(points),
        families=tuple(families),
        pieces=part.pieces,
        affine=(part.pieces[0].offset, part.pieces[0].basis) if linear else None,
        complete=part.complete,
        evidence=evidence,
        lower_bound=part.lower_bound if count else None,
        value_tolerance=tolerance * length**2,
    )
    return _with_global_minima(found)


def zero_set(quadrics: Sequence[Quadric], d: int, tolerance: float = TOLERANCE) -> ZeroSet:
    """Return the real zero set in R^d of the quadrics with the sense "=", as pieces; its verdict says "locked" or not.

    Inequalities are left out. Raises InputError as `stationary` does.
    """
    if not isinstance(d, int) or d < 0:
        raise InputError(f"the dimension d must be a whole number, got {d!r}.")
    given = [q for q in checked_quadrics(quadrics, d) if q.sense == "="]
    effective, impossible = _effective(given)
    if impossible:
        return ZeroSet((), True, f"the condition {impossible!r} has no solution at all")
    length = length_of(np.zeros(d), given)
    parts, free = factors(effective, d, length, tolerance)
    zeros = [pieces_of(f.quadrics, f.basis.shape[1], length, tolerance) for f in parts]
    words = "; ".join(dict.fromkeys(zero.evidence for zero in zeros)) or "no condition"
    if any(not zero.pieces for zero in zeros):
        return ZeroSet((), all(zero.decided for zero in zeros), words)
    as_parts = [Part(zero.pieces, (), (), zero.decided, (), None) for zero in zeros]
    pieces, _ = pieces_product(as_parts, [f.basis for f in parts], free)
    return ZeroSet(pieces, all(zero.decided for zero in zeros) and bool(pieces), words)


def _effective(quadrics: Sequence[Quadric]) -> tuple[list[Quadric], str]:
    """Return the quadrics that depend on y, and the name of a constant one that does not hold ("" if all do)."""
    kept = []
    for k, q in enumerate(quadrics):
        if np.any(q.S) or np.any(q.g):
            kept.append(q)
        elif q.c < 0.0 or (q.c > 0.0 and q.sense == "="):
            return [], q.name or f"quadric {k}: {q.c:g} {q.sense} 0"
    return kept, ""


def _empty(evidence: str, length: float, tolerance: float) -> StationarySet:
    return StationarySet(NONE, (), (), (), None, True, evidence, None, tolerance * length**2)


def _finished(p: Found, part: Part, y0: Array, quadrics: Sequence[Quadric], length: float) -> StationaryPoint:
    """Return a point with its multipliers for all given quadrics, and its residual."""
    mu, residual = _multipliers(p.y, y0, quadrics, length)
    if not np.all(np.isfinite(mu)):
        residual = 0.0
        if p.kind != VERTEX and p.piece < len(part.pieces):
            piece = part.pieces[p.piece]
            own = stationarity(piece.coordinates(p.y), piece.coordinates(y0), piece.quadrics, length)
            residual = own.residual
    residual = max(residual, _off(p.y, quadrics, length))
    return StationaryPoint(p.y, p.value, p.kind, p.least, mu, residual, p.piece)


def _family(f: Family, y0: Array, quadrics: Sequence[Quadric], length: float) -> Family:
    mu, residual = _multipliers(f.axes()[0], y0, quadrics, length)
    residual = 0.0 if not np.all(np.isfinite(mu)) else residual
    return replace(f, multipliers=mu, residual=max(residual, *(_off(y, quadrics, length) for y in f.axes())))


def _multipliers(y: Array, y0: Array, quadrics: Sequence[Quadric], length: float) -> tuple[Array, float]:
    """Return μ (p,) of y − y0 = Σ μ_k (S_k y + g_k) (0 for inequalities that do not touch) or nan, and the residual."""
    reach = max(length, float(np.linalg.norm(y)))
    touching = [k for k, q in enumerate(quadrics) if q.sense == "=" or q.value(y) <= TOUCHING * q.size(reach)]
    equal = [k for k in touching if quadrics[k].sense == "=" and (np.any(quadrics[k].S) or np.any(quadrics[k].g))]
    sides = [k for k in touching if quadrics[k].sense == ">=" and (np.any(quadrics[k].S) or np.any(quadrics[k].g))]
    mu = np.zeros(len(quadrics))
    if sides:
        weights, residual = pressing(y, y0, [quadrics[k] for k in equal], [quadrics[k] for k in sides], length)
        mu[equal + sides] = weights / slope_sizes([quadrics[k] for k in equal + sides], length)
    else:
        at = stationarity(y, y0, [quadrics[k] for k in equal], length)
        mu[equal], residual = at.multipliers, at.residual
    if residual > NO_MULTIPLIERS * max(float(np.linalg.norm(y - y0)), NO_MULTIPLIERS * length):
        return np.full(len(quadrics), np.nan), residual
    return mu, residual


def _off(y: Array, quadrics: Sequence[Quadric], length: float) -> float:
    """Return how far y is off the quadrics, to first order with gradients of their usual size."""
    worst = 0.0
    for q in quadrics:
        value = q.value(y)
        unit = float(np.linalg.norm(q.S)) * length + float(np.linalg.norm(q.g))
        if unit > 0.0:
            worst = max(worst, (abs(value) if q.sense == "=" else max(-value, 0.0)) / unit)
    return worst


def _with_global_minima(found: StationarySet) -> StationarySet:
    """Name the least values global minima where the list is complete or a lower bound proves them."""
    if not (found.complete or found.globally_certified):
        return found
    least = found.minimisers

    def named(x: StationaryPoint | Family) -> StationaryPoint | Family:
        if not any(x is y for y in least):
            return x
        return replace(x, kind=GLOBAL if x.kind in (LOCAL, UNDECIDED) else x.kind, least=True)

    points = tuple(named(p) for p in found.points)
    families = tuple(named(f) for f in found.families)
    return replace(found, points=points, families=families)  # type: ignore[arg-type]
