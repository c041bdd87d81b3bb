"""Sufficient conditions: Legendre's along the curve, and the index of the second variation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh, null_space

from gauss.foundation.arrays import Array
from gauss.variational.boundary import Solved
from gauss.variational.problem import VariationalProblem

ELEMENTS = 160  # of the second variation; its eigenvalues err by the square of their length
UNDECIDED = 1e-4  # eigenvalues below this share of the largest are not told from 0 by so many elements


@dataclass(frozen=True)
class SecondVariation:
    """Eigenvalues of δ²J on the admissible variations, relative to ∫ |δq|²/T² + |δv|² dt, as counts and extremes.

    >>> from gauss.variational import VariationalProblem, extremal
    >>> action = VariationalProblem(
    ...     lambda q, v: 0.5 * v.x**2 - 0.5 * q.x**2, "x", start={"x": 0.0}, end={"x": 0.0}, span=(0.0, 4.0)
    ... )
    >>> extremal(action, lambda t: [0.0]).second.negative  # past the conjugate point at π the action has no minimum
    1
    """

    negative: int
    positive: int
    vanishing: int
    smallest: float
    largest: float


def legendre(problem: VariationalProblem, solved: Solved, s: Array) -> tuple[float, float]:
    """Return the least and the largest eigenvalue of 𝓛_vv along the curve.

    𝓛_vv is restricted to the velocities that the rows admit, ψ_v δv = 0, and, where the path alone counts, to those
    across it.
    """
    q, v, mu, _ = solved.layout.split(solved.dense(s))
    matrix, _ = problem.compiled.equations(q, v, problem.t0 + solved.T * s, solved.lam, mu)
    n, found = q.shape[1], []
    for i, K in enumerate(matrix):
        rows = v[i][None, :] if problem.compiled.parametric else K[n:, :n]
        basis = null_space(rows) if len(rows) else np.eye(n)
        if basis.shape[1]:
            found += list(np.linalg.eigvalsh(basis.T @ K[:n, :n] @ basis))
    return (float(min(found)), float(max(found))) if found else (0.0, 0.0)


def second_variation(problem: VariationalProblem, solved: Solved, bounds: tuple[float, float]) -> SecondVariation:
    """Return how many eigenvalues of the second variation are negative, positive and not told from 0.

    Variations are piecewise linear. They vanish where an end is given, keep the integrals and the rows to first order,
    and are across the curve where the path alone counts. A free length T of the interval is varied too. On them δ²J is
    the Hessian of ∫ 𝓛 dt. No negative and no vanishing eigenvalue means a weak minimum; by Jacobi's theorem the number
    of negative ones counts the conjugate points on the way, where there are no side conditions.

    `bounds` are those of 𝓛_vv (see `legendre`). Where it is definite the eigenvalues beyond its bounds are isolated;
    they are taken from two meshes, their error being that of the square of the elements' length.
    """
    values, coarse = _spectrum(problem, solved, ELEMENTS), _spectrum(problem, solved, ELEMENTS // 2)
    if bounds[0] > 0.0:
        values = _extrapolated(values, coarse, bounds[0])
    elif bounds[1] < 0.0:
        values = -_extrapolated(-values[::-1], -coarse[::-1], -bounds[1])[::-1]
    threshold = UNDECIDED * float(np.max(np.abs(values)))
    negative, positive = int(np.sum(values < -threshold)), int(np.sum(values > threshold))
    if bounds[0] > 0.0:  # what the meshes do not agree on is not decided
        negative = min(negative, int(np.sum(coarse < -threshold)))
    elif bounds[1] < 0.0:
        positive = min(positive, int(np.sum(coarse > threshold)))
    extremes = float(np.min(values)), float(np.max(values))
    return SecondVariation(negative, positive, len(values) - negative - positive, *extremes)


def _extrapolated(fine: Array, coarse: Array, below: float) -> Array:
    """Return the eigenvalues of the finer mesh, ascending, those below a bound extrapolated with the coarser mesh's.

    The others fill the range of 𝓛_vv more densely on the finer mesh; the k-th of one mesh is not the k-th of the other.
    """
    pairs = min(int(np.sum(fine < below)), int(np.sum(coarse < below)))
    found = fine.copy()
    found[:pairs] += (fine[:pairs] - coarse[:pairs]) / 3
    return found


def _mesh(solved: Solved, count: int) -> Array:
    """Return count + 1 points, half of them even, half as dense as the collocation needed them."""
    even = np.linspace(0.0, 1.0, len(solved.s))
    return np.asarray(np.interp(np.linspace(0.0, 1.0, count + 1), (solved.s + even) / 2, solved.s))


def _spectrum(problem: VariationalProblem, solved: Solved, count: int) -> Array:
    """Return the eigenvalues, ascending, of the second variation on `count` elements."""
    n, T = solved.layout.n, solved.T
    s = _mesh(solved, count)
    q, v, _, _ = solved.layout.split(solved.dense(s))
    _, _, mu, _ = solved.layout.split(solved.dense((s[1:] + s[:-1]) / 2))
    found = problem.compiled.elements(q, np.diff(s), problem.t0, T, solved.lam, mu)
    size = n * (count + 1)
    hessian, gram = np.zeros((size + 1, size + 1)), np.zeros((size + 1, size + 1))
    integrals = np.zeros((found.integrals.shape[1], size + 1))
    rows = np.zeros((count, found.rows.shape[1], size + 1))
    for i, h in enumerate(T * np.diff(s)):
        place = np.append(np.arange(i * n, (i + 2) * n), size)
        hessian[np.ix_(place, place)] += found.hessian[i]
        gram[np.ix_(place[:-1], place[:-1])] += _element_gram(n, h, T)
        integrals[:, place] += found.integrals[i]
        rows[i][:, place] += found.rows[i]
    gram[size, size] = 1.0 / T
    across = np.zeros((count + 1, size + 1))
    if problem.compiled.parametric:
        for i in range(1, count):
            across[i, i * n : (i + 1) * n] = v[i]
    start, end = problem.ends
    free = np.concatenate([np.isnan(start), np.ones(n * (count - 1), dtype=bool), np.isnan(end), [solved.layout.free]])
    basis = _admissible(np.vstack([integrals, rows.reshape(-1, size + 1), across])[:, free])
    reduced = [basis.T @ A[np.ix_(free, free)] @ basis for A in (hessian, gram)]
    return np.asarray(eigh(*reduced, eigvals_only=True), dtype=float)


def _admissible(rows: Array) -> Array:
    """Return an orthonormal basis of the variations that rows (r, w) keep, each scaled to unit length."""
    length = np.linalg.norm(rows, axis=1)
    kept = length > 1e-12 * max(float(np.max(length, initial=0.0)), 1e-300)
    return (
        np.asarray(null_space(rows[kept] / length[kept, None]), dtype=float) if np.any(kept) else np.eye(rows.shape[1])
    )


def _element_gram(n: int, h: float, T: float) -> Array:
    """Return the matrix (2n, 2n) of ∫ |δq|²/T² + |δv|² over an element of length h, δq linear."""
    mass = h / T / T * np.array([[1 / 3, 1 / 6], [1 / 6, 1 / 3]])
    stiffness = np.array([[1.0, -1.0], [-1.0, 1.0]]) / h
    return np.asarray(np.kron(mass + stiffness, np.eye(n)), dtype=float)
