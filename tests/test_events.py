"""Contacts close, press and release at the times that mechanics gives; user events are located to rounding."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import gauss as g

EPS = float(np.finfo(float).eps)
G = 9.81  # m/s²
RTOL = 1e-10  # the default of simulate
CLOSED = 1e-9  # m, the documented gap below which a contact counts as closed


def rounding(scale, cond=1.0):
    """A hundred rounding errors of numbers of size `scale`, amplified by the condition number."""
    return 100.0 * EPS * cond * scale


def unit_mass(v):
    """Kinetic energy of unit masses on all coordinates."""
    return 0.5 * sum(speed**2 for speed in v)


def ball(restitution, gravity=G, floor=0.0, mass=1.0):
    return g.System(
        "ball",
        "x",
        kinetic_energy=lambda v, p: 0.5 * p.m * v.x**2,
        potential_energy=lambda q, p: p.m * gravity * q.x,
        constraints=[g.Unilateral("floor", lambda q: q.x - floor, restitution=restitution)],
        parameters={"m": mass},
    )


def times(run, kind):
    return np.array([event.t for event in run.events if event.kind == kind])


def kinds(run):
    return [event.kind for event in run.events]


def finished(run):
    assert run.ending.kind == "finished", run.ending.message
    return run


def quiet(*arguments, **options):
    """Simulate without the warning about an early end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", g.errors.MotionWarning)
        return g.simulate(*arguments, **options)


# --- the bouncing ball ------------------------------------------------------------------------------------------

# Impact times of BouncingBallED.ref in github.com/siconos/siconos-tutorials, commit
# b6c9bfd1940a69dae512a3e39cf5f1a951e3eebe: dropped from 1 m, g = 9.81 m/s², e = 0.9.
SICONOS = """
0.4515236409857309 1.2642661947600464 1.9957344931569305 2.654055961714126 3.2465452834156023 3.779785672946931
4.259702023525127 4.691626739045502 5.080358983013841 5.430218002585346 5.7450911201997 6.028476926052619
6.283524151320246 6.51306665406111 6.7196549065278885 6.9055843337479885 7.072920818246079 7.22352365429436
7.359066206737813 7.481054503936921 7.590843971416118 7.689654492147395 7.778583960805545 7.858620482597879
7.93065335221098 7.995482934862771 8.053829559249383 8.106341521197335 8.15360228695049 8.19613697612833
8.234418196388386 8.268871294622437 8.299879083033083 8.327786092602665 8.352902401215287 8.375507078966647
8.395851288942872 8.414161077921474 8.430639888002215 8.445470817074883 8.458818653240284
"""


def drop_times(count, e, height=1.0, gravity=G):
    """Impact k happens at t1 (1 + 2e + … + 2e^(k−1)), t1 = √(2h/g)."""
    powers = e ** np.arange(1, count)
    return math.sqrt(2 * height / gravity) * (1 + 2 * np.concatenate([[0.0], np.cumsum(powers)]))


@pytest.mark.parametrize("method", [{}, {"method": "rk4", "step": 0.05}])
def test_bouncing_ball_hits_at_the_closed_form_and_at_the_times_of_siconos(method):
    """Between impacts the motion is a polynomial, so only rounding accumulates, impact by impact; the reference agrees
    with the closed form to 3.5e-12 s."""
    run = finished(g.simulate(ball(0.9), [1.0], t_end=8.465, **method))
    reference = np.array([float(word) for word in SICONOS.split()])
    hits = times(run, "impact")
    assert kinds(run) == ["impact"] * 41
    assert np.max(np.abs(hits - drop_times(41, 0.9))) <= rounding(hits[-1], len(run))
    assert np.max(np.abs(hits - reference)) <= 1e-9


def test_impacts_record_approach_speed_and_energy_loss():
    """The approach speed falls by e each time; the loss is ½(1 − e²) m v²."""
    e, m = 0.7, 2.5
    run = finished(g.simulate(ball(e, mass=m), [1.0], t_end=2.0))
    speeds = math.sqrt(2 * G) * e ** np.arange(len(run.events))
    assert len(run.events) == 4
    for event, speed in zip(run.events, speeds, strict=True):
        assert event.name == "floor"
        assert event.value == pytest.approx(speed, rel=rounding(1.0, len(run)))
        assert event.energy_loss == pytest.approx((1 - e**2) * m * speed**2 / 2, rel=rounding(1.0, len(run)))
    lost = sum(event.energy_loss for event in run.events)
    assert run.energy[0] - run.energy[-1] == pytest.approx(lost, rel=rounding(1.0, len(run)))


def test_states_before_and_after_an_impact_are_both_recorded():
    e = 0.5
    run = finished(g.simulate(ball(e), [1.0], t_end=0.6))
    (hit,) = times(run, "impact")
    before, after = np.flatnonzero(run.t == hit)
    assert after == before + 1
    assert run["d_x"][after] == pytest.approx(-e * run["d_x"][before], rel=rounding(1.0))
    assert run["x"][after] == run["x"][before]
    assert run.at(hit)["d_x"][0] == run["d_x"][after]  # the motion at the time of an impact is what follows it
    assert run.at(hit - 1e-6)["d_x"][0] < 0.0


PLATES = {"floor": 0.0, "ceiling": 1.5}  # m


def plate_events(count, x=1.0, v=10.0, gravity=10.0, e=0.8):
    """Follow the ball from plate to plate: v² at a plate from the energy, time from the change of speed."""
    t, events = 0.0, []
    for _ in range(count):
        up = v**2 - 2 * gravity * (PLATES["ceiling"] - x)
        name = "ceiling" if v > 0 and up > 0 else "floor"
        speed = math.sqrt(up) if name == "ceiling" else -math.sqrt(v**2 + 2 * gravity * x)
        t += (v - speed) / gravity
        x, v = PLATES[name], -e * speed
        events.append((t, name))
    return events


