"""Directions without inertia: which there are, what holds them, and a metric where all of them are held.

The Zwang has one minimiser over equality rows J_E a = γ_E where the kernels of M and of J_E meet in zero only. M = RᵀR
with R from the eigenvectors of the mass matrix scaled to a unit diagonal; a direction w is free if every entry of
R w and of J_E w vanishes by its noise. That depends on neither the units of the coordinates nor the factors of rows.

One-sided rows hold a direction too where the force presses them. With the free directions W the multipliers of rows
C = J_U W are λ ≥ 0 with Cᵀλ = −Wᵀf. There are none: the force accelerates along C W z ≥ 0 without bound. Rows with
λ > 0 in all of them are at their bounds in every minimum, and may be taken for equality rows. Where these do not hold
all, `gauss.numerics.pressing` asks one minimum.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import scipy

from gauss.foundation.arrays import Array, Flags, norms
from gauss.foundation.dependence import Dependence, dependence, equilibrated
from gauss.foundation.tolerances import DETERMINED, SAME
from gauss.foundation.zero import CLEAR, UNIT, ZERO, is_zero

EXTENDED = float(np.finfo(np.longdouble).eps)  # unit roundoff of residuals in extended precision
TINY = float(np.finfo(float).tiny)
MISSED = 1e-6  # of the largest bound: what a linear program misses by less says nothing
SIZES = 3  # rounds in which coordinates without inertia and rows are scaled in turn

Freedom = Literal["unbounded", "free", "undecided"]


def root_of(M: Array) -> tuple[Array, Array]:
    """Return R (r, n) with M = RᵀR, without eigenvalues that are noise, and the noise (r, n) of its entries.

    M (n, n) is scaled to a unit diagonal; a coordinate whose diagonal is zero has no inertia.
    """
    n, heavy = len(M), np.diag(M) > 0.0
    d = np.sqrt(np.diag(M)[heavy])
    known = UNIT * n  # of the eigenvalues
    values, vectors = np.linalg.eigh(M[np.ix_(heavy, heavy)] / d[:, None] / d)
    kept = values > ZERO * known
    size = np.sqrt(values[kept])[:, None]
    root, noise = np.zeros((len(size), n)), np.zeros((len(size), n))
    root[:, heavy], noise[:, heavy] = size * vectors[:, kept].T * d, known / size * d
    return root, noise


@dataclass(frozen=True)
class Held:
    """What the inertia R (r, n) and equality rows J (m, n) hold of n coordinates, with the noise of their entries."""

    R: Array  # (r, n)
    J: Array  # (m, n)
    noise: Array  # (r + m, n)

    @staticmethod
    def of(M: Array, J: Array, noise: Array | None = None) -> Held:
        """Return what holds the coordinates; `noise` (m, n) is that of the rows, their rounding if left out."""
        R, doubt = root_of(M)
        return Held(R, J, np.vstack([doubt, UNIT * np.abs(J) if noise is None else noise]))

    @cached_property
    def decided(self) -> Dependence:
        """Which combinations of coordinates, the columns of R and J, vanish."""
        return dependence(np.vstack([self.R, self.J]).T, self.noise.T)

    @property
    def all(self) -> bool:
        """Whether every direction is held, beyond doubt."""
        return bool(self.decided.rank == self.R.shape[1])

    @property
    def doubtful(self) -> bool:
        """Whether it is not decided of some direction."""
        return self.decided.doubt > 0

    @property
    def sizes(self) -> Array:
        """Sizes (n,) of the coordinates: 1/√M_jj, and of those without inertia by the rows."""
        found, heavy = self.decided.rows, np.any(self.R != 0.0, axis=0)
        if not heavy.any():
            return np.asarray(found)
        d = norms(self.R[:, heavy], 0)
        columns = found * np.exp(np.mean(np.log(1.0 / d) - np.log(found[heavy])))
        columns[heavy] = 1.0 / d
        for _ in range(SIZES):
            weights = self.weights(columns)
            largest = np.max(np.abs(self.J) * weights[:, None], axis=0, initial=0.0)
            columns = np.where(heavy | (largest == 0.0), columns, 1.0 / np.where(largest > 0.0, largest, 1.0))
        return np.asarray(columns)

    def weights(self, sizes: Array) -> Array:
        """Return factors (m,) that bring the rows to the size 1 where coordinates have these sizes (n,)."""
        largest = np.max(np.abs(self.J) * sizes, axis=1, initial=0.0)
        return np.asarray(1.0 / np.where(largest > 0.0, largest, 1.0))

    def factor(self) -> tuple[Array, Array]:
        """Return L (n, n) with LLᵀ = M + Jᵀ diag(w²) J, and w (m,); all directions must be held.

        By a decomposition of R above diag(w) J, as sums of squares would lose what is less than √ε of the rest.
        """
        sizes = self.sizes
        weights = self.weights(sizes)
        upper = np.linalg.qr(np.vstack([self.R, weights[:, None] * self.J]) * sizes, mode="r")
        signs = np.where(np.diag(upper) < 0.0, -1.0, 1.0)
        return np.asarray((signs[:, None] * upper / sizes).T), weights

    def directions(self, M: Array) -> tuple[Array, Array]:
        """Return a basis (n, k) of the directions that nothing holds, or of which that is not decided, and its noise.

        What is left of M w and J w is taken off with residuals in extended precision.
        """
        found = self.decided
        w = found.combinations[:, found.ratio < CLEAR]
        both = np.vstack([M, self.J])
        rows, columns = equilibrated(both, UNIT * np.abs(both))
        inverse = np.linalg.pinv(rows[:, None] * both * columns, rcond=DETERMINED)
        left = rows[:, None] * (both.astype(np.longdouble) @ w.astype(np.longdouble)).astype(float)
        unknown = EXTENDED * norms(rows[:, None] * (np.abs(both) @ np.abs(w)), 0) + len(w) * UNIT * norms(left, 0)
        size, change = float(np.linalg.norm(inverse)), columns[:, None] * (inverse @ left)
        # a basis may as well lack what its rounding has brought in: an entry that is zero but for this pushes nothing
        return w - change, UNIT * np.abs(w) + np.abs(change) + size * np.outer(columns, unknown)


@dataclass(frozen=True)
class Pressed:
    """What a force does along free directions, and one-sided rows that it presses there."""

    push: Array  # (k,) Wᵀf, relative to its terms; 0 where it is noise
    rows: Array  # (u, k) the one-sided rows along the directions, of unit length
    doubtful: bool  # whether the push hangs on rounding

    @staticmethod
    def of(W: Array, noise: Array, f: Array, f_noise: Array, J: Array, doubtful: bool = False) -> Pressed:
        """Return it for directions W (n, k), a force f (n,), both with their noise, and rows J a ≥ …, J (u, n)."""
        size = max(float(norms(f, 0)), TINY)
        f, f_noise, J = f / size, f_noise / size, J / np.maximum(norms(J, 1), TINY)[:, None]
        push, unsure = W.T @ f, noise.T @ np.abs(f) + np.abs(W).T @ f_noise
        scale = np.maximum(np.abs(W).T @ np.abs(f), unsure)
        along = np.where(is_zero(J @ W, np.abs(J) @ (noise + UNIT * np.abs(W))), 0.0, J @ W)
        reach = np.max(np.abs(along), axis=0, initial=0.0)
        scale = np.where(is_zero(push, unsure) & (reach > 0.0), reach, scale)  # else a push of noise sets it
        scale = np.where(scale > 0.0, scale, 1.0)  # then rows and push are compared with one another
        along = along / scale
        length = norms(along, 1)
        return Pressed(
            np.where(is_zero(push, unsure), 0.0, push) / scale,
            along / np.where(length > 0.0, length, 1.0)[:, None],
            doubtful or bool(np.any(~is_zero(push, unsure) & (np.abs(push) < CLEAR * unsure))),
        )

    @cached_property
    def _rest(self) -> Array:
        """What no multipliers of the rows balance of the push (k,)."""
        if not len(self.rows):
            return self.push
        return np.asarray(self.push + self.rows.T @ scipy.optimize.nnls(self.rows.T, -self.push)[0])

    @property
    def pressed(self) -> Flags:
        """Which rows (u,) carry a force whatever the multipliers are; none where these are none."""
        count, size = len(self.rows), float(np.linalg.norm(self.push))
        found = np.zeros(count, dtype=bool)
        if size == 0.0 or self.doubtful or self.unbounded:
            return found
        for k in range(count):
            least = scipy.optimize.linprog(np.eye(count)[k], A_eq=self.rows.T, b_eq=-self.push / size)
            found[k] = least.status == 0 and least.fun > SAME
        return found

    @property
    def unbounded(self) -> bool:
        """Whether the force accelerates along some direction that the rows leave open."""
        return bool(np.linalg.norm(self._rest) > DETERMINED * np.linalg.norm(self.push))

    @property
    def freedom(self) -> Freedom:
        """What is known of the acceleration along these directions, where pressed rows do not hold them all."""
        if self.doubtful:
            return "undecided"
        if self.unbounded:
            return "unbounded"
        return "free" if self._moves() else "undecided"

    def _moves(self) -> bool:
        """Return whether some direction z without push is open: rows·z ≥ 0."""
        k = self.push.size
        level = self.push[None] if np.any(self.push) else None
        for sign in (1.0, -1.0):
            for j in range(k):
                found = scipy.optimize.linprog(
                    sign * np.eye(k)[j],
                    A_ub=-self.rows if len(self.rows) else None,
                    b_ub=np.zeros(len(self.rows)) if len(self.rows) else None,
                    A_eq=level,
                    b_eq=None if level is None else np.zeros(1),
                    bounds=(-1.0, 1.0),
                )
                if found.status == 0 and found.fun < -0.5:
                    return True
        return False


def violated(J: Array, lower: Array, upper: Array, sizes: Array, crumbs: Array) -> float:
    """Return by how much rows lower ≤ J a ≤ upper, (m, n), are missed at least, relative to their bounds.

    `sizes` (n,) are those of the coordinates; bounds up to `crumbs` (m,) are zero. The rows are brought to unit length;
    0 where that is not found.
    """
    rows = J * sizes
    length = norms(rows, 1)[:, None]
    length = np.where(length > 0.0, length, 1.0)
    lower, upper = (np.where(np.abs(bound) <= crumbs, 0.0, bound) for bound in (lower, upper))
    sides = [(rows, upper, 1.0), (rows, lower, -1.0)]
    A = np.vstack([sign * (x / length)[np.isfinite(bound)] for x, bound, sign in sides])
    b = np.concatenate([sign * (bound / length[:, 0])[np.isfinite(bound)] for _, bound, sign in sides])
    size = float(np.max(np.abs(b), initial=0.0))
    if size == 0.0:
        return 0.0
    n = J.shape[1]
    found = scipy.optimize.linprog(
        np.append(np.zeros(n), 1.0),
        A_ub=np.hstack([A, -np.ones((len(A), 1))]),
        b_ub=b / size,
        bounds=[(None, None)] * n + [(0.0, None)],
    )
    return float(found.fun) if found.status == 0 else 0.0
