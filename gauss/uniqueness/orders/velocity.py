"""The velocity nearest to one that violates order 2: the remedy at a singular position that does not admit it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy

from gauss.foundation.arrays import Array, Flags
from gauss.model import System
from gauss.model.state import State
from gauss.numerics.quadrics.stationary import stationary
from gauss.principle import GaussProblem
from gauss.uniqueness.orders.order_four import Elimination, form_of
from gauss.uniqueness.rows.frame import Frame, frame_of
from gauss.uniqueness.rows.uncertainty import lifted, order_two, ordinary


def admissible_velocity(
    frame: Frame, combinations: Array, violated: Flags, sense: str = "="
) -> tuple[bool, Array | None]:
    """Return whether some velocity satisfies wᵀγ = 0 (or −wᵀγ ≥ 0, sense ">="), and the nearest one in the metric.

    `combinations` (m, k) are the w; `violated` (k,) says which the present velocity does not satisfy. For rows
    linear in the velocities wᵀγ is quadratic in them; others are solved from several velocities.
    """
    if not frame.system.model.linear_velocity:
        return _nonlinear(frame, combinations, sense)
    s, N = frame.state, frame.kernel
    d = N.shape[1]
    size = frame.metric.norm(s.v) or 1.0
    directions = lifted(frame, ordinary(frame), size * N)
    still = Elimination.none(len(frame.index), d)
    start = np.zeros(frame.n), np.zeros(frame.n)
    quadrics = []
    for w, broken in zip(combinations.T, violated, strict=True):
        q = form_of(frame, start, directions, 1, w, still).quadric
        if np.any(q.S) or np.any(q.g):
            quadrics.append(replace(q, sense=sense))
        elif broken:
            return False, None
    found = stationary(np.zeros(d), quadrics) if quadrics else None
    if found is None or found.status == "none":
        return False, None
    if found.families and (not found.points or found.families[0].value < found.points[0].value):
        return True, s.v + directions.value @ found.families[0].sample(1, 0)[0]
    return True, s.v + directions.value @ found.points[0].y


def on_order_two(system: System, state: State) -> Array | None:
    """Return the velocity nearest to that of a state on its rows that satisfies the conditions of order 2 as well.

    It is the same where the rows are independent, or where the conditions hold; None where no velocity is found.
    """
    frame = frame_of(system, state, GaussProblem.at(system, state), list(system.model.equality))
    if frame.rank == len(frame.index):
        return state.v
    null = frame.left_null[:, ~frame.identical]
    violated = order_two(frame, null).clear
    return admissible_velocity(frame, null, violated)[1] if np.any(violated) else state.v


STARTS = 8  # velocities from which the equations of nonlinear rows are solved
SOLVED = 1e-9  # their residual, relative


def _nonlinear(frame: Frame, combinations: Array, sense: str) -> tuple[bool, Array | None]:
    """Return what `admissible_velocity` does for rows nonlinear in the velocities, by least squares on ψ and wᵀγ."""
    s, model = frame.state, frame.system.model
    size = frame.metric.norm(s.v) or 1.0

    def residual(x: Array) -> Array:
        terms = model.terms(s.q, frame.lift(x), s.t, frame.theta)
        order2 = -combinations.T @ (terms.gamma[frame.index] / frame.scale)
        order2 = order2 if sense == "=" else np.minimum(order2, 0.0)
        return np.concatenate([terms.psi[frame.index] / frame.scale / size, order2 / size**2])

    start = np.asarray(frame.metric.L.T @ s.v)
    rng = np.random.default_rng(0)
    starts = [start, *(start + size * rng.normal(size=(STARTS - 1, start.size)))]
    scale = max(1e-300, *(float(np.linalg.norm(residual(x))) for x in starts))
    best: Array | None = None
    for x in starts:
        found = scipy.optimize.least_squares(residual, x, xtol=1e-15, ftol=1e-15, gtol=1e-15).x
        nearer = best is None or np.linalg.norm(found - start) < np.linalg.norm(best - start)
        if np.linalg.norm(residual(found)) <= SOLVED * scale and nearer:
            best = found
    return best is not None, None if best is None else frame.lift(best)
