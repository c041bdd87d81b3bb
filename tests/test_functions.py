"""Elementary functions agree across all kinds of numbers, and their complex steps are derivatives."""

from __future__ import annotations

import ast
import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import casadi
import mpmath
import numpy as np
import pytest
import sympy

from gauss.errors import GaussError, InputError
from gauss.functions import arithmetic, backends
from gauss.functions import elementary as functions

# Name of each function of one argument, with an interval inside its domain.
INTERVALS = {
    "sin": (-7.0, 7.0),
    "cos": (-7.0, 7.0),
    "tan": (-1.5, 1.5),
    "asin": (-0.99, 0.99),
    "acos": (-0.99, 0.99),
    "atan": (-5.0, 5.0),
    "sinh": (-5.0, 5.0),
    "cosh": (-5.0, 5.0),
    "tanh": (-3.0, 3.0),
    "asinh": (-5.0, 5.0),
    "acosh": (1.01, 9.0),
    "atanh": (-0.99, 0.99),
    "exp": (-5.0, 5.0),
    "log": (0.01, 9.0),
    "sqrt": (0.01, 9.0),
    "fabs": (-5.0, 5.0),
    "sign": (-5.0, 5.0),
}
UNARY = sorted(INTERVALS)
PAIRS = ["atan2", "hypot", "fmin", "fmax"]
QUADRANTS = [(1.2, 0.7), (1.2, -0.7), (-1.2, -0.7), (-1.2, 0.7), (0.3, -2.0), (-0.3, -2.0), (2.0, 0.0), (-2.0, 0.0)]
STEP = 1e-30


def points(name: str, count: int = 25) -> list[float]:
    low, high = INTERVALS[name]
    return np.random.default_rng(UNARY.index(name)).uniform(low, high, count).tolist()


def point_pairs(count: int = 25) -> list[list[float]]:
    return np.random.default_rng(5).normal(size=(count, 2)).tolist()


def traced(function, *values, symbol=casadi.SX):
    symbols = [symbol.sym(f"x{i}") for i in range(len(values))]
    result = function(*symbols)
    assert isinstance(result, symbol)
    return float(casadi.Function("f", symbols, [result])(*values))


def same(value, expected, relative=4e-15):
    return float(value) == pytest.approx(float(expected), rel=relative, abs=1e-15)


@pytest.mark.parametrize("name", UNARY)
def test_every_kind_of_number_gives_the_same_value(name):
    function = getattr(functions, name)
    xs = points(name)
    array = function(np.array(xs))
    assert isinstance(array, np.ndarray)
    for x, from_array in zip(xs, array):
        expected = function(x)
        assert type(expected) is float
        assert same(from_array, expected)
        assert same(function(np.float64(x)), expected)
        assert same(function(mpmath.mpf(x)), expected)
        assert same(function(sympy.Float(x, 30)), expected)
        assert same(function(casadi.DM(x)), expected)
        assert same(traced(function, x), expected)
        assert same(traced(function, x, symbol=casadi.MX), expected)
        z = function(complex(x))
        assert type(z) is complex
        assert same(z.real, expected)
        assert z.imag == 0.0
        assert same(function(np.complex128(x)).real, expected)
        assert same(function(mpmath.mpc(x)).real, expected)


@pytest.mark.parametrize("name", sorted(set(UNARY) - {"fabs", "sign"}))
def test_floats_give_the_value_of_the_math_module(name):
    for x in points(name):
        assert getattr(functions, name)(x) == getattr(math, name)(x)


def test_sine_of_a_traced_symbol_equals_math_sine():
    x = casadi.SX.sym("x")
    assert float(casadi.Function("f", [x], [functions.sin(x)])(0.7)) == pytest.approx(math.sin(0.7), rel=1e-15)


@pytest.mark.parametrize("name", UNARY)
def test_a_sympy_symbol_stays_a_sympy_expression(name):
    x = sympy.Symbol("x", real=True)
    expression = getattr(functions, name)(x)
    assert isinstance(expression, sympy.Expr)
    for value in points(name, 5):
        assert same(expression.subs(x, sympy.Float(value, 30)), getattr(functions, name)(value))


