"""The Gibbs-Appell equations against closed forms and against Lagrange's equations."""

import numpy as np
import pytest
from formulation_systems import (
    ARM,
    INERTIA,
    M1,
    M2,
    MASS,
    G,
    double_pendulum,
    double_pendulum_acceleration,
    rich_force,
    rich_lagrangian,
    rich_rows,
    rich_scale,
    rich_state,
    rich_velocities,
    rounding,
    sleigh,
    sleigh_acceleration,
    sleigh_rates,
    sleigh_velocities,
)

from gauss.errors import InputError, MassMatrixError
from gauss.formulations import (
    euler_lagrange,
    gibbs_appell,
    gibbs_appell_particles,
    gibbs_gradient,
    lagrange_first_kind,
    quasi_velocities,
    rows_in_quasi_velocities,
    velocity_rows,
)

CIRCLE = 16.0 * 2.0**8  # Cauchy's second derivatives: 1/r² on the first circle, halved up to four times


@pytest.mark.parametrize("seed", range(20))
def test_every_kind_of_term_gives_lagranges_acceleration(seed):
    q, omega, v, t = rich_state(seed)
    J, gamma = velocity_rows(rich_rows, q, v, t)
    a = lagrange_first_kind(*euler_lagrange(rich_lagrangian, q, v, t, rich_force), J, gamma)[0]
    bound = rounding(*rich_scale(a, J))
    moved, G_, drift = quasi_velocities(rich_velocities, q, omega, t)
    assert np.max(np.abs(moved - v)) <= rounding(np.max(np.abs(v)))
    assert np.max(np.abs(J @ G_)) <= rounding(np.max(np.abs(G_)), 10.0)
    assert np.max(np.abs(J @ drift - gamma)) <= rounding(np.max(np.abs(J) @ np.abs(drift)) + 1.0)
    mine, omega_dot = gibbs_appell(rich_lagrangian, q, v, t, G_, drift, rich_force)
    assert np.max(np.abs(mine - a)) <= bound
    x = a[:2]  # ω from its definition in rich_velocities
    assert np.max(np.abs(omega_dot - [(2.0 * x[0] + x[1]) / 3.0, (x[0] - x[1]) / 3.0])) <= bound
    other = gibbs_appell(rich_lagrangian, q, v, t, *rows_in_quasi_velocities(J, gamma), rich_force)[0]
    assert np.max(np.abs(other - a)) <= bound


@pytest.mark.parametrize("seed", range(5))
def test_the_gradient_of_the_gibbs_function_is_mass_times_acceleration_less_forces(seed):
    q, _, v, t = rich_state(seed)
    a = np.random.default_rng(seed).standard_normal(4)
    M, f = euler_lagrange(rich_lagrangian, q, v, t)
    gap = gibbs_gradient(rich_lagrangian, q, v, a, t) - (M @ a - f)
    assert np.max(np.abs(gap)) <= rounding(np.max(np.abs(f)) + np.max(np.abs(M @ a)) + G)


@pytest.mark.parametrize("seed", range(10))
def test_chaplygins_sleigh_has_its_closed_form(seed):
    rng = np.random.default_rng(seed)
    q, omega = rng.uniform(-3.0, 3.0, 3), 2.0 * rng.standard_normal(2)
    v, G_, drift = quasi_velocities(sleigh_velocities, q, omega, 0.0)
    a, omega_dot = gibbs_appell(sleigh, q, v, 0.0, G_, drift)
    size = float(omega @ omega) + 1.0
    assert np.max(np.abs(omega_dot - sleigh_rates(omega))) <= rounding(size, 10.0)
    assert np.max(np.abs(a - sleigh_acceleration(q, omega))) <= rounding(size, 10.0)


@pytest.mark.parametrize("seed", range(10))
def test_the_sleigh_made_of_particles_has_the_same_rates(seed):
    rng = np.random.default_rng(seed)
    q, omega = rng.uniform(-3.0, 3.0, 3), 2.0 * rng.standard_normal(2)
    reach = np.sqrt(INERTIA / MASS)  # two particles of half the mass at ±reach across the centre of mass

    def positions(q, t):
        c, s = np.cos(q[2]), np.sin(q[2])
        x, y = q[0] + ARM * c, q[1] + ARM * s
        return np.array([x - reach * s, y + reach * c, x + reach * s, y - reach * c])

    found = gibbs_appell_particles(positions, [MASS / 2] * 4, np.zeros(4), sleigh_velocities, q, omega, 0.0)
    size = np.max(np.abs(q)) + float(omega @ omega) + 1.0
    assert np.max(np.abs(found[1] - sleigh_rates(omega))) <= rounding(size, CIRCLE)
    assert np.max(np.abs(found[0] - sleigh_acceleration(q, omega))) <= rounding(size, CIRCLE)


