"""The earliest zero of functions along a step: located by steps of varying length from its beginning."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import scipy

from gauss.foundation.arrays import Array
from gauss.foundation.tolerances import EPS

At = Callable[[float], tuple[float, float]]  # from a time (s) in the step to a value and its rate
ROUNDING = 0.02  # share of what counts as zero which is rounding of a gap at a contact
SAME = 1e-11  # relative to the time, or to that in the step: zeros nearer to each other are one event


@dataclass(frozen=True)
class ZeroCrossing:
    """A located zero: the step length that reaches it and which monitors cross there."""

    h: float
    which: tuple[int, ...]


def earliest(
    look: Callable[[float], tuple[Array, Array]],
    t: float,
    left: float,
    beyond: Mapping[int, float],
    zero: Array,
    kinematic: int,
) -> ZeroCrossing:
    """Return the earliest zero behind `left` (s) in a step from the time t; `beyond` has a time past it by function.

    `look` returns all functions behind a time in the step, those of the user behind the `kinematic` ones, and the rates
    of the gaps, which come first. What counts as `zero` is (k,). A function that still has its sign of `left` where
    another one has its zero comes later.
    """

    def function(i: int) -> At:
        def at(tau: float) -> tuple[float, float]:
            values, rates = look(tau)
            return values.item(i), rates.item(i) if i < len(rates) else float("nan")

        return at

    def expected(i: int) -> float:
        low, end = lows[i], look(beyond[i])[0].item(i)
        return low / (low - end) if low * end < 0.0 else 0.0

    def later(i: int, tau: float) -> bool:
        low, end = lows[i], look(beyond[i])[0].item(i)
        clear = tau < beyond[i] and abs(low) > ROUNDING * zero[i] and low * end < 0.0
        return bool(clear and low * look(tau)[0].item(i) > 0.0)

    def same(tau: float) -> float:
        return SAME * max(abs(t), tau)

    start, rates = look(left)
    lows = {i: start.item(i) for i in beyond}
    roots: dict[int, float] = {}
    first = float("inf")
    for i in sorted(beyond, key=expected) if len(beyond) > 1 else beyond:
        if not roots or not later(i, first + same(first)):
            rounding = ROUNDING * float(zero[i]) if i < kinematic else 0.0
            roots[i] = _root(function(i), left, beyond[i], rounding, i < len(rates))
            first = min(first, roots[i])
    return ZeroCrossing(first, tuple(i for i in beyond if i in roots and roots[i] - first <= same(first)))


def _root(at: At, left: float, right: float, zero: float, with_rates: bool = False) -> float:
    """Return a zero in [left, right] of a value, or `left` where it changes sign there already, within rounding.

    Values up to `zero` at `left` are zero. `at` returns the value and, `with_rates`, that of a gap, which leads to its
    zero sooner.
    """
    end = at(right)[0]
    if end == 0.0:
        return right
    low = at(left)[0]
    if abs(low) <= zero or low * end > 0.0:
        # It leaves zero on the other side and returns: look for that side ever nearer to the left end.
        width = right - left
        for _ in range(60):
            width *= 0.5
            inner = at(left + width)[0]
            if inner * end < 0.0 and abs(inner) > zero:
                left = left + width
                break
        else:
            return left
    found = _by_rates(at, left, right, zero) if with_rates else None
    if found is not None:
        return found

    def value(tau: float) -> float:
        return at(tau)[0]

    return float(
        scipy.optimize.brentq(value, left, right, xtol=1e-3 * EPS * abs(right) + 1e-300, rtol=4.0 * EPS, maxiter=200)
    )


def _by_rates(at: At, left: float, right: float, zero: float) -> float | None:
    """Return a zero in [left, right] by Newton's method, or None where its steps do not lead there ever faster.

    It starts from the cubic through the times at both ends, as functions of the value, and ends where a value up to
    `zero` becomes no smaller any more, which is rounding.
    """
    (low, falls), (end, rises) = at(left), at(right)
    rise, share = end - low, low / (low - end)
    if min(rise * falls, rise * rises) > 0.0:
        tangents = (1.0 - share) / falls - share / rises
        middle = left + share * share * (3.0 - 2.0 * share) * (right - left)
        tau = middle + share * (1.0 - share) * rise * tangents
    else:
        tau = right - end / rises if rises else left
    nearest, before = tau, float("inf")
    while left < tau < right:
        value, rate = at(tau)
        if not rise * rate > 0.0:
            break
        size, following = abs(value), tau - value / rate
        if size < before:
            nearest = tau
        if abs(following - tau) <= 4.0 * EPS * tau or (size <= zero and size >= 0.5 * before):
            return nearest
        if size >= 0.5 * before:
            break
        tau, before = following, size
    return None
