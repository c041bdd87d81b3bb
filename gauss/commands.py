"""What each command of `gauss` does, once its options are read.

What one command alone needs, and takes long to import, is imported where it is needed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import typer

from gauss import scenario as scenarios
from gauss.analysis.atlas import atlas_along, atlas_over
from gauss.analysis.second_opinion.recorded import recorded
from gauss.bodies import Drawing, drawing_of
from gauss.dynamics import classify
from gauss.errors import FileError, InputError, described
from gauss.foundation import shipped
from gauss.foundation.arrays import repeated_in
from gauss.model import System
from gauss.motion import Sampled, Trajectory, simulate
from gauss.scenario import Start
from gauss.show.atlas import atlas_data, bar, save_atlas
from gauss.show.batch import MotionFiles, Reporting, run_all
from gauss.show.study import run_study
from gauss.show.terminal import BAD_INPUT, CLAIM_FAILED, INTERRUPTED, OK, console
from gauss.show.verdict import verdict_data, verdict_page

__all__ = [
    "MotionFiles",
    "Reporting",
    "animate",
    "atlas",
    "check",
    "doctor",
    "exercise",
    "run_all",
    "run_study",
    "show",
    "uniqueness",
    "verify",
    "view",
]

ANYWHERE = Start(q=[])  # stands for the start of a file where a command gives the state
SCANNED = 401  # states of a motion that an atlas looks at


def show(name: str, latex: bool, loops: Path | None = None) -> None:
    """Print a model as formulas, or the equations of motion as LaTeX."""
    from gauss.show.formulas import show_model
    from gauss.sympy import to_sympy

    if latex:
        typer.echo(to_sympy(scenarios.load(name, loops).system).latex())
        return
    console().print(show_model(scenarios.load(name, loops)))


def uniqueness(
    name: str,
    q: str | None,
    v: str | None,
    t: float | None,
    length: float | None,
    loops: Path | None,
    as_json: bool,
) -> None:
    """Print what is unique at a state, and why."""
    loaded = _with_a_start(name, loops) if q is not None else scenarios.load(name, loops)
    system, start = loaded.system, loaded.start
    base = system.state(np.zeros(system.n) if start is ANYWHERE else start.q, start.v, start.t)
    position = base.q if q is None else _state_vector(system, q, base.q, "--q")
    if q is not None and start is ANYWHERE and len(q.split(",")) < system.n:
        raise InputError(
            f"--q must give every coordinate ({', '.join(system.coordinates)}): {name} has no start alone."
        )
    resting = np.zeros(system.n) if q is not None else base.v
    velocity = resting if v is None else _state_vector(system, v, np.zeros(system.n), "--v")
    time = base.t if t is None else t
    control = start.control.function if isinstance(start.control, Sampled) else start.control
    controls = control(time, position, velocity) if callable(control) else control
    found = classify(system, position, velocity, time, u=controls, length=length)
    if as_json:
        typer.echo(json.dumps({"name": loaded.name, **verdict_data(found)}, indent=2, ensure_ascii=False))
    else:
        console().print(verdict_page(found, f"{loaded.title}: what is unique here"))


def _with_a_start(name: str, loops: Path | None = None) -> scenarios.Scenario:
    """Return the scenario of a file, whose start may be none or one that takes values: then it is ANYWHERE."""
    path = scenarios.find(name)
    if scenarios.is_robot(path) or loops is not None:
        return scenarios.load(path, loops)
    module = scenarios.module(path)
    start = getattr(module, "start", None)
    if start is None or (callable(start) and shipped.values_of(start)):
        vars(module)["start"] = ANYWHERE
    return scenarios.read(module, path)


def verify(name: str, states: int | None, seed: int, as_json: bool) -> int:
    """Test printed equations; return the exit status."""
    from gauss import sources
    from gauss.show.equations import equations_data, equations_page
    from gauss.sources.equations import COUNT

    loaded = sources.load(name)
    found = [
        entry
        for printed in loaded.equations
        for entry in sources.verify(printed, count=COUNT if states is None else states, seed=seed)
    ]
    if as_json:
        typer.echo(json.dumps({"name": loaded.name, **equations_data(found)}, indent=2, ensure_ascii=False))
    else:
        console().print(equations_page(found, loaded.title))
    return OK if all(entry.settled for entry in found) else CLAIM_FAILED


def check(file: Path, strict: bool, as_json: bool) -> int:
    """Print a second opinion on the states of a file; return the exit status."""
    found = recorded(file)
    if as_json:
        typer.echo(json.dumps(found.to_dict(), indent=2, ensure_ascii=False))
    else:
        console().print(str(found), soft_wrap=True)
    return OK if found.passed and (found.decided.all() or not strict) else CLAIM_FAILED


def doctor(
    name: str,
    loops: Path | None,
    base: str | None,
    packages: list[str],
    actuated: str | None,
    given: list[str],
    sweep: bool,
    picture: Path | None,
    write: Path | None,
    as_json: bool,
) -> int:
    """Print what ails a robot or a mechanism; return the exit status."""
    from gauss import robots
    from gauss.show.doctor import page

    options = {"loops": loops, "base": base, "packages": _packages(packages), "actuated": _actuated(actuated)}
    mechanism, values = _examined(name, options)
    asked = dict(_value(text) for text in given)
    ranges = ", and through the ranges of motors (not with --no-sweep)" * sweep
    with console(error=True).status(f"{name}: looking at loops, rank and forces{ranges} …"):
        found = robots.doctor(mechanism, {**values, **asked}, hold=list(asked), sweep=sweep)
    if as_json:
        typer.echo(json.dumps(found.to_dict(), indent=2, ensure_ascii=False))
    else:
        console().print(page(found))
    if picture is not None and found.closed is not None:
        found.picture(picture)
    if write is not None:
        if not isinstance(mechanism, robots.Robot):
            raise InputError(f"--write belongs to a robot of MJCF; {name} is none.")
        changes = mechanism.write(write, found)
        if not as_json:
            console().print("\n".join(f"written: {change}" for change in changes), soft_wrap=True)
    return OK if found.healthy else CLAIM_FAILED


def _packages(texts: list[str]) -> Any:
    """Return where files of packages are: None, a folder, or folders by the name of the package. Raises InputError."""
    named = dict(text.partition("=")[::2] for text in texts if "=" in text)
    plain = [text for text in texts if "=" not in text]
    if len(plain) > 1 or (plain and named):
        raise InputError("--packages is one folder that holds packages, or name=folder for each package.")
    return named or next(iter(plain), None)


def _actuated(text: str | None) -> Any:
    """Return joints with motors as `gauss.load` takes them, from a text such as "hip,knee", "all" or ""."""
    return text if text in (None, "all") else [name.strip() for name in str(text).split(",") if name.strip()]


def _examined(name: str, options: dict[str, Any]) -> tuple[Any, dict[str, float]]:
    """Return the mechanism of a file, and the values of its joints at the start of a scenario. Raises InputError."""
    from gauss import robots
    from gauss.bodies.tree.states import joint_state

    path = scenarios.find(name)
    if scenarios.is_robot(path):
        return robots.load(path, **options), {}
    if any(option is not None for option in options.values()):
        raise InputError(f"--loops, --base, --packages and --actuated belong to a URDF; {name} is a model file.")
    loaded = _with_a_start(name)
    mechanism = loaded.system.source
    if mechanism is None:
        raise InputError(f"{name} is a system of formulas; doctor examines robots, and bodies with joints.")
    if loaded.start is ANYWHERE:
        return mechanism, {}
    state = loaded.system.state(loaded.start.q, loaded.start.v, loaded.start.t)
    q, v = (dict(zip(loaded.system.coordinates, x.tolist(), strict=True)) for x in (state.q, state.v))
    return mechanism, q if mechanism.coordinates == "joint" else joint_state(mechanism.tree, q, v)[0]


def _value(text: str) -> tuple[str, float]:
    """Return a joint and its value from a text such as "knee=0.3". Raises InputError."""
    joint, _, number = text.rpartition("=")
    try:
        return joint.strip(), float(number)
    except ValueError:
        raise InputError(f"--set {text!r} is not of the form joint=value, as in knee=0.3.") from None


def exercise(
    name: str,
    answers: list[str],
    file: Path | None,
    asks: str | None,
    level: int,
    solution: bool,
    as_json: bool,
) -> int:
    """Check answers to an exercise, show its hints or solutions, or ask at the terminal; return the exit status."""
    from gauss import sources
    from gauss.show import exercises as pages

    found = sources.exercise(name)
    questions = found.questions if asks is None else (found.question(asks),)
    lines = [*answers, *(_answers_in(file) if file is not None else [])]
    shown = console()
    for line in {pages.HINT, pages.SOLUTION}.intersection(lines):
        raise InputError(f"{line!r} asks at the terminal and through a pipe; here --hint and --solution do.")
    given = [found.asked(line) for line in lines]
    if not lines and not (level or solution or as_json):
        if sys.stdin.isatty():
            return pages.session(found, shown, input, questions)
        piped = _lines(sys.stdin.read())
        if piped:
            return pages.piped(found, shown, piped, questions)
    results = [found.check(question.asks, answer) for question, answer in given]
    if as_json:
        data = {"name": found.name, "title": found.title, "source": found.source, "text": found.text}
        asked = [{"asks": q.asks, "text": str(q), "hints": list(q.hints[:level])} for q in questions]
        if solution:
            asked = [{**entry, "solution": q.solution} for entry, q in zip(asked, questions, strict=True)]
        checks = [pages.check_data(result, level) for result in results]
        typer.echo(json.dumps({**data, "questions": asked, "answers": checks}, indent=2, ensure_ascii=False))
    elif not lines:
        shown.print(pages.task_page(found))
    done = {question.asks for (question, _), result in zip(given, results, strict=True) if result.right}
    for result in [] if as_json else results:
        shown.print(pages.result_line(result, level), soft_wrap=True)
    for question in [] if as_json else questions:
        hints = [] if question.asks in done or (lines and not _answered(question, given)) else question.hints[:level]
        if hints:
            shown.print(f"{question.asks}:")
        for text in pages.hint_lines(question, len(hints)):
            shown.print(text, soft_wrap=True)
        if solution:
            shown.print(pages.solution_line(question), soft_wrap=True)
    if not all(result.understood for result in results):
        return BAD_INPUT
    return OK if all(result.right for result in results) else CLAIM_FAILED


def _answered(question: Any, given: list[tuple[Any, str]]) -> bool:
    return any(asked is question for asked, _ in given)


def _answers_in(file: Path) -> list[str]:
    """Return the answers of a file, one a line, without empty lines and remarks.

    Raises FileError for a file that cannot be read.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or described(error)
        raise FileError(f"{file} cannot be read: {why}.") from error
    return _lines(text)


