"""Motion with Coulomb friction: sticking, slipping, separating and striking at the times that mechanics gives."""

from __future__ import annotations

import importlib.util
import math
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.optimize as opt
from frictional import Rub, rubbed

import gauss as g
from gauss.analysis import atlas_along, certificate_claims, energy_residual
from gauss.motion.contacts import friction as laws
from gauss.motion.events.stalling import Guards, Stop
from gauss.show import mode_times

G = 9.81  # m/s²
RTOL = 1e-10  # the default of simulate


def block(stiffness=0.0, force=0.0, restitution=0.0):
    """A block of 1 kg on the floor, perhaps on a spring to x = 0."""
    return g.System(
        "block",
        "x z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2),
        potential_energy=lambda q: G * q.z + 0.5 * stiffness * q.x**2,
        force=force if callable(force) else [force, 0.0],
        constraints=[g.Unilateral("floor", lambda q: q.z, restitution=restitution)],
    )


def rough(mu, static=None, belt=0.0):
    return [Rub("floor", lambda v: v.x - belt, mu, static=static)]


def times(run, kind, name=None):
    return np.array([e.t for e in run.events if e.kind == kind and name in (None, e.name)])


def kinds(run):
    return [e.kind for e in run.events]


def finished(run):
    assert run.ending.kind == "finished", run.ending.message
    certified(run)
    return run


def certified(run):
    """Each record minimises the Zwang with friction as applied; the law of friction holds; no work is created."""
    for claim in (*g.crosscheck(run, samples=8), *certificate_claims(run)):
        assert claim.holds, str(claim)


def quiet(*arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", g.errors.MotionWarning)
        return g.simulate(*arguments, **options)


# --- one contact ------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("options", [{}, {"method": "rk4", "step": 0.01}, {"method": "radau", "rtol": 1e-9}])
@pytest.mark.parametrize("v0", [2.0, -1.3])
def test_thrown_block_stops_where_its_energy_is_used_up_and_stays(v0, options):
    mu = 0.3
    run = finished(g.simulate(rubbed(block(), rough(mu)), [0.0, 0.0], [v0, 0.0], t_end=1.5, **options))
    stop, way = abs(v0) / (mu * G), v0 * abs(v0) / (2 * mu * G)
    assert kinds(run) == ["stick"]
    assert times(run, "stick")[0] == pytest.approx(stop, abs=1e-9)
    assert run["x"][-1] == pytest.approx(way, abs=1e-9)
    assert run.friction_work[-1] == pytest.approx(-0.5 * v0**2, rel=1e-9)
    early = run.t < stop - 1e-9
    assert run["slip of floor"][early] == pytest.approx(np.full(early.sum(), -mu * G * np.sign(v0)), rel=1e-12)
    assert np.array_equal(run["d_x"][run.t > stop + 1e-9], np.zeros(np.sum(run.t > stop + 1e-9)))
    dense = run.at([0.5 * stop, stop + 0.1])
    assert dense["x"] == pytest.approx([0.75 * way, way], abs=1e-9)


def test_zwang_of_the_record_counts_friction_as_applied():
    """The free acceleration is then (−μg, −g), the reaction mg along z: Zwang ½ m g²."""
    run = g.simulate(rubbed(block(), rough(0.3)), [0.0, 0.0], [2.0, 0.0], t_end=0.1)
    assert run.zwang == pytest.approx(np.full(len(run), 0.5 * G**2), rel=1e-12)
    assert run.about.qp_count == len(run)


def test_pull_that_grows_breaks_the_block_loose_at_the_static_limit():
    """F = c t: loose at t = μ_s g/c, then v = c (t² − t₁²)/2 − μ_k g (t − t₁)."""
    c, static, kinetic = 4.0, 0.5, 0.3
    system = block(force=lambda t: [c * t, 0.0])
    run = finished(g.simulate(rubbed(system, rough(kinetic, static)), [0.0, 0.0], t_end=2.0))
    t1 = static * G / c
    assert kinds(run) == ["slip"]
    assert run.events[0].t == pytest.approx(t1, abs=1e-12)
    assert run.events[0].value == 1.0
    assert run["d_x"][-1] == pytest.approx(c * (4.0 - t1**2) / 2 - kinetic * G * (2.0 - t1), abs=1e-9)


def stick_slip(mu_s, mu_k, k, u):
    """Block on a belt at u with a spring to the wall: the times of a first sticking, of a slip, of a later sticking."""
    omega, d = math.sqrt(k), (mu_s - mu_k) * G / k
    rate = lambda t: -d * omega * math.sin(omega * t) + u * math.cos(omega * t) - u  # noqa: E731
    slip = opt.brentq(rate, math.pi / omega, 2 * math.pi / omega - 1e-9)
    return mu_s * G / (k * u), slip, 2 * d / u


def test_block_on_a_moving_belt_settles_into_the_stick_slip_cycle():
    """It starts with the belt at x = 0; the piecewise closed form gives every event."""
    mu_s, mu_k, k, u = 0.5, 0.3, 100.0, 0.5
    run = finished(g.simulate(rubbed(block(k), rough(mu_k, mu_s, belt=u)), [0.0, 0.0], [u, 0.0], t_end=3.0))
    first, slip, stick = stick_slip(mu_s, mu_k, k, u)
    n = np.arange(len(times(run, "slip")))
    assert len(n) == 5
    assert times(run, "slip") == pytest.approx(first + n * (slip + stick), abs=1e-9)
    n = np.arange(len(times(run, "stick")))
    assert times(run, "stick") == pytest.approx(first + slip + n * (slip + stick), abs=1e-9)
    # The belt supplies what the spring stores and friction takes.
    assert np.max(np.abs(energy_residual(run))) <= 1e-9
    assert run.friction_work[-1] < -0.1
    assert run.drive_work[-1] > 0.1


def test_ball_that_slips_rolls_after_two_sevenths():
    v0, mu = 3.0, 0.25
    ball = g.System(
        "ball",
        "x z th",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2 + 0.4 * v.th**2),
        potential_energy=lambda q: G * q.z,
        constraints=[g.Unilateral("floor", lambda q: q.z - 1.0), g.Pfaffian("rolls", lambda: {"x": 1.0, "th": -1.0})],
    )
    start, end = [0.0, 1.0, 0.0], 2 * v0 / (7 * mu * G)
    contact = Rub("floor", "rolls", mu)  # friction in place of the row that would hold by itself
    run = finished(g.simulate(rubbed(ball, contact), start, [v0, 0.0, 0.0], t_end=1.0))
    assert run.about.rows == ("rolls", "floor")
    assert times(run, "stick") == pytest.approx([end], abs=1e-12)
    assert run["d_x"][-1] == pytest.approx(5 * v0 / 7, abs=1e-12)
    assert run.at(end)["x"] == pytest.approx([12 * v0**2 / (49 * mu * G)], abs=1e-12)


