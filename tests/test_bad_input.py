"""Every kind of bad input gives one clear error of this package: what is wrong, where, and what to do about it.

Nothing may end in a traceback from inside a library, in a silent nan, in an endless loop, or in the loss of what was
computed before.
"""

from __future__ import annotations

import json
import math
import re
import time
from pathlib import Path

import casadi
import numpy as np
import pytest
import xarray
from scipy import special

import gauss as g
from gauss import bodies as mb
from gauss import scenario
from gauss.errors import (
    FileError,
    GaussError,
    InconsistentStateError,
    InputError,
    MassMatrixError,
    ModelError,
    MotionWarning,
    NonUniqueAccelerationError,
)
from gauss.model import Rows
from gauss.motion.record import files
from gauss.principle import GaussProblem

NAN, INF = math.nan, math.inf


def expect_refused(act, error, *words):
    """`act` raises `error`, which is an error of this package, and its message contains all `words`."""
    assert issubclass(error, GaussError)
    with pytest.raises(error) as caught:
        act()
    message = str(caught.value)
    for word in words:
        assert word in message, f"{word!r} is missing in: {message}"
    return caught.value


def system(**options):
    """Two unit masses x and y, changed by `options`; None leaves an option out."""
    given = {
        "name": "cart",
        "coordinates": "x y",
        "kinetic_energy": lambda v: 0.5 * (v[0] ** 2 + v[1] ** 2),
    } | options
    return g.System(given.pop("name"), given.pop("coordinates"), **given)


def pendulum(**options):
    return system(
        potential_energy=lambda q: 9.81 * q.y,
        constraints=[g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0)],
        **options,
    )


def simulate(model=None, q=(1.0, 0.0), v=None, **options):
    return g.simulate(model or pendulum(), list(q), v, **({"t_end": 0.1} | options))


class TooLongError(Exception):
    """Raised from a progress callback; it is no error of the package, so a test that sees it fails."""


def deadline(seconds=10.0):
    """A progress callback that stops a run which would never end."""
    end = time.monotonic() + seconds

    def report(fraction):
        if time.monotonic() > end:
            raise TooLongError(f"still at the fraction {fraction} after {seconds} s")

    return report


# --- plain arrays ------------------------------------------------------------------------------------------------


def of(M=((1.0, 0.0), (0.0, 1.0)), f=(0.0, 0.0), J=((1.0, 0.0),), lower=(0.0,), upper=None, **names):
    return lambda: GaussProblem.of(M, f, J, lower, upper, **names)


@pytest.mark.parametrize(
    ("act", "words"),
    [
        pytest.param(of(f=[0.0, NAN]), ["f must be finite", "nan"], id="f nan"),
        pytest.param(of(f=[0.0, INF]), ["f must be finite", "inf"], id="f inf"),
        pytest.param(of(f=[[0.0, 0.0]]), ["f has shape (1, 2)"], id="f matrix"),
        pytest.param(of(f=[[0.0], [0.0, 1.0]]), ["f "], id="f ragged"),
        pytest.param(of(f=["a", "b"]), ["f ", "not a number"], id="f text"),
        pytest.param(of(f=["1.0", "0.5"]), ["f ", "not a number"], id="f numbers as text"),
        pytest.param(of(f=[1j, 0.0]), ["f is complex"], id="f complex"),
        pytest.param(of(f=None), ["f "], id="f missing"),
        pytest.param(of(M=np.zeros((0, 0)), f=[], J=None, lower=None), ["f"], id="f empty"),
        pytest.param(of(M=np.eye(3)), ["M has shape (3, 3), expected (2, 2)"], id="M too large"),
        pytest.param(of(M=[1.0, 2.0]), ["M has shape (2,)"], id="M vector"),
        pytest.param(of(M=[[1.0, NAN], [0.0, 1.0]]), ["M must be finite", "[0, 1] is nan"], id="M nan"),
        pytest.param(of(M="identity"), ["M "], id="M text"),
        pytest.param(of(J=[[1.0, 0.0, 0.0]]), ["J has shape (1, 3), expected (m, 2)"], id="J too wide"),
        pytest.param(of(J=[1.0, 0.0]), ["J has shape (2,)", "(m, 2)"], id="J vector"),
        pytest.param(of(J=[1.0, 0.0, 2.0]), ["J has shape (3,)", "(m, 2)"], id="J odd vector"),
        pytest.param(of(J=[[1.0, 0.0], [1.0]], lower=[0.0, 0.0]), ["J "], id="J ragged"),
        pytest.param(of(J=[["a", "b"]]), ["J "], id="J text"),
        pytest.param(of(J=[[1j, 0.0]]), ["J is complex"], id="J complex"),
        pytest.param(of(J=[[NAN, 0.0]], names=["rod"]), ["J must be finite", "'rod'"], id="J nan"),
        pytest.param(of(lower=None), ["lower has shape (0,), expected (1,)"], id="lower missing"),
        pytest.param(of(J=None), ["lower has shape (1,), expected (0,)"], id="J missing"),
        pytest.param(of(lower=0.0), ["lower has shape ()"], id="lower a number"),
        pytest.param(of(lower=["a"]), ["lower "], id="lower text"),
        pytest.param(of(lower=[1j]), ["lower is complex"], id="lower complex"),
        pytest.param(of(lower=[NAN], names=["rod"]), ["bounds of row 'rod' are nan"], id="lower nan"),
        pytest.param(of(lower=[1.0], upper=[0.0], names=["rod"]), ["'rod'", "swap the bounds"], id="bounds swapped"),
        pytest.param(of(lower=[INF], upper=[INF]), ["+inf"], id="lower inf"),
        pytest.param(of(lower=[-INF]), ["-inf"], id="equality with -inf"),
        pytest.param(of(names=["a", "b"]), ["1 distinct row names"], id="too many names"),
        pytest.param(
            of(J=np.eye(2), lower=[0, 0], names=["a", "a"]), ["2 distinct row names", "('a', 'a')"], id="names repeated"
        ),
        pytest.param(of(names=[["a"]]), ["names"], id="names not hashable"),
        pytest.param(of(names=3), ["names"], id="names a number"),
        pytest.param(of(names=[3]), ["names"], id="a number as a name"),
        pytest.param(of(coordinates=["x"]), ["coordinates"], id="too few coordinates"),
        pytest.param(of(coordinates=["x", "x"]), ["coordinates", "more than once"], id="coordinates repeated"),
        pytest.param(lambda: Rows.of("text", [0.0], [0.0]), ["J "], id="rows text"),
        pytest.param(lambda: Rows.of([1.0, 2.0], [0.0], [0.0]), ["J has shape (2,)"], id="rows vector"),
        pytest.param(lambda: Rows.of([[1.0]], [0.0], [0.0], kinds=["row", "row"]), ["kinds"], id="too many kinds"),
    ],
)
def test_bad_arrays_of_a_problem(act, words):
    expect_refused(act, InputError, *words)


@pytest.mark.parametrize("names", ["x y", "x, y"])
def test_coordinates_of_a_problem_may_be_one_string_as_those_of_a_system(names):
    problem = GaussProblem.of(np.eye(2), [1.0, 2.0], coordinates=names)
    assert str(g.principle.solve(problem).acceleration) == "x = 1.0, y = 2.0"


@pytest.mark.parametrize("coordinates", [None, ["x", "y"], ["x"]])
def test_an_unsymmetric_mass_matrix(coordinates):
    error = MassMatrixError if coordinates is None or len(coordinates) == 2 else InputError
    expect_refused(of(M=[[1.0, 0.5], [0.0, 1.0]], coordinates=coordinates), error)


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(g.principle.solve, id="solve"),
        pytest.param(g.uniqueness.diagnose, id="diagnose"),
        pytest.param(lambda wrong: g.accelerate(wrong, [0.0]), id="accelerate"),
        pytest.param(lambda wrong: g.simulate(wrong, [0.0], t_end=1.0), id="simulate"),
        pytest.param(lambda wrong: g.consistent(wrong, [0.0]), id="consistent"),
    ],
)
def test_something_else_in_place_of_a_system_or_problem(act):
    for wrong in (None, "pendulum", np.eye(2)):
        expect_refused(lambda wrong=wrong: act(wrong), InputError, type(wrong).__name__)


