"""The command line: `gauss list`, `run`, `show`, `uniqueness`, `verify`, `check`, `doctor`, `animate`, `view` …"""

from __future__ import annotations

import io
import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Annotated

import typer

from gauss.errors import GaussError, InputError
from gauss.foundation import shipped
from gauss.foundation.version import __version__
from gauss.show.terminal import BAD_INPUT, CLAIM_FAILED, INTERRUPTED, complain, console, listing, plain_warnings
from gauss_command import importing

DEMO = ("chaplygin_skater", "spherical_pendulum", "leaving_the_sphere")

INSTEAD = {  # commands of other programs, and what does the same here
    **dict.fromkeys(("simulate", "solve", "start"), "run"),
    **dict.fromkeys(("ls", "scenarios"), "list"),
    "test": "verify",
    **dict.fromkeys(("classify", "singular"), "uniqueness"),
    **dict.fromkeys(("film", "movie"), "animate"),
    **dict.fromkeys(("equations", "print", "info"), "show"),
}

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Motion of constrained mechanical systems by Gauss's principle of least constraint.",
)

Out = Annotated[Path, typer.Option("--out", help="Folder for the figures.")]
Plot = Annotated[bool, typer.Option("--plot/--no-plot", help="Draw figures.")]
End = Annotated[float | None, typer.Option("--t-end", help="End time in seconds, instead of the scenario's own.")]
Method = Annotated[str, typer.Option("--method", help="dop853 (adaptive, order 8), rk4 (fixed step), taylor or auto.")]
StepSize = Annotated[float | None, typer.Option("--step", help="Step in seconds for rk4.")]
Solver = Annotated[str, typer.Option("--solver", help="osqp, kkt or cvxpy.")]
Forces = Annotated[bool, typer.Option("--forces", help="Draw the forces of joints and rows.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of tables.")]
Loops = Annotated[
    Path | None, typer.Option("--loops", help="YAML file of the loops of a URDF: closed_loop, type, name_mot.")
]
Model = Annotated[str, typer.Argument(help="Scenario name, or path of your own model file, URDF, SDF or MJCF.")]


def _commands() -> ModuleType:
    """Return what the commands do, whose import takes a second."""
    with importing():
        from gauss import commands
    return commands


@app.callback(invoke_without_command=True)
def _begin(
    context: typer.Context, version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False
) -> None:
    context.with_resource(plain_warnings())
    if version:
        typer.echo(__version__)
        raise typer.Exit


@app.command("list")
def list_scenarios(as_json: Json = False) -> None:
    """List the scenarios that ship with the package."""
    found = shipped.headings("scenarios")
    if as_json:
        rows = [{"name": s.name, "covers": list(s.covers), "title": s.title, "source": s.source} for s in found]
        typer.echo(json.dumps(rows, indent=2, ensure_ascii=False))
    else:
        shown = console()
        if not shown.is_terminal:
            shown.width = sys.maxsize  # a line for each scenario, for programs that read lines
        shown.print(listing(found))


