"""The finish: from a proposed active set to a pair (a, λ) that passes the certificate, or an error.

A solver's "solved" is no proof. Its active set is solved directly, and corrected while the Karush-Kuhn-Tucker
conditions fail: the most violated row enters, or the row with the most negative multiplier leaves.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import scipy
import scipy.linalg as sla

from gauss.errors import SolverError
from gauss.foundation.arrays import Array
from gauss.foundation.arrays import length as norm
from gauss.foundation.dense import solve_triangular
from gauss.foundation.tolerances import EPS
from gauss.numerics.massless import Held
from gauss.principle.certificate import Residuals, residuals_of
from gauss.principle.metric import Metric
from gauss.principle.problem import GaussProblem
from gauss.principle.proposal import SetSolver, Signs
from gauss.principle.reduction import ReducedProgram

REFINEMENTS = 6


def finish(
    problem: GaussProblem, metric: Metric, candidates: Iterable[Signs], solve_on: SetSolver
) -> tuple[Array, Array, Residuals]:
    """Return (a, λ, residuals) of the first candidate active set that can be corrected to a certified answer.

    `candidates` may be lazy: a later one is computed only when the earlier ones fail. Raises SolverError otherwise.
    """
    answers = []
    for active in candidates:
        a, multipliers, residuals = _correct(problem, metric, active.copy(), solve_on)
        if residuals.at_rounding:
            return a, multipliers, residuals
        answers.append((a, multipliers, residuals))
    a, multipliers, best = min(answers, key=lambda answer: _rank(answer[2]))
    if best.certified:
        return a, multipliers, best
    raise SolverError(
        "no acceleration passed the Karush-Kuhn-Tucker certificate: the best one has stationarity residual"
        f" {best.stationarity:.2g}, row residual {max(best.primal, best.violation):.2g}, multiplier of the wrong sign"
        f" {best.dual:.2g}"
        f" (scales {best.stationarity_scale:.2g} and {best.primal_scale:.2g}, mass metric). The inequality rows may be"
        " contradictory, or the rows too close to dependent; look at gauss.uniqueness.diagnose(problem)."
    )


def _rank(r: Residuals) -> tuple[bool, float]:
    """Order answers: certified ones first, then by their relative residuals."""
    total = (r.stationarity + r.dual) / max(r.stationarity_scale, 1e-300)
    return not r.certified, total + (r.primal + r.violation) / max(r.primal_scale, 1e-300)


def _correct(
    problem: GaussProblem, metric: Metric, active: Signs, solve_on: SetSolver
) -> tuple[Array, Array, Residuals]:
    """Solve on the active set and change one row at a time; return the best answer before sets repeat."""
    rows = problem.rows
    seen: set[bytes] = set()
    best: tuple[Array, Array, Residuals] | None = None
    while active.tobytes() not in seen:
        seen.add(active.tobytes())
        a, multipliers = solve_on(active)
        if not np.isfinite(a).all():
            break
        residuals = residuals_of(problem, metric, a, multipliers)
        if best is None or _rank(residuals) < _rank(best[2]):
            best = a, multipliers, residuals
        if residuals.at_rounding:
            break
        value, length = rows.J @ a, np.where(problem.lengths == 0.0, 1.0, problem.lengths)
        below, above = (rows.lower - value) / length, (value - rows.upper) / length
        violation = np.where(active == 0, np.maximum(below, above), 0.0)
        wrong = np.where(rows.equal, 0.0, -active * multipliers * length)
        if np.max(violation, initial=0.0) > residuals.touching:
            enter = int(np.argmax(violation))
            active[enter] = 1 if below[enter] > above[enter] else -1
        elif np.max(wrong, initial=0.0) > residuals.rounding * residuals.stationarity_scale:
            active[int(np.argmax(wrong))] = 0
    if best is None:
        raise SolverError("the Karush-Kuhn-Tucker system of the active rows has no finite solution.")
    return best


def reduced_set_solver(problem: GaussProblem, reduction: ReducedProgram) -> SetSolver:
    """Return the direct solver on an active set in reduced coordinates.

    It is refined with residuals of the original problem in extended precision: where rows are nearly dependent, an
    acceleration in double precision is too rough to say which rows it satisfies.
    """
    metric, spectrum, rows = reduction.metric, reduction.spectrum, problem.rows
    r = spectrum.rank
    aside, sigma, size = spectrum.U[:, :r], spectrum.sigma[:r], spectrum.length
    position = {int(k): j for j, k in enumerate(reduction.inequality)}

    def solve(active: Signs) -> tuple[Array, Array]:
        chosen = [position[k] for k in active.nonzero()[0].tolist() if k in position]
        index, length = reduction.inequality[chosen], reduction.length[chosen]
        signs = active[index].astype(float)
        W, b = reduction.E, reduction.c
        if chosen:
            bound = np.where(signs > 0, reduction.low[chosen], reduction.high[chosen])
            W, b = np.vstack([W, signs[:, None] * reduction.G[chosen]]), np.concatenate([b, signs * bound])
        saddle = _Saddle(metric, W, r)

        def original(mu: Array) -> Array:
            """Multipliers of the problem's rows from those of the rows W."""
            multipliers = np.zeros(problem.m)
            multipliers[rows.equality] = (aside @ (mu[:r] / sigma)) / size
            multipliers[index] = signs * mu[r:] / length
            return multipliers

        def reduced(shortfall: Array) -> Array:
            """What the rows W miss, by what those of the problem do."""
            found = np.asarray((aside.T @ (shortfall[rows.equality] / size)) / sigma)
            return np.concatenate([found, signs * shortfall[index] / length]) if chosen else found

        z, mu = saddle.solve(b, metric.h)
        a = (metric.reference + metric.lift(z)).astype(np.longdouble)
        multipliers = original(mu).astype(np.longdouble)
        bounds = np.where(active == 0, 0.0, np.where(active > 0, rows.lower, rows.upper))
        for _ in range(REFINEMENTS):
            force = (problem.M @ a - problem.f - rows.J.T @ multipliers).astype(float)
            missed = reduced((bounds - rows.J @ a).astype(float))
            dz, dmu = saddle.solve(missed, metric.covector(force))
            a, multipliers = a + metric.lift(dz), multipliers + original(dmu)
            if _settled(dz, metric.L.T @ a.astype(float)) and _settled(dmu, mu):
                break
        if saddle.dependent:
            return a.astype(float), original(pressing(W.T, metric.L.T @ (a - metric.reference).astype(float), r))
        return a.astype(float), multipliers.astype(float)

    return solve


