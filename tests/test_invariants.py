"""First integrals, Poisson brackets, phase volume and recurrence, against closed forms and planted failures."""

from __future__ import annotations

import numpy as np
import pytest

import gauss as g
from gauss.analysis import divergence, first_integrals, invariants, phase_volume, poisson_bracket, returns
from gauss.analysis.integrals.invariants import rate
from gauss.scenario import load

GRAVITY = 9.81


def run_of(system, q, v, t_end=2.0, **keywords):
    return g.simulate(system, q, v, t_end=t_end, rtol=1e-12, progress="none", **keywords)


def names(system, q=None):
    return [integral.name for integral in first_integrals(system, q)]


def furuta(**keywords):
    return g.System(
        "Furuta pendulum",
        "theta phi",
        kinetic_energy=lambda q, v: 0.5 * ((0.5 + 0.3 * g.sin(q.phi)) ** 2 * v.theta**2 + 0.09 * v.phi**2),
        potential_energy=lambda q: -GRAVITY * 0.3 * g.cos(q.phi),
        **keywords,
    )


def top():
    """Lagrange's top in ZYZ angles, A = 1, C = 0.5, m g l = 9.81."""
    return g.System(
        "top",
        "phi theta psi",
        kinetic_energy=lambda q, v: (
            0.5 * (v.theta**2 + v.phi**2 * g.sin(q.theta) ** 2) + 0.25 * (v.psi + v.phi * g.cos(q.theta)) ** 2
        ),
        potential_energy=lambda q: GRAVITY * g.cos(q.theta),
    )


def spherical():
    return g.System(
        "spherical pendulum",
        "x y z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2),
        potential_energy=lambda q: GRAVITY * q.z,
        constraints=[g.Holonomic("rod", lambda q: q.x**2 + q.y**2 + q.z**2 - 1.0)],
    )


def angular(q, v):
    return q.x * v.y - q.y * v.x


# ------------------------------------------------------------------ found by themselves


def test_energy_and_the_momenta_of_cyclic_coordinates_are_found():
    assert names(furuta()) == ["energy", "p_theta"]
    assert names(top()) == ["energy", "p_phi", "p_psi"]
    assert names(spherical()) == ["energy"]  # x and y are not cyclic: the row contains them
    assert names(load("chaplygin_sleigh").system) == ["energy"]  # x is in no energy, but the row pushes along it


def test_a_force_or_a_row_on_a_coordinate_destroys_its_momentum():
    assert names(furuta(force=lambda v: [-0.1 * v.theta, 0.0])) == []
    assert names(furuta(force=lambda v: [0.0, -0.1 * v.phi])) == ["p_theta"]
    locked = furuta(constraints=[g.Pfaffian("gear", lambda q: [1.0, 2.0])])
    assert names(locked) == ["energy"]
    driven = g.System("driven", "x y", kinetic_energy=lambda v: v.x**2 + v.y**2, force=lambda t: [g.sin(t), 0.0])
    assert names(driven) == ["p_y"]


def test_a_tiny_dependence_is_not_overlooked():
    system = g.System(
        "nearly free", "x y", kinetic_energy=lambda q, v: 0.5 * (v.x**2 + v.y**2) * (1.0 + 1e-6 * g.sin(q.x))
    )
    assert names(system) == ["energy", "p_y"]


def test_a_position_may_be_given_where_the_model_is_not_defined_everywhere():
    root = g.System(
        "root", "x y", kinetic_energy=lambda v: v.x**2 + v.y**2, potential_energy=lambda q: g.sqrt(q.x - 5.0)
    )
    with pytest.raises(g.errors.InputError, match="not finite"):
        first_integrals(root)
    assert names(root, [6.0, 0.0]) == ["energy", "p_y"]


# ------------------------------------------------------------------ along a run


