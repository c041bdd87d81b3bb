"""Reactions along a motion: the multipliers, and between which values they lie where rows are dependent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gauss.dynamics import judged
from gauss.errors import InputError
from gauss.foundation.arrays import Array
from gauss.foundation.calls import advised
from gauss.foundation.outcomes import Shown
from gauss.model import System
from gauss.motion import Trajectory, require_run
from gauss.verdict import with_friction

COUNT = 200  # times at which the ranges are asked for, if none are given


@dataclass(frozen=True, repr=False)
class ReactionRanges(Shown):
    """The least and the greatest multiplier of each of m rows at k times; nan where a state has no reactions."""

    system: System
    rows: tuple[str, ...]  # (m,)
    t: Array  # (k,) s
    low: Array  # (k, m) −inf if unbounded
    high: Array  # (k, m)
    multipliers: Array  # (k, m) a choice between them: that of least norm, with friction the middle

    def _in_a_line(self) -> str:
        return f"{self.system.name}: {len(self.t)} times; determined: {', '.join(self.determined) or 'no row'}"

    @property
    def determined(self) -> tuple[str, ...]:
        """Names of the rows whose multiplier is determined at all times."""
        same = np.all(~(self.low < self.high), axis=0)
        return tuple(name for name, yes in zip(self.rows, same, strict=True) if yes)


@advised
def reaction_ranges(run: Trajectory, times: object = None) -> ReactionRanges:
    """Return the ranges of multipliers along a motion, at `times` or at 200 of them.

    With dry friction they are those of its law, where that admits one acceleration, and the choice is the middle of the
    range. Raises InputError for a trajectory without its model, and for times outside the run.

    >>> import gauss as g
    >>> rail = g.Holonomic("rail", lambda q: q.z)
    >>> block = g.System(
    ...     "block on two rails",
    ...     coordinates="x z",
    ...     kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2),
    ...     potential_energy=lambda q: 10.0 * q.z,
    ...     constraints=[g.Unilateral("left", lambda q: q.z), g.Unilateral("right", lambda q: q.z)],
    ... )
    >>> found = g.analysis.reaction_ranges(g.simulate(block, [0, 0], [1, 0], t_end=1.0), [0.5])
    >>> found.low.round(9).tolist(), found.high.round(9).tolist()
    ([[0.0, 0.0]], [[10.0, 10.0]])
    """
    require_run(run)
    if run.setting is None:
        raise InputError("the trajectory comes from a file; give it its model with run.with_system(system).")
    system, control = run.setting.system, run.setting.control
    there = run.at(np.linspace(run.t[0], run.t[-1], COUNT) if times is None else times)
    low, high, chosen = (np.full((len(there), system.model.m), np.nan) for _ in range(3))
    for k in range(len(there)):
        state = system.state(there.q[k], there.v[k], float(there.t[k]))
        u = control(state.t, state.q, state.v) if callable(control) else list(run.about.controls.values())
        verdict = with_friction(judged(system, state, u), system, state, u)
        found, law = verdict.reactions, verdict.friction
        if law is not None and verdict.unique:
            ends = [verdict.range_of(name) for name in system.row_names]
            low[k], high[k] = np.array(ends).T
            chosen[k] = [law.multiplier(name) for name in system.row_names]
        elif found is not None:
            places = [found.rows.index(name) for name in system.row_names]
            low[k], high[k], chosen[k] = found.low[places], found.high[places], found.multipliers[places]
    return ReactionRanges(system, system.row_names, there.t, low, high, chosen)