def pressing(columns: Array, reaction: Array, equalities: int) -> Array:
    """Return multipliers of dependent rows, μ ≥ 0 but for the first ones, whose columns add up to the reaction.

    Multipliers of rounding size are set to zero: such a row does not press.
    """
    low = np.concatenate([np.full(equalities, -np.inf), np.zeros(columns.shape[1] - equalities)])
    length = np.linalg.norm(columns, axis=0)
    length[length == 0.0] = 1.0
    unit = scipy.optimize.lsq_linear(columns / length, reaction, bounds=(low, np.inf), method="bvls", tol=1e-15).x
    small = np.abs(unit) <= 100.0 * EPS * np.max(np.abs(unit), initial=0.0)
    small[:equalities] = False
    return np.asarray(np.where(small, 0.0, unit) / length)


def _settled(change: Array, value: Array) -> bool:
    """Return whether a refinement has come down to rounding."""
    return norm(change) <= EPS * norm(value)


class _Saddle:
    """min ½ zᵀP z + hᵀz subject to W z = b, whose first `r` rows are orthonormal equalities."""

    def __init__(self, metric: Metric, W: Array, r: int):
        self.metric, self.W, self.r = metric, W, r
        if metric.definite:
            factors = np.linalg.svd(W, full_matrices=False) if W.shape[0] else (np.zeros((0, 0)), np.zeros(0), W)
            self.U: Array = factors[0]
            self.sigma: Array = factors[1]
            self.V: Array = factors[2]
            self.rank = int((self.sigma > 1e-12 * self.sigma.max(initial=0.0)).sum())
        else:
            k = W.shape[0]
            self.matrix = np.block([[metric.P, -W.T], [W, np.zeros((k, k))]])

    @property
    def dependent(self) -> bool:
        """Whether the rows W are dependent, so that their multipliers are a choice."""
        return self.metric.definite and self.rank < self.W.shape[0]

    def solve(self, b: Array, h: Array) -> tuple[Array, Array]:
        """Return z and the multipliers μ of P z + h = Wᵀμ, of least norm where the rows are dependent."""
        if not self.metric.definite:
            n = h.size
            right = np.concatenate([-h, b])
            answer = sla.lstsq(self.matrix, right, lapack_driver="gelsd", cond=1e-13)[0]
            return answer[:n], answer[n:]
        U, sigma, V = self.U[:, : self.rank], self.sigma[: self.rank], self.V[: self.rank]
        along = (U.T @ b) / sigma  # the part of z in the row space
        return V.T @ (along + V @ h) - h, U @ ((along + V @ h) / sigma)


