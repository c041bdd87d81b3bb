"""Tables and splines agree with NumPy and SciPy for every kind of number, and refuse bad knots by name."""

from __future__ import annotations

import dataclasses
import math
import pickle
from decimal import Decimal

import casadi
import mpmath
import numpy as np
import pytest
import sympy
from scipy.interpolate import CubicSpline

from gauss.errors import InputError
from gauss.functions import Spline, Table

STEP = 1e-30
ENDS = ["natural", "not-a-knot", "clamped", "periodic"]


def knots(count: int = 9, periodic: bool = False):
    random = np.random.default_rng(count)
    x = np.cumsum(random.uniform(0.2, 1.5, count)) - 3.0
    y = random.normal(size=count)
    if periodic:
        y[-1] = y[0]
    return x, y


def inside(x, count: int = 40):
    return np.random.default_rng(11).uniform(x[0], x[-1], count).tolist()


def traced(curve, symbol=casadi.SX):
    s = symbol.sym("s")
    value = curve(s)
    assert isinstance(value, symbol)
    return casadi.Function("f", [s], [value])


def slope(curve, symbol=casadi.SX):
    s = symbol.sym("s")
    return casadi.Function("f", [s], [casadi.jacobian(curve(s), s)])


def curves():
    for outside in ("error", "hold", "extend"):
        yield Table(*knots(), outside=outside)
        for ends in ENDS:
            yield Spline(*knots(periodic=ends == "periodic"), ends=ends, outside=outside)


def test_a_table_equals_numpy_interpolation():
    x, y = knots()
    table = Table(x, y)
    for s in [*inside(x), *x.tolist()]:
        assert table(s) == pytest.approx(np.interp(s, x, y), rel=1e-14, abs=1e-15)
    assert table(np.array(inside(x))) == pytest.approx(np.interp(inside(x), x, y), rel=1e-14, abs=1e-15)


@pytest.mark.parametrize("ends", ENDS)
def test_a_spline_equals_the_scipy_spline(ends):
    x, y = knots(periodic=ends == "periodic")
    spline, expected = Spline(x, y, ends=ends), CubicSpline(x, y, bc_type=ends)
    for s in [*inside(x), *x.tolist()[:-1]]:
        assert spline(s) == pytest.approx(float(expected(s)), rel=1e-13, abs=1e-14)
    assert spline(x[-1]) == pytest.approx(y[-1], rel=1e-13)


@pytest.mark.parametrize("ends", ENDS)
def test_derivatives_by_complex_step_and_by_casadi_equal_the_scipy_derivative(ends):
    x, y = knots(periodic=ends == "periodic")
    spline, expected = Spline(x, y, ends=ends), CubicSpline(x, y, bc_type=ends).derivative()
    by_casadi = slope(spline)
    for s in inside(x):
        exact = pytest.approx(float(expected(s)), rel=1e-12, abs=1e-13)
        assert spline(complex(s, STEP)).imag / STEP == exact
        assert spline(np.array([complex(s, STEP)]))[0].imag / STEP == exact
        assert float(spline(mpmath.mpc(s, STEP)).imag / STEP) == exact
        assert float(by_casadi(s)) == exact


