"""What Gauss's principle says of the rows of one state: their minimiser, its multipliers, and what of these is open.

Programs with soft rows minimise

    ½ (a − a_free)ᵀM(a − a_free) + ½ sᵀR⁻¹s   subject to   lower ≤ J a + s ≤ upper,      so that s = R λ,

which is a Gauss problem too, of the accelerations a and s/√R with masses M and 1.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gauss.errors import ContradictoryRowsError, GaussError, SolverError
from gauss.foundation.arrays import Array, Flags
from gauss.foundation.outcomes import UNDECIDED
from gauss.principle import GaussProblem, GaussSolution, solve
from gauss.principle.certificate import residuals_of
from gauss.principle.closing import decided
from gauss.principle.rank import rounding_of
from gauss.uniqueness import diagnose, reactions

CONTRADICTORY = "contradictory"


class Minimum(NamedTuple):
    """What Gauss's principle says of a problem."""

    solution: GaussSolution | None
    doubt: float  # distance between the readings with and without combinations of rows that may vanish
    word: str  # UNDECIDED or CONTRADICTORY where there is no minimiser that is known, or ""
    why: str
    determined: Flags  # (k,)
    open: Flags  # (k,)
    low: Array  # (k,)
    high: Array  # (k,)
    multipliers: Array  # (k,)


def minimum_of(problem: GaussProblem, lone: Flags, may: float, tolerance: float) -> Minimum:
    """Return what Gauss's principle says; rows that are `lone` (k,) are left out, and open.

    Distances up to `may` count as none, and so does the share `tolerance` of the terms of a row.
    """
    if not np.any(lone):
        return _minimum(problem, may, tolerance)
    return _beside(problem, _minimum(problem.only(~lone), may, tolerance), lone, may)


def _minimum(problem: GaussProblem, may: float, tolerance: float) -> Minimum:
    """Return the minimiser, its multipliers, and what is open."""
    k, names = problem.m, problem.rows.names
    try:
        solution = _solution(problem, tolerance)
    except (ContradictoryRowsError, SolverError) as error:
        loose, word, why = np.isin(names, diagnose(problem).open), UNDECIDED, str(error)
        if isinstance(error, ContradictoryRowsError):
            named = np.isin(names, error.rows)
            word, why = CONTRADICTORY, f"{_listed(problem, named)} demand different accelerations"
            if np.any(loose & named):
                word, why = UNDECIDED, _until_closed(problem, loose)
        nothing, ends = np.zeros(k, dtype=bool), np.full(k, np.inf)
        return Minimum(None, np.nan, word, why, nothing, loose, -ends, ends, np.full(k, np.nan))
    forces = reactions(solution)
    loose = np.isin(names, forces.open)
    doubt = _apart(problem, solution) if np.any(loose) else 0.0
    word, why = (UNDECIDED, _until_closed(problem, loose)) if doubt > may else ("", "")
    return Minimum(solution, doubt, word, why, forces.determined, loose, forces.low, forces.high, forces.multipliers)


def _until_closed(problem: GaussProblem, which: Flags) -> str:
    return f"{_listed(problem, which)}: not decided until the loops are closed"


def _beside(problem: GaussProblem, found: Minimum, lone: Flags, may: float) -> Minimum:
    """Return what is found without lone rows (k,) for all rows: these are open, and so is a where they move it."""
    determined, open_ = np.zeros(problem.m, dtype=bool), lone.copy()
    low, high, multipliers = (np.full(problem.m, x) for x in (-np.inf, np.inf, np.nan))
    for of_all, given in zip(
        (determined, open_, low, high, multipliers),
        (found.determined, found.open, found.low, found.high, found.multipliers),
        strict=True,
    ):
        of_all[~lone] = given
    word, why, doubt = found.word, found.why, found.doubt
    if found.solution is not None:
        try:
            doubt = max(doubt, problem.metric.norm(solve(problem).a - found.solution.a))
        except GaussError:
            doubt = np.inf
        if not word and doubt > may:
            word, why = UNDECIDED, f"{_listed(problem, lone)}: rounding, or in a unit of their own; give noise"
    return Minimum(found.solution, doubt, word, why, determined, open_, low, high, multipliers)


