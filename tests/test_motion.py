"""Motions agree with closed forms and with other coordinates, converge at their order, and stay on the constraints."""

from __future__ import annotations

import functools
import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import DOP853, solve_ivp
from scipy.special import ellipj, ellipk

import gauss as g
from gauss.dynamics import judged
from gauss.model import tableau_of

EPS = float(np.finfo(float).eps)
G = 9.81  # m/s²
RTOL = 1e-10  # the default of simulate


def rounding(scale, cond=1.0):
    """A hundred rounding errors of numbers of size `scale`, amplified by the condition number."""
    return 100.0 * EPS * cond * scale


def unit_mass(v):
    """Kinetic energy of unit masses on all coordinates."""
    return 0.5 * sum(speed**2 for speed in v)


# --- systems with a known motion --------------------------------------------------------------------------------

OMEGA = 2.0  # rad/s, skater
TURN, SPIN, RADIUS = 0.7, 3.0, 0.4  # rad/s, rad/s, m; wheel
SPEED = 5.0  # m/s, particle of constant speed
DRIVE = 0.8  # rad/s, rotating rod


def skater():
    row = g.Pfaffian("no side slip", lambda q: [g.sin(q.phi), -g.cos(q.phi), 0.0])
    return {
        "name": "skater",
        "coordinates": "x y phi",
        "kinetic_energy": unit_mass,
        "potential_energy": lambda q: -q.x,
        "constraints": [row],
    }


def skater_exact(t):
    x, y = 1 - np.cos(2 * OMEGA * t), 2 * OMEGA * t - np.sin(2 * OMEGA * t)
    return np.stack([x / (4 * OMEGA**2), y / (4 * OMEGA**2), OMEGA * t], axis=1)


def wheel():
    rolling = g.Pfaffian("rolling", lambda q, p: [[1, 0, 0, -p.R * g.cos(q.phi)], [0, 1, 0, -p.R * g.sin(q.phi)]])
    return {
        "name": "wheel",
        "coordinates": "x y phi theta",
        "kinetic_energy": lambda v, p: 0.5 * (p.m * (v.x**2 + v.y**2) + p.I * v.phi**2 + p.J * v.theta**2),
        "parameters": {"m": 2.0, "I": 0.3, "J": 0.5, "R": RADIUS},
        "constraints": [rolling],
    }


def wheel_exact(t):
    rho, phi = RADIUS * SPIN / TURN, TURN * t
    return np.stack([rho * np.sin(phi), rho * (1 - np.cos(phi)), phi, SPIN * t], axis=1)


def constant_speed():
    """ẋ² + ẏ² = c² under gravity: nonlinear in the velocities."""
    return {
        "name": "constant speed",
        "coordinates": "x y",
        "kinetic_energy": unit_mass,
        "potential_energy": lambda q: G * q.y,
        "constraints": [g.Nonholonomic("speed", lambda v: v.x**2 + v.y**2 - SPEED**2)],
    }


def constant_speed_exact(t):
    """The direction ψ obeys c ψ̇ = −g cos ψ, so sin ψ = −tanh(gt/c)."""
    s = G * t / SPEED
    return SPEED**2 / G * np.stack([2 * np.arctan(np.tanh(s / 2)), -np.log(np.cosh(s))], axis=1)


def rotating_rod():
    """A bead on a rod that turns at constant speed: r̈ = ω²r, a rheonomic constraint."""
    row = g.Holonomic("rod", lambda q, t: q.y * g.cos(DRIVE * t) - q.x * g.sin(DRIVE * t))
    return {"name": "rotating rod", "coordinates": "x y", "kinetic_energy": unit_mass, "constraints": [row]}


def rotating_rod_exact(t):
    return np.cosh(DRIVE * t)[:, None] * np.stack([np.cos(DRIVE * t), np.sin(DRIVE * t)], axis=1)


def pendulum():
    return {
        "name": "pendulum",
        "coordinates": "x y",
        "kinetic_energy": unit_mass,
        "potential_energy": lambda q: G * q.y,
        "constraints": [g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0)],
    }


def pendulum_exact(t):
    """Released horizontally at (−1, 0): sin(φ/2) = k sn(K − √g t), k = sin(π/4), φ from the lowest point."""
    k = math.sin(math.pi / 4)
    sn = ellipj(ellipk(k * k) - math.sqrt(G) * np.asarray(t), k * k)[0]
    phi = 2 * np.arcsin(k * sn)
    return np.stack([-np.sin(phi), -np.cos(phi)], axis=1)


