"""Numbers for controllers: against derivatives of other functions, energies, sums over bodies, and the verdict."""

import shutil
from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from robots import arm, body, flyer, four_bar_in_space, state, walker
from test_recursion import by_energies

import gauss as g
from gauss import bodies as mb

MECHANISMS = {"arm": lambda: arm(5), "flyer": flyer, "walker": walker}


@pytest.fixture(params=MECHANISMS)
def robot(request):
    return MECHANISMS[request.param]()


def states(robot, count=10):
    rng = np.random.default_rng(7)
    for _ in range(count):
        yield state(robot, rng)


def close(one, other, tolerance=1e-12):
    assert np.shape(one) == np.shape(other)
    assert np.abs(one - other).max(initial=0.0) <= tolerance * max(1.0, np.abs(other).max(initial=0.0))


def kept(robot, q, v, a):
    """a with the second derivatives of unit quaternions on their row."""
    a = a.copy()
    for _, step in robot.tree.balls:
        at = [robot.tree.coordinates.index(name) for name in step.names]
        a[at] -= q[at] * (q[at] @ a[at] + v[at] @ v[at])
    return a


def test_masses_and_forces_are_those_of_the_energies(robot):
    numbers, rng = mb.Numbers(robot), np.random.default_rng(0)
    other = by_energies(robot.system)
    rotors = [force for force in robot.forces if hasattr(force, "kinetic")]
    springs = by_energies(mb.Mechanism("free", robot.bodies, robot.joints, rotors, coordinates="joint").system)
    for q, v in states(robot):
        a = rng.normal(size=numbers.n)
        terms, free = (s.model.terms(q, v, 0.0, s.theta()) for s in (other, springs))
        close(numbers.mass_matrix(q), terms.M)
        close(numbers.bias(q, v), -free.f)
        close(numbers.gravity(q), numbers.bias(q, 0.0 * v))
        close(numbers.applied(q, v), terms.f - free.f)
        close(numbers.inverse_dynamics(q, v, a), terms.M @ a - free.f)


def test_frames_are_those_of_the_bodies(robot):
    numbers = mb.Numbers(robot)
    point = [0.3, -0.2, 0.4][: robot.bodies[0].dimension]
    for q, _ in states(robot, 3):
        place = robot.named(q)
        for each in robot.bodies:
            placed = each.placed(place)
            position, R = numbers.placement(q, each, point)
            padded = lambda x: np.append(x, [0.0] * (3 - len(x)))  # noqa: E731
            close(position, padded(np.array([float(x) for x in placed.point(point)])))
            close(R[:2, 0], np.array([float(x) for x in placed.columns[0]])[:2])


def test_jacobians_are_derivatives_of_frames(robot):
    numbers = mb.Numbers(robot)
    point = np.array([0.3, -0.2, 0.4])
    if robot.bodies[0].dimension == 2:
        point[2] = 0.0
    given = point[: robot.bodies[0].dimension]
    for each in robot.bodies:
        place = numbers.function("placement", each)
        q, p = ca.MX.sym("q", numbers.n), ca.MX.sym("p", 3)
        slopes = ca.Function("slopes", [q, p], [ca.jacobian(place(q, p)[0], q), ca.jacobian(ca.vec(place(q, p)[1]), q)])
        rows = numbers.function("jacobian", each)
        v = ca.MX.sym("v", numbers.n)
        along = ca.Function("along", [q, v, p], [ca.jtimes(rows(q, p) @ v, q, v)])
        for x, rate in states(robot, 4):
            linear, turning = (np.array(found) for found in slopes(x, point))
            R = numbers.placement(x, each)[1]
            spins = [turning[:, k].reshape(3, 3).T @ R.T for k in range(numbers.n)]
            angular = np.array([[W[2, 1], W[0, 2], W[1, 0]] for W in spins]).T
            J = numbers.jacobian(x, each, given)
            close(J, np.vstack([linear, angular]))
            close(numbers.jacobian(x, each, given, axes="body"), np.vstack([R.T @ J[:3], R.T @ J[3:]]))
            bias = numbers.bias_acceleration(x, rate, each, given)
            close(bias, np.array(along(x, rate, point)).ravel(), 1e-11)
            turned = numbers.bias_acceleration(x, rate, each, given, axes="body")
            close(turned, np.concatenate([R.T @ bias[:3], R.T @ bias[3:]]))


