"""What one body adds to the equations of Boltzmann and Hamel: sixteen matrices by name, or its kinetic energy alone.

A rigid body has the kinetic energy ½ M Σ V_j² + ½ Σ J_j' Ω_j'² (König), with the velocity V of its mass centre in any
orthonormal axes j and the angular velocity Ω in its principal axes j'. Both are linear in q̇, so in the quasi-velocities
V = V_P ω + V_R and Ω = Ω_P ω + Ω_R. The names are those of the matrix form (source BH, § 3); a second P marks a rate.
A body of simpler motion needs its kinetic energy only (§ 7): ∂T*/∂ω = T_Qω ω + T_R.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from gauss.errors import InputError
from gauss.formulations._analytic import number_at, require_analytic, spread_of
from gauss.formulations._lagrangian import STEP, ComplexArray, Force, vector_value
from gauss.formulations.boltzmann.frame import QuasiVelocities
from gauss.formulations.complex_step import quadratic_form_in_velocity
from gauss.foundation.arrays import Array, positive, vector
from gauss.foundation.portable import Portable

LINEAR = (
    1e-9  # relative difference from a linear function up to which a velocity counts as one: rounding, not truncation
)
Velocity = Callable[[Any, Any, Any], Any]  # (q, v, t) → (3,), linear in v


@dataclass(frozen=True)
class RigidBody:
    """A rigid body by its velocities, plain functions of (q, v, t) that accept complex numbers and are linear in v."""

    mass: float
    inertia: tuple[float, float, float]  # principal central moments J_1', J_2', J_3'; zero for a particle
    velocity: Velocity  # V (3,) of the mass centre, in any orthonormal axes
    rotation: Velocity  # Ω (3,), in the principal axes of the body
    force: Force | None = None  # resultant (3,) of the applied forces, in the axes of `velocity`
    moment: Force | None = None  # their moment (3,) about the mass centre, in the axes of `rotation`
    name: str = "body"


@dataclass(frozen=True)
class KineticEnergy(Portable):
    """A part of the system by its kinetic energy T(q, v, t), of at most second degree in v; a Lagrangian serves too.

    >>> from gauss.formulations import KineticEnergy, boltzmann_hamel
    >>> cart = KineticEnergy(lambda q, v, t: 0.5 * 1 * v[0] ** 2, "cart")
    >>> load = KineticEnergy(lambda q, v, t: 0.5 * 3 * v[0] ** 2, "load")
    >>> boltzmann_hamel([cart, load], lambda q, t: [[1]], q=[0], omega=[0], force=[8]).a.round(9)  # 8 N/4 kg
    array([2.])
    """

    function: Callable[[Any, Any, Any], Any]
    name: str = "energy"


@dataclass(frozen=True)
class BodyMatrices:
    """The sixteen matrices of one rigid body at one state; n quasi-velocities, l of them free."""

    V: Array  # (3,), velocity of the mass centre
    Omega: Array  # (3,), angular velocity
    V_Q: Array  # (n, 3), M ∂V/∂ω
    Omega_Q: Array  # (n, 3), J ∂Ω/∂ω
    V_Pi: Array  # (n, 3), M ∂V/∂π
    Omega_Pi: Array  # (n, 3), J ∂Ω/∂π
    V_P: Array  # (3, l), V = V_P ω + V_R
    Omega_P: Array  # (3, l), Ω = Ω_P ω + Ω_R
    V_R: Array  # (3,)
    Omega_R: Array  # (3,)
    V_QP: Array  # (n, 3), dV_Q/dt
    Omega_QP: Array  # (n, 3), dΩ_Q/dt
    V_RP: Array  # (3,), dV_R/dt
    Omega_RP: Array  # (3,), dΩ_R/dt
    V_PP: Array  # (3, l), dV_P/dt
    Omega_PP: Array  # (3, l), dΩ_P/dt

    def by_name(self) -> dict[str, Array]:
        """Return the sixteen matrices by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True)
