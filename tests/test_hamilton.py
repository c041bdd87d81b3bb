"""Hamilton's canonical equations against closed forms, printed equations and Lagrange's equations."""

import numpy as np
import pytest
from formulation_systems import G, rich_force, rich_lagrangian, rich_rows, rich_scale, rich_state, rounding

from gauss.errors import InputError, MassMatrixError, SolverError
from gauss.formulations import (
    canonical_equations,
    euler_lagrange,
    hamilton,
    holonomic_rows,
    lagrange_first_kind,
    legendre,
    velocity_rows,
)

I, M = 20.0, 0.5  # kg m², kg: ball and beam


def ball_and_beam(q, v, t):
    r, phi = q
    return 0.5 * (I + M * r**2) * v[1] ** 2 + 0.5 * M * v[0] ** 2 - M * G * r * np.sin(phi)


@pytest.mark.parametrize("seed", range(10))
def test_ball_and_beam_follows_the_printed_canonical_equations(seed):
    rng = np.random.default_rng(seed)
    (r, phi), p = rng.uniform(-2.0, 2.0, 2), 5.0 * rng.standard_normal(2)
    H, v = legendre(ball_and_beam, [r, phi], p, 0.0)
    inertia = I + M * r**2
    energy = p[0] ** 2 / (2 * M) + p[1] ** 2 / (2 * inertia) + M * G * r * np.sin(phi)
    scale = p[0] ** 2 / M + p[1] ** 2 / inertia + M * G * abs(r)
    assert pytest.approx(energy, abs=rounding(scale)) == H
    q_dot, p_dot = canonical_equations(ball_and_beam, [r, phi], p, 0.0)
    printed = [M * r * p[1] ** 2 / inertia**2 - M * G * np.sin(phi), -M * G * r * np.cos(phi)]
    assert np.max(np.abs(v - [p[0] / M, p[1] / inertia])) <= rounding(np.max(np.abs(v)))
    assert np.max(np.abs(q_dot - [p[0] / M, p[1] / inertia])) <= rounding(np.max(np.abs(v)))
    assert np.max(np.abs(p_dot - printed)) <= rounding(scale)


@pytest.mark.parametrize(("m", "k"), [(2.0, 8.0), (0.6, 3.4)])
def test_an_oscillator_whose_energies_are_equal_is_as_good_as_another(m, k):
    """L vanishes there, and on the whole ray on which q and v grow alike: what is left on it is rounding alone."""

    def L(q, v, t):
        return 0.5 * m * v[0] ** 2 - 0.5 * k * q[0] ** 2

    q = 1.3
    v = q * np.sqrt(k / m)
    q_dot, p_dot = canonical_equations(L, [q], [m * v], 0.0)
    assert q_dot == pytest.approx([v], rel=1e-14)
    assert p_dot == pytest.approx([-k * q], rel=1e-14)
    M, f = euler_lagrange(L, [q], [v], 0.0)
    assert (M[0, 0], f[0]) == (pytest.approx(m, rel=1e-14), pytest.approx(-k * q, rel=1e-14))


def test_charge_in_a_magnetic_field_has_canonical_momenta():
    B, q, v = 2.5, np.array([0.3, -0.4]), np.array([1.5, 0.6])

    def L(q, v, t):
        return 0.5 * v @ v + 0.5 * B * (q[0] * v[1] - q[1] * v[0]) + q[0] * t

    found = hamilton(L, q, v, 2.0)
    assert np.max(np.abs(found.p - (v + 0.5 * B * np.array([-q[1], q[0]])))) <= rounding(2.0)
    assert pytest.approx(0.5 * v @ v - 2.0 * q[0], abs=rounding(3.0)) == found.H
    assert np.max(np.abs(found.a - [B * v[1] + 2.0, -B * v[0]])) <= rounding(6.0)
    assert np.max(np.abs(found.p_dot - [0.5 * B * v[1] + 2.0, -0.5 * B * v[0]])) <= rounding(6.0)


def test_pendulum_with_oscillating_pivot_feels_the_pivot():
    m, length, amplitude, omega, theta, rate, t = 0.8, 1.2, 0.4, 3.0, 0.7, 1.9, 0.35

    def L(q, v, t):
        x_dot = amplitude * omega * np.cos(omega * t) + length * np.cos(q[0]) * v[0]
        y_dot = length * np.sin(q[0]) * v[0]
        return 0.5 * m * (x_dot**2 + y_dot**2) + m * G * length * np.cos(q[0])

    expected = (amplitude * omega**2 * np.sin(omega * t) * np.cos(theta) - G * np.sin(theta)) / length
    assert hamilton(L, [theta], [rate], t).a[0] == pytest.approx(expected, abs=rounding(30.0))


