"""Reactions of joints against Newton's and Euler's equations of the bodies, and joint coordinates against rotations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gauss as g
from gauss import bodies as mb
from gauss.analysis import random_states
from gauss.geometry import across

X, Y, Z = np.eye(3)
WEIGHT = np.array([0.0, 0.0, -9.81])
AXIS = np.array([1.0, 2.0, -2.0]) / 3.0
TURNED = mb.about((1, -1, 2), 0.8)  # body 2 in body 1 at the zero of the joint
C1, C2 = np.array([0.3, -0.2, 0.5]), np.array([0.4, 0.1, -0.3])
SQUARE = np.array(across(tuple(AXIS))[0])


def hat(w):
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def matrix_of(body, values):
    return np.array([[values[f"{body.name}_R{i}{j}"] for j in (1, 2, 3)] for i in (1, 2, 3)], dtype=float)


def lopsided(name, mass):
    axes = mb.euler("zyx", 0.3, -0.5, 0.8)
    return mb.Body(name, mb.Inertia.of_tensor(mass, [0.4, 0.6, 0.7], centre=(0.1, -0.2, 0.3), axes=axes))


JOINTS = {
    "spherical": lambda a, b: mb.Spherical("joint", a, C1, b, C2),
    "revolute": lambda a, b: mb.Revolute("joint", a, C1, b, C2, AXIS, TURNED.T @ AXIS),
    "cylindrical": lambda a, b: mb.Cylindrical("joint", a, C1, b, C2, AXIS, TURNED.T @ AXIS),
    "universal": lambda a, b: mb.Universal("joint", a, C1, b, C2, AXIS, TURNED.T @ SQUARE),
    "planar": lambda a, b: mb.PlanarJoint("joint", a, C1, b, C2, AXIS, TURNED.T @ AXIS),
    "prismatic": lambda a, b: mb.Prismatic("joint", a, C1, b, C2, orientation=TURNED, axis1=AXIS),
    "weld": lambda a, b: mb.Weld("joint", a, C1, b, C2, orientation=TURNED),
    "revolute-spherical": lambda a, b: mb.RevoluteSpherical(
        "joint", a, C1, b, C2 + TURNED.T @ (0.7 * SQUARE), AXIS, length=0.7
    ),
    "distance": lambda a, b: mb.Distance("joint", a, C1, b, C2 + TURNED.T @ [0.7, 0.0, 0.0], length=0.7),
}


def pair(name, **options):
    """Two bodies in space with one joint between them, and a position at the joint's zero."""
    one, two = lopsided("one", 1.3), lopsided("two", 0.8)
    joint = JOINTS[name](one, two)
    both = mb.Mechanism(name, [one, two], [joint], **options)
    q, _ = both.state(one.pose(), two.pose(C1 - TURNED @ C2, TURNED))
    return both, joint, q


def states_of(mechanism, q, count, seed, spread):
    """Random states on the rows, with fast motions; mirror images of bodies, which RᵀR = 1 allows, are left out."""
    found = random_states(mechanism.system, q, None, 0.0, 3 * count, seed, spread=spread).states
    spatial = [body for body in mechanism.bodies if isinstance(body, mb.Body)]
    proper = [x for x in found if all(np.linalg.det(matrix_of(body, mechanism.named(x.q))) > 0 for body in spatial)]
    assert len(proper) >= count
    return [replace(x, v=10.0 * x.v) for x in proper[:count]]