CASES = {  # name: model, initial q and v, closed form
    "skater": (skater, [0, 0, 0], [0, 0, OMEGA], skater_exact),
    "wheel": (wheel, [0, 0, 0, 0], [RADIUS * SPIN, 0, TURN, SPIN], wheel_exact),
    "constant speed": (constant_speed, [0, 0], [SPEED, 0], constant_speed_exact),
    "rotating rod": (rotating_rod, [1, 0], [0, DRIVE], rotating_rod_exact),
    "pendulum": (pendulum, [-1, 0], [0, 0], pendulum_exact),
}
every_case = pytest.mark.parametrize("case", CASES)


@functools.cache
def model(case):
    return g.System(**CASES[case][0]())


def move(case, t_end, **options):
    _, q, v, exact = CASES[case]
    run = g.simulate(model(case), q, v, t_end=t_end, **options)
    assert run.ending.kind == "finished"
    return run, exact(run.t)


@functools.cache
def ten_seconds(case):
    return move(case, 10.0)


# --- accuracy ---------------------------------------------------------------------------------------------------


@every_case
def test_motion_is_the_closed_form_over_ten_seconds(case):
    """The global error of an error-per-step controller grows like rtol times the span in the system's own time."""
    run, exact = ten_seconds(case)
    for k in range(run.q.shape[1]):
        assert g.relative(run.q[:, k], exact[:, k]) <= 10 * RTOL


def test_reaction_across_the_skate_is_the_closed_form():
    run, _ = ten_seconds("skater")
    assert g.relative(run["no side slip"], -2 * np.sin(OMEGA * run.t)) <= 10 * RTOL


def test_spherical_pendulum_agrees_with_its_equations_in_angles():
    """Equations in angles, θ from the lowest point: θ̈ = φ̇² sin θ cos θ − g sin θ, sin²θ φ̇ constant; integrated by
    SciPy at rtol 1e-13, a thousandth of the tolerance of this run."""
    theta, dtheta, dphi = 1.1, 0.2, 1.7
    system = g.System(
        "spherical pendulum",
        "x y z",
        kinetic_energy=unit_mass,
        potential_energy=lambda q: G * q.z,
        constraints=[g.Holonomic("sphere", lambda q: q.x**2 + q.y**2 + q.z**2 - 1.0)],
    )
    s, c = math.sin(theta), math.cos(theta)
    run = g.simulate(system, [s, 0.0, -c], [dtheta * c, s * dphi, dtheta * s], t_end=10.0)
    momentum = s**2 * dphi

    def angles(t, y):
        rate = momentum / np.sin(y[0]) ** 2
        return [y[1], rate**2 * np.sin(y[0]) * np.cos(y[0]) - G * np.sin(y[0]), rate]

    witness = solve_ivp(angles, (0, 10), [theta, dtheta, 0.0], "DOP853", run.t, rtol=1e-13, atol=1e-14).y
    s, c, phi = np.sin(witness[0]), np.cos(witness[0]), witness[2]
    assert g.relative(run.q, np.stack([s * np.cos(phi), s * np.sin(phi), -c], axis=1)) <= 10 * RTOL


def test_motion_that_starts_at_another_time_is_the_same_rheonomic_motion():
    """The rod's direction is a function of t: started at t0 on the closed form, the motion continues it."""
    t0 = 1.3
    r, rate = math.cosh(DRIVE * t0), DRIVE * math.sinh(DRIVE * t0)
    c, s = math.cos(DRIVE * t0), math.sin(DRIVE * t0)
    v = [rate * c - r * DRIVE * s, rate * s + r * DRIVE * c]
    run = g.simulate(model("rotating rod"), [r * c, r * s], v, t=t0, t_end=6.0)
    assert run.t[0] == t0
    assert run.t[-1] == 6.0
    assert g.relative(run.q, rotating_rod_exact(run.t)) <= 10 * RTOL


@every_case
def test_rk4_converges_with_order_four(case):
    steps = [0.08, 0.04, 0.02]
    errors = []
    for step in steps:
        run, exact = move(case, 2.0, method="rk4", step=step, solver="kkt")
        errors.append(np.max(np.abs(run.q[-1] - exact[-1])))
    assert errors[-1] > rounding(2.0 / steps[-1])  # truncation, not rounding, is measured
    assert g.analysis.convergence_order(steps, errors) == pytest.approx(4.0, abs=0.1)


