"""Contacts along a motion: when each of them sticks, slips or is open, and which forces are not determined."""

from __future__ import annotations

import numpy as np

from gauss.foundation.arrays import Array, Flags, unit_rows
from gauss.motion import Trajectory, require_run
from gauss.principle.rank import RANK_TOLERANCE
from gauss.uniqueness.ranges import SMALL, vanishing

MODES = ("sticks", "slips", "separates")


def contact_modes(run: Trajectory) -> dict[str, list[str]]:
    """Return for each frictional contact its mode after each recorded state: one of `MODES`."""
    index = {name: k for k, name in enumerate(run.about.rows)}
    bearing = run.active if run.sharing is None else run.active | run.sharing  # dependent rows hold, too
    found = {}
    for contact in run.about.contacts:
        sticks = bearing[:, index[contact.slip[0]]]
        closed = bearing[:, index[contact.load[0]]] if len(contact.load) == 1 else np.ones(len(run), dtype=bool)
        found[contact.name] = [
            MODES[0] if s else MODES[1] if c else MODES[2] for s, c in zip(sticks, closed, strict=True)
        ]
    return found


def mode_times(run: Trajectory) -> dict[str, dict[str, float]]:
    """Return for each frictional contact how long it is in each mode (s): "sticks", "slips" or "separates".

    A mode lasts from one recorded state to the next. Raises InputError for what is no run.

    >>> import gauss as g
    >>> floor = g.Unilateral("floor", lambda q: q.z, friction=g.Coulomb(0.5, lambda v: v.x))
    >>> block = g.System("block", "x z", mass_matrix=[[1, 0], [0, 1]], force=[0, -10], constraints=[floor])
    >>> times = g.show.mode_times(g.simulate(block, [0, 0], [1, 0], t_end=0.3))
    >>> {mode: round(time, 6) for mode, time in times["floor"].items()}  # s: it comes to rest after v/μg
    {'sticks': 0.1, 'slips': 0.2, 'separates': 0.0}
    """
    require_run(run)
    steps = np.diff(run.t)
    return {
        name: {mode: float(np.sum(steps[[m == mode for m in modes[:-1]]])) for mode in MODES}
        for name, modes in contact_modes(run).items()
    }


def mode_intervals(run: Trajectory) -> dict[str, list[tuple[float, float, str]]]:
    """Return for each frictional contact the intervals of time (from, to, mode) in which its mode does not change."""
    found: dict[str, list[tuple[float, float, str]]] = {}
    for name, modes in contact_modes(run).items():
        pieces: list[tuple[float, float, str]] = []
        for t0, t1, mode in zip(run.t[:-1], run.t[1:], modes[:-1], strict=True):
            if t1 > t0 and pieces and pieces[-1][2] == mode:
                pieces[-1] = (pieces[-1][0], float(t1), mode)
            elif t1 > t0:
                pieces.append((float(t0), float(t1), mode))
        found[name] = pieces
    return found


def open_forces(run: Trajectory) -> tuple[str, ...]:
    """Return the rows whose forces are not determined at some state of a motion, as far as its model is known."""
    if not run.about.redundant and run.sharing is None:
        return ()
    if run.setting is None:
        sharing = np.zeros(len(run.about.rows), dtype=bool) if run.sharing is None else np.any(run.sharing, axis=0)
        return tuple(row for row, yes in zip(run.about.rows, sharing, strict=True) if yes or row in run.about.redundant)
    J = run.setting.system.model.batch(run.q, run.v, run.t, run.setting.theta)[1]
    known = np.all(determined_forces(run, J), axis=0)
    return tuple(row for row, yes in zip(run.about.rows, known, strict=True) if not yes)


def determined_forces(run: Trajectory, J: Array) -> Flags:
    """Return at which states (N, m) the force of a row is determined: where no vanishing combination has it.

    J (N, m, n) are the rows. Rows that are left out of the steps, and contacts that share the load with those in force,
    count with the latter.
    """
    known = np.ones(J.shape[:2], dtype=bool)
    if run.about.redundant or run.sharing is not None:
        held = run.active | np.array([name in run.about.redundant for name in run.about.rows])
        held = held if run.sharing is None else held | run.sharing
        dependent = np.full(len(held), bool(run.about.redundant))
        for k in np.flatnonzero(dependent if run.sharing is None else dependent | np.any(run.sharing, axis=1)):
            rows = np.flatnonzero(held[k])
            null = vanishing(unit_rows(J[k][rows]), RANK_TOLERANCE)[0]
            if null.size:
                known[k, rows] = np.max(np.abs(null), axis=1) <= SMALL
    return known