@pytest.mark.parametrize("name", UNARY)
def test_complex_step_equals_the_mpmath_derivative(name):
    function = getattr(functions, name)
    for x in points(name):
        with mpmath.workdps(30):
            exact = float(mpmath.diff(function, mpmath.mpf(x)))
            from_mpmath = float(function(mpmath.mpc(x, 1e-40)).imag / mpmath.mpf(1e-40))
        for value in (function(complex(x, STEP)), function(np.array([complex(x, STEP)]))[0]):
            assert value.imag / STEP == pytest.approx(exact, rel=1e-14, abs=1e-300)
        assert from_mpmath == pytest.approx(exact, rel=1e-14, abs=1e-300)


@pytest.mark.parametrize("name", PAIRS)
def test_pairs_of_every_kind_give_the_same_value(name):
    function = getattr(functions, name)
    pairs = point_pairs()
    array = function(*np.array(pairs).T)
    continued = function(*np.array(pairs, dtype=complex).T)
    for (a, b), from_array, from_complex in zip(pairs, array, continued):
        expected = function(a, b)
        assert type(expected) is float
        assert same(from_array, expected)
        assert same(from_complex.real, expected)
        assert same(function(mpmath.mpf(a), b), expected)
        assert same(function(a, mpmath.mpc(b)).real, expected)
        assert same(function(a, sympy.Float(b, 30)), expected)
        assert same(function(complex(a), b).real, expected)
        assert same(traced(function, a, b), expected)
        assert same(traced(function, a, b, symbol=casadi.MX), expected)
        assert same(traced(lambda x, a=a: function(np.float64(a), x), b), expected)
        assert same(function(casadi.DM(a), b), expected)


@pytest.mark.parametrize("name", PAIRS)
def test_complex_steps_of_pairs_equal_the_mpmath_derivatives(name):
    function = getattr(functions, name)
    for a, b in point_pairs():
        with mpmath.workdps(30):
            exact = [float(mpmath.diff(function, (mpmath.mpf(a), mpmath.mpf(b)), order)) for order in ((1, 0), (0, 1))]
        stepped = [(complex(a, STEP), b), (a, complex(b, STEP))]
        for (left, right), derivative in zip(stepped, exact):
            assert function(left, right).imag / STEP == pytest.approx(derivative, rel=1e-14, abs=1e-300)
            in_array = function(np.array([left]), np.array([right]))[0]
            assert in_array.imag / STEP == pytest.approx(derivative, rel=1e-14, abs=1e-300)
            in_mpmath = function(mpmath.mpmathify(left), mpmath.mpmathify(right))
            assert float(in_mpmath.imag) / STEP == pytest.approx(derivative, rel=1e-13, abs=1e-300)


@pytest.mark.parametrize(("y", "x"), QUADRANTS)
def test_atan2_has_the_branch_of_math_atan2_in_every_quadrant(y, x):
    expected = math.atan2(y, x)
    assert functions.atan2(y, x) == expected
    assert functions.atan2(complex(y), x).real == expected
    assert functions.atan2(np.complex128(y), x).real == expected
    assert same(functions.atan2(mpmath.mpc(y, 1e-40), x).real, expected)
    assert same(traced(functions.atan2, y, x), expected)
    assert functions.atan2(complex(y, STEP), x).imag / STEP == pytest.approx(x / (x * x + y * y), rel=1e-15)
    assert functions.atan2(y, complex(x, STEP)).imag / STEP == pytest.approx(-y / (x * x + y * y), rel=1e-15)


def test_atan2_of_large_imaginary_parts_solves_tangent():
    for y, x in ((0.4 + 0.3j, 1.1 - 0.2j), (-0.4 + 0.3j, -1.1 + 0.5j), (2.0 - 0.7j, -0.1 + 0.2j)):
        angle, length = functions.atan2(y, x), functions.hypot(x, y)
        assert length * functions.sin(angle) == pytest.approx(y, rel=1e-14)
        assert length * functions.cos(angle) == pytest.approx(x, rel=1e-14)


