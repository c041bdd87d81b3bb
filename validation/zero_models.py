"""Random constrained systems whose truth is known from how they are made; nothing of the package is imported.

`draw(seed, index)` returns a `Case`: a `Model` (kinetic energy, force, rows, all as small expressions), a state in
double precision, and a `Truth`: which verdicts are right, whether the acceleration is unique, and the accelerations
with 60 digits. The rows that the package is given are made from others, F, G, E, which are independent at the state:
copies of them, sums, products F·G, squares, germs such as F(F − Gⁿ). The truth is Gauss's principle over those of F, G,
E that hold along the motion, at a state that satisfies them with 60 digits (`zero_truth`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import mpmath as mp
import numpy as np
from zero_truth import (
    DIGITS,
    Model,
    Node,
    Row,
    dot,
    exact,
    gradients,
    inertia,
    least,
    node,
    rate,
    sine,
    solved,
    total,
    value,
)

TRIES = 60  # draws of a model until its independent rows are well apart
APART = 0.2  # smallest singular value of the independent rows, each of length one
NEAR = 1e-12  # distance, in units of length, of a projected state from an exact one
DOUBT = 1e-13  # a copy, or a crossing, nearer than this cannot be told from one in double precision
ROUNDED = 64 * 2.0**-52  # and a crossing nearer than this times what a change of the position by itself makes of it


# ------------------------------------------------------------------ what is drawn


@dataclass(frozen=True, eq=False)
class Truth:
    """What is right to say of a state."""

    required: frozenset[str]  # verdicts that must be among those given
    allowed: frozenset[str]  # verdicts that may be given
    unique: bool | None  # whether the acceleration is unique; None where there is none, or where both are right
    accelerations: tuple[tuple[Any, ...], ...]  # (n,) of mpf each; one of them, if unique
    nearby: tuple[tuple[Any, ...], ...] = ()  # the same at the state as rounded, or as given off its constraints
    doubt: bool = False  # undecided is right
    refusable: bool = False  # off its constraints so far that the state may be refused


@dataclass(frozen=True, eq=False)
class Case:
    """A model, its state in double precision and what is said of it."""

    seed: int
    index: int
    kind: str
    model: Model
    q: np.ndarray  # (n,)
    v: np.ndarray  # (n,)
    style: str
    truth: Truth


@dataclass
class Draw:
    """The random choices that the kinds of models share."""

    rng: np.random.Generator
    n: int
    style: str  # "exact": the rows vanish at the state without rounding; else the state is solved for
    length: float
    centre: np.ndarray  # (n,) position, in units of length
    way: np.ndarray  # (n,) velocity, in units of length
    tags: list[str] = field(default_factory=list)

    def chance(self, p: float) -> bool:
        """Whether something happens that has the probability p."""
        return bool(self.rng.uniform() < p)

    def x(self, i: int) -> Node:
        """Coordinate i without its unit; measured from the state if that is exact."""
        q = Node("q", (i,))
        if self.style == "exact":
            q = q - float(self.centre[i] * self.length)
        return q * (1.0 / self.length)

    def w(self, i: int) -> Node:
        """Velocity i without its unit."""
        return Node("v", (i,)) * (1.0 / self.length)

    def coordinate(self) -> Node:
        """One of the coordinates, without its unit."""
        return self.x(int(self.rng.integers(self.n)))

    def gradient(self, along: bool) -> np.ndarray:
        """A gradient; where the state is exact, integers, and orthogonal to the velocity if `along`, else not so."""
        if self.style != "exact":
            return self.rng.normal(size=self.n)
        while True:
            g = self.rng.integers(-3, 4, self.n).astype(float)
            if along:
                g = g * (self.way @ self.way) - (g @ self.way) * self.way
            if np.any(g) and (along or g @ self.way != 0.0):
                return g / np.gcd.reduce(g.astype(int))

    def function(self, along: bool = True) -> Node:
        """A random smooth function that vanishes at the state; constant along the velocity if `along` and exact."""
        g, bend = self.gradient(along), node(0.0)
        for _ in range(int(self.rng.integers(1, 4))):
            size, i, j = round(float(self.rng.normal()), 3), self.coordinate(), self.coordinate()
            bend += (i * j if self.chance(0.5) else i * sine(j)) * size
        if self.chance(0.2):
            bend += self.coordinate() ** 3 * round(float(self.rng.normal()), 3)
        if self.style != "exact" and self.chance(0.3):
            bend += sine(self.coordinate() * round(float(self.rng.uniform(0.5, 2.0)), 3) + 0.3)
        f = total([self.x(i) * float(g[i]) for i in range(self.n)]) + bend
        return f if self.style == "exact" else f - float(value(f, self.centre * self.length, (), 0.0, math, float))

    def factor(self) -> Node:
        """A function of q that is nowhere zero."""
        return sine(self.coordinate()) + 1.5 if self.chance(0.6) else self.coordinate() ** 2 * 0.7 + 1.3

    def row(self, kind: str | None = None) -> Row:
        """A random row: mostly holonomic."""
        kind = kind or str(self.rng.choice(["holonomic", "pfaffian", "nonholonomic"], p=[0.75, 0.15, 0.1]))
        if kind == "nonholonomic" and (not np.any(self.way) or self.style == "exact"):
            kind = "pfaffian"
        if kind == "holonomic":
            return Row(kind, self.function())
        if kind == "pfaffian":
            g = self.gradient(True)
            terms = [self.w(i) * float(g[i]) for i in range(self.n)]
            i, j = self.rng.integers(self.n, size=2)
            turn = self.x(int(j)) if self.style == "exact" else sine(self.x(int(j)))
            return Row(kind, total(terms) + self.w(int(i)) * turn * round(float(self.rng.normal()), 3))
        c = np.round(self.rng.uniform(0.5, 2.0, self.n), 3)
        kept = total([self.w(i) ** 2 * float(c[i]) for i in range(self.n)])
        return Row(kind, kept - float(c @ self.way**2))

    def power(self, spread: float) -> float:
        """A factor 10^u with u up to ±spread; a power of two where the state is exact."""
        u = float(self.rng.uniform(-spread, spread))
        return 2.0 ** round(u * math.log2(10.0)) if self.style == "exact" else 10.0**u

    def finish(
        self,
        rows: Sequence[Row],
        place: Sequence[Node],
        speed: Sequence[Node],
        branches: Sequence[Sequence[Node]],
        factors: bool = True,
    ) -> Model:
        """A model with these rows and a random kinetic energy and force."""
        n, rng = self.n, self.rng
        wide = self.chance(0.25)
        mass = 10.0 ** rng.uniform(-6.0, 6.0, n) if wide else 10.0 ** rng.uniform(-0.7, 0.7, n)
        kinetic = node(0.0)
        for k in range(n):
            direction = Node("v", (k,))
            if not wide and self.chance(0.3):
                direction += Node("v", (int(rng.integers(n)),)) * 0.4
            term = direction**2 * float(0.5 * mass[k])
            if self.chance(0.2):
                term *= sine(Node("q", (int(rng.integers(n)),)) * (1.0 / self.length)) * 0.3 + 1.0
            kinetic += term
        force = mass * self.length * rng.normal(size=n) * 10.0 ** rng.uniform(-0.5, 1.2)
        if wide:
            self.tags.append("masses")
        if factors and self.chance(0.2):
            rows = [r.scaled(self.power(6.0)) for r in rows]
            self.tags.append("factors")
        if self.chance(0.3):
            rows = [rows[k] for k in rng.permutation(len(rows))]
        return Model(
            n,
            self.length,
            kinetic,
            tuple(float(f) for f in force),
            tuple(rows),
            tuple(place),
            tuple(speed),
            tuple(tuple(b) for b in branches),
            tuple(self.tags),
        )


def drawn(rng: np.random.Generator, least: int, style: str | None = None, moving: bool = True) -> Draw:
    """Draw the number of coordinates (at least `least`), units, position and velocity."""
    n = int(rng.integers(max(2, least), 7)) if least < 6 else 6
    style = style or str(rng.choice(["exact", "rounded", "projected"], p=[0.3, 0.5, 0.2]))
    length, tags = 1.0, []
    if rng.uniform() < 0.25:
        tags.append("units")
        length = 2.0 ** int(rng.integers(-20, 21)) if style == "exact" else 10.0 ** float(rng.uniform(-6, 6))
    if style == "exact":
        centre = rng.integers(-64, 65, n) / 32.0 * (rng.uniform() < 0.6)
        way = rng.integers(-3, 4, n).astype(float)
        while not np.any(way):
            way = rng.integers(-3, 4, n).astype(float)
    else:
        centre, way = np.round(rng.normal(size=n) * (10.0 if rng.uniform() < 0.1 else 1.0), 6), rng.normal(size=n)
    return Draw(rng, n, style, length, centre, way if moving else np.zeros(n), tags)


# ------------------------------------------------------------------ kinds of models

GRAVE = ("contradictory", "velocity not admissible", "no smooth continuation")
WORDS = frozenset((*GRAVE, "higher order", "branching", "locked", "crossing", "redundant", "regular"))
SLOW = (1e-2, 1e-4, 1e-8, 1e-12, 1e-17, 1e-33, 1e-100, 1e-160, 1e-300, 1e-320)


@dataclass(frozen=True)
class Made:
    """What a kind of models returns: the model, the speed of its state, and what is right to say."""

    draw: Draw | None  # the choices that the state is made with; None for a state that is given
    model: Model
    allowed: frozenset[str]
    required: frozenset[str] = frozenset()
    unique: bool | None = True
    doubt: bool = False
    scale: float = 1.0  # of the velocity
    others: tuple[tuple[Node, ...], ...] = ()  # further readings in the doubt zone
    refusable: bool = False
    load: bool = False  # the force acts along the free directions only
    contacts: tuple[Node, ...] = ()  # functions of q and v that the motion does not let fall


def only(*words: str) -> frozenset[str]:
    """A set of verdicts."""
    return frozenset(words)


def scale_of(d: Draw, rows: Sequence[Row] = ()) -> float:
    """The size of the velocity, in units of length: mostly one or rest, at times as small as numbers go."""
    if any(r.kind == "nonholonomic" for r in rows):
        return 1.0
    u = d.rng.uniform()
    small = float(d.rng.choice(SLOW))
    if d.style == "exact":
        small = 2.0 ** max(round(math.log2(small)), -1070)
    return 1.0 if u < 0.45 else 0.0 if u < 0.75 else small


def base(d: Draw, most: int, kind: str | None = None) -> list[Row]:
    """Up to `most` random rows, at least one."""
    return [d.row(kind) for _ in range(int(d.rng.integers(1, most + 1)))]


def sides(d: Draw, left: int) -> list[Row]:
    """None to two further rows, as far as coordinates are left."""
    return [d.row("holonomic") for _ in range(int(d.rng.integers(0, min(left, 2) + 1)))]


def places(rows: Sequence[Row]) -> list[Node]:
    """The functions of position among rows."""
    return [r.node for r in rows if r.kind == "holonomic"]


def ordinary(d: Draw, rows: Sequence[Row], given: Sequence[Row] = ()) -> Model:
    """The model whose independent rows are `rows`, and `given` (left out: the same) for the package."""
    speed = [r.speed(d.n) for r in rows]
    return d.finish(given or rows, places(rows), speed, [speed])


def regular(rng: np.random.Generator) -> Made:
    """Independent rows."""
    d = drawn(rng, 2)
    rows = base(d, min(d.n - 1, 4))
    return Made(d, ordinary(d, rows), only("regular"), scale=scale_of(d, rows))


def rigid(rng: np.random.Generator) -> Made:
    """As many independent rows as coordinates, at rest."""
    d = drawn(rng, 2, "rounded", moving=False)
    d = replace(d, n=min(d.n, 4), centre=d.centre[:4], way=d.way[:4])
    rows = [d.row("holonomic") for _ in range(d.n)]
    return Made(d, ordinary(d, rows), only("regular"), scale=0.0)


def copied(rng: np.random.Generator, how: str, load: bool = False) -> Made:
    """Independent rows and a copy of one: the same, times a factor, times a function, a sum of two, or its rate."""
    d = drawn(rng, 3 if how == "sum" else 2)
    kind = "holonomic" if how == "rate" or load else None
    rows = base(d, min(d.n - 1, 3), kind)
    if how == "sum":
        rows = [rows[0], d.row(rows[0].kind), *rows[2:]]
    k = 0 if how == "sum" else int(rng.integers(len(rows)))
    first = rows[k]
    if how == "rate":
        copy = Row("pfaffian", rate(first.node, d.n))
    elif how == "sum":
        copy = first.scaled(float(rng.choice([1.0, 2.0, 0.7]))).plus(
            rows[1].scaled(float(rng.choice([1.0, -1.0, 3.3])))
        )
    else:
        by = {"same": 1.0, "factor": float(rng.choice([3.3, 2.0, -1.0, 0.1, 1e-3])), "function": d.factor()}
        copy = first.scaled(by[how])
    scale = 0.0 if load else scale_of(d, rows)
    return Made(d, ordinary(d, rows, [*rows, copy]), only("redundant"), scale=scale, load=load)


def kept(rng: np.random.Generator, how: str) -> Made:
    """Speed kept, or another nonlinear row, given twice."""
    d = drawn(rng, 2, "rounded")
    row = d.row("nonholonomic")
    rows = [row, *sides(d, d.n - 2)]
    by = {"same": 1.0, "factor": float(rng.choice([3.3, 2.0, 0.1])), "function": d.factor()}
    return Made(d, ordinary(d, rows, [*rows, row.scaled(by[how])]), only("redundant"))


def near_copy(rng: np.random.Generator, expanded: bool) -> Made:
    """A row and the same plus e times another one, as such or with the coefficients of the sum rounded."""
    d = drawn(rng, 3)
    e = 10.0 ** float(rng.uniform(-15.0, 0.0))
    if expanded:
        monomials = [d.x(i) for i in range(d.n)]
        monomials += [d.coordinate() * (d.coordinate() if d.chance(0.5) else sine(d.coordinate())) for _ in range(3)]
        c = [np.append(d.gradient(True), np.round(rng.normal(size=3), 3)) for _ in range(2)]
        parts = [total([m * float(a) for m, a in zip(monomials, b, strict=True)]) for b in (*c, c[0] + e * c[1])]
        if d.style != "exact":
            parts = [f - float(value(f, d.centre * d.length, (), 0.0, math, float)) for f in parts]
        first, second, both = parts
    else:
        first, second = d.function(), d.function()
        both = first + second * e
    rest = sides(d, d.n - 3)
    given = [*rest, Row("holonomic", first), Row("holonomic", both).scaled(float(rng.choice([1.0, 1.0, 3.3])))]
    apart_by = (both - first) * (1.0 / e) if expanded else second
    independent = [*rest, Row("holonomic", first), Row("holonomic", apart_by)]
    doubt = e < DOUBT * 10.0
    d.tags.append(f"e={e:.1e}")
    words = only("regular", "redundant") if doubt else only("regular")
    others = (tuple(r.speed(d.n) for r in independent[:-1]),) if doubt else ()
    return Made(d, ordinary(d, independent, given), words, doubt=doubt, others=others, scale=scale_of(d))


def near_rates(rng: np.random.Generator) -> Made:
    """A row on velocities, linear or not, and the same plus e times another one of its kind."""
    d = drawn(rng, 3)
    kind = "nonholonomic" if d.style != "exact" and d.chance(0.5) else "pfaffian"
    first, second, rest = d.row(kind), d.row(kind), sides(d, d.n - 3)
    e = 10.0 ** float(rng.uniform(-15.0, 0.0))
    doubt = e < DOUBT * 10.0
    d.tags.append(f"e={e:.1e}")
    words = only("regular", "redundant") if doubt else only("regular")
    others = (tuple(r.speed(d.n) for r in (*rest, first)),) if doubt else ()
    model = ordinary(d, [*rest, first, second], [*rest, first, first.plus(second.scaled(e))])
    return Made(d, model, words, doubt=doubt, others=others, scale=scale_of(d, [first]))


def crossing(rng: np.random.Generator, how: str) -> Made:
    """A product F·G where both vanish: passed along F = 0, at rest, along both, near by, or hidden in a second row."""
    style = "rounded" if how == "near" else None
    d = drawn(rng, {"second": 3, "along both": 3}.get(how, 2), style)
    F, G = d.function(), d.function(along=how == "along both")
    left = d.n - (3 if how == "along both" else 2)
    E = [d.row("holonomic"), *sides(d, left - 1)] if how == "second" else sides(d, left)
    product = F * G
    if how == "second":
        product = E[0].node * (d.factor() if d.chance(0.5) else float(rng.choice([1.0, 3.3]))) + product
    elif d.chance(0.3):
        product *= d.factor()
    given, words = [*E, Row("holonomic", product)], frozenset({"crossing"})
    if how in ("moving", "second") and d.chance(0.2):
        given.append(given[-1].scaled(float(rng.choice([1.0, 3.3]))))
        words |= {"redundant"}
    f, h, e = rate(F, d.n), rate(G, d.n), [r.speed(d.n) for r in E]
    if how == "near":
        distance = 10.0 ** float(rng.uniform(-16.0, 0.0))
        scale = float(rng.choice([0.0, 1.0, 1e-2]))
        d.tags.append(f"d={distance:.1e}" + (" rest" if scale == 0.0 else ""))
        model = d.finish(given, [*places(E), F, G - distance], [*e, f], [[*e, f], [*e, h]])
        middle = d.centre * d.length
        slopes = gradients([F, G], "q", middle, ())
        ours, other = np.sum(np.abs(slopes * middle), axis=1)
        turned = ours * np.linalg.norm(slopes[1]) / np.linalg.norm(slopes[0])  # by F ∇G beside G ∇F, F being rounded
        doubt = distance < max(10.0 * DOUBT, ROUNDED * max(float(other), float(turned)))
        allowed = only("regular", "crossing", "branching") if doubt else only("regular")
        unique = None if doubt and scale == 0.0 else True
        first = replace(model, branches=model.branches[:1])
        return Made(d, first, allowed, unique=unique, doubt=doubt, scale=scale, others=(model.branches[1],) * doubt)
    place = [*places(E), F, G]
    if how in ("moving", "second"):
        scale = 1.0 if d.chance(0.6) else 2.0 ** -int(rng.choice([7, 14, 27, 60, 400]))
        model = d.finish(given, place, [*e, f], [[*e, f]])
        if scale < 1e-5:  # rounding decides whether the state passes or rests
            d.tags.append(f"v={scale:.0e}")
            words |= {"branching"}
            return Made(d, model, words, unique=None, doubt=True, scale=scale, others=((*e, h),))
        return Made(d, model, words, words, scale=scale)
    model = d.finish(given, place, [*e, f, h] if how == "along both" else [*e, f], [[*e, f], [*e, h]])
    return Made(d, model, only("branching"), only("branching"), False, scale=0.0 if how == "rest" else 1.0)


def near_miss(rng: np.random.Generator) -> Made:
    """A hyperbola F·G = ε, near its vertex."""
    d = drawn(rng, 2, "rounded")
    F, G, E = d.function(), d.function(), sides(d, d.n - 2)
    epsilon = 10.0 ** float(rng.uniform(-18.0, -1.0))
    aside = math.sqrt(epsilon) * 10.0 ** float(rng.uniform(-0.5, 0.5))
    d.tags.append(f"ε={epsilon:.1e}")
    row = F * G - epsilon
    speed = [r.speed(d.n) for r in E] + [rate(row, d.n)]
    beside = Node("c", (-mp.mpf(epsilon) / mp.mpf(aside),))
    model = d.finish([*E, Row("holonomic", row)], [*places(E), F - aside, G + beside], speed, [speed])
    doubt = epsilon < 1e-15
    scale = float(rng.choice([0.0, 1.0]))
    return Made(d, model, only("regular"), doubt=doubt, scale=scale)


def touching(rng: np.random.Generator, moving: bool) -> Made:
    """Branches F = 0 and F = c Gⁿ that touch."""
    d = drawn(rng, 2)
    F, G, E = d.function(), d.function(along=False), sides(d, d.n - 2)
    n, c = int(rng.integers(2, 9)), float(rng.choice([1.0, -0.6, 2.5]))
    d.tags.append(f"n={n}")
    other = F - G**n * c
    f, e = rate(F, d.n), [r.speed(d.n) for r in E]
    given = [*E, Row("holonomic", F * other)]
    place = [*places(E), F, G]
    if moving and n == 2:
        model = d.finish(given, place, [*e, f], [[*e, f], [*e, rate(other, d.n)]])
        return Made(d, model, only("branching"), only("branching"), False)
    model = d.finish(given, place, [*e, f], [[*e, f]])
    return Made(d, model, WORDS - only(*GRAVE, "locked", "redundant", "regular"), scale=1.0 if moving else 0.0)


def power(rng: np.random.Generator, k: int, beside: bool) -> Made:
    """F² or F³, alone or beside F."""
    d = drawn(rng, 2)
    F, E = d.function(), sides(d, d.n - 2)
    rows = [*E, Row("holonomic", F)]
    squared = Row("holonomic", F**k * (d.factor() if d.chance(0.3) else 1.0))
    words = only("redundant") if beside else only("locked", "redundant", "higher order")
    return Made(d, ordinary(d, rows, [*rows, squared] if beside else [*E, squared]), words, scale=scale_of(d))


def isolated(rng: np.random.Generator, k: int) -> Made:
    """F² + G²ᵏ = 0, which is F = G = 0."""
    d = drawn(rng, 3)
    rows = [d.row("holonomic"), d.row("holonomic"), *sides(d, d.n - 3)]
    row = Row("holonomic", rows[0].node ** 2 + rows[1].node ** (2 * k) * float(rng.choice([1.0, 0.3])))
    words = only("locked", "redundant") if k == 1 else only("locked", "redundant", "higher order")
    scale = float(rng.choice([0.0, 1.0]))
    return Made(d, ordinary(d, rows, [*rows[2:], row]), words, scale=scale)


def contact(rng: np.random.Generator, n: int) -> Made:
    """F = 0 and F + c Gⁿ = 0, which is F = G = 0, at rest or moving along both."""
    d = drawn(rng, 3)
    rows = [d.row("holonomic"), d.row("holonomic"), *sides(d, d.n - 3)]
    c = d.power(3.5) * 3e-4 if d.style != "exact" else float(rng.choice([1.0, 2.0**-10, 2.0**-26]))
    d.tags.append(f"c={c:.1e}")
    given = [rows[0], Row("holonomic", rows[0].node + rows[1].node ** n * c), *rows[2:]]
    words = only("locked") if n == 2 else only("locked", "higher order")
    return Made(d, ordinary(d, rows, given), words, scale=float(rng.choice([0.0, 1.0])))


def implied(rng: np.random.Generator) -> Made:
    """F and F·G where both vanish: the second demands nothing."""
    d = drawn(rng, 2)
    F, G, E = d.function(), d.function(along=False), sides(d, d.n - 2)
    given = [*E, Row("holonomic", F), Row("holonomic", F * G)]
    speed = [r.speed(d.n) for r in E] + [rate(F, d.n)]
    return Made(d, d.finish(given, [*places(E), F, G], speed, [speed]), only("redundant"), scale=scale_of(d))


def cone(rng: np.random.Generator, moving: bool) -> Made:
    """The apex of F² + G² = H²: at rest, or passed along a generator."""
    d = drawn(rng, 3, "rounded")
    F, G, H, E = d.function(), d.function(), d.function(), sides(d, d.n - 3)
    a, b, c = (rate(x, d.n) for x in (F, G, H))
    e = [r.speed(d.n) for r in E]
    on = a**2 + b**2 - c**2
    given, place = [*E, Row("holonomic", F**2 + G**2 - H**2)], [*places(E), F, G, H]
    if moving:
        return Made(d, d.finish(given, place, [*e, on], [[*e, on]]), only("crossing"), only("crossing"))
    return Made(d, d.finish(given, place, e, []), only("branching"), only("branching"), False, scale=0.0)


def cusp(rng: np.random.Generator) -> Made:
    """F² = G³ with speed along the cusp: no motion goes on."""
    d = drawn(rng, 2)
    F, G, E = d.function(), d.function(along=False), sides(d, d.n - 2)
    speed = [r.speed(d.n) for r in E] + [rate(F, d.n)]
    model = d.finish([*E, Row("holonomic", F**2 - G**3)], [*places(E), F, G], speed, [])
    return Made(d, model, only(*GRAVE[1:]), unique=None)


def triple(rng: np.random.Generator) -> Made:
    """Three branches F = 0, G = 0, F + 0.7 G = 0 through one place, passed along the first."""
    d = drawn(rng, 2)
    F, G, E = d.function(), d.function(along=False), sides(d, d.n - 2)
    speed = [r.speed(d.n) for r in E] + [rate(F, d.n)]
    given = [*E, Row("holonomic", F * G * (F + G * 0.7))]
    return Made(d, d.finish(given, [*places(E), F, G], speed, [speed]), only("crossing"), only("crossing"))


def impossible(rng: np.random.Generator, how: str) -> Made:
    """States that no motion leaves: rows demand different accelerations, or one of them forbids the velocity."""
    d = drawn(rng, 2)
    F, G, E = d.function(), d.function(along=False), sides(d, d.n - 2)
    speed = [r.speed(d.n) for r in E] + [rate(F, d.n)]
    if how == "rows":
        given = [*E, Row("holonomic", F), Row("holonomic", F + Node("t") ** 2 * d.power(1.5))]
        return Made(
            d, d.finish(given, [*places(E), F], speed, []), only("contradictory"), unique=None, scale=scale_of(d)
        )
    given = [*E, Row("holonomic", F), Row("holonomic", F + G**2 * float(rng.choice([1.0, 0.1])))]
    model = d.finish(given, [*places(E), F, G], speed, [])
    return Made(d, model, only("velocity not admissible"), unique=None, refusable=True)


def contacts(rng: np.random.Generator, how: str) -> Made:
    """Closed contacts, alone or with one more: a copy, a sum, the other side, nearly the same, or an equation."""
    d = drawn(rng, 3)
    E = [d.row("holonomic") for _ in range(int(rng.integers(how == "with a row", min(2, d.n - 1))))]
    U = [d.row("holonomic") for _ in range(int(rng.integers(1, min(3, d.n - len(E) - (how == "near")) + 1)))]
    first, free, equal, words, other = U[0], U, E, only("redundant"), []
    factor = float(rng.choice([3.3, 0.1, 1e-3, 1e5]))
    if how == "plain":
        more, words = [], only("regular")
    elif how in ("same", "factor", "function"):
        more = [first.scaled({"same": 1.0, "factor": factor, "function": d.factor()}[how])]
    elif how == "sum":
        more = [first.scaled(factor).plus(U[-1])]
    elif how == "with a row":
        more = [first.plus(E[0].scaled(float(rng.choice([1.0, -3.3]))))]
    elif how == "near":
        e, second = 10.0 ** float(rng.uniform(-11.0, 0.0)), d.row("holonomic")
        more, words, other = [first.plus(second.scaled(e))], only("regular"), [second]
        free = [*U, *more]
        d.tags.append(f"e={e:.1e}")
    else:  # its other side, or an equation
        more, free, equal = [first.scaled(-factor if how == "other side" else factor)], U[1:], [*E, first]
    sided = U if how == "equation" else [*U, *more]
    given = [*E, *(Row("unilateral", r.node) for r in sided), *(more if how == "equation" else [])]
    rows = [*E, *U, *other]
    model = d.finish(
        given, places(rows), [r.speed(d.n) for r in rows], [[r.speed(d.n) for r in equal]], factors=how != "near"
    )
    return Made(d, model, words, words, scale=scale_of(d), contacts=tuple(r.speed(d.n) for r in free))


def kinds() -> dict[str, Callable[[np.random.Generator], Made]]:
    """All kinds of models by name."""
    found: dict[str, Callable[[np.random.Generator], Made]] = {"regular": regular, "rigid": rigid}
    for how in ("same", "factor", "function", "sum", "rate"):
        found[f"copy: {how}"] = lambda r, how=how: copied(r, how)
    for how in ("same", "factor", "function", "sum"):
        found[f"copy, load along: {how}"] = lambda r, how=how: copied(r, how, True)
    for how in ("same", "factor", "function"):
        found[f"speed kept twice: {how}"] = lambda r, how=how: kept(r, how)
    found["near copy: φ + e χ"] = lambda r: near_copy(r, False)
    found["near copy: rounded"] = lambda r: near_copy(r, True)
    found["near copy: rates"] = near_rates
    for how in ("moving", "second", "rest", "along both", "near"):
        found[f"crossing: {how}"] = lambda r, how=how: crossing(r, how)
    found["near miss"] = near_miss
    found["touching, moving"] = lambda r: touching(r, True)
    found["touching, rest"] = lambda r: touching(r, False)
    for k, name in ((2, "square"), (3, "cube")):
        found[name] = lambda r, k=k: power(r, k, False)
        found[f"{name} beside F"] = lambda r, k=k: power(r, k, True)
        found[f"F and F + c G^{k}"] = lambda r, k=k: contact(r, k)
    for k in (1, 2, 3):
        found[f"F² + G^{2 * k}"] = lambda r, k=k: isolated(r, k)
    found |= {"F and F G": implied, "cusp": cusp, "triple": triple}
    found["cone, moving"] = lambda r: cone(r, True)
    found["cone, rest"] = lambda r: cone(r, False)
    found["contradictory"] = lambda r: impossible(r, "rows")
    found["velocity forbidden"] = lambda r: impossible(r, "velocity")
    return found


HOW = ("plain", "same", "factor", "function", "sum", "with a row", "near", "other side", "equation")
KINDS = kinds() | {f"contacts: {how}": lambda r, how=how: contacts(r, how) for how in HOW}
MOVED = ("off position", "off velocity", "integrated")  # further states of regular rows and copies
CONTACTS = tuple((f"contacts: {how}", "") for how in HOW)
STATES = tuple((kind, "") for kind in kinds()) + tuple(
    (kind, style) for style in MOVED for kind in ("regular", "copy: same", "copy: function", "copy: sum")
)


# ------------------------------------------------------------------ states and their truth


def apart(model: Model, q: Any, v: Any) -> bool:
    """Whether the independent functions are well apart at a state, and none of them flat."""
    for functions, by in ((model.place, "q"), *((b, "v") for b in model.branches), (model.speed, "v")):
        if not functions:
            continue
        if len(functions) > model.n:
            return False
        J = gradients(functions, by, q, v)
        size = np.linalg.norm(J, axis=1)
        if not np.all(size > 0.0) or np.linalg.svd(J / size[:, None], compute_uv=False)[-1] < APART:
            return False
    return True


def draw(seed: int, index: int, states: Sequence[tuple[str, str]] = STATES) -> Case:
    """The case of this number: kinds take turns, and random numbers depend on seed and number alone."""
    kind, style = states[index % len(states)]
    for attempt in range(TRIES):
        case = attempted(seed, index, kind, style, attempt)
        if case is not None:
            return case
    raise RuntimeError(f"no model of the kind {kind!r} in {TRIES} draws of number {index}")


def attempted(seed: int, index: int, kind: str, style: str, attempt: int) -> Case | None:
    """One attempt at a case; None if its independent rows are too near to dependent ones."""
    rng = np.random.default_rng([seed, index, attempt])
    with mp.workdps(DIGITS), np.errstate(all="ignore"):
        made = KINDS[kind](rng)
        model, d = made.model, made.draw
        q = solved(model.place, "q", [mp.mpf(float(x)) for x in d.centre * d.length], [mp.mpf(0)] * d.n)
        if q is None or max(abs(x) for x in q) > 100 * d.length:
            return None
        raw = d.way * d.length if np.any(d.way) else np.ones(d.n) * d.length
        v = solved(model.speed, "v", q, [mp.mpf(float(x)) for x in raw])
        if v is None or not apart(model, q, v) or not moves(model, q, v, d):
            return None
        v = [x * mp.mpf(made.scale) for x in v]
        if made.load:
            model = loaded(model, q, v)
        doubles = np.array([float(x) for x in q]), np.array([float(x) for x in v])
        if d.style == "projected":
            doubles = projected(model, *doubles, rng)
            back = solved(model.place, "q", [mp.mpf(float(x)) for x in doubles[0]], v)
            if back is None or not all(
                abs(float(x) - y) < NEAR * d.length for x, y in zip(doubles[0], back, strict=True)
            ):
                return None  # the independent functions are differences that double precision does not resolve
        if style.startswith("off"):
            doubles, made = moved_off(model, *doubles, style, made, rng)
        if not np.all(np.isfinite(np.concatenate(doubles))):
            return None
        truth = truth_of(model, made, *doubles, first=(q, v), off=style.startswith("off"))
        if truth is None:
            return None
    name = f"{kind}, {style}" if style else kind
    return Case(seed, index, name, model, *doubles, style or d.style, truth)


def moves(model: Model, q: Any, v: Any, d: Draw) -> bool:
    """Whether functions that vanish at the place but not along the motion change fast enough there."""
    speeds = [abs(exact(rate(f, model.n), q, v)) for f in model.place]
    size = float(mp.sqrt(dot(v, v))) / d.length
    return (0.2 < size < 50.0 or not np.any(d.way)) and all(s < 1e-40 or s > 0.2 for s in speeds)


def loaded(model: Model, q: Any, v: Any) -> Model:
    """The model with a force whose free acceleration lies along the directions that the rows leave free."""
    J = gradients(model.branches[0], "v", q, v)
    M = np.array([[float(x) for x in row] for row in inertia(model, q, v)[0]])
    u = np.array(model.force) / np.diag(M)
    u = u - np.linalg.pinv(J) @ (J @ u)
    return replace(model, force=tuple(float(x) for x in M @ u))


def projected(model: Model, q: np.ndarray, v: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The state moved a little and projected again in double precision, position first."""
    size = float(np.linalg.norm(q))
    q = q + 1e-5 * size * rng.normal(size=q.size)
    for functions, by in ((model.place, "q"), (model.speed, "v")):
        for _ in range(8 if functions else 0):
            r = np.array([value(f, q, v, 0.0, math, float) for f in functions])
            step = np.linalg.pinv(gradients(functions, by, q, v)) @ r
            q, v = (q - step, v) if by == "q" else (q, v - step)
    return q, v


