"""Contacts: which unilateral rows press, what an impact does, and Coulomb friction at one state.

>>> import gauss as g
>>> block = g.System(
...     "block",
...     coordinates="x z",
...     kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2),
...     potential_energy=lambda q: 9.81 * q.z,
...     constraints=[g.Unilateral("floor", lambda q: q.z, restitution=0.5, friction=g.Coulomb(0.3, lambda v: v.x))],
... )
>>> found = g.contact.solve_friction(g.contact.friction_problem(block, [0, 0], [1, 0]))
>>> found.verdict, found.solutions[0].modes
('one', ('slip+',))
"""

from gauss.contact.active import pressing_rows
from gauss.contact.complementarity import ConvexPiece, Minors, all_solutions, lemke, p_matrix
from gauss.contact.coulomb import FrictionProblem, friction_problem, in_space
from gauss.contact.findings import ConeFindings, cone_findings, friction_at
from gauss.contact.forces.ranges import ContactForces, GroupForce, contact_forces
from gauss.contact.forces.required import RequiredCoefficient, jamming_coefficient, required_coefficient
from gauss.contact.impacts.collision import LAWS, Collision, collide, impact, impact_at
from gauss.contact.impacts.orders import Orders, orders
from gauss.contact.impacts.problem import Impact, ImpactProblem, impact_problem, resolve_impact
from gauss.contact.impacts.restitution import ImpactPath, ImpactPhase, routh
from gauss.contact.modes import solve_friction
from gauss.contact.paradox import critical_coefficient, friction_matrix, least_zwang
from gauss.contact.solutions import FrictionSolution, FrictionVerdict
from gauss.contact.space.impact import SpaceImpact, impact_in_space
from gauss.contact.space.problem import ConeProblem, cone_impact, cone_problem
from gauss.contact.space.ranges import ConeForces, cone_forces
from gauss.contact.space.required import cone_required_coefficient
from gauss.contact.space.resistance import Block
from gauss.contact.space.solve import solve_cone
from gauss.contact.space.verdict import ConeSolution, ConeVerdict
from gauss.contact.uniqueness import friction_bound, only_acceleration
from gauss.contact.verdict import FrictionFindings, admits, friction_findings

__all__ = [
    "LAWS",
    "Block",
    "Collision",
    "ConeFindings",
    "ConeForces",
    "ConeProblem",
    "ConeSolution",
    "ConeVerdict",
    "ContactForces",
    "ConvexPiece",
    "FrictionFindings",
    "FrictionProblem",
    "FrictionSolution",
    "FrictionVerdict",
    "GroupForce",
    "Impact",
    "ImpactPath",
    "ImpactPhase",
    "ImpactProblem",
    "Minors",
    "Orders",
    "RequiredCoefficient",
    "SpaceImpact",
    "admits",
    "all_solutions",
    "collide",
    "cone_findings",
    "cone_forces",
    "cone_impact",
    "cone_problem",
    "cone_required_coefficient",
    "contact_forces",
    "critical_coefficient",
    "friction_at",
    "friction_bound",
    "friction_findings",
    "friction_matrix",
    "friction_problem",
    "impact",
    "impact_at",
    "impact_in_space",
    "impact_problem",
    "in_space",
    "jamming_coefficient",
    "least_zwang",
    "lemke",
    "only_acceleration",
    "orders",
    "p_matrix",
    "pressing_rows",
    "required_coefficient",
    "resolve_impact",
    "routh",
    "solve_cone",
    "solve_friction",
]
