"""Readings of what is watched, at the ends of steps and between them, and where something may have happened there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gauss.foundation.arrays import Array, Flags

NEAR = 0.1  # share of a gap that its lowest point between two looks must have for it to stay open in between


class Shares:
    """Places in a step, with what the state there is of those at its ends: by quintic Hermite interpolation.

    The position is that of (q₀, v₀h, a₀h², q₁, v₁h, a₁h²), the velocity its derivative over h.
    """

    def __init__(self, inner: Array):
        s, powers = inner, np.arange(6)
        q = np.linalg.inv(_powers(np.array([0.0, 1.0])).reshape(6, 6))  # coefficients of powers, of both ends
        q = np.round(2.0 * q) / 2.0  # whole and half numbers
        self.inner, self.all = s, np.concatenate([[0.0], s, [1.0]])
        self.widths = np.diff(self.all)
        self.position = s[:, None] ** powers @ q  # (k, 6)
        self.velocity = powers[1:] * s[:, None] ** powers[:-1] @ q[1:]

    def between(self, x: Array, y: Array, a0: Array, a1: Array, h: Array) -> Array:
        """Return the states (N, k, 2n + 1) in steps h (N,) from x to y (N, 2n + 1): they tell signs.

        The accelerations at both ends are (N, n).
        """
        n, h = a0.shape[1], h[:, None]
        ends = (x[:, 1 : n + 1], x[:, n + 1 :] * h, a0 * h * h, y[:, 1 : n + 1], y[:, n + 1 :] * h, a1 * h * h)
        known = np.stack(ends, axis=1)  # (N, 6, n)
        found = np.empty((len(h), len(self.inner), 2 * n + 1))
        found[..., 0] = x[:, :1] + h * self.inner
        found[..., 1 : n + 1] = self.position @ known
        found[..., n + 1 :] = self.velocity @ known / h[..., None]
        return found


def _powers(s: Array) -> Array:
    """Return the values, slopes and second derivatives (k, 3, 6) of the powers 0 to 5 at places (k,)."""
    k = np.arange(6)
    slopes, bends = k * s[:, None] ** np.maximum(k - 1, 0), k * (k - 1) * s[:, None] ** np.maximum(k - 2, 0)
    return np.stack([s[:, None] ** k, slopes, bends], axis=1)


COARSE = Shares(np.array([0.2, 0.4, 0.6, 0.8]))  # where a step is looked at between its ends
FINE = Shares(np.linspace(0.0, 1.0, 25)[1:-1])  # where it is looked at when a stage had a negative multiplier
LOOKS = np.linspace(0.0, 1.0, 33)  # where the cubic through a gap and its rate at both ends is looked at
CUBIC = np.array(
    [
        (1 + 2 * LOOKS) * (1 - LOOKS) ** 2,
        LOOKS * (1 - LOOKS) ** 2,
        LOOKS**2 * (3 - 2 * LOOKS),
        -(LOOKS**2) * (1 - LOOKS),
    ]
)


class Readings(NamedTuple):
    """What is watched at consecutive states of a motion."""

    values: Array  # (N, k) of all functions
    rates: Array  # (N, g) of the gaps, which come first
    loads: Array  # (N, l) of contacts that stick and are held from both sides

    def may_happen(self, kinematic: int, widths: Array) -> Flags:
        """Return for all states but the first whether a gap may close or a contact change its mode up to there.

        All values but those of the user's events, which come behind the `kinematic` ones, are positive until then;
        `widths` (N − 1,) are the times between the states (s).
        """
        found = np.asarray(~(self.values[1:, :kinematic] >= 0.0).all(axis=1))  # so is what is not a number
        if self.loads.shape[1]:
            found |= np.any(self.loads[:-1] * self.loads[1:] < 0.0, axis=1)
        turned = (self.rates[:-1] < 0.0) & (self.rates[1:] > 0.0)
        if turned.any():
            k, i = turned.nonzero()
            gaps = self.values[k, i], self.values[k + 1, i]
            found[k] |= dips(*gaps, self.rates[k, i], self.rates[k + 1, i], widths[k])
        return np.asarray(found)


def dips(g0: Array, g1: Array, r0: Array, r1: Array, width: Array) -> Flags:
    """Return whether gaps (N,) may be negative between two looks, by the cubics through them and their rates there."""
    lowest = np.min(np.column_stack([g0, r0 * width, g1, r1 * width]) @ CUBIC, axis=1)
    return np.asarray(~(lowest > NEAR * np.maximum(np.abs(g0), np.abs(g1))))


def dips_once(g0: float, g1: float, r0: float, r1: float, width: float) -> bool:
    """Return whether one gap may be negative between two looks, as `dips` tells of many."""
    lowest = float((np.array([[g0, r0 * width, g1, r1 * width]]) @ CUBIC).min())
    return not lowest > NEAR * max(abs(g0), abs(g1))


def last_signs(values: Array, zero: Array, before: Array) -> Array:
    """Return the last sign (N + 1, e) of functions that was clearly not zero, up to each of N looks and the one before.

    `values` and what counts as `zero` of them are (N, e), `before` (e,) is the sign before the first look.
    """
    signs = np.vstack([before, np.where(np.abs(values) > zero, np.sign(values), 0.0)])
    last = np.maximum.accumulate(np.where(signs != 0.0, np.arange(len(signs))[:, None], 0), axis=0)
    return np.take_along_axis(signs, last, axis=0)


def crossed(values: Array, zero: Array, before: Array, directions: Array) -> Flags:
    """Return which functions (…, e) have changed the sign that they had `before` in their direction."""
    down, up = (values < -zero) & (before > 0.0), (values > zero) & (before < 0.0)
    return np.asarray((down & (directions <= 0)) | (up & (directions >= 0)))
