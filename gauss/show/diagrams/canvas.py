"""The axes that a diagram is drawn into: given ones, or those of a new figure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gauss.errors import InputError
from gauss.show.look import COLUMN, plain, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@contextmanager
def canvas(ax: Any, title: str, size: tuple[float, float] = COLUMN) -> Iterator[tuple[Figure, Axes]]:
    """Yield a figure and its axes, in the package's look; given axes keep their title. Raises InputError."""
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    if ax is not None and not isinstance(ax, Axes):
        raise InputError(f"ax must be matplotlib axes, got {ax!r}.")
    with style():
        if ax is not None:
            figure = ax.get_figure(root=True)
            assert figure is not None
            yield figure, ax
        else:
            figure = Figure(figsize=size, layout="constrained")
            axes = figure.subplots()
            axes.set_title(plain(title))
            yield figure, axes
