"""Linear systems of the contact problem by bodies: the matrix couples bodies that touch, not contacts that share one.

With whitened rows G = H M^(−1/2) Delassus's matrix is W = G Gᵀ, and (S W + B) x = b is

    (1 + Gᵀ B⁻¹ S G) v = Gᵀ B⁻¹ b,    x = B⁻¹ (b − S G v).

A body of a heap has four to five contacts, each contact some ten neighbours: with 2,000 contacts of 1,000 discs the
factors have half the entries of those of W, and a factorisation takes 4 ms instead of 9. Small B make B⁻¹ large and
x a small difference; what that loses comes back by iterative refinement on the equations for x.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from gauss.foundation.arrays import Array, Indices
from gauss.nonsmooth.solving.blocks import arranged, factorised, pattern

REFINED, SMALL = 3, 1e-13  # refinements of a solution; error, relative to the right side, that needs none
KEPT = 31 << 20  # bytes of a block that is given back once: glibc then keeps the memory of smaller ones in the process


class BodyBlocks:
    """Systems of k contacts with m = 1 + d rows each whose whitened rows couple blocks of `width` columns."""

    def __init__(self, G: Any, contacts: int, tangents: int, width: int):
        k, m = contacts, 1 + tangents
        G.sort_indices()
        self._k, self._m = k, m
        self._shift: Array | None = None
        self._row = np.column_stack([np.arange(k), k + np.arange(k * tangents).reshape(k, tangents)])  # (k, m)
        length = np.diff(G.indptr)[:k]
        most = int(np.max(length, initial=width)) // width  # bodies of one contact
        values, body, whose = np.zeros((k, m, most, width)), np.zeros((k, most), dtype=int), np.zeros((k, most), bool)
        for c in range(most):
            has = np.flatnonzero(length > c * width)
            whose[has, c] = True
            body[has, c] = G.indices[G.indptr[has] + c * width] // width
            first = G.indptr[self._row[has]] + c * width  # (h, m)
            values[has, :, c] = G.data[first[:, :, None] + np.arange(width)]
        place = self._pattern(values, body, whose, G.shape[1] // width, width)
        self.rows = sp.csr_matrix((G.data, place[G.indices], G.indptr), shape=G.shape)  # columns as in the factors
        self._back = self.rows.T.tocsr()
        np.empty(KEPT, dtype=np.int8)  # else factors get fresh pages each time, a third of what they cost

    def _pattern(self, values: Array, body: Indices, whose: Any, bodies: int, w: int) -> Indices:
        """Find where the entries of the matrix stand by compressed columns, and what each takes from B⁻¹ S.

        Return the places of the columns of G in it.
        """
        both = whose[:, :, None] & whose[:, None, :]  # (k, most, most)
        i, j = np.broadcast_to(body[:, :, None], both.shape)[both], np.broadcast_to(body[:, None], both.shape)[both]
        place, row, column, block = arranged(i, j, bodies)
        count = np.bincount(column, minlength=bodies)
        start = np.cumsum(count) - count
        first = start[column] * w * w + (np.arange(len(row)) - start[column]) * w
        into = first[:, None, None] + np.arange(w)[:, None] + np.arange(w) * (count[column] * w)[:, None, None]
        indices = np.empty(into.size, dtype=np.int32)
        indices[into] = row[:, None, None] * w + np.arange(w)[:, None]
        starts = np.concatenate([[0], np.cumsum(np.repeat(count * w, w))]).astype(np.int32)
        self._matrix = pattern(indices, starts)
        self._one = np.zeros(into.size)
        self._one[np.diagonal(into[block[len(i) :]], axis1=1, axis2=2)] = 1.0
        k, m, most, _ = values.shape
        target = np.zeros((k, 1, most, most, w, w), dtype=np.int32)  # zeros are added where there is no second body
        target[:, 0][both] = into[block[: len(i)]]
        share = np.einsum("kmaw,knbv->kmnabwv", values, values).reshape(k, m * m, most, most, w, w)
        indices = np.broadcast_to(target, share.shape).ravel()
        starts = np.arange(k * m * m + 1, dtype=np.int32) * (most * most * w * w)
        self._takes = sp.csc_matrix((share.ravel(), indices, starts), shape=(into.size, k * m * m))
        return np.asarray((place[:, None] * w + np.arange(w)).ravel())

    def shifted(self, diagonal: Array) -> BodyBlocks:
        """Return these blocks with a diagonal (k m,) added to W, normal parts first."""
        other = copy(self)
        other._shift = diagonal if self._shift is None else self._shift + diagonal
        return other

    def owner(self, row: int) -> tuple[int, int, Indices]:
        """Return the contact of a row, which of its parts that is, and all its rows (m,)."""
        d = self._m - 1
        contact, part = (row, 0) if row < self._k else ((row - self._k) // d, 1 + (row - self._k) % d)
        return contact, part, self._row[contact]

    def times(self, blocks: Array, x: Array) -> Array:
        """Return the products of blocks (k, m, m) with x (k m,) or (k m, c)."""
        k, row = self._k, self._row
        if self._m == 2:
            p, t = x[:k].T, x[k:].T
            parts = [blocks[:, i, 0] * p + blocks[:, i, 1] * t for i in range(2)]
            return np.concatenate(parts, axis=-1).T
        out = np.empty_like(x)
        out[row] = (blocks @ x[row].reshape(*row.shape, -1)).reshape(*row.shape, *x.shape[1:])
        return out

    def system(self, B: Array, S: Array | None = None, error: float = SMALL) -> BodySystem:
        """Return what solves (S W + B) x = b for blocks B, S (k, m, m); S is the identity if left out, b may be (n, c).

        What is left of b is at most `error` of its largest entry, where refinement gets there. Raises RuntimeError
        where the matrix is singular.
        """
        if self._shift is not None:
            diagonal = self._shift[self._row]
            B = B + (diagonal[:, :, None] * np.eye(self._m) if S is None else S * diagonal[:, None, :])
        over = _inverses(B)
        share = over if S is None else over @ S
        solve = factorised(self._matrix, self._one + self._takes @ share.ravel())
        return BodySystem(self, B, S, over, share, solve, error)

    def rates(self, x: Array) -> Array:
        """Return W x, without what is added to W, for x (k m,) or (k m, c)."""
        return _product(self.rows, _product(self._back, x))

    def moved(self, solve: Callable[[Array], Array], x: Array) -> Array:
        """Return the rates (k m,) or (k m, c) of the bodies that impulses x move, with the factors of a system."""
        return _product(self.rows, solve(_product(self._back, x)))

    def added(self, rates: Array, x: Array) -> Array:
        """Return rates W x of impulses x (k m,) or (k m, c) together with what is added to W."""
        return rates if self._shift is None else rates + (self._shift * x.T).T


@dataclass(frozen=True)
class BodySystem:
    """The factors of (S W + B) x = b."""

    blocks: BodyBlocks
    B: Array  # (k, m, m)
    S: Array | None
    over: Array  # B⁻¹
    share: Array  # B⁻¹ S
    solve: Callable[[Array], Array]  # for the bodies
    error: float

    def once(self, b: Array) -> tuple[Array, Array]:
        """Return x (k m,) or (k m, c), not refined, and W x, which is more precise."""
        x = self.blocks.times(self.over, b)
        rates = self.blocks.moved(self.solve, x)
        return x - self.blocks.times(self.share, rates), rates

    def pushed(self, rows: list[int]) -> Array:
        """Return the rates of the bodies (c, nv) that right sides bring about which are 1 in one of c rows each."""
        G, right = self.blocks.rows, np.zeros((len(rows), self.blocks.rows.shape[1]))
        for each, row in zip(right, rows, strict=True):
            contact, part, own = self.blocks.owner(row)
            for x, i in zip(self.over[contact, :, part], own, strict=True):
                entries = slice(G.indptr[i], G.indptr[i + 1])
                each[G.indices[entries]] += x * G.data[entries]
        return self.solve(right.T).T

    def unit(self, row: int, pushed: Array) -> tuple[Array, Array]:
        """Return x (k m,), not refined, and W x of one such right side from what it brings about."""
        contact, part, own = self.blocks.owner(row)
        rates = np.asarray(self.blocks.rows @ pushed)
        x = -self.blocks.times(self.share, rates)
        x[own] += self.over[contact, :, part]
        return x, self.blocks.added(rates, x)

    def __call__(self, b: Array) -> Array:
        """Return x (k m,) or (k m, c), refined."""
        (x, _), left_over, times = self.once(b), np.inf, self.blocks.times
        for _ in range(REFINED):
            rates = self.blocks.rates(x)
            left = b - times(self.B, x) - (rates if self.S is None else times(self.S, rates))
            before, left_over = left_over, float(np.max(np.abs(left), initial=0.0))
            if not self.error * float(np.max(np.abs(b), initial=0.0)) < left_over < 0.1 * before:
                break
            x = x + self.once(left)[0]
        return x


def _product(A: Any, x: Array) -> Array:
    """Return A x for a sparse A and x (n,) or (n, c), whose columns one by one are faster where they are few."""
    if x.ndim == 1:
        return np.asarray(A @ x)
    out = np.empty((A.shape[0], x.shape[1]), order="F")
    for column in range(x.shape[1]):
        out[:, column] = A @ x[:, column]
    return out


def _inverses(B: Array) -> Array:
    """Return the inverses of blocks (k, m, m). Raises RuntimeError for a singular one."""
    if B.shape[1] == 2:
        determinant = B[:, 0, 0] * B[:, 1, 1] - B[:, 0, 1] * B[:, 1, 0]
        if not np.all(determinant != 0.0):
            raise RuntimeError("a block is singular")
        out = np.empty_like(B)
        out[:, 0, 0], out[:, 1, 1], out[:, 0, 1], out[:, 1, 0] = B[:, 1, 1], B[:, 0, 0], -B[:, 0, 1], -B[:, 1, 0]
        return np.asarray(out / determinant[:, None, None])
    try:
        return np.asarray(np.linalg.inv(B))
    except np.linalg.LinAlgError as error:
        raise RuntimeError("a block is singular") from error
