"""Mechanisms of bodies, against closed forms, Euler's equations, other coordinates and published numbers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import gauss as g
from gauss import bodies as mb
from gauss.analysis import random_states
from gauss.formulations import euler_newton, point_rows, spin_row
from gauss.geometry import across
from gauss.scenario import load

EPS = float(np.finfo(float).eps)
X, Y, Z = np.eye(3)
WEIGHT = np.array([0.0, 0.0, -9.81])


def hat(w):
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def matrix_of(body, values):
    """R, Ṙ or R̈ (3, 3), or (N, 3, 3), of a body from values by coordinate name."""
    entries = [[np.asarray(values[f"{body.name}_R{i}{j}"]) for j in (1, 2, 3)] for i in (1, 2, 3)]
    return np.moveaxis(np.array(entries), (0, 1), (-2, -1))


def origin_of(body, values):
    return np.array([values[f"{body.name}_{x}"] for x in "xyz"])


def quiet(system, q, v, t_end, **options):
    return g.simulate(system, q, v, t_end=t_end, progress="none", **{"rtol": 1e-12, "atol": 1e-13} | options)


def lopsided(name="body", mass=1.3):
    """A body with nothing special: three moments, inclined axes, mass centre off the origin."""
    axes = mb.euler("zyx", 0.3, -0.5, 0.8)
    return mb.Body(name, mb.Inertia.of_tensor(mass, [0.4, 0.6, 0.7], centre=(0.1, -0.2, 0.3), axes=axes))


# ------------------------------------------------------------------ the free body


Z0 = np.array([2.0, -1.0, 2.0]) / 3.0


def test_the_symmetric_body_turns_by_the_closed_form_of_vhif_for_many_turns():
    B, C, omega0, t_end = 1.2, 0.9, np.array([0.5, 0.8, -3.0]), 40.0
    body = mb.Body("top", mb.Inertia.of_tensor(2.0, B * np.eye(3) + (C - B) * np.outer(Z0, Z0)))
    free = mb.Mechanism("free", [body], gravity=(0, 0, 0))
    run = quiet(free.system, *free.state(body.pose(angular_velocity=omega0)), t_end)
    rate = (C / B - 1.0) * (Z0 @ omega0)
    exact = np.array([expm(t * hat(omega0 + rate * Z0)) @ expm(-t * rate * hat(Z0)) for t in run.t])
    assert np.linalg.norm(omega0) * t_end / (2 * np.pi) > 19.0  # turns
    assert np.max(np.abs(matrix_of(body, run) - exact)) < 1e-10


MOMENTS = np.array([0.5, 0.8, 1.1])


@pytest.fixture(scope="module")
def flipping():
    """A body that starts to turn nearly about its middle axis: the mechanism, the body and its motion."""
    body = mb.Body("racket", mb.Inertia.of_tensor(1.0, MOMENTS))
    free = mb.Mechanism("free", [body], gravity=(0, 0, 0))
    pose = body.pose(rotation=mb.about((1, 2, 3), 0.7), velocity=(0.3, 0.1, -0.2), angular_velocity=(0.05, 3.0, 0.05))
    return free, body, quiet(free.system, *free.state(pose), 30.0, rtol=1e-13, atol=1e-14)


def omega_along(body, run):
    rates = {name: run[f"d_{name}"] for name in body.coordinates}
    return np.array(body.angular_velocity(run, rates)).T


def test_the_asymmetric_body_follows_eulers_equations_and_flips(flipping):
    _, body, run = flipping

    def euler(t, w):
        return np.cross(MOMENTS * w, w) / MOMENTS

    omega = omega_along(body, run)
    exact = solve_ivp(euler, (0.0, 30.0), omega[0], "DOP853", t_eval=run.t, rtol=1e-13, atol=1e-14).y.T
    # Euler's equations make a relative error of the start 47 times larger in 30 s; each step errs by 1e-13
    assert np.max(np.abs(omega - exact)) < 47 * len(run) * 1e-13
    assert omega[:, 1].min() < -2.99 < 2.99 < omega[:, 1].max()


def test_energy_and_momentum_of_the_free_body_are_kept(flipping):
    _, body, run = flipping
    momentum = np.einsum("nij,nj->ni", matrix_of(body, run), MOMENTS * omega_along(body, run))
    assert np.ptp(run.energy) / run.energy[0] < 1e-10
    assert np.max(np.abs(momentum - momentum[0])) / np.linalg.norm(momentum[0]) < 1e-10


def test_lambda_is_negative_definite_and_that_of_eulers_equations(flipping):
    free, body, run = flipping
    found = free.multiplier_matrix(run, body)
    omega, K = omega_along(body, run), np.trace(np.diag(MOMENTS)) / 2 * np.eye(3) - np.diag(MOMENTS)
    rates = np.cross(MOMENTS * omega, omega) / MOMENTS
    exact = np.array([(hat(w) @ hat(w) + hat(r)) @ K for w, r in zip(omega, rates, strict=True)])
    assert np.max(np.abs(found - exact)) < 1e-10 * np.max(np.abs(exact))
    assert np.max(np.linalg.eigvalsh(found)) < 0.0  # lemma 2 of VHIF: ω lies on no axis here
    assert (
        np.max(
            np.abs(matrix_of(body, {n: run[f"dd_{n}"] for n in body.coordinates}) @ K - matrix_of(body, run) @ found)
        )
        < 1e-9
    )


def test_lambda_of_a_body_on_a_pivot_without_torque_is_negative_definite_too():
    body = lopsided()
    held = mb.Mechanism(
        "held", [body], [mb.Spherical("pivot", mb.GROUND, (0, 0, 0), body, (0, 0, 0))], gravity=(0, 0, 0)
    )
    run = quiet(held.system, *held.state(body.pose(angular_velocity=(1.0, -2.0, 0.7))), 5.0)
    J, omega = body.inertia.tensor, omega_along(body, run)
    rates = np.linalg.solve(J, np.cross(omega @ J, omega).T).T
    exact = np.array([(hat(w) @ hat(w) + hat(r)) @ body.inertia.second for w, r in zip(omega, rates, strict=True)])
    found = held.multiplier_matrix(run, body)
    assert np.max(np.abs(found - exact)) < 1e-10 * np.max(np.abs(exact))
    assert np.max(np.linalg.eigvalsh(found)) < 0.0


def test_the_mass_centre_of_a_thrown_body_moves_on_a_parabola_wherever_the_origin_is():
    body = lopsided()
    thrown = mb.Mechanism("thrown", [body])
    start = body.pose((1, 2, 3), mb.about(X, 0.4), velocity=(0.5, -1.0, 4.0), angular_velocity=(2.0, 1.0, -3.0))
    q, v = thrown.state(start)
    run = quiet(thrown.system, q, v, 2.0)
    centre, speed = (np.array(body.placed(thrown.named(x)).point(body.inertia.centre)) for x in (q, v))
    exact = np.array([centre + speed * t + WEIGHT * t**2 / 2 for t in run.t]).T
    assert np.max(np.abs(np.array(body.centre_of(run)) - exact)) < 1e-10
    assert g.relative(run.energy, np.full(len(run), run.energy[0])) < 1e-10


def test_the_equation_of_lambda_holds_with_the_origin_off_the_mass_centre():
    body = lopsided()
    thrown = mb.Mechanism("thrown", [body])
    q, v = thrown.state(body.pose(rotation=mb.about(Y, 0.9), velocity=(1, 2, 3), angular_velocity=(2.0, 1.0, -3.0)))
    step = g.accelerate(thrown.system, q, v)
    a, m, c = step.acceleration, body.inertia.mass, body.inertia.centre
    left = matrix_of(body, a) @ body.inertia.second + m * np.outer(origin_of(body, a), c)
    right = m * np.outer(WEIGHT, c) + matrix_of(body, thrown.named(q)) @ thrown.multiplier_matrix(step, body)
    assert np.max(np.abs(left - right)) < 1e-12 * np.max(np.abs(left))


@pytest.mark.parametrize("axes", ["body", "space"])
def test_pose_and_angular_velocity_are_inverse(axes):
    body, omega = lopsided(), (0.3, -2.0, 1.1)
    pose = body.pose(rotation=mb.euler("ZXZ", 0.3, 1.2, -0.4), angular_velocity=omega, axes=axes)
    assert np.allclose(body.angular_velocity(pose.q, pose.v, axes), omega, rtol=0, atol=10 * EPS)


# ------------------------------------------------------------------ tops


@pytest.mark.long
def test_the_heavy_top_agrees_with_published_numbers():
    # Euler parameters at 0.2 s printed for EXUDYN (MATLAB, Runge-Kutta); centres of mass integrated in quaternions
    body = mb.Body("top", mb.Inertia.of_tensor(15.0, [0.234375, 0.46875, 0.234375], centre=(0, 1, 0)))
    top = mb.Mechanism("heavy top", [body], [mb.Spherical("pivot", mb.GROUND, (0, 0, 0), body, (0, 0, 0))])
    q, v = top.state(body.pose(angular_velocity=(0, 150, -4.61538)))
    run = quiet(top.system, q, v, 1.0)
    dense = run.at([0.05, 0.2, 1.0])
    exact = [
        [0.22574112, 0.97343198, -0.03835518],
        [0.60555056, 0.59895768, -0.52398303],
        [0.17334396, 0.64008859, -0.74849079],
    ]
    assert np.max(np.abs(np.array(body.centre_of(dense)).T - exact)) < 1e-7
    printed = mb.rotation(matrix_of(body, dense)[1])
    w, x, y, z = np.array([-0.70828, 0.43878, 0.54573, 0.0894]) / np.linalg.norm([0.70828, 0.43878, 0.54573, 0.0894])
    assert np.max(np.abs(printed - mb.quaternion(w, x, y, z))) < 2e-5  # five printed digits
    assert g.relative(run.energy, np.full(len(run), 5435.6967908655)) < 1e-9
    failed = [c.name for c in g.crosscheck(run) if not c.holds]
    assert not failed


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(4))
def test_lagranges_top_has_the_accelerations_of_its_euler_angles(seed):
    rng, angles = np.random.default_rng(seed), load("lagrange_top").system
    I1, I3, weight = (angles.parameters[x] for x in ("I1", "I3", "mgr"))
    q, v = rng.uniform(0.4, 2.6, 3), 2 * rng.normal(size=3)
    a = g.accelerate(angles, q, v).a
    axes = (Z, X, Z)
    turns = [mb.about(e, x) for e, x in zip(axes, q, strict=True)]
    first = [x * hat(e) @ A for e, x, A in zip(axes, v, turns, strict=True)]
    second = [(x * hat(e) + y**2 * hat(e) @ hat(e)) @ A for e, x, y, A in zip(axes, a, v, turns, strict=True)]
    R = np.linalg.multi_dot(turns)
    R_dot = sum(np.linalg.multi_dot([first[j] if i == j else turns[j] for j in range(3)]) for i in range(3))
    R_ddot = sum(np.linalg.multi_dot([second[j] if i == j else turns[j] for j in range(3)]) for i in range(3))
    R_ddot = R_ddot + 2 * sum(
        np.linalg.multi_dot([turns[j] if j == k else first[j] for j in range(3)]) for k in range(3)
    )
    mass, height = 2.0, weight / (2.0 * 9.81)
    central = np.array([I1 - mass * height**2, I1 - mass * height**2, I3])
    body = mb.Body("top", mb.Inertia.of_tensor(mass, central, centre=(0, 0, height)))
    top = mb.Mechanism("top", [body], [mb.Spherical("pivot", body, (0, 0, 0), mb.GROUND, (0, 0, 0))])
    omega = body.angular_velocity(
        *({f"top_R{i + 1}{j + 1}": M[i, j] for i in range(3) for j in range(3)} for M in (R, R_dot))
    )
    step = g.accelerate(top.system, *top.state(body.pose(rotation=R, angular_velocity=omega)))
    assert np.max(np.abs(matrix_of(body, step.acceleration) - R_ddot)) < 1e-12 * np.max(np.abs(R_ddot)) / np.sin(q[1])
    assert np.max(np.abs(origin_of(body, step.acceleration))) < 1e-12 * np.max(np.abs(R_ddot))


# ------------------------------------------------------------------ joints, one body on the ground

AXIS = np.array([1.0, 2.0, -2.0]) / 3.0
TURNED = mb.about((1, -1, 2), 0.8)
C2 = np.array([0.4, 0.1, -0.3])  # joint point in the body
AXIS2 = TURNED.T @ AXIS
SQUARE = np.array(across(tuple(AXIS))[0])


def constant(vector):
    return lambda R: np.asarray(vector) + 0.0 * R[0]


def arm(body):
    return lambda R: R @ (C2 - body.inertia.centre)


def spins(R, omega, *directions):
    return [spin_row(R, omega, d if callable(d) else constant(d)) for d in directions]


U, W = (np.array(x) for x in across(tuple(AXIS)))
SECOND = TURNED.T @ SQUARE  # the other axis of a universal joint, in the body
JOINTS = {
    "spherical": (
        lambda body: mb.Spherical("joint", mb.GROUND, (1, 2, 3), body, C2),
        lambda body, R, w: [point_rows(R, w, arm(body))],
    ),
    "revolute": (
        lambda body: mb.Revolute("joint", mb.GROUND, (1, 2, 3), body, C2, AXIS, AXIS2),
        lambda body, R, w: [point_rows(R, w, arm(body)), *spins(R, w, U, W)],
    ),
    "cylindrical": (
        lambda body: mb.Cylindrical("joint", mb.GROUND, (1, 2, 3), body, C2, AXIS, AXIS2),
        lambda body, R, w: [point_rows(R, w, arm(body), (U, W)), *spins(R, w, U, W)],
    ),
    "universal": (
        lambda body: mb.Universal("joint", mb.GROUND, (1, 2, 3), body, C2, AXIS, SECOND),
        lambda body, R, w: [point_rows(R, w, arm(body)), *spins(R, w, lambda R: np.cross(AXIS, R @ SECOND))],
    ),
    "planar": (
        lambda body: mb.PlanarJoint("joint", mb.GROUND, (1, 2, 3), body, C2, AXIS, AXIS2),
        lambda body, R, w: [point_rows(R, w, arm(body), (AXIS,)), *spins(R, w, U, W)],
    ),
    "prismatic": (
        lambda body: mb.Prismatic("joint", mb.GROUND, (1, 2, 3), body, C2, orientation=TURNED, axis1=AXIS),
        lambda body, R, w: [point_rows(R, w, arm(body), (U, W)), *spins(R, w, X, Y, Z)],
    ),
    "weld": (
        lambda body: mb.Weld("joint", mb.GROUND, (1, 2, 3), body, C2, orientation=TURNED),
        lambda body, R, w: [point_rows(R, w, arm(body)), *spins(R, w, X, Y, Z)],
    ),
}


def on_the_ground(name):
    """A lopsided body on the ground, at the joint's zero: mechanism, body, q."""
    body = lopsided()
    held = mb.Mechanism(name, [body], [JOINTS[name][0](body)])
    q, _ = held.state(body.pose(np.array([1, 2, 3]) - TURNED @ C2, TURNED))
    return held, body, q


