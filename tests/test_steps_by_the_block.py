"""Steps by the block are the steps that are taken one by one: the same numbers to the last bit, the same events."""

from __future__ import annotations

import numpy as np
import pytest

import gauss as g
from gauss import scenario as scenarios
from gauss.motion import many_steps, side_by_side, singular, steps
from gauss.motion.steps.quadratic import StepSolver
from gauss.principle import solvers

G = 9.81


def flat(name, coordinates, rows, mass=1.0, **options):
    """Equal masses in the plane x, y, …, under gravity along y."""
    n = len(coordinates.split())
    return g.System(
        name,
        coordinates,
        kinetic_energy=lambda v: 0.5 * mass * sum(v[i] ** 2 for i in range(n)),
        potential_energy=lambda q: mass * G * sum(q[i] for i in range(1, n, 2)),
        constraints=rows,
        **options,
    )


def rod(name, i, j, length):
    """A rod between the points i and j of a plane; j = −1 is the origin."""

    def row(q):
        x, y = (q[2 * i], q[2 * i + 1]) if j < 0 else (q[2 * i] - q[2 * j], q[2 * i + 1] - q[2 * j + 1])
        return x**2 + y**2 - length**2

    return g.Holonomic(name, row)


CHAIN = [rod(f"link {i}", i, i - 1, 0.2) for i in range(5)]
SLEIGH = scenarios.load("chaplygin_sleigh")
MOTIONS = {
    "a pendulum that turns back": (flat("pendulum", "x y", [rod("rod", 0, -1, 1.0)]), [1, 0], None, 8.0),
    "a chain": (
        flat("chain", " ".join(f"x{i} y{i}" for i in range(5)), CHAIN),
        np.outer(range(1, 6), [0.2, 0]).ravel(),
        None,
        2.0,
    ),
    "a force alone": (flat("free", "x y", [], force=lambda q: [-q.x, -(q.y**3)]), [1, 0.5], [0, 1], 20.0),
    "a driven bead": (
        flat("bead", "x y", [g.Holonomic("drive", lambda q, t: q.x - 0.3 * g.sin(2 * t))]),
        [0, 0],
        [0.6, 1],
        5.0,
    ),
    "a crossing that it passes": (
        g.System(
            "cross",
            "x y",
            kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
            force=[0.5, 0.0],
            constraints=[g.Holonomic("lines", lambda q: q.x * q.y)],
        ),
        [-1, 0],
        [1, 0],
        3.0,
    ),
    "beside a singular position": (
        flat("near", "x y", [g.Holonomic("lens", lambda q: q.x * (q.y + 0.05 * q.x) - 1e-4)]),
        [1e-4 / 0.8, 0.8 - 0.05 * 1e-4 / 0.8],
        None,
        0.6,
    ),
    "a sleigh": (SLEIGH.system, SLEIGH.start.q, SLEIGH.start.v, 6.0),
}


def run_of(name, **options):
    system, q, v, t_end = MOTIONS[name]
    start = g.consistent(system, q, v)
    return g.simulate(system, start.q, start.v, t_end=t_end, progress="none", **options)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("rtol", [1e-5, 1e-10])
@pytest.mark.parametrize("name", MOTIONS)
def test_a_motion_by_the_block_is_the_one_step_by_step(name, rtol, monkeypatch):
    leaps = []
    real = many_steps.ManySteps.leap
    monkeypatch.setattr(
        many_steps.ManySteps, "leap", lambda self, stepper: leaps.append(real(self, stepper)) or leaps[-1]
    )
    found = run_of(name, rtol=rtol, solver="kkt")
    assert any(leaps)
    monkeypatch.setattr(many_steps.ManySteps, "leap", lambda self, stepper: False)
    one_by_one = run_of(name, rtol=rtol, solver="kkt")
    for each in ("t", "q", "v", "a", "multipliers", "zwang", "primal"):
        assert np.array_equal(getattr(found, each), getattr(one_by_one, each)), each
    assert found.events == one_by_one.events
    assert found.ending == one_by_one.ending
    assert len(found.windows) == len(one_by_one.windows)


def friction(name, gap, rate, **law):
    return g.Unilateral(name, gap, restitution=0.4, friction=g.Coulomb(0.3, rate, **law))


