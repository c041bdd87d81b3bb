"""Phase portraits, bifurcations, root loci, modes and ranges of reactions, against closed forms."""

from __future__ import annotations

import doctest
import inspect
import sys
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from matplotlib.figure import Figure

import gauss as g

G, L, R = 9.81, 0.7, 0.5


def pendulum(damping=0.0):
    return g.System(
        "pendulum",
        coordinates="phi",
        kinetic_energy=lambda v: 0.5 * L**2 * v.phi**2,
        potential_energy=lambda q: -G * L * g.cos(q.phi),
        force=lambda v: [-damping * v.phi],
        units={"phi": "rad"},
    )


@cache
def portrait(damping=0.0):
    return g.analysis.portrait(pendulum(damping), "phi", (-4.5, 4.5))


def hoop(push=0.0):
    return g.System(
        "bead on a rotating hoop",
        coordinates="x z",
        parameters={"w": 1.0},
        kinetic_energy=lambda q, v, p: 0.5 * (v.x**2 + v.z**2 + p.w**2 * q.x**2),
        potential_energy=lambda q: G * q.z + push * q.x,
        constraints=[g.Holonomic("hoop", lambda q: q.x**2 + q.z**2 - R**2)],
        units={"x": "m", "z": "m", "w": "rad/s"},
    )


@cache
def pitchfork():
    return g.analysis.bifurcations(hoop(), "w", (1.0, 9.0), [[0.01, -R]])


def test_separatrices_of_the_pendulum_are_its_closed_form():
    found = portrait()
    assert len(found.separatrices) == 8  # four at each of two saddles
    for curve in found.separatrices:
        expected = 2.0 * np.sqrt(G / L) * np.abs(np.cos(curve[:, 0] / 2.0))
        assert np.max(np.abs(np.abs(curve[:, 1]) - expected)) < 1e-5
        assert np.ptp(curve[:, 0]) > 1.0  # away from its saddle


def test_motions_in_a_portrait_keep_their_energy_and_run_forwards():
    for curve in portrait().curves:
        energy = 0.5 * L**2 * curve[:, 1] ** 2 - G * L * np.cos(curve[:, 0])
        assert np.ptp(energy) < 1e-5
        assert np.all(np.diff(curve[:, 0]) * (curve[1:, 1] + curve[:-1, 1]) > 0.0) or np.min(np.abs(curve[:, 1])) < 0.3


@pytest.mark.long
def test_equilibria_have_their_kinds():
    assert [point.kind for point in portrait().equilibria] == ["saddle", "centre", "saddle"]
    assert [point.kind for point in portrait(0.5).equilibria] == ["saddle", "stable focus", "saddle"]
    strong = g.analysis.portrait(pendulum(20.0), "phi", (-1.0, 1.0), (-1.0, 1.0))
    assert [point.kind for point in strong.equilibria] == ["stable node"]


@pytest.mark.long
def test_no_equilibrium_of_a_wide_span_is_missed():
    """The pendulum's are the multiples of π, centres and saddles in turn; without a unit and with a row, too."""
    wide = g.analysis.portrait(pendulum(), "phi", (-179.0, 179.0), starts=[(0.0, 1.0)])
    assert [round(point.x / np.pi) for point in wide.equilibria] == list(range(-56, 57))
    assert [point.kind for point in wide.equilibria] == ["centre" if k % 2 == 0 else "saddle" for k in range(-56, 57)]
    assert np.allclose([point.x / np.pi for point in wide.equilibria], np.arange(-56, 57), atol=1e-9)
    assert wide.settled
    assert wide.spacing < np.pi / 6.0
    waves = {"kinetic_energy": lambda v: 0.5 * v.x**2, "potential_energy": lambda q: g.cos(9.0 * q.x)}
    plain = g.analysis.portrait(g.System("waves", "x", **waves), "x", (-4.0, 4.0), starts=[(0.0, 1.0)])
    assert [round(9.0 * point.x / np.pi) for point in plain.equilibria] == list(range(-11, 12))
    wire = g.System(
        "wire",
        coordinates="x y",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
        potential_energy=lambda q: q.y,
        constraints=[g.Holonomic("wire", lambda q: q.y - 0.05 * g.cos(9.0 * q.x))],
    )
    held = g.analysis.portrait(wire, "x", (-4.0, 4.0), starts=[(0.0, 0.1)])
    assert [round(9.0 * point.x / np.pi) for point in held.equilibria] == list(range(-11, 12))
    assert plain.settled
    assert held.settled