@pytest.mark.long
@pytest.mark.parametrize("name", JOINTS)
def test_a_body_on_a_joint_has_the_accelerations_of_newton_and_euler(name):
    held, body, q = on_the_ground(name)
    states = random_states(held.system, q, None, 0.0, 6, 1, spread=0.4).states
    inertia, m, c = body.inertia.central_tensor, body.inertia.mass, body.inertia.centre
    moved = 0.0
    for state in states:
        named, rates = held.named(state.q), held.named(state.v)
        R, omega = matrix_of(body, named), np.array(body.angular_velocity(named, rates))
        R = mb.nearest(R)  # to rounding
        answer = euler_newton(m, inertia, omega, m * WEIGHT, rows=JOINTS[name][1](body, R, omega))
        a = g.accelerate(held.system, state.q, state.v).acceleration
        R_ddot = R @ (hat(answer.Omega_dot) + hat(omega) @ hat(omega))
        scale = np.max(np.abs(R_ddot)) + 9.81
        assert np.max(np.abs(matrix_of(body, a) - R_ddot)) < 1e-11 * scale
        assert np.max(np.abs(origin_of(body, a) + matrix_of(body, a) @ c - answer.s_ddot)) < 1e-11 * scale
        moved = max(moved, float(np.max(np.abs(state.v))))
    assert (moved < 1e-9) == (name == "weld")  # a weld leaves no motion


