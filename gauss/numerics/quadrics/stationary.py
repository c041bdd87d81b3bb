"""Gauss's principle on quadrics: every point at which ½|y − y0|² is stationary, and what is known about the list.

At a singular position the conditions of order 4 on the acceleration are quadrics, and the Zwang has to be minimised on
their zero set, which is not convex: Stäckel's particle at the apex of a cone. y are whitened coordinates, in which the
Zwang is ½|y − y0|². The answer is a set, never one member of it without saying so:

    1  conditions that do not touch each other are solved one by one          here
    2  the zero set is split into subspaces and what does not split           split, pencil
    3  a subspace: the foot of the perpendicular                              equalities
       one quadric: the secular equation, hard case included; complete        one
       several: homotopy continuation; complete with probability one          several, paths, fritz_john
    4  where pieces meet: vertices                                            equalities
    5  inequalities: active sets                                              sides

The quadrics are necessary conditions: whether a motion starts with a stationary y is for the caller to confirm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from itertools import product

import numpy as np
from scipy.sparse.csgraph import connected_components

from gauss.foundation.arrays import Array, Indices
from gauss.numerics.quadrics.fritz_john import stationarity
from gauss.numerics.quadrics.sides import on_region, pressing
from gauss.numerics.quadrics.types import (
    CONTINUUM,
    FINITE,
    FIT,
    GLOBAL,
    HELD,
    LOCAL,
    MOST,
    NONE,
    SADDLE,
    TOLERANCE,
    UNDECIDED,
    UNIQUE,
    VERTEX,
    Quadric,
    Stationary,
    StationaryPart,
    StationarySet,
    ZeroSetPiece,
    checked,
    joined,
    length_of,
)

__all__ = ["TOLERANCE", "Quadric", "Stationary", "StationarySet", "ZeroSetPiece", "stationary"]


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
    depending = [bool(np.any(q.S) or np.any(q.g)) for q in given]
    for k, q in enumerate(given):
        if not depending[k] and (q.c < 0.0 or (q.c > 0.0 and q.sense == "=")):
            words = f"the condition {q.name or f'quadric {k}: {q.c:g} {q.sense} 0'!r} has no solution at all"
            return StationarySet(NONE, (), (), (), None, True, words, None, tolerance * length**2)
    # In units of about the length; a power of two rounds nothing.
    space = ZeroSetPiece(0.0 * target, np.eye(target.size), (), 2.0 ** round(np.log2(length)))
    inside = [space.restricted(q) for q in given]
    z0 = space.coordinates(target)
    part = _solved([q for q, some in zip(inside, depending) if some], z0, tolerance)
    part = replace(part, found=tuple(_finished(x, part, z0, inside, depending) for x in part.found))
    part = part.lifted(space, target)
    found = sorted(part.found, key=lambda x: x.value)
    families = tuple(x for x in found if x.bases)
    count = {0: NONE, 1: UNIQUE}.get(len(found), FINITE)
    linear = len(part.pieces) == 1 and part.pieces[0].linear and part.whole
    samples = "" if part.isolated else "; the points found are samples of a continuum whose form is not known"
    return _with_global_minima(
        StationarySet(
            status=CONTINUUM if families or not part.isolated else count,
            points=tuple(x for x in found if not x.bases),
            families=families,
            pieces=part.pieces,
            affine=(part.pieces[0].offset, part.pieces[0].basis) if linear else None,
            complete=part.complete,
            evidence="; ".join(part.evidence) + samples,
            lower_bound=part.lower_bound if found else None,
            value_tolerance=tolerance * length**2,
        )
    )


# ------------------------------------------------------------------ conditions that do not touch each other


def _solved(quadrics: Sequence[Quadric], y0: Array, tolerance: float) -> StationaryPart:
    """Return everything stationary on quadrics that depend on y, of independent sets of them one by one.

    The support of a quadric is the span of the columns of S and of g. Quadrics whose supports are orthogonal (in the
    mass metric: those of separate mechanisms) are independent problems, because ½|y − y0|² is a sum over orthogonal
    subspaces; directions in no support follow the target. What is stationary for all is the product of what is
    stationary for each.
    """
    supports = [_span(np.column_stack([q.S, q.g]), tolerance) for q in quadrics]
    touching = np.array([[np.linalg.norm(one.T @ two) > tolerance for two in supports] for one in supports])
    label: Indices = connected_components(touching)[1] if supports else np.zeros(0, dtype=int)
    parts, taken = [], np.zeros((y0.size, 0))
    for group in range(len(set(label))):
        members = [k for k, x in enumerate(label) if x == group]
        basis = _span(np.hstack([supports[k] for k in members]), tolerance)
        space = ZeroSetPiece(0.0 * y0, np.eye(y0.size) if basis.shape[1] == y0.size else basis)
        own = [space.restricted(quadrics[k]) for k in members]
        part = on_region(own, space.coordinates(y0), tolerance)
        parts.append(part.lifted(space, space.lift(space.coordinates(y0))))
        taken = np.hstack([taken, space.basis])
    free = np.linalg.svd(taken, full_matrices=True)[0][:, taken.shape[1] :] if parts else np.eye(y0.size)
    if len(parts) == 1 and not free.shape[1]:
        return parts[0]
    count = int(np.prod([float(len(p.found)) for p in parts]))
    words = [f"{len(parts)} independent sets of conditions"] if len(parts) > 1 else []
    words += dict.fromkeys(word for part in parts for word in part.evidence)
    if count > MOST:
        parts = [_least(part) for part in parts]
        words.append(f"of {count} combinations of independent conditions only those of least value are listed")
    along = Stationary(free @ (free.T @ y0), 0.0, LOCAL, True, rigid=True)
    start = StationaryPart((ZeroSetPiece(0.0 * y0, free),), (along,), lower_bound=0.0)
    whole = reduce(_product, reversed(parts), start)
    return replace(whole, complete=whole.complete and count <= MOST, evidence=tuple(words))


def _span(columns: Array, tolerance: float) -> Array:
    """Return an orthonormal basis of the span of columns; coordinate axes where they span a coordinate subspace."""
    used = np.any(columns != 0.0, axis=1)
    U, sigma, _ = np.linalg.svd(columns, full_matrices=False)
    rank = int(np.sum(sigma > tolerance * float(np.max(sigma, initial=0.0))))
    return np.asarray(np.eye(len(columns))[:, used] if rank == int(np.sum(used)) else U[:, :rank])


def _least(part: StationaryPart) -> StationaryPart:
    """Return the part with only what is of least value."""
    limit = min((x.value for x in part.found), default=0.0) * (1.0 + TOLERANCE)
    return replace(part, found=tuple(x for x in part.found if x.value <= limit))


def _product(two: StationaryPart, one: StationaryPart) -> StationaryPart:
    """Return the products of what is stationary in orthogonal subspaces, of no pieces beyond MOST."""
    many = len(one.pieces) * len(two.pieces) > MOST
    pieces = () if many else tuple(_joined(p, q) for p, q in product(one.pieces, two.pieces))
    found = []
    for x, y in product(one.found, two.found):
        kind, least = _kind(x, y)
        found.append(
            Stationary(
                x.centre + y.centre,
                x.value + y.value,
                kind,
                least,
                bases=x.bases + y.bases,
                radii=x.radii + y.radii,
                piece=x.piece * len(two.pieces) + y.piece if pieces else 0,
                within=x.within + y.within,
                rigid=x.rigid and y.rigid,
                foot=x.stationary and y.stationary,
            )
        )
    bounds = [part.lower_bound for part in (one, two) if part.lower_bound is not None]
    return joined(
        [one, two],
        pieces=pieces,
        found=tuple(found),
        lower_bound=float(sum(bounds)) if len(bounds) == 2 else None,
        whole=one.whole and two.whole and bool(pieces),
    )


def _joined(one: ZeroSetPiece, two: ZeroSetPiece) -> ZeroSetPiece:
    """Return the product of pieces in orthogonal subspaces."""
    basis = np.hstack([one.basis, two.basis])
    turns = [(q, basis.T @ piece.basis) for piece in (one, two) for q in piece.quadrics]
    return ZeroSetPiece(one.offset + two.offset, basis, tuple(replace(q, S=T @ q.S @ T.T, g=T @ q.g) for q, T in turns))


def _kind(one: Stationary, two: Stationary) -> tuple[str, bool | None]:
    """Return the kind of a product, and whether it is a local minimum; a vertex that is one only stays where it is."""
    least = False if False in (one.least, two.least) else None if None in (one.least, two.least) else True
    both = (one.kind, two.kind)
    if any(x.kind == VERTEX and not x.least for x in (one, two)):
        return VERTEX, least
    if UNDECIDED in both:
        return UNDECIDED, least
    moving = [x.kind for x in (one, two) if not x.rigid and x.kind != VERTEX]
    moving = moving or ([VERTEX] if VERTEX in both else [*both])
    return moving[0] if len(set(moving)) == 1 else SADDLE, least


# ------------------------------------------------------------------ what is said about what was found


def _finished(
    x: Stationary, part: StationaryPart, y0: Array, quadrics: Sequence[Quadric], depending: Sequence[bool]
) -> Stationary:
    """Return what was found with its multipliers for all given quadrics, and its residual."""
    mu, residual = _multipliers(x.y, y0, quadrics, depending)
    if np.any(np.isnan(mu)):
        residual = 0.0
        if x.kind != VERTEX and not x.bases and x.piece < len(part.pieces):
            piece = part.pieces[x.piece]
            residual = stationarity(piece.coordinates(x.y), piece.coordinates(y0), piece.quadrics).residual
    for q, y in ((q, y) for q, some in zip(quadrics, depending) if some for y in x.axes()):
        off = abs(q.value(y)) if q.sense == "=" else max(-q.value(y), 0.0)
        residual = max(residual, off / float(np.linalg.norm(q.S) + np.linalg.norm(q.g)))  # to first order
    return replace(x, multipliers=mu, residual=residual)


def _multipliers(y: Array, y0: Array, quadrics: Sequence[Quadric], depending: Sequence[bool]) -> tuple[Array, float]:
    """Return μ (p,) of y − y0 = Σ μ_k (S_k y + g_k) (0 for inequalities that do not touch) or nan, and the residual."""
    equal = [k for k, q in enumerate(quadrics) if depending[k] and q.sense == "="]
    sides = [k for k, q in enumerate(quadrics) if depending[k] and q.sense == ">=" and q.share(y) <= HELD]
    mu = np.zeros(len(quadrics))
    mu[equal + sides], residual = pressing(y, y0, [quadrics[k] for k in equal], [quadrics[k] for k in sides])
    explained = residual <= FIT * max(float(np.linalg.norm(y - y0)), FIT)
    return (mu if explained else np.full(len(quadrics), np.nan)), residual


def _with_global_minima(found: StationarySet) -> StationarySet:
    """Name the least values global minima where the list is complete or a lower bound proves them."""
    if not (found.complete or found.globally_certified):
        return found
    least = found.minimisers

    def named(x: Stationary) -> Stationary:
        if not any(x is y for y in least):
            return x
        return replace(x, kind=GLOBAL if x.kind in (LOCAL, UNDECIDED) else x.kind, least=True)

    return replace(found, points=tuple(map(named, found.points)), families=tuple(map(named, found.families)))
