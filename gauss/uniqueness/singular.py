"""Singular positions near a given one: where the constraint rows lose rank, located to rounding.

A position is sought with φ(q) = 0 and uᵀJ(q) = 0 for as many combinations u of the rows as become dependent together.
In the singular value decomposition W = U diag(σ) Vᵀ of the scaled rows in the mass metric the rank is r where the Schur
complement G of the leading r singular values vanishes, and along a displacement x

    G = diag(σ_{r+1}, …),   G'[x] = U_⊥ᵀ W'[x] V_⊥,

U_⊥ and V_⊥ being the singular vectors beyond r. So φ = 0, G = 0 are equations for q alone; |G| is the distance of W
from the matrices of rank r. They are more than the unknowns and consistent only at singular positions, where
the method of Levenberg and Marquardt, damped by the square of the residual, converges quadratically.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gauss.errors import GaussError, InputError
from gauss.foundation.arrays import Array, Flags, Indices, positive
from gauss.foundation.calls import advised
from gauss.foundation.outcomes import Shown
from gauss.foundation.tolerances import DEPENDENT
from gauss.model import AnySystem, System, system_of
from gauss.model.state import State
from gauss.principle import GaussProblem
from gauss.principle.metric import Metric
from gauss.uniqueness.rows.combinations import involved
from gauss.uniqueness.rows.frame import frame_of
from gauss.uniqueness.rows.nearby import DISTANCE, along_directions, length_of
from gauss.uniqueness.rows.sizes import unit_length

ITERATIONS, SHRINKS = 100, 12  # of Levenberg and Marquardt, and of one step
PATIENCE, STALLED, TINY = 10, 0.9, 1e-20  # iterations in which the residual must fall to this share, and its end
CONSISTENT = 1e-12  # residual per row up to which the equations are consistent: W, and φ over the length
SMALL, TOGETHER = 0.1, 0.2  # singular values that may vanish too, this share of the distance away
DROPS, RESTARTS, ASIDE = 3, 4, 0.2  # ranks tried; starts from displaced positions, at this share of the length
DIRECTIONS = 8  # of nearby points, along free displacements and along any
BESIDE = 1e-7  # singular values of the rows that vanish at nearby points, and of second-order terms that do


@dataclass(frozen=True, repr=False)
class SingularPosition(Shown):
    """A position where equality rows are dependent that are not, or in fewer ways, on the constraint set beside it."""

    system: str
    coordinates: tuple[str, ...]  # (n,)
    q: Array  # (n,)
    rank: int  # of the m equality rows
    sigma_min: float  # largest of the singular values that vanish, of the scaled rows
    rows: tuple[str, ...]  # names of the rows whose combinations vanish here and not beside it
    left: Array  # (m,) one such combination u of the equality rows as they are written: |u| = 1, uᵀJ = 0
    distance: float  # from the position given, in the mass metric, √kg m
    freedoms: int  # n − rank, the instantaneous mobility
    generic_mobility: int  # freedoms beside it, the largest number if branches of the constraint set meet
    count: int  # n − m, the freedoms if all rows were independent

    @property
    def verdict(self) -> str:
        """What becomes dependent here, and the three counts of freedoms, in words."""
        names = " + ".join(map(repr, self.rows[:8])) + (" + …" if len(self.rows) > 8 else "")
        what = f"the row {names} vanishes" if len(self.rows) == 1 else f"the rows {names} become dependent"
        freedoms = (
            f"{self.freedoms} freedoms here and {self.generic_mobility} beside it; the count n − m is {self.count}"
        )
        return f"singular position of {self.system!r}: {what}, and the rank is {self.rank}. There are {freedoms}."

    def __str__(self) -> str:
        place = ", ".join(f"{name} = {x:.9g}" for name, x in zip(self.coordinates, self.q, strict=True))
        return f"{self.verdict}\nIt is at {place} (vanishing singular value {self.sigma_min:.2g})."


@advised
def find_singular(
    system: AnySystem, near: object, v: object = None, t: float = 0.0, *, length: float | None = None
) -> SingularPosition:
    """Return the singular position that is reached from `near`, usually the nearest.

    `near` (list or dict) need not satisfy the constraints. Equality rows alone are examined. Pfaffian rows demand
    uᵀA(q) = 0 and nothing else; for rows nonlinear in the velocities v is kept. `length` is ℓ as in `gauss.classify`.
    Where the rows are dependent all over the constraint set (redundant), positions of lower rank are sought. q is exact
    to rounding, or to a root of it where the rows vanish to a higher order, as at a cusp.

    Raises InputError for arguments that do not fit, and GaussError where no singular position is reached.

    >>> import gauss as g
    >>> cross = g.System(
    ...     "two lines that cross",
    ...     coordinates="x y",
    ...     kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
    ...     force=[1.0, 2.0],
    ...     constraints=[g.Holonomic("lines", lambda q: q.x * q.y)],
    ... )
    >>> g.find_singular(cross, [0.3, 0.0]).q.round(9).tolist()
    [0.0, 0.0]
    """
    system = system_of(system)
    state = system.start(near, v, t)
    if not system.model.equality:
        raise InputError(f"{system.name!r} has no equality rows, and find_singular examines nothing else.")
    search = _SingularSearch.at(system, state, None if length is None else positive(length, "length"))
    rank, redundant = min(search.scale.size, system.n) - 1, ""
    while rank >= 0:
        look = search.reached(rank)
        if look.size > search.consistent:
            break
        beside, rank = _beside(search, look)
        mobility = max(_mobility(search, q)[1] for q in beside)
        if system.n - rank > mobility:
            return _described(search, search.look(look.q, rank), beside, mobility)
        redundant = f" (all over the constraint set near it the rows have the rank {rank})"
        rank -= 1
    raise GaussError(
        f"no singular position of {system.name!r} was reached from there{redundant}: the nearest miss has the smallest"
        f" singular value {look.lost[0]:.3g} (in the mass metric) with the constraints {look.off:.3g} off, relative to"
        " the length of the system. Start nearer to one; trajectory.sigma_min has minima where a motion passes one."
    )


@dataclass(frozen=True)
class _Look:
    """The equations at one position."""

    rank: int  # r, that is sought
    q: Array  # (n,)
    W: Array  # (m, n)
    left: Array  # (m, m − r) singular vectors beyond r
    right: Array  # (n, n − r)
    lost: Array  # σ beyond r
    residual: Array  # φ over the length, then G
    size: float  # its norm
    off: float  # largest violation of a condition on the position, over the length


@dataclass(frozen=True)
class _SingularSearch:
    """The equations φ = 0, G = 0 with the scales and the metric of the position where the search starts."""

    system: System
    start: State
    metric: Metric
    index: Indices  # (m,) the equality rows
    positional: Flags  # (m,) which of them are conditions on the position
    scale: Array  # (m,)
    length: float  # ℓ in the metric, √kg m
    consistent: float  # residual up to which the equations count as consistent

    @staticmethod
    def at(system: System, state: State, length: float | None) -> _SingularSearch:
        """Return the equations; `length` is ℓ in the unit of the coordinates."""
        problem, index = GaussProblem.at(system, state), system.model.equality
        ell = None if length is None else length * unit_length(problem.M)
        frame = frame_of(system, state, problem, index, length=ell)
        frame = frame_of(system, state, problem, index, length=length_of(frame))
        positional = np.isin(index, system.model.positional)
        limit = CONSISTENT * float(np.sqrt(len(index))) * max(1.0, frame.metric.norm(state.q) / frame.length)
        return _SingularSearch(system, state, frame.metric, frame.index, positional, frame.scale, frame.length, limit)

    def look(self, q: Array, rank: int) -> _Look:
        """Evaluate the equations; their residual is infinite where the rows are not finite."""
        terms = self.system.model.terms(q, self.start.v, self.start.t, self.system.theta())
        phi = (terms.phi[self.index] / self.scale)[self.positional] / self.length
        W = self.metric.whitened(terms.J[self.index]) / self.scale[:, None]
        if not (np.all(np.isfinite(phi)) and np.all(np.isfinite(W))):
            phi, W = np.full(1, np.inf), np.zeros_like(W)
        U, sigma, V = np.linalg.svd(W)
        G = np.zeros((W.shape[0] - rank, W.shape[1] - rank))
        np.fill_diagonal(G, sigma[rank:])
        residual, off = np.concatenate([phi, G.ravel()]), float(np.max(np.abs(phi), initial=0.0))
        return _Look(rank, q, W, U[:, rank:], V[rank:].T, sigma[rank:], residual, float(np.linalg.norm(residual)), off)

    def derivatives(self, q: Array, left: Array, right: Array, along: Array) -> Array:
        """Return leftᵀ W'[ℓ x] right (k, l, ·) along the columns x of (n, ·); left is (m, k), right (n, l)."""
        weights = np.zeros((len(self.system.row_names), left.shape[1]))
        weights[self.index] = left / self.scale[:, None]
        back, place = self.metric.lift(right), (q, self.start.v, self.start.t, self.system.theta())
        moves = self.metric.lift(self.length * along).T
        return np.stack([weights.T @ self.system.model.jets.turn(*place, x)[0] @ back for x in moves], axis=2)

    def settled(self, q: Array, rank: int) -> _Look:
        """Minimise the squared residual of the equations from q, down to rounding where they have a root."""
        here, damping, sizes, n = self.look(q, rank), 1.0, [np.inf] * PATIENCE, q.size
        while here.size > TINY and here.size <= STALLED * sizes[-PATIENCE] and len(sizes) < ITERATIONS:
            sizes.append(here.size)
            slope = self.derivatives(here.q, here.left, here.right, np.eye(n)).reshape(-1, n)
            P, s, Q = np.linalg.svd(np.vstack([here.W[self.positional], slope]), full_matrices=False)
            s = np.where(s > DEPENDENT * np.max(s), s, 0.0)
            for _ in range(SHRINKS):
                ratio = np.divide(s, s**2 + damping * here.size**2, out=np.zeros(s.size), where=s > 0.0)
                step = self.metric.lift(self.length * (Q.T @ (ratio * (P.T @ here.residual))))
                there = self.look(here.q - step, rank)
                if there.size < here.size:
                    break
                damping *= 5.0
            if not there.size < here.size:
                return here
            here, damping = there, damping / 5.0
        return here

    def reached(self, rank: int) -> _Look:
        """Return a root of the equations for this rank or a little lower ones, or the nearest miss."""
        misses, aside = [], np.random.default_rng(0).normal(size=(RESTARTS, self.system.n))
        aside *= ASIDE * self.length / np.linalg.norm(aside, axis=1)[:, None]
        for x in [np.zeros(self.system.n), *aside]:
            for lower in range(rank, max(rank - DROPS, -1), -1):
                look = self.settled(self.start.q + self.metric.lift(x), lower)
                if look.size <= self.consistent:
                    return self.together(look)
                misses.append(look)
        return min(misses, key=lambda look: look.size)

    def together(self, look: _Look) -> _Look:
        """Return a root of lower rank next to a root, compared with its distance from the start, if there is one."""
        far, sigma = self.metric.norm(look.q - self.start.q), np.linalg.svd(look.W, compute_uv=False)
        gaps = {r: sigma[r] / sigma[r - 1] if r else 0.0 for r in range(look.rank) if sigma[r] <= SMALL}
        for lower in sorted(sorted(gaps, key=lambda r: gaps[r])[:DROPS]):
            other = self.settled(look.q, lower)
            if other.size <= self.consistent and self.metric.norm(other.q - look.q) <= TOGETHER * far:
                return other
        return look


