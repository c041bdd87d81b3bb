"""Mass matrix, bias and inverse dynamics of a tree by recursion from body to body, without derivatives of energies.

Outwards, with the angular velocity w, its rate α and the acceleration a of the origin, all in axes of the frame behind
a step (which is taken before the step's tail: that belongs to what follows, and to the body's inertia),

    w' = Rᵀw + s,   α' = Rᵀα + ṡ + Rᵀw × s,   a' = Rᵀ(a + U p + d s̈ + 2 w × d ṡ),   U = α× + w× w×,

from a = −g in space: weights are inertia. Inwards forces, and for the mass matrix the inertia of all that hangs on a
frame. Both are linear in the number of bodies but for the entries of the matrix (J. Luh, M. Walker and R. Paul, On-line
computational scheme for mechanical manipulators, 1980; R. Featherstone, Rigid Body Dynamics Algorithms, 2008, chapters
5 and 6).

Of a unit quaternion p they are those of the energy ½ μ (p·ṗ)² as well, where p·p = 1 and p·ṗ = 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

from gauss.bodies.tree.products import ZERO, Matrix, back, combined, cross, dot, onto, plus, product, times, total
from gauss.bodies.tree.reduced import inertia_of, measure_of, seen
from gauss.bodies.tree.spanning import GROUND, Tree
from gauss.bodies.tree.steps import Step
from gauss.geometry.vectors import Vector

Wrench = tuple[Vector, Vector]  # torque about the origin and force
Mass = tuple[float, Vector, Matrix]  # m, m c and the tensor about the origin


@dataclass(frozen=True)
class TreeLink:
    """One step of a tree as a frame: where it hangs, and the body at it, if any."""

    node: int
    number: int  # of the step in its node
    before: int  # the link before, or GROUND
    step: Step
    offset: Vector  # p without what slides: the tail of the link before is in it
    mass: Mass | None  # of the body, about the origin of the frame; None between the steps of a joint
    measure: float  # μ of a ball


def links_of(tree: Tree) -> tuple[TreeLink, ...]:
    """Return the frames behind the steps of a tree, each behind the one that it hangs on."""
    found: list[TreeLink] = []
    last: dict[int, int] = {GROUND: GROUND}
    for k, node in enumerate(tree.nodes):
        before = last[node.parent]
        for number, step in enumerate(node.steps):
            tail = found[before].step.tail if before != GROUND else ZERO
            body = number == len(node.steps) - 1
            mass = moved(inertia_of(node.body), step.tail) if body else None
            measure = measure_of(node) if step.kind == "ball" else 0.0
            found.append(TreeLink(k, number, before, step, plus(step.place, tail), mass, measure))
            before = len(found) - 1
        last[k] = before
    return tuple(found)


def moved(mass: Mass, by: Vector) -> Mass:
    """Return an inertia about an origin from which the old one is reached by a displacement."""
    m, first, J = mass
    half = plus(first, times(0.5 * m, by))
    twice = product(2.0, dot(by, half))
    shift = [
        [
            total(twice if i == j else 0.0, product(-1.0, total(product(by[i], half[j]), product(half[i], by[j]))))
            for j in range(3)
        ]
        for i in range(3)
    ]
    return m, plus(first, times(m, by)), tuple(plus(a, b) for a, b in zip(J, shift, strict=True))  # type: ignore[return-value]


def turned(mass: Mass, R: Matrix) -> Mass:
    """Return an inertia in the axes before a turn R."""
    m, first, J = mass
    half = tuple(combined(row, J) for row in R)  # R J, and the upper part of R J Rᵀ
    upper = {(i, j): dot(half[i], R[j]) for i in range(3) for j in range(i, 3)}
    return m, onto(R, first), tuple(tuple(upper[min(i, j), max(i, j)] for j in range(3)) for i in range(3))  # type: ignore[return-value]


def added(one: Mass | None, two: Mass) -> Mass:
    """Return the inertia of two."""
    if one is None:
        return two
    return one[0] + two[0], plus(one[1], two[1]), tuple(plus(a, b) for a, b in zip(one[2], two[2], strict=True))  # type: ignore[return-value]


class Recursion:
    """The recursions of one tree at coordinates by name; `armatures` are inertias that turn with coordinates alone."""

    def __init__(self, tree: Tree, q: Any, armatures: Mapping[str, float] = MappingProxyType({})):
        self.tree, self.q, self.armatures = tree, q, armatures
        self.links = links_of(tree)
        self.places = seen(tree, q)

    def turn(self, link: TreeLink) -> Matrix:
        """Return R of a link."""
        return self.places.turned(link.node, link.number)

    def offset(self, link: TreeLink) -> Vector:
        """Return where the frame of a link is in the one before."""
        step = link.step
        return plus(link.offset, times(self.q[step.names[0]], step.along)) if step.kind == "slide" else link.offset

    @cached_property
    def directions(self) -> list[list[tuple[str, bool, Vector]]]:
        """Of each coordinate of each link its name, whether it turns, and its axis in axes of the link."""
        return [list(self._directions(link)) for link in self.links]

    def _directions(self, link: TreeLink) -> Iterator[tuple[str, bool, Vector]]:
        step = link.step
        if step.kind == "turn":
            yield step.names[0], True, step.along
        elif step.kind == "slide":
            yield step.names[0], False, back(self.turn(link), step.along)
        elif step.kind == "ball":
            for name in step.names:
                yield name, True, step.spin(self.q, dict.fromkeys(step.names, 0.0) | {name: 1.0})

    @cached_property
    def composite(self) -> list[Mass]:
        """The inertia of what hangs on each link, about its origin and in its axes."""
        found: list[Mass | None] = [link.mass for link in self.links]
        for k in range(len(self.links) - 1, -1, -1):
            link, mass = self.links[k], found[k]
            assert mass is not None
            if link.before != GROUND:
                found[link.before] = added(found[link.before], moved(turned(mass, self.turn(link)), self.offset(link)))
        return found  # type: ignore[return-value]

    def mass_matrix(self) -> dict[tuple[str, str], Any]:
        """Return the entries of the mass matrix by two names, each pair once; those that are left out are 0."""
        found: dict[tuple[str, str], Any] = {}
        for k, link in enumerate(self.links):
            m, first, J = self.composite[k]
            own = self.directions[k]
            wrenches = [
                (onto(J, axis), cross(axis, first)) if turns else (cross(first, axis), times(m, axis))
                for _, turns, axis in own
            ]
            for i, (name, _, _) in enumerate(own):
                for other, turns, axis in own[i:]:
                    found[name, other] = dot(axis, wrenches[i][0 if turns else 1])
            if link.measure:
                p = [self.q[name] for name in link.step.names]
                for i, name in enumerate(link.step.names):
                    for j in range(i, 4):
                        pair = name, link.step.names[j]
                        found[pair] = total(found[pair], link.measure * p[i] * p[j])
            for name, _, _ in own:
                found[name, name] = total(found[name, name], self.armatures.get(name, 0.0))
            for (name, _, _), wrench in zip(own, wrenches, strict=True):
                at, load = link, wrench
                while at.before != GROUND:
                    load = self.carried(at, load)
                    for other, turns, axis in self.directions[at.before]:
                        found[name, other] = dot(axis, load[0 if turns else 1])
                    at = self.links[at.before]
        return found

    def carried(self, link: TreeLink, wrench: Wrench) -> Wrench:
        """Return a wrench at a link as one at the link before."""
        R = self.turn(link)
        force = onto(R, wrench[1])
        return plus(onto(R, wrench[0]), cross(self.offset(link), force)), force

    def motions(self, v: Any, a: Any, gravity: Sequence[float]) -> list[tuple[Vector, Vector, Vector, Matrix]]:
        """Return w, α, the acceleration of the origin less gravity, and U of each link, in its axes.

        v and a are rates and second derivatives by name; None are zero.
        """
        found: list[tuple[Vector, Vector, Vector]] = []
        tables: list[Matrix] = []
        for link in self.links:
            step, R, p = link.step, self.turn(link), self.offset(link)
            if link.before == GROUND:
                spin, turning, moving = ZERO, ZERO, times(-1.0, gravity)
            else:
                spin, turning, moving = found[link.before]
                moving = plus(moving, onto(tables[link.before], p))
            if step.kind == "slide":
                speed = 0.0 if v is None else v[step.names[0]]
                push = 0.0 if a is None else a[step.names[0]]
                moving = plus(moving, times(push, step.along), times(product(2.0, speed), cross(spin, step.along)))
            own = ZERO if v is None else step.spin(self.q, v)
            carried = back(R, spin)
            turning = plus(back(R, turning), ZERO if a is None else step.spin(self.q, a), cross(carried, own))
            spin = plus(carried, own)
            found.append((spin, turning, back(R, moving)))
            tables.append(_table(spin, turning))
        return [(*motion, table) for motion, table in zip(found, tables, strict=True)]

    def inverse_dynamics(self, v: Any, a: Any, gravity: Sequence[float]) -> dict[str, Any]:
        """Return the generalized forces M a + C v + weights by name, for rates and second derivatives by name."""
        motions = self.motions(v, a, gravity)
        wrenches: list[Wrench] = [
            (ZERO, ZERO) if link.mass is None else _inertial(link.mass, U, moving)
            for link, (_, _, moving, U) in zip(self.links, motions, strict=True)
        ]
        found: dict[str, Any] = {}
        for k in range(len(self.links) - 1, -1, -1):
            link, wrench = self.links[k], wrenches[k]
            for name, turns, axis in self.directions[k]:
                rotor = 0.0 if a is None else product(self.armatures.get(name, 0.0), a[name])
                found[name] = total(dot(axis, wrench[0 if turns else 1]), rotor)
            if link.measure:
                names = link.step.names
                changed = 0.0 if v is None else sum(v[name] ** 2 for name in names)
                if a is not None:
                    changed = changed + sum(self.q[name] * a[name] for name in names)
                for name in names:
                    found[name] = total(found[name], product(link.measure * self.q[name], changed))
            if link.before != GROUND:
                before, torque = wrenches[link.before], self.carried(link, wrench)
                wrenches[link.before] = plus(before[0], torque[0]), plus(before[1], torque[1])
        return found


def _table(spin: Vector, turning: Vector) -> Matrix:
    """Return U = α× + w× w×."""
    (x, y, z), (a, b, c) = spin, turning
    xx, yy, zz = product(x, x), product(y, y), product(z, z)
    xy, xz, yz = product(x, y), product(x, z), product(y, z)
    u, v, w = times(-1.0, turning), times(-1.0, (yy, xx, xx)), times(-1.0, (zz, zz, yy))
    return (
        (total(v[0], w[0]), total(xy, u[2]), total(xz, b)),
        (total(xy, c), total(v[1], w[1]), total(yz, u[0])),
        (total(xz, u[1]), total(yz, a), total(v[2], w[2])),
    )


def _inertial(mass: Mass, U: Matrix, a: Vector) -> Wrench:
    """Return the torque Σ dm r × U r + m c × a about the origin and the force m a + U m c."""
    m, first, J = mass
    # with the second moments Σ dm r rᵀ = tr J/2 − J, the torque is that of the antisymmetric part of U Σ
    half = 0.5 * (J[0][0] + J[1][1] + J[2][2])
    S = [[total(half if i == j else 0.0, product(-1.0, J[i][j])) for j in range(3)] for i in range(3)]
    P = [[dot(U[i], [S[k][j] for k in range(3)]) for j in range(3)] for i in range(3)]
    torque = (
        total(P[2][1], product(-1.0, P[1][2])),
        total(P[0][2], product(-1.0, P[2][0])),
        total(P[1][0], product(-1.0, P[0][1])),
    )
    return plus(torque, cross(first, a)), plus(times(m, a), onto(U, first))