@pytest.mark.long
def test_a_figure_says_where_there_may_be_more_equilibria(monkeypatch):
    monkeypatch.setattr(sys.modules["gauss.analysis.portrait_flow"], "MOST", 5)
    found = g.analysis.portrait(pendulum(), "phi", (-301.0, 301.0), (-9.0, 9.0), starts=[(0.0, 1.0)])
    assert not found.settled  # of 191
    (axes,) = g.show.phase_portrait(found).axes
    assert f"more than the {len(found.equilibria)} equilibria may exist" in axes.get_title()
    (axes,) = g.show.phase_portrait(portrait()).axes
    assert axes.get_title() == "pendulum"


@pytest.mark.long
def test_what_is_shown_in_degrees_is_given_in_degrees():
    given = {"span": (-200.0, 200.0), "rates": (-500.0, 500.0), "starts": [(10.0, 100.0)]}
    (shown,) = g.show.phase_portrait(pendulum(), degrees=True, **given).axes
    radians = {name: np.deg2rad(values) for name, values in given.items()}
    (same,) = g.show.phase_portrait(
        pendulum(), degrees=True, **{name: np.rad2deg(x) for name, x in radians.items()}
    ).axes
    assert np.allclose(shown.get_xlim(), given["span"])
    assert np.allclose(shown.get_ylim(), given["rates"])
    curves = [line.get_xydata() for line in shown.lines]
    assert any(np.min(np.linalg.norm(curve - given["starts"][0], axis=1)) < 1e-9 for curve in curves)
    assert np.allclose(same.get_xlim(), shown.get_xlim())
    with pytest.warns(g.errors.DegreesWarning, match="phi = -90 rad"):
        g.analysis.portrait(pendulum(), "phi", (-90.0, 90.0), (-1.0, 1.0), starts=[(0.0, 1.0)])


def test_a_coordinate_may_be_left_out_where_there_is_one_and_is_named_where_there_are_several():
    assert g.show.phase_portrait(pendulum()).axes[0].get_xlabel() == r"$\phi$ / rad"
    with pytest.raises(g.errors.InputError, match="several coordinates; name one of x, z"):
        g.show.phase_portrait(hoop())


@pytest.mark.long
def test_of_two_freedoms_the_remedy_works():
    cart = g.System(
        "cart",
        coordinates="s theta",
        kinetic_energy=lambda q, v: v.s**2 + 0.5 * v.theta**2 + g.cos(q.theta) * v.s * v.theta,
        potential_energy=lambda q: -G * g.cos(q.theta),
        units={"theta": "rad"},
    )
    with pytest.raises(g.errors.InputError, match="2 freedoms") as refused:
        g.show.phase_portrait(cart, "theta")
    text = str(refused.value)
    assert 'g.plot(run, "theta", "d_theta")'.replace("g.", "gauss.") in text
    held = text.partition("as system")[2].partition("), or")[0]
    fixed = eval("system" + held + ")", {"system": cart, "gauss": g})
    assert [point.kind for point in g.analysis.portrait(fixed, "theta", (-1.0, 1.0)).equilibria] == ["centre"]


@pytest.mark.long
def test_a_constrained_system_has_the_portrait_of_its_one_freedom():
    system = g.System(
        "pendulum",
        coordinates="x y",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
        potential_energy=lambda q: G * q.y,
        constraints=[g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0)],
    )
    found = g.analysis.portrait(system, "x", (-0.9, 0.9), q=[0.1, -1.0])
    assert [(round(point.x, 9), point.kind) for point in found.equilibria] == [(0.0, "centre")]
    for curve in found.curves:
        x, v = curve.T
        inside = np.abs(x) < 0.9  # y = −√(1 − x²) and ẏ = −x ẋ/y there
        energy = (0.5 * v**2 / (1.0 - x**2) - G * np.sqrt(1.0 - x**2))[inside]
        assert np.ptp(energy) < 1e-4


@pytest.mark.parametrize(
    ("system", "arguments", "said"),
    [
        (pendulum(), {"coordinate": "x"}, "no coordinate 'x'"),
        (pendulum(), {"span": (1.0, -1.0)}, "the first must be smaller"),
        (g.System("free", "x y", mass_matrix=np.eye(2)), {"coordinate": "x"}, "2 freedoms"),
        (g.System("driven", "x", mass_matrix=[[1.0]], force=lambda t: [t]), {"coordinate": "x"}, "time occurs"),
    ],
)
def test_what_has_no_portrait_is_refused(system, arguments, said):
    with pytest.raises(g.errors.InputError, match=said):
        g.analysis.portrait(system, **{"coordinate": "phi", "span": (-1.0, 1.0)} | arguments)


