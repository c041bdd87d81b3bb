"""Exercises: right answers in any form are accepted, the wrong term of a wrong one is named, junk gets a sentence."""

from __future__ import annotations

import io
import json
import sys

import numpy as np
import pytest
from rich.console import Console

import gauss as g
from gauss import sources
from gauss.cli import main
from gauss.errors import FileError, InputError
from gauss.show import exercises as pages
from gauss.sources import Exercise, ExerciseQuestion, Printed

# For each exercise: a question, its right answer in another form than the solution's, and three wrong ones with the
# kind of the mistake and the term that must be named ("" for a missing one).
CASES = {
    "ball_and_beam": (
        "equation of phi",
        "phi_ddot = -m*r*(2*r_dot*phi_dot + g*cos(phi))/(I + m*r**2)",
        ("(I + m*r**2)*phi_ddot - 2*m*r*r_dot*phi_dot + m*g*r*cos(phi) = 0", "sign", "-2*m*r*r_dot*phi_dot"),
        ("(I + m*r**2)*phi_ddot + m*r*r_dot*phi_dot + m*g*r*cos(phi) = 0", "factor", "m*r*r_dot*phi_dot"),
        ("(I + m*r**2)*phi_ddot + m*g*r*cos(phi) = 0", "missing term", "r_dot"),
    ),
    "charged_ball": (
        "equation of x",
        "(l - x)**2*(m*x_ddot + k*x) = K",
        ("m*x_ddot - k*x - K/(l - x)**2 = 0", "sign", "-k*x"),
        ("m*x_ddot + k*x/2 = K/(l - x)**2", "factor", "k*x/2"),
        ("m*x_ddot = K/(l - x)**2", "missing term", "x"),
    ),
    "cycloid": (
        "equation of phi",
        "4*R*cos(phi/2)**2*phi_ddot - 2*R*sin(phi/2)*cos(phi/2)*phi_dot**2 = -g*sin(phi)",
        ("2*R*(1 + cos(phi))*phi_ddot + R*sin(phi)*phi_dot**2 + g*sin(phi) = 0", "sign", "R*sin(phi)*phi_dot**2"),
        (
            "2*R*(1 + cos(phi))*phi_ddot - 2*R*sin(phi)*phi_dot**2 + g*sin(phi) = 0",
            "factor",
            "-2*R*sin(phi)*phi_dot**2",
        ),
        ("2*R*(1 + cos(phi))*phi_ddot + g*sin(phi) = 0", "missing term", "phi_dot**2"),
    ),
    "elastic_pendulum": (
        "equation of theta",
        "m*l**2*theta_ddot + 2*m*l*l_dot*theta_dot = m*l**2*sin(2*theta)*phi_dot**2/2 - m*g*l*sin(theta)",
        (
            "l*theta_ddot - 2*l_dot*theta_dot - l*sin(theta)*cos(theta)*phi_dot**2 + g*sin(theta) = 0",
            "sign",
            "-2*l_dot*theta_dot",
        ),
        (
            "l*theta_ddot + l_dot*theta_dot - l*sin(theta)*cos(theta)*phi_dot**2 + g*sin(theta) = 0",
            "factor",
            "l_dot*theta_dot",
        ),
        ("l*theta_ddot + 2*l_dot*theta_dot + g*sin(theta) = 0", "missing term", "phi_dot**2"),
    ),
    "furuta_pendulum": (
        "T",
        "m/2*((a*theta_dot + b*theta_dot*sin(phi))**2 + b**2*phi_dot**2*(sin(phi)**2 + cos(phi)**2))",
        ("m*(a + b*sin(phi))**2*theta_dot**2/2 - m*b**2*phi_dot**2/2", "sign", "-m*b**2*phi_dot**2/2"),
        ("m*(a + b*sin(phi))**2*theta_dot**2/2 + m*b**2*phi_dot**2", "factor", "m*b**2*phi_dot**2"),
        ("m*(a + b*sin(phi))**2*theta_dot**2/2", "missing term", "phi_dot**2"),
    ),
    "hopping_leg": (
        "L",
        "m*(l_dot**2 + l**2*phi_dot**2)/2 - k*l**2/2 - m*g*l*(2*cos(phi/2)**2 - 1) + 3*m",
        ("m*l_dot**2/2 + m*l**2*phi_dot**2/2 + k*l**2/2 - m*g*l*cos(phi)", "sign", "k*l**2/2"),
        ("m*l_dot**2/2 + m*l**2*phi_dot**2/2 - k*l**2 - m*g*l*cos(phi)", "factor", "-k*l**2"),
        ("m*l_dot**2/2 + m*l**2*phi_dot**2/2 - k*l**2/2", "missing term", "cos(phi)"),
    ),
    "kepler": (
        "equation of r",
        "m*r**2*r_ddot = m*r**3*phi_dot**2 - GM*m",
        ("r_ddot + r*phi_dot**2 + GM/r**2 = 0", "sign", "r*phi_dot**2"),
        ("r_ddot - r*phi_dot**2 + 2*GM/r**2 = 0", "factor", "2*GM/r**2"),
        ("r_ddot + GM/r**2 = 0", "missing term", "phi_dot**2"),
    ),
    "lagranges_top": (
        "T",
        "(I1*(beta_dot**2 + alpha_dot**2*(1 - cos(beta)**2)) + I3*(gamma_dot + alpha_dot*cos(beta))**2)/2",
        (
            "I1*beta_dot**2/2 - I1*alpha_dot**2*sin(beta)**2/2 + I3*(gamma_dot + alpha_dot*cos(beta))**2/2",
            "sign",
            "-I1*alpha_dot**2*sin(beta)**2/2",
        ),
        (
            "I1*beta_dot**2 + I1*alpha_dot**2*sin(beta)**2/2 + I3*(gamma_dot + alpha_dot*cos(beta))**2/2",
            "factor",
            "I1*beta_dot**2",
        ),
        ("I1*beta_dot**2/2 + I3*(gamma_dot + alpha_dot*cos(beta))**2/2", "missing term", "sin(beta)**2"),
    ),
    "pendulum": (
        "equation of phi",
        "phi'' = -2*g/l*sin(phi/2)*cos(phi/2)",
        ("m*l**2*phi_ddot - m*g*l*sin(phi) = 0", "sign", "-m*g*l*sin(phi)"),
        ("l*phi_ddot + 2*g*sin(phi) = 0", "factor", "2*g*sin(phi)"),
        ("m*l**2*phi_ddot = 0", "missing term", "sin(phi)"),
    ),
    "pendulum_on_cart": (
        "equation of X",
        "X'' = m*l*(phi'^2*sin(phi) - phi''*cos(phi))/(M + m)",
        ("(M + m)*X'' + m*l*phi''*cos(phi) + m*l*phi'^2*sin(phi) = 0", "sign", "m*l*phi_dot**2*sin(phi)"),
        ("(M + m)*X'' + m*l*phi''*cos(phi) = 2*m*l*phi'^2*sin(phi)", "factor", "2*m*l*phi_dot**2*sin(phi)"),
        ("(M + m)*X'' + m*l*phi''*cos(phi) = 0", "missing term", "phi_dot**2 and sin(phi)"),
    ),
    "rotating_hoop": (
        "equation of theta",
        "m*r*theta_ddot + m*g*sin(theta) = m*r*Omega**2*sin(2*theta)/2",
        (
            "r*theta_ddot + r*Omega**2*sin(theta)*cos(theta) + g*sin(theta) = 0",
            "sign",
            "r*Omega**2*sin(theta)*cos(theta)",
        ),
        (
            "r*theta_ddot - 2*r*Omega**2*sin(theta)*cos(theta) + g*sin(theta) = 0",
            "factor",
            "-2*r*Omega**2*sin(theta)*cos(theta)",
        ),
        ("r*theta_ddot + g*sin(theta) = 0", "missing term", "cos(theta)"),
    ),
    "spherical_pendulum": (
        "equation of theta",
        "theta_ddot = sin(2*theta)*phi_dot**2/2 + g/r*sin(theta)",
        ("r*theta_ddot - r*sin(theta)*cos(theta)*phi_dot**2 + g*sin(theta) = 0", "sign", "g*sin(theta)"),
        (
            "r*theta_ddot - r*sin(theta)*cos(theta)*phi_dot**2/2 - g*sin(theta) = 0",
            "factor",
            "-r*sin(theta)*cos(theta)*phi_dot**2/2",
        ),
        ("r*theta_ddot - g*sin(theta) = 0", "missing term", "phi_dot**2"),
    ),
    "two_link_manipulator": (
        "V",
        "m*g*(a*sin(q1) + b*sin(q1)*cos(q2) + b*cos(q1)*sin(q2))",
        ("m*g*a*sin(q1) - m*g*b*sin(q1 + q2)", "sign", "-m*g*b*sin(q1 + q2)"),
        ("m*g*a*sin(q1) + m*g*b*sin(q1 + q2)/2", "factor", "m*g*b*sin(q1 + q2)/2"),
        ("m*g*a*sin(q1)", "missing term", "sin(q1 + q2)"),
    ),
}


