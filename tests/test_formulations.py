"""The witness formulations agree with one another and with closed forms, and fail where they say they fail."""

from __future__ import annotations

import ast
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import invhilbert

import gauss.formulations
from gauss.errors import ContradictoryRowsError, InputError, MassMatrixError, SolverError
from gauss.formulations import (
    chart_acceleration,
    euler_lagrange,
    holonomic_rows,
    lagrange_first_kind,
    minimal_acceleration,
    null_space_form,
    quadratic_form_in_velocity,
    taylor_along,
    udwadia_kalaba,
    velocity_rows,
)

EPS = float(np.finfo(float).eps)


def rounding(scale, cond=1.0):
    """The only tolerance used here but for circles: a hundred rounding errors, amplified by the condition number."""
    return 100.0 * EPS * cond * scale


def on_a_circle(scale, radius=0.25, order=2):
    """Rounding of a coefficient from Cauchy's formula: the values' rounding divided by radius^order."""
    return rounding(scale) / radius**order


def random_problem(n, m, seed):
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((n, n))
    return root @ root.T + 0.1 * np.eye(n), rng.standard_normal(n), rng.standard_normal((m, n)), rng.standard_normal(m)


def conditioning(M, J):
    """cond(M) times the condition of the rows: what the explicit formulas amplify rounding by."""
    return np.linalg.cond(M) * (np.linalg.cond(J) if J.size else 1.0)


# --- the three forms of linear algebra -----------------------------------------------------------------------


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("n", "m"), [(1, 0), (1, 1), (2, 1), (3, 0), (4, 2), (5, 5), (12, 7), (30, 11)])
@pytest.mark.parametrize("seed", range(5))
def test_the_three_forms_agree_and_solve_the_equations(n, m, seed):
    M, f, J, gamma = random_problem(n, m, [n, m, seed])
    a, lam = lagrange_first_kind(M, f, J, gamma)
    tolerance = rounding(max(np.linalg.norm(a), np.linalg.norm(np.linalg.solve(M, f))), conditioning(M, J))
    assert a.shape == (n,)
    assert lam.shape == (m,)
    force_scale = np.linalg.norm(M) * np.linalg.norm(a) + np.linalg.norm(f) + np.linalg.norm(J.T @ lam)
    assert np.linalg.norm(M @ a - f - J.T @ lam) <= rounding(force_scale)
    assert np.linalg.norm(J @ a - gamma) <= rounding(np.linalg.norm(J) * np.linalg.norm(a) + np.linalg.norm(gamma))
    assert np.linalg.norm(null_space_form(M, f, J, gamma) - a) <= tolerance
    assert np.linalg.norm(udwadia_kalaba(M, f, J, gamma) - a) <= tolerance


def test_without_rows_the_acceleration_is_the_free_one():
    M, f, J, gamma = random_problem(4, 0, 7)
    free = np.linalg.solve(M, f)
    for a in (lagrange_first_kind(M, f, J, gamma)[0], null_space_form(M, f, J, gamma), udwadia_kalaba(M, f, J, gamma)):
        assert np.linalg.norm(a - free) <= rounding(np.linalg.norm(free), np.linalg.cond(M))


def test_with_as_many_rows_as_coordinates_the_rows_alone_decide():
    M, f, J, gamma = random_problem(5, 5, 8)
    decided = np.linalg.solve(J, gamma)
    for a in (lagrange_first_kind(M, f, J, gamma)[0], null_space_form(M, f, J, gamma), udwadia_kalaba(M, f, J, gamma)):
        assert np.linalg.norm(a - decided) <= rounding(np.linalg.norm(decided), conditioning(M, J))


@pytest.mark.skipif(np.finfo(np.longdouble).eps >= EPS, reason="long double is double on this platform")
def test_refinement_removes_the_condition_number_from_the_first_kind():
    M, exact = invhilbert(6), np.array([1.0, -2.0, 3.0, -4.0, 5.0, -6.0])  # integers, so M and f are free of rounding
    J = np.array([[1.0, 0.0, 2.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 0.0, 1.0, 0.0]])
    a, lam = lagrange_first_kind(M, M @ exact - J.T @ [3.0, -5.0], J, J @ exact)
    assert np.linalg.cond(M) > 1e7
    assert np.max(np.abs(a - exact)) <= rounding(6.0)
    assert np.max(np.abs(lam - [3.0, -5.0])) <= rounding(6.0 * np.max(np.abs(M)))


