"""Maggi's equations in quasi-velocities: Lagrange's left-hand sides along the free directions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gauss.formulations._definite import solve_definite
from gauss.formulations.boltzmann.frame import Matrix, Offset, frame_at
from gauss.formulations.boltzmann.hamel import NO_INERTIA, Potential
from gauss.formulations.complex_step import Force, euler_lagrange
from gauss.foundation.arrays import Array

Kinetic = Callable[[Any, Any, Any], Any]  # T(q, v, t)


def maggi(
    kinetic: Kinetic,
    alpha: Matrix,
    q: object,
    omega: object,
    t: float = 0.0,
    *,
    offset: Offset | None = None,
    force: Force | object | None = None,
    potential: Potential | None = None,
) -> Array:
    """Return q̈ (n,) by Maggi's equations, in the quasi-velocities of `boltzmann_hamel` (same arguments).

    With b_k the columns of α⁻¹ that belong to the l free quasi-velocities,

        Σ_λ (d/dt ∂T/∂q̇_λ − ∂T/∂q_λ − Q_λ) b_λk = 0,   q̈ = b (ω̇ − α̇ q̇ − α̇₀).

    No three-index symbols appear. Raises InputError and MassMatrixError as `boltzmann_hamel`.
    """
    frame = frame_at(alpha, q, omega, t, offset)

    def lagrangian(q: Any, v: Any, t: Any) -> Any:
        return kinetic(q, v, t) - (0.0 if potential is None else potential(q, t))

    M, f = euler_lagrange(lagrangian, frame.q, frame.v, frame.t, force)
    rest = frame.acceleration(np.zeros(frame.l))
    G = frame.free
    missing = G.T @ (f - M @ rest)
    return rest + G @ solve_definite(G.T @ M @ G, missing, NO_INERTIA.format("the reduced mass matrix"))
