"""Stationary points on the whole zero set of equalities: those of its pieces, and the vertices where pieces meet.

A vertex is the stationary point of the set in which two pieces meet. It is a local minimum iff it is one on every piece
through it. The least value on a subspace is that of its foot; on a curved piece the Lagrangian proves it: where
I − Σ μ_k S_k is positive semidefinite, ½|y − y0|² − ½ Σ μ_k q_k(y) is convex and the stationary point is its minimum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gauss.foundation.arrays import Array
from gauss.numerics.quadrics.fritz_john import hessian, stationarity
from gauss.numerics.quadrics.piece import Found, Solution, on_piece, point
from gauss.numerics.quadrics.types import VERTEX, Family, Piece, Quadric
from gauss.numerics.quadrics.zero import pieces_of

MOST_PAIRS = 4000  # pairs of pieces whose meeting points are looked for
CONVEX = 1e-9  # eigenvalue of I − Σ μS, relative to its terms, down to which it counts as semidefinite


@dataclass(frozen=True, eq=False)
class Part:
    """Everything that is stationary on a set of conditions, in the coordinates of the caller."""

    pieces: tuple[Piece, ...]
    points: tuple[Found, ...]
    families: tuple[Family, ...]
    complete: bool
    evidence: tuple[str, ...]
    lower_bound: float | None
    isolated: bool = True
    whole: bool = True  # whether the pieces are all of the admissible set; False where inequalities cut it

    @property
    def nothing(self) -> bool:
        """Whether nothing stationary was found."""
        return not self.points and not self.families


def on_equalities(quadrics: Sequence[Quadric], y0: Array, length: float, tolerance: float) -> Part:
    """Return everything that is stationary on equalities: pieces, their points and families, and vertices."""
    zero = pieces_of(quadrics, y0.size, length, tolerance)
    solutions = [on_piece(piece, y0, length, tolerance) for piece in zero.pieces]
    families = [replace(f, piece=k) for k, s in enumerate(solutions) for f in s.families]
    points = [replace(p, piece=k) for k, s in enumerate(solutions) for p in s.points]
    words = [zero.evidence, *(s.evidence for s in solutions)]
    vertices, meeting, met = _vertices(zero.pieces, solutions, y0, length, tolerance)
    if not met:
        words.append("not all points where pieces meet were looked for")
    close = 10.0 * tolerance * length
    points = [p for p in points if all(np.linalg.norm(p.y - v.y) > close for v in vertices)] + vertices
    bounds = [_bound(piece, s, y0, length) for piece, s in zip(zero.pieces, solutions)]
    complete = zero.decided and met and all(s.complete for s in solutions)
    return Part(
        pieces=zero.pieces,
        points=tuple(points),
        families=tuple(families + meeting),
        complete=complete,
        evidence=tuple(dict.fromkeys(words)),
        lower_bound=min(bounds) if bounds and all(b is not None for b in bounds) else None,
        isolated=all(s.isolated for s in solutions),
    )


def _bound(piece: Piece, solution: Solution, y0: Array, length: float) -> float:
    """Return a lower bound on a piece: its least value where the Lagrangian proves that, else its subspace's."""
    foot = piece.lift(piece.coordinates(y0))
    hull = 0.5 * float(np.sum((foot - y0) ** 2))
    candidates = [(p.value, p.y) for p in solution.points] + [(f.value, f.axes()[0]) for f in solution.families]
    if not candidates:
        return hull
    value, y = min(candidates, key=lambda pair: pair[0])
    if piece.linear or value <= hull:
        return float(value)
    z, z0 = piece.coordinates(y), piece.coordinates(y0)
    at = stationarity(z, z0, piece.quadrics, length)
    return float(value) if at.residual <= 1e-7 * length and convex(piece.quadrics, at.multipliers) else hull


def convex(quadrics: Sequence[Quadric], multipliers: Array) -> bool:
    """Return whether I − Σ μ_k S_k is positive semidefinite to rounding."""
    H, size = hessian(quadrics, multipliers, quadrics[0].g.size)
    return bool(np.linalg.eigvalsh(H)[0] >= -CONVEX * size)


