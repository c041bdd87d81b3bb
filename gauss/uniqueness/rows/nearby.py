"""Nearby points on the constraint set: the second kind of evidence, beside the conditions of higher order.

A combination of rows that demands nothing at a state is *redundant* only if the rank stays the same at neighbouring
points of the constraint set; if the rank changes there, the conditions go on at an order that is not examined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypedDict, Unpack

import numpy as np

from gauss.foundation.arrays import Array, Flags, norms
from gauss.foundation.dependence import dependence
from gauss.foundation.tolerances import DEPENDENT
from gauss.foundation.zero import COMPUTED, KNOWN, UNIT, is_zero
from gauss.model.state import State
from gauss.numerics.least_norm import least_solution
from gauss.uniqueness.rows.frame import Frame
from gauss.uniqueness.rows.row_derivatives import RowDerivatives
from gauss.uniqueness.rows.sizes import FLAT

DISTANCE = 1e-2  # of a nearby point, relative to the length of the system
SWEEPS = 50  # of Newton; where it creeps along a degenerate set, it is given up
SETTLED = 1e-11  # a step of Newton below this share of the distance ends it
STEPS = 8.0  # roundings of the position that Newton's method ends with, in each of its coordinates
DISTANCES = (1e-2, 1e-3, 1e-4, 1e-5)  # at which a locked subspace is probed, relative to the length of the system
ASIDE = 0.1  # of the way along a crossing motion by which nearby points lie beside it
NEAR_ENOUGH = 0.3  # share of that distance by which such a point may be off its direction
DIRECTIONS = 4  # random directions in which nearby points are looked for, beside the motion itself
STEEPEST = 4  # power of the distance up to which singular values of the rows are expected to grow
BENT = 0.03  # share of the admitted one by which a point at the largest distance with points is off its direction
MOST_HALVINGS = 60  # of the distance of a nearby point
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
    """Return the length of the system, or where its state has none, one that its rows have, or unit displacements.

    Rows that were measured elsewhere, being flat here, have none.
    """
    if frame.length > 0.0:
        return frame.length
    here = norms(frame.W, 1) > FLAT
    own = [1.0 / c for c in frame.curvature[here] if c > 0.0 and np.isfinite(c)]
    bent = [x for x in own if x > 1e-6]
    return min(bent) if bent else frame.reach


def displaced(frame: Frame, z: Array, share: float) -> Array:
    """Return a displacement (n,) in the direction z (n,), by a share of the length of the system.

    At `DISTANCE` no coordinate moves by more than its own size, which has that length too: a light one would go where
    the constraints are nothing like those at the state before a heavy one has moved.
    """
    length = length_of(frame)
    x = frame.lift(z * (share * length / np.linalg.norm(z)))
    if not np.all(frame.place > 0.0):
        return x
    own = frame.place * max(1.0, length / frame.metric.norm(frame.place))
    return np.asarray(x * min(1.0, share / (DISTANCE * float(np.max(np.abs(x) / own)))))


class Search(TypedDict, total=False):
    """How a point of the constraint set is looked for."""

    velocity: Array  # (n,) there; that of the state if left out
    moves: Array | None  # (n, k) subspace of z = Lᵀx to which the projection is restricted
    contacts: Flags | None  # (m,) rows that may be positive
    later: float  # s after the state
    any_velocity: bool  # the rows need not admit the velocity there
    rank: int | None  # of a set that is taken for smooth: Newton's method uses so many combinations of the rows only


@dataclass(frozen=True)
class StateOnSet:
    """A state on the constraint set."""

    state: State
    J: Array  # (m, n) the rows there
    noise: Array  # (m, n)


def point_near(frame: Frame, displacement: Array, **search: Unpack[Search]) -> NearbyPoint | None:
    """Return the point of the constraint set nearest to state + displacement (n,), or None where there is none near.

    The position is projected by Newton's method in the metric of the state. Rows without positions (Pfaffian) let every
    point be; for rows nonlinear in the velocities the given velocity is projected too.
    """
    found = _place_near(frame, displacement, **search)
    return None if found is None else ranked(frame, found, displacement)


def _place_near(frame: Frame, displacement: Array, **search: Unpack[Search]) -> StateOnSet | None:
    """Return that point as a state."""
    size, s, contacts = frame.metric.norm(displacement), frame.state, search.get("contacts")
    if size == 0.0:
        return None
    guess = State(s.q + displacement, search.get("velocity", s.v), s.t + search.get("later", 0.0))
    found = _projected(frame, guess, size, search.get("moves"), contacts, search.get("rank"))
    if found is not None and not frame.system.model.linear_velocity and not search.get("any_velocity"):
        found = projected_velocity(frame, found)
    return None if found is None else on_set(frame, found, size, contacts)


def _projected(
    frame: Frame, s: State, size: float, moves: Array | None, contacts: Flags | None, rank: int | None
) -> State | None:
    """Return the state on the constraint set that Newton's method finds from s; None where it creeps or runs away."""
    model, q = frame.system.model, s.q
    pick = np.flatnonzero(np.isin(frame.index, model.positional))
    rows, d, weights = frame.index[pick], frame.scale[pick], frame.decided.rows[pick, None]
    columns, bare = frame.decided.columns, moves is None and contacts is None
    grown = float(np.max(weights[:, 0] * d, initial=0.0) * np.linalg.norm(frame.metric.L.T * columns))
    for _ in range(SWEEPS if rows.size else 0):
        terms = model.terms(q, s.v, s.t, frame.theta)
        residual, J = terms.phi[rows] / d, frame.metric.whitened(terms.J[rows]) / d[:, None]
        if contacts is not None:
            used = ~contacts[pick] | (residual < 0.0)
            residual, J = residual[used], J[used]
        if not np.all(np.isfinite(J)) or not np.any(residual):
            return State(q, s.v, s.t)
        reduced = J if moves is None else J @ moves
        most = min(reduced.shape) if rank is None else min(rank, *reduced.shape)
        own = (weights, terms.J[rows], columns) if bare else None
        change = _least_change(reduced, -residual, most, own, grown)
        step = frame.metric.lift(change if moves is None else moves @ change)
        q, reach = q + step, frame.metric.norm(step)
        if reach <= max(SETTLED * size, COMPUTED * length_of(frame)):
            return State(q, s.v, s.t)
        if not reach <= size / SETTLED:
            return None
    return None if rows.size else s


