"""Verdicts on rows: regular or rank-deficient, which rows depend on each other, and what has no unique answer."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import sympy
from planted import carrying_rows, planted, random_mass, rounding

import gauss as g
from gauss.errors import (
    ContradictoryRowsError,
    GaussError,
    MassMatrixError,
    NonUniqueAccelerationError,
    SingularPositionError,
)
from gauss.principle import SOLVERS, GaussProblem, solve
from gauss.uniqueness import diagnose, require_unique, sigma_min_along

SEEDS = range(20)


def problem(J, gamma=None, M=None, names=None, f=None):
    """A problem with equality rows; unit masses and no force by default."""
    J = np.array(J, dtype=float)
    n = J.shape[1]
    M = np.eye(n) if M is None else M
    return GaussProblem.of(
        M, np.zeros(n) if f is None else f, J, np.zeros(len(J)) if gamma is None else gamma, None, names
    )


# --- verdicts ----------------------------------------------------------------------------------------------------


def test_independent_rows_are_regular_with_their_singular_values():
    verdict = diagnose(problem([[1.0, 0.0, 0.0], [0.0, 5.0, 0.0]], names=["a", "b"]))
    assert verdict.regular
    assert verdict.verdict == "regular"
    assert verdict.rank == 2
    assert verdict.rows == ("a", "b")
    assert verdict.sigma == pytest.approx([1.0, 1.0], abs=rounding())
    assert verdict.dependent == ()
    assert verdict.gap == np.inf
    assert not verdict.doubtful
    assert str(verdict).startswith("regular: the 2 rows")


def test_the_smallest_singular_value_is_that_of_unit_rows_in_the_mass_metric():
    M = np.array([[4.0, 1.0], [1.0, 9.0]])
    J = np.array([[1.0, 0.0], [1.0, 0.3]])
    gram = J @ np.linalg.inv(M) @ J.T
    cosine = gram[0, 1] / np.sqrt(gram[0, 0] * gram[1, 1])
    assert diagnose(problem(J, M=M)).sigma_min == pytest.approx(np.sqrt(1.0 - cosine), abs=rounding(1.0, 10.0))


def test_a_problem_without_rows_is_regular():
    verdict = diagnose(GaussProblem.of(np.eye(2), [0.0, 0.0]))
    assert verdict.regular
    assert verdict.sigma_min == 1.0
    assert verdict.sentence == "regular: no constraint row is in force."


def test_a_repeated_row_is_found_with_its_twin_by_name():
    verdict = diagnose(problem([[1, 2, 3], [0, 1, 1], [-2, -4, -6]], names=["first", "other", "copy"]))
    assert verdict.verdict == "rank-deficient"
    assert verdict.rank == 2
    assert verdict.dependent == (("first", "copy"),)
    assert "'first' + 'copy'" in verdict.sentence
    assert "not unique" in verdict.sentence
    assert verdict.gap > 1e10


def test_three_coplanar_rows_are_one_dependent_set_and_the_fourth_row_is_not_in_it():
    J = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [2, 0, -3, 0]]
    verdict = diagnose(problem(J, names=["x", "y", "z", "plane"]))
    assert verdict.rank == 3
    assert verdict.dependent == (("x", "z", "plane"),)


def test_a_zero_row_is_dependent_by_itself():
    verdict = diagnose(problem([[1, 0], [0, 0]], names=["x", "nothing"]))
    assert not verdict.regular
    assert verdict.rank == 1
    assert verdict.dependent == (("nothing",),)
    assert verdict.sigma_min == 0.0


def test_only_zero_rows_have_rank_zero():
    verdict = diagnose(problem([[0, 0], [0, 0]], names=["a", "b"]))
    assert verdict.rank == 0
    assert verdict.dependent == (("a",), ("b",))


def test_more_rows_than_coordinates_are_never_regular():
    verdict = diagnose(problem([[1, 0], [0, 1], [1, 1]], names=["a", "b", "c"]))
    assert not verdict.regular
    assert verdict.sigma_min == 0.0
    assert verdict.dependent == (("a", "b", "c"),)


def test_two_separate_dependencies_are_two_sets():
    J = [[1, 0, 0, 0], [1, 0, 0, 0], [0, 1, 1, 0], [0, 1, 1, 0]]
    assert diagnose(problem(J, names=list("abcd"))).dependent == (("a", "b"), ("c", "d"))


@pytest.mark.parametrize("angle", [1e-4, 1e-6, 1e-10])
def test_nearly_parallel_rows_that_count_as_independent_are_in_no_dependent_set(angle):
    J = [[1, 0, 0], [1, angle, 0], [0, 0, 1], [0, 0, 2]]
    verdict = diagnose(problem(J, names=list("abcd")))
    assert verdict.rank == 3
    assert verdict.dependent == (("c", "d"),)


def test_every_dependent_set_is_dependent_and_none_of_its_parts_is():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        n = int(rng.integers(4, 10))
        basis = rng.normal(size=(3, n))
        J = np.vstack([basis, rng.integers(-2, 3, size=(2, 3)) @ basis])
        p = problem(J, M=random_mass(rng, n))
        verdict = diagnose(p)
        assert verdict.rank == 3
        for names in verdict.dependent:
            rows = J[[p.rows.index(name) for name in names]]
            assert np.linalg.matrix_rank(rows) == len(rows) - 1
            for k in range(len(rows)):
                part = np.delete(rows, k, axis=0)
                assert np.linalg.matrix_rank(part) == len(part)


def test_open_contacts_are_left_out_and_closed_ones_take_part():
    J, names = [[1.0, 0.0], [1.0, 0.0]], ["wall", "stop"]
    opened = GaussProblem.of(np.eye(2), [0, 0], J, [0.0, -np.inf], [0.0, np.inf], names)
    closed = GaussProblem.of(np.eye(2), [0, 0], J, [0.0, 0.0], [0.0, np.inf], names)
    assert diagnose(opened).rows == ("wall",)
    assert diagnose(opened).regular
    assert diagnose(closed).dependent == (("wall", "stop"),)


@pytest.mark.parametrize("angle", [1e-13, 1e-12, 1e-10, 1e-9])
def test_nearly_parallel_rows_are_marked_as_a_matter_of_tolerance(angle):
    verdict = diagnose(problem([[1.0, 0.0], [1.0, angle]]))
    assert verdict.doubtful
    assert "tolerance" in verdict.sentence


@pytest.mark.parametrize(("angle", "regular"), [(1e-6, True), (1e-17, False)])
def test_clearly_separate_and_clearly_parallel_rows_are_not_doubtful(angle, regular):
    verdict = diagnose(problem([[1.0, 0.0], [1.0, angle]]))
    assert verdict.regular is regular
    assert not verdict.doubtful


# --- invariance --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("exponent", [6, 12])  # squared lengths of a nanometre linkage beside angles: 18 decades
def test_scaling_rows_changes_neither_verdict_nor_singular_values(exponent):
    rng = np.random.default_rng(exponent)
    for _ in SEEDS:
        case = planted(rng)
        rows, scale = case.problem.rows, 10.0 ** rng.uniform(-exponent, exponent, case.problem.m)
        scaled = GaussProblem.of(case.problem.M, case.problem.f, scale[:, None] * rows.J, np.zeros(len(scale)))
        plain = GaussProblem.of(case.problem.M, case.problem.f, rows.J, np.zeros(len(scale)))
        one, other = diagnose(plain), diagnose(scaled)
        assert (one.verdict, one.rank) == (other.verdict, other.rank)
        assert other.sigma == pytest.approx(one.sigma, abs=rounding(max(len(scale), 1), np.linalg.cond(case.L)))


@pytest.mark.parametrize("seed", SEEDS)
def test_units_of_coordinates_change_neither_verdict_nor_singular_values(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 10))
    M = random_mass(rng, n)
    J = carrying_rows(rng, np.linalg.cholesky(M), int(rng.integers(1, n + 1)), 1e-3)
    unit = 10.0 ** rng.uniform(-10, 10, n)
    one, other = diagnose(problem(J, M=M)), diagnose(problem(J * unit, M=M * unit[:, None] * unit))
    assert (one.verdict, one.rank) == (other.verdict, other.rank)
    assert other.sigma == pytest.approx(one.sigma, abs=rounding(n, np.linalg.cond(M)))


@pytest.mark.parametrize("exponent", [6, 12])
def test_dependent_rows_stay_dependent_whatever_their_units(exponent):
    rng = np.random.default_rng(exponent)
    for _ in SEEDS:
        J = rng.normal(size=(3, 5))
        J = np.vstack([J, J[0] - 2.0 * J[2]]) * (10.0 ** rng.uniform(-exponent, exponent, 4))[:, None]
        verdict = diagnose(problem(J, names=["a", "b", "c", "d"]))
        assert verdict.rank == 3
        assert verdict.dependent == (("a", "c", "d"),)


def test_a_row_in_tiny_units_is_no_zero_row():
    verdict = diagnose(problem([[1e-18, 0.0], [0.0, 1.0], [0.0, 2.0]], names=["tiny", "one", "twin"]))
    assert verdict.rank == 2
    assert verdict.dependent == (("one", "twin"),)


def test_sigma_min_along_states_is_that_of_each_state():
    rng = np.random.default_rng(0)
    M = np.array([random_mass(rng, 4) for _ in range(6)])
    J = rng.normal(size=(6, 3, 4))
    present = rng.random((6, 3)) < 0.7
    values = sigma_min_along(M, J, present)
    for k in range(6):
        chosen = problem(J[k][present[k]].reshape(-1, 4), M=M[k])
        assert values[k] == pytest.approx(diagnose(chosen).sigma_min, abs=rounding(4, np.linalg.cond(M[k])))


# --- contradictory rows ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_contradictory_rows_are_refused_with_their_names_and_gap(solver, scale):
    J = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0], [2.0, 2.0, 0.0]])
    p = problem(scale * J, scale * np.array([1.0, 5.0, 3.0]), names=["rod", "innocent", "bar"])
    with pytest.raises(ContradictoryRowsError) as caught:
        solve(p, solver)
    assert caught.value.rows == ("rod", "bar")
    # Unit rows demand 1/√2 and 3/(2√2); a vanishing combination of unit length has the weights 1/√2 and −1/√2.
    assert caught.value.gap == pytest.approx((3.0 / 2.0 - 1.0) / 2.0, abs=rounding())
    for part in ("'rod', 'bar'", "0.25", "remove or mend"):
        assert part in str(caught.value)
    assert "innocent" not in str(caught.value)


def test_a_zero_row_that_demands_something_is_contradictory_by_itself():
    with pytest.raises(ContradictoryRowsError) as caught:
        solve(problem([[1.0, 0.0], [0.0, 0.0]], [1.0, 2.0], names=["x", "impossible"]))
    assert caught.value.rows == ("impossible",)


@pytest.mark.parametrize("solver", SOLVERS)
def test_dependent_rows_that_agree_are_solved_and_their_multipliers_marked_as_a_choice(solver):
    J, gamma = [[1.0, 1.0], [2.0, 2.0]], [1.0, 2.0]
    solution = solve(problem(J, gamma, f=[3.0, 1.0]), solver)
    assert solution.a == pytest.approx([1.5, -0.5], abs=rounding(3.0))
    assert not solution.multipliers_unique
    assert solution.reaction == pytest.approx([-1.5, -1.5], abs=rounding(3.0))
    assert "not unique" in str(solution)


@pytest.mark.parametrize("name", ["accelerate", "simulate"])
def test_a_system_with_contradictory_drives_is_refused_by_name(name):
    system = g.System(
        "cart with two drives",
        "x",
        kinetic_energy=lambda v: 0.5 * v.x**2,
        constraints=[g.Pfaffian("slow", [1.0], lambda t: -t), g.Pfaffian("fast", [1.0], lambda t: -2.0 * t)],
    )
    expected = ContradictoryRowsError if name == "accelerate" else SingularPositionError
    with pytest.raises(expected, match=r"'slow'.*'fast'"):
        g.accelerate(system, [0.0]) if name == "accelerate" else g.simulate(system, [0.0], t_end=1.0)


# --- semidefinite mass matrices ----------------------------------------------------------------------------------


def tied(mass):
    """Two masses and a third coordinate of the given mass that follows their sum; γ = 1."""
    return GaussProblem.of(
        np.diag([2.0, 3.0, mass]), [1.0, -2.0, 0.5], [[1.0, 1.0, -1.0]], [1.0], coordinates=["x", "y", "massless"]
    )


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_massless_coordinate_held_by_a_row_has_the_hand_computed_acceleration(solver):
    # Without inertia M a = f + Jᵀλ gives λ = 1/2, then x: 2a = 1 + λ, y: 3a = −2 + λ, and the row the rest.
    solution = solve(tied(0.0), solver)
    assert solution.multipliers == pytest.approx([0.5], abs=rounding(10.0))
    assert solution.a == pytest.approx([0.75, -0.5, -0.75], abs=rounding(10.0))
    assert solution.residuals.at_rounding
    assert np.isfinite(solution.error_bound)
    require_unique(tied(0.0))


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_semidefinite_answer_is_the_limit_of_small_mass(solver):
    limit = solve(tied(0.0), solver).a
    masses = np.array([1e-2, 1e-3, 1e-4, 1e-5])
    errors = [np.linalg.norm(solve(tied(mass), solver).a - limit) for mass in masses]
    orders = np.log(np.divide(errors[:-1], errors[1:])) / np.log(masses[:-1] / masses[1:])
    assert orders[-1] == pytest.approx(1.0, abs=0.1)  # truncation: a(m) = a(0) + O(m), fitted on the finest pair


@pytest.mark.parametrize("seed", SEEDS)
def test_all_solvers_agree_within_their_bounds_on_semidefinite_problems(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 9))
    massless = int(rng.integers(1, n - 1))
    M = np.zeros((n, n))
    M[massless:, massless:] = random_mass(rng, n - massless)
    J = rng.normal(size=(int(rng.integers(massless, n)), n))
    p = GaussProblem.of(M, rng.normal(size=n), J, rng.normal(size=len(J)))
    L = p.metric.L
    one, two, three = (solve(p, solver) for solver in SOLVERS)
    assert all(s.residuals.at_rounding for s in (one, two, three))
    assert np.linalg.norm(L.T @ (one.a - two.a)) <= one.error_bound + two.error_bound
    assert np.linalg.norm(L.T @ (one.a - three.a)) <= one.error_bound + three.error_bound


def follower(constraints=(), force=(0.0, 0.0)):
    """A cart x with mass and a sensor s without."""
    return g.System(
        "cart and sensor",
        "x s",
        kinetic_energy=lambda v: 0.5 * v.x**2,
        force=list(force),
        constraints=list(constraints),
    )


def test_a_massless_coordinate_that_a_constraint_holds_is_accepted_by_accelerate():
    system = follower([g.Holonomic("belt", lambda q: q.s - 2.0 * q.x)], force=(1.0, 3.0))
    for solver in SOLVERS:
        step = g.accelerate(system, [0.0, 0.0], solver=solver)
        assert step.a == pytest.approx([7.0, 14.0], abs=rounding(14.0))
        assert step.regular


def test_a_massless_coordinate_that_nothing_holds_is_refused_by_name():
    with pytest.raises(NonUniqueAccelerationError, match="no inertia along s and no equality row") as caught:
        g.accelerate(follower(), [0.0, 0.0])
    assert "not unique" in str(caught.value)
    assert "Give these coordinates mass, or constrain them" in str(caught.value)


def test_a_force_on_a_coordinate_without_inertia_is_refused_as_unbounded():
    with pytest.raises(NonUniqueAccelerationError, match=r"along s .*unbounded"):
        g.accelerate(follower(force=(0.0, 1.0)), [0.0, 0.0])


@pytest.mark.parametrize("start", [g.accelerate, lambda *args: g.simulate(*args, t_end=1.0)])
def test_all_coordinates_without_inertia_are_named(start):
    system = g.System("three", "x y z", kinetic_energy=lambda v: 0.5 * v.y**2)
    with pytest.raises(NonUniqueAccelerationError) as caught:
        start(system, [0.0, 0.0, 0.0])
    assert "along x, z " in str(caught.value)


def test_a_direction_without_inertia_is_named_by_the_coordinates_that_share_it():
    system = g.System("sum only", "x y z", kinetic_energy=lambda v: 0.5 * (v.x + v.y) ** 2 + 0.5 * v.z**2)
    with pytest.raises(NonUniqueAccelerationError, match="along x, y and"):
        g.accelerate(system, [0.0, 0.0, 0.0])


@pytest.mark.parametrize("solver", SOLVERS)
def test_an_unbounded_force_has_no_certified_answer(solver):
    p = GaussProblem.of(np.diag([1.0, 0.0]), [1.0, 1.0], coordinates=["x", "s"])
    with pytest.raises(GaussError, match=r"unbounded|no acceleration|not certified"):
        solve(p, solver)
    with pytest.raises(NonUniqueAccelerationError, match=r"along s .*unbounded"):
        require_unique(p)


@pytest.mark.parametrize("solver", SOLVERS)
def test_an_indefinite_mass_matrix_is_refused_with_the_coordinates_of_its_direction(solver):
    p = GaussProblem.of(np.diag([1.0, -2.0, 3.0]), [0, 0, 0], coordinates=["x", "y", "z"])
    for act in (lambda: solve(p, solver), lambda: diagnose(p)):
        with pytest.raises(MassMatrixError, match="indefinite: an acceleration along y has"):
            act()


def test_an_indefinite_mass_matrix_is_refused_even_if_the_rows_hold_that_direction():
    p = GaussProblem.of(np.diag([1.0, -2.0]), [0, 0], [[0.0, 1.0]], [0.0])
    with pytest.raises(MassMatrixError, match="indefinite"):
        solve(p)


def test_an_unsymmetric_mass_matrix_is_refused_with_its_entries():
    with pytest.raises(MassMatrixError, match=r"not symmetric: entries \[x, y\] and \[y, x\] differ by 0.5"):
        GaussProblem.of([[1.0, 0.5], [0.0, 1.0]], [0.0, 0.0], coordinates=["x", "y"])


# --- semidefinite mass matrices in any units, and light ones ------------------------------------------------------


def whole_problem(seed):
    """M, f, J, γ in whole numbers: r coordinates with mass and others without, mixed, then in units of powers of 2."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    r, m = int(rng.integers(1, n + 1)), int(rng.integers(0, n + 1))
    B, M = rng.integers(-3, 4, (r, r)), np.zeros((n, n), dtype=int)
    M[:r, :r] = B.T @ B + np.diag(rng.integers(1, 4, r))
    J = rng.integers(-2, 3, (m, n))
    gamma = J @ rng.integers(-3, 4, n)
    f = rng.integers(-5, 6, n) if seed % 2 else M @ rng.integers(-3, 4, n) + J.T @ rng.integers(-3, 4, m)
    mixed = np.eye(n, dtype=int)
    for _ in range(2 * n):
        i, j = rng.choice(n, 2, replace=False)
        mixed[i] += int(rng.integers(-2, 3)) * mixed[j]
    units, rows = 2.0 ** rng.integers(-20, 21, n), 2.0 ** rng.integers(-15, 16, m)
    M, f, J = mixed.T @ M @ mixed, mixed.T @ f, J @ mixed
    return M * units[:, None] * units, f * units, rows[:, None] * J * units, rows * gamma


