"""What results show in a notebook: HTML that is whole, escaped and right; formulas that are simplified; short reprs."""

from __future__ import annotations

import importlib
import io
import re
from html.parser import HTMLParser

import numpy as np
import pytest
import sympy as sp
from PIL import Image

import gauss as g
from gauss import bodies as mb
from gauss import scenario as scenarios
from gauss.outcome import run_scenario
from gauss.show import notebook

VOID = ("meta", "img", "br", "hr")
NASTY = "<script>alert('&')</script>"


class Tree(HTMLParser):
    """Checks that every element is closed by its own name; collects elements, texts by element, and attributes."""

    def __init__(self, text: str):
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.names: list[str] = []
        self.texts: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.feed(text)
        self.close()
        assert self.open == [], f"not closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.names.append(tag)

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        if self.open[-1:] != ["style"]:
            self.texts.append(data)

    @property
    def words(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.texts)).strip()


def pendulum(name="pendulum", rod="rod"):
    return g.System(
        name,
        coordinates="x y",
        parameters={"l": 1.0},
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
        potential_energy=lambda q: 9.81 * q.y,
        constraints=[g.Holonomic(rod, lambda q, p: q.x**2 + q.y**2 - p.l**2)],
    )


def crossing(force=(1.0, 2.0)):
    rows = [g.Holonomic("lines", lambda q: q.x * q.y)]
    return g.System(
        "two lines", "x y", kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2), force=list(force), constraints=rows
    )


def polar():
    return g.System(
        "polar",
        coordinates="phi",
        parameters={"m": 2.0, "l": 3.0, "g": 9.81},
        kinetic_energy=lambda q, v, p: (
            0.5 * p.m * ((p.l * g.cos(q.phi) * v.phi) ** 2 + (p.l * g.sin(q.phi) * v.phi) ** 2)
        ),
        potential_energy=lambda q, p: -p.m * p.g * p.l * g.cos(q.phi),
    )


def mechanism(name="arm"):
    bar = mb.PlanarBody("bar", 1.0, 0.1, centre=(0.5, 0.0))
    return mb.Mechanism(name, [bar], [mb.Pin("hinge", mb.GROUND, (0, 0), bar, (0, 0))])


@pytest.fixture(scope="module")
def run():
    lowest = g.Event("lowest point", lambda q: q.x)
    return g.simulate(pendulum(), [1, 0], t_end=3.0, events=[lowest], progress="none")


@pytest.fixture(scope="module")
def bouncing():
    return run_scenario(scenarios.load("bouncing_ball"), progress="none")


@pytest.fixture(scope="module")
def results(run, bouncing, tmp_path_factory):
    """One of each kind of result that has a card, or shows its text."""
    file = run.save(tmp_path_factory.mktemp("runs") / "run.nc")
    free = g.System("free", "x", kinetic_energy=lambda v: 0.5 * v.x**2, force=lambda q: -g.sqrt(abs(q.x)))
    rest = g.equilibrium(pendulum(), [0.1, -0.9])
    rough = g.Unilateral("floor", lambda q: q.y, friction=g.Coulomb(0.3, slip=lambda v: v.x))
    block = pendulum().with_constraints([rough])
    return {
        "system": pendulum(),
        "system by matrices": g.System("by matrices", "x y", mass_matrix=[[2.0, 0.5], [0.5, 1.0]], force=[1.0, 0.0]),
        "system with cases": free,
        "mechanism": mechanism(),
        "regular": g.classify(pendulum(), [1, 0]),
        "branching": g.classify(crossing(), [0, 0]),
        "contradictory": g.classify(crossing(), [0, 0], [1.0, 1.0]),
        "friction": g.classify(block, [0, 0], [1.0, 0.0]),
        "run": run,
        "run from a file": g.Trajectory.load(file),
        "time stepping": g.simulate(block, [0, 1.0], t_end=0.1, method="moreau", step=0.01, progress="none"),
        "no states": run.at([]),
        "tree": g.simulate(crossing(), [0, 0], t_end=0.1, branches="all", progress="none"),
        "outcome": bouncing,
        "claims": g.crosscheck(run),
        "claim": g.Claim("it rises", 0.1, 0.2, "closed form"),
        "equilibrium": rest,
        "linear": rest.linearize(),
        "spectrum": rest.linearize().spectrum,
        "solution": g.accelerate(pendulum(), [1, 0]).solution,
        "event": run.events[0],
    }


