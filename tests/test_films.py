"""Films in a notebook, and drawings that nobody wrote: what is guessed from names and rows, and what is not."""

from __future__ import annotations

import base64
import io
import re
import sys

import matplotlib as mpl
import numpy as np
import pytest
from PIL import Image

import gauss as g
from gauss import bodies as mb
from gauss.errors import InputError
from gauss.show.film.bodies import scene_of

SMALL = (160, 120)


def particle(name="x y", rows=(), **more):
    """A particle of mass 1, or several, under gravity along the last axis."""
    names = name.split()
    more.setdefault("kinetic_energy", lambda v: 0.5 * sum(v[n] ** 2 for n in names))
    more.setdefault("potential_energy", lambda q: 9.81 * sum(q[n] for n in names if n[0] == names[-1][0]))
    return g.System("particle", names, constraints=list(rows), **more)


@pytest.fixture(scope="module")
def swing():
    """A pendulum of length 1 about (0.5, 0.2), and its run."""
    system = particle(rows=[g.Holonomic("rod", lambda q: g.log((q.x - 0.5) ** 2 + (q.y - 0.2) ** 2))])
    return g.simulate(system, [1.5, 0.2], t_end=0.4)


# ---------------------------------------------------------------- films in a page


def test_a_film_in_a_cell_is_a_gif_within_the_page_that_shows_the_same_frames(swing, monkeypatch, tmp_path):
    monkeypatch.setitem(mpl.rcParams, "animation.ffmpeg_path", str(tmp_path / "nowhere"))
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    film = g.animate(swing, size=SMALL)
    page = film._repr_html_()
    (source,) = re.findall(r'src="([^"]*)"', page)
    head, data = source.split(",")
    assert page.startswith("<img ")
    assert head == "data:image/gif;base64"
    with Image.open(io.BytesIO(base64.b64decode(data))) as shown:
        assert shown.n_frames == len(film) == 11
        assert shown.size == SMALL
        for k in (0, 5, 10):
            shown.seek(k)
            off = np.asarray(shown.convert("RGB"), dtype=int) - film.picture(k)[:, :, :3]
            assert np.mean(np.abs(off)) < 1.0


def test_a_film_too_fast_for_a_gif_leaves_frames_out_in_a_cell(swing, monkeypatch, tmp_path):
    monkeypatch.setitem(mpl.rcParams, "animation.ffmpeg_path", str(tmp_path / "nowhere"))
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    page = g.animate(swing, size=SMALL, rate=100.0)._repr_html_()
    with Image.open(io.BytesIO(base64.b64decode(page.split("base64,")[1].split('"')[0]))) as shown:
        assert shown.n_frames == 21  # of 41


def test_with_ffmpeg_a_cell_plays_a_video_that_is_within_the_page(swing):
    pytest.importorskip("imageio_ffmpeg")
    page = g.animate(swing, size=SMALL)._repr_html_()
    assert page.startswith("<video controls ")
    data = base64.b64decode(page.split("data:video/mp4;base64,")[1].split('"')[0])
    assert data[4:8] == b"ftyp"
    assert "http" not in page


def test_pictures_are_the_same_in_any_order_and_differ_along_the_motion(swing):
    film = g.animate(swing, size=SMALL)
    again = g.animate(swing, size=SMALL)
    last = film.picture(10)
    np.testing.assert_array_equal(again.picture(3), film.picture(3))
    np.testing.assert_array_equal(again.picture(-1), last)
    assert np.any(film.picture(3) != last)


def test_pixels_of_a_particle_are_where_the_axes_put_it(swing):
    film = g.animate(swing, size=(640, 480))
    film.picture(0)
    for k in (0, 4, 10):
        place = swing.at([film.stage.scene.times[k]]).q[0]
        x, y = film.stage.axes.transData.transform(place)
        pixel = film.picture(k)[479 - int(y), int(x), :3].astype(int)
        np.testing.assert_allclose(pixel, [0x00, 0x72, 0xB2], atol=3)  # the first colour