FREEDOMS = {
    "spherical": 3,
    "revolute": 1,
    "cylindrical": 2,
    "universal": 2,
    "planar": 3,
    "prismatic": 1,
    "weld": 0,
}


@pytest.mark.parametrize("name", JOINTS)
def test_rows_of_a_joint_are_independent_and_leave_its_freedoms(name):
    held, _, q = on_the_ground(name)
    verdict = g.classify(held.system, q)
    assert verdict.verdict == "regular"
    assert held.system.n - verdict.regularity.rank == FREEDOMS[name]


@pytest.mark.parametrize("name", JOINTS)
def test_a_body_pulled_out_of_its_joint_is_refused(name):
    held, body, _ = on_the_ground(name)
    apart = body.pose(np.array([1, 2, 3]) - TURNED @ C2 + [0.01, 0.02, 0.03], TURNED)
    turned = mb.about(np.cross(AXIS, TURNED @ SECOND), 0.01) @ TURNED  # a turn that only the spherical joint allows
    for pose in (apart, body.pose(np.array([1, 2, 3]) - turned @ C2, turned)):
        if name == "spherical" and pose is not apart:
            continue
        with pytest.raises(g.errors.InconsistentStateError, match="joint"):
            g.accelerate(held.system, *held.state(pose))


def test_values_of_joints_are_angles_and_displacements_of_numbers_and_of_runs():
    body = lopsided()
    hinge = mb.Revolute("hinge", mb.GROUND, (0, 0, 0), body, (0, 0, 0), AXIS)
    sleeve = mb.Cylindrical("sleeve", mb.GROUND, (1, 2, 3), body, C2, AXIS)
    for angle in (-3.0, -0.4, 0.0, 2.2):
        R = mb.about(AXIS, angle)
        assert np.isclose(hinge.value(body.pose(rotation=R).q), angle, rtol=0, atol=1e-14)
        pose = body.pose(np.array([1, 2, 3]) + 0.7 * AXIS - R @ C2, R)
        assert np.allclose(sleeve.value(pose.q), (angle, 0.7), rtol=0, atol=1e-14)
    held = mb.Mechanism("door", [body], [hinge], gravity=(0, 0, 0))
    run = quiet(held.system, *held.state(body.pose(angular_velocity=2.0 * AXIS)), 1.0)
    assert np.allclose(hinge.value(run), 2.0 * run.t, rtol=0, atol=1e-10)  # free: uniform


ADAMS = {  # cases of the joint tests of Project Chrono: t / s, place of the centre / m, force on the joint / N
    "revolute": [
        (0.5, [1.66081, 0.0, -1.11432], [13.2797, 0.0, -9.14925]),
        (1.0, [-0.892381, 0.0, -1.78988], [-11.4612, 0.0, -23.2273]),
        (5.0, [-1.99968, 0.0, -0.0355587], [-0.510225, 0.0, -0.248259]),
    ],
    "spherical": [
        (0.5, [1.66081, 0.0, -1.11432], [13.28, 0.0, -9.14947]),
        (1.0, [-0.892369, 0.0, -1.78988], [-11.4609, 0.0, -23.227]),
    ],
    "prismatic": [
        (0.5, [3.0, 1.38708, 2.38708], [0.0, 4.90332, -4.90332]),
        (1.0, [3.0, -0.451662, 0.548338], [0.0, 4.90332, -4.90332]),
        (5.0, [3.0, -59.2916, -58.2916], [0.0, 4.90332, -4.90332]),
    ],
}
ADAMS_ERROR = {"revolute": 1e-5, "spherical": 1e-3, "prismatic": 1e-4}  # m: digits; of `spherical` ADAMS' own error


@pytest.mark.parametrize("name", ADAMS)
def test_a_body_on_a_joint_moves_as_in_adams(name):
    """A body of 1 kg, its centre 2 m from the joint, let go at rest."""
    body = mb.Body("bob", mb.Inertia.of_tensor(1.0, [0.04, 0.1, 0.1]))
    at, R = {
        "revolute": ((0, 0, 0), mb.about(X, -np.pi / 2)),
        "spherical": ((0, 0, 0), np.eye(3)),
        "prismatic": ((1, 2, 3), mb.about(X, -np.pi / 4)),
    }[name]
    ends = (mb.GROUND, at, body, (-2, 0, 0))
    joint = {
        "revolute": lambda: mb.Revolute("joint", *ends, R @ Z, Z),
        "spherical": lambda: mb.Spherical("joint", *ends),
        "prismatic": lambda: mb.Prismatic("joint", *ends, orientation=R, axis1=R @ Z),
    }[name]()
    held = mb.Mechanism(name, [body], [joint], gravity=(0, 0, -9.80665))
    run = quiet(held.system, *held.state(body.pose(at + R @ (2.0, 0.0, 0.0), R)), 5.0)
    for t, place, force in ADAMS[name]:
        dense = run.at(t)
        assert np.allclose(np.array(body.centre_of(dense))[:, 0], place, rtol=0, atol=ADAMS_ERROR[name])
        acceleration = np.array([dense[f"dd_bob_{x}"][0] for x in "xyz"])
        assert np.allclose(-(acceleration - [0.0, 0.0, -9.80665]), force, rtol=0, atol=2e-3)
        if name != "prismatic":  # whose rows are not along x, y, z
            held_with = np.array([dense[f"joint[{k}]"][0] for k in range(3)])
            assert np.allclose(-held_with, force, rtol=0, atol=2e-3)


