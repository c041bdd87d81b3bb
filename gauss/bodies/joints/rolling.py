"""Rolling without slip on a plane, which may belong to a moving body, and the knife edge.

A smooth convex body lies on the plane with unit normal n' (in body axes) where its support function h(n'), the distance
of its centre from the plane that touches it, is reached: the height is n·(a + R c − p) − h(Rᵀn), and the point of
contact c − ∇h(n'). The velocity of the point b of a body is ȧ + Ṙ b, with the coefficient b_j on Ṙ_ij; a contact point
wanders in its bodies, so that its rows are Pfaffian.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gauss.bodies.body.body import GROUND, AnyBody, Body, Ground, described, require_body, require_name
from gauss.bodies.body.rods_and_particles import PlanarBody
from gauss.bodies.forces.forces import at_point_velocity
from gauss.bodies.joints.rates import answered, inward, velocity_row, within
from gauss.errors import InputError
from gauss.foundation.arrays import Array, positive
from gauss.functions.elementary import sqrt
from gauss.geometry.rotations import rotation
from gauss.geometry.vectors import IDENTITY, Vector, across, direction_of, dot, minus, numbers, plus, times
from gauss.model import Constraint, Holonomic, Pfaffian


class Contact(ABC):
    """A body that rolls: a holonomic row, ``{name} touches``, and two Pfaffian ones, ``{name} rolls[0]`` and ``[1]``.

    The multiplier of the first is the normal force (N) on the body, those of the others the friction on it (N) along
    the two `tangents`. The contact can pull: watch the sign. The opposite force acts on the carrier.
    """

    name: str
    body: Body
    carrier: AnyBody

    def _check(self) -> None:
        """Raise InputError for bodies that cannot roll or carry."""
        require_name(self.name, "a rolling contact")
        if not isinstance(self.body, Body):
            raise InputError(f"{self.name!r}: only a Body rolls, got {described(self.body)}.")
        if not isinstance(self.carrier, (Body, Ground)):
            raise InputError(f"{self.name!r}: a body rolls on GROUND or on a Body, got {described(self.carrier)}.")
        if self.carrier.name == self.body.name:
            raise InputError(f"{self.name!r}: the body {self.body.name!r} rolls on itself; give another carrier.")

    @property
    def bodies(self) -> tuple[AnyBody, ...]:
        """The body that rolls, and what it rolls on."""
        return self.body, self.carrier

    @abstractmethod
    def height(self, q: Any) -> Any:
        """Return the distance (m) of the body from the surface, negative where it would be inside."""

    @abstractmethod
    def contact(self, q: Any) -> Vector:
        """Return the point of contact in space (m)."""

    @abstractmethod
    def frame(self, q: Any) -> tuple[Vector, Vector, Vector]:
        """Return two tangents and the normal towards the body at the contact: orthonormal, in space."""

    def _points(self, q: Any) -> tuple[Vector, Vector]:
        """Return the contact in the axes of the body and in those of the carrier."""
        at = self.contact(q)
        return within(self.body.placed(q), at), within(self.carrier.placed(q), at)

    def slip(self, q: Any, v: Any) -> Vector:
        """Return the velocity (m/s, space axes) of the body at the contact past the carrier, zero where it rolls."""
        at, there = self._points(q)
        return minus(at_point_velocity(self.body, at, v), at_point_velocity(self.carrier, there, v))

    def force(self, answer: Any) -> Array:
        """Return the force (3,) or (3, N) on the body at the contact (N, space axes), of a Verdict or along a run.

        Raises InputError for anything else.
        """
        q, multiplier = answered(answer)
        u, w, n = self.frame(q)
        parts = [multiplier(f"{self.name} {row}") for row in ("rolls[0]", "rolls[1]", "touches")]
        return np.array(plus(*(times(part, e) for part, e in zip(parts, (u, w, n), strict=True))), dtype=float)

    def constraints(self) -> list[Constraint]:
        """Return the rows."""

        def rolls(q: Any) -> list[dict[str, Any]]:
            at, there = self._points(q)
            return [velocity_row(self.body, at, self.carrier, there, e) for e in self.frame(q)[:2]]

        return [Holonomic(f"{self.name} touches", lambda q: self.height(q)), Pfaffian(f"{self.name} rolls", rolls)]


class _OnPlane(Contact):
    """A convex body on the plane through the point `through` with the normal `normal` of its carrier.

    The tangents are the directions `across` the normal, fixed in the carrier.
    """

    centre: Sequence[float]
    normal: Sequence[float]
    through: Sequence[float]

    def __post_init__(self) -> None:
        self._check()
        for word, value in (
            ("centre", numbers(self.centre, 3, f"the centre of {self.name!r}")),
            ("normal", direction_of(self.normal, 3, f"the normal of {self.name!r}")),
            ("through", numbers(self.through, 3, f"the point of the plane of {self.name!r}")),
        ):
            object.__setattr__(self, word, value)

    @abstractmethod
    def support(self, normal: Vector) -> Any:
        """Return the distance h (m) of the centre from the plane that touches, by its normal in body axes."""

    @abstractmethod
    def lowest(self, normal: Vector) -> Vector:
        """Return −∇h (m, body axes), from the centre to the point that touches, by the normal in body axes."""

    def _normals(self, q: Any) -> tuple[Vector, Vector]:
        """Return the normal in space and in body axes."""
        n = self.carrier.placed(q).direction(self.normal)
        return n, inward(self.body.placed(q), n)

    def height(self, q: Any) -> Any:
        """Return the distance (m) of the body from the plane, negative where it would be inside."""
        n, inner = self._normals(q)
        centre = minus(self.body.placed(q).point(self.centre), self.carrier.placed(q).point(self.through))
        return dot(centre, n) - self.support(inner)

    def arm(self, q: Any) -> Vector:
        """Return the vector (m, space axes) from the centre to the point of contact."""
        return self.body.placed(q).direction(self.lowest(self._normals(q)[1]))

    def contact(self, q: Any) -> Vector:
        """Return the point of contact in space (m)."""
        return plus(self.body.placed(q).point(self.centre), self.arm(q))

    def _points(self, q: Any) -> tuple[Vector, Vector]:
        """Return the contact in the axes of the body and in those of the carrier."""
        at = plus(self.centre, self.lowest(self._normals(q)[1]))
        return at, within(self.carrier.placed(q), self.body.placed(q).point(at))

    def frame(self, q: Any) -> tuple[Vector, Vector, Vector]:
        """Return the two directions `across` the normal, and the normal, in space."""
        placed, (u, w) = self.carrier.placed(q), across(tuple(self.normal))
        return placed.direction(u), placed.direction(w), placed.direction(self.normal)


@dataclass(frozen=True, eq=False)
class RollingBall(_OnPlane):
    """A ball of `radius` about `centre` rolls on a plane without slip; it may spin about the normal.

    Its rows and their multipliers are those of `Contact`. The plane has the normal `normal`, towards the ball, through
    the point `through`, in the axes of `carrier`. Raises InputError.
    """

    name: str
    body: Body
    radius: float  # m
    centre: Sequence[float] = (0.0, 0.0, 0.0)  # in body axes, m
    normal: Sequence[float] = (0.0, 0.0, 1.0)  # of the plane, towards the body
    through: Sequence[float] = (0.0, 0.0, 0.0)  # a point of the plane, m
    carrier: AnyBody = field(default=GROUND, kw_only=True)  # what the plane is fixed in

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "radius", positive(self.radius, f"the radius of {self.name!r}"))

    def support(self, normal: Vector) -> Any:
        """Return r."""
        return self.radius

    def lowest(self, normal: Vector) -> Vector:
        """Return −r n'."""
        return times(-self.radius, normal)