# ---------------------------------------------------------------- what is drawn of rows


def lines_of(run):
    scene = scene_of(run, mb.drawing_of(run))
    return {kind: [part.places for part in scene.named(kind)] for kind in ("line", "string")}


def test_a_row_that_holds_a_distance_is_a_rod_however_it_is_written(swing):
    drawing = mb.drawing_of(swing)
    (line,) = drawing.lines
    fixed, moving = line(swing)
    np.testing.assert_allclose(fixed, (0.5, 0.2), atol=1e-9)
    np.testing.assert_array_equal(moving, swing.q.T)
    assert "rod 'rod'" in drawing.note


def test_rods_between_points_in_space_and_strings_are_found():
    rows = [
        g.Holonomic("link", lambda q: (q.x1 - q.x2) ** 2 + (q.y1 - q.y2) ** 2 + (q.z1 - q.z2) ** 2 - 1.0),
        g.Unilateral("thread", lambda q: 2.0 - g.sqrt(q.x1**2 + q.y1**2 + (q.z1 - 1.0) ** 2)),
        g.Unilateral("apart", lambda q: q.x2**2 + q.y2**2 + q.z2**2 - 0.01),  # a ball to stay outside of
    ]
    run = g.simulate(particle("x1 y1 z1 x2 y2 z2", rows), [0.0, 0.0, 0.5, 1.0, 0.0, 0.5], t_end=0.05)
    drawing = mb.drawing_of(run)
    (rod,), (string,) = drawing.lines, drawing.strings
    np.testing.assert_array_equal(np.array(rod(run)), [run.q.T[:3], run.q.T[3:]])
    np.testing.assert_allclose(string(run)[0], (0, 0, 1), atol=1e-9)
    assert lines_of(run)["string"][0].shape == (len(run), 2, 3)


@pytest.mark.parametrize(
    ("name", "row", "q"),
    [
        ("x y", lambda q: q.x**2 + 2.0 * q.y**2 - 1.0, [1, 0]),  # an ellipse
        ("x y", lambda q: q.x - q.y, [0, 0]),
        ("x y", lambda q: q.y - q.x**2, [0, 0]),
        ("x1 y1 x2 y2", lambda q: (q.x1 - q.x2) ** 2 + (q.y1 - q.y2 - 0.3) ** 2 - 1.0, [0, 0.3, 1, 0]),
        ("x1 y1 x2 y2", lambda q: (q.x1 - q.x2) ** 2 + (q.y1 + q.y2) ** 2 - 1.0, [0, 0, 1, 0]),
        ("x1 y1 x2 y2", lambda q: (q.x1 - q.x2) ** 2 + 1.01 * (q.y1 - q.y2) ** 2 - 1.0, [0, 0, 1, 0]),
        ("x1 y1 x2 y2", lambda q: q.x1**2 + q.y1**2 + q.x2**2 + q.y2**2 - 1.0, [0, 0, 1, 0]),
        ("x y z", lambda q: q.x**2 + q.y**2 - 1.0, [1, 0, 0]),  # a cylinder
        ("x y", lambda q, t: (q.x - t) ** 2 + q.y**2 - 1.0, [1, 0]),  # about a point that moves
    ],
)
def test_rows_that_hold_no_distance_are_no_rods(name, row, q):
    v = [0.0] * len(q)
    run = g.simulate(particle(name, [g.Holonomic("row", row)]), q, g.consistent(
        particle(name, [g.Holonomic("row", row)]), q, v).v, t_end=0.05)  # fmt: skip
    assert not mb.drawing_of(run).lines
    assert "rod" not in mb.drawing_of(run).note


def test_the_curve_of_a_row_is_drawn_where_the_row_vanishes():
    run = g.simulate(particle(rows=[g.Holonomic("wire", lambda q: q.y - q.x**2)]), [1, 1], t_end=1.0)
    (curve,) = mb.drawing_of(run).shapes[mb.GROUND]
    x, y = np.array(curve.points).T
    assert np.ptp(x) > 1.0
    np.testing.assert_allclose(y, x**2, atol=1e-3)


