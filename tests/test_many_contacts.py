"""Friction of more contacts than modes can be tried: one solution by pivoting, and what is known of others."""

from __future__ import annotations

import numpy as np
import pytest
from frictional import Rub, rubbed
from rational_friction import as_problem, random_problem

import gauss as g
from gauss.analysis import friction_claims
from gauss.contact import ContactProblem, contact_findings, solve_contacts
from gauss.contact.plane import modes

G = 9.81  # m/s²


def test_pivoting_finds_solutions_that_trying_all_modes_knows(monkeypatch):
    """Problems of 1 to 4 contacts, once by all modes and once as if these were too many."""
    rng, found, problems = np.random.default_rng(17), 0, []
    for number in range(160):
        problem = as_problem(random_problem(rng, 1 + number % 4))
        if not np.any(problem.bilateral):
            problems.append((problem, solve_contacts(problem)))
    monkeypatch.setattr(modes, "MODES", 0)
    for problem, known in problems:
        verdict = solve_contacts(problem)
        assert verdict.verdict in ("undecided", "one")
        if known.verdict == "none":
            assert not verdict.every
        if not verdict.every:
            assert verdict.unproved
            continue
        found += 1
        (solution,) = verdict.every
        assert solution.residual < 1e-10
        if known.verdict == "continuum":
            continue
        # 1e-8: what the enumeration itself calls the same acceleration
        gaps = np.max(np.abs(np.vstack([s.accelerations for s in known.every]) - solution.a), axis=1)
        assert np.min(gaps) < 1e-8 * (1.0 + np.max(np.abs(solution.a)))
        if verdict.verdict == "one":
            assert known.verdict == "one"
        if solution.unique_forces:
            assert sum(len(s.normal) for s in known.every if np.max(np.abs(s.accelerations - solution.a)) < 1e-6) == 1
    assert found > 0.7 * sum(known.verdict != "none" for _, known in problems)


def test_forces_that_only_rounding_makes_are_no_solution(monkeypatch):
    """A bilateral row drives a closed contact inwards; no force keeps it open."""
    problem = ContactProblem.of(
        M=[[3, 1, 1], [1, 2, 1], [1, 1, 2]],
        f=[0, 0, 0],
        N=[[-2, -2, -2]],
        nu=[0],
        T=[[0, -2, 0]],
        tau=[0],
        coefficient=[1],
        slip=[-1],
        J=[[1, 1, 1]],
        gamma=[1],
    )
    assert solve_contacts(problem).verdict == "none"
    monkeypatch.setattr(modes, "MODES", 0)
    verdict = solve_contacts(problem)
    assert verdict.verdict == "undecided"
    assert not verdict.every


def stack(count, push, mu, static=None):
    """Boxes of 1 kg on one another, each touching the one below at two points; a force pulls the lowest one."""
    half, high = 0.5, 0.2
    n, rows = 3 * count, []
    N, T = np.zeros((2 * count, n)), np.zeros((2 * count, n))
    for i in range(count):
        for j, side in enumerate((-half, half)):
            for body, sign, lever in ((i, 1.0, -high / 2), (i - 1, -1.0, high / 2)):
                if body >= 0:
                    N[2 * i + j, 3 * body + 1], N[2 * i + j, 3 * body + 2] = sign, sign * side
                    T[2 * i + j, 3 * body], T[2 * i + j, 3 * body + 2] = sign, -sign * lever
            rows.append(f"{i} {'left' if j == 0 else 'right'}")
    M = np.diag(np.tile([1.0, 1.0, (1.0 + high**2) / 12], count))
    f = np.tile([0.0, -G, 0.0], count)
    f[0] = push
    rest = np.zeros(2 * count)
    k = np.full(2 * count, mu)
    return ContactProblem.of(
        M, f, N, rest, T, rest, k, rest, static=None if static is None else np.full(2 * count, static), names=rows
    )


