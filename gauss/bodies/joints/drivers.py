"""Drives of joints: prescribed motions (rows in time), motors, servos, springs, limits, and inertia of rotors.

All of them act along the angle or the displacement of a joint, of body 2 in body 1 about (along) axis 1: positive
torques and forces act on body 2, the opposite ones on body 1. Angles enter by their cosine and sine, so that nothing
happens at ±π, where the `value` of a joint jumps.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from gauss.bodies.body.body import AnyBody, require_name
from gauss.bodies.forces.forces import WithoutPotential, World
from gauss.bodies.joints.joint import Joint
from gauss.bodies.joints.rates import (
    Motion,
    coordinate_of,
    displacement,
    motion_of,
    rate_row,
    row_rate,
    scaled,
    turn,
)
from gauss.errors import DegreesWarning, InputError
from gauss.foundation.arrays import not_negative, positive, scalar, vanishes
from gauss.foundation.portable import Portable
from gauss.foundation.threads import warn
from gauss.functions.elementary import atan2, cos, pi, sin
from gauss.model import Constraint, Holonomic, Unilateral
from gauss.model.functions import SEEN, ModelFunction, as_scalar


def _number_or_function(given: Any, what: str, words: Sequence[str] = SEEN) -> Any:
    """Return a function of some of `words` as it is and anything else as a number. Raises InputError, ModelError."""
    if callable(given):
        ModelFunction.of(given, words, what)
        return given
    if isinstance(given, str):
        control = f" A control is written lambda u: u.{given}." if "u" in words and given.isidentifier() else ""
        raise InputError(f"{what} must be a number or a function, got the text {given!r}.{control}")
    return scalar(given, what)


def _value(given: Any, world: World, words: Sequence[str], what: str) -> Any:
    """Return a constant, or what a model function of some of `words` gives. Raises ModelError."""
    return as_scalar(ModelFunction.of(given, words, what)(world), what) if callable(given) else given


class _Drive(Portable):
    """What acts along one motion of a joint."""

    name: str
    joint: Any
    motion: Motion | None

    def _check(self) -> None:
        """Raise InputError for joints without the motion asked for."""
        kind = type(self).__name__.lower()
        require_name(self.name, f"a {kind}")
        object.__setattr__(self, "motion", motion_of(self.joint, self.motion, f"the {kind} {self.name!r}"))

    @property
    def bodies(self) -> tuple[AnyBody, ...]:
        """The two bodies of the joint."""
        return self.joint.bodies  # type: ignore[no-any-return]

    def _off(self, q: Any, target: Any) -> Any:
        """Return the motion less a target: a displacement (m), or an angle (rad) in (−π, π]."""
        if self.motion == "displacement":
            return displacement(self.joint, q) - target
        own = coordinate_of(self.joint, "angle", q)
        if own:
            return q[own] - target
        c, s = _turned_back(turn(self.joint, q), target)
        return atan2(s, c)


def _turned_back(parts: tuple[Any, Any], angle: Any) -> tuple[Any, Any]:
    """Return the cosine and sine of θ − φ from those of θ."""
    (c, s), (cc, ss) = parts, (cos(angle), sin(angle))
    return c * cc + s * ss, s * cc - c * ss


@dataclass(frozen=True, eq=False)
class Driver(_Drive):
    """The motion of a joint is a given function φ of time (and of parameters): one row.

    `value` is φ: a function of t, p (rad or m), or a number, which locks the joint. The row is s − φ for a
    displacement; for an angle it is 2 tan ½(θ − φ) = 2 sin(θ − φ)/(1 + cos(θ − φ)), which is smooth except where θ
    is opposite to φ and has the derivative 1 where it vanishes. So its multiplier is the torque (N m) or force (N) of
    the drive on body 2, positive along the motion, and its power is the multiplier times the rate of the joint. φ must
    have a continuous rate: where it jumps or has a kink no finite force drives the bodies, and a run by `dop853` ends
    there (with `rk4`, `radau` or a feedback control only its energy shows it). Ease it in, or use `Servo`. A
    `Cylindrical` joint needs `motion`, "angle" or "displacement". Raises InputError, ModelError.
    """

    name: str
    joint: Joint
    value: Callable[..., Any] | float
    motion: Motion | None = None

    def __post_init__(self) -> None:
        self._check()
        given = _number_or_function(self.value, f"the motion of the driver {self.name!r}", "tp")
        object.__setattr__(self, "value", given)
        if self.motion == "angle" and not callable(given) and abs(given) > 2.0 * pi:
            text = f"the driver {self.name!r} locks its joint at {given:g} rad, more than a turn: a number locks; for a"
            warn(f"{text} speed give lambda t: {given:g}*t, for degrees np.deg2rad({given:g}).", DegreesWarning)

    def prescribed(self, t: float) -> float | None:
        """Return the motion (rad or m) at a time (s); None where parameters have a part in it, or it has no value."""
        if not callable(self.value):
            return float(self.value)
        takes = ModelFunction.of(self.value, "tp", f"the motion of the driver {self.name!r}").takes
        try:
            return None if "p" in takes else float(self.value(**dict.fromkeys(takes, t)))
        except (InputError, ArithmeticError, ValueError):
            return None

    def _row(self, q: Any, target: Any) -> Any:
        if self.motion == "displacement":
            return displacement(self.joint, q) - target
        c, s = _turned_back(turn(self.joint, q), target)
        return 2.0 * s / (1.0 + c)

    def constraints(self) -> list[Constraint]:
        """Return the row, named after the driver."""
        what = f"the motion of the driver {self.name!r}"
        if not callable(self.value):
            return [Holonomic(self.name, lambda q: self._row(q, self.value))]
        takes = ModelFunction.of(self.value, "tp", what).takes

        def at_time(q: Any, t: Any) -> Any:
            return self._row(q, _value(self.value, {"t": t}, "tp", what))

        def with_parameters(q: Any, t: Any, p: Any) -> Any:
            return self._row(q, _value(self.value, {"t": t, "p": p}, "tp", what))

        return [Holonomic(self.name, with_parameters if "p" in takes else at_time)]


@dataclass(frozen=True, eq=False)
class Limit(_Drive):
    """Stops at the ends of the range of a joint: two one-sided rows, "{name} lower" and "{name} upper".

    `lower` and `upper` are in rad or m; one of them may be infinite. The rows are θ − lower ≥ 0 and upper − θ ≥ 0, so
    their multipliers are the torques (N m) or forces (N) of the stops; `restitution` is Newton's e in [0, 1]. A
    rotation matrix does not count turns: there a range of angles must be shorter than 2π, and the angle is the one
    within half a turn of its middle. Raises InputError.

    >>> import gauss as g
    >>> from gauss import bodies as mb
    >>> bar = mb.Body("bar", mb.box(1.0, (0.6, 0.1, 0.1), at=(0.3, 0, 0)))
    >>> hinge = mb.Revolute("hinge", mb.GROUND, (0, 0, 0), bar, (0, 0, 0), axis1=(0, 1, 0))
    >>> held = mb.Mechanism("bar on its stop", [bar], [hinge, mb.Limit("stop", hinge, -1.0, 0.0)])
    >>> found = g.accelerate(held, *held.state(bar.pose()))
    >>> round(found.multiplier("stop upper"), 9)  # N m: 1 kg · 9.81 m/s² · 0.3 m
    2.943
    """

    name: str
    joint: Joint
    lower: float
    upper: float
    motion: Motion | None = None
    restitution: float = 0.0

    def __post_init__(self) -> None:
        self._check()
        what = f"the limit {self.name!r}"
        for word in ("lower", "upper"):
            given = getattr(self, word)
            if given not in (-float("inf"), float("inf")):
                object.__setattr__(self, word, scalar(given, f"the {word} end of {what}"))
        if not self.lower < self.upper or self.lower == float("inf") or self.upper == -float("inf"):
            raise InputError(f"{what} has no range: lower {self.lower:g}, upper {self.upper:g}; give lower < upper.")
        if self.upper - self.lower == float("inf") and -self.lower == self.upper:
            raise InputError(f"{what} has no end; leave it out.")

    @property
    def turns(self) -> bool:
        """Whether the range is a turn or more."""
        return self.motion == "angle" and not self.upper - self.lower < 2.0 * pi

    def uncounted(self) -> Limit:
        """Return what it is where turns are not counted."""
        given = {each.name: getattr(self, each.name) for each in fields(self)}
        return UncountedLimit(**given) if self.turns else self

    def beyond(self, row: str, gap: float) -> str:
        """Return in words how far a state is beyond an end, by the row of that end; "" for rows of others."""
        unit = "m" if self.motion == "displacement" else "rad"
        for word, end in (("lower", self.lower), ("upper", self.upper)):
            if row == f"{self.name} {word}":
                return f"{self.joint.name!r} is {-gap:.6g} {unit} beyond its {word} limit {end:.6g} {unit}"
        return ""

    def _room(self, q: Any, side: float) -> Any:
        """Return θ − lower for the side −1 and upper − θ for the side 1. Raises InputError for uncounted turns."""
        if self.turns and not coordinate_of(self.joint, "angle", q):
            raise InputError(
                f"the limit {self.name!r} leaves the joint {self.joint.name!r} a range of a turn or more"
                f" ({self.lower:g} to {self.upper:g} rad), but a rotation matrix does not count turns; leave it out, or"
                ' give the mechanism coordinates="joint".'
            )
        return self._room_of_turn(q, side)

    def _room_of_turn(self, q: Any, side: float) -> Any:
        ends = [end for end in (self.lower, self.upper) if abs(end) < float("inf")]
        middle = sum(ends) / len(ends)
        return side * ((self.lower if side < 0.0 else self.upper) - middle - self._off(q, middle))

    def constraints(self) -> list[Constraint]:
        """Return a row for each end that is finite."""
        found: list[Constraint] = []
        if self.lower > -float("inf"):
            found.append(Unilateral(f"{self.name} lower", lambda q: self._room(q, -1.0), restitution=self.restitution))
        if self.upper < float("inf"):
            found.append(Unilateral(f"{self.name} upper", lambda q: self._room(q, 1.0), restitution=self.restitution))
        return found


@dataclass(frozen=True, eq=False)
class UncountedLimit(Limit):
    """A limit of a turn or more where turns are not counted: its forces act, and no orientation is beyond it."""

    def _room(self, q: Any, side: float) -> Any:
        return self._room_of_turn(q, side)


@dataclass(frozen=True, eq=False)
class Armature(WithoutPotential, _Drive):
    """The inertia of a rotor that turns with a joint, by its gear: the kinetic energy ½ I θ̇², given among the forces.

    `inertia` I is as it acts on the joint, the ratio of the gear squared times that of the rotor (kg m²; kg for a
    displacement). The rotor's turning with its carrier is not in it. Raises InputError.

    >>> import gauss as g
    >>> from gauss import bodies as mb
    >>> disc = mb.PlanarBody("disc", 1.0, inertia=0.5)
    >>> pin = mb.Pin("pin", mb.GROUND, (0, 0), disc, (0, 0))
    >>> held = mb.Mechanism("geared", [disc], [pin], [mb.Motor("motor", pin, 3.0), mb.Armature("rotor", pin, 1.0)])
    >>> round(g.accelerate(held, *held.state(disc.pose())).acceleration.disc_s, 9)  # 3 N m / (0.5 + 1.0) kg m²
    2.0
    """

    name: str
    joint: Joint
    inertia: float
    motion: Motion | None = None

    def __post_init__(self) -> None:
        self._check()
        object.__setattr__(self, "inertia", positive(self.inertia, f"the inertia of the armature {self.name!r}"))

    @property
    def conservative(self) -> bool:
        """Yes: it has kinetic energy alone."""
        return True

    def kinetic(self, q: Any, v: Any) -> Any:
        """Return ½ I θ̇² (J)."""
        assert self.motion is not None
        return 0.5 * self.inertia * row_rate(rate_row(self.joint, self.motion, q), v) ** 2

    def generalized(self, world: World) -> list[dict[str, Any]]:
        """Return nothing."""
        return []


class _JointForce(WithoutPotential, _Drive, ABC):
    """A torque or force along the motion of a joint."""

    @abstractmethod
    def strength(self, world: World) -> Any:
        """Return the torque (N m) or force (N) on body 2 that is not in the potential."""

    def generalized(self, world: World) -> list[dict[str, Any]]:
        """Return the generalized force."""
        assert self.motion is not None
        return [scaled(self.strength(world), rate_row(self.joint, self.motion, world["q"]))]

    def _rate(self, world: World) -> Any:
        assert self.motion is not None
        return row_rate(rate_row(self.joint, self.motion, world["q"]), world["v"])


@dataclass(frozen=True, eq=False)
class Motor(_JointForce):
    """A torque (N m) or force (N) in a joint, constant or a function of any of q, v, t, p, u.

    It acts on body 2, the opposite on body 1. Raises InputError, ModelError.
    """

    name: str
    joint: Joint
    torque: Callable[..., Any] | float
    motion: Motion | None = None

    def __post_init__(self) -> None:
        self._check()
        object.__setattr__(self, "torque", _number_or_function(self.torque, f"the torque of the motor {self.name!r}"))

    def strength(self, world: World) -> Any:
        """Return the torque (N m) or force (N) on body 2."""
        return _value(self.torque, world, SEEN, f"the torque of the motor {self.name!r}")


@dataclass(frozen=True, eq=False)
class Servo(_JointForce):
    """A motor that follows a target: the torque (or force) −k δ − c(θ̇ − w) on body 2, δ = θ − target.

    `target` (rad or m) and w, `target_rate` (rad/s or m/s), are constants or functions of any of q, v, t, p, u;
    `stiffness` k in N m/rad or N/m, `damping` c in N m s/rad or N s/m. An angle δ is taken in (−π, π]: a servo
    follows through any number of turns, if it lags by less than half a turn. Raises InputError, ModelError.
    """

    name: str
    joint: Joint
    target: Callable[..., Any] | float
    stiffness: float
    damping: float = 0.0
    target_rate: Callable[..., Any] | float = 0.0
    motion: Motion | None = None

    def __post_init__(self) -> None:
        self._check()
        for word in ("target", "target_rate"):
            given = _number_or_function(getattr(self, word), f"the {word} of the servo {self.name!r}")
            object.__setattr__(self, word, given)
        _not_negative(self, "stiffness", "damping")

    def strength(self, world: World) -> Any:
        """Return the torque (N m) or force (N) on body 2."""
        target = _value(self.target, world, SEEN, f"the target of the servo {self.name!r}")
        given = _value(self.target_rate, world, SEEN, f"the target_rate of the servo {self.name!r}")
        return -self.stiffness * self._off(world["q"], target) - self.damping * (self._rate(world) - given)


@dataclass(frozen=True, eq=False)
class JointSpring(_JointForce):
    """A spring and damper in a joint: potential ½kδ², δ = θ − `free`, and the torque (or force) −cθ̇ on body 2.

    `stiffness` k in N m/rad or N/m, `free` in rad or m, `damping` c in N m s/rad or N s/m. An angle δ is taken in
    (−π, π], so a spring is not wound up by more than half a turn. Raises InputError.

    >>> import gauss as g
    >>> from gauss import bodies as mb
    >>> disc = mb.PlanarBody("disc", 1.0, inertia=0.5)
    >>> pin = mb.Pin("pin", mb.GROUND, (0, 0), disc, (0, 0))
    >>> held = mb.Mechanism("balance wheel", [disc], [pin], [mb.JointSpring("spring", pin, stiffness=2.0, free=0.25)])
    >>> found = g.accelerate(held, *held.state(disc.pose()))
    >>> round(found.acceleration.disc_s, 9)  # 2 N m/rad · 0.25 rad / 0.5 kg m², in rad/s²
    1.0
    """

    name: str
    joint: Joint
    stiffness: float
    free: float = 0.0
    damping: float = 0.0
    motion: Motion | None = None

    def __post_init__(self) -> None:
        self._check()
        object.__setattr__(self, "free", scalar(self.free, f"the free motion of the spring {self.name!r}"))
        _not_negative(self, "stiffness", "damping")

    @property
    def conservative(self) -> bool:
        """Whether it has no damper."""
        return vanishes(self.damping)

    def potential(self, q: Any) -> Any:
        """Return ½kδ² (J)."""
        return 0.5 * self.stiffness * self._off(q, self.free) ** 2

    def strength(self, world: World) -> Any:
        """Return the torque (N m) or force (N) of the damper on body 2."""
        return -self.damping * self._rate(world)


def _not_negative(part: Any, *words: str) -> None:
    """Set numbers that must not be negative. Raises InputError."""
    for word in words:
        object.__setattr__(part, word, not_negative(getattr(part, word), f"the {word} of {part.name!r}"))