def test_polar_coordinates_are_known_by_the_mass_matrix_and_up_by_the_potential():
    def potential(q, p):
        return 50.0 * (q.r - 1.0) ** 2 - p.m * 9.81 * q.r * g.cos(q.phi)

    def spring(kinetic):
        more = {"kinetic_energy": kinetic, "potential_energy": potential}
        return g.System("spring", "r phi", parameters={"m": 2.0}, **more)

    run = g.simulate(spring(lambda q, v, p: 0.5 * p.m * (v.r**2 + q.r**2 * v.phi**2)), [1.0, 0.0], t_end=0.1)
    ((_, placed),) = mb.drawing_of(run).placed
    np.testing.assert_allclose(np.array(placed({"r": 1.0, "phi": 0.0}).origin), (0, -1), atol=1e-12)  # it hangs
    np.testing.assert_allclose(np.array(placed({"r": 2.0, "phi": np.pi / 2}).origin), (2, 0), atol=1e-12)
    other = g.simulate(spring(lambda v, p: 0.5 * p.m * (v.r**2 + v.phi**2)), [1.0, 0.0], t_end=0.1)
    with pytest.raises(InputError, match=r"cannot be drawn from its coordinates r, phi.*Drawing\(lines="):
        mb.drawing_of(other)


def test_an_angle_is_drawn_as_a_uniform_bar_of_that_inertia():
    skater = g.System(
        "skater",
        "x y phi",
        kinetic_energy=lambda v: 0.5 * 2.0 * (v.x**2 + v.y**2) + 0.5 * 0.06 * v.phi**2,
        constraints=[g.Pfaffian("no side slip", lambda q: [g.sin(q.phi), -g.cos(q.phi), 0.0])],
    )
    run = g.simulate(skater, [0, 0, 0.5], [0, 0, 2.0], t_end=0.1)
    (bar,) = lines_of(run)["line"]
    along = bar[:, 1] - bar[:, 0]
    assert np.linalg.norm(along[0]) == pytest.approx(np.sqrt(12 * 0.06 / 2.0))  # J = m l²/12
    np.testing.assert_allclose(np.arctan2(along[:, 1], along[:, 0]), run["phi"], atol=1e-12)


def test_a_mechanism_draws_itself_by_its_run_also_with_other_parameters_and_from_a_file(tmp_path):
    rod = mb.PlanarBody("rod", 1.0, 0.1, centre=(0.5, 0))
    pin = mb.Pin("pin", mb.GROUND, (0, 0), rod, (0, 0))
    swing = mb.Mechanism("swing", [rod], [pin], parameters={"c": 1.0})
    run = g.simulate(swing.system.with_parameters(c=2.0), *swing.state(rod.pose()), t_end=0.1)
    assert mb.drawing_of(run).mechanism is swing
    loaded = g.Trajectory.load(run.save(tmp_path / "run.nc"))
    with pytest.raises(InputError, match="needs its model to be drawn"):
        g.animate(loaded)
    assert len(g.animate(loaded.with_system(run.setting.system))) == 3


def bar(*rows, pull=9.81):
    return g.System(
        "bar",
        "x y phi",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2) + v.phi**2 / 6.0,
        potential_energy=lambda q: pull * q.y,
        constraints=rows,
    )


