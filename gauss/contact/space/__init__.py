"""Friction in space: the true cone of Coulomb at one state, its solvers, its verdicts and what forces it leaves."""

from gauss.contact.space.answer import solution_of
from gauss.contact.space.evidence import contradictory, solvable
from gauss.contact.space.solvers.listing import all_modes
from gauss.contact.space.solvers.newton import ModeForces
from gauss.contact.space.solvers.search import search
from gauss.contact.space.white import WhiteCone, residuals_of

__all__ = [
    "ModeForces",
    "WhiteCone",
    "all_modes",
    "contradictory",
    "residuals_of",
    "search",
    "solution_of",
    "solvable",
]