def on_cart(asks, answer):
    return sources.exercise("pendulum_on_cart").check(asks, answer)


def test_every_exercise_has_its_case():
    assert set(CASES) == set(sources.exercise_names())


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", CASES)
def test_right_answers_are_accepted_in_two_forms(name):
    exercise = sources.exercise(name)
    for question in exercise.questions:
        assert exercise.check(question.asks, question.solution).right, question
        assert question.hints, question
    asks, other, *_ = CASES[name]
    assert exercise.check(asks, other).right, str(exercise.check(asks, other))
    assert exercise.source
    assert exercise.text


@pytest.mark.long
def test_missing_terms_are_counted():
    found = sources.exercise("pendulum_on_cart").check("X", "(M + m)*X'' = 0")
    assert str(found) == "equation of X: 2 terms are missing."
    assert found.words(2).count("a term with") == 2


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", CASES)
def test_planted_mistakes_are_found_and_named(name):
    exercise = sources.exercise(name)
    asks, _, *wrong = CASES[name]
    for answer, kind, named in wrong:
        found = exercise.check(asks, answer)
        assert not found.right
        assert [x.kind for x in found.wrong] == [kind], f"{answer}: {found}"
        if kind == "missing term":
            assert str(found) == f"{asks}: a term is missing."  # nothing more at once
            assert named in found.words(2)
        else:
            assert found.wrong[0].term == named
            assert named in str(found)