def test_a_bar_that_rows_pin_to_the_frame_has_a_mark_beneath_its_pin_and_a_rolling_or_free_one_has_none():
    ahead = g.Holonomic("ahead", lambda q: q.x - g.cos(q.phi) - 0.5)
    above = g.Holonomic("above", lambda q: q.y - g.sin(q.phi) - 0.2)
    scene = g.animate(g.simulate(bar(ahead, above), [1.5, 0.2, 0], t_end=0.3, progress="none")).stage.scene
    assert "pin 'ahead' + 'above'" in scene.note
    assert "not drawn" not in scene.note
    mark = [part for part in scene.named("line") if part.places.shape[1] == 6]
    assert len(mark) == 1
    np.testing.assert_allclose(mark[0].places[:, 0], np.tile([0.5, 0.2], (len(scene.times), 1)), atol=1e-6)
    low, rolls = g.Holonomic("low", lambda q: q.y - 0.3), g.Holonomic("rolls", lambda q: q.x + 0.3 * q.phi)
    for rows, v in (((low, rolls), [-0.3, 0, 1]), ((), [0, 0, 1])):
        run = g.simulate(bar(*rows, pull=0.0), [0, 0.3, 0], v, t_end=0.3, progress="none")
        assert "pin" not in g.animate(run).stage.scene.note


# ---------------------------------------------------------------- forces


def arrow(film, kind="force"):
    return [part.places[:, 1] - part.places[:, 0] for part in film.stage.scene.named(kind)]


def test_the_arrow_of_a_pendulum_is_its_tension_along_the_rod(swing):
    film = g.animate(swing, forces=True)
    (shown,) = arrow(film)
    dense = swing.at(film.stage.scene.times)
    up = np.array([0.5, 0.2]) - dense.q
    tension = np.sum(dense.v**2, axis=1) + 9.81 * up[:, 1]  # N, of mass 1 and length 1
    longest = np.max(np.linalg.norm(shown, axis=1))
    np.testing.assert_allclose(shown, longest * (tension / tension.max())[:, None] * up, atol=1e-9)
    assert f"longest arrow {tension.max():.4g} N" in film.stage.scene.note


def test_the_force_of_a_hinge_in_joint_coordinates_is_weight_and_inertia():
    bar = mb.Body("bar", mb.box(2.0, (0.1, 0.1, 1.0), at=(0.0, 0.0, -0.5)))
    hinge = mb.Revolute("hinge", mb.GROUND, (0, 0, 0), bar, (0, 0, 0), axis1=(0, 1, 0), axis2=(0, 1, 0))
    swing = mb.Mechanism("swing", [bar], [hinge], coordinates="joint")
    run = g.simulate(swing, *swing.state(values={"hinge": 1.0}), t_end=0.5)
    film = g.animate(run, forces=True)
    (shown,) = arrow(film)
    angle, rate, turn = (run.at(film.stage.scene.times)[name] for name in ("hinge", "d_hinge", "dd_hinge"))
    out = np.array([-np.sin(angle), 0.0 * angle, -np.cos(angle)])  # from the hinge to the centre, 0.5 m away
    across = np.array([-np.cos(angle), 0.0 * angle, np.sin(angle)])
    force = (2.0 * (0.5 * turn * across - 0.5 * rate**2 * out) + np.array([[0.0], [0.0], [2.0 * 9.81]])).T
    size = np.linalg.norm(force, axis=1).max()
    np.testing.assert_allclose(shown / np.linalg.norm(shown, axis=1).max(), force / size, atol=1e-9)
    assert f"longest arrow {size:.4g} N" in film.stage.scene.note


def test_forces_that_a_second_rod_leaves_open_are_dashed():
    rows = [g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0), g.Holonomic("again", lambda q: q.x**2 + q.y**2 - 1.0)]
    film = g.animate(g.simulate(particle(rows=rows), [1, 0], t_end=0.2), forces=True)
    assert not arrow(film)
    assert len(arrow(film, "doubtful")) == 2
    assert "dashed: not determined" in film.stage.scene.note


