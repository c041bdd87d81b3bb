"""Where bodies touch at one state: points with normals, whoever found them, and the rows that they make.

At a point x of space two bodies touch, with the unit normal n from body 2 to body 1. The velocity of body 1 past
body 2 at x is linear in v; its components along n and along the tangents are the rows N v and T v. `Touching` finds
such points from its distances, `gauss.robots.CollisionPair` from a library of collision detection.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gauss.bodies.results.statics import by_name
from gauss.bodies.touching.posed import velocity_at
from gauss.bodies.touching.touching import Touching, beside
from gauss.errors import InputError
from gauss.foundation.arrays import Array, positive
from gauss.foundation.calls import advised
from gauss.geometry.vectors import Vector, minus

NEAR = 1e-6  # m, a gap below which bodies touch


@dataclass(frozen=True, eq=False)
class ContactPoint:
    """A point at which two bodies touch. `friction` is the coefficient of two bodies at rest.

    >>> from gauss import bodies as mb
    >>> ball = mb.Body("ball", mb.sphere(2.0, 0.1))
    >>> floor = mb.Touching("floor", ball, mb.Ball(0.1), mb.GROUND, mb.PlaneSurface((0, 0, 0), (0, 0, 1)), 0.4)
    >>> world = mb.Mechanism("ball", [ball])
    >>> found = mb.contacts_at(world, world.state(ball.pose((1.0, 0.0, 0.1)))[0], floor)[0]
    >>> found.point, found.normal, found.friction
    ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), 0.4)
    """

    name: str
    body1: Any
    body2: Any
    point: Vector  # (d,) m, in space
    normal: Vector  # (d,) unit, in space, from body 2 to body 1
    gap: float  # m
    friction: float = 0.0

    @property
    def tangents(self) -> tuple[Vector, ...]:
        """One unit vector across the normal in the plane, two in space."""
        n = self.normal
        return ((n[1], -n[0]),) if len(n) == 2 else beside(n)

    def rows(self, system: Any, q: Array) -> tuple[Array, Array]:
        """Return the normal row N (n,) and the tangent rows T (d − 1, n) of a system at q (n,)."""
        past = []
        for i in range(system.n):
            place, unit = by_name(system, q.tolist(), [float(k == i) for k in range(system.n)])
            world = {"q": place, "v": unit}
            one, two = (velocity_at(body, self.point, world) for body in (self.body1, self.body2))
            past.append(minus(one, two))
        velocities = np.array(past, dtype=float)  # (n, d)
        return velocities @ np.array(self.normal), np.array(self.tangents) @ velocities.T


@advised
def contacts_at(mechanism: Any, q: object, touching: Any, near: float = NEAR) -> tuple[ContactPoint, ...]:
    """Return the points at which bodies touch at q (n,): those whose gap is at most `near` (m).

    `touching` is a `Touching` or what finds points by itself (`gauss.robots.CollisionPair`), or a list of them; they
    need not be parts of the mechanism. Raises InputError for others, and where bodies overlap by more than `near`.
    """
    near = positive(near, "near")
    given = touching if isinstance(touching, Iterable) else (touching,)
    place = mechanism.named(q)
    known = {body.name for body in mechanism.bodies}
    found: list[ContactPoint] = []
    for each in given:
        if isinstance(each, ContactPoint):
            found.append(each)
            continue
        if not isinstance(each, Touching) and not hasattr(each, "points_near"):
            raise InputError(f"what touches must be Touching, CollisionPair or ContactPoint, but one is {each!r}.")
        foreign = [body.name for body in each.bodies if body.coordinates and body.name not in known]
        if foreign:
            raise InputError(f"{each.name!r} touches {foreign[0]!r}, which is no body of {mechanism.name!r}.")
        found += _of(each, place, near) if isinstance(each, Touching) else each.points_near(place, near)
    deep = min(found, key=lambda one: one.gap, default=None)
    if deep is not None and deep.gap < -near:
        raise InputError(f"{deep.body1.name!r} overlaps {deep.body2.name!r} at {deep.name!r} by {-deep.gap:.3g} m.")
    return tuple(found)


def _of(touching: Touching, place: Any, near: float) -> list[ContactPoint]:
    """Return the points of a `Touching`."""
    found = []
    frames = zip(touching.rows, touching.pairs, touching.gaps(place), touching.points(place), touching.frames(place))
    for name, pair, gap, point, frame in frames:
        if float(gap) > near:
            continue
        one, two = touching.bodies if pair.by_first else touching.bodies[::-1]
        at, normal = (tuple(float(x) for x in vector) for vector in (point, frame[-1]))
        found.append(ContactPoint(name, one, two, at, normal, float(gap), float(touching.static or touching.friction)))
    return found
