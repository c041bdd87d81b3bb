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

from gauss.foundation.arrays import Array
from gauss.foundation.tolerances import EPS
from gauss.uniqueness.orders.errors import NEAR, SAFETY, hidden, jerk_at, ordinary_error, rate_of, state_error
from gauss.uniqueness.rows.combinations import complement
from gauss.uniqueness.rows.frame import Frame

BINDING = 1e-6  # a combination whose order 3 row is shorter than this, relative, does not bind
OFF_BRANCH = 1e-11  # relative: an integrated state is about 1e-13 off its branch
RESTING = 1e-12  # speeds below this, relative to that gained over the length of the system, are rest
HUGE = 1e100  # accelerations beyond mean rows that determine nothing
CUT = 4.0  # ratio of neighbouring singular values at which the nearly vanishing ones may begin
CUTS = 4  # such places that are tried, those at the smallest values
SWEEPS = 4
POOR = 1e-2  # relative error from which an expansion from the singular position is not used
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
    cuts = [k for k in range(r) if sigma[k] < NEAR and (k == 0 or sigma[k - 1] > CUT * sigma[k])]
    found = [near for near in (_with_cut(frame, keep) for keep in cuts[-CUTS:]) if near is not None]
    return min(found, key=lambda near: near.error, default=None)


def _with_cut(frame: Frame, keep: int) -> NearRows | None:
    """Return the rows if the combinations from index `keep` on count as nearly vanishing."""
    r = frame.rank
    V = frame.V[:keep]
    kernel = complement(V, frame.n)
    U = frame.U[:, keep:]
    small = np.zeros(U.shape[1])
    small[: r - keep] = frame.sigma[keep:r]
    right_vectors = np.zeros((U.shape[1], frame.n))
    right_vectors[: r - keep] = frame.V[keep:r]
    _, K = frame.second(frame.least(frame.gamma, keep))
    size = np.abs(U).T @ (np.linalg.norm(K, axis=1) + frame.natural.K)
    if np.any(size[: r - keep] == 0.0):
        return None
    size = np.where(size > 0.0, size, 1.0)
    P, values, _ = np.linalg.svd((U.T @ K @ kernel) / size[:, None])
    count = int(np.sum(values > BINDING))
    if np.max(np.abs(P[: r - keep, count:]), initial=0.0) > BINDING:
        return None  # a combination that nearly vanishes is bound by neither
    weight = (P[:, :count] / size[:, None]).T * small
    chosen, jerk_rows = (U / size) @ P[:, :count], weight @ right_vectors
    if frame.system.model.linear_velocity and _far(frame, chosen.T @ K @ kernel, jerk_rows):
        return None
    found = _refined(frame, keep, kernel, chosen, jerk_rows)
    return None if found is None else _passing(frame, found)


def _far(frame: Frame, rows: Array, jerk_rows: Array) -> bool:
    """Return whether the singular position is so far that leaving c out alone makes the expansion poor.

    That costs (Ωτ)² of the acceleration at least (see `_truncation`), as K of rows linear in the velocity leaves z out.
    """
    length = np.linalg.svd(rows, compute_uv=False)[-1] if rows.size else 0.0
    size, time = float(np.linalg.norm(frame.free)), float(np.linalg.norm(jerk_rows, 2))
    turned = rate_of(frame, size) * time
    least = SAFETY * size * turned * turned
    return bool(least >= POOR * length * length * max(size, frame.acceleration_scale) > 0.0)


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
    size = frame.size_of(near.z)
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
    start, b = frame.least(frame.gamma, keep), np.zeros(frame.n)
    z = start + kernel @ (kernel.T @ frame.free)
    for _ in range(SWEEPS):
        value, K = frame.second(z)
        rows = chosen.T @ K
        right = rows @ z - chosen.T @ value - jerk_rows @ b
        normals = _normals(frame, keep, kernel, chosen, jerk_rows, z)
        if not np.all(np.isfinite(normals)):  # the motion is so slow that the place is out of reach
            return None
        z = oblique(frame, start, kernel, rows, right, normals)
        b, stacked, by_z = jerk_at(frame, keep, chosen, z)
        if not np.max(np.abs(np.concatenate([z, b]))) < HUGE:
            return None
    length = np.linalg.svd(rows @ kernel, compute_uv=False)[-1]
    if length <= 0.0:
        return None
    turned = float(np.linalg.norm(by_z, 2) / (2.0 * length))
    aside = _aside(frame, kernel, chosen, jerk_rows, z)
    error = _truncation(frame, z, b, jerk_rows / length, stacked, (turned, aside))
    size = frame.size_of(z)
    error += state_error(frame, size, keep) + ordinary_error(frame, size, keep)
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
    size = frame.size_of(z)
    speed = frame.metric.norm(frame.state.v)
    found = float(np.linalg.norm(b))
    rate = max(rate_of(frame, size), rates[0], float(np.sqrt(found / speed)) if speed > 0.0 else 0.0)
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
