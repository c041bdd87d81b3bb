"""Steppers: one Runge-Kutta step on a fixed set of active rows, compiled whole where possible, in stages otherwise.

A third kind takes implicit steps, for stiff forces. All return the next projected state x = (t, q, v) and a record of
the state that the step starts from, in the layout of `FusedStep`: a (n,), λ (k,), then the scalars named in
`StepScalar`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Protocol

import numpy as np

from gauss.foundation.arrays import Array, Flags
from gauss.model.compiled import OFF_PLACES, FusedStep, StepScalar
from gauss.model.compiled.steps.gaps import GapsAlong, GapsBehind
from gauss.model.compiled.steps.looks import Looks, StepLooks, Views
from gauss.model.compiled.steps.taylor import Reach
from gauss.model.compiled.steps.trials import Own, Steps, Trials, TrialSteps
from gauss.motion.steps.implicit import jacobian_of, radau_step
from gauss.motion.steps.kkt import NOISY, Refinement
from gauss.motion.steps.setting import Control, Setting, Slide, metric_weight, redirected, sliding_force
from gauss.motion.steps.staged import CarefulStepper, StagedStepper
from gauss.motion.steps.taylor import series_trials
from gauss.numerics.runge_kutta import EULER, RADAU, RK4, dop853

__all__ = ["Control", "Setting", "Slide", "Stepper", "metric_weight", "redirected", "sliding_force", "stepper_of"]
SETTLES = 3.0  # rate of decay times a step from which explicit steps would become unstable


class Stepper(Protocol):
    """One step on fixed active rows."""

    KEPT: tuple[str, ...]  # what it remembers of the steps before
    setting: Setting
    rows: tuple[int, ...]
    trouble: str  # why the last step that failed did so, where Python code was involved

    def step(self, x: Array, h: float) -> tuple[Array, Array]:
        """Return the next state and the record of x."""

    def accelerate(self, x: Array) -> tuple[Array, Array]:
        """Return (a, λ of the active rows) at x."""

    def pivot(self, x: Array) -> float:
        """Return the smallest squared sine between an active row and those before it at x, in the mass metric.

        1 without rows; 0, or what rounding leaves of it, for dependent rows; 0 or nan where the model is not finite.
        Rows are taken in the order of elimination: theirs in the model, or one that keeps a large system sparse (see
        `gauss.model.compiled.steps.kkt.Saddle.row_pivot`).
        """


def stepper_of(setting: Setting, rows: tuple[int, ...], slides: tuple[Slide, ...] = ()) -> Stepper:
    """Return the stepper for these active rows and sliding contacts."""
    if setting.tableau.name == RADAU.name:
        return ImplicitStepper(setting, rows, slides)
    if setting.tableau.adaptive and any(slide.across is not None for slide in slides):
        return SlipStepper(setting, rows, slides)
    if setting.careful and not slides:
        return CarefulStepper(setting, rows)
    return _explicit(setting, rows, slides)


def _explicit(setting: Setting, rows: tuple[int, ...], slides: tuple[Slide, ...]) -> FusedStepper | StagedStepper:
    return FusedStepper(setting, rows, slides) if setting.fused else StagedStepper(setting, rows, slides)


class FusedStepper:
    """A compiled step."""

    KEPT: tuple[str, ...] = ("refinement",)

    def __init__(self, setting: Setting, rows: tuple[int, ...], slides: tuple[Slide, ...] = ()):
        self.setting, self.rows, self.trouble, self.slides = setting, rows, "", slides
        self.refinement, self._places = Refinement(), tuple(s.places for s in slides)
        self._kept: dict[tuple[int, bool], FusedStep] = {}
        numbers = [each for s in slides for each in s.numbers(setting.floor)]
        self.theta = np.concatenate([setting.theta, numbers]) if slides else setting.theta

    @property
    def compiled(self) -> FusedStep:
        """The step with as many sweeps of refinement as have been needed so far."""
        return self._compiled(self.refinement.sweeps)

    def _compiled(self, sweeps: int, still: bool = False) -> FusedStep:
        """Return the step; a step of no length has one stage."""
        if (sweeps, still) not in self._kept:
            s = self.setting
            pair = dop853() if s.series else s.tableau
            tableau, augmented = EULER if still else pair, s.weight > 0.0
            step = s.system.model.pieces.step(tableau, self.rows, augmented, self._places, sweeps)
            self._kept[sweeps, still] = step.native(s.compiler) if s.compiler else step
        return self._kept[sweeps, still]

    def step(self, x: Array, h: float, over: float | None = None) -> tuple[Array, Array]:
        """Take one step of size h, with accelerations good enough for a step `over`."""
        s = self.setting

        def take(sweeps: int) -> tuple[Array, Array, float]:
            compiled = self._compiled(sweeps, h == 0.0)
            following, record, noise = compiled.call(x, h, self.theta, s.weight, s.atol, s.rtol)
            return following, record, float(noise[0])

        return self.refinement.of(take, h if over is None else over)

    def accelerate(self, x: Array) -> tuple[Array, Array]:
        """Return (a, λ) at x."""
        n, s = self.compiled.n, self.setting
        a, multipliers, *_ = self.compiled.accelerate(x[1 : n + 1], x[n + 1 :], x[0], self.theta, s.weight)
        return a, multipliers

    def accelerations(self, states: Array) -> tuple[Array, Array]:
        """Return (a, λ) of `accelerate` at N states (N, 2n+1): (N, n) and (N, k)."""
        n = self.compiled.n
        place = [states[:, 1 : n + 1], states[:, n + 1 :], states[:, 0]]
        a, multipliers, *_ = self.compiled.accelerate.many(place, [self.theta, self.setting.weight])
        return a, multipliers

    def pivot(self, x: Array) -> float:
        """Return the smallest squared sine between an active row and those before it at x."""
        n, s = self.compiled.n, self.setting
        return float(self.compiled.accelerate(x[1 : n + 1], x[n + 1 :], x[0], self.theta, s.weight)[4].item())

    def gaps_behind(self, x: Array, h: float) -> tuple[Array, Array]:
        """Return the position and velocity residuals of all rows, (m,) each, behind a step of size h."""
        s, step = self.setting, self.compiled
        n, model = s.system.n, s.system.model
        if not s.series and h != 0.0 and not self.slides:
            behind: GapsBehind = step.once("gaps behind", lambda: GapsBehind(step, model.residual_function))
            phi, psi, noise = behind(x, h, self.theta, s.weight, s.atol, s.rtol)
            if noise.item() * abs(h) <= NOISY or self.refinement.sweeps >= self.refinement.most:
                return phi, psi
        state = self.step(x, h)[0]
        return model.residuals(state[1 : n + 1], state[n + 1 :], float(state[0]), s.theta)

    def gaps_along(self, inner: Array, position: Array, velocity: Array) -> GapsAlong:
        """Return what reads these residuals, and the forces, along a step; without sliding contacts."""
        step, residuals = self.compiled, self.setting.system.model.residual_function
        found: GapsAlong = step.once("gaps along", lambda: GapsAlong(step, residuals, inner, position, velocity))
        return found

    def march(self, x: Array, h: float, count: int) -> tuple[Array, Array]:
        """Take `count` equal steps: the states reached (count, 2n+1), and the records of the states left."""
        s = self.setting
        self.step(x, h)  # for the sweeps of refinement
        march = self.compiled.marching(count)
        states, records, _ = march(x, h, np.tile(self.theta, count), s.weight, np.tile(s.atol, count), s.rtol)
        return states.T.reshape(count, -1), records.T.reshape(count, -1)

    def trials(self, x: Array, h: float, reach: Reach, own: Own | None = None) -> Trials:
        """Take trial steps of an embedded pair from x, the first of size h (s), as long as errors allow.

        Those by Taylor series have a length of their own.
        """
        s, step, count = self.setting, self.compiled, reach.count
        theta, atol = own or Own(self.theta, s.atol)
        if s.series:
            return series_trials(s, step, theta, x, reach)
        trials: TrialSteps = step.once(("trials", count), lambda: TrialSteps(step, count))
        return trials(x, h, reach.end, reach.most, [theta, np.array(s.weight), atol, np.array(s.rtol)])

    def steps(self, states: Array, h: Array, own: Own | None = None) -> tuple[Array, Array] | None:
        """Take a step from each of N states (N, 2n+1), h (N,) in s: the states behind, and the records of those left.

        They may have their `own` parameters and tolerances. None where one asks for a further sweep of refinement.
        """
        s = self.setting
        step = self._compiled(self.refinement.sweeps, not np.any(h))
        steps: Steps = step.once("steps", lambda: Steps(step))
        following, records, noise = steps(states, h, own or Own(self.theta, s.atol), s.weight, s.rtol)
        return None if np.any(self.asks(noise, h)) else (following, records)

    def asks(self, noise: Array, steps: Array) -> Flags:
        """Return for which of some steps (s) the noise of their accelerations asks for a further sweep."""
        return np.asarray(self.refinement.sweeps < self.refinement.most) & ~(noise * np.abs(steps) <= NOISY)

    def looks(self, states: Array, rows: bool, theta: Array) -> tuple[Array, Array]:
        """Return the pivots (N,) of `pivot` at N states, and the `rows` in force (N, k, n), or none (N, 0, n).

        `theta` (N, p) are parameters and constant controls there.
        """
        step = self.compiled
        series = self.setting.series
        looks: Looks = step.once(("looks", rows, series), lambda: Looks(step, rows, series))
        return looks(states, theta, self.setting.weight)

    def views(
        self,
        x: Array,
        y: Array,
        a: Array,
        tried: Array,
        theta: Array,
        end: float,
        shares: tuple[float, ...],
        rows: bool,
    ) -> Views:
        """Return what is seen of the rows from N steps that lead from x to y (N, 2n+1), as `StepLooks` has it."""
        step, series = self.compiled, self.setting.series
        looks: StepLooks = step.once(("views", shares, rows, series), lambda: StepLooks(step, shares, rows, series))
        return looks(x, y, a, tried, theta, end, self.setting.weight)


class ImplicitStepper:
    """An implicit step (see `implicit`); projection, record and certificate are those of explicit ones."""

    KEPT: tuple[str, ...] = ("_explicit",)

    def __init__(self, setting: Setting, rows: tuple[int, ...], slides: tuple[Slide, ...] = ()):
        self.setting, self.rows, self.trouble = setting, rows, ""
        self._explicit = _explicit(replace(setting, tableau=RK4), rows, slides)
        exact = setting.control is None and setting.system.black_box_force is None and not slides
        self._jacobian = self._exact if exact else None

    def _rate(self, t: float, y: Array) -> Array:
        x = np.concatenate([[t], y])
        try:
            a = self._explicit.accelerate(x)[0]
        except ValueError as error:
            self.trouble = str(error)
            raise
        return np.concatenate([y[self.setting.system.n :], a])

    def _exact(self, t: float, y: Array) -> Array:
        solved = self._explicit.accelerate(np.concatenate([[t], y]))
        return jacobian_of(self.setting.system, self.rows, t, y, self.setting.theta, solved)

    def accelerate(self, x: Array) -> tuple[Array, Array]:
        """Return (a, λ) at x."""
        return self._explicit.accelerate(x)

    def pivot(self, x: Array) -> float:
        """Return the smallest squared sine between an active row and those before it at x."""
        return self._explicit.pivot(x)

    def step(self, x: Array, h: float) -> tuple[Array, Array]:
        """Take one step of size h.

        The error in the record is such that the run's controller, which is that of a method of order 8, chooses the
        step that this one would take next; it is above 1 where the step had to be taken in parts.
        """
        projected, record = self._explicit.step(x, 0.0, over=h)
        if h == 0.0:
            return projected, record
        s, self.trouble = self.setting, ""
        y, ahead = radau_step(self._rate, self._jacobian, float(x[0]), x[1:], h, s.rtol, s.atol)
        record[StepScalar.ERROR] = (0.9 * abs(h) / ahead) ** 8 if ahead > 0.0 else np.nan
        if ahead >= abs(h):
            record[StepScalar.ERROR] = min(record[StepScalar.ERROR], 1.0)
        moved = np.concatenate([[x[0] + h], y])
        if not np.all(np.isfinite(y)):
            self.trouble = self.trouble or self._explicit.trouble or "the implicit step does not converge"
            return moved, record
        following, after = self._explicit.step(moved, 0.0)
        record[StepScalar.PIVOT] = min(record[StepScalar.PIVOT], after[StepScalar.PIVOT])
        record[OFF_PLACES] = after[OFF_PLACES]
        return following, record


class SlipStepper:
    """Steps with contacts that slide in space: implicit ones where a slip begins, explicit ones otherwise.

    Across its direction a slip s decays at the rate c p w/|s|, w being the inverse of the mass that moves: friction
    turns with the slip. Where a slip grows from nothing, as under a growing force, that is too fast for long explicit
    steps. Which kind is taken follows from the state and the step alone.
    """

    KEPT: tuple[str, ...] = ("_explicit", "_implicit")

    def __init__(self, setting: Setting, rows: tuple[int, ...], slides: tuple[Slide, ...]):
        self.setting, self.rows, self.slides = setting, rows, slides
        self._explicit = _explicit(setting, rows, slides)
        self.trouble = ""

    @cached_property
    def _implicit(self) -> ImplicitStepper:
        return ImplicitStepper(replace(self.setting, tableau=RADAU), self.rows, self.slides)

    def accelerate(self, x: Array) -> tuple[Array, Array]:
        """Return (a, λ) at x."""
        return self._explicit.accelerate(x)

    def pivot(self, x: Array) -> float:
        """Return the smallest squared sine between an active row and those before it at x."""
        return self._explicit.pivot(x)

    def step(self, x: Array, h: float) -> tuple[Array, Array]:
        """Take one step of size h."""
        stepper: Stepper = self._implicit if self._turns_fast(x, h) else self._explicit
        found = stepper.step(x, h)
        self.trouble = stepper.trouble
        return found

    def _turns_fast(self, x: Array, h: float) -> bool:
        """Whether the direction of a growing slip settles much faster than within a step h."""
        if h == 0.0:
            return False
        n = self.setting.system.n
        terms = self.setting.system.model.terms(x[1 : n + 1], x[n + 1 :], float(x[0]), self.setting.theta)
        a, multipliers = self.accelerate(x)
        for slide in self.slides:
            if slide.across is None or slide.normal is None:
                continue
            T = terms.J[[slide.slip, slide.across]]
            s, rate = terms.psi[[slide.slip, slide.across]], T @ a - terms.gamma[[slide.slip, slide.across]]
            if float(s @ rate) < 0.0:
                continue
            mobility = float(np.max(np.sum(T**2, axis=1) / np.min(np.diag(terms.M))))
            push = abs(slide.c * float(multipliers[self.rows.index(slide.normal)])) * mobility
            if push * abs(h) > SETTLES * float(np.linalg.norm(s)):
                return True
        return False


def careful(stepper: Stepper) -> CarefulStepper | None:
    """Return the steps of a stepper by orthogonal factors of its rows, or None where that is no other way."""
    if not isinstance(stepper, FusedStepper | StagedStepper) or stepper.slides:
        return None
    setting = stepper.setting
    return None if setting.careful or setting.sparse else CarefulStepper(setting, stepper.rows)


def refine(stepper: Stepper) -> bool:
    """Compute accelerations more accurately from now on; return whether that is possible."""
    refinement = getattr(getattr(stepper, "_explicit", stepper), "refinement", None)
    return isinstance(refinement, Refinement) and refinement.more()
