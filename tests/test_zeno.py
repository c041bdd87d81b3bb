"""Impacts that accumulate: the limit time, and the motion that goes on in contact from there."""

from __future__ import annotations

import math

import numpy as np
import pytest
from frictional import Rub, rubbed

import gauss as g

G = 9.81  # m/s²
ZENO = 8.578949178728887  # s, Siconos' BouncingBallED; test_events compares its 41 impacts before 8.5 s


def ball(e, floor=0.0, coordinates="x", force=None):
    return g.System(
        "ball",
        coordinates,
        kinetic_energy=lambda v: 0.5 * sum(s**2 for s in v),
        potential_energy=lambda q: G * q.x,
        force=[0.0] * len(coordinates.split()) if force is None else force,
        constraints=[g.Unilateral("floor", lambda q: q.x - floor, restitution=e)],
    )


def one(run, kind):
    (event,) = [event for event in run.events if event.kind == kind]
    return event


def limit_of(e, height=1.0):
    return math.sqrt(2 * height / G) * (1 + e) / (1 - e)


@pytest.mark.long
def test_the_ball_of_siconos_comes_to_rest_at_its_zeno_time_and_stays():
    run = g.simulate(ball(0.9), [1.0], t_end=10.0)
    limit = one(run, "accumulation")
    assert run.ending.kind == "finished"
    assert abs(limit.t - ZENO) <= 1e-9
    assert limit.name == "floor"
    rest = run.t > limit.t
    assert np.max(np.abs(run["x"][rest])) <= 1e-14
    assert run["floor"][rest] == pytest.approx(np.full(rest.sum(), G), rel=1e-12)
    lost = sum(event.energy_loss for event in run.events)
    assert lost == pytest.approx(G, rel=1e-12)


@pytest.mark.long
@pytest.mark.parametrize(("e", "floor"), [(0.97, 0.0), (0.97, 1.0), (0.5, 0.0), (0.5, 1.0), (0.2, 0.0)])
def test_the_limit_is_that_of_the_geometric_sequence(e, floor):
    """A floor away from zero makes the gap, and so each interval, known to fewer figures."""
    end = 1.1 * limit_of(e)
    run = g.simulate(ball(e, floor), [1.0 + floor], t_end=end)
    assert run.ending.kind == "finished"
    assert abs(one(run, "accumulation").t - limit_of(e)) <= 1e-9 * end
    assert run["x"][-1] == pytest.approx(floor, abs=1e-14)


@pytest.mark.long
@pytest.mark.parametrize(("e", "floor", "within"), [(0.5, 1.0, 1e-11), (0.8, 100.0, 1e-10), (0.5, 1e4, 1e-9)])
def test_the_limit_is_known_as_well_as_the_rounding_of_the_gap_allows(e, floor, within):
    """Late bounces are lost in the rounding of a gap that is a difference of large heights; earlier ones tell more."""
    run = g.simulate(ball(e, floor), [1.0 + floor], t_end=1.1 * limit_of(e))
    assert run.ending.kind == "finished"
    assert abs(one(run, "accumulation").t - limit_of(e)) <= within


def test_a_run_that_ends_before_the_limit_has_no_accumulation():
    run = g.simulate(ball(0.9), [1.0], t_end=8.57)
    assert {event.kind for event in run.events} == {"impact"}


def test_coordinates_beside_the_contact_move_on_as_if_nothing_had_happened():
    """y is a pendulum-like oscillator, which the bounces do not touch: cos t all along."""
    system = ball(0.5, coordinates="x y", force=lambda q: [0.0, -q.y])
    run = g.simulate(system, [1.0, 1.0], t_end=3.0)
    assert abs(one(run, "accumulation").t - limit_of(0.5)) <= 1e-9
    assert np.max(np.abs(run["y"] - np.cos(run.t))) <= 1e-9


def test_bounces_on_a_rough_floor_spin_the_ball_until_it_rolls():
    """The impulses of all bounces and of the steady contact together are those of gravity: sliding friction has given
    μ times their sum, whatever the bounces. A disc with I = mR²/2 that slides all the time to the limit T has lost
    μ(g T + …) of its speed; it rolls from v = 2v₀/3 on."""
    mu, e, v0, h = 0.1, 0.5, 6.0, 0.2
    system = g.System(
        "disc",
        "x z th",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2 + 0.5 * v.th**2),
        potential_energy=lambda q: G * q.z,
        constraints=[g.Unilateral("floor", lambda q: q.z - 1.0, restitution=e)],
    )
    contact = Rub("floor", lambda v: v.x - v.th, mu)
    run = g.simulate(rubbed(system, [contact]), [0.0, 1.0 + h, 0.0], [v0, 0.0, 0.0], t_end=3.0)
    limit = one(run, "accumulation")
    assert abs(limit.t - limit_of(e, h)) <= 1e-9
    # From the first impact on the impulses add up to m g t plus the momentum with which it came.
    assert run.at(limit.t)["d_x"][0] == pytest.approx(v0 - mu * G * limit.t, abs=1e-9)
    assert one(run, "stick").t == pytest.approx(v0 / (3 * mu * G), abs=1e-9)
    assert run["d_x"][-1] == pytest.approx(2 * v0 / 3, abs=1e-9)


