"""Shapes that touch: points with a radius on one body, the distance of a point from a shape on the other.

A disc touches with its centre and radius, a box with its corners (radius 0). Both are points b with a radius r. The
other shape gives the signed distance φ(x) of a place x in the axes of its body, positive outside, with |∇φ| = 1. The
gap of the pair is φ(x_b) − r: a true distance (m), so that the multiplier of its row is the normal force (N).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, ClassVar

import numpy as np

from gauss.bodies.body.rotations import rotation
from gauss.bodies.body.vectors import Vector, direction_of, dot, minus, numbers, plus, times, unit
from gauss.bodies.touching.surfaces import ByFunction, Surface, ToroidalSurface
from gauss.errors import InputError
from gauss.foundation.arrays import not_negative, positive, scalar
from gauss.functions.elementary import fabs, fmax, less, sign, sqrt, where

Point = Sequence[float]
Knob = tuple[Vector, float]  # a point in body axes (m), and the radius of the round part about it (m)
CORE = 1e-9  # share of a radius about a centre in which the distance is held constant, as it has no gradient there
SMALLEST = 1e-12  # m, the same for a point


class _Shape(ABC):
    """What all shapes share: a dimension, the points that touch others, and whether others can touch it."""

    dimension: ClassVar[int]
    is_distance: bool = True

    @property
    def knobs(self) -> tuple[Knob, ...]:
        """The points with a radius with which it touches other shapes; none where it only is touched."""
        return ()

    @abstractmethod
    def value(self, x: Vector) -> Any:
        """Return the distance φ (m) of a place in body axes."""

    @abstractmethod
    def gradient(self, x: Vector) -> Vector:
        """Return ∇φ there, a unit vector away from the shape."""

    def _set(self, **values: Any) -> None:
        for word, value in values.items():
            object.__setattr__(self, word, value)


def _from_centre(x: Vector, centre: Point, radius: float) -> tuple[Any, Vector]:
    """Return |x − c|, no less than the core, and (x − c)/|x − c|."""
    off = minus(x, centre)
    core = CORE * radius if radius > 0.0 else SMALLEST
    rho = sqrt(fmax(dot(off, off), core**2))
    return rho, times(1.0 / rho, off)


@dataclass(frozen=True)
class _Round(_Shape):
    radius: float
    centre: Point = ()

    def __post_init__(self) -> None:
        kind, given = type(self).__name__, self.centre if np.size(self.centre) else (0.0,) * self.dimension
        self._set(
            radius=not_negative(self.radius, f"the radius of a {kind}"),
            centre=numbers(given, self.dimension, f"the centre of a {kind}"),
        )

    @property
    def knobs(self) -> tuple[Knob, ...]:
        """Its centre with its radius."""
        return ((tuple(self.centre), self.radius),)

    def value(self, x: Vector) -> Any:
        """Return |x − c| − R."""
        return _from_centre(x, self.centre, self.radius)[0] - self.radius

    def gradient(self, x: Vector) -> Vector:
        """Return (x − c)/|x − c|."""
        return _from_centre(x, self.centre, self.radius)[1]


@dataclass(frozen=True)
class Disc(_Round):
    """A disc of `radius` (m) about `centre` in the plane; with radius 0 a point. Raises InputError."""

    dimension: ClassVar[int] = 2


@dataclass(frozen=True)
class Ball(_Round):
    """A ball of `radius` (m) about `centre` in space; with radius 0 a point. Raises InputError."""

    dimension: ClassVar[int] = 3


@dataclass(frozen=True)
class Hole(_Shape):
    """The inside of a circle in the plane, as of a journal about its pin: φ = R − |x − c|. Raises InputError."""

    radius: float
    centre: Point = (0.0, 0.0)
    dimension: ClassVar[int] = 2

    def __post_init__(self) -> None:
        self._set(
            radius=positive(self.radius, "the radius of a Hole"),
            centre=numbers(self.centre, 2, "the centre of a Hole"),
        )

    def value(self, x: Vector) -> Any:
        """Return R − |x − c|."""
        return self.radius - _from_centre(x, self.centre, self.radius)[0]

    def gradient(self, x: Vector) -> Vector:
        """Return −(x − c)/|x − c|."""
        return times(-1.0, _from_centre(x, self.centre, self.radius)[1])


@dataclass(frozen=True)
class HalfPlane(_Shape):
    """All below the line through `through` with the outward `normal`: φ = n·(x − p). Raises InputError."""

    through: Point = (0.0, 0.0)
    normal: Point = (0.0, 1.0)
    dimension: ClassVar[int] = 2

    def __post_init__(self) -> None:
        self._set(
            through=numbers(self.through, 2, "the point of a HalfPlane"),
            normal=direction_of(self.normal, 2, "the normal of a HalfPlane"),
        )

    def value(self, x: Vector) -> Any:
        """Return φ (m)."""
        return dot(minus(x, self.through), self.normal)

    def gradient(self, x: Vector) -> Vector:
        """Return the normal."""
        return tuple(self.normal)


@dataclass(frozen=True)
class Box(_Shape):
    """A rectangle with two `sides` (m) in the plane, or a box with three in space, about `centre`.

    `axes` turns it in the body: an angle (rad) in the plane, what `rotation` takes in space. Its distance is exact
    outside, beside edges and corners too; within it is that from the nearest face, negative. In space its corners touch
    surfaces, and balls touch it; box against box would also need its edges and is refused. Raises InputError.
    """

    sides: Point
    centre: Point = ()
    axes: Any = None

    def __post_init__(self) -> None:
        size = int(np.size(self.sides))
        if size not in (2, 3):
            raise InputError(f"a Box has two sides in the plane or three in space, got {self.sides!r}.")
        sides = numbers(self.sides, size, "the sides of a Box")
        if min(sides) <= 0.0:
            raise InputError(f"the sides of a Box must be positive, but are {sides}.")
        given = self.centre if np.size(self.centre) else (0.0,) * size
        self._set(sides=sides, centre=numbers(given, size, "the centre of a Box"), axes=_columns(self.axes, size))

    @property
    def dimension(self) -> int:  # type: ignore[override]
        """2 or 3."""
        return len(self.sides)

    @property
    def knobs(self) -> tuple[Knob, ...]:
        """Its corners, round by round from the least coordinates; in the plane counter-clockwise."""
        signs = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
        if self.dimension == 3:
            signs = [(*pair, s) for s in (-1, 1) for pair in signs]  # type: ignore[misc]
        corners = [[0.5 * s * side for s, side in zip(pattern, self.sides, strict=True)] for pattern in signs]
        return tuple((plus(self.centre, *map(times, corner, self.axes)), 0.0) for corner in corners)

    def _beyond(self, x: Vector) -> tuple[list[Any], list[Any], list[Any], Any, Any]:
        """Return |x_i| − h_i and the signs of x_i along the axes, which face is nearest, whether beyond it only."""
        inner = [dot(minus(x, self.centre), axis) for axis in self.axes]
        q = [fabs(value) - 0.5 * side for value, side in zip(inner, self.sides, strict=True)]
        faces, rest = [], 1.0
        for k in range(len(q) - 1):
            chosen = rest * where(less(reduce(fmax, q[k + 1 :]), q[k]), 1.0, 0.0)
            faces.append(chosen)
            rest = rest - chosen
        faces.append(rest)
        outside = [fmax(value, 0.0) for value in q]
        beyond = sum(where(less(0.0, value), 1.0, 0.0) for value in q)
        length = sqrt(fmax(sum(value * value for value in outside), (CORE * min(self.sides)) ** 2))
        return q, [sign(value) for value in inner], faces, less(1.5, beyond), length

    def value(self, x: Vector) -> Any:
        """Return the distance (m)."""
        q, _, faces, corner, length = self._beyond(x)
        return where(corner, length, dot(faces, q))

    def gradient(self, x: Vector) -> Vector:
        """Return the unit normal of the nearest face, edge or corner."""
        q, signs, faces, corner, length = self._beyond(x)
        parts = [
            s * where(corner, fmax(value, 0.0) / length, face) for s, value, face in zip(signs, q, faces, strict=True)
        ]
        return plus(*map(times, parts, self.axes))


def _columns(axes: Any, size: int) -> tuple[tuple[float, ...], ...]:
    """Return the axes of a box in its body. Raises InputError."""
    if axes is None:
        return tuple(unit(k, size) for k in range(size))
    if size == 2:
        angle = scalar(axes, "the angle of a Box in the plane")
        c, s = float(np.cos(angle)), float(np.sin(angle))
        return (c, s), (-s, c)
    return tuple(tuple(float(x) for x in column) for column in np.asarray(rotation(axes, "the axes of a Box")).T)


@dataclass(frozen=True, eq=False)
class Level(ByFunction, _Shape):
    """All that lies at φ(x, y) < 0 in the plane, for a function of any form, written with gauss.sin, gauss.sqrt, ….

    The gap is φ/|∇φ|, which at φ = 0 has a unit gradient, so that the multiplier is the normal force (N); away from the
    curve it is the distance to first order. Round shapes need the distance itself: say distance=True where φ is it.
    `gradient_function` returns the two components of ∇φ where φ has pieces; else SymPy forms it. Raises InputError.
    """

    function: Callable[..., Any]
    distance: bool = False
    gradient_function: Callable[..., Any] | None = None
    dimension: ClassVar[int] = 2
    called: ClassVar[str] = "a Level"
    components: ClassVar[int] = 2

    def __post_init__(self) -> None:
        self._require_functions()
        if not isinstance(self.distance, bool):
            raise InputError(f"distance of a Level must be True or False, got {self.distance!r}.")
        self._set(is_distance=self.distance)

    def value(self, x: Vector) -> Any:
        """Return φ, or φ/|∇φ|."""
        value, raw = self.function(*x), self._slope(x)
        return value if self.distance else value / sqrt(dot(raw, raw))

    def gradient(self, x: Vector) -> Vector:
        """Return ∇φ/|∇φ|."""
        raw = self._slope(x)
        return times(1.0 / sqrt(dot(raw, raw)), raw)


@dataclass(frozen=True)
class _Carried(_Shape):
    """A surface as what others touch."""

    surface: Surface
    dimension: ClassVar[int] = 3

    @property
    def is_distance(self) -> bool:  # type: ignore[override]
        """Whether its φ is the distance."""
        return self.surface.is_distance

    def value(self, x: Vector) -> Any:
        """Return φ, or φ/|∇φ| of an implicit surface."""
        value = self.surface.value(x)
        if self.surface.is_distance:
            return value
        raw = self.surface.gradient(x)
        return value / sqrt(dot(raw, raw))

    def gradient(self, x: Vector) -> Vector:
        """Return the unit normal."""
        raw = self.surface.gradient(x)
        return raw if self.surface.is_distance else times(1.0 / sqrt(dot(raw, raw)), raw)


@dataclass(frozen=True)
class Pair:
    """One way in which two shapes touch: a point with a radius of one, the distance from the other."""

    by_first: bool  # whether the point belongs to shape 1
    centre: Vector  # in the axes of its body, m
    radius: float  # m
    level: _Shape


def shape_of(given: Any, what: str) -> _Shape:
    """Return a shape, of which a surface is one, too. Raises InputError."""
    if isinstance(given, _Shape):
        return given
    if not isinstance(given, type) and isinstance(given, Surface):
        return _Carried(given)
    raise InputError(
        f"{what} must be a Disc, Box, HalfPlane, Hole or Level in the plane, a Ball, Box or surface in space, got"
        f" {given!r}."
    )


def pairs_of(shape1: _Shape, shape2: _Shape, what: str) -> tuple[Pair, ...]:
    """Return all ways in which two shapes touch. Raises InputError, which names `what`, for shapes that cannot."""
    kinds = tuple(type(getattr(shape, "surface", shape)).__name__ for shape in (shape1, shape2))
    if shape1.dimension != shape2.dimension:
        raise InputError(f"{what}: a {kinds[0]} and a {kinds[1]} are not both in the plane or both in space.")
    boxes = isinstance(shape1, Box), isinstance(shape2, Box)
    if all(boxes) and shape1.dimension == 3:
        raise InputError(f"{what}: two boxes in space touch along edges, too; use balls at the corners, or a plane.")
    if any(boxes) and any(_bulges(shape) for shape in (shape1, shape2)):
        raise InputError(
            f"{what}: a {kinds[0]} and a {kinds[1]} touch with faces and edges, too, not with corners alone; use a Ball"
            " for a sphere, or balls at points of the box."
        )
    ways = [(True, shape1, shape2), (False, shape2, shape1)]
    if not all(boxes):  # one direction is enough, and round shapes know the whole distance
        able = [way for way in ways if way[1].knobs]
        able.sort(key=lambda way: (isinstance(way[1], Box), way[0] is False))
        ways = able[:1]
    if not ways:
        raise InputError(f"{what}: a {kinds[0]} cannot touch a {kinds[1]}; one of them must be a disc, ball or box.")
    found = tuple(Pair(first, centre, radius, level) for first, shape, level in ways for centre, radius in shape.knobs)
    for pair in found:
        _require_room(pair, what)
    return found


def _bulges(shape: _Shape) -> bool:
    """Whether a surface may touch a box where that has no corner: a round one from outside, a torus anyhow."""
    surface = getattr(shape, "surface", None)
    return isinstance(surface, ToroidalSurface) or not getattr(surface, "inside", True)


def _require_room(pair: Pair, what: str) -> None:
    """Raise InputError for a point on a point, a pin larger than its hole, and a round shape on a mere level."""
    if isinstance(pair.level, _Round) and pair.radius + pair.level.radius == 0.0:
        raise InputError(f"{what}: two points have no common normal; give one of them a radius.")
    room = pair.level.radius if isinstance(pair.level, Hole) else np.inf
    surface = getattr(pair.level, "surface", None)
    if getattr(surface, "inside", False):
        room = getattr(surface, "minor", getattr(surface, "radius", np.inf))
    if pair.radius >= room:
        raise InputError(f"{what}: a radius of {pair.radius:g} m does not fit into one of {room:g} m.")
    if pair.radius > 0.0 and not pair.level.is_distance:
        raise InputError(
            f"{what}: the gap of a round shape needs the distance from the other one, which a function φ need not be."
            " Give a function that is the distance, and say distance=True, or a shape of radius 0."
        )
