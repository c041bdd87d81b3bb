"""Newton's and Euler's equations of one rigid body with unknown reactions, solved linearly for both.

    m s̈ = F + Σ λ_c g_c,    J Ω̇ + Ω × JΩ = N + Σ λ_c h_c,    g_c·s̈ + h_c·Ω̇ = γ_c

s is the mass centre in fixed axes, Ω the angular velocity, N the moment about the mass centre and J the inertia in body
axes, and the rotation R takes body axes to fixed ones, Ṙ = R Ω̂. A row (g, h, γ) is a contact or a joint, written down
from the geometry of the velocities: no coordinates, no energy and no derivative of either.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gauss.errors import InputError, MassMatrixError
from gauss.formulations._analytic import require_analytic_at
from gauss.formulations._lagrangian import STEP, vector_value
from gauss.formulations.lagrange_first import lagrange_first_kind
from gauss.foundation.arrays import Array, matrix, positive, vector
from gauss.foundation.outcomes import Shown

ORTHOGONAL = 1e-9  # entries of R Rᵀ − 1 up to this pass: the drift of a motion, not a wrong matrix


@dataclass(frozen=True, repr=False)
class ReactionRows(Shown):
    """Rows g·s̈ + h·Ω̇ = γ of k unknown reactions: each pushes with λ g (fixed axes) and turns with λ h (body axes)."""

    linear: Array  # (k, 3), g
    angular: Array  # (k, 3), h
    gamma: Array  # (k,)


@dataclass(frozen=True, repr=False)
class EulerNewton(Shown):
    """The accelerations of the body and its reactions."""

    s_ddot: Array  # (3,), fixed axes
    Omega_dot: Array  # (3,), body axes
    reactions: Array  # (k,), λ of all rows in the order given
    force: Array  # (3,), resultant of the reactions, fixed axes
    moment: Array  # (3,), their moment about the mass centre, body axes


def euler_newton(
    mass: float,
    inertia: object,
    Omega: object,
    force: object = (0.0, 0.0, 0.0),
    moment: object = (0.0, 0.0, 0.0),
    rows: Sequence[ReactionRows] = (),
) -> EulerNewton:
    """Return s̈, Ω̇ and the reactions of a rigid body.

    `inertia` (3, 3), or its three principal moments, and `moment` (3,) about the mass centre are in body axes like
    Omega (3,); `force` (3,) is in fixed axes. Raises InputError (shapes), MassMatrixError (an inertia that is not
    symmetric positive definite) and SolverError (dependent rows leave the reactions undetermined).

    >>> from gauss.formulations import euler_newton
    >>> euler_newton(1, inertia=[1, 2, 3], Omega=[1, 1, 1]).Omega_dot.round(6)  # (J₂ − J₃)Ω₂Ω₃/J₁, …
    array([-1.      ,  1.      , -0.333333])
    """
    J = np.asarray(inertia, dtype=float)
    J = np.diag(vector(J, 3, "inertia")) if J.ndim == 1 else matrix(J, (3, 3), "inertia")
    if np.min(np.linalg.eigvalsh(0.5 * (J + J.T))) <= 0.0:
        raise MassMatrixError(f"the inertia is not positive definite:\n{J}")
    if not isinstance(rows, Sequence) or not all(isinstance(r, ReactionRows) for r in rows):
        raise InputError(f"rows must be a list of what point_rows and spin_row return, got {rows!r}.")
    spin = vector(Omega, 3, "Omega")
    M = np.zeros((6, 6))
    M[:3, :3], M[3:, 3:] = positive(mass, "mass") * np.eye(3), J
    f = np.concatenate([vector(force, 3, "force"), vector(moment, 3, "moment") - np.cross(spin, J @ spin)])
    g = np.vstack([np.zeros((0, 3)), *[r.linear for r in rows]])
    h = np.vstack([np.zeros((0, 3)), *[r.angular for r in rows]])
    gamma = np.concatenate([np.zeros(0), *[r.gamma for r in rows]])
    a, reactions = lagrange_first_kind(M, f, np.hstack([g, h]), gamma)
    return EulerNewton(a[:3], a[3:], reactions, g.T @ reactions, h.T @ reactions)


def point_rows(
    rotation: object,
    Omega: object,
    point: Callable[[Any], Any],
    directions: object = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    acceleration: object = (0.0, 0.0, 0.0),
) -> ReactionRows:
    """Return rows that keep the velocity ṡ + ω × ρ of a point of the body at a given one, in fixed directions.

    ρ = point(R) (3,), in fixed axes, leads from the mass centre to the point: an analytic function of the rotation. It
    is R c for a joint at the point c of the body, and may wander over the body as the contact of a rolling wheel does.
    `acceleration` (3,) is the rate of the given velocity. Differentiated along the motion, for each direction e,

        e·(s̈ + ω̇ × ρ) = e·(acceleration − ω × ρ̇),   ω = R Ω,   ω̇ = R Ω̇.

    Raises InputError for wrong shapes, and for a point that is not analytic in the rotation.

    >>> import numpy as np
    >>> from gauss.formulations import euler_newton, point_rows
    >>> hung = point_rows(np.eye(3), Omega=[0, 0, 0], point=lambda R: R[:, 2])  # 1 m above the mass centre
    >>> euler_newton(2, [1, 1, 1], [0, 0, 0], force=[0, 0, -19.62], rows=[hung]).force.round(9)
    array([ 0.  ,  0.  , 19.62])
    """
    R, spin = rotation_matrix(rotation), vector(Omega, 3, "Omega")
    e = np.asarray(directions, dtype=float)
    e = matrix(e, (e.shape[0], 3), "directions")
    require_analytic_at(point, (R,), "point")
    value = vector_value(point, (R + 1j * STEP * R @ hat(spin),), 3, "point")
    rho, rho_rate = value.real, value.imag / STEP
    gamma = e @ (vector(acceleration, 3, "acceleration") - np.cross(R @ spin, rho_rate))
    return ReactionRows(e, np.cross(rho, e) @ R, gamma)


def spin_row(rotation: object, Omega: object, axis: Callable[[Any], Any]) -> ReactionRows:
    """Return the row that keeps ω·d at zero, d = axis(R) (3,) in fixed axes, an analytic function of the rotation.

    The reaction is a pure moment about d: absence of spin for d = e_z. Differentiated: d·RΩ̇ = −ḋ·ω (as ω̇ = R Ω̇).
    Raises InputError as `point_rows`.

    >>> import numpy as np
    >>> from gauss.formulations import euler_newton, spin_row
    >>> held = spin_row(np.eye(3), Omega=[0, 0, 0], axis=lambda R: np.array([0, 0, 1]))
    >>> euler_newton(2, [1, 1, 1], [0, 0, 0], moment=[0, 0, 5], rows=[held]).moment.round(9)
    array([ 0.,  0., -5.])
    """
    R, spin = rotation_matrix(rotation), vector(Omega, 3, "Omega")
    require_analytic_at(axis, (R,), "axis")
    value = vector_value(axis, (R + 1j * STEP * R @ hat(spin),), 3, "axis")
    gamma = -float(value.imag / STEP @ (R @ spin))
    return ReactionRows(np.zeros((1, 3)), (value.real @ R)[None], np.array([gamma]))


def hat(w: Array) -> Array:
    """Return the matrix ŵ (3, 3) with ŵ x = w × x."""
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def rotation_matrix(value: object) -> Array:
    """Return a rotation (3, 3), checked to be orthogonal to 1e-9. Raises InputError."""
    R = matrix(value, (3, 3), "rotation")
    if np.max(np.abs(R @ R.T - np.eye(3))) > ORTHOGONAL or np.linalg.det(R) < 0.0:
        raise InputError(f"rotation is not a proper orthogonal matrix:\n{R}")
    return R