def rate_of_momentum(body, mechanism, state, a):
    """m a_c − m g and d/dt(Jω) about the centre of mass, in space axes: what the joints must give."""
    named, rates = mechanism.named(state.q), mechanism.named(state.v)
    R, omega = matrix_of(body, named), np.array(body.angular_velocity(named, rates))
    c, J = body.inertia.centre, body.inertia.central_tensor
    inner = R.T @ matrix_of(body, a) - hat(omega) @ hat(omega)  # [ω̇]
    omega_dot = np.array([inner[2, 1], inner[0, 2], inner[1, 0]])
    origin = np.array([a[f"{body.name}_{x}"] for x in "xyz"])
    force = body.inertia.mass * (origin + matrix_of(body, a) @ c - WEIGHT)
    return force, R @ (J @ omega_dot + np.cross(omega, J @ omega))


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", JOINTS)
def test_the_reaction_of_a_joint_is_what_newton_and_euler_ask_of_both_bodies(name):
    both, joint, q = pair(name)
    size = 0.0
    for state in states_of(both, q, 3, 2, 0.4):
        step = g.accelerate(both.system, state.q, state.v)
        for body in both.bodies:
            force, torque = rate_of_momentum(body, both, state, step.acceleration)
            found = mb.reaction(step, joint, on=body, at=(body, body.inertia.centre))
            scale = np.linalg.norm(force) + np.linalg.norm(torque) + 1.0
            assert np.max(np.abs(found.force - force)) < 1e-10 * scale
            assert np.max(np.abs(found.torque - torque)) < 1e-10 * scale
            assert found.undetermined == ()
            size = max(size, float(np.linalg.norm(force)))
        second, first = mb.reaction(step, joint), mb.reaction(step, joint, on=joint.body1, at=(joint.body2, C2))
        again = mb.reaction(step, joint, at=(joint.body2, C2))
        assert np.max(np.abs(second.force + first.force)) < 1e-10 * scale
        assert np.max(np.abs(again.torque + first.torque)) < 1e-10 * scale
    assert size > 1.0


def test_a_joint_gives_no_force_and_no_torque_along_its_freedoms():
    for name, free in (("revolute", (None, AXIS)), ("cylindrical", (AXIS, AXIS)), ("prismatic", (AXIS, None))):
        both, joint, q = pair(name)
        state = states_of(both, q, 1, 3, 0.4)[0]
        step = g.accelerate(both.system, state.q, state.v)
        found = mb.reaction(step, joint, axes=both.bodies[0])
        for along, part in zip(free, (found.force, found.torque), strict=True):
            assert np.linalg.norm(part) > 0.1
            assert along is None or abs(along @ part) < 1e-11 * np.linalg.norm(part)


def swing():
    """A run of a body on a hinge, and its parts."""
    body = lopsided("body", 2.0)
    hinge = mb.Revolute("hinge", mb.GROUND, (0, 0, 0), body, (0, 0, 0), axis1=X)
    mechanism = mb.Mechanism("swing", [body], [hinge])
    return g.simulate(mechanism, *mechanism.state(body.pose()), t_end=0.1), body, hinge


def test_bodies_of_a_reaction_may_be_given_by_name():
    run, body, hinge = swing()
    by_name = mb.reaction(run, "hinge", on="body", axes="body")
    given = mb.reaction(run, hinge, on=body, axes=body)
    assert by_name.body == "body"
    np.testing.assert_array_equal(by_name.force, given.force)
    assert np.max(np.abs(by_name.force - mb.reaction(run, "hinge").force)) > 0.1  # it has turned


