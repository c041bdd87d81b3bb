"""One motion from one state: arguments checked, the start judged, the run made."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gauss.contact import in_space
from gauss.contact.impacts.laws import check_law
from gauss.dynamics import judged, require_consistent
from gauss.errors import GaussError, InputError, MotionWarning, SingularPositionError
from gauss.foundation.arrays import Array, positive, scalar, unit_rows
from gauss.foundation.progress import Report, reporter
from gauss.foundation.threads import warn
from gauss.foundation.tolerances import DEPENDENT
from gauss.model import System
from gauss.model.compiled.smoothness import depends_on_time
from gauss.model.compiled.walked import available
from gauss.model.state import State
from gauss.motion.events.event_location import Event
from gauss.motion.integrator import Beginning
from gauss.motion.loads import with_known_loads
from gauss.motion.record.checkpoint import Checkpoint, StoredRun, identity_of
from gauss.motion.record.trajectory import Trajectory
from gauss.motion.remembered import unpacked
from gauss.motion.run import Run
from gauss.motion.singular.deflation import deflation
from gauss.motion.singular.derived import equations_on
from gauss.motion.singular.redundant import independent_rows
from gauss.motion.singular.tangent_branches.guided import Guide, choices_at, guide_along
from gauss.motion.steps.sampled import ZeroOrderHold
from gauss.motion.steps.setting import natural_atol, tolerances
from gauss.motion.steps.steppers import Control, Setting, metric_weight
from gauss.motion.steps.taylor import hindrance, require_series
from gauss.numerics.quadrics.stationary import stationary
from gauss.numerics.runge_kutta import TAYLOR, Tableau, tableau_of
from gauss.principle import GaussProblem
from gauss.principle.solve import check_solver
from gauss.principle.sparse import ENTRIES
from gauss.uniqueness import Verdict
from gauss.uniqueness.clear import bounds_where_clear, clear_at
from gauss.uniqueness.germs.numbers import OpenError
from gauss.uniqueness.large import ClearRows
from gauss.uniqueness.orders.jets import conditions
from gauss.uniqueness.orders.near import rounding_error
from gauss.uniqueness.rows.frame import frame_of
from gauss.uniqueness.rows.nearby import along_motion
from gauss.uniqueness.rows.scaling import least_by_own_size
from gauss.verdict import require_one_load

AMPLE = 0.1  # smallest singular value from which on rows of higher order are not asked, nor errors by small ones feared
NEAR = 1e-3  # smallest singular value below which a start is left by a window, as one on a singular position
SAME = 10.0  # times that value: with rows scaled by the coordinates' own sizes it is still the same smallness
FARTHER = (0.5, 0.8, 0.2)  # shares of a curve, or of the time on a sheet, at which the rank of rows is looked at
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
    tableau = tableau_of(method)
    check_solver(solver)
    check_law(impacts)
    if paradox not in ("end", "impact"):
        raise InputError(f"paradox must be 'end' or 'impact', got {paradox!r}.")
    if in_space(system):
        _require_followed_in_space(system, impacts, paradox)
    end = scalar(t_end, "t_end")
    if end <= state.t:
        raise InputError(f"t_end = {end:g} must be later than the start time {state.t:g}.")
    if step is None and not tableau.adaptive:
        raise InputError(f"method {method!r} has a fixed step: pass step=… in seconds, or use method='dop853'.")
    size = None if step is None else _step_size(step, end - state.t)
    longest = max_step if max_step is None or max_step == math.inf else positive(max_step, "max_step")
    watched = _checked_events(events)
    report = reporter(progress, system.name)
    theta = system.theta(None if callable(control) else control)
    if system.model.seen is not None:
        first = _setting(system, tableau, rtol, atol, np.ones(2 * system.n), theta, control)
        require_one_load(system, state, first.controls_at(state))
    span, bounds = end - state.t, None
    if branch is None and not callable(control):
        bounds = bounds_where_clear(system, state, theta)
    clear = bounds is not None
    if bounds is None:
        require_consistent(system, state)
        natural = natural_atol(system, state, span, theta)
    else:
        natural = tolerances(bounds.roots, bounds.position, bounds.speed, bounds.pull, span)
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
        given |= {"atol": atol, "solver": solver, "impacts": impacts, "paradox": paradox}
        given |= {"allow_energy_gain": allow_energy_gain, "events": watched}
        given |= {"control": control.sampled if isinstance(control, ZeroOrderHold) else control}
        found = checkpoint.found(identity_of(system, state, end, given), system)
    if checkpoint is not None and found is not None and found.complete:
        return _told(_whole(checkpoint, found, setting))
    u = setting.controls_at(state)
    if clear:
        beginning = Beginning(system.model.equality, clear=True)
    elif branch is None:
        beginning = start_of(system, state, span, u, control)
    else:
        beginning = branch_of(system, state, branch, u) if guide is None else along(system, state, guide, branch)
    if system.contacts:
        beginning = _beginning_with_friction(system, beginning)
    x = np.concatenate([[state.t], state.q, state.v])
    laws = impacts, paradox, allow_energy_gain
    run = Run(setting, solver, watched, end, size, longest, report, x, beginning, *laws, checkpoint)
    if checkpoint is not None and found is not None and found.kept:
        try:
            checkpoint.go_on(found.run, run.go_on(found.kept, found.run))
        except GaussError:
            raise
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise checkpoint.damaged(error) from None
    try:
        trajectory = run.go()
    finally:
        report.close()
    if checkpoint is not None:
        checkpoint.finish(trajectory, run.settled)
    return _told(trajectory if system.model.seen is None else with_known_loads(trajectory))


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


def _require_followed_in_space(system: System, impacts: str, paradox: str) -> None:
    """Raise InputError for what is not known of contacts in space."""
    if impacts != "moreau":
        raise InputError(f"contacts in space strike by Moreau's law: impacts must be 'moreau', not {impacts!r}.")
    if paradox == "impact":
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


def start_of(system: System, state: State, span: float, u: object = None, control: object = None) -> Beginning:
    """Return how a motion starts: its independent rows, its acceleration on a singular position, its locked rank.

    `span` (s) is the time of the run, `control` what its controls come from.

    Raises SingularPositionError where no motion or no single motion starts, and what `judged` raises.
    """
    if clear_at(system, state, system.theta(u)) or _clearly_regular(system, state, u):
        return Beginning(system.model.equality)
    verdict = judged(system, state, u)
    words = {word for reading in verdict.readings or (verdict,) for word in reading.verdicts}
    locked = "locked" in words and verdict.answer is not None
    if words & {"branching", "locked"} and _stays(system, verdict, control):
        return Beginning(system.model.equality, np.zeros(system.n))
    if not verdict.unique or not words <= {"regular", "redundant", "crossing"} | ({"locked"} if locked else set()):
        several = verdict.accelerations.several
        remedy = ' simulate(…, branches="all") follows each of them.' if several else ""
        raise SingularPositionError(
            f"the motion of {system.name!r} cannot start here. {verdict.sentence}{remedy}", verdict
        )
    equality = system.model.equality
    judged_rows = tuple(system.row_names.index(name) for name in verdict.regularity.rows)
    if locked:
        guided = _guided(system, state, u, span) if verdict.motion_unique is not None else None
        return guided or _held_still(system, verdict)
    if verdict.regular and judged_rows == equality and _is_near(system, verdict) and verdict.answer is not None:
        return Beginning(equality, verdict.answer.a, obliged=False)
    if verdict.regular or judged_rows != equality:
        return Beginning(equality)
    if "crossing" not in verdict.verdicts:
        return Beginning(independent_rows(system, state, equality, verdict.regularity.rank))
    assert verdict.answer is not None
    rank = verdict.regularity.rank + verdict.problem.rows.kinds.count("jet")
    nearest = max(verdict.nearby, key=lambda point: point.rank, default=None)
    place = state if nearest is None else State(nearest.q, state.v, state.t)
    return Beginning(independent_rows(system, place, equality, rank), verdict.answer.a)


def _clearly_regular(system: System, state: State, u: object) -> bool:
    """Whether the rows of a state are so far from dependent that its verdict can be nothing but "regular".

    What `judged` does besides, an acceleration and its error, is done for the first record of the run.
    """
    model, problem = system.model, GaussProblem.at(system, state, u)
    if system.n * len(model.equality) > ENTRIES:
        return ClearRows.of(system, state, problem) is not None
    rows = problem.rows
    if np.any(np.isfinite(rows.lower[rows.inequality])) or not problem.metric.definite:
        return False
    ample = AMPLE if np.any(state.v) else NEAR  # at rest rows of higher order are not asked
    if np.min(problem.spectrum.sigma, initial=1.0) < ample:
        return False
    frame = frame_of(system, state, problem, model.equality)
    least, size = float(np.min(frame.sigma, initial=1.0)), frame.acceleration_scale
    if frame.rank < len(model.equality) or frame.doubt or least < ample:
        return False
    return least >= AMPLE or rounding_error(frame, size) <= NEAR * size


def _is_near(system: System, verdict: Verdict) -> bool:
    """Whether a regular start is next to a singular position; of many bodies a small value alone does not say so."""
    if verdict.regularity.left_out or verdict.sigma_min >= NEAR:
        return False
    if "jet" in verdict.problem.rows.kinds:  # rows of higher order have taken the place of nearly dependent ones
        return True
    return least_by_own_size(system, verdict.state, verdict.problem) < max(NEAR, SAME * verdict.sigma_min)


def branch_of(system: System, state: State, a: Array, u: object = None) -> Beginning:
    """Return how a motion starts on the branch with the acceleration a (n,).

    The rank of the rows along it is that at a nearby point. Where it stays below the number of rows, and not for rows
    that demand nothing there, what is lost is locked all along the branch.
    """
    problem = GaussProblem.at(system, state, u)
    frame = frame_of(system, state, problem, system.model.equality)
    near = along_motion(frame, a)
    if near is None:
        return Beginning(system.model.equality, a)
    directions = 0
    if near.rank < len(system.model.equality):
        directions = _locked_at(system, State(near.q, np.zeros(system.n), state.t), near.rank, u)
    if directions:
        return Beginning(system.model.equality, a, locked=near.rank, directions=directions)
    place = State(near.q, state.v, state.t)
    return Beginning(independent_rows(system, place, system.model.equality, near.rank), a)


def along(system: System, state: State, guide: Guide, a: Array) -> Beginning:
    """Return how a motion starts along a guide with the acceleration a; its rows are independent farther along.

    They may lose their rank there again, so several places are looked at.
    """
    equality, frames = system.model.equality, []
    for share in FARTHER:
        q = state.q.copy()
        for curve, half in zip(guide.curves, guide.halves, strict=True):
            way = half or float(np.sign(curve.sign * (state.v[curve.lead] or a[curve.lead])))
            q[list(curve.coordinates)] = curve.at(share * way * curve.length)[0]
        for sheet in guide.sheets:
            own = list(sheet.coordinates)
            q[own] = sheet.ahead(state.q[own], state.v[own], a[own], share * guide.span)
        place = State(q, state.v, state.t)
        frames.append(frame_of(system, place, GaussProblem.at(system, place, None, []), equality))
        if frames[-1].rank == len(equality):
            break
    best = max(frames, key=lambda frame: frame.rank)
    return Beginning(independent_rows(system, best.state, equality, best.rank), a, guide=guide)


def _stays(system: System, verdict: Verdict, control: object) -> bool:
    """Whether a body at rest stays where it is: nothing drives it, forces are steady, and no other motion leaves."""
    if not verdict.motion_unique or verdict.answer is None or np.any(verdict.state.v):
        return False
    if callable(control) or system.black_box_force is not None or depends_on_time(system.model):
        return False
    a = verdict.answer.a
    return float(np.sqrt(a @ verdict.problem.M @ a)) <= verdict.answer.error_bound


def _guided(system: System, state: State, u: object, span: float) -> Beginning | None:
    """Return how a motion starts on the one branch that leaves a state, or None where there it is locked all along."""
    found = choices_at(system, state, u)
    leaving = [] if found is None else [choice for choice in found.choices if choice.leaves]
    if len(leaving) != 1:
        return None
    try:
        return along(system, state, guide_along(system, state, leaving[0], span), leaving[0].solution.a)
    except OpenError:
        return None


def _held_still(system: System, verdict: Verdict) -> Beginning:
    """Return how a motion starts that is locked all along.

    Raises SingularPositionError where conditions beyond order 4 lock directions: steps know those of order 4 only.
    """
    rank, state, kinds = verdict.regularity.rank, verdict.state, system.model.kinds
    directions = _determined(verdict) - rank
    if all(kinds[k] == "holonomic" for k in system.model.equality):
        found = deflation(system, state, verdict.problem, system.theta(), rank)
        beyond = directions - (0 if found is None else found.locked)
        if beyond > 0 and equations_on(system, state, rank) is not None:
            return Beginning(system.model.equality, locked=rank, directions=directions)
        if beyond > 0 and (found is not None or verdict.motion_unique is not None):
            raise SingularPositionError(
                f"the motion of {system.name!r} cannot be followed from here. {verdict.sentence} It stays so in"
                f" {directions} directions, {beyond} of them by conditions beyond order 4.",
                verdict,
            )
    return Beginning(system.model.equality, locked=rank, directions=directions)


def _determined(verdict: Verdict) -> int:
    """Return how many directions the rows of a locked state determine, with those of higher order."""
    whitened = verdict.problem.metric.whitened(verdict.problem.rows.J)
    return int(np.linalg.matrix_rank(unit_rows(whitened), DEPENDENT)) if whitened.size else 0


def _locked_at(system: System, state: State, rank: int, u: object) -> int:
    """Return how many directions order 4 locks at rest at a state beside a branching position; 0 if it does not."""
    problem = GaussProblem.at(system, state, u)
    frame = replace(frame_of(system, state, problem, system.model.equality), rank=rank)
    c = conditions(frame)
    found = stationary(c.kernel.T @ frame.free, c.quadrics) if c.quadrics else None
    return 0 if found is None or found.affine is None else c.kernel.shape[1] - found.affine[1].shape[1]
