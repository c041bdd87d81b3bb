"""`animate`: a run as a film of its bodies, in a notebook, GIF or MP4, true to time."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any, overload

import numpy as np

from gauss.analysis import Linearization, SteadyMotion
from gauss.bodies import Drawing, Mechanism
from gauss.errors import InputError
from gauss.foundation.arrays import Array, positive
from gauss.foundation.calls import advised
from gauss.foundation.progress import Report
from gauss.foundation.storage import as_path
from gauss.motion import Trajectory, in_place_of_a_run
from gauss.motion.record.time_stepping import Stepping
from gauss.motion.record.trajectory import RECORDED
from gauss.nonsmooth import NonsmoothMotion
from gauss.show.film.bodies import FilmScene, drawn, scene_of
from gauss.show.film.film import Film, writer_of
from gauss.show.film.forces import arrows_of
from gauss.show.film.modes import mode_pictures
from gauss.show.film.stage import Stage, shape_of

RATE = 25.0  # frames per second
MOST = 3000  # frames of one film
ARROW = 0.5  # of the half size of the scene: the length of the largest force
SAME_TIME = 1e-9  # of the time, or of 1 s: by how much a run may begin beside the end of the one before
PATH, FINEST = 4, 400  # points of a trace for each recorded step, at most so many from one frame to the next


@overload
def animate(
    run: Trajectory | Sequence[Trajectory] | Linearization | SteadyMotion,
    drawing: Drawing | Mechanism | None = None,
    path: None = None,
    *,
    speed: float | None = None,
    rate: float = RATE,
    size: tuple[int, int] | None = None,
    forces: bool = False,
    mode: int | None = None,
    progress: str | Report = "auto",
) -> Film:
    """Return the film."""


@overload
def animate(
    run: Trajectory | Sequence[Trajectory] | Linearization | SteadyMotion,
    drawing: Drawing | Mechanism | None = None,
    path: str | Path = ...,
    *,
    speed: float | None = None,
    rate: float = RATE,
    size: tuple[int, int] | None = None,
    forces: bool = False,
    mode: int | None = None,
    progress: str | Report = "auto",
) -> Path:
    """Write the film."""


@advised
def animate(
    run: Trajectory | Sequence[Trajectory] | Linearization | SteadyMotion,
    drawing: Drawing | Mechanism | None = None,
    path: str | Path | None = None,
    *,
    speed: float | None = None,
    rate: float = RATE,
    size: tuple[int, int] | None = None,
    forces: bool = False,
    mode: int | None = None,
    progress: str | Report = "auto",
) -> Film | Path:
    """Return a run as a `Film`, which a notebook cell plays, or write it to a path and return that.

    A list of runs, each of which begins when the one before ends, is one film.
    `drawing` is a `Drawing`, or a `Mechanism` that is drawn from its inertia and joints; left out, it is that of
    `gauss.bodies.drawing_of(run)`. The ending of the path, .gif or .mp4, says what is written. One second of the film
    shows `speed` seconds of the motion (the drawing's own speed if left out) in `rate` frames; `size` is in pixels,
    both even; left out, the picture is 640 wide and as high as the scene asks, up to 480. With `forces` the forces of
    joints on their second bodies, or of rows on points and bars, are arrows, dashed where dependent rows or friction
    leave them open; a pale band then reaches from the least force to the greatest, without a stroke at an end that it
    has not. `progress` is "auto" (a bar on a terminal), "none", or a function of the fraction done.

    In place of a run, an equilibrium or its linear equations show a `mode` of small oscillations, counted from 1 and
    slowest first: without its damping, large enough to be seen, two seconds a period.

    Raises InputError for a mode that does not exist, a run that is empty, of another system, too long for 3000 frames,
    or of a system that cannot be drawn without a `Drawing`, and FileError where the file cannot be written or ffmpeg is
    missing.

    >>> import gauss as g
    >>> from gauss import bodies as mb
    >>> rod = mb.PlanarBody("rod", 1.0, 0.1, centre=(0.5, 0))
    >>> swing = mb.Mechanism("swing", [rod], [mb.Pin("pin", mb.GROUND, (0, 0), rod, (0, 0))])
    >>> run = g.simulate(swing, *swing.state(rod.pose()), t_end=0.2)
    >>> g.animate(run)
    <Film of 'swing': 6 frames, 25 per second>
    >>> g.animate(run, swing, "swing.gif").name
    'swing.gif'
    """
    target, rate = None if path is None else as_path(path), positive(rate, "rate")
    if target is not None:
        writer_of(target, rate)  # what cannot be written is refused before it is drawn
    pixels = None if size is None else _pixels(size)
    if isinstance(run, Linearization | SteadyMotion):
        if forces:
            raise InputError("a mode is a shape without forces: leave out forces=True.")
        dense, shown, faster = mode_pictures(run, 1 if mode is None else mode, drawing, speed, rate)
        scene = scene_of(dense, shown)
    else:
        runs = consecutive(run, "a film")
        if mode is not None:
            raise InputError("mode is for what gauss.equilibrium or gauss.linearize return, not for a run.")
        shown = drawn(runs[0], drawing)
        faster = shown.speed if speed is None else positive(speed, "speed")
        dense = frames_of(runs, shown, faster, rate)
        fine, each = path_of(runs, shown, dense)
        scene = scene_of(dense, shown, each, fine)
        scene = _pushed(scene, dense, shown) if forces else scene
    film = Film(Stage(scene, shown, pixels or shape_of(scene, shown), faster), rate, dense.about.system)
    return film if target is None else film.save(target, progress=progress)


def _pushed(scene: FilmScene, run: Trajectory, drawing: Drawing) -> FilmScene:
    """Return a scene with arrows of forces, and room for them."""
    arrows, half, note = arrows_of(run, drawing, ARROW * float(np.max(scene.half)), scene.middle, scene.half)
    return replace(scene, parts=(*scene.parts, *arrows), half=half, note="; ".join(filter(None, (scene.note, note))))


def require_states(run: object, what: str) -> None:
    """Raise InputError, which names `what`, for what is no run or an empty one."""
    if not isinstance(run, Trajectory) or len(run) == 0:
        got = "no states" if isinstance(run, Trajectory) else f"a {in_place_of_a_run(run)}"
        scene = "; a Scene is drawn picture by picture, by gauss.nonsmooth.draw_scene"
        more = scene if isinstance(run, NonsmoothMotion) else ""
        if isinstance(run, Mechanism | Drawing):
            more = ", which comes second: view(run, drawing), animate(run, drawing)"
        raise InputError(f"{what} needs a run of gauss.simulate, got {got}{more}.")


def consecutive(run: object, what: str) -> list[Trajectory]:
    """Return a run as a list, or a list of runs of one system that follow one another. Raises InputError."""
    runs: list[Any] = list(run) if isinstance(run, list | tuple) and run else [run]
    for each in runs:
        require_states(each, what)
    for k, (before, after) in enumerate(itertools.pairwise(runs), 1):
        if _model(before) != _model(after):
            raise InputError(f"{what} shows runs of one system; run {k + 1} has another one, or other parameters.")
        start, end = float(after.t[0]), float(before.t[-1])
        if abs(start - end) > SAME_TIME * max(1.0, abs(end)):
            raise InputError(
                f"{what} shows runs one after the other, but run {k} ends at t = {end:g} s and run {k + 1} begins at"
                f" {start:g} s: simulate(…, t=run.t[-1]) goes on from there."
            )
    return runs


def _model(run: Trajectory) -> tuple[Any, ...]:
    """Return what runs that are shown as one have in common."""
    about = run.about
    return about.coordinates, about.rows, about.parameters, run.stepping is None


def _at(runs: Sequence[Trajectory], drawing: Drawing, times: Array) -> Trajectory:
    """Return the motion of consecutive runs at times as one; at the end of one run it is that of the next."""
    turn = np.searchsorted([run.t[0] for run in runs[1:]], times, side="right")
    parts = [
        _with_system(run, drawing).at(np.clip(times[turn == k], run.t[0], run.t[-1])) for k, run in enumerate(runs)
    ]
    first = parts[0]
    if len(parts) == 1:
        return first
    states: dict[str, Any] = {}
    for name in (*RECORDED, "sliding", "sharing"):
        known = [getattr(part, name) for part in parts]
        if any(values is not None for values in known):
            states[name] = np.concatenate(
                [
                    np.zeros(part.multipliers.shape, dtype=bool) if values is None else values
                    for part, values in zip(parts, known, strict=True)
                ]
            )
    if first.stepping is not None:
        numbers = zip(*(astuple(part.stepping) for part in parts if part.stepping is not None), strict=True)
        states["stepping"] = Stepping(*map(np.concatenate, numbers))
    redundant = tuple(dict.fromkeys(name for part in parts for name in part.about.redundant))
    events = tuple(event for part in parts for event in part.events)
    about = replace(first.about, redundant=redundant)
    return replace(first, about=about, events=events, ending=parts[-1].ending, **states)


def frames_of(run: Trajectory | Sequence[Trajectory], drawing: Drawing, speed: float, rate: float) -> Trajectory:
    """Return the motion at the times of the frames: speed/rate apart, from the start. Raises InputError."""
    runs = consecutive(run, "a film")
    start, end = float(runs[0].t[0]), float(runs[-1].t[-1])
    each = speed / positive(rate, "rate")
    span = end - start
    count = math.floor(span / each + 1e-9) + 1
    if count > MOST:
        raise InputError(
            f"the film would have {count} frames; {MOST} are possible. Choose a speed of at least"
            f" {span * rate / MOST:.3g}, or fewer frames per second than {rate:g}."
        )
    return _at(runs, drawing, np.minimum(start + each * np.arange(count), end))


def path_of(runs: Sequence[Trajectory], drawing: Drawing, frames: Trajectory) -> tuple[Trajectory, int]:
    """Return the motion between the frames for its traces, and how many of its states there are for each frame.

    Frames may be far apart for a fast motion; the states are `PATH` for each recorded step where most of them lie
    between two frames, but at most `FINEST` from one frame to the next.
    """
    if not drawing.traces or len(frames) < 2:
        return frames, 1
    steps = np.histogram(np.concatenate([run.t for run in runs]), frames.t)[0].max() + 1
    each = int(min(PATH * steps, FINEST))
    places = np.arange((len(frames) - 1) * each + 1) / each
    return _at(runs, drawing, np.interp(places, np.arange(len(frames)), frames.t)), each


def _with_system(run: Trajectory, drawing: Drawing) -> Trajectory:
    """Return the run with the system of the drawing, where it has none, as one that was read from a file."""
    if run.setting is not None or drawing.mechanism is None:
        return run
    return run.with_system(drawing.mechanism.system)


def _pixels(size: Any) -> tuple[int, int]:
    """Return width and height. Raises InputError for anything but two even numbers of a sensible size."""
    good = isinstance(size, (tuple, list)) and len(size) == 2 and all(isinstance(x, (int, np.integer)) for x in size)
    if not good or any(x % 2 or not 64 <= x <= 4096 for x in size):
        raise InputError(f"size is width and height in pixels, two even numbers from 64 to 4096, got {size!r}.")
    return int(size[0]), int(size[1])
