"""The table of a mechanism's motion against finite differences, SciPy's rotations, Newton and Euler, and pandas."""

from __future__ import annotations

import numpy as np
import pandas
import pytest
from robots import four_bar_in_space
from scipy.spatial.transform import Rotation
from test_joint_reactions import JOINTS, lopsided, pair, states_of

import gauss as g
from gauss import bodies as mb
from gauss.errors import InputError

H = 1e-4  # s, of difference quotients


def run_of(name):
    both, joint, q = pair(name)
    start = states_of(both, q, 1, 5, 0.4)[0]
    return joint, g.simulate(both, start, t_end=0.4, rtol=1e-11)


def around(run, h):
    """Times in the middle of the run, and the motion a little before and after them."""
    t = np.linspace(run.t[0] + 0.05, run.t[-1] - 0.05, 7)
    return run.at(t), run.at(t - h), run.at(t + h)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", JOINTS)
def test_columns_of_bodies_and_joints_are_those_of_the_motion(name):
    joint, run = run_of(name)
    now, before, after = around(run, H)
    for body in ("one", "two"):
        R = now[f"{body}.rotation"]
        np.testing.assert_allclose(np.einsum("nij,nkj->nik", R, R), np.broadcast_to(np.eye(3), R.shape), atol=1e-12)
        turned = Rotation.from_quat(now[f"{body}.quaternion"], scalar_first=True)
        np.testing.assert_allclose(turned.as_matrix(), R, atol=1e-12)
        apart = Rotation.from_matrix(after[f"{body}.rotation"]) * Rotation.from_matrix(before[f"{body}.rotation"]).inv()
        size = 1.0 + np.max(np.abs(now[f"{body}.angular_acceleration"]))
        np.testing.assert_allclose(apart.as_rotvec() / (2 * H), now[f"{body}.angular_velocity"], atol=1e-5 * size)
        for value, rate in (("position", "velocity"), ("velocity", "acceleration")):
            quotient = (after[f"{body}.{value}"] - before[f"{body}.{value}"]) / (2 * H)
            np.testing.assert_allclose(quotient, now[f"{body}.{rate}"], atol=1e-5 * size)
        quotient = (after[f"{body}.angular_velocity"] - before[f"{body}.angular_velocity"]) / (2 * H)
        np.testing.assert_allclose(quotient, now[f"{body}.angular_acceleration"], atol=1e-4 * size)
    for column in [c for c in now.data.data_vars if str(c).startswith("d_joint.")]:
        quotient = (after[column[2:]] - before[column[2:]]) / (2 * H)
        np.testing.assert_allclose(quotient, now[column], atol=1e-5 * (1.0 + np.max(np.abs(now[column]))))
    known = mb.reaction(now, joint)  # the same state by state, which Newton's and Euler's equations check elsewhere
    np.testing.assert_allclose(now["joint.force"], known.force, atol=1e-9 * (1.0 + np.max(np.abs(known.force))))
    np.testing.assert_allclose(now["joint.torque"], known.torque, atol=1e-9 * (1.0 + np.max(np.abs(known.force))))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", ["revolute", "spherical", "universal", "distance", "revolute-spherical"])
def test_poses_in_joint_coordinates_are_columns_with_their_rates(name):
    both, _, q = pair(name)
    held = mb.Mechanism(name, both.bodies, both.joints, coordinates="joint")
    start = states_of(both, q, 1, 5, 0.4)[0]
    values = [both.named(x) for x in (start.q, start.v)]
    poses = [mb.Pose(each.name, *({x: y[x] for x in each.coordinates} for y in values)) for each in both.bodies]
    options = {"t_end": 0.4, "rtol": 1e-11, "progress": "none"}
    run, known = g.simulate(held, *held.state(*poses), **options), g.simulate(both, start, **options)
    t = np.linspace(0.05, 0.35, 7)
    one, two = run.at(t), known.at(t)
    before, after = run.at(t - H), run.at(t + H)
    for body in ("one", "two"):
        for word in ("rotation", "angular_velocity", "angular_acceleration", "position", "velocity", "acceleration"):
            wanted = two[f"{body}.{word}"]
            size = 1.0 + np.max(np.abs(wanted))
            np.testing.assert_allclose(one[f"{body}.{word}"], wanted, atol=1e-6 * size)
        turned = Rotation.from_quat(one[f"{body}.quaternion"], scalar_first=True)
        np.testing.assert_allclose(turned.as_matrix(), one[f"{body}.rotation"], atol=1e-12)
        quotient = (after[f"{body}.angular_velocity"] - before[f"{body}.angular_velocity"]) / (2 * H)
        size = 1.0 + np.max(np.abs(one[f"{body}.angular_acceleration"]))
        np.testing.assert_allclose(quotient, one[f"{body}.angular_acceleration"], atol=1e-4 * size)
    size = 1.0 + np.max(np.abs(two["joint.force"]))
    np.testing.assert_allclose(one["joint.force"], two["joint.force"], atol=1e-6 * size)


