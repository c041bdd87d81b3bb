"""Extremals against closed forms, against direct minimisation, and what cannot be an extremal."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, minimize

import gauss as g
from gauss.errors import InputError, ModelError, SolverError
from gauss.formulations import vakonomic
from gauss.variational import FreeEnd, Isoperimetric, VariationalProblem, extremal, extremals
from gauss.variational.extremal import defect

SOLVED = 1e-8  # ten times the tolerance of the collocation


def catenoid(b, radius=1.0):
    return VariationalProblem(
        lambda q, v: q.y * g.sqrt(1 + v.y**2), "y", start={"y": radius}, end={"y": radius}, span=(-b, b)
    )


def oscillator(T, end=0.0, **more):
    """∫ q̇² − q² dt, whose extremals are sines."""
    return VariationalProblem(
        lambda q, v: v.x**2 - q.x**2, "x", start={"x": 0.0}, end={"x": end}, span=(0.0, T), **more
    )


def length(v):
    return g.sqrt(v.x**2 + v.y**2)


# ------------------------------------------------------------------ closed forms


def test_a_quadratic_functional_has_its_closed_form():
    found = extremal(oscillator(1.3, end=0.7))
    assert np.max(np.abs(found["x"] - 0.7 * np.sin(found.t) / np.sin(1.3))) < SOLVED
    assert found.value == pytest.approx(0.49 / np.tan(1.3), abs=SOLVED)
    assert found.kind == "minimum"
    assert found.legendre == pytest.approx((2.0, 2.0), rel=1e-12)
    assert found.legendre_condition == "minimum"


def test_time_and_parameters_enter_the_functional():
    problem = VariationalProblem(
        lambda v, t, p: (p.k + t) * v.x**2, "x", start={"x": 0.0}, end={"x": 1.0}, parameters={"k": 0.5}
    )
    found = extremal(problem)
    expected = np.log((0.5 + found.t) / 0.5) / np.log(3.0)
    assert np.max(np.abs(found["x"] - expected)) < SOLVED
    assert found.value == pytest.approx(1.0 / np.log(3.0), abs=SOLVED)


def test_a_free_end_meets_its_natural_condition():
    problem = VariationalProblem(lambda q, v: v.x**2 + q.x**2, "x", start={"x": 1.0}, span=(0.0, 2.0))
    found = extremal(problem)
    assert np.max(np.abs(found["x"] - np.cosh(2.0 - found.t) / np.cosh(2.0))) < SOLVED
    assert abs(found.v[-1, 0]) < SOLVED
    assert found.kind == "minimum"


def test_a_free_length_of_the_interval_meets_its_transversality_condition():
    # energy of a controlled point plus the time it takes: |v| = 1 makes v² + 1 cheapest
    problem = VariationalProblem(
        lambda v: v.x**2 + 1.0, "x", start={"x": 0.0}, end={"x": 3.0}, span=(0.5, FreeEnd(1.0))
    )
    found = extremal(problem)
    assert found.t_end == pytest.approx(3.5, abs=SOLVED)
    assert found.value == pytest.approx(6.0, abs=SOLVED)
    assert found.kind == "minimum"


def test_an_isoperimetric_condition_holds_and_its_multiplier_is_the_rate_of_the_value():
    def under(c):
        problem = VariationalProblem(
            lambda v: v.x**2,
            "x",
            start={"x": 0.0},
            end={"x": 0.0},
            integrals=[Isoperimetric("area", lambda q: q.x, c)],
        )
        return extremal(problem)

    found = under(0.3)
    assert np.max(np.abs(found["x"] - 1.8 * found.t * (1 - found.t))) < SOLVED
    assert found.value == pytest.approx(12 * 0.3**2, abs=SOLVED)
    rate = (under(0.301).value - under(0.299).value) / 0.002  # exact for a quadratic value
    assert found.multipliers["area"] == pytest.approx(-rate, abs=1e-5)
    assert found.kind == "minimum"


def test_paths_alone_are_found_with_constant_speed():
    problem = VariationalProblem(
        lambda q, v: q.y * length(v), "x y", start={"x": -0.5, "y": 1.0}, end={"x": 0.5, "y": 1.0}
    )
    assert problem.compiled.parametric
    found = extremal(problem)
    c = brentq(lambda c: c * np.cosh(0.5 / c) - 1.0, 0.6, 1.0)
    assert np.max(np.abs(found["y"] - c * np.cosh(found["x"] / c))) < SOLVED
    speed = np.hypot(*found.v.T)
    assert found.legendre == pytest.approx((c / speed[0], 1.0 / speed[0]), rel=1e-6)  # y/|v| across the path
    assert np.ptp(speed) < SOLVED
    assert found.value == pytest.approx(extremal(catenoid(0.5)).value, abs=SOLVED)
    assert found.kind == "minimum"


@pytest.mark.parametrize("function", [lambda v: length(v) ** 2, lambda q, v, t: t * length(v), lambda v: length(v) + 1])
def test_other_functionals_depend_on_the_parameter(function):
    ends = {"start": {"x": 0.0, "y": 0.0}, "end": {"x": 1.0, "y": 1.0}}
    assert not VariationalProblem(function, "x y", **ends).compiled.parametric


# ------------------------------------------------------------------ several extremals, and what kind they are


@pytest.mark.long
def test_a_catenary_has_two_extremals_one_of_them_a_minimum_and_none_beyond():
    for b in (0.3, 0.6, 0.66):
        found = extremals(catenoid(b))
        assert [one.kind for one in found] == ["minimum", "saddle"]
        for one, bracket in zip(found, ((b / 1.19968, 1.0), (b / 40, b / 1.19968)), strict=True):
            c = brentq(lambda c, b=b: c * np.cosh(b / c) - 1.0, *bracket)
            assert np.max(np.abs(one["y"] - c * np.cosh(one.t / c))) < SOLVED
        assert found[0].value < found[1].value
    assert extremals(catenoid(0.67)) == []
    with pytest.raises(SolverError, match="There may be none"):
        extremal(catenoid(0.67))


@pytest.mark.parametrize(("T", "negative"), [(3.0, 0), (3.3, 1), (6.2, 1), (6.4, 2), (9.5, 3)])
def test_the_index_counts_the_conjugate_points(T, negative):
    found = extremal(oscillator(T, end=0.1))
    assert found.second.negative == negative  # conjugate points at π, 2π, 3π
    assert found.second.vanishing == 0
    assert found.kind == ("saddle" if negative else "minimum")
    assert found.legendre_condition == "minimum"
    expected = min((k * np.pi / T) ** 2 - 1 for k in range(1, 6)) * 2 / (1 / T**2 + (np.pi / T) ** 2)
    assert found.second.smallest == pytest.approx(expected, rel=1e-5)


@pytest.mark.long
@pytest.mark.parametrize(("depth", "zeros"), [(1e3, 0), (1e5, 1)])
def test_the_index_sees_what_is_narrower_than_an_even_mesh(depth, zeros):
    """A well of a thousandth of the interval: the zeros of the Jacobi field ü = −A exp(−((t − c)/w)²) u count."""
    centre, width = 0.503, 1e-3

    def well(t):
        return depth * g.exp(-(((t - centre) / width) ** 2))

    problem = VariationalProblem(lambda q, v, t: v.x**2 - well(t) * q.x**2, "x", {"x": 0.0}, {"x": 1.0})
    jacobi = solve_ivp(lambda t, y: [y[1], -well(t) * y[0]], (0.0, 1.0), [0.0, 1.0], rtol=1e-9, max_step=width / 4)
    assert np.sum(np.diff(np.sign(jacobi.y[0][1:])) != 0) == zeros
    assert extremal(problem).second.negative == zeros
    assert extremal(problem).second.vanishing == 0


def test_on_a_conjugate_point_the_kind_is_undecided():
    problem = oscillator(np.pi)
    found = extremal(problem, guess=lambda t: [0.3 * np.sin(t)])
    assert found.second.vanishing == 1
    assert found.kind == "undecided"


def test_the_opposite_functional_has_a_maximum():
    problem = VariationalProblem(lambda q, v: q.x**2 - v.x**2, "x", start={"x": 0.0}, end={"x": 1.0})
    found = extremal(problem)
    assert (found.kind, found.legendre_condition) == ("maximum", "maximum")
    assert found.second.positive == 0


@pytest.mark.long
@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize(
    ("function", "names", "last"),
    [
        (lambda v, t, p: p.sign * (1 + 100 * g.exp(-(((t - 0.5) / 0.05) ** 2))) * v.x**2, "x", 1.0),
        (lambda v, p: p.sign * (v.x**2 + 1000 * v.y**2), "x y", 1.0),
        (lambda v, p: p.sign * (0.5 * v.x**2 + 2), "x", FreeEnd(1.0)),
    ],
)
def test_a_wide_range_of_second_derivatives_makes_no_saddle(function, names, last, sign):
    """Without q in it a functional that is convex in v has a least value, its negative a largest.

    So has ∫ ½v² + 2 dt over a free time T from 0 to 1: 1/(2T) + 2T is least at T = 1/2.
    """
    start, end = (dict.fromkeys(names.split(), x) for x in (0.0, 1.0))
    found = extremal(VariationalProblem(function, names, start, end, (0.0, last), parameters={"sign": sign}))
    assert found.kind == ("minimum" if sign > 0 else "maximum")
    assert not found.second.vanishing
    if isinstance(last, FreeEnd):
        assert found.t_end == pytest.approx(0.5, abs=SOLVED)
        assert found.value == pytest.approx(2.0 * sign, abs=SOLVED)


def test_an_indefinite_functional_has_neither():
    problem = VariationalProblem(lambda v: v.x**2 - v.y**2, "x y", start={"x": 0.0, "y": 0.0}, end={"x": 1.0, "y": 1.0})
    found = extremal(problem)
    assert (found.kind, found.legendre_condition) == ("saddle", "none")


def test_an_isoperimetric_condition_takes_a_negative_direction_away():
    free = extremal(oscillator(4.0, end=0.5))
    kept = extremal(oscillator(4.0, end=0.5, integrals=[Isoperimetric("mean", lambda q: q.x, 0.2)]))
    assert free.second.negative == 1
    assert kept.second.negative == 0  # with ∫δx = 0 the first zero moves from π to 2π


# ------------------------------------------------------------------ vakonomic rows


def test_vakonomic_rows_agree_with_the_vakonomic_equations_of_motion():
    """A skate steered at least effort: started from the extremal's state and μ, the equations lead to its end."""
    row = g.Pfaffian("skate", lambda q: [g.sin(q.phi), -g.cos(q.phi), 0.0])
    problem = VariationalProblem(
        lambda v: v.x**2 + v.y**2 + 0.5 * v.phi**2,
        "x y phi",
        start={"x": 0.0, "y": 0.0, "phi": 0.2},
        end={"x": 1.0, "y": 0.4, "phi": 0.9},
        rows=[row],
    )
    found = extremal(problem, guess=lambda t: [t, 0.4 * t, 0.2 + 0.7 * t])

    def rates(t, w):
        a, mu_dot = vakonomic(
            lambda q, v, t: v[0] ** 2 + v[1] ** 2 + 0.5 * v[2] ** 2,
            lambda q, v, t: np.array([np.sin(q[2]) * v[0] - np.cos(q[2]) * v[1]]),
            w[:3],
            w[3:6],
            w[6:],
            t,
        )
        return [*w[3:6], *a, *mu_dot]

    first = [*found.q[0], *found.v[0], *found.mu[0]]
    moved = solve_ivp(rates, (0.0, 1.0), first, "DOP853", rtol=1e-10, atol=1e-12).y[:, -1]
    assert np.max(np.abs(moved - [*found.q[-1], *found.v[-1], *found.mu[-1]])) < 1e-7
    slip = np.sin(found["phi"]) * found.v[:, 0] - np.cos(found["phi"]) * found.v[:, 1]
    assert np.max(np.abs(slip)) < SOLVED
    assert np.ptp(found["skate"]) > 0.1  # the multiplier is not constant here


