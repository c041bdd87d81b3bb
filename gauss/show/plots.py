"""Figures: what a scenario draws, and an overview for every trajectory."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gauss.analysis.energy import energy_residual
from gauss.errors import InputError, described
from gauss.foundation.arrays import Array
from gauss.foundation.storage import make_folder, replaced
from gauss.foundation.threads import Lock
from gauss.motion import MotionTree, Trajectory
from gauss.outcome import Outcome
from gauss.show.contacts import mode_intervals

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIZE = (10.0, 4.2)  # inches
DASHES = ("-", "--", ":", "-.")  # coordinates of a motion against time
STYLE: dict[str, Any] = {
    "figure.dpi": 110,
    "savefig.dpi": 140,
    "font.size": 9.5,
    "axes.titlesize": 10.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "lines.linewidth": 1.4,
    "legend.frameon": False,
}


_LOOK = Lock()


@contextmanager
def style() -> Iterator[None]:
    """Use the package's look inside the block; one thread at a time, as matplotlib's settings are the process's."""
    import matplotlib  # late: drawing is optional

    with _LOOK, matplotlib.rc_context(STYLE):  # type: ignore[arg-type]
        yield


def plot(run: Trajectory | MotionTree, *names: str) -> Figure:
    """Return a figure: two names draw the second against the first; otherwise each is drawn against time.

    A first name "t" draws the others against time. Names are those of ``run[name]``; without names all coordinates are
    drawn. The motion is drawn at 1000 times of its dense output where the model is known. Of a `MotionTree` all motions
    are drawn, as a fan: each in its own colour, those that leave the start named by their kinds.

    >>> import gauss as g
    >>> pendulum = g.System(
    ...     "pendulum",
    ...     coordinates="x y",
    ...     kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
    ...     potential_energy=lambda q: 9.81 * q.y,
    ...     constraints=[g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0)],
    ... )
    >>> figure = g.plot(g.simulate(pendulum, [1, 0], t_end=2.0), "x", "y")
    >>> figure.savefig("pendulum.png")
    """
    from gauss.show.notebook import NotebookFigure

    with style():
        figure = NotebookFigure(figsize=(6.4, 4.2), layout="constrained")
        axes = figure.subplots()
        across = len(names) == 2 and names[0] != "t"
        if isinstance(run, MotionTree):
            _draw_tree(axes, run, names, across)
        elif across:
            axes.plot(*_curve(run, names), color="C0")
        else:
            dense = _dense(run)
            for name in _drawn(run, names):
                axes.plot(dense.t, dense[name], label=plain(name))
        axes.set_title(plain(run.system if isinstance(run, MotionTree) else run.about.system))
        axes.set_xlabel(plain(names[0]) if across else "t / s")
        if across:
            axes.set_ylabel(plain(names[1]))
        if axes.get_legend_handles_labels()[1]:
            figure.legend(loc="outside right upper")
        return figure


def _draw_tree(axes: Axes, tree: MotionTree, names: tuple[str, ...], across: bool) -> None:
    """Draw all motions of a tree: those that leave the start in colours of their own, their children thinner."""
    first = 0
    for k, (level, branch) in enumerate(tree.walk()):
        how: dict[str, Any] = {"color": f"C{k}", "lw": 1.6 if level == 0 else 0.8}
        if level == 0:
            first += 1
            axes.plot([], [], label=f"{first}: {branch.kind}", **how)
        if across:
            axes.plot(*_curve(branch.run, names), **how)
            continue
        dense = _dense(branch.run)
        for name, dashes in zip(_drawn(branch.run, names), cycle(DASHES), strict=False):
            axes.plot(dense.t, dense[name], ls=dashes, **how)
    if not across and len(tree):
        for name, dashes in zip(_drawn(tree[0].run, names), cycle(DASHES), strict=False):
            axes.plot([], [], color="0.4", ls=dashes, label=plain(name))


def _drawn(run: Trajectory, names: tuple[str, ...]) -> list[str]:
    """Return what is drawn against time: the given names, or all coordinates."""
    return [name for name in names if name != "t"] or list(run.about.coordinates)


def _curve(run: Trajectory, names: tuple[str, ...]) -> tuple[Array, Array]:
    """Return two quantities of a motion at many times."""
    dense = _dense(run)
    return dense[names[0]], dense[names[1]]


