"""SDFormat: the same robots as in URDF, in several spellings; loops, gears, screws, and what is refused."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import mpmath
import numpy as np
import pytest
import scipy

import gauss as g
from gauss import bodies as mb

HERE = Path(__file__).parent / "data" / "robots"


def pose(R, p):
    angles = scipy.spatial.transform.Rotation.from_matrix(R).as_euler("xyz")
    return " ".join(repr(float(x)) for x in (*p, *angles))


def placed(element):
    origin = None if element is None else element.find("origin")
    words = [origin.get(word, "0 0 0") if origin is not None else "0 0 0" for word in ("xyz", "rpy")]
    p, angles = (np.array([float(x) for x in each.split()]) for each in words)
    return scipy.spatial.transform.Rotation.from_euler("xyz", angles).as_matrix(), p


def inertial(link):
    given = link.find("inertial")
    letters = ("xx", "yy", "zz", "xy", "xz", "yz")
    known = {} if given is None else given.find("inertia").attrib
    moments = "".join(f"<i{a}>{known.get(f'i{a}', 0)}</i{a}>" for a in letters)
    mass = 0 if given is None else given.find("mass").get("value")
    where = pose(*placed(given))
    return f"<inertial><pose>{where}</pose><mass>{mass}</mass><inertia>{moments}</inertia></inertial>"


def axis_of(joint, along, more=""):
    limit, dynamics, mimic = (joint.find(word) for word in ("limit", "dynamics", "mimic"))
    found = f"<xyz{more}>{' '.join(map(repr, along.tolist()))}</xyz>"
    if limit is not None:
        found += f"<limit><lower>{limit.get('lower')}</lower><upper>{limit.get('upper')}</upper></limit>"
    if dynamics is not None:
        found += "<dynamics>" + "".join(f"<{k}>{x}</{k}>" for k, x in dynamics.attrib.items()) + "</dynamics>"
    if mimic is not None:
        found += f'<mimic joint="{mimic.get("joint")}"><multiplier>{mimic.get("multiplier")}</multiplier>'
        found += f"<offset>{mimic.get('offset')}</offset><reference>0</reference></mimic>"
    return found


def as_sdf(path, spelling):
    """A URDF as SDF: poses relative to joints, or all in the model with axes in it (1.5), or with axes in frames."""
    root = ET.fromstring(path.read_text().replace('"world"', '"floor"'))  # a word of SDF
    links = {x.get("name"): x for x in root.iterfind("link")}
    at, body = {}, ""
    joints = list(root.iterfind("joint"))
    for name in links:
        if not any(x.find("child").get("link") == name for x in joints):
            at[name] = (np.eye(3), np.zeros(3))
            body += f'<joint name="root {name}" type="fixed"><parent>world</parent><child>{name}</child></joint>'
    waiting = list(joints)
    while waiting:
        joint = waiting.pop(0)
        parent, child = (joint.find(end).get("link") for end in ("parent", "child"))
        if parent not in at:
            waiting.append(joint)
            continue
        (R, p), (S, s) = at[parent], placed(joint)
        at[child] = (R @ S, p + R @ s)
        given = joint.find("axis")
        along = np.array([float(x) for x in given.get("xyz").split()]) if given is not None else np.array([1.0, 0, 0])
        ends = f"<parent>{parent}</parent><child>{child}</child>"
        name = joint.get("name")
        if spelling == "joints":
            where, axis = f'<pose relative_to="{parent}">{pose(S, s)}</pose>', axis_of(joint, along)
        elif spelling == "model":
            where, axis = (
                "",
                axis_of(joint, at[child][0] @ along) + "<use_parent_model_frame>1</use_parent_model_frame>",
            )
        else:
            where, axis = "", axis_of(joint, R.T @ at[child][0] @ along, f' expressed_in="{parent}"')
        body += f'<joint name="{name}" type="{joint.get("type")}">{where}{ends}<axis>{axis}</axis></joint>'
        links[child].set("joint", name)
    version = {"model": "1.5", "joints": "1.9", "frames": "1.8"}[spelling]
    for name, link in links.items():
        where = f"<pose>{pose(*at[name])}</pose>"
        if spelling == "joints":
            where = f'<pose relative_to="{link.get("joint")}"/>' if link.get("joint") else ""
        if spelling == "frames":
            turn, shift = scipy.spatial.transform.Rotation.from_euler("xyz", (0.3, 1.0, -2.0)).as_matrix(), np.ones(3)
            body += f'<frame name="seen {name}"><pose>{pose(turn, shift)}</pose></frame>'
            R, p = at[name]
            R, p = turn.T @ R, turn.T @ (p - shift)
            quaternion = scipy.spatial.transform.Rotation.from_matrix(R).as_quat()
            text = " ".join(repr(float(x)) for x in (*p, *(2.0 * quaternion)))
            where = f'<pose relative_to="seen {name}" rotation_format="quat_xyzw">{text}</pose>'
        body += f'<link name="{name}">{where}{inertial(link)}</link>'
    world = f'<world name="w"><gravity>0 0 -9.81</gravity><model name="{root.get("name")}">{body}</model></world>'
    return f'<sdf version="{version}">{world}</sdf>'


@pytest.mark.parametrize("spelling", ["joints", "model", "frames"])
@pytest.mark.parametrize("name", ["arm", "four_bar"])
def test_a_robot_is_the_same_as_sdf_and_as_urdf(tmp_path, spelling, name):
    file = tmp_path / "robot.sdf"
    file.write_text(as_sdf(HERE / f"{name}.urdf", spelling))
    robot, other = g.load(file), g.load(HERE / f"{name}.urdf")
    assert robot.system.coordinates == other.system.coordinates
    assert robot.system.row_names == other.system.row_names
    assert robot.motors == other.motors
    rng = np.random.default_rng(0)
    for _ in range(3):
        q, v = rng.normal(size=(2, robot.system.n))
        one, two = (x.system.model.terms(q, v, 0.0, x.system.theta()) for x in (robot, other))
        for word in ("M", "f", "J", "phi"):
            assert np.allclose(getattr(one, word), getattr(two, word), rtol=1e-11, atol=1e-11), word
        for frame in set(other.frames) - {"world"}:
            a, b = robot.frames[frame].placed(robot.named(q)), other.frames[frame].placed(other.named(q))
            assert np.allclose(np.array(a.origin, dtype=float), np.array(b.origin, dtype=float), atol=1e-12), frame


LINK = """<link name="{}"><pose>{} 0 0 0 0 0</pose><inertial><pose>0.5 0 0 0 0 0</pose><mass>{}</mass><inertia>
<ixx>0.01</ixx><iyy>0.1</iyy><izz>0.1</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia></inertial></link>"""
JOINT = """<joint name="{}" type="{}"><parent>{}</parent><child>{}</child>{}<axis><xyz>{}</xyz>{}</axis></joint>"""


def file_of(folder, *parts, version="1.8", around="<model name='m'>{}</model>"):
    path = folder / "robot.sdf"
    path.write_text(f'<sdf version="{version}">{around.format("".join(parts))}</sdf>')
    return path


def parallelogram(turned, loop="ball", more=""):
    """Crank, coupler and rocker as drawn along x; a joint may name its links the other way round."""
    links = [LINK.format("crank", 0, 1), LINK.format("coupler", 1, 2), LINK.format("rocker", 2, 3)]
    pin = ("coupler", "crank") if turned else ("crank", "coupler")
    where = "<pose relative_to='coupler'>0 0 0 0 0 0</pose>"
    hinges = [
        JOINT.format("A", "revolute", "world", "crank", "", "0 1 0", ""),
        JOINT.format("B", "revolute", *pin, where, "0 -1 0" if turned else "0 1 0", ""),
        JOINT.format("D", "revolute", "world", "rocker", "", "0 1 0", ""),
        JOINT.format("C", loop, "coupler", "rocker", "<pose>1 0 0 0 0 0</pose>", "0 1 0", more),
    ]
    return [*links, *hinges]


@pytest.mark.parametrize("turned", [False, True])
def test_a_joint_between_links_of_the_tree_closes_a_loop(tmp_path, turned):
    """With the crank at the rate 1 all points of a parallelogram go on equal circles."""
    robot = g.load(file_of(tmp_path, *parallelogram(turned)), actuated=["A"])
    assert robot.spanning == ("A", "D", "B")
    assert isinstance(robot.joints[3], mb.Spherical)
    angle = 0.7
    q, v = robot.at({"A": angle, "B": -angle, "D": angle}, rates={"A": 1.0, "B": -1.0, "D": 1.0})
    phi = robot.system.model.terms(q, v, 0.0, robot.system.theta()).phi
    assert np.max(np.abs(phi)) < 1e-12
    found = g.accelerate(robot, q, v, u={"A_motor": 5.0})
    inertia = 0.1 + 0.25 + 2.0 * 1.0 + 0.1 + 3.0 * 0.25  # the coupler goes round on a circle without turning
    weight = 9.8 * np.cos(angle) * (0.5 + 2.0 + 1.5)
    assert abs(found.a[0] - (5.0 + weight) / inertia) < 1e-10  # turning about y lowers what is at x > 0


def test_a_hinge_that_closes_a_loop_keeps_its_spring_and_its_motor(tmp_path):
    more = "<dynamics><spring_stiffness>7</spring_stiffness><spring_reference>0.2</spring_reference></dynamics>"
    robot = g.load(file_of(tmp_path, *parallelogram(False, "revolute", more)), actuated=["C"])
    angle = 0.7
    q, v = robot.at({"A": angle, "B": -angle, "D": angle})
    found = g.accelerate(robot, q, v, u={"C_motor": 2.0})
    inertia, weight = 0.1 + 0.25 + 2.0 + 0.1 + 0.75, 9.8 * np.cos(angle) * 4.0
    assert abs(found.a[0] - (2.0 - 7.0 * (angle - 0.2) + weight) / inertia) < 1e-10  # C turns as the crank does


def test_what_is_joined_to_nothing_is_free_and_starts_where_it_is_drawn(tmp_path):
    turn = scipy.spatial.transform.Rotation.from_euler("xyz", (0.1, 0.2, 0.3))
    text = LINK.format("a", 0, 1).replace("<pose>0 0 0 0 0 0</pose>", "<pose degrees='true'>1 2 3 90 0 0</pose>")
    around = "<model name='m'><pose>0 0 1 0.1 0.2 0.3</pose>{}</model>"
    robot = g.load(file_of(tmp_path, text, around=around))
    place = robot.frames["a"].placed(robot.named(robot.at()[0]))
    assert np.allclose(np.array(place.origin, dtype=float), turn.apply([1, 2, 3]) + np.array([0, 0, 1]))
    both = (turn * scipy.spatial.transform.Rotation.from_euler("x", np.pi / 2)).as_matrix()
    assert np.allclose(np.array(place.columns, dtype=float).T, both)
    with pytest.raises(g.errors.InputError, match="nothing in it moves"):
        g.load(tmp_path / "robot.sdf", base="fixed")


def test_a_model_within_a_model_has_its_name_before_its_own(tmp_path):
    inner = f"<model name='arm'><pose>0 0 2 0 0 0</pose>{LINK.format('bar', 1, 2)}</model>"
    joint = JOINT.format("j", "revolute", "world", "arm::bar", "", "0 1 0", "")
    robot = g.load(file_of(tmp_path, inner, joint))
    assert np.allclose(robot.frames["arm::bar"].placed(robot.named(robot.at()[0])).origin, (1, 0, 2))


def test_a_gearbox_turns_its_child_by_minus_its_ratio(tmp_path):
    links = [LINK.format(name, 0, m).replace("0.5 0 0", "0 0 0") for name, m in (("in", 1), ("out", 2))]
    hinges = [JOINT.format(x, "revolute", "world", y, "", "0 0 1", "") for x, y in (("J", "in"), ("K", "out"))]
    gear = JOINT.format("gear", "gearbox", "in", "out", "<gearbox_ratio>0.25</gearbox_ratio>", "0 0 1", "")
    gear = gear.replace("<axis>", "<gearbox_reference_body>world</gearbox_reference_body><axis>")
    robot = g.load(file_of(tmp_path, *links, *hinges, gear), actuated=["J"])
    found = g.accelerate(robot, *robot.at({"J": 0.4, "K": -0.1}), u={"J_motor": 3.0})
    assert abs(found.acceleration.J - 3.0 / (0.1 + 0.1 * 0.25**2)) < 1e-10
    assert abs(found.acceleration.K + 0.25 * found.acceleration.J) < 1e-10


@pytest.mark.parametrize(("word", "number"), [("screw_thread_pitch", 0.1), ("thread_pitch", -20 * np.pi)])
def test_a_screw_goes_by_its_pitch_with_each_turn(tmp_path, word, number):
    pitch = f"<{word}>{number}</{word}>"
    link = LINK.format("nut", 0, 3).replace("0.5 0 0", "0 0 0")
    robot = g.load(file_of(tmp_path, link, JOINT.format("s", "screw", "world", "nut", pitch, "0 0 1", "")))
    found = g.accelerate(robot, *robot.at({"s": 0.3, "s_shift": 0.3 * 0.1 / (2 * np.pi)}), u={"s_motor": 0.0})
    lead = 0.1 / (2 * np.pi)
    assert abs(found.acceleration.s + 3 * 9.8 * lead / (0.1 + 3 * lead**2)) < 1e-10


@pytest.mark.parametrize("turned", [False, True])
def test_a_universal_joint_turns_about_two_axes(tmp_path, turned):
    """Against the product of three turns."""
    ends = ("a", "b") if not turned else ("b", "a")
    axes = ("1 0 0", "0 1 0") if not turned else ("0 -1 0", "-1 0 0")
    joint = JOINT.format("u", "universal", *ends, "<pose relative_to='b'/>", axes[0], "")
    joint = joint.replace("</joint>", f"<axis2><xyz>{axes[1]}</xyz></axis2></joint>")
    held = JOINT.format("j", "revolute", "world", "a", "", "0 1 0", "")
    robot = g.load(file_of(tmp_path, LINK.format("a", 0, 1), LINK.format("b", 1, 2), held, joint), actuated=[])
    assert robot.system.coordinates == (("j", "u_1", "u_2") if not turned else ("j", "u_2", "u_1"))
    values = {"j": 0.3, "u_1": 0.5, "u_2": -0.4} if not turned else {"j": 0.3, "u_2": 0.5, "u_1": -0.4}
    frame = robot.frames["b"].placed(robot.named(robot.at(values)[0]))
    R = scipy.spatial.transform.Rotation.from_euler("YXY", (0.3, 0.5, -0.4)).as_matrix()
    assert np.allclose(np.array(frame.columns, dtype=float).T, R, atol=1e-12)


def test_what_is_not_understood_is_listed(tmp_path):
    more = "<limit><effort>3</effort></limit>"
    parts = [LINK.format("a", 0, 1).replace("</link>", "<gravity>0</gravity><sensor name='s'/></link>"),
             JOINT.format("j", "revolute", "world", "a", "", "0 1 0", more), "<link name='b'/>",
             JOINT.format("k", "revolute", "a", "b", "", "0 1 0", ""), "<plugin name='p'/>", "<include/>"]  # fmt: skip
    robot = g.load(file_of(tmp_path, *parts))
    left = {each.where.removeprefix("sdf/model/"): each for each in robot.unread}
    assert left["link/gravity"].meaning == "all links have weight"
    assert left["joint/axis/limit/effort"].names == ("j",)
    assert left["link/inertial"].names == ("b",)
    assert "gz sdf -p" in left["include"].meaning
    assert "actuated=" in left["motors"].meaning
    assert robot.motors == ("j", "k")
    assert abs(robot.bodies[1].inertia.mass - 1.0) < 1e-15
    assert not any("motors" in each.where for each in g.load(tmp_path / "robot.sdf", actuated="all").unread)


@pytest.mark.parametrize(("text", "words"), [
    ("", "no <model>"),
    ("<model name='m'><link name='a'><pose>1 2</pose></link></model>", "must be 6 numbers"),
    ("<model name='m'><link name='a'><pose relative_to='b'/></link><link name='b'><pose relative_to='a'/></link>"
     "</model>", "in a circle"),
    ("<model name='m'><link name='a'><pose relative_to='z'/></link></model>", "'a' names 'z'"),
    ("<model name='m'><link name='a'/><joint name='j' type='warp'><parent>world</parent><child>a</child></joint>"
     "</model>", "unknown type 'warp'"),
    ("<model name='m'><link name='a'/><joint name='j' type='ball'><parent>world</parent></joint></model>", "<child>"),
    ("<model name='m'><link name='a'/><link name='a'/></model>", "several frames 'a'"),
    ("<model name='m'><link name='a'><inertial auto='true'/></link></model>", "computed from its shapes"),
])  # fmt: skip
def test_a_file_without_meaning_is_refused_in_a_sentence(tmp_path, text, words):
    with pytest.raises(g.errors.InputError, match=words):
        g.load(file_of(tmp_path, text, around="{}"))


def test_motors_are_those_that_are_named(tmp_path):
    path = file_of(tmp_path, *parallelogram(False))
    assert g.load(path, actuated=["D", "A"]).motors == ("D", "A")
    assert g.load(path, actuated=()).motors == ()
    with pytest.raises(g.errors.InputError, match="no hinge or slide 'X'"):
        g.load(path, actuated=["X"])
    with pytest.raises(g.errors.InputError, match="a list of joints"):
        g.load(path, actuated="A")


def cassie(name):
    folders = [Path(x) / "cmeel.prefix/share/example-robot-data/robots/cassie_description/robots" for x in sys.path]
    file = next((x / f"{name}.sdf" for x in folders if (x / f"{name}.sdf").is_file()), None)
    if file is None:
        pytest.skip("the package example-robot-data is not installed")
    return file


@pytest.mark.long
@pytest.mark.parametrize("name", ["cassie", "cassie_v2"])
def test_cassie_is_closed_as_it_is_drawn(name):
    file = cassie(name)
    robot = g.load(file)
    q, v = robot.at()
    terms = robot.system.model.terms(q, v, 0.0, robot.system.theta())
    assert np.max(np.abs(terms.phi[list(robot.system.model.equality)])) < 1e-9
    root = ET.parse(file).getroot()
    mass = sum(float(x.text) for x in root.iter("mass"))
    assert abs(sum(body.inertia.mass for body in robot.bodies) - mass) < 1e-9 * mass


def turn(axis, angle):
    """R of a turn about a unit axis, in 50 digits (O. Rodrigues)."""
    K = mpmath.matrix([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return mpmath.eye(3) + mpmath.sin(angle) * K + (1 - mpmath.cos(angle)) * K * K


def frame(element):
    x = [mpmath.mpf(text) for text in ("0 0 0 0 0 0" if element is None else element.text).split()]
    roll, pitch, yaw = (turn([mpmath.mpf(k == i) for k in range(3)], x[3 + i]) for i in range(3))
    return yaw * pitch * roll, mpmath.matrix(x[:3])


def cross(a, b):
    return mpmath.matrix([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def foot_loop(file, side, crank):
    """Singular values of the loop of a foot in 50 digits: its ball's rows for rates of crank, rod and foot.

    They turn about the places and axes that the file draws; with the crank turned by an angle (rad) rod and foot close
    the loop in the plane of the crank, by Newton's method.
    """
    model = ET.parse(file).getroot().find(".//model")
    links = {link.get("name"): frame(link.find("pose")) for link in model.iterfind("link")}
    axes = {}
    for joint in model.iterfind("joint"):
        R, p = links[joint.findtext("child")]
        turned, moved = frame(joint.find("pose"))
        e = R * turned * mpmath.matrix([mpmath.mpf(x) for x in joint.findtext("axis/xyz").split()])
        axes[joint.get("name")] = p + R * moved, e / mpmath.norm(e)
    names = (f"{side}-tarsus-crank-joint", f"{side}-crank-rod-joint", f"{side}-foot-op")
    (at1, e1), (at2, e2), (at3, e3) = (axes[name] for name in names)
    end = axes[f"{side}-plantar-foot-joint"][0]

    def rows(rod, foot):
        first, third = turn(e1, crank), turn(e3, foot)
        joint = at1 + first * (at2 - at1)
        tip, e = joint + first * turn(e2, rod) * (end - at2), first * e2
        other = at3 + third * (end - at3)
        columns = cross(e1, tip - at1), cross(e, tip - joint), -cross(e3, other - at3)
        return tip - other, mpmath.matrix([[column[i] for column in columns] for i in range(3)])

    flat = [cross(e1, cross(e1, at2 - at1)), cross(e1, at2 - at1)]
    x = mpmath.matrix([0, 0])
    for _ in range(60):
        gap, J = rows(*x)
        inside = mpmath.matrix([[(u.T * J[:, k])[0] for k in (1, 2)] for u in flat])
        x = x - mpmath.lu_solve(inside, mpmath.matrix([(u.T * gap)[0] for u in flat]))
    J = rows(*x)[1]
    return [float(value) for value in mpmath.svd_r(J, compute_uv=False)], float(mpmath.norm(rows(*x)[0]))


@pytest.mark.long
def test_cassie_v2_holds_its_left_foot_twice_and_its_right_one_by_the_roundings_of_the_file():
    """The file draws crank, rod and foot at one pitch on the left, and at two on the right, all rolled by 1.5708."""
    file = cassie("cassie_v2")
    found = g.doctor(g.load(file), sweep=False)
    assert (len(found.rows), found.rank, found.mobility) == (19, 18, 17)
    assert {each.joint for each in found.dependences} == {"left-plantar-foot-joint"}
    assert "rank 18 of 19, σ ≥ 3.7e-08" in dict(found.lines())["rows"]
    with mpmath.workdps(50):
        for crank in (0.0, 0.3, -0.4):
            sigma, gap = foot_loop(file, "left", mpmath.mpf(crank))
            assert sigma[2] < 1e-48 * sigma[0]
            assert sigma[1] > 1e-3 * sigma[0]
            assert gap < 1e-45
        sigma, _ = foot_loop(file, "right", mpmath.mpf(0))
        assert 1e-13 < sigma[2] / sigma[0] < 1e-10