def test_a_door_on_two_hinges_is_redundant_and_the_verdict_names_its_hinges():
    door = mb.Body("door", mb.box(30.0, (0.9, 0.04, 2.1)))
    hinges = [mb.Revolute(f"hinge {k}", mb.GROUND, (0, 0, z), door, (-0.45, 0, z)) for k, z in ((1, -0.8), (2, 0.8))]
    hung = mb.Mechanism("door", [door], hinges)
    q, v = hung.state(door.pose((0.45, 0, 0), velocity=(0, 0.45, 0), angular_velocity=(0, 0, 1.0)))
    step = g.accelerate(hung.system, q, v)
    found = step
    assert (found.verdict, found.regularity.rank, len(found.regularity.rows)) == ("redundant", 11, 16)
    named = {row for rows in found.dependent for row in rows}
    assert {f"hinge {k}[2]" for k in (1, 2)} <= named
    assert np.allclose(step.a[:3], [-0.45, 0.0, 0.0], rtol=0, atol=1e-11)  # w²r towards the hinges; the door keeps on
    total = sum(found.reactions.multipliers[found.reactions.rows.index(f"hinge {k}[2]")] for k in (1, 2))
    assert np.isclose(total, 30.0 * 9.81, rtol=1e-9)
    run = quiet(hung.system, q, v, 2.0)
    assert np.allclose(hinges[0].value(run), np.angle(np.exp(1j * run.t)), rtol=0, atol=1e-9)


# ------------------------------------------------------------------ chains

LENGTHS, MASSES = (1.0, 0.7), (2.0, 1.5)


def in_angles():
    """The planar double pendulum of uniform bars in its angles from the vertical, by hand."""
    (l1, l2), (m1, m2) = LENGTHS, MASSES
    J1, J2 = (m * l**2 / 12 for m, l in zip(MASSES, LENGTHS, strict=True))

    def kinetic(q, v):
        cross = m2 * l1 * l2 / 2 * g.cos(q.a - q.b) * v.a * v.b
        return (m1 * l1**2 / 4 + J1 + m2 * l1**2) * v.a**2 / 2 + (m2 * l2**2 / 4 + J2) * v.b**2 / 2 + cross

    return g.System(
        "double pendulum",
        coordinates="a b",
        kinetic_energy=kinetic,
        potential_energy=lambda q: -9.81 * ((m1 / 2 + m2) * l1 * g.cos(q.a) + m2 * l2 / 2 * g.cos(q.b)),
    )


def in_space():
    """The same of bars in space, hinged about the y-axis."""
    bars = [
        mb.Body(
            f"bar{k + 1}", mb.Inertia.of_tensor(m, np.array([1.0, 1.0, 0.3]) * m * l**2 / 12, centre=(0, 0, -l / 2))
        )
        for k, (m, l) in enumerate(zip(MASSES, LENGTHS, strict=True))
    ]
    joints = [
        mb.Revolute("upper", mb.GROUND, (0, 0, 0), bars[0], (0, 0, 0), Y),
        mb.Revolute("lower", bars[0], (0, 0, -LENGTHS[0]), bars[1], (0, 0, 0), Y),
    ]
    return mb.Mechanism("double pendulum", bars, joints), bars


@pytest.mark.parametrize("seed", range(4))
def test_a_double_pendulum_in_space_and_in_the_plane_has_the_accelerations_of_its_angles(seed):
    rng = np.random.default_rng(seed)
    (a, b), (a_dot, b_dot) = rng.uniform(-3, 3, 2), 2 * rng.normal(size=2)
    a_ddot, b_ddot = g.accelerate(in_angles(), [a, b], [a_dot, b_dot]).a
    chain, bars = in_space()
    # an angle a from the downward vertical towards +x is a turn by −a about y
    knee = LENGTHS[0] * np.array([np.sin(a), 0.0, -np.cos(a)])
    knee_dot = LENGTHS[0] * a_dot * np.array([np.cos(a), 0.0, np.sin(a)])
    poses = [
        bars[0].pose(rotation=mb.about(Y, -a), angular_velocity=(0, -a_dot, 0)),
        bars[1].pose(knee, mb.about(Y, -b), knee_dot, (0, -b_dot, 0)),
    ]
    step = g.accelerate(chain.system, *chain.state(*poses))
    for bar, angle, rate, second in ((bars[0], a, a_dot, a_ddot), (bars[1], b, b_dot, b_ddot)):
        R = mb.about(Y, -angle)
        exact = R @ (hat([0, -second, 0]) + hat([0, -rate, 0]) @ hat([0, -rate, 0]))
        assert np.max(np.abs(matrix_of(bar, step.acceleration) - exact)) < 1e-12 * (1 + np.max(np.abs(exact)))
    flat = [
        mb.PlanarBody(f"bar{k + 1}", m, m * l**2 / 12, centre=(0, -l / 2))
        for k, (m, l) in enumerate(zip(MASSES, LENGTHS, strict=True))
    ]
    pins = [
        mb.Pin("upper", mb.GROUND, (0, 0), flat[0], (0, 0)),
        mb.Pin("lower", flat[0], (0, -LENGTHS[0]), flat[1], (0, 0)),
    ]
    plane = mb.Mechanism("double pendulum", flat, pins)
    poses = [flat[0].pose((0, 0), a, (0, 0), a_dot), flat[1].pose(knee[::2], b, knee_dot[::2], b_dot)]
    found = g.accelerate(plane.system, *plane.state(*poses))
    for bar, angle, rate, second in ((flat[0], a, a_dot, a_ddot), (flat[1], b, b_dot, b_ddot)):
        exact = second * np.array([-np.sin(angle), np.cos(angle)]) - rate**2 * np.array([np.cos(angle), np.sin(angle)])
        a_c = [found.acceleration[f"{bar.name}_{x}"] for x in "cs"]
        assert np.max(np.abs(a_c - exact)) < 1e-12 * (1 + np.max(np.abs(exact)))
    assert np.isclose(pins[1].value(plane.named(plane.state(*poses)[0])), np.angle(np.exp(1j * (b - a))), atol=1e-14)
    for k in range(2):  # the forces in the joints agree, too
        assert np.isclose(step.multiplier("lower[0]"), found.multiplier("lower[0]"), rtol=1e-10)
        assert np.isclose(step.multiplier(f"upper[{2 * k}]"), found.multiplier(f"upper[{k}]"), rtol=1e-10)