def exact_answer(M, f, J, gamma):
    """The acceleration, or "unbounded" or "not unique", in rationals: by ker M ∩ ker J and what f does along it."""
    n, m = len(f), len(J)
    both = sympy.Matrix([[sympy.Rational(x) for x in row] for row in np.vstack([M, J])])
    force = sympy.Matrix([sympy.Rational(x) for x in f])
    free = both.nullspace()
    if free:
        return "unbounded" if any(w.dot(force) != 0 for w in free) else "not unique"
    saddle = sympy.zeros(n + m)
    saddle[:, :n], saddle[:n, n:] = both, -both[n:, :].T
    right = sympy.Matrix(n + m, 1, [sympy.Rational(x) for x in [*f, *gamma]])
    found, left = saddle.gauss_jordan_solve(right)
    return list(found.subs(dict.fromkeys(left, 0))[:n])


@pytest.mark.parametrize("seed", range(40))
def test_directions_without_inertia_are_found_in_any_units(seed):
    numbers = whole_problem(seed)
    answer = exact_answer(*numbers)
    p = GaussProblem.of(*numbers)
    if isinstance(answer, str):
        with pytest.raises(NonUniqueAccelerationError, match=answer):
            require_unique(p)
        return
    require_unique(p)
    for solver in SOLVERS[:2]:
        found = solve(p, solver)
        off = np.array([float(sympy.Rational(x) - y) for x, y in zip(found.a, answer, strict=True)])
        assert np.linalg.norm(p.metric.L.T @ off) <= found.error_bound


