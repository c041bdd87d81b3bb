"""Fritz John points on p quadrics in k dimensions: all of them along the paths of a homotopy, or some by descent.

With homogeneous coordinates Y = (Y₀, y) and multipliers M = (M₀, …, M_p) the Fritz John conditions

    M₀ (y_i − Y₀ y0_i) = Σ_j M_j (S_j y + g_j Y₀)_i   (i = 1 … k),      Yᵀ Q_j Y = 0   (j = 1 … p)

are k bilinear and p quadratic equations Xᵀ A X = 0 in X = (Y, M); M₀ = 0 where gradients are dependent, Y₀ = 0 at
infinity. Generic equations of this form have 2^p · C(k, p) solutions, as many as the products of linear forms with
which the homotopy starts, and for almost every complex γ in A = (1 − t) γ A₀ + t A₁ the paths lead to all isolated
solutions. The list of real points is complete with probability one if all paths arrive at regular, distinct solutions;
that these are closed under complex conjugation is checked besides, because a lost path would break it. A singular
solution that is isolated is the end of at least two paths, while paths that end on a continuum of solutions end at
random places of it: so singular ends that meet in groups are isolated, and those alone are not. With p ≥ k there are no
multipliers, and the points are those on k random combinations of the quadrics, 2^k paths.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product
from math import comb

import numpy as np
from numpy.typing import NDArray

from gauss.foundation.arrays import Array, Flags
from gauss.numerics.quadrics.types import HELD, MOST, NEARLY, ROUND, SAME, SEED, TOLERANCE

Complex = NDArray[np.complex128]

MOST_PATHS = 512  # that are followed: of two quadrics in 16 dimensions
ATTEMPTS = 3  # with another γ, where paths have met
REAL = 1e-8  # relative imaginary part up to which a regular end is real
MEETING = 1e-2  # distance up to which singular ends meet: they are known to the square root of TOLERANCE or worse
STARTS = 400  # random points from which descents start
DESCENTS = 80  # steps of a descent


@dataclass(frozen=True)
class Ends:
    """Where the paths arrive, as real points y, and whether these are all real finite points."""

    paths: int
    real: tuple[Array, ...] = ()  # (k,) the finite points among the regular ends
    meeting: tuple[Array, ...] = ()  # (k,) finite points, roughly, at which several paths meet
    stray: int = 0  # paths that end at singular solutions alone, or do not end
    complete: bool = False  # with probability one: all ends isolated, the regular ones distinct and conjugate in pairs


@dataclass(frozen=True)
class _System:
    """Equations Xᵀ A X = 0, A (n, N, N) at the start (0) and at the end (1), and patches P X = 1."""

    A0: Complex
    A1: Complex
    P: Complex  # (1 or 2, N)

    def at(self, X: Complex, t: Array) -> tuple[Complex, Complex, Complex]:
        """Return values (B, N), Jacobian matrices (B, N, N) and derivatives by t (B, N) for a batch."""
        start, change = (np.einsum("nij,bj->bni", A, X) for A in (self.A0, self.A1 - self.A0))
        AX = start + t[:, None, None] * change
        J = np.concatenate([2.0 * AX, np.broadcast_to(self.P, (len(X), *self.P.shape))], axis=1)
        values, by_t = (np.einsum("bni,bi->bn", B, X) for B in (AX, change))
        return np.hstack([values, X @ self.P.T - 1.0]), J, np.hstack([by_t, np.zeros((len(X), len(self.P)))])


def path_count(k: int, p: int) -> int:
    """Return the number of paths for p quadrics in k dimensions."""
    return int(2**p * comb(k, p)) if p < k else int(2**k)


def conditions(forms: list[Array], y0: Array) -> Array:
    """Return the equations A (n, N, N) of the Fritz John points, real and symmetric, each of norm one."""
    k, p = y0.size, len(forms)
    quadratic = np.array([Q / np.linalg.norm(Q) for Q in forms])
    if p >= k:
        return quadratic
    A = np.zeros((k + p, k + p + 2, k + p + 2))
    for i in range(k):
        A[i, i + 1, k + 1], A[i, 0, k + 1] = 1.0, -y0[i]
        A[i, : k + 1, k + 2 :] = -quadratic[:, i + 1, :].T
        A[i] = (A[i] + A[i].T) / (2.0 * np.linalg.norm(A[i]))
    A[k:, : k + 1, : k + 1] = quadratic
    return A


def follow(A: Array, k: int, p: int) -> Ends:
    """Return the ends of all paths to the conditions A of p linearly independent quadrics in k dimensions."""
    ends = Ends(path_count(k, p))
    for attempt in range(ATTEMPTS):
        system, X = _start(A, k, p, np.random.default_rng(SEED + attempt))
        X, good = _track(system, X)
        Y = X[good, : k + 1]
        meeting, stray = _groups(X[~good, : k + 1])
        apart = _gap(Y, Y) + np.eye(len(Y))
        paired = np.min(_gap(np.conj(Y), Y), axis=1, initial=1.0)
        consistent = bool(np.min(apart, initial=1.0) > SAME and np.max(paired, initial=0.0) < SAME)
        ends = Ends(len(X), tuple(_real(Y, REAL)), tuple(meeting), stray, consistent and stray == 0)
        if consistent and not 0 < stray <= 2:  # these may have passed close to a singular solution
            break
    return ends


def _groups(Y: Complex) -> tuple[list[Array], int]:
    """Return the real finite points at which at least two of the singular ends meet, and how many ends are alone."""
    good = np.all(np.isfinite(Y), axis=1) & (np.linalg.norm(Y, axis=1) > 0.0)
    U = _unit(Y[good])
    near = _gap(U, U) <= MEETING
    dots = np.conj(U) @ U.T  # ends that meet differ by a phase
    turn = np.conj(dots) / np.maximum(np.abs(dots), ROUND)
    centres = np.array([turn[k, row] @ U[row] for k, row in enumerate(near) if np.sum(row) > 1])
    points: list[Array] = []
    for y in _real(centres.reshape(-1, Y.shape[1]), MEETING):
        if all(np.linalg.norm(y - other) > 3.0 * MEETING * (1.0 + float(y @ y)) for other in points):
            points.append(y)
    return points, int(np.sum(~good)) + int(np.sum(np.sum(near, axis=1) < 2))


def _random(rng: np.random.Generator, *shape: int) -> Complex:
    """Return complex numbers of random phase and modulus near one."""
    return np.asarray(np.exp(2j * np.pi * rng.random(shape)) * (0.5 + rng.random(shape)))


def _start(A: Array, k: int, p: int, rng: np.random.Generator) -> tuple[_System, Complex]:
    """Return the homotopy, and all solutions (paths, N) of its start system."""
    D, m = k + 1, (p + 1 if p < k else 0)
    if p >= k:
        A, p = np.tensordot(np.linalg.qr(rng.normal(size=(p, p)))[0][:k], A, 1), k
    one, two = np.zeros((len(A), D + m), dtype=complex), np.zeros((len(A), D + m), dtype=complex)
    n = len(A) - p  # bilinear equations
    one[:, :D], two[:n, D:], two[n:, :D] = _random(rng, len(A), D), _random(rng, n, m), _random(rng, p, D)
    P = np.zeros((1 + (m > 0), D + m), dtype=complex)
    P[0, :D], P[1:, D:] = _random(rng, D), _random(rng, len(P) - 1, m)
    X = []
    for chosen in combinations(range(n), p) if m else [()]:
        others = [i for i in range(n) if i not in chosen]
        M = _at(two[list(chosen), D:], P[1, D:]) if m else P[0, :0]
        for side in product((one, two), repeat=p):
            rows = [*(one[i, :D] for i in others), *(side[j][n + j, :D] for j in range(p))]
            X.append(np.concatenate([_at(np.array(rows), P[0, :D]), M]))
    outer = one[:, :, None] * two[:, None, :]
    gamma = np.exp(2j * np.pi * rng.random())
    return _System(gamma * (outer + np.swapaxes(outer, 1, 2)) / 2.0, A.astype(complex), P), np.array(X)


def _at(rows: Complex, patch: Complex) -> Complex:
    """Return the point with patch · x = 1 at which the linear forms vanish."""
    return np.asarray(np.linalg.solve(np.vstack([rows, patch]), np.eye(patch.size)[-1]))


def _solve(J: Complex, right: Complex) -> Complex:
    """Return the solutions (B, n) of a batch of linear systems; a matrix that is exactly singular is moved a little."""
    try:
        return np.asarray(np.linalg.solve(J, right[..., None])[..., 0])
    except np.linalg.LinAlgError:
        little = ROUND * (1.0 + np.max(np.abs(J), axis=(1, 2), keepdims=True)) * np.eye(J.shape[-1])
        return np.asarray(np.linalg.solve(J + little, right[..., None])[..., 0])


def _corrected(system: _System, X: Complex, t: Array) -> tuple[Complex, Array]:
    """Return X after Newton steps at fixed t, and the relative size of the last step."""
    size = np.full(len(X), np.inf)
    for _ in range(3):
        H, J, _ = system.at(X, t)
        step = _solve(J, H)
        X = X - step
        size = np.linalg.norm(step, axis=1) / np.maximum(np.linalg.norm(X, axis=1), ROUND)
    return X, np.where(np.isfinite(size), size, np.inf)


def _track(system: _System, X: Complex) -> tuple[Complex, Flags]:
    """Follow all paths from t = 0 to 1; return their ends, and which of them are regular solutions."""
    t, h, streak = np.zeros(len(X)), np.full(len(X), 0.02), np.zeros(len(X), dtype=int)
    for _ in range(MOST):
        at = np.flatnonzero((t < 1.0) & (h > TOLERANCE))
        if not at.size:
            break
        later = np.minimum(t[at] + h[at], 1.0)
        guess = _predicted(system, X[at], t[at], later)
        new, size = _corrected(system, guess, later)
        good = (size <= TOLERANCE) & (np.linalg.norm(new - guess, axis=1) <= NEARLY * np.linalg.norm(new, axis=1))
        X[at[good]], t[at[good]] = new[good], later[good]
        streak[at] = np.where(good, streak[at] + 1, 0)
        h[at] *= np.where(good, np.where(streak[at] == 3, 2.0, 1.0), 0.5)
        streak[streak == 3] = 0
    arrived = t >= 1.0
    refined, size = _corrected(system, X[arrived], t[arrived])
    X[arrived] = np.where(size[:, None] <= TOLERANCE, refined, X[arrived])  # at a singular end Newton's method strays
    _, J, _ = system.at(X, np.ones(len(X)))
    finite = np.all(np.isfinite(J), axis=(1, 2))
    sigma = np.linalg.svd(np.where(finite[:, None, None], J, 0.0), compute_uv=False)
    return X, arrived & finite & (sigma[:, -1] > HELD * sigma[:, 0])


def _predicted(system: _System, X: Complex, t: Array, new: Array) -> Complex:
    """Return the classical fourth-order Runge-Kutta step from t to new."""

    def tangent(at: Complex, time: Array) -> Complex:
        _, J, by_t = system.at(at, time)
        return -_solve(J, by_t)

    h = (new - t)[:, None]
    one = tangent(X, t)
    two = tangent(X + h / 2.0 * one, (t + new) / 2.0)
    three = tangent(X + h / 2.0 * two, (t + new) / 2.0)
    return np.asarray(X + h / 6.0 * (one + 2.0 * two + 2.0 * three + tangent(X + h * three, new)))


def _unit(Y: Complex) -> Complex:
    """Return the points (B, D) at length one, with the largest component real and positive."""
    lead = np.take_along_axis(Y, np.argmax(np.abs(Y), axis=1)[:, None], axis=1)
    Y = Y * np.conj(lead) / np.abs(lead)
    return np.asarray(Y / np.linalg.norm(Y, axis=1, keepdims=True))


def _gap(Y: Complex, others: Complex) -> Array:
    """Return the distances (B, B') of points of projective space: the sine of the angle."""
    dot = np.abs(np.conj(_unit(Y)) @ _unit(others).T)
    return np.asarray(np.sqrt(np.maximum(1.0 - np.minimum(dot, 1.0) ** 2, 0.0)))


def _real(Y: Complex, tolerance: float) -> list[Array]:
    """Return the real finite points (k,) among projective ones."""
    U = _unit(Y)
    real = (np.max(np.abs(U.imag), axis=1) <= tolerance) & (np.abs(U[:, 0]) > tolerance)
    return [np.asarray(u[1:].real / u[0].real) for u in U[real]]


def random_points(k: int) -> list[Array]:
    """Return points (k,) near and far from which descents start."""
    rng = np.random.default_rng(SEED)
    return list(rng.normal(size=(STARTS, k)) * 10.0 ** rng.uniform(-1.5, 0.7, (STARTS, 1)) / np.sqrt(k))


def descended(A: Array, k: int, starts: list[Array]) -> list[Array]:
    """Return real finite points (k,) at which the equations A hold with |Y| = |M| = 1, by descent from starts (k,).

    Levenberg-Marquardt method on a batch; the multipliers begin with those that fit best.
    """
    if not starts:
        return []
    D, N = k + 1, A.shape[-1]
    Y = np.hstack([np.ones((len(starts), 1)), np.array(starts)])
    Y /= np.linalg.norm(Y, axis=1, keepdims=True)
    X = np.hstack([Y, np.linalg.svd(np.einsum("nij,bi->bnj", A[:, :D, D:], Y))[2][:, -1]]) if N > D else Y
    ones = [np.diag(np.arange(N) < D), *([np.diag(np.arange(N) >= D)] if N > D else [])]
    A, right = np.concatenate([A, np.array(ones, dtype=float)]), np.append(np.zeros(len(A)), np.ones(len(ones)))

    def at(X: Array) -> tuple[Array, Array]:
        AX = np.einsum("nij,bj->bni", A, X)
        return np.einsum("bni,bi->bn", AX, X) - right, 2.0 * AX

    damping = np.full(len(X), 1e-2)
    r, J = at(X)
    for _ in range(DESCENTS):
        normal = np.swapaxes(J, 1, 2) @ J + damping[:, None, None] * np.eye(N)
        new = X - np.linalg.solve(normal, np.swapaxes(J, 1, 2) @ r[..., None])[..., 0]
        new_r, new_J = at(new)
        better = np.linalg.norm(new_r, axis=1) < np.linalg.norm(r, axis=1)
        X[better], r[better], J[better] = new[better], new_r[better], new_J[better]
        damping = np.clip(np.where(better, damping / 5.0, damping * 4.0), 1e-14, 1e6)
    found = np.linalg.norm(r, axis=1) <= ROUND
    X, r, J = X[found], r[found], J[found]
    step = (np.linalg.pinv(J, ROUND) @ r[..., None])[..., 0]  # the normal equations leave more than rounding
    X = X - np.where(np.linalg.norm(step, axis=1, keepdims=True) <= SAME, step, 0.0)
    return _real(X[:, :D].astype(complex), REAL)
