"""The numbers of one constrained problem are checked here, in one place, before any formulation uses them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from gauss.errors import ContradictoryRowsError, InputError, MassMatrixError, SolverError
from gauss.foundation.arrays import Array, matrix, vector

EPS = float(np.finfo(float).eps)


@dataclass(frozen=True)
class Problem:
    """M a = f + Jᵀλ with J a = γ, as finite float arrays of matching shapes; M is exactly symmetric."""

    M: Array  # (n, n)
    f: Array  # (n,)
    J: Array  # (m, n)
    gamma: Array  # (m,)

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return self.f.size

    @property
    def m(self) -> int:
        """Number of rows."""
        return self.gamma.size


def checked(M: object, f: object, J: object, gamma: object) -> Problem:
    """Return the four arrays checked: M (n, n) symmetric, f (n,), J (m, n), γ (m,), all finite.

    m = 0 is a J of shape (0, n). Raises InputError for a wrong shape or a value that is not finite, and
    MassMatrixError for an M that differs from its transpose by more than rounding (100·eps·max|M|).
    """
    f_array = vector(f, np.size(np.asarray(f)), "f")
    n = f_array.size
    if n == 0:
        raise InputError("f is empty; at least one coordinate is expected.")
    mass = matrix(M, (n, n), "M")
    gap = float(np.max(np.abs(mass - mass.T)))
    if gap > 100.0 * EPS * float(np.max(np.abs(mass))):
        raise MassMatrixError(f"M is not symmetric: entries differ from those of its transpose by up to {gap:g}.")
    gamma_array = vector(gamma, np.size(np.asarray(gamma)), "gamma")
    rows = matrix(J, (gamma_array.size, n), "J")
    return Problem(0.5 * (mass + mass.T), f_array, rows, gamma_array)


def row_lengths(rows: Array) -> Array:
    """Return the Euclidean lengths (m,) of rows (m, n), 1 for those that are zero; without overflow for any unit."""
    largest = np.max(np.abs(rows), axis=1, initial=0.0)
    largest = np.where(largest > 0.0, largest, 1.0)
    lengths = largest * np.linalg.norm(rows / largest[:, None], axis=1)
    return np.where(lengths > 0.0, lengths, 1.0)


def finite(a: Array) -> Array:
    """Return an acceleration. Raises SolverError for one that is nan or infinite."""
    if not np.all(np.isfinite(a)):
        raise SolverError(f"The acceleration {a} is not finite: numbers of M, f or J overflow. Choose other units.")
    return a


def refuse_contradiction(residual: Array, scale: float, tolerance: float, metric: str) -> None:
    """Raise ContradictoryRowsError when unit rows miss their right-hand sides by more than tolerance·scale.

    `residual` (m,) is J a − γ with each row at unit length in `metric`. For the best compromise it lies in the left
    null space of J, so its large components name the rows that contradict one another.
    """
    gap = float(np.linalg.norm(residual))
    if gap > tolerance * scale:
        involved: Iterable[int] = np.flatnonzero(np.abs(residual) > 1e-3 * np.max(np.abs(residual)))
        rows = [f"row {i}" for i in involved]
        raise ContradictoryRowsError(
            f"No acceleration satisfies {', '.join(rows)} together: with rows of unit length in the {metric} metric "
            f"they disagree by {gap:.3g} (accelerations are of size {scale:.3g}). Correct gamma or the state.",
            rows,
            gap,
        )
