"""Contacts: which unilateral rows press, what an impact does, and Coulomb friction at one state.

>>> import gauss as g
>>> block = g.System(
...     "block",
...     coordinates="x z",
...     kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2),
...     potential_energy=lambda q: 9.81 * q.z,
...     constraints=[g.Unilateral("floor", lambda q: q.z, restitution=0.5, friction=g.Coulomb(0.3, lambda v: v.x))],
... )
>>> found = g.contact.solve_contacts(g.contact.contact_problem(block, [0, 0], [1, 0]))
>>> found.verdict, found.solutions[0].modes
('one', ('slip+',))
"""

from gauss.contact.active import pressing_among as pressing_among
from gauss.contact.active import pressing_rows
from gauss.contact.findings import ContactFindings, contact_findings, findings_at
from gauss.contact.forces.admission import admits, only_acceleration
from gauss.contact.forces.ranges import contact_forces
from gauss.contact.forces.record import ContactForces, GroupForce
from gauss.contact.forces.required import RequiredCoefficient, jamming_coefficient, required_coefficient
from gauss.contact.impacts.collision import LAWS, Collision, collide, impact
from gauss.contact.impacts.collision import impact_at as impact_at
from gauss.contact.impacts.orders import Orders, orders
from gauss.contact.impacts.problem import Impact, ImpactProblem, impact_problem, resolve_impact
from gauss.contact.impacts.restitution import ImpactPath, ImpactPhase, routh
from gauss.contact.impacts.simultaneous import ImpactOutcome, moreau
from gauss.contact.loads import LoadFindings as LoadFindings
from gauss.contact.loads import load_findings as load_findings
from gauss.contact.plane.complementarity import ConvexPiece, Minors, all_solutions, lemke, p_matrix
from gauss.contact.plane.paradox import critical_coefficient, friction_matrix, least_zwang
from gauss.contact.plane.uniqueness import friction_bound
from gauss.contact.problem import ContactProblem, contact_problem
from gauss.contact.problem import frozen_contacts as frozen_contacts
from gauss.contact.problem import in_space as in_space
from gauss.contact.resistance import Resistance
from gauss.contact.solve import solve_contacts
from gauss.contact.verdict import ContactSolution, ContactVerdict

__all__ = [  # for users; what is imported "as" itself is for other rooms and for tests
    "LAWS",
    "Collision",
    "ContactFindings",
    "ContactForces",
    "ContactProblem",
    "ContactSolution",
    "ContactVerdict",
    "ConvexPiece",
    "GroupForce",
    "Impact",
    "ImpactOutcome",
    "ImpactPath",
    "ImpactPhase",
    "ImpactProblem",
    "Minors",
    "Orders",
    "RequiredCoefficient",
    "Resistance",
    "admits",
    "all_solutions",
    "collide",
    "contact_findings",
    "contact_forces",
    "contact_problem",
    "critical_coefficient",
    "findings_at",
    "friction_bound",
    "friction_matrix",
    "impact",
    "impact_problem",
    "jamming_coefficient",
    "least_zwang",
    "lemke",
    "moreau",
    "only_acceleration",
    "orders",
    "p_matrix",
    "pressing_rows",
    "required_coefficient",
    "resolve_impact",
    "routh",
    "solve_contacts",
]
