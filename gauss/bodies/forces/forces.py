"""Forces on bodies: springs with dampers, forces at points, torques.

A force adds to the potential energy or to the generalized forces. A force F at the point b of a body does the virtual
work F·(δa + δR b), which gives F on the origin and b_j F_i on R_ij; a torque τ does τ·δθ with δR = [δθ]R.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np

from gauss.bodies.body.body import AnyBody, require_body, require_name
from gauss.bodies.body.rods_and_particles import Particle, Rod
from gauss.errors import InputError, ModelError
from gauss.foundation.arrays import not_negative, vanishes
from gauss.foundation.portable import Portable
from gauss.functions.elementary import sqrt
from gauss.geometry.placed import Placed
from gauss.geometry.rotations import in_body
from gauss.geometry.vectors import Vector, dot, minus, numbers, times
from gauss.model.functions import SEEN, ModelFunction, as_list

World = dict[str, Any]  # values of q, v, t, p, u for model functions


@runtime_checkable
class Force(Protocol):
    """What a mechanism asks of a force."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def bodies(self) -> tuple[AnyBody, ...]:
        """The bodies it acts on."""

    @property
    def conservative(self) -> bool:
        """Whether its potential energy says everything."""

    def potential(self, q: Any) -> Any:
        """Return its potential energy (J)."""

    def generalized(self, world: World) -> list[dict[str, Any]]:
        """Return what is not in the potential: generalized forces by coordinate, one dict for each body."""


def at_point(body: AnyBody, at: Sequence[Any], force: Vector) -> dict[str, Any]:
    """Return the generalized force, by coordinate, of a force (N, space axes) at a point in body axes."""
    return {name: dot(share, force) for name, share in body.influence(at).items()}


@dataclass(frozen=True, eq=False)
class Spring:
    """A linear spring and damper between two points: it pulls with k(|d| − l) + c d|d|/dt along d = p₂ − p₁.

    `stiffness` k (N/m), `length` l at which it is free (m), `damping` c (N s/m). With l = 0 and c = 0 it is smooth at
    d = 0. Raises InputError.
    """

    name: str
    body1: AnyBody
    point1: Sequence[float]
    body2: AnyBody
    point2: Sequence[float]
    stiffness: float
    length: float = 0.0
    damping: float = 0.0

    def __post_init__(self) -> None:
        require_name(self.name, "a spring")
        for number, body in ((1, self.body1), (2, self.body2)):
            require_body(body, f"the spring {self.name!r}")
            point = body.require_point(getattr(self, f"point{number}"), f"point {number} of the spring {self.name!r}")
            object.__setattr__(self, f"point{number}", point)
        if self.body1.name == self.body2.name:
            raise InputError(
                f"the spring {self.name!r} joins {self.body1.name!r} with itself; give two bodies of different names."
            )
        if len(self.point1) != len(self.point2):
            raise InputError(f"the spring {self.name!r} joins a point in space and one in the plane.")
        for word in ("stiffness", "length", "damping"):
            value = not_negative(getattr(self, word), f"the {word} of the spring {self.name!r}")
            object.__setattr__(self, word, value)

    @property
    def bodies(self) -> tuple[AnyBody, ...]:
        """The bodies it acts on."""
        return self.body1, self.body2

    @property
    def conservative(self) -> bool:
        """Whether it has no damper."""
        return vanishes(self.damping)

    def apart(self, q: Any) -> Vector:
        """Return p₂ − p₁ in space (m)."""
        return minus(self.body2.placed(q).point(self.point2), self.body1.placed(q).point(self.point1))

    def potential(self, q: Any) -> Any:
        """Return ½k(|d| − l)² (J)."""
        apart = self.apart(q)
        squared = dot(apart, apart)
        if vanishes(self.length):
            return 0.5 * self.stiffness * squared
        return 0.5 * self.stiffness * (sqrt(squared) - self.length) ** 2

    def generalized(self, world: World) -> list[dict[str, Any]]:
        """Return the generalized forces of the damper."""
        q, v = world["q"], world["v"]
        apart = self.apart(q)
        rates = [
            at_point_velocity(body, point, v) for body, point in ((self.body1, self.point1), (self.body2, self.point2))
        ]
        rate = minus(rates[1], rates[0])
        pull = times(self.damping * dot(apart, rate) / dot(apart, apart), apart)
        return [at_point(self.body1, self.point1, pull), at_point(self.body2, self.point2, times(-1.0, pull))]


