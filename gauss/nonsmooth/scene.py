"""Scenes: many rigid bodies with simple shapes, fixed obstacles, gravity, and materials with friction and restitution.

In the plane a body has the coordinates x, z (m, of its centre of mass) and the angle θ (rad) from x towards z; in space
x, y, z and a unit quaternion (w, x, y, z) that turns its axes into the world's, and the angular velocity is that in the
body's axes, which are the principal axes of inertia.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array, as_array, not_negative, positive, repeated_in, scalar, vector
from gauss.foundation.portable import Portable
from gauss.geometry.contact_solids import Ball, Box, Disc, HalfPlane
from gauss.geometry.shapes import Polyline
from gauss.geometry.surfaces import PlaneSurface
from gauss.model import warn_of_friction


@dataclass(frozen=True)
class DistanceField(Portable):
    """A fixed obstacle given by the distance of a point from it (m), for discs and balls.

    `function(x, z)` (in space `function(x, y, z)`) takes arrays (k,) and returns distances (k,), negative inside. Near
    the surface its gradient must have length one. Without `gradient`, which returns (k, 2) or (k, 3), derivatives are
    taken by complex steps, so that the function must be made of analytic NumPy operations. Raises
    InputError for what is no function.

    >>> import numpy as np
    >>> from gauss.nonsmooth import Disc, DistanceField, Scene, SceneBody, moreau
    >>> bowl = DistanceField(lambda x, z: 1.0 - np.sqrt(x**2 + (z - 1.0) ** 2))  # a circle of 1 m
    >>> scene = Scene("stone", [SceneBody("stone", Disc(0.1), 2.0, position=(0.0, 0.1))], [bowl])
    >>> moreau(scene, step=1e-2, t_end=0.1).pressing(-1).normal.round(9).tolist()  # N s: at its lowest point
    [0.1962]
    """

    function: Callable[..., Any]
    gradient: Callable[..., Any] | None = None

    def __post_init__(self) -> None:
        for name, value in (("function", self.function), ("gradient", self.gradient)):
            if not callable(value) and not (name == "gradient" and value is None):
                raise InputError(f"the {name} of a DistanceField must be a function of x, z, got {value!r}.")


@dataclass(frozen=True)
class Obstacle:
    """A fixed shape and the name of its material.

    The shape is a `HalfPlane`, a `Polyline` (a thin wall that is touched from both sides) or a `DistanceField`; in
    space a `PlaneSurface` or a `DistanceField`. Raises InputError for others.

    >>> from gauss.nonsmooth import ContactMaterial, Disc, HalfPlane, Obstacle, Scene, SceneBody, moreau
    >>> puck = SceneBody("puck", Disc(0.1), 1.0, position=(0.0, 0.1), velocity=(2.0, 0.0), material="steel")
    >>> smooth = {("steel", "ice"): ContactMaterial(0.0, 0.0)}
    >>> scene = Scene("rink", [puck], [Obstacle(HalfPlane(), "ice")], surfaces=smooth)
    >>> abs(moreau(scene, step=1e-2, t_end=0.1).v[-1]).round(9).tolist()  # it glides and does not begin to roll
    [2.0, 0.0, 0.0]
    """

    shape: HalfPlane | Polyline | PlaneSurface | DistanceField
    material: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.shape, HalfPlane | Polyline | PlaneSurface | DistanceField):
            raise InputError(
                f"{self.shape!r} is no obstacle; give a fixed body, HalfPlane, Polyline, PlaneSurface or DistanceField."
            )

    @property
    def kind(self) -> str:
        """The name of its kind of shape."""
        return type(self.shape).__name__

    def walls(self) -> tuple[Obstacle, ...]:
        """Return the straight pieces of a Polyline one by one, of others itself. Raises InputError."""
        if not isinstance(self.shape, Polyline):
            return (self,)
        points = self.shape.outline(2).lines[0]
        if not np.all(np.linalg.norm(np.diff(points, axis=0), axis=1) > 0.0):
            raise InputError(f"a Polyline needs different points one after another, but has {points.tolist()}.")
        pieces = zip(points.tolist(), points[1:].tolist(), strict=False)
        return tuple(Obstacle(Polyline(pair), self.material) for pair in pieces)


@dataclass(frozen=True, eq=False)
class SceneBody:
    """A rigid body of a scene: a shape about its centre of mass, its start, and what acts on it.

    The shape is a `Disc` (a point mass with the radius 0) or a `Box` in the plane, a `Ball` or a `Box` in space.

    `angle` is a number in the plane; in space a rotation vector (3,). `spin` is the angular velocity: a number, or (3,)
    in the body's axes. `inertia` is that of the homogeneous shape if left out: one number, or three principal moments.
    `load` is a constant force and moment: (F_x, F_z, moment) in the plane; (F_x, F_y, F_z) and the moments about the
    body's axes in space. A body that is `fixed` never moves. Raises InputError.
    """

    name: str
    shape: Disc | Ball | Box
    mass: float = 1.0  # kg
    position: Sequence[float] | None = None  # m; the origin if left out
    angle: Any = 0.0  # rad
    velocity: Sequence[float] | None = None  # m/s
    spin: Any = 0.0  # rad/s
    inertia: Any = None  # kg m²
    material: str = ""
    load: Sequence[float] | None = None  # N and N m
    fixed: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise InputError(f"a SceneBody needs a name as its first argument, got {self.name!r}.")
        what = f"of body {self.name!r}"
        _require_shape(self.shape, what)
        d, turns = (3, 3) if self.shape.dimension == 3 else (2, 1)
        mass = positive(self.mass, f"the mass {what}")
        own = _moments(self.shape, mass) if self.inertia is None else as_array(self.inertia, f"the inertia {what}")
        own = vector(own.reshape(-1), turns, f"the inertia {what}")
        if np.any(own <= 0.0):
            raise InputError(f"the inertia {what} must be positive, but is {own}.")
        given = {
            "mass": mass,
            "inertia": own,
            "position": np.zeros(d) if self.position is None else vector(self.position, d, f"the position {what}"),
            "angle": _turn(self.angle, turns, f"the angle {what}"),
            "velocity": np.zeros(d) if self.velocity is None else vector(self.velocity, d, f"the velocity {what}"),
            "spin": _turn(self.spin, turns, f"the spin {what}"),
            "load": np.zeros(d + turns) if self.load is None else vector(self.load, d + turns, f"the load {what}"),
        }
        for name, value in given.items():
            object.__setattr__(self, name, value)
        if not isinstance(self.fixed, bool | np.bool_):
            raise InputError(f"fixed must be True or False for body {self.name!r}, got {self.fixed!r}.")
        if self.fixed and (np.any(np.asarray(self.velocity)) or np.any(np.asarray(self.spin))):
            raise InputError(f"body {self.name!r} is fixed, so it can have no velocity.")


def _require_shape(shape: object, what: str) -> None:
    """Raise InputError for a shape that a body of a scene cannot have."""
    if not isinstance(shape, Disc | Ball | Box):
        raise InputError(f"the shape {what} is {shape!r}; Disc(radius), Box(sides) or Ball(radius) is expected.")
    if isinstance(shape, Box) and (not min(shape.sides) > 0.0 or shape.axes != Box(shape.sides).axes):
        raise InputError(f"the Box {what} needs positive sides along the axes of the body, got {shape!r}.")
    if np.any(np.array(shape.centre)):
        raise InputError(f"the shape {what} must be about its centre of mass, but its centre is {shape.centre}.")


def _moments(shape: Disc | Ball | Box, mass: float) -> Array:
    """Return the moments of inertia; of a point, which no force turns, numbers without meaning."""
    return shape.moments(mass) if shape.bound > 0.0 else np.full(3 if shape.dimension == 3 else 1, mass)


def _turn(value: object, size: int, what: str) -> Array:
    """Return an angle or spin (size,); one zero stands for three."""
    array = as_array(value, what)
    if array.size == 1 and size == 3 and float(array.reshape(())) == 0.0:
        return np.zeros(3)
    return vector(array.reshape(-1), size, what)


@dataclass(frozen=True)
class ContactMaterial:
    """How two materials touch: Coulomb's coefficient μ and Newton's coefficient of restitution e.

    Raises InputError for μ < 0 and for e outside of [0, 1].
    """

    friction: float = 0.0  # μ ≥ 0
    restitution: float = 0.0  # e in [0, 1]

    def __post_init__(self) -> None:
        object.__setattr__(self, "friction", not_negative(self.friction, "a friction coefficient"))
        warn_of_friction(self.friction, "the friction of a material")
        e = scalar(self.restitution, "a restitution")
        if not 0.0 <= e <= 1.0:
            raise InputError(f"a restitution must lie in [0, 1], but is {e:g}.")
        object.__setattr__(self, "restitution", e)


@dataclass(frozen=True)
class Scene:
    """Bodies among fixed obstacles under gravity, all in the plane or all in space.

    `gravity` is g (m/s²) downwards, or a vector. All contacts share `surface`, but those of a pair of materials in
    `surfaces`, as in ``{("steel", "ice"): ContactMaterial(0.03, 0.5)}``. Raises InputError for shapes that do not go
    together.
    """

    name: str
    bodies: Sequence[SceneBody]
    obstacles: Sequence[Any] = ()  # Obstacle objects, or shapes without a material
    gravity: Any = 9.81
    surface: ContactMaterial = field(default_factory=ContactMaterial)
    surfaces: Mapping[tuple[str, str], ContactMaterial] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise InputError(f"a Scene needs a name as its first argument, got {self.name!r}.")
        bodies, given = _listed(self.bodies, "bodies"), _listed(self.obstacles, "obstacles")
        if not bodies or not all(isinstance(b, SceneBody) for b in bodies):
            raise InputError(f"the bodies of {self.name!r} must be a list of SceneBody objects, at least one.")
        repeated = repeated_in([b.name for b in bodies])
        if repeated:
            raise InputError(f"the scene {self.name!r} has more than one body called {', '.join(map(repr, repeated))}.")
        space = bodies[0].shape.dimension == 3
        obstacles = tuple(wall for o in given for wall in (o if isinstance(o, Obstacle) else Obstacle(o)).walls())
        for shape in (item.shape for item in (*bodies, *obstacles)):
            if isinstance(shape, Ball | PlaneSurface | Box | Disc | HalfPlane | Polyline) and (
                space != (isinstance(shape, PlaneSurface) or getattr(shape, "dimension", 2) == 3)
            ):
                raise InputError(f"the scene {self.name!r} mixes the plane and space: {bodies[0].shape} and {shape}.")
        object.__setattr__(self, "bodies", bodies)
        object.__setattr__(self, "obstacles", obstacles)
        g = as_array(self.gravity, "gravity")
        down = np.zeros(3 if space else 2)
        down[-1] = -1.0
        value = down * float(g) if g.ndim == 0 else vector(g, len(down), "gravity")
        object.__setattr__(self, "gravity", vector(value, len(down), "gravity"))
        self._check_surfaces()
        self._check_pairs()

    def _check_surfaces(self) -> None:
        if not isinstance(self.surface, ContactMaterial):
            raise InputError(f"the surface of {self.name!r} must be a ContactMaterial(friction, restitution).")
        for item in (*self.bodies, *self.obstacles):
            if not isinstance(item.material, str):
                raise InputError(f"a material of {self.name!r} is {item.material!r}; materials are names.")
        if not isinstance(self.surfaces, Mapping):
            raise InputError("surfaces must be a dict like {('steel', 'ice'): ContactMaterial(0.03, 0.5)}.")
        for pair, surface in self.surfaces.items():
            if not isinstance(pair, tuple) or len(pair) != 2 or not isinstance(surface, ContactMaterial):
                raise InputError("surfaces must be a dict like {('steel', 'ice'): ContactMaterial(0.03, 0.5)}.")
            known = {b.material for b in self.bodies} | {o.material for o in self.obstacles}
            if not set(pair) <= known:
                raise InputError(f"surfaces names {pair}, but the materials of {self.name!r} are {sorted(known)}.")
            if self.surfaces.get(pair[::-1], surface) != surface:
                raise InputError(f"surfaces gives {pair} and {pair[::-1]} different coefficients.")

    def _check_pairs(self) -> None:
        """Refuse shapes that do not touch one another."""
        boxes = [b for b in self.bodies if isinstance(b.shape, Box)]
        fields = any(isinstance(o.shape, DistanceField) for o in self.obstacles)
        if self.spatial and boxes and (len(self.bodies) > 1 or fields):
            raise InputError(
                f"in the scene {self.name!r} a Box could meet another body or a DistanceField; in space a Box touches"
                " planes only. Use balls, or one Box alone."
            )
        if any(b.shape.bound == 0.0 for b in self.bodies) and any(
            isinstance(o.shape, Polyline) for o in self.obstacles
        ):
            raise InputError(
                f"the scene {self.name!r} has a point and a Polyline. Neither has a thickness, so that the point would"
                " pass through; use a HalfPlane or a fixed Box for the wall, or a small Disc for the point."
            )
        movable = [b.name for b in boxes if not b.fixed]
        if movable and fields:
            raise InputError(
                f"in the scene {self.name!r} the Box {movable[0]!r} could meet a DistanceField, which only discs touch."
                " Use walls or fixed boxes for the obstacle."
            )

    @property
    def spatial(self) -> bool:
        """Whether the scene is in space."""
        return self.bodies[0].shape.dimension == 3


def _listed(value: object, what: str) -> tuple[Any, ...]:
    if not isinstance(value, Iterable):
        raise InputError(f"the {what} must be a list, got {value!r}.")
    return tuple(value)