@pytest.mark.parametrize("share", [0.1, 0.01, 0.001])
def test_a_direction_that_hardly_moves_the_last_coordinate_has_no_inertia_all_the_same(share):
    """The last pivot of Cholesky's factor is rounding over the square of the share, here of either sign."""
    light = np.array([1.0, -1.0, share])
    across = np.eye(3) - np.outer(light, light) / (light @ light)
    for seed in SEEDS:
        M = across @ random_mass(np.random.default_rng(seed), 3) @ across
        with pytest.raises(NonUniqueAccelerationError, match="unbounded"):
            require_unique(GaussProblem.of((M + M.T) / 2.0, [1.0, 0.0, 0.0]))


@pytest.mark.parametrize("mass", [1e-4, 1e-12, 1e-16, 1e-24, 1e-30])
@pytest.mark.parametrize("solver", SOLVERS[:2])
def test_a_light_coordinate_does_not_hide_that_rows_contradict_each_other(mass, solver):
    p = GaussProblem.of(np.diag([1.0, 1.0, mass]), [0.0, 0.0, 1.0], [[1, 1, 1], [1, 1, 1]], [0.0, 1.0])
    with pytest.raises(ContradictoryRowsError, match="'row 0', 'row 1' are dependent"):
        solve(p, solver)


