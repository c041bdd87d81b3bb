"""MJCF written back with the doctor's remedies: the same motion, and no forces that are a choice."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import gauss as g
from gauss import bodies as mb
from gauss import robots
from gauss.errors import InputError

pytestmark = pytest.mark.skipif(importlib.util.find_spec("mujoco") is None, reason="mujoco is not installed")

LINK = """<body name="{0}" pos="{1}" {2}><joint name="{0}" axis="0 1 0" damping="0.1" armature="0.01"/>
<inertial pos="{3} 0 0" mass="{4}" diaginertia="0.01 0.1 0.1"/>{5}</body>"""
TURN = 'quat="0.9 0 -0.435889894354067 0"'


def four_bar(connect, more="", free=False):
    """Crank 1 m, coupler 2 m, rocker 2.2 m, bearings 2.5 m apart, with an anchor at the end of the coupler."""
    coupler = LINK.format("coupler", "1 0 0", 'quat="0.93 0 0.367559518989782 0"', 1.0, 2, "")
    crank = LINK.format("crank", "0 0 0", TURN, 0.5, 1, coupler)
    rocker = LINK.format("rocker", "2.5 0 0", 'quat="0.6 0 -0.8 0"', 1.1, 3, "")
    top = f'<body name="base" pos="0 0 1">{crank}{rocker}</body>' if not free else (
        f'<body name="base" pos="0 0 1"><freejoint/><inertial pos="0 0 0" mass="5" diaginertia="1 1 1"/>{crank}{rocker}'
        "</body>")  # fmt: skip
    return f"""<mujoco model="four-bar"><!-- kept --><option gravity="0 0 -9.81"/><worldbody>{top}</worldbody>
