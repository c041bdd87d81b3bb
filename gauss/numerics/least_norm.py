"""Least solutions of dependent equations, their rank decided as by singular values, in a third of the time.

A QR factorisation R = [R₁₁ R₁₂; 0 R₂₂] with column pivoting bounds the singular values on both sides of a gap: those of
R are at least those of its first columns, 1/‖R₁₁⁻¹‖ or more, and a matrix of the rank of R₁₁ is ‖R₂₂‖ away. Where these
bounds leave no doubt, the solution is that of the truncated singular value decomposition, to rounding.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from gauss.foundation.arrays import Array, length

MARGIN = 10.0  # by which the bounds are apart from the share that decides
ROUNDED = 1e-13  # of the largest singular value: what rounding may have made of the factors
LARGE = 1_000  # entries of a matrix from which this is faster than a singular value decomposition


@dataclass(frozen=True)
class LeastSolution:
    """The least z (n,) that satisfies equations as well as they can be."""

    z: Array
    rank: int
    lost: float  # the first singular value that counts as zero, at most


def least_solution(A: Array, right: Array, share: float) -> LeastSolution | None:
    """Return the least solution of A z = right (m,), A (m, n), without singular values up to `share` of the largest.

    None where the matrix is small, zero, or too near the decision for the bounds to tell.
    """
    if A.size < LARGE:
        return None
    factors, order, tau, _, failed = lapack.dgeqp3(A.T)
    R = np.triu(factors[: min(A.shape)])
    pivots = np.abs(R.diagonal())
    rank = int((pivots > share * pivots[0]).sum())
    most = length(R)  # the largest singular value is not above this, nor below the first pivot
    lost = length(R[rank:, rank:]) + ROUNDED * most
    if failed or not rank or not MARGIN * lost <= share * pivots[0]:
        return None
    inverse, failed = lapack.dtrtri(R[:rank, :rank])
    if failed or not MARGIN * share * most * length(inverse) <= 1.0:
        return None
    along, b = np.zeros((A.shape[1], 1)), right[order - 1]
    if rank == len(A):
        along[:rank, 0] = inverse.T @ b
    else:
        _, found, failed = lapack.dgels(R[:rank].T, b)
        if failed:
            return None
        along[:rank, 0] = found[:rank]
    z, _, failed = lapack.dormqr("L", "N", factors[:, : len(tau)], tau, along, 64)
    return None if failed else LeastSolution(z[:, 0], rank, lost)
