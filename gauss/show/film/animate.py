"""`animate`: a run as a film of its bodies, in GIF or MP4, true to time.

A GIF is written by Pillow, which belongs to matplotlib; an MP4 needs the program ffmpeg. A film that is interrupted
leaves no file, and an older one as it was.
"""

from __future__ import annotations

import contextlib
import math
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauss.bodies import Drawing, Mechanism
from gauss.errors import FileError, InputError
from gauss.foundation.arrays import positive, scalar
from gauss.foundation.calls import advised
from gauss.foundation.progress import Report, reporter
from gauss.foundation.storage import as_path, make_folder, replaced
from gauss.motion import Trajectory
from gauss.nonsmooth import NonsmoothMotion
from gauss.show.film.bodies import scene_of
from gauss.show.film.stage import Stage

Image = NDArray[np.uint8]  # (height, width, 4)

RATE = 25.0  # frames per second
MOST = 3000  # frames of one film
FASTEST = 50.0  # frames per second of a GIF: viewers show a delay below 0.02 s as 0.1 s
COLOURS = 128  # of a frame of a GIF
PATH, FINEST = 4, 400  # points of a trace for each recorded step, at most so many from one frame to the next


@advised
def animate(
    run: Trajectory,
    drawing: Drawing | Mechanism,
    path: str | Path,
    *,
    speed: float | None = None,
    rate: float = RATE,
    size: tuple[int, int] = (640, 480),
    progress: str | Report = "auto",
) -> Path:
    """Write a film of a run and return its path; the ending of the path, .gif or .mp4, says which.

    `drawing` is a `Drawing`, or a `Mechanism` that is drawn from its inertia and joints. One second of the film shows
    `speed` seconds of the motion (the drawing's own speed if left out) in `rate` frames; `size` is in pixels, both
    even. `progress` is "auto" (a bar on a terminal), "none", or a function of the fraction done.

    Raises InputError for a run that is empty, of another system, or too long for 3000 frames, and FileError where the
    file cannot be written or ffmpeg is missing.

    >>> import gauss as g
    >>> from gauss import bodies as mb
    >>> rod = mb.PlanarBody("rod", 1.0, 0.1, centre=(0.5, 0))
    >>> swing = mb.Mechanism("swing", [rod], [mb.Pin("pin", mb.GROUND, (0, 0), rod, (0, 0))])
    >>> run = g.simulate(swing, *swing.state(rod.pose()), t_end=0.2)
    >>> g.animate(run, swing, "swing.gif").name
    'swing.gif'
    """
    target = as_path(path)
    require_states(run, "a film")
    shown = drawing if isinstance(drawing, Drawing) else Drawing(drawing)
    report = reporter(progress, f"film {target.name}")
    try:
        write = _writer(target, scalar(rate, "rate"))
        width, height = _pixels(size)
        faster = shown.speed if speed is None else positive(speed, "speed")
        dense = frames_of(run, shown, faster, rate)
        fine, each = path_of(run, shown, dense)
        stage = Stage(scene_of(dense, shown, each, fine), shown, (width, height), faster)

        def pictures() -> Iterator[Image]:
            for k in range(len(dense)):
                yield stage.picture(k)
                report((k + 1) / len(dense))

        make_folder(target.parent)
        with replaced(target) as part:
            write(pictures(), part, rate, (width, height))
    finally:
        report.close()
    return target


def require_states(run: object, what: str) -> None:
    """Raise InputError, which names `what`, for what is no run or an empty one."""
    if not isinstance(run, Trajectory) or len(run) == 0:
        got = "no states" if isinstance(run, Trajectory) else f"a {type(run).__name__}"
        scene = "; a Scene is drawn picture by picture, by gauss.nonsmooth.draw_scene"
        more = scene if isinstance(run, NonsmoothMotion) else "; of a tree of motions pass one branch's"
        raise InputError(f"{what} needs a run of gauss.simulate, got {got}{more}.")


def frames_of(run: Trajectory, drawing: Drawing, speed: float, rate: float) -> Trajectory:
    """Return the motion at the times of the frames: speed/rate apart, from the start. Raises InputError."""
    require_states(run, "a film")
    run = _with_system(run, drawing)
    each = speed / positive(rate, "rate")
    span = float(run.t[-1] - run.t[0])
    count = math.floor(span / each + 1e-9) + 1
    if count > MOST:
        raise InputError(
            f"the film would have {count} frames; {MOST} are possible. Choose a speed of at least"
            f" {span * rate / MOST:.3g}, or fewer frames per second than {rate:g}."
        )
    return run.at(np.minimum(run.t[0] + each * np.arange(count), run.t[-1]))


