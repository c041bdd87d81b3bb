"""M x = f of a tree in a number of operations linear in the bodies: articulated-body inertias, inwards and outwards.

The inertia with which a link answers a force, when the joints behind it yield, is a torque and a force for angular and
linear accelerations of its origin,

    (N, F) = (A α + B a, Bᵀα + C a);    a joint with the direction s takes U Uᵀ/D away, U = I s, D = s·U,

(R. Featherstone, Rigid Body Dynamics Algorithms, 2008, chapter 7). The D are the pivots of M, eliminated from the tips.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gauss.bodies.tree.products import (
    ZERO,
    Matrix,
    back,
    combined,
    cross,
    dot,
    is_zero,
    onto,
    plus,
    product,
    times,
    total,
)
from gauss.bodies.tree.recursion import Recursion, Wrench, turned
from gauss.bodies.tree.spanning import GROUND
from gauss.geometry.vectors import Vector

Inertia6 = tuple[Matrix, Matrix, Matrix]  # A, B, C
UPPER = tuple((i, j) for i in range(3) for j in range(i, 3))


@dataclass(frozen=True)
class Yielding:
    """How one joint with one coordinate yields."""

    name: str
    turns: bool
    axis: Vector
    load: Wrench  # U
    pivot: Any  # D
    mass: Any  # the entry of the mass matrix, which D is a share of


def yielding(found: Recursion) -> list[Yielding | None]:
    """Return the factors of M by link, None of links without a coordinate. There must be no ball joints."""
    inertias: list[Inertia6 | None] = [None] * len(found.links)
    for k, link in enumerate(found.links):
        if link.mass is not None:
            m, (x, y, z), J = link.mass
            minus = times(-1.0, (x, y, z))
            B = ((0.0, minus[2], y), (z, 0.0, minus[0]), (minus[1], x, 0.0))
            inertias[k] = J, B, ((m, 0.0, 0.0), (0.0, m, 0.0), (0.0, 0.0, m))
    factors: list[Yielding | None] = [None] * len(found.links)
    for k in range(len(found.links) - 1, -1, -1):
        link, inertia = found.links[k], inertias[k]
        assert inertia is not None
        for name, turns, axis in found.directions[k]:
            A, B, C = inertia
            load = (onto(A, axis), back(B, axis)) if turns else (onto(B, axis), onto(C, axis))
            rotor = found.armatures.get(name, 0.0)
            pivot = total(dot(axis, load[0 if turns else 1]), rotor)
            pivot = math.nan if is_zero(pivot) else pivot  # nothing has inertia there, and nothing is determined
            m, _, J = found.composite[k]
            mass = total(dot(axis, onto(J, axis)) if turns else product(m, dot(axis, axis)), rotor)
            factors[k] = Yielding(name, turns, axis, load, pivot, mass)
            inertia = _without(inertia, load, pivot)
        if link.before != GROUND:
            own, more = inertias[link.before], _before(inertia, found.turn(link), found.offset(link))
            inertias[link.before] = more if own is None else tuple(map(_sum, own, more))  # type: ignore[assignment]
    return factors


def solved(found: Recursion, factors: list[Yielding | None], force: Mapping[str, Any]) -> dict[str, Any]:
    """Return x of M x = f by name."""
    count = len(found.links)
    wrenches: list[Wrench] = [(ZERO, ZERO)] * count
    left: list[Any] = [None] * count
    for k in range(count - 1, -1, -1):
        link, factor, wrench = found.links[k], factors[k], wrenches[k]
        if factor is not None:
            held = dot(factor.axis, wrench[0 if factor.turns else 1])
            left[k] = total(force[factor.name], product(-1.0, held)) / factor.pivot
            wrench = tuple(plus(a, times(left[k], b)) for a, b in zip(wrench, factor.load, strict=True))  # type: ignore[assignment]
        if link.before != GROUND:
            before, more = wrenches[link.before], found.carried(link, wrench)
            wrenches[link.before] = plus(before[0], more[0]), plus(before[1], more[1])
    x: dict[str, Any] = {}
    motions: list[tuple[Vector, Vector]] = []
    for k, link in enumerate(found.links):
        turning, moving = (ZERO, ZERO) if link.before == GROUND else motions[link.before]
        R, factor = found.turn(link), factors[k]
        moving = back(R, plus(moving, cross(turning, found.offset(link))))
        turning = back(R, turning)
        if factor is not None:
            taken = total(dot(factor.load[0], turning), dot(factor.load[1], moving))
            x[factor.name] = own = total(left[k], product(-1.0, taken / factor.pivot))
            if factor.turns:
                turning = plus(turning, times(own, factor.axis))
            else:
                moving = plus(moving, times(own, factor.axis))
        motions.append((turning, moving))
    return x


def _without(inertia: Inertia6, load: Wrench, pivot: Any) -> Inertia6:
    """Return I − U Uᵀ/D."""
    (torque, force), shares = load, [times(-1.0 / pivot, part) for part in load]
    A, B, C = inertia
    return (
        _symmetric({(i, j): total(A[i][j], product(torque[i], shares[0][j])) for i, j in UPPER}),
        tuple(tuple(total(B[i][j], product(torque[i], shares[1][j])) for j in range(3)) for i in range(3)),
        _symmetric({(i, j): total(C[i][j], product(force[i], shares[1][j])) for i, j in UPPER}),
    )  # type: ignore[return-value]


def _before(inertia: Inertia6, R: Matrix, p: Vector) -> Inertia6:
    """Return an inertia at the link before, in its axes, whose origin is at −p."""
    A, B, C = inertia
    A, C = (turned((0.0, ZERO, X), R)[2] for X in (A, C))
    rows = [combined(row, B) for row in R]  # R B
    B = tuple(tuple(dot(row, other) for other in R) for row in rows)  # type: ignore[assignment]
    columns = [cross(p, column) for column in C]  # of p× C, as C is symmetric
    moved = tuple(plus(B[i], [column[i] for column in columns]) for i in range(3))  # B + p× C
    one = [cross(p, row) for row in B]  # columns of p× Bᵀ
    two = [cross(row, p) for row in moved]  # rows of (B + p× C) p×
    sums = {(i, j): total(A[i][j], one[j][i], product(-1.0, two[i][j])) for i, j in UPPER}
    return _symmetric(sums), moved, C  # type: ignore[return-value]


def _symmetric(upper: Mapping[tuple[int, int], Any]) -> Matrix:
    return tuple(tuple(upper[min(i, j), max(i, j)] for j in range(3)) for i in range(3))  # type: ignore[return-value]


def _sum(one: Matrix, two: Matrix) -> Matrix:
    return tuple(plus(a, b) for a, b in zip(one, two, strict=True))  # type: ignore[return-value]
