"""Dry friction in joints: Coulomb friction on the rows that carry the load, and brakes and clutches.

A guide of finite length carries a force and a torque by the normal forces of its two ends, of either sign: each end is
a contact held from both sides, |t| ≤ μ|p|. This is why a drawer that is pulled beside its middle jams: with the pull F
at the distance a from the axis and no other load, the ends press with Fa/l each, and it moves only if 2 μ a < l.

A pin that turns in a hole hardly larger than itself touches it at one place, with the normal force p and the friction
μp there. Together they are the force of the joint, |λ| = p√(1 + μ²), and the torque is r μ p = r μ/√(1 + μ²) |λ|.

A brake or clutch has a constant limit of its torque. So has a belt drive with preload: the strands of the belt keep the
sum 2T₀ of their tensions, and by Euler and Eytelwein their difference is at most 2T₀ tanh(μφ/2) (see `belts`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from gauss.bodies.body.body import AnyBody, described, require_name
from gauss.bodies.forces.belts import belt_coefficient
from gauss.bodies.joints.joint import Joint
from gauss.bodies.joints.planar_joints import Pin, Slider
from gauss.bodies.joints.rates import MOTIONS, Motion, motion_of, rate_row, row_rate, velocity_row, within
from gauss.bodies.touching.touching import coefficients
from gauss.errors import InputError
from gauss.foundation.arrays import not_negative, positive, scalar
from gauss.geometry.vectors import Vector, dot, minus, plus, times
from gauss.model import Constraint, Coulomb, Friction, Holonomic, warn_of_friction


@dataclass(frozen=True, eq=False)
class RoughSlider(Slider):
    """A `Slider` of the given `length` (m) that touches its guide with two ends, with dry friction.

    The ends are at ± length/2 along the axis from point 2 of body 2; the two rows are their distances (m) from the line
    through point 1 along `axis1`, and their multipliers the normal forces (N) of body 1 on them. `friction` is μ_k and
    `static` μ_s (μ_k if left out). Raises InputError.
    """

    length: float = 0.0
    friction: float = 0.0
    static: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("length", positive(self.length, f"the length of {self.name!r}"))
        self._set("friction", coefficients(self.friction, self.static, repr(self.name))[0])
        warn_of_friction(self.friction, f"the friction of {self.name!r}")

    @property
    def ends(self) -> tuple[Vector, Vector]:
        """The two ends in the axes of body 2 (m), the one behind first."""
        half = times(0.5 * self.length, self.axis1)
        return minus(self.point2, half), plus(self.point2, half)

    def rows(self, q: Any) -> list[Any]:
        """Return the distances of the two ends from the line, to the left of its direction."""
        one, two = self.body1.placed(q), self.body2.placed(q)
        normal, start = one.direction((-self.axis1[1], self.axis1[0])), one.point(self.point1)
        return [dot(normal, minus(two.point(end), start)) for end in self.ends]

    def constraints(self) -> list[Constraint]:
        """Return the two rows, with the friction of the ends."""
        _, static = coefficients(self.friction, self.static, repr(self.name))
        laws = [Coulomb(self.friction, self._slip_of(end), static) for end in self.ends] if static else None
        return [replace(row, friction=laws) for row in super().constraints() if isinstance(row, Holonomic)]

    def _slip_of(self, end: Vector) -> Callable[..., Any]:
        """Return the velocity (m/s) of an end along the guide as a function of q and v."""

        def slip(q: Any, v: Any) -> Any:
            placed = self.body1.placed(q)
            there = within(placed, self.body2.placed(q).point(end))
            return row_rate(velocity_row(self.body2, end, self.body1, there, placed.direction(self.axis1)), v)

        return slip


MOTIONS[RoughSlider] = MOTIONS[Slider]


def _limits(kinetic: Any, static: Any, what: str) -> tuple[float, float]:
    """Return the limits of friction in motion and at rest, checked. Raises InputError."""
    moving = not_negative(kinetic, what)
    resting = moving if static is None else scalar(static, f"{what} at rest")
    if resting < moving:
        raise InputError(f"{what} must not be less at rest ({resting:g}) than in motion ({moving:g}).")
    return moving, resting


def _bodies_of(*joints: Joint) -> tuple[AnyBody, ...]:
    """Return the bodies of joints, each once."""
    return tuple({body.name: body for joint in joints for body in joint.bodies}.values())


@dataclass(frozen=True, eq=False)
class PinFriction:
    """Dry friction in a planar `Pin`: a journal of the given `radius` (m) in a hole of hardly more, without clearance.

    `friction` is μ_k and `static` μ_s (μ_k if left out), `pin` the joint. While it turns, the torque is c_k |λ| against
    its rate, |λ| (N) being the force in the pin and c = r μ/√(1 + μ²); at rest it is whatever keeps the rest, up to
    c_s |λ|. Its row is the rate of the joint. Raises InputError.
    """

    name: str
    pin: Pin
    friction: float
    radius: float
    static: float | None = None

    def __post_init__(self) -> None:
        what = f"the friction {self.name!r} of a pin"
        require_name(self.name, "the friction of a pin")
        if isinstance(self.pin, str):
            raise InputError(f"{what} needs its Pin: give the joint itself in place of its name, {self.pin!r}.")
        if not isinstance(self.pin, Pin):
            raise InputError(
                f"{what} needs a Pin of planar bodies, got {described(self.pin)}; for other joints give a Brake."
            )
        object.__setattr__(self, "radius", positive(self.radius, f"the radius of {what}"))
        object.__setattr__(self, "friction", coefficients(self.friction, self.static, what)[0])
        warn_of_friction(self.friction, what)

    @property
    def arms(self) -> tuple[float, float]:
        """The lengths c (m), torque over force, in motion and at rest."""
        moving, resting = coefficients(self.friction, self.static, repr(self.name))
        return self.radius * moving / math.hypot(1.0, moving), self.radius * resting / math.hypot(1.0, resting)

    @property
    def bodies(self) -> tuple[AnyBody, ...]:
        """The bodies of the joint."""
        return _bodies_of(self.pin)

    def constraints(self) -> list[Constraint]:
        """Return the friction that both rows of the pin load; none without a coefficient."""
        moving, resting = self.arms
        rows = (f"{self.pin.name}[0]", f"{self.pin.name}[1]")
        return [Friction(self.name, self._rate, moving, resting, rows)] if resting else []

    def _rate(self, q: Any, v: Any) -> Any:
        """Return the rate of the joint."""
        return row_rate(rate_row(self.pin, "angle", q), v)


@dataclass(frozen=True, eq=False)
class Brake:
    """Dry friction in a joint that does not depend on its load: a brake, a clutch, a seal.

    While the joint moves, the torque (N m; of a displacement the force, N) is `torque` against its rate; at rest it is
    whatever keeps the rest, up to `static` (`torque` if left out). Of a `Cylindrical` joint `motion` says which one is
    meant, "angle" or "displacement". Its row is the rate of the joint. Raises InputError.

    >>> import gauss as g
    >>> from gauss import bodies as mb
    >>> disc = mb.PlanarBody("disc", 1.0, inertia=0.5)
    >>> pin = mb.Pin("pin", mb.GROUND, (0, 0), disc, (0, 0))
    >>> parts = [pin, mb.Brake("brake", pin, torque=0.3)]
    >>> for drive in (0.2, 0.8):  # N m: it holds the first, and leaves (0.8 − 0.3)/0.5 rad/s² of the second
    ...     held = mb.Mechanism("braked disc", [disc], parts, [mb.Motor("motor", pin, drive)])
    ...     print(round(g.accelerate(held, *held.state(disc.pose())).acceleration.disc_s, 9))
    0.0
    1.0
    """

    name: str
    joint: Joint
    torque: float
    static: float | None = None
    motion: Motion | None = None

    def __post_init__(self) -> None:
        require_name(self.name, "a brake")
        object.__setattr__(self, "motion", motion_of(self.joint, self.motion, f"the brake {self.name!r}"))
        moving, resting = _limits(self.torque, self.static, f"the torque of the brake {self.name!r}")
        object.__setattr__(self, "torque", moving)
        object.__setattr__(self, "static", resting)

    @property
    def bodies(self) -> tuple[AnyBody, ...]:
        """The bodies of the joint."""
        return _bodies_of(self.joint)

    def constraints(self) -> list[Constraint]:
        """Return the friction with its constant limit."""
        return [Friction(self.name, self._rate, static=self.static, limit=self.torque)]

    def _rate(self, q: Any, v: Any) -> Any:
        """Return the rate of the joint."""
        assert self.motion is not None
        return row_rate(rate_row(self.joint, self.motion, q), v)


@dataclass(frozen=True, eq=False)
class BeltDrive:
    """A belt with preload between two pulleys that turn in their joints: it carries a force until it slips.

    `joint1` and `joint2` have the angles of the pulleys, `radius1` and `radius2` (m) are theirs, `tension` is the
    preload T₀ (N) of each strand, `wrap` (rad) the lesser angle over which the belt lies on a pulley, `friction` and
    `static` its coefficients there, and `groove` (rad) the angle of a V-belt's flanks. The slip is r₁θ̇₁ − r₂θ̇₂ (m/s),
    with `crossed` r₁θ̇₁ + r₂θ̇₂, and the difference of the tensions at most 2T₀ tanh(μφ/2). The force 2T₀ on the
    bearings, the belt's mass and its creep are left out. Raises InputError.
    """

    name: str
    joint1: Joint
    joint2: Joint
    radius1: float
    radius2: float
    tension: float
    friction: float
    wrap: float
    static: float | None = None
    groove: float | None = None
    crossed: bool = False

    def __post_init__(self) -> None:
        require_name(self.name, "a belt drive")
        what = f"of the belt drive {self.name!r}"
        for joint in (self.joint1, self.joint2):
            motion_of(joint, "angle", f"the belt drive {self.name!r}")
        for word in ("radius1", "radius2", "tension"):
            object.__setattr__(self, word, positive(getattr(self, word), f"the {word} {what}"))
        _limits(self.friction, self.static, f"the friction coefficient {what}")
        _ = self.largest

    @property
    def largest(self) -> tuple[float, float]:
        """The largest difference of the tensions (N), in motion and at rest."""
        rough = self.friction if self.static is None else self.static
        kinetic, static = (belt_coefficient(mu, self.wrap, self.groove) for mu in (self.friction, rough))
        return 2.0 * self.tension * kinetic, 2.0 * self.tension * static

    @property
    def bodies(self) -> tuple[AnyBody, ...]:
        """The bodies of the joints."""
        return _bodies_of(self.joint1, self.joint2)

    def constraints(self) -> list[Constraint]:
        """Return the friction with its constant limit."""
        moving, resting = self.largest
        return [Friction(self.name, self._slip, static=resting, limit=moving)]

    def _slip(self, q: Any, v: Any) -> Any:
        """Return the velocity (m/s) of one rim past the other."""
        one, two = (row_rate(rate_row(joint, "angle", q), v) for joint in (self.joint1, self.joint2))
        return self.radius1 * one + (self.radius2 if self.crossed else -self.radius2) * two
