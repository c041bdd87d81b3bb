"""The solvers reach planted answers within their own error bounds, and say so when they cannot."""

from __future__ import annotations

import functools
import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from planted import EPS, Planted, bound_ratio, planted, random_mass, rounding, touched

from gauss import accelerate
from gauss.errors import GaussError, InputError, SolverError
from gauss.principle import SOLVERS, GaussProblem, answer, solve
from gauss.principle.certificate import error_bound, residuals_of
from gauss.scenario import load

COUNT = 120  # random problems in each family; `validation/random_problems.py` solves a thousand
SEED = 7
PUBLISHED = json.loads((Path(__file__).parent / "data" / "maros_meszaros.json").read_text(encoding="utf-8"))


@functools.cache
def cases(degenerate=False):
    rng = np.random.default_rng(SEED)
    return [planted(rng, degenerate) for _ in range(COUNT)]


@functools.cache
def answers(solver, degenerate=False):
    """One solution, or the error that was raised, for each case."""

    def answer(case):
        try:
            return case.solve(solver)
        except GaussError as error:
            return error

    return [answer(case) for case in cases(degenerate)]


def failures(solver, degenerate=False):
    return [(i, str(s)) for i, s in enumerate(answers(solver, degenerate)) if isinstance(s, GaussError)]


def solved(solver, degenerate=False):
    pairs = zip(cases(degenerate), answers(solver, degenerate))
    return [(i, case, s) for i, (case, s) in enumerate(pairs) if not isinstance(s, GaussError)]


# --- planted answers ---------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("solver", SOLVERS)
def test_every_regular_problem_is_solved_and_certified_at_rounding(solver):
    assert failures(solver) == []
    assert [i for i, _, s in solved(solver) if not (s.residuals.at_rounding and s.residuals.certified)] == []


@pytest.mark.sampled(4)
@pytest.mark.parametrize("solver", SOLVERS)
def test_the_true_error_is_within_the_error_bound(solver):
    assert solved(solver)
    assert [(i, bound_ratio(case, s)) for i, case, s in solved(solver) if not bound_ratio(case, s) <= 1.0] == []


@pytest.mark.sampled(4)
@pytest.mark.parametrize("solver", SOLVERS)
def test_the_error_bound_is_rounding_amplified_by_the_condition_of_the_rows(solver):
    assert solved(solver)
    for _, case, s in solved(solver):
        terms = case.problem.n + case.problem.m
        assert s.error_bound <= rounding(terms * case.distance(0.0 * case.a), 1.0 / case.ratio)


@pytest.mark.long
@pytest.mark.parametrize(("one", "other"), [("osqp", "kkt"), ("osqp", "cvxpy"), ("kkt", "cvxpy")])
def test_two_solvers_agree_within_the_sum_of_their_error_bounds(one, other):
    compared = 0
    for case, s, r in zip(cases(), answers(one), answers(other)):
        if isinstance(s, GaussError) or isinstance(r, GaussError):
            continue
        compared += 1
        assert case.distance(s.a, r.a) <= s.error_bound + r.error_bound
    assert compared > COUNT / 2


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_rows_that_carry_a_reaction_are_the_planted_ones(solver):
    # Multipliers are determined to rounding/σ_min², so nearly dependent rows may share their reaction in another way.
    clear = [(i, case, s) for i, case, s in solved(solver) if rounding(1.0, case.ratio**-2) < 1e-3]
    assert len(clear) > COUNT / 4
    assert [i for i, case, s in clear if set(s.active) != set(case.active)] == []


def test_the_family_reaches_nearly_dependent_rows_and_all_kinds_of_bounds():
    assert min(case.ratio for case in cases()) < 1e-7
    rows = [case.problem.rows for case in cases()]
    assert any(len(r) == 0 for r in rows)
    assert any(np.any(np.isinf(r.lower) & np.isfinite(r.upper)) for r in rows)
    assert any(np.any(np.isfinite(r.lower) & np.isfinite(r.upper) & (r.lower < r.upper)) for r in rows)


@pytest.mark.long
def test_touching_rows_without_reaction_do_not_keep_osqp_from_the_certified_answer():
    assert failures("osqp", degenerate=True) == []
    assert [i for i, _, s in solved("osqp", True) if not s.residuals.at_rounding] == []
    assert [i for i, case, s in solved("osqp", True) if not bound_ratio(case, s) <= 1.0] == []


