"""The textbook statement in cvxpy, in the original coordinates: an oracle that shares nothing with the reduction."""

from __future__ import annotations

import numpy as np

from gauss.errors import SolverError
from gauss.foundation.threads import filtered
from gauss.principle.problem import GaussProblem
from gauss.principle.proposal import Proposal, equality_signs

STATUS = "clarabel"
TOLERANCES = (1e-12, 1e-9, 1e-6)  # Clarabel gives up where it cannot reach the tight ones


# cvxpy numbers its variables by a counter without a lock, so one thread at a time states a problem. "Solution may be
# inaccurate" is no news: the finish and the certificate decide.
@filtered("ignore", UserWarning)
def propose(problem: GaussProblem) -> Proposal:
    """Minimise ½aᵀMa − fᵀa subject to lower ≤ J a ≤ upper with Clarabel. Raises SolverError when it fails."""
    import cvxpy as cp  # late: its import takes as long as the rest of the package's

    M, f, rows = problem.M, problem.f, problem.rows
    a = cp.Variable(problem.n)
    constraints = []
    for k, row in enumerate(rows.J):
        if rows.lower[k] == rows.upper[k]:
            constraints.append(row @ a == rows.lower[k])
            continue
        if np.isfinite(rows.lower[k]):
            constraints.append(row @ a >= rows.lower[k])
        if np.isfinite(rows.upper[k]):
            constraints.append(row @ a <= rows.upper[k])
    oracle = cp.Problem(cp.Minimize(cp.quad_form(a, cp.psd_wrap(M)) / 2 - f @ a), constraints)
    for tolerance in TOLERANCES:
        try:
            oracle.solve(solver=cp.CLARABEL, tol_gap_abs=tolerance, tol_gap_rel=tolerance, tol_feas=tolerance)
        except cp.error.SolverError:
            continue
        if a.value is not None:
            break
    if a.value is None:
        raise SolverError(f"cvxpy (Clarabel) found no acceleration: {oracle.status}.")
    active = equality_signs(problem)
    i = 0
    for k in range(problem.m):
        if rows.lower[k] == rows.upper[k]:
            i += 1
            continue
        for bound, sign in ((rows.lower[k], 1), (rows.upper[k], -1)):
            if np.isfinite(bound):
                slack = sign * (rows.J[k] @ a.value - bound)
                if float(np.squeeze(constraints[i].dual_value)) > slack:
                    active[k] = sign
                i += 1
    return Proposal(np.asarray(a.value), active, int(oracle.solver_stats.num_iters or 0), STATUS)
