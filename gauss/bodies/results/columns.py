"""What a mechanism adds to the table of its motion: poses of bodies, values and rates of joints, forces in them.

With the columns R_k of a body's rotation matrix, Ṙ Rᵀ = [ω] and R̈ Rᵀ + Ṙ Ṙᵀ = [α] in axes of space.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
import scipy

from gauss.bodies.body.body import Body
from gauss.bodies.body.rods_and_particles import Particle, PlanarBody, Rod
from gauss.bodies.forces.forces import Force, PointForce
from gauss.bodies.joints.drivers import Armature
from gauss.bodies.joints.joint import Joint, Link
from gauss.bodies.joints.planar_joints import Pin, Slider
from gauss.bodies.joints.spatial_joints import (
    Cylindrical,
    Distance,
    PlanarJoint,
    Prismatic,
    Revolute,
    RevoluteSpherical,
    Universal,
    moves,
)
from gauss.bodies.results.wrenches import applied_along, dimension_of, wrenches_along
from gauss.foundation.arrays import Array
from gauss.geometry.placed import Placed
from gauss.model.coordinates import Named
from gauss.motion.record.columns import Column, Later

VALUES: dict[type, tuple[str, ...]] = {  # what the `value` of a joint is
    Revolute: ("angle",),
    Pin: ("angle",),
    Prismatic: ("displacement",),
    Slider: ("displacement",),
    Distance: ("displacement",),
    RevoluteSpherical: ("angle",),
    Cylindrical: ("angle", "displacement"),
    Universal: ("angle 1", "angle 2"),
    PlanarJoint: ("displacement 1", "displacement 2", "angle"),
}

Wrench = tuple[Array, Array]  # force (N, d) and torque (N, 3), in the plane (N,)
ALONG = {"angle": ("torque",), "displacement": ("force",)}  # what drives of a motion give


def columns_of(
    bodies: Sequence[Any], joints: Sequence[Link], forces: Sequence[Force], run: Any
) -> Iterator[tuple[str, Column | Later]]:
    """Yield the columns of a run by name: "crank.position", "hinge.angle", "d_hinge.angle", "hinge.force", …

    Those of joints, and of motors and other forces, "motor.torque", "load.force", are computed when they are asked for.
    Angles are continuous along the run, quaternions (w, x, y, z) too. Forces and torques are those on body 2 of a joint
    at its point 2, in axes of space; nan where the state of motion does not determine them.
    """
    names = run.about.coordinates
    moved = [Named(names, list(table.T)) for table in (run.q, run.v, run.a)]
    for body in bodies:
        yield from _of_body(body, [body.placed(values) for values in moved])
    for joint in joints:
        for kind, known in VALUES.items():
            if isinstance(joint, kind) and moves(joint):
                yield from _of_joint(joint, known, moved)
    if len(run):
        yield from _forces([joint for joint in joints if isinstance(joint, Joint) and joint.constraints()], run)
    taken = {part.name for part in (*bodies, *joints)}
    names = [force.name for force in forces]
    free = len(run) > 0 and run.setting.system.model.seen is None  # else forces see multipliers
    numbers = cache(lambda: _numbers(run))
    for force in forces if free else ():
        if force.name in taken or names.count(force.name) > 1 or isinstance(force, Armature):
            continue
        point = ("force",) if isinstance(force, PointForce) else ("force", "torque")
        found = cache(partial(_applied, run, force, numbers))
        d = dimension_of(force.bodies)
        for word in ALONG.get(getattr(force, "motion", None) or "", point):
            axes = ("axis",) if word == "force" else ("component",) * (d == 3)
            unit, part = ("N", 0) if word == "force" else ("N m", 1)
            values = partial(_part, found, part)
            yield f"{force.name}.{word}", Later(values, (d,) * len(axes), unit, f"{word} of {force.name!r}", axes)


def _of_body(body: Body | Rod | Particle | PlanarBody, moved: Sequence[Placed]) -> Iterator[tuple[str, Column]]:
    """Yield the pose of a body and how it changes, from how it is placed by q, by v and by a."""
    for word, unit, placed in zip(("position", "velocity", "acceleration"), ("m", "m/s", "m/s²"), moved, strict=True):
        values = np.stack([np.asarray(x, dtype=float) for x in placed.origin], axis=1)
        yield f"{body.name}.{word}", Column(values, unit, f"{word} of the origin of {body.name!r}", ("axis",))
    if not isinstance(body, Body | PlanarBody):
        return
    R, R_dot, R_ddot = (np.stack([np.stack(column, axis=1) for column in placed.columns], axis=2) for placed in moved)
    spin = np.einsum("nij,nkj->nik", R_dot, R)
    change = np.einsum("nij,nkj->nik", R_ddot, R) + np.einsum("nij,nkj->nik", R_dot, R_dot)
    words = f"angular velocity of {body.name!r}", f"angular acceleration of {body.name!r}"
    if isinstance(body, PlanarBody):
        angle = np.unwrap(np.arctan2(R[:, 1, 0], R[:, 0, 0]))
        yield f"{body.name}.angle", Column(angle, "rad", f"angle of {body.name!r}")
        yield f"{body.name}.angular_velocity", Column(spin[:, 1, 0], "rad/s", words[0])
        yield f"{body.name}.angular_acceleration", Column(change[:, 1, 0], "rad/s²", words[1])
        return
    yield f"{body.name}.rotation", Column(R, "", f"rotation matrix of {body.name!r}", ("axis", "column"))
    yield f"{body.name}.quaternion", Column(_quaternions(R), "", f"unit quaternion of {body.name!r}", ("part",))
    for word, table, unit, text in (
        ("angular_velocity", spin, "rad/s", words[0]),
        ("angular_acceleration", change, "rad/s²", words[1]),
    ):
        yield f"{body.name}.{word}", Column(_axial(table), unit, f"{text}, axes of space", ("axis",))


def _axial(table: Array) -> Array:
    """Return the vectors (N, 3) of skew-symmetric matrices (N, 3, 3)."""
    halves = (table - np.swapaxes(table, 1, 2)) / 2.0
    return np.stack([halves[:, 2, 1], halves[:, 0, 2], halves[:, 1, 0]], axis=1)


def _quaternions(R: Array) -> Array:
    """Return the quaternions (N, 4) of rotation matrices, each nearest to the one before; the first has w ≥ 0."""
    if not len(R):
        return np.zeros((0, 4))
    found = np.asarray(scipy.spatial.transform.Rotation.from_matrix(R).as_quat(canonical=True, scalar_first=True))
    turns = np.sign(np.sum(found[1:] * found[:-1], axis=1))
    found[1:] *= np.cumprod(np.where(turns < 0.0, -1.0, 1.0))[:, None]
    return found


def _of_joint(joint: Any, known: tuple[str, ...], moved: Sequence[Named]) -> Iterator[tuple[str, Column]]:
    """Yield the values of a joint and their rates."""
    q, v, _ = moved
    values, rates = joint.value(q), joint.rate(q, v)
    pairs = [(values, rates)] if len(known) == 1 else zip(values, rates, strict=True)
    for word, (value, rate) in zip(known, pairs, strict=True):
        turns = word.startswith("angle")
        given = np.asarray(value, dtype=float)
        unit = "rad" if turns else "m"
        yield f"{joint.name}.{word}", Column(np.unwrap(given) if turns else given, unit, f"{word} of {joint.name!r}")
        yield f"d_{joint.name}.{word}", Column(np.asarray(rate, dtype=float), f"{unit}/s", f"rate of that {word}")


def _forces(joints: Sequence[Joint], run: Any) -> Iterator[tuple[str, Later]]:
    """Yield the forces and the torques in joints, which are computed together where one of them is asked for."""
    doubtful = bool(run.about.redundant) or run.stepping is not None
    found = cache(lambda: wrenches_along(run, joints, doubtful))
    note = " (nan: not determined)" if doubtful else ""
    for joint in joints:
        d = dimension_of(joint.bodies)
        axes = ("component",) * (d == 3)
        words = f"force in {joint.name!r} on {joint.body2.name!r}", f"torque in {joint.name!r} about its point 2"
        values = [partial(_part, partial(_of, found, joint.name), k) for k in range(2)]
        yield f"{joint.name}.force", Later(values[0], (d,), "N", words[0] + note, ("axis",))
        yield f"{joint.name}.torque", Later(values[1], (d,) * len(axes), "N m", words[1] + note, axes)


def _of(found: Callable[[], dict[str, Wrench]], name: str) -> Wrench:
    return found()[name]


def _part(found: Callable[[], Wrench], part: int) -> Array:
    """Return the force (0) or the torque (1) of both."""
    return found()[part]


def _applied(run: Any, force: Force, numbers: Callable[[], Array]) -> Wrench:
    return applied_along(run, force, numbers())


def _numbers(run: Any) -> Array:
    """Return parameters and controls (N, p) behind the states of a run."""
    setting = run.setting
    if setting.control is None:
        return np.tile(setting.theta, (len(run), 1))
    return np.array([setting.parameters_at(*state) for state in zip(run.t.tolist(), run.q, run.v, strict=True)])
