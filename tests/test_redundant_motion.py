"""Redundant rows in a motion: which are left out, and how they are exchanged on the way."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from pathlib import Path

import numpy as np
import pytest

import gauss as g
from gauss.motion import segments, singular

HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def models():
    """The models of the validation."""
    path = HERE.parent / "validation" / "redundant_motion.py"
    spec = importlib.util.spec_from_file_location("redundant_motion", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def volume(rows):
    return float(np.sqrt(max(np.linalg.det(rows @ rows.T), 0.0)))


@pytest.mark.parametrize("seed", range(5))
def test_no_exchange_of_one_row_gives_the_chosen_rows_more_volume(seed):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(7, 4)) @ rng.normal(size=(4, 6)) * 10.0 ** rng.uniform(-2, 0, (7, 1))
    chosen = singular.exchanged(A, [0, 1, 2, 3], [1], singular.EVEN)
    others = [i for i in range(7) if i not in chosen]
    size = volume(A[chosen])
    assert 1 in chosen
    assert len(set(chosen)) == 4
    for i, j in itertools.product(range(4), others):
        if chosen[i] != 1:
            swapped = [*chosen[:i], j, *chosen[i + 1 :]]
            assert volume(A[swapped]) <= singular.EVEN * size * (1.0 + 1e-9)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", ["near-parallelogram, 1e-3", "leg", "gripper"])
def test_rows_of_rigid_bodies_stay_whatever_the_masses(models, name):
    mechanism, poses = models.MODELS[name]()
    system = mechanism.system
    state = g.State(*mechanism.state(*poses), 0.0)
    rank = {"near-parallelogram, 1e-3": 35, "leg": 88, "gripper": 93}[name]
    base = singular.independent_rows(system, state, system.model.equality, rank)
    J = system.model.terms(state.q, state.v, 0.0, system.theta()).J
    J = J / np.linalg.norm(J, axis=1)[:, None]
    sigma = np.linalg.svd(J, compute_uv=False)
    assert len(base) == rank
    assert not any("rigid" in system.row_names[k] for k in range(len(J)) if k not in base)
    assert np.linalg.svd(J[list(base)], compute_uv=False)[-1] > 0.1 * sigma[rank - 1]
    assert np.all(sigma[rank:] < 1e-9)


@pytest.mark.long
@pytest.mark.parametrize("name", ["near-parallelogram, 1e-3", "near-parallelogram, 1e-4", "leg"])
def test_starts_are_redundant_though_near_a_singular_position(models, name):
    mechanism, poses = models.MODELS[name]()
    state = g.consistent(mechanism.system, *mechanism.state(*poses))
    verdict = g.classify(mechanism.system, state.q, state.v)
    assert verdict.verdict == "redundant"
    assert verdict.unique


@pytest.mark.parametrize("keep", [False, True])
def test_a_row_to_be_kept_stays_though_others_have_more_volume(keep):
    rows = [g.Holonomic("slant", lambda q: q.x + 0.9 * q.y, keep=keep)]
    rows += [g.Holonomic("along", lambda q: q.x), g.Holonomic("across", lambda q: q.y)]
    system = g.System("corner", "x y z", kinetic_energy=lambda v: v.x**2 + v.y**2 + v.z**2, constraints=rows)
    state = g.State(np.zeros(3), np.zeros(3), 0.0)
    assert (0 in singular.independent_rows(system, state, (0, 1, 2), 2)) == keep


def bead():
    """A bead on the unit circle by three rows, of which each two are parallel somewhere on the way.

    On the circle the rows are the directions at the angles 2θ, θ + π/4 and 0 in the plane of the axis and the radius.
    """

    def off(q):
        return (q.x**2 + q.y**2 + q.z**2 - 1.0) / 2.0

    return g.System(
        "bead",
        "x y z",
        kinetic_energy=lambda v: 0.7 * (v.x**2 + v.y**2 + v.z**2),
        constraints=[
            g.Holonomic("twice", lambda q: (q.x**2 - q.y**2) * q.z + 2.0 * q.x * q.y * off(q)),
            g.Holonomic("ahead", lambda q: (q.x - q.y) * q.z + (q.x + q.y) * off(q)),
            g.Holonomic("axis", lambda q: q.z),
        ],
    )


@pytest.mark.long
@pytest.mark.parametrize(
    "options", [{}, {"max_step": 0.05}, {"method": "rk4", "step": 0.01}], ids=["long", "short", "fixed"]
)
def test_rows_are_exchanged_where_those_in_force_become_parallel(monkeypatch, options):
    seen = []

    def noted(system, J, base, gain, ahead):
        found = better(system, J, base, gain, ahead)
        seen.extend([found] if found != base else [])
        return found

    better = segments.better_rows
    monkeypatch.setattr(segments, "better_rows", noted)
    start, end, rate = np.pi / 5, 2.83 * np.pi, 1.3
    q = [np.cos(start), np.sin(start), 0.0]
    v = [-rate * np.sin(start), rate * np.cos(start), 0.0]
    run = g.simulate(bead(), q, v, t_end=(end - start) / rate, progress="none", **options)
    angle = start + rate * run.t
    assert run.ending.complete, run.ending.message
    assert len(set(seen)) > 1  # those at the start are parallel on the way, and so are those after them
    error = 1e-6 if "step" in options else 1e-9  # of the method
    assert np.max(np.abs(run["x"] - np.cos(angle))) < error
    assert np.max(np.abs(run["y"] - np.sin(angle))) < error
    assert np.max(np.abs(run["z"])) < 1e-12
    assert np.ptp(run.energy) < error
    demand = -(rate**2) * 1.4  # N, along the radius: Σ λ_k sin(angle of row k), and along the axis nothing
    loads = [run["twice"], np.sqrt(2.0) * run["ahead"], run["axis"]]
    angles = [2.0 * angle, angle + np.pi / 4, 0.0 * angle]
    assert np.max(np.abs(sum(x * np.sin(a) for x, a in zip(loads, angles, strict=True)) - demand)) < 10.0 * error
    assert np.max(np.abs(sum(x * np.cos(a) for x, a in zip(loads, angles, strict=True)))) < 10.0 * error


@pytest.mark.long
@pytest.mark.parametrize("excess", [1e-5, -1e-5])
def test_a_near_change_point_is_passed_in_any_order_of_joints_by_as_many_steps(models, monkeypatch, excess):
    """A parallelogram but for one bar comes within √excess of its flat position, with three rows that are redundant."""
    made, steps = models.mb.Mechanism, []
    for turn in (1, -1):
        monkeypatch.setattr(
            models.mb, "Mechanism", lambda name, bodies, joints, turn=turn, **k: made(name, bodies, joints[::turn], **k)
        )
        mechanism, poses = models.four_bar(excess)
        found = models.measured(mechanism, poses, 0.5)
        assert (found["verdict"], found["rank"], found["ending"]) == ("redundant", 35, "finished")
        assert found["relative"] < 1e-10
        steps.append(found["steps"])
    assert steps[1] == pytest.approx(steps[0], rel=0.2)
