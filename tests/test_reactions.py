"""Ranges of multipliers: against statics, against exact enumeration of vertices, and under changes of units."""

from __future__ import annotations

import functools
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from planted import planted, random_mass, rounding

import gauss as g
from gauss.errors import InputError
from gauss.model import Rows
from gauss.principle import GaussProblem, solve
from gauss.uniqueness import reactions

WEIGHT = 19.62  # N, of a body of 2 kg
SEEDS = range(40)
RANGES = 1e-9  # relative to the reaction: what `accuracy` and the decisions are stated to


def system(J, force, sign=None, M=None, names=None):
    """A body in rest on the rows J a = 0 (sign 0), J a ≥ 0 (+1) or J a ≤ 0 (−1), pushed by a force."""
    J = np.array(J, dtype=float)
    sign = np.ones(len(J)) if sign is None else np.array(sign)
    lower, upper = np.where(sign >= 0, 0.0, -np.inf), np.where(sign <= 0, 0.0, np.inf)
    return GaussProblem.of(np.eye(J.shape[1]) if M is None else M, force, J, lower, upper, names)


# --- statics -----------------------------------------------------------------------------------------------------

LEGS = {"front left": (1, 1), "front right": (1, -1), "rear left": (-1, 1), "rear right": (-1, -1)}


def table(x=0.0, y=0.0, legs=LEGS):
    """A rigid table of 2 kg with its centre of mass at (x, y): height z, small tilts alpha and beta, legs as gaps."""
    return g.System(
        "table",
        coordinates="z alpha beta",
        mass_matrix=np.diag([2.0, 0.3, 0.4]),
        force=lambda q: [-WEIGHT, -WEIGHT * x, -WEIGHT * y],
        constraints=[g.Unilateral(name, leg(place)) for name, place in legs.items()],
    )


def leg(place):
    """The gap under a leg at (x, y)."""
    return lambda q: q.z + place[0] * q.alpha + place[1] * q.beta


def standing(**where):
    return reactions(g.accelerate(table(**where), q=[0.0, 0.0, 0.0]).solution)


def test_each_leg_of_a_table_carries_between_nothing_and_half_the_weight():
    found = standing()
    assert found.low == pytest.approx(np.zeros(4), abs=rounding(WEIGHT))
    assert found.high == pytest.approx(np.full(4, WEIGHT / 2), abs=rounding(WEIGHT))
    assert found.undetermined == tuple(LEGS)
    assert found.multipliers == pytest.approx(np.full(4, WEIGHT / 4), abs=rounding(WEIGHT))
    assert found.groups == found.dependent == (tuple(LEGS),)
    assert found.group_reaction[0] == pytest.approx([WEIGHT, 0.0, 0.0], abs=rounding(WEIGHT))
    assert "a choice" in found.choice
    assert found.accuracy < 1e-13


def test_under_an_off_centre_load_each_leg_has_the_range_that_the_moments_leave_it():
    # Force and moments leave one freedom, the load t of the rear right leg: front left (x + y) W/2 + t,
    # front right (1 − y) W/2 − t, rear left (1 − x) W/2 − t, all ≥ 0.
    x, y = 0.4, 0.2
    found = standing(x=x, y=y)
    most = min(1 - x, 1 - y) / 2
    expected = {
        "front left": ((x + y) / 2, (x + y) / 2 + most),
        "front right": ((1 - y) / 2 - most, (1 - y) / 2),
        "rear left": ((1 - x) / 2 - most, (1 - x) / 2),
        "rear right": (0.0, most),
    }
    for name, (low, high) in expected.items():
        assert found.range_of(name) == pytest.approx((low * WEIGHT, high * WEIGHT), abs=RANGES * WEIGHT)


def test_a_load_on_one_leg_is_carried_by_that_leg_alone_although_the_legs_are_dependent():
    found = standing(x=1.0, y=1.0)
    assert found.dependent == (tuple(LEGS),)
    assert found.unique
    assert found.groups == ()
    assert found.choice.startswith("unique")
    assert found.multipliers == pytest.approx([WEIGHT, 0.0, 0.0, 0.0], abs=rounding(WEIGHT))
    assert "although" in found.sentence