def moved_off(
    model: Model, q: np.ndarray, v: np.ndarray, style: str, made: Made, rng: np.random.Generator
) -> tuple[tuple[np.ndarray, np.ndarray], Made]:
    """The state moved off its constraints, by 1e-12 to 1e-2 of its size."""
    by = 10.0 ** float(rng.uniform(-12.0, -2.0))
    way = rng.normal(size=q.size)
    way *= by * model.length / np.linalg.norm(way)
    made.draw.tags.append(f"off={by:.1e}")
    model = replace(model, tags=tuple(made.draw.tags))
    if style == "off position":
        return (q + way, v), replace(made, refusable=True, model=model)
    if made.scale < 1e-3 and rng.uniform() < 0.5:  # a velocity that is rounding, at rest
        way *= 10.0 ** float(rng.uniform(-300.0, -14.0)) / by
        return (q, way), replace(made, model=model)
    return (q, v + way), replace(made, refusable=True, model=model)


def truth_of(
    model: Model, made: Made, q: np.ndarray, v: np.ndarray, first: Any = None, off: bool = False
) -> Truth | None:
    """What is right at a state in double precision: at the nearest state that satisfies the rows with 60 digits."""
    given = [mp.mpf(float(x)) for x in q], [mp.mpf(float(x)) for x in v]
    states = [] if first is None or off else [first]
    metrics: list[Any] = [None]
    if off:
        M, _ = inertia(model, *given)
        metrics.append([M[i][i] for i in range(model.n)])
    for metric in metrics:
        place = solved(model.place, "q", *given, metric)
        speed = None if place is None else solved(model.speed, "v", place, given[1], metric)
        if speed is None:
            return None
        states.insert(0, (place, speed))
    states.append(given)
    branches = (*model.branches, *made.others)
    found = [tuple(least(model, b, made.contacts, *s) for b in branches) for s in states]
    return Truth(
        made.required,
        made.allowed,
        made.unique,
        found[0],
        tuple(a for several in found[1:] for a in several),
        made.doubt,
        made.refusable,
    )


def moved(case: Case, q: np.ndarray, v: np.ndarray) -> Case | None:
    """The case at another state of its constraints, as one that a motion reached; None if it is far from them."""
    with mp.workdps(DIGITS):
        made = Made(None, case.model, case.truth.allowed, case.truth.required, case.truth.unique)
        truth = truth_of(case.model, made, q, v)
    return None if truth is None else replace(case, q=q, v=v, truth=truth)
