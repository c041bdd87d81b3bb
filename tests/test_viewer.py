"""The view in the browser shows the points of the bodies; with viser installed, it is served and ends for real."""

from __future__ import annotations

import base64
import http.client
import importlib
import importlib.util
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest
import typer
from numpy.testing import assert_allclose

import gauss as g
from gauss import bodies as mb
from gauss import cli
from gauss.errors import InputError
from gauss.geometry import Ball, Points, Polygon, Polyline, at_quaternion
from gauss.show import film
from gauss.show.film import viewer

rng = np.random.default_rng(11)
real = pytest.mark.skipif(importlib.util.find_spec("viser") is None, reason="needs viser")


@pytest.fixture(scope="module")
def tumbling():
    """A body, a rod and a particle in space, the particle on a spring, and their run over 1 s."""
    body = mb.Body("b", mb.box(2.0, (0.5, 0.3, 0.2), at=(0.1, 0.0, 0.0)))
    rod = mb.Rod("r", mb.rod(1.0, (0, -0.4, 0), (0, 0.6, 0)))
    bead = mb.Particle("p", 0.5)
    spring = mb.Spring("s", body, (0.1, 0.2, 0.0), bead, (0, 0, 0), stiffness=3.0, length=0.5)
    mechanism = mb.Mechanism("three", [body, rod, bead], forces=[spring], gravity=(0, 0, -1.0))
    state = mechanism.state(
        body.pose((0.3, 0.1, 0.2), mb.about((1, 2, 3), 0.8), (0.2, 0, 0.4), (1.0, 3.0, -2.0)),
        rod.pose((1.0, 0, 0), (0.2, -0.9, 0.3), angular_velocity=(2.0, 0.5, 0.0)),
        bead.pose((0, 1.0, 0), (0, 0, 1.0)),
    )
    return mechanism, g.simulate(mechanism.system, *state, t_end=1.0)


@pytest.fixture(scope="module")
def swinging():
    """A planar pendulum with its pivot at (0.5, 0.2), and its run over 1 s."""
    bar = mb.PlanarBody("bar", 1.0, 0.1, (0.3, 0.0))
    pin = mb.Pin("pin", mb.GROUND, (0.5, 0.2), bar, (0, 0))
    mechanism = mb.Mechanism("pendulum", [bar], [pin])
    return mechanism, g.simulate(mechanism.system, *mechanism.state(bar.pose((0.5, 0.2), angle=0.3)), t_end=1.0)


def turned(q, p):
    """q p q* by the table of Hamilton's product, for one quaternion (4,) and points (k, 3)."""

    def product(a, b):
        w = a[..., 0] * b[..., 0] - np.sum(a[..., 1:] * b[..., 1:], axis=-1)
        u = a[..., :1] * b[..., 1:] + b[..., :1] * a[..., 1:] + np.cross(a[..., 1:], b[..., 1:])
        return np.concatenate([w[..., None], u], axis=-1)

    pure = np.column_stack([np.zeros(len(p)), p])
    return product(product(np.tile(q, (len(p), 1)), pure), np.tile(q * [1, -1, -1, -1], (len(p), 1)))[:, 1:]


# ---------------------------------------------------------------- what is shown, without viser