def _vertices(
    pieces: tuple[Piece, ...], solutions: list[Solution], y0: Array, length: float, tolerance: float
) -> tuple[list[Found], list[Family], bool]:
    """Return the stationary points and families of the sets in which two pieces meet, and whether all were examined."""
    pairs = [(i, j) for i in range(len(pieces)) for j in range(i)]
    close = 10.0 * tolerance * length
    vertices: list[Found] = []
    families: list[Family] = []
    for i, j in pairs[:MOST_PAIRS]:
        meet = _meeting(pieces[i], pieces[j], length, tolerance)
        if meet is None:
            continue
        if pieces[i].linear and pieces[j].linear:
            found = [meet.lift(meet.coordinates(y0))]
        else:
            inner = _curved_meeting(pieces[i], pieces[j], meet, y0, length, tolerance)
            found = [meet.lift(p.y) for p in inner.points]
            families += [_as_vertices(f, meet, y0, j) for f in inner.families]
        for y in found:
            if all(np.linalg.norm(y - v.y) > close for v in vertices):
                vertices.append(replace(point(y, y0, VERTEX, _least(y, pieces, solutions, y0, close)), piece=j))
    return vertices, families, len(pairs) <= MOST_PAIRS


def _meeting(one: Piece, two: Piece, length: float, tolerance: float) -> Piece | None:
    """Return the intersection of two affine subspaces, or None if they do not meet."""
    both = np.hstack([one.basis, -two.basis])
    U, sigma, V = np.linalg.svd(both, full_matrices=True)
    rank = int(np.sum(sigma > 10.0 * tolerance))
    gap = two.offset - one.offset
    z = V[:rank].T @ ((U[:, :rank].T @ gap) / sigma[:rank])
    if np.linalg.norm(gap - both @ z) > 10.0 * tolerance * length:
        return None
    k = one.basis.shape[1]
    directions = one.basis @ V[rank:, :k].T
    basis = np.linalg.qr(directions)[0] if directions.shape[1] else directions
    start = one.lift(z[:k])
    return Piece(start - basis @ (basis.T @ start), basis)


def _curved_meeting(one: Piece, two: Piece, meet: Piece, y0: Array, length: float, tolerance: float) -> Part:
    """Return what is stationary where the quadrics of two pieces hold on the intersection of their subspaces."""
    quadrics = []
    for piece in (one, two):
        turn, start = piece.basis.T @ meet.basis, piece.coordinates(meet.offset)
        quadrics += [
            replace(q, S=turn.T @ q.S @ turn, g=turn.T @ q.slope(start), c=q.value(start)) for q in piece.quadrics
        ]
    return on_equalities(quadrics, meet.coordinates(y0), length, tolerance)


def _as_vertices(family: Family, meet: Piece, y0: Array, piece: int) -> Family:
    bases = tuple(meet.basis @ basis for basis in family.bases)
    lifted = replace(family, centre=meet.lift(family.centre), bases=bases, kind=VERTEX, least=None, piece=piece)
    return replace(lifted, value=0.5 * float(np.sum((lifted.axes()[0] - y0) ** 2)))


def _least(y: Array, pieces: tuple[Piece, ...], solutions: list[Solution], y0: Array, close: float) -> bool | None:
    """Return whether y is a local minimum on every piece through it; None if one of them leaves that open."""
    verdicts: list[bool | None] = []
    for piece, solution in zip(pieces, solutions):
        if piece.distance(y) > close:
            continue
        z = piece.coordinates(y)
        reach = max(float(np.linalg.norm(y)), float(np.linalg.norm(y0)))
        if any(abs(q.value(z)) > 1e-7 * q.size(reach) for q in piece.quadrics):
            continue
        same = [p.least for p in solution.points if np.linalg.norm(p.y - y) <= close]
        same += [f.least for f in solution.families if f.contains(y, close)]
        verdicts.append(same[0] if same else False)
    return None if None in verdicts and False not in verdicts else all(verdicts)
