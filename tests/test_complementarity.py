"""Linear complementarity: all solutions against published ones and exact arithmetic, P-matrices, Lemke's method."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from rational_friction import complementary_pieces, other_pieces, random_complementarity

import gauss as g
from gauss.contact import all_solutions, lemke, p_matrix

# Siconos numerics, tests lcp_CPS_*.dat (after Cottle, Pang and Stone): M, q, vertices, rays of the solution set
PUBLISHED = {
    "CPS_1": ([[1, 1], [1, 1]], [-1, -1], [[0, 1], [1, 0]], []),
    "CPS_2": ([[0, -1, 2], [2, 0, -2], [-1, 1, 0]], [-3, 6, -1], [[0, 1, 3]], []),
    "CPS_3": (
        [[0, 0, 10, 20], [0, 0, 30, 15], [10, 20, 0, 0], [30, 15, 0, 0]],
        [-1, -1, -1, -1],
        [[0, 1 / 15, 0, 1 / 15], [0.1, 0, 0.1, 0], [1 / 90, 4 / 90, 1 / 90, 4 / 90]],
        [],
    ),
    "CPS_4": (
        [[11, 0, 10, -1], [0, 11, 10, -1], [10, 10, 21, -1], [1, 1, 1, 0]],
        [50, 50, 10, -6],
        [[2, 2, 2, 92]],
        [],
    ),
    "CPS_4bis": (
        [[11, 0, 10, -1], [0, 11, 10, -1], [10, 10, 21, -1], [1, 1, 1, 0]],
        [50, 50, 23, -6],
        [[3, 3, 0, 83]],
        [],
    ),
    "CPS_5": ([[1, -1], [-1, 1]], [1, -1], [[0, 1]], [[1, 1]]),
}
ROUNDING = 1e-12  # a few roundings, times the condition of the published matrices


def sorted_rows(x, width):
    x = np.array(x, dtype=float).reshape(-1, width)
    return x[np.lexsort(np.round(x, 6).T)]


@pytest.mark.parametrize("name", PUBLISHED)
def test_all_published_solutions_are_found(name):
    M, q, vertices, rays = PUBLISHED[name]
    found = all_solutions(M, q)
    for key, wanted in (("vertices", vertices), ("rays", rays)):
        mine = sorted_rows(np.vstack([getattr(piece, key) for piece in found]), len(q))
        np.testing.assert_allclose(mine, sorted_rows(wanted, len(q)), rtol=ROUNDING, atol=ROUNDING)


def test_a_singular_support_is_one_piece_with_two_vertices_not_two_solutions():
    (segment,) = all_solutions(*PUBLISHED["CPS_1"][:2])
    assert segment.support == (0, 1)
    assert len(segment.vertices) == 2


def test_random_problems_agree_with_exact_arithmetic():
    rng = np.random.default_rng(21)
    pieces = 0
    for _ in range(150):
        M, q = random_complementarity(rng)
        exact = complementary_pieces(M, q)
        pieces += len(exact)
        assert other_pieces(exact, all_solutions(M, q)) < 1e-9, f"M = {M.tolist()}, q = {q.tolist()}"
    assert pieces > 100


def test_units_do_not_matter():
    M, q, vertices, _ = PUBLISHED["CPS_4"]
    unit = np.array([1e-6, 1.0, 1e5, 1e-3])  # of z; rows get others
    row = np.array([1e4, 1e-7, 1.0, 1e3])
    (found,) = all_solutions(row[:, None] * np.array(M) * unit, row * np.array(q))
    np.testing.assert_allclose(found.vertices * unit, vertices, rtol=1e-9)


def test_p_matrix_agrees_with_its_minors():
    rng = np.random.default_rng(5)
    counts = {"P": 0, "not P": 0, "undecided": 0}
    for _ in range(200):
        n = int(rng.integers(1, 5))
        M = rng.integers(-2, 4, (n, n)) + 2 * np.eye(n, dtype=int)
        sets = [list(c) for size in range(1, n + 1) for c in combinations(range(n), size)]
        minors = [round(float(np.linalg.det(M[np.ix_(c, c)]))) for c in sets]  # whole numbers
        verdict = p_matrix(M).verdict
        counts[verdict] += 1
        assert verdict == "P" if min(minors) > 0 else verdict != "P", M.tolist()
        assert verdict == "not P" if min(minors) < 0 else True, M.tolist()
    assert counts["P"] > 20
    assert counts["not P"] > 20
    assert counts["undecided"] > 0  # singular ones: a float cannot tell zero from rounding
    assert p_matrix([[1.0, 2.0], [3.0, 1.0]]).indices == (0, 1)


def test_a_singular_matrix_is_never_called_p():
    rng = np.random.default_rng(31)
    for _ in range(60):
        half = rng.normal(size=(4, 3))
        assert p_matrix(half @ half.T).verdict == "undecided"  # its determinant is 0 up to rounding, either sign
    assert p_matrix([[0.0, 1.0], [-1.0, 1.0]]).verdict == "not P"


def test_a_p_matrix_has_one_solution_for_every_q():
    rng = np.random.default_rng(6)
    for _ in range(30):
        n = int(rng.integers(1, 5))
        M = rng.normal(size=(n, n)) + 2.0 * np.sqrt(n) * np.eye(n)
        if p_matrix(M).verdict != "P":
            continue
        q = rng.normal(size=n)
        (found,) = all_solutions(M, q)
        np.testing.assert_allclose(lemke(M, q), found.vertices[0], rtol=1e-9, atol=1e-11)


def test_lemke_solves_large_and_degenerate_problems():
    rng = np.random.default_rng(8)
    half = rng.normal(size=(40, 40))
    M, q = half @ half.T + 0.1 * np.eye(40) + np.triu(half, 1) - np.triu(half, 1).T, rng.normal(size=40)
    z = lemke(M, q)
    w = M @ z + q
    assert np.min(z) >= 0.0
    assert np.min(w) > -1e-9 * np.max(np.abs(q))
    assert np.max(np.minimum(z, np.abs(w))) < 1e-9
    # Murty's example, on which the method needs 2ⁿ pivots; the solution is (0, …, 0, 1)
    n = 5
    murty = np.eye(n) + 2.0 * np.triu(np.ones((n, n)), 1)
    np.testing.assert_allclose(lemke(murty, -np.ones(n)), [0, 0, 0, 0, 1], atol=1e-12)
    np.testing.assert_allclose(lemke(np.ones((3, 3)), [-1.0, -1.0, -1.0]).sum(), 1.0, rtol=1e-12)  # all ratios tie


def test_what_cannot_be_solved_is_said():
    assert all_solutions([[-1.0]], [-1.0]) == ()
    with pytest.raises(g.errors.SolverError, match="ray"):
        lemke([[-1.0]], [-1.0])
    with pytest.raises(g.errors.InputError, match=r"shape \(2, 3\)"):
        all_solutions(np.ones((2, 3)), [1.0, 1.0])
    with pytest.raises(g.errors.InputError, match="n = 14"):
        all_solutions(np.eye(15), np.ones(15))
    with pytest.raises(g.errors.InputError, match="finite"):
        p_matrix([[np.nan]])