@every_case
def test_error_of_dop853_falls_with_rtol(case):
    """The controller keeps the local error per step below rtol, so the global error is proportional to rtol: five
    decades of rtol win at least four decades of error."""
    tolerances = [1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10]
    errors = []
    for rtol in tolerances:
        run, exact = move(case, 5.0, rtol=rtol, solver="kkt")
        errors.append(g.relative(run.q, exact))
    assert all(finer < coarser for coarser, finer in itertools.pairwise(errors))
    assert errors[-1] <= 1e-4 * errors[0]
    assert all(error <= 10 * rtol for error, rtol in zip(errors[1:], tolerances[1:], strict=True))


def test_motion_between_the_recorded_states_converges_with_order_eight():
    """With rtol = 1 the controller accepts every step, so max_step is the step size."""
    times = np.linspace(1.0, 7.9, 57)
    steps, errors = [0.4, 0.2, 0.1], []
    for step in steps:
        run, _ = move("skater", 8.0, rtol=1.0, atol=1.0, max_step=step, solver="kkt")
        assert np.max(np.diff(run.t)) <= step * (1 + 10 * EPS)
        assert np.min(np.abs(times[:, None] - run.t)) > 1e-6  # not at recorded states
        errors.append(np.max(np.abs(run.at(times).q - skater_exact(times))))
    assert errors[-1] > rounding(8.0 / steps[-1])
    assert g.analysis.convergence_order(steps, errors) == pytest.approx(8.0, abs=0.1)


@every_case
def test_motion_between_the_recorded_states_is_as_accurate_as_the_run(case):
    run, _ = ten_seconds(case)
    times = np.linspace(0.0, 10.0, 333)
    dense = run.at(times)
    assert np.array_equal(dense.t, times)
    assert g.relative(dense.q, CASES[case][3](times)) <= 10 * RTOL


@every_case
def test_motion_at_the_recorded_times_is_the_recorded_motion(case):
    run, _ = ten_seconds(case)
    again = run.at(run.t)
    for name in ("t", "q", "v"):
        assert np.array_equal(getattr(again, name), getattr(run, name))
    for name in ("a", "multipliers", "zwang", "kinetic", "potential", "sigma_min"):
        value = getattr(run, name)
        assert np.max(np.abs(getattr(again, name) - value)) <= rounding(np.max(np.abs(value)))


def test_times_outside_the_run_are_refused():
    run, _ = ten_seconds("pendulum")
    for time in (-0.1, 10.1, float("nan")):
        with pytest.raises(g.errors.InputError, match="within the run, 0 to 10 s"):
            run.at([1.0, time])


# --- constraints ------------------------------------------------------------------------------------------------


def distances(run):
    """|φ| and |ψ| of the recorded states divided by the length of their row in the mass metric, from the model."""
    system = run.setting.system
    position, velocity = [], []
    for q, v, t in zip(run.q, run.v, run.t, strict=True):
        terms = system.model.terms(q, v, float(t), run.setting.theta)
        M = terms.M + run.setting.weight * terms.J.T @ terms.J
        length = np.sqrt(np.einsum("ij,ij->i", terms.J, np.linalg.solve(M, terms.J.T).T))
        position.append(np.max(np.abs(terms.phi) / length))
        velocity.append(np.max(np.abs(terms.psi) / length))
    return np.array(position), np.array(velocity)


def scales(run):
    """Largest |q| and |v| in the mass metric."""
    M, _ = run.setting.system.model.batch(run.q, run.v, run.t, run.setting.theta)
    return [math.sqrt(np.max(np.einsum("ij,ijk,ik->i", x, M, x))) for x in (run.q, run.v)]


@every_case
@pytest.mark.parametrize("dense", [False, True])
def test_motion_stays_on_the_constraints(case, dense):
    """Projection ends at rounding: 1e-12 of |q|_M and |v|_M, recorded and computed from the model alike."""
    run, _ = ten_seconds(case)
    place, speed = scales(run)
    if dense:
        run = run.at(np.linspace(0.0, 10.0, 101))
    position, velocity = distances(run)
    assert max(np.max(position), np.max(run.off_position)) <= 1e-12 * place
    assert max(np.max(velocity), np.max(run.off_velocity)) <= 1e-12 * speed


