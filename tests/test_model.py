"""A System gives the M, f, J and γ that pen and paper give, for every way of writing it down."""

from __future__ import annotations

import copy
import json
import math
import pickle
import re

import casadi
import mpmath
import numpy as np
import pytest
import sympy
from planted import rounding

import gauss as g
from gauss.errors import InputError
from gauss.model import Named
from gauss.principle import GaussProblem

SEEDS = range(10)
G = 9.81


def states(system, t=0.4):
    """Random states; models here are smooth everywhere."""
    rng = np.random.default_rng(5)
    n = system.n
    return [system.state(rng.uniform(-2, 2, n), rng.uniform(-3, 3, n), t + 0.1 * k) for k in SEEDS]


def terms(system, state, u=None):
    return system.model.terms(state.q, state.v, state.t, system.theta(u))


def close(value, expected, condition=1.0):
    """Equal to rounding, relative to the largest expected number (at least 1)."""
    value, expected = np.asarray(value, dtype=float), np.asarray(expected, dtype=float)
    scale = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
    return value.shape == expected.shape and bool(np.all(np.abs(value - expected) <= rounding(scale, condition)))


# --- inertia and force -------------------------------------------------------------------------------------------

LENGTHS = {"m1": 1.3, "m2": 0.7, "l1": 0.9, "l2": 1.6}


def by_energies():
    def kinetic(q, v, p):
        first = 0.5 * (p.m1 + p.m2) * p.l1**2 * v.a**2
        return first + 0.5 * p.m2 * p.l2**2 * v.b**2 + p.m2 * p.l1 * p.l2 * g.cos(q.a - q.b) * v.a * v.b

    return g.System(
        "double pendulum",
        "a b",
        kinetic_energy=kinetic,
        potential_energy=lambda q, p: -G * ((p.m1 + p.m2) * p.l1 * g.cos(q.a) + p.m2 * p.l2 * g.cos(q.b)),
        parameters=LENGTHS,
    )


def by_matrices():
    def mass(q, p):
        coupling = p.m2 * p.l1 * p.l2 * g.cos(q.a - q.b)
        return [[(p.m1 + p.m2) * p.l1**2, coupling], [coupling, p.m2 * p.l2**2]]

    def force(q, v, p):
        coupling = p.m2 * p.l1 * p.l2 * g.sin(q.a - q.b)
        return [
            -coupling * v.b**2 - (p.m1 + p.m2) * G * p.l1 * g.sin(q.a),
            coupling * v.a**2 - p.m2 * G * p.l2 * g.sin(q.b),
        ]

    return g.System("double pendulum", "a b", mass_matrix=mass, force=force, parameters=LENGTHS)


def double_pendulum_by_hand(q, v):
    m1, m2, l1, l2 = LENGTHS.values()
    (a, b), (da, db) = q, v
    M = [[(m1 + m2) * l1**2, m2 * l1 * l2 * math.cos(a - b)], [m2 * l1 * l2 * math.cos(a - b), m2 * l2**2]]
    f = [
        -m2 * l1 * l2 * math.sin(a - b) * db**2 - (m1 + m2) * G * l1 * math.sin(a),
        m2 * l1 * l2 * math.sin(a - b) * da**2 - m2 * G * l2 * math.sin(b),
    ]
    return M, f


@pytest.mark.parametrize("build", [by_energies, by_matrices])
def test_energies_and_matrices_give_the_mass_matrix_and_force_of_the_closed_form(build):
    system = build()
    for state in states(system):
        M, f = double_pendulum_by_hand(state.q, state.v)
        numbers = terms(system, state)
        assert close(numbers.M, M)
        assert close(numbers.f, f)
        assert close(g.accelerate(system, state.q, state.v).a, np.linalg.solve(M, f), np.linalg.cond(M))


def test_a_potential_energy_adds_its_gradient_to_a_given_force():
    system = g.System(
        "spring", "x y", mass_matrix=np.eye(2), force=[1.0, 0.0], potential_energy=lambda q: 0.5 * q.x**2 * q.y
    )
    for state in states(system):
        x, y = state.q
        assert close(terms(system, state).f, [1.0 - x * y, -0.5 * x**2])


