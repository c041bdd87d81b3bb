"""Films show the points of the bodies, at the right times and at the right places of the picture."""

from __future__ import annotations

import stat
import subprocess
import sys
from itertools import pairwise, product

import matplotlib as mpl
import numpy as np
import pytest
import typer
from frictional import rubbed
from matplotlib.colors import to_rgb
from mpl_toolkits.mplot3d.proj3d import proj_transform
from PIL import Image

import gauss as g
from gauss import bodies as mb
from gauss import cli, scenario
from gauss.errors import FileError, InputError
from gauss.geometry import equivalent_box, equivalent_ellipsoid
from gauss.show import COLOURS, LARGEST, shape_of
from gauss.show.film import animate as animation
from gauss.show.film import delays
from gauss.show.film.animate import animate, frames_of
from gauss.show.film.bodies import frame_of, scene_of
from gauss.show.film.stage import FILLED, Stage

SMALL = (160, 120)
rng = np.random.default_rng(7)


@pytest.fixture(scope="module")
def sliding():
    """A planar block that slides along x at 1 m/s for 1 s, and its run."""
    block = mb.PlanarBody("block", 1.0, 1.0)
    guide = mb.Slider("guide", mb.GROUND, (0, 0), block, (0, 0), axis1=(1, 0))
    mechanism = mb.Mechanism("sliding block", [block], [guide], gravity=(0, 0))
    run = g.simulate(mechanism.system, *mechanism.state(block.pose(velocity=(1.0, 0.0))), t_end=1.0)
    return mechanism, run


@pytest.fixture(scope="module")
def tumbling():
    """A body, a rod, and a particle in space, joined by nothing, and their run."""
    body = mb.Body("b", mb.box(2.0, (0.5, 0.3, 0.2), at=(0.1, 0.0, 0.0)))
    rod = mb.Rod("r", mb.rod(1.0, (0, -0.4, 0), (0, 0.6, 0)))
    bead = mb.Particle("p", 0.5)
    mechanism = mb.Mechanism("three", [body, rod, bead], gravity=(0, 0, -1.0))
    state = mechanism.state(
        body.pose((0.3, 0.1, 0.2), mb.about((1, 2, 3), 0.8), (0.2, 0, 0.4), (1.0, 3.0, -2.0)),
        rod.pose((1.0, 0, 0), (0.2, -0.9, 0.3), angular_velocity=(2.0, 0.5, 0.0)),
        bead.pose((0, 1.0, 0), (0, 0, 1.0)),
    )
    return mechanism, g.simulate(mechanism.system, *state, t_end=1.0)


# ---------------------------------------------------------------- time


@pytest.mark.long
@pytest.mark.parametrize(
    ("speed", "rate", "frames", "total"),
    [(1.0, 10.0, 11, 1100), (0.5, 10.0, 21, 2100), (1.0, 30.0, 31, 1030), (3.0, 8.0, 3, 380)],
)
def test_a_gif_has_the_frames_and_lasts_as_long_as_speed_and_rate_say(sliding, tmp_path, speed, rate, frames, total):
    mechanism, run = sliding
    path = animate(run, mechanism, tmp_path / "film.gif", speed=speed, rate=rate, size=SMALL, progress="none")
    with Image.open(path) as film:
        assert film.n_frames == frames
        assert film.size == SMALL
        shown = []
        for k in range(film.n_frames):
            film.seek(k)
            shown.append(film.info["duration"])
    assert sum(shown) == total  # frames/rate, in hundredths of a second
    assert max(shown) - min(shown) <= 10


def test_frames_show_the_motion_at_the_start_and_speed_over_rate_apart(sliding):
    mechanism, run = sliding
    shown = frames_of(run, mb.Drawing(mechanism), 0.7, 9.0)
    np.testing.assert_allclose(shown.t, 0.7 / 9.0 * np.arange(13), atol=1e-15)
    np.testing.assert_allclose(shown["block_x"], shown.t, atol=1e-12)


def test_runs_one_after_the_other_are_one_film(sliding, tumbling):
    mechanism, run = sliding
    half = run.at(np.linspace(0.0, 0.5, 6))
    pushed = mechanism.state(mechanism.bodies[0].pose((0.5, 0.0), velocity=(2.0, 0.0)))
    more = g.simulate(mechanism.system, *pushed, t=0.5, t_end=1.0)
    drawing = mb.Drawing(mechanism, traces=[(mechanism.bodies[0], (0.0, 0.0))])
    shown = frames_of([half, more], drawing, 1.0, 8.0)
    np.testing.assert_allclose(shown.t, np.arange(9) / 8.0, atol=1e-15)
    np.testing.assert_allclose(shown["block_x"], [0, 0.125, 0.25, 0.375, 0.5, 0.75, 1.0, 1.25, 1.5], atol=1e-12)
    film = animate([half, more], drawing, forces=True, rate=8.0, size=SMALL)
    assert len(film) == 9
    assert film.picture(8).shape[:2] == SMALL[::-1]
    with pytest.raises(InputError, match=r"run 1 ends at t = 1 s and run 2 begins at 0\.5 s"):
        animate([run, more], drawing)
    with pytest.raises(InputError, match="runs of one system"):
        animate([run, tumbling[1]], drawing)


def test_delays_are_multiples_of_ten_milliseconds_and_never_drift():
    for rate in (7.0, 24.0, 29.97, 50.0):
        shown = np.array(delays(500, rate))
        assert np.all(shown % 10 == 0)
        assert np.all(shown >= 20)
        assert np.max(np.abs(np.cumsum(shown) - 1000.0 * np.arange(1, 501) / rate)) <= 5.0 + 1e-9


# ---------------------------------------------------------------- place


