"""Which steps of a motion are accepted: limits on pivots, certificate residuals and distances off the constraints."""

from __future__ import annotations

import math

import numpy as np

from gauss.foundation.arrays import Array, Flags, length, magnitudes
from gauss.model.compiled import OFF_PLACES, StepScalar
from gauss.model.compiled.steps.trials import Trials
from gauss.motion.steps.steppers import FusedStepper, Stepper

PIVOT_ALARM = 1e-10  # a pivot (squared sine between rows) below this sends the state to the singular values: first of
# the rows alone, then, where these are as small, to the verdict
RESIDUAL = 1e-7  # largest acceptable certificate residual, relative to the acceleration in the mass metric
OFF = 1e-12  # largest acceptable distance off the constraints after projection, relative to the state
REPEATS = 5  # of the projection after a step, where it has not converged
LIMITS = np.array([RESIDUAL, RESIDUAL, OFF, OFF])
JUDGED = ("row residual", "stationarity residual", "off position", "off velocity")


def certified(states: Array, records: Array) -> Flags:
    """Return which of k steps are certified: finite, pivots away from zero, residuals and distances at rounding.

    `states` (k, 2n+1) are those reached, `records` those of the states left.
    """
    good = (records[:, StepScalar.PIVOT] > PIVOT_ALARM) & np.isfinite(states).all(axis=1)
    for value, limit in _judged(states, records):
        good &= value <= limit
    return np.asarray(good)


def certified_once(following: Array, record: Array) -> bool:
    """Return whether one step is certified, as `certified` does of many, by scalars: 3.5 µs a step instead of 17."""
    n = (len(following) - 1) // 2
    zwang, primal, dual, pivot, _, off_q, off_v, _ = record[-8:].tolist()
    size = RESIDUAL * (1.0 + math.sqrt(abs(zwang)) + length(record[:n]))
    place, speed = 1.0 + length(following[1 : n + 1]), 1.0 + length(following[n + 1 :])
    good = pivot > PIVOT_ALARM and primal <= size and dual <= size and off_q <= OFF * place and off_v <= OFF * speed
    return good and (math.isfinite(place + speed + following[0]) or bool(np.isfinite(following).all()))


def objections(stepper: FusedStepper, found: Trials, resolution: float) -> Flags:
    """Return which of many trial steps ask for more than they tell by themselves, or are behind the end.

    All others are taken and certified, or shortened by their errors alone; none becomes shorter than `resolution` (s).
    """
    strange = (found.steps <= 0.0) | (found.following < resolution) | stepper.asks(found.noise, found.steps)
    good = (found.records[:, StepScalar.PIVOT] > PIVOT_ALARM) & (found.shares <= LIMITS).all(axis=1)
    finite = np.isfinite(found.states)
    if not finite.all():
        good &= finite.all(axis=1)
    if not found.taken.all():
        error, pivot = found.records[:, StepScalar.ERROR], found.records[:, StepScalar.PIVOT]
        good = np.where(found.taken, good, (pivot > PIVOT_ALARM) & (error > 1.0))
    return np.asarray(strange | ~good)


def objection(following: Array, record: Array) -> str:
    """Return what refuses a step, with its limit, for a message."""
    parts = [
        f"{name} {value.item():.2g} (limit {limit.item():.2g})"
        for name, (value, limit) in zip(JUDGED, _judged(following[None], record[None]), strict=True)
        if not value <= limit
    ]
    if not record[StepScalar.PIVOT] > PIVOT_ALARM:
        parts.append(f"pivot {record[StepScalar.PIVOT]:.2g} (limit {PIVOT_ALARM:.2g})")
    return ", ".join(parts) or "the state after it is not finite"


def projected_again(stepper: Stepper, following: Array, record: Array) -> tuple[Array, Array]:
    """Repeat the projection after a step too long for its two sweeps: a step of size zero projects, and no more."""
    for _ in range(REPEATS):
        off_q, off_v = record[StepScalar.OFF_POSITION].item(), record[StepScalar.OFF_VELOCITY].item()
        if math.isnan(off_q + off_v) or not max(off_q, off_v) > OFF * (1.0 + length(following[1:])):
            break
        following, again = stepper.step(following, 0.0)
        record = record.copy()
        record[OFF_PLACES] = again[OFF_PLACES]
    return following, record


def _judged(states: Array, records: Array) -> list[tuple[Array, Array]]:
    """Return the residuals and distances of k steps, in the order of `JUDGED`, each (k,) with its limits (k,)."""
    n = (states.shape[1] - 1) // 2
    zwang, primal, dual, _, _, off_q, off_v, _ = records[:, -8:].T
    size = RESIDUAL * (1.0 + np.sqrt(np.abs(zwang)) + magnitudes(records[:, :n]))
    place, speed = OFF * (1.0 + magnitudes(states[:, 1 : n + 1])), OFF * (1.0 + magnitudes(states[:, n + 1 :]))
    return [(primal, size), (dual, size), (off_q, place), (off_v, speed)]
