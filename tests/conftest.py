"""What all tests share: one thread for linear algebra, and an end to runs that would never end."""

import os
import signal
from collections import Counter

import pytest

# The matrices are small, and threads that compete for them cost more than they give.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

# A shell that runs the tests in the background has them ignore Ctrl-C, which some of them press.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

PATIENCE = 300.0  # s; the longest test takes about a minute on a slow machine


@pytest.hookimpl(tryfirst=True)  # before `-m` leaves tests out
def pytest_collection_modifyitems(items):
    """Of a test with the mark `sampled(n)` every n-th case is quick; the others are long."""
    seen = Counter()
    for item in items:
        mark = item.get_closest_marker("sampled")
        if mark is not None:
            place = seen[item.function]
            seen[item.function] += 1
            if place % mark.args[0]:
                item.add_marker("long")


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
