"""`Robot`: a mechanism read from a file, with the names of the file: frames, poses, motors, and what was not read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from gauss.bodies.body.body import AnyBody, Pose
from gauss.bodies.joints.spatial_joints import Joint, PlanarJoint, Prismatic, Revolute, Spherical
from gauss.bodies.mechanism import Mechanism
from gauss.bodies.tree.spanning import Tree, spanning_tree
from gauss.errors import InputError
from gauss.foundation.arrays import Array, scalar, shortened
from gauss.geometry.placed import Placed
from gauss.geometry.rotations import about, quaternion
from gauss.geometry.shapes import Shape
from gauss.geometry.vectors import across

QUATERNION = ("_qw", "_qx", "_qy", "_qz")
NAMED = 6  # elements of a file that are named in a sentence


@dataclass(frozen=True)
class Unread:
    """Something that a file says and the model has not.

    >>> from gauss import robots
    >>> print(robots.Unread("robot/joint/limit@velocity", ("elbow", "wrist"), "speeds are not bounded"))
    robot/joint/limit@velocity (elbow, wrist): speeds are not bounded
    """

    where: str  # path in the file: elements, an attribute behind @
    names: tuple[str, ...]  # of the elements
    meaning: str  # what its absence means

    def __str__(self) -> str:
        named = f" ({shortened(self.names, NAMED)})" if any(self.names) else ""
        return f"{self.where}{named}: {self.meaning}"


@dataclass(frozen=True, eq=False)
class NamedFrame:
    """A named place on a body: the origin of a link, a tool, a site.

    >>> import numpy as np
    >>> from gauss import bodies as mb, robots
    >>> plate = mb.Body("plate", mb.box(2.0, (0.4, 0.1, 0.9)))
    >>> tool = robots.NamedFrame(plate, (0.2, 0.0, 0.0), np.eye(3))
    >>> tool.placed(plate.pose((1.0, 0.0, 0.0)).q).origin
    (1.2, 0.0, 0.0)
    """

    body: AnyBody
    point: tuple[float, ...]  # (3,) m, its origin in axes of the body
    rotation: Array  # (3, 3) its axes, as columns, in those of the body

    def placed(self, q: Any) -> Placed:
        """Return where it is; `q` gives coordinates of the bodies by name."""
        placed = self.body.placed(q)
        return Placed(placed.point(self.point), tuple(placed.direction(tuple(e)) for e in self.rotation.T.tolist()))


@dataclass(frozen=True, eq=False, repr=False)
class Robot(Mechanism):
    """A mechanism that `gauss.load` read from a file.

    Its joints have the values of the file, and where all are 0 all bodies have parallel axes. What the file fixes to a
    link is part of its body, with the inertia of both. Names become identifiers: each other letter is an underscore.

    >>> import gauss as g
    >>> text = '''<robot name="pendulum"><link name="base"/><link name="bob"><inertial><origin xyz="0 0 -0.5"/>
    ... <mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    ... <joint name="hinge" type="continuous"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/></joint>
    ... </robot>'''
    >>> from pathlib import Path
    >>> _ = Path("pendulum.urdf").write_text(text)
    >>> robot = g.load("pendulum.urdf")
    >>> q, v = robot.at({"hinge": 0.3})
    >>> float(robot.joints[0].value(robot.named(q))), robot.motors, robot.controls
    (0.3, ('hinge',), ('hinge_motor',))
    """

    frames: Mapping[str, NamedFrame] = field(default_factory=dict)  # by name in the file
    poses: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # values of joints; left out, 0
    motors: tuple[str, ...] = ()  # joints that have a motor
    unread: tuple[Unread, ...] = ()
    shapes: Mapping[str, tuple[Shape, ...]] = field(default_factory=dict)  # that are drawn, by body, in its axes
    collisions: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)  # that touch, by link; "" is the ground
    source: str = ""  # the file
    spanning: tuple[str, ...] = ()  # joints of the file's tree, each behind that of its body 1; the others close loops

    def at(
        self, values: str | Mapping[str, float] = "home", rates: Mapping[str, float] | None = None
    ) -> tuple[Array, Array]:
        """Return (q, v), each (n,), from values of joints by name, or the name of one of `poses`.

        A ball joint has the values `{joint}_qw` … `_qz` of a unit quaternion, a body that hangs on nothing
        `{body}_x` … `_z` and `{body}_qw` … `_qz`, a planar joint `{joint}_displacement1`, `_displacement2`, `_angle`;
        `rates` are theirs. What is not given is 0 (the quaternion that of no turn). Loops are not asked:
        `gauss.consistent` closes small gaps, `gauss.bodies.assemble` large ones. Raises InputError.
        """
        if isinstance(values, str):
            if values not in self.poses:
                raise InputError(f"{self.name!r} has no pose {values!r}; it has {', '.join(self.poses) or 'none'}.")
            values = self.poses[values]
        values, rates = dict(values), dict(rates or {})
        poses = self.poses_of(values, rates)
        if self.coordinates == "natural":
            return self.state(*poses)
        for _, step in self.tree.balls:
            p = np.array(_taken(step.names[0].removesuffix(QUATERNION[0]), values))
            size = float(np.linalg.norm(p))
            values |= dict(zip(step.names, (p / size).tolist(), strict=True))
            rates |= {name: rates[name] / size for name in step.names if name in rates}
        return self.state(values=values, rates=rates)

    def poses_of(self, values: Mapping[str, float], rates: Mapping[str, float] | None = None) -> list[Pose]:
        """Return the poses of all bodies from values of joints by name, as `at` takes them. Raises InputError.

        >>> from gauss import bodies as mb, robots
        >>> bar = mb.Body("bar", mb.box(1.0, (0.6, 0.1, 0.1), at=(0.3, 0, 0)))
        >>> rail = mb.Prismatic("rail", mb.GROUND, (0, 0, 0), bar, (0, 0, 0), axis1=(1, 0, 0))
        >>> robot = robots.Robot("cart", [bar], [rail], spanning=("rail",))
        >>> robot.poses_of({"rail": 0.5})[0].q["bar_x"]
        0.5
        """
        given, moving = dict(values), dict(rates or {})
        found: dict[str, _Moving] = {}
        own = set(self.spanning)
        holding = {x.body2.name: x for x in self.joints if isinstance(x, Joint) and x.name in own}
        for body in self.bodies:
            joint = holding.get(body.name)
            if joint is None:
                place, spin = _taken(body.name, given), _taken(body.name, moving, 0.0)
                shifts = [[float(x.pop(f"{body.name}_{axis}", 0.0)) for axis in "xyz"] for x in (given, moving)]
                R, omega = _turned(place, spin, f"the body {body.name!r}")
                found[body.name] = _Moving(np.array(shifts[0]), R, np.array(shifts[1]), R @ omega)
            else:
                carrier = found.get(joint.body1.name, _Moving.still())
                found[body.name] = _moved(joint, carrier, given, moving)
        if given or moving:
            known = [*self.spanning, *(body.name for body in self.bodies if body.name not in holding)]
            raise InputError(f"{self.name!r} has no joint {', '.join(given | moving)}; it has {shortened(known)}.")
        return [found[body.name].pose(body) for body in self.bodies]

    def write(self, path: str | Path, found: Any = None) -> tuple[str, ...]:
        """Write the MJCF that it was read from with the doctor's remedies, and return the changes.

        See `gauss.robots.write`. Raises InputError and FileError.
        """
        return import_module("gauss.robots.writing").write(self, path, found)  # type: ignore[no-any-return]

    @cached_property
    def tree(self) -> Tree:
        """The tree of the file."""
        return spanning_tree(self.bodies, self.joints, self.spanning)


@dataclass(frozen=True, eq=False)
class _Moving:
    """Where a body is and how it moves, in axes of space."""

    origin: Array  # (3,) m
    R: Array  # (3, 3)
    velocity: Array  # (3,) m/s, of the origin
    omega: Array  # (3,) rad/s

    @staticmethod
    def still() -> _Moving:
        """Return that of the ground."""
        return _Moving(np.zeros(3), np.eye(3), np.zeros(3), np.zeros(3))

    def pose(self, body: Any) -> Pose:
        """Return it as the pose of a body."""
        return body.pose(self.origin, self.R, self.velocity, self.omega, axes="space")  # type: ignore[no-any-return]


def _taken(name: str, given: dict[str, float], real: float = 1.0) -> list[float]:
    """Take the four components of a quaternion out of values by name."""
    return [float(given.pop(f"{name}{part}", real if k == 0 else 0.0)) for k, part in enumerate(QUATERNION)]


def _turned(place: list[float], rate: list[float], what: str) -> tuple[Array, Array]:
    """Return the rotation matrix of a quaternion p and the angular velocity 2 p*ṗ (rad/s) in axes of the body."""
    p, dp = np.array(place), np.array(rate)
    size = float(np.linalg.norm(p))
    if size == 0.0:
        raise InputError(f"the quaternion of {what} is zero, which is no rotation.")
    p, dp = p / size, dp / size
    spin = 2.0 * (p[0] * dp[1:] - dp[0] * p[1:] - np.cross(p[1:], dp[1:]))
    return quaternion(*p.tolist()), spin


def _moved(joint: Joint, carrier: _Moving, given: dict[str, float], moving: dict[str, float]) -> _Moving:
    """Return the motion of body 2 of a joint from that of body 1, and take the values of the joint out of both."""

    def number(suffix: str = "") -> tuple[float, float]:
        pair = (source.pop(joint.name + suffix, 0.0) for source in (given, moving))
        value, rate = (scalar(x, f"the value of {joint.name + suffix!r}") for x in pair)
        return value, rate

    one, two = np.array(joint.point1), np.array(joint.point2)
    relative, spin, slid, sliding = np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3)  # in axes of body 1
    if isinstance(joint, Revolute):
        angle, rate = number()
        relative, spin = about(joint.axis1, angle), rate * np.array(joint.axis1)
    elif isinstance(joint, Prismatic):
        shift, rate = number()
        slid, sliding = shift * np.array(joint.axis1), rate * np.array(joint.axis1)
    elif isinstance(joint, Spherical):
        relative, inner = _turned(_taken(joint.name, given), _taken(joint.name, moving, 0.0), f"{joint.name!r}")
        spin = relative @ inner
    elif isinstance(joint, PlanarJoint):
        (x, dx), (y, dy), (angle, rate) = (number(part) for part in ("_displacement1", "_displacement2", "_angle"))
        u, w = (np.array(e, dtype=float) for e in across(tuple(joint.axis1)))
        relative, spin = about(joint.axis1, angle), rate * np.array(joint.axis1)
        slid, sliding = x * u + y * w, dx * u + dy * w
    R = carrier.R @ relative
    omega = carrier.omega + carrier.R @ spin
    arm, back = carrier.R @ (one + slid), R @ two
    velocity = carrier.velocity + np.cross(carrier.omega, arm) + carrier.R @ sliding - np.cross(omega, back)
    return _Moving(carrier.origin + arm - back, R, velocity, omega)
