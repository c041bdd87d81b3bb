"""Voronets' equations against closed forms and against Lagrange's equations of the first kind."""

import numpy as np
import pytest
from formulation_systems import (
    G,
    rich_force,
    rich_lagrangian,
    rich_rows,
    rich_scale,
    rich_slopes,
    rich_state,
    rounding,
    sleigh,
    sleigh_acceleration,
)

from gauss.errors import InputError, MassMatrixError
from gauss.formulations import euler_lagrange, lagrange_first_kind, minimal_acceleration, velocity_rows, voronets


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(20))
def test_every_kind_of_term_gives_lagranges_acceleration(seed):
    q, _, v, t = rich_state(seed)
    J, gamma = velocity_rows(rich_rows, q, v, t)
    a = lagrange_first_kind(*euler_lagrange(rich_lagrangian, q, v, t, rich_force), J, gamma)[0]
    found = voronets(rich_lagrangian, rich_slopes, [0, 1], q, v, t, rich_force)
    assert np.max(np.abs(found - a)) <= rounding(*rich_scale(a, J))
    misread = v + np.array([0.0, 0.0, 3.0, -2.0])  # dependent velocities are computed, not read
    assert np.max(np.abs(voronets(rich_lagrangian, rich_slopes, [0, 1], q, misread, t, rich_force) - found)) == 0.0


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("independent", [[0, 2], [2, 0], [1, 2]])
def test_chaplygins_sleigh_has_its_closed_form_by_either_velocity(independent, seed):
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0.4, 1.1)
    q, (u, w) = np.array([*rng.standard_normal(2), angle]), 2.0 * rng.standard_normal(2)
    v = np.array([u * np.cos(angle), u * np.sin(angle), w])

    def slopes(q, t):
        slope = np.tan(q[2]) if 0 in independent else 1.0 / np.tan(q[2])
        row = [0.0 * slope, 0.0 * slope]
        row[independent.index(0 if 0 in independent else 1)] = slope
        return np.array([row])

    a = voronets(sleigh, slopes, independent, q, v, 0.0)
    assert np.max(np.abs(a - sleigh_acceleration(q, [u, w]))) <= rounding(u * u + w * w + 1.0, 20.0)


@pytest.mark.parametrize("seed", range(5))
def test_ball_on_a_turntable_goes_round_with_two_sevenths_of_its_rate(seed):
    m, r, rate = 1.0, 0.1, 3.0
    q, v = np.random.default_rng(seed).standard_normal((2, 5))

    def L(q, v, t):
        return 0.5 * m * (v[0] ** 2 + v[1] ** 2) + 0.2 * m * r**2 * (v[2] ** 2 + v[3] ** 2 + v[4] ** 2)

    def slopes(q, t):  # ω_x, ω_y by ẋ, ẏ and the table: B₀ depends on the position
        one = 1.0 + 0.0 * q[0]
        return np.array([[0.0, -one / r, 0.0, rate * q[0] / r], [one / r, 0.0, 0.0, rate * q[1] / r]])

    a = voronets(L, slopes, [0, 1, 4], q, v, 0.0)
    n = 2.0 / 7.0 * rate
    size = n * np.linalg.norm(v) + 1.0
    assert np.max(np.abs(a[:2] - [-n * v[1], n * v[0]])) <= rounding(size, 20.0)
    assert np.max(np.abs(a[2:4] - [(rate * v[0] - a[1]) / r, (a[0] + rate * v[1]) / r])) <= rounding(size / r, 20.0)
    assert abs(a[4]) <= rounding(size / r)


def test_integrable_rows_give_lagranges_equations_of_the_second_kind():
    def height(x, t):
        return np.sin(x[0]) * x[1] + t * x[0] ** 2

    def L(q, v, t):
        return 0.5 * (v[0] ** 2 + 2.0 * v[1] ** 2 + 3.0 * v[2] ** 2) + v[0] * v[1] * q[2] - G * q[2]

    def slopes(q, t):  # by hand
        return np.array([[np.cos(q[0]) * q[1] + 2.0 * t * q[0], np.sin(q[0]), q[0] ** 2]])

    def on_surface(x, x_dot, t):
        z_dot = (np.cos(x[0]) * x[1] + 2.0 * t * x[0]) * x_dot[0] + np.sin(x[0]) * x_dot[1] + x[0] ** 2
        return L([x[0], x[1], height(x, t)], [x_dot[0], x_dot[1], z_dot], t)

    x, x_dot, t = np.array([0.4, 0.2]), np.array([1.3, -0.7]), 0.6
    expected = minimal_acceleration(on_surface, x, x_dot, t)
    a = voronets(L, slopes, [0, 1], [*x, height(x, t)], [*x_dot, 0.0], t)
    assert np.max(np.abs(a[:2] - expected)) <= rounding(np.max(np.abs(expected)) + G, 20.0)


def test_massless_dependent_coordinates_are_allowed():
    def L(q, v, t):
        return 0.5 * v[0] ** 2 - G * q[1]

    a = voronets(L, lambda q, t: np.array([[2.0 + 0.0 * q[0]]]), [0], [0.1, 0.2], [1.0, 2.0], 0.0)
    assert np.max(np.abs(a - [-2.0 * G, -4.0 * G])) <= rounding(4.0 * G)


def test_what_does_not_fit_is_refused():
    def L(q, v, t):
        return 0.5 * v @ v

    with pytest.raises(InputError, match="distinct"):
        voronets(L, lambda q, t: np.zeros((1, 2)), [0, 0], np.ones(3), np.ones(3), 0.0)
    with pytest.raises(InputError, match="distinct"):
        voronets(L, lambda q, t: np.zeros((1, 2)), [0, 3], np.ones(3), np.ones(3), 0.0)
    with pytest.raises(InputError, match="at least one"):
        voronets(L, lambda q, t: np.zeros((3, 0)), [], np.ones(3), np.ones(3), 0.0)
    with pytest.raises(InputError, match="slopes returns shape"):
        voronets(L, lambda q, t: np.zeros((2, 2)), [0, 1], np.ones(3), np.ones(3), 0.0)
    with pytest.raises(InputError, match="slopes"):
        voronets(L, lambda q, t: np.array([[np.inf, 0.0]]), [0, 1], np.ones(3), np.ones(3), 0.0)
    with pytest.raises(MassMatrixError, match="choose others"):
        voronets(lambda q, v, t: 0.5 * v[0] ** 2, lambda q, t: np.zeros((1, 1)), [1], np.ones(2), np.ones(2), 0.0)
