"""Shapes of robots' files: meshes that are drawn, and what touches, against Pinocchio and MuJoCo."""

from __future__ import annotations

import importlib.util
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy

import gauss as g
from gauss import bodies as mb
from gauss import robots
from gauss.errors import InputError

CORNERS = np.array([[0, 0, 0], [0.3, 0, 0], [0, 0.2, 0], [0, 0, 0.5]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
INERTIA = '<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/>'


def needs(*names):
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")


def stl(path, corners=CORNERS, faces=FACES):
    text = "".join(
        "facet normal 0 0 0\nouter loop\n"
        + "".join(f"vertex {' '.join(map(repr, corners[k].tolist()))}\n" for k in face)
        + "endloop\nendfacet\n"
        for face in faces
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"solid s\n{text}endsolid s\n")
    return path


def arm(*shapes, mesh="package://arm/meshes/tip.stl"):
    """A link on a hinge that is turned and shifted, with shapes."""
    text = "".join(f'<{word}><origin xyz="{at}" rpy="{turn}"/><geometry>{inner}</geometry></{word}>'
                   for word, at, turn, inner in shapes).replace("MESH", mesh)  # fmt: skip
    return f"""<robot name="arm"><link name="base"/><link name="bar"><inertial><origin xyz="0.1 0 0"/><mass value="1"/>
    {INERTIA}</inertial>{text}</link><joint name="j" type="continuous"><parent link="base"/><child link="bar"/>
    <origin xyz="0.1 0.2 0.9" rpy="0.3 -0.2 0.5"/><axis xyz="0 1 0"/></joint></robot>"""


MESH = ("0.1 0.2 0.3", "0.4 0.5 0.6", '<mesh filename="MESH" scale="1 2 -1"/>')


@needs("trimesh")
@pytest.mark.parametrize("way", ["above", "folder", "named", "variable", "beside"])
def test_a_mesh_is_found_and_drawn_where_it_is(tmp_path, monkeypatch, way):
    packages, name = None, "package://arm/meshes/tip.stl"
    file = tmp_path / "arm" / "urdf" / "arm.urdf"
    folder = {"above": "arm", "folder": "else/arm", "named": "other", "variable": "ros/share/arm", "beside": "arm/urdf"}
    stl(tmp_path / folder[way] / "meshes" / "tip.stl")
    file.parent.mkdir(parents=True, exist_ok=True)
    if way == "beside":
        name = "meshes/tip.stl"
    if way == "folder":
        packages = tmp_path / "else"
    if way == "named":
        packages = {"arm": tmp_path / "other"}
    if way == "variable":
        monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "ros"))
    file.write_text(arm(("visual", *MESH), mesh=name))
    robot = pickle.loads(pickle.dumps(g.load(file, packages=packages)))
    assert not any("mesh" in each.where for each in robot.unread)
    body = robot.bodies[0]
    (shape,) = mb.Drawing(robot).shapes_of(body)
    q, _ = robot.at({"j": 0.7})
    euler = scipy.spatial.transform.Rotation.from_euler
    points = euler("xyz", (0.4, 0.5, 0.6)).apply(CORNERS * [1, 2, -1]) + np.array([0.1, 0.2, 0.3])
    points = euler("xyz", (0.3, -0.2, 0.5)).apply(euler("y", 0.7).apply(points)) + np.array([0.1, 0.2, 0.9])
    placed = body.placed(robot.named(q))
    seen = np.array([np.array(placed.point(tuple(x)), dtype=float) for x in np.vstack(shape.outline(3).faces)])
    assert np.allclose(np.sort(seen, axis=0), np.sort(points[FACES.ravel()], axis=0), atol=1e-12)


def test_a_mesh_that_is_not_found_is_listed_and_its_body_drawn_by_its_inertia(tmp_path):
    file = tmp_path / "arm.urdf"
    file.write_text(arm(("visual", *MESH), ("collision", *MESH)))
    robot = g.load(file)
    (lost,) = [each for each in robot.unread if "mesh" in each.where]
    assert "packages=" in lost.meaning
    assert "not found, for drawing or for contacts" in lost.meaning
    assert mb.Drawing(robot).shapes_of(robot.bodies[0])
    with pytest.raises(InputError, match="no folder"):
        g.load(file, packages=tmp_path / "nowhere")


@needs("trimesh")
def test_a_mesh_that_is_none_is_told_when_it_is_drawn(tmp_path):
    (tmp_path / "tip.stl").write_text("nothing")
    (tmp_path / "arm.urdf").write_text(arm(("visual", *MESH), mesh="tip.stl"))
    robot = g.load(tmp_path / "arm.urdf")
    with pytest.raises(InputError, match=r"tip\.stl"):
        robot.shapes["bar"][0].outline(3)


