"""Passing through singular positions: when one is ahead, the window across it, and what is logged about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from gauss.arrays import Array
from gauss.errors import GaussError
from gauss.model import System
from gauss.motion.steppers import Stepper
from gauss.motion.window import COUNT, FRACTIONS, Window, collocate, gauss_nodes, starting_nodes
from gauss.principle import GaussProblem
from gauss.principle.metric import metric_of
from gauss.regularity.classify import analyse
from gauss.regularity.frame import frame_of
from gauss.state import State

PROBE = 1e-3  # share of a step over which the rate of the pivots is taken
AHEAD = 1.5  # steps within which a singular position must be expected for a window to be tried
SECANTS = 3  # corrections of its expected time
HALVINGS = 14  # of a window that starts at a singular position
SINGULAR = 1e-6  # smallest singular value, relative to that at the window's start, that is a singular position
LARGEST = 4000  # coordinates times rows up to which the lengths of the rows are watched beside their sines
LOCATED = 1e-6  # singular values of the scaled rows below this are those of the singular position that was located
NEXT = 1e-3  # singular values of the scaled rows below this are those of a singular position next to the end of a run
LOOKS = 33  # states of a window at which the singular values are taken, first


@dataclass(frozen=True)
class Crossing:
    """A singular position that a motion passes through."""

    t: float  # s
    q: Array  # (n,)
    rows: tuple[str, ...]  # that become dependent there
    verdict: str
    sigma_min: float


class Outlook:
    """Looks ahead along a motion for positions where its rows become dependent.

    The indicator is the root of the smallest pivot, a sine between rows, times the length of the shortest row relative
    to the longest that the same row has had in the motion: at a singular position one of them vanishes linearly.
    """

    def __init__(self) -> None:
        self._longest: dict[int, float] = {}

    def indicator(self, stepper: Stepper, x: Array) -> float:
        """Return the indicator at a state; nan where the model is not finite."""
        pivot = stepper.pivot(x)
        sine = float(np.sqrt(max(pivot, 0.0))) if np.isfinite(pivot) else np.nan
        system = stepper.setting.system
        if system.n * len(stepper.rows) > LARGEST:
            return sine
        J = system.model.terms(*_parts(x, system.n), stepper.setting.theta).J[list(stepper.rows)]
        lengths = np.linalg.norm(J, axis=1)
        shortest = 1.0
        for row, length in zip(stepper.rows, lengths.tolist(), strict=True):
            longest = self._longest[row] = max(length, self._longest.get(row, 0.0))
            if longest > 0.0:
                shortest = min(shortest, length / longest)
        return sine * shortest

    def expected(self, stepper: Stepper, x: Array, h: float) -> float | None:
        """Return the time until the rows are expected to become dependent, or None where they do not head there.

        The zero of the indicator is extrapolated along q + v τ + a τ²/2.
        """
        n = stepper.setting.system.n
        a, _ = stepper.accelerate(x)
        if not np.all(np.isfinite(a)):
            return None

        def ahead(tau: float) -> float:
            y = x.copy()
            y[0] += tau
            y[1 : n + 1] += tau * x[n + 1 :] + tau**2 / 2.0 * a
            y[n + 1 :] += tau * a
            return self.indicator(stepper, y)

        here, near = self.indicator(stepper, x), PROBE * h
        rate = (ahead(near) - here) / near
        if not rate < 0.0 or not -here / rate < 2.0 * AHEAD * h:
            return None
        time = -here / rate
        for _ in range(SECANTS):
            tau = 0.7 * time
            there = ahead(tau)
            if not there < here:
                return None
            time = tau * here / (here - there)
        return time if time < AHEAD * h else None


def windows_across(stepper: Stepper, x: Array, time: float, h: float, rtol: float) -> Iterator[Window]:
    """Yield windows from x across a singular position expected after `time`; the first is the best that passes."""
    n = stepper.setting.system.n
    guess, _ = stepper.accelerate(x)
    lengths = sorted(((time / share, share) for share in FRACTIONS), key=lambda pair: abs(np.log(pair[0] / h)))
    for length, share in lengths:
        if length <= 4.0 * h:
            window = collocate(stepper, x, length, gauss_nodes(COUNT), guess[:n], share, rtol)
            if window is not None:
                yield window


def window_from(stepper: Stepper, x: Array, a: Array, span: float, rtol: float) -> Window | None:
    """Return a window that leaves a singular position x with the acceleration a, or None where none passes."""
    system = stepper.setting.system
    metric = metric_of(GaussProblem.at(system, _state(x, system.n)))
    speed, push = metric.norm(x[system.n + 1 :]), metric.norm(a)
    size = max(metric.norm(x[1 : system.n + 1]), speed**2 / push if push > 0.0 else 0.0)
    times = [span / 10.0]
    if size > 0.0 and speed > 0.0:
        times.append(0.2 * size / speed)
    if size > 0.0 and push > 0.0:
        times.append(0.4 * float(np.sqrt(size / push)))
    h = min(times)
    for _ in range(HALVINGS):
        window = collocate(stepper, x, h, starting_nodes(COUNT), a, 0.0, rtol)
        if window is not None:
            return window
        h /= 2.0
    return None


def crossing_in(window: Window, stepper: Stepper) -> Crossing | None:
    """Return the singular position in a window, or None where the rows only come near to dependence."""
    system = stepper.setting.system
    n = system.n
    metric = metric_of(GaussProblem.at(system, _state(window.start, n)))
    rows = list(stepper.rows)

    def spectrum(share: float) -> Array:
        x = window.state(share)
        J = metric.white(system.model.terms(x[1 : n + 1], x[n + 1 :], float(x[0]), stepper.setting.theta).J[rows])
        return np.asarray(np.linalg.svd(J / length[:, None], compute_uv=False))

    start, end = (
        np.linalg.norm(
            metric.white(system.model.terms(*_parts(window.state(s), n), stepper.setting.theta).J[rows]), axis=1
        )
        for s in (0.0, 1.0)
    )
    length = np.where(np.maximum(start, end) > 0.0, np.maximum(start, end), 1.0)
    shares = np.linspace(0.0, 1.0, LOOKS)
    values = np.array([spectrum(float(s))[-1] for s in shares])
    k = int(np.argmin(values))
    low, best, high = shares[max(k - 1, 0)], shares[k], shares[min(k + 1, LOOKS - 1)]
    if k in (0, LOOKS - 1):
        best = (low + high) / 2.0
    for _ in range(6):  # the square of the smallest singular value is a parabola there
        s = np.array([low, best, high])
        y = np.array([spectrum(float(z))[-1] ** 2 for z in s])
        curve = np.polyfit(s - best, y, 2)
        if curve[0] <= 0.0:
            break
        best = float(np.clip(best - curve[1] / (2.0 * curve[0]), low, high))
        width = (high - low) / 20.0
        low, high = best - width, best + width
    for step in (1e-2, 1e-4, 1e-6):  # on both sides of the zero it is linear
        left, right = (float(spectrum(best + s * step)[-1]) for s in (-1.0, 1.0))
        best += step * (left - right) / (left + right) if left + right > 0.0 else 0.0
    sigma = float(spectrum(best)[-1])
    if not 0.0 < best < 1.0 or sigma > SINGULAR * max(values[0], values[-1]):
        return None
    x = window.state(best)
    state = _state(x, n)
    U, sigmas, _ = np.linalg.svd(
        metric.white(system.model.terms(state.q, state.v, state.t, stepper.setting.theta).J[rows]) / length[:, None]
    )
    count = max(int(np.sum(sigmas <= 1e-4 * max(values[0], values[-1]))), 1)
    weights = np.max(np.abs(U[:, sigmas.size - count : sigmas.size]), axis=1)
    names = tuple(system.row_names[rows[i]] for i in np.flatnonzero(weights > 1e-3 * weights.max()))
    problem = GaussProblem.at(system, state)
    frame = frame_of(system, state, problem, [k for k in rows if k in system.model.equality])
    there = replace(frame, rank=int(np.sum(frame.sigma > LOCATED)))
    try:
        verdict = " and ".join(analyse(there).verdicts)
    except GaussError as error:
        verdict = type(error).__name__
    return Crossing(state.t, state.q, names, verdict, sigma)


def verdict_near(system: System, state: State, u: object = None) -> str | None:
    """Return what ends a motion at the singular position next to a state, or None where there is none that does."""
    problem = GaussProblem.at(system, state, u)
    frame = frame_of(system, state, problem, system.model.equality)
    near = replace(frame, rank=int(np.sum(frame.sigma > NEXT)))
    if near.rank == len(system.model.equality):
        return None
    found = analyse(near)
    ends = [f.sentence for f in found.findings if f.verdict in ("no smooth continuation", "velocity not admissible")]
    return " ".join(ends) or None


def _parts(x: Array, n: int) -> tuple[Array, Array, float]:
    return x[1 : n + 1], x[n + 1 :], float(x[0])


def _state(x: Array, n: int) -> State:
    return State(x[1 : n + 1], x[n + 1 :], float(x[0]))
