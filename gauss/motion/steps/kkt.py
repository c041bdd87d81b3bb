"""The Karush-Kuhn-Tucker system of one stage of a step, for stages with forces that Python computes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gauss.foundation.arrays import Array
from gauss.foundation.dense import Cholesky, solve_triangular
from gauss.model.compiled.steps.pins import pin_loads
from gauss.motion.steps.setting import Setting, Slide

NOISY = 0.01  # noise of a step, as a share of the tolerances, from which its accelerations are refined
MOST = 4  # sweeps of refinement


@dataclass
class Refinement:
    """How many sweeps of refinement the accelerations of a stepper take: as many as their noise asks for."""

    KEPT: tuple[str, ...] = ("sweeps", "most")

    sweeps: int = 0
    most: int = MOST  # fewer where a further sweep has left the noise as it was, which is then that of M, J, f and γ

    def more(self) -> bool:
        """Take one sweep more from now on; return whether there is one left."""
        left = self.sweeps < self.most
        self.sweeps += left
        return left

    def of(self, take: Callable[[int], tuple[Array, Array, float]], h: float) -> tuple[Array, Array]:
        """Return what `take` gives for the number of sweeps that a step h asks for, without its noise."""
        following, record, noise = take(self.sweeps)
        while noise * abs(h) > NOISY and self.sweeps < self.most:
            *finer, left = take(self.sweeps + 1)
            if left < noise / 2.0:
                (following, record), noise, self.sweeps = finer, left, self.sweeps + 1
            else:
                self.most = self.sweeps
        return following, record


class NumpyKKT:
    """The Karush-Kuhn-Tucker system on fixed rows at one state, in NumPy: the counterpart of `fused.KKT`."""

    def __init__(self, setting: Setting, active: tuple[int, ...], slides: tuple[Slide, ...], x: Array, sweeps: int = 0):
        n = setting.system.n
        t, q, v = float(x[0]), x[1 : n + 1], x[n + 1 :]
        terms = setting.system.model.terms(q, v, t, setting.parameters_at(t, q, v))
        rows = list(active)
        self.M, self.J, self.gamma = terms.M, terms.J[rows], terms.gamma[rows]
        self.f = terms.f + setting.untraced_force(t, q, v)
        w = setting.weight
        self.weighted = w > 0.0 and bool(rows)
        self.whole = K = self.M + w * self.J.T @ self.J if w > 0.0 else self.M
        self.F = self.f + w * self.J.T @ self.gamma if w > 0.0 else self.f
        self.K = Cholesky.of(K)
        self.X = self.K.solve(self.J.T)
        self.S = self.J @ self.X
        self.size = np.sqrt(np.diag(self.S))
        self.C = Cholesky.of(self.S) if rows else None
        self.row_pivot = 1.0 if self.C is None else float(np.min(np.diag(self.C.factor) ** 2 / np.diag(self.S)))
        self.loaded = [
            (s.c, rows.index(s.normal), s.row(terms.J, terms.psi, setting.floor))
            for s in slides
            if s.normal is not None
        ]
        pins = [(s.c, s.pin, terms.J[s.slip]) for s in slides if s.pin is not None]
        self.pins = [(c, [rows.index(k) for k in pair], slip) for c, pair, slip in pins]
        constant = (s for s in slides if s.normal is None and s.pin is None)
        self.constant = sum((s.c * terms.J[s.slip] for s in constant), np.zeros(n))
        self.F = self.F - self.constant
        self.G, self.sweeps = self.J, sweeps
        if self.loaded:
            self.G = G = self.J.copy()
            for c, i, slip in self.loaded:
                G[i] -= c * slip
            self.Y = self.K.solve(G.T)
            self.L, self.U = eliminated(self.J @ self.Y)
            self.row_pivot = float(np.min(np.diag(self.U) / self.size**2))
        self.solved = self._with_pins(*self._refined(self.F, self.gamma))
        self.pivot = min(float(np.min(np.diag(self.K.factor) ** 2 / np.diag(K))), self.row_pivot)

    def solve(self) -> tuple[Array, Array]:
        """Return (a, λ)."""
        return self.solved

    def _answer(self, F: Array, gamma: Array) -> tuple[Array, Array]:
        """Return (a, λ) for a force and right sides of the rows, without the torques of pins."""
        free = self.K.solve(F)
        if self.C is None:
            return free, np.zeros(0)
        if self.loaded:
            y = solve_triangular(self.L, gamma - self.J @ free, lower=True, unit_diagonal=True)
            multipliers = solve_triangular(self.U, y)
            return free + self.Y @ multipliers, multipliers
        multipliers = self.C.solve(gamma - self.J @ free)
        return free + self.X @ multipliers, multipliers

    def _refined(self, F: Array, gamma: Array) -> tuple[Array, Array]:
        """Return (a, λ) refined, as `gauss.model.compiled.steps.kkt.refined`."""
        a, multipliers = self._answer(F, gamma)
        for _ in range(self.sweeps):
            more, loads = self._change(F, gamma, a, multipliers)
            a, multipliers = a + more, multipliers + loads
        return a, multipliers

    def _change(self, F: Array, gamma: Array, a: Array, multipliers: Array) -> tuple[Array, Array]:
        return self._answer(F + self.G.T @ multipliers - self.whole @ a, gamma - self.J @ a)

    def _with_pins(self, a: Array, multipliers: Array) -> tuple[Array, Array]:
        """Return (a, λ) with the torques of the dry pins that turn, and count their pivot among those of the rows."""
        if not self.pins:
            return a, multipliers
        turned = [self._refined(-c * slip, np.zeros_like(self.gamma)) for c, _, slip in self.pins]
        u = np.column_stack([multipliers[pair] for _, pair, _ in self.pins])
        U = np.vstack([np.column_stack([loads[pair] for _, loads in turned]) for _, pair, _ in self.pins])
        y, pivot = (np.array(each) for each in pin_loads(len(self.pins))(u, U))
        self.row_pivot = float(np.fmin(self.row_pivot, pivot.item()))
        for size, (moved, loads) in zip(y.ravel(), turned, strict=True):
            a, multipliers = a + size * moved, multipliers + size * loads
        return a, multipliers

    def certificate(self, a: Array, multipliers: Array) -> tuple[list[float], Array]:
        """Return the Zwang, the primal and the stationarity residual, as `fused.Pieces` defines them; and the noise."""
        reaction = self.J.T @ multipliers
        f = self.f - self.constant
        f = f - sum((c * multipliers[i] * slip for c, i, slip in self.loaded), np.zeros(len(f)))  # friction as applied
        torques = sum((c * np.hypot(*multipliers[pair]) * slip for c, pair, slip in self.pins), np.zeros(len(f)))
        f = f - torques
        stationarity = self.M @ a - f - reaction
        primal = float(np.max(np.abs(self.J @ a - self.gamma) / self.size, initial=0.0))
        zwang = 0.5 * a @ self.M @ a - f @ a if self.weighted else 0.5 * reaction @ self.K.solve(reaction)
        dual = np.sqrt(max(stationarity @ self.K.solve(stationarity), 0.0))
        noise, _ = self._change(self.F - torques, self.gamma, a, multipliers)
        return [float(zwang), primal, float(dual)], np.abs(noise)


class SparseKKT:
    """The same for large sparse systems: compiled, with the forces that Python adds at this state."""

    def __init__(self, setting: Setting, rows: tuple[int, ...], x: Array, sweeps: int = 0):
        n = setting.system.n
        t, q, v = float(x[0]), x[1 : n + 1], x[n + 1 :]
        self.stages = setting.system.model.pieces.stages(rows, setting.weight > 0.0, sweeps)
        extra = setting.untraced_force(t, q, v)
        self.inputs = (q, v, t, setting.parameters_at(t, q, v), setting.weight, extra)
        self.a, self.multipliers, pivot, _, row_pivot = self.stages.acceleration(*self.inputs)
        if not (np.all(np.isfinite(self.a)) and np.all(np.isfinite(self.multipliers))):
            raise np.linalg.LinAlgError("the Karush-Kuhn-Tucker system has no finite solution")
        self.pivot, self.row_pivot = float(pivot.item()), float(row_pivot.item())

    def solve(self) -> tuple[Array, Array]:
        """Return (a, λ)."""
        return self.a, self.multipliers

    def certificate(self, a: Array, multipliers: Array) -> tuple[list[float], Array]:
        """Return the Zwang, the primal and the stationarity residual, and the noise."""
        *numbers, noise = self.stages.certificate(*self.inputs, a, multipliers)
        return [float(number.item()) for number in numbers], np.abs(noise)


def eliminated(S: Array) -> tuple[Array, Array]:
    """Return L (unit lower) and U of S = L U without exchanging rows, as the pivots of a P-matrix are positive."""
    L, U = np.eye(len(S)), S.copy()
    for i in range(len(S) - 1):
        L[i + 1 :, i] = U[i + 1 :, i] / U[i, i]
        U[i + 1 :] -= np.outer(L[i + 1 :, i], U[i])
    return L, np.triu(U)
