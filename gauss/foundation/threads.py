"""What the threads of one process share beside the package's own data, and how they are kept apart there.

Filters of warnings and some settings and solvers of other libraries belong to the whole process. Two threads that
change and restore them in turn leave the wrong ones behind for good, so only one thread at a time does.
"""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np
from flint import ctx

BITS = 256  # precision of the balls of python-flint: 77 digits
LONGEST = 1_000_000  # coefficients of a power series: no limit


class Lock:
    """A lock that one thread may take several times, and that is free in a forked process whoever held it before."""

    def __init__(self) -> None:
        self._renew()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._renew)

    def _renew(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


_FILTERS = Lock()
_PRECISION = Lock()  # that of python-flint is one for all threads
_FILTER: ContextVar[tuple[object, ...]] = ContextVar("_FILTER", default=())  # the innermost one of this thread
_WITHHELD: ContextVar[bool] = ContextVar("_WITHHELD", default=False)


@contextmanager
def filtered(action: str, category: type[Warning], message: str = "") -> Iterator[None]:
    """Ignore warnings of other libraries inside the block, or make errors of them; one thread at a time.

    A block inside one with the same filter costs nothing.
    """
    wanted = (action, category, message)
    if _FILTER.get() == wanted:
        yield
        return
    with _FILTERS, warnings.catch_warnings():
        warnings.filterwarnings(action, message, category)  # type: ignore[arg-type]
        token = _FILTER.set(wanted)
        try:
            yield
        finally:
            _FILTER.reset(token)


def warn(message: str, category: type[Warning], stacklevel: int) -> None:
    """Warn as `warnings.warn` does, unless this thread withholds what the package has to say."""
    if not _WITHHELD.get():
        with _FILTERS:  # so that no other thread's filter hides it
            warnings.warn(message, category, stacklevel=stacklevel + 1)


@contextmanager
def withheld() -> Iterator[None]:
    """Let `warn` say nothing inside the block, in this thread alone."""
    token = _WITHHELD.set(True)
    try:
        yield
    finally:
        _WITHHELD.reset(token)


@contextmanager
def precise(bits: int = BITS) -> Iterator[None]:
    """Compute with balls of 77 digits, or more, and series as long as their operands, alone among the threads."""
    with _PRECISION:
        before = ctx.prec, ctx.cap
        ctx.prec, ctx.cap = bits, LONGEST
        try:
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # such coefficients are undecided
                yield
        finally:
            ctx.prec, ctx.cap = before
