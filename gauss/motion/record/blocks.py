"""Blocks of recorded states, and the columns of a trajectory that are made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gauss.foundation.arrays import Array
from gauss.model.state import State
from gauss.motion.singular.redundant import least_multipliers
from gauss.motion.steps.setting import Setting, Slide
from gauss.principle import GaussProblem


@dataclass(frozen=True)
class StepBlock:
    """Consecutive recorded states with the same rows in force, and the records of the steps that left them."""

    states: Array  # (k, 2n+1) x = (t, q, v)
    records: Array  # (k, width) as `FusedStep` lays them out
    rows: tuple[int, ...]  # indices of the rows in force
    distance: Array  # (k,) how far the solver's own acceleration was
    slides: tuple[Slide, ...] = ()  # contacts that slide
    forces: Array | None = None  # (k, m) multipliers, where those of the rows in force are shared with further contacts
    carrying: tuple[int, ...] = ()  # indices of all rows that carry there


def with_all_rows(setting: Setting, block: StepBlock) -> StepBlock:
    """Return a block with the multipliers of all equality rows, those of least norm where some are redundant."""
    model, n = setting.system.model, setting.system.n
    rows = tuple(sorted({*model.equality, *block.rows}))
    if len(rows) == len(block.rows):
        return block
    records = np.zeros((len(block.records), block.records.shape[1] + len(rows) - len(block.rows)))
    for k, (x, record) in enumerate(zip(block.states, block.records, strict=True)):
        state = State(x[1 : n + 1], x[n + 1 :], float(x[0]))
        problem = GaussProblem.at(setting.system, state)
        reaction = problem.rows.J[list(block.rows)].T @ record[n : n + len(block.rows)]
        multipliers = least_multipliers(problem.metric, problem.rows.J[list(rows)], reaction)
        records[k] = np.concatenate([record[:n], multipliers, record[n + len(block.rows) :]])
    return replace(block, records=records, rows=rows)


def followed_by(before: Mapping[str, Array], after: Mapping[str, Array]) -> dict[str, Array]:
    """Return arrays by name, those of `after` behind those of `before`, which may be empty."""
    return {name: np.concatenate([before[name], x]) if before else x for name, x in after.items()}


def joined(blocks: Sequence[StepBlock], n: int, m: int) -> dict[str, Array]:
    """Return the arrays of a trajectory with n coordinates and m rows by the names of its fields."""
    blocks = blocks or [StepBlock(np.zeros((0, 2 * n + 1)), np.zeros((0, n + 8)), (), np.zeros(0))]
    x = _whole([block.states for block in blocks])
    count = len(x)
    multipliers, active, sliding = np.zeros((count, m)), np.zeros((count, m), dtype=bool), np.zeros((count, m))
    sharing = np.zeros((count, m), dtype=bool)
    first = 0
    for block in blocks:
        part = slice(first, first + len(block.states))
        if block.rows:
            rows: Any = slice(m) if block.rows == tuple(range(m)) else list(block.rows)
            multipliers[part, rows] = block.records[:, n : n + len(block.rows)]
            active[part, rows] = True
        if block.forces is not None:
            multipliers[part] = block.forces
            sharing[part, block.carrying] = True
        for slide in block.slides:
            load = slide.load(multipliers[part].T)
            parts = [(slide.slip, slide.c)]
            if slide.across is not None:
                parts = [(slide.slip, slide.c * slide.way[0]), (slide.across, slide.c * slide.way[1])]
            for row, c in parts:
                multipliers[part, row], sliding[part, row] = -c * load, c
        first = part.stop
    scalars = _whole([block.records[:, -8:] for block in blocks])
    return {
        "t": x[:, 0],
        "q": x[:, 1 : n + 1],
        "v": x[:, n + 1 :],
        "a": _whole([block.records[:, :n] for block in blocks]),
        "multipliers": multipliers,
        "active": active,
        "zwang": scalars[:, 0],
        "primal": scalars[:, 1],
        "stationarity": scalars[:, 2],
        "solver_distance": _whole([block.distance for block in blocks]),
        "sliding": sliding,
        "sharing": sharing,
    }


def _whole(parts: list[Array]) -> Array:
    """Return arrays joined along their first axis."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