def test_points_of_a_scene_are_those_of_the_bodies(tumbling):
    mechanism, run = tumbling
    body = mechanism.bodies[0]
    at = rng.normal(size=(4, 3))
    drawing = mb.Drawing(
        mechanism, shapes={body: mb.shapes.Points(at)}, traces=[(body, at[0]), lambda q: (q["p_x"], q["p_y"], q["p_z"])]
    )
    scene = scene_of(run, drawing)
    R = np.array([[run[f"b_R{i}{j}"] for j in (1, 2, 3)] for i in (1, 2, 3)]).transpose(2, 0, 1)
    expected = run.q[:, None, :3] + np.einsum("nij,kj->nki", R, at)
    dots = scene.named("dots")
    np.testing.assert_allclose(dots[0].places, expected, atol=1e-14)
    np.testing.assert_allclose(dots[1].places[:, 0], run.q[:, -3:], atol=1e-15)  # the particle
    traces = scene.named("trace")
    np.testing.assert_allclose(traces[0].places[:, 0], expected[:, 0], atol=1e-14)
    np.testing.assert_allclose(traces[1].places[:, 0], run.q[:, -3:], atol=1e-15)
    ends = scene.named("line")[0].places - run.q[:, None, 12:15]  # of the rod, from its origin
    u = np.array([run[f"r_u{k}"] for k in (1, 2, 3)]).T
    np.testing.assert_allclose(ends[:, 0], -0.4 * u, atol=1e-12)
    np.testing.assert_allclose(ends[:, 1], 0.6 * u, atol=1e-12)


def test_axes_of_a_rod_are_a_rotation_that_takes_its_axis_along_even_to_the_opposite():
    rod = mb.Rod("r", mb.rod(1.0, (0, 0, -1), (0, 0, 1)))

    class Along:
        def __init__(self, u):
            self.u = u

        def __len__(self):
            return len(self.u)

        def __getitem__(self, name):
            return self.u[:, int(name[-1]) - 1] if "_u" in name else np.zeros(len(self.u))

    u = np.vstack([rng.normal(size=(20, 3)), [[0, 0, 1], [0, 0, -1], [1e-7, 0, -1]]])
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    _, R = frame_of(rod, Along(u))
    np.testing.assert_allclose(np.einsum("nij,nik->njk", R, R), np.tile(np.eye(3), (len(u), 1, 1)), atol=1e-8)
    np.testing.assert_allclose(np.linalg.det(R), 1.0, atol=1e-8)
    np.testing.assert_allclose(R @ rod.axis, u, atol=1.5e-6)  # √(2·1e-12): up to there a turn counts as half a one


def test_a_rolling_ball_has_its_surface_contact_and_plane():
    ball = mb.Body("ball", mb.sphere(1.0, 0.2, at=(0.05, 0, 0)))
    tray = mb.RollingBall("tray", ball, 0.2, (0.05, 0, 0), normal=(0, 0, 1), through=(0, 0, 0.3))
    mechanism = mb.Mechanism("ball", [ball], [tray])
    q, v = mechanism.state(ball.pose((-0.05, 0, 0.5), velocity=(0.6, 0, 0.15), angular_velocity=(0, 3.0, 0)))
    run = g.simulate(mechanism.system, q, v, t_end=0.4)
    scene = scene_of(run, mb.Drawing(mechanism))
    centre = np.array(ball.placed(run).point((0.05, 0, 0))).T
    for face in scene.named("face"):
        np.testing.assert_allclose(np.linalg.norm(face.places - centre[:, None], axis=2), 0.2, atol=1e-9)
    assert {face.tone for face in scene.named("face")} == {0, 1}
    np.testing.assert_allclose(scene.named("joint")[0].places[:, 0], centre - [0, 0, 0.2], atol=1e-9)
    assert len(scene.planes) == 1
    np.testing.assert_allclose(scene.planes[0].through[:, 2], 0.3)
    for part in scene.parts:
        assert np.all(np.abs(part.places - scene.middle[:, None]) <= scene.half + 1e-12)


def test_a_followed_body_stays_in_the_middle_and_fits(tumbling):
    mechanism, run = tumbling
    scene = scene_of(run, mb.Drawing(mechanism, follow=mechanism.bodies[0]))
    np.testing.assert_allclose(scene.middle, run.q[:, :3], atol=1e-15)
    assert np.ptp(scene.half) == 0.0


def test_the_picture_shows_the_body_where_it_is(sliding, tmp_path):
    mechanism, run = sliding
    drawing = mb.Drawing(mechanism, shapes={mechanism.bodies[0]: mb.shapes.Box((0.2, 0.1))})
    path = animate(run, drawing, tmp_path / "film.gif", rate=5, size=(320, 240), progress="none")
    across = []
    with Image.open(path) as film:
        for k in range(film.n_frames):
            film.seek(k)
            pixels = np.asarray(film.convert("RGB"), dtype=int)
            blue = (pixels[:, :, 2] - pixels[:, :, 0] > 60) & (pixels[:, :, 2] > 120)
            assert blue.sum() > 50
            column = np.nonzero(blue)[1]
            across.append([column.mean(), np.ptp(column)])
    places, widths = np.array(across).T
    metre = places[-1] - places[0]  # in pixels, as the block goes from x = 0 to x = 1 m
    np.testing.assert_allclose(places, places[0] + metre * 0.2 * np.arange(6), atol=1.0)
    np.testing.assert_allclose(widths, 0.2 * metre, atol=3.0)


# ---------------------------------------------------------------- systems not made of bodies


