"""Reports: one HTML file that needs nothing else, no network either, with all that a run has shown.

It has the figure, the verdict at the start, the motion, the claims, the equations, the settings, the versions, and how
to compute it again.
"""

from __future__ import annotations

import platform
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory

from gauss.bodies import Drawing, Mechanism
from gauss.dynamics import classify
from gauss.foundation import storage
from gauss.foundation.version import __version__
from gauss.motion import Trajectory
from gauss.outcome import Outcome
from gauss.show.film.animate import animate
from gauss.show.notebook.analyses import claims_card, missing, outcome_colour
from gauss.show.notebook.cards import card
from gauss.show.notebook.curves import curves
from gauss.show.notebook.markup import (
    STYLE,
    Markup,
    element,
    escaped,
    facts,
    folded,
    joined,
    light,
    number,
    table,
)
from gauss.show.notebook.motions import colour_of, greatest_forces, motion_card
from gauss.show.report import failure, motion_lines

ENDINGS = (".html", ".htm")
PACKAGES = ("numpy", "scipy", "casadi", "osqp", "daqp", "clarabel", "python-flint")  # whose versions are told
PAGE = """
:root {color-scheme: light dark}
body {margin: 2em auto; max-width: 62em; padding: 0 1.2em; background: Canvas; color: CanvasText}
.gauss {max-width: none}
.gauss h1 {font-size: 1.6em; margin: .2em 0}
.gauss h2 {font-size: 1.35em; margin: 1.6em 0 .2em}
.gauss h3 {font-size: 1.12em; margin: 1.4em 0 .3em; padding-bottom: .15em; border-bottom: 2px solid #0072B2}
.gauss img {max-width: 100%; height: auto; background: #fff}
.gauss pre.source {border: 1px solid rgba(128,128,128,.4); padding: .7em; overflow-x: auto; white-space: pre}
.gauss a {color: inherit}
.gauss footer {margin-top: 2.5em; font-size: .9em; opacity: .72}
""".strip()


@dataclass(frozen=True)
class RunSection:
    """What a page says of one run."""

    title: str
    colour: str  # of its light
    status: str  # in a few words
    body: Markup


def outcome_section(
    outcome: Outcome, figure: Path | None = None, film: Path | None = None, command: str = ""
) -> RunSection:
    """Return what a page says of a scenario that has run; `figure` is a PNG file, `film` a GIF file, both read now."""
    s, run = outcome.scenario, outcome.run
    origin = " · ".join(part for part in (", ".join(s.covers), s.source, s.name) if part)
    parts = [element("p", origin, class_="dim"), *_paragraphs(s.text), *missing(outcome)]
    parts += [_picture(figure, "image/png", f"figure of {s.title}")] if figure is not None else []
    parts += [_picture(film, "image/gif", f"film of {s.title}")] if film is not None else []
    parts += [element("h3", "What is unique at the start"), card(outcome.first)]
    if run is not None:
        parts += [element("h3", "Motion"), curves(run), facts(motion_lines(outcome))]
    parts += [element("h3", "Claims"), claims_card(outcome.claims)] if outcome.claims else []
    parts += [element("h3", "Model"), card(s.system)]
    if run is not None:
        parts += [element("h3", "Settings"), settings(run)]
    parts += [element("h3", "To compute it again"), element("pre", command, class_="source")]
    parts.append(_source(s.path))
    status = f"all {len(outcome.claims)} claims hold" if outcome.passed else failure(outcome)
    return RunSection(s.title, outcome_colour(outcome), f"{status}, {outcome.seconds:.2f} s", joined(parts))


def motion_section(
    run: Trajectory, source: Path | None = None, film: Path | None = None, degrees: bool = False
) -> RunSection:
    """Return what a page says of a motion: of one from a file without its model no verdict and no equations."""
    shown = [] if film is None else [_picture(film, "image/gif", f"film of {run.about.system}")]
    parts = [motion_card(run, degrees), *shown, element("h3", "Settings"), settings(run)]
    if run.setting is not None and len(run):
        setting, start = run.setting, (run.q[0], run.v[0], float(run.t[0]))
        controls = setting.control(start[2], run.q[0], run.v[0]) if setting.control else dict(run.about.controls)
        first = classify(setting.system, *start, u=controls or None)
        parts = [element("h3", "What is unique at the start"), card(first), element("h3", "Motion"), *parts]
        forces, built = greatest_forces(run), setting.system.source
        parts += [element("h3", "Greatest forces"), forces] if forces else []
        parts += [element("h3", "Model"), card(built if isinstance(built, Mechanism) else setting.system)]
    parts += [] if source is None else [element("h3", "To compute it again"), _source(source)]
    return RunSection(run.about.system, colour_of(run.ending), run.ending.kind, joined(parts))


