"""Equations of a smooth set on which rows vanish as powers: derivatives of these rows that have a slope there.

In a direction in which the row φ is like a parabola, its derivative is such an equation; along the set of these, φ is a
power p of what is left, and its derivative of the order p − 1 in one more direction has a slope too. Of a direction e
that part is taken which the equations E = 0 so far leave free, e − E_qᵀ(E_q E_qᵀ)⁻¹E_q e. It is a coordinate at first;
then the slope of the equation found at the start, which is never far from that on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import casadi as ca

from gauss.foundation.arrays import Array
from gauss.model.compiled.buffer import Buffered, dense_function
from gauss.model.compiled.trace import Trace

LONGEST = 8_000  # nodes of one equation; derivatives of high orders of large rows have more


@dataclass(frozen=True)
class PowerRow:
    """A row that vanishes as a power along independent ones, by positions among the model's rows and coordinates."""

    solving: tuple[int, ...]  # (r,) the independent rows
    row: int
    orders: tuple[tuple[int, int], ...]  # coordinates, and of which order by them a derivative has a slope, in turn


def derived_equations(
    trace: Trace, powers: Sequence[PowerRow], others: Sequence[int], start: Array, theta: Array
) -> Buffered | None:
    """Return φ, ψ (k,), J (k, n) and γ (k,) of the equations as functions of q, v and parameters with controls.

    `others` are rows that are equations as they are, `start` (n,) is a position on the set. None where the equations
    are too long.
    """
    s, phi = trace.symbols, ca.vertsplit(trace.phi)
    given = ca.vertcat(s.p, s.u)

    def slope(row: ca.SX) -> ca.DM:
        """The gradient of a row at the start, of unit length."""
        found = ca.Function("slope", [s.q, given], [ca.gradient(row, s.q)])(start, theta)
        return found / ca.norm_2(found)

    found = [phi[k] for k in others]
    for power in powers:
        equations = _equations_of(power, s.q, phi, slope)
        if equations is None:
            return None
        found += equations
    table = ca.cse(ca.vertcat(*found))
    rate = ca.jtimes(table, s.q, s.v)
    outputs = [table, rate, ca.jacobian(table, s.q), -ca.jtimes(rate, s.q, s.v)]
    return Buffered(dense_function("derived", [s.q, s.v, given], outputs))


def _equations_of(
    power: PowerRow, q: ca.SX, phi: Sequence[ca.SX], slope: Callable[[ca.SX], ca.DM]
) -> list[ca.SX] | None:
    """Return the independent rows, and derivatives of the row that is a power; None where these are long."""
    equations, row = [phi[k] for k in power.solving], phi[power.row]
    for j, order in power.orders:
        direction = ca.DM.zeros(q.numel())
        direction[j] = 1.0
        first = _along(row, direction, order, equations, q)
        found = None if first is None else _along(row, slope(first), order, equations, q)
        if found is None:
            return None
        equations.append(found)
    return equations


def _along(row: ca.SX, direction: ca.DM, order: int, equations: Sequence[ca.SX], q: ca.SX) -> ca.SX | None:
    """Return a derivative of a row in the part of a direction (n,) that equations leave free; None if it is long."""
    free = ca.SX(direction)
    if equations:
        E = ca.jacobian(ca.vertcat(*equations), q)
        free = free - E.T @ (ca.inv_minor(E @ E.T) @ (E @ direction))
    for _ in range(order):
        row = ca.cse(ca.jtimes(row, q, free))
        if ca.n_nodes(row) > LONGEST:
            return None
    return row
