"""The Euler-Lagrange equations as a boundary-value problem of first order, solved by collocation.

Unknown on the unit interval s = (t − t₀)/T are y = (q, v, μ, z) with ż = G, and the constants λ and, where t₁ is free,
T. There are as many conditions: q or 𝓛_v at each end, ψ = 0 at the start, z = 0 at the start and c at the end, and
v·𝓛_v − 𝓛 = 0 at a free end t₁.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from gauss.foundation.arrays import Array
from gauss.variational.guess import Guess
from gauss.variational.problem import VariationalProblem

MAX_NODES = 6000
COARSE, COARSE_NODES = 1e-4, 1200  # tolerance and nodes of the first of two solutions, which tells quickly what fails
NONE = np.zeros(0)
SINGULAR = 1e-13  # reciprocal condition below which the matrix of the highest derivatives counts as singular


@dataclass(frozen=True)
class Layout:
    """Where q, v, μ, z lie in y, and λ, T among the constants."""

    n: int
    m: int
    k: int
    T: float  # the length of the interval where it is given
    free: bool  # whether it is the last constant instead

    def split(self, y: Array) -> tuple[Array, Array, Array, Array]:
        """Return q, v (N, n), μ (N, m), z (N, k) of y (2n + m + k, N)."""
        n, m = self.n, self.m
        return y[:n].T, y[n : 2 * n].T, y[2 * n : 2 * n + m].T, y[2 * n + m :].T

    def constants(self, p: Array) -> tuple[Array, float]:
        """Return λ (k,) and T."""
        return p[: self.k], float(p[self.k]) if self.free else self.T


@dataclass(frozen=True)
class Solved:
    """A solution of the boundary-value problem that the collocation accepted."""

    layout: Layout
    s: Array  # (N,) mesh
    dense: Any  # y(s), of class C¹
    lam: Array  # (k,)
    T: float
    rms: float  # largest relative residual of an interval


def layout_of(problem: VariationalProblem) -> Layout:
    """Return where the unknowns of a problem lie."""
    c = problem.compiled
    return Layout(c.n, c.m, c.k, problem.length, problem.free_end)


def highest(problem: VariationalProblem, q: Array, v: Array, t: Array, lam: Array, mu: Array) -> tuple[Array, Array]:
    """Return the matrices and right-hand sides of (a, μ̇), with constant |v| where the path alone counts.

    There 𝓛_vv v = 0 and the right-hand side is orthogonal to v; a rank-one term makes the matrix regular, a·v = 0.
    """
    matrix, right = problem.compiled.equations(q, v, t, lam, mu)
    if problem.compiled.parametric:
        size = np.max(np.abs(matrix), axis=(1, 2)) / np.maximum(np.sum(v**2, axis=1), 1e-300)
        matrix = matrix + size[:, None, None] * v[:, :, None] * v[:, None, :]
    return matrix, right


def condition(matrices: Array) -> float:
    """Return the smallest reciprocal condition of matrices (N, r, r), rows and columns scaled; 0 if not finite."""
    if not np.all(np.isfinite(matrices)):
        return 0.0
    for _ in range(3):
        size = np.sqrt(np.max(np.abs(matrices), axis=2))
        size = np.where(size > 0.0, size, 1.0)
        matrices = matrices / size[:, :, None] / size[:, None, :]
    sigma = np.linalg.svd(matrices, compute_uv=False)
    return float(np.min(sigma[:, -1] / np.where(sigma[:, 0] > 0.0, sigma[:, 0], 1.0)))


def solve_from(problem: VariationalProblem, guess: Guess, tol: float) -> Solved | None:
    """Return what the collocation converges to from a first guess, or None: roughly first, then to the tolerance."""
    layout = layout_of(problem)
    y = _stacked(problem, guess)
    p = np.append(guess.lam, guess.T) if layout.free else guess.lam
    rough = _collocated(problem, guess.s, y, p, max(tol, COARSE), COARSE_NODES)
    found = rough if rough is None or tol >= COARSE else _collocated(problem, rough.x, rough.y, rough.p, tol, MAX_NODES)
    if found is None:
        return None
    lam, T = layout.constants(np.zeros(0) if found.p is None else found.p)
    return Solved(layout, found.x, found.sol, lam, T, float(np.max(found.rms_residuals)))


def _stacked(problem: VariationalProblem, guess: Guess) -> Array:
    """Return y (2n + m + k, N) along a first guess."""
    mu = np.tile(guess.mu, (len(guess.s), 1))
    t = problem.t0 + guess.T * guess.s
    G = problem.compiled.densities(guess.q, guess.v, t, guess.lam, mu).G
    z = np.vstack([np.zeros(G.shape[1]), np.cumsum((G[1:] + G[:-1]) / 2 * np.diff(t)[:, None], axis=0)])
    return np.vstack([guess.q.T, guess.v.T, mu.T, z.T])


def _collocated(problem: VariationalProblem, s: Array, y: Array, p: Array | None, tol: float, nodes: int) -> Any:
    """Return SciPy's solution of the boundary-value problem from y (2n + m + k, N) on a mesh s (N,), or None."""
    constants = p if p is not None and len(p) else None
    if not np.all(np.isfinite(y)):
        return None
    try:
        with np.errstate(all="ignore"):
            found = scipy.integrate.solve_bvp(
                _rates(problem), _conditions(problem), s, y, constants, tol=tol, bc_tol=tol, max_nodes=nodes
            )
    except (np.linalg.LinAlgError, ValueError, RuntimeError):  # a singular matrix or no number on the way
        return None
    return found if found.status == 0 and np.all(np.isfinite(found.y)) else None


def _rates(problem: VariationalProblem) -> Any:
    """Return dy/ds as a function of s (N,), y and the constants."""
    layout, compiled = layout_of(problem), problem.compiled

    def rates(s: Array, y: Array, p: Array = NONE) -> Array:
        lam, T = layout.constants(p)
        q, v, mu, _ = layout.split(y)
        t = problem.t0 + T * s
        matrix, right = highest(problem, q, v, t, lam, mu)
        x = np.linalg.solve(matrix, right[:, :, None])[:, :, 0]
        G = compiled.densities(q, v, t, lam, mu).G if compiled.k else np.zeros((len(t), 0))
        return np.asarray(T * np.vstack([v.T, x.T, G.T]))

    return rates


def _conditions(problem: VariationalProblem) -> Any:
    """Return what vanishes at the ends, as a function of y there and the constants."""
    layout, compiled, t0 = layout_of(problem), problem.compiled, problem.t0
    wanted = np.array([x.value for x in problem.integrals])

    def conditions(first: Array, last: Array, p: Array = NONE) -> Array:
        lam, T = layout.constants(p)
        q, v, mu, z = layout.split(np.array([first, last]).T)
        found = compiled.densities(q, v, np.array([t0, t0 + T]), lam, mu)
        both = [np.where(np.isnan(x), found.momentum[i], q[i] - x) for i, x in enumerate(problem.ends)]
        transversal = [v[1] @ found.momentum[1] - found.L[1]] if layout.free else []
        return np.concatenate([*both, found.psi[0], z[0], z[1] - wanted, transversal])

    return conditions
