"""Work shared among processes: portions are handed out, and come back as they are ready, whatever ends the waiting."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, as_completed
from typing import TypeVar

from loky import get_reusable_executor

from gauss.errors import InputError

P = TypeVar("P")
R = TypeVar("R")
IDLE = 60  # s that processes wait for more to do


def processes_of(jobs: object, most: int) -> int:
    """Return how many processes `jobs` stands for, at most `most`; -1 is all cores. Raises InputError."""
    if not isinstance(jobs, int) or isinstance(jobs, bool) or jobs == 0 or jobs < -1:
        raise InputError(f"jobs must be a positive number of processes, or -1 for all cores, got {jobs!r}.")
    return min((os.cpu_count() or 1) if jobs == -1 else jobs, most)


def pool_of(processes: int) -> Executor:
    """Return so many processes; the next call finds them with what they have compiled."""
    pool: Executor = get_reusable_executor(max_workers=processes, timeout=IDLE)
    return pool


def computed(
    pool: Executor, function: Callable[[bytes, P], R], work: bytes, portions: Sequence[P], wait: bool = True
) -> Iterator[tuple[P, R]]:
    """Yield portions with what a function of (work, portion) gives in other processes, as they are ready.

    After Ctrl-C, which the processes are told too, what they come back with is yielded, unless `wait` is False; then
    KeyboardInterrupt is raised. Raises BrokenExecutor where a process is ended from outside.
    """
    asked = {pool.submit(function, work, portion): portion for portion in portions}
    try:
        for each in as_completed(tuple(asked)):
            yield asked.pop(each), each.result()
    except KeyboardInterrupt:
        left = [(each, portion) for each, portion in asked.items() if not each.cancel()]
        for each, portion in left if wait else ():
            if each.exception() is None:
                yield portion, each.result()
        raise
    finally:
        for each in asked:
            each.cancel()


def leave_if_alone(parent: int | None) -> None:
    """End this process where the one that it computes for, by its id, has been killed: nobody wants the result."""
    if parent is not None and os.getppid() != parent:
        os._exit(0)
