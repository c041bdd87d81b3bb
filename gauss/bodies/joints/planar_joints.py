"""Ideal joints between two rigid bodies in the plane, from points and axes fixed in each of them.

As in `joints`, points and axes are in the axes of their own body (m), and `value` and `rate` take values by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gauss.bodies.joints.joint import Joint, Point, turning
from gauss.errors import InputError
from gauss.functions.elementary import atan2
from gauss.geometry.vectors import Vector, direction_of, dot


@dataclass(frozen=True, eq=False)
class Pin(Joint):
    """Two points of planar bodies coincide: two rows.

    Their multipliers are the force (N) of body 1 on body 2. Raises InputError.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        _require_plane(self)

    def value(self, q: Any) -> Any:
        """Return the angle (rad) of body 2 from body 1, in (−π, π]."""
        one, two = (body.placed(q).direction((1.0, 0.0)) for body in (self.body1, self.body2))
        return atan2(_wedge(one, two), dot(one, two))

    def rate(self, q: Any, v: Any) -> Any:
        """Return the rate of the angle (rad/s)."""
        one, two = (body.placed(q).direction((1.0, 0.0)) for body in (self.body1, self.body2))
        first, second = (placed.direction((1.0, 0.0)) for placed in self._rates(v))
        sine, cosine = _wedge(first, two) + _wedge(one, second), dot(first, two) + dot(one, second)
        return turning(_wedge(one, two), dot(one, two), sine, cosine)


@dataclass(frozen=True, eq=False)
class Slider(Joint):
    """A planar body slides in another along `axis1` without turning (their axes stay parallel): two rows.

    `axis1` (2,) is in the axes of body 1. Raises InputError.
    """

    axis1: Point = (1.0, 0.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        _require_plane(self)
        self._set("axis1", direction_of(self.axis1, 2, f"axis 1 of the joint {self.name!r}"))

    def rows(self, q: Any) -> list[Any]:
        """Return n₁·(p₂ − p₁), with n square to the axis, and the sine of the angle between the bodies."""
        one, two = self.body1.placed(q), self.body2.placed(q)
        normal = one.direction((-self.axis1[1], self.axis1[0]))
        return [dot(normal, self.apart(q)), dot(one.direction((0.0, 1.0)), two.direction((1.0, 0.0)))]

    def value(self, q: Any) -> Any:
        """Return the displacement (m) of point 2 from point 1 along the axis."""
        return dot(self.body1.placed(q).direction(self.axis1), self.apart(q))

    def rate(self, q: Any, v: Any) -> Any:
        """Return its rate (m/s)."""
        turned = dot(self._rates(v)[0].direction(self.axis1), self.apart(q))
        return turned + dot(self.body1.placed(q).direction(self.axis1), self._apart_rate(v))


def _require_plane(joint: Joint) -> None:
    if len(joint.point1) != 2:
        raise InputError(f"the {type(joint).__name__} joint {joint.name!r} is for bodies in the plane.")


def _wedge(one: Vector, two: Vector) -> Any:
    return one[0] * two[1] - one[1] * two[0]