def test_ten_boxes_of_which_the_lowest_is_pulled_away():
    """20 contacts, 4²⁰ modes. The floor holds with 10 weights, the box above with 9, and drags these along."""
    mu = 0.1
    verdict = solve_contacts(stack(10, 30.0, mu))
    (solution,) = verdict.solutions
    a = solution.a.reshape(10, 3)
    assert a[0] == pytest.approx([30.0 - 19 * mu * G, 0, 0], abs=1e-9)
    assert a[1:] == pytest.approx(np.tile([mu * G, 0, 0], (9, 1)), abs=1e-9)
    assert solution.normal[0].sum() == pytest.approx(G * sum(range(1, 11)))
    assert not solution.unique_forces
    assert verdict.verdict == "undecided"
    assert "1099511627776 modes" in verdict.sentence
    still = solve_contacts(stack(10, 9.0, mu, static=0.12))
    assert still.solutions[0].a == pytest.approx(np.zeros(30), abs=1e-9)
    loose = solve_contacts(stack(10, 30.0, mu, static=0.12))  # what slips has the kinetic coefficient
    assert loose.solutions[0].a.reshape(10, 3)[0, 0] == pytest.approx(30.0 - 19 * mu * G, abs=1e-9)


def test_many_contacts_on_their_own_have_one_acceleration():
    """Twelve blocks on the floor, some pulled hard enough: proved unique, as sliding does not change normal forces."""
    n, mu = 12, 0.3
    pulls = np.linspace(0.0, 6.0, n)
    N, T, rest = np.zeros((n, 2 * n)), np.zeros((n, 2 * n)), np.zeros(n)
    N[np.arange(n), 2 * np.arange(n) + 1] = T[np.arange(n), 2 * np.arange(n)] = 1.0
    f = np.column_stack([pulls, np.full(n, -10.0)]).ravel()
    problem = ContactProblem.of(np.eye(2 * n), f, N, rest, T, rest, np.full(n, mu), rest)
    verdict = solve_contacts(problem)
    assert verdict.verdict == "one"
    assert verdict.evidence == contact_findings(problem).evidence == "friction is too weak for a second one"
    assert verdict.solutions[0].a[::2] == pytest.approx(np.maximum(pulls - 3.0, 0.0), abs=1e-12)


@pytest.mark.long
def test_a_motion_of_nine_contacts_that_begin_at_rest():
    """Pulled blocks whose limits are passed one after the other: ẍ = w t − μ_k g from t = μ_s g/w on."""
    n, mu, static, pulls = 9, 0.2, 0.3, np.linspace(1.0, 9.0, 9)
    blocks = g.System(
        "nine blocks",
        coordinates=" ".join(f"x{i} z{i}" for i in range(n)),
        kinetic_energy=lambda v: 0.5 * sum(value**2 for value in v),
        force=lambda q, v, t: [entry for pull in pulls for entry in (pull * t, -G)],
        constraints=[g.Unilateral(f"floor {i}", lambda q, i=i: q[f"z{i}"]) for i in range(n)],
    )
    rough = [Rub(f"floor {i}", lambda q, v, i=i: v[f"x{i}"], mu, static) for i in range(n)]
    run = g.simulate(rubbed(blocks, rough), np.zeros(2 * n), t_end=1.0)
    start = static * G / pulls
    expected = np.where(start < 1.0, 0.5 * pulls * (1.0 - start**2) - mu * G * (1.0 - start), 0.0)
    assert run.v[-1][::2] == pytest.approx(expected, abs=1e-9)
    begun = sorted(event.t for event in run.events if event.kind == "slip")
    assert begun == pytest.approx(sorted(start[start < 1.0]), abs=1e-10)
    for claim in friction_claims(run, samples=3):
        assert claim.holds, str(claim)