def test_ranges_narrower_than_the_stated_share_of_the_reaction_count_as_determined_and_wider_ones_do_not():
    narrow, wide = standing(x=1.0, y=1.0 - 1e-11), standing(x=1.0 - 1e-6, y=1.0 - 1e-6)
    assert narrow.unique
    assert np.array_equal(narrow.low, narrow.high)
    assert wide.undetermined == tuple(LEGS)
    assert wide.high - wide.low == pytest.approx(np.full(4, 0.5e-6 * WEIGHT), rel=1e-6)  # 1 − x, known to 1e-10


def test_a_load_on_an_edge_is_carried_by_its_two_legs():
    found = standing(x=1.0, y=0.5)
    assert found.unique
    assert found.multipliers == pytest.approx([0.75 * WEIGHT, 0.25 * WEIGHT, 0.0, 0.0], abs=rounding(WEIGHT))


def test_three_legs_are_determined():
    found = standing(x=0.2, legs={"a": (1, 1), "b": (1, -1), "c": (-1, 0)})
    assert found.unique
    assert found.dependent == ()
    assert "independent" in found.sentence
    assert found.multipliers == pytest.approx([0.3 * WEIGHT, 0.3 * WEIGHT, 0.4 * WEIGHT], abs=rounding(WEIGHT))


WIDTH, HEIGHTS = 0.5, {"top": 1.0, "middle": 0.25, "bottom": -1.0}


def door(across=tuple(HEIGHTS), along=tuple(HEIGHTS)):
    """A door of 2 kg in its plane (x, z, turn), its centre of mass WIDTH from the hinges; some hinges hold one way."""
    J = [[1.0, 0.0, -HEIGHTS[h]] for h in across] + [[0.0, 1.0, -WIDTH] for _ in along]
    names = [f"{h} across" for h in across] + [f"{h} along" for h in along]
    return reactions(solve(system(J, [0.0, -WEIGHT, 0.0], np.zeros(len(J)), np.diag([2.0, 2.0, 0.3]), names)))


def test_three_hinges_of_a_door_share_weight_and_moment_in_any_way_but_their_totals_are_unique():
    found = door()
    assert np.all(found.low == -np.inf)
    assert np.all(found.high == np.inf)
    assert [set(group) for group in found.groups] == [{f"{h} across" for h in HEIGHTS}, {f"{h} along" for h in HEIGHTS}]
    totals = [[0.0, 0.0, WIDTH * WEIGHT], [0.0, WEIGHT, -WIDTH * WEIGHT]]
    assert found.group_reaction == pytest.approx(np.array(totals), abs=rounding(WEIGHT, 10))
    assert found.reaction == pytest.approx([0.0, WEIGHT, 0.0], abs=rounding(WEIGHT, 10))


def test_a_door_that_one_hinge_carries_and_two_steady_is_determined():
    found = door(across=("top", "bottom"), along=("bottom",))
    assert found.unique
    couple = WIDTH * WEIGHT / 2.0  # hinges 2 m apart
    assert found.multipliers == pytest.approx([-couple, couple, WEIGHT], abs=rounding(WEIGHT, 10))


def test_a_joint_given_twice_has_infinite_ranges_and_a_unique_sum():
    problem = system([[1, 0], [2, 0], [0, 1]], [-3.0, 5.0], [0, 0, 0], names=["joint", "copy", "other"])
    found = reactions(solve(problem))
    assert found.undetermined == ("joint", "copy")
    assert found.range_of("joint") == found.range_of("copy") == (-np.inf, np.inf)
    assert found.range_of("other") == pytest.approx((-5.0, -5.0), abs=rounding(5.0))
    assert found.groups == (("joint", "copy"),)
    assert found.group_reaction == pytest.approx(np.array([[3.0, 0.0]]), abs=rounding(3.0))
    assert found.force_of("joint") == pytest.approx([1.5, 0.0], abs=rounding(3.0))  # half each: least sum of squares
    assert found.force_of("copy") == pytest.approx([1.5, 0.0], abs=rounding(3.0))


def test_a_joint_backed_by_a_stop_is_bounded_on_one_side():
    found = reactions(solve(system([[1, 0], [1, 0]], [-3.0, 0.0], [0, 1], names=["joint", "stop"])))
    assert found.range_of("stop") == (0.0, np.inf)
    assert found.low[0] == -np.inf
    assert found.high[0] == pytest.approx(3.0, abs=rounding(3.0))