def test_ball_between_two_plates_hits_them_at_the_derived_times():
    system = g.System(
        "ball between plates",
        "x",
        kinetic_energy=unit_mass,
        potential_energy=lambda q: 10.0 * q.x,
        constraints=[
            g.Unilateral("floor", lambda q: q.x - PLATES["floor"], restitution=0.8),
            g.Unilateral("ceiling", lambda q: PLATES["ceiling"] - q.x, restitution=0.8),
        ],
    )
    run = finished(g.simulate(system, [1.0], [10.0], t_end=4.0))
    expected = plate_events(len(run.events))
    assert len(expected) >= 8
    assert {name for _, name in expected[:4]} == set(PLATES)
    assert [event.name for event in run.events] == [name for _, name in expected]
    assert np.max(np.abs(times(run, "impact") - [t for t, _ in expected])) <= rounding(4.0, len(run))


def test_restitution_one_conserves_energy_over_a_hundred_bounces():
    """Nothing but the rounding of each step changes the energy."""
    run = finished(g.simulate(ball(1.0), [1.0], t_end=90.5))
    hits = times(run, "impact")
    assert len(hits) >= 100
    assert np.ptp(run.energy) <= rounding(G, len(run))
    assert max(abs(event.energy_loss) for event in run.events) <= rounding(G)
    expected = math.sqrt(2 / G) * (1 + 2 * np.arange(len(hits)))
    assert np.max(np.abs(hits - expected)) <= rounding(hits[-1], len(run))


@pytest.mark.sampled(8)
@pytest.mark.parametrize("floor", [0.0, 1.0])
@pytest.mark.parametrize("e", [1e-2, 1e-3, 1e-4, 1e-6, 1e-8, 1e-9, 1e-10, 1e-12, 1e-15])
def test_very_small_restitution_ends_at_rest(e, floor):
    """Bounces below the contact tolerance are no bounces: a few impacts, then rest, and no row that flickers."""
    run = quiet(ball(e, floor=floor), [1.0 + floor], t_end=2.0)
    assert len(run.events) <= 20
    assert run.events[0].t == pytest.approx(math.sqrt(2 / G), rel=rounding(1.0))
    assert abs(run["x"][-1] - floor) <= CLOSED
    finished(run)
    assert run["floor"][-1] == pytest.approx(G, rel=rounding(1.0))
    assert abs(run["d_x"][-1]) <= rounding(1.0)


# --- resting contact and release --------------------------------------------------------------------------------


def test_ball_without_restitution_stays_and_carries_its_weight():
    m = 2.0
    run = finished(g.simulate(ball(0.0, mass=m), [1.0], t_end=2.0))
    assert kinds(run) == ["impact"]
    assert run.events[0].energy_loss == pytest.approx(m * G, rel=rounding(1.0))
    rest = run.active[:, 0]
    assert np.all(np.diff(rest.astype(int)) >= 0)  # it closes once
    assert run["x"][rest] == pytest.approx(np.zeros(rest.sum()), abs=rounding(1.0))
    assert run["floor"][rest] == pytest.approx(np.full(rest.sum(), m * G), rel=rounding(1.0))
    assert np.array_equal(run["floor"][~rest], np.zeros((~rest).sum()))


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_ball_dropped_from_zero_height_rests(e):
    run = finished(g.simulate(ball(e), [0.0], t_end=1.0))
    assert run.events == ()
    assert np.max(np.abs(run["x"])) <= rounding(1.0)
    assert run["floor"] == pytest.approx(np.full(len(run), G), rel=rounding(1.0))


def lifted(force):
    """A block on the floor that a vertical force of t and p lifts."""
    return g.System(
        "lifted block",
        "x",
        kinetic_energy=lambda v, p: 0.5 * p.m * v.x**2,
        potential_energy=lambda q, p: p.m * G * q.x,
        force=lambda t, p: [force(t, p)],
        constraints=[g.Unilateral("floor", lambda q: q.x)],
        parameters={"m": 2.0, "c": 3.0},
    )


@pytest.mark.long
@pytest.mark.parametrize("mass", [1e-14, 1e-6, 0.37, 1.0, 1e3, 1e9])
def test_block_is_released_once_when_the_lift_exceeds_its_weight(mass):
    """F = m c t lifts at t = g/c, whatever the mass; afterwards x = c (t − g/c)³/6. Both are polynomials."""
    system = lifted(lambda t, p: p.m * p.c * t)
    for c in np.linspace(0.7, 11.0, 12):
        run = finished(g.simulate(system.with_parameters(m=mass, c=c), [0.0], t_end=G / c + 1.0))
        assert kinds(run) == ["release"], f"c = {c}"
        assert run.events[0].t == pytest.approx(G / c, rel=rounding(1.0))
        assert run["x"][-1] == pytest.approx(c / 6, rel=rounding(1.0, len(run) * (1 + 3 * G / c)))
        assert not run.active[-1, 0]
        assert run["floor"][-1] == 0.0


@pytest.mark.parametrize("omega", [1.0, 10.0, 40.0, 100.0])
def test_block_on_a_pulsating_lift_is_released_once_per_period(omega):
    """F = 1.2 mg sin ωt exceeds the weight at ωt = arcsin(1/1.2) + 2πk; the hop ends within the period."""
    system = lifted(lambda t, p: 1.2 * p.m * G * g.sin(omega * t))
    run = finished(g.simulate(system, [0.0], t_end=3.2 * 2 * math.pi / omega))
    releases = times(run, "release")
    expected = (math.asin(1 / 1.2) + 2 * math.pi * np.arange(4)) / omega
    assert releases.size == 4, kinds(run)
    assert np.max(np.abs(releases - expected)) <= rounding(expected[-1], len(run))
    assert kinds(run)[:6] == ["release", "impact"] * 3