def _least_change(J: Array, right: Array, most: int, own: tuple[Array, Array, Array] | None, grown: float) -> Array:
    """Return the least change by which rows J (m, n) move by `right` (m,), those left out that depend on others.

    No more than `most` combinations of them count. Masses alone make singular values small, so those count too that do
    not vanish by the rows of their `own`, between factors of rows and columns: its singular values are `grown` times
    as large at most.
    """
    found, size = least_solution(J, right, DEPENDENT), 0.0
    if found is not None and found.rank < most and own is not None:
        size = float(np.max(norms(own[0] * own[1] * own[2], 1)))
    if found is not None and (
        found.rank == most or (found.rank < most and (own is None or 2.0 * grown * found.lost <= DEPENDENT * size))
    ):
        return found.z
    U, sigma, V = np.linalg.svd(J, full_matrices=False)
    kept = int(np.sum(sigma > DEPENDENT * sigma[0]))
    if kept < most and own is not None:
        values = np.linalg.svd(own[0] * own[1] * own[2], compute_uv=False)
        kept = max(kept, int(np.sum(values > DEPENDENT * values[0])))
    kept = min(kept, most, int(np.sum(sigma > 0.0)))
    return np.asarray(V[:kept].T @ ((U[:, :kept].T @ right) / sigma[:kept]))


