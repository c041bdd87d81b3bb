"""Bodies that touch: unilateral rows whose functions are distances, with friction where they slip at their points.

A point with a radius r of one body, its centre at x in the axes of the other, has the gap g = φ(x) − r with the unit
normal n = ∇φ away from the other body. It touches at its centre less r n. The slip velocity is the velocity of the
touching body at that point past the other body at the same point, along the tangents: in the plane along (n_y, −n_x),
to the right of someone who looks along −n, in space along two tangents. N = ∂g/∂q and T = ∂s/∂v are then those of
opposite forces of the two bodies on each other at one point.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gauss.bodies.body.body import AnyBody, Ground, require_body, require_name
from gauss.bodies.body.rods_and_particles import Particle, Rod
from gauss.bodies.joints.rates import answered, within
from gauss.bodies.touching.contact_shapes import Pair, pairs_of, shape_of
from gauss.bodies.touching.posed import Posed, placed_at, turning_of, velocity_at
from gauss.errors import InputError
from gauss.foundation.arrays import Array, not_negative, scalar
from gauss.functions.elementary import less, where
from gauss.geometry.contact_solids import Ball, Solid
from gauss.geometry.placed import Placed
from gauss.geometry.vectors import IDENTITY, Vector, dot, minus, plus, times
from gauss.model import Constraint, Coulomb, Friction, Unilateral, warn_of_friction

World = dict[str, Any]  # q and v by coordinate name, and t and p where a pose takes them


@dataclass(frozen=True, eq=False)
class Touching:
    """Two bodies that may touch but not overlap: a part of a `Mechanism`, or rows of any System.

    Each shape is given in the axes of its body (`GROUND` and `Posed` bodies included). In the plane discs and boxes
    touch discs, boxes, half-planes, holes and curves (`Level`); in space balls and the corners of boxes touch balls,
    boxes (balls only) and surfaces. There is one row for each way to touch: two boxes in the plane have eight, each
    corner of one on the other; a box has one for each corner, a disc or ball one. Its function is the distance (m).

    `friction` is μ_k and `static` μ_s (μ_k if left out), of Coulomb's law. `rolling` and `spinning` are the arms ρ (m)
    of moments |m| ≤ ρ p that resist rolling and, in space, spinning about the normal. `restitution` is that of
    `gauss.Unilateral`. Raises InputError.
    """

    name: str
    body1: AnyBody | Posed
    shape1: Any
    body2: AnyBody | Posed
    shape2: Any
    friction: float = 0.0
    static: float | None = None
    restitution: float = 0.0
    rolling: float = 0.0
    spinning: float = 0.0

    def __post_init__(self) -> None:
        require_name(self.name, "a contact of two bodies")
        what = f"the contact {self.name!r}"
        for word in ("shape1", "shape2"):
            object.__setattr__(self, word, shape_of(getattr(self, word), f"{word} of {what}"))
        for body, shape in ((self.body1, self.shape1), (self.body2, self.shape2)):
            _require_carrier(body, shape, what)
        if self.body1.name == self.body2.name:
            raise InputError(f"{what} joins {self.body1.name!r} with itself; give two bodies of different names.")
        object.__setattr__(self, "friction", coefficients(self.friction, self.static, what)[0])
        warn_of_friction(self.friction, f"the friction of {what}")
        for word in ("rolling", "spinning"):
            object.__setattr__(self, word, not_negative(getattr(self, word), f"the arm of {word} of {what}"))
        if self.spinning and self.shape1.dimension == 2:
            raise InputError(f"in the plane nothing spins about the normal of {self.name!r}; give rolling alone.")
        _ = self.constraints(), self.pairs  # a wrong restitution and shapes that cannot touch are refused now

    @property
    def bodies(self) -> tuple[Any, ...]:
        """The two bodies."""
        return self.body1, self.body2

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """The ways to touch, one for each row."""
        return pairs_of(self.shape1, self.shape2, f"the contact {self.name!r}")

    @property
    def rows(self) -> tuple[str, ...]:
        """The names of the rows: that of the contact, with [0], [1], … where there are several."""
        count = len(self.pairs)
        return (self.name,) if count == 1 else tuple(f"{self.name}[{k}]" for k in range(count))

    @property
    def _takes(self) -> set[str]:
        """Which of t and p the poses depend on."""
        return {word for body in self.bodies if isinstance(body, Posed) for word in body.takes} & {"t", "p"}

    def _ends(self, pair: Pair) -> tuple[Any, Any]:
        """Return the body with the point, and the one with the shape that it touches."""
        return (self.body1, self.body2) if pair.by_first else (self.body2, self.body1)

    def _apart(self, pair: Pair, world: World) -> tuple[Placed, Solid, Vector]:
        """Return the axes of the touched shape, the shape in them, and the centre of the other one in space.

        A ball on a rod or particle has space axes.
        """
        mover, other = self._ends(pair)
        carrier, level = placed_at(other, world), pair.level
        if isinstance(other, (Rod, Particle)) and isinstance(level, Ball):
            carrier, level = Placed(carrier.point(level.centre), IDENTITY), Ball(level.radius)
        return carrier, level, placed_at(mover, world).point(pair.centre)

    def _gap(self, pair: Pair, world: World) -> Any:
        """Return the gap."""
        carrier, level, centre = self._apart(pair, world)
        return level.value(within(carrier, centre)) - pair.radius

    def _frame(self, pair: Pair, world: World) -> tuple[Vector, list[Vector], Vector]:
        """Return the touching point, the tangents and the normal in space."""
        carrier, level, centre = self._apart(pair, world)
        inner = level.gradient(within(carrier, centre))
        normal = carrier.direction(inner)
        point = plus(centre, times(-pair.radius, normal))
        if len(normal) == 2:
            return point, [(normal[1], -normal[0])], normal
        return point, [carrier.direction(tangent) for tangent in beside(inner)], normal

    def gaps(self, q: Any, t: Any = 0.0, p: Any = None) -> list[Any]:
        """Return the distances (m), one for each row; q gives coordinates by name, also those of a run."""
        return [self._gap(pair, {"q": q, "t": t, "p": p}) for pair in self.pairs]

    def points(self, q: Any, t: Any = 0.0, p: Any = None) -> list[Vector]:
        """Return the touching points (m, space), one for each row."""
        return [self._frame(pair, {"q": q, "t": t, "p": p})[0] for pair in self.pairs]

    def frames(self, q: Any, t: Any = 0.0, p: Any = None) -> list[tuple[Vector, ...]]:
        """Return for each row the tangents (one in the plane, two in space) and, last, the normal, in space.

        The normal points towards the body that touches with its point, disc, ball or corner.
        """
        found = [self._frame(pair, {"q": q, "t": t, "p": p}) for pair in self.pairs]
        return [(*tangents, normal) for _, tangents, normal in found]

    def slips(self, q: Any, v: Any, t: Any = 0.0, p: Any = None) -> list[list[Any]]:
        """Return the slip velocities (m/s) for each row, one in the plane, two in space."""
        return [self._slip(pair, {"q": q, "v": v, "t": t, "p": p}) for pair in self.pairs]

    def _slip(self, pair: Pair, world: World) -> list[Any]:
        point, tangents, _ = self._frame(pair, world)
        mover, other = self._ends(pair)
        past = minus(velocity_at(mover, point, world), velocity_at(other, point, world))
        return [dot(past, tangent) for tangent in tangents]

    def constraints(self) -> list[Constraint]:
        """Return the unilateral rows with their friction, and what resists rolling and spinning."""
        gap = _taking(self._takes, lambda world: [self._gap(pair, world) for pair in self.pairs])
        _, static = coefficients(self.friction, self.static, f"the contact {self.name!r}")
        laws = [Coulomb(self.friction, self._slip_of(pair), static) for pair in self.pairs] if static else None
        return [Unilateral(self.name, gap, self.restitution, laws), *self._resistances()]

    def _slip_of(self, pair: Pair) -> Callable[..., Any]:
        """Return the slip velocity of one way to touch as a model function."""
        return _taking(self._takes, lambda world: self._slip(pair, world), True)

    def _resistances(self) -> list[Friction]:
        """Return what resists rolling and, in space, spinning at each row, with the arms ρ (m): |m| ≤ ρ p."""
        found = []
        for kind, arm in (("rolling", self.rolling), ("spinning", self.spinning)):
            for row, pair in zip(self.rows, self.pairs, strict=True) if arm else ():
                rate = _taking(
                    self._takes, lambda world, pair=pair, kind=kind: self._turning(pair, world, kind == "rolling"), True
                )
                found.append(Friction(f"{kind} of {row}", rate, arm, load=row))
        return found

    def _turning(self, pair: Pair, world: World, rolling: bool) -> list[Any]:
        """Return the angular velocity of the touching body past the other along the tangents, or the normal."""
        mover, other = self._ends(pair)
        _, tangents, normal = self._frame(pair, world)
        axes: list[Any] = [1.0] if len(normal) == 2 else (tangents if rolling else [normal])
        return [turning_of(mover, axis, world) - turning_of(other, axis, world) for axis in axes]

    def normal_force(self, answer: Any) -> Array:
        """Return the sum of the normal forces (N, space axes) on body 1, (d,) or (d, N), of a Verdict or along a run.

        Raises InputError for anything else, and for poses that depend on t or p.
        """
        if self._takes:
            raise InputError(f"a pose of {self.name!r} depends on t or p: take the multipliers and `frames` instead.")
        q, multiplier = answered(answer)
        total: Vector = ()
        for row, pair in zip(self.rows, self.pairs, strict=True):
            push = times(multiplier(row) * (1.0 if pair.by_first else -1.0), self._frame(pair, {"q": q})[2])
            total = plus(total, push) if total else push
        return np.array(total, dtype=float)


def coefficients(friction: Any, static: Any, what: str) -> tuple[float, float]:
    """Return μ_k and μ_s, which is μ_k if left out. Raises InputError, which names `what`."""
    kinetic = not_negative(friction, f"the friction coefficient of {what}")
    resting = kinetic if static is None else scalar(static, f"the static coefficient of {what}")
    if resting < kinetic:
        raise InputError(f"{what} needs μ_k ≤ μ_s, but μ_k = {kinetic:g} and μ_s = {resting:g}.")
    return kinetic, resting


def _taking(words: set[str], function: Callable[..., Any], moving: bool = False) -> Callable[..., Any]:
    """Return a model function that names q (and v), and t and p only where they are needed."""
    if moving:
        if words:
            return lambda q, v, t, p: function({"q": q, "v": v, "t": t, "p": p})
        return lambda q, v: function({"q": q, "v": v})
    if words:
        return lambda q, t, p: function({"q": q, "t": t, "p": p})
    return lambda q: function({"q": q})


def beside(n: Vector) -> tuple[Vector, Vector]:
    """Return two unit vectors with (u, w, n) orthonormal: Duff et al., J. Comput. Graph. Tech. 6, 1 (2017).

    They jump where n_z changes its sign, and nowhere else.
    """
    s = where(less(n[2], 0.0), -1.0, 1.0)
    a = -1.0 / (s + n[2])
    b = n[0] * n[1] * a
    return (1.0 + s * n[0] * n[0] * a, s * b, -s * n[0]), (b, s + n[1] * n[1] * a, -n[1])


def _require_carrier(body: Any, shape: Solid, what: str) -> None:
    """Raise InputError for what is no body, or no body that can carry the shape."""
    if not isinstance(body, Posed):
        require_body(body, what)
    if not isinstance(body, Ground) and body.dimension != shape.dimension:
        kind = type(getattr(shape, "surface", shape)).__name__
        places = {2: "in the plane", 3: "in space"}
        raise InputError(
            f"{what}: the {kind} is {places[shape.dimension]}, but {body.name!r} is {places[body.dimension]}."
        )
    if isinstance(body, (Rod, Particle)):
        if not isinstance(shape, Ball):
            raise InputError(f"{what}: {body.name!r} has no axes that turn with it; give it a Ball, or use Body.")
        body.require_point(shape.centre, f"the centre of the Ball of {what}")
