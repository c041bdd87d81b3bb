"""Gauss's principle: the problem, its reduction, the solvers, the finish and the certificate."""

from gauss.principle.problem import GaussProblem
from gauss.principle.solution import GaussSolution
from gauss.principle.solve import SOLVERS, solve

__all__ = ["SOLVERS", "GaussProblem", "GaussSolution", "solve"]
