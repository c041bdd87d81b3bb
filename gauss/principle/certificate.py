"""The certificate: Karush-Kuhn-Tucker residuals of an answer, recomputed from the original problem, and its error.

An acceleration a with multipliers λ is the minimiser of the Zwang iff M a − f = Jᵀλ, lower ≤ J a ≤ upper, λ ≥ 0 on
rows at their lower bound, λ ≤ 0 at their upper bound and λ = 0 elsewhere. The certificate does not depend on how the
answer was found.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import combinations
from math import comb

import numpy as np
import scipy

from gauss.foundation.arrays import Array, Flags
from gauss.foundation.arrays import length as norm
from gauss.foundation.tolerances import EPS
from gauss.numerics.massless import EXTENDED
from gauss.principle.metric import Metric
from gauss.principle.problem import GaussProblem

ROUNDING = 100.0  # residuals up to ROUNDING · eps · (n + m) · scale are rounding
SHARE = 0.1  # of the terms of the stationarity residual that counts in its scale, where they nearly cancel
LARGEST = 200  # coordinates up to which these terms are looked at
DEPENDENT = 1e-14  # singular values of unit rows below this say nothing: division by them would give a bound of 1
MOST_SETS = 500  # of rows whose singular values the bound looks at


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
    rounding: float  # what counts as rounding, relative to the scales
    spread: Callable[[], float] = field(repr=False, compare=False)  # returns `condition`

    @cached_property
    def condition(self) -> float:
        """σ_max/σ_min of the equality and active rows, scaled to unit length; computed where it is asked for."""
        return self.spread()

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
    rows, length = problem.rows, problem.lengths
    inverse = 1.0 / (length if length.all() else np.where(length == 0.0, 1.0, length))
    value, weight = rows.J @ a, np.abs(multipliers) * length
    below, above = rows.lower - value, value - rows.upper
    finite, violation, dual, carrying = sizes_of(rows.lower), 0.0, 0.0, None
    if rows.inequality.size:
        carrying = rows.equal | (multipliers != 0.0)
        at_lower = rows.equal | (np.abs(below) <= np.abs(above))  # the bound that it touches
        wrong = ~rows.equal & np.where(at_lower, multipliers < 0.0, multipliers > 0.0)
        outside = np.maximum(np.maximum(below, above), 0.0) * inverse
        violation, dual = float(outside[~carrying].max(initial=0.0)), float(weight[wrong].sum())
        finite = np.maximum(finite, sizes_of(rows.upper))
        off = (np.where(at_lower, below, above) * inverse)[carrying]
    else:
        off = below * inverse
    row_scale = metric.norm(a) + float((finite * inverse).max(initial=0.0))
    force = problem.M @ a
    rest = force - problem.f - rows.J.T @ multipliers
    pushed, applied, stationarity = map(norm, metric.whitened(np.array([force, problem.f, rest])))
    stationarity_scale = pushed + applied + float(weight.sum())
    rounding = ROUNDING * EPS * (problem.n + problem.m)
    if not stationarity <= rounding * stationarity_scale:
        stationarity_scale = max(stationarity_scale, SHARE * _terms(problem, metric, a, multipliers))
    return Residuals(
        stationarity=stationarity,
        primal=float(np.abs(off).max(initial=0.0)),
        violation=violation,
        dual=dual,
        stationarity_scale=stationarity_scale,
        primal_scale=row_scale + applied,
        row_scale=row_scale,
        rounding=rounding,
        spread=partial(_condition, problem.whitened, inverse, carrying),
    )


def sizes_of(bounds: Array) -> Array:
    """Return the sizes (m,) of bounds, 0 for those that are none."""
    found = np.abs(bounds)
    return np.where(np.isfinite(found), found, 0.0)


def _condition(whitened: Array, inverse: Array, carrying: Flags | None) -> float:
    """Return σ_max/σ_min of the carrying rows, or all, without singular values that are rounding.

    They are (m, n) in the metric, with the `inverse` (m,) of their lengths.
    """
    unit = whitened * inverse[:, None]
    unit = unit if carrying is None else unit[carrying]
    sigma = np.linalg.svd(unit, compute_uv=False) if len(unit) > 1 else np.ones(0)  # one row alone tells nothing
    sigma = sigma[sigma > 1e-11 * sigma.max(initial=0.0)]
    return float(sigma[0] / sigma[-1]) if sigma.size else 1.0


def _terms(problem: GaussProblem, metric: Metric, a: Array, multipliers: Array) -> float:
    """Return the size in the inverse metric of the terms of M a − f − Jᵀλ, none of which cancels: ‖|L⁻¹|(|M||a| + …)‖.

    Coordinates with little inertia, as near a pole of angles, make it much larger than the sizes of the three forces,
    and by as much the residual's own rounding.
    """
    if problem.n > LARGEST:
        return 0.0
    terms = np.abs(problem.M) @ np.abs(a) + np.abs(problem.f) + np.abs(problem.rows.J).T @ np.abs(multipliers)
    return float(np.linalg.norm(np.abs(metric.covector(np.eye(problem.n))) @ terms))


def error_bound(
    problem: GaussProblem,
    metric: Metric,
    a: Array,
    multipliers: Array,
    residuals: Residuals,
    unknown: Array | None = None,
) -> float:
    """Return a bound on |a − a*| in the mass metric, √kg m/s², for any claim (a, λ).

    With the wrong signs of λ dropped, a solves a problem whose force differs by the stationarity residual, and whose
    right-hand sides differ by r on equality rows, on rows with λ ≠ 0 and on violated rows. On the way from one problem
    to the other the minimiser moves by J_S⁺ dr_S with independent active rows S, so

        |a − a*| ≤ |r_stationarity| + |r_dual| + max over S of |r_S|/σ_min(S),

    S among those rows and the rows that lie within twice the bound of being active. Where too many sets S would have to
    be looked at, the duality gap at an admissible point near a is a bound instead.
    """
    if not metric.definite:
        return float("inf")
    rows, equality, spectrum = problem.rows, problem.rows.equal, problem.spectrum
    exact, pushing = a.astype(np.longdouble), multipliers.astype(np.longdouble)
    value = (rows.J @ exact).astype(float)
    force = (problem.M @ exact - problem.f - rows.J.T @ pushing).astype(float)
    # What rounding hides in the residuals themselves counts as residual, and terms that cancel hide more.
    hidden = EXTENDED * problem.n * _terms(problem, metric, a, multipliers)
    moved = max(residuals.stationarity, (1.0 + SHARE) * norm(metric.covector(force)) + hidden)
    moved += EPS * problem.n * residuals.stationarity_scale + residuals.dual
    length = np.where(problem.lengths == 0.0, 1.0, problem.lengths)
    floor = np.full(problem.m, EPS * residuals.row_scale)
    if unknown is not None:
        floor = np.maximum(floor, unknown / length)
    distance = np.minimum(np.abs(value - rows.lower), np.abs(rows.upper - value)) / length
    near = equality | (multipliers != 0.0) | (value < rows.lower) | (value > rows.upper)
    off = np.where(near, distance, 0.0) + floor
    if not np.isfinite(off).all():
        return float("inf")
    r = spectrum.rank
    while True:
        chosen = (near & ~equality).nonzero()[0]
        unit = problem.whitened[chosen] / length[chosen, None]
        weakest = _weakest(spectrum.sigma[:r, None] * spectrum.V[:r], unit)
        if weakest is not None:
            bound = moved + norm(off[near]) / weakest
        else:
            held = norm(off[equality]) / float(np.min(spectrum.sigma[:r], initial=np.inf))
            weight = np.abs(multipliers) * length
            upward = np.abs(value - rows.lower)[chosen] <= np.abs(rows.upper - value)[chosen]
            aside = unit @ spectrum.V[:r].T
            free = np.where(upward, 1.0, -1.0)[:, None] * (unit - aside @ spectrum.V[:r])
            reach = held + _inward(free) * float(np.max(off[chosen] + np.linalg.norm(aside, axis=1) * held))
            if not np.all((rows.upper - rows.lower)[chosen] >= 2.0 * reach * length[chosen]) or not np.isfinite(reach):
                return float("inf")
            gap = (moved + reach) ** 2 + 2.0 * float(weight @ np.where(equality, floor, off + reach))
            bound = moved + float(np.sqrt(gap))
        grown = near | (distance <= 2.0 * bound)
        if (grown == near).all():
            return bound
        near = grown


def _weakest(held: Array, unit: Array) -> float | None:
    """Return the least σ_min of the independent rows `held` (r, n) with unit rows (k, n) that are independent of them.

    The more rows the less it is, so only the largest independent sets are looked at; None where these are too many.
    """
    r, k = len(held), len(unit)
    sigma = np.linalg.svd(np.vstack([held, unit]) if k else held, compute_uv=False)
    size = max(int((sigma > DEPENDENT * sigma.max(initial=0.0)).sum()) - r, 0)
    if size == r == 0:
        return 1.0
    if not k:
        return float(sigma[-1]) or None
    if size > 0 and comb(k, size) > MOST_SETS:
        return None
    sets = [np.vstack([held, unit[list(chosen)]]) for chosen in combinations(range(k), size)]
    smallest = np.linalg.svd(np.array(sets), compute_uv=False)[:, -1]
    independent = smallest[smallest > DEPENDENT * sigma[0]]
    return float(np.min(independent)) if independent.size else float(np.min(smallest)) or None


def _inward(rows: Array) -> float:
    """Return the length of the shortest w with rows·w ≥ 1, or inf: how far a point goes to mend a violation of 1.

    Least distance programming (Lawson and Hanson, *Solving Least Squares Problems*, 1974, ch. 23).
    """
    try:
        sums = np.vstack([rows.T, np.ones(len(rows))])
        weights, _ = scipy.optimize.nnls(sums, np.append(np.zeros(rows.shape[1]), 1.0))
    except RuntimeError:
        return float("inf")
    w = rows.T @ weights
    least = float(np.min(rows @ w))
    return float(np.linalg.norm(w)) / least if least > 0.0 else float("inf")
