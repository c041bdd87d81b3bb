"""Which shapes touch, and how: points with a radius on one body, the distance from a shape on the other.

See `gauss.geometry.contact_solids` for the shapes. Curves and surfaces of any form join them here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gauss.errors import InputError
from gauss.functions.elementary import sqrt
from gauss.geometry.contact_solids import Box, Disc, Hole, RoundSolid, Solid
from gauss.geometry.surfaces import ByFunction, Surface, ToroidalSurface
from gauss.geometry.vectors import Vector, dot, times


@dataclass(frozen=True, eq=False)
class Level(ByFunction, Solid):
    """All that lies at φ(x, y) < 0 in the plane, for a function of any form, written with gauss.sin, gauss.sqrt, ….

    The gap is φ/|∇φ|, which at φ = 0 has a unit gradient, so that the multiplier is the normal force (N); away from the
    curve it is the distance to first order. Round shapes need the distance itself: say distance=True where φ is it.
    `gradient_function` returns the two components of ∇φ where φ has pieces; else SymPy forms it. Raises InputError.

    >>> import gauss as g
    >>> from gauss import bodies as mb
    >>> bead = mb.PlanarBody("bead", 2.0, inertia=0.01)
    >>> hill = mb.Level(lambda x, y: x**2 / 4 + y**2 - 1)
    >>> touch = mb.Touching("hill", bead, mb.Disc(0.0), mb.GROUND, hill)
    >>> held = mb.Mechanism("bead on an ellipse", [bead], [touch])
    >>> found = g.accelerate(held, *held.state(bead.pose((0.0, 1.0))))
    >>> touch.normal_force(found).round(9).tolist()  # N: at the top it bears the weight
    [0.0, 19.62]
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
class _Carried(Solid):
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
    level: Solid


def shape_of(given: Any, what: str) -> Solid:
    """Return a shape, of which a surface is one, too. Raises InputError."""
    if isinstance(given, Solid):
        if isinstance(given, Box) and min(given.sides) == 0.0:
            raise InputError(f"{what}: the sides of a Box that touches must be positive, but are {given.sides}.")
        if isinstance(given, Disc) and len(given.centre) != 2:
            raise InputError(f"{what}: a Disc touches in the plane, with a centre of two numbers; use a Ball.")
        return given
    if not isinstance(given, type) and isinstance(given, Surface):
        return _Carried(given)
    raise InputError(
        f"{what} must be a Disc, Box, HalfPlane, Hole or Level in the plane, a Ball, Box or surface in space, got"
        f" {given!r}."
    )


def pairs_of(shape1: Solid, shape2: Solid, what: str) -> tuple[Pair, ...]:
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


def _bulges(shape: Solid) -> bool:
    """Whether a surface may touch a box where that has no corner: a round one from outside, a torus anyhow."""
    surface = getattr(shape, "surface", None)
    return isinstance(surface, ToroidalSurface) or not getattr(surface, "inside", True)


def _require_room(pair: Pair, what: str) -> None:
    """Raise InputError for a point on a point, a pin larger than its hole, and a round shape on a mere level."""
    if isinstance(pair.level, RoundSolid) and pair.radius + pair.level.radius == 0.0:
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
