"""Singular positions near a given one: where the constraint rows lose rank, located to rounding.

A position is sought with φ(q) = 0 and uᵀJ(q) = 0 for as many combinations u of the rows as lose their independence
together. In the singular value decomposition W = U diag(σ) Vᵀ of the scaled rows in the mass metric the rank is r where
the Schur complement G of the leading r singular values vanishes, and along a displacement x

    G = diag(σ_{r+1}, …),   G'[x] = U_⊥ᵀ W'[x] V_⊥,

U_⊥ and V_⊥ being the singular vectors beyond r. So φ = 0 and G = 0 are equations for q alone, and |G| is the distance
of W from the matrices of rank r. They are more than the unknowns, and consistent only at singular positions: the method of
Levenberg and Marquardt, damped by the square of the residual, then converges quadratically.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gauss.arrays import Array, Flags, Indices, positive
from gauss.errors import GaussError, InputError
from gauss.model import System
from gauss.principle import GaussProblem
from gauss.principle.metric import Metric
from gauss.regularity.frame import Frame, complement, frame_of, involved
from gauss.regularity.nearby import NearbyPoint, along_directions, length_of
from gauss.state import State

ITERATIONS = 100
PATIENCE, STALLED = 10, 0.9  # iterations in which the residual must fall to this share
SHRINKS = 12  # of a step in one iteration
CONSISTENT = 1e-12  # residual per row up to which the equations are consistent: W, and φ over the length
LOST = 1e-5  # singular values that small where others vanish are tried to vanish with them
TRUNCATION = 1e-9  # of the singular values of the linearised equations
DROPS = 3  # ranks tried below the expected one
RESTARTS, ASIDE = 4, 0.2  # from displaced positions, at this share of the length
DIRECTIONS = 4  # of nearby points, along free displacements and any
BESIDE = 1e-7  # singular values at nearby points up to which they vanish there
BINDING = 1e-6  # second-order terms of dependent rows that count, in the frame


@dataclass(frozen=True)
class SingularPosition:
    """A position where equality rows are dependent that are not, or in fewer ways, on the constraint set beside it."""

    system: str
    coordinates: tuple[str, ...]  # (n,)
    q: Array  # (n,)
    rank: int  # of the m equality rows
    sigma_min: float  # largest of the singular values that vanish, of the scaled rows
    rows: tuple[str, ...]  # names of the rows whose combinations vanish here and not beside it
    left: Array  # (m,) one such combination u of the rows as they are written, |u| = 1, uᵀJ = 0
    distance: float  # from the position given, in the mass metric, √kg m
    freedoms: int  # n − rank, the instantaneous mobility
    generic_mobility: int  # freedoms beside it, the largest if several branches of the constraint set meet
    count: int  # n − m, the freedoms if all rows were independent
    nearby: tuple[NearbyPoint, ...]  # points of the constraint set beside it that were found

    @property
    def verdict(self) -> str:
        """What becomes dependent here, and the three counts of freedoms, in words."""
        names = " + ".join(map(repr, self.rows[:8])) + (f" and {len(self.rows) - 8} more" if len(self.rows) > 8 else "")
        what = f"the row {names} vanishes" if len(self.rows) == 1 else f"the rows {names} become dependent"
        seen = f"{len(self.nearby)} points of the constraint set" if self.nearby else "the second-order terms alone"
        return (
            f"singular position of {self.system!r}: {what}. Their rank is {self.rank} here, which leaves"
            f" {self.freedoms} freedoms; beside it there are {self.generic_mobility} (by {seen}), and the count n − m"
            f" is {self.count}."
        )

    def __str__(self) -> str:
        place = ", ".join(f"{name} = {x:.9g}" for name, x in zip(self.coordinates, self.q, strict=True))
        return f"{self.verdict}\nIt is at {place} (vanishing singular value {self.sigma_min:.2g})."


def find_singular(
    system: System, near: object, v: object = None, t: float = 0.0, *, length: float | None = None
) -> SingularPosition:
    """Return the singular position that is reached from `near`, usually the nearest.

    `near` (a list or a dict by name) need not satisfy the constraints. Equality rows alone are examined. Pfaffian rows
    demand uᵀA(q) = 0 and nothing else; for rows nonlinear in the velocities v is kept as given. `length` is the length
    ℓ of the system (unit of the coordinates) as in `gauss.classify`. Where the rows are dependent all over the
    constraint set (redundant), positions of lower rank are sought. q is exact to rounding; where the rows vanish to a
    higher order, as at a cusp, it is exact to the root of rounding or less.

    Raises InputError for arguments that do not fit, and GaussError where no singular position is reached.
    """
    if not isinstance(system, System):
        raise InputError(f"find_singular expects a gauss.System, got {type(system).__name__}.")
    state = system.state(near, v, t)
    if not system.model.equality:
        raise InputError(f"{system.name!r} has no equality rows; find_singular examines nothing else.")
    search = _Search.at(system, state, None if length is None else positive(length, "length"))
    rank, redundant = min(search.scale.size, system.n) - 1, ""
    while rank >= 0:
        look = search.reached(rank)
        if look.size > search.consistent:
            break
        frame = search.frame(look)
        nearby = _nearby(frame)
        beside = [_mobility(search, p.q) for p in nearby] or [_mobility(search, look.q)]
        mobility = max(dimension for _, dimension in beside)
        if system.n - frame.rank > mobility:
            return _described(search, frame, nearby, mobility, max(rank for rank, _ in beside))
        redundant = f" (the rows have the rank {frame.rank} all over the constraint set near it)"
        rank = frame.rank - 1
    places = ", ".join(f"{name} = {x:.6g}" for name, x in zip(system.coordinates, state.q, strict=True))
    raise GaussError(
        f"no singular position of {system.name!r} was reached from {places}{redundant}: the singular value that would"
        f" have to vanish came down to {look.lost:.3g}, rows scaled in the mass metric. Start nearer to one;"
        " trajectory.sigma_min has a minimum where a motion passes one."
    )


@dataclass(frozen=True)
class _Search:
    """The equations φ = 0, G = 0 around a position, with the scales and the metric that it gives."""

    system: System
    start: State
    metric: Metric
    index: Indices  # (m,) the equality rows
    positional: Flags  # (m,) which of them are conditions on the position
    scale: Array  # (m,)
    length: float  # ℓ in the metric, √kg m

    @staticmethod
    def at(system: System, state: State, length: float | None) -> _Search:
        """Return the equations; `length` is ℓ in the unit of the coordinates."""
        problem, index = GaussProblem.at(system, state), system.model.equality
        ell = None if length is None else length * float(np.sqrt(np.trace(problem.M) / problem.n))
        frame = frame_of(system, state, problem, index, length=ell)
        frame = frame_of(system, state, problem, index, length=length_of(frame))
        positional = np.array([k in system.model.positional for k in index], dtype=bool)
        return _Search(system, state, frame.metric, frame.index, positional, frame.scale, frame.length)

    @property
    def consistent(self) -> float:
        """The residual up to which the equations count as consistent."""
        offset = self.metric.norm(self.start.q) / self.length
        return CONSISTENT * float(np.sqrt(self.scale.size)) * max(1.0, offset)

    def frame(self, look: _Look) -> Frame:
        """Return the frame of the rows at a position that was reached."""
        state = State(look.q, self.start.v, self.start.t)
        problem = GaussProblem.at(self.system, state)
        return frame_of(self.system, state, problem, self.index.tolist(), length=self.length, target=look.rank)

    def rows(self, q: Array) -> tuple[Array, Array]:
        """Return φ/ℓ (·,) of the conditions on the position and all rows W (m, n), scaled."""
        terms = self.system.model.terms(q, self.start.v, self.start.t, self.system.theta())
        phi = (terms.phi[self.index] / self.scale)[self.positional] / self.length
        return phi, self.metric.white(terms.J[self.index]) / self.scale[:, None]

    def turns(self, q: Array, left: Array, right: Array, along: Array) -> Array:
        """Return leftᵀ W'[ℓ x] right, flat (k l, ·), along the columns x of (n, ·); left is (m, k), right (n, l)."""
        weights = np.zeros((len(self.system.row_names), left.shape[1]))
        weights[self.index] = left / self.scale[:, None]
        back, place = self.metric.lift(right), (q, self.start.v, self.start.t, self.system.theta())
        moves = self.metric.lift(self.length * along).T
        tables = [weights.T @ self.system.model.jets.turn(*place, x)[0] @ back for x in moves]
        return np.array(tables).reshape(len(moves), -1).T

    def look(self, q: Array, rank: int) -> _Look:
        """Evaluate the equations at a position."""
        phi, W = self.rows(q)
        if not (np.all(np.isfinite(phi)) and np.all(np.isfinite(W))):
            return _Look(q, np.full(1, np.inf), W, W, W, np.full(1, np.inf))
        U, sigma, V = np.linalg.svd(W)
        G = np.zeros((W.shape[0] - rank, W.shape[1] - rank))
        np.fill_diagonal(G, sigma[rank:])
        return _Look(q, np.concatenate([phi, G.ravel()]), W, U[:, rank:], V[rank:].T, sigma)

    def settled(self, q: Array, rank: int) -> _Look:
        """Minimise the sum of the squared residuals of the equations from q, to rounding where they have a root."""
        here, damping, sizes = self.look(q, rank), 1.0, []
        while len(sizes) < ITERATIONS and here.size > 0.0:
            sizes.append(here.size)
            if len(sizes) > PATIENCE and here.size > STALLED * sizes[-PATIENCE - 1]:
                break
            slope = np.vstack([here.W[self.positional], self.turns(here.q, here.left, here.right, np.eye(q.size))])
            P, s, Q = np.linalg.svd(slope, full_matrices=False)
            s = np.where(s > TRUNCATION * np.max(s, initial=0.0), s, 0.0)
            for _ in range(SHRINKS):
                filtered = np.divide(s, s**2 + damping * here.size**2, out=np.zeros_like(s), where=s > 0.0)
                there = self.look(
                    here.q - self.metric.lift(self.length * (Q.T @ (filtered * (P.T @ here.residual)))), rank
                )
                if there.size < here.size:
                    break
                damping *= 5.0
            else:
                break
            here, damping = there, damping / 5.0
        return here

    def reached(self, rank: int) -> _Look:
        """Return a root of the equations for this rank or one a little lower, or the nearest miss."""
        rng, best = np.random.default_rng(0), None
        aside = rng.normal(size=(RESTARTS, self.system.n))
        aside *= ASIDE * self.length / np.linalg.norm(aside, axis=1)[:, None]
        for displacement in [np.zeros(self.system.n), *aside]:
            for lower in range(rank, max(rank - DROPS, -1), -1):
                look = self.settled(self.start.q + self.metric.lift(displacement), lower)
                while look.size <= np.sqrt(self.consistent):  # where more singular values vanish, let them too
                    further = int(np.sum(look.sigma > LOST))
                    if further >= look.rank:
                        break
                    look = self.settled(look.q, further)
                if look.size <= self.consistent:
                    return look
                best = look if best is None or look.size < best.size else best
        assert best is not None
        return best


