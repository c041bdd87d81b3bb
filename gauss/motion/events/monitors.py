"""`Monitors`: what is watched along a step: gaps that close, reactions that vanish, and what the user asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import scipy

from gauss.errors import InputError
from gauss.foundation.arrays import Array, Flags
from gauss.model import System
from gauss.model.compiled import StepScalar
from gauss.model.compiled.buffer import Buffered
from gauss.model.state import State
from gauss.motion.contacts.friction import ContactModes
from gauss.motion.contacts.switching_functions import Switching
from gauss.motion.events.event import Event
from gauss.motion.events.readings import COARSE, FINE, Readings, Shares, crossed, dips_once, last_signs
from gauss.motion.events.zeros import ZeroCrossing, earliest
from gauss.motion.steps.steppers import FusedStepper, Stepper
from gauss.principle.contact_sizes import contact_sizes

ZERO = 1e-12  # values up to this count as zero, relative to their natural size


class Calm(NamedTuple):
    """Consecutive steps in which nothing happens, with what is to be remembered of them."""

    steps: int
    before: Array  # (steps, e) last sign of each user event that was clearly not zero, behind each of them
    largest: Array  # (steps, e) largest values of the user events up to there


class Monitors:
    """All functions that are watched during a segment with fixed active rows, as one vector.

    Order: gaps of the open unilateral rows, multipliers of the active unilateral rows; of frictional contacts the slip
    velocities of those that slide, the loads of those among them that are held from both sides, the margins μ_s |p| −
    |t| of those that stick, the least margin of those that share a reaction; user events. All but these are positive
    until something happens; `watched` says what each is of. `before` holds the last sign of each user event that was
    clearly not zero, `largest` the largest values of these.
    """

    KEPT: tuple[str, ...] = ("before", "largest")

    def __init__(
        self,
        system: System,
        events: Sequence[Event],
        functions: Sequence[Buffered],
        rows: tuple[int, ...],
        theta: Array,
        modes: ContactModes | None = None,
        span: float = 0.0,
    ):
        model = system.model
        self.system, self.theta, self.rows, self._span = system, theta, rows, span
        self._switching = Switching.of(system, modes or ContactModes(), rows)
        sharing = self._switching.sharing
        self.open = tuple(k for k in model.unilateral if k not in rows and k not in sharing)
        self.pressing = tuple(k for k in model.unilateral if k in rows and k not in sharing)
        switching = self._switching.watched if system.contacts else ()
        self.watched = (*(("gap", k) for k in self.open), *(("load", k) for k in self.pressing), *switching)
        self.kinematic = len(self.watched)
        self._open = np.array(self.open, dtype=int)
        two_sided = self._switching.two_sided if system.contacts else ()
        self._two_sided = tuple(len(self.open) + len(self.pressing) + i for i in two_sided)
        self._multiplier = [rows.index(k) for k in self.pressing]
        self.events, self._functions = tuple(events), tuple(functions)
        self._directions = np.array([e.direction for e in events], dtype=int)
        self.before = self.largest = np.zeros(len(events))

    def resumed(self, before: Array, largest: Array) -> Monitors:
        """Return monitors of the same with the memory of those before; without events there is none."""
        if not self.events:
            return self
        found = copy(self)
        found.before, found.largest = before, largest
        return found

    def __len__(self) -> int:
        return self.kinematic + len(self.events)

    def follow(self, modes: ContactModes) -> None:
        """Watch the same with other directions of slip in space."""
        self._switching = replace(self._switching, modes=modes)

    @property
    def memory(self) -> tuple[Array, Array]:
        """The signs and largest values of the user events, to be handed on to the next segment."""
        return self.before, self.largest

    @property
    def sharing(self) -> bool:
        """Whether contacts share a reaction, which a program of its own divides at every state."""
        return bool(self._switching.sharing)

    def values(self, x: Array, stepper: Stepper) -> Array:
        """Evaluate all monitored functions at a state."""
        return np.asarray(self.read(x[None], stepper).values[0])

    def read(self, states: Array, stepper: Stepper) -> Readings:
        """Evaluate all monitored functions, the rates of open gaps and the loads of gripping contacts at N states."""
        place, count, switching = self._parts(states), len(states), self._switching
        nothing = np.zeros((count, 0))
        parts, rates, loads = [nothing], nothing, nothing
        psi = multipliers = None
        if self.open or switching.sliding:
            phi, psi = self.system.model.batch_residuals(*place, self.theta)
            parts.append(phi[:, self._open])
            rates = psi[:, self._open]
        if self.pressing or switching.forces:
            multipliers = _multipliers(stepper, states)
            parts.append(multipliers[:, self._multiplier])
            loads = switching.loads(multipliers) if self._two_sided else loads
        if switching.watched:
            sliding, forces = psi if switching.sliding else None, multipliers if switching.forces else None
            parts.append(switching.values(states, sliding, forces))
        parts += [function.at(place, [self.theta])[0] for function in self._functions]
        return Readings(np.hstack(parts), rates, loads)

    def _parts(self, states: Array) -> tuple[Array, Array, Array]:
        """Return q (N, n), v (N, n) and t (N,) of states (N, 2n+1)."""
        n = self.system.n
        return states[:, 1 : n + 1], states[:, n + 1 :], states[:, 0]

    def _gaps(self, stepper: Stepper, x: Array, tau: float) -> tuple[Array, Array]:
        """Evaluate the gaps (m,) behind a step from x, and their rates."""
        n, state = self.system.n, stepper.step(x, tau)[0]
        return self.system.model.residuals(state[1 : n + 1], state[n + 1 :], float(state[0]), self.theta)

    def zero(self, x: Array, read: Readings) -> Array:
        """Return what counts as zero of each function at a state: `ZERO` of its natural size.

        That is the size of the row for a gap, the applied force for a multiplier, and for a user's event the largest
        value seen so far. Multipliers that `read` has as positive only are not compared with it.
        """
        n = self.system.n
        q, v = x[1 : n + 1], x[n + 1 :]
        terms = self.system.model.terms(q, v, float(x[0]), self.theta)
        state = State(q, v, float(x[0]))
        natural = contact_sizes(self.system, state, terms, self.theta, span=self._span)
        sizes, gaps = [natural.gap(ZERO)[self._open] / ZERO], len(self.open)
        if (read.values[:, gaps : self.kinematic] >= 0.0).all() and not self._switching.watched:
            sizes.append(np.zeros(len(self.pressing)))
        else:
            weight = 1.0 / np.sqrt(np.maximum(np.diag(terms.M), 1e-300))
            lengths = np.maximum(np.linalg.norm(terms.J * weight, axis=1), 1e-300)
            force = np.linalg.norm(terms.f * weight) + np.max(np.abs(terms.gamma) / lengths, initial=0.0)
            sizes.append(force / lengths[list(self.pressing)])
            if self._switching.watched:
                sizes.append(self._switching.sizes(natural.rate(ZERO) / ZERO, force / lengths))
        return np.asarray(ZERO * np.concatenate([*sizes, self.largest]))

    def find(
        self, x: Array, following: Array, record: Array, h: float, stepper: Stepper, unsure: float = 0.0
    ) -> ZeroCrossing | None:
        """Return the first crossing within a step from x to `following`, located to rounding, or None.

        States of a window are `unsure` by that share of their way, and are not interpolated.
        """
        shares = FINE if record[StepScalar.SMALLEST] < 0.0 else COARSE
        if unsure:
            inner = np.array([stepper.step(x, share * h)[0] for share in shares.inner.tolist()])
            read = self.read(np.vstack([x, inner, following]), stepper)
        else:
            read = self._along(x, following, record, h, stepper, shares)
        may = read.may_happen(self.kinematic, shares.widths * h)
        signs = self._signs(read.values, following, may)
        if not may.any():
            self.before = signs[-1]
            return None
        zero = self.zero(x, read)
        if unsure:  # out of a singular position all sizes may grow from nothing
            zero = np.maximum(zero, self.zero(following, read))
            zero[: len(self.open)] += unsure * self._ways(x, following)
        for k in (may.nonzero()[0] + 1).tolist():
            self.before = signs[k]
            left, right = float(shares.all[k - 1] * h), float(shares.all[k] * h)
            beyond = self._beyond(x, stepper, (left, right), Readings(*(each[k - 1 : k + 1] for each in read)), zero)
            if beyond:
                ends = {0.0: (read.values[0], read.rates[0]), float(h): (read.values[-1], read.rates[-1])}
                found = earliest(self._look(x, stepper, beyond, ends), float(x[0]), left, beyond, zero, self.kinematic)
                turned = [i - self.kinematic for i in found.which if i >= self.kinematic]
                self.before[turned] = -self.before[turned]
                return found
        self.before = signs[-1]
        return None

    def _along(self, x: Array, following: Array, record: Array, h: float, stepper: Stepper, shares: Shares) -> Readings:
        """Read at both ends of a step and between them."""
        n, s = self.system.n, stepper.setting
        if shares is COARSE and self._gaps_and_loads and isinstance(stepper, FusedStepper) and not stepper.slides:
            look = stepper.gaps_along(shares.inner, shares.position, shares.velocity)
            phi, psi, forces = look(x, following, record[:n], h, s.theta, s.weight)
            values = phi[:, self._open]
            if self.pressing:
                values = np.hstack([values, forces[:, self._multiplier]])
            return Readings(values, psi[:, self._open], np.zeros((len(phi), 0)))
        ends = record[None, :n], stepper.accelerate(following)[0][None]
        states = shares.between(x[None], following[None], *ends, np.array([h]))[0]
        return self.read(np.vstack([x, states, following]), stepper)

    def _ways(self, x: Array, following: Array) -> Array:
        """Return the sums of what coordinates change the open gaps by, all of them positive, on a way."""
        n = self.system.n
        J = self.system.model.terms(following[1 : n + 1], following[n + 1 :], float(following[0]), self.theta).J
        return np.asarray(np.abs(J[self._open]) @ np.abs(following - x)[1 : n + 1])

    @property
    def _gaps_and_loads(self) -> bool:
        """Whether nothing else is watched."""
        return not self._switching.watched and not self.events

    def _signs(self, values: Array, following: Array, may: Flags) -> Array:
        """Return the last signs (N, e) of the user events at looks, and enter in `may` (N − 1,) where one crosses."""
        events = values[:, self.kinematic :]
        if not self.events:
            return events
        self.require_finite(values[-1], following)
        self.largest = np.maximum(self.largest, np.max(np.abs(events), axis=0))
        signs = last_signs(events, ZERO * self.largest, self.before)
        may |= np.any(crossed(events[1:], ZERO * self.largest, signs[1:-1], self._directions), axis=1)
        return signs

    def _beyond(
        self, x: Array, stepper: Stepper, ends: tuple[float, float], read: Readings, zero: Array
    ) -> dict[int, float]:
        """Return the functions that have crossed zero between two looks, each with a step (s) from x past it."""
        (left, right), (last, now), (falling, rising) = ends, read.values, read.rates
        beyond = dict.fromkeys(self._crossed(now, zero).nonzero()[0].tolist(), right)
        for i in ((falling < 0.0) & (rising > 0.0)).nonzero()[0].tolist():  # of the gaps, which come first
            lowest = self._dip(x, stepper, i, left, right, (last[i], now[i], falling[i], rising[i]), zero[i])
            if lowest is not None:
                beyond[i] = lowest
        for j in (read.loads[0] * read.loads[1] < 0.0).nonzero()[0].tolist():
            unloaded, i = self._unloaded(x, stepper, j, left, right), self._two_sided[j]
            if self.values(stepper.step(x, unloaded)[0], stepper)[i] < -zero[i]:
                beyond[i] = unloaded
        return beyond

    def calm(self, states: Array, h: Array, records: Array, stepper: FusedStepper) -> Calm:
        """Return how many of consecutive steps h (k,) nothing happens in, as `find` would tell of one after the other.

        `states` (k+1, 2n+1) are those that the steps join, `records` (k, ·) those of all but the last.
        """
        n, looks, doubtful = self.system.n, len(COARSE.inner) + 1, records[:, StepScalar.SMALLEST] < 0.0
        k = int(np.argmax(doubtful)) if np.any(doubtful) else len(h)
        if not k:
            return Calm(0, self.before[None], self.largest[None])
        ends = np.vstack([records[1:k, :n], stepper.accelerate(states[k])[0]])
        inner = COARSE.between(states[:k], states[1 : k + 1], records[:k, :n], ends, h[:k])
        along = np.concatenate([inner, states[1 : k + 1, None]], axis=1).reshape(k * looks, -1)
        read = self.read(np.vstack([states[:1], along]), stepper)
        events = read.values[:, self.kinematic :]
        sizes = np.abs(events[1:]).reshape(k, looks, len(self.events)).max(axis=1)
        sizes[0] = np.max([sizes[0], np.abs(events[0]), self.largest], axis=0)
        largest = np.maximum.accumulate(sizes, axis=0)
        zero = ZERO * np.repeat(largest, looks, axis=0)
        signs = last_signs(events, np.vstack([zero[:1], zero]), self.before)
        may = read.may_happen(self.kinematic, np.repeat(h[:k] / looks, looks))
        may |= np.any(crossed(events[1:], zero, signs[1:-1], self._directions), axis=1)
        may |= ~np.all(np.isfinite(events[1:]), axis=1)
        count = int(np.argmax(may)) // looks if np.any(may) else k
        return Calm(count, signs[1 + looks :: looks][:count], largest[:count])

    def remember(self, calm: Calm, count: int) -> None:
        """Keep what the first `count` of calm steps tell of the user events."""
        if count:
            self.before, self.largest = calm.before[count - 1], calm.largest[count - 1]

    def require_finite(self, now: Array, x: Array) -> None:
        """Raise InputError, naming the event, where a user's function is not finite at an accepted state."""
        for event, value in zip(self.events, now[self.kinematic :], strict=True):
            if not np.isfinite(value):
                raise InputError(
                    f"event {event.name!r} is not finite but {value} at t = {x[0]:.9g} s; it cannot be watched."
                )

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
        if not dips_once(*ends, right - left):
            return None

        def rate(tau: float) -> float:
            return float(self.read((stepper.step(x, tau)[0] if tau else x)[None], stepper).rates[0, i])

        if not rate(left) < 0.0 < rate(right):
            return None
        lowest = float(scipy.optimize.brentq(rate, left, right))
        return lowest if self.values(stepper.step(x, lowest)[0], stepper)[i] < -zero else None

    def _unloaded(self, x: Array, stepper: Stepper, j: int, left: float, right: float) -> float:
        """Return where the load of a contact held from both sides changes its sign: its margin μ |p| − |t| is least."""

        def load(tau: float) -> float:
            return float(self.read((stepper.step(x, tau)[0] if tau else x)[None], stepper).loads[0, j])

        return float(scipy.optimize.brentq(load, left, right)) if load(left) * load(right) < 0.0 else right

    def _crossed(self, now: Array, zero: Array) -> Flags:
        """Return which functions have changed sign in their direction.

        A gap or multiplier that starts at zero and falls has crossed; a user's event that starts at zero has not before
        it has left it.
        """
        k = self.kinematic
        if not self.events:
            return np.asarray(now < -zero)
        return np.append(now[:k] < -zero[:k], crossed(now[k:], zero[k:], self.before, self._directions))

    def _look(
        self, x: Array, stepper: Stepper, beyond: Mapping[int, float], looked: dict[float, tuple[Array, Array]]
    ) -> Callable[[float], tuple[Array, Array]]:
        """Return all functions, and the rates of the gaps, behind steps from x that have not been `looked` at already.

        Where none but gaps has crossed, they alone are evaluated.
        """
        gaps = max(beyond) < len(self.open)

        def look(tau: float) -> tuple[Array, Array]:
            found = looked.get(tau)
            if found is None and gaps:
                phi, psi = (
                    stepper.gaps_behind(x, tau) if isinstance(stepper, FusedStepper) else self._gaps(stepper, x, tau)
                )
                found = looked[tau] = phi[self._open], psi[self._open]
            elif found is None:
                read = self.read(stepper.step(x, tau)[0][None], stepper)
                found = looked[tau] = read.values[0], read.rates[0]
            return found

        return look


def _multipliers(stepper: Stepper, states: Array) -> Array:
    """Return the multipliers (N, k) of the rows in force at N states."""
    if len(states) > 1 and isinstance(stepper, FusedStepper):
        return stepper.accelerations(states)[1]
    return np.array([stepper.accelerate(x)[1] for x in states])
