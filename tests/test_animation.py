"""Films show the points of the bodies, at the right times and at the right places of the picture."""

from __future__ import annotations

import stat
import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest
from PIL import Image

import gauss as g
from gauss import cli, scenario
from gauss import multibody as mb
from gauss.errors import FileError, InputError
from gauss.multibody.shapes import equivalent_box, equivalent_ellipsoid
from gauss.show.animate import animate, delays, frames_of
from gauss.show.bodies import frame_of, scene_of

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


# ---------------------------------------------------------------- shapes


@pytest.mark.parametrize("make", [mb.box, mb.ellipsoid], ids=["box", "ellipsoid"])
def test_the_equivalent_shape_has_the_inertia_of_the_body(make):
    axes = mb.about((1, -2, 0.5), 1.1)
    inertia = mb.box(2.0, (0.4, 0.7, 0.2), (0.1, 0, 0), axes) + mb.sphere(0.5, 0.1, (0, 0.3, 0.2))
    shape = equivalent_box(inertia) if make is mb.box else equivalent_ellipsoid(inertia)
    size = shape.sides if make is mb.box else shape.semiaxes
    again = make(inertia.mass, size, shape.at, shape.axes)
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
    with pytest.raises(FileError, match=r"Install it .* or write a \.gif"):
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
        ({"shapes": {stranger: mb.shapes.Sphere(1.0)}}, "not one of the mechanism"),
        ({"shapes": {block: "box"}}, "must be a shape"),
        ({"traces": [(block, (1, 2, 3))]}, "point of 'block' to trace"),
        ({"traces": [block]}, "a trace is"),
        ({"lines": [3]}, "a function of the coordinates"),
        ({"view": (1, 2, 3)}, "view"),
        ({"speed": -1.0}, "speed"),
        ({"mechanism": None}, "needs a mechanism, or lines"),
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
    ):
        with pytest.raises(InputError, match=words):
            scene_of(run, mb.Drawing(mechanism, **given))
    with pytest.raises(InputError, match="not those of the mechanism"):
        scene_of(run, mb.Drawing(tumbling[0]))


# ---------------------------------------------------------------- scenarios and the command line

MODEL = """
import gauss as g
from gauss import multibody as mb
bead = mb.Particle("p", 1.0)
fall = mb.Mechanism("fall", [bead])
system = fall.system
start = g.Start(*fall.state(bead.pose((0, 0, 1))), t_end=0.4)
"""


def test_a_model_file_with_a_drawing_is_filmed_from_the_command_line(tmp_path):
    path = tmp_path / "falling.py"
    path.write_text(MODEL + "drawing = mb.Drawing(fall, speed=0.5)\n")
    command = [sys.executable, "-m", "gauss", "animate", str(path), "--rate", "5", "--out", str(tmp_path / "films")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    with Image.open(tmp_path / "films" / "falling.gif") as film:
        assert film.n_frames == 5


def test_a_scenario_without_a_drawing_or_a_motion_is_refused(tmp_path):
    path = tmp_path / "falling.py"
    path.write_text(MODEL)
    with pytest.raises(InputError, match="falling does not say how it is drawn"):
        cli.animate(str(path))
    path.write_text(MODEL.replace(", t_end=0.4", "") + "drawing = mb.Drawing(fall)\n")
    with pytest.raises(InputError, match="has no motion"):
        cli.animate(str(path))
    path.write_text(MODEL + "drawing = fall\n")
    with pytest.raises(FileError, match=r"`drawing` is a Mechanism; a gauss\.multibody\.Drawing is expected"):
        scenario.load(path)


DRAWN = [name for name in scenario.names() if "\ndrawing = " in scenario.find(name).read_text(encoding="utf-8")]


@pytest.mark.parametrize("name", DRAWN)
def test_drawings_of_scenarios_are_of_their_systems(name):
    loaded = scenario.load(name)
    s = loaded.start
    run = g.simulate(loaded.system, s.q, s.v, t=s.t, t_end=s.t + 1e-3, control=s.control, progress="none")
    scene = scene_of(run, loaded.drawing)
    assert all(np.all(np.isfinite(part.places)) for part in scene.parts)
    assert np.all(scene.half > 0.0)


def test_the_scenarios_made_of_bodies_are_drawn():
    assert {"free_body", "heavy_top", "slider_crank"} <= set(DRAWN)