def test_solids_are_where_their_bodies_are(tumbling):
    mechanism, run = tumbling
    body, rod, bead = mechanism.bodies
    at = rng.normal(size=(5, 3))
    pieces = film.pieces_of(run, mb.Drawing(mechanism, shapes={body: Points(at)}))
    assert [solid.name for solid in pieces.solids] == ["/bodies/b", "/bodies/r", "/bodies/p"]
    of_body, of_rod, of_bead = pieces.solids
    ends = of_rod.segments.reshape(-1, 3)
    for k in (0, len(run) // 2, len(run) - 1):
        for solid, owner, points in ((of_body, body, at), (of_rod, rod, ends), (of_bead, bead, of_bead.dots)):
            shown = solid.origin[k] + turned(solid.turn[k], points)
            placed = [np.array(owner.placed(run).point(tuple(p))).reshape(3, -1) for p in points]
            expected = [p[:, k] for p in placed]
            assert_allclose(shown, expected, atol=1e-9)  # R has the error of its rows, up to 1e-10
            assert_allclose(solid.places(np.array([k]))[0], shown, atol=1e-14)
    assert_allclose(sorted(ends[:, 1]), [-0.4, 0.6], atol=1e-12)


def test_the_box_of_a_body_is_twelve_triangles_with_its_area(tumbling):
    mechanism, run = tumbling
    corners = film.pieces_of(run, mb.Drawing(mechanism)).solids[0].corners[0].reshape(-1, 3, 3)
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2.0
    assert len(corners) == 12
    assert_allclose(np.sum(area), 2.0 * (0.5 * 0.3 + 0.3 * 0.2 + 0.5 * 0.2), rtol=1e-12)
    assert_allclose(np.min(corners, axis=(0, 1)), [0.1 - 0.25, -0.15, -0.1], atol=1e-12)
    assert_allclose(np.max(corners, axis=(0, 1)), [0.1 + 0.25, 0.15, 0.1], atol=1e-12)


def test_springs_and_traces_join_the_points_of_the_bodies(tumbling):
    mechanism, run = tumbling
    body, _, bead = mechanism.bodies
    pieces = film.pieces_of(run, mb.Drawing(mechanism, traces=[(body, (0.3, 0.0, 0.1))]))
    (spring,), (trace,) = ([p for p in pieces.parts if p.kind == kind] for kind in ("spring", "trace"))
    assert_allclose(spring.places[:, 0], np.array(body.placed(run).point((0.1, 0.2, 0.0))).T, atol=1e-14)
    assert_allclose(spring.places[:, 1], np.array(bead.placed(run).origin).T, atol=1e-14)
    assert_allclose(trace.places[:, 0], np.array(body.placed(run).point((0.3, 0.0, 0.1))).T, atol=1e-14)


def test_a_motion_in_the_plane_lies_in_the_plane_z_0_and_turns_by_its_angle(swinging):
    mechanism, run = swinging
    pieces = film.pieces_of(run, mb.Drawing(mechanism))
    (bar,) = pieces.solids
    assert pieces.flat
    tip = bar.origin + np.array([turned(q, np.array([[0.3, 0.0, 0.0]]))[0] for q in bar.turn])
    x, y = mechanism.bodies[0].placed(run).point((0.3, 0.0))
    assert_allclose(tip, np.column_stack([x, y, np.zeros(len(run))]), atol=1e-9)
    (pin,) = (part for part in pieces.parts if part.kind == "joint")
    assert_allclose(pin.places[:, 0], np.tile([0.5, 0.2, 0.0], (len(run), 1)), atol=1e-9)


def test_shapes_that_are_placed_the_ground_and_planes_are_shown_without_a_mechanism(tumbling):
    _, run = tumbling
    q = np.array([0.5, -0.1, 0.7, 0.5]) / np.sqrt(0.25 + 0.01 + 0.49 + 0.25)

    def where(c):
        return at_quaternion((c["p_x"], c["p_y"], c["p_z"]), q)

    drawing = mb.Drawing(placed=[(Ball(0.2), where)], shapes={mb.GROUND: Polyline([(0, 0, 0), (1, 0, 0)])},
                         planes=[((0, 0, -1), (0, 3, 4))])  # fmt: skip
    pieces = film.pieces_of(run, drawing)
    ground, ball = pieces.solids
    assert (ground.name, ball.name) == ("/ground", "/placed/0")
    assert_allclose(ball.origin, run.q[:, -3:], atol=1e-15)
    assert_allclose(np.abs(ball.turn @ q), 1.0, atol=1e-12)  # q and −q are one turn
    assert_allclose(ground.origin, 0.0)
    assert_allclose(pieces.planes[0].normal, np.tile([0, 0.6, 0.8], (len(run), 1)))
    assert min(len(corners) for corners in ball.corners) > 0  # both tones


@pytest.mark.parametrize("last", [(0, 0, -1), (0.1, 0, 1)])
def test_axes_that_are_no_rotation_are_refused(tumbling, last):
    placed = mb.Placed((0.0, 0.0, 0.0), ((1, 0, 0), (0, 1, 0), last))
    with pytest.raises(InputError, match="rotation"):
        film.pieces_of(tumbling[1], mb.Drawing(placed=[(Ball(0.2), lambda c: placed)]))


def test_what_is_followed_stays_and_everything_is_within_the_radius(tumbling):
    mechanism, run = tumbling
    body = mechanism.bodies[0]
    pieces = film.pieces_of(run, mb.Drawing(mechanism, follow=body))
    assert_allclose(pieces.shift, np.array(body.placed(run).origin).T, atol=1e-15)
    pieces = film.pieces_of(run, mb.Drawing(mechanism))
    every = np.concatenate([s.places(np.arange(len(run))).reshape(-1, 3) for s in pieces.solids])
    distance = np.max(np.linalg.norm(every - pieces.middle, axis=1))
    assert 0.5 * pieces.radius < distance < 1.05 * pieces.radius


@pytest.mark.long
def test_states_are_equally_spaced_from_start_to_end_and_at_most_3000(tumbling):
    mechanism, run = tumbling
    drawing = mb.Drawing(mechanism)
    shown = film.shown_states(run, drawing, 0.3)
    assert_allclose(shown.t, np.linspace(0.0, 1.0, 85), atol=1e-15)  # 1 s · 25 / 0.3 = 83.3
    assert len(film.shown_states(run, drawing, 0.009)) == 2779
    many = film.shown_states(run.at([0.0, 1e-3]).with_system(mechanism.system), drawing, 1e-6)
    assert (len(many), many.t[-1]) == (3000, 1e-3)
    assert len(film.shown_states(run.at([0.5]), drawing, 1.0)) == 1


def test_triangles_fill_a_re_entrant_polygon_in_any_plane():
    angles = np.sort(rng.uniform(0, 2 * np.pi, 17))
    radii = rng.uniform(0.2, 1.0, 17)
    flat = radii[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    x, y = flat.T
    shoelace = 0.5 * abs(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))
    R = mb.about((1, -2, 0.5), 1.1)
    for face in (flat, flat[::-1]):
        made = film.triangles(np.column_stack([face, np.zeros(17)]) @ R.T + [3, 4, 5])
        cross = np.cross(made[:, 1] - made[:, 0], made[:, 2] - made[:, 0]) / 2.0
        assert len(made) == 15
        assert_allclose(np.sum(np.linalg.norm(cross, axis=1)), shoelace, rtol=1e-12)  # so none overlap or stick out


def test_a_face_without_area_becomes_a_line(tumbling):
    mechanism, run = tumbling
    body = mechanism.bodies[0]
    flat = Polygon([(0, 0, 0), (1, 0, 0), (2, 0, 0)])
    solid = film.pieces_of(run, mb.Drawing(mechanism, shapes={body: flat})).solids[0]
    assert sum(map(len, solid.corners)) == 0
    assert_allclose(solid.segments, [[[0, 0, 0], [1, 0, 0]], [[1, 0, 0], [2, 0, 0]], [[2, 0, 0], [0, 0, 0]]])


def test_shortest_turns_take_the_z_axis_to_the_directions():
    n = np.vstack([rng.normal(size=(9, 3)), [[0, 0, -2.0], [0, 0, 1.0]]])
    z = np.array([[0.0, 0.0, 1.0]])
    shown = np.array([turned(q, z)[0] for q in film.toward(n)])
    assert_allclose(shown, n / np.linalg.norm(n, axis=1, keepdims=True), atol=1e-12)


# ---------------------------------------------------------------- errors


def test_without_viser_one_error_says_how_to_install_it(swinging, monkeypatch):
    monkeypatch.setitem(sys.modules, "viser", None)
    with pytest.raises(InputError, match=r"which cannot be loaded|which is not installed") as caught:
        viewer.view(swinging[1], swinging[0])
    assert "pip install viser (or gauss-dynamics[viewer])" in str(caught.value)
    assert caught.value.__suppress_context__


def test_a_viser_that_cannot_be_loaded_says_why(monkeypatch):
    def fails(name):
        raise ModuleNotFoundError("No module named 'zstandard'", name="zstandard")

    monkeypatch.setattr(importlib, "import_module", fails)
    with pytest.raises(InputError, match=r"cannot be loaded .*zstandard"):
        viewer.require_viser()


@pytest.mark.long
def test_importing_gauss_loads_no_viser():
    code = "import sys, gauss, gauss.show.film.viewer; sys.exit('viser' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"speed": 0.0}, "speed"),
        ({"port": 70000}, "port must be a whole number from 0 to 65535"),
        ({"port": True}, "port must be"),
        ({"host": 5}, "host must be"),
        ({"host": "no.such.host.invalid"}, "cannot serve the view on host"),
    ],
)
def test_bad_options_give_one_clear_error(swinging, pretended, options, words):
    with pytest.raises(InputError, match=words):
        viewer.view(swinging[1], swinging[0], **options)
    assert not pretended.servers