def test_units_of_coordinates_and_rows_do_not_matter():
    M, f, J, gamma = random_problem(4, 2, 9)
    a = lagrange_first_kind(M, f, J, gamma)[0]
    u, w = np.array([1e-4, 1.0, 1e3, 1e5]), np.array([1e6, 1e-7])  # a = u·a', rows times w
    scaled = (u[:, None] * M * u, u * f, w[:, None] * J * u, w * gamma)
    tolerance = rounding(np.linalg.norm(a), conditioning(M, J))
    assert np.linalg.norm(u * lagrange_first_kind(*scaled)[0] - a) <= tolerance
    assert np.linalg.norm(u * udwadia_kalaba(*scaled) - a) <= tolerance


def duplicated_rows(seed):
    M, f, J, gamma = random_problem(5, 2, seed)
    mix = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, -2.0], [0.0, 0.0]])
    return M, f, J, gamma, mix @ J, mix @ gamma


@pytest.mark.parametrize("seed", range(5))
def test_consistent_dependent_rows_change_nothing_for_null_space_and_udwadia_kalaba(seed):
    M, f, J, gamma, J_more, gamma_more = duplicated_rows(seed)
    a = lagrange_first_kind(M, f, J, gamma)[0]
    tolerance = rounding(max(np.linalg.norm(a), np.linalg.norm(np.linalg.solve(M, f))), conditioning(M, J))
    assert np.linalg.norm(udwadia_kalaba(M, f, J_more, gamma_more) - a) <= tolerance
    assert np.linalg.norm(null_space_form(M, f, J_more, gamma_more) - a) <= tolerance


@pytest.mark.parametrize("seed", range(5))
def test_dependent_rows_are_refused_by_the_first_kind(seed):
    M, f, _, _, J_more, gamma_more = duplicated_rows(seed)
    with pytest.raises(SolverError, match="dependent"):
        lagrange_first_kind(M, f, J_more, gamma_more)
    with pytest.raises(SolverError, match="dependent"):
        lagrange_first_kind(M, f, J_more[:3], gamma_more[:3])


@pytest.mark.parametrize("form", [null_space_form, udwadia_kalaba])
def test_contradictory_rows_are_named(form):
    M, f, _, _ = random_problem(3, 0, 3)
    J = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 2.0, 0.0]]
    assert form(M, f, J, [0.0, 1.0, 2.0])[1] == pytest.approx(1.0, abs=rounding(1.0, np.linalg.cond(M)))
    with pytest.raises(ContradictoryRowsError) as caught:
        form(M, f, J, [0.0, 1.0, 3.0])
    assert "row 2" in caught.value.rows
    assert "row 0" not in caught.value.rows
    assert caught.value.gap > 0.1
    with pytest.raises(ContradictoryRowsError):
        form(M, f, [[0.0, 0.0, 0.0]], [1.0])


def test_semidefinite_mass_fails_only_in_udwadia_kalaba():
    M, f = np.diag([2.0, 0.0]), np.array([1.0, 3.0])
    J, gamma = np.array([[1.0, 1.0]]), np.array([0.5])
    expected = np.array([-1.0, 1.5])  # 0 = 3 + λ on the massless coordinate, so 2 a_1 = 1 + λ = −2 and a_2 = 0.5 − a_1
    a, lam = lagrange_first_kind(M, f, J, gamma)
    assert np.max(np.abs(a - expected)) <= rounding(2.0)
    assert lam[0] == pytest.approx(-3.0, abs=rounding(3.0))
    assert np.max(np.abs(null_space_form(M, f, J, gamma) - expected)) <= rounding(2.0)
    with pytest.raises(MassMatrixError):
        udwadia_kalaba(M, f, J, gamma)
    with pytest.raises(MassMatrixError):
        udwadia_kalaba([[1.0, 1.0], [1.0, 1.0]], f, J, gamma)


