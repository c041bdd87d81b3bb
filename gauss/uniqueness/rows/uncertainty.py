"""What the uncertainty of the state leaves open of numbers that are computed from it, and conditions judged by that.

A condition is a combination u of rows that vanish, uᵀW = 0, applied to their right-hand sides. These are known to the
rounding of their terms and to what the uncertainty of the state makes of them; the combination itself turns with the
state, by which its rows W do not vanish beside it and act on the vector that they are multiplied with.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from gauss.foundation.arrays import Array, Flags, norms
from gauss.foundation.zero import CLEAR, UNIT, ZERO, ratio
from gauss.uniqueness.rows.combinations import Uncertain
from gauss.uniqueness.rows.frame import Frame

STEP = 2.0**-26  # of the size of a coordinate: differences over it give derivatives to half of the digits


@dataclass(frozen=True)
class Judged:
    """Numbers that decide, with their noise and that part of it which is rounding, each (k,)."""

    value: Array
    noise: Array
    rounded: Array

    @property
    def ratio(self) -> Array:
        """|value| over noise (k,), by which zero is decided."""
        return ratio(self.value, self.noise)

    @property
    def zero(self) -> Flags:
        """Which are zero."""
        return self.ratio <= ZERO

    @property
    def clear(self) -> Flags:
        """Which are not zero."""
        return self.ratio >= CLEAR

    @property
    def gap(self) -> Array:
        """|value| (k,) relative to the terms that it is the sum of, by their rounding."""
        return np.abs(self.value) / np.maximum(self.rounded / UNIT, np.abs(self.value) + 1e-300)

    def chosen(self, which: Flags) -> Judged:
        """Return some of them."""
        return Judged(self.value[which], self.noise[which], self.rounded[which])

    def joined(self, other: Judged) -> Judged:
        """Return these and others."""
        pairs = ((self.value, other.value), (self.noise, other.noise), (self.rounded, other.rounded))
        return Judged(*(np.concatenate(pair) for pair in pairs))


def scatter(frame: Frame, value: Callable[[Array, Array], Array], used: Flags | None = None) -> tuple[Array, Array]:
    """Return a function of the state, and what the uncertainty of the state leaves open of it, entry by entry.

    That is the sum over the coordinates of q and v of |∂value/∂x_j| δx_j, by differences of one side. `used` (m,) are
    the rows that the function is made of, all of them if left out: it does not change with other coordinates.
    """
    s, concerned = frame.state, np.ones(frame.n, dtype=bool)
    if used is not None:
        concerned = np.any(frame.system.model.concerned[frame.index[used]], axis=0)
    here = value(s.q, s.v)
    total = np.zeros_like(here)
    unsure = (frame.unsure_q, frame.unsure_v)
    for which, sizes in enumerate((frame.place, frame.pace)):
        for j in np.flatnonzero((unsure[which] > 0.0) & (sizes > 0.0) & concerned):
            moved = [s.q.copy(), s.v.copy()]
            moved[which][j] += STEP * sizes[j]
            step = moved[which][j] - (s.q, s.v)[which][j]
            if step > 0.0:
                change = np.abs(value(moved[0], moved[1]) - here)
                total = total + np.nan_to_num(change, nan=0.0, posinf=0.0) * (unsure[which][j] / step)
    return here, total


def _judged(frame: Frame, U: Array, value: Callable[[Array, Array], Array], rounded: Array) -> Judged:
    """Return a function of the state, (k,), whose rows are rounded by so much (m,), for the combinations U (m, k)."""
    if not U.shape[1]:
        none = np.zeros(0)
        return Judged(none, none, none)
    known = np.asarray(weights(U).T @ rounded)
    here, spread = scatter(frame, value)
    return Judged(here, known + spread, known)


def order_one(frame: Frame, U: Array) -> Judged:
    """Return uᵀψ at rest for the combinations U (m, k): what no velocity can satisfy if they are not zero."""
    s, model, rest = frame.state, frame.system.model, np.zeros(frame.n)

    def psi(q: Array, v: Array) -> Array:
        return model.residuals(q, v, s.t, frame.theta)[1][frame.index] / frame.scale

    start = psi(s.q, rest)
    r = frame.rank
    v = -frame.lift(frame.V[:r].T @ ((frame.U[:, :r].T @ start) / frame.sigma[:r]))
    rounded = model.noise(s.q, rest, s.t, frame.theta).psi[frame.index] / frame.scale + frame.products_noise(v)
    return _judged(frame, U, lambda q, _: np.asarray(U.T @ psi(q, v)), rounded)


def order_two(frame: Frame, U: Array) -> Judged:
    """Return uᵀ(W z − γ) for the combinations U (m, k) and the z that satisfies the other rows."""
    s, model = frame.state, frame.system.model
    a = frame.lift(frame.particular)

    def missed(q: Array, v: Array) -> Array:
        terms = model.terms(q, v, s.t, frame.theta)
        return np.asarray(U.T @ ((terms.J[frame.index] @ a - terms.gamma[frame.index]) / frame.scale))

    rounded = frame.gamma_noise / frame.scale + frame.products_noise(a)
    return _judged(frame, U, missed, rounded)


def order_three(frame: Frame, known: Uncertain, combinations: Array) -> Judged:
    """Return uᵀ d²ψ/dt² for combinations u (m, k) whose order 3 leaves the acceleration out.

    The acceleration and its derivative are those that satisfy the other rows.
    """
    s, model = frame.state, frame.system.model
    a = frame.lift(frame.particular)
    b = frame.lift(-frame.least(frame.second(frame.particular)[0], frame.rank))

    def missed(q: Array, v: Array) -> Array:
        J = model.terms(q, v, s.t, frame.theta).J
        second = J @ b + model.jets.second(q, v, s.t, frame.theta, a)[0]
        return np.asarray(combinations.T @ (second[frame.index] / frame.scale))

    noise = model.jets.noise(2, s.q, s.v, s.t, frame.theta, a)[0][frame.index] / frame.scale
    found = _judged(frame, combinations, missed, noise + frame.products_noise(b))
    slopes = model.jets.second(s.q, s.v, s.t, frame.theta, a)[1][frame.index] / frame.scale[:, None]
    moved = np.abs(combinations.T @ slopes) @ unsure_solution(frame, known, frame.particular)
    return replace(found, noise=found.noise + moved, rounded=found.rounded + moved)


def weights(combinations: Array) -> Array:
    """Return the weights by which roundings of the rows enter combinations (m, ...): each is known to its largest."""
    return np.where(combinations != 0.0, np.max(np.abs(combinations), axis=0, initial=0.0), 0.0)


def ordinary(frame: Frame) -> Uncertain:
    """Return the combinations (r, n) of the ordinary rows that do not vanish, in the coordinates of the system."""
    s, model, U = frame.state, frame.system.model, frame.U[:, : frame.rank]

    def rows(q: Array, v: Array) -> Array:
        return np.asarray(U.T @ (model.terms(q, v, s.t, frame.theta).J[frame.index] / frame.scale[:, None]))

    here, spread = scatter(frame, rows)
    return Uncertain(here, weights(U).T @ frame.rows_noise + spread)


def coefficients(frame: Frame, order: int, combinations: Array, z: Array) -> Uncertain:
    """Return wᵀK (order 2) or wᵀK₃ (order 3) for combinations w (m, k), in the coordinates of the system."""
    s, model = frame.state, frame.system.model
    a, zero = frame.lift(z), np.zeros(frame.n)

    def single(q: Array, v: Array) -> Array:
        place = (q, v, s.t, frame.theta, a)
        K = model.jets.second(*place)[1] if order == 2 else model.jets.third(*place, zero)[2]
        return np.asarray(K[frame.index] / frame.scale[:, None])

    def rows(q: Array, v: Array) -> Array:
        return np.asarray(combinations.T @ single(q, v))

    noise = model.jets.noise(order, s.q, s.v, s.t, frame.theta, a)[-1][frame.index] / frame.scale[:, None]
    sizes = weights(combinations).T @ np.abs(single(s.q, s.v))
    here, spread = scatter(frame, rows)
    return Uncertain(here, weights(combinations).T @ noise + frame.blur * sizes + spread)


def unsure_solution(frame: Frame, known: Uncertain, z: Array) -> Array:
    """Return the noise (n,) of the acceleration z (n,) that the ordinary rows, `known`, determine, as L⁻ᵀz.

    It is known to rounding, and to what the noise of those rows and of their right-hand sides makes of it, and what
    dependent ones disagree by: that of a velocity which is off the rows.
    """
    r = frame.rank
    apart = np.abs(frame.W @ frame.particular - frame.gamma)
    right = np.abs(frame.U[:, :r]).T @ (frame.gamma_noise / frame.scale + apart)
    turned = np.abs(frame.V[:r]).T @ ((known.noise @ np.abs(frame.lift(z)) + right) / frame.sigma[:r])
    rounded = UNIT * np.sqrt(frame.n) * np.linalg.norm(z)
    return np.asarray(frame.lifting @ (turned + rounded))


def inverse_as_decided(frame: Frame) -> tuple[Array, Array]:
    """Return factors A (m, r), V (r, n) of the inverse of the rows W, as they are scaled where their rank is decided.

    The change α of weights with αᵀW = k is A V k', k' = L k by the columns of that scaling; directions change likewise.
    """
    r, (U, sigma, V) = frame.rank, frame.as_decided
    return (frame.decided.rows * frame.scale)[:, None] * (U[:, :r] / sigma[:r]), V[:r]


def lifted(frame: Frame, known: Uncertain, kernel: Array) -> Uncertain:
    """Return directions (n, d) that the ordinary rows, `known`, leave free, in the coordinates of the system.

    They are known to rounding, and to what the noise of those rows makes of them. Masses make rows nearly parallel that
    are not: the rows as their rank is decided make up for what the directions miss.
    """
    T, r = frame.lift(kernel).reshape(kernel.shape), frame.rank
    rows, V = inverse_as_decided(frame)
    T = T - frame.decided.columns[:, None] * (V.T @ (rows.T @ (frame.W @ kernel)))
    turned = np.abs(frame.V[:r]).T @ ((known.noise @ np.abs(T)) / frame.sigma[:r, None])
    rounded = UNIT * np.sqrt(frame.n) * norms(kernel, 0)
    return Uncertain(T, frame.lifting @ (turned + rounded))