def test_what_is_no_run_of_the_mechanism_is_refused(swinging, tumbling, pretended):
    with pytest.raises(InputError, match=r"a view needs a run of gauss\.simulate, got a str"):
        viewer.view("run", swinging[0])
    with pytest.raises(InputError, match="not those of the mechanism"):
        viewer.view(swinging[1], tumbling[0])
    bead = mb.Particle("p", 1.0)
    lonely = mb.Mechanism("bead", [bead])
    run = g.simulate(lonely.system, *lonely.state(bead.pose((0, 0, 0))), t_end=0.1)
    with pytest.raises(InputError, match="there is nothing to show"):
        viewer.view(run, mb.Drawing(lonely, shapes={bead: []}))
    assert not pretended.servers


def test_a_port_that_is_taken_is_refused(swinging, pretended):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"cannot serve the view on port {port}"):
            viewer.view(swinging[1], swinging[0], port=port)


# ---------------------------------------------------------------- with a pretended server


class Anything(SimpleNamespace):
    """A node or a control: it keeps what it is given, and calls back when its value changes."""

    def on_update(self, call):
        self.call = call

    def __setattr__(self, name, value):
        changed = name == "value" and getattr(self, "value", None) != value
        super().__setattr__(name, value)
        if changed and hasattr(self, "call"):
            self.call(self)