KINDS = (
    *("system", "system by matrices", "system with cases", "mechanism", "regular", "branching", "contradictory"),
    *("friction", "run", "run from a file", "time stepping", "no states", "tree", "outcome", "claims", "claim"),
    *("equilibrium", "linear", "spectrum", "solution", "event"),
)


@pytest.mark.parametrize("kind", KINDS)
def test_every_card_is_whole_and_loads_nothing(kind, results):
    page = results[kind]._repr_html_()
    tree = Tree(page)
    assert tree.words
    loaded = [value for _, name, value in tree.attributes if name in ("src", "href", "onclick")]
    assert all(value.startswith("data:image/svg+xml;base64,") for value in loaded)
    assert "http" not in page
    assert "nan" not in tree.words.replace("nano", "")


@pytest.mark.parametrize("kind", KINDS)
def test_every_repr_is_one_short_line(kind, results):
    value = results[kind]
    text = repr(next(iter(value)) if kind == "claims" else value)
    assert "\n" not in text
    assert "object at 0x" not in text
    assert "array(" not in text
    assert len(text) <= 150


def test_reprs_say_what_a_reader_wants_to_know(run):
    assert repr(g.classify(pendulum(), [1, 0])) == "Verdict(regular: one acceleration, x = 0, y = -9.81)"
    assert repr(g.classify(crossing(), [0, 0])) == "Verdict(branching: several accelerations, 3 known)"
    assert repr(run).startswith("Trajectory(pendulum: ")
    assert repr(run.events[0]) == f"MotionEvent({run.events[0]})"
    assert repr(g.Event("top", lambda q: q.x, 1, terminal=True)) == "Event('top', upwards, terminal)"
    assert repr(pendulum().state([1, 0], [0, -2], 0.5)) == "State(q = [1, 0], v = [0, -2], t = 0.5)"
    assert repr(g.Claim("it rises", 0.1, 0.2)) == "Claim(it rises: 0.1 ≤ 0.2, yes or no)"
    assert repr(scenarios.load("cusp")).startswith("Scenario('cusp': ")


def test_names_are_text_and_never_elements():
    system = pendulum(NASTY, NASTY)
    shown = [system, g.classify(system, [1, 0]), g.simulate(system, [1, 0], t_end=0.1), mechanism(NASTY)]
    shown += [g.Claim(NASTY, 1.0, 0.0, NASTY), g.equilibrium(system, [0.1, -0.9])]
    for value in shown:
        tree = Tree(value._repr_html_())
        assert "script" not in tree.names
        assert not [each for each in tree.attributes if each[1].startswith("on")]
    assert NASTY in Tree(shown[0]._repr_html_()).words
    assert NASTY in Tree(shown[2]._repr_html_()).words


@pytest.mark.parametrize(
    ("kind", "colour", "words"),
    [
        ("regular", "#009E73", "one acceleration"),
        ("branching", "#E69F00", "several accelerations"),
        ("contradictory", "#D55E00", "no acceleration"),
        ("run", "#009E73", "pendulum"),
        ("tree", "#E69F00", "two lines: 2 motions"),
    ],
)
def test_a_light_has_a_colour_and_a_word(kind, colour, words, results):
    page = results[kind]._repr_html_()
    light = re.search(r'<svg class="light".*?aria-label="(.*?)" fill="(.*?)">', page)
    assert light is not None
    assert light.groups() == (words, colour)


def test_the_lights_differ_in_shape(results):
    pages = [results[kind]._repr_html_() for kind in ("regular", "branching", "contradictory")]
    assert len({re.search(r'fill="#\w+"><(\w+)', page).group(1) for page in pages}) == 3


def cells(page):
    """The rows of all tables, as lists of texts."""
    rows = re.findall(r"<tr>(.*?)</tr>", page, re.S)
    return [[Tree(cell).words for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.S)] for row in rows]


def test_the_verdict_card_has_the_numbers_of_closed_forms():
    rows = cells(g.classify(pendulum(), [0.6, -0.8], [0.4, 0.3])._repr_html_())
    multiplier = (-0.25 + 9.81 * -0.8) / 2.0  # of x² + y² = 1: 2 λ = y g − v²
    assert ["x", "0.6", "0.4", f"{2 * 0.6 * multiplier:.6g}".replace("-", "−")] in rows
    assert ["y", "−0.8", "0.3", f"{-9.81 + 2 * -0.8 * multiplier:.6g}".replace("-", "−")] in rows
    assert ["rod", f"{multiplier:.6g}".replace("-", "−")] in rows


