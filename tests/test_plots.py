"""Figures: what `plot` draws fits the motion, with units, in given axes, and without losing extremes."""

from __future__ import annotations

import re

import numpy as np
import pytest
from matplotlib.figure import Figure
from proofs import whole

import gauss as g
from gauss import bodies as mb
from gauss.show import overview, tidy


def spring(units=None, damping=0.0):
    return g.System(
        "spring",
        coordinates="x y",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
        potential_energy=lambda q: 0.5 * 400.0 * q.x**2 + 0.5 * q.y**2,
        force=lambda v: [-damping * v.x, 0.0],
        units=units,
    )


def pendulum():
    return g.System(
        "pendulum",
        coordinates="x y",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
        potential_energy=lambda q: 9.81 * q.y,
        constraints=[g.Holonomic("rod", lambda q: g.hypot(q.x, q.y) - 1.0)],
        units={"x": "m", "y": "m", "rod": "m"},
    )


@pytest.fixture(scope="module")
def run():
    return g.simulate(pendulum(), [1, 0], t_end=1.0)


def test_one_panel_for_each_unit():
    run = g.simulate(spring({"x": "m", "y": "rad"}), [1, 0.5], t_end=0.5)
    figure = g.plot(run, "t", "x", "y", "d_x")
    assert [axes.get_ylabel() for axes in figure.axes] == ["$x$ / m", "$y$ / rad", r"$\dot x$ / (m/s)"]
    assert [axes.get_ylabel() for axes in g.plot(run, "t", "y", "d_y", degrees=True).axes] == [
        *("$y$ / deg", r"$\dot y$ / (deg/s)"),
    ]
    (axes,) = g.plot(run, "x", "y").axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("$x$ / m", "$y$ / rad")


def test_degrees_are_drawn_in_degrees():
    run = g.simulate(spring({"x": "m", "y": "rad"}), [1, 0.5], t_end=0.5)
    drawn = g.plot(run, "t", "y", degrees=True).axes[0].lines[0].get_ydata()
    assert np.max(drawn) == np.rad2deg(0.5)
    with pytest.raises(g.errors.InputError, match='unit "rad"'):
        g.plot(run, "t", "x", degrees=True)


def test_without_units_none_is_shown():
    run = g.simulate(spring(), [1, 0.5], t_end=0.5)
    assert [axes.get_ylabel() for axes in g.plot(run).axes] == ["$x$, $y$"]


def test_no_panel_is_empty(run):
    free = g.simulate(spring({"x": "m", "y": "m"}), [1, 0.5], t_end=0.5)
    assert [axes.get_ylabel() for axes in g.plot(free).axes] == ["$x$, $y$ / m"]
    assert [axes.get_ylabel() for axes in g.plot(run).axes] == ["$x$, $y$ / m", "λ (rod) / N"]
    assert all(axes.lines for axes in g.plot(run).axes)


def test_a_picture_in_a_notebook_has_words_in_its_place(run):
    words = g.plot(run)._repr_png_()[1]["alt"]
    assert words == f"{run.about.system}: x, y / m, λ (rod) / N against t / s"


def test_given_axes_are_drawn_into(run):
    figure = Figure()
    axes = figure.subplots(2, 1)
    assert g.plot(run, "x", "y", ax=axes[0]) is figure
    assert len(axes[0].lines) == 1
    assert not axes[1].lines
    assert g.plot(run, "t", "x", "rod", ax=axes) is figure
    with pytest.raises(g.errors.InputError, match=r"2 panels.*'m', 'N'"):
        g.plot(run, "t", "x", "rod", ax=axes[0])
    with pytest.raises(g.errors.InputError, match="must be matplotlib axes"):
        g.plot(run, "x", "y", ax="here")


def test_several_motions_have_dashes_of_their_own_and_no_title_where_their_systems_differ(run):
    name = run.about.coordinates[0]
    (axes,) = g.plot([run, run], name).axes
    drawn = [line.get_linestyle() for line in axes.lines if len(line.get_xdata())]
    assert len(drawn) == len(set(drawn)) == 2
    assert axes.get_title()
    other = g.System("another", name, kinetic_energy=lambda v: 0.5 * v[name] ** 2)
    (axes,) = g.plot({"one": run, "two": g.simulate(other, [1.0], t_end=0.1)}, name).axes
    assert axes.get_title() == ""


