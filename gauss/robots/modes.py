"""Assembly modes of a closed pose: the other positions in which the loops close while the driven joints stay.

A loop of which two coordinates are not known yet, hinges with parallel axes, closed by a third such point, is a *dyad*:
two bars between two points that are known. Two circles meet in two points at most, so that it closes in two ways,
mirrored at the line through the known points, and in no other. Loops that are dyads one after the other are known
entirely; where some loop is none, only the pose at hand is.
"""

from __future__ import annotations

from cmath import phase
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gauss.bodies.joints.drivers import Limit
from gauss.bodies.joints.joint import Joint
from gauss.bodies.joints.planar_joints import Pin
from gauss.bodies.joints.spatial_joints import Revolute, Spherical
from gauss.bodies.joints.transmissions import Coupling, Follower
from gauss.bodies.mechanism import Mechanism
from gauss.bodies.tree.spanning import GROUND, Tree, TreeNode
from gauss.foundation.arrays import Array
from gauss.geometry.vectors import across
from gauss.model.state import State
from gauss.robots.closing import LeadingRows
from gauss.robots.findings import ClosedPose

ONE = "one, found by continuation from the values given; others were not searched"
PARALLEL = 1e-9  # sine of the angle between axes, and share of a length, up to which they are the same


@dataclass(frozen=True)
class _Dyad:
    """Two hinges whose angles close a loop."""

    names: tuple[str, str]  # coordinates
    joints: tuple[Any, Any]  # hinges, the one nearer to the ground first where both are on one branch
    signs: tuple[float, float]  # 1 where the joint leads away from the ground
    link: Any  # that closes the loop
    sides: tuple[int, int]  # of the bodies of the link on whose branches the hinges are

    def ways(self, mechanism: Mechanism, q: Array) -> list[Array] | None:
        """Return the positions in which the loop closes; None where they are not two circles that meet."""
        there = mechanism.named(q)
        (start, normal), (second, axis) = (_axis_at(joint, there) for joint in self.joints)
        axes = [axis, _axis_at(self.link, there)[1]] if isinstance(self.link, Revolute) else [axis]
        if any(np.linalg.norm(np.cross(normal, other)) > PARALLEL for other in axes):
            return None
        plane = _LoopPlane.across(normal)
        ends = [
            _in_space(body.placed(there).point(point))
            for body, point in zip(self.link.bodies, (self.link.point1, self.link.point2), strict=True)
        ]
        first, last = (plane.of(ends[side]) for side in self.sides)
        X, hinge = plane.of(start), plane.of(second)
        branches = self.sides[0] != self.sides[1]
        Y = hinge if branches else plane.of(ends[1 - self.sides[0]])
        own, other = (first - X, last - hinge) if branches else (hinge - X, last - hinge)
        meeting = _meeting(X, abs(own), Y, abs(other), mechanism.tree.length)
        if meeting is None:
            return None
        found = []
        for P in meeting:
            one = phase((P - X) / own)
            two = phase((P - Y) / other) if branches else phase((Y - P) / other) - one
            moved = q.copy()
            turns = one * self.signs[0], two * self.signs[1] * float(np.sign(axis @ normal))
            for name, turn in zip(self.names, turns, strict=True):
                moved[mechanism.system.coordinates.index(name)] += turn
            found.append(moved)
        return found


@dataclass(frozen=True)
class _LoopPlane:
    """A plane in space, whose points are complex numbers."""

    x: Array  # (3,)
    y: Array

    @staticmethod
    def across(normal: Array) -> _LoopPlane:
        """Return the plane across a direction."""
        return _LoopPlane(*map(np.array, across(normal.tolist())))

    def of(self, point: Array) -> complex:
        """Return a point."""
        return complex(point @ self.x, point @ self.y)


def _meeting(X: complex, r: float, Y: complex, s: float, length: float) -> list[complex] | None:
    """Return the points of two circles, at most two; None where they are infinitely many or turn freely."""
    d = abs(Y - X)
    if min(d, r, s) <= PARALLEL * length:
        return None
    along = (d**2 + r**2 - s**2) / (2.0 * d)
    half = r**2 - along**2
    if half < -PARALLEL * length**2:
        return []
    foot, chord = X + along * (Y - X) / d, 1j * np.sqrt(max(half, 0.0)) * (Y - X) / d
    return [foot + chord, foot - chord] if half > PARALLEL * length**2 else [foot]


def _in_space(x: Any) -> Array:
    return np.array([float(y) for y in (*x, 0.0)[:3]])


def _axis_at(joint: Any, there: Any) -> tuple[Array, Array]:
    """Return the point and the direction of a hinge in space."""
    placed = joint.body1.placed(there)
    axis = np.array([0.0, 0.0, 1.0])
    if not isinstance(joint, Pin):
        axis = np.array([float(x) for x in placed.direction(joint.axis1)])
    return _in_space(placed.point(joint.point1)), axis / np.linalg.norm(axis)