def test_recorded_distances_off_the_constraints_are_those_of_their_state():
    """The start may lie off the constraints by up to 1e-8 of its size; what is recorded says so, at its own state."""
    off = 3e-9
    run = g.simulate(model("pendulum"), [-1.0 - off, 0.0], [off, 0.0], t_end=1.0)
    position, velocity = distances(run)
    assert position[0] > 0.9 * off
    assert velocity[0] > 0.9 * off
    assert run.off_position == pytest.approx(position, abs=rounding(1.0))
    assert run.off_velocity == pytest.approx(velocity, abs=rounding(np.max(np.abs(run.v))))


# --- the two steppers -------------------------------------------------------------------------------------------


@every_case
@pytest.mark.parametrize("force", ["black box", "feedback"])
def test_staged_and_fused_steps_give_the_same_motion(case, force):
    """rk4 takes the same steps on both paths, so they differ by the rounding of each step, amplified by the growth
    of the motion (cosh for the rotating rod, at most linear for the others)."""
    description = CASES[case][0]()
    if force == "black box":
        description |= {"black_box_force": lambda q, v, t: np.zeros(len(q))}
        control = None
    else:
        names = description["coordinates"].split()
        description |= {"controls": "push", "force": lambda u: {names[0]: u.push}}
        control = lambda t, q, v: [0.0]  # noqa: E731
    staged_system = g.System(**description)
    _, q, v, _ = CASES[case]
    options = {"t_end": 1.0, "method": "rk4", "step": 0.04}
    fused, _ = move(case, **options)
    staged = g.simulate(staged_system, q, v, control=control, **options)
    assert fused.setting.fused
    assert not staged.setting.fused
    assert np.array_equal(staged.t, fused.t)
    growth = math.cosh(DRIVE) if case == "rotating rod" else 2.0
    for name in ("q", "v", "a", "multipliers", "zwang", "kinetic", "potential", "primal", "stationarity"):
        one, other = getattr(staged, name), getattr(fused, name)
        scale = max(np.max(np.abs(other)), np.max(np.abs(fused.a)))
        assert np.max(np.abs(one - other)) <= rounding(scale, len(fused) * growth)


@every_case
def test_staged_dop853_is_as_accurate_as_the_fused_one(case):
    _, q, v, exact = CASES[case]
    staged_system = g.System(**CASES[case][0](), black_box_force=lambda q, v, t: np.zeros(len(q)))
    run = g.simulate(staged_system, q, v, t_end=2.0)
    assert not run.setting.fused
    assert g.relative(run.q, exact(run.t)) <= 10 * RTOL
    place, speed = scales(run)
    assert np.max(run.off_position) <= 1e-12 * place
    assert np.max(run.off_velocity) <= 1e-12 * speed


def test_feedback_acts_in_every_stage():
    """u = −k x − c ẋ as feedback is the same oscillator as with the spring and the damper in the model: order 4."""
    k, c = 4.0, 0.4
    system = g.System("cart", "x", kinetic_energy=unit_mass, force=lambda u: [u.push], controls="push")
    decay, omega = c / 2, math.sqrt(k - c**2 / 4)
    steps, errors = [0.1, 0.05, 0.025], []
    for step in steps:
        run = g.simulate(
            system,
            [1.0],
            t_end=2.0,
            method="rk4",
            step=step,
            control=lambda t, q, v: {"push": -k * q[0] - c * v[0]},
        )
        t = run.t[-1]
        exact = math.exp(-decay * t) * (math.cos(omega * t) + decay / omega * math.sin(omega * t))
        errors.append(abs(run["x"][-1] - exact))
    assert g.analysis.convergence_order(steps, errors) == pytest.approx(4.0, abs=0.1)


def test_constant_controls_act():
    system = g.System("cart", "x", kinetic_energy=unit_mass, force=lambda u: [u.push], controls="push")
    run = g.simulate(system, [0.0], t_end=2.0, control={"push": 3.0})
    assert g.relative(run["x"], 1.5 * run.t**2) <= rounding(1.0)


def test_systems_too_large_to_compile_whole_move_all_the_same():
    """Oscillators with a full mass matrix, and a stiffness that is ω² times it: all of them move like cos ωt."""
    n, omega = 81, 1.3

    def form(x):
        return 0.5 * sum(y**2 for y in x) + 0.01 * sum(x) ** 2

    system = g.System(
        "many oscillators",
        [f"x{k}" for k in range(n)],
        kinetic_energy=lambda v: form(list(v)),
        potential_energy=lambda q: omega**2 * form(list(q)),
    )
    run = g.simulate(system, np.ones(n), t_end=2.0, rtol=1e-8, solver="kkt")
    assert not run.setting.fused
    assert g.relative(run.q, np.cos(omega * run.t)[:, None] * np.ones(n)) <= 10 * 1e-8


