"""`Robot`: a mechanism read from a file, with the names of the file: frames, poses, motors, and what was not read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from gauss.bodies.body.body import AnyBody
from gauss.bodies.mechanism import Mechanism
from gauss.bodies.tree.followers import followed
from gauss.bodies.tree.spanning import Tree, spanning_tree
from gauss.bodies.tree.states import chosen
from gauss.errors import InputError
from gauss.foundation.arrays import Array, shortened
from gauss.geometry.outline import Outline
from gauss.geometry.placed import Placed
from gauss.geometry.shapes import Shape

BESIDE = "loops beside it in"  # before the name of a file of loops that was not read
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


class NamedFrames(dict[str, NamedFrame]):
    """Frames by name. Raises InputError, which lists the names, for one that is not there."""

    def __missing__(self, name: str) -> NamedFrame:
        raise InputError(f"there is no frame {name!r}; known: {', '.join(self) or 'none'}.")


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

    frames: Mapping[str, NamedFrame] = field(default_factory=NamedFrames)  # by name in the file
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
        `rates` are theirs. Joints that are not given are as in "home", those that follow others (mimic) where these put
        them; rates that are not given are 0 likewise. Loops are not asked: `gauss.consistent` closes small gaps,
        `gauss.bodies.assemble` large ones. Raises InputError.
        """
        home = dict(self.poses.get("home", {}))
        if isinstance(values, str):
            if values not in self.poses:
                raise InputError(f"{self.name!r} has no pose {values!r}; it has {', '.join(self.poses) or 'none'}.")
            values, home = self.poses[values], {}
        known = self.tree.coordinates
        unknown = [name for name in (*values, *(rates or {})) if name not in known]
        if unknown:
            raise InputError(f"{self.name!r} has no joint {', '.join(unknown)}; it has {shortened(known)}.")
        q, v = chosen(self.tree, {**home, **values}, rates or {})
        q, v = followed(self.tree, q, v, values, rates or {})
        return self.state(values=q, rates=v)

    def write(self, path: str | Path, found: Any = None) -> tuple[str, ...]:
        """Write the MJCF that it was read from with the doctor's remedies, and return the changes.

        See `gauss.robots.write`. Raises InputError and FileError.
        """
        return import_module("gauss.robots.writing").write(self, path, found)  # type: ignore[no-any-return]

    @cached_property
    def tree(self) -> Tree:
        """The tree of the file."""
        return spanning_tree(self.bodies, self.joints, self.spanning)


class MovedShape:
    """A shape of a link in axes of its body."""

    def __init__(self, shape: Shape, point: tuple[float, ...], turn: Array):
        self.shape, self.point, self.turn = shape, np.array(point), turn

    def outline(self, dimension: int) -> Outline:
        """Return the outline of the shape, moved."""
        found = self.shape.outline(dimension)

        def moved(points: Array) -> Array:
            return np.asarray(np.asarray(points) @ self.turn.T + self.point)

        return replace(
            found,
            faces=tuple(moved(face) for face in found.faces),
            lines=tuple(moved(line) for line in found.lines),
            points=moved(found.points) if len(found.points) else found.points,
        )