def test_several_motions_are_told_apart(run):
    other = g.simulate(pendulum(), [0.5, -np.sqrt(0.75)], t_end=1.0)
    for runs, labels in ({"far": run, "near": other}, ["far", "near"]), ([run, other], ["1", "2"]):
        for names in (("x", "y"), ("x",)):
            axes = g.plot(runs, *names).axes[0]
            assert [text.get_text() for text in axes.get_legend().get_texts()] == labels
            colours = [line.get_color() for line in axes.lines if len(line.get_xdata())]
            assert len(set(colours)) == 2


@pytest.mark.parametrize("names", [("x",), ("x", "y"), ("t", "x", "y")])
def test_more_motions_than_colours_are_told_apart(run, names):
    axes = g.plot([run] * 9, *names).axes[0]
    looks = [(*look(line), line.get_marker()) for line in axes.lines if len(line.get_xdata())]
    assert len(set(looks)) == len(looks) == 9 * (2 if names[0] == "t" else 1)
    told = [(line.get_color(), line.get_linestyle(), line.get_marker()) for line in axes.get_legend().get_lines()]
    assert len(set(told[:9])) == 9


@pytest.mark.long
def test_a_legend_of_branches_says_how_each_leaves():
    lines = g.Holonomic("lines", lambda q: q.x * q.y)
    bead = g.System("bead", "x y", mass_matrix=[[1, 0], [0, 1]], force=[1.0, 2.0], constraints=[lines])
    tree = g.simulate(bead, [0.0, 0.0], t_end=0.1, branches="all", progress="none")
    words = [text.get_text() for text in g.plot(tree, "x", "y").axes[0].get_legend().get_texts()]
    assert words == ["1: x'' = 0, y'' = 2", "2: x'' = 1, y'' = 0"]


def test_forces_that_grow_at_a_singular_position_leave_the_scale_to_the_others():
    cone = whole("cone_apex").system
    run = g.simulate(cone, [-0.3, -0.4, -0.5], [3.0, 4.0, 5.0], t_end=0.3)  # the force of the apex is a pole, 1/t
    places, forces = g.plot(run).axes
    line = max(forces.lines, key=lambda line: len(line.get_xdata()))
    values = line.get_ydata()
    assert np.nanmax(np.abs(values)) > 100.0 * max(map(abs, forces.get_ylim()))
    assert np.isnan(values[np.argmin(np.abs(line.get_xdata() - run.events[0].t))])  # no line from pole to pole
    assert "(more at singular positions)" in [text.get_text() for text in forces.get_legend().get_texts()]
    assert not any(np.isnan(line.get_ydata()).any() for line in places.lines)


@pytest.mark.parametrize("wrong", [3, "run", [], {"a": 1}, [None]])
def test_what_is_no_motion_is_refused(wrong):
    with pytest.raises(g.errors.InputError, match="plot draws a Trajectory"):
        g.plot(wrong, "x")


def test_unknown_names_are_refused(run):
    with pytest.raises(g.errors.InputError, match="has no 'z'"):
        g.plot(run, "x", "z")
    with pytest.raises(g.errors.InputError, match="one by one, as plot"):
        g.plot(run, ["x", "y"])


def test_a_curve_that_stays_is_drawn_at_its_value_and_says_how_far_it_changes():
    """Energy that is conserved but for rounding; numbers beside it would be those of the rounding."""
    run = g.simulate(pendulum(), [1, 0], [0, 2], t_end=1.0)
    (axes,) = g.plot(run, "energy").axes
    low, high = axes.get_ylim()
    assert (low < 0.98 * 2.0, high > 1.02 * 2.0, axes.yaxis.get_offset_text().get_text()) == (True, True, "")
    (text,) = axes.texts
    assert re.fullmatch(r"constant to \de-1\d J", text.get_text())


def test_what_is_zero_but_for_rounding_has_no_panel_and_no_scale_of_its_own():
    """A slide that a force of 1e-17 N moves by 5e-18 m beside a swing of 1 rad."""
    slide = g.System(
        "slide", "phi s", mass_matrix=np.eye(2), force=lambda q: [-q.phi, 1e-17], units={"phi": "rad", "s": "m"}
    )
    run = g.simulate(slide, [1.0, 0.0], t_end=1.0)
    assert 0.0 < np.max(np.abs(run["s"])) < 1e-17
    (axes,) = g.plot(run).axes
    assert axes.get_ylabel() == r"$\phi$ / rad"
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["zero: 1 values / m"]
    (axes,) = g.plot(run, "t", "s").axes
    assert min(np.abs(axes.get_ylim())) > 1e-3
    (axes,) = g.plot(g.simulate(slide, [0.0, 0.0], t_end=1.0)).axes
    assert max(np.abs(axes.get_ylim())) < 1e-17  # there that force alone moves anything
    resting = g.simulate(
        g.System("rest", "phi s", mass_matrix=np.eye(2), units={"phi": "rad", "s": "m"}), [0, 0], t_end=1
    )
    assert [axes.get_ylabel() for axes in g.plot(resting).axes] == [r"$\phi$ / rad", "$s$ / m"]  # there is nothing else