def test_functions_of_a_drawing_reach_coordinates_by_attribute_or_by_name(rolling):
    by_name = mb.Drawing(lines=[lambda q: [(0.0, 0.0), (q["x"] + 0.1 * q["t"], q["d_x"])]])
    by_attribute = mb.Drawing(
        lines=[lambda q: [(0.0, 0.0), (q.x + 0.1 * q.t, q.d_x)]],
        placed=[(mb.shapes.Points([(0.0, 0.0)]), lambda q: mb.shapes.at_angle((q.x, q.y), q.a))],
        follow=lambda q: (q.x, q.y),
    )
    lines = [scene_of(rolling, drawing).named("line")[0] for drawing in (by_name, by_attribute)]
    np.testing.assert_array_equal(lines[0].places, lines[1].places)
    np.testing.assert_array_equal(scene_of(rolling, by_attribute).named("dots")[0].places[:, 0, 0], rolling["x"])
    with pytest.raises(InputError, match="no attribute 's'"):
        scene_of(rolling, mb.Drawing(lines=[lambda q: [(0.0, 0.0), (q.s, 0.0)]]))


def test_a_path_in_the_place_of_a_drawing_is_named(rolling, tmp_path):
    for path in ("film.gif", tmp_path / "film.gif"):
        with pytest.raises(InputError, match=r"named by path='.*film\.gif'"):
            animate(rolling, path)


# ---------------------------------------------------------------- bodies that slide


def test_a_body_that_slides_is_a_block_on_its_axis_without_a_dot_where_it_started(sliding):
    mechanism, run = sliding
    scene = scene_of(run, mb.Drawing(mechanism))
    assert not scene.named("joint")
    (block,) = scene.parts
    assert block.kind == "face"
    np.testing.assert_allclose(np.mean(block.places, axis=1)[:, 0], run["block_x"], atol=1e-12)
    long, high = np.ptp(block.places[0], axis=0)
    assert long == pytest.approx(2.0 * high)
    assert (long**2 + high**2) / 12.0 == pytest.approx(1.0)  # its moment of inertia over its mass


def test_a_cart_carries_its_pendulum_and_the_guide_of_a_block_that_moves_is_not_the_block():
    cart, bob = mb.PlanarBody("cart", 1.0, 0.02), mb.PlanarBody("bob", 0.5, 0.0, centre=(0, -0.5))
    rail = mb.Slider("rail", cart, (0, 0), mb.GROUND, (0, 0), axis1=(1, 1))
    pin = mb.Pin("pin", cart, (0, 0.2), bob, (0, 0))
    bead = mb.PlanarBody("bead", 0.1, 0.0, centre=(0.0, 0.1))
    mechanism = mb.Mechanism(
        "cart", [cart, bob, bead], [rail, pin, mb.Slider("rod", bob, (0, 0), bead, (0, 0), (0, 1))]
    )
    drawing = mb.Drawing(mechanism)
    block, rest = drawing.shapes_of(cart)
    assert isinstance(block, mb.shapes.Polygon)
    assert isinstance(rest, mb.shapes.Polyline)  # to the pin
    (dot,) = drawing.shapes_of(bead)
    assert isinstance(dot, mb.shapes.Points)
    assert not any(isinstance(shape, mb.shapes.Polygon) for shape in drawing.shapes_of(bob))


def test_the_dot_of_a_joint_that_slides_in_space_goes_along():
    body = mb.Body("b", mb.box(1.0, (0.2, 0.2, 0.2)))
    guide = mb.Prismatic("guide", mb.GROUND, (0, 0, 0), body, (0, 0, 0), axis1=(1, 0, 0))
    mechanism = mb.Mechanism("guided", [body], [guide], gravity=(0, 0, 0))
    run = g.simulate(mechanism, *mechanism.state(body.pose(velocity=(1.0, 0, 0))), t_end=0.3)
    (dot,) = scene_of(run, mb.Drawing(mechanism)).named("joint")
    np.testing.assert_allclose(dot.places[:, 0, 0], run.t, atol=1e-9)


@pytest.fixture(scope="module")
def rolling():
    """A ball with its rotation as a unit quaternion, which rolls along x at 0.6 m/s, and its run."""
    ball = g.System(
        "ball",
        coordinates="x y w a b c",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2) + 0.4 * (v.w**2 + v.a**2 + v.b**2 + v.c**2),
        constraints=[g.Holonomic("unit", lambda q: q.w**2 + q.a**2 + q.b**2 + q.c**2 - 1.0)],
    )
    return g.simulate(ball, [0, 0, 0.8, 0.6, 0, 0], [0.6, 0, 0, 0, 1.2, 0.9], t_end=1.0)


def centre(q):
    return q["x"], q["y"], 0.2


def turning(q):
    return mb.shapes.at_quaternion(centre(q), [q[name] for name in "wabc"])


def test_placed_shapes_are_turned_by_the_quaternion_and_the_ground_stays(rolling):
    at = rng.normal(size=(3, 3))
    drawing = mb.Drawing(
        shapes={mb.GROUND: mb.shapes.Points(at)},
        placed=[(mb.shapes.Points(at), turning)],
        planes=[((0, 0, 0.1), (0, 3, 4))],
        traces=[centre],
    )
    scene = scene_of(rolling, drawing)
    R = np.array([mb.quaternion(*row) for row in rolling.q[:, 2:]])
    moved, still = (part.places for part in scene.named("dots"))
    expected = np.array(centre(rolling), dtype=object)
    expected = np.stack([np.broadcast_to(x, len(rolling)) for x in expected], axis=-1)[:, None].astype(float)
    np.testing.assert_allclose(moved, expected + np.einsum("nij,kj->nki", R, at), atol=1e-9)
    np.testing.assert_allclose(still, np.broadcast_to(at, still.shape), atol=0)
    (plane,) = scene.planes
    np.testing.assert_allclose(plane.normal, np.tile([0, 0.6, 0.8], (len(rolling), 1)), atol=1e-15)
    np.testing.assert_allclose(plane.through, np.tile([0, 0, 0.1], (len(rolling), 1)), atol=0)


