"""The command line: `gauss list`, `run`, `show`, `uniqueness`, `verify`, `atlas`, `animate`, `view`, `demo`."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from gauss import scenario as scenarios
from gauss import sources
from gauss.analysis.atlas import atlas_along, atlas_over
from gauss.bodies import Drawing
from gauss.dynamics import classify
from gauss.errors import GaussError, InputError
from gauss.foundation.arrays import repeated_in
from gauss.foundation.version import __version__
from gauss.model import System
from gauss.motion import Trajectory, simulate
from gauss.show.atlas import atlas_data, bar, save_atlas
from gauss.show.batch import BAD_INPUT, CLAIM_FAILED, INTERRUPTED, OK, run_all
from gauss.show.film import viewer
from gauss.show.film.animate import RATE
from gauss.show.film.animate import animate as film
from gauss.show.report import complain, console, listing
from gauss.show.verdict import verdict_data, verdict_page
from gauss.sources.equations import COUNT
from gauss.sympy import to_sympy

DEMO = ("chaplygin_skater", "spherical_pendulum", "leaving_the_sphere")

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Motion of constrained mechanical systems by Gauss's principle of least constraint.",
)

Out = Annotated[Path, typer.Option("--out", help="Folder for the figures.")]
Plot = Annotated[bool, typer.Option("--plot/--no-plot", help="Draw figures.")]
End = Annotated[float | None, typer.Option("--t-end", help="End time in seconds, instead of the scenario's own.")]
Method = Annotated[str, typer.Option("--method", help="dop853 (adaptive, order 8) or rk4 (fixed step).")]
StepSize = Annotated[float | None, typer.Option("--step", help="Step in seconds for rk4.")]
Solver = Annotated[str, typer.Option("--solver", help="osqp, kkt or cvxpy.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of tables.")]
Model = Annotated[str, typer.Argument(help="Scenario name, or path of your own model file.")]
SCANNED = 401  # states of a motion that an atlas looks at


@app.callback(invoke_without_command=True)
def _version(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    if version:
        typer.echo(__version__)
        raise typer.Exit


@app.command("list")
def list_scenarios(as_json: Json = False) -> None:
    """List the scenarios that ship with the package."""
    loaded = [scenarios.load(name) for name in scenarios.names()]
    if as_json:
        rows = [{"name": s.name, "covers": list(s.covers), "title": s.title, "source": s.source} for s in loaded]
        typer.echo(json.dumps(rows, indent=2, ensure_ascii=False))
    else:
        shown = console()
        if not shown.is_terminal:
            shown.width = sys.maxsize  # a line for each scenario, for programs that read lines
        shown.print(listing(loaded))


@app.command()
def run(
    names: Annotated[list[str] | None, typer.Argument(help="Scenario names, or paths of your own model files.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Run every scenario.")] = False,
    out: Out = Path("figures"),
    plot: Plot = True,
    t_end: End = None,
    method: Method = "dop853",
    step: StepSize = None,
    solver: Solver = "osqp",
    csv: Annotated[bool, typer.Option("--csv", help="Write the table of each motion beside its figure.")] = False,
    save: Annotated[bool, typer.Option("--save", help="Write each motion as NetCDF beside its figure.")] = False,
    as_json: Json = False,
) -> None:
    """Run scenarios: motion, certificate, cross-check, claims, figure. Exit status 1 if a claim fails.

    One that fails does not lose the others. Ctrl-C ends all, with what was computed and exit status 130. The JSON is an
    array with an element for each scenario, written when it is ready.
    """
    if bool(names) == everything:
        raise InputError("name the scenarios to run, or pass --all (`gauss list` shows them).")
    wanted = scenarios.names() if everything else list(names or [])
    endings = [ending for ending, asked in ((".csv", csv), (".nc", save)) if asked]
    options = {"t_end": t_end, "method": method, "step": step, "solver": solver}
    raise typer.Exit(run_all(wanted, out if plot else None, as_json, out, endings, **options))


@app.command()
def demo(out: Out = Path("figures"), as_json: Json = False) -> None:
    """Run three scenarios and draw their figures."""
    raise typer.Exit(run_all(list(DEMO), out, as_json))


@app.command()
def show(
    name: Model,
    latex: Annotated[bool, typer.Option("--latex", help="Print the equations of motion as LaTeX.")] = False,
) -> None:
    """Show a model as formulas: coordinates, M, f and the constraint rows."""
    from gauss.show.formulas import show_model  # late: SymPy is needed here only

    if latex:
        typer.echo(to_sympy(scenarios.load(name).system).latex())
        return
    console().print(show_model(scenarios.load(name)))


@app.command()
def uniqueness(
    name: Model,
    q: Annotated[str | None, typer.Option("--q", help="Position: x=0,y=1 (others as in the model), or 0,1,0.")] = None,
    v: Annotated[str | None, typer.Option("--v", help="Velocity, in the same form; rest where --q is given.")] = None,
    t: Annotated[float | None, typer.Option("--t", help="Time in seconds.")] = None,
    length: Annotated[float | None, typer.Option("--length", help="Length of the system, in its unit.")] = None,
    as_json: Json = False,
) -> None:
    """Say what is unique at a state, and why: verdict, singular values, dependent rows, all accelerations.

    Where contacts with friction are closed, the accelerations are those of Coulomb's law, with ranges of forces.
    """
    loaded = scenarios.load(name)
    system, start = loaded.system, loaded.start
    base = system.state(start.q, start.v, start.t)
    position = base.q if q is None else _state_vector(system, q, base.q, "--q")
    resting = np.zeros(system.n) if q is not None else base.v
    velocity = resting if v is None else _state_vector(system, v, np.zeros(system.n), "--v")
    time = base.t if t is None else t
    controls = start.control(time, position, velocity) if callable(start.control) else start.control
    found = classify(system, position, velocity, time, u=controls, length=length)
    if as_json:
        typer.echo(json.dumps({"name": loaded.name, **verdict_data(found)}, indent=2, ensure_ascii=False))
    else:
        console().print(verdict_page(found, f"{loaded.title}: what is unique here"))


@app.command()
def verify(
    name: Annotated[str, typer.Argument(help="Name of a scenario or of a source, or path of your own model file.")],
    states: Annotated[int, typer.Option("--states", help="Random admissible states for each statement.")] = COUNT,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the random states.")] = 0,
    as_json: Json = False,
) -> None:
    """Test printed equations, integrals and matrices; name the mend of a wrong one. Exit status 1 if one is."""
    from gauss.show.equations import equations_data, equations_page  # late: SymPy is needed here only

    loaded = sources.load(name)
    found = [entry for printed in loaded.equations for entry in sources.verify(printed, count=states, seed=seed)]
    if as_json:
        typer.echo(json.dumps({"name": loaded.name, **equations_data(found)}, indent=2, ensure_ascii=False))
    else:
        console().print(equations_page(found, loaded.title))
    raise typer.Exit(OK if all(entry.settled for entry in found) else CLAIM_FAILED)


@app.command()
def atlas(
    name: Model,
    over: Annotated[
        list[str] | None,
        typer.Option("--over", help="Coordinate to scan, x=-1:1:41; up to two."),
    ] = None,
    t_end: End = None,
    out: Out = Path("figures"),
    as_json: Json = False,
) -> None:
    """Scan a grid of positions, or the motion, and draw the map of verdicts and smallest singular values."""
    loaded = scenarios.load(name)
    system, start = loaded.system, loaded.start
    end = t_end if t_end is not None else start.t_end
    if over:
        ranges = _ranges(over)
        with bar(f"atlas of {loaded.name}", as_json) as report:
            found = atlas_over(system, start.q, ranges, start.v, start.t, report=report)
    elif end is not None:
        run = simulate(system, start.q, start.v, t=start.t, t_end=end, **_options(start), progress="none")
        with bar(f"atlas of {loaded.name}", as_json) as report:
            found = atlas_along(run.at(np.linspace(run.t[0], run.t[-1], SCANNED)), report=report)
    else:
        raise InputError(f"{loaded.name} has no motion to scan; name coordinates, as in --over x=-1:1:41.")
    path = save_atlas(found, out, loaded.name)
    if as_json:
        typer.echo(json.dumps(atlas_data(found, path), indent=2, ensure_ascii=False))
    else:
        console().print(f"{found}\nfigure  {path}", soft_wrap=True, markup=False)


@app.command()
def animate(
    name: Model,
    t_end: End = None,
    speed: Annotated[float | None, typer.Option("--speed", help="Seconds of the motion in one of the film.")] = None,
    rate: Annotated[float, typer.Option("--rate", help="Frames per second.")] = RATE,
    kind: Annotated[str, typer.Option("--format", help="gif, or mp4 (needs the program ffmpeg).")] = "gif",
    out: Out = Path("figures"),
) -> None:
    """Make a film of the motion of a scenario that says how it is drawn."""
    loaded = scenarios.load(name)
    run, drawing = _drawn(loaded, t_end)
    path = film(run, drawing, out / f"{loaded.name}.{kind}", speed=speed, rate=rate)
    console().print(f"film  {path}", soft_wrap=True, markup=False)
    raise typer.Exit(INTERRUPTED if run.ending.kind == "interrupted" else OK)


@app.command()
def view(
    name: Model,
    t_end: End = None,
    speed: Annotated[float | None, typer.Option("--speed", help="Seconds of the motion in one second.")] = None,
    port: Annotated[int | None, typer.Option("--port", help="Port of the page, instead of 8080 or a free one.")] = None,
) -> None:
    """Show the motion of a scenario in the browser until Ctrl-C; needs the package viser."""
    viewer.require_viser()
    run, drawing = _drawn(scenarios.load(name), t_end)
    with viewer.view(run, drawing, speed=speed, port=port) as shown:
        console().print(f"view  {shown.url}  (Ctrl-C ends it)", soft_wrap=True, markup=False)
        shown.wait()
    raise typer.Exit(INTERRUPTED if run.ending.kind == "interrupted" else OK)


def _drawn(loaded: scenarios.Scenario, t_end: float | None) -> tuple[Trajectory, Drawing]:
    """Return the motion of a scenario and how it is drawn. Raises InputError where it has none."""
    start, end = loaded.start, t_end if t_end is not None else loaded.start.t_end
    if loaded.drawing is None:
        raise InputError(f"{loaded.name} does not say how it is drawn; give its file a gauss.bodies.Drawing `drawing`.")
    if end is None:
        raise InputError(f"{loaded.name} has no motion; give an end time with --t-end.")
    run = simulate(loaded.system, start.q, start.v, t=start.t, t_end=end, events=start.events, **_options(start))
    return run, loaded.drawing


def _options(start: scenarios.Start) -> dict[str, Any]:
    """Return how a scenario's motion is integrated, for `simulate`."""
    names = ("rtol", "atol", "max_step", "control", "impacts", "paradox", "allow_energy_gain")
    return {name: getattr(start, name) for name in names}


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


def main(path: str | None = None) -> None:
    """Run the command line; with the path of a scenario file, do what `gauss run PATH` does (further options apply).

    >>> import gauss as g
    >>> g.main("my_scenario.py")  # doctest: +SKIP
    """
    arguments = sys.argv[1:] if path is None else ["run", path, *sys.argv[1:]]
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # what the terminal cannot show ends nothing
    try:
        app(args=arguments, prog_name="gauss", standalone_mode=True)
    except GaussError as error:
        complain(type(error).__name__, str(error))
        sys.exit(BAD_INPUT)
    except KeyboardInterrupt:  # once more, while the first one was dealt with
        sys.exit(INTERRUPTED)
