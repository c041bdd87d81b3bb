"""Newton's and Euler's equations with unknown reactions, against Gauss's principle in coordinates and closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import gauss as g
from gauss import scenario as scenarios
from gauss.errors import InputError, MassMatrixError, SolverError
from gauss.formulations import RigidBody, boltzmann_hamel, euler_newton, point_rows, spin_row
from gauss.formulations.euler_newton import hat, rotation_matrix

EPS = float(np.finfo(float).eps)
GRAVITY = 9.81
X, Y, Z = np.eye(3)


def equal(value, expected, scale=1.0, cond=1.0):
    """Agreement to a hundred rounding errors of the largest term, amplified by a condition number."""
    size = max(float(np.max(np.abs(expected), initial=0.0)), scale)
    return np.max(np.abs(np.asarray(value) - expected), initial=0.0) <= 100.0 * EPS * cond * size


def turn(axis, angle):
    """Rotation about a fixed axis (Rodrigues), for complex angles too."""
    K = hat(axis)
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K)


def orientation(axes, angles):
    """Product of elementary rotations, body to space."""
    R = np.eye(3)
    for axis, angle in zip(axes, angles, strict=True):
        R = R @ turn(axis, angle)
    return R


def spin(axes, angles, rates):
    """Angular velocity in body axes of that product: each rate about its axis, seen from the body."""
    Omega = np.zeros(3)
    for axis, angle, rate in zip(axes, angles, rates, strict=True):
        Omega = turn(axis, angle).T @ Omega + axis * rate
    return Omega


def spin_rate(axes, angles, rates, accelerations):
    """Its rate, by one complex step along the motion."""
    h = 1e-30
    angles, rates, accelerations = (np.array(x, dtype=float) for x in (angles, rates, accelerations))
    return spin(axes, angles + 1j * h * rates, rates + 1j * h * accelerations).imag / h


@pytest.mark.parametrize("seed", range(3))
def test_the_helpers_of_this_file_are_consistent(seed):
    rng = np.random.default_rng(seed)
    axes, angles, rates = (Z, X, Y, Z), rng.normal(size=4), rng.normal(size=4)
    R = orientation(axes, angles + 1j * 1e-30 * rates)
    assert equal(R.real.T @ (R.imag / 1e-30), hat(spin(axes, angles, rates)))
    assert equal(rotation_matrix(R.real), R.real)


# --- one body without contact ---------------------------------------------------------------------------------

INERTIA = (0.4, 0.7, 0.9)


@pytest.mark.parametrize("seed", range(5))
def test_a_driven_free_body_agrees_with_gauss_and_boltzmann_hamel_in_euler_angles(seed):
    rng = np.random.default_rng(seed)
    axes, moment, force = (Z, X, Z), rng.normal(size=3), rng.normal(size=3)
    angles, rates = np.array([0.3, 1.2, -0.5]) + 0.3 * rng.normal(size=3), rng.normal(size=3)

    def body_spin(q, v):
        return [
            v[0] * g.sin(q[1]) * g.sin(q[2]) + v[1] * g.cos(q[2]),
            v[0] * g.sin(q[1]) * g.cos(q[2]) - v[1] * g.sin(q[2]),
            v[0] * g.cos(q[1]) + v[2],
        ]

    W = np.array([body_spin(angles, e) for e in np.eye(3)]).T
    system = g.System(
        "body in Euler angles",
        coordinates="a b c",
        kinetic_energy=lambda q, v: 0.5 * sum(J * w**2 for J, w in zip(INERTIA, body_spin(q, v), strict=True)),
        force=list(W.T @ moment),
    )
    answer = euler_newton(2.0, INERTIA, spin(axes, angles, rates), force, moment)
    by_gauss = spin_rate(axes, angles, rates, g.accelerate(system, list(angles), list(rates)).a)
    cond = np.linalg.cond(W) ** 2 * 3.0
    scale = 1.0 + float(rates @ rates) + np.max(np.abs(moment)) / min(INERTIA)
    assert equal(answer.Omega_dot, by_gauss, scale, cond)
    assert equal(answer.s_ddot, force / 2.0)
    body = RigidBody(
        2.0, INERTIA, lambda q, v, t: 0 * v, lambda q, v, t: body_spin(q, v), moment=lambda q, v, t: moment
    )
    rows = boltzmann_hamel(body, lambda q, t: np.array([body_spin(q, e) for e in np.eye(3)]).T, angles, W @ rates)
    assert equal(answer.Omega_dot, rows.omega_dot, scale, cond)


def test_inertia_may_be_a_full_matrix():
    rng = np.random.default_rng(1)
    R, Omega, moment = orientation((Z, X, Z), [0.3, 0.8, 1.1]), rng.normal(size=3), rng.normal(size=3)
    principal = euler_newton(1.0, INERTIA, Omega, moment=moment)
    turned = euler_newton(1.0, R @ np.diag(INERTIA) @ R.T, R @ Omega, moment=R @ moment)
    assert equal(turned.Omega_dot, R @ principal.Omega_dot, 10.0)


# --- a heavy top ----------------------------------------------------------------------------------------------

MASS = 1.3


@pytest.mark.parametrize("seed", range(5))
def test_a_heavy_asymmetric_top_agrees_with_gauss_in_euler_angles(seed):
    rng = np.random.default_rng(seed)
    axes, c = (Z, X, Z), np.array([0.1, -0.2, 0.5])
    angles, rates = np.array([0.3, 1.2, -0.5]) + 0.3 * rng.normal(size=3), 2.0 * rng.normal(size=3)
    about_point = np.diag(INERTIA) + MASS * (c @ c * np.eye(3) - np.outer(c, c))

    def body_spin(q, v):
        return [
            v[0] * g.sin(q[1]) * g.sin(q[2]) + v[1] * g.cos(q[2]),
            v[0] * g.sin(q[1]) * g.cos(q[2]) - v[1] * g.sin(q[2]),
            v[0] * g.cos(q[1]) + v[2],
        ]

    def kinetic(q, v):
        w = body_spin(q, v)
        return 0.5 * sum(about_point[i, j] * w[i] * w[j] for i in range(3) for j in range(3))

    def height(q):
        up = [g.sin(q[1]) * g.sin(q[2]), g.sin(q[1]) * g.cos(q[2]), g.cos(q[1])]  # e_z in body axes
        return MASS * GRAVITY * sum(a * b for a, b in zip(c, up, strict=True))

    system = g.System("heavy top", coordinates="a b c", kinetic_energy=kinetic, potential_energy=height)
    R, Omega = orientation(axes, angles), spin(axes, angles, rates)
    joint = point_rows(R, Omega, lambda turned: -turned @ c)
    answer = euler_newton(MASS, INERTIA, Omega, -MASS * GRAVITY * Z, rows=[joint])
    by_gauss = spin_rate(axes, angles, rates, g.accelerate(system, list(angles), list(rates)).a)
    W = np.array([spin(axes, angles, e) for e in np.eye(3)]).T
    cond = np.linalg.cond(W) ** 2 * np.linalg.cond(about_point)
    scale = float(rates @ rates) + GRAVITY
    assert equal(answer.Omega_dot, by_gauss, scale, cond)
    centre = R @ (np.cross(by_gauss, c) + np.cross(Omega, np.cross(Omega, c)))
    assert equal(answer.s_ddot, centre, scale, cond)
    assert equal(answer.force, MASS * (centre + GRAVITY * Z), MASS * scale, cond)
    assert equal(answer.moment, np.cross(-c, R.T @ answer.force), MASS * scale, cond)


def test_a_lagrange_top_precesses_steadily():
    length, polar, axial, theta, precession = 0.4, 0.3, 0.2, 0.7, 1.9
    about_point = polar + MASS * length**2
    # A p² cos θ − C n p + mgl = 0 for the spin n of steady precession p
    n = (about_point * precession**2 * np.cos(theta) + MASS * GRAVITY * length) / (axial * precession)
    R = orientation((Z, X, Z), [0.4, theta, 1.1])
    omega = precession * Z + (n - precession * np.cos(theta)) * (R @ Z)
    joint = point_rows(R, R.T @ omega, lambda turned: -length * turned @ Z)
    answer = euler_newton(MASS, (polar, polar, axial), R.T @ omega, -MASS * GRAVITY * Z, rows=[joint])
    assert equal(R @ answer.Omega_dot, np.cross(precession * Z, omega), 10.0 * float(omega @ omega))
    orbit = precession**2 * np.cross(Z, np.cross(Z, length * (R @ Z)))
    assert equal(answer.s_ddot, orbit, 10.0 * float(omega @ omega))


# --- rolling --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_the_rolling_ball_agrees_with_gauss(seed):
    scenario, rng = scenarios.load("rolling_ball"), np.random.default_rng(seed)
    r, m = 0.3, 2.0
    _, _, alpha, beta, gamma = q = np.array([0.0, 0.0, *rng.uniform(0.6, 2.5, 3)])
    eta = rng.normal(size=2)
    rolled = r * (eta[0] * np.sin(beta) * np.array([np.sin(gamma), -np.cos(gamma)]))
    rolled = rolled + r * eta[1] * np.array([np.cos(gamma), np.sin(gamma)])
    v = np.array([*rolled, *eta, -eta[0] * np.cos(beta)])
    a = g.accelerate(scenario.system, list(q), list(v)).a
    axes, angles, rates = (Z, X, -Y, -Z), [gamma, np.pi, beta, alpha], [v[4], 0.0, v[3], v[2]]
    R, Omega = orientation(axes, angles), spin(axes, angles, rates)
    rows = [point_rows(R, Omega, lambda turned: -r * Z + 0.0 * turned[0]), spin_row(R, Omega, lambda turned: Z + 0j)]
    answer = euler_newton(m, [0.4 * m * r**2] * 3, Omega, -m * GRAVITY * Z, rows=rows)
    scale, cond = 1.0 + float(v @ v), 1.0 / np.sin(beta) ** 4
    assert equal(answer.s_ddot, [*a[:2], 0.0], scale, cond)
    assert equal(answer.Omega_dot, spin_rate(axes, angles, rates, [a[4], 0.0, a[3], a[2]]), scale, cond)
    assert equal(answer.reactions, [0.0, 0.0, m * GRAVITY, 0.0], m * GRAVITY)


@pytest.mark.parametrize("seed", range(5))
def test_the_ball_on_a_turntable_agrees_with_gauss_and_its_friction_too(seed):
    scenario, rng = scenarios.load("ball_on_turntable"), np.random.default_rng(seed)
    m, r, inertia, table = (scenario.system.parameters[name] for name in ("m", "r", "I", "Omega"))
    place, omega = rng.normal(size=2), 5.0 * rng.normal(size=3)
    v = np.array([r * omega[1] - table * place[1], -r * omega[0] + table * place[0]])
    step = g.accelerate(scenario.system, [*place, 0.0, 0.0, 0.0], [*v, *omega])
    R = orientation((Z, X, Z), rng.uniform(0.3, 2.0, 3))
    row = point_rows(R, R.T @ omega, lambda turned: -r * Z + 0j, acceleration=table * np.array([-v[1], v[0], 0.0]))
    answer = euler_newton(m, [inertia] * 3, R.T @ omega, -m * GRAVITY * Z, rows=[row])
    scale = float(omega @ omega)
    assert equal(answer.s_ddot, [*step.a[:2], 0.0], scale)
    assert equal(R @ answer.Omega_dot, step.a[2:], scale)
    assert equal(answer.reactions[:2], [step.multiplier("rolling[0]"), step.multiplier("rolling[1]")], m * scale)
    n = table / (1.0 + m * r**2 / inertia)
    assert equal(answer.s_ddot, [-n * v[1], n * v[0], 0.0], scale)


@pytest.mark.parametrize("seed", range(5))
def test_the_vertical_wheel_agrees_with_gauss_and_its_reactions_too(seed):
    scenario, rng = scenarios.load("rolling_wheel"), np.random.default_rng(seed)
    m, r = (scenario.system.parameters[name] for name in ("m", "r"))
    heading, angle, (omega, eta) = *rng.uniform(-3.0, 3.0, 2), 2.0 * rng.normal(size=2)
    v = np.array([eta * r * np.cos(heading), eta * r * np.sin(heading), omega, eta])
    step = g.accelerate(scenario.system, [0.0, 0.0, heading, angle], list(v))
    axes, angles, rates = (Z, Y), [heading, angle], [omega, eta]  # the axle is the second axis, to the left
    R, Omega = orientation(axes, angles), spin(axes, angles, rates)
    rows = [
        point_rows(R, Omega, lambda turned: -r * Z + 0j),
        spin_row(R, Omega, lambda turned: np.cross(turned @ Y, Z)),  # upright: no rotation about the heading
    ]
    answer = euler_newton(m, m * r**2 * np.array([0.25, 0.5, 0.25]), Omega, -m * GRAVITY * Z, rows=rows)
    scale = 1.0 + float(v @ v)
    assert equal(answer.s_ddot, [*step.a[:2], 0.0], scale, 10.0)
    assert equal(answer.Omega_dot, spin_rate(axes, angles, rates, step.a[2:]), scale / r, 10.0)
    across, along = step.multiplier("no side slip"), step.multiplier("no lengthwise slip")
    side, ahead = np.array([np.sin(heading), -np.cos(heading), 0.0]), np.array([np.cos(heading), np.sin(heading), 0.0])
    assert equal(answer.reactions[:3], across * side + along * ahead + m * GRAVITY * Z, m * scale + m * GRAVITY, 10.0)
    assert equal(across, -m * eta * r * omega, m * scale)


DISC = {"m": 1.4, "r": 0.35}
EULER = (Z, Y, Z)  # α − π/2, β − π/2, γ of TM § 9.1.4


def leaning_disc():
    """The tilted wheel of TM § 9.1.4: x, y of the contact, heading, lean and rotation."""
    m, r = DISC["m"], DISC["r"]
    I1, I3 = m * r**2 / 4, m * r**2 / 2

    def kinetic(q, v):
        sa, ca, sb, cb = g.sin(q.a), g.cos(q.a), g.sin(q.b), g.cos(q.b)
        x_dot = v.x + r * v.a * ca * sb + r * v.b * sa * cb
        y_dot = v.y + r * v.a * sa * sb - r * v.b * ca * cb
        rotation = 0.5 * I1 * (v.a**2 * cb**2 + v.b**2) + 0.5 * I3 * (v.a * sb + v.c) ** 2
        return rotation + 0.5 * m * (x_dot**2 + y_dot**2 + (r * v.b * sb) ** 2)

    def rolling(q):
        return [[g.sin(q.a), -g.cos(q.a), 0.0, 0.0, 0.0], [g.cos(q.a), g.sin(q.a), 0.0, 0.0, -r]]

    return g.System(
        "leaning disc",
        coordinates="x y a b c",
        kinetic_energy=kinetic,
        potential_energy=lambda q: m * GRAVITY * r * g.cos(q.b),
        constraints=[g.Pfaffian("rolling", rolling)],
    )


def lowest_point(turned):
    """From the centre of the disc to its lowest point."""
    axis = turned @ Z
    up = Z - axis[2] * axis
    return -DISC["r"] * up / np.sqrt(up @ up)


def disc_by_newton(q, v):
    """Newton's and Euler's answer for the disc, with its orientation and spin."""
    m, r = DISC["m"], DISC["r"]
    angles, rates = [q[2] - np.pi / 2, q[3] - np.pi / 2, q[4]], v[2:]
    R, Omega = orientation(EULER, angles), spin(EULER, angles, rates)
    rows = [point_rows(R, Omega, lowest_point)]
    return euler_newton(m, m * r**2 * np.array([0.25, 0.25, 0.5]), Omega, -m * GRAVITY * Z, rows=rows), angles, rates


def centre_velocity(q, v):
    r = DISC["r"]
    sa, ca, sb, cb = np.sin(q[2]), np.cos(q[2]), np.sin(q[3]), np.cos(q[3])
    return np.array(
        [
            v[0] + r * v[2] * ca * sb + r * v[3] * sa * cb,
            v[1] + r * v[2] * sa * sb - r * v[3] * ca * cb,
            -r * v[3] * sb,
        ]
    )


@pytest.mark.parametrize("seed", range(8))
def test_the_leaning_disc_agrees_with_gauss(seed):
    rng = np.random.default_rng(seed)
    q = np.array([0.0, 0.0, *rng.uniform(-1.0, 1.0, 3)])
    turning, leaning, rolling = 2.0 * rng.normal(size=3)
    v = np.array([*DISC["r"] * rolling * np.array([np.cos(q[2]), np.sin(q[2])]), turning, leaning, rolling])
    step = g.accelerate(leaning_disc(), list(q), list(v))
    answer, angles, rates = disc_by_newton(q, v)
    scale, cond = float(v @ v) + GRAVITY / DISC["r"], 10.0 / np.cos(q[3]) ** 2
    assert equal(answer.Omega_dot, spin_rate(EULER, angles, rates, step.a[2:]), scale, cond)
    centre = centre_velocity(q + 1j * 1e-30 * v, v + 1j * 1e-30 * step.a).imag / 1e-30
    assert equal(answer.s_ddot, centre, scale, cond)
    # the horizontal part of the contact force is the reaction of the two Pfaffian rows
    across, along = step.multiplier("rolling[0]"), step.multiplier("rolling[1]")
    sa, ca = np.sin(q[2]), np.cos(q[2])
    friction = [across * sa + along * ca, -across * ca + along * sa]
    assert equal(answer.reactions[:2], friction, DISC["m"] * scale, cond)


@pytest.mark.parametrize("seed", range(8))
def test_the_leaning_disc_agrees_with_boltzmann_hamel_too(seed):
    rng = np.random.default_rng(seed)
    m, r = DISC["m"], DISC["r"]
    q, omega = np.array([0.0, 0.0, *rng.uniform(-1.0, 1.0, 3)]), 2.0 * rng.normal(size=3)
    body = RigidBody(  # symmetric, so axes that do not rotate with the disc (node, up in its plane, axle) are principal
        m,
        (m * r**2 / 4, m * r**2 / 4, m * r**2 / 2),
        lambda q, v, t: centre_velocity(q, v),
        lambda q, v, t: [v[3], v[2] * np.cos(q[3]), v[2] * np.sin(q[3]) + v[4]],
        force=lambda q, v, t: -m * GRAVITY * Z,
    )

    def alpha(q, t):
        sa, ca = np.sin(q[2]), np.cos(q[2])
        return np.vstack([np.eye(5)[2:], [[sa, -ca, 0.0, 0.0, 0.0], [ca, sa, 0.0, 0.0, -r]]])

    equations = boltzmann_hamel(body, alpha, q, omega)
    step = g.accelerate(leaning_disc(), list(q), list(equations.v))
    answer, angles, rates = disc_by_newton(q, equations.v)
    scale, cond = float(equations.v @ equations.v) + GRAVITY / r, 10.0 / np.cos(q[3]) ** 2
    assert equal(equations.a, step.a, scale, cond)
    assert equal(answer.Omega_dot, spin_rate(EULER, angles, rates, equations.a[2:]), scale, cond)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_disc_runs_steadily_in_a_circle_where_gravity_balances_it(sign):
    """β̈ = 0 asks for gravity with the sign of L, not with the one printed last in TM § 9.1.4 (misprint)."""
    m, r, lean, turning = DISC["m"], DISC["r"], 0.4, 1.7
    I1, I3 = m * r**2 / 4, m * r**2 / 2
    # (mr² + I₁) β̈ = (mr² + I₃) γ̇α̇ cos β + (mr² + I₃ − I₁) α̇² sin β cos β + sign·mgr sin β
    known = (m * r**2 + I3 - I1) * turning**2 * np.sin(lean) * np.cos(lean) + sign * m * GRAVITY * r * np.sin(lean)
    rolling = -known / ((m * r**2 + I3) * turning * np.cos(lean))
    q, v = np.array([0.0, 0.0, 0.3, lean, 0.2]), np.zeros(5)
    v[:2], v[2], v[4] = r * rolling * np.array([np.cos(0.3), np.sin(0.3)]), turning, rolling
    answer, angles, rates = disc_by_newton(q, v)
    steady = spin_rate(EULER, angles, rates, np.zeros(3))
    scale = float(v @ v) + GRAVITY / r
    assert equal(answer.Omega_dot, steady, scale, 10.0) == (sign > 0.0)
    assert equal(answer.reactions[2], m * GRAVITY, m * scale, 10.0) == (sign > 0.0)


# --- what is refused ------------------------------------------------------------------------------------------


def test_dependent_reactions_are_refused():
    joint = point_rows(np.eye(3), Z, lambda turned: turned @ X)
    with pytest.raises(SolverError, match="dependent"):
        euler_newton(1.0, INERTIA, Z, rows=[joint, joint])


def test_bad_numbers_are_refused():
    with pytest.raises(MassMatrixError, match="positive definite"):
        euler_newton(1.0, (1.0, 0.0, 1.0), Z)
    with pytest.raises(MassMatrixError, match="symmetric"):
        euler_newton(1.0, np.eye(3) + np.diag([0.1, 0.1], 1), Z)
    with pytest.raises(InputError, match="mass"):
        euler_newton(-1.0, INERTIA, Z)
    with pytest.raises(InputError, match="Omega"):
        euler_newton(1.0, INERTIA, [1.0, 2.0])
    with pytest.raises(InputError, match="orthogonal"):
        point_rows(2.0 * np.eye(3), Z, lambda turned: turned @ X)
    with pytest.raises(InputError, match="orthogonal"):
        spin_row(np.diag([1.0, 1.0, -1.0]), Z, lambda turned: turned @ X)
    with pytest.raises(InputError, match="point returns 2"):
        point_rows(np.eye(3), Z, lambda turned: (turned @ X)[:2])
    with pytest.raises(InputError, match="axis returns 1"):
        spin_row(np.eye(3), Z, lambda turned: turned[0, 0])
