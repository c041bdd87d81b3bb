"""The answer by block pivoting on Delassus's matrix, for small programs that are solved often, such as impacts.

The multipliers μ of rows U, scaled to unit length in the mass metric, solve a complementarity problem with W = U Uᵀ:
rows on the wrong side change it all at once while they become fewer (Kostreva, Linear Algebra Appl. 21, 1978; Júdice
and Pires, Comput. Oper. Res. 21, 1994). The answer is refined, and the certificate decides about it.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dpotrs

from gauss.foundation.arrays import Array, Flags, Indices
from gauss.foundation.arrays import length as norm
from gauss.foundation.tolerances import EPS
from gauss.principle.certificate import residuals_of
from gauss.principle.metric import Delassus
from gauss.principle.problem import GaussProblem

DISTANT = 1e-7  # share of the scales beyond which a row is clearly off its bound, or clearly presses
INDEPENDENT = 1e-6  # least singular value, as a share of the largest, of rows that are clearly independent


def pivoted(problem: GaussProblem, touching: bool) -> tuple[Array, Array] | None:
    """Return (a, λ) of a program with a definite mass matrix, or None where another answer might do as well.

    That is where it passes the certificate at rounding, the rows at their bounds are clearly independent, and each of
    them clearly presses; with `touching` some may touch, and their multipliers are zero but for rounding.
    """
    metric, rows, length = problem.metric, problem.rows, problem.lengths
    bounded = (np.isfinite(rows.lower) | np.isfinite(rows.upper)).nonzero()[0]
    J, size, equal = rows.J[bounded], length[bounded], rows.equal[bounded]
    if not size.all():
        return None
    lower, upper, value = rows.lower[bounded], rows.upper[bounded], J @ metric.reference
    delassus = problem.in_metric.delassus(bounded)
    signs = _sides(delassus, (lower - value) / size, (upper - value) / size, equal, metric.norm(metric.reference))
    if signs is None:
        return None
    active = signs.nonzero()[0]
    bound = np.where(signs > 0.0, lower, upper)[active]
    found = _refined(problem, J[active], size[active], bound, delassus, active)
    if found is None:
        return None
    a, multipliers = found[0], np.zeros(problem.m)
    multipliers[bounded[active]] = found[1]
    residuals = residuals_of(problem, metric, a, multipliers)
    if not residuals.at_rounding:
        return None
    value, pressing = J @ a, np.abs(multipliers[bounded]) * size
    room = np.minimum(value - lower, upper - value)
    at_bound = equal | (pressing != 0.0) | (room <= DISTANT * residuals.primal_scale * size)
    if not touching and (at_bound & ~equal & (pressing <= DISTANT * residuals.stationarity_scale)).any():
        return None
    return (a, multipliers) if delassus.independence(at_bound) > INDEPENDENT**2 else None


def _sides(delassus: Delassus, low: Array, high: Array, equal: Flags, size: float) -> Array | None:
    """Return the sides of rows (k,), +1 at the lower and −1 at the upper bound, or None where pivoting does not end.

    Rows that touch start at their bound; `size` is that of the free acceleration.
    """
    rounding, fewest = len(low) * EPS * size, len(low) + 1
    signs = np.where(equal | (low >= -rounding), 1.0, np.where(high <= rounding, -1.0, 0.0))
    while True:
        active, mu = signs.nonzero()[0], np.zeros(len(low))
        if len(active):
            factor, failed = delassus.factor(active)
            if failed:
                return None
            mu[active] = dpotrs(factor, np.where(signs > 0.0, low, high)[active])[0]
        moved, rounding = delassus.W @ mu, len(low) * EPS * (size + norm(mu))
        short, beyond = (low - moved > rounding) & (signs == 0.0), (moved - high > rounding) & (signs == 0.0)
        wrong = short | beyond | ((signs * mu < -rounding) & ~equal)
        count = int(wrong.sum())
        if not 0 < count < fewest:
            return None if count else signs
        fewest, signs = count, np.where(short, 1.0, np.where(beyond, -1.0, np.where(wrong, 0.0, signs)))


def _refined(
    problem: GaussProblem, J: Array, size: Array, bound: Array, delassus: Delassus, active: Indices
) -> tuple[Array, Array] | None:
    """Return (a, λ) with some rows at their bounds, after a sweep of refinement with residuals in extended precision.

    None where the sweep changes them so much that another one would change them beyond rounding.
    """
    metric, M, f = problem.metric, problem.M, problem.f
    factor, U = delassus.factor(active)[0] if len(J) else delassus.W, delassus.U[active]
    a, multipliers = metric.reference.astype(np.longdouble), np.zeros(len(J), dtype=np.longdouble)
    for sweep in range(2):
        missed = (bound - J @ a).astype(float) / size
        pull = metric.covector((M @ a - f - J.T @ multipliers).astype(float)) if sweep else np.zeros(len(f))
        mu = dpotrs(factor, missed + U @ pull)[0] if len(J) else missed
        change = mu @ U - pull
        a, multipliers = a + metric.lift(change), multipliers + mu / size
    answer = a.astype(float), multipliers.astype(float)
    return answer if norm(change) <= EPS**0.5 * metric.norm(answer[0]) else None