@pytest.mark.long
def test_of_two_terms_that_disagree_that_of_the_second_rate_is_taken_for_right():
    for answer in (
        "m*l**2*phi_ddot = m*g*l*sin(phi)",
        "m*g*l*sin(phi) - m*l**2*phi_ddot = 0",
        "-g*sin(phi) + l*phi'' = 0",
    ):
        (wrong,) = sources.exercise("pendulum").check("phi", answer).wrong
        assert "sin(phi)" in wrong.term
        assert wrong.kind == "sign"


@pytest.mark.long
def test_several_mistakes_are_named_together():
    found = on_cart("T", "(M + m)*X_dot**2 - m*l*X_dot*phi_dot*cos(phi) + m*l**2*phi_dot**2/2")
    assert {x.kind for x in found.wrong} == {"sign", "factor"}
    assert not found.alternatives


@pytest.mark.long
def test_a_mistake_in_a_form_that_is_not_the_solutions_is_found_by_the_search_for_mends():
    found = on_cart("T", "M*X_dot**2/2 + m/2*((X_dot - l*phi_dot*cos(phi))**2 + (l*phi_dot*sin(phi))**2)")
    assert {x.kind for x in found.wrong} == {"inner sign"}
    (wrong,) = on_cart("V", "m*g*l*sin(phi)").wrong
    assert (wrong.kind, wrong.term) == ("function", "m*g*l*sin(phi)")