def test_acceleration_that_mass_and_rows_leave_undetermined_is_refused():
    M, f = np.diag([2.0, 0.0]), np.array([1.0, 0.0])
    with pytest.raises(SolverError, match="definite on ker J"):
        lagrange_first_kind(M, f, [[1.0, 0.0]], [0.0])
    with pytest.raises(MassMatrixError):
        null_space_form(M, f, [[1.0, 0.0]], [0.0])
    with pytest.raises(MassMatrixError):
        null_space_form([[1.0, 1.0], [1.0, 1.0]], f, np.zeros((0, 2)), [])


def test_first_kind_only_asks_for_stationarity():
    M, f = np.diag([1.0, -1.0]), np.array([1.0, 1.0])
    a, _ = lagrange_first_kind(M, f, np.zeros((0, 2)), [])
    assert np.max(np.abs(a - [1.0, -1.0])) <= rounding(1.0)
    for form in (null_space_form, udwadia_kalaba):
        with pytest.raises(MassMatrixError):
            form(M, f, np.zeros((0, 2)), [])


@pytest.mark.parametrize("form", [lagrange_first_kind, null_space_form, udwadia_kalaba])
def test_bad_numbers_are_refused_by_name(form):
    with pytest.raises(InputError, match="J"):
        form(np.eye(2), [0.0, 0.0], [[1.0, 0.0, 0.0]], [0.0])
    with pytest.raises(InputError, match="gamma"):
        form(np.eye(2), [0.0, 0.0], [[1.0, 0.0]], [np.nan])
    with pytest.raises(InputError, match="f is empty"):
        form(np.zeros((0, 0)), [], np.zeros((0, 0)), [])
    with pytest.raises(MassMatrixError, match="symmetric"):
        form([[1.0, 1.0], [0.0, 1.0]], [0.0, 0.0], [[1.0, 0.0]], [0.0])


def test_witnesses_import_nothing_of_the_model_or_the_principle():
    folder = Path(gauss.formulations.__file__).parent
    for file in folder.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                allowed = (
                    "gauss.errors",
                    "gauss.foundation.arrays",
                    "gauss.foundation.dense",
                    "gauss.foundation.outcomes",
                    "gauss.foundation.threads",
                    "gauss.foundation.portable",
                    "gauss.formulations",
                )
                assert not name.startswith("gauss") or name.startswith(allowed), f"{file.name} imports {name}"


# --- Lagrange's second kind by complex steps -----------------------------------------------------------------

M1, M2, L1, L2, G = 1.3, 0.7, 0.9, 1.6, 9.81


def double_pendulum(q, v, t):
    speed = L1**2 * v[0] ** 2
    other = speed + L2**2 * v[1] ** 2 + 2.0 * L1 * L2 * v[0] * v[1] * np.cos(q[0] - q[1])
    height = -(M1 + M2) * L1 * np.cos(q[0]) - M2 * L2 * np.cos(q[1])
    return 0.5 * M1 * speed + 0.5 * M2 * other - G * height


def double_pendulum_closed_form(q, v):
    c, s = M2 * L1 * L2 * math.cos(q[0] - q[1]), M2 * L1 * L2 * math.sin(q[0] - q[1])
    M = np.array([[(M1 + M2) * L1**2, c], [c, M2 * L2**2]])
    weight = G * np.array([(M1 + M2) * L1 * math.sin(q[0]), M2 * L2 * math.sin(q[1])])
    return M, np.array([-s * v[1] ** 2, s * v[0] ** 2]) - weight


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(20))
def test_double_pendulum_matches_its_closed_form_to_1e_13(seed):
    rng = np.random.default_rng(seed)
    q, v = rng.uniform(-3.0, 3.0, 2), 10.0 ** rng.uniform(-2.0, 1.0) * rng.standard_normal(2)
    M, f = euler_lagrange(double_pendulum, q, v, 0.0)
    M_exact, f_exact = double_pendulum_closed_form(q, v)
    assert np.max(np.abs(M - M_exact)) <= 1e-13 * np.max(np.abs(M_exact))
    # Relative to the terms that make up f, which may cancel in f itself.
    scale = np.max(np.abs(M_exact)) * float(v @ v) + G * (M1 + M2) * (L1 + L2)
    assert np.max(np.abs(f - f_exact)) <= 1e-13 * scale


