"""Linear systems with a matrix that must be positive definite beyond rounding, whatever the units of its rows."""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_solve, cholesky

from gauss.errors import MassMatrixError
from gauss.formulations._problem import EPS
from gauss.foundation.arrays import Array
from gauss.foundation.dense import solve_triangular


def solve_definite(A: Array, right: Array, otherwise: str) -> Array:
    """Return A⁻¹ right (k,) of a symmetric matrix. Raises MassMatrixError with the message `otherwise`."""
    if not right.size:
        return np.zeros(0)
    factor, scales = _equilibrated(A, otherwise)
    return np.asarray(scales * cho_solve((factor, True), scales * right), dtype=float)


def inverse_root(A: Array, otherwise: str) -> Array:
    """Return C (k, k) with CCᵀ = A⁻¹ of a symmetric matrix. Raises MassMatrixError with the message `otherwise`."""
    factor, scales = _equilibrated(A, otherwise)
    inverse = solve_triangular(factor, np.diag(scales), lower=True)
    return np.ascontiguousarray(inverse.T)


def _equilibrated(A: Array, otherwise: str) -> tuple[Array, Array]:
    """Return the Cholesky factor of A with a unit diagonal, and what it was scaled with.

    The factorisation of a singular matrix may succeed by rounding; its smallest pivot then is of the size of eps.
    """
    diagonal = np.diag(A)
    scales = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    try:
        factor = cholesky(scales[:, None] * (0.5 * (A + A.T)) * scales, lower=True)
    except LinAlgError:
        raise MassMatrixError(otherwise) from None
    if np.min(np.diag(factor)) ** 2 <= 4.0 * diagonal.size * EPS:
        raise MassMatrixError(otherwise)
    return factor, scales
