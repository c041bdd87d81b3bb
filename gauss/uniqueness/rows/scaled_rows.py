"""The rows at one state, scaled and in the metric, with their noise, and their rates beside it.

In z = Lᵀa (M = LLᵀ) the Zwang is ½|z − z_free|². Row k is divided by s_k = max(|J_k|, |∂J_k/∂q|ℓ, |∂J_k/∂v|w), lengths
taken in the metric, where ℓ is the length of the system and w its speed: a row that vanishes at a singular position, as
a cone's does at its apex, then has the length of its distance from there, relative to ℓ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gauss.foundation.arrays import Array, Indices, norms
from gauss.foundation.dependence import Dependence, dependence
from gauss.foundation.zero import CLEAR, COMPUTED, KNOWN, UNIT
from gauss.model import System
from gauss.model.state import State
from gauss.principle import GaussProblem
from gauss.principle.metric import Metric
from gauss.uniqueness.rows.combinations import involved
from gauss.uniqueness.rows.row_derivatives import RowDerivatives
from gauss.uniqueness.rows.sizes import length_at, sizes_by_coordinate, speed_at, unit_length, with_flat_rows

VIOLATION = 10.0  # singular values up to this many constraint violations, relative to the length, count as zero
BESIDE = 0.01  # of the length of the system: the distance at which natural sizes are taken
LIMIT = 3.0  # so many of the sizes of the coordinates are the most that they take on there


@dataclass(frozen=True)
class Demand:
    """wᵀR₂ or wᵀR₃ at one z, with its derivatives."""

    value: float
    by_z: Array  # (n,)
    by_zz: Array  # (n, n)


@dataclass(frozen=True)
class ScaledRows:
    """The rows that are examined at one state, as numbers in the coordinates z = Lᵀa."""

    system: System
    state: State
    theta: Array
    problem: GaussProblem
    metric: Metric
    index: Indices  # (m,) which rows of the system these are
    scale: Array  # (m,) s_k
    W: Array  # (m, n) rows J L⁻ᵀ / s
    gamma: Array  # (m,) right-hand side γ / s of W z = γ / s
    phi: Array  # (m,) residuals of the positions over the scale, 0 for rows that have none
    psi: Array  # (m,) what the velocity misses of the rows, ψ / s
    length: float  # ℓ, in the metric, √kg m
    curvature: Array  # (m,) |∂J_k/∂q| / s_k, 1/(√kg m)
    bend: Array  # (m,) |∂J_k/∂v| / s_k, zero for rows linear in the velocities
    noise: float  # relative uncertainty of the position: rounding and constraint violation over ℓ
    derivatives: RowDerivatives
    place: Array  # (n,) sizes of the position, by coordinate
    pace: Array  # (n,) sizes of the velocity
    known: float  # how well the state is known, relative to these sizes: rounding and what it misses of the rows
    phi_noise: Array  # (m,) of the rows' residuals, as they are written
    psi_noise: Array  # (m,) of their rates
    J_noise: Array  # (m, n)
    gamma_noise: Array  # (m,)
    decided: Dependence  # of the rows as they are written
    tolerance: float  # singular values of W below count as zero

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return int(self.W.shape[1])

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the rows."""
        return tuple(self.system.row_names[k] for k in self.index)

    @cached_property
    def turning(self) -> Array:
        """The natural size (m,) of the derivative of each row along the motion: |∂J/∂q||v| + |∂J/∂v||z_free|."""
        return self.curvature * self.metric.norm(self.state.v) + self.bend * float(np.linalg.norm(self.free))

    def unsureness(self, U: Array, size: float) -> tuple[Array, Array, Array]:
        """Return what combinations U (m, c) of the scaled rows leave open for an acceleration of the given size.

        First, how fast each turns per unit of length and as the motion goes on; then the noise of its two sides.
        """
        w = (U / self.scale[:, None]).T
        by_q, by_v = self.derivatives.size(w)
        rows = norms(self.metric.whitened(np.abs(w) @ self.J_noise), 1)
        turning = by_q * self.metric.norm(self.state.v) + by_v * float(np.linalg.norm(self.free))
        return by_q, turning, rows * size + np.abs(w) @ self.gamma_noise

    @property
    def reach(self) -> float:
        """The length ℓ, or where the system has none that of displacements by 1."""
        return self.length if self.length > 0.0 else unit_length(self.problem.M)

    @cached_property
    def acceleration_scale(self) -> float:
        """The natural size of an acceleration: |z_free|, or |v|²/ℓ."""
        speed = self.metric.norm(self.state.v)
        return max(float(np.linalg.norm(self.free)), speed**2 / self.length if self.length > 0.0 else 0.0)

    def drawn_beside(self, count: int) -> tuple[Array, Array, Array]:
        """Return the rates of the scaled rows (m, ·) and their noise at random states, and the last position.

        There are `count` as far from here as the system is large, and as many where no light coordinate has gone beyond
        its own size, where others are rounding. Where the system is small, there are as many where the rows have turned
        by their own size: nearer, products of small functions hide. There are fewer where the model is not defined at
        most of the states that were tried.
        """
        here = self.reach
        bent = float(np.max(self.curvature, initial=0.0))
        reaches = [here] if bent * here >= 1.0 or bent == 0.0 else [1.0 / bent, here]
        one = np.where(self.place > 0.0, self.place, np.inf)
        found = [each for reach in reaches for each in self._drawn(count, reach, np.full(self.n, np.inf))]
        if np.any(here / norms(self.metric.L, 1) > LIMIT * one):
            found = self._drawn(count, here, LIMIT * one) + found
        psi, noise = np.array([both for _, both in found]).reshape(-1, 2, len(self.index)).transpose(1, 2, 0)
        return found[-1][0] if found else self.state.q, psi, noise

    def _drawn(self, count: int, reach: float, most: Array) -> list[tuple[Array, Array]]:
        """Return random positions about a distance away with the rates of the scaled rows and their noise (2, m).

        Coordinates are moved by `most` (n,) at most.
        """
        s, model, n, rng = self.state, self.system.model, self.n, np.random.default_rng(4)
        speed = speed_at(self.metric, s, reach) or 1.0
        found: list[tuple[Array, Array]] = []
        for share in BESIDE * 10.0 ** rng.uniform(-1.0, 2.0, 4 * count):
            x, w = self.lift(rng.normal(size=(n, 2)) / np.sqrt(n)).T
            change, bound = share * reach * x, share * most
            place = (s.q + np.clip(change, -bound, bound), speed * w, s.t + share * reach / speed, self.theta)
            both = np.array([model.residuals(*place)[1], model.noise(*place).psi])[:, self.index] / self.scale
            if np.all(np.isfinite(both)):
                found.append((place[0], both))
            if len(found) == count:
                break
        return found

    @cached_property
    def lifting(self) -> Array:
        """The absolute values (n, n) of L⁻ᵀ, by which noise of z becomes that of a = L⁻ᵀz, and of rows in a, in z."""
        return np.abs(self.lift(np.eye(self.n)))

    @cached_property
    def free(self) -> Array:
        """The free acceleration z_free (n,)."""
        return np.asarray(self.metric.L.T @ self.metric.reference)

    def size_of(self, z: Array) -> float:
        """Return the size of an acceleration z (n,), that of the free one at least."""
        return max(float(np.linalg.norm(z)), float(np.linalg.norm(self.free)))

    @property
    def rows(self) -> Array:
        """The rows J/s (m, n) in the coordinates of the system."""
        return np.asarray(self.problem.rows.J[self.index] / self.scale[:, None])

    @property
    def rows_noise(self) -> Array:
        """Their noise (m, n)."""
        return self.J_noise / self.scale[:, None]

    def products_noise(self, a: Array) -> Array:
        """Return the noise (m,) of the rows times a vector (n,): theirs, and the rounding of the products and sums."""
        return np.asarray((self.rows_noise + UNIT * np.abs(self.rows)) @ np.abs(a))

    @property
    def unsure_q(self) -> Array:
        """The uncertainty of the position (n,)."""
        return self.known * self.place

    def lift(self, z: Array) -> Array:
        """Return the acceleration a = L⁻ᵀz (n,), or of several as columns (n, k)."""
        return self.metric.lift(z)

    def sets_of(self, combinations: Array) -> tuple[tuple[str, ...], ...]:
        """Return the names of the rows in each combination (m, ·)."""
        return tuple(tuple(self.names[k] for k in involved(w)) for w in combinations.T)

    def weights(self, w: Array) -> Array:
        """Return a combination (m,) of the scaled rows as one of all rows of the system as they are written."""
        full = np.zeros(len(self.system.row_names))
        full[self.index] = w / self.scale
        return full

    def second(self, z: Array) -> tuple[Array, Array]:
        """Return R₂ (m,) at z and its derivative (m, n) by z, rows divided by their scale."""
        s = self.state
        value, K = self.system.model.jets.second(s.q, s.v, s.t, self.theta, self.lift(z))
        return value[self.index] / self.scale, self.metric.whitened(K[self.index]) / self.scale[:, None]

    def third(self, z: Array, b: Array) -> tuple[Array, Array, Array]:
        """Return d³ψ/dt³ (m,) at (z, b) with c = 0, and its derivatives (m, n) by z and by b, all in the frame."""
        s = self.state
        value, by_a, by_b = self.system.model.jets.third(s.q, s.v, s.t, self.theta, self.lift(z), self.lift(b))
        d = self.scale[:, None]
        by_z, by_y = (self.metric.whitened(x[self.index]) / d for x in (by_a, by_b))
        return value[self.index] / self.scale, by_z, by_y

    def rates(self, z: Array) -> tuple[Array, Array]:
        """Return dW/dt and d²W/dt² (m, n), the derivatives of the scaled rows along the motion."""
        s = self.state
        once, twice = self.system.model.jets.rows(s.q, s.v, s.t, self.theta, self.lift(z))
        d = self.scale[:, None]
        return self.metric.whitened(once[self.index]) / d, self.metric.whitened(twice[self.index]) / d

    def combination(self, order: int, z: Array, w: Array) -> Demand:
        """Return wᵀR₂ or wᵀR₃ at z with its derivatives by z, for a combination w (m,) of the scaled rows."""
        s = self.state
        raw = self.system.model.jets.combination(order, s.q, s.v, s.t, self.theta, self.lift(z), self.weights(w))
        by_zz = self.metric.form(raw.by_aa)
        return Demand(raw.value, self.metric.whitened(raw.by_a[None])[0], (by_zz + by_zz.T) / 2)


