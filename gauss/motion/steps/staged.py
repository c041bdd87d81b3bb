"""Steps whose stages call Python: for black-box forces, feedback controls, large full systems, and careful steps.

They are those of `gauss.model.compiled.steps.fused`, with the same record.
"""

from __future__ import annotations

import numpy as np

from gauss.foundation.arrays import Array
from gauss.foundation.dense import Cholesky
from gauss.foundation.tolerances import NEVER
from gauss.model.compiled import StepScalar
from gauss.model.compiled.steps.fused import FORGIVEN, OVER
from gauss.motion.steps.kkt import NumpyKKT, Refinement, SparseKKT
from gauss.motion.steps.orthogonal import OrthogonalKKT, OrthogonalRows
from gauss.motion.steps.setting import Setting, Slide
from gauss.numerics.runge_kutta import EULER, Tableau


class StagedStepper:
    """A step whose stages call Python: for black-box forces, feedback controls, and large full systems."""

    KEPT: tuple[str, ...] = ("refinement",)
    excused = FORGIVEN  # share of the largest acceleration up to which noise excuses an error estimate

    def __init__(self, setting: Setting, rows: tuple[int, ...], slides: tuple[Slide, ...] = ()):
        self.setting, self.rows, self.trouble, self.slides = setting, rows, "", slides
        self.refinement = Refinement()
        self._sparse = setting.sparse and not slides
        model = setting.system.model
        self._unilateral = [i for i, k in enumerate(rows) if k in model.unilateral]
        self._positional = [i for i, k in enumerate(rows) if k in model.positional]

    def _kkt(self, x: Array, sweeps: int) -> NumpyKKT | SparseKKT | OrthogonalKKT:
        if self._sparse:
            return SparseKKT(self.setting, self.rows, x, sweeps)
        return NumpyKKT(self.setting, self.rows, self.slides, x, sweeps)

    def accelerate(self, x: Array) -> tuple[Array, Array]:
        """Return (a, λ) at x; nan without a regular system there."""
        try:
            return self._kkt(x, self.refinement.sweeps).solve()
        except np.linalg.LinAlgError as error:
            self.trouble = str(error)
            return np.full(self.setting.system.n, np.nan), np.full(len(self.rows), np.nan)

    def pivot(self, x: Array) -> float:
        """Return the smallest squared sine between an active row and those before it at x."""
        try:
            return self._kkt(x, 0).row_pivot
        except np.linalg.LinAlgError as error:
            self.trouble = str(error)
            return 0.0

    def step(self, x: Array, h: float, over: float | None = None) -> tuple[Array, Array]:
        """Take one step of size h, with accelerations good enough for a step `over`.

        A stage without a regular system gives nan, which the caller refuses.
        """
        return self.refinement.of(lambda sweeps: self._taken(x, h, sweeps), h if over is None else over)

    def _taken(self, x: Array, h: float, sweeps: int) -> tuple[Array, Array, float]:
        """Return the step with so many sweeps of refinement, and the noise of its acceleration (see `FusedStep`)."""
        n, tableau = self.setting.system.n, EULER if h == 0.0 else self.setting.tableau
        stages = np.zeros((len(tableau.b), 2 * n))
        pivot, smallest = np.inf, NEVER
        first: tuple[NumpyKKT | SparseKKT | OrthogonalKKT, Array, Array] | None = None
        y = x[1:]
        try:
            for i, c in enumerate(tableau.c):
                yi = y + h * tableau.A[i, :i] @ stages[:i]
                kkt = self._kkt(np.concatenate([[x[0] + c * h], yi]), sweeps)
                a, multipliers = kkt.solve()
                stages[i] = np.concatenate([yi[n:], a])
                pivot = min(pivot, kkt.pivot)
                smallest = min(smallest, float(np.min(multipliers[self._unilateral], initial=NEVER)))
                first = first or (kkt, a, multipliers)
            y1 = y + h * tableau.b @ stages
            moved = np.concatenate([[x[0] + h], y1])
            following, off = self._project_sparsely(moved) if self._sparse else self._project(moved)
        except (np.linalg.LinAlgError, ValueError) as error:
            self.trouble = str(error)
            k = len(self.rows)
            return np.full(2 * n + 1, np.nan), np.full(n + k + len(StepScalar), np.nan), 0.0
        assert first is not None
        kkt, a, multipliers = first
        certificate, noise = kkt.certificate(a, multipliers)
        scale = self.setting.atol + self.setting.rtol * np.maximum(np.abs(y), np.abs(y1))
        forgiven = abs(h) * np.minimum(noise, self.excused * np.max(np.abs(a)))
        error_norm = error_of_pair(tableau, h, scale + OVER * np.append(abs(h) * forgiven, forgiven), stages)
        scalars = [kkt.row_pivot, *certificate, pivot, smallest, *off, error_norm]
        return following, np.concatenate([a, multipliers, scalars]), float(np.max(noise / scale[n:], initial=0.0))

    def _project(self, x: Array) -> tuple[Array, tuple[float, float]]:
        """Project position and velocity in the mass metric; return the state and the distances that are left."""
        x = x.copy()
        n = self.setting.system.n
        off = [0.0, 0.0]
        for level, part, picked in (
            (0, slice(1, n + 1), self._positional),
            (1, slice(n + 1, None), list(range(len(self.rows)))),
        ):
            if not picked:
                continue
            kkt = NumpyKKT(self.setting, self.rows, self.slides, x)
            X, size = kkt.X[:, picked], kkt.size[picked]
            factor = Cholesky.of(kkt.S[np.ix_(picked, picked)])
            index = [self.rows[i] for i in picked]
            for _ in range(2):
                x[part] -= X @ factor.solve(self._residual(x, level)[index])
            off[level] = float(np.max(np.abs(self._residual(x, level)[index]) / size))
        return x, (off[0], off[1])

    def _project_sparsely(self, x: Array) -> tuple[Array, tuple[float, float]]:
        """The same in compiled functions; forces and controls have no part in it."""
        s, n = self.setting, self.setting.system.n
        stages = s.system.model.pieces.stages(self.rows, s.weight > 0.0)
        rest = (float(x[0]), s.theta, s.weight, np.zeros(n))
        q, off_position = stages.place(x[1 : n + 1], x[n + 1 :], *rest)
        v, off_velocity = stages.slow(q, x[n + 1 :], *rest)
        return np.concatenate([x[:1], q, v]), (float(off_position.item()), float(off_velocity.item()))

    def _residual(self, x: Array, level: int) -> Array:
        n = self.setting.system.n
        return self.setting.system.model.residuals(x[1 : n + 1], x[n + 1 :], float(x[0]), self.setting.theta)[level]


