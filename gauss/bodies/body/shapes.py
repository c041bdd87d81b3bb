"""Shapes to draw bodies with, in body axes: boxes, ellipsoids, tori, cylinders, discs, polygons, lines, points.

A shape says by `outline(dimension)` what it consists of, in space (3) or in the plane (2). Lengths are in metres. An
inertia determines one box and one ellipsoid, those uniform bodies that have it: from K about the centre of mass, with
principal values K_i, the sides are √(12 K_i/m) and the semi-axes √(5 K_i/m).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Protocol, runtime_checkable

import numpy as np

from gauss.bodies.body import rotations
from gauss.bodies.body.body import Placed
from gauss.bodies.body.inertia import Inertia
from gauss.bodies.body.vectors import across, direction_of, numbers
from gauss.errors import InputError
from gauss.foundation.arrays import Array, as_array, positive

ROUND = 24  # corners of a circle
FINE = 72  # of one that is a line
BELTS = 9  # of an ellipsoid, from pole to pole
TUBE = 8  # corners of the cross-section of a torus
QUARTER = ROUND // 4


def no_points() -> Array:
    """Return no points."""
    return np.zeros((0, 3))


@dataclass(frozen=True)
class Outline:
    """What a shape consists of, in body axes; d is 3 in space and 2 in the plane."""

    faces: tuple[Array, ...] = ()  # each (k, d) m, the corners of a plane polygon
    tones: tuple[int, ...] = ()  # of each face: 0 or 1 (lighter), so that turning is seen
    lines: tuple[Array, ...] = ()  # each (k, d) m
    points: Array = field(default_factory=no_points)  # (p, d) m


@runtime_checkable
class Shape(Protocol):
    """What a drawing asks of a shape."""

    def outline(self, dimension: int) -> Outline:
        """Return what it consists of, in space (3) or in the plane (2). Raises InputError."""


@dataclass(frozen=True, eq=False)
class Box:
    """A box with `sides` (3,), in the plane a rectangle with `sides` (2,), about `at`, along the columns of `axes`."""

    sides: Sequence[float]  # m
    at: Sequence[float] = ()  # m, the origin if left out
    axes: Any = None  # what `rotation` takes; in the plane an angle (rad)

    def outline(self, dimension: int) -> Outline:
        """Return six faces, in the plane one."""
        half = np.array(numbers(self.sides, dimension, "the sides of a box")) / 2.0
        if np.any(half < 0.0):
            raise InputError(f"the sides of a box must not be negative, but are {(2 * half).tolist()}.")
        centre = place(self.at, dimension, "a box")
        if dimension == 2:
            corners = half * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
            return Outline((centre + corners @ turned(self.axes).T,), (0,))
        R = np.eye(3) if self.axes is None else rotations.rotation(self.axes, "the axes of a box")
        faces = []
        for k, sign in product(range(3), (-1, 1)):
            i, j = (k + 1) % 3, (k + 2) % 3
            corners = np.zeros((4, 3))
            corners[:, k] = sign * half[k]
            corners[:, i], corners[:, j] = half[i] * np.array([-1, 1, 1, -1]), half[j] * np.array([-1, -1, 1, 1])
            faces.append(centre + corners @ R.T)
        return Outline(tuple(faces), (0,) * 6)


@dataclass(frozen=True, eq=False)
class Ellipsoid:
    """An ellipsoid with `semiaxes` (3,) about `at`, along the columns of `axes`; its octants have two tones."""

    semiaxes: Sequence[float]  # m
    at: Sequence[float] = ()  # m, the origin if left out
    axes: Any = None  # what `rotation` takes

    def outline(self, dimension: int) -> Outline:
        """Return its faces."""
        in_space(dimension, "an ellipsoid")
        lengths = np.array([positive(x, "a semi-axis") for x in numbers(self.semiaxes, 3, "the semi-axes")])
        R = np.eye(3) if self.axes is None else rotations.rotation(self.axes, "the axes of an ellipsoid")
        centre = place(self.at, 3, "an ellipsoid")
        polar, azimuth = np.linspace(0.0, np.pi, BELTS), np.linspace(0.0, 2.0 * np.pi, ROUND + 1)
        level, round_ = np.meshgrid(polar, azimuth, indexing="ij")
        sphere = np.stack([np.sin(level) * np.cos(round_), np.sin(level) * np.sin(round_), np.cos(level)], axis=-1)
        grid = centre + (lengths * sphere) @ R.T  # (BELTS, ROUND + 1, 3)
        faces, tones = [], []
        for i, j in product(range(BELTS - 1), range(ROUND)):
            faces.append(np.array([grid[i, j], grid[i + 1, j], grid[i + 1, j + 1], grid[i, j + 1]]))
            tones.append((j // QUARTER + 2 * i // (BELTS - 1)) % 2)
        return Outline(tuple(faces), tuple(tones))


@dataclass(frozen=True, eq=False)
class Sphere:
    """A ball with its radius about `at`; its octants have two tones. In the plane it is a disc."""

    radius: float  # m
    at: Sequence[float] = ()  # m, the origin if left out

    def outline(self, dimension: int) -> Outline:
        """Return its faces."""
        r = positive(self.radius, "the radius of a sphere")
        return (Disc(r, self.at) if dimension == 2 else Ellipsoid((r, r, r), self.at)).outline(dimension)


@dataclass(frozen=True, eq=False)
class Disc:
    """A disc with its radius about `at`, across `normal`; its quarters have two tones."""

    radius: float  # m
    at: Sequence[float] = ()  # m, the origin if left out
    normal: Sequence[float] = (0.0, 0.0, 1.0)  # in space

    def outline(self, dimension: int) -> Outline:
        """Return its four quarters."""
        r, centre = positive(self.radius, "the radius of a disc"), place(self.at, dimension, "a disc")
        rim = centre + r * circle(self.normal, dimension)
        quarters = [rim[np.arange(k, k + QUARTER + 1) % ROUND] for k in range(0, ROUND, QUARTER)]
        return Outline(tuple(np.vstack([centre, part]) for part in quarters), (0, 1, 0, 1))


@dataclass(frozen=True, eq=False)
class Cylinder:
    """A cylinder with its radius and length about `at`, along `axis`; its ends have two tones."""

    radius: float  # m
    length: float  # m
    axis: Sequence[float] = (0.0, 0.0, 1.0)
    at: Sequence[float] = ()  # m, its middle; the origin if left out

    def outline(self, dimension: int) -> Outline:
        """Return its side and the quarters of its ends."""
        in_space(dimension, "a cylinder")
        e = np.array(direction_of(self.axis, 3, "the axis of a cylinder"))
        half = positive(self.length, "the length of a cylinder") / 2.0 * e
        centre = place(self.at, 3, "a cylinder")
        ends = [Disc(self.radius, tuple((centre + sign * half).tolist()), self.axis).outline(3) for sign in (-1, 1)]
        rim = positive(self.radius, "the radius of a cylinder") * circle(self.axis, 3) + centre
        sides = [np.array([a - half, b - half, b + half, a + half]) for a, b in zip(rim, np.roll(rim, -1, axis=0))]
        return Outline((*ends[0].faces, *ends[1].faces, *sides), (*ends[0].tones, *ends[1].tones, *(0,) * ROUND))


@dataclass(frozen=True, eq=False)
class Torus:
    """A torus about `at`: the circle of radius `major` across `normal`, swept by a ball of radius `minor`.

    Its quarters have two tones. The solid disc whose edge it may be is a `Disc` of radius `major`.
    """

    major: float  # m
    minor: float  # m
    at: Sequence[float] = ()  # m, the origin if left out
    normal: Sequence[float] = (0.0, 0.0, 1.0)

    def outline(self, dimension: int) -> Outline:
        """Return its faces."""
        in_space(dimension, "a torus")
        R, r = positive(self.major, "the major radius of a torus"), positive(self.minor, "the minor radius of a torus")
        e = np.array(direction_of(self.normal, 3, "the normal of a torus"))
        ring, angles = circle(self.normal, 3), 2.0 * np.pi * np.arange(TUBE) / TUBE
        out = (R + r * np.cos(angles))[:, None] * ring[:, None]  # (ROUND, TUBE, 3)
        grid = place(self.at, 3, "a torus") + out + r * np.sin(angles)[:, None] * e
        faces, tones = [], []
        for i, j in product(range(ROUND), range(TUBE)):
            a, b = (i + 1) % ROUND, (j + 1) % TUBE
            faces.append(np.array([grid[i, j], grid[a, j], grid[a, b], grid[i, b]]))
            tones.append(i // QUARTER % 2)
        return Outline(tuple(faces), tuple(tones))


@dataclass(frozen=True, eq=False)
class Circle:
    """A circle with its radius about `at`, across `normal`, as a line; three make a ball that is seen through."""

    radius: float  # m
    at: Sequence[float] = ()  # m, the origin if left out
    normal: Sequence[float] = (0.0, 0.0, 1.0)  # in space

    def outline(self, dimension: int) -> Outline:
        """Return its one line."""
        rim = positive(self.radius, "the radius of a circle") * circle(self.normal, dimension, FINE)
        return Outline(lines=(place(self.at, dimension, "a circle") + np.vstack([rim, rim[:1]]),))


@dataclass(frozen=True, eq=False)
class Polygon:
    """A plane polygon with three or more corners."""

    corners: Sequence[Sequence[float]]  # (k, d) m, in order

    def outline(self, dimension: int) -> Outline:
        """Return its one face."""
        return Outline((listed(self.corners, dimension, "the corners of a polygon", 3),), (0,))


@dataclass(frozen=True, eq=False)
class Segment:
    """A line from point to point."""

    points: Sequence[Sequence[float]]  # (k, d) m

    def outline(self, dimension: int) -> Outline:
        """Return its one line."""
        return Outline(lines=(listed(self.points, dimension, "the points of a segment", 2),))


@dataclass(frozen=True, eq=False)
class Points:
    """Points, drawn as dots."""

    points: Sequence[Sequence[float]]  # (p, d) m

    def outline(self, dimension: int) -> Outline:
        """Return them."""
        return Outline(points=listed(self.points, dimension, "the points of a body", 1))


def equivalent_box(inertia: Inertia) -> Box:
    """Return the uniform box that has this inertia; a side may be 0."""
    values, axes = _principal(inertia)
    return Box(tuple(np.sqrt(12.0 * values / inertia.mass).tolist()), tuple(inertia.centre.tolist()), axes)


def equivalent_ellipsoid(inertia: Inertia) -> Ellipsoid:
    """Return the uniform ellipsoid that has this inertia. Raises InputError for a flat body."""
    values, axes = _principal(inertia)
    if inertia.rank < 3:
        raise InputError("a body without extent in one direction has no equivalent ellipsoid; use equivalent_box.")
    return Ellipsoid(tuple(np.sqrt(5.0 * values / inertia.mass).tolist()), tuple(inertia.centre.tolist()), axes)


def at_angle(origin: Sequence[Any], angle: Any) -> Placed:
    """Return where axes in the plane are that are turned by an angle (rad), a number or an array over a run."""
    c, s = np.cos(angle), np.sin(angle)
    return Placed(tuple(origin), ((c, s), (-s, c)))


def at_quaternion(origin: Sequence[Any], quaternion: Sequence[Any]) -> Placed:
    """Return where axes in space are that the unit quaternion p = (w, x, y, z) turns, v ↦ p v p*.

    Origin and quaternion have numbers or arrays over a run as components.
    """
    w, x, y, z = quaternion
    return Placed(
        tuple(origin),
        (
            (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)),
            (2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)),
            (2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)),
        ),
    )


def _principal(inertia: Inertia) -> tuple[Array, Array]:
    """Return the principal values of K about the centre (3,), rounding below zero removed, and a rotation to them.

    Axes that are those of the body stay in its order.
    """
    K = inertia.central
    if np.max(np.abs(K - np.diag(np.diag(K)))) <= 1e-12 * np.trace(K):
        return np.maximum(np.diag(K), 0.0), np.eye(3)
    values, axes = np.linalg.eigh(K)
    if np.linalg.det(axes) < 0.0:
        axes[:, 2] *= -1.0
    return np.maximum(values, 0.0), axes


def circle(normal: Sequence[float], dimension: int, corners: int = ROUND) -> Array:
    """Return the corners (k, d) of a circle of radius 1 about the origin, across `normal` in space."""
    angles = np.linspace(0.0, 2.0 * np.pi, corners, endpoint=False)
    plane = np.column_stack([np.cos(angles), np.sin(angles)])
    return plane if dimension == 2 else plane @ np.array(across(direction_of(normal, 3, "the normal of a circle")))


def turned(angle: Any) -> Array:
    """Return the rotation (2, 2) by an angle (rad), 0 if left out."""
    phi = 0.0 if angle is None else float(angle)
    return np.array([[np.cos(phi), -np.sin(phi)], [np.sin(phi), np.cos(phi)]])


def place(at: Sequence[float], dimension: int, what: str) -> Array:
    """Return where the middle of a shape is (d,), the origin if left out. Raises InputError."""
    return np.array(numbers(at, dimension, f"the place of {what}")) if np.size(at) else np.zeros(dimension)


def listed(points: Any, dimension: int, what: str, least: int) -> Array:
    """Return points (k, d), at least so many. Raises InputError."""
    array = as_array(points, what)
    if array.ndim != 2 or array.shape[1] != dimension or len(array) < least or not np.all(np.isfinite(array)):
        raise InputError(f"{what} must be {least} or more points of {dimension} finite numbers, got {points!r}.")
    return array


def in_space(dimension: int, what: str) -> None:
    """Raise InputError in the plane."""
    if dimension != 3:
        raise InputError(f"{what} is for bodies in space; in the plane use Disc, Box, Polygon, Segment or Points.")
