"""How wrong an acceleration may be by the uncertainty of its state, beside a singular position and at one.

A combination of rows with the small singular value σ divides by it what the state misses: a state that is off by δ has
an acceleration that is wrong by about δ/σ of itself, and by δ/σ² where the rows turn along the motion.
"""

from __future__ import annotations

import numpy as np

from gauss.foundation.arrays import Array, norms
from gauss.foundation.tolerances import EPS
from gauss.foundation.zero import CLEAR, UNIT
from gauss.principle import GaussProblem
from gauss.principle.elimination import combinations_apart
from gauss.uniqueness.rows.frame import Frame

NEAR = 0.05  # singular values below this are worth comparing the two ways
SAFETY = 10.0  # on both estimates
TERMS = 4.0  # roundings of a term of the mass matrix or of the force
LARGEST_DISPLACED = 30  # coordinates up to which the state is displaced
STEADY = 0.1  # share of itself up to which a combination changes little by the uncertainty of the state


def ordinary_error(frame: Frame, size: float, count: int | None = None) -> float:
    """Return the error of an acceleration of the given size that the uncertainty of the state causes by small σ.

    Left out, `count` is the rank; otherwise it is that by the combinations with the `count` largest singular values.
    """
    return _by_small(frame, frame.rank if count is None else count, size, True)


def _by_small(frame: Frame, count: int, size: float, integrated: bool) -> float:
    """Return the error by the combinations that nearly vanish, or by the last one where none does.

    What counts is how far the next position of lower rank is: the singular value over the rate at which its combination
    turns. Where that is far, as for rows that are copies but for a small term, the value is small by its factors alone.
    Where it is near, what the combination is turns with the position too. An `integrated` state is off its branch by
    EPS/σ, which its rows do not see.
    """
    if not count:
        return 0.0
    sigma, speed = frame.sigma[:count], frame.metric.norm(frame.state.v)
    largest = float(np.max(frame.turning)) * speed
    first = min(int(np.sum(sigma >= NEAR)), count - 1)
    own = _by_coordinate(frame, first, count, integrated) if sigma[-1] < NEAR else np.full(count - first, np.inf)
    unsure, sigma = max(frame.noise, _slip(frame)), sigma[first:]
    rate, turning, noise = frame.unsureness(frame.U[:, first:count], size)
    off = np.maximum(unsure, EPS / sigma) if integrated else np.full(sigma.size, unsure)
    off = np.where(sigma < NEAR, off, unsure)
    reached = off * frame.length * rate * (size / sigma + turning * speed / sigma**2) + noise / sigma
    whole = np.where(rate * frame.length <= sigma / NEAR, reached, off * (size / sigma + largest / sigma**2))
    astray = _astray(frame, count) if integrated else 0.0
    return float(SAFETY * (np.max(np.where(sigma < NEAR, np.minimum(whole, own), whole), initial=0.0) + astray))


def _astray(frame: Frame, count: int) -> float:
    """Return by how much the acceleration changes as the velocity is moved onto combinations that nearly vanish.

    A residual ψ is far from the rows by ψ/σ, which may be all of the velocity though ψ is small. Only what is more than
    the noise of ψ counts, and the acceleration is that by the same combinations, left and right.
    """
    s, near = frame.state, slice(int(np.sum(frame.sigma[:count] >= NEAR)), count)
    U, sigma = frame.U[:, near], frame.sigma[near]
    missed = U.T @ frame.psi
    clear = np.abs(missed) > CLEAR * (np.abs(U).T @ (frame.psi_noise / frame.scale))
    if not np.any(clear):
        return 0.0
    off = frame.lift(frame.V[near].T @ np.where(clear, missed / sigma, 0.0))
    there = frame.system.model.terms(s.q, s.v - off, s.t, frame.theta).gamma[frame.index] / frame.scale
    return float(np.linalg.norm(frame.least(there - frame.gamma, count)))


def _slip(frame: Frame) -> float:
    """Return how far the velocity is off the rows, but for combinations that nearly vanish: these do not tell."""
    return frame.slip(int(np.sum(frame.sigma[: frame.rank] >= NEAR)))


