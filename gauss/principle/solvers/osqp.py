"""OSQP on the reduced problem: the default solver."""

from __future__ import annotations

from typing import Any

import numpy as np
import osqp
import scipy.sparse as sp

from gauss.arrays import Array
from gauss.principle.problem import GaussProblem
from gauss.principle.proposal import Proposal, equality_signs
from gauss.principle.reduction import Reduction

# The defaults (1e-3) give accelerations wrong by 2e-4 and the wrong active set; these give 1e-14 after polishing.
SETTINGS: dict[str, Any] = {
    "eps_abs": 1e-9,
    "eps_rel": 1e-9,
    "polishing": True,
    "polish_refine_iter": 10,
    "max_iter": 10_000,
    "verbose": False,
}


class Workspace:
    """One OSQP problem kept and updated: min ½|z|² subject to low ≤ A z ≤ high with A (k, n) dense."""

    def __init__(self, A: Array, low: Array, high: Array, P: Array | None = None, h: Array | None = None):
        k, n = A.shape
        self.shape = (k, n)
        self._indices = np.tile(np.arange(k), n), np.arange(n + 1) * k
        quadratic = sp.csc_matrix(np.triu(P)) if P is not None else sp.eye(n, format="csc")
        self._solver = osqp.OSQP()
        self._solver.setup(P=quadratic, q=np.zeros(n) if h is None else h, A=self._sparse(A), l=low, u=high, **SETTINGS)

    def _sparse(self, A: Array) -> sp.csc_matrix:
        """Store every entry, zeros too, so that updates keep the pattern."""
        return sp.csc_matrix((A.ravel(order="F"), *self._indices), shape=A.shape)

    def update(self, A: Array, low: Array, high: Array) -> None:
        """Replace all rows and bounds."""
        if self.shape[0]:
            self._solver.update(Ax=A.ravel(order="F"), l=low, u=high)

    def solve(self) -> Any:
        """Solve; OSQP's result has x, y and info. y has the opposite sign of λ."""
        return self._solver.solve(raise_error=False)


class SparseWorkspace:
    """One OSQP problem kept and updated: min ½ yᵀP y + hᵀy subject to low ≤ A y ≤ high, in fixed sparsity patterns.

    P is given by its upper triangle. Stored zeros keep their places, so OSQP's symbolic factorisation serves all
    updates; A has at least one row.
    """

    def __init__(self, P: sp.csc_matrix, h: Array, A: sp.csc_matrix, low: Array, high: Array):
        self._solver = osqp.OSQP()
        self._solver.setup(P=P, q=h, A=A, l=low, u=high, **SETTINGS)

    def update(self, P: Array, h: Array, A: Array, low: Array, high: Array) -> None:
        """Replace all numbers; P and A are the stored values, column by column."""
        self._solver.update(Px=P, q=h, Ax=A, l=low, u=high)

    def solve(self) -> Any:
        """Solve; OSQP's result has x, y and info. y has the opposite sign of λ."""
        return self._solver.solve(raise_error=False)


def with_zero_row(A: Array, low: Array, high: Array) -> tuple[Array, Array, Array]:
    """Append the row 0·z = 0: it changes nothing, but keeps OSQP from printing that no row is active."""
    return np.vstack([A, np.zeros((1, A.shape[1]))]), np.append(low, 0.0), np.append(high, 0.0)


def propose(problem: GaussProblem, reduction: Reduction) -> Proposal:
    """Solve the reduced problem with OSQP and read the active set off its multipliers."""
    metric = reduction.metric
    A, low, high = with_zero_row(
        np.vstack([reduction.E, reduction.G]),
        np.concatenate([reduction.c, reduction.low]),
        np.concatenate([reduction.c, reduction.high]),
    )
    workspace = Workspace(A, low, high, None if metric.definite else metric.P, None if metric.definite else metric.h)
    result = workspace.solve()
    active = equality_signs(problem)
    r = reduction.E.shape[0]
    value, y = A @ result.x, result.y
    for j, k in enumerate(reduction.inequality):
        i = r + j
        if value[i] - low[i] < -y[i]:
            active[k] = 1
        elif high[i] - value[i] < y[i]:
            active[k] = -1
    return Proposal(
        metric.reference + metric.lift(np.asarray(result.x)), active, int(result.info.iter), str(result.info.status)
    )
