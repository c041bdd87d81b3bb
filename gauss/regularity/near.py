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

from gauss.arrays import Array
from gauss.regularity.frame import EPS, Frame

NEAR = 0.05  # singular values below this are worth comparing the two ways
SAFETY = 10.0  # on both estimates
BINDING = 1e-6  # a combination whose order 3 row is shorter than this, relative, does not bind
OFF_BRANCH = 1e-11  # relative: an integrated state is about 1e-13 off its branch
RESTING = 1e-12  # speeds below this, relative to that gained over the length of the system, are rest
HUGE = 1e100  # accelerations beyond mean rows that determine nothing
CLEAR = 4.0  # ratio of neighbouring singular values that is a gap
CUTS = 4  # gaps that are tried, those at the smallest values
SWEEPS = 4


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
    small = frame.sigma[: frame.rank]
    if not small.size:
        return 0.0
    sigma = float(small[-1])
    off = max(frame.noise, EPS / sigma) if sigma < NEAR else frame.noise
    turning = float(np.max(frame.turning)) * frame.metric.norm(frame.state.v)
    return SAFETY * off * (size / sigma + turning / sigma**2)


def rounding_error(frame: Frame, size: float) -> float:
    """Return the error of an acceleration of the given size that rounding of the state alone causes by small σ."""
    sigma = float(np.min(frame.sigma[: frame.rank], initial=1.0))
    turning = float(np.max(frame.turning, initial=0.0)) * frame.metric.norm(frame.state.v)
    return SAFETY * frame.noise * (size / sigma + turning / sigma**2)


def state_error(frame: Frame, size: float) -> float:
    """Return the error of an acceleration of the given size that the uncertainty of the state causes by itself."""
    return SAFETY**3 * size * frame.noise


def crossing_error(frame: Frame, z: Array, rows: Array) -> float:
    """Return the error of an acceleration by order 3 rows at a position that is singular within its uncertainty.

    Beside that of the state, this is the part σ wᵀb that the rows would have at the distance of the tolerance.
    """
    size = max(float(np.linalg.norm(frame.free)), float(np.linalg.norm(z)))
    speed = frame.metric.norm(frame.state.v)
    if size == 0.0:
        return 0.0
    lost = float(np.max(frame.sigma[frame.rank :], initial=0.0)) + frame.noise
    length = float(np.linalg.svd(rows @ frame.kernel, compute_uv=False)[-1]) if rows.size else 0.0
    ell = frame.length if frame.length > 0.0 else speed**2 / size
    rate = max(speed / ell, np.sqrt(size / ell)) if ell > 0.0 else 0.0
    return float(state_error(frame, size) + (SAFETY * size * rate * lost / length if length > 0.0 else 0.0))


def near_rows(frame: Frame) -> NearRows | None:
    """Return rows for a state near a singular position, or None where its ordinary rows are as good.

    Which combinations nearly vanish is tried at each clear gap among the small singular values; the least estimated
    error decides. Combinations whose order 3 row does not bind (a state at rest) are left to the ordinary rows.
    """
    r = frame.rank
    if frame.metric.norm(frame.state.v) <= RESTING * np.sqrt(frame.agility * frame.length):
        return None
    sigma = frame.sigma[:r]
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
    by up to `OFF_BRANCH`; a motion that turns round the singular position has large accelerations by those rows. Taken
    for exact, the state's ordinary rows would give another acceleration: their residual over σ is added to the error.
    """
    part = slice(near.keep, frame.rank)
    U, sigma, V = frame.U[:, part], frame.sigma[part], frame.V[part]
    residual = np.abs(sigma * (V @ near.z) - U.T @ frame.gamma)
    speed = frame.metric.norm(frame.state.v)
    terms = np.abs(U).T @ (np.abs(frame.gamma) + frame.curvature * speed**2 + frame.bend * speed * frame.agility)
    if np.any(residual > OFF_BRANCH * terms + sigma * near.error):
        return None
    return replace(near, error=near.error + 3.0 * SAFETY * float(np.linalg.norm(residual / sigma)))


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
        z = oblique(frame, start, kernel, rows, right, normals)
        value, _ = frame.second(z)
        third, by_z, K3 = frame.third(z, np.zeros(frame.n))
        stacked = np.vstack([V, chosen.T @ K3])
        aim = np.concatenate([-(U.T @ value) / sigma, -(chosen.T @ third)])
        b = np.linalg.lstsq(stacked, aim, rcond=1e-10)[0]
    length = np.linalg.svd(rows @ kernel, compute_uv=False)[-1]
    if not np.max(np.abs(np.concatenate([z, b]))) < HUGE or length <= 0.0:
        return None
    turned = float(np.linalg.norm(chosen.T @ by_z, 2) / (2.0 * length))
    error = _truncation(frame, z, b, jerk_rows / length, stacked, turned)
    size = max(float(np.linalg.norm(z)), float(np.linalg.norm(frame.free)))
    return NearRows(keep, chosen, normals, z, error + state_error(frame, size), ordinary_error(frame, size))


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


def _truncation(frame: Frame, z: Array, b: Array, times: Array, bound: Array, turned: float) -> float:
    """Return the estimated error of leaving out c, and the part of b that the conditions do not determine.

    `times` (ρ, n) are the order 3 rows' parts of b per unit of acceleration: their size is the time τ. `turned` is the
    rate at which the rows turn along the motion, `bound` the rows that determine b.
    """
    size = max(float(np.linalg.norm(z)), float(np.linalg.norm(frame.free)))
    speed = frame.metric.norm(frame.state.v)
    ell = frame.length if frame.length > 0.0 else (speed**2 / size if size > 0.0 else 1.0)
    rate = max(speed / ell, np.sqrt(size / ell), turned)
    jerk = max(float(np.linalg.norm(b)), size * rate, speed * rate**2)
    Q = np.linalg.svd(bound, full_matrices=False)[2]
    loose = float(np.linalg.norm(times - (times @ Q.T) @ Q, 2))
    time = float(np.linalg.norm(times, 2))
    return float(SAFETY * jerk * (rate * time**2 + loose))