def test_drop_with_spin_onto_a_rough_floor_is_thrown_forward_by_the_impact():
    """Disc, I = mR²/2: the impact's impulse P = (1 + e) m v; while it slips S = μP, enough to grip if μP ≥ m Rω/3."""
    e, mu, spin = 0.5, 0.2, 60.0
    disc = g.System(
        "disc",
        "x z th",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2 + 0.5 * v.th**2),
        potential_energy=lambda q: G * q.z,
        constraints=[g.Unilateral("floor", lambda q: q.z - 1.0, restitution=e)],
    )
    run = finished(
        g.simulate(rubbed(disc, [Rub("floor", lambda v: v.x - v.th, mu)]), [0.0, 2.0, 0.0], [0, 0, spin], t_end=0.6)
    )
    (hit,) = [event for event in run.events if event.kind == "impact"]
    speed = math.sqrt(2 * G)
    assert hit.impulse == pytest.approx((1 + e) * speed, rel=1e-12)
    assert hit.friction == pytest.approx(mu * hit.impulse, rel=1e-12)
    assert run["d_x"][-1] == pytest.approx(hit.friction, rel=1e-12)
    assert run["d_th"][-1] == pytest.approx(spin - 2 * hit.friction, rel=1e-12)
    mean = (hit.friction / 2, spin - hit.friction)  # velocities in the middle of the impulse
    loss = (1 - e**2) * speed**2 / 2 - hit.friction * (mean[0] - mean[1])
    assert hit.energy_loss == pytest.approx(loss, rel=1e-12)


# --- friction without a load, and contacts held from both sides ---------------------------------------------------


def test_brake_with_a_constant_limit_stops_a_flywheel_and_holds_it_until_the_torque_is_too_large():
    inertia, limit, static, c = 2.0, 3.0, 4.0, 1.5
    wheel = g.System("wheel", "a", kinetic_energy=lambda v: 0.5 * inertia * v.a**2, force=lambda t: [c * t])
    brake = Rub(None, lambda v: v.a, limit=limit, static=static)
    run = finished(g.simulate(rubbed(wheel, brake), [0.0], [-1.0], t_end=4.0))
    stop = (-limit + math.sqrt(limit**2 + 2 * c * inertia)) / c  # −I + limit t + c t²/2 = 0 for I = 2
    loose = static / c
    assert [(e.kind, e.name) for e in run.events] == [("stick", "friction 1"), ("slip", "friction 1")]
    assert times(run, "stick") == pytest.approx([stop], abs=1e-12)
    assert times(run, "slip") == pytest.approx([loose], abs=1e-12)
    rate = (c * (16.0 - loose**2) / 2 - limit * (4.0 - loose)) / inertia
    assert run["d_a"][-1] == pytest.approx(rate, abs=1e-9)


def test_impact_passes_a_brake_whose_force_is_finite():
    """A braked row of the system is no constraint in an impact: the wall turns the block's speed round, whole."""
    system = g.System(
        "braked block",
        "x y",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
        constraints=[
            g.Pfaffian("brake", lambda: {"x": 1.0, "y": 1.0}),
            g.Unilateral("wall", lambda q: 1.0 - q.x, restitution=1.0),
        ],
    )
    limit, v0 = 0.5, 2.0
    brake = Rub(None, "brake", limit=limit)
    run = finished(g.simulate(rubbed(system, brake), [0.0, 0.0], [v0, 0.0], t_end=0.6, max_step=0.05))
    hit = (v0 - math.sqrt(v0**2 - 2 * limit)) / limit
    assert times(run, "impact") == pytest.approx([hit], abs=1e-12)
    before, after = np.flatnonzero(run.t == times(run, "impact")[0])
    assert run.v[before] == pytest.approx([v0 - limit * hit, -limit * hit], abs=1e-12)
    assert run.v[after] == pytest.approx([-(v0 - limit * hit), -limit * hit], abs=1e-12)


def test_bead_on_a_rough_rod_feels_friction_of_either_side_of_the_rod():
    """A bead held on y = 0 with N = sin t across the rod, friction μ|N| along: v = v₀ − μ∫|sin| while it slides."""
    mu, v0 = 0.2, 1.0
    bead = g.System(
        "bead",
        "x y",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
        force=lambda t: [0.0, -g.sin(t)],
        constraints=[g.Holonomic("rod", lambda q: q.y)],
    )
    run = finished(g.simulate(rubbed(bead, [Rub("rod", lambda v: v.x, mu)]), [0.0, 0.0], [v0, 0.0], t_end=7.0))
    passed = np.floor(run.t / math.pi)
    path = 2 * passed + 1 - np.cos(run.t - passed * math.pi)  # ∫|sin|
    assert np.max(np.abs(run["d_x"] - (v0 - mu * path))) <= 1e-9
    assert run["rod"][np.searchsorted(run.t, 1.5)] > 0.9
    assert run["rod"][np.searchsorted(run.t, 4.7)] < -0.9