@pytest.mark.parametrize("name", ["pin", "slider", "rolling ball", "rolling disc", "knife edge", "on the ground"])
def test_other_reactions_too_are_those_of_newton_and_euler(name):
    body = mb.PlanarBody("one", 1.3, 0.4, (0.2, -0.1))
    other = mb.PlanarBody("two", 0.7, 0.3, (-0.3, 0.2))
    bodies, poses = [body, other], [body.pose(), other.pose((0.1, 0.6))]
    if name == "pin":
        link = mb.Pin("joint", body, (0.3, 0.4), other, (0.2, -0.2))
    elif name == "slider":
        link = mb.Slider("joint", body, (0.1, 0.6), other, (0.0, 0.0), (0.6, 0.8))
    elif name == "knife edge":
        link, bodies, poses = mb.KnifeEdge("joint", body, (0.3, 0.4), (0.6, 0.8)), [body], [body.pose()]
    else:
        body = lopsided("one", 1.3)
        bodies, poses = [body], [body.pose((0, 0, 1.0), mb.about(X, 0.5))]
        link = {
            "rolling ball": lambda: mb.RollingBall("joint", body, 1.0),
            "rolling disc": lambda: mb.RollingDisc("joint", body, 1.0 / np.cos(0.5), axis=(0, 1, 0)),
            "on the ground": lambda: mb.Revolute("joint", body, C2, mb.GROUND, mb.about(X, 0.5) @ C2 + Z, AXIS),
        }[name]()
        if name == "on the ground":
            link = mb.Spherical("joint", body, C2, mb.GROUND, mb.about(X, 0.5) @ C2 + Z)
    whole = mb.Mechanism(name, bodies, [link])
    q, _ = whole.state(*poses)
    for state in states_of(whole, q, 3, 5, 0.2):
        step = g.accelerate(whole.system, state.q, state.v)
        named, a = whole.named(state.q), step.acceleration
        for part in bodies:
            if part.dimension == 2:
                c_dd, s_dd = a[f"{part.name}_c"], a[f"{part.name}_s"]
                centre = np.array(part.centre)
                second = np.array([[c_dd, -s_dd], [s_dd, c_dd]]) @ centre
                force = part.mass * (np.array([a[f"{part.name}_x"], a[f"{part.name}_y"]]) + second - WEIGHT[1:])
                turning = named[f"{part.name}_c"] * s_dd - named[f"{part.name}_s"] * c_dd
                torque = part.inertia * turning
                at = (part, centre)
            else:
                force, torque = rate_of_momentum(part, whole, state, a)
                at = (part, part.inertia.centre)
            found = mb.reaction(step, link, on=part, at=at)
            scale = np.linalg.norm(force) + np.linalg.norm(torque) + 1.0
            assert np.linalg.norm(force) > 0.1
            assert np.max(np.abs(found.force - force)) < 1e-10 * scale
            assert np.max(np.abs(found.torque - torque)) < 1e-10 * scale
        if name == "on the ground":
            ground = mb.reaction(step, link)
            assert np.max(np.abs(ground.force + force)) < 1e-10 * scale
            assert np.max(np.abs(ground.torque)) < 1e-10 * scale  # a ball joint turns freely
        if name.startswith("rolling"):
            contact = mb.reaction(step, link)
            assert np.isclose(contact.force[2], step.multiplier("joint touches"), rtol=1e-10, atol=1e-10)
            assert np.max(np.abs(contact.torque)) < 1e-10 * scale  # a point of contact has no torque


def test_a_rod_and_a_particle_on_a_string():
    bar, bob = mb.Rod("bar", mb.rod(1.5, (0, 0, -0.5), (0, 0, 0.5))), mb.Particle("bob", 0.4)
    string = mb.Distance("string", bar, (0, 0, 0.5), bob, (0, 0, 0), length=0.6)
    whole = mb.Mechanism("string", [bar, bob], [string])
    q, v = whole.state(
        bar.pose((0, 0, 0), (1, 0, 0), angular_velocity=(0.1, 2.0, -1.0)), bob.pose((0.5, 0.6, 0), (0.3, 0, 1.0))
    )
    state = g.consistent(whole.system, q, v)
    step = g.accelerate(whole.system, state.q, state.v)
    a = step.acceleration
    on_bob, on_bar = mb.reaction(step, string), mb.reaction(step, string, on=bar, at=(bar, (0, 0, 0)))
    assert np.allclose(on_bob.force, 0.4 * (np.array([a.bob_x, a.bob_y, a.bob_z]) - WEIGHT), atol=1e-12)
    assert np.allclose(on_bar.force, 1.5 * (np.array([a.bar_x, a.bar_y, a.bar_z]) - WEIGHT), atol=1e-12)
    u, second = np.array([whole.named(state.q)[f"bar_u{i}"] for i in (1, 2, 3)]), [a[f"bar_u{i}"] for i in (1, 2, 3)]
    assert np.allclose(on_bar.torque, 1.5 / 12.0 * np.cross(u, second), atol=1e-12)  # J d/dt(u × u̇)
    assert np.linalg.norm(on_bar.torque) > 0.1


