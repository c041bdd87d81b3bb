"""Contacts: which unilateral rows press, what an impact does, and Coulomb friction at one state."""

from gauss.contact.active import pressing_rows
from gauss.contact.complementarity import Minors, Piece, all_solutions, lemke, p_matrix
from gauss.contact.coulomb import Contact, FrictionModel, FrictionProblem
from gauss.contact.impact import Impact, resolve_impact
from gauss.contact.modes import FrictionSolution, FrictionVerdict, solve_friction
from gauss.contact.paradox import critical_coefficient, friction, friction_matrix, least_zwang

__all__ = [
    "Contact",
    "FrictionModel",
    "FrictionProblem",
    "FrictionSolution",
    "FrictionVerdict",
    "Impact",
    "Minors",
    "Piece",
    "all_solutions",
    "critical_coefficient",
    "friction",
    "friction_matrix",
    "least_zwang",
    "lemke",
    "p_matrix",
    "pressing_rows",
    "resolve_impact",
    "solve_friction",
]
