"""Large mechanisms: verdict, certificate and program by sparse algebra give what full matrices give."""

import numpy as np
import pytest
import scipy.sparse as sp

import gauss as g
from gauss import multibody as mb
from gauss.principle import GaussProblem
from gauss.principle.metric import metric_of
from gauss.principle.solve import solve
from gauss.principle.solvers import osqp as osqp_solver
from gauss.principle.sparse import SHOWN, SparseProblem, definite_by_blocks, inverse_root, spectrum_of
from gauss.regularity import classification
from gauss.regularity.large import clearly_regular

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


def test_acceleration_multipliers_and_zwang_are_those_of_full_matrices(both):
    _, _, problem, quick, full = both
    one, other = quick.solution, full.solution
    metric = metric_of(problem)
    assert metric.norm(one.a - other.a) <= one.error_bound + other.error_bound
    assert one.error_bound <= 10.0 * other.error_bound + 1e-13
    white = np.linalg.norm(metric.white(problem.rows.J), axis=1)
    forces = np.abs(one.multipliers - other.multipliers) * white
    # a force is known to the error of a over the smallest singular value
    assert np.max(forces) <= (one.error_bound + other.error_bound) * one.residuals.condition * np.sqrt(problem.m)
    assert one.zwang == pytest.approx(other.zwang, rel=1e-12)
    assert one.residuals.at_rounding
    assert one.residuals.condition == pytest.approx(other.residuals.condition, rel=1e-6)
    assert one.solver_distance < 1e-9


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
    assert step.verdict.regularity.left_out == quick.regularity.left_out
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
    sparse = SparseProblem.of(problem)
    found = spectrum_of(sparse.white)
    U, sigma, _ = np.linalg.svd(sparse.white.toarray(), full_matrices=False)
    np.testing.assert_allclose(found.sigma[:SHOWN], sigma[:SHOWN], rtol=1e-6)  # the tolerance of the upper end
    np.testing.assert_allclose(found.sigma[SHOWN:], sigma[-SHOWN:], rtol=1e-8)
    assert abs(found.weakest @ U[:, -1]) == pytest.approx(1.0, abs=1e-6)


def test_the_entries_of_the_rows_derivatives_are_those_of_the_table(both):
    system, state, _, _, _ = both
    table = system.model.curvature
    place = (state.q, state.v, state.t, system.theta())
    full = np.zeros((len(system.row_names), system.n, system.n))
    full[table.k, table.i, table.j] = table(*place)
    np.testing.assert_allclose(full, system.model.jets.curvature(*place), atol=1e-14)


def test_a_pin_given_twice_is_left_to_the_full_analysis():
    mechanism, q, v = bars(twice=30)
    verdict = g.classify(mechanism.system, q, v)
    assert verdict.verdict == "redundant"
    assert verdict.regularity.left_out == 0
    assert {"p30[0]", "again[0]"} in [set(group) for group in verdict.dependent]


def test_small_full_and_touching_problems_are_left_to_the_full_analysis():
    small, q, v = bars(8)
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
