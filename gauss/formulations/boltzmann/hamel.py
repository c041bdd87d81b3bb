"""The equations of Boltzmann and Hamel in matrix form, A ω̇ = B and R q̇ = z, with all their matrices by name.

For a system with n coordinates, l free quasi-velocities ω and b = n − l constraints, whose quasi-velocities vanish,

    d/dt ∂T*/∂ω_k − ∂T*/∂π_k + Σ_rα γ^r_kα ω_α ∂T*/∂ω_r = Q_k,   k = 1 … l,   r, α = 1 … n.

T* is the kinetic energy as a function of all n quasi-velocities: the constraints are put in after the differentiation,
as the sum over r contains the momenta ∂T*/∂ω_r of the vanishing quasi-velocities too. In matrices (source BH, § 3)

    A ω̇ + C − T_Π + T_QᵀΓω = Q,   B = Q − C + T_Π − T_QᵀΓω.

A, C, T_Q, T_Π are sums over bodies, and Q is the sum of the generalized forces on them. An offset α₀ (affine or
rheonomic rows), which the source does not have, adds T_QᵀΓ_0 beside T_QᵀΓω.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import null_space

from gauss.errors import InputError
from gauss.formulations._analytic import number_at, real_values, require_analytic_at, vector_of
from gauss.formulations._definite import solve_definite
from gauss.formulations._lagrangian import STEP, Force, force_at
from gauss.formulations.boltzmann.frame import Matrix, Offset, QuasiVelocities, frame_at
from gauss.formulations.boltzmann.inertia import Contribution, KineticEnergy, RigidBody, contribution
from gauss.foundation.arrays import Array, scalar, vector
from gauss.foundation.outcomes import Shown

Part = RigidBody | KineticEnergy | Callable[[Any, Any, Any], Any]
Potential = Callable[[Any, Any], Any]  # V(q, t)
NO_INERTIA = "{} is not positive definite: some free quasi-velocity has no inertia. Give the missing inertia."


@dataclass(frozen=True, repr=False)
class BoltzmannHamel(Shown):
    """A ω̇ = B and R q̇ = z at one state, with the matrices they are made of."""

    frame: QuasiVelocities
    parts: dict[str, Contribution]  # by name
    T_Q: Array  # (n,), ∂T*/∂ω
    T_Pi: Array  # (n,), ∂T*/∂π
    C: Array  # (l,)
    A: Array  # (l, l)
    B: Array  # (l,)
    Q: Array  # (l,), generalized forces on the free quasi-velocities
    omega_dot: Array  # (l,), A⁻¹ B

    @property
    def omega(self) -> Array:
        """The free quasi-velocities (l,)."""
        return self.frame.omega[: self.frame.l]

    @property
    def v(self) -> Array:
        """The velocities q̇ = R⁻¹ z (n,)."""
        return self.frame.v

    @property
    def a(self) -> Array:
        """The accelerations q̈ (n,)."""
        return self.frame.acceleration(self.omega_dot)

    @property
    def matrices(self) -> dict[str, Array]:
        """The input matrices by name: sixteen for each rigid body, and Gamma, Q, R for the whole system.

        For one rigid body these are the nineteen of the source. Of several bodies the names start with the body's.
        """
        named = {
            (name if len(self.parts) == 1 else f"{part}: {name}"): value
            for part, added in self.parts.items()
            for name, value in added.matrices.by_name().items()
        }
        return named | {"Gamma": self.frame.Gamma, "Q": self.Q, "R": self.frame.R}

    def __str__(self) -> str:
        rest = {"T_Q": self.T_Q, "T_Pi": self.T_Pi, "C": self.C, "A": self.A, "B": self.B, "z": self.frame.z}
        lines = [f"{self.frame.l} free quasi-velocities of {len(self.frame.v)}; parts: {', '.join(self.parts)}"]
        with np.printoptions(precision=6, suppress=True):
            return "\n".join(lines + [f"{name} {x.shape} =\n{x}" for name, x in (self.matrices | rest).items()])


def boltzmann_hamel(
    parts: Part | Sequence[Part],
    alpha: Matrix,
    q: object,
    omega: object,
    t: float = 0.0,
    *,
    offset: Offset | None = None,
    force: Force | object | None = None,
    potential: Potential | None = None,
) -> BoltzmannHamel:
    """Return the equations of Boltzmann and Hamel at the state (q, ω, t), with ω̇ (l,), q̇ (n,) and q̈ (n,).

    `parts` are rigid bodies (matrix form of § 3) and kinetic energies (§ 7; a plain T(q, v, t) is one), whose sum is
    the system. alpha(q, t) → (n, n) and offset(q, t) → (n,) give the quasi-velocities α q̇ + α₀: omega (l,) are the
    free ones, at will, and the last n − l rows are the constraints (also differentiated holonomic ones, for a q that
    satisfies them). `force` (n,) or force(q, v, t) → (n,) is the generalized force along q, and potential(q, t) adds
    −∂V/∂q. Without constraints (l = n) this is the holonomic case (29), and with a Γ that vanishes Lagrange's
    equations of the second kind (32).

    Where this is not Gauss's principle: rows nonlinear in q̇ are no quasi-velocities of this kind, dependent rows
    (singular positions) leave α singular, and A must be positive definite.

    Raises InputError for functions that are not analytic or not of the stated degree in v and for a singular α, and
    MassMatrixError where A is not positive definite.

    >>> import numpy as np
    >>> from gauss.formulations import boltzmann_hamel
    >>> T = lambda q, v, t: 0.5 * (v[0] ** 2 + v[1] ** 2 + v[2] ** 2)  # of a skate in x, y, φ
    >>> def alpha(q, t):  # speed along the blade, turn, and the constraint
    ...     c, s = np.cos(q[2]), np.sin(q[2])
    ...     return [[c, s, 0], [0, 0, 1], [-s, c, 0]]
    >>> found = boltzmann_hamel(T, alpha, q=[0, 0, 0], omega=[1, 2], force=[3, 4, 0])
    >>> found.omega_dot.round(9), found.a.round(9)  # 3 along the blade; across it the 4 are lost, and 1 · 2 remains
    (array([3., 0.]), array([3., 2., 0.]))
    """
    frame = frame_at(alpha, q, omega, t, offset)
    added = {part.name: contribution(part, frame) for part in _parts(parts)}
    along = force_at(force, frame.q, frame.v, frame.t) + _slope(potential, frame)
    total = added.values()
    T_Q, T_Pi = np.sum([p.T_Q for p in total], axis=0), np.sum([p.T_Pi for p in total], axis=0)
    C, A = np.sum([p.C for p in total], axis=0), np.sum([p.A for p in total], axis=0)
    Q = np.sum([p.Q for p in total], axis=0) + frame.free.T @ along
    gyroscopic = T_Q @ (np.einsum("rka,a->rk", frame.Gamma, frame.omega) + frame.Gamma_0)  # (n,)
    B = Q - C + (T_Pi - gyroscopic)[: frame.l]
    return BoltzmannHamel(frame, added, T_Q, T_Pi, C, A, B, Q, solve_definite(A, B, NO_INERTIA.format("A")))


def boltzmann_hamel_form(
    kinetic: Callable[[Any, Any, Any], Any],
    rows: Matrix,
    q: object,
    v: object,
    t: float = 0.0,
    *,
    offset: Offset | None = None,
    force: Force | object | None = None,
    potential: Potential | None = None,
) -> Array:
    """Return q̈ (n,) by the equations of Boltzmann and Hamel, with free quasi-velocities chosen here.

    rows(q, t) → (b, n) and offset(q, t) → (b,) are the constraints rows·q̇ + offset = 0; kinetic T(q, v, t), `force`
    and `potential` are as in `boltzmann_hamel`, and so are the restrictions. The free quasi-velocities are constant
    combinations of q̇, orthonormal and orthogonal to the rows at q: the best conditioned choice. The part of v that
    violates the rows is dropped.

    Raises InputError and MassMatrixError as `boltzmann_hamel`; InputError too where the rows are dependent.

    >>> import numpy as np
    >>> from gauss.formulations import boltzmann_hamel_form
    >>> T = lambda q, v, t: 0.5 * (v[0] ** 2 + v[1] ** 2 + v[2] ** 2)  # of a skate in x, y, φ
    >>> blade = lambda q, t: [[np.sin(q[2]), -np.cos(q[2]), 0]]
    >>> boltzmann_hamel_form(T, blade, q=[0, 0, 0], v=[1, 0, 2]).round(9)  # on a circle: ẋφ̇ inwards
    array([0., 2., 0.])
    """
    q0, time = vector_of(q, "q"), scalar(t, "t")
    n = q0.size
    flat = real_values(lambda *place: np.ravel(np.asarray(rows(*place))), (q0, time), "rows")
    if flat.size % n:
        raise InputError(f"rows returns {flat.size} numbers, which are no rows of {n}.")
    at_q = flat.reshape(-1, n)
    free = null_space(at_q).T if at_q.size else np.eye(n)
    if free.shape[0] + at_q.shape[0] != n:
        raise InputError("the rows are dependent at q: a singular position, or rows given twice.")

    def alpha(place: Any, moment: Any) -> Any:
        return np.vstack([free, np.asarray(rows(place, moment)).reshape(-1, n)])

    omega = free @ vector(v, n, "v")
    shift = None if offset is None else _padded(offset, free.shape[0])
    return boltzmann_hamel(kinetic, alpha, q0, omega, time, offset=shift, force=force, potential=potential).a


def _padded(offset: Offset, count: int) -> Offset:
    """Return the offset of rows with `count` zeros for the free quasi-velocities before them."""
    return lambda q, t: np.concatenate([np.zeros(count), np.atleast_1d(np.asarray(offset(q, t)))])


def _parts(parts: Part | Sequence[Part]) -> list[RigidBody | KineticEnergy]:
    """Return the parts as a list with distinct names. Raises InputError."""
    given = list(parts) if isinstance(parts, Sequence) else [parts]
    known = [p if isinstance(p, (RigidBody, KineticEnergy)) else KineticEnergy(p) for p in given]
    names = [p.name for p in known]
    if not known or len(set(names)) < len(names):
        raise InputError(f"parts are {names}; at least one is expected, and their names must differ.")
    return known


def _slope(potential: Potential | None, frame: QuasiVelocities) -> Array:
    """The generalized force −∂V/∂q (n,)."""
    if potential is None:
        return np.zeros(frame.q.size)
    require_analytic_at(potential, (frame.q, frame.t), "potential")
    places = [frame.q + 1j * STEP * e for e in np.eye(frame.q.size)]
    return -np.array([number_at(potential, (place, frame.t), "potential").imag / STEP for place in places])