ROD = MOTIONS["a pendulum that turns back"][0]
FLOOR = g.Unilateral("floor", lambda q: q.y, restitution=0.6)
BUMP = g.Unilateral("bump", lambda q: q.y - 0.3 * g.exp(-40 * (q.x - 0.8) ** 2))
WATCHED = {
    "events of both directions": (
        ROD,
        [1, 0],
        None,
        8.0,
        [g.Event("top", lambda q: q.x), g.Event("fast", lambda v: v.y)],
    ),
    "one direction only": (ROD, [1, 0], None, 8.0, [g.Event("right", lambda q: q.x, direction=1)]),
    "an end by an event": (ROD, [1, 0], None, 8.0, [g.Event("late", lambda t, q: t - 4 + q.x, terminal=True)]),
    "a double zero": (ROD, [1, 0], None, 8.0, [g.Event("touch", lambda q: (q.x - 0.2) ** 2)]),
    "a bouncing ball": (flat("ball", "x y", [FLOOR]), [0, 1], [0.3, 0], 3.0, []),
    "a bump that is hardly touched": (flat("bead", "x y", [BUMP]), [0, 0.31], [8.0, -0.09], 0.3, []),
    "a gap that dips below zero between two looks": (
        flat("bead", "x y", [g.Unilateral("slot", lambda q: (q.x - 0.62137) ** 2 - 1e-10, restitution=0.5)]),
        [0, 0],
        [1.0, 0],
        1.0,
        [],
    ),
    "an event that has been large and is rounding then": (
        flat("twins", "x y", [], force=lambda q: [-q.x, G - q.y]),
        [0.3, 0.3 + 5e-17],
        [0, 0],
        8.0,
        [g.Event("apart", lambda q, t: g.exp(-40 * t) + q.x - q.y)],
    ),
    "a bead that leaves its support": (
        flat("sphere", "x y", [g.Unilateral("sphere", lambda q: q.x**2 + q.y**2 - 1.0)]),
        [0.0, 1.0],
        [0.3, 0.0],
        1.2,
        [],
    ),
    "a block on a moving belt": (
        flat("block", "x y", [friction("belt", lambda q: q.y, lambda v, t: v.x - g.sin(3 * t), static=0.5)]),
        [0, 0],
        [1.0, 0],
        5.0,
        [g.Event("half way", lambda q: q.x - 0.1)],
    ),
    "a ball that is thrown on a rough floor": (
        flat("ball", "x y", [friction("floor", lambda q: q.y, lambda v: v.x)]),
        [0, 0.3],
        [2.0, 0],
        2.0,
        [],
    ),
}


def watched(name, **options):
    system, q, v, t_end, events = WATCHED[name]
    return g.simulate(system, q, v, t_end=t_end, events=events, progress="none", solver="kkt", **options)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("options", [{}, {"rtol": 1e-5}, {"step": 0.003}], ids=str)
@pytest.mark.parametrize("name", WATCHED)
def test_what_happens_on_the_way_is_found_by_the_block_as_step_by_step(name, options, monkeypatch):
    """Events, their times, and every number beside them."""
    kept = []
    real = many_steps.ManySteps._keep
    monkeypatch.setattr(
        many_steps.ManySteps, "_keep", lambda self, states, *rest: kept.append(len(states)) or real(self, states, *rest)
    )
    found = watched(name, **options)
    assert sum(kept) > 20
    assert ("dips" in name) <= bool(found.events)
    monkeypatch.setattr(many_steps.ManySteps, "foreseen", False)
    one_by_one = watched(name, **options)
    assert found.events == one_by_one.events
    assert found.ending == one_by_one.ending
    for each in ("t", "q", "v", "a", "multipliers", "zwang", "primal"):
        assert np.array_equal(getattr(found, each), getattr(one_by_one, each)), each


@pytest.mark.parametrize("name", ["a bead that leaves its support", "a block on a moving belt"])
def test_programs_of_contacts_side_by_side_have_the_answers_of_each_by_itself(name, monkeypatch):
    system, q, v, t_end, events = WATCHED[name]
    found = g.simulate(system, q, v, t_end=t_end, events=events, progress="none")
    monkeypatch.setattr(StepSolver, "distances", lambda *_: None)
    alone = g.simulate(system, q, v, t_end=t_end, events=events, progress="none")
    assert found.about.qp_count == alone.about.qp_count
    assert np.array_equal(found.q, alone.q)
    assert np.max(found.solver_distance) < 1e-9 * (np.max(np.abs(found.a)) + 1.0)


@pytest.mark.parametrize("name", ["a chain", "a sleigh", "a crossing that it passes"])
def test_programs_side_by_side_have_the_answers_of_each_by_itself(name, monkeypatch):
    found = run_of(name)
    asked = []
    real = StepSolver.distance
    monkeypatch.setattr(StepSolver, "distances", lambda *_: None)
    monkeypatch.setattr(StepSolver, "distance", lambda *a: asked.append(1) or real(*a))
    alone = run_of(name)
    assert len(asked) == alone.about.qp_count == found.about.qp_count > 10
    size = np.max(np.abs(found.a)) + 1.0
    assert np.max(found.solver_distance) < 1e-9 * size
    assert np.max(alone.solver_distance) < 1e-9 * size


@pytest.mark.parametrize("shape", [(96, 1, 2), (96, 3, 4), (24, 10, 20), (2, 50, 100)])
def test_orthonormal_equality_rows_have_their_answer_without_a_polish(shape):
    """Of min ½|z|², A z = c with A Aᵀ = 1 that is z = Aᵀc, for problems of very different sizes side by side."""
    count, k, n = shape
    rng = np.random.default_rng(3)
    A = np.linalg.qr(rng.normal(size=(count, n, k)))[0].swapaxes(1, 2)
    for _ in range(2):  # in a new memory, and in a kept one
        c = rng.normal(size=(count, k)) * 10.0 ** rng.uniform(-3.0, 12.0, (count, 1))
        answer = solvers.osqp.solved(A, c.ravel(), c.ravel())
        z = np.einsum("bkn,bk->bn", A, c)
        off = np.linalg.norm(answer.x.reshape(count, n) - z, axis=1) / np.linalg.norm(z, axis=1)
        assert answer.iterations == 5
        assert np.max(off) < 1e-14