def test_generalized_force_enters_as_a_function_or_as_numbers():
    q, v = [0.3, -0.8], [1.0, 2.0]
    _, f = euler_lagrange(double_pendulum, q, v, 0.0)
    _, damped = euler_lagrange(double_pendulum, q, v, 0.0, lambda q, v, t: -3.0 * v)
    _, pushed = euler_lagrange(double_pendulum, q, v, 0.0, [1.0, 0.0])
    assert np.max(np.abs(damped - f - [-3.0, -6.0])) <= rounding(G * 10.0)
    assert np.max(np.abs(pushed - f - [1.0, 0.0])) <= rounding(G * 10.0)


def test_pendulum_with_oscillating_pivot_feels_the_pivot():
    m, length, amplitude, omega = 0.8, 1.2, 0.4, 3.0

    def L(q, v, t):
        x_dot = amplitude * omega * np.cos(omega * t) + length * np.cos(q[0]) * v[0]
        y_dot = length * np.sin(q[0]) * v[0]
        return 0.5 * m * (x_dot**2 + y_dot**2) + m * G * length * np.cos(q[0])

    theta, rate, t = 0.7, 1.9, 0.35
    M, f = euler_lagrange(L, [theta], [rate], t)
    pivot = m * length * amplitude * omega**2 * math.sin(omega * t) * math.cos(theta)  # from −∂²L/∂v∂t
    weight = m * G * length * math.sin(theta)
    scale = abs(weight) + abs(pivot) + m * length * amplitude * omega * abs(rate)
    assert M[0, 0] == pytest.approx(m * length**2, abs=rounding(m * length**2))
    assert f[0] == pytest.approx(pivot - weight, abs=rounding(scale))
    assert abs(pivot) > 1e3 * rounding(scale)


def test_lagrangian_with_terms_linear_in_velocity_gives_the_magnetic_force():
    B = 2.5

    def L(q, v, t):
        return 0.5 * v @ v + 0.5 * B * (q[0] * v[1] - q[1] * v[0]) + q[0] * t

    M, f = euler_lagrange(L, [0.3, -0.4], [1.5, 0.6], 2.0)
    assert np.max(np.abs(M - np.eye(2))) <= rounding(1.0)
    assert np.max(np.abs(f - [B * 0.6 + 2.0, -B * 1.5])) <= rounding(B * 2.0 + 2.0)
    _, b, c = quadratic_form_in_velocity(L, [0.3, -0.4], 2.0)
    assert np.max(np.abs(b - [0.5 * B * 0.4, 0.5 * B * 0.3])) <= rounding(1.0)
    assert c == pytest.approx(0.6, abs=rounding(1.0))


def test_lagrangian_that_is_not_quadratic_in_velocity_is_refused():
    with pytest.raises(InputError, match="quadratic"):
        euler_lagrange(lambda q, v, t: -np.sqrt(1.0 - v[0] ** 2), [0.0], [0.1], 0.0)
    with pytest.raises(InputError, match="quadratic"):
        quadratic_form_in_velocity(lambda q, v, t: v[0] ** 2 * v[1] + v @ v, [0.0, 0.0], 0.0)


def test_singular_point_of_a_chart_is_refused():
    def L(s, v, t):
        return 0.5 * (v[0] ** 2 + np.sin(s[0]) ** 2 * v[1] ** 2) + G * np.cos(s[0])

    with pytest.raises(MassMatrixError, match="chart"):
        minimal_acceleration(L, [0.0, 0.3], [0.1, 0.2], 0.0)


