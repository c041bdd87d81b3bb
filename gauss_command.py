"""The command `gauss`. It stands outside the package, whose import takes a second: Ctrl-C ends that without a word."""

from __future__ import annotations

import os
import signal

INTERRUPTED = 130  # exit status


def main() -> None:
    """Import the package and run its command line; until then nothing is lost by Ctrl-C, whatever is being imported."""
    waiting = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # nobody has asked to ignore it
    if waiting:
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    from gauss.cli import main as run

    if waiting:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run()
