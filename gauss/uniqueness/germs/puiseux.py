"""All real branches of a plane curve g(x, y) = 0 at the origin, from its power series (Newton and Puiseux).

Each edge of the Newton polygon belongs to branches y ≈ c x^(p/q); with x = ±τ^q, y = τ^p (c + y') the real roots c of
the edge's polynomial give the starts, and a simple root gives one smooth branch y'(τ). At a root of multiplicity μ the
curve y'(τ) on which the (μ−1)th derivative by y' vanishes is taken as the new axis, and the polygon of what is left
separates the branches. The coordinate x is the one of the two whose order in τ is the lower one, so that it is ±τ^e.

Only coefficients decide that are known: an edge counts when no coefficient beyond the truncation can lie on it, on its
continuation, or below. A polygon that ends above the axis leaves a factor yʲ to the order of the truncation. For j = 1
that is one smooth branch; for j ≥ 2 one branch of that multiplicity, or several which part at a higher order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb, gcd

from flint import arb

from gauss.uniqueness.germs.numbers import Noisy, OpenError, ShortError
from gauss.uniqueness.germs.roots import real_roots

Terms = dict[tuple[int, int], Noisy]  # coefficients of x^i y^j
THIRD = 3  # order in the lead coordinate to which branches are expanded at least, if they are known that far

NOTHING = Noisy(arb(0), 0.0)
CLOSE = "a coefficient that decides how the branches part is near the rounding of the model's numbers"


@dataclass(frozen=True)
class PlaneBranch:
    """One real branch: the lead coordinate is sign·τ^e, the other Σ series[k] τ^k, for τ of both signs."""

    swapped: bool  # the lead coordinate is y, not x
    sign: int
    ramification: int  # e
    series: dict[int, Noisy]
    known: int  # powers of τ below this one are complete
    multiplicity: int
    open: bool  # branches may part beyond the truncation (multiplicity above 1)


@dataclass(frozen=True)
class _Stage:
    """The curve in new coordinates: lead = sign·τ^e, other = series(τ) + factor·τ^power·y'."""

    terms: Terms  # of g(τ, y')
    known: int  # powers of τ below this one are complete
    swapped: bool
    sign: int
    e: int
    factor: int
    power: int
    series: dict[int, Noisy]

    def stretched(self, q: int, sign: int) -> _Stage:
        """Return the stage with τ replaced by sign·τ^q; its terms are left to the caller."""
        series = {q * k: _signed(c, sign**k) for k, c in self.series.items()}
        factor = self.factor * sign**self.power
        return replace(
            self, sign=self.sign * sign**self.e, e=self.e * q, factor=factor, power=self.power * q, series=series
        )

    def shifted(self, k: int, c: Noisy) -> _Stage:
        """Return the stage with y' replaced by y' + c τ^k."""
        terms, added = _shifted(self.terms, k, c, self.known), _signed(c, self.factor)
        before = self.series.get(self.power + k, NOTHING)  # of a shift to the mean of several branches
        both = Noisy(before.value + added.value, before.noise + added.noise)
        return replace(self, terms=terms, series={**self.series, self.power + k: both})

    def unsure(self, k: int, noise: float) -> _Stage:
        """Return the stage with more noise of the coefficient of τ^k, which is zero within it."""
        before = self.series.get(self.power + k, NOTHING)
        return replace(self, series={**self.series, self.power + k: Noisy(before.value, before.noise + noise)})


@dataclass(frozen=True)
class _Start:
    """A branch that is parted from the others: it lies along the axis y' = 0 of a stage."""

    stage: _Stage
    lowest: int  # power of τ in the leading term τ^lowest y'^multiplicity
    multiplicity: int

    def branch(self, order: int) -> PlaneBranch:
        """Return the branch to an order in its lead coordinate. Raises ShortError."""
        end = max(order * self.stage.e + 2 - self.stage.power, 1)
        stage, reached = _solved(self.stage, self.lowest, self.multiplicity, end)
        known = stage.power + reached
        if known <= 2 * stage.e:
            raise ShortError("the branches are known to the first order alone")
        series = {k: c for k, c in stage.series.items() if k < known}
        return PlaneBranch(stage.swapped, stage.sign, stage.e, series, known, self.multiplicity, self.multiplicity > 1)


def _signed(c: Noisy, sign: int) -> Noisy:
    return c if sign > 0 else Noisy(-c.value, c.noise)


