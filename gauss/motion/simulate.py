"""`simulate`: the motion from a state, each accepted step with an acceleration that minimises the Zwang.

A run is a sequence of segments. In a segment the active rows are fixed: steps use the fused Karush-Kuhn-Tucker system
of those rows, and each accepted state is handed to the quadratic-program solver. A segment ends where a gap closes, a
reaction vanishes, or the run ends.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from gauss.arrays import positive, scalar
from gauss.dynamics import judged, require_consistent, system_of
from gauss.errors import InputError, SingularPositionError
from gauss.model import System
from gauss.model.tableaus import tableau_of
from gauss.motion.monitors import Event
from gauss.motion.progress import Bar, Report, Silent
from gauss.motion.run import Run
from gauss.motion.steppers import Control, Setting, metric_weight
from gauss.motion.trajectory import Trajectory
from gauss.principle.solve import check_solver
from gauss.state import State

SMALLEST_SHARE = 1e-10  # a fixed step below this share of the run is refused


class MotionWarning(UserWarning):
    """A motion ended before its end time; the message says why."""


def simulate(
    system: System,
    q: object,
    v: object = None,
    *,
    t_end: float,
    t: float = 0.0,
    method: str = "dop853",
    step: float | None = None,
    rtol: float = 1e-10,
    atol: float = 1e-12,
    max_step: float | None = None,
    solver: str = "osqp",
    control: Control | dict[str, float] | Sequence[float] | None = None,
    events: Iterable[Event] = (),
    progress: str | Report = "auto",
) -> Trajectory:
    """Integrate the motion from (q, v) at time t to t_end and return everything that certifies it.

    * `method`: ``dop853`` (adaptive, order 8; `rtol`, `atol`, `max_step`) or ``rk4`` (order 4, fixed `step` in s).
      `max_step` defaults to a hundredth of the run where events or contacts are watched, so that short ones are not
      overlooked, and to no limit otherwise. Positions and velocities are projected onto the constraints in the mass
      metric after each step.
    * `solver`: ``osqp`` solves the quadratic program of every recorded state; ``kkt`` records the fused solution
      alone; ``cvxpy`` asks the textbook oracle at every recorded state (slow).
    * `control`: constant controls by name, or a function u(t, q, v) evaluated in every stage.
    * `events`: functions whose zeros are located to rounding; unilateral rows are watched by themselves.
    * `progress`: ``auto`` draws a bar on a terminal when a run takes long, ``none`` does not; or a function that
      receives the fraction done.

    The run stops early, with a `MotionWarning` and the reason in ``trajectory.ending``, where its steps find the rows
    dependent (a singular position between two steps is crossed unseen; see ``trajectory.sigma_min``), when impacts
    accumulate, when two contacts close at once, or when no certified step can be taken; Ctrl-C returns what was
    computed. Raises InputError, InconsistentStateError, MassMatrixError, NonUniqueAccelerationError,
    ContradictoryRowsError for what is wrong with the arguments or the initial state, and SingularPositionError when
    the initial position is rank-deficient.
    """
    tableau = tableau_of(method)
    check_solver(solver)
    state = system_of(system).state(q, v, t)
    end = scalar(t_end, "t_end")
    if end <= state.t:
        raise InputError(f"t_end = {end:g} must be later than the start time {state.t:g}.")
    if step is None and not tableau.adaptive:
        raise InputError(f"method {method!r} has a fixed step: pass step=… in seconds, or use method='dop853'.")
    size = None if step is None else _step_size(step, end - state.t)
    longest = max_step if max_step is None or max_step == math.inf else positive(max_step, "max_step")
    watched = _checked_events(events)
    report = _reporter(progress, system.name)
    require_consistent(system, state)
    setting = Setting(
        system=system,
        tableau=tableau,
        theta=system.theta(None if callable(control) else control),
        weight=0.0,
        atol=np.full(2 * system.n, positive(atol, "atol")),
        rtol=positive(rtol, "rtol"),
        control=control if callable(control) else None,
    )
    u = setting.parameters_at(state.t, state.q, state.v)[len(system.parameters) :]
    require_regular(system, state, u)
    setting = replace(setting, weight=metric_weight(system, state.q, state.v, state.t))
    run = Run(setting, solver, watched, end, size, longest, report)
    try:
        with np.errstate(all="ignore"):  # the run checks every number itself
            run.go(np.concatenate([[state.t], state.q, state.v]))
    except KeyboardInterrupt:
        run.interrupt()
    finally:
        report.close()
    trajectory = run.trajectory()
    if not trajectory.ending.complete:
        warnings.warn(f"{system.name}: {trajectory.ending.message}", MotionWarning, stacklevel=2)
    return trajectory


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


def _reporter(progress: object, name: str) -> Bar | Silent:
    """Return what reports the progress. Raises InputError for an unknown option."""
    if callable(progress):
        return Silent(progress)
    if not isinstance(progress, str) or progress not in ("auto", "none"):
        raise InputError(f"progress must be 'auto', 'none' or a function, got {progress!r}.")
    return Bar(name) if progress == "auto" else Silent()


def require_regular(system: System, state: State, u: object = None) -> None:
    """Raise SingularPositionError unless the rows at a state are independent, and what `diagnose` raises."""
    problem, verdict = judged(system, state, u)
    if not verdict.regular and len(problem.rows.equality):
        raise SingularPositionError(
            f"the motion of {system.name!r} cannot start here. {verdict.sentence} gauss.accelerate shows what the rows"
            " alone give.",
            verdict,
        )
