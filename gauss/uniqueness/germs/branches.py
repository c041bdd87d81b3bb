"""What the reduced equations g(y) = 0 leave near y = 0: factors, each smooth, an isolated point, or curves of a plane.

Variables that no equation joins, to the order reached, make factors of a product. In one variable an equation that is
not zero identically leaves the point alone. In two variables the branches of one equation are kept that satisfy the
others. In more, a definite quadratic form leaves the point alone, and powers leave smooth sets
(`gauss.uniqueness.germs.powers`); everything else stays open.

What vanishes identically is told by points in general position (`gauss.uniqueness.germs.points`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from gauss.foundation.threads import precise
from gauss.uniqueness.germs.numbers import MANY_BITS, Noisy, OpenError, ShortError, is_zero
from gauss.uniqueness.germs.points import NEAR, apart, satisfied, vanish
from gauss.uniqueness.germs.powers import POINTS, Power, drawn, power_of
from gauss.uniqueness.germs.puiseux import PlaneBranch, Terms, plane_branches
from gauss.uniqueness.germs.reduction import Reduction
from gauss.uniqueness.germs.series import Series

EVIDENCE = f"with 77 digits at {POINTS} points in general position"


@dataclass(frozen=True)
class Slice:
    """The set in some of the free variables, the others being held."""

    kind: str  # "smooth", "isolated", "curves", "open"
    variables: tuple[int, ...]  # positions among the free coordinates
    branches: tuple[PlaneBranch, ...]
    proved: bool
    why: str
    power: Power | None = None  # of a smooth set on which an equation vanishes as a power


def factors_of(reduction: Reduction, last: bool = True) -> list[Slice]:
    """Return the factors of the set. Raises OpenError, ShortError.

    Unless it is the `last` order, no equation vanishes for being zero near by: of a high power there is less than the
    noise of lower terms, but its own coefficients have little noise.
    """
    _require_vanishing(reduction)
    d, count = reduction.packing.d, len(reduction.equations)
    groups = _groups(reduction, (False, None))
    fewer = _groups(reduction, (False,))
    if d > 2 and fewer and fewer != groups and apart(reduction, fewer):  # what is undecided joins nothing
        groups = fewer
    elif not groups:
        if vanish(reduction, range(d), range(count)):
            return [_smooth_at(reduction, range(d), last)]
        if d == 1:
            why = f"an equation is not zero identically, but to order {reduction.packing.degree}"
            return [Slice("isolated", (0,), (), True, why)]
        if d > 2:
            return [_power(reduction, tuple(range(d)), tuple(range(count)))]
        raise ShortError(f"the equations are zero to order {reduction.packing.degree}, but not identically")
    elif d == 2 or len(groups[0][0]) == d:  # what knows of terms beyond the order gets the equations without others
        groups = [(tuple(range(d)), tuple(range(count)))]
    elif not apart(reduction, groups):
        raise ShortError("an equation depends on further coordinates beyond the order reached")
    found = [_factor(reduction, variables, equations, last) for variables, equations in groups]
    joined = {i for variables, _ in groups for i in variables}
    loose = [i for i in range(d) if i not in joined]
    if loose:
        found.append(Slice("smooth", tuple(loose), (), False, f"no equation depends on the others, {EVIDENCE}"))
    return found


def _smooth_at(reduction: Reduction, variables: Sequence[int], last: bool) -> Slice:
    """Return a smooth set on which equations vanish near by. Raises ShortError where more orders can be asked."""
    if not last:
        raise ShortError(f"the equations are zero to order {reduction.packing.degree}")
    return Slice("smooth", tuple(variables), (), False, f"the rows left over vanish with the others, {EVIDENCE}")


def _require_vanishing(reduction: Reduction) -> None:
    """Raise OpenError where a row left over does not vanish at the point, or not to first order."""
    lowest = [place for powers, place in reduction.packing.monomials if sum(powers) <= 1]
    for k, equation in enumerate(reduction.equations):
        name = reduction.rows.names[reduction.split.rest[k]]
        if equation.coefficient(0).zero is not True:
            raise OpenError(f"the state is off row {name!r}; project it, or give its uncertainty")
        if any(equation.coefficient(place).zero is not True for place in lowest):
            raise OpenError(f"the rank is open: row {name!r} is nearly independent of the others")


def _groups(reduction: Reduction, joining: Sequence[bool | None]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return sets of variables that terms of equations join, with these equations; terms whose `zero` is `joining`."""
    groups: list[tuple[set[int], set[int]]] = []
    for k, equation in enumerate(reduction.equations):
        variables: set[int] = set()
        for powers, place in reduction.packing.monomials:
            if sum(powers) > 1 and equation.coefficient(place).zero in joining:
                variables |= {i for i, a in enumerate(powers) if a}
        if variables:
            touching = [group for group in groups if group[0] & variables]
            groups = [group for group in groups if group not in touching]
            merged = variables.union(*(group[0] for group in touching)), {k}.union(*(group[1] for group in touching))
            groups.append(merged)
    return [(tuple(sorted(v)), tuple(sorted(e))) for v, e in groups]


