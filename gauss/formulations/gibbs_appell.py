"""The Gibbs-Appell equations: the Gibbs function, "energy of accelerations", stationary in the quasi-accelerations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gauss.errors import InputError
from gauss.formulations._analytic import require_analytic_at
from gauss.formulations._definite import solve_definite
from gauss.formulations._lagrangian import (
    STEP,
    Force,
    Lagrangian,
    along_each,
    force_at,
    gradient,
    state_of,
    steps_in_velocity,
    vector_value,
)
from gauss.formulations._problem import row_lengths
from gauss.formulations.complex_step import chart_acceleration
from gauss.foundation.arrays import Array, as_array, matrix, scalar, vector

Velocities = Callable[[Any, Any, Any], Any]  # q, omega, t → v
Positions = Callable[[Any, Any], Any]  # q, t → coordinates of all particles
NOT_CONVEX = (
    "The Gibbs function is not strictly convex in the quasi-accelerations: a singular choice of quasi-velocities, or"
    " directions without inertia."
)


def quasi_velocities(velocities: Velocities, q: object, omega: object, t: float) -> tuple[Array, Array, Array]:
    """Return v (n,), G (n, k) and g (n,) with v̇ = G ω̇ + g, from admissible velocities v = velocities(q, ω, t).

    q (n,), omega (k,) quasi-velocities, velocities that accept complex numbers. G = ∂v/∂ω, and g is the derivative of v
    along the motion with ω held, both by complex steps. For a linear velocities = G(q, t) ω + g₀(q, t) these are
    Appell's quasi-velocities; a nonlinear one serves nonlinear nonholonomic constraints.

    Raises InputError if velocities cannot be evaluated there, or are not analytic.

    >>> import numpy as np
    >>> from gauss.formulations import quasi_velocities
    >>> skate = lambda q, w, t: [w[0] * np.cos(q[2]), w[0] * np.sin(q[2]), w[1]]  # x, y, φ by speed and turn
    >>> v, G, g = quasi_velocities(skate, q=[0, 0, 0], omega=[1, 2], t=0)
    >>> G.round(9).tolist(), g.round(9).tolist()  # v̇ = G ω̇ + g, with ω₁ω₂ across the blade
    ([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]], [0.0, 2.0, 0.0])
    """
    omega0 = vector(omega, np.size(np.asarray(omega)), "omega")
    q0, _, time = state_of(q, np.zeros(np.shape(np.asarray(q))), t)
    n, step = q0.size, 1j * STEP
    v = vector_value(velocities, (q0, omega0, time), n, "velocities").real
    require_analytic_at(velocities, (q0, omega0, time), "velocities")
    columns = [
        vector_value(velocities, (q0, omega0 + step * e, time), n, "velocities").imag / STEP
        for e in np.eye(omega0.size)
    ]
    drift = vector_value(velocities, (q0 + step * v, omega0, time + step), n, "velocities").imag / STEP
    return v, np.reshape(columns, (omega0.size, n)).T, drift


def gibbs_gradient(L: Lagrangian, q: object, v: object, a: object, t: float) -> Array:
    """Return ∂S/∂a (n,) of the Gibbs function S(q, v, a, t), less the potential forces: the inertial forces.

    With L̇(q, v, a, t) = L_q v + L_v a + L_t, the derivative of L along a motion,

        ∂S/∂a = ∂L̇/∂v − 2 ∂L/∂q

    (Nielsen's form of Lagrange's equations). L̇ by one complex step along the motion; it is of third degree in v, for
    which the five-point difference is exact with any step.

    Raises InputError as `euler_lagrange`.

    >>> from gauss.formulations import gibbs_gradient
    >>> polar = lambda q, v, t: 0.5 * (v[0] ** 2 + q[0] ** 2 * v[1] ** 2)
    >>> gibbs_gradient(polar, q=[2, 0], v=[1, 3], a=[0, 0], t=0).round(9)  # r̈ − rφ̇² and r²φ̈ + 2rṙφ̇
    array([-18.,  12.])
    """
    q0, v0, time = state_of(q, v, t)
    return _gradient(L, q0, v0, vector(a, q0.size, "a"), time, steps_in_velocity(L, q0, v0, time))


def _gradient(L: Lagrangian, q: Array, v: Array, a: Array, t: float, h: Array) -> Array:
    """Return ∂S/∂a; see `gibbs_gradient`."""
    ways = [v + k * x * e for x, e in zip(h, np.eye(q.size), strict=True) for k in (1.0, -1.0, 2.0, -2.0)]
    ahead, behind, far, back = along_each(L, q, ways, t, ways, a, 1.0).reshape(-1, 4).T
    slope = (8.0 * (ahead - behind) - (far - back)) / (12.0 * h)
    return np.asarray(slope - 2.0 * gradient(L, q, v, t))


def _inertia(L: Lagrangian, q: Array, v: Array, a: Array, t: float, h: Array) -> Array:
    """Return the part of ∂S/∂a that is linear in a (n,): the mass matrix times a."""
    ways = [v + k * x * e for x, e in zip(h, np.eye(q.size), strict=True) for k in (1.0, -1.0)]
    ahead, behind = along_each(L, q, ways, t, [np.zeros(q.size)] * len(ways), a, 0.0).reshape(-1, 2).T
    return np.asarray((ahead - behind) / (2.0 * h))


def gibbs_appell(
    L: Lagrangian,
    q: object,
    v: object,
    t: float,
    G: object,
    drift: object,
    force: Force | object | None = None,
) -> tuple[Array, Array]:
    """Return a (n,) and the quasi-accelerations ω̇ (k,) at which the Gibbs function is stationary.

    L(q, v, t) and `force` as in `euler_lagrange`. The admissible accelerations are a = G ω̇ + drift, G (n, k) and drift
    (n,) from `quasi_velocities` or from `rows_in_quasi_velocities`. The Gibbs function, quadratic in a, has

        ∂S/∂ω̇ = Gᵀ ∂S/∂a = Π = GᵀQ    (Gibbs 1879, Appell 1899),

    with ∂S/∂a of `gibbs_gradient`, potential forces included. S is the Zwang up to terms without ω̇, so the stationary
    point is the minimum of Gauss's principle where M is definite on the columns of G.

    Not equivalent to Gauss's principle:

    * At a singular position G spans more than the possible accelerations: conditions of higher order are missed.
    * ω̇ is what the user's choice of quasi-velocities makes it; where that choice is singular (G loses rank) nothing is
      determined, although the acceleration may be.

    Raises InputError as `euler_lagrange`, and MassMatrixError where S is not strictly convex in ω̇.

    >>> import numpy as np
    >>> from gauss.formulations import gibbs_appell, quasi_velocities
    >>> skate = lambda q, w, t: [w[0] * np.cos(q[2]), w[0] * np.sin(q[2]), w[1]]
    >>> v, G, drift = quasi_velocities(skate, q=[0, 0, 0], omega=[1, 2], t=0)
    >>> L = lambda q, v, t: 0.5 * (v[0] ** 2 + v[1] ** 2 + v[2] ** 2) + 3 * q[0]
    >>> a, omega_dot = gibbs_appell(L, [0, 0, 0], v, 0, G, drift)
    >>> a.round(9), omega_dot.round(9)  # 3 along the slope, and 1 · 2 across the blade
    (array([3., 2., 0.]), array([3., 0.]))
    """
    q0, v0, time = state_of(q, v, t)
    start = vector(drift, q0.size, "drift")
    columns = matrix(G, (q0.size, np.size(np.asarray(G)) // q0.size), "G")
    h = steps_in_velocity(L, q0, v0, time)
    missing = columns.T @ (force_at(force, q0, v0, time) - _gradient(L, q0, v0, start, time, h))
    inertia = np.reshape([_inertia(L, q0, v0, g, time, h) for g in columns.T], (columns.shape[1], q0.size))
    omega_dot = solve_definite(inertia @ columns, missing, NOT_CONVEX)
    return start + columns @ omega_dot, omega_dot


def gibbs_appell_particles(
    positions: Positions,
    masses: object,
    forces: object,
    velocities: Velocities,
    q: object,
    omega: object,
    t: float,
) -> tuple[Array, Array]:
    """Return a (n,) and ω̇ (k,) of a system of particles from S = ½ Σ m |r̈|², by Appell's own definition.

    positions(q, t) returns all Cartesian coordinates r (N,) of the particles, `masses` (N,) the mass that belongs to
    each, `forces` (N,) the applied force along each; velocities as in `quasi_velocities`. r̈ is the second derivative of
    the positions along curves with the given quasi-velocities and -accelerations (Cauchy's formula), and is affine in
    ω̇; S is stationary where Σ m (∂r̈/∂ω̇)ᵀr̈ = Σ (∂r̈/∂ω̇)ᵀF. No kinetic energy, mass matrix or row is formed.

    Raises InputError for wrong shapes and functions that are not analytic, MassMatrixError where S is not strictly
    convex in ω̇ (a singular point of the chart or of the quasi-velocities).

    >>> import numpy as np
    >>> from gauss.formulations import gibbs_appell_particles
    >>> place = lambda q, t: [np.sin(q[0]), -np.cos(q[0])]  # of a pendulum of 1 m
    >>> a, _ = gibbs_appell_particles(place, [2, 2], [0, -19.62], lambda q, w, t: w, [np.pi / 6], [0], 0)
    >>> a.round(9)  # −g sin φ/l
    array([-4.905])
    """
    v, G, drift = quasi_velocities(velocities, q, omega, t)

    def second_rate(a: Array) -> Array:
        return chart_acceleration(positions, q, v, a, scalar(t, "t"))[2]

    base = second_rate(drift)
    size = max(1.0, float(np.max(np.abs(drift), initial=0.0)))
    slopes = [(second_rate(drift + size * g) - base) / size for g in G.T]
    slope = np.reshape(slopes, (G.shape[1], base.size)).T
    weights, applied = vector(masses, base.size, "masses"), vector(forces, base.size, "forces")
    omega_dot = solve_definite(slope.T @ (weights[:, None] * slope), slope.T @ (applied - weights * base), NOT_CONVEX)
    return drift + G @ omega_dot, omega_dot


def rows_in_quasi_velocities(J: object, gamma: object, scales: object = 1.0) -> tuple[Array, Array]:
    """Return G (n, n−r) and a drift (n,) such that a = G ω̇ + drift are all accelerations with J a = γ.

    J (m, n), gamma (m,). The quasi-velocities are those along orthonormal directions of ker J after division of the
    coordinates by `scales` (n,) or one number. Singular values below 1e-12 of the largest count as zero, so dependent
    rows are allowed; contradictory ones give the compromise of least squares. Raises InputError for shapes, values that
    are not finite and scales that are not positive.

    >>> from gauss.formulations import rows_in_quasi_velocities
    >>> G, drift = rows_in_quasi_velocities(J=[[3, 4]], gamma=[25])
    >>> abs(G).round(9).tolist(), drift.round(9).tolist()
    ([[0.8], [0.6]], [3.0, 4.0])
    """
    shape = np.shape(as_array(J, "J"))
    if len(shape) != 2 or shape[1] == 0:
        raise InputError(f"J has shape {shape}, expected (m, n).")
    rows = matrix(J, (shape[0], shape[1]), "J")
    size = as_array(scales, "scales")
    d = vector(np.full(shape[1], size) if size.ndim == 0 else size, shape[1], "scales")
    if np.any(d <= 0.0):
        raise InputError(f"scales must be positive, got {d}.")
    right = vector(gamma, len(rows), "gamma")
    lengths = row_lengths(rows * d)
    U, sigma, Wt = np.linalg.svd(rows * d / lengths[:, None])
    r = int(np.count_nonzero(sigma > 1e-12 * np.max(sigma, initial=0.0)))
    drift = Wt[:r].T @ ((U[:, :r].T @ (right / lengths)) / sigma[:r])
    return d[:, None] * Wt[r:].T, d * drift
