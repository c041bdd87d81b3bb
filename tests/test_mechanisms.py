"""Mechanisms of several bodies against published runs, and against models in other coordinates."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from proofs import together
from scipy.integrate import solve_ivp

import gauss as g
from gauss import bodies as mb

ROOT = Path(__file__).resolve().parent.parent
andrews, balancing, balls = map(together, ("andrews_squeezer", "balancing_robot", "ballbot_in_space"))
ballbot, slider_crank, vehicles = map(together, ("ballbot", "slider_crank", "vehicles"))
flyball, rattle, spatial = map(together, ("flyball_governor", "rattleback", "spatial_slider_crank"))
TABLES = json.loads((ROOT / "tests" / "data" / "slider_cranks.json").read_text(encoding="utf-8"))
X, Y, Z = np.eye(3)


def quiet(system, q, v, t_end, **options):
    return g.simulate(system, q, v, t_end=t_end, progress="none", **options)


# ------------------------------------------------------------------ published runs in the plane


def test_the_slider_crank_of_ida_agrees_with_its_whole_table():
    table = np.array(TABLES["ida"]["rows"])
    assert table.shape == (41, 4)
    run = quiet(slider_crank.system, slider_crank.Q0, slider_crank.V0, 10.0)
    found = np.array(slider_crank.angles(run.at(table[:, 0]))).T
    # five printed digits, and the errors of IDA with tolerances of 1e-6
    assert np.max(np.abs(found - table[:, 1:])) < 1e-4


L1, L2, M1, M2, M3, TORQUE = 0.1, 0.3, 0.2, 0.2, 0.4, 0.1  # m, m, kg, kg, kg, N m


def by_crank_angle(theta):
    """Inertia of the slider-crank on its crank (kg m²) and half its derivative, for uniform rods."""
    s, c = np.sin(theta), np.cos(theta)
    p = -np.arcsin(L1 / L2 * s)  # angle of the rod
    dp = -L1 * c / (L2 * np.cos(p))
    ddp = (L1 * s / L2 + np.sin(p) * dp**2) / np.cos(p)
    first, second = L1 * np.array([-s, c]), -L1 * np.array([c, s])  # of the crank pin, by theta
    turned, bent = np.array([-np.sin(p), np.cos(p)]), -np.array([np.cos(p), np.sin(p)])
    middle, end = first + L2 / 2 * turned * dp, first[0] + L2 * turned[0] * dp
    middle2 = second + L2 / 2 * (bent * dp**2 + turned * ddp)
    end2 = second[0] + L2 * (bent[0] * dp**2 + turned[0] * ddp)
    inertia = M1 * L1**2 / 3 + M2 * np.sum(middle**2, axis=0) + M2 * L2**2 / 12 * dp**2 + M3 * end**2
    slope = M2 * np.sum(middle * middle2, axis=0) + M2 * L2**2 / 12 * dp * ddp + M3 * end * end2
    return inertia, slope


@pytest.mark.long
def test_the_slider_crank_under_a_constant_torque_turns_as_in_matlab():
    table = np.array(TABLES["matlab"]["rows"])
    crank = mb.PlanarBody("crank", M1, M1 * L1**2 / 12, (L1 / 2, 0))
    rod = mb.PlanarBody("rod", M2, M2 * L2**2 / 12, (L2 / 2, 0))
    block = mb.PlanarBody("block", M3, 1.0)  # does not turn
    joints = [
        mb.Pin("bearing", mb.GROUND, (0, 0), crank, (0, 0)),
        mb.Pin("crank pin", crank, (L1, 0), rod, (0, 0)),
        mb.Pin("wrist", rod, (L2, 0), block, (0, 0)),
        mb.Slider("guide", mb.GROUND, (0, 0), block, (0, 0)),
    ]
    engine = mb.Mechanism("engine", [crank, rod, block], joints, [mb.Torque("torque", crank, TORQUE)], gravity=(0, 0))
    poses = crank.pose(), rod.pose((L1, 0)), block.pose((L1 + L2, 0))  # stretched, at rest
    run = quiet(engine.system, *engine.state(*poses), 3.0)
    theta = np.unwrap(np.arctan2(run["crank_s"], run["crank_c"]))
    rate = run["crank_c"] * run["d_crank_s"] - run["crank_s"] * run["d_crank_c"]

    def slopes(t, w):
        inertia, slope = by_crank_angle(w[0])
        return [w[1], (TORQUE - slope * w[1] ** 2) / inertia]

    exact = solve_ivp(slopes, (0.0, 3.0), [0.0, 0.0], "DOP853", t_eval=run.t, rtol=1e-12, atol=1e-13, max_step=0.01)
    kept = len(run) * 1e-10  # N steps that err by rtol each
    assert g.relative(theta, exact.y[0]) < kept
    assert g.relative(rate, exact.y[1]) < 10 * kept  # it changes by a factor of 3 in a quarter of a turn
    dense = run.at(table[:, 0])
    inner = np.arctan2(dense["crank_s"], dense["crank_c"])
    near = np.interp(dense.t, run.t, theta)
    inner += 2 * np.pi * np.round((near - inner) / (2 * np.pi))
    assert g.relative(inner, table[:, 1]) < 1e-4  # ode45 with a relative tolerance of 1e-6, over 19 turns
    # its rate belongs to its angle: the torque's work is the kinetic energy
    speed = np.sqrt(2 * TORQUE * table[:, 1] / by_crank_angle(table[:, 1])[0])
    assert g.relative(table[:, 2], speed) < 1e-4


@pytest.mark.long
def test_andrews_squeezer_starts_with_the_published_accelerations_and_ends_where_it_should():
    step = g.accelerate(andrews.system, andrews.start.q, andrews.start.v)
    names = andrews.squeezer.named(andrews.start.q)
    found = [names[f"{b.name}_c"] * step.acceleration[f"{b.name}_s"] for b in andrews.bodies]
    found = [
        x - names[f"{b.name}_s"] * step.acceleration[f"{b.name}_c"] for x, b in zip(found, andrews.bodies, strict=True)
    ]
    assert g.relative(andrews.relative_angles(*found), andrews.FIRST_ACCELERATIONS) < 1e-12
    forces = [step.multiplier(f"{pin}[{k}]") for pin in ("E3", "E4", "E6") for k in range(2)]
    assert g.relative(forces, andrews.FIRST_MULTIPLIERS) < 1e-12
    ends = [
        andrews.motion(quiet(andrews.system, andrews.start.q, andrews.start.v, 0.03, rtol=rtol, atol=rtol / 100))[:, -1]
        for rtol in (1e-9, 1e-10, 1e-11, 1e-12)
    ]
    published = np.concatenate([andrews.LAST, andrews.LAST_RATES, andrews.LAST_MULTIPLIERS])
    off = np.abs(ends[-1] / published - 1)
    assert off[:7].max() < 1e-8  # what the test set is good for: see the scenario
    assert off[7:14].max() < 1e-6
    assert off[14:].max() < 1e-5
    changes = [np.max(np.abs(b / a - 1)[:7]) for a, b in pairwise(ends)]
    assert changes[2] < 0.25 * changes[0] < 1e-10


# ------------------------------------------------------------------ two wheels on an axle, and a body upon it


RADIUS, TRACK, CHASSIS, WHEEL, AXIAL = (getattr(balancing, x) for x in ("RADIUS", "TRACK", "CHASSIS", "WHEEL", "AXIAL"))


def found_in(robot, q, v, torques):
    """Of Gauss's answer: acceleration of the origin (3,) of each body, and angular accelerations (3,), in space."""
    step = g.accelerate(robot.system, q, v, u=dict(zip(("right", "left"), torques, strict=True)))
    names, given = robot.named(q), step.acceleration
    result = {}
    for body in robot.bodies:
        R, R_ddot = (
            np.array([[x[f"{body.name}_R{i}{j}"] for j in (1, 2, 3)] for i in (1, 2, 3)]) for x in (names, given)
        )
        turning = R_ddot @ R.T  # [α] + [ω]², of which the skew part is [α]
        alpha = np.array([turning[2, 1] - turning[1, 2], turning[0, 2] - turning[2, 0], turning[1, 0] - turning[0, 1]])
        result[body.name] = np.array([given[f"{body.name}_{x}"] for x in "xyz"]), alpha / 2
    return step, result