class Server:
    """As much of viser's server as the view calls; it records what is sent."""

    def __init__(self, host, port, verbose):
        self.port, self.stopped, self.sent, self.controls = port, 0, {}, {}
        self.scene = self.gui = self
        self.initial_camera = Anything()

    def get_port(self):
        return self.port

    def atomic(self):
        return threading.Lock()

    def set_up_direction(self, up):
        self.up = up

    def configure_theme(self, show_share_button):
        self.shared = show_share_button

    def stop(self):
        self.stopped += 1

    def node(self, name, *given, **options):
        assert name not in self.sent
        self.sent[name] = node = Anything(given=given, **options)
        return node

    add_frame = add_mesh_simple = add_line_segments = add_point_cloud = node

    def add_slider(self, label, low, high, step, value):
        self.controls[label] = Anything(low=low, high=high, step=step, value=value)
        return self.controls[label]

    add_grid = node

    def add_markdown(self, content):
        return Anything(content=content)

    def add_checkbox(self, label, value):
        return self.add_slider(label, None, None, None, value)

    def add_number(self, label, value, min, step):
        return self.add_slider(label, min, None, step, value)


@pytest.fixture
def pretended(monkeypatch):
    made = []

    def server(host, port, verbose):
        made.append(Server(host, port, verbose))
        return made[-1]

    monkeypatch.setitem(sys.modules, "viser", SimpleNamespace(ViserServer=server, servers=made))
    return sys.modules["viser"]