def projected_velocity(frame: Frame, s: State) -> State | None:
    """Return the state with the nearest velocity that satisfies the rows there, or None where there is none near."""
    v, model = s.v, frame.system.model
    speed = max(frame.metric.norm(frame.state.v), frame.metric.norm(v))
    for _ in range(SWEEPS):
        terms = model.terms(s.q, v, s.t, frame.theta)
        residual, J = terms.psi[frame.index] / frame.scale, frame.metric.whitened(terms.J[frame.index])
        if not np.all(np.isfinite(J)):
            return None
        change = np.linalg.lstsq(J / frame.scale[:, None], -residual, rcond=1e-9)[0]
        v = v + frame.metric.lift(np.asarray(change, dtype=float))
        if np.linalg.norm(change) <= SETTLED * speed:
            return State(s.q, v, s.t)
    return None


def on_set(frame: Frame, s: State, size: float, contacts: Flags | None = None) -> StateOnSet | None:
    """Return a state that is on the constraint set, and not back at the one that a displacement started from."""
    start, model = frame.state.q, frame.system.model
    terms = model.terms(s.q, s.v, s.t, frame.theta)
    distance = frame.metric.norm(s.q - start)
    J, gaps = terms.J[frame.index], terms.phi[frame.index]
    if not np.isfinite(distance) or distance < 0.1 * size or not np.all(np.isfinite(J)):
        return None
    unsure = model.noise(s.q, s.v, s.t, frame.theta)
    if contacts is not None:
        gaps = np.where(contacts, np.minimum(gaps, 0.0), gaps)
    steps = np.abs(s.q) + np.abs(s.q - start) + size / np.linalg.norm(frame.metric.L, axis=1)
    left = frame.curvature * frame.scale * _last(frame, size) ** 2
    if not np.all(is_zero(gaps, STEPS * (unsure.phi[frame.index] + UNIT * np.abs(J) @ steps) + left)):
        return None
    return StateOnSet(s, J, unsure.J[frame.index])


def _last(frame: Frame, size: float) -> float:
    """Return how well Newton's method finds a point, in the metric: twice its last step."""
    return 2.0 * max(SETTLED * size, COMPUTED * length_of(frame))


def ranked(frame: Frame, place: StateOnSet, displacement: Array) -> NearbyPoint:
    """Return a nearby point with the rank of its rows."""
    q, J, size, start = place.state.q, place.J, frame.metric.norm(displacement), frame.state.q
    sigma = np.linalg.svd(frame.metric.whitened(J) / frame.scale[:, None], compute_uv=False)
    moved = frame.metric.norm(q - start - displacement) / size
    rank = dependence(J, place.noise, _unknown(frame, place.state, J, _last(frame, size))).rank
    return NearbyPoint(q, frame.metric.norm(q - start), moved, np.asarray(sigma), rank)


def _unknown(frame: Frame, s: State, J: Array, last: float) -> Callable[[Array], Array]:
    """Return what the uncertainty of a position on the constraint set gives combinations (c, m) of its rows J, (c, n).

    Newton's method has found it to `last`, or worse: with wᵀJ of the length σ the rows do not see displacements by ε/σ
    along it, which change it by κε/σ where the combination turns at the rate κ. Only σ² > κε is more than rounding, as
    where Newton's method has found a double root.
    """
    derivatives = RowDerivatives.at(frame.system, s, frame.theta, frame.metric, frame.index)
    length, one = length_of(frame), last / norms(frame.metric.L, 1)
    place = frame.place if frame.length > 0.0 else np.maximum(frame.place, length / norms(frame.metric.L, 1))
    pace = np.maximum(frame.pace, np.abs(s.v))

    def further(w: Array) -> Array:
        natural, rows = derivatives.change(w, place, pace), w @ J
        whole = norms(w * frame.scale, -1), np.max(natural * place, axis=-1)
        white = norms(frame.metric.whitened(np.atleast_2d(rows)), 1).reshape(rows.shape[:-1])
        here = white, np.max(np.abs(rows) * place, axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):  # masses make one of both large
            seen = np.min([np.where(y > 0.0, x / y, np.inf) for x, y in zip(whole, here, strict=True)], axis=0)
        seen = np.where(np.isfinite(seen), np.maximum(seen, 1.0), 1.0)[..., None]
        return np.asarray(derivatives.change(w, one, 0.0 * pace) + KNOWN * natural * seen)

    return further


