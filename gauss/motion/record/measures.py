"""Along a motion: distances off the constraints, the smallest singular value of the rows in force, the controls."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from gauss import uniqueness as regularity
from gauss.errors import GaussError
from gauss.foundation.arrays import Array, Flags, Indices
from gauss.foundation.tolerances import SINE
from gauss.model.state import State
from gauss.motion.steps.steppers import Setting
from gauss.uniqueness.rows.inverse import smallest_singular_value

ENTRIES_OF_ROWS = 40_000  # from which inverse iterations cost less than decompositions
ENTRIES = 4_000_000  # of M and J of all states that are held at a time


def off_along(setting: Setting, states: Array, active: Flags) -> tuple[Array, Array]:
    """Return the distances off the position and off the velocity constraints (N,), in the mass metric.

    states (N, 2n+1) are x = (t, q, v), active (N, m) the rows that are in force at each. Units: √kg m and √kg m/s.
    """
    off = np.zeros((2, len(states)))
    for members, rows in _groups(setting, active):
        if rows and setting.sparse:
            measures = setting.system.model.pieces.measures(rows, setting.weight > 0.0)
            for i in members:
                off[:, i] = np.concatenate(measures.off(*_arguments(setting, states[i])))
            vanishing = members[~np.all(np.isfinite(off[:, members]), axis=0)]  # rows of length 0 among them
            if len(vanishing):
                off[:, vanishing] = _off(setting, states[vanishing], list(rows))
        elif rows:
            off[:, members] = _off(setting, states[members], list(rows))
    return off[0], off[1]


def sigma_min_along(setting: Setting, states: Array, active: Flags) -> Array:
    """Return the smallest singular value (N,) of the rows in force, scaled to unit length in the mass metric.

    states (N, 2n+1) are x = (t, q, v), active (N, m) the rows that are in force at each. 1 where there are no rows, 0
    where there are more rows than coordinates. For large sparse systems by inverse iteration on the factorised system,
    from state to state, with values below `SINE` left to a decomposition; for others by decompositions.
    """
    sigma = np.ones(len(states))
    for members, rows in _groups(setting, active):
        if not rows:
            continue
        model, n = setting.system.model, setting.system.n
        many = len(rows) * n > ENTRIES_OF_ROWS and model.pieces.form(setting.weight > 0.0) != "staged"
        if (setting.sparse or many) and len(rows) <= n:
            sigma[members] = _inverse_iterations(setting, states[members], rows)
        else:
            M, J = _batch(setting, states[members])
            sigma[members] = regularity.sigma_min_along(M, J, active[members])
    return sigma


def _inverse_iterations(setting: Setting, states: Array, rows: tuple[int, ...]) -> Array:
    """Return σ_min (N,) at consecutive states, each iteration starting from the vector of the state before."""
    measures, vector = setting.system.model.pieces.measures(rows, setting.weight > 0.0), None
    sigma = np.zeros(len(states))
    for i, x in enumerate(states):
        given = _arguments(setting, x)

        def inverse(y: Array, given: tuple[Any, ...] = given) -> Array:
            return measures.inverse(*given, y)[0]

        sigma[i], vector = smallest_singular_value(inverse, len(rows), vector)
        if not sigma[i] > SINE:
            M, J = _batch(setting, x[None])
            sigma[i] = regularity.sigma_min_along(M, J[:, list(rows)], np.ones((1, len(rows)), dtype=bool))[0]
            vector = None
    return sigma


def _off(setting: Setting, states: Array, rows: list[int]) -> Array:
    """Return both distances (2, N) for rows in force at all states, by full matrices."""
    model, w, n = setting.system.model, setting.weight, setting.system.n
    M, J = _batch(setting, states)
    J = J[:, rows]
    K = M + w * np.swapaxes(J, 1, 2) @ J if w > 0.0 else M
    length = np.sqrt(np.einsum("imj,ijm->im", J, np.linalg.solve(K, np.swapaxes(J, 1, 2))))
    shorten = np.where(length > 0.0, 1.0 / np.where(length > 0.0, length, 1.0), 0.0)
    q, v, t = states[:, 1 : n + 1], states[:, n + 1 :], states[:, 0]
    residuals = model.batch_residuals(q, v, t, setting.theta)
    return np.array([np.max(np.abs(r[:, rows]) * shorten, axis=1) for r in residuals])


def _groups(setting: Setting, active: Flags) -> Iterator[tuple[Indices, tuple[int, ...]]]:
    """Yield states that share their rows in force, in portions whose matrices can be held, with these rows."""
    n, m = setting.system.n, active.shape[1]
    portion = max(1, ENTRIES // (n * (n + m)))
    patterns, which = np.unique(active, axis=0, return_inverse=True)
    for k, present in enumerate(patterns):
        members = np.flatnonzero(which.ravel() == k)
        rows = tuple(int(row) for row in np.flatnonzero(present))
        for first in range(0, len(members), portion):
            yield members[first : first + portion], rows


def _batch(setting: Setting, states: Array) -> tuple[Array, Array]:
    """Return M (N, n, n) and J (N, m, n)."""
    n = setting.system.n
    return setting.system.model.batch(states[:, 1 : n + 1], states[:, n + 1 :], states[:, 0], setting.theta)


def _arguments(setting: Setting, x: Array) -> tuple[Any, ...]:
    """Return what compiled functions of the state take."""
    n = setting.system.n
    return x[1 : n + 1], x[n + 1 :], float(x[0]), setting.theta, setting.weight


def controls_along(run: Any) -> Array | None:
    """Return the controls (N, n_u) behind each state of a `Trajectory`, as it describes them."""
    about, setting = run.about, run.setting
    if "controls" in run.stored and (setting is None or about.sampled):
        return np.asarray(run.stored["controls"])
    if not about.controls or (setting is None and about.feedback):
        return None
    if setting is None or setting.control is None:
        return np.tile(np.array([*about.controls.values()]), (len(run), 1))
    found = np.full((len(run), len(about.controls)), np.nan)
    for k, state in enumerate(map(State, run.q, run.v, run.t.tolist())):
        with contextlib.suppress(GaussError):
            found[k] = setting.controls_at(state)
    return found
