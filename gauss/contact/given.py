"""What the problems of friction and impact have in common where they are given as plain arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from gauss.arrays import Array
from gauss.errors import InputError
from gauss.principle import GaussProblem


def bilateral_part(
    M: ArrayLike,
    f: Array,
    J: ArrayLike | None,
    gamma: ArrayLike | None,
    law: str = "J a = γ",
    coordinates: Sequence[str] | None = None,
) -> GaussProblem:
    """Return M (n, n), f (n,) and the bilateral rows J (m, n), γ (m,), none if both are left out; `law` is for errors.

    Raises InputError for wrong shapes, nan and a row without its right side, MassMatrixError for an unsymmetric M.
    """
    if (J is None) != (gamma is None):
        raise InputError(f"J and gamma belong together: {law}; one of them is missing.")
    rows = np.zeros((0, f.size)) if J is None else J
    right = np.zeros(0) if gamma is None else gamma
    return GaussProblem.of(M, f, rows, right, coordinates=coordinates)


def require_coefficients(kinetic: Array, static: Array) -> None:
    """Raise InputError unless 0 ≤ μ_k ≤ μ_s at every contact (k,)."""
    if np.any(kinetic < 0.0) or np.any(static < kinetic):
        raise InputError(f"0 ≤ μ_k ≤ μ_s is needed at every contact, but μ_k = {kinetic} and μ_s = {static}.")


def labels_of(names: Sequence[str] | None, k: int) -> tuple[str, ...]:
    """Return the names of k contacts, or numbers for them."""
    return tuple(f"contact {i}" for i in range(k)) if names is None else tuple(names)
