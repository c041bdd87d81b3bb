"""Shapes of bodies and obstacles: points, discs, boxes, spheres, half-planes, segments, planes, distance functions.

Bodies in the plane carry a `Point`, a `Disc` or a `Box`, bodies in space a `Sphere` or a `Cuboid`, each centred on the
centre of mass. Obstacles are fixed: `HalfPlane`, `Segment` and `Distance` in the plane, `Plane` and `Distance` in
space. Materials are names; a Scene gives friction and restitution of each pair.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array, positive, vector
from gauss.foundation.portable import Portable


@dataclass(frozen=True)
class Point:
    """A point mass in the plane."""

    @property
    def bound(self) -> float:
        """Radius of the circle about the centre that holds the shape (m)."""
        return 0.0

    def inertia(self, mass: float) -> Array:
        """Return a moment of inertia (1,) without meaning: no force turns a point."""
        return np.array([mass])


@dataclass(frozen=True)
class Disc:
    """A disc in the plane."""

    radius: float  # m

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", positive(self.radius, "the radius of a Disc"))

    @property
    def bound(self) -> float:
        """Radius of the circle about the centre that holds the shape (m)."""
        return self.radius

    def inertia(self, mass: float) -> Array:
        """Return the moment of inertia (1,) m r²/2 of a homogeneous disc (kg m²)."""
        return np.array([0.5 * mass * self.radius**2])


@dataclass(frozen=True)
class Box:
    """A rectangle in the plane, `width` along the body's x axis and `height` along its z axis."""

    width: float  # m
    height: float  # m

    def __post_init__(self) -> None:
        for name in ("width", "height"):
            object.__setattr__(self, name, positive(getattr(self, name), f"the {name} of a Box"))

    @property
    def bound(self) -> float:
        """Radius of the circle about the centre that holds the shape (m)."""
        return float(np.hypot(self.width, self.height)) / 2

    def inertia(self, mass: float) -> Array:
        """Return the moment of inertia (1,) m (w² + h²)/12 of a homogeneous rectangle (kg m²)."""
        return np.array([mass * (self.width**2 + self.height**2) / 12])


@dataclass(frozen=True)
class Sphere:
    """A ball in space."""

    radius: float  # m

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", positive(self.radius, "the radius of a Sphere"))

    @property
    def bound(self) -> float:
        """Radius of the sphere about the centre that holds the shape (m)."""
        return self.radius

    def inertia(self, mass: float) -> Array:
        """Return the principal moments (3,) 2 m r²/5 of a homogeneous ball (kg m²)."""
        return np.full(3, 0.4 * mass * self.radius**2)


@dataclass(frozen=True)
class Cuboid:
    """A box in space with three edges along the body's axes; its corners touch planes."""

    lengths: tuple[float, float, float]  # m

    def __post_init__(self) -> None:
        edges = vector(self.lengths, 3, "the lengths of a Cuboid")
        if np.any(edges <= 0.0):
            raise InputError(f"the lengths of a Cuboid must be positive, but are {edges}.")
        object.__setattr__(self, "lengths", tuple(float(x) for x in edges))

    @property
    def bound(self) -> float:
        """Radius of the sphere about the centre that holds the shape (m)."""
        return float(np.linalg.norm(self.lengths)) / 2

    def inertia(self, mass: float) -> Array:
        """Return the principal moments (3,) of a homogeneous cuboid (kg m²)."""
        square = np.array(self.lengths) ** 2
        return np.asarray(mass * (np.sum(square) - square) / 12)


@dataclass(frozen=True)
class HalfPlane:
    """The ground in the plane: all points on and behind a line; `normal` points out of it."""

    point: tuple[float, float] = (0.0, 0.0)  # m, on the line
    normal: tuple[float, float] = (0.0, 1.0)  # any length
    material: str = ""

    def __post_init__(self) -> None:
        _directed(self, 2)


@dataclass(frozen=True)
class Plane:
    """The ground in space: all points on and behind a plane; `normal` points out of it."""

    point: tuple[float, float, float] = (0.0, 0.0, 0.0)  # m, on the plane
    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)  # any length
    material: str = ""

    def __post_init__(self) -> None:
        _directed(self, 3)


@dataclass(frozen=True)
class Segment:
    """A thin wall in the plane from `start` to `end`; discs and boxes touch it from both sides and at its ends."""

    start: tuple[float, float]  # m
    end: tuple[float, float]  # m
    material: str = ""

    def __post_init__(self) -> None:
        first, last = vector(self.start, 2, "the start of a Segment"), vector(self.end, 2, "the end of a Segment")
        if not np.linalg.norm(last - first) > 0.0:
            raise InputError(f"a Segment needs two different ends, but both are {tuple(first)}.")
        object.__setattr__(self, "start", (float(first[0]), float(first[1])))
        object.__setattr__(self, "end", (float(last[0]), float(last[1])))


@dataclass(frozen=True)
class Distance(Portable):
    """A fixed obstacle given by the distance of a point from it (m), for points, discs and spheres.

    `function(x, z)` (in space `function(x, y, z)`) takes arrays (k,) and returns distances (k,), negative inside. Near
    the surface its gradient must have length one. Without `gradient`, which returns (k, 2) or (k, 3), derivatives are
    taken by complex steps, so that the function must be made of analytic NumPy operations.
    """

    function: Callable[..., Any]
    gradient: Callable[..., Any] | None = None
    material: str = ""

    def __post_init__(self) -> None:
        for name, value in (("function", self.function), ("gradient", self.gradient)):
            if not callable(value) and not (name == "gradient" and value is None):
                raise InputError(f"the {name} of a Distance must be a function of x, z, got {value!r}.")


BodyShape = Point | Disc | Box | Sphere | Cuboid
Obstacle = HalfPlane | Segment | Plane | Distance
PLANAR, SPATIAL = (Point, Disc, Box, HalfPlane, Segment, Distance), (Sphere, Cuboid, Plane, Distance)


def _directed(shape: HalfPlane | Plane, size: int) -> None:
    """Store the point and the unit normal of a plane. Raises InputError."""
    kind = type(shape).__name__
    point, normal = vector(shape.point, size, f"the point of a {kind}"), vector(shape.normal, size, "its normal")
    largest = float(np.max(np.abs(normal)))
    if not largest > 0.0:
        raise InputError(f"the normal of a {kind} must not be zero.")
    normal = normal / largest  # no overflow in its length
    object.__setattr__(shape, "point", tuple(float(x) for x in point))
    object.__setattr__(shape, "normal", tuple(float(x) for x in normal / np.linalg.norm(normal)))
