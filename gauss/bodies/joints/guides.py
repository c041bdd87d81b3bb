"""Points that stay on a surface or a curve fixed in another body or in the ground.

The point x = R₁ᵀ(p₂ − a₁) of the carrier, body 1, is where point 2 of body 2 is; a row is φ(x) = 0, and its reaction on
body 2 is λ R₁∇φ (N, in space), the opposite on the carrier. A curve in space is where two surfaces meet. A wire given
by a parameter, r(s), would need a coordinate of its own, and all coordinates of a mechanism belong to bodies.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gauss.bodies.body.body import AnyBody
from gauss.bodies.body.rods_and_particles import Particle, Rod
from gauss.bodies.joints.joint import Joint
from gauss.bodies.joints.rates import answered, within
from gauss.errors import InputError
from gauss.foundation.arrays import Array
from gauss.foundation.portable import Portable
from gauss.geometry.surfaces import ImplicitSurface, Surface, gradient_of
from gauss.geometry.vectors import Vector, plus, times
from gauss.model import Constraint, Holonomic

Point = Sequence[float]


def surface_of(given: Any, what: str) -> Surface:
    """Return a surface, of which a function of x, y, z is one, too. Raises InputError."""
    if not isinstance(given, type):
        if isinstance(given, Surface):
            return given
        if callable(given):
            return ImplicitSurface(given)
    raise InputError(f"{what} needs a surface (PlaneSurface, …) or a function of x, y, z, got {given!r}.")


@dataclass(frozen=True, eq=False)
class _PlaneCurve(Portable):
    """A curve φ(x, y) = 0 in the plane."""

    function: Callable[..., Any]

    def value(self, x: Vector) -> Any:
        """Return φ."""
        return self.function(*x)

    @cached_property
    def _derived(self) -> Callable[..., Vector]:
        return gradient_of(self.function, 2)

    def gradient(self, x: Vector) -> Vector:
        """Return ∇φ."""
        return self._derived(*x)


class _Guide(ABC, Portable):
    """A point of body 2 that stays where functions of its place in body 1 vanish."""

    name: str
    body1: AnyBody
    body2: AnyBody
    point2: Point

    def _check(self, size: int) -> None:
        """Raise InputError for bodies and points that cannot be used; `size` is 3 in space and 2 in the plane."""
        known = Joint(self.name, self.body1, (0.0,) * size, self.body2, self.point2)
        object.__setattr__(self, "point2", known.point2)
        if isinstance(self.body1, (Rod, Particle)):
            raise InputError(
                f"{self.name!r}: a curve or surface needs the axes of {self.body1.name!r}, which a"
                f" {type(self.body1).__name__} has not; use Body."
            )

    @property
    @abstractmethod
    def levels(self) -> tuple[Surface | _PlaneCurve, ...]:
        """What the point stays on, one for each row."""

    @property
    def bodies(self) -> tuple[AnyBody, ...]:
        """The carrier and the body with the point."""
        return self.body1, self.body2

    def place(self, q: Any) -> Vector:
        """Return where the point is in the axes of the carrier (m)."""
        return within(self.body1.placed(q), self.body2.placed(q).point(self.point2))

    def rows(self, q: Any) -> list[Any]:
        """Return what vanishes."""
        x = self.place(q)
        return [level.value(x) for level in self.levels]

    def force(self, answer: Any) -> Array:
        """Return the reaction on body 2 (N, space axes), (3,) or (3, N) (two components in the plane).

        `answer` is a Verdict or a run. Raises InputError for anything else.
        """
        q, multiplier = answered(answer)
        x, names = self.place(q), self.constraints()[0].row_names(len(self.levels))
        parts = [times(multiplier(name), level.gradient(x)) for name, level in zip(names, self.levels, strict=True)]
        return np.array(self.body1.placed(q).direction(plus(*parts)), dtype=float)

    def constraints(self) -> list[Constraint]:
        """Return the rows, named after the joint."""
        return [Holonomic(self.name, lambda q: self.rows(q))]


@dataclass(frozen=True, eq=False)
class PointOnSurface(_Guide):
    """Point 2 of body 2 stays on a surface that body 1 (a `Body` or `GROUND`) carries: one row, in space.

    `surface` is a `Surface` or a function φ(x, y, z) in the axes of body 1. The row is φ; with a surface that is a
    distance its multiplier is the normal force (N). Raises InputError.

    >>> import gauss as g
    >>> from gauss import bodies as mb
    >>> bead = mb.Particle("bead", 1.0)
    >>> bowl = mb.PointOnSurface("bowl", mb.GROUND, mb.SphericalSurface((0, 0, 0), 1.0, inside=True), bead, (0, 0, 0))
    >>> held = mb.Mechanism("bead in a bowl", [bead], [bowl])
    >>> found = g.accelerate(held, *held.state(bead.pose((0.6, 0.0, -0.8))))
    >>> round(found.multiplier("bowl"), 9)  # N: m g · 0.8 at rest
    7.848
    """

    name: str
    body1: AnyBody
    surface: Surface | Callable[..., Any]
    body2: AnyBody
    point2: Point

    def __post_init__(self) -> None:
        self._check(3)
        object.__setattr__(self, "surface", surface_of(self.surface, f"the joint {self.name!r}"))

    @property
    def levels(self) -> tuple[Surface | _PlaneCurve, ...]:
        """The surface."""
        assert isinstance(self.surface, Surface)
        return (self.surface,)


@dataclass(frozen=True, eq=False)
class PointOnCurve(_Guide):
    """Point 2 of body 2 stays on a curve that body 1 carries: in space two rows, in the plane one.

    In space `curve` is a pair of surfaces (or functions of x, y, z) that meet in it, nowhere tangent; in the plane one
    function φ(x, y). Coordinates are those of body 1. Raises InputError.
    """

    name: str
    body1: AnyBody
    curve: Any
    body2: AnyBody
    point2: Point

    def __post_init__(self) -> None:
        self._check(2 if np.size(np.asarray(self.point2, dtype=object)) == 2 else 3)
        if len(self.point2) == 2:
            if not callable(self.curve):
                raise InputError(f"the curve {self.name!r} in the plane is a function of x and y, got {self.curve!r}.")
            parts: tuple[Any, ...] = (_PlaneCurve(self.curve),)
        else:
            if not isinstance(self.curve, (tuple, list)) or len(self.curve) != 2:
                raise InputError(
                    f"the curve {self.name!r} in space is where two surfaces meet: give two surfaces or functions of"
                    f" x, y, z, got {self.curve!r}."
                )
            parts = tuple(surface_of(part, f"the curve {self.name!r}") for part in self.curve)
            if parts[0] == parts[1]:
                raise InputError(f"the curve {self.name!r} is where two surfaces meet, but both are one; give two.")
        object.__setattr__(self, "curve", parts)

    @property
    def levels(self) -> tuple[Surface | _PlaneCurve, ...]:
        """The surfaces, or the curve in the plane."""
        return tuple(self.curve)
