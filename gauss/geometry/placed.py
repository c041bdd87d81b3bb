"""Where a body is: its origin and its axes in space, as numbers, expressions or arrays over a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gauss.geometry.vectors import Vector, plus, times


@dataclass(frozen=True)
class Placed:
    """Where a body is, or, made from velocities, how fast its points and directions move."""

    origin: Vector  # of the body's origin, m or m/s
    columns: tuple[Vector, ...]  # the body's axes in space: the columns of R or of Ṙ

    def point(self, at: Any) -> Vector:
        """Return a + R b (m), or ȧ + Ṙ b (m/s), for a point b in body axes."""
        return plus(self.origin, self.direction(at))

    def direction(self, along: Any) -> Vector:
        """Return R e, or Ṙ e (1/s), for a vector e in body axes."""
        return plus(*(times(x, column) for x, column in zip(along, self.columns, strict=True)))


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