def test_a_force_adds_to_the_forces_of_the_energies():
    plain, driven = (
        g.System("oscillator", "x", kinetic_energy=lambda v: v.x**2, potential_energy=lambda q: q.x**4, force=force)
        for force in (0.0, lambda v, t: [t - 3.0 * v.x])
    )
    for state in states(plain):
        assert close(terms(driven, state).f - terms(plain, state).f, [state.t - 3.0 * state.v[0]], 100.0)


def test_a_kinetic_energy_with_linear_and_constant_parts_and_explicit_time():
    """T = ½a v² + b v + c with a, b, c of q and t gives M = a, f = c_q − ½a_q v² − a_t v − b_t."""
    system = g.System(
        "bead on a moving wire",
        "x",
        kinetic_energy=lambda q, v, t: (
            0.5 * (2.0 + g.sin(q.x * t)) * v.x**2 + q.x**2 * g.exp(t) * v.x + g.cos(q.x) * t**3
        ),
    )
    for state in states(system):
        (x,), (v,), t = state.q, state.v, state.t
        a_q, a_t = t * math.cos(x * t), x * math.cos(x * t)
        f = -math.sin(x) * t**3 - 0.5 * a_q * v**2 - a_t * v - x**2 * math.exp(t)
        numbers = terms(system, state)
        assert close(numbers.M, [[2.0 + math.sin(x * t)]])
        assert close(numbers.f, [f])


def test_a_kinetic_energy_linear_in_the_velocities_gives_the_magnetic_force():
    system = g.System(
        "charge in a field", "x y", kinetic_energy=lambda q, v: 0.5 * (v.x**2 + v.y**2) + 1.5 * (q.x * v.y - q.y * v.x)
    )
    for state in states(system):
        assert close(terms(system, state).f, [3.0 * state.v[1], -3.0 * state.v[0]])


def test_a_bead_on_a_rotating_rod_feels_the_centrifugal_force():
    """T from x = r cos ωt, y = r sin ωt, written in Cartesian velocities: f = m ω² r."""

    def kinetic(q, v, t):
        x = v.r * g.cos(3.0 * t) - q.r * 3.0 * g.sin(3.0 * t)
        y = v.r * g.sin(3.0 * t) + q.r * 3.0 * g.cos(3.0 * t)
        return 0.5 * 2.0 * (x**2 + y**2)

    system = g.System("bead", "r", kinetic_energy=kinetic)
    for state in states(system):
        numbers = terms(system, state)
        assert close(numbers.M, [[2.0]])
        assert close(numbers.f, [18.0 * state.q[0]], 10.0)


def test_a_mass_that_varies_in_time_enters_a_mass_matrix_without_a_thrust():
    rocket = g.System("rocket", "x", mass_matrix=lambda t: [[2.0 - t]], force=[3.0])
    assert close(g.accelerate(rocket, [0.0], t=0.5).a, [2.0])
    lagrange = g.System("rocket", "x", kinetic_energy=lambda v, t: 0.5 * (2.0 - t) * v.x**2, force=[3.0])
    assert close(g.accelerate(lagrange, [0.0], [4.0], t=0.5).a, [(3.0 + 4.0) / 1.5])


def test_velocities_that_cancel_in_the_mass_matrix_are_accepted():
    system = g.System("odd", "x y", kinetic_energy=lambda v: 0.5 * (v.x**3 / v.x + (v.y**2 + 1.0) ** 2 - v.y**4))
    for state in states(system):
        numbers = terms(system, state)
        assert close(numbers.M, np.diag([1.0, 2.0]))
        assert close(numbers.f, [0.0, 0.0], 1000.0)


