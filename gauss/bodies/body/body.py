"""What all bodies share, the ground, and the rigid body in space.

The points of every body are linear in its coordinates. A rigid body has the position a of its origin and the entries of
its rotation matrix R as coordinates; the point b of the body (in its own axes) is at a + R b. Its kinetic energy (VHIF
§1, with the origin anywhere in the body) is

    T = ½ m |ȧ|² + m ȧ·Ṙ c₀ + ½ tr(Ṙ K₀ Ṙᵀ),   K₀ = ∫ b ⊗ b dm,   c₀ = centre of mass,

so the mass matrix is constant and there is no gyroscopic term; six rows keep RᵀR = 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import as_number, names_of, vanishes
from gauss.geometry import rotations
from gauss.geometry.inertia import Inertia
from gauss.geometry.placed import Placed
from gauss.geometry.vectors import Vector, cross, dot, numbers, times, unit
from gauss.model import Holonomic

AXES = (1, 2, 3)
PAIRS = ((1, 1), (2, 2), (3, 3), (1, 2), (1, 3), (2, 3))  # rows of RᵀR = 1, in this order


class AnyBody(Protocol):
    """What joints, forces and mechanisms ask of a body."""

    @property
    def name(self) -> str:
        """Its name, with which its coordinates begin."""

    @property
    def dimension(self) -> int:
        """3 in space, 2 in the plane, 0 for the ground, which is in both."""

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of its coordinates."""

    def placed(self, q: Any) -> Placed:
        """Return where it is; `q` gives values by coordinate name: the q of a model function, a dict, or a run."""

    def influence(self, at: Any) -> dict[str, Vector]:
        """Return the velocity of the point b = `at` per velocity of each coordinate."""

    def turned_by(self, torque: Any, q: Any) -> dict[str, Any]:
        """Return the generalized force of a torque (N m, space axes; one number in the plane)."""

    def require_point(self, at: object, what: str) -> tuple[float, ...]:
        """Return a point or vector of the body, checked. Raises InputError."""


@dataclass(frozen=True)
class Pose:
    """Values of the coordinates of one body, and of their rates, by coordinate name.

    >>> from gauss import bodies as mb
    >>> mb.Particle("bead", 2.0).pose((0.5, 0.0, 1.0), velocity=(0.0, 3.0, 0.0))
    Pose(body='bead', q={'bead_x': 0.5, 'bead_y': 0.0, 'bead_z': 1.0}, v={'bead_x': 0.0, 'bead_y': 3.0, 'bead_z': 0.0})
    """

    body: str
    q: Mapping[str, float]
    v: Mapping[str, float]


def name_checked(name: object) -> None:
    """Raise InputError for what cannot begin the name of a coordinate."""
    if not isinstance(name, str):
        raise InputError(f"a body needs a name as its first argument, got {name!r}.")
    if len(names_of([name], "a body's name")) != 1:
        raise InputError(f"a body's name must be one word, got {name!r}.")


def inertia_checked(name: str, inertia: object) -> Inertia:
    """Return an inertia. Raises InputError for anything else."""
    if not isinstance(inertia, Inertia):
        raise InputError(f"the body {name!r} needs an Inertia as its second argument, got {inertia!r}.")
    return inertia


def require_body(value: object, what: str) -> None:
    """Raise InputError, which names `what`, for anything that is no body."""
    if isinstance(value, type) or not all(hasattr(value, word) for word in ("placed", "influence", "require_point")):
        raise InputError(f"{what} acts on a Body, Rod, Particle, PlanarBody or GROUND, but got {described(value)}.")


def require_name(name: object, what: str) -> None:
    """Raise InputError for what is no name of a joint or force."""
    if not isinstance(name, str) or not name.strip():
        raise InputError(f"{what} needs a name as its first argument, got {name!r}.")


def described(value: Any) -> str:
    """Return a part of a mechanism by its kind and name, for messages; anything else as it is."""
    name = getattr(value, "name", None)
    return f"the {type(value).__name__} {name!r}" if isinstance(name, str) else repr(value)


def values_of(q: Any, names: Iterable[str]) -> list[Any]:
    """Return values by coordinate name. Raises InputError for what has no values by name, or not these."""
    try:
        return [q[name] for name in names]
    except (TypeError, IndexError, KeyError) as error:
        raise InputError(
            f"values by coordinate name are expected (a run, mechanism.named(q) of a vector, a dict), but of"
            f" {type(q).__name__} there is no {next(iter(names))!r} ({error})."
        ) from None


