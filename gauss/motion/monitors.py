"""Event functions along a step: gaps that close, reactions that vanish, and what the user asks for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.optimize as opt

from gauss.arrays import Array
from gauss.errors import InputError
from gauss.model import System
from gauss.model.compiled.buffer import Buffered
from gauss.motion.steppers import Stepper

SAMPLES = np.array([0.2, 0.4, 0.6, 0.8])  # where a step is looked at between its ends
ZERO = 1e-12  # values up to this (relative to the state's size, at least 1) count as zero


@dataclass(frozen=True)
class Event:
    """A scalar function of q, v, t, p whose zero crossings are located, recorded and, if `terminal`, end the run.

    `direction` is +1 for upward crossings only, −1 for downward ones, 0 for both.
    """

    name: str
    function: Callable[..., Any]
    direction: int = 0
    terminal: bool = False

    def __post_init__(self) -> None:
        if self.direction not in (-1, 0, 1):
            raise InputError(f"the direction of event {self.name!r} must be −1, 0 or 1, got {self.direction!r}.")


@dataclass(frozen=True)
class Crossing:
    """A located zero: the step length that reaches it and which monitors cross there."""

    h: float
    which: tuple[int, ...]


class Monitors:
    """All functions that are watched during a segment with fixed active rows, as one vector.

    Order: gaps of the open unilateral rows, multipliers of the active unilateral rows, user events.
    """

    def __init__(self, system: System, events: Sequence[Event], rows: tuple[int, ...], theta: Array):
        model = system.model
        self.system, self.theta, self.rows = system, theta, rows
        self.open = tuple(k for k in model.unilateral if k not in rows)
        self.pressing = tuple(k for k in model.unilateral if k in rows)
        self._multiplier = [rows.index(k) for k in self.pressing]
        self.events = tuple(events)
        self._functions: list[Buffered] = [model.event(e.function, f"event {e.name!r}") for e in events]
        self.directions = np.array(
            [-1] * (len(self.open) + len(self.pressing)) + [e.direction for e in events], dtype=int
        )
        self._before = np.zeros(0)  # values at the end of the last step; sign of departure where that is zero

    def __len__(self) -> int:
        return self.directions.size

    def values(self, x: Array, stepper: Stepper) -> Array:
        """Evaluate all monitored functions at a state."""
        n = self.system.n
        t, q, v = float(x[0]), x[1 : n + 1], x[n + 1 :]
        parts = []
        if self.open:
            parts.append(self.system.model.residuals(q, v, t, self.theta)[0][list(self.open)])
        if self.pressing:
            parts.append(stepper.accelerate(x)[1][self._multiplier])
        parts.append(np.array([f(q, v, t, self.theta)[0].item() for f in self._functions]))
        return np.concatenate(parts)

    def find(self, x: Array, following: Array, record: Array, h: float, stepper: Stepper) -> Crossing | None:
        """Return the first crossing within a step from x to `following`, located to rounding, or None."""
        n = self.system.n
        size = max(1.0, float(np.max(np.abs(x[1:]))))
        start = self.values(x, stepper)
        previous = np.where(np.abs(start) <= ZERO * size, 0.0, start)
        watched = np.concatenate([SAMPLES, [1.0]])
        end_a = stepper.accelerate(following)[0]
        left = 0.0
        for s in watched:
            state = following if s == 1.0 else _hermite(x, following, record[:n], end_a, h, s)
            now = self.values(state, stepper)
            crossed = self._crossed(previous, now, size)
            if np.any(crossed):
                return self._locate(x, stepper, crossed, left * h, s * h, previous, size)
            settled = np.abs(now) > ZERO * size
            previous = np.where(settled, now, previous)
            left = float(s)
        return None

    def _crossed(self, previous: Array, now: Array, size: float) -> Any:
        """Return which functions changed sign in their direction; a start at zero counts by where it departs to.

        Gaps and multipliers start at zero after an event and then rise, so falling from zero is a crossing; a user's
        event that starts at zero is not crossed before it has left it.
        """
        kinematic = np.arange(now.size) < len(self.open) + len(self.pressing)
        down = (now < -ZERO * size) & ((previous > 0.0) | (kinematic & (previous == 0.0)))
        up = (now > ZERO * size) & (previous < 0.0)
        return (down & (self.directions <= 0)) | (up & (self.directions >= 0))

    def _locate(
        self, x: Array, stepper: Stepper, crossed: Any, left: float, right: float, previous: Array, size: float
    ) -> Crossing:
        """Locate the earliest zero among the crossed functions by steps of varying length from x."""
        roots = {}
        for i in np.flatnonzero(crossed):

            def value(tau: float, index: int = int(i)) -> float:
                return float(self.values(stepper.step(x, tau)[0] if tau else x, stepper)[index])

            roots[int(i)] = _root(value, left, right, previous[i], size)
        first = min(roots.values())
        same = 1e-11 * max(1.0, abs(float(x[0])), right)
        return Crossing(first, tuple(i for i, tau in roots.items() if tau - first <= same))


def _root(value: Callable[[float], float], left: float, right: float, before: float, size: float) -> float:
    """Return a zero of `value` in [left, right]; at the left end it has the sign of `before`, or departs upward."""
    end = value(right)
    if end == 0.0:
        return right
    low = value(left)
    if low == 0.0 or low * end > 0.0:
        # It leaves zero on the other side and returns: look for that side ever nearer to the left end.
        width = right - left
        for _ in range(60):
            width *= 0.5
            if value(left + width) * end < 0.0:
                left = left + width
                break
        else:
            return left
    return float(opt.brentq(value, left, right, xtol=1e-300, rtol=4.0 * np.finfo(float).eps, maxiter=200))


def _hermite(x: Array, y: Array, a0: Array, a1: Array, h: float, s: float) -> Array:
    """Return the state at fraction s of a step by quintic Hermite interpolation, good enough to look for signs."""
    n = a0.size
    q0, v0, q1, v1 = x[1 : n + 1], x[n + 1 :] * h, y[1 : n + 1], y[n + 1 :] * h
    b0, b1 = a0 * h * h, a1 * h * h
    d = q1 - q0 - v0 - b0 / 2
    e = v1 - v0 - b0
    f = b1 - b0
    c3, c4, c5 = 10 * d - 4 * e + f / 2, -15 * d + 7 * e - f, 6 * d - 3 * e + f / 2
    q = q0 + v0 * s + b0 * s**2 / 2 + c3 * s**3 + c4 * s**4 + c5 * s**5
    v = (v0 + b0 * s + 3 * c3 * s**2 + 4 * c4 * s**3 + 5 * c5 * s**4) / h
    return np.concatenate([[x[0] + s * h], q, v])
