"""Figures that show themselves as the last line of a cell, without pyplot and its state."""

from __future__ import annotations

import io
from typing import Any

from matplotlib.figure import Figure

SHARP = 2.0  # pixels of the picture for each one of the page, as screens of today have them


class NotebookFigure(Figure):
    """A matplotlib Figure with a picture of itself for Jupyter."""

    def _repr_png_(self) -> tuple[bytes, dict[str, Any]]:
        """Return the picture, and how large it is to be shown."""
        file = io.BytesIO()
        self.savefig(file, format="png", dpi=SHARP * self.get_dpi())
        width, height = (round(size * self.get_dpi()) for size in self.get_size_inches())
        return file.getvalue(), {"width": width, "height": height}