@pytest.mark.parametrize(
    "mass_matrix",
    [
        pytest.param([[2.0, 0.5], [0.5, 3.0]], id="lists"),
        pytest.param(np.array([[2.0, 0.5], [0.5, 3.0]]), id="array"),
        pytest.param(((2, 0.5), (0.5, 3)), id="tuples"),
        pytest.param([{"x": 2.0, "y": 0.5}, {"x": 0.5, "y": 3.0}], id="dicts"),
        pytest.param(lambda: [[2.0, 0.5], [0.5, 3.0]], id="function"),
        pytest.param(lambda q: np.array([[2.0 + 0.0 * q.x, 0.5], [0.5, 3.0]]), id="array of symbols"),
        pytest.param(lambda p: [[p.m, 0.5], [0.5, 3.0]], id="parameter"),
    ],
)
def test_a_mass_matrix_may_be_a_constant_or_a_function_in_any_usual_form(mass_matrix):
    system = g.System("plate", "x y", mass_matrix=mass_matrix, parameters={"m": 2.0})
    assert close(terms(system, states(system)[0]).M, [[2.0, 0.5], [0.5, 3.0]])


@pytest.mark.parametrize(
    "force",
    [
        pytest.param([0.0, 5.0, -2.0], id="list"),
        pytest.param((0, 5, -2), id="tuple"),
        pytest.param(np.array([0.0, 5.0, -2.0]), id="array"),
        pytest.param({"y": 5.0, "z": -2.0}, id="dict by name"),
        pytest.param(lambda: {"z": -2.0, "y": 5.0}, id="function of nothing"),
        pytest.param(lambda q: [0.0 * q.x, 5.0, -2.0], id="function of q"),
        pytest.param(lambda q, v, t, p, u: [q.x - q[0], 5.0, -2.0 + 0 * t], id="function of everything"),
        pytest.param(lambda v: np.array([0.0, 5.0, -2.0]) + 0.0 * v["x"], id="array arithmetic"),
    ],
)
def test_a_force_may_be_given_in_any_usual_form(force):
    system = g.System("particle", "x y z", kinetic_energy=lambda v: v.x**2 + v.y**2 + v.z**2, force=force)
    assert close(terms(system, states(system)[0]).f, [0.0, 5.0, -2.0])


# --- rows --------------------------------------------------------------------------------------------------------


def with_rows(*constraints, coordinates="x y", **options):
    return g.System(
        "carrier",
        coordinates,
        kinetic_energy=lambda v: 0.5 * sum(x**2 for x in v),
        constraints=constraints,
        **options,
    )


def assert_rows(system, by_hand):
    """J, γ, position and velocity residual agree with `by_hand(q, v, t)` at random states."""
    for state in states(system):
        J, gamma, phi, psi = by_hand(state.q, state.v, state.t)
        numbers = terms(system, state)
        assert close(numbers.J, J)
        assert close(numbers.gamma, gamma)
        assert close(numbers.phi, phi)
        assert close(numbers.psi, psi)


def test_a_holonomic_row_on_a_moving_pivot():
    """φ = (x − s)² + y² − l², s = 0.3 sin 2t: γ = −2(ẋ − ṡ)² − 2ẏ² + 2(x − s)s̈."""
    system = with_rows(
        g.Holonomic("rod", lambda q, t, p: (q.x - 0.3 * g.sin(2.0 * t)) ** 2 + q.y**2 - p.l**2), parameters={"l": 0.8}
    )

    def by_hand(q, v, t):
        (x, y), (vx, vy) = q, v
        s, ds, dds = 0.3 * math.sin(2 * t), 0.6 * math.cos(2 * t), -1.2 * math.sin(2 * t)
        gamma = -2 * (vx - ds) ** 2 - 2 * vy**2 + 2 * (x - s) * dds
        phi = (x - s) ** 2 + y**2 - 0.64
        return [[2 * (x - s), 2 * y]], [gamma], [phi], [2 * (x - s) * (vx - ds) + 2 * y * vy]

    assert_rows(system, by_hand)


def test_a_pfaffian_row_with_offset_and_explicit_time():
    """sin θ ẋ − cos θ ẏ + t² θ̇ + e^t x = 0."""
    system = with_rows(
        g.Pfaffian("blade", lambda q, t: [g.sin(q.theta), -g.cos(q.theta), t**2], lambda q, t: g.exp(t) * q.x),
        coordinates="x y theta",
    )

    def by_hand(q, v, t):
        (x, _, th), (vx, vy, vth) = q, v
        J = [math.sin(th), -math.cos(th), t**2]
        gamma = -(vth * (math.cos(th) * vx + math.sin(th) * vy) + math.exp(t) * vx + 2 * t * vth + math.exp(t) * x)
        return [J], [gamma], [0.0], [np.dot(J, v) + math.exp(t) * x]

    assert_rows(system, by_hand)


