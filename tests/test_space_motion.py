"""Motion with Coulomb friction in space: the direction of friction turns with that of the slip."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from frictional import Rub, rubbed
from scipy.integrate import solve_ivp

import gauss as g
from gauss.analysis import certificate_claims, energy_residual

G = 9.81  # m/s²
RTOL = 1e-10  # the default of simulate
M, R, MU = 1.0, 0.1, 0.25  # of the ball: kg, m, friction coefficient


def block(slope=0.0, force=None, name="block"):
    """A block of 1 kg on an incline that falls towards x, or with a force of its own."""
    return g.System(
        name,
        "x y z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2),
        potential_energy=lambda q: G * (q.z * math.cos(slope) - q.x * math.sin(slope)),
        force=force or [0.0, 0.0, 0.0],
        constraints=[g.Unilateral("floor", lambda q: q.z)],
    )


def on_floor(mu, static=None, belt=(0.0, 0.0)):
    return [Rub("floor", lambda v: [v.x - belt[0], v.y - belt[1]], mu, static=static)]


def ball(restitution=0.0):
    """A homogeneous ball; the velocities of a, b, c are its angular velocity in space (rad/s)."""
    return g.System(
        "ball",
        "x y z a b c",
        kinetic_energy=lambda v: 0.5 * M * (v.x**2 + v.y**2 + v.z**2) + 0.2 * M * R**2 * (v.a**2 + v.b**2 + v.c**2),
        potential_energy=lambda q: M * G * q.z,
        constraints=[g.Unilateral("floor", lambda q: q.z - R, restitution=restitution)],
    )


def of_ball(mu=MU):
    """Slip of the lowest point of the ball: v + ω × (0, 0, −R)."""
    return Rub("floor", lambda v: [v.x - R * v.b, v.y + R * v.a], mu)


def certified(run):
    """Each record minimises the Zwang with friction as applied; the law of friction holds; no work is created."""
    for claim in (*g.crosscheck(run, samples=6), *certificate_claims(run)):
        assert claim.holds, str(claim)
    return run


def finished(run):
    assert run.ending.kind == "finished", run.ending.message
    return certified(run)


def times(run, kind):
    return [e.t for e in run.events if e.kind == kind]


@pytest.mark.long
def test_a_block_launched_sideways_turns_downhill():
    """With φ the angle from the line of fall, v sin φ tan⁻ᵏ(φ/2) is constant, k = μ/tan α; for k = 1: v∞ = v₀/2."""
    slope = math.atan(0.5)
    run = finished(g.simulate(rubbed(block(slope), on_floor(0.5)), [0, 0, 0], [0, 2, 0], t_end=12.0))
    np.testing.assert_allclose(run.v[-1], [1.0, 0.0, 0.0], rtol=0, atol=100 * RTOL)
    run = finished(g.simulate(rubbed(block(0.3), on_floor(0.25)), [0, 0, 0], [-1, 2, 0], t_end=1.0))
    speed, phi = np.hypot(*run.v[:, :2].T), np.arctan2(run.v[:, 1], run.v[:, 0])
    k = 0.25 / math.tan(0.3)
    invariant = speed * np.sin(phi) / np.tan(phi / 2) ** k
    np.testing.assert_allclose(invariant / invariant[0], 1.0, rtol=0, atol=100 * RTOL)
    assert abs(energy_residual(run)).max() < 1e-9
    assert run["slip of floor[1]"][0] == pytest.approx(-0.25 * G * math.cos(0.3) * 2 / math.sqrt(5), rel=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("slope", [0.05, 0.2, 0.35])
def test_a_block_that_turns_as_it_stops_does_so_in_time(slope):
    """d(μv + v_x tan α)/dt = −g cos α (μ² − tan² α), so it stops at μv₀/(g cos α (μ² − tan² α))."""
    mu = 0.5
    run = finished(g.simulate(rubbed(block(slope), on_floor(mu)), [0, 0, 0], [0, 2, 0], t_end=1.2, rtol=1e-13))
    stop = mu * 2.0 / (G * math.cos(slope) * (mu**2 - math.tan(slope) ** 2))
    assert times(run, "stick") == [pytest.approx(stop, abs=1e-9)]
    assert np.all(run.v[-1] == 0.0) or np.max(np.abs(run.v[-1])) < 1e-12
    held = np.hypot(run["slip of floor[0]"][-1], run["slip of floor[1]"][-1])
    assert held == pytest.approx(G * math.sin(slope), rel=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("spin", [(0.0, 0.0, 0.0), (25.0, -10.0, 40.0), (-30.0, 8.0, 0.0)])
def test_a_ball_slips_on_a_parabola_and_rolls_straight_on(spin):
    """ṡ = −(7/2) μ g ŝ: the direction of the slip stays, until t₁ = 2|s₀|/(7μg); then v = (5v₀ + 2R ω₀ × e_z)/7."""
    v0, w0 = np.array([1.5, 0.8]), np.array(spin)
    run = finished(g.simulate(rubbed(ball(), of_ball()), [0, 0, R, 0, 0, 0], [*v0, 0.0, *w0], t_end=3.0, rtol=1e-11))
    rim = R * np.array([w0[1], -w0[0]])  # velocity with which the ball would roll
    s0 = v0 - rim
    stop = 2.0 * np.linalg.norm(s0) / (7.0 * MU * G)
    assert times(run, "stick") == [pytest.approx(stop, abs=1e-10)]
    t = np.linspace(0.0, stop, 20)
    dense = run.at(t)
    path = np.outer(t, v0) - 0.5 * MU * G * np.outer(t**2, s0 / np.linalg.norm(s0))
    np.testing.assert_allclose(dense.q[:, :2], path, rtol=0, atol=1e-10)
    np.testing.assert_allclose(run.v[-1, :2], (5.0 * v0 + 2.0 * rim) / 7.0, rtol=0, atol=1e-10)
    assert run.v[-1, 5] == pytest.approx(spin[2], abs=1e-12)
    assert run.friction_work[-1] == pytest.approx(-M * s0 @ s0 / 7.0, abs=1e-9)


def test_a_spinning_ball_that_is_dropped():
    """By Moreau's law: S = −min(μP, |s|·2m/7) ŝ with P = (1 + e) m |v_z|; several bounces, each in closed form."""
    height, e, w = 0.5, 0.5, np.array([30.0, 60.0, 5.0])
    run = certified(g.simulate(rubbed(ball(e), of_ball()), [0, 0, R + height, 0, 0, 0], [0, 0, 0, *w], t_end=1.2))
    hits = [event for event in run.events if event.kind == "impact"]
    v, omega, fall = np.zeros(2), w.copy(), math.sqrt(2 * G * height)
    t = fall / G
    for hit in hits[:4]:
        assert hit.t == pytest.approx(t, abs=1e-9)
        s = v - R * np.array([omega[1], -omega[0]])
        P = (1 + e) * M * fall
        S = min(MU * P, np.linalg.norm(s) * 2 * M / 7)
        assert hit.impulse == pytest.approx(P, rel=1e-9)
        assert hit.friction == pytest.approx(S, abs=1e-9)
        way = s / max(np.linalg.norm(s), 1e-300)
        v = v - S / M * way
        omega[:2] += S * R / (0.4 * M * R**2) * np.array([-way[1], way[0]])  # (0, 0, −R) × (−S ŝ)
        fall *= e
        t += 2 * fall / G
    assert len(hits) > 4
    np.testing.assert_allclose(run.v[-1, :2], v, rtol=0, atol=1e-8)


