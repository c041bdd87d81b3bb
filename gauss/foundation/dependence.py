"""Which combinations of rows vanish: the rank of a matrix whose entries are known with their noise.

A combination w of the rows J vanishes when |wᵀJ|_j is zero by the noise Σ_k |w_k| N_kj for every column j. That does
not depend on factors of rows, nor on those of columns, as masses and units are: the candidates are the left singular
vectors of the rows with both scaled to one size, and each is judged column by column in the rows as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr

from gauss.foundation.arrays import Array, Indices, norms, unit_rows
from gauss.foundation.tolerances import DEPENDENT
from gauss.foundation.zero import CLEAR, UNIT, ZERO, is_zero, ratio

SMALL = (
    1e-3  # of the largest: combinations with larger singular values do not vanish, however their columns are weighed
)
PART = 1e-7  # of the largest entry of a combination: smaller ones are zero
LONG, MANY = 4, 1_000  # times as long as they are many, and so many entries, from which rows are factorised first
ROUNDS = 3  # of scaling rows and columns in turn; more change the scales by less than a factor of two


@dataclass(frozen=True)
class Dependence:
    """The combinations of rows that may vanish, each with the number that decides."""

    combinations: Array  # (m, m) columns w, those with the largest singular values first; see `by_noise`
    ratio: Array  # (m,) largest |wᵀJ|_j over its noise: to `ZERO` the combination vanishes, from `CLEAR` on it does not
    sigma: Array  # (min(m, n),) singular values of the rows with rows and columns scaled, decreasing
    rows: Array  # (m,) factors by which the rows are scaled
    columns: Array  # (n,) factors by which the columns are scaled
    scaled: Array  # (m, n) the scaled rows
    kept: Array  # (m, n) the same without entries that are zero by their noise
    rounded: Array  # (n,) rounding of the entries of a column of the scaled rows
    known: Array  # (n,) how well these are known
    level: Array  # (m,) how well the scaled rows are known
    by_noise: bool = False  # the small combinations are those that noise tells apart, singular values do not

    @property
    def rank(self) -> int:
        """The number of combinations that do not vanish; those that are not decided do not count."""
        return int(np.sum(self.ratio >= CLEAR))

    @property
    def vanishing(self) -> Array:
        """The combinations (m, ·) of the scaled rows that vanish."""
        return np.asarray((self.combinations / self.rows[:, None])[:, self.ratio <= ZERO])

    @property
    def doubt(self) -> int:
        """The number of combinations that are not decided."""
        return int(np.sum((self.ratio > ZERO) & (self.ratio < CLEAR)))

    def lost(self, rank: int) -> Array:
        """Return the combinations (m, m − rank) of the scaled rows that are least above their noise."""
        chosen = np.sort(np.argsort(-self.ratio, kind="stable")[rank:])
        return np.asarray(self.combinations[:, chosen] / self.rows[:, None])


def equilibrated(J: Array, noise: Array) -> tuple[Array, Array]:
    """Return factors of the rows (m,) and of the columns (n,) that give all of them about the size 1.

    What may be made of noise is not brought to that size: an entry counts with at least `CLEAR`² times its noise.
    """
    size = np.maximum(np.abs(J), CLEAR**2 * noise)
    rows, columns = np.ones(J.shape[0]), np.ones(J.shape[1])
    for _ in range(ROUNDS):
        rows = _inverse(np.max(size * columns, axis=1, initial=0.0))
        columns = _inverse(np.max(size * rows[:, None], axis=0, initial=0.0))
    return rows, columns


def _inverse(size: Array) -> Array:
    with np.errstate(divide="ignore", over="ignore"):
        inverse = 1.0 / size
    return np.where((size > 0.0) & np.isfinite(inverse), inverse, 1.0)


def _left(J: Array) -> tuple[Array, Array]:
    """Return the left singular vectors (m, m) of rows J (m, n) and the singular values (min(m, n),).

    Of long rows the triangular factor has the same. A row of zeros is a combination by itself: rounding would mix it
    into the others, and what is left open of it may be more than they are.
    """
    m, n = J.shape
    some = np.any(J, axis=1)
    if not np.all(some):
        found, values = _left(J[some]) if np.any(some) else (np.zeros((0, 0)), np.zeros(0))
        U, sigma = np.zeros((m, m)), np.zeros(min(m, n))
        U[np.ix_(some, np.arange(m) < len(found))] = found
        U[np.flatnonzero(~some), np.arange(len(found), m)] = 1.0
        sigma[: values.size] = values
        return U, sigma
    long = n >= LONG * m and J.size >= MANY
    factor = np.asarray(np.linalg.qr(J.T, mode="r")).T if long else J
    U, sigma, _ = np.linalg.svd(factor, full_matrices=m > n)
    return U, sigma


def dependence(J: Array, noise: Array, further: Callable[[Array], Array] | None = None) -> Dependence:
    """Return which combinations of the rows J (m, n) vanish by the noise (m, n) of their entries.

    `further` gives what combinations w (c, m) have besides, (c, n), or one w (m,): what the state leaves open by its
    own uncertainty.
    """
    m, n = J.shape
    if m == 0 or n == 0:
        empty = np.zeros((m, n))
        one, each = np.ones(m), np.ones(n)
        return Dependence(np.eye(m), np.zeros(m), np.zeros(0), one, each, empty, empty, each, each, one)
    noise = np.maximum(noise, UNIT * np.abs(J))
    single = noise if further is None else noise + further(np.eye(m))
    kept = np.where(is_zero(J, single), 0.0, J)  # an entry that is noise is not to be balanced against the others
    rows, columns = equilibrated(kept, single)
    whole, blurs = J * rows[:, None] * columns, np.maximum(single * rows[:, None] * columns, UNIT)
    scaled, kept = (np.where(is_zero(J, x), 0.0, whole) for x in (noise, single))
    U, sigma = _left(kept)
    combinations = rows[:, None] * U
    decomposed = UNIT * float(sigma[0]) * np.sqrt(max(m, n))

    def judged(w: Array) -> tuple[Array, Array]:
        known = np.abs(w) @ noise + decomposed / columns
        known = known if further is None else known + further(w)
        return np.max(ratio(w @ J, known), axis=-1, initial=0.0), known

    found, known = judged(combinations.T)
    small = np.append(sigma, np.zeros(m - sigma.size)) <= SMALL * sigma[0]
    doubtful, level = small | (found < CLEAR), np.max(blurs, axis=1)
    uneven = np.max(level) > CLEAR * np.min(level)  # else no row hides what others tell
    by_noise = bool(uneven and np.sum(doubtful) > 1 and np.any(found[doubtful] < CLEAR))
    if by_noise:
        apart = U.copy()
        apart[:, doubtful] = _apart(U[:, doubtful], whole, level)
        ratios = judged((rows[:, None] * apart).T)[0]
        start = (apart, ratios) if np.any(ratios[doubtful] >= CLEAR) else (U, found)
        apart, found = _sparse(*start, whole, blurs, decomposed, lambda u: judged(u * rows)[0])
        combinations = rows[:, None] * apart
        known = judged(combinations.T)[1]
    for k in np.flatnonzero(small & (found > ZERO)).tolist():
        # a singular vector is small on the whole: what its stronger ones can take off where less noise is, goes
        stronger = combinations[:, :k]
        weight = np.where(known[k] > 0.0, 1.0 / np.where(known[k] > 0.0, known[k], 1.0), 0.0)
        share = np.linalg.lstsq((stronger.T @ J * weight).T, combinations[:, k] @ J * weight, rcond=None)[0]
        found[k] = min(found[k], float(judged(combinations[:, k] - stronger @ share)[0]))
    rounded = np.maximum(np.max(rows[:, None] * noise, axis=0) * columns, UNIT)
    known_to = np.max(blurs, axis=0)
    return Dependence(combinations, found, sigma, rows, columns, scaled, kept, rounded, known_to, level, by_noise)


def _apart(U: Array, scaled: Array, noise: Array) -> Array:
    """Return combinations (m, s) of the span of U that the noise (m,) of scaled rows (m, n) tells apart best.

    Singular vectors of rows of one size mix a row that noise covers into one that is small, but clear of its own noise.
    These are the stationary points of |wᵀJ| over √Σ(w_k N_k)², the largest first.
    """
    _, sizes, V = np.linalg.svd(noise[:, None] * U, full_matrices=False)
    unit = U @ (V.T / sizes)
    found = unit @ np.linalg.svd(unit.T @ scaled)[0]
    return np.asarray(found / norms(found, 0))


def _sparse(
    U: Array, ratios: Array, rows: Array, noise: Array, rounded: float, judged: Callable[[Array], Array]
) -> tuple[Array, Array]:
    """Return the combinations (m, m), those below noise of as few rows as they need to stay there, and the ratios.

    Each has one row that others do not have. What noise of this row hides may hold any share of others that is less
    than this noise: they are left out, those known best first. The scaled rows (m, n) have at most the noise (m, n).
    """
    U, ratios, pivots, level = U.copy(), ratios.copy(), np.zeros(0, dtype=int), np.max(noise, axis=1)
    for low, high in ((-np.inf, ZERO), (ZERO, np.nextafter(CLEAR, 0.0))):
        group, done = np.flatnonzero((ratios > low) & (ratios <= high)), np.flatnonzero(ratios <= low)
        if not group.size:
            continue
        parts = U[:, group] - U[:, done] @ np.linalg.lstsq(U[np.ix_(pivots, done)], U[np.ix_(pivots, group)])[0]
        own = qr((parts * level[:, None]).T, mode="r", pivoting=True)[1][: group.size]
        pivots, parts = np.append(pivots, own), parts @ np.linalg.inv(parts[own])
        for k, row, u in zip(group.tolist(), own.tolist(), parts.T, strict=True):
            weight, limit = np.abs(u) * level, max(ZERO, float(ratios[k]))
            weight[row] = np.inf
            order = np.argsort(-weight, kind="stable")[: np.count_nonzero(u)]
            some = u[order, None]
            most = np.cumsum(np.abs(some) * noise[order], axis=0) + rounded * np.sqrt(np.cumsum(some**2, axis=0))
            within = np.all(np.abs(np.cumsum(some * rows[order], axis=0)) <= limit * most, axis=1)
            for count in [*(np.flatnonzero(within[:-1]) + 1).tolist(), order.size]:
                part = np.zeros(len(u))
                part[order[:count]] = u[order[:count]]
                U[:, k] = part / np.linalg.norm(part)
                ratios[k] = judged(U[:, k])
                if ratios[k] <= limit:
                    break
    return U, ratios


def dependent_sets(null: Array) -> list[Indices]:
    """Return minimal dependent sets of rows, one for each row that depends on the rows before it, as indices.

    `null` (m, d) spans the combinations of balanced rows that vanish. A row that lies in the span of independent rows
    before it forms a circuit with those of them that its unique expansion uses.

    >>> dependent_sets(np.array([[1.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]))  # three times the same row
    [array([0, 1]), array([0, 2])]
    """
    form, last = null / np.max(np.abs(null), axis=0, initial=0.0), list[int]()
    for k in reversed(range(len(form))):
        j = len(last)
        size = np.abs(form[k, j:])
        if np.max(size, initial=0.0) <= PART:
            continue
        column = j + int(np.argmax(size))
        form[:, [j, column]] = form[:, [column, j]]
        form[:, j] /= form[k, j]
        others = np.arange(form.shape[1]) != j
        form[:, others] -= np.outer(form[:, j], form[k, others])
        last.append(k)
    found = [np.flatnonzero(np.abs(form[:, j]) > PART * np.max(np.abs(form[:, j]))) for j in range(len(last))]
    return found[::-1]


def unit_rank(rows: Array) -> int:
    """Return the rank of rows (m, n) whose noise is not known, by `DEPENDENT` of the largest at unit length."""
    return int(np.linalg.matrix_rank(unit_rows(rows), rtol=DEPENDENT)) if rows.size else 0