def nothing_computed(*_, **__):
    raise AssertionError("computed before the arguments were looked at")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"rates": (3.0, 1.0)}, "the range of the velocity of 'phi' runs from 3 to 1"),
        ({"starts": [1.0, 2.0]}, "a start, a pair of the coordinate and its velocity"),
        ({"starts": []}, "starts must be pairs"),
        ({"q": [0.0, 1.0]}, "q has shape"),
        ({"ax": 3}, "ax must be matplotlib axes"),
    ],
)
def test_arguments_of_a_portrait_are_looked_at_before_it_is_computed(arguments, said, monkeypatch):
    module = sys.modules["gauss.analysis.portrait"]
    monkeypatch.setattr(module, "equilibria", nothing_computed)
    monkeypatch.setattr(module.Flow, "searched", nothing_computed)
    with pytest.raises(g.errors.InputError, match=said):
        g.show.phase_portrait(pendulum(), "phi", **arguments)


def test_what_a_diagram_lacks_is_told_before_it_is_computed(monkeypatch):
    plain = g.System("spring", "x", mass_matrix=[[1.0]], parameters={"k": 1.0}, force=lambda q, p: [-p.k * q.x])
    monkeypatch.setattr(sys.modules["gauss.show.diagrams.portrait"], "portrait", nothing_computed)
    monkeypatch.setattr(sys.modules["gauss.show.diagrams.bifurcation"], "bifurcations", nothing_computed)
    with pytest.raises(g.errors.InputError, match="no quantity has the unit"):
        g.show.phase_portrait(plain, "x", (-1.0, 1.0), degrees=True)
    with pytest.raises(g.errors.InputError, match="no quantity has the unit"):
        g.show.bifurcation_diagram(plain, "k", (0.5, 1.0), [[0.0]], degrees=True)
    with pytest.raises(g.errors.InputError, match="no coordinate 'y'"):
        g.show.bifurcation_diagram(plain, "k", (0.5, 1.0), [[0.0]], coordinate="y")
    monkeypatch.undo()
    with pytest.raises(g.errors.InputError, match=r"give the span of 'x', as span=\(-1.0, 1.0\)"):
        g.show.phase_portrait(plain)
    two = g.System("free", "x y", mass_matrix=np.eye(2))
    with pytest.raises(g.errors.InputError, match="2 freedoms"):
        g.show.phase_portrait(two, "x")


@pytest.mark.long
def test_the_hoop_has_a_pitchfork_at_the_square_of_its_speed_g_over_r():
    found = pitchfork()
    (point,) = found.points
    assert point.kind == "branch point"
    assert abs(point.value - np.sqrt(G / R)) < 1e-6
    straight, bent = sorted(found.branches, key=lambda branch: np.ptp(branch.q[:, 0]))
    assert np.max(np.abs(straight.q[:, 0])) < 1e-9
    cosine = -bent.q[:, 1] / R
    assert np.max(np.abs(cosine - G / (R * bent.values**2))) < 1e-9  # ω² cos φ = g/r
    assert np.ptp(bent.q[:, 0]) > 1.5 * R  # both sides
    beyond = straight.values > point.value
    away = np.abs(straight.values - point.value) > 1e-3
    assert {word for word, b, a in zip(straight.stability, beyond, away, strict=True) if b and a} == {"unstable"}
    assert {word for word, b, a in zip(straight.stability, beyond, away, strict=True) if not b and a} == {"stable"}
    assert {word for word, x in zip(bent.stability, bent.q[:, 0], strict=True) if abs(x) > 0.01} == {"stable"}


@pytest.mark.long
def test_a_push_turns_the_pitchfork_into_a_fold():
    push = 0.1
    found = g.analysis.bifurcations(hoop(push), "w", (1.0, 9.0), [[R, -0.1], [-R, -0.1]])
    (point,) = found.points
    assert point.kind == "fold"
    # ω² sin φ cos φ = (g/r) sin φ + (e/r) cos φ, or ω² = (g/r)/cos φ + (e/r)/sin φ, which is least at the fold
    phi = np.linspace(0.01, 1.5, 2_000_001)
    least = np.min(G / R / np.cos(phi) + push / R / np.sin(phi))
    assert abs(point.value**2 - least) < 1e-6


def test_branches_refuse_what_they_cannot_follow():
    with pytest.raises(g.errors.InputError, match="no parameter 'k'"):
        g.analysis.bifurcations(hoop(), "k", (0.0, 1.0), [[0.0, -R]])
    with pytest.raises(g.errors.InputError, match="the first and the last value"):
        g.analysis.bifurcations(hoop(), "w", (1.0, 1.0), [[0.0, -R]])


@pytest.mark.long
def test_diagrams_have_units_and_mark_what_they_found():
    (axes,) = g.show.phase_portrait(portrait(), degrees=True).axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == (r"$\phi$ / deg", r"$\dot \phi$ / (deg/s)")
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["separatrix", "saddle", "centre"]
    (axes,) = g.show.bifurcation_diagram(pitchfork(), coordinate="x").axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("$w$ / (rad/s)", "$x$ / m")
    lines = {line.get_label(): line.get_linestyle() for line in axes.lines}
    assert (lines["stable"], lines["unstable"]) == ("-", "--")
    assert "branch point" in lines