def test_groups_separate_what_three_equal_joints_share():
    J = [[1, 0, 0], [1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1]]
    found = reactions(solve(system(J, [1.0, 2.0, 3.0], np.zeros(6), names=list("abcdef"))))
    assert found.groups == (("a", "b", "c"), ("d", "e"))
    assert found.dependent == (("a", "b"), ("a", "c"), ("d", "e"))
    assert found.undetermined == tuple("abcde")


def test_dependent_rows_with_one_fitting_choice_are_determined():
    found = reactions(solve(system([[1, 0], [0, 1], [1, 1]], [-1.0, 0.0])))
    assert found.dependent
    assert found.unique
    assert found.multipliers == pytest.approx([1.0, 0.0, 0.0], abs=rounding())
    loose = reactions(solve(system([[1, 0], [0, 1], [1, 1]], [-1.0, -0.5])))
    assert loose.low == pytest.approx([0.5, 0.0, 0.0], abs=rounding())
    assert loose.high == pytest.approx([1.0, 0.5, 0.5], abs=rounding())


def test_a_row_that_vanishes_has_an_undetermined_multiplier_and_a_determined_force():
    found = reactions(
        solve(system([[1, 0], [0, 0], [0, 0]], [-1.0, 0.0], [0, 1, 0], names=["wall", "stop", "nothing"]))
    )
    assert found.undetermined == ("stop", "nothing")
    assert found.range_of("stop") == (0.0, np.inf)
    assert found.range_of("nothing") == (-np.inf, np.inf)
    assert np.all(found.force_determined)
    assert np.all(found.forces[1:] == 0.0)
    assert found.dependent == (("stop",), ("nothing",))


def test_rows_with_slack_and_open_contacts_carry_nothing():
    J = [[1, 0], [1, 0], [1, 0], [1, 0]]
    bounds = [0.0, -1e-6, -np.inf, 0.0], [np.inf, np.inf, np.inf, np.inf]
    problem = GaussProblem.of(np.eye(2), [-1.0, 0.0], J, *bounds, ["floor", "lower", "open", "twin"])
    found = reactions(solve(problem))
    assert found.undetermined == ("floor", "twin")
    assert found.range_of("lower") == found.range_of("open") == (0.0, 0.0)


def test_nothing_that_presses_nothing_is_undetermined():
    legs = np.array([(1, x, y) for x, y in LEGS.values()])
    found = reactions(solve(system(legs, [0.0, 0.0, 0.0])))
    assert found.unique
    assert np.all(found.multipliers == 0.0)
    assert np.all(found.share == 0.0)


def test_a_problem_without_rows_has_no_reactions():
    found = reactions(solve(GaussProblem.of(np.eye(2), [1.0, 0.0])))
    assert found.unique
    assert found.rows == found.groups == found.dependent == ()
    assert np.all(found.reaction == 0.0)
    assert "no rows" in str(found)


def test_the_table_shows_every_row_with_its_range():
    text = str(standing())
    for name in LEGS:
        line = next(line for line in text.splitlines() if line.startswith(name))
        assert line.split()[-5:] == ["9.81", "4.905", f"{standing().share[0]:.3g}", "a", "choice"]
    assert "not determined: 'front left'" in text
    assert "'front left' + 'front right' + 'rear left' + 'rear right'" in text


# --- exact enumeration -------------------------------------------------------------------------------------------


def solved(columns, right):
    """The exact solution of a square or tall system with independent columns, or None if there is none."""
    table_ = [[*(column[i] for column in columns), right[i]] for i in range(len(right))]
    done = 0
    for j in range(len(columns)):
        pivot = next((i for i in range(done, len(table_)) if table_[i][j] != 0), None)
        if pivot is None:
            return None
        table_[done], table_[pivot] = table_[pivot], table_[done]
        table_[done] = [x / table_[done][j] for x in table_[done]]
        for i in range(len(table_)):
            if i != done:
                table_[i] = [x - table_[i][j] * y for x, y in zip(table_[i], table_[done])]
        done += 1
    return None if any(line[-1] != 0 for line in table_[done:]) else [table_[j][-1] for j in range(len(columns))]


def vertices(columns, right):
    """All vertices of {x ≥ 0 : Σ x_k column_k = right}, exactly: the solutions on independent columns."""
    found = set()
    for size in range(len(right) + 1):
        for chosen in combinations(range(len(columns)), size):
            values = solved([columns[k] for k in chosen], right)
            if values is not None and all(value >= 0 for value in values):
                x = [Fraction(0)] * len(columns)
                for k, value in zip(chosen, values):
                    x[k] = value
                found.add(tuple(x))
    return [list(x) for x in found]


