"""Nearby points on the constraint set: the second kind of evidence, beside the conditions of higher order.

A combination of rows that demands nothing at a state is *redundant* only if the rank stays the same at neighbouring
points of the constraint set; if the rank changes there, the conditions go on at an order that is not examined.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from gauss.arrays import Array
from gauss.regularity.frame import Frame

DISTANCE = 1e-2  # of a nearby point, relative to the length of the system
SWEEPS = 50  # of Newton; where it creeps along a degenerate set, it is given up
SETTLED = 1e-11  # a step of Newton below this share of the distance ends it
ZERO = 1e-10  # singular values below count as zero there: those of a crossing are of the order of the distance
QUADRATIC = 10  # sweeps within which Newton converges where it does so quadratically
ZERO_AT_DOUBLE_ROOTS = 1e-6  # in place of ZERO where it does not: a double root is known to √eps only
NARROW = (1e-4, 1e-5, 1e-3)  # distances at which a locked subspace is probed, relative to the length of the system
NEAR_ENOUGH = 0.3  # share of that distance by which such a point may be off its direction
DIRECTIONS = 4  # random directions in which nearby points are looked for, beside the motion itself
HALVINGS = 4  # of the distance, to see how fast a curve comes off the constraint set


@dataclass(frozen=True)
class NearbyPoint:
    """A point of the constraint set near a state."""

    q: Array  # (n,)
    distance: float  # from the state, in the metric, √kg m
    moved: float  # how far the projection moved it, relative to the distance
    sigma: Array  # singular values of the rows there, scaled as in the frame
    rank: int


def length_of(frame: Frame) -> float:
    """Return the length of the system, or where its state has none, one that its rows have, or unit displacements."""
    if frame.length > 0.0:
        return frame.length
    own = [1.0 / c for c in frame.curvature if c > 0.0 and np.isfinite(c)]
    bent = [x for x in own if x > 1e-6]
    return min(bent) if bent else float(np.sqrt(np.trace(frame.problem.M) / frame.n))


def point_near(
    frame: Frame, displacement: Array, velocity: Array | None = None, moves: Array | None = None
) -> NearbyPoint | None:
    """Return the point of the constraint set nearest to state + displacement (n,), or None where there is none near.

    The position is projected by Newton's method in the metric of the state; `moves` (n, k) restricts it to a subspace
    of z = Lᵀx. Rows without positions (Pfaffian) let every point be; for rows nonlinear in the velocities give the
    velocity there.
    """
    s, model = frame.state, frame.system.model
    v = s.v if velocity is None else velocity
    rows = np.array([k for k in frame.index if k in model.positional], dtype=int)
    q = s.q + displacement
    size = frame.metric.norm(displacement)
    if size == 0.0:
        return None
    scale = dict(zip(frame.index.tolist(), frame.scale, strict=True))
    sweeps = 0
    while rows.size:
        sweeps += 1
        terms = model.terms(q, v, s.t, frame.theta)
        d = np.array([scale[k] for k in rows.tolist()])
        residual, J = terms.phi[rows] / d, frame.metric.white(terms.J[rows]) / d[:, None]
        if not np.all(np.isfinite(J)) or not np.any(residual):
            break
        reduced = J if moves is None else J @ moves
        change = np.linalg.lstsq(reduced, -residual, rcond=1e-9)[0]
        step = frame.metric.lift(change if moves is None else moves @ change)
        q = q + step
        if frame.metric.norm(step) <= SETTLED * size:
            break
        if sweeps == SWEEPS:
            return None
    terms = model.terms(q, v, s.t, frame.theta)
    distance = frame.metric.norm(q - s.q)
    d = frame.scale
    off = float(np.max(np.abs(terms.phi[frame.index]) / d, initial=0.0))
    moved = frame.metric.norm(q - s.q - displacement) / size
    if not np.isfinite(distance) or off > 1e-9 * size or distance < 0.1 * size:
        return None
    white = frame.metric.white(terms.J[frame.index]) / d[:, None]
    sigma = np.asarray(np.linalg.svd(white, compute_uv=False), dtype=float)
    zero = ZERO if sweeps < QUADRATIC else ZERO_AT_DOUBLE_ROOTS
    return NearbyPoint(q, distance, moved, sigma, int(np.sum(sigma > max(zero, 1e2 * frame.tolerance))))


def along_motion(frame: Frame, a: Array, share: float = DISTANCE) -> NearbyPoint | None:
    """Return a nearby point on the motion that starts with the acceleration a (n,)."""
    s = frame.state
    reach = share * length_of(frame)
    speed, push = frame.metric.norm(s.v), frame.metric.norm(a)
    if speed == 0.0 and push == 0.0:
        return None
    # the time in which the motion covers the distance: speed τ + push τ²/2 = reach
    tau = 2.0 * reach / (speed + np.sqrt(speed**2 + 2.0 * push * reach))
    return point_near(frame, s.v * tau + a * tau**2 / 2, s.v + a * tau)


def along_directions(
    frame: Frame, directions: Iterable[Array], aside: Array | None = None, share: float = DISTANCE
) -> list[NearbyPoint]:
    """Return nearby points in the given directions z = Lᵀx (n,), at a share of the system's length; those that exist.

    With `aside` (n, k), points over each direction are sought too by moving in that subspace only.
    """
    reach = share * length_of(frame)
    rng = np.random.default_rng(2)
    found = []
    for z in directions:
        size = np.linalg.norm(z)
        if size == 0.0:
            continue
        points = [point_near(frame, frame.lift(z * reach / size))]
        if aside is not None and aside.shape[1]:
            start = z / size + 0.1 * aside @ rng.normal(size=aside.shape[1])
            points.append(point_near(frame, frame.lift(start * reach), moves=aside))
        found += [point for point in points if point is not None]
    return found


def follows(frame: Frame, a: Array) -> bool:
    """Return whether the constraint set has points ever nearer to the curve v τ + a τ²/2, relative to a τ²/2.

    That is what a motion with the acceleration a demands; it is tried at four distances that halve.
    """
    s, share = frame.state, DISTANCE
    misses = []
    for _ in range(HALVINGS):
        point = along_motion(frame, a, share)
        if point is None:
            return False
        speed, push = frame.metric.norm(s.v), frame.metric.norm(a)
        reach = share * length_of(frame)
        tau = 2.0 * reach / (speed + np.sqrt(speed**2 + 2.0 * push * reach))
        bent = max(push * tau**2 / 2, 1e-300)
        misses.append(point.moved * frame.metric.norm(s.v * tau + a * tau**2 / 2) / bent)
        share /= 2.0
    rounding = 1e-9
    return bool(misses[-1] <= max(rounding, 0.7 * misses[0]) and misses[-1] < 0.2)


def probe_subspace(frame: Frame, basis: Array, across: Array | None, rank: int) -> tuple[tuple[NearbyPoint, ...], str]:
    """Look whether the constraint set lies as order 4 says along a subspace (n, d) of z; return what objects to it.

    It is if there are points over all directions, and their rank is the one here. Points over a direction are sought by
    moving across the subspace, and freely.
    """
    count = basis.shape[1]
    rng = np.random.default_rng(0)
    directions = basis @ np.hstack([np.eye(count)[:, :DIRECTIONS], rng.normal(size=(count, DIRECTIONS))])
    found: list[NearbyPoint] = []
    for z in [*directions.T, *(-directions).T] if count else []:
        points: list[NearbyPoint] = []
        for share in NARROW:
            points = points or [p for p in along_directions(frame, [z], across, share) if p.moved < NEAR_ENOUGH]
        found += points
        if not points:
            return tuple(found), "in some of its directions the constraint set has no points"
        changed = [p for p in points if p.rank > rank]
        if changed:
            return tuple(found), f"at nearby points of the constraint set the rank is {changed[0].rank}, not {rank}"
    return tuple(found), ""