def _beside(search: _SingularSearch, look: _Look) -> tuple[list[Array], int]:
    """Return points (n,) of the constraint set beside a root, or itself where there are none, and its own rank."""
    system, state = search.system, State(look.q, search.start.v, search.start.t)
    problem, index = GaussProblem.at(system, state), search.index.tolist()
    frame = frame_of(system, state, problem, index, length=search.length, target=look.rank)
    rng, free = np.random.default_rng(0), frame.kernel
    directions = [*(free @ rng.normal(size=(free.shape[1], DIRECTIONS))).T, *rng.normal(size=(DIRECTIONS, frame.n))]
    points, _ = along_directions(frame, directions, (DISTANCE,))
    return [p.q for p in points] or [look.q], min(frame.rank, look.rank)


def _mobility(search: _SingularSearch, q: Array) -> tuple[int, int]:
    """Return how many combinations of rows are redundant at a position, and the dimension of the constraint set.

    That is n − rank, less what second-order terms of dependent rows bind, as where a surface touches another one.
    """
    look, pick, n = search.look(q, 0), search.positional, search.system.n
    rank, r = (int(np.linalg.matrix_rank(rows, BESIDE)) for rows in (look.W, look.W[pick]))
    if r == np.sum(pick):
        return pick.size - rank, n - rank
    U, _, V = np.linalg.svd(look.W[pick])
    left, free = np.zeros((pick.size, U.shape[0] - r)), V[r:].T
    left[pick] = U[:, r:]
    terms = search.derivatives(q, left, free, free)
    shapes = ((left.shape[1], -1), (-1, free.shape[1])) if terms.size else ()
    binding, bound = [int(np.linalg.matrix_rank(terms.reshape(x), BESIDE)) for x in shapes] or (0, 0)
    return pick.size - rank - binding, n - rank - bound


def _described(search: _SingularSearch, look: _Look, beside: list[Array], mobility: int) -> SingularPosition:
    """Return the singular position of a root with its own rank, combinations that vanish beside it too told apart."""
    system, U, free = search.system, look.left, look.right
    grown = [U.T @ search.look(q, 0).W for q in beside]
    bent = search.derivatives(look.q, U, free, free).reshape(U.shape[1], -1)
    vanishing = U @ np.linalg.svd(np.hstack([*grown, bent]), full_matrices=False)[0]
    vanishing = vanishing[:, : max(1, U.shape[1] - min(_mobility(search, q)[0] for q in beside))]
    left = vanishing[:, 0] / search.scale
    return SingularPosition(
        system=system.name,
        coordinates=system.coordinates,
        q=look.q,
        rank=look.rank,
        sigma_min=float(np.max(look.lost, initial=0.0)),
        rows=tuple(system.row_names[search.index[k]] for k in involved(np.max(np.abs(vanishing), axis=1))),
        left=left / np.linalg.norm(left),
        distance=search.metric.norm(look.q - search.start.q),
        freedoms=free.shape[1],
        generic_mobility=mobility,
        count=system.n - len(U),
    )
