"""The guard against losses of speed: what it calls a loss. Nothing is timed here."""

import json
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

import guard  # noqa: E402


def test_a_ratio_within_the_margin_is_no_loss():
    assert guard.losses({"P1": 0.5, "P2": 0.4}, {"P1": 0.5 * guard.MARGIN, "P2": 0.1}) == {}


def test_a_ratio_beyond_the_margin_is_said_in_one_sentence():
    said = guard.losses({"P1": 0.3, "P2": 0.30}, {"P1": 0.3, "P2": 0.77})
    assert said == {
        "P2": "P2 takes 0.77 of its baseline's time, 2.6 times the stored 0.3; at most 2.0 times is allowed."
    }


def test_what_is_not_a_number_is_a_loss():
    assert list(guard.losses({"P1": 0.3}, {"P1": float("nan")})) == ["P1"]


def test_a_case_without_a_stored_ratio_does_not_pass():
    assert "--store" in guard.losses({}, {"P1": 0.3})["P1"]


def test_the_median_of_the_rounds_counts_and_the_first_round_does_not():
    times = iter([1000.0, 2.0, 3.0, 500.0])
    assert guard.measured({"case": (lambda: next(times), lambda: 2.0)}, 3) == {"case": 1.5}


def test_every_case_has_a_stored_ratio():
    assert json.loads(guard.STORED.read_text(encoding="utf-8"))["ratios"].keys() == guard.cases().keys()