@pytest.mark.parametrize("seed", range(20))
def test_every_kind_of_term_gives_lagranges_acceleration_and_multipliers(seed):
    q, _, v, t = rich_state(seed)
    mass, f = euler_lagrange(rich_lagrangian, q, v, t, rich_force)
    J, gamma = velocity_rows(rich_rows, q, v, t)
    a, multipliers = lagrange_first_kind(mass, f, J, gamma)
    found = hamilton(rich_lagrangian, q, v, t, rich_force, J, gamma)
    size, condition = rich_scale(a, J)
    assert np.max(np.abs(found.a - a)) <= rounding(size, condition)
    assert np.max(np.abs(found.multipliers - multipliers)) <= rounding(size, condition)
    assert np.max(np.abs(found.q_dot - v)) <= rounding(np.max(np.abs(v)), 20.0)
    free = hamilton(rich_lagrangian, q, v, t, rich_force)
    assert np.max(np.abs(mass @ free.a - f)) <= rounding(np.max(np.abs(f)) + G, 20.0)


@pytest.mark.parametrize("seed", range(5))
def test_the_hamiltonian_changes_by_explicit_time_and_by_the_force(seed):
    q, _, v, t = rich_state(seed)
    found = hamilton(rich_lagrangian, q, v, t, rich_force)

    def H(s):
        return legendre(rich_lagrangian, q + s * found.q_dot, found.p + s * found.p_dot, t + s)[0]

    explicit = -rich_lagrangian(q, v, t + 1e-30j).imag / 1e-30
    power = float(rich_force(q, v, t) @ v)
    steps = np.array([4e-3, 2e-3, 1e-3])
    errors = np.array([abs((H(h) - H(-h)) / (2 * h) - explicit - power) for h in steps])
    # central differences: order 2, down to rounding over the step
    assert errors[-1] <= max(0.3 * errors[-2], 1e-11 * (abs(found.H) + G))


def test_spherical_pendulum_has_its_closed_form_tension():
    m, length = 1.7, 0.6
    q = length * np.array([0.6, 0.48, -0.64])
    v = np.cross(q, [0.4, -1.1, 0.9])

    def L(q, v, t):
        return 0.5 * m * v @ v - m * G * q[2]

    J, gamma = holonomic_rows(lambda q, t: q @ q - length**2, q, v, 0.0)
    found = hamilton(L, q, v, 0.0, None, J, gamma)
    tension = m * (float(v @ v) / length - G * q[2] / length)
    assert -2.0 * length * found.multipliers[0] == pytest.approx(tension, abs=rounding(m * G, 20.0))
    assert np.max(np.abs(found.a - (-tension * q / (m * length) - [0.0, 0.0, G]))) <= rounding(G, 20.0)
    assert np.max(np.abs(found.p_dot - m * found.a)) <= rounding(m * G, 20.0)


def test_units_of_rows_and_coordinates_do_not_matter():
    q, _, v, t = rich_state(3)
    J, gamma = velocity_rows(rich_rows, q, v, t)
    a = hamilton(rich_lagrangian, q, v, t, None, J, gamma).a
    u, w = np.array([1e-4, 1.0, 1e3, 1e5]), np.array([1e6, 1e-7])

    def L(x, x_dot, t):
        return rich_lagrangian(u * x, u * x_dot, t)

    scaled = hamilton(L, q / u, v / u, t, None, w[:, None] * J * u, w * gamma)
    assert np.max(np.abs(u * scaled.a - a)) <= rounding(*rich_scale(a, J))


def test_the_transform_refuses_what_it_does_not_cover():
    with pytest.raises(MassMatrixError, match="Hamiltonian"):
        hamilton(lambda q, v, t: 0.5 * v[0] ** 2 - q[1] ** 2, [0.1, 0.2], [1.0, 1.0], 0.0)
    with pytest.raises(MassMatrixError):
        legendre(lambda q, v, t: 0.5 * (v[0] + v[1]) ** 2, [0.1, 0.2], [1.0, 1.0], 0.0)
    with pytest.raises(InputError, match="quadratic"):
        hamilton(lambda q, v, t: -np.sqrt(4.0 - v[0] ** 2), [0.0], [0.1], 0.0)
    for rows in ([[1.0, 0.0], [2.0, 0.0]], [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]):
        with pytest.raises(SolverError, match="dependent"):
            hamilton(lambda q, v, t: 0.5 * v @ v, [0.1, 0.2], [0.0, 1.0], 0.0, None, rows, np.zeros(len(rows)))
    with pytest.raises(InputError, match="gamma"):
        hamilton(lambda q, v, t: 0.5 * v @ v, [0.1, 0.2], [0.0, 1.0], 0.0, None, [[1.0, 0.0]], [])
