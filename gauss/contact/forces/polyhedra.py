"""Small convex polyhedra {x : A x = b, G x ≥ h} in full: vertices, rays and lines, by enumeration of active sets.

The sets met here have a handful of unknowns, so all candidates are tried. Rows are scaled to unit length, and unknowns
are expected to be of size one; what is smaller than `TIGHT` counts as zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array, lengths_of
from gauss.foundation.tolerances import DOUBTFUL
from gauss.principle.rank import RANK_TOLERANCE

TIGHT = 1e-9  # a row that is violated by less than this (relative to the point, at least 1) holds
SAME = 1e-8  # points nearer than this, relative to their size, are one
FLAT = 1e-10  # active rows whose determinant or singular value is below this do not determine a vertex or a ray
LARGEST = 200_000  # active sets that are tried at most


class TooManySetsError(InputError):
    """The polyhedron has too many active sets to be enumerated."""


@dataclass(frozen=True)
class Polyhedron:
    """conv(vertices) + cone(rays) + span(lines), never empty, beside the rows that describe it."""

    vertices: Array  # (v, d), v ≥ 1; orthogonal to the lines
    rays: Array  # (r, d) unit vectors; orthogonal to the lines
    lines: Array  # (l, d) orthonormal
    A: Array  # (e, d) unit rows (or zero)
    b: Array  # (e,)
    G: Array  # (g, d) unit rows (or zero)
    h: Array  # (g,)

    @property
    def single(self) -> bool:
        """Whether it is one point."""
        return len(self.vertices) == 1 and not len(self.rays) and not len(self.lines)

    def contains(self, other: Polyhedron) -> bool:
        """Whether every point of `other` lies in this polyhedron, up to rounding."""
        slack = TIGHT * np.maximum(1.0, np.max(np.abs(other.vertices), axis=1))
        if np.any(np.abs(other.vertices @ self.A.T - self.b) > slack[:, None]):
            return False
        if np.any(other.vertices @ self.G.T - self.h < -slack[:, None]):
            return False
        directions = np.vstack([other.rays, other.lines, -other.lines])
        return bool(np.all(np.abs(directions @ self.A.T) <= TIGHT) and np.all(directions @ self.G.T >= -TIGHT))


def polyhedron(A: Array, b: Array, G: Array, h: Array) -> tuple[Polyhedron | None, bool]:
    """Return the polyhedron A x = b (e rows), G x ≥ h (g rows) in d unknowns, or None where it is empty.

    The flag says whether a singular value of A is so near zero that the answer may go either way. Raises InputError
    where more than `LARGEST` active sets would have to be tried.
    """
    A, b, G, h = *_scaled(A, b), *_scaled(G, h)
    d = A.shape[1]
    point, free, doubtful = np.zeros(d), np.eye(d), False
    if len(A):
        U, sigma, V = np.linalg.svd(A, full_matrices=True)
        rank = int(np.sum(sigma > RANK_TOLERANCE * sigma[0])) if sigma[0] > 0.0 else 0
        relative = sigma / sigma[0] if rank else sigma
        doubtful = bool(np.any((relative > DOUBTFUL[0]) & (relative < DOUBTFUL[1])))
        point, free = V[:rank].T @ ((U[:, :rank].T @ b) / sigma[:rank]), V[rank:].T
        if np.max(np.abs(A @ point - b)) > TIGHT * max(1.0, float(np.max(np.abs(point), initial=0.0))):
            return None, doubtful
    found = _pointed(G @ free, h - G @ point, float(np.max(np.abs(point), initial=1.0)))
    if found is None:
        return None, doubtful
    vertices, rays, lines = (part @ free.T for part in found)
    if len(lines):
        point = point - lines.T @ (lines @ point)
    return Polyhedron(point + vertices, rays, lines, A, b, G, h), doubtful


def _scaled(rows: Array, right: Array) -> tuple[Array, Array]:
    """Return rows of unit length with their right sides; zero rows stay as they are."""
    length = lengths_of(rows)
    return rows / length[:, None], right / length


def _pointed(G: Array, h: Array, size: float) -> tuple[Array, Array, Array] | None:
    """Return vertices, rays and lines of G w ≥ h, or None where it is empty; `size` is that of the point w = 0."""
    length = np.linalg.norm(G, axis=1)
    constant = length <= TIGHT
    if np.any(h[constant] > TIGHT * max(1.0, size)):
        return None
    G, h = G[~constant] / length[~constant, None], h[~constant] / length[~constant]
    r = G.shape[1]
    if not len(G):
        return np.zeros((1, r)), np.zeros((0, r)), np.eye(r)
    _, sigma, V = np.linalg.svd(G, full_matrices=True)
    rank = int(np.sum(sigma > FLAT * sigma[0]))
    basis = V[:rank]
    reduced = G @ basis.T
    vertices = _vertices(reduced, h, size)
    if not len(vertices):
        return None
    return vertices @ basis, _rays(reduced) @ basis, V[rank:]


def _subsets(count: int, size: int) -> Array:
    """Return all subsets (c, size) of `count` rows as indices. Raises InputError where there are too many."""
    many = comb(count, size)
    if many > LARGEST:
        raise TooManySetsError(
            f"{count} inequalities in {size} free unknowns have {many} active sets; at most {LARGEST} are tried."
            " Leave out contacts, or ask for one solution with gauss.contact.lemke."
        )
    return np.array(list(combinations(range(count), size)), dtype=int).reshape(many, size)


def _vertices(G: Array, h: Array, size: float) -> Array:
    """Return the vertices (v, r) of G u ≥ h, whose rows span all r unknowns."""
    chosen = _subsets(*G.shape)
    square = G[chosen]
    solvable = np.abs(np.linalg.det(square)) > FLAT
    if not np.any(solvable):
        return np.zeros((0, G.shape[1]))
    u = np.linalg.solve(square[solvable], h[chosen[solvable]][:, :, None])[:, :, 0]
    inside = np.all(u @ G.T - h >= -TIGHT * np.maximum(size, np.max(np.abs(u), axis=1, initial=1.0))[:, None], axis=1)
    return distinct(u[inside], size)


def _rays(G: Array) -> Array:
    """Return the extreme rays (k, r) of the pointed cone G u ≥ 0, of unit length."""
    r = G.shape[1]
    if r == 1:
        lines = np.ones((1, 1))
    else:
        _, sigma, V = np.linalg.svd(G[_subsets(len(G), r - 1)], full_matrices=True)
        lines = V[sigma[:, -1] > FLAT, -1]
    both = np.vstack([lines, -lines])
    return distinct(both[np.all(both @ G.T >= -TIGHT, axis=1)], 1.0)


def distinct(points: Array, size: float) -> Array:
    """Return points (k, d) without repetitions up to rounding, in their order; `size` is what they are relative to."""
    near = SAME * np.maximum(size, np.max(np.abs(points), axis=1, initial=0.0))
    kept, left = [], np.arange(len(points))
    while len(left):
        first, others = left[0], left[1:]
        kept.append(first)
        left = others[np.max(np.abs(points[others] - points[first]), axis=1, initial=0.0) > near[others]]
    return points[kept]


def merged(pieces: list[Polyhedron]) -> list[int]:
    """Return which pieces (indices) are not part of another one; of equal ones the first."""
    kept: list[int] = []
    for k, piece in enumerate(pieces):
        if any(pieces[j].contains(piece) for j in kept):
            continue
        kept = [j for j in kept if not piece.contains(pieces[j])]
        kept.append(k)
    return kept
