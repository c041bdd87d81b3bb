"""Figures of whole results: an overview for every trajectory, and the figure of a scenario."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gauss.analysis.energy import energy_residual
from gauss.bodies import Drawing, Mechanism
from gauss.errors import InputError, described
from gauss.foundation.arrays import Array
from gauss.foundation.storage import make_folder, replaced
from gauss.foundation.tolerances import EPS
from gauss.motion import Trajectory
from gauss.outcome import Outcome
from gauss.show.contacts import mode_intervals
from gauss.show.figures.over_time import Motion, draw_panels, heights_of
from gauss.show.figures.panels import default_panels
from gauss.show.film.poses import draw_poses
from gauss.show.look import PANEL, SIZE, style, tidy

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase

PICTURES = 2.4  # inches, of the pictures above panels
BELOW = 1e-5  # of the largest residual of a kind: what is less is next to nothing, and below the axis


def overview(run: Trajectory, figure: FigureBase, drawing: Drawing | None = None) -> None:
    """Draw what `plot` draws of a trajectory, and beside it the numbers of the certificate.

    Above them are pictures by a drawing, or of a mechanism.
    """
    panels = default_panels(run)
    ratios = heights_of(panels, mode_intervals(run))
    tall = max(SIZE[1], 0.6 + PANEL * sum(ratios))
    if drawing is None and run.setting is not None and isinstance(run.setting.system.source, Mechanism):
        drawing = Drawing(run.setting.system.source)
    figure.set_size_inches(SIZE[0], tall + PICTURES * (drawing is not None))  # type: ignore[attr-defined]
    if drawing is not None:
        above, figure = figure.subfigures(2, 1, height_ratios=(PICTURES, tall))  # type: ignore[misc]
        draw_poses(run, drawing, above)
    parts: Any = figure.subfigures(1, 2, width_ratios=(1.7, 1.0))
    left, right = parts
    rows = left.subplots(len(ratios), 1, sharex=True, squeeze=False, height_ratios=ratios)
    draw_panels(list(rows[:, 0]), [Motion(run)], panels, degrees=False)
    axes = right.subplots()
    by_rows = run.decided_by_rows
    numbers: dict[str, Array] = {"stationarity": np.where(by_rows, run.stationarity, np.nan)}
    if run.about.rows:
        numbers |= {"rows": np.where(by_rows, run.primal, np.nan), "off position": run.off_position}
    numbers = {label: values for label, values in numbers.items() if np.any(values > BELOW * EPS)}
    if run.setting is not None and run.setting.system.model.conservative:
        numbers["energy drift / J"] = np.abs(energy_residual(run))
    least = np.inf
    for (label, values), mark in zip(numbers.items(), "os^v", strict=False):
        if not np.any(values > 0.0):  # a logarithm of zero is nowhere
            continue
        least = min(least, BELOW * float(np.max(values)))
        axes.plot(run.t, np.where(values > 0.0, values, np.nan), ls="", marker=mark, ms=2, label=label)
    axes.set(xlabel="$t$ / s", ylabel="residuals of the certificate", yscale="log")
    if axes.lines:
        axes.set_ylim(bottom=max(axes.get_ylim()[0], least))
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, markerscale=2)


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
                overview(outcome.run, figure, scenario.drawing)
            else:
                scenario.figure(outcome.result, figure)
        except Exception as error:
            raise _failed(scenario.name, error) from error
        if outcome.run is not None and not outcome.run.ending.complete:
            figure.suptitle(outcome.run.ending.kind, color="firebrick")
        try:
            tidy(figure)
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