@dataclass(frozen=True, eq=False)
class RollingDisc(_OnPlane):
    """The sharp rim of a disc of `radius` with the axis `axis` (body axes) rolls on a plane without slip.

    Its lowest point touches; where the disc lies flat that point is not determined and the rows are singular. The
    plane is that of `RollingBall`. Raises InputError.
    """

    name: str
    body: Body
    radius: float  # m
    centre: Sequence[float] = (0.0, 0.0, 0.0)  # in body axes, m
    normal: Sequence[float] = (0.0, 0.0, 1.0)  # of the plane, towards the body
    through: Sequence[float] = (0.0, 0.0, 0.0)  # a point of the plane, m
    axis: Sequence[float] = (0.0, 0.0, 1.0)
    carrier: AnyBody = field(default=GROUND, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "radius", positive(self.radius, f"the radius of {self.name!r}"))
        object.__setattr__(self, "axis", direction_of(self.axis, 3, f"the axis of {self.name!r}"))

    def support(self, normal: Vector) -> Any:
        """Return r√(1 − (n'·e)²)."""
        return self.radius * sqrt(1.0 - dot(normal, self.axis) ** 2)

    def lowest(self, normal: Vector) -> Vector:
        """Return −r times the unit vector of the part of n' in the plane of the disc."""
        return times(-self.radius, _in_plane_of(normal, self.axis))


