"""The Hamiltonian as a formula: printed forms, Poisson brackets, and the numeric transform, which shares no code."""

import numpy as np
import pytest
import sympy as sp
from formulation_systems import G, rounding

import gauss as g
from gauss.analysis import hamiltonian
from gauss.formulations import hamilton

I, M = 20.0, 0.5  # kg m², kg: ball and beam

ball_and_beam = g.System(
    "ball and beam",
    coordinates="r phi",
    kinetic_energy=lambda q, v, p: (p.I + p.m * q.r**2) * v.phi**2 / 2 + p.m * v.r**2 / 2,
    potential_energy=lambda q, p: p.m * p.g * q.r * g.sin(q.phi),
    parameters={"I": I, "m": M, "g": G},
)


def test_ball_and_beam_has_the_printed_hamiltonian():
    found = hamiltonian(ball_and_beam)
    r, phi, inertia, m, weight = sp.symbols("r phi I m g", real=True)
    p1, p2 = found.momenta
    printed = p1**2 / (2 * m) + p2**2 / (2 * (inertia + m * r**2)) + m * weight * r * sp.sin(phi)
    assert sp.simplify(found.H - printed) == 0
    assert sp.simplify(found.p_dot[0] - (m * r * p2**2 / (inertia + m * r**2) ** 2 - m * weight * sp.sin(phi))) == 0
    assert sp.simplify(found.p_dot[1] + m * weight * r * sp.cos(phi)) == 0
    assert found.bracket(r, p1) == 1
    assert found.bracket(found.H, found.H) == 0
    assert sp.simplify(found.bracket(r, found.H) - found.q_dot[0]) == 0
    assert sp.simplify(found.bracket(p2, found.H) - found.p_dot[1]) == 0


@pytest.mark.long
def test_momentum_of_a_cyclic_coordinate_is_in_involution_with_the_hamiltonian():
    a, b, m = 0.7, 0.4, 1.2
    furuta = g.System(
        "Furuta pendulum",
        coordinates="theta phi",
        kinetic_energy=lambda q, v: m * (a + b * g.sin(q.phi)) ** 2 * v.theta**2 / 2 + m * b**2 * v.phi**2 / 2,
        potential_energy=lambda q: -m * G * b * g.cos(q.phi),
    )
    found = hamiltonian(furuta)
    assert found.bracket(found.momenta[0], found.H) == 0
    assert found.bracket(found.momenta[1], found.H) != 0


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_the_formula_has_the_numbers_of_the_numeric_transform(seed):
    system = g.System(
        "every kind of term",
        coordinates="x y",
        kinetic_energy=lambda q, v, t: (1 + q.x**2) * v.x**2 + v.y**2 + q.y * v.x * v.y / 2 + t * q.x * v.y + q.y**2,
        potential_energy=lambda q, t: q.x * q.y * t,
        force=lambda q, v: [-0.3 * v.y, q.x * v.x],
        constraints=[g.Pfaffian("row", lambda q: [q.y, 1.0 + q.x])],
    )
    rng = np.random.default_rng(seed)
    q, v, t, row = rng.uniform(-1, 1, 2), rng.uniform(-1, 1, 2), 0.7, 1.9

    def L(q, v, t):
        T = (1 + q[0] ** 2) * v[0] ** 2 + v[1] ** 2 + q[1] * v[0] * v[1] / 2 + t * q[0] * v[1] + q[1] ** 2
        return T - q[0] * q[1] * t

    numbers = hamilton(L, q, v, t, np.array([-0.3 * v[1], q[0] * v[0]]))
    found = hamiltonian(system)
    point = dict(zip([*found.coordinates, *found.momenta], [*q, *numbers.p], strict=True))
    point |= {sp.Symbol("t", real=True): t, found.multipliers[0]: row}
    reaction = row * np.array([q[1], 1.0 + q[0]])
    assert float(found.H.subs(point)) == pytest.approx(numbers.H, abs=rounding(10.0))
    assert np.max(np.abs(np.array(found.q_dot.subs(point), dtype=float)[:, 0] - v)) <= rounding(10.0)
    p_dot = np.array(found.p_dot.subs(point), dtype=float)[:, 0]
    assert np.max(np.abs(p_dot - numbers.p_dot - reaction)) <= rounding(10.0)
    assert float(found.rows.subs(point)[0]) == pytest.approx(q[1] * v[0] + (1 + q[0]) * v[1], abs=rounding(10.0))


def test_models_without_a_hamiltonian_are_refused():
    with pytest.raises(g.errors.ModelError, match="no kinetic energy"):
        hamiltonian(g.System("given", coordinates="x", mass_matrix=lambda: [[1.0]], force=lambda: [0.0]))
    with pytest.raises(g.errors.MassMatrixError, match="singular"):
        hamiltonian(g.System("massless", coordinates="x y", kinetic_energy=lambda v: v.x**2))


def test_a_bracket_takes_symbols_by_name_whatever_is_assumed_of_them():
    line = g.System("line", "x y", kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2), potential_energy=lambda q: q.x**4)
    found = hamiltonian(line)
    assert found.bracket("x", "p_x") == 1
    assert found.bracket(sp.Symbol("x"), sp.Symbol("p_x", positive=True)) == 1
    assert found.bracket("p_x", found.H) == found.bracket(found.momenta[0], found.H) != 0
    for wrong in (None, "x +", [1, 2]):
        with pytest.raises(g.errors.InputError, match="no formula"):
            found.bracket(wrong, found.H)
