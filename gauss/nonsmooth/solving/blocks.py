"""Linear systems of the contact problem: Delassus's matrix in blocks of one contact each, ordered once.

Each method for the contact problem solves systems with a matrix S W + B, where S and B are block diagonal over the
contacts. The pattern is that of W, so that one ordering of least degree serves all systems of a step. With 2,000
contacts a system takes 6 ms, against 20 ms with a new ordering by columns each time (one thread).
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg.lapack import dgetrf
from scipy.sparse.linalg import splu

from gauss.foundation.arrays import Array, Indices
from gauss.foundation.dense import solve_factored

FULL = 48  # rows up to which full matrices are faster
PIVOT = 1e-3  # a pivot on the diagonal may be smaller than others in its column by this factor
MERGED, PANEL = 3, 1  # columns of a leaf, and of a panel: a fifth faster than with SuperLU's own numbers
SYMMETRIC = {"SymmetricMode": True}


class Blocks:
    """W as blocks (n, m, m) of k contacts with m = 1 + d rows each, and systems with its pattern."""

    def __init__(self, W: Any, contacts: int, tangents: int):
        k, m = contacts, 1 + tangents
        coo = W.tocoo()
        owner = np.concatenate([np.arange(k), np.repeat(np.arange(k), tangents)])
        part = np.concatenate([np.zeros(k, dtype=int), np.tile(np.arange(1, m), k)])
        i, j = owner[coo.row], owner[coo.col]
        place, self._row, self._column, block = arranged(i, j, k, k * m > FULL)
        self._blocks = np.zeros((len(self._row), m, m))
        self._blocks[block[: len(i)], part[coo.row], part[coo.col]] = coo.data
        self._own = block[len(i) :]  # the blocks on the diagonal
        self._order = np.argsort(place)  # contacts in the order of elimination
        self._place = place[owner] * m + part  # of the unknowns, normal parts first
        self._size = k * m
        self._pattern(m)

    def _pattern(self, m: int) -> None:
        """Find where the entries of the blocks stand in the matrix, by compressed columns where it is large."""
        rows = self._row[:, None, None] * m + np.arange(m)[:, None]  # (n, m, 1)
        if self._size <= FULL:
            self._into = rows * self._size + self._column[:, None, None] * m + np.arange(m)  # (n, m, m)
            return
        count = np.bincount(self._column, minlength=self._size // m)
        start = np.cumsum(count) - count
        inner = np.arange(len(self._row)) - start[self._column]  # which block of its column
        first = start[self._column] * m * m + inner * m
        height = count[self._column] * m
        self._into = first[:, None, None] + np.arange(m)[:, None] + np.arange(m) * height[:, None, None]
        indices = np.empty(self._into.size, dtype=np.int32)
        indices[self._into] = rows
        starts = np.concatenate([[0], np.cumsum(np.repeat(count * m, m))]).astype(np.int32)
        self._matrix = pattern(indices, starts)

    def shifted(self, diagonal: Array) -> Blocks:
        """Return these blocks with a diagonal (k m,) added to W, normal parts first."""
        m = self._blocks.shape[1]
        other, ordered = copy(self), np.empty(self._size)
        ordered[self._place] = diagonal
        other._blocks = self._blocks.copy()
        other._blocks[self._own] += ordered.reshape(-1, m)[self._row[self._own], :, None] * np.eye(m)
        return other

    def system(self, B: Array, S: Array | None = None, error: float = 0.0) -> Callable[[Array], Array]:
        """Return what solves (S W + B) x = b for blocks B, S (k, m, m); S is the identity if left out, b may be (n, c).

        `error` is for solutions by bodies. Raises RuntimeError where the matrix is singular.
        """
        order = self._order
        if S is None:
            blocks = self._blocks.copy()
        elif S.shape[1] == 2 and not np.any(S[:, [0, 1], [1, 0]]):  # diagonal, as in the plane
            blocks = np.diagonal(S, axis1=1, axis2=2)[order][self._row][:, :, None] * self._blocks
        else:
            blocks = S[order][self._row] @ self._blocks
        blocks[self._own] += B[order[self._row[self._own]]]
        solve = self._full(blocks) if self._size <= FULL else self._sparse(blocks)

        def solved(b: Array) -> Array:
            right = np.empty((self._size, *b.shape[1:]))
            right[self._place] = b
            return np.asarray(solve(right)[self._place])

        return solved

    def _full(self, blocks: Array) -> Callable[[Array], Array]:
        full = np.zeros((self._size, self._size))
        full.ravel()[self._into] = blocks
        factors, pivots, bad = dgetrf(full, overwrite_a=True)
        if bad > 0:
            raise RuntimeError(f"the pivot {bad} is zero")
        return lambda b: solve_factored(factors, pivots, b)

    def _sparse(self, blocks: Array) -> Callable[[Array], Array]:
        data = np.empty(blocks.size)
        data[self._into] = blocks
        return factorised(self._matrix, data)


def pattern(indices: NDArray[np.int32], starts: NDArray[np.int32]) -> Any:
    """Return a sparse matrix by columns whose data are to be filled in; the indices of each column are sorted."""
    size = len(starts) - 1
    matrix = sp.csc_matrix((np.zeros(len(indices)), indices, starts), shape=(size, size))
    matrix.has_canonical_format = True
    return matrix


def factorised(matrix: Any, data: Array) -> Callable[[Array], Array]:
    """Return what solves systems with the pattern of a matrix and other data. Raises RuntimeError for singular ones."""
    solve: Callable[[Array], Array] = splu(
        with_data(matrix, data), "NATURAL", diag_pivot_thresh=PIVOT, relax=MERGED, panel_size=PANEL, options=SYMMETRIC
    ).solve
    return solve


def with_data(matrix: Any, data: Array) -> Any:
    """Return a matrix with the pattern of a sparse one, whose arrays it shares: they are not checked once more."""
    other = copy(matrix)
    other.data = data
    return other


def arranged(i: Indices, j: Indices, k: int, ordered: bool = True) -> tuple[Indices, Indices, Indices, Indices]:
    """Return how k parts that interact in pairs (i, j) stand in a matrix by columns.

    That is the place (k,) of each part, in an elimination of least degree if `ordered`; row and column of each block;
    and which block each pair, and then each part with itself, has.
    """
    keys, block = np.unique(np.concatenate([j * k + i, np.arange(k) * (k + 1)]), return_inverse=True)
    column, row = keys // k, keys % k
    if not ordered:
        return np.arange(k), row, column, block
    starts = np.concatenate([[0], np.cumsum(np.bincount(column, minlength=k))])
    graph = pattern(row.astype(np.int32), starts.astype(np.int32))
    graph.data = np.where(row == column, float(k), -1.0)
    place = splu(graph, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=SYMMETRIC).perm_c
    column, row = place[column], place[row]
    order = np.argsort(column * k + row)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return place, row[order], column[order], rank[block]
