"""What figures of motions show beside curves: events, and when contacts stick and slip."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gauss.foundation.arrays import Array
from gauss.motion import Trajectory
from gauss.show.contacts import mode_intervals
from gauss.show.figures.curves import dense, value_of
from gauss.show.look import BLUE, FAINT, MOST, ORANGE, beside, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKED = 60  # events above which only their times are marked, not each of them across the panels
MARKERS = {  # of events, at the top of a figure
    "impact": "v",
    "accumulation": "D",
    "contact": "o",
    "release": "^",
    "stick": "s",
    "slip": ">",
    "singular": "X",
    "event": "|",
}


def mark_times(axes: Axes, run: Trajectory, over: str, degrees: bool, named: bool) -> None:
    """Mark the times of events, and at the top of axes their kinds if they are to be named."""
    across = axes.get_xaxis_transform()
    events = _events_of(run)
    for kind, at in events.items():
        places = at if over == "t" else np.interp(at, dense(run).t, value_of(dense(run), over, degrees)[1])
        if sum(map(len, events.values())) <= MARKED:
            for place in places:
                axes.axvline(place, color=FAINT, lw=0.5, ls=":", zorder=0.5)
        how: dict[str, Any] = {"ls": "", "marker": MARKERS.get(kind, "|"), "ms": 4, "mfc": "white", "mec": "0.25"}
        if named:
            axes.plot(places, np.ones(len(places)), transform=across, clip_on=False, zorder=3, mew=0.7, **how)
            count = f" ({len(places)})" if len(places) > 1 else ""
            axes.plot([], [], label=kind + count, **how)


def _events_of(run: Trajectory) -> dict[str, Array]:
    """Return the times of events by their kinds, those between the first and the last state: it may be a part."""
    within = [event for event in run.events if run.t[0] <= event.t <= run.t[-1]]
    return {
        kind: np.array([event.t for event in within if event.kind == kind])
        for kind in dict.fromkeys(event.kind for event in within)
    }


def mark_places(axes: Axes, run: Trajectory, names: tuple[str, str], degrees: bool) -> None:
    """Mark where events happen in the plane of two names; nothing where they are too many to be told apart."""
    events = _events_of(run)
    if sum(map(len, events.values())) > MARKED:
        return
    for kind, times in events.items():
        at = np.minimum(np.searchsorted(run.t, times), len(run) - 1)
        x, y = (value_of(run, name, degrees)[1][at] for name in names)
        label = kind + (f" ({at.size})" if at.size > 1 else "")
        axes.plot(x, y, ls="", marker=MARKERS.get(kind, "|"), ms=4, mfc="white", mec="0.25", mew=0.7, label=label)


def draw_contacts(axes: Axes, run: Trajectory) -> None:
    """Draw when each contact with friction sticks (high bars) or slips (low ones)."""
    found = list(mode_intervals(run).items())[:MOST]
    for mode, height, colour in (("sticks", 0.7, BLUE), ("slips", 0.3, ORANGE)):
        for k, (_, pieces) in enumerate(found):
            spans = [(t0, t1 - t0) for t0, t1, found_mode in pieces if found_mode == mode]
            axes.broken_barh(spans, (k - height / 2, height), facecolor=colour, lw=0)
        axes.plot([], [], color=colour, lw=6.0 if mode == "sticks" else 3.0, label=mode)
    axes.set_yticks(range(len(found)), [plain(name) for name, _ in found])
    axes.set_ylim(len(found) - 0.4, -0.6)
    axes.grid(False)
    beside(axes, max(0, len(mode_intervals(run)) - MOST))