def test_the_card_of_a_branching_position_lists_all_accelerations():
    rows = cells(g.classify(crossing(), [0, 0])._repr_html_())
    for kind, a in (("global minimum", (0, 2)), ("local minimum", (1, 0)), ("vertex", (0, 0))):
        zwang = 0.5 * ((a[0] - 1.0) ** 2 + (a[1] - 2.0) ** 2)
        word = "no: a reaction would do work on the motion" if kind == "vertex" else "confirmed"
        assert [kind, str(a[0]), str(a[1]), f"{zwang:g}", word] in rows


def test_forces_that_are_not_determined_have_ranges():
    table = scenarios.load("table_on_four_legs")
    found = g.classify(table.system, table.start.q, table.start.v)
    rows = cells(found._repr_html_())
    low, high = found.forces[found.reactions.rows[0]]
    assert [found.reactions.rows[0], f"{low:.6g}".replace("-", "−"), f"{high:.6g}", "not determined"] in rows


def test_the_curves_are_those_of_the_motion(run):
    drawn = re.findall(r'<polyline points="(.*?)"/>', run._repr_html_())
    assert len(drawn) == 2
    for points, name in zip(drawn, ("x", "y"), strict=True):
        up = -np.array([float(point.split(",")[1]) for point in points.split()])
        values = run.at(np.union1d(np.linspace(0.0, 3.0, 240), run.t))[name]
        assert (-up.max(), -up.min()) == (20.0, 98.0)  # the ends of the axis
        share = (values - values.min()) / np.ptp(values)
        assert np.max(np.abs((up - up.min()) / np.ptp(up) - share)) < 0.002  # a tenth of a pixel of 78


def test_many_events_are_cut_and_counted(bouncing):
    rows = cells(bouncing.run._repr_html_())
    start = rows.index(["t / s", "event", "of", "energy lost"])
    count = len(bouncing.run.events)
    assert rows[start + 8][0] == f"… {count - 9} more"
    assert rows[start + 10][:2] == [f"{bouncing.run.events[-1].t:.9g}", bouncing.run.events[-1].kind]


def test_failing_claims_come_first():
    claims = type(g.crosscheck(g.simulate(pendulum(), [1, 0], t_end=0.1)))(
        [g.Claim("holds", 0.0, 1.0), g.Claim("fails", 2.0, 1.0, "closed form")]
    )
    rows = cells(claims._repr_html_())
    assert [row[1] for row in rows] == ["claim", "fails", "holds"]
    assert rows[1] == ["fails", "fails", "2", "1", "closed form"]
    assert "1 of 2 claims fail" in claims._repr_html_()


def test_formulas_are_simplified():
    system = polar()
    found = notebook.formulas_of(system)
    m, l, weight, phi = (sp.Symbol(name, real=True) for name in ("m", "l", "g", "phi"))
    matrix, force = dict(found.groups)["M and f"]
    assert matrix.right[0, 0] - m * l**2 == 0
    assert sp.count_ops(matrix.right[0, 0]) == sp.count_ops(m * l**2)
    assert sp.simplify(force.right[0] + m * weight * l * sp.sin(phi)) == 0
    assert r"l^{2} m \dot{\phi}^{2}" in system._repr_latex_()
    assert "<msup><mi>l</mi><mn>2</mn></msup>" in system._repr_html_()
    for text in (system._repr_latex_(), system._repr_html_()):
        assert not re.search(r"sin\^|sin.{0,80}</msup>", text.partition("equations of motion")[0])


def test_equations_of_motion_have_multipliers_and_rows_their_relation():
    one = g.System(
        "bead",
        "x z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2),
        potential_energy=lambda q: 9.81 * q.z,
        constraints=[g.Unilateral("floor", lambda q: q.z - q.x)],
    )
    text = one._repr_latex_()
    assert r"- x + z & \ge 0" in text
    assert r"\ddot{x} & = - \lambda_1" in text
    assert r"\ddot{z} & = \lambda_1 - 9.81" in text
    assert text.startswith("$$")
    assert "≥" in Tree(one._repr_html_()).words


@pytest.mark.parametrize(("name", "why"), [("nortons_dome", "operations"), ("balancing_robot", "36 coordinates")])
def test_large_models_say_how_their_equations_are_written(name, why):
    system = scenarios.load(name).system
    page = Tree(system._repr_html_())
    assert "math" not in page.names
    assert why in page.words
    assert "gauss.sympy.to_sympy" in page.words
    assert system._repr_latex_().startswith(r"$\text{")


