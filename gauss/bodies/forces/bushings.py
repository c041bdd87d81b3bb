"""Bushings: linear springs and dampers in all six directions between a frame of one body and a frame of another.

With the rotation S of frame 2 in frame 1, which is 1 at rest, the turning has the potential energy

    V = tr(P (1 − S)),    P = ½ tr(κ) 1 − κ,

which is ½ θᵀκθ for small turns θ. It is smooth for all turns: about an axis e by the angle θ it is κ_e (1 − cos θ) with
κ_e = eᵀκe, and the torque is κ_e sin θ, less than κ_e θ by θ²/6 of it (0.5 % at 10°).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gauss.bodies.body.body import AnyBody, Body, Ground, described, require_name
from gauss.bodies.forces.forces import World, at_place, at_point
from gauss.errors import InputError
from gauss.foundation.arrays import Array, as_array
from gauss.geometry.placed import Placed
from gauss.geometry.rotations import rotation
from gauss.geometry.vectors import IDENTITY, Vector, dot, minus, plus, times

Matrix = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, eq=False)
class Bushing:
    """A spring and damper between two points that resists displacements and turns along all axes.

    Frame 1 is at `point1` of body 1, its axes the columns of `frame` in those of body 1 (the body's own if left out).
    With d the displacement p₂ − p₁ in frame 1 (m) the potential energy is ½ dᵀKd + tr(P(1 − S)), see above, and the
    dampers give −C ḋ and −Γ ω, where ω is the angular velocity of body 2 relative to body 1 in frame 1.

    `stiffness` K (N/m), `torsion` κ (N m/rad), `damping` C (N s/m) and `torsional_damping` Γ (N m s/rad) are a number,
    three numbers along the axes of frame 1, or a symmetric matrix (3, 3), without negative eigenvalues. `orientation`
    (axes of body 2 in those of body 1, as for `Weld`) is that at rest. Raises InputError.

    >>> import gauss as g
    >>> from gauss import bodies as mb
    >>> engine = mb.Body("engine", mb.box(100.0, (0.5, 0.4, 0.4)))
    >>> mount = mb.Bushing("mount", mb.GROUND, (0, 0, 0), engine, (0, 0, 0), stiffness=(1e6, 1e6, 2e5), torsion=1e4)
    >>> held = mb.Mechanism("engine", [engine], [], [mount])
    >>> found = g.accelerate(held, *held.state(engine.pose((0, 0, -0.001))))
    >>> round(found.acceleration.engine_z, 9)  # −g + k/m · 1 mm
    -7.81
    """

    name: str
    body1: AnyBody
    point1: Sequence[float]
    body2: AnyBody
    point2: Sequence[float]
    stiffness: Any = 0.0
    torsion: Any = 0.0
    damping: Any = 0.0
    torsional_damping: Any = 0.0
    frame: Any = IDENTITY
    orientation: Any = IDENTITY

    def __post_init__(self) -> None:
        require_name(self.name, "a bushing")
        for number, body in ((1, self.body1), (2, self.body2)):
            if not isinstance(body, Body | Ground):
                raise InputError(
                    f"the bushing {self.name!r} needs the axes of a Body or GROUND, got {described(body)}."
                )
            point = body.require_point(getattr(self, f"point{number}"), f"point {number} of the bushing {self.name!r}")
            if len(point) != 3:
                raise InputError(f"point {number} of the bushing {self.name!r} must be three numbers, got {point}.")
            object.__setattr__(self, f"point{number}", point)
        if self.body1.name == self.body2.name:
            raise InputError(f"the bushing {self.name!r} joins {self.body1.name!r} with itself; give two bodies.")
        for word in ("stiffness", "torsion", "damping", "torsional_damping"):
            what = f"the {word.replace('_', ' ')} of the bushing {self.name!r}"
            object.__setattr__(self, word, _symmetric(getattr(self, word), what))
        for word in ("frame", "orientation"):
            R = rotation(getattr(self, word), f"the {word} of the bushing {self.name!r}")
            object.__setattr__(self, word, _rows(R))

    @property
    def bodies(self) -> tuple[AnyBody, ...]:
        """The two bodies."""
        return self.body1, self.body2

    @property
    def conservative(self) -> bool:
        """Whether it has no damper."""
        return not (np.any(self.damping) or np.any(self.torsional_damping))

    def _frame1(self, q: Any) -> tuple[Vector, Vector, Vector]:
        """Return the axes of frame 1 in space."""
        placed = self.body1.placed(q)
        x, y, z = (placed.direction(e) for e in zip(*self.frame, strict=True))
        return x, y, z

    def _frame2(self, q: Any) -> tuple[Vector, Vector, Vector]:
        """Return the axes of frame 2 in space, those of body 2 that lie along those of frame 1 at rest."""
        placed = self.body2.placed(q)
        turned = np.array(self.orientation).T @ np.array(self.frame)
        x, y, z = (placed.direction(tuple(map(float, e))) for e in turned.T)
        return x, y, z

    def displacement(self, q: Any) -> Vector:
        """Return p₂ − p₁ along the axes of frame 1 (m)."""
        apart = minus(self.body2.placed(q).point(self.point2), self.body1.placed(q).point(self.point1))
        return tuple(dot(e, apart) for e in self._frame1(q))

    def turn(self, q: Any) -> Vector:
        """Return S (3, 3), the rotation of frame 2 in frame 1, row by row."""
        one, two = self._frame1(q), self._frame2(q)
        return tuple(tuple(dot(a, b) for b in two) for a in one)

    def potential(self, q: Any) -> Any:
        """Return ½ dᵀKd + tr(P(1 − S)) (J)."""
        total: Any = 0.0
        if np.any(self.stiffness):
            d = self.displacement(q)
            total = total + 0.5 * dot(d, _product(self.stiffness, d))
        if np.any(self.torsion):
            kappa, S = np.array(self.torsion), self.turn(q)
            P = 0.5 * np.trace(kappa) * np.eye(3) - kappa
            total = total + float(np.trace(P))
            for i in range(3):
                for j in range(3):
                    if P[j, i] != 0.0:
                        total = total - float(P[j, i]) * S[i][j]
        return total

    def rates(self, q: Any, v: Any) -> tuple[Vector, Vector]:
        """Return ḋ (m/s) and ω (rad/s), the relative motion in frame 1."""
        still = Placed((0.0, 0.0, 0.0), ((0.0, 0.0, 0.0),) * 3)
        moving = [body.placed(v) if body.coordinates else still for body in self.bodies]
        spins = [
            body.angular_velocity(q, v, "space") if isinstance(body, Body) else still.origin for body in self.bodies
        ]
        frame, relative = self._frame1(q), minus(spins[1], spins[0])
        apart = minus(self.body2.placed(q).point(self.point2), self.body1.placed(q).point(self.point1))
        speed = minus(moving[1].point(self.point2), moving[0].point(self.point1))
        turning = [moving[0].direction(e) for e in zip(*self.frame, strict=True)]
        d_rate = tuple(dot(e, speed) + dot(rate, apart) for e, rate in zip(frame, turning, strict=True))
        return d_rate, tuple(dot(e, relative) for e in frame)

    def generalized(self, world: World) -> list[dict[str, Any]]:
        """Return the generalized forces of the dampers."""
        q, frame = world["q"], self._frame1(world["q"])
        d_rate, relative = self.rates(q, world["v"])
        force, torque = (
            plus(*(times(-x, e) for x, e in zip(_product(matrix, rate), frame, strict=True)))
            for matrix, rate in ((self.damping, d_rate), (self.torsional_damping, relative))
        )
        opposite, back = times(-1.0, force), times(-1.0, torque)
        return [
            at_point(self.body2, self.point2, force),
            at_place(self.body1, self.body2.placed(q).point(self.point2), opposite, q),
            self.body2.turned_by(torque, q),
            self.body1.turned_by(back, q),
        ]


def _rows(matrix: Array) -> Matrix:
    return tuple(tuple(float(x) for x in row) for row in matrix)


def _product(matrix: Matrix, vector: Vector) -> Vector:
    return tuple(dot(row, vector) for row in matrix)


def _symmetric(value: Any, what: str) -> Matrix:
    """Return a number, three numbers or a matrix (3, 3) as a symmetric matrix. Raises InputError."""
    array = as_array(value, what)
    if array.shape in ((), (1,)):
        array = np.full(3, float(array.reshape(())))
    if array.shape == (3,):
        array = np.diag(array)
    if array.shape != (3, 3) or not np.all(np.isfinite(array)):
        raise InputError(f"{what} must be a finite number, three numbers or a matrix (3, 3), got {value!r}.")
    size = float(np.max(np.abs(array)))
    if np.max(np.abs(array - array.T)) > 1e-12 * size:
        raise InputError(f"{what} must be symmetric, got {value!r}.")
    least = float(np.min(np.linalg.eigvalsh(array)))
    if least < -1e-12 * size:
        raise InputError(f"{what} has the negative eigenvalue {least:g}; energy or heat would come out of it.")
    return _rows((array + array.T) / 2.0)
