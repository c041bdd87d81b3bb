"""The pose that the doctor examines, how it says so, and where robots start: against closed forms of the linkages."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import gauss as g
from gauss import bodies as mb
from gauss import robots
from gauss.cli import main
from gauss.errors import DegreesWarning, InconsistentStateError, InputError

INERTIA = '<inertia ixx="0.01" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>'
LIMIT = '<limit lower="{}" upper="{}" effort="20" velocity="9"/>'
LOW, HIGH = -0.8 / 1.5, 0.8  # of s, with e = −1.5 s + 0.2 in ±1


def link(name):
    return f'<link name="{name}"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>{INERTIA}</inertial></link>'


def hinge(name, parent, child, place, more=""):
    ends = f'<parent link="{parent}"/><child link="{child}"/><origin xyz="{place}"/>'
    kind = "revolute" if "limit" in more else "continuous"
    return f'<joint name="{name}" type="{kind}">{ends}<axis xyz="0 1 0"/>{more}</joint>'


def mimic(leader, factor, offset):
    return f'<mimic joint="{leader}" multiplier="{factor}" offset="{offset}"/>'


def chain(*joints):
    """A URDF of bars one behind the other."""
    names = ["base", *(f"bar{k}" for k in range(len(joints)))]
    parts = [hinge(name, names[k], names[k + 1], f"{min(k, 1)} 0 0", more) for k, (name, more) in enumerate(joints)]
    return f'<robot name="m"><link name="base"/>{"".join(map(link, names[1:]))}{"".join(parts)}</robot>'


@pytest.fixture
def pair(tmp_path):
    """A joint s and its follower e = −1.5 s + 0.2, both in ±1."""
    ends = LIMIT.format(-1, 1)
    (tmp_path / "pair.urdf").write_text(chain(("s", ends), ("e", ends + mimic("s", -1.5, 0.2))))
    return g.load(tmp_path / "pair.urdf")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("s", [LOW, -0.3, 0.0, 0.3, 0.5, 0.7, HIGH])
def test_a_follower_is_where_its_leader_puts_it_and_what_is_named_stays(pair, s):
    found = g.doctor(pair, {"s": s}, sweep=False)
    assert found.closed[0] == s
    assert found.closed[1] == pytest.approx(0.2 - 1.5 * s, abs=1e-14)
    assert found.not_held == ()
    back = g.doctor(pair, {"e": 0.2 - 1.5 * s}, sweep=False)
    assert back.closed == pytest.approx(found.closed, abs=1e-14)


@pytest.mark.parametrize(("s", "nearest", "stop"), [(0.9, HIGH, "e limit lower"), (-0.6, LOW, "e limit upper")])
def test_a_value_that_would_put_a_follower_beyond_its_stop_is_named(pair, s, nearest, stop):
    found = g.doctor(pair, {"s": s}, sweep=False)
    (missed,) = found.not_held
    assert (missed.joint, missed.value, missed.why) == ("s", s, f"stop {stop!r}")
    assert missed.reached == pytest.approx(nearest, abs=2e-9)
    assert found.closed == pytest.approx([nearest, 0.2 - 1.5 * nearest], abs=2e-9)
    assert f"s = {s:g} rad is out of reach" in found.findings
    assert f"closed       by moving s from {s:g} to {nearest:.6g} rad" in str(found)
    assert json.loads(json.dumps(found.to_dict()))["not_held"][0]["reached"] == missed.reached


def test_two_values_that_contradict_each_other_are_taken_in_their_order(pair):
    assert g.doctor(pair, {"s": 0.1, "e": 0.5}, sweep=False).closed == pytest.approx([0.1, 0.05])
    found = g.doctor(pair, {"e": 0.5, "s": 0.1}, sweep=False)
    assert found.closed == pytest.approx([-0.2, 0.5])
    assert "by moving s from 0.1 to -0.2 rad" in str(found)


@pytest.mark.long
def test_degrees_are_guessed_where_a_value_is_out_of_reach(pair):
    with pytest.warns(DegreesWarning, match="s = 45"):
        found = g.doctor(pair, {"s": 45.0}, sweep=False)
    assert found.closed is not None
    assert str(found).count("45 looks like degrees, which are 0.7854 rad") == 2  # beside the stop, and not held


def four_bar(a=1.0, b=2.0, c=2.2, d=2.5):
    """Crank a at A, coupler b, rocker c at D, ground d."""
    crank, coupler, rocker = (
        mb.PlanarBody(name, x, x**3 / 12, (x / 2, 0.0)) for name, x in (("crank", a), ("coupler", b), ("rocker", c))
    )
    A = mb.Pin("A", mb.GROUND, (0, 0), crank, (0, 0))
    B = mb.Pin("B", crank, (a, 0), coupler, (0, 0))
    D = mb.Pin("D", mb.GROUND, (d, 0), rocker, (0, 0))
    C = mb.Pin("C", coupler, (b, 0), rocker, (c, 0))
    return mb.Mechanism("four-bar", [crank, coupler, rocker], [A, B, D, C], [mb.Motor("motor", A, 0.0)])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("A", [0.9, 0.4, -1.2, 2.0, 3.0])
def test_a_crank_keeps_its_value_while_its_loop_closes_on_the_circles(A):
    found = g.doctor(four_bar(), {"A": A}, sweep=False)
    values = dict(zip(found.coordinates, found.closed, strict=True))
    assert values["A"] == A
    end = np.array([np.cos(A), np.sin(A)]) + 2.0 * np.array([np.cos(A + values["B"]), np.sin(A + values["B"])])
    assert end == pytest.approx([2.5 + 2.2 * np.cos(values["D"]), 2.2 * np.sin(values["D"])], abs=1e-11)
    assert "A from" not in str(found)
    assert found.loops[0].is_open  # at B = D = 0, which nobody asked for
    assert found.healthy
    assert "is open" in g.doctor(four_bar(), sweep=False).findings[0]


@pytest.mark.parametrize(("asked", "reach"), [(3.0, 1.0), (1.5, 3.0)])
def test_a_rocker_comes_as_far_as_crank_and_coupler_in_line_allow(asked, reach):
    """The end of the rocker is b − a or a + b from A: r² = d² + c² + 2 d c cos D."""
    found = g.doctor(four_bar(), {"D": asked, "A": 0.9, "B": 0.3}, hold=["D"], sweep=False)
    (missed,) = found.not_held
    assert missed.why == "out of reach"
    assert missed.reached == pytest.approx(np.arccos((reach**2 - 2.5**2 - 2.2**2) / (2.0 * 2.5 * 2.2)), abs=1e-6)


def test_what_is_held_is_said_and_an_unknown_name_refused():
    values = {"A": 0.9, "B": 0.3, "D": 1.8}
    for name in values:
        found = g.doctor(four_bar(), values, hold=[name], sweep=False)
        assert found.closed[found.coordinates.index(name)] == values[name]
        assert f"{name} from" not in str(found)
    with pytest.raises(InputError, match="hold names elbow; the coordinates are"):
        g.doctor(four_bar(), values, hold=["elbow"])


@pytest.mark.long
def test_rows_that_do_not_close_are_named():
    found = g.doctor(four_bar(a=0.5, b=0.5, c=0.5), {"A": 0.3})
    assert found.closed is None
    assert set(found.remaining) == {"C[0]", "C[1]"}
    assert re.search(r"do not close from here \(C\[\d\] -?\d", str(found))
    assert found.findings[0] == "the rows do not close from the values given"


# ------------------------------------------------------------------ where a robot starts


def test_a_robot_starts_at_home_with_followers_of_followers_and_their_rates(tmp_path):
    """c = 0.1 − 2 b with b = 0.3 + 0.5 a, and d, whose range has no 0."""
    (tmp_path / "m.urdf").write_text(
        chain(("c", mimic("b", -2, 0.1)), ("b", mimic("a", 0.5, 0.3)), ("a", ""), ("d", LIMIT.format(0.4, 1)))
    )
    robot = g.load(tmp_path / "m.urdf")
    names = robot.system.coordinates
    q, v = robot.at({"a": 0.6}, {"a": 2.0, "d": 1.0})
    assert dict(zip(names, q, strict=True)) == pytest.approx({"a": 0.6, "b": 0.6, "c": -1.1, "d": 0.4})
    assert dict(zip(names, v, strict=True)) == pytest.approx({"a": 2.0, "b": 1.0, "c": -2.0, "d": 1.0})
    assert g.accelerate(robot, q, v).unique
    assert g.simulate(robot, q, v, t_end=0.01, progress="none").ending.kind == "finished"
    q, v = robot.at({"c": -1.1, "d": 0.7}, {"b": 1.0})
    assert dict(zip(names, q, strict=True)) == pytest.approx({"a": 0.6, "b": 0.6, "c": -1.1, "d": 0.7})
    assert dict(zip(names, v, strict=True)) == pytest.approx({"a": 2.0, "b": 1.0, "c": -2.0, "d": 0.0})
    assert robot.at({"a": 0.0})[0] == pytest.approx(robot.at("home")[0])


def test_followers_of_mechanisms_and_of_polynomials_go_with_their_leaders():
    """e = 0.2 − s + 0.5 s², so that its rate is (s − 1) that of s; twice in a row, from 0."""
    bars = [mb.PlanarBody(f"bar{k}", 1.0, 0.1, (0.5, 0.0)) for k in range(3)]
    s, e, f = pins = [mb.Pin(name, mb.GROUND, (0, 0), bar, (0, 0)) for name, bar in zip("sef", bars, strict=True)]
    rules = [mb.Follower("second", f, e, (0.1, 2.0)), mb.Follower("first", e, s, (0.2, -1.0, 0.5))]
    assert g.doctor(mb.Mechanism("m", bars, [*pins, *rules])).given == pytest.approx([0.0, 0.2, 0.5])
    robot = robots.Robot("m", bars, [*pins, *rules], coordinates="joint", spanning=("s", "e", "f"))
    q, v = robot.at({"s": 0.4}, {"s": 3.0})
    assert q == pytest.approx([0.4, -0.12, -0.14])
    assert v == pytest.approx([3.0, -1.8, -3.6])
    assert g.accelerate(robot, q, v).unique


def test_a_state_off_the_rows_of_a_robot_names_a_call_that_mends_it(pair):
    q, _ = pair.state(values={"s": 0.3})
    with pytest.raises(InconsistentStateError, match=re.escape("gauss.consistent(robot, q, v, hold=…)")):
        g.accelerate(pair, q)
    assert g.accelerate(pair, g.consistent(pair, q, hold="s").q).unique


# ------------------------------------------------------------------ files beside, packages, the command line


@pytest.fixture
def inside(capsys, monkeypatch, tmp_path):
    """The command line in the process of the tests, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["gauss", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return subprocess.CompletedProcess(arguments, ended.value.code or 0, " ".join(printed.out.split()), printed.err)

    return call


def test_a_file_of_loops_that_lies_beside_is_named_and_no_other(inside, tmp_path):
    pytest.importorskip("yaml", reason="pyyaml is not installed")
    joints = hinge("A", "base", "one", "0 0 0") + hinge("B", "base", "two", "2 0 0")
    text = f'<robot name="pair"><link name="base"/>{link("one")}{link("two")}{joints}</robot>'
    (tmp_path / "pair.urdf").write_text(text)
    (tmp_path / "other.yaml").write_text("closed_loop: [[hand, foot]]\ntype: [3d]\n")
    (tmp_path / "notes.yaml").write_text("about: [one, two]\n")
    assert inside("doctor", "pair.urdf").returncode == 0
    (tmp_path / "pair.yaml").write_text("closed_loop: [[one, two]]\ntype: ['3d']\n")
    done = inside("doctor", "pair.urdf")
    assert done.returncode == 1
    assert "loops beside it in pair.yaml: not read; give them by `loops=`, --loops pair.yaml" in done.stdout
    assert "findings 1: loops in a file beside it are not read" in done.stdout
    assert "other.yaml" not in done.stdout
    assert "notes.yaml" not in done.stdout
    assert "beside" not in inside("doctor", "pair.urdf", "--loops", "pair.yaml", "--no-sweep").stdout
    assert g.doctor(g.load("pair.urdf", loops={})).healthy


def test_findings_say_why_the_status_is_1(inside, tmp_path):
    (tmp_path / "arm.urdf").write_text(chain(("s", LIMIT.format(-1, 1))))
    done = inside("doctor", "arm.urdf", "--json")
    assert (done.returncode, json.loads(done.stdout)["findings"]) == (0, [])
    assert "findings none" in inside("doctor", "arm.urdf").stdout
    done = inside("doctor", "arm.urdf", "--set", "s=1.5", "--json")
    data = json.loads(done.stdout)
    assert (done.returncode, data["healthy"]) == (1, False)
    assert data["findings"] == ["s = 1.5 rad is out of reach", "'s limit upper' is violated as given"]


def test_files_that_are_not_found_are_one_line_and_folders_are_given_on_the_command_line(inside, tmp_path):
    pytest.importorskip("trimesh", reason="trimesh is not installed")
    shape = "".join(
        f'<{word}><geometry><mesh filename="package://arm/{name}.stl"/></geometry></{word}>'
        for word in ("visual", "collision")
        for name in ("one", "two")
    )
    text = chain(("s", "")).replace("</inertial>", f"</inertial>{shape}")
    (tmp_path / "arm.urdf").write_text(text)
    (lost,) = (x for x in g.load("arm.urdf").unread if "mesh" in x.where)
    assert lost.names == ("package://arm/one.stl", "package://arm/two.stl")
    assert "say where by `packages=`, --packages" in inside("doctor", "arm.urdf").stdout
    folder = tmp_path / "else" / "arm"
    folder.mkdir(parents=True)
    for name in ("one", "two"):
        (folder / f"{name}.stl").write_text("solid\nendsolid\n")
    for given in ("else", "arm=else/arm"):
        assert "not found" not in inside("doctor", "arm.urdf", "--packages", given).stdout
    done = inside("doctor", "arm.urdf", "--packages", "else", "--packages", "arm=else/arm")
    assert (done.returncode, "one folder" in done.stderr) == (2, True)
    assert "there are no motors" in inside("doctor", "arm.urdf", "--actuated", "").stdout
    assert "say which by" not in inside("doctor", "arm.urdf", "--actuated", "s").stdout


# ------------------------------------------------------------------ words and pictures


def test_rounding_is_printed_as_0():
    found = g.doctor(four_bar(), {"A": 0.9}, sweep=False)
    assert str(replace(found.loops[0], gap=1e-17, turn=3e-12)).endswith(": 0 m")
    turned, one = mb.about((0.0, 0.0, 1.0), 0.3), g.doctor(space_four_bar(), {"A": 0.9}, sweep=False).forces[0]
    small = {"torque": np.array([7.9e-9, -1e-8, 0.0]), "torque_axes": turned}
    force = replace(one, force=np.array([2.0, 1e-9, 0.5]), axes=turned, ranges={}, **small)
    sweep = g.doctor(four_bar(1.0, 2.5, 1.0, 2.5), {"A": 1.0, "D": 1.0, "B": -1.0}).sweeps[0]
    assert "singular at -3.14159 (branching), 0 (branching), 3.14159 (branching)" in str(sweep)
    assert "e-" not in str(force)
    assert "torque (else 0) N m" in str(force)
    again = g.doctor(four_bar(), dict(zip(found.coordinates, found.closed, strict=True)), sweep=False)
    assert "closed       as given" in str(again)
    assert not re.search(r"\de-\d", str(again))


def test_a_range_that_begins_at_its_end_is_reached(tmp_path):
    ends = LIMIT.format(0, 0.5)
    (tmp_path / "pair.urdf").write_text(chain(("s", ends), ("e", mimic("s", -1.5, 0.2))))
    (sweep,) = g.doctor(g.load(tmp_path / "pair.urdf"), {"s": 1e-11}).sweeps
    assert sweep.ends == ("", "")
    assert "of 0" not in str(sweep)


def test_a_base_that_nothing_holds_is_free_and_does_not_swing(tmp_path):
    text = chain(("s", LIMIT.format(-1, 1))).replace('<link name="base"/>', link("base"))
    (tmp_path / "arm.urdf").write_text(text)
    said = str(g.doctor(g.load(tmp_path / "arm.urdf", base="free")))
    assert "'base' is free (6): nothing joins it to the ground" in said
    assert "swing" not in said


def space_four_bar():
    """The same four-bar with bodies in space, closed by a hinge."""
    names = ("crank", "coupler", "rocker")
    crank, coupler, rocker = (
        mb.Body(name, mb.box(x, (x, 0.1, 0.1), at=(x / 2, 0, 0)))
        for name, x in zip(names, (1.0, 2.0, 2.2), strict=True)
    )
    joints = [
        mb.Revolute("A", mb.GROUND, (0, 0, 0), crank, (0, 0, 0)),
        mb.Revolute("B", crank, (1, 0, 0), coupler, (0, 0, 0)),
        mb.Revolute("D", mb.GROUND, (2.5, 0, 0), rocker, (0, 0, 0)),
        mb.Revolute("C", coupler, (2, 0, 0), rocker, (2.2, 0, 0)),
    ]
    return mb.Mechanism("four-bar", [crank, coupler, rocker], joints)


@pytest.mark.parametrize("linkage", [four_bar, space_four_bar])
def test_the_words_of_a_picture_are_beside_the_drawing_one_line_a_joint(linkage):
    found = g.doctor(linkage(), {"A": 0.9}, sweep=False)
    (loop,) = found.loops
    figure = found.picture()
    (words,) = (text for text in figure.texts if "four-bar" in text.get_text())
    twice = ", 3 times held twice" if linkage is space_four_bar else ""
    assert words.get_text().splitlines() == ["four-bar", f"1  {loop.name}: open by {loop.opening}{twice}"]
    figure.canvas.draw()
    (axes,) = figure.axes
    drawn = [artist.get_window_extent() for artist in axes.texts]
    assert drawn
    assert all(box.x1 < words.get_window_extent().x0 for box in drawn)
    assert words.get_window_extent().x1 < figure.bbox.x1


def test_markers_of_joints_in_one_place_are_apart():
    """Three doors on two balls each, the balls of a pair 1 mm from one another: their joints are held twice."""
    parts = []
    for k in range(3):
        door = mb.Body(f"door{k}", mb.box(1.0, (1.0, 0.1, 1.0), at=(0.5, 0, 0)))
        at = [(0.001 * k, 0, z) for z in (-0.5, 0.5)]
        parts.append((door, [mb.Spherical(f"ball {k}{z}", mb.GROUND, x, door, x) for z, x in enumerate(at)]))
    bodies, joints = [door for door, _ in parts], [ball for _, balls in parts for ball in balls]
    found = g.doctor(mb.Mechanism("doors", bodies, joints), sweep=False)
    (axes,) = found.picture().axes
    marks = [text for text in axes.texts if text.get_text() in ("1", "2", "3")]
    assert len(marks) == 3
    spots, points = ([np.array(x) for x in way] for way in zip(*((m.xyann, m.xy) for m in marks), strict=True))
    assert min(float(np.linalg.norm(a - b)) for k, a in enumerate(spots) for b in [*spots[:k], *points]) >= 24.0
