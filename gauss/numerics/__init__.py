"""Numerical mathematics that knows no mechanics."""

from typing import TYPE_CHECKING

from gauss.foundation.later import later

if TYPE_CHECKING:
    from gauss.numerics.intervals import OPERATIONS, roots_in_box
    from gauss.numerics.least_norm import least_solution
    from gauss.numerics.quadrics.stationary import Quadric, stationary

__all__ = [
    "OPERATIONS",
    "Quadric",
    "least_solution",
    "roots_in_box",
    "stationary",
]

PLACES = {"OPERATIONS": "intervals", "least_solution": "least_norm", "roots_in_box": "intervals"}
__getattr__ = later(__name__, dict.fromkeys(__all__, "quadrics.stationary") | PLACES)
