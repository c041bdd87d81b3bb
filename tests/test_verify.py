"""Printed statements: what is true holds to rounding, what is false fails, every source claim is settled."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gauss as g
from gauss import scenario as scenarios
from gauss.analysis.equations import (
    ClosedForm,
    ConstraintMatrix,
    ControlFields,
    Derivative,
    Equation,
    Hamiltonian,
    Integral,
    Lagrangian,
    Printed,
)
from gauss.analysis.samples import random_sample
from gauss.analysis.verify import verify
from gauss.analysis.world import World
from gauss.errors import FileError, InputError, ModelError

ROOT = Path(__file__).resolve().parent.parent
PRINTED = sorted((ROOT / "validation" / "printed").glob("*.py"))
SCENARIOS = [name for name in scenarios.names() if scenarios.load(name).equations]
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


@pytest.mark.parametrize("name", [*SCENARIOS, *PRINTED], ids=lambda x: getattr(x, "stem", x))
def test_every_printed_statement_of_the_sources_is_settled(name):
    for printed in scenarios.load(name).equations:
        for entry in verify(printed, count=24, seed=3, mending=False):
            assert entry.settled, str(entry)
            if not entry.holds:
                assert entry.statement.remark, f"{entry.statement.name}: a misprint needs a word on what is meant"
                assert entry.residual > 1e-3
                if "integrator" not in entry.reason:
                    assert entry.corrected <= CORRECT


def test_the_sources_have_the_misprints_that_are_known():
    names = [*SCENARIOS, *PRINTED]
    entries = [e for name in names for p in scenarios.load(name).equations for e in verify(p, count=24, mending=False)]
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
    sample = random_sample(printed, World.of(printed), 4, 0)
    world = World.of(printed)
    assert sample.values[world.v.phi][0] == pytest.approx((phi[2] - phi[0]) / (2 * h), rel=1e-5)
    assert sample.values[world.a.phi][0] == pytest.approx((phi[2] - 2 * phi[1] + phi[0]) / h**2, rel=1e-4)


def test_accelerations_and_multipliers_at_random_states_are_those_of_gauss():
    printed = collection(Equation("nothing", left=lambda: 0.0))
    world = World.of(printed)
    sample = random_sample(printed, world, 12, 5)
    for k in range(sample.count):
        given = {name: float(sample.values[world.p[name]][k]) for name in pendulum.parameters}
        q, v = ([float(sample.values[side[j]][k]) for j in range(2)] for side in (world.q, world.v))
        step = g.accelerate(pendulum.with_parameters(**given), q, v, float(sample.values[world.t][k]))
        assert [sample.values[world.a[j]][k] for j in range(2)] == pytest.approx(step.a, rel=1e-10)
        assert sample.values[world.l[0]][k] == pytest.approx(step.multiplier("rod"), rel=1e-10)


def test_parameters_of_the_system_are_varied():
    wrong = Equation("true for m = 1.3 only", left=lambda a, q, p: p.m * a.phi + 1.3 * p.g / p.l * g.sin(q.phi))
    right = Equation("true for every m", left=lambda a, q, p: p.m * a.phi + p.m * p.g / p.l * g.sin(q.phi))
    assert not one(wrong).holds
    assert one(right).holds


def test_terms_by_label_are_named_in_the_mend():
    found = one(
        Equation("motion", left={"inertia": lambda a, p: p.l * a.phi, "weight": lambda q, p: -p.g * g.sin(q.phi)})
    )
    assert not found.holds
    assert any("the term weight disagrees; with the opposite sign" in str(mend) for mend in found.mends)


def test_lagrangian_and_hamiltonian_may_differ_by_a_constant_and_by_nothing_else():
    def L(q, v, p):
        return p.m * p.l**2 * v.phi**2 / 2 + p.m * p.g * p.l * g.cos(q.phi)

    momentum = ANGLE | {"p_1": lambda q, v, p: p.m * (q.x * v.y - q.y * v.x)}
    H = Hamiltonian("H", function=lambda q, p: q.p_1**2 / (2 * p.m * p.l**2) - p.m * p.g * p.l * g.cos(q.phi))
    assert one(Lagrangian("L", function=L)).holds
    assert one(Lagrangian("L", function=lambda q, v, p: L(q, v, p) + 3 * p.m)).holds
    assert not one(Lagrangian("L", function=lambda q, v, p: 2 * L(q, v, p))).holds
    assert one(H, quantities=momentum).holds


def test_an_integral_is_told_from_what_changes():
    energy = Integral("E", function=lambda q, v, p: p.l * v.phi**2 / 2 - p.g * g.cos(q.phi))
    assert one(energy).holds
    assert not one(Integral("E", function=lambda q, v, p: p.l * v.phi**2 - p.g * g.cos(q.phi))).holds
    assert not one(Integral("p", function=lambda v: v.phi)).holds


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


def test_a_correct_form_that_fails_is_not_settled():
    found = one(Equation("motion", left=lambda a: a.phi, correct=lambda a: 2 * a.phi))
    assert not found.holds
    assert not found.settled


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
from gauss.analysis.equations import Equation, Printed

system = g.System(
    "my pendulum", coordinates="phi", kinetic_energy=lambda v: 0.5 * v.phi**2, potential_energy=lambda q: -g.cos(q.phi)
)
start = g.Start(q=[1.0], t_end=1.0)
equations = Printed("my notes", [Equation("motion", left=lambda q, a: a.phi {sign} g.sin(q.phi), number="(1)")])
'''


def command(*arguments):
    line = [sys.executable, "-m", "gauss", *arguments]
    return subprocess.run(line, capture_output=True, text=True, timeout=120)


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


def test_the_command_line_shows_a_known_misprint_with_its_mend():
    done = command("verify", "ball_and_beam")
    assert done.returncode == 0, done.stderr
    assert "times r_dot" in done.stdout
    assert "1 misprints, whose correct forms hold" in done.stdout


def test_what_is_no_collection_is_refused(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(MODEL.format(sign="+") + "\nequations = 3\n")
    with pytest.raises(FileError, match="Printed collection"):
        scenarios.load(path)
    path.write_text(MODEL.format(sign="+").replace("equations = ", "others = "))
    assert "no printed statements" in command("verify", str(path)).stderr
