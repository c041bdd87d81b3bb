"""Reactions along a motion, with bands where they are not determined."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gauss.analysis import ReactionRanges, reaction_ranges
from gauss.errors import InputError
from gauss.motion import Trajectory
from gauss.show.diagrams.canvas import canvas
from gauss.show.look import DASHES, PALETTE, beside, labelled, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 7  # rows in one figure


def reaction_bands(run: Trajectory | ReactionRanges, *rows: str, times: object = None, ax: Any = None) -> Figure:
    """Return the multipliers of rows along a motion: a line where they are determined, else a band of all values.

    Where a band has no limit it reaches the edge of the figure. The line in a band is the choice of least norm. Without
    names all rows of the unit of the first are drawn. `run` may be what `gauss.analysis.reaction_ranges` returns.
    Raises InputError as that does, for unknown rows and for rows of several units.

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
    found = run if isinstance(run, ReactionRanges) else reaction_ranges(run, times)
    unit = found.system.unit
    unknown = [row for row in rows if row not in found.rows]
    if unknown or not found.rows:
        raise InputError(f"there is no row {', '.join(map(repr, unknown))}; known: {', '.join(found.rows) or 'none'}.")
    shown = list(rows) or [row for row in found.rows if unit(row) == unit(found.rows[0])]
    units = sorted({unit(row) for row in shown})
    if len(units) > 1:
        raise InputError(f"the rows have different units ({', '.join(units)}); draw those of one unit.")
    with canvas(ax, found.system.name) as (figure, axes):
        places = [found.rows.index(row) for row in shown[:MOST]]
        bounds = np.concatenate([x[:, places].ravel() for x in (found.low, found.high, found.multipliers)])
        bounds = bounds[np.isfinite(bounds)]
        low, high = (float(np.min(bounds)), float(np.max(bounds))) if bounds.size else (-1.0, 1.0)
        margin = 0.06 * (high - low) or 0.06 * abs(high) or 1.0
        low, high = low - margin, high + margin
        for k, place in enumerate(places):
            colour = PALETTE[k % len(PALETTE)]
            least, most = np.maximum(found.low[:, place], low), np.minimum(found.high[:, place], high)
            wide = found.high[:, place] > found.low[:, place]
            axes.fill_between(found.t, least, most, where=wide.tolist(), color=colour, alpha=0.18, lw=0)
            name = plain(found.rows[place]) + (", not determined" if wide.any() else "")
            axes.plot(found.t, found.multipliers[:, place], color=colour, ls=DASHES[k % len(DASHES)], label=name)
        axes.set_ylim(low, high)
        axes.set(xlabel="$t$ / s", ylabel=labelled("multiplier λ", units[0]))
        beside(axes, max(0, len(shown) - MOST))
        return figure
