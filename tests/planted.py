"""Random Gauss problems with a planted answer: rows, multipliers and slacks are chosen first, the force follows.

The rows that carry a reaction have prescribed singular values in the mass metric, from 1 down to `ratio`, which is
drawn between 1e-8 and 1. With M a − Jᵀλ = f, λ of the right sign on touching rows and slack on the others, a is the
minimiser of the Zwang whatever a solver says.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gauss.principle import GaussProblem, GaussSolution, solve

EPS = float(np.finfo(float).eps)
SMALLEST_RATIO = -8.0  # log10 of the smallest σ_min/σ_max of the carrying rows


def rounding(scale=1.0, condition=1.0):
    """The tolerance for rounding: a hundred rounding errors of numbers of size `scale`, amplified by `condition`."""
    return 100.0 * EPS * float(condition) * float(scale)


@dataclass(frozen=True)
class Planted:
    """A problem with its answer."""

    problem: GaussProblem
    a: np.ndarray  # (n,) the minimiser
    ratio: float  # σ_min/σ_max of the rows that carry a reaction, in the mass metric
    active: tuple[str, ...]  # inequality rows that carry a reaction

    @property
    def L(self):
        """Cholesky factor of the mass matrix."""
        return np.linalg.cholesky(self.problem.M)

    def distance(self, a, other=None):
        """Distance of two accelerations in the mass metric, √kg m/s²; to the planted one by default."""
        return float(np.linalg.norm(self.L.T @ (a - (self.a if other is None else other))))

    def solve(self, solver):
        """Solve with one solver; ``kkt`` is told the planted active set."""
        return solve(self.problem, solver, self.active if solver == "kkt" else None)


def random_mass(rng, n):
    """A positive definite mass matrix whose coordinates have units from 0.1 to 10."""
    Q = rng.normal(size=(n, n))
    unit = 10.0 ** rng.uniform(-1, 1, n)
    M = (Q @ Q.T / n + 0.1 * np.eye(n)) * unit[:, None] * unit
    return (M + M.T) / 2


def carrying_rows(rng, L, count, ratio):
    """`count` rows whose singular values in the mass metric fall geometrically from 1 to `ratio`."""
    n = L.shape[0]
    if count == 0:
        return np.zeros((0, n))
    U, _ = np.linalg.qr(rng.normal(size=(count, count)))
    V, _ = np.linalg.qr(rng.normal(size=(n, count)))
    return (U * np.geomspace(1.0, ratio, count)) @ V.T @ L.T


def planted(rng, degenerate=False):
    """Draw a problem with n ≤ 30, up to n carrying rows (equalities, lower and upper bounds) and up to n slack rows.

    With `degenerate` some of the carrying inequality rows lose their multiplier: they touch the answer, zero slack and
    zero multiplier, so that rounding alone decides whether they count as active.
    """
    n = int(rng.integers(2, 31))
    k = int(rng.integers(0, n + 1))
    equalities = int(rng.integers(0, k + 1))
    slack_rows = int(rng.integers(0, n + 1))
    M = random_mass(rng, n)
    L = np.linalg.cholesky(M)
    ratio = 10.0 ** rng.uniform(SMALLEST_RATIO, 0)
    J = np.vstack([carrying_rows(rng, L, k, ratio), rng.normal(size=(slack_rows, n)) @ L.T])
    a = np.linalg.solve(L.T, rng.normal(size=n))

    m, index = k + slack_rows, np.arange(k + slack_rows)
    sign = np.where(rng.random(m) < 0.3, -1.0, 1.0)  # −1: the bound that is touched, or nearest, is the upper one
    multipliers = np.where(index < k, sign * rng.uniform(0.1, 2.0, m), 0.0)
    length = np.linalg.norm(np.linalg.solve(L, J.T), axis=0)
    slack = np.where(index < k, 0.0, rng.uniform(0.1, 2.0, m) * length)
    if degenerate:
        multipliers[(index >= equalities) & (rng.random(m) < 0.3)] = 0.0

    exact = np.longdouble  # so that the planted answer is exact up to one rounding of f and of the bounds
    value = (J.astype(exact) @ a.astype(exact)).astype(float)
    near = value - sign * slack
    far = np.where(rng.random(m) < 0.5, near + sign * rng.uniform(5.0, 9.0, m) * length, sign * np.inf)
    lower, upper = np.where(sign > 0, near, far), np.where(sign > 0, far, near)
    lower[:equalities] = upper[:equalities] = value[:equalities]
    f = (M.astype(exact) @ a.astype(exact) - J.T.astype(exact) @ multipliers.astype(exact)).astype(float)
    problem = GaussProblem.of(M, f, J, lower, upper)
    active = tuple(problem.rows.names[i] for i in index[equalities:] if multipliers[i] != 0.0)
    return Planted(problem, a, ratio if k else 1.0, active)


def touched(rng):
    """Draw a problem from a feasible point that some of its rows touch, and an arbitrary force.

    The minimiser is not known, its active set may be degenerate, and more rows than coordinates may touch a point.
    """
    n = int(rng.integers(2, 31))
    equalities, inequalities = int(rng.integers(0, n)), int(rng.integers(0, n + 1))
    M = random_mass(rng, n)
    E = carrying_rows(rng, np.linalg.cholesky(M), equalities, 10.0 ** rng.uniform(SMALLEST_RATIO, 0))
    G = rng.normal(size=(inequalities, n))
    feasible = rng.normal(size=n)
    slack = np.abs(rng.normal(size=inequalities)) * (rng.random(inequalities) < 0.7)
    lower = np.concatenate([E @ feasible, G @ feasible - slack])
    upper = np.where(np.arange(lower.size) < equalities, lower, np.inf)
    return GaussProblem.of(M, 10.0 * rng.normal(size=n), np.vstack([E, G]), lower, upper)


def bound_ratio(case: Planted, solution: GaussSolution) -> float:
    """True error over claimed error bound; above 1 the bound is wrong."""
    return case.distance(solution.a) / solution.error_bound
