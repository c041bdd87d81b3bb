"""The sizes of a state in the metric: its length ℓ, its speed, and those of rows that have none of their own there."""

from __future__ import annotations

import numpy as np

from gauss.foundation.arrays import Array, Flags, Indices, normal, norms
from gauss.foundation.tolerances import SIZES_ONLY
from gauss.model import System
from gauss.model.compiled import Terms
from gauss.model.state import State
from gauss.principle.metric import Metric
from gauss.principle.offsets import arc_of

SHARE = 0.1  # of the length of the system: the distance at which rows without a size of their own are measured
FARTHEST = 1e8  # the length of an arc, relative to the position (at least 1), from which its acceleration is rounding
FLAT = 1e-9  # a row smaller than this share of its size at that distance has none of its own
PROBES = 6  # random directions


def unit_length(M: Array) -> float:
    """Return the length in the metric M (n, n) of a displacement by 1 in one coordinate, in the mean."""
    return float(np.sqrt(np.trace(M) / len(M)))


def length_at(metric: Metric, state: State, whitened: Array, size: Array, gamma: Array) -> float:
    """Return the length of the system in the metric: the size of its position, or of the arc that its speed spans.

    The arc is |v|²/|a|, with the larger of the free acceleration and the least one that the rows demand. An arc that is
    FARTHEST times the position (at least 1 in each coordinate) comes from rounding crumbs, and is none.
    """
    speed, push = metric.norm(state.v), metric.norm(metric.reference)
    rows = size > 0.0
    if np.any(rows) and speed > 0.0:
        unit, right = whitened[rows] / size[rows, None], gamma[rows] / size[rows]
        least = np.asarray(np.linalg.lstsq(unit, right, rcond=SIZES_ONLY)[0], dtype=float)
        push = max(push, float(norms(least, 0)))
    place, one = metric.norm(state.q), unit_length(metric.L @ metric.L.T)
    bounded = push > 0.0 and speed**2 <= FARTHEST * max(place, one) * push
    return float(normal(np.array(max(place, speed**2 / push if bounded else 0.0))))


def with_flat_rows(
    system: System, state: State, theta: Array, metric: Metric, pick: Indices, scale: Array, ell: float, doubt: Flags
) -> Array:
    """Return the scales with those of rows whose derivative vanishes too replaced by their length at a distance.

    Such a row (x³ + y³ at the origin) has no size of its own at the state but rounding; `doubt` (m,) says which may be
    made of it.
    """
    if not np.any(doubt):
        return scale
    reach = SHARE * (ell if ell > 0.0 else unit_length(metric.L @ metric.L.T))
    rng = np.random.default_rng(0)
    far = np.zeros(pick.size)
    for _ in range(PROBES):
        x = rng.normal(size=system.n)
        q = state.q + metric.lift(x * (reach / np.linalg.norm(x)))
        J = metric.whitened(system.model.terms(q, state.v, state.t, theta).J[pick])
        far = np.maximum(far, np.nan_to_num(norms(J, 1), posinf=0.0))
    flat = doubt & (scale < FLAT * far)
    filled = np.where(flat, far, scale)
    return np.where(filled > 0.0, filled, 1.0)


def speed_at(metric: Metric, state: State, ell: float) -> float:
    """Return the speed of the system in the metric: its own, or that which its free acceleration gives it over ℓ."""
    return max(metric.norm(state.v), float(np.sqrt(metric.norm(metric.reference) * ell)))


def sizes_by_coordinate(metric: Metric, state: State, terms: Terms, ell: float) -> tuple[Array, Array]:
    """Return the sizes (n,) of the coordinates of a position and of a velocity."""
    place = by_coordinate(metric, state.q, arc_of(terms, state.v), ell)
    push = float(np.max(np.abs(metric.reference), initial=0.0))
    natural = float(np.sqrt(push * np.max(place, initial=0.0)))
    return place, by_coordinate(metric, state.v, natural, speed_at(metric, state, ell))


def by_coordinate(metric: Metric, values: Array, natural: float, size: float) -> Array:
    """Return the sizes (n,) of the coordinates of a vector, by which they are rounded when computed together.

    `size` is that of the vector in the metric, `natural` one of its numbers where its own are smaller. A coordinate has
    its own size or that of all, the largest number or the size in the metric, whichever is less for it: neither masses
    nor units alone make it large.
    """
    inertia = norms(metric.L, 1)
    with np.errstate(divide="ignore"):
        shared = np.minimum(max(float(np.max(np.abs(values), initial=0.0)), natural), size / inertia)
    return np.maximum(np.abs(values), shared)
