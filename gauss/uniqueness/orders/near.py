"""The acceleration near a singular position, where the ordinary rows are all but dependent.

A state that is off its branch by δ (in the metric, relative to the length of the system) satisfies the constraints to
σδ, so that neither projection nor residual shows it; but the ordinary row uᵀJ of the combination u with the singular
value σ then makes the acceleration wrong by about δ/σ² of itself. The next derivatives do not divide by σ:

    uᵀ d²ψ/dt² = σ wᵀb + uᵀ(K z + r₂) = 0,     uᵀ d³ψ/dt³ = σ wᵀc + uᵀ(K₃ b + R₃(z)) = 0

(w the right singular vector). The first replaces the ordinary row; the second supplies b in it, and leaving c out of
it costs (Ωτ)² of the acceleration, where τ = σ/|uᵀK| is the time to the singular position and Ω the rate at which the
motion changes. The smaller of the two estimates decides which rows are used, and is reported.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gauss.foundation.arrays import Array, norms
from gauss.foundation.tolerances import EPS
from gauss.principle.elimination import combinations_apart
from gauss.uniqueness.rows.combinations import complement
from gauss.uniqueness.rows.frame import Frame

NEAR = 0.05  # singular values below this are worth comparing the two ways
SAFETY = 10.0  # on both estimates
BINDING = 1e-6  # a combination whose order 3 row is shorter than this, relative, does not bind
OFF_BRANCH = 1e-11  # relative: an integrated state is about 1e-13 off its branch
RESTING = 1e-12  # speeds below this, relative to that gained over the length of the system, are rest
HUGE = 1e100  # accelerations beyond mean rows that determine nothing
CLEAR = 4.0  # ratio of neighbouring singular values that is a gap
CUTS = 4  # gaps that are tried, those at the smallest values
SWEEPS = 4
STEADY = 0.1  # share of itself up to which a combination changes little by the uncertainty of the state
FLAT = 1e-6  # eigenvalues of uᵀφ'' below this share of the largest are zero


@dataclass(frozen=True)
class NearRows:
    """Rows in place of those of the nearly vanishing combinations, with the estimated errors of both ways."""

    keep: int  # how many leading singular values stay in the ordinary rows
    combinations: Array  # (m, ρ)
    normals: Array  # (ρ, n) directions in which the reactions of these combinations act
    z: Array  # (n,) the acceleration with order 3 and these reactions, inequality rows left out
    error: float  # of the acceleration with these rows, in the metric
    ordinary: float  # of the acceleration with the ordinary rows


def ordinary_error(frame: Frame, size: float) -> float:
    """Return the error of an acceleration of the given size that the uncertainty of the state causes by small σ."""
    return _error_of_rows(frame, frame.rank, size)


def _error_of_rows(frame: Frame, count: int, size: float) -> float:
    """Return that error by the combinations with the `count` largest singular values."""
    return _by_small(frame, count, size, True)


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
    return float(SAFETY * np.max(np.where(sigma < NEAR, np.minimum(whole, own), whole), initial=0.0))


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


def propagated(noise: float, sigma: float, size: float, turning: float) -> float:
    """Return the error of an acceleration that the uncertainty of the state, relative `noise`, causes by one small σ.

    `size` is that of the acceleration, `turning` the change of the rows along the motion times the speed.
    """
    off = max(noise, EPS / sigma) if sigma < NEAR else noise
    return SAFETY * off * (size / sigma + turning / sigma**2)


def rounding_error(frame: Frame, size: float) -> float:
    """Return the error of an acceleration of the given size that rounding of the state alone causes by small σ."""
    return _by_small(frame, frame.rank, size, False)


def state_error(frame: Frame, size: float) -> float:
    """Return the error of an acceleration of the given size that the uncertainty of the state causes by itself."""
    return SAFETY**3 * size * frame.noise + SAFETY**2 * size * _slip(frame)


def crossing_error(frame: Frame, z: Array, rows: Array) -> float:
    """Return the error of an acceleration by order 3 rows at a position that is singular within its uncertainty.

    `z` (n,) satisfies the rows of both kinds. Beside the error of the state, this is that of leaving out the part
    σ wᵀb that the rows have at the distance of the tolerance; b comes from order 4.
    """
    size = max(float(np.linalg.norm(frame.free)), float(np.linalg.norm(z)))
    if size == 0.0:
        return 0.0
    lost = float(np.max(frame.sigma[frame.rank :], initial=0.0)) + frame.noise
    length = float(np.linalg.svd(rows @ frame.kernel, compute_uv=False)[-1]) if rows.size else 0.0
    if not length > 0.0:
        return state_error(frame, size)
    both = np.vstack([frame.V[: frame.rank], rows])
    y = frame.free - np.linalg.lstsq(both, both @ (frame.free - z), rcond=1e-12)[0]
    b, _, _ = _jerk(frame, frame.rank, frame.U[:, frame.rank :], y)
    jerk = max(float(np.linalg.norm(b)), _jerk_size(frame, size))
    return float(state_error(frame, size) + SAFETY * jerk * lost / length)


def _rate(frame: Frame, size: float) -> float:
    """Return the rate at which a motion with accelerations of the given size changes over the length of the system."""
    speed = frame.metric.norm(frame.state.v)
    ell = frame.length if frame.length > 0.0 else (speed**2 / size if size > 0.0 else 1.0)
    return float(max(speed / ell, np.sqrt(size / ell)))


def _jerk_size(frame: Frame, size: float) -> float:
    return _rate(frame, size) * max(size, frame.metric.norm(frame.state.v) * _rate(frame, size))


def _jerk(frame: Frame, keep: int, chosen: Array, z: Array) -> tuple[Array, Array, Array]:
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


def near_rows(frame: Frame) -> NearRows | None:
    """Return rows for a state near a singular position, or None where its ordinary rows are as good.

    Which combinations nearly vanish is tried at each clear gap among the small singular values; the least estimated
    error decides. Combinations whose order 3 row does not bind (a state at rest) are left to the ordinary rows.
    """
    r = frame.rank
    if frame.metric.norm(frame.state.v) <= RESTING * np.sqrt(frame.acceleration_scale * frame.length):
        return None
    sigma = frame.sigma[:r]
    if hidden(frame):
        return None
    cuts = [k for k in range(r) if sigma[k] < NEAR and (k == 0 or sigma[k - 1] > CLEAR * sigma[k])]
    found = [near for near in (_with_cut(frame, keep) for keep in cuts[-CUTS:]) if near is not None]
    return min(found, key=lambda near: near.error, default=None)


def _with_cut(frame: Frame, keep: int) -> NearRows | None:
    """Return the rows if the combinations from index `keep` on count as nearly vanishing."""
    r = frame.rank
    V = frame.V[:keep]
    kernel = np.linalg.qr(V.T, mode="complete")[0][:, keep:] if keep else np.eye(frame.n)
    U = frame.U[:, keep:]
    small = np.zeros(U.shape[1])
    small[: r - keep] = frame.sigma[keep:r]
    right_vectors = np.zeros((U.shape[1], frame.n))
    right_vectors[: r - keep] = frame.V[keep:r]
    z = V.T @ ((frame.U[:, :keep].T @ frame.gamma) / frame.sigma[:keep])
    _, K = frame.second(z)
    size = np.abs(U).T @ (np.linalg.norm(K, axis=1) + frame.natural.K)
    if np.any(size[: r - keep] == 0.0):
        return None
    size = np.where(size > 0.0, size, 1.0)
    P, values, _ = np.linalg.svd((U.T @ K @ kernel) / size[:, None])
    count = int(np.sum(values > BINDING))
    if np.max(np.abs(P[: r - keep, count:]), initial=0.0) > BINDING:
        return None  # a combination that nearly vanishes is bound by neither
    weight = (P[:, :count] / size[:, None]).T * small
    found = _refined(frame, keep, kernel, (U / size) @ P[:, :count], weight @ right_vectors)
    return None if found is None else _passing(frame, found)


def _passing(frame: Frame, near: NearRows) -> NearRows | None:
    """Return the rows if the motion passes through the singular position, as they presuppose, with the doubt added.

    Then the ordinary rows of the nearly vanishing combinations agree with them, but for a state that is off its branch
    by δ: their residual ρ, relative to its terms, is δ, or δ/σ where the velocity was projected on these rows. A motion
    that turns round the singular position, which its constraints miss by ε = ρτ²/2, has large accelerations by them.
    Where branches cross, and do not meet in a point as a cone's, an ε below the rounding of the constraints is none.
    Else the state can be off by up to `OFF_BRANCH`, and the acceleration that its ordinary rows would give, taken for
    exact, is added to the error.
    """
    part = slice(near.keep, frame.rank)
    U, sigma, V = frame.U[:, part], frame.sigma[part], frame.V[part]
    residual = np.abs(sigma * (V @ near.z) - U.T @ frame.gamma)
    speed = frame.metric.norm(frame.state.v)
    terms = np.abs(U).T @ (
        np.abs(frame.gamma) + frame.curvature * speed**2 + frame.bend * speed * frame.acceleration_scale
    )
    missed = residual * _times(frame, U, V, sigma, near.z) ** 2 / 2.0
    kernel = complement(frame.V[: near.keep], frame.n)
    crossing = _reach(_forms(frame, kernel, near.combinations, near.z)) <= near.combinations.shape[1] + 1
    rounded = crossing & (missed <= SAFETY * (np.abs(U).T @ _row_rounding(frame)))
    if np.any((residual > OFF_BRANCH * terms + sigma * near.error) & ~rounded):
        return None
    doubt = 3.0 * SAFETY * float(np.linalg.norm(np.where(rounded, 0.0, residual / sigma)))
    size = max(float(np.linalg.norm(near.z)), float(np.linalg.norm(frame.free)))
    off = float(np.max(residual / np.where(terms > 0.0, terms, 1.0), initial=0.0))
    turned = SAFETY * size * off * _condition(frame, near)
    return replace(near, error=near.error + doubt + turned)


def _condition(frame: Frame, near: NearRows) -> float:
    """Return the condition number of the order 3 rows on what the ordinary rows leave free."""
    _, K = frame.second(near.z)
    rows = near.combinations.T @ K
    values = np.linalg.svd(rows @ complement(frame.V[: near.keep], frame.n), compute_uv=False)
    return float(np.linalg.norm(rows, 2) / values[-1]) if values[-1] > 0.0 else np.inf


def _times(frame: Frame, U: Array, V: Array, sigma: Array, z: Array) -> Array:
    """Return the times (ρ,) to the singular position, by the rates at which the nearly vanishing rows change."""
    once, _ = frame.rates(z)
    rate = np.abs(np.sum((U.T @ once) * V, axis=1))
    return np.asarray(sigma / np.where(rate > 0.0, rate, np.inf))


def _row_rounding(frame: Frame) -> Array:
    """Return the rounding (m,) of the scaled rows φ, that of the coordinates as they are stored; 0 of other rows."""
    s = frame.state
    J = frame.system.model.terms(s.q, s.v, s.t, frame.theta).J[frame.index]
    holonomic = np.array([int(k) in frame.system.model.positional for k in frame.index], dtype=bool)
    return np.where(holonomic, EPS * (np.abs(J) @ np.abs(s.q)) / frame.scale, 0.0)


def _refined(frame: Frame, keep: int, kernel: Array, chosen: Array, jerk_rows: Array) -> NearRows | None:
    """Return the order 3 rows of the chosen combinations with the part of b in them, and their estimated error."""
    V, U = frame.V[:keep], frame.U[:, :keep]
    sigma = frame.sigma[:keep]
    start = V.T @ ((U.T @ frame.gamma) / sigma)
    b = np.zeros(frame.n)
    z = start + kernel @ (kernel.T @ frame.free)
    for _ in range(SWEEPS):
        value, K = frame.second(z)
        rows = chosen.T @ K
        right = rows @ z - chosen.T @ value - jerk_rows @ b
        normals = _normals(frame, keep, kernel, chosen, jerk_rows, z)
        if not np.all(np.isfinite(normals)):  # the motion is so slow that the place is out of reach
            return None
        z = oblique(frame, start, kernel, rows, right, normals)
        b, stacked, by_z = _jerk(frame, keep, chosen, z)
        if not np.max(np.abs(np.concatenate([z, b]))) < HUGE:
            return None
    length = np.linalg.svd(rows @ kernel, compute_uv=False)[-1]
    if length <= 0.0:
        return None
    turned = float(np.linalg.norm(by_z, 2) / (2.0 * length))
    aside = _aside(frame, kernel, chosen, jerk_rows, z)
    error = _truncation(frame, z, b, jerk_rows / length, stacked, (turned, aside))
    size = max(float(np.linalg.norm(z)), float(np.linalg.norm(frame.free)))
    error += state_error(frame, size) + _error_of_rows(frame, keep, size)
    return NearRows(keep, chosen, normals, z, error, ordinary_error(frame, size))


def _normals(frame: Frame, keep: int, kernel: Array, chosen: Array, small: Array, z: Array) -> Array:
    """Return the directions (ρ, n) of the nearly vanishing rows, expanded from the singular position.

    The rows themselves, `small` (ρ, n), have the direction T(J' − TJ''/2) with the matrix T of the times since the
    singular position, J'' corrected for the turning of the combinations: derivatives do not lose digits as they do.
    """
    once, twice = frame.rates(z)
    first = chosen.T @ once
    V, U, sigma = frame.V[:keep], frame.U[:, :keep], frame.sigma[:keep]
    second = chosen.T @ twice - 2.0 * (((first @ V.T) / sigma) @ (U.T @ once))
    J1, J2, S = first @ kernel, second @ kernel, small @ kernel
    times = np.linalg.lstsq(J1.T, S.T, rcond=1e-12)[0].T
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray((J1 - times @ J2 / 2.0) @ kernel.T)


def oblique(frame: Frame, base: Array, kernel: Array, rows: Array, right: Array, normals: Array) -> Array:
    """Return the acceleration z (n,) with rows z = right and a reaction along the normals (and the ordinary rows).

    `base` satisfies the ordinary rows, `kernel` is a basis of what they leave free.
    """
    y = kernel.T @ frame.free
    if rows.shape[0]:
        N = normals @ kernel
        y = y + N.T @ np.linalg.lstsq((rows @ kernel) @ N.T, right - rows @ (base + kernel @ y), rcond=1e-12)[0]
    return np.asarray(base + kernel @ y)


def _truncation(frame: Frame, z: Array, b: Array, times: Array, bound: Array, rates: tuple[float, float]) -> float:
    """Return the estimated error of leaving out c, and the part of b that the conditions do not determine.

    `times` (ρ, n) are the order 3 rows' parts of b per unit of acceleration: their size is the time τ. `bound` are the
    rows that determine b, `rates` those at which the rows turn along the motion, and at which the motion turns aside.
    """
    size = max(float(np.linalg.norm(z)), float(np.linalg.norm(frame.free)))
    speed = frame.metric.norm(frame.state.v)
    found = float(np.linalg.norm(b))
    rate = max(_rate(frame, size), rates[0], float(np.sqrt(found / speed)) if speed > 0.0 else 0.0)
    jerk = max(found, size * rate, speed * rate**2)
    Q = np.linalg.svd(bound, full_matrices=False)[2]
    loose = float(np.linalg.norm(times - (times @ Q.T) @ Q, 2))
    time = float(np.linalg.norm(times, 2))
    aside = max(size * rates[1], speed * rates[1] ** 2)
    return float(SAFETY * (jerk * rate * time**2 + jerk * loose + 3.0 * aside * time))


def _aside(frame: Frame, kernel: Array, chosen: Array, small: Array, z: Array) -> float:
    """Return the rate at which a motion turns about the singular position beside it, as about the apex of a cone.

    The displacement y from there satisfies (uᵀφ'')y = σw for the nearly vanishing rows σw, `small` (ρ, n); a motion
    that passes has y = vτ − zτ²/2. Where branches cross it does.
    """
    table, right = _forms(frame, kernel, chosen, z), np.concatenate([kernel.T @ row for row in small])
    if _reach(table) <= chosen.shape[1] + 1:
        return 0.0
    y = np.linalg.lstsq(table, right, rcond=1e-9)[0]
    motion = kernel.T @ np.column_stack([frame.metric.L.T @ frame.state.v, z])
    v, a = np.linalg.lstsq(table, table @ motion, rcond=1e-9)[0].T  # that along the singular set left out
    distance, speed = float(np.linalg.norm(y)), float(np.linalg.norm(v))
    if not distance > 0.0 or not speed > 0.0:
        return 0.0
    mean = v - a * ((v @ y) / speed**2) / 2.0
    across = float(np.linalg.norm(mean - (mean @ y) / distance**2 * y))
    unknown = SAFETY * speed * _place_rounding(frame) / distance
    return max(across - unknown, 0.0) / distance


def _forms(frame: Frame, kernel: Array, chosen: Array, z: Array) -> Array:
    """Return the forms uᵀφ'' of the chosen combinations on the kernel (n, κ), one above the other (ρκ, κ)."""
    forms = [kernel.T @ frame.combination(3, z, u).by_zz @ kernel / 6.0 for u in chosen.T]
    return np.vstack(forms) if forms else np.zeros((0, kernel.shape[1]))


def _reach(forms: Array) -> int:
    """Return the number of directions across which forms change."""
    values = np.linalg.svd(forms, compute_uv=False)
    return int(np.sum(values > FLAT * np.max(values, initial=0.0)))


def _place_rounding(frame: Frame) -> float:
    """Return the rounding of the position in the metric: that of its coordinates as they are stored."""
    return EPS * frame.metric.norm(np.abs(frame.state.q))