# --- several contacts ---------------------------------------------------------------------------------------------

HALF = 0.5  # m, half width of the box


def box(height, rate):
    """A box on two rough corners, its centre `height` above the floor, pulled there by F = rate·t."""
    return g.System(
        "box",
        "x z th",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2 + v.th**2 * (HALF**2 + height**2) / 3),
        potential_energy=lambda q: G * q.z,
        force=lambda t: [rate * t, 0, 0],
        constraints=[
            g.Unilateral("left", lambda q: q.z - HALF * g.sin(q.th) - height * g.cos(q.th)),
            g.Unilateral("right", lambda q: q.z + HALF * g.sin(q.th) - height * g.cos(q.th)),
        ],
    )


def corners(height, mu):
    def slip(side):
        return lambda q, v: v.x + v.th * (height * g.cos(q.th) - side * HALF * g.sin(q.th))

    return [Rub("left", slip(-1), mu), Rub("right", slip(1), mu)]


def test_low_box_slides_and_its_forces_stay_in_their_cones():
    """Sticking corners share the pull in a way that the equations leave open; it slides at F = μ m g all the same."""
    run = finished(g.simulate(rubbed(box(0.5, 5.0), corners(0.5, 0.4)), [0.0, 0.5, 0.0], t_end=1.2))
    assert times(run, "slip") == pytest.approx([0.4 * G / 5.0] * 2, abs=1e-9)
    assert np.max(np.abs(run["th"])) <= 1e-12
    for name in ("left", "right"):
        assert np.all(np.abs(run[f"slip of {name}"]) <= 0.4 * run[name] + 1e-9)
    shared = run["slip of left"] + run["slip of right"]
    still = run.t < 0.78
    assert shared[still] == pytest.approx(-5.0 * run.t[still], abs=1e-9)


def test_tall_box_tips_over_its_leading_corner():
    """It tips when F·h = m g·b, before it could slide at μ m g."""
    run = finished(g.simulate(rubbed(box(2.0, 5.0), corners(2.0, 0.6)), [0.0, 2.0, 0.0], t_end=0.8))
    assert times(run, "release", "left") == pytest.approx([HALF / 2.0 * G / 5.0], abs=1e-9)
    assert run["th"][-1] < 0.0
    corner = run["x"] + HALF * np.cos(run["th"]) + 2.0 * np.sin(run["th"])  # the right one, which sticks
    assert np.max(np.abs(corner - HALF)) <= 1e-12


def test_box_that_tips_slides_on_its_corner_when_friction_no_longer_holds_it():
    """About the corner it turns by (I + b² + h²) θ̈ = F x' − g z', and slips where |F − ẍ| = μ (g + z̈)."""
    from scipy.integrate import solve_ivp

    h, mu, rate = 1.0, 0.6, 5.0
    inertia = 4.0 * (HALF**2 + h**2) / 3.0

    def turning(t, y):
        th, w = y
        c, s = math.cos(th), math.sin(th)
        dx, dz = HALF * s - h * c, -HALF * c - h * s  # of the centre (−b c − h s, −b s + h c) over the corner, by θ
        bend = rate * t * dx - G * dz
        a = bend / inertia
        ax, az = dx * a + (HALF * c + h * s) * w**2, dz * a + (HALF * s - h * c) * w**2
        return w, a, rate * t - ax, G + az

    def held(t, y):
        _, _, friction, normal = turning(t, y)
        return mu * normal - abs(friction)

    held.terminal = True
    start = HALF / h * G / rate
    found = solve_ivp(lambda t, y: turning(t, y)[:2], (start, 3.0), [0.0, 0.0], rtol=1e-12, atol=1e-14, events=held)
    run = finished(g.simulate(rubbed(box(h, rate), corners(h, mu)), [0.0, h, 0.0], t_end=2.0))
    assert [(event.kind, event.name) for event in run.events] == [("release", "left"), ("slip", "right")]
    assert times(run, "slip") == pytest.approx(found.t_events[0], abs=1e-8)
    assert -1.0 < run["th"][-1] < found.y[0, -1] < -0.4


@pytest.mark.long
@pytest.mark.parametrize(("count", "mu", "static"), [(4, 0.4, 0.5), (3, 0.3, 0.3), (4, 0.3, 0.3)])
def test_corners_that_need_not_press_do_not_open_when_a_box_starts_to_slide(count, mu, static):
    """On more than two corners the loads are open; all slip at F = μ_s m g, and no gap opens."""
    places = np.linspace(-1.0, 1.0, count)

    def gap(x):
        return lambda q: q.z - 0.5 * g.cos(q.th) + x * g.sin(q.th)

    def slip(x):
        return lambda q, v: v.x + (0.5 * g.cos(q.th) - x * g.sin(q.th)) * v.th

    names = [f"corner {i}" for i in range(len(places))]
    system = g.System(
        "box",
        "x z th",
        mass_matrix=np.diag([1.0, 1.0, 5.0 / 12.0]),
        force=lambda t: [5.0 * t, -G, 0.0],
        constraints=[g.Unilateral(name, gap(x)) for name, x in zip(names, places, strict=True)],
    )
    contacts = [Rub(name, slip(x), mu, static) for name, x in zip(names, places, strict=True)]
    begin = static * G / 5.0
    run = finished(
        g.simulate(rubbed(system, contacts), [0.0, 0.5, 0.0], t=begin - 0.05, t_end=begin + 0.05, max_step=0.02)
    )
    assert [(e.kind, e.name) for e in run.events] == [("slip", name) for name in names]
    assert times(run, "slip") == pytest.approx([begin] * len(names), abs=1e-9)
    later, start = begin + 0.05, begin
    way = 5.0 * (later**3 - start**3) / 6.0 - mu * G * 0.05**2 / 2.0 - 5.0 * start**2 / 2.0 * 0.05
    assert run.q[-1] == pytest.approx([way, 0.5, 0.0], abs=1e-10)


