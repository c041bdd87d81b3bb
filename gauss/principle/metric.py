"""The metric of the Zwang: M = LLᵀ, or M + w JᵀJ = LLᵀ where M is only semidefinite; and rows in it.

Factors of masses and of rows are kept for further programs with the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from scipy.linalg.lapack import dpocon, dpotrf

from gauss.errors import MassMatrixError
from gauss.foundation.arrays import Array, Flags, Indices, all_finite, length
from gauss.foundation.dense import MOST, backward, forward, kept, solve_triangular
from gauss.numerics.massless import TINY, Held

T = TypeVar("T")
SEMIDEFINITE = 1e-13  # eigenvalues of the equilibrated mass matrix below this (times n) count as zero
MANY = 10  # coordinates from which the norm of an inverse is estimated first
ESTIMATED = 0.1  # the norm is seldom more than three times its estimate


@dataclass(frozen=True)
class Metric:
    """A factor of the metric and the free acceleration; z = Lᵀ(a − reference) makes the Zwang ½|z|².

    `weight` w > 0 marks the augmented metric K = M + w J_EᵀJ_E with force f + w J_Eᵀγ_E, which has the same minimiser
    and the same multipliers; where rows in odd units are lost in that sum, each has a weight of its own in K.
    `definite` is False when even K is singular; L is then a diagonal scaling, the reference
    is zero, and the quadratic form is P = L⁻¹ M L⁻ᵀ instead of the identity.
    """

    L: Array  # (n, n) lower triangular
    reference: Array  # (n,) free acceleration, m/s² or rad/s²; zero if not definite
    weight: float  # w ≥ 0
    definite: bool
    P: Array  # (n, n) quadratic form in z
    h: Array  # (n,) linear term in z: L⁻¹(M reference − f) up to the augmentation; zero if definite

    def whitened(self, J: Array) -> Array:
        """Return the rows J L⁻ᵀ, which act on z."""
        return np.ascontiguousarray(solve_triangular(self.L, J.T, lower=True).T)

    def form(self, tables: Array) -> Array:
        """Return the bilinear forms L⁻¹ T L⁻ᵀ of tables T (…, n, n), which act on z from both sides."""
        half = self.whitened(tables.reshape(-1, tables.shape[-1])).reshape(tables.shape).swapaxes(-1, -2)
        return self.whitened(half.reshape(-1, tables.shape[-1])).reshape(tables.shape).swapaxes(-1, -2)

    def lift(self, z: Array) -> Array:
        """Return the change of acceleration L⁻ᵀ z."""
        return backward(self.L, z)

    def covector(self, force: Array) -> Array:
        """Return L⁻¹ force; its length is the norm of a force in the inverse metric, √kg m/s²."""
        return forward(self.L, force)

    def norm(self, a: Array) -> float:
        """Return the length |Lᵀ a| of an acceleration in the metric, √kg m/s²."""
        return length(self.L.T @ a)


def cholesky_blocks(K: Array) -> Array | None:
    """Return the Cholesky factors of matrices (…, n, n), or None when one is singular or indefinite to rounding.

    The test does not depend on the scales of the coordinates.
    """
    d = K.diagonal(axis1=-2, axis2=-1)
    if (d <= 0.0).any():
        return None
    s = 1.0 / np.sqrt(d)
    try:
        scaled = np.linalg.cholesky(K * s[..., :, None] * s[..., None, :])
    except np.linalg.LinAlgError:
        return None
    if d.size and not _clear(np.asarray(scaled, dtype=float), SEMIDEFINITE * d.shape[-1]):
        return None
    return np.asarray(scaled / s[..., :, None])


def _clear(scaled: Array, least: float) -> bool:
    """Return whether no eigenvalue of matrices L Lᵀ with a diagonal of ones is below `least`, by L (…, n, n).

    The pivots alone do not say so: where a direction without inertia hardly moves the last coordinate, roundings make
    its pivot many times as large. The largest n − 1 eigenvalues have a sum of n at most, so that their product is at
    most e; with the product of all it bounds the least one.
    """
    squares = scaled.diagonal(axis1=-2, axis2=-1) ** 2
    if squares.min() < least:
        return False
    if (squares.prod(axis=-1) >= np.e * least).all():
        return True
    if scaled.ndim == 2 and len(scaled) > MANY and ESTIMATED * dpocon(scaled, 1.0, uplo="L")[0] >= least:
        return True
    inverse = np.linalg.inv(scaled)
    if (np.sum(inverse**2, axis=(-2, -1)) * least <= 1.0).all():
        return True
    return bool((np.linalg.norm(inverse, 2, axis=(-2, -1)) ** 2 * least <= 1.0).all())


_factor = kept(cholesky_blocks)


def definite(M: Array) -> bool:
    """Return whether a mass matrix (n, n) has inertia in every direction, beyond rounding."""
    return _factor(M) is not None


def _check_semidefinite(M: Array, names: tuple[str, ...]) -> None:
    """Raise MassMatrixError when M has a negative eigenvalue, naming the coordinates of its direction."""
    d = np.sqrt(np.abs(np.diag(M)))
    d[d == 0.0] = np.sqrt(np.max(np.abs(M))) if np.any(M) else 1.0
    values, vectors = np.linalg.eigh(M / d[:, None] / d[None, :])
    if values[0] < -SEMIDEFINITE * len(d):
        weights = np.abs(vectors[:, 0])
        involved = ", ".join(names[k] for k in np.flatnonzero(weights > 0.1 * weights.max()))
        raise MassMatrixError(
            f"the mass matrix is indefinite: an acceleration along {involved} has kinetic energy"
            f" {values[0]:.3g} (equilibrated eigenvalue) below zero. Check signs and units of the kinetic energy."
        )


def metric_of(M: Array, f: Array, J: Array, gamma: Array, names: tuple[str, ...], noise: Array | None = None) -> Metric:
    """Factor the metric M (n, n) with the force f (n,); semidefinite M is augmented by equality rows J a = γ, (k, n).

    `names` (n,) are those of the coordinates, `noise` (k, n) is that of the rows if it is known. Raises MassMatrixError
    for an indefinite M, and for one whose inverse overflows.
    """
    n = f.size
    eye, zero = np.eye(n), np.zeros(n)
    if not all_finite(M):
        raise MassMatrixError("the mass matrix is so large that it overflows; choose a larger unit.")
    L = _factor(M)
    if L is not None:
        if L.diagonal().min() ** 2 < TINY:
            raise MassMatrixError("the mass matrix is so small that its inverse overflows; choose a smaller unit.")
        return Metric(L, _solve(L, f), 0.0, True, eye, zero)
    _check_semidefinite(M, names)
    weight, held = augmentation_weight(M, J), Held.of(M, J, noise)
    if held.all:
        L = cholesky_blocks(M + weight * J.T @ J)
        if L is not None:
            return Metric(L, _solve(L, f + weight * J.T @ gamma), weight, True, eye, zero)
        L, weights = held.factor()
        return Metric(L, _solve(L, f + (weights**2 * J.T) @ gamma), weight, True, eye, zero)
    d = 1.0 / held.sizes
    return Metric(np.diag(d), zero, 0.0, False, M / d[:, None] / d[None, :], -f / d)


def augmentation_weight(M: Array, J: Array) -> float:
    """Return w that gives w JᵀJ the size of M, so that M + w JᵀJ is as well conditioned as its parts allow."""
    trace = float(np.sum(J * J))
    size = float(np.trace(M))
    return (size if size > 0.0 else 1.0) / trace if trace > 0.0 else 0.0


def _solve(L: Array, right: Array) -> Array:
    return backward(L, forward(L, right))


class Delassus:
    """W = U Uᵀ of k unit rows U (k, n), and what programs with some of these rows at their bounds need of it."""

    def __init__(self, U: Array):
        self.U, self.W = U, U @ U.T
        self._factors: dict[bytes, tuple[Array, int]] = {}
        self._independent: dict[bytes, float] = {}

    def factor(self, active: Indices) -> tuple[Array, int]:
        """Return Cholesky's factor of the part of W of some rows (l,), and 0; another number where there is none."""
        return _once(self._factors, active.tobytes(), lambda: tuple(dpotrf(self.W[np.ix_(active, active)])))

    def independence(self, chosen: Flags) -> float:
        """Return the square of σ_min/σ_max of the rows that are chosen (k,); 1 of a single row or of none."""
        return _once(self._independent, chosen.tobytes(), lambda: self._independence(chosen))

    def _independence(self, chosen: Flags) -> float:
        if chosen.sum() < 2:
            return 1.0
        squares = np.linalg.eigvalsh(self.W[np.ix_(chosen, chosen)])
        return float(squares[0] / squares[-1])


class WhitenedRows:
    """Rows J L⁻ᵀ (m, n) in the metric M = L Lᵀ, and their lengths (m,)."""

    def __init__(self, L: Array, J: Array):
        self.rows = np.ascontiguousarray(solve_triangular(L, J.T, lower=True).T)
        self.lengths = np.asarray(np.sqrt(np.add.reduce(self.rows**2, 1)))
        self._of: dict[bytes, Delassus] = {}

    def delassus(self, chosen: Indices) -> Delassus:
        """Return Delassus's matrix of some rows (k,), scaled to unit length; none of them may be zero."""
        rows, lengths = self.rows, self.lengths
        return _once(self._of, chosen.tobytes(), lambda: Delassus(rows[chosen] / lengths[chosen][:, None]))


whitened_rows = kept(WhitenedRows)


def _once(found: dict[bytes, T], key: bytes, make: Callable[[], T]) -> T:
    result = found.get(key)
    if result is None:
        if len(found) >= MOST:
            found.clear()
        result = found[key] = make()
    return result
