"""Bodies with fewer coordinates: thin rods and particles in space, and rigid bodies in the plane."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from gauss.bodies.body.body import AXES, Pose, inertia_checked, name_checked, pose_of, values_of
from gauss.errors import InputError
from gauss.foundation.arrays import Array, is_symbol, positive, scalar, vanishes
from gauss.geometry.inertia import Inertia
from gauss.geometry.placed import Placed
from gauss.geometry.vectors import COLLINEAR, Vector, cross, direction_of, dot, numbers, times, unit
from gauss.model import Holonomic
from gauss.model.units import warn_of_degrees

THIN = 1e-10  # second eigenvalue of K₀, relative to the first, up to which all points lie on a line through the origin


@dataclass(frozen=True, eq=False)
class Rod:
    """A thin rod in space: all its mass on a line through its origin; its spin is no freedom.

    Coordinates ``{name}_x``, ``_y``, ``_z`` (m) and ``{name}_u1``, ``_u2``, ``_u3``, the direction of its axis in
    space, with the one row |u|² = 1, ``{name} rigid``. The axis in body axes is that of the inertia. Raises InputError
    for an inertia that is not on a line through the origin.
    """

    name: str
    inertia: Inertia
    dimension: ClassVar[int] = 3

    def __post_init__(self) -> None:
        name_checked(self.name)
        spread = np.linalg.eigvalsh(inertia_checked(self.name, self.inertia).second)
        if spread[2] <= 0.0:
            raise InputError(f"all mass of the rod {self.name!r} lies in its origin; use Particle.")
        if spread[1] > THIN * spread[2]:
            raise InputError(
                f"the mass of the rod {self.name!r} does not lie on a line through its origin; use Body, or put the"
                " origin on the line."
            )

    @cached_property
    def axis(self) -> Array:
        """Direction (3,) of the rod in body axes; its largest component is positive."""
        e = np.linalg.eigh(self.inertia.second)[1][:, 2]
        e = np.where(np.abs(e) > COLLINEAR, e, 0.0)
        e = e / np.linalg.norm(e)
        return np.asarray(e * np.sign(e[int(np.argmax(np.abs(e)))]))

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The six names."""
        return (*(f"{self.name}_{x}" for x in "xyz"), *(f"{self.name}_u{i}" for i in AXES))

    def placed(self, q: Any) -> Placed:
        """Return where the rod is; `point` and `direction` are right for what lies along its axis."""
        x = values_of(q, self.coordinates)
        return Placed(tuple(x[:3]), tuple(times(float(e), tuple(x[3:])) for e in self.axis))

    def kinetic(self, v: Any) -> Any:
        """Return ½m|ȧ|² + m s_c ȧ·u̇ + ½k|u̇|² (J); s_c is where the mass centre lies on the axis, k = eᵀK₀e."""
        u = tuple(v[f"{self.name}_u{i}"] for i in AXES)
        a, m, e = tuple(v[f"{self.name}_{x}"] for x in "xyz"), self.inertia.mass, self.axis
        lever, second = float(e @ self.inertia.centre), float(e @ self.inertia.second @ e)
        return 0.5 * m * dot(a, a) + m * lever * dot(a, u) + 0.5 * second * dot(u, u)

    @property
    def constraints(self) -> list[Holonomic]:
        """The row |u|² = 1."""
        names = [f"{self.name}_u{i}" for i in AXES]
        return [Holonomic(f"{self.name} rigid", lambda q: sum(q[x] ** 2 for x in names) - 1.0, keep=True)]

    def centre_of(self, q: Any) -> Vector:
        """Return the centre of mass in space (m)."""
        return self.placed(q).point(tuple(float(x) for x in self.inertia.centre))

    def influence(self, at: Any) -> dict[str, Vector]:
        """Return the velocity of the point b per velocity of each coordinate: e_i, and (b·e) e_i for u̇_i."""
        along = dot(at, tuple(float(x) for x in self.axis))
        shares = [unit(i, 3) for i in range(3)] + [times(along, unit(i, 3)) for i in range(3)]
        return dict(zip(self.coordinates, shares, strict=True))

    def turned_by(self, torque: Any, q: Any) -> dict[str, Any]:
        """Return the generalized force τ × u of a torque; its part along the rod does no work."""
        u = tuple(q[f"{self.name}_u{i}"] for i in AXES)
        return dict(zip(self.coordinates[3:], cross(torque, u), strict=True))

    def pose(
        self,
        position: object = (0.0, 0.0, 0.0),
        direction: object = (0.0, 0.0, 1.0),
        velocity: object = (0.0, 0.0, 0.0),
        angular_velocity: object = (0.0, 0.0, 0.0),
    ) -> Pose:
        """Return the coordinates and velocities; everything in space axes, `direction` is that of `axis`."""
        u = direction_of(direction, 3, f"the direction of {self.name!r}")
        omega = numbers(angular_velocity, 3, f"the angular velocity of {self.name!r}")
        q = [*numbers(position, 3, f"the position of {self.name!r}"), *u]
        v = [*numbers(velocity, 3, f"the velocity of {self.name!r}"), *cross(omega, u)]
        return pose_of(self, q, v)

    def require_point(self, at: object, what: str) -> tuple[float, ...]:
        """Return a point of the rod's axis, three numbers. Raises InputError for points beside it."""
        point = np.array(numbers(at, 3, what))
        if np.linalg.norm(np.cross(point, self.axis)) > COLLINEAR * max(float(np.linalg.norm(point)), 1e-300):
            raise InputError(f"{what} does not lie on the axis {self.axis} of the rod {self.name!r}; use Body.")
        return tuple(float(x) for x in point)