def test_bounces_that_accumulate_while_the_ball_slips():
    """All normal impulses up to t add up to m g t once contact lasts, so friction has given the ball μ g t."""
    height, e, w, mu, end = 0.1, 0.5, np.array([60.0, 80.0, 0.0]), 0.05, 1.2
    run = certified(g.simulate(rubbed(ball(e), of_ball(mu)), [0, 0, R + height, 0, 0, 0], [0, 0, 0, *w], t_end=end))
    (limit,) = [event for event in run.events if event.kind == "accumulation"]
    fall = math.sqrt(2 * height / G)
    assert limit.t == pytest.approx(fall * (1 + e) / (1 - e), abs=1e-8)
    way = np.array([w[1], -w[0]]) / np.linalg.norm(w)
    np.testing.assert_allclose(run.v[-1, :2], mu * G * end * way, rtol=0, atol=1e-7)


@pytest.mark.long
def test_a_growing_force_that_turns_breaks_a_block_loose():
    """It sticks while |F| ≤ μ_s N, slips against its friction, and then follows ẍ = F − μ_k N ẋ/|ẋ|."""
    mu, static = 0.3, 0.4

    def force(t):
        return [3.0 * t * g.cos(t), 3.0 * t * g.sin(t), 0.0]

    run = finished(g.simulate(rubbed(block(force=force), on_floor(mu, static)), [0, 0, 0], t_end=3.0))
    loose = static * G / 3.0
    (event,) = [each for each in run.events if each.kind == "slip"]
    assert event.t == pytest.approx(loose, abs=1e-10)
    assert event.value == pytest.approx(loose, abs=1e-9)  # the angle of the force

    def rate(t, y):
        s = np.linalg.norm(y[2:])
        way = y[2:] / s if s > 1e-13 else np.array([math.cos(loose), math.sin(loose)])
        push = 3.0 * t * np.array([math.cos(t), math.sin(t)])
        return [*y[2:], *(push - mu * G * way)]

    found = solve_ivp(rate, (loose, 3.0), np.zeros(4), rtol=1e-11, atol=1e-13, method="DOP853")
    np.testing.assert_allclose([*run.q[-1, :2], *run.v[-1, :2]], found.y[:, -1], rtol=0, atol=1e-7)


