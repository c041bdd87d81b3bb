"""Stationary points on the whole zero set of equalities: those of its pieces, and the vertices where pieces meet.

A vertex is the stationary point of the set in which two pieces meet. It is a local minimum iff it is one on every piece
through it. The least value on a subspace is that of its foot; on a curved piece the Lagrangian proves it: where
I − Σ μ_k S_k is positive semidefinite, ½|y − y0|² − ½ Σ μ_k q_k(y) is convex and the stationary point is its minimum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gauss.foundation.arrays import Array
from gauss.numerics.quadrics.fritz_john import convex, stationarity
from gauss.numerics.quadrics.several import on_quadrics, regular_point, shared
from gauss.numerics.quadrics.split import Leaf, split
from gauss.numerics.quadrics.types import (
    FIT,
    LOCAL,
    MOST,
    SEED,
    VERTEX,
    Quadric,
    Stationary,
    StationaryPart,
    ZeroSetPiece,
    form_of,
    joined,
    point,
)


def pieces_of(quadrics: Sequence[Quadric], d: int, tolerance: float) -> StationaryPart:
    """Return the zero set of equalities in R^d as pieces; coefficients below the tolerance count as zero.

    `complete` says whether that is certain, and that no piece is less than it looks. A piece on which two or more
    quadrics remain is probed with a target at random: each of its components carries a stationary point, so that none
    means that the piece is empty, and a single one that does not move with the target that it is a point.
    """
    forms = [Q for q in quadrics if np.linalg.norm(Q := form_of(q)) > 0.0]
    if not forms:
        return StationaryPart((ZeroSetPiece(np.zeros(d), np.eye(d)),), evidence=("no condition remains",))
    homogeneous = all(not np.any(q.g) and q.c == 0.0 for q in quadrics)
    leaves, followed = split(forms, tolerance)
    words = [f"the zero set has {len(leaves)} piece" + ("s" if len(leaves) != 1 else "")]
    if not followed:
        words = ["the forms split into too many pieces: not all were followed"]
    decided, result = followed, []
    for piece in (_piece(leaf, homogeneous) for leaf in leaves):
        probed, sure = ([piece], True) if len(piece.quadrics) < 2 else _probed(piece, tolerance)
        result += probed
        if not sure:
            decided = False
            words.append(
                f"{len(piece.quadrics)} quadrics that do not split may have fewer real zeros than they seem to"
            )
    return StationaryPart(tuple(result), complete=decided, evidence=("; ".join(words),))


def _piece(leaf: Leaf, homogeneous: bool) -> ZeroSetPiece:
    """Return a leaf as an affine subspace with the quadrics that remain on it."""
    height = leaf.T[0]
    square = float(height @ height)
    turn = np.linalg.svd(height[None, :])[2][1:].T  # combinations at infinity: directions
    offset = (leaf.T[1:] @ height) / square * (0.0 if homogeneous else 1.0)
    frame = np.column_stack([height / square, turn])  # of (1, z) in the coordinates of the leaf
    rest = []
    for R in (frame.T @ form @ frame for form in leaf.forms):
        some = 0.0 if homogeneous else 1.0
        rest.append(Quadric(R[1:, 1:], some * R[1:, 0], some * float(R[0, 0])))
    return ZeroSetPiece(offset, leaf.T[1:] @ turn, tuple(rest))


def _probed(piece: ZeroSetPiece, tolerance: float) -> tuple[list[ZeroSetPiece], bool]:
    """Return what a piece with several quadrics is found to be: itself, points, lines, or nothing; and if for sure.

    Directions on which no quadric depends are left out first, so that a "point" or "line" may be a larger subspace.
    """
    rng = np.random.default_rng(SEED)
    cylinder, essential, vertex = shared(piece.quadrics, tolerance)
    space = ZeroSetPiece(np.zeros(len(essential)), essential)
    reduced = [space.restricted(q) for q in piece.quadrics]
    k, p = essential.shape[1], len(reduced)
    on_rays = vertex is not None and p >= k - 1  # as many conditions as the directions have dimensions
    if p < k and not on_rays and regular_point(reduced, k):
        return [piece], True  # near such a point the zero set is a manifold
    seen: list[list[Array]] = []
    for _ in range(2):
        target = rng.normal(size=k) / np.sqrt(k)
        solution = on_quadrics(reduced, target, tolerance)
        seen.append([p.y for p in solution.found if not p.bases])
        if p < k and any(stationarity(y, target, reduced).independent for y in seen[-1]) and not on_rays:
            return [piece], True
        if not solution.complete:
            return [piece], bool(seen[-1]) and p < k
        if on_rays and vertex is not None:
            directions = [essential @ (y - essential.T @ vertex) for y in seen[-1]]
            rays = [x / size for x in directions if (size := float(np.linalg.norm(x))) > tolerance]
            bases = [np.column_stack([cylinder, ray]) for ray in rays] or [cylinder]
            return [_subspace(piece, vertex, basis) for basis in bases], True
    one, two = seen
    if len(one) != len(two) or any(min(np.linalg.norm(y - z) for z in two) > FIT for y in one):
        return [piece], True
    return [_subspace(piece, essential @ y, cylinder) for y in one], True


def _subspace(piece: ZeroSetPiece, z: Array, along: Array) -> ZeroSetPiece:
    """Return the affine subspace through z (coordinates of the piece) in orthonormal directions."""
    return ZeroSetPiece(piece.lift(z - along @ (along.T @ z)), piece.basis @ along)


def on_equalities(quadrics: Sequence[Quadric], y0: Array, tolerance: float) -> StationaryPart:
    """Return everything that is stationary on equalities: pieces, their points and families, and vertices."""
    zero = pieces_of(quadrics, y0.size, tolerance)
    parts = [_on_piece(piece, k, y0, tolerance) for k, piece in enumerate(zero.pieces)]
    vertices, met = _vertices(zero.pieces, parts, y0, tolerance)
    words = StationaryPart(evidence=() if met else ("not all points where pieces meet were looked for",), complete=met)
    points = [v for v in vertices if not v.bases]
    part = joined([zero, *parts, words], pieces=zero.pieces)
    kept = [x for x in part.found if x.bases or not any(v.contains(x.y, 10.0 * tolerance) for v in points)]
    bound = min((part.lower_bound for part in parts if part.lower_bound is not None), default=None)
    return replace(part, found=(*kept, *vertices), lower_bound=bound)


def _on_piece(piece: ZeroSetPiece, k: int, y0: Array, tolerance: float) -> StationaryPart:
    """Return the stationary points of ½|y − y0|² on the piece with index k, in the coordinates y, and a lower bound."""
    z0 = piece.coordinates(y0)
    if piece.linear:
        words = ("on an affine subspace the foot of the perpendicular",)
        inner = StationaryPart((), (replace(point(z0, z0, LOCAL), rigid=z0.size == 0),), True, words, 0.0)
    else:
        inner = replace(on_quadrics(piece.quadrics, z0, tolerance), lower_bound=0.0)
        if inner.found:
            least = min(inner.found, key=lambda x: x.value)
            at = stationarity(least.y, z0, piece.quadrics)
            if at.residual <= FIT and convex(piece.quadrics, at.multipliers):
                inner = replace(inner, lower_bound=least.value)
    return replace(inner, found=tuple(replace(x, piece=k) for x in inner.found)).lifted(piece, y0)


def _vertices(
    pieces: tuple[ZeroSetPiece, ...], parts: list[StationaryPart], y0: Array, tolerance: float
) -> tuple[list[Stationary], bool]:
    """Return what is stationary on the sets in which two pieces meet, and whether all were examined."""
    pairs = [(i, j) for i in range(len(pieces)) for j in range(i)]
    close = 10.0 * tolerance
    vertices: list[Stationary] = []
    for i, j in pairs[:MOST]:
        meet = _meeting(pieces[i], pieces[j], tolerance)
        if meet is None:
            continue
        if not meet.basis.shape[1] and any(v.contains(meet.offset, close) for v in vertices if not v.bases):
            continue  # a point that is known
        both = [meet.restricted(piece.extended(q)) for piece in (pieces[i], pieces[j]) for q in piece.quadrics]
        inner = on_equalities(both, meet.coordinates(y0), tolerance).lifted(meet, y0) if both else None
        for x in (inner or _on_piece(meet, j, y0, tolerance)).found:
            if x.bases or not any(v.contains(x.y, close) for v in vertices if not v.bases):
                least = None if x.bases else least_at(x.y, pieces, parts, close)
                foot = any(p.stationary and p.contains(x.y, close) for part in parts for p in part.found)
                vertices.append(replace(x, kind=VERTEX, least=least, foot=foot, piece=j, rigid=False))
    return vertices, len(pairs) <= MOST


def _meeting(one: ZeroSetPiece, two: ZeroSetPiece, tolerance: float) -> ZeroSetPiece | None:
    """Return the intersection of two affine subspaces, or None if they do not meet."""
    both = np.hstack([one.basis, -two.basis])
    U, sigma, V = np.linalg.svd(both, full_matrices=True)
    rank = int(np.sum(sigma > 10.0 * tolerance))
    gap = two.offset - one.offset
    z = V[:rank].T @ ((U[:, :rank].T @ gap) / sigma[:rank])
    if np.linalg.norm(gap - both @ z) > 10.0 * tolerance:
        return None
    k = one.basis.shape[1]
    directions = one.basis @ V[rank:, :k].T
    basis = np.linalg.qr(directions)[0] if directions.shape[1] else directions
    start = one.lift(z[:k])
    return ZeroSetPiece(start - basis @ (basis.T @ start), basis)


def least_at(y: Array, pieces: Sequence[ZeroSetPiece], parts: Sequence[StationaryPart], close: float) -> bool | None:
    """Return whether y is a local minimum on every piece through it; None if one of them leaves that open."""
    verdicts: list[bool | None] = []
    for piece, part in zip(pieces, parts):
        if piece.holds(y, close, FIT):
            same = [x.least for x in part.found if x.contains(y, close)]
            verdicts.append(same[0] if same else False)
    return None if None in verdicts and False not in verdicts else all(verdicts)
