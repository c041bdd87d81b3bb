"""What a study asks at each of its points, and the answer: one motion, measured."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from gauss.errors import GaussError, InputError, described
from gauss.foundation.arrays import Array
from gauss.foundation.calls import meant_name
from gauss.foundation.portable import Portable
from gauss.foundation.processes import leave_if_alone
from gauss.foundation.threads import withheld
from gauss.model import System, system_of
from gauss.model.state import State
from gauss.model.units import doubtful_angles
from gauss.motion import Trajectory, simulate
from gauss.motion.ensemble import Members, follow_members
from gauss.motion.steps.sampled import own_control
from gauss.scenario import Start
from gauss.studies.measured import Measured, along_times, measured
from gauss.studies.points import StudyPoints

AT_TIMES = "times"  # the name of the measure that gives the coordinates at given times
ALONE = ("events", "method", "every", "step")  # options with which members are not followed side by side

NO_END = (
    "a study needs an end of its motions: gauss.Start(…, t_end=…), t_end=… or times=… (on the command line --t-end or"
    " --times)."
)


@dataclass(frozen=True)
class Question(Portable):
    """What is asked at every point."""

    model: Any  # a System, whose parameters and start vary, or a function of the values that builds one
    start: Any  # a Start, a State, (q, v), a function of the values that returns one, or None: the model brings it
    measures: dict[str, Callable[[Trajectory], object]]  # by name, of the motion
    times: Array | None  # (k,) s, at which the coordinates are wanted
    options: dict[str, Any]  # of `simulate`, in the place of those of the start

    @property
    def asked(self) -> tuple[str, ...]:
        """The names of what is measured."""
        return (*(() if self.times is None else (AT_TIMES,)), *self.measures)


@dataclass(frozen=True)
class PointMotion:
    """A motion that is to be computed."""

    system: System
    state: State
    t_end: float  # s
    options: dict[str, Any]  # of `simulate`


@dataclass(frozen=True)
class PointResult:
    """What has become of one point."""

    index: int
    ending: str  # kind of the ending of its motion; "refused" where there is none, "failed" where a function failed
    message: str
    until: float = np.nan  # s, the time up to which it was followed
    distance: float = np.nan  # of the solver's accelerations from the certified ones, the largest, in the metric
    residual: float = np.nan  # of its certificates, the largest, in the metric
    found: dict[str, Measured] = field(default_factory=dict)  # by the name of the measure
    doubt: str = ""  # where angles of its start look like degrees


def require_taken(question: Question, points: StudyPoints) -> None:
    """Raise InputError unless each name of a study is taken, by the model or a function, and each function has its own.

    Functions are those that build the model and give the start.
    """
    model, has = question.model, _takes(question.model)
    functions = {} if isinstance(model, System) else {"builds the model": model}
    functions |= {"gives the start": question.start} if callable(question.start) else {}
    for what, function in functions.items():
        missing = [name for name in _arguments(function, needed=True) or () if name not in points.axes]
        if missing:
            raise InputError(
                f"the function that {what} needs {' and '.join(missing)}, and the study has {', '.join(points.axes)}."
            )
    taken = _arguments(question.start) if callable(question.start) else ()
    if has is None or taken is None:
        return
    for name in points.axes:
        if isinstance(model, System) and name in has[len(model.parameters) :] and question.times is not None:
            raise InputError(
                f"with times=… the table has {name!r} at these times. Give its value at the start another name:"
                f" start=lambda {name}_0: … returns the start with it."
            )
        if isinstance(model, System) and name in has and points.axes[name].dtype.kind == "U":
            raise InputError(
                f"{name!r} of {model.name!r} takes numbers, but the study has the text {str(points.axes[name][0])!r}:"
                f" give a list, or np.linspace(from, to, count); on the command line --set {name}=from:to:count."
            )
        if name not in has and name not in taken:
            raise InputError(_not_taken(name, model, functions, (*has, *taken)))


def _not_taken(name: str, model: Any, functions: Mapping[str, Callable[..., Any]], known: Sequence[str]) -> str:
    """Return what is said of a name that nothing takes."""
    words = []
    if isinstance(model, System):
        listed = ", ".join((*model.parameters, *model.coordinates, f"d_{model.coordinates[0]}", "…"))
        words.append(f"{model.name!r} has no parameter, coordinate or velocity of that name (it has {listed})")
    words += [
        f"the function that {what} takes {', '.join(_arguments(function) or ()) or 'nothing'}"
        for what, function in functions.items()
    ]
    meant = meant_name(name, known)
    hint = f" Did you mean {meant!r}?" if meant else ""
    if not hint and not functions:
        hint = f" What only a controller or the start knows is the argument of a function: start=lambda {name}: …"
    return f"nothing takes the value {name!r} of the study: {', and '.join(words)}.{hint}"


def _takes(model: Any) -> tuple[str, ...] | None:
    """Return the names of values that a model takes, parameters first; None where it takes any."""
    if not isinstance(model, System):
        return _arguments(model)
    return (*model.parameters, *model.coordinates, *(f"d_{name}" for name in model.coordinates))


def _arguments(function: Callable[..., Any], needed: bool = False) -> tuple[str, ...] | None:
    """Return the names of a function's arguments, None where it takes any; or of those `needed`, without a default."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(p.kind == p.VAR_KEYWORD for p in parameters) and not needed:
        return None
    named = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    return tuple(p.name for p in named if not needed or p.default is p.empty)


