"""Combinations of rows as linear algebra: which rows depend on others, and how; complements; who takes part."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gauss.foundation.arrays import Array, norms
from gauss.foundation.dependence import dependence
from gauss.foundation.zero import UNIT, ZERO, is_zero

CRUMB = 1e-9  # of the largest: coefficients of an expansion that may be made of rounding, if nothing is missed


@dataclass(frozen=True)
class Uncertain:
    """A matrix with the noise of its entries."""

    value: Array  # (k, n)
    noise: Array  # (k, n)


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


def circuits(rows: Array, tolerance: float, blur: float, weighed: Array) -> tuple[list[int], Array]:
    """Return which rows (m, k) are independent of those before them, and the combinations (m, ·) that vanish.

    Each vanishing combination joins one dependent row with the independent rows of its unique expansion (a circuit): a
    sparse basis of the left null space where the rows are sparse. Rows shorter than `tolerance` vanish by themselves.
    Coefficients up to `blur`, relative to the largest, are what the uncertainty of the rows has made. They come from
    the rows `weighed` (m, n), each column in units of its noise: one that is little more than noise says little.
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
            expansion = np.abs(_expansion(weighed[basis], weighed[k]))
            for crumb in (CRUMB, 0.0):  # one that is no crumb is missed: the combination does not vanish without it
                used = np.array(basis)[expansion > max(crumb, blur) * np.max(expansion)]
                combination[basis] = 0.0
                combination[used] = -_expansion(weighed[used], weighed[k])  # of fewer rows, they are known better
                if np.max(np.abs(combination @ weighed)) <= ZERO * np.sum(np.abs(combination)):
                    break
        null.append(combination / np.linalg.norm(combination))
    return basis, np.array(null).T.reshape(len(rows), len(null))


def _expansion(rows: Array, row: Array) -> Array:
    """Return the coefficients (r,) of a row (n,) by rows (r, n), refined once."""
    found = np.linalg.lstsq(rows.T, row, rcond=0.0)[0]
    return np.asarray(found + np.linalg.lstsq(rows.T, row - found @ rows, rcond=0.0)[0])


def involved(weights: Array, share: float = 1e-6) -> list[int]:
    """Return the indices of the entries that matter in a combination."""
    return [int(k) for k in np.flatnonzero(np.abs(weights) > share * np.max(np.abs(weights), initial=0.0))]


def independent(base: Uncertain | None, rows: Uncertain) -> list[int]:
    """Return which rows (k, n) are independent of those before them and of the `base`, by their noise.

    Those of the base are independent, even where its noise does not tell.
    """
    none = np.zeros((0, rows.value.shape[1]))
    kept = Uncertain(none, none) if base is None else base
    rank = len(kept.value)
    found: list[int] = []
    for k in np.flatnonzero(~np.all(is_zero(rows.value, rows.noise), axis=1)).tolist():
        more = Uncertain(np.vstack([kept.value, rows.value[k]]), np.vstack([kept.noise, rows.noise[k]]))
        if _rank(more) > rank:
            found.append(k)
            kept, rank = more, rank + 1
    return found


def expansions(rows: Array, basis: list[int]) -> Array:
    """Return the combinations (k, ·) of rows (k, n) that vanish: one for each row outside the basis, of unit length.

    Each joins that row with those of its expansion by the basis: sparse where the rows are, so small coefficients are
    left out where it vanishes without them.
    """
    size = norms(rows, 1)
    unit = rows / np.where(size > 0.0, size, 1.0)[:, None]
    others = [k for k in range(len(rows)) if k not in set(basis)]
    found = np.zeros((len(rows), len(others)))
    for j, k in enumerate(others):
        found[k, j] = 1.0
        if basis and size[k] > 0.0:
            whole = np.linalg.lstsq(unit[basis].T, unit[k], rcond=None)[0]
            parts = np.where(np.abs(whole) > CRUMB * np.max(np.abs(whole)), whole, 0.0)
            missed, least = (np.linalg.norm(unit[k] - x @ unit[basis]) for x in (parts, whole))
            no_more = missed <= ZERO * (least + UNIT * (1.0 + np.sum(np.abs(whole))))
            found[basis, j] = -(parts if no_more else whole) * size[k] / size[basis]
    return np.asarray(found / norms(found, 0)) if others else found


def _rank(rows: Uncertain) -> int:
    """Return how many combinations of the rows are clear of their noise: what rounding may have made binds nothing."""
    return dependence(rows.value, rows.noise).rank
