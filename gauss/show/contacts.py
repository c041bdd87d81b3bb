"""Contacts along a motion: when each of them sticks, slips or is open."""

from __future__ import annotations

import numpy as np

from gauss.motion import Trajectory, require_run

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