def _lines(text: str) -> list[str]:
    """Return the lines that are not empty and do not begin with #."""
    return [line for line in map(str.strip, text.splitlines()) if line and not line.startswith("#")]


def atlas(name: str, over: list[str] | None, loops: Path | None, t_end: float | None, out: Path, as_json: bool) -> None:
    """Draw the map of verdicts over a grid of positions, or along the motion."""
    loaded = scenarios.load(name, loops)
    system, start = loaded.system, loaded.start
    end = t_end if t_end is not None else start.t_end
    if over:
        ranges = _ranges(over)
        with bar(f"atlas of {loaded.name}", as_json) as report:
            found = atlas_over(system, start.q, ranges, start.v, start.t, report=report)
    elif end is not None:
        run = simulate(
            system, start.q, start.v, t=start.t, t_end=end, **(start.options | {"events": ()}), progress="none"
        )
        with bar(f"atlas of {loaded.name}", as_json) as report:
            found = atlas_along(run.at(np.linspace(run.t[0], run.t[-1], SCANNED)), report=report)
    else:
        raise InputError(f"{loaded.name} has no motion to scan; name coordinates, as in --over x=-1:1:41.")
    path = save_atlas(found, out, loaded.name)
    if as_json:
        typer.echo(json.dumps(atlas_data(found, path), indent=2, ensure_ascii=False))
    else:
        console().print(f"{found}\nfigure  {path}", soft_wrap=True, markup=False)