def test_short_pulse_of_the_lift_is_not_overlooked():
    """A block at rest gives no reason for short steps; a lift that exceeds its weight for 5 % of the run moves it."""
    system = lifted(lambda t, p: 2 * p.m * G * g.exp(-(((t - 5.3) / 0.3) ** 2)))
    run = g.simulate(system, [0.0], t_end=10.0)
    assert "release" in kinds(run)
    assert times(run, "release")[0] == pytest.approx(5.3 - 0.3 * math.sqrt(math.log(2)), rel=rounding(1.0))


def test_force_that_only_balances_the_weight_releases_nothing():
    """F = mg exactly: the reaction is zero and the block neither presses nor leaves."""
    run = finished(g.simulate(lifted(lambda t, p: p.m * G), [0.0], t_end=1.0))
    assert len(run.events) <= 1
    assert np.max(np.abs(run["x"])) <= rounding(1.0)
    assert np.max(np.abs(run["floor"])) <= rounding(2 * G)


def sphere(radius, mass=1.0):
    return g.System(
        "particle on a sphere",
        "x y",
        kinetic_energy=lambda v, p: 0.5 * p.m * (v.x**2 + v.y**2),
        potential_energy=lambda q, p: p.m * G * q.y,
        constraints=[g.Unilateral("sphere", lambda q, p: g.hypot(q.x, q.y) - p.R)],
        parameters={"m": mass, "R": radius},
    )


@pytest.mark.sampled(8)
@pytest.mark.parametrize("radius", [0.3, 1.0, 50.0])
@pytest.mark.parametrize("fraction", [0.05, 0.2, 0.5, 0.7, 0.9, 0.99])
def test_particle_leaves_the_sphere_at_two_thirds_of_its_height(radius, fraction):
    """cos θ = 2/3 + v0²/(3 g R) from the top; the motion up to there is accurate to ten times rtol."""
    speed = fraction * math.sqrt(G * radius)
    run = finished(g.simulate(sphere(radius), [0.0, radius], [speed, 0.0], t_end=5 * math.sqrt(radius / G)))
    assert kinds(run) == ["release"]
    leaving = run.at(run.events[0].t)
    assert leaving["y"][0] / radius == pytest.approx(2 / 3 + speed**2 / (3 * G * radius), abs=10 * RTOL)
    assert np.hypot(run["x"], run["y"])[-1] > radius


@pytest.mark.parametrize("mass", [1e-14, 1e-6, 1e6])
def test_mass_does_not_decide_where_the_sphere_is_left(mass):
    run = finished(g.simulate(sphere(1.0, mass), [0.0, 1.0], [1.0, 0.0], t_end=1.5))
    assert kinds(run) == ["release"]
    assert run.at(run.events[0].t)["y"][0] == pytest.approx(2 / 3 + 1 / (3 * G), abs=10 * RTOL)


@pytest.mark.parametrize("factor", [1.0, 1.5])
def test_particle_too_fast_for_the_sphere_flies_at_once(factor):
    """From v0 = √(gR) on the path is a parabola from the start."""
    speed = factor * math.sqrt(G)
    run = finished(g.simulate(sphere(1.0), [0.0, 1.0], [speed, 0.0], t_end=0.3))
    assert run["x"][-1] == pytest.approx(speed * 0.3, rel=rounding(1.0, len(run)))
    assert run["y"][-1] == pytest.approx(1 - G * 0.3**2 / 2, rel=rounding(1.0, len(run)))
    assert not np.any(run.active[1:])


@pytest.mark.parametrize("ratio", [2.5, 3.0, 3.5, 4.0, 4.9])
def test_slack_string_lets_go_at_the_known_height_and_is_taut_again_on_the_parabola(ratio):
    """Unit string, speed² = ratio·g at the bottom: slack at height (ratio − 2)/3. Relative to the circle the parabola
    then has a triple contact, so the string is taut after 4 v_y/g, and loses the energy of the radial speed."""
    system = g.System(
        "string",
        "x y",
        kinetic_energy=unit_mass,
        potential_energy=lambda q: G * q.y,
        constraints=[g.Unilateral("string", lambda q: 1.0 - q.x**2 - q.y**2)],
    )
    run = finished(g.simulate(system, [0.0, -1.0], [math.sqrt(ratio * G), 0.0], t_end=1.5))
    assert kinds(run)[:2] == ["release", "impact"]
    slack, taut = run.events[0].t, run.events[1].t
    height = (ratio - 2) / 3
    leaving = run.at(slack)
    assert leaving["y"][0] == pytest.approx(height, abs=10 * RTOL)
    # At the point (√(1−h²), h) the speed is √(gh), along the circle.
    side = math.sqrt(1 - height**2)
    speed = math.sqrt(G * height)
    flight = 4 * speed * side / G
    assert taut - slack == pytest.approx(flight, abs=100 * RTOL)  # times are as uncertain as the release, squared rate
    p = np.array([side, height]) + flight * speed * np.array([-height, side]) - [0.0, G * flight**2 / 2]
    v = speed * np.array([-height, side]) - [0.0, G * flight]
    assert np.linalg.norm(p) == pytest.approx(1.0, abs=rounding(1.0, 10))
    assert run.events[1].energy_loss == pytest.approx((p @ v) ** 2 / 2, rel=1000 * RTOL)


