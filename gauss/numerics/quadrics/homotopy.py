"""All Fritz John points on p quadrics in k dimensions, by following the solutions of a system that is solved at sight.

With homogeneous coordinates Y = (Y₀, y) and multipliers (M₀, …, M_p) the Fritz John conditions

    M₀ (y_i − Y₀ y0_i) = Σ_j M_j (S_j y + g_j Y₀)_i   (i = 1 … k),      Yᵀ Q_j Y = 0   (j = 1 … p)

are k bilinear and p quadratic equations; M₀ = 0 where gradients are dependent, Y₀ = 0 at infinity. Generic equations of
this form have 2^p · C(k, p) solutions, as many as the products of linear forms with which the homotopy starts, and for
almost every complex γ in H = (1 − t) γ G + t F the paths lead to all isolated solutions. The list of real points is
complete with probability one if all paths arrive at regular, distinct solutions; that these are closed under complex
conjugation is checked besides, because a lost path would break it. A singular solution that is isolated is the end of
at least two paths, while paths that end on a continuum of solutions end at random places of it: so singular ends that
meet in groups are isolated, and those alone are not. With p ≥ k the points are those on k random combinations of the
quadrics, 2^k paths.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations, product
from math import comb

import numpy as np
from numpy.typing import NDArray

from gauss.foundation.arrays import Array, Flags

Complex = NDArray[np.complex128]

MOST_PATHS = 512
ATTEMPTS = 3  # with another γ, where paths have met
FEW = 2  # paths that fail alone may have passed close to a singular one: another γ helps
REGULAR = 1e-9  # smallest over largest singular value of the Jacobian matrix above which an end is regular
LAST_STEP = 1e-10  # a path that needs smaller steps before t = 1 ends at a singular solution
MOST_STEPS = 4000
CORRECTED = 1e-10  # relative size of Newton's last step on a path
REAL = 1e-8  # relative imaginary part up to which a regular end is real
MEETING = 1e-2  # distance up to which singular ends meet: they are known to the square root of LAST_STEP or worse
HUGE = 1e30  # stands for the step where there is none, so that a path tries a smaller one
SEED = 20250201


@dataclass(frozen=True)
class Ends:
    """Where the paths arrive."""

    paths: int
    real: tuple[Array, ...]  # (k,) the real finite points among the regular ends
    meeting: tuple[Array, ...]  # (k,) real finite points, roughly, at which several paths meet
    stray: int  # paths that end at singular solutions alone, or do not end
    consistent: bool  # whether the regular ends are distinct and closed under conjugation

    @property
    def complete(self) -> bool:
        """Whether `real` and `meeting` are all real finite points, with probability one."""
        return self.consistent and self.stray == 0


@dataclass(frozen=True)
class _System:
    """Bilinear equations Yᵀ C_i M and quadratic ones Yᵀ Q_j Y, at the start (0) and the end (1), and two patches."""

    C0: Complex  # (r, k + 1, m), r = k bilinear equations in M (m,), or r = 0 and m = 0
    C1: Complex
    Q0: Complex  # (p, k + 1, k + 1)
    Q1: Complex
    patch_y: Complex  # (k + 1,)
    patch_m: Complex  # (m,)

    def at(self, t: Array) -> tuple[Complex, Complex]:
        """Return the coefficients (B, …) at the times t (B,)."""
        s = t[:, None, None, None]
        return (1.0 - s) * self.C0 + s * self.C1, (1.0 - s) * self.Q0 + s * self.Q1


def path_count(k: int, p: int) -> int:
    """Return the number of paths for p quadrics in k dimensions."""
    return int(2**p * comb(k, p)) if p < k else int(2**k)


def follow(forms: list[Array], y0: Array) -> Ends:
    """Return the real Fritz John points of ½|y − y0|² on forms (k + 1, k + 1) in coordinates (1, y) of size about one.

    The forms are linearly independent; there are at most MOST_PATHS paths.
    """
    k, p = y0.size, len(forms)
    ends = Ends(path_count(k, p), (), (), path_count(k, p), False)
    for attempt in range(ATTEMPTS):
        rng = np.random.default_rng(SEED + attempt)
        system, X = _start(forms, y0, rng)
        X, arrived, regular = _track(system, X)
        good = X[arrived & regular, : k + 1]
        meeting, stray = _groups(X[~(arrived & regular), : k + 1])
        consistent = _distinct(good) and _closed(good)
        ends = Ends(len(X), tuple(_real(good, REAL)), tuple(meeting), stray, consistent)
        if ends.consistent and not 0 < stray <= FEW:
            break
    return ends


def _groups(Y: Complex) -> tuple[list[Array], int]:
    """Return the real finite points at which at least two of the singular ends meet, and how many ends are alone."""
    good = np.all(np.isfinite(Y), axis=1) & (np.linalg.norm(Y, axis=1) > 0.0)
    stray, Y = int(np.sum(~good)), Y[good]
    if not len(Y):
        return [], stray
    near = _gap(Y, Y) <= MEETING
    stray += int(np.sum(np.sum(near, axis=1) < 2))
    U = _unit(Y)
    dots = np.conj(U) @ U.T  # ends that meet differ by a phase
    turn = np.conj(dots) / np.maximum(np.abs(dots), 1e-300)
    centres = np.array([turn[k, row] @ U[row] for k, row in enumerate(near) if np.sum(row) > 1])
    centres = centres.reshape(-1, Y.shape[1])
    points: list[Array] = []
    for y in _real(centres, MEETING):
        if all(np.linalg.norm(y - other) > 3.0 * MEETING * (1.0 + float(y @ y)) for other in points):
            points.append(y)
    return points, stray


def _random(rng: np.random.Generator, *shape: int) -> Complex:
    """Return complex numbers of random phase and modulus near one."""
    return np.asarray(np.exp(2j * np.pi * rng.random(shape)) * (0.5 + rng.random(shape)))


def _start(forms: list[Array], y0: Array, rng: np.random.Generator) -> tuple[_System, Complex]:
    """Return the homotopy, and all solutions (paths, k + 1 + m) of its start system."""
    k, p = y0.size, len(forms)
    gamma = np.exp(2j * np.pi * rng.random())
    patch = _random(rng, k + 1)
    quadratic = np.array([Q / np.linalg.norm(Q) for Q in forms])
    if p >= k:
        quadratic = np.tensordot(np.linalg.qr(rng.normal(size=(p, p)))[0][:k], quadratic, 1)
        factors = _random(rng, k, 2, k + 1)
        X = np.array([_at(factors[np.arange(k), list(side)], patch) for side in product((0, 1), repeat=k)])
        none = np.zeros((0, k + 1, 0), dtype=complex)
        return _System(none, none, gamma * _product(factors), quadratic.astype(complex), patch, patch[:0]), X
    bilinear = np.zeros((k, k + 1, p + 1))
    for i in range(k):
        bilinear[i, i + 1, 0], bilinear[i, 0, 0] = 1.0, -y0[i]
        bilinear[i, :, 1:] = -quadratic[:, i + 1, :].T
        bilinear[i] /= np.linalg.norm(bilinear[i])
    alpha, beta, factors = _random(rng, k, k + 1), _random(rng, k, p + 1), _random(rng, p, 2, k + 1)
    patch_m = _random(rng, p + 1)
    points = []
    for chosen in combinations(range(k), p):
        others = [i for i in range(k) if i not in chosen]
        M = _at(beta[list(chosen)], patch_m)
        for side in product((0, 1), repeat=p):
            points.append(
                np.concatenate([_at(np.vstack([alpha[others], factors[np.arange(p), list(side)]]), patch), M])
            )
    C0 = gamma * alpha[:, :, None] * beta[:, None, :]
    C1, Q1 = bilinear.astype(complex), quadratic.astype(complex)
    return _System(C0, C1, gamma * _product(factors), Q1, patch, patch_m), np.array(points)


def _product(factors: Complex) -> Complex:
    """Return the symmetric matrices of the products of two linear forms, (n, 2, D) to (n, D, D)."""
    outer = factors[:, 0, :, None] * factors[:, 1, None, :]
    return np.asarray((outer + np.swapaxes(outer, 1, 2)) / 2.0)


def _at(rows: Complex, patch: Complex) -> Complex:
    """Return the point with patch · x = 1 at which the linear forms vanish."""
    right = np.zeros(patch.size, dtype=complex)
    right[-1] = 1.0
    return np.asarray(np.linalg.solve(np.vstack([rows, patch]), right))


def _values(system: _System, X: Complex, C: Complex, Q: Complex) -> tuple[Complex, Complex]:
    """Return values (B, n) and Jacobian matrices (B, n, n) of H, patches included."""
    D, m, r, p = system.patch_y.size, system.patch_m.size, C.shape[1], Q.shape[1]
    Y, M = X[:, :D], X[:, D:]
    by_y = np.einsum("bijk,bk->bij", C, M)
    QY = np.einsum("bjkl,bl->bjk", Q, Y)
    J = np.zeros((len(X), r + p + 1 + (m > 0), D + m), dtype=complex)
    J[:, :r, :D], J[:, :r, D:] = by_y, np.einsum("bijk,bj->bik", C, Y)
    J[:, r : r + p, :D] = 2.0 * QY
    J[:, r + p, :D] = system.patch_y
    if m:
        J[:, r + p + 1, D:] = system.patch_m
    linear = np.einsum("bij,bj->bi", by_y, Y)
    quadratic = np.einsum("bjk,bk->bj", QY, Y)
    ends = [(Y @ system.patch_y - 1.0)[:, None]] + ([(M @ system.patch_m - 1.0)[:, None]] if m else [])
    return np.concatenate([linear, quadratic, *ends], axis=1), J


def _tangent(system: _System, X: Complex, t: Array) -> Complex:
    """Return dX/dt (B, n) along the paths."""
    C, Q = system.at(t)
    _, J = _values(system, X, C, Q)
    zero = np.zeros(len(X))
    moved, _ = _values(system, X, (system.C1 - system.C0)[None] + 0.0 * C, (system.Q1 - system.Q0)[None] + 0.0 * Q)
    patches = 2 if system.patch_m.size else 1
    moved[:, moved.shape[1] - patches :] = zero[:, None]
    return -_solve(J, moved)


def _solve(J: Complex, right: Complex) -> Complex:
    """Return the solutions (B, n) of a batch of linear systems, huge where a matrix is exactly singular."""
    try:
        return np.asarray(np.linalg.solve(J, right[..., None])[..., 0])
    except np.linalg.LinAlgError:
        result = np.full(right.shape, HUGE, dtype=complex)
        for k in range(len(J)):
            with suppress(np.linalg.LinAlgError):
                result[k] = np.linalg.solve(J[k], right[k])
        return result


def _corrected(system: _System, X: Complex, t: Array, steps: int) -> tuple[Complex, Array]:
    """Return X after Newton steps at fixed t, and the relative size of the last step."""
    C, Q = system.at(t)
    size = np.full(len(X), np.inf)
    for _ in range(steps):
        H, J = _values(system, X, C, Q)
        step = _solve(J, H)
        X = X - step
        size = np.linalg.norm(step, axis=1) / np.maximum(np.linalg.norm(X, axis=1), 1.0 / HUGE)
    return X, np.where(np.isfinite(size), size, HUGE)


def _track(system: _System, X: Complex) -> tuple[Complex, Flags, Flags]:
    """Follow all paths from t = 0 to 1; return their ends, which arrived there, and which ends are regular."""
    t, h = np.zeros(len(X)), np.full(len(X), 0.02)
    streak = np.zeros(len(X), dtype=int)
    going = np.ones(len(X), dtype=bool)
    arrived = np.zeros(len(X), dtype=bool)
    for _ in range(MOST_STEPS):
        at = np.flatnonzero(going)
        if not at.size:
            break
        new_t = np.minimum(t[at] + h[at], 1.0)
        guess = _predicted(system, X[at], t[at], new_t)
        new, size = _corrected(system, guess, new_t, 3)
        moved = np.linalg.norm(new - guess, axis=1) / np.linalg.norm(new, axis=1)
        good = (size <= CORRECTED) & (moved <= 1e-3)
        ok, bad = at[good], at[~good]
        X[ok], t[ok] = new[good], new_t[good]
        streak[ok] += 1
        streak[bad] = 0
        h[bad] /= 2.0
        grow = ok[streak[ok] >= 3]
        h[grow], streak[grow] = 2.0 * h[grow], 0
        arrived[ok] = t[ok] >= 1.0
        going = ~arrived & (h > LAST_STEP)
    refined, size = _corrected(system, X[arrived], np.ones(int(np.sum(arrived))), 3)
    X[arrived] = np.where(size[:, None] <= CORRECTED, refined, X[arrived])  # at a singular end Newton's method strays
    C, Q = system.at(np.ones(len(X)))
    _, J = _values(system, X, C, Q)
    finite = np.all(np.isfinite(J), axis=(1, 2))
    sigma = np.linalg.svd(np.where(finite[:, None, None], J, 0.0), compute_uv=False)
    return X, arrived, arrived & finite & (sigma[:, -1] > REGULAR * sigma[:, 0])


def _predicted(system: _System, X: Complex, t: Array, new: Array) -> Complex:
    """Return the classical fourth-order Runge-Kutta step from t to new."""
    h = (new - t)[:, None]
    one = _tangent(system, X, t)
    two = _tangent(system, X + h / 2.0 * one, (t + new) / 2.0)
    three = _tangent(system, X + h / 2.0 * two, (t + new) / 2.0)
    four = _tangent(system, X + h * three, new)
    return np.asarray(X + h / 6.0 * (one + 2.0 * two + 2.0 * three + four))


def _unit(Y: Complex) -> Complex:
    """Return the points (B, D) at length one, with the largest component real and positive."""
    lead = np.take_along_axis(Y, np.argmax(np.abs(Y), axis=1)[:, None], axis=1)
    Y = Y * np.conj(lead) / np.abs(lead)
    return np.asarray(Y / np.linalg.norm(Y, axis=1, keepdims=True))


def _gap(Y: Complex, others: Complex) -> Array:
    """Return the distances (B, B') of points of projective space: the sine of the angle."""
    dot = np.abs(np.conj(_unit(Y)) @ _unit(others).T)
    return np.asarray(np.sqrt(np.maximum(1.0 - np.minimum(dot, 1.0) ** 2, 0.0)))


def _distinct(Y: Complex) -> bool:
    if len(Y) < 2:
        return True
    gap = _gap(Y, Y)
    np.fill_diagonal(gap, 1.0)
    return bool(np.min(gap) > 1e-6)


def _closed(Y: Complex) -> bool:
    return not len(Y) or bool(np.max(np.min(_gap(np.conj(Y), Y), axis=1)) < 1e-6)


def _real(Y: Complex, tolerance: float) -> list[Array]:
    """Return the real finite points (k,) among projective ones."""
    if not len(Y):
        return []
    U = _unit(Y)
    real = (np.max(np.abs(U.imag), axis=1) <= tolerance) & (np.abs(U[:, 0]) > tolerance)
    return [np.asarray(u[1:].real / u[0].real) for u in U[real]]
