"""Scenes: many rigid bodies with simple shapes, fixed obstacles, gravity, and materials with friction and restitution.

In the plane a body has the coordinates x, z (m, of its centre of mass) and the angle θ (rad) from x towards z; in space
x, y, z and a unit quaternion (w, x, y, z) that turns its axes into the world's, and the angular velocity is that in the
body's axes, which are the principal axes of inertia.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array, as_array, not_negative, positive, repeated_in, scalar, vector
from gauss.nonsmooth.shapes import PLANAR, SPATIAL, BodyShape, Box, Cuboid, Distance, Obstacle, Point, Segment, Sphere


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body with a shape, its start, and what acts on it.

    `angle` is a number in the plane; in space a rotation vector (3,). `spin` is the angular velocity: a number, or (3,)
    in the body's axes. `inertia` is that of the homogeneous shape if left out: one number, or three principal moments.
    `load` is a constant force and moment: (F_x, F_z, moment) in the plane; (F_x, F_y, F_z) and the moments about the
    body's axes in space. A body that is `fixed` never moves.
    """

    name: str
    shape: BodyShape
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
            raise InputError(f"a Body needs a name as its first argument, got {self.name!r}.")
        if not isinstance(self.shape, PLANAR + SPATIAL) or not hasattr(self.shape, "bound"):
            raise InputError(
                f"the shape of body {self.name!r} is {self.shape!r}; Disc(radius) and others are expected."
            )
        what, space = f"of body {self.name!r}", isinstance(self.shape, SPATIAL)
        d, turns = (3, 3) if space else (2, 1)
        mass = positive(self.mass, f"the mass {what}")
        own = self.shape.inertia(mass) if self.inertia is None else as_array(self.inertia, f"the inertia {what}")
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


def _turn(value: object, size: int, what: str) -> Array:
    """Return an angle or spin (size,); one zero stands for three."""
    array = as_array(value, what)
    if array.size == 1 and size == 3 and float(array.reshape(())) == 0.0:
        return np.zeros(3)
    return vector(array.reshape(-1), size, what)


@dataclass(frozen=True)
class Surface:
    """How two materials touch: Coulomb's coefficient μ and Newton's coefficient of restitution e."""

    friction: float = 0.0  # μ ≥ 0
    restitution: float = 0.0  # e in [0, 1]

    def __post_init__(self) -> None:
        object.__setattr__(self, "friction", not_negative(self.friction, "a friction coefficient"))
        e = scalar(self.restitution, "a restitution")
        if not 0.0 <= e <= 1.0:
            raise InputError(f"a restitution must lie in [0, 1], but is {e:g}.")
        object.__setattr__(self, "restitution", e)


@dataclass(frozen=True)
class Scene:
    """Bodies among fixed obstacles under gravity, all in the plane or all in space.

    `gravity` is g (m/s²) downwards, or a vector. All contacts share `surface`, but those of a pair of materials in
    `surfaces`, as in ``{("steel", "ice"): Surface(0.03, 0.5)}``. Raises InputError for shapes that do not go together.
    """

    name: str
    bodies: Sequence[Body]
    obstacles: Sequence[Obstacle] = ()
    gravity: Any = 9.81
    surface: Surface = field(default_factory=Surface)
    surfaces: Mapping[tuple[str, str], Surface] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise InputError(f"a Scene needs a name as its first argument, got {self.name!r}.")
        bodies, obstacles = _listed(self.bodies, "bodies"), _listed(self.obstacles, "obstacles")
        if not bodies or not all(isinstance(b, Body) for b in bodies):
            raise InputError(f"the bodies of {self.name!r} must be a list of Body objects, at least one.")
        repeated = repeated_in([b.name for b in bodies])
        if repeated:
            raise InputError(f"the scene {self.name!r} has more than one body called {', '.join(map(repr, repeated))}.")
        space = isinstance(bodies[0].shape, SPATIAL)
        shapes = SPATIAL if space else PLANAR
        for item in (*(b.shape for b in bodies), *obstacles):
            if not isinstance(item, PLANAR + SPATIAL) or (hasattr(item, "bound") and item in obstacles):
                raise InputError(f"{item!r} is no obstacle; give a fixed body, HalfPlane, Segment, Plane or Distance.")
            if not isinstance(item, shapes):
                raise InputError(f"the scene {self.name!r} mixes the plane and space: {bodies[0].shape} and {item}.")
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
        if not isinstance(self.surface, Surface):
            raise InputError(f"the surface of {self.name!r} must be a Surface(friction, restitution).")
        for item in (*self.bodies, *self.obstacles):
            if not isinstance(item.material, str):
                raise InputError(f"a material of {self.name!r} is {item.material!r}; materials are names.")
        if not isinstance(self.surfaces, Mapping):
            raise InputError("surfaces must be a dict like {('steel', 'ice'): Surface(0.03, 0.5)}.")
        for pair, surface in self.surfaces.items():
            if not isinstance(pair, tuple) or len(pair) != 2 or not isinstance(surface, Surface):
                raise InputError("surfaces must be a dict like {('steel', 'ice'): Surface(0.03, 0.5)}.")
            known = {b.material for b in self.bodies} | {o.material for o in self.obstacles}
            if not set(pair) <= known:
                raise InputError(f"surfaces names {pair}, but the materials of {self.name!r} are {sorted(known)}.")
            if self.surfaces.get(pair[::-1], surface) != surface:
                raise InputError(f"surfaces gives {pair} and {pair[::-1]} different coefficients.")

    def _check_pairs(self) -> None:
        """Refuse shapes that do not touch one another."""
        cuboids = [b for b in self.bodies if isinstance(b.shape, Cuboid)]
        others = [b for b in self.bodies if isinstance(b.shape, Sphere)]
        if (
            len(cuboids) > 1
            or (cuboids and others)
            or (cuboids and any(isinstance(o, Distance) for o in self.obstacles))
        ):
            raise InputError(
                f"in the scene {self.name!r} a Cuboid could meet another Cuboid, a Sphere or a Distance; in space a"
                " Cuboid touches planes only. Use spheres, or one Cuboid alone."
            )
        if any(isinstance(b.shape, Point) for b in self.bodies) and any(isinstance(o, Segment) for o in self.obstacles):
            raise InputError(
                f"the scene {self.name!r} has a Point and a Segment. Neither has a thickness, so that the Point would"
                " pass through; use a HalfPlane or a fixed Box for the wall, or a small Disc for the Point."
            )
        boxes = [b.name for b in self.bodies if isinstance(b.shape, Box) and not b.fixed]
        if boxes and any(isinstance(o, Distance) for o in self.obstacles):
            raise InputError(
                f"in the scene {self.name!r} the Box {boxes[0]!r} could meet a Distance, which only points and discs"
                " touch. Use segments or fixed boxes for the obstacle."
            )

    @property
    def spatial(self) -> bool:
        """Whether the scene is in space."""
        return isinstance(self.bodies[0].shape, SPATIAL)


def _listed(value: object, what: str) -> tuple[Any, ...]:
    if not isinstance(value, Iterable):
        raise InputError(f"the {what} must be a list, got {value!r}.")
    return tuple(value)
