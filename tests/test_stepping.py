"""`simulate(…, method="moreau")` against closed forms, Newton's law, and the other methods."""

from __future__ import annotations

import importlib
from dataclasses import replace

import numpy as np
import pandas
import pytest

import gauss as g
from gauss import bodies as mb

G, MU = 9.81, 0.5
BLOCK = g.System(
    "block",
    coordinates="x z",
    kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2),
    potential_energy=lambda q: G * q.z,
    constraints=[g.Unilateral("floor", lambda q: q.z, restitution=0.5, friction=g.Coulomb(MU, lambda v: v.x))],
)
PENDULUM = g.System(
    "pendulum",
    coordinates="x y",
    kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
    potential_energy=lambda q: G * q.y,
    constraints=[g.Holonomic("rod", lambda q: g.hypot(q.x, q.y) - 1.0)],
)


def slid(**options):
    return g.simulate(BLOCK, [0, 0], [2, 0], method="moreau", step=1e-3, t_end=0.6, **options)


def test_a_block_slides_and_stops_as_coulomb_says():
    run, stop = slid(), 2.0 / (MU * G)
    moving = (run.t > 0.0) & (run.t < stop - 1e-3)
    exact = np.where(run.t < stop, 2.0 * run.t - 0.5 * MU * G * run.t**2, 0.5 * 2.0 * stop)
    assert np.max(np.abs(run["x"] - exact)) < 1e-5
    np.testing.assert_allclose(run["floor"][1:], G, rtol=1e-12)
    np.testing.assert_allclose(run["slip of floor"][moving], -MU * G, rtol=1e-12)
    np.testing.assert_allclose(run["stepping.dissipated"][-1], 2.0, rtol=1e-12)  # all of ½ m v²
    slip = run.about.rows.index("slip of floor")
    assert np.allclose(run.sliding[moving, slip], MU)
    assert np.all(run.active[run.t > stop + 1e-3, slip])
    assert run.stepping.certified
    assert (run.about.method, run.about.step, run.events) == ("moreau", 1e-3, ())


def test_the_impulse_of_an_impact_is_that_of_newton():
    run = g.simulate(BLOCK, [0, 1.0], method="moreau", step=1e-3, t_end=0.5)
    hit = int(np.argmax(run["floor"][1:])) + 1
    speed = np.sqrt(2.0 * G)
    assert run["floor"][hit] * run.about.step == pytest.approx(1.5 * speed, rel=5e-3)
    np.testing.assert_allclose(
        run.energy - run.energy[0], run.stepping.corrected + run.stepping.work - run.stepping.dissipated, atol=1e-12
    )


def test_the_force_of_a_rod_is_found_with_the_order_of_the_scheme():
    errors = []
    for h in (1e-2, 5e-3, 2.5e-3):
        run = g.simulate(PENDULUM, [1, 0], method="moreau", step=h, t_end=1.0)
        middle = (run.t[1:] + run.t[:-1]) / 2.0
        exact = g.simulate(PENDULUM, [1, 0], t_end=1.0).at(middle)
        force = -(exact["d_x"] ** 2 + exact["d_y"] ** 2 - G * exact["y"])  # Newton, along the rod outwards
        np.testing.assert_allclose(exact["rod"], force, atol=1e-8)
        errors.append(np.max(np.abs(run["rod"][1:] - force)))
    assert np.log2(errors[1] / errors[2]) == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize("halved", [False, True])
def test_a_track_and_a_wall_share_the_weight_as_statics_says(halved, monkeypatch):
    """On a track at 45° against a wall: wall and track give x-forces that cancel, and the track carries the weight."""
    track = g.System(
        "track",
        coordinates="x z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2),
        potential_energy=lambda q: G * q.z,
        constraints=[g.Holonomic("track", lambda q: (q.x - q.z) / np.sqrt(2.0)), g.Unilateral("wall", lambda q: q.x)],
    )
    scheme = importlib.import_module("gauss.nonsmooth.moreau")
    taken = scheme.step

    def doubtful(world, q, v, t, length, memory, rounds):
        found = taken(world, q, v, t, length, memory, rounds)
        return replace(found, impulses=replace(found.impulses, residual=1.0)) if length > 7e-3 else found

    if halved:
        monkeypatch.setattr(scheme, "step", doubtful)
    run = g.simulate(track, track.state([0, 0], t=0.3), method="moreau", step=1e-2, t_end=0.5)
    assert run.t == pytest.approx(0.3 + 1e-2 * np.arange(21))
    np.testing.assert_allclose(run["wall"][1:], G, rtol=1e-9)
    np.testing.assert_allclose(run["track"][1:], -np.sqrt(2.0) * G, rtol=1e-9)
    assert np.all(run["x"] == pytest.approx(0.0, abs=1e-12))


