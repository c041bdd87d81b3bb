"""Variational problems: curves that make an integral stationary, as boundary-value problems.

A motion follows from a state, step by step; an extremal joins two ends. `extremal` finds it from the Euler-Lagrange
equations, with isoperimetric conditions, rows ψ(q, v, t) = 0 imposed before varying (the vakonomic problem) and free
ends, and says what kind of extremum it is.
"""

from gauss.variational.extremal import Extremal, extremal, extremals
from gauss.variational.problem import FreeEnd, Isoperimetric, VariationalProblem
from gauss.variational.second import SecondVariation

__all__ = [
    "Extremal",
    "FreeEnd",
    "Isoperimetric",
    "SecondVariation",
    "VariationalProblem",
    "extremal",
    "extremals",
]