@pytest.mark.parametrize("ratio", [1.5, 5.1])
def test_string_that_swings_below_the_middle_or_turns_over_stays_taut(ratio):
    system = g.System(
        "string",
        "x y",
        kinetic_energy=unit_mass,
        potential_energy=lambda q: G * q.y,
        constraints=[g.Unilateral("string", lambda q: 1.0 - q.x**2 - q.y**2)],
    )
    run = finished(g.simulate(system, [0.0, -1.0], [math.sqrt(ratio * G), 0.0], t_end=3.0))
    assert run.events == ()
    assert np.all(run["string"] > 0.0)
    assert np.max(np.abs(np.hypot(run["x"], run["y"]) - 1.0)) <= 1e-12


def test_contact_that_closes_without_speed_becomes_a_resting_contact():
    """Force 6(1 − t) and start 1, −3 give x = (1 − t)³: position, speed and acceleration vanish at t = 1, then the
    floor carries λ = 6(t − 1). The gap is below the contact tolerance from 1e-3 s before t = 1 on. Rounding moves its
    triple zero by about eps^(1/3) = 6e-6 s; a contact found before t = 1 is pulled open, and closes once more."""
    system = g.System(
        "soft landing",
        "x",
        kinetic_energy=unit_mass,
        force=lambda t: [6 * (1 - t)],
        constraints=[g.Unilateral("floor", lambda q: q.x, restitution=0.5)],
    )
    run = finished(g.simulate(system, [1.0], [-3.0], t_end=2.0))
    assert len(run.events) == (2 if run.events[0].t < 1.0 else 1)
    for event in run.events:
        assert event.t == pytest.approx(1.0, abs=CLOSED ** (1 / 3))
        assert event.value <= 3 * CLOSED ** (2 / 3)
    assert np.max(np.abs(run["x"] - np.maximum(1 - run.t, 0.0) ** 3)) <= CLOSED
    assert run["floor"][-1] == pytest.approx(6.0, rel=rounding(1.0))


# --- several contacts -------------------------------------------------------------------------------------------


def block(restitution, push=0.0):
    return g.System(
        "block",
        "x y",
        kinetic_energy=unit_mass,
        potential_energy=lambda q: G * q.y,
        force=[push, 0.0],
        constraints=[
            g.Unilateral("floor", lambda q: q.y),
            g.Unilateral("wall", lambda q: 1.0 - q.x, restitution=restitution),
        ],
    )


def test_block_on_the_floor_bounces_off_a_wall_and_stays_on_the_floor():
    e = 0.5
    run = finished(g.simulate(block(e), [0.0, 0.0], [2.0, 0.0], t_end=2.0))
    (event,) = run.events
    assert (event.kind, event.name) == ("impact", "wall")
    assert event.t == pytest.approx(0.5, rel=rounding(1.0))
    assert event.energy_loss == pytest.approx((1 - e**2) * 2.0, rel=rounding(1.0))
    assert run["x"][-1] == pytest.approx(1.0 - e * 2.0 * 1.5, rel=rounding(1.0, len(run)))
    assert np.max(np.abs(run["y"])) <= rounding(1.0)
    assert run["floor"] == pytest.approx(np.full(len(run), G), rel=rounding(1.0))


def test_block_pushed_into_a_wall_stays_between_floor_and_wall():
    run = finished(g.simulate(block(0.0, push=3.0), [0.0, 0.0], [2.0, 0.0], t_end=1.0))
    (event,) = run.events
    assert event.t == pytest.approx((math.sqrt(4 + 6) - 2) / 3, rel=rounding(1.0))
    assert event.energy_loss == pytest.approx(5.0, rel=rounding(1.0))
    assert run["floor"][-1] == pytest.approx(G, rel=rounding(1.0))
    assert run["wall"][-1] == pytest.approx(3.0, rel=rounding(1.0))
    assert run.q[-1] == pytest.approx([1.0, 0.0], abs=rounding(1.0))


def valley(restitution):
    """Two walls at 45° that meet in a corner at the origin."""
    return g.System(
        "valley",
        "x y",
        kinetic_energy=unit_mass,
        potential_energy=lambda q: G * q.y,
        constraints=[
            g.Unilateral("left", lambda q: q.y - q.x, restitution=restitution),
            g.Unilateral("right", lambda q: q.y + q.x, restitution=restitution),
        ],
    )


def test_particle_that_slides_into_a_corner_stays_there():
    """It falls 0.9 m onto the wall y = x, keeps √(2g·0.9)/√2 along it, and slides 0.1√2 m into the corner, where both
    walls carry g/(2√2) per unit of their length √2."""
    run = finished(g.simulate(valley(0.0), [0.1, 1.0], t_end=2.0))
    fall = math.sqrt(2 * 0.9 / G)
    speed, pull = G * fall / math.sqrt(2), G / math.sqrt(2)
    slide = (math.sqrt(speed**2 + 2 * pull * 0.1 * math.sqrt(2)) - speed) / pull
    assert [event.name for event in run.events] == ["left", "right"]
    assert times(run, "impact") == pytest.approx([fall, fall + slide], rel=rounding(1.0, len(run)))
    assert run.q[-1] == pytest.approx([0.0, 0.0], abs=rounding(1.0))
    assert run.v[-1] == pytest.approx([0.0, 0.0], abs=rounding(1.0))
    assert run.multipliers[-1] == pytest.approx([G / 2, G / 2], rel=rounding(1.0))