def test_osqp_certifies_problems_whose_feasible_point_is_touched_by_many_rows():
    rng = np.random.default_rng(1)
    uncertified = []
    for i in range(COUNT):
        problem = touched(rng)
        try:
            if not solve(problem).residuals.certified:
                uncertified.append(i)
        except SolverError as error:
            uncertified.append((i, str(error)))
    assert uncertified == []


@pytest.mark.parametrize("solver", ["osqp", "cvxpy"])
def test_the_error_bound_holds_where_more_rows_than_coordinates_touch_the_answer(solver):
    rng = np.random.default_rng(3)
    for _ in range(40):
        n = int(rng.integers(2, 5))
        M = random_mass(rng, n)
        a = rng.normal(size=n)
        inward = rng.normal(size=n)
        J = rng.normal(size=(n + 3, n))
        J *= np.sign(J @ inward)[:, None]
        exact = (J.astype(np.longdouble) @ a).astype(float), (M.astype(np.longdouble) @ a).astype(float)
        case = Planted(GaussProblem.of(M, exact[1], J, exact[0], np.full(n + 3, np.inf)), a, 1.0, ())
        s = case.solve(solver)
        assert s.residuals.certified
        assert case.distance(s.a) <= s.error_bound


def test_a_touching_row_nearly_parallel_to_an_active_one_widens_the_error_bound():
    """Whether it is active is known to rounding only, and that moves the answer by rounding over the angle."""
    angle = 1e-6
    J, lower = [[1.0, 0.0], [1.0, angle]], np.array([1.0, 1.0 + 0.5 * angle])
    touching = GaussProblem.of(np.eye(2), [3.0, 0.5], J, lower, [1.0, np.inf])
    apart = GaussProblem.of(np.eye(2), [3.0, 0.5], J, lower - [0.0, 0.1], [1.0, np.inf])
    for problem, condition in ((touching, 2.0 / angle), (apart, 1.0)):
        solution = solve(problem)
        assert solution.a == pytest.approx([1.0, 0.5], abs=solution.error_bound)
        assert EPS * condition / 10.0 <= solution.error_bound <= rounding(3.0, condition)


# --- published quadratic programs --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PUBLISHED["problems"])
def test_osqp_reaches_the_published_optimal_value(name):
    data = PUBLISHED["problems"][name]
    lower = np.array([-np.inf if x is None else x for x in data["l"]])
    upper = np.array([np.inf if x is None else x for x in data["u"]])
    problem = GaussProblem.of(data["P"], -np.array(data["q"]), data["A"], lower, upper)
    solution = solve(problem)
    assert solution.residuals.at_rounding
    value = 0.5 * solution.a @ problem.M @ solution.a - problem.f @ solution.a + data["r"]
    # The published values have 8 digits and come from a solver that stops at 1e-8; HS268 is published as 5.7e-7 for 0.
    assert abs(value - data["opt"]) <= 1e-6 * max(1.0, abs(data["opt"]))


# --- the certificate refutes wrong answers -----------------------------------------------------------------------


def contact(upper=np.inf):
    """A unit mass pressed by the force −2 against a ≥ 0: a = 0, λ = 2."""
    return GaussProblem.of(np.eye(1), [-2.0], [[1.0]], [0.0], [upper], names=["floor"])


@pytest.mark.parametrize(
    ("a", "multiplier"),
    [
        pytest.param(0.0, 1.9, id="force not balanced"),
        pytest.param(1e-9, 2.0 + 1e-9, id="active row not met"),
        pytest.param(-2.0, 0.0, id="inactive row violated"),
        pytest.param(0.0, 2.0 + 1e-10, id="small imbalance"),
    ],
)
def test_the_certificate_refuses_a_wrong_answer(a, multiplier):
    problem = contact()
    metric = problem.metric
    assert residuals_of(problem, metric, np.array([0.0]), np.array([2.0])).at_rounding
    residuals = residuals_of(problem, metric, np.array([a]), np.array([multiplier]))
    assert not residuals.certified
    assert not residuals.at_rounding


def test_the_certificate_refuses_a_row_that_pulls():
    problem = GaussProblem.of(np.eye(1), [2.0], [[1.0]], [0.0], [np.inf])
    assert not residuals_of(problem, problem.metric, np.array([0.0]), np.array([-2.0])).certified


