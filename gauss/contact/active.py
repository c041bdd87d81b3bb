"""Which closed unilateral rows carry a reaction: the quadratic program over all closed contacts decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gauss.model import System
from gauss.principle import GaussProblem, GaussSolution, solve
from gauss.state import State

TIE = 1e-9  # a closed row whose slack is below this share of the accelerations neither presses nor leaves


def problem_at(
    system: System, state: State, u: object = None, closed: Sequence[int] | None = None, held: Sequence[int] = ()
) -> GaussProblem:
    """Return `GaussProblem.at` with the rows of friction free, but for those that are `held` (indices): they stick."""
    problem = GaussProblem.at(system, state, u, closed)
    free = [k for k in system.model.friction if k not in held]
    if not free:
        return problem
    lower, upper = problem.rows.lower.copy(), problem.rows.upper.copy()
    lower[free], upper[free] = -np.inf, np.inf
    return replace(problem, rows=replace(problem.rows, lower=lower, upper=upper))


def pressing_rows(
    system: System, state: State, closed: Sequence[int], released: Sequence[int] = (), u: object = None
) -> tuple[tuple[int, ...], GaussSolution]:
    """Return the unilateral rows that stay closed, by the quadratic program, and its solution.

    A row with λ > 0 presses. A row that neither presses nor leaves (λ = 0 and g̈ = 0 within `TIE`) counts as closed. A
    row that has just been released, its λ being zero up to rounding, is open.
    """
    solution = solve(GaussProblem.at(system, state, u, closed), "osqp")
    rows = solution.problem.rows
    slack = rows.J @ solution.a - rows.lower
    scale = float(np.max(np.abs(rows.J) @ np.abs(solution.a), initial=0.0)) + 1e-300
    staying = []
    for k in closed:
        tied = solution.multipliers[k] == 0.0 and slack[k] <= TIE * scale
        if k not in released and (solution.multipliers[k] > 0.0 or tied):
            staying.append(k)
    return tuple(staying), solution