def test_axes_in_the_plane_are_turned_by_the_angle():
    angles = np.array([0.0, 0.3, 2.0])
    x, y = mb.shapes.at_angle((1.0, 2.0), angles).point((2.0, 0.0))
    np.testing.assert_allclose([x, y], [1 + 2 * np.cos(angles), 2 + 2 * np.sin(angles)], atol=1e-15)


def test_a_point_that_is_followed_stays_in_the_middle(rolling):
    drawing = mb.Drawing(placed=[(mb.shapes.Ball(0.2), turning)], follow=centre)
    scene = scene_of(rolling, drawing)
    np.testing.assert_allclose(scene.middle[:, 0], rolling["x"], atol=0)
    np.testing.assert_allclose(scene.half, 0.2 * 1.06, rtol=0.02)


def test_a_trace_has_places_between_the_frames(rolling):
    drawing = mb.Drawing(placed=[(mb.shapes.Ball(0.2), turning)], traces=[lambda q: turning(q).point((0, 0, 0.2))])
    frames = frames_of(rolling, drawing, 1.0, 5.0)
    scene = scene_of(frames, drawing, 4, rolling.at(np.linspace(0.0, 1.0, 21)))
    exact = turning(rolling.at(np.linspace(0.0, 1.0, 21))).point((0, 0, 0.2))
    (trace,) = scene.named("trace")
    assert (len(trace.places), trace.each) == (21, 4)
    np.testing.assert_allclose(trace.places[:, 0].T, np.broadcast_arrays(*exact), atol=1e-12)
    np.testing.assert_allclose(trace.places[::4, 0].T, [x[::4] for x in np.broadcast_arrays(*exact)], atol=1e-9)
    stage = Stage(scene, drawing, SMALL, 1.0)
    for k in (0, 2, 5):
        stage.show(k)
        ((_, line),) = [pair for pair in stage.strokes if pair[0].kind == "trace"]
        points = np.array(line.get_data_3d()).T
        np.testing.assert_allclose(points, trace.places[: 4 * k + 1, 0], atol=0)
        np.testing.assert_allclose(points[-1], np.ravel(turning(frames.at(frames.t[k])).point((0, 0, 0.2))), atol=1e-9)


def test_a_film_has_traces_with_places_between_its_frames(rolling, tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(animation, "Stage", lambda scene, *rest: seen.append(scene) or Stage(scene, *rest))
    drawing = mb.Drawing(placed=[(mb.shapes.Ball(0.2), turning)], traces=[centre])
    animate(rolling, drawing, tmp_path / "film.gif", rate=3, size=SMALL, progress="none")
    (trace,) = seen[0].named("trace")
    assert len(seen[0].times) == 4
    np.testing.assert_allclose(trace.places[:: trace.each, 0, 0], 0.6 * seen[0].times, atol=1e-9)
    assert trace.each >= 4
    np.testing.assert_allclose(trace.places[:, 0, 0], np.linspace(0.0, 0.6, 3 * trace.each + 1), atol=1e-9)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("up", [(0, 0, 1), (0, 1, 0), (0, 0, -1), (1, 0, 0), (0, 0.6, 0.8)])
@pytest.mark.parametrize("view", [(22.0, -60.0), (10.0, 130.0)])
def test_up_is_upwards_and_the_box_of_axes_fills_the_picture(rolling, up, view):
    drawing = mb.Drawing(placed=[(mb.shapes.Box((0.9, 0.3, 0.2)), turning)], up=up, view=view)
    stage = Stage(scene_of(rolling, drawing), drawing, (320, 240), 1.0)
    stage.show(0)
    stage.canvas.draw()
    low, high = stage.scene.middle[0] - stage.scene.half, stage.scene.middle[0] + stage.scene.half

    def seen(points):
        flat = np.column_stack(proj_transform(*np.transpose(points), stage.axes.get_proj())[:2])
        return stage.axes.transData.transform(flat)

    middle = stage.scene.middle[0]
    step = np.diff(seen([middle - 1e-3 * np.array(up), middle + 1e-3 * np.array(up)]), axis=0)[0]
    assert step[1] > 0.0
    assert abs(step[0]) < 0.15 * step[1]  # the perspective inclines what is not in the middle of the picture
    corners = seen(list(product(*zip(low, high, strict=True)))) / (320, 240)
    assert np.all((corners > 0.08) & (corners < 0.92))
    assert np.max(np.ptp(corners, axis=0) / FILLED) == pytest.approx(1.0, abs=0.02)


def test_a_flat_scene_in_space_has_a_low_picture_and_its_box_fills_the_width():
    fall = g.System("fall", "x y z", kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2))
    run = g.simulate(fall, [0, 0, 0], [1, 1, 0.1], t_end=1.0)
    drawing = mb.Drawing(traces=[lambda q: (q["x"], q["y"], q["z"])])
    scene = scene_of(run, drawing)
    width, height = size = shape_of(scene, drawing)
    assert width == LARGEST[0]
    assert height < 0.8 * LARGEST[1]
    stage = Stage(scene, drawing, size, 1.0)
    stage.canvas.draw()
    ends = np.array(list(product(*zip(scene.middle[0] - scene.half, scene.middle[0] + scene.half))))
    flat = np.column_stack(proj_transform(*ends.T, stage.axes.get_proj())[:2])
    corners = stage.axes.transData.transform(flat) / size
    assert np.ptp(corners[:, 0]) == pytest.approx(FILLED[0], abs=0.02)
    assert np.all((corners > 0.08) & (corners < 0.92))


