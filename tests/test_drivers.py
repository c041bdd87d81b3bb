"""Drivers, motors, servos, springs in joints, gears, racks, screws: against closed forms and other formulations."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import gauss as g
from gauss import bodies as mb
from gauss.analysis import random_states
from gauss.errors import InconsistentStateError, InputError, ModelError

X, Y, Z = np.eye(3)
G = 9.81


def quiet(system, q, v, t_end, **options):
    return g.simulate(system, q, v, t_end=t_end, progress="none", **{"rtol": 1e-11, "atol": 1e-12} | options)


def wheel(name, J, mass=2.0):
    """A body with the moment of inertia J about each axis of its centre."""
    return mb.Body(name, mb.Inertia.of_tensor(mass, [J, J, J]))


def lopsided(name, mass=1.3):
    axes = mb.euler("zyx", 0.3, -0.5, 0.8)
    return mb.Body(name, mb.Inertia.of_tensor(mass, [0.4, 0.6, 0.7], centre=(0.1, -0.2, 0.3), axes=axes))


def spun(body, omega, position=(0, 0, 0)):
    return body.pose(position, angular_velocity=omega)


# ------------------------------------------------------------------ drivers

MASS, LEVER, MOMENT = 1.4, 0.6, 0.05


def phi(t, f=g):
    return 0.3 + 4.0 * t + 0.5 * f.sin(3.0 * t)  # rad: passes π, and turns further


def phi_dot(t):
    return 4.0 + 1.5 * np.cos(3.0 * t)


def phi_ddot(t):
    return -4.5 * np.sin(3.0 * t)


def driven_pendulum(kind, swapped):
    """A pendulum that hangs along −z (−y in the plane) at angle 0, driven by φ(t): mechanism, q, v, joint."""
    if kind == "Pin":
        bob = mb.PlanarBody("bob", MASS, MOMENT, centre=(0, -LEVER))
        ends = [mb.GROUND, (0, 0), bob, (0, 0)]
        axis, pose = (), lambda angle, rate: bob.pose((0, 0), angle, (0, 0), rate)
    else:
        bob = mb.Body("bob", mb.Inertia.of_tensor(MASS, [MOMENT] * 3, centre=(0, 0, -LEVER)))
        ends = [mb.GROUND, (0, 0, 0), bob, (0, 0, 0)]
        axis = (-Y,)

        def pose(angle, rate):
            return bob.pose(rotation=mb.about(-Y, angle), angular_velocity=-rate * Y)

    joint = getattr(mb, kind)("hinge", *(ends[2:] + ends[:2] if swapped else ends), *axis)
    sign = -1.0 if swapped else 1.0  # the angle of the ground in the bob is the opposite one
    motion = None if kind != "Cylindrical" else "angle"
    parts = [joint, mb.Driver("drive", joint, lambda t: sign * phi(t), motion)]
    if kind == "Cylindrical":
        parts.append(mb.Driver("stop", joint, 0.0, "displacement"))
    held = mb.Mechanism(kind, [bob], parts)
    return held, held.state(pose(phi(0.0), phi_dot(0.0))), sign


@pytest.mark.sampled(5)
@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("kind", ["Revolute", "Cylindrical", "Pin"])
def test_the_torque_of_a_driver_is_that_of_the_pendulum_through_more_than_a_turn(kind, swapped):
    held, (q, v), sign = driven_pendulum(kind, swapped)
    run = quiet(held.system, q, v, 1.6)
    angle = held.joints[0].value(run)
    angle = angle[0] if kind == "Cylindrical" else angle
    assert phi(1.6, np) > np.pi + 3.0
    assert np.max(np.abs(np.exp(1j * angle) - np.exp(1j * sign * phi(run.t, np)))) < 1e-10
    torque = (MOMENT + MASS * LEVER**2) * phi_ddot(run.t) + MASS * G * LEVER * np.sin(phi(run.t, np))
    assert np.max(np.abs(run["drive"] - sign * torque)) < 1e-8  # J φ̈ + m g l sin φ, on body 2


def test_the_work_of_a_driver_is_its_multiplier_times_the_rate():
    held, (q, v), _ = driven_pendulum("Revolute", False)
    run = quiet(held.system, q, v, 1.0).at(np.linspace(0.0, 1.0, 401))
    power = run["drive"] * held.joints[0].rate(run, mb.rates_of(run))
    work = np.sum((power[:-1:2] + 4 * power[1::2] + power[2::2]) / 6) * (run.t[2] - run.t[0])  # Simpson's rule
    assert np.isclose(run.energy[-1] - run.energy[0], work, rtol=1e-8)  # h⁴ = 4e-11 and derivatives of a few hundred


@pytest.mark.parametrize("kind", ["Prismatic", "Cylindrical", "Slider"])
def test_the_force_of_a_driver_along_an_axis_is_that_of_newton(kind):
    m, along = 1.7, np.array([2.0, 0.0, 1.0]) / np.sqrt(5.0)
    if kind == "Slider":
        block = mb.PlanarBody("block", m, 0.1)
        axis = along[[0, 2]]
        joint = mb.Slider("guide", mb.GROUND, (0.1, 0.2), block, (0, 0), axis1=axis)
        pose = block.pose(np.array([0.1, 0.2]) + 0.4 * axis, velocity=1.5 * axis)
    else:
        block = mb.Body("block", mb.box(m, (0.2, 0.3, 0.4)))
        ends = (mb.GROUND, (0.1, 0, 0.2), block, (0, 0, 0))
        joint = mb.Prismatic("guide", *ends, axis1=along) if kind == "Prismatic" else mb.Cylindrical("s", *ends, along)
        pose = block.pose(np.array([0.1, 0, 0.2]) + 0.4 * along, velocity=1.5 * along)
    parts = [joint, mb.Driver("drive", joint, lambda t: 0.4 + 0.5 * g.sin(3.0 * t), "displacement")]
    held = mb.Mechanism(kind, [block], parts)
    run = quiet(held.system, *held.state(pose), 1.0)
    assert np.max(np.abs(run["drive"] - m * (-4.5 * np.sin(3.0 * run.t) + G * along[2]))) < 1e-8


def test_a_driver_takes_parameters_and_a_number_locks_its_joint():
    disc = wheel("disc", 0.3)
    hinge = mb.Revolute("hinge", mb.GROUND, (0, 0, 0), disc, (0, 0, 0))
    drive = mb.Driver("drive", hinge, lambda t, p: p.w * t + 0.5 * p.alpha * t**2)
    held = mb.Mechanism("disc", [disc], [hinge, drive], parameters={"w": 0.0, "alpha": 2.0})
    for alpha in (2.0, 5.0):
        step = g.accelerate(held.system.with_parameters(alpha=alpha), *held.state(disc.pose()))
        assert np.isclose(step.multiplier("drive"), 0.3 * alpha, rtol=1e-12)
    locked = mb.Mechanism("disc", [disc], [hinge, mb.Driver("lock", hinge, 0.0)], [mb.Motor("m", hinge, 0.8)])
    step = g.accelerate(locked.system, *locked.state(disc.pose()))
    assert np.max(np.abs(step.a)) < 1e-12
    assert np.isclose(step.multiplier("lock"), -0.8, rtol=1e-12)


@pytest.mark.parametrize("angle", [np.pi, 3.0, 0.5])
def test_a_driver_refuses_a_start_elsewhere_also_on_the_opposite_side(angle):
    disc = wheel("disc", 0.3)
    hinge = mb.Revolute("hinge", mb.GROUND, (0, 0, 0), disc, (0, 0, 0))
    held = mb.Mechanism("disc", [disc], [hinge, mb.Driver("drive", hinge, lambda t: 0.0 * t)])
    q, v = held.state(disc.pose(rotation=mb.about(Z, angle)))
    with pytest.raises(g.errors.GaussError):
        g.accelerate(held.system, q, v)
    if angle < np.pi:
        with pytest.raises(g.errors.InconsistentStateError, match="drive"):
            g.accelerate(held.system, q, v)
        assert abs(hinge.value(held.named(g.consistent(held.system, q, v).q))) < 1e-9  # moved there the short way


# ------------------------------------------------------------------ motors, servos, springs


def jointed(kind):
    """Two lopsided bodies, the first free, with a joint between them at a random place: mechanism parts and a start."""
    one, two = lopsided("one"), lopsided("two", 0.8)
    axis, at = np.array([1.0, 2.0, -2.0]) / 3.0, (0.4, 0.1, -0.3)
    joint = getattr(mb, kind)("joint", one, (0.2, 0.5, 0.1), two, at, axis1=axis)
    return one, two, joint, axis, at


@pytest.mark.long
@pytest.mark.parametrize("kind", ["Revolute", "Cylindrical", "Prismatic"])
def test_a_motor_between_two_bodies_does_what_its_torque_or_forces_do(kind):
    one, two, joint, axis, at = jointed(kind)
    if kind == "Prismatic":
        motors = [mb.Motor("motor", joint, lambda t: 2.5 + t)]

        def back(q):  # along axis 1 of body 1, where the force of body 2 is
            return one.placed(q).direction(-2.5 * axis)

        def there(q):
            placed = one.placed(q)
            off = np.array(two.placed(q).point(at)) - np.array(placed.origin)
            return [sum(a * b for a, b in zip(off, column)) for column in placed.columns]

        pushed = mb.PointForce("push", two, at, lambda q: one.placed(q).direction(2.5 * axis))
    else:
        motors = [mb.Motor("motor", joint, lambda t: 2.5 + t, "angle")]
        twist = mb.Torque("twist", one, -2.5 * axis, "body", reaction=two)
    driven = mb.Mechanism("motor", [one, two], [joint], motors)
    q, _ = driven.state(one.pose(), two.pose(np.array([0.2, 0.5, 0.1]) - at))
    for state in random_states(driven.system, q, None, 0.0, 3, 1, spread=0.3).states:
        if kind == "Prismatic":
            named = driven.named(state.q)
            forces = [pushed, mb.PointForce("back", one, [float(x) for x in there(named)], back)]
        else:
            forces = [twist]
        other = mb.Mechanism("forces", [one, two], [joint], forces)
        a, b = (g.accelerate(m.system, state.q, state.v).a for m in (driven, other))
        assert np.max(np.abs(a - b)) < 1e-11 * np.max(np.abs(b))


def test_a_motor_names_controls_and_velocities():
    disc = wheel("disc", 0.3)
    hinge = mb.Revolute("hinge", mb.GROUND, (0, 0, 0), disc, (0, 0, 0))
    motor = mb.Motor("motor", hinge, lambda q, v, u: u.U - 0.2 * hinge.rate(q, v))
    held = mb.Mechanism("motor", [disc], [hinge], [motor], controls="U")
    run = quiet(held.system, *held.state(disc.pose()), 2.0, control={"U": 0.6})
    exact = 3.0 * (1.0 - np.exp(-0.2 / 0.3 * run.t))  # J ω̇ = U − c ω
    assert np.max(np.abs(hinge.rate(run, mb.rates_of(run)) - exact)) < 1e-9


@pytest.mark.parametrize("kind", ["Revolute", "Prismatic", "Pin", "Slider"])
def test_a_servo_follows_a_ramp_as_the_damped_oscillator_does(kind):
    J, k, c, w, start = 0.3, 12.0, 1.4, 6.0, 0.4
    plane = kind in ("Pin", "Slider")
    body = mb.PlanarBody("b", J if kind == "Slider" else 1.0, J) if plane else wheel("b", J, J)
    zero = (0, 0) if plane else (0, 0, 0)
    joint = getattr(mb, kind)("joint", mb.GROUND, zero, body, zero)
    servo = mb.Servo("servo", joint, lambda t: start + w * t, k, c, w)
    held = mb.Mechanism("servo", [body], [joint], [servo], gravity=zero)
    run = quiet(held.system, *held.state(body.pose()), 2.0)
    decay, swing = c / (2 * J), np.sqrt(k / J - (c / (2 * J)) ** 2)
    # lag e = θ − target: ë + (c/J) ė + (k/J) e = 0, e(0) = −start, ė(0) = −w
    e = np.exp(-decay * run.t) * (-start * np.cos(swing * run.t) + (-w - decay * start) / swing * np.sin(swing * run.t))
    exact, found = start + w * run.t + e, joint.value(run)
    if kind in ("Revolute", "Pin"):
        exact, found = np.exp(1j * exact), np.exp(1j * found)
        assert start + w * 2.0 > 3 * np.pi
    assert np.max(np.abs(found - exact)) < 1e-9


@pytest.mark.parametrize("damping", [0.0, 0.3])
def test_a_spring_in_a_hinge_is_an_oscillator_about_its_free_angle_also_across_pi(damping):
    J, k, free, swing = 0.3, 4.0, 3.0, 0.5  # from 3.5 rad, past π, to 2.5 rad
    body = wheel("b", J)
    hinge = mb.Revolute("hinge", mb.GROUND, (0, 0, 0), body, (0, 0, 0), X)
    held = mb.Mechanism("spring", [body], [hinge], [mb.JointSpring("s", hinge, k, free, damping)], gravity=(0, 0, 0))
    run = quiet(held.system, *held.state(body.pose(rotation=mb.about(X, free + swing))), 2.0)
    decay = damping / (2 * J)
    rate = np.sqrt(k / J - decay**2)
    exact = free + swing * np.exp(-decay * run.t) * (np.cos(rate * run.t) + decay / rate * np.sin(rate * run.t))
    assert np.max(np.abs(np.exp(1j * hinge.value(run)) - np.exp(1j * exact))) < 1e-9
    assert np.isclose(run.potential[0], 0.5 * k * swing**2, rtol=1e-12)
    if damping == 0.0:
        assert np.ptp(run.energy) < 1e-9


# ------------------------------------------------------------------ transmissions

J1, J2, RATIO = 0.4, 0.15, -2.5


@pytest.mark.parametrize("kind", ["spur", "bevel", "plane"])
def test_gears_reflect_inertia_by_the_square_of_their_ratio(kind):
    torque = 0.7
    if kind == "plane":
        one, two = mb.PlanarBody("one", 1, J1), mb.PlanarBody("two", 1, J2)
        joints = [mb.Pin("a", mb.GROUND, (0, 0), one, (0, 0)), mb.Pin("b", mb.GROUND, (1, 0), two, (0, 0))]
        poses = [one.pose(rate=2.0), two.pose((1, 0), 0.4, rate=2.0 * RATIO)]
    else:
        one, two = wheel("one", J1), wheel("two", J2)
        second = Z if kind == "spur" else X
        joints = [
            mb.Revolute("a", mb.GROUND, (0, 0, 0), one, (0, 0, 0), Z),
            mb.Revolute("b", mb.GROUND, (1, 0, 0), two, (0, 0, 0), second),
        ]
        poses = [spun(one, 2.0 * Z), spun(two, 2.0 * RATIO * second, (1, 0, 0))]
    gear = mb.Gear("gear", *joints, RATIO)
    held = mb.Mechanism("gears", [one, two], [*joints, gear], [mb.Motor("motor", joints[0], torque)])
    q, v = held.state(*poses)
    step = g.accelerate(held.system, q, v)
    assert step.verdict == "regular"
    second = torque / (J1 + J2 * RATIO**2)
    rates = [joint.rate(held.named(q), step.acceleration) for joint in joints]  # centripetal parts drop out
    assert np.allclose(rates, [second, RATIO * second], rtol=1e-11)
    assert np.isclose(step.multiplier("gear"), J2 * RATIO * second, rtol=1e-11)  # the torque on wheel 2


@pytest.mark.long
def test_the_angles_of_gears_stay_in_proportion_over_sixty_turns_and_the_row_is_integrable():
    one, two = mb.PlanarBody("one", 1, J1), mb.PlanarBody("two", 1, J2)
    joints = [mb.Pin("a", mb.GROUND, (0, 0), one, (0, 0)), mb.Pin("b", mb.GROUND, (1, 0), two, (0, 0))]
    gear = mb.Gear("gear", *joints, RATIO)
    held = mb.Mechanism("gears", [one, two], [*joints, gear], [mb.Motor("motor", joints[0], lambda t: g.sin(t))])
    q, v = held.state(one.pose(rate=15.0), two.pose((1, 0), rate=15.0 * RATIO))
    run = quiet(held.system, q, v, 10.0)
    a, b = (np.unwrap(joint.value(run)) for joint in joints)
    assert abs(b[-1]) / (2 * np.pi) > 60.0
    assert np.max(np.abs(b - RATIO * a)) < 1e-7  # 1500 steps of 1e-11 relative to turns of 390 rad; measured 6e-10
    assert g.analysis.holonomy(held.system, q).verdict == "holonomic"


def test_an_epicyclic_gear_has_the_inertia_of_its_planet_by_willis():
    arm, planet = wheel("arm", 0.5), wheel("planet", 0.08, mass=0.9)
    l, teeth = 0.6, (40.0, 25.0)  # of the fixed sun and of the planet
    bearing = mb.Revolute("bearing", mb.GROUND, (0, 0, 0), arm, (0, 0, 0))
    pin = mb.Revolute("pin", arm, (l, 0, 0), planet, (0, 0, 0))
    sun = mb.Revolute("sun", arm, (0, 0, 0), mb.GROUND, (0, 0, 0))  # the sun's angle on the arm; not a joint
    gear = mb.Gear("gear", sun, pin, -teeth[0] / teeth[1])
    held = mb.Mechanism("planet", [arm, planet], [bearing, pin, gear], [mb.Motor("motor", bearing, 0.7)])
    w = 1.5
    turning = w * (1.0 + teeth[0] / teeth[1])  # Willis: (ω_p − ω_a)/(0 − ω_a) = −z_s/z_p
    q, v = held.state(spun(arm, w * Z), planet.pose((l, 0, 0), velocity=(0, w * l, 0), angular_velocity=turning * Z))
    step = g.accelerate(held.system, q, v)
    exact = 0.7 / (0.5 + 0.9 * l**2 + 0.08 * (1.0 + teeth[0] / teeth[1]) ** 2)
    assert np.isclose(bearing.rate(held.named(q), step.acceleration), exact, rtol=1e-11)


@pytest.mark.parametrize("plane", [True, False])
def test_a_rack_is_pulled_by_its_pinion(plane):
    m, r, torque = 3.0, -0.2, 0.9
    if plane:
        pinion, rack = mb.PlanarBody("pinion", 1, J1), mb.PlanarBody("rack", m, 0.1)
        pin, slide = mb.Pin("p", mb.GROUND, (0, 0), pinion, (0, 0)), mb.Slider("s", mb.GROUND, (0, 0), rack, (0, 0))
        poses = [pinion.pose(rate=2.0), rack.pose((0.3, 0), velocity=(2.0 * r, 0))]
    else:
        pinion, rack = wheel("pinion", J1), mb.Body("rack", mb.box(m, (1, 0.1, 0.1)))
        pin = mb.Revolute("p", mb.GROUND, (0, 0, 0), pinion, (0, 0, 0), Y)
        slide = mb.Prismatic("s", mb.GROUND, (0, 0, 0), rack, (0, 0, 0), axis1=X)
        poses = [spun(pinion, 2.0 * Y), rack.pose((0.3, 0, 0), velocity=2.0 * r * X)]
    drive = mb.RackAndPinion("mesh", pin, slide, r)
    held = mb.Mechanism("rack", [pinion, rack], [pin, slide, drive], [mb.Motor("motor", pin, torque)])
    q, v = held.state(*poses)
    step = g.accelerate(held.system, q, v)
    exact = torque / (J1 + m * r**2)
    assert np.isclose(step.acceleration.rack_x, r * exact, rtol=1e-11)
    assert np.isclose(step.multiplier("mesh"), m * r * exact, rtol=1e-11)  # the force on the rack


@pytest.mark.parametrize("lead", [0.3, -0.05])
def test_a_nut_descends_its_screw_and_turns_as_the_thread_says(lead):
    m, J = 2.0, 0.04
    nut = mb.Body("nut", mb.Inertia.of_tensor(m, [J, J, J]))
    guide = mb.Cylindrical("guide", mb.GROUND, (0, 0, 0), nut, (0, 0, 0), Z)
    held = mb.Mechanism("screw", [nut], [guide, mb.Screw("thread", guide, lead)])
    run = quiet(held.system, *held.state(nut.pose()), 1.0)
    exact = -G / (1.0 + J * (2 * np.pi / lead) ** 2 / m)
    angle, place = guide.value(run)
    assert np.max(np.abs(place - exact * run.t**2 / 2)) < 1e-9
    assert np.max(np.abs(np.unwrap(angle) * lead / (2 * np.pi) - place)) < 1e-9  # down and backwards, if right-handed
    assert np.allclose(run["thread"], m * (exact + G), rtol=1e-9)  # the thread carries the rest of the weight


def test_a_differential_shares_torque_equally_and_a_rope_makes_atwoods_machine():
    moments, torque = np.array([0.3, 0.5, 0.2]), 1.1  # two half-shafts and the cage
    shafts = [wheel(name, J) for name, J in zip(("left", "right", "cage"), moments)]
    joints = [mb.Revolute(f"{s.name} bearing", mb.GROUND, (0, 0, 0), s, (0, 0, 0), X) for s in shafts]
    coupling = mb.Coupling("differential", list(zip(joints, (1.0, 1.0, -2.0))))
    axle = mb.Mechanism("axle", shafts, [*joints, coupling], [mb.Motor("engine", joints[2], torque)])
    q, v = axle.state(*(spun(s, w * X) for s, w in zip(shafts, (3.0, 1.0, 2.0))))
    step = g.accelerate(axle.system, q, v)
    row = np.array([1.0, 1.0, -2.0])
    exact = np.linalg.solve(np.block([[np.diag(moments), -row[:, None]], [row, 0.0]]), [0, 0, torque, 0])
    found = [joint.rate(axle.named(q), step.acceleration) for joint in joints]
    assert np.allclose(found, exact[:3], rtol=1e-11)
    assert np.isclose(step.multiplier("differential"), exact[3], rtol=1e-11)
    loads = [mb.Body(name, mb.box(m, (0.1, 0.2, 0.3))) for name, m in (("heavy", 3.0), ("light", 2.0))]
    guides = [mb.Prismatic(f"{b.name} guide", mb.GROUND, (0, 0, 0), b, (0, 0, 0), axis1=Z) for b in loads]
    rope = mb.Coupling("rope", [(joint, 1.0) for joint in guides])
    machine = mb.Mechanism("Atwood", loads, [*guides, rope])
    step = g.accelerate(machine.system, *machine.state(loads[0].pose((0, 0, 1)), loads[1].pose()))
    assert np.isclose(step.acceleration.heavy_z, -G / 5.0, rtol=1e-12)
    assert np.isclose(step.multiplier("rope"), 2 * 3.0 * 2.0 * G / 5.0, rtol=1e-12)


def test_the_cross_check_holds_for_gears_and_drivers():
    one, two = mb.PlanarBody("one", 1, J1), mb.PlanarBody("two", 1.5, J2, centre=(0.2, 0.3))
    joints = [mb.Pin("a", mb.GROUND, (0, 0), one, (0, 0)), mb.Pin("b", one, (1, 0), two, (0, 0))]
    for part, rate in ((mb.Gear("gear", *joints, 0.7), 0.0), (mb.Driver("drive", joints[1], lambda t: 0.2 * t), 0.2)):
        held = mb.Mechanism("held", [one, two], [*joints, part])
        q, v = held.state(one.pose(), two.pose((1, 0), rate=rate))
        claims = g.analysis.crosscheck_states(held.system, q, v, count=3, spread=0.2)
        assert len(claims) >= 4
        assert not [c.name for c in claims if not c.holds]


# ------------------------------------------------------------------ input that cannot be used

DISC, BLOCK = wheel("disc", 0.3), wheel("block", 0.2)
HINGE = mb.Revolute("hinge", mb.GROUND, (0, 0, 0), DISC, (0, 0, 0))
SLEEVE = mb.Cylindrical("sleeve", mb.GROUND, (0, 0, 0), DISC, (0, 0, 0))
GUIDE = mb.Prismatic("guide", mb.GROUND, (0, 0, 0), BLOCK, (0, 0, 0))
APART = mb.Revolute("apart", BLOCK, (0, 0, 0), wheel("other", 1.0), (0, 0, 0))
BALL = mb.Spherical("ball", mb.GROUND, (0, 0, 0), DISC, (0, 0, 0))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: mb.Driver("", HINGE, 0.0), "needs a name"),
        (lambda: mb.Driver("d", BALL, 0.0), "with an angle or a displacement"),
        (lambda: mb.Driver("d", "hinge", 0.0), "with an angle or a displacement"),
        (lambda: mb.Driver("d", SLEEVE, 0.0), 'motion="angle" or "displacement"'),
        (lambda: mb.Driver("d", HINGE, 0.0, "displacement"), 'motion="angle"'),
        (lambda: mb.Driver("d", HINGE, np.nan), "motion of the driver 'd'"),
        (lambda: mb.Driver("d", HINGE, "t"), "motion of the driver 'd'"),
        (lambda: mb.Driver("d", HINGE, lambda q: q.x).constraints(), "may not depend on the coordinates"),
        (lambda: mb.Motor("m", BALL, 1.0), "with an angle or a displacement"),
        (lambda: mb.Motor("m", HINGE, None), "torque of the motor 'm'"),
        (lambda: mb.Servo("s", HINGE, 0.0, -1.0), "stiffness of 's'"),
        (lambda: mb.Servo("s", HINGE, 0.0, 1.0, -1.0), "damping of 's'"),
        (lambda: mb.Servo("s", HINGE, [1, 2], 1.0), "target of the servo"),
        (lambda: mb.JointSpring("s", HINGE, 1.0, np.inf), "free motion"),
        (lambda: mb.Gear("g", HINGE, GUIDE, 2.0), "'guide' give motion=\"displacement\""),
        (lambda: mb.Gear("g", HINGE, APART, 2.0), "no body in common"),
        (lambda: mb.Gear("g", HINGE, HINGE, 0.0), "is zero"),
        (lambda: mb.Gear("", HINGE, HINGE, 2.0), "needs a name"),
        (lambda: mb.RackAndPinion("r", HINGE, HINGE, 0.1), 'motion="angle"'),
        (lambda: mb.Screw("s", HINGE, 0.1), "Cylindrical"),
        (lambda: mb.Screw("s", SLEEVE, 0.0), "lead of the screw 's' is zero"),
        (lambda: mb.Coupling("c", [(HINGE, 1.0)]), "two joints or more"),
        (lambda: mb.Coupling("c", [HINGE]), "pairs"),
        (lambda: mb.Coupling("c", [(HINGE, 0.0), (GUIDE, 1.0)]), "leave it out"),
        (lambda: mb.Coupling("c", 3), "list of pairs"),
        (lambda: mb.Coupling("c", [(HINGE, 1.0), (HINGE, -1.0)]), "one motion of a joint twice"),
        (lambda: mb.Gear("g", HINGE, HINGE, 1.0), "one motion of a joint twice"),
        (lambda: mb.Driver("d", BALL, 0.0), "got the Spherical 'ball'"),
        (lambda: HINGE.value(np.zeros(12)), "values by coordinate name"),
        (lambda: HINGE.value({"x": 1.0}), "there is no 'disc_x'"),
        (lambda: APART.rate({}, 3.0), "values by coordinate name"),
    ],
)
def test_bad_input_gets_one_clear_error(make, words):
    with pytest.raises(g.errors.GaussError, match=words):
        make()


def test_a_torque_of_the_wrong_kind_names_its_motor():
    motor = mb.Motor("motor", HINGE, lambda t: [t, t])
    with pytest.raises(g.errors.GaussError, match="torque of the motor 'motor'"):
        mb.Mechanism("m", [DISC], [HINGE], [motor]).system  # noqa: B018


@pytest.mark.parametrize("size", [1e-170, 1e170])
def test_axes_may_have_any_length(size):
    hinge = mb.Revolute("hinge", mb.GROUND, (0, 0, 0), DISC, (0, 0, 0), (0, 3 * size, 4 * size))
    assert np.allclose(hinge.axis1, (0.0, 0.6, 0.8), rtol=0, atol=1e-15)


@pytest.mark.parametrize("motion", [lambda t: g.where(t < 0.2, 0.0, 1.0), lambda t: g.where(t < 0.2, 0.0, t - 0.2)])
def test_a_driver_that_jumps_or_has_a_kink_ends_the_run_there(motion):
    """No finite force moves a bar that way; the projection alone would, and change its energy by nobody's work."""
    bar = mb.PlanarBody("bar", 1.0, 0.1, (0.5, 0.0))
    pin = mb.Pin("pin", mb.GROUND, (0, 0), bar, (0, 0))
    driven = mb.Mechanism("driven", [bar], [pin, mb.Driver("drive", pin, motion)], gravity=(0.0, 0.0))
    with pytest.warns(g.errors.MotionWarning, match="function of time jumps or has a kink"):
        run = g.simulate(driven.system, *driven.state(bar.pose()), t_end=0.5, progress="none")
    assert run.ending.kind == "failed"
    assert run.t[-1] == pytest.approx(0.2, abs=1e-9)
    assert np.max(run.kinetic) == 0.0