# --- charts against rows -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(10))
def test_spherical_pendulum_in_two_sets_of_coordinates_has_one_acceleration(seed):
    m, length = 1.7, 0.6
    rng = np.random.default_rng(seed)
    s, s_dot = np.array([rng.uniform(0.4, 2.7), rng.uniform(-3.0, 3.0)]), 2.0 * rng.standard_normal(2)

    def L(s, v, t):
        kinetic = 0.5 * m * length**2 * (v[0] ** 2 + np.sin(s[0]) ** 2 * v[1] ** 2)
        return kinetic + m * G * length * np.cos(s[0])

    def chart(s, t):
        return length * np.array([np.sin(s[0]) * np.cos(s[1]), np.sin(s[0]) * np.sin(s[1]), -np.cos(s[0])])

    s_ddot = minimal_acceleration(L, s, s_dot, 0.0)
    q, v, a = chart_acceleration(chart, s, s_dot, s_ddot, 0.0)
    rows, _ = lagrange_first_kind(m * np.eye(3), [0.0, 0.0, -m * G], [q], [-float(v @ v)])
    scale = length * (np.linalg.norm(s_ddot) + float(s_dot @ s_dot)) + G
    radius = 0.25 / max(1.0, float(np.max(np.abs(s_dot))), math.sqrt(np.max(np.abs(s_ddot))))
    # The largest tolerance here is that of the second coefficient on the first circle that is tried.
    assert np.max(np.abs(a - rows)) <= rounding(scale, 1.0 / math.sin(s[0]) ** 2) + on_a_circle(length, radius)
    assert abs(float(q @ v)) <= on_a_circle(length * np.linalg.norm(v), radius, 1)


def test_bead_on_rotating_wire_in_two_sets_of_coordinates_has_one_acceleration():
    m, omega, s, rate, t = 0.9, 2.3, 0.7, -0.4, 0.6

    def wire(s, t):
        return np.array([s[0] * np.cos(omega * t), s[0] * np.sin(omega * t)])

    def L(s, v, t):
        return 0.5 * m * (v[0] ** 2 + omega**2 * s[0] ** 2)

    s_ddot = minimal_acceleration(L, [s], [rate], t)
    assert s_ddot[0] == pytest.approx(omega**2 * s, abs=rounding(omega**2 * s))
    q, v, a = chart_acceleration(wire, [s], [rate], s_ddot, t)
    J, gamma = holonomic_rows(lambda q, t: [q[1] * np.cos(omega * t) - q[0] * np.sin(omega * t)], q, v, t)
    c, d = math.cos(omega * t), math.sin(omega * t)
    by_hand = omega**2 * (q[1] * c - q[0] * d) + 2.0 * omega * (v[1] * d + v[0] * c)
    assert np.max(np.abs(J - [[-d, c]])) <= rounding(1.0)
    assert gamma[0] == pytest.approx(by_hand, abs=on_a_circle(1.0))
    rows, _ = lagrange_first_kind(m * np.eye(2), [0.0, 0.0], J, gamma)
    assert np.max(np.abs(a - rows)) <= on_a_circle(omega**2)


# --- rows ----------------------------------------------------------------------------------------------------


def test_holonomic_rows_match_hand_derivatives_with_explicit_time():
    x, y, z, u, v, w, t = 0.4, -1.2, 0.7, 0.9, 0.3, -1.1, 0.8

    def phi(q, t):
        return np.array([q @ q - 1.0 - np.sin(t), np.exp(q[0]) * q[1] - q[2] * t**2])

    J, gamma = holonomic_rows(phi, [x, y, z], [u, v, w], t)
    e = math.exp(x)
    assert np.max(np.abs(J - [[2 * x, 2 * y, 2 * z], [e * y, e, -(t**2)]])) <= rounding(3.0)
    first = -(2.0 * (u * u + v * v + w * w) + math.sin(t))
    second = -(e * y * u * u + 2.0 * e * u * v - 4.0 * w * t - 2.0 * z)
    assert np.max(np.abs(gamma - [first, second])) <= on_a_circle(3.0)
    chosen = holonomic_rows(phi, [x, y, z], [u, v, w], t, radius=0.5)[1]
    assert np.max(np.abs(chosen - [first, second])) <= on_a_circle(3.0, 0.5)