def flat_leg():
    """Two boxes that hang from one another and turn about y, the lower one across."""
    parts = [mb.Body(name, mb.box(1.0, (0.08, 0.08, 0.4), at=(0, 0, -0.2))) for name in ("thigh", "shank")]
    hip = mb.Revolute("hip", mb.GROUND, (0, 0, 0), parts[0], (0, 0, 0), axis1=(0, 1, 0))
    knee = mb.Revolute("knee", parts[0], (0, 0, -0.4), parts[1], (0, 0, 0), axis1=(0, 1, 0))
    leg = mb.Mechanism("leg", parts, [hip, knee], coordinates="joint")
    return leg, g.simulate(leg, [0.2, 0.9], t_end=0.2)


def test_labels_of_a_thin_scene_lie_within_the_picture_and_its_thin_side_has_no_numbers():
    leg, run = flat_leg()
    drawing = mb.Drawing(leg, view=(14.0, -55.0))
    scene = scene_of(run, drawing)
    stage = Stage(scene, drawing, shape_of(scene, drawing), 1.0)
    stage.picture(0)
    labels = [axis.label.get_window_extent() for axis in (stage.axes.xaxis, stage.axes.yaxis, stage.axes.zaxis)]
    for label in labels:
        assert np.all(label.min > 0.0)
        assert np.all(label.max < stage.figure.bbox.size)
    assert not len(stage.axes.yaxis.get_ticklocs())
    assert len(stage.axes.zaxis.get_ticklocs()) > 2


def test_one_sees_through_boxes_of_inertia_and_not_through_shapes_that_are_given():
    leg, run = flat_leg()
    drawing = mb.Drawing(leg, shapes={leg.bodies[0]: mb.shapes.Box((0.08, 0.08, 0.4), (0, 0, -0.2))})
    stage = Stage(scene_of(run, drawing), drawing, (320, 240), 1.0)
    stage.show(0)
    opacity = np.array(stage.solid.get_facecolor())[:, 3]
    assert np.sum(opacity == 1.0) == 6
    assert np.sum((opacity > 0.2) & (opacity < 0.8)) == 6


def test_the_time_lies_within_a_low_picture_too():
    slide = g.System("slide", "x", kinetic_energy=lambda v: 0.5 * v.x**2)
    film = g.animate(g.simulate(slide, [0], [1], t_end=0.1), rate=30.0)
    film.picture(0)
    time = film.stage.label.get_window_extent()
    height = film.stage.figure.bbox.height
    assert height < 0.5 * LARGEST[1]
    assert film.stage.axes.get_window_extent().y1 < time.y0 < time.y1 < height


def test_a_particle_of_which_there_is_only_a_trace_is_seen_on_the_body_it_moves_on():
    ball = g.System("ball", "x y", kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2))
    run = g.simulate(ball, [-0.5, 0], [1, 0], t_end=1.0)
    table = (mb.shapes.Box((2.0, 1.0)), lambda q: mb.shapes.at_angle((0, 0), 0.0 * q["x"]))
    film = g.animate(run, mb.Drawing(placed=[table], traces=[lambda q: (q["x"], q["y"])]), rate=4.0)
    axes = film.stage.axes
    for k in (0, len(film) - 1):
        picture = film.picture(k)
        column, row = axes.transData.transform((film.stage.scene.times[k] - 0.5, 0.0))
        seen = picture[picture.shape[0] - 1 - round(row), round(column), :3] / 255
        np.testing.assert_allclose(seen, to_rgb(COLOURS[3]), atol=0.02)


def test_a_narrow_scene_has_room_for_the_numbers_below_it():
    ball = g.System("ball", "x y", kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2))
    run = g.simulate(ball, [0, 0], [0, 1], t_end=1.0)
    scene = scene_of(run, mb.Drawing(traces=[lambda q: (q["x"], q["y"])]))
    assert scene.half[0] == pytest.approx(0.3 * 0.5)
    for height in (1.0, 0.2, 0.033):
        axes = (film := g.animate(g.simulate(ball, [0, 0], [0, height], t_end=1.0))).stage.axes
        film.picture(0)
        boxes = [text.get_window_extent() for text in axes.get_xticklabels() if text.get_text()]
        low, high = axes.bbox.x0, axes.bbox.x1
        inside = sorted((box for box in boxes if low <= 0.5 * (box.x0 + box.x1) <= high), key=lambda box: box.x0)
        assert all(one.x1 < two.x0 for one, two in pairwise(inside))


# ---------------------------------------------------------------- shapes


def test_a_torus_is_at_its_minor_radius_from_its_circle_and_touches_the_plane():
    normal = np.array([1.0, 2.0, -2.0]) / 3.0
    outline = mb.shapes.Torus(0.5, 0.1, (0.1, 0.2, 0.3), tuple(normal)).outline(3)
    points = np.vstack(outline.faces) - [0.1, 0.2, 0.3]
    height = points @ normal
    across = np.linalg.norm(points - np.outer(height, normal), axis=1)
    np.testing.assert_allclose(np.hypot(across - 0.5, height), 0.1, atol=1e-14)
    assert np.ptp(across) == pytest.approx(0.2)
    assert set(outline.tones) == {0, 1}
    wheel = mb.Body("wheel", mb.disc(1.0, 0.6))
    tyre = mb.RollingTorus("tyre", wheel, 0.5, 0.1, axis=(0, 1, 0))
    made = mb.Drawing(mb.Mechanism("wheel", [wheel], [tyre])).shapes_of(wheel)
    assert min(np.vstack(shape.outline(3).faces)[:, 2].min() for shape in made) == pytest.approx(-0.6)


