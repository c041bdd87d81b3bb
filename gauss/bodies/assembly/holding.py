"""What an assembly holds, the coordinates of joints and their rates, and rows that tell a joint from a reversed one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gauss.bodies.body.body import AnyBody, described
from gauss.bodies.joints.joint import Joint, Link
from gauss.bodies.joints.planar_joints import Pin, Slider
from gauss.bodies.joints.spatial_joints import (
    Cylindrical,
    PlanarJoint,
    Revolute,
    RevoluteSpherical,
    Spherical,
    Universal,
    _Oriented,
    moves,
)
from gauss.bodies.mechanism import Mechanism
from gauss.errors import InputError
from gauss.foundation.arrays import Array
from gauss.foundation.calls import meant_name
from gauss.foundation.tolerances import RESTS
from gauss.functions.elementary import sin
from gauss.geometry.vectors import IDENTITY, minus
from gauss.model import Constraint, Holonomic

ANGLES: dict[type[Joint], tuple[int, ...]] = {
    Revolute: (0,),
    Pin: (0,),
    Cylindrical: (0,),
    Universal: (0, 1),
    PlanarJoint: (2,),
    RevoluteSpherical: (0,),
}


def joint_values(mechanism: Mechanism, q: Array) -> dict[str, float]:
    """Return the joint coordinates (rad or m) at a position (n,) by the joint's name, `[k]` for one of several."""
    named, found = mechanism.named(q), {}
    for joint in mechanism.joints:
        values = coordinates_of(joint, named)
        for k, value in enumerate(values):
            found[joint.name if len(values) == 1 else f"{joint.name}[{k}]"] = float(value)
    return found


def coordinates_of(joint: Any, q: Any) -> tuple[Any, ...]:
    """Return the angles and displacements of a joint, () if it has none, as a ball joint and a kept distance."""
    turns = isinstance(joint, Joint) and moves(joint) and not isinstance(joint, Spherical)
    if not turns:
        return ()
    found = joint.value(q)
    return tuple(found) if isinstance(found, (tuple, list)) else (found,)


@dataclass(frozen=True)
class HeldNumber:
    """One number that is held: a coordinate, or one of a joint's."""

    name: str
    joint: Link | None = None
    part: int = 0
    angle: bool = False

    def of(self, q: Any) -> Any:
        """Return its value."""
        return q[self.name] if self.joint is None else coordinates_of(self.joint, q)[self.part]

    def row(self, k: int, begin: float) -> Constraint:
        """Return the row that keeps it at its value and rate, which are the k-th parameters; an angle is one mod 2π."""

        def kept(q: Any, t: Any, p: Any) -> Any:
            gap = self.of(q) - p[f"assembly_{k}"] - p[f"assembly_{k}_rate"] * (t - begin)
            return 2.0 * sin(0.5 * gap) if self.angle else gap

        return Holonomic(f"held {self.name}", kept)


def held_numbers(mechanism: Mechanism, hold: Any) -> list[HeldNumber]:
    """Return what is held, one entry for each number. Raises InputError for what the mechanism has not."""
    if isinstance(hold, str):
        known = [*(part.name for part in (*mechanism.bodies, *mechanism.joints)), *mechanism.system.coordinates]
        asked: Sequence[Any] = _listed(hold, known)
    else:
        asked = list(hold) if isinstance(hold, Iterable) else [hold]
    if isinstance(hold, Mapping):
        raise InputError("hold says what keeps the value it has in the given poses: give names or parts, not a dict.")
    parts = (*mechanism.bodies, *mechanism.joints)
    found: list[HeldNumber] = []
    for one in asked:
        name = one if isinstance(one, str) else getattr(one, "name", repr(one))
        if not isinstance(one, str) and any(part.name == name and part is not one for part in parts):
            raise InputError(f"hold: {described(one)} is none of the parts of {mechanism.name!r}, but of another one.")
        found += _numbers(mechanism, name)
    return list({x.name: x for x in found}.values())


def _listed(text: str, known: Sequence[str]) -> list[str]:
    """Return the names in a text, apart by commas or blanks; a known name may have blanks in it, and a misspelt one."""
    if text in known:
        return [text]
    parts = [part.strip() for part in text.split(",") if part.strip()]
    split = [[part] if part in known or {*known}.isdisjoint(part.split()) else part.split() for part in parts]
    return [name for names in split for name in names]