def test_of_stacked_boxes_the_floor_slips_first_and_the_upper_one_when_its_own_limit_is_reached():
    """Pulled at the upper one by F = 5 t: the floor slips at F = 2 μ_f m g, later the upper box on the lower.

    Together they have a = (F − 2 μ_f m g)/2m, so that the lower one asks for F/2 + μ_f m g between them, up to μ_m m g.
    """
    wide, height = (1.0, 0.6), 0.3
    rows, contacts = [], []
    for side, name in ((-1.0, "left"), (1.0, "right")):

        def slip_floor(q, v, s=side):
            return v.x + (height * g.cos(q.a) - s * wide[0] * g.sin(q.a)) * v.a

        def corner(q, s=side):
            return (
                q.X + s * wide[1] * g.cos(q.A) + height * g.sin(q.A),
                q.Z + s * wide[1] * g.sin(q.A) - height * g.cos(q.A),
            )

        def gap(q, corner=corner):
            x, z = corner(q)
            return -(x - q.x) * g.sin(q.a) + (z - q.z) * g.cos(q.a) - height

        def slip(q, v, corner=corner):
            x, z = corner(q)
            along = v.X - (z - q.Z) * v.A - v.x + (z - q.z) * v.a
            up = v.Z + (x - q.X) * v.A - v.z - (x - q.x) * v.a
            return along * g.cos(q.a) + up * g.sin(q.a)

        floor = g.Unilateral(f"floor {name}", lambda q, s=side: q.z - height * g.cos(q.a) + s * wide[0] * g.sin(q.a))
        rows += [floor, g.Unilateral(f"between {name}", gap)]
        contacts += [Rub(f"floor {name}", slip_floor, 0.2), Rub(f"between {name}", slip, 0.6)]
    inertia = [(4 * w**2 + 4 * height**2) / 12 for w in wide]
    system = g.System(
        "two boxes",
        "x z a X Z A",
        mass_matrix=np.diag([1.0, 1.0, inertia[0], 1.0, 1.0, inertia[1]]),
        force=lambda t: [0.0, -G, 0.0, 5.0 * t, -G, 0.0],
        constraints=rows,
    )
    run = finished(
        g.simulate(rubbed(system, contacts), [0, height, 0, 0, 3 * height, 0], t=0.7, t_end=1.7, max_step=0.1)
    )
    ends = [0.4 * G / 5.0] * 2 + [0.8 * G / 5.0] * 2
    names = ["floor left", "floor right", "between left", "between right"]
    assert sorted((e.kind, e.name) for e in run.events) == sorted(("slip", name) for name in names)
    assert [next(e.t for e in run.events if e.name == name) for name in names] == pytest.approx(ends, abs=1e-9)


# --- Painlevé -----------------------------------------------------------------------------------------------------


def rod(g_=G):
    return g.System(
        "rod",
        "x z theta",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2 + v.theta**2 / 3),
        potential_energy=lambda q: g_ * q.z,
        constraints=[g.Unilateral("floor", lambda q: q.z - g.sin(q.theta))],
    )


def tip(mu):
    return [Rub("floor", lambda q, v: v.x + g.sin(q.theta) * v.theta, mu)]


def test_inconsistent_start_ends_with_one_message_and_no_invented_state():
    angle = math.atan(2.0)
    with pytest.warns(g.errors.MotionWarning, match="no acceleration and no finite contact forces"):
        run = g.simulate(rubbed(rod(), tip(2.0)), [0.0, math.sin(angle), angle], [-1.0, 0, 0], t_end=1.0)
    assert run.ending.kind == "inconsistent"
    assert 'paradox="impact"' in run.ending.message
    assert len(run) == 0


def test_impact_without_collision_leads_out_of_the_paradox():
    """Routh's path by hand: sliding until s = 0 at P₁, then sticking until ġ = 0 again, e = 0."""
    angle, mu, s0 = math.atan(2.0), 2.0, -1.0
    c, s = math.cos(angle), math.sin(angle)
    run = finished(g.simulate(rubbed(rod(), tip(mu)), [0.0, s, angle], [s0, 0, 0], t_end=0.3, paradox="impact"))
    N, T = np.array([0.0, 1.0, -c]), np.array([1.0, 0.0, s])
    inverse = np.diag([1.0, 1.0, 3.0])
    nn, nt, tt = N @ inverse @ N, N @ inverse @ T, T @ inverse @ T
    first = -s0 / (nt + mu * tt)  # ds/dP = W_tn + μ W_tt for σ = −1
    rate = (nn + mu * nt) * first
    assert rate < 0.0 < nn - nt**2 / tt  # driven in, then pushed back while it sticks
    second = -rate / (nn - nt**2 / tt)
    hit = run.events[0]
    assert (hit.kind, hit.t) == ("impact", 0.0)
    assert hit.impulse == pytest.approx(first + second, rel=1e-12)
    assert hit.friction == pytest.approx(mu * first - nt / tt * second, rel=1e-12)
    after = np.array([s0, 0, 0]) + inverse @ (N * hit.impulse + T * hit.friction)
    assert run.v[1] == pytest.approx(after, abs=1e-12)


def test_rod_that_slides_into_the_paradox_ends_there_or_goes_on_by_an_impact():
    """It turns up until A = W_nn − μ W_nt = 1 + 3c² − 3μ s c vanishes: there the contact force has no bound."""
    angle, turning, mu = 0.5, 2.0, 1.9
    c, s = math.cos(angle), math.sin(angle)
    start = ([0.0, s, angle], [-8.0 - s * turning, c * turning, turning])
    jammed = opt.brentq(lambda x: 1 + 3 * math.cos(x) ** 2 - 3 * mu * math.sin(x) * math.cos(x), 0.5, 0.8)
    with pytest.warns(g.errors.MotionWarning, match="dynamic jam"):
        ended = g.simulate(rubbed(rod(), tip(mu)), *start, t_end=0.5)
    assert ended.ending.kind == "inconsistent"
    assert len(ended) > 20
    assert ended["theta"][-1] == pytest.approx(jammed, abs=1e-8)
    assert ended["floor"][-1] > 1e6
    assert np.all(np.diff(ended.energy) < 0.0)
    gone_on = quiet(rubbed(rod(), tip(mu)), *start, t_end=0.5, paradox="impact")
    assert gone_on.ending.kind == "finished", gone_on.ending.message
    hit = next(event for event in gone_on.events if event.kind == "impact")
    assert hit.t == pytest.approx(ended.t[-1], abs=1e-9)
    assert hit.value == 0.0  # it does not approach
    assert hit.energy_loss > 0.0


