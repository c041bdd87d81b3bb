"""`Drawing`: how the bodies of a mechanism, or the points of any system, are drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy

from gauss.bodies.body.body import GROUND, AnyBody, Body, require_body
from gauss.bodies.body.rods_and_particles import Particle, PlanarBody, Rod
from gauss.bodies.joints.planar_joints import Slider
from gauss.bodies.joints.rolling import RollingBall, RollingDisc, RollingEllipsoid, RollingTorus
from gauss.bodies.mechanism import Mechanism, Part
from gauss.errors import InputError
from gauss.foundation.arrays import positive
from gauss.foundation.portable import Portable
from gauss.geometry import shapes
from gauss.geometry.placed import Placed
from gauss.geometry.shapes import Shape
from gauss.geometry.vectors import Vector, direction_of, numbers

Curve = Callable[[Any], Any]  # coordinates by name, as numbers or arrays over a run, to a point or a list of points
HIDING = 2.0  # times the distances between the joints of a body: a longer box hides its neighbours
ROUND = (RollingBall, RollingDisc, RollingTorus, RollingEllipsoid)


@dataclass(frozen=True, eq=False)
class Drawing(Portable):
    """How a mechanism is drawn; `Drawing(mechanism)` is enough.

    `shapes` gives bodies (and `GROUND`) a shape or several in place of those made from their inertia and joints; an
    empty list hides a body. `traces` are paths to draw, each (body, point in body axes) or a function of the
    coordinates by name (``q.x`` or ``q["x"]``) that returns a point. `lines` are functions of the coordinates by name
    that return two or more points to join, `strings` likewise, drawn thin, and `placed` are (shape or several, function
    of the coordinates by name that returns a `Placed`); with them a system that is not made of bodies is drawn, and
    `mechanism` is left out.
    `planes` are (point, normal) of planes at rest. `follow` is a body to keep in the middle, or a function of the
    coordinates by name that returns a point. `view` are elevation and azimuth (degrees) in space about `up`, which
    points upwards in the picture; `speed` is how many seconds of the motion one second shows; `axes` are the names of
    the two axes in the plane; `note` is a line for the corner of a film. Raises InputError.
    """

    mechanism: Mechanism | None = None
    shapes: Mapping[Any, Shape | Sequence[Shape]] = field(default_factory=dict)
    traces: Sequence[Any] = ()
    lines: Sequence[Curve] = ()
    placed: Sequence[tuple[Any, Callable[[Any], Placed]]] = ()
    planes: Sequence[tuple[Sequence[float], Sequence[float]]] = ()
    follow: AnyBody | Curve | None = None
    view: tuple[float, float] = (22.0, -60.0)
    up: Sequence[float] = (0.0, 0.0, 1.0)
    speed: float = 1.0
    strings: Sequence[Curve] = ()
    axes: Sequence[str] = ()
    note: str = ""

    def __post_init__(self) -> None:
        if self.mechanism is not None and not isinstance(self.mechanism, Mechanism):
            raise InputError(f"a drawing is of a Mechanism, got {self.mechanism!r}.")
        for word in ("traces", "lines", "placed", "planes", "strings", "axes"):
            given = getattr(self, word)
            if not isinstance(given, Iterable):
                raise InputError(f"the {word} of a drawing must be a list, got {given!r}.")
            object.__setattr__(self, word, tuple(given))
        if self.mechanism is None and not (self.lines or self.traces or self.placed):
            raise InputError(
                "a drawing needs a mechanism, or lines: functions of the coordinates that return points, or placed"
                " shapes."
            )
        object.__setattr__(self, "shapes", {body: self._checked(body, given) for body, given in self.shapes.items()})
        object.__setattr__(self, "traces", tuple(self._curve(trace) for trace in self.traces))
        wrong = [line for line in (*self.lines, *self.strings) if not callable(line)]
        if wrong:
            raise InputError(f"a line of a drawing is a function of the coordinates by name, got {wrong[0]!r}.")
        object.__setattr__(self, "placed", tuple(_placed(given) for given in self.placed))
        object.__setattr__(self, "planes", tuple(_plane(given) for given in self.planes))
        if self.follow is not None and not callable(self.follow):
            self._require_known(self.follow, "the body to follow")
        if len(self.axes) not in (0, 2) or not all(isinstance(name, str) for name in self.axes):
            raise InputError(f"the axes of a drawing are two names, got {self.axes!r}.")
        object.__setattr__(self, "view", numbers(self.view, 2, "the view (elevation and azimuth)"))
        object.__setattr__(self, "up", direction_of(self.up, 3, "what is up in a drawing"))
        object.__setattr__(self, "speed", positive(self.speed, "the speed of a drawing"))

    def _require_known(self, body: Any, what: str) -> None:
        """Raise InputError for what is no body of the mechanism nor the ground."""
        require_body(body, what)
        if body != GROUND and (self.mechanism is None or body not in self.mechanism.bodies):
            raise InputError(f"{what}: the body {body.name!r} is not one of the mechanism that is drawn.")

    def _checked(self, body: Any, given: Any) -> tuple[Shape, ...]:
        """Return the shapes of a body as a tuple. Raises InputError."""
        self._require_known(body, "the shapes of a drawing")
        return _several(given, f"the shape of {body.name!r}")

    def _curve(self, trace: Any) -> Curve:
        """Return a trace as a function of the coordinates by name. Raises InputError."""
        if callable(trace):
            return trace  # type: ignore[no-any-return]
        if not isinstance(trace, Sequence) or len(trace) != 2:
            raise InputError(f"a trace is (body, point) or a function of the coordinates, got {trace!r}.")
        body, point = trace
        self._require_known(body, "a trace")
        at = body.require_point(point, f"the point of {body.name!r} to trace")
        return lambda q: body.placed(q).point(at)

    def shapes_of(self, body: Any) -> tuple[Shape, ...]:
        """Return the shapes of a body: those given, those of a robot's file, or those of its inertia and its joints."""
        if body in self.shapes:
            return tuple(self.shapes[body])  # type: ignore[arg-type]
        own: Mapping[str, tuple[Shape, ...]] = getattr(self.mechanism, "shapes", {})
        if body.name in own:
            return own[body.name]
        return () if body is GROUND or self.mechanism is None else default_shapes(body, self.mechanism)