@pytest.mark.parametrize("mass", [1e-16, 1e-20, 1e-24])
def test_a_light_coordinate_does_not_hide_that_bounds_contradict_each_other(mass):
    M, rows = np.diag([1.0, 1.0, mass]), [[1, 1, 1], [1, 1, 1]]
    p = GaussProblem.of(M, [0.0, 0.0, 1.0], rows, [1.0, -np.inf], [np.inf, 0.0], ["up", "down"])
    with pytest.raises(ContradictoryRowsError, match="'up', 'down' contradict each other") as caught:
        solve(p)
    assert caught.value.rows == ("up", "down")


@pytest.mark.parametrize("mass", [1.0, 1e-4, 1e-8, 1e-12])
def test_a_light_direction_does_not_make_rows_copies_of_each_other(mass):
    turn = np.array([[0.6, 0.8, 0.0], [-0.48, 0.36, 0.8], [0.64, -0.48, 0.6]])
    M = turn.T @ np.diag([mass, 1.0, 2.0]) @ turn
    J = np.array([[1.0, 1.0, 1.0], [1.0, 1.0 + 1e-10, 1.0]])
    p = GaussProblem.of((M + M.T) / 2.0, [0.0, 0.0, 0.0], J, [0.0, 1e-10])
    assert diagnose(p).rank == 2
    assert solve(p).a[1] == pytest.approx(1.0, rel=1e-5)  # the difference of the rows