def scaled_rows(
    system: System, state: State, problem: GaussProblem, index: Sequence[int], length: float | None = None
) -> ScaledRows:
    """Return the given rows (indices) at a state, scaled; `problem` supplies M and f there.

    `length` is ℓ as a displacement in the metric, √kg m; left out, it is the larger of |q| and |v|²/|a_free|.
    """
    theta, pick = system.theta(), np.array(index, dtype=int)
    terms = system.model.terms(state.q, state.v, state.t, theta)
    unsure = system.model.noise(state.q, state.v, state.t, theta)
    metric = problem.metric
    whitened = metric.whitened(terms.J[pick])
    derivatives = RowDerivatives.at(system, state, theta, metric, pick)
    change, bend = derivatives.sizes
    size = norms(whitened, 1)
    ell = length_at(metric, state, whitened, size, terms.gamma[pick]) if length is None else length
    place, pace = sizes_by_coordinate(metric, state, terms, ell)
    changes = derivatives.changes(place, pace)
    scale = np.maximum(size, np.maximum(change * ell, bend * speed_at(metric, state, ell)))
    clear = np.any(np.abs(terms.J[pick]) > CLEAR * (unsure.J[pick] + KNOWN * changes), axis=1)
    scale = with_flat_rows(system, state, theta, metric, pick, scale, ell, ~clear)
    W = whitened / scale[:, None]
    phi = terms.phi[pick] / scale
    off = float(np.max(np.abs(phi), initial=0.0)) / ell if ell > 0.0 else 0.0
    tolerance = COMPUTED * np.sqrt(max(W.shape[0], 1)) + VIOLATION * off
    turned = np.abs(terms.J[pick]) + changes / 2.0
    reach = np.asarray(turned @ place)  # what displacements by the sizes of the position make of the rows
    missed = float(np.max(np.abs(terms.phi[pick][reach > 0.0]) / reach[reach > 0.0], initial=0.0))
    noise, known = max(COMPUTED, off, missed), max(KNOWN, VIOLATION * missed)
    decided = dependence(terms.J[pick], unsure.J[pick], lambda w: derivatives.change(w, known * place, KNOWN * pace))
    return ScaledRows(
        system=system,
        state=state,
        theta=theta,
        problem=problem,
        metric=metric,
        index=pick,
        scale=scale,
        W=W,
        gamma=terms.gamma[pick] / scale,
        phi=phi,
        psi=terms.psi[pick] / scale,
        length=ell,
        curvature=change / scale,
        bend=bend / scale,
        noise=noise,
        derivatives=derivatives,
        place=place,
        pace=pace,
        known=known,
        phi_noise=unsure.phi[pick],
        psi_noise=unsure.psi[pick],
        J_noise=unsure.J[pick],
        gamma_noise=unsure.gamma[pick],
        decided=decided,
        tolerance=tolerance,
    )
