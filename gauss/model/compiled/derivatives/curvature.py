"""Derivatives of sparse rows by the positions, entry by entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca

from gauss.foundation.arrays import Array, Indices
from gauss.model.compiled.buffer import Buffered, Pattern, dense_function

if TYPE_CHECKING:
    from gauss.model.compiled.trace import Trace


class Curvature:
    """The entries of ∂J_ki/∂q_j that the model has, for rows that few coordinates take part in."""

    def __init__(self, trace: Trace, arguments: list[ca.SX]):
        J = ca.sparsify(trace.J)
        table = ca.sparsify(ca.jacobian(J.nz[:], trace.symbols.q))
        held, derived = Pattern.of(J), Pattern.of(table)
        self.k: Indices = held.rows[derived.rows]  # (e,) row
        self.i: Indices = held.columns[derived.rows]  # (e,) coordinate of the entry
        self.j: Indices = derived.columns  # (e,) coordinate of the derivative
        self._values = Buffered(dense_function("curvature", arguments, [table.nz[:]]))

    def __call__(self, q: Array, v: Array, t: float, theta: Array) -> Array:
        """Evaluate the entries (e,)."""
        (values,) = self._values(q, v, t, theta)
        return values.ravel()