@pytest.mark.parametrize("method", ["dop853", "taylor"])
def test_what_is_judged_of_many_steps_is_what_is_judged_of_each(method, monkeypatch):
    """Residuals and distances over their sizes: as they are computed from the records, and as they are compiled."""
    if method == "taylor":
        pytest.importorskip("heyoka")
    judged, seen = steps.step_certificate.objections, []

    def kept(stepper, found, resolution):
        seen.append(found)
        return judged(stepper, found, resolution)

    monkeypatch.setattr(many_steps, "objections", kept)
    system = flat("double", "x y u w", [rod("one", 0, -1, 1.0), rod("two", 1, 0, 1.0)])
    g.simulate(system, [1.0, 0.0, 2.0, 0.0], t_end=1.0, rtol=1e-9, method=method)
    for found in seen:
        taken = np.flatnonzero(found.taken)
        assert taken.size > 5
        pairs = steps.step_certificate._judged(found.states[taken], found.records[taken])
        for share, limit, (value, most) in zip(
            found.shares[taken].T, steps.step_certificate.LIMITS, pairs, strict=True
        ):
            assert share / limit == pytest.approx(value / most, rel=1e-12)


def test_a_look_tells_how_the_motion_moves_and_when_it_may_rest():
    """Sizes as NumPy computes them; a rest is expected where a·v < 0, soon, and little of v is left at its least."""
    system, rng = flat("pendulum", "x y", [rod("rod", 0, -1, 1.0)]), np.random.default_rng(4)
    setting = g.simulate(system, [1.0, 0.0], t_end=0.1, progress="none").setting
    stepper = side_by_side.FusedStepper(setting, system.model.equality)
    x, y = rng.normal(size=(2, 60, 5))
    a, tried, end = rng.normal(size=(60, 2)), rng.uniform(0.0, 0.2, 60), 1.0
    x[::2, 3:] = 0.1 * a[::2] * rng.normal(size=(30, 1)) + 1e-3 * x[::2, 3:]  # nearly along the acceleration
    x[::7, 3:] = 0.0  # at rest
    sizes = stepper.views(x, y, a, tried, np.tile(setting.theta, (60, 1)), end, (), True).sizes
    q, v, push = (np.linalg.norm(each, axis=1) for each in (x[:, 1:3], x[:, 3:], a))
    onward, rest = np.sum(x[:, 3:] * a, axis=1), np.where(v > 0.0, v, np.inf)
    within = np.maximum(tried, np.minimum(0.05 * q / rest, end - x[:, 0]))
    for found, wanted in zip(sizes, (q, v, push, onward, within), strict=True):
        assert found == pytest.approx(wanted, rel=1e-13, abs=1e-13)
    time = -onward / push**2
    least = np.linalg.norm(x[:, 3:] + a * time[:, None], axis=1)
    rests = (onward < 0.0) & (least < 0.1 * v) & (time < np.maximum(tried, 0.2 * np.sqrt(q / push)))
    expected = singular.resting._expected(sizes, tried)
    assert np.array_equal(~np.isnan(expected), rests)
    assert 0 < np.count_nonzero(rests) < 40
    assert expected[rests] == pytest.approx(time[rests])


def test_a_program_whose_answer_is_another_is_solved_by_itself(monkeypatch):
    """A recorded acceleration that is wrong is found in a block too, and the block is given up for it."""
    system, q, v, _ = MOTIONS["a pendulum that turns back"]
    run = g.simulate(system, q, v, t_end=8.0, progress="none")
    assert len(run) > 64
    solver = StepSolver(run.setting, "osqp")
    states = np.column_stack([run.t, run.q, run.v])
    assert np.max(solver.distances(states, run.a, (0,))) < 1e-9
    wrong = run.a.copy()
    wrong[40] += [1e-3, 0.0]
    assert solver.distances(states, wrong, (0,)) is None


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", [*MOTIONS, "a ball that bounces"])
def test_states_between_in_one_call_are_those_of_single_steps(name, monkeypatch):
    """The times are in no order; those of windows and of contacts that share are reached one by one anyway."""
    if name in MOTIONS:
        run = run_of(name)
    else:
        bounces = flat("ball", "x y", [g.Unilateral("floor", lambda q: q.y, restitution=0.5)])
        run = g.simulate(bounces, [0, 1], [0.3, 0], t_end=1.2, progress="none")
    times = np.random.default_rng(0).permutation(np.concatenate([run.t[::5], np.linspace(run.t[0], run.t[-1], 150)]))
    found = run.at(times)
    monkeypatch.setattr("gauss.motion.record.dense_output.reached_together", lambda *_: None)
    alone = run.at(times)
    assert np.array_equal(found.t, times)
    for each in ("q", "v", "a", "multipliers", "active", "zwang", "primal", "stationarity"):
        assert np.array_equal(getattr(found, each), getattr(alone, each)), each
