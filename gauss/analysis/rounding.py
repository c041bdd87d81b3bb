"""What rounding makes of an acceleration: the bound within which formulations that agree must agree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gauss.foundation.arrays import Array, lengths_of
from gauss.foundation.tolerances import DEPENDENT, EPS, NUDGE
from gauss.model import System
from gauss.model.state import State
from gauss.principle import GaussProblem


@dataclass(frozen=True, eq=False)
class Rounding:
    """The metric of a state, and the sizes that decide how well an acceleration is known there."""

    L: Array  # (n, n) of M + w JᵀJ = L Lᵀ, w = 0 for a definite M
    condition: float  # of the metric at unit diagonal, times that of the rows in it, those that vanish left out
    scale: float  # |a| + |M⁻¹ f| + |γ| + what cancels in f and γ, in the metric

    @classmethod
    def of(cls, system: System, state: State, controls: Array, active: Array, a: Array, weight: float) -> Rounding:
        """Return it for the acceleration a (n,) at a state with the rows in force, booleans (m,)."""
        problem = GaussProblem.at(system, state, controls)
        active = active & np.any(problem.rows.J, axis=1)
        gamma = system.model.terms(state.q, state.v, state.t, system.theta(controls)).gamma[active]
        M, f, J = problem.M, problem.f, problem.rows.J[active]
        K = M + weight * J.T @ J
        d = np.sqrt(np.diag(K))
        L = np.linalg.cholesky(K)
        whitened = np.linalg.solve(L, J.T).T
        length = lengths_of(whitened)
        sigma = np.linalg.svd(whitened / length[:, None], compute_uv=False) if len(length) else np.ones(1)
        kept = sigma[sigma > DEPENDENT * sigma[0]]  # redundant rows do not make the others less certain
        condition = float(np.linalg.cond(K / d[:, None] / d[None, :]) * sigma[0] / kept[-1])
        scale = float(np.linalg.norm(L.T @ a) + np.linalg.norm(np.linalg.solve(L, f)))
        scale += float(np.max(np.abs(gamma) / length, initial=0.0))
        force, row, turning = _cancelling(system, state, system.theta(controls), active, a)
        scale += float(np.linalg.norm(np.linalg.solve(L, force)))
        turned = np.linalg.norm(np.linalg.solve(L, turning.T).T, axis=1) * np.linalg.norm(L.T @ state.v)
        scale += float(np.max((turned + row) / length, initial=0.0))
        return cls(L, condition, scale)

    def bound(self, more: float = 0.0) -> float:
        """Return 100·eps·n·cond·scale, with the sizes of further terms in the scale."""
        return 100.0 * EPS * len(self.L) * self.condition * max(self.scale + more, 1e-300)

    def norm(self, a: Array) -> float:
        """Return |a| in the metric."""
        return float(np.linalg.norm(self.L.T @ a))


def _cancelling(system: System, state: State, theta: Array, active: Array, a: Array) -> tuple[Array, Array, Array]:
    """Return ∂f/∂x·|x| for every coordinate and velocity x, (n, 2n), the size of ∂(γ − J a)/∂x·|x|, (m,), and dJ/dt.

    Forces that nearly cancel, a spring against a charge, leave an f that says nothing of their sizes; what f changes by
    when a coordinate changes by its own size does. Likewise the terms of γ = −(dJ/dt) v. Where the model is not finite
    beside the state, nothing is counted.
    """
    model, n, m = system.model, system.n, int(np.count_nonzero(active))
    here = model.terms(state.q, state.v, state.t, theta)
    force, row = np.zeros((n, 2 * n)), np.zeros((m, 2 * n))
    for k in range(2 * n):
        x = np.concatenate([state.q, state.v])
        if x[k] == 0.0:
            continue
        x[k] *= 1.0 + NUDGE
        there = model.terms(x[:n], x[n:], state.t, theta)
        force[:, k] = (there.f - here.f) / NUDGE
        row[:, k] = (there.gamma - here.gamma - (there.J - here.J) @ a)[active] / NUDGE
    step = NUDGE * max(1.0, float(np.linalg.norm(state.q))) / max(float(np.linalg.norm(state.v)), 1e-300)
    moves = bool(np.any(state.v))
    ahead = model.terms(state.q + step * state.v, state.v, state.t + step, theta).J if moves else here.J
    force, row, turning = (np.nan_to_num(x, posinf=0.0, neginf=0.0) for x in (force, row, (ahead - here.J)[active]))
    return force, np.linalg.norm(row, axis=1), turning / (step if moves else 1.0)