def _numbers(mechanism: Mechanism, name: str) -> list[HeldNumber]:
    """Return the numbers that a name stands for."""
    bodies: list[AnyBody] = [body for body in mechanism.bodies if body.name == name]
    joints = [joint for joint in mechanism.joints if joint.name == name]
    if len(bodies) + len(joints) > 1:
        raise InputError(f"hold: several parts of {mechanism.name!r} are called {name!r}; give coordinates.")
    if bodies:
        return [HeldNumber(coordinate) for coordinate in bodies[0].coordinates]
    if name in mechanism.system.coordinates:
        return [HeldNumber(name)]
    if not joints:
        meant = meant_name(name, [part.name for part in (*mechanism.joints, *mechanism.bodies)])
        raise InputError(
            f"hold: {mechanism.name!r} has no joint, body or coordinate {name!r};"
            f"{f' did you mean {meant!r}? Its' if meant else ' its'} joints are"
            f" {', '.join(joint.name for joint in mechanism.joints) or 'none'}, its bodies"
            f" {', '.join(body.name for body in mechanism.bodies)}."
        )
    joint = joints[0]
    zero = mechanism.named(mechanism.system.vector({}, "q", [0.0] * mechanism.system.n))
    count = len(coordinates_of(joint, zero))
    if not count:
        raise InputError(f"hold: the joint {name!r} ({type(joint).__name__}) has no coordinate; hold a body instead.")
    labels = [name] if count == 1 else [f"{name}[{k}]" for k in range(count)]
    turning = next((places for kind, places in ANGLES.items() if isinstance(joint, kind)), ())
    return [HeldNumber(label, joint, k, k in turning) for k, label in enumerate(labels)]


def facing_rows(joint: Link) -> list[Constraint]:
    """Return rows that make the axes of a joint point the same way; its own hold for opposite ones as well."""
    pairs: list[tuple[Sequence[float], Sequence[float]]] = []  # directions of body 1 and of body 2 that agree
    if isinstance(joint, (Revolute, Cylindrical, PlanarJoint)):
        pairs = [(joint.axis1, joint.axis2)]
    elif isinstance(joint, _Oriented):
        pairs = list(zip(IDENTITY, joint.orientation, strict=True))
    elif isinstance(joint, Slider):
        pairs = [((1.0, 0.0), (1.0, 0.0))]
    else:
        return []

    def same(q: Any) -> list[Any]:
        one, two = joint.body1.placed(q), joint.body2.placed(q)
        return [x for first, second in pairs for x in minus(one.direction(first), two.direction(second))]

    return [Holonomic(f"{joint.name} facing", same)]


def by_joints(mechanism: Mechanism, q: Array, basis: Array) -> tuple[Array, tuple[str, ...], dict[str, Array]]:
    """Return a basis (n, f) with unit rates of as many joint coordinates as are independent, their names, all rates."""
    names = list(joint_values(mechanism, q))
    rates = np.array([_rates(mechanism, q, column) for column in basis.T]).reshape(basis.shape[1], len(names)).T
    chosen: list[int] = []
    kept = np.zeros((0, basis.shape[1]))
    size = float(np.max(np.abs(rates), initial=0.0))
    for k, row in enumerate(rates):
        rest = row - kept.T @ (kept @ row) if chosen else row
        if np.linalg.norm(rest) > RESTS * size > 0.0:
            kept = np.vstack([kept, rest / np.linalg.norm(rest)])
            chosen.append(k)
    aside = np.linalg.svd(kept)[2][len(chosen) :] if chosen else np.eye(basis.shape[1])
    turn = np.linalg.inv(np.vstack([rates[chosen], aside]))
    turned = rates @ turn
    turned = np.where(np.abs(turned) > RESTS * np.max(np.abs(turned), initial=0.0), turned, 0.0)
    return basis @ turn, tuple(names[k] for k in chosen), dict(zip(names, turned, strict=True))


def _rates(mechanism: Mechanism, q: Array, v: Array) -> list[float]:
    """Return the rates of all joint coordinates, in the order of `joint_values`."""
    places, moves = mechanism.named(q), mechanism.named(v)
    return [
        float(rate)
        for joint in mechanism.joints
        if isinstance(joint, Joint) and coordinates_of(joint, places)
        for rate in np.atleast_1d(joint.rate(places, moves))  # type: ignore[attr-defined]
    ]