def _terms(reduction: Reduction, equation: int, variables: Sequence[int]) -> dict[tuple[int, ...], Noisy]:
    """Return the coefficients of an equation by the exponents of some variables, without orders 0 and 1."""
    found = {}
    for powers, place in reduction.packing.monomials:
        if sum(powers) > 1 and sum(powers[i] for i in variables) == sum(powers):
            found[tuple(powers[i] for i in variables)] = reduction.equations[equation].coefficient(place)
    return found


def _factor(reduction: Reduction, variables: tuple[int, ...], equations: tuple[int, ...], last: bool) -> Slice:
    given = {e: _terms(reduction, e, variables) for e in equations}
    if len(variables) == 1:
        order = min((k[0] for terms in given.values() for k, c in terms.items() if c.zero is False), default=None)
        if order is None:
            if not vanish(reduction, variables, equations):
                return Slice("isolated", variables, (), True, "an equation is not zero identically")
            if last:
                raise OpenError("a coefficient that decides is near the rounding of the model's numbers")
            raise ShortError(f"an equation may be zero to order {reduction.packing.degree}")
        return Slice("isolated", variables, (), True, f"an equation starts with the power {order} of one coordinate")
    for terms in given.values():
        if _definite(terms, len(variables)) or _sum_of_powers(terms, len(variables)):
            return Slice("isolated", variables, (), True, "an equation starts with a definite form")
    if len(variables) > 2:
        return _power(reduction, variables, equations)
    return _plane(reduction, (variables[0], variables[1]), given)  # type: ignore[arg-type]


def _power(reduction: Reduction, variables: tuple[int, ...], equations: tuple[int, ...]) -> Slice:
    """Return the smooth set on which one equation vanishes as a power, if the others vanish there too."""
    failure = OpenError(f"{len(variables)} coordinates are joined by {len(equations)} equations")
    for e in equations:
        try:
            if _indefinite(_terms(reduction, e, variables), len(variables)):
                raise OpenError("an equation is a difference of squares")
            found = power_of(reduction, e, variables)
        except OpenError as error:
            failure = OpenError(f"{failure}; {error}")
            continue
        rest = [k for k in equations if k != e]
        if rest and not _vanish_with(reduction, found, rest):
            failure = OpenError(f"{failure}; another equation does not vanish with it")
            continue
        name = reduction.rows.names[reduction.split.rest[e]]
        sheets = "the difference of two powers" if found.sheets > 1 else "a power on a smooth set"
        why = f"row {name!r} vanishes as {sheets}, with 300 digits at {POINTS} points in general position"
        return Slice("smooth", variables, (), False, why, found)
    raise failure


def _vanish_with(reduction: Reduction, found: Power, equations: Sequence[int]) -> bool:
    """Return whether equations vanish on a set, at a point in general position on each of its sheets."""
    place = NEAR[1] * drawn(1, reduction.packing.d)[0] * reduction.radii
    rows, opposite = [reduction.split.rest[k] for k in equations], found.sheets > 1 and found.exponent % 2
    for y in ([arb(float(x)) for x in side * place] for side in ((1, -1) if opposite else (1,))):
        try:
            with precise(MANY_BITS):
                points = [reduction.near(at) for at in found.all_at(y)]
        except OpenError:
            if opposite:  # a wedge has no points on the other side of its edge
                continue
            raise
        values = [reduction.rows.values([Series.of(x.value, x.noise, 1) for x in at], rows, 1) for at in points]
        return all(value.coefficient(0).zero is True for own in values for value in own)
    raise OpenError("no point on a wedge was found")


