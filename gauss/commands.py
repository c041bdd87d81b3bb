"""What each command of `gauss` does, once its options are read.

What one command alone needs, and takes long to import, is imported where it is needed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import typer

from gauss import scenario as scenarios
from gauss.analysis.atlas import atlas_along, atlas_over
from gauss.bodies import Drawing
from gauss.dynamics import classify
from gauss.errors import InputError
from gauss.foundation.arrays import repeated_in
from gauss.model import System
from gauss.motion import Trajectory, simulate
from gauss.show.atlas import atlas_data, bar, save_atlas
from gauss.show.batch import Reporting, run_all
from gauss.show.study import run_study
from gauss.show.terminal import CLAIM_FAILED, INTERRUPTED, OK, console
from gauss.show.verdict import verdict_data, verdict_page

__all__ = ["Reporting", "animate", "atlas", "run_all", "run_study", "show", "uniqueness", "verify", "view"]

SCANNED = 401  # states of a motion that an atlas looks at


def show(name: str, latex: bool) -> None:
    """Print a model as formulas, or the equations of motion as LaTeX."""
    from gauss.show.formulas import show_model
    from gauss.sympy import to_sympy

    if latex:
        typer.echo(to_sympy(scenarios.load(name).system).latex())
        return
    console().print(show_model(scenarios.load(name)))


def uniqueness(name: str, q: str | None, v: str | None, t: float | None, length: float | None, as_json: bool) -> None:
    """Print what is unique at a state, and why."""
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


def atlas(name: str, over: list[str] | None, t_end: float | None, out: Path, as_json: bool) -> None:
    """Draw the map of verdicts over a grid of positions, or along the motion."""
    loaded = scenarios.load(name)
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
    name: str, t_end: float | None, speed: float | None, rate: float | None, kind: str, out: Path, forces: bool
) -> int:
    """Make a film of the motion; return the exit status."""
    from gauss.show.film.animate import RATE
    from gauss.show.film.animate import animate as film

    loaded = scenarios.load(name)
    run, drawing = _drawn(loaded, t_end)
    path = out / f"{loaded.name}.{kind}"
    film(run, drawing, path, speed=speed, rate=RATE if rate is None else rate, forces=forces)
    console().print(f"film  {path}", soft_wrap=True, markup=False)
    return INTERRUPTED if run.ending.kind == "interrupted" else OK


def view(name: str, t_end: float | None, speed: float | None, port: int | None, page: Path | None, forces: bool) -> int:
    """Show the motion in the browser until Ctrl-C, or write it as a page; return the exit status."""
    from gauss.show.film import viewer

    viewer.require_viser()
    run, drawing = _drawn(scenarios.load(name), t_end)
    with viewer.view(run, drawing, speed=speed, port=port, forces=forces) as shown:
        if page is not None:
            console().print(f"page  {shown.save(page)}", soft_wrap=True, markup=False)
        else:
            console().print(f"view  {shown.url}  (Ctrl-C ends it)", soft_wrap=True, markup=False)
            shown.wait()
    return INTERRUPTED if run.ending.kind == "interrupted" else OK


def _drawn(loaded: scenarios.Scenario, t_end: float | None) -> tuple[Trajectory, Drawing | None]:
    """Return the motion of a scenario and how it is drawn, if it says so. Raises InputError where it has no motion."""
    start, end = loaded.start, t_end if t_end is not None else loaded.start.t_end
    if end is None:
        raise InputError(f"{loaded.name} has no motion; give an end time with --t-end.")
    run = simulate(loaded.system, start.q, start.v, t=start.t, t_end=end, **start.options)
    return run, loaded.drawing


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
