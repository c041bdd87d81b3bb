"""Contact points by collision detection: pairs of shapes whose nearest points, normals and patches coal finds.

coal (the library of collision detection that comes with Pinocchio) knows boxes, balls, capsules, cylinders, cones,
half-spaces, convex hulls and meshes. Where faces meet it returns the corners of the patch, so that a foot has as many
contact points as its sole has corners; a disc has a polygon within its rim. A mesh touches a plane where its convex
hull does. Boxes and cylinders are larger than given by 1e-10 of their half sides, and normals between two faces are
right to about 2e-5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gauss.bodies.body.body import GROUND, require_name
from gauss.bodies.touching.contact_points import ContactPoint
from gauss.bodies.touching.posed import placed_at
from gauss.errors import InputError
from gauss.foundation.arrays import Array, matrix, not_negative, shortened, vector
from gauss.geometry.contact_solids import Ball, Box
from gauss.geometry.meshes import Mesh
from gauss.geometry.rotations import rotation
from gauss.geometry.shapes import Capsule, Cylinder, Ellipsoid
from gauss.geometry.surfaces import PlaneSurface
from gauss.geometry.vectors import across, direction_of
from gauss.model import warn_of_friction
from gauss.robots.extra import extra
from gauss.robots.reading.meshes import MeshFile
from gauss.robots.robot import Robot

MOST = 16  # contacts of two meshes
SAME = 1e-9  # m, points nearer than this are one


@dataclass(frozen=True, eq=False)
class CollisionPair:
    """Two bodies in space and a shape of each, as `gauss.bodies.contacts_at` and `gauss.bodies.stance` take them.

    A shape is a geometry of coal with its centre in the origin of the body, or (geometry, point, rotation matrix); a
    `Ball`, a `Box`, a `PlaneSurface`, a `Cylinder`, `Capsule`, `Ellipsoid` or `Mesh` of `gauss.bodies.shapes`; or a
    shape of `Robot.shapes` or `Robot.collisions`, of which `ground_pairs` makes pairs. Needs coal
    (``pip install gauss-dynamics[robots]``). Raises InputError.

    >>> from gauss import bodies as mb, robots
    >>> body = mb.Body("block", mb.box(2.0, (0.4, 0.3, 0.2)))
    >>> world = mb.Mechanism("block", [body])
    >>> shapes = body, mb.Box((0.4, 0.3, 0.2)), mb.GROUND, mb.PlaneSurface()
    >>> sole = robots.CollisionPair("sole", *shapes, friction=0.5)  # doctest: +SKIP
    >>> len(mb.contacts_at(world, world.state(body.pose((0, 0, 0.1)))[0], sole))  # doctest: +SKIP
    4
    """

    name: str
    body1: Any
    shape1: Any
    body2: Any
    shape2: Any
    friction: float = 0.0

    def __post_init__(self) -> None:
        require_name(self.name, "a collision pair")
        for body in self.bodies:
            if body.dimension == 2:
                raise InputError(f"coal finds contacts in space, but {body.name!r} is in the plane; give a Touching.")
        object.__setattr__(self, "friction", not_negative(self.friction, f"the friction of {self.name!r}"))
        warn_of_friction(self.friction, f"the friction of {self.name!r}")
        found = [geometry_of(shape, f"the pair {self.name!r}") for shape in (self.shape1, self.shape2)]
        coal, flat = _coal(), any(isinstance(geometry, _coal().Halfspace) for geometry, _, _ in found)
        for k, (geometry, point, R) in enumerate(found):
            if isinstance(geometry, coal.BVHModelBase):
                if not flat:
                    raise InputError(
                        f"a mesh touches a plane alone, with its convex hull; give {self.name!r} hulls of its parts"
                        " (coal.Convex.convexHull)."
                    )
                geometry.buildConvexHull(True, "Qt")
                found[k] = geometry.convex, point, R
        object.__setattr__(self, "_geometries", found)

    @property
    def bodies(self) -> tuple[Any, Any]:
        """The two bodies."""
        return self.body1, self.body2

    def _placed(self, place: Any) -> list[Any]:
        """Return the arguments of a query: each geometry with its transform."""
        coal, found = _coal(), []
        geometries: list[tuple[Any, Array, Array]] = self._geometries  # type: ignore[attr-defined]
        for body, (geometry, point, R) in zip(self.bodies, geometries, strict=True):
            placed = placed_at(body, {"q": place})
            columns = [placed.direction(tuple(column)) for column in R.T.tolist()]
            origin = np.array(placed.point(tuple(point.tolist())), dtype=float)
            found += [geometry, coal.Transform3s(np.array(columns, dtype=float).T, origin)]
        return found

    def distance(self, place: Any) -> tuple[float, Array, Array]:
        """Return the distance (m) of the shapes, below zero where they overlap, and a nearest point of each (3,).

        `place` has coordinates by name, as `mechanism.named(q)`.
        """
        coal = _coal()
        result = coal.DistanceResult()
        distance = coal.distance(*self._placed(place), coal.DistanceRequest(), result)
        return float(distance), np.array(result.getNearestPoint1()), np.array(result.getNearestPoint2())

    def points_near(self, place: Any, near: float) -> list[ContactPoint]:
        """Return the points of contact: those of each patch where the shapes are at most `near` (m) apart."""
        coal, given = _coal(), self._placed(place)
        request, result = coal.CollisionRequest(), coal.CollisionResult()
        request.num_max_contacts, request.security_margin, request.enable_contact = MOST, near, True
        coal.collide(*given, request, result)
        contacts = [(c.pos, c.normal, c.penetration_depth) for c in result.getContacts()]
        if len(contacts) == 1:
            patches, asked = coal.ContactPatchResult(), coal.ContactPatchRequest()
            asked.setPatchTolerance(near)  # its own is 1 mm, within which a sole that is tilted would lie flat
            coal.computeContactPatch(*given, result, asked, patches)
            found = [patches.getContactPatch(k) for k in range(patches.numContactPatches())]
            ends = [(x.getPoint(i), x.getNormal(), x.penetration_depth) for x in found for i in range(x.size())]
            contacts = ends or contacts
        kept: list[tuple[Array, Array, float]] = []
        for point, normal, gap in contacts:
            if all(float(np.linalg.norm(point - other[0])) > SAME for other in kept):
                kept.append((np.array(point), np.array(normal), float(gap)))
        names = [self.name] if len(kept) == 1 else [f"{self.name}[{k}]" for k in range(len(kept))]
        return [
            ContactPoint(
                name, self.body1, self.body2, tuple(point.tolist()), tuple((-normal).tolist()), gap, self.friction
            )
            for name, (point, normal, gap) in zip(names, kept, strict=True)
        ]


def _coal() -> Any:
    return extra("coal", "coal", "collision detection")


def _triangles(mesh: Mesh) -> Any:
    """Return a mesh as coal has it."""
    coal, made = _coal(), _coal().BVHModelOBBRSS()
    points, faces = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    for point in mesh.vertices:
        points.append(point)
    for a, b, c in mesh.triangles.tolist():
        faces.append(coal.Triangle(a, b, c))
    made.beginModel(len(mesh.triangles), len(mesh.vertices))
    made.addSubModel(points, faces)
    made.endModel()
    return made


def ground_pairs(
    robot: Robot, links: str | Sequence[str] | None = None, friction: float = 0.0, ground: Any = None
) -> list[CollisionPair]:
    """Return the pairs of collision shapes of a robot's links (all that are read, or those named) with the ground.

    They are named as their links, those of a link with several by their number too. `ground` is a plane at z = 0 (or
    those shapes that the file has of the ground) if left out. `gauss.bodies.stance` and `gauss.bodies.contacts_at` take
    them. Raises InputError for links without such shapes.

    >>> import gauss as g
    >>> from gauss import robots
    >>> text = '''<robot name="ball"><link name="ball"><inertial><mass value="2"/>
    ... <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
    ... <collision><geometry><sphere radius="0.2"/></geometry></collision></link></robot>'''
    >>> from pathlib import Path
    >>> _ = Path("ball.urdf").write_text(text)
    >>> robot = g.load("ball.urdf", base="free")
    >>> pair = robots.ground_pairs(robot, friction=0.5)[0]  # doctest: +SKIP
    >>> round(pair.distance(robot.named(robot.at({"ball_z": 0.5})[0]))[0], 9)  # doctest: +SKIP
    0.3
    """
    own = {name: shapes for name, shapes in robot.collisions.items() if name}
    wanted = tuple(own) if links is None else (links,) if isinstance(links, str) else tuple(links)
    missing = [name for name in wanted if name not in own]
    if missing or not wanted:
        raise InputError(
            f"{robot.name!r} has no collision shapes on {missing[0] if missing else 'any link'!r}; it has them on"
            f" {shortened(tuple(own)) or 'none'}."
        )
    grounds = robot.collisions.get("", (PlaneSurface(),)) if ground is None else (ground,)
    found = []
    for name in wanted:
        body = robot.frames[name].body
        if body is GROUND:
            continue
        each = [(shape, below) for shape in own[name] for below in grounds]
        for k, (shape, below) in enumerate(each):
            word = name if len(each) == 1 else f"{name}[{k}]"
            found.append(CollisionPair(word, body, shape, GROUND, below, friction))
    return found


def geometry_of(shape: Any, what: str) -> tuple[Any, Array, Array]:
    """Return a geometry of coal, its place (3,) and its axes (3, 3) in the body. Raises InputError, naming `what`."""
    coal, zero, eye = _coal(), np.zeros(3), np.eye(3)
    if isinstance(shape, coal.CollisionGeometry):
        return shape, zero, eye
    if isinstance(shape, tuple) and len(shape) == 3:
        inner, point, R = geometry_of(shape[0], what)
        at, turn = vector(shape[1], 3, f"the place of a shape of {what}"), matrix(shape[2], (3, 3), "its rotation")
        return inner, at + turn @ point, turn @ R
    if hasattr(shape, "shape") and hasattr(shape, "turn"):  # of `Robot.shapes`
        return geometry_of((shape.shape, shape.point, shape.turn), what)
    if isinstance(shape, Ball):
        return coal.Sphere(shape.radius), np.array(shape.centre), eye
    if isinstance(shape, Box) and shape.dimension == 3:
        return coal.Box(*shape.sides), np.array(shape.centre), np.array(shape.axes).T
    if isinstance(shape, Cylinder):
        at = np.array(shape.at) if np.size(shape.at) else zero
        e = direction_of(shape.axis, 3, "the axis of a cylinder")
        return coal.Cylinder(shape.radius, shape.length), at, np.array([*across(e), e]).T
    if isinstance(shape, Capsule):
        _, at, R = geometry_of(Cylinder(shape.radius, shape.length, shape.axis, shape.at), what)
        return coal.Capsule(shape.radius, shape.length), at, R
    if isinstance(shape, Ellipsoid):
        at = np.array(shape.at) if np.size(shape.at) else zero
        R = eye if shape.axes is None else rotation(shape.axes, "the axes of an ellipsoid")
        return coal.Ellipsoid(*shape.semiaxes), at, R
    if isinstance(shape, MeshFile | Mesh):
        return _triangles(shape.mesh if isinstance(shape, MeshFile) else shape), zero, eye
    if isinstance(shape, PlaneSurface):
        normal = np.array(shape.normal)
        return coal.Halfspace(normal, float(normal @ np.array(shape.through))), zero, eye
    raise InputError(
        f"{what} needs a geometry of coal, a Ball, a Box in space, a Cylinder, a Capsule, an Ellipsoid, a Mesh or a"
        f" PlaneSurface for each body, got"
        f" {shape!r}."
    )
