"""Large sparse problems of equality rows: the minimiser of the Zwang and its certificate without full factorisations.

A mechanism of many bodies has a mass matrix of small blocks, one for each body, and rows that join few of them. With
M = LLᵀ block by block, W = E J L⁻ᵀ (rows of unit length) and W Wᵀ stay sparse, and so do the factors of the saddle
matrix [[M, −Jᵀ], [J, 0]]: for chains and trees everything here costs a time in proportion to the number of bodies.
The quantities are those of `certificate` and `reduction`, which compute them with full matrices.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph
from scipy.sparse import linalg as spla

from gauss.foundation.arrays import Array, Indices
from gauss.foundation.tolerances import EPS, SINE
from gauss.principle.certificate import ROUNDING, Residuals
from gauss.principle.metric import cholesky_blocks
from gauss.principle.problem import GaussProblem
from gauss.principle.solution import GaussSolution
from gauss.principle.solvers.osqp import SparseWorkspace

ENTRIES = 500  # of the rows; smaller problems are solved with full matrices
SPARSE = 0.1  # largest share of entries of the rows that are not zero
BLOCK = 64  # largest block of the mass matrix
SHOWN = 6  # singular values that are computed at either end
WHOLE = 20_000  # entries of rows all of whose singular values are computed
REFINEMENTS = 4
BELOW = 0.9  # share of the smallest squared singular value below which none is proved to lie
CORNER = 1e-5  # ε: the smallest eigenvalues, about σ²/ε, and the largest are then both far from rounding


@dataclass(frozen=True)
class SparseProblem:
    """A Gauss problem whose k equality rows are all its bounded rows, in sparse matrices."""

    problem: GaussProblem
    rows: Indices  # (k,) indices of the equality rows
    M: sp.csc_matrix  # (n, n)
    root: sp.csr_matrix  # (n, n) L⁻¹
    J: sp.csr_matrix  # (k, n)
    gamma: Array  # (k,)

    @staticmethod
    def of(problem: GaussProblem) -> SparseProblem | None:
        """Return the sparse form of a problem; None for a small or full one, and for one with closed contacts.

        None too where the mass matrix is not definite or has large blocks.
        """
        rows, picked = problem.rows, problem.rows.equality
        if picked.size * problem.n <= ENTRIES:
            return None
        if np.any(np.isfinite(rows.lower[rows.inequality]) | np.isfinite(rows.upper[rows.inequality])):
            return None
        J = sp.csr_matrix(rows.J[picked])
        if J.nnz > SPARSE * picked.size * problem.n:
            return None
        M = sp.csc_matrix(problem.M)
        root = inverse_root(M)
        return None if root is None else SparseProblem(problem, picked, M, root, J, rows.lower[picked])

    @cached_property
    def whitened(self) -> sp.csr_matrix:
        """The rows J L⁻ᵀ (k, n), which act on z = Lᵀa."""
        return sp.csr_matrix(self.J @ self.root.T)

    @cached_property
    def length(self) -> Array:
        """The lengths (k,) of the rows in the metric; 1 for a row that vanishes."""
        length = np.sqrt(np.asarray(self.whitened.multiply(self.whitened).sum(axis=1)).ravel())
        return np.where(length > 0.0, length, 1.0)

    @cached_property
    def shrink(self) -> Array:
        """The scales (n,) of the coordinates with which the diagonal of M is 1."""
        return np.asarray(1.0 / np.sqrt(self.M.diagonal()))

    @cached_property
    def reference(self) -> Array:
        """The free acceleration M⁻¹f (n,)."""
        return np.asarray(self.root.T @ (self.root @ self.problem.f))

    @cached_property
    def _saddle(self) -> tuple[sp.csc_matrix, spla.SuperLU | None]:
        """The matrix [[M, −Jᵀ], [J, 0]] with rows and coordinates scaled, and its factors; None if singular."""
        D, E = sp.diags(self.shrink), sp.diags(1.0 / self.length)
        J = E @ self.J @ D
        saddle = sp.bmat([[D @ self.M @ D, -J.T], [J, None]], format="csc")
        try:
            return saddle, spla.splu(saddle)
        except RuntimeError:
            return saddle, None

    def solved(self, force: Array, right: Array) -> tuple[Array, Array]:
        """Return a (n,) and μ (k,) with M a − Jᵀμ = force (n,) and J a = right (k,), refined; nan if singular."""
        n, (saddle, factors) = self.problem.n, self._saddle
        x = np.zeros(n + self.rows.size)
        if factors is None:
            return x[:n] + np.nan, x[n:] + np.nan
        scaled = np.concatenate([self.shrink * force, right / self.length])
        for _ in range(REFINEMENTS):
            change = factors.solve(scaled - saddle @ x)
            x = x + change
            if not np.linalg.norm(change) > EPS * np.linalg.norm(x):
                break
        return x[:n] * self.shrink, x[n:] / self.length

    def norm(self, a: Array) -> float:
        """Return the length √(aᵀM a) of an acceleration, √kg m/s²."""
        return float(np.sqrt(max(a @ (self.M @ a), 0.0)))

    def covector(self, force: Array) -> Array:
        """Return L⁻¹ force, whose length is the norm of a force."""
        return np.asarray(self.root @ force)


def definite_by_blocks(M: Array) -> bool:
    """Return whether a large mass matrix (n, n) has small blocks that are all definite; False where that is open."""
    return M.size > ENTRIES and inverse_root(sp.csc_matrix(M)) is not None


def inverse_root(M: sp.csc_matrix) -> sp.csr_matrix | None:
    """Return L⁻¹ of a definite M = LLᵀ with small blocks, else None."""
    count, label = csgraph.connected_components(M, directed=False)
    order = np.argsort(label, kind="stable")
    sizes = np.bincount(label, minlength=count)
    if sizes.max() > BLOCK:
        return None
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    table = M.tocsr()
    entries: list[tuple[Array, Indices, Indices]] = []
    for size in np.unique(sizes):
        members = order[starts[sizes == size][:, None] + np.arange(size)]  # (b, size), ascending in each block
        i, j = np.repeat(members, size, axis=1).ravel(), np.tile(members, (1, size)).ravel()
        blocks = np.asarray(table[i, j]).reshape(len(members), size, size)
        L = cholesky_blocks(blocks)
        if L is None:
            return None
        entries.append((np.asarray(np.linalg.inv(L), dtype=float).ravel(), i, j))
    values, i, j = (np.concatenate(parts) for parts in zip(*entries, strict=True))
    root = sp.csr_matrix((values, (i, j)), shape=M.shape)
    root.eliminate_zeros()
    return root


@dataclass(frozen=True)
class ExtremeSingularValues:
    """The singular values of k sparse rows at either end, without those between if there are many."""

    sigma: Array  # (2·SHOWN,) the largest and the smallest few, or all (k,), decreasing
    weakest: Array  # (k,) unit combination of the rows that is nearest to vanishing

    @property
    def largest(self) -> float:
        """The largest."""
        return float(self.sigma[0])

    @property
    def smallest(self) -> float:
        """The smallest."""
        return float(self.sigma[-1])


def spectrum_of(W: sp.csr_matrix) -> ExtremeSingularValues | None:
    """Return the largest and the smallest few singular values of sparse rows (k, n); None where they are not reliable.

    The smallest are found by inverse iteration on the factors of [[ε, Wᵀ], [W, 0]], which keeps the digits that W Wᵀ
    loses. Iterations with dependent rows may be all rounding: the smallest value counts only if W Wᵀ less `BELOW` of
    its square is still definite, which rounding hides below `SINE`. Of few rows all values are computed.
    """
    if W.shape[0] * W.shape[1] <= WHOLE:
        return _whole_spectrum(W.toarray())
    S = sp.csc_matrix(W @ W.T)
    start = np.random.default_rng(0).normal(size=S.shape[0])
    try:
        inverses, vectors = spla.eigsh(_inverse(W), SHOWN, which="LM", v0=start)
        high = spla.eigsh(S, SHOWN, which="LA", v0=start, tol=1e-6, return_eigenvectors=False)
    except (RuntimeError, spla.ArpackError):  # singular to rounding, or no convergence
        return None
    low = 1.0 / inverses
    if not np.all(np.isfinite(low)) or np.min(low) < SINE**2 or not _definite(S, BELOW * np.min(low)):
        return None
    squares = np.concatenate([np.sort(high)[::-1], np.sort(low)[::-1]])
    return ExtremeSingularValues(np.sqrt(squares), vectors[:, int(np.argmin(low))])


def _whole_spectrum(W: Array) -> ExtremeSingularValues | None:
    """Return all singular values of few rows; None for dependent ones."""
    U, sigma, _ = np.linalg.svd(W, full_matrices=False)
    return ExtremeSingularValues(sigma, U[:, -1]) if W.shape[0] <= W.shape[1] and sigma[-1] >= SINE else None


def _inverse(W: sp.csr_matrix) -> spla.LinearOperator:
    """Return (W Wᵀ)⁻¹ as an operator. Raises RuntimeError where the rows (k, n) are exactly dependent."""
    k, n = W.shape
    factors = spla.splu(sp.bmat([[CORNER * sp.eye(n), W.T], [W, None]], format="csc"))
    empty = np.zeros(n)

    def solved(b: Array) -> Array:
        return np.asarray(factors.solve(np.concatenate([empty, np.ravel(b)]))[n:] / -CORNER)

    return spla.LinearOperator((k, k), matvec=solved, dtype=float)


def _definite(S: sp.csc_matrix, shift: float) -> bool:
    """Return whether S − shift·1 is definite, by the signs of its pivots (Sylvester's law of inertia)."""
    shifted = sp.csc_matrix(S - shift * sp.eye(S.shape[0]))
    try:
        factors = spla.splu(shifted, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    except RuntimeError:  # a pivot of zero
        return False
    return np.array_equal(factors.perm_r, factors.perm_c) and bool(np.all(factors.U.diagonal() > 0.0))


def solve_sparsely(s: SparseProblem, solver: str) -> GaussSolution | None:
    """Return the certified minimiser; None where it is not certified, as with dependent rows, or OSQP has no answer.

    `solver` is ``osqp``, which is given the sparse problem and compared with the direct solution, or ``kkt``.
    """
    unit = sp.diags(1.0 / s.length) @ s.whitened
    spectrum, (a, mu) = spectrum_of(sp.csr_matrix(unit)), s.solved(s.problem.f, s.gamma)
    if spectrum is None or not np.all(np.isfinite(a)):
        return None
    multipliers = np.zeros(s.problem.m)
    multipliers[s.rows] = mu
    residuals = _residuals(s, a, mu, spectrum.largest / spectrum.smallest)
    if not residuals.at_rounding:
        return None
    off = np.abs(s.J @ a - s.gamma) / s.length + EPS * residuals.row_scale
    floor = EPS * s.problem.n * residuals.stationarity_scale
    distance, iterations = _asked(s, a) if solver == "osqp" else (0.0, 0)
    if not np.isfinite(distance):
        return None
    return GaussSolution(
        problem=s.problem,
        a=a,
        multipliers=multipliers,
        zwang=0.5 * s.norm(a - s.reference) ** 2,
        residuals=residuals,
        error_bound=residuals.stationarity + floor + float(np.linalg.norm(off)) / spectrum.smallest,
        multipliers_unique=True,
        solver=solver,
        solver_distance=distance,
        iterations=iterations,
    )


def _residuals(s: SparseProblem, a: Array, mu: Array, condition: float) -> Residuals:
    """Recompute the residuals of (a, μ) from M, f, J and γ, as `residuals_of` does."""
    force, applied = s.M @ a, float(np.linalg.norm(s.covector(s.problem.f)))
    row_scale = s.norm(a) + float(np.max(np.abs(s.gamma) / s.length))
    carried = float(np.sum(np.abs(mu) * s.length))
    return Residuals(
        stationarity=float(np.linalg.norm(s.covector(force - s.problem.f - s.J.T @ mu))),
        primal=float(np.max(np.abs(s.J @ a - s.gamma) / s.length)),
        violation=0.0,
        dual=0.0,
        stationarity_scale=float(np.linalg.norm(s.covector(force))) + applied + carried,
        primal_scale=row_scale + applied,
        row_scale=row_scale,
        rounding=ROUNDING * EPS * (s.problem.n + s.problem.m),
        spread=partial(float, condition),
    )


def _asked(s: SparseProblem, a: Array) -> tuple[float, int]:
    """Return how far OSQP's acceleration on the sparse problem is from a (nan if it has none), and its iterations."""
    D = sp.diags(s.shrink)
    rows = s.J @ D
    length = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    P, A = sp.triu(D @ s.M @ D, format="csc"), sp.csc_matrix(sp.diags(1.0 / length) @ rows)
    low = s.gamma / length
    answer = SparseWorkspace(P, -s.shrink * s.problem.f, A, low, low).solve()
    return s.norm(answer.x * s.shrink - a), answer.iterations
