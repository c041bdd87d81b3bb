"""Ideal joints between two bodies in space, from points and axes fixed in each of them.

Points and axes are given in the axes of their own body (m; axes of any length). All rows are of degree two in the
coordinates at most. The first three rows of `Spherical`, `Revolute`, `Universal` and `Weld` say that the two points
coincide, p₂ − p₁ = 0; their multipliers are the force (N, space axes) of body 1 on body 2 there. For all joints
`reaction` gives the force and the torque.

Where a joint has coordinates of its own, `value(q)` returns them and `rate(q, v)` their derivatives in time, which are
linear in v; q and v give values by coordinate name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gauss.bodies.joints.joint import Joint, Point, turning
from gauss.errors import InputError
from gauss.foundation.arrays import positive
from gauss.functions.elementary import atan2, sqrt
from gauss.geometry.placed import Placed
from gauss.geometry.rotations import rotation, spin
from gauss.geometry.vectors import IDENTITY, Vector, across, dot
from gauss.model import Constraint

Frame = tuple[Vector, Vector, Vector]


@dataclass(frozen=True, eq=False)
class Spherical(Joint):
    """Two points coincide: three rows.

    The points belong to bodies, rods or particles in space. Raises InputError.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require_space(())

    def value(self, q: Any) -> tuple[Vector, Vector, Vector]:
        """Return the rotation R₁ᵀR₂ of body 2 in body 1, row by row. Raises InputError for bodies without axes."""
        self._require_space(self.bodies)
        one, two = (_axes(body.placed(q)) for body in (self.body1, self.body2))
        return tuple(tuple(dot(a, b) for b in two) for a in one)  # type: ignore[return-value]

    def rate(self, q: Any, v: Any) -> Vector:
        """Return the angular velocity (rad/s) of body 2 relative to body 1, in axes of body 1. Raises InputError."""
        relative = self.value(q)
        places = [_axes(body.placed(q)) for body in (self.body1, self.body2)]
        rates = [_axes(placed) for placed in self._rates(v)]
        change = [[dot(rates[0][j], places[1][k]) + dot(places[0][j], rates[1][k]) for k in range(3)] for j in range(3)]
        return tuple(spin(relative, change, "space"))


@dataclass(frozen=True, eq=False)
class Distance(Joint):
    """Two points keep their distance `length` (m), as a massless rod with a ball at each end: one row |p₂ − p₁|² = l².

    With length=None the distance is free, there is no row, and a `Driver`, a `Motor` or another drive along it makes
    a hydraulic cylinder of it: its displacement is the distance, so that positive forces push the points apart. It must
    not vanish. Of bodies, rods and particles, in space and in the plane. Raises InputError.

    >>> import gauss as g
    >>> from gauss import bodies as mb
    >>> boom = mb.PlanarBody("boom", 2.0, inertia=0.1, centre=(1.0, 0.0))
    >>> pin = mb.Pin("pin", mb.GROUND, (0, 0), boom, (0, 0))
    >>> leg = mb.Distance("leg", mb.GROUND, (0.6, -0.8), boom, (0.6, 0.0), length=None)
    >>> held = mb.Mechanism("crane", [boom], [pin, leg, mb.Driver("cylinder", leg, 0.8)])
    >>> found = g.accelerate(held, *held.state(boom.pose()))
    >>> round(found.multiplier("cylinder"), 9)  # N: 2 kg · 9.81 m/s² · 1 m / 0.6 m
    32.7
    """

    length: float | None = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.length is not None:
            self._set("length", positive(self.length, f"the length of {self.name!r} (None leaves it free)"))

    def rows(self, q: Any) -> list[Any]:
        """Return |p₂ − p₁|² − l²."""
        return [] if self.length is None else [_off_length(self.apart(q), self.length)]

    def constraints(self) -> list[Constraint]:
        """Return its row, none where the distance is free."""
        return [] if self.length is None else super().constraints()

    def value(self, q: Any) -> Any:
        """Return |p₂ − p₁| (m)."""
        apart = self.apart(q)
        return sqrt(dot(apart, apart))

    def rate(self, q: Any, v: Any) -> Any:
        """Return its rate (m/s)."""
        return dot(self.apart(q), self._apart_rate(v)) / self.value(q)


def _off_length(apart: Vector, length: float) -> Any:
    return dot(apart, apart) - length**2


