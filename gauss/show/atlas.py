"""The picture of an atlas: verdicts as colours, singular values as curves or contours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from gauss.analysis.atlas import UNREACHED, Atlas
from gauss.foundation.progress import Bar
from gauss.foundation.storage import make_folder, replaced
from gauss.show.friction import finite
from gauss.show.look import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    SIZE,
    SKY,
    VERMILLION,
    labelled,
    plain,
    style,
    symbol,
)

COLOURS = (SKY, VERMILLION, BLUE, ORANGE, GREEN, PURPLE, BLACK)  # the first one of "regular"
EMPTY = "0.93"


def draw_atlas(atlas: Atlas, figure: Any) -> None:
    """Draw an atlas on an empty matplotlib Figure."""
    colours = _colours(atlas)
    (_draw_map if len(atlas.axes) == 2 else _draw_line)(atlas, colours, figure)
    figure.suptitle(plain(atlas.system), fontsize="medium")


def _colours(atlas: Atlas) -> dict[str, str]:
    words = [word for word in atlas.words if word != UNREACHED]
    words.sort(key=lambda word: word != "regular")
    colours = {word: COLOURS[k % len(COLOURS)] for k, word in enumerate(words)}
    if UNREACHED in atlas.words:
        colours[UNREACHED] = EMPTY
    return colours


def _draw_line(atlas: Atlas, colours: dict[str, str], figure: Any) -> None:
    """Draw verdicts and the smallest singular value over one coordinate, or over time."""
    axes = figure.add_subplot()
    x = atlas.values[0]
    sigma = np.where(atlas.sigma_min > 0.0, atlas.sigma_min, np.nan)
    axes.plot(x, sigma, color="0.6", lw=1, zorder=1)
    bottom = np.nanmin(sigma) if np.any(np.isfinite(sigma)) else 1e-16
    for word, colour in colours.items():
        chosen = atlas.verdicts == word
        height = np.where(np.isfinite(sigma[chosen]), sigma[chosen], bottom / 3.0)
        axes.scatter(x[chosen], height, s=14, color=colour, label=f"{word} ({chosen.sum()})", zorder=2)
    axes.set_yscale("log")
    axes.set(xlabel=_labels(atlas)[0], ylabel="smallest singular value of the rows")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)


def _draw_map(atlas: Atlas, colours: dict[str, str], figure: Any) -> None:
    """Draw the map of verdicts, and beside it the map of the smallest singular value."""
    from matplotlib.colors import ListedColormap, LogNorm
    from matplotlib.patches import Patch

    x, y = atlas.values
    positive = atlas.sigma_min[atlas.sigma_min > 0.0]
    panels = figure.subplots(1, 2 if positive.size else 1, squeeze=False)[0]
    left = panels[0]
    words = list(colours)
    index = np.zeros(atlas.verdicts.shape)
    for k, word in enumerate(words):
        index[atlas.verdicts == word] = k
    palette = ListedColormap(list(colours.values()))
    left.pcolormesh(x, y, index.T, cmap=palette, vmin=-0.5, vmax=len(words) - 0.5, shading="nearest", rasterized=True)
    patches = [Patch(color=colours[word], label=f"{word} ({atlas.count(word)})") for word in words]
    left.legend(handles=patches, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    if positive.size:
        low, high = float(positive.min()), float(positive.max())
        shown = np.where(np.isfinite(atlas.sigma_min), np.maximum(atlas.sigma_min, low), np.nan)
        norm = LogNorm(low, high) if high > low else None
        image = panels[1].pcolormesh(x, y, shown.T, norm=norm, cmap="cividis", shading="nearest", rasterized=True)
        figure.colorbar(image, ax=panels[1], label="smallest singular value of the rows")
    for axes in panels:
        axes.set(xlabel=_labels(atlas)[0], ylabel=_labels(atlas)[1])
        axes.grid(False)


def _labels(atlas: Atlas) -> list[str]:
    units = atlas.units or ("",) * len(atlas.axes)
    return [labelled(symbol(name), unit) for name, unit in zip(atlas.axes, units, strict=True)]


def save_atlas(atlas: Atlas, folder: Path, name: str) -> Path:
    """Draw an atlas into folder/NAME_atlas.png; return the path. Raises FileError where it cannot be written."""
    from matplotlib.figure import Figure

    make_folder(folder)
    path = folder / f"{name}_atlas.png"
    with style():
        figure = Figure(figsize=SIZE, layout="constrained")
        draw_atlas(atlas, figure)
        with replaced(path) as part:
            figure.savefig(part, format="png")
    return path


def atlas_data(atlas: Atlas, path: Path) -> dict[str, Any]:
    """Return an atlas as plain data, ready for JSON."""
    return {
        "system": atlas.system,
        "axes": {name: values.tolist() for name, values in zip(atlas.axes, atlas.values, strict=True)},
        "counts": {word: atlas.count(word) for word in atlas.words},
        "verdicts": atlas.verdicts.tolist(),
        "sigma_min": [finite(x) for x in atlas.sigma_min.ravel()],
        "figure": str(path),
    }


@contextmanager
def bar(name: str, silent: bool) -> Iterator[Callable[[float], None] | None]:
    """Show the progress of a scan on a terminal."""
    if silent:
        yield None
        return
    progress = Bar(name)
    try:
        yield progress
    finally:
        progress.close()