def _by_coordinate(frame: Frame, first: int, count: int, integrated: bool) -> Array:
    """Return the errors by the combinations from `first` up to `count`, coordinate by coordinate.

    A combination w with the singular value σ holds Σ(wᵀJ)_j a_j = wᵀγ, so the acceleration is wrong by its changes over
    σ. An `integrated` state is off in the direction of w by wᵀφ and wᵀψ, and their rounding, over σ, its velocity too
    by what that makes of (wᵀJ)v. Masses enter by σ and that direction alone, and leave the product. Infinite for a
    combination that may vanish there: then it is not known how large the acceleration is.
    """
    s, derivatives = frame.state, frame.derivatives
    a = np.abs(frame.lift(frame.particular + frame.kernel @ (frame.kernel.T @ frame.free)))
    W, V = frame.U[:, first:count] / frame.scale[:, None], np.abs(frame.lift(frame.V[first:count].T))
    sigma, known = frame.sigma[first:count], frame.noise
    place, pace = known * frame.place, max(known, _slip(frame)) * frame.pace
    v = np.abs(s.v)
    if integrated:
        turned = np.abs(frame.problem.rows.J[frame.index]) + derivatives.changes(frame.place, frame.pace)
        phi = frame.phi_noise + frame.scale * np.abs(frame.phi) + EPS * (turned @ frame.place)
        psi = frame.psi_noise + frame.scale * np.abs(frame.psi) + EPS * (turned @ frame.pace)
        place = place + V @ ((np.abs(W).T @ phi) / sigma)
        pace = pace + V @ ((np.abs(W).T @ psi) / sigma)
    pace = pace + V @ (derivatives.change(W.T, place, 0.0 * pace) @ v / sigma)
    moved = derivatives.change(W.T, place, pace)
    found = moved @ a + np.abs(W).T @ (frame.J_noise @ a + frame.gamma_noise)
    found += 2.0 * derivatives.change(W.T, pace, 0.0 * pace) @ v
    steady = norms(frame.metric.whitened(moved), 1) <= STEADY * sigma
    return np.where(steady, found / sigma, np.inf)


def displaced_error(frame: Frame, integrated: bool = False) -> float:
    """Return how far independent rows take the acceleration when the state is displaced by its uncertainty.

    It is solved for anew at each displaced state, coordinate by coordinate, so nothing is expanded where the rows
    change much over that uncertainty, and masses hide no combination. An `integrated` state is displaced too by what
    the rounding of each row lets it be off.
    """
    s, model = frame.state, frame.system.model
    m, sizes = len(frame.index), norms(frame.metric.L, 1)

    def solved(q: Array, v: Array) -> tuple[Array, Array]:
        """Return z at a state and the displacements (n, m) of z by which the rows are 1."""
        terms = model.terms(q, v, s.t, frame.theta)
        J = terms.J[frame.index]
        T = combinations_apart(J, sizes, m)
        rows = frame.metric.whitened((T @ J).astype(float))
        length = norms(rows, 1)
        inverse = np.linalg.pinv(rows / length[:, None], rcond=0.0)
        right = (T @ terms.gamma[frame.index]).astype(float) - rows @ frame.free
        return np.asarray(frame.free + inverse @ (right / length)), inverse @ (T / length[:, None]).astype(float)

    here, aside = solved(s.q, s.v)
    moved = [solved(s.q + d, s.v)[0] for d in np.diag(frame.unsure_q)]
    moved += [solved(s.q, s.v + d)[0] for d in np.diag(frame.unsure_v)]
    if integrated:
        J = np.abs(frame.problem.rows.J[frame.index])
        phi, psi = frame.phi_noise + EPS * (J @ frame.place), frame.psi_noise + EPS * (J @ frame.pace)
        moved += [solved(s.q + x, s.v)[0] for x in frame.lift(aside * phi).T]
        moved += [solved(s.q, s.v + x)[0] for x in frame.lift(aside * psi).T]
    rounded = np.abs(aside) @ (frame.J_noise @ np.abs(frame.lift(here)) + frame.gamma_noise)
    return float(sum(np.linalg.norm(z - here) for z in moved) + np.linalg.norm(rounded))


def load_error(frame: Frame, problem: GaussProblem, a: Array) -> float:
    """Return the error of an acceleration that the mass matrix and the force cause, as the model gives them.

    That is by the roundings of their terms, which for M_jk are as large as √(M_jj M_kk), and by how they change over
    the uncertainty of the state. What M a − f is off along the rows moves a by as much at most, in the metric.
    """
    s, model, metric = frame.state, frame.system.model, problem.metric
    sizes = np.sqrt(np.abs(np.diag(problem.M)))
    terms = np.where(problem.M == 0.0, 0.0, np.outer(sizes, sizes)) @ np.abs(a) + np.abs(problem.f)
    held = problem.spectrum.V[: problem.spectrum.rank]
    along = metric.covector(np.eye(frame.n))
    along = along - held.T @ (held @ along)  # what a force does along the rows: across them multipliers take it
    found = float(np.linalg.norm(np.abs(along) @ terms)) * TERMS * UNIT
    if frame.n > LARGEST_DISPLACED or not (np.any(s.q) or np.any(s.v)):
        return found

    def load(q: Array, v: Array) -> Array:
        here = model.terms(q, v, s.t, frame.theta)
        return np.asarray(here.M @ a - here.f)

    balance = load(s.q, s.v)
    moved = [load(s.q + d, s.v) for d in np.diag(frame.unsure_q)]
    moved += [load(s.q, s.v + d) for d in np.diag(frame.unsure_v)]
    return found + sum(float(np.linalg.norm(along @ (x - balance))) for x in moved)