def test_bands_reach_from_the_least_to_the_greatest_force_of_three_legs():
    """A beam on legs at −1, 0, 1 m: the balance of force and moment leaves m g to the middle leg and half to others."""
    places = {"left": -1.0, "mid": 0.0, "right": 1.0}
    rows = [g.Unilateral(name, lambda q, a=a: q.y + a * q.phi) for name, a in places.items()]
    beam = g.System(
        "beam",
        "x y phi",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2) + 0.4 * v.phi**2,
        potential_energy=lambda q: 10.0 * q.y,
        constraints=rows,
    )
    film = g.animate(g.simulate(beam, [0, 0, 0], [1, 0, 0], t_end=0.2, progress="none"), forces=True)
    scene = film.stage.scene
    assert len(arrow(film, "doubtful")) == 3
    assert not arrow(film)
    scale = np.max(np.linalg.norm(arrow(film, "doubtful"), axis=2)) / float(
        re.search(r"arrow ([\d.]+) N", scene.note)[1]
    )
    for part, a, most in zip(scene.named("band"), places.values(), (5.0, 10.0, 5.0), strict=True):
        np.testing.assert_allclose(part.places[:, 0], np.column_stack([scene.times + a, 0 * scene.times]), atol=1e-9)
        np.testing.assert_allclose(part.places[:, 1, 1], most * scale, rtol=1e-3)
    for stroke in scene.named("limit"):  # all ends are ends
        assert np.all(np.ptp(stroke.places[:, :, 0], axis=1) > 0.0)
    assert "pale: what it may be" in scene.note


def test_a_band_without_limits_reaches_the_frame_and_has_no_ends():
    cranks = [mb.PlanarBody(f"crank{k}", 0.5, 0.02, centre=(0.25, 0)) for k in range(3)]
    coupler = mb.PlanarBody("coupler", 2.0, 0.3, centre=(0.5, 0))
    pins = [mb.Pin(f"A{k}", mb.GROUND, (0.5 * k, 0), crank, (0, 0)) for k, crank in enumerate(cranks)]
    pins += [mb.Pin(f"B{k}", crank, (0.5, 0), coupler, (0.5 * k, 0)) for k, crank in enumerate(cranks)]
    linkage = mb.Mechanism("three cranks", [*cranks, coupler], pins)
    poses = [crank.pose((0.5 * k, 0), 1.0) for k, crank in enumerate(cranks)]
    start = linkage.state(*poses, coupler.pose((0.5 * np.cos(1.0), 0.5 * np.sin(1.0)), 0.0))
    run = g.simulate(linkage, *start, t_end=0.2, progress="none")
    scene = g.animate(run, forces=True).stage.scene
    angle = run.at(scene.times)["A0.angle"]
    assert len(scene.named("band")) == 6
    for part in scene.named("band"):  # the cranks may be under any tension, and the coupler with them
        along = part.places[:, 1] - part.places[:, 0]
        np.testing.assert_allclose(along[:, 0] * np.sin(angle), along[:, 1] * np.cos(angle), atol=1e-7)
        off = np.abs(part.places - scene.middle[:, None]) / scene.half
        np.testing.assert_allclose(np.max(off, axis=2), 1.0, atol=1e-9)
    for stroke in scene.named("limit"):
        assert not np.any(np.ptp(stroke.places, axis=1))


def test_arrows_at_joints_carry_a_hanging_rod_and_a_system_without_rows_has_none():
    rod = mb.PlanarBody("rod", 2.0, 0.1, centre=(0.5, 0))
    pin = mb.Pin("pin", mb.GROUND, (0, 0), rod, (0, 0))
    hangs = mb.Mechanism("hanging", [rod], [pin])
    film = g.animate(g.simulate(hangs, *hangs.state(rod.pose(angle=-np.pi / 2)), t_end=0.1), forces=True)
    (shown,) = arrow(film)
    np.testing.assert_allclose(shown[:, 0], 0.0, atol=1e-9)
    assert np.all(shown[:, 1] > 0.0)
    assert "longest arrow 19.62 N" in film.stage.scene.note
    with pytest.raises(InputError, match="no joints or rows on points"):
        g.animate(g.simulate(particle(), [0, 0], t_end=0.1), forces=True)