def test_centroidal_momentum_is_a_sum_over_bodies():
    for robot in (arm(5), flyer()):
        numbers = mb.Numbers(robot)
        for q, v in states(robot, 5):
            total = sum(each.inertia.mass for each in robot.bodies)
            centres = [numbers.placement(q, each, each.inertia.centre)[0] for each in robot.bodies]
            centre = sum(each.inertia.mass * c for each, c in zip(robot.bodies, centres, strict=True)) / total
            momentum, moment = np.zeros(3), np.zeros(3)
            for each, c in zip(robot.bodies, centres, strict=True):
                R = numbers.placement(q, each)[1]
                motion = numbers.jacobian(q, each, each.inertia.centre) @ v
                push = each.inertia.mass * motion[:3]
                momentum += push
                moment += R @ each.inertia.central_tensor @ R.T @ motion[3:] + np.cross(c - centre, push)
            close(numbers.centre_of_mass(q), centre)
            close(numbers.centroidal_momentum(q, v), np.concatenate([momentum, moment]))
            close(numbers.centroidal_matrix(q) @ v, np.concatenate([momentum, moment]))


def test_the_regressor_is_linear_in_the_inertial_parameters(robot):
    numbers, rng = mb.Numbers(robot), np.random.default_rng(3)
    for q, v in states(robot, 5):
        a = kept(robot, q, v, rng.normal(size=numbers.n))
        Y = numbers.regressor(q, v, a)
        assert Y.shape == (numbers.n, 10 * len(robot.bodies))
        rotors = np.array([robot.armatures.get(name, 0.0) for name in numbers.coordinates])
        close(Y @ numbers.inertial_parameters + rotors * a, numbers.inverse_dynamics(q, v, a))


def test_one_joint_has_matrices_too():
    numbers = mb.Numbers(arm(1))
    shapes = [x.shape for x in (numbers.mass_matrix([0.1]), numbers.jacobian([0.1], "link0"))]
    shapes += [x.shape for x in (numbers.centroidal_matrix([0.1]), numbers.regressor([0.1], [0.2], [0.3]))]
    assert shapes == [(1, 1), (6, 1), (6, 1), (1, 10)]
    close(numbers.inverse_dynamics([0.1], [0.0], [2.0]) - numbers.gravity([0.1]), 2.0 * numbers.mass_matrix([0.1])[0])


def test_the_regressor_says_what_another_body_would_do():
    robot = arm(3)
    rng = np.random.default_rng(9)
    other = body("link1", rng)
    bodies = [other if each.name == "link1" else each for each in robot.bodies]
    moved = []
    for joint in robot.joints:
        one, two = (next((b for b in bodies if b.name == x.name), mb.GROUND) for x in joint.bodies)
        moved.append(
            mb.Revolute(joint.name, one, joint.point1, two, joint.point2, axis1=joint.axis1, axis2=joint.axis2)
        )
    second = mb.Numbers(mb.Mechanism("arm", bodies, moved, coordinates="joint"))
    first = mb.Numbers(robot)
    q, v, a = rng.normal(size=(3, 3))
    close(first.regressor(q, v, a) @ second.inertial_parameters, second.inverse_dynamics(q, v, a))


def test_forward_dynamics_is_that_of_the_verdict(robot):
    numbers, rng = mb.Numbers(robot), np.random.default_rng(4)
    for q, v in states(robot, 5):
        tau = rng.normal(size=numbers.n)
        a = numbers.forward_dynamics(q, v, tau)
        verdict = g.accelerate(numbers.system, q, v, u=numbers.theta(tau))
        close(a, verdict.a, 1e-11)
        close(numbers.forward_dynamics(q, v), g.accelerate(robot, q, v).a, 1e-11)
        if not robot.tree.balls:
            close(numbers.inverse_dynamics(q, v, a) - numbers.applied(q, v), tau, 1e-11)


