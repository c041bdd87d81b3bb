"""The laws of impact by name, and what each does at one contact alone.

A new law of one contact is a name in `restitution.PATHS` and an end of the path in `restitution.routh`, or a branch of
`strike`; for several contacts that act on each other at once it needs a branch in `collision.collide` too. Contacts in
space know Moreau's law only.
"""

from __future__ import annotations

import numpy as np

from gauss.contact.impacts.problem import ImpactProblem
from gauss.contact.impacts.restitution import PATHS, ImpactPhase, at_once, routh
from gauss.errors import InputError, SolverError
from gauss.foundation.arrays import Array
from gauss.foundation.tolerances import RESTS

LAWS = ("moreau", *PATHS)
AT_REST = 1e-10  # approach speeds below this share of the row's size at v⁻ have died out
ROUNDING = 1e-13  # slip velocities between impacts below this share of the row's size are zero


def check_law(law: str) -> None:
    """Raise InputError for the name of an unknown law."""
    if law not in LAWS:
        raise InputError(f"the law of impact {law!r} is unknown; choose one of {', '.join(LAWS)}.")


def strike(p: ImpactProblem, i: int, v: Array, law: str) -> tuple[Array, float, float, tuple[ImpactPhase, ...]]:
    """Return the velocities after an impact of contact i alone at velocities v (n,), P, S, and Routh's path.

    Raises SolverError where the contact has no freedom, and what the law raises.
    """
    G, W, k = p.influence.G, p.influence.W, p.k
    rate, e = float(p.N[i] @ v - p.nu[i]), float(p.restitution[i])
    near = AT_REST * float(p.rate_sizes[i])
    rate = 0.0 if abs(rate) <= near else rate
    if p.jammed[i]:
        raise SolverError(
            f"the contact {p.names[i]!r} approaches, but the bilateral rows leave it no freedom to leave."
        )
    if not p.frictional[i]:
        normal = -(1.0 + e) * min(rate, 0.0) / W[i, i]
        return v + G[:, i] * normal, normal, 0.0, ()
    own = W[np.ix_([i, k + i], [i, k + i])]
    slip = float(p.T[i] @ v - p.tau[i])
    resting = RESTS if v is p.v else ROUNDING  # between impacts no other error than rounding
    slip = 0.0 if abs(slip) <= resting * float(p.rate_sizes[k + i]) else slip
    if law == "moreau":
        normal, tangential = at_once(own, rate, slip, float(p.static[i]), float(p.kinetic[i]), e)
        return v + G[:, i] * normal + G[:, k + i] * tangential, normal, tangential, ()
    path = routh(own, rate, slip, float(p.static[i]), float(p.kinetic[i]), e, law, near)
    return v + G[:, i] * path.normal + G[:, k + i] * path.tangential, path.normal, path.tangential, path.phases