def _in_plane_of(normal: Vector, axis: Sequence[float]) -> Vector:
    """Return (n − (n·e)e)/√(1 − (n·e)²)."""
    leaning = dot(normal, axis)
    return times(1.0 / sqrt(1.0 - leaning**2), minus(normal, times(leaning, axis)))


@dataclass(frozen=True, eq=False)
class RollingTorus(_OnPlane):
    """A disc with a round edge rolls on a plane without slip: the circle of radius `major` swept by a ball of `minor`.

    The point that touches is −R (n' − (n'·e)e)/√(1 − (n'·e)²) − r n' from the centre; where the disc lies flat it is
    not determined and the rows are singular. The plane is that of `RollingBall`. Raises InputError.

    >>> import gauss as g
    >>> from gauss import bodies as mb
    >>> wheel = mb.Body("wheel", mb.ring(2.0, 0.35, normal=(0, 1, 0)))
    >>> rolling = mb.RollingTorus("road", wheel, major=0.3, minor=0.05, axis=(0, 1, 0))
    >>> held = mb.Mechanism("wheel", [wheel], [rolling])
    >>> pose = wheel.pose((0, 0, 0.35), velocity=(0.7, 0, 0), angular_velocity=(0, 2.0, 0))  # v = (R + r) ω
    >>> print(mb.reaction(g.accelerate(held, *held.state(pose)), rolling))
    reaction of 'road' on 'wheel': force (0, 0, 19.62) N, torque (0, 0, 0) N m
    """

    name: str
    body: Body
    major: float  # R, m: radius of the circle of centres
    minor: float  # r, m: radius of the edge
    centre: Sequence[float] = (0.0, 0.0, 0.0)  # in body axes, m
    normal: Sequence[float] = (0.0, 0.0, 1.0)  # of the plane, towards the body
    through: Sequence[float] = (0.0, 0.0, 0.0)  # a point of the plane, m
    axis: Sequence[float] = (0.0, 0.0, 1.0)
    carrier: AnyBody = field(default=GROUND, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "major", positive(self.major, f"the major radius of {self.name!r}"))
        object.__setattr__(self, "minor", positive(self.minor, f"the minor radius of {self.name!r}"))
        object.__setattr__(self, "axis", direction_of(self.axis, 3, f"the axis of {self.name!r}"))

    def support(self, normal: Vector) -> Any:
        """Return R√(1 − (n'·e)²) + r."""
        return self.major * sqrt(1.0 - dot(normal, self.axis) ** 2) + self.minor

    def lowest(self, normal: Vector) -> Vector:
        """Return the vector from the centre to the point that touches."""
        return plus(times(-self.major, _in_plane_of(normal, self.axis)), times(-self.minor, normal))