@pytest.mark.long
@pytest.mark.parametrize(("turns", "negative"), [(1, 0), (2, 2)])
def test_rows_restrict_the_second_variation(turns, negative):
    """Brockett's integrator back on its axis: by the isoperimetric inequality one turn has no negative eigenvalue."""
    problem = VariationalProblem(
        lambda v: v.x**2 + v.y**2,
        "x y z",
        start={"x": 0.0, "y": 0.0, "z": 0.0},
        end={"x": 0.0, "y": 0.0, "z": 0.5},
        rows=[g.Pfaffian("row", lambda q: [q.y, -q.x, 1.0])],
    )
    angle = 2 * np.pi * turns
    found = extremal(problem, guess=lambda t: [0.2 * np.sin(angle * t), 0.2 * (1 - np.cos(angle * t)), 0.5 * t])
    assert np.max(np.abs(found["row"] - angle)) < 10 * SOLVED
    assert found.value == pytest.approx(angle * 0.5, abs=SOLVED)
    assert (found.second.negative, found.second.vanishing) == (negative, 1)  # turned about the axis it is an extremal
    farthest = 4 * 0.5 / angle  # the square of the diameter: on the row dz = x dy − y dx the unit vector is as long
    assert found.legendre == pytest.approx((2.0 / (1.0 + farthest), 2.0), rel=1e-3)


