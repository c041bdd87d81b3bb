"""The doctor on mechanisms whose ailments are known by construction."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gauss as g
from gauss import bodies as mb
from gauss import robots
from gauss.errors import InputError


def bar(name, length):
    return mb.Body(name, mb.box(length, (length, 0.1, 0.1), at=(length / 2, 0.0, 0.0)))


def four_bar(last=mb.Spherical, tilt=0.0, lengths=(1.0, 2.0, 2.2), ground=2.5, scale=1.0):
    """A plane four-bar in space, turned as a whole; the joint that closes it is of some kind."""
    names = ("crank", "coupler", "rocker")
    crank, coupler, rocker = (bar(name, scale * x) for name, x in zip(names, lengths, strict=True))
    R = mb.about((1.0, 0.3, 0.0), tilt)
    axis, foot = R[:, 2], scale * ground * R[:, 0]
    joints = [
        mb.Revolute("A", mb.GROUND, (0, 0, 0), crank, (0, 0, 0), axis, (0, 0, 1)),
        mb.Revolute("B", crank, (scale * lengths[0], 0, 0), coupler, (0, 0, 0)),
        mb.Revolute("D", mb.GROUND, foot, rocker, (0, 0, 0), axis, (0, 0, 1)),
        last("C", coupler, (scale * lengths[1], 0, 0), rocker, (scale * lengths[2], 0, 0)),
    ]
    return mb.Mechanism("four-bar", [crank, coupler, rocker], joints, [mb.Motor("motor", joints[0], 0.0)])


START = {"A": 0.9, "B": 0.3, "D": 1.7}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("tilt", [0.0, 0.7])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_a_point_joint_in_a_plane_loop_is_held_twice_across_the_plane(tilt, scale):
    found = g.doctor(four_bar(tilt=tilt, scale=scale), START, sweep=False)
    assert (found.rank, found.mobility, found.driven) == (2, 1, 1)
    (twice,) = found.dependences
    assert twice.sentence == "the force across the plane of 'coupler' and 'rocker', at 'C'"
    assert "2 of which" in twice.remedy or "of which 2" in twice.remedy
    assert "a pin in the plane" in twice.remedy
    assert all(force.undetermined for force in found.forces)  # the stress goes all the way round


def test_a_hinge_in_a_plane_loop_is_held_three_times_more_than_need_be():
    found = g.doctor(four_bar(mb.Revolute), START, sweep=False)
    assert (found.rank, len(found.rows), found.mobility) == (2, 5, 1)
    words = [dependence.sentence for dependence in found.dependences]
    assert sum("force across the plane" in text for text in words) == 1
    assert sum("bends" in text for text in words) == 2


@pytest.mark.sampled(5)
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])  # lengths of metres in km, m and mm
@pytest.mark.parametrize("gap", [1e-9, 1e-6, 1e-4, 1e-2])
def test_an_open_loop_never_makes_a_dependent_row_independent(gap, scale):
    """The ball C sits off its place in the plane by the gap: in the closed pose of the file nothing else is said."""
    given = four_bar(scale=scale)
    joints = list(given.joints)
    joints[3] = mb.Spherical("C", given.bodies[1], (2.0 * scale, gap * scale, 0), given.bodies[2], (2.2 * scale, 0, 0))
    found = g.doctor(mb.Mechanism("open", given.bodies, joints), START, sweep=False)
    assert found.loops[0].gap > 0.1 * gap * scale
    assert found.rank == 2
    assert len(found.dependences) == 1


@pytest.mark.sampled(4)
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("gap", [1e-15, 1e-9, 1e-6, 1e-4, 1e-2])
def test_a_loop_open_across_its_plane_is_dependent_or_not_decided(gap, scale):
    given = four_bar(scale=scale)
    joints = list(given.joints)
    joints[3] = mb.Spherical("C", given.bodies[1], (2.0 * scale, 0, gap * scale), given.bodies[2], (2.2 * scale, 0, 0))
    found = g.doctor(mb.Mechanism("bent", given.bodies, joints), START, sweep=False)
    assert found.closed is None if gap * scale > 1e-9 else found.closed is None or found.rank == 2


def test_a_loop_across_its_plane_that_cannot_close_is_not_decided():
    given = four_bar()
    joints = list(given.joints)
    joints[3] = mb.Spherical("C", given.bodies[1], (2.0, 0, 1e-3), given.bodies[2], (2.2, 0, 0))
    found = g.doctor(mb.Mechanism("bent", given.bodies, joints), START)
    assert found.closed is None
    assert found.verdict is None
    assert "nothing else is decided" in str(found)
    assert found.to_dict()["verdict"] is None
    with pytest.raises(InputError, match="do not close"):
        found.picture()


def test_the_spin_of_a_rod_between_ball_joints_is_idle():
    arm, rod, other = bar("arm", 1.0), bar("rod", 1.5), bar("other", 1.0)
    joints = [
        mb.Revolute("A", mb.GROUND, (0, 0, 0), arm, (0, 0, 0)),
        mb.Spherical("S1", arm, (1, 0, 0), rod, (0, 0, 0)),
        mb.Revolute("B", mb.GROUND, (1.5, 0, 0.2), other, (0, 0, 0), axis1=(0, 1, 1), axis2=(0, 1, 1)),
        mb.Spherical("S2", rod, (1.5, 0, 0), other, (1, 0, 0)),
    ]
    found = g.doctor(mb.Mechanism("RSSR", [arm, rod, other], joints), {"A": 1.2, "B": 1.2}, sweep=False)
    assert found.mobility == 2
    (idle,) = found.idle
    assert idle.lead == "rod"
    assert np.allclose(np.abs(idle.axis), (1.0, 0.0, 0.0), atol=1e-9)
    assert not found.dependences
    assert found.driven == 0  # no motor


def test_the_change_point_of_a_parallelogram_is_found_along_the_range_of_its_motor():
    """Cranks and coupler of a flat four-bar lie on one line at 0 and π: there the branches cross."""
    found = g.doctor(four_bar(lengths=(1.0, 2.5, 1.0)), {"A": 1.0, "D": 1.0, "B": -1.0})
    (sweep,) = found.sweeps
    assert [round(x / np.pi) for x, _ in sweep.singular] == [-1, 0, 1]
    assert all(abs(np.sin(x)) < 1e-6 for x, _ in sweep.singular)
    assert {verdict for _, verdict in sweep.singular} == {"branching and redundant"}
    assert not found.healthy


def test_a_tree_is_healthy_and_its_forces_are_those_of_statics():
    one = bar("one", 2.0)
    hinge = mb.Revolute("hinge", mb.GROUND, (0, 0, 0), one, (0, 0, 0), axis1=(0, 1, 0), axis2=(0, 1, 0))
    spring = mb.JointSpring("spring", hinge, 1e9)
    found = g.doctor(mb.Mechanism("lever", [one], [hinge], [spring]))
    assert found.healthy
    assert (found.mobility, found.rows) == (1, ())
    (force,) = found.forces
    assert not force.undetermined
    assert np.linalg.norm(force.force) > 0.0


def doors(stops):
    """Two bars that gravity turns alike, coupled, on stops."""
    bars = [bar("one", 1.0), bar("two", 1.0)]
    hinges = [
        mb.Revolute(f"hinge {k}", mb.GROUND, (0, k, 0), each, (0, 0, 0), axis1=(0, 1, 0)) for k, each in enumerate(bars)
    ]
    rule = mb.Coupling("rule", [(hinges[0], 1.0), (hinges[1], -1.0)])
    ends = [mb.Limit(f"stop {k}", hinges[k], -1.0, 0.0) for k in stops]
    return mb.Mechanism("doors", bars, [*hinges, rule, *ends])


def test_what_two_stops_share_has_a_range():
    """Both weigh on the stops with m g l/2 each; the coupling takes as much as one stop leaves to the other."""
    whole = 2.0 * 1.0 * 9.81 * 0.5
    found = g.doctor(doors((0, 1)), sweep=False)
    assert [stop.low for stop in found.stops] == pytest.approx([0.0, 0.0], abs=1e-9)
    assert [stop.high for stop in found.stops] == pytest.approx([whole, whole], rel=1e-9)
    (alone,) = g.doctor(doors((0,)), sweep=False).stops
    assert (alone.low, alone.high) == pytest.approx((whole, whole), rel=1e-9)


def parallelogram(stops):
    """Two bars of 1 m under gravity, a rod of 2 m between their ends, stops at their feet."""
    one, rod, two = (
        mb.PlanarBody(name, 1.0, 0.1, (x / 2, 0.0)) for name, x in (("one", 1.0), ("rod", 2.0), ("two", 1.0))
    )
    A = mb.Pin("A", mb.GROUND, (0, 0), one, (0, 0))
    D = mb.Pin("D", mb.GROUND, (2, 0), two, (0, 0))
    B = mb.Pin("B", one, (1, 0), rod, (0, 0))
    C = mb.Pin("C", rod, (2, 0), two, (1, 0))
    limits = [mb.Limit(f"stop {joint.name}", joint, 0.7, 2.0) for joint in (A, D) if joint.name in stops]
    return mb.Mechanism("parallelogram", [one, rod, two], [A, B, D, C, *limits])


def test_forces_that_stops_bound_range_from_one_stop_alone_to_the_other():
    pose = {"A": 0.7, "B": -0.7, "D": 0.7}
    found = g.doctor(parallelogram("AD"), pose, sweep=False)
    singles = [parallelogram("A"), parallelogram("D")]
    ends = [g.accelerate(m, *m.state(values=pose)) for m in singles]
    for force in found.forces:
        joints = [next(x for x in m.joints if x.name == force.joint) for m in singles]
        each = np.array([mb.reaction(answer, x).force for answer, x in zip(ends, joints, strict=True)])
        for k in range(2):
            low, high = sorted(each[:, k])
            if high - low < 1e-9:
                assert force.force[k] == pytest.approx(low, abs=1e-9)
            else:
                assert force.ranges[f"force {k + 1}"] == pytest.approx((low, high), rel=1e-8)
    assert any(force.ranges for force in found.forces)
    assert "…" in str(found)
    plain = json.loads(json.dumps(found.to_dict()))
    assert any(np.all(np.isfinite(np.array(x, dtype=float))) for f in plain["forces"] for x in f["ranges"].values())


def test_two_balls_on_one_line_are_a_hinge_whose_ends_are_held_twice():
    door = bar("door", 1.0)
    balls = [mb.Spherical(f"H{k}", mb.GROUND, (0, 0, z), door, (0, 0, z)) for k, z in enumerate((-0.5, 0.5))]
    found = g.doctor(mb.Mechanism("door", [door], balls), sweep=False)
    (twice,) = found.dependences
    assert twice.sentence == "a force along (0, 0, 1) between 'door' and 'ground', at 'H1'"
    assert "two balls between the same bodies are a hinge" in twice.remedy
    assert "slide along (0, 0, 1)" in twice.remedy
    assert (found.mobility, found.idle) == (1, ())  # its weight swings it, and it is no idle spin


def test_a_slide_along_the_force_ends_what_is_held_twice():
    """The remedy as it is said: 'another joint of the loop' slides along the axis."""
    given = four_bar()
    joints = list(given.joints)
    joints[2] = mb.Cylindrical("D", mb.GROUND, (2.5, 0, 0), given.bodies[2], (0, 0, 0))
    found = g.doctor(mb.Mechanism("RRSC", given.bodies, joints), {"A": 0.9, "B": 0.3, "D_angle": 1.7}, sweep=False)
    assert (found.rank, len(found.rows), found.mobility) == (3, 3, 1)
    assert not found.dependences


def test_a_weld_where_a_hinge_belongs_locks_the_loop():
    pose = dict(zip(("A", "D", "B"), g.doctor(four_bar(), START, sweep=False).closed, strict=True))
    turn = pose["D"] - pose["A"] - pose["B"]
    c, s = np.cos(turn), np.sin(turn)
    given = four_bar()
    joints = list(given.joints)
    bodies = given.bodies
    joints[3] = mb.Weld(
        "C", bodies[1], (2.0, 0, 0), bodies[2], (2.2, 0, 0), orientation=((c, s, 0), (-s, c, 0), (0, 0, 1))
    )
    robot = robots.Robot("welded", bodies, joints, given.forces, spanning=("A", "B", "D"))
    found = g.doctor(robot, pose, sweep=False)
    assert (found.rank, found.mobility, found.driven) == (3, 0, 0)
    assert found.locks == ("'C' (Weld) locks its loop: it holds the turn about (0, 0, 1), which a hinge would leave",)
    assert "the motor A moves nothing" in str(found)
    assert not found.healthy


def test_a_limit_that_is_violated_names_the_nearest_value_and_an_undriven_freedom_its_lead():
    one, two = bar("one", 1.0), bar("two", 1.0)
    hinges = [
        mb.Revolute("shoulder", mb.GROUND, (0, 0, 0), one, (0, 0, 0), axis1=(0, 1, 0)),
        mb.Revolute("elbow", one, (1, 0, 0), two, (0, 0, 0), axis1=(0, 1, 0)),
    ]
    stop = mb.Limit("elbow limit", hinges[1], -0.5, 1.25)
    arm = mb.Mechanism("arm", [one, two], [*hinges, stop], [mb.Motor("motor", hinges[0], 0.0)])
    found = g.doctor(arm, {"elbow": 1.5})
    (off,) = found.limits
    assert (off.joint, off.nearest, off.value) == ("elbow", 1.25, pytest.approx(1.5, rel=1e-12))
    assert "elbow = 1.25 is the nearest" in str(found)
    assert "no motor drives 1 of them, led by elbow" in str(found)


@pytest.mark.parametrize("tilt", [0.0, 0.7])
def test_forces_at_rest_are_those_of_reaction(tilt):
    """In axes of space where these show what is determined, else along directions in space that are named."""
    found, R = g.doctor(four_bar(tilt=tilt), START, sweep=False), mb.about((1.0, 0.3, 0.0), tilt)
    answer = g.accelerate(found.mechanism, found.closed)
    joints = {joint.name: joint for joint in found.mechanism.joints}
    for force in found.forces:
        along, about = (mb.reaction(answer, joints[force.joint], axes=x) for x in (force.axes, force.torque_axes))
        assert force.force == pytest.approx(along.force, abs=1e-9, nan_ok=True)
        assert force.torque == pytest.approx(about.torque, abs=1e-9, nan_ok=True)
        assert np.isnan(force.force).sum() == 1  # across the plane
        assert np.abs(force.axes[:, np.isnan(force.force)].T @ R[:, 2]) == pytest.approx(1.0)
        assert np.isnan(force.torque).sum() <= 1  # of the moment in the plane, what the stress does not bend
        assert np.array_equal(force.axes, np.eye(3)) == (tilt == 0.0)
        assert ("any along" in str(force).split("torque")[0]) == (tilt != 0.0)


@pytest.mark.parametrize("upright", [True, False])
def test_a_door_on_two_balls_pulls_them_as_statics_say(upright):
    """The share along the line of the balls is open; across it both carry the moment of the weight."""
    h, d, weight = 2.0, 0.8, 5.0 * 9.81
    u = np.array([0.0, 0.0, 1.0]) if upright else np.array([1.0, 0.0, 1.0]) / np.sqrt(2.0)
    w = np.array([u[2], 0.0, -u[0]])  # away from the line, downwards
    centre = 0.5 * h * u + d * w
    door = mb.Body("door", mb.box(5.0, (0.1, 0.5, 0.3), at=centre))
    balls = [mb.Spherical(name, mb.GROUND, x * u, door, x * u) for name, x in (("low", 0.0), ("high", h))]
    found = g.doctor(mb.Mechanism("door", [door], balls), sweep=False)
    assert [force.undetermined for force in found.forces] == [("force 3" if upright else "force 1",)] * 2
    size = weight * centre[0] / h
    whole = weight * (np.array([0.0, 0.0, 1.0]) - u[2] * u)
    across = {"high": -size * w, "low": whole + size * w}
    for force in found.forces:
        known = np.isfinite(force.force)
        assert np.abs(force.axes[:, ~known][:, 0] @ u) == pytest.approx(1.0)
        assert force.axes[:, known] @ force.force[known] == pytest.approx(across[force.joint], abs=1e-9)
        assert not np.any(force.torque)
    if upright:
        assert "force (-19.62, 0, any) N, torque (0, 0, 0) N m" in str(found)
    else:
        assert "(any along (0.7071, 0, 0.7071), " in str(found)


def test_two_motors_on_one_freedom_press_each_other():
    given = four_bar()
    motors = [mb.Motor("one", given.joints[0], 0.0), mb.Motor("two", given.joints[2], 0.0)]
    found = g.doctor(mb.Mechanism("twice driven", given.bodies, given.joints, motors), START, sweep=False)
    assert (len(found.motors), found.driven) == (2, 1)
    assert found.pressing == ("A", "D")
    assert "1 motors more than they can drive: A, D press each other" in str(found)


def test_a_page_for_a_program_a_notebook_and_a_picture(tmp_path):
    found = g.doctor(four_bar(), START, sweep=False)
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["rank"] == 2
    assert plain["held_twice"][0]["sentence"].startswith("the force across the plane")
    assert plain["forces"][0]["force"][2] is None  # across the plane, in axes of space
    assert plain["forces"][0]["axes"] == np.eye(3).tolist()
    assert "held twice" in found._repr_html_()
    found.picture(tmp_path / "four_bar.png")
    assert (tmp_path / "four_bar.png").stat().st_size > 10_000


def test_what_is_no_mechanism_is_refused():
    with pytest.raises(InputError, match="a Mechanism or a robot"):
        g.doctor(g.System("bead", "x", mass_matrix=[[1.0]]))
    with pytest.raises(InputError, match="no joint coordinate elbow"):
        g.doctor(four_bar(), {"elbow": 1.0})


@pytest.mark.parametrize("turn", [0.5, -1.5, 2.0, 2.9])
def test_a_weld_is_not_closed_with_a_body_turned_over(tmp_path, turn):
    """Products of axes vanish after half a turn too: the last of three bars must end as the bracket holds it."""
    mass = '<inertial><origin xyz="0.5 0 0"/><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>'
    links = "".join(f'<link name="bar{k}">{mass}</link>' for k in range(3))
    joints = "".join(
        f'<joint name="j{k}" type="continuous"><parent link="{parent}"/><child link="bar{k}"/>'
        f'<origin xyz="{at} 0 0"/><axis xyz="0 0 1"/></joint>'
        for k, (parent, at) in enumerate((("ground", 0), ("bar0", 1), ("bar1", 1)))
    )
    bracket = (
        '<link name="ground"/><link name="bracket"/><joint name="held" type="fixed"><parent link="ground"/>'
        f'<child link="bracket"/><origin xyz="1.2 0.3 0" rpy="0 0 {turn}"/></joint>'
    )
    (tmp_path / "arm.urdf").write_text(f'<robot name="arm">{bracket}{links}{joints}</robot>')
    robot = g.load(tmp_path / "arm.urdf", loops={"closed_loop": [["bar2", "bracket"]], "type": ["6d"]})
    found = g.doctor(robot, {"j0": 1.0, "j1": -1.5, "j2": 0.5}, sweep=False)
    assert (found.rank, found.mobility) == (3, 0)
    off = sum(found.closed) - turn
    assert abs(np.sin(off)) < 1e-12
    assert np.cos(off) > 0.0
    assert found.loops[0].turn == pytest.approx(2.0 * abs(np.sin(turn / 2.0)), rel=1e-9)


@pytest.mark.long
def test_ranges_are_those_of_motors_that_move_a_loop():
    """A turntable under a four-bar, and a ball joint whose unit quaternion is a row but no loop, move no loop."""
    given = four_bar()
    table, hand = bar("table", 0.4), bar("hand", 0.3)
    A, B, D, C = given.joints
    crank, coupler, rocker = given.bodies
    turn = mb.Revolute("turn", mb.GROUND, (0, 0, 0), table, (0, 0, 0))
    A = mb.Revolute("A", table, (0, 0, 0), crank, (0, 0, 0))
    D = mb.Revolute("D", table, (2.5, 0, 0), rocker, (0, 0, 0))
    wrist = mb.Spherical("wrist", table, (0, 0, 1), hand, (0, 0, 0))
    joints = [turn, A, B, D, C, wrist]
    motors = [mb.Motor(f"{x.name} motor", x, 0.0) for x in (turn, A)]
    found = g.doctor(mb.Mechanism("on a table", [table, crank, coupler, rocker, hand], joints, motors), START)
    assert [sweep.joint for sweep in found.sweeps] == ["A"]
    alone = g.doctor(four_bar(), START).sweeps[0]
    assert found.sweeps[0].values[[0, -1]] == pytest.approx(alone.values[[0, -1]], abs=1e-6)
    hand = mb.Mechanism("hand", [table, hand], [turn, wrist], [mb.Motor("motor", turn, 0.0)])
    assert g.doctor(hand).sweeps == ()


def plane_four_bar():
    """A four-bar linkage in the plane, whose pins have blanks in their names."""
    one, two, three = (mb.PlanarBody(name, 1.0, 0.1) for name in ("crank", "coupler", "rocker"))
    pins = [
        mb.Pin("main pin", mb.GROUND, (0, 0), one, (0, 0)),
        mb.Pin("crank pin", one, (1, 0), two, (0, 0)),
        mb.Pin("rocker pin", two, (2, 0), three, (2.2, 0)),
        mb.Pin("last pin", mb.GROUND, (2.5, 0), three, (0, 0)),
    ]
    linkage = mb.Mechanism("plane four-bar", [one, two, three], pins)
    poses = one.pose((0, 0), 1.0), two.pose((0.5, 0.8), 0.3), three.pose((2.5, 0), 1.8)
    return linkage, mb.assemble(linkage, *poses, hold="main pin")


def test_the_doctor_takes_an_assembly_a_state_and_names_of_joints():
    linkage, built = plane_four_bar()
    for values in (built, built.state):
        found = g.doctor(linkage, values, sweep=False)
        assert found.loops[0].gap < 1e-12
        np.testing.assert_allclose(found.given, found.closed, atol=1e-12)
    (closing,) = (pin for pin in linkage.joints if pin.name == found.loops[0].name)
    known = {name: x for name, x in built.values.items() if name != closing.name}
    assert g.doctor(linkage, known, sweep=False).loops[0].gap < 1e-12
    with pytest.raises(InputError, match=f"'{closing.name}' closes a loop: it has no coordinate of its own"):
        g.doctor(linkage, built.values)
    with pytest.raises(InputError, match="a dict by joint, a State or an Assembly, got int"):
        g.doctor(linkage, 3)