def test_atan2_on_the_negative_axis_follows_the_sign_of_zero():
    assert functions.atan2(0.0, -1.0) == math.pi
    assert functions.atan2(-0.0, -1.0) == -math.pi
    assert functions.atan2(complex(0.0, STEP), -1.0) == complex(math.pi, -STEP)
    assert functions.atan2(complex(-0.0, STEP), -1.0) == complex(-math.pi, -STEP)


def test_atan2_at_the_origin_has_a_value_but_no_complex_step():
    assert functions.atan2(0.0, 0.0) == 0.0
    assert functions.atan2(0j, 0.0) == 0.0
    for step in (1e-30j, mpmath.mpc(0, 1)):
        with pytest.raises(InputError, match=r"atan2.*origin"):
            functions.atan2(step, 0.0)


def test_hypot_neither_overflows_nor_underflows():
    assert functions.hypot(3e200, 4e200) == pytest.approx(5e200, rel=1e-15)
    assert functions.hypot(3e200 + 0j, 4e200).real == pytest.approx(5e200, rel=1e-15)
    assert functions.hypot(np.array([3e-200 + 0j]), 4e-200)[0].real == pytest.approx(5e-200, rel=1e-15)
    assert functions.hypot(np.array([0j, 3.0]), np.array([0.0, 4.0])).real.tolist() == [0.0, 5.0]
    assert functions.hypot(0j, 0.0) == 0.0
    assert traced(functions.hypot, 3e200, 4e200) == pytest.approx(5e200, rel=1e-15)


@pytest.mark.parametrize(
    ("name", "x"),
    [
        ("sqrt", -1.0),
        ("log", 0.0),
        ("log", -2),
        ("log", 0j),
        ("acos", 2),
        ("asin", -1.5),
        ("acosh", 0.5),
        ("atanh", 1.0),
        ("sin", math.inf),
        ("exp", 1e4),
        ("cosh", -1e4),
        ("exp", 1e4 + 0j),
    ],
)
def test_a_plain_number_outside_the_domain_is_refused_by_name(name, x):
    with pytest.raises(InputError) as caught:
        getattr(functions, name)(x)
    assert f"{name}({x!r})" in str(caught.value)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, GaussError)


def test_nan_passes_through_functions_of_floats():
    for name in UNARY:
        assert math.isnan(getattr(functions, name)(math.nan))


def test_numpy_arrays_outside_the_domain_behave_as_in_numpy():
    with pytest.warns(RuntimeWarning, match="sqrt"):
        assert np.isnan(functions.sqrt(np.array([-1.0]))).all()


@pytest.mark.parametrize("value", ["1.0", [1.0], None, {}])
def test_what_is_no_number_is_refused_with_the_name_of_the_function(value):
    with pytest.raises(InputError, match=f"cos got a {type(value).__name__}"):
        functions.cos(value)
    with pytest.raises(InputError, match=f"fmin got a {type(value).__name__}"):
        functions.fmin(1.0, value)


def test_a_casadi_value_does_not_mix_with_a_complex_or_sympy_symbol():
    x = casadi.SX.sym("x")
    for other in (1j, sympy.Symbol("s"), np.array([1j])):
        with pytest.raises(InputError, match="hypot cannot combine"):
            functions.hypot(x, other)
    with pytest.raises(InputError, match="SymPy condition"):
        functions.where(sympy.Symbol("s") > 0, x, 0.0)


def test_a_casadi_value_mixes_with_mpmath_and_numpy_numbers():
    x = casadi.SX.sym("x")
    assert traced(lambda x: functions.fmin(x, mpmath.mpf(2)), 3.0) == 2.0
    assert traced(lambda x: functions.hypot(sympy.Integer(3), x), 4.0) == 5.0
    assert functions.atan2(np.array([1, 2, 3]), x).shape == (3, 1)


def test_fractions_decimals_and_booleans_count_as_floats():
    assert functions.sqrt(Fraction(1, 4)) == 0.5
    assert functions.sqrt(Decimal("0.25")) == 0.5
    assert functions.cos(False) == 1.0
    assert functions.fmax(Fraction(1, 2), 0) == 0.5


