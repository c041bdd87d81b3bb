"""The command `gauss`. It stands outside the package, whose imports take a second: Ctrl-C ends them without a word.

`python -m gauss` imports the package before any module of it is asked to run. So the package imports this module first.
What this module imports itself takes milliseconds, in which Ctrl-C ends the process as well. Before that Python is
starting, and what it says then is its own.
"""

from __future__ import annotations

import os

try:
    import signal
    import sys
except KeyboardInterrupt:
    os._exit(130)

INTERRUPTED = 130  # exit status


def quiet() -> bool:
    """Let Ctrl-C end the process at once, unless somebody has asked to ignore it; return whether it does.

    While the package is imported nothing is lost by that, whatever is being imported.
    """
    if signal.getsignal(signal.SIGINT) not in (signal.default_int_handler, _end):
        return False
    signal.signal(signal.SIGINT, _end)
    return True


def _end(*_: object) -> None:
    os._exit(INTERRUPTED)


def as_module(name: str) -> bool:
    """Return whether Python is looking for a module that `python -m` names, which it does after importing its package.

    >>> as_module("gauss")
    False
    """
    asked = sys.orig_argv[-len(sys.argv) :][:1]  # a spawned process has its parent's argv, which may be the longer one
    return sys.argv[:1] == ["-m"] and asked in ([name], ["-m" + name])


if as_module("gauss"):
    quiet()


class importing:
    """A block inside which Ctrl-C ends the process without a word; behind it it does what it did before."""

    def __enter__(self) -> None:
        self.waiting = quiet()

    def __exit__(self, *_: object) -> None:
        if self.waiting:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def main() -> None:
    """Import the package and run its command line."""
    with importing():
        from gauss.cli import main as run
    run()
