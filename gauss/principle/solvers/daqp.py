"""DAQP on the reduced problem: an active-set method, consulted when the first active set cannot be certified."""

from __future__ import annotations

import daqp
import numpy as np

from gauss.principle.problem import GaussProblem
from gauss.principle.proposal import Signs, equality_signs
from gauss.principle.reduction import ReducedProgram

EQUALITY = 5
INFINITE = 1e30


def active_set(problem: GaussProblem, reduction: ReducedProgram) -> Signs:
    """Return the active set that DAQP finds; only the equality rows when it finds none."""
    metric = reduction.metric
    A = np.ascontiguousarray(np.vstack([reduction.E, reduction.G]))
    low = np.clip(np.concatenate([reduction.c, reduction.low]), -INFINITE, INFINITE)
    high = np.clip(np.concatenate([reduction.c, reduction.high]), -INFINITE, INFINITE)
    r = reduction.E.shape[0]
    sense = np.zeros(A.shape[0], dtype=np.int32)
    sense[:r] = EQUALITY
    active = equality_signs(problem)
    h = np.ascontiguousarray(metric.h)
    *_, flag, info = daqp.solve(np.ascontiguousarray(metric.P), h, A, high, low, sense)
    if flag < 1:
        return active
    for j, k in enumerate(reduction.inequality):
        multiplier = info["lam"][r + j]
        if multiplier != 0.0:
            active[k] = -1 if multiplier > 0.0 else 1
    return active
