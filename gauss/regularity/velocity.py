"""The velocity nearest to one that violates order 2: the remedy at a singular position that does not admit it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.optimize as opt

from gauss.arrays import Array, Flags
from gauss.regularity.cone import Quadric, stationary
from gauss.regularity.frame import Frame

VANISHES = 1e-9  # relative size of a dependence on the velocity that counts as none


def admissible_velocity(
    frame: Frame, combinations: Array, violated: Flags, sense: str = "="
) -> tuple[bool, Array | None]:
    """Return whether some velocity satisfies wᵀγ = 0 (or −wᵀγ ≥ 0, sense ">="), and the nearest one in the metric.

    `combinations` (m, k) are the w; `violated` (k,) says which the present velocity does not satisfy. For rows
    linear in the velocities wᵀγ is quadratic in them; it is sampled exactly by second differences. For others the
    answer is (True, None): not known.
    """
    if not frame.system.model.linear_velocity:
        return _nonlinear(frame, combinations, sense)
    s, N = frame.state, frame.kernel
    d = N.shape[1]
    size = frame.metric.norm(s.v) or 1.0
    directions = size * frame.lift(N).reshape(frame.n, d)

    def value(y: Array) -> Array:
        terms = frame.system.model.terms(s.q, s.v + directions @ y, s.t, frame.theta)
        return np.asarray(-combinations.T @ (terms.gamma[frame.index] / frame.scale))

    quadrics = []
    for k, (S, g, height) in enumerate(_quadratic(value, d)):
        terms = float(np.linalg.norm(S) + np.linalg.norm(g) + abs(height))
        if np.linalg.norm(S) + np.linalg.norm(g) <= VANISHES * terms:
            if violated[k]:
                return False, None
            continue
        S[np.abs(S) <= 1e-12 * terms] = 0.0
        g[np.abs(g) <= 1e-12 * terms] = 0.0
        quadrics.append(Quadric(S, g, height, sense))
    found = stationary(np.zeros(d), quadrics) if quadrics else None
    if found is None or found.status == "none":
        return False, None
    if found.families and (not found.points or found.families[0].value < found.points[0].value):
        return True, s.v + directions @ found.families[0].sample(1, 0)[0]
    return True, s.v + directions @ found.points[0].y


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
        found = opt.least_squares(residual, x, xtol=1e-15, ftol=1e-15, gtol=1e-15).x
        nearer = best is None or np.linalg.norm(found - start) < np.linalg.norm(best - start)
        if np.linalg.norm(residual(found)) <= SOLVED * scale and nearer:
            best = found
    return best is not None, None if best is None else frame.lift(best)


def _quadratic(value: Callable[[Array], Array], d: int) -> list[tuple[Array, Array, float]]:
    """Return (S, g, c) of yᵀS y + 2gᵀy + c for each component of a function that is quadratic in y (d,)."""
    eye = np.eye(d)
    middle = value(np.zeros(d))
    single = np.array([value(e) for e in eye]).reshape(d, middle.size)
    opposite = np.array([value(-e) for e in eye]).reshape(d, middle.size)
    forms = []
    for k in range(middle.size):
        S = np.diag((single[:, k] + opposite[:, k]) / 2 - middle[k])
        forms.append((S, (single[:, k] - opposite[:, k]) / 4, float(middle[k])))
    for i in range(d):
        for j in range(i):
            both = value(eye[i] + eye[j])
            for k, (S, _, _) in enumerate(forms):
                S[i, j] = S[j, i] = (both[k] - single[i, k] - single[j, k] + middle[k]) / 2
    return forms
