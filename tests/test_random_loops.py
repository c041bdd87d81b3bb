"""Random trees with random loops against Newton-Euler equations in 60 digits: see `validation/robots_loops.py`."""

import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "validation"))

import robots_loops  # noqa: E402

KINDS = {  # seeds of states that were once judged wrongly
    "a loop that is locked, judged by its branch": [1720723811, 5],
    "a pair of pins that say the same twice, on a carrier that moves": [2096467394, 5],
    "a row that a long slide keeps": [1722069729, 13],
    "forces that are open by heavy beside light bodies": [1716189262, 106],
    "a combination with a coefficient that is small and no rounding": [531772011, 32],
    "rows whose noise leaves open that they are independent": [1457433223, 42],
    "combinations of sizes far apart": [1735760336, 86],
}


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_what_was_once_judged_wrongly_is_as_newton_and_euler_say(kind):
    record = Counter()
    assert robots_loops.compared(np.random.default_rng(KINDS[kind]), record) == []
    assert record["states"] == 1


@pytest.mark.long
def test_random_loops_are_as_newton_and_euler_say():
    record, failures = robots_loops.random_loops(4, np.random.default_rng(11))
    assert record["states"] >= 3
    assert not failures
