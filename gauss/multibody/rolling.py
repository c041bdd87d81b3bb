"""Rolling without slip on a plane at rest, and the knife edge: rows on the velocities of bodies.

The velocity of the point of a body that is at ρ in space (from the body's origin a) is ȧ + Ṙ Rᵀρ, with the
coefficient ρ·R_j on Ṙ_ij. A contact point wanders in the body, so its rows are Pfaffian.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gauss.arrays import positive
from gauss.errors import InputError
from gauss.functions import sqrt
from gauss.model import Constraint, Holonomic, Pfaffian
from gauss.multibody.bodies import AnyBody, Body, require_body
from gauss.multibody.vectors import Vector, across, direction_of, dot, minus, numbers, plus, times


@dataclass(frozen=True, eq=False)
class _Rolling:
    """A round body on a plane: one holonomic row, ``{name} touches``, and two Pfaffian ones, ``{name} rolls[0]``, [1].

    The multiplier of the first is the normal force (N), those of the others are the forces of friction along two
    directions of the plane, `across` its normal. The contact can pull: watch its sign. Raises InputError.
    """

    name: str
    body: Body
    radius: float  # m
    centre: Sequence[float] = (0.0, 0.0, 0.0)  # in body axes, m
    normal: Sequence[float] = (0.0, 0.0, 1.0)  # of the plane, towards the body
    through: Sequence[float] = (0.0, 0.0, 0.0)  # a point of the plane, m

    def __post_init__(self) -> None:
        if not isinstance(self.body, Body):
            raise InputError(f"{self.name!r}: only a Body rolls, got {self.body!r}.")
        for field, value in (
            ("radius", positive(self.radius, f"the radius of {self.name!r}")),
            ("centre", numbers(self.centre, 3, f"the centre of {self.name!r}")),
            ("normal", direction_of(self.normal, 3, f"the normal of {self.name!r}")),
            ("through", numbers(self.through, 3, f"the point of the plane of {self.name!r}")),
        ):
            object.__setattr__(self, field, value)

    @property
    def bodies(self) -> tuple[AnyBody, ...]:
        """The body that rolls."""
        return (self.body,)

    def arm(self, q: Any) -> Vector:
        """Return the vector (m, space axes) from the centre to the point of contact."""
        raise NotImplementedError

    def height(self, q: Any) -> Any:
        """Return the distance (m) of the body from the plane, negative where it would be inside."""
        centre = minus(self.body.placed(q).point(self.centre), self.through)
        return dot(plus(centre, self.arm(q)), self.normal)

    def contact(self, q: Any) -> Vector:
        """Return the point of contact in space (m)."""
        return plus(self.body.placed(q).point(self.centre), self.arm(q))

    def constraints(self) -> list[Constraint]:
        """Return the rows."""
        tangents = across(tuple(self.normal))

        def rolls(q: Any) -> list[dict[str, Any]]:
            placed, arm = self.body.placed(q), self.arm(q)
            at = plus(self.centre, tuple(dot(arm, column) for column in placed.columns))
            shares = self.body.influence(at)
            return [{name: dot(share, tangent) for name, share in shares.items()} for tangent in tangents]

        return [Holonomic(f"{self.name} touches", lambda q: self.height(q)), Pfaffian(f"{self.name} rolls", rolls)]


@dataclass(frozen=True, eq=False)
class RollingBall(_Rolling):
    """A ball of `radius` about `centre` rolls on a plane without slip; it may spin about the normal."""

    def arm(self, q: Any) -> Vector:
        """Return −r n."""
        return times(-self.radius, self.normal)


@dataclass(frozen=True, eq=False)
class RollingDisc(_Rolling):
    """The sharp rim of a disc of `radius` with the axis `axis` (body axes) rolls on a plane without slip.

    Its lowest point touches; where the disc lies flat that point is not determined and the rows are singular.
    """

    axis: Sequence[float] = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "axis", direction_of(self.axis, 3, f"the axis of {self.name!r}"))

    def arm(self, q: Any) -> Vector:
        """Return −r times the unit vector of the part of n in the plane of the disc, (n − (n·e)e)/√(1 − (n·e)²)."""
        e = self.body.placed(q).direction(self.axis)
        leaning = dot(self.normal, e)
        up = minus(self.normal, times(leaning, e))
        return times(-self.radius / sqrt(1.0 - leaning**2), up)


@dataclass(frozen=True, eq=False)
class KnifeEdge:
    """A point of a body does not move along a direction fixed in it (across the blade): one Pfaffian row.

    In space and in the plane. Raises InputError.
    """

    name: str
    body: AnyBody
    point: Sequence[float]
    across: Sequence[float]

    def __post_init__(self) -> None:
        require_body(self.body, f"the knife edge {self.name!r}")
        at = self.body.require_point(self.point, f"the point of the knife edge {self.name!r}")
        object.__setattr__(self, "point", at)
        object.__setattr__(
            self, "across", direction_of(self.across, len(at), f"the direction across the knife edge {self.name!r}")
        )

    @property
    def bodies(self) -> tuple[AnyBody, ...]:
        """The body with the blade."""
        return (self.body,)

    def constraints(self) -> list[Constraint]:
        """Return the row."""

        def blade(q: Any) -> dict[str, Any]:
            along = self.body.placed(q).direction(self.across)
            return {name: dot(share, along) for name, share in self.body.influence(self.point).items()}

        return [Pfaffian(self.name, blade)]
