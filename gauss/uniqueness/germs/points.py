"""Which equations vanish on a smooth set or along a branch, by points in general position on it.

"Identically zero" is tested with 77 digits: an analytic function that does not vanish identically vanishes at such a
point with probability zero. That it does not vanish is proved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from flint import arb, arb_series

from gauss.foundation.arrays import Array
from gauss.foundation.threads import precise
from gauss.uniqueness.germs.elimination import Split
from gauss.uniqueness.germs.numbers import MANY_BITS, Noisy, OpenError, ShortError, fine
from gauss.uniqueness.germs.powers import drawn, is_power
from gauss.uniqueness.germs.puiseux import CLOSE, PlaneBranch
from gauss.uniqueness.germs.reduction import Reduction
from gauss.uniqueness.germs.series import Series, plus, times

T = TypeVar("T")
NEAR = tuple(4.0**-k for k in range(1, 7))  # distances of test points, as shares of the radii; tried in turn
SHARP = 0.75  # share of the bits in the last step onto a branch, relative
STEPS = 12  # such steps
TAIL = 1 / 16  # share of a branch that the last terms of its series may be, and of the way to the next that they miss


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


def apart(reduction: Reduction, groups: list[tuple[tuple[int, ...], tuple[int, ...]]]) -> bool:
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


def satisfied(
    reduction: Reduction,
    pair: tuple[int, int],
    e: int,
    equations: list[int],
    branch: PlaneBranch,
    beside: Sequence[PlaneBranch] = (),
) -> bool:
    """Return whether a branch of equation e satisfies the others; its multiplicity is tested, too.

    The points where that is tested are on it and on no other branch of that equation, of which some are `beside`.

    Raises ShortError where the branch parts into several beyond the order reached, OpenError where it is undecided.
    """
    if any(_leaves(reduction, pair, k, branch) for k in equations if k != e):
        return False
    if not branch.open and len(equations) == 1:
        return True
    with precise(MANY_BITS):
        expanded = _nearest(lambda size: _on_branch(reduction, pair, e, branch, beside, size))
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


def _height(branch: PlaneBranch, tau: Any) -> Any:
    """Return the other coordinate of a branch, as far as it is known."""
    return sum((c.value * tau**k for k, c in branch.series.items()), arb(0)).mid()


def _gap(branch: PlaneBranch, beside: Sequence[PlaneBranch], x: Any, y: Any) -> Any:
    """Return how far a point, x being its lead coordinate, is from the other branches that have the same one."""
    gaps = [arb("inf")]
    for other in beside:
        if other is not branch and other.swapped == branch.swapped:
            side, root = other.sign if x > 0 else -other.sign, abs(x).root(other.ramification)
            places = [side * root] if other.ramification % 2 else [root, -root] if side > 0 else []
            gaps += [abs(y - _height(other, tau)).mid() for tau in places]
    return min(gaps)


def _on_branch(
    reduction: Reduction,
    pair: tuple[int, int],
    e: int,
    branch: PlaneBranch,
    beside: Sequence[PlaneBranch],
    size: float,
) -> Reduction:
    """Return the expansion by the other coordinate at a point of a branch.

    The point is where the derivative vanishes that has a simple zero on a branch of this multiplicity.
    """
    lead, other = pair[::-1] if branch.swapped else pair
    mu = branch.multiplicity
    tau = arb(float(0.83 * size * reduction.radii[lead])).root(branch.ramification)
    y = [arb(0)] * reduction.packing.d
    y[lead] = (branch.sign * tau**branch.ramification).mid()
    sizes = {k: abs(c.value * tau**k) for k, c in branch.series.items()}
    y[other] = _height(branch, tau)
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
            if not abs(moved) <= TAIL * _gap(branch, beside, y[lead], y[other] + moved):
                raise OpenError("the series of a branch does not tell it from another so far away")
            return expanded
        point = expanded.near([step])
    raise OpenError("no point on the branch was found")
