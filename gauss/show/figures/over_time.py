"""Panels of a figure: names of one unit, drawn against time or another name, of one motion or of several."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gauss.foundation.arrays import Array
from gauss.model.rows import said_rows
from gauss.model.units import NONE
from gauss.motion import Trajectory
from gauss.show.figures.curves import TALL, dense, draw_over_time, ordinary, value_of
from gauss.show.figures.marks import draw_contacts, mark_times
from gauss.show.figures.panels import QUANTITIES, Panel, size_of, spread_of
from gauss.show.look import DASHES, FAINT, MOST, PALETTE, beside, labelled, plain, symbol

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STILL, NEAR = 1e-6, 0.05  # share of itself by which a curve that stays changes at most, and that is seen beside it
MARGIN = 0.05  # above and below what is drawn, where its scale is not that of all
PALE = 0.4  # opacity of the lines of forces that are not determined
MARKED_EVERY = 0.1  # share of the panel


@dataclass(frozen=True)
class Motion:
    """A motion with how it is drawn beside others."""

    run: Trajectory
    label: str = ""
    colour: str | None = None  # None: each name has its own
    width: float = 1.4
    dash: Any = "-"  # where one name is drawn; several names have dashes of their own
    mark: str = ""  # where several are drawn: of motions beyond the colours


@dataclass(frozen=True)
class _Shown:
    """What a panel shows, of all motions in it."""

    names: tuple[str, ...]
    words: Mapping[str, str]  # for each of them
    told: Collection[str]  # those that are determined somewhere
    open: Collection[str]  # forces that are not determined everywhere
    size: float  # of the largest value

    @property
    def several(self) -> bool:
        """Whether there is more than one name."""
        return len(self.names) > 1


def heights_of(panels: Sequence[Panel], contacts: Collection[str]) -> list[float]:
    """Return the heights of panels, and of the strip of the contacts below them where there are any."""
    return [1.0] * len(panels) + [0.12 + 0.12 * len(contacts)] * bool(contacts)


def draw_panels(
    axes: Sequence[Axes], motions: Sequence[Motion], panels: Sequence[Panel], degrees: bool, over: str = "t"
) -> None:
    """Draw each panel against time, or over a name, and the contacts with friction where there are axes for them."""
    alone = len(motions) == 1
    first = motions[0].run
    for k, (panel, each) in enumerate(zip(panels, axes, strict=False)):
        drawn = _draw_panel(each, motions, panel, degrees, over, labels=k == 0)
        if alone:
            mark_times(each, first, over, degrees, named=k == 0)
        for words in panel.without:
            each.plot([], [], ls="", label=words)
        beside(each, max(0, len(panel.names) - MOST) if drawn else 0)
    for each in axes[len(panels) :]:
        draw_contacts(each, first)
    for each in axes:
        if each is not axes[-1] and each.get_shared_x_axes().joined(each, axes[-1]):
            each.tick_params(labelbottom=False)
    axes[-1].set_xlabel(labelled(symbol(over, first.about.coordinates), value_of(first, over, degrees)[0]))


def _draw_panel(axes: Axes, motions: Sequence[Motion], panel: Panel, degrees: bool, over: str, labels: bool) -> bool:
    """Draw names of one unit against time, or over a name; with `labels` the motions are named too.

    Return whether any of them is determined; those that are come first.
    """
    finer = [dense(motion.run) for motion in motions]
    shown = _shown(motions, finer, panel)
    limits = _limits(finer, shown.names, shown.size)
    bands, drawn = False, list[Array]()
    for motion, each in zip(motions, finer, strict=True):
        marks: dict[str, Any] = {"marker": motion.mark, "markevery": MARKED_EVERY, "ms": 4} if shown.several else {}
        if labels and motion.label:
            dash = "-" if shown.several else motion.dash
            axes.plot([], [], color=motion.colour, lw=motion.width, ls=dash, label=plain(motion.label), **marks)
        for k, name in enumerate(shown.names):
            values = value_of(each, name, degrees)[1]
            values = 0.0 * values if size_of(each, name) <= panel.specks.get(name, 0.0) else values
            values = _broken(each, values) if limits else values
            how = _manner(motion, shown, k) | marks
            drawn.append(values)
            if over != "t":
                axes.plot(value_of(each, over, degrees)[1], values, **how)
                continue
            bands = draw_over_time(axes, each.t, values, shown.size, **how) or bands
    unit = value_of(motions[0].run, shown.names[0], degrees)[0]
    _name_curves(axes, motions[0], shown)
    text = _title(motions[0].run, shown, panel.unit)
    axes.set_ylabel(labelled(text, unit) if text or unit in ("", NONE) else plain(unit))
    _still(axes, np.concatenate(drawn), unit)
    _name_open(axes, shown)
    if bands:
        axes.plot([], [], color=FAINT, lw=5, alpha=0.4, label="least to greatest")
    if limits:
        axes.set_ylim(*limits)
        axes.plot([], [], ls="", label="(more at singular positions)")
    return bool(shown.told)


def _shown(motions: Sequence[Motion], finer: Sequence[Trajectory], panel: Panel) -> _Shown:
    """Return what a panel shows of motions, `finer` being these at many times."""

    def known_somewhere(name: str) -> bool:
        return any(np.any(np.isfinite(each[name])) for each in finer)

    def moves(name: str) -> bool:
        return any(
            spread_of(each[name]) > max(panel.specks.get(name, 0.0), STILL * size_of(each, name)) for each in finer
        )

    names = panel.names
    if len(names) > MOST or not all(map(known_somewhere, names)):
        names = tuple(sorted(names, key=lambda name: (not known_somewhere(name), not moves(name)))[:MOST])
    about = motions[0].run.about
    size = max(float(np.nanmax(np.abs(each[name]), initial=0.0)) for each in finer for name in names)
    open_ = set(names) & {row for motion in motions for row in motion.run.open_forces}
    said = {name: plain(x) for name, x in said_rows(about.rows).items()}
    words = {
        name: said.get(name, symbol(name, about.coordinates)) + ", not determined" * (name in open_) for name in names
    }
    return _Shown(names, words, {name for name in names if known_somewhere(name)}, open_, size)


def _manner(motion: Motion, shown: _Shown, k: int) -> dict[str, Any]:
    """Return how the curve of the name k of a motion is drawn."""
    name = shown.names[k]
    named = shown.several and name in shown.told and motion.colour is None
    return {
        "color": motion.colour or PALETTE[k % len(PALETTE)],
        "ls": DASHES[k % len(DASHES)] if shown.several else motion.dash,
        "lw": motion.width,
        "label": shown.words[name] if named else "_nolegend_",
    } | ({"alpha": PALE} if name in shown.open else {})


def _name_curves(axes: Axes, first: Motion, shown: _Shown) -> None:
    """Name curves by their dashes, where motions have the colours."""
    if shown.several and first.colour is not None:
        for k, name in enumerate(name for name in shown.names if name in shown.told):
            axes.plot([], [], color=FAINT, ls=DASHES[k % len(DASHES)], label=shown.words[name])


def _name_open(axes: Axes, shown: _Shown) -> None:
    """Name what is not determined, and what draws all of it."""
    for name in (name for name in shown.names if name not in shown.told and shown.told):
        axes.plot([], [], ls="", label=f"{shown.words[name]}, not determined")
    if not shown.told:
        axes.text(0.5, 0.5, "not determined", transform=axes.transAxes, ha="center", color=FAINT)
    if shown.open:
        axes.plot([], [], ls="", label="(see g.show.reaction_bands)")


def _title(run: Trajectory, shown: _Shown, unit: str) -> str:
    """Return what the values of a panel are, in words."""
    names, rows = shown.names, run.about.rows
    if not shown.several:
        word = shown.words[names[0]]
        return f"λ ({word})" if names[0] in rows else word
    if set(names) <= {*rows}:
        return "multipliers λ"
    if len(names) <= 3 and sum(map(len, names)) <= 30:
        return ", ".join(shown.words[name] for name in names)
    return "coordinates" if set(names) <= {*run.about.coordinates} else QUANTITIES.get(unit, "")


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