def test_a_nonholonomic_row_that_is_quadratic_in_the_velocities():
    """ẋ² + ẏ² − (1 + t) y² = 0: J = (2ẋ, 2ẏ), γ = 2(1 + t) y ẏ + y²."""
    system = with_rows(g.Nonholonomic("speed", lambda q, v, t: v.x**2 + v.y**2 - (1.0 + t) * q.y**2))

    def by_hand(q, v, t):
        y, (vx, vy) = q[1], v
        return (
            [[2 * vx, 2 * vy]],
            [2 * (1 + t) * y * vy + y**2],
            [0.0],
            [vx**2 + vy**2 - (1 + t) * y**2],
        )

    assert_rows(system, by_hand)
    assert not system.model.trace.linear_velocity


@pytest.mark.parametrize("solver", ["osqp", "kkt", "cvxpy"])
def test_the_reaction_of_a_nonlinear_constraint_follows_chetaev(solver):
    """A particle held at the speed c pulls along its velocity only: a is the part of F/m across the velocity."""
    m, c, F = 2.0, 1.5, np.array([3.0, -4.0])
    system = g.System(
        "constant speed",
        "x y",
        kinetic_energy=lambda v: 0.5 * m * (v.x**2 + v.y**2),
        force=list(F),
        constraints=[g.Nonholonomic("speed", lambda v: v.x**2 + v.y**2 - c**2)],
    )
    for angle in np.linspace(0.1, 6.0, 7):
        v = c * np.array([math.cos(angle), math.sin(angle)])
        step = g.accelerate(system, [0.3, 0.7], v, solver=solver)
        assert close(step.a, F / m - (F @ v) / (m * c**2) * v, 10.0)
        assert close(step.reaction, -(F @ v) / c**2 * v, 10.0)
        assert close(step.multiplier("speed"), -(F @ v) / (2.0 * c**2), 10.0)


def test_unilateral_rows_come_last_and_count_only_when_closed():
    system = with_rows(
        g.Unilateral("floor", lambda q, t: q.y - 0.1 * g.sin(q.x) - 0.2 * t**2, restitution=0.5),
        g.Holonomic("guide", lambda q: q.x - 0.5),
        g.Unilateral("ceiling", lambda q: 3.0 - q.y),
        potential_energy=lambda q: G * q.y,
    )
    assert system.row_names == ("guide", "floor", "ceiling")
    assert system.model.kinds == ("holonomic", "unilateral", "unilateral")
    assert system.model.restitution == (0.5, 0.0)

    def by_hand(q, v, t):
        (x, y), (vx, vy) = q, v
        J = [[1, 0], [-0.1 * math.cos(x), 1], [0, -1]]
        gamma = [0.0, -0.1 * math.sin(x) * vx**2 + 0.4, 0.0]
        phi = [x - 0.5, y - 0.1 * math.sin(x) - 0.2 * t**2, 3 - y]
        return J, gamma, phi, [vx, vy - 0.1 * math.cos(x) * vx - 0.4 * t, -vy]

    assert_rows(system, by_hand)

    height, t = 0.1 * math.sin(0.5) + 0.2, 1.0
    resting = GaussProblem.at(system, system.state([0.5, height], [0.0, 0.4], t)).rows
    assert resting.lower == pytest.approx([0.0, 0.4, -np.inf], abs=rounding())
    assert resting.upper.tolist() == [0.0, np.inf, np.inf]
    leaving = GaussProblem.at(system, system.state([0.5, height], [0.0, 0.5], t)).rows
    above = GaussProblem.at(system, system.state([0.5, height + 0.1], [0.0, 0.0], t)).rows
    for rows in (leaving, above):
        assert rows.lower.tolist() == [0.0, -np.inf, -np.inf]
    step = g.accelerate(system, [0.5, height], [0.0, 0.4], t)
    assert close(step.a, [0.0, 0.4])
    assert close(step.multiplier("floor"), G + 0.4)
    assert step.solution.active == ("floor",)