def _several(given: Any, what: str) -> tuple[Shape, ...]:
    """Return a shape or several as a tuple. Raises InputError."""
    parts = (given,) if isinstance(given, Shape) else tuple(given) if isinstance(given, Iterable) else (given,)
    for part in parts:
        if isinstance(part, type) or not isinstance(part, Shape):
            raise InputError(f"{what} must be a shape of gauss.bodies, got {part!r}.")
    return parts


def _placed(given: Any) -> tuple[tuple[Shape, ...], Callable[[Any], Placed]]:
    """Return the shapes and the function of one entry of `placed`. Raises InputError."""
    if not isinstance(given, Sequence) or len(given) != 2 or not callable(given[1]):
        raise InputError(f"an entry of placed is (shape, function of the coordinates by name), got {given!r}.")
    return _several(given[0], "what is placed"), given[1]


def _plane(given: Any) -> tuple[Vector, Vector]:
    """Return a point of a plane and its unit normal. Raises InputError."""
    if not isinstance(given, Sequence) or len(given) != 2:
        raise InputError(f"a plane of a drawing is (point, normal), got {given!r}.")
    through = numbers(given[0], 3, "the point of a plane of the drawing")
    return through, direction_of(given[1], 3, "the normal of a plane of the drawing")


def attached(body: AnyBody, mechanism: Mechanism) -> list[tuple[float, ...]]:
    """Return the points of a body, in its axes, at which joints and springs act."""
    found = []
    for part in (*mechanism.joints, *mechanism.forces):
        for owner, point in (("body1", "point1"), ("body2", "point2")):
            if getattr(part, owner, None) is body and np.size(getattr(part, point, ())):
                found.append(tuple(float(x) for x in getattr(part, point)))
    return list(dict.fromkeys(found))


def default_shapes(body: Part, mechanism: Mechanism) -> tuple[Shape, ...]:
    """Return the shapes made from the inertia of a body and the points at which joints and springs act on it."""
    points = attached(body, mechanism)
    if isinstance(body, Particle):
        return (shapes.Points([(0.0, 0.0, 0.0)]),)
    if isinstance(body, PlanarBody):
        blocks = [
            _block(body, joint) for joint in mechanism.joints if isinstance(joint, Slider) and _slides(body, joint)
        ]
        return (*blocks, *_planar(body, points)) if not blocks or len(points) > 1 else tuple(blocks)
    if isinstance(body, Rod):
        return _thin(body, points)
    wheels = [joint for joint in mechanism.joints if isinstance(joint, ROUND) and joint.body is body]
    return tuple(shape for wheel in wheels for shape in _round(wheel)) if wheels else _solid(body, points, mechanism)


def _round(joint: RollingBall | RollingDisc | RollingTorus | RollingEllipsoid) -> tuple[Shape, ...]:
    """Return the surface with which a body rolls."""
    if isinstance(joint, RollingBall):
        return (shapes.Ball(joint.radius, joint.centre),)
    if isinstance(joint, RollingEllipsoid):
        return (shapes.Ellipsoid(joint.semi_axes, joint.centre, joint.axes),)
    if isinstance(joint, RollingTorus):
        edge = shapes.Torus(joint.major, joint.minor, joint.centre, joint.axis)
        return (edge, shapes.Disc(joint.major, joint.centre, joint.axis))
    return (shapes.Disc(joint.radius, joint.centre, joint.axis),)