def test_holonomic_rows_do_not_mistake_rounding_on_the_constraint_set_for_roughness():
    angle = 0.7
    q, v = np.array([math.cos(angle), math.sin(angle)]), np.zeros(2)
    for speed in (0.0, 1e-6, 1.0, 1e4):
        v = speed * np.array([-q[1], q[0]])
        J, gamma = holonomic_rows(lambda q, t: q @ q - 1.0, q, v, 0.0)
        assert J.shape == (1, 2)
        assert gamma[0] == pytest.approx(-2.0 * speed**2, abs=on_a_circle(max(1.0, speed) ** 2))


def test_holonomic_rows_shrink_the_circle_near_a_singularity():
    q, v = np.array([0.02, 0.0]), np.array([1.0, 0.0])
    _, gamma = holonomic_rows(lambda q, t: [1.0 / q[0] + q[1]], q, v, 0.0)
    exact = -2.0 / 0.02**3
    # The circle must stay inside |τ| < 0.02; a quarter of that is enough for 32 points.
    assert gamma[0] == pytest.approx(exact, abs=on_a_circle(1.0 / 0.02, 0.02 / 8.0))


def test_velocity_rows_match_hand_derivatives_with_explicit_time():
    x, y, u, v, t = 0.4, -1.2, 0.9, 0.3, 0.8

    def psi(q, v, t):
        return [v[0] ** 2 + v[1] ** 2 - np.cos(t) * q[0], np.sin(q[1]) * v[0] - q[0] * v[1] + t**3]

    J, gamma = velocity_rows(psi, [x, y], [u, v], t)
    assert np.max(np.abs(J - [[2 * u, 2 * v], [math.sin(y), -x]])) <= rounding(2.0)
    first = -(-math.cos(t) * u + math.sin(t) * x)
    second = -(math.cos(y) * v * u - u * v + 3.0 * t**2)
    assert np.max(np.abs(gamma - [first, second])) <= rounding(3.0)


def test_velocity_rows_of_a_differentiated_constraint_are_its_holonomic_rows():
    q, v, t = np.array([0.3, 0.5]), np.array([0.7, -0.2]), 0.4
    J, gamma = holonomic_rows(lambda q, t: [q[0] ** 2 * q[1] - np.sin(t) * q[0]], q, v, t)
    J_v, gamma_v = velocity_rows(
        lambda q, v, t: [
            2.0 * q[0] * q[1] * v[0] + q[0] ** 2 * v[1] - np.cos(t) * q[0] - np.sin(t) * v[0],
        ],
        q,
        v,
        t,
    )
    assert np.max(np.abs(J - J_v)) <= rounding(1.0)
    assert np.max(np.abs(gamma - gamma_v)) <= on_a_circle(1.0)


# --- Taylor coefficients and refusals ------------------------------------------------------------------------


def test_taylor_coefficients_of_known_functions():
    series = taylor_along(lambda z: np.array([np.exp(z), np.cos(z), 1.0 / (1.0 - z), z**3]), 4)
    exact = np.array(
        [
            [1.0, 1.0, 1.0, 0.0],
            [1.0, 0.0, 1.0, 0.0],
            [0.5, -0.5, 1.0, 0.0],
            [1 / 6, 0.0, 1.0, 1.0],
            [1 / 24, 1 / 24, 1.0, 0.0],
        ]
    )
    assert series.shape == (5, 4)
    for k in range(5):
        assert np.max(np.abs(series[k] - exact[k])) <= on_a_circle(1.4, 0.25, k)


def test_a_large_radius_is_halved_until_the_coefficients_decay():
    series = taylor_along(lambda z: [np.sqrt(0.1 + z)], 2, radius=4.0)
    assert series[2, 0] == pytest.approx(-0.125 * 0.1**-1.5, abs=on_a_circle(0.4, 0.1 / 8.0))