def test_reactions_along_a_run_and_in_other_axes():
    both, joint, q = pair("revolute")
    state = states_of(both, q, 1, 7, 0.4)[0]
    run = g.simulate(both.system, state.q, state.v, t_end=0.3, progress="none")
    along = mb.reaction(run, joint)
    assert along.force.shape == along.torque.shape == (len(run), 3)
    k = len(run) // 2
    step = g.accelerate(both.system, run.q[k], run.v[k])
    for axes, R in (
        ("space", np.eye(3)),
        (joint.body1, matrix_of(joint.body1, both.named(run.q[k]))),
        (TURNED, TURNED),
        (mb.GROUND, np.eye(3)),
    ):
        found, one = mb.reaction(run, joint, axes=axes), mb.reaction(step, joint, axes=axes)
        assert np.allclose(found.force[k], one.force, rtol=0, atol=1e-9)
        assert np.allclose(R @ found.force[k], along.force[k], rtol=0, atol=1e-9)
        assert np.allclose(R @ found.torque[k], along.torque[k], rtol=0, atol=1e-9)
    assert np.allclose(along.force[k], [run[f"joint[{j}]"][k] for j in range(3)], rtol=0, atol=1e-10)


def door():
    plate = mb.Body("door", mb.box(30.0, (0.9, 0.04, 2.1)))
    hinges = [mb.Revolute(f"hinge {k}", mb.GROUND, (0, 0, z), plate, (-0.45, 0, z)) for k, z in ((1, -0.8), (2, 0.8))]
    hung = mb.Mechanism("door", [plate], hinges)
    q, v = hung.state(plate.pose((0.45, 0, 0), velocity=(0, 0.45, 0), angular_velocity=(0, 0, 1.0)))
    return hung, hinges, q, v


def test_components_that_redundant_rows_leave_open_are_named_and_the_others_given():
    hung, hinges, q, v = door()
    # two hinges on one line: sixteen rows of rank eleven. Each hinge holds a force and two torques, and what the two
    # share along any of these is open; the torque about the axis is zero
    step = g.accelerate(hung.system, q, v)
    found = mb.reaction(step, hinges[0])
    assert found.undetermined == ("force 1", "force 2", "force 3", "torque 1", "torque 2")
    assert np.all(np.isnan(found.force))
    assert abs(found.torque[2]) < 1e-10
    assert "?" in str(found)
    balls = [
        mb.Spherical(f"ball {k}", mb.GROUND, (0, 0, z), hung.bodies[0], (-0.45, 0, z)) for k, z in ((1, -0.8), (2, 0.8))
    ]
    # on two ball joints only the share of the weight is open: about the lower hinge, height 1.6 m,
    # weight 30·9.81 N at 0.45 m and the central force of 30·0.45·1² N at half of the height
    on_balls = mb.Mechanism("door", hung.bodies, balls)
    inward, couple = 30.0 * 0.45 * 1.0, 30.0 * 9.81 * 0.45
    for answer in (
        g.accelerate(on_balls.system, q, v),
        g.simulate(on_balls.system, q, v, t_end=0.2, progress="none").at(0.0),
    ):
        upper = mb.reaction(answer, balls[1], on=hung.bodies[0])
        assert upper.undetermined == ("force 3",)
        force = np.atleast_2d(upper.force)[0]
        assert np.allclose(force[:2], [-inward / 2 - couple / 1.6, 0.0], rtol=0, atol=1e-9)
        assert np.isnan(force[2])
    rest = mb.reaction(g.equilibrium(on_balls.system, q), balls[1], on=hung.bodies[0])
    assert rest.undetermined == ("force 3",)
    assert np.allclose(rest.force[:2], [-couple / 1.6, 0.0], rtol=0, atol=1e-9)
    tilted = mb.reaction(g.accelerate(on_balls.system, q, v), balls[1], axes=mb.about(Y, 0.3))
    assert tilted.undetermined == ("force 1", "force 3")  # both have a part along the line of the two


