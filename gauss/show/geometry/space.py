"""Spatial axes: patches, cones, and the view from which the points are seen apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gauss.errors import InputError
from gauss.foundation.arrays import Array

CIRCLE = np.linspace(0.0, 2.0 * np.pi, 181)
REGION = "C0"


def polygon(axes: Any, corners: Array, colour: str, alpha: float) -> None:
    """Draw a plane polygon (p, 3) with at least three corners."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # type: ignore[import-untyped]

    if len(corners) > 2:
        axes.add_collection3d(Poly3DCollection([corners], facecolor=colour, alpha=alpha, edgecolor=colour, lw=1.2))


def frame(axes: Any, centre: Array, half: float, names: Sequence[str], points: Array, normals: Array) -> None:
    """Set limits, names and the view of spatial axes: one that shows the points apart and no plane on edge.

    Points (p, 3); planes by unit normals (k, 3).
    """
    from matplotlib.ticker import MaxNLocator

    axes.set(xlim=centre[0] + half * np.array([-1, 1]), ylim=centre[1] + half * np.array([-1, 1]))
    axes.set(zlim=centre[2] + half * np.array([-1, 1]), xlabel=names[0], ylabel=names[1], zlabel=names[2])
    axes.set_box_aspect((1, 1, 1), zoom=1.0)
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        axis.set_major_locator(MaxNLocator(5))
        axis.pane.set_alpha(0.0)
        axis._axinfo["grid"].update(color=(0.0, 0.0, 0.0, 0.12), linewidth=0.6)
    axes.view_init(*view(points / half, normals))


def view(points: Array, normals: Array) -> tuple[float, float]:
    """Return elevation and azimuth, degrees, from which the least of distances and areas as seen is greatest."""
    apart = [a - b for k, a in enumerate(points) for b in points[k + 1 :]]
    apart = [d for d in apart if np.linalg.norm(d) > 1e-9]
    best, widest = (22.0, -60.0), -1.0
    for elevation in (16.0, 22.0, 30.0, 40.0):
        for azimuth in range(-170, 181, 10):
            e, a = np.radians(elevation), np.radians(azimuth)
            eye = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
            seen = [float(np.linalg.norm(d - (d @ eye) * eye) / np.linalg.norm(d)) for d in apart]
            seen += [1.5 * abs(float(normal @ eye)) for normal in normals]
            score = min([*seen, 0.8]) - 0.003 * abs(azimuth % 90 - 45)  # an oblique box is easier to read
            if score > widest:
                best, widest = (elevation, float(azimuth)), score
    return best


def draw_surface(axes: Any, S: Array, vertex: Array, heights: tuple[float, float]) -> None:
    """Draw the cone (z − vertex)ᵀS(z − vertex) = 0, up to two heights along its axis: up and down.

    Raises what `cone_of` raises.
    """
    axis, ring = cone_of(S)
    u = np.cos(CIRCLE)[:, None] * ring[0] + np.sin(CIRCLE)[:, None] * ring[1]
    for height in (heights[0], -heights[1]):
        rim = height * (axis + u)
        s = np.linspace(0.0, 1.0, 12)[:, None, None]
        x, y, z = np.moveaxis(vertex + s * rim[None], -1, 0)
        axes.plot_surface(x, y, z, color=REGION, alpha=0.13, lw=0, rcount=12, ccount=60, shade=False)
        axes.plot(*(vertex + rim).T, color=REGION, lw=0.9, alpha=0.7)
        for k in range(0, 180, 15):
            axes.plot(*np.array([vertex, vertex + rim[k]]).T, color=REGION, lw=0.4, alpha=0.35)


def cone_of(S: Array) -> tuple[Array, Array]:
    """Return the unit axis (3,) of the cone zᵀS z = 0 and two radii (2, 3) of its section at height 1.

    Raises InputError unless S (3, 3) is regular with eigenvalues of both signs.
    """
    values, vectors = np.linalg.eigh(np.asarray(S, dtype=float))
    if np.sum(values > 0) == 1:
        values, vectors = -values[::-1], vectors[:, ::-1]
    small = 1e-9 * np.max(np.abs(values), initial=0.0)
    if values.size != 3 or not (values[0] < -small and values[1] > small):
        raise InputError("a cone in space needs a form S (3, 3) with one eigenvalue of one sign and two of the other.")
    axis = vectors[:, 0] * (1.0 if vectors[np.argmax(np.abs(vectors[:, 0])), 0] > 0 else -1.0)
    return axis, np.sqrt(-values[0] / values[1:])[:, None] * vectors[:, 1:].T


def room(S: Array, vertex: Array, centre: Array, half: float) -> tuple[float, float]:
    """Return how far up and down its axis a cone may be drawn so that the axis ends inside a box about a centre."""
    axis, _ = cone_of(S)
    with np.errstate(divide="ignore"):
        up = np.min((half + np.sign(axis) * (centre - vertex)) / np.abs(axis))
        down = np.min((half - np.sign(axis) * (centre - vertex)) / np.abs(axis))
    return float(np.clip(up, 0.0, half)), float(np.clip(down, 0.0, half))