@app.command()
def run(
    names: Annotated[
        list[str] | None, typer.Argument(help="Scenario names, or paths of your own model files, URDF, SDF or MJCF.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Run every scenario.")] = False,
    loops: Loops = None,
    out: Out = Path("figures"),
    plot: Plot = True,
    t_end: End = None,
    method: Method = "dop853",
    step: StepSize = None,
    solver: Solver = "osqp",
    save: Annotated[
        Path | None,
        typer.Option("--save", help="Write the motion to PATH.nc as it goes; of several each to PATH_NAME.nc."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the file of --save after a kill.")] = False,
    csv: Annotated[
        bool, typer.Option("--csv", help="Write the table of each motion beside the file of --save, or its figure.")
    ] = False,
    page: Annotated[
        Path | None,
        typer.Option("--report", help="Write one HTML page about all of them, PATH.html; it needs no network."),
    ] = None,
    film: Annotated[
        bool, typer.Option("--film", help="Put films into the page, of scenarios that say how they are drawn.")
    ] = False,
    jobs: Annotated[int, typer.Option("--jobs", help="Processes that share the scenarios; -1: all cores.")] = 1,
    as_json: Json = False,
) -> None:
    """Run scenarios: motion, certificate, cross-check, claims, figure. Exit status 1 if a claim fails.

    One that fails does not lose the others. Ctrl-C ends all, with what was computed and exit status 130; --resume goes
    on then, and after a kill. The JSON is an array with an element for each scenario, written when it is ready.
    """
    if bool(names) == everything:
        told = "name the scenarios to run, or pass --all" + (", not both" if names else "")
        raise InputError(f"{told} (`gauss list` shows them).")
    wanted = shipped.names("scenarios") if everything else list(names or [])
    if resume and (save is None or method == "auto"):
        raise InputError("--resume goes on from the file of --save PATH.nc, with any --method but auto.")
    motions = _commands().MotionFiles(save, resume, csv, out, several=len(wanted) > 1)
    options = {"t_end": t_end, "method": method, "step": step, "solver": solver, "loops": loops, "jobs": jobs}
    if film and page is None:
        raise InputError("--film puts films into the page of --report PATH.html; `gauss animate` makes one alone.")
    told = _commands().Reporting(page, film)
    raise typer.Exit(_commands().run_all(wanted, out if plot else None, as_json, motions, told, **options))


@app.command()
def demo(out: Out = Path("figures"), as_json: Json = False) -> None:
    """Run three scenarios and draw their figures."""
    raise typer.Exit(_commands().run_all(list(DEMO), out, as_json))


@app.command()
def show(
    name: Model,
    latex: Annotated[bool, typer.Option("--latex", help="Print T, V and the equations of motion as LaTeX.")] = False,
    loops: Loops = None,
) -> None:
    """Show a model as formulas: coordinates, M, f and the constraint rows."""
    _commands().show(name, latex, loops)


@app.command()
def uniqueness(
    name: Model,
    q: Annotated[str | None, typer.Option("--q", help="Position: x=0,y=1 (others as in the model), or 0,1,0.")] = None,
    v: Annotated[str | None, typer.Option("--v", help="Velocity, in the same form; rest where --q is given.")] = None,
    t: Annotated[float | None, typer.Option("--t", help="Time in seconds.")] = None,
    length: Annotated[float | None, typer.Option("--length", help="Length of the system, in its unit.")] = None,
    loops: Loops = None,
    as_json: Json = False,
) -> None:
    """Say what is unique at a state, and why: verdict, singular values, dependent rows, all accelerations.

    Where contacts with friction are closed, the accelerations are those of Coulomb's law, with ranges of forces.
    """
    _commands().uniqueness(name, q, v, t, length, loops, as_json)


@app.command()
def verify(
    name: Annotated[str, typer.Argument(help="Name of a scenario or of a source, or path of your own model file.")],
    states: Annotated[int | None, typer.Option("--states", help="Random states for each statement; 60.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the random states.")] = 0,
    as_json: Json = False,
) -> None:
    """Test printed equations, integrals and matrices; name the mend of a wrong one. Exit status 1 if one is."""
    raise typer.Exit(_commands().verify(name, states, seed, as_json))


@app.command()
def check(
    file: Annotated[
        Path, typer.Argument(help="File FILE.npz with M, f, J, a, forces, …: the arguments of gauss.check.")
    ],
    strict: Annotated[bool, typer.Option("--strict", help="Exit status 1 if a state is not decided, too.")] = False,
    as_json: Json = False,
) -> None:
    """Judge accelerations and forces that another program recorded. Exit status 1 if a claim fails.

    States that are not decided are counted beside that; with --strict they fail, too.

    Arrays have an axis of states in front: M (N, n, n), f and a (N, n), J (N, m, n), forces, gamma, gap (N, m) …
    """
    raise typer.Exit(_commands().check(file, strict, as_json))


@app.command()
def doctor(
    name: Annotated[
        str, typer.Argument(metavar="FILE", help="URDF, SDF, MJCF, or a scenario or model file of bodies.")
    ],
    loops: Loops = None,
    base: Annotated[str | None, typer.Option("--base", help="Base of a URDF: fixed (if left out) or free.")] = None,
    packages: Annotated[
        list[str] | None,
        typer.Option("--packages", help="Folder of ROS packages, or name=folder for one; several allowed."),
    ] = None,
    actuated: Annotated[
        str | None, typer.Option("--actuated", help="Joints of a URDF or SDF with motors, hip,knee, or all.")
    ] = None,
    values: Annotated[
        list[str] | None, typer.Option("--set", help="Value of a joint in rad or m, knee=0.3; several allowed.")
    ] = None,
    sweep: Annotated[bool, typer.Option("--sweep/--no-sweep", help="Look along the ranges of the motors.")] = True,
    picture: Annotated[Path | None, typer.Option("--picture", help="File for a picture with the findings.")] = None,
    write: Annotated[Path | None, typer.Option("--write", help="File for the MJCF with the remedies.")] = None,
    as_json: Json = False,
) -> None:
    """Say what is held twice, open, undetermined or singular in a robot or mechanism. Exit status 1 if anything is.

    What --set names keeps its value while loops close. Joints that it does not name have the values of the file's home
    pose, or of the scenario's start; those that follow others go with these.
    """
    raise typer.Exit(
        _commands().doctor(name, loops, base, packages or [], actuated, values or [], sweep, picture, write, as_json)
    )


@app.command()
def exercise(
    name: Annotated[
        str | None, typer.Argument(help="Name of an exercise, or path of your own; none lists them.")
    ] = None,
    answer: Annotated[
        list[str] | None,
        typer.Option("--answer", help='An answer: "T = …", "equation of phi: … = 0"; several allowed.'),
    ] = None,
    file: Annotated[Path | None, typer.Option("--file", help="File of answers, one a line.")] = None,
    question: Annotated[str | None, typer.Option("--question", help="This question only: T, equation of phi.")] = None,
    hint: Annotated[int, typer.Option("--hint", count=True, help="Show a hint; twice for two.")] = 0,
    solution: Annotated[bool, typer.Option("--solution", help="Show the worked answers.")] = False,
    as_json: Json = False,
) -> None:
    """Work out energies, equations, equilibria, and learn which term is wrong. Exit status 1 if an answer is wrong.

    Without an answer it asks at the terminal, or takes those of a pipe, one a line. An answer that cannot be read gives
    exit status 2.
    """
    if name is not None:
        arguments = (name, answer or [], file, question, hint, solution, as_json)
        raise typer.Exit(_commands().exercise(*arguments))
    found = shipped.headings("exercises")
    if as_json:
        rows = [{"name": s.name, "title": s.title, "source": s.source} for s in found]
        typer.echo(json.dumps(rows, indent=2, ensure_ascii=False))
    else:
        console().print(listing(found))


@app.command()
def atlas(
    name: Model,
    over: Annotated[
        list[str] | None,
        typer.Option("--over", help="Coordinate to scan, x=-1:1:41; up to two."),
    ] = None,
    loops: Loops = None,
    t_end: End = None,
    out: Out = Path("figures"),
    as_json: Json = False,
) -> None:
    """Scan a grid of positions, or the motion, and draw the map of verdicts and smallest singular values."""
    _commands().atlas(name, over, loops, t_end, out, as_json)


@app.command()
def animate(
    name: Model,
    loops: Loops = None,
    t_end: End = None,
    speed: Annotated[float | None, typer.Option("--speed", help="Seconds of the motion in one of the film.")] = None,
    rate: Annotated[float | None, typer.Option("--rate", help="Frames per second; 25.")] = None,
    kind: Annotated[str, typer.Option("--format", help="gif, or mp4 (needs the program ffmpeg).")] = "gif",
    out: Out = Path("figures"),
    forces: Forces = False,
) -> None:
    """Make a film of the motion of a scenario."""
    raise typer.Exit(_commands().animate(name, loops, t_end, speed, rate, kind, out, forces))


@app.command()
def view(
    name: Model,
    loops: Loops = None,
    t_end: End = None,
    speed: Annotated[float | None, typer.Option("--speed", help="Seconds of the motion in one second.")] = None,
    port: Annotated[int | None, typer.Option("--port", help="Port of the page, instead of 8080 or a free one.")] = None,
    page: Annotated[
        Path | None, typer.Option("--html", help="File to write the motion to, a page that plays without a server.")
    ] = None,
    forces: Forces = False,
) -> None:
    """Show the motion of a scenario in the browser until Ctrl-C; needs the package viser."""
    raise typer.Exit(_commands().view(name, loops, t_end, speed, port, page, forces))


@app.command()
def sweep(
    name: Model,
    values: Annotated[list[str], typer.Option("--set", help="Values: l=0.5:2:200 (from:to:count), or m=1,2,3.")],
    measure: Annotated[
        list[str] | None, typer.Option("--measure", help="Function of the file that is asked of each motion.")
    ] = None,
    times: Annotated[
        str | None, typer.Option("--times", help="Times of the coordinates, 0:10:101 or 0,1,2, in seconds.")
    ] = None,
    samples: Annotated[
        bool, typer.Option("--samples", help="Take the values of all --set together, one by one: no grid.")
    ] = False,
    t_end: End = None,
    rtol: Annotated[
        float | None, typer.Option("--rtol", help="Relative tolerance of the steps, instead of the start's own.")
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", help="Processes that share the points; -1: all cores.")] = 1,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Table: .zarr (written as it goes, and resumed), or .nc or .csv at the end."),
    ] = None,
    retry: Annotated[str, typer.Option("--retry", help="failed: compute those points once more; none.")] = "none",
    portion: Annotated[
        int | None, typer.Option("--portion", help="Points that are computed and written together.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Follow a motion for each point of a grid of values, and measure it.

    The file has system and start, or build(values …) and start; and measure(run) or measures = {name: function}. A
    .zarr file that is there goes on with what is missing. Exit status 1 if a point has no complete motion.
    """
    options = {"jobs": jobs, "retry": retry, "portion": portion}
    options |= {name: x for name, x in (("t_end", t_end), ("rtol", rtol)) if x is not None}
    raise typer.Exit(_commands().run_study(name, values, measure, times, out, as_json, samples, **options))


def main(path: str | None = None) -> None:
    """Run the command line; with the path of a scenario file, do what `gauss run PATH` does (further options apply).

    >>> import gauss as g
    >>> g.main("my_scenario.py")  # doctest: +SKIP
    """
    arguments = sys.argv[1:] if path is None else ["run", path, *sys.argv[1:]]
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # what the terminal cannot show ends nothing
    meant = INSTEAD.get(arguments[0] if arguments else "", "")
    if meant:
        complain("gauss", f"there is no command {arguments[0]!r}; `gauss {meant}` does that.")
        sys.exit(BAD_INPUT)
    try:
        try:
            app(args=arguments, prog_name="gauss", standalone_mode=True)
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except GaussError as error:
        complain(type(error).__name__, str(error))
        sys.exit(BAD_INPUT)
    except OSError as error:
        sys.exit(_unwritten(error))
    except KeyboardInterrupt:  # once more, while the first one was dealt with
        sys.exit(INTERRUPTED)


def _unwritten(error: OSError) -> int:
    """Say that standard output cannot be written, or what else the system refuses; return the exit status."""
    if sys.stdout is not None:
        with suppress(OSError, ValueError):  # what is left in its buffer is not tried again when Python ends
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if not isinstance(error, BrokenPipeError):  # nobody reads any more
        with suppress(OSError):
            complain(str(error.filename or "standard output"), f"{error.strerror or error}.")
    return CLAIM_FAILED
