"""Numerical mathematics that knows no mechanics."""

from gauss.numerics.quadrics.stationary import Quadric, stationary

__all__ = [
    "Quadric",
    "stationary",
]
