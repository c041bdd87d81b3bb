"""Recorded states whose quadratic programs wait: those with the same rows in force are solved side by side.

Between two events of a motion with many contacts lie a state or two, and a program that is solved alone costs as much
as a dozen of those that are solved together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gauss.foundation.arrays import Array
from gauss.motion.steps.quadratic import MANY, StepSolver
from gauss.motion.steps.steppers import Stepper

SHORT = MANY[-1] // 2  # consecutive states from which they are solved side by side by themselves
MOST = 2_000  # states that wait


@dataclass(frozen=True)
class Waiting:
    """Consecutive recorded states that wait."""

    block: int  # their place among the blocks of the run
    stepper: Stepper
    states: Array  # (k, 2n+1)
    records: Array  # (k, width)
    distance: Array  # (k,) to be written to
    told: tuple[int, int]  # events in the log up to the state before them, and up to them


def left_over(solver: StepSolver, waiting: list[Waiting]) -> Iterator[tuple[Waiting, int]]:
    """Solve what can be solved side by side; yield the other states, in order of time, as places among those waiting.

    Without friction, and with steps that are compiled.
    """
    groups: dict[tuple[int, ...], list[Waiting]] = {}
    for each in waiting:
        groups.setdefault(each.stepper.rows, []).append(each)
    alone = set()
    for rows, some in groups.items():
        states = np.concatenate([each.states for each in some])
        a = np.concatenate([each.records[:, : solver.setting.system.n] for each in some])
        found = solver.distances(states, a, rows)
        if found is None:
            alone.add(rows)
            continue
        done = 0
        for each in some:
            each.distance[:] = found[done : done + len(each.distance)]
            done += len(each.distance)
    for each in waiting:
        if each.stepper.rows in alone:
            yield from ((each, i) for i in range(len(each.states)))
