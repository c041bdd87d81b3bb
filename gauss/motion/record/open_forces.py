"""Which forces of a recorded motion are not determined."""

from __future__ import annotations

from typing import Any

import numpy as np

from gauss.foundation.arrays import Array, Flags, unit_rows
from gauss.principle.rank import RANK_TOLERANCE
from gauss.uniqueness.ranges import in_vanishing

TOGETHER = 256  # states whose rows are decomposed in one call


def open_forces(run: Any) -> tuple[str, ...]:
    """Return the rows whose forces are not determined at some state of a `Trajectory`, as far as its model is known."""
    if not run.about.redundant and run.sharing is None:
        return ()
    if run.setting is None:
        sharing = np.zeros(len(run.about.rows), dtype=bool) if run.sharing is None else np.any(run.sharing, axis=0)
        return tuple(row for row, yes in zip(run.about.rows, sharing, strict=True) if yes or row in run.about.redundant)
    J = run.setting.system.model.batch(run.q, run.v, run.t, run.setting.theta)[1]
    known = np.all(determined_forces(run, J), axis=0)
    return tuple(row for row, yes in zip(run.about.rows, known, strict=True) if not yes)


def determined_forces(run: Any, J: Array) -> Flags:
    """Return at which states (N, m) the force of a row is determined: where no vanishing combination has it.

    J (N, m, n) are the rows. Rows that are left out of the steps, and contacts that share the load with those in force,
    count with the latter.
    """
    known = np.ones(J.shape[:2], dtype=bool)
    if run.about.redundant or run.sharing is not None:
        held = run.active | np.array([name in run.about.redundant for name in run.about.rows])
        held = held if run.sharing is None else held | run.sharing
        dependent = np.full(len(held), bool(run.about.redundant))
        asked = np.flatnonzero(dependent if run.sharing is None else dependent | np.any(run.sharing, axis=1))
        for pattern in np.unique(held[asked], axis=0):
            rows, alike = np.flatnonzero(pattern), asked[np.all(held[asked] == pattern, axis=1)]
            for part in np.array_split(alike, -(-len(alike) // TOGETHER)):
                unit = unit_rows(J[np.ix_(part, rows)].reshape(-1, J.shape[2]))
                unit = unit.reshape(len(part), len(rows), J.shape[2])
                known[np.ix_(part, rows)] = ~in_vanishing(unit, RANK_TOLERANCE)
    return known
