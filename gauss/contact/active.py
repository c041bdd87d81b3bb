"""Which closed unilateral rows carry a reaction: the quadratic program over all closed contacts decides."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gauss.foundation.arrays import Array
from gauss.model import System
from gauss.model.state import State
from gauss.principle import GaussProblem, answer

TIE = 1e-9  # a closed row whose slack is below this share of the accelerations neither presses nor leaves


def pressing_rows(
    system: System, state: State, closed: Sequence[int], released: Sequence[int] = (), u: object = None
) -> tuple[tuple[int, ...], GaussProblem, Array]:
    """Return the unilateral rows that stay closed, by the quadratic program, that program, and its multipliers (m,).

    A row with λ > 0 presses. A row that neither presses nor leaves (λ = 0 and g̈ = 0 within `TIE`) counts as closed. A
    row that has just been released, its λ being zero up to rounding, is open.
    `closed` and `released` are rows by index. Raises what `gauss.principle.solve` raises.

    >>> import gauss as g
    >>> walls = [g.Unilateral("floor", lambda q: q.z), g.Unilateral("wall", lambda q: q.x)]
    >>> bead = g.System("bead", "x z", mass_matrix=[[1, 0], [0, 1]], force=[2.0, -10.0], constraints=walls)
    >>> rows, problem, multipliers = g.contact.pressing_rows(bead, bead.state([0, 0]), closed=(0, 1))
    >>> rows, multipliers.round(9).tolist()  # it leaves the wall, and the floor bears 10 N
    ((0,), [10.0, 0.0])
    """
    problem = GaussProblem.at(system, state, u, closed)
    pressing, multipliers = pressing_among(problem, closed, released)
    return pressing, problem, multipliers


def pressing_among(
    problem: GaussProblem, closed: Sequence[int], released: Sequence[int] = ()
) -> tuple[tuple[int, ...], Array]:
    """Return what `pressing_rows` does of a program that is known: the rows that stay closed, the multipliers (m,)."""
    rows = problem.rows
    if not closed and not rows.equality.size:  # nothing binds
        return (), np.zeros(problem.m)
    a, multipliers = answer(problem)
    slack = rows.J @ a - rows.lower
    scale = float(np.max(np.abs(rows.J) @ np.abs(a), initial=0.0)) + 1e-300
    staying = []
    for k in closed:
        tied = multipliers[k] == 0.0 and slack[k] <= TIE * scale
        if k not in released and (multipliers[k] > 0.0 or tied):
            staying.append(k)
    return tuple(staying), multipliers