@pytest.mark.parametrize("tilt", [-0.5, -0.2, 0.0, 0.1, 0.3, 0.5])
def test_particle_in_a_tilted_corner_rests_on_both_walls(tilt):
    """Inner normals at 45° ± tilt from the vertical: the two reactions balance the weight."""
    left, right = math.pi / 4 + tilt, -math.pi / 4 + tilt
    system = g.System(
        "tilted corner",
        "x y",
        kinetic_energy=unit_mass,
        potential_energy=lambda q: G * q.y,
        constraints=[
            g.Unilateral("left", lambda q: q.y * math.cos(left) + q.x * math.sin(left)),
            g.Unilateral("right", lambda q: q.y * math.cos(right) + q.x * math.sin(right)),
        ],
    )
    run = finished(g.simulate(system, [0.0, 0.0], t_end=1.0))
    assert run.events == ()
    assert np.max(np.abs(run.q)) <= rounding(1.0)
    expected = np.linalg.solve([[math.sin(left), math.sin(right)], [math.cos(left), math.cos(right)]], [0.0, G])
    assert run.multipliers[-1] == pytest.approx(expected, rel=rounding(1.0, 2))


@pytest.mark.parametrize("speed", [1.0, 2.0, 1.93])
def test_impact_in_a_corner_stops_everything(speed):
    """The velocity after the impact is exactly zero, which no relative tolerance may turn into a failure."""
    run = finished(g.simulate(valley(0.0), [0.0, 0.0], [-speed, -speed], t_end=0.5))
    assert kinds(run) == ["impact"]
    assert run.events[0].energy_loss == pytest.approx(speed**2, rel=rounding(1.0))
    assert run.q[-1] == pytest.approx([0.0, 0.0], abs=rounding(1.0))


def two_balls(first=0.8, second=0.5):
    return g.System(
        "two balls",
        "x y",
        kinetic_energy=unit_mass,
        potential_energy=lambda q: G * (q.x + q.y),
        constraints=[
            g.Unilateral("first", lambda q: q.x, restitution=first),
            g.Unilateral("second", lambda q: q.y, restitution=second),
        ],
    )


def test_two_balls_bounce_each_at_its_own_times():
    run = finished(g.simulate(two_balls(), [1.0, 2.0], t_end=1.8))
    for name, height, e in (("first", 1.0, 0.8), ("second", 2.0, 0.5)):
        hits = np.array([event.t for event in run.events if event.name == name])
        assert hits.size >= 2
        assert np.max(np.abs(hits - drop_times(hits.size, e, height))) <= rounding(1.8, len(run))


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_contacts_that_close_at_once_strike_together_and_the_run_goes_on(restitution):
    """Two balls that do not touch each other: each follows its own law, whatever the other does."""
    run = finished(g.simulate(two_balls(restitution, 0.7), [1.0, 1.0], t_end=0.6))
    fall = math.sqrt(2 / G)
    impacts = [event for event in run.events if event.kind == "impact"]
    assert [event.name for event in impacts[:2]] == ["first", "second"]
    for event, e in zip(impacts[:2], (restitution, 0.7), strict=True):
        assert event.t == pytest.approx(fall, rel=rounding(1.0))
        assert event.impulse == pytest.approx((1 + e) * G * fall, rel=rounding(1.0))
        assert event.energy_loss == pytest.approx((1 - e**2) * G, rel=rounding(1.0), abs=rounding(G))
    after = np.flatnonzero(run.t == impacts[0].t)[-1]
    assert run.v[after] == pytest.approx([restitution * G * fall, 0.7 * G * fall], rel=rounding(1.0), abs=rounding(1.0))


def test_contacts_that_close_at_once_at_the_start_leave_the_start_and_what_follows():
    run = finished(g.simulate(two_balls(0.8, 0.5), [0.0, 0.0], [-1.0, -1.0], t_end=0.05))
    assert np.array_equal(run.v[0], [-1.0, -1.0])
    assert run.t[1] == 0.0
    assert run.v[1] == pytest.approx([0.8, 0.5], rel=rounding(1.0))


def test_far_away_coordinate_does_not_make_other_contacts_close():
    """0.1 ms lie between the impacts of balls dropped from 1 m and 1.0005 m, whatever else the system contains."""
    system = g.System(
        "two balls and a ship",
        "x y ship",
        kinetic_energy=unit_mass,
        potential_energy=lambda q: G * (q.x + q.y),
        constraints=[
            g.Unilateral("first", lambda q: q.x, restitution=0.8),
            g.Unilateral("second", lambda q: q.y, restitution=0.5),
        ],
    )
    run = finished(quiet(system, [1.0, 1.0005, 1e6], t_end=0.6))
    assert [event.name for event in run.events] == ["first", "second"]
    assert times(run, "impact") == pytest.approx(np.sqrt(2 * np.array([1.0, 1.0005]) / G), rel=rounding(1.0, 10))


def test_table_on_four_legs_stands_on_them_without_end():
    """The legs' gaps z ± a, z ± b are dependent: the acceleration is unique, and independent legs carry the weight."""
    system = g.System(
        "table",
        "z a b",
        kinetic_energy=unit_mass,
        potential_energy=lambda q: G * q.z,
        constraints=[g.Unilateral("leg", lambda q: [q.z + q.a, q.z - q.a, q.z + q.b, q.z - q.b])],
    )
    run = finished(g.simulate(system, [0.0, 0.0, 0.0], t_end=1.0))
    assert np.max(np.abs(run.q)) <= rounding(1.0)
    assert run.multipliers.sum(axis=1) == pytest.approx(np.full(len(run), G), rel=rounding(1.0, 100))
    assert np.all(run.multipliers >= 0.0)