def test_several_curves_that_stay_at_one_value_are_drawn_there():
    fingers = g.System("fingers", "x y", mass_matrix=np.eye(2), force=[1e-15, 3e-15], units={"x": "m", "y": "m"})
    run = g.simulate(fingers, [0.3, 0.3], t_end=1.0)
    (axes,) = g.plot(run).axes
    assert 0.0 < np.ptp([run["x"], run["y"]]) < 1e-14
    assert axes.get_ylim() == pytest.approx((0.285, 0.315))
    assert re.fullmatch(r"constant to \de-1\d m", axes.texts[0].get_text())


def test_curves_that_move_are_drawn_before_those_that_stay():
    names = [f"x{k}" for k in range(20)]
    many = g.System(
        "many", names, mass_matrix=np.eye(20), force=[0.0] * 18 + [1.0] * 2, units=dict.fromkeys(names, "m")
    )
    axes = g.plot(g.simulate(many, np.arange(20.0), t_end=1.0)).axes[0]
    assert [text.get_text() for text in axes.get_legend().get_texts()][:3] == ["$x_{18}$", "$x_{19}$", "$x_{0}$"]


@pytest.mark.long
def test_a_fast_oscillation_is_a_band_that_keeps_every_extreme():
    run = g.simulate(spring(damping=0.02), [1, 0.5], t_end=300.0)
    assert len(run) > 9000
    (axes,) = g.plot(run, "t", "x").axes
    high, low = (axes.lines[k].get_xydata() for k in (0, 1))
    width = 0.5001 * np.max(np.diff(high[:, 0]))
    column = np.abs(run.t[:, None] - high[None, :, 0]) <= width
    assert np.all(np.any(column & (run["x"][:, None] <= high[None, :, 1]), axis=1))
    assert np.all(np.any(column & (run["x"][:, None] >= low[None, :, 1]), axis=1))
    envelope = np.exp(-0.01 * high[:, 0])  # ẍ = −400 x − 0.02 ẋ
    assert np.max(np.abs(high[:, 1] / envelope - 1.0)) < 0.02
    assert np.max(np.abs(low[:, 1] / envelope + 1.0)) < 0.02
    assert len(high) < 1500
    assert len(axes.collections) == 1


def test_a_slow_motion_is_a_line():
    (axes,) = g.plot(g.simulate(spring(), [0.0, 0.5], t_end=10.0), "t", "y").axes
    assert not axes.collections
    assert len(axes.lines) == 1


def test_a_legend_says_how_many_are_left_out():
    names = [f"x{k}" for k in range(20)]
    many = g.System("many", names, mass_matrix=np.eye(20), force=[1.0] * 20, units=dict.fromkeys(names, "m"))
    axes = g.plot(g.simulate(many, np.arange(20.0), t_end=1.0)).axes[0]
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert texts[-1] == "… and 13 more"
    assert len(texts) == 8


def test_events_are_marked():
    ball = g.System(
        "ball",
        coordinates="z",
        kinetic_energy=lambda v: 0.5 * v.z**2,
        potential_energy=lambda q: 9.81 * q.z,
        constraints=[g.Unilateral("floor", lambda q: q.z, restitution=0.8)],
    )
    run = g.simulate(ball, [1.0], t_end=1.5)
    times = [event.t for event in run.events if event.kind == "impact"]
    axes = g.plot(run, "z").axes[0]
    marked = next(line for line in axes.lines if line.get_marker() == "v")
    assert marked.get_xdata().tolist() == times
    assert any(text.get_text() == f"impact ({len(times)})" for text in axes.get_legend().get_texts())


def turned_crank():
    """A crank that a driver turns at 4 rad/s, in a joint with an angle."""
    crank = mb.PlanarBody("crank", 1.0, 0.1, centre=(0.3, 0.0))
    bearing = mb.Pin("bearing", mb.GROUND, (0, 0), crank, (0, 0))
    model = mb.Mechanism("crank", [crank], [bearing, mb.Driver("drive", bearing, lambda t: 0.5 + 4.0 * t)])
    passed = g.Event("passed", lambda q: q.crank_c)
    return g.simulate(model, *model.state(crank.pose(angle=0.5, rate=4.0)), t_end=2.0, events=[passed])