def along_motion(
    frame: Frame, a: Array, share: float = DISTANCE, contacts: Flags | None = None, rank: int | None = None
) -> NearbyPoint | None:
    """Return a nearby point on the motion that starts with the acceleration a (n,); see `point_near` for the rest."""
    ahead = _ahead(frame, a, share)
    if ahead is None:
        return None
    x, tau = ahead
    return point_near(frame, x, velocity=frame.state.v + a * tau, contacts=contacts, later=tau, rank=rank)


def _ahead(frame: Frame, a: Array, share: float) -> tuple[Array, float] | None:
    """Return the displacement v τ + a τ²/2 (n,) by about that share of the length of the system, and its time τ."""
    s, reach = frame.state, share * length_of(frame)
    speed, push = frame.metric.norm(s.v), frame.metric.norm(a)
    if speed == 0.0 and push == 0.0:
        return None
    tau = 2.0 * reach / (speed + np.sqrt(speed**2 + 2.0 * push * reach))
    return s.v * tau + a * tau * tau / 2, tau


def along_directions(
    frame: Frame,
    directions: Iterable[Array],
    shares: Sequence[float],
    aside: Array | None = None,
    contacts: Flags | None = None,
    off: float = 1.0,
    rank: int | None = None,
    within: float = 1.0,
) -> tuple[list[NearbyPoint], int]:
    """Return nearby points in the given directions z = Lᵀx (n,), and in how many directions there are none.

    In each direction they are sought at the given shares of the length of the system until there are some that are off
    the direction by less than `off` of their distance, or a share `within` of it. With `aside` (n, k), points over each
    direction are sought too by moving in that subspace only. On a set that is smooth (of the given `rank`) or bounded
    by `contacts`, points that lie nearly in the direction are not the farthest ones: others, there for the residual
    being rounded, are missing,
    unless it is the velocity that the rows do not admit farther away.
    """
    missing, rng = 0, np.random.default_rng(2)
    found: list[NearbyPoint] = []
    for z in directions:
        size = np.linalg.norm(z)
        if size == 0.0:
            continue
        start = z / size
        start = start if aside is None else start + 0.1 * aside @ rng.normal(size=aside.shape[1])
        for k, share in enumerate(shares):
            points = [point_near(frame, displaced(frame, z, share), contacts=contacts, rank=rank)]
            if aside is not None and aside.shape[1]:
                points.append(point_near(frame, displaced(frame, start, share), moves=aside, contacts=contacts))
            near = [point for point in points if point is not None and point.moved < within * off]
            found += near
            if near:
                bounded = (rank is not None or contacts is not None) and k > 0
                if bounded and max(point.moved for point in near) < BENT * off:
                    farther = displaced(frame, z, shares[k - 1])
                    before = point_near(frame, farther, contacts=contacts, rank=rank, any_velocity=True)
                    missing += before is None or before.moved >= off
                break
        else:
            missing += 1
    return found, missing