# --- controls, files, interrupts, bad input ------------------------------------------------------------------------


def test_feedback_control_takes_the_uncompiled_path_to_the_same_motion():
    def controlled(t, q, v):
        return [4.0 * t]

    system = g.System(
        "pulled",
        "x z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2),
        potential_energy=lambda q: G * q.z,
        force=lambda u: [u.pull, -0.5 * u.pull],
        constraints=[g.Unilateral("floor", lambda q: q.z)],
        controls="pull",
    )
    run = finished(g.simulate(rubbed(system, rough(0.3, 0.5)), [0.0, 0.0], t_end=2.0, control=controlled, max_step=0.1))
    t1 = 0.5 * G / (4.0 - 0.5 * 2.0)  # 4t = μ_s (g + 2t)
    assert times(run, "slip") == pytest.approx([t1], abs=1e-9)
    dv = (4.0 - 0.6) * (2.0**2 - t1**2) / 2 - 0.3 * G * (2.0 - t1)
    assert run["d_x"][-1] == pytest.approx(dv, abs=1e-9)


def test_file_gives_the_motion_back_and_it_is_dense_again_with_its_contacts(tmp_path):
    contacts = rough(0.3, 0.5, belt=0.5)
    run = g.simulate(rubbed(block(100.0), contacts), [0.0, 0.0], [0.5, 0.0], t_end=1.0)
    loaded = g.Trajectory.load(run.save(tmp_path / "run.nc"))
    for name in ("t", "q", "v", "a", "multipliers", "active", "sliding"):
        assert np.array_equal(getattr(loaded, name), getattr(run, name)), name
    assert loaded.events == run.events
    assert loaded.about == run.about
    with pytest.raises(g.errors.InputError, match="slip of floor"):
        loaded.with_system(block(100.0))
    for mu, static in ((0.3, 0.6), (0.2, 0.5)):
        words = rf"{mu} in motion and {static} at rest.*but the trajectory has .*0\.3 in motion and 0\.5 at rest"
        with pytest.raises(g.errors.InputError, match=words):
            loaded.with_system(rubbed(block(100.0), rough(mu, static, belt=0.5)))
    system = block(100.0)
    again = loaded.with_system(rubbed(system, contacts))
    t = np.linspace(0.0, 1.0, 30)
    assert np.array_equal(again.at(t).q, run.at(t).q)
    assert again.friction_work[-1] == run.friction_work[-1]


def test_interrupt_keeps_what_was_computed():
    def control(t, q, v):
        if t > 0.5:
            raise KeyboardInterrupt
        return [0.0]

    system = g.System(
        "interrupted",
        "x z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2),
        potential_energy=lambda q: G * q.z,
        force=lambda u: [u.pull, 0.0],
        constraints=[g.Unilateral("floor", lambda q: q.z)],
        controls="pull",
    )
    run = quiet(rubbed(system, rough(0.1)), [0.0, 0.0], [3.0, 0.0], t_end=1.0, control=control, max_step=0.05)
    assert run.ending.kind == "interrupted"
    assert 0.3 < run.t[-1] <= 0.5
    assert run["d_x"][-1] == pytest.approx(3.0 - 0.1 * G * run.t[-1], abs=1e-9)


def test_motion_without_contacts_is_what_it_was():
    plain = g.simulate(block(), [0.0, 1.0], [1.0, 0.0], t_end=1.0)
    assert plain.sliding is None
    assert plain.about.contacts == ()
    assert plain.about.rows == ("floor",)
    assert plain.friction_work[-1] == 0.0


def test_several_motions_at_the_start_are_not_chosen_between():
    angle, turning = math.atan(2.0), 4.0
    c, s = math.cos(angle), math.sin(angle)
    run = quiet(rubbed(rod(), tip(2.0)), [0.0, s, angle], [-1.0 - s * turning, c * turning, turning], t_end=1.0)
    assert run.ending.kind == "undecided"
    assert "2 different accelerations" in run.ending.message


@pytest.mark.parametrize(
    ("contacts", "options", "words"),
    [
        ([Rub("wall", lambda v: v.x, 0.3)], {}, "no row 'wall'"),
        (rough(0.3), {"impacts": "hard"}, "hard"),
        (rough(0.3), {"paradox": "stop"}, "paradox"),
        (rough(0.3), {"branches": "all"}, "branches"),
        ([Rub("floor", lambda q, v: [v.x, v.x, v.x], 0.3)], {}, "3 entries"),
    ],
)
def test_bad_input_gets_one_clear_error(contacts, options, words):
    with pytest.raises(g.errors.InputError, match=words):
        g.simulate(rubbed(block(), contacts), [0.0, 0.0], t_end=1.0, **options)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"load": "floor", "limit": 1.0},
        {"limit": -1.0},
        {"limit": 2.0, "static": 1.0},
        {"limit": 2.0, "coefficient": 0.3},
        {"load": "floor", "coefficient": 0.3, "static": 0.2},
        {"load": ("a", "a"), "coefficient": 0.3},
    ],
)
def test_friction_that_makes_no_sense_is_refused(arguments):
    with pytest.raises(g.errors.InputError, match="'rub'"):
        g.Friction("rub", lambda v: v.x, **arguments)


# --- laws of impact ------------------------------------------------------------------------------------------------


