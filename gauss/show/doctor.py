"""What the doctor found, as a page for the terminal, a card, and a picture with the findings marked."""

from __future__ import annotations

from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np
from rich.table import Table

from gauss.bodies import Drawing
from gauss.bodies.joints.spatial_joints import Joint
from gauss.errors import InputError
from gauss.foundation import storage
from gauss.motion import simulate
from gauss.robots.diagnosis import Diagnosis
from gauss.robots.findings import CLOSED
from gauss.show.film.bodies import scene_of
from gauss.show.film.stage import Stage
from gauss.show.look import style
from gauss.show.notebook.markup import AMBER, BLUE, GREEN, RED, Markup, header, joined, table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHORT = 1e-9  # s of the motion whose first state is drawn
SIZE = (900, 700)  # pixels
LETTERS = 130  # of a line


def page(found: Diagnosis) -> Table:
    """Return the page for a terminal."""
    shown = Table.grid(padding=(0, 2))
    shown.add_column(style="bold", no_wrap=True)
    shown.add_column()
    for head, line in found.lines():
        shown.add_row(head, line)
    return shown


def card(found: Diagnosis) -> Markup:
    """Return the card for a notebook."""
    word, colour = "nothing is wrong", GREEN
    if not found.healthy:
        word, colour = ("not decided", RED) if found.closed is None else ("findings", AMBER)
    return joined([header(colour, found.name, word), table(("", ""), found.lines()[1:])])


def picture(found: Diagnosis, path: str | Path | None = None) -> Figure:
    """Return the figure of `Diagnosis.picture`."""
    if found.closed is None:
        raise InputError(f"the loops of {found.name!r} do not close, so there is no pose to draw.")
    still = np.zeros(len(found.mechanism.system.controls))
    run = simulate(found.mechanism, found.closed, t_end=SHORT, control=still.tolist() or None, progress="none")
    drawing = Drawing(found.mechanism)
    stage = Stage(scene_of(run, drawing), drawing, SIZE, 1.0)
    stage.show(0)
    stage.label.set_text("")
    with style():
        marks = _marks(found)
        numbered = list(enumerate(marks, 1))
        for joint in {id(mark[0]): mark[0] for mark in marks}.values():
            own = [(number, colour) for number, (other, colour, _) in numbered if other is joint]
            point = [float(np.asarray(x).flat[0]) for x in joint.body2.placed(run).point(joint.point2)]
            numbers, colour = ", ".join(str(number) for number, _ in own), own[0][1]
            stage.axes.plot(*([x] for x in point), marker="o", ms=14, mfc="none", mec=colour, mew=2.0, zorder=50)
            stage.axes.text(*point, f"  {numbers}", color=colour, fontsize=12, weight="bold", zorder=51)
        lines = [found.name, *(f"{number}  {text}" for number, (_, _, text) in numbered)]
        stage.figure.text(0.02, 0.98, "\n".join(fill(line, LETTERS) for line in lines), va="top", fontsize=8)
    if path is not None:
        stage.figure.savefig(storage.as_path(path))
    return stage.figure


def _marks(found: Diagnosis) -> list[tuple[Joint, str, str]]:
    """Return the joints that findings are about, with a colour and words."""
    joints = {joint.name: joint for joint in found.mechanism.joints if isinstance(joint, Joint)}
    marks = [
        (joints[x.name], RED, f"open: {x}") for x in found.loops if max(x.gap, x.turn) > CLOSED and x.name in joints
    ]
    for dependence in found.dependences:
        name = next((name for name in joints if any(row.startswith(name) for row in dependence.own)), None)
        if name is not None:
            marks.append((joints[name], AMBER, f"held twice: {dependence}"))
    marks += [(joints[x.joint], BLUE, str(x)) for x in found.sweeps if x.singular and x.joint in joints]
    return marks
