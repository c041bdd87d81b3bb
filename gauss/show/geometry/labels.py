"""Labels that stay legible: each is set beside its point where it covers neither lines nor other labels."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.artist import Artist

from gauss.foundation.arrays import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text
    from matplotlib.transforms import Bbox, BboxBase

Labels = list[tuple[Array, str, str]]  # anchor (2 or 3,), text, colour

DIRECTIONS = np.linspace(0.0, 2.0 * np.pi, 16, endpoint=False) + np.pi / 8
RADII = (7.0, 12.0, 18.0, 26.0, 36.0, 50.0)  # points between an anchor and its label
MARKER = 5.0 * np.array([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1]])  # pixels about an anchor that its marker covers
FAR = 0.08  # cost of a point of distance, in points of lines covered
EDGE = 2.0  # pixels kept free around a label


def place(axes: Axes, labels: Labels, lines: list[Array]) -> None:
    """Set labels on plane or spatial axes, away from polylines (p, 2 or 3) and from each other.

    Places are found anew whenever the figure is drawn, so that they fit its final size, layout and view.
    """
    axes.add_artist(_Placed(labels, lines))


def screen(axes: Axes, points: Array) -> Array:
    """Return the pixels (p, 2) of points (p, 2 or 3) on plane or spatial axes."""
    if axes.name == "3d":
        from mpl_toolkits.mplot3d import proj3d  # type: ignore[import-untyped]

        x, y, _ = proj3d.proj_transform(*points.T, axes.get_proj())  # type: ignore[attr-defined]
        points = np.column_stack([x, y])
    return np.asarray(axes.transData.transform(points[:, :2]))


class _Placed(Artist):
    """Labels of one axes; directions and distances are tried in turn, and the first that covers least is taken."""

    def __init__(self, labels: Labels, lines: list[Array]):
        super().__init__()
        self.labels, self.lines = labels, lines
        self.boxes: list[tuple[str, Bbox]] = []  # texts and places when last drawn
        self.set_in_layout(False)
        self.set_zorder(20.0)

    def draw(self, renderer: Any) -> None:
        """Find the places and draw the labels."""
        from matplotlib.axes import Axes

        axes = self.axes
        assert isinstance(axes, Axes)
        anchors = [screen(axes, anchor[None])[0] for anchor, _, _ in self.labels]
        drawn = [_dense(screen(axes, line)) for line in self.lines]
        markers = [np.repeat(anchor + MARKER, 3, axis=0) for anchor in anchors]
        obstacles = np.vstack([np.zeros((0, 2)), *drawn, *markers])
        taken: list[BboxBase] = [text.get_window_extent(renderer) for text in _other_texts(axes)]
        self.boxes = []
        for (_, text, colour), anchor in zip(self.labels, anchors, strict=True):
            note = self._note(text, colour)
            box = note.get_window_extent(renderer)
            half = np.array([box.width, box.height]) / 2.0
            note.set_position(_best(anchor, half, obstacles, taken, axes.bbox, axes.figure.dpi / 72.0))
            note.draw(renderer)
            taken.append(note.get_window_extent(renderer))
            self.boxes.append((text, note.get_window_extent(renderer)))

    def _note(self, text: str, colour: str) -> Text:
        from matplotlib.text import Text
        from matplotlib.transforms import IdentityTransform

        note = Text(0.0, 0.0, text, color=colour, ha="center", va="center", transform=IdentityTransform())
        note.set_bbox({"facecolor": "white", "alpha": 0.7, "lw": 0, "pad": 0.5})
        assert self.axes is not None
        note.set_figure(self.axes.figure)
        return note


def _other_texts(axes: Axes) -> list[Text]:
    """Return the title and, in space, the numbers and names of the axes, which stand among the things drawn."""
    texts = [*axes.texts, axes.title]
    if axes.name == "3d":
        for axis in (axes.xaxis, axes.yaxis, axes.zaxis):  # type: ignore[attr-defined]
            texts += [axis.label, *(tick.label1 for tick in axis.get_major_ticks())]
    return [text for text in texts if text.get_visible() and text.get_text().strip()]


def _dense(line: Array, apart: float = 3.0) -> Array:
    """Return points at most a few pixels apart along a polyline."""
    parts = [line[:1]]
    for start, end in pairwise(line):
        count = min(int(np.linalg.norm(end - start) / apart) + 1, 2000)
        parts.append(start + (end - start) * np.linspace(0.0, 1.0, count + 1)[1:, None])
    return np.vstack(parts)


def _best(
    anchor: Array, half: Array, obstacles: Array, taken: list[BboxBase], frame: BboxBase, pixels: float
) -> tuple[float, float]:
    """Return the centre of a label of half the size `half` (2,) that covers least, near its anchor; all in pixels."""
    best, least = anchor, np.inf
    for radius in RADII:
        for angle in DIRECTIONS:
            u = np.array([np.cos(angle), np.sin(angle)])
            centre = anchor + u * radius * pixels + half * np.clip(u * 1.4, -1.0, 1.0)
            cost = _covered(centre - half - EDGE, centre + half + EDGE, obstacles, taken, frame) + FAR * radius
            if cost < least:
                best, least = centre, cost
    return float(best[0]), float(best[1])


def _covered(low: Array, high: Array, obstacles: Array, taken: list[BboxBase], frame: BboxBase) -> float:
    """Return how much a box covers: points of lines, other labels, and what sticks out of the frame."""
    inside = np.all((obstacles >= low) & (obstacles <= high), axis=1)
    over = 0.0
    for box in taken:
        width = min(high[0], box.x1) - max(low[0], box.x0)
        height = min(high[1], box.y1) - max(low[1], box.y0)
        if width > 0.0 and height > 0.0:
            over += 1.0 + width * height / 100.0
    out = np.maximum([frame.x0 - low[0], frame.y0 - low[1]], 0.0).sum()
    out += np.maximum([high[0] - frame.x1, high[1] - frame.y1], 0.0).sum()
    return float(np.sum(inside)) + 200.0 * over + 5.0 * float(out)


def crowded(figure: Figure) -> list[str]:
    """Return which labels overlap another one or the title, or are cut off by the edge of the figure."""
    figure.draw_without_rendering()
    edge = figure.bbox
    boxes: list[tuple[str, BboxBase]] = []
    for axes in figure.get_axes():
        boxes.append((axes.get_title(), axes.title.get_window_extent()))
        boxes += [entry for child in axes.get_children() if isinstance(child, _Placed) for entry in child.boxes]
    boxes = [(text, box) for text, box in boxes if text]
    faults = []
    for k, (text, box) in enumerate(boxes):
        if box.x0 < edge.x0 - 1 or box.y0 < edge.y0 - 1 or box.x1 > edge.x1 + 1 or box.y1 > edge.y1 + 1:
            faults.append(f"{text!r} is cut off")
        faults += [f"{text!r} overlaps {other!r}" for other, next_box in boxes[k + 1 :] if box.overlaps(next_box)]
    return faults
