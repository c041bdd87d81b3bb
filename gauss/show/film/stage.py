"""`Stage`: axes on which a scene is drawn, frame by frame, in space or in the plane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from gauss.bodies import Drawing
from gauss.foundation.arrays import Array
from gauss.geometry.vectors import across
from gauss.show.film.bodies import GREY, FilmScene, Part, Plane
from gauss.show.look import style

if TYPE_CHECKING:
    from numpy.typing import NDArray

DPI = 100
LARGEST, LEAST = (640, 480), 200  # pixels of a picture whose size is left open; the height it has at least
BELOW, ABOVE, ACROSS = 57.6, 38.4, 0.84  # pixels below and above axes in the plane; share of the width that they have
TIME = 24.0  # pixels from the top to the foot of the time
EDGE = 4.0  # pixels from the labels of axes in space to the edges of a picture, at least
NARROW, EACH = 260.0, 55.0  # pixels of axes in the plane up to which numbers on x are few, and of each interval then
NOTE = 76  # letters of a line of the note in the corner
SHORT = 0.3  # of the longest: a side of the box of axes that has no room for numbers
LABEL, NUMBER = {"x": 28.0, "y": 24.0, "z": 16.0}, 6.0  # points from an axis in space to its label and its numbers
FILLED = np.array([0.76, 0.78])  # of the width and height of a picture, at most, by the box of axes in space
AROUND = 105.6  # pixels below and above that box, for labels and time
LIGHT = np.array([0.35, -0.5, 0.79])  # direction to the light, of length 1
SHADE = 0.35  # of the brightness of a face depends on its inclination to the light
CLEAR = 0.6  # opacity of a face behind which one sees what is hidden
PALE = 0.5  # share of white in a face of the second tone
ANCHOR = ((-0.6, -0.95), (0.0, 0.0), (0.6, -0.95), (-0.85, -0.95), (0.85, -0.95))  # triangle on a line, from its tip
LOOKS: dict[str, dict[str, Any]] = {  # of lines and dots; the order in depth is that of `zorder`
    "trace": {"lw": 1.2, "alpha": 0.8, "zorder": 2},
    "tip": {"ls": "", "marker": "o", "ms": 6.5, "mec": "white", "mew": 0.6, "zorder": 5},
    "line": {"lw": 3.0, "solid_capstyle": "round", "solid_joinstyle": "round", "zorder": 4},
    "string": {"lw": 1.4, "zorder": 4},
    "spring": {"lw": 1.4, "ls": ":", "zorder": 4},
    "dots": {"ls": "", "marker": "o", "ms": 8.0, "mec": "white", "mew": 0.6, "zorder": 7},
    "band": {"lw": 9.0, "alpha": 0.2, "solid_capstyle": "butt", "zorder": 2.5},
    "limit": {"lw": 1.4, "alpha": 0.6, "zorder": 2.6},
    "force": {"lw": 2.0, "zorder": 8},
    "doubtful": {"lw": 2.0, "ls": (0, (2, 1)), "zorder": 8},
    "anchor": {"ls": "", "marker": ANCHOR, "ms": 18.0, "zorder": 2},
    "joint": {"ls": "", "marker": "o", "ms": 4.8, "mfc": "white", "mew": 1.2, "zorder": 6},
}


def shape_of(scene: FilmScene, drawing: Drawing) -> tuple[int, int]:
    """Return the width and height in pixels, both even, of pictures that a scene fills: flat ones, too."""
    width, most = LARGEST
    if scene.dimension == 2:
        height = BELOW + ABOVE + ACROSS * width * float(scene.half[1] / scene.half[0])
    else:
        towards, up = sight(drawing.view, drawing.up)
        tall, wide = (float(np.abs(way) @ scene.half) for way in (up, np.cross(up, towards)))
        height = AROUND + FILLED[0] * width * tall / wide
    return width, 2 * round(min(max(height, LEAST), most) / 2)


class Stage:
    """A figure with one pair of axes (three in space); `picture(k)` draws frame k."""

    def __init__(self, scene: FilmScene, drawing: Drawing, size: tuple[int, int], speed: float):
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
            height = DPI * self.figure.get_figheight()
            top = 1.0 - TIME / height if height >= LEAST else 0.95
            self.label = self.figure.text(0.03, top, "", fontsize=11)
            if scene.note:
                self.figure.text(0.99, 0.985, fill(scene.note, NOTE), fontsize=7, color="0.45", ha="right", va="top")
        self._behind: Any = None  # pixels of all that stays, once a picture was drawn; of a view that follows none

    def picture(self, k: int) -> NDArray[np.uint8]:
        """Return frame k as pixels (height, width, 4)."""
        moving = [artist for artist in (*self.shown, self.label) if artist.get_visible()]
        with style():
            self.show(k)
            if np.ptp(self.scene.middle, axis=0).any():
                self.canvas.draw()
                return np.array(self.canvas.buffer_rgba(), dtype=np.uint8)
            if self._behind is None:
                for artist in moving:
                    artist.set_visible(False)
                self.canvas.draw()
                self._behind = self.canvas.copy_from_bbox(self.figure.bbox)
                for artist in moving:
                    artist.set_visible(True)
            self.canvas.restore_region(self._behind)
            renderer = self.canvas.get_renderer()
            for artist in sorted(moving, key=lambda artist: float(artist.get_zorder())):
                if hasattr(artist, "do_3d_projection"):
                    artist.do_3d_projection()
                artist.draw(renderer)
            return np.array(self.canvas.buffer_rgba(), dtype=np.uint8)

    # ------------------------------------------------------------------ what stays

    def _set_axes(self, drawing: Drawing) -> None:
        """Make the axes, equal in all directions."""
        from matplotlib.ticker import MaxNLocator

        if self.scene.dimension == 2:
            height = DPI * self.figure.get_figheight()
            low, high = (BELOW / height, ABOVE / height) if height >= LEAST else (0.12, 0.08)
            self.axes: Any = self.figure.add_axes((0.12, low, ACROSS, 1.0 - low - high))
            across, upwards = drawing.axes or ("x", "y")
            self.axes.set(xlabel=f"{across} / m", ylabel=f"{upwards} / m")
            self.axes.set_aspect("equal", adjustable="box")
            wide = (1.0 - low - high) * height * float(self.scene.half[0] / self.scene.half[1])
            if wide < NARROW:  # Matplotlib counts on numbers of three digits
                self.axes.xaxis.set_major_locator(MaxNLocator(max(1, int(wide / EACH))))
        else:
            width, height = self.figure.get_size_inches()
            side = 1.2 * max(width, height)  # of the square that matplotlib wants; it clips what is drawn beyond
            square = (0.5 - side / width / 2, 0.5 - side / height / 2, side / width, side / height)
            self.axes = self.figure.add_axes(square, projection="3d", computed_zorder=False)
            for axis, name in zip((self.axes.xaxis, self.axes.yaxis, self.axes.zaxis), "xyz", strict=True):
                axis.set_label_text(f"{name} / m")
                axis.labelpad = LABEL[name]
                axis.set_tick_params(pad=NUMBER)
            self.axes.view_init(*camera(drawing.view, drawing.up))
            share = self.scene.half / np.max(self.scene.half)
            beside = float(np.mean(share[:2]))  # sides that matplotlib measures distances from the z axis by
            self.axes.zaxis.set_tick_params(pad=NUMBER / beside)
            self.axes.zaxis.labelpad = LABEL["z"] / beside
            self._fill(share)
            for axis, part in zip((self.axes.xaxis, self.axes.yaxis, self.axes.zaxis), share, strict=True):
                axis.set_major_locator(MaxNLocator(max(1, round(4.0 * part))))
                if part < SHORT:
                    axis.set_ticks([])
                    axis.labelpad = NUMBER
                axis.pane.set_alpha(0.0)
                axis._axinfo["grid"].update(color=(0.0, 0.0, 0.0, 0.1), linewidth=0.6)
            self._keep_labels()
        self.axes.set_axisbelow(True)

    def _fill(self, share: Array) -> None:
        """Make the box of the axes, with sides in proportion to `share` (3,), fill the picture.

        Its size is in proportion to the zoom only nearly, because of the perspective.
        """
        from mpl_toolkits.mplot3d.proj3d import proj_transform  # type: ignore[import-untyped]

        low, high = self.scene.middle[0] - self.scene.half, self.scene.middle[0] + self.scene.half
        self.axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
        corners = np.array(list(product(*zip(low, high, strict=True))))
        zoom = 1.0
        for _ in range(3):
            self.axes.set_box_aspect(share, zoom=zoom)
            flat = np.column_stack(proj_transform(*corners.T, self.axes.get_proj())[:2])
            seen = self.figure.transFigure.inverted().transform(self.axes.transData.transform(flat))  # (8, 2), 0 … 1
            zoom *= float(np.min(FILLED / np.ptp(seen, axis=0)))
        shift = np.array([0.5, 0.5]) - (np.min(seen, axis=0) + np.max(seen, axis=0)) / 2.0
        self._shift(shift)

    def _keep_labels(self) -> None:
        """Move axes in space so that labels are in the picture, by a quarter of what is left beside them at most."""
        self.canvas.draw()
        boxes = [axis.label.get_window_extent() for axis in (self.axes.xaxis, self.axes.yaxis, self.axes.zaxis)]
        low, high = np.min([box.min for box in boxes], axis=0) - EDGE, np.max([box.max for box in boxes], axis=0) + EDGE
        size = self.figure.bbox.size
        shift = (np.maximum(-low, 0.0) - np.maximum(high - size, 0.0)) / size
        self._shift(np.clip(shift, -(1.0 - FILLED) / 8.0, (1.0 - FILLED) / 8.0))

    def _shift(self, shift: Array) -> None:
        """Move axes in space by shares (2,) of the picture."""
        x, y, width, height = self.axes.get_position().bounds
        self.axes.set_position((x + shift[0], y + shift[1], width, height))

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
        nowhere = [np.eye(3)[:, : scene.dimension]]
        self.solid: Any = kind(nowhere, linewidths=0.6, zorder=3)
        self.ground: Any = kind(nowhere, facecolor="0.85", alpha=0.5, lw=0, zorder=1)
        self.shown: list[Any] = []
        for artist, wanted in ((self.ground, self.sheets), (self.solid, self.faces)):
            if wanted:
                add(artist)
                self.shown.append(artist)
        self.strokes: list[tuple[Part, Any]] = []
        tips = [replace(trace, kind="tip", places=trace.places[:: trace.each]) for trace in scene.named("trace")]
        for part in (*scene.parts, *tips):  # where a trace has come to: often all there is of a particle
            if part.kind in LOOKS:
                nothing: list[list[float]] = [[]] * scene.dimension
                line = axes.plot(*nothing, color=part.colour, **LOOKS[part.kind])[0]
                if part.kind == "line" and part.colour == GREY:  # of the ground: behind what moves
                    line.set_zorder(1.5)
                self.strokes.append((part, line))
        self.shown += [line for _, line in self.strokes]
        self.tints = np.array([_tint(part) for part in self.faces])[:, None]  # (F, 1, 3)
        self.opacity = np.array([CLEAR if part.clear else 1.0 for part in self.faces])[:, None]  # (F, 1)
        if self.faces and scene.dimension == 3:
            self.tints = self.tints * np.array([_brightness(part.places) for part in self.faces])[:, :, None]

    # ------------------------------------------------------------------ what moves

    def show(self, k: int) -> None:
        """Move everything to frame k."""
        scene, space = self.scene, self.scene.dimension == 3
        low, high = scene.middle[k] - scene.half, scene.middle[k] + scene.half
        self.axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), **({"zlim": (low[2], high[2])} if space else {}))
        if self.faces:
            self.solid.set_verts([part.places[k] for part in self.faces])
            colours = self.tints[:, min(k, self.tints.shape[1] - 1)]
            self.solid.set_facecolor(np.hstack([colours, self.opacity]))
            self.solid.set_edgecolor(np.hstack([colours if space else 0.6 * colours, self.opacity]))
        if self.sheets:
            self.ground.set_verts([_sheet(plane, k, scene) for plane in self.sheets])
        for part, line in self.strokes:
            points = part.places[k]
            if part.kind == "trace":  # what has left the picture is not drawn over its margins
                points = part.places[: part.each * k + 1, 0]
                points = np.where(np.all((points >= low) & (points <= high), axis=1)[:, None], points, np.nan)
            if space:
                line.set_data_3d(*points.T)
            else:
                line.set_data(*points.T)
        faster = "" if self.speed == 1.0 else f"   (× {self.speed:.3g})"
        self.label.set_text(f"t = {scene.times[k]:.{self.digits}f} s{faster}")


def sight(view: Sequence[float], up: Sequence[float]) -> tuple[Array, Array]:
    """Return the directions (3,) from the middle to the eye and upwards in the picture; the view is as for `camera`."""
    elevation, azimuth = np.radians(view)
    first, second = (np.array(x) for x in across(tuple(up)))
    level = np.cos(azimuth) * first + np.sin(azimuth) * second
    towards = np.cos(elevation) * level + np.sin(elevation) * np.array(up)
    return towards, np.cos(elevation) * np.array(up) - np.sin(elevation) * level


def camera(view: Sequence[float], up: Sequence[float]) -> tuple[float, float, float]:
    """Return elevation, azimuth and roll (degrees) about z of a view given about `up` (3,), a unit vector.

    The azimuth counts from the first of the directions `across(up)`, which is x where up is y, z or −z.
    """
    towards, high = sight(view, up)
    e, a = float(np.arcsin(np.clip(towards[2], -1.0, 1.0))), float(np.arctan2(towards[1], towards[0]))
    usual = np.array([-np.sin(e) * np.cos(a), -np.sin(e) * np.sin(a), np.cos(e)])
    roll = np.arctan2(high @ np.cross(usual, towards), high @ usual)
    return float(np.degrees(e)), float(np.degrees(a)), float(np.degrees(roll))


def _tint(part: Part) -> Array:
    """Return the colour (3,) of a face in full light."""
    from matplotlib.colors import to_rgb

    colour = np.array(to_rgb(part.colour))
    return colour + PALE * (1.0 - colour) if part.tone else colour


def _brightness(faces: Array) -> Array:
    """Return how bright a face (N, k, 3) is at N times, by its inclination to the light, whichever side is seen."""
    normal = np.sum(np.cross(faces, np.roll(faces, -1, axis=1)), axis=1)  # twice its area, along its normal
    length = np.linalg.norm(normal, axis=1)
    return np.where(length == 0.0, 1.0, 1.0 - SHADE + SHADE * np.abs(normal @ LIGHT) / np.where(length, length, 1.0))


def _sheet(plane: Plane, k: int, scene: FilmScene) -> Array:
    """Return the corners (4, 3) of the part of a plane that is in the picture."""
    normal = plane.normal[k] / np.linalg.norm(plane.normal[k])
    sides = np.array(across(tuple(normal.tolist())))
    middle = scene.middle[k] - ((scene.middle[k] - plane.through[k]) @ normal) * normal
    reach = np.abs(sides) @ scene.half
    return np.array(
        [middle + a * reach[0] * sides[0] + b * reach[1] * sides[1] for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    )
