"""The frame of a singular-position analysis: scaled rows, the one decision on their rank, and what follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from gauss.foundation.arrays import Array, Flags, norms
from gauss.foundation.dependence import Dependence
from gauss.foundation.zero import UNIT, ZERO, is_zero, ratio
from gauss.model import System
from gauss.model.state import State
from gauss.principle import GaussProblem
from gauss.uniqueness.germs.reduction import rank_of
from gauss.uniqueness.regularity import HEAVY, Regularity
from gauss.uniqueness.rows.combinations import (
    CRUMB,
    Uncertain,
    circuits,
    complement,
    decomposition,
    expansions,
    independent,
    involved,
)
from gauss.uniqueness.rows.scaled_rows import BESIDE, LIMIT, VIOLATION, ScaledRows, scaled_rows
from gauss.uniqueness.rows.sizes import by_coordinate, speed_at

PROBES = 6  # random states beside this one
TRIALS = 3  # random points, beyond their number, at which combinations that vanish everywhere are told from others
OUT_OF_REACH = 1e-6  # of the sizes of the position: a singular position farther away than this is not within reach
GAP = 1e3  # a smaller ratio between the singular values on both sides of the tolerance makes the decision doubtful


@dataclass(frozen=True)
class Natural:
    """Natural sizes (m,) of derivatives of the scaled rows."""

    K: Array  # of K
    third: Array  # of R₃


@dataclass(frozen=True)
class Frame(ScaledRows):
    """Scaled rows with their rank, and what they determine, leave free and leave out by it."""

    U: Array  # (m, m) left singular vectors of W
    sigma: Array  # (min(m, n),)
    V: Array  # (min(m, n), n) right singular vectors as rows
    rank: int  # by the dependence of the rows as they are written
    doubt: int  # combinations that are not decided, even by more digits; `rank` takes all of them as one or the other

    @cached_property
    def kernel(self) -> Array:
        """Orthonormal basis (n, n − rank) of the accelerations that the rows leave free."""
        return complement(self.V[: self.rank], self.n)

    @cached_property
    def particular(self) -> Array:
        """The least z (n,) that satisfies the rows, the vanishing combinations left out."""
        return self.least(self.gamma, self.rank)

    def least(self, right: Array, count: int) -> Array:
        """Return the least z (n,) with which the `count` best determined combinations of W z = right (m,) hold."""
        return np.asarray(self.V[:count].T @ ((self.U[:, :count].T @ right) / self.sigma[:count]))

    @cached_property
    def natural(self) -> Natural:
        """Natural sizes of the derivatives of each row: the largest at some states about this one, of equal speed.

        What is small against them at this state is so because it vanishes there, and rounding is measured by them.
        """
        s, n, jets = self.state, self.n, self.system.model.jets
        rng = np.random.default_rng(1)
        speed, push = self.metric.norm(s.v), self.acceleration_scale if self.acceleration_scale > 0.0 else 1.0
        reach = BESIDE * self.reach
        plain = np.abs(self.lift(self.particular)) + np.abs(self.metric.reference)
        driven = by_coordinate(self.metric, plain, 0.0, push) if np.any(plain) else np.full(n, np.inf)
        one = self.place if self.length > 0.0 else np.full(n, np.inf)
        sizes = np.zeros((2, len(self.index)))
        for _ in range(PROBES):
            x, v, z = (self.lift(d / np.linalg.norm(d)) for d in rng.normal(size=(3, n)))
            # what a light coordinate does when all energy is its own is no size of the motion
            q = s.q + np.clip(reach * x, -LIMIT * BESIDE * one, LIMIT * BESIDE * one)
            v, a = (np.clip(y, -LIMIT * w, LIMIT * w) for y, w in ((speed * v, self.pace), (push * z, driven)))
            _, K = jets.second(q, v, s.t, self.theta, a)
            third, _, _ = jets.third(q, v, s.t, self.theta, a, 0.0 * a)
            found = np.array([norms(self.metric.whitened(K[self.index]), 1), np.abs(third[self.index])])
            sizes = np.maximum(sizes, np.nan_to_num(found, posinf=0.0) / self.scale)
        return Natural(*sizes)

    @property
    def left_null(self) -> Array:
        """Combinations (m, m − rank) of the rows that vanish: sparse where the rows allow it, of unit length.

        They are computed from the rows scaled as their rank is decided: masses do not mix weak rows into them. Those
        that vanish here only are taken from rows without what the uncertainty of the state has made.
        """
        return self._nulls[0]

    @cached_property
    def _nulls(self) -> tuple[Array, Flags, Flags]:
        """The combinations of `left_null`, which of them vanish everywhere, and which are not known to vanish."""
        d = self.decided
        if self.rank == len(self.index):
            return np.zeros((self.rank, 0)), np.zeros(0, dtype=bool), np.zeros(0, dtype=bool)
        if d.by_noise:
            lost = d.lost(self.rank) * (d.rows * self.scale)[:, None]
            return self._joined(lost / norms(lost, 0))
        found = self._joined(self._null(d.scaled, self.as_decided, d.rounded))
        return found if np.any(found[1]) else self._joined(self._null(d.kept, decomposition(d.kept), d.known))

    @cached_property
    def as_decided(self) -> tuple[Array, Array, Array]:
        """U (m, m), σ and V (k, n), k = min(m, n), of the rows as they are scaled where their rank is decided."""
        return _decomposed(self.decided.scaled, self.decided, np.ones(len(self.index)), self.rank)

    def _null(self, rows: Array, factors: tuple[Array, Array, Array], known: Array) -> Array:
        r, (U, sigma, V) = self.rank, factors
        clean = U[:, :r] @ (sigma[:r, None] * V[:r])
        _, null = circuits(clean, CRUMB * float(np.max(sigma, initial=0.0)), ZERO * self.blur, rows / known)
        found = null if null.shape[1] == len(self.index) - r else U[:, r:]
        found = found * (self.decided.rows * self.scale)[:, None]
        return np.asarray(found / norms(found, 0))

    @property
    def blur(self) -> float:
        """How far the combinations that vanish are from doing so, relative to the last that does not.

        Where noise tells them, it is how well their coefficients are known; a row by itself has none.
        """
        d, r = self.decided, self.rank
        if d.by_noise:
            lost = np.abs(d.lost(r))
            several = np.sum(lost > 0.0, axis=0) > 1
            return float(np.max((lost * d.level[:, None] / np.max(lost, axis=0))[:, several], initial=0.0))
        return float(d.sigma[r] / d.sigma[r - 1]) if 0 < r < d.sigma.size and d.sigma[r - 1] > 0.0 else 0.0

    @property
    def identical(self) -> Flags:
        """Which combinations of `left_null` (k,) vanish everywhere: rows given again, multiples and sums of rows.

        An analytic function that vanishes at random points vanishes identically with probability one; of holonomic
        rows the rank here and at such a point is computed with 77 digits too, by which a small term is no rounding.
        """
        return self._nulls[1]

    @property
    def unlocated(self) -> Array:
        """The combinations (m, ·), of those counted as vanishing everywhere, that may as well vanish nowhere.

        They are zero by their noise here, and little more than noise as far away as the system is large: the place
        where they vanish, if there is one, is not within reach, and 77 digits do not find it here.
        """
        return self._nulls[0][:, self._nulls[2]]

    def _joined(self, null: Array) -> tuple[Array, Flags, Flags]:
        """Return the combinations (m, k) with those first that vanish everywhere, alone or together; which do; which
        are not known to.
        """
        k = null.shape[1]
        none = np.zeros(k, dtype=bool)
        if not k:
            return null, none, none
        q, psi, noise = self.drawn_beside(k + TRIALS)
        if psi.shape[1] < k + TRIALS:
            return null, none, none
        rates = Uncertain(null.T @ psi, np.abs(null).T @ (noise + UNIT * np.abs(psi)))
        basis = independent(None, rates)
        again = expansions(np.where(is_zero(rates.value, rates.noise), 0.0, rates.value), basis)
        parts = np.hstack([again, np.eye(k)[:, basis]])
        size = np.max(ratio(parts.T @ rates.value, np.abs(parts).T @ rates.noise), axis=1)
        zero, lost = size <= ZERO, (size > ZERO) & (size < 1.0 / OUT_OF_REACH)
        if not np.any(zero | lost):
            return null, none, none
        here, beside = (rank_of(self.system, x, self.names, beside=True) for x in (self.state.q, q))
        if here == self.rank and beside is not None:
            lost &= beside == here
            if len(self.index) - beside < np.sum(zero | lost):
                return null, none, none
        found = null @ parts
        return found / norms(found, 0), zero | lost, lost

    @cached_property
    def unsure_v(self) -> Array:
        """The uncertainty (n,) of the velocity: what it misses of the rows, and as much of its size everywhere."""
        known = max(self.known, VIOLATION * self.slip(self.rank))
        return known * self.pace + VIOLATION * np.abs(self.lift(self.least(self.psi, self.rank)))

    def slip(self, count: int) -> float:
        """How far the velocity is from one that satisfies the `count` best determined combinations, relative to the
        speed of the system.
        """
        speed = speed_at(self.metric, self.state, self.length)
        return float(np.linalg.norm(self.least(self.psi, count))) / speed if speed > 0.0 else 0.0

    def regularity(self) -> Regularity:
        """Return the decision on the rank with its evidence."""
        m, r = len(self.index), self.rank
        lost = float(self.sigma[r]) if r < self.sigma.size else 0.0
        kept = float(self.sigma[r - 1]) if r else np.inf
        gap = kept / lost if lost > 0.0 else float("inf")
        near = kept < GAP * self.tolerance or (lost > 0.0 and gap < GAP)
        return Regularity(
            verdict="regular" if r == m else "rank-deficient",
            rank=r,
            rows=self.names,
            sigma=self.sigma,
            tolerance=self.tolerance,
            gap=gap,
            dependent=self.sets_of(self.left_null),
            weakest=tuple(self.names[k] for k in involved(self.U[:, -1], HEAVY)) if m else (),
            doubtful=bool(near and m),
        )


def frame_of(
    system: System,
    state: State,
    problem: GaussProblem,
    index: Sequence[int],
    *,
    length: float | None = None,
    target: int | None = None,
    fewer: bool = False,
) -> Frame:
    """Return the frame of the given rows (indices) at a state; `problem` supplies M and f there.

    `length` is ℓ as a displacement in the metric, √kg m; left out, it is the larger of |q| and |v|²/|a_free|. `target`
    keeps an earlier rank where the decision is doubtful (hysteresis).
    Combinations that are not decided count as independent, or with `fewer` as dependent.
    """
    rows = scaled_rows(system, state, problem, index, length)
    rank, doubt = rows.decided.rank + rows.decided.doubt, rows.decided.doubt
    if doubt:
        exact = rank_of(system, state.q, rows.names)
        if exact is not None and rows.decided.rank <= exact <= rank:
            rank, doubt = exact, 0
    rank -= doubt if fewer else 0
    if target is not None:
        rank = min(max(target, rank - doubt), rank)
    U, sigma, V = _decomposed(rows.W, rows.decided, 1.0 / (rows.decided.rows * rows.scale), rank)
    scaled = {each.name: getattr(rows, each.name) for each in fields(rows)}
    return Frame(**scaled, U=U, sigma=sigma, V=V, rank=rank, doubt=doubt)


def _decomposed(rows: Array, decided: Dependence, factors: Array, rank: int) -> tuple[Array, Array, Array]:
    """Return U, σ and V of rows (m, n), which are those of the decision times factors (m,).

    Where noise, not size, tells which combinations are left out, these are the last.
    """
    if not decided.by_noise:
        return decomposition(rows)
    lost = np.linalg.qr(decided.lost(rank) / factors[:, None])[0]
    U, sigma, V = decomposition(rows - lost @ (lost.T @ rows))
    U[:, :rank] -= lost @ (lost.T @ U[:, :rank])  # small singular values have rounding of the large ones there
    U[:, rank:] = lost
    sigma[rank:] = -np.sort(-norms(lost.T @ rows, 1))[: sigma.size - rank]
    return U, sigma, V