# --- names -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        pytest.param({"name": ""}, ["needs a name"], id="no name"),
        pytest.param({"name": 3}, ["needs a name", "3"], id="name a number"),
        pytest.param({"coordinates": ""}, ["'cart' has no coordinates"], id="no coordinates"),
        pytest.param({"coordinates": "x x"}, ["coordinates: x is given more than once"], id="coordinate repeated"),
        pytest.param({"coordinates": "x 2y"}, ["coordinates: '2y' is not a name"], id="coordinate no name"),
        pytest.param({"coordinates": ["x", 2]}, ["coordinates: 2 is not a name"], id="coordinate a number"),
        pytest.param({"coordinates": 2}, ["coordinates"], id="coordinates a number"),
        pytest.param({"coordinates": None}, ["coordinates"], id="coordinates None"),
        pytest.param({"parameters": {"a b": 1.0}}, ["parameters: 'a b' is not a name"], id="parameter no name"),
        pytest.param({"parameters": {"m": NAN}}, ["parameter 'm' must be finite"], id="parameter nan"),
        pytest.param({"parameters": {"m": "heavy"}}, ["parameter 'm'", "'heavy'"], id="parameter text"),
        pytest.param({"parameters": {"m": None}}, ["parameter 'm'"], id="parameter None"),
        pytest.param({"parameters": {"m": [1.0, 2.0]}}, ["parameter 'm' has shape (2,)"], id="parameter list"),
        pytest.param({"parameters": ["m"]}, ["parameters"], id="parameters without values"),
        pytest.param({"parameters": 3.0}, ["parameters"], id="parameters a number"),
        pytest.param({"controls": "u u"}, ["controls: u is given more than once"], id="control repeated"),
        pytest.param({"controls": 2}, ["controls"], id="controls a number"),
        # What a trajectory calls t, d_x and dd_x would hide a coordinate of that name.
        pytest.param({"coordinates": "x t"}, ["'t'"], id="coordinate t"),
        pytest.param({"coordinates": "x d_x"}, ["'d_x'"], id="coordinate named as a velocity"),
        pytest.param({"coordinates": "x dd_x"}, ["'dd_x'"], id="coordinate named as an acceleration"),
        pytest.param({"coordinates": "x _values"}, ["'_values'"], id="coordinate that hides an attribute"),
    ],
)
def test_bad_names_of_a_system(options, words):
    expect_refused(lambda: system(**options), InputError, *words)


@pytest.mark.parametrize("name", ["x", "d_x", "dd_x", "t", "zwang", "kinetic", "energy"])
def test_a_row_named_as_something_else_in_the_results_is_refused_before_it_hides_it(name):
    def act():
        model = system(constraints=[g.Holonomic(name, lambda q: q.y)])
        simulate(model, q=(0.5, 0.0)).to_pandas()

    expect_refused(act, GaussError, f"{name!r}")


@pytest.mark.parametrize(
    ("constraints", "words"),
    [
        pytest.param(None, ["constraints"], id="None"),
        pytest.param(3, ["constraints"], id="a number"),
        pytest.param([lambda q: q.x], ["Holonomic", "function"], id="a bare function"),
        pytest.param([g.Holonomic], ["Holonomic"], id="the class"),
        pytest.param(["rod"], ["Holonomic", "str"], id="text"),
        pytest.param(
            [g.Holonomic("rod", lambda q: q.x), g.Pfaffian("rod", lambda q: [0, 1])],
            ["names must differ: rod"],
            id="names repeated",
        ),
        pytest.param(
            [g.Holonomic("a", lambda q: [q.x, q.y]), g.Holonomic("a[1]", lambda q: q.x * q.y)],
            ["names must differ: a[1]"],
            id="numbered name repeated",
        ),
    ],
)
def test_bad_lists_of_constraints(constraints, words):
    expect_refused(lambda: system(constraints=constraints), GaussError, *words)


@pytest.mark.parametrize(
    ("act", "words"),
    [
        pytest.param(lambda: g.Holonomic("", lambda q: q.x), ["holonomic", "needs a name"], id="empty name"),
        pytest.param(lambda: g.Holonomic(lambda q: q.x, "rod"), ["needs a name as its first"], id="arguments swapped"),
        pytest.param(lambda: g.Unilateral("w", lambda q: q.x, 1.5), ["restitution of 'w'", "[0, 1]"], id="e = 1.5"),
        pytest.param(lambda: g.Unilateral("w", lambda q: q.x, -0.1), ["restitution of 'w'", "[0, 1]"], id="e < 0"),
        pytest.param(lambda: g.Unilateral("w", lambda q: q.x, NAN), ["restitution of 'w'", "nan"], id="e nan"),
        pytest.param(lambda: g.Unilateral("w", lambda q: q.x, "soft"), ["restitution of 'w'", "'soft'"], id="e text"),
        pytest.param(lambda: g.Unilateral("w", lambda q: q.x, [0.1, 0.2]), ["restitution of 'w'"], id="e list"),
        pytest.param(lambda: g.Event("e", lambda q: q.x, direction=2), ["direction of event 'e'", "2"], id="direction"),
        pytest.param(lambda: g.Event("e", lambda q: q.x, np.array([1, 2])), ["direction", "'e'"], id="directions"),
        pytest.param(lambda: g.Event(3, lambda q: q.x), ["event", "name"], id="event without a name"),
    ],
)
def test_bad_constraints_and_events(act, words):
    expect_refused(act, InputError, *words)


# --- what model functions return ---------------------------------------------------------------------------------


def holonomic(function):
    return lambda: system(constraints=[g.Holonomic("rod", function)])


def pfaffian(matrix, offset=0.0):
    return lambda: system(constraints=[g.Pfaffian("skate", matrix, offset)])


def force(function):
    return lambda: system(force=function)


def kinetic(function):
    return lambda: system(kinetic_energy=function)


def mass(matrix):
    return lambda: system(kinetic_energy=None, mass_matrix=matrix)


LEAKED = casadi.SX.sym("leaked")


