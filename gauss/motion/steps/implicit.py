"""Implicit steps for stiff forces: the three-stage Radau IIA method of order 5 (Hairer, Wanner II, § IV.8) by SciPy.

The equations are those of index 1, y = (q, v), ẏ = (v, a(q, v, t)), with the acceleration of the rows in force and its
exact Jacobian, so that springs, dampers and bushings however stiff ask for steps that only accuracy limits. The motion
is projected onto the rows after each step, as after any other.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy

from gauss.foundation.arrays import Array
from gauss.foundation.tolerances import EPS
from gauss.model import System
from gauss.model.compiled.derivatives.linear import variations_of

INNER = 30  # a step that takes more steps within is given up
Rate = Callable[[float, Array], Array]
Jacobian = Callable[[float, Array], Array]


def radau_step(
    rate: Rate, jacobian: Jacobian | None, t: float, y: Array, h: float, rtol: float, atol: Array
) -> tuple[Array, float]:
    """Return y at t + h, and the size of the step that SciPy's controller would take next.

    Where the estimated error does not allow one step of size h, y is reached by several, and the size is that of the
    first of them, below h. y is nan after too many, or where no step is possible. Without a `jacobian` it is taken from
    differences.
    """
    failed = np.full(y.size, np.nan), 0.0

    def from_start(passed: float, now: Array) -> Array:
        return rate(t + passed, now)

    slope = None if jacobian is None else lambda passed, now: jacobian(t + passed, now)
    first = 0.0
    try:
        solver = scipy.integrate.Radau(
            from_start, 0.0, y, h, first_step=abs(h), rtol=max(rtol, 100 * EPS), atol=atol, jac=slope
        )
        for _ in range(INNER):
            solver.step()
            first = first or abs(float(solver.t))
            if solver.status != "running":
                break
    except (ValueError, np.linalg.LinAlgError):  # numbers that are not finite
        return failed
    if solver.status == "failed":
        return failed
    if solver.status == "running":
        return np.full(y.size, np.nan), first
    return np.asarray(solver.y), first if first < abs(h) else float(solver.h_abs)


def jacobian_of(
    system: System, rows: tuple[int, ...], t: float, y: Array, theta: Array, solved: tuple[Array, Array]
) -> Array:
    """Return the derivative (2n, 2n) of (v, a) by (q, v) on the rows in force; `solved` is (a, λ) there."""
    n, model = system.n, system.model
    q, v, (a, multipliers) = y[:n], y[n:], solved
    terms = model.terms(q, v, t, theta)
    full = np.zeros(model.m)
    full[list(rows)] = multipliers
    d = variations_of(model)(q, v, t, theta, a, full)
    kept = np.concatenate([np.arange(n), n + np.array(rows, dtype=int)])
    J = terms.J[list(rows)]
    saddle = np.block([[terms.M, -J.T], [J, np.zeros((len(rows), len(rows)))]])
    derivatives = np.linalg.solve(saddle, np.hstack([d.by_q[kept], d.by_v[kept]]))[:n]
    return np.vstack([np.hstack([np.zeros((n, n)), np.eye(n)]), derivatives])
