"""Witnesses for robots from files: poses of bodies from values of joints, joint by joint along the file's tree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gauss import bodies as mb
from gauss.bodies import about, quaternion
from gauss.geometry import across

QUATERNION = ("_qw", "_qx", "_qy", "_qz")


def poses_of(robot, values, rates=None):
    """The poses of all bodies, with their velocities."""
    given, moving = dict(values), dict(rates or {})
    found, own = {}, set(robot.spanning)
    holding = {x.body2.name: x for x in robot.joints if x.name in own}
    for body in robot.bodies:
        joint = holding.get(body.name)
        if joint is None:
            shifts = [[float(x.get(f"{body.name}_{axis}", 0.0)) for axis in "xyz"] for x in (given, moving)]
            R, omega = turned(taken(body.name, given), taken(body.name, moving, 0.0))
            found[body.name] = Moving(np.array(shifts[0]), R, np.array(shifts[1]), R @ omega)
        else:
            still = Moving(np.zeros(3), np.eye(3), np.zeros(3), np.zeros(3))
            found[body.name] = moved(joint, found.get(joint.body1.name, still), given, moving)
    return [found[body.name].pose(body) for body in robot.bodies]


@dataclass(frozen=True, eq=False)
class Moving:
    """Where a body is and how it moves, in axes of space."""

    origin: np.ndarray  # (3,) m
    R: np.ndarray  # (3, 3)
    velocity: np.ndarray  # (3,) m/s, of the origin
    omega: np.ndarray  # (3,) rad/s

    def pose(self, body):
        """Return it as the pose of a body."""
        return body.pose(self.origin, self.R, self.velocity, self.omega, axes="space")


def taken(name, given, real=1.0):
    """Take the four components of a quaternion out of values by name."""
    return [float(given.get(f"{name}{part}", real if k == 0 else 0.0)) for k, part in enumerate(QUATERNION)]


def turned(place, rate):
    """Return the rotation matrix of a quaternion p and the angular velocity 2 p*ṗ (rad/s) in axes of the body."""
    p, dp = np.array(place), np.array(rate)
    size = float(np.linalg.norm(p))
    p, dp = p / size, dp / size
    spin = 2.0 * (p[0] * dp[1:] - dp[0] * p[1:] - np.cross(p[1:], dp[1:]))
    return quaternion(*p.tolist()), spin


def moved(joint, carrier, given, moving):
    """Return the motion of body 2 of a joint from that of body 1, and take the values of the joint out of both."""

    def number(suffix=""):
        return (float(source.get(joint.name + suffix, 0.0)) for source in (given, moving))

    one, two = np.array(joint.point1), np.array(joint.point2)
    relative, spin, slid, sliding = np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3)  # in axes of body 1
    if isinstance(joint, mb.Revolute):
        angle, rate = number()
        relative, spin = about(joint.axis1, angle), rate * np.array(joint.axis1)
    elif isinstance(joint, mb.Prismatic):
        shift, rate = number()
        slid, sliding = shift * np.array(joint.axis1), rate * np.array(joint.axis1)
    elif isinstance(joint, mb.Spherical):
        relative, inner = turned(taken(joint.name, given), taken(joint.name, moving, 0.0))
        spin = relative @ inner
    elif isinstance(joint, mb.PlanarJoint):
        (x, dx), (y, dy), (angle, rate) = (number(part) for part in ("_displacement1", "_displacement2", "_angle"))
        u, w = (np.array(e, dtype=float) for e in across(tuple(joint.axis1)))
        relative, spin = about(joint.axis1, angle), rate * np.array(joint.axis1)
        slid, sliding = x * u + y * w, dx * u + dy * w
    R = carrier.R @ relative
    omega = carrier.omega + carrier.R @ spin
    arm, back = carrier.R @ (one + slid), R @ two
    velocity = carrier.velocity + np.cross(carrier.omega, arm) + carrier.R @ sliding - np.cross(omega, back)
    return Moving(carrier.origin + arm - back, R, velocity, omega)
