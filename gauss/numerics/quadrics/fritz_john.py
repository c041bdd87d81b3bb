"""Stationarity on several quadrics at one point, its second order, and searches for such points from random starts.

A Fritz John point is a point of the quadrics at which M₀ (y − y0) = Σ M_k (S_k y + g_k) has a solution M ≠ 0. With
M₀ ≠ 0 the multipliers μ_k = M_k/M₀ are finite and the Hessian I − Σ μ_k S_k on the tangent space decides the kind; with
M₀ = 0 the gradients are dependent, and what the point is depends on terms of higher order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gauss.foundation.arrays import Array, lengths_of
from gauss.foundation.zero import CLEAR, UNIT
from gauss.numerics.quadrics.secular import kind_of
from gauss.numerics.quadrics.types import EPS, UNDECIDED, Quadric

DEPENDENT = 1e-7  # smallest singular value of unit gradients below which they count as dependent
CURVATURE = 1e-7  # eigenvalue of the Hessian, relative to its terms, below which its sign is left open
NEWTON_STEPS = 12
ONTO = 2  # steps onto the quadrics, from a point that is on them to rounding of its distance from the target
STARTS = 400
SEARCH_STEPS = 80
REGULAR = 1e-3  # singular value of the gradients above which a point is no approximation of a singular one
NEARBY = 1e-2  # distance, in units of the length, within which a point is taken to a singular one
SETTLED = 1e-8  # the same for stationary points, some of which are double roots
CONVERGED = 1e-10  # last step of Newton's method, in units of the length: slower convergence shows no point
FOUND = 1e-12  # residual of the Fritz John equations, in units of the length, at which a search has succeeded
SEED = 20250203


@dataclass(frozen=True)
class Stationarity:
    """The multipliers that fit best at a point, and how well."""

    multipliers: Array  # (p,) μ of y − y0 ≈ Σ μ_k (S_k y + g_k), of least norm where gradients are dependent
    residual: float  # |y − y0 − Σ μ_k (S_k y + g_k)|
    independent: bool  # whether the gradients are
    tangent: Array  # (d, d − rank) orthonormal basis of the directions in which no gradient points


def stationarity(y: Array, y0: Array, quadrics: Sequence[Quadric], length: float) -> Stationarity:
    """Return the multipliers of a point by least squares; the gradients are compared with the size of the quadrics."""
    if not quadrics:
        return Stationarity(np.zeros(0), float(np.linalg.norm(y - y0)), True, np.eye(y.size))
    unit = slope_sizes(quadrics, length)
    G = np.array([q.slope(y) for q in quadrics]).T / unit
    U, sigma, V = np.linalg.svd(G, full_matrices=True)
    lengths = np.linalg.norm(G, axis=0)
    scaled = np.linalg.svd(G / np.where(lengths > DEPENDENT, lengths, 1.0), compute_uv=False)
    independent = bool(np.all(lengths > DEPENDENT) and G.shape[1] <= G.shape[0] and scaled[-1] > DEPENDENT)
    rank = int(np.sum(sigma > DEPENDENT * max(float(sigma[0]), EPS)))
    step = y - y0
    mu = V[:rank].T @ ((U[:, :rank].T @ step) / sigma[:rank])
    return Stationarity(mu / unit, float(np.linalg.norm(step - G @ mu)), independent, U[:, rank:])


def slope_sizes(quadrics: Sequence[Quadric], length: float) -> Array:
    """Return the size (p,) of S y + g at the distance `length`, 1 for constants."""
    size = np.array([np.linalg.norm(q.S) * length + np.linalg.norm(q.g) for q in quadrics])
    return np.where(size > 0.0, size, 1.0)


def unit_gradients(y: Array, quadrics: Sequence[Quadric], length: float) -> Array:
    """Return the singular values of the gradients at y, each divided by its size at the distance `length`."""
    G = np.array([q.slope(y) for q in quadrics]).T / slope_sizes(quadrics, length)
    return np.asarray(np.linalg.svd(G, compute_uv=False))


def hessian(quadrics: Sequence[Quadric], multipliers: Array, d: int) -> tuple[Array, float]:
    """Return I − Σ μ_k S_k (d, d) and the size of its terms."""
    H, size = np.eye(d), 1.0
    for q, mu in zip(quadrics, multipliers, strict=True):
        H = H - mu * q.S
        size += abs(mu) * float(np.linalg.norm(q.S, 2))
    return H, size


def kind_at(quadrics: Sequence[Quadric], at: Stationarity) -> str:
    """Return the kind of a stationary point with independent gradients by the Hessian on the tangent space."""
    H, size = hessian(quadrics, at.multipliers, at.tangent.shape[0])
    values = np.linalg.eigvalsh(at.tangent.T @ H @ at.tangent)
    if np.any(np.abs(values) <= CURVATURE * size):
        return UNDECIDED
    return kind_of(int(np.sum(values < 0.0)), values.size)


def polished(y: Array, y0: Array, quadrics: Sequence[Quadric], length: float) -> Array | None:
    """Return y after Newton's method on stationarity and quadrics, or None where its steps do not become small.

    Steps are of least squares, so that points of a continuum are accepted; near a singular point, where the multipliers
    of a Fritz John point are large but no finite ones exist, the method does not settle. Far from the target steps are
    as small as they are relative to the distance.
    """
    d, p = y.size, len(quadrics)
    length = max(length, float(np.linalg.norm(y - y0)))
    unit = [q.size(length) for q in quadrics]
    scaled = [Quadric(q.S / u, q.g / u, q.c / u) for q, u in zip(quadrics, unit, strict=True)]
    mu = stationarity(y, y0, scaled, length).multipliers
    best, best_size, moved = y, np.inf, np.inf
    for _ in range(NEWTON_STEPS):
        G = np.array([q.slope(y) for q in scaled]).T
        r = np.concatenate([y - y0 - G @ mu, [q.value(y) * length for q in scaled]])
        size = float(np.linalg.norm(r))
        if not size < best_size:
            break
        best, best_size = y, size
        J = np.zeros((d + p, d + p))
        J[:d, :d] = np.eye(d) - sum((m * q.S for m, q in zip(mu, scaled, strict=True)), np.zeros((d, d)))
        J[:d, d:], J[d:, :d] = -G, 2.0 * length * G.T
        step = np.linalg.lstsq(J, r, rcond=1e-13)[0]
        moved = float(np.linalg.norm(step[:d]))
        if not moved < 0.1 * length:
            return None
        y, mu = y - step[:d], mu - step[d:]
    return best if moved <= SETTLED * length else None


def moved_onto(y: Array, quadrics: Sequence[Quadric]) -> tuple[Array, bool]:
    """Return y moved onto the quadrics by a few shortest steps, and whether it is on them to rounding.

    Close to a singular point small values show nothing: the steps then lead there, slowly.
    """
    for _ in range(ONTO):
        G = np.array([2.0 * q.slope(y) for q in quadrics])
        length = lengths_of(G)
        value = np.array([q.value(y) for q in quadrics])
        y = y - np.linalg.lstsq(G / length[:, None], value / length, rcond=None)[0]
    return y, all(abs(q.value(y)) <= CLEAR * UNIT * q.terms(y) for q in quadrics)


def singular_near(y: Array, quadrics: Sequence[Quadric], length: float) -> Array | None:
    """Return the point near y at which the gradients of the quadrics are dependent, or None if there is none nearby."""
    S, g, c = _scaled(y, quadrics, length)
    d, p = y.size, len(c)
    x = np.zeros((1, d))
    m = np.linalg.svd(g.T)[2][-1:]
    size = moved = np.inf
    for _ in range(NEWTON_STEPS):
        r, J = _equations(x, m, S, g, S, g, c)
        step = np.linalg.lstsq(J[0], r[0], rcond=1e-12)[0]
        x, m = x - step[:d], m - step[d : d + p]
        size, moved = float(np.linalg.norm(r)), float(np.linalg.norm(step[:d]))
        if not np.linalg.norm(x) < NEARBY:
            return None
    return np.asarray(y + length * x[0]) if size <= FOUND and moved <= CONVERGED else None


def search(y0: Array, quadrics: Sequence[Quadric], length: float) -> list[Array]:
    """Return Fritz John points (d,) found from random starts; none need be found."""
    S, g, c = _scaled(y0, quadrics, length)
    d = y0.size
    found = _descended(np.concatenate([-np.eye(d)[None], S]), np.concatenate([np.zeros((1, d)), g]), S, g, c)
    return [y0 + length * x for x in found]


def singular_points(y0: Array, quadrics: Sequence[Quadric], length: float) -> list[Array]:
    """Return points (d,) of the quadrics at which their gradients are dependent, found from random starts."""
    S, g, c = _scaled(y0, quadrics, length)
    return [y0 + length * x for x in _descended(S, g, S, g, c)]


def _scaled(y0: Array, quadrics: Sequence[Quadric], length: float) -> tuple[Array, Array, Array]:
    """Return the quadrics about the target, in units of the length, each of size one."""
    unit = [q.size(length) for q in quadrics]
    S = np.array([q.S * length**2 / u for q, u in zip(quadrics, unit, strict=True)])
    g = np.array([q.slope(y0) * length / u for q, u in zip(quadrics, unit, strict=True)])
    return S, g, np.array([q.value(y0) / u for q, u in zip(quadrics, unit, strict=True)])


def _descended(weighted_S: Array, weighted_g: Array, S: Array, g: Array, c: Array) -> Array:
    """Return points (·, d) at which some unit combination of the weighted slopes vanishes and the quadrics too.

    Levenberg-Marquardt method from random points near and far, on a batch.
    """
    rng = np.random.default_rng(SEED)
    n, d = weighted_g.shape
    x = rng.normal(size=(STARTS, d)) * 10.0 ** rng.uniform(-1.5, 0.7, (STARTS, 1)) / np.sqrt(d)
    m = rng.normal(size=(STARTS, n))
    m /= np.linalg.norm(m, axis=1, keepdims=True)
    damping = np.full(STARTS, 1e-2)
    r, J = _equations(x, m, weighted_S, weighted_g, S, g, c)
    for _ in range(SEARCH_STEPS):
        A = np.swapaxes(J, 1, 2) @ J + damping[:, None, None] * np.eye(d + n)
        step = np.linalg.solve(A, np.swapaxes(J, 1, 2) @ r[..., None])[..., 0]
        new_x, new_m = x - step[:, :d], m - step[:, d:]
        new_m /= np.maximum(np.linalg.norm(new_m, axis=1, keepdims=True), EPS)
        new_r, new_J = _equations(new_x, new_m, weighted_S, weighted_g, S, g, c)
        better = np.linalg.norm(new_r, axis=1) < np.linalg.norm(r, axis=1)
        x[better], m[better], r[better], J[better] = new_x[better], new_m[better], new_r[better], new_J[better]
        damping = np.clip(np.where(better, damping / 5.0, damping * 4.0), 1e-12, 1e6)
    return np.asarray(x[(np.linalg.norm(r, axis=1) <= FOUND) & (np.linalg.norm(x, axis=1) < 1e4)])


def _equations(
    x: Array, m: Array, weighted_S: Array, weighted_g: Array, S: Array, g: Array, c: Array
) -> tuple[Array, Array]:
    """Return Σ m (Sx + g), the quadrics and |m|² − 1 for a batch, and their derivatives by x and m."""
    (n, d), p = weighted_g.shape, len(c)
    slopes = np.einsum("kij,bj->bki", weighted_S, x) + weighted_g
    own = np.einsum("kij,bj->bki", S, x) + g
    level = np.einsum("bi,bki->bk", x, own + g) + c
    r = np.concatenate([np.einsum("bk,bki->bi", m, slopes), level, np.sum(m * m, axis=1, keepdims=True) - 1.0], axis=1)
    J = np.zeros((len(x), d + p + 1, d + n))
    J[:, :d, :d] = np.einsum("bk,kij->bij", m, weighted_S)
    J[:, :d, d:] = np.swapaxes(slopes, 1, 2)
    J[:, d : d + p, :d] = 2.0 * own
    J[:, d + p, d:] = 2.0 * m
    return r, J


def regular_point(quadrics: Sequence[Quadric], d: int, length: float) -> Array | None:
    """Return a point (d,) of the quadrics with independent gradients if Newton's method finds one, else None."""
    if len(quadrics) > d:
        return None
    rng = np.random.default_rng(SEED)
    S, g, c = _scaled(np.zeros(d), quadrics, length)
    x = rng.normal(size=(STARTS // 8, d)) * 10.0 ** rng.uniform(-1.0, 0.7, (STARTS // 8, 1))
    for _ in range(SEARCH_STEPS // 2):
        own = np.einsum("kij,bj->bki", S, x) + g
        level = np.einsum("bi,bki->bk", x, own + g) + c
        gram = own @ np.swapaxes(own, 1, 2)
        gram += (1e-14 * np.trace(gram, axis1=1, axis2=2) + 1e-30)[:, None, None] * np.eye(len(c))
        x = x - 0.5 * np.einsum("bki,bk->bi", own, np.linalg.solve(gram, level[..., None])[..., 0])
        x = np.where(np.abs(x) < 1e6, x, 1e6)
    for row, value in zip(x, level, strict=True):
        y = length * row
        on = np.max(np.abs(value)) <= 1e-12 * (1.0 + float(row @ row))
        if on and np.min(unit_gradients(y, quadrics, length)) > REGULAR:
            return np.asarray(y)
    return None


def distinct(points: Sequence[Array], close: float) -> list[Array]:
    """Return the points without those nearer than `close` to an earlier one."""
    kept: list[Array] = []
    for y in points:
        if all(np.linalg.norm(y - other) > close for other in kept):
            kept.append(y)
    return kept
