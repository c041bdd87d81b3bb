"""Motions under forces that see multipliers: what their recorded states say of other solutions for these."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gauss.contact import LoadFindings, load_findings
from gauss.errors import MotionWarning
from gauss.foundation.outcomes import ONE
from gauss.foundation.threads import warn
from gauss.model.state import State
from gauss.motion.record.trajectory import Trajectory

SAMPLES = 25  # recorded states at which all solutions are looked for


def with_known_loads(run: Trajectory) -> Trajectory:
    """Return a motion; where it failed, its ending says what is known of the multipliers there.

    A motion keeps to the solution that it came from. Where at a sampled state others exist, or are not excluded, a
    MotionWarning says so.
    """
    if not run.ending.complete and run.ending.kind == "failed":
        last = _at(run, len(run.t) - 1)
        message = f"{run.ending.message}; the forces see multipliers, and at the last state: {last.sentence}"
        return replace(run, ending=replace(run.ending, message=message))
    for i in sorted({round(x) for x in np.linspace(0, len(run.t) - 1, SAMPLES)}):
        found = _at(run, i)
        if found.status != ONE:
            warn(f"{run.about.system} at t = {run.t[i]:.6g} s: {found.sentence}", MotionWarning)
            break
    return run


def _at(run: Trajectory, i: int) -> LoadFindings:
    assert run.setting is not None
    state = State(run.q[i], run.v[i], float(run.t[i]))
    return load_findings(run.setting.system, state, run.setting.controls_at(state))
