"""Large sparse systems: the saddle matrix factorised as a whole gives what full matrices give, at a cost that grows
like the number of bodies, and leaves small systems as they are.
"""

from __future__ import annotations

import functools
import itertools
import math

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gauss as g
from gauss.model import RK4, SparseGaussData, StepFunctions, tableau_of
from gauss.model.compiled.steps import kkt, ordering, pieces
from gauss.model.compiled.steps.fused import FusedStep, StepScalar
from gauss.motion import Setting, StagedStepper, sigma_min_along, stepper_of
from gauss.motion.record.measures import off_along
from gauss.motion.steps.quadratic import StepSolver
from gauss.motion.steps.steppers import FusedStepper, metric_weight
from gauss.uniqueness import smallest_singular_value

EPS = float(np.finfo(float).eps)
G = 9.81  # m/s²


def rounding(scale, cond=1.0):
    """A hundred rounding errors of numbers of size `scale`, amplified by the condition number."""
    return 100.0 * EPS * float(cond) * float(scale)


# --- systems ----------------------------------------------------------------------------------------------------


def four_bar_chain(loops, **options):
    """N loops of unit bars of 1 kg: ground pivots A_i = (i, 0), points B_i = (x_i, y_i)."""

    def bar(ends):
        (a, b), (c, d) = ends
        return (a**2 + b**2 + c**2 + d**2 + a * c + b * d) / 6

    def points(z):
        return [(z[2 * i], z[2 * i + 1]) for i in range(loops + 1)]

    def kinetic(v):
        p = points(v)
        return sum(bar(((0.0, 0.0), one)) for one in p) + sum(bar(pair) for pair in itertools.pairwise(p))

    def potential(q):
        heights = [y for _, y in points(q)]
        return G * (sum(heights) / 2 + sum((y + z) / 2 for y, z in itertools.pairwise(heights)))

    def rockers(q):
        return [(x - i) ** 2 + y**2 - 1.0 for i, (x, y) in enumerate(points(q))]

    def couplers(q):
        return [(c - a) ** 2 + (d - b) ** 2 - 1.0 for (a, b), (c, d) in itertools.pairwise(points(q))]

    return g.System(
        f"chain of {loops} loops",
        " ".join(f"x{i} y{i}" for i in range(loops + 1)),
        kinetic_energy=kinetic,
        potential_energy=potential,
        constraints=[g.Holonomic("rocker", rockers), g.Holonomic("coupler", couplers)],
        **options,
    )


def chain_state(loops, angle, rate):
    """All rockers at `angle` from the vertical, turning at `rate`: the state x = (t, q, v)."""
    place = np.array([np.sin(angle), np.cos(angle)])
    q = np.concatenate([place + np.array([i, 0.0]) for i in range(loops + 1)])
    return np.concatenate([[0.0], q, np.tile(rate * place[::-1] * (1.0, -1.0), loops + 1)])