# ------------------------------------------------------------------ direct minimisation


def test_a_minimum_is_what_direct_minimisation_finds():
    """Ritz: sines on top of the line, 2000 midpoints, BFGS; no Euler-Lagrange equation in it."""
    s = (np.arange(2000) + 0.5) / 2000
    modes = np.arange(1, 13)
    shape, rate = np.sin(np.pi * np.outer(s, modes)), np.pi * modes * np.cos(np.pi * np.outer(s, modes))

    def value(c):
        x, v = s + shape @ c, 1.0 + rate @ c
        return float(np.mean(np.sqrt(1 + v**2) + 0.5 * np.cos(x) * s))

    problem = VariationalProblem(
        lambda q, v, t: g.sqrt(1 + v.x**2) + 0.5 * g.cos(q.x) * t, "x", start={"x": 0.0}, end={"x": 1.0}
    )
    found = extremal(problem)
    ritz = minimize(value, np.zeros(12), method="BFGS", options={"gtol": 1e-9})
    assert found.kind == "minimum"
    assert found.value == pytest.approx(ritz.fun, abs=2e-6)  # twelve modes: their rest falls with the third power
    assert found.value < ritz.fun + 1e-7
    at_nodes, _ = found.at(s)
    assert np.max(np.abs(at_nodes[:, 0] - s - shape @ ritz.x)) < 1e-3