def test_two_shafts_with_hookes_joint_keep_its_law_although_their_rows_are_redundant():
    tilt, start = 0.6, 3.0  # rad, rad/s
    shafts = [mb.Body(name, mb.cylinder(m, 0.1, 0.5, axis=X)) for name, m in (("driver", 2.0), ("driven", 3.0))]
    d = np.array([np.cos(tilt), np.sin(tilt), 0.0])
    joints = [
        mb.Revolute("bearing 1", mb.GROUND, -0.4 * X, shafts[0], (0, 0, 0), X),
        mb.Revolute("bearing 2", mb.GROUND, 0.4 * d, shafts[1], (0, 0, 0), d, X),
        mb.Universal("cross", shafts[0], (0.4, 0, 0), shafts[1], (-0.4, 0, 0), Z, Y),
    ]
    drive = mb.Mechanism("drive", shafts, joints)
    q, v = drive.state(
        shafts[0].pose(-0.4 * X, angular_velocity=start * X),
        shafts[1].pose(0.4 * d, mb.about(Z, tilt), angular_velocity=start * np.cos(tilt) * X),
    )
    found = g.classify(drive.system, q, v)
    assert (found.verdict, len(found.regularity.rows) - found.regularity.rank) == ("redundant", 3)
    run = quiet(drive.system, q, v, 2.0)
    one, two = (np.unwrap(joint.value(run)) for joint in joints[:2])
    one, two = one - one[0], two - two[0]
    assert np.max(np.abs(np.sin(two) * np.cos(one) - np.cos(tilt) * np.sin(one) * np.cos(two))) < 1e-9
    assert one[-1] > 5.0
    moments = [m * 0.1**2 / 2 for m in (2.0, 3.0)]
    ratio = np.cos(tilt) / (1 - (np.sin(tilt) * np.sin(one)) ** 2)  # of the rates
    speed = np.sqrt(2 * run.kinetic[0] / (moments[0] + moments[1] * ratio**2))  # of the driver, by the energy
    rates = {name: run[f"d_{name}"] for name in shafts[0].coordinates}
    assert np.max(np.abs(np.array(shafts[0].angular_velocity(run, rates))[0] - speed)) < 1e-9


@pytest.mark.long
def test_the_cross_check_holds_on_a_chain_in_space():
    chain, bars = in_space()
    q, v = chain.state(bars[0].pose(), bars[1].pose((0, 0, -LENGTHS[0]), mb.about(Y, 1.0)))
    claims = g.crosscheck(quiet(chain.system, q, v, 1.0), samples=4)
    assert len(claims) >= 4
    assert not [c.name for c in claims if not c.holds]


# ------------------------------------------------------------------ rods, particles, distances


def test_a_rod_on_a_pivot_has_the_closed_acceleration_of_its_direction():
    m, l, rng = 1.7, 0.9, np.random.default_rng(3)
    bar = mb.Rod("bar", mb.rod(m, (0, 0, 0), (0, 0, l)))
    pendulum = mb.Mechanism("pendulum", [bar], [mb.Spherical("pivot", mb.GROUND, (0, 0, 0), bar, (0, 0, 0))])
    u = rng.normal(size=3)
    u, omega = u / np.linalg.norm(u), rng.normal(size=3)
    q, v = pendulum.state(bar.pose(direction=u, angular_velocity=omega))
    step = g.accelerate(pendulum.system, q, v)
    u_dot = np.cross(omega, u)
    exact = 3 / (2 * l) * (WEIGHT - (WEIGHT @ u) * u) - (u_dot @ u_dot) * u
    assert np.max(np.abs(step.a[3:] - exact)) < 1e-12 * np.max(np.abs(exact))
    assert np.max(np.abs(step.a[:3])) < 1e-12 * np.max(np.abs(exact))


def test_a_rod_moves_as_a_thin_body_does():
    m, at = 1.7, (0.3, 0.3, -0.15)
    inertia = mb.rod(m, (-0.2, -0.2, 0.1), (1.0, 1.0, -0.5))
    thin = inertia + mb.Inertia.of_second(1e-7, 1e-7 * np.eye(3))
    found = []
    for body in (mb.Rod("bar", inertia), mb.Body("bar", thin)):
        held = mb.Mechanism("swing", [body], [mb.Distance("string", mb.GROUND, (0, 0, 1), body, at, length=0.8)])
        turn = (
            {"direction": mb.about(X, 0.3) @ [2 / 3, 2 / 3, -1 / 3]}
            if isinstance(body, mb.Rod)
            else {"rotation": mb.about(X, 0.3)}
        )
        omega = np.array([0.4, 0.2, 0.1]) if isinstance(body, mb.Rod) else mb.about(X, 0.3).T @ [0.4, 0.2, 0.1]
        place = np.array([0.0, 0.48, 1.64]) - mb.about(X, 0.3) @ at
        arm = np.array([0.0, 0.48, 0.64])
        velocity = np.cross([1.0, 0.0, 0.0], arm) - np.cross([0.4, 0.2, 0.1], mb.about(X, 0.3) @ at)
        q, v = held.state(body.pose(place, velocity=velocity, angular_velocity=omega, **turn))
        found.append(g.accelerate(held.system, q, v).acceleration)
    place = [np.array([a[f"bar_{x}"] for x in "xyz"]) for a in found]
    assert np.max(np.abs(place[0] - place[1])) < 1e-5  # the thin body is that much heavier, 1e-7 of 1.7 kg


def test_particles_on_strings_are_the_spherical_pendulum():
    bob = mb.Particle("bob", 0.4)
    held = mb.Mechanism("pendulum", [bob], [mb.Distance("string", mb.GROUND, (0, 0, 2), bob, (0, 0, 0), length=2.0)])
    place, velocity = np.array([1.2, 0.0, 0.4]), np.array([0.4, 1.0, 0.3])
    velocity -= (velocity @ (place - [0, 0, 2])) * (place - [0, 0, 2]) / 4
    a = g.accelerate(held.system, *held.state(bob.pose(place, velocity))).a
    arm = place - [0, 0, 2]
    exact = WEIGHT - (WEIGHT @ arm + velocity @ velocity) * arm / 4
    assert np.max(np.abs(a - exact)) < 1e-13 * np.max(np.abs(exact))


def test_a_slider_crank_in_the_plane_moves_by_its_closed_form():
    r, l, w = 0.3, 0.9, 5.0
    crank, rod, block = mb.PlanarBody("crank", 1, 0.1), mb.PlanarBody("rod", 1, 0.1), mb.PlanarBody("block", 2, 0.1)
    joints = [
        mb.Pin("main", mb.GROUND, (0, 0), crank, (0, 0)),
        mb.Pin("crank pin", crank, (r, 0), rod, (0, 0)),
        mb.Pin("wrist", rod, (l, 0), block, (0, 0)),
        mb.Slider("guide", mb.GROUND, (0, 0), block, (0, 0), axis1=(1, 0)),
    ]
    engine = mb.Mechanism("slider-crank", [crank, rod, block], joints)
    phi = 0.7
    tilt = -np.arcsin(r * np.sin(phi) / l)
    tilt_dot = -r * w * np.cos(phi) / (l * np.cos(tilt))
    pin, pin_dot = r * np.array([np.cos(phi), np.sin(phi)]), r * w * np.array([-np.sin(phi), np.cos(phi)])
    x = pin[0] + l * np.cos(tilt)
    x_dot = pin_dot[0] - l * tilt_dot * np.sin(tilt)
    q, v = engine.state(
        crank.pose(angle=phi, rate=w), rod.pose(pin, tilt, pin_dot, tilt_dot), block.pose((x, 0), velocity=(x_dot, 0))
    )
    run = quiet(engine.system, q, v, 0.5)
    angle = np.unwrap(np.arctan2(run["crank_s"], run["crank_c"]))
    exact = r * np.cos(angle) + np.sqrt(l**2 - (r * np.sin(angle)) ** 2)
    assert np.max(np.abs(joints[3].value(run) - exact)) < 1e-10
    assert np.ptp(run.energy) < 1e-9 * run.kinetic[0]
    assert np.ptp(angle) > 1.5