def test_masses_that_meet_exchange_momentum_by_newtons_law():
    m1, m2, e, gap = 2.0, 3.0, 0.6, 0.1
    system = g.System(
        "two masses",
        "x y",
        kinetic_energy=lambda v: 0.5 * (m1 * v.x**2 + m2 * v.y**2),
        constraints=[g.Unilateral("touch", lambda q: q.y - q.x - gap, restitution=e)],
    )
    run = finished(g.simulate(system, [0.0, 1.0], [2.0, -1.0], t_end=1.0))
    (event,) = run.events
    reduced = m1 * m2 / (m1 + m2)
    assert event.t == pytest.approx(0.9 / 3.0, rel=rounding(1.0))
    assert event.value == pytest.approx(3.0, rel=rounding(1.0))
    assert event.energy_loss == pytest.approx((1 - e**2) * reduced * 9.0 / 2, rel=rounding(1.0))
    impulse = (1 + e) * reduced * 3.0
    assert run.v[-1] == pytest.approx([2.0 - impulse / m1, -1.0 + impulse / m2], rel=rounding(1.0))


def test_pendulum_that_hits_a_wall_at_its_lowest_point_swings_back():
    """A constraint row and an impact together: the bob loses 1 − e² of its energy and returns after half a period."""
    e = 0.7
    system = g.System(
        "pendulum at a wall",
        "x y",
        kinetic_energy=unit_mass,
        potential_energy=lambda q: G * q.y,
        constraints=[
            g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0),
            g.Unilateral("wall", lambda q: q.x, restitution=e),
        ],
    )
    run = finished(g.simulate(system, [1.0, 0.0], t_end=2.0))
    speed = math.sqrt(2 * G)
    first, second = run.events[:2]
    assert first.value == pytest.approx(speed, rel=10 * RTOL)
    assert first.energy_loss == pytest.approx((1 - e**2) * G, rel=100 * RTOL)
    assert second.value == pytest.approx(e * speed, rel=100 * RTOL)
    assert np.max(run.off_position) <= 1e-12


def test_billiard_ball_in_a_round_table_keeps_its_chords():
    """Impact parameter L/v fixes the chord 2√(1 − L²/v²): all intervals are equal, the energy stays."""
    system = g.System(
        "billiard",
        "x y",
        kinetic_energy=unit_mass,
        constraints=[g.Unilateral("rim", lambda q: 1.0 - g.hypot(q.x, q.y), restitution=1.0)],
    )
    x, v = 0.3, np.array([0.2, 1.0])
    run = finished(g.simulate(system, [x, 0.0], v, t_end=40.0))
    speed = np.linalg.norm(v)
    chord = 2 * math.sqrt(1 - (x * v[1] / speed) ** 2) / speed
    assert len(run.events) > 20
    assert np.max(np.abs(np.diff(times(run, "impact")) - chord)) <= rounding(40.0, len(run))
    assert np.ptp(run.energy) <= rounding(1.0, len(run))


def test_ball_on_a_rising_table_bounces_relative_to_the_table():
    """Table at u t, ball dropped from h: v⁺ − u = −e (v⁻ − u)."""
    e, u, h = 0.5, 1.0, 1.0
    system = g.System(
        "rising table",
        "x",
        kinetic_energy=unit_mass,
        potential_energy=lambda q: G * q.x,
        constraints=[g.Unilateral("table", lambda q, t: q.x - u * t, restitution=e)],
    )
    run = finished(g.simulate(system, [h], t_end=0.5))
    (event,) = run.events
    hit = (-u + math.sqrt(u**2 + 2 * G * h)) / G
    assert event.t == pytest.approx(hit, rel=rounding(1.0))
    assert event.value == pytest.approx(G * hit + u, rel=rounding(1.0))
    after = u + e * (G * hit + u)
    assert run["d_x"][-1] == pytest.approx(after - G * (0.5 - hit), rel=rounding(1.0, len(run)))


def wall(c, s, d):
    """The gap to a line with outer normal (c, s) at the distance d from the origin."""
    return lambda q: float(d) - float(c) * q.x - float(s) * q.y


# Not 4: there a ball slides along one wall into a perfectly elastic one, and bounces 20,000 times in a second.
POLYGON_SEEDS = (0, 16, 23, 31, 61, 66, 83, 87, 113)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("seed", POLYGON_SEEDS)
def test_ball_in_a_polygon_never_leaves_it_and_gains_no_energy(seed):
    """Random walls, restitutions and throws, several contacts at once and impacts that accumulate among them."""
    rng = np.random.default_rng(seed)
    count = rng.integers(3, 6)
    angles = np.sort(rng.uniform(0, 2 * np.pi, count))
    while np.max(np.diff(np.append(angles, angles[0] + 2 * np.pi))) > 2.8:
        angles = np.sort(rng.uniform(0, 2 * np.pi, count))
    reach = rng.uniform(0.5, 1.5, count)
    restitution = rng.choice([0.0, 0.3, 0.7, 1.0], count)
    walls = [
        g.Unilateral(f"wall{k}", wall(*numbers), restitution=float(e))
        for k, (*numbers, e) in enumerate(zip(np.cos(angles), np.sin(angles), reach, restitution, strict=True))
    ]
    system = g.System("polygon", "x y", kinetic_energy=unit_mass, potential_energy=lambda q: G * q.y, constraints=walls)
    run = quiet(system, [0.0, 0.0], list(rng.normal(size=2) * 3), t_end=3.0, solver="kkt")
    assert run.ending.kind == "finished", run.ending.message
    dense = run.at(np.linspace(0.0, run.t[-1], 400))
    gaps = reach - np.outer(dense["x"], np.cos(angles)) - np.outer(dense["y"], np.sin(angles))
    assert np.min(gaps) >= -CLOSED * max(1.0, np.max(np.abs(run.q)))
    closing = G * CLOSED if any(e.kind in ("accumulation", "contact") for e in run.events) else 0.0  # a gap is closed
    assert np.max(np.diff(run.energy)) <= rounding(np.max(run.kinetic), 10) + closing
    assert np.min(run.multipliers) >= -rounding(np.max(np.abs(run.multipliers)))


