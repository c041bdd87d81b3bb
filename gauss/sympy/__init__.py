"""Bridges to other programs for mechanics: models in from SymPy, equations out to it, and cross-checks with it.

SymPy itself is imported when a function is called, not before.
"""

from gauss.sympy.crosscheck import SympyAnswer, crosscheck_sympy, sympy_answer
from gauss.sympy.equations import SympyEquations, to_lagranges_method, to_sympy
from gauss.sympy.kane import from_kanes_method
from gauss.sympy.lagrange import from_lagranges_method, from_sympy

__all__ = [
    "SympyAnswer",
    "SympyEquations",
    "crosscheck_sympy",
    "from_kanes_method",
    "from_lagranges_method",
    "from_sympy",
    "sympy_answer",
    "to_lagranges_method",
    "to_sympy",
]
