"""Mends: which single change of one term makes a failing statement hold.

Three searches, the simplest first; the first that finds something ends the search:

1. the coefficient of a term (opposite sign, a factor, superfluous), by least squares over the states, and every small
   change of the formula itself: a symbol for another of its kind, a dot more or less, sine for cosine, an exponent, an
   inner sign or factor, a missing or a superfluous factor;
2. a term times one more factor of a library (symbols, their inverses and quotients, functions of angles), the
   coefficient free; a term that is missing, or one that must be replaced, from a pool of monomials;
3. a term times two factors of the library.

A candidate must hold to rounding at the states it was found at and at fresh ones, and must not be an identity, unless
nothing else is found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import sympy as sp

from gauss.errors import InputError
from gauss.foundation.arrays import Array
from gauss.sources.monomials import LARGEST_POOL, factors, pool
from gauss.sources.rows import VANISHING, Memo, Row, residual, scale_of, values_of
from gauss.sources.samples import Sample, add_quantities
from gauss.sources.symbols import SymbolSet, Values, addends, magnitude, table
from gauss.sources.variants import variants

ROOM = 10.0  # a mended row may have this many times the bound of a printed one: its fit has rounding of its own
CLOSE = 1e-8  # distance of a fitted coefficient from a simple fraction, relative, that counts as rounding
LARGER = 4.0  # cost from which a change is more than a slip of the pen
SHOWN = 3  # mends of equal simplicity that are named
MOST_PARAMETERS = 3  # parameters in a missing term
MOST_PAIRS = 20_000_000  # terms times pairs of factors that are tried
IDENTITY = 1e-6  # scaled residual at arbitrary numbers below which a formula says nothing


@dataclass(frozen=True)
class Mend:
    """One change that makes a statement hold.

    >>> import gauss as g
    >>> cart = g.System("cart", "x", kinetic_energy=lambda v: v.x**2, potential_energy=lambda q: 4 * q.x**2)
    >>> claim = g.sources.Equation("equation of motion", left=lambda a: 2 * a.x, right=lambda q: 8 * q.x)
    >>> mend = g.sources.verify(g.sources.Printed("my notes", [claim], cart, q=[0.1]), count=9)[0].mends[0]
    >>> mend.term, mend.change
    ('the left side', 'with the opposite sign')
    """

    row: str  # which row of the statement
    kind: str  # "sign", "factor", "function", "symbol", "exponent", "missing factor", "superfluous term", …
    term: str  # the term that disagrees, as printed; empty for one that is missing
    change: str  # what makes it agree: "with the opposite sign"
    formula: sp.Expr  # the mended printed part
    residual: float  # scaled, the worst at the fresh states
    cost: float  # the simpler, the lower

    def __str__(self) -> str:
        place = f"{self.row}: " if self.row else ""
        if not self.term:
            return f"{place}a term is missing; {self.change} it holds to {self.residual:.0e}"
        term = self.term if self.term.startswith("the ") else f"the term {self.term}"
        return f"{place}{term} disagrees; {self.change} it holds to {self.residual:.0e}"


def alternatives(mends: Sequence[Mend]) -> list[str]:
    """Return a text for each row that has mends; each of them alone makes the row hold."""
    rows = dict.fromkeys(mend.row for mend in mends)
    return ["; or ".join(str(mend) for mend in mends if mend.row == row) for row in rows]


@dataclass(frozen=True)
class _Candidate:
    cost: float
    kind: str
    term: sp.Expr  # 0 for a missing one
    change: str
    own: sp.Expr


def mends(row: Row, world: SymbolSet, sample: Sample, again: Sequence[Sample], small: bool = False) -> list[Mend]:
    """Return the simplest changes of one term that make a failing row hold, found at `sample`, tested at `again`.

    With `small` only slips of the pen are looked for.
    """
    search = _RowSearch(row, world, sample)
    slips = list(search.small())
    for stage in (lambda: slips,) if small else (lambda: slips, search.larger, search.two_factors):
        found = _first(row, sorted(stage(), key=lambda c: c.cost), sample, again, False)
        if found:
            return found
    return _first(row, sorted(slips, key=lambda c: c.cost), sample, again, True)


def _first(
    row: Row, candidates: Sequence[_Candidate], sample: Sample, again: Sequence[Sample], identities: bool
) -> list[Mend]:
    """Return the first of the candidates, by cost, that are confirmed, and those that cost the same."""
    found: list[Mend] = []
    seen: set[sp.Expr] = set()
    for candidate in candidates:
        if len(found) >= SHOWN or (found and candidate.cost > found[0].cost):
            break
        if candidate.own in seen:
            continue
        seen.add(candidate.own)
        mend = _confirmed(row, candidate, sample, again, identities)
        if mend is not None:
            found.append(mend)
    return found


def _confirmed(
    row: Row, candidate: _Candidate, sample: Sample, again: Sequence[Sample], identities: bool
) -> Mend | None:
    """Return the mend if it holds at fresh states too and still says something.

    An identity says nothing about the motion; it is asked for with `identities` where nothing else is found, as what
    is printed may itself be one: two sides that are the same formula written in two ways.
    """
    mended = row.replaced(candidate.own)
    side = candidate.cost < LARGER and any(candidate.term == formula for _, formula in row.named)
    side = side or (identities and len(row.named) > 1 and candidate.own != row.own)
    if not side and not addends(mended.contribution(candidate.own)):
        return None
    if not side and _collapsed(row, mended, sample):
        return None
    try:
        errors = [residual(mended, fresh) for fresh in again]
    except InputError:  # not finite at the fresh states
        return None
    if not all(error <= ROOM * fresh.bound for error, fresh in zip(errors, again, strict=True)):
        return None
    sham = row.other == 0 and not side and not sample.identity
    if sham and is_identity(mended, sample, candidate.cost >= LARGER and _dynamic(row)):
        return None
    labels = {formula: label for label, formula in row.named}
    term = "" if candidate.term == 0 else labels.get(candidate.term, sp.sstr(candidate.term, full_prec=False))
    return Mend(row.label, candidate.kind, term, candidate.change, candidate.own, max(errors), candidate.cost)


def _collapsed(row: Row, mended: Row, sample: Sample) -> bool:
    """Whether more terms of the mended row vanish than of the row, as when one is multiplied by what is always zero."""
    return row.other == 0 and _vanishing(mended, row, sample) > _vanishing(row, row, sample)


def _vanishing(row: Row, measure: Row, sample: Sample) -> int:
    """Return how many terms of a row vanish at all states, beside the scale of another row."""
    values = np.abs(values_of(row, row.terms, sample)) / scale_of(measure, sample)
    return int(np.count_nonzero(~(np.nanmax(values, axis=1) > VANISHING)))


def is_identity(row: Row, sample: Sample, kinematic: bool) -> bool:
    """Whether the row vanishes at arbitrary numbers; with `kinematic`, where quantities follow their definitions."""
    rng = np.random.default_rng(7)
    values: Values = {symbol: rng.uniform(0.3, 1.3, sample.count) for symbol in sample.values}
    if kinematic:
        add_quantities(row.world, values, sample.count)
    memo: Memo = {}
    own = np.abs(table([row.contribution(row.own)], values, sample.count, memo)[0])
    most = np.sum([magnitude(part, values, sample.count, memo) for part in row.parts[:-1]], axis=0)
    if np.any(own > IDENTITY * most):
        return False
    found = table(sp.Add.make_args(sp.Add(*row.added)), values, sample.count)
    return bool(np.all(np.abs(np.sum(found, axis=0)) <= IDENTITY * np.sum(np.abs(found), axis=0)))


def _dynamic(row: Row) -> bool:
    """Whether the row speaks of second rates, multipliers or rates of velocities, which the definitions do not give."""
    world = row.world
    rates = {world.v[x] for x in world.formulas if x not in world.second}
    return row.kind == "rate" or bool(row.own.free_symbols & (set(world.a) | set(world.l) | rates))


class _RowSearch:
    """The candidates for one row at the states of one sample."""

    def __init__(self, row: Row, world: SymbolSet, sample: Sample):
        self.row, self.world, self.sample = row, world, sample
        self.memo: dict[sp.Expr, object] = {}
        sides = [f for _, f in row.named]
        tops = [term for f in sides or [row.own] for term in sp.Add.make_args(f)]
        self.units = [unit for unit in dict.fromkeys([*row.terms, *tops, *sides]) if unit != 0]
        self.parts = values_of(row, self.units, sample, self.memo)
        other = table([row.other], sample.values, sample.count, self.memo)[0]
        self.total = values_of(row, [row.own], sample, self.memo)[0] + row.centred(other, sample)
        good = np.isfinite(self.total)
        self.weight = np.where(good, 1.0 / scale_of(row, sample, self.memo), 0.0)
        self.total = np.where(good, self.total, 0.0)
        self.tolerance = ROOM * sample.bound

    def small(self) -> Iterator[_Candidate]:
        """Coefficients of terms, and small changes of the formula."""
        own = self.row.own
        for unit, part in zip(self.units, self.parts, strict=True):
            c, error = self._fit(part[None], self.total - part)
            if not error[0] <= self.tolerance:
                continue
            value = self._constant(float(c[0]))
            cost, kind, change = _coefficient(value)
            cost += 0.1 if any(unit == formula for _, formula in self.row.named) else 0.0
            yield _Candidate(cost, kind, unit, change, own + (value - 1) * unit)
        for variant in variants(own, self.world):
            total = self._changed(variant.term, variant.new)
            if total is not None and np.max(np.abs(total) * self.weight) <= self.tolerance:
                whole = own - variant.term + variant.new
                yield _Candidate(variant.cost, variant.kind, variant.term, variant.change, whole)

    def larger(self) -> Iterator[_Candidate]:
        """One factor more with a free coefficient, or a term from the pool, missing or in place of another."""
        yield from self.factors()
        yield from self.replaced()

    def factors(self) -> Iterator[_Candidate]:
        """Terms times one factor of the library, with a free coefficient."""
        library, products = self._library()
        for unit, part in zip(self.units, self.parts, strict=True):
            rest = self.total - part
            for k, c in self._matches(products(unit), rest):
                yield self._scaled(unit, library[k], c, 4.0)

    def two_factors(self) -> Iterator[_Candidate]:
        """Terms times two factors of the library, with a free coefficient; not for rows of very many symbols."""
        if self.row.kind == "rate":
            return
        library, _ = self._library(near=True)
        if len(self.units) * len(library) ** 2 > MOST_PAIRS:
            return
        values = table(library, self.sample.values, self.sample.count, self.memo)
        for unit, part in zip(self.units, self.parts, strict=True):
            (single,) = table([unit], self.sample.values, self.sample.count, self.memo)
            for j, factor in enumerate(library):
                with np.errstate(all="ignore"):
                    products = self.row.centred(values[: j + 1] * (values[j] * single), self.sample)
                for k, c in self._matches(products, self.total - part):
                    yield self._scaled(unit, factor * library[k], c, 6.0)

    def replaced(self) -> Iterator[_Candidate]:
        """A missing term, or one in place of another, from a pool of monomials."""
        if self.row.kind == "rate":
            return
        monomials = pool(self.row, self.world, self.sample)
        values = self.row.centred(table(monomials, self.sample.values, self.sample.count, self.memo), self.sample)
        yield from self.missing(monomials[: LARGEST_POOL // 4])
        for unit, part in zip(self.units, self.parts, strict=True):
            for k, c in self._matches(values, self.total - part):
                new = self._constant(c) * monomials[k]
                cost = 4.8 + self._strangeness(monomials[k])
                text = f"as {sp.sstr(new, full_prec=False)}"
                yield _Candidate(cost, "replacement", unit, text, self.row.own - unit + new)

    def missing(self, monomials: list[sp.Expr]) -> Iterator[_Candidate]:
        """A term of the pool times up to three parameters that is missing."""
        values = table(monomials, self.sample.values, self.sample.count, self.memo)
        names = [self.world.p[x] for x in self.world.varied]
        constants = [sp.Mul(*c) for k in range(MOST_PARAMETERS + 1) for c in combinations_with_replacement(names, k)]
        for constant, number in zip(constants, table(constants, self.sample.values, self.sample.count), strict=True):
            for k, c in self._matches(self.row.centred(values * number, self.sample), self.total):
                new = self._constant(c) * constant * monomials[k]
                text = f"with + ({sp.sstr(new, full_prec=False)})"
                cost = 4.5 + self._strangeness(constant * monomials[k])
                yield _Candidate(cost, "missing term", sp.Integer(0), text, self.row.own + new)

    def _strangeness(self, term: sp.Expr) -> float:
        """Return how far a term is from what the row speaks of: symbols that it does not have, and its length."""
        new = term.free_symbols - self.row.own.free_symbols
        values = len(new & set(self.world.q))
        return 0.1 * values + 0.15 * (len(new) - values) + 0.01 * float(sp.count_ops(term))

    def _scaled(self, unit: sp.Expr, factor: sp.Expr, c: float, cost: float) -> _Candidate:
        value = self._constant(c)
        whole = value * factor
        divided = sp.denom(sp.together(factor)).free_symbols
        extra = (0.0 if abs(value) == 1 else 0.5) + (1.0 if divided else 0.0)
        change = f"times {sp.sstr(whole, full_prec=False)}"
        return _Candidate(cost + extra, "missing factor", unit, change, self.row.own + (whole - 1) * unit)

    def _constant(self, c: float) -> sp.Expr:
        """Return a coefficient as a simple fraction, or as one times or over a parameter that is not varied."""
        value = _simple(c)
        if value.is_Rational:
            return value
        for symbol in (x for x in self.world.p if x.name not in self.world.varied):
            number = float(self.sample.values[symbol][0])
            for form, whole in ((symbol, c / number), (1 / symbol, c * number)):
                if _simple(whole).is_Rational:
                    return _simple(whole) * form
        return value

    def _fit(self, candidates: Array, rest: Array) -> tuple[Array, Array]:
        """Return the coefficients c (P,) of least squares for rest + c·candidate = 0, and the errors that stay."""
        x, y = (np.where(self.weight > 0.0, values, 0.0) * self.weight for values in (candidates, rest))
        with np.errstate(all="ignore"):  # a candidate that is infinite at a state has a nan error and is passed over
            c = -(x @ y) / np.sum(x * x, axis=1)
            return c, np.max(np.abs(y + c[:, None] * x), axis=1)

    def _matches(self, candidates: Array, rest: Array) -> list[tuple[int, float]]:
        c, error = self._fit(candidates, rest)
        return [(int(k), float(c[k])) for k in np.flatnonzero(error <= self.tolerance) if c[k] != 0.0]

    def _changed(self, term: sp.Expr, new: sp.Expr) -> Array | None:
        """Return the values (N,) of the row with another term in place of one, None where there are none."""
        change = self.row.contribution(new - term)
        if not change.free_symbols <= self.sample.values.keys():
            return None  # it needs the second rate of a quantity that has none
        values = table([change], self.sample.values, self.sample.count, self.memo)[0]
        values = self.row.centred(np.where(self.weight > 0.0, values, np.nan), self.sample)
        values = np.where(self.weight > 0.0, self.total + values, 0.0)
        return values if np.all(np.isfinite(values)) else None

    def _library(self, near: bool = False) -> tuple[list[sp.Expr], Callable[[sp.Expr], Array]]:
        """Return the factors of the library, and a function that gives what a term times each of them contributes.

        `near` keeps to symbols of the row and to rates.
        """
        library = list(factors(self.row, self.world, self.sample))
        if self.row.kind == "rate":
            library = [e for e in library if self.world.rate(e).free_symbols <= self.sample.values.keys()]
        if near:
            known = self.row.own.free_symbols | set(self.world.v)
            library = [e for e in library if e.free_symbols <= known]
        values = table(library, self.sample.values, self.sample.count, self.memo)
        rates = None
        if self.row.kind == "rate":
            rates = table([self.world.rate(e) for e in library], self.sample.values, self.sample.count, self.memo)

        def products(unit: sp.Expr) -> Array:
            with np.errstate(all="ignore"):
                (value,) = table([unit], self.sample.values, self.sample.count, self.memo)
                if rates is None:
                    return self.row.centred(values * value, self.sample)
                (rate,) = values_of(self.row, [unit], self.sample, self.memo)
                moved: Array = values * rate + rates * value
                return moved

        return library, products


def _simple(c: float) -> sp.Expr:
    """Return a coefficient as a simple fraction if it is one to rounding."""
    near = Fraction(c).limit_denominator(12)
    if abs(float(near) - c) <= CLOSE * max(abs(c), 1.0):
        return sp.Rational(near.numerator, near.denominator)
    return sp.Float(c)


def _coefficient(value: sp.Expr) -> tuple[float, str, str]:
    """Return cost, kind and words for a fitted coefficient."""
    if value == -1:
        return 0.0, "sign", "with the opposite sign"
    if value == 0:
        return 2.5, "superfluous term", "without it"
    if value.is_Rational or value.free_symbols:
        return 1.0 + 0.5 * len(value.free_symbols), "factor", f"times {sp.sstr(value, full_prec=False)}"
    return 3.0, "factor", f"times {float(value):.12g}"