@pytest.mark.long
@pytest.mark.parametrize("seed", range(6))
def test_a_balancing_robot_has_the_accelerations_of_its_three_quasi_velocities(seed):
    rng = np.random.default_rng(seed)
    robot, torques = balancing.robot, rng.normal(size=2) * 4.0
    yaw, pitch, *turns = rng.uniform(-1.2, 1.2, 4)
    speed, yawing, pitching = rng.normal(size=3)
    q, v = balancing.placed(robot, rng.normal(size=2), yaw, pitch, turns, speed, yawing, pitching)
    step, found = found_in(robot, q, v, torques)
    assert step.verdict == "redundant"  # both tyres keep the axle from sliding along itself: 34 rows
    assert (step.regularity.rank, len(step.regularity.rows)) == (33, 34)
    rates = balancing.by_boltzmann(pitch, speed, yawing, pitching, torques)
    along, side = mb.about(Z, yaw) @ X, mb.about(Z, yaw) @ Y
    pull, turning = found["chassis"]
    got = [along @ pull, turning[2], side @ turning]
    scale = np.max(np.abs(rates)) + speed**2 + yawing**2 + pitching**2
    assert np.max(np.abs(np.array(got) - rates)) < 1e-11 * scale
    assert abs(side @ pull - speed * yawing) < 1e-11 * scale  # the axle turns with the heading
    for name, offset in (("right", -TRACK), ("left", TRACK)):
        expected = (rates[0] - rates[1] * offset) / RADIUS
        assert abs(side @ found[name][1] - expected) < 1e-11 * scale / RADIUS


