"""Event functions along a step: gaps that close, reactions that vanish, and what the user asks for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy

from gauss.errors import InputError
from gauss.foundation.arrays import Array, Flags
from gauss.foundation.portable import Portable
from gauss.foundation.tolerances import EPS
from gauss.model import System
from gauss.model.compiled import StepScalar
from gauss.model.compiled.buffer import Buffered
from gauss.model.state import State
from gauss.motion.contacts.friction import ContactModes
from gauss.motion.contacts.switching_functions import Switching
from gauss.motion.steps.steppers import Stepper
from gauss.principle.contact_sizes import contact_sizes

SAMPLES = np.array([0.2, 0.4, 0.6, 0.8])  # where a step is looked at between its ends
FINE = np.linspace(0.0, 1.0, 25)[1:-1]  # where it is looked at when a stage had a negative multiplier
ZERO = 1e-12  # values up to this count as zero, relative to their natural size
ROUNDING = 0.02  # share of that which is rounding of a gap at a contact


@dataclass(frozen=True)
class Event(Portable):
    """A scalar function of q, v, t, p whose zero crossings are located, recorded and, if `terminal`, end the run.

    `direction` is +1 for upward crossings only, −1 for downward ones, 0 for both.

    >>> import gauss as g
    >>> pendulum = g.System(
    ...     "pendulum",
    ...     coordinates="x y",
    ...     kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
    ...     potential_energy=lambda q: 9.81 * q.y,
    ...     constraints=[g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0)],
    ... )
    >>> lowest = g.Event("lowest point", lambda q: q.x, terminal=True)
    >>> run = g.simulate(pendulum, [1, 0], t_end=10.0, events=[lowest])
    >>> print(run.events[0])
    event 'lowest point' at t = 0.591960486898 s
    """

    name: str
    function: Callable[..., Any]
    direction: int = 0
    terminal: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise InputError(f"an event needs a name as its first argument, got {self.name!r}.")
        if np.ndim(self.direction) != 0 or self.direction not in (-1, 0, 1):
            raise InputError(f"the direction of event {self.name!r} must be −1, 0 or 1, got {self.direction!r}.")


@dataclass(frozen=True)
class ZeroCrossing:
    """A located zero: the step length that reaches it and which monitors cross there."""

    h: float
    which: tuple[int, ...]


class Monitors:
    """All functions that are watched during a segment with fixed active rows, as one vector.

    Order: gaps of the open unilateral rows, multipliers of the active unilateral rows; of frictional contacts the slip
    velocities of those that slide, the loads of those among them that are held from both sides, the margins μ_s |p| −
    |t| of those that stick, the least margin of those that share a reaction; user events. All but these are positive
    until something happens; `watched` says what each is of. `before` holds the last sign of each function that was
    clearly not zero (after an event, gaps and multipliers start at zero and rise), `largest` the largest values of the
    user events.
    """

    def __init__(
        self,
        system: System,
        events: Sequence[Event],
        functions: Sequence[Buffered],
        rows: tuple[int, ...],
        theta: Array,
        before: Array,
        largest: Array,
        modes: ContactModes | None = None,
        span: float = 0.0,
    ):
        model = system.model
        self.system, self.theta, self.rows, self._span = system, theta, rows, span
        self._switching = Switching.of(system, modes or ContactModes(), rows)
        sharing = self._switching.sharing
        self.open = tuple(k for k in model.unilateral if k not in rows and k not in sharing)
        self.pressing = tuple(k for k in model.unilateral if k in rows and k not in sharing)
        self.watched = (
            *(("gap", k) for k in self.open),
            *(("load", k) for k in self.pressing),
            *self._switching.watched,
        )
        self.kinematic = len(self.watched)
        self._two_sided = tuple(len(self.open) + len(self.pressing) + i for i in self._switching.two_sided)
        self._multiplier = [rows.index(k) for k in self.pressing]
        self.events, self._functions = tuple(events), tuple(functions)
        self.directions = np.array([-1] * self.kinematic + [e.direction for e in events], dtype=int)
        self.before = np.concatenate([np.zeros(self.kinematic), before])
        self.largest = largest

    def __len__(self) -> int:
        return self.directions.size

    def follow(self, modes: ContactModes) -> None:
        """Watch the same with other directions of slip in space."""
        self._switching = replace(self._switching, modes=modes)

    @property
    def memory(self) -> tuple[Array, Array]:
        """The signs and largest values of the user events, to be handed on to the next segment."""
        return self.before[self.kinematic :], self.largest

    def values(self, x: Array, stepper: Stepper) -> Array:
        """Evaluate all monitored functions at a state."""
        return self._look(x, stepper)[0]

    def _look(self, x: Array, stepper: Stepper) -> tuple[Array, Array, Array]:
        """Evaluate all monitored functions, the rates of open gaps and the loads of gripping contacts at a state."""
        n = self.system.n
        t, q, v = float(x[0]), x[1 : n + 1], x[n + 1 :]
        parts, rates, loads = [], np.zeros(0), np.zeros(0)
        if self.open or self._switching.sliding:
            phi, psi = self.system.model.residuals(q, v, t, self.theta)
            parts.append(phi[list(self.open)])
            rates = psi[list(self.open)]
        if self.pressing or self._switching.forces:
            multipliers = stepper.accelerate(x)[1]
            parts.append(multipliers[self._multiplier])
            loads = self._switching.loads(multipliers) if self._two_sided else loads
        if self._switching.watched:
            parts.append(
                self._switching.values(
                    x, psi if self._switching.sliding else None, multipliers if self._switching.forces else None
                )
            )
        parts.append(np.array([f(q, v, t, self.theta)[0].item() for f in self._functions]))
        return np.concatenate(parts), rates, loads

    def _one(self, i: int, x: Array, stepper: Stepper) -> float:
        """Evaluate one monitored function at a state, a gap without the others."""
        if i >= len(self.open):
            return float(self.values(x, stepper)[i])
        n = self.system.n
        return float(self.system.model.residuals(x[1 : n + 1], x[n + 1 :], float(x[0]), self.theta)[0][self.open[i]])

    def zero(self, x: Array, seen: Array) -> Array:
        """Return what counts as zero of each function at a state: `ZERO` of its natural size.

        That is the size of the row for a gap, the applied force for a multiplier, and for a user's event the largest
        value seen so far.
        """
        n = self.system.n
        q, v = x[1 : n + 1], x[n + 1 :]
        terms = self.system.model.terms(q, v, float(x[0]), self.theta)
        state = State(q, v, float(x[0]))
        natural = contact_sizes(self.system, state, terms, self.theta, span=self._span)
        gaps = natural.gap(ZERO)[list(self.open)] / ZERO
        weight = 1.0 / np.sqrt(np.maximum(np.diag(terms.M), 1e-300))
        lengths = np.linalg.norm(terms.J * weight, axis=1)
        length = lengths[list(self.pressing)]
        force = np.linalg.norm(terms.f * weight) + np.max(
            np.abs(terms.gamma) / np.maximum(lengths, 1e-300), initial=0.0
        )
        multipliers = force / np.maximum(length, 1e-300)
        sizes = [gaps, multipliers, seen]
        if self._switching.watched:
            sizes.insert(2, self._switching.sizes(natural.rate(ZERO) / ZERO, force / np.maximum(lengths, 1e-300)))
        return np.asarray(ZERO * np.concatenate(sizes))

    def find(self, x: Array, following: Array, record: Array, h: float, stepper: Stepper) -> ZeroCrossing | None:
        """Return the first crossing within a step from x to `following`, located to rounding, or None."""
        doubtful = record[StepScalar.SMALLEST] < 0.0
        fractions = (0.0, *(FINE if doubtful else SAMPLES), 1.0)
        end_a = stepper.accelerate(following)[0]
        between = _hermite(x, following, record[: self.system.n], end_a, h, np.array(fractions[1:-1]))
        looks = [self._look(state, stepper) for state in (x, *between, following)]
        self.require_finite(looks[-1][0], following)
        largest = np.max(np.abs([now[self.kinematic :] for now, *_ in looks]), axis=0)
        self.largest = np.maximum(self.largest, largest)
        zero = self.zero(x, self.largest)
        self._remember(looks[0][0], zero)
        for k in range(1, len(fractions)):
            (last, falling, before), (now, rising, after) = looks[k - 1], looks[k]
            left, right = fractions[k - 1] * h, fractions[k] * h
            beyond = dict.fromkeys(np.flatnonzero(self._crossed(now, zero)).tolist(), right)
            for i in np.flatnonzero((falling < 0.0) & (rising > 0.0)).tolist():  # of the gaps, which come first
                lowest = self._dip(x, stepper, i, left, right, (last[i], now[i], falling[i], rising[i]), zero[i])
                if lowest is not None:
                    beyond[i] = lowest
            for j in np.flatnonzero(before * after < 0.0).tolist() if self._two_sided else ():
                unloaded, i = self._unloaded(x, stepper, j, left, right), self._two_sided[j]
                if self.values(stepper.step(x, unloaded)[0], stepper)[i] < -zero[i]:
                    beyond[i] = unloaded
            if beyond:
                return self._locate(x, stepper, left, beyond, zero)
            self._remember(now, zero)
        return None

    def require_finite(self, now: Array, x: Array) -> None:
        """Raise InputError, naming the event, where a user's function is not finite at an accepted state."""
        for event, value in zip(self.events, now[self.kinematic :], strict=True):
            if not np.isfinite(value):
                raise InputError(
                    f"event {event.name!r} is not finite but {value} at t = {x[0]:.9g} s; it cannot be watched."
                )

    def _remember(self, now: Array, zero: Array) -> None:
        """Keep the signs of what is clearly not zero; what is never negative but by rounding counts as zero then."""
        before = np.where(np.abs(now) > zero, np.sign(now), self.before)
        before[: self.kinematic] = np.maximum(before[: self.kinematic], 0.0)
        self.before = before

    def _dip(
        self,
        x: Array,
        stepper: Stepper,
        i: int,
        left: float,
        right: float,
        ends: tuple[float, float, float, float],
        zero: float,
    ) -> float | None:
        """Return where a gap is lowest between two looks, if it is negative there: it has been crossed twice.

        `ends` are the gap and its rate at both ends; a cubic through them tells whether a closer look is worth it.
        """
        g0, g1, r0, r1 = ends
        width = right - left
        s = np.linspace(0.0, 1.0, 33)
        cubic = (
            g0 * (1 + 2 * s) * (1 - s) ** 2
            + r0 * width * s * (1 - s) ** 2
            + g1 * s**2 * (3 - 2 * s)
            - r1 * width * s**2 * (1 - s)
        )
        if np.min(cubic) > 0.1 * max(abs(g0), abs(g1)):
            return None

        def rate(tau: float) -> float:
            return float(self._look(stepper.step(x, tau)[0] if tau else x, stepper)[1][i])

        if not rate(left) < 0.0 < rate(right):
            return None
        lowest = float(scipy.optimize.brentq(rate, left, right))
        return lowest if self.values(stepper.step(x, lowest)[0], stepper)[i] < -zero else None

    def _unloaded(self, x: Array, stepper: Stepper, j: int, left: float, right: float) -> float:
        """Return where the load of a contact held from both sides changes its sign: its margin μ |p| − |t| is least."""

        def load(tau: float) -> float:
            return float(self._look(stepper.step(x, tau)[0] if tau else x, stepper)[2][j])

        return float(scipy.optimize.brentq(load, left, right)) if load(left) * load(right) < 0.0 else right

    def _crossed(self, now: Array, zero: Array) -> Flags:
        """Return which functions changed sign in their direction.

        A gap or multiplier that starts at zero and falls has crossed; a user's event that starts at zero has not before
        it has left it.
        """
        inside = np.arange(now.size) < self.kinematic
        down = (now < -zero) & ((self.before > 0.0) | (inside & (self.before == 0.0)))
        up = (now > zero) & (self.before < 0.0)
        return np.asarray((down & (self.directions <= 0)) | (up & (self.directions >= 0)))

    def _locate(self, x: Array, stepper: Stepper, left: float, beyond: dict[int, float], zero: Array) -> ZeroCrossing:
        """Locate the earliest zero by steps of varying length from x; `beyond` has a step past it for each function."""
        roots = {}
        for i, right in beyond.items():

            def value(tau: float, index: int = i) -> float:
                return self._one(index, stepper.step(x, tau)[0] if tau else x, stepper)

            roots[i] = _root(value, left, right, ROUNDING * float(zero[i]) if i < self.kinematic else 0.0)
        first = min(roots.values())
        same = 1e-11 * max(abs(float(x[0])), first)
        which = tuple(i for i, tau in roots.items() if tau - first <= same)
        self.before[list(which)] = -self.before[list(which)]
        return ZeroCrossing(first, which)