def kanes_pendulum(e):
    """Kane's double pendulum: two rods (1 kg, 1 m) hang from a hinge, the tip of the second strikes a floor."""
    q1, q2 = math.radians(20.0), math.radians(30.0)
    depth = math.cos(q1) + math.cos(q2)
    system = g.System(
        "double pendulum",
        "a b",
        kinetic_energy=lambda q, v: (
            2 / 3 * v.a**2 + v.b**2 / 6 + 0.5 * g.cos(q.a - q.b) * v.a * v.b  # M = (4/3, cos/2; cos/2, 1/3)
        ),
        constraints=[g.Unilateral("floor", lambda q: depth - g.cos(q.a) - g.cos(q.b), restitution=e)],
    )
    contact = Rub("floor", lambda q, v: g.cos(q.a) * v.a + g.cos(q.b) * v.b, 0.5)
    return system, [q1, q2], [-0.1, -0.2], contact


def test_law_that_would_create_energy_ends_the_run_and_another_goes_on():
    system, q, v, contact = kanes_pendulum(1.0)
    with pytest.warns(g.errors.MotionWarning, match="would create"):
        run = g.simulate(rubbed(system, contact), q, v, t_end=0.1, impacts="newton")
    assert run.ending.kind == "energy"
    assert "stronge" in run.ending.message
    assert np.array_equal(run.v[-1], v)  # nothing was done
    run = g.simulate(rubbed(system, contact), q, v, t_end=0.01, impacts="stronge")
    assert run.ending.kind == "finished"
    assert run.events[0].energy_loss > 0.0


def test_published_motion_that_gains_energy_is_repeated_where_that_is_allowed():
    """With Moreau's law the tip sticks and leaves with −e ġ⁻: two equations for the two rates after the impact."""
    system, q, v, contact = kanes_pendulum(0.5)
    run = finished(g.simulate(rubbed(system, contact), q, v, t_end=0.01, allow_energy_gain=True))
    sines, cosines = np.sin(q), np.cos(q)
    after = np.linalg.solve([sines, cosines], [-0.5 * sines @ v, 0.0])
    M = np.array([[4 / 3, 0.5 * math.cos(q[0] - q[1])], [0.5 * math.cos(q[0] - q[1]), 1 / 3]])
    gained = 0.5 * after @ M @ after - 0.5 * np.array(v) @ M @ v
    assert gained > 0.01
    assert run.v[1] == pytest.approx(after, rel=1e-12)
    (hit,) = run.events
    assert (hit.created, -hit.energy_loss) == pytest.approx((gained, gained), rel=1e-9)
    assert "which its law creates" in str(hit)
    assert np.max(np.abs(energy_residual(run))) <= 1e-12


def test_balls_on_a_rising_floor_are_not_said_to_create_energy(monkeypatch):
    """Two at a time, without friction: the floor's own work is no gain, ż⁺ = u + e (u − ż⁻)."""
    monkeypatch.setattr("gauss.motion.contacts.striking.NOTED", 0)  # as after the first impacts of a run
    rise, e = 0.5, 0.5
    balls = g.System(
        "two balls",
        "a b",
        kinetic_energy=lambda v: 0.5 * (v.a**2 + v.b**2),
        potential_energy=lambda q: G * (q.a + q.b),
        constraints=[
            g.Unilateral("under a", lambda q, t: q.a - rise * t, restitution=e),
            g.Unilateral("under b", lambda q, t: q.b - rise * t, restitution=e),
        ],
    )
    run = finished(g.simulate(balls, [0.01, 0.01], t_end=0.02))
    fall = (math.sqrt(rise**2 + 2 * G * 0.01) - rise) / G  # 0.01 − g t²/2 = u t
    assert times(run, "impact") == pytest.approx([fall, fall], abs=1e-12)
    assert run.v[-1] == pytest.approx([rise + e * (rise + G * fall) - G * (0.02 - fall)] * 2, rel=1e-9)
    assert all(event.created == 0.0 for event in run.events)


def test_each_law_leaves_the_work_of_its_own_coefficient():
    """The two velocities after the impact tell the laws apart: ġ⁺/ġ⁻ is −e by Newton's, other by Poisson's."""
    rates = {}
    for law in ("newton", "poisson", "stronge"):
        system, q, v, contact = kanes_pendulum(0.3)
        run = g.simulate(rubbed(system, contact), q, v, t_end=0.01, impacts=law)
        after = run.v[1]
        sines = np.sin(q)
        rates[law] = -(sines @ after) / (sines @ v)
    assert rates["newton"] == pytest.approx(0.3, abs=1e-12)
    assert len({round(rate, 6) for rate in rates.values()}) == 3


def test_cradle_says_that_the_order_of_its_impacts_matters():
    cradle = g.System(
        "cradle",
        "a b c",
        kinetic_energy=lambda v: 0.5 * (v.a**2 + v.b**2 + v.c**2),
        constraints=[
            g.Unilateral("left", lambda q: q.b - q.a, restitution=1.0),
            g.Unilateral("right", lambda q: q.c - q.b, restitution=1.0),
        ],
    )
    run = g.simulate(cradle, [-0.1, 0.0, 0.0], [1.0, 0.0, 0.0], t_end=0.2)
    assert run.v[-1] == pytest.approx([-1 / 3, 2 / 3, 2 / 3], abs=1e-12)  # Moreau's projection
    assert "order matters" in run.events[0].verdict


def test_contacts_that_change_without_end_are_stopped_with_one_message():
    """The guard itself: a thousand changes within a microsecond, or a hundred within a billionth of the run."""
    for step, count in ((1e-12, 100), (0.9e-9, 1000)):
        guards = Guards(1e-3 if step > 1e-10 else 1.0)
        for k in range(count):
            guards.change(k * step * guards.span)
        with pytest.raises(Stop, match="changed"):
            guards.change(count * step * guards.span)
    guards = Guards(1.0)
    for k in range(5000):
        guards.change(2e-8 * k)


