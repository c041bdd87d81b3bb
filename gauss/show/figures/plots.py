"""Figures of motions: what `plot` draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gauss.errors import InputError
from gauss.foundation.calls import advised
from gauss.model.units import ANGLES
from gauss.motion import MotionTree, Trajectory, in_place_of_a_run
from gauss.motion.record.columns import NO_ANGLE
from gauss.show.contacts import mode_intervals
from gauss.show.figures.curves import dense, value_of
from gauss.show.figures.marks import mark_places
from gauss.show.figures.over_time import Motion, draw_panels, heights_of
from gauss.show.figures.panels import Panel, default_panels, panels_of
from gauss.show.look import BLUE, COLUMN, MOST, PALETTE, PANEL, beside, curve_style, labelled, plain, style, symbol

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MARKS = ("", "o", "s", "^", "D", "v", "X")  # of motions beyond the colours
Drawable = Trajectory | MotionTree | Sequence[Trajectory] | Mapping[str, Trajectory]


@advised
def plot(run: Drawable, *names: str, over: str = "t", ax: Any = None, degrees: bool = False) -> Figure:
    """Return a figure: two names draw the second against the first; otherwise each is drawn against time.

    A first name "t" draws the others against time, in one panel for each unit; `over` names what they are drawn against
    in its place, as the angle of a crank. Names are those of ``run[name]``; a vector is drawn as its components and its
    size. Without names the values of the joints of a mechanism, the torques of its drives and the sizes of the forces
    in joints are drawn, else all coordinates and the multipliers of the rows, and the contacts with friction, as far as
    there are any; what is zero but for rounding, with all of its unit, is named in the legend alone. Several motions, a
    list or a dict by label, are drawn in one figure, and so are all motions of a `MotionTree`. With `degrees` angles
    are in degrees. `ax` are matplotlib axes to draw into, one or one for each panel; their figure is returned.

    Forces that are not determined are pale and named so: the line is one choice of many, of which
    `gauss.show.reaction_bands` draws all. The motion is drawn with its dense output where the model is known. Where a
    curve oscillates faster than the pixels of a figure show, the band between its least and greatest values is drawn.
    A curve that changes by less than a millionth of itself is drawn at its value, with how far it changes. Events are
    marked at the top.

    Raises InputError for anything but motions, unknown names, and axes that are fewer than the panels.

    >>> import gauss as g
    >>> pendulum = g.System(
    ...     "pendulum",
    ...     coordinates="x y",
    ...     kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
    ...     potential_energy=lambda q: 9.81 * q.y,
    ...     constraints=[g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0)],
    ...     units={"x": "m", "y": "m", "rod": "m²"},
    ... )
    >>> run = g.simulate(pendulum, [1, 0], t_end=2.0)
    >>> figure = g.plot(run, "x", "y")
    >>> figure.savefig("pendulum.png")
    >>> [axes.get_ylabel() for axes in g.plot(run).axes]
    ['$x$, $y$ / m', 'λ (rod) / (N/m)']
    """
    motions = _motions(run)
    first = motions[0].run
    for name in names:
        if isinstance(name, list | tuple):
            raise InputError(f"plot takes names one by one, as plot(run, 't', 'x', 'y'), got {name!r}.")
    for motion in motions:
        for name in (*names, over):
            _ = motion.run[name]  # refuses unknown names
    across = len(names) == 2 and names[0] != "t" and over == "t" and not any(first.parts(name) for name in names)
    asked = [part for name in names if name != "t" for part in first.parts(name) or (name,)]
    panels = [Panel(names, "")] if across else panels_of(first, asked) if asked else default_panels(first, ax is None)
    if degrees and not any(first.unit(name) in ANGLES for name in (over, *(x for each in panels for x in each.names))):
        raise InputError(NO_ANGLE)
    from gauss.show.notebook import NotebookFigure

    with style():
        if ax is not None:
            axes = _given(ax, panels)
            figure: Figure = axes[0].get_figure(root=True)
        else:
            alone = not names and len(motions) == 1 and over == "t"
            ratios = heights_of(panels, mode_intervals(first) if alone else ())
            size = COLUMN[0], max(COLUMN[1], 1.0 + PANEL * sum(ratios))
            figure = NotebookFigure(figsize=size, layout="constrained")
            rows = figure.subplots(len(ratios), 1, sharex=not across, squeeze=False, height_ratios=ratios)
            axes = list(rows[:, 0])
            names_of = {motion.run.about.system for motion in motions}
            if len(names_of) == 1 or isinstance(run, MotionTree):
                axes[0].set_title(plain(run.system if isinstance(run, MotionTree) else first.about.system))
        if across:
            _draw_across(axes[0], motions, (names[0], names[1]), degrees)
        else:
            draw_panels(axes, motions, panels, degrees, over)
        return figure


def _motions(run: object) -> list[Motion]:
    """Return motions as they are drawn together. Raises InputError for anything else."""
    if isinstance(run, Trajectory):
        found = [Motion(run)]
    elif isinstance(run, MotionTree):
        found, number = [], list[int]()
        motions = [*zip(run.walk(), run.directions, strict=True)]
        for k, ((level, branch), way) in enumerate(motions):
            number = [*number[:level], (number[level] if level < len(number) else 0) + 1]
            told = level == 0 or len(motions) <= MOST
            label = f"{'.'.join(map(str, number))}: {way or branch.name or branch.kind}" if told else ""
            colour, dash = curve_style(k)
            found.append(Motion(branch.run, label, colour, 1.6 if level == 0 else 0.8, dash, _mark(k)))
    elif isinstance(run, Mapping | Sequence) and not isinstance(run, str):
        pairs = run.items() if isinstance(run, Mapping) else ((str(k + 1), each) for k, each in enumerate(run))
        found = []
        for k, (label, each) in enumerate(pairs):
            colour, dash = curve_style(k)
            found.append(Motion(each, str(label), colour, dash=dash, mark=_mark(k)))
    else:
        found = [Motion(run)]  # type: ignore[arg-type]
    wrong = [motion.run for motion in found if not isinstance(motion.run, Trajectory)]
    if wrong or not found:
        given = in_place_of_a_run(wrong[0]) if wrong else "none"
        raise InputError(f"plot draws a Trajectory, a MotionTree, a list or a dict of Trajectories; got {given}.")
    if not all(len(motion.run) for motion in found):
        raise InputError("there is nothing to draw: a motion has no states.")
    return found


def _mark(k: int) -> str:
    """Return the marks of the motion k, none while it has a colour of its own."""
    return MARKS[k // len(PALETTE) % len(MARKS)]


def _given(ax: Any, panels: Sequence[Panel]) -> list[Any]:
    """Return the given axes as a list. Raises InputError where they are fewer than the panels, or none."""
    from matplotlib.axes import Axes

    found = [ax] if isinstance(ax, Axes) else list(np.ravel(ax))
    if not all(isinstance(each, Axes) for each in found):
        raise InputError(f"ax must be matplotlib axes, or a list of them, got {ax!r}.")
    if len(found) != len(panels):
        units = ", ".join(repr(panel.unit) for panel in panels)
        raise InputError(
            f"ax has {len(found)} axes, but {len(panels)} panels are drawn, one for each unit ({units}); give as many"
            " axes, or fewer names."
        )
    return found


def _draw_across(axes: Axes, motions: Sequence[Motion], names: tuple[str, str], degrees: bool) -> None:
    """Draw the second name against the first."""
    for motion in motions:
        x, y = (value_of(dense(motion.run), name, degrees)[1] for name in names)
        label = plain(motion.label) or "_nolegend_"
        axes.plot(x, y, color=motion.colour or BLUE, lw=motion.width, ls=motion.dash, label=label)
    first = motions[0].run
    known = first.about.coordinates
    units = [value_of(first, name, degrees)[0] for name in names]
    axes.set_xlabel(labelled(symbol(names[0], known), units[0]))
    axes.set_ylabel(labelled(symbol(names[1], known), units[1]))
    if units[0] == units[1] == "m":
        axes.set_aspect("equal", adjustable="datalim")
    if len(motions) == 1:
        mark_places(axes, first, names, degrees)
    beside(axes)