def rods(q):
    """φ of unit rods from the origin along a chain of points."""
    points = [(0.0, 0.0), *((q[2 * i], q[2 * i + 1]) for i in range(len(q) // 2))]
    return [(c - a) ** 2 + (d - b) ** 2 - 1.0 for (a, b), (c, d) in itertools.pairwise(points)]


def hanging(points, masses=None, **options):
    """A chain of point masses on unit rods from the origin; `masses` may hold zeros."""
    masses = masses or [1.0] * points
    return g.System(
        "hanging chain",
        " ".join(f"x{i} y{i}" for i in range(points)),
        kinetic_energy=lambda v: sum(m * (v[2 * i] ** 2 + v[2 * i + 1] ** 2) for i, m in enumerate(masses)) / 2,
        potential_energy=lambda q: G * sum(m * q[2 * i + 1] for i, m in enumerate(masses)),
        **({"constraints": [g.Holonomic("rod", rods)]} | options),
    )


def mixed(points):
    """Rods, a row over all coordinates, knife edges and a nonlinear row on the velocities, and closed contacts."""
    q = zigzag(points)
    weights = 1.0 + 0.1 * np.arange(2 * points)
    balance, low = float(weights @ q), (float(q[15]), float(q[23]))
    return hanging(
        points,
        constraints=[
            g.Holonomic("rod", rods),
            g.Holonomic("balance", lambda q: sum(w * x for w, x in zip(weights.tolist(), q, strict=True)) - balance),
            g.Pfaffian("edge", lambda q: [{"x3": q.y5, "y3": -q.x5, "x5": 1.0}, {"x9": 1.0, "y10": q.x2}]),
            g.Nonholonomic("speed", lambda v, q: v.x1**2 + v.y1**2 + (v.x2 - v.y2) * q.x1 - 1.0),
            g.Unilateral("floor", lambda q: [q.y7 - low[0], q.y11 - low[1]]),
        ],
    )


def zigzag(points, seed=0):
    """Points of unit rods at random angles to alternating sides of the vertical."""
    steps = np.random.default_rng(seed).uniform(0.2, 0.9, points) * (-1.0) ** np.arange(points)
    return np.cumsum(np.stack([np.sin(steps), -np.cos(steps)], axis=1), axis=0).ravel()


def random_state(system, seed):
    """A zigzag with random velocities that meet the rows on the velocities."""
    q, v = zigzag(system.n // 2), np.random.default_rng(seed).normal(size=system.n)
    for _ in range(20):
        terms = system.model.terms(q, v, 0.0, system.theta())
        v = v - np.linalg.lstsq(terms.J, terms.psi, rcond=None)[0]
    return np.concatenate([[0.0], q, v])


SYSTEMS = {
    "flat chain": (four_bar_chain(12), chain_state(12, 0.4, -1.0)),
    "chain with random velocities": (four_bar_chain(9), None),
    "hanging chain": (hanging(20), None),
    "massless joints": (hanging(16, [float(i % 2) for i in range(16)]), None),
    "mixed rows": (mixed(14), None),
}


@functools.cache
def case(name, seed=0):
    system, x = SYSTEMS[name]
    if x is None and name == "chain with random velocities":
        x = chain_state(9, 0.5, 1.0)
        x[system.n + 1 :] += 0.1 * np.random.default_rng(seed).normal(size=system.n)
    elif x is None:
        x = random_state(system, seed)
    return system, x


def setting_of(system, x=None, tableau=RK4, control=None):
    n = system.n
    weight = 0.0 if x is None else metric_weight(system, x[1 : n + 1], x[n + 1 :], 0.0)
    return Setting(system, tableau, system.theta(), weight, np.full(2 * n, 1e-12), 1e-10, control)


def all_rows(system):
    return tuple(range(system.model.m))


def exact_terms(system, x):
    n = system.n
    return system.model.terms(x[1 : n + 1], x[n + 1 :], float(x[0]), system.theta())


def spectrum(M, J):
    """Singular values of J in the metric M by full matrices, rows scaled to unit length."""
    whitened = np.linalg.solve(np.linalg.cholesky(M), J.T).T
    return np.linalg.svd(whitened / np.linalg.norm(whitened, axis=1, keepdims=True), compute_uv=False)


def built(system, x, form, tableau=RK4):
    weight = setting_of(system, x).weight
    model = system.model
    return FusedStep.build(
        StepFunctions(model.trace, model.arguments, all_rows(system), weight > 0.0, form), tableau
    ), weight


# --- the numbers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_sparse_acceleration_solves_the_full_saddle_system(name):
    """Against LAPACK on the saddle matrix of the terms, refined; errors are rounding times the condition of S."""
    system, x = case(name)
    n, terms = system.n, exact_terms(*case(name))
    step, weight = built(system, x, "saddle")
    a, multipliers, *_ = step.accelerate(x[1 : n + 1], x[n + 1 :], 0.0, system.theta(), weight)
    k = system.model.m
    full = np.block([[terms.M, -terms.J.T], [terms.J, np.zeros((k, k))]])
    right = np.concatenate([terms.f, terms.gamma])
    exact = np.linalg.solve(full, right)
    for _ in range(3):
        rest = (right.astype(np.longdouble) - full.astype(np.longdouble) @ exact).astype(float)
        exact = exact + np.linalg.solve(full, rest)
    cond = 1.0 / spectrum(terms.M + weight * terms.J.T @ terms.J, terms.J)[-1] ** 2
    assert np.max(np.abs(a - exact[:n])) <= rounding(np.max(np.abs(exact[:n])), cond)
    assert np.max(np.abs(multipliers - exact[n:])) <= rounding(np.max(np.abs(exact)), cond)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("tableau", [RK4, tableau_of("dop853")], ids=lambda t: t.name)
@pytest.mark.parametrize("name", SYSTEMS)
def test_sparse_and_full_elimination_give_the_same_step_and_record(name, tableau):
    system, x = case(name)
    n, k = system.n, system.model.m
    results = []
    for form in ("schur", "saddle"):
        step, weight = built(system, x, form, tableau)
        results.append(step.call(x, 1e-3, system.theta(), weight, np.full(2 * n, 1e-12), 1e-10)[:2])
    (one, first), (other, second) = results
    terms = exact_terms(system, x)
    cond = 1.0 / spectrum(terms.M + weight * terms.J.T @ terms.J, terms.J)[-1] ** 2
    size = np.max(np.abs(first[: n + k]))
    assert np.max(np.abs(one - other)) <= rounding(np.max(np.abs(one)), cond)
    assert np.max(np.abs(first[: n + k] - second[: n + k])) <= rounding(size, cond)
    scalars = {
        name: (first[n + k + i], second[n + k + i]) for i, name in enumerate(x.name.lower() for x in sorted(StepScalar))
    }
    zwang = scalars["zwang"]
    assert abs(zwang[0] - zwang[1]) <= rounding(abs(zwang[0]) + size**2, cond)
    for name in ("primal", "stationarity", "off_position", "off_velocity"):
        assert max(scalars[name]) <= rounding(size + np.max(np.abs(x)), cond)
    assert scalars["smallest"][0] == pytest.approx(scalars["smallest"][1], rel=rounding(1.0, cond))


@pytest.mark.parametrize("name", SYSTEMS)
def test_row_sizes_are_the_diagonal_of_the_full_schur_complement(name):
    system, x = case(name)
    n, trace = system.n, system.model.trace
    saddle = kkt.Saddle.of(trace.M, trace.f, trace.J, trace.gamma, None if name != "massless joints" else ca.SX(1.0))
    sizes = ca.Function("sizes", system.model.arguments, [ca.densify(saddle.sizes)])
    terms = exact_terms(system, x)
    K = terms.M + (terms.J.T @ terms.J if name == "massless joints" else 0.0)
    exact = np.diag(terms.J @ np.linalg.solve(K, terms.J.T))
    got = np.array(sizes(x[1 : n + 1], x[n + 1 :], 0.0, system.theta())).ravel()
    assert np.max(np.abs(got / exact - 1.0)) <= rounding(1.0, np.linalg.cond(K))


# --- pivots and the record --------------------------------------------------------------------------------------


def test_the_record_begins_its_scalars_with_the_pivot_of_the_state_it_starts_from():
    system, n = four_bar_chain(12), 26
    x = chain_state(12, 0.7, -1.0)
    for stepper in (
        FusedStepper(setting_of(system), all_rows(system)),
        StagedStepper(setting_of(system), all_rows(system)),
    ):
        _, record = stepper.step(x, 1e-3)
        k = len(stepper.rows)
        assert -len(StepScalar) == StepScalar.START_PIVOT
        assert record.size == n + k + len(StepScalar) == n + k + 9
        assert record[n + k] == stepper.pivot(x)
        assert record[-5] <= record[n + k]  # of all stages, the first included


def test_the_pivot_of_a_diagonal_metric_is_a_squared_sine():
    """Against QR of the rows in the order of elimination: the squared distance of each unit row from those before."""
    system, x = case("hanging chain")
    n, trace = system.n, system.model.trace
    saddle = kkt.Saddle.of(trace.M, trace.f, trace.J, trace.gamma, None)
    order = [node - n for node in saddle.factor.order if node >= n]
    pivot = ca.Function("pivot", system.model.arguments, [saddle.row_pivot()])
    terms = exact_terms(system, x)
    whitened = (terms.J / np.sqrt(np.diag(terms.M)))[order]
    triangle = np.linalg.qr((whitened / np.linalg.norm(whitened, axis=1, keepdims=True)).T, mode="r")
    exact = np.min(np.diag(triangle) ** 2)
    assert float(pivot(x[1 : n + 1], x[n + 1 :], 0.0, system.theta())) == pytest.approx(
        exact, rel=rounding(1.0, 1 / exact)
    )


def test_orthogonal_rows_have_pivot_one_and_dependent_rows_zero():
    names = " ".join(f"x{i}" for i in range(60))
    rows = [g.Holonomic(f"axis {i}", lambda q, i=i: q[i] - 2.0 * q[i + 1]) for i in range(0, 60, 3)]
    options = {"kinetic_energy": lambda v: sum(s**2 for s in v) / 2, "coordinates": names}
    x = np.concatenate([[0.0], np.zeros(120)])
    for constraints, expected in ((rows, 1.0), ([*rows, g.Holonomic("again", lambda q: q[0] - 2.0 * q[1])], 0.0)):
        system = g.System("axes", constraints=constraints, **options)
        step, _ = built(system, x, "saddle")
        pivot = step.accelerate(x[1:61], x[61:], 0.0, system.theta(), 0.0)[4].item()
        assert abs(pivot - expected) <= rounding(1.0)


@pytest.mark.parametrize("loops", [3, 10, 40])
def test_the_pivot_falls_with_the_square_of_the_distance_from_the_flat_position(loops):
    """Rows that become dependent like δ have squared sines like δ²; the chain's pivots are of that size for any N."""
    stepper = stepper_of(setting_of(four_bar_chain(loops)), tuple(range(2 * loops + 1)))
    pivots = [stepper.pivot(chain_state(loops, math.pi / 2 - delta, -1.0)) for delta in (1e-2, 1e-3, 1e-4)]
    assert 0.1 <= pivots[0] / 1e-4 <= 10.0
    for large, small in itertools.pairwise(pivots):
        assert small / large == pytest.approx(1e-2, rel=1e-2)  # the next term of the expansion is δ smaller
    assert abs(stepper.pivot(chain_state(loops, math.pi / 2, -1.0))) <= rounding(1.0)


# --- orders of elimination --------------------------------------------------------------------------------------


def numeric_fill(graph, order):
    """Entries below the diagonal in a Cholesky factor of a matrix with this graph and random entries."""
    size = len(graph)
    rng = np.random.default_rng(0)
    A = np.diag([100.0 * size] * size)
    for i, neighbours in enumerate(graph):
        for j in neighbours:
            A[i, j] = A[j, i] = rng.uniform(1.0, 2.0)
    L = np.linalg.cholesky(A[np.ix_(order, order)])
    return np.count_nonzero(np.tril(L, -1))


@pytest.mark.parametrize("seed", range(8))
def test_a_row_follows_its_coordinates_and_the_fill_is_that_of_the_factor(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(5, 40)), int(rng.integers(0, 20))
    metric = ordering.graph_of(n, rng.integers(0, n, size=(n, 2)).tolist())
    rows = [sorted(set(rng.integers(0, n, size=rng.integers(1, 5)).tolist())) for _ in range(k)]
    graph = ordering.saddle_graph(metric, rows)
    order = ordering.least_degree(graph, rows)
    place = {node: i for i, node in enumerate(order.nodes)}
    assert sorted(order.nodes) == list(range(n + k))
    assert all(place[i] < place[n + j] for j, row in enumerate(rows) for i in row)
    assert order.fill == numeric_fill(graph, order.nodes)
    assert ordering.natural(graph).fill == numeric_fill(graph, range(n + k))


def test_rows_that_do_not_wait_for_their_coordinates_meet_a_zero_pivot():
    """At upright rockers a row has no entry in the first of its coordinates: why orders of least fill are no use."""
    system, x = four_bar_chain(12), chain_state(12, 0.0, 1.0)
    trace, n = system.model.trace, system.n
    saddle = kkt.Saddle.of(trace.M, trace.f, trace.J, trace.gamma, None)
    rows = kkt.supports(saddle.J)
    graph = ordering.saddle_graph(kkt.pattern(saddle.K), rows)
    matrix = ca.blockcat([[saddle.K, saddle.J.T], [saddle.J, ca.SX(len(rows), len(rows))]])
    finite = []
    for order in (ordering.least_degree(graph), ordering.least_degree(graph, rows)):
        solution = kkt.Factorisation(matrix, order.nodes).solve(ca.vertcat(saddle.F, saddle.gamma))
        evaluate = ca.Function("solution", system.model.arguments, [solution])
        finite.append(np.all(np.isfinite(np.array(evaluate(x[1 : n + 1], x[n + 1 :], 0.0, system.theta())))))
    assert finite == [False, True]


def test_the_bound_on_instructions_ends_the_search_with_an_overestimate():
    chain = ordering.graph_of(200, [(i, i + 1) for i in range(199)])
    exact, cut = ordering.natural(chain), ordering.natural(chain, most=100)
    assert cut.instructions > exact.instructions > 100
    star = ordering.graph_of(200, [(0, i) for i in range(1, 200)])
    assert ordering.natural(star).fill == 199 * 200 // 2
    assert ordering.least_degree(star).fill == 199
    ordering.join(star, [list(range(200))])
    assert ordering.least_degree(star).fill == 199 * 200 // 2


def instructions(loops):
    system = four_bar_chain(loops)
    p = StepFunctions(system.model.trace, system.model.arguments, all_rows(system), False, "saddle")
    parts = (p.place, p.slow, p.certificate)
    return 12 * p.acceleration.n_instructions() + sum(part.n_instructions() for part in parts)


def test_the_instructions_of_a_step_grow_like_the_number_of_loops():
    small, large = instructions(20), instructions(80)
    assert math.log(large / small) / math.log(4.0) <= 1.02  # exactly proportional but for the ends of the chain


# --- the choice of the form -------------------------------------------------------------------------------------


def serial(links):
    """A pendulum of many links in absolute angles, with a full mass matrix."""

    def kinetic(q, v):
        x = y = total = 0.0
        for angle, rate in zip(q, v, strict=True):
            x, y = x + g.cos(angle) * rate, y + g.sin(angle) * rate
            total = total + (x**2 + y**2) / 2
        return total

    return g.System("serial pendulum", [f"a{i}" for i in range(links)], kinetic_energy=kinetic)


@pytest.mark.parametrize(
    ("system", "form"),
    [
        (hanging(2), "schur"),
        (hanging(26), "schur"),  # M diagonal, S tridiagonal: nothing fills in
        (serial(8), "schur"),
        (four_bar_chain(40), "saddle"),
        (hanging(40, [float(i % 2) for i in range(40)]), "saddle"),
        (serial(70), "staged"),
    ],
    ids=["double pendulum", "hanging chain", "serial", "flat chain", "massless joints", "long serial"],
)
def test_the_form_that_costs_least_is_chosen(system, form):
    augmented = "massless" in str(system) or not np.all(np.diag(exact_terms(system, np.zeros(2 * system.n + 1)).M))
    assert system.model.pieces.form(augmented) == form


def test_small_systems_are_eliminated_as_before():
    """The compiled step has the instructions of full elimination, so its speed and its rounding are the same."""
    system = hanging(2)
    chosen = system.model.pieces.step(RK4, (0, 1), augmented=False).function
    full, _ = built(system, np.concatenate([[0.0], random_state(system, 1)[1:]]), "schur")
    assert chosen.n_instructions() == full.function.n_instructions()


# --- motions ----------------------------------------------------------------------------------------------------


def parallel(loops, t):
    """The motion with all rockers parallel, one degree of freedom: angle from the vertical, and its rate (2, N)."""
    factor = G * ((loops + 1) / 2 + loops) / ((loops + 1) / 3 + loops)
    run = solve_ivp(
        lambda _, y: [y[1], factor * math.sin(y[0])], (0.0, t[-1]), [0.0, 1.0], "DOP853", t, rtol=1e-12, atol=1e-13
    )
    return run.y


@pytest.mark.long
@pytest.mark.parametrize("solver", ["kkt", "osqp"])
@pytest.mark.parametrize("method", ["dop853", "rk4"])
def test_the_chain_moves_as_its_one_degree_of_freedom(method, solver):
    loops = 40
    system, x = four_bar_chain(loops), chain_state(loops, 0.0, 1.0)
    n = system.n
    step = {"step": 2e-3} if method == "rk4" else {}
    run = g.simulate(system, x[1 : n + 1], x[n + 1 :], t_end=0.3, method=method, solver=solver, progress="none", **step)
    assert run.ending.kind == "finished"
    assert run.setting.fused
    assert run.setting.sparse
    angle, rate = parallel(loops, run.t)
    error = 1e-9  # rk4: h⁴ = 1.6e-11 times derivatives below 100; dop853: rtol
    assert np.max(np.abs(run.q[:, 0::2] - np.arange(loops + 1) - np.sin(angle)[:, None])) <= error
    assert np.max(np.abs(run.v[:, 1::2] + (rate * np.sin(angle))[:, None])) <= 10.0 * error
    assert np.max(run.solver_distance) <= rounding(np.max(np.abs(run.a)), 1.0 / np.min(run.sigma_min) ** 2)
    if solver == "kkt":
        assert run.about.qp_count == 0
    else:  # states of a window next to its singular position have no program
        assert len(run) - len(run.windows) <= run.about.qp_count <= len(run)


@pytest.mark.long
@pytest.mark.parametrize("force", ["black box", "feedback"])
def test_forces_from_python_take_the_staged_path_sparsely(force):
    """A push on one point as a black box or a control moves the chain as the same push in the model does."""
    loops, control = 12, None
    x, push = chain_state(loops, 0.3, -0.5), lambda t: 3.0 * math.sin(5.0 * t)
    n = x.size // 2
    traced = four_bar_chain(loops, force=lambda t: {"x5": 3.0 * g.sin(5.0 * t)})
    if force == "black box":
        staged = four_bar_chain(loops, black_box_force=lambda q, v, t: push(t) * (np.arange(n) == 10))
    else:
        staged = four_bar_chain(loops, controls="push", force=lambda u: {"x5": u.push})
        control = lambda t, q, v: [push(t)]  # noqa: E731
    options = {"t_end": 0.2, "method": "rk4", "step": 0.01, "solver": "osqp", "progress": "none"}
    one = g.simulate(traced, x[1 : n + 1], x[n + 1 :], **options)
    other = g.simulate(staged, x[1 : n + 1], x[n + 1 :], control=control, **options)
    assert one.setting.fused
    assert not other.setting.fused
    assert isinstance(stepper_of(other.setting, all_rows(staged)), StagedStepper)
    cond = 1.0 / np.min(one.sigma_min) ** 2
    for name in ("q", "v", "a", "multipliers", "zwang"):
        expected = getattr(one, name)
        assert np.max(np.abs(getattr(other, name) - expected)) <= rounding(np.max(np.abs(expected)) + 1.0, cond)
    assert np.max(np.abs(one.a[5] - one.a[0])) > 0.1  # the push matters


def test_a_staged_stage_without_a_solution_is_refused_with_its_reason():
    system = four_bar_chain(12, black_box_force=lambda q, v, t: np.zeros(26))
    stepper = StagedStepper(setting_of(system), all_rows(system))
    flat = chain_state(12, math.pi / 2, -1.0)
    following, record = stepper.step(flat, 1e-3)
    assert np.all(np.isnan(following))
    assert np.all(np.isnan(record))
    assert "no finite solution" in stepper.trouble
    assert abs(stepper.pivot(flat)) <= rounding(1.0)


# --- the quadratic program --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_sparse_quadratic_program_has_the_acceleration_of_the_step(name, monkeypatch):
    """OSQP polishes with δ = 1e-6 and ten refinements: its error is rounding, amplified by the condition of the rows.

    The full pipeline must not be asked."""
    system, x = case(name)
    monkeypatch.setattr(pieces, "sparse_pays", lambda *_: True)
    fresh = StepSolver(setting_of(system, x), "osqp")
    monkeypatch.setattr(fresh, "_full", lambda *_: pytest.fail("the sparse program disagreed"))
    rows = tuple(system.model.equality)
    system.model.pieces.kept.clear()
    stepper = FusedStepper(setting_of(system, x), rows)
    a, _ = stepper.accelerate(x)
    distance = fresh.distance(x, a, rows)
    assert isinstance(system.model.pieces.gauss_data(rows, fresh.setting.weight > 0.0), SparseGaussData)
    system.model.pieces.kept.clear()
    terms = exact_terms(system, x)
    K, J = terms.M + setting_of(system, x).weight * terms.J.T @ terms.J, terms.J[list(rows)]
    size = math.sqrt(a @ K @ a) + 1.0
    assert distance <= rounding(size, 1.0 / spectrum(K, J)[-1] ** 2)


def test_the_sparse_quadratic_program_refuses_another_acceleration():
    system, x = four_bar_chain(12), chain_state(12, 0.4, -1.0)
    setting = setting_of(system)
    a, _ = FusedStepper(setting, all_rows(system)).accelerate(x)
    solver = StepSolver(setting, "osqp")
    assert solver.distance(x, a, all_rows(system)) <= 1e-9
    with pytest.raises(g.errors.SolverError, match="another acceleration"):
        solver.distance(x, a + 1e-3, all_rows(system))


@pytest.mark.parametrize(("pull", "carries"), [(-1.0, True), (1.0, False)])
def test_the_sparse_quadratic_program_decides_whether_a_contact_presses(pull, carries):
    """A floor under one joint of the chain, with a force down or up: the rows in force are right or refused."""
    loops = 12
    plain = four_bar_chain(loops, force={"y6": 500.0 * pull})
    angle = 0.4
    floor = g.Unilateral("floor", lambda q: q.y6 - math.cos(angle))
    system = g.System(
        "chain on a floor",
        plain.coordinates,
        kinetic_energy=plain.kinetic_energy.function,
        potential_energy=plain.potential_energy.function,
        force={"y6": 500.0 * pull},
        constraints=[*plain.constraints, floor],
    )
    x = chain_state(loops, angle, 0.0)
    setting, rows = setting_of(system), all_rows(system)
    assert setting.sparse
    a, multipliers = FusedStepper(setting, rows).accelerate(x)
    assert (multipliers[-1] > 0.0) == carries
    if carries:
        assert StepSolver(setting, "osqp").distance(x, a, rows) <= 1e-9
    else:
        with pytest.raises(g.errors.SolverError, match="another acceleration"):
            StepSolver(setting, "osqp").distance(x, a, rows)


def test_a_sparse_system_without_rows_solves_its_quadratic_program():
    """A star: every mass is coupled to the first one, which elimination in natural order would fill in."""
    system = g.System(
        "star",
        [f"x{i}" for i in range(90)],
        kinetic_energy=lambda v: sum(s**2 for s in v) / 2 + 0.05 * v[0] * sum(v[i] for i in range(1, 90)),
        potential_energy=lambda q: sum(x**2 for x in q) / 2,
    )
    run = g.simulate(system, np.linspace(0.5, 1.5, 90), t_end=0.5, solver="osqp", progress="none")
    assert run.setting.sparse
    M = np.eye(90)
    M[0, 1:] = M[1:, 0] = 0.05
    omega, modes = np.linalg.eigh(np.linalg.inv(M))
    exact = modes @ (np.cos(np.sqrt(omega) * run.t[-1]) * (modes.T @ np.linspace(0.5, 1.5, 90)))
    assert np.max(np.abs(run.q[-1] - exact)) <= 1e-9  # rtol is 1e-10
    assert np.max(run.solver_distance) <= rounding(np.max(np.abs(run.a)) * 10.0)


# --- measures along a motion ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SYSTEMS)
def test_inverse_iteration_and_distances_agree_with_full_matrices(name, monkeypatch):
    system, x = case(name)
    setting, n = setting_of(system, x), system.n
    x = x.copy()
    x[1:] += 1e-3 * np.cos(np.arange(2 * n))  # off the constraints, so that there is a distance to measure
    rows = [k for k in all_rows(system) if k % 5 or name == "massless joints"]  # these must hold all joints
    active = np.zeros((2, system.model.m), dtype=bool)
    active[1, rows] = True
    states = np.stack([x, x])
    monkeypatch.setattr(pieces.StepPieces, "form", lambda self, augmented: "saddle")
    sigma = sigma_min_along(setting, states, active)
    off = off_along(setting, states, active)
    system.model.pieces.kept.clear()
    terms = exact_terms(system, x)
    J = terms.J[rows]
    K = terms.M + setting.weight * J.T @ J
    values = spectrum(K, J)
    length = np.sqrt(np.diag(J @ np.linalg.solve(K, J.T)))
    assert sigma[0] == 1.0
    assert off[0][0] == off[1][0] == 0.0
    assert sigma[1] == pytest.approx(values[-1], rel=1e-10 + rounding(1.0, 1.0 / values[-1] ** 2))
    for got, residual in zip(off, (terms.phi[rows], terms.psi[rows]), strict=True):
        assert got[1] == pytest.approx(np.max(np.abs(residual) / length), rel=rounding(1.0, np.linalg.cond(K)))


def test_measures_of_full_systems_are_taken_from_full_matrices():
    system, x = hanging(2), np.concatenate([[0.0], [1.0, 0.0, 1.0, -1.1], np.zeros(4)])
    setting, active = setting_of(system), np.array([[True, False], [True, True], [False, False]])
    assert not setting.sparse
    states = np.tile(x, (3, 1))
    off, _ = off_along(setting, states, active)
    length = math.sqrt(2.0) * 1.1 * 2.0  # of (x1, y1, x2, y2) ↦ 2 (0, 1.1, 0, −1.1)
    assert off == pytest.approx([0.0, 0.21 / length, 0.0], rel=1e-13, abs=1e-15)
    sigma = sigma_min_along(setting, states, active)
    assert sigma[0] == sigma[2] == 1.0  # one row, no row
    assert sigma[1] == pytest.approx(spectrum(np.eye(4), exact_terms(system, x).J)[-1], rel=1e-13)


def test_singular_values_near_zero_are_decomposed():
    loops = 12
    system = four_bar_chain(loops)
    states = np.stack([chain_state(loops, math.pi / 2 - delta, -1.0) for delta in (1e-3, 1e-7, 0.0)])
    sigma = sigma_min_along(setting_of(system), states, np.ones((3, system.model.m), dtype=bool))
    for got, x in zip(sigma, states, strict=True):
        terms = exact_terms(system, x)
        exact = spectrum(terms.M, terms.J)[-1]
        assert got == pytest.approx(exact, rel=1e-6, abs=rounding(1.0))
    assert sigma[2] <= rounding(1.0)


@pytest.mark.parametrize("seed", range(5))
def test_lanczos_finds_the_smallest_singular_value_of_random_rows(seed):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(30, 40)) * 10.0 ** rng.uniform(-2, 0, size=(30, 1))
    inverse = np.linalg.inv(rows @ rows.T)
    values = np.linalg.svd(rows, compute_uv=False)
    sigma, vector = smallest_singular_value(lambda y: inverse @ y, 30)
    cond = (values[0] / values[-1]) ** 2
    assert sigma == pytest.approx(values[-1], rel=1e-10 + rounding(1.0, cond))
    assert np.linalg.norm(rows.T @ vector) == pytest.approx(values[-1], rel=1e-4)  # the residual allows √1e-10 · cond
    assert smallest_singular_value(lambda y: inverse @ y, 30, vector)[0] == pytest.approx(sigma, rel=1e-9)
    assert smallest_singular_value(lambda y: y * np.nan, 30) == (0.0, None)


def test_terms_of_a_large_sparse_model_are_the_full_matrices():
    """Against the expressions themselves, and along several states."""
    system, x = four_bar_chain(40), chain_state(40, 0.4, -1.0)
    n, model = system.n, system.model
    assert model._patterns is not None
    full = ca.Function("full", model.arguments, [ca.densify(model.trace.M), ca.densify(model.trace.J)])
    M, J = (np.array(value) for value in full(x[1 : n + 1], x[n + 1 :], 0.0, system.theta()))
    terms = exact_terms(system, x)
    assert np.array_equal(terms.M, M)
    assert np.array_equal(terms.J, J)
    other = chain_state(40, 0.9, 1.0)
    states = np.stack([x, other])
    many_M, many_J = model.batch(states[:, 1 : n + 1], states[:, n + 1 :], states[:, 0], system.theta())
    assert np.array_equal(many_M[0], M)
    assert np.array_equal(many_J[0], J)
    assert np.array_equal(many_J[1], exact_terms(system, other).J)


def test_an_entry_that_simplifies_to_zero_on_one_side_alone_is_no_obstacle():
    x = ca.SX.sym("x")
    matrix = ca.SX.eye(2) * 2.0
    matrix[1, 0] = (x + 1.0) ** 2 - x**2 - 2.0 * x - 1.0  # zero, but not to CasADi; above the diagonal it is left out
    assert not ca.sparsify(matrix).sparsity().is_symmetric()
    solve = ca.Function("solve", [x], [kkt.Factorisation(matrix).solve(ca.SX([2.0, 6.0]))])
    np.testing.assert_allclose(np.array(solve(0.5)).ravel(), [1.0, 3.0], rtol=1e-15)