@pytest.mark.parametrize("decade", range(14))
def test_the_printed_error_covers_what_rounding_makes_of_a_light_direction(decade):
    light, angle, force = 10.0**-decade, 1.3, (0.4, 0.7)
    c, s = g.cos, g.sin
    system = g.System(
        "light across",
        "x y a",
        kinetic_energy=lambda q, v: (
            0.5 * (c(q.a) * v.x + s(q.a) * v.y) ** 2 + 0.5 * light * (c(q.a) * v.y - s(q.a) * v.x) ** 2 + 0.5 * v.a**2
        ),
        force=[*force, 0.0],
    )
    found = g.accelerate(system, [0.1, 0.2, angle])
    with mpmath.workdps(50):
        along = mpmath.matrix([[mpmath.cos(angle), mpmath.sin(angle)], [-mpmath.sin(angle), mpmath.cos(angle)]])
        off = along * mpmath.matrix(found.a[:2].tolist())
        push = along * mpmath.matrix(force)
        wrong = mpmath.sqrt((off[0] - push[0]) ** 2 + light * (off[1] - push[1] / light) ** 2)
    assert wrong <= found.error
    assert found.unique


def test_the_printed_error_knows_that_a_large_angle_is_not_known_well():
    pendulum = g.System(
        "pendulum",
        "a",
        kinetic_energy=lambda v: 0.5 * v.a**2,
        potential_energy=lambda q: -9.81 * g.cos(q.a),
    )
    for angle in (1e4, 1e8, 1e12):
        found = g.accelerate(pendulum, [angle])
        assert found.error > 0.05 * np.spacing(angle)


