"""The doctor on mechanisms whose ailments are known by construction."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gauss as g
from gauss import bodies as mb
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


@pytest.mark.parametrize("gap", [1e-6, 1e-4, 1e-2])
def test_an_open_loop_never_makes_a_dependent_row_independent(gap):
    """The hinge C sits off the plane by the gap: in the closed pose of the file nothing else is said."""
    given = four_bar()
    joints = list(given.joints)
    joints[3] = mb.Spherical("C", given.bodies[1], (2.0, gap, 0), given.bodies[2], (2.2, 0, 0))
    found = g.doctor(mb.Mechanism("open", given.bodies, joints), START, sweep=False)
    assert found.loops[0].gap > 0.1 * gap
    assert found.rank == 2
    assert len(found.dependences) == 1


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


def test_two_motors_on_one_freedom_press_each_other():
    given = four_bar()
    motors = [mb.Motor("one", given.joints[0], 0.0), mb.Motor("two", given.joints[2], 0.0)]
    found = g.doctor(mb.Mechanism("twice driven", given.bodies, given.joints, motors), START, sweep=False)
    assert (len(found.motors), found.driven) == (2, 1)
    assert "1 motors more than they can drive" in str(found)


def test_a_page_for_a_program_a_notebook_and_a_picture(tmp_path):
    found = g.doctor(four_bar(), START, sweep=False)
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["rank"] == 2
    assert plain["held_twice"][0]["sentence"].startswith("the force across the plane")
    assert plain["forces"][0]["force"][0] is None
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
