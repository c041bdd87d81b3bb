"""A ball that rolls without slip on a surface of a body or of the ground."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gauss.bodies.body.body import GROUND, AnyBody, Body
from gauss.bodies.joints.guides import surface_of
from gauss.bodies.joints.rates import within
from gauss.bodies.joints.rolling import Contact
from gauss.errors import InputError
from gauss.foundation.arrays import positive
from gauss.foundation.portable import Portable
from gauss.functions.elementary import sqrt
from gauss.geometry.surfaces import Surface
from gauss.geometry.vectors import Vector, across, direction_of, dot, numbers, plus, times


@dataclass(frozen=True, eq=False)
class RollingOnSurface(Contact, Portable):
    """A ball of `radius` about `centre` rolls on a surface without slip; it may spin about the normal.

    The centre of the ball is on the surface parallel to `surface` at the distance r, φ = r, so that φ must be the
    distance from it. Of an `ImplicitSurface` the parallel one has no closed form; with of_centres=True the surface
    given is that on which the centre moves, as in Routh, and the ball touches the one parallel to it at −r.

    Rows and multipliers are those of `Contact`. The tangents are those `across` the direction `upright` of the surface,
    turned by the least angle that takes it to the normal n: u − (u·n)(k + n)/(1 + k·n), singular where n = −k only.
    Raises InputError.
    """

    name: str
    body: Body
    radius: float  # m
    surface: Any  # a Surface, or a function φ(x, y, z), in the axes of the carrier
    centre: Sequence[float] = (0.0, 0.0, 0.0)  # in body axes, m
    of_centres: bool = False
    upright: Any = None  # k, in the axes of the carrier; that of the surface if left out
    carrier: AnyBody = field(default=GROUND, kw_only=True)

    def __post_init__(self) -> None:
        self._check()
        surface = surface_of(self.surface, f"the rolling contact {self.name!r}")
        if not (surface.is_distance or self.of_centres):
            raise InputError(
                f"{self.name!r}: the surface that is parallel to an implicit one has no closed form. Give a surface"
                " whose distance is known (SphericalSurface, …), or with of_centres=True the one on which the centre"
                " of the ball moves."
            )
        given = surface.upright if self.upright is None else self.upright
        for word, value in (
            ("surface", surface),
            ("radius", positive(self.radius, f"the radius of {self.name!r}")),
            ("centre", numbers(self.centre, 3, f"the centre of {self.name!r}")),
            ("upright", direction_of(given, 3, f"the direction upright of {self.name!r}")),
        ):
            object.__setattr__(self, word, value)
        hollow = getattr(surface, "inside", False) and not self.of_centres
        room = getattr(surface, "minor", getattr(surface, "radius", np.inf)) if hollow else np.inf
        if self.radius >= room:
            raise InputError(
                f"{self.name!r}: a ball of radius {self.radius:g} m does not roll inside a surface of radius"
                f" {room:g} m; it must be smaller."
            )

    def _normal(self, q: Any) -> tuple[Vector, Any]:
        """Return the unit normal in the axes of the carrier, and the distance of the centre from its surface."""
        surface: Surface = self.surface
        x = within(self.carrier.placed(q), self.body.placed(q).point(self.centre))
        value, gradient = surface.value(x), surface.gradient(x)
        if surface.is_distance:
            return gradient, value - (0.0 if self.of_centres else self.radius)
        length = sqrt(dot(gradient, gradient))
        return times(1.0 / length, gradient), value / length

    def height(self, q: Any) -> Any:
        """Return the distance (m) of the ball from the surface (to first order in it, with an implicit surface)."""
        return self._normal(q)[1]

    def contact(self, q: Any) -> Vector:
        """Return the point of contact in space (m)."""
        n = self.carrier.placed(q).direction(self._normal(q)[0])
        return plus(self.body.placed(q).point(self.centre), times(-self.radius, n))

    def frame(self, q: Any) -> tuple[Vector, Vector, Vector]:
        """Return two tangents and the normal towards the ball at the contact: orthonormal, in space."""
        n, k = self._normal(q)[0], tuple(self.upright)
        placed, lean = self.carrier.placed(q), plus(k, n)
        turned = [plus(e, times(-1.0 * dot(e, n) / (1.0 + dot(k, n)), lean)) for e in across(k)]
        return placed.direction(turned[0]), placed.direction(turned[1]), placed.direction(n)