# ------------------------------------------------------------------ the answer and its own check


def test_the_residual_sees_a_curve_that_is_no_extremal():
    found = extremal(oscillator(1.3, end=0.7))
    assert found.residual < 1e-9
    bent = replace(found.solved, dense=lambda s: found.solved.dense(s) + 1e-4 * np.array([s * (1 - s), 0 * s]))
    assert defect(found.problem, bent)[1] > 1e-5
    longer = replace(found.solved, T=1.31)
    assert defect(found.problem, longer)[1] > 1e-3

    def other_curve(s):  # its v is its rate, so that the Euler-Lagrange equation alone is missed
        return found.solved.dense(s) + 1e-4 * np.array([s * (1 - s), (1 - 2 * s) / 1.3])

    assert defect(found.problem, replace(found.solved, dense=other_curve))[1] > 1e-5


def test_what_the_collocation_accepts_is_refused_if_it_is_no_extremal(monkeypatch):
    problem = oscillator(1.3, end=0.7)
    solved = extremal(problem).solved
    bent = replace(solved, dense=lambda s: solved.dense(s) + 1e-4 * np.array([s * (1 - s), (1 - 2 * s) / 1.3]))
    monkeypatch.setitem(extremal.__globals__, "solve_from", lambda *_: bent)
    with pytest.raises(SolverError, match="no extremal"):
        extremal(problem)


def test_dense_values_and_names():
    found = extremal(oscillator(1.3, end=0.7))
    q, v = found.at([0.0, 0.4, 1.3])
    assert q.shape == v.shape == (3, 1)
    assert v[1, 0] == pytest.approx(0.7 * np.cos(0.4) / np.sin(1.3), abs=SOLVED)
    one, _ = found.at(0.4)
    assert one.shape == (1,)
    assert "minimum" in str(found)
    with pytest.raises(InputError, match="between 0 and 1"):
        found.at(1.5)
    with pytest.raises(InputError, match="known: x"):
        found["y"]