def propagated(noise: float, sigma: float, size: float, turning: float) -> float:
    """Return the error of an acceleration that the uncertainty of the state, relative `noise`, causes by one small σ.

    `size` is that of the acceleration, `turning` the change of the rows along the motion times the speed.
    """
    off = max(noise, EPS / sigma) if sigma < NEAR else noise
    return SAFETY * off * (size / sigma + turning / sigma**2)


def rounding_error(frame: Frame, size: float) -> float:
    """Return the error of an acceleration of the given size that rounding of the state alone causes by small σ."""
    return _by_small(frame, frame.rank, size, False)


def state_error(frame: Frame, size: float, count: int | None = None) -> float:
    """Return the error of an acceleration of the given size that the uncertainty of the state causes by itself.

    Its rows are those of the `count` best determined combinations, `rank` if left out.
    """
    count = frame.rank if count is None else count
    near = slice(int(np.sum(frame.sigma[:count] >= NEAR)), count)
    rounded = frame.unsureness(frame.U[:, near], size)[2] / frame.sigma[near]
    small = float(np.max(rounded, initial=0.0)) + _astray(frame, count)
    return SAFETY**3 * size * frame.noise + SAFETY**2 * size * _slip(frame) + SAFETY * small


def crossing_error(frame: Frame, z: Array, rows: Array) -> float:
    """Return the error of an acceleration by order 3 rows at a position that is singular within its uncertainty.

    `z` (n,) satisfies the rows of both kinds. Beside the error of the state, this is that of leaving out the part
    σ wᵀb that the rows have at the distance of the tolerance; b comes from order 4.
    """
    size = frame.size_of(z)
    if size == 0.0:
        return 0.0
    lost = float(np.max(frame.sigma[frame.rank :], initial=0.0)) + frame.noise
    known = state_error(frame, size)
    length = float(np.linalg.svd(rows @ frame.kernel, compute_uv=False)[-1]) if rows.size else 0.0
    if not length > 0.0:
        return known
    both = np.vstack([frame.V[: frame.rank], rows])
    y = frame.free - np.linalg.lstsq(both, both @ (frame.free - z), rcond=1e-12)[0]
    b, _, _ = jerk_at(frame, frame.rank, frame.U[:, frame.rank :], y)
    rate = rate_of(frame, size)
    jerk = max(float(np.linalg.norm(b)), rate * max(size, frame.metric.norm(frame.state.v) * rate))
    return float(known + SAFETY * jerk * lost / length)


def rate_of(frame: Frame, size: float) -> float:
    """Return the rate at which a motion with accelerations of the given size changes over the length of the system."""
    speed = frame.metric.norm(frame.state.v)
    ell = frame.length if frame.length > 0.0 else (speed**2 / size if size > 0.0 else 1.0)
    return float(max(speed / ell, np.sqrt(size / ell)))


def jerk_at(frame: Frame, keep: int, chosen: Array, z: Array) -> tuple[Array, Array, Array]:
    """Return b (n,) by the ordinary rows up to `keep` and order 4 of the chosen combinations, these rows and ∂/∂z."""
    V, U, sigma = frame.V[:keep], frame.U[:, :keep], frame.sigma[:keep]
    value, _ = frame.second(z)
    third, by_z, K3 = frame.third(z, np.zeros(frame.n))
    stacked = np.vstack([V, chosen.T @ K3])
    aim = np.concatenate([-(U.T @ value) / sigma, -(chosen.T @ third)])
    return np.linalg.lstsq(stacked, aim, rcond=1e-10)[0], stacked, np.asarray(chosen.T @ by_z)


def hidden(frame: Frame, share: float = 1.0) -> bool:
    """Return whether masses hide a combination in the metric: rounding is that share of its singular vectors."""
    sigma = frame.sigma[: frame.rank]
    return bool(sigma.size and share * sigma[-1] <= EPS * np.sqrt(sigma.size) * sigma[0])
