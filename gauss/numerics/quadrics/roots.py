"""All real roots of F(x) = constant + Σ c (x − p)⁻ᵏ, found by subdivision between the poles; none is missed.

Each term is monotone between poles, so its values at the ends of an interval bound it, and the sum of these bounds
bounds F and its derivatives. An interval is left when the bounds exclude zero, or when a derivative of F has one sign
on it: F then has few monotone parts, and one sign at each end of a part decides. A root is kept as pole + δ with the
relative accuracy of δ, because x − p is what a caller divides by when a root is close to a pole. Roots that rounding
does not separate (from about √eps on) are reported once and marked.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from gauss.foundation.arrays import Array, Indices

EPS = float(np.finfo(float).eps)
ROUNDING = 16.0 * EPS  # of a sum of terms, relative to the sum of their sizes
DERIVATIVES = 5  # F to F'''' are bounded: roots up to multiplicity four are isolated at once
SHARE = 0.51  # of a gap between poles is searched from either of them: they overlap, so no root falls between
FINEST = 1e-4  # relative width at which subdivision ends: only roots of higher multiplicity get there


@dataclass(frozen=True)
class PoleSum:
    """F(x) = constant + Σ_t coefficients_t (x − poles_t)^(−powers_t)."""

    constant: float
    coefficients: Array  # (n,)
    poles: Array  # (n,)
    powers: Array  # (n,) positive whole numbers

    def derivative(self) -> PoleSum:
        """Return F′."""
        return PoleSum(0.0, -self.powers * self.coefficients, self.poles, self.powers + 1.0)

    def terms(self, anchor: Array | float, delta: Array | float) -> Array:
        """Return the terms (…, n) at anchor + delta; the differences anchor − pole are formed first."""
        base = np.subtract.outer(anchor, self.poles) + np.asarray(delta)[..., None]
        return np.asarray(self.coefficients * base**-self.powers)

    def at(self, anchor: float, delta: float) -> tuple[float, float]:
        """Return F(anchor + delta) and the size of its terms."""
        t = self.terms(anchor, delta)
        return float(np.sum(t)) + self.constant, float(np.sum(np.abs(t))) + abs(self.constant)


@dataclass(frozen=True)
class Root:
    """A root anchor + delta; `multiple` if rounding does not tell it from a multiple one or from none."""

    anchor: float
    delta: float
    multiple: bool

    @property
    def x(self) -> float:
        """The root itself."""
        return self.anchor + self.delta


def roots(F: PoleSum, reach: float) -> list[Root]:
    """Return all roots in [−reach, reach], which contains the poles; increasing."""
    poles = np.unique(F.poles[F.coefficients != 0.0])
    if poles.size == 0:
        return []
    chain = [F]
    for _ in range(DERIVATIVES - 1):
        chain.append(chain[-1].derivative())
    gaps = np.diff(poles)
    left = np.concatenate([[poles[0] + reach], SHARE * gaps])
    right = np.concatenate([SHARE * gaps, [reach - poles[-1]]])
    found: list[Root] = []
    for k, pole in enumerate(poles):
        for side, far in ((-1.0, float(left[k])), (1.0, float(right[k]))):
            near = _nearest(F, float(pole), side, far)
            if near < far:
                found += _on_side(chain, float(pole), side, near, far)
    return _once(sorted(found, key=lambda root: root.x), gaps)


def _once(found: list[Root], gaps: Array) -> list[Root]:
    """Return the roots without those that were found from the poles on both sides."""
    close = 1e-6 * float(np.min(gaps, initial=np.inf))
    result: list[Root] = []
    for root in found:
        if not result or root.anchor == result[-1].anchor or root.x - result[-1].x > close:
            result.append(root)
    return result


def _nearest(F: PoleSum, pole: float, side: float, far: float) -> float:
    """Return a distance from the pole within which its own highest power outweighs everything else."""
    own = F.poles == pole
    others = PoleSum(F.constant, F.coefficients[~own], F.poles[~own], F.powers[~own])
    ends = np.abs(others.terms(np.array([pole, pole]), np.array([0.0, side * far])))
    rest = abs(F.constant) + float(np.sum(np.max(ends, axis=0)))
    c, power = np.abs(F.coefficients[own]), F.powers[own]
    lead = int(np.argmax(np.where(c > 0.0, power, 0.0)))
    limits = [far]
    if rest > 0.0:
        limits.append((c[lead] / (4.0 * rest)) ** (1.0 / power[lead]))
    for k in range(c.size):
        if k != lead and c[k] > 0.0:
            limits.append((c[lead] / (4.0 * c[k])) ** (1.0 / (power[lead] - power[k])))
    return float(min(limits))


def _on_side(chain: list[PoleSum], pole: float, side: float, near: float, far: float) -> list[Root]:
    """Return the roots at distances from `near` to `far` on one side of a pole, by subdivision in batches."""
    found: list[Root] = []
    low, high = np.array([near]), np.array([far])
    while low.size:
        order = _settled(chain, pole, side, low, high)
        for k in np.flatnonzero(order > 0):
            found += _cascade(chain, pole, side, (float(low[k]), float(high[k])), int(order[k]))
        open_ = order < 0
        low, high = low[open_], high[open_]
        middle = np.where(high > 4.0 * low, np.sqrt(low * high), (low + high) / 2.0)
        fine = high - low <= FINEST * low
        found += [Root(pole, side * float(x), True) for x in middle[fine]]
        low, middle, high = low[~fine], middle[~fine], high[~fine]
        low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
    return _merged(found)


def _settled(chain: list[PoleSum], pole: float, side: float, low: Array, high: Array) -> Indices:
    """Return for each interval the lowest derivative that cannot vanish on it (0 for F itself), or −1."""
    order = np.full(low.size, -1)
    for k, F in enumerate(chain):
        one, two = F.terms(np.full(low.size, pole), side * low), F.terms(np.full(low.size, pole), side * high)
        slack = ROUNDING * (np.sum(np.maximum(np.abs(one), np.abs(two)), axis=1) + abs(F.constant))
        least = np.sum(np.minimum(one, two), axis=1) + F.constant
        most = np.sum(np.maximum(one, two), axis=1) + F.constant
        order[(order < 0) & ((least > slack) | (most < -slack))] = k
    return order


def _cascade(chain: list[PoleSum], pole: float, side: float, ends: tuple[float, float], order: int) -> list[Root]:
    """Return the roots of F where its derivative of the given order has one sign: from that one down to F."""
    breaks = list(ends)
    for k in range(order - 1, 0, -1):
        below = [chain[k].at(pole, side * x)[0] < 0.0 for x in breaks]
        changes = [j for j in range(len(below) - 1) if below[j] != below[j + 1]]
        inner = [_bracketed(chain[k], pole, side, breaks[j : j + 2]) for j in changes]
        breaks = [ends[0], *inner, ends[1]]
    F = chain[0]
    found: list[Root] = []
    values = [F.at(pole, side * x) for x in breaks]
    touching = [abs(f) <= ROUNDING * size for f, size in values]
    touching[0] = touching[-1] = False  # an end belongs to two intervals, and has one sign for both
    for j in range(len(breaks) - 1):
        if touching[j]:
            found.append(Root(pole, side * breaks[j], True))
        if not touching[j] and not touching[j + 1] and (values[j][0] < 0.0) != (values[j + 1][0] < 0.0):
            found.append(Root(pole, side * _bracketed(F, pole, side, breaks[j : j + 2]), False))
    return found


def _bracketed(F: PoleSum, pole: float, side: float, ends: list[float]) -> float:
    """Return the distance from the pole, between two where the signs of F differ, at which F vanishes."""

    def f(x: float) -> float:
        return F.at(pole, side * x)[0]

    a, b = ends
    negative = f(a) < 0.0
    while b > 2.0 * a:
        middle = float(np.sqrt(a) * np.sqrt(b))
        if (f(middle) < 0.0) == negative:
            a = middle
        else:
            b = middle
    for x in (a, b):
        if f(x) == 0.0:
            return x
    return float(brentq(f, a, b, xtol=1e-300, rtol=4.0 * EPS))


def _merged(found: list[Root]) -> list[Root]:
    """Return the roots with neighbours that are one multiple root counted once."""
    result: list[Root] = []
    for root in sorted(found, key=lambda r: r.delta):
        last = result[-1] if result else None
        near = last is not None and abs(root.delta - last.delta) <= 10.0 * FINEST * abs(root.delta)
        if last is None or not near or not (root.multiple and last.multiple):
            result.append(root)
    return result
