"""Numerical mathematics that knows no mechanics."""

from typing import TYPE_CHECKING

from gauss.foundation.later import later

if TYPE_CHECKING:
    from gauss.numerics.quadrics.stationary import Quadric, stationary

__all__ = [
    "Quadric",
    "stationary",
]

__getattr__ = later(__name__, dict.fromkeys(__all__, "quadrics.stationary"))