def animate(
    name: str,
    loops: Path | None,
    t_end: float | None,
    speed: float | None,
    rate: float | None,
    kind: str,
    out: Path,
    forces: bool,
) -> int:
    """Make a film of the motion; return the exit status."""
    from gauss.show.film.animate import RATE
    from gauss.show.film.animate import animate as film

    loaded = scenarios.load(name, loops)
    run, drawing = _drawn(loaded, t_end)
    path = out / f"{loaded.name}.{kind}"
    film(run, drawing, path, speed=speed, rate=RATE if rate is None else rate, forces=forces)
    console().print(f"film  {path}", soft_wrap=True, markup=False)
    return INTERRUPTED if run.ending.kind == "interrupted" else OK


def view(
    name: str,
    loops: Path | None,
    t_end: float | None,
    speed: float | None,
    port: int | None,
    page: Path | None,
    forces: bool,
) -> int:
    """Show the motion in the browser until Ctrl-C, or write it as a page; return the exit status."""
    from gauss.show.film import viewer

    viewer.require_viser()
    run, drawing = _drawn(scenarios.load(name, loops), t_end)
    with viewer.view(run, drawing, speed=speed, port=port, forces=forces) as shown:
        if page is not None:
            console().print(f"page  {shown.save(page)}", soft_wrap=True, markup=False)
        else:
            console().print(f"view  {shown.url}  (Ctrl-C ends it)", soft_wrap=True, markup=False)
            shown.wait()
    return INTERRUPTED if run.ending.kind == "interrupted" else OK