def loaded(kinetic, idle):
    """A block is pushed on another one, on a floor that holds it only if the upper one slips; and idle blocks."""
    k, n = 2 + idle, 4 + 2 * idle
    N, T, rest = np.zeros((k, n)), np.zeros((k, n)), np.zeros(k)
    N[0, 3], T[0, 2] = 1.0, 1.0
    N[1, [1, 3]], T[1, [0, 2]] = [1.0, -1.0], [1.0, -1.0]
    for i in range(2, k):
        N[i, 2 * i + 1], T[i, 2 * i] = 1.0, 1.0
    f = np.tile([0.0, -10.0], n // 2)
    f[0] = 20.0
    mu, static = [kinetic, 0.5, *[0.3] * idle], [0.4, 0.9, *[0.3] * idle]
    return ContactProblem.of(np.eye(n), f, N, rest, T, rest, mu, rest, static=static)


@pytest.mark.parametrize("kinetic", [0.2, 0.3])
def test_what_can_stick_sticks_among_many_contacts_too(kinetic):
    """Under μ_s both would slip; with μ_k in the upper contact 5 N remain for the floor, which holds 8 N."""
    few, many = solve_contacts(loaded(kinetic, 1)), solve_contacts(loaded(kinetic, 8))
    for verdict in (few, many):
        (solution,) = verdict.solutions
        assert solution.modes[:2] == ("stick", "slip+")
        assert solution.a[:4] == pytest.approx([15.0, 0.0, 0.0, 0.0], abs=1e-12)


def test_contacts_on_a_common_edge_are_too_many_before_their_modes_are():
    """A box on seven points: 16,384 modes, but a mode in which all stick has too many sets of forces."""
    x = np.linspace(-0.5, 0.5, 7)
    N, T = np.column_stack([0 * x, 1 + 0 * x, x]), np.column_stack([1 + 0 * x, 0 * x, 0 * x + 0.1])
    verdict = solve_contacts(
        ContactProblem.of(np.diag([1.0, 1.0, 0.1]), [5.0, -10.0, 0.0], N, 0 * x, T, 0 * x, 0.4 + 0 * x, 0 * x)
    )
    (solution,) = verdict.solutions
    assert solution.a == pytest.approx([1.0, 0.0, 0.0], abs=1e-12)
    assert not solution.unique_forces
    assert (verdict.verdict, verdict.evidence) == ("undecided", "")


def test_only_limits_that_are_all_passed():
    n, rest = 10, np.zeros(10)
    eye = np.eye(n)
    problem = ContactProblem.of(
        eye, np.full(n, 5.0), 0 * eye, rest, eye, rest, rest + 1, rest, static=rest + 2, limited=[True] * n
    )
    assert solve_contacts(problem).solutions[0].a == pytest.approx(np.full(n, 4.0))


def test_contacts_that_an_event_does_not_concern_go_on():
    """A wedged contact that could also lift off keeps sticking while one of eight idle blocks breaks loose."""
    W = np.array([[1.0, 0.8], [0.8, 1.0]])
    idle, M = 8, np.eye(18)
    M[:2, :2] = np.linalg.inv(W)
    system = g.System(
        "wedged",
        "s n " + " ".join(f"x{i} z{i}" for i in range(idle)),
        mass_matrix=M,
        force=lambda q, v, t: [
            *(M[i, 0] + M[i, 1] * (t - 0.5) for i in range(2)),  # frictionless: s̈ = 1, n̈ = t − 1/2
            *(entry for i in range(idle) for entry in (3.75 * t if i == 0 else 0.0, -10.0)),
        ],
        constraints=[g.Unilateral("tip", lambda q: q.n)]
        + [g.Unilateral(f"floor {i}", lambda q, i=i: q[f"z{i}"]) for i in range(idle)],
    )
    rough = [Rub("tip", lambda q, v: v.s, 2.0)]
    rough += [Rub(f"floor {i}", lambda q, v, i=i: v[f"x{i}"], 0.3) for i in range(idle)]
    run = g.simulate(rubbed(system, rough), np.zeros(18), t_end=0.85)
    assert run.ending.kind == "finished"
    assert np.max(np.abs(run.v[-1, :2])) < 1e-12
    first, later = run.events
    assert (first.t, first.kind) == (0.0, "stick")
    assert "others are not excluded" in first.verdict
    assert (later.kind, later.name) == ("slip", "floor 0")
    assert later.t == pytest.approx(0.8, abs=1e-12)


@pytest.mark.long
def test_a_box_rests_on_five_rough_corners():
    """Their slips ask for θ̇² of rounding, 1e-62 beside an acceleration of fall of 9.81: that is no contradiction."""
    places, half = np.linspace(-1.0, 1.0, 5), 0.5

    def gap(x):
        return lambda q: q.z + x * g.sin(q.th) - half * g.cos(q.th)

    def slip(x):
        return lambda q, v: v.x + (half * g.cos(q.th) - x * g.sin(q.th)) * v.th

    system = g.System(
        "box",
        "x z th",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2 + (1.0 + half**2) / 3.0 * v.th**2),
        potential_energy=lambda q: 9.81 * q.z,
        constraints=[g.Unilateral(f"corner {i}", gap(x)) for i, x in enumerate(places)],
    )
    contacts = [Rub(f"corner {i}", slip(x), 0.3) for i, x in enumerate(places)]
    run = g.simulate(rubbed(system, contacts), [0.0, half, 0.0], t_end=1.0)
    assert run.ending.kind == "finished", run.ending.message
    assert not run.events
    assert np.max(np.abs(run.q[-1] - [0.0, half, 0.0])) <= 1e-14
    load = sum(run[f"corner {i}"] for i in range(len(places)))
    assert load == pytest.approx(np.full(len(run), 9.81), rel=1e-9)


