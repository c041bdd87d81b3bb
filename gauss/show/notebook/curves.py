"""Small multiples: each quantity of a motion against time in a panel of its own, as SVG in the colours of the page."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence

import numpy as np

from gauss.foundation.arrays import SPECK, Array, Indices
from gauss.model.units import with_unit
from gauss.motion import Trajectory
from gauss.motion.record.columns import turned
from gauss.show.figures.curves import drives_of, forces_of, telling
from gauss.show.notebook.markup import CURVES, Markup, escaped, number

PANELS = 8  # that are drawn
ACROSS = 4  # panels in a row
WIDTH, HEIGHT = 215.0, 118.0  # of a panel, pixels
LEFT, RIGHT, TOP, BOTTOM = 56.0, 12.0, 20.0, 20.0  # margins
POINTS = 240  # times that are drawn
BETWEEN = "#767676"  # what is read on white and on black


def sampled(run: Trajectory) -> Trajectory:
    """Return the motion at enough times for a curve, if it has its model; else as recorded."""
    if run.setting is None or not 2 <= len(run) <= POINTS:
        return run
    return run.at(np.union1d(np.linspace(run.t[0], run.t[-1], POINTS), run.t))


def shown_of(run: Trajectory) -> list[str]:
    """Return the names that tell a motion, those of its drives, and those of the forces in its joints."""
    return [*telling(run), *drives_of(run), *forces_of(run)]


def curves(run: Trajectory, degrees: bool = False) -> Markup:
    """Return curves of what tells a motion, the first `PANELS`, impacts and singular positions marked.

    What is rounding beside the others is drawn as zero. Of less than two states there is nothing. Raises InputError
    where degrees are asked for and nothing drawn is an angle.
    """
    if len(run) < 2:
        return Markup("")
    dense, shown = sampled(run), shown_of(run)[:PANELS]
    marks = [e.t for e in run.events if e.kind in ("impact", "accumulation", "singular")]
    speck = SPECK * max((float(np.nanmax(np.abs(dense[name]), initial=0.0)) for name in shown), default=0.0)
    told = turned([(name, run.unit(name), dense[name]) for name in shown], degrees)
    return multiples(dense.t, {name: (values, unit) for name, unit, values in told}, marks, speck)


def multiples(
    t: Array, quantities: Mapping[str, tuple[Array, str]], marks: Sequence[float] = (), speck: float = 0.0
) -> Markup:
    """Return a panel for each quantity (N,), with its unit, over the times (N,), with vertical lines at the marks."""
    columns = min(ACROSS, len(quantities))
    width, height = columns * WIDTH, -(-len(quantities) // columns) * HEIGHT
    panels = [
        f'<g transform="translate({k % columns * WIDTH:g} {k // columns * HEIGHT:g})">'
        f"{_panel(t, values, with_unit(name, unit, ' / '), marks, speck)}</g>"
        for k, (name, (values, unit)) in enumerate(quantities.items())
    ]
    label = f"{', '.join(quantities)} against time"
    return Markup(
        f'<svg class="curves" role="img" aria-label="{escaped(label)}" viewBox="0 0 {width:g} {height:g}"'
        f' width="{width:g}" height="{height:g}">{"".join(panels)}</svg>'
    )


def with_spares(card: Markup) -> Markup:
    """Return a card with a picture beside all curves, which a notebook that is not trusted shows in their place."""
    return Markup(re.sub(r'<svg class="curves".*?</svg>', lambda drawn: drawn[0] + _spare(drawn[0]), card))


def _spare(drawn: str) -> str:
    head, inner = drawn.removesuffix("</svg>").split(">", 1)
    label = head.partition('aria-label="')[2].partition('"')[0]
    alone = (
        f'{head} xmlns="http://www.w3.org/2000/svg" color="{BETWEEN}"><style>{CURVES}</style>'
        f'<g class="gauss"><g class="curves">{inner}</g></g></svg>'
    )
    return f'<img class="spare" alt="{label}" src="data:image/svg+xml;base64,{b64encode(alone.encode()).decode()}">'


def _panel(t: Array, values: Array, label: str, marks: Sequence[float], speck: float) -> str:
    """Return one panel: a frame of two axes with their ends, the curve, and vertical lines at the marks."""
    values = np.where(np.abs(values) <= speck, 0.0, values)
    if np.all(np.isnan(values)):
        return _text(LEFT, TOP - 6, f"{label}: not determined")
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if not np.isfinite(high - low):
        return _text(LEFT, TOP - 6, f"{label}: not finite")
    spread = high - low
    flat = spread <= SPECK * max(abs(low), abs(high))
    base, reach = (low - 0.5, 1.0) if flat else (low, spread)
    across, up = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    span = float(t[-1] - t[0]) or 1.0
    x, y = LEFT + across * (t - t[0]) / span, TOP + up * (1.0 - (values - base) / reach)
    drawn = _outline(y)
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x[drawn], y[drawn], strict=True) if np.isfinite(b))
    bottom = TOP + up
    lines = [LEFT + across * (mark - float(t[0])) / span for mark in marks[:60]]
    marked = "".join(f'<line class="mark" x1="{a:.1f}" x2="{a:.1f}" y1="{TOP:g}" y2="{bottom:g}"/>' for a in lines)
    ends = [(bottom + 3 - up / 2, low)] if flat else [(TOP + 4, high), (bottom + 1, low)]
    return (
        f'<path class="axis" d="M{LEFT:g} {TOP:g}V{bottom:g}H{LEFT + across:g}"/>{marked}<polyline points="{points}"/>'
        + _text(LEFT, TOP - 7, label, weight="600")
        + "".join(_text(LEFT - 4, height, number(value, 3), "end") for height, value in ends)
        + _text(LEFT, HEIGHT - 6, number(float(t[0]), 4))
        + _text(LEFT + across, HEIGHT - 6, f"{number(float(t[-1]), 4)} s", "end")
    )


def _outline(values: Array) -> Indices:
    """Return which of many values are drawn: the least and the largest of each `POINTS`-th part, and the ends."""
    if values.size <= 4 * POINTS:
        return np.arange(values.size)
    parts = np.array_split(np.arange(values.size), POINTS)
    extremes = [part[which(values[part])] for part in parts for which in (np.argmin, np.argmax)]
    return np.unique([0, *extremes, values.size - 1])


def _text(x: float, y: float, text: str, anchor: str = "start", weight: str = "400") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-weight="{weight}">{escaped(text)}</text>'