def tree(n, seed=5):
    """Bodies that hang on random others, by hinges and slides."""
    rng = np.random.default_rng(seed)
    bodies, joints = [], []
    for k in range(n):
        here = body(f"link{k}", rng)
        last = bodies[rng.integers(max(0, k - 4), k)] if k else mb.GROUND
        kind = mb.Prismatic if k % 4 == 3 else mb.Revolute
        at, behind = 0.3 * rng.normal(size=(2, 3))
        joint = kind(f"j{k}", last, at, here, behind, axis1=rng.normal(size=3))
        if k % 5 == 4:  # some joints lead from the body behind to the one before
            joint = kind(f"j{k}", here, behind, last, at, axis1=rng.normal(size=3))
        joints.append(joint)
        bodies.append(here)
    return mb.Mechanism("tree", bodies, joints, [mb.Armature("rotor", joints[2], 0.2)], coordinates="joint")


@pytest.mark.long
def test_long_trees_take_articulated_bodies():
    numbers, rng = mb.Numbers(tree(32)), np.random.default_rng(6)
    for _ in range(5):
        q, v, tau = rng.normal(size=(3, 32))
        a = numbers.forward_dynamics(q, v, tau)
        close(a, np.linalg.solve(numbers.mass_matrix(q), tau - numbers.bias(q, v)), 1e-9)
        close(numbers.inverse_dynamics(q, v, a), tau, 1e-9)
    assert numbers.function("forward_dynamics").name_in() == ["q", "f"]
    q, v, tau = rng.normal(size=(3, 32))
    close(numbers.forward_dynamics(q, v, tau), g.accelerate(numbers.system, q, v, u=tau).a, 1e-9)


def test_a_long_tree_with_next_to_no_mass_in_a_joint_is_left_to_the_verdict():
    links = [mb.Body(f"link{k}", mb.box(1.0 if k else 1e-10, (0.1, 0.1, 1.0))) for k in range(32)]
    holders = [mb.GROUND, *links]
    ends = [(0.0, 0.0, 0.5 if k > 1 else 0.0) for k in range(32)]  # the first two hinges are in one line
    joints = [
        mb.Revolute(f"j{k}", holders[k], ends[k], link, (0, 0, -0.5), axis1=(0, 1, 0)) for k, link in enumerate(links)
    ]
    numbers = mb.Numbers(mb.Mechanism("light", links, joints, coordinates="joint"))
    q = np.full(32, 0.1)
    joints[1] = mb.Revolute("j1", links[0], (0, 0, -0.5), links[1], (0, 0, -0.5), axis1=(0, 1, 0))
    light = mb.Numbers(mb.Mechanism("light", links, joints, coordinates="joint"))
    clear = [each._along_the_tree(each.system, q, 0.0 * q, 0.0, each.theta()) is not None for each in (numbers, light)]
    assert clear == [True, False]


def four_bar():
    """A parallelogram, which is singular where it lies on a line."""
    rods = [mb.PlanarBody(f"rod{k}", 1.0, inertia=0.1, centre=(x, 0.0)) for k, x in enumerate((0.5, 1.0, 0.5))]
    joints = [
        mb.Pin("a", mb.GROUND, (0, 0), rods[0], (0, 0)),
        mb.Pin("b", rods[0], (1, 0), rods[1], (0, 0)),
        mb.Pin("d", mb.GROUND, (2, 0), rods[2], (0, 0)),
        mb.Pin("c", rods[1], (2, 0), rods[2], (1, 0)),
    ]
    return mb.Mechanism(
        "four-bar",
        rods,
        joints,
        controls=["motor"],
        coordinates="joint",
        forces=[mb.Motor("drive", joints[0], lambda u: u.motor)],
    )


def loop_state(robot, crank):
    poses = {"a": crank, "b": -crank, "d": crank}
    return g.consistent(robot, *robot.state(values=poses), hold="a")


def test_loops_controls_and_efforts():
    robot = four_bar()
    numbers = mb.Numbers(robot)
    there = loop_state(robot, 0.8)
    v = there.v
    by_motor = numbers.forward_dynamics(there.q, v, u={"motor": 3.0})
    by_effort = numbers.forward_dynamics(there.q, v, {"a": 3.0})
    close(by_motor, by_effort)
    close(by_motor, g.accelerate(robot, there.q, v, u=[3.0]).a, 1e-11)
    by_name = dict(zip(numbers.coordinates, by_motor, strict=True))
    assert abs(by_name["a"] - by_name["d"]) < 1e-9  # a parallelogram


