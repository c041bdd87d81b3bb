"""The gallery: a page for each scenario, written from its file, with the figure and the claims of its run."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from typing import Any

import drawn
from api import toctree, write_changed
from loky import get_reusable_executor
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util import logging
from sphinx.util.display import status_iterator

from gauss.foundation import shipped
from gauss.scenario import find, names

FOLDER = drawn.ROOT / "docs" / "gallery"
QUICK = ("chaplygin_skater", "cone_apex", "dry_pin_pendulum", "inverted_pendulum", "sliding_block", "woodpecker")
PARTS = {
    "Pendulums, particles and springs": """mathematical_pendulum spherical_pendulum elastic_pendulum inverted_pendulum
        furuta_pendulum chain chain_on_table kepler_orbit pursuit charged_ball torus_flow three_cases""",
    "Rolling and skating": """rolling_wheel rolling_ball ball_on_turntable ball_between_plates tilted_disc bicycle
        vehicles towed_wheel chaplygin_skater chaplygin_sleigh boltzmann_hamel_cart brockett_integrator rattleback
        skateboard_edge""",
    "Tops and rigid bodies": """free_body lagrange_top heavy_top space_robot rotating_panes pendulum_in_a_ball
        pendulums_in_a_ball top_in_a_ball constraint_in_a_ball""",
    "Linkages and machines": """four_bar_motor slider_crank slider_crank_clearance spatial_slider_crank
        andrews_squeezer flyball_governor bricard two_link_manipulator door_on_three_hinges duplicated_joint""",
    "Robots and control": """balancing_robot rover leg_with_four_bar_knee arm_with_gripper ball_and_beam ballbot
        ballbot_in_space hopping_leg""",
    "Contacts, friction and impacts": """sliding_block dry_pin_pendulum woodpecker bouncing_ball newtons_cradle
        billiard_ball slip_to_roll rocking_block box_tipping ladder stack_of_boxes funnel_of_discs adhesion
        slack_string leaving_the_sphere touching_surfaces painleve_rod jammed_wedge table_on_four_legs""",
    "Where the answer is not unique": """cone_apex cone_force_off_axis four_bar_chain locked_bars cusp
        whitney_umbrella non_unique_motion nortons_dome finite_time_escape regular_uniqueness""",
    "Problems of the calculus of variations": "brachistochrone catenary dido geodesics_on_sphere shortest_lines",
}
log = logging.getLogger(__name__)


def parts() -> dict[str, list[str]]:
    """Return the scenarios by part. Raises ExtensionError for one that stands in no part, or that does not exist."""
    found = {part: text.split() for part, text in PARTS.items()}
    listed = [name for part in found.values() for name in part]
    wrong = sorted({*listed} ^ {*names()})
    if wrong or len(listed) != len({*listed}):
        raise ExtensionError(f"docs/_extension/gallery.py: PARTS must name each scenario once; look at {wrong}.")
    return found


def computed(app: Sphinx) -> dict[str, dict[str, Any]]:
    """Return what is drawn of each scenario: all of them, or in a quick build a sample and what is stored."""
    found = {name: stored for name in names() if (stored := drawn.stored(name)) is not None}
    missing = [name for name in (QUICK if app.tags.has("quick") else names()) if name not in found]
    if not missing:
        return found
    pool = get_reusable_executor(max_workers=os.cpu_count())
    tasks = {name: pool.submit(drawn.draw, name) for name in missing}
    for name in status_iterator(missing, "drawing the gallery... ", "brown", len(missing), app.verbosity):
        found[name] = tasks[name].result()
    pool.shutdown()
    return found


def page(name: str, found: dict[str, Any] | None) -> str:
    """Return the page of a scenario."""
    title, text = described(name)
    lines = [f"# {title.partition(': ')[0]}", ""]
    lines += [f"**{safe(title)}.**", ""] if ": " in title else []
    if found is None:
        lines += [f"`gauss run {name}` draws its figure, which this quick build leaves out.", ""]
    elif found["figure"]:
        lines += [f"```{{image}} drawn/{name}.png", f":alt: {title}", ":width: 640px", "```", ""]
    lines += [safe(text), ""]
    if found is not None and found["formulas"]:
        lines += ["## Formulas", "", r"$$\begin{aligned}", " \\\\\n".join(found["formulas"]), r"\end{aligned}$$", ""]
    if found is not None and found["film"]:
        lines += ["## Film", "", f"```{{image}} drawn/{name}.gif", f":alt: film of {name}", "```", ""]
    if found is not None and found["claims"]:
        lines += ["## What was checked", "", f"Verdict at the start: *{found['verdict']}*.", ""]
        lines += ["| claim | error | bound | |", "|---|---|---|---|"]
        for claim, error, bound, holds in found["claims"]:
            lines.append(f"| {safe(claim).replace('|', chr(92) + '|')} | {error} | {bound} | {'✓' if holds else '✗'} |")
        lines.append("")
    lines += ["## Code", "", "```sh", f"gauss run {name}        # the motion, its checks and its figure"]
    lines += [f"gauss show {name}       # the model as formulas", "```", ""]
    return "\n".join([*lines, f"```{{literalinclude}} ../../scenarios/{name}.py", ":language: python", "```", ""])


def safe(text: str) -> str:
    """Return a docstring with the signs escaped that Markdown would take for emphasis or formulas."""
    return re.sub(r"(?<!^)(?<!\n)([*$<])", r"\\\1", text)


def described(name: str) -> tuple[str, str]:
    """Return the title and the text of a scenario, without running it."""
    code = find(name).read_text(encoding="utf-8")
    return shipped.titled(code.split('"""')[1])


def index(found: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Return the lines of the first page: cards by part."""
    yield from ["# Gallery", ""]
    yield from [
        f"{len(names())} scenarios ship with the package. Each is a file to copy, and runs by `gauss run NAME`.",
        "",
    ]
    for part, some in parts().items():
        yield from [f"## {part}", "", "::::{grid} 1 2 3 3", ":gutter: 2", ""]
        for name in some:
            yield from [f":::{{grid-item-card}} {name.replace('_', ' ')}", f":link: {name}", ":link-type: doc"]
            yield ":class-card: gallery-card"
            if name in found and found[name]["figure"]:
                yield f":img-top: drawn/{name}.png"
            yield from ["", described(name)[0].partition(":")[2].strip() or described(name)[0], ":::"]
        yield from ["::::", "", toctree(some), ""]


def write(app: Sphinx) -> None:
    """Write the pages of the gallery."""
    found = computed(app)
    (FOLDER / "drawn").mkdir(parents=True, exist_ok=True)
    for name in found:
        for kind in ("figure", "film"):
            ending = {"figure": "png", "film": "gif"}[kind]
            if found[name][kind]:
                shutil.copyfile(drawn.KEPT / f"{name}.{ending}", FOLDER / "drawn" / f"{name}.{ending}")
    for name in names():
        write_changed(FOLDER / f"{name}.md", page(name, found.get(name)))
    write_changed(FOLDER / "index.md", "\n".join(index(found)) + "\n")
    for path in FOLDER.glob("*.md"):
        if path.stem not in {*names(), "index"}:
            path.unlink()


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True}
