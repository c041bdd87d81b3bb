"""The motion of a joint as steps from frame to frame, each by one coordinate (a ball joint by four, a unit quaternion).

A step leads from axes of a frame to those of the next one: its origin is at p + d s + R τ, its axes are the columns of
R, all in axes of the frame before, τ in axes of the frame behind. Constant turns before and behind a joint are
multiplied into its own:

    turn by θ:    R = C₀ + C₁ cos θ + C₂ sin θ,    w' = Rᵀw + e θ̇
    slide by s:   R constant,                      v' = Rᵀ(v + w × (p + d s) + d ṡ) + w' × τ
    ball:         R = L R(p) A,                    w' = Rᵀw + Aᵀ 2 E(p) ṗ

with the angular velocity w and the velocity v of the origin in axes of their own frame (R. Featherstone, Rigid Body
Dynamics Algorithms, 2008, chapters 2–4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from gauss.bodies.joints.joint import Joint
from gauss.bodies.joints.planar_joints import Pin, Slider
from gauss.bodies.joints.spatial_joints import Cylindrical, PlanarJoint, Prismatic, Revolute, Spherical, Universal, Weld
from gauss.bodies.tree.products import ZERO, Matrix, back, combined, cross, dot, onto, plus, product, times, total
from gauss.foundation.arrays import Array, is_symbol
from gauss.functions.elementary import cos, sin
from gauss.geometry.vectors import Vector, across

Kind = Literal["turn", "slide", "ball", "fixed"]
X, Y, Z = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
SAME: Matrix = (X, Y, Z)
ROUNDING = 2.0**-50  # of entries of constant turns
PARTS: dict[type, tuple[tuple[Kind, Vector, str], ...]] = {  # how a joint moves in its own axes, in order
    Weld: (),
    Revolute: (("turn", Z, ""),),
    Pin: (("turn", Z, ""),),
    Prismatic: (("slide", Z, ""),),
    Slider: (("slide", X, ""),),
    Cylindrical: (("turn", Z, "_angle"), ("slide", Z, "_displacement")),
    Universal: (("turn", Z, "_angle1"), ("turn", X, "_angle2")),
    PlanarJoint: (("slide", X, "_displacement1"), ("slide", Y, "_displacement2"), ("turn", Z, "_angle")),
    Spherical: (("ball", ZERO, ""),),
}
QUATERNION = ("_qw", "_qx", "_qy", "_qz")


@dataclass(frozen=True)
class Step:
    """A step from one frame to the next."""

    kind: Kind
    names: tuple[str, ...]  # of its coordinates: one, four of a ball, none where it is fixed
    place: Vector  # p, in axes before
    along: Vector  # d, in axes before, of a slide; e, in axes behind, of a turn
    constant: Matrix  # C₀ of a turn, R of a slide, L of a ball
    cosine: Matrix  # C₁ of a turn; A of a ball
    sine: Matrix  # C₂ of a turn
    tail: Vector  # τ, in axes behind
    sign: float  # −1 of a ball that leads from body 2 to body 1

    def turned(self, q: Any) -> Matrix:
        """Return R, from coordinates by name."""
        if self.kind == "turn":
            c, s = cos(q[self.names[0]]), sin(q[self.names[0]])
            parts = zip(self.constant, self.cosine, self.sine, strict=True)
            return tuple(  # type: ignore[return-value]
                tuple(total(a, product(b, c), product(d, s)) for a, b, d in zip(*rows, strict=True)) for rows in parts
            )
        if self.kind == "ball":
            rows = of_quaternion(self._quaternion(q))
            return _product(_product(self.constant, rows), self.cosine)
        return self.constant

    def _quaternion(self, q: Any) -> Vector:
        w, *rest = (q[name] for name in self.names)
        return (w, *times(self.sign, rest))

    def shift(self, q: Any) -> Vector:
        """Return p + d s."""
        return plus(self.place, times(q[self.names[0]], self.along)) if self.kind == "slide" else self.place

    def spin(self, q: Any, v: Any) -> Vector:
        """Return the angular velocity that the joint adds, in axes behind."""
        if self.kind == "turn":
            return times(v[self.names[0]], self.along)
        if self.kind == "ball":
            return back(self.cosine, quaternion_spin(self._quaternion(q), self._quaternion(v)))
        return ZERO

    def twist(self, R: Matrix, q: Any, v: Any, before: tuple[Vector, Vector]) -> tuple[Vector, Vector]:
        """Return w' and v' from w and v of the frame before."""
        w, u = before
        behind = plus(back(R, w), self.spin(q, v))
        moved = plus(u, cross(w, self.shift(q)))
        if self.kind == "slide":
            moved = plus(moved, times(v[self.names[0]], self.along))
        return behind, plus(back(R, moved), cross(behind, self.tail))

    def loads(self, R: Matrix, q: Any, wrench: tuple[Vector, Vector]) -> tuple[dict[str, Any], tuple[Vector, Vector]]:
        """Return the generalized forces of a torque and a force at the frame behind, and both at the frame before."""
        torque, force = wrench
        torque = plus(torque, cross(self.tail, force))
        own: dict[str, Any] = {}
        before = onto(R, force)
        if self.kind == "turn":
            own[self.names[0]] = dot(self.along, torque)
        elif self.kind == "slide":
            own[self.names[0]] = dot(self.along, before)
        elif self.kind == "ball":
            found = quaternion_load(self._quaternion(q), onto(self.cosine, torque))
            own = dict(zip(self.names, (found[0], *times(self.sign, found[1:])), strict=True))
        return own, (plus(onto(R, torque), cross(self.shift(q), before)), before)


def _twice(p: Sequence[Any]) -> Any:
    """Return 2(2 − |p|²), to first order from |p| = 1 the same as 2/|p|²: what is made with it has no slope along p."""
    w, x, y, z = p
    return 4.0 - 2.0 * (w * w + x * x + y * y + z * z)


def of_quaternion(p: Sequence[Any]) -> Matrix:
    """Return the matrix, by rows, of the unit quaternion p = (w, x, y, z)."""
    w, x, y, z = p
    c = _twice(p)
    return (
        (1.0 - c * (y * y + z * z), c * (x * y - w * z), c * (x * z + w * y)),
        (c * (x * y + w * z), 1.0 - c * (x * x + z * z), c * (y * z - w * x)),
        (c * (x * z - w * y), c * (y * z + w * x), 1.0 - c * (x * x + y * y)),
    )


def quaternion_spin(p: Sequence[Any], rate: Sequence[Any]) -> Vector:
    """Return the angular velocity 2 p* ṗ in axes of the body."""
    (w, x, y, z), (a, b, c, d) = p, rate
    twice = _twice(p)
    return (
        twice * (w * b - x * a - y * d + z * c),
        twice * (w * c + x * d - y * a - z * b),
        twice * (w * d - x * c + y * b - z * a),
    )


def quaternion_load(p: Sequence[Any], torque: Sequence[Any]) -> Vector:
    """Return the generalized force on the four components of a torque in axes of the body: (2 p* ṗ)·τ = Q·ṗ."""
    w, x, y, z = times(_twice(p), p)
    a, b, c = torque
    return (
        total(*(product(-1.0 * e, f) for e, f in ((x, a), (y, b), (z, c)))),
        total(product(w, a), product(-1.0 * z, b), product(y, c)),
        total(product(z, a), product(w, b), product(-1.0 * x, c)),
        total(product(-1.0 * y, a), product(x, b), product(w, c)),
    )


def _product(one: Matrix, two: Matrix) -> Matrix:
    """Return the product of two matrices by rows."""
    return tuple(combined(row, two) for row in one)  # type: ignore[return-value]


# ------------------------------------------------------------------ of joints


@dataclass(frozen=True)
class _Frame:
    """A frame in a body: its axes (3, 3) as columns and its origin (3,)."""

    axes: Array
    origin: Array

    def inverse(self) -> _Frame:
        """Return the body in the frame."""
        return _Frame(self.axes.T, -self.axes.T @ self.origin)


def _frames(joint: Joint) -> tuple[_Frame, _Frame]:
    """Return the frames of a joint in its two bodies, which coincide where its coordinates are zero."""
    one, two = np.eye(3), np.eye(3)
    if isinstance(joint, Weld | Prismatic):
        two = np.array(joint.orientation).T
        if isinstance(joint, Prismatic):
            one = np.column_stack([*across(tuple(joint.axis1)), joint.axis1])
            two = two @ one
    elif isinstance(joint, Slider):
        (x, y) = joint.axis1
        one = two = np.array([[x, -y, 0.0], [y, x, 0.0], [0.0, 0.0, 1.0]])
    elif isinstance(joint, Revolute | Cylindrical | Universal | PlanarJoint):
        (u, w), (u2, w2) = across(tuple(joint.axis1)), across(tuple(joint.axis2))
        one = np.column_stack([u, w, joint.axis1])
        two = np.column_stack([u2, w2, joint.axis2])
        if isinstance(joint, Universal):
            two = np.column_stack([joint.axis2, -np.array(w2), u2])
    origins = [np.array([*point, 0.0][:3]) for point in (joint.point1, joint.point2)]  # numbers or symbols
    return _Frame(one, origins[0]), _Frame(two, origins[1])


def coordinates_of(joint: Joint) -> tuple[str, ...]:
    """Return the names of the coordinates of a joint: its own, with a word behind it where it has several."""
    start = "_".join(joint.name.split())
    parts = PARTS[type(joint)]
    return tuple(start + ending for kind, _, word in parts for ending in (QUATERNION if kind == "ball" else (word,)))


def steps_of(joint: Joint, forwards: bool) -> tuple[Step, ...]:
    """Return the steps from body 1 to body 2 of a joint, or backwards."""
    start = "_".join(joint.name.split())
    one, two = _frames(joint)
    parts = [
        (kind, axis, tuple(start + ending for ending in (QUATERNION if kind == "ball" else (word,))))
        for kind, axis, word in PARTS[type(joint)]
    ]
    if forwards:
        return _chained(parts, one, two.inverse(), 1.0)
    return _chained(parts[::-1], two, one.inverse(), -1.0)


def free_steps(body: str) -> tuple[Step, ...]:
    """Return the steps from space to a body that nothing holds: three displacements and a ball."""
    slides: list[tuple[Kind, Vector, tuple[str, ...]]] = [
        ("slide", axis, (f"{body}_{word}",)) for axis, word in zip(SAME, "xyz", strict=True)
    ]
    here = _Frame(np.eye(3), np.zeros(3))
    return _chained([*slides, ("ball", ZERO, tuple(body + word for word in QUATERNION))], here, here, 1.0)


def plane_steps(body: str) -> tuple[Step, ...]:
    """Return the steps to a body in the plane that nothing holds: two displacements and an angle."""
    parts: list[tuple[Kind, Vector, tuple[str, ...]]] = [
        ("slide", X, (f"{body}_x",)),
        ("slide", Y, (f"{body}_y",)),
        ("turn", Z, (f"{body}_angle",)),
    ]
    here = _Frame(np.eye(3), np.zeros(3))
    return _chained(parts, here, here, 1.0)


def _chained(
    parts: Sequence[tuple[Kind, Vector, tuple[str, ...]]], first: _Frame, last: _Frame, sign: float
) -> tuple[Step, ...]:
    """Return steps, the constant frames before and behind them multiplied in."""
    same = _Frame(np.eye(3), np.zeros(3))
    given = list(parts) or [("fixed", ZERO, ())]
    found = []
    for k, (kind, axis, names) in enumerate(given):
        before, behind = (first if k == 0 else same), (last if k == len(given) - 1 else same)
        found.append(_step(kind, np.array(axis), names, before, behind, sign))
    return tuple(found)


def _step(kind: Kind, axis: Array, names: tuple[str, ...], before: _Frame, behind: _Frame, sign: float) -> Step:
    L, A = before.axes, behind.axes
    cosine, sine = np.zeros((3, 3)), np.zeros((3, 3))
    along = np.zeros(3)
    constant = L @ A
    if kind == "turn":
        outer = np.outer(axis, axis)
        x, y, z = axis
        constant, cosine = L @ outer @ A, L @ (np.eye(3) - outer) @ A
        sine = sign * L @ np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]) @ A
        along = sign * A.T @ axis
    elif kind == "slide":
        along = sign * L @ axis
    elif kind == "ball":
        constant, cosine = L, A
    return Step(
        kind,
        names,
        _tidy(before.origin),
        _tidy(along, ROUNDING),
        _rows(constant),
        _rows(cosine),
        _rows(sine),
        _tidy(A.T @ behind.origin),
        sign,
    )


def _tidy(vector: Array, rounding: float = 0.0) -> Vector:
    return tuple(x if is_symbol(x) else 0.0 if abs(x) <= rounding else float(x) for x in vector)


def _rows(matrix: Array) -> Matrix:
    return tuple(_tidy(row, ROUNDING) for row in matrix)  # type: ignore[return-value]
