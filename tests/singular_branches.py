"""Branches of constraint sets near singular positions, with their exact accelerations in 50 digits.

A `Branch` gives a system in Cartesian or angular coordinates x and the exact parametrisation x = X(η, t) of one branch
of its constraint set. With masses M (diagonal) and constant forces f the acceleration on it is

    (XᵀM X) η̈ = Xᵀ(f − M X''),   a = X η̈ + X''      (X = ∂x/∂η, X'' the second derivative along (η̇, 1))

which has nothing in common with the package's rows: no Jacobian of a constraint, no rank, no multiplier. Derivatives of
X come from a truncated power series (`Series`) in numbers of any kind.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import mpmath as mp
import numpy as np

import gauss as g

DIGITS = 50


class Series:
    """c0 + c1 ε + c2 ε², cut after ε²."""

    __slots__ = ("c",)

    def __init__(self, c0, c1=0, c2=0):
        self.c = (c0, c1, c2)

    @staticmethod
    def of(x):
        return x if isinstance(x, Series) else Series(x)

    def __add__(self, other):
        return Series(*(a + b for a, b in zip(self.c, Series.of(other).c, strict=True)))

    __radd__ = __add__

    def __neg__(self):
        return Series(*(-a for a in self.c))

    def __sub__(self, other):
        return self + (-Series.of(other))

    def __rsub__(self, other):
        return (-self) + other

    def __mul__(self, other):
        a, b = self.c, Series.of(other).c
        return Series(a[0] * b[0], a[0] * b[1] + a[1] * b[0], a[0] * b[2] + a[1] * b[1] + a[2] * b[0])

    __rmul__ = __mul__

    def __pow__(self, count):
        result = self
        for _ in range(count - 1):
            result = result * self
        return result

    def through(self, value, first, second):
        """f(self) from f, f' and f'' at c0."""
        _, c1, c2 = self.c
        return Series(value, first * c1, first * c2 + second * c1 * c1 / 2)

    def __truediv__(self, other):
        if not isinstance(other, Series):
            return Series(*(a / other for a in self.c))
        x = other
        y = 1 / x.c[0]
        return self * x.through(y, -y * y, 2 * y * y * y)

    def __rtruediv__(self, other):
        return Series.of(other) / self


def _functions(x):
    """The module with the functions for a number: Python's own for doubles."""
    return math if isinstance(x, float) else mp


def sin(x):
    x = Series.of(x)
    f = _functions(x.c[0])
    s, c = f.sin(x.c[0]), f.cos(x.c[0])
    return x.through(s, c, -s)


def cos(x):
    x = Series.of(x)
    f = _functions(x.c[0])
    s, c = f.sin(x.c[0]), f.cos(x.c[0])
    return x.through(c, -s, -c)


def atan(x):
    x = Series.of(x)
    y = 1 / (1 + x.c[0] * x.c[0])
    return x.through(_functions(x.c[0]).atan(x.c[0]), y, -2 * x.c[0] * y * y)


