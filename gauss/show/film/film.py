"""`Film`: the pictures of a run, shown in a notebook cell and written as GIF or MP4.

A GIF is written by Pillow, which belongs to matplotlib; an MP4 needs the program ffmpeg, which the package
imageio-ffmpeg brings too. A film that is interrupted leaves no file, and an older one as it was.
"""

from __future__ import annotations

import base64
import contextlib
import math
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gauss.errors import FileError, InputError
from gauss.foundation.progress import Report, reporter
from gauss.foundation.storage import as_path, make_folder, replaced
from gauss.show.film.stage import Stage

Image = NDArray[np.uint8]  # (height, width, 4)

FASTEST = 50.0  # frames per second of a GIF: viewers show a delay below 0.02 s as 0.1 s
COLOURS = 255  # of all frames of a GIF
SAMPLES = 12  # frames, of every second row and column, from which they are taken


class Film:
    """The pictures of a run, as many as `len` says, `rate` of them each second.

    `picture(k)` is one of them, `save(path)` writes a GIF or an MP4, and in a notebook cell the film plays: as an MP4
    where ffmpeg is found, else as a GIF, whole within the page.
    """

    def __init__(self, stage: Stage, rate: float, title: str):
        self.stage, self.rate, self.title = stage, rate, title

    def __len__(self) -> int:
        return len(self.stage.scene.times)

    def __repr__(self) -> str:
        return f"<Film of {self.title!r}: {len(self)} frames, {self.rate:g} per second>"

    def picture(self, k: int) -> Image:
        """Return frame k as pixels (height, width, 4): red, green, blue and opacity."""
        return self.stage.picture(range(len(self))[k])

    def save(self, path: str | Path, *, progress: str | Report = "auto") -> Path:
        """Write the film and return its path; its ending, .gif or .mp4, says which.

        `progress` is "auto" (a bar on a terminal), "none", or a function of the fraction done. Raises InputError for
        another ending and FileError where the file cannot be written or ffmpeg is missing.

        >>> import gauss as g
        >>> ball = g.System("ball", "x y", kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2), force=[0.0, -9.81])
        >>> film = g.animate(g.simulate(ball, [0, 0], [1, 2], t_end=0.4))
        >>> film.save("ball.gif").name, len(film)
        ('ball.gif', 11)
        """
        target = as_path(path)
        report = reporter(progress, f"film {target.name}")
        try:
            write = writer_of(target, self.rate)
            make_folder(target.parent)
            with replaced(target) as part:
                write(self, part, 1, report)
        finally:
            report.close()
        return target

    def _repr_html_(self) -> str:
        """Return the film as one element of a page, which needs no other file."""
        height, width = self.picture(0).shape[:2]
        said = _quoted(f"film of {self.title}: {(len(self) - 1) / self.rate:.3g} s")
        with tempfile.TemporaryDirectory() as folder:
            if ffmpeg() is None:
                _write_gif(self, Path(folder, "film"), math.ceil(self.rate / FASTEST))
                words, kind, end = "img", "image/gif", f' alt="{said}">'
            else:
                _write_mp4(self, Path(folder, "film"))
                words, kind = "video controls autoplay loop muted playsinline", "video/mp4"
                end = f' aria-label="{said}">{said}</video>'
            data = base64.b64encode(Path(folder, "film").read_bytes()).decode("ascii")
        shape = f'width="{width}" height="{height}" style="max-width: 100%; height: auto"'
        return f'<{words} {shape} src="data:{kind};base64,{data}"{end}'


def _quoted(text: str) -> str:
    """Return text for an attribute of a page."""
    import html

    return html.escape(text, quote=True)


def delays(count: int, rate: float) -> list[int]:
    """Return how long each frame of a GIF is shown, in milliseconds, multiples of ten with the right sum."""
    ends = [round(100.0 * (k + 1) / rate) for k in range(count)]
    return [10 * (b - a) for a, b in zip([0, *ends[:-1]], ends, strict=True)]