@pytest.mark.long
@pytest.mark.parametrize("name", ["revolute", "cylindrical", "universal", "planar", "prismatic", "spherical"])
def test_values_and_rates_of_joints_describe_the_motion_of_body_two_in_body_one(name):
    both, joint, q = pair(name)
    for state in states_of(both, q, 4, 11, 0.6):
        named, rates = both.named(state.q), both.named(state.v)
        value, rate = joint.value(named), joint.rate(named, rates)
        one, two = both.bodies
        R1, R2 = (mb.nearest(matrix_of(body, named)) for body in (one, two))
        omegas = [R @ np.array(body.angular_velocity(named, rates)) for R, body in ((R1, one), (R2, two))]
        relative = R1.T @ (omegas[1] - omegas[0])
        apart = R1.T @ np.array(joint.apart(named))
        if name == "spherical":
            assert np.allclose(value, R1.T @ R2, atol=1e-9)
            assert np.allclose(rate, relative, atol=1e-8)
            continue
        u, w = (np.array(x) for x in across(tuple(AXIS)))
        u2 = R1.T @ R2 @ np.array(across(tuple(joint.axis2))[0]) if name != "prismatic" else None
        if name == "universal":
            e2 = mb.about(AXIS, value[0]) @ u  # axis 2, in body 1
            assert np.allclose(R1.T @ R2 @ joint.axis2, e2, atol=1e-8)
            assert np.allclose(relative, rate[0] * AXIS + rate[1] * e2, atol=1e-7)
            assert np.allclose(mb.about(e2, value[1]).T @ u2, AXIS, atol=1e-8)
            continue
        angle = {"revolute": value, "cylindrical": value[0] if name == "cylindrical" else 0.0}.get(name)
        angle = value[2] if name == "planar" else angle
        turning = {"revolute": rate, "prismatic": 0.0}.get(name)
        turning = turning if turning is not None else (rate[0] if name == "cylindrical" else rate[2])
        if angle is not None:
            assert np.allclose(mb.about(AXIS, angle) @ u, u2, atol=1e-8)
        assert np.allclose(relative, turning * AXIS, atol=1e-7)
        moved = {"revolute": (), "prismatic": (AXIS,), "cylindrical": (AXIS,), "planar": (u, w)}[name]
        shown = {"prismatic": (value,), "cylindrical": value[1:] if name == "cylindrical" else ()}.get(name, ())
        shown = value[:2] if name == "planar" else shown
        for e, x in zip(moved, shown, strict=True):
            assert np.isclose(e @ apart, x, atol=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("name", ["cylindrical", "planar", "prismatic", "pin", "slider", "universal", "revolute"])
def test_rates_are_the_derivatives_of_values_along_a_motion(name):
    if name in JOINTS:
        both, joint, q = pair(name)
    else:
        bodies = [mb.PlanarBody("one", 1.0, 0.2), mb.PlanarBody("two", 2.0, 0.3)]
        joint = {
            "pin": lambda: mb.Pin("joint", bodies[0], (0.4, 0.1), bodies[1], (0.4, 0.1)),
            "slider": lambda: mb.Slider("joint", bodies[0], (0.4, 0.1), bodies[1], (0.4, 0.1), (0.6, 0.8)),
        }[name]()
        both = mb.Mechanism(name, bodies, [joint])
        q, _ = both.state(*(body.pose() for body in bodies))
    state = states_of(both, q, 1, 13, 0.3)[0]
    run = g.simulate(both.system, state.q, state.v, t_end=0.02, progress="none")
    h = 1e-3
    near = [both.named(run.at(0.01 + k * h).q[0]) for k in (-2, -1, 1, 2)]
    now = run.at(0.01)
    values = np.array([np.atleast_1d(joint.value(x)) for x in near])
    found = np.atleast_1d(np.array(joint.rate(both.named(now.q[0]), both.named(now.v[0]))))
    numeric = (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * h)
    assert np.allclose(found, numeric, rtol=0, atol=1e-8 * (1 + np.max(np.abs(found))))
    assert np.max(np.abs(found)) > 1e-2


def test_the_teeth_of_a_gear_act_on_both_wheels_and_on_the_ground():
    one, two = mb.PlanarBody("one", 1.0, 0.2), mb.PlanarBody("two", 2.0, 0.4)
    pins = [mb.Pin("p1", mb.GROUND, (0, 0), one, (0, 0)), mb.Pin("p2", mb.GROUND, (0.3, 0), two, (0, 0))]
    gear = mb.Gear("gear", *pins, -2.0)
    wheels = mb.Mechanism("wheels", [one, two], [*pins, gear], [mb.Torque("motor", one, 1.0)])
    step = g.accelerate(wheels.system, wheels.state(one.pose(), two.pose((0.3, 0)))[0])
    torques = [mb.reaction(step, gear, on=body).torque for body in (one, two, mb.GROUND)]
    rates = step.acceleration.one_s, step.acceleration.two_s  # about z, at the angle 0
    assert abs(rates[1]) > 1.0
    assert np.allclose(
        torques, [0.2 * rates[0] - 1.0, 0.4 * rates[1], 1.0 - 0.2 * rates[0] - 0.4 * rates[1]], atol=1e-12
    )
    assert np.allclose(mb.reaction(step, gear, on=one).force, 0.0, atol=1e-12)


def test_wrong_arguments_of_reaction_say_what_is_expected():
    both, joint, q = pair("revolute")
    step = g.accelerate(both.system, q)
    stranger = lopsided("stranger", 1.0)
    run = swing()[0]
    for wrong, words in (
        (lambda: mb.reaction(step, "joint"), "give the part itself"),
        (lambda: mb.reaction(step, 3), "needs a joint"),
        (lambda: mb.reaction(3.0, joint), "a Verdict"),
        (lambda: mb.reaction(step, joint, on=stranger), "not on 'stranger'"),
        (lambda: mb.reaction(step, mb.Spherical("other", *both.bodies[:1], C1, both.bodies[1], C2)), "rows of 'other'"),
        (lambda: mb.reaction(step, joint, axes="body"), "known: one, two"),
        (lambda: mb.reaction(run, "hinge", axes="bdy"), "did you mean 'body'"),
        (lambda: mb.reaction(run, "hinge", on="other"), "not on 'other'"),
        (lambda: mb.reaction(step, joint, axes=stranger), "not in the model"),
        (lambda: mb.reaction(step, joint, at=(0, 0, 0)), "at needs a body"),
        (lambda: mb.reaction(step, joint, at=(stranger, (0, 0, 0))), "not in the model"),
    ):
        with pytest.raises(g.errors.InputError, match=words):
            wrong()


def test_rows_with_the_name_of_a_joint_are_not_counted_as_its_reaction():
    """The rows "arm" and "arm[0]", "arm[1]" would add up to a torque that a pin cannot exert."""
    bar = mb.PlanarBody("bar", 1.0, 0.1, (0.5, 0.0))
    pin = mb.Pin("arm", mb.GROUND, (0, 0), bar, (0, 0))
    both = mb.Mechanism("both", [bar], [pin], constraints=[g.Holonomic("arm", lambda q: q.bar_s)])
    step = g.accelerate(both.system, *both.state(bar.pose()))
    with pytest.raises(g.errors.InputError, match="several parts of the model have rows called 'arm'"):
        mb.reaction(step, pin)