@dataclass(frozen=True, eq=False)
class Branch:
    """One branch of a constraint set through or beside a singular position."""

    name: str
    limit: tuple[str, ...]  # verdicts that are right at the singular position, for the velocities that `draw` gives
    coordinates: str
    rows: Callable[[Sequence[Any], Any], Sequence[Any]]  # φ (m,) of x and t; of a Pfaffian row its entries (n,)
    place: Callable[..., Sequence[Any]]  # X(η, constants, t) → (n,)
    draw: Callable[[np.random.Generator, float], tuple[list[float], list[float], float]]  # η and constants, η̇, t
    approached: bool = True  # whether a motion with η[0] → 0 leads to the singular position
    pfaffian: bool = False
    always: bool = False  # whether all positions of the branch are singular, so that only its own verdict changes

    @cached_property
    def n(self):
        return len(self.coordinates.split())

    @cached_property
    def system(self):
        """The system, with masses m_i, forces f_i and the origin c_i as parameters."""
        n = self.n
        names = [f"{word}_{i}" for word in "mfc" for i in range(n)]

        def plain(q, p):
            return [q[i] - p[f"c_{i}"] for i in range(n)]

        def function(q, t, p):
            return list(self.rows(plain(q, p), t))

        return g.System(
            self.name,
            self.coordinates,
            kinetic_energy=lambda v, p: 0.5 * sum(p[f"m_{i}"] * v[i] ** 2 for i in range(n)),
            force=lambda p: [p[f"f_{i}"] for i in range(n)],
            constraints=[(g.Pfaffian if self.pfaffian else g.Holonomic)("row", function)],
            parameters={name: 1.0 if name[0] == "m" else 0.0 for name in names},
        )

    def along(self, eta, rates, t, clock):
        """X along the straight line η + ε rates, t + ε clock: value, first and second derivative, each a list."""
        rates = [*rates, *[0] * (len(eta) - len(rates))]
        line = [Series(x, r) for x, r in zip(eta, rates, strict=True)]
        found = [Series.of(x) for x in self.place(*line, Series(t, clock))]
        return tuple([x.c[k] * (1, 1, 2)[k] for x in found] for k in range(3))

    def tangents(self, eta, k, t):
        """The k derivatives of X by η, each a list (n,)."""
        return [self.along(eta, [int(i == j) for j in range(k)], t, 0)[1] for i in range(k)]

    def linear(self, x, t):
        """φ (m,), ∂φ/∂x (m, n) and ∂φ/∂t (m,) as arrays of doubles."""
        n = self.n
        value = np.array([float(Series.of(r).c[0]) for r in self.rows([Series(float(y)) for y in x], Series(t))])

        def turned(direction, clock):
            line = [Series(float(y), float(d)) for y, d in zip(x, direction, strict=True)]
            return np.array([float(Series.of(r).c[1]) for r in self.rows(line, Series(t, clock))])

        J = np.array([turned(e, 0.0) for e in np.eye(n)]).T
        return value, J, turned(np.zeros(n), 1.0)

    def exact(self, eta, rates, t, mass, force):
        """Position, velocity and acceleration (lists of mpf) of the motion through (η, η̇), in 50 digits."""
        with mp.workdps(DIGITS):
            eta, rates, t = [mp.mpf(x) for x in eta], [mp.mpf(x) for x in rates], mp.mpf(t)
            mass, force = [mp.mpf(x) for x in mass], [mp.mpf(x) for x in force]
            x, v, bend = self.along(eta, rates, t, 1)
            X = self.tangents(eta, len(rates), t)
            rise = _least(X, mass, [force[s] / mass[s] - bend[s] for s in range(self.n)])
            return x, v, [sum(y * u[s] for y, u in zip(rise, X, strict=True)) + bend[s] for s in range(self.n)]

    def nearest(self, eta, k, x, v, t, mass):
        """η (with its constants) and η̇ of the point of the branch nearest to (x, v), from a start η, in 50 digits."""
        with mp.workdps(DIGITS):
            eta, mass = [mp.mpf(y) for y in eta], [mp.mpf(y) for y in mass]
            x, v, t = [mp.mpf(y) for y in x], [mp.mpf(y) for y in v], mp.mpf(t)
            for _ in range(5):
                place = self.along(eta, [0] * k, t, 0)[0]
                step = _least(self.tangents(eta, k, t), mass, [a - b for a, b in zip(x, place, strict=True)])
                eta = [y + d for y, d in zip(eta, [*step, *[0] * (len(eta) - k)], strict=True)]
            drift = self.along(eta, [0] * k, t, 1)[1]
            rates = _least(self.tangents(eta, k, t), mass, [a - b for a, b in zip(v, drift, strict=True)])
            return eta, rates