def test_a_block_without_a_jump_of_friction_breaks_loose():
    """With μ_s = μ_k the slip begins without a jump of the acceleration, along the force F: s = ½ Ḟ (t − t₁)²/m."""
    push = g.System(
        "pushed",
        "x y z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2),
        potential_energy=lambda q: G * q.z,
        force=lambda t: [1.8 * t, -2.4 * t, 0.0],
        constraints=[g.Unilateral("floor", lambda q: q.z)],
    )
    run = finished(g.simulate(rubbed(push, on_floor(0.3)), [0, 0, 0], t_end=2.0))
    (event,) = [each for each in run.events if each.kind == "slip"]
    assert event.t == pytest.approx(0.1 * G, abs=1e-10)
    assert event.value == pytest.approx(math.atan2(-2.4, 1.8), abs=1e-10)
    np.testing.assert_allclose(run.v[-1, :2], np.array([0.6, -0.8]) * 1.5 * (2.0 - 0.1 * G) ** 2, rtol=0, atol=1e-9)


def test_a_belt_takes_a_block_along():
    """On a belt that moves with u the slip is −u: the block is taken along by μg in the direction of the belt."""
    belt = (0.6, -0.8)
    run = finished(g.simulate(rubbed(block(), on_floor(0.25, belt=belt)), [0, 0, 0], t_end=1.0))
    assert times(run, "stick") == [pytest.approx(1.0 / (0.25 * G), abs=1e-10)]
    np.testing.assert_allclose(run.v[-1, :2], belt, rtol=0, atol=1e-12)
    assert run.drive_work[-1] == pytest.approx(1.0, abs=1e-9)
    assert run.friction_work[-1] == pytest.approx(-0.5, abs=1e-9)