def _called(function: Callable[..., Any], values: dict[str, Any]) -> Any:
    """Return what a function makes of the values that it names."""
    names = _arguments(function)
    return function(**(values if names is None else {k: x for k, x in values.items() if k in names}))


def posed(question: Question, values: dict[str, Any]) -> PointMotion:
    """Return the motion that is asked for at a point, with a control of its own.

    Raises InputError, and what the user's functions raise.
    """
    model, start = question.model, question.start
    if isinstance(model, System):
        own = {name: x for name, x in values.items() if name in model.parameters}
        system = model.with_parameters(**own) if own else model
    else:
        built = _called(model, values)
        if isinstance(built, tuple) and len(built) == 2:
            built, start = built[0], built[1] if start is None else start
        system = system_of(built)
    start = _called(start, values) if callable(start) else start
    options: dict[str, Any] = {}
    t_end = None if question.times is None else float(question.times[-1])
    if isinstance(start, Start):
        state = system.state(start.q, start.v, start.t)
        options, t_end = start.options, start.t_end if start.t_end is not None else t_end
    elif isinstance(start, State) or isinstance(getattr(start, "state", None), State):
        state = system.state(start)
    elif isinstance(start, tuple) and len(start) == 2:
        state = system.state(*start)
    else:
        raise InputError(f"the start must be a gauss.Start, a State, (q, v) or a function of these, got {start!r}.")
    if isinstance(model, System):
        state = _moved(system, state, values)
    options |= question.options
    if "control" in options:
        options["control"] = own_control(options["control"])
    t_end = options.pop("t_end", t_end)
    if t_end is None:
        raise InputError(NO_END)
    require_within(question.times, t_end)
    return PointMotion(system, state, t_end, options)


def require_end(question: Question, points: StudyPoints) -> None:
    """Raise InputError where the start that a function returns for the first point has no end, and nothing else has."""
    if not callable(question.start) or question.times is not None or "t_end" in question.options:
        return
    try:
        posed(question, points.at(0))
    except InputError as error:
        if str(error) == NO_END:
            raise
    except Exception:  # told to the point that it concerns
        return


def require_within(times: Array | None, t_end: float | None) -> None:
    """Raise InputError for times at which the motions have ended."""
    if times is not None and t_end is not None and times[-1] > t_end:
        raise InputError(
            f"times go on to {times[-1]:g} s, but the motions end at t_end = {t_end:g} s: leave out t_end, or the"
            " times behind it."
        )


def units_of(question: Question, points: StudyPoints) -> dict[str, str]:
    """Return the units of the values of a study that parameters, coordinates and velocities of a System take."""
    model, taken = question.model, _takes(question.model) or ()
    return {name: model.unit(name) for name in points.axes if name in taken} if isinstance(model, System) else {}


def _moved(system: System, state: State, values: dict[str, Any]) -> State:
    """Return a start with the coordinates and velocities that vary in the study."""
    q = {name: values[name] for name in system.coordinates if name in values}
    v = {name: values[f"d_{name}"] for name in system.coordinates if f"d_{name}" in values}
    if not q and not v:
        return state
    return replace(state, q=system.vector(q, "q", state.q.tolist()), v=system.vector(v, "v", state.v.tolist()))


def answers(
    question: Question, points: StudyPoints, some: Sequence[int], parent: int | None = None
) -> tuple[list[PointResult], bool]:
    """Return what becomes of some points, and whether Ctrl-C ended that: then of the first of them only.

    A process that has lost its `parent` ends.
    """
    found: list[PointResult] = []
    try:
        leave_if_alone(parent)
        together = _together(question, points, some)
        if together is not None:
            return together
        for index in some:
            leave_if_alone(parent)
            found.append(_answer(question, points, index))
    except KeyboardInterrupt:
        return found, True
    return found, False


