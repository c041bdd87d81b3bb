"""`view`: a run in the browser, with a slider for the time, play and pause, and the speed.

The package viser, which is optional, serves the page from this process. The bodies are sent once; at every frame only
their places and turns are, and the points that joints, springs and lines move to.
"""

from __future__ import annotations

import contextlib
import html
import importlib
import socket
import threading
import time as clock
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import rich

from gauss.bodies import Drawing, Mechanism
from gauss.errors import InputError
from gauss.foundation.arrays import Array, positive, scalar
from gauss.foundation.calls import advised
from gauss.foundation.storage import as_path, make_folder, replaced
from gauss.motion import Trajectory
from gauss.show.film.animate import RATE, consecutive
from gauss.show.film.bodies import DARK, GREY, Part, drawn
from gauss.show.film.panel import with_panel
from gauss.show.film.pieces import MovingSolid, Pieces, pieces_of, segments_of, shown_states, smoothed, toward
from gauss.show.film.stage import CLEAR, PALE, sight

PORT = 8080  # where free, so that a page that is open finds the next view
THICK = {"line": 3.0, "string": 1.5, "spring": 1.5, "trace": 1.5, "force": 3.0, "doubtful": 1.5, "limit": 1.5}
THICK["band"] = 9.0  # pixels
FAINT = 0.75  # share of white in a band
DOT, JOINT = 0.03, 0.02  # of the radius of the scene
APART = 3.0  # radii from the middle to the camera
DIGITS = 5  # of the time in a recorded page
GRID = 1.5  # radii from the middle to the sides of the grid
LIFT = 0.01  # radii by which lines and dots of a motion in the plane lie in front of surfaces


@advised
def view(
    run: Trajectory | Sequence[Trajectory],
    drawing: Drawing | Mechanism | None = None,
    *,
    speed: float | None = None,
    port: int | None = None,
    host: str = "127.0.0.1",
    wait: bool = False,
    forces: bool = False,
) -> Viewer:
    """Show a run in the browser and return the `Viewer`, which says where (`url`) and ends it (`stop()`).

    A list of runs, each of which begins when the one before ends, is one view. `drawing` is what `animate` takes, and
    may be left out as there. One second shows `speed` seconds of the motion (the drawing's own speed if left out). The
    page is served on `port`, 8080 or any free one if left out, to this computer only unless `host` says otherwise. The
    view lasts until `stop()` or the end of the program; with `wait` the call itself lasts until Ctrl-C. `forces` shows
    those of joints and rows, as in `animate`. `Viewer.save(path)` records the view as a page that plays without any
    server, and a notebook cell shows that page.

    Raises InputError where viser is not installed (pip install viser) or the port is taken, and for a run that is empty
    or of another system.

    >>> import gauss as g
    >>> scene = g.view(run, mechanism)  # doctest: +SKIP
    """
    require_viser()
    runs = consecutive(run, "a view")
    shown = drawn(runs[0], drawing)
    faster = shown.speed if speed is None else positive(speed, "speed")
    place = _free(host, port)
    pieces = pieces_of(shown_states(runs, shown, faster), shown, forces)
    found = Viewer(pieces, shown, faster, host, place)
    found.play()
    if wait:
        found.wait()
    return found


def require_viser() -> Any:
    """Return the package viser. Raises InputError, which says how to install it."""
    try:
        return importlib.import_module("viser")
    except ImportError as error:
        why = "which is not installed" if error.name == "viser" else f"which cannot be loaded ({error})"
        raise InputError(
            f"the view in the browser needs the package viser, {why}: pip install viser (or gauss-dynamics[viewer])."
        ) from None


@contextlib.contextmanager
def _without_a_word() -> Iterator[None]:
    """Keep quiet what viser prints of its server, by rich, whether or not it is asked to."""
    told = rich.get_console()
    before, told.quiet = told.quiet, True
    try:
        yield
    finally:
        told.quiet = before