def test_a_multiplier_of_rounding_size_does_not_move_a_row_to_its_other_bound():
    problem = GaussProblem.of(np.eye(1), [1.0], [[1.0]], [-5.0], [1.0])  # a = a_free = 1 touches the upper bound
    residuals = residuals_of(problem, problem.metric, np.array([1.0]), np.array([EPS]))
    assert residuals.primal <= rounding()
    assert residuals.certified


# --- what a solver is told ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["OSQP", "ipopt", "", None, 3, ["osqp"]])
def test_an_unknown_solver_is_refused_with_the_known_ones(solver):
    with pytest.raises(InputError, match=r"unknown.*osqp, kkt, cvxpy"):
        solve(contact(), solver)


def test_kkt_asks_for_the_active_rows():
    with pytest.raises(InputError, match=r"active=.*'floor'.*osqp"):
        solve(contact(), "kkt")


def test_kkt_needs_no_active_rows_where_none_is_bounded_on_one_side():
    problem = GaussProblem.of(np.eye(2), [1.0, 3.0], [[1.0, 0.0], [0.0, 1.0]], [0.0, -np.inf], [0.0, np.inf])
    assert solve(problem, "kkt").a.tolist() == [0.0, 3.0]


def test_kkt_refuses_an_active_set_that_lacks_a_row():
    with pytest.raises(InputError, match="wrong: floor must be active"):
        solve(contact(), "kkt", active=[])


def test_kkt_refuses_an_active_set_with_a_row_that_would_have_to_pull():
    problem = GaussProblem.of(np.eye(1), [2.0], [[1.0]], [0.0], [np.inf], names=["floor"])
    with pytest.raises(InputError, match="wrong: floor would have to pull"):
        solve(problem, "kkt", active=["floor"])


def test_kkt_accepts_a_touching_row_without_reaction_in_the_active_set():
    problem = GaussProblem.of(np.eye(1), [0.0], [[1.0]], [0.0], [np.inf], names=["floor"])
    assert solve(problem, "kkt", active=["floor"]).a.tolist() == [0.0]


@pytest.mark.parametrize("sine", [1e-8, 1e-7, 1e-6])
def test_a_multiplier_that_rounding_makes_negative_is_no_wrong_sign(sine):
    """Two nearly parallel rows touch, one of which does not press: rounded bounds change its multiplier by ε/sine²."""
    rng = np.random.default_rng(SEED)
    negative = 0
    for _ in range(40):
        a, along = rng.normal(size=3), rng.normal(size=3)
        along /= np.linalg.norm(along)
        aside = np.cross(along, rng.normal(size=3))
        J = np.array([along, along + sine * aside / np.linalg.norm(aside)])
        exact = [[Fraction(v) for v in row] for row in J.tolist()]
        point = [Fraction(v) for v in a.tolist()]
        bounds = [float(sum(x * y for x, y in zip(row, point, strict=True))) for row in exact]
        f = [float(x - y) for x, y in zip(point, exact[0], strict=True)]  # the first presses with 1, the second with 0
        problem = GaussProblem.of(np.eye(3), f, J, bounds, [np.inf, np.inf])
        gram = [[sum(x * y for x, y in zip(one, two, strict=True)) for two in exact] for one in exact]
        off = [
            Fraction(b) - sum(x * Fraction(y) for x, y in zip(row, f, strict=True))
            for b, row in zip(bounds, exact, strict=True)
        ]
        determinant = gram[0][0] * gram[1][1] - gram[0][1] ** 2
        negative += (gram[0][0] * off[1] - gram[0][1] * off[0]) / determinant < 0
        solution = solve(problem, "kkt", active=["row 0", "row 1"])
        assert solution.residuals.at_rounding
        assert solution.a == pytest.approx(a, abs=rounding(1.0, 1.0 / sine))
    assert negative > 10