@pytest.mark.parametrize(
    "rough",
    [
        lambda z: [np.abs(1.0 + z)],
        lambda z: [z.real],
        lambda z: [np.sqrt(z)],
        lambda z: [1.0 / z],
        lambda z: [1.0 + np.conj(z) * z],
        lambda z: [np.where(z.real > 0.0, z, 2.0 * z)],
        lambda z: [np.where(z.imag >= 0.0, z, 2.0 * z)],  # analytic on each half of the circle
    ],
)
def test_function_that_is_not_analytic_is_refused_by_name(rough):
    with pytest.raises(InputError, match="my function is not analytic"):
        taylor_along(rough, 2, name="my function")


def test_function_that_is_complex_on_the_real_axis_is_refused_by_name():
    with pytest.raises(InputError, match="my function is not real"):
        taylor_along(lambda z: [1.0 + 1j * z], 2, name="my function")


@pytest.mark.parametrize("points", [16, 17, 32])
def test_any_number_of_points_on_the_circle_gives_the_same_coefficients(points):
    series = taylor_along(lambda z: [np.exp(z)], 4, points=points)
    assert series[:, 0] == pytest.approx([1.0, 1.0, 1 / 2, 1 / 6, 1 / 24], rel=1e-12)


def test_model_functions_that_are_not_analytic_are_refused_rather_than_misread():
    q, v = [0.3, 0.4], [1.0, -0.5]
    with pytest.raises(InputError, match="L is not analytic"):
        euler_lagrange(lambda q, v, t: 0.5 * v @ v - np.linalg.norm(q), q, v, 0.0)
    with pytest.raises(InputError, match="L is not a"):
        euler_lagrange(lambda q, v, t: 0.5 * np.linalg.norm(v) ** 2, q, [0.0, 0.0], 0.0)
    with pytest.raises(InputError, match="phi is not analytic"):
        holonomic_rows(lambda q, t: [np.linalg.norm(q) - 0.5], q, [0.0, 0.0], 0.0)
    with pytest.raises(InputError, match="psi is not analytic"):
        velocity_rows(lambda q, v, t: [np.abs(v[0]) - v[1]], q, v, 0.0)
    with pytest.raises(InputError, match="the chart"):
        chart_acceleration(lambda s, t: [np.abs(s[0])], [0.0], [1.0], [0.0], 0.0)


def test_functions_that_cannot_take_complex_numbers_are_refused():
    def fills_a_real_array(q, t):
        rows = np.zeros(1)
        rows[0] = q[0] ** 2
        return rows

    with pytest.raises(InputError, match="complex"):
        holonomic_rows(lambda q, t: [math.sin(q[0])], [0.3], [1.0], 0.0)
    with pytest.raises(InputError, match="complex"):
        holonomic_rows(fills_a_real_array, [0.3], [1.0], 0.0)
    with pytest.raises(InputError, match="complex at real arguments"):
        holonomic_rows(lambda q, t: [1j * q[0]], [0.3], [1.0], 0.0)
    with pytest.raises(InputError, match="one number"):
        euler_lagrange(lambda q, v, t: v**2, [0.1, 0.2], [1.0, 1.0], 0.0)
    with pytest.raises(InputError, match="finite"):
        euler_lagrange(lambda q, v, t: v[0] ** 2 + np.log(q[0]), [0.0], [1.0], 0.0)
    with pytest.raises(InputError, match="order"):
        taylor_along(lambda z: [z], 20)


def test_functions_that_are_not_analytic_are_refused_by_every_formulation_that_differentiates_them():
    from gauss.formulations import (
        boltzmann_hamel,
        discrete_action_residual,
        gibbs_gradient,
        hamilton,
        point_rows,
        quasi_velocities,
        spin_row,
        voronets,
    )

    q, v = [0.3, 0.4], [0.1, 0.2]

    def smooth(q, v, t):
        return 0.5 * (v[0] ** 2 + v[1] ** 2)

    def bent(q, v, t):
        return smooth(q, v, t) - abs(q[0])

    def alpha(q, t):
        return [[1.0, 0.0], [np.sin(q[0]), -1.0]]

    def wandering(R):
        return R[:, 2] / np.linalg.norm(R[:, 2] + R[:, 1])

    spin, path = [0.1, 0.2, 0.3], [[0.1, 0.2], [0.2, 0.2], [0.3, 0.3]]
    for act in (
        lambda: hamilton(bent, q, v, 0.0),
        lambda: gibbs_gradient(bent, q, v, [0.0, 0.0], 0.0),
        lambda: voronets(bent, lambda q, t: [[np.sin(q[0])]], [0], q, v, 0.0),
        lambda: voronets(smooth, lambda q, t: [[abs(q[0])]], [0], q, v, 0.0),
        lambda: quasi_velocities(lambda q, w, t: [w[0], abs(q[0])], q, [0.1], 0.0),
        lambda: boltzmann_hamel(smooth, alpha, q, [0.1], potential=lambda q, t: abs(q[0])),
        lambda: discrete_action_residual(bent, [0.0, 0.1, 0.2], path),
        lambda: point_rows(np.eye(3), spin, wandering),
        lambda: spin_row(np.eye(3), spin, wandering),
    ):
        with pytest.raises(InputError, match="is not analytic there"):
            act()