def _pictures(film: Film, every: int, report: Report) -> Iterator[Image]:
    """Yield every so many pictures of a film."""
    for k in range(0, len(film), every):
        yield film.picture(k)
        report((k + 1) / len(film))


def _silent(fraction: float) -> None:
    """Report nothing."""


def _write_gif(film: Film, path: Path, every: int = 1, report: Report = _silent) -> None:
    """Write every so many frames with Pillow, in colours that all share."""
    from PIL import Image as images  # late: drawing is optional

    some = np.unique(np.linspace(0, len(film) - 1, SAMPLES).round().astype(int))
    sample = np.concatenate([film.picture(int(k))[::2, ::2, :3] for k in some])
    colours = images.fromarray(sample).quantize(COLOURS, method=images.Quantize.FASTOCTREE, dither=images.Dither.NONE)
    table = np.array(colours.getpalette()).reshape(-1, 3)
    table[np.argmin(np.sum((255 - table) ** 2, axis=1))] = 255  # paper is white
    colours.putpalette(table.ravel().tolist())
    frames = [
        images.fromarray(picture[:, :, :3]).quantize(palette=colours, dither=images.Dither.NONE)
        for picture in _pictures(film, every, report)
    ]
    shown = delays(len(frames), film.rate / every)
    frames[0].save(path, format="GIF", save_all=True, append_images=frames[1:], duration=shown, loop=0)


def _write_mp4(film: Film, path: Path, every: int = 1, report: Report = _silent) -> None:
    """Hand frames to ffmpeg. Raises FileError when it fails."""
    height, width = film.picture(0).shape[:2]
    command = [str(ffmpeg()), "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgba"]
    command += ["-s", f"{width}x{height}", "-framerate", repr(float(film.rate / every)), "-i", "-"]
    command += ["-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4", str(path)]
    program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert program.stdin is not None
    assert program.stderr is not None
    said = b""
    try:
        with contextlib.suppress(BrokenPipeError), program.stdin as way:  # why it broke, ffmpeg says itself
            for picture in _pictures(film, every, report):
                way.write(picture.tobytes())
        said = program.stderr.read()
    except BaseException:
        program.kill()
        raise
    finally:
        program.stderr.close()
        program.wait()
    if program.returncode != 0:
        text = said.decode(errors="replace").strip() or "it says nothing"
        raise FileError(f"ffmpeg could not write the film (status {program.returncode}): {text}.")


def ffmpeg() -> str | None:
    """Return the program that writes MP4: the one matplotlib is told of, or that of imageio-ffmpeg; or None."""
    import matplotlib  # late: drawing is optional

    found = shutil.which(str(matplotlib.rcParams["animation.ffmpeg_path"]))
    if found is None:
        with contextlib.suppress(ImportError, RuntimeError):  # not installed; without a program
            import imageio_ffmpeg

            found = str(imageio_ffmpeg.get_ffmpeg_exe())
    return found


Writer = Callable[[Film, Path, int, Report], None]


def writer_of(path: Path, rate: float) -> Writer:
    """Return what writes a file of this ending. Raises InputError, FileError."""
    if path.suffix.lower() == ".gif":
        if rate > FASTEST:
            raise InputError(f"a GIF shows at most {FASTEST:g} frames per second, but the rate is {rate:g}; use .mp4.")
        return _write_gif
    if path.suffix.lower() != ".mp4":
        raise InputError(f"a film is a .gif or an .mp4, got {path.name!r}.")
    if ffmpeg() is None:
        raise FileError(
            f"{path.name}: an MP4 needs the program ffmpeg, which is not found. Install it (pip install imageio-ffmpeg,"
            " or apt install ffmpeg), give its path as matplotlib.rcParams['animation.ffmpeg_path'], or write a .gif."
        )
    return _write_mp4
