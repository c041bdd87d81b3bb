"""Shapes that touch: points with a radius on one body, the distance of a point from a shape on the other.

A disc touches with its centre and radius, a box with its corners (radius 0). Both are points b with a radius r. The
other shape gives the signed distance φ(x) of a place x in the axes of its body, positive outside, with |∇φ| = 1. The
gap of the pair is φ(x_b) − r: a true distance (m), so that the multiplier of its row is the normal force (N).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from typing import Any, ClassVar

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array, not_negative, positive, scalar
from gauss.functions.elementary import fabs, fmax, less, sign, sqrt, where
from gauss.geometry import inertia
from gauss.geometry.outline import FINE, Outline, circle, ellipsoid_faces, in_space
from gauss.geometry.rotations import rotation
from gauss.geometry.vectors import Vector, direction_of, dot, minus, numbers, plus, times, unit

Point = Sequence[float]
Knob = tuple[Vector, float]  # a point in body axes (m), and the radius of the round part about it (m)
CORE = 1e-9  # share of a radius about a centre in which the distance is held constant, as it has no gradient there
SMALLEST = 1e-12  # m, the same for a point


class Solid(ABC):
    """What shapes that touch share: a dimension, the points that touch others, and whether others can touch it."""

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
class RoundSolid(Solid):
    """What a disc and a ball share: a radius (m) about a centre; with radius 0 a point."""

    radius: float
    centre: Point = ()

    def __post_init__(self) -> None:
        kind, size = type(self).__name__, int(np.size(self.centre)) or self.dimension
        given = self.centre if np.size(self.centre) else (0.0,) * size
        self._set(
            radius=not_negative(self.radius, f"the radius of a {kind}"),
            centre=numbers(given, size if size in (2, 3) else self.dimension, f"the centre of a {kind}"),
        )

    @property
    def knobs(self) -> tuple[Knob, ...]:
        """Its centre with its radius."""
        return ((tuple(self.centre), self.radius),)

    @property
    def bound(self) -> float:
        """Radius about the centre that holds the shape (m)."""
        return self.radius

    def value(self, x: Vector) -> Any:
        """Return |x − c| − R."""
        return _from_centre(x, self.centre, self.radius)[0] - self.radius

    def gradient(self, x: Vector) -> Vector:
        """Return (x − c)/|x − c|."""
        return _from_centre(x, self.centre, self.radius)[1]


@dataclass(frozen=True)
class Disc(RoundSolid):
    """A disc of `radius` (m) about `centre`; with radius 0 a point. It touches in the plane and is drawn in space, too.

    In space it lies across `normal`. Its quarters have two tones. Raises InputError.
    """

    normal: Point = (0.0, 0.0, 1.0)
    dimension: ClassVar[int] = 2

    def moments(self, mass: float) -> Array:
        """Return the moment of inertia (1,) m r²/2 about its centre, homogeneous (kg m²); of a point any one."""
        return np.array([0.5 * mass * self.radius**2 if self.radius else mass])

    def outline(self, dimension: int) -> Outline:
        """Return its four quarters."""
        r, given = positive(self.radius, "the radius of a disc"), tuple(self.centre)
        centre = np.array((0.0,) * dimension if not any(given) else numbers(given, dimension, "the centre of a disc"))
        rim = centre + r * circle(self.normal, dimension, FINE)
        quarters = [rim[np.arange(k, k + FINE // 4 + 1) % FINE] for k in range(0, FINE, FINE // 4)]
        return Outline(tuple(np.vstack([centre, part]) for part in quarters), (0, 1, 0, 1))


@dataclass(frozen=True)
class Ball(RoundSolid):
    """A ball of `radius` (m) about `centre` in space; with radius 0 a point. Its octants have two tones.

    Raises InputError.
    """

    dimension: ClassVar[int] = 3

    def moments(self, mass: float) -> Array:
        """Return the moments of inertia (3,) 2 m r²/5 about its centre, homogeneous (kg m²)."""
        return np.full(3, 0.4 * mass * self.radius**2)

    def inertia(self, mass: float) -> inertia.Inertia:
        """Return the inertia of a homogeneous ball."""
        return inertia.sphere(mass, self.radius, self.centre)

    def outline(self, dimension: int) -> Outline:
        """Return its faces; in the plane those of a disc about the origin."""
        r = positive(self.radius, "the radius of a ball")
        if dimension == 2:
            return Disc(r, tuple(self.centre)[:2]).outline(2)
        return ellipsoid_faces(np.array(self.centre), np.eye(3), np.full(3, r))


@dataclass(frozen=True)
class Hole(Solid):
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
class HalfPlane(Solid):
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
class Box(Solid):
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
        if min(sides) < 0.0:
            raise InputError(f"the sides of a Box must not be negative, but are {sides}.")
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

    @property
    def bound(self) -> float:
        """Radius about the centre that holds the shape (m)."""
        return float(np.linalg.norm(self.sides)) / 2

    def moments(self, mass: float) -> Array:
        """Return the moments of inertia of a homogeneous box about its centre: (1,), in space (3,) (kg m²)."""
        square = np.array(self.sides) ** 2
        return np.asarray(mass * (np.sum(square) - (square if self.dimension == 3 else np.zeros(1))) / 12)

    def inertia(self, mass: float) -> inertia.Inertia:
        """Return the inertia of a homogeneous box in space. Raises InputError in the plane."""
        in_space(self.dimension, "the inertia of a box")
        return inertia.box(mass, self.sides, self.centre, np.array(self.axes).T)

    def outline(self, dimension: int) -> Outline:
        """Return six faces, in the plane one. Raises InputError for another dimension than that of the sides."""
        half = np.array(numbers(self.sides, dimension, "the sides of a box")) / 2.0
        centre, R = np.array(self.centre), np.array(self.axes).T
        if dimension == 2:
            corners = half * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
            return Outline((centre + corners @ R.T,), (0,))
        faces = []
        for k, side in product(range(3), (-1, 1)):
            i, j = (k + 1) % 3, (k + 2) % 3
            corners = np.zeros((4, 3))
            corners[:, k] = side * half[k]
            corners[:, i], corners[:, j] = half[i] * np.array([-1, 1, 1, -1]), half[j] * np.array([-1, -1, 1, 1])
            faces.append(centre + corners @ R.T)
        return Outline(tuple(faces), (0,) * 6)

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
