"""Systems at known singular positions, in any coordinates, units and scaling of their rows.

A `Case` states a system in plain coordinates x, a state, and the answer derived by hand. Its system is compiled once in
coordinates y, with z = D y (D the units) and

    x = c + d ∘ z + e (h·z) + k sin(b·z)                            curved (linear for k = 0), or
    x_i = c_i + z_i cos z_j,   x_j = c_j + z_i sin z_j              polar in the first two coordinates (lengths first)

b, c, d, e, h, k, the units of length, mass and time and the factors s exp(w·x) of the rows are parameters, so that one
compilation serves every `Change`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

import gauss as g

GRAVITY = 9.81  # m/s²


@dataclass(frozen=True)
class Row:
    """One constraint in the plain coordinates; its functions take what they name among x, v and t."""

    kind: type
    name: str
    function: Callable[..., Any]
    offset: Callable[..., Any] | None = None  # of a Pfaffian row


def holonomic(name, function):
    return Row(g.Holonomic, name, function)


def pfaffian(name, function, offset=None):
    return Row(g.Pfaffian, name, function, offset)


def nonlinear(name, function):
    return Row(g.Nonholonomic, name, function)


def contact(name, function):
    return Row(g.Unilateral, name, function)


def words(text):
    """The sets of names in a text such as "a b; c"."""
    return frozenset(frozenset(part.split()) for part in text.split(";") if part.strip())


@dataclass(frozen=True, eq=False)
class Case:
    """A state of a system with the answer that was derived by hand."""

    name: str
    verdicts: str  # joined by " and ", gravest first
    why: str  # the derivation
    rows: tuple[Row, ...]
    x: Sequence[float]  # (n,)
    v: Sequence[float]  # (n,)
    a: Sequence[float] | None = None  # (n,) the acceleration where it is unique
    sets: str | None = None  # minimal dependent sets as "a b; c", where there is only one choice of them
    force: Callable[..., Any] | Sequence[float] | None = None  # of x and v, or constant; zero if left out
    mass: Sequence[float] | None = None  # (n,); 1 if left out
    angles: tuple[int, ...] = ()  # which coordinates are angles
    t: float = 0.0
    elsewhere: str = ""  # verdicts in coordinates in which more is decided

    @property
    def n(self):
        return len(self.x)

    @cached_property
    def masses(self):
        return np.ones(self.n) if self.mass is None else np.array(self.mass, dtype=float)

    @cached_property
    def pair(self):
        """The coordinates that the polar map replaces: the first two, lengths before angles."""
        return tuple(sorted(range(self.n), key=lambda i: i in self.angles)[:2])

    @cached_property
    def _systems(self):
        return {}

    def system(self, change):
        """The system in the coordinates, units and row factors of a change."""
        if change.polar not in self._systems:
            self._systems[change.polar] = _built(self, change)
        return self._systems[change.polar].with_parameters(**change.parameters)

    def classify(self, change, **options):
        """The verdict in the coordinates and units of a change."""
        q, w = change.state(np.array(self.x, dtype=float), np.array(self.v, dtype=float))
        return g.classify(self.system(change), q, w, self.t / change.time, **options)


@dataclass(frozen=True, eq=False)
class Change:
    """One choice of coordinates, units and row factors for a system with n coordinates and m rows."""

    b: np.ndarray  # (n,), as c to k, in the map above
    c: np.ndarray
    d: np.ndarray
    e: np.ndarray
    h: np.ndarray
    k: np.ndarray
    z: np.ndarray  # (n,) where the state lies
    lengths: np.ndarray  # (n,) 1 for a length, 0 for an angle
    factors: np.ndarray  # (m,)
    growth: np.ndarray  # (n,) w
    length: float = 1.0  # the new units in the old ones
    mass: float = 1.0
    time: float = 1.0
    polar: bool = False
    pair: tuple[int, int] = (0, 1)

    @property
    def parameters(self):
        """What the compiled system calls by name."""
        n, m = self.k.size, self.factors.size
        named = {f"{word}_{i}": getattr(self, word)[i] for word in "bcdehk" for i in range(n)}
        named |= {f"w_{i}": self.growth[i] for i in range(n)} | {f"s_{k}": self.factors[k] for k in range(m)}
        return named | {"length_unit": self.length, "mass_unit": self.mass, "time_unit": self.time}

    @property
    def unit(self):
        """The unit (n,) of the coordinates."""
        return self.length**self.lengths

    def _map(self, z):
        named = g.model.coordinates.Named(tuple(self.parameters), tuple(self.parameters.values()), "parameter")
        x, D = placed(z, named, self.k.size, self.pair if self.polar else None)
        return np.array(x, dtype=float), np.array(D, dtype=float)

    def state(self, x, v):
        """The state (y, w) of the plain state (x, v), c being such that it lies at z."""
        if np.max(np.abs(self._map(self.z)[0] - x)) > 1e-9 * (1.0 + np.max(np.abs(x))):
            raise AssertionError("the change belongs to another state")
        return self.z / self.unit, np.linalg.solve(self._map(self.z)[1], v) / self.unit * self.time

    def plain_acceleration(self, w, acceleration):
        """The acceleration in the plain coordinates and units of one in the new ones."""
        rate = w * self.unit / self.time
        _, D = self._map(self.z)
        if self.polar:
            i, j = self.pair
            bend = np.zeros(self.k.size)
            r, angle, dr, spin = self.z[i], self.z[j], rate[i], rate[j]
            bend[i] = -2.0 * dr * spin * np.sin(angle) - r * spin**2 * np.cos(angle)
            bend[j] = 2.0 * dr * spin * np.cos(angle) - r * spin**2 * np.sin(angle)
        else:
            bend = -self.k * np.sin(self.b @ self.z) * (self.b @ rate) ** 2
        return D @ (acceleration * self.unit / self.time**2) + bend


def placed(z, p, n, pair):
    """x (n,) and ∂x/∂z (n, n) as lists, of numbers or of symbols; `pair` are the polar coordinates, if any."""
    if pair is not None:
        i, j = pair
        x = [p[f"c_{k}"] + z[k] for k in range(n)]
        D = [[1.0 if k == l else 0.0 for l in range(n)] for k in range(n)]
        x[i], x[j] = p[f"c_{i}"] + z[i] * g.cos(z[j]), p[f"c_{j}"] + z[i] * g.sin(z[j])
        D[i][i], D[i][j] = g.cos(z[j]), -z[i] * g.sin(z[j])
        D[j][i], D[j][j] = g.sin(z[j]), z[i] * g.cos(z[j])
        return x, D
    flat = sum(p[f"h_{j}"] * z[j] for j in range(n))
    phase = sum(p[f"b_{j}"] * z[j] for j in range(n))
    wave, slope = g.sin(phase), g.cos(phase)
    x, D = [], []
    for i in range(n):
        stretch, along, curve = p[f"d_{i}"], p[f"e_{i}"], p[f"k_{i}"]
        x.append(p[f"c_{i}"] + stretch * z[i] + along * flat + curve * wave)
        row = [along * p[f"h_{j}"] + curve * p[f"b_{j}"] * slope for j in range(n)]
        row[i] = row[i] + stretch
        D.append(row)
    return x, D


def _called(function, **values):
    return function(**{name: values[name] for name in inspect.signature(function).parameters})


def _built(case, change):
    """The system of a case in the coordinates y, with all parameters of a change."""
    n, pair = case.n, case.pair if change.polar else None
    lengths = change.lengths

    def plain(q, p):
        unit = [p.length_unit if lengths[i] else 1.0 for i in range(n)]
        x, D = placed([unit[i] * q[i] for i in range(n)], p, n, pair)
        return x, [[D[i][j] * unit[j] for j in range(n)] for i in range(n)]

    def rates(D, v, p):
        return [sum(D[i][j] * v[j] for j in range(n)) / p.time_unit for i in range(n)]

    def energy_unit(p):
        return p.mass_unit * p.length_unit**2 / p.time_unit**2

    def kinetic(q, v, p):
        _, D = plain(q, p)
        return 0.5 * sum(m * u**2 for m, u in zip(case.masses, rates(D, v, p), strict=True)) / energy_unit(p)

    def force(q, v, p):
        x, D = plain(q, p)
        given = case.force(x, rates(D, v, p)) if callable(case.force) else case.force or [0.0] * n
        return [sum(D[i][j] * given[i] for i in range(n)) / energy_unit(p) for j in range(n)]

    def factor(k, x, p):
        return p[f"s_{k}"] * g.exp(sum(p[f"w_{i}"] * x[i] for i in range(n)))

    def constraint(k, row):
        if row.kind is g.Pfaffian:

            def matrix(q, t, p):
                x, D = plain(q, p)
                entries = _called(row.function, x=x, t=t * p.time_unit)
                scale = factor(k, x, p) / p.time_unit
                return [scale * sum(entries[i] * D[i][j] for i in range(n)) for j in range(n)]

            def offset(q, t, p):
                x, _ = plain(q, p)
                return factor(k, x, p) * (_called(row.offset, x=x, t=t * p.time_unit) if row.offset else 0.0)

            return g.Pfaffian(row.name, matrix, offset)

        def value(q, t, p):
            x, _ = plain(q, p)
            return factor(k, x, p) * _called(row.function, x=x, t=t * p.time_unit)

        def moving(q, v, t, p):
            x, D = plain(q, p)
            return factor(k, x, p) * _called(row.function, x=x, v=rates(D, v, p), t=t * p.time_unit)

        return row.kind(row.name, moving if row.kind is g.Nonholonomic else value)

    return g.System(
        case.name,
        [f"y{i}" for i in range(n)],
        kinetic_energy=kinetic,
        force=force,
        constraints=[constraint(k, row) for k, row in enumerate(case.rows)],
        parameters=change.parameters,
    )


def plain_change(case):
    """No change: y = x, the rows as they are."""
    n, m = case.n, len(case.rows)
    lengths = np.array([0.0 if i in case.angles else 1.0 for i in range(n)])
    x, zero = np.array(case.x, dtype=float), np.zeros(n)
    maps = dict.fromkeys("bcehk", zero) | {"d": np.ones(n)}
    return Change(**maps, z=x, lengths=lengths, factors=np.ones(m), growth=zero, pair=case.pair)


def _at(change, x, z):
    """The same change with c such that the plain state x lies at z."""
    moved = replace(change, z=z, c=np.zeros(x.size))
    return replace(moved, c=x - moved._map(z)[0])


def linear_change(case, rng):
    """A stretch of every coordinate, a linear form of all of them added to each, and a translation."""
    n = case.n
    base = replace(
        plain_change(case),
        d=10.0 ** rng.uniform(-0.3, 0.3, n) * rng.choice([-1.0, 1.0], n),
        e=rng.uniform(-1.0, 1.0, n),
        h=rng.uniform(-1.0, 1.0, n),
    )
    changed = _at(base, np.array(case.x, dtype=float), rng.normal(size=n))
    return changed if np.linalg.cond(changed._map(changed.z)[1]) < 100.0 else linear_change(case, rng)


def translated_change(case, rng):
    """Another origin, about a hundred units away."""
    x = np.array(case.x, dtype=float)
    return _at(plain_change(case), x, x + 100.0 * rng.normal(size=case.n))


def curved_change(case, rng):
    """A linear map with the sine of a linear form added to it, invertible near the state."""
    base = replace(linear_change(case, rng), k=rng.uniform(-1.0, 1.0, case.n), b=rng.normal(size=case.n))
    changed = _at(base, np.array(case.x, dtype=float), base.z)
    _, D = changed._map(changed.z)
    return changed if np.linalg.cond(D) < 100.0 else curved_change(case, rng)


def sheared_change(case, rng):
    """The other coordinates moved by the sine of the first, times a factor each."""
    k, b = rng.uniform(-1.0, 1.0, case.n), np.zeros(case.n)
    k[0], b[0] = 0.0, rng.uniform(0.5, 1.5)
    base = replace(plain_change(case), b=b, k=k)
    return _at(base, np.array(case.x, dtype=float), rng.normal(size=case.n))


def polar_change(case, rng):
    """Polar coordinates about a centre that lies 0.5 to 2 away from the state."""
    x = np.array(case.x, dtype=float)
    z = x.copy()
    i, j = case.pair
    z[i], z[j] = rng.uniform(0.5, 2.0), rng.uniform(-3.0, 3.0)
    base = plain_change(case)
    lengths = base.lengths.copy()
    lengths[j] = 0.0
    return _at(replace(base, polar=True, lengths=lengths), x, z)


def unit_change(case, rng):
    """mm, t and ms in place of m, kg and s, or the reverse."""
    sign = rng.choice([-1.0, 1.0])
    base = replace(plain_change(case), length=1e3**-sign, mass=1e3**sign, time=1e3**-sign)
    return replace(base, z=np.array(case.x, dtype=float))


def scaled_change(case, rng):
    """Each row multiplied by a constant between 1e-3 and 1e3 and by exp(h·x); of contacts a positive one."""
    m = len(case.rows)
    sign = np.array([1.0 if row.kind is g.Unilateral else rng.choice([-1.0, 1.0]) for row in case.rows])
    growth = rng.normal(size=case.n)
    return replace(plain_change(case), factors=sign * 10.0 ** rng.uniform(-3.0, 3.0, m), growth=growth)


def everything_changed(case, rng):
    """Curved coordinates, other units and scaled rows at once."""
    curved, units, scaled = curved_change(case, rng), unit_change(case, rng), scaled_change(case, rng)
    return replace(
        curved, length=units.length, mass=units.mass, time=units.time, factors=scaled.factors, growth=scaled.growth
    )


CHANGES = {
    "translated": translated_change,
    "linear": linear_change,
    "curved": curved_change,
    "sheared": sheared_change,
    "polar": polar_change,
    "units": unit_change,
    "rows": scaled_change,
    "everything": everything_changed,
}