# --- solvers ----------------------------------------------------------------------------------------------------


@every_case
def test_all_solvers_give_the_same_motion(case):
    """The solver judges the recorded states; it does not change them. Its own acceleration is recorded as a distance:
    OSQP's tolerance is 1e-9 and Clarabel's 1e-8, relative to the acceleration."""
    kkt, _ = move(case, 1.0, solver="kkt")
    assert kkt.about.qp_count == 0
    assert np.array_equal(kkt.solver_distance, np.zeros(len(kkt)))
    size = 1.0 + max(np.max(np.abs(kkt.a)), np.max(np.sqrt(2 * np.abs(kkt.zwang)))) * math.sqrt(2.0)
    for solver in ("osqp", "cvxpy"):
        run, _ = move(case, 1.0, solver=solver)
        assert run.about.solver == solver
        assert run.about.qp_count == len(run)
        for name in ("t", "q", "v", "a", "multipliers", "zwang"):
            assert np.array_equal(getattr(run, name), getattr(kkt, name))
        assert np.max(run.solver_distance) <= 1e-6 * size


def test_all_solvers_give_the_same_bounces():
    ball = bouncing_ball()
    runs = [g.simulate(ball, [1.0], t_end=2.0, solver=solver) for solver in ("osqp", "kkt", "cvxpy")]
    assert len(runs[0].events) == 3
    for run in runs[1:]:
        assert run.events == runs[0].events
        assert np.array_equal(run.q, runs[0].q)


def bouncing_ball():
    return g.System(
        "ball",
        "x",
        kinetic_energy=unit_mass,
        potential_energy=lambda q: G * q.x,
        constraints=[g.Unilateral("floor", lambda q: q.x, restitution=0.9)],
    )


# --- semidefinite mass matrices ---------------------------------------------------------------------------------


def test_massless_block_between_two_springs_makes_them_one_spring():
    """Springs in series: k = k1 k2/(k1 + k2); the massless block is held by its own balance of forces."""
    m, k1, k2 = 2.0, 3.0, 5.0
    system = g.System(
        "two springs",
        "x s",
        mass_matrix=[[m, 0.0], [0.0, 0.0]],
        potential_energy=lambda q: 0.5 * k1 * q.s**2 + 0.5 * k2 * (q.x - q.s) ** 2,
        constraints=[g.Holonomic("balance", lambda q: k1 * q.s - k2 * (q.x - q.s))],
    )
    share = k2 / (k1 + k2)
    run = g.simulate(system, [1.0, share], t_end=10.0)
    exact = np.cos(math.sqrt(k1 * k2 / (k1 + k2) / m) * run.t)
    assert g.relative(run["x"], exact) <= 10 * RTOL
    assert g.relative(run["s"], share * exact) <= 10 * RTOL
    assert np.max(np.abs(run["balance"])) <= rounding(k2)  # nothing but the springs holds the block
    assert np.max(run.off_position) <= 1e-12


def test_massless_pulley_transmits_the_tension():
    """Atwood's machine: a = (m2 − m1) g/(m1 + m2), tension 2 m1 m2 g/(m1 + m2) on both sides."""
    m1, m2, R = 2.0, 3.0, 0.3
    system = g.System(
        "Atwood",
        "x y theta",
        kinetic_energy=lambda v: 0.5 * (m1 * v.x**2 + m2 * v.y**2),
        potential_energy=lambda q: G * (m1 * q.x + m2 * q.y),
        constraints=[
            g.Holonomic("left", lambda q: q.x - R * q.theta),
            g.Holonomic("right", lambda q: q.y + R * q.theta),
        ],
    )
    run = g.simulate(system, [0.0, 0.0, 0.0], t_end=2.0)
    fall, tension = (m2 - m1) / (m1 + m2) * G, 2 * m1 * m2 / (m1 + m2) * G
    assert g.relative(run["x"], fall * run.t**2 / 2) <= rounding(len(run))
    assert g.relative(run["theta"], fall * run.t**2 / 2 / R) <= rounding(len(run))
    for row in ("left", "right"):
        assert np.max(np.abs(run[row] - tension)) <= rounding(tension, 1 / R**2)


