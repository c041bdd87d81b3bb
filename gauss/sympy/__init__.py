"""Bridges to other programs for mechanics: models in from SymPy, equations out to it, and cross-checks with it.

SymPy itself is imported when a function is called, not before.

>>> import gauss as g
>>> pendulum = g.System(
...     "pendulum",
...     coordinates="x y",
...     kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
...     potential_energy=lambda q: 9.81 * q.y,
...     constraints=[g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0)],
... )
>>> g.sympy.to_sympy(pendulum).M
Matrix([
[1, 0],
[0, 1]])
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
