"""What all tests share: one thread for linear algebra, and an end to runs that would never end."""

import contextlib
import importlib
import os
import signal
from collections import Counter
from pathlib import Path

import pytest

# The matrices are small, and threads that compete for them cost more than they give.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

# A shell that runs the tests in the background has them ignore Ctrl-C, which some of them press.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

PATIENCE = 300.0  # s; the longest test takes about a minute on a slow machine


TURNS = 8  # parts that have all long tests without samples between them


def pytest_addoption(parser):
    """Let a run take a part of the long cases, which runs one after another complete."""
    parser.addoption(
        "--part", default="1/1", help="k/n: of long cases of sampled tests every n-th, of others an eighth"
    )


def pytest_collection(session):
    """Load the modules of the tests in a worker, from another one on than in others: what one rewrites, all find."""
    here, worker = Path(__file__).parent, getattr(session.config, "workerinput", None)
    if worker is None or [Path(each).resolve() for each in session.config.args] != [here]:
        return
    files = sorted(here.glob("test_*.py"))
    first = len(files) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
    for file in files[first:] + files[:first]:
        with contextlib.suppress(Exception, pytest.skip.Exception):  # told when they are collected
            importlib.import_module(file.stem)


@pytest.hookimpl(tryfirst=True)  # before `-m` leaves tests out
def pytest_collection_modifyitems(config, items):
    """Of a test with the mark `sampled(n)` every n-th case is quick; the others are long, or left out of a part."""
    seen, left_out = Counter(), []
    part, parts = map(int, config.getoption("--part").split("/"))
    for item in items:
        mark = item.get_closest_marker("sampled")
        if mark is not None:
            place = seen[item.function]
            seen[item.function] += 1
            if place % mark.args[0]:
                item.add_marker("long")
                if place % parts != part % parts:
                    left_out.append(item)
        elif item.get_closest_marker("long") is not None and parts > 1:
            if seen["long"] % TURNS != part % TURNS:
                left_out.append(item)
            seen["long"] += 1
    if left_out:
        gone = set(left_out)
        items[:] = [item for item in items if item not in gone]
        config.hook.pytest_deselected(items=left_out)


@pytest.fixture(autouse=True)
def _no_endless_loop():
    """A run that never ends fails its test instead of stopping all tests."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_):
        pytest.fail(f"the test did not end within {PATIENCE:g} s")

    previous = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE, 1.0)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    signal.signal(signal.SIGALRM, previous)
