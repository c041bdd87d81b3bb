"""Singular positions along the ranges of driven joints.

One joint moves through its range, the others that may be driven beside it stay where they are, and the loops stay
closed. σ is the smallest singular value of the rows that is not zero by their redundancy, in the mass metric, each row
over the length that it has in the closed pose. Where it vanishes the rank is lower: the position is singular. Where the
range ends although all rows keep their rank, the joint turns back: with all driven joints held there, the rest still
moves (a dead point; of a parallel robot, a singular position of the second type).
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from gauss.bodies.joints.joint import Joint
from gauss.bodies.joints.transmissions import Follower
from gauss.bodies.mechanism import Mechanism
from gauss.dynamics import classify
from gauss.errors import GaussError
from gauss.foundation.arrays import Array, Flags
from gauss.model import System
from gauss.model.state import State
from gauss.principle import GaussProblem
from gauss.principle.rank import spectrum_of
from gauss.robots.closing import LeadingRows, is_upright
from gauss.robots.findings import SingularSpot, Sweep
from gauss.uniqueness import find_singular

STEPS = 40  # of a sweep through the range of a joint
SHORTEST = 1e-12  # of the range: a step behind which a joint does not reach
NEWTON = 25  # steps of Newton's method to the position after a step
JUMP = 0.25  # rad, and share of the length of the tree: a coordinate that changes more has left its branch
SINGULAR = 1e-6  # of the largest σ: below this a position of the sweep is singular
DEAD = 1e-3  # of the largest hold of the driven joints: at the end of a reach, which is found to rounding, it is a root
NEAR = 1e-3  # rad or m between a least σ and the singular position that it belongs to
SPECK = 1e-9  # of the largest length of a row, and rad or m of a coordinate: less is zero
UPRIGHT = np.pi / 2  # rad by which all coordinates together turn no body over


@dataclass(frozen=True)
class _Measured:
    """The rows of a system with the lengths that they have in the closed pose: one that vanishes elsewhere is seen."""

    mechanism: Mechanism
    system: System
    rank: int
    lengths: Array  # (m,)
    driven: tuple[str, ...]  # coordinates
    rows: LeadingRows
    stops: list[int]  # rows of stops that the closed pose is not beyond
    units: Array  # (n,) 1 rad, or the length of the tree

    @staticmethod
    def at(mechanism: Mechanism, state: State, rank: int, driven: Sequence[str]) -> _Measured:
        """Return the measure of a closed pose."""
        system = mechanism.system
        lengths = np.linalg.norm(_whitened(system, state.q), axis=1)
        gaps = _gaps(system, state.q)
        stops = [k for k in system.model.unilateral if gaps[k] > -SPECK]
        units = np.array([mechanism.tree.length if system.unit(name) == "m" else 1.0 for name in system.coordinates])
        return _Measured(mechanism, system, rank, lengths, tuple(driven), LeadingRows.of_system(system), stops, units)

    def sigma(self, q: Array) -> float:
        """Return the singular value number `rank` of the rows."""
        kept = self.lengths > SPECK * np.max(self.lengths)
        rows = _whitened(self.system, q)[kept] / self.lengths[kept, None]
        return float(np.linalg.svd(rows, compute_uv=False)[self.rank - 1])

    def hold(self, q: Array) -> float:
        """Return the least share of the velocities that the rows admit which the driven coordinates see."""
        problem = GaussProblem.at(self.system, State(q, 0.0 * q, 0.0))
        J = problem.metric.whitened(problem.rows.J[problem.rows.equal])
        free = np.linalg.svd(J)[2][self.rank :]
        places = [self.system.coordinates.index(name) for name in self.driven]
        seen = problem.metric.whitened(np.eye(q.size)[places])
        seen = seen / np.linalg.norm(seen, axis=1)[:, None] @ free.T
        count = min(seen.shape)
        return float(np.linalg.svd(seen, compute_uv=False)[count - 1]) if count else 0.0

    def beside(self, state: State, own: str) -> tuple[str, ...]:
        """Return driven coordinates that may keep their values while another one moves."""
        order = (own, *(name for name in self.driven if name != own))
        held = independent(self.mechanism, state.q, order, self.rank)
        return held if held[:1] == (own,) else (own,)

    def free(self, held: Sequence[str]) -> Flags:
        """Return which coordinates are not held."""
        return np.array([name not in held for name in self.system.coordinates])

    def beyond(self, q: Array) -> str:
        """Return the stop that a position is beyond, or ""."""
        gaps = _gaps(self.system, q)
        return next((self.system.row_names[k] for k in self.stops if gaps[k] < -SPECK), "")

    def held_at(self, start: Array, predicted: Array, own: str, value: float, free: Flags) -> Array | None:
        """Return the closed position next to a predicted one in which a coordinate has a value, or None."""
        moved = np.where(free, predicted, start)
        moved[self.system.coordinates.index(own)] = value
        found = self.rows.descended(moved, free, NEWTON)
        if found is None or np.max(np.abs(found - moved) / self.units) > JUMP:
            return None
        near = float(np.sum(np.abs(found - start))) < UPRIGHT
        return found if near or is_upright(self.mechanism, found) else None


def _gaps(system: System, q: Array) -> Array:
    """Return the position residuals of all rows."""
    return np.asarray(system.model.residuals(q, np.zeros(system.n), 0.0, system.theta())[0])


def _whitened(system: System, q: Array) -> Array:
    """Return the equality rows (m, n) in the mass metric."""
    problem = GaussProblem.at(system, State(q, 0.0 * q, 0.0))
    return np.asarray(problem.metric.whitened(problem.rows.J[problem.rows.equal]))


def own_coordinate(mechanism: Mechanism, name: str) -> str | None:
    """Return the coordinate of a joint of the tree with one angle or displacement, or None."""
    joint = next((joint for joint in mechanism.joints if joint.name == name), None)
    own = mechanism.tree.own
    return own.get((id(joint), "angle")) or own.get((id(joint), "displacement"))


def sweeps_of(mechanism: Mechanism, state: State, rank: int, driven: Sequence[str]) -> list[Sweep]:
    """Return σ of the rows along the range of each joint that is driven, the other driven ones where they are."""
    names = {name: own for name in driven if (own := own_coordinate(mechanism, name)) is not None}
    looped = _looped(mechanism)
    if not rank or looped.isdisjoint(names.values()):
        return []
    measure = _Measured.at(mechanism, state, rank, tuple(names.values()))
    return [
        _sweep(measure, state, name, own, *range_of(mechanism, own)) for name, own in names.items() if own in looped
    ]


def _looped(mechanism: Mechanism) -> set[str]:
    """Return the coordinates that move what closes a loop: others turn the whole loop, and change no rank."""
    system, nodes = mechanism.system, mechanism.tree.nodes
    rows = {system.row_names[k] for k in system.model.equality}
    at = {id(node.body): k for k, node in enumerate(nodes)}
    found = set[int]()
    for link in mechanism.tree.loops:
        if not any(c.name in rows or f"{c.name}[0]" in rows for c in link.constraints()):
            continue
        measured = [joint for joint, *_ in (*link.joints, *link.leaders)] if isinstance(link, Follower) else [link]
        for part in measured:
            ways = []
            for body in part.bodies:
                way, k = set[int](), at.get(id(body), -1)
                while k >= 0:
                    way.add(k)
                    k = nodes[k].parent
                ways.append(way)
            shared = set.intersection(*ways) if isinstance(part, Joint) else set[int]()
            found |= set.union(*ways) - shared
    return {name for k in found for name in nodes[k].coordinates}


def range_of(mechanism: Mechanism, coordinate: str) -> tuple[float, float]:
    """Return the limits of a coordinate, or half a turn either way, or the length of the tree."""
    wide = np.pi if mechanism.system.unit(coordinate) == "rad" else max(mechanism.tree.length, SPECK)
    for part in mechanism.joints:
        limits = getattr(part, "lower", None), getattr(part, "upper", None)
        joint = getattr(part, "joint", None)
        if joint is None or None in limits:
            continue
        motion = getattr(part, "motion", None) or "angle"
        if mechanism.tree.own.get((id(joint), motion)) == coordinate:
            low, high = (float(x) for x in limits)  # type: ignore[arg-type]
            return (low if np.isfinite(low) else -wide), (high if np.isfinite(high) else wide)
    return -wide, wide


def _sweep(measure: _Measured, state: State, name: str, own: str, low: float, high: float) -> Sweep:
    place = measure.system.coordinates.index(own)
    here = float(state.q[place])
    free = measure.free(measure.beside(state, own))
    points = {here: (state.q, measure.sigma(state.q))}
    holds = [measure.hold(state.q)]
    ends = []
    for end in (low, high):
        way, stop = _way(measure, here, state.q, own, end, SHORTEST * (high - low), free)
        points |= {x: (q, measure.sigma(q)) for x, q in way}
        holds += [measure.hold(q) for _, q in way]
        x, q = way[-1] if way else (here, state.q)
        reached = abs(x - end) <= SPECK * (high - low)
        ends.append("" if reached else f"stop {stop!r}" if stop else _turned(measure, q, holds))
    values = np.array(sorted(points))
    sigma = np.array([points[x][1] for x in values])
    beside = np.concatenate([[np.inf], sigma, [np.inf]])
    low_points = [k for k in range(len(sigma)) if sigma[k] <= beside[k] and sigma[k] <= beside[k + 2]]
    spots = [_lowest(measure, points, values, k, own, free) for k in low_points]
    singular = [spot for spot in spots if spot[2] <= SINGULAR * float(np.max(sigma))]
    where, _, least = min(spots, key=lambda spot: spot[2])
    named = tuple(SingularSpot(x, _verdict_near(measure.system, q, place)) for x, q, _ in singular)
    return Sweep(name, (low, high), values, sigma, where, least, named, (ends[0], ends[1]))


def _way(
    measure: _Measured, x: float, q: Array, own: str, end: float, shortest: float, free: Flags
) -> tuple[list[tuple[float, Array]], str]:
    """Return the values and closed positions of a coordinate on its way to an end, and the stop before it, or "".

    Steps go straight on at first, also where branches cross; the way ends where they become shorter than `shortest`.
    """
    way, full = list[tuple[float, Array]](), (end - x) / (STEPS // 2)
    step, slope, stop, eased = full, 0.0 * q, "", 0
    while x != end and abs(step) > shortest:
        ahead = end if abs(end - x) <= 1.5 * abs(step) and abs(step) >= 0.5 * abs(full) else x + step
        found = measure.held_at(q, q + slope * (ahead - x), own, ahead, free)
        over = "" if found is None else measure.beyond(found)
        stop = over or stop
        if found is None or over:
            step, eased = step / 2.0, 0
            continue
        slope, x, q, eased = (found - q) / (ahead - x), ahead, found, eased + 1
        if eased > 1 and not stop:
            step = min(2.0 * step, full, key=abs)
        way.append((x, q))
    return way, stop


def reached(mechanism: Mechanism, q: Array, own: str, value: float, held: Sequence[str]) -> tuple[Array, str]:
    """Return the last closed position on the way of a coordinate to a value, others held, and what ends the way.

    That is "" where the value is reached, "stop '…'" or "out of reach".
    """
    measure = _Measured.at(mechanism, State(q, 0.0 * q, 0.0), 0, ())
    here = float(q[measure.system.coordinates.index(own)])
    way, stop = _way(measure, here, q, own, value, SHORTEST * abs(value - here), measure.free([own, *held]))
    x, found = way[-1] if way else (here, q)
    return found, "" if x == value else f"stop {stop!r}" if stop else "out of reach"


def independent(mechanism: Mechanism, q: Array, names: Sequence[str], rank: int | None = None) -> tuple[str, ...]:
    """Return the coordinates that rows, of a rank that may be known, leave free at a position beside those before."""
    system = mechanism.system
    problem = GaussProblem.at(system, State(q, 0.0 * q, 0.0))
    rows = problem.rows.J[problem.rows.equal]
    held, rank = list[str](), spectrum_of(problem.metric, rows).rank if rank is None else rank
    for name in names:
        more = np.vstack([rows, np.eye(system.n)[system.coordinates.index(name)]])
        if spectrum_of(problem.metric, more).rank > rank:
            rows, rank = more, rank + 1
            held.append(name)
    return tuple(held)


def _turned(measure: _Measured, q: Array, holds: Sequence[float]) -> str:
    """Return why a joint goes no further although no stop holds it."""
    return "dead point" if measure.hold(q) <= DEAD * max(holds) else "out of reach"


def _lowest(
    measure: _Measured, points: dict[float, Any], values: Array, k: int, own: str, free: Flags
) -> tuple[float, Array, float]:
    """Return where σ is least near a point of a sweep: the value of the joint, the position, σ."""
    x = float(values[k])
    q, least = points[x]

    def at(value: float) -> tuple[float, Array]:
        side = k + 1 if value > x else k - 1
        share = (value - x) / (float(values[side]) - x) if value != x else 0.0
        near = q + share * (points[float(values[side])][0] - q)
        there = measure.held_at(near, near, own, value, free)
        return (np.inf, q) if there is None else (measure.sigma(there), there)

    if 0 < k < len(values) - 1:
        bounds = float(values[k - 1]), float(values[k + 1])
        best = scipy.optimize.minimize_scalar(
            lambda y: at(y)[0], bounds=bounds, method="bounded", options={"xatol": 1e-12}
        )
        if best.fun < least:
            return float(best.x), at(float(best.x))[1], float(best.fun)
    return x, q, float(least)


def _verdict_near(system: System, q: Array, place: int) -> str:
    """Return the verdict in the singular position that is next to q."""
    with contextlib.suppress(GaussError):
        exact = find_singular(system, q).q
        exact = np.where(np.abs(exact) <= SPECK, 0.0, exact)  # coordinates of 1e-25 rad are meant to be zero
        return classify(system, exact if abs(exact[place] - q[place]) < NEAR else q).verdict
    return "singular"
