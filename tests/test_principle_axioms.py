"""Axioms of Gauss's principle as properties of random problems and systems."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

import numpy as np
import pytest
from planted import carrying_rows, random_mass, rounding

import gauss as g
from gauss.principle import SOLVERS, GaussProblem, solve
from gauss.uniqueness import diagnose

SEEDS = range(25)


@dataclass(frozen=True)
class Case:
    """A random problem whose minimiser is not known; rows of condition 1 to 100 in the mass metric."""

    M: np.ndarray
    f: np.ndarray
    J: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    row_condition: float

    @property
    def problem(self):
        return GaussProblem.of(self.M, self.f, self.J, self.lower, self.upper)

    @property
    def L(self):
        return np.linalg.cholesky(self.M)

    @property
    def free(self):
        return np.linalg.solve(self.M, self.f)

    @property
    def equality(self):
        return self.lower == self.upper

    def norm(self, a):
        return float(np.linalg.norm(self.L.T @ a))

    def zwang(self, a):
        """½(a − a_free)ᵀM(a − a_free), by the definition."""
        return 0.5 * self.norm(a - self.free) ** 2

    @property
    def condition(self):
        """What rounding is amplified by on the way from M, f, J to the acceleration."""
        return self.row_condition * np.linalg.cond(self.M)

    @property
    def size(self):
        """The largest acceleration that takes part, in the mass metric."""
        whitened = np.linalg.solve(self.L, self.J.T).T
        bounds = np.abs(self.lower[self.equality]) / np.linalg.norm(whitened[self.equality], axis=1)
        return self.norm(self.free) + float(np.max(bounds, initial=0.0)) * self.row_condition

    def tolerance(self, scale=None):
        """Rounding of an acceleration, in the mass metric."""
        return rounding(self.size if scale is None else scale, self.condition)


@functools.cache
def case(seed, unilateral=True):
    """Rows through a random point: equalities first, then lower and upper bounds, about half of them tight there."""
    rng = np.random.default_rng([seed, unilateral])
    n = int(rng.integers(2, 13))
    equalities = int(rng.integers(1, n))
    inequalities = int(rng.integers(1, n)) if unilateral else 0
    M = random_mass(rng, n)
    L = np.linalg.cholesky(M)
    condition = 10.0 ** rng.uniform(0, 2)
    J = np.vstack([carrying_rows(rng, L, equalities, 1 / condition), rng.normal(size=(inequalities, n)) @ L.T])
    value = J @ np.linalg.solve(L.T, rng.normal(size=n))
    index, side = np.arange(len(J)), rng.random(len(J)) < 0.5
    slack = rng.uniform(0.5, 1.5, len(J)) * (rng.random(len(J)) < 0.5)
    lower = np.where(index < equalities, value, np.where(side, value - slack, -np.inf))
    upper = np.where(index < equalities, value, np.where(side, np.inf, value + slack))
    return Case(M, 5.0 * (L @ rng.normal(size=n)), J, lower, upper, condition)


def answer(problem, solver="osqp"):
    active = solve(problem).active if solver == "kkt" else None
    return solve(problem, solver, active)


def kernel(J):
    """Orthonormal basis (n, n − rank) of the accelerations that J does not see."""
    _, sigma, V = np.linalg.svd(J)
    return V[int(np.sum(sigma > 1e-10)) :].T


def admissible(c, rng):
    """A random acceleration that satisfies all rows: between the answers of two problems with other forces."""
    one, two = (answer(replace(c, f=c.f + 5.0 * (c.L @ rng.normal(size=len(c.f)))).problem).a for _ in range(2))
    xi = one + rng.uniform() * (two - one)
    length = np.linalg.norm(np.linalg.solve(c.L, c.J.T), axis=0)
    assert np.all(np.maximum(c.lower - c.J @ xi, c.J @ xi - c.upper) <= c.tolerance() * length)
    return xi


# --- minimality, orthogonality, Pythagoras -----------------------------------------------------------------------


@pytest.mark.sampled(4)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", SEEDS)
def test_with_bilateral_rows_the_zwang_grows_by_exactly_half_the_squared_distance(seed, solver):
    c, rng = case(seed, unilateral=False), np.random.default_rng(seed)
    a = answer(c.problem, solver).a
    for _ in range(5):
        u = kernel(c.J) @ rng.normal(size=kernel(c.J).shape[1])
        expected = c.zwang(a) + 0.5 * c.norm(u) ** 2
        assert abs(c.zwang(a + u) - expected) <= c.tolerance(expected + c.size * c.norm(u))


@pytest.mark.sampled(14)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", SEEDS)
def test_with_unilateral_rows_the_zwang_grows_by_half_the_squared_distance_and_the_reactions_on_the_way(seed, solver):
    c, rng = case(seed), np.random.default_rng(seed)
    solution = answer(c.problem, solver)
    a = solution.a
    for _ in range(5):
        u = admissible(c, rng) - a
        growth, half = c.zwang(a + u) - c.zwang(a), 0.5 * c.norm(u) ** 2
        tolerance = c.tolerance(c.zwang(a) + half + c.size * c.norm(u))
        assert growth >= half - tolerance
        assert abs(growth - half - solution.multipliers @ c.J @ u) <= tolerance


def test_unilateral_rows_do_make_the_growth_larger_than_half_the_squared_distance():
    strict = 0
    for seed in SEEDS:
        c = case(seed)
        a = answer(c.problem).a
        u = admissible(c, np.random.default_rng(seed)) - a
        strict += c.zwang(a + u) - c.zwang(a) > 0.5 * c.norm(u) ** 2 + 1e-3
    assert strict > len(SEEDS) / 4


@pytest.mark.parametrize("seed", SEEDS)
def test_the_reported_zwang_is_the_zwang_of_the_definition(seed):
    c = case(seed)
    solution = answer(c.problem)
    assert abs(solution.zwang - c.zwang(solution.a)) <= c.tolerance(c.size**2)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_correction_is_orthogonal_to_all_admissible_directions(seed):
    c = case(seed, unilateral=False)
    correction = answer(c.problem).a - c.free
    products = kernel(c.J).T @ c.M @ correction
    lengths = np.array([c.norm(u) for u in kernel(c.J).T])
    assert np.all(np.abs(products) <= c.tolerance() * lengths)


@pytest.mark.parametrize("seed", SEEDS)
def test_pythagoras_holds_between_problems_with_fewer_and_more_rows(seed):
    c = case(seed, unilateral=False)
    fewer = replace(c, J=c.J[:-1], lower=c.lower[:-1], upper=c.upper[:-1])
    a, b = answer(c.problem).a, answer(fewer.problem).a
    total = c.norm(a - c.free) ** 2
    assert abs(total - c.norm(a - b) ** 2 - c.norm(b - c.free) ** 2) <= c.tolerance(c.size**2)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", SEEDS)
def test_more_rows_never_lower_the_zwang(seed):
    c = case(seed)
    values = [
        answer(replace(c, J=c.J[:k], lower=c.lower[:k], upper=c.upper[:k]).problem).zwang for k in range(len(c.J) + 1)
    ]
    assert values[0] <= c.tolerance(c.size) ** 2
    assert np.all(np.diff(values) >= -c.tolerance(c.size**2))


@pytest.mark.parametrize("seed", SEEDS)
def test_turning_an_equality_into_an_inequality_never_raises_the_zwang(seed):
    c = case(seed)
    upper = c.upper.copy()
    upper[0] = np.inf
    assert answer(replace(c, upper=upper).problem).zwang <= answer(c.problem).zwang + c.tolerance(c.size**2)


# --- idempotence -------------------------------------------------------------------------------------------------


@pytest.mark.sampled(4)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_free_acceleration_that_is_admissible_is_the_answer_without_reactions(seed, solver):
    c, rng = case(seed), np.random.default_rng(seed)
    value, slack = c.J @ c.free, rng.uniform(0.5, 1.0, len(c.J))
    lower = np.where(c.equality, value, np.where(np.isfinite(c.lower), value - slack, -np.inf))
    upper = np.where(c.equality, value, np.where(np.isfinite(c.upper), value + slack, np.inf))
    quiet = replace(c, lower=lower, upper=upper)
    solution = answer(quiet.problem, solver)
    assert quiet.norm(solution.a - c.free) <= quiet.tolerance()
    assert solution.active == ()
    assert not np.any(solution.multipliers[~c.equality])
    assert np.linalg.norm(np.linalg.solve(c.L, solution.reaction)) <= quiet.tolerance()
    assert solution.zwang <= quiet.tolerance() ** 2


@pytest.mark.parametrize("seed", SEEDS)
def test_minimising_again_from_the_answer_changes_nothing(seed):
    c = case(seed)
    a = answer(c.problem).a
    again = replace(c, f=c.M @ a)
    assert c.norm(answer(again.problem).a - a) <= c.tolerance()


# --- invariance --------------------------------------------------------------------------------------------------


def assert_unchanged(c, solution, other):
    """Acceleration and reaction force are those of the first solution."""
    assert c.norm(other.a - solution.a) <= c.tolerance()
    difference = np.linalg.solve(c.L, other.reaction - solution.reaction)
    assert np.linalg.norm(difference) <= c.tolerance()


@pytest.mark.sampled(14)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", SEEDS)
def test_scaling_rows_changes_neither_acceleration_nor_reaction(seed, solver):
    c, rng = case(seed), np.random.default_rng(seed)
    scale = 10.0 ** rng.uniform(-10, 10, len(c.J))
    scaled = replace(c, J=scale[:, None] * c.J, lower=scale * c.lower, upper=scale * c.upper)
    solution, other = answer(c.problem, solver), answer(scaled.problem, solver)
    assert_unchanged(c, solution, other)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_sign_of_a_row_changes_neither_acceleration_nor_reaction(seed):
    c = case(seed)
    assert_unchanged(c, answer(c.problem), answer(replace(c, J=-c.J, lower=-c.upper, upper=-c.lower).problem))


@pytest.mark.sampled(14)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_of_rows_changes_neither_acceleration_nor_reaction(seed, solver):
    c, order = case(seed), np.random.default_rng(seed).permutation(len(case(seed).J))
    permuted = replace(c, J=c.J[order], lower=c.lower[order], upper=c.upper[order])
    assert_unchanged(c, answer(c.problem, solver), answer(permuted.problem, solver))


@pytest.mark.sampled(14)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", SEEDS)
def test_repeating_a_row_changes_nothing_but_the_verdict_and_the_uniqueness_of_multipliers(seed, solver):
    c = case(seed, unilateral=False)
    k = seed % len(c.J)
    twice = replace(
        c,
        J=np.vstack([c.J, -3.0 * c.J[k]]),
        lower=np.append(c.lower, -3.0 * c.lower[k]),
        upper=np.append(c.upper, -3.0 * c.upper[k]),
    )
    solution, other = answer(c.problem, solver), answer(twice.problem, solver)
    assert_unchanged(c, solution, other)
    assert solution.multipliers_unique
    assert not other.multipliers_unique
    assert diagnose(c.problem).regular
    verdict = diagnose(twice.problem)
    assert verdict.verdict == "rank-deficient"
    assert verdict.rank == len(c.J)
    assert verdict.dependent == ((f"row {k}", f"row {len(c.J)}"),)


@pytest.mark.sampled(14)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_acceleration_transforms_with_the_coordinates(seed, solver):
    c, rng = case(seed), np.random.default_rng(seed)
    n = len(c.f)
    T = np.linalg.qr(rng.normal(size=(n, n)))[0] * 10.0 ** rng.uniform(-2, 2, n)  # a = T b
    other = GaussProblem.of(T.T @ c.M @ T, T.T @ c.f, c.J @ T, c.lower, c.upper)
    solution, transformed = answer(c.problem, solver), answer(other, solver)
    tolerance = c.tolerance() * np.linalg.cond(T)
    assert c.norm(T @ transformed.a - solution.a) <= tolerance
    difference = np.linalg.solve(c.L, np.linalg.solve(T.T, transformed.reaction) - solution.reaction)
    assert np.linalg.norm(difference) <= tolerance
    assert abs(transformed.zwang - solution.zwang) <= tolerance * c.size


@pytest.mark.parametrize("seed", SEEDS)
def test_units_of_coordinates_do_not_enter(seed):
    c, rng = case(seed), np.random.default_rng(seed)
    unit = 10.0 ** rng.uniform(-8, 8, len(c.f))
    other = GaussProblem.of(c.M * unit[:, None] * unit, c.f * unit, c.J * unit, c.lower, c.upper)
    assert c.norm(unit * answer(other).a - answer(c.problem).a) <= c.tolerance()


# --- reactions do no work ----------------------------------------------------------------------------------------


def linkage(rate=0.0):
    """A double pendulum in the plane on a pivot that moves along x with the given speed (m/s)."""
    return g.System(
        "double pendulum",
        coordinates="x1 y1 x2 y2",
        kinetic_energy=lambda v, p: 0.5 * p.m * (v.x1**2 + v.y1**2) + 0.5 * (v.x2**2 + v.y2**2),
        potential_energy=lambda q, p: 9.81 * (p.m * q.y1 + q.y2),
        parameters={"m": 2.0},
        constraints=[
            g.Holonomic("upper rod", lambda q, t: (q.x1 - rate * t) ** 2 + q.y1**2 - 1.0),
            g.Holonomic("lower rod", lambda q: (q.x2 - q.x1) ** 2 + (q.y2 - q.y1) ** 2 - 0.25),
        ],
    )


def placed(system, rng, t=0.0):
    """A random state on the constraints."""
    guess = np.array([0.6, -0.8, 0.9, -1.2]) + rng.uniform(-0.2, 0.2, 4)
    return g.consistent(system, guess, rng.normal(size=4), t)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", SEEDS)
def test_reactions_of_constraints_at_rest_do_no_work_on_any_admissible_velocity(seed):
    rng = np.random.default_rng(seed)
    system = linkage()
    state = placed(system, rng)
    step = g.accelerate(system, state.q, state.v)
    size = np.linalg.norm(step.reaction)
    assert size > 1.0
    assert abs(step.reaction @ state.v) <= rounding(size * np.linalg.norm(state.v), 10.0)
    for _ in range(5):
        v = g.consistent(system, state.q, rng.normal(size=4)).v
        assert abs(step.reaction @ v) <= rounding(size * np.linalg.norm(v), 10.0)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_reaction_of_a_moving_constraint_works_at_the_rate_of_its_explicit_time(seed):
    rng = np.random.default_rng(seed)
    rate, t = 0.7, 0.3
    system = linkage(rate)
    state = placed(system, rng, t)
    step = g.accelerate(system, state.q, state.v, t)
    explicit = -2.0 * rate * (state.q[0] - rate * t)  # ∂φ/∂t of the upper rod
    power = step.reaction @ state.v
    assert abs(power) > 1e-3
    size = np.linalg.norm(step.reaction) * np.linalg.norm(state.v)
    assert abs(power + step.multiplier("upper rod") * explicit) <= rounding(size, 10.0)


# --- semidefinite mass matrix ------------------------------------------------------------------------------------


def massless(rng):
    """A problem whose last coordinate has no mass and is tied to the others by a row."""
    n = int(rng.integers(2, 8))
    M = np.zeros((n, n))
    M[:-1, :-1] = random_mass(rng, n - 1)
    J = rng.normal(size=(int(rng.integers(1, n)), n))
    return M, rng.normal(size=n), J, rng.normal(size=len(J))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", SEEDS)
def test_with_a_semidefinite_mass_matrix_the_zwang_is_the_quadratic_without_its_constant(seed, solver):
    rng = np.random.default_rng(seed)
    M, f, J, gamma = massless(rng)
    solution = solve(GaussProblem.of(M, f, J, gamma), solver)

    def quadratic(a):
        return 0.5 * a @ M @ a - f @ a

    a = solution.a
    condition = np.linalg.cond(M + J.T @ J) * np.linalg.cond(J)
    scale = np.linalg.norm(M) * np.linalg.norm(a) ** 2 + np.linalg.norm(f) * np.linalg.norm(a) + 1.0
    assert abs(solution.zwang - quadratic(a)) <= rounding(scale, condition)
    for u in kernel(J).T:
        growth = quadratic(a + u) - quadratic(a)
        assert abs(growth - 0.5 * u @ M @ u) <= rounding(scale, condition)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_zwang_of_a_definite_mass_matrix_differs_from_the_quadratic_by_its_constant(seed):
    c = case(seed)
    solution = answer(c.problem)
    quadratic = 0.5 * solution.a @ c.M @ solution.a - c.f @ solution.a
    assert abs(solution.zwang - quadratic - 0.5 * c.f @ c.free) <= c.tolerance(c.size**2)