def ball(radius, n=60):
    """A ball of 2 n² triangles."""
    polar, round_ = np.meshgrid(np.linspace(0, np.pi, n + 1), np.linspace(0, 2 * np.pi, n + 1), indexing="ij")
    points = radius * np.stack([np.sin(polar) * np.cos(round_), np.sin(polar) * np.sin(round_), np.cos(polar)], -1)
    k = np.arange((n + 1) ** 2).reshape(n + 1, n + 1)
    squares = np.stack([k[:-1, :-1], k[1:, :-1], k[1:, 1:], k[:-1, 1:]], -1).reshape(-1, 4)
    return points.reshape(-1, 3), np.vstack([squares[:, :3], squares[:, [0, 2, 3]]])


def test_what_is_fixed_to_the_ground_is_drawn(tmp_path):
    file = tmp_path / "arm.urdf"
    box = '<visual><origin xyz="0 0 1"/><geometry><box size="1 1 1"/></geometry></visual>'
    file.write_text(arm().replace('<link name="base"/>', f'<link name="base">{box}</link>'))
    (shape,) = mb.Drawing(g.load(file)).shapes_of(mb.GROUND)
    assert np.allclose(np.mean(np.vstack(shape.outline(3).faces), axis=0), (0, 0, 1))
    assert mb.Drawing(mb.Mechanism("m", [mb.Body("b", mb.box(1.0, (1, 1, 1)))])).shapes_of(mb.GROUND) == ()


def test_a_large_mesh_is_drawn_coarser():
    points, faces = ball(2.0)
    made = np.array(mb.shapes.Mesh(points, faces).outline(3).faces)
    assert 250 < len(made) <= 500
    assert np.all(np.abs(np.linalg.norm(made.reshape(-1, 3), axis=1) - 2.0) < 0.1)
    volume = np.sum(made[:, 0] * np.cross(made[:, 1], made[:, 2])) / 6.0
    assert abs(volume / (4.0 / 3.0 * np.pi * 8.0) - 1.0) < 0.1  # what is turned over would take away
    with pytest.raises(InputError, match="indices of its"):
        mb.shapes.Mesh(points, faces + 1)


SOLIDS = [
    ("collision", "0.1 0 0", "0.1 0.2 0.3", '<box size="0.3 0.2 0.1"/>'),
    ("collision", "0 0.2 0", "0 0 0", '<sphere radius="0.05"/>'),
    ("collision", "0 0 0.2", "0.5 0.3 0", '<cylinder radius="0.06" length="0.2"/>'),
    ("collision", *MESH),
]


@needs("trimesh", "pinocchio", "coal")
def test_distances_from_the_ground_are_those_of_pinocchio(tmp_path):
    import coal
    import pinocchio as pin

    stl(tmp_path / "arm" / "meshes" / "tip.stl")
    file = tmp_path / "arm.urdf"
    file.write_text(arm(*SOLIDS))
    robot = g.load(file)
    pairs = robots.ground_pairs(robot, "bar", friction=0.5)
    assert [pair.name for pair in pairs] == [f"bar[{k}]" for k in range(4)]
    model = pin.buildModelFromUrdf(str(file))
    geometry = pin.buildGeomFromUrdf(model, str(file), pin.GeometryType.COLLISION, package_dirs=[str(tmp_path)])
    plane, rest = coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0), coal.Transform3s()
    for angle in (-2.0, 0.4, 1.3):
        data, placed = model.createData(), geometry.createData()
        q = np.array([np.cos(angle), np.sin(angle)]) if model.nq == 2 else np.array([angle])
        pin.updateGeometryPlacements(model, data, geometry, placed, q)
        for k, (pair, shape) in enumerate(zip(pairs, geometry.geometryObjects, strict=True)):
            solid = shape.geometry
            if isinstance(solid, coal.BVHModelBase):
                solid.buildConvexHull(True, "Qt")
                solid = solid.convex
            at = coal.Transform3s(placed.oMg[k].rotation, placed.oMg[k].translation)
            known = coal.distance(solid, at, plane, rest, coal.DistanceRequest(), coal.DistanceResult())
            assert abs(pair.distance(robot.named(robot.at({"j": angle})[0]))[0] - known) < 1e-6, shape.name


MJCF = """<mujoco><asset><mesh name="wedge" vertex="0 0 0  0.3 0 0  0 0.2 0  0 0 0.5"/></asset><worldbody>
<geom name="floor" type="plane" size="1 1 1" pos="0 0 -0.5"/>
<geom name="block" type="box" size="0.2 0.3 0.1" pos="0.1 0.2 -1"/>
<body name="bar" pos="0 0 1" euler="20 30 10"><joint name="j" axis="0 1 0"/>
<geom name="a" type="capsule" size="0.05 0.2" pos="0.1 0 0.1" euler="10 20 30"/>
<geom name="b" type="box" size="0.1 0.2 0.3" pos="0.2 0.1 0" euler="40 0 0"/>
<geom name="c" type="sphere" size="0.1" pos="0 0 0.3"/>
<geom name="d" type="cylinder" size="0.05 0.3" pos="0 0.3 0" euler="50 10 0"/>
<geom name="e" type="mesh" mesh="wedge" pos="0.3 0 0" euler="0 30 0" contype="0" conaffinity="0"/>
<geom name="f" type="ellipsoid" size="0.1 0.2 0.05" pos="0 -0.3 0" euler="5 6 7"/></body></worldbody></mujoco>"""


