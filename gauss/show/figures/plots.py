"""Figures of motions: what `plot` draws."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array
from gauss.foundation.calls import advised
from gauss.model.rows import said_rows
from gauss.model.units import ANGLES, NONE
from gauss.motion import MotionTree, Trajectory, in_place_of_a_run
from gauss.motion.record.columns import NO_ANGLE, in_degrees
from gauss.show.contacts import mode_intervals
from gauss.show.figures.curves import TALL, dense, draw_over_time, ordinary
from gauss.show.figures.panels import QUANTITIES, Panel, default_panels, panels_of, size_of, spread_of
from gauss.show.look import (
    BLUE,
    COLUMN,
    DASHES,
    FAINT,
    ORANGE,
    PALETTE,
    PANEL,
    beside,
    curve_style,
    labelled,
    plain,
    style,
    symbol,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST = len(PALETTE)  # curves in one panel, each of its own colour; the legend says how many are left out
MARKED = 60  # events above which only their times are marked, not each of them across the panels
STILL, NEAR = 1e-6, 0.05  # share of itself by which a curve that stays changes at most, and that is seen beside it
MARGIN = 0.05  # above and below what is drawn, where its scale is not that of all
PALE = 0.4  # opacity of the lines of forces that are not determined
MARKS, MARKED_EVERY = ("", "o", "s", "^", "D", "v", "X"), 0.1  # of motions beyond the colours; share of the panel
MARKERS = {  # of events, at the top of a figure
    "impact": "v",
    "accumulation": "D",
    "contact": "o",
    "release": "^",
    "stick": "s",
    "slip": ">",
    "singular": "X",
    "event": "|",
}
Drawable = Trajectory | MotionTree | Sequence[Trajectory] | Mapping[str, Trajectory]


@dataclass(frozen=True)
class Motion:
    """A motion with how it is drawn beside others."""

    run: Trajectory
    label: str = ""
    colour: str | None = None  # None: each name has its own
    width: float = 1.4
    dash: Any = "-"  # where one name is drawn; several names have dashes of their own
    mark: str = ""  # where several are drawn: of motions beyond the colours


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


def heights_of(panels: Sequence[Panel], contacts: Collection[str]) -> list[float]:
    """Return the heights of panels, and of the strip of the contacts below them where there are any."""
    return [1.0] * len(panels) + [0.12 + 0.12 * len(contacts)] * bool(contacts)


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


def _value(run: Trajectory, name: str, degrees: bool) -> tuple[str, Array]:
    """Return the unit and the values of a name. Raises InputError for what is no number for each state."""
    unit, values = run.unit(name), run[name]
    if values.ndim > 1 or values.dtype.kind not in "fi":
        parts = ", ".join(map(repr, run.parts(name)))
        raise InputError(f"{name!r} is not one number for each state" + (f"; draw one of {parts}." if parts else "."))
    return in_degrees(unit, values) if degrees else (unit, values)


def _draw_across(axes: Axes, motions: Sequence[Motion], names: tuple[str, str], degrees: bool) -> None:
    """Draw the second name against the first."""
    for motion in motions:
        x, y = (_value(dense(motion.run), name, degrees)[1] for name in names)
        label = plain(motion.label) or "_nolegend_"
        axes.plot(x, y, color=motion.colour or BLUE, lw=motion.width, ls=motion.dash, label=label)
    first = motions[0].run
    known = first.about.coordinates
    units = [_value(first, name, degrees)[0] for name in names]
    axes.set_xlabel(labelled(symbol(names[0], known), units[0]))
    axes.set_ylabel(labelled(symbol(names[1], known), units[1]))
    if units[0] == units[1] == "m":
        axes.set_aspect("equal", adjustable="datalim")
    if len(motions) == 1:
        _mark_places(axes, first, names, degrees)
    beside(axes)


def draw_panels(
    axes: Sequence[Axes], motions: Sequence[Motion], panels: Sequence[Panel], degrees: bool, over: str = "t"
) -> None:
    """Draw each panel against time, or over a name, and the contacts with friction where there are axes for them."""
    alone = len(motions) == 1
    first = motions[0].run
    for k, (panel, each) in enumerate(zip(panels, axes, strict=False)):
        drawn = _draw_panel(each, motions, panel, degrees, over, labels=k == 0)
        if alone:
            _mark_times(each, first, over, degrees, named=k == 0)
        for words in panel.without:
            each.plot([], [], ls="", label=words)
        beside(each, max(0, len(panel.names) - MOST) if drawn else 0)
    for each in axes[len(panels) :]:
        _draw_contacts(each, first)
    for each in axes:
        if each is not axes[-1] and each.get_shared_x_axes().joined(each, axes[-1]):
            each.tick_params(labelbottom=False)
    axes[-1].set_xlabel(labelled(symbol(over, first.about.coordinates), _value(first, over, degrees)[0]))


def _draw_panel(axes: Axes, motions: Sequence[Motion], panel: Panel, degrees: bool, over: str, labels: bool) -> bool:
    """Draw names of one unit against time, or over a name; with `labels` the motions are named too.

    Return whether any of them is determined; those that are come first.
    """
    first = motions[0].run
    finer = [dense(motion.run) for motion in motions]

    def known_somewhere(name: str) -> bool:
        return any(np.any(np.isfinite(each[name])) for each in finer)

    def moves(name: str) -> bool:
        return any(
            spread_of(each[name]) > max(panel.specks.get(name, 0.0), STILL * size_of(each, name)) for each in finer
        )

    shown = panel.names
    if len(shown) > MOST or not all(map(known_somewhere, shown)):
        shown = tuple(sorted(shown, key=lambda name: (not known_somewhere(name), not moves(name)))[:MOST])
    known, rows = first.about.coordinates, first.about.rows
    named = len(shown) > 1
    bands, drawn = False, list[Array]()
    size = max(float(np.nanmax(np.abs(each[name]), initial=0.0)) for each in finer for name in shown)
    limits = _limits(finer, shown, size)
    open_ = set(shown) & {row for motion in motions for row in motion.run.open_forces}
    told = {name for name in shown if known_somewhere(name)}
    said = {name: plain(x) for name, x in said_rows(rows).items()}
    said = {name: said.get(name, symbol(name, known)) + ", not determined" * (name in open_) for name in shown}
    for motion, each in zip(motions, finer, strict=True):
        marks: dict[str, Any] = {"marker": motion.mark, "markevery": MARKED_EVERY, "ms": 4} if named else {}
        if labels and motion.label:
            dash = "-" if named else motion.dash
            axes.plot([], [], color=motion.colour, lw=motion.width, ls=dash, label=plain(motion.label), **marks)
        for k, name in enumerate(shown):
            colour = motion.colour or PALETTE[k % len(PALETTE)]
            label = said[name] if named and name in told and motion.colour is None else "_nolegend_"
            dash = DASHES[k % len(DASHES)] if named else motion.dash
            how: dict[str, Any] = {"color": colour, "ls": dash, "lw": motion.width, "label": label}
            how |= marks
            how |= {"alpha": PALE} if name in open_ else {}
            values = _value(each, name, degrees)[1]
            values = 0.0 * values if size_of(each, name) <= panel.specks.get(name, 0.0) else values
            values = _broken(each, values) if limits else values
            drawn.append(values)
            if over != "t":
                axes.plot(_value(each, over, degrees)[1], values, **how)
                continue
            bands = draw_over_time(axes, each.t, values, size, **how) or bands
    if named and motions[0].colour is not None:
        for k, name in enumerate(name for name in shown if name in told):
            axes.plot([], [], color=FAINT, ls=DASHES[k % len(DASHES)], label=said[name])
    unit = _value(first, shown[0], degrees)[0]
    if len(shown) == 1:
        text = f"λ ({said[shown[0]]})" if shown[0] in rows else said[shown[0]]
    elif set(shown) <= {*rows}:
        text = "multipliers λ"
    elif len(shown) <= 3 and sum(map(len, shown)) <= 30:
        text = ", ".join(said[name] for name in shown)
    else:
        text = "coordinates" if set(shown) <= {*known} else QUANTITIES.get(panel.unit, "")
    axes.set_ylabel(labelled(text, unit) if text or unit in ("", NONE) else plain(unit))
    _still(axes, np.concatenate(drawn), unit)
    if len(told) < len(shown):
        for name in (name for name in shown if name not in told and told):
            axes.plot([], [], ls="", label=f"{said[name]}, not determined")
        if not told:
            axes.text(0.5, 0.5, "not determined", transform=axes.transAxes, ha="center", color=FAINT)
    if open_:
        axes.plot([], [], ls="", label="(see g.show.reaction_bands)")
    if bands:
        axes.plot([], [], color=FAINT, lw=5, alpha=0.4, label="least to greatest")
    if limits:
        axes.set_ylim(*limits)
        axes.plot([], [], ls="", label="(more at singular positions)")
    return bool(told)


def _still(axes: Axes, values: Array, unit: str) -> None:
    """Draw curves that hardly change or differ as such, and write how far they do: numbers beside are their own."""
    spread, size = spread_of(values), float(np.nanmax(np.abs(values), initial=0.0))
    if 0.0 < spread <= STILL * size:
        middle = float(np.nanmean(values))
        axes.set_ylim(middle - NEAR * size, middle + NEAR * size)
        text = f"constant to {spread:.0e} {'' if unit == NONE else unit}".rstrip()
        axes.text(0.98, 0.04, text, transform=axes.transAxes, ha="right", color=FAINT)


def _limits(motions: Sequence[Trajectory], names: Sequence[str], size: float) -> tuple[float, float] | None:
    """Return the limits of axes for forces that are far larger next to singular positions than elsewhere, else None.

    `size` is that of all that is drawn.
    """
    rows = motions[0].about.rows
    if not all(name in rows or name.partition(".")[2].startswith(("force", "torque")) for name in names):
        return None
    values = np.concatenate([[0.0], *(each[name][ordinary(each)] for each in motions for name in names)])
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    margin = MARGIN * (high - low)
    return (low - margin, high + margin) if size > TALL * max(-low, high) > 0.0 else None


def _broken(run: Trajectory, values: Array) -> Array:
    """Return values along a motion without those at singular positions, so that no line joins what lies beside them."""
    at = [int(np.argmin(np.abs(run.t - event.t))) for event in run.events if event.kind == "singular"]
    found = values.copy()
    found[at] = np.nan
    return found


def _mark_times(axes: Axes, run: Trajectory, over: str, degrees: bool, named: bool) -> None:
    """Mark the times of events, and at the top of axes their kinds if they are to be named."""
    across = axes.get_xaxis_transform()
    events = _events_of(run)
    for kind, at in events.items():
        places = at if over == "t" else np.interp(at, dense(run).t, _value(dense(run), over, degrees)[1])
        if sum(map(len, events.values())) <= MARKED:
            for place in places:
                axes.axvline(place, color=FAINT, lw=0.5, ls=":", zorder=0.5)
        how: dict[str, Any] = {"ls": "", "marker": MARKERS.get(kind, "|"), "ms": 4, "mfc": "white", "mec": "0.25"}
        if named:
            axes.plot(places, np.ones(len(places)), transform=across, clip_on=False, zorder=3, mew=0.7, **how)
            count = f" ({len(places)})" if len(places) > 1 else ""
            axes.plot([], [], label=kind + count, **how)


def _events_of(run: Trajectory) -> dict[str, Array]:
    """Return the times of events by their kinds, those between the first and the last state: it may be a part."""
    within = [event for event in run.events if run.t[0] <= event.t <= run.t[-1]]
    return {
        kind: np.array([event.t for event in within if event.kind == kind])
        for kind in dict.fromkeys(event.kind for event in within)
    }


def _mark_places(axes: Axes, run: Trajectory, names: tuple[str, str], degrees: bool) -> None:
    """Mark where events happen in the plane of two names; nothing where they are too many to be told apart."""
    events = _events_of(run)
    if sum(map(len, events.values())) > MARKED:
        return
    for kind, times in events.items():
        at = np.minimum(np.searchsorted(run.t, times), len(run) - 1)
        x, y = (_value(run, name, degrees)[1][at] for name in names)
        label = kind + (f" ({at.size})" if at.size > 1 else "")
        axes.plot(x, y, ls="", marker=MARKERS.get(kind, "|"), ms=4, mfc="white", mec="0.25", mew=0.7, label=label)


def _draw_contacts(axes: Axes, run: Trajectory) -> None:
    """Draw when each contact with friction sticks (high bars) or slips (low ones)."""
    found = list(mode_intervals(run).items())[:MOST]
    for mode, height, colour in (("sticks", 0.7, BLUE), ("slips", 0.3, ORANGE)):
        for k, (_, pieces) in enumerate(found):
            spans = [(t0, t1 - t0) for t0, t1, found_mode in pieces if found_mode == mode]
            axes.broken_barh(spans, (k - height / 2, height), facecolor=colour, lw=0)
        axes.plot([], [], color=colour, lw=6.0 if mode == "sticks" else 3.0, label=mode)
    axes.set_yticks(range(len(found)), [plain(name) for name, _ in found])
    axes.set_ylim(len(found) - 0.4, -0.6)
    axes.grid(False)
    beside(axes, max(0, len(mode_intervals(run)) - MOST))
