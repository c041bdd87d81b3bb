"""How far a state is off its rows, relative to the sizes that rows and state have themselves, from 1e-9 m to 1e12 m.

A residual φ_k is compared with the terms Σ|J_kj q_j| of its row, its change when the coordinates change by their own
sizes. Where these are about zero (a gap at y = 0) the size of the whole state takes their place, but no more than the
radius |J|/|∂J/∂q| of the row, beyond which a residual is no small one. A velocity residual likewise is compared with
the terms that it is the sum of. What the rounding of the state and of the evaluation makes of a residual is none.
"""

from __future__ import annotations

import numpy as np

from gauss.foundation.arrays import Array
from gauss.foundation.tolerances import SIZES_ONLY
from gauss.foundation.zero import CLEAR, UNIT
from gauss.model import System
from gauss.model.compiled import Terms
from gauss.model.state import State

STATE_TOLERANCE = 1e-8  # of its size: a residual up to this passes, so that states typed with nine digits do
CRUMBS = 1e-12  # a state of which no number is larger is the origin, or rest, and what it has are crumbs


def extent(x: Array) -> float:
    """Return the size of a position or a velocity: its largest number, or 1 where it has crumbs only."""
    size = float(np.max(np.abs(x), initial=0.0))
    return size if size > CRUMBS else 1.0


def offsets(system: System, state: State, terms: Terms | None = None) -> tuple[Array, Array]:
    """Return how far each of the m rows is off at position and at velocity level, relative to its size, (m,) each.

    A positive gap is no violation; nor is the rate of a unilateral row: a closed contact that closes further is an
    impact (left to `simulate`). The slip velocity of a contact may have any value.
    """
    model = system.model
    terms = model.terms(state.q, state.v, state.t, system.theta()) if terms is None else terms
    gap, rate = np.abs(terms.phi), np.abs(terms.psi)
    held = list(model.unilateral)
    gap[held] = np.maximum(-terms.phi[held], 0.0)
    rate[[*held, *model.friction]] = 0.0
    place, speed = position_terms(terms.J, state), velocity_terms(terms, state)
    if np.all(gap <= STATE_TOLERANCE * place) and np.all(rate <= STATE_TOLERANCE * speed):
        return _share(gap, place), _share(rate, speed)
    sizes = _Sizes(system, state, terms)
    gap, rate = np.maximum(gap - sizes.gap_noise, 0.0), np.maximum(rate - sizes.rate_noise, 0.0)
    return _share(gap, place + sizes.place), _share(rate, speed + sizes.speed)


def position_terms(J: Array, state: State) -> Array:
    """Return Σ|J_kj q_j| (m,): the terms of the rows' residuals that the coordinates make."""
    return np.asarray(np.abs(J) @ np.abs(state.q))


def velocity_terms(terms: Terms, state: State) -> Array:
    """Return Σ|J_kj v_j| + |ψ_k − J_k v| (m,): the terms of the rows' rates, a driver's own rate among them."""
    return np.asarray(np.abs(terms.J) @ np.abs(state.v) + np.abs(terms.psi - terms.J @ state.v))


def inertia_roots(M: Array) -> Array:
    """Return √M_jj (…, n), by which coordinates of several kinds are compared; the least one where there is no mass."""
    inertia = np.sqrt(np.abs(M.diagonal(axis1=-2, axis2=-1)))
    if (inertia > 0.0).all():
        return np.asarray(inertia)
    least = np.min(inertia, axis=-1, where=inertia > 0.0, initial=np.inf, keepdims=True)
    return np.where(inertia > 0.0, inertia, np.where(np.isfinite(least), least, 1.0))


def _share(residual: Array, size: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(residual == 0.0, 0.0, residual / size)  # nan stays: the model is not finite there


class _Sizes:
    """What the state as a whole adds to the sizes of its rows, and what rounding makes of their residuals.

    Sizes of coordinates of several kinds are compared by their inertia: d_j q_j with d_j = √M_jj.
    """

    def __init__(self, system: System, state: State, terms: Terms):
        q, v, t, theta, model = state.q, state.v, state.t, system.theta(), system.model
        m, table, d = len(terms.phi), model.curvature, inertia_roots(terms.M)
        turns = np.abs(table(q, v, t, theta))
        length, whitened = np.linalg.norm(terms.J, axis=1), np.linalg.norm(terms.J / d, axis=1)
        bent = np.sqrt(np.bincount(table.k, weights=(turns / d[table.i] / d[table.j]) ** 2, minlength=m))
        reach, far = extent(q), float(np.linalg.norm(d * (q if np.max(np.abs(q)) > CRUMBS else 1.0)))
        pull = np.abs(terms.f) / d
        fast = _speed(float(np.max(np.abs(v))), min(_root(float(np.max(pull / d)), reach), max(1.0, reach)), 1.0)
        one = float(np.linalg.norm(d))
        quick = _speed(float(np.linalg.norm(d * v)), min(_root(float(np.linalg.norm(pull)), far), max(one, far)), one)
        small = CLEAR * UNIT
        arc = arc_of(terms, v)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            whole = np.minimum(length * reach, whitened * far)
            self.place = np.where(bent > 0.0, np.minimum(whole, whitened**2 / bent), whole) + length * arc
        noise = model.noise(q, v, t, theta)
        self.gap_noise = CLEAR * noise.phi + small * whole + 0.5 * bent * (small * far) ** 2
        turned = np.bincount(table.k, weights=turns * np.abs(v)[table.i] * (np.abs(q)[table.j] + arc), minlength=m)
        whole = np.minimum(length * fast, whitened * quick)
        self.speed = whole + turned
        self.rate_noise = CLEAR * noise.psi + small * (whole + bent * far * quick)
        if not model.linear_velocity:
            bend = model.jets.bend(q, v, t, theta).reshape(m, len(d), len(d)) / d[:, None] / d
            self.rate_noise += 0.5 * np.linalg.norm(bend, axis=(1, 2)) * (small * quick) ** 2


def arc_of(terms: Terms, v: Array) -> float:
    """Return the length |v|²/|a| of the motion, with the larger of the free acceleration and what the rows demand.

    A motion that passes the apex of a cone has this length there, where its position has none.
    """
    if not np.any(v):
        return 0.0
    free = np.linalg.lstsq(terms.M, terms.f, rcond=None)[0]
    demanded = np.linalg.lstsq(terms.J, terms.gamma, rcond=SIZES_ONLY)[0] if terms.J.size else free
    push = max(float(np.linalg.norm(free)), float(np.linalg.norm(demanded)))
    return float(v @ v) / push if push > 0.0 else 0.0


def _speed(own: float, natural: float, one: float) -> float:
    """Return the speed of a state: its own, or that which its forces give it over its length."""
    speed = max(own, natural)
    return speed if speed > CRUMBS * one else one


def _root(acceleration: float, length: float) -> float:
    return float(np.sqrt(acceleration * length))