def hanging(*names):
    rod = mb.PlanarBody("rod", 2.0, 0.1, centre=(0.0, -0.5))
    pins = [mb.Pin(name, mb.GROUND, (0.0, 0.0), rod, (0.0, 0.0)) for name in names]
    mechanism = mb.Mechanism("pendulum", [rod], pins)
    start = mb.assemble(mechanism, rod.pose(angle=1.2, rate=-2.0))
    return mechanism, g.simulate(mechanism, start, method="moreau", step=2e-3, t_end=0.4)


def test_a_joint_gives_the_momentum_of_each_step():
    _, run = hanging("pivot")
    c, s = run["rod_c"], run["rod_s"]
    dc, ds = run["d_rod_c"], run["d_rod_s"]
    np.testing.assert_allclose(run["rod.angle"], np.unwrap(np.arctan2(s, c)), atol=1e-12)
    momentum = 2.0 * np.stack([run["d_rod_x"] + 0.5 * ds, run["d_rod_y"] - 0.5 * dc], axis=1)
    wanted = np.diff(momentum, axis=0) / run.about.step + np.array([0.0, 2.0 * 9.81])
    np.testing.assert_allclose(run["pivot.force"][1:], wanted, atol=1e-8)
    assert np.all(np.isnan(run["pivot.force"][0]))  # no step leads to the start
    assert "does not tell" in run.data["rod.angular_acceleration"].attrs["long_name"]


def test_forces_that_two_pins_share_are_no_numbers():
    _, run = hanging("left", "right")
    assert run.about.redundant
    assert np.all(np.isnan(run["left.force"]))
    assert np.all(np.isfinite(run["rod.position"]))


def test_it_is_the_same_class_with_the_same_files_and_tables(tmp_path):
    run = slid(every=5)
    assert isinstance(run, g.Trajectory)
    loaded = g.Trajectory.load(run.save(tmp_path / "run.nc"))
    assert (loaded.about, loaded.ending) == (run.about, run.ending)
    for name, values in run.to_numpy().items():
        assert np.array_equal(loaded.to_numpy()[name], values, equal_nan=True), name
    again = loaded.with_system(BLOCK)
    assert np.array_equal(again.at([0.1234])["x"], run.at([0.1234])["x"])
    read = pandas.read_csv(run.to_csv(tmp_path / "run.csv"))
    np.testing.assert_array_equal(read["x"], run["x"])
    np.testing.assert_array_equal(read["stepping.dissipated [J]"], run["stepping.dissipated"])
    assert run.data["dd_x"].attrs["long_name"].endswith("(nan: time stepping does not tell it)")
    assert "mean over the step" in run.data["floor"].attrs["long_name"]


def test_between_steps_a_motion_is_straight():
    run = slid()
    k = 40
    inside = run.sel(t=[run.t[k], 0.25 * run.t[k] + 0.75 * run.t[k + 1], run.t[-1]])
    assert inside["x"] == pytest.approx([run["x"][k], 0.25 * run["x"][k] + 0.75 * run["x"][k + 1], run["x"][-1]])
    assert np.array_equal(inside["slip of floor"], run["slip of floor"][[k, k + 1, -1]])
    with pytest.raises(g.errors.InputError, match="within the run"):
        run.at(0.7)


def test_what_it_does_not_do_is_said():
    event = g.Event("low", lambda q: q.x - 1.0)
    for options, words in (
        ({"events": [event]}, "leave out events"),
        ({"control": lambda t, q, v: []}, "leave out control"),
        ({"branches": "all"}, "leave out branches"),
        ({"impacts": "newton"}, "leave out impacts"),
        ({"step": None}, "pass step="),
        ({"every": 0}, "every must be"),
    ):
        with pytest.raises(g.errors.InputError, match=words):
            g.simulate(BLOCK, [0, 0], **({"method": "moreau", "step": 1e-2, "t_end": 0.1} | options))
    with pytest.raises(g.errors.InputError, match="every is an option of"):
        g.simulate(BLOCK, [0, 0], t_end=0.1, every=2)
    run = slid()
    with pytest.raises(g.errors.InputError, match=r"run\.stepping\.dissipated"):
        run.friction_work  # noqa: B018
    with pytest.raises(g.errors.InputError, match="no accelerations"):
        g.crosscheck(run)
    with pytest.raises(g.errors.InputError, match=r"moved by gauss\.simulate"):
        g.nonsmooth.moreau(BLOCK, step=1e-3, t_end=1.0)