def test_a_singular_position_is_refused_as_the_verdict_refuses_it():
    robot = four_bar()
    flat = robot.state(values={"a": 0.0, "b": 0.0, "d": 0.0})
    verdict = g.classify(robot, *flat)
    assert not verdict.unique
    with pytest.raises(g.errors.NonUniqueAccelerationError):
        mb.Numbers(robot).forward_dynamics(*flat)
    with pytest.raises(g.errors.SingularPositionError, match=r"cannot step from here") as caught:
        mb.Plant(robot, *flat)
    assert verdict.sentence in str(caught.value)
    with pytest.raises(g.errors.InconsistentStateError):
        mb.Numbers(robot).forward_dynamics([0.1, 0.2, 0.3], [0.0, 0.0, 0.0])


@pytest.mark.long
def test_steps_are_those_of_simulate():
    cases = [(arm(4), *next(states(arm(4)))), (flyer(), *next(states(flyer())))]
    robot = four_bar()
    there = g.consistent(robot, loop_state(robot, 0.8).q, {"a": 1.0}, hold="a")
    for each, q, v in (*cases, (robot, there.q, there.v)):
        plant = mb.Plant(each, q, v)
        for _ in range(20):
            plant.step(0.01)
        run = g.simulate(each, q, v, t_end=0.2, rtol=1e-11)
        close(np.concatenate([plant.q, plant.v]), np.concatenate([run.q[-1], run.v[-1]]), 1e-9)
        assert plant.t == pytest.approx(0.2)
        plant.reset(q, v)
        plant.step(0.2)  # one long step is divided until its error is small
        close(np.concatenate([plant.q, plant.v]), np.concatenate([run.q[-1], run.v[-1]]), 1e-7)


@pytest.mark.long
@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_machine_code_has_the_numbers_of_the_steps_to_the_bit():
    robot = four_bar()
    there = g.consistent(robot, loop_state(robot, 0.8).q, {"a": 1.0}, hold="a")
    one, two = (mb.Plant(robot, there.q, there.v, compiler=each) for each in (None, "cc"))
    for k in range(20):
        for each in (one, two):
            each.step(0.01, u={"motor": 0.1 * k})
        assert np.array_equal(one.q, two.q)
        assert np.array_equal(one.v, two.v)


def test_a_compiler_that_is_not_there_or_fails_is_named():
    robot = arm(2)
    with pytest.raises(g.errors.InputError, match="is no program here; name a C compiler"):
        mb.Plant(robot, [0.0, 0.0], compiler="no such compiler")
    fails = shutil.which("false")
    if fails is not None:
        with pytest.raises(g.errors.InputError, match="refuses the code of"):
            mb.Plant(robot, [0.0, 0.0], compiler=fails)


def test_what_is_given_wrongly_is_told():
    robot = arm(2)
    numbers = mb.Numbers(robot)
    for wrong, words in (
        (lambda: mb.Numbers(robot.natural), 'coordinates="joint"'),
        (lambda: numbers.mass_matrix([1.0]), r"q has shape \(1,\), expected \(2,\)"),
        (lambda: numbers.mass_matrix([1.0, np.nan]), "finite"),
        (lambda: numbers.mass_matrix(np.array([1.0, np.inf])), "finite"),
        (lambda: numbers.gravity({"elbow": 1.0}), "elbow"),
        (lambda: numbers.jacobian([0.0, 0.0], "foot"), "its bodies: link0, link1"),
        (lambda: numbers.jacobian([0.0, 0.0], robot.bodies[0], axes="world"), '"space" or "body"'),
        (lambda: numbers.jacobian([0.0, 0.0], "link0", [1.0, 2.0]), "the point"),
        (lambda: numbers.function("inertia"), "known: mass_matrix"),
        (lambda: numbers.forward_dynamics([0, 0], [0, 0], u={"x": 1.0}), "u names"),
        (lambda: mb.Plant(robot, [0.0, 0.0]).step(-0.1), "dt must be positive"),
    ):
        with pytest.raises(g.errors.InputError, match=words):
            wrong()


