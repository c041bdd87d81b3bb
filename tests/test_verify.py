"""Printed statements: what is true holds to rounding, what is false fails, every source claim is settled."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import gauss as g
from gauss import sources
from gauss.errors import FileError, InputError, ModelError
from gauss.sources import (
    ClosedForm,
    ConstraintMatrix,
    ControlFields,
    Derivative,
    Equation,
    Hamiltonian,
    Integral,
    Lagrangian,
    Printed,
    verify,
)
from gauss.sources.rows import residuals
from gauss.sources.samples import random_sample
from gauss.sources.statement_rows import rows_of
from gauss.sources.symbols import SymbolSet

CORRECT = 1e-12  # residual of a correct form at random states; motions carry the integrator's error besides

pendulum = g.System(
    "pendulum",
    coordinates="x y",
    kinetic_energy=lambda v, p: 0.5 * p.m * (v.x**2 + v.y**2),
    potential_energy=lambda q, p: p.m * p.g * q.y,
    constraints=[g.Holonomic("rod", lambda q, p: q.x**2 + q.y**2 - p.l**2)],
    parameters={"m": 1.3, "g": 9.81, "l": 0.8},
)
ANGLE = {"phi": lambda q: g.atan2(q.x, -q.y)}


def collection(*claims, **settings):
    given = {"system": pendulum, "q": [0.4, -0.7], "quantities": ANGLE}
    return Printed("a test", list(claims), **(given | settings))


def one(statement, **settings):
    (found,) = verify(collection(statement, **settings), count=24)
    return found


@pytest.mark.sampled(16)
@pytest.mark.parametrize("name", sources.names())
def test_every_printed_statement_of_the_sources_is_settled(name):
    for printed in sources.load(name).equations:
        for entry in verify(printed, count=24, seed=3, mending=False):
            assert entry.settled, str(entry)
            assert entry.holds == (entry.statement.correct is None), f"{entry}: only a misprint has a correct form"
            if not entry.holds:
                assert entry.statement.remark, f"{entry.statement.name}: a misprint needs a word on what is meant"
                assert entry.residual > 1e-3
                if "integrator" not in entry.reason:
                    assert entry.corrected <= CORRECT


@pytest.mark.long
def test_the_sources_have_the_misprints_that_are_known():
    names = ["mathematical_pendulum", "ball_and_beam", "rolling_ball", "rolling_wheel", "geodesics_on_sphere"]
    names += ["spherical_pendulum", "finite_time_escape", "chaplygin_skater"]
    entries = [e for name in names for p in sources.load(name).equations for e in verify(p, count=24, mending=False)]
    failing = {entry.statement.number for entry in entries if not entry.holds}
    assert {"§2.4.2 (7)", "§4.1.1 (12)", "§9.1.3 (3)", "§9.1.3 (6)", "§9.1.2 (11)", "(4.10)", "(4.11)"} <= failing
    assert {"§8.1.1 (7)", "Ex. 2.2", "(9.6)"} <= failing


def test_second_rates_of_quantities_agree_with_finite_differences_of_a_motion():
    run = g.simulate(pendulum, q=[0.48, -0.64], v=[0.4, 0.3], t_end=1.0, rtol=1e-12, atol=1e-13, progress="none")
    h = 1e-3
    times = np.array([0.5 - h, 0.5, 0.5 + h])
    at = run.at(times)
    phi = np.arctan2(at["x"], -at["y"])
    printed = collection(Equation("nothing", left=lambda: 0.0), q=at.q[1], v=at.v[1], spread=1e-12)
    sample = random_sample(printed, SymbolSet.of(printed), 4, 0)
    world = SymbolSet.of(printed)
    assert sample.values[world.v.phi][0] == pytest.approx((phi[2] - phi[0]) / (2 * h), rel=1e-5)
    assert sample.values[world.a.phi][0] == pytest.approx((phi[2] - 2 * phi[1] + phi[0]) / h**2, rel=1e-4)


def test_accelerations_and_multipliers_at_random_states_are_those_of_gauss():
    printed = collection(Equation("nothing", left=lambda: 0.0))
    world = SymbolSet.of(printed)
    sample = random_sample(printed, world, 12, 5)
    for k in range(sample.count):
        given = {name: float(sample.values[world.p[name]][k]) for name in pendulum.parameters}
        q, v = ([float(sample.values[side[j]][k]) for j in range(2)] for side in (world.q, world.v))
        step = g.accelerate(pendulum.with_parameters(**given), q, v, float(sample.values[world.t][k]))
        assert [sample.values[world.a[j]][k] for j in range(2)] == pytest.approx(step.a, rel=1e-10)
        assert sample.values[world.l[0]][k] == pytest.approx(step.multiplier("rod"), rel=1e-10)


@pytest.mark.long
def test_parameters_of_the_system_are_varied():
    wrong = Equation("true for m = 1.3 only", left=lambda a, q, p: p.m * a.phi + 1.3 * p.g / p.l * g.sin(q.phi))
    right = Equation("true for every m", left=lambda a, q, p: p.m * a.phi + p.m * p.g / p.l * g.sin(q.phi))
    assert not one(wrong).holds
    assert one(right).holds


@pytest.mark.long
def test_an_equation_with_numbers_for_parameters_is_judged_at_the_given_ones():
    """0.8 φ̈ + 9.81 sin φ = 0 is right for l = 0.8, g = 9.81; with a sign or a number wrong it is not."""
    right = one(Equation("numbers", left=lambda a, q: 0.8 * a.phi + 9.81 * g.sin(q.phi)), q=[0.48, -0.64], t_end=0.3)
    assert right.holds
    assert "holds at the given numbers only: write p.m, p.g, p.l" in str(right)
    assert right.residual < CORRECT
    sign = one(Equation("sign", left=lambda a, q: 0.8 * a.phi - 9.81 * g.sin(q.phi)), q=[0.48, -0.64], t_end=0.3)
    assert not sign.holds
    assert not sign.given
    assert {mend.kind for mend in sign.mends} == {"sign"}
    assert not one(Equation("length", left=lambda a, q: 0.81 * a.phi + 9.81 * g.sin(q.phi))).holds
    mixed = one(Equation("mixed", left=lambda a, q, p: 0.8 * a.phi + p.g * g.sin(q.phi)))
    assert not mixed.holds  # it names a parameter, so it claims to be true of all
    assert "it holds at the given numbers only: write p.m, p.l" in str(mixed)
    assert one(Equation("all", left=lambda a, q, p: p.l * a.phi + p.g * g.sin(q.phi))).given == ""


@pytest.mark.long
def test_terms_by_label_are_named_in_the_mend():
    found = one(
        Equation("motion", left={"inertia": lambda a, p: p.l * a.phi, "weight": lambda q, p: -p.g * g.sin(q.phi)})
    )
    assert not found.holds
    assert any("the term weight disagrees; with the opposite sign" in str(mend) for mend in found.mends)


@pytest.mark.long
def test_lagrangian_and_hamiltonian_may_differ_by_a_constant_and_by_nothing_else():
    def L(q, v, p):
        return p.m * p.l**2 * v.phi**2 / 2 + p.m * p.g * p.l * g.cos(q.phi)

    momentum = ANGLE | {"p_1": lambda q, v, p: p.m * (q.x * v.y - q.y * v.x)}
    H = Hamiltonian("H", function=lambda q, p: q.p_1**2 / (2 * p.m * p.l**2) - p.m * p.g * p.l * g.cos(q.phi))
    assert one(Lagrangian("L", function=L)).holds
    assert one(Lagrangian("L", function=lambda q, v, p: L(q, v, p) + 3 * p.m)).holds
    assert not one(Lagrangian("L", function=lambda q, v, p: 2 * L(q, v, p))).holds
    assert one(H, quantities=momentum).holds


@pytest.mark.long
def test_an_integral_is_told_from_what_changes():
    energy = Integral("E", function=lambda q, v, p: p.l * v.phi**2 / 2 - p.g * g.cos(q.phi))
    assert one(energy).holds
    assert not one(Integral("E", function=lambda q, v, p: p.l * v.phi**2 - p.g * g.cos(q.phi))).holds
    assert not one(Integral("p", function=lambda v: v.phi)).holds


@pytest.mark.long
def test_matrices_must_have_the_rank_of_the_rows():
    assert one(ConstraintMatrix("A", matrix=lambda q: [[q.x, q.y]])).holds
    assert not one(ConstraintMatrix("A", matrix=lambda q: [[q.x, -q.y]])).holds
    assert "rank 0, not 1" in one(ConstraintMatrix("A", matrix=lambda q: [[0.0, 0.0 * q.x]])).note
    assert one(ControlFields("G", matrix=lambda q: [[q.y], [-q.x]])).holds
    assert not one(ControlFields("G", matrix=lambda q: [[q.x], [q.y]])).holds
    assert "rank 0, not 1" in one(ControlFields("G", matrix=lambda q: [[0.0 * q.x], [0.0]])).note


def test_closed_forms_are_asked_along_the_motion_and_need_one():
    fall = g.System("fall", coordinates="z", kinetic_energy=lambda v: v.z**2 / 2, potential_energy=lambda q: 9.81 * q.z)
    form = ClosedForm("z", of="z", function=lambda t: 2.0 * t - 9.81 * t**2 / 2)
    given = {"system": fall, "q": [0.0], "v": [2.0], "quantities": {}}
    assert one(form, **given, t_end=1.0).holds
    wrong = ClosedForm("z", of="z", function=lambda t: 2.0 * t - 9.81 * t**2)
    found = one(wrong, **given, t_end=1.0)
    assert not found.holds
    assert [mend.change for mend in found.mends] == ["times 1/2"]
    with pytest.raises(InputError, match="needs a motion"):
        one(form, **given)


def test_derivatives_and_identities_need_no_motion():
    def L(q, v):
        return q.r**2 * v.r**2

    right = Derivative("by r", of=L, by="q.r", function=lambda q, v: 2 * q.r * v.r**2)
    wrong = Derivative("by ṙ", of=L, by="q.r", function=lambda q, v: 2 * q.r**2 * v.r, correct="v.r")
    line = g.System("line", coordinates="r", kinetic_energy=lambda v: v.r**2 / 2)
    assert one(right, system=line, q=[1.0], quantities={}).holds
    found = one(wrong, system=line, q=[1.0], quantities={})
    assert not found.holds
    assert found.settled
    ranges = {"ranges": {"e": (0.1, 0.9), "l": (0.5, 2.0)}, "system": None, "q": None, "quantities": {}}
    semi = Equation(
        "b", left=lambda q: q.l / g.sqrt(1 - q.e**2), right=lambda q: q.l / (1 - q.e**2) * g.sqrt(1 - q.e**2)
    )
    assert one(semi, **ranges).holds


@pytest.mark.long
def test_a_correct_form_that_fails_is_not_settled():
    found = one(Equation("motion", left=lambda a: a.phi, correct=lambda a: 2 * a.phi))
    assert not found.holds
    assert not found.settled


@pytest.mark.long
def test_statements_that_cannot_be_read_are_refused():
    with pytest.raises(ModelError, match="argument 'z'"):
        one(Equation("z", left=lambda z: z))
    with pytest.raises(InputError, match="names two things"):
        one(Equation("0", left=lambda: 0.0), parameters={"phi": 1.0})
    with pytest.raises(InputError, match="2 left and 3 right"):
        one(Equation("sides", left=lambda q: [q.x, q.y], right=lambda q: [q.x, q.y, q.x]))
    with pytest.raises(InputError, match="no second rate"):
        one(Equation("p", left=lambda a: a.p_1), quantities=ANGLE | {"p_1": lambda q, v: q.x * v.y})
    with pytest.raises(InputError, match="system and a state"):
        one(Equation("0", left=lambda q: q.x), q=None)


MODEL = '''"""A pendulum of my own."""
import gauss as g
from gauss.sources import Equation, Printed

system = g.System(
    "my pendulum", coordinates="phi", kinetic_energy=lambda v: 0.5 * v.phi**2, potential_energy=lambda q: -g.cos(q.phi)
)
start = g.Start(q=[1.0], t_end=1.0)
equations = Printed("my notes", [Equation("motion", left=lambda q, a: a.phi {sign} g.sin(q.phi), number="(1)")])
'''


def command(*arguments):
    line = [sys.executable, "-m", "gauss", *arguments]
    return subprocess.run(line, capture_output=True, text=True, timeout=120)


@pytest.mark.long
def test_the_command_line_verifies_a_users_file_and_says_so_by_its_status(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(MODEL.format(sign="+"))
    done = command("verify", str(path))
    assert done.returncode == 0, done.stderr
    assert "all 1 statements hold" in done.stdout
    path.write_text(MODEL.format(sign="-"))
    done = command("verify", str(path), "--json")
    assert done.returncode == 1
    (entry,) = json.loads(done.stdout)["statements"]
    assert entry["verdict"] == "fails"
    assert entry["number"] == "(1)"
    assert {mend["kind"] for mend in entry["mends"]} == {"sign"}


def test_statements_are_found_by_the_name_of_their_scenario_or_of_their_source():
    assert sources.load("inverted_pendulum").equations[0].system.name == "inverted pendulum on a cart"
    assert sources.load("tm_0_kepler").equations[0].system.name == "planet"
    with pytest.raises(FileError, match="Did you mean inverted_pendulum"):
        sources.load("inverted_pendulam")
    with pytest.raises(InputError, match="bouncing_ball has no printed statements"):
        sources.load("bouncing_ball")
    with pytest.raises(FileError, match="there is no file"):
        sources.load("nowhere.py")


@pytest.mark.long
def test_the_command_line_shows_a_known_misprint_with_its_mend():
    done = command("verify", "ball_and_beam")
    assert done.returncode == 0, done.stderr
    assert "times r_dot" in done.stdout
    assert "1 misprints, whose correct forms hold" in done.stdout


@pytest.mark.long
def test_what_is_no_collection_is_refused(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(MODEL.format(sign="+") + "\nequations = 3\n")
    with pytest.raises(FileError, match="Printed collection"):
        sources.load(path)
    path.write_text(MODEL.format(sign="+").replace("equations = ", "others = "))
    assert "printed statements" in command("verify", str(path)).stderr
    path.write_text("import gauss as g\nmine = g.sources.Printed('notes', [])\n")
    with pytest.raises(
        FileError, match=r"no `system` .*, `start` .*, `equations` .* 'mine' must be called `equations`"
    ):
        sources.load(path)


# ------------------------------------------------------------------ what must not hold, or not without a word

hoop = g.System(
    "bead on a rotating hoop",
    coordinates="th",
    kinetic_energy=lambda q, v, p: 0.5 * p.m * p.R**2 * (v.th**2 + p.W**2 * g.sin(q.th) ** 2),
    potential_energy=lambda q, p: -p.m * p.g * p.R * g.cos(q.th),
    parameters={"m": 1.2, "R": 0.7, "W": 3.0, "g": 9.81},
)
HOOP = {"system": hoop, "q": [0.6], "v": [0.4], "quantities": {"p_1": lambda q, v, p: p.m * p.R**2 * v.th}}


def hoop_hamiltonian(sign):
    return lambda q, p: (
        q.p_1**2 / (2 * p.m * p.R**2)
        + sign * p.m * p.R**2 * p.W**2 * g.sin(q.th) ** 2 / 2
        - p.m * p.g * p.R * g.cos(q.th)
    )


def test_the_hamiltonian_is_the_legendre_transform_where_that_is_not_the_energy():
    assert one(Hamiltonian("H", function=hoop_hamiltonian(-1)), **HOOP).holds
    assert one(Integral("H is conserved", function=hoop_hamiltonian(-1)), **HOOP).holds
    energy = one(Hamiltonian("T + V", function=hoop_hamiltonian(+1)), **HOOP)
    assert not energy.holds
    assert {mend.kind for mend in energy.mends} == {"sign"}


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    ("statement", "words"),
    [
        pytest.param(Integral("a", function=lambda a: a.x), "names x_ddot; an integral", id="integral of a"),
        pytest.param(Integral("l", function=lambda l: l.rod), "names lambda_1; an integral", id="integral of λ"),
        pytest.param(Integral("two", function=lambda v: [v.x, v.y]), "returned 2 numbers", id="integral of two"),
        pytest.param(Equation("none", left={}), "has no terms", id="no terms"),
        pytest.param(Equation("empty", left=lambda q: []), "empty list", id="empty list"),
        pytest.param(Equation("terms", left={"a": lambda q: [q.x, q.y]}), "term 'a' returned 2", id="term of two"),
        pytest.param(
            Equation("both", left={"a": lambda q: q.x - q.x}, right=5.0), "make the right side one", id="right ignored"
        ),
        pytest.param(Equation("nan", left=lambda q: q.x / 0), "nan, infinite or complex", id="division by zero"),
        pytest.param(Equation("i", left=lambda q: 1j * q.x), "nan, infinite or complex", id="complex"),
        pytest.param(Equation("if", left=lambda q: g.where(q.x > 0, q.x, -q.x)), "contains Piecewise", id="where"),
        pytest.param(Equation("==", left=lambda q: q.x == 0.3), "not a number", id="comparison"),
        pytest.param(Equation("log", left=lambda q: g.log(-1 - q.x**2)), "'log' is finite at 0 of 24", id="domain"),
        pytest.param(Derivative("d", of=lambda q: q.x, by="x", function=lambda: 1.0), "'q.r', 'v.r'", id="by x"),
        pytest.param(Derivative("d", of=lambda q: q.x, by=3, function=lambda: 1.0), "by 3", id="by 3"),
        pytest.param(ConstraintMatrix("A", matrix=lambda q: [[q.x]]), "expected 2 (x, y)", id="A too narrow"),
        pytest.param(ConstraintMatrix("A", matrix=lambda q: [[q.x, q.y, 0]]), "expected 2 (x, y)", id="A too wide"),
        pytest.param(ControlFields("G", matrix=lambda q: [[q.y, -q.x]]), "matrix of 2 rows (x, y)", id="G turned"),
        pytest.param(ControlFields("G", matrix=lambda q: [q.y, -q.x]), "matrix of 2 rows (x, y)", id="G flat"),
        pytest.param(g.Claim("c", 0.0, 1.0, ""), "a Claim among its statements", id="no statement"),
    ],
)
def test_a_statement_that_cannot_be_judged_is_refused_by_name(statement, words):
    with pytest.raises(g.errors.GaussError) as caught:
        one(statement)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"quantities": ANGLE | {"x_dot": lambda q: q.x}}, "x_dot names two things"),
        ({"quantities": ANGLE | {"t": lambda q: q.x}}, "t names two things"),
        ({"quantities": ANGLE | {"lambda_1": lambda q: q.x}}, "lambda_1 names two things"),
        ({"quantities": {"k": lambda q: q.phi**2} | ANGLE}, "'k' names phi; define it before"),
        ({"quantities": ANGLE | {"k": lambda q: g.log(-1 - q.x**2)}}, "'k', or its rate, is not finite"),
        ({"quantities": ANGLE | {3: lambda q: q.x}}, "3 is not a name"),
        ({"parameters": {"g": 3.0}}, "'g' is 9.81 in the system"),
        ({"parameters": {"k": np.nan}}, "'k' must be finite"),
        ({"parameters": {"t": -2.0}}, "t names two things"),
        ({"system": "pendulum"}, "must be a gauss.System"),
        ({"system": None, "q": None, "quantities": {}, "ranges": {"e": (1.0, 0.0)}}, "must increase"),
        ({"system": None, "q": None, "quantities": {}, "ranges": {"e": 3}}, "the range of 'e'"),
    ],
)
def test_settings_that_would_mislead_are_refused(settings, words):
    with pytest.raises(InputError, match=words):
        one(Equation("0", left=lambda: 0.0), **settings)


def test_a_collection_needs_statements_and_verify_a_collection_a_count_and_a_seed():
    with pytest.raises(InputError, match="no statements"):
        verify(collection())
    with pytest.raises(InputError, match="Printed collection"):
        verify([collection()])
    statement = Equation("0", left=lambda: 0.0)
    for wrong in ({"count": 0}, {"count": "a"}, {"count": 1.5}, {"seed": -1}):
        with pytest.raises(InputError, match="whole number"):
            verify(collection(statement), **wrong)


@pytest.mark.long
def test_what_holds_for_any_numbers_is_said_to_be_an_identity():
    for statement in (
        Integral("a constant", function=lambda p: p.m),
        Integral("one", function=lambda q: g.sin(q.phi) ** 2 + g.cos(q.phi) ** 2),
        Equation("nothing", left=lambda: 0.0),
    ):
        found = one(statement)
        assert found.holds
        assert found.identity
        assert "identity" in str(found)
    rod = one(Integral("length of the rod", function=lambda q: q.x**2 + q.y**2))
    assert rod.holds
    assert not rod.identity


def test_a_false_lagrangian_fails_at_any_number_of_states_that_tells_a_constant():
    false = Lagrangian("L", function=lambda v: 5 * v.x)
    for count in (2, 3, 4, 5):
        (found,) = verify(collection(false), count=count, mending=False)
        assert not found.holds, count
    with pytest.raises(InputError, match="two states of equal parameters"):
        verify(collection(false), count=1, mending=False)
    printed = collection(false)
    world = SymbolSet.of(printed)
    (row,) = rows_of(printed, world, false, false.function)
    sample = random_sample(printed, world, 12, 0)
    with pytest.raises(InputError, match="two states of equal parameters"):
        residuals(row, replace(sample, group=np.arange(12)))


def test_states_where_a_formula_is_not_finite_are_counted_and_do_not_spoil_the_others():
    def L(q, v, p):
        return p.m * (v.x**2 + v.y**2) / 2 - p.m * p.g * q.y + g.log(q.x**2) - 2 * g.log(q.x)

    found = one(Lagrangian("L", function=L), spread=1.0)
    assert found.holds
    assert found.left_out > 0
    assert found.states + found.left_out == 24


@pytest.mark.long
def test_a_correct_form_of_a_matrix_must_have_the_rank_of_the_rows():
    zero = ConstraintMatrix("A", matrix=lambda q: [[q.x, -q.y]], correct=lambda q: [[0.0, 0.0]])
    right = ConstraintMatrix("A", matrix=lambda q: [[q.x, -q.y]], correct=lambda q: [[q.x, q.y]])
    assert not one(zero).settled
    assert one(right).settled


def test_a_closed_form_may_not_name_what_it_gives():
    with pytest.raises(InputError, match="a closed form is a function of t and p"):
        one(ClosedForm("x", of="x", function=lambda q: q.x), q=[0.48, -0.64], t_end=0.5)
    with pytest.raises(InputError, match="is of 'z'; known: x, y, phi"):
        one(ClosedForm("z", of="z", function=lambda t: t), q=[0.48, -0.64], t_end=0.5)


@pytest.mark.long
def test_multipliers_of_rows_that_depend_on_one_another_are_not_taken_for_determined():
    double = g.System(
        "held twice",
        coordinates="x y",
        kinetic_energy=lambda v: (v.x**2 + v.y**2) / 2,
        constraints=[g.Holonomic("a", lambda q: q.x - 1), g.Holonomic("b", lambda q: 2 * q.x - 2)],
        force=lambda: [3.0, 1.0],
    )
    given = {"system": double, "q": [1.0, 0.0], "quantities": {}}
    assert one(Equation("what is determined", left=lambda l: l.a + 2 * l.b + 3), **given).holds
    least_norm = one(Equation("that of least norm", left=lambda l: l.a + 1.5), **given)
    assert not least_norm.holds
    assert "lambda_1 not determined" in least_norm.note


def test_changes_that_mend_one_row_are_alternatives():
    cart = g.System("cart", "x", kinetic_energy=lambda v: v.x**2, potential_energy=lambda q: 4 * q.x**2)
    wrong = Equation("phi", left=lambda a: 2 * a.x, right=lambda q: 8 * q.x)
    (found,) = verify(Printed("notes", [wrong], cart, q=[0.1]), count=9)
    left, right = found.mends
    assert str(found).endswith(f"{left}; or {right}")


@pytest.mark.long
def test_a_list_of_verdicts_prints_a_line_for_each_and_has_a_card():
    right = Equation("phi", left=lambda q, a, p: p.l * a.phi + p.g * g.sin(q.phi))
    wrong = Equation("<phi>", left=lambda q, a, p: p.l * a.phi - p.g * g.sin(q.phi))
    found = verify(collection(right, wrong), count=24)
    assert isinstance(found, list)
    lines = repr(found).splitlines()
    assert [line[0] for line in lines] == ["✓", "✗"]
    assert "FAILS" in lines[1]
    page = found._repr_html_()
    assert "1 of 2 statements fail" in page
    assert "&lt;phi&gt;" in page
    assert str(found[1].mends[0])[:20] in page
    assert "1 of 1 statements fail" in found[1]._repr_html_()


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("function", "words"),
    [(np.cos, "gauss.cos instead of numpy.cos"), (np.arcsin, "gauss.asin instead"), (math.cos, "instead of math.sin")],
)
def test_functions_of_other_libraries_are_named_with_those_to_write(function, words):
    with pytest.raises(ModelError, match=words):
        verify(collection(Equation("phi", left=lambda q: function(q.phi))))
