"""What the command line prints without knowing any model: the list of scenarios, and what failed."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from gauss.errors import DegreesWarning, ImplausibleWarning, MotionWarning
from gauss.foundation.shipped import Heading

OK, CLAIM_FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130  # exit status


def listing(scenarios: Iterable[Heading]) -> Table:
    """Return the table of scenarios, or of exercises: name, ids where there are any, title, source."""
    scenarios = list(scenarios)
    ids = any(s.covers for s in scenarios)
    table = Table(box=SIMPLE_HEAD, padding=(0, 1))
    table.add_column("name", no_wrap=True, style="cyan")
    if ids:
        table.add_column("covers", no_wrap=True)
    table.add_column("title", ratio=3)
    table.add_column("source", ratio=2, style="dim")
    for s in scenarios:
        table.add_row(s.name, *([" ".join(s.covers)] if ids else []), s.title.partition(":")[0], s.source)
    return table


def console(error: bool = False) -> Console:
    """Return the console that the command line prints on; names are printed as they are, [brackets] too."""
    return Console(stderr=error, highlight=False, markup=False, emoji=False)


def complain(what: str, text: str) -> None:
    """Print what failed and why on standard error, in one line."""
    console(error=True).print(Text.assemble((f"{what}: ", "bold red"), text), soft_wrap=True)


@contextmanager
def plain_warnings() -> Iterator[None]:
    """Print the package's own warnings as `complain` does, without the line of code that they come from."""
    shown: Any = warnings.showwarning

    def told(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if issubclass(category, DegreesWarning | ImplausibleWarning | MotionWarning):
            complain("warning", str(message))
        else:
            shown(message, category, *where, **more)

    warnings.showwarning = told
    try:
        yield
    finally:
        warnings.showwarning = shown