@pytest.mark.long
def test_a_true_equation_that_is_not_the_one_asked_for_is_told():
    assert "it is the equation of phi" in on_cart("X", "l*phi'' + X''*cos(phi) = g*sin(phi)").note
    assert (
        "mixes"
        in on_cart(
            "X", "(M+m)*X'' + m*l*phi''*cos(phi) - m*l*phi'^2*sin(phi) + 2*l*phi'' + 2*X''*cos(phi) = 2*g*sin(phi)"
        ).note
    )
    for nothing in ("0 = 0", "X_ddot - X_ddot = 0"):
        found = on_cart("X", nothing)
        assert not found.right
        assert "second rates" in found.note


@pytest.mark.long
def test_an_energy_is_exact_and_a_potential_free_by_a_constant():
    assert on_cart("V", "m*g*l*(cos(phi) + 1)").right
    assert not on_cart("T", "(M + m)*X_dot**2/2 + m*l*X_dot*phi_dot*cos(phi) + m*l**2*phi_dot**2/2 + 1").right


@pytest.mark.long
def test_equilibria_are_points_of_rest_all_of_them():
    assert on_cart("equilibria", "pi, 2*pi").right
    found = on_cart("equilibria", "phi = 0; phi = pi/2")
    assert "phi = pi/2 is no equilibrium" in found.note
    assert "1 of 2 equilibria is missing" in found.note
    hoop = sources.exercise("rotating_hoop")
    assert "2 of 4 equilibria are missing" in hoop.check("equilibria", "0, pi").note
    assert hoop.check("equilibria", "theta = -acos(g/r/Omega**2); 0; acos(g/(r*Omega**2)); -pi").right
    assert not sources.exercise("ball_and_beam").check("equilibria", "r = 1, phi = 0; r = 0, phi = pi").right


@pytest.mark.long
def test_angles_in_degrees_and_rounded_ones_are_told_as_such():
    found = on_cart("equilibria", "phi = 0; phi = 180")
    assert not found.right
    assert "Angles are in radians: 180 degrees are pi." in found.note
    assert "rounded; write phi = pi" in on_cart("equilibria", "phi = 0; phi = 3.1416").note
    assert "radians" not in on_cart("equilibria", "phi = 0; phi = 90").note
    assert on_cart("equilibria", "phi = 0°; phi = 180°").right
    assert "X may have any value" in on_cart("equilibria", "X = 0, phi = 0").note
    with pytest.raises(InputError, match="does not say what it answers"):
        sources.exercise("pendulum_on_cart").asked("phi = 0; phi = pi")
    with pytest.raises(InputError, match="does not ask for 'L'; it asks for"):
        sources.exercise("pendulum_on_cart").asked("L = 0")


def hoop():
    """A bead on a hoop that turns at the rate w: at rest where sin(x) = 0 or cos(x) = g/(r w²)."""
    return g.System(
        "bead",
        coordinates="s x",
        parameters={"m": 0.7, "r": 1.5, "g": 9.81, "w": 4.0, "k": 2.0},
        kinetic_energy=lambda q, v, p: 0.5 * p.m * (v.s**2 + (p.r * v.x) ** 2 + (p.r * p.w * g.sin(q.x)) ** 2),
        potential_energy=lambda q, p: -p.m * p.g * p.r * g.cos(q.x),
        force=lambda q, v, p: {"s": -p.k * q.s - v.s},
    )


def of_my_own(*questions, system=None, coordinates="s x", **settings):
    about = Printed("mine", [], system=system or hoop(), q=[0.3, 0.03 if system else 0.7], **settings)
    return Exercise(
        about, coordinates, tuple(ExerciseQuestion(*question) for question in questions), "s place, x angle"
    )


POINTS = "s = 0, x = 0; s = 0, x = pi; s = 0, x = acos(g/r/w**2); s = 0, x = -acos(g/r/w**2)"


@pytest.mark.parametrize(
    "asked",
    [(), (("equation of s", "m*s_ddot + s_dot + k*s = 0"),), (("V", "-m*g*r*cos(x)"),)],
    ids=["alone", "with one equation", "with an energy"],
)
def test_equilibria_are_those_of_the_system_where_no_equation_is_asked_for(asked):
    exercise = of_my_own(*asked, ("equilibria", POINTS))
    assert exercise.check("equilibria", POINTS.replace("acos(g/r/w**2)", "acos(g/(r*w^2))")).right
    assert "1 of 4 equilibria is missing" in exercise.check("equilibria", POINTS.rpartition(";")[0]).note
    assert "no equilibrium" in exercise.check("equilibria", POINTS + "; s = 1, x = 0").note