class Exact:
    """The polyhedron {λ : Jᵀλ = force, sign·λ ≥ 0} in rational arithmetic; a free λ is a difference of two x ≥ 0."""

    def __init__(self, J, sign, force):
        parts = [(k, s) for k in range(len(J)) for s in ((1, -1) if sign[k] == 0 else (sign[k],))]
        columns = [[Fraction(int(s) * int(x)) for x in J[k]] for k, s in parts]
        self.m = len(J)
        self.vertices = [self.joined(parts, x) for x in vertices(columns, [Fraction(int(x)) for x in force])]
        cone = [[*column, Fraction(1)] for column in columns]
        self.rays = [self.joined(parts, x) for x in vertices(cone, [Fraction(0)] * len(force) + [Fraction(1)])]

    def joined(self, parts, x):
        values = [Fraction(0)] * self.m
        for (k, s), value in zip(parts, x):
            values[k] += int(s) * value
        return values

    @property
    def low(self):
        return self.extreme(min, lambda x: x < 0, -np.inf)

    @property
    def high(self):
        return self.extreme(max, lambda x: x > 0, np.inf)

    def extreme(self, best, beyond, infinite):
        bounded = [float(best(v[k] for v in self.vertices)) for k in range(self.m)]
        return np.array([infinite if any(beyond(r[k]) for r in self.rays) else bounded[k] for k in range(self.m)])