# ------------------------------------------------------------------ forces


@pytest.mark.parametrize("axes", ["space", "body"])
def test_forces_and_torques_do_the_work_that_they_should(axes):
    body, rng = lopsided(), np.random.default_rng(5)
    F, T, at = rng.normal(size=3), rng.normal(size=3), rng.normal(size=3)
    moving = mb.Mechanism(
        "driven",
        [body],
        forces=[mb.PointForce("push", body, at, F, axes), mb.Torque("twist", body, T, axes)],
        gravity=(0, 0, 0),
    )
    R, omega, velocity = mb.about((1, 2, 0), 1.1), rng.normal(size=3), rng.normal(size=3)
    q, v = moving.state(body.pose((1, 2, 3), R, velocity, omega, axes="space"))
    a = g.accelerate(moving.system, q, v).acceleration
    # the same by Newton and Euler about the mass centre
    c, m = body.inertia.centre, body.inertia.mass
    force, torque = (F, T) if axes == "space" else (R @ F, R @ T)
    moment = R.T @ (torque + np.cross(R @ (at - c), force))
    exact = euler_newton(m, body.inertia.central_tensor, R.T @ omega, force, moment)
    R_ddot = R @ (hat(exact.Omega_dot) + hat(R.T @ omega) @ hat(R.T @ omega))
    assert np.max(np.abs(matrix_of(body, a) - R_ddot)) < 1e-12 * np.max(np.abs(R_ddot))
    assert np.max(np.abs(origin_of(body, a) + R_ddot @ c - exact.s_ddot)) < 1e-12 * np.max(np.abs(R_ddot))


def test_a_motor_turns_two_bodies_against_each_other():
    hub, wheel = lopsided("hub"), mb.Body("wheel", mb.sphere(0.8, 0.2))
    axle = mb.Revolute("axle", hub, (0, 0, 0), wheel, (0, 0, 0), X)
    motor = mb.Torque("motor", wheel, lambda u: [u.M, 0, 0], axes="body", reaction=hub)
    satellite = mb.Mechanism("satellite", [hub, wheel], [axle], [motor], gravity=(0, 0, 0), controls="M")
    q, v = satellite.state(hub.pose(), wheel.pose())
    run = quiet(satellite.system, q, v, 1.0, control={"M": 0.05})
    total = 0.0
    for body in (hub, wheel):
        R, m, c = matrix_of(body, run), body.inertia.mass, body.inertia.centre
        spin = np.einsum("nij,jk,nk->ni", R, body.inertia.central_tensor, omega_along(body, run))
        rates = {n: run[f"d_{n}"] for n in body.coordinates}
        place, velocity = (np.array(body.placed(x).point(c)).T for x in (run, rates))
        total = total + spin + m * np.cross(place, velocity)
    turned = axle.value(run)[-1]
    assert np.max(np.abs(total)) < 1e-11  # no torque from outside
    assert turned > 0.1
    assert np.isclose(run.kinetic[-1], 0.05 * turned, rtol=1e-9)  # the work of the motor


def test_a_spring_keeps_the_energy_and_a_damper_takes_its_power():
    body = lopsided()
    ends = (mb.GROUND, (0, 0, 2), body, C2)
    free = mb.Mechanism("hung", [body], forces=[mb.Spring("spring", *ends, stiffness=40.0, length=0.8)])
    pose = body.pose((0.2, 0.1, 0.3), velocity=(0.2, -0.3, 0.5), angular_velocity=(1, 2, -1))
    run = quiet(free.system, *free.state(pose), 3.0)
    assert np.ptp(run.energy) < 1e-9 * np.max(run.kinetic)
    apart = np.array(free.forces[0].apart(run))
    stretch = np.linalg.norm(apart, axis=0) - 0.8
    gravity = 1.3 * 9.81 * np.array(body.centre_of(run))[2]
    assert np.allclose(run.potential, gravity + 20.0 * stretch**2, rtol=1e-12, atol=1e-12)
    damped = mb.Mechanism("hung", [body], forces=[mb.Spring("spring", *ends, stiffness=40.0, length=0.8, damping=3.0)])
    q, v = damped.state(pose)
    step = g.accelerate(damped.system, q, v)
    d = np.array(damped.forces[0].apart(damped.named(q)))
    rate = np.array(body.placed(damped.named(v)).point(C2))
    M = damped.system.model.terms(q, v, 0.0, damped.system.theta()).M
    plain = g.accelerate(free.system, q, v).a
    lost = v @ M @ (step.a - plain)  # rigid rows do no work
    assert np.isclose(lost, -3.0 * (rate @ d) ** 2 / (d @ d), rtol=1e-10)


def test_forces_in_the_plane_and_on_rods_do_the_work_that_they_should():
    bar = mb.PlanarBody("bar", 2.0, 0.3, centre=(0.4, 0.1))
    driven = mb.Mechanism(
        "bar",
        [bar],
        forces=[mb.Torque("twist", bar, 0.7), mb.PointForce("push", bar, (1, 0), (0, 3.0), "body")],
        gravity=(0, 0),
    )
    phi, w = 0.6, 1.4
    q, v = driven.state(bar.pose((1, 2), phi, (0.3, -0.2), w))
    a = g.accelerate(driven.system, q, v).acceleration
    second = (0.7 + 0.6 * 3.0) / 0.3  # moment about the mass centre
    n, t = np.array([np.cos(phi), np.sin(phi)]), np.array([-np.sin(phi), np.cos(phi)])
    assert np.allclose([a.bar_c, a.bar_s], second * t - w**2 * n, rtol=1e-12)
    centre = np.array([a.bar_x, a.bar_y]) + 0.4 * (second * t - w**2 * n) + 0.1 * (-second * n - w**2 * t)
    assert np.allclose(centre, 3.0 * t / 2.0, rtol=1e-11)
    rod = mb.Rod("rod", mb.rod(3.0, (0, 0, -1), (0, 0, 1)))
    torque = np.array([0.3, -0.5, 0.8])
    turned = mb.Mechanism("rod", [rod], forces=[mb.Torque("twist", rod, torque)], gravity=(0, 0, 0))
    u = np.array([0.6, 0.0, 0.8])
    a = g.accelerate(turned.system, *turned.state(rod.pose(direction=u))).a
    assert np.allclose(a[3:], np.cross(torque - (torque @ u) * u, u), rtol=1e-12)  # J = 1 kg m²


# ------------------------------------------------------------------ rolling


