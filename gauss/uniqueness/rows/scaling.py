"""How much rows change as each coordinate changes by its own size: the scale on which many small bodies are regular.

`frame` measures rows against their change over the length of the whole system, to which the turning of a small body is
nothing; with many bodies that makes independent rows look nearly dependent. What tells a position next to a singular
one from a position of a long chain is the same smallest singular value with rows scaled by their own changes.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from gauss.foundation.arrays import Array, Indices
from gauss.foundation.dense import solve_triangular
from gauss.model import System
from gauss.model.state import State
from gauss.principle import GaussProblem


def changes(system: System, state: State, rows: Indices, root: sp.csr_matrix) -> Array:
    """Return the changes (k,) of some rows, lengths in the metric, as each coordinate changes by its own size.

    That is ‖L⁻¹ (∂J_k/∂q) diag(max(|q|, 1))‖, Frobenius norm; `root` is L⁻¹ (n, n).
    """
    table = system.model.curvature
    values = table(state.q, state.v, state.t, system.theta())
    order = np.full(len(system.row_names), -1)
    order[rows] = np.arange(rows.size)
    kept = order[table.k] >= 0
    n, i, j = state.q.size, table.i[kept], table.j[kept]
    columns, which = np.unique(order[table.k[kept]] * n + j, return_inverse=True)
    weights = values[kept] * own_size(state)[j]
    changed = sp.coo_matrix(root @ sp.csc_matrix((weights, (i, which)), shape=(n, columns.size)))
    return np.sqrt(np.bincount(columns[changed.col] // n, weights=changed.data**2, minlength=rows.size))


def own_size(state: State) -> Array:
    """Return the size (n,) of each coordinate, at least 1, as its rounding has it."""
    return np.maximum(np.abs(state.q), 1.0)


def values_by_own_size(system: System, state: State, problem: GaussProblem) -> Array:
    """Return the singular values (k,) of the equality rows, none of which vanishes, on that scale, falling.

    For systems of moderate size and a metric that is definite; raises MassMatrixError as `GaussProblem.metric` does.
    """
    rows, metric = problem.rows.equality, problem.metric
    root = solve_triangular(metric.L, np.eye(problem.n), lower=True)
    whitened = metric.whitened(problem.rows.J[rows])
    scale = np.maximum(np.linalg.norm(whitened, axis=1), changes(system, state, rows, sp.csr_matrix(root)))
    return np.linalg.svd(whitened / scale[:, None], compute_uv=False)