def _least(columns, mass, target):
    """The coefficients y of the combination of columns that is nearest to the target in the metric of the masses."""
    k = len(columns)
    H, right = mp.matrix(k, k), mp.matrix(k, 1)
    for i, u in enumerate(columns):
        right[i] = sum(a * m * b for a, m, b in zip(u, mass, target, strict=True))
        for j, w in enumerate(columns):
            H[i, j] = sum(a * m * b for a, m, b in zip(u, mass, w, strict=True))
    return list(mp.lu_solve(H, right))


def _speed(rng):
    return float(rng.choice([-1.0, 1.0]) * 10.0 ** rng.uniform(-1.5, 0.7))


# ------------------------------------------------------------------ the branches


def _cone(x, t):
    return [x[0] ** 2 + x[1] ** 2 - x[2] ** 2]


def _cone_place(s, angle, t):
    return [s * cos(angle), s * sin(angle), s]


def _cone_along(rng, d):
    return [d * rng.choice([-1.0, 1.0]), rng.uniform(-3.0, 3.0)], [_speed(rng), _speed(rng)], 0.0


def _cone_resting(rng, d):
    return [d * rng.choice([-1.0, 1.0]), rng.uniform(-3.0, 3.0)], [0.0, 0.0], 0.0


def _cone_past(rng, d):
    return [d * rng.choice([-1.0, 1.0]), rng.uniform(-3.0, 3.0)], [_speed(rng), _speed(rng) / d], 0.0


def _cut_cone(x, t):
    return [*_cone(x, t), 3 * x[0] - 4 * x[1]]


def _cut_cone_place(s, t):
    return [s * 8 / 10, s * 6 / 10, s]


def _one(rng, d):
    return [d * rng.choice([-1.0, 1.0])], [_speed(rng)], 0.0


def _two(second):
    """A draw for a surface: η[0] is the distance, the second parameter lies in an interval."""

    def draw(rng, d):
        return [d * rng.choice([-1.0, 1.0]), rng.uniform(*second)], [_speed(rng), _speed(rng)], 0.0

    return draw


def chain_rows(count, crank, coupler):
    """`count` four-bar loops in a row: cranks on anchors at i·coupler, their tips joined by couplers."""

    def rows(x, t):
        ends = [(x[2 * i], x[2 * i + 1]) for i in range(count + 1)]
        cranks = [(u - i * coupler) ** 2 + w**2 - crank**2 for i, (u, w) in enumerate(ends)]
        return cranks + [
            (ends[i + 1][0] - ends[i][0]) ** 2 + (ends[i + 1][1] - ends[i][1]) ** 2 - coupler**2 for i in range(count)
        ]

    return rows


def chain_place(count, crank, coupler):
    """All cranks parallel at the angle η from the flat position."""

    def place(angle, t):
        return [y for i in range(count + 1) for y in (i * coupler + crank * cos(angle), crank * sin(angle))]

    return place


def _antiparallel(angle, t):
    """Cranks 1 and 2 on a base of 2: tan(ψ/2) = −3 tan(θ/2)."""
    other = -2 * atan(3 * sin(angle / 2) / cos(angle / 2))
    return [cos(angle), sin(angle), 2 + cos(other), sin(other)]


def _handle(height, t):
    return [0 * height, 0 * height, -height]


def _near_handle(rng, d):
    return [d], [_speed(rng)], 0.0


def _lemniscate(s, t):
    below = 1 + cos(s) * cos(s)
    x = sin(s) / below
    return [x, x * cos(s)]


def names(word, count):
    return " ".join(f"{word}{i}{axis}" for i in range(count) for axis in "xy")


WHITNEY = "x y z"


def umbrella(x, t):
    return [x[0] ** 2 - x[1] ** 2 * x[2]]


def _slider(x, t):
    return [x[0] ** 2 + x[1] ** 2 - 1.0, (x[2] - x[0]) ** 2 + x[1] ** 2 - 1.0]


def _viviani(x, t):
    return [x[0] ** 2 + x[1] ** 2 + x[2] ** 2 - 4.0, (x[0] - 1.0) ** 2 + x[1] ** 2 - 1.0]


def _driven(x, t):
    s = sin(t) if isinstance(t, Series) else g.sin(t)
    return [(x[0] - s) * (x[0] + t - x[1])]


