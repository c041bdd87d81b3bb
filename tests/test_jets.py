"""Derivatives of the constraint residuals along a motion, against differentiation in 50 digits of hand-written rows."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

import gauss as g
from gauss.dynamics import judged
from gauss.principle import GaussProblem
from gauss.uniqueness import conditions, frame_of
from gauss.uniqueness.rows.combinations import circuits

EPS = float(np.finfo(float).eps)


class Bag:
    """Coordinates by name for a hand-written residual."""

    def __init__(self, values):
        self.x, self.y, self.z = values


def kinetic(v):
    return 0.5 * (v.x**2 + 2.0 * v.y**2 + 3.0 * v.z**2)


# name, constraint, the same residual at velocity level written by hand as a function of (q, v, t)
ROWS = [
    (
        "holonomic",
        g.Holonomic("row", lambda q: q.x**2 * q.y - q.z**3 + q.x),
        lambda q, v, t: 2 * q.x * v.x * q.y + q.x**2 * v.y - 3 * q.z**2 * v.z + v.x,
    ),
    (
        "rheonomic",
        g.Holonomic("row", lambda q, t: q.x * q.y - t**3 * q.z),
        lambda q, v, t: v.x * q.y + q.x * v.y - 3 * t**2 * q.z - t**3 * v.z,
    ),
    (
        "pfaffian",
        g.Pfaffian("row", lambda q, t: [q.y**2, t * q.x, -1.0], offset=lambda q: q.z**2),
        lambda q, v, t: q.y**2 * v.x + t * q.x * v.y - v.z + q.z**2,
    ),
    (
        "nonholonomic",
        g.Nonholonomic("row", lambda q, v, t: v.x**2 + v.y**3 * q.z - t * v.z),
        lambda q, v, t: v.x**2 + v.y**3 * q.z - t * v.z,
    ),
    (
        "unilateral",
        g.Unilateral("row", lambda q: q.y - g.sin(q.x) * q.z),
        lambda q, v, t: v.y - mp.cos(q.x) * v.x * q.z - mp.sin(q.x) * v.z,
    ),
]
IDS = [name for name, *_ in ROWS]


def along(residual, jet, t, order):
    """d^order/dτ^order of the residual at τ = 0 along q(τ) = Σ jet[k] τᵏ/k!, in 50 digits."""
    with mp.workdps(50):
        columns = [[mp.mpf(x) for x in column] for column in jet]

        def position(tau):
            return [sum(c[i] * tau**k / mp.factorial(k) for k, c in enumerate(columns)) for i in range(3)]

        def velocity(tau):
            return [
                sum(c[i] * tau ** (k - 1) / mp.factorial(k - 1) for k, c in enumerate(columns) if k) for i in range(3)
            ]

        return float(mp.diff(lambda tau: residual(Bag(position(tau)), Bag(velocity(tau)), mp.mpf(t) + tau), 0, order))


@pytest.mark.parametrize(("name", "constraint", "residual"), ROWS, ids=IDS)
def test_second_and_third_derivatives_of_a_residual_follow_the_motion(name, constraint, residual):
    system = g.System(name, "x y z", kinetic_energy=kinetic, constraints=[constraint])
    rng = np.random.default_rng(3)
    for _ in range(5):
        q, v, a, b, c = rng.normal(size=(5, 3))
        t, theta, model = float(rng.normal()), system.theta(), system.model
        J = model.terms(q, v, t, theta).J
        second, K = model.jets.second(q, v, t, theta, a)
        expected = along(residual, [q, v, a, b], t, 2)
        size = 1e3 * (1.0 + abs(expected))  # the terms that the derivatives are sums of
        assert second[0] + J[0] @ b == pytest.approx(expected, abs=size * EPS)
        third, by_a, by_b = model.jets.third(q, v, t, theta, a, b)
        expected = along(residual, [q, v, a, b, c], t, 3)
        size = 1e4 * (1.0 + abs(expected))
        assert third[0] + J[0] @ c == pytest.approx(expected, abs=size * EPS)
        for table, k in ((by_a, 2), (by_b, 3)):  # derivatives by a and b, from central differences in 50 digits
            for i in range(3):
                h = 1e-6
                jets = [[x.copy() for x in (q, v, a, b, c)] for _ in range(2)]
                jets[0][k][i] += h
                jets[1][k][i] -= h
                slope = (along(residual, jets[0], t, 3) - along(residual, jets[1], t, 3)) / (2 * h)
                # the residuals are at most cubic: the difference quotient errs by h² and by rounding over h
                assert table[0, i] == pytest.approx(slope, abs=1e-7 * (1.0 + abs(slope)) + size * EPS / h)
        assert K[0] == pytest.approx(model.jets.second(q, v, t, theta, a)[1][0])


def test_a_combination_is_the_sum_of_its_rows_with_its_derivatives():
    constraints = [type(c)(f"row {k}", *list(c.__dict__.values())[1:]) for k, (_, c, _) in enumerate(ROWS)]
    system = g.System("all kinds", "x y z", kinetic_energy=kinetic, constraints=constraints)
    rng = np.random.default_rng(5)
    q, v, a = rng.normal(size=(3, 3))
    w, theta, jets = rng.normal(size=5), system.theta(), system.model.jets
    value, by_a, by_b = jets.third(q, v, 0.3, theta, a, np.zeros(3))
    found = jets.combination(3, q, v, 0.3, theta, a, w)
    scale = 1e4 * EPS * (1.0 + np.max(np.abs(by_a)))
    assert found.value == pytest.approx(w @ value, abs=scale)
    assert found.by_a == pytest.approx(w @ by_a, abs=scale)
    assert found.by_b == pytest.approx(w @ by_b, abs=scale)
    h = 1e-5
    for i in range(3):
        e = h * np.eye(3)[i]
        plus, minus = (w @ jets.third(q, v, 0.3, theta, a + s * e, np.zeros(3))[1] for s in (1, -1))
        assert found.by_aa[i] == pytest.approx((plus - minus) / (2 * h), abs=1e-6 * (1 + np.max(np.abs(found.by_aa))))


def test_the_order_three_row_of_pfaffian_rows_is_not_that_of_holonomic_ones():
    """Rows ż = 0, ż + xẏ − yẋ = 0 at the origin with v = (1, 2, 0): differentiating twice by hand gives −2ẍ + ÿ = 0."""
    rows = [g.Pfaffian("a", lambda q: [0, 0, 1]), g.Pfaffian("b", lambda q: [-q.y, q.x, 1])]
    system = g.System("two rows", "x y z", kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2), constraints=rows)
    state = system.state([0, 0, 0], [1, 2, 0])
    c = conditions(frame_of(system, state, GaussProblem.at(system, state), [0, 1]))
    row = c.rows[0] / c.rows[0, 1]
    assert row == pytest.approx([-2.0, 1.0, 0.0], abs=100 * EPS)
    assert judged(system, state).verdicts == ("crossing",)


def test_circuits_are_a_basis_of_the_combinations_that_vanish():
    rng = np.random.default_rng(11)
    for _ in range(20):
        m, r, n = 7, int(rng.integers(0, 6)), 6
        rows = rng.normal(size=(m, r)) @ rng.normal(size=(r, n))
        basis, null = circuits(rows, 1e-9, 0.0, rows)
        assert len(basis) == r
        assert null.shape == (m, m - r)
        assert np.max(np.abs(null.T @ rows), initial=0.0) <= 1e3 * EPS * np.max(np.abs(rows), initial=1.0) * m
        assert np.linalg.matrix_rank(null) == m - r


def test_circuits_of_a_chain_join_only_neighbouring_rows():
    """Rows that are differences of neighbouring unit vectors: each circuit has three rows, whatever the length."""
    count = 12
    rows = np.vstack([np.eye(count), np.eye(count)[1:] - np.eye(count)[:-1]])
    _, null = circuits(rows, 1e-9, 0.0, rows)
    assert np.all(np.sum(null != 0.0, axis=0) == 3)


@pytest.mark.parametrize("decades", range(0, 15, 2))
def test_small_coefficients_of_a_circuit_count_where_the_rows_are_known_that_well(decades):
    share = 2.0 ** -round(decades * np.log2(10.0))
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, share]])
    _, null = circuits(rows, 1e-9, 0.0, rows / (EPS / 2.0))
    assert null[:, 0] / null[0, 0] == pytest.approx([1.0, share, -1.0], rel=1e-12)
    _, rounded = circuits(rows, 1e-9, 0.0, rows / 1e-8)  # of rows known to 1e-8 they may be made of rounding
    assert np.count_nonzero(rounded) == (3 if share > 1e-9 else 2)
