"""Shapes of bodies in body axes, as they are drawn; those of `contact_solids` weigh and touch too.

A shape says by `outline(dimension)` what it consists of, in space (3) or in the plane (2). Lengths are in metres. An
inertia determines one box and one ellipsoid, those uniform bodies that have it: from K about the centre of mass, with
principal values K_i, the sides are √(12 K_i/m) and the semi-axes √(5 K_i/m).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array, positive
from gauss.geometry import rotations
from gauss.geometry.contact_solids import Ball, Box, Disc
from gauss.geometry.inertia import Inertia
from gauss.geometry.meshes import Mesh
from gauss.geometry.outline import (
    FINE,
    QUARTER,
    ROUND,
    Outline,
    Shape,
    circle,
    ellipsoid_faces,
    in_space,
    listed,
    place,
)
from gauss.geometry.placed import at_angle, at_quaternion
from gauss.geometry.vectors import direction_of, numbers

__all__ = [
    "Ball",
    "Box",
    "Capsule",
    "Circle",
    "Cylinder",
    "Disc",
    "Ellipsoid",
    "Mesh",
    "Outline",
    "Points",
    "Polygon",
    "Polyline",
    "Shape",
    "Torus",
    "at_angle",
    "at_quaternion",
    "equivalent_box",
    "equivalent_ellipsoid",
]
TUBE = 8  # corners of the cross-section of a torus


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
        return ellipsoid_faces(centre, R, lengths)


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
class Capsule:
    """A cylinder with its radius and length about `at`, along `axis`, and half a ball at each of its ends."""

    radius: float  # m
    length: float  # m, between the middles of the balls
    axis: Sequence[float] = (0.0, 0.0, 1.0)
    at: Sequence[float] = ()  # m, its middle; the origin if left out

    def outline(self, dimension: int) -> Outline:
        """Return its side and the balls."""
        in_space(dimension, "a capsule")
        half = positive(self.length, "the length of a capsule") / 2.0
        e, centre = np.array(direction_of(self.axis, 3, "the axis of a capsule")), place(self.at, 3, "a capsule")
        parts = [Ball(self.radius, tuple((centre + sign * half * e).tolist())).outline(3) for sign in (-1, 1)]
        parts.append(Cylinder(self.radius, self.length, self.axis, self.at).outline(3))
        side = parts[2].faces[-ROUND:]
        return Outline((*parts[0].faces, *parts[1].faces, *side), (*parts[0].tones, *parts[1].tones, *(0,) * ROUND))


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
class Polyline:
    """A line from point to point."""

    points: Sequence[Sequence[float]]  # (k, d) m

    def outline(self, dimension: int) -> Outline:
        """Return its one line."""
        return Outline(lines=(listed(self.points, dimension, "the points of a polyline", 2),))


@dataclass(frozen=True, eq=False)
class Points:
    """Points, drawn as dots."""

    points: Sequence[Sequence[float]]  # (p, d) m

    def outline(self, dimension: int) -> Outline:
        """Return them."""
        return Outline(points=listed(self.points, dimension, "the points of a body", 1))


class _ClearBox(Box):
    """A box that stands for a body whose shape is not known, and reaches into others."""

    def outline(self, dimension: int) -> Outline:
        """Return its faces, through which others are seen."""
        return replace(super().outline(dimension), clear=True)


def equivalent_box(inertia: Inertia) -> Box:
    """Return the uniform box that has this inertia, drawn as one may see through it; a side may be 0."""
    values, axes = _principal(inertia)
    return _ClearBox(tuple(np.sqrt(12.0 * values / inertia.mass).tolist()), tuple(inertia.centre.tolist()), axes)


def equivalent_ellipsoid(inertia: Inertia) -> Ellipsoid:
    """Return the uniform ellipsoid that has this inertia. Raises InputError for a flat body."""
    values, axes = _principal(inertia)
    if inertia.rank < 3:
        raise InputError("a body without extent in one direction has no equivalent ellipsoid; use equivalent_box.")
    return Ellipsoid(tuple(np.sqrt(5.0 * values / inertia.mass).tolist()), tuple(inertia.centre.tolist()), axes)


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
