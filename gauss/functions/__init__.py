"""Elementary functions and tables for every kind of number: floats, arrays, symbols, jets.

>>> import gauss as g
>>> stiffness = g.math.Table([0.0, 0.1, 0.2], [0.0, 5.0, 20.0])
>>> float(stiffness(0.05)), g.sqrt(4.0)
(2.5, 2.0)
"""

from gauss.functions.elementary import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cos,
    cosh,
    exp,
    fabs,
    fmax,
    fmin,
    greater,
    hypot,
    less,
    log,
    pi,
    sign,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
    where,
)
from gauss.functions.tables import Spline, Table

__all__ = [
    "Spline",
    "Table",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cos",
    "cosh",
    "exp",
    "fabs",
    "fmax",
    "fmin",
    "greater",
    "hypot",
    "less",
    "log",
    "pi",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "where",
]
FUNCTIONS = frozenset(name for name in __all__ if name.islower())  # reachable as gauss.sin, … as well
