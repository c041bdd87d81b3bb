"""Hamilton's canonical equations: the Legendre transform done numerically, with multipliers for constraint rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gauss.errors import SolverError
from gauss.formulations._analytic import number_at
from gauss.formulations._definite import inverse_root
from gauss.formulations._lagrangian import (
    STEP,
    ComplexArray,
    Force,
    Lagrangian,
    force_at,
    momenta,
    real_value,
    state_of,
    steps_in_velocity,
)
from gauss.formulations._problem import EPS, row_lengths
from gauss.formulations.complex_step import quadratic_form_in_velocity
from gauss.foundation.arrays import Array, as_array, matrix, vector
from gauss.foundation.dense import solve_triangular
from gauss.foundation.outcomes import Shown

NO_MOMENTA = (
    "The mass matrix is not positive definite, so the momenta do not determine the velocities and there is no"
    " Hamiltonian. Use a formulation in velocities, or coordinates without massless directions."
)


@dataclass(frozen=True, repr=False)
class CanonicalMotion(Shown):
    """One state of a system in phase space and its rates by Hamilton's equations."""

    p: Array  # (n,) momenta ∂L/∂v
    H: float  # J, Hamiltonian pᵀv − L
    q_dot: Array  # (n,) ∂H/∂p
    p_dot: Array  # (n,) −∂H/∂q + Q + Jᵀλ
    a: Array  # (n,) accelerations: the derivative of ∂H/∂p along (q_dot, p_dot)
    multipliers: Array  # (m,) λ


@dataclass(frozen=True)
class _Transform:
    """The Legendre transform about one state, ready for small complex displacements of q, p and t."""

    L: Lagrangian
    v: Array  # (n,) velocities at the state
    root: Array  # (n, n) C with CCᵀ = ∂²H/∂p∂p
    h: Array  # (n,) steps in the velocities

    def velocity(self, q: Any, p: Any, t: Any) -> ComplexArray:
        """Return v with ∂L/∂v = p, by one Newton step from the state: exact to first order in the displacement."""
        missed = p - momenta(self.L, q, self.v, t, self.h)
        return np.asarray(self.v + self.root @ (self.root.T @ missed))

    def hamiltonian(self, q: Any, p: Any, t: Any) -> complex:
        """Return H = pᵀv − L with v = v(q, p, t)."""
        v = self.velocity(q, p, t)
        return complex(np.sum(p * v)) - number_at(self.L, (q, v, t), "L")


def legendre(L: Lagrangian, q: object, p: object, t: float) -> tuple[float, Array]:
    """Return the Hamiltonian H(q, p, t), J, and the velocities v (n,) with ∂L/∂v = p.

    L(q, v, t) as in `euler_lagrange`, at most quadratic in v: with L = ½vᵀMv + bᵀv + c the velocities are M⁻¹(p − b)
    and H = pᵀv − L.

    Raises InputError as `euler_lagrange`, and MassMatrixError where M is not positive definite: then ∂L/∂v = p cannot
    be solved for the velocities.

    >>> from gauss.formulations import legendre
    >>> oscillator = lambda q, v, t: 0.5 * 2 * v[0] ** 2 - 0.5 * 8 * q[0] ** 2  # 2 kg, 8 N/m
    >>> H, v = legendre(oscillator, q=[1], p=[4], t=0)
    >>> round(H, 9), v.round(9)  # p²/2m + ½kq² in J, p/m in m/s
    (8.0, array([2.]))
    """
    q0, p0, time = state_of(q, p, t)
    M, b, _ = quadratic_form_in_velocity(L, q0, time)
    root = inverse_root(M, NO_MOMENTA)
    v = root @ (root.T @ (p0 - b))
    return float(p0 @ v) - real_value(L, q0, v, time), v


def canonical_equations(
    L: Lagrangian, q: object, p: object, t: float, force: Force | object | None = None
) -> tuple[Array, Array]:
    """Return q̇ = ∂H/∂p and ṗ = −∂H/∂q + Q, each (n,), of a system without further constraints.

    Raises what `legendre` raises.

    >>> from gauss.formulations import canonical_equations
    >>> oscillator = lambda q, v, t: 0.5 * 2 * v[0] ** 2 - 0.5 * 8 * q[0] ** 2  # 2 kg, 8 N/m
    >>> q_dot, p_dot = canonical_equations(oscillator, q=[1], p=[4], t=0)
    >>> q_dot.round(9), p_dot.round(9)  # p/m and −kq
    (array([2.]), array([-8.]))
    """
    _, v = legendre(L, q, p, t)
    motion = hamilton(L, q, v, t, force)
    return motion.q_dot, motion.p_dot