def pendulum(*joints):
    rod = mb.PlanarBody("rod", 2.0, 0.1, centre=(0.0, -0.5))
    pin = mb.Pin("pivot", mb.GROUND, (0.0, 0.0), rod, (0.0, 0.0))
    return mb.Mechanism("pendulum", [rod], [pin, *joints]), rod


def test_a_pendulum_pulls_at_its_pivot_as_newton_says():
    mechanism, rod = pendulum()
    start = mechanism.state(rod.pose(angle=1.2, rate=-2.0))
    run = g.simulate(mechanism, *start, t_end=3.0)
    angle, rate, change = run["rod.angle"], run["rod.angular_velocity"], run["rod.angular_acceleration"]
    np.testing.assert_allclose(run["pivot.angle"], angle, atol=1e-12)
    np.testing.assert_allclose(run["d_pivot.angle"], rate, atol=1e-12)
    c, s = np.cos(angle), np.sin(angle)
    np.testing.assert_allclose((0.1 + 2.0 * 0.25) * change, -2.0 * 9.81 * 0.5 * s, atol=1e-9)
    centre = 0.5 * np.stack([c * change - s * rate**2, s * change + c * rate**2], axis=1)  # of (s, −c)/2
    np.testing.assert_allclose(run["pivot.force"], 2.0 * (centre + np.array([0.0, 9.81])), atol=1e-8)
    np.testing.assert_allclose(run["pivot.torque"], 0.0, atol=1e-9)


def test_what_redundant_rows_leave_open_is_not_a_number():
    _, rod = pendulum()
    pins = [mb.Pin(name, mb.GROUND, (0.0, 0.0), rod, (0.0, 0.0)) for name in ("left", "right")]
    mechanism = mb.Mechanism("two pins in one hole", [rod], pins)
    run = g.simulate(mechanism, *mechanism.state(rod.pose(angle=0.3)), t_end=0.2)
    assert np.all(np.isnan(run["left.force"]))
    assert "not determined" in run.data["left.force"].attrs["long_name"]
    assert np.all(np.isfinite(run["rod.position"]))


def test_tables_say_what_their_columns_are(tmp_path):
    body = lopsided("top", 1.0)
    mechanism = mb.Mechanism("top", [body], [mb.Spherical("tip", mb.GROUND, (0, 0, 0), body, (0, 0, 0))])
    start = mechanism.state(body.pose(angular_velocity=(2.0, 0.2, 5.0)))
    stop = g.Event("low", lambda q: q["top_R33"] - 0.9, terminal=True)
    run = g.simulate(mechanism, *start, t_end=2.0, events=[stop])
    data = run.data
    assert (data["top.rotation"].dims, data["top.quaternion"].dims) == (("t", "axis", "column"), ("t", "part"))
    assert (data["tip.force"].attrs["units"], data["top.angular_velocity"].attrs["units"]) == ("N", "rad/s")
    assert str(data["event"].values[-1]) == ("event low" if run.events else "")
    read = pandas.read_csv(run.to_csv(tmp_path / "top.csv"))
    frame = run.to_pandas()
    assert list(read.columns)[:3] == ["t [s]", "top_x [m]", "top_y [m]"]  # what a reader looks for first
    assert list(read.columns)[-3:] == ["off_velocity [√kg m/s]", "sigma_min", "event"]
    assert len(read.columns) == len(frame.columns)
    for name, values in zip(frame.columns, read.to_numpy().T, strict=True):
        if name != "event":
            np.testing.assert_array_equal(np.asarray(values, dtype=float), frame[name].to_numpy())
    assert "top.rotation.x1" in frame.columns
    with pytest.raises(g.errors.InputError, match=r"top\.position"):
        run["top.place"]
    with pytest.raises(g.errors.InputError, match="csv"):
        run.to_csv(tmp_path / "top.txt")


