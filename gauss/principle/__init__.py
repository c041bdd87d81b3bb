"""Gauss's principle: the problem, its reduction, the solvers, the finish and the certificate."""

from gauss.principle.contact_sizes import closed_rows
from gauss.principle.offsets import offsets
from gauss.principle.problem import GaussProblem
from gauss.principle.solution import GaussSolution
from gauss.principle.solve import SOLVERS, answer, solve
from gauss.principle.solvers.osqp import Workspace
from gauss.principle.sparse import SHOWN, SparseProblem, definite_by_blocks, solve_sparsely, spectrum_of

__all__ = [
    "SHOWN",
    "SOLVERS",
    "GaussProblem",
    "GaussSolution",
    "SparseProblem",
    "Workspace",
    "answer",
    "closed_rows",
    "definite_by_blocks",
    "offsets",
    "solve",
    "solve_sparsely",
    "spectrum_of",
]