class CarefulStepper(StagedStepper):
    """A step on rows that are nearly dependent, by their orthogonal factors.

    The smallest pivot of its records is the sine between the rows, by which rounding is divided, not its square.
    """

    KEPT: tuple[str, ...] = ("refinement", "least")
    excused = np.inf  # the noise is that of the rows themselves

    def __init__(self, setting: Setting, rows: tuple[int, ...]):
        super().__init__(setting, rows)
        self.refinement.most, self._sparse = 0, False
        self.least = 1.0  # sine so far

    def _kkt(self, x: Array, sweeps: int) -> OrthogonalKKT:
        kkt = OrthogonalKKT(self.setting, self.rows, x)
        self.least = min(self.least, kkt.pivot)
        return kkt

    def pivot(self, x: Array) -> float:
        """Return the square of the smallest sine between the rows at x."""
        return super().pivot(x) ** 2

    def _project(self, x: Array) -> tuple[Array, tuple[float, float]]:
        """Project position and velocity in the mass metric; return the state and the distances that are left."""
        x, off, n = x.copy(), [0.0, 0.0], self.setting.system.n
        every = list(range(len(self.rows)))
        for level, part, picked in ((0, slice(1, n + 1), self._positional), (1, slice(n + 1, None), every)):
            if not picked:
                continue
            kkt = self._kkt(x, 0)
            rows, index = OrthogonalRows(kkt.L, kkt.J[picked]), [self.rows[i] for i in picked]
            for _ in range(2):
                x[part] -= rows.nearest(self._residual(x, level)[index])[0]
            off[level] = float(np.max(np.abs(self._residual(x, level)[index]) / rows.size))
        return x, (off[0], off[1])


def error_of_pair(tableau: Tableau, h: float, scale: Array, stages: Array) -> float:
    """Return the scaled error of the 8(5,3) pair, as `fused._error_norm`; 0 for fixed steps."""
    if not tableau.adaptive:
        return 0.0
    n5, n3 = (float(np.sum((e @ stages / scale) ** 2)) for e in (tableau.e5, tableau.e3))
    return float(abs(h) * n5 / np.sqrt((n5 + 0.01 * n3) * scale.size + np.finfo(float).tiny))
