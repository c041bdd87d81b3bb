"""Vakonomic motion: Brockett's integrator in closed form, and where it is and is not Gauss's motion."""

import numpy as np
import pytest
from formulation_systems import G, rich_force, rich_lagrangian, rich_rows, rich_scale, rich_state, rounding
from scipy.integrate import solve_ivp

from gauss.errors import InputError, SolverError
from gauss.formulations import euler_lagrange, lagrange_first_kind, vakonomic, velocity_rows


def energy(q, v, t):
    """Brockett's cost ẋ₁² + ẋ₂²."""
    return v[0] ** 2 + v[1] ** 2


def brockett(q, v, t):
    """ẋ₃ = x₁ẋ₂ − x₂ẋ₁ as a row."""
    return np.array([v[2] - q[0] * v[1] + q[1] * v[0]])


def gauss(L, psi, q, v, t, force=None):
    """Acceleration and multipliers with ideal reactions."""
    return lagrange_first_kind(*euler_lagrange(L, q, v, t, force), *velocity_rows(psi, q, v, t))


@pytest.mark.parametrize("seed", range(10))
def test_brockett_turns_with_the_rate_mu_where_gausss_motion_is_straight(seed):
    rng = np.random.default_rng(seed)
    q, (x, y), mu = rng.standard_normal(3), rng.standard_normal(2), 2.0 * float(rng.standard_normal())
    v = np.array([x, y, q[0] * y - q[1] * x])
    a, mu_dot = vakonomic(energy, brockett, q, v, [mu], 0.0)
    expected = np.array([-mu * y, mu * x, 0.0])
    expected[2] = q[0] * expected[1] - q[1] * expected[0]
    size = abs(mu) * np.hypot(x, y) * (1.0 + np.max(np.abs(q))) + 1.0
    assert np.max(np.abs(a - expected)) <= rounding(size, 10.0)
    assert abs(mu_dot[0]) <= rounding(size, 10.0)
    straight, multiplier = gauss(energy, brockett, q, v, 0.0)
    assert np.max(np.abs(straight)) <= rounding(size, 10.0)
    assert abs(multiplier[0]) <= rounding(size, 10.0)
    assert np.linalg.norm((a - straight)[:2]) == pytest.approx(abs(mu) * np.hypot(x, y), rel=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("turns", [1, 2])
def test_with_mu_two_pi_k_the_plane_path_closes_after_unit_time_and_gains_its_area(turns):
    mu, speed = 2.0 * np.pi * turns, 1.3

    def rates(t, w):
        a, mu_dot = vakonomic(energy, brockett, w[:3], w[3:6], w[6:], t)
        return [*w[3:6], *a, *mu_dot]

    end = solve_ivp(rates, (0.0, 1.0), [0, 0, 0, speed, 0, 0, mu], "DOP853", rtol=1e-10, atol=1e-12).y[:, -1]
    gained = 2.0 * turns * np.pi * (speed / mu) ** 2  # twice the area of the circle, for each turn
    assert np.max(np.abs(end[:2])) <= 1e-8  # the integrator's tolerance, over about a hundred steps
    assert end[2] == pytest.approx(gained, abs=1e-8)
    assert end[6] == pytest.approx(mu, rel=1e-9)


@pytest.mark.parametrize("mu", [-3.0, 0.0, 5.0])
def test_integrable_rows_make_both_motions_one(mu):
    q = 0.6 * np.array([0.6, 0.48, -0.64])
    v = np.cross(q, [0.4, -1.1, 0.9])

    def L(q, v, t):
        return 0.85 * v @ v - 1.7 * G * q[2]

    def psi(q, v, t):
        return np.array([2.0 * (q @ v)])

    a, mu_dot = vakonomic(L, psi, q, v, [mu], 0.0)
    expected, multiplier = gauss(L, psi, q, v, 0.0)
    assert np.max(np.abs(a - expected)) <= rounding(G + abs(mu), 20.0)
    assert mu_dot[0] == pytest.approx(-multiplier[0], abs=rounding(2.0 * G + abs(mu), 20.0))


@pytest.mark.parametrize("seed", range(5))
def test_with_mu_zero_both_accelerations_agree_and_otherwise_they_differ_by_the_gyroscopic_term(seed):
    q, _, v, t = rich_state(seed)
    mu = np.array([0.7, -1.9])
    J, gamma = velocity_rows(rich_rows, q, v, t)
    expected, multipliers = gauss(rich_lagrangian, rich_rows, q, v, t, rich_force)
    size, condition = rich_scale(expected, J)
    a, mu_dot = vakonomic(rich_lagrangian, rich_rows, q, v, [0.0, 0.0], t, rich_force)
    assert np.max(np.abs(a - expected)) <= rounding(size, condition)
    assert np.max(np.abs(mu_dot + multipliers)) <= rounding(size, condition)
    a, mu_dot = vakonomic(rich_lagrangian, rich_rows, q, v, mu, t, rich_force)
    # (Ȧᵀ − ψ_qᵀ) μ by hand: each derivative of the rows one complex step
    step, unit = 1e-30, np.eye(4)
    ahead = (q + 1j * step * v, t + 1j * step)
    at_rest = rich_rows(ahead[0], np.zeros(4), ahead[1])
    A_dot = np.array([(rich_rows(ahead[0], e, ahead[1]) - at_rest).imag for e in unit]).T / step
    psi_q = np.array([rich_rows(q + 1j * step * e, v, t).imag for e in unit]).T / step
    M, f = euler_lagrange(rich_lagrangian, q, v, t, rich_force)
    residual = M @ a - f + J.T @ mu_dot + (A_dot - psi_q).T @ mu
    assert np.max(np.abs(residual)) <= rounding(np.max(np.abs(f)) + 10.0 * size, condition)
    assert np.max(np.abs(J @ a - gamma)) <= rounding(size, condition)
    assert np.max(np.abs(a - expected)) > 1e-3


def test_what_does_not_fit_is_refused():
    with pytest.raises(InputError, match="mu"):
        vakonomic(energy, brockett, np.zeros(3), np.zeros(3), [1.0, 2.0], 0.0)
    with pytest.raises(SolverError):
        vakonomic(
            energy,
            lambda q, v, t: np.concatenate([brockett(q, v, t), 2.0 * brockett(q, v, t)]),
            np.zeros(3),
            [1.0, 0.0, 0.0],
            [0.0, 0.0],
            0.0,
        )
