"""Variational problems: curves that make an integral stationary, as boundary-value problems.

A motion follows from a state, step by step; an extremal joins two ends. `extremal` finds it from the Euler-Lagrange
equations, with isoperimetric conditions, rows ψ(q, v, t) = 0 imposed before varying (the vakonomic problem) and free
ends, and says what kind of extremum it is.

>>> import gauss as g
>>> from gauss.variational import VariationalProblem, extremals
>>> rings = VariationalProblem(  # the least surface of revolution between two rings of radius 1
...     lambda q, v: 2 * g.pi * q.y * g.sqrt(1 + v.y**2), "y", start={"y": 1.0}, end={"y": 1.0}, span=(-0.6, 0.6)
... )
>>> [(round(found.value, 6), found.kind) for found in extremals(rings)]
[(6.999643, 'minimum'), (7.207912, 'saddle')]
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
