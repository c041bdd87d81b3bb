"""One signature for all solvers: `solve(problem, solver=…)` returns a certified `GaussSolution` or raises."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gauss.arrays import Array
from gauss.errors import InputError
from gauss.principle.certificate import error_bound
from gauss.principle.finish import direct_set_solver, finish, reduced_set_solver
from gauss.principle.metric import Metric
from gauss.principle.problem import GaussProblem
from gauss.principle.proposal import Proposal, SetSolver, Signs, equality_signs
from gauss.principle.reduction import Reduction, reduce, spectrum_of
from gauss.principle.solution import GaussSolution
from gauss.principle.solvers import cvxpy as cvxpy_solver
from gauss.principle.solvers import daqp as daqp_solver
from gauss.principle.solvers import osqp as osqp_solver

SOLVERS = ("osqp", "kkt", "cvxpy")


def check_solver(solver: str) -> str:
    """Return the name of a solver. Raises InputError for unknown names."""
    if solver not in SOLVERS:
        raise InputError(f"solver {solver!r} is unknown; choose one of {', '.join(SOLVERS)}.")
    return solver


def solve(problem: GaussProblem, solver: str = "osqp", active: Sequence[str] | None = None) -> GaussSolution:
    """Minimise the Zwang; the answer is certified whatever the solver.

    * ``osqp``: OSQP on the reduced problem, finished by a direct solve on its active set (then on DAQP's and
      Clarabel's, should the certificate fail).
    * ``kkt``: a direct solve of the Karush-Kuhn-Tucker system in the original coordinates. With inequality rows it
      needs `active`, the names of those that carry a reaction; a wrong set is refused.
    * ``cvxpy``: the textbook statement handed to Clarabel, finished by the direct solve in the original coordinates.

    Raises InputError for an unknown solver or row name, MassMatrixError for an indefinite mass matrix,
    ContradictoryRowsError when no acceleration satisfies the rows, SolverError when no answer can be certified.
    """
    check_solver(solver)
    reduction = reduce(problem)
    if active is not None and solver != "kkt":
        raise InputError(f"active rows can be given to solver='kkt' only; {solver!r} finds them itself.")
    if solver == "osqp":
        proposal = osqp_solver.propose(problem, reduction)
        solve_on = reduced_set_solver(problem, reduction)
    else:
        solve_on = direct_set_solver(problem)
        proposal = cvxpy_solver.propose(problem) if solver == "cvxpy" else _given(problem, active, solve_on)
    if solver == "kkt":
        candidates: Iterator[Signs] = iter((proposal.active,))
    else:
        candidates = _candidates(problem, reduction, proposal)
    a, multipliers, residuals = finish(problem, reduction.metric, candidates, solve_on)
    if solver == "kkt" and active is not None:
        _check_given(problem, multipliers, active)
    return GaussSolution(
        problem=problem,
        a=a,
        multipliers=multipliers,
        zwang=_zwang(problem, reduction.metric, a),
        residuals=residuals,
        error_bound=error_bound(problem, reduction.metric, a, multipliers, residuals),
        multipliers_unique=_multipliers_unique(problem, reduction.metric, multipliers),
        solver=solver,
        solver_distance=reduction.metric.norm(a - proposal.a),
        iterations=proposal.iterations,
    )


def _candidates(problem: GaussProblem, reduction: Reduction, proposal: Proposal) -> Iterator[Signs]:
    yield proposal.active
    if problem.rows.inequality.size:
        yield daqp_solver.active_set(problem, reduction)
        yield equality_signs(problem)
        if proposal.status != cvxpy_solver.STATUS:
            yield cvxpy_solver.propose(problem).active


def _given(problem: GaussProblem, active: Sequence[str] | None, solve_on: SetSolver) -> Proposal:
    """Return the proposal of a direct solve on the given active rows."""
    rows = problem.rows
    signs = equality_signs(problem)
    bounded = [k for k in rows.inequality if np.isfinite(rows.lower[k]) or np.isfinite(rows.upper[k])]
    if active is None and bounded:
        raise InputError(
            "solver='kkt' does not decide which inequality rows carry a reaction; pass active=(…) with their names,"
            f" among {', '.join(repr(rows.names[k]) for k in bounded)}, or use solver='osqp'."
        )
    for name in active or ():
        k = rows.index(name)
        if np.isfinite(rows.lower[k]):
            signs[k] = 1
        elif np.isfinite(rows.upper[k]):
            signs[k] = -1
        else:
            raise InputError(f"row {name!r} has no finite bound, so it cannot be active.")
    a, _ = solve_on(signs)
    return Proposal(a, signs, 0, "direct")


def _check_given(problem: GaussProblem, multipliers: Array, active: Sequence[str]) -> None:
    """Raise InputError when the correction of the active set had to change the set that the caller gave."""
    rows = problem.rows
    found = {rows.names[k] for k in rows.inequality if multipliers[k] != 0.0}
    given = {name for name in active if rows.lower[rows.index(name)] != rows.upper[rows.index(name)]}
    extra = found - given
    if extra:
        raise InputError(f"the given active set is wrong: {', '.join(sorted(extra))} must be active too.")
    dropped = [name for name in given - found if abs(multipliers[rows.index(name)]) > 0.0]
    if dropped:
        raise InputError(f"the given active set is wrong: {', '.join(sorted(dropped))} would have to pull.")


def _zwang(problem: GaussProblem, metric: Metric, a: Array) -> float:
    """Return the Zwang; up to a constant if the mass matrix is not definite."""
    if metric.definite and metric.weight == 0.0:
        return 0.5 * metric.norm(a - metric.reference) ** 2
    return float(0.5 * a @ problem.M @ a - problem.f @ a)


def _multipliers_unique(problem: GaussProblem, metric: Metric, multipliers: Array) -> bool:
    """Return whether the rows that may carry a reaction are independent (sufficient, and for equalities necessary)."""
    rows = problem.rows
    carrying = (rows.lower == rows.upper) | (multipliers != 0.0)
    return bool(spectrum_of(metric, rows.J[carrying]).rank == int(np.sum(carrying)))