def test_furuta_pendulum_and_lagranges_top_are_solvable_by_quadratures():
    for system, q, v in ((furuta(), [0.1, 0.4], [2.0, 0.3]), (top(), [0.1, 0.5, 0.2], [1.0, 0.3, 9.0])):
        found = invariants(run_of(system, q, v))
        assert found.integrable, found.sentence
        assert max(i.drift / max(1.0, abs(i.start)) for i in found.integrals) < 1e-9
        assert found.freedoms == system.n == len(found.integrals)


def test_spherical_pendulum_in_cartesian_coordinates_is_integrable_with_the_given_momentum():
    run = run_of(spherical(), [0.6, 0.0, -0.8], [0.0, 1.5, 0.0])
    found = invariants(run, {"L_z": angular})
    assert found.freedoms == 2
    assert found.integrable, found.sentence
    assert not invariants(run).integrable


def test_angular_momenta_do_not_commute_and_a_false_integral_is_named():
    free = g.System("free", "x y z", kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2))
    run = run_of(free, [1.0, 0.2, 0.3], [0.1, 0.5, -0.4])
    three = {
        "L_x": lambda q, v: q.y * v.z - q.z * v.y,
        "L_y": lambda q, v: q.z * v.x - q.x * v.z,
        "L_z": angular,
    }
    found = invariants(run, three, only=["L_x", "L_y", "L_z"])
    assert found.independent
    assert not found.involution
    assert not found.integrable
    false = invariants(run, {"radius": lambda q: q.x**2 + q.y**2})
    assert "not conserved: radius" in false.sentence
    assert not false.integrable
    dependent = invariants(run, {"twice": lambda v: 3.0 * v.x}, only=["p_x", "p_y", "twice"])
    assert dependent.involution
    assert not dependent.independent


def test_nonholonomic_systems_have_integrals_but_no_bracket():
    run = run_of(load("chaplygin_sleigh").system, [0, 0, 0.3], [0.5 * np.cos(0.3), 0.5 * np.sin(0.3), 1.1])
    found = invariants(run)
    assert [i.name for i in found.integrals] == ["energy"]
    assert not found.hamiltonian
    assert not found.integrable
    assert "not Hamiltonian" in found.sentence
    with pytest.raises(g.errors.InputError, match="not holonomic"):
        poisson_bracket(load("chaplygin_sleigh").system, angular, angular, [0, 0, 0.3])


def test_rate_of_a_function_is_that_of_the_constrained_motion():
    """On the rod d/dt(½ v²) = −g ż, and the squared length does not change."""
    q, v = [0.6, 0.0, -0.8], [0.8, 0.7, 0.6]
    kinetic = rate(spherical(), lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2), q, v)
    assert abs(kinetic + GRAVITY * 0.6) < 1e-12
    assert abs(rate(spherical(), lambda q: q.x**2 + q.y**2 + q.z**2, q, v)) < 1e-14


# ------------------------------------------------------------------ brackets


def test_canonical_brackets_where_the_mass_matrix_depends_on_the_position():
    system, q, v = furuta(), [0.3, 0.4], [2.0, -0.7]
    inertia = (0.5 + 0.3 * np.sin(0.4)) ** 2

    def p_theta(q, v):
        return (0.5 + 0.3 * g.sin(q.phi)) ** 2 * v.theta

    def p_phi(v):
        return 0.09 * v.phi

    assert abs(poisson_bracket(system, lambda q: q.theta, p_theta, q, v) - 1.0) < 1e-14
    assert abs(poisson_bracket(system, lambda q: q.phi, p_theta, q, v)) < 1e-14
    assert abs(poisson_bracket(system, p_theta, p_phi, q, v)) < 1e-13
    slope = 2.0 * (0.5 + 0.3 * np.sin(0.4)) * 0.3 * np.cos(0.4)
    expected = -2.0 * slope / (inertia * 0.09)  # {θ̇, φ̇} = ∂θ̇/∂φ|p · (1/0.09)
    assert abs(poisson_bracket(system, lambda v: v.theta, lambda v: v.phi, q, v) - expected) < 1e-12


