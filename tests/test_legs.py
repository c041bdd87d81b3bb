"""Legs and massless links: closed forms of platforms, and the same mechanisms with rods as bodies."""

from __future__ import annotations

import numpy as np
import pytest

import gauss as g
from gauss import bodies as mb
from gauss.errors import InputError

KINDS = ("natural", "joint")
G = 9.81
WEIGHT = np.array([0.0, 0.0, -G])


def quiet(held, q, v, t_end, **options):
    return g.simulate(held, q, v, t_end=t_end, progress="none", **{"rtol": 1e-11, "atol": 1e-12} | options)


# ------------------------------------------------------------------ a platform in space on six legs

FEET = np.array([[np.cos(a), np.sin(a), 0.0] for a in np.radians([0, 60, 120, 180, 240, 300])])
CORNERS = 0.5 * np.array([[np.cos(a), np.sin(a), 0.0] for a in np.radians([20, 40, 140, 160, 260, 280])])
TOP = mb.Inertia.of_tensor(3.0, [0.2, 0.3, 0.4], centre=(0.02, -0.03, 0.05))


def pose_at(t, f=g):
    """Place and rotation, by rows, of the platform: turned about z by 0.2 sin 2t, then about x by 0.1 t."""
    x, y, z = 0.1 * f.sin(t), 0.05 * t, 1.0 + 0.1 * f.cos(3.0 * t)
    a, b = 0.2 * f.sin(2.0 * t), 0.1 * t
    (ca, sa), (cb, sb) = (f.cos(a), f.sin(a)), (f.cos(b), f.sin(b))
    return (x, y, z), ((ca, -sa * cb, sa * sb), (sa, ca * cb, -ca * sb), (0.0, sb, cb))


def leg_at(k, f=g):
    """The length of leg k by inverse kinematics, as a function of time."""

    def length(t):
        place, R = pose_at(t, f)
        d = [place[i] + sum(R[i][j] * CORNERS[k][j] for j in range(3)) - FEET[k][i] for i in range(3)]
        return f.sqrt(d[0] ** 2 + d[1] ** 2 + d[2] ** 2)

    return length


def platform(kind, forces=(), driven=True):
    top = mb.Body("top", TOP)
    legs = [mb.Distance(f"leg {k}", mb.GROUND, FEET[k], top, CORNERS[k], length=None) for k in range(6)]
    drives = [mb.Driver(f"drive {k}", leg, leg_at(k)) for k, leg in enumerate(legs)] if driven else []
    held = mb.Mechanism("platform", [top], [*legs, *drives], [force(legs) for force in forces], coordinates=kind)
    h = 1e-5
    (one, _), (two, _) = pose_at(h, np), pose_at(-h, np)
    place, R = pose_at(0.0, np)
    pose = top.pose(place, np.array(R), (np.array(one) - two) / (2 * h), (0.1, 0.0, 0.4), axes="space")
    return held, legs, held.state(pose)


@pytest.mark.parametrize("kind", KINDS)
def test_a_platform_on_six_driven_legs_moves_and_is_loaded_as_inverse_kinematics_and_newton_say(kind):
    held, _, (q, v) = platform(kind)
    run = quiet(held, q, v, 1.0)
    h = 2e-4
    for t in (0.3, 0.7, 0.95):
        now = run.at([t])
        place, R = (np.array(x) for x in pose_at(t, np))
        np.testing.assert_allclose(now["top.position"][0], place, atol=1e-8)
        np.testing.assert_allclose(now["top.rotation"][0], R, atol=1e-8)
        (before, R0), (after, R1) = ([np.array(x) for x in pose_at(t + s, np)] for s in (-h, h))
        spins = [axial((R1 - R) @ ((R1 + R) / 2).T / h), axial((R - R0) @ ((R + R0) / 2).T / h)]
        alpha, omega = (spins[0] - spins[1]) / h, (spins[0] + spins[1]) / 2
        c = R @ TOP.centre
        a = (after - 2 * place + before) / h**2 + np.cross(alpha, c) + np.cross(omega, np.cross(omega, c))
        J = R @ TOP.central_tensor @ R.T
        wanted = [*(TOP.mass * (a - WEIGHT)), *(J @ alpha + np.cross(omega, J @ omega))]
        pushes = np.zeros((6, 6))
        for k in range(6):
            corner = place + R @ CORNERS[k]
            along = (corner - FEET[k]) / np.linalg.norm(corner - FEET[k])
            pushes[:, k] = [*along, *np.cross(corner - place - c, along)]
        found = [now[f"drive {k}"][0] for k in range(6)]
        np.testing.assert_allclose(found, np.linalg.solve(pushes, wanted), atol=2e-5 * np.max(np.abs(found)))
        for k in range(6):
            assert abs(now[f"leg {k}.displacement"][0] - leg_at(k, np)(t)) < 1e-9
            assert (
                abs(now[f"d_leg {k}.displacement"][0] - (leg_at(k, np)(t + h) - leg_at(k, np)(t - h)) / (2 * h)) < 1e-6
            )