def test_arrays_of_symbols_are_taken_entry_by_entry():
    x, s = casadi.SX.sym("x"), sympy.Symbol("s")
    mixed = functions.sin(np.array([x, s, 0.5, 1j], dtype=object))
    assert isinstance(mixed[0], casadi.SX)
    assert mixed[1] == sympy.sin(s)
    assert mixed[2] == math.sin(0.5)
    assert functions.atan2(np.array([1.0, 2.0]), s)[1] == sympy.atan2(2.0, s)
    assert functions.hypot(np.array([3.0]), mpmath.mpf(4))[0] == 5
    assert functions.fmin(np.array([3.0, 5.0]), mpmath.mpf(4)).tolist() == [3.0, 4]
    chosen = functions.where(functions.less(np.array([0.0, 2.0]), mpmath.mpf(1)), mpmath.mpf(7), 8.0)
    assert chosen.tolist() == [7, 8]


def test_fabs_of_a_complex_number_turns_it_to_the_right_half_plane():
    assert functions.fabs(-2.0 + 1j) == 2.0 - 1j
    assert functions.fabs(np.array([-2.0 + 1j, 3j])).tolist() == [2.0 - 1j, 3j]
    assert functions.fabs(mpmath.mpc(-2, 1)) == mpmath.mpc(2, -1)


def test_sign_is_minus_one_zero_or_one():
    for zero in (0, 0.0, 0j, np.float64(0), mpmath.mpf(0), sympy.Integer(0), casadi.DM(0)):
        assert float(functions.sign(zero).real if isinstance(zero, complex) else functions.sign(zero)) == 0.0
    assert functions.sign(-3) == -1.0
    assert functions.sign(-3 + 4j) == -1.0
    assert functions.sign(np.array([3 - 4j, -1j])).tolist() == [1, 0]


def test_smaller_and_larger_compare_complex_numbers_by_the_real_part():
    a, b = 1.0 + 9j, 2.0 - 9j
    assert functions.fmin(a, b) == a
    assert functions.fmax(a, b) == b
    assert functions.fmin(np.array([a, b]), 1.5).tolist() == [a, 1.5]
    assert functions.fmax(mpmath.mpc(a), b) == b
    assert functions.less(a, b) is True
    assert functions.greater(a, b) is False
    assert functions.less(np.array([a, b]), 1.5).tolist() == [True, False]
    assert functions.greater(mpmath.mpc(a), 0) is True


def test_smaller_and_larger_prefer_a_number_to_nan():
    for function in (functions.fmin, functions.fmax):
        for one in (1.0, 1.0 + 0j, np.float64(1), np.complex128(1), mpmath.mpf(1)):
            assert function(one, math.nan) == 1
            assert function(math.nan, one) == 1
        assert traced(function, 1.0, math.nan) == 1.0


def test_where_takes_the_condition_of_every_kind():
    a, b = 10.0, 20.0
    s, x = sympy.Symbol("s", real=True), casadi.SX.sym("x")
    assert functions.where(True, a, b) == a
    assert functions.where(np.False_, a, b) == b
    assert functions.where(True, x, b) is x
    assert functions.where(sympy.true, x, b) is x
    assert functions.where(sympy.Integer(1) > 2, a, x) is x
    assert functions.where(np.array([True, False]), a, b).tolist() == [a, b]
    piecewise = functions.where(functions.greater(s, 0), s**2, -s)
    assert isinstance(piecewise, sympy.Piecewise)
    assert piecewise.subs(s, 3) == 9
    assert piecewise.subs(s, -3) == 3
    for value, expected in ((3.0, 9.0), (-3.0, 3.0)):
        for symbol in (casadi.SX, casadi.MX):
            function = functions.where
            assert traced(lambda x: function(functions.greater(x, 0), x * x, -x), value, symbol=symbol) == expected  # noqa: B023
        z = complex(value, STEP)
        stepped = functions.where(functions.greater(z, 0), z * z, -z)
        assert stepped.imag / STEP == pytest.approx(2 * value if value > 0 else -1.0)
    chosen = functions.where(np.array([True, False]), x, 2.0)
    assert [float(v) for v in casadi.Function("f", [x], [chosen])(7.0).full()[:, 0]] == [7.0, 2.0]


