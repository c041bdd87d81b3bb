"""The second-order cone program of the forces in space, kept and updated from pass to pass."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import scipy.sparse as sp

from gauss.contact.space.scaled_problem import ScaledCone
from gauss.foundation.arrays import Array, Indices
from gauss.numerics.conic import conic_solver


class ConeProgram:
    """min ½ xᵀG x + qᵀx over forces of contacts: p ≥ 0 and |t| ≤ μ p for each friction at rest.

    The dual of: the least ½|a − a_free|²_M with g̈ + (q − c) ≥ Σ μ|ṡ|. `coefficients` (b,) are the μ; frictions that
    slide, and those without a coefficient, are no unknowns: their forces are given with each call, and so are the
    normal forces of the contacts in `given`, which have no friction at rest.
    """

    def __init__(self, w: ScaledCone, coefficients: Array, given: Collection[int] = ()):
        self._w = w
        self._normals = np.array([i for i in range(w.k) if i not in given], dtype=int)
        resting = [b for b, f in enumerate(w.frictions) if f.direction is None and coefficients[b] > 0.0]
        places = [self._normals, *(np.arange(w.frictions[b].place.start, w.frictions[b].place.stop) for b in resting)]
        self.free: Indices = np.concatenate(places)
        self.given: Indices = np.setdiff1d(np.arange(len(w.c)), self.free)
        column = {int(r): j for j, r in enumerate(self.free)}
        frictional = {w.frictions[b].contact for b in resting}
        rows, cones = [], []
        smooth = [i for i in self._normals.tolist() if i not in frictional]
        for i in smooth:
            rows.append(_unit(len(column), column[i], -1.0))
        cones += [("nonnegative", len(smooth))] if smooth else []
        for b in resting:
            f = w.frictions[b]
            rows.append(_unit(len(column), column[f.contact], -float(coefficients[b])))
            rows += [_unit(len(column), column[r], -1.0) for r in range(f.place.start, f.place.stop)]
            cones.append(("second order", 1 + f.size))
        if not len(self.free):
            return
        G = w.G[np.ix_(self.free, self.free)]
        upper = _upper(G)
        table = sp.csc_matrix(np.array(rows))
        self._solver = conic_solver(upper, w.c[self.free], table, np.zeros(len(rows)), cones)

    def solve(self, x: Array, lift: Array) -> tuple[str, Array]:
        """Return Clarabel's status and the forces (r,), with those of the given places of x held.

        `lift` (k,) is added to the normal rates: De Saxcé's term Σ μ|ṡ|, held.
        """
        w, answer = self._w, x.copy()
        if not len(self.free):
            return "Solved", answer
        q = w.c[self.free] + w.G[np.ix_(self.free, self.given)] @ x[self.given]
        q[: len(self._normals)] += lift[self._normals]
        self._solver.update(q=q)
        found = self._solver.solve()
        answer[self.free] = found.x
        return str(found.status), answer


def _unit(n: int, j: int, value: float) -> Array:
    row = np.zeros(n)
    row[j] = value
    return row


def _upper(G: Array) -> sp.csc_matrix:
    """Return the upper triangle of G, every entry stored."""
    n = len(G)
    rows = np.concatenate([np.arange(j + 1) for j in range(n)])
    starts = np.concatenate([[0], np.cumsum(np.arange(1, n + 1))])
    return sp.csc_matrix((np.concatenate([G[: j + 1, j] for j in range(n)]), rows, starts), shape=(n, n))