def _solid(body: Body, points: list[tuple[float, ...]], mechanism: Mechanism) -> tuple[Shape, ...]:
    """Return the box of a body in space, and lines from its centre to the points that lie outside.

    A box that is far larger than the distances between the points and its centre, or where there is one point, between
    those of any body, would hide what is beside it: lines alone are drawn.
    """
    if body.inertia.mass == 0.0:
        return (shapes.Points(points or [(0.0, 0.0, 0.0)]),)
    box = shapes.equivalent_box(body.inertia)
    centre, half = body.inertia.centre, np.array(box.sides) / 2.0
    side = 2.0 * float(np.max(half))
    apart = _spread([*points, tuple(centre.tolist())]) if _spread(points) else 0.0
    spread = apart or max(_spread(attached(other, mechanism)) for other in mechanism.bodies)
    if 1e-6 * side < HIDING * spread < side:
        lines = [shapes.Polyline([tuple(centre.tolist()), p]) for p in points if np.any(np.array(p) != centre)]
        return tuple(lines) or (shapes.Points(points or [tuple(centre.tolist())]),)
    outside = [p for p in points if np.any(np.abs(np.asarray(box.axes).T @ (p - centre)) > half + 1e-9)]
    return (box, *(shapes.Polyline([tuple(centre.tolist()), p]) for p in outside))


def _spread(points: list[tuple[float, ...]]) -> float:
    """Return the largest distance between points."""
    return max((float(np.linalg.norm(np.subtract(p, q))) for p in points for q in points), default=0.0)


def _thin(rod: Rod, points: list[tuple[float, ...]]) -> tuple[Shape, ...]:
    """Return the uniform rod with this inertia, prolonged to its points."""
    along = float(rod.axis @ rod.inertia.centre)
    spread = max(float(rod.axis @ rod.inertia.central @ rod.axis), 0.0)
    half = float(np.sqrt(3.0 * spread / rod.inertia.mass))
    places = np.array([along - half, along + half, *(float(rod.axis @ np.array(p)) for p in points)])
    ends = np.array([np.min(places), np.max(places)])
    return (shapes.Polyline(np.outer(ends, rod.axis).tolist()),)


def _slides(body: PlanarBody, joint: Slider) -> bool:
    """Whether a body is the one that slides in a joint: the second one, or the first one along the ground."""
    return body is (joint.body1 if joint.body2 is GROUND else joint.body2)


def _block(body: PlanarBody, joint: Slider) -> Shape:
    """Return the block of a body that slides: twice as long as high, with its inertia, or a dot where that is zero."""
    at = np.array(joint.point2 if body is joint.body2 else joint.point1)
    half = float(np.sqrt(0.6 * body.inertia / body.mass))  # of its height: J = m (4 h² + 16 h²)/12
    along = half * np.array(joint.axis1)
    across = np.array([-along[1], along[0]])
    corners = [at + a * 2.0 * along + b * across for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    return (
        shapes.Polygon([corner.tolist() for corner in corners]) if half > 0.0 else shapes.Points([tuple(at.tolist())])
    )


def _planar(body: PlanarBody, points: list[tuple[float, ...]]) -> tuple[Shape, ...]:
    """Return the hull of the points of a planar body and its centre of mass.

    A body that is held at one point or none is a uniform bar or disc with its inertia instead.
    """
    arm = np.array(body.centre) - np.array(points[0] if points else body.centre)
    distance = float(np.hypot(*arm))
    if len(points) < 2 and distance > 0.0:
        half = max(float(np.sqrt(3.0 * body.inertia / body.mass)), distance)
        ends = np.array(body.centre) + half * np.outer([-1.0, 1.0], arm / distance)
        return (shapes.Polyline(ends.tolist()),)
    corners = np.array(list(dict.fromkeys([*points, tuple(body.centre)])), dtype=float)
    spread = corners - corners[0]
    if len(corners) == 1:  # its centre of mass
        radius = float(np.sqrt(2.0 * body.inertia / body.mass))
        return (shapes.Disc(radius, body.centre) if radius > 0.0 else shapes.Points([body.centre]),)
    values, axes = np.linalg.eigh(spread.T @ spread)
    if values[0] <= 1e-18 * values[1]:
        order = np.argsort(spread @ axes[:, 1])
        return (shapes.Polyline([corners[order[0]].tolist(), corners[order[-1]].tolist()]),)
    return (shapes.Polygon(corners[scipy.spatial.ConvexHull(corners).vertices].tolist()),)
