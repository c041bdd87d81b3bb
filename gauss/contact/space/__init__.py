"""Friction in space: the true cone of Coulomb at one state, its solvers, its verdicts and what forces it leaves."""

from gauss.contact.space.answer import solution_of
from gauss.contact.space.evidence import contradictory, solvable
from gauss.contact.space.scaled_problem import ScaledCone, residuals_of
from gauss.contact.space.solvers.enumeration import all_modes
from gauss.contact.space.solvers.newton import ModeForces
from gauss.contact.space.solvers.search import search

__all__ = [
    "ModeForces",
    "ScaledCone",
    "all_modes",
    "contradictory",
    "residuals_of",
    "search",
    "solution_of",
    "solvable",
]