class Viewer:
    """A run in the browser at `url`; `stop()` ends it, and so does leaving a `with` block.

    `nodes` are viser's handles by name: /bodies/NAME, /placed/0, /ground, /joint/0, /spring/0, /line/0, /trace/0, … .
    """

    def __init__(self, pieces: Pieces, drawing: Drawing, speed: float, host: str, port: int):
        self.pieces, self.nodes = pieces, dict[str, Any]()
        self._time, self._frame, self._playing, self._since = float(pieces.times[0]), -1, False, 0.0
        self._lock, self._ended = threading.RLock(), threading.Event()
        with _without_a_word():
            self._server = require_viser().ViserServer(host=host, port=port, verbose=False)
        self._player = threading.Thread(target=self._play, daemon=True)
        try:
            self.port = int(self._server.get_port())
            self.url = f"http://{'127.0.0.1' if host in ('0.0.0.0', '') else host}:{self.port}"
            self._set_camera(drawing)
            self._set_nodes()
            self._set_controls(speed)
            self.show(self._time)
            self._player.start()
        except BaseException:
            self._server.stop()
            raise

    # ------------------------------------------------------------------ what a user calls

    @property
    def time(self) -> float:
        """Time that is shown (s)."""
        return self._time

    @property
    def playing(self) -> bool:
        """Whether the time runs."""
        return self._playing

    def show(self, time: float) -> None:
        """Show the state nearest to a time (s) of the run."""
        wanted = scalar(time, "time")
        with self._lock:
            if self._ended.is_set():
                return
            self._time = float(np.clip(wanted, self.pieces.times[0], self.pieces.times[-1]))
            k = self.pieces.nearest(self._time)
            if k != self._frame:
                self._frame = k
                with self._server.atomic():
                    self._move(k)
                if self._slider is not None:
                    self._slider.value = float(self.pieces.times[k])

    def play(self) -> None:
        """Let the time run, from the start again after the end."""
        self._set_playing(True)

    def pause(self) -> None:
        """Let the time stand."""
        self._set_playing(False)

    def stop(self) -> None:
        """End the view and free its port; a second call does nothing."""
        with self._lock:
            if self._ended.is_set():
                return
            self._ended.set()
        if self._player.is_alive() and threading.current_thread() is not self._player:
            self._player.join()
        with _without_a_word():
            self._server.stop()

    def save(self, path: str | Path) -> Path:
        """Write the motion as one HTML file, which plays by itself in any browser, and return its path.

        Raises InputError for another ending or a view that has ended, and FileError where the file cannot be written.
        """
        target = as_path(path)
        if target.suffix.lower() not in (".html", ".htm"):
            raise InputError(f"a view is saved as .html, got {target.name!r}; `animate` writes a .gif or an .mp4.")
        page = self.page()
        make_folder(target.parent)
        with replaced(target) as part:
            part.write_text(page, encoding="utf-8")
        return target

    def page(self) -> str:
        """Return the motion and what is told of it as the text of an HTML page, at the speed that is set.

        Raises InputError after `stop`.
        """
        with self._lock:
            if self._ended.is_set():
                raise InputError("the view has ended; save it before `stop()`.")
            frame, speed = max(self._frame, 0), float(self._speed.value) or 1.0
            self._move(0)
            recording, times = self._server.get_scene_serializer(), self.pieces.times
            for k, each in enumerate(np.diff(times, append=times[-1])):
                self._move(k)
                recording.insert_sleep(float(each) / speed)
            page = str(recording.as_html())
            self._move(frame)
        now = [f"t = {t:.{DIGITS}g} s\n{self.pieces.energy_at(k)}" for k, t in enumerate(times)]
        return with_panel(page, self.pieces.words, (times - times[0]) / speed, now)

    def _repr_html_(self) -> str:
        """Return the page within a frame of another one."""
        if self._ended.is_set():
            return html.escape(repr(self))
        look = 'width="100%" height="480" style="border:none"'
        return f'<iframe srcdoc="{html.escape(self.page(), quote=True)}" {look}></iframe>'

    def wait(self) -> None:
        """Return when the view has ended, by `stop()` or Ctrl-C."""
        try:
            while not self._ended.wait(0.2):  # not for ever: Ctrl-C must come through everywhere
                pass
        except KeyboardInterrupt:
            pass
        finally:
            self.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<Viewer {self.url}, {'ended' if self._ended.is_set() else f't = {self._time:.6g} s'}>"

    # ------------------------------------------------------------------ the page

    def _set_camera(self, drawing: Drawing) -> None:
        """Look at the middle from where the drawing says; in the plane from in front of it."""
        up = (0.0, 1.0, 0.0) if self.pieces.flat else tuple(drawing.up)
        toward_us = np.array([0.0, 0.0, 1.0]) if self.pieces.flat else sight(drawing.view, up)[0]
        self._up = np.array(up)
        self._server.scene.set_up_direction(up)
        camera, middle, radius = self._server.initial_camera, self.pieces.middle, self.pieces.radius
        camera.position = middle + APART * radius * toward_us
        camera.look_at = middle
        camera.fov = np.radians(45.0)
        camera.near, camera.far = 0.01 * radius, 100.0 * radius

    def _set_nodes(self) -> None:
        """Send all that does not change."""
        scene, radius = self._server.scene, self.pieces.radius
        self._lift = np.array([0.0, 0.0, LIFT * radius if self.pieces.flat else 0.0])
        self._set_grid()
        for solid in self.pieces.solids:
            self.nodes[solid.name] = scene.add_frame(solid.name, show_axes=False)
            self._fill(solid)
        self._moving: list[tuple[Part, Any]] = []
        for kind in ("joint", "string", "spring", "line", "trace", "band", "limit", "force", "doubtful"):
            for i, part in enumerate(p for p in self.pieces.parts if p.kind == kind):
                self.nodes[f"/{kind}/{i}"] = node = self._path(f"/{kind}/{i}", part)
                self._moving.append((part, node))
        self._sheets = []
        for i, plane in enumerate(self.pieces.planes):
            square = radius * np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], dtype=float)
            look = {"color": _rgb(GREY), "opacity": 0.35, "side": "double"}
            node = scene.add_mesh_simple(f"/plane/{i}", square, np.array([[0, 1, 2], [0, 2, 3]]), **look)
            self.nodes[f"/plane/{i}"] = node
            normal = plane.normal / np.linalg.norm(plane.normal, axis=1, keepdims=True)
            middle = self.pieces.middle + self.pieces.shift
            height = np.sum((middle - plane.through) * normal, axis=1, keepdims=True)
            self._sheets.append((node, middle - height * normal, toward(normal)))

    def _set_grid(self) -> None:
        """Send a grid: in space below everything, in the plane behind it."""
        pieces, radius = self.pieces, self.pieces.radius
        up = np.array([0.0, 0.0, 1.0]) if pieces.flat else self._up
        height = -LIFT * radius if pieces.flat else pieces.floor - LIFT * radius
        cell = 10.0 ** np.floor(np.log10(radius))
        size = 2.0 * cell * np.ceil(GRID * radius / cell)
        look: dict[str, Any] = {"cell_size": cell, "section_size": 5.0 * cell, "cell_color": (225, 225, 225)}
        place = pieces.middle + (height - pieces.middle @ up) * up
        turn = toward(up[None])[0]
        self._server.scene.add_grid(
            "/grid", size, size, position=place, wxyz=turn, section_color=(190, 190, 190), **look
        )

    def _fill(self, solid: MovingSolid) -> None:
        """Send what is fixed in a body."""
        scene, name, colour = self._server.scene, solid.name, _rgb(solid.colour)
        for tone, corners in enumerate(solid.corners):
            if len(corners):
                look: dict[str, Any] = {"color": _rgb(solid.colour, PALE * tone), "side": "double"}
                look |= {"opacity": CLEAR} if solid.clear else {}
                scene.add_mesh_simple(f"{name}/tone{tone}", *smoothed(corners), **look)
        if len(solid.segments):
            look = {"thickness": THICK["line"], "thickness_units": "screen", "position": self._lift}
            scene.add_line_segments(f"{name}/lines", solid.segments, colour, **look)
        if len(solid.dots):
            self._dots(f"{name}/dots", solid.dots, colour, DOT)

    def _path(self, name: str, part: Part) -> Any:
        """Send a joint, a spring, a line, or a whole trace."""
        if part.kind == "joint":
            return self._dots(name, part.places[0], _rgb(DARK), JOINT)
        points = part.places[:, 0] if part.kind == "trace" else part.places[0]
        if len(points) == 1:
            return self._dots(name, points, _rgb(part.colour), JOINT)
        behind = -1.0 if part.kind == "band" else 1.0
        look = {"thickness": THICK[part.kind], "thickness_units": "screen", "position": behind * self._lift}
        colour = _rgb(part.colour, FAINT if part.kind == "band" else 0.0)
        return self._server.scene.add_line_segments(name, segments_of(points), colour, **look)

    def _dots(self, name: str, points: Array, colour: tuple[int, int, int], share: float) -> Any:
        """Send dots; their size is a share of the radius of the scene."""
        look: dict[str, Any] = {
            "point_size": share * self.pieces.radius,
            "point_shape": "circle",
            "precision": "float32",
        }
        look["position"] = 2.0 * self._lift
        return self._server.scene.add_point_cloud(name, points, colour, **look)

    def _set_controls(self, speed: float) -> None:
        """Make the slider, the box to play or pause, and the speed."""
        times, gui = self.pieces.times, self._server.gui
        gui.configure_theme(show_share_button=False)  # it would publish the page through a server of viser's makers
        self._slider: Any = None
        if len(times) > 1:
            first, last = float(times[0]), float(times[-1])
            self._slider = gui.add_slider("time / s", first, last, float(times[1] - times[0]), first)
            self._slider.on_update(lambda _: self._slid())
        self._box = gui.add_checkbox("play", False)
        self._box.on_update(lambda _: self._set_playing(bool(self._box.value)))
        self._speed = gui.add_number("speed", speed, min=0.0, step=speed / 10.0)
        gui.add_markdown("  \n".join(word.replace("*", "\\*") for word in self.pieces.words))
        self._energy = gui.add_markdown("")

    # ------------------------------------------------------------------ what moves

    def _move(self, k: int) -> None:
        """Move everything to frame k."""
        shift = self.pieces.shift[k]
        for solid in self.pieces.solids:
            node = self.nodes[solid.name]
            node.position, node.wxyz = solid.origin[k] - shift, solid.turn[k]
        for part, node in self._moving:
            if part.kind == "trace":
                node.position = self._lift - shift
            elif part.kind == "joint":
                node.points = (part.places[k] - shift).astype(np.float32)
            else:
                node.points = segments_of(part.places[k] - shift).astype(np.float32)
        self._energy.content = self.pieces.energy_at(k)
        for node, places, turns in self._sheets:
            node.position, node.wxyz = places[k] - shift, turns[k]

    def _slid(self) -> None:
        """Follow the slider where a user has moved it."""
        with self._lock:
            if self.pieces.nearest(self._slider.value) != self._frame:
                self.show(self._slider.value)

    def _set_playing(self, playing: bool) -> None:
        with self._lock:
            self._since = clock.monotonic() if playing and not self._playing else self._since
            self._playing = playing
            if not self._ended.is_set():
                self._box.value = playing

    def _play(self) -> None:
        """Advance the time while it plays, by the clock."""
        first, last = float(self.pieces.times[0]), float(self.pieces.times[-1])
        before = clock.monotonic()
        while not self._ended.wait(1.0 / RATE):
            now = clock.monotonic()
            with self._lock:
                if self._playing and last > first:
                    to = self._time + float(self._speed.value) * (now - max(before, self._since))
                    self.show(to if to <= last else first if self._time >= last else last)
            before = now


