"""Equations of a smooth set on which rows vanish as powers: derivatives of these rows that have a slope there.

With y_i a coordinate in which the row φ is like a parabola, ∂φ/∂y_i = 0 is such an equation; along the set of these, φ
is a power p of what is left, and its derivative of the order p − 1 along one more coordinate y_j has a slope too. Along
equations E = 0, solved for the coordinates c, the derivatives are D_j = ∂_j − ∂_c (∂E/∂c)⁻¹ ∂E/∂y_j.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from gauss.model.compiled.buffer import Buffered, dense_function
from gauss.model.compiled.trace import Trace

LONGEST = 30_000  # nodes of one equation; derivatives of high orders of large rows have more


@dataclass(frozen=True)
class PowerRow:
    """A row that vanishes as a power along independent ones, by positions among the model's rows and coordinates."""

    solving: tuple[int, ...]  # (r,) independent rows
    solved: tuple[int, ...]  # (r,) coordinates that they are solved for
    row: int
    squares: tuple[int, ...]  # coordinates in which it is like a parabola
    last: int  # the coordinate in which it is a power on the set of these; −1 where nothing is left over
    exponent: int  # of that power


def derived_equations(trace: Trace, powers: Sequence[PowerRow], others: Sequence[int]) -> Buffered | None:
    """Return φ, ψ (k,), J (k, n) and γ (k,) of the equations as functions of q, v and parameters with controls.

    `others` are rows that are equations as they are. None where the equations are too long.
    """
    s, phi = trace.symbols, ca.vertsplit(trace.phi)
    found = [phi[k] for k in others]
    for power in powers:
        equations = _equations_of(power, s.q, phi)
        if equations is None:
            return None
        found += equations
    table = ca.cse(ca.vertcat(*found))
    rate = ca.jtimes(table, s.q, s.v)
    outputs = [table, rate, ca.jacobian(table, s.q), -ca.jtimes(rate, s.q, s.v)]
    return Buffered(dense_function("derived", [s.q, s.v, ca.vertcat(s.p, s.u)], outputs))


def _equations_of(power: PowerRow, q: ca.SX, phi: Sequence[ca.SX]) -> list[ca.SX] | None:
    """Return the independent rows, and derivatives of the row that is a power; None where these are long."""
    equations, solved, row = [phi[k] for k in power.solving], list(power.solved), phi[power.row]
    for i in power.squares:
        equations.append(_along(row, i, equations, solved, q))
        solved.append(i)
    for _ in range(power.exponent - 1 if power.last >= 0 else 0):
        row = ca.cse(_along(row, power.last, equations, solved, q))
        if ca.n_nodes(row) > LONGEST:
            return None
    return equations if power.last < 0 else [*equations, row]


def _along(row: ca.SX, j: int, equations: Sequence[ca.SX], solved: Sequence[int], q: ca.SX) -> ca.SX:
    """Return the derivative D_j of a row along equations that are solved for some coordinates."""
    whole = ca.jtimes(row, q, _unit(j, q))
    if not solved:
        return whole
    E = ca.vertcat(*equations)
    slopes = ca.horzcat(*(ca.jtimes(E, q, _unit(c, q)) for c in solved))
    by_solved = ca.horzcat(*(ca.jtimes(row, q, _unit(c, q)) for c in solved))
    return whole - by_solved @ ca.inv_minor(slopes) @ ca.jtimes(E, q, _unit(j, q))


def _unit(j: int, q: ca.SX) -> ca.DM:
    unit = ca.DM.zeros(q.numel())
    unit[j] = 1.0
    return unit