def test_equilibria_of_a_system_with_rows_or_other_coordinates_need_their_equations():
    rod = g.Holonomic("rod", lambda q: q.x - 0.1 * q.s)
    for system, settings, names in (
        (hoop().with_constraints([rod]), {}, "s x"),
        (hoop(), {"quantities": {"y": lambda q: 2.0 * q.x}}, "s y"),
    ):
        with pytest.raises(InputError, match="ask for equation of s"):
            of_my_own(("equilibria", POINTS), system=system, coordinates=names, **settings)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (("T", "m*s_dot**2/2"), "'T' is not right"),
        (("V", "m*g*r*cos(x)"), "wrong sign"),
        (("V", "m g cos(x)"), "missing before g and cos: m"),
        (("equation of s", "m*s_ddot + k*s = 0"), "not right"),
        (("equation of s", "0 = 0"), "second rates"),
        (("equilibria", "nowhere"), "s = …, x = …"),
        (("equilibria", "s = 1, x = 0"), "no equilibrium"),
        (("omega", "height"), "'height' is not known"),
    ],
)
def test_an_exercise_with_a_wrong_solution_is_refused_when_it_is_made(question, words):
    with pytest.raises(InputError, match=words):
        of_my_own(("L", "m*s_dot**2/2 + m*r**2*x_dot**2/2 + m*(r*w*sin(x))**2/2 + m*g*r*cos(x)"), question)