def test_several_names_are_drawn_over_an_angle_with_the_events_where_they_happen():
    run = turned_crank()
    forces, torque = g.plot(run, "bearing.force.norm", "drive", over="bearing.angle", degrees=True).axes
    assert (torque.get_xlabel(), torque.get_ylabel()) == ("bearing.angle / deg", "λ (drive) / (N m)")
    x, y = torque.lines[0].get_data()
    assert (x[0], x[-1]) == pytest.approx(tuple(np.rad2deg([0.5, 8.5])))
    assert y == pytest.approx(9.81 * 0.3 * np.cos(np.deg2rad(x)), abs=1e-6)
    marks = [line for line in forces.lines if line.get_marker() == "|" and len(line.get_xdata())]
    assert marks[0].get_xdata() == pytest.approx([90.0, 270.0, 450.0], abs=1e-3)
    (axes,) = g.plot({"a": run, "b": run}, "drive", over="bearing.angle").axes
    assert sum(len(line.get_xdata()) > 0 for line in axes.lines) == 2
    with pytest.raises(g.errors.InputError, match=r"no 'baering\.angle'; did you mean 'bearing\.angle'"):
        g.plot(run, "drive", over="baering.angle")


def test_a_part_of_a_motion_has_the_events_in_it_and_no_others():
    part = turned_crank().at(np.linspace(0.5, 1.2, 50))
    for figure in (g.plot(part, "t", "crank_x"), g.plot(part, "crank_c", "crank_s")):
        (axes,) = figure.axes
        assert "event" in {text.get_text() for text in axes.get_legend().get_texts()}  # one of three: no count
    assert g.plot(part, "t", "drive").axes[0].get_xlim()[0] > 0.4


def test_what_drives_give_is_drawn_without_being_named():
    run = turned_crank()
    assert "λ (drive) / (N m)" in [axes.get_ylabel() for axes in g.plot(run).axes]
    crank = mb.PlanarBody("crank", 1.0, 0.1)
    bearing = mb.Pin("bearing", mb.GROUND, (0, 0), crank, (0, 0))
    motors = [mb.Motor("even", bearing, 3.0), mb.Motor("falling", bearing, lambda t: 3.0 - t)]
    model = mb.Mechanism("motors", [crank], [bearing], motors)
    labels = [axes.get_ylabel() for axes in g.plot(g.simulate(model, *model.state(crank.pose()), t_end=0.1)).axes]
    assert "falling.torque / (N m)" in labels
    disc = mb.Body("disc", mb.disc(1.0, 0.2))
    hinge = mb.Revolute("hinge", mb.GROUND, (0, 0, 0), disc, (0, 0, 0), (0, 0, 1))
    spatial = mb.Mechanism("servo", [disc], [hinge], [mb.Servo("servo", hinge, 1.0, stiffness=3.0)])
    run = g.simulate(spatial, *spatial.state(disc.pose()), t_end=0.1)
    assert "servo.torque.norm / (N m)" in [axes.get_ylabel() for axes in g.plot(run).axes]
    assert "servo.torque.norm" in run._repr_html_()
    assert not any("even" in label for label in labels)


def test_contacts_with_friction_have_a_panel():
    block = g.System(
        "block",
        coordinates="x z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2),
        potential_energy=lambda q: 9.81 * q.z,
        constraints=[g.Unilateral("floor", lambda q: q.z, friction=g.Coulomb(0.3, lambda v: v.x))],
    )
    axes = g.plot(g.simulate(block, [0, 0], [1, 0], t_end=1.0)).axes[-1]
    assert [text.get_text() for text in axes.get_yticklabels()] == ["floor"]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["sticks", "slips"]


def test_a_legend_that_covers_a_curve_goes_beside_and_numbers_in_space_are_few():
    figure = Figure(figsize=(6.0, 3.0), layout="constrained")
    left, middle = figure.add_subplot(1, 3, 1), figure.add_subplot(1, 3, 2)
    space = figure.add_subplot(1, 3, 3, projection="3d")
    for axes in (left, middle):
        axes.plot([0.0, 1.0], [0.0, 1.0], label="line")
        axes.legend(loc="center" if axes is left else "upper left")
    space.set_zlim(-1.0, 1.0)
    tidy(figure)
    figure.draw_without_rendering()
    for axes, out in ((left, True), (middle, False)):
        assert (axes.get_legend().get_window_extent().x0 >= axes.get_window_extent().x1) == out
        assert [text.get_text() for text in axes.get_legend().get_texts()] == ["line"]
    for axis in (space.xaxis, space.yaxis, space.zaxis):
        low, high = axis.get_view_interval()
        assert 2 <= sum(low <= number <= high for number in axis.get_major_locator()()) <= 5