def test_a_circle_is_closed_and_across_its_normal():
    (rim,) = mb.shapes.Circle(0.4, (0, 0, 1), (0, 3, 4)).outline(3).lines
    np.testing.assert_allclose(np.linalg.norm(rim - [0, 0, 1], axis=1), 0.4, atol=1e-15)
    np.testing.assert_allclose((rim - [0, 0, 1]) @ [0, 0.6, 0.8], 0.0, atol=1e-15)
    np.testing.assert_array_equal(rim[0], rim[-1])


@pytest.mark.parametrize("make", [mb.box, mb.ellipsoid], ids=["box", "ellipsoid"])
def test_the_equivalent_shape_has_the_inertia_of_the_body(make):
    axes = mb.about((1, -2, 0.5), 1.1)
    inertia = mb.box(2.0, (0.4, 0.7, 0.2), (0.1, 0, 0), axes) + mb.sphere(0.5, 0.1, (0, 0.3, 0.2))
    shape = equivalent_box(inertia) if make is mb.box else equivalent_ellipsoid(inertia)
    again = shape.inertia(inertia.mass) if make is mb.box else make(inertia.mass, shape.semiaxes, shape.at, shape.axes)
    np.testing.assert_allclose(again.second, inertia.second, rtol=0, atol=1e-14)
    np.testing.assert_allclose(again.centre, inertia.centre, rtol=0, atol=1e-15)


def test_outlines_have_the_sizes_asked_for_and_plane_faces():
    axes = mb.about((1, 1, 0), 0.4)
    box = mb.shapes.Box((1.0, 2.0, 3.0), (0.5, 0, 0), axes).outline(3)
    corners = (np.vstack(box.faces) - [0.5, 0, 0]) @ axes
    np.testing.assert_allclose(np.abs(corners), np.tile([0.5, 1.0, 1.5], (24, 1)), atol=1e-15)
    rod = mb.shapes.Cylinder(0.3, 2.0, (1, 0, 0)).outline(3)
    points = np.vstack(rod.faces)
    assert np.ptp(points[:, 0]) == pytest.approx(2.0)
    assert np.max(np.hypot(points[:, 1], points[:, 2])) == pytest.approx(0.3)
    wheel = mb.shapes.Disc(0.5, (0, 1, 0), normal=(0, 1, 0)).outline(3)
    np.testing.assert_allclose(np.vstack(wheel.faces)[:, 1], 1.0)
    flat = mb.shapes.Box((2.0, 1.0), axes=np.pi / 2).outline(2)
    np.testing.assert_allclose(np.abs(flat.faces[0]), np.tile([0.5, 1.0], (4, 1)), atol=1e-15)
    for outline in (box, rod, wheel):
        for face in outline.faces:
            assert np.linalg.matrix_rank(face - face[0], tol=1e-12) == 2


def test_a_planar_body_is_the_hull_of_its_points():
    plate = mb.PlanarBody("plate", 1.0, 0.1)
    pins = [mb.Pin(f"pin {k}", mb.GROUND, at, plate, at) for k, at in enumerate(((1, 0), (0, 1), (0.1, 0.1)))]
    (shape,) = mb.Drawing(mb.Mechanism("plate", [plate], pins)).shapes_of(plate)
    corners = {tuple(corner) for corner in shape.corners}
    assert corners == {(1.0, 0.0), (0.0, 1.0), (0.0, 0.0)}  # the centre of mass is one; (0.1, 0.1) is inside


def test_a_planar_body_held_at_one_point_is_a_bar_or_disc_with_its_inertia():
    bar, wheel = mb.PlanarBody("bar", 2.0, 2.0 * 0.6**2 / 12, (0.0, 0.3)), mb.PlanarBody("wheel", 2.0, 0.25)
    pins = [mb.Pin(f"pin {body.name}", mb.GROUND, (0, 0), body, (0, 0)) for body in (bar, wheel)]
    drawing = mb.Drawing(mb.Mechanism("two", [bar, wheel], pins))
    np.testing.assert_allclose(drawing.shapes_of(bar)[0].points, [[0, 0], [0, 0.6]], atol=1e-15)
    assert drawing.shapes_of(wheel)[0].radius == pytest.approx(0.5)  # J = ½ m r²


# ---------------------------------------------------------------- files


def stopping_at(fraction):
    def report(done):
        if done > fraction:
            raise KeyboardInterrupt

    return report


@pytest.mark.parametrize("ending", ["gif", "mp4"])
def test_an_interrupted_film_leaves_an_older_one_and_nothing_else(sliding, tmp_path, monkeypatch, ending):
    mechanism, run = sliding
    path = tmp_path / f"film.{ending}"
    path.write_bytes(b"older")
    monkeypatch.setitem(mpl.rcParams, "animation.ffmpeg_path", str(program(tmp_path, "cat > $last")))
    with pytest.raises(KeyboardInterrupt):
        animate(run, mechanism, path, rate=10, size=SMALL, progress=stopping_at(0.5))
    assert list(tmp_path.glob("film*")) == [path]
    assert path.read_bytes() == b"older"