@pytest.mark.parametrize(
    ("act", "words"),
    [
        pytest.param(holonomic(lambda q: None), ["'rod' returned None", "return statement"], id="row None"),
        pytest.param(holonomic(lambda q: "x"), ["'rod' returned str 'x'"], id="row text"),
        pytest.param(holonomic(lambda q: {"x": q.x}), ["'rod' returned dict"], id="row dict"),
        pytest.param(holonomic(lambda q: {q.x}), ["'rod' returned set"], id="row set"),
        pytest.param(holonomic(lambda q: object()), ["'rod' returned object", "not a number"], id="row object"),
        pytest.param(holonomic(lambda q: []), ["'rod' returned an empty list"], id="row empty"),
        pytest.param(holonomic(lambda q: [q.x, None]), ["'rod' returned None"], id="rows with None"),
        pytest.param(holonomic(lambda q: [q.x, "y"]), ["'rod' returned str 'y'"], id="rows with text"),
        pytest.param(holonomic(lambda q: [[q.x, q.y], [q.y, q.x]]), ["'rod' returned list"], id="rows nested"),
        pytest.param(holonomic(lambda q: [q.x, [q.x, q.y]]), ["'rod'"], id="rows ragged"),
        pytest.param(holonomic(lambda q: [casadi.vertcat(q.x, q.y), q.x]), ["'rod'"], id="rows with a column"),
        pytest.param(holonomic(lambda q: 1j), ["'rod' returned complex"], id="row complex"),
        pytest.param(holonomic(lambda q: q.x * 1j), ["'rod'", "complex"], id="row times i"),
        pytest.param(holonomic(lambda q: q), ["'rod' returned Named"], id="row all coordinates"),
        pytest.param(holonomic(lambda q: 3.0), ["'rod' does not depend on any coordinate"], id="row constant"),
        pytest.param(holonomic(lambda t: t), ["'rod' does not depend on any coordinate"], id="row of time"),
        pytest.param(holonomic(lambda q: q.x == 1.0), ["'rod'"], id="row a comparison"),
        pytest.param(holonomic(lambda q: q.x * INF), ["'rod' is nan or infinite"], id="row times infinity"),
        pytest.param(holonomic(lambda q: q.x / 0), ["'rod' is nan or infinite"], id="row divided by zero"),
        pytest.param(holonomic(lambda q: q.x + LEAKED), ["'rod'", "leaked"], id="row with a foreign symbol"),
        pytest.param(holonomic("q.x"), ["'rod' is the string 'q.x'"], id="row source text"),
        pytest.param(pfaffian(lambda q: None), ["matrix of constraint 'skate' returned None"], id="matrix None"),
        pytest.param(pfaffian(lambda q: [1.0]), ["'skate' returned 1 entries, expected 2 (x, y)"], id="matrix short"),
        pytest.param(pfaffian(lambda q: [[1.0]]), ["'skate' returned 1 entries, expected 2"], id="matrix row short"),
        pytest.param(pfaffian(lambda q: [[1.0, 0.0], 3.0]), ["'skate' mixes rows and numbers"], id="matrix mixed"),
        pytest.param(pfaffian(lambda q: [[[1.0, 0.0]]]), ["'skate' returned list"], id="matrix too deep"),
        pytest.param(pfaffian(lambda q: {"z": 1.0}), ["'skate' has entries for ['z']", "x, y"], id="matrix unknown"),
        pytest.param(pfaffian(lambda q: [NAN, 1.0]), ["'skate' is nan or infinite"], id="matrix nan"),
        pytest.param(pfaffian(lambda q: "xy"), ["'skate' returned str 'xy'"], id="matrix text"),
        pytest.param(pfaffian([1.0, 0.0], "t"), ["offset of constraint 'skate' is the string"], id="offset text"),
        pytest.param(pfaffian([1.0, 0.0], None), ["offset of constraint 'skate' returned None"], id="offset None"),
        pytest.param(pfaffian([1.0, 0.0], [1.0, 2.0]), ["'skate' has 2 entries", "1 rows"], id="offset long"),
        pytest.param(pfaffian([1.0, 0.0], NAN), ["offset of constraint 'skate' is nan"], id="offset nan"),
        pytest.param(
            lambda: system(constraints=[g.Nonholonomic("servo", lambda q: q.x)]),
            ["'servo' does not depend on any velocity", "Holonomic"],
            id="nonholonomic without velocity",
        ),
        pytest.param(force(None), ["the force returned None"], id="force None"),
        pytest.param(force(lambda q: None), ["the force returned None", "return statement"], id="force returns None"),
        pytest.param(force("q.x"), ["the force is the string 'q.x'"], id="force text"),
        pytest.param(force(1.0), ["the force returned 1 entries, expected 2 (x, y)"], id="force a number"),
        pytest.param(force([1.0]), ["the force returned 1 entries, expected 2"], id="force short"),
        pytest.param(force(lambda q: [1.0, 2.0, 3.0]), ["the force returned 3 entries"], id="force long"),
        pytest.param(force(lambda q: [[1.0, 2.0]]), ["the force returned list"], id="force nested"),
        pytest.param(force(lambda q: [1.0, [2.0, 3.0]]), ["the force"], id="force ragged"),
        pytest.param(force(lambda q: [casadi.vertcat(q.x, q.y), 0.0]), ["the force"], id="force with a column"),
        pytest.param(force({"z": 1.0}), ["the force has entries for ['z']", "x, y"], id="force unknown name"),
        pytest.param(force(lambda q: {"x": None}), ["the force returned None"], id="force entry None"),
        pytest.param(force(lambda q: {"x": [1.0, 2.0]}), ["the force returned list"], id="force entry a list"),
        pytest.param(force([1j, 0.0]), ["the force returned complex"], id="force complex"),
        pytest.param(force([NAN, 0.0]), ["the force is nan"], id="force nan"),
        pytest.param(force(["1.0", 0.0]), ["the force returned str '1.0'"], id="force number as text"),
        pytest.param(force([10**400, 0.0]), ["the force"], id="force too large an integer"),
        pytest.param(kinetic(lambda v: None), ["the kinetic energy returned None"], id="T None"),
        pytest.param(kinetic("v.x**2"), ["the kinetic energy is the string"], id="T text"),
        pytest.param(kinetic(lambda v: [v.x, v.y]), ["the kinetic energy returned list"], id="T list"),
        pytest.param(kinetic(lambda v: (0, 5 * v.x**2)), ["tuple (0, (5*sq(d_x)))", "is 0.5."], id="T with a comma"),
        pytest.param(kinetic(lambda v: casadi.vertcat(v.x, v.y)), ["kinetic energy", "shape (2, 1)"], id="T column"),
        pytest.param(kinetic(lambda v: v.x**3 + v.y**2), ["not quadratic in the velocities"], id="T cubic"),
        pytest.param(kinetic(lambda v: v.x**4 + v.y**2), ["not quadratic", "mass_matrix"], id="T quartic"),
        pytest.param(kinetic(lambda v: 2.0 - g.cos(v.x) + v.y**2), ["not quadratic"], id="T cosine"),
        pytest.param(kinetic(lambda v: g.fabs(v.x) * v.x + v.y**2), ["not quadratic"], id="T with a kink"),
        pytest.param(lambda: system(potential_energy=None), ["the potential energy returned None"], id="V None"),
        pytest.param(lambda: system(potential_energy="q"), ["the potential energy is the string"], id="V text"),
        pytest.param(lambda: system(potential_energy=NAN), ["the potential energy is nan"], id="V nan"),
        pytest.param(lambda: system(potential_energy=lambda q: [q.x, q.y]), ["potential energy", "list"], id="V list"),
        pytest.param(mass(None), ["'cart' needs either a kinetic_energy or a mass_matrix"], id="neither"),
        pytest.param(lambda: system(mass_matrix=np.eye(2)), ["'cart' needs either", "not both"], id="both"),
        pytest.param(mass(2.0), ["the mass matrix returned 1 entries, expected 2 (x, y)"], id="M a number"),
        pytest.param(mass([1.0, 2.0]), ["the mass matrix has 1 rows, expected 2"], id="M a vector"),
        pytest.param(mass([[1.0, 0.0]]), ["the mass matrix has 1 rows, expected 2 (x, y)"], id="M one row"),
        pytest.param(mass([[1.0, 0.0], [0.0]]), ["the mass matrix returned 1 entries"], id="M ragged"),
        pytest.param(mass(np.eye(3)), ["the mass matrix returned 3 entries, expected 2"], id="M too large"),
        pytest.param(mass(lambda q: None), ["the mass matrix returned None"], id="M None"),
        pytest.param(mass("eye"), ["the mass matrix is the string 'eye'"], id="M text"),
        pytest.param(mass([[NAN, 0.0], [0.0, 1.0]]), ["the mass matrix is nan"], id="M nan"),
        pytest.param(mass([[1j, 0.0], [0.0, 1.0]]), ["the mass matrix returned complex"], id="M complex"),
        pytest.param(lambda: system(black_box_force=3.0), ["black-box force of 'cart' is not a function"], id="box"),
    ],
)
def test_model_functions_that_return_the_wrong_thing(act, words):
    expect_refused(act, ModelError, *words)


@pytest.mark.parametrize(
    ("act", "words"),
    [
        pytest.param(holonomic(lambda q, v: v.x), ["'rod' takes an argument 'v'", "not depend on the velo"], id="v"),
        pytest.param(holonomic(lambda s: s), ["'rod' takes an argument 's'", "q, t, p"], id="s"),
        pytest.param(holonomic(lambda qt: qt), ["'rod' takes an argument 'qt'", "q, t, p"], id="qt"),
        pytest.param(holonomic(lambda *q: q[0]), ["'rod' takes *q", "q, t, p"], id="star"),
        pytest.param(holonomic(lambda q, **rest: q.x), ["'rod' takes *rest"], id="double star"),
        pytest.param(holonomic(max), ["'rod'", "signature", "lambda"], id="builtin"),
        pytest.param(pfaffian(lambda q, v: [v.x, 0.0]), ["'skate' takes an argument 'v'"], id="matrix of v"),
        pytest.param(force(lambda a: [0.0, 0.0]), ["the force takes an argument 'a'", "q, v, t, p, u"], id="force"),
        pytest.param(kinetic(lambda v, u: v.x**2), ["kinetic energy takes an argument 'u'", "controls"], id="T of u"),
        pytest.param(mass(lambda v: np.eye(2)), ["mass matrix takes an argument 'v'", "velocities"], id="M of v"),
        pytest.param(
            lambda: system(potential_energy=lambda v: v.x), ["potential energy takes an argument 'v'"], id="V of v"
        ),
        pytest.param(holonomic(lambda q: q.z), ["'rod' failed", "no coordinate 'z'; known: x, y"], id="q.z"),
        pytest.param(holonomic(lambda q: q["z"]), ["'rod' failed", "no coordinate 'z'"], id="q['z']"),
        pytest.param(holonomic(lambda q: q[2]), ["'rod' failed", "out of range"], id="q[2]"),
        pytest.param(kinetic(lambda v: v.z**2), ["kinetic energy failed", "no velocity 'z'; known: x, y"], id="v.z"),
        pytest.param(force(lambda p: [p.m, 0.0]), ["the force failed", "no parameter 'm'; known: none"], id="p.m"),
        pytest.param(force(lambda u: [u.a, 0.0]), ["the force failed", "no control 'a'; known: none"], id="u.a"),
        pytest.param(holonomic(lambda q: 1 / 0), ["'rod' failed", "ZeroDivisionError"], id="raises"),
        pytest.param(holonomic(lambda x: x), ["among q, t, p; a coordinate x is q.x."], id="x"),
        pytest.param(kinetic(lambda x: x), ["among q, v, t, p; a coordinate x is q.x, its rate is v.x."], id="T of x"),
        pytest.param(holonomic(lambda q: g * q.x), ["A module stands in place of a number", "p.g"], id="module"),
        pytest.param(kinetic(lambda v: 0.5 * v**2), ["hold them by name: write q.x for"], id="v**2"),
        pytest.param(kinetic(lambda v: v.x_dot**2), ["no velocity 'x_dot'", "; the rate of x is v.x."], id="v.x_dot"),
        pytest.param(kinetic(lambda q: q.d_x**2), ["no coordinate 'd_x'", "; the rate of x is v.x."], id="q.d_x"),
        pytest.param(holonomic(lambda q: cos(q.x)), ["Did you mean gauss.cos?"], id="cos"),  # noqa: F821
        pytest.param(holonomic(lambda q: x), ["Did you mean q.x"], id="x for q.x"),  # noqa: F821
        pytest.param(holonomic(lambda q: p.m), ["the argument p, as in lambda q, p: …?"], id="p"),  # noqa: F821
        pytest.param(holonomic(lambda q: g.Cos(q.x)), ["has no attribute 'Cos'; did you mean cos?"], id="g.Cos"),
        pytest.param(holonomic(lambda q: (9.81).cos(q.x)), ["before .cos is a number here"], id="g is a number"),
        pytest.param(holonomic(lambda q: q.x(q.y - 1)), ["Is a * missing before a bracket?"], id="no product"),
    ],
)
def test_model_functions_with_unknown_arguments_and_names(act, words):
    expect_refused(act, ModelError, *words)