def test_a_contact_that_is_lifted_faster_than_gravity_carries_nothing():
    system = with_rows(g.Unilateral("floor", lambda q: q.y), force=[0.0, 2.0])
    step = g.accelerate(system, [0.0, 0.0])
    assert close(step.a, [0.0, 2.0])
    assert step.multiplier("floor") == 0.0


def test_one_constraint_may_return_several_rows_with_numbered_names():
    system = with_rows(
        g.Holonomic("bars", lambda q: [q.x**2 - 1.0, q.x * q.y]),
        g.Pfaffian("skates", lambda q: [[q.y, 1.0], {"y": q.x}], lambda t: [t, 2.0]),
        g.Nonholonomic("servo", lambda v: (v.x - 1.0, v.x * v.y)),
        g.Unilateral("walls", lambda q: [q.x, q.y], 0.25),
    )
    assert system.row_names == (
        *("bars[0]", "bars[1]", "skates[0]", "skates[1]"),
        *("servo[0]", "servo[1]", "walls[0]", "walls[1]"),
    )
    assert system.model.restitution == (0.25, 0.25)

    def by_hand(q, v, t):
        (x, y), (vx, vy) = q, v
        J = [[2 * x, 0], [y, x], [y, 1], [0, x], [1, 0], [vy, vx], [1, 0], [0, 1]]
        gamma = [-2 * vx**2, -2 * vx * vy, -vx * vy - 1.0, -vx * vy, 0, 0, 0, 0]
        phi = [x**2 - 1, x * y, 0, 0, 0, 0, x, y]
        psi = [2 * x * vx, y * vx + x * vy, y * vx + vy + t, x * vy + 2.0, vx - 1.0, vx * vy, vx, vy]
        return J, gamma, phi, psi

    assert_rows(system, by_hand)


@pytest.mark.parametrize(
    "matrix",
    [
        pytest.param(lambda q: [q.y, 2.0], id="list"),
        pytest.param(lambda q: (q.y, 2), id="tuple"),
        pytest.param(lambda q: {"y": 2.0, "x": q.y}, id="dict"),
        pytest.param(lambda q: [[q.y, 2.0]], id="list of one row"),
        pytest.param(lambda q: np.array([q.y, 2.0]), id="array"),
        pytest.param(lambda q: casadi.horzcat(q.y, 2.0), id="symbolic row"),
    ],
)
def test_a_pfaffian_row_may_be_given_in_any_usual_form(matrix):
    system = with_rows(g.Pfaffian("row", matrix, offset=0.5))
    assert_rows(system, lambda q, v, t: ([[q[1], 2.0]], [-v[0] * v[1]], [0.0], [q[1] * v[0] + 2 * v[1] + 0.5]))


def test_a_single_constraint_needs_no_list():
    system = g.System("c", "x", kinetic_energy=lambda v: v.x**2, constraints=g.Holonomic("wall", lambda q: q.x))
    assert system.row_names == ("wall",)


# --- parameters and controls -------------------------------------------------------------------------------------


def test_other_parameters_change_the_numbers_and_compile_nothing():
    system = by_energies()
    other = system.with_parameters(m1=5.0, l2=0.3)
    assert other.model is system.model
    assert other.parameters == LENGTHS | {"m1": 5.0, "l2": 0.3}
    assert system.parameters == LENGTHS
    state = states(system)[0]
    assert close(terms(other, state).M[0, 0], (5.0 + 0.7) * 0.9**2)
    assert close(terms(system, state).M[0, 0], (1.3 + 0.7) * 0.9**2)
    assert other.with_parameters().parameters == other.parameters


def change(parameters):
    parameters["m1"] = 3.0


