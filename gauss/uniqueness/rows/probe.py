"""Whether the constraint set lies near a state as the conditions of order 4 say: points over a locked subspace."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gauss.foundation.arrays import Array
from gauss.model.state import State
from gauss.uniqueness.rows.combinations import complement
from gauss.uniqueness.rows.frame import Frame
from gauss.uniqueness.rows.nearby import (
    DIRECTIONS,
    DISTANCES,
    NEAR_ENOUGH,
    SETTLED,
    SWEEPS,
    NearbyPoint,
    along_directions,
    displaced,
    on_set,
    projected_velocity,
    ranked,
    with_more_rank,
)


def probe_subspace(
    frame: Frame, basis: Array, across: Array | None, combinations: Array, rank: int
) -> tuple[tuple[NearbyPoint, ...], str]:
    """Look whether the constraint set lies as order 4 says along a subspace (n, d) of z; return what objects to it.

    It is if there are points over all directions, and their rank is the one here. Points over a direction are sought by
    moving across the subspace, and freely. Where the rows have no positions (`across` is None), points at which the
    vanishing `combinations` (m, p) vanish too are sought instead.
    """
    count = basis.shape[1]
    rng = np.random.default_rng(0)
    chosen = basis @ np.hstack([np.eye(count)[:, :DIRECTIONS], rng.normal(size=(count, DIRECTIONS))])
    directions = [*chosen.T, *(-chosen).T] if count else []
    if across is not None:
        found, missing = along_directions(frame, directions, DISTANCES, across, off=NEAR_ENOUGH)
    else:
        found, missing = _singular_points(frame, directions, combinations)
    if missing:
        return tuple(found), "in some of its directions the constraint set has no points"
    changed = with_more_rank(frame, found, rank)
    if changed:
        return tuple(found), f"at nearby points of the constraint set the rank is {changed[0].rank}, not {rank}"
    return tuple(found), ""


def _singular_points(frame: Frame, directions: Sequence[Array], combinations: Array) -> tuple[list[NearbyPoint], int]:
    """Return points in the given directions at which combinations of rows vanish as here, and how many have none."""
    found: list[NearbyPoint] = []
    missing = 0
    for z in directions:
        for share in DISTANCES:
            displacement = displaced(frame, z, share)
            q = _where_vanishing(frame, frame.state.q + displacement, combinations)
            state = None if q is None else State(q, frame.state.v, frame.state.t)
            if state is not None and not frame.system.model.linear_velocity:
                state = projected_velocity(frame, state)
            place = None if state is None else on_set(frame, state, frame.metric.norm(displacement))
            point = None if place is None else ranked(frame, place, displacement)
            if point is not None and point.moved < NEAR_ENOUGH:
                found.append(point)
                break
        else:
            missing += 1
    return found, missing


def _where_vanishing(frame: Frame, q: Array, combinations: Array) -> Array | None:
    """Return the position near q at which the combinations (m, p), changed a little, vanish; None where there is none.

    Newton's method on u_kᵀW = 0 in q and u_k, with u_k changed at right angles to the given ones.
    """
    s, model, n = frame.state, frame.system.model, frame.n
    if not model.linear_velocity:
        return q
    W, p = combinations / np.linalg.norm(combinations, axis=0), combinations.shape[1]
    U, aside = W.copy(), complement(np.linalg.qr(W)[0].T, len(W))
    start = frame.metric.norm(q - s.q)
    for _ in range(SWEEPS):
        terms = model.terms(q, s.v, s.t, frame.theta)
        J = frame.metric.whitened(terms.J[frame.index]) / frame.scale[:, None]
        curvature = model.jets.curvature(q, s.v, s.t, frame.theta)[frame.index]
        table = frame.metric.form(curvature) / frame.scale[:, None, None]
        blocks, free = [], aside.shape[1]
        for k in range(p):
            by_q = np.einsum("k,kij->ij", U[:, k], table)
            blocks.append(np.hstack([by_q, np.zeros((n, k * free)), J.T @ aside, np.zeros((n, (p - 1 - k) * free))]))
        residual = np.concatenate([J.T @ u for u in U.T])
        change = np.linalg.lstsq(np.vstack(blocks), -residual, rcond=1e-13)[0]
        q = q + frame.metric.lift(change[:n])
        U = U + aside @ change[n:].reshape(p, free).T
        if np.linalg.norm(change[:n]) <= SETTLED * start:
            return q
    return None
