"""Impact on one closing contact: Gauss's principle one level lower, with Newton's restitution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gauss.arrays import Array
from gauss.model import System
from gauss.principle import GaussProblem, solve
from gauss.rows import Rows
from gauss.state import State


@dataclass(frozen=True)
class Impact:
    """What happened in one impact."""

    row: str  # the contact that closed
    v: Array  # (n,) velocities after the impact
    impulses: Array  # (m,) impulsive multipliers Λ of M(v⁺ − v⁻) = JᵀΛ
    energy_loss: float  # kinetic energy before minus after, J; ½ v⁺ᵀMv⁺ is taken in the metric of M


def resolve_impact(system: System, state: State, hitting: int, closed: Sequence[int]) -> Impact:
    """Return the velocities that minimise ½|v⁺ − v⁻|²_M subject to the constraints after the impact.

    Equality rows hold, the contact `hitting` leaves with at least −e times its approach rate (Newton), the contacts
    that were closed before do not close further. With one contact this is Newton's law; its energy loss is
    ½(1 − e²) times the energy of the normal motion. Raises SolverError when the program has no certified answer.
    """
    terms = system.model.terms(state.q, state.v, state.t, system.theta())
    rate = terms.psi
    steady = rate - terms.J @ state.v  # the part of each row's rate that does not depend on v
    lower, upper = -steady, -steady.copy()
    for k in system.model.unilateral:
        upper[k] = np.inf
        lower[k] = -steady[k] if k in closed else -np.inf
    e = system.model.restitution[system.model.unilateral.index(hitting)]
    lower[hitting] = -e * rate[hitting] - steady[hitting]
    rows = Rows(terms.J, lower, upper, system.model.names, system.model.kinds)
    solution = solve(GaussProblem(terms.M, terms.M @ state.v, rows, system.coordinates), "osqp")
    loss = 0.5 * state.v @ terms.M @ state.v - 0.5 * solution.a @ terms.M @ solution.a
    return Impact(system.row_names[hitting], solution.a, solution.multipliers, float(loss))