def test_bracket_with_the_energy_is_the_rate():
    system, q, v = top(), [0.2, 0.6, -0.3], [1.1, 0.4, 5.0]

    def energy(q, v):
        spin = 0.25 * (v.psi + v.phi * g.cos(q.theta)) ** 2
        return 0.5 * (v.theta**2 + v.phi**2 * g.sin(q.theta) ** 2) + spin + GRAVITY * g.cos(q.theta)

    def some(q, v):
        return v.theta * g.sin(q.phi) + v.psi**2 * q.theta

    assert abs(poisson_bracket(system, some, energy, q, v) - rate(system, some, q, v)) < 1e-11


def test_diracs_bracket_on_the_sphere_is_that_of_the_angles_and_of_the_motion():
    """{x_i, ẋ_j} = δ_ij − x_i x_j, {ẋ_i, ẋ_j} = ẋ_i x_j − x_i ẋ_j at |x| = 1 and m = 1, and {F, H} is the rate of F."""
    system, q, v = spherical(), np.array([0.6, 0.0, -0.8]), np.array([0.8, 0.7, 0.6])
    for i, a in enumerate("xyz"):
        for j, b in enumerate("xyz"):
            position, speed = (lambda q, a=a: q[a]), (lambda v, b=b: v[b])
            expected = float(i == j) - q[i] * q[j]
            assert abs(poisson_bracket(system, position, speed, q, v) - expected) < 1e-14
            both = poisson_bracket(system, lambda v, a=a: v[a], speed, q, v)
            assert abs(both - (v[i] * q[j] - q[i] * v[j])) < 1e-13

    def energy(q, v):
        return 0.5 * (v.x**2 + v.y**2 + v.z**2) + GRAVITY * q.z

    for function in (angular, lambda v: v.x, lambda q, v: q.x * v.z):
        assert abs(poisson_bracket(system, function, energy, q, v) - rate(system, function, q, v)) < 1e-12


# ------------------------------------------------------------------ phase volume


@pytest.mark.long
def test_hamiltonian_flows_conserve_the_phase_volume_though_not_that_of_velocities():
    for system, q, v in ((furuta(), [0.1, 0.4], [2.0, 0.3]), (top(), [0.1, 0.5, 0.2], [1.0, 0.3, 9.0])):
        run = run_of(system, q, v, t_end=1.0)
        assert np.max(np.abs(phase_volume(run, intervals=8).logarithm)) < 1e-9
        assert abs(divergence(run, 0.7)) > 1e-2
    pendulum = run_of(spherical(), [0.6, 0.0, -0.8], [0.0, 1.5, 0.0], t_end=1.0)
    assert np.max(np.abs(phase_volume(pendulum, intervals=8, states="x y d_x d_y").logarithm)) < 1e-9


def test_damping_contracts_the_phase_volume_at_its_rate():
    system = g.System(
        "damped", "x", kinetic_energy=lambda v: v.x**2, potential_energy=lambda q: q.x**4, force=lambda v: [-0.6 * v.x]
    )
    run = run_of(system, [1.0], [0.5])
    volume = phase_volume(run, intervals=10)
    assert np.max(np.abs(volume.logarithm + 0.3 * volume.t)) < 1e-12
    assert abs(divergence(run, 1.0) + 0.3) < 1e-12
    assert np.allclose(volume.ratio, np.exp(-0.3 * volume.t))


@pytest.mark.long
def test_chaplygin_sleigh_changes_the_phase_volume_though_it_conserves_energy():
    """With u along the edge d(log volume)/dt = −m a u/(I + m a²), the rate of −log cosh in Chaplygin's solution."""
    m, I, a = 1.2, 0.5, 0.3
    edge = I + m * a**2
    run = run_of(load("chaplygin_sleigh").system, [0, 0, 0.1], [0.5 * np.cos(0.1), 0.5 * np.sin(0.1), 0.6], t_end=1.5)
    volume = phase_volume(run, intervals=20)
    top_speed = np.sqrt((m * 0.25 + edge * 0.36) / m)
    k = a * m * top_speed / edge
    start = np.arctanh(0.5 / top_speed)
    expected = np.log(np.cosh(start) / np.cosh(k * volume.t + start))  # −(m a/edge) ∫ V tanh = −∫ k tanh
    assert np.max(np.abs(volume.logarithm - expected)) < 1e-9