def at_point_velocity(body: AnyBody, at: Sequence[Any], v: Any) -> Vector:
    """Return the velocity (m/s) of a point in body axes; the ground's is zero."""
    shares = body.influence(at)
    if not shares:
        return (0.0,) * len(at)
    size = len(next(iter(shares.values())))
    return tuple(sum(share[k] * v[name] for name, share in shares.items()) for k in range(size))


class WithoutPotential:
    """What forces share that are given as forces."""

    @property
    def conservative(self) -> bool:
        """No: they do work as they are."""
        return False

    def potential(self, q: Any) -> Any:
        """Return 0 (J)."""
        return 0.0


@dataclass(frozen=True, eq=False)
class PointForce(WithoutPotential, Portable):
    """A force (N) at a point of a body, constant or a function of any of q, v, t, p, u by name.

    Its components are in space axes, or in body axes with axes="body" (a thrust). Raises InputError, ModelError.
    """

    name: str
    body: AnyBody
    point: Sequence[float]
    force: Callable[..., Any] | Sequence[float]
    axes: Literal["space", "body"] = "space"

    def __post_init__(self) -> None:
        require_name(self.name, "a force")
        require_body(self.body, f"the force {self.name!r}")
        at = self.body.require_point(self.point, f"the point of the force {self.name!r}")
        object.__setattr__(self, "point", at)
        object.__setattr__(self, "axes", _axes_checked(self.axes, self.body, f"the force {self.name!r}"))
        if not callable(self.force):
            object.__setattr__(self, "force", numbers(self.force, len(at), f"the force {self.name!r}"))

    @property
    def bodies(self) -> tuple[AnyBody, ...]:
        """The body it acts on."""
        return (self.body,)

    def generalized(self, world: World) -> list[dict[str, Any]]:
        """Return the generalized force."""
        force = _vector(self.force, world, len(self.point), f"the force {self.name!r}")
        return [at_point(self.body, self.point, _in_space(force, self.axes, self.body.placed(world["q"])))]


@dataclass(frozen=True, eq=False)
class Torque(WithoutPotential, Portable):
    """A torque (N m) on a body, constant or a function of any of q, v, t, p, u; three components, in the plane one.

    In space axes, or in body axes with axes="body". With `reaction` on another body the opposite acts there (a motor).
    Raises InputError, ModelError.
    """

    name: str
    body: AnyBody
    torque: Callable[..., Any] | Sequence[float] | float
    axes: Literal["space", "body"] = "space"
    reaction: AnyBody | None = None

    def __post_init__(self) -> None:
        require_name(self.name, "a torque")
        for body in self.bodies:
            require_body(body, f"the torque {self.name!r}")
            if isinstance(body, Particle):
                raise InputError(f"the torque {self.name!r} acts on the particle {body.name!r}, which does not turn.")
        if self.reaction is not None and self.reaction.name == self.body.name:
            raise InputError(f"the torque {self.name!r} has its reaction on {self.body.name!r} itself; give another.")
        object.__setattr__(self, "axes", _axes_checked(self.axes, self.body, f"the torque {self.name!r}"))
        if not callable(self.torque):
            given = np.atleast_1d(np.asarray(self.torque, dtype=object))
            object.__setattr__(self, "torque", numbers(given, self._size, f"the torque {self.name!r}"))

    @property
    def _size(self) -> int:
        return 1 if self.body.dimension == 2 else 3

    @property
    def bodies(self) -> tuple[AnyBody, ...]:
        """The bodies it acts on."""
        return (self.body,) if self.reaction is None else (self.body, self.reaction)

    def generalized(self, world: World) -> list[dict[str, Any]]:
        """Return the generalized forces of the torque and of its reaction."""
        q = world["q"]
        torque: Any = _vector(self.torque, world, self._size, f"the torque {self.name!r}")
        if self._size == 1:
            torque = torque[0]
            opposite = -torque
        else:
            torque = _in_space(torque, self.axes, self.body.placed(q))
            opposite = times(-1.0, torque)
        acting = [self.body.turned_by(torque, q)]
        return acting if self.reaction is None else [*acting, self.reaction.turned_by(opposite, q)]


