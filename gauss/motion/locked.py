"""Steps on a locked position: the rows are dependent all along the motion, and order 4 keeps it where they can be.

Three bars in a line beside a free pendulum, a squared row y² = 0, the handle of Whitney's umbrella: the ordinary rows
do not determine the acceleration at any state of such a motion. Each stage therefore minimises the Zwang on the rows
that the analysis of its state has completed, and velocities are projected onto these rows too. It is slow: an analysis
takes some milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gauss.arrays import Array
from gauss.errors import GaussError, SolverError
from gauss.model.compiled import FusedStep
from gauss.motion.steppers import Setting
from gauss.principle import GaussProblem
from gauss.principle.metric import Metric, metric_of
from gauss.regularity import Classification, classification
from gauss.regularity.classify import semidefinite
from gauss.regularity.frame import frame_of
from gauss.regularity.jets import conditions
from gauss.state import State

FREE = 1e-12  # eigenvalues of the squared quadrics below this, relative, leave their direction free


class LockedStepper:
    """A Runge-Kutta step whose stages are analysed one by one; a `Stepper`."""

    def __init__(self, setting: Setting, rows: tuple[int, ...], rank: int):
        self.setting, self.rows, self.trouble, self.rank = setting, rows, "", rank

    def accelerate(self, x: Array) -> tuple[Array, Array]:
        """Return (a, λ of the rows) at x, λ as near as multipliers of the ordinary rows alone come; nan if none."""
        n = self.setting.system.n
        try:
            return self._answer(self._judged(x))
        except GaussError as error:
            self.trouble = str(error)
            return np.full(n, np.nan), np.full(len(self.rows), np.nan)

    def pivot(self, x: Array) -> float:
        """Return 1: dependence of the rows is what is dealt with here."""
        return 1.0

    def step(self, x: Array, h: float) -> tuple[Array, Array]:
        """Return the next state, projected, and the record of x."""
        n, tableau = self.setting.system.n, self.setting.tableau
        y, stages = x[1:], np.zeros((len(tableau.b), 2 * n))
        try:
            first = self._judged(x)
            a, multipliers = self._answer(first)
            within = self._velocities(first)
            for i, c in enumerate(tableau.c if h != 0.0 else ()):
                yi = y + h * tableau.A[i, :i] @ stages[:i]
                yi[n:] = within(yi[n:])
                stage = a if i == 0 else self._stage(np.concatenate([[x[0] + c * h], yi]))
                stages[i] = np.concatenate([yi[n:], stage])
            y1 = y + h * tableau.b @ stages
            following, off = self._projected(np.concatenate([[x[0] + h], y1]), first)
        except GaussError as error:
            self.trouble = str(error)
            return np.full(2 * n + 1, np.nan), np.full(n + len(self.rows) + len(FusedStep.SCALARS), np.nan)
        assert first.solution is not None
        r = first.solution.residuals
        scalars = [1.0, first.solution.zwang, r.primal, r.stationarity, 1.0, 1e300, *off, self._error(h, y, y1, stages)]
        return following, np.concatenate([a, multipliers, scalars])

    def _velocities(self, first: Classification) -> Callable[[Array], Array]:
        """Return the projection of velocities onto those that the completed rows of the step's start allow."""
        metric, J = metric_of(first.problem), first.problem.rows.J
        white = metric.white(J)
        length = np.linalg.norm(white, axis=1)
        steady = first.problem.rows.kinds
        rows = np.array([k for k in range(len(J)) if steady[k] == "jet"], dtype=int)
        Q = np.linalg.svd(white[rows] / np.where(length[rows] > 0.0, length[rows], 1.0)[:, None], full_matrices=False)[
            2
        ]

        def within(v: Array) -> Array:
            z = metric.L.T @ v
            return metric.lift(z - Q.T @ (Q @ z)) if len(Q) else v

        return within

    def _stage(self, x: Array) -> Array:
        """Return the acceleration at a stage by its conditions alone, where these are plainly locked."""
        n, s = self.setting.system.n, self.setting
        state = State(x[1 : n + 1], x[n + 1 :], float(x[0]))
        u = s.parameters_at(state.t, state.q, state.v)[len(s.system.parameters) :]
        problem = GaussProblem.at(s.system, state, u)
        frame = frame_of(s.system, state, problem, s.system.model.equality, target=self.rank)
        c = conditions(frame)
        plain = c.admissible and c.smooth and not c.crossing.shape[1] and all(semidefinite(q) for q in c.quadrics)
        if not plain:
            return self._answer(self._judged(x))[0]
        S = sum(
            (np.abs(np.linalg.norm(q.S)) ** -1 * q.S @ q.S.T for q in c.quadrics), np.zeros((c.kernel.shape[1],) * 2)
        )
        values, vectors = np.linalg.eigh(S)
        basis = c.kernel @ vectors[:, values <= FREE * np.max(values, initial=0.0)]
        return frame.lift(c.base + basis @ (basis.T @ frame.free))

    def _judged(self, x: Array) -> Classification:
        """Return the analysis of a stage, whose rank is that of the start. Raises SolverError where none is locked."""
        n, s = self.setting.system.n, self.setting
        state = State(x[1 : n + 1], x[n + 1 :], float(x[0]))
        u = s.parameters_at(state.t, state.q, state.v)[len(s.system.parameters) :]
        problem = GaussProblem.at(s.system, state, u)
        verdict = classification(s.system, state, problem, target=self.rank)
        if verdict.solution is None:
            raise SolverError(f"a stage at t = {state.t:.9g} s is {verdict.verdict}, not locked")
        return verdict

    def _answer(self, verdict: Classification) -> tuple[Array, Array]:
        solution, J = verdict.solution, verdict.problem.rows.J[list(self.rows)]
        assert solution is not None
        reaction = verdict.problem.M @ solution.a - verdict.problem.f
        return solution.a, np.asarray(np.linalg.lstsq(J.T, reaction, rcond=1e-9)[0], float) if len(J) else np.zeros(0)

    def _projected(self, x: Array, first: Classification) -> tuple[Array, tuple[float, float]]:
        """Project on what the completed rows of the step's start fix: positions stay, velocities vanish across them."""
        n, system = self.setting.system.n, self.setting.system
        metric: Metric = metric_of(first.problem)
        x, rows = x.copy(), list(self.rows)
        white = metric.white(first.problem.rows.J)
        length = np.linalg.norm(white, axis=1)
        scale = np.where(length[rows] > 1e-9, length[rows], 1.0)
        for _ in range(3):
            terms = system.model.terms(x[1 : n + 1], x[n + 1 :], float(x[0]), self.setting.theta)
            J = metric.white(terms.J[rows]) / scale[:, None]
            x[1 : n + 1] += metric.lift(np.asarray(np.linalg.lstsq(J, -terms.phi[rows] / scale, rcond=1e-6)[0], float))
        unit = white / np.where(length > 0.0, length, 1.0)[:, None]
        ordinary = len(system.row_names)
        for _ in range(2):
            psi = system.model.residuals(x[1 : n + 1], x[n + 1 :], float(x[0]), self.setting.theta)[1]
            residual = np.zeros(len(unit))
            residual[rows] = psi[rows] / np.where(length[rows] > 0.0, length[rows], 1.0)
            residual[ordinary:] = unit[ordinary:] @ (metric.L.T @ x[n + 1 :])
            x[n + 1 :] += metric.lift(np.asarray(np.linalg.lstsq(unit, -residual, rcond=1e-6)[0], float))
        phi, psi = system.model.residuals(x[1 : n + 1], x[n + 1 :], float(x[0]), self.setting.theta)
        return x, (float(np.max(np.abs(phi[rows]) / scale)), float(np.max(np.abs(psi[rows]) / scale)))

    def _error(self, h: float, y: Array, y1: Array, stages: Array) -> float:
        """Return the scaled error of the 8(5,3) pair, as the other steppers do."""
        tableau = self.setting.tableau
        if not tableau.adaptive or h == 0.0:
            return 0.0
        scale = self.setting.atol + self.setting.rtol * np.maximum(np.abs(y), np.abs(y1))
        n5, n3 = (float(np.sum((e @ stages / scale) ** 2)) for e in (tableau.e5, tableau.e3))
        return float(abs(h) * n5 / np.sqrt((n5 + 0.01 * n3) * y.size + np.finfo(float).tiny))
