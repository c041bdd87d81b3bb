"""Statics, inverse dynamics, bushings and the work of forces, against closed forms and textbook formulas."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import brentq

import gauss as g
from gauss import bodies as mb

X, Y, Z = np.eye(3)
GRAVITY = 9.81


def quiet(system, q, v, t_end, **options):
    return g.simulate(system, q, v, t_end=t_end, progress="none", **options)


# ------------------------------------------------------------------ equilibrium


def hanging_chain(count, length, span, spatial):
    """A chain of equal bars between two points at the same height, drawn as a polygon with its supports apart."""
    down = np.linspace(-1.0, 1.0, count)
    if spatial:
        inertia = mb.Inertia.of_tensor(
            2.0, np.array([0.01, 1.0, 1.0]) * 2.0 * length**2 / 12, centre=(length / 2, 0, 0)
        )
        bars = [mb.Body(f"bar{k}", inertia) for k in range(count)]
        hinge = lambda name, a, p, b, r: mb.Revolute(name, a, p, b, r, Y)  # noqa: E731
        points = lambda x: (x, 0.0, 0.0)  # noqa: E731
    else:
        bars = [mb.PlanarBody(f"bar{k}", 2.0, 2.0 * length**2 / 12, (length / 2, 0)) for k in range(count)]
        hinge, points = mb.Pin, lambda x: (x, 0.0)
    joints = [hinge("left", mb.GROUND, points(0.0), bars[0], points(0.0))]
    joints += [hinge(f"pin{k}", bars[k - 1], points(length), bars[k], points(0.0)) for k in range(1, count)]
    if spatial:  # five rows and three of a ball joint: the last hinge would be redundant in the plane of the chain
        joints.append(mb.Spherical("right", bars[-1], points(length), mb.GROUND, points(span)))
    else:
        joints.append(mb.Pin("right", bars[-1], points(length), mb.GROUND, points(span)))
    chain = mb.Mechanism("chain", bars, joints)
    angles = 0.9 * down  # a guess that hangs
    poses, at = [], np.zeros(2)
    for bar, angle in zip(bars, angles, strict=True):
        if spatial:
            poses.append(bar.pose((at[0], 0.0, at[1]), mb.about(Y, -angle)))
        else:
            poses.append(bar.pose(at, angle))
        at = at + length * np.array([np.cos(angle), np.sin(angle)])
    return chain, joints, chain.state(*poses)[0]


@pytest.mark.parametrize("spatial", [False, True])
def test_a_hanging_chain_of_bars_has_the_angles_and_tension_of_its_force_polygon(spatial):
    count, length, span = 5, 0.4, 1.4
    chain, joints, q = hanging_chain(count, length, span, spatial)
    found = g.equilibrium(chain.system, q)
    weight = 2.0 * GRAVITY

    def angles(tension):
        """Each half bar adds half a weight to the vertical force; symmetric, so the supports carry half each."""
        return np.arctan((np.arange(count) + 0.5 - count / 2) * weight / tension)

    tension = brentq(lambda H: length * np.sum(np.cos(angles(H))) - span, 1e-3, 1e4, xtol=1e-13)
    placed = chain.named(found.state.q)
    for bar, angle in zip(chain.bodies, angles(tension), strict=True):
        e = bar.placed(placed).direction((1, 0, 0) if spatial else (1, 0))
        assert np.allclose([e[0], e[-1]], [np.cos(angle), np.sin(angle)], rtol=0, atol=1e-10)
    left, right = mb.reaction(found, joints[0]), mb.reaction(found, joints[-1], on=chain.bodies[-1])
    assert np.allclose([left.force[0], left.force[-1]], [-tension, count * weight / 2], rtol=1e-9)
    assert np.allclose([right.force[0], right.force[-1]], [tension, count * weight / 2], rtol=1e-9)
    middle = mb.reaction(found, joints[2])  # of bar 1 on bar 2: it pulls to the left and up by what bar 2 shares
    assert np.allclose([middle.force[0], middle.force[-1]], [-tension, weight / 2], rtol=1e-9)


# ------------------------------------------------------------------ inverse dynamics


def arm():
    """Two links in a vertical plane, in the axes of the textbook formula: angles from x, the second from the first."""
    m, l, r, J = (3.0, 1.7), (0.8, 0.6), (0.35, 0.25), (0.2, 0.07)
    links = [mb.PlanarBody(f"link{k}", m[k], J[k], (r[k], 0)) for k in range(2)]
    joints = [
        mb.Pin("shoulder", mb.GROUND, (0, 0), links[0], (0, 0)),
        mb.Pin("elbow", links[0], (l[0], 0), links[1], (0, 0)),
    ]
    return mb.Mechanism("arm", links, joints), joints, (m, l, r, J)


def arm_state(mechanism, l, angle, rate):
    one, two = mechanism.bodies
    (a, b), (da, db) = angle, rate
    elbow = l[0] * np.array([np.cos(a), np.sin(a)])
    return mechanism.state(
        one.pose((0, 0), a, (0, 0), da),
        two.pose(elbow, a + b, l[0] * da * np.array([-np.sin(a), np.cos(a)]), da + db),
    )


def textbook(numbers, angle, rate, second):
    """Spong, Hutchinson, Vidyasagar, Robot Modeling and Control, § 7.4: M q̈ + C q̇ + g of the elbow arm."""
    m, l, r, J = numbers
    (a, b), (da, db) = angle, rate
    d22 = m[1] * r[1] ** 2 + J[1]
    d12 = d22 + m[1] * l[0] * r[1] * np.cos(b)
    d11 = m[0] * r[0] ** 2 + J[0] + m[1] * (l[0] ** 2 + r[1] ** 2 + 2 * l[0] * r[1] * np.cos(b)) + J[1]
    h = -m[1] * l[0] * r[1] * np.sin(b)
    g2 = m[1] * r[1] * GRAVITY * np.cos(a + b)
    g1 = (m[0] * r[0] + m[1] * l[0]) * GRAVITY * np.cos(a) + g2
    return np.array(
        [
            d11 * second[0] + d12 * second[1] + h * db * da + h * (da + db) * db + g1,
            d12 * second[0] + d22 * second[1] - h * da * da + g2,
        ]
    )


@pytest.mark.parametrize("seed", range(3))
def test_the_drives_of_a_two_link_arm_are_those_of_the_textbook(seed):
    rng = np.random.default_rng(seed)
    mechanism, joints, numbers = arm()
    angle, rate, second = rng.uniform(-3, 3, 2), 3 * rng.normal(size=2), 5 * rng.normal(size=2)
    q, v = arm_state(mechanism, numbers[1], angle, rate)
    found = mb.inverse_dynamics(mechanism, q, v, dict(zip(joints, second, strict=True)))
    exact = textbook(numbers, angle, rate, second)
    assert np.allclose([found.force(joint) for joint in joints], exact, rtol=0, atol=1e-10 * np.max(np.abs(exact)))
    assert found.undetermined == ()
    # the same torques as forces give the accelerations back
    motors = [
        mb.Torque("motor 1", mechanism.bodies[0], exact[0]),
        mb.Torque("motor 2", mechanism.bodies[1], exact[1], reaction=mechanism.bodies[0]),
    ]
    driven = mb.Mechanism("driven", mechanism.bodies, joints, motors)
    assert np.allclose(g.accelerate(driven.system, q, v).a, found.a, rtol=1e-9, atol=1e-9)


def test_an_arm_driven_at_the_elbow_alone_moves_its_shoulder_by_the_principle():
    mechanism, joints, numbers = arm()
    angle, rate = np.array([0.4, 1.1]), np.array([1.0, -2.0])
    q, v = arm_state(mechanism, numbers[1], angle, rate)
    found = mb.inverse_dynamics(mechanism, q, v, {joints[1]: 4.0})
    zero, unit = (textbook(numbers, angle, rate, (x, 4.0)) for x in (0.0, 1.0))
    shoulder = -zero[0] / (unit[0] - zero[0])  # the acceleration that leaves the shoulder without torque
    assert np.isclose(found.force("elbow"), textbook(numbers, angle, rate, (shoulder, 4.0))[1], rtol=1e-11)


def test_the_torque_that_holds_a_pendulum_in_space_and_the_force_on_a_slide():
    m, l = 2.0, 0.7
    body = mb.Body("bob", mb.Inertia.of_tensor(m, [0.1, 0.1, 0.05], centre=(0, 0, -l)))
    hinge = mb.Revolute("hinge", mb.GROUND, (0, 0, 0), body, (0, 0, 0), Y)
    pendulum = mb.Mechanism("pendulum", [body], [hinge])
    q, v = pendulum.state(body.pose(rotation=mb.about(Y, -0.6), angular_velocity=(0, -1.5, 0)))
    held = mb.inverse_dynamics(pendulum, q, None, {hinge: 0.0})
    assert np.isclose(held.force(hinge), -m * GRAVITY * l * np.sin(0.6), rtol=1e-12)
    driven = mb.inverse_dynamics(pendulum, q, v, {hinge: 2.5})
    assert np.isclose(driven.force(hinge), (0.1 + m * l**2) * 2.5 - m * GRAVITY * l * np.sin(0.6), rtol=1e-12)
    block = mb.Body("block", mb.box(m, (0.1, 0.1, 0.1)))
    slide = mb.Prismatic("slide", mb.GROUND, (0, 0, 0), block, (0, 0, 0), axis1=(0.6, 0.0, 0.8))
    lifted = mb.Mechanism("lift", [block], [slide])
    found = mb.inverse_dynamics(lifted, lifted.state(block.pose())[0], None, {slide: 1.5})
    assert np.isclose(found.force("slide"), m * (1.5 + 0.8 * GRAVITY), rtol=1e-12)


@pytest.mark.parametrize("spatial", [False, True])
def test_a_slide_on_a_turning_beam_needs_the_drives_of_polar_coordinates(spatial):
    J, m, inner = 0.4, 1.5, 0.02
    r, angle, r_dot, rate, r_second, second = 0.6, 0.7, -0.8, 2.0, 3.0, -1.5
    e, n = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    if spatial:  # in the plane of x and z, turning about −y
        raised = lambda x: np.array([x[0], 0.0, x[1]])  # noqa: E731
        bodies = [
            mb.Body(name, mb.Inertia.of_tensor(k, [I, I, I])) for name, k, I in (("beam", 2, J), ("block", m, inner))
        ]
        joints = [
            mb.Revolute("pin", mb.GROUND, (0, 0, 0), bodies[0], (0, 0, 0), -Y),
            mb.Prismatic("slide", bodies[0], (0, 0, 0), bodies[1], (0, 0, 0), axis1=X),
        ]
        R, spin = mb.about(-Y, angle), (0, -rate, 0)
        poses = [
            bodies[0].pose(rotation=R, angular_velocity=spin),
            bodies[1].pose(raised(r * e), R, raised(r_dot * e + r * rate * n), spin),
        ]
    else:
        bodies = [mb.PlanarBody(name, k, I) for name, k, I in (("beam", 2.0, J), ("block", m, inner))]
        joints = [
            mb.Pin("pin", mb.GROUND, (0, 0), bodies[0], (0, 0)),
            mb.Slider("slide", bodies[0], (0, 0), bodies[1], (0, 0), (1, 0)),
        ]
        poses = [
            bodies[0].pose((0, 0), angle, (0, 0), rate),
            bodies[1].pose(r * e, angle, r_dot * e + r * rate * n, rate),
        ]
    beam = mb.Mechanism("beam", bodies, joints)
    found = mb.inverse_dynamics(beam, *beam.state(*poses), dict(zip(joints, (second, r_second), strict=True)))
    force = m * (r_second - r * rate**2) + m * GRAVITY * np.sin(angle)
    torque = (J + inner) * second + m * r * (r * second + 2 * r_dot * rate) + m * GRAVITY * r * np.cos(angle)
    assert np.allclose([found.force("slide"), found.force("pin")], [force, torque], rtol=1e-11)


def four_bar(angle):
    """Crank, coupler and rocker on two pins, closed by trigonometry; and the height of their centres of mass."""
    crank, coupler, rocker, base = 0.3, 0.9, 0.7, 0.8
    A = crank * np.array([np.cos(angle), np.sin(angle)])
    apart = np.array([base, 0.0]) - A
    d = np.linalg.norm(apart)
    turn = np.arccos((coupler**2 + d**2 - rocker**2) / (2 * coupler * d))
    direction = np.arctan2(apart[1], apart[0]) + turn
    B = A + coupler * np.array([np.cos(direction), np.sin(direction)])
    back = np.arctan2(B[1], B[0] - base)
    masses = (1.0, 2.0, 1.5)
    energy = GRAVITY * (masses[0] * A[1] / 2 + masses[1] * (A[1] + B[1]) / 2 + masses[2] * B[1] / 2)
    bars = [
        mb.PlanarBody(name, m, m * l**2 / 12, (l / 2, 0))
        for name, m, l in zip(("crank", "coupler", "rocker"), masses, (crank, coupler, rocker), strict=True)
    ]
    pins = [
        mb.Pin("motor", mb.GROUND, (0, 0), bars[0], (0, 0)),
        mb.Pin("A", bars[0], (crank, 0), bars[1], (0, 0)),
        mb.Pin("B", bars[1], (coupler, 0), bars[2], (rocker, 0)),
        mb.Pin("D", mb.GROUND, (base, 0), bars[2], (0, 0)),
    ]
    linkage = mb.Mechanism("four-bar", bars, pins)
    poses = [bars[0].pose((0, 0), angle), bars[1].pose(A, direction), bars[2].pose((base, 0), back)]
    return linkage, pins, linkage.state(*poses)[0], energy


def test_the_torque_that_holds_a_four_bar_is_that_of_virtual_work():
    for angle in (0.5, 2.0, 4.0):
        linkage, pins, q, _ = four_bar(angle)
        h = 1e-3
        V = [four_bar(angle + k * h)[3] for k in (-2, -1, 1, 2)]
        exact = (V[0] - 8 * V[1] + 8 * V[2] - V[3]) / (12 * h)
        held = mb.inverse_dynamics(linkage, q, None, {pins[0]: 0.0})
        assert np.isclose(held.force("motor"), exact, rtol=1e-9)


def test_drives_that_can_stand_in_for_each_other_are_named_and_contradictions_refused():
    linkage, pins, q, _ = four_bar(0.5)
    twice = mb.inverse_dynamics(linkage, q, None, {pins[0]: 0.0, pins[3]: 0.0})
    assert set(twice.undetermined) == {"motor drive", "D drive"}
    assert np.all(np.isnan(twice.forces["motor"]))
    with pytest.raises(g.errors.ContradictoryRowsError):
        mb.inverse_dynamics(linkage, q, None, {pins[0]: 0.0, pins[3]: 1.0})
    for wrong, words in (
        ({}, "dict from joints"),
        ({pins[0]: (1.0, 2.0)}, "acceleration of 'motor'"),
        (
            {mb.Distance("rope", *linkage.bodies[:1], (0, 0), linkage.bodies[1], (0, 0), length=1.0): 0.0},
            "no coordinate",
        ),
        ({mb.Pin("x", mb.GROUND, (0, 0), mb.PlanarBody("z", 1.0, 1.0), (0, 0)): 0.0}, "not in 'four-bar'"),
    ):
        with pytest.raises(g.errors.InputError, match=words):
            mb.inverse_dynamics(linkage, q, None, wrong)
    with pytest.raises(g.errors.InputError, match="is not driven"):
        twice.force("B")


# ------------------------------------------------------------------ power and work


def test_the_kinetic_energy_changes_by_the_work_of_all_forces_and_of_a_moving_support():
    bodies = [mb.PlanarBody("one", 1.2, 0.1, (0.3, 0)), mb.PlanarBody("two", 0.8, 0.05, (0.25, 0))]
    shaken = g.Holonomic("shaker", lambda q, t: [q.one_x - 0.1 * g.sin(7.0 * t), q.one_y])
    elbow = mb.Pin("elbow", bodies[0], (0.6, 0), bodies[1], (0, 0))

    drive = SimpleNamespace(name="shaker", bodies=(bodies[0],), constraints=lambda: [shaken])

    forces = [
        mb.Spring("spring", mb.GROUND, (0, -1), bodies[1], (0.5, 0), 40.0, 0.3, 1.5),
        mb.Spring("elastic", mb.GROUND, (1, 0), bodies[0], (0.5, 0), 25.0),
        mb.Torque("motor", bodies[1], lambda t, u: u.k * g.cos(3.0 * t), reaction=bodies[0]),
        mb.PointForce("push", bodies[1], (0.5, 0), lambda v: (-0.4 * v.two_x, 0.2)),
    ]
    moved = mb.Mechanism("moved", bodies, [drive, elbow], forces, controls="k")
    q, v = moved.state(
        bodies[0].pose((0, 0), -1.0, (0.7, 0), 0.0),
        bodies[1].pose(0.6 * np.array([np.cos(1), -np.sin(1)]), -0.5, (0.7, 0)),
    )
    run = quiet(moved.system, q, v, 2.0, control=[2.0])
    heights = np.array([body.mass * body.centre_of(run)[1] for body in bodies])
    weights = -GRAVITY * (heights.sum(axis=0) - heights[:, 0].sum())
    works = {part.name: mb.work(run, part) for part in (*forces, drive, elbow)}
    gained = run.kinetic - run.kinetic[0]
    assert np.max(np.abs(sum(works.values()) + weights - gained)) < 1e-8 * np.max(np.abs(gained))
    for name in ("spring", "elastic", "motor", "push", "shaker"):
        assert np.max(np.abs(works[name])) > 0.05
    assert np.max(np.abs(works["elbow"])) < 1e-12  # an ideal joint at rest does no work
    for part in (forces[0], forces[1], drive):  # power is the derivative of the work
        h = 1e-3
        near = run.at([1.0 - 2 * h, 1.0 - h, 1.0, 1.0 + h, 1.0 + 2 * h])
        done = mb.work(near, part)
        numeric = (done[0] - 8 * done[1] + 8 * done[3] - done[4]) / (12 * h)
        assert np.isclose(mb.power(near, part)[2], numeric, rtol=1e-6)


def test_a_driven_pendulum_needs_the_torque_of_its_equation_by_every_way_of_asking():
    m, l, J = 2.0, 0.7, 0.1
    body = mb.Body("bob", mb.Inertia.of_tensor(m, [J, J, 0.05], centre=(0, 0, -l)))
    hinge = mb.Revolute("hinge", mb.GROUND, (0, 0, 0), body, (0, 0, 0), Y)
    drive = mb.Driver("drive", hinge, lambda t: 0.5 * g.sin(3.0 * t))
    driven = mb.Mechanism("driven", [body], [hinge, drive])
    run = quiet(driven.system, *driven.state(body.pose(angular_velocity=(0, 1.5, 0))), 1.0)
    angle, rate, second = 0.5 * np.sin(3 * run.t), 1.5 * np.cos(3 * run.t), -4.5 * np.sin(3 * run.t)
    torque = (J + m * l**2) * second + m * GRAVITY * l * np.sin(angle)
    asked = mb.reaction(run, drive)
    assert np.allclose(asked.torque, torque[:, None] * Y, rtol=0, atol=1e-9)
    assert np.allclose(asked.force, 0.0, atol=1e-9)
    assert np.allclose(mb.reaction(run, hinge).torque[:, 1], 0.0, atol=1e-9)
    assert np.allclose(mb.power(run, drive), torque * rate, rtol=0, atol=1e-9)
    assert np.allclose(mb.work(run, drive), run.energy - run.energy[0], rtol=0, atol=1e-9)
    free = mb.Mechanism("free", [body], [hinge])
    k = len(run) // 2
    found = mb.inverse_dynamics(free, run.q[k], run.v[k], {hinge: second[k]})
    assert np.isclose(found.force(hinge), torque[k], rtol=0, atol=1e-8)


def test_wrong_arguments_of_power_say_what_is_expected():
    linkage, pins, q, _ = four_bar(0.5)
    run = quiet(linkage.system, q, None, 0.1)
    stranger = mb.PointForce("push", mb.PlanarBody("z", 1.0, 1.0), (0, 0), (1.0, 0.0))
    for call, words in (
        (lambda: mb.power(3.0, pins[0]), "run of gauss.simulate"),
        (lambda: mb.work(run, "engine"), "there is no joint or force 'engine'"),
        (lambda: mb.power(run, stranger), "not in 'four-bar'"),
    ):
        with pytest.raises(g.errors.InputError, match=words):
            call()


def test_the_forces_of_springs_and_motors_on_bodies_are_those_of_their_laws():
    one, two = (mb.Body(name, mb.Inertia.of_tensor(1.3, [0.4, 0.6, 0.7])) for name in ("one", "two"))
    spring = mb.Spring("spring", one, (0.1, 0.2, 0), two, (0, 0.3, 0.1), 40.0, 0.5, 3.0)
    motor = mb.Torque("motor", two, (0.2, 0.0, 1.0), axes="body", reaction=one)
    pair = mb.Mechanism("pair", [one, two], [], [spring, motor], gravity=(0, 0, 0))
    R = mb.about((1, 0, 2), 1.0)
    q, v = pair.state(one.pose((0.5, 0, 0), R, (0.4, 0.1, 0)), two.pose((0, 1, 0), angular_velocity=(1, 0, -1)))
    run = quiet(pair.system, q, v, 0.3)
    k = len(run) - 1
    named, rates = pair.named(run.q[k]), pair.named(run.v[k])
    ends = [np.array(body.placed(named).point(at)) for body, at in ((one, (0.1, 0.2, 0)), (two, (0, 0.3, 0.1)))]
    speeds = [np.array(body.placed(rates).point(at)) for body, at in ((one, (0.1, 0.2, 0)), (two, (0, 0.3, 0.1)))]
    d, d_rate = ends[1] - ends[0], speeds[1] - speeds[0]
    length = np.linalg.norm(d)
    pull = -(40.0 * (length - 0.5) + 3.0 * d @ d_rate / length) * d / length
    found, back = mb.applied(run, spring), mb.applied(run, spring, on=one)
    assert np.allclose(found.force[k], pull, rtol=1e-10)
    assert np.allclose(found.torque[k], 0.0, atol=1e-12)  # about its own end
    assert np.allclose(back.force[k], -pull, rtol=1e-10)
    assert np.allclose(back.torque[k], 0.0, atol=1e-12)  # the line of the force goes through the other end
    turn = mb.applied(run, motor, axes=two)
    assert np.allclose(turn.torque[k], (0.2, 0.0, 1.0), atol=1e-12)
    assert np.allclose(turn.force[k], 0.0, atol=1e-12)
    for call, words in (
        (lambda: mb.applied(run, "springs"), "did you mean 'spring'"),
        (lambda: mb.reaction(run, spring), "`applied` gives"),
    ):
        with pytest.raises(g.errors.InputError, match=words):
            call()


# ------------------------------------------------------------------ bushings and wrenches

K = np.array([[3.0, 0.4, 0.1], [0.4, 2.0, -0.3], [0.1, -0.3, 1.5]])
KAPPA = np.array([[0.5, 0.05, 0.0], [0.05, 0.4, -0.02], [0.0, -0.02, 0.7]])
FRAME, REST = mb.about((1, 2, 0.5), 0.7), mb.about((0, 1, 1), 1.1)


def on_bushing(**options):
    """Two bodies of which the second, turned by REST against the first, is held by a bushing."""
    one = mb.Body("one", mb.Inertia.of_tensor(1.3, [0.4, 0.6, 0.7], centre=(0.1, -0.2, 0.3)))
    two = mb.Body("two", mb.Inertia.of_tensor(0.8, [0.2, 0.3, 0.25], centre=(0.0, 0.1, 0.2)))
    b1, b2 = (0.3, -0.1, 0.2), (-0.2, 0.4, 0.1)
    bushing = mb.Bushing("bushing", one, b1, two, b2, K, KAPPA, frame=FRAME, orientation=REST, **options)
    held = mb.Mechanism("held", [one, two], [], [bushing], gravity=(0, 0, 0))
    return held, bushing, np.array(b1), np.array(b2)


def displaced(held, b1, b2, move, turn, **motion):
    """Body 1 somewhere, body 2 moved and turned in frame 1 (m, rad) from where the bushing is at rest."""
    R1 = mb.about((3, -1, 2), 0.9)
    size = float(np.linalg.norm(turn))
    inner = mb.about(turn, size) if size else np.eye(3)
    R2 = R1 @ FRAME @ inner @ FRAME.T @ REST
    a1 = np.array([0.5, 1.0, -0.4])
    a2 = a1 + R1 @ b1 + R1 @ FRAME @ move - R2 @ b2
    return held.state(held.bodies[0].pose(a1, R1), held.bodies[1].pose(a2, R2, **motion)), R1 @ FRAME


def wrench_on(body, held, q, step, about):
    """Force and torque about a place in space that give a body at rest its acceleration."""
    a, c = step.acceleration, body.inertia.centre
    R, second = ([[x[f"{body.name}_R{i}{j}"] for j in (1, 2, 3)] for i in (1, 2, 3)] for x in (held.named(q), a))
    inner = np.array(R).T @ np.array(second)
    omega_dot = np.array([inner[2, 1] - inner[1, 2], inner[0, 2] - inner[2, 0], inner[1, 0] - inner[0, 1]]) / 2
    force = body.inertia.mass * (np.array([a[f"{body.name}_{x}"] for x in "xyz"]) + np.array(second) @ c)
    centre = np.array(body.centre_of(held.named(q)))
    return force, np.array(R) @ body.inertia.central_tensor @ omega_dot + np.cross(centre - about, force)


def test_a_bushing_has_its_stiffness_for_small_displacements_and_turns():
    held, bushing, b1, b2 = on_bushing()
    move, turn = 1e-5 * np.array([1.0, -2.0, 0.5]), 1e-5 * np.array([0.7, 1.0, -1.2])
    (q, _), frame = displaced(held, b1, b2, move, turn)
    named = held.named(q)
    assert np.allclose(bushing.displacement(named), move, rtol=0, atol=1e-15)
    assert np.allclose(bushing.turn(named), mb.about(turn, np.linalg.norm(turn)), rtol=0, atol=1e-14)
    assert np.isclose(bushing.potential(named), (move @ K @ move + turn @ KAPPA @ turn) / 2, rtol=1e-4)
    step = g.accelerate(held.system, q)
    place = np.array(held.bodies[1].placed(named).point(b2))
    force, torque = wrench_on(held.bodies[1], held, q, step, place)
    assert np.allclose(frame.T @ force, -K @ move, rtol=0, atol=1e-4 * np.linalg.norm(K @ move))
    assert np.allclose(frame.T @ torque, -KAPPA @ turn, rtol=0, atol=1e-4 * np.linalg.norm(KAPPA @ turn))
    back, turned = wrench_on(held.bodies[0], held, q, step, place)
    assert np.allclose(back, -force, rtol=0, atol=1e-15)
    assert np.allclose(turned, -torque, rtol=0, atol=1e-15)


def test_a_bushing_turned_far_has_the_torque_of_its_potential():
    held, _, b1, b2 = on_bushing()
    axis, angle = np.array([0.0, 0.6, 0.8]), 2.0
    (q, _), frame = displaced(held, b1, b2, np.zeros(3), axis * angle)
    place = np.array(held.bodies[1].placed(held.named(q)).point(b2))
    force, torque = wrench_on(held.bodies[1], held, q, g.accelerate(held.system, q), place)
    assert np.allclose(force, 0.0, atol=1e-13)
    assert np.isclose(axis @ frame.T @ torque, -axis @ KAPPA @ axis * np.sin(angle), rtol=1e-12)


def test_the_dampers_of_a_bushing_resist_the_relative_motion_and_take_the_energy():
    held, bushing, b1, b2 = on_bushing(damping=(0.3, 0.5, 0.2), torsional_damping=0.04)
    (q, v), _ = displaced(
        held, b1, b2, np.array([0.1, 0.05, -0.1]), np.array([0.3, 0.2, -0.4]), velocity=(0.3, 0, 0.1),
        angular_velocity=(1, -2, 0.5),
    )  # fmt: skip
    run = quiet(held.system, q, v, 3.0)
    lost = run.energy - run.energy[0]
    taken = mb.work(run, bushing) + np.array([bushing.potential(held.named(x)) for x in run.q])
    assert np.max(np.abs(taken - taken[0] - lost)) < 1e-9 * run.energy[0]
    assert run.energy[-1] < 0.9 * run.energy[0]
    assert np.all(np.diff(run.energy) < 0.0)
    k = len(run) // 3
    named, rates = held.named(run.q[k]), held.named(run.v[k])
    h = 1e-4
    near = [np.array(bushing.displacement(held.named(run.at(run.t[k] + j * h).q[0]))) for j in (-2, -1, 1, 2)]
    d_rate, relative = bushing.rates(named, rates)
    assert np.allclose(d_rate, (near[0] - 8 * near[1] + 8 * near[2] - near[3]) / (12 * h), atol=1e-9)
    heat = d_rate @ np.diag([0.3, 0.5, 0.2]) @ d_rate + 0.04 * np.dot(relative, relative)
    V_rate = mb.power(run, bushing)[k] + heat  # what is left is −dV/dt
    V = [bushing.potential(held.named(run.at(run.t[k] + j * h).q[0])) for j in (-2, -1, 1, 2)]
    assert np.isclose(-V_rate, (V[0] - 8 * V[1] + 8 * V[2] - V[3]) / (12 * h), rtol=1e-6)


def test_momentum_of_bodies_on_a_damped_bushing_is_kept():
    held, _, b1, b2 = on_bushing(damping=0.5, torsional_damping=0.1)
    (q, v), _ = displaced(
        held, b1, b2, np.array([0.2, 0.1, 0.3]), np.array([0.5, 0.2, 0.1]), angular_velocity=(2, 1, 0)
    )
    run = quiet(held.system, q, v, 2.0)

    def angular(k):
        total = np.zeros(3)
        for body in held.bodies:
            named, rates = held.named(run.q[k]), held.named(run.v[k])
            R = np.array([[named[f"{body.name}_R{i}{j}"] for j in (1, 2, 3)] for i in (1, 2, 3)])
            spin = R @ body.inertia.central_tensor @ np.array(body.angular_velocity(named, rates))
            c, speed = np.array(body.centre_of(named)), np.array(body.centre_of(rates))
            total += spin + body.inertia.mass * np.cross(c, speed)
        return total

    first, last = angular(0), angular(len(run) - 1)
    assert np.linalg.norm(first) > 0.1
    assert np.allclose(first, last, rtol=0, atol=1e-9)


def test_bushings_share_a_load_by_their_stiffness_where_joints_leave_it_open():
    plate = mb.Body("door", mb.box(30.0, (0.9, 0.04, 2.1)))
    stiffness = 3e7, 1e7
    hinges = [
        mb.Bushing(f"hinge {k}", mb.GROUND, (0, 0, z), plate, (-0.45, 0, z), K, (1e3, 1e3, 1.0))
        for k, z, K in ((1, -0.8, stiffness[0]), (2, 0.8, stiffness[1]))
    ]
    hung = mb.Mechanism("door", [plate], [], hinges)
    found = g.equilibrium(hung.system, hung.state(plate.pose((0.45, 0, 0)))[0])
    weight, inward = 30.0 * GRAVITY, 30.0 * GRAVITY * 0.45 / 1.6
    forces = [mb.applied(found, hinge).force for hinge in hinges]
    # against the couple stand the forces with 7.5e6 · 1.6² = 1.9e7 N m and the torsion with 2e3, 1e-4 of it
    assert np.allclose([force[2] for force in forces], [0.75 * weight, 0.25 * weight], rtol=1e-4)
    assert np.allclose([force[0] for force in forces], [inward, -inward], rtol=5e-4)
    assert np.allclose(forces[0] + forces[1], (0, 0, weight), rtol=0, atol=1e-8)


@pytest.mark.parametrize("axes", ["space", "body"])
def test_a_wrench_is_its_force_and_its_torque_with_their_reactions(axes):
    one, two = (mb.Body(name, mb.Inertia.of_tensor(1.3, [0.4, 0.6, 0.7])) for name in ("one", "two"))
    force, torque, at = (1.0, 2.0, -0.5), (0.3, 0.1, 0.4), (0.2, 0.1, 0.6)
    pull = mb.Wrench("wrench", one, at, force, lambda t: [0.3 + t, 0.1, 0.4], axes, reaction=two)
    pair = mb.Mechanism("pair", [one, two], [], [pull], gravity=(0, 0, 0))
    R = mb.about((1, 0, 2), 1.0)
    q, _ = pair.state(one.pose((1, 0, 0), R), two.pose((0, 2, 0), mb.about((0, 1, 1), -0.7)))
    step, turned = g.accelerate(pair.system, q), R if axes == "body" else np.eye(3)
    place = np.array([1.0, 0, 0]) + R @ at
    for body, sign in ((one, 1.0), (two, -1.0)):
        found = wrench_on(body, pair, q, step, place)
        assert np.allclose(found[0], sign * turned @ force, rtol=0, atol=1e-13)
        assert np.allclose(found[1], sign * turned @ torque, rtol=0, atol=1e-13)
    flat = [mb.PlanarBody(name, 1.0, 0.2) for name in ("one", "two")]
    push = mb.Wrench("wrench", flat[0], (0.3, 0), (0.0, 2.0), 0.5, axes, reaction=flat[1])
    plane = mb.Mechanism("plane", flat, [], [push], gravity=(0, 0))
    a = g.accelerate(plane.system, plane.state(flat[0].pose(), flat[1].pose((1.0, 0.0)))[0]).acceleration
    assert np.allclose([a.one_s, a.two_s], [(0.6 + 0.5) / 0.2, (1.4 - 0.5) / 0.2], rtol=1e-12)


def test_forces_that_cannot_act_are_refused():
    body, rod = mb.Body("body", mb.box(1.0, (1, 1, 1))), mb.Rod("rod", mb.rod(1.0, (0, 0, 0), (1, 0, 0)))
    dot = mb.Particle("dot", 1.0)
    for call, words in (
        (lambda: mb.PointForce("f", dot, (0, 0, 0), (0, 1, 0), axes="body"), "axes of 'dot', which a Particle has not"),
        (lambda: mb.PointForce("f", rod, (0, 0, 0), (0, 1, 0), axes="body"), "axes of 'rod', which a Rod has not"),
        (lambda: mb.Torque("f", dot, (0, 0, 1)), "does not turn"),
        (lambda: mb.Torque("f", body, (0, 0, 1), reaction=dot), "does not turn"),
        (lambda: mb.Torque("f", body, (0, 0, 1), reaction=body), "reaction on 'body' itself"),
        (lambda: mb.Spring("f", body, (0, 0, 0), body, (1, 0, 0), 1.0), "with itself"),
        (lambda: mb.Spring(None, mb.GROUND, (0, 0, 0), body, (1, 0, 0), 1.0), "a spring needs a name"),
        (lambda: mb.PointForce(3, body, (0, 0, 0), (0, 1, 0)), "a force needs a name"),
        (lambda: mb.Torque(" ", body, (0, 1, 0)), "a torque needs a name"),
        (lambda: mb.Bushing(None, mb.GROUND, (0, 0, 0), body, (0, 0, 0)), "a bushing needs a name"),
    ):
        with pytest.raises(g.errors.InputError, match=words):
            call()
    for given, words in ((None, "returned None"), ((0, 1), "2 components, expected 3"), (("a", 0, 0), "returned str")):
        pushed = mb.Mechanism("m", [body], [], [mb.PointForce("push", body, (0, 0, 0), lambda t, given=given: given)])
        with pytest.raises(g.errors.ModelError, match=f"the force 'push' .*{words}"):
            g.accelerate(pushed.system, pushed.state(body.pose())[0])


def test_drives_are_asked_for_once_and_by_name():
    arm = mb.PlanarBody("arm", 1.0, 0.1)
    pin, twin = (mb.Pin("pin", mb.GROUND, (0, 0), arm, (0, 0)) for _ in range(2))
    held = mb.Mechanism("held", [arm], [pin])
    q, v = held.state(arm.pose())
    with pytest.raises(g.errors.InputError, match="several joints called 'pin'"):
        mb.inverse_dynamics(held, q, v, {pin: 0.0, twin: 1.0})
    with pytest.raises(g.errors.InputError, match=r"None.* is not driven"):
        mb.inverse_dynamics(held, q, v, {pin: 0.0}).force(None)


def test_bad_bushings_are_refused():
    body = mb.Body("body", mb.box(1.0, (1, 1, 1)))
    ends = (mb.GROUND, (0, 0, 0), body, (0, 0, 0))
    for call, words in (
        (lambda: mb.Bushing("b", *ends, stiffness=-1.0), "negative eigenvalue"),
        (lambda: mb.Bushing("b", *ends, torsion=[[1, 2, 0], [0, 1, 0], [0, 0, 1]]), "torsion .* symmetric"),
        (lambda: mb.Bushing("b", *ends, damping=(1, 2)), "three numbers or a matrix"),
        (lambda: mb.Bushing("b", mb.GROUND, (0, 0, 0), mb.Particle("p", 1.0), (0, 0, 0)), "axes of a Body"),
        (lambda: mb.Bushing("b", body, (0, 0, 0), body, (0, 0, 0)), "with itself"),
        (lambda: mb.Bushing("b", *ends, frame=np.ones((3, 3))), "not orthogonal"),
    ):
        with pytest.raises(g.errors.InputError, match=words):
            call()


def _slider_crank(mu, drive=None, second_guide=False):
    crank = mb.PlanarBody("crank", 3.0, 0.02, centre=(0.075, 0.0))
    rod = mb.PlanarBody("rod", 1.5, 0.03, centre=(0.25, 0.0))
    slider = mb.PlanarBody("slider", 2.0, 0.004)
    bearing = mb.Pin("bearing", mb.GROUND, (0, 0), crank, (0, 0))
    pin = mb.Pin("crank pin", crank, (0.15, 0), rod, (0, 0))
    wrist = mb.Pin("wrist pin", rod, (0.5, 0), slider, (0, 0))
    joints = [bearing, pin, wrist, mb.Slider("guide", mb.GROUND, (0, 0), slider, (0, 0), axis1=(1, 0))]
    joints += [mb.PinFriction("dry pin", pin, mu, radius=0.01)]
    joints += [mb.Slider("guide 2", mb.GROUND, (0, 0), slider, (0.1, 0), axis1=(1, 0))] if second_guide else []
    joints += [] if drive is None else [mb.Driver("drive", bearing, drive)]
    return mb.Mechanism("slider-crank", [crank, rod, slider], joints), bearing


def _posed(machine, bearing, angle, rate):
    crank, rod, slider = machine.bodies
    poses = crank.pose(angle=angle, rate=rate), rod.pose((0.15, 0.05), -0.2), slider.pose((0.65, 0))
    return mb.assemble(machine, *poses, hold=bearing, modes="nearest").state


def _other_forces_power(machine, q, v, a, mu, pin_force):
    """Return the power (W) that a drive must give: of inertia, weight and friction, by energy."""
    terms = machine.system.model.terms(q, v, 0.0, machine.system.theta())
    crank, rod = (angle_rate(q, v, name) for name in ("crank", "rod"))
    lost = 0.01 * mu / np.sqrt(1.0 + mu**2) * pin_force * abs(rod - crank)
    return v @ (terms.M @ a - terms.f) + lost


def angle_rate(q, v, name):
    names = ["crank_x", "crank_y", "crank_c", "crank_s", "rod_x", "rod_y", "rod_c", "rod_s"]
    c, s = names.index(f"{name}_c"), names.index(f"{name}_s")
    return q[c] * v[s] - q[s] * v[c]


@pytest.mark.parametrize(("angle", "rate"), [(0.5, 20.0), (2.0, -7.0)])
def test_drives_work_against_dry_friction(angle, rate):
    mu = 0.1
    machine, bearing = _slider_crank(mu)
    q, v = (lambda state: (state.q, state.v))(_posed(machine, bearing, angle, rate))
    found = mb.inverse_dynamics(machine, q, v, {bearing: 0.0})
    driven, _ = _slider_crank(mu, lambda t: angle + rate * t)
    verdict = g.accelerate(driven, q, v)
    assert found.force(bearing) == pytest.approx(verdict.multiplier("drive"), rel=1e-9)
    pin = np.hypot(verdict.multiplier("crank pin[0]"), verdict.multiplier("crank pin[1]"))
    assert found.force(bearing) * rate == pytest.approx(_other_forces_power(machine, q, v, found.a, mu, pin), rel=1e-9)
    free, its = _slider_crank(0.0)
    assert abs(mb.inverse_dynamics(free, q, v, {its: 0.0}).force(its) / found.force(bearing) - 1.0) > 1e-3


def test_a_drive_shares_its_load_with_friction_at_rest():
    machine, bearing = _slider_crank(0.1)
    state = _posed(machine, bearing, 0.5, 0.0)
    found = mb.inverse_dynamics(machine, state.q, state.v, {bearing: 0.0})
    assert found.undetermined == ("bearing drive",)
    assert np.isnan(found.force(bearing))
    assert np.max(np.abs(found.a)) < 1e-9


def test_ranges_of_forces_where_a_guide_is_given_twice_beside_a_dry_pin():
    machine = _slider_crank(0.1, second_guide=True)[0]
    once, its = _slider_crank(0.1)
    state = _posed(once, its, 0.5, 20.0)
    twice, alone = g.accelerate(machine, state.q, state.v), g.accelerate(once, state.q, state.v)
    for row in once.system.row_names:
        if row.startswith("guide"):
            assert twice.range_of(row) == (-np.inf, np.inf)
        else:
            assert twice.range_of(row) == pytest.approx(alone.range_of(row), rel=1e-9, abs=1e-9)
    assert mb.reaction(twice, machine.joints[3]).undetermined == ("force 2", "torque")
