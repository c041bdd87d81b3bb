"""What the doctor found, as a page for the terminal, a card, and a picture with the findings marked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING

import numpy as np
from rich.table import Table

from gauss.bodies import Drawing
from gauss.bodies.joints.joint import Joint
from gauss.errors import InputError
from gauss.foundation import storage
from gauss.foundation.arrays import Array
from gauss.motion import Trajectory, simulate
from gauss.robots.diagnosis import Diagnosis
from gauss.robots.findings import spoken
from gauss.show.film.bodies import scene_of
from gauss.show.film.stage import DPI, Stage
from gauss.show.look import style
from gauss.show.notebook.markup import AMBER, BLUE, GREEN, RED, Markup, header, joined, table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHORT = 1e-9  # s of the motion whose first state is drawn
SIZE, BESIDE = (900, 700), 500  # pixels of the drawing, and of the words beside it
LETTERS = 74  # of a line
SPACE = 24.0  # pixels between markers
RING = 1.5  # times that space from a joint to its marker
AROUND = 12  # places on half a ring about a joint
MARGIN = 90.0  # pixels beside the box of axes, for numbers and labels


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
        width = _narrowed(stage)
        marks = _marks(found)
        points = [_in_picture(stage, *_point_of(joint, run)) for joint, *_ in marks]
        spots = apart(points, np.array([width / 2.0, SIZE[1] / 2.0]), SPACE)
        for number, ((_, colour, _), point, spot) in enumerate(zip(marks, points, spots, strict=True), 1):
            _mark(stage, str(number), colour, point, spot)
        texts = [shorten(text, LETTERS, placeholder=" …") for *_, text in marks] or ["nothing to mark"]
        lines = [found.name, *(f"{number}  {text}" if marks else text for number, text in enumerate(texts, 1))]
        stage.figure.text(width / (width + BESIDE), 0.93, "\n".join(lines), va="top", fontsize=9, linespacing=1.8)
    if path is not None:
        stage.figure.savefig(storage.as_path(path))
    return stage.figure


def _narrowed(stage: Stage) -> float:
    """Make room for words beside a drawing, and return the width (pixels) that it has itself."""
    left, right = 0.0, float(SIZE[0])
    if stage.scene.dimension == 3:
        low, high = stage.scene.middle[0] - stage.scene.half, stage.scene.middle[0] + stage.scene.half
        across = [_in_picture(stage, *corner)[0] for corner in product(*zip(low, high, strict=True))]
        left, right = min(across) - MARGIN, max(across) + MARGIN
    x, y, w, h = stage.axes.get_position().bounds
    whole = right - left + BESIDE
    stage.figure.set_size_inches(whole / DPI, SIZE[1] / DPI)
    stage.axes.set_position(((x * SIZE[0] - left) / whole, y, w * SIZE[0] / whole, h))
    return right - left


def _point_of(joint: Joint, run: Trajectory) -> list[float]:
    """Return where a joint is in the first state of a run."""
    return [float(np.asarray(x).flat[0]) for x in joint.body2.placed(run).point(joint.point2)]


def _in_picture(stage: Stage, *point: float) -> Array:
    """Return a point in pixels, (2,)."""
    if stage.scene.dimension == 3:
        from mpl_toolkits.mplot3d.proj3d import proj_transform  # type: ignore[import-untyped]

        point = proj_transform(*point, stage.axes.get_proj())
    return np.asarray(stage.axes.transData.transform([float(x) for x in point[:2]]))


def apart(points: Sequence[Array], middle: Array, space: float) -> list[Array]:
    """Return a place (2,) beside each point (2,), away from the middle, at least `space` from points and one another.

    >>> import numpy as np
    >>> from gauss.show.doctor import apart
    >>> places = apart([np.zeros(2), np.zeros(2), np.array([3.0, 0.0])], np.array([-9.0, 0.0]), 10.0)
    >>> min(float(np.linalg.norm(a - b)) for k, a in enumerate(places) for b in places[:k]) >= 10.0
    True
    """
    found = list[Array]()
    for point in points:
        way = point - middle
        towards = float(np.arctan2(way[1], way[0]))
        turns = [sign * k * np.pi / AROUND for k in range(AROUND) for sign in (1.0, -1.0)]
        ring = 1
        while True:
            places = [
                point + RING * ring * space * np.array([np.cos(towards + turn), np.sin(towards + turn)])
                for turn in turns
            ]
            taken = [*points, *found]
            free = [x for x in places if all(np.linalg.norm(x - other) >= space for other in taken)]
            if free:
                found.append(free[0])
                break
            ring += 1
    return found


def _mark(stage: Stage, text: str, colour: str, point: Array, spot: Array) -> None:
    """Draw a number in a disc at a spot, with a line to the point of a joint, both in pixels."""
    disc = {"boxstyle": "circle,pad=0.25", "fc": "white", "ec": colour, "lw": 1.4}
    line = {"arrowstyle": "-|>", "color": colour, "lw": 1.2, "shrinkB": 2.0}
    stage.axes.annotate(
        text,
        xy=tuple(point),
        xytext=tuple(spot),
        xycoords="figure pixels",
        textcoords="figure pixels",
        ha="center",
        va="center",
        color=colour,
        fontsize=9,
        weight="bold",
        bbox=disc,
        arrowprops=line,
        annotation_clip=False,
        zorder=50,
    )


def _marks(found: Diagnosis) -> list[tuple[Joint, str, str]]:
    """Return the joints that findings are about, each with a colour and a line of words."""
    joints = {joint.name: joint for joint in found.mechanism.joints if isinstance(joint, Joint)}
    said: list[tuple[str | None, str, str]] = [(x.name, RED, f"open by {x.opening}") for x in found.loops if x.is_open]
    twice: dict[str | None, int] = {}
    for each in found.dependences:
        name = next((name for name in joints if any(row.startswith(name) for row in each.own)), None)
        twice[name] = twice.get(name, 0) + 1
    said += [(name, AMBER, "held twice" if n == 1 else f"{n} times held twice") for name, n in twice.items()]
    for x in found.sweeps:
        if x.singular:
            said.append((x.joint, BLUE, f"singular at {', '.join(spoken(spot.value, 4) for spot in x.singular)}"))
    marks: dict[str, tuple[str, list[str]]] = {}
    for name, colour, text in said:
        if name in joints:
            marks.setdefault(str(name), (colour, []))[1].append(text)
    return [(joints[name], colour, f"{name}: {', '.join(texts)}") for name, (colour, texts) in marks.items()]