def _rgb(colour: str, whitened: float = 0.0) -> tuple[int, int, int]:
    """Return a colour as three numbers up to 255, mixed with a share of white."""
    from matplotlib.colors import to_rgb  # late: drawing is optional

    r, g, b = (round(255.0 * (x + whitened * (1.0 - x))) for x in to_rgb(colour))
    return r, g, b


def _free(host: str, port: int | None) -> int:
    """Return the port to serve on, 0 for any. Raises InputError where the one that is asked for cannot be had."""
    if not isinstance(host, str):
        raise InputError(f"host must be a name or address, got {host!r}.")
    if port is not None and (isinstance(port, bool) or not isinstance(port, int) or not 0 <= port <= 65535):
        raise InputError(f"port must be a whole number from 0 to 65535, got {port!r}.")
    reason = ""
    for wanted in (PORT, 0) if port is None else (port,):
        try:
            with contextlib.closing(socket.create_server((host, wanted))) as trial:
                return int(trial.getsockname()[1])
        except OSError as error:
            reason = error.strerror or str(error)
    where = f"host {host!r}" if port is None else f"port {port} of {host!r}"
    remedy = (
        "Choose this computer, 127.0.0.1." if port is None else "Choose another port, or leave it out for a free one."
    )
    raise InputError(f"cannot serve the view on {where}: {reason}. {remedy}")