# --- grazing ----------------------------------------------------------------------------------------------------


def thrown(ceiling, restitution=0.5):
    """Thrown up at 10 m/s under 10 m/s²: the top is 5 m, at 1 s."""
    return g.System(
        "thrown ball",
        "x",
        kinetic_energy=unit_mass,
        potential_energy=lambda q: 10.0 * q.x,
        constraints=[g.Unilateral("ceiling", lambda q: ceiling - q.x, restitution=restitution)],
    )


@pytest.mark.sampled(5)
@pytest.mark.parametrize("depth", [1e-1, 1e-2, 1e-4, 1e-6])
@pytest.mark.parametrize("options", [{}, {"max_step": 0.07}, {"method": "rk4", "step": 0.1}])
def test_ceiling_just_below_the_top_of_the_flight_is_hit(depth, options):
    """The ball would be above the ceiling for 2√(2·depth/10) s only; the approach speed is √(20·depth)."""
    run = finished(g.simulate(thrown(5.0 - depth), [0.0], [10.0], t_end=1.5, **options))
    assert kinds(run) == ["impact"]
    speed = math.sqrt(20 * depth)
    # The speed comes from a difference of numbers of size 10²/2: its square has their rounding.
    assert run.events[0].value == pytest.approx(speed, abs=rounding(50.0) / speed)
    assert run.events[0].t == pytest.approx(1.0 - speed / 10, abs=rounding(50.0) / speed)
    assert np.max(run["x"]) <= 5.0 - depth + CLOSED * 10


@pytest.mark.parametrize("distance", [0.0, 1e-9, 1e-6, 1e-3])
def test_ball_that_does_not_reach_the_ceiling_falls_back_freely(distance):
    """A touch without speed may count as a contact within the tolerance; it must not change the flight."""
    run = finished(g.simulate(thrown(5.0 + distance), [0.0], [10.0], t_end=1.5))
    slow = math.sqrt(20 * CLOSED)
    assert all(event.value <= slow for event in run.events)
    if distance > 10 * CLOSED:
        assert run.events == ()
    assert run["x"][-1] == pytest.approx(15.0 - 5 * 1.5**2, abs=max(2 * slow if run.events else 0.0, rounding(50.0)))


# --- starts -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [0.1, 1e-6])
def test_start_inside_the_floor_is_refused(depth):
    with pytest.raises(g.errors.InconsistentStateError, match="'floor' has position gap"):
        g.simulate(ball(0.5), [-depth], t_end=1.0)


@pytest.mark.parametrize("start", [0.0, 5.0])
def test_contact_that_is_closing_at_the_start_hits_at_once(start):
    e, speed = 0.5, 2.0
    run = finished(g.simulate(ball(e), [0.0], [-speed], t=start, t_end=start + 0.15))
    (event,) = run.events
    assert (event.kind, event.t) == ("impact", start)
    assert event.value == pytest.approx(speed, rel=rounding(1.0))
    assert event.energy_loss == pytest.approx((1 - e**2) * speed**2 / 2, rel=rounding(1.0))
    assert run["d_x"][-1] == pytest.approx(e * speed - G * 0.15, rel=rounding(1.0, len(run) + 10 * start))
    # Both states at the time of the impact are recorded, so the first one is the state that was given.
    assert np.array_equal(run.t[:2], [start, start])
    assert run["d_x"][0] == -speed
    assert run["d_x"][1] == pytest.approx(e * speed, rel=rounding(1.0))


def test_contact_that_is_opening_at_the_start_does_not_hit():
    run = finished(g.simulate(ball(0.5), [0.0], [1.0], t_end=0.15))
    assert run.events == ()
    assert run["x"][-1] == pytest.approx(0.15 - G * 0.15**2 / 2, rel=rounding(1.0, 10))


# --- user events ------------------------------------------------------------------------------------------------

METHODS = [{}, {"max_step": 0.3}, {"method": "rk4", "step": 0.1}, {"method": "rk4", "step": 0.125}]
every_method = pytest.mark.parametrize("options", METHODS, ids=["dop853", "short", "rk4 0.1", "rk4 0.125"])


def projectile():
    return g.System("projectile", "x y", kinetic_energy=unit_mass, potential_energy=lambda q: 10.0 * q.y)


def throw(*events, t_end=2.5, **options):
    """x = t, y = 10 t − 5 t²."""
    return g.simulate(projectile(), [0.0, 0.0], [1.0, 10.0], t_end=t_end, events=events, **options)


RISE, FALL = 1 - math.sqrt(0.4), 1 + math.sqrt(0.4)  # s, the times at 3 m height


@every_method
@pytest.mark.parametrize(("direction", "expected"), [(0, [RISE, FALL]), (1, [RISE]), (-1, [FALL])])
def test_events_are_located_to_rounding_in_their_direction(options, direction, expected):
    run = finished(throw(g.Event("height", lambda q: q.y - 3.0, direction=direction), **options))
    assert [(event.kind, event.name) for event in run.events] == [("event", "height")] * len(expected)
    assert times(run, "event") == pytest.approx(expected, rel=1e-12)
    assert run.at(times(run, "event"))["y"] == pytest.approx(np.full(len(expected), 3.0), rel=1e-12)
    assert run["y"][-1] == pytest.approx(25.0 - 5 * 2.5**2, rel=1e-12)  # locating events does not change the motion


