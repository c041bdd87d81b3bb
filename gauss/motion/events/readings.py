"""Readings of what is watched, at the ends of steps and between them, and where something may have happened there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gauss.foundation.arrays import Array, Flags

SAMPLES = np.array([0.2, 0.4, 0.6, 0.8])  # where a step is looked at between its ends
FINE = np.linspace(0.0, 1.0, 25)[1:-1]  # where it is looked at when a stage had a negative multiplier
CUBIC = np.linspace(0.0, 1.0, 33)  # where the cubic through a gap and its rate at both ends is looked at
NEAR = 0.1  # share of a gap that the lowest point of that cubic must have for the gap to stay open in between


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
        found = ~np.all(self.values[1:, :kinematic] >= 0.0, axis=1)  # so is what is not a number
        found |= np.any(self.loads[:-1] * self.loads[1:] < 0.0, axis=1)
        turned = (self.rates[:-1] < 0.0) & (self.rates[1:] > 0.0)
        if np.any(turned):
            k, i = np.nonzero(turned)
            gaps = self.values[k, i], self.values[k + 1, i]
            found[k] |= dips(*gaps, self.rates[k, i], self.rates[k + 1, i], widths[k])
        return np.asarray(found)


def dips(g0: Array, g1: Array, r0: Array, r1: Array, width: Array) -> Flags:
    """Return whether gaps (N,) may be negative between two looks, by the cubics through them and their rates there."""
    s = CUBIC
    before, after = (1 + 2 * s) * (1 - s) ** 2, s**2 * (3 - 2 * s)
    begins, ends = s * (1 - s) ** 2, s**2 * (1 - s)
    cubic = np.outer(g0, before) + np.outer(r0 * width, begins) + np.outer(g1, after) - np.outer(r1 * width, ends)
    return np.asarray(~(np.min(cubic, axis=1) > NEAR * np.maximum(np.abs(g0), np.abs(g1))))


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


def between(x: Array, y: Array, a0: Array, a1: Array, h: Array, shares: Array) -> Array:
    """Return the states (N, k, 2n + 1) at shares (k,) of steps h (N,) from x to y (N, 2n + 1): they tell signs.

    That is quintic Hermite interpolation, with the accelerations (N, n) at both ends.
    """
    n, s, h = a0.shape[1], shares[None, :, None], h[:, None, None]
    x, y = x[:, None], y[:, None]
    q0, v0, q1, v1 = x[..., 1 : n + 1], x[..., n + 1 :] * h, y[..., 1 : n + 1], y[..., n + 1 :] * h
    b0, b1 = a0[:, None] * h * h, a1[:, None] * h * h
    d = q1 - q0 - v0 - b0 / 2
    e = v1 - v0 - b0
    f = b1 - b0
    c3, c4, c5 = 10 * d - 4 * e + f / 2, -15 * d + 7 * e - f, 6 * d - 3 * e + f / 2
    q = q0 + v0 * s + b0 * s**2 / 2 + c3 * s**3 + c4 * s**4 + c5 * s**5
    v = (v0 + b0 * s + 3 * c3 * s**2 + 4 * c4 * s**3 + 5 * c5 * s**4) / h
    return np.concatenate([x[..., :1] + s * h, q, v], axis=2)