def test_armatures_act_in_joint_coordinates_as_in_natural_ones():
    robot = walker()
    q, v = state(robot, np.random.default_rng(8))
    names = robot.tree.coordinates
    there = robot.state(values=dict(zip(names, q, strict=True)), rates=dict(zip(names, v, strict=True)))
    found = g.accelerate(robot, *there)
    twin = g.accelerate(
        robot.natural,
        *robot.natural.state(values=dict(zip(names, q, strict=True)), rates=dict(zip(names, v, strict=True))),
    )
    close(robot.system.twin.states(q[None], v[None], found.a[None])[2][0], twin.a, 1e-10)
    bare = mb.Mechanism("walker", robot.bodies, robot.joints, coordinates="joint")
    assert np.abs(g.accelerate(bare, *there).a - found.a).max() > 1e-3


def stopped(lower=-0.5, upper=2.0, **options):
    """A rod that swings between two stops."""
    rod = mb.Body("rod", mb.box(2.0, (0.1, 0.1, 1.0), at=(0.0, 0.0, -0.5)))
    hinge = mb.Revolute("hinge", mb.GROUND, (0, 0, 0), rod, (0, 0, 0), axis1=(0, 1, 0))
    stop = mb.Limit("stop", hinge, lower, upper, **options)
    return mb.Mechanism("rod", [rod], [hinge, stop], coordinates="joint")


def refused(*_args, **_options):
    raise AssertionError("a verdict is made")


@pytest.mark.long
def test_open_stops_leave_the_acceleration_to_the_factorisation(monkeypatch):
    for count in (3, 35):  # by factors of the mass matrix, and along the tree
        free = arm(count)
        limits = [mb.Limit(f"stop {joint.name}", joint, -2.0, 2.0) for joint in free.joints]
        robot = mb.Mechanism("arm", free.bodies, [*free.joints, *limits], free.forces, coordinates="joint")
        numbers, other = mb.Numbers(robot), mb.Numbers(free)
        rng = np.random.default_rng(3)
        q, v, tau = rng.uniform(-1.0, 1.0, (3, numbers.n))
        with monkeypatch.context() as patch:
            patch.setattr("gauss.bodies.results.numbers.accelerate", refused)
            close(numbers.forward_dynamics(q, v, tau), other.forward_dynamics(q, v, tau))
        there, rest = 0.0 * q, 0.0 * q
        there[0] = 2.0
        assert numbers.forward_dynamics(there, rest, 1e4 * np.eye(numbers.n)[0])[0] == pytest.approx(0.0, abs=1e-6)
        assert other.forward_dynamics(there, rest, 1e4 * np.eye(numbers.n)[0])[0] > 1.0


def test_a_stop_that_is_almost_closed_has_the_acceleration_of_the_verdict():
    robot = stopped()
    numbers = mb.Numbers(robot)
    for gap in (0.0, 1e-13, 1e-8, 1e-6, 1e-2):
        for rate in (-1e-3, 0.0, 1e-3) if gap > 1e-9 else (0.0, 1e-3):
            q, v = [2.0 - gap], [-rate]
            close(numbers.forward_dynamics(q, v, [50.0]), g.accelerate(numbers.system, q, v, u=[50.0]).a, 1e-9)


def test_plants_stop_at_stops_and_leave_them():
    upper, mass, push, speed = 0.1, 2.0, -8.0, 1.0  # x = t − 2 t² without the stop, which it would pass at t₁
    cart = mb.Body("cart", mb.box(mass, (0.1, 0.1, 0.1)))
    rail = mb.Prismatic("rail", mb.GROUND, (0, 0, 0), cart, (0, 0, 0), axis1=(1, 0, 0))
    for e in (0.0, 0.5):
        stop = mb.Limit("end", rail, -5.0, upper, restitution=e)
        robot = mb.Mechanism("cart", [cart], [rail, stop], coordinates="joint")
        t1 = (1.0 - np.sqrt(1.0 - 8.0 * upper)) / 4.0
        v1, rest = -e * np.sqrt(1.0 - 8.0 * upper), 0.5 - t1
        for count in (1, 50):  # one step begins and ends with the stop open
            plant = mb.Plant(robot, [0.0], [speed])
            for _ in range(count):
                plant.step(0.5 / count, [push])
            close(plant.q, [upper + v1 * rest - 2.0 * rest**2], 1e-8)
            close(plant.v, [v1 - 4.0 * rest], 1e-8)