class EnergyMatrices:
    """The matrices of a part given by its kinetic energy (source BH, § 7); n quasi-velocities."""

    T_Qomega: Array  # (n, n), ∂²T*/∂ω∂ω
    T_R: Array  # (n,), ∂T*/∂ω = T_Qω ω + T_R
    T_QomegaP: Array  # (n, n), dT_Qω/dt
    T_RP: Array  # (n,), dT_R/dt

    def by_name(self) -> dict[str, Array]:
        """Return the four matrices by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True)
class Contribution:
    """What one body or part adds to the matrices of the whole system."""

    matrices: BodyMatrices | EnergyMatrices
    T_Q: Array  # (n,), ∂T*/∂ω
    T_Pi: Array  # (n,), ∂T*/∂π
    C: Array  # (l,), the part of d(∂T*/∂ω)/dt without ω̇
    A: Array  # (l, l)
    Q: Array  # (l,), generalized force on the body


def contribution(part: RigidBody | KineticEnergy, frame: QuasiVelocities) -> Contribution:
    """Return what a body or a part adds. Raises InputError for functions that are not as the part's class says."""
    return _of_body(part, frame) if isinstance(part, RigidBody) else _of_energy(part, frame)


def _of_body(body: RigidBody, frame: QuasiVelocities) -> Contribution:
    """The matrix form of § 3: A = V_Q V_P + Ω_Q Ω_P and so on."""
    l, omega = frame.l, frame.omega[: frame.l]
    inertia = vector(body.inertia, 3, f"the inertia of {body.name!r}")
    if np.any(inertia < 0.0):
        raise InputError(f"the inertia of {body.name!r} is {inertia}; moments of inertia are not negative.")
    mass = np.full(3, positive(body.mass, f"the mass of {body.name!r}"))
    V = _linear(body.velocity, frame, f"the velocity of {body.name!r}")
    W = _linear(body.rotation, frame, f"the rotation of {body.name!r}")
    m = BodyMatrices(
        V=V.P @ frame.omega + V.R,
        Omega=W.P @ frame.omega + W.R,
        V_Q=(mass[:, None] * V.P).T,
        Omega_Q=(inertia[:, None] * W.P).T,
        V_Pi=(mass[:, None] * V.Pi).T,
        Omega_Pi=(inertia[:, None] * W.Pi).T,
        V_P=V.P[:, :l],
        Omega_P=W.P[:, :l],
        V_R=V.R,
        Omega_R=W.R,
        V_QP=(mass[:, None] * V.P_rate).T,
        Omega_QP=(inertia[:, None] * W.P_rate).T,
        V_RP=V.R_rate,
        Omega_RP=W.R_rate,
        V_PP=V.P_rate[:, :l],
        Omega_PP=W.P_rate[:, :l],
    )
    C = (
        m.V_QP[:l] @ m.V
        + m.Omega_QP[:l] @ m.Omega
        + m.V_Q[:l] @ (m.V_PP @ omega + m.V_RP)
        + m.Omega_Q[:l] @ (m.Omega_PP @ omega + m.Omega_RP)
    )
    force = _applied(body.force, frame, f"the force on {body.name!r}")
    moment = _applied(body.moment, frame, f"the moment on {body.name!r}")
    return Contribution(
        matrices=m,
        T_Q=m.V_Q @ m.V + m.Omega_Q @ m.Omega,
        T_Pi=m.V_Pi @ m.V + m.Omega_Pi @ m.Omega,
        C=C,
        A=m.V_Q[:l] @ m.V_P + m.Omega_Q[:l] @ m.Omega_P,
        Q=m.V_P.T @ force + m.Omega_P.T @ moment,
    )


@dataclass(frozen=True)
class _LinearVelocity:
    """A velocity P ω + R of three components, with its rates."""

    P: Array  # (3, n)
    R: Array  # (3,)
    Pi: Array  # (3, n), column k is the derivative in π_k at fixed ω
    P_rate: Array  # (3, n)
    R_rate: Array  # (3,)


def _linear(function: Velocity, frame: QuasiVelocities, name: str) -> _LinearVelocity:
    """Split a function that is linear in v: one complex step along the motion gives coefficients and rates at once."""
    q, v, t, n = frame.q, frame.v, frame.t, frame.q.size

    def value(place: Any, velocity: Any, time: Any) -> ComplexArray:
        return vector_value(function, (place, velocity, time), 3, name)

    moved, later = q + 1j * STEP * v, t + 1j * STEP
    rest = value(moved, np.zeros(n), later)
    per_velocity = np.array([value(moved, e, later) - rest for e in np.eye(n)]).T  # (3, n)
    W, W_rate = per_velocity.real, per_velocity.imag / STEP
    w, w_rate = rest.real, rest.imag / STEP
    trial = max(1.0, float(np.max(np.abs(v)))) * (0.7 + 0.5 * np.cos(1.0 + 3.0 * np.arange(n)))
    direct, size = value(q, trial, t).real, np.abs(W) @ np.abs(trial) + np.abs(w)
    if np.any(np.abs(direct - W @ trial - w) > LINEAR * (size + np.abs(direct))):
        raise InputError(f"{name} is not linear in the velocity v.")
    direction = spread_of(q)
    require_analytic(lambda s: value(q + s * direction, trial, t + s), size, name)
    b, b_rate, shift = frame.inverse, frame.inverse_rate, frame.offset
    return _LinearVelocity(
        P=W @ b,
        R=w - W @ b @ shift,
        Pi=np.array(
            [value(q + 1j * STEP * b[:, k], v + 1j * STEP * frame.v_along[:, k], t).imag / STEP for k in range(n)]
        ).T,
        P_rate=W_rate @ b + W @ b_rate,
        R_rate=w_rate - (W_rate @ b + W @ b_rate) @ shift - W @ b @ frame.offset_rate,
    )