<equality>{connect}</equality>
<actuator><motor name="drive" joint="crank"/></actuator>{more}</mujoco>"""


CONNECT = (
    '<connect name="pin" body1="coupler" body2="rocker" anchor="2 0 0" solref="0.002 1" solimp="0.9999 0.9999 0.001"/>'
)


def load(folder, text, name="robot.xml"):
    file = folder / name
    file.write_text(text)
    return g.load(file)


@pytest.fixture(scope="module", params=["fixed", "free"])
def pair(request, tmp_path_factory):
    """A robot with a connect, its diagnosis, what was changed, and the robot that was written."""
    folder = tmp_path_factory.mktemp("mended")
    robot = load(folder, four_bar(CONNECT, free=request.param == "free"))
    found = g.doctor(robot, sweep=False)
    changes = robot.write(folder / "out.xml", found)
    return robot, found, changes, g.load(folder / "out.xml")


def test_what_was_held_twice_is_held_once(pair):
    robot, found, changes, mended = pair
    assert [each.own for each in found.dependences] == [("pin[1]",)]
    units = len(found.rows) - 3  # of the quaternion of what is free
    assert found.rank == 2 + units
    assert changes == ("the connect 'pin' holds 2 rows, as 2 rods", "the keyframe 'closed' has the loops closed")
    again = g.doctor(mended, {**mended.poses["closed"]}, sweep=False)
    assert (again.rank, len(again.rows), again.dependences) == (2 + units, 2 + units, ())
    assert again.mobility == found.mobility
    assert max(loop.gap for loop in again.loops) < 1e-12
    assert all(not force.undetermined for force in again.forces)
    assert "<!-- kept -->" in Path(mended.source).read_text()
    assert mended.motors == robot.motors


def test_it_moves_as_before_and_the_rods_bear_what_was_determined(pair):
    robot, found, _, mended = pair
    q, v = mended.at("closed")
    assert np.allclose(q, found.closed, atol=1e-12)
    two = g.accelerate(mended, q, v, u={"drive": 3.0})
    a, known = moved(robot, found.closed, 3.0)
    assert np.allclose(a, two.a, rtol=1e-9, atol=1e-9)
    joints = {joint.name: joint for joint in mended.joints}
    rods = np.sum([mb.reaction(two, joints[f"pin rod {k}"]).force for k in (1, 2)], axis=0)
    assert np.allclose(rods[[0, 2]], known[[0, 2]], rtol=1e-8)
    assert abs(rods[1]) < 1e-8  # no force across the plane, where any was possible


def moved(robot, q, torque):
    """Accelerations, and a force of the pin, by least squares of the saddle system."""
    system = robot.system
    terms = system.model.terms(q, 0.0 * q, 0.0, system.theta())
    f = terms.f + torque * (np.array(system.coordinates) == "crank")
    m = len(terms.J)
    K = np.block([[terms.M, -terms.J.T], [terms.J, np.zeros((m, m))]])
    found = np.linalg.lstsq(K, np.concatenate([f, np.zeros(m)]), rcond=None)[0]
    return found[: len(q)], found[-3:]


def test_mujoco_loads_it_and_finds_its_loops_closed(pair):
    import mujoco

    _, _, _, mended = pair
    model = mujoco.MjModel.from_xml_path(mended.source)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    data.ctrl[0] = 3.0
    mujoco.mj_forward(model, data)
    assert data.ne == 2
    assert np.max(np.abs(data.efc_pos[:2])) < 1e-12
    q, v = mended.at("closed")
    ours = g.accelerate(mended, q, v, u={"drive": 3.0})
    for name in ("crank", "coupler", "rocker"):
        theirs = data.qacc[model.joint(name).dofadr[0]]
        assert abs(theirs - getattr(ours.acceleration, name)) < 2e-3 * abs(theirs), name  # MuJoCo's rows give way


def test_what_holds_nothing_new_is_left_out(tmp_path):
    twice = CONNECT + CONNECT.replace('"pin"', '"again"')
    robot = load(tmp_path, four_bar(twice))
    changes = robots.write(robot, tmp_path / "out.xml")
    mended = g.load(tmp_path / "out.xml")
    again = g.doctor(mended, mended.poses["closed"], sweep=False)
    assert (again.rank, len(again.rows)) == (2, 2)
    counts = sorted(change.partition("' ")[2] for change in changes[:2])
    assert counts == ["holds 2 rows, as 2 rods", "is left out: nothing of it counts"]


def test_ball_joints_and_meshes_stay_where_they_are(tmp_path):
    """A ball joint in a chain whose end is connected with the ground: three rows, of which all count."""
    text = """<mujoco><compiler meshdir="parts"/><asset><mesh name="m" file="m.obj"/></asset><worldbody>
    <body name="a" quat="0.9 0.1 0.2 0.3"><joint name="b" type="ball"/><geom type="mesh" mesh="m"/>
    <body name="c" pos="1 0 0"><joint name="h" axis="0 1 0"/><joint name="s" type="slide" axis="1 0 0"/>
    <geom type="box" size=".1 .2 .3"/></body></body></worldbody>
    <equality><connect body1="c" anchor="0.5 0 0"/></equality></mujoco>"""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "m.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    robot = load(tmp_path, text)
    (tmp_path / "there").mkdir()
    changes = robots.write(robot, tmp_path / "there" / "out.xml")
    assert changes == ("the keyframe 'closed' has the loops closed",)
    mended = g.load(tmp_path / "there" / "out.xml")
    found = g.doctor(robot, sweep=False)
    assert np.allclose(mended.at("closed")[0], found.closed, atol=1e-12)
    assert np.allclose(mended.at("home")[0], robot.at("home")[0])


def test_what_has_no_mjcf_is_refused(tmp_path):
    file = tmp_path / "bar.urdf"
    file.write_text("""<robot name="bar"><link name="base"/><link name="bar"><inertial><mass value="2"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="j" type="continuous">
    <parent link="base"/><child link="bar"/></joint></robot>""")
    with pytest.raises(InputError, match="not read from MJCF"):
        g.load(file).write(tmp_path / "out.xml")
