"""Transmissions: the motions of joints coupled, as gears, racks, screws, differentials and mirrored fingers are.

The rows of all but `Follower` are Pfaffian, Σ c_k θ̇_k = 0 with the rates of angles (rad/s) and displacements (m/s).
Their integral Σ c_k θ_k = const holds for angles that count their turns, which rotation matrices do not: only for
commensurable c_k is it a function of the coordinates, of a degree that grows with the numbers of teeth. So the rows
stay rows on the velocities; that they are integrable is what `gauss.analysis.holonomy` says of them, and how they mesh
is that of the start.

The multiplier λ of the row acts on the joint k with the torque (N m) or force (N) c_k λ on body 2, the opposite on
body 1. These are the couples of an ideal transmission: the forces at the teeth themselves, which load the bearings,
depend on where the wheels touch, which is not asked for.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gauss.bodies.body.body import AnyBody, described, require_name
from gauss.bodies.joints.joint import Joint
from gauss.bodies.joints.rates import Motion, added, measured, motion_of, rate_row, scaled
from gauss.bodies.joints.spatial_joints import Cylindrical
from gauss.errors import InputError
from gauss.foundation.arrays import scalar
from gauss.foundation.portable import Portable
from gauss.model import Constraint, Holonomic, Pfaffian

Term = tuple[Any, float, Motion]  # a joint, its coefficient c_k, which of its motions


class _Transmission(ABC):
    """A row Σ c_k θ̇_k = 0."""

    name: str

    @property
    @abstractmethod
    def terms(self) -> tuple[Term, ...]:
        """The joints, their coefficients c_k, and which of their motions are meant."""

    @property
    def bodies(self) -> tuple[AnyBody, ...]:
        """The bodies of the joints."""
        found = {body.name: body for joint, _, _ in self.terms for body in joint.bodies}
        return tuple(found.values())

    def constraints(self) -> list[Constraint]:
        """Return the row, named after the transmission."""

        def row(q: Any) -> dict[str, Any]:
            return added(*(scaled(factor, rate_row(joint, motion, q)) for joint, factor, motion in self.terms))

        return [Pfaffian(self.name, row)]

    def _check(self, kind: str, *joints: Any, **factors: float) -> None:
        """Check the name, the body that the joints have in common, and numbers other than 0. Raises InputError."""
        require_name(self.name, f"a {kind}")
        for word, given in factors.items():
            value = scalar(given, f"the {word} of the {kind} {self.name!r}")
            if value == 0.0:
                raise InputError(f"the {word} of the {kind} {self.name!r} is zero, so that nothing is transmitted.")
            object.__setattr__(self, word, value)
        motions = [(id(joint), motion) for joint, _, motion in self.terms]
        if len(set(motions)) < len(motions):
            raise InputError(f"the {kind} {self.name!r} has one motion of a joint twice; give each joint once.")
        if not set.intersection(*({body.name for body in joint.bodies} for joint in joints)):
            names = ", ".join(repr(joint.name) for joint in joints)
            raise InputError(
                f"the joints {names} of the {kind} {self.name!r} have no body in common; measure their motions from"
                " the body that carries the parts."
            )


@dataclass(frozen=True, eq=False)
class Gear(_Transmission):
    """The angle of joint 2 turns `ratio` times as fast as that of joint 1: θ̇₂ = ratio θ̇₁.

    Each is the angle of body 2 in body 1 about axis 1, so the carrier is body 1 of both, and may move itself (an
    epicyclic gear). Two spur wheels with z₁ and z₂ teeth on parallel axes that point the same way have the ratio
    −z₁/z₂, a belt and an internal gear z₁/z₂; of bevel wheels the sign follows from the directions of the axes. The
    multiplier λ is the torque (N m) on body 2 of joint 2, and −ratio λ that on body 2 of joint 1. Raises InputError.
    """

    name: str
    joint1: Joint
    joint2: Joint
    ratio: float

    def __post_init__(self) -> None:
        for joint in (self.joint1, self.joint2):
            motion_of(joint, "angle", f"the gear {self.name!r}")
        self._check("gear", self.joint1, self.joint2, ratio=self.ratio)

    @property
    def terms(self) -> tuple[Term, ...]:
        """Return −ratio and 1."""
        return (self.joint1, -self.ratio, "angle"), (self.joint2, 1.0, "angle")


@dataclass(frozen=True, eq=False)
class RackAndPinion(_Transmission):
    """A rack slides by `radius` (m) times the angle of its pinion: ṡ = radius θ̇.

    `pin` has the angle, `slider` the displacement; a negative radius reverses the rack. The multiplier λ is the force
    (N) on the rack along its axis, and −radius λ (N m) the torque on the pinion. Raises InputError.

    >>> import gauss as g
    >>> from gauss import bodies as mb
    >>> pinion, rack = mb.PlanarBody("pinion", 1.0, inertia=0.02), mb.PlanarBody("rack", 2.0, inertia=0.1)
    >>> pin = mb.Pin("pin", mb.GROUND, (0, 0), pinion, (0, 0))
    >>> guide = mb.Slider("guide", mb.GROUND, (0, -0.1), rack, (0, 0))
    >>> teeth = mb.RackAndPinion("teeth", pin, guide, radius=0.1)
    >>> held = mb.Mechanism("steering", [pinion, rack], [pin, guide, teeth], [mb.Motor("motor", pin, 0.8)])
    >>> found = g.accelerate(held, *held.state(pinion.pose(), rack.pose((0, -0.1))))
    >>> round(found.acceleration.rack_x, 9), round(found.multiplier("teeth"), 9)  # rτ/(J + mr²), and 2 kg times that
    (2.0, 4.0)
    """

    name: str
    pin: Joint
    slider: Joint
    radius: float

    def __post_init__(self) -> None:
        motion_of(self.pin, "angle", f"the rack {self.name!r}")
        motion_of(self.slider, "displacement", f"the rack {self.name!r}")
        self._check("rack", self.pin, self.slider, radius=self.radius)

    @property
    def terms(self) -> tuple[Term, ...]:
        """Return −radius and 1."""
        return (self.pin, -self.radius, "angle"), (self.slider, 1.0, "displacement")


@dataclass(frozen=True, eq=False)
class Screw(_Transmission):
    """Body 2 of a cylindrical joint advances by `lead` (m) along axis 1 with every turn: ṡ = lead θ̇/2π.

    A positive lead is a right-hand thread. The multiplier λ is the axial force (N) of the thread on body 2, and
    −lead λ/2π its torque (N m). Raises InputError.

    >>> import gauss as g
    >>> from gauss import bodies as mb
    >>> nut = mb.Body("nut", mb.Inertia.of_tensor(1.0, [0.01, 0.01, 0.01]))
    >>> thread = mb.Cylindrical("rod", mb.GROUND, (0, 0, 0), nut, (0, 0, 0))
    >>> held = mb.Mechanism("screw", [nut], [thread, mb.Screw("thread", thread, lead=0.2 * g.pi)])
    >>> found = g.accelerate(held, *held.state(nut.pose()))
    >>> round(found.acceleration.nut_z, 9), round(found.multiplier("thread"), 9)  # −g mr²/(J + mr²), r = 0.1 m
    (-4.905, 4.905)
    """

    name: str
    cylindrical: Cylindrical
    lead: float

    def __post_init__(self) -> None:
        if not isinstance(self.cylindrical, Cylindrical):
            raise InputError(f"the screw {self.name!r} needs a Cylindrical joint, got {described(self.cylindrical)}.")
        self._check("screw", self.cylindrical, lead=self.lead)

    @property
    def terms(self) -> tuple[Term, ...]:
        """Return −lead/2π and 1."""
        return (self.cylindrical, -self.lead / (2.0 * np.pi), "angle"), (self.cylindrical, 1.0, "displacement")


@dataclass(frozen=True, eq=False)
class Coupling(_Transmission):
    """Σ c_k θ̇_k = 0 of two joints or more, as in a differential (θ̇₁ + θ̇₂ − 2θ̇₃ = 0) or a rope over pulleys.

    `joints` are pairs (joint, c_k), of a `Cylindrical` joint triples (joint, c_k, "angle" or "displacement"). The
    multiplier λ acts on body 2 of each joint with c_k λ (N m or N). Raises InputError.

    >>> import gauss as g
    >>> from gauss import bodies as mb
    >>> discs = [mb.PlanarBody(name, 1.0, inertia=0.5) for name in ("left", "right", "case")]
    >>> pins = [mb.Pin(f"pin {k}", mb.GROUND, (k, 0), disc, (0, 0)) for k, disc in enumerate(discs)]
    >>> rule = mb.Coupling("differential", [(pins[0], 1.0), (pins[1], 1.0), (pins[2], -2.0)])
    >>> held = mb.Mechanism("differential", discs, [*pins, rule], [mb.Motor("motor", pins[2], 3.0)])
    >>> found = g.accelerate(held, *held.state(*[disc.pose((k, 0)) for k, disc in enumerate(discs)]))
    >>> round(found.multiplier("differential"), 9)  # N m: each disc gets a third of the 3 N m
    1.0
    """

    name: str
    joints: Sequence[Any]

    def __post_init__(self) -> None:
        what = f"the coupling {self.name!r}"
        found = _terms(self.joints, what)
        if len(found) < 2:
            raise InputError(f"{what} needs the motions of two joints or more, got {len(found)}.")
        object.__setattr__(self, "joints", found)
        self._check("coupling", *(joint for joint, _, _ in found[:1]))

    @property
    def terms(self) -> tuple[Term, ...]:
        """Return the terms as given."""
        return tuple(self.joints)


@dataclass(frozen=True, eq=False)
class Follower(Portable):
    """The motion of a joint is a polynomial of that of another: Σ a_i θ_i = c₀ + c₁ φ + c₂ φ² + …, φ = Σ b_j φ_j.

    `joints` and `leaders` are a joint each, or pairs (joint, coefficient) as for `Coupling`; with several of them a
    rope over pulleys is meant. `coefficients` are c₀, c₁, … (rad and m). The row is one on the position; its multiplier
    λ acts with a_i λ on the joints and with −b_j p'(φ) λ on the leaders (N m or N). Where no coordinate counts the
    turns of an angle it is that in (−π, π], so that the row holds within half a turn. Raises InputError.

    >>> import gauss as g
    >>> from gauss import bodies as mb
    >>> fingers = [mb.PlanarBody(name, 1.0, inertia=0.5) for name in ("one", "two")]
    >>> pins = [mb.Pin(f"pin {k}", mb.GROUND, (k, 0), each, (0, 0)) for k, each in enumerate(fingers)]
    >>> parts = [*pins, mb.Follower("mirrored", pins[1], pins[0], (0.2, -1.0))]
    >>> held = mb.Mechanism("gripper", fingers, parts, [mb.Motor("motor", pins[0], 3.0)])
    >>> found = g.accelerate(held, *held.state(fingers[0].pose((0, 0)), fingers[1].pose((1, 0), 0.2)))
    >>> round(found.acceleration.one_s, 9), round(found.multiplier("mirrored"), 9)  # 3 N m for both discs
    (3.0, -1.5)
    """

    name: str
    joints: Any
    leaders: Any
    coefficients: Sequence[float] = (0.0, 1.0)

    def __post_init__(self) -> None:
        require_name(self.name, "a follower")
        for word in ("joints", "leaders"):
            given = getattr(self, word)
            given = [(given, 1.0)] if isinstance(given, Joint) else given
            object.__setattr__(self, word, _terms(given, f"the follower {self.name!r}"))
        if not isinstance(self.coefficients, (list, tuple, np.ndarray)):
            raise InputError(
                f"the coefficients of the follower {self.name!r} must be a list, got {self.coefficients!r}."
            )
        numbers = [scalar(c, f"a coefficient of the follower {self.name!r}") for c in self.coefficients]
        while len(numbers) > 1 and numbers[-1] == 0.0:
            numbers.pop()
        object.__setattr__(self, "coefficients", tuple(numbers))

    @property
    def bodies(self) -> tuple[AnyBody, ...]:
        """The bodies of the joints."""
        return tuple({body.name: body for joint, *_ in (*self.joints, *self.leaders) for body in joint.bodies}.values())

    def _row(self, q: Any) -> Any:
        off, lead = (
            sum(factor * measured(joint, motion, q) for joint, factor, motion in terms)
            for terms in (self.joints, self.leaders)
        )
        for k, c in enumerate(self.coefficients):
            if c != 0.0:
                off = off - c * lead**k
        return off

    def constraints(self) -> list[Constraint]:
        """Return the row, named after the follower."""
        return [Holonomic(self.name, lambda q: self._row(q))]


def _terms(given: Any, what: str) -> tuple[Term, ...]:
    """Return pairs (joint, coefficient) with the motion of each joint that is meant. Raises InputError."""
    if not isinstance(given, (list, tuple)) or not given:
        raise InputError(f"{what} takes a list of pairs (joint, coefficient), got {given!r}.")
    found = []
    for term in given:
        if not isinstance(term, (tuple, list)) or len(term) not in (2, 3):
            raise InputError(f"{what} takes pairs (joint, coefficient), got {described(term)}.")
        motion = motion_of(term[0], term[2] if len(term) == 3 else None, what)
        factor = scalar(term[1], f"the coefficient of {term[0].name!r} in {what}")
        if factor == 0.0:
            raise InputError(f"the coefficient of {term[0].name!r} in {what} is zero; leave it out.")
        found.append((term[0], factor, motion))
    return tuple(found)