def test_two_contacts_that_strike_in_turn_accumulate_together():
    """A plank on two feet rocks to rest: inelastic feet, each impact turns it over with r = (1 − 3a²)/(1 + 3a²) of its
    rate, by the momentum about the new foot. From foot to foot it falls with a constant acceleration, to first order,
    so the time over each foot is proportional to the rate, and the sequence is geometric."""
    half, height = 0.3, 1.0  # half distance of the feet, their distance below the centre of mass
    system = g.System(
        "rocking plank",
        "x z th",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2 + v.th**2 / 3),
        potential_energy=lambda q: G * q.z,
        constraints=[
            g.Unilateral("left", lambda q: q.z - half * g.sin(q.th) - height * g.cos(q.th)),
            g.Unilateral("right", lambda q: q.z + half * g.sin(q.th) - height * g.cos(q.th)),
        ],
    )
    tilt = 0.05
    start = [0.0, half * math.sin(tilt) + height * math.cos(tilt), tilt]
    run = g.simulate(system, start, t_end=2.0)
    limit = one(run, "accumulation")
    assert run.ending.kind == "finished"
    assert limit.name == "left + right"
    assert limit.t < 2.0
    ratio = (1 / 3 - half**2) / (1 / 3 + half**2)  # smooth feet: the centre moves up and down only
    assert math.sqrt(limit.value) == pytest.approx(ratio, abs=1e-5)  # each foot is struck every second time
    after = run.t > limit.t
    assert np.max(np.abs(run["th"][after])) <= 1e-12
    assert run["left"][after] == pytest.approx(np.full(after.sum(), G / 2), rel=1e-9)


def plates(count, x=1.0, v=10.0, gravity=10.0, e=0.8, ceiling=1.5):
    """Follow a ball between two plates: speeds from the energy, times from the change of speed."""
    t, found = 0.0, []
    for _ in range(count):
        up = v**2 - 2 * gravity * (ceiling - x)
        top = v > 0 and up > 0
        speed = math.sqrt(up) if top else -math.sqrt(v**2 + 2 * gravity * x)
        t += (v - speed) / gravity
        x, v = (ceiling if top else 0.0), -e * speed
        found.append(t)
    return np.array(found), x, v


@pytest.mark.long
def test_ball_between_two_plates_comes_to_rest_on_the_lower_one():
    """Siconos, the ball between two plates: from the last impact on the ceiling on it is a ball dropped on a floor."""
    system = g.System(
        "ball between plates",
        "x",
        kinetic_energy=lambda v: 0.5 * v.x**2,
        potential_energy=lambda q: 10.0 * q.x,
        constraints=[
            g.Unilateral("floor", lambda q: q.x, restitution=0.8),
            g.Unilateral("ceiling", lambda q: 1.5 - q.x, restitution=0.8),
        ],
    )
    run = g.simulate(system, [1.0], [10.0], t_end=8.0)
    times = np.array([event.t for event in run.events if event.kind == "impact"])
    expected, _, _ = plates(len(times))
    assert np.max(np.abs(times - expected)) <= 1e-9
    first, _, v = plates(12)
    assert abs(one(run, "accumulation").t - (first[-1] + 2 * v / 10.0 / (1 - 0.8))) <= 1e-9
    assert run["floor"][-1] == pytest.approx(10.0, rel=1e-12)


def test_ball_a_rounding_below_the_floor_that_hardly_rises_does_not_fall_through_it():
    """A rise of 5e-14 m from 2e-13 m below, all within what counts as closed: the gap never becomes positive."""
    run = g.simulate(ball(0.5), [-2e-13], [1e-6], t_end=0.5)
    assert run.ending.kind == "finished"
    assert np.min(run["x"]) >= -1e-11
    assert run["floor"][-1] == pytest.approx(G, rel=1e-12)


def test_limit_is_known_where_the_gap_is_a_small_difference_of_large_coordinates():
    """At 10,000 m rounding is 2e-12 m; hops below 1e-8 m are not told from it, so the last 1e-4 s are not followed."""
    e, floor = 0.7, 1e4
    system = g.System(
        "ball far up",
        "z",
        kinetic_energy=lambda v: 0.5 * v.z**2,
        potential_energy=lambda q: 9.81 * (q.z - floor),
        constraints=[g.Unilateral("floor", lambda q: q.z - floor, restitution=e)],
    )
    run = g.simulate(system, [floor + 1.0], t_end=4.0)
    last = run.events[-1]
    assert last.kind == "accumulation"
    assert last.t == pytest.approx(np.sqrt(2.0 / 9.81) * (1 + e) / (1 - e), abs=1e-7 * 4.0)
    assert last.value == pytest.approx(e, abs=1e-3)
    assert run["floor"][-1] == pytest.approx(9.81, rel=1e-12)
