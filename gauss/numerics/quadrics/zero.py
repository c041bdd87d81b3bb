"""The real zero set of quadrics: the pieces into which it splits, and whether it is an affine subspace ("locked")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gauss.foundation.arrays import Array
from gauss.numerics.quadrics.fritz_john import regular_point, stationarity
from gauss.numerics.quadrics.piece import CLOSE, on_quadrics, shared
from gauss.numerics.quadrics.split import Leaf, split
from gauss.numerics.quadrics.types import Piece, Quadric, ZeroSet, form_of

SEED = 20250205


def pieces_of(quadrics: Sequence[Quadric], d: int, length: float, tolerance: float) -> ZeroSet:
    """Return the zero set of equalities in R^d as pieces; coefficients below the tolerance count as zero.

    A piece on which two or more quadrics remain is probed with a target at random: each of its components carries a
    stationary point, so that none means that the piece is empty, and a single one that does not move with the target
    that it is a point.
    """
    forms = [Q for q in quadrics if np.linalg.norm(Q := form_of(q, length)) > 0.0]
    if not forms:
        return ZeroSet((Piece(np.zeros(d), np.eye(d)),), True, "no condition remains")
    homogeneous = all(not np.any(q.g) and q.c == 0.0 for q in quadrics)
    leaves, followed = split(forms, tolerance)
    pieces = [_piece(leaf, quadrics, length, homogeneous) for leaf in leaves]
    count = f"{len(pieces)} piece" + ("s" if len(pieces) != 1 else "")
    decided, words = followed, [f"the zero set has {count}"]
    if not followed:
        words = ["the forms split into too many pieces: not all were followed"]
    result: list[Piece] = []
    for piece in pieces:
        if len(piece.quadrics) < 2:
            result.append(piece)
            continue
        probed, sure = _probed(piece, length, tolerance)
        result += probed
        if not sure:
            decided = False
            words.append(
                f"{len(piece.quadrics)} quadrics that do not split may have fewer real zeros than they seem to"
            )
    return ZeroSet(tuple(result), decided, "; ".join(words))


def _piece(leaf: Leaf, quadrics: Sequence[Quadric], length: float, homogeneous: bool) -> Piece:
    """Return a leaf as an affine subspace with the quadrics that remain on it."""
    height = leaf.T[0]
    size = float(np.linalg.norm(height))
    turn = np.linalg.svd(height[None, :])[2][1:].T  # combinations at infinity: directions
    basis = leaf.T[1:] @ turn
    offset = length * (leaf.T[1:] @ height) / size**2
    if homogeneous:
        offset = np.zeros(offset.size)
    # The frame of (1, z/length) in the coordinates of the leaf.
    frame = np.column_stack([height / size**2, turn])
    rest = []
    for form in leaf.forms:
        R = frame.T @ form @ frame
        g, c = R[1:, 0] / length, float(R[0, 0])
        rest.append(Quadric(R[1:, 1:] / length**2, 0.0 * g if homogeneous else g, 0.0 if homogeneous else c))
    return Piece(offset, basis, tuple(rest))


def restricted(q: Quadric, piece: Piece, length: float, tolerance: float) -> Quadric:
    """Return a quadric on the subspace of a piece, in its coordinates z; zero where it vanishes there to rounding."""
    S, g = piece.basis.T @ q.S @ piece.basis, piece.basis.T @ q.slope(piece.offset)
    on_piece = replace(q, S=S, g=g, c=q.value(piece.offset))
    if on_piece.size(length) <= tolerance * q.size(max(length, float(np.linalg.norm(piece.offset)))):
        return replace(on_piece, S=0.0 * S, g=0.0 * g, c=0.0)
    return on_piece


def _probed(piece: Piece, length: float, tolerance: float) -> tuple[list[Piece], bool]:
    """Return what a piece with several quadrics is found to be: itself, points, lines, or nothing; and if for sure.

    Directions on which no quadric depends are left out first, so that a "point" or "line" may be a larger subspace.
    """
    rng = np.random.default_rng(SEED)
    cylinder, essential, vertex = shared(piece.quadrics, length, tolerance)
    reduced = [Quadric(essential.T @ q.S @ essential, essential.T @ q.g, q.c) for q in piece.quadrics]
    k, p = essential.shape[1], len(reduced)
    rays = vertex is not None and p >= k - 1  # as many conditions as the directions have dimensions
    if p < k and not rays and regular_point(reduced, k, length) is not None:
        return [piece], True  # near such a point the zero set is a manifold
    seen: list[list[Array]] = []
    for _ in range(2):
        target = rng.normal(size=k) * (length / np.sqrt(k))
        solution = on_quadrics(reduced, target, length, tolerance)
        seen.append([p.y for p in solution.points])
        if p < k and any(stationarity(y, target, reduced, length).independent for y in seen[-1]) and not rays:
            return [piece], True
        if not solution.complete:
            return [piece], bool(seen[-1]) and p < k
        if rays and vertex is not None:
            directions = [y - essential.T @ vertex for y in seen[-1]]
            return _lines(piece, essential, cylinder, vertex, directions, tolerance * length), True
    one, two = seen
    same = len(one) == len(two) and all(min(np.linalg.norm(y - z) for z in two) <= CLOSE * length for y in one)
    if not same:
        return [piece], True
    return [_subspace(piece, essential @ y, cylinder) for y in one], True


def _lines(
    piece: Piece, essential: Array, cylinder: Array, vertex: Array, directions: list[Array], close: float
) -> list[Piece]:
    """Return the lines through a vertex in the directions that are not zero, or the vertex alone if there is none."""
    found = []
    for direction in directions:
        size = float(np.linalg.norm(direction))
        if size > close:
            along = np.column_stack([cylinder, essential @ direction / size])
            found.append(_subspace(piece, vertex, along))
    return found or [_subspace(piece, vertex, cylinder)]


def _subspace(piece: Piece, z: Array, along: Array) -> Piece:
    """Return the affine subspace through z (coordinates of the piece) in orthonormal directions."""
    return Piece(piece.lift(z - along @ (along.T @ z)), piece.basis @ along)