def _plane(reduction: Reduction, pair: tuple[int, int], given: dict[int, Terms]) -> Slice:
    """Return the branches of one equation that satisfy the others; the one of lowest order is tried first."""
    failures: list[OpenError] = []

    def order(e: int) -> int:
        return min((sum(k) for k, c in given[e].items() if c.zero is False), default=reduction.packing.degree + 1)

    for e in sorted(given, key=order):
        try:
            candidates = plane_branches(given[e], reduction.packing.degree, reduction.least)
            kept = [b for b in candidates if satisfied(reduction, pair, e, list(given), b, candidates)]
        except OpenError as error:
            failures.append(error)
            continue
        tested = any(b.open for b in kept) or (len(given) > 1 and bool(kept))
        name = reduction.rows.names[reduction.split.rest[e]]
        if not kept:
            left = f"; none of the {len(candidates)} satisfies the other equations" if candidates else ""
            count = "real branches" if candidates else "no real branch"
            why = f"the Newton polygon of row {name!r} has {count}{left}"
            return Slice("isolated", pair, (), True, why)
        why = f"the Newton polygon of row {name!r} separates {len(candidates)} real branches"
        if tested:
            why += f"; {len(kept)} satisfy every equation, by 77 digits at a point in general position"
        return Slice("curves", pair, tuple(kept), not tested, why)
    raise next((error for error in failures if isinstance(error, ShortError)), failures[0])


def _definite(terms: dict[tuple[int, ...], Noisy], d: int) -> bool:
    """Return whether the terms of second order are a definite form: all pivots of one sign, which is sure."""

    def entry(i: int, j: int) -> Noisy:
        powers = tuple((k == i) + (k == j) for k in range(d))
        c = terms[powers]
        return c if i == j else Noisy(c.value / 2, c.noise / 2)

    S = [[entry(i, j) for j in range(d)] for i in range(d)]
    signs = set()
    for i in range(d):
        if S[i][i].zero is not False:
            return False
        signs.add(bool(S[i][i].value > 0))
        for j in range(i + 1, d):
            share = S[j][i].value / S[i][i].value
            size, pivot = abs(float(share.mid())), abs(float(S[i][i].value.mid()))
            doubt = (S[j][i].noise + size * S[i][i].noise) / pivot
            for k in range(i + 1, d):
                noise = S[j][k].noise + size * S[i][k].noise + doubt * abs(float(S[i][k].value.mid()))
                S[j][k] = Noisy(S[j][k].value - share * S[i][k].value, noise)
    return len(signs) == 1


def _indefinite(terms: dict[tuple[int, ...], Noisy], d: int) -> bool:
    """Return whether the terms of second order in two of the variables have both signs, for sure.

    Powers, sums of powers of one sign, and F² − G^p with p > 2 have no such terms.
    """

    def entry(i: int, j: int) -> Noisy:
        return terms[tuple((k == i) + (k == j) for k in range(d))]

    if not any(sum(powers) == 2 for powers in terms):  # the series end before
        return False
    for i in range(d):
        for j in range(i):
            one, other, mixed = entry(i, i), entry(j, j), entry(i, j)
            a, b, c = (abs(float(x.value.mid())) + x.noise for x in (one, other, mixed))
            noise = 4.0 * (a * other.noise + b * one.noise) + 2.0 * c * mixed.noise
            inside = mixed.value**2 - 4 * one.value * other.value
            if inside > 0 and is_zero(inside, noise) is False:
                return True
    return False


def _sum_of_powers(terms: dict[tuple[int, ...], Noisy], d: int) -> bool:
    """Return whether even powers of every variable, of one sign, outweigh all other terms, known or not."""
    powers, signs = [], set()
    for i in range(d):
        alone = [(a[i], c) for a, c in terms.items() if a[i] == sum(a) and c.zero is not True]
        if not alone:
            return False
        power, c = min(alone, key=lambda entry: entry[0])
        if power % 2 or c.zero is None:
            return False
        powers.append(power)
        signs.add(bool(c.value > 0))
    above = [a for a, c in terms.items() if c.zero is not True and sum(k > 0 for k in a) > 1]
    return len(signs) == 1 and all(sum(Fraction(k, p) for k, p in zip(a, powers, strict=True)) > 1 for a in above)
