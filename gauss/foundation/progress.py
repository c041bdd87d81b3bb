"""A progress bar on the terminal for runs that take longer than a moment."""

from __future__ import annotations

import contextlib
import math
import sys
import time
from collections.abc import Callable
from typing import Any

from gauss.errors import InputError

PATIENCE = 2.0  # s before a bar appears
Report = Callable[[float], None]


class Bar:
    """Called with the fraction done; draws a bar on a terminal's standard error after `PATIENCE` seconds."""

    def __init__(self, title: str):
        self.title = title
        self._start = time.monotonic()
        self._last = 0.0
        self._bar: Any = None
        self._task: Any = None

    def __call__(self, fraction: float) -> None:
        """Show the fraction done, at most five times a second."""
        now = time.monotonic()
        if now - self._start < PATIENCE or now - self._last < 0.2:
            return
        self._last = now
        try:
            self._draw(fraction)
        except (AttributeError, OSError, ValueError):  # no standard error, a terminal that is gone, a closed one
            self._last = math.inf

    def _draw(self, fraction: float) -> None:
        """Draw the bar, if there is a terminal."""
        if not sys.stderr.isatty():
            return
        if self._bar is None:
            from rich.console import Console
            from rich.markup import escape
            from rich.progress import Progress

            self._bar = Progress(console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task(escape(self.title), total=1.0)
            self._bar.start()
        self._bar.update(self._task, completed=fraction)

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            with contextlib.suppress(OSError, ValueError):
                self._bar.stop()


class NoProgress:
    """Shows nothing, but passes the fraction on to a callback if there is one."""

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
