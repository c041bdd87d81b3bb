"""Systems inside a rolling ball: mechanisms with the ball against the Lagrangian models of BP without it.

A sample of what `validation/ball.py` computes at length. Both sides are functions of the state, so accelerations agree
to rounding: 1e-11 of the largest leaves room for the condition of the rows and for angles near the poles.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from proofs import together

import gauss as g
from gauss import bodies as mb
from gauss.formulations import minimal_acceleration

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "validation"))

import ball  # noqa: E402
import ball_models as models  # noqa: E402
from ball_models import off_centre, single, spinning  # noqa: E402

double = together("pendulums_in_a_ball")
COUNT = 25  # random states
ROUNDING = 1e-11
END = 2.0  # s


# ---------------------------------------------------------------- accelerations


def pendulum_accelerations(angles, rates, p):
    """(theta_ddot, phi_ddot) by Lagrange's equations of (4.2), differentiated by hand."""
    (theta, _), (theta1, phi1) = angles, rates
    sine, cosine, m, mu = np.sin(theta), np.cos(theta), p["m"], models.MU
    force = sine * cosine * (mu * phi1**2 - m * theta1**2) + models.GRAVITY * sine * (mu + m) / p["r"]
    return force / (mu + m * sine**2), -2 * cosine / sine * theta1 * phi1


@pytest.mark.long
@pytest.mark.parametrize("count", [1, 2, 5])
def test_pendulums_have_the_accelerations_of_the_modified_kinetic_energy(count):
    assert ball.at_states_of_pendulums(count, COUNT, 1) < ROUNDING


def test_one_pendulum_has_the_accelerations_of_the_printed_lagrangian():
    assert ball.at_states_of_one(COUNT, 2) < ROUNDING


def test_the_top_has_the_accelerations_of_the_printed_lagrangian():
    assert ball.at_states_of_top(COUNT, 3) < ROUNDING


def test_a_top_without_spin_and_width_is_the_pendulum():
    rng, p = np.random.default_rng(4), {"m": 0.7, "r": 0.3}
    for _ in range(COUNT):
        angles, rates = models.drawn(rng)
        slender = models.in_angles(angles, rates, 0.0, p["m"], p["r"], p["m"] * p["r"] ** 2, 0.0)
        assert slender == pytest.approx(pendulum_accelerations(angles, rates, p), rel=1e-11, abs=1e-11)


def quaternion_state(R, omega, rng):
    """The unit quaternion of R, either sign, and its rate ½ Ω p."""
    w = 0.5 * np.sqrt(max(0.0, 1.0 + np.trace(R)))
    p = rng.choice([-1.0, 1.0]) * np.array(
        [w, *(np.array([R[k, j] - R[j, k] for j, k in ((1, 2), (2, 0), (0, 1))]) / (4 * w))]
    )
    return p, off_centre.turned(p, omega)


@pytest.mark.parametrize("scenario", [single, double], ids=["one", "two"])
def test_pendulums_with_a_quaternion_move_as_those_with_a_rotation_matrix(scenario):
    rng, count = np.random.default_rng(5), 1 if scenario is single else 2
    made = models.pendulums(count)
    for _ in range(5):
        (R, omega), (r, v) = models.ball_at(rng), models.on_spheres(rng, models.LENGTHS[:count])
        p, p1 = quaternion_state(R, omega, rng)
        V = models.RADIUS * np.cross(omega, models.UP)[:2]
        a = g.accelerate(scenario.system, [0, 0, *p, *r.ravel()], [*V, *p1, *v.ravel()]).a
        centre, others = models.relative(g.accelerate(made.system, *models.with_bobs(made, R, omega, r, v)).a, count)
        assert g.relative(np.concatenate([a[:2], a[6:]]), np.concatenate([centre, others.ravel()])) < ROUNDING


def test_the_top_with_quaternions_moves_as_that_with_rotation_matrices():
    rng, made = np.random.default_rng(6), models.top()
    for _ in range(5):
        (R, omega), (T, turning) = models.ball_at(rng), models.ball_at(rng)
        (p, p1), (e, e1) = quaternion_state(R, omega, rng), quaternion_state(T, turning, rng)
        V = models.RADIUS * np.cross(omega, models.UP)[:2]
        q, v = np.array([0, 0, *p, *e]), np.array([*V, *p1, *e1])
        a = g.accelerate(spinning.system, q, v).a
        state = models.posed(
            made, R, omega, lambda c, V, T=T, w=turning: [made.bodies[1].pose(c, T, V, w, axes="space")]
        )
        b = g.accelerate(made.system, *state).a
        # n̈ from the quaternion: the bilinear rate of n in (e, ė) twice over
        axis = spinning.axis
        n2 = axis(q[None], a[None])[1][:, 0] + 2 * axis(v[None], v[None])[0][:, 0] - [0.0, 0.0, 2.0]
        assert g.relative(np.array([*a[:2], *n2]), b[[0, 1, 17, 20, 23]]) < ROUNDING


# ---------------------------------------------------------------- motions