def test_columns_come_back_with_the_mechanism_of_a_file(tmp_path):
    mechanism, rod = pendulum()
    run = g.simulate(mechanism, *mechanism.state(rod.pose(angle=1.0)), t_end=0.5)
    loaded = g.Trajectory.load(run.save(tmp_path / "run.nc"))
    with pytest.raises(g.errors.InputError, match=r"no 'rod\.angle'"):
        loaded["rod.angle"]
    np.testing.assert_array_equal(loaded.with_system(mechanism)["rod.angle"], run["rod.angle"])


def test_numbers_of_vectors_have_the_names_of_the_table(tmp_path):
    rod = mb.PlanarBody("rod", 1.0, 0.1, centre=(0.5, 0))
    pin = mb.Pin("main pin", mb.GROUND, (0, 0), rod, (0, 0))
    swing = mb.Mechanism("swing", [rod], [pin])
    run = g.simulate(swing, *swing.state(rod.pose()), t_end=0.3)
    force = mb.reaction(run, pin).force
    assert run.parts("main pin.force") == ("main pin.force.x", "main pin.force.y", "main pin.force.norm")
    assert run.parts("rod_x") == run.parts("main pin.angle") == run.parts("nonsense") == ()
    np.testing.assert_array_equal(run["main pin.force.y"], force[:, 1])
    np.testing.assert_allclose(run["main pin.force.norm"], np.hypot(force[:, 0], force[:, 1]), rtol=1e-15)
    assert run.unit("main pin.force.norm") == "N"
    assert "main pin.force.y [N]" in run.to_csv(tmp_path / "swing.csv").read_text(encoding="utf-8").splitlines()[0]
    labels = [axes.get_ylabel() for axes in g.plot(run, "main pin.force", "main pin.angle").axes]
    assert labels == ["forces / N", "main pin.angle / rad"]
    for name in ("main pin.force.z", "main pin.force.", ".x"):
        with pytest.raises(InputError, match="the trajectory has no"):
            _ = run[name]
    np.testing.assert_array_equal(mb.reaction(run, "main pin").force, force)
    with pytest.raises(InputError, match="no joint or force 'pin'; known: main pin"):
        mb.reaction(run, "pin")
    held = mb.assemble(swing, rod.pose(angle=0.3), hold="main pin")
    assert held.state.q == pytest.approx([0.0, 0.0, np.cos(0.3), np.sin(0.3)], abs=1e-12)
    both = mb.assemble(swing, rod.pose(angle=0.3), hold="main pin, rod_x")
    np.testing.assert_allclose(both.state.q, held.state.q, atol=1e-12)


def held_twice():
    """A block in a guide that is given twice, 9.81 N of which bears on both."""
    block = mb.PlanarBody("block", 1.0, 0.1)
    guides = [mb.Slider(name, mb.GROUND, (0, 0), block, (0, 0), axis1=(1, 0)) for name in ("guide", "guide 2")]
    twice = mb.Mechanism("held twice", [block], guides)
    return g.simulate(twice, *twice.state(block.pose()), t_end=0.1)


def heads(run, path, **asked):
    return run.to_csv(path, **asked).read_text(encoding="utf-8").splitlines()[0].split(",")


def test_multipliers_that_are_a_choice_are_marked(tmp_path):
    run = held_twice()
    np.testing.assert_allclose(run["guide[0]"] + run["guide 2[0]"], 9.81)
    assert set(run.open_forces) == {"guide[0]", "guide[1]", "guide 2[0]", "guide 2[1]"}
    marked = [head for head in heads(run, tmp_path / "run.csv") if head.endswith("(a choice: not determined)")]
    assert [head.partition(" [")[0] for head in marked] == list(run.open_forces)
    assert str(run).endswith("; forces not determined: guide, guide 2")
    assert "not determined" not in str(run_of(next(iter(JOINTS)))[1])