@pytest.mark.parametrize("small", [1.0, 1e-4, 1e-8])
def test_a_force_that_rows_take_is_no_error_of_the_acceleration(small):
    """A massless end in a small unit, tied to a mass: the spring's force on it is known to its own digits only."""
    tied = g.System(
        "tied",
        "x s",
        kinetic_energy=lambda v: 0.5 * v.x**2,
        potential_energy=lambda q: 0.5 * (q.s / small) ** 2,
        constraints=[g.Holonomic("tie", lambda q: q.s / small - 2.0 * q.x)],
    )
    found = g.accelerate(tied, [1.0, 2.0 * small])
    assert found.a == pytest.approx([-4.0, -8.0 * small])
    assert found.error < 1e-14 / small


def on_floor(push, *more):
    floor = g.Unilateral("floor", lambda q: q.s - q.x**2)
    return g.System(
        "cart and slider", "x s", kinetic_energy=lambda v: 0.5 * v.x**2, force=[0.0, push], constraints=[floor, *more]
    )


@pytest.mark.parametrize("push", [-1.0, -1e-9, -1e9])
def test_a_coordinate_without_inertia_is_held_by_a_contact_that_it_presses(push):
    # λ = −push, ẍ = −2 x λ, s̈ = 2 ẋ² + 2 x ẍ
    found = g.accelerate(on_floor(push), [0.5, 0.25], [1.0, 1.0])
    assert found.a == pytest.approx([push, 2.0 + push], rel=1e-12)
    assert found.multiplier("floor") == pytest.approx(-push)
    assert found.unique