def path_of(run: Trajectory, drawing: Drawing, frames: Trajectory) -> tuple[Trajectory, int]:
    """Return the motion between the frames for its traces, and how many of its states there are for each frame.

    Frames may be far apart for a fast motion; the states are `PATH` for each recorded step where most of them lie
    between two frames, but at most `FINEST` from one frame to the next.
    """
    if not drawing.traces or len(frames) < 2:
        return frames, 1
    steps = np.histogram(run.t, frames.t)[0].max() + 1
    each = int(min(PATH * steps, FINEST))
    places = np.arange((len(frames) - 1) * each + 1) / each
    return _with_system(run, drawing).at(np.interp(places, np.arange(len(frames)), frames.t)), each


def _with_system(run: Trajectory, drawing: Drawing) -> Trajectory:
    """Return the run with the system of the drawing, where it has none, as one that was read from a file."""
    if run.setting is not None or drawing.mechanism is None:
        return run
    return run.with_system(drawing.mechanism.system)


def delays(count: int, rate: float) -> list[int]:
    """Return how long each frame of a GIF is shown, in milliseconds, multiples of ten with the right sum."""
    ends = [round(100.0 * (k + 1) / rate) for k in range(count)]
    return [10 * (b - a) for a, b in zip([0, *ends[:-1]], ends, strict=True)]


def _write_gif(pictures: Iterator[Image], path: Path, rate: float, size: tuple[int, int]) -> None:
    """Write frames with Pillow."""
    from PIL import Image as images  # late: drawing is optional

    frames = [images.fromarray(picture[:, :, :3]).quantize(COLOURS, dither=images.Dither.NONE) for picture in pictures]
    frames[0].save(
        path,
        format="GIF",
        save_all=True,
        append_images=frames[1:],
        duration=delays(len(frames), rate),
        loop=0,
    )


def _write_mp4(pictures: Iterator[Image], path: Path, rate: float, size: tuple[int, int]) -> None:
    """Hand frames to ffmpeg. Raises FileError when it fails."""
    command = [str(_ffmpeg()), "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgba"]
    command += ["-s", f"{size[0]}x{size[1]}", "-framerate", repr(float(rate)), "-i", "-"]
    command += ["-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4", str(path)]
    film = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert film.stdin is not None
    assert film.stderr is not None
    said = b""
    try:
        with contextlib.suppress(BrokenPipeError), film.stdin as way:  # why it broke, ffmpeg says itself
            for picture in pictures:
                way.write(picture.tobytes())
        said = film.stderr.read()
    except BaseException:
        film.kill()
        raise
    finally:
        film.stderr.close()
        film.wait()
    if film.returncode != 0:
        text = said.decode(errors="replace").strip() or "it says nothing"
        raise FileError(f"ffmpeg could not write the film (status {film.returncode}): {text}.")


def _ffmpeg() -> str | None:
    """Return the program that writes MP4, or None."""
    import matplotlib  # late: drawing is optional

    return shutil.which(str(matplotlib.rcParams["animation.ffmpeg_path"]))


Writer = Callable[[Iterator[Image], Path, float, tuple[int, int]], None]


def _writer(path: Path, rate: float) -> Writer:
    """Return what writes a file of this ending. Raises InputError, FileError."""
    positive(rate, "rate")
    if path.suffix.lower() == ".gif":
        if rate > FASTEST:
            raise InputError(f"a GIF shows at most {FASTEST:g} frames per second, but the rate is {rate:g}; use .mp4.")
        return _write_gif
    if path.suffix.lower() != ".mp4":
        raise InputError(f"a film is a .gif or an .mp4, got {path.name!r}.")
    if _ffmpeg() is None:
        raise FileError(
            f"{path.name}: an MP4 needs the program ffmpeg, which is not found. Install it (for example: apt install"
            " ffmpeg), give its path as matplotlib.rcParams['animation.ffmpeg_path'], or write a .gif."
        )
    return _write_mp4


def _pixels(size: Any) -> tuple[int, int]:
    """Return width and height. Raises InputError for anything but two even numbers of a sensible size."""
    good = isinstance(size, (tuple, list)) and len(size) == 2 and all(isinstance(x, (int, np.integer)) for x in size)
    if not good or any(x % 2 or not 64 <= x <= 4096 for x in size):
        raise InputError(f"size is width and height in pixels, two even numbers from 64 to 4096, got {size!r}.")
    return int(size[0]), int(size[1])
