"""Large mechanisms: the verdict "regular" from the smallest singular values alone, found by sparse algebra.

Where many bodies are joined by rows that touch few of them, the full decomposition of `frame` costs the cube of their
number. Rows that are clearly independent need none of it: their smallest singular value is found by inverse iteration
on sparse factors. Everything that is not clear is left to the full analysis.

The rows are scaled by their length in the metric, or where that is larger by their change as each coordinate changes by
its own size (at least 1). (`frame` takes the size of the whole system for that, to which a small body's turning is
nothing; with many bodies that would hide how independent the rows are.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from gauss.foundation.arrays import Array
from gauss.foundation.tolerances import EPS
from gauss.foundation.zero import COMPUTED
from gauss.model import System
from gauss.model.state import State
from gauss.principle import GaussProblem
from gauss.principle.sparse import ExtremeSingularValues, SparseProblem, solve_sparsely, spectrum_of
from gauss.uniqueness.accelerations import by_rows
from gauss.uniqueness.findings import regular
from gauss.uniqueness.orders.errors import SAFETY, STEADY, propagated
from gauss.uniqueness.regularity import HEAVY, Regularity
from gauss.uniqueness.rows.combinations import involved
from gauss.uniqueness.rows.frame import GAP
from gauss.uniqueness.rows.scaled_rows import VIOLATION
from gauss.uniqueness.rows.scaling import changes, own_size
from gauss.uniqueness.verdict import Verdict

TOLERATED = 1e-3  # relative error that the uncertainty of the state may cause by small singular values
RESTING = 0.02  # the same at rest, where no rows of higher order are better than these
SAMPLES = 4  # displaced states
SMALL = 1e-6  # displacements by which derivatives are computed, relative to the coordinates' own sizes


@dataclass(frozen=True)
class ClearRows:
    """The rows of a large sparse problem that are clearly independent, with the numbers that show it."""

    sparse: SparseProblem
    found: ExtremeSingularValues
    tolerance: float  # singular values below this count as zero
    error: float  # of the acceleration by the uncertainty of the state

    @staticmethod
    def of(system: System, state: State, problem: GaussProblem) -> ClearRows | None:
        """Return them, or None for any other problem: a small or full one, with closed contacts or rows that are not
        linear in the velocities, or with singular values that leave a doubt.
        """
        if not system.model.linear_velocity:
            return None
        sparse = SparseProblem.of(problem)
        if sparse is None or not np.all(np.any(problem.rows.J[sparse.rows] != 0.0, axis=1)):
            return None
        place = own_size(state)
        change = changes(system, state, sparse.rows, sparse.root)
        scale = np.maximum(sparse.length, change)
        found = spectrum_of(sp.csr_matrix(sp.diags(1.0 / scale) @ sparse.whitened))
        if found is None:
            return None
        off = _offset(system, state, system.theta(), sparse, place)
        tolerance = COMPUTED * np.sqrt(sparse.rows.size) + VIOLATION * off
        if found.smallest <= GAP * tolerance:
            return None
        noise, clear = max(COMPUTED, off), TOLERATED if np.any(state.v) else RESTING
        error, size = _error(sparse, state, found.smallest, noise, change / scale, place)
        if error > clear * size:
            error = _sampled_error(system, state, sparse, found.smallest, noise, scale)
        return ClearRows(sparse, found, tolerance, error) if error <= clear * size else None


def clearly_regular(system: System, state: State, problem: GaussProblem, solver: str) -> Verdict | None:
    """Return the verdict on a large sparse problem whose rows are clearly independent, with its acceleration.

    None for any other problem (see `ClearRows`), and for the solver ``cvxpy``.
    """
    clear = None if solver == "cvxpy" else ClearRows.of(system, state, problem)
    solution = None if clear is None else solve_sparsely(clear.sparse, solver)
    if clear is None or solution is None:
        return None
    return Verdict(
        state=state,
        coordinates=system.coordinates,
        findings=(regular(clear.sparse.rows.size),),
        regularity=_regularity(problem, clear.sparse, clear.found, clear.tolerance),
        accelerations=by_rows(solution),
        problem=problem,
        answer=solution,
        conditions=(),
        nearby=(),
        warnings=(),
        error=clear.error,
        units=system.units,
    )


def _regularity(
    problem: GaussProblem, sparse: SparseProblem, found: ExtremeSingularValues, tolerance: float
) -> Regularity:
    names = tuple(problem.rows.names[k] for k in sparse.rows)
    return Regularity(
        verdict="regular",
        rank=len(names),
        rows=names,
        sigma=found.sigma,
        tolerance=tolerance,
        gap=float("inf"),
        dependent=(),
        weakest=tuple(names[k] for k in involved(found.weakest, HEAVY)),
        doubtful=False,
        left_out=len(names) - found.sigma.size,
    )


def _offset(system: System, state: State, theta: Array, sparse: SparseProblem, place: Array) -> float:
    """Return the largest relative change of a coordinate by which one of the rows is missed, in the metric least.

    Row k is missed by the displacement M⁻¹J_kᵀ φ_k/|J_k|²: a millimetre's bar turns far by a small gap at its pin.
    """
    phi = system.model.residuals(state.q, state.v, state.t, theta)[0][sparse.rows]
    moved = abs(sp.diags(1.0 / place) @ sparse.root.T @ sparse.whitened.T).max(axis=0).toarray().ravel()  # (k,)
    return float(np.max(np.abs(phi) * moved / sparse.length**2))


def _error(
    sparse: SparseProblem, state: State, sigma: float, noise: float, curvature: Array, place: Array
) -> tuple[float, float]:
    """Return a bound of the error of the acceleration by the smallest singular value alone, and the size of both."""
    rate, speed = float(np.linalg.norm(state.v / place)), sparse.norm(state.v)
    demanded = float(np.max(np.abs(sparse.gamma) / sparse.length))  # by one row alone, as by a driver
    size = max(sparse.norm(sparse.reference), speed**2 / sparse.norm(place), demanded)
    return propagated(noise, sigma, size, float(np.max(curvature)) * rate * speed), size


def _sampled_error(
    system: System, state: State, sparse: SparseProblem, sigma: float, noise: float, scale: Array
) -> float:
    """Return the error of the acceleration as the largest at a few states displaced at random by their uncertainty.

    A displacement is that of each coordinate, and what rounding of each row lets the state be off along J⁺. It changes
    the acceleration by δa with M δa − Jᵀ δμ = δJᵀ μ and J δa = δγ − δJ a, in which no combination of rows counts for
    more than it changes: in a chain that is straight those with small σ hardly do. Infinite where δJ may be as large
    as σ.
    """
    model, theta, rows, t = system.model, system.theta(), sparse.rows, state.t
    a, mu = sparse.solved(sparse.problem.f, sparse.gamma)
    place, size, still = own_size(state), abs(sparse.J), np.zeros(state.q.size)
    pace = np.maximum(np.abs(state.v), place * np.linalg.norm(state.v / place) / np.sqrt(place.size))
    phi, psi = (np.abs(x[rows]) for x in model.residuals(state.q, state.v, t, theta))
    phi, psi = phi + EPS * (size @ place), psi + EPS * (size @ pace)
    aim = EPS * (size @ np.abs(a) + np.abs(sparse.gamma))

    def changes_along(q: Array, v: Array) -> tuple[sp.csr_matrix, Array]:
        """Return δJ (k, n) and δγ (k,) for a displacement q, v (n,), by central differences."""
        step = SMALL / max(float(np.max(np.abs(q) / place)), float(np.max(np.abs(v) / (np.max(pace) or 1.0))))
        ahead, behind = (model.terms(state.q + s * q, state.v + s * v, t, theta) for s in (step, -step))
        J, gamma = (ahead.J - behind.J)[rows], (ahead.gamma - behind.gamma)[rows]
        return sp.csr_matrix(J / (2.0 * step)), gamma / (2.0 * step)

    worst, rng = 0.0, np.random.default_rng(0)
    for _ in range(SAMPLES):
        signs = rng.choice((-1.0, 1.0), size=(5, place.size))
        q = noise * place * signs[0] + sparse.solved(still, phi * signs[1, : rows.size])[0]
        J, _ = changes_along(q, still)
        v = noise * pace * signs[2] + sparse.solved(still, psi * signs[3, : rows.size] - J @ state.v)[0]
        J, gamma = changes_along(q, v)
        if sp.linalg.norm(sp.diags(1.0 / scale) @ J @ sparse.root.T, axis=1).max() > STEADY * sigma:
            return float("inf")
        worst = max(worst, sparse.norm(sparse.solved(J.T @ mu, gamma - J @ a + aim * signs[4, : rows.size])[0]))
    return SAFETY * worst
