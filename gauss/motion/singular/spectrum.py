"""Where the rows in force lose their rank on a piece of a motion: their singular values along it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import scipy

from gauss.foundation.arrays import Array
from gauss.foundation.zero import UNIT, Answer, answer
from gauss.model.state import State
from gauss.motion.steps.steppers import Stepper
from gauss.principle import GaussProblem
from gauss.principle.metric import Metric

SINGULAR = 1e-6  # smallest singular value, relative to that at the ends, that is a singular position
AT_START = 1e-9  # share of a piece: a singular position that is no farther before its start is at its start
FIRST = 9  # states of a piece at which its rows are taken, first
LOOKS = 33  # states of a piece at which the singular values are taken, then
BESIDE = np.geomspace(1e-7, 1.0 / LOOKS, 16)  # shares on both sides of a zero where another one is looked for
MOST = 8  # zeros that are looked for in one piece
CORNERS = (1e-6, 1e-8)  # shares from which a zero without a change of sign is extrapolated
APART = 1e-8  # share of a piece: two zeros that are nearer are one
TURN = 1e-4  # share between two looks over which the rise of a function is taken
DOUBLE = 0.1  # least size of a function between two looks, relative to them, that is a double zero


class MotionPiece(Protocol):
    """A piece of a motion."""

    def state(self, share: float) -> Array:
        """Return x = (t, q, v) at a share of it."""


@dataclass(frozen=True)
class SingularValues:
    """Singular values of the rows in force at the states of a piece, rows divided by their largest length in it."""

    stepper: Stepper
    metric: Metric
    length: Array  # (k,)

    @staticmethod
    def along(stepper: Stepper, states: Iterable[Array]) -> SingularValues:
        """Return the spectrum whose rows are divided by the larger of their lengths at some states."""
        system = stepper.setting.system
        states = list(states)
        metric = GaussProblem.at(system, state_of(states[0], system.n)).metric
        bare = SingularValues(stepper, metric, np.ones(len(stepper.rows)))
        length = np.max([np.linalg.norm(bare.rows(x), axis=1) for x in states], axis=0)
        return SingularValues(stepper, metric, np.where(length > 0.0, length, 1.0))

    @staticmethod
    def on(path: MotionPiece, stepper: Stepper) -> SingularValues:
        """Return the spectrum on a piece of a motion."""
        return SingularValues.along(stepper, (path.state(0.0), path.state(1.0)))

    def rows(self, x: Array) -> Array:
        """Return the scaled rows (k, n) at a state."""
        system = self.stepper.setting.system
        J = system.model.terms(*parts_of(x, system.n), self.stepper.setting.theta).J[list(self.stepper.rows)]
        return np.asarray(self.metric.whitened(J) / self.length[:, None])

    def smallest(self, x: Array) -> float:
        """Return the smallest singular value at a state; inf without rows, nan where they are not finite."""
        return smallest_of(self.rows(x))

    def along_states(self, states: Array) -> tuple[Array, Array]:
        """Return the same at N states (N, 2n+1), and how far the rows there are from those at the first (N,)."""
        system, k = self.stepper.setting.system, len(self.stepper.rows)
        q, v = states[:, 1 : system.n + 1], states[:, system.n + 1 :]
        J = system.model.batch(q, v, states[:, 0], self.stepper.setting.theta)[1][:, list(self.stepper.rows)]
        found, finite = np.full((2, len(states)), np.nan), np.isfinite(J).all(axis=(1, 2))
        rows = self.metric.whitened(J[finite].reshape(-1, system.n)).reshape(-1, k, system.n) / self.length[:, None]
        found[0, finite] = np.min(np.linalg.svd(rows, compute_uv=False), axis=1, initial=np.inf)
        found[1, finite] = np.linalg.norm(rows - rows[:1], axis=(1, 2))
        return found[0], found[1]


def smallest_of(rows: Array) -> float:
    """Return the smallest singular value of rows (k, n); inf without rows, nan where they are not finite."""
    if not np.all(np.isfinite(rows)):
        return float("nan")
    return float(np.min(np.linalg.svd(rows, compute_uv=False), initial=np.inf))


@dataclass(frozen=True)
class MostDependent:
    """A place of a piece where the rows are most dependent."""

    share: float  # of the piece
    smallest: float  # singular value there
    largest: float  # of the smallest singular values at its ends
    room: float  # share on both sides in which there is no other such place, nor an end


def places(path: MotionPiece, spectrum: SingularValues, bound: float = SINGULAR) -> list[MostDependent]:
    """Return the places of a piece where its rows are dependent up to `bound`, relative to its ends, in their order.

    Their smallest singular value has the sign there of their volume in the space that they span at an end. Zeros
    between which it is zero by its noise are one.
    """
    first = [spectrum.rows(path.state(share)) for share in np.linspace(0.0, 1.0, FIRST).tolist()]
    sigmas = [smallest_of(rows) for rows in first]
    largest = max(sigmas[0], sigmas[-1])
    farthest = max(float(np.linalg.norm(b - a)) for a, b in itertools.pairwise(first))  # singular values move less
    if not 0.0 < largest < np.inf or min(sigmas) - farthest > bound * largest:
        return []
    basis = np.linalg.svd(first[0 if sigmas[0] == largest else -1], full_matrices=False)[2].T

    def signed(share: float) -> float:
        rows = spectrum.rows(path.state(share))
        return float(np.linalg.slogdet(rows @ basis)[0]) * smallest_of(rows)

    shares: list[float] = []
    for share in zeros(signed):
        if shares and vanishing(path, spectrum, (shares[-1] + share) / 2.0) != "not zero":
            shares[-1] = (shares[-1] + share) / 2.0
        else:
            shares.append(share)
    found = []
    for share in shares:
        smallest = spectrum.smallest(path.state(share))
        room = min([share, 1.0 - share, *(abs(share - other) for other in shares if other != share)])
        if smallest <= bound * largest:
            found.append(MostDependent(share, smallest, largest, room))
    return found


def zeros(f: Callable[[float], float]) -> list[float]:
    """Return where a continuous function vanishes in [0, 1), with a change of sign or without, in order.

    Divided by the distances to the zeros that are found already, it shows more of them next to these.

    >>> [round(x, 9) for x in zeros(lambda x: (x - 0.3) * (x - 0.3001) * (x - 0.9))]
    [0.3, 0.3001, 0.9]
    """
    found: list[float] = []
    divisors: list[float] = []  # zeros as often as they have been found
    begin, slope = f(0.0), (f(AT_START) - f(0.0)) / AT_START
    if begin == 0.0 or (slope and -AT_START < -begin / slope <= 0.0):
        divisors.append(0.0)
        found.append(0.0)

    def left(share: float) -> float:
        return f(share) / math.prod(share - zero for zero in divisors)

    while len(divisors) < MOST:
        shares, values = _looks(left, found)
        change = np.flatnonzero(values[:-1] * values[1:] < 0.0)
        dips, double = _dips(left, shares, values, found, DOUBLE if found else 1.0)
        brackets = [(float(shares[k]), float(shares[k + 1])) for k in change] or dips
        free = [(low, high) for low, high in brackets if not any(low < zero < high for zero in found)]
        more = shares[values == 0.0].tolist()[:1]
        if free and not more:
            more = [float(scipy.optimize.brentq(left, *free[0], xtol=1e-15, disp=False))]
        divisors += more or [zero for zero in double for _ in range(2)]
        if not more and not double:
            break
        for zero in more or double:
            if all(abs(zero - other) >= APART for other in found):
                found.append(zero)
    return sorted(found)


def _looks(f: Callable[[float], float], found: list[float]) -> tuple[Array, Array]:
    """Return shares at which a function is looked at, more of them next to zeros that are found, and its values."""
    near = [zero + side * BESIDE for zero in found for side in (-1.0, 1.0)]
    shares = np.unique(np.clip(np.concatenate([np.linspace(0.0, 1.0, LOOKS), *near]), 0.0, 1.0))
    shares = shares[[min((abs(s - zero) for zero in found), default=1.0) >= APART for s in shares.tolist()]]
    return shares, np.array([f(s) for s in shares.tolist()])


def _dips(
    f: Callable[[float], float], shares: Array, values: Array, found: list[float], share: float
) -> tuple[list[tuple[float, float]], list[float]]:
    """Return between which looks a function changes its sign twice; and where it is least, by this share of looks.

    What is next to a zero that is found belongs to it.
    """
    changes: list[tuple[float, float]] = []
    double: list[float] = []
    sizes = np.concatenate([[np.inf], np.abs(values), [np.inf]])
    for k in np.flatnonzero((sizes[1:-1] < sizes[:-2]) & (sizes[1:-1] <= sizes[2:])).tolist():
        low, high = float(shares[max(k - 1, 0)]), float(shares[min(k + 1, shares.size - 1)])
        if any(low < zero < high for zero in found):
            continue
        sign = float(np.sign(values[k]))
        step = TURN * (high - low)

        def rise(share: float) -> float:
            return sign * (f(share + step) - f(share - step))  # noqa: B023

        if not rise(high - step) > 0.0:
            continue
        if rise(low + step) < 0.0:
            least = float(scipy.optimize.brentq(rise, low + step, high - step, xtol=1e-15, disp=False))
        elif low == 0.0:  # as near to the start as this
            before, after = abs(f(low)), abs(f(low + 2.0 * step))
            least = 2.0 * step * before / (before + after)
        else:
            continue
        if sign * f(least) < 0.0:
            changes.append((low, least))
            continue
        for step in CORNERS:  # it is linear on both sides
            step = min(step, least / 2.0)
            before, after = abs(f(least - step)), abs(f(least + step))
            moved = least + step * (before - after) / (before + after) if before + after > 0.0 else least
            least = moved if abs(f(moved)) < abs(f(least)) else least
        if sign * f(least) <= share * min(abs(f(low)), abs(f(high))):
            double.append(least)
    return changes, double


def power_at(path: MotionPiece, spectrum: SingularValues, place: MostDependent) -> float:
    """Return the power of the distance from a place with which its rows lose their rank."""
    near, far = (
        np.log([max(spectrum.smallest(path.state(place.share + s * place.room * part)), 1e-300) for s in (-1.0, 1.0)])
        for part in (0.25, 0.5)
    )
    return float(np.mean(far - near) / np.log(2.0))


def off_beside(path: MotionPiece, spectrum: SingularValues, place: float) -> float:
    """Return how far a path is off the constraints half-way from a place to its ends, in the metric."""
    stepper, distances = spectrum.stepper, []
    for share in (place / 2.0, (1.0 + place) / 2.0):
        x = path.state(share)
        parts = (*parts_of(x, stepper.setting.system.n), stepper.setting.theta)
        phi = stepper.setting.system.model.residuals(*parts)[0][list(stepper.rows)] / spectrum.length
        distances.append(float(np.linalg.norm(np.linalg.lstsq(spectrum.rows(x), phi, rcond=None)[0])))
    return max(distances)


def vanishing(path: MotionPiece, spectrum: SingularValues, place: float, error: float = 0.0) -> Answer:
    """Return whether the smallest singular value at a place is zero, by its noise and what the path is off there.

    `error` is that of the path along the constraints, relative to its length: what the tolerance of steps leaves open.
    """
    stepper, system = spectrum.stepper, spectrum.stepper.setting.system
    x, n = path.state(place), system.n
    U, sigma, V = np.linalg.svd(spectrum.rows(x), full_matrices=False)
    w = np.zeros(len(system.row_names))
    w[list(stepper.rows)] = U[:, -1] / spectrum.length
    parts, back = (*parts_of(x, n), stepper.setting.theta), spectrum.metric.lift(V[-1])
    slopes = np.array([w @ system.model.jets.turn(*parts, along)[0] @ back for along in np.eye(n)])
    ends = [path.state(share)[1 : n + 1] for share in (0.0, 1.0)]
    unsure = UNIT * np.max(np.abs(ends), axis=0)
    unsure = unsure + off_beside(path, spectrum, place) / np.linalg.norm(spectrum.metric.L, axis=1)
    noise = np.abs(w) @ system.model.noise(*parts).J @ np.abs(back) + np.abs(slopes) @ unsure
    if error:
        free = np.linalg.norm(slopes @ spectrum.metric.lift(np.eye(n) - V.T @ V))
        change = max(spectrum.smallest(path.state(place + side * error)) for side in (-1.0, 1.0)) - sigma[-1]
        noise += error * free * spectrum.metric.norm(ends[1] - ends[0]) + max(change, 0.0)
    return answer(float(sigma[-1]), float(noise))


def parts_of(x: Array, n: int) -> tuple[Array, Array, float]:
    """Return (q, v, t) of x = (t, q, v)."""
    return x[1 : n + 1], x[n + 1 :], float(x[0])


def state_of(x: Array, n: int) -> State:
    """Return the state of x = (t, q, v)."""
    return State(*parts_of(x, n))
