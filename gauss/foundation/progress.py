"""Progress of runs that take longer than a moment: a bar on a terminal and in a notebook, a line at times in a log."""

from __future__ import annotations

import contextlib
import html
import math
import sys
import time
from collections.abc import Callable
from typing import Any, Protocol

from gauss.errors import InputError

PATIENCE = 2.0  # s before anything is shown
REFRESH = 0.2  # s between two looks of a bar
LINES = 10.0  # s between two lines in a log
Report = Callable[[float], None]


class Display(Protocol):
    """Where progress is shown."""

    every: float  # s from one time to the next

    def show(self, title: str, fraction: float, seconds: float, begun: float) -> None:
        """Show the fraction that is done after so many seconds, in which it was `begun` with."""

    def close(self) -> None:
        """Remove what was shown, where that is possible."""


class TerminalBar:
    """A bar on standard error, which vanishes at the end."""

    every = REFRESH

    def __init__(self) -> None:
        self._bar: Any = None
        self._task: Any = None

    def show(self, title: str, fraction: float, seconds: float, begun: float) -> None:
        """Draw the bar."""
        if self._bar is None:
            from rich.console import Console
            from rich.markup import escape
            from rich.progress import Progress

            self._bar = Progress(console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task(escape(title), total=1.0)
            self._bar.start()
        self._bar.update(self._task, completed=fraction)

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.stop()


class NotebookBar:
    """A bar below a cell; at the end the time that was needed stays in its place."""

    every = REFRESH

    def __init__(self) -> None:
        self._handle: Any = None
        self._last = ("", 0.0, 0.0)

    def show(self, title: str, fraction: float, seconds: float, begun: float) -> None:
        """Draw the bar."""
        text = said(title, fraction, seconds, begun)
        bar = f'<progress value="{fraction:.4f}" max="1" style="vertical-align: middle; width: 16em"></progress>'
        self._display(f"{bar} {html.escape(text)}", text)
        self._last = title, fraction, seconds

    def close(self) -> None:
        """Put the time in the place of the bar."""
        if self._handle is not None:
            title, fraction, seconds = self._last
            text = f"{title}: {seconds:.1f} s" + ("" if fraction > 0.99 else f", ended at {fraction:.0%}")
            self._display(f'<span style="opacity: 0.7">{html.escape(text)}</span>', text)

    def _display(self, page: str, text: str) -> None:
        from IPython.display import display

        both = {"text/html": page, "text/plain": text}
        if self._handle is None:
            self._handle = display(both, raw=True, display_id=True)
        else:
            self._handle.update(both, raw=True)


class LogLines:
    """A line on standard error at times, for logs and for what runs without a terminal."""

    every = LINES

    def show(self, title: str, fraction: float, seconds: float, begun: float) -> None:
        """Write a line."""
        print(said(title, fraction, seconds, begun), file=sys.stderr, flush=True)

    def close(self) -> None:
        """Leave the lines."""


def said(title: str, fraction: float, seconds: float, begun: float = 0.0) -> str:
    """Return how much is done, how fast since it was `begun` with, and the time that is left at that rate.

    >>> said("pendulum", 0.25, 30.0)
    'pendulum: 25 % in 30 s, 0.833 % per second, 1:30 left'
    """
    rate = (fraction - begun) / seconds if seconds > 0.0 else 0.0
    text = f"{title}: {100.0 * fraction:.0f} % in {_clock(seconds)}"
    if rate > 0.0:
        text += f", {100.0 * rate:.3g} % per second, {_clock((1.0 - fraction) / rate)} left"
    return text


def _clock(seconds: float) -> str:
    """Return a time as "42 s", "3:05" or "2:03:05"."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes}:{rest:02d}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"


def display_here() -> Display:
    """Return where progress is shown in this process: in a notebook, on a terminal, or in a log."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is not None and getattr(shell, "kernel", None) is not None:
        return NotebookBar()
    return TerminalBar() if sys.stderr.isatty() else LogLines()


class Bar:
    """Called with the fraction done; shows it after `PATIENCE` seconds, in a log from `LINES` seconds on.

    `begun` is the fraction that was done before, by a run that now goes on.
    """

    def __init__(self, title: str, now: Callable[[], float] = time.monotonic):
        self.title, self.begun = title, 0.0
        self._now = now
        self._start = self._last = now()
        self._display: Display | None = None

    def __call__(self, fraction: float) -> None:
        """Show the fraction done, if it is time to."""
        now = self._now()
        every = REFRESH if self._display is None else self._display.every
        if now - self._start < PATIENCE or now - self._last < every:
            return
        try:
            if self._display is None:
                self._display = display_here()
                if now - self._last < self._display.every:
                    return
            self._last = now
            self._display.show(self.title, fraction, now - self._start, self.begun)
        except (AttributeError, OSError, ValueError):  # no standard error, a terminal that is gone, a closed one
            self._last = math.inf

    def close(self) -> None:
        """Remove the bar."""
        if self._display is not None:
            with contextlib.suppress(AttributeError, OSError, ValueError):
                self._display.close()


class NoProgress:
    """Shows nothing, but passes the fraction on to a callback if there is one."""

    begun = 0.0  # see `Bar`

    def __init__(self, report: Report | None = None):
        self._report = report

    def __call__(self, fraction: float) -> None:
        """Pass the fraction on."""
        if self._report is not None:
            self._report(fraction)

    def close(self) -> None:
        """Nothing to remove."""


def reporter(progress: object, title: str) -> Bar | NoProgress:
    """Return what reports the progress. Raises InputError for an unknown option."""
    if callable(progress):
        return NoProgress(progress)
    if not isinstance(progress, str) or progress not in ("auto", "none"):
        raise InputError(f"progress must be 'auto', 'none' or a function, got {progress!r}.")
    return Bar(title) if progress == "auto" else NoProgress()
