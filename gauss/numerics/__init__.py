"""Numerical mathematics that knows no mechanics."""

from typing import TYPE_CHECKING

from gauss.foundation.later import later

if TYPE_CHECKING:
    from gauss.numerics.least_norm import least_solution
    from gauss.numerics.quadrics.stationary import Quadric, stationary

__all__ = [
    "Quadric",
    "least_solution",
    "stationary",
]

__getattr__ = later(__name__, dict.fromkeys(__all__, "quadrics.stationary") | {"least_solution": "least_norm"})