@dataclass(frozen=True)
class _Look:
    """The equations at one position."""

    q: Array  # (n,)
    residual: Array  # (·,) φ over the length, then G
    W: Array  # (m, n)
    left: Array  # (m, m − r) singular vectors beyond the rank
    right: Array  # (n, n − r)
    sigma: Array  # (min(m, n),)

    @property
    def size(self) -> float:
        """The norm of the residual."""
        return float(np.linalg.norm(self.residual))

    @property
    def lost(self) -> float:
        """The largest singular value that would have to vanish."""
        return float(np.max(self.sigma[self.rank :], initial=0.0))

    @property
    def rank(self) -> int:
        """The rank that is sought."""
        return self.W.shape[0] - self.left.shape[1]


def _nearby(frame: Frame) -> tuple[NearbyPoint, ...]:
    """Return points of the constraint set beside a position, from free displacements and from any."""
    rng, free = np.random.default_rng(0), frame.kernel
    directions = [free @ rng.normal(size=free.shape[1]) for _ in range(2 * DIRECTIONS)]
    directions += list(rng.normal(size=(2 * DIRECTIONS, frame.n)))
    return tuple(along_directions(frame, directions))


def _mobility(search: _Search, q: Array) -> tuple[int, int]:
    """Return the rank at a position, and the dimension of the constraint set there.

    That is n − rank, less what the second-order terms of dependent rows bind: a surface that touches another one.
    """
    _, W = search.rows(q)
    rank = int(np.sum(np.linalg.svd(W, compute_uv=False) > BESIDE))
    U, sigma, V = np.linalg.svd(W[search.positional])
    r = int(np.sum(sigma > BESIDE))
    left = np.zeros((W.shape[0], U.shape[0] - r))
    if not left.size:
        return rank, search.system.n - rank
    left[search.positional] = U[:, r:]
    free = complement(V[:r], search.system.n)
    turns = search.turns(q, left, free, free)
    return rank, search.system.n - rank - int(np.sum(np.linalg.svd(turns, compute_uv=False) > BINDING))


def _described(search: _Search, frame: Frame, nearby: tuple[NearbyPoint, ...], mobility: int, most: int) -> SingularPosition:
    """Return the singular position of a frame; combinations that vanish beside it too are told apart."""
    system, U = search.system, frame.U[:, frame.rank :]
    beside = [search.rows(p.q)[1] for p in nearby] or [np.zeros((len(U), 0))]
    turned = np.linalg.svd(U.T @ np.hstack(beside))[0]
    new = max(1, most - frame.rank)
    combinations = U @ turned[:, :new]
    left = combinations[:, 0] / frame.scale
    weights = np.max(np.abs(combinations), axis=1)
    return SingularPosition(
        system=system.name,
        coordinates=system.coordinates,
        q=frame.state.q,
        rank=frame.rank,
        sigma_min=float(np.max(frame.sigma[frame.rank :], initial=0.0)),
        rows=tuple(frame.names[k] for k in involved(weights)),
        left=left / np.linalg.norm(left),
        distance=search.metric.norm(frame.state.q - search.start.q),
        freedoms=system.n - frame.rank,
        generic_mobility=mobility,
        count=system.n - len(U),
        nearby=nearby,
    )