def _drawn(loaded: scenarios.Scenario, t_end: float | None) -> tuple[Trajectory, Drawing]:
    """Return the motion of a scenario and how it is drawn. Raises InputError where it has none, or cannot be drawn."""
    start, end = loaded.start, t_end if t_end is not None else loaded.start.t_end
    if end is None:
        raise InputError(f"{loaded.name} has no motion; give an end time with --t-end.")
    run = simulate(loaded.system, start.q, start.v, t=start.t, t_end=end, **start.options)
    if loaded.drawing is not None:
        return run, loaded.drawing
    try:
        return run, drawing_of(run)
    except InputError as error:
        remedy = "In the file that is a line  drawing = gauss.bodies.Drawing(lines=[lambda q: [(0, 0), (q.x, q.y)]])"
        raise InputError(f"{error} {remedy}") from None


def _state_vector(system: System, text: str, base: Any, option: str) -> Any:
    """Return a position or velocity from "x=0,y=1" or "0,1,0". Raises InputError."""
    parts = [part.strip().rpartition("=") for part in text.split(",")]
    try:
        numbers = [float(number) for _, _, number in parts]
    except ValueError:
        raise InputError(f"{option} {text!r} is neither numbers (0,1,0) nor names with numbers (x=0,y=1).") from None
    names = [name.strip() for name, sign, _ in parts if sign]
    if not names:
        return system.vector(numbers, option)
    if len(names) < len(parts):
        raise InputError(f"{option} {text!r} mixes numbers (0,1,0) and names with numbers (x=0,y=1).")
    if repeated_in(names):
        raise InputError(f"{option} {text!r} gives {', '.join(repeated_in(names))} more than once.")
    return system.vector(dict(zip(names, numbers, strict=True)), option, base)


def _ranges(texts: list[str]) -> dict[str, tuple[float, float, int]]:
    """Return coordinates and their ranges from texts such as "x=-1:1:41". Raises InputError."""
    ranges: dict[str, tuple[float, float, int]] = {}
    for text in texts:
        name, _, rest = text.partition("=")
        try:
            low, high, count = rest.split(":")
            found = float(low), float(high), int(count)
        except ValueError:
            raise InputError(f"--over {text!r} is not of the form coordinate=from:to:count, as in x=-1:1:41.") from None
        if name.strip() in ranges:
            raise InputError(f"--over gives {name.strip()!r} more than once.")
        ranges[name.strip()] = found
    return ranges