def direct_set_solver(problem: GaussProblem) -> SetSolver:
    """Return the direct solver on an active set in the original coordinates: LAPACK on [[M, −Jᵀ], [J, 0]].

    The saddle-point matrix is equilibrated, factorised by the null-space method (pivoted QR of Jᵀ,
    pseudo-inverse of the reduced mass matrix) and refined with residuals in extended precision. It shares no code with
    the reduction.
    """
    M, f, rows = problem.M, problem.f, problem.rows

    def solve(active: Signs) -> tuple[Array, Array]:
        chosen = np.flatnonzero(active)
        J = rows.J[chosen]
        b = np.where(active > 0, rows.lower, rows.upper)[chosen]
        factors = _NullSpace(M, J)
        a, mu = np.zeros(problem.n, dtype=np.longdouble), np.zeros(chosen.size, dtype=np.longdouble)
        for _ in range(REFINEMENTS):
            da, dmu = factors.solve((f - M @ a + J.T @ mu).astype(float), (b - J @ a).astype(float))
            a, mu = a + da, mu + dmu
            if _settled(da / factors.d, a.astype(float) / factors.d) and _settled(dmu, mu.astype(float)):
                break
        multipliers = np.zeros(problem.m)
        multipliers[chosen] = mu.astype(float)
        if factors.r < factors.k:
            first = np.argsort(rows.lower[chosen] != rows.upper[chosen], kind="stable")  # equality rows first
            sign = active[chosen][first]
            columns = factors.d[:, None] * (J[first] * sign[:, None]).T
            equalities = int(np.sum(rows.lower[chosen] == rows.upper[chosen]))
            reaction = factors.d * (M @ a - f).astype(float)
            multipliers[chosen[first]] = sign * pressing(columns, reaction, equalities)
        return a.astype(float), multipliers

    return solve


class _NullSpace:
    """Factors of M a − Jᵀμ = g, J a = b, with rows and coordinates equilibrated."""

    def __init__(self, M: Array, J: Array):
        n, k = M.shape[0], J.shape[0]
        diagonal = np.diag(M)
        heavy = bool(np.all(diagonal > 0.0))
        self.d = 1.0 / np.sqrt(diagonal) if heavy else Held.of(M, J).sizes
        self.M = M * self.d[:, None] * self.d[None, :]
        scaled = J * self.d
        length = np.linalg.norm(scaled, axis=1)
        self.s = 1.0 / np.where(length == 0.0, 1.0, length)
        Q, R, self.order = sla.qr((scaled * self.s[:, None]).T, pivoting=True)
        pivots = np.abs(np.diag(R)) if k else np.zeros(0)
        r = int(np.sum(pivots > 1e-12 * pivots[0])) if pivots.size and pivots[0] > 0.0 else 0
        self.r, self.k, self.n = r, k, n
        self.R, self.Q1, self.Q2 = R[:r, :r], Q[:, :r], Q[:, r:]
        # Where rows are dependent the multipliers of smallest norm are taken.
        self.rows = (scaled * self.s[:, None]).T
        self.inverse = np.linalg.pinv(self.Q2.T @ self.M @ self.Q2, rcond=1e-14, hermitian=True)

    def solve(self, g: Array, b: Array) -> tuple[Array, Array]:
        """Return a and μ."""
        right, target = self.d * g, (self.s * b)[self.order]
        y = solve_triangular(self.R, target[: self.r], transposed=True) if self.r else np.zeros(0)
        a = self.Q1 @ y
        a = a + self.Q2 @ (self.inverse @ (self.Q2.T @ (right - self.M @ a)))
        reaction = self.M @ a - right
        mu = np.zeros(self.k)
        if self.r == self.k and self.k:
            mu[self.order] = solve_triangular(self.R, self.Q1.T @ reaction)
        elif self.k:
            mu = np.linalg.lstsq(self.rows, reaction, rcond=1e-12)[0]
        return self.d * a, self.s * mu
