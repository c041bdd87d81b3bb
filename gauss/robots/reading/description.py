"""What a file says of a robot, in one form for all formats: links, moves between them, loops, rules, drives, places."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array
from gauss.geometry.inertia import Inertia, second_of_tensor, symmetric, tensor_of_second
from gauss.geometry.shapes import Shape
from gauss.robots.robot import Unread

ROUNDING = 1e-12  # of the largest principal value, by which the others may be negative

Kind = Literal["fixed", "hinge", "slide", "ball", "planar", "free"]
Closure = Literal["point", "weld", "hinge", "slide", "cylinder", "cross", "plane", "rod"]
UNBOUNDED = "forces of motors are not bounded"  # what the absence of a bound of efforts means
WORLD = ""  # the name of the ground among links
INFINITY = float("inf")


@dataclass(frozen=True, eq=False)
class Weight:
    """Mass and moments as a file has them, whether or not a body has such ones."""

    mass: float = 0.0  # kg
    first: Array = field(default_factory=lambda: np.zeros(3))  # (3,) kg m, ∫ b dm
    second: Array = field(default_factory=lambda: np.zeros((3, 3)))  # (3, 3) kg m², ∫ b ⊗ b dm

    @staticmethod
    def of(mass: float, tensor: Array, centre: Array, axes: Array) -> Weight:
        """Return that of an inertia tensor, (3, 3) or (3,) kg m², about the centre in the given axes."""
        J = symmetric(np.diag(tensor) if tensor.ndim == 1 else tensor, "the inertia tensor")
        K = axes @ second_of_tensor(J) @ axes.T
        return Weight(mass, mass * centre, K + mass * np.outer(centre, centre))

    def moved(self, p: Array, R: Array) -> Weight:
        """Return it in other axes, R to them, whose origin sees this one at p."""
        turned = R @ self.first
        second = R @ self.second @ R.T + np.outer(p, turned) + np.outer(turned, p) + self.mass * np.outer(p, p)
        return Weight(self.mass, turned + self.mass * p, second)

    def __add__(self, other: Weight) -> Weight:
        """Return that of both."""
        return Weight(self.mass + other.mass, self.first + other.first, self.second + other.second)

    def inertia(self) -> tuple[Inertia, float]:
        """Return the nearest inertia that a body has, and by which share of the largest moment it differs."""
        if not self.mass:
            return Inertia.none(), 0.0
        centre = self.first / self.mass
        values, turned = np.linalg.eigh(self.second - self.mass * np.outer(centre, centre))
        if values[0] < -ROUNDING * float(np.trace(self.second)):
            mended = (turned * np.maximum(values, 0.0)) @ turned.T
            change = tensor_of_second((turned * np.maximum(-values, 0.0)) @ turned.T)
            share = float(np.linalg.norm(change, 2) / np.linalg.norm(tensor_of_second(mended), 2))
            return Inertia.of_second(self.mass, mended, centre), share
        return Inertia(self.mass, centre, (self.second + self.second.T) / 2.0), 0.0

    def objection(self, share: float) -> str:
        """Return why no body has this inertia, what is done, and what to write instead; "" for one that a body has.

        `share` is what the inertia of its body, with all that is fixed to it, is changed by.
        """
        near, own = self.inertia()
        if not own:
            return ""
        centre = self.first / self.mass
        given, taken = (
            np.linalg.eigvalsh(tensor_of_second(K))
            for K in (self.second - self.mass * np.outer(centre, centre), near.central)
        )
        tiny = ROUNDING * float(np.trace(self.second))
        given, taken = (np.where(np.abs(moments) <= tiny, 0.0, moments) for moments in (given, taken))
        said, better = (", ".join(f"{x:.4g}" for x in moments) for moments in (given, taken))
        why = "one is negative" if given[0] < 0.0 else "one exceeds the sum of the others"
        done = "with what is fixed to it they are those of a body, and are taken as they are"
        if share:
            done = f"the nearest are taken, which changes the body by {100.0 * share:.2g} %"
        return (
            f"no body has its principal moments of inertia {said} kg m² ({why}): {done}. Write those of its shape about"
            f" its centre of mass; the nearest that a body has are {better} kg m²"
        )


@dataclass(eq=False)
class RobotLink:
    """A rigid link, in its own axes."""

    name: str
    weight: Weight = field(default_factory=Weight)
    shapes: list[Shape] = field(default_factory=list)  # that are drawn
    collisions: list[Any] = field(default_factory=list)  # that touch


@dataclass(eq=False)
class Move:
    """How a link moves in its parent: from the place as drawn by a turn or a slide about an axis through the anchor."""

    name: str
    kind: Kind
    parent: str
    child: str
    place: Array  # (3,) m, origin of the child as drawn, in axes of the parent
    turn: Array  # (3, 3) axes of the child as drawn, in those of the parent
    axis: Array  # (3,) in axes of the child
    anchor: Array  # (3,) m, in axes of the child
    reference: float = 0.0  # the value of the joint as drawn
    lower: float = -INFINITY
    upper: float = INFINITY
    stiffness: float = 0.0
    rest: float = 0.0  # value at which the spring is free
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0


@dataclass(frozen=True, eq=False)
class Place:
    """A frame on a link."""

    link: str
    point: Array  # (3,) m
    rotation: Array  # (3, 3) its axes as columns


@dataclass(eq=False)
class RobotLoop:
    """Two frames that a joint holds together; `axis` is in axes of the first, `axis2` in those of the second."""

    name: str
    kind: Closure
    one: Place
    two: Place
    axis: tuple[float, ...] = (0.0, 0.0, 1.0)
    axis2: tuple[float, ...] = ()
    length: float = 0.0  # m, of a rod
    move: Move | None = None  # range, spring, damper and friction of a hinge or slide that closes it


Terms = list[tuple[str, float]]  # joints and coefficients


@dataclass(eq=False)
class Rule:
    """Σ a_i θ_i = c₀ + c₁ φ + …, φ = Σ b_j θ_j; without leaders the motion is locked at c₀."""

    name: str
    joints: Terms
    leaders: Terms
    coefficients: tuple[float, ...]
    where: str  # path in the file


@dataclass(eq=False)
class Drive:
    """A motor with the force f = gain u + bias − stiffness l − damping l̇, l = Σ a_i θ_i, which acts with a_i f."""

    name: str
    terms: Terms
    gain: float = 1.0
    bias: float = 0.0
    stiffness: float = 0.0
    damping: float = 0.0


@dataclass(eq=False)
class Thrust:
    """A force and a torque at a frame of a link, in its axes, times gain u + bias."""

    name: str
    place: Place
    force: Array  # (3,)
    torque: Array  # (3,)
    gain: float = 1.0
    bias: float = 0.0


@dataclass(eq=False)
class RobotFile:
    """All that a file says."""

    name: str
    source: str  # the path, for messages
    gravity: Array  # (3,) m/s²
    links: dict[str, RobotLink] = field(default_factory=dict)
    moves: list[Move] = field(default_factory=list)  # each behind that of its parent
    loops: list[RobotLoop] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    drives: list[Drive | Thrust] = field(default_factory=list)
    places: dict[str, Place] = field(default_factory=dict)  # frames that are no links
    poses: dict[str, dict[str, float]] = field(default_factory=dict)  # by name of a joint or link of the file
    unread: list[Unread] = field(default_factory=list)
    ground: list[Any] = field(default_factory=list)  # shapes of the ground that touch
    drives_guessed: bool = False  # whether the file says nothing of motors

    def leave(self, where: str, name: str, meaning: str) -> None:
        """Add what is not read to the entry of the same place and meaning."""
        for k, known in enumerate(self.unread):
            if known.where == where and known.meaning == meaning:
                names = known.names if name in known.names else (*known.names, name)
                self.unread[k] = Unread(where, names, meaning)
                return
        self.unread.append(Unread(where, (name,), meaning))

    def weight(self, link: str, mass: float, tensor: Array, centre: Array, axes: Array) -> Weight:
        """Return the weight of a link. Raises InputError for a negative mass and for what is not finite."""
        if not (np.isfinite(mass) and np.all(np.isfinite(tensor)) and np.all(np.isfinite(centre))) or mass < 0.0:
            raise InputError(f"{self.source}: the inertia of the link {link!r} is not one: mass {mass:g} kg.")
        return Weight.of(mass, tensor, centre, axes)