def test_where_refuses_a_condition_that_is_no_comparison():
    with pytest.raises(InputError, match=r"gauss\.less"):
        functions.where(1j, 1.0, 2.0)
    with pytest.raises(InputError, match="not a comparison"):
        functions.where(sympy.Symbol("s") + 1, 1.0, 2.0)


def test_where_hides_the_nan_of_the_branch_not_taken_and_of_its_derivative():
    x = casadi.SX.sym("x")
    root = functions.where(functions.greater(x, 0), functions.sqrt(x), 0.0)
    evaluate = casadi.Function("f", [x], [root, casadi.jacobian(root, x)])
    assert [float(v) for v in evaluate(-1.0)] == [0.0, 0.0]
    assert [float(v) for v in evaluate(4.0)] == [2.0, 0.25]


def test_subclasses_are_taken_as_their_library():
    class Angle(float):
        pass

    class Row(np.ndarray):
        pass

    assert functions.sin(Angle(0.5)) == math.sin(0.5)
    assert functions.sin(np.zeros(2).view(Row)).tolist() == [0.0, 0.0]


def test_mpmath_numbers_keep_the_precision_of_their_context():
    with mpmath.workdps(50):
        assert mpmath.almosteq(functions.sin(mpmath.pi / 6), mpmath.mpf(1) / 2, rel_eps=mpmath.mpf(10) ** -48)
        assert functions.fabs(mpmath.pi) == +mpmath.pi


def test_symbolic_libraries_are_imported_only_when_such_a_number_comes():
    for module in (functions, backends):
        tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
        top = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        names = {alias.name for node in top for alias in node.names} | {getattr(node, "module", "") for node in top}
        assert not names & {"casadi", "sympy", "mpmath", "scipy"}


def test_pi_is_the_float():
    assert functions.pi == math.pi


def test_every_public_name_exists():
    assert all(hasattr(functions, name) for name in functions.__all__)
    assert set(UNARY) | set(PAIRS) | {"where", "less", "greater", "pi"} == set(functions.__all__)


OPERANDS = {
    "symbols": (casadi.SX.sym("x"), casadi.SX.sym("y")),
    "symbol and float": (casadi.SX.sym("x"), 2.5),
    "float and symbol": (-1.0, casadi.SX.sym("y")),
    "zero and symbol": (0.0, casadi.SX.sym("y")),
    "one and symbol": (1.0, casadi.SX.sym("y")),
    "whole number and symbol": (3, casadi.SX.sym("y")),
    "matrix symbols": (casadi.SX.sym("A", 2, 2), casadi.SX.sym("B", 2, 2)),
    "graph symbols": (casadi.MX.sym("x"), casadi.MX.sym("y")),
}


@pytest.mark.parametrize("pair", OPERANDS.values(), ids=OPERANDS)
def test_sums_and_products_of_symbols_are_the_expressions_of_the_operators(pair):
    for mine, theirs in zip(_three(*pair), (pair[0] + pair[1], pair[0] - pair[1], pair[0] * pair[1]), strict=True):
        assert type(mine) is type(theirs)
        assert str(mine) == str(theirs)


@pytest.mark.parametrize(
    "pair", [(2.0, 3), (np.arange(3.0), 2.0), (np.float64(2.0), np.arange(2.0)), (1j, 2.0), (mpmath.mpf(2), 3.0)]
)
def test_sums_and_products_of_numbers_are_those_of_the_operators(pair):
    for mine, theirs in zip(_three(*pair), (pair[0] + pair[1], pair[0] - pair[1], pair[0] * pair[1]), strict=True):
        assert type(mine) is type(theirs)
        assert np.all(mine == theirs)


def _three(x, y):
    return arithmetic.added(x, y), arithmetic.subtracted(x, y), arithmetic.multiplied(x, y)
