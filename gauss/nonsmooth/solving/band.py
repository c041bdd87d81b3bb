"""Linear systems of the contact problem in the plane as band matrices: the fastest where a heap is narrow.

In the order of E. Cuthill and J. McKee (Proc. 24th Nat. Conf. ACM, 1969) the contacts of a hundred discs in a funnel
have a band of 35 to 40 diagonals on each side, if it begins at the contact with which a first such order ends; from
any other it is 40 to 50. Pivots far below the diagonal would double what the band holds, so the rows are scaled by
powers of two that fall: a pivot d rows below the diagonal is taken only if it is 2^(d/4) times as large. LAPACK then
factorises the matrix in half the time that sparse factors of least degree take, and in a tenth of it where the matrix
is symmetric, as without friction.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np
from scipy.linalg.lapack import dgbtrf, dgbtrs, dpbtrf, dpbtrs
from scipy.sparse.csgraph import reverse_cuthill_mckee

from gauss.foundation.arrays import Array, Indices
from gauss.nonsmooth.solving.blocks import pattern

ORDERS = 3  # each of which begins where the one before ends; the narrowest is taken
FALL, DEEPEST = 0.25, 500.0  # powers of two by which a row is smaller than the one before; of the last row, at most


class BandBlocks:
    """Systems of k contacts with m = 1 + d ≤ 2 rows each, in which blocks S are diagonal."""

    def __init__(self, W: Any, contacts: int, tangents: int):
        k, m, n = contacts, 1 + tangents, len(W.indptr) - 1
        order = _narrow(W, k) if tangents else reverse_cuthill_mckee(W, symmetric_mode=True)
        self._order = (order[:, None] + k * np.arange(m)).ravel()  # of the unknowns, whose normal parts come first
        self._place = np.empty(n, dtype=int)
        self._place[self._order] = np.arange(n)
        self._row = np.repeat(np.arange(n), np.diff(W.indptr))
        off = self._place[self._row] - self._place[W.indices]
        self.width = max(int(np.max(off, initial=0)), tangents)
        self._symmetric = not tangents  # only what is on the diagonal and below it is stored then
        kept = np.flatnonzero(off >= 0) if self._symmetric else slice(None)
        above, height = (0, self.width + 1) if self._symmetric else (2 * self.width, 3 * self.width + 1)
        self._shape = height, n
        self._row, self._column, self._data = self._row[kept], W.indices[kept], W.data[kept].copy()  # W may be sorted
        self._into = above + off[kept] + self._place[self._column] * height
        part = np.arange(m)
        first = self._place[:k, None, None] * height + above
        self._own = first + (part[:, None] - part) + part * height  # (k, m, m)
        self._scale = np.exp2(-np.floor(min(FALL, DEEPEST / n) * np.arange(n)))  # of rows in this order
        self._shift: Array | None = None  # (k, m)
        if not self._symmetric:
            falling = self._scale[self._place]
            self._data *= falling[self._row]
            self._blocks = falling.reshape(m, k).T[:, :, None]  # of the rows of B
            self._matrix = np.zeros(height * n)
            self._matrix[self._into] = self._data

    def shifted(self, diagonal: Array) -> BandBlocks:
        """Return these blocks with a diagonal (k m,) added to W, normal parts first."""
        other = copy(self)
        more = diagonal.reshape(self._own.shape[1], -1).T
        other._shift = more if self._shift is None else self._shift + more
        return other

    def system(self, B: Array, S: Array | None = None, error: float = 0.0) -> Callable[[Array], Array]:
        """Return what solves (S W + B) x = b for blocks B, S (k, m, m); S is the identity if left out, b may be (n, c).

        `error` is for solutions by bodies. Raises RuntimeError where the matrix is singular. Without tangents S must
        be 0 or 1, and b zero where S is: then W has to be looked at only where it is 1, and stays symmetric.
        """
        if self._shift is not None:
            B = B + self._shift[:, None] * (np.eye(B.shape[1]) if S is None else S)
        share = None if S is None else np.diagonal(S, axis1=1, axis2=2).T.ravel()
        order, place, scale, w = self._order, self._place, self._scale, self.width
        if self._symmetric:
            matrix = np.zeros(self._shape[0] * self._shape[1])
            matrix[self._into] = self._data if share is None else share[self._row] * self._data * share[self._column]
            matrix[self._own] += B
            factor, bad = dpbtrf(matrix.reshape(self._shape, order="F"), lower=True, overwrite_ab=True)
            if not bad:
                return lambda b: np.asarray(dpbtrs(factor, b[order], lower=True, overwrite_b=True)[0][place])
            raise RuntimeError(f"the leading minor {bad} is not positive")
        if share is None:
            matrix, columns = np.empty_like(self._matrix), (-1, self._shape[0])
            matrix.reshape(columns)[:, w:] = self._matrix.reshape(columns)[:, w:]  # LAPACK sets what pivots may fill
        else:
            matrix = np.zeros_like(self._matrix)
            matrix[self._into] = share[self._row] * self._data
        matrix[self._own] += self._blocks * B
        factors, pivots, bad = dgbtrf(matrix.reshape(self._shape, order="F"), w, w, overwrite_ab=True)
        if bad > 0:
            raise RuntimeError(f"the pivot {bad} is zero")
        return lambda b: np.asarray(dgbtrs(factors, w, w, (b[order].T * scale).T, pivots, overwrite_b=True)[0][place])


def _narrow(W: Any, k: int) -> Indices:
    """Return an order of k contacts, whose normal parts come first in W, in which the band is narrow."""
    normal = np.flatnonzero(W.indices[: W.indptr[k]] < k)
    starts = np.searchsorted(normal, W.indptr[: k + 1]).astype(np.int32)
    degree = np.diff(starts)
    column = np.append(W.indices.take(normal), np.argmin(degree)).astype(np.int32)
    row = np.repeat(np.arange(k), degree)
    tied = pattern(column, np.append(starts, starts[-1] + 1))  # a row of the least degree: the order begins at its one
    least, best, place = k, np.arange(k), np.empty(k + 1, dtype=int)
    for _ in range(ORDERS):
        order = reverse_cuthill_mckee(tied, symmetric_mode=True)
        place[order] = np.arange(k + 1)
        width = int((place[row] - place[column[:-1]]).max())
        if width < least:
            least, best = width, order[order < k]
        column[-1] = order[0]  # where this one ended
    return best