@pytest.mark.parametrize(
    "attempt",
    [
        change,
        lambda parameters: parameters.update(m1=3.0),
        lambda parameters: parameters.__ior__({"m1": 3.0}),
        lambda parameters: parameters.pop("m1"),
        lambda parameters: parameters.popitem(),
        lambda parameters: parameters.clear(),
        lambda parameters: parameters.__delitem__("m1"),
        lambda parameters: parameters.setdefault("m9", 3.0),
    ],
)
def test_parameters_of_a_system_a_mechanism_or_a_functional_stay_as_they_are(attempt):
    bar = g.bodies.PlanarBody("bar", 1.0, 0.1)
    line = g.variational.VariationalProblem(
        lambda v: v.x**2, "x", start={"x": 0.0}, end={"x": 1.0}, parameters=dict(LENGTHS)
    )
    for owner in (by_energies(), g.bodies.Mechanism("bar", [bar], parameters=LENGTHS), line):
        for parameters in (owner.parameters, *(pickle.loads(pickle.dumps(owner)).parameters for _ in "1")):
            with pytest.raises(InputError, match="cannot be changed in place"):
                attempt(parameters)
            assert parameters == LENGTHS


def test_what_is_refused_says_what_makes_a_system_with_another_value():
    system = by_energies()
    with pytest.raises(InputError, match=r"with_parameters\(m1=3\.0\)"):
        change(system.parameters)
    with pytest.raises(InputError, match="with_parameters"):
        system.parameters = LENGTHS
    with pytest.raises(InputError, match="with_constraints"):
        system.constraints = ()
    with pytest.raises(InputError, match="make another System"):
        system.force = 0.0


def test_parameters_are_an_ordinary_dict_to_read():
    parameters = by_energies().parameters
    assert parameters == LENGTHS
    assert parameters == LENGTHS
    assert json.loads(json.dumps(parameters)) == LENGTHS
    assert repr(parameters) == repr(LENGTHS)
    for other in (parameters | {"m1": 3.0}, dict(parameters), parameters.copy()):
        other["m1"] = 3.0
        assert other["m1"] == 3.0
    for same in (copy.copy(parameters), copy.deepcopy(parameters), pickle.loads(pickle.dumps(parameters))):
        assert same == LENGTHS
        with pytest.raises(InputError, match=r"with_parameters\(m1=3\.0\)"):
            change(same)


def test_controls_are_zero_unless_given_by_list_or_by_name():
    system = g.System(
        "robot",
        "x y",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
        force=lambda u, p: {"x": u.thrust * p.k, "y": u["lift"] - u[0]},
        parameters={"k": 3.0},
        controls="thrust, lift",
    )
    assert system.controls == ("thrust", "lift")
    for u, expected in (
        (None, [0.0, 0.0]),
        ([1.0, 5.0], [3.0, 4.0]),
        ({"lift": 5.0}, [0.0, 5.0]),
        (np.array([2.0, 0.0]), [6.0, -2.0]),
    ):
        assert close(g.accelerate(system, [0.0, 0.0], u=u).a, expected)
    assert system.theta([1.0, 5.0]).tolist() == [3.0, 1.0, 5.0]


def test_states_are_given_by_list_or_by_name_and_start_at_rest():
    system = by_energies()
    one, other = system.state([0.0, 2.0]), system.state({"b": 2.0, "a": 0.0}, {"a": 1.0}, 3)
    assert one.q.tolist() == other.q.tolist() == [0.0, 2.0]
    assert (one.v.tolist(), one.t) == ([0.0, 0.0], 0.0)
    assert (other.v.tolist(), other.t) == ([1.0, 0.0], 3.0)
    with pytest.raises(g.errors.InputError, match="q lacks a: give every coordinate"):
        system.state({"b": 2.0})


# --- measured curves and black boxes -----------------------------------------------------------------------------


def test_tables_and_splines_act_as_forces_and_as_potential_energies():
    x = np.linspace(-2.5, 2.5, 11)
    drag, height = g.math.Table(x, np.sin(x) + x, name="drag"), g.math.Spline(x, np.cos(x), name="height")
    system = g.System(
        "wagon",
        "x",
        kinetic_energy=lambda v: 0.5 * v.x**2,
        potential_energy=lambda q: height(q.x),
        force=lambda q: [-drag(q.x)],
    )
    step = 1e-30
    for state in states(system):
        slope = height(complex(state.q[0], step)).imag / step
        assert close(terms(system, state).f, [-drag(state.q[0]) - slope])


