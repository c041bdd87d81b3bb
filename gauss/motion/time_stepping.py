"""A System by time stepping: Moreau's midpoint scheme in equal steps, which does not look for events.

The multipliers are the impulses of the step that leads to a state, divided by its length; at the start there is none.
"""

from __future__ import annotations

import numpy as np

from gauss.errors import InputError, MotionWarning
from gauss.foundation.arrays import Array, Flags, unit_rows
from gauss.foundation.progress import Report
from gauss.foundation.threads import warn
from gauss.foundation.tolerances import DEPENDENT
from gauss.model import System
from gauss.model.state import State
from gauss.motion.record.described import Description, described_contacts
from gauss.motion.record.time_stepping import Stepping
from gauss.motion.record.trajectory import Trajectory
from gauss.motion.singular.redundant import independent_rows
from gauss.motion.steps.setting import ATOL, Setting
from gauss.nonsmooth.moreau import march, warnings_of, world_of
from gauss.nonsmooth.record import Entry, March
from gauss.numerics.runge_kutta import dop853

STUCK = 1e-9  # share of its limit that friction must lack to be sure to stick


def stepped(
    system: System, start: State, *, t_end: object, step: object, every: object, progress: str | Report
) -> Trajectory:
    """Return the motion from a state in equal steps (s) as a trajectory.

    Raises InputError for wrong arguments, friction and rows that the scheme does not take, and contacts that are
    violated at the start, InconsistentStateError for a start off the other rows.
    """
    if step is None:
        raise InputError("method 'moreau' has a fixed step: pass step=… in seconds.")
    world, state = world_of(system, start, None)
    found = march(world, system.name, state, step, t_end, every, progress)
    run = _recorded(system, state, found)
    assert run.stepping is not None
    words = warnings_of(run.ending, run.stepping.residual, run.stepping.penetration)
    if words:
        warn(f"{system.name}: {words}", MotionWarning)
    return run


def _recorded(system: System, start: State, found: March) -> Trajectory:
    model, entries = system.model, found.entries
    forces = [_forces(system, entry, found.step) for entry in entries]
    multipliers, active, sliding = (np.array(each) for each in zip(*forces, strict=True))
    multipliers[0] = np.nan
    none = np.full(len(entries), np.nan)
    exchanged = np.cumsum([(e.sums.dissipated, e.sums.correction, e.sums.work) for e in entries], axis=0)
    about = Description(
        system=system.name,
        coordinates=system.coordinates,
        rows=model.names,
        kinds=model.kinds,
        parameters=dict(system.parameters),
        controls=dict.fromkeys(system.controls, 0.0),
        feedback=False,
        method="moreau",
        solver="newton",
        rtol=0.0,
        qp_count=0,
        has_potential=system.kinetic_energy is not None,
        contacts=described_contacts(system),
        redundant=_redundant(system, start),
        step=found.step,
        units=dict(system.units),
    )
    return Trajectory(
        about=about,
        t=np.array([entry.t for entry in entries]),
        q=np.array([entry.q for entry in entries]),
        v=np.array([entry.v for entry in entries]),
        a=np.full((len(entries), system.n), np.nan),
        multipliers=multipliers,
        active=active,
        zwang=none,
        primal=none,
        stationarity=none,
        solver_distance=none,
        events=(),
        ending=found.ending,
        sliding=sliding if system.contacts else None,
        stepping=Stepping(
            dissipated=exchanged[:, 0],
            corrected=exchanged[:, 1],
            work=exchanged[:, 2],
            penetration=np.array([entry.penetration for entry in entries]),
            residual=np.array([entry.sums.residual for entry in entries]),
        ),
        setting=Setting(system, dop853(), system.theta(), 0.0, np.full(2 * system.n, ATOL), 0.0, None),
    )


def _forces(system: System, entry: Entry, step: float) -> tuple[Array, Flags, Array]:
    """Return mean multipliers (m,), rows in force (m,) and c of sliding friction −c p (m,) of the step to a state."""
    model, contacts = system.model, entry.contacts
    multipliers, active, sliding = np.zeros(model.m), np.zeros(model.m, dtype=bool), np.zeros(model.m)
    equality = list(model.equality)
    multipliers[equality] = entry.held / step if entry.held.size else 0.0
    active[equality] = True
    normal, tangential = entry.impulses[: contacts.count], entry.impulses[contacts.count :]
    multipliers[contacts.one], active[contacts.one] = normal / step, normal > 0.0
    slips = {contact.load[0]: (contact.slip[0], contact.kinetic) for contact in system.contacts}
    for row, p, t in zip(contacts.one, normal, tangential, strict=False):
        if row in slips and p > 0.0:
            slip, kinetic = slips[row]
            multipliers[slip] = t / step
            active[slip] = abs(t) < (1.0 - STUCK) * kinetic * p
            sliding[slip] = 0.0 if active[slip] else -t / p
    return multipliers, active, sliding


def _redundant(system: System, state: State) -> tuple[str, ...]:
    """Return the bilateral rows that follow from others at a state."""
    rows = system.model.equality
    if not rows:
        return ()
    J = system.model.terms(state.q, state.v, state.t, system.theta()).J[list(rows)]
    rank = int(np.linalg.matrix_rank(unit_rows(J), tol=DEPENDENT))
    kept = rows if rank == len(rows) else independent_rows(system, state, rows, rank)
    return tuple(system.row_names[k] for k in rows if k not in kept)
