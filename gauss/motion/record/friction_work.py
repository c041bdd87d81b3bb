"""The work of friction along a motion, by quadrature over its dense output."""

from __future__ import annotations

import numpy as np

from gauss.foundation.arrays import Array
from gauss.motion.record.recorded_friction import Recorded

NODES = 4  # of Gauss's quadrature in each step, of order 8 as the method


def friction_works(run: Recorded) -> tuple[Array, Array]:
    """Return the work (N,) of friction with the slip velocities up to each recorded state, and that of drives, J.

    A belt that moves beneath a contact drives it: friction t works t·(Tv) on the system, of which t·s is lost at the
    contact, and the rest is the work of the belt. Zeros for a motion without friction.
    """
    count = len(run.t)
    slip, driven = np.zeros(count), np.zeros(count)
    rows = [run.about.rows.index(row) for contact in run.about.contacts for row in contact.slip]
    if not rows or run.setting is None or run.sliding is None:
        return slip, driven
    model, theta = run.setting.system.model, run.setting.theta
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    for i in range(count - 1):
        h = float(run.t[i + 1] - run.t[i])
        if h <= 0.0 or not (np.any(run.multipliers[i : i + 2, rows]) or np.any(run.sliding[i])):
            continue
        inner = run.at(run.t[i] + h * (nodes + 1.0) / 2.0)
        assert inner.sliding is not None
        for k, weight in enumerate(weights):
            terms = model.terms(inner.q[k], inner.v[k], float(inner.t[k]), theta)
            t, slides = inner.multipliers[k, rows], inner.sliding[k, rows] != 0.0
            slip[i + 1] += weight * h / 2.0 * float(np.sum((t * terms.psi[rows])[slides]))
            driven[i + 1] += weight * h / 2.0 * float(t @ (terms.J[rows] @ inner.v[k] - terms.psi[rows]))
    return np.cumsum(slip), np.cumsum(driven)