def test_csv_has_the_columns_asked_for(tmp_path):
    run = held_twice()
    asked = ["guide.force", "block.angle", "guide.force", "energy"]
    expected = ["t [s]", "guide.force.x [N]", "guide.force.y [N]", "block.angle [deg]", "energy [J]"]
    assert heads(run, tmp_path / "some.csv", columns=asked, degrees=True) == expected
    table = pandas.read_csv(tmp_path / "some.csv")
    np.testing.assert_array_equal(table["energy [J]"], run.energy)
    assert {"guide.torque [N m]", "d_guide.displacement [m/s]"} < {*heads(run, tmp_path / "one.csv", columns="guide")}
    with pytest.raises(InputError, match=r"no 'guide\.forc'"):
        run.to_csv(tmp_path / "none.csv", columns=["guide.forc"])


def driven_disc():
    disc = mb.PlanarBody("disc", 1.0, inertia=0.5)
    pin = mb.Pin("main pin", mb.GROUND, (0, 0), disc, (0, 0))
    motor = mb.Motor("motor", pin, lambda t: 2.0 * t)
    push = mb.PointForce("push", disc, (0.5, 0), (0.0, 3.0))
    model = mb.Mechanism("disc", [disc], [pin], [motor, push])
    return model, pin, motor, push, g.simulate(model, *model.state(disc.pose()), t_end=0.5)


def test_parts_may_be_named():
    model, pin, motor, _, run = driven_disc()
    np.testing.assert_array_equal(mb.work(run, "motor"), mb.work(run, motor))
    np.testing.assert_array_equal(mb.power(run, "motor"), mb.power(run, motor))
    np.testing.assert_array_equal(mb.applied(run, "motor").torque, mb.applied(run, motor).torque)
    drives = [mb.inverse_dynamics(model, run.q[0], run.v[0], {name: 3.0}) for name in ("main pin", pin)]
    needed = [found.force("main pin") for found in drives]
    assert needed[0] == needed[1]
    with pytest.raises(InputError, match="there is no joint or force 'motr'; did you mean 'motor'"):
        mb.work(run, "motr")
    with pytest.raises(InputError, match="there is no joint 'bearing'; known: main pin"):
        mb.inverse_dynamics(model, run.q[0], run.v[0], {"bearing": 0.0})
    for make in (
        lambda: mb.PinFriction("dry", "main pin", 0.1, radius=0.01),
        lambda: mb.Motor("motor", "main pin", 1.0),
    ):
        with pytest.raises(InputError, match="give the joint itself in place of its name, 'main pin'"):
            make()


@pytest.mark.parametrize("wrong", ["mainpin.force", "main pin force", "Main_Pin.force"])
def test_an_unknown_column_names_the_nearest(wrong):
    with pytest.raises(InputError, match=r"did you mean 'main pin\.force'\?"):
        driven_disc()[-1][wrong]


def test_the_name_of_a_joint_alone_is_that_of_its_angle():
    with pytest.raises(InputError, match=r"no 'main pin'; did you mean 'main pin\.angle'\?"):
        driven_disc()[-1]["main pin"]