def program(folder, command):
    """A program in the place of ffmpeg; $last is its last argument."""
    path = folder / "program"
    path.write_text(f'#!/bin/sh\nfor last; do :; done\necho "$@" > "{folder}/arguments"\n{command}\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_an_mp4_gets_every_frame_at_the_right_rate(sliding, tmp_path, monkeypatch):
    mechanism, run = sliding
    monkeypatch.setitem(mpl.rcParams, "animation.ffmpeg_path", str(program(tmp_path, "cat > $last")))
    path = animate(run, mechanism, tmp_path / "film.mp4", rate=12, size=SMALL, progress="none")
    frames = np.frombuffer(path.read_bytes(), dtype=np.uint8).reshape(-1, SMALL[1], SMALL[0], 4)
    assert len(frames) == 13
    assert np.any(frames[0] != frames[-1])
    words = (tmp_path / "arguments").read_text().split()
    assert words[words.index("-s") + 1] == "160x120"
    assert float(words[words.index("-framerate") + 1]) == 12.0


def test_without_ffmpeg_or_where_it_fails_one_error_says_so(sliding, tmp_path, monkeypatch):
    mechanism, run = sliding
    monkeypatch.setitem(mpl.rcParams, "animation.ffmpeg_path", str(tmp_path / "nowhere"))
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(FileError, match=r"Install it \(pip install imageio-ffmpeg.* or write a \.gif"):
        animate(run, mechanism, tmp_path / "film.mp4")
    for failing in ("echo no codec >&2; cat > /dev/null; exit 3", "echo no codec >&2; exit 3"):
        monkeypatch.setitem(mpl.rcParams, "animation.ffmpeg_path", str(program(tmp_path, failing)))
        with pytest.raises(FileError, match=r"status 3.*no codec"):
            animate(run, mechanism, tmp_path / "film.mp4", rate=10, size=SMALL)
        assert not list(tmp_path.glob("film*"))


def test_a_run_from_a_file_is_filmed_with_its_mechanism(sliding, tmp_path):
    mechanism, run = sliding
    loaded = g.Trajectory.load(run.save(tmp_path / "run.nc"))
    path = animate(loaded, mechanism, tmp_path / "film.gif", rate=4, size=SMALL, progress="none")
    with Image.open(path) as film:
        assert film.n_frames == 5


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"speed": 0.0}, "speed must be positive"),
        ({"rate": -1.0}, "rate must be positive"),
        ({"rate": 60.0}, "use .mp4"),
        ({"speed": 1e-3}, r"25001 frames; 3000 are possible.*at least 0\.00833"),
        ({"size": (641, 480)}, "even"),
        ({"progress": "loud"}, "progress must be"),
        ({"path": "film.avi"}, r"\.gif or an \.mp4"),
        ({"run": None}, "a run of gauss.simulate, got a NoneType"),
        ({"drawing": "block"}, "a drawing is of a Mechanism"),
    ],
)
def test_bad_options_give_one_clear_error(sliding, tmp_path, options, words):
    mechanism, run = sliding
    given = {"run": run, "drawing": mechanism, "path": tmp_path / "film.gif", **options}
    with pytest.raises(InputError, match=words):
        animate(given.pop("run"), given.pop("drawing"), given.pop("path"), **given)
    assert not list(tmp_path.iterdir())


def test_bad_drawings_give_one_clear_error(sliding, tumbling):
    mechanism, run = sliding
    block, stranger = mechanism.bodies[0], tumbling[0].bodies[0]
    for given, words in (
        ({"shapes": {stranger: mb.shapes.Ball(1.0)}}, "not one of the mechanism"),
        ({"shapes": {block: "box"}}, "must be a shape"),
        ({"traces": [(block, (1, 2, 3))]}, "point of 'block' to trace"),
        ({"traces": [block]}, "a trace is"),
        ({"lines": [3]}, "a function of the coordinates"),
        ({"view": (1, 2, 3)}, "view"),
        ({"speed": -1.0}, "speed"),
        ({"mechanism": None}, "needs a mechanism, or lines"),
        ({"up": (0, 0, 0)}, "what is up in a drawing is the zero vector"),
        ({"placed": [mb.shapes.Ball(1.0)]}, "an entry of placed is"),
        ({"placed": [("ball", len)]}, "what is placed must be a shape"),
        ({"planes": [(0, 0, 1)]}, "a plane of a drawing is"),
        ({"planes": [((0, 0, 0), (0, 0, 0))]}, "normal of a plane of the drawing is the zero vector"),
    ):
        with pytest.raises(InputError, match=words):
            mb.Drawing(**{"mechanism": mechanism, **given})
    for given, words in (
        ({"shapes": {block: mb.shapes.Cylinder(1.0, 1.0)}}, "in the plane use"),
        ({"shapes": {block: mb.shapes.Box((1, 2, 3))}}, "the sides of a box"),
        ({"shapes": {block: []}, "lines": [lambda q: [(0, 0)]]}, "2 or more points"),
        ({"lines": [lambda q: [(0, 0, 0), (1, 0, 0)]]}, "mixes points of 2 and 3"),
        ({"traces": [lambda q: q["block_x"][0]]}, "a trace of the drawing failed"),
        ({"traces": [lambda q: (q["block_x"],)]}, "a trace of the drawing must give"),
        ({"placed": [(mb.shapes.Points([(0, 0)]), lambda q: q["block_x"])]}, "cannot be placed"),
        ({"placed": [(mb.shapes.Points([(0, 0)]), lambda q: mb.Placed((0, 0), ((1, 0),)))]}, "as many columns"),
        ({"placed": [(mb.shapes.Points([(0, 0)]), lambda q: mb.Placed((0, 0), ((0, 1), (1, 0))))]}, "be a rotation"),
        ({"placed": [(mb.shapes.Points([(0, 0)]), lambda q: mb.Placed((0, 0), ((2, 0), (0, 1))))]}, "be a rotation"),
        ({"lines": [lambda q: [(q["block_X"], 0), (0, 0)]]}, r"did you mean 'block_x'\?.*[^.]\.$"),
        ({"follow": lambda q: (q["block_x"], 0.0, 0.0)}, "the point to follow has 3"),
    ):
        with pytest.raises(InputError, match=words):
            scene_of(run, mb.Drawing(mechanism, **given))
    with pytest.raises(InputError, match="not those of the mechanism"):
        scene_of(run, mb.Drawing(tumbling[0]))


# ---------------------------------------------------------------- scenarios and the command line

