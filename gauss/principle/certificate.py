"""The certificate: Karush-Kuhn-Tucker residuals of an answer, recomputed from the original problem, and its error.

An acceleration a with multipliers λ is the minimiser of the Zwang iff M a − f = Jᵀλ, lower ≤ J a ≤ upper, λ ≥ 0 on
rows at their lower bound, λ ≤ 0 at their upper bound and λ = 0 elsewhere. The certificate does not depend on how the
answer was found.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gauss.arrays import Array
from gauss.principle.metric import Metric
from gauss.principle.problem import GaussProblem

EPS = float(np.finfo(float).eps)
ROUNDING = 100.0  # residuals up to ROUNDING · eps · (n + m) · scale are rounding
SHARE = 0.1  # of the terms of the stationarity residual that counts in its scale, where they nearly cancel
LARGEST = 200  # coordinates up to which these terms are looked at


@dataclass(frozen=True)
class Residuals:
    """Residuals in the mass metric (all in √kg m/s², so that they do not depend on the units of rows), and scales."""

    stationarity: float  # |M a − f − Jᵀλ| in the inverse metric
    primal: float  # largest residual of equality and active rows, as a distance
    violation: float  # largest violation of an inactive row, as a distance
    dual: float  # multipliers of the wrong sign, times the lengths of their rows, added up
    stationarity_scale: float  # the size of the terms that were subtracted
    primal_scale: float  # accelerations that were subtracted: |a|, |a_free| and the bounds
    row_scale: float  # |a| and the bounds alone: what rounds when a row is evaluated
    condition: float  # σ_max/σ_min of the equality and active rows, scaled to unit length
    rounding: float  # what counts as rounding, relative to the scales

    @property
    def touching(self) -> float:
        """Violations up to this distance are the rounding of a itself; more sends the row into the active set."""
        return 10.0 * EPS * (self.row_scale + 1e-3 * self.primal_scale)  # 1e-3·eps: extended precision

    @property
    def at_rounding(self) -> bool:
        """Whether all residuals are at rounding level, and the active set is beyond doubt."""
        s, p = self.rounding * self.stationarity_scale, self.rounding * self.primal_scale
        return self.stationarity <= s and self.primal <= p and self.violation <= self.touching and self.dual <= s

    @property
    def certified(self) -> bool:
        """Whether the equations hold to rounding, and the inequalities to what rounding makes of them.

        The acceleration itself is only known to eps·condition, so a row that is just touched may appear violated, or
        its multiplier negative, by that much. This does not depend on the answer's own residuals.
        """
        s, p = self.rounding * self.stationarity_scale, self.rounding * self.primal_scale
        doubt = 10.0 * EPS * self.condition
        return bool(
            self.stationarity <= s
            and self.primal <= p
            and self.violation <= max(p, doubt * self.primal_scale)
            and self.dual <= max(s, doubt * self.stationarity_scale)
        )


def residuals_of(problem: GaussProblem, metric: Metric, a: Array, multipliers: Array) -> Residuals:
    """Recompute all residuals of (a, λ) from M, f, J and the bounds.

    A row is active when its multiplier is not exactly zero; its bound is the nearer one, where λ must
    have the right sign.
    """
    rows = problem.rows
    white = metric.white(rows.J)
    length = np.linalg.norm(white, axis=1)
    inverse = 1.0 / np.where(length == 0.0, 1.0, length)
    value = rows.J @ a
    equality = rows.lower == rows.upper
    carrying = equality | (multipliers != 0.0)
    at_lower = equality | (np.abs(value - rows.lower) <= np.abs(rows.upper - value))  # the bound that it touches
    off = np.where(at_lower, rows.lower - value, value - rows.upper) * inverse
    outside = np.maximum(np.maximum(rows.lower - value, value - rows.upper), 0.0) * inverse
    wrong = ~equality & np.where(at_lower, multipliers < 0.0, multipliers > 0.0)
    force = problem.M @ a
    weight = np.abs(multipliers) * length
    finite = np.where(np.isfinite(rows.lower), np.abs(rows.lower), 0.0)
    finite = np.maximum(finite, np.where(np.isfinite(rows.upper), np.abs(rows.upper), 0.0))
    sigma = np.linalg.svd(white[carrying] * inverse[carrying, None], compute_uv=False)
    sigma = sigma[sigma > 1e-11 * np.max(sigma, initial=0.0)]
    row_scale = metric.norm(a) + float(np.max(finite * inverse, initial=0.0))
    applied = float(np.linalg.norm(metric.covector(problem.f)))
    stationarity = float(np.linalg.norm(metric.covector(force - problem.f - rows.J.T @ multipliers)))
    stationarity_scale = float(np.linalg.norm(metric.covector(force)) + applied + np.sum(weight))
    rounding = ROUNDING * EPS * (problem.n + problem.m)
    if not stationarity <= rounding * stationarity_scale:
        stationarity_scale = max(stationarity_scale, SHARE * _terms(problem, metric, a, multipliers))
    return Residuals(
        stationarity=stationarity,
        primal=float(np.max(np.abs(off[carrying]), initial=0.0)),
        violation=float(np.max(outside[~carrying], initial=0.0)),
        dual=float(np.sum(weight[wrong])),
        stationarity_scale=stationarity_scale,
        primal_scale=row_scale + applied,
        row_scale=row_scale,
        condition=float(sigma[0] / sigma[-1]) if sigma.size else 1.0,
        rounding=rounding,
    )


def _terms(problem: GaussProblem, metric: Metric, a: Array, multipliers: Array) -> float:
    """Return the size in the inverse metric of the terms of M a − f − Jᵀλ, none of which cancels: ‖|L⁻¹|(|M||a| + …)‖.

    Coordinates with little inertia, as near a pole of angles, make it much larger than the sizes of the three forces,
    and by as much the residual's own rounding.
    """
    if problem.n > LARGEST:
        return 0.0
    terms = np.abs(problem.M) @ np.abs(a) + np.abs(problem.f) + np.abs(problem.rows.J).T @ np.abs(multipliers)
    return float(np.linalg.norm(np.abs(metric.covector(np.eye(problem.n))) @ terms))


def error_bound(problem: GaussProblem, metric: Metric, a: Array, multipliers: Array, residuals: Residuals) -> float:
    """Return a bound on |a − a*| in the mass metric, √kg m/s².

    A pair (a, λ) with λ = 0 exactly off the active rows solves a problem whose force differs by the stationarity
    residual and whose active right-hand sides differ by the primal residual, so
    |a − a*| ≤ |r_stationarity| + |r_primal|/σ_min, with σ_min of the equality rows and of those inequality rows that
    lie within the bound of being active or are violated. Where those rows are dependent no such σ_min exists, and
    strong convexity gives |a − a*| ≤ √(2 λᵀs), which rounding makes no better than about √eps.
    """
    if not metric.definite:
        return float("inf")
    # What rounding hides in the residuals themselves counts as residual.
    force_floor = EPS * problem.n * residuals.stationarity_scale
    if problem.m == 0:
        return residuals.stationarity + force_floor
    rows = problem.rows
    white = metric.white(rows.J)
    length = np.linalg.norm(white, axis=1)
    length[length == 0.0] = 1.0
    value = rows.J @ a
    distance = np.minimum(np.abs(value - rows.lower), np.abs(rows.upper - value)) / length
    floor = EPS * residuals.row_scale
    near = (rows.lower == rows.upper) | (multipliers != 0.0) | (value < rows.lower) | (value > rows.upper)
    while True:
        chosen = white[near] / length[near, None]
        sigma = np.linalg.svd(chosen, compute_uv=False)
        if sigma.size < chosen.shape[0] or (sigma.size and sigma[-1] <= 1e-14 * sigma[0]):
            return _dependent_bound(problem, metric, chosen, near, length, a, multipliers, residuals, floor)
        violation = distance[near] + floor
        smallest = float(sigma[-1]) if sigma.size else 1.0
        bound = residuals.stationarity + force_floor + residuals.dual + float(np.linalg.norm(violation)) / smallest
        grown = near | (distance <= 2.0 * bound)
        if np.array_equal(grown, near):
            return bound
        near = grown


def _dependent_bound(
    problem: GaussProblem,
    metric: Metric,
    chosen: Array,
    near: Array,
    length: Array,
    a: Array,
    multipliers: Array,
    residuals: Residuals,
    floor: float,
) -> float:
    """Bound the error when the nearly active rows are dependent.

    The distance to the consistent affine set is the row residual over the smallest nonzero singular value; where
    inequality rows take part, the duality gap λᵀs bounds the Zwang's excess besides.
    """
    rows = problem.rows
    value = rows.J @ a
    sigma = np.linalg.svd(chosen, compute_uv=False)
    positive = sigma[sigma > 1e-11 * max(float(np.max(sigma, initial=0.0)), 1e-300)]
    smallest = float(positive[-1]) if positive.size else 1.0
    equality = near & (rows.lower == rows.upper)
    worst = max(residuals.primal, residuals.violation) + floor
    violation = np.append(np.abs(value - rows.lower)[equality] / length[equality] + floor, worst)
    bound = residuals.stationarity + EPS * problem.n * residuals.stationarity_scale + residuals.dual
    bound += float(np.linalg.norm(violation)) / smallest
    if np.all((rows.lower == rows.upper)[near]):
        return bound
    active = (multipliers != 0.0) & (rows.lower != rows.upper)
    slack = np.minimum(np.abs(value - rows.lower), np.abs(rows.upper - value))[active] / length[active] + floor
    return bound + float(np.sqrt(2.0 * np.sum(np.abs(multipliers[active]) * length[active] * slack)))
