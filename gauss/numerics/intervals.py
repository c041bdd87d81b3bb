"""Interval arithmetic on many boxes at once, and all roots of equations in a box by Krawczyk's operator.

An interval is a pair of arrays (lower, upper), and what a function returns contains all its values. Results are
widened by a few roundings; where an operation is not known, or has no bound, they are (−∞, ∞). The operator
K(X) = m − Y F(m) + (I − Y F'(X))(X − m), m the middle of the box X and Y about F'(m)⁻¹, contains all roots in X; if it
lies in the inside of X there is exactly one (Krawczyk 1969, Moore 1977).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gauss.foundation.arrays import Array

Interval = tuple[Array, Array]
Enclosure = Callable[[Array, Array], Interval]

WIDENED = 4.0 * float(np.finfo(float).eps)  # relative, of each result: more than its rounding
BOXES = 20_000  # that are looked at
FINEST = 1e-10  # share of the first box at which a box is given up
TOGETHER = 512  # boxes in one evaluation
ROOM = 0.1  # share of a box by which it is looked at beyond its border


def widened(lower: Array, upper: Array) -> Interval:
    """Return an interval with room for rounding; what is no number is unbounded."""
    bad = np.isnan(lower) | np.isnan(upper)
    low, high = np.where(bad, -np.inf, lower), np.where(bad, np.inf, upper)
    with np.errstate(invalid="ignore"):
        return low - WIDENED * np.abs(low), high + WIDENED * np.abs(high)


def _monotone(function: Callable[[Array], Array]) -> Callable[[Interval], Interval]:
    return lambda x: widened(function(x[0]), function(x[1]))


def _falling(function: Callable[[Array], Array]) -> Callable[[Interval], Interval]:
    return lambda x: widened(function(x[1]), function(x[0]))


def _ends(*values: Array) -> Interval:
    stacked = np.stack(np.broadcast_arrays(*values))
    bad = np.any(np.isnan(stacked), axis=0)
    low, high = np.min(stacked, axis=0), np.max(stacked, axis=0)
    return widened(np.where(bad, np.nan, low), np.where(bad, np.nan, high))


def times(x: Interval, y: Interval) -> Interval:
    """Return the products; 0 · ∞ is 0, as no number is infinite."""
    products = [np.where((a == 0.0) | (b == 0.0), 0.0, a * b) for a in x for b in y]
    return _ends(*products)


def inverse(x: Interval) -> Interval:
    """Return 1/x; unbounded where x may be zero."""
    over = (x[0] <= 0.0) & (x[1] >= 0.0)
    return _ends(np.where(over, np.nan, 1.0 / x[0]), np.where(over, np.nan, 1.0 / x[1]))


def squared(x: Interval) -> Interval:
    """Return x²."""
    low = np.where((x[0] <= 0.0) & (x[1] >= 0.0), 0.0, np.minimum(np.abs(x[0]), np.abs(x[1])))
    high = np.maximum(np.abs(x[0]), np.abs(x[1]))
    return widened(low**2, high**2)


def size(x: Interval) -> Interval:
    """Return |x|."""
    low = np.where((x[0] <= 0.0) & (x[1] >= 0.0), 0.0, np.minimum(np.abs(x[0]), np.abs(x[1])))
    return low, np.maximum(np.abs(x[0]), np.abs(x[1]))


def _cosine(x: Interval) -> Interval:
    finite = np.isfinite(x[0]) & np.isfinite(x[1])
    low, high = (np.where(finite, end, 0.0) for end in x)
    top = np.floor(high / (2.0 * np.pi)) >= np.ceil(low / (2.0 * np.pi)) - WIDENED
    bottom = np.floor((high - np.pi) / (2.0 * np.pi)) >= np.ceil((low - np.pi) / (2.0 * np.pi)) - WIDENED
    ends = widened(np.minimum(np.cos(low), np.cos(high)), np.maximum(np.cos(low), np.cos(high)))
    return np.where(bottom | ~finite, -1.0, ends[0]), np.where(top | ~finite, 1.0, ends[1])


def _tangent(x: Interval) -> Interval:
    turns = np.floor(x[1] / np.pi + 0.5) != np.floor(x[0] / np.pi + 0.5)
    return _ends(np.where(turns, np.nan, np.tan(x[0])), np.where(turns, np.nan, np.tan(x[1])))


def _power(x: Interval, y: Interval) -> Interval:
    whole = np.all(y[0] == y[1]) and np.all(y[0] == np.rint(y[0])) and np.all(y[0] > 0.0)
    if not whole:
        positive = np.where(x[0] > 0.0, x[0], np.nan), x[1]
        logs = _monotone(np.log)(positive)
        return _monotone(np.exp)(times(logs, y))
    ends = _ends(x[0] ** y[0], x[1] ** y[0])
    even = np.asarray(y[0] % 2.0 == 0.0) & (x[0] <= 0.0) & (x[1] >= 0.0)
    return np.where(even, 0.0, ends[0]), ends[1]


def _hypotenuse(x: Interval, y: Interval) -> Interval:
    a, b = size(x), size(y)
    return widened(np.hypot(a[0], b[0]), np.hypot(a[1], b[1]))


def _either(x: Interval, y: Interval, certain: Array, excluded: Array) -> Interval:
    return np.where(certain, 1.0, 0.0), np.where(excluded, 0.0, 1.0)


def _chosen(condition: Interval, value: Interval) -> Interval:
    never, always = (condition[0] == 0.0) & (condition[1] == 0.0), condition[0] > 0.0
    low = np.where(never, 0.0, np.where(always, value[0], np.minimum(value[0], 0.0)))
    return low, np.where(never, 0.0, np.where(always, value[1], np.maximum(value[1], 0.0)))


OPERATIONS: dict[str, Callable[..., Interval]] = {
    "assign": lambda x: x,
    "add": lambda x, y: widened(x[0] + y[0], x[1] + y[1]),
    "sub": lambda x, y: widened(x[0] - y[1], x[1] - y[0]),
    "neg": lambda x: (-x[1], -x[0]),
    "twice": lambda x: (2.0 * x[0], 2.0 * x[1]),
    "mul": times,
    "div": lambda x, y: times(x, inverse(y)),
    "inv": inverse,
    "sq": squared,
    "fabs": size,
    "sqrt": lambda x: _monotone(np.sqrt)((np.where(x[1] >= 0.0, np.maximum(x[0], 0.0), np.nan), x[1])),
    "hypot": _hypotenuse,
    "exp": _monotone(np.exp),
    "expm1": _monotone(np.expm1),
    "log": _monotone(np.log),
    "log1p": _monotone(np.log1p),
    "sinh": _monotone(np.sinh),
    "tanh": _monotone(np.tanh),
    "asinh": _monotone(np.arcsinh),
    "atan": _monotone(np.arctan),
    "asin": _monotone(np.arcsin),
    "acos": _falling(np.arccos),
    "cosh": lambda x: _monotone(np.cosh)(size(x)),
    "cos": _cosine,
    "sin": lambda x: _cosine((x[0] - 0.5 * np.pi, x[1] - 0.5 * np.pi)),
    "tan": _tangent,
    "pow": _power,
    "constpow": _power,
    "sign": lambda x: (np.sign(x[0]), np.sign(x[1])),
    "fmin": lambda x, y: (np.minimum(x[0], y[0]), np.minimum(x[1], y[1])),
    "fmax": lambda x, y: (np.maximum(x[0], y[0]), np.maximum(x[1], y[1])),
    "lt": lambda x, y: _either(x, y, x[1] < y[0], x[0] >= y[1]),
    "le": lambda x, y: _either(x, y, x[1] <= y[0], x[0] > y[1]),
    "eq": lambda x, y: _either(x, y, (x[0] == x[1]) & (y[0] == x[0]) & (y[1] == x[0]), (x[1] < y[0]) | (y[1] < x[0])),
    "ne": lambda x, y: _either(x, y, (x[1] < y[0]) | (y[1] < x[0]), (x[0] == x[1]) & (y[0] == x[0]) & (y[1] == x[0])),
    "not": lambda x: (np.where(x[1] == 0.0, 1.0, 0.0), np.where(x[0] > 0.0, 0.0, 1.0)),
    "and": lambda x, y: _either(x, y, (x[0] > 0.0) & (y[0] > 0.0), (x[1] == 0.0) | (y[1] == 0.0)),
    "or": lambda x, y: _either(x, y, (x[0] > 0.0) | (y[0] > 0.0), (x[1] == 0.0) & (y[1] == 0.0)),
    "if_else_zero": _chosen,
}


@dataclass(frozen=True)
class Roots:
    """The roots of k equations in a box."""

    found: Array  # (r, k) each the only one in a box of its own
    unresolved: Array  # (u, 2, k) boxes that may hold none, one or several
    boxes: int  # that were looked at

    @property
    def all_known(self) -> bool:
        """Whether there are no others."""
        return not len(self.unresolved)


def roots_in_box(value: Enclosure, slope: Enclosure, lower: Array, upper: Array) -> Roots:
    """Return all roots of F(x) = 0 in a box (k,), with F(X) (N, k) and F'(X) (N, k, k) for boxes (N, k).

    Boxes that are given up are returned. A root just outside of the box may be found, too.
    """
    with np.errstate(all="ignore"):
        return _roots_in_box(value, slope, lower, upper)


def _roots_in_box(value: Enclosure, slope: Enclosure, lower: Array, upper: Array) -> Roots:
    first = upper - lower
    waiting, lost, seen = [(lower[None], upper[None])], list[Array](), 0
    found: list[tuple[Array, Array, Array]] = []  # roots, each with the box in which it is the only one
    while waiting:
        low, high = (np.concatenate(parts) for parts in zip(*waiting, strict=True))
        waiting = []
        if len(low) > TOGETHER:
            waiting, low, high = [(low[TOGETHER:], high[TOGETHER:])], low[:TOGETHER], high[:TOGETHER]
        seen += len(low)
        if seen > BOXES:
            lost += list(np.stack([low, high], axis=1))
            lost += [box for a, b in waiting for box in np.stack([a, b], axis=1)]
            break
        F = value(low, high)
        kept = np.all((F[0] <= 0.0) & (F[1] >= 0.0), axis=1)
        low, high = low[kept], high[kept]
        if not len(low):
            continue
        room = ROOM * (high - low)  # so that a root on the border of two boxes is inside of one that is looked at
        inner_low, inner_high, bounded = _krawczyk(value, slope, low - room, high + room)
        empty = bounded & np.any((inner_low > high) | (inner_high < low), axis=1)
        single = bounded & ~empty & np.all((inner_low > low - room) & (inner_high < high + room), axis=1)
        for i in np.flatnonzero(single):
            x = _refined(value, slope, inner_low[i], inner_high[i])
            if not any(np.all((x >= a) & (x <= b)) for _, a, b in found):
                found.append((x, low[i] - room[i], high[i] + room[i]))
        open_ = ~empty & ~single
        cut = bounded[:, None] & open_[:, None]
        low = np.where(cut, np.maximum(low, inner_low), low)[open_]
        high = np.where(cut, np.minimum(high, inner_high), high)[open_]
        tiny = np.max((high - low) / first, axis=1, initial=0.0) < FINEST
        lost += list(np.stack([low[tiny], high[tiny]], axis=1))
        low, high = low[~tiny], high[~tiny]
        if len(low):
            axis = np.argmax((high - low) / first, axis=1)
            at = np.arange(len(low)), axis
            left, right, middle = high.copy(), low.copy(), 0.5 * (low[at] + high[at])
            left[at] = right[at] = middle
            waiting.append((np.concatenate([low, right]), np.concatenate([left, high])))
    return Roots(
        np.array([x for x, _, _ in found]).reshape(-1, len(first)), np.array(lost).reshape(-1, 2, len(first)), seen
    )


def _krawczyk(value: Enclosure, slope: Enclosure, low: Array, high: Array) -> tuple[Array, Array, Any]:
    """Return K(X) of boxes (N, k), and where it is bounded."""
    middle, k = 0.5 * (low + high), low.shape[1]
    F, D = value(middle, middle), slope(low, high)
    bounded = np.all(np.isfinite(D[0]) & np.isfinite(D[1]), axis=(1, 2)) & np.all(np.isfinite(F[0] + F[1]), axis=1)
    centre = np.where(bounded[:, None, None], 0.5 * (D[0] + D[1]), np.eye(k))
    Y = np.zeros_like(centre)
    for i, each in enumerate(centre):
        try:
            Y[i] = np.linalg.inv(each)
        except np.linalg.LinAlgError:
            bounded[i] = False
    reach = 0.5 * (high - low)
    with np.errstate(invalid="ignore", over="ignore"):
        # |I − Y D| ≤ |I − Y D_c| + |Y| rad D
        left = np.abs(np.eye(k) - Y @ centre) + np.abs(Y) @ (0.5 * (D[1] - D[0]))
        moved = middle - np.einsum("nij,nj->ni", Y, 0.5 * (F[0] + F[1]))
        spread = np.einsum("nij,nj->ni", np.abs(Y), 0.5 * (F[1] - F[0])) + np.einsum("nij,nj->ni", left, reach)
    bounded &= np.all(np.isfinite(moved + spread), axis=1)
    return moved - spread, moved + spread, bounded


def _refined(value: Enclosure, slope: Enclosure, low: Array, high: Array) -> Array:
    """Return the root in a box that holds one, by Newton's iteration within it."""
    x = 0.5 * (low + high)
    for _ in range(8):
        F, D = value(x[None], x[None]), slope(x[None], x[None])
        step = np.linalg.lstsq(0.5 * (D[0] + D[1])[0], 0.5 * (F[0] + F[1])[0])[0]
        if not np.all(np.isfinite(step)):
            break
        x = np.clip(x - step, low, high)
    return x
