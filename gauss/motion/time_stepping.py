"""A System by time stepping: Moreau's midpoint scheme in equal steps, which does not look for events.

The multipliers are the impulses of the step that leads to a state, divided by its length; at the start there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from gauss.errors import InputError, MotionWarning
from gauss.foundation.arrays import Array, Flags, positive, scalar, unit_rows
from gauss.foundation.outcomes import Ending
from gauss.foundation.progress import Report
from gauss.foundation.threads import warn
from gauss.foundation.tolerances import DEPENDENT
from gauss.model import System
from gauss.model.state import State
from gauss.motion.record.blocks import followed_by
from gauss.motion.record.checkpoint import UNDER_WAY, Checkpoint, identity_of
from gauss.motion.record.described import Description, described_contacts
from gauss.motion.record.time_stepping import Stepping
from gauss.motion.record.trajectory import RECORDED, Trajectory
from gauss.motion.remembered import packed, unpacked
from gauss.motion.singular.redundant import independent_rows
from gauss.motion.steps.setting import ATOL, Setting
from gauss.nonsmooth.moreau import Halt, march, warnings_of, world_of
from gauss.nonsmooth.record import Entry, March
from gauss.nonsmooth.step import WarmStart
from gauss.numerics.runge_kutta import dop853

STUCK = 1e-9  # share of its limit that friction must lack to be sure to stick


def stepped(
    system: System,
    start: State,
    *,
    t_end: object,
    step: object,
    every: object,
    progress: str | Report,
    checkpoint: Checkpoint | None = None,
) -> Trajectory:
    """Return the motion from a state in equal steps (s) as a trajectory.

    Raises InputError for wrong arguments, friction and rows that the scheme does not take, and contacts that are
    violated at the start, InconsistentStateError for a start off the other rows; FileError for the file of another run.
    """
    if step is None:
        raise InputError("method 'moreau' has a fixed step: pass step=… in seconds.")
    world, state = world_of(system, start, None)
    records = _Records(system, state)
    given = step, t_end, every, progress
    if checkpoint is None:
        found = march(world, system.name, state, *given)
        run = records.motion(found, found.ending)
    else:
        options = {"step": positive(step, "step"), "every": every}
        begun, complete = records.taken_up(checkpoint, scalar(t_end, "t_end"), options)
        if not complete:
            found = march(world, system.name, state, *given, begun, partial(records.reached, checkpoint))
            checkpoint.finish(records.motion(found, found.ending), {})
        assert records.run is not None
        run = records.run
    assert run.stepping is not None
    words = warnings_of(run.ending, run.stepping.residual, run.stepping.penetration)
    if words:
        warn(f"{system.name}: {words}", MotionWarning)
    return run


class _Records:
    """What has been recorded of a motion, as a trajectory that grows."""

    def __init__(self, system: System, start: State):
        self.system, self.start = system, start
        self.run: Trajectory | None = None
        self._done = 0  # entries of the march in it

    def taken_up(self, checkpoint: Checkpoint, t_end: float, options: dict[str, Any]) -> tuple[Halt | None, bool]:
        """Return where the run of a file goes on from, and whether nothing is left of it. Raises FileError."""
        identity = identity_of(self.system, self.start, t_end, {"method": "moreau", **options})
        found = checkpoint.found(identity, self.system)
        if found is None or not (found.complete or found.kept):
            return None, False
        run = replace(found.run, setting=_setting(self.system), stored={}, model=None)
        if found.complete:
            self.run = run
            return None, True
        try:
            count, plain = int(found.kept["count"]), unpacked(found.kept["halt"], {})
            halt = Halt(memory=WarmStart(plain.pop("key"), plain.pop("impulses")), **plain)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise checkpoint.damaged(error) from None
        self.run = _first(run, count)
        checkpoint.go_on(found.run, count)
        return halt, False

    def reached(self, checkpoint: Checkpoint, halt: Halt, found: March) -> None:
        """Note that the run can go on from a record."""
        count = len(found.entries) - self._done + (0 if self.run is None else len(self.run))
        ending = Ending("interrupted", f"{UNDER_WAY} at t = {found.entries[-1].t:.9g} s")
        memory = {"key": halt.memory.key, "impulses": halt.memory.impulses}
        numbers = {"steps": halt.steps, "q": halt.q, "v": halt.v, "energies": halt.energies}
        checkpoint.reached(
            lambda: lambda: {"count": count, "halt": packed(numbers | memory)}, lambda: self.motion(found, ending)
        )

    def motion(self, found: March, ending: Ending) -> Trajectory:
        """Return the motion with all entries of a march, those that are new behind those before."""
        new, before = found.entries[self._done :], self.run
        if new:
            after = _recorded(self.system, self.start, found.step, new, ending, before)
            self.run = after if before is None else _joined(before, after)
            self._done = len(found.entries)
        assert self.run is not None
        self.run = replace(self.run, ending=ending)
        return self.run


def _recorded(
    system: System, start: State, step: float, entries: Sequence[Entry], ending: Ending, before: Trajectory | None
) -> Trajectory:
    """Return the motion of some entries, behind what was recorded before."""
    model = system.model
    forces = [_forces(system, entry, step) for entry in entries]
    multipliers, active, sliding = (np.array(each) for each in zip(*forces, strict=True))
    none, sums = np.full(len(entries), np.nan), [(e.sums.dissipated, e.sums.correction, e.sums.work) for e in entries]
    if before is None or before.stepping is None:
        multipliers[0] = np.nan
        exchanged = np.cumsum(sums, axis=0)
    else:
        last = before.stepping
        exchanged = np.cumsum([(last.dissipated[-1], last.corrected[-1], last.work[-1]), *sums], axis=0)[1:]
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
        step=step,
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
        ending=ending,
        sliding=sliding if system.contacts else None,
        stepping=Stepping(
            dissipated=exchanged[:, 0],
            corrected=exchanged[:, 1],
            work=exchanged[:, 2],
            penetration=np.array([entry.penetration for entry in entries]),
            residual=np.array([entry.sums.residual for entry in entries]),
        ),
        setting=_setting(system),
    )


def _setting(system: System) -> Setting:
    return Setting(system, dop853(), system.theta(), 0.0, np.full(2 * system.n, ATOL), 0.0, None)


def _first(run: Trajectory, count: int) -> Trajectory:
    """Return the first `count` states of a motion."""
    assert run.stepping is not None
    parts = {name: getattr(run, name)[:count] for name in RECORDED}
    sliding = None if run.sliding is None else run.sliding[:count]
    return replace(run, sliding=sliding, stepping=run.stepping.at(np.arange(count)), **parts)


def _joined(before: Trajectory, after: Trajectory) -> Trajectory:
    """Return two pieces of a motion as one."""
    assert before.stepping is not None
    assert after.stepping is not None
    one, two = ({name: getattr(run, name) for name in RECORDED} for run in (before, after))
    sliding = None
    if before.sliding is not None and after.sliding is not None:
        sliding = np.concatenate([before.sliding, after.sliding])
    stepping = Stepping(**followed_by(vars(before.stepping), vars(after.stepping)))
    parts: dict[str, Any] = followed_by(one, two)
    return replace(after, sliding=sliding, stepping=stepping, **parts)


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