@dataclass(frozen=True, eq=False)
class _Axial(Joint):
    """A joint with an axis in each body; u and w complete an axis to an orthonormal frame (see `across`)."""

    axis1: Point = (0.0, 0.0, 1.0)
    axis2: Point = ()  # that of body 1, in the axes of body 2; the same components if left out

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require_space(self.bodies)
        self._set("axis1", self._axis(self.axis1))
        self._set("axis2", self._axis(self.axis2 if len(self.axis2) else self.axis1, 2))

    def _frames(self, q: Any) -> tuple[Frame, Frame]:
        """Return (e, u, w) of each body in space."""
        return self._seen(self.body1.placed(q), self.body2.placed(q))

    def _frame_rates(self, v: Any) -> tuple[Frame, Frame]:
        """Return the derivatives of (e, u, w) of each body in space (1/s)."""
        return self._seen(*self._rates(v))

    def _seen(self, *placed: Placed) -> tuple[Frame, Frame]:
        both = []
        for each, axis in zip(placed, (self.axis1, self.axis2), strict=True):
            u, w = across(tuple(axis))
            both.append((each.direction(axis), each.direction(u), each.direction(w)))
        return both[0], both[1]

    def _parallel(self, q: Any) -> list[Any]:
        """Return e₁·u₂ and e₁·w₂, zero where the axes are parallel."""
        (e, _, _), (_, u, w) = self._frames(q)
        return [dot(e, u), dot(e, w)]

    def _angle(self, q: Any) -> Any:
        """Return the angle (rad) from u₁ to u₂ about the axis, in (−π, π]."""
        (_, u, w), (_, u2, _) = self._frames(q)
        return atan2(dot(w, u2), dot(u, u2))

    def _angle_rate(self, q: Any, v: Any) -> Any:
        """Return the derivative of the angle (rad/s)."""
        (_, u, w), (_, u2, _) = self._frames(q)
        (_, du, dw), (_, du2, _) = self._frame_rates(v)
        return turning(dot(w, u2), dot(u, u2), dot(dw, u2) + dot(w, du2), dot(du, u2) + dot(u, du2))

    def _along(self, which: int, q: Any) -> Any:
        """Return e₁·(p₂ − p₁), u₁·(p₂ − p₁) or w₁·(p₂ − p₁) (m)."""
        return dot(self._frames(q)[0][which], self.apart(q))

    def _along_rate(self, which: int, q: Any, v: Any) -> Any:
        """Return its derivative (m/s)."""
        moved = dot(self._frame_rates(v)[0][which], self.apart(q))
        return moved + dot(self._frames(q)[0][which], self._apart_rate(v))


@dataclass(frozen=True, eq=False)
class Revolute(_Axial):
    """Two points coincide and two axes are parallel: five rows, one angle.

    `axis1` (3,) is in the axes of body 1, `axis2` in those of body 2, with the same components if left out. Raises
    InputError.
    """

    def rows(self, q: Any) -> list[Any]:
        """Return p₂ − p₁, e₁·u₂ and e₁·w₂."""
        return [*self.apart(q), *self._parallel(q)]

    def value(self, q: Any) -> Any:
        """Return the angle (rad) of body 2 in body 1 about the axis, in (−π, π]; 0 where their axes are parallel.

        (For equal `axis1` and `axis2`; otherwise where the directions `across` the axes are.)
        """
        return self._angle(q)

    def rate(self, q: Any, v: Any) -> Any:
        """Return the rate of the angle (rad/s)."""
        return self._angle_rate(q, v)


@dataclass(frozen=True, eq=False)
class Cylindrical(_Axial):
    """Two axes lie on one line: four rows; body 2 turns about it and slides along it.

    The axes go through the two points and are given as those of `Revolute`. Raises InputError.
    """

    def rows(self, q: Any) -> list[Any]:
        """Return u₁·(p₂ − p₁), w₁·(p₂ − p₁), e₁·u₂ and e₁·w₂."""
        (_, u, w), _ = self._frames(q)
        apart = self.apart(q)
        return [dot(u, apart), dot(w, apart), *self._parallel(q)]

    def value(self, q: Any) -> tuple[Any, Any]:
        """Return the angle (rad) as that of `Revolute`, and the displacement (m) along the axis."""
        return self._angle(q), self._along(0, q)

    def rate(self, q: Any, v: Any) -> tuple[Any, Any]:
        """Return the rates of the angle (rad/s) and of the displacement (m/s)."""
        return self._angle_rate(q, v), self._along_rate(0, q, v)