def test_names_with_an_index_are_typeset_with_it():
    system = g.System("chain", "q1 bob_x", kinetic_energy=lambda v: v.q1**2 + v.bob_x**2, parameters={"omega": 1.0})
    assert r"\ddot{q}_1" in system._repr_latex_()
    assert r"\ddot{\mathrm{bob}}_x" in system._repr_latex_()
    assert "<mi>bob</mi>" in system._repr_html_()


def test_brackets_of_older_mathml_are_written_out():
    from xml.dom.minidom import parseString

    unfenced = importlib.import_module("gauss.show.notebook.typeset").unfenced
    document = parseString("<mrow><mfenced close=']' open='['><mi>x</mi><mi>y</mi></mfenced></mrow>")
    unfenced(document.getElementsByTagName("mfenced")[0])
    text = document.documentElement.toxml()
    assert text == "<mrow><mrow><mo>[</mo><mi>x</mi><mo>,</mo><mi>y</mi><mo>]</mo></mrow></mrow>"


def test_a_figure_is_a_picture_of_its_size(run):
    from IPython.core.formatters import DisplayFormatter

    data, how = DisplayFormatter().format(g.plot(run))
    picture = Image.open(io.BytesIO(data["image/png"]))
    assert picture.size == tuple(2 * how["image/png"][side] for side in ("width", "height"))
    assert np.ptp(np.asarray(picture.convert("L"))) > 100  # something is drawn


def test_jupyter_is_given_html_latex_and_a_short_text():
    from IPython.core.formatters import DisplayFormatter

    data, _ = DisplayFormatter().format(polar())
    assert {"text/html", "text/latex", "text/plain"} <= set(data)
    data, _ = DisplayFormatter().format(g.classify(pendulum(), [1, 0]))
    assert "text/html" in data
    assert "\n" not in data["text/plain"]


def test_every_offered_key_is_known(run):
    swinging = mechanism()
    arm = g.simulate(swinging, swinging.system.state([0, 0, 1, 0]), t_end=0.1, progress="none")
    for motion in (run, arm):
        keys = motion._ipython_key_completions_()
        assert {"energy", "d_" + motion.about.coordinates[0], motion.about.rows[0]} <= set(keys)
        for key in keys:
            assert len(motion[key]) == len(motion)
    assert {"bar.position", "hinge.angle"} <= set(arm._ipython_key_completions_())
    assert set(run.data) - {"t"} <= set(run.names)


def test_names_are_offered_behind_a_dot():
    acceleration = g.classify(pendulum(), [1, 0]).acceleration
    assert {"x", "y"} <= set(dir(acceleration))
    assert acceleration._ipython_key_completions_() == ["x", "y"]
    assert {"System", "simulate", "bodies"} <= set(dir(g))
    for room in (g.analysis, g.bodies, g.contact, g.formulations, g.nonsmooth, g.sources, g.sympy, g.variational):
        assert set(room.__all__) <= set(dir(room))


def test_a_card_of_something_else_is_its_text():
    assert "&lt;b&gt;" in notebook.html("<b>")


def test_cards_tell_declared_units():
    system = g.System(
        "swing",
        "phi",
        parameters={"l": 2.0},
        units={"phi": "rad", "l": "m"},
        kinetic_energy=lambda v, p: 0.5 * (p.l * v.phi) ** 2,
        potential_energy=lambda q, p: -9.81 * p.l * g.cos(q.phi),
    )
    assert "phi / rad" in Tree(system._repr_html_()).words
    assert "forces" not in {row[0] for row in cells(system._repr_html_())}
    assert "l = 2 m" in Tree(system._repr_html_()).words
    run = g.simulate(system, [1.0], t_end=0.5, progress="none")
    assert "phi / rad" in Tree(run._repr_html_()).words
    assert "l = 2 m" in Tree(run._repr_html_()).words


def test_cards_say_what_gravity_there_is():
    free = g.System("free", "x", kinetic_energy=lambda v: 0.5 * v.x**2)
    assert ["forces", "none: no potential energy, that of gravity neither, and no force"] in cells(free._repr_html_())
    pushed = g.System("pushed", "x", kinetic_energy=lambda v: 0.5 * v.x**2, force=[0.0])
    assert "forces" not in {row[0] for row in cells(pushed._repr_html_())}
    bob = mb.PlanarBody("bob", 1.0, 0.1)
    for gravity, words in ((None, "(0, −9.81) m/s²"), ((0, 0), "(0, 0) m/s²")):
        assert ["gravity", words] in cells(mb.Mechanism("falls", [bob], gravity=gravity)._repr_html_())