def driver(motion):
    def act():
        wheel = mb.PlanarBody("wheel", 1.0, 1.0)
        pin = mb.Pin("pin", mb.GROUND, (0, 0), wheel, (0, 0))
        assert mb.Mechanism("driven", [wheel], [pin, mb.Driver("drive", pin, motion)]).system.row_names

    return act


@pytest.mark.parametrize("word", ["q", "v", "t", "p", "u"])
@pytest.mark.parametrize(
    "act",
    [
        pytest.param(holonomic, id="holonomic"),
        pytest.param(pfaffian, id="pfaffian"),
        pytest.param(lambda f: lambda: system(constraints=[g.Nonholonomic("roll", f)]), id="nonholonomic"),
        pytest.param(force, id="force"),
        pytest.param(kinetic, id="T"),
        pytest.param(mass, id="M"),
        pytest.param(lambda f: lambda: simulate(events=[g.Event("e", f)]), id="event"),
        pytest.param(driver, id="driver"),
        pytest.param(lambda f: lambda: system(constraints=[g.Friction("slip", f, limit=0.3)]), id="slip"),
    ],
)
def test_default_of_an_argument_that_the_model_passes_is_refused(act, word):
    """`lambda q, p=p0: …` may mean p0 or the model's parameters; with any other name it means what Python says."""
    functions: dict = {}
    exec(f"def taken({word}=4.0): return 0.0", functions)
    expect_refused(act(functions["taken"]), ModelError, f"argument '{word}'", "default 4.0", f"{word}0={word}")


def test_default_of_another_name_is_python_s_own():
    rows = [g.Holonomic(f"row {k}", lambda q, p0=k, *, q_=1.0: q[p0] - q_) for k in range(2)]
    found = g.accelerate(system(constraints=rows), [1.0, 1.0])
    assert found.a.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(lambda: simulate(driven(), control=lambda t, q, k=1.0: [k]), id="control"),
        pytest.param(lambda: g.motion.Sampled(lambda t, k=1.0: [k], 0.1), id="sampled"),
        pytest.param(lambda: g.Start([1.0, 0.0], control=lambda t, k=1.0: [k]), id="scenario"),
        pytest.param(lambda: system(black_box_force=lambda q, v, k=1.0: [k, k]), id="black box"),
    ],
)
def test_default_in_the_place_of_an_argument_that_is_passed_is_refused(act):
    expect_refused(act, ModelError, "argument 'k'", "default 1.0", "k0=k")


# --- what tracing with symbols would turn into a silent nan or the wrong branch ----------------------------------


@pytest.mark.parametrize(
    "function",
    [
        pytest.param(lambda x: math.sin(x), id="math.sin"),
        pytest.param(lambda x: x + math.sqrt(x), id="math.sqrt"),
        pytest.param(lambda x: x + 0.0 * math.exp(x), id="0*math.exp"),
        pytest.param(lambda x: math.atan2(x, 1.0), id="math.atan2"),
        pytest.param(lambda x: math.hypot(x, 1.0), id="math.hypot"),
        pytest.param(lambda x: math.fmod(x, 1.0), id="math.fmod"),
        pytest.param(lambda x: float(x), id="float"),
        pytest.param(lambda x: np.float64(x), id="np.float64"),
        pytest.param(lambda x: np.array([x], dtype=float)[0], id="array of floats"),
        # Python compares the nan that float() makes of a symbol, and one branch is taken for all states.
        pytest.param(lambda x: x + max(0.0, math.sin(x)), id="max of math.sin"),
        pytest.param(lambda x: x + min(1.0, math.cos(x)), id="min of math.cos"),
        pytest.param(lambda x: x if math.sin(x) > 0 else -x, id="branch on math.sin"),
        pytest.param(lambda x: x if float(x) > 0 else -x, id="branch on float"),
        pytest.param(lambda x: x * math.copysign(1.0, x), id="math.copysign"),
        pytest.param(lambda x: x if math.isfinite(x) else 2.0 * x, id="math.isfinite"),
        pytest.param(lambda x: x if math.isclose(x, 0.3) else 2.0 * x, id="math.isclose"),
    ],
)
def test_numbers_made_of_symbols_are_refused_with_the_remedy(function):
    for what, act in (
        ("'rod'", holonomic(lambda q: function(q.x))),
        ("the force", force(lambda q: [function(q.x), 0])),
    ):
        expect_refused(act, ModelError, what, "gauss.sin", "black_box_force")


@pytest.mark.parametrize(
    "function",
    [
        pytest.param(lambda x: x if x > 0 else -x, id="if"),
        pytest.param(lambda x: x and 1.0, id="and"),
        pytest.param(lambda x: x + (not x), id="not"),
        pytest.param(lambda x: max(x, 0.0), id="max"),
        pytest.param(lambda x: min(x, 0.0), id="min"),
        pytest.param(lambda x: sorted([x, 0.0])[0], id="sorted"),
        pytest.param(lambda x: x if x in (0.0, 1.0) else -x, id="in"),
        pytest.param(lambda x: 1.0 if bool(x > 0) else -x, id="bool"),
    ],
)
def test_branches_on_a_state_are_refused_with_the_remedy(function):
    for what, act in (
        ("'rod'", holonomic(lambda q: function(q.x))),
        ("the force", force(lambda q: [function(q.x), 0])),
    ):
        error = expect_refused(act, ModelError, what, "gauss.where(q.x > 0, a, b)", "gauss.fmin", "black_box_force")
        assert not re.search(r"casadi|\bSX|\.cpp", str(error), re.IGNORECASE)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        pytest.param(lambda x: x ^ 2, ["write x**2 instead of x^2"], id="^"),
        pytest.param(lambda x: 0.5 * x ^ 2, ["write x**2 instead of x^2"], id="^ of a product"),
        pytest.param(lambda x: g.where((x > 0) & (x < 1), x, 0), ["one gauss.where in another"], id="&"),
        pytest.param(lambda x: special.erf(x), ["erf takes numbers, not symbols", "gauss.math"], id="scipy"),
        pytest.param(lambda x: x * range(x)[0], ["a symbol cannot be interpreted as an integer"], id="range"),
    ],
)
def test_slips_of_the_language_are_told_without_the_words_of_a_library(function, words):
    for what, act in (
        ("'rod'", holonomic(lambda q: function(q.x))),
        ("the force", force(lambda q: [function(q.x), 0])),
    ):
        error = expect_refused(act, ModelError, what, *words)
        assert not re.search(r"casadi|\bSX|\.cpp", str(error), re.IGNORECASE)


