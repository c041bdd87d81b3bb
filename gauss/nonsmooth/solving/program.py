"""The program of one step: contacts that obey restitution and Coulomb's law with the velocities after the step.

With x = (p, t) the impulses of k contacts (normal parts first, then d tangential ones for each), Delassus's matrix
W = H M⁻¹ Hᵀ of their rows H and the rates c they would have without impulses,

    (u_n, u_t) = W x + c,    0 ≤ p ⟂ u_n ≥ 0,    |t| ≤ μ p,  t = −μ p u_t/|u_t| where u_t ≠ 0.

u_n is the rate of the gap less what restitution asks for. The certificate is the natural map of this problem: with
r_i = 1/W_ii, p = max(0, p − r u_n), and t = the point of the disc of radius μ p nearest to t − r u_t.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from gauss.foundation.arrays import Array, Indices
from gauss.foundation.tolerances import ACCEPTED
from gauss.foundation.zero import UNIT, ZERO
from gauss.nonsmooth.solving.band import BandBlocks
from gauss.nonsmooth.solving.blocks import FULL, Blocks
from gauss.nonsmooth.solving.bodies import BodyBlocks

DOUBTFUL = 1e-8  # residual beyond which the rounding of the rates is no excuse: they would not be known
MANY = 500  # rows from which factors of the matrix by bodies pay for the refinement of their solutions
NARROW = 60  # diagonals on each side of a band up to which its factors are faster than sparse ones
TINY, EPS = float(np.finfo(float).tiny), float(np.finfo(float).eps)


@dataclass(frozen=True)
class Program:
    """The numbers of a contact problem."""

    W: Any  # sparse (k (1 + d), k (1 + d)), CSR
    c: Array  # (k (1 + d),) m/s
    friction: Array  # (k,) μ
    tangents: int  # d: 0, 1 or 2
    scale: float  # m/s, that rates are compared with
    whitened: Any = None  # sparse (k (1 + d), nv), CSR: G with W = G Gᵀ, of bodies with `width` columns each
    width: int = 0

    @cached_property
    def count(self) -> int:
        """Number of contacts k."""
        return len(self.friction)

    @cached_property
    def blocks(self) -> Blocks | BandBlocks | BodyBlocks:
        """W in blocks of one contact each, or of one body each where there are many, for linear systems."""
        if self.whitened is not None and len(self.c) > MANY:
            return BodyBlocks(self.whitened, self.count, self.tangents, self.width)
        if self.tangents < 2 and len(self.c) > FULL:
            band = BandBlocks(self.W, self.count, self.tangents)
            if band.width <= NARROW:
                return band
        return Blocks(self.W, self.count, self.tangents)

    @cached_property
    def own(self) -> Array:
        """W_ii (k (1 + d),)."""
        return np.asarray(self.W.diagonal())

    @cached_property
    def diagonal(self) -> tuple[Array, Array]:
        """W_ii of the normal parts (k,), and the larger of the tangential ones (k,)."""
        k, own = self.count, self.own
        normal, tangent = own[:k], own[k:].reshape(k, self.tangents)
        floor = max(float(np.max(own, initial=0.0)) * 1e-12, TINY)
        return np.maximum(normal, floor), np.maximum(np.max(tangent, axis=1, initial=0.0), floor)

    @cached_property
    def _own(self) -> Indices:
        """Where the data of W on the diagonal stand, of rows that have any, in an order that abs(W) keeps."""
        self.W.sum_duplicates()
        return np.flatnonzero(self.W.indices == np.repeat(np.arange(len(self.c)), np.diff(self.W.indptr)))

    def split(self, x: Array) -> tuple[Array, Array]:
        """Return the normal (k,) and tangential (k, d) parts of impulses or rates."""
        return x[: self.count], x[self.count :].reshape(self.count, self.tangents)

    def rates(self, x: Array) -> Array:
        """Return W x + c."""
        return np.asarray(self.W @ x + self.c)

    def inside(self, x: Array) -> Array:
        """Return impulses brought into their cones: p ≥ 0 and |t| ≤ μ p."""
        p, t = self.split(x)
        p = np.maximum(p, 0.0)
        return np.concatenate([p, _into(t, self.friction * p).ravel()]) if self.tangents else p

    def natural(self, x: Array) -> Array:
        """Return the residual of the natural map for each contact (k,), as rates (m/s)."""
        normal, tangent = self.diagonal
        p, t = self.split(x)
        un, ut = self.split(self.rates(x))
        first = np.abs(np.minimum(normal * p, un))  # |p − max(0, p − r u_n)|/r, without cancellation for large p
        if not self.tangents:
            return np.asarray(first)
        radius = self.friction * np.maximum(p, 0.0)
        if self.tangents == 1:
            pulls = tangent * t[:, 0], tangent * radius
            slid = np.abs(np.maximum(np.minimum(ut[:, 0], pulls[0] + pulls[1]), pulls[0] - pulls[1]))
            return np.asarray(np.maximum(first, slid))
        slid = np.linalg.norm(t - _into(t - ut / tangent[:, None], radius), axis=1)
        lost = 4.0 * EPS * tangent * np.linalg.norm(t, axis=1)  # what rounding of large t may hide
        return np.asarray(np.maximum(first, slid * tangent + lost))

    def part(self, chosen: Indices) -> tuple[Indices, Program]:
        """Return the places in x of some contacts, and their problem; itself if these are all."""
        k, d = self.count, self.tangents
        place = np.concatenate([chosen, (k + chosen[:, None] * d + np.arange(d)).ravel()])
        if len(chosen) == k:
            return place, self
        W = _among(self.W, place)
        whitened = self.whitened[place] if self.whitened is not None and len(place) > MANY else None
        part = Program(W, self.c[place], self.friction[chosen], d, self.scale, whitened, self.width)
        part.__dict__["own"] = self.own[place]  # fills the cache
        return place, part

    def near(self, x: Array, weight: Array) -> Program:
        """Return the problem for W + diag(weight) and c − weight x, whose solution is kept near x (k (1 + d),)."""
        W, own = self.W, self._own
        if len(own) == len(weight):
            W = sp.csr_matrix((W.data.copy(), W.indices, W.indptr), shape=W.shape)
            W.data[own] += weight
        else:
            W = (W + sp.diags(weight)).tocsr()
        other = Program(W, self.c - weight * x, self.friction, self.tangents, self.scale)
        other.__dict__["blocks"] = self.blocks.shifted(weight)  # fills the cache: the pattern is the same
        return other

    def residual(self, x: Array) -> float:
        """Return the largest residual, relative to `scale`, or to what makes the rounding of the rates `ACCEPTED`.

        Light bodies under heavy ones have rates that are small differences of large terms.
        """
        natural = self.natural(x)
        plain = float(natural.max(initial=0.0)) / self.scale
        if not ACCEPTED < plain <= DOUBTFUL:
            return plain
        terms = abs(self.W) @ np.abs(x) + np.abs(self.c)
        normal, tangent = self.split(ZERO * UNIT / ACCEPTED * terms)
        size = np.maximum(normal, np.max(tangent, axis=1, initial=0.0))
        return float(np.max(natural / np.maximum(size, self.scale)))


def _among(W: Any, place: Indices) -> Any:
    """Return some rows and the same columns (c,), which ascend, of a square CSR matrix."""
    new = np.full(W.shape[0], -1, dtype=W.indices.dtype)
    new[place] = np.arange(len(place))
    column = new.take(W.indices)
    kept = np.flatnonzero((column >= 0) & np.repeat(new >= 0, np.diff(W.indptr)))
    starts = np.searchsorted(kept, W.indptr.take(np.append(place, W.shape[0]))).astype(W.indptr.dtype)
    return sp.csr_matrix((W.data.take(kept), column.take(kept), starts), shape=(len(place), len(place)))


def _into(t: Array, radius: Array) -> Array:
    """Return the points of discs with radii (k,) nearest to t (k, d)."""
    if t.shape[1] == 1:
        across = radius[:, None]
        return np.asarray(np.minimum(np.maximum(t, -across), across))
    length = np.linalg.norm(t, axis=1)
    far = length > radius
    return np.asarray(t * np.where(far, radius / np.where(far, length, 1.0), 1.0)[:, None])