@pytest.mark.long
def test_tasks_questions_and_verdicts_print_without_solutions():
    exercise = sources.exercise("pendulum")
    assert repr(exercise) == "Exercise(pendulum: T, V, equation of phi, equilibria, omega)"
    assert repr(exercise.question("V")) == "ExerciseQuestion('the potential energy V', 2 hints)"
    assert repr(exercise.check("V", "m*g*l*cos(phi)")) == "Check(V: the term m*g*l*cos(phi) has the wrong sign.)"
    for text in (str(exercise), repr(exercise), repr(exercise.questions), exercise._repr_html_()):
        assert not any(question.solution in text for question in exercise.questions)
        assert not any(hint in text for question in exercise.questions for hint in question.hints)
    assert "Asked are\n  T: the kinetic energy T\n" in str(exercise)
    assert "moment" not in str(exercise)
    for text in (exercise._repr_html_(), str(exercise)):
        assert "swings in a vertical plane" in text
    assert "wrong sign" in exercise.check("V", "m*g*l*cos(phi)")._repr_html_()


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("answer", "blamed"),
    [
        ("2*(M + m)*X'' + m*l*phi''*cos(phi) + m*l*phi'^2*sin(phi) = 0", {"sign", "factor"}),
        ("(M + m)*X'' + 2*m*l*phi''*cos(phi) + m*l*phi'^2*sin(phi) = 0", {"sign", "factor"}),
    ],
)
def test_of_two_mistakes_none_is_laid_on_a_right_term(answer, blamed):
    found = on_cart("X", answer)
    assert {x.kind for x in found.wrong} == blamed
    (sign,) = [x.term for x in found.wrong if x.kind == "sign"]
    assert "sin(phi)" in sign


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("text", "where", "mended"),
    [
        ("sin(theta)^2 phi'^2", "before phi_dot:", "sin(theta)**2*phi_dot**2"),
        ("½ m l^2 φ'²", "before m and l and phi_dot:", "(1/2)*m*l**2*phi_dot**2"),
        ("2m*g (1 - cos(phi))", "before m and (:", "2*m*g*(1 - cos(phi))"),
        ("1.5e2x", "before x:", "1.5e2*x"),
    ],
)
def test_a_product_without_its_sign_is_shown_with_it(text, where, mended):
    note = sources.exercise("pendulum").check("T", text).note
    assert f"missing {where} {mended}" in note


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", ["pendulum", "pendulum_on_cart", "cycloid"])
def test_frequencies_are_those_of_the_linear_equations(name):
    exercise = sources.exercise(name)
    system = exercise.about.system
    p = system.parameters
    lowest = {  # the position of the equilibrium, and omega² by hand
        "pendulum": lambda: ([0.0, -p["l"]], p["g"] / p["l"]),
        "pendulum_on_cart": lambda: ([0.0, 0.0, 0.0, -p["l"]], (p["M"] + p["m"]) * p["g"] / (p["M"] * p["l"])),
        "cycloid": lambda: ([0.0, 0.0, 0.0], p["g"] / (4 * p["R"])),
    }
    q, square = lowest[name]()
    rate = np.max(np.abs(g.linearize(system, q).eigenvalues))
    assert rate == pytest.approx(np.sqrt(square), rel=1e-7)
    text = {"pendulum": "(g/l)**(1/2)", "pendulum_on_cart": "sqrt(g/l + m*g/(M*l))", "cycloid": "sqrt(g/R)/2"}[name]
    assert exercise.check("omega", text).right
    assert not exercise.check("omega", "sqrt(l/g)" if "l" in p else "sqrt(g/R)").right


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("", "equation is expected"),
        ("X_ddot", "equation is expected"),
        ("= 0", "no formula"),
        ("x_dot = 0", "'x_dot' is not known; did you mean X_dot"),
        ("2 X'' = 0", "write products with *"),
        ("m(X'') = 0", "no function known here"),
        ("sin = 0", "needs its argument"),
        ("sin(phi, phi) = 0", "takes one argument"),
        ("__import__('os').system('true') = 0", "no formula"),
        ("phi.__class__ = 0", "a name with a dot"),
        ("m*np.cos(q.phi)*v.X = 0", "a name with a dot, as in programs; write cos(phi) here"),
        ("m*v.X = 0", "write X_dot here"),
        ("m*Cos(phi) = 0", "is written cos(…)"),
        ("m*cos phi = 0", "needs its argument in brackets: cos(phi)"),
        ("m*cos(phi = 0", "opens 1 bracket and closes 0"),
        ("[X_ddot] = 0", "does not belong in a formula"),
        ("'X' * 3 = 0", "no formula"),
        ("X_ddot/0 = 0", "divides by zero"),
        ("9**9**9**9 = 0", "exponent"),
        ("2**phi = 0", "exponent"),
        ("(10**9)**9 = 0", "too large"),
        ("1e400 = 0", "too large"),
        ("((X''**12)**12)**12 = 0", "exponent above 12"),
        ("sqrt(-1)*X'' = 0", "complex"),
        ("exp(1000)*X'' = 0", "infinite"),
        ("(X + phi)**12*(X + phi)**12 = 0", "more than 500 terms"),
        ("(" * 300 + "X" + ")" * 300 + " = 0", "no formula"),
        ("X" * 2000 + " = 0", "at most 1000 characters"),
        ("X_ddot = 1 = 2", "one sign ="),
        ("0,5*X'' = 0", "write numbers with a point, 0.5 and not 0,5"),
        ("lambda_1 = 0", "not known"),
    ],
)
def test_junk_gets_one_sentence(answer, says):
    found = on_cart("X", answer)
    assert not found.right
    assert not found.understood
    assert says in found.note
    assert "\n" not in str(found)
    assert "Traceback" not in str(found)


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    "line", ["omega = sqrt(1.3*9.81/0.5)", "omega: 5.05", "V = 0.3*9.81*0.5*cos(phi)", "phi: 0.5*phi'' = 9.81*sin(phi)"]
)
def test_numbers_in_place_of_parameters_are_told_as_such(line):
    """Those of the system, with which the answer holds, and others."""
    exercise = sources.exercise("pendulum_on_cart")
    question, answer = exercise.asked(line)
    found = exercise.check(question.asks, answer)
    assert (found.right, found.note[:45]) == (False, "numbers stand in place of parameters; write t")


