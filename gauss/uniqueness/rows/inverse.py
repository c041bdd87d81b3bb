"""The smallest singular value of many rows without a decomposition: inverse iteration by Lanczos' method."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gauss.foundation.arrays import Array

CONVERGED = 1e-10  # relative error of the eigenvalue that the iteration may leave
MOST = 300  # iterations; the vectors of all of them are kept orthogonal


def smallest_singular_value(
    inverse: Callable[[Array], Array], count: int, near: Array | None = None
) -> tuple[float, Array | None]:
    """Return σ_min of `count` rows R from y ↦ (R Rᵀ)⁻¹ y, and the combination of the rows that it belongs to (count,).

    1/σ_min² is the largest eigenvalue of (R Rᵀ)⁻¹; Lanczos' method with full reorthogonalisation finds it from the
    vector `near`, mixed with a fixed random one, until its residual bounds the error. Without a finite inverse the
    value is 0 and there is no vector. As R Rᵀ squares the singular values, those below about 1e-8 cannot be told from
    zero, and the relative error grows like 1e-16/σ²: decompose R itself where the answer is small.

    Source: B. N. Parlett, The Symmetric Eigenvalue Problem, 1980, ch. 13.
    """
    start = np.random.default_rng(0).normal(size=count) / np.sqrt(count)
    start = start if near is None else near + 0.01 * start
    basis = [start / np.linalg.norm(start)]
    diagonal: list[float] = []
    beside: list[float] = []
    while True:
        image = inverse(basis[-1])
        if not np.all(np.isfinite(image)):
            return 0.0, None
        diagonal.append(float(basis[-1] @ image))
        kept = np.array(basis)
        for _ in range(2):
            image = image - kept.T @ (kept @ image)
        rest = float(np.linalg.norm(image))
        tridiagonal = np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1)
        values, vectors = np.linalg.eigh(tridiagonal)
        top = int(np.argmax(np.abs(values)))  # rounding may have made the inverse of dependent rows negative
        largest = float(values[top])
        if not largest > 0.0:
            return 0.0, None
        if rest * abs(vectors[-1, top]) <= CONVERGED * largest or len(basis) == min(count, MOST):
            return 1.0 / np.sqrt(largest), np.asarray(kept.T @ vectors[:, top])
        beside.append(rest)
        basis.append(image / rest)
