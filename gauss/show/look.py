"""The look of all figures: one palette, names and units on axes, legends beside what they explain."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gauss.foundation.threads import Lock
from gauss.model.units import NONE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIZE = (10.0, 4.2)  # inches
COLUMN = (6.4, 4.2)  # inches, of a figure with one panel
PANEL = 1.7  # inches, of a panel below another one
BLUE, VERMILLION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"  # of Okabe and Ito, for all eyes
ORANGE, SKY, BLACK = "#E69F00", "#56B4E9", "#000000"  # the others of them that are seen on white
PALETTE = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, BLACK)  # of curves, in this order
MOST = len(PALETTE)  # curves in one panel, each of its own colour; the legend says how many are left out
FAINT = "0.55"  # grey of what is marked beside the curves
IN_SPACE = 4  # intervals between the numbers on an axis in space, at most: more numbers run into one another
DASHES = ("-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)), (0, (8, 3)), (0, (1, 3)))  # so that grey prints read too
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
    "legend.fontsize": "small",
    "image.cmap": "cividis",
}
GREEK = (
    *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "kappa", "lambda", "mu", "nu", "xi", "rho"),
    *("sigma", "tau", "phi", "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda", "Phi", "Psi", "Omega"),
)
SYMBOL = re.compile(rf"(d{{0,2}}_)?([A-Za-z]|{'|'.join(GREEK)})(?:_?(\d{{1,3}})|_([A-Za-z]))?")
DOTS = {"": "", "d_": r"\dot ", "dd_": r"\ddot "}

_LOOK = Lock()


@contextmanager
def style() -> Iterator[None]:
    """Use the package's look inside the block; one thread at a time, as matplotlib's settings are the process's.

    >>> import gauss as g
    >>> import matplotlib
    >>> with g.show.style():  # what is drawn here looks like the package's own figures
    ...     print(matplotlib.rcParams["axes.grid"], matplotlib.rcParams["legend.frameon"])
    True False
    """
    import matplotlib  # late: drawing takes long to import
    from cycler import cycler

    cycle = {"axes.prop_cycle": cycler(color=PALETTE)}
    with _LOOK, matplotlib.rc_context(STYLE | cycle):  # type: ignore[arg-type]
        yield


def curve_style(k: int) -> tuple[str, Any]:
    """Return colour and dashes of the curve k: no two of the first 49 have both in common."""
    return PALETTE[k % len(PALETTE)], DASHES[(k + k // len(PALETTE)) % len(DASHES)]


def plain(name: str) -> str:
    """Return a name that Matplotlib prints as it is, dollars too."""
    return name.replace("$", r"\$")


def symbol(name: str, coordinates: Sequence[str] = ()) -> str:
    """Return a name as a formula where it reads like one, as "phi", "d_x" or "theta_1", and as it is otherwise.

    A name that is itself among the `coordinates` has no dots.

    >>> symbol("d_phi1"), symbol("x"), symbol("crank_x"), symbol("rod")
    ('$\\\\dot \\\\phi_{1}$', '$x$', 'crank_x', 'rod')
    """
    found = SYMBOL.fullmatch(name)
    if found is None or (found[1] or "") not in DOTS or (found[1] and name in coordinates):
        return plain(name)
    letter = "\\" + found[2] if len(found[2]) > 1 else found[2]
    below = f"_{{{found[3] or found[4]}}}" if found[3] or found[4] else ""
    return f"${DOTS[found[1] or '']}{letter}{below}$"


def labelled(text: str, unit: str) -> str:
    """Return the label of an axis: what it shows, over its unit if there is one."""
    return f"{text} / {plain(f'({unit})' if '/' in unit or ' ' in unit else unit)}" if unit not in ("", NONE) else text


def beside(axes: Axes, more: int = 0) -> None:
    """Set the legend of axes to their right: what is labelled in them, and how many curves are left out."""
    from matplotlib.lines import Line2D

    known = axes.get_legend_handles_labels()[0]
    if more:
        known.append(Line2D([], [], ls="", label=f"… and {more} more"))
    if known:
        axes.legend(handles=known, loc="upper left", bbox_to_anchor=(1.0, 1.02), borderaxespad=0.3)


def tidy(figure: Figure) -> None:
    """Set legends that cover a curve beside their axes, and leave few numbers on axes in space."""
    from matplotlib.ticker import AutoLocator, MaxNLocator

    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis, axes.zaxis) if hasattr(axes, "zaxis") else ():
            if isinstance(axis.get_major_locator(), AutoLocator):  # else who drew it has chosen
                axis.set_major_locator(MaxNLocator(IN_SPACE))
    if not any(axes.get_legend() for axes in figure.axes):
        return
    figure.draw_without_rendering()
    for axes in figure.axes:
        legend = axes.get_legend()
        if legend is None or hasattr(axes, "zaxis"):
            continue
        box = legend.get_window_extent()
        paths = (line.get_transform().transform_path(line.get_path()) for line in axes.lines)
        if any(path.intersects_bbox(box, filled=False) for path in paths):
            labels = [text.get_text() for text in legend.get_texts()]
            known = [handle for handle in legend.legend_handles if handle is not None]
            axes.legend(known, labels, loc="upper left", bbox_to_anchor=(1.0, 1.02), borderaxespad=0.3)
