"""Pictures of a motion from its start to its end, side by side in a figure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gauss.bodies import Drawing
from gauss.foundation.arrays import Array
from gauss.motion import Trajectory
from gauss.show.film.bodies import scene_of
from gauss.show.film.film import Image
from gauss.show.film.stage import Stage, shape_of

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase

POSES = 5  # pictures: the first, the last, and some between
PAPER, AROUND = 255, 6  # brightness of what nothing is drawn on; pixels of it that are left


def poses(run: Trajectory, drawing: Drawing, count: int = POSES) -> tuple[Array, list[Image]]:
    """Return times (s) from the start of a motion to its end, and its pictures there, of one scale and without axes.

    All are cut to what any of them shows.
    """
    some = run.at(np.linspace(run.t[0], run.t[-1], count))
    bare = replace(drawing, traces=(), note="")
    scene = scene_of(some, bare)
    stage = Stage(scene, bare, shape_of(scene, bare), 1.0)
    stage.axes.set_axis_off()
    stage.label.set_visible(False)
    pictures = [stage.picture(k)[:, :, :3] for k in range(count)]
    inked = np.min(pictures, axis=(0, 3)) < PAPER
    (low, high), (left, right) = (_between(np.any(inked, axis=axis)) for axis in (1, 0))
    return some.t, [picture[low:high, left:right] for picture in pictures]


def _between(inked: Array) -> tuple[int, int]:
    """Return from where to where something is drawn, with what is left around it."""
    at = np.flatnonzero(inked)
    return (max(int(at[0]) - AROUND, 0), int(at[-1]) + AROUND + 1) if at.size else (0, len(inked))


def draw_poses(run: Trajectory, drawing: Drawing, figure: FigureBase) -> None:
    """Draw pictures of a motion side by side, each with its time above it."""
    times, pictures = poses(run, drawing)
    for axes, time, picture in zip(figure.subplots(1, len(times), squeeze=False)[0], times, pictures, strict=True):
        axes.imshow(picture)
        axes.set_title(f"$t$ = {time:.3g} s")
        axes.set_axis_off()
