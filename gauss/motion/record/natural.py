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
from gauss.motion.steps.setting import ATOL


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
    shared = [(k, places[name]) for k, name in enumerate(system.row_names) if name in places]
    here, there = ([pair[side] for pair in shared] for side in (0, 1))

    def spread(table: Any, rest: Any) -> Any:
        if table is None:
            return None
        found = np.full((len(run), len(system.row_names)), rest, dtype=table.dtype)
        found[:, here] = table[:, there]
        return found

    multipliers = spread(run.multipliers, np.nan)
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
