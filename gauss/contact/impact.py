"""Impact on one closing contact: Gauss's principle one level lower, with Newton's restitution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gauss.arrays import Array
from gauss.errors import SolverError
from gauss.model import System
from gauss.principle import GaussProblem, solve
from gauss.rows import Rows
from gauss.state import State

SWEEPS = 50
SETTLED = 1e-13  # relative change of the velocities at which the linearisation has converged


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
    that were closed before do not close further. With one contact this is Newton's law; its energy loss is (1 − e²)
    times the energy of the normal motion. Constraints nonlinear in the velocities are linearised anew at each v⁺ until
    it no longer changes. Raises SolverError when the program has no certified answer or does not settle.
    """
    model = system.model
    e = model.restitution[model.unilateral.index(hitting)]
    low, high = np.zeros(model.m), np.zeros(model.m)
    for k in model.unilateral:
        low[k], high[k] = 0.0 if k in closed else -np.inf, np.inf
    low[hitting] = -e * model.residuals(state.q, state.v, state.t, system.theta())[1][hitting]
    v, impulses, loss = after_impact(system, state, low, high, repr(system.row_names[hitting]))
    return Impact(system.row_names[hitting], v, impulses, loss)


def after_impact(system: System, state: State, low: Array, high: Array, where: str) -> tuple[Array, Array, float]:
    """Return the nearest velocities (n,) with rates of the rows between `low` and `high` (m,), the impulses, the loss.

    The impulses are Λ (m,), the loss is that of kinetic energy (J). Raises SolverError, which names `where`.
    """
    model, theta = system.model, system.theta()
    v = state.v
    for _ in range(SWEEPS):
        terms = model.terms(state.q, v, state.t, theta)
        steady = terms.psi - terms.J @ v  # the part of each row's rate that does not depend on v
        rows = Rows(terms.J, low - steady, high - steady, model.names, model.kinds)
        solution = solve(GaussProblem(terms.M, terms.M @ state.v, rows, system.coordinates), "osqp")
        change, v = float(np.max(np.abs(solution.a - v))), solution.a
        if model.linear_velocity or change <= SETTLED * max(1.0, float(np.max(np.abs(v)))):
            loss = 0.5 * state.v @ terms.M @ state.v - 0.5 * v @ terms.M @ v
            return v, solution.multipliers, float(loss)
    raise SolverError(
        f"the impact on {where} at t = {state.t:.9g} s does not settle: the velocities after it did not satisfy the"
        f" nonlinear constraints within {SWEEPS} linearisations."
    )