def _answer(question: Question, points: StudyPoints, index: int) -> PointResult:
    """Follow the motion of a point and measure it. Raises KeyboardInterrupt."""
    try:
        asked = posed(question, points.at(index))
        with withheld():  # the table has the ending
            run = simulate(
                asked.system,
                asked.state.q,
                asked.state.v,
                t=asked.state.t,
                t_end=asked.t_end,
                progress="none",
                **asked.options,
            )
    except GaussError as error:
        return PointResult(index, "refused", described(error))
    except Exception as error:  # of a user's function: the other points go on
        return PointResult(index, "failed", described(error))
    if run.ending.kind == "interrupted":
        raise KeyboardInterrupt
    found: dict[str, Measured] = {}
    ending, message = run.ending.kind, run.ending.message
    for name in question.asked if len(run) else ():
        try:
            found[name] = _measure(question, name, run)
        except Exception as error:
            ending, message = "failed", f"the measure {name!r}: {described(error)}"
    if not len(run):
        return PointResult(index, ending, message)
    numbers = float(run.t[-1]), float(np.max(run.solver_distance))
    return PointResult(index, ending, message, *numbers, run.largest_residual, found, _doubt(asked))


def _doubt(asked: PointMotion) -> str:
    """Return what is said of angles at the start of a motion that look like degrees."""
    return doubtful_angles(asked.system.coordinates, asked.state.q, asked.system.units)


def _measure(question: Question, name: str, run: Trajectory) -> Measured:
    if name != AT_TIMES:
        return measured(name, question.measures[name](run))
    assert question.times is not None
    assert run.setting is not None
    times = question.times
    reached = times <= run.t[-1]
    there = run.at(times[reached])
    system = run.setting.system
    numbers = [np.full((len(times), width), np.nan) for width in (system.n, system.n, len(run.about.rows))]
    for all_of_them, part in zip(numbers, (there.q, there.v, there.multipliers), strict=True):
        all_of_them[reached] = part
    return along_times(system, times, *numbers)


def _together(question: Question, points: StudyPoints, some: Sequence[int]) -> tuple[list[PointResult], bool] | None:
    """Return the answers at some points whose motions are followed side by side, None where they are not."""
    system, times = question.model, question.times
    if not isinstance(system, System) or times is None or question.measures or len(some) < 2:
        return None
    try:
        asked = [posed(question, points.at(index)) for index in some]
    except Exception:  # told to the point that it concerns
        return None
    options = asked[0].options | {"solve_at": "steps"}
    if any(each.options != asked[0].options or each.t_end != times[-1] or each.state.t != times[0] for each in asked):
        return None
    if any(options.get(name) for name in ALONE):
        return None
    options.pop("events", None)
    names = [name for name in points.axes if name in system.parameters]
    values = [points.at(index) for index in some]
    varied = {name: np.array([float(each[name]) for each in values]) for name in names}
    q, v = (np.array([getattr(each.state, k) for each in asked]) for k in "qv")
    found = follow_members(system, Members(q, v, varied), times, options)
    done: list[PointResult] = []
    for k, index in enumerate(some):
        if found.ending[k] in ("interrupted", "missing"):
            return done, True
        ending = found.ending[k], found.message[k]
        if ending[0] == "refused":
            done.append(PointResult(index, *ending))
            continue
        table = along_times(system, times, found.q[k], found.v[k], found.multipliers[k])
        numbers = float(found.until[k]), float(found.distance[k]), float(found.residual[k])
        done.append(PointResult(index, *ending, *numbers, {AT_TIMES: table}, _doubt(asked[k])))
    return done, False


def measures_of(measure: object) -> dict[str, Callable[[Trajectory], object]]:
    """Return the measures by name. Raises InputError."""
    given = {} if measure is None else measure
    if callable(given):
        given = {getattr(given, "__name__", "measure"): given}
    if not isinstance(given, Mapping):
        raise InputError(f"measure must be a dict of functions of the motion by name, got {measure!r}.")
    for name, function in given.items():
        if not isinstance(name, str) or not name or "/" in name or name == AT_TIMES:
            raise InputError(f"a measure has the name {name!r}; a text without / is expected, and not {AT_TIMES!r}.")
        if not callable(function):
            raise InputError(f"the measure {name!r} is {function!r}; a function of the motion is expected.")
    return dict(given)