@pytest.mark.parametrize("fused", [True, False])
def test_massless_angle_beside_a_pendulum_changes_nothing(fused):
    options = {} if fused else {"black_box_force": lambda q, v, t: np.zeros(3)}
    system = g.System(
        "pendulum with its angle",
        "x y theta",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
        potential_energy=lambda q: G * q.y,
        constraints=[
            g.Holonomic("x of theta", lambda q: q.x - g.sin(q.theta)),
            g.Holonomic("y of theta", lambda q: q.y + g.cos(q.theta)),
        ],
        **options,
    )
    run = g.simulate(system, [-1.0, 0.0, -math.pi / 2], t_end=10.0 if fused else 1.0)
    assert run.setting.weight > 0.0
    exact = pendulum_exact(run.t)
    assert g.relative(run.q[:, :2], exact) <= 10 * RTOL
    assert np.max(np.abs(np.sin(run["theta"]) - run["x"])) <= 1e-12
    assert np.max(run.off_position) <= 1e-12 * scales(run)[0]


# --- without constraints ----------------------------------------------------------------------------------------


def oscillator():
    return g.System("oscillator", "x", kinetic_energy=unit_mass, potential_energy=lambda q: 0.5 * q.x**2)


def test_one_coordinate_without_constraints_is_the_harmonic_oscillator():
    run = g.simulate(oscillator(), [1.0], t_end=10.0)
    assert np.max(np.abs(run["x"] - np.cos(run.t))) <= 10 * RTOL
    assert np.max(np.abs(run["d_x"] + np.sin(run.t))) <= 10 * RTOL
    assert run.multipliers.shape == (len(run), 0)
    assert np.array_equal(run.zwang, np.zeros(len(run)))
    assert np.array_equal(run.sigma_min, np.ones(len(run)))
    assert run.about.qp_count == len(run)


def test_one_coordinate_held_by_one_row_follows_it():
    """n = m = 1: nothing is left to minimise."""
    system = g.System(
        "driven", "x", kinetic_energy=unit_mass, constraints=[g.Holonomic("drive", lambda q, t: q.x - g.sin(t))]
    )
    run = g.simulate(system, [0.0], [1.0], t_end=5.0)
    assert np.max(np.abs(run["x"] - np.sin(run.t))) <= rounding(1.0)
    assert np.max(np.abs(run["drive"] + np.sin(run.t))) <= rounding(1.0)


def test_equilibrium_stays_where_it_is():
    run = g.simulate(model("pendulum"), [0.0, -1.0], t_end=5.0)
    assert np.array_equal(run.q, np.tile([0.0, -1.0], (len(run), 1)))
    assert g.relative(run["rod"], np.full(len(run), -G / 2)) <= rounding(1.0)  # 2yλ = g at y = −1


def test_velocity_defaults_to_rest():
    run = g.simulate(oscillator(), {"x": 0.5}, t_end=1.0)
    assert run["d_x"][0] == 0.0
    assert run["x"][0] == 0.5


# --- a long run -------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_pendulum_of_the_iftomm_benchmark_keeps_its_phase():
    """Benchmark A01, 211 of its 845 periods; its own limit for results of high precision is 1e-3."""
    data = json.loads((Path(__file__).parent / "data" / "iftomm_a01.json").read_text())
    rows = np.array(data["rows"])
    rows = rows[rows[:, 0] <= 500.0]
    assert data["parameters"]["g_m_per_s2"] == G
    run = g.simulate(model("pendulum"), data["parameters"]["start_m"], t_end=rows[-1, 0], solver="kkt")
    assert run.ending.kind == "finished"
    off = np.max(np.abs(run.at(rows[:, 0]).q - rows[:, 1:]), axis=1)
    # The phase error grows with the square of time: 1e-3 at 2000 s is a sixteenth of it here.
    assert np.max(off) <= 1e-3 / 16
    assert np.max(run.off_position) <= 1e-12
    assert np.max(off[rows[:, 0] <= 200.0]) <= 1e-5


# --- what is recorded -------------------------------------------------------------------------------------------