@pytest.mark.parametrize("name", ["balancing_robot", "ballbot_in_space"])
def test_the_gains_written_on_a_page_place_the_poles(name):
    found = together(name)
    assert g.relative(found.gains(), found.GAINS) < 1e-7  # differences of second order, or none


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_a_robot_balanced_on_its_axle_is_that_of_five_coordinates(seed):
    # with the mass centre on the axle and equal moments square to it, pitching and driving do not mix
    rng = np.random.default_rng(10 + seed)
    torques, tensor = rng.normal(size=2) * 4.0, np.array([0.8, 0.9, 0.8])
    robot = balancing.two_wheeler(0.0, tensor)
    total = CHASSIS + 2 * WHEEL
    yaw_inertia = tensor[2] + 2 * (WHEEL * TRACK**2 + WHEEL * RADIUS**2 / 4)
    known = vehicles.FLEET["two-wheeled robot"][0]
    flat = g.System(
        "robot",
        known.coordinates,
        kinetic_energy=lambda v: (
            0.5 * total * (v.x**2 + v.y**2) + 0.5 * yaw_inertia * v.phi**2 + 0.5 * AXIAL * (v.right**2 + v.left**2)
        ),
        force={"right": torques[0], "left": torques[1]},
        constraints=known.constraints,
    )
    yaw, pitch, *turns = rng.uniform(-1.2, 1.2, 4)
    speed, yawing, pitching = rng.normal(size=3)
    place = rng.normal(size=2)
    along, side = mb.about(Z, yaw) @ X, mb.about(Z, yaw) @ Y
    spins = [(speed + sign * TRACK * yawing) / RADIUS for sign in (1, -1)]
    a = g.accelerate(flat, [*place, yaw, *turns], [*(speed * along[:2]), yawing, *spins]).a
    _, found = found_in(robot, *balancing.placed(robot, place, yaw, pitch, turns, speed, yawing, pitching), torques)
    got = [*found["chassis"][0][:2], found["chassis"][1][2], *(side @ found[name][1] for name in ("right", "left"))]
    assert np.max(np.abs(np.array(got) - a)) < 1e-11 * max(np.max(np.abs(a)), 1.0)


# ------------------------------------------------------------------ a body upon a ball