# ------------------------------------------------------------------ recurrence


def torus(b):
    system = g.System("torus flow", "alpha1 alpha2", kinetic_energy=lambda v: 0.5 * (v.alpha1**2 + v.alpha2**2))
    return lambda t_end: run_of(system, [0.3, 5.0], [1.0, b], t_end=t_end)


def test_a_rational_flow_on_the_torus_closes():
    found = returns(torus(1.5)(30.0), "alpha1 alpha2", 0.05)
    assert np.allclose(found.t, [4 * np.pi, 8 * np.pi], atol=1e-6)
    assert np.max(found.distance) < 1e-6
    assert found.left == pytest.approx(0.05 / np.hypot(1.0, 1.5), rel=1e-9)


def test_an_irrational_flow_returns_ever_closer_at_fibonacci_times_and_never_closes():
    """With b/a the golden mean the closest returns turn α₁ F_k times round and miss by 2π|F_k φ − F_k₊₁|/√(1 + φ²)."""
    golden = (1.0 + np.sqrt(5.0)) / 2.0
    found = returns(torus(golden)(240.0), "alpha1 alpha2", 0.6).records
    turns = np.round(found.t / (2 * np.pi))
    fibonacci = [3, 5, 8, 13, 21, 34]
    assert list(turns) == fibonacci
    missed = np.array([abs(n * golden - round(n * golden)) for n in fibonacci]) * 2 * np.pi / np.sqrt(1.0 + golden**2)
    assert np.max(np.abs(found.distance - missed)) < 1e-8
    assert np.all(found.distance > 0.01)


def test_bad_input_is_refused_with_the_reason():
    run = torus(1.5)(5.0)
    with pytest.raises(g.errors.InputError, match="coordinates are alpha1"):
        returns(run, "beta", 0.1)
    with pytest.raises(g.errors.InputError, match="less than half the period"):
        returns(run, "alpha1", 4.0)
    with pytest.raises(g.errors.InputError, match="only names"):
        invariants(run, only=["p_beta"])
    with pytest.raises(g.errors.InputError, match="intervals"):
        phase_volume(run, intervals=0)
    with pytest.raises(g.errors.ModelError, match="the integral 'F'"):
        invariants(run, {"F": lambda q: q.beta})
    still = returns(torus(1.5)(0.01), "alpha1 alpha2", 0.5)
    assert still.left == float("inf")
    assert still.t.size == still.records.t.size == 0


# ------------------------------------------------------------------ hidden symmetries


def coupled(potential, **keywords):
    given = {"kinetic_energy": lambda v: 0.5 * sum(x**2 for x in v), "potential_energy": potential}
    return g.System("coupled", **({"coordinates": "x y"} | given | keywords))


def test_the_momentum_of_a_direction_across_coordinates_is_found():
    assert names(coupled(lambda q: (q.x - q.y) ** 4)) == ["energy", "p_x + p_y"]
    assert names(coupled(lambda q: g.cos(q.x + 2 * q.y))) == ["energy", "2 p_x - p_y"]
    assert names(coupled(lambda q: (q.x - q.y) ** 4, coordinates="x y z")) == ["energy", "p_z", "p_x + p_y"]
    assert names(coupled(lambda q: 1e6 * (1e3 * q.x - 1e-3 * q.y) ** 2)) == ["energy", "1e-06 p_x + p_y"]
    assert names(coupled(lambda q: (q.x - q.y) ** 2 + 1e-7 * q.x)) == ["energy"]
    free = g.System(
        "double pendulum without weight",
        "a b",
        kinetic_energy=lambda q, v: v.a**2 + 0.5 * v.b**2 + v.a * v.b * g.cos(q.a - q.b),
    )
    assert names(free) == ["energy", "p_a + p_b"]