def test_the_slider_moves_the_bodies_and_the_time(tumbling, pretended):
    mechanism, run = tumbling
    with viewer.view(run, mechanism) as shown:
        (server,) = pretended.servers
        shown.pause()
        slider = server.controls["time / s"]
        assert (slider.low, slider.high, slider.step) == (0.0, 1.0, pytest.approx(0.04))
        slider.value = 0.6000001
        assert shown.time == pytest.approx(0.6)
        expected = np.array(mechanism.bodies[0].placed(run.at([0.6])).origin)[:, 0]
        assert_allclose(server.sent["/bodies/b"].position, expected, atol=1e-12)
        assert_allclose(server.sent["/spring/0"].points[0, 1], run.at([0.6]).q[0, -3:], atol=1e-6)  # float32
        shown.show(5.0)
        assert (shown.time, slider.value) == (1.0, 1.0)
    assert server.stopped == 1
    shown.stop()
    shown.show(0.0)
    assert server.stopped == 1
    assert_allclose(slider.value, 1.0)


def awaited(condition):
    """Whether a condition comes true within ten seconds."""
    deadline = time.monotonic() + 10.0
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    return condition()


def test_playing_advances_by_the_clock_times_the_speed_and_starts_again(tumbling, pretended):
    mechanism, run = tumbling
    with viewer.view(run, mechanism, speed=0.5) as shown:
        shown.pause()
        (server,) = pretended.servers
        server.controls["speed"].value = 0.05
        shown.show(0.1)
        began = time.monotonic()
        server.controls["play"].value = True
        assert awaited(lambda: shown.time > 0.1)
        server.controls["play"].value = False
        assert not shown.playing
        stood = shown.time
        assert stood - 0.1 <= 0.05 * (time.monotonic() - began) + 1e-12
        time.sleep(0.1)
        assert shown.time == stood
        server.controls["speed"].value = 2.0
        shown.show(0.9)
        shown.play()
        assert awaited(lambda: shown.time < 0.9)


def test_one_state_is_shown_without_a_slider(swinging, pretended):
    mechanism, run = swinging
    with viewer.view(run.at([0.5]), mechanism):
        assert "time / s" not in pretended.servers[0].controls


def test_a_followed_body_does_not_move_and_its_trace_does(tumbling, pretended):
    mechanism, run = tumbling
    body = mechanism.bodies[0]
    with viewer.view(run, mb.Drawing(mechanism, follow=body, traces=[(body, (0, 0, 0))])) as shown:
        shown.pause()
        shown.show(0.8)
        sent = pretended.servers[0].sent
        assert_allclose(sent["/bodies/b"].position, 0.0, atol=1e-14)
        assert_allclose(sent["/trace/0"].position, -run.at([0.8]).q[0, :3], atol=1e-12)


def test_a_plane_is_where_it_is_and_the_camera_looks_at_the_middle_from_the_view(tumbling, pretended):
    mechanism, run = tumbling
    drawing = mb.Drawing(mechanism, planes=[((0, 0, -1), (0, 3, 4))], view=(30.0, 90.0), up=(0, 0, 1))
    with viewer.view(run, drawing) as shown:
        shown.pause()
        (server,) = pretended.servers
        sheet, camera = server.sent["/plane/0"], server.initial_camera
        assert_allclose(turned(sheet.wxyz, np.array([[0, 0, 1.0]]))[0], [0, 0.6, 0.8], atol=1e-12)
        assert_allclose((sheet.position - [0, 0, -1]) @ [0, 0.6, 0.8], 0.0, atol=1e-12)
        sight = camera.position - camera.look_at
        assert_allclose(camera.look_at, shown.pieces.middle)
        assert_allclose(sight / np.linalg.norm(sight), [0, np.sqrt(0.75), 0.5], atol=1e-12)
        assert np.linalg.norm(sight) * np.sin(camera.fov / 2) > shown.pieces.radius  # so the whole ball is seen
        assert server.up == (0.0, 0.0, 1.0)