def pose_of(body: AnyBody, q: Iterable[float], v: Iterable[float]) -> Pose:
    """Return the values of the coordinates of a body, and of their rates, as a pose."""
    return Pose(body.name, dict(zip(body.coordinates, q, strict=True)), dict(zip(body.coordinates, v, strict=True)))


@dataclass(frozen=True)
class Fixed(Placed):
    """The ground, in space and in the plane: points and directions stay what they are."""

    def point(self, at: Any) -> Vector:
        """Return the point."""
        return tuple(at)

    def direction(self, along: Any) -> Vector:
        """Return the direction."""
        return tuple(along)


@dataclass(frozen=True)
class Ground:
    """The frame at rest; its axes are those of space. `GROUND` is the only one needed.

    >>> from gauss import bodies as mb
    >>> mb.Ground() == mb.GROUND, mb.GROUND.coordinates
    (True, ())
    """

    name: str = "ground"
    dimension: ClassVar[int] = 0
    coordinates: ClassVar[tuple[str, ...]] = ()

    def placed(self, q: Any) -> Placed:
        """Return the origin and the axes of space."""
        return Fixed((0.0, 0.0, 0.0), tuple(unit(k, 3) for k in range(3)))

    def influence(self, at: Any) -> dict[str, Vector]:
        """Return nothing: the ground does not move."""
        return {}

    def turned_by(self, torque: Any, q: Any) -> dict[str, Any]:
        """Return nothing: the ground does not move."""
        return {}

    def require_point(self, at: object, what: str) -> tuple[float, ...]:
        """Return a point, of three numbers in space and two in the plane. Raises InputError."""
        return numbers(at, 2 if np.size(np.asarray(at, dtype=object)) == 2 else 3, what)