def _solution(problem: GaussProblem, tolerance: float) -> GaussSolution:
    """Return the certified minimiser; where rows that depend on each other do so within the tolerance only, too.

    Raises what `solve` raises.
    """
    try:
        return solve(problem)
    except (ContradictoryRowsError, SolverError):
        found = _without_vanishing(problem, tolerance)
        if found is None:
            raise
        return found


def _without_vanishing(problem: GaussProblem, tolerance: float) -> GaussSolution | None:
    """Return the minimiser without the combinations of equality rows that vanish; None where these demand something."""
    rows, unsure, equal = problem.rows, problem.unsure, problem.rows.equal
    assert unsure is not None
    J, gamma = rows.J[equal], rows.lower[equal]
    combinations, _, gone = decided(J, unsure[equal], _noise(problem)[equal])
    kept, vanishing = combinations[:, ~gone].T, combinations[:, gone].T
    low, high = (np.concatenate([kept @ gamma, bound[~equal]]) for bound in (rows.lower, rows.upper))
    try:
        found = solve(GaussProblem.of(problem.M, problem.f, np.vstack([kept @ J, rows.J[~equal]]), low, high))
    except GaussError:
        return None
    terms = np.abs(vanishing) @ (np.abs(J) @ np.abs(found.a) + np.abs(gamma))
    if not np.any(gone) or np.any(np.abs(vanishing @ (gamma - J @ found.a)) > tolerance * terms):
        return None
    multipliers, count = np.zeros(problem.m), len(kept)
    multipliers[equal], multipliers[~equal] = found.multipliers[:count] @ kept, found.multipliers[count:]
    residuals = residuals_of(problem, problem.metric, found.a, multipliers)
    return replace(found, problem=problem, multipliers=multipliers, residuals=residuals, multipliers_unique=False)


def _noise(problem: GaussProblem) -> Array:
    """Return what is not known of the rows (k, n)."""
    noise = problem.rows.noise
    return rounding_of(problem.metric, problem.rows.J) if noise is None else noise


def error_by_noise(problem: GaussProblem, a: Array) -> float:
    """Return the error of the minimiser, to first order, by the noise of the equality rows where it is given."""
    rows, spectrum = problem.rows, problem.spectrum
    if rows.noise is None or not spectrum.rank:
        return 0.0
    off = (rows.noise @ np.abs(a))[rows.equal] / spectrum.length
    return float(np.linalg.norm(off) / spectrum.sigma[spectrum.rank - 1])


def _listed(problem: GaussProblem, which: Flags) -> str:
    return ", ".join(repr(name) for name, yes in zip(problem.rows.names, which, strict=True) if yes)


def _apart(problem: GaussProblem, solution: GaussSolution) -> float:
    """Return the distance from a solution to that without the combinations of its rows that may vanish."""
    rows, unsure = problem.rows, problem.unsure
    assert unsure is not None
    held = rows.equal | (solution.multipliers != 0.0)
    value = rows.J @ solution.a
    target = np.where(np.abs(value - rows.lower) <= np.abs(rows.upper - value), rows.lower, rows.upper)
    combinations, clear, _ = decided(rows.J[held], unsure[held], _noise(problem)[held])
    w = combinations[:, clear].T
    low, high = (np.concatenate([w @ target[held], bound[~held]]) for bound in (rows.lower, rows.upper))
    J = np.vstack([w @ rows.J[held], rows.J[~held]])
    try:
        other = solve(GaussProblem.of(problem.M, problem.f, J, low, high))
    except GaussError:
        return np.inf
    return problem.metric.norm(other.a - solution.a) + other.error_bound


def softened(problem: GaussProblem, regularization: Array) -> Array | None:
    """Return the minimiser (n,) where row k may give way by R_k times its multiplier; None where there is none."""
    rows, n, k = problem.rows, problem.n, problem.m
    M = np.eye(n + k)
    M[:n, :n] = problem.M
    J = np.hstack([rows.J, np.diag(np.sqrt(regularization))])
    try:
        return solve(GaussProblem.of(M, np.append(problem.f, np.zeros(k)), J, rows.lower, rows.upper)).a[:n]
    except GaussError:
        return None
