"""Quasi-velocities ω = α(q, t) q̇ + α₀(q, t): their inverse, their rates, and the three-index symbols of Boltzmann.

With virtual displacements δπ = α δq the transpositional relation

    d(δπ_r)/dt − δω_r = Σ_kα γ^r_kα ω_α δπ_k + Σ_k γ^r_k0 δπ_k

defines the symbols; with b = α⁻¹ and q̇ = b (ω − α₀) it gives

    γ^r_kα = Σ_λμ (∂α_rλ/∂q_μ − ∂α_rμ/∂q_λ) b_λk b_μα,
    γ^r_k0 = Σ_λ (∂α_rλ/∂t − ∂α₀_r/∂q_λ − Σ_μα (∂α_rλ/∂q_μ − ∂α_rμ/∂q_λ) b_μα α₀_α) b_λk.

The symbols with index 0 come from time as one more coordinate, whose quasi-velocity is 1. They vanish for α(q) without
an offset.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gauss.errors import InputError
from gauss.formulations._analytic import require_analytic, spread_of, vector_of
from gauss.formulations._lagrangian import STEP, ComplexArray, vector_value
from gauss.formulations._problem import EPS
from gauss.foundation.arrays import Array, scalar, vector

Matrix = Callable[[Any, Any], Any]  # α(q, t) → (n, n)
Offset = Callable[[Any, Any], Any]  # α₀(q, t) → (n,)


@dataclass(frozen=True)
class QuasiVelocities:
    """Quasi-velocities of n coordinates at one state: the first l are free, the other b = n − l vanish.

    The equation R q̇ = z is the source's (23), with the offset of a rheonomic or affine row on the right.
    """

    q: Array  # (n,)
    t: float
    omega: Array  # (n,), the last b are zero
    v: Array  # (n,), q̇
    R: Array  # (n, n), α
    z: Array  # (n,), (ω_1 … ω_l, 0 … 0) − α₀
    offset: Array  # (n,), α₀
    inverse: Array  # (n, n), b = α⁻¹
    R_rate: Array  # (n, n), dα/dt along the motion
    offset_rate: Array  # (n,), dα₀/dt along the motion
    v_along: Array  # (n, n), column k is ∂q̇/∂π_k at fixed ω and t
    Gamma: Array  # (n, n, n), γ^r_kα at [r, k, α]
    Gamma_0: Array  # (n, n), γ^r_k0 at [r, k]
    l: int  # number of free quasi-velocities

    @property
    def free(self) -> Array:
        """Directions of the free quasi-velocities, (n, l): q̇ = free·ω_free for rows without an offset."""
        return self.inverse[:, : self.l]

    @property
    def inverse_rate(self) -> Array:
        """Rate db/dt (n, n) along the motion, −b (dα/dt) b."""
        return -self.inverse @ self.R_rate @ self.inverse

    def acceleration(self, omega_dot: Array) -> Array:
        """Return q̈ (n,) from the rates (l,) of the free quasi-velocities; the others stay zero."""
        rates = np.concatenate([omega_dot, np.zeros(self.q.size - self.l)])
        return np.asarray(self.inverse @ (rates - self.R_rate @ self.v - self.offset_rate), dtype=float)


def frame_at(alpha: Matrix, q: object, omega: object, t: float = 0.0, offset: Offset | None = None) -> QuasiVelocities:
    """Return the quasi-velocities at (q, ω, t) with all that the equations of Boltzmann and Hamel need of them.

    alpha(q, t) → (n, n) and offset(q, t) → (n,) are analytic functions of q (n,) and t, both possibly complex; omega
    (l,) holds the free quasi-velocities, and the last n − l rows of α are constraints, whose quasi-velocities vanish.
    First derivatives by complex steps, exact to rounding.

    Raises InputError for an α that is singular at q, not analytic there, or of the wrong shape.
    """
    q0, time = vector_of(q, "q"), scalar(t, "t")
    n = q0.size
    given = vector(omega, np.size(np.asarray(omega)), "omega")
    if given.size > n:
        raise InputError(f"omega has {given.size} quasi-velocities for {n} coordinates.")
    full = np.concatenate([given, np.zeros(n - given.size)])
    rows = frame_function(alpha, offset, n)
    direction = spread_of(q0)
    value = rows(q0, time).real
    size = float(np.max(np.abs(value)))
    require_analytic(lambda s: rows(q0 + s * direction, time + s).ravel(), size, "alpha")
    R, shift = value[:, :n], value[:, n]
    inverse = _inverse(R)
    v = inverse @ (full - shift)
    slopes = np.array([rows(q0 + 1j * STEP * e, time).imag / STEP for e in np.eye(n)])  # (n, n, n + 1), [μ, r, λ]
    in_time = rows(q0, time + 1j * STEP).imag / STEP
    rate = np.einsum("mrl,m->rl", slopes, v) + in_time
    curl = np.einsum("mrl->rlm", slopes[:, :, :n]) - np.einsum("lrm->rlm", slopes[:, :, :n])
    rest = in_time[:, :n] - slopes[:, :, n].T - curl @ (inverse @ shift)  # (n, n), [r, λ]
    along = np.einsum("mrl,mk->krl", slopes, inverse)  # ∂(α, α₀)/∂π_k
    return QuasiVelocities(
        q=q0,
        t=time,
        omega=full,
        v=v,
        R=R,
        z=full - shift,
        offset=shift,
        inverse=inverse,
        R_rate=rate[:, :n],
        offset_rate=rate[:, n],
        v_along=-inverse @ (along[:, :, :n] @ v + along[:, :, n]).T,
        Gamma=np.einsum("rlm,lk,ma->rka", curl, inverse, inverse),
        Gamma_0=rest @ inverse,
        l=given.size,
    )


def frame_function(alpha: Matrix, offset: Offset | None, n: int) -> Callable[[Any, Any], ComplexArray]:
    """Return the function (q, t) → (n, n + 1) that holds α and, as its last column, α₀. Raises InputError."""

    def rows(q: Any, t: Any) -> ComplexArray:
        values = vector_value(lambda *place: np.ravel(np.asarray(alpha(*place))), (q, t), n * n, "alpha")
        shift = np.zeros(n, dtype=complex) if offset is None else vector_value(offset, (q, t), n, "offset")
        return np.column_stack([values.reshape(n, n), shift])

    return rows


def _inverse(R: Array) -> Array:
    """Return α⁻¹. Raises InputError where the quasi-velocities are dependent to rounding."""
    lengths = np.linalg.norm(R, axis=1)
    sigma = np.linalg.svd(R / np.where(lengths > 0.0, lengths, 1.0)[:, None], compute_uv=False)
    if np.any(lengths == 0.0) or sigma[-1] <= 4.0 * R.shape[0] * EPS * sigma[0]:
        raise InputError(
            "alpha is singular at q: its rows (quasi-velocities and constraints) are dependent. Choose other free "
            "quasi-velocities there; if the constraints themselves are dependent, the position is singular."
        )
    return np.asarray(np.linalg.inv(R), dtype=float)
