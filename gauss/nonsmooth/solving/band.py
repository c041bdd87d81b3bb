"""Linear systems of the contact problem in the plane as band matrices: the fastest where a heap is narrow.

In the order of E. Cuthill and J. McKee (Proc. 24th Nat. Conf. ACM, 1969) the contacts of a hundred discs in a funnel
have a band of 40 to 50 diagonals on each side. LAPACK factorises it in two thirds of the time that sparse factors of
least degree take, and in a tenth of it where the matrix is symmetric, as without friction.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np
from scipy.linalg.lapack import dgbtrf, dgbtrs, dpbtrf, dpbtrs
from scipy.sparse.csgraph import reverse_cuthill_mckee

from gauss.foundation.arrays import Array
from gauss.nonsmooth.solving.blocks import pattern


class BandBlocks:
    """Systems of k contacts with m = 1 + d ≤ 2 rows each, in which blocks S are diagonal."""

    def __init__(self, W: Any, contacts: int, tangents: int):
        k, m, n = contacts, 1 + tangents, len(W.indptr) - 1
        self._data = W.data.copy()  # SciPy may sort W in place
        self._row, self._column = np.repeat(np.arange(n), np.diff(W.indptr)), W.indices.copy()
        unknown = np.arange(m) * k + np.arange(k)[:, None]  # (k, m)
        orders = [reverse_cuthill_mckee(W, symmetric_mode=True)]
        if tangents:
            normal = W.indices[: W.indptr[k]] < k
            starts = np.concatenate([[0], np.cumsum(normal)])[W.indptr[: k + 1]].astype(np.int32)
            contacts_alone = pattern(W.indices[: W.indptr[k]][normal], starts)
            orders.append(unknown[reverse_cuthill_mckee(contacts_alone, symmetric_mode=True)].ravel())
        self.width = n
        for order in orders:
            place = np.empty(n, dtype=int)
            place[order] = np.arange(n)
            off, apart = place[self._row] - place[self._column], place[unknown[:, :, None]] - place[unknown[:, None]]
            width = int(max(np.max(off, initial=0), np.max(apart, initial=0)))
            if width < self.width:
                self.width, self._order, self._place, found = width, order, place, (off, apart)
        self._symmetric = not tangents  # only what is on the diagonal and below it is stored then
        above, height = (0, self.width + 1) if self._symmetric else (2 * self.width, 3 * self.width + 1)
        self._shape = height, n
        self._into = above + found[0] + self._place[self._column] * height
        self._own = above + found[1] + self._place[unknown[:, None]] * height  # (k, m, m)
        self._below = found[0] >= 0
        self._shift: Array | None = None  # (k, m)

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
        scale, data = None if S is None else np.diagonal(S, axis1=1, axis2=2).T.ravel(), self._data
        matrix, into, w = np.zeros(self._shape[0] * self._shape[1]), self._into, self.width
        if scale is not None:
            data = scale[self._row] * data
        if self._symmetric:
            data = (data if scale is None else data * scale[self._column])[self._below]
            into = into[self._below]
        matrix[into] = data
        matrix[self._own] += B
        matrix = matrix.reshape(self._shape, order="F")
        order, place = self._order, self._place
        if self._symmetric:
            factor, bad = dpbtrf(matrix, lower=True, overwrite_ab=True)
            if not bad:
                return lambda b: np.asarray(dpbtrs(factor, b[order], lower=True, overwrite_b=True)[0][place])
            raise RuntimeError(f"the leading minor {bad} is not positive")
        factors, pivots, bad = dgbtrf(matrix, w, w, overwrite_ab=True)
        if bad > 0:
            raise RuntimeError(f"the pivot {bad} is zero")
        return lambda b: np.asarray(dgbtrs(factors, w, w, b[order], pivots, overwrite_b=True)[0][place])
