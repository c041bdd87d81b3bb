"""Files of robots on the command line: the doctor's page and status, and commands that take a model file."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

import gauss as g
from gauss.cli import main
from gauss.errors import FileError
from gauss.scenario import load

ARM = """<robot name="arm"><link name="base"/><link name="bar"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
<inertia ixx="0.01" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="revolute"><parent link="base"/><child link="bar"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="20" velocity="3"/></joint></robot>"""


def bar(name, mass):
    inertia = '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>'
    return f'<link name="{name}"><inertial><origin xyz="0.5 0 0"/><mass value="{mass}"/>{inertia}</inertial></link>'


def hinge(name, parent, child, place):
    ends = f'<parent link="{parent}"/><child link="{child}"/><origin xyz="{place}"/>'
    return f'<joint name="{name}" type="revolute">{ends}<axis xyz="0 1 0"/><limit lower="-3" upper="3"/></joint>'


def parallelogram(shift="0 0 0"):
    """A crank of 1 m, a coupler of 2 m and a rocker of 1 m as drawn along x; the loop is open by the shift."""
    links = [bar(name, 1) for name in ("crank", "coupler", "rocker")]
    joints = [
        hinge("A", "base", "crank", "0 0 0"),
        hinge("B", "crank", "coupler", "1 0 0"),
        hinge("D", "base", "rocker", "2 0 0"),
    ]
    loop = """<constraint name="C" type="spherical"><parent link="coupler"/><parent_origin xyz="2 0 0"/>
    <child link="rocker"/><child_origin xyz="1 0 0"/></constraint>"""
    motor = '<transmission name="m"><joint name="A"/></transmission>'
    moved = "".join([*links, *joints, loop, motor]).replace('<child_origin xyz="1 0 0"/>', _moved(shift))
    return f'<robot name="parallelogram"><link name="base"/>{moved}</robot>'


def _moved(shift):
    x, y, z = np.array([1.0, 0.0, 0.0]) + np.array([float(each) for each in shift.split()])
    return f'<child_origin xyz="{x} {y} {z}"/>'


MJCF = """<mujoco model="swing"><worldbody><body name="bar"><joint name="hinge" axis="0 1 0"/>
<geom type="capsule" fromto="0 0 0 0.6 0 0" size="0.02" contype="0" conaffinity="0"/></body></worldbody></mujoco>"""


@pytest.fixture
def inside(capsys, monkeypatch, tmp_path):
    """The command line in the process of the tests, in a folder with robots."""
    monkeypatch.chdir(tmp_path)
    for name, text in {"arm.urdf": ARM, "flat.urdf": parallelogram(), "bent.urdf": parallelogram("0 0.1 0")}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["gauss", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return subprocess.CompletedProcess(arguments, ended.value.code or 0, printed.out, printed.err)

    return call


def test_a_tree_is_healthy_and_ends_with_status_0(inside):
    done = inside("doctor", "arm.urdf")
    assert done.returncode == 0
    assert "speeds are not bounded" in done.stdout
    assert "1 motors drive 1" in done.stdout


def test_the_doctor_names_the_file_of_a_robot_that_is_called_otherwise(inside, tmp_path):
    (tmp_path / "leg.urdf").write_text(ARM.replace('name="arm"', 'name="onshape"'), encoding="utf-8")
    done = inside("doctor", "leg.urdf", "--no-sweep")
    assert "leg.urdf (onshape): 1 coordinates, 0 rows" in done.stdout
    assert "arm: 1 coordinates, 0 rows" in inside("doctor", "arm.urdf", "--no-sweep").stdout


def test_a_joint_beyond_its_stop_is_a_finding_and_no_row(inside):
    done = inside("doctor", "arm.urdf", "--set", "hinge=2")
    assert done.returncode == 1
    assert "'hinge limit upper' by 1 rad: hinge = 1 is the nearest" in done.stdout


def test_what_is_held_twice_is_a_finding_for_people_and_for_programs(inside, tmp_path):
    done = inside("doctor", "flat.urdf", "--set", "A=1", "--set", "B=-1", "--set", "D=1", "--no-sweep")
    assert done.returncode == 1
    assert "rank 2 of 3" in done.stdout
    assert "across the plane" in " ".join(done.stdout.split())
    options = ("--json", "--no-sweep", "--picture", "flat.png")
    done = inside("doctor", "flat.urdf", "--set", "A=1", "--set", "B=-1", "--set", "D=1", *options)
    found = json.loads(done.stdout)
    assert done.returncode == 1
    assert (found["rank"], found["mobility"], found["healthy"]) == (2, 1, False)
    assert (tmp_path / "flat.png").stat().st_size > 10_000


def test_a_loop_that_cannot_close_is_undecided_and_no_start(inside):
    done = inside("doctor", "bent.urdf", "--picture", "bent.png")
    assert done.returncode == 1
    assert "nothing else is decided" in " ".join(done.stdout.split())
    with pytest.raises(FileError, match=r"gauss doctor bent\.urdf"):
        load("bent.urdf")


def test_loops_and_motors_of_a_yaml_file(inside, tmp_path):
    pytest.importorskip("yaml", reason="pyyaml is not installed")
    (tmp_path / "loops.yaml").write_text("name_mot: [A, D]\n", encoding="utf-8")
    done = inside("doctor", "flat.urdf", "--loops", "loops.yaml", "--set", "A=1", "--set", "D=1", "--no-sweep")
    assert "2 motors drive 1" in " ".join(done.stdout.split())
    with pytest.raises(FileError, match=r"`gauss doctor bent\.urdf --loops loops\.yaml` says which are open"):
        load("bent.urdf", "loops.yaml")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("doctor", "arms.urdf"), "Did you mean arm.urdf"),
        (("doctor", "arm.urdf", "--set", "elbow=1"), "known: hinge"),
        (("doctor", "arm.urdf", "--set", "hinge"), "joint=value"),
        (("doctor", "arm.urdf", "--base", "loose"), "fixed"),
        (("doctor", "spherical_pendulum"), "bodies with joints"),
        (("doctor", "four_bar_motor", "--base", "free"), "belong to a URDF"),
        (("run", "four_bar_motor", "--loops", "arm.yaml"), "loops belong to a URDF"),
        (("uniqueness", "four_bar_motor", "--q", "0", "--loops", "arm.yaml"), "loops belong to a URDF"),
        (("sweep", "arm.urdf", "--set", "a=1,2"), "robot = g.load('arm.urdf')"),
    ],
)
def test_bad_input_is_said_in_one_line_with_status_2(inside, arguments, words):
    done = inside(*arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_doctor_takes_a_scenario_in_the_pose_of_its_start(inside):
    done = inside("doctor", "four_bar_motor", "--no-sweep", "--json")
    found = json.loads(done.stdout)
    assert done.returncode == 0
    assert found["loops"][0]["gap"] < 1e-12  # it starts assembled
    assert (found["mobility"], found["driven"]) == (1, 1)


def test_a_robot_runs_from_its_home_pose_as_its_equation_has_it(inside):
    """J φ'' = m g l cos φ up to the stop at 1 rad, J = 0.1 + 2·0.25 kg m²: the speed there is by energy."""
    scenario = load("arm.urdf")
    assert (scenario.name, scenario.title, scenario.start.t_end) == ("arm", "arm", 1.0)
    assert "speeds are not bounded" in scenario.text
    run = g.simulate(scenario.system, scenario.start.q, t_end=1.0, **scenario.start.options)
    speed = np.sqrt(2 * 2.0 * 9.81 * 0.5 * np.sin(1.0) / 0.6)
    assert f"{speed:.5f}"[:6] in str(run.events[0])
    done = inside("run", "arm.urdf", "--no-plot", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)[0]["name"] == "arm"


def test_commands_that_take_a_model_take_a_robot(inside, tmp_path):
    assert "hinge'' 15.6197516" in inside("uniqueness", "arm.urdf", "--q", "hinge=0.3").stdout  # 9.81 cos 0.3 / 0.6
    assert "hinge" in inside("show", "arm.urdf").stdout
    assert inside("animate", "arm.urdf", "--t-end", "0.1", "--out", str(tmp_path)).returncode == 0
    assert (tmp_path / "arm.gif").stat().st_size > 1000


def test_commands_that_take_a_robot_take_its_loops(inside, tmp_path):
    """Bars of 1 and 3 kg on one axis fall apart, and together where a loop says that their frames coincide."""
    pytest.importorskip("yaml", reason="pyyaml is not installed")
    parts = [bar("one", 1), bar("two", 3), hinge("A", "base", "one", "0 0 0"), hinge("D", "base", "two", "0 0 0")]
    (tmp_path / "pair.urdf").write_text(f'<robot name="pair"><link name="base"/>{"".join(parts)}</robot>')
    (tmp_path / "two loops.yaml").write_text("closed_loop: [[one, two]]\ntype: [6d]\n")

    def gap(*options):
        done = inside("run", "pair.urdf", *options, "--t-end", "0.5", "--no-plot", "--json")
        end = json.loads(done.stdout)[0]["motion"]["end"]["q"]
        return abs(end["A"] - end["D"])

    given = ("--loops", "two loops.yaml")
    said = " ".join(inside("run", "pair.urdf", "--t-end", "0.1", "--no-plot").stdout.split())
    assert "not read loops beside it in two loops.yaml: not read; give them by `loops=`, --loops two loops.yaml" in said
    assert gap() > 0.1
    assert gap(*given) < 1e-12
    assert "redundant" in inside("uniqueness", "pair.urdf", *given).stdout
    assert "one to two" in inside("show", "pair.urdf", *given).stdout
    assert "redundant" in inside("atlas", "pair.urdf", "--over", "A=0:1:3", *given).stdout
    assert inside("animate", "pair.urdf", *given, "--t-end", "0.1").returncode == 0
    done = inside("run", "pair.urdf", *given, "--t-end", "0.1", "--no-plot", "--report", "page.html")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "gauss run pair.urdf --t-end 0.1 --loops &#x27;two loops.yaml&#x27;" in page


def test_a_row_that_vanishes_beside_stops_ends_no_motion(tmp_path):
    """In a flat loop the row across the plane is zero in joint coordinates."""
    (tmp_path / "flat.urdf").write_text(parallelogram(), encoding="utf-8")
    robot = g.load(tmp_path / "flat.urdf")
    run = g.simulate(robot, *robot.at({"A": 1.0, "B": -1.0, "D": 1.0}), t_end=0.05, control=[0.0], progress="none")
    assert run.ending.complete
    assert np.max(np.abs(run["A"] - run["D"])) < 1e-9  # a parallelogram
    assert np.max(run.off_position) < 1e-12


def test_mjcf_runs(inside, tmp_path):
    pytest.importorskip("mujoco", reason="mujoco is not installed")
    (tmp_path / "swing.xml").write_text(MJCF, encoding="utf-8")
    assert inside("doctor", "swing.xml").returncode == 0
    done = inside("run", "swing.xml", "--no-plot", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)[0]["name"] == "swing"


def test_the_doctor_writes_mjcf_and_says_what_it_changed(inside, tmp_path):
    pytest.importorskip("mujoco")
    (tmp_path / "swing.xml").write_text(MJCF)
    done = inside("doctor", "swing.xml", "--no-sweep", "--write", "out.xml")
    assert done.returncode == 0
    assert "written: the keyframe 'closed'" in done.stdout
    assert g.load(tmp_path / "out.xml").poses["closed"] == {"hinge": 0.0}
    done = inside("doctor", "arm.urdf", "--no-sweep", "--write", "out.xml")
    assert done.returncode == 2
    assert "not read from MJCF" in done.stderr