def test_the_derivative_of_a_table_is_the_slope_of_its_piece():
    x, y = knots()
    table = Table(x, y)
    by_casadi = slope(table)
    for s in inside(x):
        i = int(np.searchsorted(x, s)) - 1
        exact = pytest.approx((y[i + 1] - y[i]) / (x[i + 1] - x[i]), rel=1e-14)
        assert table(complex(s, STEP)).imag / STEP == exact
        assert float(by_casadi(s)) == exact


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    "curve", list(curves()), ids=lambda c: f"{type(c).__name__}-{getattr(c, 'ends', '')}-{c.outside}"
)
def test_every_kind_of_number_gives_the_same_value(curve):
    by_sx, by_mx = traced(curve), traced(curve, casadi.MX)
    symbol = sympy.Symbol("s", real=True)
    expression = curve(symbol)
    places = [*inside(curve.x, 12), *curve.x]
    if curve.outside != "error":
        places += [curve.x[0] - 0.7, curve.x[-1] + 0.7]
    vectorised = curve(np.array(places))
    as_dm = curve(casadi.DM(places))
    assert isinstance(as_dm, casadi.DM)
    for i, s in enumerate(places):
        value = curve(s)
        assert type(value) is float
        exact = pytest.approx(value, rel=1e-14, abs=1e-15)
        assert float(by_sx(s)) == exact
        assert float(by_mx(s)) == exact
        assert vectorised[i] == exact
        assert float(as_dm[i]) == exact
        assert curve(np.float64(s)) == exact
        assert curve(complex(s)) == exact
        assert float(curve(mpmath.mpf(s))) == exact
        assert float(curve(sympy.Float(s, 30))) == pytest.approx(value, rel=1e-12, abs=1e-13)
        assert float(expression.subs(symbol, sympy.Float(s, 30))) == pytest.approx(value, rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("count", [2, 3, 4, 5, 17, 100])
def test_a_traced_table_selects_the_piece_without_rounding(count):
    x, y = knots(count)
    table = Table(x, y)
    evaluate = traced(table)
    for s in x.tolist():
        i = min(x.tolist().index(s), count - 2)
        if i < count - 2 or count == 2:
            assert float(evaluate(x[i])) == y[i]
    for s in inside(x):
        assert float(evaluate(s)) == pytest.approx(table(s), rel=1e-15, abs=1e-16)


def test_a_traced_table_chooses_by_logarithmically_nested_conditions():
    x = np.arange(1025.0)
    s = casadi.SX.sym("s")
    evaluate = casadi.Function("f", [s], [Table(x, np.sqrt(x))(s)])
    assert evaluate.n_instructions() < 40 * len(x)
    assert float(evaluate(900.0)) == 30.0


def test_traced_matrices_are_evaluated_entry_by_entry():
    x, y = knots()
    table = Table(x, y)
    for symbol in (casadi.SX, casadi.MX):
        s = symbol.sym("s", 3)
        values = casadi.Function("f", [s], [table(s)])(x[[1, 4, 2]])
        assert values.full()[:, 0].tolist() == y[[1, 4, 2]].tolist()


def test_arrays_of_any_shape_and_of_symbols_are_taken_entry_by_entry():
    x, y = knots()
    table = Table(x, y)
    assert table(np.full((2, 3), x[1])).tolist() == np.full((2, 3), y[1]).tolist()
    mixed = table(np.array([casadi.SX.sym("s"), x[1]], dtype=object))
    assert isinstance(mixed[0], casadi.SX)
    assert mixed[1] == y[1]


def test_integers_and_decimals_are_numbers():
    table = Table([0, 1, 2], [0, 10, 40])
    assert table(1) == 10.0
    assert table(Decimal("1.5")) == 25.0
    assert table(np.array([0, 2])).tolist() == [0.0, 40.0]


@pytest.mark.parametrize("kind", [Table, Spline])
@pytest.mark.parametrize("convert", [float, complex, np.float64, mpmath.mpf, sympy.Float, casadi.DM, np.atleast_1d])
def test_a_number_outside_the_range_is_refused_by_name(kind, convert):
    curve = kind([0.0, 1.0, 2.5, 4.0], [1.0, 2.0, 0.0, 1.0], name="lift coefficient")
    for value in (-0.5, 4.5):
        with pytest.raises(InputError) as caught:
            curve(convert(value))
        for part in ("lift coefficient", str(value), "[0, 4]", "hold"):
            assert part in str(caught.value)


def test_nan_is_outside_the_range_and_passes_through_otherwise():
    x, y = knots()
    with pytest.raises(InputError, match="nan"):
        Table(x, y)(math.nan)
    with pytest.raises(InputError, match="nan"):
        Table(x, y)(np.array([x[1], math.nan]))
    for outside in ("hold", "extend"):
        assert math.isnan(Table(x, y, outside=outside)(math.nan))
        assert np.isnan(Table(x, y, outside=outside)(np.array([math.nan]))).all()


@pytest.mark.parametrize("kind", [Table, Spline])
def test_hold_keeps_the_end_values_exactly_and_has_no_slope(kind):
    x, y = knots()
    curve = kind(x, y, outside="hold")
    by_casadi, its_slope = traced(curve), slope(curve)
    for s, end in ((x[0] - 5.0, y[0]), (x[-1] + 5.0, y[-1]), (x[-1], y[-1]), (x[0], y[0])):
        assert curve(float(s)) == end
        assert float(by_casadi(s)) == end
        assert curve(np.array([s]))[0] == end
    for s in (x[0] - 5.0, x[-1] + 5.0):
        assert float(its_slope(s)) == 0.0
        assert curve(complex(s, STEP)).imag == 0.0


def test_extend_continues_the_boundary_pieces():
    table = Table([0.0, 1.0, 2.0], [0.0, 1.0, 4.0], outside="extend")
    assert table(-2.0) == -2.0
    assert table(3.0) == 7.0
    x, y = knots()
    spline, expected = Spline(x, y, outside="extend"), CubicSpline(x, y, bc_type="natural")
    for s in (x[0] - 1.0, x[-1] + 1.0):
        assert spline(float(s)) == pytest.approx(float(expected(s)), rel=1e-12)


def test_error_cannot_stop_a_symbol_which_extends_the_boundary_piece():
    x, y = knots()
    strict, extended = Spline(x, y), Spline(x, y, outside="extend")
    for s in (x[0] - 1.0, x[-1] + 1.0):
        assert float(traced(strict)(s)) == pytest.approx(extended(float(s)), rel=1e-14)


def test_a_spline_has_two_continuous_derivatives():
    x, y = knots()
    s = casadi.SX.sym("s")
    value = Spline(x, y)(s)
    first = casadi.jacobian(value, s)
    derivatives = casadi.Function("f", [s], [value, first, casadi.jacobian(first, s)])
    for knot in x[1:-1]:
        for left, right in zip(derivatives(np.nextafter(knot, -9.0)), derivatives(knot)):
            assert float(left) == pytest.approx(float(right), rel=1e-9, abs=1e-9)


def test_a_not_a_knot_spline_reproduces_a_cubic():
    x = np.array([0.0, 0.5, 1.5, 2.0, 3.0])
    spline = Spline(x, x**3 - 2 * x, ends="not-a-knot")
    assert spline(2.7) == pytest.approx(2.7**3 - 5.4, rel=1e-13)


@pytest.mark.parametrize("kind", [Table, Spline])
@pytest.mark.parametrize(
    ("x", "y", "complaint"),
    [
        ([0, 1, 1], [0, 1, 2], r"strictly increasing.*x\[1\] = 1"),
        ([0, 2, 1], [0, 1, 2], r"strictly increasing.*x\[1\] = 2"),
        ([0, 1, math.inf], [0, 1, 2], "finite"),
        ([0, 1, 2], [0, math.nan, 2], "values y.*finite"),
        ([0, 1, 2], [0, 1], r"values y.*\(2,\), expected \(3,\)"),
        ([0], [1], "has 1 knots; it needs at least 2"),
        ([], [], "has 0 knots"),
        ([[0, 1], [2, 3]], [0, 1, 2, 3], "shape"),
        (["a", "b"], [0, 1], "knots x"),
    ],
)
def test_bad_knots_are_refused_with_the_name_of_the_curve(kind, x, y, complaint):
    with pytest.raises(InputError, match=complaint) as caught:
        kind(x, y, name="cam profile")
    assert "cam profile" in str(caught.value)


def test_a_not_a_knot_spline_needs_four_knots():
    with pytest.raises(InputError, match="has 3 knots; it needs at least 4"):
        Spline([0, 1, 2], [0, 1, 0], ends="not-a-knot")


def test_a_periodic_spline_needs_equal_end_values():
    with pytest.raises(InputError, match=r"periodic ends.*0 differs from its last 1"):
        Spline([0, 1, 2], [0, 5, 1], ends="periodic")


def test_unknown_choices_are_refused_with_the_known_ones():
    with pytest.raises(InputError, match=r"outside = 'clip'.*'hold'"):
        Table([0, 1], [0, 1], outside="clip")
    with pytest.raises(InputError, match=r"ends = 'free'.*'natural'"):
        Spline([0, 1], [0, 1], ends="free")


def test_what_is_no_number_is_refused_with_the_name_of_the_curve():
    with pytest.raises(InputError, match="cam got a list"):
        Table([0, 1], [0, 1], name="cam")([0.5])


def test_curves_are_frozen_comparable_and_pickled():
    table = Table([0, 1], [0, 1])
    with pytest.raises(dataclasses.FrozenInstanceError):
        table.name = "other"
    assert table == Table([0.0, 1.0], [0.0, 1.0])
    assert table != Table([0, 1], [0, 2])
    assert hash(table) == hash(Table([0, 1], [0, 1]))
    assert Spline([0, 1, 2], [0, 1, 0]) != Spline([0, 1, 2], [0, 1, 0], ends="clamped")
    assert pickle.loads(pickle.dumps(table))(0.5) == 0.5


def test_curves_print_their_name_and_range():
    assert repr(Table([0, 1, 4], [0, 1, 2], name="drag")) == "Table('drag', 3 knots on [0, 4])"
    assert repr(Spline([0, 1, 4], [0, 1, 2])) == "Spline('spline', 3 knots on [0, 4])"