def test_dry_friction_as_a_force_that_jumps_ends_with_the_remedy():
    """At rest -sign(v) turns round at every step, of 1e-10 s: the run would take years."""
    spring = g.System(
        "block on a spring",
        "x",
        kinetic_energy=lambda v: 0.5 * v.x**2,
        potential_energy=lambda q: 5.0 * q.x**2,
        force=lambda v: -0.5 * g.sign(v.x),
    )
    with pytest.warns(g.errors.MotionWarning, match=r"Dry friction is no force like -sign\(v\) but a row"):
        run = g.simulate(spring, [0.14], t_end=1.2)
    assert (run.ending.kind, round(run["x"][-1], 6)) == ("failed", -0.04)


def test_of_several_solutions_the_one_is_taken_in_which_the_contacts_go_on():
    """Painlevé's rod at a state where it may slide on or lift off."""
    angle, turning = math.atan(2.0), 4.0
    c, s = math.cos(angle), math.sin(angle)
    system = rubbed(rod(), tip(2.0))
    state = system.state([0.0, s, angle], [-1.0 - s * turning, c * turning, turning])
    verdict = laws.verdict_at(system, state, system.model.unilateral, None, laws.ModeChange(), laws.ContactModes())
    assert verdict.verdict == "several"
    going_on, others = laws.chosen(system.contacts, verdict, laws.ContactModes(modes={0: "slip−"}), laws.ModeChange())
    assert others
    assert going_on.modes == ("slip−",)
    for before in (laws.ContactModes(), laws.ContactModes(modes={0: "stick"})):
        assert laws.chosen(system.contacts, verdict, before, laws.ModeChange()) == (None, True)


@pytest.mark.long
@pytest.mark.parametrize("seed", [10, 20, 30, 32])
def test_thrown_boxes_come_to_rest_and_their_energy_adds_up(seed):
    """A sample of validation/contact_motion.py: dozens of impacts, accumulations, corners that slip and stick."""
    path = Path(__file__).parents[1] / "validation" / "contact_motion.py"
    spec = importlib.util.spec_from_file_location("contact_motion_campaign", path)
    campaign = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(campaign)
    found = campaign.judged(seed)
    assert found["ending"] == "finished", found["message"]
    assert found["gap"] >= -1e-9
    assert found["energy"] <= 1e-7  # impacts and stops are exact, positions are closed within 1e-9
    assert not found["broken"]


# --- what lies between the looks, or within a tolerance ---------------------------------------------------------------


def two_bodies(e, massless=False):
    """A block that slides on the floor and a ball that bounces on it; they know nothing of each other."""
    link = [g.Holonomic("link", lambda q: q.s - q.z - q.x)] if massless else []
    return g.System(
        "block and ball",
        "x z h s" if massless else "x z h",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2 + v.h**2),
        potential_energy=lambda q: G * (q.z + q.h),
        constraints=[
            *link,
            g.Unilateral("floor", lambda q: q.z),
            g.Unilateral("ball", lambda q: q.h, restitution=e),
        ],
    )


def test_event_elsewhere_does_not_cut_short_a_hop_within_the_tolerance_of_its_gap():
    """The block sticks while the ball falls in a hop 2e-10 m high; the limit of the bounces is a geometric sum."""
    e, height, mu = 0.5, 0.3, 0.3
    speed = math.sqrt(2 * G * height)
    fall, limit = speed / G, speed / G * (1 + e) / (1 - e)
    hop = math.ceil(math.log(6e-5 / speed, e))
    stick = fall + sum(2 * speed * e**k / G for k in range(1, hop)) + 1.6 * speed * e**hop / G
    run = finished(
        g.simulate(
            rubbed(two_bodies(e), rough(mu)), [0.0, 0.0, height], [mu * G * stick, 0, 0], t_end=1.0, max_step=0.1
        )
    )
    assert times(run, "stick") == pytest.approx([stick], abs=1e-11)
    (last,) = [event for event in run.events if event.kind == "accumulation"]
    assert last.t == pytest.approx(limit, abs=1e-9)  # of the run, as documented
    assert last.value == pytest.approx(e, abs=1e-5)
    assert np.max(np.abs(energy_residual(run))) <= 1e-9


def test_accumulation_in_a_system_with_a_coordinate_without_mass():
    e, height = 0.5, 0.3
    run = finished(
        g.simulate(
            rubbed(two_bodies(e, massless=True), rough(0.1)), [0.0, 0.0, height, 0.0], [1.0, 0, 0, 1.0], t_end=1.0
        )
    )
    (last,) = [event for event in run.events if event.kind == "accumulation"]
    assert last.t == pytest.approx(math.sqrt(2 * height / G) * (1 + e) / (1 - e), abs=1e-9)


def test_contact_that_is_lifted_slips_before_it_opens():
    """p = m g − c t falls to nothing in a step, and a pull of a thousandth of it breaks the block loose just before."""
    c, pull, mu = 100.0, 1e-3, 0.5
    run = finished(
        g.simulate(rubbed(block(force=lambda t: [pull, c * t]), rough(mu)), [0.0, 0.0], t_end=0.2, max_step=0.1)
    )
    assert kinds(run) == ["slip", "release"]
    assert times(run, "slip") == pytest.approx([(G - pull / mu) / c], abs=1e-12)
    assert times(run, "release") == pytest.approx([G / c], abs=1e-12)


def test_contact_held_from_both_sides_slips_where_its_load_changes_sign_between_two_looks():
    """|p| = c |t − t₀| is too small for the pull during 1e-5 s."""
    c, t0, pull, static = 10.0, 0.5, 0.05, 1e3
    bead = g.System(
        "bead",
        "x y",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
        force=lambda t: [pull, -c * (t - t0)],
        constraints=[g.Holonomic("rod", lambda q: q.y)],
    )
    contact = Rub("rod", lambda v: v.x, 0.5, static=static)
    run = finished(g.simulate(rubbed(bead, contact), [0.0, 0.0], t_end=0.6))
    loose = t0 - pull / (c * static)
    assert times(run, "slip") == pytest.approx([loose], abs=1e-12)
    # From there on x' = pull·τ − μ_k c ∫|t − t₀|, which is zero again at the second event.
    late, early = times(run, "stick")[0] - t0, loose - t0
    assert pull * (late - early) == pytest.approx(0.5 * c * (late**2 + early**2) / 2, rel=1e-9)


