"""The judgement of one recorded state: M, f, rows, an acceleration a and multipliers λ that another program found.

The state's own Gauss problem is solved and certified, and a is compared with its minimiser in the mass metric, and with
that of soft rows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gauss.analysis.second_opinion.minimum import CONTRADICTORY, Minimum, error_by_noise, minimum_of, softened
from gauss.foundation.arrays import Array, Flags
from gauss.foundation.outcomes import UNDECIDED
from gauss.foundation.tolerances import EPS
from gauss.foundation.zero import CLEAR, UNIT
from gauss.model.rows import Rows
from gauss.principle import GaussProblem
from gauss.principle.rank import rounding_of
from gauss.uniqueness import diagnose, require_unique

AGREES, SOFTENED, DIFFERS = "agrees", "softened", "differs"  # and CONTRADICTORY, UNDECIDED
ROUNDING = 100.0  # roundings of multipliers that cancel in Jᵀλ


class StateOpinion(NamedTuple):
    """What is found at one state with n coordinates and k rows; distances in the mass metric, √kg m/s²."""

    word: str  # of `AGREES`, `SOFTENED`, `DIFFERS`, `CONTRADICTORY`, `UNDECIDED`
    why: str  # where it is one of the last two
    minimiser: Array  # (n,) of the Zwang; nan where there is none that is known
    distance: float  # |a − minimiser|
    accuracy: float  # bound on the error of the minimiser, or distance between its two readings
    size: float  # of what accelerations are made of: |a| + |a_free|
    soft: Array  # (n,) minimiser with softened rows
    soft_distance: float  # |a − soft|
    softness: float  # |soft − minimiser|
    balance: Array  # (n,) M a − f − Jᵀλ
    imbalance: float  # its size in the inverse metric
    load: float  # size of the terms M a, f and Jᵀλ
    off: Array  # (k,) by how much J a leaves the bounds, in the unit of the row
    off_soft: Array  # (k,) the same of J a + R λ
    share: Array  # (k,) the latter, relative to what may be missed
    wrong: Array  # (k,) multipliers of the wrong sign or of open rows, relative to what they may be
    rank: int
    sigma: float  # smallest singular value of the rows
    verdict: str  # on the rows
    determined: Flags  # (k,)
    open: Flags  # (k,)
    low: Array  # (k,)
    high: Array  # (k,)
    multipliers: Array  # (k,) of the minimiser, a choice where they are not determined


def judged(
    problem: GaussProblem, a: Array, forces: Array | None, regularization: Array | None, tolerance: float, lone: Flags
) -> StateOpinion:
    """Return what there is to say of an acceleration (n,), multipliers (k,) and softness R (k,) of the rows.

    `tolerance` is a share of the sizes of the terms. Rows that are `lone` (k,) may be rounding, or in a unit of their
    own. Raises NonUniqueAccelerationError and MassMatrixError for a mass matrix that determines no acceleration.
    """
    unsure = np.zeros_like(problem.rows.J) if problem.unsure is None else problem.unsure
    problem = replace(problem, unsure=unsure)
    require_unique(problem)
    metric, lam = problem.metric, np.zeros(problem.m) if forces is None else forces
    by = np.zeros(problem.m) if regularization is None else regularization * lam
    balance, applied, load = _balance(problem, a, lam, tolerance)
    size = metric.norm(a) + applied
    off, off_soft, share, wrong = _missed(problem, a, lam, by, size, load, tolerance)
    found = minimum_of(problem, lone, tolerance * size, tolerance)
    distance = np.nan if found.solution is None else metric.norm(a - found.solution.a)
    accuracy = (
        np.nan if found.solution is None else max(found.solution.error_bound, found.doubt) + error_by_noise(problem, a)
    )
    soft = None if regularization is None else softened(problem, regularization)
    soft_distance = np.nan if soft is None else metric.norm(a - soft)
    word, why = _word(found, distance, accuracy, soft_distance, tolerance * size)
    nowhere = np.full(problem.n, np.nan)
    regularity = diagnose(problem.only(~lone) if np.any(lone) else problem)
    return StateOpinion(
        word=word,
        why=why,
        minimiser=nowhere if found.solution is None else found.solution.a,
        distance=distance,
        accuracy=accuracy,
        size=size,
        soft=nowhere if soft is None else soft,
        soft_distance=soft_distance,
        softness=np.nan if soft is None or found.solution is None else metric.norm(soft - found.solution.a),
        balance=balance if forces is not None else nowhere,
        imbalance=float(np.linalg.norm(metric.covector(balance))) if forces is not None else np.nan,
        load=load,
        off=off,
        off_soft=off_soft,
        share=share,
        wrong=wrong,
        rank=regularity.rank,
        sigma=regularity.sigma_min,
        verdict=CONTRADICTORY if found.word == CONTRADICTORY else UNDECIDED if np.any(lone) else regularity.verdict,
        determined=found.determined,
        open=found.open,
        low=found.low,
        high=found.high,
        multipliers=found.multipliers,
    )


def lonely(problem: GaussProblem) -> Flags:
    """Return which rows (k,) are no larger than the rounding of other rows: crumbs, or in a unit of their own."""
    length = problem.lengths
    return np.asarray((length > 0.0) & (length <= CLEAR * UNIT * np.max(length, initial=0.0)))


def with_rounding(problem: GaussProblem, unit: float) -> GaussProblem:
    """Return the problem with noise of the rows for a coarser unit roundoff than that of double precision."""
    noise = rounding_of(problem.metric, problem.rows.J, unit)
    return problem.with_noise(noise if problem.rows.noise is None else np.maximum(noise, problem.rows.noise))


def _balance(problem: GaussProblem, a: Array, lam: Array, tolerance: float) -> tuple[Array, float, float]:
    """Return M a − f − Jᵀλ (n,), the size of f in the inverse metric, and that of all three terms."""
    held = problem.rows.J.T @ lam
    sizes = [float(np.linalg.norm(problem.metric.covector(x))) for x in (problem.M @ a, problem.f, held)]
    load = sum(sizes)
    load += ROUNDING * EPS / tolerance * float(np.abs(lam) @ problem.lengths)  # what rounding leaves where they cancel
    return problem.M @ a - problem.f - held, sizes[1], load


def _missed(
    problem: GaussProblem, a: Array, lam: Array, by: Array, size: float, load: float, tolerance: float
) -> tuple[Array, Array, Array, Array]:
    """Return `off`, `off_soft`, `share` and `wrong` (k,) of rows that may give way `by` R λ (k,)."""
    rows, length = problem.rows, problem.lengths
    bound = np.maximum(*(np.where(np.isfinite(x), np.abs(x), 0.0) for x in (rows.lower, rows.upper)))
    may = tolerance * (size * length + bound + np.abs(by))
    off, off_soft = (_outside(rows, rows.J @ a + x) for x in (0.0, by))
    share = tolerance * _over(np.abs(off_soft), may)
    wrong = tolerance * _over(_wrongly(rows, rows.J @ a + by, lam, may), tolerance * _over(load, length))
    return off, off_soft, share, wrong


def _outside(rows: Rows, value: Array) -> Array:
    """Return by how much values (k,) of the rows are below their bounds (negative) or above them."""
    return np.asarray(np.maximum(value - rows.upper, 0.0) - np.maximum(rows.lower - value, 0.0))


def _over(value: Array | float, other: Array) -> Array:
    """Return value/other; 0 of nothing."""
    value = np.broadcast_to(value, other.shape)
    with np.errstate(divide="ignore"):
        return np.asarray(np.divide(value, other, out=np.where(value > 0.0, np.inf, 0.0), where=other > 0.0))


def _wrongly(rows: Rows, value: Array, lam: Array, may: Array) -> Array:
    """Return the size (k,) of multipliers that pull at a lower bound, push at an upper one, or act at open rows."""
    pushes = (value <= rows.lower + may) & np.isfinite(rows.lower)
    pulls = (value >= rows.upper - may) & np.isfinite(rows.upper)
    return np.where(
        rows.equal, 0.0, np.where(pushes, 0.0, np.maximum(lam, 0.0)) - np.where(pulls, 0.0, np.minimum(lam, 0.0))
    )


def _word(found: Minimum, distance: float, accuracy: float, soft: float, may: float) -> tuple[str, str]:
    """Return the word on an acceleration at some distance from the minimisers, where `may` is none; and why."""
    near = not found.word and accuracy <= may and distance <= may + accuracy
    if soft <= may:
        return (AGREES if near else SOFTENED), ""
    if near:
        return AGREES, ""
    if not np.isnan(soft):
        return DIFFERS, ""
    if found.word:
        return found.word, found.why
    if distance > may + accuracy:
        return DIFFERS, ""
    return UNDECIDED, f"the minimiser is known to {accuracy:.2g} only"
