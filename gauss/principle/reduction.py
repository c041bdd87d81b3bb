"""Reduction: the Gauss problem in coordinates where a quadratic-program solver can be trusted.

With z = Lᵀ(a − a_free) the Zwang is ½|z|²; equality rows become an orthonormal basis of their row space (from the
singular value decomposition of the rows scaled to unit length in the mass metric), so that nearly dependent rows no
longer look alike to a solver. Inequality rows are scaled, not rotated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gauss.errors import ContradictoryRowsError
from gauss.foundation.arrays import Array, Indices, norms
from gauss.foundation.zero import UNIT, ZERO
from gauss.model.rows import Rows
from gauss.principle.metric import Metric
from gauss.principle.problem import GaussProblem
from gauss.principle.rank import ScaledSVD

CONSISTENT = 1e-8  # of its terms: by so much states that users type or integrators give may miss a dependent row

ROUNDS = 2  # in which an acceleration is moved onto the rows


@dataclass(frozen=True)
class ReducedProgram:
    """min ½ zᵀP z + hᵀz subject to E z = c and low ≤ G z ≤ high, with orthonormal rows E and unit rows G."""

    metric: Metric
    spectrum: ScaledSVD  # of the equality rows
    E: Array  # (r, n)
    c: Array  # (r,)
    G: Array  # (k, n)
    low: Array  # (k,)
    high: Array  # (k,)
    length: Array  # (k,) length of the inequality rows before scaling
    inequality: Indices  # (k,) their indices among the problem's rows


def reduce(problem: GaussProblem) -> ReducedProgram:
    """Reduce a problem. Raises ContradictoryRowsError when the equality rows cannot all hold."""
    metric = problem.metric
    rows = problem.rows
    equality = rows.equality
    spectrum = problem.spectrum
    target = (rows.lower[equality] - rows.J[equality] @ metric.reference) / spectrum.length
    r = spectrum.rank
    c = (spectrum.U[:, :r].T @ target) / spectrum.sigma[:r]
    best = metric.reference + metric.lift(spectrum.V[:r].T @ c)
    _refuse_contradiction(problem, spectrum, best)
    bounded = np.isfinite(rows.lower) | np.isfinite(rows.upper)
    inequality = rows.inequality[bounded[rows.inequality]]
    G = metric.whitened(rows.J[inequality])
    length = norms(G, 1)
    length[length == 0.0] = 1.0
    offset = rows.J[inequality] @ metric.reference
    return ReducedProgram(
        metric=metric,
        spectrum=spectrum,
        E=spectrum.V[:r],
        c=c,
        G=G / length[:, None],
        low=(rows.lower[inequality] - offset) / length,
        high=(rows.upper[inequality] - offset) / length,
        length=length,
        inequality=inequality,
    )


def _refuse_contradiction(problem: GaussProblem, spectrum: ScaledSVD, best: Array) -> None:
    """Raise ContradictoryRowsError if a vanishing combination of rows demands something else than zero.

    `best` (n,) satisfies the rows as well as they can be. What a combination demands is compared with the terms that it
    is made of there, |w|ᵀ(|J||a| + |γ|): a right-hand side of 1e-16 beside |J||a| of 1 is zero. It does not depend on
    the free acceleration, which light coordinates make so large that its rounding hides all that rows demand.
    """
    equality = problem.rows.equality
    if spectrum.rank == equality.size:
        return
    null, J, gamma = spectrum.left_null, problem.rows.J[equality], problem.rows.lower[equality]
    r, metric = spectrum.rank, problem.metric
    for _ in range(ROUNDS):  # rounding of a large free acceleration is taken off
        missed = (spectrum.U[:, :r].T @ ((gamma - J @ best) / spectrum.length)) / spectrum.sigma[:r]
        best = best + metric.lift(spectrum.V[:r].T @ missed)
    demanded, left = gamma / spectrum.length, null.T @ (J / spectrum.length[:, None])
    terms = (np.abs(J) @ np.abs(best) + np.abs(gamma)) / spectrum.length
    gaps = null.T @ demanded - left @ best
    rounded = ZERO * UNIT * equality.size * float(np.linalg.norm(terms))  # the combinations are rounded themselves
    rounded += float(np.linalg.norm(crumbs_of(problem)[equality] / spectrum.length))
    excess = np.abs(gaps) > CONSISTENT * (np.abs(null).T @ terms) + rounded
    if not np.any(excess):
        return
    gap = float(np.linalg.norm(gaps))
    combination = np.abs(null @ gaps)
    names = [problem.rows.names[k] for k in equality]
    involved = [name for name, weight in zip(names, combination, strict=True) if weight > 1e-6 * combination.max()]
    raise ContradictoryRowsError(
        f"rows {', '.join(map(repr, involved))} are dependent but demand different accelerations: their right-hand"
        f" sides differ by {gap:.3g} (rows scaled to unit length in the mass metric). No acceleration satisfies them;"
        " remove or mend one of these constraints, or check that the velocity satisfies them.",
        involved,
        gap,
    )


def crumbs_of(problem: GaussProblem) -> Array:
    """Return what of the rows' right-hand sides (m,) is rounding beside what the force gives the heaviest coordinate.

    At rest all that rows demand may be no more than that.
    """
    heaviest = float(np.max(np.diag(problem.M), initial=0.0))
    push = float(np.max(np.abs(problem.f), initial=0.0)) / heaviest if heaviest > 0.0 else 0.0
    return np.asarray(ZERO * UNIT * push * norms(problem.rows.J, 1))


def contradiction_of(rows: Rows, missed: float) -> tuple[str, list[str], float]:
    """Return what to say of rows with bounds that no acceleration satisfies, their names, and what is missed."""
    bounded = np.isfinite(rows.lower) | np.isfinite(rows.upper)
    names = [name for name, yes in zip(rows.names, bounded, strict=True) if yes]
    text = (
        f"the rows {', '.join(map(repr, names))} contradict each other: no acceleration satisfies them all, one is"
        f" missed by {missed:.3g} of the largest bound or more. Remove or mend one of these constraints."
    )
    return text, names, missed