def _dense(run: Trajectory, count: int = 1000) -> Trajectory:
    """Return the motion at many times if it has its model, else as recorded; of the last motions it is kept."""
    if run.setting is None or len(run) < 2 or len(run) > count:
        return run
    found = next((dense for known, dense in _KEPT if known is run), None)
    if found is None:
        found = run.at(np.union1d(np.linspace(run.t[0], run.t[-1], count), run.t))
        _KEPT.append((run, found))
    return found


_KEPT: deque[tuple[Trajectory, Trajectory]] = deque(maxlen=8)  # motions, and the same at many times


def overview(run: Trajectory, figure: Figure) -> None:
    """Draw coordinates, multipliers and certificate numbers of any trajectory."""
    left, middle, right = figure.subplots(1, 3)
    dense = _dense(run)
    for name in run.about.coordinates[:8]:
        left.plot(dense.t, dense[name], label=name)
    left.set(xlabel="t / s", ylabel="coordinates")
    friction = {slip: f"friction: {c.name}" for c in run.about.contacts for slip in c.slip}
    for name in run.about.rows[:8]:
        middle.plot(dense.t, dense[name], label=plain(friction.get(name, name)))
    middle.set(xlabel="t / s", ylabel="multipliers λ, friction forces" if friction else "multipliers λ")
    _mark_modes(run, left)
    numbers = {"row residual": run.primal, "stationarity": run.stationarity, "off position": run.off_position}
    if run.setting is not None and run.setting.system.model.conservative:
        numbers["energy drift / J"] = np.abs(energy_residual(run))
    for label, values in numbers.items():
        right.plot(run.t, np.where(values > 0.0, values, np.nan), ".", ms=3, label=label)
    right.set(xlabel="t / s", ylabel="certificate", yscale="log")
    right.set_ylim(bottom=max(right.get_ylim()[0], np.finfo(float).eps ** 2))  # single residuals may be next to nothing
    for axes in (left, middle, right):
        if axes.get_legend_handles_labels()[1]:
            axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, fontsize="small")


def _mark_modes(run: Trajectory, axes: Axes) -> None:
    """Mark at the bottom when each contact with friction sticks (bold) or slips (thin)."""
    widths = {"sticks": 5.0, "slips": 1.5}
    found = list(mode_intervals(run).items())[:4]
    low, high = axes.get_ylim()
    axes.set_ylim(low - (0.05 + 0.05 * len(found)) * (high - low) * bool(found), high)
    for k, (name, pieces) in enumerate(found):
        height, color = 0.04 + 0.045 * k, f"C{k + 5}"
        for t0, t1, mode in pieces:
            if mode in widths:
                axes.plot(
                    [t0, t1],
                    [height, height],
                    color=color,
                    lw=widths[mode],
                    solid_capstyle="butt",
                    transform=axes.get_xaxis_transform(),
                )
        axes.plot([], [], color=color, lw=5.0, label=f"{plain(name)} sticks (thin: slips)")


def save_figure(outcome: Outcome, folder: Path) -> Path | None:
    """Draw the scenario's figure (or the overview) into folder/NAME.png; None where there is nothing to draw.

    Raises FileError when it cannot be written, and leaves an older one then; InputError when the scenario's figure
    function fails.
    """
    scenario = outcome.scenario
    if (scenario.figure is None and outcome.run is None) or (outcome.run is not None and not len(outcome.run)):
        return None
    make_folder(folder)
    path = folder / f"{scenario.name}.png"
    from matplotlib.figure import Figure

    with style(), replaced(path) as part:
        figure = Figure(figsize=SIZE, layout="constrained")
        try:
            if scenario.figure is None:
                assert outcome.run is not None
                overview(outcome.run, figure)
            else:
                scenario.figure(outcome.result, figure)
        except Exception as error:
            raise _failed(scenario.name, error) from error
        if outcome.run is not None and not outcome.run.ending.complete:
            figure.suptitle(outcome.run.ending.kind, color="firebrick")
        try:
            figure.savefig(part, format="png")
        except OSError:
            raise
        except Exception as error:  # a label that Matplotlib cannot print shows here
            raise _failed(scenario.name, error) from error
    return path


def _failed(name: str, error: Exception) -> InputError:
    """Return the error for a figure that cannot be drawn."""
    return InputError(
        f"the figure of {name} failed: {described(error).removesuffix('.')}. Run with --no-plot to go without it."
    )


def plain(name: str) -> str:
    """Return a name that Matplotlib prints as it is, dollars too."""
    return name.replace("$", r"\$")