@dataclass(frozen=True, eq=False)
class Universal(_Axial):
    """Two points coincide and two axes, one of each body, stay square to each other: four rows (Hooke's joint).

    `axis1` and `axis2` (3,) are in the axes of their own bodies; both must be given. Raises InputError.
    """

    def __post_init__(self) -> None:
        if not len(self.axis2):
            raise InputError(f"the universal joint {self.name!r} needs axis1 and axis2, which are square in space.")
        super().__post_init__()

    def rows(self, q: Any) -> list[Any]:
        """Return p₂ − p₁ and e₁·e₂."""
        (one, _, _), (two, _, _) = self._frames(q)
        return [*self.apart(q), dot(one, two)]

    def value(self, q: Any) -> tuple[Any, Any]:
        """Return the angle (rad) of the cross in body 1, about axis 1, and of body 2 on the cross, about axis 2.

        Both are in (−π, π]. They are 0 where axis 2 lies along u₁ and axis 1 along u₂, the directions `across` the
        axes. The angular velocity of body 2 relative to body 1 is the sum of the rates times their axes.
        """
        (e, u, w), (e2, u2, w2) = self._frames(q)
        return atan2(dot(w, e2), dot(u, e2)), atan2(-dot(w2, e), dot(u2, e))

    def rate(self, q: Any, v: Any) -> tuple[Any, Any]:
        """Return the rates of the two angles (rad/s)."""
        (e, u, w), (e2, u2, w2) = self._frames(q)
        (de, du, dw), (de2, du2, dw2) = self._frame_rates(v)
        first = turning(dot(w, e2), dot(u, e2), dot(dw, e2) + dot(w, de2), dot(du, e2) + dot(u, de2))
        second = turning(-dot(w2, e), dot(u2, e), -dot(dw2, e) - dot(w2, de), dot(du2, e) + dot(u2, de))
        return first, second


@dataclass(frozen=True, eq=False)
class RevoluteSpherical(Joint):
    """A massless rod of `length` (m) turns in body 1 about `axis1` through point 1; its other end, a ball, is point 2.

    So point 2 stays on a circle about the axis: two rows, e₁·(p₂ − p₁) = 0 and |p₂ − p₁|² = l²; the angle of the rod
    is free. `axis1` (3,) is in the axes of body 1. (A rod with a universal joint and a ball is a `Distance`.) Raises
    InputError.

    >>> import gauss as g
    >>> from gauss import bodies as mb
    >>> bob = mb.Particle("bob", 2.0)
    >>> rod = mb.RevoluteSpherical("rod", mb.GROUND, (0, 0, 0), bob, (0, 0, 0), axis1=(0, 1, 0), length=0.5)
    >>> held = mb.Mechanism("pendulum", [bob], [rod])
    >>> found = g.accelerate(held, *held.state(bob.pose((0, 0, -0.5), velocity=(3.0, 0, 0))))
    >>> print(mb.reaction(found, rod))  # 2 kg (9.81 m/s² + (3 m/s)²/0.5 m)
    reaction of 'rod' on 'bob': force (0, 0, 55.62) N, torque (0, 0, 0) N m
    """

    axis1: Point = (0.0, 0.0, 1.0)
    length: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require_space((self.body1,))
        self._set("axis1", self._axis(self.axis1))
        self._set("length", positive(self.length, f"the length of {self.name!r}"))

    def rows(self, q: Any) -> list[Any]:
        """Return e₁·(p₂ − p₁) and |p₂ − p₁|² − l²."""
        apart = self.apart(q)
        return [dot(self.body1.placed(q).direction(self.axis1), apart), _off_length(apart, self.length)]

    def value(self, q: Any) -> Any:
        """Return the angle (rad) of the rod in body 1 about the axis from u₁, `across` it, in (−π, π]."""
        u, w = (self.body1.placed(q).direction(x) for x in across(tuple(self.axis1)))
        return atan2(dot(w, self.apart(q)), dot(u, self.apart(q)))

    def rate(self, q: Any, v: Any) -> Any:
        """Return the rate of the angle (rad/s)."""
        placed, moved, apart, change = self.body1.placed(q), self._rates(v)[0], self.apart(q), self._apart_rate(v)
        sides = [
            (dot(placed.direction(x), apart), dot(moved.direction(x), apart) + dot(placed.direction(x), change))
            for x in across(tuple(self.axis1))
        ]
        (x, x_rate), (y, y_rate) = sides
        return turning(y, x, y_rate, x_rate)