@pytest.mark.parametrize("seed", range(10))
def test_double_pendulum_of_particles_has_its_closed_form(seed):
    rng = np.random.default_rng(seed)
    q, v = rng.uniform(-3.0, 3.0, 2), 2.0 * rng.standard_normal(2)
    masses, weights = [M1, M1, M2, M2], [0.0, -M1 * G, 0.0, -M2 * G]

    def positions(q, t):
        return double_pendulum(q)

    a, _ = gibbs_appell_particles(positions, masses, weights, lambda q, omega, t: omega, q, v, 0.0)
    expected = double_pendulum_acceleration(q, v)
    assert np.max(np.abs(a - expected)) <= rounding(np.max(np.abs(expected)) + G + float(v @ v), CIRCLE)


def test_nonlinear_quasi_velocities_serve_the_appell_hamel_machine():
    ratio, m, q, omega = 0.6, 1.3, np.array([0.2, 0.1, 0.5]), np.array([1.7, 0.8])

    def L(q, v, t):
        return 0.5 * m * v @ v - m * G * q[2]

    def velocities(q, omega, t):  # ż² = ratio² (ẋ² + ẏ²)
        return np.array([omega[0] * np.cos(omega[1]), omega[0] * np.sin(omega[1]), ratio * omega[0]])

    v, G_, drift = quasi_velocities(velocities, q, omega, 0.0)
    a, omega_dot = gibbs_appell(L, q, v, 0.0, G_, drift)
    slowing = -G * ratio / (1.0 + ratio**2)  # the direction of (ẋ, ẏ) is kept
    expected = slowing * np.array([np.cos(omega[1]), np.sin(omega[1]), ratio])
    assert np.max(np.abs(omega_dot - [slowing, 0.0])) <= rounding(G, 10.0)
    assert np.max(np.abs(a - expected)) <= rounding(G, 10.0)


def test_time_dependent_quasi_velocities_carry_their_drift():
    def velocities(q, omega, t):  # a point on a rotating line: x along it, turning with the rate 2.3
        return np.array([omega[0], 0.0 * omega[0] + 2.3 + t**2])

    def L(q, v, t):
        return 0.5 * (v[0] ** 2 + q[0] ** 2 * v[1] ** 2)

    v, G_, drift = quasi_velocities(velocities, [0.7, 0.1], [-0.4], 0.5)
    a, _ = gibbs_appell(L, [0.7, 0.1], v, 0.5, G_, drift)
    assert a[0] == pytest.approx(0.7 * (2.3 + 0.25) ** 2, abs=rounding(10.0))
    assert a[1] == pytest.approx(1.0, abs=rounding(10.0))


def test_dependent_rows_are_allowed_and_no_rows_leave_everything_free():
    J, gamma = np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0]]), np.array([3.0, 6.0])
    G_, drift = rows_in_quasi_velocities(J, gamma)
    assert G_.shape == (3, 2)
    assert np.max(np.abs(J @ G_)) <= rounding(5.0)
    assert np.max(np.abs(J @ drift - gamma)) <= rounding(6.0)
    free, none = rows_in_quasi_velocities(np.zeros((0, 3)), [])
    assert np.linalg.matrix_rank(free) == 3
    assert not np.any(none)
    held, fixed = rows_in_quasi_velocities(np.eye(3), [1.0, 2.0, 3.0])
    a, omega_dot = gibbs_appell(lambda q, v, t: 0.5 * v @ v, np.ones(3), np.ones(3), 0.0, held, fixed)
    assert omega_dot.shape == (0,)
    assert np.max(np.abs(a - [1.0, 2.0, 3.0])) <= rounding(3.0)


def test_a_singular_choice_of_quasi_velocities_is_refused():
    twice = np.array([[1.0, 1.0], [0.0, 0.0]])
    with pytest.raises(MassMatrixError, match="strictly convex"):
        gibbs_appell(lambda q, v, t: 0.5 * v @ v, [0.1, 0.2], [1.0, 0.0], 0.0, twice, np.zeros(2))
    with pytest.raises(MassMatrixError, match="strictly convex"):
        gibbs_appell(lambda q, v, t: 0.5 * v[0] ** 2, [0.1, 0.2], [1.0, 0.0], 0.0, np.eye(2), np.zeros(2))
    with pytest.raises(InputError, match="velocities"):
        quasi_velocities(lambda q, omega, t: omega, [0.1, 0.2], [1.0], 0.0)
    with pytest.raises(InputError, match="quadratic"):
        gibbs_gradient(lambda q, v, t: v[0] ** 3, [0.0], [0.1], [0.0], 0.0)