def _axes_checked(axes: Any, body: AnyBody, what: str) -> str:
    """Return "body" or "space". Raises InputError for anything else, and for the axes of bodies without them."""
    if not in_body(axes):
        return "space"
    if isinstance(body, (Rod, Particle)):
        raise InputError(
            f'{what} needs the axes of {body.name!r}, which a {type(body).__name__} has not; use axes="space", with a'
            " function of q for a force along a rod, or Body."
        )
    return "body"


def _in_space(vector: Vector, axes: str, placed: Placed) -> Vector:
    return vector if axes == "space" else placed.direction(vector)


def _vector(value: Any, world: World, size: int, what: str) -> Vector:
    """Return the components of a constant vector or of what a model function gives. Raises ModelError."""
    if not callable(value):
        return tuple(value)
    entries = as_list(ModelFunction.of(value, SEEN, what)(world), what)
    if len(entries) != size:
        raise ModelError(f"{what} has {len(entries)} components, expected {size}.")
    return tuple(entries)


@dataclass(frozen=True, eq=False)
class Wrench(WithoutPotential, Portable):
    """A force (N) at a point of a body together with a torque (N m), each constant or a function as for `PointForce`.

    Both are in space axes, or in body axes with axes="body". With `reaction` on another body, the opposite force acts
    there at the same place in space, with the opposite torque. In the plane the torque is one number. Raises
    InputError, ModelError.

    >>> import gauss as g
    >>> from gauss import bodies as mb
    >>> plate = mb.PlanarBody("plate", 2.0, inertia=0.5)
    >>> push = mb.Wrench("push", plate, (0.5, 0.0), force=(0.0, 2.0), torque=-1.0)
    >>> held = mb.Mechanism("plate", [plate], [], [push], gravity=(0, 0))
    >>> found = g.accelerate(held, *held.state(plate.pose()))
    >>> found.acceleration.plate_y, found.acceleration.plate_s  # 2 N/2 kg; the torque undoes 2 N · 0.5 m
    (1.0, 0.0)
    """

    name: str
    body: AnyBody
    point: Sequence[float]
    force: Callable[..., Any] | Sequence[float]
    torque: Callable[..., Any] | Sequence[float] | float
    axes: Literal["space", "body"] = "space"
    reaction: AnyBody | None = None

    def __post_init__(self) -> None:
        at = PointForce(self.name, self.body, self.point, self.force, self.axes)
        turn = Torque(self.name, self.body, self.torque, self.axes, self.reaction)
        for field, value in (("point", at.point), ("force", at.force), ("torque", turn.torque), ("axes", at.axes)):
            object.__setattr__(self, field, value)

    @property
    def bodies(self) -> tuple[AnyBody, ...]:
        """The bodies it acts on."""
        return (self.body,) if self.reaction is None else (self.body, self.reaction)

    def generalized(self, world: World) -> list[dict[str, Any]]:
        """Return the generalized forces of the force, of the torque and of their reactions."""
        q = world["q"]
        placed = self.body.placed(q)
        given = _vector(self.force, world, len(self.point), f"the force {self.name!r}")
        force = _in_space(given, self.axes, placed)
        acting = [at_point(self.body, self.point, force)]
        if self.reaction is not None:
            acting.append(at_place(self.reaction, placed.point(self.point), times(-1.0, force), q))
        return acting + Torque(self.name, self.body, self.torque, self.axes, self.reaction).generalized(world)


def at_place(body: AnyBody, place: Vector, force: Vector, q: Any) -> dict[str, Any]:
    """Return the generalized force, by coordinate, of a force (N, space axes) on a body at a place in space (m)."""
    placed = body.placed(q)
    arm = minus(place, placed.origin[: len(place)])
    return at_point(body, tuple(dot(arm, column[: len(place)]) for column in placed.columns[: len(place)]), force)