@pytest.mark.parametrize("function", [abs, round, math.floor, math.ceil, lambda x: x % 0.4, lambda x: x // 0.4])
def test_functions_that_symbols_do_support_are_traced_correctly(function):
    model = force(lambda q: [function(q.x), 0.0])()
    for x in (-1.7, 0.3, 2.9):
        assert g.accelerate(model, [x, 0.0]).a[0] == pytest.approx(float(function(x)), abs=1e-14)


# --- inertia that is wrong only at some states -------------------------------------------------------------------


@pytest.mark.parametrize(
    "function",
    [
        pytest.param(lambda q, v: v.x**2 + v.y**2 + g.where(g.greater(q.x, 5.0), v.x**3, 0.0), id="cubic beyond x = 5"),
        pytest.param(lambda q, v: (v.x**3 + v.x**2 + v.y**2) * g.sqrt(q.x - 5), id="defined beyond x = 5"),
        pytest.param(lambda q, v: v.y**2 + g.where(g.less(v.x, 50.0), v.x**2, 2.0 * v.x**2), id="changes at v = 50"),
    ],
)
def test_a_kinetic_energy_that_is_not_quadratic_where_it_is_used(function):
    expect_refused(
        lambda: g.accelerate(kinetic(function)(), [6.0, 0.0], [60.0, 1.0]),
        GaussError,
        "not quadratic in the velocities",
    )


@pytest.mark.parametrize(
    "matrix",
    [
        pytest.param(lambda q: [[1.0, g.where(g.greater(q.x, 5.0), 0.5, 0.0)], [0.0, 1.0]], id="beyond x = 5"),
        pytest.param(lambda q: [[1.0, 0.1 * g.sqrt(q.x - 5.0)], [0.0, 1.0]], id="defined beyond x = 5"),
    ],
)
def test_a_mass_matrix_that_is_not_symmetric_where_it_is_used(matrix):
    expect_refused(lambda: g.accelerate(mass(matrix)(), [6.0, 0.0]), MassMatrixError, "not symmetric")


def test_a_kinetic_energy_written_with_the_speed_is_quadratic():
    model = system(kinetic_energy=lambda v: 0.5 * g.hypot(v.x, v.y) ** 2, force=[1.0, 2.0])
    for v in ([1.0, 2.0], [0.0, 0.0]):
        assert g.accelerate(model, [0.0, 0.0], v).a == pytest.approx([1.0, 2.0], abs=1e-14)


@pytest.mark.parametrize("solver", ["osqp", "kkt", "cvxpy"])
@pytest.mark.parametrize(
    ("matrix", "error", "words"),
    [
        pytest.param([[1.0, 2.0], [2.0, 1.0]], MassMatrixError, ["indefinite", "x, y"], id="indefinite"),
        pytest.param([[1.0, 0.0], [0.0, -1.0]], MassMatrixError, ["indefinite", "along y"], id="negative"),
        pytest.param([[1.0, 1.0], [1.0, 1.0]], NonUniqueAccelerationError, ["no inertia along x, y"], id="singular"),
        pytest.param([[0.0, 0.0], [0.0, 0.0]], NonUniqueAccelerationError, ["no inertia along x, y"], id="zero"),
    ],
)
def test_an_indefinite_or_singular_mass_matrix(matrix, error, words, solver):
    expect_refused(lambda: g.accelerate(mass(matrix)(), [0.0, 0.0], solver=solver), error, *words)
    expect_refused(lambda: simulate(mass(matrix)(), solver=solver), error, *words)


@pytest.mark.parametrize(
    ("options", "q", "word"),
    [
        pytest.param({"potential_energy": lambda q: 1.0 / q.x}, [0.0, 0.0], "force", id="1/x"),
        pytest.param({"potential_energy": lambda q: g.sqrt(q.x)}, [-1.0, 0.0], "force", id="sqrt(x)"),
        pytest.param({"potential_energy": lambda q: q.x**4}, [1e120, 0.0], "force", id="overflow"),
        pytest.param({"force": lambda q: [q.x * INF, 0.0]}, [0.0, 0.0], "force", id="0*inf"),
        pytest.param({"force": lambda v: [1.0 / v.x, 0.0]}, [0.0, 0.0], "force", id="1/v"),
        pytest.param({"potential_energy": lambda q: g.log(q.x)}, [-1.0, 0.0], "potential energy", id="log(x)"),
        pytest.param({"constraints": [g.Holonomic("rod", lambda q: 1 / q.x - 1)]}, [0.0, 0.0], "rod", id="row 1/x"),
        pytest.param({"constraints": [g.Holonomic("rod", lambda q: g.sqrt(q.x))]}, [-1.0, 0.0], "rod", id="row sqrt"),
        pytest.param({"constraints": [g.Unilateral("rod", lambda q: g.log(q.x))]}, [-1.0, 0.0], "rod", id="gap log"),
        pytest.param(
            {"kinetic_energy": lambda q, v: v.x**2 / q.x + v.y**2}, [0.0, 0.0], "mass matrix", id="mass matrix 1/x"
        ),
    ],
)
def test_a_model_that_is_not_finite_at_the_state(options, q, word):
    expect_refused(lambda: g.accelerate(system(**options), q), GaussError, word)
    expect_refused(lambda: simulate(system(**options), q=q), GaussError, word)


# --- states ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("q", "v", "t", "words"),
    [
        pytest.param([1.0], None, 0.0, ["q has shape (1,), expected (2,)", "x, y"], id="q short"),
        pytest.param([[1.0, 0.0]], None, 0.0, ["q has shape (1, 2)"], id="q matrix"),
        pytest.param([1.0, NAN], None, 0.0, ["q must be finite", "y = nan"], id="q nan"),
        pytest.param([1.0, INF], None, 0.0, ["q must be finite", "y = inf"], id="q inf"),
        pytest.param(None, None, 0.0, ["q has shape ()"], id="q None"),
        pytest.param("ab", None, 0.0, ["q ", "'ab'"], id="q text"),
        pytest.param([1j, 0.0], None, 0.0, ["q is complex"], id="q complex"),
        pytest.param({"z": 1.0}, None, 0.0, ["q names ['z']", "x, y"], id="q unknown name"),
        pytest.param({"x": NAN}, None, 0.0, ["q of 'x' must be finite"], id="q dict nan"),
        pytest.param({"x": [1.0, 2.0]}, None, 0.0, ["q of 'x' has shape (2,)"], id="q dict list"),
        pytest.param([1.0, 0.0], [0.0], 0.0, ["v has shape (1,), expected (2,)"], id="v short"),
        pytest.param([1.0, 0.0], [0.0, NAN], 0.0, ["v must be finite", "y = nan"], id="v nan"),
        pytest.param([1.0, 0.0], {"z": 1.0}, 0.0, ["v names ['z']"], id="v unknown name"),
        pytest.param([1.0, 0.0], None, NAN, ["t must be finite"], id="t nan"),
        pytest.param([1.0, 0.0], None, "now", ["t ", "'now'"], id="t text"),
        pytest.param([1.0, 0.0], None, None, ["t "], id="t None"),
        pytest.param([1.0, 0.0], None, [0.0, 1.0], ["t has shape (2,)"], id="t list"),
    ],
)
def test_bad_states(q, v, t, words):
    for act in (g.accelerate, g.consistent):
        expect_refused(lambda act=act: act(pendulum(), q, v, t), InputError, *words)
    expect_refused(lambda: g.simulate(pendulum(), q, v, t=t, t_end=9.0), InputError, *words)


def test_a_position_off_the_constraints_is_refused_with_its_residual_and_mended_by_consistent():
    error = expect_refused(
        lambda: g.accelerate(pendulum(), [1.1, 0.0]),
        InconsistentStateError,
        *("'rod' has position residual 0.21", "t = 0", "gauss.consistent"),
    )
    assert error.residuals == pytest.approx({"rod": 0.21})
    state = g.consistent(pendulum(), [1.1, 0.0])
    assert g.accelerate(pendulum(), state.q, state.v).solution.residuals.at_rounding
    expect_refused(lambda: simulate(q=(1.1, 0.0)), InconsistentStateError, "'rod'")


def test_a_velocity_off_the_constraints_is_refused_with_its_residual_and_mended_by_consistent():
    error = expect_refused(
        lambda: g.accelerate(pendulum(), [1.0, 0.0], [0.5, 2.0]),
        InconsistentStateError,
        *("'rod' has velocity residual 1", "The nearest admissible velocity is x = 0, y = 2", "gauss.consistent"),
    )
    assert error.residuals == {"rod": 1.0}
    state = g.consistent(pendulum(), [1.0, 0.0], [0.5, 2.0])
    assert state.v == pytest.approx([0.0, 2.0], abs=1e-14)
    assert g.accelerate(pendulum(), state.q, state.v).solution.residuals.at_rounding


@pytest.mark.parametrize("factor", [1e-14, 1.0, 1e14])
def test_the_units_of_a_constraint_do_not_hide_that_a_state_is_off_it(factor):
    model = system(constraints=[g.Holonomic("rod", lambda q: factor * (q.x**2 + q.y**2 - 1.0))])
    expect_refused(lambda: g.accelerate(model, [1.1, 0.0]), InconsistentStateError, "'rod' has position residual")


def test_a_penetrating_contact_is_refused_with_its_gap():
    model = system(constraints=[g.Unilateral("wall", lambda q: q.x)])
    expect_refused(lambda: g.accelerate(model, [-0.5, 0.0]), InconsistentStateError, "'wall' has position gap -0.5")


def test_a_closed_contact_that_closes_further_is_refused_as_an_impact():
    model = system(constraints=[g.Unilateral("wall", lambda q: q.x)])
    expect_refused(lambda: g.accelerate(model, [0.0, 0.0], [-1.0, 0.0]), InconsistentStateError, "'wall'", "impact")


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        pytest.param({"hold": "z"}, InputError, ["hold names ['z']", "x, y"], id="unknown"),
        pytest.param({"hold_velocities": ["z"]}, InputError, ["hold_velocities names ['z']"], id="unknown velocity"),
        pytest.param({"hold": "x y"}, InconsistentStateError, ["'rod'", "with x, y held"], id="everything"),
        pytest.param({"hold": 3}, InputError, ["hold"], id="a number"),
        pytest.param({"hold": None}, InputError, ["hold"], id="None"),
    ],
)
def test_bad_names_to_hold(options, error, words):
    expect_refused(lambda: g.consistent(pendulum(), [1.1, 0.3], **options), error, *words)


