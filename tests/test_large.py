"""Large mechanisms: verdict, certificate and program by sparse algebra give what full matrices give."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

import gauss as g
from gauss import bodies as mb
from gauss.motion import start
from gauss.principle import (
    SHOWN,
    GaussProblem,
    SparseProblem,
    definite_by_blocks,
    solve,
    solve_sparsely,
    sparse,
    spectrum_of,
)
from gauss.principle.solvers import osqp as osqp_solver
from gauss.principle.sparse import inverse_root
from gauss.uniqueness import classification, clearly_regular

BARS, BODIES = 60, 20  # rows × coordinates: 180 × 240 in the plane, 220 × 240 in space


def bars(count: int = BARS, twice: int | None = None) -> tuple[mb.Mechanism, np.ndarray, np.ndarray]:
    """A chain of bars in the plane, hung at its end and bent at random, turning at random."""
    length, rng = 1.0 / count, np.random.default_rng(count)
    parts = [mb.PlanarBody(f"b{k}", length, length**3 / 12) for k in range(count)]
    before = [(mb.GROUND, (0.0, 0.0)), *((part, (length / 2, 0.0)) for part in parts)]
    pins = [mb.Pin(f"p{k}", *before[k], parts[k], (-length / 2, 0.0)) for k in range(count)]
    if twice is not None:
        pins.append(mb.Pin("again", *before[twice], parts[twice], (-length / 2, 0.0)))
    chain = mb.Mechanism("chain", parts, pins)
    poses, end, speed = [], np.zeros(2), np.zeros(2)
    for part, angle, rate in zip(parts, rng.uniform(-2.0, 2.0, count), rng.normal(size=count), strict=True):
        along = np.array([np.cos(angle), np.sin(angle)])
        across = rate * np.array([-along[1], along[0]])
        poses.append(part.pose(end + length / 2 * along, angle, speed + length / 2 * across, rate))
        end, speed = end + length * along, speed + length * across
    return chain, *chain.state(*poses)


def hinged(count: int = BODIES) -> tuple[mb.Mechanism, np.ndarray, np.ndarray]:
    """A tree of boxes in space: each hangs by a hinge from an earlier one, at rest."""
    rng = np.random.default_rng(1)
    parts = [mb.Body(f"b{k}", mb.box(1.0, (0.3, 0.2, 0.1))) for k in range(count)]
    joints, places = [], []
    for k, part in enumerate(parts):
        parent = int(rng.integers(0, k)) if k else -1
        arm = rng.uniform(-0.2, 0.2, 3)
        holder, at = (parts[parent], places[parent] - arm) if k else (mb.GROUND, -arm)
        joints.append(mb.Revolute(f"j{k}", holder, tuple(-arm), part, tuple(arm), tuple(rng.normal(size=3))))
        places.append(at - arm)
    tree = mb.Mechanism("tree", parts, joints)
    q, v = tree.state(*(part.pose(place) for part, place in zip(parts, places, strict=True)))
    return tree, q, v


@pytest.fixture(scope="module", params=[bars, hinged], ids=["bars", "hinged boxes"])
def both(request):
    """The state, its problem, and the classifications by sparse algebra and by full matrices."""
    mechanism, q, v = request.param()
    system = mechanism.system
    state = system.state(q, v)
    problem = GaussProblem.at(system, state)
    quick = clearly_regular(system, state, problem, "osqp")
    assert quick is not None
    return system, state, problem, quick, classification(system, state, problem)


@pytest.mark.long
def test_acceleration_multipliers_and_zwang_are_those_of_full_matrices(both):
    _, _, problem, quick, full = both
    one, other = quick.solution, full.solution
    metric = problem.metric
    assert metric.norm(one.a - other.a) <= one.error_bound + other.error_bound
    assert one.error_bound <= 10.0 * other.error_bound + 1e-13
    whitened = np.linalg.norm(metric.whitened(problem.rows.J), axis=1)
    forces = np.abs(one.multipliers - other.multipliers) * whitened
    # a force is known to the error of a over the smallest singular value
    assert np.max(forces) <= (one.error_bound + other.error_bound) * one.residuals.condition * np.sqrt(problem.m)
    assert one.zwang == pytest.approx(other.zwang, rel=1e-12)
    assert one.residuals.at_rounding
    assert one.residuals.condition == pytest.approx(other.residuals.condition, rel=1e-6)
    assert one.solver_distance < 1e-9


@pytest.mark.long
def test_verdict_rank_and_reactions_are_those_of_full_matrices(both):
    _, _, _, quick, full = both
    assert quick.verdict == full.verdict == "regular"
    assert quick.unique
    assert quick.regularity.rank == full.regularity.rank == len(quick.regularity.rows)
    assert quick.regularity.left_out == len(quick.regularity.rows) - 2 * SHOWN
    one, other = quick.reactions, full.reactions
    assert one.unique
    assert other.unique
    np.testing.assert_allclose(one.share, other.share, rtol=1e-9, atol=1e-9)
    assert one.range_of(one.rows[3]) == pytest.approx(other.range_of(one.rows[3]), rel=1e-8, abs=1e-10)
    np.testing.assert_allclose(one.reaction, other.reaction, rtol=1e-9, atol=1e-9)


def test_accelerate_takes_the_sparse_way_by_itself(both):
    system, state, _, quick, _ = both
    step = g.accelerate(system, state.q, state.v)
    assert step.regularity.left_out == quick.regularity.left_out
    np.testing.assert_array_equal(step.a, quick.solution.a)
    direct = g.accelerate(system, state.q, state.v, solver="kkt")
    assert direct.solution.iterations == 0
    np.testing.assert_allclose(direct.a, step.a, rtol=1e-12, atol=1e-12)


def test_the_sparse_root_is_the_inverse_cholesky_factor(both):
    _, _, problem, _, _ = both
    root = inverse_root(sp.csc_matrix(problem.M)).toarray()
    np.testing.assert_allclose(root, np.linalg.inv(np.linalg.cholesky(problem.M)), rtol=1e-10, atol=1e-10)
    assert definite_by_blocks(problem.M)


def test_singular_values_at_both_ends_are_those_of_the_decomposition(both):
    _, _, problem, _, _ = both
    whitened = SparseProblem.of(problem).whitened
    found = spectrum_of(whitened)
    U, sigma, _ = np.linalg.svd(whitened.toarray(), full_matrices=False)
    np.testing.assert_allclose(found.sigma[:SHOWN], sigma[:SHOWN], rtol=1e-6)  # the tolerance of the upper end
    np.testing.assert_allclose(found.sigma[SHOWN:], sigma[-SHOWN:], rtol=1e-8)
    assert abs(found.weakest @ U[:, -1]) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.long
def test_the_entries_of_the_rows_derivatives_are_those_of_the_table(both):
    system, state, _, _, _ = both
    table = system.model.curvature
    place = (state.q, state.v, state.t, system.theta())
    full = np.zeros((len(system.row_names), system.n, system.n))
    full[table.k, table.i, table.j] = table(*place)
    np.testing.assert_allclose(full, system.model.jets.curvature(*place), atol=1e-14)


@pytest.mark.long
def test_a_pin_given_twice_is_left_to_the_full_analysis():
    mechanism, q, v = bars(twice=30)
    verdict = g.classify(mechanism.system, q, v)
    assert verdict.verdict == "redundant"
    assert verdict.regularity.left_out == 0
    assert {"p30[0]", "again[0]"} in [set(group) for group in verdict.dependent]


def test_rows_that_depend_on_others_are_never_called_independent():
    rng = np.random.default_rng(0)
    for _ in range(40):  # the inverse of W Wᵀ is then rounding, of either sign
        k, n = int(rng.integers(150, 260)), 300
        J = sp.random(k, n, 0.01, random_state=rng).toarray() + np.eye(k, n)
        others = rng.choice(k - 1, int(rng.integers(1, 5)), replace=False)
        J[-1] = (rng.normal(size=others.size) * 10.0 ** rng.uniform(-3.0, 3.0)) @ J[others]
        problem = GaussProblem.of(np.eye(n), rng.normal(size=n), J, J @ rng.normal(size=n))
        assert solve_sparsely(SparseProblem.of(problem), "kkt") is None


@pytest.mark.parametrize("sine", [1e-2, 1e-5, 1e-6])
def test_a_small_singular_value_is_that_of_its_construction(sine):
    # rows e_k, and one at the angle asin(sine) to the last of them: sigma² = 1 − cos
    J = np.vstack([np.eye(200, 300), np.eye(300)[199] * np.sqrt(1.0 - sine**2) + sine * np.eye(300)[250]])
    found = spectrum_of(sp.csr_matrix(J))
    assert found.smallest == pytest.approx(sine / np.sqrt(1.0 + np.sqrt(1.0 - sine**2)), rel=1e-6)
    assert sorted(np.flatnonzero(np.abs(found.weakest) > 0.1)) == [199, 200]
    J[-1] = np.eye(300)[199]
    assert spectrum_of(sp.csr_matrix(J)) is None


def test_all_values_of_few_rows_are_those_of_the_decomposition():
    rng = np.random.default_rng(4)
    W = sp.csr_matrix(np.eye(30, 60) + rng.normal(size=(30, 60)) * (rng.random((30, 60)) < 0.05))
    found = spectrum_of(W)
    np.testing.assert_allclose(found.sigma, np.linalg.svd(W.toarray(), compute_uv=False), rtol=1e-13)
    assert np.linalg.norm(found.weakest @ W) == pytest.approx(found.smallest)
    assert spectrum_of(sp.vstack([W, W[:1]])) is None


def straight(links: int) -> tuple[g.System, np.ndarray, np.ndarray]:
    """Particles of 1 kg on links of 1/N m that are in one line, at atan(4/3) to the horizontal, and turn at 1 rad/s."""
    names = " ".join(f"x{k} y{k}" for k in range(links))

    def rows(q: list[object]) -> list[object]:
        points = [(0.0, 0.0), *((q[2 * k], q[2 * k + 1]) for k in range(links))]
        return [(c - a) ** 2 + (d - b) ** 2 - 1.0 / links**2 for (a, b), (c, d) in itertools.pairwise(points)]

    system = g.System(
        "chain",
        names,
        kinetic_energy=lambda v: sum(v[k] ** 2 for k in range(2 * links)) / 2.0,
        potential_energy=lambda q: 9.81 * sum(q[2 * k + 1] for k in range(links)),
        constraints=[g.Holonomic("link", rows)],
    )
    along = np.arange(1, links + 1)[:, None] / links
    return system, (along * [0.6, 0.8]).ravel(), (along * [-0.8, 0.6]).ravel()


def exact_acceleration(links: int) -> np.ndarray:
    """The accelerations of that chain in fractions: tensions over lengths solve a tridiagonal system."""
    along, weight = (Fraction(3, 5), Fraction(4, 5)), Fraction(981, 100)
    step = Fraction(1, links**2)  # the square of a link's length, and of the relative speed of its ends
    pivots, right, tension = [], [], [Fraction(0)] * (links + 1)
    for k in range(links):
        pivots.append(step * (2 if k else 1) - (step**2 / pivots[-1] if k else 0))
        right.append(
            (-step if k else -step + weight * along[1] / links) + (step * right[-1] / pivots[k - 1] if k else 0)
        )
    for k in reversed(range(links)):
        tension[k] = (right[k] + step * tension[k + 1]) / pivots[k]
    pulls = [(tension[k] - tension[k + 1]) / links for k in range(links)]
    return np.array([[float(along[0] * s), float(along[1] * s - weight)] for s in pulls]).ravel()


@pytest.mark.parametrize("links", [40, 100, 300])
def test_the_error_of_a_straight_chain_that_turns_covers_the_true_one_and_says_something(links):
    system, q, v = straight(links)
    state, exact = system.state(q, v), exact_acceleration(links)
    verdict = clearly_regular(system, state, GaussProblem.at(system, state), "kkt")
    assert verdict is not None
    assert verdict.verdict == "regular"
    assert np.linalg.norm(verdict.a - exact) <= verdict.error <= 1e-3 * np.linalg.norm(exact)


@pytest.mark.parametrize("links", [16, 18, 24])
def test_a_chain_whose_values_fall_without_a_gap_does_not_start_beside_a_singular_position(links):
    system, q, v = straight(links)
    assert start.start_of(system, system.state(q, 0.0 * v), 1.0).a0 is None
    beside, q, v = four_bars(1e-5, 0.0, 1.0, loops=1)
    assert start.start_of(beside.system, beside.system.state(q, v), 1.0).a0 is not None


def four_bars(angle: float, rate: float, length: float, loops: int = 6) -> tuple[mb.Mechanism, np.ndarray, np.ndarray]:
    """Rockers of 1 kg on one line, joined by couplers: all parallel, flat at the angle 0."""
    inertia = length**2 / 12.0
    rockers = [mb.PlanarBody(f"r{k}", 1.0, inertia) for k in range(loops + 1)]
    couplers = [mb.PlanarBody(f"c{k}", 1.0, inertia) for k in range(loops)]
    end, start = (0.5 * length, 0.0), (-0.5 * length, 0.0)
    pins = [mb.Pin(f"g{k}", mb.GROUND, (k * length, 0.0), rocker, start) for k, rocker in enumerate(rockers)]
    pins += [mb.Pin(f"a{k}", rockers[k], end, coupler, start) for k, coupler in enumerate(couplers)]
    pins += [mb.Pin(f"b{k}", rockers[k + 1], end, coupler, end) for k, coupler in enumerate(couplers)]
    along = length * np.array([np.cos(angle), np.sin(angle)])
    speed = rate * np.array([-along[1], along[0]])
    foot = [np.array([k * length, 0.0]) for k in range(loops + 1)]
    poses = [r.pose(at + along / 2, angle, speed / 2, rate) for r, at in zip(rockers, foot, strict=True)]
    poses += [c.pose(at + along + [length / 2, 0.0], 0.0, speed, 0.0) for c, at in zip(couplers, foot, strict=False)]
    chain = mb.Mechanism("four-bars", [*rockers, *couplers], pins)
    return chain, *chain.state(*poses)


@pytest.fixture
def every_size(monkeypatch):
    """Let small problems take the sparse way too."""
    monkeypatch.setattr(sparse, "ENTRIES", 0)
    monkeypatch.setattr(sparse, "SPARSE", 1.0)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("angle", [1.0, 0.1, 1e-2, 1e-4, 1e-6, 1e-8, 0.0])
@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_parallel_rockers_move_as_in_closed_form_or_are_left_to_the_full_analysis(every_size, angle, rate):
    mechanism, q, v = four_bars(angle, rate, 1.0)
    state = mechanism.system.state(q, v)
    found = clearly_regular(mechanism.system, state, GaussProblem.at(mechanism.system, state), "kkt")
    assert (found is not None) == (angle >= (1e-2 if rate else 1e-4))
    if found is None:
        return
    loops = 6
    turning = -9.81 * (3 * loops + 1) / 2 / ((4 * loops + 1) / 3) * np.cos(angle)  # the rockers' angular acceleration
    point = turning * np.array([-np.sin(angle), np.cos(angle)]) - rate**2 * np.array([np.cos(angle), np.sin(angle)])
    expected = np.array([*np.tile([*point / 2, *point], loops + 1), *np.tile([*point, 0.0, 0.0], loops)])
    off = found.problem.metric.norm(found.solution.a - expected)
    assert off <= found.error + found.solution.error_bound
    assert off < 1e-11  # and is near to rounding


@pytest.mark.parametrize("length", [1.0, 1e-3])
def test_the_error_covers_what_a_state_off_its_pins_is_off_by(every_size, length):
    mechanism, q, v = four_bars(1.0, 0.0, length)
    system, theta = mechanism.system, mechanism.system.theta()
    exact = g.accelerate(system, q, v, solver="kkt").solution
    metric = exact.problem.metric
    for seed in range(3):
        moved = q + 1e-11 * np.random.default_rng(seed).normal(size=q.size)
        state = system.state(moved, v)
        found = clearly_regular(system, state, GaussProblem.at(system, state), "kkt")
        back = moved.copy()  # where Newton's method in the mass metric ends
        for _ in range(6):
            terms = system.model.terms(back, v, 0.0, theta)
            X = np.linalg.solve(terms.M, terms.J.T)
            back -= X @ np.linalg.solve(terms.J @ X, terms.phi)
        nearest = g.accelerate(system, back, v, solver="kkt").solution
        off = metric.norm(found.solution.a - nearest.a)
        assert 1e-12 < off <= found.error


def test_an_answer_that_osqp_does_not_find_is_left_to_the_full_analysis(both, monkeypatch):
    system, state, problem, _, _ = both
    nothing = osqp_solver.Answer(np.full(problem.n, np.nan), np.zeros(problem.m), 0, "primal infeasible")
    monkeypatch.setattr(sparse.SparseWorkspace, "solve", lambda self: nothing)
    assert clearly_regular(system, state, problem, "osqp") is None
    assert clearly_regular(system, state, problem, "kkt") is not None


@pytest.mark.long
def test_a_long_chain_of_hinged_boxes_is_judged_by_sparse_algebra():
    # its smallest singular value falls with the square of the number of boxes, as the stiffness of a clamped beam does
    parts = [mb.Body(f"b{k}", mb.box(1.0, (1.0, 0.2, 0.1))) for k in range(100)]
    ends = [(mb.GROUND, (0.0, 0.0, 0.0)), *((part, (0.5, 0.0, 0.0)) for part in parts)]
    axis, start = (0.0, 1.0, 0.0), (-0.5, 0.0, 0.0)
    chain = mb.Mechanism(
        "boxes", parts, [mb.Revolute(f"j{k}", *ends[k], part, start, axis) for k, part in enumerate(parts)]
    )
    q, v = chain.state(*(part.pose((k + 0.5, 0.0, 0.0)) for k, part in enumerate(parts)))
    step = g.accelerate(chain.system, q, v)
    assert step.verdict == "regular"
    assert step.regularity.left_out == 1100 - 2 * SHOWN
    assert step.sigma_min == pytest.approx(8.207373935e-6, rel=1e-6)  # by a full decomposition
    # the same chain in its hinge angles: Newton-Euler recursion, Iᵢ about the ends
    reach = np.tril(np.ones((100, 100))) - 0.5 * np.eye(100)  # what the angles move the centres by, m
    mass = reach.T @ reach + np.eye(100) * (1.0 + 0.1**2) / 12.0
    angles = np.linalg.solve(mass, -9.81 * reach.sum(axis=0))
    a = step.a.reshape(100, 12)
    np.testing.assert_allclose(a[:, 2], reach @ angles, rtol=1e-9, atol=1e-9)


def test_small_full_and_touching_problems_are_left_to_the_full_analysis():
    small, q, v = bars(4)
    assert SparseProblem.of(GaussProblem.at(small.system, small.system.state(q, v))) is None
    rng = np.random.default_rng(2)
    J = rng.normal(size=(150, 300))
    assert SparseProblem.of(GaussProblem.of(np.eye(300), np.ones(300), J, np.zeros(150))) is None  # full rows
    narrow = np.eye(300)[:200]
    assert SparseProblem.of(GaussProblem.of(np.eye(300), np.ones(300), narrow, np.zeros(200))) is not None
    upper = np.where(np.arange(200) < 3, np.inf, 0.0)
    assert SparseProblem.of(GaussProblem.of(np.eye(300), np.ones(300), narrow, np.zeros(200), upper)) is None
    coupled = np.eye(300) + 0.5 * (np.eye(300, k=1) + np.eye(300, k=-1))  # one block of 300
    assert SparseProblem.of(GaussProblem.of(coupled, np.ones(300), narrow, np.zeros(200))) is None


def test_a_massless_body_is_left_to_the_full_analysis():
    M = np.diag(np.where(np.arange(300) == 7, 0.0, 1.0))
    problem = GaussProblem.of(M, np.ones(300), np.eye(300)[:200], np.zeros(200))
    assert SparseProblem.of(problem) is None
    assert not definite_by_blocks(M)
    assert solve(problem).a[7] == pytest.approx(0.0, abs=1e-12)


def test_a_run_of_many_bars_keeps_energy_and_agrees_with_osqp_at_every_state():
    mechanism, q, v = bars()
    run = g.simulate(mechanism.system, q, v, t_end=0.02, method="rk4", step=2e-4, progress="none")
    assert run.ending.complete
    assert run.about.qp_count == len(run)
    assert np.max(run.solver_distance) < 1e-9  # OSQP's own answer, polished
    assert np.ptp(run.kinetic + run.potential) < 1e-7 * np.max(run.kinetic)
    other = g.simulate(mechanism.system, q, v, t_end=0.02, rtol=1e-12, progress="none")
    assert np.max(np.abs(other.q[-1] - run.q[-1])) < 1e-7  # RK4 leaves h⁴ of 1e-15 times the rates of short bars


def test_a_warm_start_with_a_bad_step_length_begins_again(monkeypatch):
    monkeypatch.setattr(osqp_solver, "WARM", 1)  # iterations, so that no warm start ends
    rng = np.random.default_rng(3)
    n, k = 120, 60
    A = sp.csc_matrix(sp.random(k, n, 0.05, random_state=rng, format="csc") + sp.eye(k, n, format="csc"))
    P = sp.eye(n, format="csc")
    workspace = osqp_solver.SparseWorkspace(P, np.zeros(n), A, np.zeros(k), np.zeros(k))
    assert np.max(np.abs(workspace.solve().x)) < 1e-12
    saddle = np.block([[np.eye(n), A.T.toarray()], [A.toarray(), np.zeros((k, k))]])
    for _ in range(2):
        h, low = rng.normal(size=n), rng.normal(size=k)
        workspace.update(P.data, h, A.data, low, low)
        answer = workspace.solve()
        assert answer.status == "solved"
        assert answer.iterations > 1
        np.testing.assert_allclose(answer.x, np.linalg.solve(saddle, np.concatenate([-h, low]))[:n], atol=1e-12)


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e8])
@pytest.mark.parametrize("shape", [(1, 3, 3), (1, 20, 30), (24, 1, 3), (96, 2, 4)])
def test_programs_of_orthonormal_equality_rows_are_solved_to_rounding(shape, size):
    """The least z with A z = b is Aᵀb; the workspace is kept from one problem to the next."""
    rng = np.random.default_rng(0)
    for _ in range(3):
        A = np.ascontiguousarray(np.linalg.qr(rng.normal(size=(shape[0], shape[2], shape[1])))[0].swapaxes(1, 2))
        b = size * rng.normal(size=shape[:2])
        found = osqp_solver.solved(A, b.ravel(), b.ravel())
        assert found.status == "solved"
        assert found.iterations <= 7
        assert np.max(np.abs(found.x - np.einsum("bkn,bk->bn", A, b).ravel())) < 1e-14 * size