def hamilton(
    L: Lagrangian,
    q: object,
    v: object,
    t: float,
    force: Force | object | None = None,
    J: object = None,
    gamma: object = None,
) -> CanonicalMotion:
    """Return momenta, Hamiltonian, canonical rates, accelerations and multipliers at the state (q, v, t).

    L(q, v, t) and `force` as in `euler_lagrange`; J (m, n) and gamma (m,) are rows J a = γ, for example of
    `holonomic_rows` and `velocity_rows`. With H(q, p, t) = pᵀv − L at ∂L/∂v = p,

        q̇ = ∂H/∂p,    ṗ = −∂H/∂q + Q + Jᵀλ,    a = H_pq q̇ + H_pp ṗ + H_pt,    J a = γ.

    (Hamilton's canonical equations; the constraint forces enter as they enter Lagrange's equations of the first kind.)
    All derivatives are complex steps of the composite v(q, p, t) and H(q, p, t); no derivative of L at fixed velocity
    is taken, and neither M nor f of `euler_lagrange` is used.

    Not equivalent to Gauss's principle:

    * Positive semidefinite M: the Legendre transform does not exist although Gauss's principle may have one minimiser.
    * Dependent rows, so also every singular position: λ is not determined; this formulation raises.
    * Nonideal constraints: reactions lie along the rows here, as in Gauss's principle without friction.

    Raises InputError as `euler_lagrange`, MassMatrixError (M not positive definite) and SolverError (dependent rows).

    >>> from gauss.formulations import hamilton
    >>> falling = lambda q, v, t: 0.5 * (v[0] ** 2 + v[1] ** 2) - 9.81 * q[1]
    >>> found = hamilton(falling, q=[1, 0], v=[0, 3], t=0, J=[[2, 0]], gamma=[-18])  # a pendulum in x and y
    >>> found.a.round(9), found.multipliers.round(9), round(found.H, 9)
    (array([-9.  , -9.81]), array([-4.5]), 4.5)
    """
    q0, v0, time = state_of(q, v, t)
    n = q0.size
    h = steps_in_velocity(L, q0, v0, time)
    M, b, _ = quadratic_form_in_velocity(L, q0, time, step=h)
    transform = _Transform(L, v0, inverse_root(M, NO_MOMENTA), h)
    p = M @ v0 + b
    step, unit = 1j * STEP, np.eye(n)
    H_q = np.array([transform.hamiltonian(q0 + step * e, p, time).imag / STEP for e in unit])
    H_p = np.array([transform.hamiltonian(q0, p + step * e, time).imag / STEP for e in unit])
    p_dot = -H_q + force_at(force, q0, v0, time)
    drift = transform.velocity(q0 + step * H_p, p + step * p_dot, time + step).imag / STEP
    rows = np.zeros((0, n)) if J is None else matrix(J, (len(np.atleast_1d(as_array(J, "J"))), n), "J")
    right = vector(np.zeros(0) if gamma is None else gamma, len(rows), "gamma")
    change, multipliers = _constrained(transform.root, rows, right - rows @ drift)
    H = float(p @ v0) - real_value(L, q0, v0, time)
    return CanonicalMotion(p, H, H_p, p_dot + rows.T @ multipliers, drift + change, multipliers)


def _constrained(root: Array, J: Array, missing: Array) -> tuple[Array, Array]:
    """Return H_pp Jᵀλ (n,) and λ (m,) with J H_pp Jᵀλ = missing, H_pp = root·rootᵀ. Raises SolverError."""
    if not len(J):
        return np.zeros(len(root)), np.zeros(0)
    W = J @ root
    lengths = row_lengths(W)
    W, missing = W / lengths[:, None], missing / lengths
    Q, R = np.linalg.qr(W.T)  # W = RᵀQᵀ
    if len(J) > len(root) or np.linalg.cond(R) * 4.0 * len(root) * EPS >= 1.0:
        raise SolverError(
            f"The {len(J)} rows are dependent, so Hamilton's equations do not determine their multipliers. Remove "
            "dependent rows, or use a form that allows them."
        )
    y = solve_triangular(R, missing, transposed=True)
    return root @ (Q @ y), solve_triangular(R, y) / lengths