def test_a_diagram_is_drawn_into_given_axes():
    figure = Figure()
    axes = figure.subplots(1, 2)
    assert g.show.bifurcation_diagram(pitchfork(), ax=axes[1]) is figure
    assert axes[1].lines
    assert not axes[0].lines
    with pytest.raises(g.errors.InputError, match="must be matplotlib axes"):
        g.show.bifurcation_diagram(pitchfork(), ax=3)


def test_modes_of_a_chain_are_sines():
    n = 5
    names = [f"x{k}" for k in range(1, n + 1)]

    def energy(q):
        x = [0.0, *(q[k] for k in range(n)), 0.0]
        return sum(0.5 * (b - a) ** 2 for a, b in pairwise(x))

    chain = g.System("chain", names, mass_matrix=np.eye(n), potential_energy=energy)
    figure = g.show.normal_modes(g.linearize(chain, np.zeros(n)))
    drawn = [axes for axes in figure.axes if axes.get_visible()]
    assert len(drawn) == n
    for j, axes in enumerate(drawn, start=1):
        omega = 2.0 * np.sin(0.5 * j * np.pi / (n + 1))
        assert axes.get_title() == f"{omega / (2 * np.pi):.3g} Hz"
        shape = np.array([bar.get_height() for bar in axes.patches])
        expected = np.sin(j * np.pi * np.arange(1, n + 1) / (n + 1))
        assert abs(abs(shape @ expected) / np.linalg.norm(shape) / np.linalg.norm(expected) - 1.0) < 1e-9


def test_what_does_not_oscillate_has_no_modes():
    free = g.System("free", "x", mass_matrix=[[1.0]])
    with pytest.raises(g.errors.InputError, match="no mode"):
        g.show.normal_modes(g.linearize(free, [0.0]))


def table(legs):
    gaps = [g.Unilateral(name, lambda q, a=a: q.z + a * q.phi) for name, a in legs.items()]
    return g.System(
        "table",
        coordinates="z phi",
        kinetic_energy=lambda v: 0.5 * (v.z**2 + v.phi**2),
        potential_energy=lambda q: 10.0 * q.z,
        constraints=gaps,
        units={"z": "m", "phi": "rad"} | dict.fromkeys(legs, "m"),
    )


def test_bands_show_what_is_not_determined():
    run = g.simulate(table({"left": -1.0, "middle": 0.0, "right": 1.0}), [0, 0], t_end=1.0)
    found = g.analysis.reaction_ranges(run, [0.0, 0.5, 1.0])
    assert np.allclose(found.low, 0.0, atol=1e-9)
    assert np.allclose(found.high, [5.0, 10.0, 5.0])
    assert found.determined == ()
    axes = g.show.reaction_bands(found).axes
    assert len(axes) == 3
    assert [text.get_text() for text in axes[0].get_legend().get_texts()] == ["left, not determined"]
    assert axes[1].get_ylabel() == "multiplier λ / N"


def test_determined_reactions_are_lines_in_one_panel():
    run = g.simulate(table({"left": -1.0, "right": 1.0}), [0, 0], t_end=1.0)
    found = g.analysis.reaction_ranges(run, [0.0, 1.0])
    assert found.determined == ("left", "right")
    assert np.allclose(found.low, 5.0)
    (axes,) = g.show.reaction_bands(found).axes
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["left", "right"]
    with pytest.raises(g.errors.InputError, match="no row 'top'"):
        g.show.reaction_bands(found, "top")


def test_the_root_locus_is_drawn_from_the_first_to_the_last_value():
    def damped(c):
        return g.linearize(g.System("spring", "x", mass_matrix=[[1.0]], force=lambda q, v: [-q.x - c * v.x]), [0.0])

    figure = g.show.root_locus(damped, [0.2, 0.6, 1.0], parameter="c", unit="N s/m")
    first, last = figure.axes[0].lines[:2]
    for line, c in ((first, 0.2), (last, 1.0)):
        assert np.allclose(line.get_xdata(), -c / 2.0)
        assert np.allclose(np.abs(line.get_ydata()), np.sqrt(1.0 - c**2 / 4.0))
    assert figure.axes[1].get_ylabel() == "$c$ / (N s/m)"


FUNCTIONS = [
    *(getattr(g.show, name) for name in ("phase_portrait", "bifurcation_diagram", "root_locus", "normal_modes")),
    *(g.show.reaction_bands, g.analysis.portrait, g.analysis.bifurcations, g.analysis.reaction_ranges),
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_examples_run(function):
    examples = doctest.DocTestParser().get_examples(inspect.getdoc(function) or "")
    assert examples
    found = doctest.DocTest(examples, {}, function.__name__, None, None, None)
    assert doctest.DocTestRunner(verbose=False).run(found, out=print).failed == 0
