"""`Stage`: axes on which a scene is drawn, frame by frame, in space or in the plane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gauss.arrays import Array
from gauss.multibody import Drawing
from gauss.multibody.vectors import across
from gauss.show.bodies import Part, Plane, Scene
from gauss.show.plots import style

if TYPE_CHECKING:
    from numpy.typing import NDArray

DPI = 100
LIGHT = np.array([0.35, -0.5, 0.79])  # direction to the light, of length 1
SHADE = 0.35  # of the brightness of a face depends on its inclination to the light
PALE = 0.5  # share of white in a face of the second tone
WIDTH = {"line": 2.2, "spring": 1.2, "trace": 1.0}
DOTS = {"dots": 6.0, "joint": 4.0}  # points


class Stage:
    """A figure with one pair of axes (three in space); `picture(k)` draws frame k."""

    def __init__(self, scene: Scene, drawing: Drawing, size: tuple[int, int], speed: float):
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        self.scene, self.speed = scene, speed
        steps = np.diff(scene.times)
        each = float(np.min(steps)) if len(steps) else 1.0
        self.digits = max(2, int(np.ceil(-np.log10(each)))) if each > 0.0 else 2
        with style():
            self.figure = Figure(figsize=(size[0] / DPI, size[1] / DPI), dpi=DPI)
            self.canvas: Any = FigureCanvasAgg(self.figure)
            self._set_axes(drawing)
            self._set_artists()
            self.label = self.figure.text(0.03, 0.95, "", fontsize=11)

    def picture(self, k: int) -> NDArray[np.uint8]:
        """Return frame k as pixels (height, width, 4)."""
        with style():
            self.show(k)
            self.canvas.draw()
            return np.array(self.canvas.buffer_rgba(), dtype=np.uint8)

    # ------------------------------------------------------------------ what stays

    def _set_axes(self, drawing: Drawing) -> None:
        """Make the axes, equal in all directions."""
        from matplotlib.ticker import MaxNLocator

        if self.scene.dimension == 2:
            self.axes: Any = self.figure.add_axes((0.12, 0.12, 0.84, 0.8))
            self.axes.set(xlabel="x / m", ylabel="y / m")
            self.axes.set_aspect("equal", adjustable="box")
        else:
            self.axes = self.figure.add_axes((0.0, 0.02, 0.96, 0.96), projection="3d", computed_zorder=False)
            self.axes.set(xlabel="x / m", ylabel="y / m", zlabel="z / m")
            self.axes.set_box_aspect(self.scene.half / np.max(self.scene.half), zoom=0.92)
            self.axes.view_init(*drawing.view)
            share = self.scene.half / np.max(self.scene.half)
            for axis, part in zip((self.axes.xaxis, self.axes.yaxis, self.axes.zaxis), share, strict=True):
                axis.set_major_locator(MaxNLocator(max(1, round(4.0 * part))))
                axis.pane.set_alpha(0.0)
                axis._axinfo["grid"].update(color=(0.0, 0.0, 0.0, 0.1), linewidth=0.6)
        self.axes.set_axisbelow(True)

    def _set_artists(self) -> None:
        """Make what is moved later: one collection of all faces, so that near ones hide far ones, and lines."""
        from matplotlib.collections import PolyCollection

        scene, axes = self.scene, self.axes
        self.faces = scene.named("face")
        self.sheets = list(scene.planes)
        if scene.dimension == 3:
            from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # type: ignore[import-untyped]

            kind, add = Poly3DCollection, axes.add_collection3d
        else:
            kind, add = PolyCollection, axes.add_collection
        self.solid: Any = kind([np.eye(3)[:, : scene.dimension]], linewidths=0.3, zorder=3)
        self.ground: Any = kind([np.eye(3)[:, : scene.dimension]], facecolor="0.85", alpha=0.5, lw=0, zorder=1)
        for artist, wanted in ((self.solid, self.faces), (self.ground, self.sheets)):
            if wanted:
                add(artist)
        self.strokes: list[tuple[Part, Any]] = []
        for part in scene.parts:
            if part.kind in WIDTH:
                look: dict[str, Any] = {"lw": WIDTH[part.kind], "ls": ":" if part.kind == "spring" else "-"}
                look |= {"zorder": 2 if part.kind == "trace" else 4}
            elif part.kind in DOTS:
                look = {"marker": "o", "ms": DOTS[part.kind], "ls": "", "zorder": 5}
            else:
                continue
            nothing: list[list[float]] = [[]] * scene.dimension
            self.strokes.append((part, axes.plot(*nothing, color=part.colour, **look)[0]))
        self.tints = np.array([_tint(part) for part in self.faces]) if self.faces else np.zeros((0, 3))

    # ------------------------------------------------------------------ what moves

    def show(self, k: int) -> None:
        """Move everything to frame k."""
        scene, space = self.scene, self.scene.dimension == 3
        low, high = scene.middle[k] - scene.half, scene.middle[k] + scene.half
        self.axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), **({"zlim": (low[2], high[2])} if space else {}))
        if self.faces:
            corners = [part.places[k] for part in self.faces]
            self.solid.set_verts(corners)
            bright = np.array([_brightness(face) for face in corners]) if space else np.ones(len(corners))
            self.solid.set_facecolor(self.tints * bright[:, None])
            self.solid.set_edgecolor(0.6 * self.tints)
        if self.sheets:
            self.ground.set_verts([_sheet(plane, k, scene) for plane in self.sheets])
        for part, line in self.strokes:
            points = part.places[k]
            if part.kind == "trace":  # what has left the picture is not drawn over its margins
                points = part.places[: k + 1, 0]
                points = np.where(np.all((points >= low) & (points <= high), axis=1)[:, None], points, np.nan)
            if space:
                line.set_data_3d(*points.T)
            else:
                line.set_data(*points.T)
        faster = "" if self.speed == 1.0 else f"   (× {self.speed:g})"
        self.label.set_text(f"t = {scene.times[k]:.{self.digits}f} s{faster}")


def _tint(part: Part) -> Array:
    """Return the colour (3,) of a face in full light."""
    from matplotlib.colors import to_rgb

    colour = np.array(to_rgb(part.colour))
    return colour + PALE * (1.0 - colour) if part.tone else colour


def _brightness(face: Array) -> float:
    """Return how bright a face (k, 3) is, by its inclination to the light; which side is seen does not matter."""
    normal = np.sum(np.cross(face, np.roll(face, -1, axis=0)), axis=0)  # twice its area, along its normal
    length = float(np.linalg.norm(normal))
    return 1.0 if length == 0.0 else 1.0 - SHADE + SHADE * abs(float(normal @ LIGHT)) / length


def _sheet(plane: Plane, k: int, scene: Scene) -> Array:
    """Return the corners (4, 3) of the part of a plane that is in the picture."""
    normal = plane.normal[k] / np.linalg.norm(plane.normal[k])
    sides = np.array(across(tuple(normal.tolist())))
    middle = scene.middle[k] - ((scene.middle[k] - plane.through[k]) @ normal) * normal
    reach = np.abs(sides) @ scene.half
    return np.array(
        [middle + a * reach[0] * sides[0] + b * reach[1] * sides[1] for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    )
