"""Deflation: the rows of a locked state completed by the slopes of their vanishing combinations.

All along a locked motion the rows have a rank r below their number. With U the combinations that vanish and N the
accelerations that the rows leave free, the position stays where UᵀW(q)N = 0, W being the rows: a second set of
equations, whose slopes S_k = Nᵀ(u_k·φ'')N are not degenerate across the locked directions (Leykin, Verschelde, Zhao,
Theor. Comput. Sci. 359 (2006) 111). With φ and its time derivatives they fix what the rows alone leave open:

    position       S_k y = −NᵀWᵀu_k
    velocity       S_k y = −Nᵀ(dW/dt)ᵀu_k
    acceleration   3 S_k y = −g_k,    from the conditions of order 4, 3 yᵀS_k y + 2 g_kᵀy + c_k = 0

A sum of slopes that is definite across these directions locks them; those that no S_k acts on are free. Nothing is
decided here about the rank or about other slopes: both come with the analysis of a state (`gauss.uniqueness`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gauss.foundation.arrays import Array
from gauss.foundation.zero import COMPUTED, UNIT, ZERO
from gauss.model import System
from gauss.model.state import State
from gauss.principle import GaussProblem
from gauss.principle.metric import Metric
from gauss.uniqueness.rows.frame import frame_of

GAP = 1e2  # least ratio between the singular values of what is independent and of what vanishes
FREE = 1e-6  # slopes below this, relative to the second derivatives of the rows, leave their direction free
NEAR = 1e-6  # singular values below this are those of a singular position next to a state
SWEEPS = 3  # of Newton towards it


@dataclass(frozen=True)
class Deflation:
    """The m rows at one state, scaled and in the metric (z = Lᵀa): r independent parts, k vanishing combinations."""

    metric: Metric
    phi: Array  # (m,) residuals of the rows, scaled
    psi: Array  # (m,)
    gamma: Array  # (m,)
    scale: Array  # (m,)
    W: Array  # (m, n)
    U: Array  # (m, r) left singular vectors
    sigma: Array  # (r,)
    V: Array  # (r, n)
    null: Array  # (m, k) combinations that vanish
    N: Array  # (n, d) what the rows leave free
    slopes: Array  # (k, d, d) S_k
    across: Array  # (c, d) orthonormal directions that are locked
    along: Array  # (d, d − c) those that are free
    _solve: Array  # (d, k d) least squares inverse of the slopes

    @property
    def locked(self) -> int:
        """The number c of locked directions."""
        return len(self.across)

    @cached_property
    def definite(self) -> bool:
        """Whether a sum of the slopes is definite on the locked directions, so that order 4 holds nowhere on them.

        Each slope has its trace as its weight: where all are semidefinite, the sum is.
        """
        table = np.einsum("k,kab->ab", np.trace(self.slopes, axis1=1, axis2=2), self.slopes)
        values = np.linalg.eigvalsh(self.across @ table @ self.across.T)
        return bool(not values.size or values[0] > COMPUTED * values[-1])

    def least(self, right: Array) -> Array:
        """Return the least z (n,) with W z = right (m,), its vanishing combinations left out."""
        return np.asarray(self.V.T @ ((self.U.T @ right) / self.sigma))

    def held(self, table: Array) -> Array:
        """Return z (n,) across the locked directions with S_k y = −Nᵀtable_k for table (k, n)."""
        return np.asarray(-self.N @ (self._solve @ (table @ self.N).ravel()))


def deflation(
    system: System,
    state: State,
    problem: GaussProblem,
    theta: Array,
    rank: int,
    locked: int | None = None,
    length: float | None = None,
) -> Deflation | None:
    """Return the deflation of the equality rows of given rank, or None where rank or free directions are in doubt.

    `locked` is the number of locked directions, where it is known; `length` that of the system in the metric, where
    the state does not tell it.
    """
    pick = list(system.model.equality)
    terms = system.model.terms(state.q, state.v, state.t, theta)
    metric = problem.metric
    whitened = metric.whitened(terms.J[pick])
    bends = _bends(system, state, theta, metric)
    ell = _length(metric, state) if length is None else length
    scale = np.maximum(np.linalg.norm(whitened, axis=1), np.linalg.norm(bends, axis=(1, 2)) * ell)
    if not np.all(np.isfinite(scale)) or np.any(scale == 0.0):
        return None
    W, bends = whitened / scale[:, None], bends / scale[:, None, None]
    U, sigma, V = np.linalg.svd(W)
    lost = float(sigma[rank]) if rank < sigma.size else 0.0
    if (rank and sigma[rank - 1] < GAP * lost) or (not rank and lost * GAP > 1.0):
        return None
    null, N = U[:, rank:], V[rank:].T
    slopes = np.einsum("kj,jab->kab", null.T, N.T @ bends @ N)
    count, d = null.shape[1], N.shape[1]
    P, s, Q = np.linalg.svd(slopes.reshape(count * d, d))
    full = np.zeros(d)
    full[: s.size] = s
    free = FREE * float(np.max(np.linalg.norm(bends, axis=(1, 2)), initial=0.0))
    if locked is None:
        free = max(free, ZERO * _slope_noise(system, state, theta, null / scale[:, None], metric.lift(N)))
    c = int(np.sum(full > free)) if locked is None else locked
    if c > d or (c and full[c - 1] <= free) or (0 < c < d and full[c - 1] < GAP * full[c]):
        return None
    inverse = Q[:c].T @ (P[:, :c].T / s[:c, None])
    return Deflation(
        metric=metric,
        phi=terms.phi[pick] / scale,
        psi=terms.psi[pick] / scale,
        gamma=terms.gamma[pick] / scale,
        scale=scale,
        W=W,
        U=U[:, :rank],
        sigma=sigma[:rank],
        V=V[:rank],
        null=null,
        N=N,
        slopes=slopes,
        across=Q[:c],
        along=Q[c:].T,
        _solve=inverse,
    )


def located(system: System, state: State, u: object, length: float, reach: float) -> State:
    """Return the singular position within `reach` of a state of rest, or the state where deflation does not tell it.

    `length` is that of the system: a rest at the origin has none of its own. Both are displacements in the metric. The
    rank there is the number of singular values of the scaled rows above `NEAR`.
    """
    model, theta = system.model, system.theta(u)
    if any(model.kinds[k] != "holonomic" for k in model.equality):
        return state
    found = state
    for _ in range(SWEEPS):
        problem = GaussProblem.at(system, found, u, [])
        rank = int(np.sum(frame_of(system, found, problem, model.equality, length=length).sigma > NEAR))
        d = deflation(system, found, problem, theta, rank, length=length)
        if d is None:
            return state
        change = d.metric.lift(d.least(-d.phi) + d.held(d.null.T @ d.W))
        found = State(found.q + change, state.v, state.t)
    metric = problem.metric
    rounded = np.abs(found.q) * np.linalg.norm(metric.L, axis=1) <= UNIT * length  # a zero of the length's rounding
    found = State(np.where(rounded, 0.0, found.q), state.v, state.t)
    return found if metric.norm(found.q - state.q) <= reach else state


def _bends(system: System, state: State, theta: Array, metric: Metric) -> Array:
    """Return the second derivatives (m, n, n) of the equality rows in the metric."""
    return metric.form(system.model.jets.curvature(state.q, state.v, state.t, theta)[list(system.model.equality)])


def _slope_noise(system: System, state: State, theta: Array, w: Array, directions: Array) -> float:
    """Return the noise of the slopes of combinations w (m, k) of the equality rows along directions (n, d)."""
    rest, T = np.zeros(system.n), np.abs(directions)
    weights = np.zeros((len(system.row_names), w.shape[1]))
    weights[list(system.model.equality)] = w
    jets = system.model.jets
    found = [jets.combined_noise(3, state.q, rest, state.t, theta, rest, u).by_aa for u in weights.T]
    return float(np.linalg.norm([T.T @ x @ T / 6.0 for x in found])) if found else 0.0  # φ⁗ = 3 aᵀφ''a + … at rest


def _length(metric: Metric, state: State) -> float:
    """Return a length of the system in the metric: that of its position, or of the arc of its speed, or one unit."""
    speed, push = metric.norm(state.v), metric.norm(metric.reference)
    length = max(metric.norm(state.q), speed**2 / push if push > 0.0 else 0.0)
    return length if length > 0.0 else float(np.linalg.norm(metric.L) / np.sqrt(len(metric.L)))


@dataclass(frozen=True)
class LockedAcceleration:
    """The acceleration of a locked state, with what it is worth."""

    a: Array  # (n,)
    zwang: float
    primal: float  # largest residual of the rows, as a distance in the mass metric
    stationarity: float  # |z − z_free| along the free directions
    gap: float  # how far the conditions of orders 3 and 4 are from holding on the free directions, relative


def accelerated(system: System, state: State, theta: Array, d: Deflation) -> LockedAcceleration:
    """Return the acceleration that minimises the Zwang among those that rows and locked directions allow."""
    pick, jets = list(system.model.equality), system.model.jets
    metric, scale = d.metric, d.scale[:, None]
    free, base = metric.L.T @ metric.reference, d.least(d.gamma)
    place = (state.q, state.v, state.t, theta)
    r2, K = jets.second(*place, metric.lift(base))
    r3, by_a, by_b = jets.third(*place, metric.lift(base), np.zeros(system.n))
    K, by_z, K3 = (metric.whitened(table[pick]) / scale for table in (K, by_a, by_b))
    r2, r3 = r2[pick] / d.scale, r3[pick] / d.scale
    alpha = -((K3.T @ d.null).T @ d.V.T) / d.sigma @ d.U.T  # (k, m)
    slope = (d.null.T @ by_z + alpha @ K) / 2.0
    z = base + d.held(slope / 3.0)
    y = d.N.T @ z
    height = d.null.T @ r3 + alpha @ r2 + (slope @ d.N) @ y
    off = np.einsum("kab,b->ka", 3.0 * d.slopes, y) + slope @ d.N
    turn = d.null.T @ K @ d.N
    z = z + d.N @ (d.along @ (d.along.T @ (d.N.T @ (free - z))))
    bend = float(np.max(np.abs(d.slopes), initial=0.0)) or 1.0
    size = max(float(np.linalg.norm(free)), float(np.linalg.norm(z)), bend * metric.norm(state.v) ** 2) or 1.0
    row = np.linalg.norm(d.W, axis=1)
    reaction = z - free
    return LockedAcceleration(
        a=metric.lift(z),
        zwang=0.5 * float(reaction @ reaction),
        primal=float(np.max(np.abs(d.W @ z - d.gamma) / np.where(row > 1e-9, row, 1.0), initial=0.0)),
        stationarity=float(np.linalg.norm(d.along.T @ (d.N.T @ reaction))),
        gap=max(
            float(np.max(np.abs(off), initial=0.0)) / (bend * size),
            float(np.max(np.abs(height), initial=0.0)) / (bend * size**2),
            float(np.max(np.abs(turn), initial=0.0)) / float(np.sqrt(bend * size) + np.max(np.abs(K), initial=0.0)),
        ),
    )