@pytest.mark.parametrize(
    ("push", "more", "words"),
    [
        (1.0, (), "so the Zwang is unbounded"),
        (0.0, (), "so the acceleration is not unique"),
        (0.0, (g.Unilateral("lid", lambda q: q.x**2 - q.s),), "presses 'floor', 'lid' so that"),
    ],
)
def test_a_contact_that_is_not_pressed_holds_nothing(push, more, words):
    with pytest.raises(NonUniqueAccelerationError, match=words):
        g.accelerate(on_floor(push, *more), [0.5, 0.25], [1.0, 1.0])


def test_a_floor_given_twice_holds_what_is_pressed_onto_it():
    found = g.accelerate(on_floor(-1.0, g.Unilateral("again", lambda q: 2.0 * q.s - 2.0 * q.x**2)), [0.5, 0.25], [1, 1])
    assert found.a == pytest.approx([-1.0, 1.0], rel=1e-12)
    assert found.unique
    assert found.multiplier("floor") + 2.0 * found.multiplier("again") == pytest.approx(1.0)


def test_balanced_forces_press_nothing():
    """Two springs hold a slider: what is left of their forces is rounding, and has a sign that says nothing."""
    springs = g.System(
        "springs",
        "x s",
        kinetic_energy=lambda v: 0.5 * v.x**2,
        potential_energy=lambda q: 0.5 * (q.s - q.x - 0.1) ** 2 + 0.5 * (q.s - q.x - 0.2) ** 2,
        constraints=[g.Unilateral("stop", lambda q: q.s - q.x - 0.15)],
    )
    for x in (0.1, 0.3, 0.7, 1.0 / 3.0):
        with pytest.raises(NonUniqueAccelerationError, match="so the acceleration is not unique"):
            g.accelerate(springs, [x, x + 0.15])


def test_a_motion_that_only_a_contact_determines_is_refused():
    with pytest.raises(NonUniqueAccelerationError, match="only 'floor', pressed by the force at t = 0"):
        g.simulate(on_floor(-1.0), [0.5, 0.25], [1.0, 1.0], t_end=1.0)


def test_rows_that_contradict_each_other_are_said_to_beside_a_free_direction():
    p = GaussProblem.of(np.diag([1.0, 0.0]), [0.0, 1.0], [[1.0, 0.0], [1.0, 0.0]], [1.0, -np.inf], [np.inf, 0.0])
    with pytest.raises(ContradictoryRowsError, match="'row 0', 'row 1' contradict each other"):
        require_unique(p)