def axial(W):
    return np.array([W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]]) / 2


@pytest.mark.parametrize("kind", KINDS)
def test_cylinders_hold_a_platform_with_the_forces_of_statics(kind):
    held, legs, (q, v) = platform(kind, driven=False)
    found = mb.inverse_dynamics(held, q, 0.0 * v, dict.fromkeys(legs, 0.0))
    forces = [float(found.force(leg)) for leg in legs]
    pushes = np.zeros((6, 6))
    place, R = (np.array(x) for x in pose_at(0.0, np))
    for k in range(6):
        corner = place + R @ CORNERS[k]
        along = (corner - FEET[k]) / np.linalg.norm(corner - FEET[k])
        pushes[:, k] = [*along, *np.cross(corner - place - R @ TOP.centre, along)]
    np.testing.assert_allclose(forces, np.linalg.solve(pushes, [0, 0, TOP.mass * G, 0, 0, 0]), atol=1e-9)
    pushed = [lambda legs, k=k: mb.Motor(f"cylinder {k}", legs[k], forces[k]) for k in range(6)]
    still, _, _ = platform(kind, pushed, driven=False)
    assert max(map(abs, g.accelerate(still, q, 0.0 * v).acceleration)) < 1e-9


@pytest.mark.parametrize("kind", KINDS)
def test_a_spring_in_a_leg_is_the_spring_between_its_points(kind):
    as_joint = lambda legs: mb.JointSpring("s", legs[1], 400.0, 0.9, 7.0)  # noqa: E731
    as_force = lambda legs: mb.Spring("s", *ends_of(legs[1]), 400.0, 0.9, 7.0)  # noqa: E731
    pair = [platform(kind, [each], driven=False) for each in (as_joint, as_force)]
    one, two = (g.accelerate(held, *state).acceleration for held, _, state in pair)
    np.testing.assert_allclose(list(one), list(two), atol=1e-10)


def ends_of(leg):
    return leg.body1, leg.point1, leg.body2, leg.point2


@pytest.mark.parametrize("kind", KINDS)
def test_a_driven_leg_in_the_plane_is_the_chord_of_the_circle_of_its_end(kind):
    """A boom turns as ½t; the leg from (1, 0) to its end at distance 1 is the chord 2 sin(½ angle)."""
    boom = mb.PlanarBody("boom", 2.0, 0.3, centre=(0.5, 0.0))
    pin = mb.Pin("pin", mb.GROUND, (0, 0), boom, (0, 0))
    leg = mb.Distance("leg", mb.GROUND, (1, 0), boom, (1, 0), length=None)
    drive = mb.Driver("cylinder", leg, lambda t, p: 2.0 * g.sin(0.5 * (p.start + 0.5 * t)))
    held = mb.Mechanism("crane", [boom], [pin, leg, drive], parameters={"start": 0.6}, coordinates=kind)
    run = quiet(held, *held.state(boom.pose(angle=0.6, rate=0.5)), 2.0)
    angle = 0.6 + 0.5 * run.t
    np.testing.assert_allclose(run["boom.angle"], angle, atol=1e-9)
    torque = 2.0 * G * 0.5 * np.cos(angle)
    np.testing.assert_allclose(run["cylinder"], torque / np.cos(0.5 * angle), atol=1e-7)  # dl/dθ = cos ½θ
    assert held.system.units["cylinder"] == "m"


def test_legs_of_fixed_length_are_not_driven():
    boom = mb.PlanarBody("boom", 2.0, 0.3)
    leg = mb.Distance("leg", mb.GROUND, (1, 0), boom, (1, 0), length=0.5)
    with pytest.raises(InputError, match="length=None"):
        mb.Driver("cylinder", leg, 0.5)
    with pytest.raises(InputError, match="None leaves it free"):
        mb.Distance("leg", mb.GROUND, (1, 0), boom, (1, 0))


# ------------------------------------------------------------------ a massless rod with a hinge and a ball