# ------------------------------------------------------------------ what is refused


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"unknowns": ""}, "at least one unknown"),
        ({"start": {"z": 1.0}}, "the unknowns are x"),
        ({"start": {"x": np.nan}}, "finite"),
        ({"start": [0.0]}, "dict of values"),
        ({"start": {}, "end": {}}, "neither start nor end"),
        ({"span": (1.0, 1.0)}, "must be positive"),
        ({"span": 1.0}, "span must be"),
        ({"integrals": [Isoperimetric("x", lambda q: q.x, 1.0)]}, "x names both an unknown"),
        ({"integrals": Isoperimetric("a", lambda q: q.x, 1.0)}, "integrals must be a list"),
        ({"integrals": [("a", 1.0)]}, "write Isoperimetric"),
        ({"rows": g.Pfaffian("a", lambda q: [1.0])}, "rows must be a list"),
        ({"rows": [g.Pfaffian("x", lambda q: [1.0])]}, "x names both an unknown"),
        ({"parameters": [1.0]}, "parameters must be a dict"),
        ({"integrals": [Isoperimetric("a", lambda q: q.x, 1.0)] * 2}, "must differ"),
        ({"rows": [g.Holonomic("rod", lambda q: q.x)]}, "Pfaffian or Nonholonomic"),
    ],
)
def test_problems_that_do_not_fit_are_refused(change, message):
    given = {"function": lambda v: v.x**2, "unknowns": "x", "start": {"x": 0.0}, "end": {"x": 1.0}}
    with pytest.raises(InputError, match=message):
        VariationalProblem(**(given | change))


def test_functions_that_cannot_be_used_are_refused():
    ends = {"start": {"x": 0.0}, "end": {"x": 1.0}}
    with pytest.raises(ModelError, match="functional"):
        extremal(VariationalProblem(lambda z: z, "x", **ends))
    integral = Isoperimetric("area", lambda q: [q.x, q.x], 1.0)
    with pytest.raises(ModelError, match="the integral 'area'"):
        extremal(VariationalProblem(lambda v: v.x**2, "x", integrals=[integral], **ends))


@pytest.mark.parametrize("function", [lambda q: q.x**2, lambda q, v: q.x * v.x])
def test_a_singular_second_derivative_is_named(function):
    with pytest.raises(InputError, match="second derivative of the integrand by v is singular"):
        extremal(VariationalProblem(function, "x", start={"x": 0.0}, end={"x": 1.0}))


def test_a_line_too_short_for_its_ends_has_no_extremal():
    problem = VariationalProblem(
        lambda q, v: q.y * v.x,
        "x y",
        start={"x": -1.0, "y": 0.0},
        end={"x": 1.0, "y": 0.0},
        integrals=[Isoperimetric("length", length, 1.5)],
    )
    with pytest.raises(SolverError, match="keeps length"):
        extremal(problem, guess=lambda t: [-1 + 2 * t, np.sin(np.pi * t)])


def test_a_free_end_of_a_mere_parameter_is_refused():
    problem = VariationalProblem(
        length, "x y", start={"x": 0.0, "y": 0.0}, end={"x": 1.0, "y": 0.0}, span=(0.0, FreeEnd(1.0))
    )
    with pytest.raises(InputError, match="path alone"):
        extremal(problem)


def test_guesses_that_do_not_fit_are_refused():
    problem = oscillator(1.0, end=1.0, integrals=[Isoperimetric("mean", lambda q: q.x, 0.2)])
    with pytest.raises(InputError, match="guess"):
        extremal(problem, guess=lambda t: [t, t])
    with pytest.raises(InputError, match="guess must be a function"):
        extremal(problem, guess=3.0)
    with pytest.raises(InputError, match="one number for each of mean"):
        extremal(problem, multipliers={"other": 1.0})
    for tol in (-1.0, 1e-16, 10.0):
        with pytest.raises(InputError, match="tol"):
            extremal(problem, tol=tol)
    with pytest.raises(InputError, match="guess failed at t = 0: ZeroDivisionError"):
        extremal(problem, guess=lambda t: 1 / t)
    with pytest.raises(InputError, match="guesses must be a list"):
        extremals(problem, guesses=lambda t: [t])
    with pytest.raises(InputError, match="VariationalProblem is expected"):
        extremal(None)
