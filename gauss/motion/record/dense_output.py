"""Dense output: states at any times of a run, each by one fresh step from the recorded state before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gauss.foundation.arrays import Array, Indices
from gauss.motion.record.blocks import StepBlock
from gauss.motion.steps.steppers import FusedStepper, stepper_of

if TYPE_CHECKING:
    from gauss.motion.record.trajectory import Trajectory


def blocks_at(run: Trajectory, times: Array, index: Indices) -> list[StepBlock] | None:
    """Return the blocks of states at times (k,) behind recorded states `index` (k,), many of them in one compiled call.

    None for runs whose states have to be reached one by one: with contacts that share or slide, locked or redundant
    rows, singular positions, or steps that are not compiled.
    """
    about, setting = run.about, run.setting
    assert setting is not None
    if about.locked is not None or about.redundant or about.contacts or run.windows or not times.size:
        return None
    blocks, patterns = [], run.active[index]
    starts = np.flatnonzero(np.append(True, np.any(patterns[1:] != patterns[:-1], axis=1)))
    for some in np.split(np.arange(times.size), starts[1:]):
        rows = tuple(np.flatnonzero(patterns[some[0]]).tolist())
        stepper = stepper_of(setting, rows)
        states = np.column_stack([run.t, run.q, run.v])[index[some]]
        reached = _reached(stepper, states, times[some]) if isinstance(stepper, FusedStepper) else None
        if reached is None:
            return None
        blocks.append(StepBlock(*reached, rows, np.zeros(some.size)))
    return blocks


def _reached(stepper: FusedStepper, states: Array, times: Array) -> tuple[Array, Array] | None:
    """Return the states at times (k,) that steps from states (k, 2n+1) lead to, and their records."""
    moved = stepper.steps(states, times - states[:, 0])
    if moved is None:
        return None
    there = np.where((times == states[:, 0])[:, None], states, moved[0])
    there[:, 0] = times
    still = stepper.steps(there, np.zeros(times.size))
    return None if still is None else (there, still[1])