def test_a_black_box_force_equals_the_same_force_traced():
    def traced(q, v, t):
        return [-g.sin(q.x) * v.y, -0.3 * v.y + t]

    def black_box(q, v, t):
        assert isinstance(q, np.ndarray)
        assert isinstance(t, float)
        force = np.zeros(2)
        for k in range(2):  # loops and branches are allowed here
            force[k] = -math.sin(q[0]) * v[1] if k == 0 else t - 0.3 * v[1]
        return force

    def build(**force):
        return g.System(
            "drifting cart",
            "x y",
            kinetic_energy=lambda v: 0.5 * (v.x**2 + 2.0 * v.y**2),
            potential_energy=lambda q: q.x * q.y,
            constraints=[g.Nonholonomic("servo", lambda q, v: v.x - 2.0 * q.y)],
            **force,
        )

    one, other = build(force=traced), build(black_box_force=black_box)
    both = build(force=traced, black_box_force=black_box)
    for state in states(one):
        q, v = state.q, [2.0 * state.q[1], state.v[1]]
        first, second = (g.accelerate(s, q, v, state.t) for s in (one, other))
        assert close(second.a, first.a, 10.0)
        assert close(second.reaction, first.reaction, 10.0)
        problem = GaussProblem.at(both, one.state(q, v, state.t))
        force = np.array([-math.sin(q[0]) * v[1], -0.3 * v[1] + state.t])
        assert close(problem.f, 2.0 * force + [-q[1], -q[0]])
    assert "black-box" in repr(other)
    assert "black-box" not in repr(one)


# --- one function, every kind of number --------------------------------------------------------------------------


def energy(q, v, p):
    """A function with a branch, a table and most elementary functions in it."""
    rough = g.where(g.less(q.x, 0.2), g.sqrt(1.0 + q.x**2), g.exp(-q.y) * g.hypot(q.x, q.y))
    angles = g.atan2(q.y, q.x) * g.sin(v.x) + g.cos(v.y) / g.cosh(p.k * q.x)
    return rough + angles + g.fmax(q.y, 0.1) * g.log(2.0 + g.fabs(v.x)) + CURVE(q.x) * g.tanh(v.y)


CURVE = g.math.Table([-3.0, -0.5, 0.7, 3.0], [1.0, -2.0, 0.5, 4.0], name="curve")


def named(numbers):
    x, y, dx, dy, k = numbers
    return Named(("x", "y"), (x, y)), Named(("x", "y"), (dx, dy), "velocity"), Named(("k",), (k,), "parameter")


@pytest.mark.parametrize("seed", SEEDS)
def test_one_model_function_gives_the_same_number_for_every_kind_of_number(seed):
    numbers = np.random.default_rng(seed).uniform(-2, 2, 5).tolist()
    expected = energy(*named(numbers))
    assert isinstance(expected, float)
    symbols = sympy.symbols("x y dx dy k", real=True)
    by_sympy = energy(*named(symbols)).subs(dict(zip(symbols, numbers)))
    traced = casadi.SX.sym("z", 5)
    by_casadi = casadi.Function("energy", [traced], [energy(*named(casadi.vertsplit(traced)))])
    values = {
        "complex": energy(*named([complex(z) for z in numbers])).real,
        "NumPy": energy(*named([np.float64(z) for z in numbers])),
        "mpmath": energy(*named([mpmath.mpf(z) for z in numbers])),
        "SymPy": by_sympy,
        "CasADi": by_casadi(numbers),
    }
    for kind, value in values.items():
        assert float(value) == pytest.approx(expected, abs=rounding(max(1.0, abs(expected)), 10.0)), kind


@pytest.mark.parametrize("seed", SEEDS)
def test_traced_derivatives_equal_complex_steps_of_the_same_function(seed):
    rng = np.random.default_rng(seed)
    numbers = rng.uniform(-2, 2, 5)
    system = g.System(
        "rough",
        "x y",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
        potential_energy=lambda q, p: energy(q, Named(("x", "y"), (0.3, -0.4)), p),
        parameters={"k": numbers[4]},
    )
    force = terms(system, system.state(numbers[:2])).f
    for k in range(2):
        shifted = [complex(z) for z in [*numbers[:2], 0.3, -0.4, numbers[4]]]
        shifted[k] += 1e-30j
        assert force[k] == pytest.approx(-energy(*named(shifted)).imag / 1e-30, abs=rounding(10.0, 10.0))


