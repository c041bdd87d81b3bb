"""One motion from one state: arguments checked, the start judged, the run made."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gauss.contact import in_space
from gauss.contact.impacts.laws import check_law
from gauss.dynamics import require_consistent
from gauss.errors import GaussError, InputError, MotionWarning
from gauss.foundation.arrays import Array, positive, scalar
from gauss.foundation.progress import Report, reporter
from gauss.foundation.threads import warn
from gauss.model import System
from gauss.model.compiled.walked import available
from gauss.model.state import State
from gauss.motion.events.event import Event
from gauss.motion.integrator import Beginning, Laws
from gauss.motion.loads import with_known_loads
from gauss.motion.record.checkpoint import Checkpoint, StoredRun, identity_of
from gauss.motion.record.trajectory import Trajectory
from gauss.motion.remembered import unpacked
from gauss.motion.run import Run
from gauss.motion.singular.tangent_branches.guided import Guide
from gauss.motion.start import along, branch_of, start_of
from gauss.motion.steps.sampled import ZeroOrderHold
from gauss.motion.steps.setting import natural_atol, tolerances
from gauss.motion.steps.steppers import Control, Setting, metric_weight
from gauss.motion.steps.taylor import hindrance, require_series
from gauss.numerics.runge_kutta import TAYLOR, Tableau, tableau_of
from gauss.principle.solve import check_solver
from gauss.uniqueness.clear import bounds_where_clear
from gauss.verdict import require_one_load

SMALLEST_SHARE = 1e-10  # a fixed step below this share of the run is refused


def follow(
    system: System,
    state: State,
    *,
    t_end: float,
    method: str = "dop853",
    step: float | None = None,
    rtol: float = 1e-10,
    atol: float | None = None,
    max_step: float | None = None,
    solver: str = "osqp",
    control: Control | dict[str, float] | Sequence[float] | None = None,
    events: Iterable[Event] = (),
    progress: str | Report = "auto",
    branch: Array | None = None,
    guide: Guide | None = None,
    impacts: str = "moreau",
    paradox: str = "end",
    allow_energy_gain: bool = False,
    checkpoint: Checkpoint | None = None,
) -> Trajectory:
    """Return the motion from a checked state, as `simulate` does; `branch` is its acceleration, one of several.

    A `guide` is the branch of the constraint set that it leaves on, where the acceleration does not tell.

    Raises what `simulate` raises.
    """
    tableau, laws = tableau_of(method), Laws(impacts, paradox, allow_energy_gain)
    check_solver(solver)
    _check_laws(system, laws)
    end = scalar(t_end, "t_end")
    if end <= state.t:
        raise InputError(f"t_end = {end:g} must be later than the start time {state.t:g}.")
    if step is None and not tableau.adaptive:
        raise InputError(f"method {method!r} has a fixed step: pass step=… in seconds, or use method='dop853'.")
    span = end - state.t
    size = None if step is None else _step_size(step, span)
    longest = max_step if max_step is None or max_step == math.inf else positive(max_step, "max_step")
    watched = _checked_events(events)
    report = reporter(progress, system.name)
    theta = system.theta(None if callable(control) else control)
    if system.model.seen is not None:
        first = _setting(system, tableau, rtol, atol, np.ones(2 * system.n), theta, control)
        require_one_load(system, state, first.controls_at(state))
    clear, natural = _sizes(system, state, span, theta, branch is None and not callable(control))
    setting = _setting(system, tableau, rtol, atol, natural, theta, control)
    if tableau.name == TAYLOR:
        require_series(setting, bool(watched))
    elif method == "auto" and available() and not hindrance(setting, bool(watched)):
        setting = replace(setting, auto=True)
    if not clear:
        setting = replace(setting, weight=metric_weight(system, state.q, state.v, state.t))
    found = None
    if checkpoint is not None:
        given: dict[str, Any] = {"method": method, "step": size, "max_step": longest, "rtol": setting.rtol}
        given |= {"atol": atol, "solver": solver, "events": watched, **laws._asdict()}
        given |= {"control": control.sampled if isinstance(control, ZeroOrderHold) else control}
        found = checkpoint.found(identity_of(system, state, end, given), system)
        if found is not None and callable(control) and not isinstance(control, ZeroOrderHold):
            checkpoint.require_feedback(found.run, setting)
        if found is not None and found.complete:
            return _told(_whole(checkpoint, found, setting))
    beginning = Beginning(system.model.equality, clear=True)
    if not clear:
        beginning = _beginning(system, state, span, setting.controls_at(state), control, branch, guide)
    if system.contacts:
        beginning = _beginning_with_friction(system, beginning)
    x = np.concatenate([[state.t], state.q, state.v])
    run = Run(setting, solver, watched, end, size, longest, report, x, beginning, laws, checkpoint)
    if checkpoint is not None and found is not None and found.kept:
        _go_on(checkpoint, found, run)
    try:
        trajectory = run.go()
    finally:
        report.close()
    if checkpoint is not None:
        checkpoint.finish(trajectory, run.settled)
    return _told(trajectory if system.model.seen is None else with_known_loads(trajectory))


def _sizes(system: System, state: State, span: float, theta: Array, bounded: bool) -> tuple[bool, Array]:
    """Return whether the start is clearly regular, by bounds if they are to be asked, and its natural tolerances.

    Raises what `require_consistent` raises.
    """
    bounds = bounds_where_clear(system, state, theta) if bounded else None
    if bounds is not None:
        return True, tolerances(bounds.roots, bounds.position, bounds.speed, bounds.pull, span)
    require_consistent(system, state)
    return False, natural_atol(system, state, span, theta)


def _beginning(
    system: System, state: State, span: float, u: Array, control: object, branch: Array | None, guide: Guide | None
) -> Beginning:
    """Return how a motion starts, on a branch and along a guide if they are given."""
    if branch is None:
        return start_of(system, state, span, u, control)
    return branch_of(system, state, branch, u) if guide is None else along(system, state, guide, branch)


def _go_on(checkpoint: Checkpoint, found: StoredRun, run: Run) -> None:
    """Let a run go on from its file. Raises FileError for what this version does not write."""
    try:
        checkpoint.go_on(found.run, run.go_on(found.kept, found.run))
    except GaussError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise checkpoint.damaged(error) from None


def _told(run: Trajectory) -> Trajectory:
    """Return a motion, with a warning where it ended early."""
    if not run.ending.complete:
        warn(f"{run.about.system}: {run.ending.message}", MotionWarning)
    return run


def _whole(checkpoint: Checkpoint, found: StoredRun, setting: Setting) -> Trajectory:
    """Return a motion that is complete in its file, as the run has returned it."""
    try:
        setting = replace(setting, careful=bool(found.kept["careful"]))
        if isinstance(setting.control, ZeroOrderHold):
            setting.control.hold(**unpacked(found.kept["control"], {}))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise checkpoint.damaged(error) from None
    return replace(found.run, setting=setting, stored={}, model=None)


def _setting(
    system: System,
    tableau: Tableau,
    rtol: float,
    atol: float | None,
    natural: Array,
    theta: Array,
    control: object,
) -> Setting:
    """Return what the steps of a run share, without the weight of the rows in the metric."""
    return Setting(
        system=system,
        tableau=tableau,
        theta=theta,
        weight=0.0,
        atol=natural if atol is None else np.full(2 * system.n, positive(atol, "atol")),
        rtol=positive(rtol, "rtol"),
        control=control if callable(control) else None,
    )


def _check_laws(system: System, laws: Laws) -> None:
    """Raise InputError for laws of impact that are unknown, and for what is not known of contacts in space."""
    check_law(laws.impacts)
    if laws.paradox not in ("end", "impact"):
        raise InputError(f"paradox must be 'end' or 'impact', got {laws.paradox!r}.")
    if not in_space(system):
        return
    if laws.impacts != "moreau":
        raise InputError(f"contacts in space strike by Moreau's law: impacts must be 'moreau', not {laws.impacts!r}.")
    if laws.paradox == "impact":
        raise InputError('paradox="impact" follows Routh\'s path, which is known in the plane only; leave it out.')
    loads = [c.load for c in system.contacts]
    several = [c.name for c in system.contacts if loads.count(c.load) > 1]
    if several:
        raise InputError(
            f"the contacts of {system.name!r} have several frictions on one load ({', '.join(map(repr, several))}):"
            " rolling and spinning resistance are known at a state and in impacts; no motion follows them."
        )


def _beginning_with_friction(system: System, beginning: Beginning) -> Beginning:
    """Return how a motion with friction starts. Raises InputError on singular positions."""
    if beginning.locked is not None or (beginning.a0 is not None and beginning.obliged):
        raise InputError(
            f"{system.name!r} starts on a singular position, where contacts with friction are not followed."
        )
    return Beginning(beginning.base)


def _step_size(step: object, span: float) -> float:
    """Return a fixed step that can be taken. Raises InputError for one that is not positive or absurdly small."""
    size = positive(step, "step")
    if size < SMALLEST_SHARE * span:
        raise InputError(f"step = {size:g} s would need {span / size:.2g} steps; choose a larger one.")
    return size


def _checked_events(events: object) -> tuple[Event, ...]:
    """Return the events as a tuple. Raises InputError for anything but Event objects."""
    watched = tuple(events) if isinstance(events, Iterable) else (events,)
    if not isinstance(events, Iterable) or any(not isinstance(event, Event) for event in watched):
        raise InputError(
            "events must be a list of gauss.Event objects: Event(name, function, direction=…, terminal=…)."
        )
    return watched
