"""Dense output: states at any times of a run, each by one fresh step from the recorded state before it.

Steps by Taylor series are longer than those of the pair that goes to a time between them: it takes two then, or more.
"""

from __future__ import annotations

import numpy as np

from gauss.foundation.arrays import Array, Flags
from gauss.model.compiled import StepScalar
from gauss.model.compiled.steps.trials import Own
from gauss.motion.record.blocks import StepBlock
from gauss.motion.steps.steppers import FusedStepper, Setting, Stepper, stepper_of
from gauss.numerics.runge_kutta import TAYLOR


def blocks_at(setting: Setting, states: Array, active: Flags, times: Array) -> list[StepBlock] | None:
    """Return the blocks of states at times (k,) behind recorded states (k, 2n+1), many of them in one compiled call.

    `active` (k, m) are the rows in force, which are independent. None where the states have to be reached one by one:
    their steps are not compiled, or ask for more accurate accelerations.
    """
    if not times.size:
        return []
    blocks, starts = [], np.flatnonzero(np.append(True, np.any(active[1:] != active[:-1], axis=1)))
    for some in np.split(np.arange(times.size), starts[1:]):
        rows = tuple(np.flatnonzero(active[some[0]]).tolist())
        stepper = stepper_of(setting, rows)
        reached = reached_at(stepper, states[some], times[some]) if isinstance(stepper, FusedStepper) else None
        if reached is None:
            return None
        blocks.append(StepBlock(*reached, rows, np.zeros(some.size)))
    return blocks


def reached_at(
    stepper: FusedStepper, states: Array, times: Array, own: Own | None = None
) -> tuple[Array, Array] | None:
    """Return the states at times (k,) that steps from states (k, 2n+1) lead to, and their records.

    They may be of motions with their `own` parameters and tolerances.
    """
    moved = _moved(stepper, states, times, own)
    if moved is None:
        return None
    there = np.where((times == states[:, 0])[:, None], states, moved)
    still = stepper.steps(there, np.zeros(times.size), own)
    return None if still is None else (there, still[1])


def _moved(stepper: FusedStepper, states: Array, times: Array, own: Own | None) -> Array | None:
    """Return the states at times (k,), those of `state_at` side by side."""
    taken = stepper.steps(states, times - states[:, 0], own)
    if taken is None:
        return None
    (moved, records), middle = taken, (states[:, 0] + times) / 2.0
    far = ~(records[:, StepScalar.ERROR] <= 1.0) & (states[:, 0] < middle) & (middle < times)
    if stepper.setting.tableau.name == TAYLOR and np.any(far):
        theirs = None if own is None else own.of(np.flatnonzero(far))
        half = _moved(stepper, states[far], middle[far], theirs)
        rest = None if half is None else _moved(stepper, half, times[far], theirs)
        if rest is None:
            return None
        moved[far] = rest
    moved[:, 0] = times
    return moved


def state_at(stepper: Stepper, x: Array, time: float) -> Array:
    """Return the state at a time within a step from x."""
    following, record = stepper.step(x, time - x[0])
    middle = (float(x[0]) + time) / 2.0
    series = stepper.setting.tableau.name == TAYLOR
    if not series or record[StepScalar.ERROR] <= 1.0 or not x[0] < middle < time:
        return following
    return state_at(stepper, state_at(stepper, x, middle), time)
