"""Mends: a slip of the pen in a true equation is named, and no mend is named that says nothing."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import gauss as g
from gauss.analysis.symbolic import neat
from gauss.sources import Equation, Integral, Lagrangian, Printed, verify
from gauss.sources.symbols import SymbolSet, addends

beam = g.System(
    "ball and beam",
    coordinates="r phi",
    kinetic_energy=lambda q, v, p: (p.I + p.m * q.r**2) * v.phi**2 / 2 + p.m * v.r**2 / 2,
    potential_energy=lambda q, p: p.m * p.g * q.r * g.sin(q.phi),
    parameters={"m": 0.7, "I": 1.9, "g": 3.3},
)


def collection(*claims, **settings):
    return Printed("a test", list(claims), **({"system": beam, "q": [0.8, 0.4], "v": [0.5, -0.6]} | settings))


def mends_of(claim, **settings):
    (found,) = verify(collection(claim, **settings), count=40)
    assert not found.holds
    return found.mends


def moment(q, v, a, p, coriolis=2.0, inner=1.0):
    """Lagrange's equation for phi, right for coriolis = 2 and inner = 1."""
    return (p.I + inner * p.m * q.r**2) * a.phi + coriolis * p.m * q.r * v.r * v.phi + p.m * p.g * q.r * g.cos(q.phi)


def test_the_right_equation_needs_no_mend():
    (found,) = verify(collection(Equation("phi", left=moment)))
    assert found.holds
    assert found.mends == ()


CASES = {
    "sign": (lambda q, v, a, p: moment(q, v, a, p, coriolis=-2.0), "sign", "-2*m*phi_dot*r*r_dot", "opposite sign"),
    "factor": (lambda q, v, a, p: moment(q, v, a, p, coriolis=1.0), "factor", "m*phi_dot*r*r_dot", "times 2"),
    "inner sign": (lambda q, v, a, p: moment(q, v, a, p, inner=-1.0), "sign", "-m*phi_ddot*r**2", "opposite sign"),
    "velocity": (
        lambda q, v, a, p: moment(q, v, a, p, coriolis=0.0) + 2 * p.m * q.r * v.phi,
        "missing factor",
        "2*m*phi_dot*r",
        "times r_dot",
    ),
    "symbol": (
        lambda q, v, a, p: moment(q, v, a, p, coriolis=0.0) + 2 * p.I * q.r * v.r * v.phi,
        "symbol",
        "2*I*phi_dot*r*r_dot",
        "with m in place of I",
    ),
    "function": (
        lambda q, v, a, p: (p.I + p.m * q.r**2) * a.phi + 2 * p.m * q.r * v.r * v.phi + p.m * p.g * q.r * g.sin(q.phi),
        "function",
        "g*m*r*sin(phi)",
        "with cos(phi) in place of sin(phi)",
    ),
    "exponent": (
        lambda q, v, a, p: (p.I + p.m * q.r**3) * a.phi + 2 * p.m * q.r * v.r * v.phi + p.m * p.g * q.r * g.cos(q.phi),
        "exponent",
        "phi_ddot*(I + m*r**3)",
        "with r**2 in place of r**3",
    ),
    "superfluous": (
        lambda q, v, a, p: moment(q, v, a, p) + p.m * q.r * v.phi**2,
        "superfluous term",
        "m*phi_dot**2*r",
        "without it",
    ),
    "missing": (lambda q, v, a, p: moment(q, v, a, p, coriolis=0.0), "missing term", "", "2*m*phi_dot*r*r_dot"),
}


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", CASES)
def test_a_slip_is_named(name):
    left, kind, term, change = CASES[name]
    first = mends_of(Equation("phi", left=left))[0]
    assert (first.kind, first.term) == (kind, term)
    assert change in first.change
    assert first.residual < 1e-12
    mended, right = _values(first.formula), _values(_formula(moment))
    np.testing.assert_allclose(mended, right, rtol=1e-12)


def _formula(left):
    return SymbolSet.of(collection()).trace(left, "the right equation")[0]


def _values(formula):
    """Values at arbitrary numbers, by SymPy."""
    rng = np.random.default_rng(1)
    symbols = sorted(_formula(moment).free_symbols, key=str)
    points = rng.uniform(0.3, 1.3, (5, len(symbols)))
    return np.array([float(formula.subs(dict(zip(symbols, point, strict=True)))) for point in points])


def test_a_missing_term_brings_its_parameters():
    def left(q, v, a, p):
        return (p.I + p.m * q.r**2) * a.phi + 2 * p.m * q.r * v.r * v.phi

    first = mends_of(Equation("phi", left=left))[0]
    assert first.kind == "missing term"
    assert first.change == "with + (g*m*r*cos(phi))"