def test_a_row_that_pulls_is_refused_beside_one_of_which_rounding_decides():
    """The second row of a pair with sine 1e-7 would have to pull by 0.5, which is a slip of 5e-15 on its bound."""
    sine, e = 1e-7, np.eye(3)
    J = np.array([e[0], e[0] + sine * e[1], e[2]])
    f = -(J.T @ [1.0, 0.0, 0.0]) + 0.5 * e[2]
    problem = GaussProblem.of(np.eye(3), f, J, np.zeros(3), np.full(3, np.inf))
    assert solve(problem, "kkt", active=["row 0", "row 1"]).a == pytest.approx([0.0, 0.0, 0.5], abs=rounding())
    with pytest.raises(InputError, match="row 2 would have to pull"):
        solve(problem, "kkt", active=["row 0", "row 1", "row 2"])
    f = -J.T @ [1.0, -1e-3, 0.0]  # without the second row the acceleration leaves its bound by 1e-17, by 1e-3·sine² …
    apart = GaussProblem.of(np.eye(3), f + 1e-4 * e[1], J, np.zeros(3), np.full(3, np.inf))  # … and here by 1e-11
    with pytest.raises(InputError, match="row 1 would have to pull"):
        solve(apart, "kkt", active=["row 0", "row 1"])


def test_kkt_refuses_a_name_that_no_row_has():
    with pytest.raises(InputError, match=r"'wall'.*'floor'"):
        solve(contact(), "kkt", active=["wall"])


def test_kkt_refuses_an_active_row_without_a_bound():
    problem = GaussProblem.of(np.eye(1), [2.0], [[1.0]], [-np.inf], [np.inf], names=["floor"])
    with pytest.raises(InputError, match="'floor' has no finite bound"):
        solve(problem, "kkt", active=["floor"])


def test_a_single_row_may_be_given_by_its_name_alone():
    problem = GaussProblem.of(np.eye(1), [-2.0], [[1.0]], [0.0], [np.inf], names=["left wall"])
    assert solve(problem, "kkt", active="left wall").a.tolist() == [0.0]


@pytest.mark.parametrize("solver", ["osqp", "cvxpy"])
def test_solvers_that_find_the_active_rows_do_not_take_them(solver):
    with pytest.raises(InputError, match="solver='kkt' only"):
        solve(contact(), solver, active=["floor"])


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(("force", "a", "multiplier"), [(-9.0, -1.0, 8.0), (0.5, 0.5, 0.0), (9.0, 2.0, -7.0)])
def test_a_row_with_two_bounds_is_active_at_the_right_one(solver, force, a, multiplier):
    problem = GaussProblem.of(np.eye(1), [force], [[1.0]], [-1.0], [2.0], names=["stop"])
    active = (["stop"] if multiplier else []) if solver == "kkt" else None
    solution = solve(problem, solver, active)
    assert solution.a[0] == pytest.approx(a, abs=rounding(9.0))
    assert solution.multiplier("stop") == pytest.approx(multiplier, abs=rounding(9.0))


# --- problems without an answer ----------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    ("J", "lower", "upper"),
    [
        pytest.param([[1.0], [1.0]], [1.0, -np.inf], [np.inf, 0.0], id="a >= 1 and a <= 0"),
        pytest.param([[1.0], [1.0]], [1.0, 2.0], [1.0, np.inf], id="a = 1 and a >= 2"),
        pytest.param([[0.0]], [1.0], [np.inf], id="0 >= 1"),
    ],
)
def test_contradictory_inequality_rows_have_no_certified_answer(solver, J, lower, upper):
    problem = GaussProblem.of(np.eye(1), [0.0], J, lower, upper)
    active = [problem.rows.names[k] for k in problem.rows.inequality] if solver == "kkt" else None
    with pytest.raises(GaussError, match=r"contradictory|infeasible|no acceleration|wrong"):
        solve(problem, solver, active)


@pytest.mark.parametrize("solver", SOLVERS)
def test_no_rows_and_only_open_rows_give_the_free_acceleration_in_silence(solver, capfd):
    for J, lower, upper in (([], [], []), ([[1.0, 1.0]], [-np.inf], [np.inf])):
        rows = np.array(J).reshape(-1, 2)
        solution = solve(GaussProblem.of(np.diag([2.0, 4.0]), [2.0, 2.0], rows, lower, upper), solver)
        assert solution.a == pytest.approx([1.0, 0.5], abs=rounding())
        assert solution.zwang <= rounding() ** 2
        assert not np.any(solution.multipliers)
    assert capfd.readouterr() == ("", "")


def test_a_solution_prints_its_numbers_and_its_certificate():
    text = str(solve(contact()))
    for part in ("a0 = ", "floor = 2", "Zwang", "certified: stationarity", "error bound", "osqp"):
        assert part in text