def report_motion(
    run: Trajectory,
    path: str | Path,
    source: str | Path | None = None,
    film: Drawing | bool = False,
    degrees: bool = False,
) -> Path:
    """Write the report of a motion and return its path; see `Trajectory.report`."""
    target, text = page_path(path), None if source is None else storage.as_path(source)
    if film is False:
        return write_page([motion_section(run, text, degrees=degrees)], target)
    with TemporaryDirectory() as folder:
        made = animate(run, None if film is True else film, Path(folder) / "film.gif")
        return write_page([motion_section(run, text, made, degrees)], target)


def page_path(path: str | Path) -> Path:
    """Return the path of a page that can be written. Raises FileError, InputError."""
    target = storage.as_path(path)
    storage.require_ending(target, ENDINGS, "a report is a page for a browser")
    storage.make_folder(target.parent)
    return target


def write_page(sections: Sequence[RunSection], path: Path) -> Path:
    """Write one page with all sections, which takes the place of an older one only when it is whole; return its path.

    Raises FileError.
    """
    several = len(sections) > 1
    title = f"{len(sections)} runs" if several else sections[0].title if sections else "nothing was run"
    parts: list[Markup] = []
    if several:
        links = [element("a", s.title, href=f"#run{k + 1}") for k, s in enumerate(sections)]
        rows = [(light(s.colour, s.status), link, s.status) for s, link in zip(sections, links, strict=True)]
        parts = [element("h1", title), table(("", "run", ""), rows)]
    for k, s in enumerate(sections):
        head = element("h2" if several else "h1", light(s.colour, s.status), " ", s.title)
        status = element("p", s.status)
        parts.append(element("section", head, status, s.body, id=f"run{k + 1}"))
    parts.append(element("footer", f"Written {datetime.now():%Y-%m-%d %H:%M} with {versions()}."))
    text = (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escaped(title)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>\n{STYLE}\n{PAGE}\n</style></head>'
        f'<body><main class="gauss">{joined(parts)}</main></body></html>\n'
    )
    with storage.replaced(path) as part:
        part.write_text(text, encoding="utf-8")
    return path


def film_of(outcome: Outcome, folder: Path) -> Path | None:
    """Return a GIF film of a scenario's motion, in a folder; None without motion or drawing. Raises FileError."""
    s, run = outcome.scenario, outcome.run
    return None if run is None or s.drawing is None else animate(run, s.drawing, folder / f"{s.name}.gif")


def settings(run: Trajectory) -> Markup:
    """Return how a motion was computed, from where."""
    about = run.about
    lines: list[tuple[object, object]] = [("method", about.method), ("solver", about.solver)]
    lines.append(("step", f"{number(about.step)} s") if about.step else ("relative tolerance", f"{about.rtol:g}"))
    constants = {} if about.feedback else about.controls
    for word, values in (("parameters", about.parameters), ("controls", constants)):
        if values:
            lines.append((word, ", ".join(f"{name} = {number(x)}" for name, x in values.items())))
    if about.feedback:
        how = f"sampled each {number(about.sampled)} s and held" if about.sampled else "functions of time and state"
        lines.append(("controls", f"{', '.join(about.controls)}: {how}"))
    for word, states in (("position", run.q[:1]), ("velocity", run.v[:1])):
        for state in states.tolist():  # of the start, with all digits
            text = ", ".join(f"{name} = {x!r}" for name, x in zip(about.coordinates, state, strict=True))
            lines.append((f"{word} at {number(float(run.t[0]))} s", text))
    return facts(lines)


def versions() -> str:
    """Return the versions of the package and of what it computes with."""
    found = []
    for name in PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    system = f"{platform.system()} {platform.machine()}"
    return f"gauss {__version__}, Python {platform.python_version()}, {', '.join(found)}, on {system}"


def _paragraphs(text: str) -> list[Markup]:
    """Return a docstring in paragraphs; lists and formulas, whose lines are indented, as they are."""
    blocks = [block for block in text.split("\n\n") if block.strip()]
    kept = [any(line.startswith((" ", "*", "-")) for line in block.splitlines()) for block in blocks]
    return [element("pre" if as_is else "p", block.strip("\n")) for block, as_is in zip(blocks, kept, strict=True)]


def _picture(path: Path, kind: str, words: str) -> Markup:
    data = b64encode(path.read_bytes()).decode()
    return element("p", Markup(f'<img alt="{escaped(words)}" src="data:{kind};base64,{data}">'))


def _source(path: Path) -> Markup:
    text = storage.content_of(path).decode("utf-8", errors="replace")
    return folded(f"the file {path.name}", element("pre", text, class_="source"))