@pytest.mark.parametrize(
    ("model", "q"),
    [
        pytest.param(pendulum(), [0.0, 0.0], id="the centre of the circle"),
        pytest.param(
            system(constraints=[g.Holonomic("a", lambda q: q.x), g.Holonomic("b", lambda q: q.x - 1.0)]),
            [0.0, 0.0],
            id="contradictory",
        ),
        pytest.param(system(constraints=[g.Holonomic("a", lambda q: q.x**2 + 1.0)]), [1.0, 0.0], id="no real solution"),
        pytest.param(system(constraints=[g.Holonomic("a", lambda q: 1.0 / q.x - 1.0)]), [0.0, 0.0], id="undefined"),
    ],
)
def test_where_no_state_on_the_constraints_is_found_the_residuals_are_named(model, q):
    expect_refused(lambda: g.consistent(model, q), InconsistentStateError, "no position on the constraints was found")


# --- controls and black boxes ------------------------------------------------------------------------------------


def driven(**options):
    return system(controls="push", force=lambda u: [u.push, 0.0], parameters={"k": 1.0}, **options)


@pytest.mark.parametrize(
    ("u", "words"),
    [
        pytest.param([1.0, 2.0], ["has shape (2,), expected (1,)", "push"], id="long"),
        pytest.param([NAN], ["must be finite", "push = nan"], id="nan"),
        pytest.param({"pull": 1.0}, ["names ['pull']", "push"], id="unknown name"),
        pytest.param({"push": NAN}, ["'push' must be finite"], id="dict nan"),
        pytest.param("push", ["'push'"], id="text"),
    ],
)
def test_bad_control_vectors(u, words):
    expect_refused(lambda: g.accelerate(driven(), [0.0, 0.0], u=u), InputError, *words)
    expect_refused(lambda: simulate(driven(), control=u), InputError, *words)
    expect_refused(lambda: simulate(driven(), control=lambda t, q, v: u), InputError, *words)


def test_controls_for_a_system_without_controls():
    expect_refused(lambda: g.accelerate(system(), [0.0, 0.0], u=[1.0]), InputError, "expected (0,)")
    expect_refused(lambda: g.accelerate(system(), [0.0, 0.0], u={"push": 1.0}), InputError, "controls are none")
    expect_refused(lambda: simulate(system(), control=lambda t, q, v: [1.0]), InputError, "expected (0,)")


@pytest.mark.parametrize(
    ("control", "words"),
    [
        pytest.param(lambda t, q, v: None, ["control"], id="returns nothing"),
        pytest.param(lambda t, q, v: 1 / 0, ["control", "ZeroDivisionError"], id="raises"),
        pytest.param(lambda t, q, v: {}["gain"], ["control", "KeyError"], id="raises KeyError"),
    ],
)
def test_a_control_function_that_fails_at_the_start(control, words):
    expect_refused(lambda: simulate(driven(), control=control), InputError, *words)


def test_functions_that_are_called_by_place_need_the_right_arguments():
    for function in (lambda t: [1.0], lambda t, q, v, gain: [1.0]):
        expect_refused(lambda f=function: simulate(driven(), control=f), ModelError, "control", "(t, q, v)", "(t")
    for function in (lambda q: [0.0, 0.0], lambda t, q, v: [0.0, 0.0]):
        expect_refused(
            lambda f=function: system(black_box_force=f), ModelError, "black-box force of 'cart'", "(q, v, t)"
        )


def test_a_control_function_cannot_change_the_recorded_states():
    def meddling(t, q, v):
        q[0] = v[0] = 5.0
        return [0.0]

    run = simulate(driven(), q=(1.0, 0.0), control=meddling)
    assert run["x"].tolist() == [1.0] * len(run)


def fails_late(value, outcome):
    """A function of time that goes wrong half way through the run."""

    def function(*arguments):
        t = next(a for a in arguments if np.ndim(a) == 0)
        return value if t < 0.05 else outcome()

    return function


def raising():
    raise RuntimeError("sensor lost")


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    ("model", "options", "words"),
    [
        pytest.param(driven(), {"control": fails_late([1.0], lambda: [NAN])}, ["push", "nan"], id="control nan"),
        pytest.param(driven(), {"control": fails_late([1.0], lambda: [1.0, 2.0])}, ["(2,)"], id="control long"),
        pytest.param(driven(), {"control": fails_late([1.0], raising)}, ["sensor lost"], id="control raises"),
        pytest.param(
            system(black_box_force=fails_late([1.0, 0.0], lambda: [NAN, 0.0])), {}, ["black-box", "nan"], id="box nan"
        ),
        pytest.param(
            system(black_box_force=fails_late([1.0, 0.0], raising)), {}, ["black-box", "sensor lost"], id="box raises"
        ),
    ],
)
@pytest.mark.parametrize("method", [{"method": "dop853"}, {"method": "rk4", "step": 0.01}], ids=["dop853", "rk4"])
def test_what_fails_during_a_motion_ends_it_with_its_reason_and_keeps_what_was_computed(model, options, words, method):
    with pytest.warns(MotionWarning) as caught:
        run = simulate(model, progress=deadline(), **options, **method)
    assert run.ending.kind == "failed"
    assert len(run) > 2
    assert 0.0 < run.t[-1] <= 0.05
    assert np.all(np.isfinite(run.q))
    for word in words:
        assert word in run.ending.message
        assert word in str(caught[0].message)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        pytest.param(lambda q, v, t: None, ["expected (2,)", "x, y"], id="None"),
        pytest.param(lambda q, v, t: 1.0, ["expected (2,)"], id="number"),
        pytest.param(lambda q, v, t: [1.0], ["shape (1,)"], id="short"),
        pytest.param(lambda q, v, t: [[1.0, 2.0]], ["shape (1, 2)"], id="matrix"),
        pytest.param(lambda q, v, t: [NAN, 0.0], ["must be finite", "x = nan"], id="nan"),
        pytest.param(lambda q, v, t: [1j, 0.0], ["complex"], id="complex"),
        pytest.param(lambda q, v, t: ["a", 0.0], ["not a number"], id="text"),
        pytest.param(lambda q, v, t: {"x": 1.0}, ["not a number"], id="dict"),
        pytest.param(lambda q, v, t: 1 / 0, ["failed at t = 0", "ZeroDivisionError"], id="raises"),
    ],
)
def test_bad_black_box_forces(function, words):
    model = system(black_box_force=function)
    expect_refused(lambda: g.accelerate(model, [0.0, 0.0]), InputError, "black-box force of 'cart'", *words)
    expect_refused(lambda: simulate(model), InputError, "black-box force of 'cart'", *words)


def test_a_black_box_force_cannot_change_the_state():
    def meddling(q, v, t):
        q[0] = v[0] = 5.0
        return [0.0, 0.0]

    run = simulate(system(black_box_force=meddling))
    assert run["x"].tolist() == [1.0] * len(run)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"mass": 1.0}, ["'cart' has no parameter 'mass'", "it has k"]),
        ({"k": NAN}, ["parameter 'k' must be finite"]),
        ({"k": "stiff"}, ["parameter 'k'", "'stiff'"]),
        ({"k": [1.0, 2.0]}, ["parameter 'k' has shape (2,)"]),
    ],
)
def test_bad_new_values_of_parameters(values, words):
    expect_refused(lambda: driven().with_parameters(**values), InputError, *words)


