"""What all joints share: two bodies with a point fixed in each, rows by name, and what moves between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from gauss.bodies.body.body import AnyBody, require_body, require_name
from gauss.bodies.body.rods_and_particles import Particle, Rod
from gauss.errors import InputError
from gauss.geometry.placed import Placed
from gauss.geometry.vectors import Vector, direction_of, minus
from gauss.model import Constraint, Holonomic

Point = Sequence[float]


@runtime_checkable
class Link(Protocol):
    """What a mechanism asks of a joint: its name, the bodies it acts on, its rows."""

    @property
    def name(self) -> str:
        """Its name, with which those of its rows begin."""

    @property
    def bodies(self) -> tuple[AnyBody, ...]:
        """The bodies it acts on."""

    def constraints(self) -> list[Constraint]:
        """Return its rows."""


@dataclass(frozen=True, eq=False)
class Joint:
    """What all joints share: a name, two bodies (one may be `GROUND`), and a point fixed in each."""

    name: str
    body1: AnyBody
    point1: Point
    body2: AnyBody
    point2: Point

    def __post_init__(self) -> None:
        require_name(self.name, "a joint")
        for body in (self.body1, self.body2):
            require_body(body, f"the joint {self.name!r}")
        if self.body1.name == self.body2.name:
            raise InputError(
                f"the joint {self.name!r} joins {self.body1.name!r} with itself; give two bodies of different names."
            )
        self._set("point1", self.body1.require_point(self.point1, f"point 1 of the joint {self.name!r}"))
        self._set("point2", self.body2.require_point(self.point2, f"point 2 of the joint {self.name!r}"))
        if len(self.point1) != len(self.point2):
            raise InputError(
                f"the joint {self.name!r} joins a point in space and one in the plane: {self.point1}, {self.point2}."
            )

    @property
    def bodies(self) -> tuple[AnyBody, ...]:
        """The two bodies."""
        return self.body1, self.body2

    def _set(self, field: str, value: Any) -> None:
        object.__setattr__(self, field, value)

    def _require_space(self, turning: Sequence[AnyBody]) -> None:
        """Raise InputError for bodies in the plane and for bodies without axes among those whose axes are needed."""
        if len(self.point1) != 3:
            raise InputError(
                f"the {type(self).__name__} joint {self.name!r} is for bodies in space; use Pin or Slider."
            )
        for body in turning:
            if isinstance(body, (Rod, Particle)):
                raise InputError(
                    f"the {type(self).__name__} joint {self.name!r} needs the axes of {body.name!r}, which a"
                    f" {type(body).__name__} has not; use Body."
                )

    def _axis(self, given: Point, which: int = 1) -> tuple[float, ...]:
        """Return an axis of unit length in the axes of its body (3,). Raises InputError."""
        return direction_of(given, 3, f"axis {which} of the joint {self.name!r}")

    def apart(self, q: Any) -> Vector:
        """Return p₂ − p₁ in space (m); `q` gives coordinates by name."""
        return minus(self.body2.placed(q).point(self.point2), self.body1.placed(q).point(self.point1))

    def _rates(self, v: Any) -> tuple[Placed, Placed]:
        """Return how the points and directions of the two bodies move; those of the ground do not."""
        zero = (0.0,) * len(self.point1)
        still = Placed(zero, (zero,) * len(self.point1))
        one, two = (body.placed(v) if body.coordinates else still for body in (self.body1, self.body2))
        return one, two

    def _apart_rate(self, v: Any) -> Vector:
        """Return the derivative of p₂ − p₁ in space (m/s)."""
        one, two = self._rates(v)
        return minus(two.point(self.point2), one.point(self.point1))

    def rows(self, q: Any) -> list[Any]:
        """Return what the joint keeps at zero."""
        return list(self.apart(q))

    def constraints(self) -> list[Constraint]:
        """Return its rows, named after the joint."""
        return [Holonomic(self.name, lambda q: self.rows(q))]


def turning(y: Any, x: Any, y_rate: Any, x_rate: Any) -> Any:
    """Return the derivative of atan2(y, x)."""
    return (x * y_rate - y * x_rate) / (x * x + y * y)