def test_a_motion_in_the_plane_is_seen_from_in_front(swinging, pretended):
    with viewer.view(swinging[1], swinging[0]):
        (server,) = pretended.servers
        sight = server.initial_camera.position - server.initial_camera.look_at
        assert_allclose(sight[:2], 0.0, atol=1e-12)
        assert sight[2] > 0.0
        assert server.up == (0.0, 1.0, 0.0)
        assert server.shared is False


def test_a_server_that_fails_on_the_way_is_stopped(swinging, pretended, monkeypatch):
    def fails(self, *given, **options):
        raise RuntimeError("no")

    monkeypatch.setattr(Server, "add_checkbox", fails)
    with pytest.raises(RuntimeError, match="no"):
        viewer.view(swinging[1], swinging[0])
    assert pretended.servers[0].stopped == 1


MODEL = """
import gauss as g
from gauss import bodies as mb
bead = mb.Particle("p", 1.0)
fall = mb.Mechanism("fall", [bead])
system = fall.system
start = g.Start(*fall.state(bead.pose((0, 0, 1))), t_end=0.4)
drawing = mb.Drawing(fall)
"""


def test_the_command_shows_a_model_file_until_ctrl_c(tmp_path, pretended, monkeypatch, capsys):
    path = tmp_path / "falling.py"
    path.write_text(MODEL)

    waited: list[viewer.Viewer] = []
    monkeypatch.setattr(viewer.Viewer, "wait", lambda self: waited.append(self))
    with pytest.raises(typer.Exit) as ended:
        cli.view(str(path), speed=0.1)
    assert ended.value.exit_code == 0
    (shown,) = waited
    assert len(shown.pieces.times) == 101  # 0.4 s · 25 / 0.1
    assert shown.url in capsys.readouterr().out
    assert pretended.servers[0].stopped == 1


@real
def test_the_command_writes_a_page_and_ends(tmp_path, capsys):
    path = tmp_path / "falling.py"
    path.write_text(MODEL)
    with pytest.raises(typer.Exit) as ended:
        cli.view(str(path), page=tmp_path / "falling.html", port=0)
    assert ended.value.exit_code == 0
    assert "__VISER_EMBED_DATA__" in (tmp_path / "falling.html").read_text(encoding="utf-8")
    assert "falling.html" in capsys.readouterr().out


def test_the_command_asks_for_viser_before_anything_else(monkeypatch):
    monkeypatch.setitem(sys.modules, "viser", None)
    with pytest.raises(InputError, match="pip install viser"):
        cli.view("no_such_scenario")


def test_ctrl_c_while_waiting_stops_the_view(swinging, pretended, monkeypatch):
    shown = viewer.view(swinging[1], swinging[0])

    def pressed(timeout):
        raise KeyboardInterrupt

    ended = SimpleNamespace(wait=pressed, is_set=shown._ended.is_set, set=shown._ended.set)
    monkeypatch.setattr(shown, "_ended", ended)
    shown.wait()
    assert pretended.servers[0].stopped == 1


# ---------------------------------------------------------------- with viser