@dataclass(frozen=True, eq=False)
class RollingEllipsoid(_OnPlane):
    """An ellipsoid rolls on a plane without slip (a rattleback, an egg); it may spin about the normal.

    Its `semi_axes` (a, b, c) lie along the columns of `axes`, a rotation in body axes, about `centre`. With
    A = axes diag(a, b, c) axesᵀ the support function is h = √(n'ᵀA²n'), and the point −A²n'/h touches. The plane is
    that of `RollingBall`. Raises InputError.
    """

    name: str
    body: Body
    semi_axes: Sequence[float]  # (3,), m
    centre: Sequence[float] = (0.0, 0.0, 0.0)  # in body axes, m
    normal: Sequence[float] = (0.0, 0.0, 1.0)  # of the plane, towards the body
    through: Sequence[float] = (0.0, 0.0, 0.0)  # a point of the plane, m
    axes: Any = IDENTITY  # (3, 3) or what `rotation` takes; columns: directions of the semi-axes in body axes
    carrier: AnyBody = field(default=GROUND, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        lengths = numbers(self.semi_axes, 3, f"the semi-axes of {self.name!r}")
        if min(lengths) <= 0.0:
            raise InputError(f"the semi-axes of {self.name!r} must be positive, but are {lengths}.")
        turned = rotation(self.axes, f"the axes of {self.name!r}")
        object.__setattr__(self, "semi_axes", lengths)
        object.__setattr__(self, "axes", tuple(tuple(float(x) for x in row) for row in turned))

    def _stretched(self, normal: Vector) -> Vector:
        """Return the components of A n' along the semi-axes."""
        columns = zip(*self.axes, strict=True)
        return tuple(s * dot(column, normal) for s, column in zip(self.semi_axes, columns, strict=True))

    def support(self, normal: Vector) -> Any:
        """Return √(n'ᵀA²n')."""
        stretched = self._stretched(normal)
        return sqrt(dot(stretched, stretched))

    def lowest(self, normal: Vector) -> Vector:
        """Return −A²n'/√(n'ᵀA²n')."""
        stretched = self._stretched(normal)
        inner = tuple(s * x for s, x in zip(self.semi_axes, stretched, strict=True))
        return times(-1.0 / sqrt(dot(stretched, stretched)), tuple(dot(row, inner) for row in self.axes))


@dataclass(frozen=True, eq=False)
class KnifeEdge:
    """A point of a body does not move along a direction fixed in it (across the blade): one Pfaffian row.

    In space, of a `Body`, and in the plane. Raises InputError.

    >>> import gauss as g
    >>> from gauss import bodies as mb
    >>> sledge = mb.PlanarBody("sledge", 2.0, inertia=0.1)
    >>> blade = mb.KnifeEdge("blade", sledge, (0, 0), across=(0, 1))
    >>> pull = mb.PointForce("pull", sledge, (0, 0), (3.0, 4.0))
    >>> held = mb.Mechanism("sledge", [sledge], [blade], [pull], gravity=(0, 0))
    >>> found = g.accelerate(held, *held.state(sledge.pose()))
    >>> round(found.acceleration.sledge_x, 9), round(found.multiplier("blade"), 9)  # 3 N/2 kg, and −4 N across
    (1.5, -4.0)
    """

    name: str
    body: AnyBody
    point: Sequence[float]
    across: Sequence[float]

    def __post_init__(self) -> None:
        require_name(self.name, "a knife edge")
        require_body(self.body, f"the knife edge {self.name!r}")
        if not isinstance(self.body, (Body, PlanarBody)):
            raise InputError(
                f"the knife edge {self.name!r} belongs to a Body or a PlanarBody, which moves and has axes, got the"
                f" {type(self.body).__name__} {self.body.name!r}."
            )
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