# --- shapes ------------------------------------------------------------------------------------------------------


def test_a_system_with_one_coordinate_and_no_constraints():
    system = g.System("drop", "z", kinetic_energy=lambda v: 0.5 * v.z**2, potential_energy=lambda q: G * q.z)
    step = g.accelerate(system, [3.0])
    assert step.a.tolist() == pytest.approx([-G], abs=rounding(G))
    assert system.row_names == ()
    assert step.regular
    numbers = terms(system, step.state)
    assert (numbers.M.shape, numbers.J.shape, numbers.gamma.shape) == ((1, 1), (0, 1), (0,))
    assert g.accelerate(system, 3.0).a.tolist() == step.a.tolist()


def test_a_system_with_one_coordinate_and_one_row_stands_still():
    system = g.System(
        "stuck",
        "z",
        kinetic_energy=lambda v: 0.5 * v.z**2,
        potential_energy=lambda q: G * q.z,
        constraints=[g.Holonomic("glue", lambda q: q.z)],
    )
    step = g.accelerate(system, [0.0])
    assert close(step.a, [0.0])
    assert close(step.multiplier("glue"), G)


def test_many_coordinates_and_rows_keep_their_places():
    n = 12
    names = [f"x{k}" for k in range(n)]
    system = g.System(
        "chain",
        names,
        kinetic_energy=lambda v: 0.5 * sum((k + 1.0) * x**2 for k, x in enumerate(v)) + 0.1 * v.x0 * v.x11,
        constraints=[g.Holonomic("links", lambda q: [(k + 2.0) * q[k] - q[k + 1] ** 2 for k in range(0, n - 1, 3)])],
    )
    state = states(system)[0]
    M = np.diag(np.arange(1.0, n + 1))
    M[0, 11] = M[11, 0] = 0.1
    J = np.zeros((4, n))
    for row, k in enumerate(range(0, n - 1, 3)):
        J[row, k], J[row, k + 1] = k + 2.0, -2.0 * state.q[k + 1]
    numbers = terms(system, state)
    assert close(numbers.M, M)
    assert close(numbers.J, J)
    assert close(numbers.gamma, [2.0 * state.v[k + 1] ** 2 for k in range(0, n - 1, 3)])


def test_arrays_of_states_give_what_single_states_give():
    system = with_rows(
        g.Holonomic("rod", lambda q, t: q.x**2 + q.y * t),
        g.Unilateral("floor", lambda q: q.y - q.x),
        coordinates="x y z",
    )
    some = states(system)
    q, v, t = (np.array([getattr(s, name) for s in some]) for name in "qvt")
    M, J = system.model.batch(q, v, t, system.theta())
    kinetic, potential = system.model.energies(q, v, t, system.theta())
    for k, state in enumerate(some):
        numbers = terms(system, state)
        assert np.array_equal(M[k], numbers.M)
        assert np.array_equal(J[k], numbers.J)
        assert close(kinetic[k], 0.5 * state.v @ state.v)
        assert potential[k] == 0.0
    assert [len(x) for x in system.model.energies(q[:0], v[:0], t[:0], system.theta())] == [0, 0]


def test_the_energy_of_a_mass_matrix_model_is_half_its_quadratic_form():
    system = by_matrices()
    state = states(system)[0]
    kinetic, _ = system.model.energies(state.q[None], state.v[None], np.zeros(1), system.theta())
    assert close(kinetic, [0.5 * state.v @ terms(system, state).M @ state.v])


def test_a_system_prints_its_coordinates_constraints_and_parameters():
    system = with_rows(
        g.Holonomic("rod", lambda q, p: q.x - p.l), g.Unilateral("floor", lambda q: q.y), parameters={"l": 2.5}
    )
    assert (
        repr(system) == "System('carrier': coordinates x, y; constraints: rod (holonomic), floor (unilateral); l = 2.5;"
        " no force, no potential energy)"
    )
    assert re.search("constraints: none", repr(by_matrices()))


def test_a_force_that_vanishes_at_time_zero_is_seen_as_one():
    driven = g.System("driven", "x", kinetic_energy=lambda v: v.x**2, force=lambda t: [g.sin(t)])
    assert not driven.model.conservative
