"""Figures that show themselves as the last line of a cell, without pyplot and its state."""

from __future__ import annotations

import io
import re
from typing import Any

from matplotlib.figure import Figure

SHARP = 2.0  # pixels of the picture for each one of the page, as screens of today have them


class NotebookFigure(Figure):
    """A matplotlib Figure with a picture of itself for Jupyter."""

    def _repr_png_(self) -> tuple[bytes, dict[str, Any]]:
        """Return the picture, how large it is to be shown, and words for it, which nbconvert's classic pages have."""
        file = io.BytesIO()
        self.savefig(file, format="png", dpi=SHARP * self.get_dpi())
        width, height = (round(size * self.get_dpi()) for size in self.get_size_inches())
        return file.getvalue(), {"width": width, "height": height, "alt": words_of(self)}


def words_of(figure: Figure) -> str:
    r"""Return what a figure shows: its titles, and what is drawn against what.

    >>> figure = NotebookFigure()
    >>> upper, lower = figure.subplots(2, sharex=True)
    >>> _ = upper.set(title="swing", ylabel=r"$\dot \phi$ / (rad/s)"), lower.set(ylabel="force / N", xlabel="$t$ / s")
    >>> words_of(figure)
    'swing: dot phi / (rad/s), force / N against t / s'
    """
    shown = [axes for axes in figure.axes if axes.get_visible()]
    titles = [figure.get_suptitle(), *(axes.get_title() for axes in shown)]
    heights, across = [axes.get_ylabel() for axes in shown], [axes.get_xlabel() for axes in shown]
    title, height, over = (", ".join(filter(None, dict.fromkeys(labels))) for labels in (titles, heights, across))
    drawn = " against ".join(filter(None, (height, over)))
    return " ".join(re.sub(r"[$\\{}]", "", ": ".join(filter(None, (title, drawn))) or "a figure").split())