@dataclass(frozen=True, eq=False)
class Particle:
    """A point mass in space (kg): coordinates ``{name}_x``, ``_y``, ``_z`` (m), no rows. Raises InputError."""

    name: str
    mass: float
    dimension: ClassVar[int] = 3

    def __post_init__(self) -> None:
        name_checked(self.name)
        object.__setattr__(self, "mass", positive(self.mass, f"the mass of {self.name!r}"))

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The three names."""
        return tuple(f"{self.name}_{x}" for x in "xyz")

    def placed(self, q: Any) -> Placed:
        """Return where the particle is; it has no directions."""
        return Placed(tuple(values_of(q, self.coordinates)), ((0.0, 0.0, 0.0),) * 3)

    def kinetic(self, v: Any) -> Any:
        """Return ½m|ȧ|² (J)."""
        return 0.5 * self.mass * sum(v[x] ** 2 for x in self.coordinates)

    @property
    def constraints(self) -> list[Holonomic]:
        """No rows."""
        return []

    def centre_of(self, q: Any) -> Vector:
        """Return its place (m)."""
        return self.placed(q).origin

    def influence(self, at: Any) -> dict[str, Vector]:
        """Return the unit vectors."""
        return {x: unit(k, 3) for k, x in enumerate(self.coordinates)}

    def turned_by(self, torque: Any, q: Any) -> dict[str, Any]:
        """Raise InputError: a particle does not turn."""
        raise InputError(f"a torque on the particle {self.name!r} does no work; use Body.")

    def pose(self, position: object = (0.0, 0.0, 0.0), velocity: object = (0.0, 0.0, 0.0)) -> Pose:
        """Return the coordinates and velocities."""
        q = numbers(position, 3, f"the position of {self.name!r}")
        return pose_of(self, list(q), list(numbers(velocity, 3, f"the velocity of {self.name!r}")))

    def require_point(self, at: object, what: str) -> tuple[float, ...]:
        """Return the origin. Raises InputError for any other point."""
        point = numbers(at, 3, what)
        if any(point):
            raise InputError(f"{what} is {point}, but a particle has its origin alone, (0, 0, 0).")
        return point


@dataclass(frozen=True, eq=False)
class PlanarBody:
    """A rigid body in the plane, with four coordinates and one row.

    The coordinates are ``{name}_x``, ``_y`` (m), the place of its origin, and ``{name}_c``, ``_s``, the cosine and sine
    of its angle; the row is c² + s² = 1, ``{name} rigid``. `mass` is in kg, `inertia` (kg m²) about the centre of mass,
    which is at `centre` (m, body axes). Raises InputError.
    """

    name: str
    mass: float
    inertia: float
    centre: tuple[float, ...] = (0.0, 0.0)
    dimension: ClassVar[int] = 2

    def __post_init__(self) -> None:
        name_checked(self.name)
        object.__setattr__(self, "mass", positive(self.mass, f"the mass of {self.name!r}"))
        object.__setattr__(self, "inertia", scalar(self.inertia, f"the moment of inertia of {self.name!r}"))
        object.__setattr__(self, "centre", numbers(self.centre, 2, f"the centre of mass of {self.name!r}"))
        if not is_symbol(self._about_origin) and (self.inertia < 0.0 or self._about_origin == 0.0):
            raise InputError(
                f"the moment of inertia of {self.name!r} about its origin must be positive, but is"
                f" {self._about_origin:g} (about the centre of mass {self.inertia:g})."
            )

    @property
    def _about_origin(self) -> float:
        return self.inertia + self.mass * dot(self.centre, self.centre)  # type: ignore[no-any-return]

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The four names."""
        return tuple(f"{self.name}_{x}" for x in "xycs")

    def placed(self, q: Any) -> Placed:
        """Return where the body is; vectors have two components."""
        x, y, c, s = values_of(q, self.coordinates)
        return Placed((x, y), ((c, s), (-s, c)))

    def kinetic(self, v: Any) -> Any:
        """Return ½m|ȧ|² + m ȧ·Ṙc₀ + ½J(ċ² + ṡ²) (J), J about the origin."""
        moved = self.placed(v)
        turning = dot(moved.columns[0], moved.columns[0])
        centre = moved.direction(self.centre)
        linear = 0.5 * self.mass * dot(moved.origin, moved.origin) + 0.5 * self._about_origin * turning
        return linear + self.mass * dot(moved.origin, centre) if not all(map(vanishes, self.centre)) else linear

    @property
    def constraints(self) -> list[Holonomic]:
        """The row c² + s² = 1."""
        c, s = self.coordinates[2:]
        return [Holonomic(f"{self.name} rigid", lambda q: q[c] ** 2 + q[s] ** 2 - 1.0, keep=True)]

    def centre_of(self, q: Any) -> Vector:
        """Return the centre of mass (m)."""
        return self.placed(q).point(self.centre)

    def influence(self, at: Any) -> dict[str, Vector]:
        """Return the velocity of the point b per velocity of each coordinate."""
        shares: list[Vector] = [(1.0, 0.0), (0.0, 1.0), tuple(at), (-at[1], at[0])]
        return dict(zip(self.coordinates, shares, strict=True))

    def turned_by(self, torque: Any, q: Any) -> dict[str, Any]:
        """Return the generalized force (−τs, τc) of a torque (N m) about the normal of the plane."""
        c, s = self.coordinates[2:]
        return {c: -torque * q[s], s: torque * q[c]}

    def pose(
        self, position: object = (0.0, 0.0), angle: float = 0.0, velocity: object = (0.0, 0.0), rate: float = 0.0
    ) -> Pose:
        """Return the coordinates and velocities for an angle (rad) from the x-axis and its rate (rad/s)."""
        phi, omega = scalar(angle, f"the angle of {self.name!r}"), scalar(rate, f"the rate of {self.name!r}")
        warn_of_degrees(("angle",), np.array([phi]), {"angle": "rad"})
        c, s = float(np.cos(phi)), float(np.sin(phi))
        q = [*numbers(position, 2, f"the position of {self.name!r}"), c, s]
        return pose_of(self, q, [*numbers(velocity, 2, f"the velocity of {self.name!r}"), -s * omega, c * omega])

    def require_point(self, at: object, what: str) -> tuple[float, ...]:
        """Return a point of the body, two numbers. Raises InputError."""
        return numbers(at, 2, what)
