"""The error bound of a claim (a, λ) is a bound whatever is claimed: exact minimisers by active sets in rationals."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

import gauss as g
from gauss.foundation import UNIT
from gauss.principle import certificate
from gauss.principle.certificate import error_bound, residuals_of


def solved(rows, right):
    """Return one solution of linear equations over the rationals, or None."""
    table = [[*row, b] for row, b in zip(rows, right, strict=True)]
    columns, pivots, top = len(rows[0]), [], 0
    for j in range(columns):
        k = next((i for i in range(top, len(table)) if table[i][j] != 0), None)
        if k is None:
            continue
        table[top], table[k] = table[k], table[top]
        table[top] = [x / table[top][j] for x in table[top]]
        for i in range(len(table)):
            if i != top and table[i][j] != 0:
                table[i] = [x - table[i][j] * y for x, y in zip(table[i], table[top], strict=True)]
        pivots.append(j)
        top += 1
    if any(row[-1] != 0 for row in table[top:]):
        return None
    x = [Fraction(0)] * columns
    for i, j in enumerate(pivots):
        x[j] = table[i][-1]
    return x


def dot(x, y):
    return sum(a * b for a, b in zip(x, y, strict=True))


def minimiser(mass, force, J, lower, upper):
    """Return the exact minimiser of ½aᵀDa − f·a, D diagonal, trying all sets of active bounds; or None."""
    n, m = len(force), len(J)
    fixed = [k for k in range(m) if lower[k] == upper[k]]
    sides = [[s for s, b in ((1, lower[k]), (-1, upper[k])) if b is not None] for k in range(m)]
    for size in range(m - len(fixed) + 1):
        for active in combinations([k for k in range(m) if k not in fixed], size):
            for chosen in product(*(sides[k] for k in active)):
                rows = [*fixed, *active]
                bound = [lower[k] for k in fixed]
                bound += [lower[k] if s > 0 else upper[k] for k, s in zip(active, chosen, strict=True)]
                saddle = [
                    [mass[i] if i == j else Fraction(0) for j in range(n)] + [-J[k][i] for k in rows] for i in range(n)
                ]
                saddle += [[*J[k], *[Fraction(0)] * len(rows)] for k in rows]
                x = solved(saddle, [*force, *bound])
                if x is None:
                    continue
                signs = x[n + len(fixed) :]
                values = [dot(J[k], x[:n]) for k in range(m)]
                if all(s * y >= 0 for s, y in zip(chosen, signs, strict=True)) and all(
                    (low is None or low <= value) and (high is None or value <= high)
                    for low, value, high in zip(lower, values, upper, strict=True)
                ):
                    return x[:n]
    return None


def drawn(rng):
    """Draw a problem of small integers whose rows are often copies, multiples and sums of each other."""
    n, m = int(rng.integers(1, 4)), int(rng.integers(1, 6))
    J = [[int(x) for x in rng.integers(-2, 3, n)] for _ in range(m)]
    for k in range(1, m):
        if rng.random() < 0.5:
            i, j = rng.integers(0, k, 2)
            J[k] = [int(rng.integers(-2, 3)) * x + int(rng.integers(0, 2)) * y for x, y in zip(J[i], J[j], strict=True)]
    lower, upper, place = [], [], rng.integers(-2, 3, n)
    for row in J:
        value, kind = int(np.dot(row, place)), rng.random()
        low, high = value - int(rng.integers(0, 3)), value + int(rng.integers(0, 3))
        pair = (
            (value, value)
            if kind < 0.25
            else (low, None)
            if kind < 0.6
            else (None, high)
            if kind < 0.8
            else (low, high)
        )
        lower.append(pair[0])
        upper.append(pair[1])
    mass = [int(x) for x in rng.integers(1, 5, n)]
    force = [int(x) for x in rng.integers(-9, 10, n)]
    return mass, force, J, lower, upper


def as_problem(case):
    mass, force, J, lower, upper = case
    low = [-np.inf if x is None else x for x in lower]
    high = [np.inf if x is None else x for x in upper]
    return g.principle.GaussProblem.of(np.diag(np.array(mass, float)), force, np.array(J, float), low, high)


def exact(case):
    mass, force, J, lower, upper = case
    rational = [[None if x is None else Fraction(x) for x in part] for part in (mass, force, lower, upper)]
    found = minimiser(rational[0], rational[1], [[Fraction(x) for x in row] for row in J], rational[2], rational[3])
    return None if found is None else np.array([float(x) for x in found])


def bound_of(problem, a, multipliers):
    metric = problem.metric
    return error_bound(problem, metric, a, multipliers, residuals_of(problem, metric, a, multipliers))


def claims(rng, problem, a):
    """Claims near and far from the minimiser, with multipliers that fit and others that do not."""
    for size in 10.0 ** rng.uniform(-9.0, 0.7, 4):
        claimed = a + size * rng.normal(size=problem.n)
        fitted = np.linalg.lstsq(problem.rows.J.T, problem.M @ claimed - problem.f, rcond=None)[0]
        for multipliers in (fitted, np.zeros(problem.m), rng.normal(size=problem.m) * (rng.random(problem.m) < 0.5)):
            yield claimed, multipliers
        positive = np.maximum(fitted, 0.0)
        yield np.linalg.solve(problem.M, problem.f + problem.rows.J.T @ positive), positive


@pytest.mark.long
@pytest.mark.parametrize("most", [certificate.MOST_SETS, 0], ids=["by sets of rows", "by the duality gap"])
def test_the_error_of_arbitrary_claims_is_within_the_bound(monkeypatch, most):
    monkeypatch.setattr(certificate, "MOST_SETS", most)
    rng = np.random.default_rng(5)
    wrong, tried, finite = [], 0, 0
    while tried < 80:
        case = drawn(rng)
        a = exact(case)
        if a is None:
            continue
        tried += 1
        problem = as_problem(case)
        for claimed, multipliers in claims(rng, problem, a):
            bound = bound_of(problem, claimed, multipliers)
            error = float(np.linalg.norm(np.sqrt(np.array(case[0])) * (claimed - a)))
            finite += np.isfinite(bound)
            if not error <= bound * (1.0 + 1e-12):
                wrong.append((case, claimed, multipliers, error, bound))
    assert wrong == []
    assert finite > 16 * tried * (0.99 if most else 0.3)


def test_two_equal_violated_rows_are_bounded_by_their_violation():
    problem = g.principle.GaussProblem.of(np.eye(1), [0.0], [[1.0], [1.0]], [3.0, 3.0], [np.inf, np.inf])
    bound = bound_of(problem, np.zeros(1), np.zeros(2))
    assert 3.0 <= bound <= 3.0 * np.sqrt(2.0) * (1.0 + 1e-12)


def test_the_bound_of_a_solver_is_rounding_where_rows_are_few_and_well_conditioned():
    rng = np.random.default_rng(8)
    tried = 0
    while tried < 60:
        case = drawn(rng)
        a = exact(case)
        if a is None:
            continue
        tried += 1
        solution = g.principle.solve(as_problem(case))
        error = float(np.linalg.norm(np.sqrt(np.array(case[0])) * (solution.a - a)))
        assert error <= solution.error_bound
        assert solution.error_bound <= 2e-14 * solution.residuals.stationarity_scale * 10.0


def rational_minimiser(M, f, J, right):
    """Return the minimiser of the Zwang on independent rows, M diagonal: exact, by the rows of its optimality."""
    n, m = len(f), len(right)
    rows = [[M[i] if i == j else Fraction(0) for j in range(n)] + [-J[k][i] for k in range(m)] for i in range(n)]
    rows += [[*row, *[Fraction(0)] * m] for row in J]
    return solved(rows, [*f, *right])[:n]


@pytest.mark.sampled(8)
@pytest.mark.parametrize("solver", ["osqp", "kkt", "cvxpy"])
@pytest.mark.parametrize("small", [1e-12, 1e-10, 1e-8, 1e-6, 1e-4])
def test_masses_do_not_hide_what_two_rows_differ_by(small, solver):
    """Rows that are copies but for a small term, beside coordinates whose masses make them look alike to rounding."""
    rng = np.random.default_rng(8)
    for _ in range(10):
        n = int(rng.integers(4, 7))
        M = 10.0 ** rng.uniform(-7.0, 6.0, n)
        M[0], M[1] = 1e-7, 1e6
        first, other, third = rng.uniform(0.3, 1.7, (3, n)) * rng.choice([-1.0, 1.0], (3, n))
        J = np.array([first, third, (first + small * other) * 1e-3])
        a = rng.normal(size=n)
        f = M * a + J.T @ rng.normal(size=3)
        right = np.array([first @ a, third @ a, 1e-3 * (first @ a + small * (other @ a))])
        exact = [[Fraction(float(x)) for x in row] for row in (M, f, right, *J)]
        best = rational_minimiser(exact[0], exact[1], exact[3:], exact[2])
        true = np.array([float(x) for x in best])
        reaction = np.array([float(m * x - y) for m, x, y in zip(exact[0], best, exact[1], strict=True)])
        problem = g.principle.GaussProblem.of(np.diag(M), f, J, right)
        problem = replace(problem, rows=replace(problem.rows, noise=UNIT * np.abs(J)))
        answer = g.principle.solve(problem, solver=solver)
        off = float(np.sqrt(M @ (answer.a - true) ** 2))
        assert off <= answer.error_bound
        assert off <= 1e-14 / small * float(np.sqrt(M @ true**2))
        moved = np.abs(answer.reaction - reaction) - 1e-15 * (M * np.abs(true) + np.abs(f))
        assert np.all(moved <= np.sqrt(M) * answer.error_bound)
        assert answer.residuals.certified
