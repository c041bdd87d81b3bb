"""Random admissible states: on the constraints, regular, spread, and the same for the same seed."""

import numpy as np
import pytest

import gauss as g
from gauss.analysis import random_states
from gauss.analysis.states import REGULAR
from gauss.foundation.tolerances import DEPENDENT
from gauss.principle import offsets
from gauss.scenario import load


def start_of(name):
    scenario = load(name)
    return scenario.system, scenario.start.q, scenario.start.v, scenario.start.t


@pytest.mark.long
@pytest.mark.parametrize("name", ["spherical_pendulum", "rolling_wheel", "ball_on_turntable", "four_bar_chain", "cusp"])
def test_states_are_on_the_constraints_and_far_from_singular_positions(name):
    start = start_of(name)
    found = random_states(*start, count=30, seed=4)
    assert len(found.states) == 30
    for state in found.states:
        position, velocity = offsets(start[0], state)
        assert np.max(position) <= 1e-9
        assert np.max(velocity) <= 1e-9
        assert state.t == start[3]
        step = g.accelerate(start[0], state.q, state.v, state.t)
        assert step.regular
        assert step.sigma_min > 0.0


@pytest.mark.long
def test_states_are_spread_as_asked_and_the_same_for_the_same_seed():
    free = g.System("free", coordinates="x y", kinetic_energy=lambda v: v.x**2 + v.y**2)
    found = random_states(free, [0.0, 100.0], [3.0, 0.0], count=4000, seed=2, spread=0.25)
    q, v = np.array([s.q for s in found.states]), np.array([s.v for s in found.states])
    assert found.redrawn == 0
    # sample means and deviations of 4,000 draws, within five standard errors
    assert np.all(np.abs(q.mean(axis=0) - [0.0, 100.0]) <= 5.0 * 0.25 * np.array([1.0, 100.0]) / np.sqrt(4000))
    assert np.all(np.abs(q.std(axis=0) / (0.25 * np.array([1.0, 100.0])) - 1.0) <= 5.0 / np.sqrt(8000))
    assert np.all(np.abs(v.std(axis=0) / (0.25 * np.array([3.0, 1.0])) - 1.0) <= 5.0 / np.sqrt(8000))
    again = random_states(free, [0.0, 100.0], [3.0, 0.0], count=5, seed=2, spread=0.25)
    assert np.array_equal([s.q for s in again.states], q[:5])
    other = random_states(free, [0.0, 100.0], [3.0, 0.0], count=5, seed=3, spread=0.25)
    assert not np.array_equal([s.q for s in other.states], q[:5])


def test_states_near_a_singular_position_are_redrawn_and_counted():
    cone = g.System(
        "cone",
        coordinates="x y z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2),
        constraints=[
            g.Holonomic("cone", lambda q: q.x**2 + q.y**2 - q.z**2),
            g.Holonomic("plane", lambda q: q.x - 0.003 * q.z),  # both rows nearly agree nowhere else than at the apex
            g.Holonomic("near plane", lambda q: q.x + 1e-5 * q.y**2 - 0.003 * q.z),
        ],
    )
    with pytest.raises(g.errors.InconsistentStateError, match="regular admissible states"):
        random_states(cone, [0.003, 1.0, 1.0], count=3)
    cusp = start_of("cusp")
    found = random_states(*cusp, count=20, seed=1)
    assert found.redrawn > 0  # half of the draws lie beyond the cusp
    for state in found.states:
        row = np.array([-3.0 * state.q[0] ** 2, 2.0 * state.q[1]])
        assert np.linalg.norm(row) > 0.0


@pytest.mark.long
def test_redundant_rows_are_kept_and_locked_positions_are_not():
    start = start_of("duplicated_joint")
    found = random_states(*start, count=10, seed=1)
    for state in found.states:
        verdict = g.classify(start[0], state.q, state.v, state.t)
        assert verdict.verdicts == ("redundant",)
        sigma = verdict.sigma / verdict.sigma[0]
        assert not np.any((sigma > DEPENDENT) & (sigma < REGULAR))
    with pytest.raises(g.errors.InconsistentStateError, match="gave 0 regular admissible states"):
        random_states(*start_of("locked_bars"), count=10)


def test_contacts_hold_as_inequalities():
    start = start_of("three_cases")
    system = start[0]
    found = random_states(*start, count=40, seed=1)
    gaps = np.array([system.model.residuals(s.q, s.v, s.t, system.theta())[0] for s in found.states])
    contacts = gaps[:, list(system.model.unilateral)]
    assert np.min(contacts) >= -1e-9
    assert np.any(contacts <= 1e-9)
    assert np.any(contacts > 1e-3)


def test_states_where_the_model_is_not_finite_are_redrawn():
    found = random_states(*start_of("non_unique_motion"), count=20, seed=1)
    assert found.redrawn > 0
    assert all(state.q[0] >= 0.0 for state in found.states)


def test_bad_counts_and_spreads_are_refused():
    system = g.System("free", coordinates="x", kinetic_energy=lambda v: v.x**2)
    for count in (0, -1, 2.5):
        with pytest.raises(g.errors.InputError, match="count"):
            random_states(system, [0.0], count=count)
    with pytest.raises(g.errors.InputError, match="spread"):
        random_states(system, [0.0], count=1, spread=0.0)
    with pytest.raises(g.errors.InputError, match="System"):
        random_states("pendulum", [0.0])