@functools.cache
def drawn(seed):
    """Integer rows, more than coordinates, all of them touched; integer multipliers, about half of them zero."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 4))
    m = n + int(rng.integers(1, 3))
    J = rng.integers(-2, 3, size=(m, n))
    sign = rng.choice([1, 1, 1, -1, 0], size=m)
    multipliers = rng.integers(1, 5, size=m) * np.where(sign == 0, 1, sign) * (rng.random(m) < 0.5)
    a = rng.integers(-3, 4, size=n)
    return J, sign, multipliers, a


def drawn_problem(seed, M=None):
    J, sign, multipliers, a = drawn(seed)
    M = np.eye(len(a)) if M is None else M
    value = (J @ a).astype(float)
    lower, upper = np.where(sign >= 0, value, -np.inf), np.where(sign <= 0, value, np.inf)
    return GaussProblem.of(M, M @ a - J.T @ multipliers, J.astype(float), lower, upper)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("seed", SEEDS)
def test_ranges_are_those_of_the_exact_vertices_and_rays(seed):
    J, sign, multipliers, _ = drawn(seed)
    exact = Exact(J, sign, J.T @ multipliers)
    found = reactions(solve(drawn_problem(seed)))
    size = max(1.0, float(np.linalg.norm(J.T @ multipliers)))
    for mine, theirs in ((found.low, exact.low), (found.high, exact.high)):
        finite = np.isfinite(theirs)
        assert np.array_equal(mine[~finite], theirs[~finite])
        assert mine[finite] == pytest.approx(theirs[finite], abs=RANGES * size)
    assert np.array_equal(found.determined, exact.low == exact.high)
    assert np.array_equal(found.low[found.determined], found.high[found.determined])
    assert found.accuracy <= RANGES


@pytest.mark.long
def test_the_random_polyhedra_hold_points_segments_and_unbounded_ones():
    exact = [Exact(J, sign, J.T @ multipliers) for J, sign, multipliers, _ in map(drawn, SEEDS)]
    dependent = [reactions(solve(drawn_problem(seed))).dependent != () for seed in SEEDS]
    points = [np.array_equal(e.low, e.high) for e in exact]
    assert sum(points) >= 3
    assert all(dependent)
    assert sum(not e.rays and not p for e, p in zip(exact, points)) >= 3
    assert sum(bool(np.isinf(e.low).any() and np.isinf(e.high).any()) for e in exact) >= 3


@pytest.mark.sampled(8)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_choice_is_the_one_of_least_norm_by_the_variational_inequality(seed):
    J, sign, multipliers, _ = drawn(seed)
    exact = Exact(J, sign, J.T @ multipliers)
    x = reactions(solve(drawn_problem(seed))).multipliers
    size = np.sum(J.astype(float) ** 2, axis=1)  # squared size of a row's force at λ = 1, for unit masses
    scale = float(np.sum(size * x**2)) + 1.0
    for vertex in exact.vertices:
        assert np.sum(size * x * (np.array(vertex, dtype=float) - x)) >= -RANGES * scale
    for ray in exact.rays:
        assert np.sum(size * x * np.array(ray, dtype=float)) >= -RANGES * scale
    assert J.T @ x == pytest.approx(J.T @ multipliers, abs=RANGES * scale)
    assert np.all(sign * x >= 0.0)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("seed", SEEDS)
def test_totals_of_groups_are_the_same_at_all_vertices_and_no_smaller_group_has_that(seed):
    J, sign, multipliers, _ = drawn(seed)
    exact = Exact(J, sign, J.T @ multipliers)
    found = reactions(solve(drawn_problem(seed)))
    points = np.array([*exact.vertices], dtype=float)
    moves = np.vstack([points - points[0], np.array(exact.rays, dtype=float).reshape(-1, len(J))])
    for names, total in zip(found.groups, found.group_reaction):
        members = [found.rows.index(name) for name in names]
        force = J[members].T @ points[0][members]
        assert total == pytest.approx(force, abs=RANGES * (1.0 + np.abs(force).max()))
        assert np.abs(moves[:, members] @ J[members]).max() <= RANGES * (1.0 + np.abs(moves).max())
        for size in range(1, len(members)):
            for part in combinations(members, size):
                part_moves = moves[:, part] @ J[list(part)]
                rest = [k for k in members if k not in part]
                assert np.abs(part_moves).max() > 1e-6 or not np.any(J[list(part)]) or not np.any(J[rest])


# --- linear algebra ----------------------------------------------------------------------------------------------


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", SEEDS)
def test_an_equality_multiplier_is_determined_iff_leaving_its_row_out_lowers_the_rank(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(2, 7)), int(rng.integers(2, 9))
    J = rng.integers(-1, 2, size=(m, n)) * (rng.random((m, n)) < 0.6)
    M = random_mass(rng, n)
    problem = GaussProblem.of(M, rng.normal(size=n), J, J @ rng.normal(size=n))
    found = reactions(solve(problem))
    rank = np.linalg.matrix_rank(J)
    needed = [np.linalg.matrix_rank(np.delete(J, k, axis=0)) < rank if m > 1 else True for k in range(m)]
    assert found.determined.tolist() == needed


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(20))
def test_independent_rows_keep_the_multipliers_of_the_certificate(seed):
    case = planted(np.random.default_rng(seed))
    solution = solve(case.problem)
    found = reactions(solution)
    assert found.unique
    size = np.linalg.norm(np.linalg.solve(case.L, case.problem.rows.J.T), axis=0)
    noise = solution.residuals.rounding * solution.residuals.stationarity_scale
    assert np.all(np.abs(found.multipliers - solution.multipliers) * size <= max(noise, 1e-15))
    assert np.array_equal(found.low, found.high)


# --- invariance --------------------------------------------------------------------------------------------------


def changed(problem, T, D, mass, rate):
    """The same problem for b with a = rate·T b, rows multiplied by D (one may change its sign), masses by `mass`."""
    rows = problem.rows
    lower, upper = rate * D * rows.lower, rate * D * rows.upper
    swap = D < 0
    M = mass * T.T @ problem.M @ T
    return GaussProblem.of(
        (M + M.T) / 2,
        mass * rate * T.T @ problem.f,
        D[:, None] * rows.J @ T,
        np.where(swap, upper, lower),
        np.where(swap, lower, upper),
        rows.names,
    )


UNITS = {
    "mm, kg, s": (1e3, 1.0, 1.0),
    "m, t, ms": (1.0, 1e-3, 1e-6),
    "µm, g, min": (1e6, 1e3, 3600.0),
    "km, t, h": (1e-3, 1e-3, 1.296e7),
}


@pytest.mark.sampled(14)
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("seed", SEEDS)
def test_verdicts_and_ranges_do_not_depend_on_the_units(seed, unit):
    length, mass, rate = UNITS[unit]  # what 1 m, 1 kg and 1 m/s² are, up to the length, in the new units
    problem = drawn_problem(seed)
    one = reactions(solve(problem))
    turned = np.arange(problem.n) % 2 == 1  # every second coordinate is an angle and keeps its unit
    T = np.diag(np.where(turned, 1.0, 1.0 / length))
    other = reactions(solve(changed(problem, T, np.full(problem.m, length), mass, rate)))
    expect_agreement(problem, one, other, mass * rate / length)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("seed", SEEDS)
def test_verdicts_and_ranges_do_not_depend_on_coordinates_masses_or_the_scaling_of_rows(seed):
    rng = np.random.default_rng(seed)
    n = drawn_problem(seed).n
    problem = drawn_problem(seed, M=np.round(random_mass(rng, n), 3))
    one = reactions(solve(problem))
    T = rng.normal(size=(n, n)) + 2.0 * np.eye(n)
    D = 10.0 ** rng.uniform(-4, 4, problem.m) * np.where(rng.random(problem.m) < 0.3, -1.0, 1.0)
    expect_agreement(problem, one, reactions(solve(changed(problem, T, D, 3.0, 7.0))), 21.0 / D)


def expect_agreement(problem, one, other, factor):
    """Verdicts are the same and multipliers differ by a factor (m,), relative to the size of the reaction."""
    assert np.array_equal(one.determined, other.determined)
    for found in (one, other):
        assert np.array_equal(found.low[found.determined], found.high[found.determined])
    assert one.groups == other.groups
    assert one.dependent == other.dependent
    assert one.choice == other.choice
    factor = np.broadcast_to(factor, problem.m)
    L = np.linalg.cholesky(problem.M)
    size = np.linalg.norm(np.linalg.solve(L, problem.rows.J.T), axis=0)
    scale = np.linalg.norm(np.linalg.solve(L, one.reaction)) + 1.0
    low, high = (np.where(factor > 0, x, y) / factor for x, y in ((other.low, other.high), (other.high, other.low)))
    for mine, theirs in ((one.low, low), (one.high, high), (one.multipliers, other.multipliers / factor)):
        finite = np.isfinite(mine)
        assert np.array_equal(mine[~finite], theirs[~finite])
        assert np.max(np.abs(mine[finite] - theirs[finite]) * size[finite], initial=0.0) <= RANGES * scale
    assert other.share == pytest.approx(one.share, abs=RANGES * (1.0 + np.max(one.share, initial=0.0)))


@pytest.mark.sampled(8)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_of_the_rows_does_not_matter(seed):
    problem = drawn_problem(seed)
    order = np.random.default_rng(seed).permutation(problem.m)
    rows = problem.rows
    names = [rows.names[k] for k in order]
    mixed = GaussProblem.of(problem.M, problem.f, rows.J[order], rows.lower[order], rows.upper[order], names)
    one, other = reactions(solve(problem)), reactions(solve(mixed))
    for name in rows.names:
        assert other.range_of(name) == pytest.approx(one.range_of(name), abs=RANGES * 100.0)
    assert {frozenset(group) for group in one.groups} == {frozenset(group) for group in other.groups}


# --- more rows, semidefinite masses, bad input -------------------------------------------------------------------


def test_extra_rows_share_the_reaction():
    # y ≥ 0 twice as an ordinary row would; the acceleration (0, 0) satisfies both, and only their sum is determined.
    solution = solve(system([[0, 1]], [0.0, -3.0], names=["floor"]))
    found = reactions(solution, extra=Rows.of([[0.0, 2.0]], [0.0], [np.inf], ["second order"]))
    assert found.rows == ("floor", "second order")
    assert found.groups == (("floor", "second order"),)
    assert found.high == pytest.approx([3.0, 1.5], abs=rounding(3.0))
    assert found.reaction == pytest.approx([0.0, 3.0], abs=rounding(3.0))


def test_extra_rows_that_have_slack_at_the_acceleration_carry_nothing():
    solution = solve(system([[0, 1]], [0.0, -3.0], names=["floor"]))
    found = reactions(solution, extra=Rows.of([[0.0, 1.0]], [-1.0], [np.inf], ["below"]))
    assert found.unique
    assert found.range_of("below") == (0.0, 0.0)
    assert found.range_of("floor") == pytest.approx((3.0, 3.0), abs=rounding(3.0))


def test_extra_rows_must_fit():
    solution = solve(system([[0, 1]], [0.0, -3.0], names=["floor"]))
    with pytest.raises(InputError, match="on 2 accelerations"):
        reactions(solution, extra=Rows.of([[1.0]], [0.0], [0.0], ["other"]))
    with pytest.raises(InputError, match="distinct"):
        reactions(solution, extra=Rows.of([[0.0, 1.0]], [0.0], [0.0], ["floor"]))


def test_an_acceleration_that_no_multipliers_of_the_rows_explain_is_refused():
    solution = solve(system([[0, 1], [1, 0]], [0.0, -3.0], names=["floor", "wall"]))
    fewer = system([[1, 0]], [0.0, -3.0], names=["wall"])
    wrong = replace(solution, problem=fewer, multipliers=np.zeros(1))
    with pytest.raises(InputError, match="does not minimise"):
        reactions(wrong, extra=Rows.of([[1.0, 0.0]], [0.0], [np.inf], ["twin"]))


def test_anything_but_a_solution_is_refused():
    with pytest.raises(InputError, match="GaussSolution"):
        reactions(system([[0, 1]], [0.0, -3.0]))


def test_unknown_rows_are_refused_by_name():
    found = standing()
    with pytest.raises(InputError, match="fifth leg"):
        found.range_of("fifth leg")
    with pytest.raises(InputError, match="fifth leg"):
        found.force_of("fifth leg")


def test_a_massless_coordinate_held_by_rows_has_reactions_too():
    M = np.diag([1.0, 0.0])
    problem = GaussProblem.of(M, [-1.0, -2.0], [[0, 1], [0, 1], [1, 0]], [0, 0, 0], None, ["held", "again", "wall"])
    found = reactions(solve(problem))
    assert found.groups == (("held", "again"),)
    assert found.group_reaction == pytest.approx(np.array([[0.0, 2.0]]), abs=rounding(2.0))
    assert found.range_of("wall") == pytest.approx((1.0, 1.0), abs=rounding())


@pytest.mark.parametrize("decades", range(-20, 21, 5))
def test_a_chain_held_at_both_ends_is_open_however_heavy_its_bodies_are(decades):
    """Two bodies in line, each held to the next and both ends to the ground: one tension goes through all three."""
    mass = 10.0 ** (decades / 2.0)
    rows = [[1.0, 0.0], [-1.0, 1.0], [0.0, 1.0]]
    problem = system(rows, [mass, -1.0 / mass], [0, 0, 0], np.diag([mass, 1.0 / mass]), ["first", "between", "second"])
    found = reactions(solve(problem))
    assert found.undetermined == found.rows
    assert found.groups == found.dependent == (found.rows,)
    assert np.all(found.low == -np.inf)
    assert np.all(found.high == np.inf)
    assert found.group_reaction[0] == pytest.approx([-mass, 1.0 / mass], rel=1e-12)


def test_rows_dependent_up_to_an_error_of_the_state_are_ranged_when_the_tolerance_says_so():
    rows = [[1.0, 0.0, 0.0], [1.0, 1e-9, 0.0], [0.0, 0.0, 1.0]]
    solution = solve(system(rows, [-1.0, 0.0, -1.0], [0, 0, 0], names=["joint", "twin", "z"]))
    assert reactions(solution).unique
    found = reactions(solution, rank_tolerance=1e-7)
    assert found.undetermined == ("joint", "twin")
    assert found.range_of("joint") == (-np.inf, np.inf)
    assert 1e-10 < found.accuracy < 1e-8  # half the angle between the rows


@pytest.mark.parametrize(
    ("force", "undetermined"),
    [((0.0, 0.0), ()), ((-1.0, 0.0), ()), ((-1.0, -1.0), ("a", "b", "c")), ((-1.0, -0.5), ("a", "b", "c"))],
)
def test_the_sentence_on_contact_forces_follows_their_ranges(force, undetermined):
    """Pushes a, b along y, x and c along both: (b + c, a + c) = −force has one solution with signs on the edge only."""
    system = g.System(
        "corner",
        "x y",
        mass_matrix=np.eye(2),
        force=list(force),
        constraints=[
            g.Unilateral("a", lambda q: q.y),
            g.Unilateral("b", lambda q: q.x),
            g.Unilateral("c", lambda q: q.x + q.y),
        ],
    )
    verdict = g.classify(system, [0.0, 0.0])
    largest = min(-force[0], -force[1])  # of c
    low, high = verdict.forces["c"]
    assert abs(low) < 1e-12
    assert np.isclose(high, largest, atol=1e-12)
    words = "The contact forces " + (", ".join(map(repr, undetermined)) + " are not" if undetermined else "are unique")
    assert words in verdict.why
    assert ("forces open" in str(verdict)) == bool(undetermined)
    assert "are not." not in str(verdict)