def _applied(force: Force | None, frame: QuasiVelocities, name: str) -> Array:
    return np.zeros(3) if force is None else vector(force(frame.q, frame.v, frame.t), 3, name)


def _of_energy(part: KineticEnergy, frame: QuasiVelocities) -> Contribution:
    """The simplified form of § 7: A = T_Qω and C = (dT_Qω/dt) ω + dT_R/dt."""
    name, l = f"the kinetic energy {part.name!r}", frame.l
    q, v, t, n = frame.q, frame.v, frame.t, frame.q.size
    direction, trial = spread_of(q), v + spread_of(v)
    energy = abs(number_at(part.function, (q, trial, t), name))
    require_analytic(lambda s: [number_at(part.function, (q + s * direction, trial, t + s), name)], energy, name)
    (M, p), (M_rate, p_rate) = quadratic_form_and_rate(part.function, q, v, v, t)
    b, b_rate, shift = frame.inverse, frame.inverse_rate, frame.offset
    rest, rest_rate = -b @ shift, -b_rate @ shift - b @ frame.offset_rate  # q̇ at ω = 0
    m = EnergyMatrices(
        T_Qomega=b.T @ M @ b,
        T_R=b.T @ (M @ rest + p),
        T_QomegaP=b_rate.T @ M @ b + b.T @ M_rate @ b + b.T @ M @ b_rate,
        T_RP=b_rate.T @ (M @ rest + p) + b.T @ (M_rate @ rest + M @ rest_rate + p_rate),
    )
    along = [
        number_at(part.function, (q + 1j * STEP * b[:, k], v + 1j * STEP * frame.v_along[:, k], t), name).imag / STEP
        for k in range(n)
    ]
    return Contribution(
        matrices=m,
        T_Q=m.T_Qomega @ frame.omega + m.T_R,
        T_Pi=np.array(along),
        C=(m.T_QomegaP @ frame.omega + m.T_RP)[:l],
        A=m.T_Qomega[:l, :l],
        Q=np.zeros(l),
    )


def quadratic_form_and_rate(
    T: Callable[[Any, Any, Any], Any], q: Array, q_rate: Array, u: Array, t: float
) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """Return (M, b) with ∂T/∂u = M u + b at (q, t), and their rates along (q_rate, 1).

    T(q, u, t) is quadratic in u (k,), so differences in u are exact with any step; steps that give every term the
    energy of the state lose least. One complex step along the motion carries the rates.

    Raises InputError if T is not at most quadratic in u.
    """
    k = u.size
    M0, b0, c0 = quadratic_form_in_velocity(T, q, t)
    inertia: Array = np.diag(M0)
    energy = max(abs(c0), 0.5 * abs(float(u @ M0 @ u)), abs(float(b0 @ u)))
    heavy = inertia > 1e-12 * float(np.max(np.abs(M0), initial=0.0))
    h = np.where(heavy & (energy > 0.0), np.sqrt(max(energy, 1e-300) / np.where(heavy, inertia, 1.0)), 1.0)
    moved, later = q + 1j * STEP * q_rate, t + 1j * STEP

    def value(w: Array) -> complex:
        return number_at(T, (moved, w, later), "the kinetic energy")

    steps = np.diag(h)
    ahead, behind = np.array([value(s) for s in steps]), np.array([value(-s) for s in steps])
    form = np.diag(ahead + behind - 2.0 * value(np.zeros(k)))
    for i in range(k):
        for j in range(i):
            mixed = value(steps[i] + steps[j]) - value(steps[i] - steps[j])
            form[i, j] = form[j, i] = 0.5 * (mixed - ahead[j] + behind[j])
    M, b = form / np.outer(h, h), 0.5 * (ahead - behind) / h
    return (M.real, b.real), (M.imag / STEP, b.imag / STEP)