@pytest.mark.long
def test_forces_that_are_not_determined_are_named_in_an_empty_panel():
    block = mb.PlanarBody("block", 1.0, 0.1)
    guides = [mb.Slider(name, mb.GROUND, (0, 0), block, (0, 0), axis1=(1, 0)) for name in ("guide", "guide 2")]
    twice = mb.Mechanism("held twice", [block], guides)
    run = g.simulate(twice, *twice.state(block.pose()), t_end=0.1)
    (empty,) = g.plot(run, "t", "guide.force.y").axes
    assert [text.get_text() for text in empty.texts] == ["not determined"]
    (half,) = g.plot(run, "t", "guide.force.x", "guide.force.y").axes
    assert [text.get_text() for text in half.get_legend().get_texts()] == [
        *("guide.force.x", "guide.force.y, not determined"),
    ]
    assert not half.texts  # it would cover the curves


def chain(count, blank="", **options):
    """A chain of rods in joint coordinates; `blank` is within the names of the pins."""
    rods = [mb.PlanarBody(f"rod{k}", 1.0, 0.1, centre=(0.5, 0.0)) for k in range(count)]
    ends = [mb.GROUND, *rods]
    pins = [mb.Pin(f"pin{blank}{k}", ends[k], (1.0 if k else 0.0, 0.0), rods[k], (0.0, 0.0)) for k in range(count)]
    model = mb.Mechanism("chain", rods, pins, coordinates="joint", **options)
    return g.simulate(model, np.zeros(count), t_end=0.1)


def look(line):
    return line.get_color(), str(line._dash_pattern)


@pytest.mark.long
def test_no_two_curves_of_a_panel_look_the_same():
    for count in (3, 12):
        for axes in g.plot(chain(count)).axes:
            assert len({look(line) for line in axes.lines}) == len(axes.lines) == min(count, 7)
    runs = [chain(1) for _ in range(20)]
    (axes, *_) = g.plot(runs, "t", "pin0").axes
    assert len({look(line) for line in axes.lines}) >= 20


def test_the_value_of_a_joint_that_is_a_coordinate_is_not_drawn_twice():
    coordinates, forces = g.plot(chain(3)).axes
    assert [text.get_text() for text in coordinates.get_legend().get_texts()] == ["pin0", "pin1", "pin2"]
    assert next(iter(forces.get_legend().get_texts())).get_text() == "pin0.force.norm"
    (coordinates, _) = g.plot(chain(3, blank=" ")).axes
    assert [text.get_text() for text in coordinates.get_legend().get_texts()] == ["pin_0", "pin_1", "pin_2"]


def test_the_overview_of_a_mechanism_shows_it_from_the_start_to_the_end():
    figure = Figure()
    run = chain(2)
    overview(run, figure)
    drawn = [axes for axes in figure.axes if axes.images]
    times = np.linspace(run.t[0], run.t[-1], 5)
    assert [axes.get_title() for axes in drawn] == [f"$t$ = {time:.3g} s" for time in times]
    pictures = [np.asarray(axes.images[0].get_array()) for axes in drawn]
    assert len({picture.shape for picture in pictures}) == 1
    for edge in (np.s_[0], np.s_[-1], np.s_[:, 0], np.s_[:, -1]):  # a margin, and all is within it
        assert all(np.all(picture[edge] == 255) for picture in pictures)
    assert not np.array_equal(pictures[0], pictures[-1])
    figure = Figure()
    overview(g.simulate(spring(), [1, 0.5], t_end=0.1), figure)
    assert not any(axes.images for axes in figure.axes)


def test_the_legend_of_the_certificate_lists_what_is_drawn():
    figure = Figure()
    overview(chain(2), figure)
    axes = figure.axes[-1]
    assert {text.get_text() for text in axes.get_legend().get_texts()} == {line.get_label() for line in axes.lines}
    assert all(np.isfinite(line.get_ydata()).any() for line in axes.lines)
    assert "rows" not in {line.get_label() for line in axes.lines}