GROUND = Ground()


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body in space, with twelve coordinates and six rows.

    The coordinates are ``{name}_x``, ``_y``, ``_z`` (position of the origin, m) and ``{name}_R11`` … ``_R33``, row by
    row; R maps body axes to space. The rows ``{name} rigid[0]`` … ``[5]`` are RᵀR = 1 in the order 11, 22, 33, 12, 13,
    23. Raises InputError for a body whose points lie on a line: its spin is not determined (use `Rod` or `Particle`).
    """

    name: str
    inertia: Inertia
    dimension: ClassVar[int] = 3
    carried: ClassVar[bool] = False  # whether joints determine its rotation, so that any inertia will do

    def __post_init__(self) -> None:
        name_checked(self.name)
        inertia = inertia_checked(self.name, self.inertia)
        if not self.carried and not inertia.symbolic and inertia.rank < 2:
            what = "Rod" if self.inertia.rank == 1 else "Particle"
            raise InputError(
                f"all mass of the body {self.name!r} lies on a line or in a point, so that its rotation is not"
                f" determined; use {what}."
            )

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The twelve names."""
        entries = (f"{self.name}_R{i}{j}" for i in AXES for j in AXES)
        return (*(f"{self.name}_{x}" for x in "xyz"), *entries)

    def placed(self, q: Any) -> Placed:
        """Return where the body is, from coordinates by name; from velocities, how it moves."""
        x = values_of(q, self.coordinates)
        return Placed(tuple(x[:3]), tuple(tuple(x[3 + j :: 3]) for j in range(3)))

    def kinetic(self, v: Any) -> Any:
        """Return the kinetic energy (J) from velocities by name."""
        moved, m = self.placed(v), self.inertia.mass
        K, c = self.inertia.second, self.inertia.centre
        energy = 0.5 * m * dot(moved.origin, moved.origin)
        for j in range(3):
            if not vanishes(c[j]):
                energy = energy + m * as_number(c[j]) * dot(moved.origin, moved.columns[j])
            for k in range(j, 3):
                if not vanishes(K[j, k]):
                    share = as_number(K[j, k]) * (0.5 if j == k else 1.0)
                    energy = energy + share * dot(moved.columns[j], moved.columns[k])
        return energy

    @property
    def constraints(self) -> list[Holonomic]:
        """The six rows RᵀR = 1."""

        def rigid(q: Any) -> list[Any]:
            columns = self.placed(q).columns
            return [dot(columns[i - 1], columns[j - 1]) - float(i == j) for i, j in PAIRS]

        return [Holonomic(f"{self.name} rigid", rigid, keep=True)]

    def centre_of(self, q: Any) -> Vector:
        """Return the centre of mass in space (m)."""
        return self.placed(q).point(tuple(as_number(x) for x in self.inertia.centre))

    def influence(self, at: Any) -> dict[str, Vector]:
        """Return the velocity of the point b = `at` per velocity of each coordinate: e_i, and b_j e_i for Ṙ_ij."""
        shares = [unit(i, 3) for i in range(3)]
        shares += [times(at[j], unit(i, 3)) for i in range(3) for j in range(3)]
        return dict(zip(self.coordinates, shares, strict=True))

    def turned_by(self, torque: Any, q: Any) -> dict[str, Any]:
        """Return the generalized force of a torque τ (N m, space axes): ½ τ × R_k on the rate of each column of R.

        Then its virtual work ½ Σ (τ × R_k)·(δθ × R_k) is τ·δθ, as the columns R_k are orthonormal.
        """
        columns = self.placed(q).columns
        forces = [times(0.5, cross(torque, column)) for column in columns]
        return {f"{self.name}_R{i}{j}": forces[j - 1][i - 1] for i in AXES for j in AXES}

    def angular_velocity(self, q: Any, v: Any, axes: rotations.Axes = "body") -> Vector:
        """Return ω (rad/s) in axes of the body or of space, from coordinates and velocities by name: RᵀṘ = [ω]."""
        R, R_dot = ([[x[f"{self.name}_R{i}{j}"] for j in AXES] for i in AXES] for x in (q, v))
        return tuple(rotations.spin(R, R_dot, axes))

    def pose(
        self,
        position: object = (0.0, 0.0, 0.0),
        rotation: Any = None,
        velocity: object = (0.0, 0.0, 0.0),
        angular_velocity: object = (0.0, 0.0, 0.0),
        axes: rotations.Axes = "body",
    ) -> Pose:
        """Return the coordinates and velocities of a pose and a motion.

        `position` and `velocity` (m, m/s) are those of the origin, in space. `rotation` is what `rotation()` takes
        (identity if left out). The angular velocity (rad/s) is in body axes, or in space with axes="space".
        Raises InputError.
        """
        R = np.eye(3) if rotation is None else rotations.rotation(rotation)
        omega = np.array(numbers(angular_velocity, 3, f"the angular velocity of {self.name!r}"))
        R_dot = rotations.rate(R, omega, axes=axes)
        q = [*numbers(position, 3, f"the position of {self.name!r}"), *map(float, np.ravel(R))]
        v = [*numbers(velocity, 3, f"the velocity of {self.name!r}"), *map(float, np.ravel(R_dot))]
        return pose_of(self, q, v)

    def require_point(self, at: object, what: str) -> tuple[float, ...]:
        """Return a point of the body, three numbers. Raises InputError."""
        return numbers(at, 3, what)


@dataclass(frozen=True, eq=False)
class Carried(Body):
    """A rigid body in space whose rotation its joints determine, so that its inertia may be that of a point, or none.

    So the cross of a universal joint, or what lies between two joints of a robot, has joints and no mass. Coordinates
    and rows are those of `Body`. Where a joint of such a body turns nothing that has inertia no acceleration is
    determined, which `accelerate` refuses (NonUniqueAccelerationError). Raises InputError.

    >>> import gauss as g
    >>> from gauss import bodies as mb
    >>> bob, cross = mb.Body("bob", mb.box(2.0, (0.1, 0.1, 0.2))), mb.Carried("cross")
    >>> one = mb.Revolute("one", mb.GROUND, (0, 0, 0), cross, (0, 0, 0), (1, 0, 0))
    >>> two = mb.Revolute("two", cross, (0, 0, 0), bob, (0, 0, 0.5), (0, 1, 0))
    >>> held = mb.Mechanism("on a cross", [cross, bob], [one, two])
    >>> found = g.accelerate(held, *held.state(cross.pose(velocity=(0, 0, 0)), bob.pose((0, 0, -0.5))))
    >>> found.unique, round(found.multiplier("one[2]"), 9)  # N: 2 kg · 9.81 m/s² on the cross
    (True, 19.62)
    """

    inertia: Inertia = field(default_factory=Inertia.none)
    carried: ClassVar[bool] = True