def test_the_error_bound_counts_rows_that_are_only_nearly_active():
    """The claimed a = (1 + δ, 0) misses the wall by δ and has slack δ/2 on a nearly parallel one. The true minimiser
    touches both and lies about δ/(2θ) away, far more than δ over the singular value 1 of the wall alone."""
    delta, theta = 1e-9, 1e-3
    rows = [[1.0, 0.0], [np.cos(theta), np.sin(theta)]]
    claimed = np.array([1.0 + delta, 0.0])
    lower = [1.0, np.cos(theta) * (1.0 + delta) - delta / 2]
    problem = GaussProblem.of(np.eye(2), np.zeros(2), rows, lower, [np.inf, np.inf])
    metric = problem.metric
    multipliers = np.array([1.0 + delta, 0.0])
    bound = error_bound(problem, metric, claimed, multipliers, residuals_of(problem, metric, claimed, multipliers))
    exact = np.linalg.solve(rows, lower)
    assert np.linalg.norm(exact - claimed) > 400 * delta
    assert np.linalg.norm(exact - claimed) <= bound


# --- large numbers -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1e16, 1e31, 1e60, 1e140])
def test_bounds_beyond_what_osqp_takes_for_infinite_are_bounds_all_the_same(size):
    """min ½|a − size (1, −1)|² with a₂ ≥ 0: (size, 0); and with a₂ = 3 size in place of it."""
    free = [size, -size]
    for low, high, expected in ((0.0, np.inf, [1.0, 0.0]), (3.0 * size, 3.0 * size, [1.0, 3.0])):
        solution = solve(GaussProblem.of(np.eye(2), free, [[0.0, 1.0]], [low], [high]))
        assert solution.a / size == pytest.approx(expected, abs=rounding())
        assert solution.solver_distance <= 1e-6 * size  # OSQP's own answer, to its tolerance


def test_a_row_whose_numbers_overflow_is_named():
    problem = GaussProblem.of(np.eye(2), [0.0, 0.0], [[0.0, 1e-150]], [1e200], [np.inf], ["weak"])
    with np.errstate(all="ignore"), pytest.raises(SolverError, match=r"'weak'.*units"):
        solve(problem)


@pytest.mark.parametrize("solver", ["osqp", "kkt"])
@pytest.mark.parametrize("beta", [1e-1, 1e-2, 1e-3, 1e-4])
def test_coordinates_with_little_inertia_do_not_spoil_the_certificate(beta, solver):
    top = load("lagrange_top").system  # beside its pole the precession has the inertia I₁ sin²β
    I1, I3, mgr = (top.parameters[name] for name in ("I1", "I3", "mgr"))
    v = np.array([-0.2, 0.3, 5.8])
    spin = I3 * (v[2] + v[0] * np.cos(beta))
    step = accelerate(top, [-0.9, beta, 0.1], v, solver=solver)
    exact = (I1 * v[0] ** 2 * np.cos(beta) - spin * v[0] + mgr) * np.sin(beta) / I1
    # the equations for α̈ and γ̈ are divided by sin²β, and β̈ is their neighbour: rounding over sin β of its terms
    assert abs(step.a[1] - exact) <= 1e-14 / beta
    assert step.solution.residuals.certified


@pytest.mark.parametrize("touching", [False, True])
def test_an_answer_alone_is_that_of_the_default_solver(touching):
    """Random rows, some of which touch without pressing, some given twice: then the same multipliers are chosen."""
    rng = np.random.default_rng(SEED)
    for number in range(60):
        n, k = 6, 1 + number % 5
        M, J, rest = random_mass(rng, n), rng.normal(size=(k, n)), rng.normal(size=n)
        twice = number % 3 == 2
        J = np.vstack([J, J[:1]]) if twice else J
        pressing = np.where(np.arange(len(J)) % 2 == 0, rng.uniform(0.5, 2.0, len(J)), 0.0)
        gap = np.where((pressing > 0.0) | (np.arange(len(J)) % 4 == 3), 0.0, 1.0)  # every fourth touches
        if twice:
            gap[-1] = gap[0]
        low = J @ rest - gap
        problem = GaussProblem.of(M, M @ rest - J.T @ pressing, J, low, np.full(len(J), np.inf))
        a, multipliers = answer(problem, touching)
        full = solve(problem)
        assert np.max(np.abs(a - full.a)) < 1e-9 * (1.0 + np.max(np.abs(full.a)))
        assert np.max(np.abs(multipliers - full.multipliers)) < 1e-9 * (1.0 + np.max(np.abs(full.multipliers)))