def test_plants_at_stops_move_as_simulate_does():
    robot = stopped()
    system = mb.Numbers(robot).system

    def law(t, q, v):
        return [-12.0 if t < 0.995 else 9.0]  # against the lower stop, where it rests, and away from it

    plant = mb.Plant(robot, [0.5])
    rested = 0
    for _ in range(60):
        plant.step(0.025, law(plant.t, None, None))
        rested += bool(abs(plant.q[0] + 0.5) < 1e-12 and abs(plant.v[0]) < 1e-12)
    run = g.simulate(system, [0.5], t_end=1.5, control=g.motion.Sampled(law, 0.025))
    close(np.concatenate([plant.q, plant.v]), np.concatenate([run.q[-1], run.v[-1]]), 1e-8)
    assert rested > 5
    with pytest.raises(g.errors.InconsistentStateError, match=r"'hinge' is 0.1 rad beyond its lower limit"):
        plant.reset([-0.6])


def test_friction_is_left_to_simulate_by_name():
    robot = stopped()
    hinge = robot.joints[0]
    rubbing = mb.Mechanism("rod", robot.bodies, [*robot.joints, mb.Brake("brake", hinge, 1.0)], coordinates="joint")
    with pytest.raises(g.errors.InputError, match=r"has friction \('.*brake.*'\).*gauss\.motion\.Sampled"):
        mb.Plant(rubbing, [0.0])


def test_redundant_loops_step_on_independent_rows():
    rods, joints = four_bar_in_space()
    robot = mb.Mechanism("four-bar in space", rods, joints, coordinates="joint")
    there = g.consistent(robot, *robot.state(values={"a": 0.3, "b": 1.0, "d": 0.1}, rates={"a": 1.0}))
    assert g.classify(robot, there).verdict == "redundant"
    plant = mb.Plant(robot, there.q, there.v)
    close(plant.numbers.forward_dynamics(there.q, there.v), g.accelerate(robot, there).a, 1e-9)
    for _ in range(10):
        plant.step(0.01)
    run = g.simulate(robot, there, t_end=0.1, rtol=1e-11)
    close(np.concatenate([plant.q, plant.v]), np.concatenate([run.q[-1], run.v[-1]]), 1e-8)


def test_frames_of_a_robot_are_taken_by_name_with_their_own_axes():
    robot = g.load(Path(__file__).parent / "data" / "robots" / "arm.urdf")
    numbers, rng = mb.Numbers(robot), np.random.default_rng(3)
    q, v = rng.normal(size=(2, numbers.n))
    point = (0.1, -0.2, 0.3)
    assert any(name not in numbers._nodes for name in robot.frames)
    for name, frame in robot.frames.items():
        if frame.body.name not in numbers._nodes or name in numbers._nodes:
            continue
        for given in (name, frame):
            there = np.array(frame.point) + frame.rotation @ point
            assert numbers.jacobian(q, given) == pytest.approx(numbers.jacobian(q, frame.body, frame.point))
            assert numbers.jacobian(q, given, point) == pytest.approx(numbers.jacobian(q, frame.body, there))
            own = frame.placed(robot.named(q))  # by the coordinates of the bodies
            place, R = numbers.placement(q, given)
            assert place == pytest.approx(own.origin)
            assert np.allclose(R.T, own.columns)
            both = np.kron(np.eye(2), R.T)
            J, drift = numbers.jacobian(q, given), numbers.bias_acceleration(q, v, given)
            assert numbers.jacobian(q, given, axes="body") == pytest.approx(both @ J, abs=1e-12)
            assert numbers.bias_acceleration(q, v, given, axes="body") == pytest.approx(both @ drift, abs=1e-12)
            step = 1e-6
            ahead, behind = (numbers.jacobian(q + s * step * v, given) @ v for s in (1.0, -1.0))
            assert drift == pytest.approx((ahead - behind) / (2.0 * step), abs=1e-7)
    with pytest.raises(g.errors.InputError, match="its frames: "):
        numbers.jacobian(q, "tool of nobody")
    with pytest.raises(g.errors.InputError, match="there is no frame 'nobody'; known: "):
        robot.frames["nobody"]
