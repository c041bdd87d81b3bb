"""Friction of bearings as a smooth law of their load: a force that sees the multipliers of its joint's rows.

At rest such a law gives no force, as tanh(ω/ω₀) has none: it creeps where dry friction holds (see `dry_friction`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from types import FunctionType
from typing import Any

from gauss.bodies.body.body import described
from gauss.bodies.forces.forces import World
from gauss.bodies.joints.drivers import _JointForce
from gauss.bodies.joints.joint import Joint
from gauss.bodies.joints.planar_joints import Pin
from gauss.bodies.joints.rates import Motion
from gauss.bodies.joints.spatial_joints import Cylindrical, Prismatic, Revolute
from gauss.errors import InputError
from gauss.functions.elementary import hypot, sqrt
from gauss.geometry.vectors import Vector, across, dot
from gauss.model.coordinates import Named
from gauss.model.functions import ModelFunction, as_scalar

TAKES = ("load", "rate", "q", "v", "t", "p", "u")
LOADS = ("radial", "axial", "moment")


@dataclass(frozen=True, eq=False)
class BearingFriction(_JointForce):
    """A torque (N m; of a displacement a force, N) in a bearing that depends on its load, given among the forces.

    `torque` is a function of any of load, rate, q, v, t, p, u. `load.radial` (N) is the resultant of the joint's force
    across its axis, `load.axial` (N) its component along axis 1, of the force of body 1 on body 2, and `load.moment`
    (N m) the resultant of the torque that it carries; `rate` is that of the joint (rad/s or m/s). The torque acts on
    body 2, so against the rate it is negative. The joint is a `Pin`, `Revolute`, `Cylindrical` or `Prismatic` one; in
    joint coordinates its rows are kept. The load depends on the torque: `gauss.classify` says whether it is unique.
    Raises InputError, ModelError.

    >>> import gauss as g
    >>> from gauss import bodies as mb
    >>> disc = mb.PlanarBody("disc", 2.0, inertia=0.5)
    >>> pin = mb.Pin("pin", mb.GROUND, (0, 0), disc, (0, 0))
    >>> law = lambda load, rate: -0.01 * load.radial * g.tanh(rate / 0.01)  # r μ = 0.01 m
    >>> held = mb.Mechanism("wheel", [disc], [pin], [mb.BearingFriction("bearing", pin, law)])
    >>> found = g.accelerate(held, *held.state(disc.pose(rate=3.0)))
    >>> round(found.acceleration.disc_s, 9)  # −0.01 m · 2 kg · 9.81 m/s² / 0.5 kg m², at the angle 0
    -0.3924
    """

    name: str
    joint: Joint
    torque: Callable[..., Any]
    motion: Motion | None = None

    def __post_init__(self) -> None:
        self._check()
        what = f"the bearing friction {self.name!r}"
        if not isinstance(self.joint, Pin | Revolute | Cylindrical | Prismatic):
            raise InputError(
                f"{what} needs a Pin, Revolute, Cylindrical or Prismatic joint, got {described(self.joint)}."
            )
        if not callable(self.torque):
            raise InputError(
                f"{what} is a function of load and rate; a constant torque is a Brake, got {self.torque!r}."
            )
        ModelFunction.of(self.torque, TAKES, what)

    def strength(self, world: World) -> Any:
        """Return the torque (N m) or force (N) on body 2."""
        what = f"the bearing friction {self.name!r}"
        given = {**world, "load": self._load(world), "rate": self._rate(world)}
        return as_scalar(ModelFunction.of(self.torque, TAKES, what)(given), what)

    def _load(self, world: World) -> Named:
        """Return the load by its parts."""
        force = world["load"][self.joint.name]
        if isinstance(self.joint, Pin):
            return Named(LOADS, (hypot(*force), 0.0, 0.0), "part of a load")
        if not isinstance(self.joint, Revolute):  # the first two rows are across the axis
            return Named(LOADS, (hypot(force[0], force[1]), 0.0, _resultant(force[2:])), "part of a load")
        placed = self.joint.body1.placed(world["q"])
        u, w = (dot(placed.direction(x), force[:3]) for x in across(tuple(self.joint.axis1)))
        along = dot(placed.direction(self.joint.axis1), force[:3])
        return Named(LOADS, (hypot(u, w), along, hypot(*force[3:])), "part of a load")


def sees_loads(force: Any) -> bool:
    """Whether a force may see multipliers: a function of its own takes `load`."""
    return any("load" in signature(x).parameters for x in vars(force).values() if isinstance(x, FunctionType))


def _resultant(parts: Vector) -> Any:
    return hypot(*parts) if len(parts) == 2 else sqrt(sum(part * part for part in parts))
