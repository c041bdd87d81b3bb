"""Event functions along a step: gaps that close, reactions that vanish, and what the user asks for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.optimize as opt

from gauss.arrays import Array, Flags
from gauss.errors import InputError
from gauss.model import System
from gauss.model.compiled import FusedStep
from gauss.model.compiled.buffer import Buffered
from gauss.motion.steppers import Stepper

SAMPLES = np.array([0.2, 0.4, 0.6, 0.8])  # where a step is looked at between its ends
FINE = np.linspace(0.0, 1.0, 25)[1:-1]  # where it is looked at when a stage had a negative multiplier
ZERO = 1e-12  # values up to this count as zero, relative to their natural size


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

    Order: gaps of the open unilateral rows, multipliers of the active unilateral rows, user events. `before` holds the
    last sign of each function that was clearly not zero; after an event, gaps and multipliers start at zero and rise.
    """

    def __init__(
        self,
        system: System,
        events: Sequence[Event],
        functions: Sequence[Buffered],
        rows: tuple[int, ...],
        theta: Array,
        before: Array,
    ):
        model = system.model
        self.system, self.theta, self.rows = system, theta, rows
        self.open = tuple(k for k in model.unilateral if k not in rows)
        self.pressing = tuple(k for k in model.unilateral if k in rows)
        self.kinematic = len(self.open) + len(self.pressing)
        self._multiplier = [rows.index(k) for k in self.pressing]
        self.events, self._functions = tuple(events), tuple(functions)
        self.directions = np.array([-1] * self.kinematic + [e.direction for e in events], dtype=int)
        self.before = np.concatenate([np.zeros(self.kinematic), before])

    def __len__(self) -> int:
        return self.directions.size

    @property
    def memory(self) -> Array:
        """The signs of the user events, to be handed on to the next segment."""
        return self.before[self.kinematic :]

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

    def zero(self, x: Array) -> Array:
        """Return what counts as zero of each function at a state: `ZERO` of its natural size."""
        n = self.system.n
        q, v = x[1 : n + 1], x[n + 1 :]
        terms = self.system.model.terms(q, v, float(x[0]), self.theta)
        place = max(1.0, float(np.max(np.abs(q))))
        gaps = place * np.linalg.norm(terms.J[list(self.open)], axis=1)
        # The force that moves the system, as a multiplier: |f| and |a| in the mass metric over the length of the row.
        weight = 1.0 / np.sqrt(np.maximum(np.diag(terms.M), 1e-300))
        length = np.linalg.norm(terms.J[list(self.pressing)] * weight, axis=1)
        force = np.linalg.norm(terms.f * weight) + np.max(np.abs(terms.gamma), initial=0.0) * np.max(1.0 / weight)
        multipliers = force / np.maximum(length, 1e-300)
        user = np.full(len(self.events), max(1.0, float(np.max(np.abs(x[1:])))))
        return np.asarray(ZERO * np.concatenate([gaps, multipliers, user]))

    def find(self, x: Array, following: Array, record: Array, h: float, stepper: Stepper) -> Crossing | None:
        """Return the first crossing within a step from x to `following`, located to rounding, or None."""
        zero = self.zero(x)
        start = self.values(x, stepper)
        self.before = np.where(np.abs(start) > zero, np.sign(start), self.before)
        doubtful = record[-len(FusedStep.SCALARS) + FusedStep.SCALARS.index("smallest")] < 0.0
        end_a = stepper.accelerate(following)[0]
        left = 0.0
        for s in (*(FINE if doubtful else SAMPLES), 1.0):
            state = following if s == 1.0 else _hermite(x, following, record[: self.system.n], end_a, h, s)
            now = self.values(state, stepper)
            crossed = self._crossed(now, zero)
            if np.any(crossed):
                return self._locate(x, stepper, crossed, left * h, s * h)
            self.before = np.where(np.abs(now) > zero, np.sign(now), self.before)
            left = float(s)
        return None

    def _crossed(self, now: Array, zero: Array) -> Flags:
        """Return which functions changed sign in their direction.

        A gap or multiplier that starts at zero and falls has crossed; a user's event that starts at zero has not before
        it has left it.
        """
        inside = np.arange(now.size) < self.kinematic
        down = (now < -zero) & ((self.before > 0.0) | (inside & (self.before == 0.0)))
        up = (now > zero) & (self.before < 0.0)
        return np.asarray((down & (self.directions <= 0)) | (up & (self.directions >= 0)))

    def _locate(self, x: Array, stepper: Stepper, crossed: Flags, left: float, right: float) -> Crossing:
        """Locate the earliest zero among the crossed functions by steps of varying length from x."""
        roots = {}
        for i in np.flatnonzero(crossed).tolist():

            def value(tau: float, index: int = i) -> float:
                return float(self.values(stepper.step(x, tau)[0] if tau else x, stepper)[index])

            roots[i] = _root(value, left, right)
        first = min(roots.values())
        same = 1e-11 * max(abs(float(x[0])), right)
        which = tuple(i for i, tau in roots.items() if tau - first <= same)
        self.before[list(which)] = -self.before[list(which)]
        return Crossing(first, which)


def _root(value: Callable[[float], float], left: float, right: float) -> float:
    """Return a zero of `value` in [left, right], or `left` where it changes sign there already, within rounding."""
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