@needs("mujoco", "coal")
def test_distances_are_those_of_mujoco(tmp_path):
    import mujoco

    file = tmp_path / "bar.xml"
    file.write_text(MJCF)
    robot = g.load(file)
    floor, block = robot.collisions[""]
    assert isinstance(floor, mb.PlaneSurface)
    assert [type(each.shape).__name__ for each in robot.shapes["bar"]] == [
        "Capsule", "Box", "Ball", "Cylinder", "Mesh", "Ellipsoid"]  # fmt: skip
    model = mujoco.MjModel.from_xml_string(MJCF)
    data = mujoco.MjData(model)
    for angle in (0.0, 0.5, -1.0):
        data.qpos[0] = angle
        mujoco.mj_kinematics(model, data)
        place = robot.named(robot.at({"j": angle})[0])
        for k, shape in enumerate(robot.collisions["bar"]):
            geom = model.geom("abcdf"[k]).id
            near = mujoco.mj_geomDistance(model, data, model.geom("block").id, geom, 10.0, None)
            pair = robots.CollisionPair("p", mb.GROUND, block, robot.bodies[0], shape)
            assert abs(pair.distance(place)[0] - near) < 2e-5, "abcdf"[k]
        mesh = robot.shapes["bar"][4].outline(3)
        seen = [np.array(robot.bodies[0].placed(place).point(tuple(x)), dtype=float) for x in np.vstack(mesh.faces)]
        at, turn, e = data.geom_xpos, data.geom_xmat, model.geom("e").id
        known = np.array(model.mesh_vert) @ turn[e].reshape(3, 3).T + at[e]
        assert all(np.min(np.linalg.norm(known - x, axis=1)) < 1e-6 for x in seen)  # single precision
    assert len(robots.ground_pairs(robot)) == 10  # five shapes with floor and block


def test_what_has_no_shapes_is_named(tmp_path):
    file = tmp_path / "arm.urdf"
    file.write_text(arm(SOLIDS[0]))
    robot = g.load(file)
    with pytest.raises(InputError, match="no collision shapes on 'tool'; it has them on bar"):
        robots.ground_pairs(robot, ["tool"])


def quadruped():
    folders = [Path(x) / "cmeel.prefix/share/example-robot-data/robots/solo_description/robots" for x in sys.path]
    return next((x / "solo12.urdf" for x in folders if (x / "solo12.urdf").is_file()), None)


@pytest.mark.long
@needs("trimesh", "coal", "pinocchio")
@pytest.mark.skipif(quadruped() is None, reason="the package example-robot-data is not installed")
def test_a_quadruped_stands_by_its_files_alone():
    """By symmetry each pair of legs across may bear the whole weight, and half of it is the most for one."""
    robot = g.load(quadruped(), base="free")
    feet = [name for name in robot.collisions if name.endswith("FOOT")]
    pairs = robots.ground_pairs(robot, feet, friction=0.6)
    bent = {f"{leg}_{joint}": sign * x for leg, sign in (("FL", 1), ("FR", 1), ("HL", -1), ("HR", -1))
            for joint, x in (("HFE", 0.8), ("KFE", -1.6))}  # fmt: skip
    low = min(pair.distance(robot.named(robot.at(bent)[0]))[0] for pair in pairs)
    q, _ = robot.at(bent | {"base_link_z": -low})
    found = mb.stance(robot, q, pairs, "free")
    assert found.stays
    assert set(found.does.values()) == {"holds"}
    weight = 9.81 * sum(body.inertia.mass for body in robot.bodies)
    assert np.allclose([found.normal(foot) for foot in feet], [0.0, weight / 2.0], rtol=1e-3, atol=1e-6)


def test_a_box_that_would_hide_a_robot_is_left_out():
    """A hand whose moments are those of a plate of 1 m, at the end of an arm of 0.3 m; a flywheel alone stays."""
    hand, last = (mb.Body(name, mb.box(1.0, (0.1, 1.0, 1.0))) for name in ("hand", "last"))
    arm = mb.Body("arm", mb.box(2.0, (0.3, 0.05, 0.05), at=(0.15, 0, 0)))
    hinges = [
        mb.Revolute("shoulder", mb.GROUND, (0, 0, 0), arm, (0, 0, 0)),
        mb.Revolute("wrist", arm, (0.3, 0, 0), hand, (0, 0, 0)),
        mb.Revolute("tip", hand, (0.1, 0, 0), last, (0, 0, 0)),
    ]
    drawing = mb.Drawing(mb.Mechanism("robot", [arm, hand, last], hinges))
    assert [len(drawing.shapes_of(body)[0].outline(3).faces) for body in (arm, hand, last)] == [6, 0, 0]
    wheel = mb.Mechanism("wheel", [last], [mb.Revolute("axle", mb.GROUND, (0, 0, 0), last, (0, 0, 0))])
    assert len(mb.Drawing(wheel).shapes_of(last)[0].outline(3).faces) == 6
