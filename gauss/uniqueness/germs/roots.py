"""All real roots of a polynomial with their multiplicities, its coefficients being known up to their noise.

Between two neighbouring roots of its derivative a polynomial is monotone: it has one simple root there if its signs at
the two differ, and none otherwise. Where it vanishes at a root of its derivative, that root is one of its own, with a
multiplicity that is higher by one. So the roots follow from those of the derivative, down to degree one, and the only
decisions are signs of values, each with its noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flint import arb

from gauss.uniqueness.germs.numbers import Noisy, OpenError, is_zero

PRECISE = arb(2) ** -240  # relative size of the Newton step that ends the search for a root


@dataclass(frozen=True)
class Root:
    """A real root."""

    at: Noisy
    multiplicity: int


def real_roots(coefficients: Sequence[Noisy]) -> list[Root]:
    """Return the real roots in increasing order; coefficients by rising powers, the last not zero. Raises OpenError."""
    degree = len(coefficients) - 1
    if degree < 1:
        return []
    if degree == 1:
        return [Root(_placed(coefficients, (-coefficients[0].value / coefficients[1].value).mid()), 1)]
    slopes = derivative(coefficients)
    critical = real_roots(slopes)
    far = _bound(coefficients)
    leading = 1 if coefficients[-1].value > 0 else -1
    stations = [-far, *(root.at.value for root in critical), far]
    signs = [leading * (-1) ** degree, *(_sign_at(coefficients, root) for root in critical), leading]
    found = []
    for k in range(1, len(stations)):
        if signs[k - 1] * signs[k] < 0:
            at = _between(coefficients, slopes, stations[k - 1], stations[k], signs[k])
            found.append(Root(_placed(coefficients, at), 1))
        if k <= len(critical) and signs[k] == 0:
            root = critical[k - 1]
            found.append(Root(root.at, root.multiplicity + 1))
    return found


def derivative(coefficients: Sequence[Noisy]) -> list[Noisy]:
    """Return the coefficients of the derivative."""
    return [Noisy(k * c.value, k * c.noise) for k, c in enumerate(coefficients)][1:]


def value_at(coefficients: Sequence[Noisy], x: Any) -> Noisy:
    """Return the value at a number without noise."""
    total, noise, size = arb(0), 0.0, abs(float(x.mid()))
    for c in reversed(coefficients):
        total = total * x + c.value
        noise = noise * size + c.noise
    return Noisy(total, noise)


def _sign_at(coefficients: Sequence[Noisy], root: Root) -> int:
    """Return the sign at a root of the derivative; 0 where the polynomial vanishes with it."""
    found = value_at(coefficients, root.at.value)
    zero = is_zero(found.value, found.noise)
    if zero is None:
        raise OpenError("whether two branches part is below the rounding of the model's numbers, or nearly")
    return 0 if zero else (1 if found.value > 0 else -1)


def _placed(coefficients: Sequence[Noisy], x: Any) -> Noisy:
    """Return a simple root with its noise."""
    slope = value_at(derivative(coefficients), x).value
    return Noisy(x, value_at(coefficients, x).noise / max(abs(float(slope.mid())), 1e-300))


def _bound(coefficients: Sequence[Noisy]) -> Any:
    """Return a number above the absolute values of all roots (Fujiwara)."""
    degree, leading = len(coefficients) - 1, coefficients[-1].value
    sizes = [abs(c.value / leading) for c in coefficients[:-1]]
    bounds = [x.root(degree - k) for k, x in enumerate(sizes) if not x.contains(0)]
    largest = max((b.mid() for b in bounds), default=arb(1))
    return (2 * largest + largest / 2).mid()


def _between(coefficients: Sequence[Noisy], slopes: Sequence[Noisy], low: Any, high: Any, rising: int) -> Any:
    """Return the root between two places of different sign: Newton steps, and halving where they lead astray."""
    x = ((low + high) / 2).mid()
    for _ in range(1000):
        value = value_at(coefficients, x).value
        if value.contains(0):
            return x
        if (value > 0) == (rising > 0):
            high = x
        else:
            low = x
        slope = value_at(slopes, x).value
        new = x if slope.contains(0) else (x - value / slope).mid()
        if not (low < new and new < high):
            new = ((low + high) / 2).mid()
        if abs(new - x) <= PRECISE * abs(x):
            return new
        x = new
    return x