def plane_branches(terms: Terms, degree: int, least: int = THIRD) -> list[PlaneBranch]:
    """Return all real branches of the curve with the given terms to a total degree. Raises OpenError, ShortError.

    They are expanded to beyond the order at which they part, and to a `least` one, if they are known so far.
    """
    found: list[_Start] = []
    for swapped in (False, True):
        given = {(j, i): c for (i, j), c in terms.items()} if swapped else terms
        points = [place for place, c in given.items() if c.zero is False]
        if not points:
            raise ShortError("the equation vanishes to this order")
        stage = _Stage(given, degree + 1, swapped, 1, 1, 1, 0, {})
        for edge in _edges(points):
            p, q, w = _slope(edge)
            _require_decided(given, edge)
            if w > degree * min(p, q):
                raise ShortError("coefficients beyond the order reached could change the Newton polygon")
            if p > q or (p == q and not swapped):  # the others are those of the other side
                found += _along(stage, edge, q * (degree + 1) - w)
        found += _last(stage, points, degree + 1)
    parted = max((-(-start.stage.power // start.stage.e) for start in found), default=0)
    return [start.branch(max(least, parted)) for start in found]


def _edges(points: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Return the compact edges of the Newton polygon from the leftmost point down, each by its two end points."""
    edges = []
    here = min(points)
    while lower := [point for point in points if point[1] < here[1]]:
        slopes = {point: Fraction(point[0] - here[0], here[1] - point[1]) for point in lower}
        flattest = min(slopes.values())
        end = min((point for point in lower if slopes[point] == flattest), key=lambda point: point[1])
        edges.append([here, end])
        here = end
    return edges


def _slope(edge: list[tuple[int, int]]) -> tuple[int, int, int]:
    """Return p, q, w of an edge on q i + p j = w."""
    (i0, j0), (i1, j1) = edge
    common = gcd(i1 - i0, j0 - j1)
    p, q = (i1 - i0) // common, (j0 - j1) // common
    return p, q, q * i0 + p * j0


def _require_decided(terms: Terms, edge: list[tuple[int, int]]) -> None:
    """Raise OpenError for a coefficient below an edge, or on its line beyond its ends, that is not zero for sure."""
    p, q, w = _slope(edge)
    (_, j0), (_, j1) = edge
    for (i, j), c in terms.items():
        height = q * i + p * j
        if c.zero is None and (height < w or (height == w and not j1 <= j <= j0)):
            raise OpenError(CLOSE)


def _along(stage: _Stage, edge: list[tuple[int, int]], known: int) -> list[_Start]:
    """Return the branches that start along an edge; `known` counts the powers of the new τ that are complete."""
    p, q, w = _slope(edge)
    (_, j0), (i1, j1) = edge
    found = []
    for sign in (1,) if q % 2 else (1, -1):
        steps = range((j0 - j1) // q + 1)
        places = [(i1 - p * m, j1 + q * m) for m in steps]
        polynomial = [_signed(stage.terms.get(place, NOTHING), sign ** place[0]) for place in places]
        for root in real_roots(polynomial):
            z, noise = root.at.value, root.at.noise
            if q % 2 == 0 and not z > 0:
                continue
            size = abs(z).root(q)
            c = Noisy((size if z > 0 else -size).mid(), noise * abs(float((size / z).mid())) / q)
            new = stage.stretched(q, sign)
            terms = {
                (q * i + p * j - w, j): _signed(x, sign**i)
                for (i, j), x in stage.terms.items()
                if 0 <= q * i + p * j - w < known
            }
            new = replace(new, terms=terms, known=known, power=new.power + p).shifted(0, c)
            kept = {place: x for place, x in new.terms.items() if place[0] > 0 or place[1] >= root.multiplicity}
            found += _beyond(replace(new, terms=kept), root.multiplicity)
    return found


def _beyond(stage: _Stage, multiplicity: int) -> list[_Start]:
    """Return the branches of a curve that meets the axis τ = 0 with the given multiplicity, at the origin."""
    if multiplicity == 1:
        return [_Start(stage, 0, 1)]
    stage, _ = _solved(stage, 0, multiplicity, stage.known)
    points = [place for place, c in stage.terms.items() if c.zero is False]
    found = []
    for edge in _edges(points):
        _, q, w = _slope(edge)
        _require_decided(stage.terms, edge)
        if w >= q * stage.known:
            raise ShortError("coefficients beyond the order reached could change the Newton polygon")
        found += _along(stage, edge, q * stage.known - w)
    return found + _last(stage, points, stage.known)


def _last(stage: _Stage, points: list[tuple[int, int]], known: int) -> list[_Start]:
    """Return the branch along the axis y' = 0, where the polygon ends above it."""
    j, i = min((point[1], point[0]) for point in points)
    if j == 0:
        return []
    if j > 1 and any(c.zero is None for place, c in stage.terms.items() if place[1] < j):
        raise OpenError(CLOSE)
    first = stage.power == 0 and known == stage.known  # there, terms are known to a total degree
    stage = replace(stage, known=known - (j - 1) if first else known)
    return [_Start(stage, i, j)]


def _solved(stage: _Stage, i: int, j: int, end: int) -> tuple[_Stage, int]:
    """Move the axis to the curve on which the (j−1)th derivative by y' vanishes, τ^i y'^j being its leading term.

    This gives the powers of τ below `end`, or as far as the terms are known; the second result says how far.
    """
    leading = stage.terms[i, j]
    end = min(end, stage.known - i)
    for k in range(1, end):
        term = stage.terms.get((i + k, j - 1))
        if term is None:
            continue
        value = (-term.value / (j * leading.value)).mid()
        size = abs(float(value))
        noise = (term.noise / j + size * leading.noise) / abs(float(leading.value.mid()))
        if term.zero is True:
            stage = stage.unsure(k, noise)
            continue
        stage = stage.shifted(k, Noisy(value, noise))
        stage.terms.pop((i + k, j - 1), None)
    return stage, end


def _shifted(terms: Terms, k: int, c: Noisy, known: int) -> Terms:
    """Return the terms with y replaced by y + c τ^k, below the power `known` of τ."""
    size = abs(float(c.value.mid()))
    found: Terms = {}
    powers = [arb(1)]
    for _ in range(max((j for _, j in terms), default=0)):
        powers.append(powers[-1] * c.value)
    for (i, j), term in terms.items():
        height = abs(float(term.value.mid()))
        for m in range(j + 1):  # the power of c
            place = (i + k * m, j - m)
            if place[0] >= known:
                break
            count = comb(j, m)
            value = term.value * (count * powers[m])
            noise = count * (term.noise * size**m + (height * m * size ** (m - 1) * c.noise if m else 0.0))
            before = found.get(place)
            found[place] = Noisy(value, noise) if before is None else Noisy(before.value + value, before.noise + noise)
    return found