def test_energies_zwang_and_multiplier_at_the_start_are_the_closed_form():
    """Pendulum of mass m and length l at the angle φ with speed s: the rod's pull is m (s²/l + g cos φ), the Zwang is
    half its square over the mass, and φ(q) = x² + y² − l² makes the pull −2 l λ."""
    m, length, phi, speed = 1.7, 0.6, 0.5, 2.1
    system = g.System(
        "pendulum",
        "x y",
        kinetic_energy=lambda v: 0.5 * m * (v.x**2 + v.y**2),
        potential_energy=lambda q: m * G * q.y,
        constraints=[g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - length**2)],
    )
    s, c = math.sin(phi), math.cos(phi)
    run = g.simulate(system, [length * s, -length * c], [speed * c, speed * s], t_end=1.0)
    pull = m * (speed**2 / length + G * c)
    assert run["rod"][0] == pytest.approx(-pull / (2 * length), rel=rounding(1.0))
    assert run.zwang[0] == pytest.approx(pull**2 / (2 * m), rel=rounding(1.0))
    assert run.kinetic[0] == pytest.approx(m * speed**2 / 2, rel=rounding(1.0))
    assert run.potential[0] == pytest.approx(-m * G * length * c, rel=rounding(1.0))
    assert run["dd_x"][0] == pytest.approx(-pull * s / m, rel=rounding(1.0))
    assert run["dd_y"][0] == pytest.approx(pull * c / m - G, rel=rounding(1.0, pull / m / G))
    assert np.ptp(run.energy) <= 10 * RTOL * np.max(run.kinetic)
    assert run.about.has_potential
    assert np.all(run.active)


def test_sigma_min_is_the_closed_form_for_two_planes():
    """Unit rows at the angle α, in the mass metric, have the singular values √(1 ± cos α)."""
    m, alpha = 2.5, 0.3
    s, c = math.sin(alpha), math.cos(alpha)
    system = g.System(
        "line",
        "x y z",
        kinetic_energy=lambda v: 0.5 * m * (v.x**2 + v.y**2 + v.z**2),
        potential_energy=lambda q: m * G * q.z,
        constraints=[
            g.Holonomic("first", lambda q: 7.0 * q.x),
            g.Holonomic("second", lambda q: c * q.x + s * q.y),
        ],
    )
    run = g.simulate(system, [0.0, 0.0, 0.0], t_end=1.0)
    assert run.sigma_min == pytest.approx(np.full(len(run), math.sqrt(1 - c)), abs=rounding(1.0))
    assert g.relative(run["z"], -G * run.t**2 / 2) <= rounding(len(run))


def test_rows_without_potential_energy_say_so():
    system = g.System("plain", "x", mass_matrix=[[1.0]], force=lambda q: [-q.x])
    run = g.simulate(system, [1.0], t_end=1.0)
    assert not run.about.has_potential
    assert np.max(np.abs(run["x"] - np.cos(run.t))) <= 10 * RTOL


# --- times and steps --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("t_end", "step"), [(1.0, 0.1), (6.4, 0.1), (12.8, 0.1), (1.0, 0.3), (0.05, 0.1), (100.0, 0.1)]
)
@pytest.mark.parametrize("t0", [0.0, -3.7])
def test_fixed_steps_end_exactly_at_the_end(t_end, step, t0):
    run = g.simulate(oscillator(), [1.0], t=t0, t_end=t0 + t_end, method="rk4", step=step, solver="kkt")
    assert run.t[0] == t0
    assert run.t[-1] == t0 + t_end
    assert len(run) == math.ceil(t_end / step - 1e-9) + 1
    gaps = np.diff(run.t)
    assert np.max(np.abs(gaps[:-1] - step), initial=0.0) <= rounding(t_end + abs(t0))
    assert gaps[-1] > 0.0


def test_steps_are_no_longer_than_max_step():
    run = g.simulate(oscillator(), [1.0], t_end=1.0, max_step=0.01)
    assert np.max(np.diff(run.t)) <= 0.01 * (1 + 10 * EPS)


@pytest.mark.parametrize("unit", [1e-15, 1e-9, 1e-3, 1e9])
def test_unit_of_time_does_not_matter(unit):
    """The oscillator with frequency 1/unit over ten radians, velocities scaled alike."""
    system = g.System(
        "oscillator",
        "x",
        kinetic_energy=unit_mass,
        potential_energy=lambda q, p: 0.5 * p.k * q.x**2,
        parameters={"k": unit**-2},
    )
    run = g.simulate(system, [1.0], t_end=10.0 * unit)
    assert run.ending.kind == "finished"
    assert run.t[-1] == 10.0 * unit
    assert np.max(np.abs(run["x"] - np.cos(run.t / unit))) <= 10 * RTOL


