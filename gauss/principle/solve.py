"""One signature for all solvers: `solve(problem, solver=…)` returns a certified `GaussSolution` or raises."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gauss.errors import ContradictoryRowsError, InputError, SolverError
from gauss.foundation.arrays import Array, unit_rows
from gauss.foundation.tolerances import EPS
from gauss.numerics.massless import MISSED, violated
from gauss.principle.certificate import Residuals, error_bound, residuals_of, sizes_of
from gauss.principle.elimination import eliminated
from gauss.principle.finish import direct_set_solver, finish, reduced_set_solver
from gauss.principle.metric import Metric
from gauss.principle.pivoting import DISTANT, INDEPENDENT, pivoted
from gauss.principle.problem import GaussProblem
from gauss.principle.proposal import Proposal, SetSolver, Signs, equality_signs
from gauss.principle.rank import spectrum_of
from gauss.principle.reduction import ReducedProgram, contradiction_of, crumbs_of, reduce
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


def solve(problem: GaussProblem, solver: str = "osqp", active: Sequence[str] | str | None = None) -> GaussSolution:
    """Minimise the Zwang; the answer is certified whatever the solver.

    * ``osqp``: OSQP on the reduced problem, finished by a direct solve on its active set (then on DAQP's and
      Clarabel's, should the certificate fail).
    * ``kkt``: a direct solve of the Karush-Kuhn-Tucker system in the original coordinates. With inequality rows it
      needs `active`, the names of those that carry a reaction; a wrong set is refused. A multiplier of the wrong sign
      within its own error is zero, and its row is left out.
    * ``cvxpy``: the textbook statement handed to Clarabel, finished by the direct solve in the original coordinates.

    Raises InputError for an unknown solver or row name, MassMatrixError for an indefinite mass matrix,
    ContradictoryRowsError when no acceleration satisfies the rows, SolverError when no answer can be certified.
    """
    check_solver(solver)
    if not isinstance(problem, GaussProblem):
        raise InputError(
            f"solve expects a GaussProblem, got {type(problem).__name__}; see gauss.accelerate for a System."
        )
    given, reduction = problem, reduce(problem)
    apart = eliminated(problem, reduction.metric, reduction.spectrum)
    if apart is not None:
        problem = apart[0]
        reduction = reduce(problem)
    if active is not None and solver != "kkt":
        raise InputError(f"active rows can be given to solver='kkt' only; {solver!r} finds them itself.")
    if solver == "kkt":
        proposal, (a, multipliers, residuals) = _direct(problem, reduction.metric, active)
    else:
        if solver == "osqp":
            proposal, solve_on = osqp_solver.propose(problem, reduction), reduced_set_solver(problem, reduction)
        else:
            proposal, solve_on = cvxpy_solver.propose(problem), direct_set_solver(problem)
        candidates = _candidates(problem, reduction, proposal)
        a, multipliers, residuals = finish(problem, reduction.metric, candidates, solve_on)
    if problem.rows.inequality.size:
        _refuse_contradiction(problem, reduction.metric, a)
    unknown = None if apart is None else EPS * np.abs(apart[1]) @ (np.abs(given.rows.J) @ np.abs(a))
    bound = error_bound(problem, reduction.metric, a, multipliers, residuals, unknown)
    if apart is not None:
        problem, multipliers = given, apart[1].T @ multipliers
    return GaussSolution(
        problem=problem,
        a=a,
        multipliers=multipliers,
        zwang=zwang_of(problem, reduction.metric, a),
        residuals=residuals,
        error_bound=bound,
        multipliers_unique=_multipliers_unique(problem, reduction.metric, multipliers),
        solver=solver,
        solver_distance=reduction.metric.norm(a - proposal.a),
        iterations=proposal.iterations,
    )


def answer(problem: GaussProblem, touching: bool = False) -> tuple[Array, Array]:
    """Return (a, λ) of `solve`, for callers that ask for no more: pivoting or DAQP finds the active set sooner.

    That is done where the answer passes the certificate at rounding, the rows at their bounds are clearly independent,
    and each of them clearly presses; with `touching` some may touch, and their multipliers are zero but for rounding.
    Elsewhere `solve` decides, and raises what it raises.
    """
    metric = problem.metric
    if problem.rows.inequality.size and metric.definite and not metric.weight:
        found = pivoted(problem, touching) or _from_daqp(problem, reduce(problem), touching)
        if found is not None:
            return found
    solution = solve(problem, "osqp")
    return solution.a, solution.multipliers


def _from_daqp(problem: GaussProblem, reduction: ReducedProgram, touching: bool) -> tuple[Array, Array] | None:
    """Return (a, λ) from the active set of DAQP, or None where another one might do as well."""
    metric, rows = reduction.metric, problem.rows
    signs = daqp_solver.active_set(problem, reduction)
    try:
        a, multipliers, residuals = finish(problem, metric, (signs,), reduced_set_solver(problem, reduction))
    except SolverError:
        return None
    if not residuals.at_rounding:
        return None
    whitened, value = metric.whitened(rows.J), rows.J @ a
    length = np.linalg.norm(whitened, axis=1)
    room = np.minimum(value - rows.lower, rows.upper - value)
    at_bound = (rows.lower == rows.upper) | (multipliers != 0.0) | (room <= DISTANT * residuals.primal_scale * length)
    presses = np.abs(multipliers) * length > DISTANT * residuals.stationarity_scale
    if not touching and np.any(at_bound & ~presses & (rows.lower != rows.upper)):
        return None
    if not np.all(length[at_bound]):
        return None  # any multiplier of a row that vanishes would do
    sigma = np.linalg.svd(unit_rows(whitened[at_bound]), compute_uv=False)
    independent = len(sigma) == np.sum(at_bound) and bool(np.all(sigma > INDEPENDENT * np.max(sigma, initial=0.0)))
    return (a, multipliers) if independent else None


def _candidates(problem: GaussProblem, reduction: ReducedProgram, proposal: Proposal) -> Iterator[Signs]:
    yield proposal.active
    if problem.rows.inequality.size:
        yield daqp_solver.active_set(problem, reduction)
        yield equality_signs(problem)
        if proposal.status != cvxpy_solver.STATUS:
            yield cvxpy_solver.propose(problem).active


def _direct(
    problem: GaussProblem, metric: Metric, active: Sequence[str] | str | None
) -> tuple[Proposal, tuple[Array, Array, Residuals]]:
    """Solve on the given active rows, and refuse a set that is not the right one, naming the rows that show it."""
    signs = _signs(problem, active)
    solve_on = direct_set_solver(problem)
    a, multipliers = solve_on(signs)
    if not np.all(np.isfinite(a)):
        raise SolverError("the Karush-Kuhn-Tucker system of the active rows has no finite solution.")
    residuals = residuals_of(problem, metric, a, multipliers)
    if not residuals.at_rounding:
        signs, (a, multipliers, residuals) = _touching(problem, metric, signs, (a, multipliers, residuals), solve_on)
    if not residuals.certified:
        raise _explanation(problem, metric, a, signs * multipliers, residuals)
    return Proposal(a, signs, 0, "direct"), (a, multipliers, residuals)


def _touching(
    problem: GaussProblem,
    metric: Metric,
    given: Signs,
    answer: tuple[Array, Array, Residuals],
    solve_on: SetSolver,
) -> tuple[Signs, tuple[Array, Array, Residuals]]:
    """Return active set and answer without the rows whose multiplier has the wrong sign within its own error.

    Of nearly dependent rows the rounding of a bound changes the multipliers by ε/σ², which may be all of one that is
    zero, or more. The row then touches its bound to rounding without it, too. Where one does not, the set is wrong, and
    the given set and its answer are returned.
    """
    rows, signs = problem.rows, given.copy()
    length = np.linalg.norm(metric.whitened(rows.J), axis=1)
    a, multipliers, residuals = answer
    for _ in rows.inequality:
        pull = np.where(rows.lower == rows.upper, 0.0, -signs * multipliers * length)
        if not np.max(pull, initial=0.0) > residuals.rounding * residuals.stationarity_scale:
            break
        signs[int(np.argmax(pull))] = 0
        a, multipliers = solve_on(signs)
        if not np.all(np.isfinite(a)):
            return given, answer
        residuals = residuals_of(problem, metric, a, multipliers)
    left = (signs == 0) & (given != 0)
    bound = np.where(given > 0, rows.lower, rows.upper)
    off = np.abs(rows.J @ a - np.where(left, bound, 0.0))[left]
    touches = residuals.at_rounding and bool(np.all(off <= residuals.touching * length[left]))
    return (signs, (a, multipliers, residuals)) if touches else (given, answer)


def _signs(problem: GaussProblem, active: Sequence[str] | str | None) -> Signs:
    """Return the active set from the names of the active inequality rows."""
    rows = problem.rows
    signs = equality_signs(problem)
    bounded = [k for k in rows.inequality if np.isfinite(rows.lower[k]) or np.isfinite(rows.upper[k])]
    if active is None and bounded:
        raise InputError(
            "solver='kkt' does not decide which inequality rows carry a reaction; pass active=(…) with their names,"
            f" among {', '.join(repr(rows.names[k]) for k in bounded)}, or use solver='osqp'."
        )
    for name in (active,) if isinstance(active, str) else active or ():
        k = rows.index(name)
        if not np.isfinite(rows.lower[k]) and not np.isfinite(rows.upper[k]):
            raise InputError(f"row {name!r} has no finite bound, so it cannot be active.")
        signs[k] = 1 if np.isfinite(rows.lower[k]) else -1
    two_sided = np.isfinite(rows.lower) & np.isfinite(rows.upper) & (rows.lower != rows.upper) & (signs != 0)
    if np.any(two_sided):  # a name does not say which of its two bounds a row touches; the default solver does
        value = rows.J @ solve(problem).a
        signs[two_sided & (rows.upper - value < value - rows.lower)] = -1
    return signs


def _explanation(
    problem: GaussProblem, metric: Metric, a: Array, pressing: Array, residuals: Residuals
) -> InputError | SolverError:
    """Return the error that says why a given active set was refused; `pressing` are multipliers signed to be ≥ 0."""
    rows = problem.rows
    length = np.linalg.norm(metric.whitened(rows.J), axis=1)
    inequality = rows.lower != rows.upper
    value = rows.J @ a
    outside = np.maximum(rows.lower - value, value - rows.upper) / np.where(length == 0.0, 1.0, length)
    pulls = inequality & (-pressing * length > residuals.rounding * residuals.stationarity_scale)
    violated = inequality & (outside > residuals.rounding * residuals.primal_scale)
    for which, words in ((pulls, "would have to pull"), (violated, "must be active too")):
        if np.any(which):
            names = ", ".join(rows.names[k] for k in np.flatnonzero(which))
            return InputError(f"the given active set is wrong: {names} {words}.")
    return SolverError(
        f"the direct solution is not certified: stationarity residual {residuals.stationarity:.2g} (scale"
        f" {residuals.stationarity_scale:.2g}), row residual {residuals.primal:.2g} (scale"
        f" {residuals.primal_scale:.2g}). The rows may be too close to dependent; use solver='osqp'."
    )


def _refuse_contradiction(problem: GaussProblem, metric: Metric, a: Array) -> None:
    """Raise ContradictoryRowsError where rows that a misses by more than a share of their terms have no solution.

    Light coordinates hide in the metric what is missed: their free acceleration is large, and all else is rounding.
    """
    rows = problem.rows
    value, bound = rows.J @ a, np.maximum(sizes_of(rows.lower), sizes_of(rows.upper))
    outside = np.maximum(rows.lower - value, value - rows.upper)
    if np.all(outside <= MISSED * (np.abs(rows.J) @ np.abs(a) + bound)):
        return
    missed = violated(rows.J, rows.lower, rows.upper, 1.0 / np.linalg.norm(metric.L, axis=1), crumbs_of(problem))
    if missed > MISSED:
        raise ContradictoryRowsError(*contradiction_of(rows, missed))


def zwang_of(problem: GaussProblem, metric: Metric, a: Array) -> float:
    """Return the Zwang; up to a constant if the mass matrix is not definite."""
    if metric.definite and metric.weight == 0.0:
        return 0.5 * metric.norm(a - metric.reference) ** 2
    return float(0.5 * a @ problem.M @ a - problem.f @ a)


def _multipliers_unique(problem: GaussProblem, metric: Metric, multipliers: Array) -> bool:
    """Return whether the rows that may carry a reaction are independent (sufficient, and for equalities necessary)."""
    rows = problem.rows
    carrying = (rows.lower == rows.upper) | (multipliers != 0.0)
    if not rows.inequality.size:
        return problem.spectrum.rank == problem.m
    return bool(
        spectrum_of(metric, rows.J[carrying], None if rows.noise is None else rows.noise[carrying]).rank
        == int(np.sum(carrying))
    )