@pytest.mark.parametrize("kind", ["ball", "disc"])
def test_rolling_bodies_have_the_accelerations_and_forces_of_newton_and_euler(kind):
    m, r = 2.0, 0.3
    slope = np.array([0.1, -0.3, 1.0]) / np.linalg.norm([0.1, -0.3, 1.0])
    if kind == "ball":
        body = mb.Body("ball", mb.Inertia.of_tensor(m, 0.4 * m * r**2 * np.array([1.0, 1.1, 0.9])))
        rolling = mb.RollingBall("floor", body, r, normal=slope)
        contact = lambda R: -r * slope + 0.0 * R[0]  # noqa: E731
    else:
        body = mb.Body("disc", mb.disc(m, r, normal=X))
        rolling = mb.RollingDisc("floor", body, r, normal=slope, axis=X)

        def contact(R):
            e = R @ X
            return -r * (slope - (slope @ e) * e) / np.sqrt(1 - (slope @ e) ** 2)

    held = mb.Mechanism("rolling", [body], [rolling])
    q, _ = held.state(body.pose(r * slope, mb.about(np.cross(Z, slope), np.arccos(slope[2]))))
    for state in random_states(held.system, q, None, 0.0, 6, 2, spread=0.4).states:
        named, rates = held.named(state.q), held.named(state.v)
        R, omega = mb.nearest(matrix_of(body, named)), np.array(body.angular_velocity(named, rates))
        rows = [point_rows(R, omega, contact)]
        answer = euler_newton(m, body.inertia.central_tensor, omega, m * WEIGHT, rows=rows)
        step = g.accelerate(held.system, state.q, state.v)
        scale = 9.81 + float(np.max(np.abs(answer.s_ddot))) + float(np.max(np.abs(answer.Omega_dot)))
        assert np.max(np.abs(origin_of(body, step.acceleration) - answer.s_ddot)) < 1e-10 * scale
        R_ddot = R @ (hat(answer.Omega_dot) + hat(omega) @ hat(omega))
        assert np.max(np.abs(matrix_of(body, step.acceleration) - R_ddot)) < 1e-10 * scale
        u, w = across(tuple(slope))
        normal, friction = step.multiplier("floor touches"), [step.multiplier(f"floor rolls[{k}]") for k in (0, 1)]
        assert np.allclose(
            [normal, *friction], [answer.force @ slope, answer.force @ u, answer.force @ w], atol=1e-10 * m * scale
        )


@pytest.mark.long
def test_a_knife_edge_in_the_plane_is_chaplygins_skater():
    blade = mb.PlanarBody("skate", 1.0, 1.0)
    skater = mb.Mechanism("skater", [blade], [mb.KnifeEdge("no side slip", blade, (0, 0), (0, 1))], gravity=(1.0, 0.0))
    w = 2.0
    run = quiet(skater.system, *skater.state(blade.pose(rate=w)), 6.0)
    exact = (1 - np.cos(2 * w * run.t)) / (4 * w**2)
    assert np.max(np.abs(run["skate_x"] - exact)) < 1e-10
    assert not [c.name for c in g.crosscheck(run) if not c.holds]


# ------------------------------------------------------------------ what else is done with a mechanism


def test_a_mechanism_is_linearized_saved_and_shown_as_any_system(tmp_path):
    bob = mb.Body("bob", mb.Inertia.of_tensor(1.5, [0.3, 0.2, 0.1], centre=(0, 0, -0.7)))
    hinge = mb.Revolute("hinge", mb.GROUND, (0, 0, 0), bob, (0, 0, 0), Y)
    pendulum = mb.Mechanism("pendulum", [bob], [hinge])
    q, v = pendulum.state(bob.pose())
    modes = g.linearize(pendulum.system, q, v).eigenvalues
    assert np.allclose(np.abs(modes.imag), np.sqrt(1.5 * 9.81 * 0.7 / (0.2 + 1.5 * 0.49)), rtol=1e-9)
    assert np.max(np.abs(modes.real)) < 1e-9
    run = quiet(pendulum.system, *pendulum.state(bob.pose(rotation=mb.about(Y, 0.5))), 1.0)
    run.save(tmp_path / "pendulum.nc")
    again = g.Trajectory.load(tmp_path / "pendulum.nc")
    assert np.array_equal(hinge.value(again), hinge.value(run))
    assert repr(pendulum) == "Mechanism('pendulum': bodies bob (Body); joints hinge (Revolute))"


def test_a_hinge_driven_by_a_row_in_time_needs_the_torque_of_its_inertia():
    wheel, alpha = mb.Body("w", mb.cylinder(2.0, 0.3, 0.1)), 1.7  # rad/s²
    axle = mb.Revolute("axle", mb.GROUND, (0, 0, 0), wheel, (0, 0, 0), Z)
    drive = g.Holonomic("drive", lambda q, t: q.w_R21 * g.cos(alpha * t**2 / 2) - q.w_R11 * g.sin(alpha * t**2 / 2))
    driven = mb.Mechanism("driven", [wheel], [axle], constraints=[drive])
    run = quiet(driven.system, *driven.state(wheel.pose()), 1.5)
    assert np.max(np.abs(axle.value(run) - alpha * run.t**2 / 2)) < 1e-11
    assert np.allclose(run["drive"], 2.0 * 0.3**2 / 2 * alpha, rtol=1e-10)


def test_forces_name_parameters_and_time():
    ball = mb.Particle("ball", 0.5)
    push = mb.PointForce("push", ball, (0, 0, 0), lambda t, p: [p.F * t, 0.0, 0.0])
    pushed = mb.Mechanism("pushed", [ball], forces=[push], gravity=(0, 0, 0), parameters={"F": 3.0})
    for F, system in ((3.0, pushed.system), (7.0, pushed.system.with_parameters(F=7.0))):
        run = quiet(system, *pushed.state(ball.pose()), 2.0)
        assert np.max(np.abs(run["ball_x"] - F * run.t**3 / 3)) < 1e-10


@pytest.mark.long
@pytest.mark.parametrize("kind", ["universal", "ball"])
def test_the_cross_check_holds_at_random_states(kind):
    body = lopsided()
    joint = mb.RollingBall("floor", body, 0.6) if kind == "ball" else JOINTS[kind][0](body)
    held = mb.Mechanism(kind, [body], [joint])
    pose = body.pose((0, 0, 0.6)) if kind == "ball" else body.pose(np.array([1, 2, 3]) - TURNED @ C2, TURNED)
    claims = g.analysis.crosscheck_states(held.system, *held.state(pose), count=4, spread=0.3)
    assert len(claims) >= 5
    assert any("Boltzmann" in c.name for c in claims) == (kind == "ball")
    assert not [c.name for c in claims if not c.holds]


# ------------------------------------------------------------------ input that cannot be used