def modes_of(mechanism: Mechanism, state: State, held: Sequence[str]) -> tuple[tuple[ClosedPose, ...], str, bool]:
    """Return the modes beside a closed pose with some coordinates held, what is known of them, and whether all are.

    The first is the pose itself.
    """
    here = ClosedPose(dict(zip(mechanism.system.coordinates, state.q.tolist(), strict=True)), 0.0, ())
    dyads = _dyads(mechanism, set(held))
    if dyads is None:
        return (here,), ONE, False
    candidates = [state.q]
    for dyad in dyads:
        ways = [dyad.ways(mechanism, q) for q in candidates]
        if any(way is None for way in ways):
            return (here,), ONE, False
        candidates = [q for way in ways for q in way or ()]
    rows, free = (
        LeadingRows.of_system(mechanism.system),
        np.array([x not in held for x in mechanism.system.coordinates]),
    )
    closed = [rows.descended(q, free) for q in candidates]
    found = [state.q]
    for q in closed:
        if q is not None and all(_apart(q, x, mechanism) for x in found):
            found.append(q)
    complete = all(q is not None for q in closed) and any(
        not _apart(q, state.q, mechanism) for q in closed if q is not None
    )
    modes = sorted((_mode(mechanism, state.q, q) for q in found), key=lambda mode: mode.distance)
    text = f"{len(modes)} with {', '.join(held) or 'nothing'} held"
    text += ", and no others: each loop is two bars between known points" if complete else ", perhaps others"
    return tuple(modes), text, complete


def _apart(one: Array, two: Array, mechanism: Mechanism) -> bool:
    """Return whether two positions differ, angles modulo a turn."""
    turns = np.array([mechanism.system.unit(name) == "rad" for name in mechanism.system.coordinates])
    gap = one - two
    gap = np.where(turns, np.remainder(gap + np.pi, 2.0 * np.pi) - np.pi, gap)
    return bool(np.max(np.abs(gap), initial=0.0) > 1e-6)


def _mode(mechanism: Mechanism, here: Array, q: Array) -> ClosedPose:
    """Return a position as a mode: angles within half a turn of those at hand, and the stops that it is beyond."""
    system = mechanism.system
    turns = np.array([system.unit(name) == "rad" for name in system.coordinates])
    q = np.where(turns, q - 2.0 * np.pi * np.round((q - here) / (2.0 * np.pi)), q)
    gaps = system.model.residuals(q, 0.0 * q, 0.0, system.theta())[0]
    beyond = tuple(system.row_names[k] for k in system.model.unilateral if gaps[k] < -1e-9)
    values = dict(zip(system.coordinates, q.tolist(), strict=True))
    return ClosedPose(values, float(np.linalg.norm(q - here)), beyond)


def _dyads(mechanism: Mechanism, known: set[str]) -> list[_Dyad] | None:
    """Return the dyads in an order in which each has known ends; None where some loop is none."""
    tree, fixed = mechanism.tree, set(known)
    waiting = [link for link in tree.loops if not isinstance(link, Limit)]
    order = list[_Dyad]()
    if tree.loose or mechanism.constraints or tree.balls:
        return None
    couplings = [link for link in waiting if isinstance(link, Coupling | Follower)]
    for link in couplings * len(couplings):  # of one unknown, which the others held leave one value
        terms = (*link.joints, *getattr(link, "leaders", ()))
        unknown = {tree.own.get((id(joint), motion), "?") for joint, _, motion in terms} - fixed
        straight = len(getattr(link, "coefficients", ())) <= 2 or unknown <= {
            tree.own.get((id(joint), motion), "?") for joint, _, motion in link.joints
        }
        if len(unknown) == 1 and "?" not in unknown and straight:
            fixed |= unknown
            waiting = [other for other in waiting if other is not link]
    known = set(fixed)
    while waiting:
        for link in waiting:
            if isinstance(link, Coupling | Follower) or not isinstance(link, Joint):
                return None
            loose = _unknown(tree, link, known)
            dyad = _dyad(link, loose)
            if dyad is not None or not loose:
                break
        else:
            return None
        if dyad is not None:
            order.append(dyad)
            known |= set(dyad.names)
        waiting.remove(link)
    return order if known >= set(tree.coordinates) else None


def _unknown(tree: Tree, link: Joint, known: set[str]) -> list[tuple[str, TreeNode, int]]:
    """Return the coordinates of a loop that are not known, with node and branch, from the ground outwards."""
    at = {id(node.body): k for k, node in enumerate(tree.nodes)}
    paths = []
    for body in link.bodies:
        k, path = at.get(id(body), GROUND), list[int]()
        while k != GROUND:
            path.insert(0, k)
            k = tree.nodes[k].parent
        paths.append(path)
    shared = {k for k in paths[0] if k in paths[-1]}
    return [
        (name, tree.nodes[k], side)
        for side, path in enumerate(paths)
        for k in path
        if k not in shared
        for name in tree.nodes[k].coordinates
        if name not in known
    ]


def _dyad(link: Joint, unknown: list[tuple[str, TreeNode, int]]) -> _Dyad | None:
    """Return the dyad of a loop with two unknown hinges, or None."""
    if not isinstance(link, Spherical | Revolute | Pin) or len(unknown) != 2:
        return None
    (one, first, a), (two, second, b) = unknown
    if not all(isinstance(node.joint, Revolute | Pin) for node in (first, second)):
        return None
    signs = tuple(1.0 if node.forwards else -1.0 for node in (first, second))
    return _Dyad((one, two), (first.joint, second.joint), (signs[0], signs[1]), link, (a, b))
