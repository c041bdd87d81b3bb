"""A lower bound of ½|y − y0|² on quadrics by Shor's semidefinite relaxation, proved by its multipliers.

The relaxation replaces yyᵀ by a matrix Y ⪰ yyᵀ. Its dual is the best bound that a convex Lagrangian gives:
½|y − y0|² − ½ Σ μ_k q_k(y) with I − Σ μ_k S_k ⪰ 0 and μ_k ≥ 0 for inequalities. The bound reported is not the solver's
optimum but the minimum of that Lagrangian for the solver's multipliers, after they are shrunk a little towards zero so
that it is convex without doubt; it is a bound however badly the solver did. For one quadric the relaxation is exact.
A minimiser Y of rank one is a global minimiser y; a higher rank shows several minimisers only where the bound is tight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gauss.errors import SolverError
from gauss.foundation.arrays import Array
from gauss.foundation.threads import filtered
from gauss.numerics.quadrics.types import Quadric, StationarySet, checked, length_of

TIGHT = 1e-6  # gap between a value and the bound, relative to length², up to which the bound is tight
RANK = 1e-5  # eigenvalues of the moment matrix below this times the largest do not count
SHRINK = (0.0, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.5, 1.0)


@dataclass(frozen=True, eq=False)
class ShorBound:
    """The bound and what the relaxation says about minimisers."""

    lower_bound: float  # ≤ ½|y − y0|² for all admissible y
    multipliers: Array  # (p,) μ that prove it
    rank: int  # of the moment matrix [[1, yᵀ], [y, Y]]
    y: Array  # (d,) of the moment matrix; a minimiser if the rank is one
    length: float  # length that "tight" refers to
    solver_value: float  # the solver's own optimum

    def tight(self, value: float) -> bool:
        """Return whether a value attained is the global minimum, up to TIGHT · length²."""
        return value <= self.lower_bound + TIGHT * self.length**2

    def sentence(self, found: StationarySet) -> str:
        """Return what bound and rank say about the minimisers found."""
        least = found.minimisers
        if not least:
            return f"no point was found; the bound is {self.lower_bound:.6g}."
        value = least[0].value
        if not self.tight(value):
            return (
                f"the relaxation is not tight: bound {self.lower_bound:.6g}, least value found {value:.6g}. Whether"
                " that is the global minimum is left open, and the rank says nothing."
            )
        if self.rank == 1:
            return f"certified: the least value {value:.6g} equals the bound; rank 1, one minimiser in the relaxation."
        return (
            f"certified: the least value {value:.6g} equals the bound; rank {self.rank}: the relaxation has a face of"
            " minimisers, so the minimum is attained at several points or the problem is at the edge of that."
        )


def certify(y0: object, quadrics: Sequence[Quadric]) -> ShorBound:
    """Return Shor's lower bound of ½|y − y0|² on quadrics, from cvxpy with Clarabel.

    Raises SolverError where the solver finds no point of the relaxation (the conditions may have no solution), and
    InputError as `stationary` does.
    """
    target, given, _ = checked(y0, quadrics, 1e-10)
    length = length_of(target, given)
    d, p = target.size, len(given)
    if p == 0:
        return ShorBound(0.0, np.zeros(0), 1, target, length, 0.0)
    # About the target, in units of the length, each quadric of size one.
    sizes = [q.size(length) for q in given]
    S = [q.S * (length**2 / s) for q, s in zip(given, sizes, strict=True)]
    g = [q.slope(target) * (length / s) for q, s in zip(given, sizes, strict=True)]
    c = [q.value(target) / s for q, s in zip(given, sizes, strict=True)]
    moments, duals, value = _solved(S, g, c, [q.sense for q in given], d)
    signed = np.array([max(m, 0.0) if q.sense == ">=" else m for m, q in zip(duals, given, strict=True)])
    bound, mu = max((_dual_value(S, g, c, (1.0 - s) * signed) for s in SHRINK), key=lambda pair: pair[0])
    values = np.linalg.eigvalsh(moments)
    return ShorBound(
        lower_bound=bound * length**2,
        multipliers=mu * length**2 / np.array(sizes),
        rank=int(np.sum(values > RANK * values[-1])),
        y=target + length * moments[1:, 0] / moments[0, 0],
        length=length,
        solver_value=value * length**2,
    )


# One thread at a time, as in `gauss.principle.solvers.cvxpy`. "Solution may be inaccurate": the bound is recomputed.
@filtered("ignore", Warning)
def _solved(S: list[Array], g: list[Array], c: list[float], senses: list[str], d: int) -> tuple[Array, Array, float]:
    """Return the moment matrix, multipliers μ and optimum of the relaxation of ½|x|² on xᵀSx + 2gᵀx + c = 0 or ≥ 0."""
    import cvxpy as cp  # late: its import takes as long as the rest of the package's

    X = cp.Variable((d + 1, d + 1), symmetric=True)
    constraints = [X >> 0, X[0, 0] == 1.0]
    for Sk, gk, ck, sense in zip(S, g, c, senses, strict=True):
        form = np.block([[np.array([[ck]]), gk[None, :]], [gk[:, None], Sk]])
        constraints.append(cp.trace(form @ X) == 0.0 if sense == "=" else cp.trace(form @ X) >= 0.0)
    problem = cp.Problem(cp.Minimize(cp.trace(X[1:, 1:]) / 2.0), constraints)
    for tolerance in (1e-10, 1e-8, 1e-6):
        try:
            problem.solve(solver=cp.CLARABEL, tol_gap_abs=tolerance, tol_gap_rel=tolerance, tol_feas=tolerance)
        except cp.error.SolverError:
            continue
        if X.value is not None:
            duals = np.array([float(np.squeeze(k.dual_value)) for k in constraints[2:]])
            flip = np.array([-2.0 if sense == "=" else 2.0 for sense in senses])
            return np.asarray(X.value), flip * duals, float(problem.value)
    raise SolverError(f"the semidefinite relaxation has no solution that Clarabel finds: {problem.status}.")


def _dual_value(S: list[Array], g: list[Array], c: list[float], mu: Array) -> tuple[float, Array]:
    """Return the minimum over x of ½|x|² − ½ Σ μ (xᵀSx + 2gᵀx + c), −inf unless it is convex beyond rounding."""
    d = g[0].size
    H, b, level = np.eye(d), np.zeros(d), 0.0
    for Sk, gk, ck, m in zip(S, g, c, mu, strict=True):
        H, b, level = H - m * Sk, b + m * gk, level - 0.5 * m * ck
    size = 1.0 + float(np.sum(np.abs(mu)))
    values, V = np.linalg.eigh(H)
    if values[0] <= 1e-14 * size * d:
        # Flat directions are allowed only where the linear term vanishes too, which rounding never shows.
        return (0.0, 0.0 * mu) if not np.any(mu) else (-np.inf, mu)
    return level - 0.5 * float(np.sum((V.T @ b) ** 2 / values)), mu
