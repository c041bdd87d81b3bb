"""Projection of a state onto the constraints, in the mass metric, with chosen coordinates held."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from gauss.arrays import Array, Indices
from gauss.dynamics import system_of
from gauss.errors import InconsistentStateError, InputError
from gauss.model import System
from gauss.principle.metric import augmentation_weight
from gauss.state import State

SWEEPS = 50
CONVERGED = 1e-14  # Newton stops when a correction is below this, relative to the size of the state (at least 1)


def consistent(
    system: System,
    q: object,
    v: object = None,
    t: float = 0.0,
    *,
    hold: str | Sequence[str] = (),
    hold_velocities: str | Sequence[str] = (),
) -> State:
    """Return the state on the constraints nearest to (q, v) in the mass metric at (q, v).

    Positions solve min ½|q − q₀|²_M subject to φ(q, t) = 0 (a local minimum, found by Newton's method from (q, v)),
    velocities min ½|v − v₀|²_M subject to the velocity rows. The coordinates named in `hold`, and the velocities named
    in `hold_velocities`, keep their values. Unilateral rows take part where their gap is negative.

    Raises InputError for unknown names, InconsistentStateError when no such state is found.
    """
    state = system_of(system).state(q, v, t)
    free_q = _free(system, hold, "hold")
    free_v = _free(system, hold_velocities, "hold_velocities")
    position = _project(system, state, free_q, level="position")
    velocity = _project(system, State(position, state.v, state.t), free_v, level="velocity")
    return State(position, velocity, state.t)


def _free(system: System, names: str | Sequence[str], what: str) -> Indices:
    """Return the indices of the coordinates that may move."""
    if not isinstance(names, Iterable):
        raise InputError(f"{what} must be names of coordinates, got {names!r}.")
    held = names.replace(",", " ").split() if isinstance(names, str) else list(names)
    unknown = [name for name in held if name not in system.coordinates]
    if unknown:
        raise InputError(f"{what} names {unknown}; the coordinates are {', '.join(system.coordinates)}.")
    return np.array([k for k, name in enumerate(system.coordinates) if name not in held], dtype=int)


def _project(system: System, state: State, free: Indices, level: str) -> Array:
    """Return the projected positions or velocities: a point on the constraints first, then the nearest one.

    The metric is that of the given state. Newton's method with least changes reaches the constraints; Newton's method
    on M(x − x₀) = Jᵀλ, φ = 0 then slides along them to the nearest point, if it converges to one that is nearer.
    """
    model, theta = system.model, system.theta()
    start = state.q if level == "position" else state.v
    moving = start.copy()

    def at(x: Array) -> tuple[Array, Array]:
        return (x, state.v) if level == "position" else (state.q, x)

    M = model.terms(state.q, state.v, state.t, theta).M
    rows: list[int] = []
    for _ in range(SWEEPS):
        terms = model.terms(*at(moving), state.t, theta)
        if level == "position":
            rows = [k for k in model.positional if k not in model.unilateral or terms.phi[k] < 0.0]
            residual = terms.phi[rows]
        else:
            closed = [k for k in model.unilateral if terms.phi[k] <= 1e-10 and terms.psi[k] < 0.0]
            rows = [*model.equality, *closed]
            residual = terms.psi[rows]
        if not rows or not all(np.all(np.isfinite(x)) for x in (residual, terms.J, terms.M)):
            break
        correction = _least_change(M, terms.J[rows], residual, free)
        moving[free] += correction
        if np.max(np.abs(correction), initial=0.0) <= CONVERGED * max(1.0, float(np.max(np.abs(moving)))):
            break
    _require_solved(system, State(*at(moving), state.t), level, free)
    if not rows or (level == "velocity" and model.linear_velocity):
        return moving  # linear: the first correction is the nearest point
    nearest = _nearest(system, at, state.t, start, moving, M, rows, free, level)
    return moving if nearest is None else nearest


def _nearest(
    system: System,
    at: Callable[[Array], tuple[Array, Array]],
    t: float,
    start: Array,
    feasible: Array,
    M: Array,
    rows: list[int],
    free: Indices,
    level: str,
) -> Array | None:
    """Return the nearest point on the rows by Newton's method on M(x − x₀) = Jᵀλ, or None if it goes astray."""
    model, theta = system.model, system.theta()
    x, multipliers = feasible.copy(), np.zeros(model.m)
    n, k = free.size, len(rows)
    chosen = np.array(rows, dtype=int)
    J = model.terms(*at(x), t, theta).J[np.ix_(chosen, free)]
    multipliers[rows] = np.linalg.lstsq(J.T, M[np.ix_(free, free)] @ (x - start)[free], rcond=1e-12)[0]
    for _ in range(SWEEPS):
        q, v = at(x)
        terms = model.terms(q, v, t, theta)
        curvature = model.curvatures(q, v, t, theta, multipliers)[level == "velocity"]
        J = terms.J[np.ix_(chosen, free)]
        residual = (terms.phi if level == "position" else terms.psi)[rows]
        force = (M @ (x - start) - terms.J.T @ multipliers)[free]
        saddle = np.block([[(M - curvature)[np.ix_(free, free)], -J.T], [J, np.zeros((k, k))]])
        step = np.linalg.lstsq(saddle, -np.concatenate([force, residual]), rcond=1e-13)[0]
        x[free] += step[:n]
        multipliers[rows] += step[n:]
        if not np.all(np.isfinite(x)):
            return None
        if np.max(np.abs(step[:n]), initial=0.0) <= CONVERGED * max(1.0, float(np.max(np.abs(x)))):
            nearer = (x - start) @ M @ (x - start) <= (feasible - start) @ M @ (feasible - start) * (1.0 + 1e-12)
            return x if nearer else None
    return None


def _least_change(M: Array, J: Array, residual: Array, free: Indices) -> Array:
    """Return the smallest change of the free components, in the metric of M, that cancels the residual."""
    weight = augmentation_weight(M, J)
    K = (M + weight * J.T @ J)[np.ix_(free, free)]
    values, vectors = np.linalg.eigh(K)
    root = 1.0 / np.sqrt(np.maximum(values, 1e-14 * max(float(values[-1]), 1e-300))) if values.size else values
    white = (J[:, free] @ vectors) * root
    length = np.linalg.norm(white, axis=1)
    length[length == 0.0] = 1.0
    step = np.linalg.lstsq(white / length[:, None], -residual / length, rcond=1e-11)[0]
    return np.asarray(vectors @ (root * step))


def _require_solved(system: System, state: State, level: str, free: Indices) -> None:
    """Raise InconsistentStateError unless the projection reached the constraints."""
    phi, psi = system.model.residuals(state.q, state.v, state.t, system.theta())
    terms = system.model.terms(state.q, state.v, state.t, system.theta())
    model = system.model
    residual = phi if level == "position" else psi
    rows = list(model.positional) if level == "position" else list(model.equality)
    left = {}
    for k in rows:
        value = min(residual[k], 0.0) if k in model.unilateral else residual[k]
        size = max(float(np.linalg.norm(terms.J[k])), 1.0)
        scale = max(1.0, float(np.max(np.abs(state.q if level == "position" else state.v))))
        if not (np.isfinite(value) and abs(value) <= 1e-10 * size * scale):
            left[system.row_names[k]] = float(residual[k])
    if left:
        held = [name for k, name in enumerate(system.coordinates) if k not in free]
        parts = ", ".join(f"{name!r} = {value:.3g}" for name, value in left.items())
        raise InconsistentStateError(
            f"no {level} on the constraints was found"
            + (f" with {', '.join(held)} held" if held else "")
            + f"; the residuals that remain are {parts}. Start nearer, or hold fewer coordinates.",
            left,
        )
