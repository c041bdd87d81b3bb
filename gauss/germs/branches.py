"""What the reduced equations g(y) = 0 leave near y = 0: factors, each smooth, an isolated point, or curves of a plane.

Variables that no equation joins, to the order reached, make factors of a product. In one variable an equation that is
not zero identically leaves the point alone. In two variables the branches of one equation are kept that satisfy the
others. In more, a definite quadratic form leaves the point alone, and powers leave smooth sets (`gauss.germs.powers`);
everything else stays open.

"Identically zero", on a manifold or along a branch, is tested with 77 digits at points in general position: an analytic
function that does not vanish identically vanishes there with probability zero. That it does not vanish is proved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

import numpy as np
from flint import arb, arb_series

from gauss.arrays import Array
from gauss.germs.numbers import MANY, Noisy, OpenError, ShortError, fine, precise
from gauss.germs.powers import POINTS, Power, drawn, is_power, power_of
from gauss.germs.puiseux import CLOSE, PlaneBranch, Terms, plane_branches
from gauss.germs.reduction import Reduction, Split
from gauss.germs.series import Series, plus, times

T = TypeVar("T")
NEAR = (1 / 4, 1 / 16, 1 / 64, 1 / 256, 1 / 1024)  # distances of test points, as shares of the radii; tried in turn
EVIDENCE = f"with 77 digits at {POINTS} points in general position"
SHARP = 0.75  # share of the bits in the last step onto a branch, relative
STEPS = 12  # such steps
TAIL = 1 / 16  # share of the last terms of a branch's series where it leads to a point on this branch, not another


@dataclass(frozen=True)
class Factor:
    """The set in some of the free variables, the others being held."""

    kind: str  # "smooth", "isolated", "curves", "open"
    variables: tuple[int, ...]  # positions among the free coordinates
    branches: tuple[PlaneBranch, ...]
    proved: bool
    why: str
    power: Power | None = None  # of a smooth set on which an equation vanishes as a power


def factors_of(reduction: Reduction) -> list[Factor]:
    """Return the factors of the set. Raises OpenError, ShortError."""
    _require_vanishing(reduction)
    d, count = reduction.packing.d, len(reduction.equations)
    groups = _groups(reduction, (False, None))
    fewer = _groups(reduction, (False,))
    if d > 2 and fewer and fewer != groups and _apart(reduction, fewer):  # what is undecided joins nothing
        groups = fewer
    elif not groups:
        if vanish(reduction, range(d), range(count)):
            return [_smooth(range(d))]
        if d == 1:
            why = f"an equation is not zero identically, but to order {reduction.packing.degree}"
            return [Factor("isolated", (0,), (), True, why)]
        if d > 2:
            return [_power(reduction, tuple(range(d)), tuple(range(count)))]
        raise ShortError(f"the equations are zero to order {reduction.packing.degree}, but not identically")
    elif d == 2 or len(groups[0][0]) == d:  # what knows of terms beyond the order gets the equations without others
        groups = [(tuple(range(d)), tuple(range(count)))]
    elif not _apart(reduction, groups):
        raise ShortError("an equation depends on further coordinates beyond the order reached")
    found = [_factor(reduction, variables, equations) for variables, equations in groups]
    joined = {i for variables, _ in groups for i in variables}
    loose = [i for i in range(d) if i not in joined]
    if loose:
        found.append(Factor("smooth", tuple(loose), (), False, f"no equation depends on the others, {EVIDENCE}"))
    return found


def _smooth(variables: Sequence[int]) -> Factor:
    return Factor("smooth", tuple(variables), (), False, f"the rows left over vanish with the others, {EVIDENCE}")


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


def _factor(reduction: Reduction, variables: tuple[int, ...], equations: tuple[int, ...]) -> Factor:
    given = {e: _terms(reduction, e, variables) for e in equations}
    if len(variables) == 1:
        order = min((k[0] for terms in given.values() for k, c in terms.items() if c.zero is False), default=None)
        if order is None:
            if vanish(reduction, variables, equations):
                return _smooth(variables)
            return Factor("isolated", variables, (), True, "an equation is not zero identically")
        return Factor("isolated", variables, (), True, f"an equation starts with the power {order} of one coordinate")
    for terms in given.values():
        if _definite(terms, len(variables)) or _sum_of_powers(terms, len(variables)):
            return Factor("isolated", variables, (), True, "an equation starts with a definite form")
    if len(variables) > 2:
        return _power(reduction, variables, equations)
    return _plane(reduction, (variables[0], variables[1]), given)  # type: ignore[arg-type]


def _power(reduction: Reduction, variables: tuple[int, ...], equations: tuple[int, ...]) -> Factor:
    """Return the smooth set on which one equation vanishes as a power, if the others vanish there too."""
    failure = OpenError(f"{len(variables)} coordinates are joined by {len(equations)} equations")
    for e in equations:
        try:
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
        return Factor("smooth", variables, (), False, why, found)
    raise failure


def _vanish_with(reduction: Reduction, found: Power, equations: Sequence[int]) -> bool:
    """Return whether equations vanish on a set, at a point in general position on each of its sheets."""
    place = NEAR[1] * drawn(1, reduction.packing.d)[0] * reduction.radii
    rows, opposite = [reduction.split.rest[k] for k in equations], found.sheets > 1 and found.exponent % 2
    for y in ([arb(float(x)) for x in side * place] for side in ((1, -1) if opposite else (1,))):
        try:
            with precise(MANY):
                points = [reduction.near(at) for at in found.all_at(y)]
        except OpenError:
            if opposite:  # a wedge has no points on the other side of its edge
                continue
            raise
        values = [reduction.rows.values([Series.of(x.value, x.noise, 1) for x in at], rows, 1) for at in points]
        return all(value.coefficient(0).zero is True for own in values for value in own)
    raise OpenError("no point on a wedge was found")


def _plane(reduction: Reduction, pair: tuple[int, int], given: dict[int, Terms]) -> Factor:
    """Return the branches of one equation that satisfy the others; the one of lowest order is tried first."""
    failures: list[OpenError] = []

    def order(e: int) -> int:
        return min((sum(k) for k, c in given[e].items() if c.zero is False), default=reduction.packing.degree + 1)

    for e in sorted(given, key=order):
        try:
            candidates = plane_branches(given[e], reduction.packing.degree)
            kept = [b for b in candidates if satisfied(reduction, pair, e, list(given), b)]
        except OpenError as error:
            failures.append(error)
            continue
        tested = any(b.open for b in kept) or (len(given) > 1 and bool(kept))
        name = reduction.rows.names[reduction.split.rest[e]]
        if not kept:
            left = f"; none of the {len(candidates)} satisfies the other equations" if candidates else ""
            count = "real branches" if candidates else "no real branch"
            why = f"the Newton polygon of row {name!r} has {count}{left}"
            return Factor("isolated", pair, (), True, why)
        why = f"the Newton polygon of row {name!r} separates {len(candidates)} real branches"
        if tested:
            why += f"; {len(kept)} satisfy every equation, by 77 digits at a point in general position"
        return Factor("curves", pair, tuple(kept), not tested, why)
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


# --- tests at points in general position -----------------------------------------------------------------------------


def vanish(reduction: Reduction, variables: Sequence[int], equations: Sequence[int]) -> bool:
    """Return whether equations vanish where some variables take values in general position and the others are zero.

    Raises OpenError where that is undecided.
    """
    zeros = [
        value.zero
        for share in drawn(1, reduction.packing.d)
        for value in _values(reduction, share, variables, equations)
    ]
    if False not in zeros and None in zeros:
        raise OpenError(CLOSE)
    return False not in zeros


def _apart(reduction: Reduction, groups: list[tuple[tuple[int, ...], tuple[int, ...]]]) -> bool:
    """Return whether the equations of each group depend on its variables alone, at points in general position.

    Equations and variables in no group are as those of another group.
    """
    used = {e for _, equations in groups for e in equations}
    groups = [*groups, ((), tuple(e for e in range(len(reduction.equations)) if e not in used))]
    for share in drawn(1, reduction.packing.d):
        for variables, equations in groups:
            alone = _values(reduction, share, variables, equations)
            together = _values(reduction, share, range(reduction.packing.d), equations)
            for a, b in zip(alone, together, strict=True):
                if Noisy(a.value - b.value, a.noise + b.noise).zero is not True:
                    return False
    return True


def _values(reduction: Reduction, share: Array, variables: Sequence[int], equations: Sequence[int]) -> list[Noisy]:
    """Return equations where the variables are shares of a distance, and the others zero."""

    def point(size: float) -> list[Noisy]:
        y = [arb(0)] * reduction.packing.d
        for i in variables:
            y[i] = arb(float(size * share[i] * reduction.radii[i]))
        return reduction.near(y)

    at = [Series.of(x.value, x.noise, 1) for x in _nearest(point)]
    rows = [reduction.split.rest[e] for e in equations]
    return [value.coefficient(0) for value in reduction.rows.values(at, rows, 1)]


def _nearest(attempt: Callable[[float], T]) -> T:
    """Return what an attempt gives at the largest distance at which it succeeds. Raises ShortError."""
    for share in NEAR:
        try:
            return attempt(share)
        except OpenError as error:
            failure = error
    raise ShortError(f"{failure}")


def satisfied(reduction: Reduction, pair: tuple[int, int], e: int, equations: list[int], branch: PlaneBranch) -> bool:
    """Return whether a branch of equation e satisfies the others; its multiplicity is tested, too.

    Raises ShortError where the branch parts into several beyond the order reached, OpenError where it is undecided.
    """
    if any(_leaves(reduction, pair, k, branch) for k in equations if k != e):
        return False
    if not branch.open and len(equations) == 1:
        return True
    with precise(MANY):
        expanded = _nearest(lambda size: _on_branch(reduction, pair, e, branch, size))
        values = [expanded.equations[e].value[k] for k in range(branch.multiplicity + 1)]
        single = is_power(values, NEAR[-1] * reduction.radii[pair[0] if branch.swapped else pair[1]])
    if not single:
        raise ShortError("branches that are one to the order reached part beyond it")
    others = [expanded.equations[k].coefficient(0).zero for k in equations if k != e]
    if any(zero is False for zero in others):
        return False
    if None in others:
        raise OpenError(CLOSE)
    return True


def _leaves(reduction: Reduction, pair: tuple[int, int], equation: int, branch: PlaneBranch) -> bool:
    """Return whether an equation has a coefficient along a branch that is not zero for sure.

    Raises OpenError where one is undecided.
    """
    lead, other = pair[::-1] if branch.swapped else pair
    terms = [
        (powers[lead], powers[other], place)
        for powers, place in reduction.packing.monomials
        if powers[lead] + powers[other] == sum(powers) > 1
    ]
    given = reduction.equations[equation]
    e = branch.ramification
    length = min(branch.known + e, e * (reduction.packing.degree + 1))  # equations have no terms of first order
    y = np.zeros(length)
    coefficients = [arb(0)] * length
    for k, c in branch.series.items():
        coefficients[k], y[k] = c.value, c.noise
    series = {0: Series.of(arb(1), 0.0, length)}
    series[1] = Series(arb_series(coefficients, length), y)
    total = Series.of(arb(0), 0.0, length)
    for a, b, place in terms:
        c = given.coefficient(place)
        if (a + b) * e < length and (c.noise or not c.value.is_zero()):
            for k in range(2, b + 1):
                series[k] = series.get(k) or times(series[k - 1], series[1])
            lifted = np.zeros(length)
            lifted[a * e] = c.noise
            factor = Series(arb_series([0] * (a * e) + [c.value * branch.sign**a], length), lifted)
            total = plus(total, times(factor, series[b]))
    zeros = [total.coefficient(k).zero for k in range(length)]
    if False not in zeros and None in zeros:
        raise OpenError(CLOSE)
    return False in zeros


def _on_branch(reduction: Reduction, pair: tuple[int, int], e: int, branch: PlaneBranch, size: float) -> Reduction:
    """Return the expansion by the other coordinate at a point of a branch.

    The point is where the derivative vanishes that has a simple zero on a branch of this multiplicity.
    """
    lead, other = pair[::-1] if branch.swapped else pair
    mu = branch.multiplicity
    tau = arb(float(0.83 * size * reduction.radii[lead])).root(branch.ramification)
    y = [arb(0)] * reduction.packing.d
    y[lead] = (branch.sign * tau**branch.ramification).mid()
    sizes = {k: abs(c.value * tau**k) for k, c in branch.series.items()}
    y[other] = sum((c.value * tau**k for k, c in branch.series.items()), arb(0)).mid()
    last = sum((x for k, x in sizes.items() if k >= branch.known - branch.ramification), arb(0)).mid()
    if not last <= TAIL * sum(sizes.values(), arb(0)):
        raise OpenError("the series of a branch does not reach so far")
    point = reduction.near(y)
    split = reduction.split
    alone = Split(split.solving, split.solved, split.rest, (split.free[other],))
    allowed = 2 * last + arb(size) ** 2 * (abs(y[other]) + arb(float(size * reduction.radii[other])))
    moved = arb(0)
    for _ in range(STEPS):
        expanded = Reduction.at(reduction.rows, alone, reduction.enclosed(point), mu)
        own = expanded.equations[e].value
        if own[mu].contains(0):
            raise OpenError("no point on the branch was found")
        step = (-own[mu - 1] / (mu * own[mu])).mid()
        moved = moved + step
        if not abs(moved) <= allowed:
            raise OpenError("no point on the branch was found")
        if abs(step) <= fine(SHARP) * allowed:
            return expanded
        point = expanded.near([step])
    raise OpenError("no point on the branch was found")