def test_both_robots_have_the_data_of_those_they_are_compared_with():
    known = [getattr(ballbot, x) for x in ("RADIUS", "WHEEL", "INERTIA", "BODY", "LENGTH")]
    assert [getattr(balls, x) for x in ("RADIUS", "BALL", "INERTIA", "BODY", "LENGTH")] == known
    assert [balancing.RADIUS, balancing.TRACK] == [vehicles.R, vehicles.B]


@pytest.mark.parametrize("seed", range(4))
def test_a_ballbot_in_a_vertical_plane_has_the_accelerations_of_the_planar_one(seed):
    rng = np.random.default_rng(seed)
    phi, psi = rng.uniform(-1.2, 1.2, 2)
    rate, spin, torque = rng.normal(size=3) * (2.0, 3.0, 1.5)
    u, u_dot = np.array([np.sin(phi), 0, np.cos(phi)]), rate * np.array([np.cos(phi), 0, -np.sin(phi)])
    q, v = balls.state((0.3, -0.2), mb.about(Y, psi), spin * Y, u, u_dot)
    found = g.accelerate(balls.system, q, v, u=[0.0, torque, 0.0]).acceleration
    r, length = balls.RADIUS, balls.LENGTH
    driven = ballbot.model(controls="tau", force=ballbot.motor)
    flat = [r * psi, r, psi, r * psi + length * u[0], r + length * u[2]]
    rates = [r * spin, 0.0, spin, r * spin + length * u_dot[0], length * u_dot[2]]
    a = g.accelerate(driven, flat, rates, u={"tau": torque}).a
    got = [found["ball_x"], found["ball_z"], found["ball_x"] / r]
    got += [found[f"ball_{e}"] + length * found[f"body_u{k}"] for e, k in (("x", 1), ("z", 3))]
    assert np.max(np.abs(np.array(got) - a)) < 1e-11 * np.max(np.abs(a))


@pytest.mark.parametrize("seed", range(4))
def test_a_ballbot_in_space_has_the_accelerations_of_newton_and_euler(seed):
    rng = np.random.default_rng(20 + seed)
    u = rng.normal(size=3)
    u = u / np.linalg.norm(u)
    u_dot, omega, torque = np.cross(rng.normal(size=3), u), rng.normal(size=3) * 3.0, np.cross(u, rng.normal(size=3))
    q, v = balls.state((0.3, -0.2), mb.euler("zyx", *rng.uniform(-1, 1, 3)), omega, u, u_dot)
    step = g.accelerate(balls.system, q, v, u=torque)
    _, centre, mass, force = balls.newton_euler(u, u_dot, torque)
    found = step.acceleration
    got = np.array([found[f"ball_{e}"] for e in "xyz"])
    swing = np.array([found[f"body_u{k}"] for k in (1, 2, 3)])
    assert np.max(np.abs(got - centre)) < 1e-11 * np.max(np.abs(mass))
    assert np.max(np.abs(got + balls.LENGTH * swing - mass)) < 1e-11 * np.max(np.abs(mass))
    assert np.max(np.abs(balls.floor.force(step) - force)) < 1e-11 * np.max(np.abs(force))


# ------------------------------------------------------------------ a loop in space, a governor, a rolling stone


def loop_state(theta, rate):
    """q and v of the spatial slider-crank at an angle and its rate (rad, rad/s)."""
    r, dr, omega = spatial.rod_of(theta)
    at, moving = spatial.pin(theta)
    return spatial.engine.state(
        spatial.crank.pose(spatial.A, mb.about(X, theta), angular_velocity=(rate, 0, 0)),
        spatial.rod.pose(at + r / 2, spatial.frame(r), rate * (moving + dr / 2), rate * omega, axes="space"),
        spatial.block.pose((r[0], 0, 0), velocity=(rate * dr[0], 0, 0)),
    )


