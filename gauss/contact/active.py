"""Which closed unilateral rows carry a reaction: the quadratic program over all closed contacts decides."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gauss.model import System
from gauss.model.state import State
from gauss.principle import GaussProblem, GaussSolution, solve

TIE = 1e-9  # a closed row whose slack is below this share of the accelerations neither presses nor leaves


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
