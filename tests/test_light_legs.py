"""Light legs under a heavy platform: masses change neither the steps of a motion nor what it comes to."""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path

import mpmath as mp
import numpy as np
import pytest

import gauss as g
from gauss.model import EULER, RK4, tableau_of
from gauss.motion import Setting, singular, stepper_of

sys.path.insert(0, str(Path(__file__).parents[1] / "validation"))

import light_legs as models
from light_legs import MASS, Planar, Spatial, by_lengths, machine


def moved(system, state, t_end):
    return g.simulate(system, state.q, state.v, t_end=t_end, progress="none")


@pytest.fixture(scope="module")
def heavy():
    return moved(*machine(Planar, 1.0, True), 2.0)


@pytest.mark.long
@pytest.mark.parametrize(("share", "order"), [(1e-4, "as built"), (1e-8, "drives first"), (1e-8, "shuffled")])
def test_driven_legs_of_any_mass_take_the_same_steps(heavy, share, order):
    system, state = machine(Planar, share, True, order, seed=3)
    assert g.classify(system, state.q, state.v).verdict == "regular"
    run = moved(system, state, 2.0)
    assert run.ending.complete
    assert abs(len(run) - len(heavy)) <= 0.2 * len(heavy)
    place, forces = by_lengths(Planar, 2.0)
    assert np.max(np.abs(Planar.seen(run) - place)) < 1e-14
    for k in "xycs":  # the motion is that of the drives, whatever the masses
        assert abs(run[f"dd_platform_{k}"][-1] - heavy[f"dd_platform_{k}"][-1]) < 1e-11
    pushes = np.array([run[f"drive {i}"][-1] for i in range(3)])
    assert np.max(np.abs(pushes - forces)) < 2.0 * share * np.max(np.abs(forces))


@pytest.mark.parametrize("order", ["as built", "shuffled"])
def test_a_platform_on_free_legs_of_no_mass_falls_as_if_there_were_none(order):
    run = moved(*machine(Planar, 1e-8, False, order, seed=2), 0.4)
    fallen = models.Planar.start[1] - models.G * run.t**2 / 2
    assert run.ending.complete
    assert len(run) < 30
    assert np.max(np.abs(run["platform_y"] - fallen)) < 1e-7
    assert np.max(np.abs(run.energy - run.energy[0])) < 1e-9 * MASS * models.G


@pytest.mark.long
@pytest.mark.parametrize("order", ["as built", "shuffled"])
def test_a_platform_in_space_on_six_driven_legs_of_no_mass_is_moved_by_their_lengths(order):
    system, state = machine(Spatial, 1e-8, True, order, seed=4)
    rest = system.theta(), 0.0, np.full(2 * system.n, 1e-12), 1e-10
    setting = Setting(system, RK4, *rest, lambda t, q, v: [])  # in stages: nothing is compiled but the model
    stepper, x = stepper_of(setting, system.model.equality), np.concatenate([[0.0], state.q, state.v])
    for _ in range(4):
        x, _ = stepper.step(x, 0.1)
    place, forces = by_lengths(Spatial, 0.4)
    where = [system.coordinates.index(f"platform_{k}") for k in Spatial.names]
    pushes = stepper.accelerate(x)[1][[system.row_names.index(f"drive {i}") for i in range(6)]]
    assert np.max(np.abs(x[1:][where] - place)) < 1e-14
    assert np.max(np.abs(pushes - forces)) < 1e-6 * np.max(np.abs(forces))


def test_the_table_of_all_masses_has_like_steps_and_one_verdict():
    known = json.loads((Path(models.__file__).parent / "light_legs.json").read_text())
    for name, way in itertools.product(models.FEW, models.ENDS):
        found = [case for key, case in known.items() if key.startswith(f"{name}, {way}")]
        assert len(found) >= 6
        assert not models.summarised(f"{name}, {way}", found)


def exact_acceleration(terms):
    """The acceleration by Gauss elimination of the saddle matrix with 50 digits."""
    n, m = terms.M.shape[0], terms.J.shape[0]
    with mp.workdps(50):
        saddle = mp.zeros(n + m, n + m)
        for (i, j), value in np.ndenumerate(terms.M):
            saddle[i, j] = mp.mpf(float(value))
        for (i, j), value in np.ndenumerate(terms.J):
            saddle[n + i, j] = saddle[j, n + i] = mp.mpf(float(value))
        right = mp.matrix([mp.mpf(float(x)) for x in [*terms.f, *terms.gamma]])
        return np.array([float(x) for x in mp.lu_solve(saddle, right)])[:n]


@pytest.mark.long
@pytest.mark.parametrize("staged", [False, True], ids=["compiled", "in stages"])
def test_refined_accelerations_are_right_to_rounding(staged):
    system, state = machine(Planar, 1e-8, True)
    exact = exact_acceleration(system.model.terms(state.q, state.v, 0.0, system.theta()))
    control = (lambda t, q, v: []) if staged else None
    setting = Setting(system, tableau_of("dop853"), system.theta(), 0.0, np.full(2 * system.n, 1e-12), 1e-10, control)
    stepper = stepper_of(setting, system.model.equality)
    x = np.concatenate([[0.0], state.q, state.v])
    plain = stepper.accelerate(x)[0]
    _, record = stepper.step(x, 0.05)
    assert np.max(np.abs(plain - exact)) > 1e-9  # what the Schur complement loses
    assert np.max(np.abs(record[: system.n] - exact)) < 1.6e-14
    assert np.array_equal(stepper.accelerate(x)[0], record[: system.n])


def test_a_step_of_no_length_is_the_same_by_any_method():
    system, state = machine(Planar, 1e-4, True)
    x = np.concatenate([[0.0], state.q + 1e-9, state.v])
    rest = 0.0, system.theta(), 0.0, np.full(2 * system.n, 1e-12), 1e-10
    kept = [
        [each.copy() for each in system.model.pieces.step(method, system.model.equality, False).call(x, *rest)]
        for method in (tableau_of("dop853"), RK4, EULER)
    ]
    for others in kept[1:]:
        assert all(np.array_equal(one, other) for one, other in zip(kept[0], others, strict=True))
    assert np.max(np.abs(kept[0][0] - x)) > 1e-10  # it projects


def test_independence_of_rows_is_the_sine_of_their_angle_whatever_their_factors():
    angle = 1e-6
    J = np.array([[1.0, 0.0, 0.0], [np.cos(angle), np.sin(angle), 0.0]])
    for factors in ([1.0, 1.0], [1e6, 1e-6]):
        found = singular.independence(np.array(factors)[:, None] * J)
        assert abs(found - np.sqrt(2.0) * np.sin(angle / 2.0)) < 1e-14
    rows = np.random.default_rng(1).normal(size=(6, 9))
    assert singular.independence(np.vstack([rows, 3.3 * rows[0] - 0.7 * rows[3]])) < 1e-13
    assert singular.independence(rows[:, :4]) == 0.0
    assert singular.independence(rows[:0]) == 1.0
