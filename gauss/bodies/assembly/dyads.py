"""Planar linkages made of dyads: all their positions in closed form.

A dyad is a pair of bodies joined by a pin, each joined by a pin or a slider to bodies whose poses are known. The inner
pin is where two loci meet: a circle for a pin, a line for a slider. So a dyad closes in at most two ways, and the
positions of a linkage that is built up of dyads from what is held are enumerated completely.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gauss.bodies.assembly.closing import Loops
from gauss.bodies.body.body import AnyBody, Ground
from gauss.bodies.body.rods_and_particles import PlanarBody
from gauss.bodies.joints.drivers import Driver
from gauss.bodies.joints.joint import Joint
from gauss.bodies.joints.planar_joints import Pin, Slider
from gauss.bodies.mechanism import Mechanism
from gauss.foundation.arrays import Array

DEEPEST = 10  # dyads, of which each may double the number of positions
TOUCHING = 1e-12  # squared half chord, relative to the squared length, down to which loci touch
COINCIDENT = 1e-9  # distance of centres, or radius, relative to the length: the loci are one, or a point

Pose = tuple[float, float, float]  # x, y (m) and angle (rad)


@dataclass(frozen=True, eq=False)
class _Side:
    """One body of a dyad with the joint that carries it and its point in the inner pin."""

    body: AnyBody
    outer: Joint
    inner: Sequence[float]

    def ends(self) -> tuple[AnyBody, Sequence[float], Sequence[float]]:
        """Return the body that carries it, the point of that body and its own."""
        joint = self.outer
        if joint.body1 is self.body:
            return joint.body2, joint.point2, joint.point1
        return joint.body1, joint.point1, joint.point2


@dataclass(frozen=True)
class _Locus:
    """Where an inner pin may be: a circle about `centre`, or a line through it."""

    centre: Array  # (2,) m
    radius: float = 0.0  # m
    direction: Array | None = None  # (2,) of a line


def positions(mechanism: Mechanism, loops: Loops, closed: Array, held: Sequence[str]) -> list[Array] | None:
    """Return all positions (n,) with what is `held` or driven as it is at the closed position.

    None where the mechanism is not built up of dyads from there, or where two loci are one.

    Other joints and rows of the mechanism are not asked; a position they exclude may be among those returned.
    """
    if not all(isinstance(body, PlanarBody) for body in mechanism.bodies):
        return None
    driven = {link.joint.name for link in mechanism.joints if isinstance(link, Driver)}
    fixed = _fixed(mechanism, driven.union(held))
    order = _order(mechanism, fixed)
    if order is None or len(order) > DEEPEST:
        return None
    starts = dict(zip((body.name for body in mechanism.bodies), loops.starts, strict=True))
    poses = {name: _pose(closed[starts[name] :]) for name in fixed}
    found = [poses]
    for sides in order:
        grown: list[dict[str, Pose]] = []
        for known in found:
            ways = _ways(sides, known, loops.length)
            if ways is None:
                return None
            grown += [{**known, **way} for way in ways]
        found = grown
    answers = []
    for known in found:
        q = closed.copy()
        for name, (x, y, angle) in known.items():
            q[starts[name] : starts[name] + 4] = x, y, np.cos(angle), np.sin(angle)
        answers.append(q)
    return answers


def _pose(q: Array) -> Pose:
    return float(q[0]), float(q[1]), float(np.arctan2(q[3], q[2]))


def _fixed(mechanism: Mechanism, held: set[str]) -> set[str]:
    """Return the bodies whose poses follow from what is held without solving for anything."""
    fixed: set[str] = set()
    grew = True
    while grew:
        grew = False
        for body in mechanism.bodies:
            if body.name in fixed:
                continue
            turned = held.issuperset(body.coordinates[2:])
            carried = [
                joint
                for joint in mechanism.joints
                if isinstance(joint, (Pin, Slider)) and body in joint.bodies and _known(_other(joint, body), fixed)
            ]
            pinned = any(isinstance(joint, Pin) and (turned or joint.name in held) for joint in carried)
            slid = any(isinstance(joint, Slider) and joint.name in held for joint in carried)
            if pinned or slid or held.issuperset(body.coordinates):
                fixed.add(body.name)
                grew = True
    return fixed


def _other(joint: Joint, body: AnyBody) -> AnyBody:
    return joint.body2 if joint.body1 is body else joint.body1


def _known(body: AnyBody, names: set[str]) -> bool:
    return isinstance(body, Ground) or body.name in names


def _order(mechanism: Mechanism, fixed: set[str]) -> list[tuple[_Side, _Side]] | None:
    """Return the dyads in an order in which each stands on known bodies, or None if some body is in none."""
    known, order = set(fixed), []
    plain = [joint for joint in mechanism.joints if isinstance(joint, (Pin, Slider))]
    while len(known) < len(mechanism.bodies):
        for joint in plain:
            sides = [
                _Side(body, outer, point)
                for body, point in ((joint.body1, joint.point1), (joint.body2, joint.point2))
                for outer in plain
                if outer is not joint and body in outer.bodies and _known(_other(outer, body), known)
            ]
            new = {side.body.name: side for side in reversed(sides) if not _known(side.body, known)}
            if isinstance(joint, Pin) and len(new) == 2:
                one, two = new.values()
                order.append((one, two))
                known |= set(new)
                break
        else:
            return None
    return order


def _ways(sides: tuple[_Side, _Side], known: dict[str, Pose], length: float) -> list[dict[str, Pose]] | None:
    """Return the poses of the two bodies of a dyad in each of its positions; None where the loci are one."""
    points = _meeting(_locus(sides[0], known), _locus(sides[1], known), length)
    if points is None:
        return None
    return [{side.body.name: _placed(side, point, known) for side in sides} for point in points]


def _space(body: AnyBody, at: Sequence[float], known: dict[str, Pose]) -> Array:
    """Return a point of a known body in space."""
    if isinstance(body, Ground):
        return np.array(at, dtype=float)
    x, y, angle = known[body.name]
    return np.array([x, y]) + _turned(at, angle)


def _turned(vector: Any, angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]])


def _angle(body: AnyBody, known: dict[str, Pose]) -> float:
    return 0.0 if isinstance(body, Ground) else known[body.name][2]


def _locus(side: _Side, known: dict[str, Pose]) -> _Locus:
    """Return where the inner pin may be as a point of this side."""
    carrier, there, own = side.ends()
    place, lever = _space(carrier, there, known), np.subtract(side.inner, own)
    if isinstance(side.outer, Slider):
        angle = _angle(carrier, known)
        return _Locus(place + _turned(lever, angle), direction=_turned(side.outer.axis1, angle))
    return _Locus(place, float(np.linalg.norm(lever)))


def _placed(side: _Side, point: Array, known: dict[str, Pose]) -> Pose:
    """Return the pose of one side when the inner pin is at a point."""
    carrier, there, own = side.ends()
    if isinstance(side.outer, Slider):
        angle = _angle(carrier, known)
    else:
        lever, spanned = np.subtract(side.inner, own), point - _space(carrier, there, known)
        angle = float(np.arctan2(spanned[1], spanned[0]) - np.arctan2(lever[1], lever[0]))
    x, y = point - _turned(side.inner, angle)
    return float(x), float(y), angle


def _meeting(one: _Locus, two: _Locus, length: float) -> list[Array] | None:
    """Return the points common to two loci, at most two, or None where they are infinitely many or not sharp."""
    if one.direction is not None and two.direction is not None:
        sine = float(one.direction[0] * two.direction[1] - one.direction[1] * two.direction[0])
        if abs(sine) < COINCIDENT:
            return None
        gap = two.centre - one.centre
        share = float(gap[0] * two.direction[1] - gap[1] * two.direction[0]) / sine
        return [one.centre + share * one.direction]
    if one.direction is not None:
        return _meeting(two, one, length)
    if one.radius < COINCIDENT * length:
        return None
    gap = two.centre - one.centre
    if two.direction is not None:
        along, foot = -two.direction, two.centre - (gap @ two.direction) * two.direction
        half = one.radius**2 - float((foot - one.centre) @ (foot - one.centre))
    else:
        distance = float(np.linalg.norm(gap))
        if distance < COINCIDENT * length or two.radius < COINCIDENT * length:
            return None
        reach = (distance**2 + one.radius**2 - two.radius**2) / (2.0 * distance)
        foot = one.centre + reach * gap / distance
        along, half = np.array([-gap[1], gap[0]]) / distance, one.radius**2 - reach**2
    if half < -TOUCHING * length**2:
        return []
    chord = np.sqrt(max(half, 0.0)) * along
    return [foot + chord, foot - chord] if half > TOUCHING * length**2 else [foot]