@dataclass(frozen=True, eq=False)
class PlanarJoint(_Axial):
    """Point 2 stays in the plane through point 1 square to axis 1, and axis 2 stays parallel to it: three rows.

    The axes are given as those of `Revolute`. Raises InputError.

    >>> from gauss import bodies as mb
    >>> puck = mb.Body("puck", mb.disc(0.2, 0.04))
    >>> ice = mb.PlanarJoint("ice", mb.GROUND, (0, 0, 0), puck, (0, 0, 0))
    >>> held = mb.Mechanism("puck", [puck], [ice])
    >>> q, v = held.state(puck.pose((0.3, 0.4, 0.0), mb.about((0, 0, 1), 0.5)))
    >>> [round(float(part), 9) for part in ice.value(held.named(q))]  # m, m, rad
    [0.3, 0.4, 0.5]
    """

    def rows(self, q: Any) -> list[Any]:
        """Return e₁·(p₂ − p₁), e₁·u₂ and e₁·w₂."""
        return [self._along(0, q), *self._parallel(q)]

    def value(self, q: Any) -> tuple[Any, Any, Any]:
        """Return u₁·(p₂ − p₁) and w₁·(p₂ − p₁) (m), `across` axis 1, and the angle (rad) as that of `Revolute`."""
        return self._along(1, q), self._along(2, q), self._angle(q)

    def rate(self, q: Any, v: Any) -> tuple[Any, Any, Any]:
        """Return the rates of the two displacements (m/s) and of the angle (rad/s)."""
        return self._along_rate(1, q, v), self._along_rate(2, q, v), self._angle_rate(q, v)


@dataclass(frozen=True, eq=False)
class _Oriented(Joint):
    """A joint that keeps the orientation of body 2 in body 1, by default that of parallel body axes."""

    orientation: Any = IDENTITY  # (3, 3) or what `rotation` takes: axes of body 2 in those of body 1

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require_space(self.bodies)
        what = f"the orientation of the joint {self.name!r}"
        if hasattr(self, "axis1") and np.shape(self.orientation) == (3,):
            raise InputError(f"{what} is a matrix (3, 3), got {self.orientation!r}; an axis is given as axis1=….")
        self._set("orientation", tuple(tuple(float(x) for x in row) for row in rotation(self.orientation, what)))

    def _fixed(self, q: Any) -> list[Any]:
        """Return three products of axes of body 1 with those that are square to them in body 2."""
        one, two = self.body1.placed(q), self.body2.placed(q)
        first = [one.direction(e) for e in IDENTITY]
        second = [two.direction(row) for row in self.orientation]  # row k is axis k of body 1 in body 2
        return [dot(first[a], second[b]) for a, b in ((0, 1), (0, 2), (1, 2))]


@dataclass(frozen=True, eq=False)
class Weld(_Oriented):
    """Body 2 is fixed in body 1: six rows.

    `orientation`, a matrix (3, 3) or what `rotation` takes, has the axes of body 2 in those of body 1, parallel if left
    out. Raises InputError.

    >>> import gauss as g
    >>> from gauss import bodies as mb
    >>> shelf = mb.Body("shelf", mb.box(2.0, (0.4, 0.3, 0.02)))
    >>> weld = mb.Weld("weld", mb.GROUND, (0, 0, 0), shelf, (-0.2, 0, 0))
    >>> held = mb.Mechanism("shelf", [shelf], [weld])
    >>> print(mb.reaction(g.accelerate(held, *held.state(shelf.pose((0.2, 0, 0)))), weld))  # 2 kg at 0.2 m
    reaction of 'weld' on 'shelf': force (0, 0, 19.62) N, torque (0, -3.924, 0) N m
    """

    def rows(self, q: Any) -> list[Any]:
        """Return p₂ − p₁ and the three products of axes."""
        return [*self.apart(q), *self._fixed(q)]


@dataclass(frozen=True, eq=False)
class Prismatic(_Oriented):
    """Body 2 slides in body 1 along `axis1`, without turning: five rows, one displacement.

    `axis1` (3,) is in the axes of body 1, `orientation` as for `Weld`. Raises InputError.
    """

    axis1: Point = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("axis1", self._axis(self.axis1))

    def rows(self, q: Any) -> list[Any]:
        """Return u₁·(p₂ − p₁), w₁·(p₂ − p₁) and the three products of axes."""
        placed, apart = self.body1.placed(q), self.apart(q)
        return [*(dot(placed.direction(x), apart) for x in across(tuple(self.axis1))), *self._fixed(q)]

    def value(self, q: Any) -> Any:
        """Return the displacement (m) of point 2 from point 1 along the axis."""
        return dot(self.body1.placed(q).direction(self.axis1), self.apart(q))

    def rate(self, q: Any, v: Any) -> Any:
        """Return its rate (m/s)."""
        turned = dot(self._rates(v)[0].direction(self.axis1), self.apart(q))
        return turned + dot(self.body1.placed(q).direction(self.axis1), self._apart_rate(v))


def moves(joint: Any) -> bool:
    """Return whether a joint has a `value` that its rows leave free."""
    return hasattr(joint, "rate") and not (isinstance(joint, Distance) and joint.length is not None)


def _axes(placed: Placed) -> tuple[Vector, Vector, Vector]:
    """Return the directions of the three body axes in space, or their rates."""
    x, y, z = (placed.direction(e) for e in IDENTITY)
    return x, y, z