@pytest.mark.long
def test_questions_are_named_with_greek_letters_and_second_rates_with_one_sign():
    exercise = sources.exercise("pendulum_on_cart")
    question, answer = exercise.asked('φ: l*φ" + X″*cos(φ) = g*sin(φ)')
    assert exercise.check(question.asks, answer).right
    assert exercise.asked("ω = sqrt(g/l)") == exercise.asked("omega: sqrt(g/l)")
    with pytest.raises(InputError, match=r"'x'; did you mean equation of X\?"):
        exercise.asked("x: (M + m)*X'' = 0")
    assert "'x' before the colon is no question" in exercise.check("equation of X", "x: (M + m)*X'' = 0").note
    with pytest.raises(InputError, match="does not ask for 'L'"):
        exercise.asked("L = T - V")
    with pytest.raises(InputError, match=r"and a colon: equation of X: X'' = 0"):
        exercise.asked("X'' = 0")


def test_what_is_no_text_gets_a_sentence_too():
    assert "an answer is a text" in on_cart("X", 3.0).note


def test_questions_and_exercises_that_there_are_not():
    with pytest.raises(InputError, match="does not ask for 'equation of psi'; did you mean equation of phi"):
        on_cart("equation of psi", "0 = 0")
    with pytest.raises(FileError, match="pendulum_on_cart"):
        sources.exercise("pendulum_on_car")
    with pytest.raises(InputError, match="equation of NAME"):
        Exercise(Printed("none", []), "x", (ExerciseQuestion("Q", "0"),))


def call(capsys, monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["gauss", "exercise", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    printed = capsys.readouterr()
    return ended.value.code or 0, printed.out, printed.err


@pytest.mark.long
def test_the_command_checks_answers_shows_hints_and_solutions(capsys, monkeypatch, tmp_path):
    status, out, _ = call(capsys, monkeypatch, "--json")
    assert status == 0
    assert {row["name"] for row in json.loads(out)} == set(CASES)
    status, out, _ = call(capsys, monkeypatch, "pendulum", "--answer", "V = m*g*l*cos(phi)")
    assert status == 1
    assert "the term m*g*l*cos(phi) has the wrong sign" in out
    assert "hint" not in out
    status, out, _ = call(capsys, monkeypatch, "pendulum", "--answer", "V = m*g*l*cos(phi)", "--hint")
    assert "How high is the point" in out
    assert "lowest point is at" not in out
    file = tmp_path / "answers.txt"
    file.write_text(
        "# mine\nT = m*(l*phi')^2/2\n\nphi: l*phi'' + g*sin(phi) = 0\nequilibria: 0, pi\n", encoding="utf-8"
    )
    status, out, _ = call(capsys, monkeypatch, "pendulum", "--file", str(file), "--json")
    answers = json.loads(out)["answers"]
    assert status == 0
    assert [entry["right"] for entry in answers] == [True, True, True]
    status, out, _ = call(capsys, monkeypatch, "pendulum", "--question", "omega", "--solution")
    assert status == 0
    assert "sqrt(g/l)" in out
    assert "phi_ddot + m*g" not in out


@pytest.mark.long
def test_the_command_says_in_a_sentence_what_it_cannot_read(capsys, monkeypatch, tmp_path):
    status, out, _ = call(capsys, monkeypatch, "pendulum", "--answer", "V = m*g*height")
    assert status == 2
    assert "'height' is not known" in out
    status, _, err = call(capsys, monkeypatch, "pendulum", "--answer", "nonsense")
    assert status == 2
    assert "does not say what it answers" in err
    status, _, err = call(capsys, monkeypatch, "pendulum", "--file", str(tmp_path / "none.txt"))
    assert status == 2
    assert "none.txt cannot be read: No such file or directory." in err
    (tmp_path / "asks.txt").write_text("T: m*l**2*phi'^2/2\n?\n")
    status, _, err = call(capsys, monkeypatch, "pendulum", "--file", str(tmp_path / "asks.txt"))
    assert (status, "'?' asks at the terminal and through a pipe; here --hint" in err) == (2, True)


@pytest.mark.long
def test_answers_come_through_a_pipe_line_by_line(capsys, monkeypatch):
    lines = "m*l**2*phi'^2/2\n# in words\n\nomega: sqrt(g/l)\nm*g*l*cos(phi)\nl*phi'' + g*sin(phi) = 0\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
    status, out, _ = call(capsys, monkeypatch, "pendulum")
    assert status == 1
    assert [line[:5] for line in out.splitlines()] == ["✓ T: ", "✓ ome", "✗ V: ", "✓ equ"]
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    status, out, _ = call(capsys, monkeypatch, "pendulum")
    assert (status, "Asked are" in out) == (0, True)
    monkeypatch.setattr(sys, "stdin", io.StringIO("x\n" * 6))
    status, _, err = call(capsys, monkeypatch, "pendulum")
    assert (status, "does not say what it answers" in err) == (2, True)


@pytest.mark.long
def test_hints_and_solutions_are_had_through_a_pipe_too(capsys, monkeypatch):
    lines = [
        "?",  # of T, the first question
        "m*l*phi'^2/2",  # wrong
        "?",  # of T once more, with what the answer lacks
        "m*l**2*phi'^2/2",  # T again
        "!",  # of V, the next one
        "equilibria: ?",
        "phi = 0; phi = 180",  # the equilibria
        "!",  # the same, as they were wrong
        "l*phi'' + g*sin(phi) = 0",
    ]
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(lines)))
    status, out, _ = call(capsys, monkeypatch, "pendulum")
    assert status == 1
    assert [line[:12] for line in out.splitlines()] == [
        "  hint 1: Th",
        "✗ T: the ter",
        "  hint 2: It",
        "✗ T: the ter",
        "✓ T: right.",
        "  V: -m*g*l*",
        "  hint 1: Wh",
        "✗ equilibria",
        "  equilibria",
        "✓ equation o",
    ]
    monkeypatch.setattr(sys, "stdin", io.StringIO("?\nm*l**2*phi'^2/2\n"))
    assert call(capsys, monkeypatch, "pendulum")[0] == 0
    monkeypatch.setattr(sys, "stdin", io.StringIO("T: !\n"))
    assert call(capsys, monkeypatch, "pendulum")[0] == 1