def swing(kind, massless, forces=lambda joint: ()):
    """A lopsided body on a turning arm by a rod of 0.7 m, a joint or a body without mass (`Carried`)."""
    arm = mb.Body("arm", mb.box(1.0, (0.8, 0.1, 0.1), at=(0.4, 0, 0)))
    bob = mb.Body("bob", mb.Inertia.of_tensor(1.3, [0.1, 0.2, 0.25], centre=(0.0, 0.05, -0.1)))
    shaft = mb.Revolute("shaft", mb.GROUND, (0, 0, 0), arm, (0, 0, 0))
    axis, foot = (0, 1, 0), (0.8, 0, 0)
    poses = [
        arm.pose(angular_velocity=(0, 0, 2.0)),
        bob.pose((0.8, 0, -0.7), velocity=(0.3, 1.6, 0), angular_velocity=(1, 0, 2.0)),
    ]
    if massless:
        rod = mb.RevoluteSpherical("rod", arm, foot, bob, (0, 0, 0), axis, length=0.7)
        return mb.Mechanism("swing", [arm, bob], [shaft, rod], forces(rod), coordinates=kind), poses, rod
    link = mb.Carried("link")
    hinge = mb.Revolute("hinge", arm, foot, link, (0, 0, 0), axis)
    ball = mb.Spherical("ball", link, (0, 0, -0.7), bob, (0, 0, 0))
    turn = 0.3 / -0.7
    poses.append(link.pose(foot, velocity=(0, 1.6, 0), angular_velocity=(0, turn, 2.0)))
    return mb.Mechanism("swing", [arm, bob, link], [shaft, hinge, ball], forces(hinge), coordinates=kind), poses, hinge


@pytest.mark.parametrize("kind", KINDS)
def test_a_massless_link_moves_and_is_loaded_as_one_that_is_a_body_without_mass(kind):
    forces = lambda joint: [mb.Motor("motor", joint, 0.8), mb.JointSpring("spring", joint, 0.0, 0.0, 0.2)]  # noqa: E731
    one, poses, _ = swing(kind, True, forces)
    two, more, _ = swing("joint", False, forces)
    q, v = one.state(*poses)
    found, known = g.accelerate(one, q, v), g.accelerate(two, *two.state(*more))
    assert found.unique
    assert known.unique
    runs = quiet(one, q, v, 0.8), quiet(two, *two.state(*more), 0.8)
    t = np.linspace(0.0, 0.8, 9)
    a, b = (run.at(t) for run in runs)
    for word in ("arm.rotation", "bob.position", "bob.rotation", "bob.acceleration"):
        np.testing.assert_allclose(a[word], b[word], atol=1e-7)
    np.testing.assert_allclose(np.diff(a["rod.angle"]), np.diff(b["hinge.angle"]), atol=1e-8)
    np.testing.assert_allclose(a["d_rod.angle"], b["d_hinge.angle"], atol=1e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_a_massless_link_hands_on_the_force_of_the_ball(kind):
    one, poses, rod = swing(kind, True)
    two, more, hinge = swing("joint", False)
    found, known = g.accelerate(one, *one.state(*poses)), g.accelerate(two, *two.state(*more))
    ball = mb.reaction(known, two.joints[2])
    np.testing.assert_allclose(mb.reaction(found, rod).force, ball.force, atol=1e-9)
    assert np.linalg.norm(ball.force) > 1.0
    arm = one.bodies[0]
    mine = mb.reaction(found, rod, on=arm, at=(arm, (0.8, 0, 0)))
    theirs = mb.reaction(known, hinge, on=two.bodies[0], at=(two.bodies[0], (0.8, 0, 0)))
    np.testing.assert_allclose([*mine.force, *mine.torque], [*theirs.force, *theirs.torque], atol=1e-9)
    assert np.linalg.norm(theirs.torque) > 0.01


@pytest.mark.parametrize("kind", KINDS)
def test_a_driven_massless_link_turns_as_told(kind):
    bob = mb.Particle("bob", 2.0)
    rod = mb.RevoluteSpherical("rod", mb.GROUND, (0, 0, 0), bob, (0, 0, 0), (0, -1, 0), length=0.5)
    drive = mb.Driver("drive", rod, lambda t: 0.4 + 3.0 * t)
    held = mb.Mechanism("crane", [bob], [rod, drive], coordinates=kind)
    first, second = np.eye(3)[0], np.eye(3)[2]  # u, and axis × u
    angle = lambda t: 0.4 + 3.0 * t  # noqa: E731
    place = lambda t: 0.5 * (np.cos(angle(t)) * first + np.sin(angle(t)) * second)  # noqa: E731
    speed = 1.5 * (-np.sin(0.4) * first + np.cos(0.4) * second)
    run = quiet(held, *held.state(bob.pose(place(0.0), velocity=speed)), 1.5)
    for k in (0, len(run) // 2, -1):
        np.testing.assert_allclose(run["bob.position"][k], place(run.t[k]), atol=1e-8)
    rate = 0.5 * (-np.sin(angle(run.t))[:, None] * first + np.cos(angle(run.t))[:, None] * second)
    np.testing.assert_allclose(run["drive"], 2.0 * G * rate[:, 2], atol=1e-6)  # N m
    np.testing.assert_allclose(run["rod.angle"], angle(run.t), atol=1e-8)
    assert dict(held.system.units)["rod[0]"] == "m"
