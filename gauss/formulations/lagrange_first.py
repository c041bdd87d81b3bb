"""Lagrange's equations of the first kind: acceleration and multipliers from one saddle system."""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dgecon, dgetrf

from gauss.errors import SolverError
from gauss.formulations._problem import EPS, checked
from gauss.foundation.arrays import Array
from gauss.foundation.dense import solve_factored


def _equilibration(K: Array) -> Array:
    """Scales d (k,) such that every row of diag(d) |K| diag(d) has a largest entry near 1 (Ruiz's iteration).

    The scales are powers of two, so scaling adds no rounding errors.
    """
    d = np.ones(K.shape[0])
    for _ in range(10):
        largest = np.max(np.abs(d[:, None] * K * d), axis=1)
        d /= np.sqrt(np.where(largest > 0.0, largest, 1.0))
    return np.asarray(np.exp2(np.round(np.log2(d))), dtype=float)


def lagrange_first_kind(M: object, f: object, J: object, gamma: object) -> tuple[Array, Array]:
    """Return a (n,) and λ (m,) that solve M a = f + Jᵀλ and J a = γ as one linear system.

    M (n, n) mass matrix, f (n,) applied and inertial generalized force, J (m, n) rows, gamma (m,) with J a = γ. Units
    are the caller's: λ_k has the unit of f·q divided by that of row k. The system

        [ M  −Jᵀ ] [ a ]   [ f ]
        [ J   0  ] [ λ ] = [ γ ]

    (Lagrange's equations of the first kind, the constraints differentiated to accelerations) is scaled from both
    sides, factorised by LU with partial pivoting and refined once with a residual in extended precision.

    Not equivalent to Gauss's principle:

    * Dependent rows, so also every singular position: the matrix is singular. Gauss still has one acceleration if
      the rows are consistent; this formulation has none and raises. Nearly dependent rows are solved as they stand.
    * The equations say "stationary", not "least": an M that is indefinite on ker J is solved without complaint.
    * A positive semidefinite M is allowed as long as ker M ∩ ker J = {0}, as in Gauss's principle.

    Raises InputError (shapes, values that are not finite), MassMatrixError (M not symmetric) and SolverError (the
    matrix is singular to rounding: dependent rows, or an M that is not definite on ker J).
    """
    p = checked(M, f, J, gamma)
    n, m = p.n, p.m
    K = np.block([[p.M, -p.J.T], [p.J, np.zeros((m, m))]])
    d = _equilibration(K)
    scaled = d[:, None] * K * d
    lu, pivots, singular = dgetrf(scaled)
    rcond = 0.0 if singular > 0 else float(dgecon(lu, np.max(np.sum(np.abs(scaled), axis=0)))[0])
    # An exactly dependent row leaves a pivot of a few eps per row behind, not an exact zero.
    if rcond < 4.0 * (n + m) * EPS:
        raise SolverError(
            f"The saddle matrix of Lagrange's first kind is singular (reciprocal condition {rcond:.1e}): the {m} rows "
            "are dependent, or M is not definite on ker J. Remove dependent rows, or use a form that allows them."
        )
    # Extended precision in the residual makes the one refinement step count; without it the step is merely harmless.
    exact = scaled.astype(np.longdouble)
    rhs = d.astype(np.longdouble) * np.concatenate([p.f, p.gamma])
    y = solve_factored(lu, pivots, rhs.astype(float))
    y = y + solve_factored(lu, pivots, (rhs - exact @ y).astype(float))
    x = d * y
    missed = float(np.max(np.abs(rhs - exact @ y)))
    size = float(np.max(np.abs(exact) @ np.abs(y) + np.abs(rhs)))
    if not np.all(np.isfinite(x)) or missed > 100.0 * (n + m) * EPS * size:
        raise SolverError(
            f"The saddle system of Lagrange's first kind is left with a residual of {missed:.1e} (terms of size "
            f"{size:.1e}, reciprocal condition {rcond:.1e}). Rescale coordinates and rows."
        )
    return x[:n], x[n:]
