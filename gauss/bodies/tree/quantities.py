"""What controllers ask of a tree: frames and their Jacobians, momentum about the centre of mass, the regressor.

Columns of the Jacobian are the motions of a frame by unit rates of the coordinates: a turn about the axis e through the
origin o of its link moves a point P with e × (P − o). Momentum is that of the composite inertia that hangs on a link.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gauss.bodies.tree.products import ZERO, Matrix, back, combined, cross, dot, onto, plus, times, total
from gauss.bodies.tree.recursion import Recursion, TreeLink
from gauss.bodies.tree.reduced import inertia_of
from gauss.bodies.tree.spanning import GROUND, Tree
from gauss.bodies.tree.steps import SAME, X, Y, Z
from gauss.geometry.vectors import Vector

Motions = dict[str, tuple[Vector, Vector]]  # by coordinate: velocity and angular velocity
TENSOR = ((X, X), (X, Y), (Y, Y), (X, Z), (Y, Z), (Z, Z))  # the six entries of a tensor, in the order of parameters


def frames(found: Recursion) -> list[tuple[Vector, Matrix]]:
    """Return the origin of each link in space, and its axes as columns of a matrix, by rows."""
    places: list[tuple[Vector, Matrix]] = []
    for link in found.links:
        origin, R = (ZERO, SAME) if link.before == GROUND else places[link.before]
        turn = found.turn(link)
        places.append((plus(origin, onto(R, found.offset(link))), tuple(combined(row, turn) for row in R)))  # type: ignore[arg-type]
    return places


def link_of(found: Recursion, node: int) -> int:
    """Return the link of the body of a node."""
    return max(k for k, link in enumerate(found.links) if link.node == node)


def placement(found: Recursion, node: int, point: Sequence[Any]) -> tuple[Vector, Matrix]:
    """Return where a point in body axes is in space, and the axes of the body."""
    k = link_of(found, node)
    origin, R = frames(found)[k]
    return plus(origin, onto(R, plus(found.links[k].step.tail, point))), R


def jacobian(found: Recursion, node: int, point: Sequence[Any], space: bool) -> Motions:
    """Return the motions of a point and of its body by unit rates, in axes of space or of the body."""
    places, k = frames(found), link_of(found, node)
    axes = places[k][1]
    P = plus(places[k][0], onto(axes, plus(found.links[k].step.tail, point)))
    motions: Motions = {}
    while k != GROUND:
        link, (origin, R) = found.links[k], places[k]
        for name, turns, axis in found.directions[k]:
            way = onto(R, axis)
            motions[name] = (cross(way, plus(P, times(-1.0, origin))), way) if turns else (way, ZERO)
        k = link.before
    return motions if space else {name: (back(axes, a), back(axes, b)) for name, (a, b) in motions.items()}


def bias_acceleration(found: Recursion, v: Any, node: int, point: Sequence[Any], space: bool) -> tuple[Vector, Vector]:
    """Return the acceleration of a point and the angular one of its body where second derivatives are zero."""
    k = link_of(found, node)
    _, turning, moving, U = found.motions(v, None, ZERO)[k]
    moving = plus(moving, onto(U, plus(found.links[k].step.tail, point)))
    if not space:
        return moving, turning
    R = frames(found)[k][1]
    return onto(R, moving), onto(R, turning)


def centroidal(found: Recursion) -> tuple[Motions, Vector]:
    """Return the momentum and its moment about the centre of mass, by unit rates, and that centre; axes of space."""
    places = frames(found)
    roots = [k for k, link in enumerate(found.links) if link.before == GROUND]
    mass = sum(found.composite[k][0] for k in roots)
    firsts = [
        plus(onto(places[k][1], found.composite[k][1]), times(found.composite[k][0], places[k][0])) for k in roots
    ]
    centre = times(1.0 / mass, plus(*firsts))
    motions: Motions = {}
    for k in range(len(found.links)):
        m, first, J = found.composite[k]
        origin, R = places[k]
        for name, turns, axis in found.directions[k]:
            moment, momentum = (onto(J, axis), cross(axis, first)) if turns else (cross(first, axis), times(m, axis))
            momentum = onto(R, momentum)
            arm = plus(origin, times(-1.0, centre))
            motions[name] = momentum, plus(onto(R, moment), cross(arm, momentum))
    return motions, centre


def inertial_parameters(tree: Tree) -> list[float]:
    """Return m, m c and the tensor about the origin, (xx, xy, yy, xz, yz, zz), of each body in its axes."""
    found: list[float] = []
    for node in tree.nodes:
        m, first, J = inertia_of(node.body)
        found += [m, *first, *(float(np.array(a) @ np.array(J) @ np.array(b)) for a, b in TENSOR)]
    return found


def regressor(found: Recursion, v: Any, a: Any, gravity: Sequence[float]) -> dict[tuple[str, int], Any]:
    """Return the derivatives of inverse dynamics by the inertial parameters: by coordinate and place of a parameter."""
    motions = found.motions(v, a, gravity)
    reached: list[dict[str, tuple[Vector, Vector]]] = []  # motions of each link by unit rates, in its axes
    entries: dict[tuple[str, int], Any] = {}
    for k, link in enumerate(found.links):
        ways = {} if link.before == GROUND else _carried(found, link, reached[link.before])
        ways |= {name: (ZERO, axis) if turns else (axis, ZERO) for name, turns, axis in found.directions[k]}
        reached.append(ways)
        if link.mass is None:
            continue
        spin, turning, moving, U = motions[k]
        tail = link.step.tail
        loads = _loads(spin, turning, plus(moving, onto(U, tail)), U)
        loads = [(plus(torque, cross(tail, force)), force) for torque, force in loads]
        for name, (velocity, turn) in ways.items():
            for i, (torque, force) in enumerate(loads):
                entries[name, 10 * link.node + i] = total(dot(turn, torque), dot(velocity, force))
    return entries


def _carried(found: Recursion, link: TreeLink, ways: Motions) -> Motions:
    """Return motions of the link before as motions of a link."""
    R, p = found.turn(link), found.offset(link)
    return {name: (back(R, plus(u, cross(w, p))), back(R, w)) for name, (u, w) in ways.items()}


def _loads(spin: Vector, turning: Vector, moving: Vector, U: Matrix) -> list[tuple[Vector, Vector]]:
    """Return torque about the origin and force of a body in motion, for each inertial parameter of 1."""
    loads: list[tuple[Vector, Vector]] = [(ZERO, moving)]
    loads += [(cross(axis, moving), tuple(row[i] for row in U)) for i, axis in enumerate(SAME)]
    for one, two in TENSOR:
        i, j = one.index(1.0), two.index(1.0)

        def tensor(x: Vector, i: int = i, j: int = j) -> Vector:
            if i == j:
                return times(x[i], SAME[i])
            return plus(times(x[j], SAME[i]), times(x[i], SAME[j]))

        loads.append((plus(tensor(turning), cross(spin, tensor(spin))), ZERO))
    return loads
