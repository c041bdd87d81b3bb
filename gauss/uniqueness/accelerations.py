"""The accelerations that Gauss's principle admits at a state: one, several, a continuum, or none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array
from gauss.foundation.outcomes import CONTINUUM, NONE, ONE, SEVERAL, UNDECIDED
from gauss.foundation.portable import Portable
from gauss.model.coordinates import Named
from gauss.numerics.quadrics.stationary import Stationary, StationarySet
from gauss.principle import GaussSolution
from gauss.uniqueness.orders.jets import Conditions
from gauss.uniqueness.rows.frame import Frame
from gauss.uniqueness.rows.nearby import follows

COUNTED = {"unique": ONE, "finite": SEVERAL}  # of stationary points


WORKS = "a reaction would do work on the motion"
CONFIRMED, NOT_CONFIRMED, NO_MOTION = "confirmed", "not confirmed", f"no: {WORKS}"


@dataclass(frozen=True)
class Candidate:
    """One acceleration at which the Zwang is stationary among those that the constraints admit.

    >>> import gauss as g
    >>> lines = g.Holonomic("two lines", lambda q: q.x * q.y)
    >>> bead = g.System("bead", "x y", mass_matrix=[[1, 0], [0, 1]], force=[1.0, 2.0], constraints=[lines])
    >>> for one in g.classify(bead, [0.0, 0.0]).accelerations.candidates:
    ...     print(one.kind, one.zwang, one.confirmed)
    global minimum 0.5 confirmed
    local minimum 2.0 confirmed
    vertex 2.5 no: a reaction would do work on the motion
    """

    a: Array  # (n,)
    zwang: float
    kind: str  # "global minimum", "local minimum", "saddle", "vertex", …
    confirmed: str  # "confirmed", "confirmed numerically", "not confirmed" or "no: …": whether a motion has it
    residual: float  # of stationarity, relative

    def named(self, coordinates: tuple[str, ...]) -> Named:
        """Return the acceleration by coordinate name."""
        return Named(coordinates, [float(x) for x in self.a], "coordinate")


@dataclass(frozen=True)
class Continuum(Portable):
    """A family of accelerations with equal Zwang at which it is stationary.

    >>> import gauss as g
    >>> cone = g.Holonomic("cone", lambda q: q.x**2 + q.y**2 - q.z**2)
    >>> mass = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> bead = g.System("bead", "x y z", mass_matrix=mass, force=[0.0, 0.0, -10.0], constraints=[cone])
    >>> circle = g.classify(bead, [0.0, 0.0, 0.0]).accelerations.continua[0]
    >>> circle.dimension, round(circle.zwang, 9), circle.sample(4)[:, 2].round(9).tolist()  # g²/4, z̈ = −g/2
    (1, 25.0, [-5.0, -5.0, -5.0, -5.0])
    """

    dimension: int
    zwang: float
    kind: str
    confirmed: str
    residual: float
    _sample: Callable[[int, int], Array] = field(repr=False)

    def sample(self, count: int, seed: int = 0) -> Array:
        """Return members (count, n); of a family of dimension 1 evenly spaced ones, otherwise random ones."""
        if not isinstance(count, int) or count < 1:
            raise InputError(f"count must be a positive integer, got {count!r}.")
        return self._sample(count, seed)


@dataclass(frozen=True)
class AccelerationSet:
    """All accelerations at one state, with what is known about the list.

    >>> import gauss as g
    >>> lines = g.Holonomic("two lines", lambda q: q.x * q.y)
    >>> bead = g.System("bead", "x y", mass_matrix=[[1, 0], [0, 1]], force=[1.0, 2.0], constraints=[lines])
    >>> found = g.classify(bead, [0.0, 0.0]).accelerations
    >>> found.status, found.complete, [one.a.tolist() for one in found.least()]  # of those known the least Zwang
    ('several', True, [[0.0, 2.0]])
    """

    status: str  # "none", "one" (the list is complete), "several", "continuum"; "undecided" where it is not known
    candidates: tuple[Candidate, ...]  # by increasing Zwang
    continua: tuple[Continuum, ...]
    complete: bool  # whether the list is certified to be complete
    evidence: str  # why it is, or what is missing
    lower_bound: float | None = None  # on the Zwang, by the Lagrangian; None where it was not needed
    certified: bool = True  # whether the least Zwang in the list is certified to be the global minimum

    @property
    def unique(self) -> bool:
        """Whether there is exactly one acceleration."""
        return self.status == ONE

    @property
    def several(self) -> bool:
        """Whether there are several accelerations, all known."""
        return self.status in (SEVERAL, CONTINUUM)

    def least(self) -> tuple[Candidate, ...]:
        """Return the candidates of least Zwang (equal within 1e-9, relative); empty where a continuum has less."""
        if not self.candidates:
            return ()
        smallest = min([c.zwang for c in self.candidates] + [f.zwang for f in self.continua])
        near = 1e-9 * max(abs(smallest), max(abs(c.zwang) for c in self.candidates), 1e-300)
        return tuple(c for c in self.candidates if c.zwang <= smallest + near)


def single(a: Array, zwang: float, evidence: str) -> AccelerationSet:
    """Return the set with one acceleration."""
    return AccelerationSet(ONE, (Candidate(a, zwang, "global minimum", CONFIRMED, 0.0),), (), True, evidence)


def by_rows(solution: GaussSolution) -> AccelerationSet:
    """Return the set with the minimiser that rows determine."""
    return single(solution.a, solution.zwang, "the rows, completed, determine it")


def from_candidates(candidates: tuple[Candidate, ...], evidence: str) -> AccelerationSet:
    """Return the complete list of candidates."""
    return AccelerationSet(ONE if len(candidates) == 1 else SEVERAL, candidates, (), True, evidence)


def nothing(evidence: str) -> AccelerationSet:
    """Return the empty set."""
    return AccelerationSet(NONE, (), (), True, evidence)


def undecided(found: AccelerationSet, evidence: str) -> AccelerationSet:
    """Return a set as one whose candidates need not be those of motions; `evidence` says what is open."""
    return replace(
        found,
        status=UNDECIDED,
        candidates=tuple(replace(c, confirmed=NOT_CONFIRMED) for c in found.candidates),
        continua=tuple(replace(f, confirmed=NOT_CONFIRMED) for f in found.continua),
        complete=False,
        evidence=evidence,
    )


def from_stationary(frame: Frame, conditions: Conditions, found: StationarySet) -> AccelerationSet:
    """Return the accelerations that belong to the stationary points on the quadrics of the conditions."""
    free, N, base = frame.free, conditions.kernel, conditions.base
    rest = 0.5 * float(np.sum((base - free + N @ (N.T @ free)) ** 2))
    size = max(float(np.linalg.norm(free)), 1e-300)

    def lifted(y: Array) -> Array:
        return frame.lift(base + N @ y)

    points = []
    for p in found.points:
        a = lifted(p.y)
        state = _word(frame, conditions, p, a)
        points.append(Candidate(a, rest + p.value, p.kind, state, p.residual / size))
    families = []
    for f in found.families:

        def sample(count: int, seed: int, f: Stationary = f) -> Array:
            return np.array([lifted(y) for y in _members(f, count, seed)])

        y = f.sample(1, 0)[0]
        state = _word(frame, conditions, f, lifted(y))
        families.append(Continuum(f.dimension, rest + f.value, f.kind, state, f.residual / size, sample))
    return AccelerationSet(
        status=UNDECIDED
        if found.status == "unique" and not found.complete
        else COUNTED.get(found.status, found.status),
        candidates=tuple(points),
        continua=tuple(families),
        complete=found.complete,
        evidence=found.evidence,
        lower_bound=None if found.lower_bound is None else rest + found.lower_bound,
        certified=found.globally_certified,
    )


def _word(frame: Frame, conditions: Conditions, x: Stationary, a: Array) -> str:
    """Return whether a motion has the acceleration a of what is stationary.

    A vertex is where branches meet. A motion on a branch has the foot on that branch as its acceleration, so that the
    vertex is that of a motion only if it is such a foot; else a reaction would do work along every branch. With
    inequalities it may be open whether the vertex is a minimum.
    """
    if not x.stationary:
        return NO_MOTION if x.least is False else NOT_CONFIRMED
    return confirmation(frame, conditions, x.y, a)


def _members(family: Stationary, count: int, seed: int) -> Array:
    """Return members (count, d) of a family: of a whole circle evenly spaced ones, of others random ones."""
    if family.dimension == 1 and not family.within:
        return np.array([family.point(2.0 * np.pi * k / count) for k in range(count)])
    return family.sample(count, seed)


def confirmation(frame: Frame, conditions: Conditions, y: Array, a: Array) -> str:
    """Return whether a motion starts with the acceleration of y: the quadrics alone are necessary conditions.

    It does if their gradients at y are independent (a blow-up and the implicit function theorem then give the motion).
    Otherwise the curve v τ + a τ²/2 is compared with nearby points of the constraint set.
    """
    gradients = np.array([2.0 * (q.S @ y + q.g) for q in conditions.quadrics])
    speed, size = frame.metric.norm(frame.state.v), float(np.linalg.norm(y))
    scale = max(size, float(np.linalg.norm(frame.free)), 1e-300)
    if gradients.size:
        lengths = np.array([2.0 * (np.linalg.norm(q.S) * scale + np.linalg.norm(q.g)) for q in conditions.quadrics])
        sigma = np.linalg.svd(gradients / lengths[:, None], compute_uv=False)
        if gradients.shape[0] <= y.size and sigma[-1] > 1e-6:
            return CONFIRMED
    if speed == 0.0 and frame.metric.norm(a) <= 1e-12 * scale:
        return CONFIRMED  # rest
    return "confirmed numerically" if follows(frame, a) else NOT_CONFIRMED