@every_method
def test_terminal_event_ends_the_run_where_it_happens(options):
    run = throw(g.Event("height", lambda q: q.y - 3.0, direction=-1, terminal=True), **options)
    assert run.ending.kind == "event"
    assert run.ending.complete  # no warning: the run did what was asked
    assert "'height'" in run.ending.message
    assert run.t[-1] == pytest.approx(FALL, rel=1e-12)
    assert run.q[-1] == pytest.approx([FALL, 3.0], rel=1e-12)
    assert run.events[-1].t == run.t[-1]


@pytest.mark.sampled(8)
@every_method
@pytest.mark.parametrize("time", [0.1, 0.5, 0.7, 1.0, 1.7, 2.0])
def test_event_at_the_end_of_a_step_is_not_lost(options, time):
    """Steps of 0.1 s and 0.125 s end at these times, exactly or but for rounding."""
    run = finished(throw(g.Event("place", lambda q: q.x - time), g.Event("clock", lambda t: t - time), **options))
    assert sorted(event.name for event in run.events) == ["clock", "place"]
    assert times(run, "event") == pytest.approx([time, time], rel=1e-12)


@every_method
def test_event_on_the_velocity_is_located(options):
    run = finished(throw(g.Event("top", lambda v: v.y), **options))
    assert times(run, "event") == pytest.approx([1.0], rel=1e-12)


@every_method
def test_event_that_is_zero_at_the_start_counts_when_it_returns(options):
    """y = 0 at the start and at t = 2 s; the start itself is no crossing, not even of a terminal event."""
    run = throw(g.Event("ground", lambda q: q.y, terminal=True), **options)
    assert times(run, "event") == pytest.approx([2.0], rel=1e-12)
    assert run.ending.kind == "event"


@pytest.mark.parametrize("scale", [1e-14, 1e-6, 1.0, 1e6, 1e12])
def test_unit_of_an_event_does_not_matter(scale):
    run = finished(throw(g.Event("height", lambda q: scale * (q.y - 3.0))))
    assert times(run, "event") == pytest.approx([RISE, FALL], rel=1e-12)


@every_method
def test_events_at_the_same_time_are_all_recorded(options):
    run = finished(
        throw(
            g.Event("place", lambda q: q.x - 0.77),
            g.Event("clock", lambda t: t - 0.77),
            g.Event("later", lambda t: t - 0.77 - 1e-9),
            **options,
        )
    )
    assert sorted(event.name for event in run.events) == ["clock", "later", "place"]
    assert times(run, "event") == pytest.approx([0.77, 0.77, 0.77 + 1e-9], rel=1e-12)
    assert run.events[-1].name == "later"


@pytest.mark.parametrize("height", [4.0, 4.9, 4.99, 4.9999])
def test_two_crossings_close_to_each_other_are_both_found(height):
    """The steps of the polynomial motion grow far beyond the time between the crossings."""
    run = finished(throw(g.Event("height", lambda q: q.y - height)))
    apart = math.sqrt((5 - height) / 5)
    assert times(run, "event") == pytest.approx([1 - apart, 1 + apart], abs=rounding(50.0) / (10 * apart))


@pytest.mark.long
@pytest.mark.parametrize("options", [{"max_step": 0.4}, {"method": "rk4", "step": 0.5}, {"rtol": 1e-3}])
def test_every_recorded_event_is_a_zero_of_its_function(options):
    """Harmonic oscillator with long steps, where the states inside a step are looked at by interpolation first."""
    system = g.System("oscillator", "x", kinetic_energy=unit_mass, potential_energy=lambda q: 0.5 * q.x**2)
    for level in np.linspace(-0.9, 0.9, 19):
        event = g.Event("level", lambda q, level=level: q.x - level)
        run = finished(g.simulate(system, [1.0], t_end=6.2, events=[event], solver="kkt", **options))
        assert len(run.events) == 2, f"level {level}"
        assert run.at(times(run, "event"))["x"] == pytest.approx([level, level], abs=rounding(1.0))


def test_events_are_located_beside_impacts():
    run = finished(g.simulate(ball(0.5), [1.0], t_end=1.0, events=[g.Event("mark", lambda q: q.x - 0.1)]))
    assert kinds(run) == ["event", "impact", "event", "event", "impact"]
    first = math.sqrt(2 / G)
    up = 0.5 * G * first
    apart = math.sqrt(up**2 - 2 * G * 0.1) / G
    expected = [math.sqrt(1.8 / G), first + up / G - apart, first + up / G + apart]
    assert times(run, "event") == pytest.approx(expected, rel=1e-12)


def test_events_may_come_from_any_iterable():
    events = (g.Event(f"x = {x}", lambda q, x=x: q.x - x) for x in (0.5, 1.5))
    run = g.simulate(projectile(), [0.0, 0.0], [1.0, 10.0], t_end=2.0, events=events)
    assert times(run, "event") == pytest.approx([0.5, 1.5], rel=1e-12)


def test_single_event_without_a_list_is_an_input_error():
    event = g.Event("x", lambda q: q.x - 0.5)
    with pytest.raises(g.errors.InputError, match="events"):
        g.simulate(projectile(), [0.0, 0.0], [1.0, 10.0], t_end=2.0, events=event)


def test_events_that_make_no_sense_are_refused():
    with pytest.raises(g.errors.InputError, match="direction"):
        g.Event("x", lambda q: q.x, direction=2)
    with pytest.raises(g.errors.ModelError, match="event 'x'"):
        throw(g.Event("x", lambda w: w))
    with pytest.raises(g.errors.ModelError, match="event 'x'"):
        throw(g.Event("x", lambda q: q.z))
