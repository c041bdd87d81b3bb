"""Power laws by which a motion can leave an equilibrium at rest: their directions, exponents and first moments.

Around an equilibrium q₀ let the acceleration grow like a ≈ κ s^p d with the distance s along a direction d (or with
the speed), 0 < p < 1. Then q₀ + c τ^k d with k = 2/(1 − p) and c^{1−p} = κ/(k(k − 1)) (with k = 1 + 1/(1 − p) for the
speed) satisfies the equations to leading order, and

    q̈(τ) = Σ_m A_m (τ/τ₀)^{k−2+m}

to higher order up to a small time τ₀, where the A_m are found by Picard iteration: integrate twice, evaluate the
acceleration, repeat. On corrections to the law each round shrinks the error by a factor of p or less.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from gauss.errors import GaussError
from gauss.foundation.arrays import Array
from gauss.model.state import State
from gauss.uniqueness.lipschitz import Neighbourhood

PROBE = 1e-6  # distance (in the units of the coordinates) at which directions are sought
FIXED = 1e-6  # largest distance between a direction and that of its acceleration
APART = 1e-3  # directions closer than this (unit vectors in the mass metric) are one
NUDGE, FLAT = 1e-3, 1e-2  # change of a direction, and singular values below which fixed points form a continuum
STARTS = 64  # trial directions at most
HARD = 0.999  # exponents above this are not told from 1
SOFT = 1e-3  # exponents below this are not told from a jump
EARLY = 1e-4  # share of the run that is left to the power law
NEARER = 2.0  # each start is this many times nearer in time than the one before it
RESOLVED = 1e-6  # smallest share of a coordinate that a start is away
CLEAR = 1e-5  # smallest share of the forces that the acceleration is at a start
TERMS, FIRST = 6, 0.25  # of the expansion; share of its time before which it is not matched, as numbers round there
ROUNDS, SETTLED = 60, 1e-13  # of the Picard iteration at most; a relative change that ends it, as one that grows does


class RefusedError(Exception):
    """A candidate is no motion, or was not confirmed as one."""


class AccelerationField:
    """The acceleration on small spheres of admissible displacements (or velocities) around an equilibrium.

    Directions y (N,) are unit vectors in a basis that is orthonormal in the mass metric.
    """

    def __init__(self, near: Neighbourhood, kind: str):
        self.near, self.kind = near, kind
        self.basis = near.velocities  # (N, n)
        self.starts = 0
        self.probe = max(PROBE, self.nearest(np.ones(len(self.basis))))

    def along(self, y: Array) -> Array:
        """Return the direction (n,) of length 1."""
        d = np.asarray(y @ self.basis)
        return np.asarray(d / np.linalg.norm(d))

    def name(self, y: Array) -> str:
        """Return a direction in words."""
        pairs = zip(self.near.system.coordinates, self.along(y), strict=True)
        return f"{self.kind} along " + ", ".join(f"{x:+.3g} {name}" for name, x in pairs if abs(x) > 1e-9)

    def nearest(self, y: Array) -> float:
        """Return the smallest displacement that the coordinates, as numbers, resolve."""
        moved = np.abs(self.along(y)) > 1e-9
        return RESOLVED * float(np.max(np.abs(self.near.state.q[moved]), initial=0.0))

    def state(self, y: Array, s: float, speed: float = 0.0, dt: float = 0.0) -> State:
        """Return the state displaced by s with some speed; for a velocity field s is the speed, if none is given."""
        d = self.along(y)
        if self.kind == "velocity" and speed == 0.0:
            return self.near.moved(0.0 * d, s * d, dt)
        return self.near.moved(s * d, speed * d, dt)

    def push(self, y: Array, s: float) -> Array:
        """Return the acceleration (N,) in the basis at the displacement or speed s; nan where it is not defined."""
        try:
            a = self.near.acceleration(self.state(y, s))
        except GaussError:
            return np.full(len(self.basis), np.nan)
        L = self.near.metric.L
        return np.asarray(self.basis @ (L @ (L.T @ a)))

    def outward(self, y: Array, s: float) -> float:
        """Return the acceleration along the direction of length 1, in the units of the coordinates."""
        return float(self.push(y, s) @ y / np.linalg.norm(y) * np.linalg.norm(y @ self.basis) / np.linalg.norm(y))

    def turned(self, w: Array) -> Array:
        """Return the direction of the acceleration at the direction of w, less w: zero at a fixed point."""
        length = np.linalg.norm(w)
        push = self.push(w / length, self.probe) if length > 0.0 else np.full(w.size, np.nan)
        size = np.linalg.norm(push)
        return np.asarray(push / size - w if size > 0.0 else np.full(w.size, np.nan))

    def directions(self, count: int) -> tuple[list[Array], int]:
        """Return the fixed points found, at most `count` of a continuum, and the dimension of the set."""
        N = len(self.basis)
        rng = np.random.default_rng(0)
        trials = [*np.eye(N), *-np.eye(N)]
        if N > 1:
            trials += [w / np.linalg.norm(w) for w in rng.normal(size=(8 * N, N))]
        trials = trials[:STARTS]
        self.starts = len(trials)
        found = self._distinct([y for trial in trials if (y := self._settled(trial)) is not None])
        flat = max((self._flatness(y) for y in found), default=0)
        if flat and N == 2:  # a whole circle, as far as the samples show: spread them evenly
            turns = 2.0 * np.pi * np.arange(count) / count
            even = [np.array([np.cos(turn), np.sin(turn)]) for turn in turns]
            self.starts += count
            return [y for y in even if self._is_fixed(y)], flat
        return (found[:count] if flat else found), flat

    def _is_fixed(self, y: Array) -> bool:
        return bool(np.linalg.norm(self.turned(y)) <= FIXED)

    def _settled(self, trial: Array) -> Array | None:
        """Return the fixed point reached from a trial direction, or None."""
        if trial.size > 1 and not self._is_fixed(trial):
            if not np.all(np.isfinite(self.turned(trial))):
                return None
            with np.errstate(all="ignore"):
                trial = scipy.optimize.root(lambda w: np.nan_to_num(self.turned(w), nan=2.0), trial, method="lm").x
            trial = trial / np.linalg.norm(trial)
        return trial if self._is_fixed(trial) else None

    def _distinct(self, found: list[Array]) -> list[Array]:
        kept: list[Array] = []
        for y in found:
            if all(np.linalg.norm(y - other) > APART for other in kept):
                kept.append(y)
        return kept

    def _flatness(self, y: Array) -> int:
        """Return in how many directions neighbours of a fixed point are fixed too."""
        _, _, V = np.linalg.svd(y[None, :])
        columns = [self.turned(w / np.linalg.norm(w)) / NUDGE for w in (y + NUDGE * e for e in V[1:])]
        return int(np.sum(np.linalg.svd(np.array(columns), compute_uv=False) < FLAT)) if columns else 0


@dataclass(frozen=True)
class Law:
    """The power law as measured at one distance."""

    exponent: float
    power: float
    s: float  # distance
    time: float  # τ at which the law is there
    speed: float

    @property
    def coefficient(self) -> float:
        """c of c τ^k; inf or 0 where it is no number."""
        with np.errstate(over="ignore", under="ignore"):
            return float(np.exp(np.log(self.s) - self.power * np.log(self.time)))

    @staticmethod
    def at(field: AccelerationField, y: Array, s: float) -> Law:
        """Measure it at the distance (for a velocity field: the speed) s. Raises RefusedError."""
        values = [field.outward(y, x) for x in (s / 2.0, s, 2.0 * s)]
        if not all(np.isfinite(values)) or min(values) <= 0.0:
            raise RefusedError("the acceleration does not point away")
        p = float(np.log(values[2] / values[0]) / np.log(4.0))
        if not SOFT < p < HARD:
            raise RefusedError(f"its exponent {p:.4g} is not between 0 and 1")
        if field.kind == "velocity":
            power = 1.0 + 1.0 / (1.0 - p)
            time = (power - 1.0) * s / values[1]
            return Law(p, power, s * time / power, time, s)
        power = 2.0 / (1.0 - p)
        time = float(np.sqrt(power * (power - 1.0) * s / values[1]))
        return Law(p, power, s, time, power * s / time)


def starts(field: AccelerationField, y: Array, span: float) -> list[Law]:
    """Return the laws at three starts ever nearer the equilibrium, as near as numbers and forces allow."""
    rough = Law.at(field, y, field.probe)
    own = rough.speed if field.kind == "velocity" else rough.s
    growth = rough.power - 1.0 if field.kind == "velocity" else rough.power
    smallest = own * min(EARLY * span / rough.time, 1.0) ** growth
    push = field.outward(y, field.probe)
    clear = own * (CLEAR * field.near.force / push) ** (1.0 / rough.exponent)
    if rough.time >= span:
        raise RefusedError("its power law takes longer than the run to come off")
    smallest = max(smallest, clear, field.nearest(y) if field.kind == "position" else 0.0, 1e-200)
    ratio = min(NEARER**growth, 1e4)
    return [Law.at(field, y, smallest * ratio**j) for j in (2, 1, 0)]


@dataclass(frozen=True)
class Expansion:
    """The first moments of a motion, q̈ = Σ_m A_m (τ/τ₀)^{k−2+m} for 0 ≤ τ ≤ τ₀, integrated from rest at q₀."""

    origin: Array  # (n,) q₀
    power: float  # k
    time: float  # s, τ₀
    terms: Array  # (TERMS, n) A_m

    def at(self, tau: Array) -> tuple[Array, Array]:
        """Return positions and velocities (N, n) at the times τ (N,) after the start."""
        first = self.power - 1.0 + np.arange(len(self.terms))
        share = np.maximum(tau / self.time, 0.0)[:, None]
        v = self.time * (share**first / first) @ self.terms
        q = self.origin + self.time**2 * (share ** (first + 1.0) / first / (first + 1.0)) @ self.terms
        return q, v


def expanded(field: AccelerationField, y: Array, law: Law) -> Expansion:
    """Return the expansion that begins like a power law. Raises RefusedError where it meets no value."""
    near = field.near
    u = FIRST + (1.0 - FIRST) * (np.polynomial.legendre.leggauss(TERMS)[0] + 1.0) / 2.0
    weight = u ** (law.power - 2.0)
    inverse = np.linalg.inv(np.vander(u, increasing=True))
    if weight[0] < np.finfo(float).tiny:
        raise RefusedError(f"its power {law.power:.4g} of the time is too high for numbers")
    size = law.power * (law.power - 1.0) * law.s / law.time**2
    terms = np.zeros((TERMS, near.state.q.size))
    terms[0] = size * field.along(y)
    made, last = Expansion(near.state.q, law.power, law.time, terms), np.inf
    for _ in range(ROUNDS):
        q, v = made.at(u * law.time)
        try:
            states = [near.moved(x - near.state.q, w, t) for x, w, t in zip(q, v, u * law.time, strict=True)]
            a = np.array([near.acceleration(state) for state in states])
        except GaussError as error:
            raise RefusedError(f"its first moments cannot be computed: {error}") from None
        terms = inverse @ (a / weight[:, None])
        change = float(np.max(np.abs(terms - made.terms))) / size
        made = Expansion(near.state.q, law.power, law.time, terms)
        if change <= SETTLED or change >= last:
            break
        last = change
    return made