@pytest.mark.parametrize("difference", [1e-6, 1e-3])
def test_rows_that_contradict_each_other_by_little_are_refused_all_the_same(difference):
    problem = g.principle.GaussProblem.of(np.eye(2), [0.0, -9.81], [[1.0, 0.0], [2.0, 0.0]], [1.0, 2.0 + difference])
    with pytest.raises(g.errors.ContradictoryRowsError, match="demand different accelerations"):
        g.principle.solve(problem)


@pytest.mark.parametrize("seed", range(6))
def test_joints_with_dry_friction_and_stops_have_one_acceleration_however_many_they_are(seed):
    """The law by hand: M a = f + forces, 0 ≤ p ⟂ g̈ ≥ 0, |t| ≤ F, and t = −F sign ṡ where the joint begins to slip."""
    rng = np.random.default_rng(seed)
    n, joints, stops = 30, 18, 12
    A, rows = rng.normal(size=(n, n)), rng.normal(size=(2, n))
    M, f = A @ A.T + np.eye(n), 10.0 * rng.normal(size=n)
    dry = np.arange(joints + stops) < joints
    E = np.eye(n)
    N, T = np.where(dry[:, None], 0.0, E[: joints + stops]), np.where(dry[:, None], E, 0.0)
    F, slip = np.where(dry, rng.uniform(0.0, 40.0, n), 0.0), np.where(dry, rng.choice([0.0, 0.0, 1.0, -1.0], n), 1.0)
    problem = g.contact.ContactProblem.of(
        M, f, N, np.zeros(n), T, np.zeros(n), F, slip, J=rows, gamma=[0.0, 0.0], static=F, limited=dry, bilateral=dry
    )
    found = g.contact.solve_contacts(problem)
    assert found.verdict == "one"
    assert found.evidence == "friction with constant limits leaves one"
    solution, a = found.solution, found.a
    p, t, multipliers = solution.normal[0], solution.tangential[0], solution.bilateral[0]
    size = np.max(np.abs(f))
    assert np.max(np.abs(M @ a - f - rows.T @ multipliers - N.T @ p - T.T @ t)) < 1e-10 * size
    assert np.max(np.abs(rows @ a)) < 1e-10 * size
    gaps, rates = (N @ a)[~dry], (T @ a)[dry]
    assert min(np.min(p[~dry]), np.min(gaps)) > -1e-10 * size
    assert np.max(np.abs(p[~dry] * gaps)) < 1e-9 * size
    direction = np.where(slip[dry] != 0.0, slip[dry], np.sign(rates) * (np.abs(rates) > 1e-9))
    assert np.all(np.abs(t[dry]) <= F[dry] * (1.0 + 1e-9))
    assert np.max(np.abs(t[dry] + F[dry] * direction)[direction != 0.0], initial=0.0) < 1e-9 * size
    assert {"stick", "slip+", "slip−", "open"} >= {*solution.modes}
    assert np.sum(direction == 0.0) > 0  # some stick