def _root(value: Callable[[float], float], left: float, right: float, zero: float) -> float:
    """Return a zero of `value` in [left, right], or `left` where it changes sign there already, within rounding.

    Values up to `zero` at `left` are zero.
    """
    end = value(right)
    if end == 0.0:
        return right
    low = value(left)
    if abs(low) <= zero or low * end > 0.0:
        # It leaves zero on the other side and returns: look for that side ever nearer to the left end.
        width = right - left
        for _ in range(60):
            width *= 0.5
            inner = value(left + width)
            if inner * end < 0.0 and abs(inner) > zero:
                left = left + width
                break
        else:
            return left
    return float(
        scipy.optimize.brentq(value, left, right, xtol=1e-3 * EPS * abs(right) + 1e-300, rtol=4.0 * EPS, maxiter=200)
    )


def _hermite(x: Array, y: Array, a0: Array, a1: Array, h: float, shares: Array) -> Array:
    """Return the states (k, 2n + 1) at shares (k,) of a step by quintic Hermite interpolation: they tell signs."""
    n, s = a0.size, shares[:, None]
    q0, v0, q1, v1 = x[1 : n + 1], x[n + 1 :] * h, y[1 : n + 1], y[n + 1 :] * h
    b0, b1 = a0 * h * h, a1 * h * h
    d = q1 - q0 - v0 - b0 / 2
    e = v1 - v0 - b0
    f = b1 - b0
    c3, c4, c5 = 10 * d - 4 * e + f / 2, -15 * d + 7 * e - f, 6 * d - 3 * e + f / 2
    q = q0 + v0 * s + b0 * s**2 / 2 + c3 * s**3 + c4 * s**4 + c5 * s**5
    v = (v0 + b0 * s + 3 * c3 * s**2 + 4 * c4 * s**3 + 5 * c5 * s**4) / h
    return np.hstack([x[0] + s * h, q, v])
