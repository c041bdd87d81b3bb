"""Short pieces of paths, in numbers or in symbols: with an acceleration kept, and through both ends of a step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def pushed(q: Any, v: Any, a: Any, time: Any) -> tuple[Any, Any]:
    """Return the position and the velocity after a time with an acceleration kept."""
    return q + (time * v + time * time / 2.0 * a), v + time * a


def cubic(q: Any, v: Any, p: Any, w: Any, h: Any) -> tuple[Any, Any, Any, Any]:
    """Return the coefficients, by powers of the share of a step h, of the path from q, v to p, w."""
    v, w = v * h, w * h
    return q, v, 3.0 * (p - q) - 2.0 * v - w, v + w - 2.0 * (p - q)


def at_share(coefficients: Sequence[Any], share: Any) -> tuple[Any, Any]:
    """Return the position at a share of the step, and its change with the share."""
    q, rate = coefficients[-1], 0.0 * coefficients[-1]
    for c in reversed(coefficients[:-1]):
        q, rate = q * share + c, rate * share + q
    return q, rate
