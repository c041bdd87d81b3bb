"""A motion in joint coordinates, seen in natural ones: poses of all bodies, multipliers of all joints.

With the natural coordinates x of the bodies, M ẍ = f + Jᵀλ; the multipliers of loops are those of the motion, and those
of the joints of the tree follow, as their rows are independent.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gauss.dynamics import completed
from gauss.errors import InputError
from gauss.foundation.arrays import Array
from gauss.foundation.threads import one_by_one
from gauss.motion.steps.setting import ATOL


def in_natural(run: Any) -> Any:
    """Return a motion in natural coordinates: of a mechanism in joint coordinates its other description."""
    return run if run.natural is None else run.natural


def natural_run(run: Any) -> Any:
    """Return a motion, a `Trajectory`, in the natural coordinates of its mechanism."""
    setting, about = run.setting, run.about
    assert setting is not None
    assert setting.system.twin is not None
    twin = setting.system.twin
    system = setting.system.wider
    q, v, a = twin.states(run.q, run.v, run.a)
    numbers = [setting.parameters_at(*state) for state in zip(run.t.tolist(), run.q, run.v, strict=True)]
    places = {name: k for k, name in enumerate(about.rows)}
    sources = [[places[row] for row in twin.alike([name])] if name in places else [] for name in system.row_names]

    def spread(table: Any, rest: Any) -> Any:
        """Return a table of all rows; of rows that are combinations the largest entry of those they are made of."""
        if table is None:
            return None
        columns = [np.max(table[:, there], axis=1) if there else np.full(len(run), rest) for there in sources]
        return np.stack(columns, axis=1).astype(table.dtype)

    own = twin.multipliers(run.q, dict(zip(about.rows, run.multipliers.T, strict=True)))
    multipliers = np.stack([own.get(name, np.full(len(run), np.nan)) for name in system.row_names], axis=1)
    with one_by_one(system.n):
        for k in range(len(run)):
            terms = system.model.terms(q[k], v[k], float(run.t[k]), numbers[k])
            multipliers[k] = completed(terms.J, terms.M @ a[k] - terms.f, multipliers[k])
    control = None
    if setting.control is not None:
        held = {time: row[len(system.parameters) :] for time, row in zip(run.t.tolist(), numbers, strict=True)}

        def control(t: float, q: Array, v: Array) -> Array:
            if t not in held:
                raise InputError(f"the controls at t = {t:g} s are not recorded; ask the motion in joint coordinates.")
            return np.asarray(held[t])

    return replace(
        run,
        about=replace(about, coordinates=system.coordinates, rows=system.row_names, kinds=system.model.kinds),
        q=q,
        v=v,
        a=a,
        multipliers=multipliers,
        active=spread(run.active, True),
        sliding=spread(run.sliding, 0.0),
        sharing=spread(run.sharing, False),
        setting=replace(setting, system=system, atol=np.full(2 * system.n, ATOL), control=control),
        windows=(),
        stored={},
    )