def test_a_driver_whose_acceleration_jumps_is_followed_through():
    bar = mb.PlanarBody("bar", 1.0, 0.1, (0.5, 0.0))
    pin = mb.Pin("pin", mb.GROUND, (0, 0), bar, (0, 0))
    driver = mb.Driver("drive", pin, lambda t: g.where(t < 0.2, 0.0, (t - 0.2) ** 2))
    driven = mb.Mechanism("driven", [bar], [pin, driver], gravity=(0.0, 0.0))
    run = g.simulate(driven.system, *driven.state(bar.pose()), t_end=0.5, progress="none")
    assert run.ending.complete
    assert run.kinetic[-1] == pytest.approx(0.5 * (0.1 + 0.25) * 0.6**2, rel=1e-9)  # ½Jω², ω = 2 · 0.3


def driven_wheel(value):
    wheel = mb.PlanarBody("wheel", 1.0, inertia=0.5)
    bearing = mb.Pin("bearing", mb.GROUND, (0, 0), wheel, (0, 0))
    return wheel, mb.Mechanism("wheel", [wheel], [bearing, mb.Driver("drive", bearing, value)])


def test_a_driver_locked_beyond_a_turn_warns():
    with pytest.warns(g.errors.DegreesWarning, match=r"a number locks; for a speed give lambda t: 20\*t"):
        driven_wheel(20.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        driven_wheel(6.0)
        driven_wheel(lambda t: 20.0 * t)


def test_a_driver_and_what_is_held_must_not_contradict():
    for value in (lambda t: 20.0 * t, 0.0):
        wheel, driven = driven_wheel(value)
        with pytest.raises(InconsistentStateError, match=r"'drive' prescribes 0 rad at t = 0 s, hold asks 0\.5 rad"):
            mb.assemble(driven, wheel.pose(angle=0.5), hold="bearing")
    wheel, driven = driven_wheel(lambda t: 0.5 + 2.0 * np.pi + 20.0 * t)
    assert mb.assemble(driven, wheel.pose(angle=0.5, rate=20.0), hold="bearing").values["bearing"] == pytest.approx(0.5)


def test_two_rates_of_one_joint_are_told_with_both():
    wheel, driven = driven_wheel(lambda t: 0.5 + 1450.0 * t)
    asked = r"'drive' prescribes 1450 rad/s at t = 0 s, hold asks {} rad/s of 'bearing'"
    with pytest.raises(InconsistentStateError, match=asked.format("0")) as caught:
        mb.assemble(driven, wheel.pose(angle=0.5), hold="bearing")
    assert "rpm" not in str(caught.value)
    with pytest.raises(InconsistentStateError, match=asked.format(r"151\.844") + r".* 1450 rpm are 151\.844 rad/s"):
        mb.assemble(driven, wheel.pose(angle=0.5, rate=1450.0 * np.pi / 30.0), hold="bearing")


def test_two_drivers_of_one_joint_must_not_contradict():
    bearing = driven_wheel(0.5)[1].joints[0]
    (wheel,) = [body for body in bearing.bodies if body is not mb.GROUND]
    for second, words in (
        (lambda t: 0.6 + 3.0 * t, "0.5 rad at t = 0 s, 'B' 0.6 rad"),
        (0.5, "3 rad/s .* 'B' 0 rad/s"),
    ):
        drivers = [mb.Driver("A", bearing, lambda t: 0.5 + 3.0 * t), mb.Driver("B", bearing, second)]
        twice = mb.Mechanism("wheel", [wheel], [bearing, *drivers])
        with pytest.raises(InconsistentStateError, match=f"'A' prescribes {words} of 'bearing': leave one of them out"):
            mb.assemble(twice, wheel.pose(angle=0.5))


def test_drivers_of_more_than_the_joints_admit_are_told():
    crank, rod = mb.PlanarBody("crank", 1.0, 0.1), mb.PlanarBody("rod", 1.0, 0.1)
    bearing = mb.Pin("bearing", mb.GROUND, (0, 0), crank, (0, 0))
    guide = mb.Slider("guide", mb.GROUND, (0, 0), rod, (0, 0))
    links = [bearing, guide, mb.Pin("pin", crank, (1, 0), rod, (0, 0))]
    drivers = [mb.Driver("turn", bearing, 0.0), mb.Driver("push", guide, 0.5)]
    with pytest.raises(InconsistentStateError, match="Without 'turn', 'push' the loops close: drivers prescribe"):
        mb.assemble(mb.Mechanism("slider", [crank, rod], [*links, *drivers]), crank.pose(), rod.pose((1, 0)))


def test_laws_of_drives_are_checked_when_made():
    wheel = mb.PlanarBody("wheel", 1.0, inertia=0.5)
    bearing = mb.Pin("bearing", mb.GROUND, (0, 0), wheel, (0, 0))
    with pytest.raises(ModelError, match="takes an argument 'omega'"):
        mb.Motor("motor", bearing, lambda omega: 20.0 - omega)
    with pytest.raises(InputError, match=r"got the text 'tau'\. A control is written lambda u: u\.tau"):
        mb.Motor("motor", bearing, "tau")
    with pytest.raises(InputError, match=r"got the text 'tau'\.$"):
        mb.Driver("driver", bearing, "tau")
    with pytest.raises(ModelError, match="may not depend on the coordinates"):
        mb.Driver("drive", bearing, lambda q, t: t)


def test_an_open_mechanism_is_to_be_assembled():
    bar = mb.PlanarBody("bar", 1.0, inertia=0.5)
    hung = mb.Mechanism("hung", [bar], [mb.Pin("pin", mb.GROUND, (0, 0), bar, (0, 0))])
    with pytest.raises(InconsistentStateError, match=r"gauss\.bodies\.assemble\(mechanism"):
        g.simulate(hung, *hung.state(bar.pose((0.3, 0.4))), t_end=0.1)


@pytest.mark.long
def test_a_driver_that_meets_a_dead_centre_is_named():
    """A rod shorter than the crank does not let it turn round: the motion ends where the rod is square to the guide."""
    crank, rod, block = (mb.PlanarBody(name, 1.0, inertia=0.01) for name in ("crank", "rod", "block"))
    bearing = mb.Pin("bearing", mb.GROUND, (0, 0), crank, (0, 0))
    pins = [bearing, mb.Pin("pin", crank, (0.2, 0), rod, (0, 0)), mb.Pin("wrist", rod, (0.1, 0), block, (0, 0))]
    guide = mb.Slider("guide", mb.GROUND, (0, 0), block, (0, 0), axis1=(1, 0))
    drive = mb.Driver("drive", bearing, lambda t: 0.2 + 3.0 * t)
    driven = mb.Mechanism("slider-crank", [crank, rod, block], [*pins, guide, drive])
    poses = crank.pose(angle=0.2, rate=3.0), rod.pose((0.2, 0.04), -0.4), block.pose((0.3, 0))
    with pytest.warns(g.errors.MotionWarning, match="as when a driver meets a dead centre"):
        run = g.simulate(driven, mb.assemble(driven, *poses).state, t_end=1.0)
    assert run["bearing.angle"][-1] == pytest.approx(np.arcsin(0.1 / 0.2), abs=1e-6)
    assert "What 'drive' prescribes in time, the other rows do not admit here" in run.ending.message
    assert "nearest velocity" not in run.ending.message