def test_motors_and_forces_have_columns(tmp_path):
    push, run = driven_disc()[-2:]
    np.testing.assert_allclose(run["motor.torque"], 2.0 * run.t)
    np.testing.assert_allclose(run["push.force.norm"], 3.0)
    np.testing.assert_array_equal(run["push.force"], mb.applied(run, push).force)
    assert (run.unit("motor.torque"), run.unit("push.force.x")) == ("N m", "N")
    assert {"motor.force", "push.torque"}.isdisjoint(run.names)
    gained = np.einsum("ni,ni->n", run["push.force"], np.stack([0.0 * run.t, run["d_main pin.angle"]], axis=1))
    turned = 0.5 * np.cos(run["main pin.angle"]) * gained  # the push acts along y at 0.5 m
    np.testing.assert_allclose(turned, mb.power(run, push), atol=1e-9)
    assert heads(run, tmp_path / "run.csv", columns=["motor", "push"]) == [
        "t [s]",
        "motor.torque [N m]",
        "push.force.x [N]",
        "push.force.y [N]",
    ]
    assert {"motor.torque [N m]", "push.force.y [N]"} < {*heads(run, tmp_path / "all.csv")}
    assert [axes.get_ylabel() for axes in g.plot(run, "t", "motor.torque").axes] == ["motor.torque / (N m)"]
    assert not any("push" in name for name in g.plot(run).axes[-1].get_legend_handles_labels()[1])
    slide = mb.PlanarBody("slide", 2.0, 0.1)
    guide = mb.Slider("guide", mb.GROUND, (0, 0), slide, (0, 0), axis1=(0.6, 0.8))
    pushed = mb.Mechanism("pushed", [slide], [guide], [mb.Motor("ram", guide, 5.0)], coordinates="joint")
    moved = g.simulate(pushed, [0.0], t_end=0.2)
    np.testing.assert_allclose(moved["ram.force"], np.tile([3.0, 4.0], (len(moved), 1)))


def spatial_four_bar(coordinates="natural"):
    """A plane linkage of joints in space, whose rows depend on one another, with a motor and a spring."""
    rods, joints = four_bar_in_space()
    forces = [
        mb.Motor("motor", joints[0], lambda u: u.effort),
        mb.Spring("spring", mb.GROUND, (0, 0, 3), rods[1], (0, 0, 1), stiffness=20.0),
        mb.PointForce("push", rods[2], (0, 0, 1.0), (1.0, 2.0, 3.0)),
    ]
    robot = mb.Mechanism("four-bar", rods, joints, forces, coordinates=coordinates, controls="effort")
    held = mb.Mechanism("four-bar", rods, joints, forces, coordinates="joint", controls="effort")
    there = g.consistent(held, *held.state(values={"a": 0.3, "b": 1.0, "d": 0.1}, rates={"a": 1.0}))
    if coordinates == "natural":
        values, rates = (dict(zip(held.system.coordinates, x, strict=True)) for x in (there.q, there.v))
        q, v = robot.state(values=values, rates=rates)
    else:
        q, v = there.q, there.v
    return robot, g.simulate(robot, q, v, t_end=0.2, control=lambda t, q, v: [3.0 * t])


@pytest.mark.parametrize("coordinates", ["natural", "joint"])
def test_columns_of_forces_are_those_of_single_states(coordinates):
    robot, run = spatial_four_bar(coordinates)
    assert run.about.redundant
    for joint in robot.joints:
        known = mb.reaction(run, joint)
        assert known.undetermined
        for column, wanted in (("force", known.force), ("torque", known.torque)):
            found = run[f"{joint.name}.{column}"]
            np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted))
            np.testing.assert_allclose(found, wanted, atol=1e-9)
    assert any(np.isfinite(run[f"{joint.name}.force"]).any() for joint in robot.joints)
    for force in robot.forces:
        known = mb.applied(run, force)
        for column, wanted in (("force", known.force), ("torque", known.torque)):
            if f"{force.name}.{column}" in run.names:
                np.testing.assert_allclose(run[f"{force.name}.{column}"], wanted, atol=1e-11)


def test_units_and_parts_of_forces_are_known_before_they_are_computed(monkeypatch):
    run = driven_disc()[-1]

    def refused(*_args, **_options):
        raise AssertionError("forces are computed")

    monkeypatch.setattr("gauss.bodies.results.columns.wrenches_along", refused)
    monkeypatch.setattr("gauss.bodies.results.columns.applied_along", refused)
    assert run.parts("main pin.force") == ("main pin.force.x", "main pin.force.y", "main pin.force.norm")
    assert (run.parts("main pin.torque"), run.parts("push.force")[0]) == ((), "push.force.x")
    asked = ("main pin.force.norm", "main pin.torque", "motor.torque")
    assert [run.unit(name) for name in asked] == ["N", "N m", "N m"]
    with pytest.raises(InputError, match=r"no 'main pin\.force\.z'"):
        run.unit("main pin.force.z")
    with pytest.raises(AssertionError, match="computed"):
        run["main pin.force.x"]
