"""Printed or hand-derived statements about a system, held against the model, and mended where they are wrong.

>>> import gauss as g
>>> len(g.sources.names()) > 50
True
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gauss.sources.equations import (
    ClosedForm,
    ConstraintMatrix,
    ControlFields,
    Derivative,
    Equation,
    Hamiltonian,
    Integral,
    Lagrangian,
    Printed,
    Statement,
)
from gauss.sources.files import SourceFile, folder, load, names

if TYPE_CHECKING:
    from gauss.sources.repair import Mend
    from gauss.sources.verification import Verification, verify

__all__ = [
    "ClosedForm",
    "ConstraintMatrix",
    "ControlFields",
    "Derivative",
    "Equation",
    "Hamiltonian",
    "Integral",
    "Lagrangian",
    "Mend",
    "Printed",
    "SourceFile",
    "Statement",
    "Verification",
    "folder",
    "load",
    "names",
    "verify",
]

WITH_SYMPY = {"Mend": "repair", "Verification": "verification", "verify": "verification"}  # name → module


def __getattr__(name: str) -> Any:
    """Load what needs SymPy, which takes long to import, when it is first asked for."""
    if name in WITH_SYMPY:
        return getattr(import_module(f"gauss.sources.{WITH_SYMPY[name]}"), name)
    raise AttributeError(f"module 'gauss.sources' has no attribute {name!r}")
