"""Singular positions along the ranges of driven joints.

σ is the smallest singular value of the rows that is not zero by their redundancy, in the mass metric, each row over the
length that it has in the closed pose. Where it vanishes the rank is lower: the position is singular.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from gauss.bodies.mechanism import Mechanism
from gauss.dynamics import classify
from gauss.errors import GaussError
from gauss.foundation.arrays import Array
from gauss.model import System
from gauss.model.state import State
from gauss.principle import GaussProblem
from gauss.robots.closing import FAR, closed
from gauss.robots.diagnosis import Sweep
from gauss.uniqueness import find_singular

STEPS = 40  # of a sweep through the range of a joint
HALVINGS = 26  # of the step behind which a joint does not reach
SINGULAR = 1e-6  # of the largest σ: below this a position of the sweep is singular
NEAR = 1e-3  # rad or m between a least σ and the singular position that it belongs to
SPECK = 1e-9  # of the largest length of a row, and rad or m of a coordinate: less is zero


@dataclass(frozen=True)
class _Measured:
    """The rows of a system with the lengths that they have in the closed pose: one that vanishes elsewhere is seen."""

    system: System
    rank: int
    lengths: Array  # (m,)

    @staticmethod
    def at(system: System, state: State, rank: int) -> _Measured:
        """Return the measure of a closed pose."""
        return _Measured(system, rank, np.linalg.norm(_whitened(system, state.q), axis=1))

    def sigma(self, q: Array) -> float:
        """Return the singular value number `rank` of the rows."""
        kept = self.lengths > SPECK * np.max(self.lengths)
        rows = _whitened(self.system, q)[kept] / self.lengths[kept, None]
        return float(np.linalg.svd(rows, compute_uv=False)[self.rank - 1])


def _whitened(system: System, q: Array) -> Array:
    """Return the equality rows (m, n) in the mass metric."""
    problem = GaussProblem.at(system, State(q, 0.0 * q, 0.0))
    return np.asarray(problem.metric.whitened(problem.rows.J[problem.rows.equal]))


def sweeps_of(mechanism: Mechanism, system: System, state: State, rank: int, motors: Sequence[str]) -> list[Sweep]:
    """Return σ of the rows of a system along the range of each driven joint, the others where they are."""
    joints = {joint.name: joint for joint in mechanism.joints}
    found, measure = [], _Measured.at(system, state, rank)
    for name in motors:
        own = mechanism.tree.own.get((id(joints.get(name)), "angle")) or mechanism.tree.own.get(
            (id(joints.get(name)), "displacement")
        )
        if own is None or not rank:
            continue
        low, high = _range_of(mechanism, own)
        found.append(_sweep(measure, state, name, own, low, high))
    return found


def _range_of(mechanism: Mechanism, coordinate: str) -> tuple[float, float]:
    """Return the limits of a coordinate, or half a turn either way."""
    for part in mechanism.joints:
        limits = getattr(part, "lower", None), getattr(part, "upper", None)
        joint = getattr(part, "joint", None)
        if joint is None or None in limits:
            continue
        motion = getattr(part, "motion", None) or "angle"
        if mechanism.tree.own.get((id(joint), motion)) == coordinate:
            low, high = (float(x) for x in limits)  # type: ignore[arg-type]
            return (low if np.isfinite(low) else -np.pi), (high if np.isfinite(high) else np.pi)
    return -np.pi, np.pi


def _sweep(measure: _Measured, state: State, name: str, own: str, low: float, high: float) -> Sweep:
    system = measure.system
    place = system.coordinates.index(own)
    here = float(state.q[place])
    points = {here: (state.q, measure.sigma(state.q))}
    for end in (low, high):
        x, q, slope = here, state.q, 0.0 * state.q  # straight on, also through a position where branches cross
        for ahead in np.linspace(here, end, STEPS // 2 + 1)[1:]:
            found = _held_at(system, q + slope * (ahead - x), own, float(ahead))
            if found is None:
                break
            slope, x, q = (found - q) / (ahead - x), float(ahead), found
            points[x] = q, measure.sigma(q)
        beyond = float(ahead)
        for _ in range(HALVINGS if x != end else 0):  # how far it reaches
            middle = (x + beyond) / 2.0
            found = _held_at(system, q, own, middle)
            x, beyond, q = (x, middle, q) if found is None else (middle, beyond, found)
        points[x] = q, measure.sigma(q)
    values = np.array(sorted(points))
    sigma = np.array([points[x][1] for x in values])
    beside = np.concatenate([[np.inf], sigma, [np.inf]])
    low_points = [k for k in range(len(sigma)) if sigma[k] <= beside[k] and sigma[k] <= beside[k + 2]]
    spots = [_lowest(measure, points, values, k, own) for k in low_points]
    singular = [spot for spot in spots if spot[2] <= SINGULAR * float(np.max(sigma))]
    where, _, least = min(spots, key=lambda spot: spot[2])
    named = tuple((x, _verdict_near(system, q, place)) for x, q, _ in singular)
    return Sweep(name, (low, high), values, sigma, where, least, named)


def _held_at(system: System, q: Array, own: str, value: float) -> Array | None:
    """Return the closed position next to another one in which a coordinate has a value, or None."""
    moved = q.copy()
    moved[system.coordinates.index(own)] = value
    found = closed(system, moved, hold=(own,))
    return None if found is None or np.max(np.abs(found.q - moved)) > FAR else found.q


def _lowest(
    measure: _Measured, points: dict[float, Any], values: Array, k: int, own: str
) -> tuple[float, Array, float]:
    """Return where σ is least near a point of a sweep: the value of the joint, the position, σ."""
    system, x = measure.system, float(values[k])
    q, least = points[x]

    def at(value: float) -> tuple[float, Array]:
        there = _held_at(system, q, own, value)
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
