"""Every scenario runs, and everything that its page and its proof claim of that run holds."""

from __future__ import annotations

import warnings

import pytest
from proofs import whole

from gauss import scenario as scenarios
from gauss.outcome import run_scenario
from gauss.show import STYLE, save_figure

NAMES = scenarios.names()


@pytest.mark.sampled(20)
@pytest.mark.parametrize("name", NAMES)
def test_all_claims_of_the_scenario_hold(name: str, tmp_path, monkeypatch):
    outcome = run_scenario(whole(name), progress="none")
    failed = [f"{c.name}: {c.error:.3g} > {c.bound:.3g}" for c in outcome.claims if not c.holds]
    assert not failed, "; ".join(failed)
    assert outcome.passed
    assert not outcome.unexamined
    monkeypatch.setitem(STYLE, "savefig.dpi", 60)  # every mark is drawn, with fewer pixels
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        path = save_figure(outcome, tmp_path)
    assert path is None or path.stat().st_size > 5000


@pytest.mark.sampled(14)
@pytest.mark.parametrize("name", NAMES)
def test_scenario_states_its_source_and_its_known_answer(name: str):
    scenario = scenarios.load(name)
    assert scenario.title
    assert scenario.source
    assert len(scenario.text) > 150
    outcome = scenario.claims
    assert callable(outcome)


@pytest.mark.long
def test_the_systems_that_are_built_so_far_are_covered():
    covered = {identity for name in NAMES for identity in scenarios.load(name).covers}
    systems = {"T3", "T9", "T10", "T11", "T16", "T18", "T19", "T20"}
    uniqueness = {"C8", "C1", "C2", "C3", "C4", "C5", "C6", "C7"}
    formulations = {"H1", "H2", "H3", "H4", "T1", "T5", "T6", "T7", "T8", "T12", "T13", "T15", "T17", "T22"}
    bodies = {"V1", "V2", "V3", "V4", "V5", "T14", "T15", "T21", "H5", "B1", "B2", "B3", "B4"}
    assert systems | uniqueness | formulations | bodies <= covered
