"""Newton's method on one mode of a friction problem in space.

A mode says of each contact whether it is closed, and of each friction whether it sticks, slips, or slides already.
Within a mode the law is a smooth system: closed: g̈ = 0; stick: ṡ = 0; slip: t + μ_k p ṡ/|ṡ| = 0; slide: t + μ_k p ŝ
= 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from gauss.contact.space.scaled_problem import ScaledCone, residuals_of
from gauss.foundation.arrays import Array

STEPS = 30
CERTIFIED = 1e-10  # largest violation of the law that is accepted, relative to the forces
ROUNDED = 1e-14  # singular values below this share of the largest are rounding of zero


@dataclass(frozen=True)
class ModeForces:
    """Forces that satisfy the law in one mode."""

    x: Array  # (r,) scaled forces
    closed: tuple[bool, ...]  # (k,)
    modes: tuple[str, ...]  # of the frictions: "open", "stick", "slip" or "slide"
    residual: float


def polish(
    w: ScaledCone, x: Array, closed: tuple[bool, ...], modes: tuple[str, ...], relaxed: bool = False
) -> ModeForces | None:
    """Solve a mode's equations by Newton's method from x; None unless the answer passes the certificate.

    With `relaxed` a closed contact satisfies g̈ = Σ μ|ṡ| over its slips instead of g̈ = 0.
    """
    best, x = (np.inf, x), x.copy()
    for _ in range(STEPS):
        residual, jacobian = _equations(w, x, closed, modes, relaxed)
        norm = float(np.linalg.norm(residual))
        if not np.isfinite(norm) or norm > 1e6:
            break
        settled = norm < 1e-13 and norm > 0.1 * best[0]
        if norm < best[0]:
            best = norm, x
        if norm == 0.0 or settled:
            break
        x = x - np.linalg.lstsq(jacobian, residual, rcond=1e-12)[0]
    return checked(w, best[1], closed, modes, relaxed)


def checked(
    w: ScaledCone, x: Array, closed: tuple[bool, ...], modes: tuple[str, ...], relaxed: bool = False
) -> ModeForces | None:
    """Return forces as a ModeForces if they pass the certificate."""
    x = x.copy()
    x[: w.k][~np.array(closed, dtype=bool)] = 0.0
    for friction, mode in zip(w.frictions, modes, strict=True):
        if mode == "open":
            x[friction.place] = 0.0
    separation = separation_of(w, x) if relaxed else None
    residual = residuals_of(w, x, modes, separation).largest
    return ModeForces(x, closed, modes, residual) if residual <= CERTIFIED else None


def rounding_of(w: ScaledCone, candidate: ModeForces) -> float:
    """Return about how far rounding may have carried the scaled forces: ε|G||x| over the least singular value."""
    x = candidate.x
    sigma = np.linalg.svd(_equations(w, x, candidate.closed, candidate.modes, False)[1], compute_uv=False)
    sigma = sigma[sigma > ROUNDED * np.max(sigma, initial=0.0)]
    if not len(sigma):
        return 0.0
    return float(100.0 * np.finfo(float).eps * sigma[0] / sigma[-1] * np.linalg.norm(x))


def separation_of(w: ScaledCone, x: Array, coefficients: Array | None = None) -> Array:
    """Return Σ μ|ṡ| (k,) of the frictions at rest, scaled: De Saxcé's term, with μ_k or the coefficients (b,) given."""
    y, found = w.rates(x), np.zeros(w.k)
    for b, friction in enumerate(w.frictions):
        if friction.direction is None:
            mu = friction.kinetic if coefficients is None else coefficients[b]
            found[friction.contact] += mu * float(np.linalg.norm(y[friction.place]))
    return found


def _equations(
    w: ScaledCone, x: Array, closed: tuple[bool, ...], modes: tuple[str, ...], relaxed: bool
) -> tuple[Array, Array]:
    """Return the residual (r,) of a mode and its derivative (r, r)."""
    y, eye = w.rates(x), np.eye(len(x))
    residual, jacobian = x.copy(), eye.copy()
    for i, shut in enumerate(closed):
        if shut:
            residual[i], jacobian[i] = y[i], w.G[i]
    for friction, mode in zip(w.frictions, modes, strict=True):
        here, i = friction.place, friction.contact
        if mode == "stick":
            residual[here], jacobian[here] = y[here], w.G[here]
        elif mode == "slide":
            residual[here] = x[here] + friction.kinetic * x[i] * np.asarray(friction.direction)
            jacobian[here, i] += friction.kinetic * np.asarray(friction.direction)
        elif mode == "slip":
            speed = max(float(np.linalg.norm(y[here])), 1e-300)
            u = y[here] / speed
            turn = (np.eye(len(u)) - np.outer(u, u)) / speed
            residual[here] = x[here] + friction.kinetic * x[i] * u
            jacobian[here] += friction.kinetic * x[i] * turn @ w.G[here]
            jacobian[here, i] += friction.kinetic * u
            if relaxed:
                residual[i] -= friction.kinetic * speed
                jacobian[i] -= friction.kinetic * u @ w.G[here]
    return residual, jacobian


def leaning(w: ScaledCone, x: Array, coefficients: Iterable[float]) -> list[float]:
    """Return |ṡ| − (μ p − |t|) of each friction, scaled, with the coefficients given: positive speaks for slipping."""
    y = w.rates(x)
    return [
        float(np.linalg.norm(y[f.place])) - (mu * x[f.contact] - float(np.linalg.norm(x[f.place])))
        for f, mu in zip(w.frictions, coefficients, strict=True)
    ]


def read_modes(w: ScaledCone, x: Array, margin: float = 0.0) -> tuple[tuple[bool, ...], tuple[str, ...]]:
    """Return which contacts are closed and the modes of the frictions that scaled forces x (r,) suggest.

    `margin` is added to what speaks for open contacts and for sticking.
    """
    y = w.rates(x)
    closed = tuple(bool(x[i] > y[i] + margin) for i in range(w.k))
    modes = []
    for friction, towards in zip(w.frictions, leaning(w, x, [f.static for f in w.frictions]), strict=True):
        if not closed[friction.contact]:
            modes.append("open")
        elif friction.direction is not None:
            modes.append("slide")
        else:
            modes.append("slip" if towards > margin else "stick")
    return closed, tuple(modes)