def _driven_at(rng, d):
    return [d * rng.choice([-1.0, 1.0])], [_speed(rng)], rng.uniform(0.3, 1.0)


def _ray(rng, d):
    return [d * rng.choice([-1.0, 1.0]), rng.normal(), rng.uniform(-3.0, 3.0)], [_speed(rng), _speed(rng)], 0.0


def _beside_rows(x, t):
    return chain_rows(1, 1.0, 2.0)(x[:4], t)


def _beside_place(s, u, w, t):
    return [*chain_place(1, 1, 2)(s, t), u, w]


def _beside(rng, d):
    return [d * rng.choice([-1.0, 1.0]), *rng.normal(size=2)], [_speed(rng), *rng.normal(size=2)], 0.0


CROSSING = ("crossing",)
PAST = ("velocity not admissible",)
PINCH = ("higher order",)

BRANCHES = [
    Branch("cone along a generator", CROSSING, "x y z", _cone, _cone_place, _cone_along, approached=False),
    Branch("cone and a plane through its axis", CROSSING, "x y z", _cut_cone, _cut_cone_place, _one),
    Branch("cone at rest", ("branching",), "x y z", _cone, _cone_place, _cone_resting, approached=False),
    Branch("cone past its apex", PAST, "x y z", _cone, _cone_place, _cone_past, approached=False),
    Branch("parallelogram", CROSSING, names("p", 2), chain_rows(1, 1.0, 2.0), chain_place(1, 1, 2), _one),
    Branch("parallelogram beside a particle", CROSSING, f"{names('p', 2)} u w", _beside_rows, _beside_place, _beside),
    Branch("antiparallelogram", CROSSING, names("p", 2), chain_rows(1, 1.0, 2.0), _antiparallel, _one),
    Branch("rhombus", CROSSING, names("p", 2), chain_rows(1, 1.0, 1.0), chain_place(1, 1, 1), _one),
    Branch(
        "rhombus folded",
        CROSSING,
        names("p", 2),
        chain_rows(1, 1.0, 1.0),
        lambda s, t: [1 + 0 * s, 0 * s, 1 + cos(s), sin(s)],
        _one,
    ),
    Branch("chain of 2", CROSSING, names("p", 3), chain_rows(2, 1.0, 2.0), chain_place(2, 1, 2), _one),
    Branch("chain of 5", CROSSING, names("p", 6), chain_rows(5, 1.0, 2.0), chain_place(5, 1, 2), _one),
    Branch("slider crank", CROSSING, "x y s", _slider, lambda s, t: [sin(s), cos(s), 2 * sin(s)], _one),
    Branch("slider crank folded", CROSSING, "x y s", _slider, lambda s, t: [sin(s), cos(s), 0 * s], _one),
    Branch("Whitney sheet", CROSSING, WHITNEY, umbrella, lambda u, w, t: [u * w, u, w * w], _two((0.3, 1.5))),
    Branch("Whitney handle", PINCH, WHITNEY, umbrella, _handle, _near_handle, always=True),
    Branch("touching surfaces", CROSSING, "x y z", _viviani, lambda s, t: [1 + cos(s), sin(s), 2 * sin(s / 2)], _one),
    Branch(
        "lemniscate",
        CROSSING,
        "x y",
        lambda x, t: [(x[0] ** 2 + x[1] ** 2) ** 2 - x[0] ** 2 + x[1] ** 2],
        _lemniscate,
        _one,
    ),
    Branch("driven slider meets another", CROSSING, "x y", _driven, lambda e, t: [sin(t), sin(t) + t + e], _driven_at),
    Branch(
        "Pfaffian rays",
        CROSSING,
        "x y z",
        lambda x, t: [-x[1], x[0], 0.0],
        lambda s, z, angle, t: [s * cos(angle), s * sin(angle), z],
        _ray,
        approached=False,  # which ray a position near the origin belongs to is not known from it
        pfaffian=True,
    ),
]
