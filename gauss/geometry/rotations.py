"""Rotations as proper orthogonal matrices R (3, 3) that take body axes to space axes, and their rates.

The columns of R are the body axes written in space axes: a vector b fixed in the body is R b in space. With the
angular velocity in body axes ω, or in space axes Rω, and [ω]b = ω × b,

    Ṙ = R[ω] = [Rω]R        (VHIF §2, where [ω] is written j(ω)).

Angles are in radians, angular velocities in rad/s.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Literal

import numpy as np
import scipy

from gauss.errors import InputError
from gauss.foundation.arrays import Array, as_array, matrix, scalar, vector
from gauss.foundation.tolerances import ORTHOGONAL

__all__ = ["about", "angular_velocity", "euler", "nearest", "quaternion", "rate", "rotation", "skew", "spin"]

Axes = Literal["body", "space"]

EXACT = 4 * np.finfo(float).eps  # entries of RᵀR − 1 up to this cannot be improved: the matrix is taken as it is
SINGULAR = 1e-12  # a matrix whose least singular value is below this share of its largest has no nearest rotation


def rotation(value: object, what: str = "the rotation") -> Array:
    """Return `value` as a rotation matrix (3, 3), orthogonal to rounding.

    `value` is a matrix (3, 3) or a single `scipy.spatial.transform.Rotation`; matrices also come from `quaternion`,
    `euler` and `about`. A matrix whose RᵀR − 1 has entries up to 1e-9 is replaced by the nearest rotation. Raises
    InputError for anything farther from orthogonal and for reflections.

    >>> from gauss import bodies as mb
    >>> mb.rotation([[0, -1, 0], [1, 0, 0], [0, 0, 1]]).tolist()
    [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    >>> mb.rotation([[1, 0, 0], [0, 1, 0], [0, 0, -1]])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    gauss.errors.InputError: the rotation is a reflection (its determinant is −1): a rigid body cannot reach it. ...
    """
    other: Any = None if isinstance(value, np.ndarray) else value  # what SciPy has of rotations loads late
    if other is not None and isinstance(other, scipy.spatial.transform.Rotation):
        if not other.single:
            raise InputError(f"{what} is a stack of {len(other)} rotations; give one of them.")
        return np.array(other.as_matrix(), dtype=float)
    array = as_array(value, what)
    if array.shape == (4,):
        raise InputError(f"{what} has 4 numbers; give a quaternion as quaternion(w, x, y, z), the scalar first.")
    R = matrix(array, (3, 3), what)
    with np.errstate(over="ignore", invalid="ignore"):
        gap = float(np.max(np.abs(R.T @ R - np.eye(3))))
    if not gap <= ORTHOGONAL:
        raise InputError(
            f"{what} is not orthogonal: RᵀR differs from 1 by {gap:.3g}, allowed is {ORTHOGONAL:g}. "
            "Give more digits, or nearest(matrix)."
        )
    if np.linalg.det(R) < 0.0:
        raise InputError(
            f"{what} is a reflection (its determinant is −1): a rigid body cannot reach it. Reverse one axis."
        )
    return R if gap <= EXACT else nearest(R, what)


def nearest(value: object, what: str = "the matrix") -> Array:
    """Return the rotation (3, 3) nearest to a matrix (3, 3): the one for which Σ (R_ij − A_ij)² is least.

    It is the orthogonal factor of the polar decomposition. Raises InputError where none is nearest: determinant zero
    or negative.

    >>> from gauss import bodies as mb
    >>> mb.nearest([[1.0, -0.1, 0.0], [0.1, 1.0, 0.0], [0.0, 0.0, 2.0]]).round(6).tolist()  # a turn by atan 0.1
    [[0.995037, -0.099504, 0.0], [0.099504, 0.995037, 0.0], [0.0, 0.0, 1.0]]
    """
    A = matrix(value, (3, 3), what)
    size = float(np.max(np.abs(A)))
    left, values, right = np.linalg.svd(A / size if size > 0.0 else A)
    if values[2] <= SINGULAR * values[0] or np.linalg.det(left) * np.linalg.det(right) < 0.0:
        raise InputError(f"{what} has no nearest rotation: its determinant is not positive. Give right-handed axes.")
    return np.asarray(left @ right)


def quaternion(w: object, x: object, y: object, z: object) -> Array:
    """Return the rotation matrix (3, 3) of the unit quaternion w + xi + yj + zk.

    Its norm may differ from 1 by 1e-9 and is then made 1. Raises InputError for any other norm.

    >>> from gauss import bodies as mb
    >>> mb.quaternion(0.8, 0.0, 0.0, 0.6).round(9).tolist()  # about z by θ with cos ½θ = 0.8
    [[0.28, -0.96, 0.0], [0.96, 0.28, 0.0], [0.0, 0.0, 1.0]]
    """
    parts = [scalar(value, f"component {name} of the quaternion") for name, value in zip("wxyz", (w, x, y, z))]
    norm = float(np.hypot(np.hypot(parts[0], parts[1]), np.hypot(parts[2], parts[3])))
    if not abs(norm - 1.0) <= ORTHOGONAL:
        raise InputError(
            f"the quaternion has norm {norm:.12g}; a rotation needs norm 1 within {ORTHOGONAL:g}. "
            "Divide its components by the norm."
        )
    s, u = parts[0] / norm, np.array(parts[1:]) / norm
    return np.asarray((s * s - u @ u) * np.eye(3) + 2.0 * np.outer(u, u) + 2.0 * s * skew(u))


def about(axis: object, angle: object) -> Array:
    """Return the rotation matrix (3, 3) by `angle` (rad) about `axis` (3,), right-handed; the axis needs no length 1.

    Rodrigues' formula R = 1 cos θ + [e] sin θ + e ⊗ e (1 − cos θ). Raises InputError for an axis of length zero.
    """
    e = direction(axis, "the axis of rotation")
    theta = scalar(angle, "the angle of rotation")
    half = np.sin(theta / 2.0)
    return np.asarray(np.eye(3) + np.sin(theta) * skew(e) + 2.0 * half * half * (np.outer(e, e) - np.eye(3)))


def direction(value: object, what: str) -> Array:
    """Return `value` (3,) scaled to length 1. Raises InputError for the zero vector."""
    e = vector(value, 3, what)
    size = float(np.max(np.abs(e)))
    if size == 0.0:
        raise InputError(f"{what} is the zero vector, which has no direction.")
    return np.asarray(e / size / np.linalg.norm(e / size))


def euler(sequence: str, *angles: object) -> Array:
    """Return the rotation matrix (3, 3) of one to three turns by `angles` (rad) about the axes of `sequence`.

    Upper case turns about the axes carried along (intrinsic, R = R₁R₂R₃), lower case about the fixed axes (extrinsic,
    R = R₃R₂R₁), as in SciPy. `euler("ZXZ", psi, theta, phi)` has Euler's angles of precession, nutation and own
    rotation. Raises InputError for another sequence, neighbours that are alike, or a wrong number of angles.
    """
    letters = sequence.lower() if isinstance(sequence, str) else ""
    known = 1 <= len(letters) <= 3 and set(letters) <= set("xyz") and sequence in (letters, letters.upper())
    if not known or any(a == b for a, b in pairwise(letters)):
        raise InputError(
            f"the sequence of axes is {sequence!r}; expected one to three of XYZ (turning axes) or of xyz "
            "(fixed axes), neighbours different."
        )
    if len(angles) != len(letters):
        raise InputError(f"the sequence {sequence!r} needs {len(letters)} angles, got {len(angles)}.")
    R = np.eye(3)
    for letter, angle in zip(letters, angles):
        turn = about(np.eye(3)["xyz".index(letter)], scalar(angle, f"the angle about {letter}"))
        R = R @ turn if sequence.isupper() else turn @ R
    return R


def skew(omega: object) -> Array:
    """Return [ω] (3, 3), the matrix with [ω]b = ω × b."""
    x, y, z = vector(omega, 3, "the vector").tolist()
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def rate(R: object, omega: object, axes: Axes = "body") -> Array:
    """Return Ṙ (3, 3) in 1/s for the angular velocity `omega` (3,) in rad/s: R[ω] in body axes, [ω]R in space axes.

    Raises InputError for a matrix that is no rotation.

    >>> from gauss import bodies as mb
    >>> mb.rate(mb.about((0, 0, 1), 0.0), (0, 0, 2.0)).tolist()  # the x-axis moves with 2/s along y
    [[0.0, -2.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    matrix_of_body = rotation(R)
    turning = skew(vector(omega, 3, "the angular velocity"))
    return matrix_of_body @ turning if in_body(axes) else turning @ matrix_of_body


def angular_velocity(R: object, R_dot: object, axes: Axes = "body") -> Array:
    """Return ω (3,) in rad/s of a body with rotation R (3, 3) and its rate R_dot (3, 3), in body or space axes.

    Raises InputError if R is no rotation or if RᵀṘ has a symmetric part above 1e-9 of its largest entry: then no
    rigid motion has this rate.

    >>> from gauss import bodies as mb
    >>> R = mb.about((1, 2, 2), 0.7)
    >>> mb.angular_velocity(R, mb.rate(R, (0.1, 0.2, 0.3))).round(9).tolist()
    [0.1, 0.2, 0.3]
    """
    matrix_of_body, change = rotation(R), matrix(R_dot, (3, 3), "the rate of the rotation")
    inner = matrix_of_body.T @ change
    strain, size = float(np.max(np.abs(inner + inner.T))) / 2.0, float(np.max(np.abs(inner)))
    if strain > ORTHOGONAL * size:
        raise InputError(
            f"the rate of the rotation stretches the body: the symmetric part of RᵀṘ reaches {strain:.3g} 1/s beside "
            f"{size:.3g} 1/s. Form it by rate(R, omega)."
        )
    return np.array(spin(matrix_of_body, change, axes), dtype=np.float64)


def spin(R: Any, R_dot: Any, axes: Axes = "body") -> list[Any]:
    """Return the three components of ω, from entries of any kind of number or symbol, unchecked.

    They are those of the antisymmetric part of RᵀṘ (body axes) or ṘRᵀ (space axes): linear in Ṙ, so that they serve
    as rows and as directions of virtual turns. R and R_dot (3, 3) are read as R[i][j], row i and column j.
    """
    three = range(3)
    if in_body(axes):
        product = [[sum(R[k][i] * R_dot[k][j] for k in three) for j in three] for i in three]
    else:
        product = [[sum(R_dot[i][k] * R[j][k] for k in three) for j in three] for i in three]
    return [(product[k][j] - product[j][k]) / 2 for j, k in ((1, 2), (2, 0), (0, 1))]


def in_body(axes: str) -> bool:
    """Return whether `axes` are the body's. Raises InputError for anything but "body" and "space"."""
    if axes not in ("body", "space"):
        raise InputError(f'axes is {axes!r}; expected "body" or "space".')
    return axes == "body"
