"""Rates of joints and of points as rows: linear in the velocities, with coefficients by coordinate name.

A torque τ about e has the power τ e·ω, and the generalized force of a torque is `turned_by`; so e·ω is the sum of the
entries of turned_by(e) times the velocities. The same rows are thus the rates of angles and displacements, the
generalized forces of unit torques and forces in them, and the rows of transmissions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from gauss.bodies.body.body import AnyBody, Fixed, described
from gauss.bodies.joints.joint import Joint
from gauss.bodies.joints.planar_joints import Pin, Slider
from gauss.bodies.joints.spatial_joints import Cylindrical, Distance, Prismatic, Revolute, RevoluteSpherical
from gauss.errors import InputError
from gauss.functions.elementary import atan2, cos, sin
from gauss.geometry.placed import Placed
from gauss.geometry.vectors import Vector, across, dot, minus, times
from gauss.model.coordinates import Named
from gauss.motion.record.natural import in_natural

Motion = Literal["angle", "displacement"]
Row = dict[str, Any]
MOTIONS: dict[type[Joint], tuple[Motion, ...]] = {
    Revolute: ("angle",),
    Pin: ("angle",),
    Cylindrical: ("angle", "displacement"),
    Prismatic: ("displacement",),
    Slider: ("displacement",),
    Distance: ("displacement",),
    RevoluteSpherical: ("angle",),
}


def inward(placed: Placed, vector: Vector) -> Vector:
    """Return the components of a vector in space along the axes of a body, Rᵀx; of the ground, in the plane, too."""
    return tuple(vector) if isinstance(placed, Fixed) else tuple(dot(vector, column) for column in placed.columns)


def within(placed: Placed, point: Vector) -> Vector:
    """Return the place, in the axes of a body, of a point in space: Rᵀ(p − a)."""
    return tuple(point) if isinstance(placed, Fixed) else inward(placed, minus(point, placed.origin))


def added(*rows: Row) -> Row:
    """Return the sum of rows."""
    total: Row = {}
    for row in rows:
        for name, value in row.items():
            total[name] = total[name] + value if name in total else value
    return total


def scaled(factor: Any, row: Row) -> Row:
    """Return a multiple of a row."""
    return {name: factor * value for name, value in row.items()}


def velocity_row(body: AnyBody, at: Any, other: AnyBody, there: Any, direction: Vector) -> Row:
    """Return the row of the velocity (m/s), along a direction in space, of the point `at` of a body past `there`."""
    one = {name: dot(share, direction) for name, share in body.influence(at).items()}
    two = {name: -dot(share, direction) for name, share in other.influence(there).items()}
    return added(one, two)


def motion_of(joint: Any, motion: Motion | None, what: str) -> Motion:
    """Return which motion of a joint is meant: the only one it has, or the one asked for. Raises InputError."""
    known = MOTIONS.get(type(joint))
    if isinstance(joint, str):
        raise InputError(
            f"{what} needs a joint with an angle or a displacement: give the joint itself in place of its name,"
            f" {joint!r}."
        )
    if known is None:
        kinds = ", ".join(kind.__name__ for kind in MOTIONS)
        raise InputError(f"{what} needs a joint with an angle or a displacement ({kinds}), got {described(joint)}.")
    if isinstance(joint, Distance) and joint.length is not None:
        raise InputError(f"{what}: the joint {joint.name!r} keeps its length; give it length=None to leave it free.")
    if motion is None and len(known) == 1:
        return known[0]
    if motion not in known:
        wanted = " or ".join(f'"{word}"' for word in known)
        raise InputError(f"{what}: of the {type(joint).__name__} joint {joint.name!r} give motion={wanted}.")
    return motion


def row_rate(row: Row, v: Any) -> Any:
    """Return the rate that a row gives for velocities by name."""
    return sum(value * v[name] for name, value in row.items())


def coordinate_of(joint: Any, motion: Motion, q: Any) -> str:
    """Return the coordinate that is the angle or displacement of a joint, "" where there is none."""
    return str(getattr(q, "own_motions", {}).get((id(joint), motion), ""))


def turn(joint: Any, q: Any) -> tuple[Any, Any]:
    """Return the cosine and sine of the angle of body 2, or of a massless rod, in body 1."""
    own = coordinate_of(joint, "angle", q)
    if own:
        return cos(q[own]), sin(q[own])
    if isinstance(joint, Pin):
        one, two = (body.placed(q).direction((1.0, 0.0)) for body in joint.bodies)
        return dot(one, two), one[0] * two[1] - one[1] * two[0]
    (u, w), placed = across(tuple(joint.axis1)), joint.body1.placed(q)
    if isinstance(joint, RevoluteSpherical):
        turned = times(1.0 / joint.length, joint.apart(q))
    else:
        turned = joint.body2.placed(q).direction(across(tuple(joint.axis2))[0])
    return dot(placed.direction(u), turned), dot(placed.direction(w), turned)


def displacement(joint: Any, q: Any) -> Any:
    """Return the displacement (m) of point 2 from point 1 along the axis of body 1, of a `Distance` the distance."""
    own = coordinate_of(joint, "displacement", q)
    if own:
        return q[own]
    if isinstance(joint, Distance):
        return joint.value(q)
    return dot(joint.body1.placed(q).direction(joint.axis1), joint.apart(q))


def rate_row(joint: Any, motion: Motion, q: Any) -> Row:
    """Return the row of the rate of a joint: of its angle (rad/s) or of its displacement (m/s).

    Its entries are also the generalized force of a torque of 1 N m, or a force of 1 N, of body 1 on body 2.
    """
    own = coordinate_of(joint, motion, q)
    if own:
        return {own: 1.0}
    placed = joint.body1.placed(q)
    if isinstance(joint, Distance):
        direction = times(1.0 / joint.value(q), joint.apart(q))
        return velocity_row(joint.body2, joint.point2, joint.body1, joint.point1, direction)
    if isinstance(joint, RevoluteSpherical):  # the velocity of the ball past body 1, along the circle, over its radius
        apart = joint.apart(q)
        u, w = (placed.direction(x) for x in across(tuple(joint.axis1)))
        x, y = dot(u, apart), dot(w, apart)
        along = times(1.0 / (x * x + y * y), minus(times(x, w), times(y, u)))
        there = within(placed, joint.body2.placed(q).point(joint.point2))
        return velocity_row(joint.body2, joint.point2, joint.body1, there, along)
    if motion == "angle":
        axis: Any = 1.0 if isinstance(joint, Pin) else joint.body1.placed(q).direction(joint.axis1)
        opposite = -1.0 if isinstance(joint, Pin) else times(-1.0, axis)
        return added(joint.body2.turned_by(axis, q), joint.body1.turned_by(opposite, q))
    there = within(placed, joint.body2.placed(q).point(joint.point2))
    return velocity_row(joint.body2, joint.point2, joint.body1, there, placed.direction(joint.axis1))


def measured(joint: Any, motion: Motion, q: Any) -> Any:
    """Return the displacement (m) or the angle (rad) of a joint, in (−π, π] where its turns are not counted."""
    if motion == "displacement":
        return displacement(joint, q)
    own = coordinate_of(joint, "angle", q)
    if own:
        return q[own]
    c, s = turn(joint, q)
    return atan2(s, c)


def rates_of(run: Any) -> Named:
    """Return the velocities of a run, each (N,), by coordinate name, as the `rate` of a joint and `slip` take them.

    Raises InputError for what is no run.
    """
    if not hasattr(run, "about"):
        raise InputError(f"a run of gauss.simulate is expected, got {run!r}.")
    run = in_natural(run)
    return Named(run.about.coordinates, [run[f"d_{name}"] for name in run.about.coordinates])


def answered(answer: Any) -> tuple[Any, Callable[[str], Any]]:
    """Return (coordinates by name, multipliers by row) of a Verdict or of a run. Raises InputError otherwise."""
    if hasattr(answer, "multiplier") and hasattr(answer, "state"):
        answer = answer.twin() if answer.twin is not None else answer
        return Named(answer.coordinates, [float(x) for x in answer.state.q]), answer.multiplier
    if hasattr(answer, "multipliers") and hasattr(answer, "about"):
        return answer, answer.__getitem__
    raise InputError(f"a Verdict of gauss.accelerate or a run of gauss.simulate is expected, got {answer!r}.")