def test_states_of_a_run_are_judged_with_their_friction():
    run = g.simulate(rubbed(block(), rough(0.3)), [0.0, 0.0], [2.0, 0.0], t_end=1.0)
    system = run.setting.system
    step = g.accelerate(system, [0.0, 0.0], [2.0, 0.0])
    assert step.a == pytest.approx([-0.3 * G, 0.0], abs=1e-12)
    assert step.forces["slip of floor"] == pytest.approx([-0.3 * G] * 2)
    assert g.accelerate(system.frictionless(), [0.0, 0.0], [2.0, 0.0]).a == pytest.approx([0.0, 0.0], abs=1e-12)
    assert g.classify(system, [0.0, 0.0], [2.0, 0.0]).verdict == "regular"
    assert set(atlas_along(run).verdicts) == {"regular"}


@pytest.mark.long
def test_claims_hold_for_a_box_that_stays_at_rest():
    """Its velocities are rounding, and so is what they are compared with."""
    finished(g.simulate(rubbed(box(0.5, 0.0), corners(0.5, 0.4)), [0.0, 0.5, 0.0], t_end=0.5))
    tilted = g.System(
        "tilted block",
        "x z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2),
        potential_energy=lambda q: G * (0.98 * q.z - 0.199 * q.x),
        constraints=[g.Unilateral("floor", lambda q: q.z - 0.3 * q.x)],
    )
    contact = Rub("floor", lambda v: v.x + 0.3 * v.z, 0.9)
    finished(g.simulate(rubbed(tilted, contact), [1.0, 0.3], t_end=0.5))


def test_surface_whose_speed_jumps_ends_the_run_instead_of_stopping_what_slips():
    belt = Rub("floor", lambda v, t: v.x - g.where(t < 0.3, 2.0, 0.5), 0.3)  # the block slips at 0.88 m/s then
    with pytest.warns(g.errors.MotionWarning, match="slip velocity of 'floor' jumps at t = 0.3 s"):
        run = g.simulate(rubbed(block(), [belt]), [0, 0], t_end=2.0)
    assert run.ending.kind == "failed"
    assert run["d_x"][-1] == pytest.approx(0.3 * G * 0.3, rel=1e-9)  # μ g t: no velocity has jumped


def test_slip_with_a_kink_is_checked_by_the_witnesses_that_take_it():
    belt = Rub("floor", lambda v, t: v.x - g.where(t < 1.0, 2.0 * t, 2.0), 0.3)
    run = finished(g.simulate(rubbed(block(), [belt]), [0, 0], t_end=0.5))
    claims = g.crosscheck(run)
    assert len(claims) >= 4
    assert all(claim.holds for claim in claims)


def test_claims_can_be_asked_of_a_motion_that_ends_at_once():
    angle = math.atan(2.0)
    run = quiet(rubbed(rod(), tip(2.0)), [0.0, math.sin(angle), angle], [-1.0, 0, 0], t_end=0.5)
    assert len(run) == 0
    assert all(claim.holds for claim in (*certificate_claims(run), *g.crosscheck(run)))


def test_box_at_rest_sticks_at_both_corners_though_their_rows_depend_on_each_other():
    run = finished(g.simulate(rubbed(box(0.5, 5.0), corners(0.5, 0.4)), [0.0, 0.5, 0.0], t_end=0.1))
    for shares in mode_times(run).values():
        assert shares == {"sticks": pytest.approx(0.1), "slips": 0.0, "separates": 0.0}


@pytest.mark.parametrize(
    ("force", "v", "events"),
    [
        ([8.0, 0.0], 0.0, [("slip", 0.0, 1.0)]),  # more than μ_s m g: it slides from the start, (8 − μ_k g) t²/2
        ([-8.0, 0.0], 0.0, [("slip", 0.0, -1.0)]),
        ([3.0, 0.0], 0.0, []),  # it rests
        ([8.0, 0.0], 1.0, []),  # it slides already
        ([0.0, 9.81], 0.0, [("slip", 0.5, 1.0)]),  # the force 9.81 t reaches μ_s m g at t = 0.5
    ],
)
def test_a_slip_that_begins_from_rest_is_logged_at_the_start_of_a_run_too(force, v, events):
    floor = g.Unilateral("floor", lambda q: q.z, friction=g.Coulomb(0.4, lambda v: v.x, static=0.5))
    block = g.System(
        "block",
        "x z",
        mass_matrix=[[1, 0], [0, 1]],
        force=lambda t: [force[0] + force[1] * t, -9.81],
        constraints=[floor],
    )
    run = g.simulate(block, [0, 0], [v, 0], t_end=1.0, progress="none")
    assert [(e.kind, round(e.t, 9), e.value) for e in run.events] == events


def test_a_slip_in_space_that_begins_at_the_start_is_logged_with_its_direction():
    floor = g.Unilateral("floor", lambda q: q.z, friction=g.Coulomb(0.4, lambda v: [v.x, v.y], static=0.5))
    block = g.System("block", "x y z", mass_matrix=np.eye(3), force=[8, 3, -9.81], constraints=[floor])
    (event,) = g.simulate(block, [0, 0, 0], t_end=0.5, progress="none").events
    assert (event.kind, event.t) == ("slip", 0.0)
    assert event.value == pytest.approx(np.arctan2(3, 8), abs=1e-12)
    assert g.simulate(block, [0, 0, 0], [1, 0, 0], t_end=0.5, progress="none").events == ()
