"""Linear systems of the contact problem in the plane as band matrices: the fastest where a heap is narrow.

In the order of E. Cuthill and J. McKee (Proc. 24th Nat. Conf. ACM, 1969) the contacts of a hundred discs in a funnel
have a band of 40 diagonals on each side. LAPACK factorises it in two thirds of the time that sparse factors of least
degree take, and a tenth of it where the matrix is symmetric; the pattern is known at once.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np
from scipy.linalg.lapack import dgbtrf, dgbtrs, dpbtrf, dpbtrs
from scipy.sparse.csgraph import reverse_cuthill_mckee

from gauss.foundation.arrays import Array


class BandBlocks:
    """Systems of k contacts with m = 1 + d ≤ 2 rows each, whose diagonal blocks S are diagonal themselves."""

    def __init__(self, W: Any, contacts: int, tangents: int):
        k, m, n = contacts, 1 + tangents, len(W.indptr) - 1
        self._data = W.data.copy()  # SciPy may sort W in place
        self._order = reverse_cuthill_mckee(W, symmetric_mode=True)
        self._place = np.empty_like(self._order)
        self._place[self._order] = np.arange(n, dtype=self._order.dtype)
        self._row = np.repeat(np.arange(n), np.diff(W.indptr))
        of = self._place[np.arange(m) * k + np.arange(k)[:, None]]  # (k, m)
        row, column = self._place[self._row], self._place[W.indices]
        own = np.broadcast_to(of[:, :, None], (k, m, m)), np.broadcast_to(of[:, None], (k, m, m))
        self.width = w = int(max(np.max(np.abs(row - column), initial=0), np.max(np.abs(own[0] - own[1]), initial=0)))
        self._shape = (3 * w + 1, n)
        self._into = (2 * w + row - column) + column * self._shape[0]
        self._own = (2 * w + own[0] - own[1]) + own[1] * self._shape[0]
        self._shift: Array | None = None
        self._blocks = (m, k)

    def shifted(self, diagonal: Array) -> BandBlocks:
        """Return these blocks with a diagonal (k m,) added to W, normal parts first."""
        other = copy(self)
        other._shift = diagonal if self._shift is None else self._shift + diagonal
        return other

    def system(self, B: Array, S: Array | None = None, error: float = 0.0) -> Callable[[Array], Array]:
        """Return what solves (S W + B) x = b for blocks B, S (k, m, m); S is the identity if left out, b may be (n, c).

        `error` is for solutions by bodies. Raises RuntimeError where the matrix is singular.
        """
        m, k = self._blocks
        scale = None if S is None else np.diagonal(S, axis1=1, axis2=2).T.ravel()
        matrix = np.zeros(self._shape[0] * self._shape[1])
        matrix[self._into] = self._data if scale is None else scale[self._row] * self._data
        matrix[self._own] += B
        if self._shift is not None:
            matrix[np.diagonal(self._own, axis1=1, axis2=2)] += (
                self._shift if scale is None else scale * self._shift
            ).reshape(m, k).T
        w, order, place = self.width, self._order, self._place
        factors, pivots, bad = dgbtrf(matrix.reshape(self._shape, order="F"), w, w, overwrite_ab=True)
        if bad > 0:
            raise RuntimeError(f"the pivot {bad} is zero")

        def solved(b: Array) -> Array:
            return np.asarray(dgbtrs(factors, w, w, b[order], pivots, overwrite_b=True)[0][place])

        return solved