# --- simulate ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        pytest.param({"t_end": 0.0}, ["t_end = 0 must be later than the start time 0"], id="t_end 0"),
        pytest.param({"t_end": -1.0}, ["t_end = -1"], id="t_end < 0"),
        pytest.param({"t": 1.0, "t_end": 0.5}, ["t_end = 0.5", "start time 1"], id="t_end before t"),
        pytest.param({"t_end": NAN}, ["t_end must be finite"], id="t_end nan"),
        pytest.param({"t_end": INF}, ["t_end must be finite"], id="t_end inf"),
        pytest.param({"t_end": None}, ["t_end"], id="t_end None"),
        pytest.param({"t_end": "later"}, ["t_end", "'later'"], id="t_end text"),
        pytest.param({"t_end": [1.0, 2.0]}, ["t_end has shape (2,)"], id="t_end list"),
        *(
            pytest.param({name: value}, [name], id=f"{name} {value}")
            for name in ("rtol", "atol", "max_step", "step")
            for value in (0.0, -1.0, NAN, "small", [1e-8, 1e-8])
        ),
        pytest.param({"rtol": None}, ["rtol"], id="rtol None"),
        pytest.param({"atol": INF}, ["atol"], id="atol inf"),
        pytest.param({"method": "rk4"}, ["'rk4'", "pass step="], id="rk4 without step"),
        pytest.param({"method": "rk4", "step": NAN}, ["step must be finite"], id="rk4 step nan"),
        pytest.param({"method": "rk4", "step": INF}, ["step must be finite"], id="rk4 step inf"),
        pytest.param({"method": "rk4", "step": 1e-300, "progress": deadline()}, ["step"], id="rk4 step 1e-300"),
        pytest.param({"method": "euler"}, ["method 'euler' is unknown", "rk4, dop853"], id="method"),
        pytest.param({"method": None}, ["method None is unknown"], id="method None"),
        pytest.param({"method": ["rk4"]}, ["method ['rk4'] is unknown"], id="method list"),
        pytest.param({"solver": "ipopt"}, ["solver 'ipopt' is unknown", "osqp, kkt, cvxpy"], id="solver"),
        pytest.param({"solver": None}, ["solver None is unknown"], id="solver None"),
        pytest.param({"progress": "loud"}, ["progress", "'loud'"], id="progress"),
        pytest.param({"progress": 3}, ["progress", "3"], id="progress a number"),
        pytest.param({"events": g.Event("e", lambda q: q.x)}, ["events"], id="event without list"),
        pytest.param({"events": None}, ["events"], id="events None"),
        pytest.param({"events": [lambda q: q.x]}, ["events must be", "gauss.Event"], id="event a function"),
    ],
)
def test_bad_options_of_simulate(options, words):
    expect_refused(lambda: simulate(**options), InputError, *words)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("value", [[0.05], np.array(0.05)], ids=["list", "array"])
@pytest.mark.parametrize("option", ["rtol", "atol", "max_step", "step", "t_end"])
def test_what_passes_for_one_number_is_used_as_that_number(option, value):
    """All numbers of the package are read in one way, which takes "0.05" and [0.05] too."""
    options = {"method": "rk4"} if option == "step" else {}
    run, expected = simulate(**options, **{option: value}), simulate(**options, **{option: 0.05})
    assert np.array_equal(run.q, expected.q)


@pytest.mark.parametrize(
    ("function", "error", "words"),
    [
        pytest.param(None, ModelError, ["event 'e' returned None"], id="None"),
        pytest.param("q.x", ModelError, ["event 'e' is the string"], id="text"),
        pytest.param(lambda q: None, ModelError, ["event 'e' returned None"], id="returns None"),
        pytest.param(lambda q: [q.x, q.y], ModelError, ["event 'e' returned list", "one number"], id="list"),
        pytest.param(lambda s: s, ModelError, ["event 'e' takes an argument 's'"], id="unknown argument"),
        pytest.param(lambda u: u.push, ModelError, ["event 'e' takes an argument 'u'"], id="of controls"),
        pytest.param(lambda q: q.z, ModelError, ["event 'e' failed", "no coordinate 'z'"], id="unknown coordinate"),
        pytest.param(lambda q: 1.0 if q.x > 0 else -1.0, ModelError, ["event 'e'", "gauss.where"], id="branch"),
        pytest.param(lambda q: math.sin(q.x), ModelError, ["event 'e'", "gauss.sin"], id="math.sin"),
        pytest.param(lambda q: g.sqrt(q.x - 5.0), GaussError, ["event 'e'", "finite"], id="nan at the start"),
        pytest.param(3.0, GaussError, ["event 'e'"], id="a constant, which never crosses zero"),
    ],
)
def test_bad_event_functions(function, error, words):
    expect_refused(lambda: simulate(events=[g.Event("e", function)]), error, *words)


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    ("options", "v", "kind"),
    [
        pytest.param({"potential_energy": lambda q: -(q.x**4)}, None, "escape", id="escape in finite time"),
        pytest.param({"potential_energy": lambda q: g.sqrt(q.x)}, [-1.0, 0.0], "failed", id="leaves the domain"),
        pytest.param({"potential_energy": lambda q: -1.0 / q.x}, None, "failed", id="falls into a singularity"),
    ],
)
@pytest.mark.parametrize("t_end", [1.5, 10.0, 1000.0])
def test_a_motion_that_leaves_its_domain_ends_with_a_message_and_finite_states(options, v, kind, t_end):
    with pytest.warns(MotionWarning, match="step size went to zero|no finite step|no certified step|escapes"):
        run = simulate(system(**options), v=v, t_end=t_end, progress=deadline())
    assert run.ending.kind == kind
    assert not run.ending.complete
    assert len(run) > 2
    assert np.all(np.isfinite(run.q))
    assert run.t[-1] < 1.5


# --- results -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def run():
    return simulate()


@pytest.mark.parametrize("name", ["z", "d_z", "dd_", "", "T", 0, None, slice(0, 2), ("x", "y")])
def test_a_trajectory_has_no_such_name(run, name):
    expect_refused(lambda: run[name], InputError, repr(name), "x, y", "'rod'")


@pytest.mark.parametrize("times", [[5.0], [-0.1], NAN, INF, [0.0, NAN], "noon", None, [[0.0, 0.05]]])
def test_bad_times_of_dense_output(run, times):
    expect_refused(lambda: run.at(times), InputError, "times")


def test_dense_output_at_no_times_is_an_empty_trajectory(run):
    assert len(run.at([])) == 0


@pytest.mark.parametrize("lookup", ["multiplier", "reaction_of"])
def test_a_solution_has_no_such_row(lookup):
    solution = g.accelerate(pendulum(), [1.0, 0.0]).solution
    expect_refused(lambda: getattr(solution, lookup)("bar"), InputError, "'bar'", "'rod'")


def test_an_acceleration_has_no_such_coordinate():
    step = g.accelerate(pendulum(), [1.0, 0.0])
    expect_refused(lambda: step.acceleration["z"], InputError, "'z'", "x, y")
    with pytest.raises(AttributeError, match="'z'; known: x, y"):
        step.acceleration.z  # noqa: B018


# --- files -------------------------------------------------------------------------------------------------------


def test_a_trajectory_cannot_be_written_where_there_is_no_folder(run, tmp_path):
    expect_refused(lambda: run.save(tmp_path / "missing" / "run.nc"), FileError, "there is no folder", "missing")


def test_a_trajectory_cannot_be_written_over_a_folder(run, tmp_path):
    expect_refused(lambda: run.save(tmp_path), FileError, "cannot write", str(tmp_path))


@pytest.mark.parametrize("content", [None, b"", b"hello", bytes(range(256)) * 20, b"\x89HDF\r\n\x1a\n" + b"\0" * 500])
def test_a_missing_or_foreign_file_is_no_trajectory(tmp_path, content):
    path = tmp_path / "run.nc"
    if content is not None:
        path.write_bytes(content)
    expect_refused(
        lambda: g.Trajectory.load(path), FileError, "run.nc", "no file" if content is None else "not a readable"
    )


def test_a_folder_is_no_trajectory(tmp_path):
    expect_refused(lambda: g.Trajectory.load(tmp_path), FileError, str(tmp_path))


@pytest.mark.parametrize("load", [g.Trajectory.load, scenario.load])
@pytest.mark.parametrize("path", [None, 3])
def test_something_that_is_no_path(load, path):
    expect_refused(lambda: load(path), InputError, repr(path))


@pytest.mark.parametrize("kept", [0.01, 0.3, 0.7, 0.99])
def test_a_truncated_file_is_no_trajectory(run, tmp_path, kept):
    whole = run.save(tmp_path / "whole.nc").read_bytes()
    path = tmp_path / "cut.nc"
    path.write_bytes(whole[: int(kept * len(whole))])
    expect_refused(lambda: g.Trajectory.load(path), FileError, "cut.nc")


