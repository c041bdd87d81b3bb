"""Reactions along a motion, with bands where they are not determined."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gauss.analysis import ReactionRanges, reaction_ranges
from gauss.errors import InputError
from gauss.foundation.calls import advised
from gauss.model.rows import said_rows
from gauss.motion import Trajectory
from gauss.show.diagrams.canvas import canvas, require_axes
from gauss.show.look import beside, curve_style, labelled, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST = 7  # rows in one figure


@advised
def reaction_bands(run: Trajectory | ReactionRanges, *rows: str, times: object = None, ax: Any = None) -> Figure:
    """Return the multipliers of rows along a motion: a line where they are determined, else a band of all values.

    Several rows that are not determined have a panel each. A band without a limit reaches the edge of the figure; the
    line in a band is the choice of least norm, with dry friction the middle. Without names all rows of the unit of the
    first are drawn. `run` may be what `gauss.analysis.reaction_ranges` returns. Raises InputError as that does, for
    unknown rows and for rows of several units.

    >>> import gauss as g
    >>> legs = [g.Unilateral(name, lambda q: q.z) for name in ("left", "right")]
    >>> table = g.System(
    ...     "table",
    ...     coordinates="z",
    ...     kinetic_energy=lambda v: 0.5 * v.z**2,
    ...     potential_energy=lambda q: 9.81 * q.z,
    ...     constraints=legs,
    ...     units={"z": "m", "left": "m", "right": "m"},
    ... )
    >>> run = g.simulate(table, [0.0], t_end=1.0)
    >>> g.show.reaction_bands(run, times=[0.0, 0.5, 1.0]).axes[0].get_ylabel()
    'multiplier λ / N'
    """
    require_axes(ax)
    found = run if isinstance(run, ReactionRanges) else reaction_ranges(run, times)
    unit = found.system.unit
    unknown = [row for row in rows if row not in found.rows]
    if unknown or not found.rows:
        raise InputError(f"there is no row {', '.join(map(repr, unknown))}; known: {', '.join(found.rows) or 'none'}.")
    shown = list(rows) or [row for row in found.rows if unit(row) == unit(found.rows[0])]
    units = sorted({unit(row) for row in shown})
    if len(units) > 1:
        raise InputError(f"the rows have different units ({', '.join(units)}); draw those of one unit.")
    places = [found.rows.index(row) for row in shown[:MOST]]
    limits = _limits(found, places)
    wide = [bool(np.any(found.high[:, place] > found.low[:, place])) for place in places]
    with canvas(ax, found.system.name, panels=len(places) if ax is None and sum(wide) > 1 else 1) as (figure, axes):
        for k, place in enumerate(places):
            _draw(axes[k % len(axes)], found, place, limits, k)
        for each in axes:
            each.set_ylim(*limits)
            each.set_ylabel(labelled("multiplier λ", units[0]))
            beside(each, max(0, len(shown) - MOST) if each is axes[-1] else 0)
        axes[-1].set_xlabel("$t$ / s")
        return figure


def _limits(found: ReactionRanges, places: list[int]) -> tuple[float, float]:
    """Return the range of what is finite, with a margin."""
    bounds = np.concatenate([x[:, places].ravel() for x in (found.low, found.high, found.multipliers)])
    bounds = bounds[np.isfinite(bounds)]
    low, high = (float(np.min(bounds)), float(np.max(bounds))) if bounds.size else (-1.0, 1.0)
    margin = 0.06 * (high - low) or 0.06 * abs(high) or 1.0
    return low - margin, high + margin


def _draw(axes: Axes, found: ReactionRanges, place: int, limits: tuple[float, float], k: int) -> None:
    """Draw the multiplier of one row, with its band where it is not determined."""
    (colour, dash), low, high = curve_style(k), found.low[:, place], found.high[:, place]
    wide = high > low
    least, most = np.maximum(low, limits[0]), np.minimum(high, limits[1])
    axes.fill_between(found.t, least, most, where=wide.tolist(), color=colour, alpha=0.2, lw=0)
    name = plain(said_rows(found.rows)[found.rows[place]]) + (", not determined" if wide.any() else "")
    axes.plot(found.t, found.multipliers[:, place], color=colour, ls=dash, label=name)
