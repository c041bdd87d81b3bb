"""Voronets' equations: dependent velocities eliminated from the Lagrangian, their constraint forces never formed.

They follow from Lagrange's equations of the first kind: in the combination (·)_xi + Σ B_νi (·)_yν the constraint forces
cancel, and with Θ(q, ẋ, t) = L(q, ẋ, Bẋ + B₀, t) the rules ∂Θ/∂ẋ = L_ẋ + BᵀL_ẏ, ∂Θ/∂q = L_q + Σ p_ν ∂ẏ_ν/∂q turn it
into the equations of `voronets`. Where L and B do not depend on y the term with ∂Θ/∂y vanishes (Chaplygin's equations);
where all β vanish the constraints are integrable and Θ alone gives Lagrange's equations.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gauss.errors import InputError
from gauss.formulations._analytic import require_analytic_at
from gauss.formulations._definite import solve_definite
from gauss.formulations._lagrangian import (
    STEP,
    ComplexArray,
    Force,
    Lagrangian,
    along_each,
    force_at,
    momenta,
    state_of,
    steps_in_velocity,
    vector_value,
)
from gauss.foundation.arrays import Array, Indices

Slopes = Callable[[Any, Any], Any]  # q, t → B (n − k, k), or (n − k, k + 1) with B₀ as its last column
NOT_DEFINITE = (
    "The reduced kinetic energy is not positive definite in the independent velocities: choose others, or give the"
    " missing inertia."
)


def voronets(
    L: Lagrangian,
    slopes: Slopes,
    independent: Sequence[int],
    q: object,
    v: object,
    t: float,
    force: Force | object | None = None,
) -> Array:
    """Return the acceleration a (n,) of a system whose dependent velocities are ẏ = B(q, t) ẋ + B₀(q, t).

    L(q, v, t) and `force` as in `euler_lagrange`. `independent` are the k positions of x in q = (x, y); the dependent
    coordinates y are the others, in their order. `slopes`(q, t), for complex arguments too, returns B (n−k, k), or
    (n−k, k+1) with B₀ as its last column. v (n,) is the whole velocity; its dependent part is computed, not read. With
    Θ(q, ẋ, t) = L(q, ẋ, Bẋ + B₀, t) and p_ν = ∂L/∂ẏ_ν at the admissible velocity,

        d/dt ∂Θ/∂ẋ_i − ∂Θ/∂x_i − Σ_ν B_νi ∂Θ/∂y_ν − Σ_ν p_ν (Σ_j β^ν_ij ẋ_j + β^ν_i0) = X_i + Σ_ν B_νi Y_ν,
        β^ν_ij = D_j B_νi − D_i B_νj,    D_i = ∂/∂x_i + Σ_μ B_μi ∂/∂y_μ,    D_0 = ∂/∂t + Σ_μ B_μ0 ∂/∂y_μ

    (P. V. Voronets 1901), X and Y being the components of Q. B is differentiated by complex steps; J and γ are never
    formed.

    Not equivalent to Gauss's principle:

    * The rows must determine the chosen y: where that block of the rows is singular B is infinite, although another
      choice may do and Gauss's principle needs none. At a singular position no choice does.
    * Constraints are linear in the velocities, and ideal.
    * Θ has a mass matrix in ẋ that must be positive definite (M itself may be semidefinite).

    Raises InputError as `euler_lagrange`, for positions that are not distinct coordinates and for a B of the wrong
    shape, and MassMatrixError where the mass matrix of Θ is not positive definite.

    >>> import numpy as np
    >>> from gauss.formulations import voronets
    >>> L = lambda q, v, t: 0.5 * (v[0] ** 2 + v[1] ** 2 + v[2] ** 2)  # of a skate in x, y, φ
    >>> blade = lambda q, t: [[np.tan(q[2]), 0]]  # ẏ = tan φ ẋ
    >>> voronets(L, blade, independent=[0, 2], q=[0, 0, 0], v=[1, 0, 2], t=0).round(9)  # on a circle: ẋφ̇ inwards
    array([0., 2., 0.])
    """
    q0, v0, time = state_of(q, v, t)
    x, y = _split(independent, q0.size)
    n, k, step = q0.size, len(x), 1j * STEP

    known: dict[tuple[bytes, complex], ComplexArray] = {}  # B of the same position is asked for at many velocities

    def coefficients(point: Any, t: Any) -> ComplexArray:
        place = point.tobytes(), complex(t)
        if place not in known:
            known[place] = _coefficients(slopes, point, t, n - k, k)
        return known[place]

    def lifted(point: Any, rate: Any, t: Any) -> Any:
        full = coefficients(point, t)
        velocity = np.zeros(n, dtype=complex)
        velocity[x] = rate
        velocity[y] = full[:, :k] @ rate + full[:, k]
        return velocity

    def reduced(point: Any, rate: Any, t: Any) -> Any:
        return L(point, lifted(point, rate, t), t)

    def at_once(points: Any, rates: Any, t: Any) -> Any:
        velocities = np.array([lifted(*each) for each in zip(points, rates, t, strict=True)])
        return L.many(points, velocities, t)  # type: ignore[attr-defined]

    if getattr(L, "many", None) is not None:
        reduced.many = at_once  # type: ignore[attr-defined]
    v0 = np.asarray(lifted(q0, v0[x], time).real)
    B = coefficients(q0, time).real
    require_analytic_at(lambda q, t: coefficients(q, t).ravel(), (q0, time), "slopes")
    extended = np.eye(n)[:, x]  # columns: directions D_i of the configuration
    extended[y] = B[:, :k]
    h_full = steps_in_velocity(L, q0, v0, time)
    p = momenta(L, q0, v0, time, h_full, y).real
    # derivatives of B and B₀ along each D_i, and along the motion
    D = np.array([coefficients(q0 + step * extended[:, i], time).imag / STEP for i in range(k)])
    D_motion = coefficients(q0 + step * v0, time + step).imag / STEP
    turning = D_motion[:, :k] - np.array([D[i] @ np.append(v0[x], 1.0) for i in range(k)]).T  # (n−k, k)
    h = _reduced_steps(reduced, q0, v0[x], time)
    mass, transport = _reduced_momenta(reduced, q0, v0, x, time, h)
    theta_q = along_each(reduced, q0, [v0[x]] * k, time, list(extended.T), np.zeros(k), 0.0)
    missing = extended.T @ force_at(force, q0, v0, time) + theta_q + turning.T @ p - transport
    x_ddot = solve_definite(mass, missing, NOT_DEFINITE)
    a = np.zeros(n)
    a[x] = x_ddot
    a[y] = B[:, :k] @ x_ddot + D_motion[:, :k] @ v0[x] + D_motion[:, k]
    return a


def _split(independent: Sequence[int], n: int) -> tuple[Indices, Indices]:
    """Return the positions of independent and of dependent coordinates. Raises InputError."""
    try:
        chosen = [operator.index(i) for i in independent]
    except TypeError:
        raise InputError(f"independent = {independent!r}: a list of positions from 0 to {n - 1} is expected.") from None
    if len(chosen) == n:
        raise InputError(f"independent = {chosen}: no dependent coordinate is left; use euler_lagrange.")
    if not chosen or len(set(chosen)) != len(chosen) or any(not 0 <= i < n for i in chosen):
        raise InputError(
            f"independent = {list(independent)}: distinct positions from 0 to {n - 1}, at least one, are expected."
        )
    return np.array(chosen, dtype=int), np.array([i for i in range(n) if i not in chosen], dtype=int)


def _coefficients(slopes: Slopes, q: Any, t: Any, rows: int, k: int) -> ComplexArray:
    """Return B with B₀ as its last column, (rows, k + 1)."""

    def flat(q: Any, t: Any) -> Any:
        value = np.asarray(slopes(q, t))
        if value.shape not in ((rows, k), (rows, k + 1)):
            raise InputError(f"slopes returns shape {value.shape}; ({rows}, {k}) or ({rows}, {k + 1}) is expected.")
        return np.column_stack([value, np.zeros((rows, k + 1 - value.shape[1]))]).ravel()

    return vector_value(flat, (q, t), rows * (k + 1), "slopes").reshape(rows, k + 1)


def _reduced_steps(reduced: Lagrangian, q: Array, rate: Array, t: float) -> Array:
    """Return steps (k,) in the independent velocities for Θ; see `steps_in_velocity`."""

    def here(_: Any, w: Any, t: Any) -> Any:
        return reduced(q, w, t)

    def at_once(_: Any, rates: Any, t: Any) -> Any:
        return reduced.many(np.tile(q, (len(rates), 1)), rates, t)  # type: ignore[attr-defined]

    if getattr(reduced, "many", None) is not None:
        here.many = at_once  # type: ignore[attr-defined]
    return steps_in_velocity(here, rate, rate, t)


def _reduced_momenta(reduced: Lagrangian, q: Array, v: Array, x: Indices, t: float, h: Array) -> tuple[Array, Array]:
    """Return ∂²Θ/∂ẋ∂ẋ (k, k) and the part of d/dt ∂Θ/∂ẋ (k,) without ẍ."""
    k, step = len(x), 1j * STEP
    rate = v[x]
    columns = [momenta(reduced, q, rate + step * e, t, h).imag / STEP for e in np.eye(k)]
    mass = np.reshape(columns, (k, k))
    transport = momenta(reduced, q + step * v, rate, t + step, h).imag / STEP
    return 0.5 * (mass + mass.T), transport
