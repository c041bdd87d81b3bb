"""How rows turn: their derivatives by position and velocity, per unit of length in the metric."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gauss.foundation.arrays import MODERATE, Array, Indices, norms
from gauss.model import System
from gauss.model.compiled import PairTable
from gauss.model.state import State
from gauss.principle.metric import Metric

FULL_TABLE = 4_000_000  # entries of ∂J/∂q up to which the sizes of the rows' derivatives are computed exactly
PROBES = 6  # random directions otherwise


@dataclass(frozen=True)
class OfPairs:
    """The derivatives ∂J_ki/∂x_j of m rows, by the pairs (i, j) that any of them has."""

    metric: Metric
    values: Array  # (m, p)
    i: Indices  # (p,)
    j: Indices  # (p,)

    @cached_property
    def whitened(self) -> Array:
        """All of them (m, n, n), per unit of length in the metric of the last index."""
        m, n = len(self.values), len(self.metric.L)
        full = np.zeros((m, n, n))
        full[:, self.i, self.j] = self.values
        return self.metric.whitened(full.reshape(-1, n)).reshape(-1, n, n)

    @cached_property
    def _gathering(self) -> Array:
        """Which pairs an entry i takes part in (p, n), as ones."""
        found = np.zeros((self.i.size, len(self.metric.L)))
        found[np.arange(self.i.size), self.i] = 1.0
        return found

    def changes(self, w: Array | None, moves: Array) -> Array:
        """Return the changes (…, n) of combinations w (…, m), or of each row (m, n), by moves of x of the sizes (n,).

        Each entry changes by the Euclidean norm of what the numbers of x do to it.
        """
        changed = (self.values if w is None else w @ self.values) * moves[self.j]
        top = float(np.abs(changed).max(initial=0.0))
        unit = top if MODERATE < top < np.inf else 1.0
        return np.asarray(unit * np.sqrt((changed / unit) ** 2 @ self._gathering))

    def sizes(self, w: Array | None) -> Array:
        """Return the Frobenius norms (c,) of the tables of combinations w (c, m), or of each row, in the metric."""
        table = self.whitened if w is None else np.tensordot(w, self.whitened, 1)  # (c, n, n)
        n = table.shape[-1]
        white = self.metric.covector(table.swapaxes(0, 1).reshape(n, -1))
        return norms(white.reshape(n, -1, n), (0, 2))


@dataclass(frozen=True)
class OnSamples:
    """The same derivatives of the rows of a large system, along random directions."""

    metric: Metric
    turned: Array  # (PROBES, m, n)

    def changes(self, w: Array | None, moves: Array) -> Array:
        """Return what `OfPairs.changes` does, by the largest of the moves in the metric."""
        far = float(np.max(moves * norms(self.metric.L, 1), initial=0.0))
        table = self.turned if w is None else np.einsum("...k,pkj->p...j", w, self.turned)
        return np.asarray(far * np.sqrt(np.mean(table**2, axis=0)))

    def sizes(self, w: Array | None) -> Array:
        """Return what `OfPairs.sizes` does."""
        table = self.turned if w is None else np.einsum("ck,pkj->pcj", w, self.turned)
        white = self.metric.whitened(table.reshape(-1, table.shape[-1])).reshape(table.shape)
        return np.asarray(np.sqrt(np.mean(np.sum(white**2, axis=2), axis=0)))


@dataclass(frozen=True)
class RowDerivatives:
    """The derivatives of m rows by position and velocity."""

    m: int
    n: int
    by_q: OfPairs | OnSamples
    by_v: OfPairs | OnSamples | None  # None for rows linear in the velocities

    @staticmethod
    def at(system: System, state: State, theta: Array, metric: Metric, pick: Indices) -> RowDerivatives:
        """Evaluate them for the rows with the given indices."""
        jets, n, m = system.model.jets, system.n, len(pick)
        place, bends = (state.q, state.v, state.t, theta), not system.model.linear_velocity
        if len(system.row_names) * n * n <= FULL_TABLE:

            def table(slopes: PairTable) -> OfPairs:
                return OfPairs(metric, slopes.by_pairs(*place)[pick], *slopes.pairs[:2])

            return RowDerivatives(m, n, table(jets.by_q), table(jets.by_v) if bends else None)
        rng = np.random.default_rng(0)
        turned = [jets.turn(*place, metric.lift(rng.normal(size=n))) for _ in range(PROBES)]
        by_q, by_v = (OnSamples(metric, np.array([pair[k][pick] for pair in turned])) for k in (0, 1))
        return RowDerivatives(m, n, by_q, by_v if bends else None)

    def change(self, w: Array, place: Array, pace: Array) -> Array:
        """Return by how much wᵀJ changes, entry by entry (n,), with displacements of the sizes `place` (n,), coordinate
        by coordinate, and changes of the velocity of the sizes `pace` (n,). Of combinations w (c, m) it is (c, n).
        """
        found = self.by_q.changes(w, place)
        return found if self.by_v is None else found + self.by_v.changes(w, pace)

    def changes(self, place: Array, pace: Array) -> Array:
        """Return those changes (m, n) of each row by itself."""
        found = self.by_q.changes(None, place)
        return found if self.by_v is None else found + self.by_v.changes(None, pace)

    def size(self, w: Array) -> tuple[Array, Array]:
        """Return the sizes (c,) of the changes of wᵀJ in the metric for combinations w (c, m): Frobenius norms.

        By position first, then by velocity.
        """
        return self.by_q.sizes(w), np.zeros(len(w)) if self.by_v is None else self.by_v.sizes(w)

    @property
    def sizes(self) -> tuple[Array, Array]:
        """Those sizes (m,) of each row by itself."""
        return self.by_q.sizes(None), np.zeros(self.m) if self.by_v is None else self.by_v.sizes(None)
