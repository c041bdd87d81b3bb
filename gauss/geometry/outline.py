"""What drawn shapes consist of: faces, lines and points, and the circles that round ones are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Protocol, runtime_checkable

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array, as_array
from gauss.geometry.vectors import across, direction_of, numbers

ROUND = 24  # corners of a circle
QUARTER = ROUND // 4
FINE = 72  # corners of a circle that is a line, or a disc
BELTS = 9  # of an ellipsoid, from pole to pole


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
    clear: bool = False  # whether what is within or behind is seen: faces that stand for a shape which is not known


@runtime_checkable
class Shape(Protocol):
    """What a drawing asks of a shape."""

    def outline(self, dimension: int) -> Outline:
        """Return what it consists of, in space (3) or in the plane (2). Raises InputError."""


def circle(normal: Sequence[float], dimension: int, corners: int = ROUND) -> Array:
    """Return the corners (k, d) of a circle of radius 1 about the origin, across `normal` in space."""
    angles = np.linspace(0.0, 2.0 * np.pi, corners, endpoint=False)
    plane = np.column_stack([np.cos(angles), np.sin(angles)])
    return plane if dimension == 2 else plane @ np.array(across(direction_of(normal, 3, "the normal of a circle")))


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


def ellipsoid_faces(centre: Array, R: Array, lengths: Array) -> Outline:
    """Return the faces of an ellipsoid with semi-axes `lengths` (3,) along the columns of R; octants have two tones."""
    polar, azimuth = np.linspace(0.0, np.pi, BELTS), np.linspace(0.0, 2.0 * np.pi, ROUND + 1)
    level, round_ = np.meshgrid(polar, azimuth, indexing="ij")
    sphere = np.stack([np.sin(level) * np.cos(round_), np.sin(level) * np.sin(round_), np.cos(level)], axis=-1)
    grid = centre + (lengths * sphere) @ R.T  # (BELTS, ROUND + 1, 3)
    faces, tones = [], []
    for i, j in product(range(BELTS - 1), range(ROUND)):
        faces.append(np.array([grid[i, j], grid[i + 1, j], grid[i + 1, j + 1], grid[i, j + 1]]))
        tones.append((j // QUARTER + 2 * i // (BELTS - 1)) % 2)
    return Outline(tuple(faces), tuple(tones))
