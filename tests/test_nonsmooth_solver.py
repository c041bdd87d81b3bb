"""The solver of a step: linear systems, the interior point, paths in the plane, and the quadratic program."""

from __future__ import annotations

import importlib.util
import json
import sys
from fractions import Fraction
from itertools import product
from pathlib import Path

import clarabel
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import reverse_cuthill_mckee

from gauss.nonsmooth import Program, solved, solving

RNG = np.random.default_rng(11)
VALIDATION = Path(__file__).parents[1] / "validation"


@pytest.fixture(autouse=True)
def _same_numbers_in_every_order():
    """Start the random numbers of each test anew, so that its data do not depend on the tests before it."""
    global RNG
    RNG = np.random.default_rng(11)


def heap(k, d, mu=0.3):
    """Contacts between neighbours in a row of bodies, many more than the freedoms determine, as rows (k (1 + d), n)."""
    n = 3 * (k // 3 + 2)
    H = np.zeros((k, 1 + d, n))
    for i in range(k):
        body = 3 * RNG.integers(0, n // 3 - 1)
        H[i, :, body : body + 6] = RNG.normal(size=(1 + d, 6))
    H[1::7] = H[0::7][: len(H[1::7])]  # given twice
    H = np.concatenate([H[:, 0], H[:, 1:].reshape(k * d, n)])
    v = RNG.normal(size=n)
    c = H @ v
    friction = np.where(np.arange(k) % 5 == 4, 0.0, mu)
    friction[1::7] = friction[0::7][: len(friction[1::7])]
    return H, v, Program(sp.csr_matrix(H @ H.T), c, friction if d else np.zeros(k), d, float(np.max(np.abs(c))))


@pytest.mark.parametrize(("k", "d"), [(4, 1), (40, 0), (40, 1), (40, 2)])
def test_systems_of_blocks_are_those_of_full_matrices(k, d):
    """By contacts and by bodies, for one right side and for several."""
    H, _, program = heap(k, d)
    m = 1 + d
    B, S, b = RNG.normal(size=(k, m, m)) + 9 * np.eye(m), RNG.normal(size=(k, m, m)), RNG.normal(size=k * m)
    place = np.concatenate([np.arange(k)[:, None], k + np.arange(k * d).reshape(k, d)], axis=1)
    diagonal = RNG.uniform(size=k * m)
    full_B, full_S = np.zeros((k * m, k * m)), np.zeros((k * m, k * m))
    for i in range(k):
        full_B[np.ix_(place[i], place[i])], full_S[np.ix_(place[i], place[i])] = B[i], S[i]
    W = program.W.toarray()
    several = np.column_stack([b, b[::-1]])
    for blocks in (solving.Blocks(program.W, k, d), solving.BodyBlocks(sp.csr_matrix(H), k, d, 3)):
        cases = [(blocks, W, None), (blocks, W, S), (blocks.shifted(diagonal), W + np.diag(diagonal), S)]
        for these, matrix, scale in cases:
            full = (matrix if scale is None else full_S @ matrix) + full_B
            solve = these.system(B, scale)
            x = solve(b)
            assert np.allclose(solve(several), np.column_stack([x, solve(b[::-1])]), rtol=1e-9, atol=1e-12)
            # backward error: rounding, times the growth that small pivots allow
            assert np.max(np.abs(full @ x - b)) < 1e-10 * np.max(np.abs(full)) * np.max(np.abs(x))


@pytest.mark.parametrize("d", [0, 1])
def test_systems_in_a_band_are_those_of_full_matrices(d):
    """Contacts in a row have a narrow band; without tangents the matrix is symmetric, with rows left out as well."""
    k = 60
    _, _, program = heap(k, d)
    assert isinstance(program.blocks, solving.BandBlocks)
    assert program.blocks.width < 30
    W, n, pressing = program.W.toarray(), k * (1 + d), RNG.uniform(size=k) < 0.5
    S, B, diagonal = np.zeros((2, k, 1 + d, 1 + d)), np.zeros((k, 1 + d, 1 + d)), RNG.uniform(size=n)
    S[0], S[1, :, 0, 0], B[:, 0, 0] = np.eye(1 + d), pressing, RNG.uniform(1e-6, 1.0, k)
    if d:
        S[1, :, 1, 1], B[:, 1, 1], B[:, 1, 0] = ~pressing, RNG.uniform(1e-6, 1.0, k), RNG.normal(size=k)
    b = RNG.normal(size=n) * np.concatenate([pressing, *[np.ones(k)] * d])
    for scale in (None, *S):
        rows = np.ones(n) if scale is None else np.diagonal(scale, axis1=1, axis2=2).T.ravel()
        full_B = np.diag(np.diagonal(B, axis1=1, axis2=2).T.ravel())
        if d:
            full_B[k + np.arange(k), np.arange(k)] = B[:, 1, 0]
        for blocks, more in ((program.blocks, 0.0), (program.blocks.shifted(diagonal), diagonal)):
            full = rows[:, None] * (W + np.diag(more + np.zeros(n))) + full_B
            solve = blocks.system(B, scale)
            x = solve(b)
            assert np.max(np.abs(full @ x - b)) < 1e-13 * np.max(np.abs(full)) * np.max(np.abs(x))
            assert np.allclose(solve(np.column_stack([b, 2.0 * b])), np.column_stack([x, 2.0 * x]), rtol=1e-9)


def test_a_band_does_not_change_when_scipy_sorts_the_matrix():
    """The matrix of a problem may be sorted in place after its systems were made."""
    k = 60
    _, _, program = heap(k, 1)
    W = program.W
    backwards = np.concatenate([np.arange(W.indptr[i], W.indptr[i + 1])[::-1] for i in range(2 * k)])
    mixed = sp.csr_matrix((W.data[backwards], W.indices[backwards], W.indptr), shape=W.shape)
    band, B, b = solving.BandBlocks(mixed, k, 1), np.tile(np.eye(2), (k, 1, 1)), RNG.normal(size=2 * k)
    mixed.sort_indices()
    x = band.system(B)(b)
    assert np.max(np.abs(W @ x + x - b)) < 1e-12 * np.max(np.abs(x))


def test_a_band_is_as_narrow_as_that_of_scipys_order_and_stable_with_small_pivots():
    """Bodies in a shuffled lattice, each touching four others; slips couple normal impulses into the tangents alone."""
    body = np.arange(60).reshape(12, 5)
    pairs = np.concatenate(
        [np.stack([body[1:], body[:-1]], -1).reshape(-1, 2), np.stack([body[:, 1:], body[:, :-1]], -1).reshape(-1, 2)]
    )
    pairs = RNG.permutation(pairs)
    k = len(pairs)
    H = np.zeros((2, k, 60, 3))
    H[:, np.arange(k)[:, None], pairs] = RNG.normal(size=(2, k, 2, 3))
    W = sp.csr_matrix(H.reshape(2 * k, -1) @ H.reshape(2 * k, -1).T)
    touching = (np.abs(W[:k, :k]) > 0).tocoo()
    place = np.empty(k, dtype=int)
    place[reverse_cuthill_mckee(W[:k, :k].tocsr(), symmetric_mode=True)] = np.arange(k)
    band = solving.BandBlocks(W, k, 1)
    assert 10 < band.width <= 2 * np.max(np.abs(place[touching.row] - place[touching.col])) + 1
    small, b = 10.0 ** RNG.uniform(-9, 3, size=(k, 2)), RNG.normal(size=2 * k)
    B = np.zeros((k, 2, 2))
    B[:, 0, 0], B[:, 1, 1], B[:, 1, 0] = small[:, 0], small[:, 1], 0.3 * RNG.choice([-1, 1], k) * small[:, 1]
    full = W.toarray() + np.diag(np.concatenate([small[:, 0], small[:, 1]])) + np.diag(B[:, 1, 0], -k)
    x = band.system(B)(b)
    assert np.max(np.abs(full @ x - b)) < 1e-13 * np.max(np.abs(full)) * np.max(np.abs(x))


@pytest.mark.parametrize("d", [1, 2])
def test_rates_of_solutions_by_bodies_that_are_not_refined_are_precise(d):
    """Terms of 1e-6 make B⁻¹ large, so that x loses digits, and rates do not."""
    k = 200
    H, _, program = heap(k, d)
    system = solving.BodyBlocks(sp.csr_matrix(H), k, d, 3).system(np.tile(1e-6 * np.eye(1 + d), (k, 1, 1)))
    x, (rough, rates) = system(program.c), system.once(program.c)
    size = np.max(np.abs(program.c))
    assert np.max(np.abs(rates - program.W @ x)) < 1e-11 * size
    assert np.max(np.abs(rough - x)) < 1e-6 * np.max(np.abs(x))


@pytest.mark.parametrize("d", [0, 1, 2])
def test_systems_by_bodies_keep_small_terms_of_contacts_that_stick(d):
    """Terms of 1e-9 make B⁻¹ large; refinement leaves the error that rounding of W x leaves."""
    k = 200
    H, _, program = heap(k, d)
    B = np.tile(1e-9 * np.eye(1 + d), (k, 1, 1))
    x = solving.BodyBlocks(sp.csr_matrix(H), k, d, 3).system(B)(program.c)
    W = program.W.toarray()
    assert np.max(np.abs(W @ x + 1e-9 * x - program.c)) < 1e-12 * np.max(np.abs(W) @ np.abs(x))


def test_without_friction_a_step_is_the_quadratic_program_in_velocities():
    """min ½|v − v_free|² subject to N v ≥ 0, by Clarabel, has the velocities that the impulses give."""
    for k in (5, 40, 90):
        H, free, program = heap(k, 0)
        found = solved(program, np.zeros(k))
        alone = solving.interior(program)
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
        n = len(free)
        table = clarabel.DefaultSolver(
            sp.eye(n, format="csc"), -free, sp.csc_matrix(-H), np.zeros(k), [clarabel.NonnegativeConeT(k)], settings
        ).solve()
        for x, residual in ((found.x, found.residual), alone[:2]):
            assert residual <= 1e-10
            assert np.max(np.abs(free + H.T @ x - np.array(table.x))) < 1e-8 * program.scale


@pytest.mark.parametrize("d", [1, 2])
def test_the_interior_point_satisfies_coulombs_law(d):
    """The law is written out here from the rates, not from the natural map."""
    certified = 0
    for k in (1, 3, 12, 30, 60):
        H, free, program = heap(k, d)
        x, residual, _ = solving.interior(program)
        certified += residual <= 1e-10
        assert solved(program, np.zeros(len(x))).residual <= 1e-10
        if residual > 1e-10:
            continue
        p, t = x[:k], x[k:].reshape(k, d)
        u = H @ (free + H.T @ x)
        un, ut = u[:k], u[k:].reshape(k, d)
        small = 1e-7 * program.scale
        room = program.friction * p - np.linalg.norm(t, axis=1)
        assert np.min(un) > -small
        assert np.min(p) >= 0.0
        assert np.min(room) > -small
        assert np.max(np.minimum(p, un)) < small
        slides = (np.linalg.norm(ut, axis=1) > small) & (program.friction > 0.0) & (p > small)
        assert np.max(np.abs(room[slides]), initial=0.0) < small
        against = np.sum(t * ut, axis=1) + np.linalg.norm(t, axis=1) * np.linalg.norm(ut, axis=1)
        assert np.max(np.abs(against[slides]), initial=0.0) < small
    assert certified >= 4  # it may turn back, but seldom


def test_impulses_kept_near_where_they_are_let_the_interior_point_pass_folds(monkeypatch):
    """With friction of one its path turns back in a tenth of these problems; with κ in fewer."""
    module = sys.modules["gauss.nonsmooth.solving.interior"]
    programs = [heap(60, 1, mu=1.0)[2] for _ in range(40)]
    kept = sum(solving.interior(program)[1] <= 1e-10 for program in programs)
    monkeypatch.setattr(module, "MOST", 0.0)
    plain = sum(solving.interior(program)[1] <= 1e-10 for program in programs)
    assert plain < kept
    assert kept >= 36


def test_proximal_points_and_the_interior_point_give_the_same_velocities():
    H, _, program = heap(40, 1, mu=0.1)
    first, second = solving.interior(program), solving.proximal(program, solving.Centre(np.zeros(80), 1e-2))
    assert max(first[1], second[1]) <= 1e-10
    assert np.max(np.abs(H.T @ (first[0] - second[0]))) < 1e-8 * program.scale


@pytest.mark.parametrize("d", [1, 2])
def test_splitting_comes_near_a_solution_and_stays_there(d):
    """Sixty steps from nothing take away nine tenths of the residual; solutions of another method are fixed points."""
    _, _, program = heap(40, d)
    none = np.zeros(40 * (1 + d))
    near, residual, _ = solving.split(program, none)
    assert residual == program.residual(near) < 0.1 * program.residual(none)
    found, certified, _ = solving.interior(program)
    assert certified < 1e-10
    stayed, still, _ = solving.split(program, found)
    assert still < 1e-9
    assert np.allclose(program.W @ stayed, program.W @ found, atol=1e-8 * program.scale)


def test_splitting_without_friction_ends_at_the_quadratic_program():
    """It is proved to converge there: ½ p·W p + c·p over p ≥ 0, by Clarabel."""
    k = 30
    _, _, program = heap(k, 1, 0.0)
    W, x = program.W.toarray(), np.zeros(2 * k)
    for _ in range(20):
        x, residual, _ = solving.split(program, x)
    cone, options = [clarabel.NonnegativeConeT(k)], clarabel.DefaultSettings()
    options.verbose = False
    normal = sp.csc_matrix(np.triu(W[:k, :k]))
    known = clarabel.DefaultSolver(normal, program.c[:k], -sp.eye(k, format="csc"), np.zeros(k), cone, options).solve()
    assert residual < 1e-6
    assert np.allclose(W[:k, :k] @ x[:k], W[:k, :k] @ np.array(known.x), atol=1e-5 * program.scale)


def all_modes(program):
    """All solutions of a regular problem in the plane: each contact open, sticking or slipping either way."""
    k, mu, W = program.count, program.friction, program.W.toarray()
    found = []
    for modes in product(range(4), repeat=k):
        E, b = np.zeros((2 * k, 2 * k)), np.zeros(2 * k)
        for i, mode in enumerate(modes):
            n, t = i, k + i
            if mode == 0:
                E[n, n] = E[t, t] = 1.0
                continue
            E[n], b[n] = W[n], -program.c[n]
            if mode == 1:
                E[t], b[t] = W[t], -program.c[t]
            else:
                E[t, t], E[t, n] = 1.0, -mu[i] if mode == 2 else mu[i]
        x = np.linalg.solve(E, b)
        u, p, t = W @ x + program.c, x[:k], x[k:]
        good = np.all(p > -1e-10) and np.all(u[:k] > -1e-10) and np.all(np.abs(t) < mu * p + 1e-10)
        ways = {2: -1.0, 3: 1.0}
        if good and all(ways[m] * u[k + i] > -1e-10 for i, m in enumerate(modes) if m in ways):
            found.append(x)
    return found


@pytest.mark.long
def test_paths_end_at_solutions_that_trying_all_modes_finds():
    """From any start; with one solution and little friction every path must find it."""
    several, ended, paths = 0, 0, 0
    for number in range(200):
        k = 1 + number % 3
        strong = number % 2 == 1
        H = RNG.normal(size=(2 * k, 2 * k + 1))
        W, c, mu = H @ H.T, RNG.normal(size=2 * k), RNG.uniform(1.0, 9.0, k) if strong else np.full(k, 0.02)
        program = Program(sp.csr_matrix(W), c, mu, 1, float(np.max(np.abs(c))))
        known = all_modes(program)
        several += len(known) > 1
        for _ in range(4):
            x, pieces = solving.followed(
                program, program.inside(3.0 * RNG.normal(size=2 * k) / np.tile(np.diag(W)[:k], 2))
            )
            paths += 1
            assert pieces <= 400
            if x is None:
                assert strong
                continue
            ended += 1
            # rounding of two ways to solve the equations of condition up to 1e6
            assert min(np.max(np.abs(x - each)) for each in known) < 1e-8 * (1.0 + np.max(np.abs(x)))
    assert several >= 3
    assert ended > 0.8 * paths


def test_paths_from_different_starts_find_different_solutions_of_a_wedging_contact():
    """A contact as of Painlevé's rod: it opens, is dragged along with a larger force, or is caught by it."""
    W, c = np.array([[1.0, -1.5], [-1.5, 4.0]]), np.array([0.2, -1.0])
    program = Program(sp.csr_matrix(W), c, np.array([1.2]), 1, 1.0)
    known = all_modes(program)
    assert len(known) == 3
    ends = [solving.followed(program, np.array(start))[0] for start in ((0.0, 0.0), (0.25, 0.3), (1.0, 0.9))]
    for x in known:
        assert min(np.max(np.abs(end - x)) for end in ends if end is not None) < 1e-12


def walked(W, c, mu, x, most):
    """Return the modes of each piece of a path from x by full matrices, one contact after the other, and its end."""
    k, own = len(mu), np.diag(W)
    u = W @ x + c
    push, pull = x[:k] - u[:k] / own[:k], x[k:] - u[k:] / own[k:]
    modes = []
    for i in range(k):
        stick = abs(pull[i]) < mu[i] * push[i]
        modes.append("open" if push[i] <= 0.0 else "stick" if stick else np.sign(pull[i]))
    p = np.maximum(push, 0.0)
    t = np.clip(pull, -mu * p, mu * p)
    rates = np.concatenate([np.maximum(-push, 0.0) * own[:k], (t - pull) * own[k:]])
    r = W @ np.concatenate([p, t]) + c - rates
    visited, tau, way, entered = [], 1.0, -1.0, None
    for _ in range(most):
        visited.append(tuple(modes))
        A, a = np.zeros((2 * k, 2 * k)), np.zeros((2 * k, 2))
        for i, mode in enumerate(modes):
            for row, free in ((i, mode == "open"), (k + i, mode != "stick")):
                if free:
                    A[row, row] = 1.0
                else:
                    A[row], a[row] = W[row], (-c[row], r[row])
            if mode not in ("open", "stick"):
                A[k + i, i] = -mode * mu[i]
        line = np.linalg.solve(A, a)
        slopes = W @ line + np.column_stack([c, -r])
        borders = {}
        for i, mode in enumerate(modes):
            if mode == "open":
                borders[i, "open"] = slopes[i]
            elif mode == "stick":
                borders[i, 1.0], borders[i, -1.0] = (mu[i] * line[i] - s * line[k + i] for s in (1.0, -1.0))
            else:
                borders[i, "closed"] = line[i]
                if mu[i] > 0.0:
                    borders[i, "sliding"] = -mode * slopes[k + i]
        if entered is not None:
            way = 1.0 if borders[entered][1] > 0.0 else -1.0  # what became zero grows
        room = {
            key: max(b[0] + tau * b[1], 0.0) / -(way * b[1])
            for key, b in borders.items()
            if key != entered and way * b[1] < -1e-12
        }
        key = min(room, key=room.get, default=None)
        if way < 0.0 and (key is None or tau <= room[key]):
            return visited, line[:, 0]
        if key is None:
            return visited, None
        tau += way * room[key]
        i, border = key
        if border == "open":
            modes[i], entered = -np.sign(slopes[k + i] @ (1.0, tau)), (i, "closed")
        elif border == "closed":
            modes[i], entered = "open", (i, "open")
        elif border == "sliding":
            entered, modes[i] = (i, modes[i]), "stick"
        else:
            modes[i], entered = border, (i, "sliding")
    return visited, None


def test_paths_that_close_upon_themselves_are_given_up_where_they_do():
    """Full matrices go around them again and again, and end where the others end."""
    closed = ended = 0
    for _ in range(300):
        _, _, program = heap(8, 1, mu=1.5)
        own = program.W.diagonal()
        x = program.inside(RNG.normal(size=16) * program.scale / np.max(own))
        near = program.near(x, 0.01 * own)
        found, pieces = solving.followed(near, x, 300)
        visited, end = walked(near.W.toarray(), near.c, near.friction, x, 3 * pieces)
        if found is not None:
            assert len(visited) == pieces
            assert end is not None
            assert np.max(np.abs(found - end)) < 1e-8 * (1.0 + np.max(np.abs(end)))
            ended += 1
        elif visited[0] in visited[1:]:
            assert end is None
            assert visited[pieces : 2 * pieces] == visited[:pieces]
            closed += 1
    assert ended >= 200
    assert closed >= 3


def test_paths_pass_many_modes_and_smooth_contacts():
    """From no impulses at all; the interior point knows the velocities."""
    passed = 0
    for k in (30, 90, 300):
        H, _, program = heap(k, 1)
        own = program.W.diagonal()
        near = program.near(np.zeros(2 * k), 0.1 * own)
        x, pieces = solving.followed(near, np.zeros(2 * k))
        y, residual, _ = solving.interior(near)
        assert x is not None
        assert residual <= 1e-10
        assert near.residual(near.inside(x)) <= 1e-10
        assert np.max(np.abs(H.T @ (x - y))) < 1e-8 * program.scale
        passed = max(passed, pieces)
    assert passed > 40  # so that factorisations are made anew


def test_contacts_left_out_at_first_take_part_when_others_close_them():
    """Two masses in a row: the first one is pushed against the second, which alone would open its contact fast."""
    H = np.array([[1.0, 0.0], [-1.0, 1.0]])  # floor under the first, first under the second
    W = sp.csr_matrix(H @ H.T)
    c = np.array([-1.0, 0.9])
    found = solved(Program(W, c, np.zeros(2), 0, 1.0), np.zeros(2))
    assert found.residual <= 1e-10
    assert found.x == pytest.approx([1.1, 0.1])  # u = W x + c = 0 by hand


def test_a_wedging_contact_that_sticks_with_a_large_impulse_is_found():
    """Only sticking satisfies the law; x = −W⁻¹c."""
    W, c = np.array([[0.97393628, -0.41683273], [-0.41683273, 0.19267604]]), np.array([-1.68657753, -1.99922985])
    program = Program(sp.csr_matrix(W), c, np.array([5.0]), 1, 2.0)
    (known,) = all_modes(program)
    found = solved(program, np.zeros(2))
    assert found.residual <= 1e-10
    assert found.x == pytest.approx(known, rel=1e-9)


@pytest.mark.parametrize("d", [0, 1, 2])
def test_a_rate_that_no_impulse_changes_is_not_certified(d):
    W = np.zeros((2 * (1 + d), 2 * (1 + d)))
    W[1, 1] = 1.0
    c = np.zeros(len(W))
    c[:2] = -1.0
    found = solved(Program(sp.csr_matrix(W), c, np.zeros(2), d, 1.0), np.zeros(len(W)))
    assert found.residual >= 1.0
    large = Program(sp.csr_matrix(W), c, np.zeros(2), d, 1.0).residual(np.concatenate([[1e31, 1.0], np.zeros(2 * d)]))
    assert large >= 1.0


@pytest.fixture(scope="module")
def tiny():
    """The campaign whose sample these tests compute."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(VALIDATION))
        spec = importlib.util.spec_from_file_location("tiny_contacts", VALIDATION / "tiny_contacts.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return module


@pytest.mark.long
@pytest.mark.parametrize(("name", "count"), [("plane", 150), ("space", 60), ("drawn", 60)])
def test_no_solution_of_a_tiny_problem_is_missed(tiny, name, count):
    """A sample of validation/tiny_contacts.py; without the modes tried in the end, one in 160 in the plane fails."""
    record, failures = tiny.FAMILIES[name](count, np.random.default_rng(2))
    assert not failures
    assert record["problems"] > 0.8 * count


@pytest.mark.parametrize("seed", [346])
def test_solutions_that_only_trying_all_modes_finds(tiny, seed):
    """Found by neither Newton's method, interior points, proximal points nor paths."""
    W, c, mu, _ = tiny.planted(np.random.default_rng(seed), 1)
    program = Program(sp.csr_matrix(W), c, mu, 1, float(np.max(np.abs(c))))
    assert solved(program, np.zeros(len(c))).residual <= 1e-10


def test_a_slip_whose_normal_impulse_changes_no_rate_is_found():
    """A contact between parts that cannot part slips beside one that opens: by hand a family of one parameter."""
    h = np.array([0.0, 3.0, -1.0, 1.0, 3.0, 1.0])  # W = h hᵀ: no impulse of the first contact changes its gap
    c = np.array([0.0, -69614.0, 23209.0, -23208.0, -69613.0, -23203.0])
    program = Program(sp.csr_matrix(np.outer(h, h)), c, np.array([5.0, 5.0]), 2, 69614.0)
    found = solved(program, np.zeros(6))
    assert found.residual <= 1e-10
    slip = program.split(program.rates(found.x))[1][0]
    s, length = slip[0], np.linalg.norm(slip)
    assert slip == pytest.approx([s, 1.0 - s], abs=1e-9)  # t = −5 p slip/|slip|, t₁ − t₂ = s − 23209
    assert 0.5 < s <= 13.0 / 3.0 + 1e-9  # the second contact does not close
    assert found.x[0] == pytest.approx((23209.0 - s) * length / (5.0 * (2.0 * s - 1.0)), rel=1e-9)
    assert found.x[2:4] == pytest.approx(-5.0 * found.x[0] * slip / length, rel=1e-9)


@pytest.mark.long
def test_four_contacts_of_three_freedoms_in_space_are_solved(tiny):
    """Planted with sticking and slipping contacts; iterations from impulses go round in circles here."""
    H = np.array(
        [
            [-2, 3, 2], [-1, -3, 2], [0, 0, 3], [2, 0, -3], [2, 2, -2], [1, -3, 2],
            [0, -1, -1], [2, -3, -1], [3, 3, 2], [0, -1, 2], [3, 3, -2], [1, 0, -3],
        ],
        dtype=float,
    )  # fmt: skip
    x = np.array([1105, 1105, 2210, 3315, 0, 0, 414.375, 0, -1326, -1768, 637.5, -1530])
    u = np.array([0, 0, 0, 0, 0, 0, 0, 0, 9, 12, -15, 36.0])
    mu = np.array([0.0, 0.5, 1.0, 0.5])
    W = H @ H.T
    c = u - W @ x
    found = solved(Program(sp.csr_matrix(W), c, mu, 2, float(np.max(np.abs(c)))), np.zeros(12))
    assert found.residual <= 1e-10
    assert tiny.obeys(W, c, mu, 2, found.x)


def test_the_exact_enumeration_knows_a_problem_without_solution(tiny):
    """One smooth contact that no impulse moves, and a cone by hand."""
    right = [Fraction(-1), Fraction(1)]
    assert not tiny.in_cone([[Fraction(1), Fraction(0)], [Fraction(1), Fraction(1)]], right)
    assert tiny.in_cone([[Fraction(-2), Fraction(0)], [Fraction(1), Fraction(2)]], right)
    W = np.array([[1.0, -1.0], [-1.0, 1.0]])
    assert not tiny.solvable(W, np.array([-1.0, -1.0]), np.zeros(2), 0)  # each pushes the other in
    assert tiny.solvable(W, np.array([-1.0, 1.0]), np.zeros(2), 0)


def test_the_campaign_of_tiny_problems_found_every_solution():
    stored = json.loads((VALIDATION / "tiny_contacts.json").read_text(encoding="utf-8"))
    for name in ("plane", "space", "drawn"):
        assert stored[name]["problems"] >= 9000
        assert stored[name]["against_the_law"] == 0
        assert stored[name]["unsolved"] == 0


@pytest.mark.parametrize("count", [0, 2])
def test_contacts_whose_rates_no_impulse_changes_without_friction(count):
    """Open contacts stay open without impulses; closing ones have no solution. No number is lost on the way."""
    nothing = sp.csr_matrix((count, count))
    opening = solved(Program(nothing, np.ones(count), np.zeros(count), 0, 1.0), np.zeros(count))
    assert opening.residual == 0.0
    assert not np.any(opening.x)
    if count:
        closing = solved(Program(nothing, -np.ones(count), np.zeros(count), 0, 1.0), np.zeros(count))
        assert closing.residual > 0.5


@pytest.mark.parametrize("seed", range(3))
def test_many_contacts_without_friction_on_few_freedoms(seed):
    """More contacts than freedoms, some rows zero: the velocities are those of the quadratic program."""
    rng = np.random.default_rng(seed)
    H = rng.integers(-3, 4, size=(8, 3)).astype(float)
    H[rng.integers(0, 8, 2)] = 0.0
    p = rng.integers(0, 2, 8) * rng.uniform(1.0, 2.0, 8)
    c = np.where(p > 0.0, 0.0, rng.uniform(0.0, 1.0, 8)) - H @ H.T @ p
    found = solved(Program(sp.csr_matrix(H @ H.T), c, np.zeros(8), 0, 1.0), np.zeros(8))
    assert found.residual < 1e-9
    u = H @ (H.T @ found.x) + c
    assert np.min(u) > -1e-9
    assert np.min(found.x) >= 0.0
    assert abs(u @ found.x) < 1e-8