MODEL = """
import gauss as g
from gauss import bodies as mb
bead = mb.Particle("p", 1.0)
fall = mb.Mechanism("fall", [bead])
system = fall.system
start = g.Start(*fall.state(bead.pose((0, 0, 1))), t_end=0.4)
"""


@pytest.mark.long
def test_a_model_file_with_a_drawing_is_filmed_from_the_command_line(tmp_path):
    path = tmp_path / "falling.py"
    path.write_text(MODEL + "drawing = mb.Drawing(fall, speed=0.5)\n")
    command = [sys.executable, "-m", "gauss", "animate", str(path), "--rate", "5", "--out", str(tmp_path / "films")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    with Image.open(tmp_path / "films" / "falling.gif") as film:
        assert film.n_frames == 5


def test_a_scenario_without_a_drawing_is_drawn_and_one_without_a_motion_is_refused(tmp_path):
    path = tmp_path / "falling.py"
    path.write_text(MODEL)
    with pytest.raises(typer.Exit) as ended:
        cli.animate(str(path), rate=5.0, out=tmp_path)
    assert ended.value.exit_code == 0
    with Image.open(tmp_path / "falling.gif") as film:
        assert film.n_frames == 3
    path.write_text(MODEL.replace(", t_end=0.4", "") + "drawing = mb.Drawing(fall)\n")
    with pytest.raises(InputError, match="has no motion"):
        cli.animate(str(path))
    path.write_text(MODEL + "drawing = fall\n")
    with pytest.raises(FileError, match=r"`drawing` is a Mechanism; a gauss\.bodies\.Drawing is expected"):
        scenario.load(path)


DRAWN = [name for name in scenario.names() if "\ndrawing = " in scenario.find(name).read_text(encoding="utf-8")]


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", DRAWN)
def test_drawings_of_scenarios_are_of_their_systems(name):
    loaded = scenario.load(name)
    s = loaded.start
    run = g.simulate(rubbed(loaded.system, ()), s.q, s.v, t=s.t, t_end=s.t + 1e-3, control=s.control, progress="none")
    scene = scene_of(run, loaded.drawing)
    assert all(np.all(np.isfinite(part.places)) for part in scene.parts)
    assert np.all(scene.half > 0.0)


def test_the_scenarios_made_of_bodies_are_drawn():
    made = [n for n in scenario.names() if "mb.Mechanism(" in scenario.find(n).read_text(encoding="utf-8")]
    assert {"free_body", "heavy_top", "slider_crank"} <= set(made) <= set(DRAWN)


def test_the_trace_of_a_point_that_turns_many_times_between_two_frames_is_its_circle(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(animation, "Stage", lambda scene, *rest: seen.append(scene) or Stage(scene, *rest))
    crank = mb.PlanarBody("crank", 1.0, 0.1)
    shaft = mb.Mechanism("shaft", [crank], [mb.Pin("pin", mb.GROUND, (0, 0), crank, (0, 0))], gravity=(0.0, 0.0))
    run = g.simulate(shaft.system, *shaft.state(crank.pose(rate=40.0)), t_end=1.0, progress="none")
    drawing = mb.Drawing(shaft, traces=[(crank, (0.2, 0.0))])
    animate(run, drawing, tmp_path / "film.gif", rate=5, size=SMALL, progress="none")
    (trace,) = seen[0].named("trace")
    np.testing.assert_allclose(np.linalg.norm(trace.places[:, 0], axis=1), 0.2, atol=1e-9)
    assert len(trace.places) > 100


@pytest.mark.long
def test_modes_of_two_hanging_particles_are_those_of_the_closed_form():
    """Equal masses on equal rods of length l: ω² = (2 ± √2) g/l, and the lower rod turns ±√2 times the upper one."""
    chain = g.System(
        "two particles",
        "x1 y1 x2 y2",
        kinetic_energy=lambda v: 0.5 * (v.x1**2 + v.y1**2 + v.x2**2 + v.y2**2),
        potential_energy=lambda q: 9.81 * (q.y1 + q.y2),
        constraints=[
            g.Holonomic("upper", lambda q: g.hypot(q.x1, q.y1) - 1.0),
            g.Holonomic("lower", lambda q: g.hypot(q.x2 - q.x1, q.y2 - q.y1) - 1.0),
        ],
    )
    hanging = g.equilibrium(chain, [0.0, -1.0, 0.0, -2.0])
    for mode, sign in ((1, -1.0), (2, 1.0)):
        film = g.animate(hanging, mode=mode)
        frequency = np.sqrt((2.0 + sign * np.sqrt(2.0)) * 9.81) / (2.0 * np.pi)
        assert film.stage.scene.note == f"mode {mode}: {frequency:.4g} Hz"
        ends = [part.places for part in film.stage.scene.parts if part.kind == "line"]  # of the rods, (N, 2, 2)
        upper, lower = (np.arctan2(*(rod[:, 1] - rod[:, 0]).T * [[1.0], [-1.0]]) for rod in ends)
        assert lower[0] / upper[0] == pytest.approx(-sign * np.sqrt(2.0), rel=0.02)  # the shape is of small angles
        assert upper[len(film) // 4] == pytest.approx(-upper[0], rel=1e-6)  # half a period of two
        assert len(film) == 100
        for rod in ends:
            np.testing.assert_allclose(np.linalg.norm(rod[:, 1] - rod[:, 0], axis=1), 1.0, atol=1e-9)
    for call, words in (
        (lambda: g.animate(hanging, mode=3), "there are modes 1 to 2"),
        (lambda: g.animate(hanging, mode=1, forces=True), "without forces"),
        (lambda: g.animate(g.simulate(chain, hanging.state, t_end=0.1), mode=1), "not for a run"),
    ):
        with pytest.raises(InputError, match=words):
            call()