def status(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status
    finally:
        connection.close()


@real
def test_viser_serves_the_page_holds_the_poses_and_frees_its_port(tumbling):
    mechanism, run = tumbling
    body = mechanism.bodies[0]
    shown = viewer.view(run, mechanism, port=0)
    try:
        assert status(shown.port) == 200
        assert shown.url == f"http://127.0.0.1:{shown.port}"
        shown.pause()
        for t in (0.2, 0.8):
            shown.show(t)
            node = shown.nodes["/bodies/b"]
            placed = body.placed(run.at([t]))
            at = np.array([[0.2, -0.1, 0.3]])
            expected = np.array(placed.point(tuple(at[0])))[:, 0]
            # viser leaves a change below 1e-8 + 1e-5 of the value unsent
            assert_allclose(np.array(node.position) + turned(np.array(node.wxyz), at)[0], expected, atol=3e-5)
    finally:
        shown.stop()
    with pytest.raises(OSError):
        status(shown.port)
    with socket.create_server(("127.0.0.1", shown.port)):
        pass


@real
def test_a_view_is_recorded_as_one_page_with_its_nodes_and_all_its_times(tumbling, tmp_path):
    mechanism, run = tumbling
    with viewer.view(run, mechanism, speed=0.5, port=0) as shown:
        shown.pause()
        shown.show(0.4)
        path = shown.save(tmp_path / "motion.html")
        assert shown.time == pytest.approx(0.4)
        page = path.read_text(encoding="utf-8")
        inline = shown._repr_html_()
        with pytest.raises(InputError, match=r"saved as \.html, got 'motion\.gif'"):
            shown.save(tmp_path / "motion.gif")
    assert inline.startswith("<iframe srcdoc=")
    assert '"' not in inline.split('srcdoc="')[1].split('" width=')[0]
    with pytest.raises(InputError, match="the view has ended"):
        shown.save(tmp_path / "motion.html")
    assert "energy " + f"{run.energy[0]:.6g} J, since the start +0 J" in page
    panel = json.loads(re.search(r'= (\{"at".*\}), shown', page)[1])  # what the page shows from which of its times
    assert len(panel["at"]) == len(panel["text"]) >= 50
    assert panel["at"][-1] == pytest.approx(2.0)
    assert panel["text"][-1].startswith(f"t = {run.t[-1]:.5g} s\n")
    assert "the end time was reached" in page.split('id="gauss-panel"')[1]
    msgspec, zstandard = (importlib.import_module(name) for name in ("msgspec", "zstandard"))
    data = base64.b64decode(page.split('__VISER_EMBED_DATA__="')[1].split('"')[0])
    inner = zstandard.ZstdDecompressor().decompressobj().decompress(data[8:])
    length = int.from_bytes(inner[:8], "little")
    told = msgspec.msgpack.decode(inner[8 : 8 + length])
    assert told["durationSeconds"] == pytest.approx(2.0)  # 1 s at half speed
    messages = [message for _, message in told["messages"]]
    names = {message.get("name") for message in messages}
    assert {"/bodies/b", "/bodies/b/tone0", "/bodies/r/lines", "/bodies/p/dots", "/spring/0", "/grid"} <= names
    places = [m["position"] for m in messages if m.get("name") == "/bodies/p" and m["type"] == "SetPositionMessage"]
    assert len(places) >= 50
    assert_allclose(places[-1], run.q[-1, -3:], atol=3e-5)


def test_surfaces_are_smooth_where_they_are_round_and_sharp_at_edges():
    def cornered(shape):
        faces = shape.outline(3).faces
        return np.concatenate([film.triangles(face).reshape(-1, 3) for face in faces])

    vertices, faces = film.smoothed(cornered(mb.shapes.Box((1, 2, 3))))
    assert (len(vertices), len(faces)) == (24, 12)  # four to a side: no edge is smoothed
    corners = cornered(Ball(0.5))
    vertices, faces = film.smoothed(corners)
    assert len(vertices) < 1.2 * len(np.unique(np.round(corners, 9), axis=0))
    assert_allclose(vertices[faces].reshape(-1, 3), corners, atol=1e-9)


@pytest.mark.long
@real
def test_ctrl_c_ends_the_command_and_its_view(tmp_path):
    path = tmp_path / "falling.py"
    path.write_text(MODEL)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "gauss", "view", str(path), "--port", str(port)]
    running = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # tests in the background ignore it
    )
    try:
        assert running.stdout is not None
        assert any(line == f"view  http://127.0.0.1:{port}  (Ctrl-C ends it)\n" for line in running.stdout)
        assert status(port) == 200
        time.sleep(2.0)  # until it waits, on a busy machine too
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=60)
    finally:
        running.kill()
        running.communicate()
    assert running.returncode == 0, err
    assert "Traceback" not in err