BODY, OTHER = lopsided("one"), lopsided("two")
FLAT = mb.PlanarBody("flat", 1.0, 0.1)
BAR = mb.Rod("bar", mb.rod(1.0, (0, 0, 0), (0, 0, 1)))
MECHANISM = mb.Mechanism("pair", [BODY, OTHER])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: mb.Body("two words", mb.sphere(1, 1)), "not a name|one word"),
        (lambda: mb.Body(3, mb.sphere(1, 1)), "needs a name"),
        (lambda: mb.Body("a", 1.0), "Inertia"),
        (lambda: mb.Body("a", mb.rod(1, (0, 0, 0), (0, 0, 1))), "use Rod"),
        (lambda: mb.Body("a", mb.point(1)), "use Particle"),
        (lambda: mb.Rod("a", mb.sphere(1, 1)), "use Body"),
        (lambda: mb.Rod("a", mb.rod(1, (0, 0.1, 0), (0, 0.1, 1))), "origin"),
        (lambda: mb.Rod("a", mb.point(1)), "use Particle"),
        (lambda: mb.Particle("a", -1.0), "positive"),
        (lambda: mb.PlanarBody("a", 1.0, 0.0), "moment of inertia"),
        (lambda: mb.PlanarBody("a", 1.0, 1.0, (1, 2, 3)), "2 finite numbers"),
        (lambda: BODY.pose(rotation=np.diag([1, 1, -1.0])), "reflection"),
        (lambda: BODY.pose(position=(0, 0)), "position of 'one'"),
        (lambda: BODY.pose(angular_velocity=(0, 0, np.nan)), "angular velocity"),
        (lambda: BODY.pose(axes="world"), "body"),
        (lambda: mb.Spherical("", BODY, (0, 0, 0), OTHER, (0, 0, 0)), "needs a name"),
        (lambda: mb.Spherical("a", BODY, (0, 0, 0), BODY, (0, 0, 0)), "with itself"),
        (lambda: mb.Spherical("a", BODY, (0, 0, 0), "two", (0, 0, 0)), "acts on a Body"),
        (lambda: mb.Spherical("a", BODY, (0, 0), OTHER, (0, 0, 0)), "point 1"),
        (lambda: mb.Spherical("a", mb.GROUND, (0, 0), FLAT, (0, 0)), "use Pin"),
        (lambda: mb.Pin("a", BODY, (0, 0, 0), OTHER, (0, 0, 0)), "in the plane"),
        (lambda: mb.Spherical("a", BODY, (0, 0, 0), FLAT, (0, 0)), "in space and one in the plane"),
        (lambda: mb.Revolute("a", BODY, (0, 0, 0), OTHER, (0, 0, 0), (0, 0, 0)), "zero vector"),
        (lambda: mb.Revolute("a", BODY, (0, 0, 0), BAR, (0, 0, 0)), "use Body"),
        (lambda: mb.Universal("a", BODY, (0, 0, 0), OTHER, (0, 0, 0), X), "axis1 and axis2"),
        (lambda: mb.Spherical("a", BODY, (0, 0, 0), BAR, (0.1, 0, 0.5)), "does not lie on the axis"),
        (lambda: mb.Distance("a", BODY, (0, 0, 0), OTHER, (0, 0, 0)), "length"),
        (lambda: mb.Spring("a", BODY, (0, 0, 0), OTHER, (0, 0, 0), stiffness=-1), "negative"),
        (lambda: mb.Spring("a", BODY, (0, 0, 0), FLAT, (0, 0), stiffness=1), "in space and one in the plane"),
        (lambda: mb.PointForce("a", BODY, (0, 0, 0), (0, 1)), "3 finite numbers"),
        (lambda: mb.Torque("a", BODY, 1.0), "3 finite numbers"),
        (lambda: mb.RollingBall("a", FLAT, 1.0), "only a Body"),
        (lambda: mb.RollingBall("a", BODY, 0.0), "radius"),
        (
            lambda: mb.Prismatic("rail", mb.GROUND, (0, 0, 0), BODY, (0, 0, 0), (1, 0, 0)),
            r"orientation of the joint 'rail' is a matrix \(3, 3\), got \(1, 0, 0\); an axis is given as axis1=",
        ),
        (lambda: mb.Mechanism("a", []), "no bodies"),
        (lambda: mb.Mechanism("a", 3), "must be a list"),
        (lambda: mb.Mechanism("a", [BODY, lopsided("one")]), "several bodies called one"),
        (lambda: mb.Mechanism("a", [BODY, FLAT]), "in space and in the plane"),
        (
            lambda: mb.Mechanism("a", [BODY], [mb.KnifeEdge("b", BODY, (0, 0, 0), axis) for axis in np.eye(3)[:2]]),
            "several joints called b",
        ),
        (lambda: mb.Mechanism("a", [BODY], [mb.Spherical("b", BODY, (0, 0, 0), OTHER, (0, 0, 0))]), "'two'"),
        (lambda: mb.Mechanism("a", [BODY], [BODY]), "joints, but one is a Body. Bodies are the second argument"),
        (
            lambda: mb.Mechanism("a", [BODY], [], [mb.Spherical("b", mb.GROUND, (0, 0, 0), BODY, (0, 0, 0))]),
            "forces, but one is a Spherical. Joints, .* are the third argument",
        ),
        (lambda: mb.Mechanism("a", [BODY], gravity=(0, -9.81)), "gravity"),
        (lambda: MECHANISM.state(BODY.pose()), "no pose of two"),
        (lambda: MECHANISM.state(BODY.pose(), BODY.pose(), OTHER.pose()), "several poses of one"),
        (lambda: MECHANISM.state(BODY.pose(), OTHER.pose(), FLAT.pose()), "unknown bodies flat"),
        (lambda: MECHANISM.state(BODY), "body.pose"),
        (lambda: MECHANISM.multiplier_matrix(None, BAR), "Λ belongs"),
        (lambda: MECHANISM.multiplier_matrix(None, BODY), "a Verdict of"),
        (lambda: mb.PointForce("push", "one", (0, 0, 0), (0, 0, 0)), "'push' acts on"),
        (lambda: mb.Torque("twist", None, (0, 0, 0)), "'twist' acts on"),
        (lambda: mb.Torque("twist", BODY, (0, 0, 1), reaction=3), "'twist' acts on"),
        (lambda: mb.KnifeEdge("skate", mb.Body, (0, 0, 0), (0, 1, 0)), "'skate' acts on"),
        (lambda: mb.KnifeEdge("skate", BODY, (0, 0, 0), (0, 0, 0)), "zero vector"),
        (lambda: mb.Spring("spring", BODY, (0, 0, 0), 2, (0, 0, 0), stiffness=1), "'spring' acts on"),
        (
            lambda: mb.Mechanism("a", [mb.Particle("p", 1)], forces=[mb.Torque("t", mb.Particle("p", 1), (0, 0, 1))]),
            "'p'",
        ),
    ],
)
def test_bad_input_gets_one_clear_error(make, words):
    with pytest.raises(g.errors.InputError, match=words):
        make()


def test_a_force_of_the_wrong_size_names_itself():
    push = mb.PointForce("push", BODY, (0, 0, 0), lambda t: [t, 0.0])
    with pytest.raises(g.errors.GaussError, match=r"push.*2 components, expected 3"):
        mb.Mechanism("a", [BODY], forces=[push]).system  # noqa: B018


def test_lengths_in_millimetres_with_gravity_in_metres_give_a_warning():
    def arm(scale):
        return mb.Body("arm", mb.box(2.0, (300.0 * scale, 40.0 * scale, 40.0 * scale)))

    with pytest.warns(g.errors.ImplausibleWarning, match=r"'arm' in 'crane' have 4\.2e-06 kg/m³: are lengths in mm"):
        mb.Mechanism("crane", [arm(1.0)])
    mb.Mechanism("crane", [arm(1.0)], gravity=(0, 0, -9810))  # all of it is in mm
    mb.Mechanism("crane", [arm(1e-3)])
    mb.Mechanism("crane", [mb.Rod("arm", mb.rod(2.0, (0, 0, 0), (300, 0, 0)))])  # a thread may be as long