@pytest.mark.long
@pytest.mark.parametrize("count", [1, 2, 5])
def test_pendulums_keep_the_integrals_and_move_by_the_modified_kinetic_energy(count):
    run, (r, v) = ball.run_of_pendulums(count, END)
    assert max(ball.kept_by_pendulums(run, count).values()) < 1e-10
    assert g.relative(models.relative(run.q, count)[1], models.motion_of(run.t, r, v)) < 1e-9
    if count == 1:
        assert ball.apart_of_one(run) < 1e-9


@pytest.mark.long
def test_the_top_keeps_the_integrals_and_moves_by_the_printed_lagrangian():
    run = ball.run_of_top(END)
    assert max(ball.kept_by_top(run).values()) < 1e-10
    assert ball.apart_of_top(run) < 1e-9


def test_quadrature_gives_the_period_of_small_nutation():
    """With theta_dot small about the lowest V_k the period is 2π√(I_θ/V_k″); h a part ε above it errs by order ε."""
    k = 0.05
    angles = np.linspace(1.7, 3.0, 200001)
    values = single.reduced_potential(angles, k)
    lowest, step = int(np.argmin(values)), 1e-3
    near = single.reduced_potential(angles[lowest] + step * np.array([-1.0, 0.0, 1.0]), k)
    expected = 2 * np.pi * np.sqrt(single.inertia_of(angles[lowest]) * step**2 / (near[0] - 2 * near[1] + near[2]))
    assert single.period(k, values[lowest] + 1e-5) == pytest.approx(expected, rel=1e-4)


def test_the_stored_campaign_is_the_long_one_and_within_its_bounds():
    stored = json.loads((ROOT / "validation" / "ball.json").read_text(encoding="utf-8"))
    assert stored["count"] >= 1000
    assert stored["t_end"] >= 60.0
    systems = stored["systems"]
    for name in ("1 pendulum", "2 pendulums", "5 pendulums", "top"):
        record = systems[name]
        assert max(record["kept"].values()) < 1e-10
        assert max(x for key, x in record.items() if key.startswith("accelerations")) < ROUNDING
        assert max((x for key, x in record.items() if key.startswith("motion")), default=0.0) < 1e-9
    for name in ("2 pendulums", "5 pendulums"):  # sensitive motions: the time is what is stated in the campaign
        assert systems[name]["agree_until"] > 14.0
        assert systems[name]["lyapunov"] > 0.1


# ---------------------------------------------------------------- a constraint attached to the ball


@pytest.mark.long
def test_a_thread_off_the_centre_violates_lagranges_equations_in_proportion_to_its_distance():
    small, error = ball.violation(1e-3, True, COUNT, 7)
    large, _ = ball.violation(2e-3, True, COUNT, 7)
    assert error < ROUNDING
    assert small > 3e-4  # of the weight
    assert large / small == pytest.approx(2.0, rel=0.02)  # terms of second order are 1e-3 m over 0.1 m
    assert ball.violation(0.0, True, COUNT, 7)[0] < ROUNDING


def test_a_thread_from_a_point_that_does_not_turn_keeps_them():
    lagrange, newton = ball.violation(off_centre.OFF, False, COUNT, 8)
    assert max(lagrange, newton) < ROUNDING


def test_motion_in_a_vertical_plane_is_that_of_two_angles():
    """Rolling along x is holonomic, X = R phi: Lagrange's equations in phi and the angle psi of the thread."""
    m, b, l, G = off_centre.MASS, off_centre.OFF, off_centre.LENGTH, off_centre.GRAVITY
    rolling = off_centre.BALL * off_centre.RADIUS**2 + off_centre.INERTIA

    def lagrangian(s, s_dot, t):
        (phi, psi), (w, u) = s, s_dot
        x = (off_centre.RADIUS + b * g.cos(phi)) * w + l * g.cos(psi) * u
        z = -b * g.sin(phi) * w + l * g.sin(psi) * u
        return rolling * w**2 / 2 + m * (x**2 + z**2) / 2 - m * G * (b * g.cos(phi) - l * g.cos(psi))

    made = models.hung_off(b)
    for phi, psi, w, u in ((2.1, 0.4, 0.7, -1.3), (-0.6, 2.5, -2.0, 0.9)):
        R, omega = mb.about((0, 1, 0), phi), np.array([0.0, w, 0.0])
        hook, along = b * R[:, 2], np.array([np.sin(psi), 0.0, -np.cos(psi)])
        v = np.cross(omega, hook) + l * u * np.array([np.cos(psi), 0.0, np.sin(psi)])
        a = g.accelerate(made.system, *models.with_bobs(made, R, omega, [hook + l * along], [v])).a
        second = minimal_acceleration(lagrangian, [phi, psi], [w, u], 0.0)
        assert a[0] == pytest.approx(off_centre.RADIUS * second[0], rel=1e-11)
        across = np.array([np.cos(psi), 0.0, np.sin(psi)])
        expected = (
            np.cross(np.array([0.0, second[0], 0.0]), hook) - w**2 * hook + l * (second[1] * across - u**2 * along)
        )
        assert a[12:] - a[:3] == pytest.approx(expected, rel=1e-11, abs=1e-11)