# --- along a motion ----------------------------------------------------------------------------------------------


def test_a_position_where_bars_align_is_rank_deficient_and_its_neighbours_are_not():
    """A parallelogram of equal bars flat on the x axis: its loop can open in two ways."""

    def system():
        return g.System(
            "parallelogram",
            "x1 y1 x2 y2",
            kinetic_energy=lambda v: 0.5 * (v.x1**2 + v.y1**2 + v.x2**2 + v.y2**2),
            constraints=[
                g.Holonomic("left", lambda q: q.x1**2 + q.y1**2 - 1.0),
                g.Holonomic("right", lambda q: (q.x2 - 2.0) ** 2 + q.y2**2 - 1.0),
                g.Holonomic("coupler", lambda q: (q.x2 - q.x1) ** 2 + (q.y2 - q.y1) ** 2 - 4.0),
            ],
        )

    flat = g.accelerate(system(), [1.0, 0.0, 3.0, 0.0])
    assert flat.dependent == (("left", "right", "coupler"),)
    assert flat.regularity.rank == 2
    assert flat.verdicts == ("branching",)
    assert np.array_equal(flat.a, np.zeros(4))  # no force: on both branches the Zwang is stationary at rest only
    with pytest.raises(SingularPositionError, match="'left' and 'right' and 'coupler'") as caught:
        g.simulate(system(), [1.0, 0.0, 3.0, 0.0], t_end=1.0)
    assert caught.value.verdict.regularity.rank == 2
    for angle in (0.1, 1.0, 2.0):
        c, s = np.cos(angle), np.sin(angle)
        verdict = g.accelerate(system(), [c, s, 2.0 + c, s])
        assert verdict.regular
        assert 0.0 < verdict.sigma_min < abs(np.sin(angle))


def test_a_row_that_vanishes_by_rounding_demands_nothing_that_small():
    """On the handle of Whitney's umbrella, 1e-16 off it: x² = y² z has the row (2x, …) of 1e-15, and γ = 3e-31."""
    umbrella = g.System(
        "umbrella",
        "x y z",
        kinetic_energy=lambda v: 0.5 * (0.33 * v.x**2 + 0.13 * v.y**2 + 0.11 * v.z**2),
        force=[7.3, -15.0, -23.7],
        constraints=[g.Holonomic("row", lambda q: q.x**2 - q.y**2 * q.z)],
    )
    q, v = [-6.08e-16, 1.22e-16, -1.2e-13], [3.7e-16, -7.2e-17, 0.64]
    found = g.classify(umbrella, q, v)
    assert found.accelerations.status != "none"
    assert any("does not determine the acceleration" in text for text in found.warnings)


@pytest.mark.parametrize("seed", range(12))
def test_a_wall_without_slope_demands_nothing_that_is_rounding_of_a_velocity(seed):
    """On w = u² the gap u w = u³ opens ahead of u̇ > 0; its second derivative 2 u̇ ẇ is rounding of ẇ = 0."""
    rng = np.random.default_rng(seed)
    place, A = np.round(rng.normal(size=2), 3), np.round(rng.uniform(-1, 1, (2, 2)) * 8) / 8 + 2 * np.eye(2)
    at = A @ place

    def uw(q):
        return (A[0, 0] * q.x + A[0, 1] * q.y - at[0], A[1, 0] * q.x + A[1, 1] * q.y - at[1])

    def row(q):
        u, w = uw(q)
        return (w - u**2) ** 2

    def gap(q):
        u, w = uw(q)
        return u * w

    bead = g.System(
        "bead",
        "x y",
        mass_matrix=np.eye(2),
        force=[1.0, -2.0],
        constraints=[g.Holonomic("curve", row), g.Unilateral("wall", gap)],
    )
    inverse = np.linalg.inv(A)
    tangent, rate = inverse[:, 0], 0.8
    found = g.classify(bead, place, rate * tangent)
    offset = 2.0 * rate**2 * inverse[:, 1]
    along = tangent @ (np.array([1.0, -2.0]) - offset) / (tangent @ tangent)
    assert found.verdict == "locked", str(found)
    np.testing.assert_allclose(found.a, offset + along * tangent, atol=1e-9)
