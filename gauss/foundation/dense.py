"""Small full systems by BLAS's dtrsm, and symmetric ones by LAPACK without SciPy's checks, which cost more than they.

LAPACK's dtrtrs and dgetrs do the same, but OpenBLAS wakes all its threads for them however small the matrix is: on a
busy machine 16 ms for a matrix of 4 rows, against 1.4 µs. It wakes them for dtrsm too where the right-hand sides have
more than a thousand numbers: 200 of 20 rows took 5 ms, in portions 18 µs.

Systems of one motion share their matrices, as a column of balls does at each of its impacts: what is computed of the
same numbers again and again is `kept`, by their content.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar

import numpy as np
from scipy.linalg.blas import dtrsm
from scipy.linalg.lapack import dlaswp, dpotrf, dpotrs

from gauss.foundation.arrays import Array

PORTION = 1_000  # numbers of right-hand sides that are solved for at a time
LARGEST = 20_000  # numbers of the arrays up to which results are kept: they are compared as a whole
MOST = 64  # results of one function that are kept
T = TypeVar("T")


def solve_triangular(
    T: Array, right: Array, lower: bool = False, transposed: bool = False, unit_diagonal: bool = False
) -> Array:
    """Return T⁻¹ right, or T⁻ᵀ right, (n,) or (n, k) of a triangular matrix T (n, n); no other entry of T is read.

    Raises numpy.linalg.LinAlgError where a number on the diagonal is zero.

    Example: ``solve_triangular(np.array([[2.0, 0.0], [1.0, 4.0]]), np.array([2.0, 9.0]), lower=True)`` is [1, 2].
    """
    if not right.size:
        return np.zeros(right.shape)
    if not unit_diagonal and not T.diagonal().all():
        raise np.linalg.LinAlgError("a triangular matrix has a zero on its diagonal")
    if not T.flags.f_contiguous:  # its transpose is stored by columns, and needs no copy
        T, lower, transposed = T.T, not lower, not transposed
    columns = right if right.ndim == 2 else right[:, None]
    n, k = columns.shape
    step = PORTION // n or k
    if k <= step:
        return np.asarray(_solved(T, columns, lower, transposed, unit_diagonal)).reshape(right.shape)
    found = np.empty((n, k), order="F")
    for first in range(0, k, step):
        some = slice(first, first + step)
        found[:, some] = _solved(T, columns[:, some], lower, transposed, unit_diagonal)
    return found


def forward(L: Array, right: Array) -> Array:
    """Return L⁻¹ right (n,) or (n, k) of a lower factor L (n, n) of Cholesky, as `solve_triangular` without its checks.

    Example: ``forward(np.array([[2.0, 0.0], [1.0, 4.0]]), np.array([2.0, 9.0]))`` is [1, 2].
    """
    if right.ndim == 1 and right.size and L.flags.c_contiguous:
        return np.asarray(dtrsm(1.0, L.T, right[:, None], 0, 0, 1)[:, 0])
    return solve_triangular(L, right, lower=True)


def backward(L: Array, right: Array) -> Array:
    """Return L⁻ᵀ right of a lower factor, as `forward` does L⁻¹ right.

    Example: ``backward(np.array([[2.0, 0.0], [1.0, 4.0]]), np.array([4.0, 8.0]))`` is [1, 2].
    """
    if right.ndim == 1 and right.size and L.flags.c_contiguous:
        return np.asarray(dtrsm(1.0, L.T, right[:, None], 0, 0, 0)[:, 0])
    return solve_triangular(L, right, lower=True, transposed=True)


def _solved(T: Array, columns: Array, lower: bool, transposed: bool, unit_diagonal: bool) -> Array:
    return np.asarray(dtrsm(1.0, T, columns, lower=lower, trans_a=transposed, diag=unit_diagonal))


def solve_factored(factors: Array, pivots: Array, right: Array) -> Array:
    """Return A⁻¹ right (n,), (n, k) from factors and exchanged rows (n,) that `scipy.linalg.lapack.dgetrf` returns.

    Raises numpy.linalg.LinAlgError where a pivot is zero.

    Example: ``solve_factored(*dgetrf(np.array([[0.0, 2.0], [4.0, 0.0]]))[:2], np.array([2.0, 4.0]))`` is [1, 1].
    """
    columns = right if right.ndim == 2 else right[:, None]
    exchanged = dlaswp(columns, pivots) if right.size else columns
    found = solve_triangular(factors, solve_triangular(factors, exchanged, True, unit_diagonal=True))
    return found if right.ndim == 2 else found[:, 0]


@dataclass(frozen=True, slots=True)
class Cholesky:
    """A symmetric positive definite matrix (n, n) by its factor."""

    factor: Array  # (n, n): C with A = CᵀC, upper; entries below the diagonal are zero

    @staticmethod
    def of(A: Array) -> Cholesky:
        """Factorise. Raises numpy.linalg.LinAlgError where A is not positive definite."""
        factor, failed = dpotrf(A) if len(A) else (A, 0)
        if failed:
            raise np.linalg.LinAlgError(f"the leading minor {failed} of a matrix is not positive")
        return Cholesky(factor)

    def solve(self, right: Array) -> Array:
        """Return A⁻¹ right, (n,) or (n, k)."""
        return np.asarray(dpotrs(self.factor, right)[0]) if right.size else np.zeros(right.shape)


def kept(function: Callable[..., T]) -> Callable[..., T]:
    """Let a pure function of arrays return what it returned for the same numbers before; nobody may write to that.

    Any thread may call: to look into a dictionary and to add to it are one step each.

    >>> import numpy as np
    >>> total = kept(lambda x: float(x.sum()))
    >>> total(np.ones(3)), total(np.ones(3))
    (3.0, 3.0)
    """
    found: dict[tuple[Any, ...], T] = {}

    @wraps(function)
    def answer(*arrays: Array) -> T:
        if sum(x.size for x in arrays) > LARGEST:
            return function(*arrays)
        key = tuple((x.shape, x.tobytes()) for x in arrays)
        try:
            return found[key]
        except KeyError:
            pass
        if len(found) >= MOST:
            found.clear()
        result = found[key] = function(*arrays)
        return result

    return answer