def test_arguments_that_make_no_sense_are_refused():
    system = oscillator()
    for options, words in [
        ({"t_end": 0.0}, "later than the start"),
        ({"t_end": float("nan")}, "t_end"),
        ({"t_end": 1.0, "method": "euler"}, "method 'euler' is unknown"),
        ({"t_end": 1.0, "method": "rk4"}, "fixed step"),
        ({"t_end": 1.0, "method": "rk4", "step": -1.0}, "step"),
        ({"t_end": 1.0, "rtol": 0.0}, "rtol"),
        ({"t_end": 1.0, "atol": -1.0}, "atol"),
        ({"t_end": 1.0, "max_step": 0.0}, "max_step"),
        ({"t_end": 1.0, "max_step": float("nan")}, "max_step"),
        ({"t_end": 1.0, "solver": "simplex"}, "solver 'simplex' is unknown"),
        ({"t_end": 1.0, "progress": "loud"}, "progress"),
        ({"t_end": 1.0, "events": [lambda q: q.x]}, "Event"),
    ]:
        with pytest.raises(g.errors.InputError, match=words):
            g.simulate(system, [1.0], **options)


def test_state_off_the_constraints_is_refused_by_name():
    with pytest.raises(g.errors.InconsistentStateError, match=r"'rod' has position residual 0\.21"):
        g.simulate(model("pendulum"), [1.1, 0.0], t_end=1.0)
    with pytest.raises(g.errors.InconsistentStateError, match="'rod' has velocity residual 2"):
        g.simulate(model("pendulum"), [1.0, 0.0], [1.0, 0.0], t_end=1.0)


# --- rank along a motion ----------------------------------------------------------------------------------------


def circle_nearly_twice(e):
    """A pendulum whose rod is given twice, the second time with e (y − y₀) added: alike at y₀ but for their slopes."""
    return g.System(
        "rod nearly twice",
        "x y",
        kinetic_energy=unit_mass,
        potential_energy=lambda q: G * q.y,
        constraints=[
            g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0),
            g.Holonomic("again", lambda q: q.x**2 + q.y**2 - 1.0 + e * (q.y + math.cos(0.7))),
        ],
    )


def test_rank_in_doubt_is_that_of_the_motion():
    """Where rounding leaves the rank open a motion keeps its own; where it does not, the rank is what it is."""
    start = [math.sin(0.7), -math.cos(0.7)]
    pendulum = [-G * math.sin(0.7) * math.cos(0.7), -G * math.sin(0.7) ** 2]
    doubtful = circle_nearly_twice(3e-14)
    assert judged(doubtful, doubtful.state(start)).verdicts == ("undecided",)
    along = judged(doubtful, doubtful.state(start), target=1)
    assert along.verdicts == ("redundant",)
    assert along.solution.a == pytest.approx(pendulum, abs=1e-12)
    assert judged(doubtful, doubtful.state(start), target=2).regular
    for e in (1e-12, 1e-11):
        known = circle_nearly_twice(e)
        assert judged(known, known.state(start), target=1).regular


def test_rank_that_has_changed_beyond_doubt_is_seen():
    apart = circle_nearly_twice(1e-6)
    state = apart.state([math.sin(0.7), -math.cos(0.7)])
    assert judged(apart, state, target=1).regular
    bar = g.Holonomic("bar", lambda q: (q.u - q.x) ** 2 + (q.w - q.y) ** 2 - 1.0)
    linkage = g.System(  # flat, with a rocker given twice: rank 3 in motion, 2 here
        "linkage",
        "x y u w",
        kinetic_energy=unit_mass,
        constraints=[
            g.Holonomic("left", lambda q: q.x**2 + q.y**2 - 1.0),
            g.Holonomic("right", lambda q: (q.u - 1.0) ** 2 + q.w**2 - 1.0),
            bar,
            g.Holonomic("left again", lambda q: q.x**2 + q.y**2 - 1.0),
        ],
    )
    flat = linkage.state([1.0, 0.0, 2.0, 0.0], [0.0, 1.0, 0.0, 1.0])
    found = judged(linkage, flat, target=3)
    assert found.regularity.rank == 2
    assert "crossing" in found.verdicts


def test_the_coefficients_of_order_eight_are_those_of_scipy():
    ours = tableau_of("dop853")
    for name, theirs in (("A", DOP853.A), ("b", DOP853.B), ("c", DOP853.C), ("e3", DOP853.E3), ("e5", DOP853.E5)):
        found = getattr(ours, name)
        np.testing.assert_array_equal(found, theirs[: len(found)])
    assert DOP853.E3[-1] == DOP853.E5[-1] == 0.0  # of the stage at the new point
