"""Points on surfaces and curves, and rolling on planes and surfaces: against closed forms, Newton and Euler."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, minimize

import gauss as g
from gauss import bodies as mb
from gauss.analysis import random_states
from gauss.formulations import euler_newton, point_rows
from gauss.geometry import gradient_of

EPS = float(np.finfo(float).eps)
X, Y, Z = np.eye(3)
G = 9.81
WEIGHT = np.array([0.0, 0.0, -G])


def hat(w):
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def matrix_of(body, values):
    return np.array([[values[f"{body.name}_R{i}{j}"] for j in (1, 2, 3)] for i in (1, 2, 3)], dtype=float)


def origin_of(body, values):
    return np.array([values[f"{body.name}_{x}"] for x in "xyz"], dtype=float)


def quiet(system, q, v, t_end, **options):
    return g.simulate(system, q, v, t_end=t_end, progress="none", **{"rtol": 1e-11, "atol": 1e-12} | options)


def lopsided(name="body", mass=1.3):
    axes = mb.euler("zyx", 0.3, -0.5, 0.8)
    return mb.Body(name, mb.Inertia.of_tensor(mass, [0.4, 0.6, 0.7], centre=(0.1, -0.2, 0.3), axes=axes))


def ball_of(mass, radius, name="ball"):
    return mb.Body(name, mb.sphere(mass, radius))


# ------------------------------------------------------------------ surfaces

TILTED = (1.0, 2.0, -2.0)
SURFACES = {
    "plane": mb.PlaneSurface((0.1, 0.2, 0.3), TILTED),
    "sphere": mb.SphericalSurface((0.1, -0.2, 0.3), 0.8),
    "bowl": mb.SphericalSurface((0.1, -0.2, 0.3), 2.8, inside=True),
    "cylinder": mb.CylindricalSurface((0.1, 0.2, 0.3), TILTED, 0.4),
    "tube": mb.CylindricalSurface((0.1, 0.2, 0.3), TILTED, 1.4, inside=True),
    "cone": mb.ConicalSurface((0.1, 0.2, 0.3), TILTED, 0.5),
    "funnel": mb.ConicalSurface((0.1, 0.2, 0.3), TILTED, 0.5, inside=True),
    "torus": mb.ToroidalSurface((0.1, 0.2, 0.3), TILTED, 0.9, 0.2),
    "pipe": mb.ToroidalSurface((0.1, 0.2, 0.3), TILTED, 0.9, 0.2, inside=True),
}


@pytest.mark.parametrize("name", SURFACES)
def test_the_value_of_a_surface_is_its_distance_and_its_gradient_the_normal(name):
    surface, rng = SURFACES[name], np.random.default_rng(4)
    for _ in range(4):
        x = rng.normal(size=3)
        if name in ("cone", "funnel"):  # whose φ is the distance on the side of the flank only
            x = np.array(surface.point) + 2 * np.array(surface.axis) + 0.3 * x
        normal = np.array(surface.gradient(x))
        slope = [surface.value(x + 1e-30j * e).imag / 1e-30 for e in np.eye(3)]
        assert np.allclose(normal, slope, rtol=0, atol=1e-13)
        assert np.isclose(np.linalg.norm(normal), 1.0, rtol=1e-13)
        # a distance, as its foot is on the surface and the normal there is the same
        foot = x - surface.value(x) * normal
        assert abs(surface.value(foot)) < 1e-13
        assert np.allclose(surface.gradient(foot), normal, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "point"),
    [
        ("sphere", np.array([0.1, -0.2, 0.3]) + 0.8 * np.array([2, 1, 2]) / 3),
        ("cylinder", np.array([0.1, 0.2, 0.3]) + 3 * np.array([1, 2, -2]) / 3 + 0.4 * np.array([2, 1, 2]) / 3),
        ("cone", np.array([0.1, 0.2, 0.3]) + np.array([1, 2, -2]) / 3 + np.tan(0.5) * np.array([2, 1, 2]) / 3),
        ("torus", np.array([0.1, 0.2, 0.3]) + 0.2 * np.array([1, 2, -2]) / 3 + 0.9 * np.array([2, 1, 2]) / 3),
    ],
)
def test_surfaces_are_where_their_sizes_say(name, point):
    assert abs(SURFACES[name].value(point)) < 1e-15


def test_gradients_of_any_function_are_found_for_numbers_arrays_and_complex_steps():
    functions = [
        lambda x, y, z: x**4 + 0.1234567890123456 * y**3 * z - g.sin(x * y) / (2.0 + z**2),
        lambda x, y, z: g.sqrt(x**2 + 2 * y**2 + 3 * z**2) ** 5 - g.exp(-x * z) * g.atan2(y, x),
        lambda x, y, z: g.hypot(x, y) - g.cosh(z) + g.pi * x + (x * x + y * y) ** 1.25 - 1 / (x * x + 1) ** 2,
    ]
    rng = np.random.default_rng(3)
    for function in functions:
        gradient = gradient_of(function, 3)
        for x in rng.uniform(0.3, 1.2, (3, 3)):
            slope = [function(*(x + 1e-30j * e)).imag / 1e-30 for e in np.eye(3)]
            assert np.allclose(gradient(*map(float, x)), slope, rtol=1e-13, atol=1e-13)
            second = np.array([[part.imag / 1e-30 for part in gradient(*(x + 1e-30j * e))] for e in np.eye(3)])
            assert np.max(np.abs(second - second.T)) < 1e-11 * np.max(np.abs(second))  # and its own derivatives
        points = rng.uniform(0.3, 1.2, (3, 5))
        along = np.array(gradient(*points))
        assert np.allclose(along[:, 2], gradient(*points[:, 2]), rtol=1e-14)


# ------------------------------------------------------------------ points on surfaces and curves


def test_a_particle_on_a_sphere_is_the_spherical_pendulum_with_its_force():
    m, l = 0.4, 2.0
    bob = mb.Particle("bob", m)
    for surface in (
        mb.SphericalSurface((0, 0, 2), l, inside=True),
        lambda x, y, z: x**2 + y**2 + (z - 2.0) ** 2 - l**2,  # not a distance: λ|∇φ| is the force
    ):
        joint = mb.PointOnSurface("bowl", mb.GROUND, surface, bob, (0, 0, 0))
        held = mb.Mechanism("pendulum", [bob], [joint])
        place, velocity = np.array([1.2, 0.0, 0.4]), np.array([0.4, 1.0, 0.3])
        arm = place - [0, 0, 2]
        velocity = velocity - (velocity @ arm) * arm / 4
        step = g.accelerate(held.system, *held.state(bob.pose(place, velocity)))
        exact = WEIGHT - (WEIGHT @ arm + velocity @ velocity) * arm / 4
        assert np.max(np.abs(step.a - exact)) < 1e-13 * np.max(np.abs(exact))
        assert np.allclose(joint.force(step), m * (exact - WEIGHT), rtol=1e-12, atol=1e-13)


def test_a_bead_on_a_turning_hoop_leaves_the_bottom_as_its_equation_says():
    m, radius, rate = 0.3, 0.5, 7.0
    hoop, bead = mb.Body("hoop", mb.ring(1.0, radius, normal=Y)), mb.Particle("bead", m)
    axle = mb.Revolute("axle", mb.GROUND, (0, 0, 0), hoop, (0, 0, 0), Z)
    wire = mb.PointOnCurve(
        "wire", hoop, (mb.SphericalSurface((0, 0, 0), radius, inside=True), lambda x, y, z: y), bead, (0, 0, 0)
    )
    parts = [axle, mb.Driver("drive", axle, lambda t: rate * t), wire]
    held = mb.Mechanism("hoop", [hoop, bead], parts)
    start = 0.2
    place = radius * np.array([np.sin(start), 0.0, -np.cos(start)])
    q, v = held.state(hoop.pose(angular_velocity=rate * Z), bead.pose(place, (0, rate * place[0], 0)))
    run = quiet(held.system, q, v, 2.0)

    def bead_in_hoop(t, y):
        return [y[1], (rate**2 * np.cos(y[0]) - G / radius) * np.sin(y[0])]

    exact = solve_ivp(bead_in_hoop, (0, 2.0), [start, 0.0], "DOP853", t_eval=run.t, rtol=1e-12, atol=1e-13).y[0]
    x, _, z = np.array(wire.place(run))
    assert np.max(np.abs(np.arctan2(x, -z) - exact)) < 1e-8
    assert np.max(exact) > 1.5
    push = np.array([run[f"dd_bead_{c}"] for c in "xyz"]) - WEIGHT[:, None]
    assert np.allclose(wire.force(run), m * push, rtol=0, atol=1e-8)


def test_a_bead_on_a_curve_in_space_moves_by_the_equation_of_its_parameter():
    bead = mb.Particle("bead", 0.7)
    # Viviani's curve r(s) = (1 + cos s, sin s, 2 sin ½s): a sphere of radius 2 and a cylinder
    wire = mb.PointOnCurve(
        "wire",
        mb.GROUND,
        [mb.SphericalSurface((0, 0, 0), 2.0), mb.CylindricalSurface((1, 0, 0), (0, 0, 1), 1.0)],
        bead,
        (0, 0, 0),
    )
    held = mb.Mechanism("bead", [bead], [wire])
    for s, rate in ((0.7, 1.3), (2.0, -0.4), (-1.1, 2.0)):
        r = np.array([1 + np.cos(s), np.sin(s), 2 * np.sin(s / 2)])
        first = np.array([-np.sin(s), np.cos(s), np.cos(s / 2)])
        second = np.array([-np.cos(s), -np.sin(s), -np.sin(s / 2) / 2])
        rate_of_rate = (WEIGHT @ first - first @ second * rate**2) / (first @ first)
        step = g.accelerate(held.system, *held.state(bead.pose(r, rate * first)))
        exact = first * rate_of_rate + second * rate**2
        assert np.max(np.abs(step.a - exact)) < 1e-12 * np.max(np.abs(exact))
        assert np.allclose(wire.force(step), 0.7 * (exact - WEIGHT), rtol=1e-11, atol=1e-12)


def test_a_point_of_a_plane_body_slides_on_a_parabola_and_on_a_curve_of_another_body():
    m = 0.9
    block = mb.PlanarBody("block", m, 0.1)
    joint = mb.PointOnCurve("track", mb.GROUND, lambda x, y: y - 0.5 * x**2, block, (0, 0))
    held = mb.Mechanism("block", [block], [joint])
    x, rate = 0.8, -1.2
    step = g.accelerate(held.system, *held.state(block.pose((x, x**2 / 2), velocity=(rate, x * rate))))
    exact = -(x * rate**2 + G * x) / (1 + x**2)
    assert np.isclose(step.acceleration.block_x, exact, rtol=1e-12)
    assert np.allclose(joint.force(step), m * np.add(step.a[:2], [0, G]), rtol=1e-12)
    # the same on a body that a driver turns and holds at an angle
    table = mb.PlanarBody("table", 5.0, 1.0)
    pin = mb.Pin("pin", mb.GROUND, (0, 0), table, (0, 0))
    track = mb.PointOnCurve("track", table, lambda x, y: y - 0.5 * x**2, block, (0, 0))
    moving = mb.Mechanism("moving", [table, block], [pin, mb.Driver("d", pin, 0.6), track])
    turn = np.array([[np.cos(0.6), -np.sin(0.6)], [np.sin(0.6), np.cos(0.6)]])
    place, along = turn @ [x, x**2 / 2], turn @ [1.0, x]
    step = g.accelerate(moving.system, *moving.state(table.pose(angle=0.6), block.pose(place, velocity=rate * along)))
    exact = (-along @ [0, G] - x * rate**2) / (1 + x**2)
    found = turn.T @ [step.acceleration.block_x, step.acceleration.block_y]
    assert np.allclose(found, [exact, x * exact + rate**2], rtol=1e-11)


# ------------------------------------------------------------------ rolling on a plane

SLOPE = np.array([0.1, -0.3, 1.0]) / np.linalg.norm([0.1, -0.3, 1.0])
AXES = mb.euler("xyz", 0.4, 0.2, -0.3)
SEMI = np.array([0.9, 0.5, 0.7])
CENTRE = np.array([0.05, 0.02, -0.1])
AXIS = np.array([2.0, -1.0, 2.0]) / 3.0
STRETCH = AXES @ np.diag(SEMI**2) @ AXES.T


def lowest_of_ellipsoid(n):
    return CENTRE - STRETCH @ n / np.sqrt(n @ STRETCH @ n)


def lowest_of_torus(n):
    flat = n - (n @ AXIS) * AXIS
    return CENTRE - 0.6 * flat / np.sqrt(flat @ flat) - 0.2 * n


PLANES = {
    "ellipsoid": (
        lambda body: mb.RollingEllipsoid("floor", body, SEMI, CENTRE, SLOPE, (0.1, 0.2, 0.3), axes=AXES),
        lowest_of_ellipsoid,
    ),
    "torus": (
        lambda body: mb.RollingTorus("floor", body, 0.6, 0.2, CENTRE, SLOPE, (0.1, 0.2, 0.3), axis=AXIS),
        lowest_of_torus,
    ),
}


def rolling_states(joint, body, count=4):
    """A mechanism of one body on the floor, and random states of it."""
    held = mb.Mechanism("rolling", [body], [joint])
    q, v = held.state(body.pose((0.1, 0.2, 1.1), mb.about(X, 0.3)))
    start = g.consistent(held.system, q, v).q
    return held, random_states(held.system, start, None, 0.0, count, 2, spread=0.4).states


@pytest.mark.parametrize("name", PLANES)
def test_convex_bodies_roll_with_the_accelerations_and_forces_of_newton_and_euler(name):
    body = lopsided()
    make, lowest = PLANES[name]
    joint = make(body)
    held, states = rolling_states(joint, body)
    for state in states:
        named, rates = held.named(state.q), held.named(state.v)
        R, omega = mb.nearest(matrix_of(body, named)), np.array(body.angular_velocity(named, rates))
        rows = [point_rows(R, omega, lambda R: R @ (lowest(R.T @ SLOPE) - body.inertia.centre))]
        answer = euler_newton(1.3, body.inertia.central_tensor, omega, 1.3 * WEIGHT, rows=rows)
        step = g.accelerate(held.system, state.q, state.v)
        R_ddot = R @ (hat(answer.Omega_dot) + hat(omega) @ hat(omega))
        scale = G + np.max(np.abs(R_ddot))
        assert np.max(np.abs(matrix_of(body, step.acceleration) - R_ddot)) < 1e-10 * scale
        centre = origin_of(body, step.acceleration) + R_ddot @ body.inertia.centre
        assert np.max(np.abs(centre - answer.s_ddot)) < 1e-10 * scale
        assert np.max(np.abs(joint.force(step) - answer.force)) < 1e-10 * scale
        assert np.isclose(step.multiplier("floor touches"), answer.force @ SLOPE, rtol=1e-10)
        assert np.max(np.abs(joint.slip(named, rates))) < 1e-12
        assert np.allclose(joint.contact(named), origin_of(body, named) + R @ lowest(R.T @ SLOPE), atol=1e-12)
        assert np.max(np.abs(state.v)) > 0.1


@pytest.mark.parametrize("name", PLANES)
def test_the_lowest_point_of_a_body_is_the_lowest_of_its_surface(name):
    body = lopsided()
    joint = PLANES[name][0](body)
    rng = np.random.default_rng(1)
    e1, e2 = np.linalg.svd(AXIS[None])[2][1:]

    def surface(a, b):  # a point of the surface from two angles
        if name == "ellipsoid":
            return CENTRE + AXES @ (SEMI * [np.sin(a) * np.cos(b), np.sin(a) * np.sin(b), np.cos(a)])
        outward = np.cos(b) * e1 + np.sin(b) * e2
        return CENTRE + (0.6 + 0.2 * np.cos(a)) * outward + 0.2 * np.sin(a) * AXIS

    for _ in range(3):
        R, place = mb.about(rng.normal(size=3), rng.uniform(0, 3)), rng.normal(size=3)
        named = body.pose(place, R).q
        grid = [(a, b) for a in np.linspace(0, 2 * np.pi, 24) for b in np.linspace(0, 2 * np.pi, 24)]

        def height(x, R=R, place=place):
            return SLOPE @ (place + R @ surface(*x) - [0.1, 0.2, 0.3])

        found = minimize(height, min(grid, key=height), method="BFGS", options={"gtol": 1e-9})
        assert np.isclose(joint.height(named), found.fun, rtol=0, atol=1e-12)
        assert np.allclose(joint.contact(named), place + R @ surface(*found.x), rtol=0, atol=1e-6)


def test_a_rolling_ellipsoid_keeps_its_energy_does_not_slip_and_stays_on_the_floor():
    body = mb.Body(
        "egg", mb.ellipsoid(1.5, (0.3, 0.2, 0.25)) + mb.Inertia.of_second(0.2, np.diag([0.001, 0.002, 0.001]))
    )
    joint = mb.RollingEllipsoid("floor", body, (0.3, 0.2, 0.25))
    held = mb.Mechanism("egg", [body], [joint])
    q, v = held.state(body.pose((0, 0, 0.3), mb.about(Y, 0.4), angular_velocity=(1.0, 0.5, 6.0)))
    start = g.consistent(held.system, q, v)
    run = quiet(held.system, start.q, start.v, 2.0)
    assert np.ptp(run.energy) < 1e-8 * run.kinetic.max()
    assert np.max(np.abs(joint.slip(run, mb.rates_of(run)))) < 1e-11
    assert np.max(np.abs(joint.height(run))) < 1e-12
    assert np.ptp(np.array(joint.contact(run))[0]) > 0.1


def test_an_ellipsoid_with_equal_axes_is_a_ball_and_a_thin_torus_a_disc_and_a_thick_one_a_ball():
    body = lopsided()
    ball = mb.RollingBall("floor", body, 0.7, CENTRE, SLOPE)
    disc = mb.RollingDisc("floor", body, 0.7, CENTRE, SLOPE, axis=AXIS)
    cases = [
        (ball, mb.RollingEllipsoid("floor", body, (0.7, 0.7, 0.7), CENTRE, SLOPE), 1e-12),
        (disc, mb.RollingTorus("floor", body, 0.7, 1e-9, CENTRE, SLOPE, axis=AXIS), 1e-7),
        (ball, mb.RollingTorus("floor", body, 1e-9, 0.7, CENTRE, SLOPE, axis=AXIS), 1e-7),
    ]
    for one, other, error in cases:
        held, states = rolling_states(one, body, 2)
        same = mb.Mechanism("other", [body], [other])
        for state in states:
            moved = g.consistent(same.system, state.q, state.v)  # by 1e-9 m at most
            a, b = g.accelerate(held.system, state.q, state.v), g.accelerate(same.system, moved.q, moved.v)
            assert np.max(np.abs(a.a - b.a)) < error * np.max(np.abs(a.a))
            assert np.allclose(one.force(a), other.force(b), rtol=0, atol=error * 100)


# ------------------------------------------------------------------ rolling on what moves


@pytest.mark.long
@pytest.mark.parametrize("kind", ["plane", "surface"])
def test_a_ball_on_a_turntable_goes_in_circles_with_two_sevenths_of_its_rate(kind):
    r, rate = 0.1, 2.1
    table, ball = mb.Body("table", mb.disc(3.0, 1.0)), ball_of(0.4, r)
    axle = mb.Revolute("axle", mb.GROUND, (0, 0, 0), table, (0, 0, 0))
    if kind == "plane":
        rolling = mb.RollingBall("roll", ball, r, carrier=table)
    else:
        rolling = mb.RollingOnSurface("roll", ball, r, mb.PlaneSurface(), carrier=table)
    held = mb.Mechanism("turntable", [table, ball], [axle, mb.Driver("drive", axle, lambda t: rate * t), rolling])
    place, velocity = np.array([0.3, 0.1, r]), np.array([0.2, -0.1, 0.0])
    # contact: velocity − r ω × z = rate z × place, so ω = z × (velocity − rate z × place)/r and any spin about z
    omega = np.cross(Z, velocity - rate * np.cross(Z, place)) / r + 0.7 * Z
    q, v = held.state(
        table.pose(angular_velocity=rate * Z), ball.pose(place, velocity=velocity, angular_velocity=omega)
    )
    run = quiet(held.system, q, v, 2.0)
    w = 2 * rate / 7
    z, v0 = 0.3 + 0.1j, 0.2 - 0.1j
    exact = z + v0 * (np.exp(1j * w * run.t) - 1.0) / (1j * w)
    assert np.max(np.abs(run["ball_x"] + 1j * run["ball_y"] - exact)) < 1e-8
    friction = rolling.force(run)
    assert np.allclose(friction[0] + 1j * friction[1], 0.4 * 1j * w * v0 * np.exp(1j * w * run.t), atol=1e-8)
    assert np.allclose(friction[2], 0.4 * G, rtol=1e-9)
    assert np.max(np.abs(rolling.slip(run, mb.rates_of(run)))) < 1e-11


@pytest.mark.long
@pytest.mark.parametrize("kind", ["ball on ball", "ellipsoid on plate"])
def test_two_free_bodies_that_roll_on_each_other_keep_momenta_and_energy(kind):
    carrier, ball = lopsided("carrier", 2.0), lopsided("rolling", 0.7)
    if kind == "ball on ball":
        surface = mb.SphericalSurface((0.1, 0.0, 0.2), 0.8)
        joint = mb.RollingOnSurface("roll", ball, 0.3, surface, CENTRE, carrier=carrier)
    else:
        joint = mb.RollingEllipsoid("roll", ball, SEMI, CENTRE, SLOPE, (0, 0, 0.2), axes=AXES, carrier=carrier)
    held = mb.Mechanism("two", [carrier, ball], [joint], gravity=(0, 0, 0))
    q, v = held.state(
        carrier.pose(angular_velocity=(0.3, -0.2, 0.5)), ball.pose((0.2, 0.1, 1.3), angular_velocity=(1.0, 0.5, -2.0))
    )
    start = g.consistent(held.system, q, v)
    run = quiet(held.system, start.q, start.v, 0.5)
    rates, spin, momentum = mb.rates_of(run), 0.0, 0.0
    for body in (carrier, ball):
        m, c = body.inertia.mass, body.inertia.centre
        R = np.array([[run[f"{body.name}_R{i}{j}"] for j in (1, 2, 3)] for i in (1, 2, 3)])
        omega = np.array(body.angular_velocity(run, rates))
        place, velocity = (np.array(body.placed(x).point(c)) for x in (run, rates))
        momentum = momentum + m * velocity
        turning = np.einsum("ijn,jk,kn->in", R, body.inertia.central_tensor, omega)
        spin = spin + turning + m * np.cross(place.T, velocity.T).T
    assert np.ptp(run.energy) < 1e-9 * run.energy[0]
    assert np.max(np.abs(momentum - momentum[:, :1])) < 1e-9
    assert np.max(np.abs(spin - spin[:, :1])) < 1e-9
    assert np.max(np.abs(joint.slip(run, rates))) < 1e-11
    assert np.max(np.abs(joint.force(run))) > 0.1


# ------------------------------------------------------------------ a ball on a surface


def test_a_ball_rolls_off_a_sphere_where_the_cosine_is_ten_seventeenths_of_the_first():
    R, r, start = 1.0, 0.25, 0.2
    ball = ball_of(0.6, r)
    joint = mb.RollingOnSurface("roll", ball, r, mb.SphericalSurface((0, 0, 0), R))
    held = mb.Mechanism("dome", [ball], [joint])
    place = (R + r) * np.array([np.sin(start), 0, np.cos(start)])
    run = quiet(held.system, *held.state(ball.pose(place)), 1.6)
    force = run["roll touches"]
    k = int(np.argmax(force < 0.0))
    assert k > 0
    leaving = brentq(lambda t: run.at([t])["roll touches"][0], run.t[k - 1], run.t[k], xtol=1e-12)
    x, z = (run.at([leaving])[f"ball_{c}"][0] for c in "xz")
    assert np.isclose(z / np.hypot(x, z), 10 / 17 * np.cos(start), rtol=0, atol=1e-9)
    angle = np.arctan2(run["ball_x"], run["ball_z"])
    assert np.allclose(force, 0.6 * G * (17 * np.cos(angle) - 10 * np.cos(start)) / 7, rtol=0, atol=1e-8)


def test_a_ball_in_an_upright_tube_goes_up_and_down_with_root_two_sevenths_of_its_round():
    R, r, rate = 1.0, 0.2, 6.0
    ball, a = ball_of(0.6, r), R - r
    joint = mb.RollingOnSurface("roll", ball, r, mb.CylindricalSurface((0, 0, 0), Z, R, inside=True))
    held = mb.Mechanism("tube", [ball], [joint])
    # contact at rest: velocity + ω × r x = 0 with velocity rate a y gives ω_z = −rate a/r, and no spin about x
    q, v = held.state(ball.pose((a, 0, 0), velocity=(0, rate * a, 0), angular_velocity=(0, 0, -rate * a / r)))
    run = quiet(held.system, q, v, 4.0)
    w = np.sqrt(2 / 7) * rate
    depth = 5 * G / 7 / w**2
    assert np.max(np.abs(run["ball_z"] + depth * (1 - np.cos(w * run.t)))) < 1e-8
    assert np.allclose(run["ball_x"] + 1j * run["ball_y"], a * np.exp(1j * rate * run.t), atol=1e-8)
    assert np.allclose(run["roll touches"], 0.6 * a * rate**2, rtol=1e-8)
    friction = joint.force(run)[2]
    assert np.allclose(friction, 0.6 * (run["dd_ball_z"] + G), atol=1e-8)


def ball_by_newton(m, r, omega, n, n_dot):
    """a, ω̇ and the force of a homogeneous ball, centre velocity = r ω × n kept, from nine linear equations."""
    inertia = 0.4 * m * r**2
    A, b = np.zeros((9, 9)), np.zeros(9)
    A[:3, :3], A[:3, 6:], b[:3] = m * np.eye(3), -np.eye(3), m * WEIGHT
    A[3:6, 3:6], A[3:6, 6:] = inertia * np.eye(3), r * hat(n)  # J ω̇ = −r n × F
    A[6:, :3], A[6:, 3:6], b[6:] = np.eye(3), r * hat(n), r * np.cross(omega, n_dot)  # a + r n × ω̇ = r ω × ṅ
    return np.linalg.solve(A, b)


def paraboloid(x, y, z):
    return z - 0.5 * x**2 - 0.25 * y**2


@pytest.mark.parametrize("kind", ["paraboloid", "funnel", "torus"])
def test_a_ball_on_a_curved_surface_has_the_accelerations_of_newton(kind):
    m, r = 0.6, 0.15
    ball = ball_of(m, r)
    if kind == "paraboloid":
        joint = mb.RollingOnSurface("roll", ball, r, paraboloid, of_centres=True)

        def normal(c):
            off = np.array([-c[0], -c[1] / 2, 1.0 + 0 * c[0]])
            return off / np.sqrt(off @ off)

        place = np.array([0.5, -0.3, paraboloid(0.5, -0.3, 0.0) * -1])
    else:
        axis = np.array([0.0, 0.6, 0.8])
        surface = {
            "funnel": mb.ConicalSurface((0, 0, 0), axis, 0.7, inside=True),
            "torus": mb.ToroidalSurface((0, 0, 0), axis, 0.9, 0.3),
        }[kind]
        joint = mb.RollingOnSurface("roll", ball, r, surface)

        def normal(c):
            rho = c - (c @ axis) * axis
            rho = rho / np.sqrt(rho @ rho)
            if kind == "funnel":
                return -np.cos(0.7) * rho + np.sin(0.7) * axis
            off = c - 0.9 * rho
            return off / np.sqrt(off @ off)

        place = np.array([0.7, 0.3, 0.9])
    held = mb.Mechanism(kind, [ball], [joint])
    start = g.consistent(held.system, *held.state(ball.pose(place)))
    for state in random_states(held.system, start.q, None, 0.0, 4, 2, spread=0.2).states:
        named, rates = held.named(state.q), held.named(state.v)
        c, velocity = origin_of(ball, named), origin_of(ball, rates)
        omega = np.array(ball.angular_velocity(named, rates, "space"))
        n, n_dot = normal(c), normal(c + 1e-30j * velocity).imag / 1e-30
        assert np.max(np.abs(velocity - r * np.cross(omega, n))) < 1e-11 * (1 + np.max(np.abs(velocity)))
        exact = ball_by_newton(m, r, omega, n, n_dot)
        step = g.accelerate(held.system, state.q, state.v)
        scale = G + np.max(np.abs(exact[:3]))
        assert np.max(np.abs(origin_of(ball, step.acceleration) - exact[:3])) < 1e-10 * scale
        assert np.max(np.abs(joint.force(step) - exact[6:])) < 1e-10 * m * scale
        assert np.isclose(step.multiplier("roll touches"), exact[6:] @ n, rtol=1e-9, atol=1e-10)
        assert np.allclose(joint.contact(named), c - r * n, atol=1e-12)
        assert np.max(np.abs(velocity)) > 0.05


def test_the_surface_of_centres_of_a_sphere_is_a_larger_sphere():
    ball = ball_of(0.6, 0.2)
    joints = [
        mb.RollingOnSurface("roll", ball, 0.2, mb.SphericalSurface((0, 0, 0), 1.0)),
        mb.RollingOnSurface("roll", ball, 0.2, lambda x, y, z: x**2 + y**2 + z**2 - 1.44, of_centres=True),
        mb.RollingOnSurface("roll", ball, 0.2, mb.SphericalSurface((0, 0, 0), 1.2), of_centres=True),
    ]
    held = [mb.Mechanism("dome", [ball], [joint]) for joint in joints]
    place = 1.2 * np.array([2.0, 1.0, 2.0]) / 3
    omega = np.array([0.5, -1.0, 2.0])
    q, v = held[0].state(ball.pose(place, velocity=0.2 * np.cross(omega, place / 1.2), angular_velocity=omega))
    steps = [g.accelerate(m.system, q, v) for m in held]
    for joint, step in zip(joints[1:], steps[1:]):
        assert np.max(np.abs(step.a - steps[0].a)) < 1e-12 * np.max(np.abs(steps[0].a))
        assert np.allclose(joint.force(step), joints[0].force(steps[0]), rtol=1e-11)


@pytest.mark.parametrize("upright", [None, (0, 1, 0)])
def test_tangents_are_orthonormal_and_right_handed_wherever_the_normal_is(upright):
    ball = ball_of(0.6, 0.2)
    joint = mb.RollingOnSurface("roll", ball, 0.2, mb.SphericalSurface((0, 0, 0), 1.0), upright=upright)
    for direction in np.vstack([np.eye(3)[:2], -np.eye(3)[0], np.random.default_rng(2).normal(size=(4, 3))]):
        frame = np.array(joint.frame(ball.pose(1.2 * direction / np.linalg.norm(direction)).q), dtype=float)
        assert np.allclose(frame @ frame.T, np.eye(3), rtol=0, atol=1e-13)
        assert np.isclose(np.linalg.det(frame), 1.0, rtol=1e-13)
        assert np.allclose(frame[2], direction / np.linalg.norm(direction), atol=1e-14)


@pytest.mark.long
def test_the_cross_check_holds_for_a_rolling_ellipsoid():
    body = ball_of(0.6, 0.2)
    held = mb.Mechanism("rolling", [body], [mb.RollingEllipsoid("floor", body, (0.2, 0.25, 0.3))])
    claims = g.analysis.crosscheck_states(held.system, *held.state(body.pose((0, 0, 0.3))), count=2, spread=0.2)
    assert any("Boltzmann" in c.name for c in claims)
    assert not [c.name for c in claims if not c.holds]


# ------------------------------------------------------------------ input that cannot be used

BODY, FLAT = lopsided("one"), mb.PlanarBody("flat", 1.0, 0.1)
BAR, DOT = mb.Rod("bar", mb.rod(1.0, (0, 0, 0), (0, 0, 1))), mb.Particle("dot", 1.0)


def hollow(kind, *given):
    return kind(*given, inside=True)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: mb.PlaneSurface(normal=(0, 0, 0)), "zero vector"),
        (lambda: mb.SphericalSurface((0, 0), 1.0), "centre of the sphere"),
        (lambda: mb.SphericalSurface((0, 0, 0), -1.0), "radius of the sphere"),
        (lambda: mb.CylindricalSurface((0, 0, 0), (0, 0, 0), 1.0), "axis of the CylindricalSurface"),
        (lambda: mb.CylindricalSurface((0, 0, 0), (0, 0, 1), 0.0), "radius of the cylinder"),
        (lambda: mb.ConicalSurface((0, 0, 0), (0, 0, 1), 2.0), "half angle"),
        (lambda: mb.ToroidalSurface((0, 0, 0), (0, 0, 1), 0.2, 0.3), "less than the major"),
        (lambda: mb.ImplicitSurface(3.0), "a function of x, y, z"),
        (lambda: mb.ImplicitSurface(paraboloid, gradient_function=2), "the gradient of"),
        (lambda: mb.ImplicitSurface(lambda x, y: x).gradient((1.0, 2.0, 3.0)), "takes 3 numbers"),
        (lambda: mb.ImplicitSurface(lambda x, y, z: g.where(x > 0, x, y)).gradient((1.0, 2.0, 3.0)), "gradient"),
        (lambda: mb.PointOnSurface("a", mb.GROUND, 3.0, BODY, (0, 0, 0)), "'a' needs a surface"),
        (lambda: mb.PointOnSurface("a", mb.GROUND, mb.PlaneSurface, BODY, (0, 0, 0)), "'a' needs a surface"),
        (lambda: mb.PointOnSurface("a", mb.GROUND, paraboloid, FLAT, (0, 0)), "space and one in the plane"),
        (lambda: mb.PointOnSurface("a", BAR, paraboloid, BODY, (0, 0, 0)), "use Body"),
        (lambda: mb.PointOnSurface("a", BODY, paraboloid, BODY, (0, 0, 0)), "with itself"),
        (lambda: mb.PointOnSurface("", mb.GROUND, paraboloid, BODY, (0, 0, 0)), "needs a name"),
        (lambda: mb.PointOnCurve("a", mb.GROUND, paraboloid, DOT, (0, 0, 0)), "two surfaces"),
        (lambda: mb.PointOnCurve("a", mb.GROUND, [paraboloid, 3], DOT, (0, 0, 0)), "'a' needs a surface"),
        (lambda: mb.PointOnCurve("a", mb.GROUND, [paraboloid], FLAT, (0, 0)), "a function of x and y"),
        (lambda: mb.RollingBall("", BODY, 1.0), "needs a name"),
        (lambda: mb.RollingBall("a", BODY, 1.0, carrier=BODY), "rolls on itself"),
        (lambda: mb.RollingBall("a", BODY, 1.0, carrier=BAR), "on GROUND or on a Body"),
        (lambda: mb.RollingTorus("a", BODY, 0.0, 1.0), "major radius"),
        (lambda: mb.RollingTorus("a", BODY, 1.0, -1.0), "minor radius"),
        (lambda: mb.RollingEllipsoid("a", BODY, 1.0), "semi-axes"),
        (lambda: mb.RollingEllipsoid("a", BODY, (1.0, 0.0, 1.0)), "must be positive"),
        (lambda: mb.RollingEllipsoid("a", BODY, (1, 1, 1), axes=2 * np.eye(3)), "not orthogonal"),
        (lambda: mb.RollingOnSurface("a", BODY, 1.0, paraboloid), "of_centres=True"),
        (lambda: mb.RollingOnSurface("a", BODY, 1.0, 7), "'a' needs a surface"),
        (lambda: mb.RollingOnSurface("a", BODY, 1.0, mb.PlaneSurface(), upright=(0, 0, 0)), "zero vector"),
        (lambda: mb.RollingBall("a", BODY, 1.0).force(3), "a Verdict of"),
        (lambda: mb.rates_of(3), "a run of"),
        (lambda: mb.SphericalSurface((0, 0, 0), 1.0, "no"), "inside of a SphericalSurface must be True or False"),
        (lambda: mb.PointOnCurve("a", mb.GROUND, (mb.PlaneSurface(),) * 2, DOT, (0, 0, 0)), "both are one"),
        (lambda: mb.RollingOnSurface("a", BODY, 1.0, hollow(mb.SphericalSurface, (0, 0, 0), 1.0)), "must be smaller"),
        (lambda: mb.RollingOnSurface("a", BODY, 0.2, hollow(mb.ToroidalSurface, X * 0, Z, 1.0, 0.1)), "radius 0.1 m"),
        (lambda: mb.KnifeEdge(None, BODY, (0, 0, 0), (1, 0, 0)), "needs a name"),
        (lambda: mb.KnifeEdge("a", mb.GROUND, (0, 0, 0), (1, 0, 0)), "a Body or a PlanarBody"),
        (lambda: mb.KnifeEdge("a", DOT, (0, 0, 0), (1, 0, 0)), "a Body or a PlanarBody"),
    ],
)
def test_bad_input_gets_one_clear_error(make, words):
    with pytest.raises(g.errors.InputError, match=words):
        make()


@pytest.mark.parametrize(("given", "words"), [(lambda x, y, z: (0, 1), "2 components"), (lambda x, y, z: None, "None")])
def test_a_gradient_of_the_wrong_size_is_named(given, words):
    with pytest.raises(g.errors.ModelError, match=f"gradient of an implicit surface .*{words}"):
        mb.ImplicitSurface(paraboloid, gradient_function=given).gradient((1.0, 2.0, 3.0))
