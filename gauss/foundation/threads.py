"""What the threads of one process share beside the package's own data, and how they are kept apart there.

Filters of warnings and some settings and solvers of other libraries belong to the whole process. Two threads that
change and restore them in turn leave the wrong ones behind for good, so only one thread at a time does.
"""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
from flint import ctx
from threadpoolctl import ThreadpoolController

MANY = 300  # rows of a matrix from which several threads gain more than it costs to wake them
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


class _Pools:
    """The threads of BLAS, which belong to the whole process: one while any block asks for that."""

    def __init__(self) -> None:
        self._lock, self._depth = Lock(), 0
        self._libraries: list[Any] | None = None  # looked for once: NumPy's and SciPy's are loaded by then
        self._before: list[int] = []

    def hold(self) -> None:
        with self._lock:
            self._depth += 1
            if self._depth > 1:
                return
            if self._libraries is None:
                self._libraries = ThreadpoolController().select(user_api="blas").lib_controllers
            self._before = [library.num_threads for library in self._libraries]
            self._set([1] * len(self._before))

    def release(self) -> None:
        with self._lock:
            self._depth -= 1
            if not self._depth:
                self._set(self._before)

    def _set(self, counts: list[int]) -> None:
        for library, before, count in zip(self._libraries or [], self._before, counts, strict=True):
            if before != 1:
                library.set_num_threads(count)


_FILTERS = Lock()
_POOLS = _Pools()
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


@contextmanager
def one_by_one(size: int) -> Iterator[None]:
    """Keep BLAS to one thread inside the block, where matrices have up to `MANY` rows.

    OpenBLAS wakes its threads for matrices of fifty rows, and on a busy machine waits for them: a singular value
    decomposition of 61 rows took 42 ms in place of 1.
    """
    if size > MANY:
        yield
        return
    _POOLS.hold()
    try:
        yield
    finally:
        _POOLS.release()


def warn(message: str, category: type[Warning]) -> None:
    """Warn at the line that called the package, unless this thread withholds what the package has to say."""
    if not _WITHHELD.get():
        level, frame = 1, sys._getframe()
        while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "gauss":
            level, frame = level + 1, frame.f_back
        with _FILTERS:  # so that no other thread's filter hides it
            warnings.warn(message, category, stacklevel=level)


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
