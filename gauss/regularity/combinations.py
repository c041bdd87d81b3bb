"""Combinations of rows as linear algebra: which rows depend on others, and how; complements; who takes part."""

from __future__ import annotations

import numpy as np

from gauss.arrays import Array


def decomposition(W: Array) -> tuple[Array, Array, Array]:
    """Return U (m, m), the singular values (k,) and V (k, n), k = min(m, n), of rows W (m, n)."""
    if W.shape[0] == 0:
        return np.zeros((0, 0)), np.zeros(0), np.zeros((0, W.shape[1]))
    U, sigma, V = np.linalg.svd(W, full_matrices=True)
    return U, sigma, V[: sigma.size]


def complement(rows: Array, n: int) -> Array:
    """Return an orthonormal basis (n, k) of the complement of orthonormal rows (r, n)."""
    if rows.shape[0] == 0:
        return np.eye(n)
    Q, _ = np.linalg.qr(rows.T, mode="complete")
    return np.asarray(Q[:, rows.shape[0] :])


def circuits(rows: Array, tolerance: float) -> tuple[list[int], Array]:
    """Return which rows (m, k) are independent of those before them, and the combinations (m, ·) that vanish.

    Each vanishing combination joins one dependent row with the independent rows of its unique expansion (a circuit): a
    sparse basis of the left null space where the rows are sparse. Rows shorter than `tolerance` vanish by themselves.
    """
    basis: list[int] = []
    null: list[Array] = []
    Q = np.zeros((0, rows.shape[1]))
    for k, row in enumerate(rows):
        rest = row - Q.T @ (Q @ row)
        rest = rest - Q.T @ (Q @ rest)
        size = np.linalg.norm(rest)
        if size > tolerance:
            basis.append(k)
            Q = np.vstack([Q, rest / size])
            continue
        combination = np.zeros(len(rows))
        combination[k] = 1.0
        if basis and np.linalg.norm(row) > tolerance:
            expansion = np.linalg.lstsq(rows[basis].T, row, rcond=None)[0]
            expansion[np.abs(expansion) <= 1e-9 * np.max(np.abs(expansion))] = 0.0
            combination[basis] = -expansion
        null.append(combination / np.linalg.norm(combination))
    return basis, np.array(null).T.reshape(len(rows), len(null))


def involved(weights: Array, share: float = 1e-6) -> list[int]:
    """Return the indices of the entries that matter in a combination."""
    return [int(k) for k in np.flatnonzero(np.abs(weights) > share * np.max(np.abs(weights), initial=0.0))]