def test_rows_and_forces_that_act_along_a_direction_destroy_its_momentum():
    def flat(q):
        return 0.0 * q.x

    assert names(coupled(flat, constraints=[g.Pfaffian("gear", lambda q: [1.0, 2.0])])) == ["energy", "p_x - 0.5 p_y"]
    rod = g.Holonomic("rod", lambda q: (q.x - q.y) ** 2 - 1.0)
    assert names(coupled(flat, constraints=[rod])) == ["energy", "p_x + p_y"]
    assert names(coupled(flat, force=lambda v: [v.y - v.x, v.x - v.y])) == ["p_x + p_y"]
    assert names(coupled(flat, force=lambda v: [-v.x, -v.y])) == []


def test_a_model_given_by_its_mass_matrix_shows_no_momentum_across_coordinates():
    system = g.System("m", "x y", mass_matrix=lambda q: [[1, 0], [0, 2]], force=lambda q: [q.y - q.x, q.x - q.y])
    assert names(system) == []


def test_hidden_momentum_is_conserved_along_the_motion_and_in_involution_with_the_energy():
    found = invariants(run_of(coupled(lambda q: (q.x - q.y) ** 4), [0.6, 0.1], [0.4, 0.3]))
    assert [round(i.start, 12) for i in found.integrals] == [0.1875, 0.7]
    assert max(i.drift for i in found.integrals) < 1e-11
    assert found.integrable, found.sentence


def test_jacobis_integral_is_found_where_the_energy_is_not_conserved():
    hoop = g.System(
        "rotating hoop",
        "th",
        kinetic_energy=lambda q, v: 0.5 * (v.th**2 + 9.0 * g.sin(q.th) ** 2),
        potential_energy=lambda q: -GRAVITY * g.cos(q.th),
    )
    assert names(hoop) == ["Jacobi integral"]
    found = invariants(run_of(hoop, [0.6], [0.4]))
    expected = 0.5 * (0.4**2 - 9.0 * np.sin(0.6) ** 2) - GRAVITY * np.cos(0.6)
    assert found.integrals[0].start == pytest.approx(expected, rel=1e-14)
    assert found.integrals[0].drift < 1e-10
    assert found.integrable
    driven = g.System("driven", "x", kinetic_energy=lambda v, t: (2.0 + g.sin(t)) * v.x**2)
    assert names(driven) == ["p_x"]


def test_brackets_do_not_depend_on_the_units_of_the_masses():
    system = coupled(lambda q: 0.0 * q.x, kinetic_energy=lambda v: 0.5e-6 * v.x**2 + 0.5e6 * v.y**2)
    assert poisson_bracket(system, lambda q: q.x, lambda v: 1e-6 * v.x, [0.3, 0.1]) == pytest.approx(1.0, rel=1e-14)


def test_integrals_that_cannot_be_judged_are_refused():
    system = coupled(lambda q: (q.x - q.y) ** 4)
    run = run_of(system, [0.6, 0.1], [0.4, 0.3])

    def log(q):
        return g.log(q.x - 100.0)

    for act, words in (
        (lambda: invariants(run, {"F": log}), "'F' is not finite at t = 0"),
        (lambda: invariants(run, {"energy": lambda v: v.x}), "found by itself"),
        (lambda: invariants(run, [log]), "dict of functions"),
        (lambda: invariants(system), "a run of gauss.simulate is expected"),
        (lambda: rate(system, log, [0.3, 0.1]), "not finite at this state"),
        (lambda: poisson_bracket(system, log, lambda v: v.x, [0.3, 0.1]), "not finite at this state"),
    ):
        with pytest.raises(g.errors.InputError, match=words):
            act()
    assert [i.name for i in invariants(run, only="energy").integrals] == ["energy"]


def test_integrals_print_their_names_and_formulas():
    apart = g.System(
        "two", "x y", kinetic_energy=lambda v: v.x**2 + v.y**2, potential_energy=lambda q: (q.x - q.y) ** 2
    )
    words = "(FirstIntegral(energy = T + V), FirstIntegral(momentum p_x + p_y))"
    assert repr(first_integrals(apart)) == words
