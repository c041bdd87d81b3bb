"""Contact points that coal finds, against those of the package's own shapes and against geometry by hand."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import gauss as g
from gauss import bodies as mb
from gauss import robots
from gauss.errors import InputError

G = 9.81
SHAPES = (0.4, 0.3, 0.2)


def test_without_coal_one_sentence_says_how_it_is_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "coal", None)
    ball = mb.Body("ball", mb.sphere(1.0, 0.1))
    with pytest.raises(InputError, match=r"needs the package coal: pip install 'gauss-dynamics\[robots\]'"):
        robots.CollisionPair("p", ball, mb.Ball(0.1), mb.GROUND, mb.PlaneSurface())


def poses(count):
    rng = np.random.default_rng(5)
    for _ in range(count):
        axis = rng.normal(size=3)
        yield rng.normal(size=3), mb.about(axis, float(rng.uniform(0, 3))), rng.normal(size=3)


def own(body1, shape1, body2, shape2, place):
    touch = mb.Touching("own", body1, shape1, body2, shape2)
    return float(touch.gaps(place)[0]), np.array(touch.frames(place)[0][-1]), np.array(touch.points(place)[0])


@pytest.mark.parametrize("what", ["ball on plane", "ball on ball", "ball on box"])
def test_distances_and_normals_are_those_of_our_shapes(what):
    """Measured: 2e-15 m, and 7e-16 of a normal."""
    pytest.importorskip("coal")
    ball, other = mb.Body("ball", mb.sphere(1.0, 0.1)), mb.Body("other", mb.box(1.0, SHAPES))
    shape, far = mb.Ball(0.1, (0.02, 0.0, -0.01)), 0
    for point, R, away in poses(60):
        plane = mb.PlaneSurface(tuple(point), tuple(away))
        world = mb.Mechanism("two", [ball, other])
        place = world.named(world.state(ball.pose(1.5 * away), other.pose(point, R))[0])
        touched = {"ball on plane": plane, "ball on ball": mb.Ball(0.2), "ball on box": mb.Box(SHAPES)}[what]
        second = mb.GROUND if what == "ball on plane" else other
        gap, normal, _ = own(ball, shape, second, touched, place)
        if gap < 0.01:
            continue
        far += 1
        pair = robots.CollisionPair("pair", ball, shape, second, touched)
        distance, one, two = pair.distance(place)
        assert abs(distance - gap) < 1e-12
        assert np.max(np.abs((one - two) / distance - normal)) < 1e-12
    assert far > 20


def test_a_box_on_a_plane_has_our_corners():
    """To 1e-10 m: coal makes boxes larger by 1e-10 of their half sides."""
    pytest.importorskip("coal")
    body = mb.Body("box", mb.box(2.0, SHAPES))
    world = mb.Mechanism("box", [body])
    plane = mb.PlaneSurface()
    q, _ = world.state(body.pose((0.3, -0.2, 0.1), mb.about((0, 0, 1), 0.4)))
    found = mb.contacts_at(world, q, robots.CollisionPair("sole", body, mb.Box(SHAPES), mb.GROUND, plane))
    ours = mb.contacts_at(world, q, mb.Touching("sole", body, mb.Box(SHAPES), mb.GROUND, plane))
    assert len(found) == len(ours) == 4
    for one in ours:
        nearest = min(found, key=lambda other: float(np.linalg.norm(np.subtract(other.point, one.point))))
        assert np.linalg.norm(np.subtract(nearest.point, one.point)) < 1e-10
        assert np.max(np.abs(np.subtract(nearest.normal, one.normal))) < 1e-12
        assert abs(nearest.gap - one.gap) < 1e-10


@pytest.mark.parametrize("tilt", [1e-2, 1e-3, 1e-4, 1e-5, 1e-7])
def test_a_sole_that_is_tilted_touches_with_its_edge(tilt):
    """By itself coal takes all within 1 mm of the plane as touching."""
    pytest.importorskip("coal")
    body = mb.Body("box", mb.box(2.0, SHAPES))
    world, R = mb.Mechanism("box", [body]), mb.about((0, 1, 0), tilt)
    low = min((R @ np.array(corner))[2] for corner, _ in mb.Box(SHAPES).knobs)
    q, _ = world.state(body.pose((0, 0, -low), R))
    found = mb.contacts_at(world, q, robots.CollisionPair("sole", body, mb.Box(SHAPES), mb.GROUND, mb.PlaneSurface()))
    ours = mb.contacts_at(world, q, mb.Touching("sole", body, mb.Box(SHAPES), mb.GROUND, mb.PlaneSurface()))
    assert len(found) == len(ours) == (2 if tilt > 1e-6 else 4)


@pytest.mark.parametrize("alpha", [0.2, 0.5])
def test_a_stance_on_its_points_is_that_on_ours(alpha):
    pytest.importorskip("coal")
    body = mb.Body("box", mb.box(2.0, SHAPES))
    world = mb.Mechanism("slope", [body], gravity=(G * np.sin(alpha), 0.0, -G * np.cos(alpha)))
    q, _ = world.state(body.pose((0, 0, 0.1)))
    pair = robots.CollisionPair("sole", body, mb.Box(SHAPES), mb.GROUND, mb.PlaneSurface(), 0.7)
    found = mb.stance(world, q, pair)
    assert found.stays
    assert abs(found.required.value - np.tan(alpha)) < 1e-8
    ours = mb.stance(world, q, mb.Touching("sole", body, mb.Box(SHAPES), mb.GROUND, mb.PlaneSurface(), 0.7))
    one, two = (sorted(x.normal(name) for name in x.does) for x in (found, ours))
    assert np.allclose(one, two, atol=1e-6)


def test_a_capsule_lies_on_two_points_and_a_cylinder_on_its_rim():
    coal = pytest.importorskip("coal")
    body = mb.Body("bar", mb.cylinder(3.0, 0.05, 0.3))
    world = mb.Mechanism("bar", [body])
    lying = world.state(body.pose((0, 0, 0.05), mb.about((0, 1, 0), np.pi / 2)))[0]
    pair = robots.CollisionPair("side", body, coal.Capsule(0.05, 0.3), mb.GROUND, mb.PlaneSurface(), 0.5)
    points = sorted(one.point for one in mb.contacts_at(world, lying, pair))
    assert np.allclose(points, [(-0.15, 0, 0), (0.15, 0, 0)], atol=1e-9)
    found = mb.stance(world, lying, pair)
    assert np.allclose([found.normal(name) for name in found.does], 1.5 * G, rtol=1e-6)
    standing = world.state(body.pose((0, 0, 0.15)))[0]
    rim = mb.contacts_at(
        world, standing, robots.CollisionPair("end", body, mb.shapes.Cylinder(0.05, 0.3), mb.GROUND, mb.PlaneSurface())
    )
    assert len(rim) >= 6
    assert np.allclose([np.hypot(*one.point[:2]) for one in rim], 0.05, atol=1e-9)


def test_a_hull_of_points_stands_as_the_box_that_it_is():
    coal = pytest.importorskip("coal")
    corners = np.array([[x, y, z] for x in (-0.2, 0.2) for y in (-0.15, 0.15) for z in (-0.1, 0.1)])
    cloud = coal.StdVec_Vec3s()
    for corner in corners:
        cloud.append(corner)
    hull = coal.Convex.convexHull(cloud, True, "Qt")
    body = mb.Body("hull", mb.box(2.0, SHAPES))
    world = mb.Mechanism("hull", [body], gravity=(G * np.sin(0.3), 0.0, -G * np.cos(0.3)))
    q, _ = world.state(body.pose((0, 0, 0.1)))
    found = mb.stance(world, q, robots.CollisionPair("sole", body, hull, mb.GROUND, mb.PlaneSurface(), 0.5))
    assert len(found.points) == 4
    assert abs(found.required.value - np.tan(0.3)) < 1e-8


def test_a_mesh_stands_on_its_corners():
    coal = pytest.importorskip("coal")
    mesh = coal.BVHModelOBBRSS()
    points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    for corner in np.array([[x, y, z] for x in (-0.2, 0.2) for y in (-0.15, 0.15) for z in (-0.1, 0.1)]):
        points.append(corner)
    faces = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    for a, b, c, d in faces:
        triangles.append(coal.Triangle(a, b, c))
        triangles.append(coal.Triangle(a, c, d))
    mesh.beginModel(12, 8)
    mesh.addSubModel(points, triangles)
    mesh.endModel()
    body = mb.Body("mesh", mb.box(2.0, SHAPES))
    world = mb.Mechanism("mesh", [body], gravity=(G * np.sin(0.3), 0.0, -G * np.cos(0.3)))
    q, _ = world.state(body.pose((0, 0, 0.1)))
    found = mb.stance(world, q, robots.CollisionPair("sole", body, mesh, mb.GROUND, mb.PlaneSurface(), 0.5))
    assert len(found.points) == 4
    assert abs(found.required.value - np.tan(0.3)) < 1e-8


URDF = """<robot name="stool"><link name="seat">
<inertial><origin xyz="0.02 0.01 0.4"/><mass value="6"/>
<inertia ixx="0.2" iyy="0.2" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial>{legs}</link></robot>"""
LEG = '<visual><origin xyz="{} {} 0.02"/><geometry><sphere radius="0.02"/></geometry></visual>'


def test_shapes_of_a_robot_are_taken(tmp_path):
    """Three legs: the normal forces are the barycentric coordinates of the centre of mass."""
    pytest.importorskip("coal")
    feet = [(0.2, 0.0), (-0.1, 0.15), (-0.1, -0.15)]
    file = tmp_path / "stool.urdf"
    file.write_text(URDF.format(legs="".join(LEG.format(*foot) for foot in feet)))
    robot = g.load(file, base="free")
    body = robot.bodies[0]
    pairs = [
        robots.CollisionPair(f"leg {k}", body, shape, mb.GROUND, mb.PlaneSurface(), 0.3)
        for k, shape in enumerate(robot.shapes[body.name])
    ]
    found = mb.stance(robot, robot.at({})[0], pairs)
    shares = np.linalg.solve(np.vstack([np.array(feet).T, np.ones(3)]), (0.02, 0.01, 1.0))
    assert np.allclose([found.normal(f"leg {k}") for k in range(3)], 6 * G * shares[:, None], rtol=1e-7)
    assert found.verdict == "one"


def test_bad_input():
    pytest.importorskip("coal")
    flat, ball = mb.PlanarBody("flat", 1.0, 0.1), mb.Body("ball", mb.sphere(1.0, 0.1))
    with pytest.raises(InputError, match="in the plane"):
        robots.CollisionPair("p", flat, mb.Ball(0.1), mb.GROUND, mb.PlaneSurface())
    with pytest.raises(InputError, match="geometry of coal"):
        robots.CollisionPair("p", ball, 3.0, mb.GROUND, mb.PlaneSurface())
    coal = pytest.importorskip("coal")
    with pytest.raises(InputError, match="a mesh touches a plane alone"):
        robots.CollisionPair("p", ball, coal.BVHModelOBBRSS(), mb.GROUND, mb.Ball(0.1))
