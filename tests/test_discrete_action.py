"""The discrete action: residuals in closed form, order 2 along motions, and none along other curves."""

import numpy as np
import pytest
from formulation_systems import G, rounding

from gauss.errors import InputError
from gauss.formulations import discrete_action_order, discrete_action_residual


def oscillator(q, v, t):
    return 0.5 * v @ v - 0.5 * q @ q


def cosine(t):
    return np.cos(t)[:, None]


@pytest.mark.parametrize("h", [0.3, 0.1, 0.01])
def test_residual_of_the_oscillator_has_its_closed_form(h):
    t = h * np.arange(20)
    residual = discrete_action_residual(oscillator, t, cosine(t))
    expected = np.cos(t[1:-1]) * (2.0 * (1.0 - np.cos(h)) / h**2 - 0.5 * (1.0 + np.cos(h)))
    assert np.max(np.abs(residual[:, 0] - expected)) <= rounding(1.0) / h**2


def test_motions_have_order_two():
    found = discrete_action_order(oscillator, cosine, (0.0, 3.0))
    assert found.order == pytest.approx(2.0, abs=0.1)
    assert found.orders.shape == (2,)
    # midpoint rule on cos t: −h²/12 from the inertia and h²/4 from the spring, together h²/6
    assert found.residuals[-1] == pytest.approx(found.steps[-1] ** 2 / 6.0, rel=0.01)


def test_other_curves_have_order_zero_and_leave_the_force_that_is_missing():
    found = discrete_action_order(oscillator, lambda t: 2.0 + cosine(t), (0.0, 3.0))
    assert found.order == pytest.approx(0.0, abs=0.1)
    assert found.residuals[-1] == pytest.approx(2.0, rel=1e-3)


def test_forces_without_potential_enter():
    damping, rate = 0.3, np.sqrt(1.0 - 0.15**2)

    def motion(t):
        return (np.exp(-0.5 * damping * t) * np.cos(rate * t))[:, None]

    with_force = discrete_action_order(oscillator, motion, (0.0, 3.0), force=lambda q, v, t: -damping * v)
    without = discrete_action_order(oscillator, motion, (0.0, 3.0))
    assert with_force.order == pytest.approx(2.0, abs=0.1)
    assert without.order == pytest.approx(0.0, abs=0.1)


def test_explicit_time_is_taken_in_the_middle_of_each_step():
    def L(q, v, t):
        return 0.5 * v @ v + q[0] * np.cos(2.0 * t)

    found = discrete_action_order(L, lambda t: (-0.25 * np.cos(2.0 * t))[:, None], (0.0, 2.0))
    assert found.order == pytest.approx(2.0, abs=0.1)


LENGTH, ANGLE = 0.8, 0.6  # m, rad: conical pendulum
RATE = np.sqrt(G / (LENGTH * np.cos(ANGLE)))


def cone(t):
    radius, height = LENGTH * np.sin(ANGLE), -LENGTH * np.cos(ANGLE)
    return np.array([radius * np.cos(RATE * t), radius * np.sin(RATE * t), height + 0.0 * t]).T


def weight(q, v, t):
    return 0.5 * v @ v - G * q[2]


def test_reactions_of_holonomic_rows_are_taken_out():
    rows = discrete_action_order(weight, cone, (0.0, 2.0), rows=lambda q, v, t: 2.0 * q[None])
    twice = discrete_action_order(weight, cone, (0.0, 2.0), rows=lambda q, v, t: np.array([q, 3.0 * q, 0.0 * q]))
    free = discrete_action_order(weight, cone, (0.0, 2.0))
    assert rows.order == pytest.approx(2.0, abs=0.1)
    assert np.max(np.abs(twice.residuals - rows.residuals)) <= rounding(G) / rows.steps[-1] ** 2
    tension = G / np.cos(ANGLE)
    assert free.order == pytest.approx(0.0, abs=0.1)
    assert free.residuals[-1] == pytest.approx(tension * np.cos(ANGLE), rel=1e-3)  # largest component


def skater(t):
    w = 1.7
    return np.array([(1 - np.cos(2 * w * t)) / (4 * w**2), (2 * w * t - np.sin(2 * w * t)) / (4 * w**2), w * t]).T


def test_reactions_of_nonholonomic_rows_are_taken_out():
    def L(q, v, t):
        return 0.5 * v @ v + q[0]

    def blade(q, v, t):
        return [[np.sin(q[2]), -np.cos(q[2]), 0.0]]

    assert discrete_action_order(L, skater, (0.0, 2.0), rows=blade).order == pytest.approx(2.0, abs=0.1)
    assert discrete_action_order(L, skater, (0.0, 2.0)).order == pytest.approx(0.0, abs=0.1)


def test_rows_may_depend_on_the_velocity_and_the_time():
    def along_path(q, v, t):  # rows across the velocity of the cone, found from v and from t
        turned = np.array([-np.sin(RATE * t), np.cos(RATE * t), 0.0])
        assert np.linalg.norm(np.cross(v, turned)) <= 1e-9 * np.linalg.norm(v)
        return np.array([np.cross(turned, [0.0, 0.0, 1.0]), [0.0, 0.0, 1.0]])

    assert discrete_action_order(weight, cone, (0.0, 2.0), rows=along_path).residuals[-1] <= 1e-6


def test_bad_trajectories_are_refused():
    with pytest.raises(InputError, match="at least 3"):
        discrete_action_residual(oscillator, [0.0, 1.0], [[0.0], [1.0]])
    with pytest.raises(InputError, match="equally spaced"):
        discrete_action_residual(oscillator, [0.0, 1.0, 2.5], np.zeros((3, 1)))
    with pytest.raises(InputError, match="positions"):
        discrete_action_residual(oscillator, [0.0, 1.0, 2.0], np.zeros((2, 1)))
    with pytest.raises(InputError, match="positive"):
        discrete_action_residual(oscillator, [0.0, 0.0, 0.0], np.zeros((3, 1)))
    with pytest.raises(InputError, match="growing"):
        discrete_action_order(oscillator, cosine, (0.0, 1.0), (20, 20))