def test_nothing_is_multiplied_by_what_is_always_zero():
    spin = g.System("spin", coordinates="x phi", kinetic_energy=lambda v: v.x**2 / 2 + v.phi**2 / 2)
    wrong = Equation("speed", left=lambda q, v: v.x + v.phi, right=lambda q: q.p + q.w**2)
    quantities = {"p": lambda v: v.x, "w": lambda v: v.phi}
    for mend in mends_of(wrong, system=spin, q=[0.3, 0.2], v=[0.5, 0.7], quantities=quantities):
        assert "p_dot" not in mend.change
        assert "w_dot" not in mend.change


def test_two_wrong_terms_have_no_mend():
    def left(q, v, a, p):
        return moment(q, v, a, p, coriolis=-2.0, inner=-1.0)

    assert mends_of(Equation("phi", left=left)) == ()


def test_a_fitted_coefficient_that_is_no_fraction_is_given_as_a_number():
    (first, *_) = mends_of(Equation("phi", left=lambda q, v, a, p: moment(q, v, a, p, coriolis=2.0 / np.pi)))
    assert first.kind == "factor"
    assert first.change == f"times {np.pi:.12g}"


def test_integrals_and_lagrangians_are_mended_too():
    energy = Integral(
        "energy",
        function=lambda q, v, p: (
            (p.I + p.m * q.r**2) * v.phi**2 / 2 + p.m * v.r**2 / 2 - p.m * p.g * q.r * g.sin(q.phi)
        ),
    )
    assert mends_of(energy)[0].change == "with the opposite sign"
    lagrangian = Lagrangian(
        "L",
        function=lambda q, v, p: (p.I + p.m * q.r**2) * v.phi**2 / 2 + p.m * v.r / 2 - p.m * p.g * q.r * g.sin(q.phi),
    )
    assert mends_of(lagrangian)[0].change == "times r_dot"


def test_a_mend_must_say_something():
    """For r̈ = 3φ̈r no change of one term is right; r̈ = r̈ would hold and is not named."""
    for mend in mends_of(Equation("nonsense", left=lambda a: a.r, right=lambda q, a: 3 * q.r * a.phi)):
        assert mend.formula.free_symbols & {sp.Symbol("r_dot", real=True), sp.Symbol("phi_dot", real=True)}


def test_mends_are_tested_at_fresh_states():
    """With as many states as a fit has freedom everything can be fitted; fresh states refute it."""
    wrong = Equation("r", left=lambda q, v, a, p: p.m * a.r - p.m * q.r * v.phi**2 + p.m * p.g * g.cos(q.phi) ** 2)
    (found,) = verify(collection(wrong), count=4)
    for mend in found.mends:
        assert mend.residual < 1e-12
        assert mend.change != "with the opposite sign"


def test_addends_and_fractions():
    x, y = sp.symbols("x y", real=True)
    assert set(addends((x + y) * x - 3 * y)) == {x**2, x * y, -3 * y}
    assert neat(0.5 * x) == x / 2
    assert neat(0.1234567 * x).has(sp.Float)


def test_a_missing_term_with_a_sine_of_a_difference_is_named():
    double = g.System(
        "double pendulum",
        coordinates="a b",
        kinetic_energy=lambda q, v: v.a**2 + v.b**2 / 2 + v.a * v.b * g.cos(q.a - q.b),
        potential_energy=lambda q: -2 * 9.81 * g.cos(q.a) - 9.81 * g.cos(q.b),
    )
    missing = Equation("a", left=lambda q, a: 2 * a.a + a.b * g.cos(q.a - q.b) + 2 * 9.81 * g.sin(q.a))
    found = mends_of(missing, system=double, q=[0.6, 0.3], v=[0.2, 0.1])
    assert [str(m.change) for m in found] == ["with + (b_dot**2*sin(a - b))"]


@pytest.mark.long
def test_a_false_statement_on_thirty_coordinates_is_searched_in_bounded_time():
    n = 30
    chain = g.System(
        "chain",
        coordinates=" ".join(f"x{k}" for k in range(n)),
        kinetic_energy=lambda v: sum(x**2 for x in v) / 2,
        potential_energy=lambda q: sum((q[k] - q[k - 1]) ** 2 for k in range(1, n)) / 2,
    )
    found = mends_of(Equation("x1", left=lambda q, a: a.x1 + 2 * q.x1 - q.x0), system=chain, q=[0.1] * n, v=None)
    assert [m.change for m in found] == ["with + (-x2)"]