def converse(lines, name="pendulum", end=EOFError):
    waiting = iter(lines)

    def ask(_):
        try:
            return next(waiting)
        except StopIteration:
            raise end from None

    exercise = sources.exercise(name)
    console = Console(record=True, width=100, file=io.StringIO())
    status = pages.session(exercise, console, ask, exercise.questions[:2])
    return status, console.export_text()


@pytest.mark.long
def test_a_session_gives_hints_one_by_one_and_ends_politely():
    status, text = converse(["m*l*phi_dot**2/2", "?", "?", "?", "m*l**2*phi_dot**2/2", "!"])
    assert status == 1
    assert "hint 1: The point moves on a circle" in text
    assert "hint 2: Its speed" in text
    assert "no further hints" in text
    assert "V: -m*g*l*cos(phi)" in text
    assert "1 of 2 are right" in text
    assert converse(["m*l**2*phi_dot**2/2", "-m*g*l*cos(phi)"])[0] == 0
    status, text = converse([])
    assert (status, "0 of 2 are right" in text) == (1, True)
    assert converse([], end=KeyboardInterrupt)[0] == 130


@pytest.mark.long
def test_of_two_terms_the_one_is_blamed_that_the_solution_has_not():
    """To an equation it is the same whether one term lacks l or the other has l too much; the solution tells which."""
    for answer, kind, term in (
        ("m*l**2*phi'' + m*g*l**2*sin(phi) = 0", "superfluous factor", "m*g*l**2*sin(phi)"),
        ("m*l*phi'' + m*g*l*sin(phi) = 0", "missing factor", "m*l*phi_ddot"),
        ("m*l**2*phi'' + m*g*sin(phi) = 0", "missing factor", "m*g*sin(phi)"),
        ("m*l**2*phi'' + m*g*l*phi*sin(phi) = 0", "superfluous factor", "m*g*l*phi*sin(phi)"),
        ("2*m*l**2*phi'' + m*g*l*sin(phi) = 0", "factor", "2*m*l**2*phi_ddot"),
    ):
        (wrong,) = sources.exercise("pendulum").check("phi", answer).wrong
        assert (wrong.kind, wrong.term) == (kind, term)
