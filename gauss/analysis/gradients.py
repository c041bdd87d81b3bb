"""Gradients of constraint functions by SymPy, for formulations that differentiate them once more by complex steps."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array
from gauss.model import Holonomic, System
from gauss.model.coordinates import Named
from gauss.model.functions import ModelFunction, as_list

Gradient = Callable[[Any, Any, Array], tuple[Any, Any]]  # q, t, p (each complex or real) → φ_q (k, n), φ_t (k,)
KEPT = 32  # constraints whose gradients are kept


@lru_cache(maxsize=KEPT)
def gradient_of(constraint: Holonomic, coordinates: tuple[str, ...], parameters: tuple[str, ...]) -> Gradient:
    """Return φ_q and φ_t of a holonomic constraint as a function of complex numbers too.

    Raises InputError for a φ that SymPy cannot evaluate or differentiate.
    """
    import sympy as sp  # late: it takes long, and few systems need it

    q, p = [sp.Symbol(x, real=True) for x in coordinates], [sp.Symbol(x, real=True) for x in parameters]
    t = sp.Symbol("t", real=True)
    values = {"q": Named(coordinates, q), "t": t, "p": Named(parameters, p, "parameter")}
    function = ModelFunction.of(constraint.function, "qvtp", f"constraint {constraint.name!r}")
    try:
        phi = sp.Matrix([sp.sympify(x) for x in as_list(function(values), constraint.name)])
        rows = sp.lambdify([q, t, p], phi.jacobian(q), "numpy", cse=True)
        rates = sp.lambdify([q, t, p], phi.diff(t), "numpy", cse=True)
    except (TypeError, ValueError, AttributeError, sp.SympifyError) as error:
        raise InputError(f"SymPy cannot differentiate the constraint {constraint.name!r}: {error}.") from error

    def gradient(point: Any, time: Any, theta: Array) -> tuple[Any, Any]:
        return np.asarray(rows(list(point), time, list(theta))), np.asarray(rates(list(point), time, list(theta)))[:, 0]

    return gradient


def holonomic_gradient(system: System, constraint: Holonomic, q: Any, t: Any) -> tuple[Any, Any]:
    """Return φ_q (k, n) and φ_t (k,) of one constraint of a system at a (complex) point."""
    gradient = gradient_of(constraint, system.coordinates, tuple(system.parameters))
    return gradient(q, t, np.array(list(system.parameters.values())))