def changed_about(**changes):
    def change(data):
        data.attrs["about"] = json.dumps(json.loads(data.attrs["about"]) | changes)

    return change


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda data: data.attrs.pop("format"), id="no format"),
        pytest.param(lambda data: data.attrs.pop("about"), id="no description"),
        pytest.param(lambda data: data.attrs.update(about="{"), id="description no JSON"),
        pytest.param(lambda data: data.attrs.update(about="[1]"), id="description a list"),
        pytest.param(changed_about(coordinates=3), id="coordinates a number"),
        pytest.param(changed_about(coordinates=["x"]), id="too few coordinates"),
        pytest.param(changed_about(rows=["rod", "bar"], kinds=["holonomic", "holonomic"]), id="too many rows"),
        pytest.param(changed_about(colour="red"), id="unknown entry"),
        pytest.param(lambda data: data.attrs.update(events="null"), id="events null"),
        pytest.param(lambda data: data.attrs.update(events='[{"when": 1}]'), id="events unknown"),
        pytest.param(lambda data: data.attrs.update(ending="3"), id="ending a number"),
        pytest.param(lambda data: data.drop_vars("q"), id="no positions"),
        pytest.param(lambda data: data.assign(q=data.q.astype(str)), id="positions as text"),
        pytest.param(lambda data: data.assign(q=data.q.transpose()), id="positions transposed"),
        pytest.param(lambda data: data.assign(t=data.q), id="times of the wrong shape"),
    ],
)
def test_a_damaged_file_is_no_trajectory(run, tmp_path, change):
    data = run.to_xarray()
    result = change(data)
    path = tmp_path / "damaged.nc"
    files.write(result if hasattr(result, "to_netcdf") else data, None, path)  # with checksums of what is wrong
    expect_refused(lambda: g.Trajectory.load(path), FileError, "damaged.nc")


@pytest.mark.long
def test_a_note_that_somebody_added_to_a_file_does_not_damage_it(run, tmp_path):
    path = run.save(tmp_path / "noted.nc")
    data = xarray.load_dataset(path)
    data.assign_attrs(history="copied on a rainy day").to_netcdf(path, engine="h5netcdf")
    assert np.array_equal(g.Trajectory.load(path).q, run.q)
    run.to_xarray().to_netcdf(path, engine="h5netcdf")
    expect_refused(lambda: g.Trajectory.load(path), FileError, "noted.nc", "no checksums")


def test_a_loaded_trajectory_asks_for_its_model_and_refuses_another(run, tmp_path):
    loaded = g.Trajectory.load(run.save(tmp_path / "run.nc"))
    expect_refused(lambda: loaded.at([0.05]), InputError, "with_system")
    expect_refused(lambda: loaded.with_system(system()), InputError, "rows of 'cart'", "'rod'")
    renamed = system(coordinates="x z", constraints=[g.Holonomic("rod", lambda q: q.x**2 + q.z**2 - 1.0)])
    expect_refused(lambda: loaded.with_system(renamed), InputError, "coordinates of 'cart'")
    expect_refused(lambda: loaded.with_system(pendulum(parameters={"m": 1.0})), InputError, "parameters of 'cart'")
    expect_refused(lambda: loaded.with_system(None), InputError, "NoneType")


MODEL = """import gauss as g
system = g.System("s", "x", kinetic_energy=lambda v: 0.5 * v.x**2)
start = g.Start(q=[0.0], t_end=1.0)
"""


def test_a_well_formed_model_file_loads(tmp_path):
    path = tmp_path / "model.py"
    path.write_text(MODEL, encoding="utf-8")
    for name in (str(path), path):
        assert scenario.load(name).system.name == "s"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("", ["defines no `system`"], id="empty"),
        pytest.param("def f(:\n", ["line 1", "SyntaxError"], id="syntax"),
        pytest.param("\n\nimport no_such_module_here\n", ["line 3", "no_such_module_here"], id="import"),
        pytest.param("x = 1\ny = x / 0\n", ["line 2", "ZeroDivisionError"], id="raises"),
        pytest.param("import sys\nsys.exit(3)\n", ["line 2", "SystemExit"], id="exits"),
        pytest.param("\0", ["SyntaxError"], id="null byte"),
        pytest.param("system = 3\n", ["`system` is a int"], id="system a number"),
        pytest.param("def system():\n    pass\n", ["`system` is a NoneType"], id="system returns nothing"),
        pytest.param("def system(m):\n    pass\n", ["system() failed", "TypeError"], id="system with arguments"),
        pytest.param(MODEL.replace("start", "begin"), ["defines no `start`"], id="no start"),
        pytest.param(MODEL + "start = {'q': [0.0]}\n", ["`start` is a dict", "gauss.Start"], id="start a dict"),
        pytest.param(MODEL + "minimal = 3\n", ["`minimal` is a int"], id="minimal a number"),
        pytest.param(MODEL + "claims = 3\n", ["`claims`"], id="claims a number"),
        pytest.param(MODEL + "figure = 3\n", ["`figure`"], id="figure a number"),
        pytest.param(MODEL + "COVERS = 3\n", ["COVERS"], id="covers a number"),
        pytest.param(MODEL + "COVERS = 'T18'\n", ["COVERS"], id="covers without comma"),
    ],
)
def test_a_file_that_is_no_model(tmp_path, text, words):
    path = tmp_path / "model.py"
    path.write_text(text, encoding="utf-8")
    expect_refused(lambda: scenario.load(str(path)), FileError, "model.py", *words)


def test_a_model_error_inside_a_file_is_passed_on(tmp_path):
    path = tmp_path / "model.py"
    path.write_text("import gauss as g\nsystem = g.System('s', 'x')\n", encoding="utf-8")
    expect_refused(lambda: scenario.load(str(path)), ModelError, "needs either a kinetic_energy")


@pytest.mark.parametrize("content", [b"\xff\xfe\x00\x01", "größe = 1\n".encode("latin-1")])
def test_a_file_that_is_not_text_is_no_model(tmp_path, content):
    path = tmp_path / "model.py"
    path.write_bytes(content)
    expect_refused(lambda: scenario.load(str(path)), FileError, "model.py")


def test_a_file_without_the_ending_py_is_no_model(tmp_path):
    path = tmp_path / "model.txt"
    path.write_text(MODEL, encoding="utf-8")
    expect_refused(lambda: scenario.load(str(path)), FileError, "model.txt", "neither a model file nor that of a robot")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("chaplygin_skate", ["no scenario 'chaplygin_skate'", "chaplygin_skater"]),
        ("zzzzz", ["no scenario 'zzzzz'", "gauss list"]),
        ("nowhere.py", ["no file nowhere.py"]),
        (str(Path("no") / "where"), ["no file"]),
    ],
)
def test_an_unknown_scenario_is_refused_with_near_names(name, words):
    expect_refused(lambda: scenario.load(name), FileError, *words)


def test_an_unknown_option_of_a_motion_through_modes_is_its_own():
    with pytest.raises(TypeError, match=r"hybrid\(\) got an unexpected keyword argument 'tolerance'"):
        g.motion.hybrid({"free": g.motion.Mode(system())}, "free", [0.0, 0.0], t_end=1.0, rtol=1e-8, tolerance=1e-8)


def test_a_row_without_a_derivative_is_told_from_one_without_a_value():
    """hypot(x, y) = z at the apex is zero, but has no tangent plane; log(x) at x = 0 has no value."""
    energy = {"kinetic_energy": lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2)}
    cone = g.System("cone", "x y z", constraints=[g.Holonomic("cone", lambda q: g.hypot(q.x, q.y) - q.z)], **energy)
    with pytest.raises(InputError, match=r"'cone' of 'cone' has a value, but no finite derivative .* squared form"):
        g.accelerate(cone, [0, 0, 0])
    log = g.System("log", "x y z", constraints=[g.Holonomic("log", lambda q: g.log(q.x) - q.y)], **energy)
    with pytest.raises(InputError, match="'log' of 'log' is not finite"):
        g.accelerate(log, [0, 0, 0])


def test_a_film_or_view_of_the_drawing_first_names_the_order():
    drawing = g.bodies.Drawing(lines=[lambda q: [(0, 0), (q.x, q.y)]])
    with pytest.raises(InputError, match=r"got a Drawing, which comes second: view\(run, drawing\)"):
        g.animate(drawing, drawing, "film.gif")


def test_one_position_is_no_list_of_guesses():
    act = lambda: g.analysis.equilibria(system(), [0.0, 0.1])  # noqa: E731
    expect_refused(act, InputError, "a list of positions, as [[0.0, 0.1]]")


def test_a_run_says_which_function_draws_it(run):
    with pytest.raises(AttributeError, match=r"gauss\.plot\(run, …\) does that"):
        run.plot("x")


def test_controls_that_depend_on_the_state_are_one_function():
    driven = g.System("cart", "x", controls="u", mass_matrix=[[1.0]], force=lambda u: [u.u])
    act = lambda: g.simulate(driven, [0.0], t_end=0.1, control={"u": lambda t, q, v: 1.0 - q[0]})  # noqa: E731
    expect_refused(act, InputError, "control 'u' is a function; give one for all, as lambda t, q, v: [1.0 - q[0]]")
    assert g.simulate(driven, [0.0], t_end=0.1, control=lambda t, q, v: [1.0 - q[0]]).ending.complete
