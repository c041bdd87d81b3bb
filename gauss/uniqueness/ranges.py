"""Ranges of numbers x = start + null·y, some of which have a sign: two linear programs each, and the shortest x.

`start` is one of them, so that x exists and what is determined keeps its value; `null` spans the combinations that
vanish. All numbers are relative to the size of the quantity that the x make up.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

from gauss.foundation.arrays import Array, Flags, Indices
from gauss.foundation.dependence import Dependence
from gauss.foundation.tolerances import EPS
from gauss.foundation.zero import ZERO

SMALL = 1e-9  # parts of a vanishing combination, and widths relative to the reaction, below this count as zero
UNIQUE = "unique: every multiplier is determined"
LEAST = "a choice: of all multipliers that fit, those whose single reaction forces have the least sum of squares"
CERTIFIED = "a choice: the multipliers of the certificate"
SAME_FORCE = 1e-7  # ranges of forces narrower than this, relative, are points
PRECISE = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


def vanishing(unit: Array, rank_tolerance: float) -> tuple[Array, float]:
    """Return a basis (k, d) of the combinations of unit rows that vanish, and what is uncertain about it.

    Singular values below `rank_tolerance` times the largest count as zero. The basis is reduced: each of its columns
    has a 1 in a row where the others have 0, so that parts which are zero in exact arithmetic can be told from small
    ones.
    """
    if unit.shape[0] == 0:
        return np.zeros((0, 0)), 0.0
    U, sigma, zero = _combined(unit, rank_tolerance)
    return _vanishing(U[:, zero], sigma, zero, unit.shape[1])


def in_vanishing(unit: Array, rank_tolerance: float) -> Flags:
    """Return which of the unit rows (N, k, n) of N states have a part in a combination that vanishes there, (N, k)."""
    U, _, zero = _combined(unit, rank_tolerance)
    return np.asarray(np.max(np.abs(U) * zero[:, None], axis=2, initial=0.0) > SMALL)


def _combined(unit: Array, rank_tolerance: float) -> tuple[Array, Array, Flags]:
    """Return U (…, k, k) and σ of unit rows (…, k, n), and which columns of U (…, k) vanish by the tolerance."""
    U, sigma, _ = np.linalg.svd(unit, full_matrices=unit.shape[-2] > unit.shape[-1])
    rank = np.sum(sigma > rank_tolerance * np.max(sigma, axis=-1, keepdims=True, initial=0.0), axis=-1, keepdims=True)
    return U, sigma, np.arange(U.shape[-1]) >= rank


def vanishing_among(decided: Dependence) -> tuple[Array, float]:
    """Return the same for balanced rows, of the combinations that were found to vanish."""
    return _vanishing(decided.vanishing, decided.sigma, decided.ratio <= ZERO, decided.kept.shape[1])


def _vanishing(basis: Array, sigma: Array, zero: Flags, n: int) -> tuple[Array, float]:
    k = len(basis)
    if not np.any(zero):
        return basis, 0.0
    lost, kept = (sigma[x[: sigma.size]] for x in (zero, ~zero))
    blur = (float(np.max(lost, initial=0.0)) + EPS * (k + n)) / float(np.min(kept)) if kept.size else 0.0
    return _reduced(basis), blur


def _reduced(basis: Array) -> Array:
    """Return the reduced column echelon form of a basis (k, d), pivoting on its largest entries."""
    form = basis.copy()
    pivots: list[int] = []
    for j in range(form.shape[1]):
        remaining = np.abs(form[:, j:])
        k, column = (int(x) for x in np.unravel_index(int(np.argmax(remaining)), remaining.shape))
        form[:, [j, j + column]] = form[:, [j + column, j]]
        form[:, j] /= form[k, j]
        others = np.arange(form.shape[1]) != j
        form[:, others] -= np.outer(form[:, j], form[k, others])
        pivots.append(k)
    form[np.abs(form) <= SMALL] = 0.0
    form[pivots] = np.eye(len(pivots))
    return form


def resized(null: Array, size: Array) -> Array:
    """Return combinations (k, d) with their rows times `size` (k,), and the largest entry of each of them 1."""
    form = size[:, None] * null
    largest = np.max(np.abs(form), axis=0, initial=0.0)
    return np.asarray((form / np.where(largest > 0.0, largest, 1.0))[:, largest > 0.0])


def within(null: Array, fixed: Flags) -> Array:
    """Return a reduced basis of the combinations of the columns of `null` that leave the fixed rows alone."""
    if not np.any(fixed) or null.shape[1] == 0:
        return null
    _, sigma, V = np.linalg.svd(null[fixed], full_matrices=True)
    rank = int(np.sum(sigma > SMALL * np.max(sigma, initial=0.0)))
    free = np.where(fixed[:, None], 0.0, null @ V[rank:].T)
    return _reduced(free) if free.shape[1] else free


def splitting(free: Array) -> list[Indices]:
    """Return the finest sets of rows into which the free combinations (k, d) split, each as indices of rows."""
    used = free != 0.0
    groups: list[Flags] = []
    for j in range(free.shape[1]):
        group = used[:, j]
        joined = [other for other in groups if np.any(other & group)]
        groups = [other for other in groups if not np.any(other & group)]
        groups.append(np.any([group, *joined], axis=0))
    return sorted((np.flatnonzero(group) for group in groups), key=lambda group: int(group[0]))


class Bundle(NamedTuple):
    """The multipliers x = start + null·y of unit rows with sign·x ≥ 0; start is one of them."""

    start: Array  # (k,)
    null: Array  # (k, d)
    sign: Array  # (k,) ±1, or 0 where x is free

    def inequalities(self) -> tuple[Array, Array]:
        """Return G (·, d) with rows of unit length and h ≥ 0 with G y + h ≥ 0, where both say something."""
        bound = (self.sign != 0.0) & np.any(self.null != 0.0, axis=1)
        G = self.sign[bound, None] * self.null[bound]
        size = np.linalg.norm(G, axis=1)
        return G / size[:, None], self.sign[bound] * self.start[bound] / size


def ranges(bundle: Bundle) -> tuple[Array, Array, float]:
    """Return the least and greatest value (k,) of each x, and the largest disagreement of vertex and dual vertex."""
    low, high, worst = bundle.start.copy(), bundle.start.copy(), 0.0
    G, h = bundle.inequalities()
    for k in np.flatnonzero(np.linalg.norm(bundle.null, axis=1)):
        up, gap_up = _greatest(bundle.null[k], G, h)
        down, gap_down = _greatest(-bundle.null[k], G, h)
        low[k], high[k] = bundle.start[k] - down, bundle.start[k] + up
        worst = max(worst, gap_up, gap_down)
        if bundle.sign[k] > 0.0:
            low[k] = low[k] if low[k] > SMALL * 1e-3 else 0.0
        elif bundle.sign[k] < 0.0:
            high[k] = high[k] if high[k] < -SMALL * 1e-3 else 0.0
    return low, high, worst


def _greatest(c: Array, G: Array, h: Array) -> tuple[float, float]:
    """Return the greatest c·y over G y + h ≥ 0, where h ≥ 0, and how far its proof is from it; inf if unbounded.

    Unbounded is proven by a direction r of the unit box with G r ≥ 0 and c·r > 0.
    """
    size = float(np.linalg.norm(c))
    if G.shape[0] == 0:
        return np.inf, 0.0
    value, gap = _vertex(c / size, G, h)
    if np.isfinite(value):
        return size * value, size * gap
    d = c.size
    box, ones = np.vstack([G, np.eye(d), -np.eye(d)]), np.concatenate([np.zeros(len(G)), np.ones(2 * d)])
    along, doubt = _vertex(c / size, box, ones)
    return np.inf, doubt if along > SMALL else np.inf


def _vertex(c: Array, G: Array, h: Array) -> tuple[float, float]:
    """Return the greatest c·y over G y + h ≥ 0 and the distance between the vertex's value and the dual vertex's.

    HiGHS names the rows at the vertex and their weights; both are solved for again. A dual vertex μ ≥ 0 with
    c = −Gᵀμ proves c·y ≤ μ·h for all y, so μ·h is returned. The distance is inf if HiGHS fails.
    """
    answer = scipy.optimize.linprog(-c, A_ub=-G, b_ub=h, bounds=(None, None), method="highs", options=PRECISE)
    if answer.status != 0:
        return np.inf, np.inf
    slack, weight = G @ answer.x + h, -answer.ineqlin.marginals
    support = weight > 1e-9 * np.max(weight, initial=0.0)
    dual = np.linalg.lstsq(G[support].T, -c, rcond=None)[0]
    bound = float(dual @ h[support])
    doubt = float(np.linalg.norm(G[support].T @ dual + c)) + float(np.max(-dual, initial=0.0))
    best = np.inf
    for tight in (slack <= 1e-7, support):
        y = answer.x - np.linalg.lstsq(G[tight], slack[tight], rcond=None)[0]
        outside = float(np.max(-(G @ y + h), initial=0.0))
        best = min(best, abs(float(c @ y) - bound) + outside)
    return bound, best + doubt


def least(bundle: Bundle) -> tuple[Array, str]:
    """Return the x of least norm, and what it is called: least distance programming (Lawson and Hanson, 1974, ch. 23).

    Minimise |w| subject to G w ≥ g: a non-negative least-squares problem names the rows that are tight, and w is solved
    from these again.
    """
    if bundle.null.shape[1] == 0:
        return bundle.start.copy(), UNIQUE
    Q = np.linalg.qr(bundle.null)[0]
    rest = bundle.start - Q @ (Q.T @ bundle.start)
    moved = (bundle.sign != 0.0) & np.any(bundle.null != 0.0, axis=1)
    G, g = bundle.sign[moved, None] * Q[moved], -bundle.sign[moved] * rest[moved]
    w = np.zeros(Q.shape[1])
    if np.max(g, initial=0.0) > 0.0:
        try:
            u = scipy.optimize.nnls(np.vstack([G.T, g]), np.append(w, 1.0))[0]
        except RuntimeError:
            return bundle.start.copy(), CERTIFIED
        w = np.linalg.lstsq(G[u > 0.0], g[u > 0.0], rcond=None)[0]
    if np.max(g - G @ w, initial=0.0) > SMALL:
        return bundle.start.copy(), CERTIFIED
    x = rest + Q @ w
    return np.where((bundle.sign != 0.0) & (bundle.sign * x < SMALL * 1e-3), 0.0, x), LEAST


def is_point(low: float, high: float) -> bool:
    """Whether a range is a single number."""
    return bool(np.isfinite(high - low)) and high - low <= SAME_FORCE * max(abs(low), abs(high))