def around(
    frame: Frame, a: Array, kernel: Array, bound: int, contacts: Flags | None
) -> tuple[tuple[NearbyPoint, ...], int]:
    """Return points of the constraint set on the motion with the acceleration a (n,) and in directions of `kernel`.

    The number of directions in which there are none is second. `bound` rows of order 3 add to the rank there.
    """
    along = frame.kernel @ (frame.kernel.T @ (frame.metric.L.T @ frame.state.v))
    rank = None if contacts is not None else _positional_rank(frame) + bound
    speed, size = frame.metric.norm(frame.state.v), float(np.linalg.norm(along))
    aside = kernel @ np.random.default_rng(0).normal(size=(kernel.shape[1], DIRECTIONS))
    shares = DISTANCES[:-1]
    if size <= 1e-9 * speed or size == 0.0:
        both = np.hstack([aside, -aside]).T
        found, missing = along_directions(frame, both, shares, contacts=contacts, rank=rank, within=NEAR_ENOUGH)
        return tuple(found), missing
    aside = aside - np.outer(along, along @ aside) / size**2
    length = np.linalg.norm(aside, axis=0)
    part = ASIDE if bound else 1.0
    turned = aside * (part * size * (length > 1e-9) / np.where(length > 0.0, length, 1.0))
    motion = (along_motion(frame, a, share, contacts, rank) for share in shares)
    first = next((p for p in motion if p is not None and p.moved < 1.0), None)
    found, missing = along_directions(
        frame, along + np.hstack([turned, -turned]).T, shares, contacts=contacts, off=NEAR_ENOUGH * part, rank=rank
    )
    return (*(p for p in (first,) if p is not None), *found), missing


def on_motions(frame: Frame, accelerations: Iterable[Array], bound: int) -> tuple[NearbyPoint, ...]:
    """Return a nearby point on each motion with one of the accelerations (n,), where there is one.

    `bound` rows of orders 3 and 4 add to the rank there.
    """
    found = []
    for a in accelerations:
        points = (along_motion(frame, a, share, rank=_positional_rank(frame) + bound) for share in DISTANCES)
        found += [p for p in points if p is not None and p.moved < NEAR_ENOUGH][:1]
    return tuple(found)


def _positional_rank(frame: Frame) -> int:
    """Return the rank of the rows that restrict positions."""
    rows = [i for i, k in enumerate(frame.index) if k in frame.system.model.positional]
    return int(np.sum(np.linalg.svd(frame.W[rows], compute_uv=False) > frame.tolerance)) if rows else 0


def follows(frame: Frame, a: Array) -> bool:
    """Return whether the constraint set has points ever nearer to the curve v τ + a τ²/2, relative to a τ²/2.

    That is what a motion with the acceleration a demands; it is tried at four distances that halve.
    """
    misses, share = [], DISTANCE
    for _ in range(HALVINGS):
        ahead = _ahead(frame, a, share)
        if ahead is None:
            return False
        x, tau = ahead
        place = _place_near(frame, x, velocity=frame.state.v + a * tau, later=tau)
        if place is None:
            return False
        bent = max(frame.metric.norm(a), frame.acceleration_scale, 1e-300) * tau**2 / 2
        misses.append(frame.metric.norm(place.state.q - frame.state.q - x) / bent)
        share /= 2.0
    rounding = 1e-9
    return bool(misses[-1] <= max(rounding, 0.7 * misses[0]) and misses[-1] < 0.2)


def with_more_rank(frame: Frame, points: Iterable[NearbyPoint], rank: int) -> list[NearbyPoint]:
    """Return the points whose rows have more than the given rank, as those between them and the state have.

    At half the distance the singular value in question is expected to be smaller by 2 to the `STEEPEST`, at most; where
    it vanishes at once, the point lies on another part of the constraint set.
    """
    return [p for p in points if p.rank > rank and _lasts(frame, p, rank)]


def _lasts(frame: Frame, point: NearbyPoint, rank: int) -> bool:
    for _ in range(MOST_HALVINGS):
        closer = point_near(frame, (point.q - frame.state.q) / 2.0)
        if closer is None or closer.moved > NEAR_ENOUGH:
            return False
        if closer.rank <= rank:
            return bool(point.sigma[rank] / 2.0**STEEPEST <= np.sqrt(COMPUTED))
        if closer.sigma[rank] < point.sigma[rank] / 2.0 ** (STEEPEST + 1):
            return False
        point = closer
    return True