def test_products_of_velocities_of_fourth_degree_are_refused():
    from gauss.formulations import gibbs_gradient

    with pytest.raises(InputError, match="not a quadratic polynomial"):
        gibbs_gradient(
            lambda q, v, t: v[0] ** 2 + v[1] ** 2 + (v[0] * v[1]) ** 2, [0.3, 0.4], [0.1, 0.2], [0.0, 0.0], 0.0
        )


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_rows_of_any_unit_constrain(unit):
    given = np.eye(2), np.ones(2), np.array([[unit, 0.0]]), np.zeros(1)
    for form in (null_space_form, udwadia_kalaba):
        assert form(*given) == pytest.approx([0.0, 1.0], abs=rounding(1.0))


@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value")
def test_accelerations_that_overflow_are_refused():
    given = 1e-320 * np.eye(2), np.ones(2), np.array([[1.0, 0.0]]), np.zeros(1)
    for form in (null_space_form, udwadia_kalaba):
        with pytest.raises(SolverError, match="not finite"):
            form(*given)


def test_other_bad_input_of_the_formulations_is_refused_by_name():
    from gauss.formulations import (
        discrete_action_order,
        discrete_action_residual,
        euler_newton,
        hamilton,
        rows_in_quasi_velocities,
        voronets,
    )

    q, v = [0.3, 0.4], [0.1, 0.2]

    def L(q, v, t):
        return 0.5 * (v[0] ** 2 + v[1] ** 2)

    def slopes(q, t):
        return [[np.sin(q[0])]]

    for act, words in (
        (lambda: euler_lagrange(lambda q, v, t: q[5], q, v, 0.0), "L cannot be evaluated: IndexError"),
        (lambda: euler_lagrange(None, q, v, 0.0), "L must be a function|L cannot be evaluated"),
        (lambda: euler_lagrange(L, q, v, 0.0, lambda q, v, t: q[7]), r"force cannot .* \(.*, line \d+\)"),
        (lambda: voronets(L, slopes, None, q, v, 0.0), "independent = None"),
        (lambda: voronets(L, slopes, [0.5], q, v, 0.0), "independent = "),
        (lambda: voronets(L, slopes, [0, 1], q, v, 0.0), "no dependent coordinate is left"),
        (lambda: hamilton(L, q, v, 0.0, None, 3.0, [0.0]), "J has shape"),
        (lambda: rows_in_quasi_velocities([1.0, 0.0], [0.0]), "J has shape"),
        (lambda: rows_in_quasi_velocities([[1.0, np.nan]], [0.0]), "J must be finite"),
        (lambda: rows_in_quasi_velocities([[1.0, 0.0]], [0.0], -1.0), "scales must be positive"),
        (lambda: euler_newton(1.0, [1, 2, 3.0], [0.1, 0.2, 0.3], rows=[3]), "rows must be a list"),
        (lambda: discrete_action_residual(L, [0, 0.1, 0.2], [q, v, q], 3), "rows must be a function"),
        (lambda: discrete_action_order(L, None, (0.0, 1.0)), "motion must be a function"),
        (lambda: taylor_along(lambda z: [z], 1.5), "whole numbers"),
    ):
        with pytest.raises(InputError, match=words):
            act()
