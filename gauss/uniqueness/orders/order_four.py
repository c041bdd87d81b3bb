"""The conditions of order 4 on the acceleration: quadrics yᵀS y + 2gᵀy + c = 0 on what orders 2 and 3 leave free.

For every combination w of the vanishing ones whose order 4 leaves the third derivative b out, αᵀR₂(z) + wᵀR₃(z) = 0
with αᵀJ + wᵀK₃ = 0 (see `gauss.uniqueness.orders.jets`). Each coefficient comes with its noise; those that are zero by
it are set to zero, so that the kind of the quadric is that of the exact one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.linalg as sla

from gauss.foundation.arrays import Array
from gauss.foundation.dependence import dependence
from gauss.foundation.zero import CLEAR, UNIT, ZERO, is_zero
from gauss.numerics.quadrics.stationary import Quadric
from gauss.uniqueness.rows.combinations import Uncertain, expansions, independent
from gauss.uniqueness.rows.frame import Frame
from gauss.uniqueness.rows.uncertainty import (
    Judged,
    coefficients,
    inverse_as_decided,
    lifted,
    scatter,
    unsure_solution,
    weights,
)

TRIALS = 3  # accelerations at which terms of third degree are looked for
CUBIC = 1e-9  # share of the terms of a condition from which those of third degree count
DISTINCT = 1e-12  # relative size of coefficients of the quadrics that counts as zero, at least
FLAT = 1e-9  # curvatures of a quadric below this share of the largest vanish, its coordinates being of one size
ROUNDS = 12  # of scaling the coordinates to a form or its noise


@dataclass(frozen=True)
class OrderThree:
    """What order 3 says, by which order 4 is asked."""

    binding: Array  # (m, ρ)
    rows: Array  # (ρ, n)
    right: Array  # (ρ,)
    left: Judged  # (·,) the conditions that leave z out
    straight: Array  # (m, ·) combinations that are linear in z at order 3
    quadratic: Array  # (m, ·) combinations whose order 3 is quadratic in z (nonlinear nonholonomic rows)
    loose: Array  # (m, ·) combinations whose order 3 leaves z out


@dataclass(frozen=True)
class OrderFour:
    """The quadrics on y, z = base + kernel y, and the combinations without one."""

    quadrics: tuple[Quadric, ...]
    active: Array  # (m, p) their combinations w
    eliminating: Array  # (m, p) the α that belong to them
    unconditional: Array  # (m, ·) combinations without any condition
    beyond: Array  # (m, ·) combinations whose condition is of third degree, or that b can satisfy
    open: Array  # (m, ·) combinations of which it is not decided whether they have a condition
    vague: float  # the largest noise of S among the quadrics, relative to it


@dataclass(frozen=True)
class Elimination:
    """What is added to a combination w so that its order leaves the next derivative of the motion out: αᵀR₂."""

    value: Array  # (m,) α at the base
    change: Array  # (m, d) its change per unit of y
    noise: Array  # (m,)

    @staticmethod
    def none(m: int, d: int) -> Elimination:
        """Return that of a combination which needs none."""
        return Elimination(np.zeros(m), np.zeros((m, d)), np.zeros(m))


@dataclass(frozen=True)
class Form:
    """One condition: order 3 of w with α, or order 2 of w alone; its coefficients S, 2g, c one after the other."""

    w: Array  # (m,)
    alpha: Array  # (m,)
    quadric: Quadric
    value: Array  # (d² + d + 1,)
    noise: Array  # (d² + d + 1,)

    @property
    def vague(self) -> float:
        """The noise of S, relative to it."""
        count = self.quadric.S.size
        size = float(np.linalg.norm(self.value[:count]))
        return float(np.linalg.norm(self.noise[:count])) / size if size > 0.0 else 0.0


def order_four(
    frame: Frame, known: Uncertain, order3: OrderThree, ahead: Array, base: Array, kernel: Array
) -> OrderFour:
    """Return the conditions of order 4; `ahead` (m, ·) are combinations with contacts that order 3 does not separate.

    `known` are the ordinary rows.

    `base` (n,) and `kernel` (n, d) are the accelerations z = base + kernel y that satisfy orders 2 and 3.
    """
    m, d = len(frame.index), kernel.shape[1]
    none = np.zeros((m, 0))
    U, loose = np.hstack([order3.straight, ahead]), np.hstack([order3.loose, ahead])
    if U.shape[1] == 0 and order3.quadratic.shape[1] == 0:
        return OrderFour((), none, none, none, none, none, 0.0)
    still = Elimination.none(m, d)
    directions, start = lifted(frame, known, kernel), (base, unsure_solution(frame, known, base))
    forms = [form_of(frame, start, directions, 2, w, still) for w in order3.quadratic.T]
    expansion = _Expansion.at(frame, base, kernel)
    beyond = [*expansion.without_b(known, loose)[1].T]
    free = expansion.without_b(known, U)[0]
    for w, by in zip(free.T, expansion.eliminating(free), strict=True):
        if expansion.is_cubic(w, by):
            beyond.append(w)
        else:
            forms.append(form_of(frame, start, directions, 3, w, by))
    vectors, noises = (
        np.array([getattr(x, name) for x in forms]).reshape(len(forms), d * d + d + 1) for name in ("value", "noise")
    )
    basis = independent(None, Uncertain(vectors, noises))
    table = np.array([x.w for x in forms]).reshape(len(forms), m).T
    judged = dependence(vectors, noises)
    doubtful = judged.combinations[:, (judged.ratio > ZERO) & (judged.ratio < CLEAR)]
    return OrderFour(
        tuple(forms[k].quadric for k in basis),
        table[:, basis],
        np.array([forms[k].alpha for k in basis]).reshape(len(basis), m).T,
        table @ expansions(vectors, basis),
        np.array(beyond).reshape(len(beyond), m).T,
        table @ doubtful,
        max((forms[k].vague for k in basis), default=0.0),
    )


@dataclass(frozen=True)
class _Expansion:
    """R₂ and d³ψ/dt³ with their derivatives at z = base, from where the conditions of order 4 are expanded in y."""

    frame: Frame
    base: Array  # (n,)
    kernel: Array  # (n, d), z = base + kernel y
    K3: Array  # (m, n) coefficients of b
    turned: Array  # (d, m, n) their change per unit of y; (0, m, n) for rows linear in the velocities

    @staticmethod
    def at(frame: Frame, base: Array, kernel: Array) -> _Expansion:
        """Evaluate the derivatives."""
        zero = np.zeros(frame.n)
        K3 = frame.third(base, zero)[2]
        found = _Expansion(frame, base, kernel, K3, np.zeros((0, *K3.shape)))
        if frame.system.model.linear_velocity:
            return found
        turned = [(frame.third(base + found.push * x, zero)[2] - K3) / found.push for x in kernel.T]
        return replace(found, turned=np.array(turned).reshape(-1, *K3.shape))

    @cached_property
    def push(self) -> float:
        """The size of the accelerations."""
        return max(float(np.linalg.norm(self.base)), self.frame.acceleration_scale, 1e-300)

    def without_b(self, known: Uncertain, combinations: Array) -> tuple[Array, Array]:
        """Return combinations (m, ·) whose order 4 leaves b out at every z, and those given ones that stand for b.

        Rows nonlinear in the velocities have a K₃ that depends on z.
        """
        if not combinations.shape[1]:
            return combinations, combinations
        one, *others = self._along_b(combinations)
        values = [one.value, *(other.value - one.value for other in others)]
        noises = [one.noise, *(other.noise + one.noise for other in others)]
        both = (sla.block_diag(*[x] * len(values)) for x in (known.value, known.noise))
        kept = Uncertain(*both)
        basis = independent(kept, Uncertain(np.hstack(values), np.hstack(noises)))
        stacked = [combinations.T @ x @ self.frame.kernel for x in (self.K3, *(self.push * t for t in self.turned))]
        return combinations @ expansions(np.hstack(stacked), basis), combinations[:, basis]

    def eliminating(self, combinations: Array) -> list[Elimination]:
        """Return the α with αᵀJ + wᵀK₃ = 0 for combinations w (m, ·); noise of their changes along y is left out."""
        one, *others = self._along_b(combinations)
        found = []
        for k, w in enumerate(combinations.T):
            moved = [(other.value - one.value)[k] for other in others]
            known = [(other.noise + one.noise)[k] for other in others]
            turned = [np.where(is_zero(x, noise), 0.0, x) / self.push for x, noise in zip(moved, known, strict=True)]
            change = [self._solved(self.frame.metric.whitened(x[None])[0])[0] for x in turned]
            alpha, sizes = self._solved(self.K3.T @ w)
            found.append(Elimination(alpha, np.array(change).reshape(-1, len(w)).T, sizes @ one.noise[k]))
        return found

    def _along_b(self, combinations: Array) -> list[Uncertain]:
        """Return the coefficients of b in combinations (m, ·), at the base and, where they turn, along each of y."""
        places = [self.base, *(self.base + self.push * x for x in self.kernel.T[: len(self.turned)])]
        return [coefficients(self.frame, 3, combinations, z) for z in places]

    def _solved(self, k: Array) -> tuple[Array, Array]:
        """Return the least α (m,) with αᵀW + k = 0, and by how much noise of the right-hand side changes it (m, n).

        Masses make rows nearly parallel that are not: the rows as their rank is decided make up for what α misses.
        """
        f, r, columns = self.frame, self.frame.rank, self.frame.decided.columns
        alpha = -(f.U[:, :r] / f.sigma[:r]) @ (f.V[:r] @ k)
        rows, V = inverse_as_decided(f)
        missed = (f.metric.L @ (alpha @ f.W + k)) * columns
        return alpha - rows @ (V @ missed), np.abs(rows) @ np.abs(V) * columns

    def is_cubic(self, w: Array, by: Elimination) -> bool:
        """Whether the condition of a combination has terms of third degree, as rows nonlinear in v can have."""
        frame = self.frame
        if frame.system.model.linear_velocity:
            return False
        rng = np.random.default_rng(3)

        def terms(y: Array) -> Array:
            z = self.base + self.kernel @ y
            return np.concatenate(
                [w * frame.third(z, np.zeros(frame.n))[0], (by.value + by.change @ y) * frame.second(z)[0]]
            )

        size = float(np.abs(w) @ frame.natural.third)
        for y in self.push * rng.normal(size=(TRIALS, self.kernel.shape[1])):
            values = np.array([terms(k * y) for k in (0.0, 1.0, 2.0, 3.0)])
            third = float([-1.0, 3.0, -3.0, 1.0] @ np.sum(values, axis=1))
            if abs(third) > CUBIC * max(size, float(np.max(np.sum(np.abs(values), axis=1)))):
                return True
        return False


def form_of(
    frame: Frame, start: tuple[Array, Array], directions: Uncertain, order: int, w: Array, by: Elimination
) -> Form:
    """Return the condition of one combination w (m,) on y, with the α that belongs to it.

    `start` is z (n,) at y = 0 and the noise (n,) of the acceleration there, `directions` (n, d) are those of y in the
    coordinates of the system. Order 2 is that of combinations which are quadratic in z already there; they need no α.
    Order 1 is −wᵀγ, at the velocity that y is added to.
    """
    s, jets, T = frame.state, frame.system.model.jets, directions.value
    d, a, unsure = T.shape[1], frame.lift(start[0]), start[1]
    parts = [(order, w)] + ([(2, by.value)] if np.any(by.value) else [])

    def expanded(q: Array, v: Array) -> Array:
        place = (q, v, s.t, frame.theta, a)
        found = [jets.combination(k, *place, frame.weights(u)) for k, u in parts]
        H, g, c = (np.sum([getattr(x, name) for x in found], axis=0) for name in ("by_aa", "by_a", "value"))
        S, slope = T.T @ H @ T / 2.0, T.T @ g
        if np.any(by.change):
            second, K = jets.second(*place)
            turned = by.change.T @ (K[frame.index] / frame.scale[:, None]) @ T
            S, slope = S + (turned + turned.T) / 2.0, slope + by.change.T @ (second[frame.index] / frame.scale)
        return np.concatenate([((S + S.T) / 2.0).ravel(), slope, [c]])

    place = (s.q, s.v, s.t, frame.theta, a)
    rounding = [(k, weights(u)) for k, u in parts] + ([(2, by.noise / UNIT)] if np.any(by.noise) else [])
    known = [jets.combined_noise(k, *place, frame.weights(u)) for k, u in rounding]
    H, g, c = (np.sum([getattr(x, name) for x in known], axis=0) for name in ("by_aa", "by_a", "value"))
    found = [jets.combination(k, *place, frame.weights(u)) for k, u in parts]
    size, slopes = (np.abs(np.sum([getattr(x, name) for x in found], axis=0)) for name in ("by_aa", "by_a"))
    wide, turned = np.abs(T) + directions.noise, directions.noise.T @ size
    S = wide.T @ H @ wide / 2.0 + (turned @ wide + (turned @ wide).T) / 2.0
    slope = wide.T @ (g + size @ unsure) + directions.noise.T @ slopes
    rounded = np.concatenate([S.ravel(), slope, [c + (slopes + size @ unsure) @ unsure]])
    here, spread = scatter(frame, expanded, (w != 0.0) | (by.value != 0.0) | np.any(by.change != 0.0, axis=1))
    noise = rounded + spread
    value = cleaned(here, noise, d)
    S, slope, height = value[: d * d].reshape(d, d), value[d * d : -1] / 2.0, float(value[-1])
    unit = next((float(size) for size in (np.linalg.norm(S), np.linalg.norm(slope), abs(height)) if size > 0.0), 1.0)
    return Form(w, by.value, Quadric(S / unit, slope / unit, height / unit), value, noise)


def cleaned(value: Array, noise: Array, d: int) -> Array:
    """Return the coefficients S, 2g, c of yᵀS y + 2gᵀy + c with those set to zero that are by their noise.

    Of S the eigenvalues count, y being scaled so that the noise of all its entries is about one. 2g is compared along
    the directions that S leaves free, c after the square is completed in the others: a double plane (n·y − h)² = 0
    stays one in coordinates in which its coefficients have roundings.
    """
    S, slope, c = value[: d * d].reshape(d, d), value[d * d : -1], float(value[-1])
    dS, dslope, dc = noise[: d * d].reshape(d, d), noise[d * d : -1], float(noise[-1])
    if d == 0:
        return np.array([c if abs(c) > ZERO * dc else 0.0])
    h = balanced(dS)
    unit = np.outer(h, h)
    values, Q = np.linalg.eigh(S / unit)
    limit = ZERO * float(np.linalg.norm(dS / unit))
    values = np.where(np.abs(values) > limit, values, 0.0)
    bent = values != 0.0
    along, unsure = Q.T @ (slope / h), np.abs(Q).T @ (dslope / h)
    tilted = (dS / unit) @ np.abs(Q[:, bent]) @ np.abs(along[bent] / values[bent])  # what S's noise makes of free ones
    for part, more in ((bent, 0.0), (~bent, tilted)):
        across = Q[:, part] @ Q[:, part].T
        if np.all(np.abs(across @ (slope / h)) <= ZERO * (np.abs(across) @ (dslope / h + more))):
            along[part] = 0.0
    curved, part = values[bent], along[bent]
    middle = float(np.sum(part**2 / curved)) / 4.0
    doubt = float(np.sum(np.abs(part / curved) * unsure[bent] / 2.0 + (part / curved) ** 2 * limit / (4.0 * ZERO)))
    if abs(c - middle) <= ZERO * (dc + doubt):
        c = middle
    return np.concatenate([(((Q * values) @ Q.T) * np.outer(h, h)).ravel(), h * (Q @ along), [c]])


def balanced(S: Array) -> Array:
    """Return h (d,) such that the rows of S/(hhᵀ) are of about one size, S symmetric; 1 for rows of zeros."""
    h = np.ones(len(S))
    for _ in range(ROUNDS):
        size = np.max(np.abs(S) / np.outer(h, h), axis=1, initial=0.0)
        h = h * np.where(size > 0.0, np.sqrt(size), 1.0)
    return h


def steepness(quadrics: Sequence[Quadric]) -> float:
    """Return the smallest eigenvalue of the quadrics that is not zero, relative to the largest of its quadric."""
    least = 1.0
    for q in quadrics:
        values = np.abs(np.linalg.eigvalsh(q.S)) if q.S.size else np.zeros(0)
        top = float(np.max(values, initial=0.0))
        least = min(least, float(np.min(values[values > DISTINCT * top], initial=top)) / top if top > 0.0 else 1.0)
    return least


def semidefinite(q: Quadric) -> bool:
    """Return whether a condition is yᵀS y = 0 with S semidefinite, so that it holds on a subspace only."""
    values = _curvatures(q.S)
    return bool(np.any(values) and not np.any(q.g) and q.c == 0.0 and not np.min(values) < 0.0 < np.max(values))


def violated(quadrics: Sequence[Quadric], y: Array, share: float) -> bool:
    """Return whether y (d,) misses an equation among quadrics by more than a share of its terms."""
    far = float(np.linalg.norm(y))
    for q in (q for q in quadrics if q.sense == "="):
        size = float(np.linalg.norm(q.S)) * far**2 + 2.0 * float(np.linalg.norm(q.g)) * far + abs(q.c)
        if abs(float(y @ q.S @ y + 2.0 * (q.g @ y)) + q.c) > share * size:
            return True
    return False


def never_negative(q: Quadric) -> bool:
    """Return whether yᵀS y + c ≥ 0 holds for all y."""
    return bool(not np.any(q.g) and q.c >= 0.0 and np.min(_curvatures(q.S), initial=0.0) >= 0.0)


def _curvatures(S: Array) -> Array:
    """Return eigenvalues (d,) of a form in coordinates that give its rows about one size, those that vanish being zero.

    Their signs are the same in all coordinates, their sizes are not: in the metric light coordinates have small ones.
    """
    h = balanced(S)
    values = np.linalg.eigvalsh(S / np.outer(h, h))
    return np.where(np.abs(values) > FLAT * np.max(np.abs(values), initial=0.0), values, 0.0)
