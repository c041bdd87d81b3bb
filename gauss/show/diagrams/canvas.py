"""The axes that a diagram is drawn into: given ones, or those of a new figure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gauss.errors import InputError
from gauss.model import System
from gauss.model.units import ANGLES
from gauss.motion.record.columns import NO_ANGLE
from gauss.show.look import COLUMN, PANEL, plain, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def require_axes(ax: Any) -> None:
    """Raise InputError for what is neither axes nor None."""
    from matplotlib.axes import Axes

    if ax is not None and not isinstance(ax, Axes):
        raise InputError(f"ax must be matplotlib axes, got {ax!r}.")


def require_angle(degrees: bool, system: System, coordinate: str) -> None:
    """Raise InputError where degrees are asked of a coordinate that is no angle."""
    if degrees and system.unit(coordinate) not in ANGLES:
        raise InputError(NO_ANGLE)


@contextmanager
def canvas(ax: Any, title: str, panels: int = 1) -> Iterator[tuple[Figure, list[Axes]]]:
    """Yield a figure and its axes, in the package's look: given ones, or new ones with a title below each other.

    Raises InputError.
    """
    from gauss.show.notebook import NotebookFigure

    require_axes(ax)
    with style():
        if ax is not None:
            figure = ax.get_figure(root=True)
            assert figure is not None
            yield figure, [ax]
        else:
            size = COLUMN[0], max(COLUMN[1], 1.0 + PANEL * panels)
            figure = NotebookFigure(figsize=size, layout="constrained")
            axes = list(figure.subplots(panels, 1, sharex=True, squeeze=False)[:, 0])
            axes[0].set_title(plain(title))
            yield figure, axes