@pytest.mark.long
@pytest.mark.parametrize(
    "options", [{"method": "rk4", "step": 0.002}, {"method": "radau", "rtol": 1e-8, "atol": 1e-10}]
)
def test_other_methods(options):
    """The stop of a turning block, by steps of fixed length (right to a step) and implicit ones."""
    run = g.simulate(rubbed(block(0.2), on_floor(0.5)), [0, 0, 0], [0, 2, 0], t_end=0.8, **options)
    assert run.ending.kind == "finished"
    stop = 1.0 / (G * math.cos(0.2) * (0.25 - math.tan(0.2) ** 2))
    assert times(run, "stick") == [pytest.approx(stop, abs=options.get("step", 1e-6))]


@pytest.mark.long
def test_stages_in_python_give_the_same():
    """A feedback control keeps the steps from being compiled; the motion is the same."""
    pushed = g.System(
        "pushed",
        "x y z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2),
        controls="u",
        force=lambda u: [u.u, 0.0, -G],
        constraints=[g.Unilateral("floor", lambda q: q.z)],
    )
    run = g.simulate(
        rubbed(pushed, on_floor(0.5)), [0, 0, 0], [0, 2, 0], t_end=0.6, control=lambda t, q, v: [G * math.sin(0.2)]
    )
    same = g.simulate(
        rubbed(block(force=[G * math.sin(0.2), 0.0, 0.0]), on_floor(0.5)), [0, 0, 0], [0, 2, 0], t_end=0.6
    )
    assert times(run, "stick") == [pytest.approx(times(same, "stick")[0], abs=1e-9)]
    np.testing.assert_allclose(run.q[-1], same.q[-1], rtol=0, atol=1e-9)


def test_files_and_dense_output(tmp_path):
    contacts = on_floor(0.5)
    run = g.simulate(rubbed(block(0.2), contacts), [0, 0, 0], [0, 2, 0], t_end=0.8)
    again = g.Trajectory.load(run.save(tmp_path / "block.nc")).with_system(rubbed(block(0.2), contacts))
    t = np.linspace(0.0, 0.8, 33)
    np.testing.assert_array_equal(again.at(t).q, run.at(t).q)
    np.testing.assert_array_equal(again.multipliers, run.multipliers)
    assert again.friction_work[-1] == run.friction_work[-1]
    dense = run.at(t)
    speed = np.hypot(dense["d_x"], dense["d_y"])
    moving = speed > 1e-6
    pressed = 0.5 * dense["floor"]
    for axis in range(2):
        friction = dense[f"slip of floor[{axis}]"]
        np.testing.assert_allclose(
            friction[moving], -(pressed * dense.v[:, axis])[moving] / speed[moving], rtol=0, atol=1e-12
        )
    assert run.about.rows == ("slip of floor[0]", "slip of floor[1]", "floor")


@pytest.mark.parametrize(
    ("contacts", "options", "match"),
    [
        (Rub("floor", lambda v: [v.x, v.y, v.z], 0.3), {}, "3 entries"),
        (on_floor(0.3), {"impacts": "stronge"}, "Moreau"),
        (on_floor(0.3), {"paradox": "impact"}, "plane only"),
        ([*on_floor(0.3), Rub(None, lambda v: v.x, limit=1.0)], {}, "in space"),
    ],
)
def test_bad_input_gets_one_clear_error(contacts, options, match):
    with pytest.raises(g.errors.InputError, match=match):
        g.simulate(rubbed(block(), contacts), [0, 0, 0], t_end=1.0, **options)


def test_what_the_rows_do_not_determine_ends_the_run():
    """Both slip rows of a contact that lie along one direction leave the friction force open."""
    contact = Rub("floor", lambda v: [v.x, v.x], 0.3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = g.simulate(rubbed(block(), contact), [0, 0, 0], t_end=1.0)
    assert run.ending.kind == "undecided"
    assert "not determined" in run.ending.message