@pytest.mark.parametrize("seed", range(4))
def test_the_spatial_slider_crank_has_the_accelerations_of_its_closed_loop(seed):
    rng = np.random.default_rng(30 + seed)
    theta, rate = rng.uniform(-np.pi, np.pi), 8.0 * rng.normal()
    step = g.accelerate(spatial.system, *loop_state(theta, rate))
    bent = spatial.rod_of(theta + 1e-30j)[1][0]
    expected = bent.real * spatial.second(theta, rate) + bent.imag / 1e-30 * rate**2
    scale = abs(expected) + abs(rate) ** 2 * spatial.ARM
    assert abs(step.acceleration["block_x"] - expected) < 1e-11 * scale
    # crank: R'' of a turn about x
    turning = np.cos(theta) * spatial.second(theta, rate) - np.sin(theta) * rate**2
    assert abs(step.acceleration["crank_R32"] - turning) < 1e-11 * (abs(turning) + rate**2)


@pytest.mark.parametrize("seed", range(4))
def test_the_governor_has_the_accelerations_of_its_angle(seed):
    rng = np.random.default_rng(40 + seed)
    alpha, swing, rate = rng.uniform(0.2, 1.4), 3.0 * rng.normal(), rng.uniform(5.0, 30.0)
    turning = flyball.system.with_parameters(rate=rate)
    a = g.accelerate(turning, *flyball.state(alpha, swing, rate)).acceleration
    bent = flyball.swinging(alpha, swing, rate)
    lifted = 2 * flyball.LENGTH * (np.sin(alpha) * bent + np.cos(alpha) * swing**2)
    assert abs(a["sleeve_z"] - lifted) < 1e-11 * (abs(lifted) + rate**2)
    # the right arm along x at t = 0: u = (sin α, 0, −cos α) turned with the rate
    expected = np.array(
        [
            np.cos(alpha) * bent - np.sin(alpha) * (swing**2 + rate**2),
            2 * np.cos(alpha) * swing * rate,
            np.sin(alpha) * bent + np.cos(alpha) * swing**2,
        ]
    )
    assert np.max(np.abs([a[f"right_u{k}"] for k in (1, 2, 3)] - expected)) < 1e-11 * (abs(bent) + rate**2)


def test_the_governor_hangs_down_below_the_least_rate():
    # an arm lifted by 0.2 rad falls back, and rises at a rate above the least one
    found = []
    for rate in (0.95 * flyball.LEAST, 1.05 * flyball.LEAST):
        system = flyball.system.with_parameters(rate=rate)
        found.append(g.accelerate(system, *flyball.state(0.2, rate=rate)).acceleration["sleeve_z"])
    assert found[0] < 0.0 < found[1]


@pytest.mark.parametrize("seed", range(4))
def test_a_rattleback_has_the_accelerations_of_newton_and_euler_in_body_axes(seed):
    rng = np.random.default_rng(50 + seed)
    R, omega = mb.euler("zyx", *rng.uniform(-0.5, 0.5, 3)), 4.0 * rng.normal(size=3)
    rho = rattle.lever(R[2])
    pose = rattle.stone.pose(-R @ rho, R, -R @ np.cross(omega, rho), omega)
    q, v = rattle.rattleback.state(pose)
    step = g.accelerate(rattle.system, q, v)
    _, omega_dot, force = rattle.newton_euler(R[2], omega)
    found = rattle.stone.angular_velocity(rattle.rattleback.named(q), step.acceleration)
    assert np.max(np.abs(np.array(found) - omega_dot)) < 1e-10 * np.max(np.abs(omega_dot))
    assert np.max(np.abs(rattle.rolling.force(step) - R @ force)) < 1e-10 * np.max(np.abs(force))
    # it touches the plane in its lowest point, found among many points of its surface
    u, w = np.meshgrid(np.linspace(0, np.pi, 400), np.linspace(0, 2 * np.pi, 800))
    surface = np.array([np.sin(u) * np.cos(w), np.sin(u) * np.sin(w), np.cos(u)]).reshape(3, -1)
    heights = R[2] @ (rattle.SEMI[:, None] * surface + [[0.0], [0.0], [rattle.HEIGHT]]) + q[2]
    assert -1e-15 < heights.min() < 1e-5  # of a grid of 0.5 degrees
