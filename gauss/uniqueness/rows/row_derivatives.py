"""How rows turn: their derivatives by position and velocity, per unit of length in the metric."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gauss.foundation.arrays import Array, Indices, norms
from gauss.model import System
from gauss.model.state import State
from gauss.principle.metric import Metric

FULL_TABLE = 4_000_000  # entries of ∂J/∂q up to which the sizes of the rows' derivatives are computed exactly
PROBES = 6  # random directions otherwise


@dataclass(frozen=True)
class RowDerivatives:
    """The derivatives of rows by position and velocity per unit of length in the metric.

    They are whole tables (m, n, n), or for large systems samples (PROBES, m, n) along random directions.
    """

    metric: Metric
    by_q: Array
    by_v: Array | None  # None for rows linear in the velocities
    whole: bool

    @staticmethod
    def at(system: System, state: State, theta: Array, metric: Metric, pick: Indices) -> RowDerivatives:
        """Evaluate them for the rows with the given indices."""
        jets, n = system.model.jets, system.n
        place, bends = (state.q, state.v, state.t, theta), not system.model.linear_velocity
        if len(system.row_names) * n * n <= FULL_TABLE:

            def along(table: Array) -> Array:
                return metric.whitened(table[pick].reshape(-1, n)).reshape(-1, n, n)

            return RowDerivatives(
                metric, along(jets.curvature(*place)), along(jets.bend(*place)) if bends else None, True
            )
        rng = np.random.default_rng(0)
        turned = [jets.turn(*place, metric.lift(rng.normal(size=n))) for _ in range(PROBES)]
        by_q, by_v = (np.array([pair[k][pick] for pair in turned]) for k in (0, 1))
        return RowDerivatives(metric, by_q, by_v if bends else None, False)

    def change(self, w: Array, place: Array, pace: Array) -> Array:
        """Return by how much wᵀJ changes, entry by entry (n,), with displacements of the sizes `place` (n,), coordinate
        by coordinate, and changes of the velocity of the sizes `pace` (n,). Of combinations w (c, m) it is (c, n).
        """
        return self._entries(self.by_q, w, place) + self._entries(self.by_v, w, pace)

    def changes(self, place: Array, pace: Array) -> Array:
        """Return those changes (m, n) of each row by itself."""
        return self.change(np.eye(self.by_q.shape[0 if self.whole else 1]), place, pace)

    def _entries(self, table: Array | None, w: Array, moves: Array) -> Array:
        if table is None:
            return np.zeros((*w.shape[:-1], self.by_q.shape[-1]))
        L = self.metric.L
        if self.whole:
            combined = table if w.ndim == 2 and np.array_equal(w, np.eye(len(table))) else np.tensordot(w, table, 1)
            return norms(combined @ L.T * moves, -1)
        far = float(np.max(moves * norms(L, 1), initial=0.0))
        return np.asarray(far * np.sqrt(np.mean(np.einsum("...k,pkj->p...j", w, table) ** 2, axis=0)))

    def size(self, w: Array) -> tuple[Array, Array]:
        """Return the sizes (c,) of the changes of wᵀJ in the metric for combinations w (c, m): Frobenius norms.

        By position first, then by velocity.
        """
        return self._sizes(self.by_q, w), self._sizes(self.by_v, w)

    @property
    def sizes(self) -> tuple[Array, Array]:
        """Those sizes (m,) of each row by itself."""
        return self._sizes(self.by_q), self._sizes(self.by_v)

    def _sizes(self, table: Array | None, w: Array | None = None) -> Array:
        """Return the sizes (c,) by a table of combinations w (c, m), or (m,) of each row."""
        if table is None:
            return np.zeros(len(w) if w is not None else self.by_q.shape[0 if self.whole else 1])
        n = table.shape[-1]
        if self.whole:
            combined = table if w is None else np.tensordot(w, table, 1)  # (c, n, n)
            white = self.metric.covector(combined.swapaxes(0, 1).reshape(n, -1))
            return norms(white.reshape(n, -1, n), (0, 2))
        combined = table if w is None else np.einsum("ck,pkj->pcj", w, table)
        white = self.metric.whitened(combined.reshape(-1, n)).reshape(combined.shape)
        return np.asarray(np.sqrt(np.mean(np.sum(white**2, axis=2), axis=0)))
