"""Steps for rows that are nearly dependent: accelerations and projections by orthogonal factors of the rows.

Elimination works with J M⁻¹ Jᵀ, whose condition is the square of that of the rows. Where these differ by a sine s,
their orthogonal factors leave an error of ε/s in the acceleration, elimination one of ε/s². Nothing here is compiled.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg as sla

from gauss.foundation.arrays import Array, lengths_of
from gauss.foundation.dense import solve_triangular
from gauss.foundation.tolerances import EPS
from gauss.motion.steps.setting import Setting


class OrthogonalRows:
    """The rows J (k, n) in the metric K, as K^(-1/2) Jᵀ = Q R with rows divided by their lengths."""

    def __init__(self, L: Array, J: Array):
        whitened = solve_triangular(L, J.T, lower=True)
        self.L, self.size = L, lengths_of(whitened.T)
        self.Q, self.R = np.linalg.qr(whitened / self.size)
        sines = np.linalg.svd(self.R, compute_uv=False) if self.size.size else np.ones(1)
        self.sine = float(sines[-1])

    def nearest(self, right: Array) -> tuple[Array, Array]:
        """Return y (n,), the least in the metric with J y = `right` (k,), and λ (k,) with K y = Jᵀ λ."""
        u = solve_triangular(self.R.T, right / self.size, lower=True)
        return solve_triangular(self.L.T, self.Q @ u), solve_triangular(self.R, u) / self.size


class OrthogonalKKT:
    """The Karush-Kuhn-Tucker system on fixed rows at one state: what `NumpyKKT` solves, for nearly dependent rows.

    The pivot is the sine between the rows, not its square: rounding is divided by that.
    """

    def __init__(self, setting: Setting, active: tuple[int, ...], x: Array):
        n = setting.system.n
        t, q, v = float(x[0]), x[1 : n + 1], x[n + 1 :]
        terms = setting.system.model.terms(q, v, t, setting.parameters_at(t, q, v))
        rows, w = list(active), setting.weight
        self.M, self.J, self.gamma = terms.M, terms.J[rows], terms.gamma[rows]
        self.f = terms.f + setting.untraced_force(t, q, v)
        self.weighted = w > 0.0 and bool(rows)
        whole = self.M + w * self.J.T @ self.J if w > 0.0 else self.M
        push = self.f + w * self.J.T @ self.gamma if w > 0.0 else self.f
        self.L = np.asarray(sla.cholesky(whole, lower=True, check_finite=False))
        self.rows = OrthogonalRows(self.L, self.J)
        free = solve_triangular(self.L.T, solve_triangular(self.L, push, lower=True))
        pull, self.multipliers = self.rows.nearest(self.gamma - self.J @ free)
        self.a = free + pull
        more, loads = self.rows.nearest(self.gamma - self.J @ self.a)
        self.a, self.multipliers = self.a + more, self.multipliers + loads
        self.noise = np.full(n, EPS / max(self.rows.sine, EPS) * float(np.max(np.abs(np.concatenate([free, self.a])))))
        self.pivot = self.row_pivot = self.rows.sine

    def solve(self) -> tuple[Array, Array]:
        """Return (a, λ)."""
        return self.a, self.multipliers

    def certificate(self, a: Array, multipliers: Array) -> tuple[list[float], Array]:
        """Return the Zwang, the primal and the stationarity residual, and the noise, as `NumpyKKT` does.

        Multipliers are large where rows are nearly dependent: the residual is what is left beyond its terms' rounding.
        """
        reaction = self.J.T @ multipliers
        off = self.M @ a - self.f - reaction
        terms = np.abs(self.M) @ np.abs(a) + np.abs(self.f) + np.abs(self.J.T) @ np.abs(multipliers)
        off = np.sign(off) * np.maximum(np.abs(off) - len(a) * EPS * terms, 0.0)
        left = solve_triangular(self.L, off, lower=True)
        primal = float(np.max(np.abs(self.J @ a - self.gamma) / self.rows.size, initial=0.0))
        pull = solve_triangular(self.L, reaction, lower=True)
        zwang = 0.5 * a @ self.M @ a - self.f @ a if self.weighted else 0.5 * pull @ pull
        return [float(zwang), primal, float(np.linalg.norm(left))], self.noise
