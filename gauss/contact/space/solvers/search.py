"""A search for solutions that the fixed point does not reach: least squares on the law, from random forces.

The law is the equation min(p, g̈) = 0 with t = Π(t − ṡ) for each friction at rest, Π the projection onto the disc of
radius μ p (the natural map), and t = −μ p ŝ for one that slides. Its least squares have minima that are no solutions,
so what is found is finished and certified like every other candidate, and nothing follows where nothing is found.
"""

from __future__ import annotations

import numpy as np
import scipy

from gauss.contact.space.scaled_problem import ScaledCone
from gauss.contact.space.solvers.newton import ModeForces, polish, read_modes
from gauss.foundation.arrays import Array

NEAR = 1e-6  # residual from which Newton's method takes over
EVALUATIONS = 200


def search(w: ScaledCone, starts: int) -> ModeForces | None:
    """Return a solution that one of `starts` random starts leads to, or None."""
    rng = np.random.default_rng(17)
    for _ in range(starts):
        x = rng.standard_normal(len(w.c)) * 10.0 ** rng.uniform(-1.0, 1.5)
        x[: w.k] = np.abs(x[: w.k])
        found = scipy.optimize.least_squares(
            lambda x: _law(w, x)[0], x, jac=lambda x: _law(w, x)[1], max_nfev=EVALUATIONS
        )
        if float(np.max(np.abs(found.fun))) < NEAR * max(1.0, float(np.max(np.abs(found.x)))):
            candidate = polish(w, found.x, *read_modes(w, found.x))
            if candidate is not None:
                return candidate
    return None


def _law(w: ScaledCone, x: Array) -> tuple[Array, Array]:
    """Return the law as equations (r,) and their derivative (r, r), with the kinetic coefficients."""
    y, eye = w.rates(x), np.eye(len(x))
    residual, jacobian = np.minimum(x, y), np.where((x < y)[:, None], eye, w.G)
    for f in w.frictions:
        here, i = f.place, f.contact
        load, slope = (f.kinetic * x[i], f.kinetic * eye[i]) if x[i] > 0.0 else (0.0, 0.0 * eye[i])
        if f.direction is not None:
            residual[here] = x[here] + load * f.direction
            jacobian[here] = eye[here] + np.outer(f.direction, slope)
            continue
        aim = x[here] - y[here]
        size = float(np.linalg.norm(aim))
        if size <= load:
            residual[here], jacobian[here] = y[here], w.G[here]
            continue
        u = aim / size
        residual[here] = x[here] - load * u
        turn = (np.eye(len(u)) - np.outer(u, u)) * (load / size)
        jacobian[here] = eye[here] - np.outer(u, slope) - turn @ (eye[here] - w.G[here])
    return residual, jacobian
