"""Ranges of contact forces: against enumeration of all modes, closed forms, and another formulation in space."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import scipy.optimize as opt
from frictional import Rub, rubbed
from rational_friction import as_problem, random_problem

import gauss as g
from gauss.contact import (
    ContactProblem,
    Resistance,
    admits,
    contact_findings,
    contact_forces,
    critical_coefficient,
    findings_at,
    friction_bound,
    jamming_coefficient,
    only_acceleration,
    required_coefficient,
    solve_contacts,
)
from gauss.show import console, friction_data, friction_part

G = 9.81
ROUNDING = 1e-9  # of linear programs, relative to the forces


def stack(n, mu=0.5, width=1.0, height=0.5, push=0.0):
    """Boxes of 1 kg on one another, two contacts between any two; the top one is pushed sideways at its middle."""
    N, T, names = np.zeros((2 * n, 3 * n)), np.zeros((2 * n, 3 * n)), []
    for i in range(n):
        for j, side in enumerate((-1.0, 1.0)):
            row, x = 2 * i + j, side * width / 2
            N[row, 3 * i + 1 : 3 * i + 3] = 1.0, x
            T[row, [3 * i, 3 * i + 2]] = 1.0, height / 2
            if i:
                N[row, 3 * i - 2 : 3 * i] = -1.0, -x
                T[row, [3 * i - 3, 3 * i - 1]] = -1.0, height / 2
            names.append(f"{'left' if side < 0 else 'right'} {i}")
    M = np.diag(np.tile([1.0, 1.0, (width**2 + height**2) / 12], n))
    f = np.tile([0.0, -G, 0.0], n)
    f[3 * n - 3] = push
    zero = np.zeros(2 * n)
    return ContactProblem.of(M, f, N, zero, T, zero, np.full(2 * n, mu), zero, names=names)


def wedge(beta, mu=0.3, force=(0.0, -1.0, 0.0)):
    """A wedge between two faces inclined by β, as in the scenario, by hand."""
    c, s = np.cos(beta), np.sin(beta)

    def row(x, d):
        return [d[0], d[1], x * d[1]]

    N, T = [row(-1, (c, s)), row(1, (-c, s))], [row(-1, (-s, c)), row(1, (s, c))]
    return ContactProblem.of(np.eye(3), force, N, [0, 0], T, [0, 0], [mu, mu], [0, 0], names=["left", "right"])


def between_walls(mu, weight=1.0):
    """A bar that only friction holds between two vertical walls."""
    return ContactProblem.of(
        np.eye(2), [0, -weight], [[1, 0], [-1, 0]], [0, 0], [[0, 1], [0, 1]], [0, 0], [mu, mu], [0, 0]
    )


# ------------------------------------------------------------------ against the enumeration of modes


def enumerated_ranges(verdict, a):
    """Ranges (m + 2k, 2) over the vertices and rays of all modes with the acceleration a."""
    low, high, size = np.inf, -np.inf, 1e-7 * max(1.0, float(np.max(np.abs(a))))
    for s in verdict.every:
        if len(s.accelerations) == 1 and not len(s.directions) and np.max(np.abs(s.a - a)) < size:
            x = np.hstack([s.bilateral, s.normal, s.tangential])
            up, down = (np.any(sign * s.rays > 1e-9, axis=0) for sign in (1.0, -1.0))
            low = np.minimum(low, np.where(down, -np.inf, np.min(x, axis=0)))
            high = np.maximum(high, np.where(up, np.inf, np.max(x, axis=0)))
    return np.column_stack([low, high])


def with_a_limit(problem):
    """The same problem, its first friction force limited by a constant."""
    N, nu, fixed = problem.N.copy(), problem.nu.copy(), np.zeros(problem.k, dtype=bool)
    N[0], nu[0], fixed[0] = 0.0, 0.0, True
    held = problem.bilateral & ~fixed
    return replace(problem, N=N, nu=nu, fixed=fixed, held=held)


def random_rest(rng, k):
    """A random problem with k contacts at rest, whose rows do not move."""
    raw = random_problem(rng, k)
    return as_problem(raw | {"slip": [0] * k, "nu": [0] * k, "tau": [0] * k, "gamma": [0] * len(raw["gamma"])})


@pytest.mark.long
def test_ranges_agree_with_all_modes_of_random_problems():
    rng, compared, free, endless = np.random.default_rng(5), 0, 0, 0
    for number in range(200):
        problem = as_problem(random_problem(rng, 1 + number % 3))
        problem = with_a_limit(problem) if number % 4 == 3 else problem
        verdict = solve_contacts(problem)
        if verdict.verdict not in ("one", "several") or verdict.doubtful:
            continue
        for a in verdict.accelerations:
            found, expected = contact_forces(verdict, a), enumerated_ranges(verdict, a)
            ends = np.vstack([found.bilateral, found.normal, found.tangential])
            size = max(10.0, float(np.max(np.abs(expected[np.isfinite(expected)]), initial=0.0)))
            np.testing.assert_allclose(ends, expected, atol=1e-8 * size, err_msg=str(number))
            assert found.accuracy < ROUNDING
            point = bool(np.all(expected[:, 1] - expected[:, 0] < 1e-8 * size))
            assert found.unique == point or found.pieces > 1
            compared, free, endless = compared + 1, free + (not point), endless + found.wedged
    assert compared > 80
    assert free > 10
    assert endless > 3


def test_accelerations_beside_those_of_the_law_are_not_admitted():
    rng, refused = np.random.default_rng(6), 0
    for number in range(60):
        problem = as_problem(random_problem(rng, 1 + number % 3))
        verdict = solve_contacts(problem)
        if verdict.verdict not in ("one", "several") or verdict.doubtful:
            continue
        for a in verdict.accelerations:
            assert admits(problem, a)
            other = a + rng.normal(size=len(a)) * 1e-3
            if problem.k and min(np.max(np.abs(other - b)) for b in verdict.accelerations) > 1e-4:
                assert not admits(problem, other)
                refused += 1
    assert refused > 20


@pytest.mark.long
def test_rest_that_needs_no_friction_is_the_only_acceleration_of_all_modes():
    rng, proved, others = np.random.default_rng(7), 0, 0
    for number in range(400):
        problem = random_rest(rng, 1 + number % 2)
        rest = np.zeros(len(problem.f))
        if admits(problem, rest):
            verdict = solve_contacts(problem)
            if only_acceleration(problem, rest):
                proved += 1
                assert verdict.verdict == "one"
                np.testing.assert_allclose(verdict.accelerations[0], 0.0, atol=1e-9)
            others += verdict.verdict != "one"
    assert proved > 30
    assert others > 3  # rest is not always alone, so that the proof says something


def test_weak_friction_leaves_at_most_one_acceleration_of_all_modes():
    rng, weak, strong = np.random.default_rng(9), 0, 0
    for number in range(300):
        raw = random_problem(rng, 1 + number % 2)
        raw["mu_s"] = raw["mu_k"]
        problem = as_problem(raw)
        problem = with_a_limit(problem) if number % 5 == 4 else problem
        bound = friction_bound(problem)
        if not np.isfinite(bound) or not bound > 0.0:
            continue
        scale = 0.999 / bound
        factor = np.where(problem.limited, 1.0, scale)  # a constant limit may be as large as it is
        less = replace(problem, static=factor * problem.static, kinetic=factor * problem.kinetic)
        assert friction_bound(less) == pytest.approx(0.999, rel=1e-6)
        weak += 1
        assert solve_contacts(less).verdict in ("one", "none")
        strong += bound > 1.0 and solve_contacts(problem).verdict in ("several", "continuum")
    assert weak > 40
    assert strong > 0  # otherwise the bound would say nothing
    for angle in (0.5, np.arctan(2.0), 1.3):  # the tip of Painlevé's rod: not above its critical coefficient
        c, s = np.cos(angle), np.sin(angle)
        tip = ContactProblem.of(np.diag([1, 1, 1 / 3]), [0, -G, 0], [[0, 1, -c]], [0], [[1, 0, s]], [0], [1.0], [-1.0])
        critical = (1 + 3 * c * c) / (3 * s * c)
        assert 0.5 * critical < 1.0 / friction_bound(tip) <= critical * (1 + 1e-9)


# ------------------------------------------------------------------ closed forms in the plane


def test_stack_of_ten_boxes_determines_what_passes_through_each_joint():
    n, mu = 10, 0.5
    groups = {f"joint {i}": [f"left {i}", f"right {i}"] for i in range(n)}
    found = contact_findings(stack(n, mu), groups=groups)
    assert found.verdict == "one"
    assert "needs no friction" in found.evidence
    assert found.solved is None  # 4²⁰ modes are out of reach
    forces, above = found.forces[0], G * (n - np.arange(n))
    np.testing.assert_allclose(forces.normal, np.repeat(above / 2, 2)[:, None] * [1, 1], rtol=1e-11)
    np.testing.assert_allclose(forces.tangential, np.repeat(mu * above / 2, 2)[:, None] * [-1, 1], rtol=1e-9)
    assert forces.freedom == n  # in each joint two opposite friction forces
    assert forces.linked == tuple(tuple(names) for names in groups.values())
    for i, group in enumerate(forces.groups):
        assert group.unique
        own = np.zeros(3 * n)
        own[3 * i + 1] = above[i]
        if i:
            own[3 * i - 2] = -above[i]
        np.testing.assert_allclose(group.force, own[:, None] * [1, 1], atol=1e-10 * above[0])
    assert "All normal forces are determined" in forces.sentence


@pytest.mark.long
def test_a_pushed_stack_needs_friction_and_says_what_it_cannot_decide():
    n, push = 10, 0.2
    problem = stack(n, push=push)
    found = contact_findings(problem)
    assert (found.verdict, found.complete) == ("undecided", False)
    assert "not excluded" in found.sentence
    assert found.required.value == pytest.approx(push / G, rel=1e-9)  # the top joint carries the least
    assert found.required.limiting == (f"left {n - 1}", f"right {n - 1}")
    normal = found.forces[0].normal
    for i in range(n):  # moments about the middle of each joint
        weight, arm = G * (n - i), 0.5 * (n - 1 - i) + 0.25
        np.testing.assert_allclose(normal[2 * i], weight / 2 - push * arm, rtol=1e-9)
        np.testing.assert_allclose(normal[2 * i + 1], weight / 2 + push * arm, rtol=1e-9)
    three = contact_findings(stack(3, push=push))
    assert (three.verdict, three.evidence) == ("one", "all modes of the contacts were tried")
    weak = contact_findings(stack(n, mu=0.015, push=0.1))
    assert (weak.verdict, weak.evidence) == ("one", "friction is too weak for a second one")


def test_least_coefficients_of_closed_forms():
    for beta in (0.05, 0.3, 0.9):
        assert jamming_coefficient(wedge(beta)).value == pytest.approx(np.tan(beta), rel=1e-12)
        assert required_coefficient(wedge(beta)).value == 0.0
        pulled = required_coefficient(wedge(beta, force=(0.1, 1.0, 0.0)))
        assert pulled.value == pytest.approx(np.tan(beta), rel=1e-12)
        assert not pulled.attained
    slope = 0.4
    block = ContactProblem.of(np.eye(2), [np.sin(slope), -np.cos(slope)], [[0, 1]], [0], [[1, 0]], [0], [0.0], [0])
    answer = required_coefficient(block)
    assert answer.value == pytest.approx(np.tan(slope), rel=1e-13)
    assert 0.0 <= answer.value - answer.below < 1e-8
    assert (answer.limiting, answer.attained) == (("contact 0",), True)
    walls = required_coefficient(between_walls(0.1))
    assert walls.value < 1e-9
    assert not walls.attained
    assert "every coefficient above" in str(walls)
    assert required_coefficient(stack(1, push=50.0, height=1.5)).value == np.inf  # it tips
    assert "no coefficient" in str(required_coefficient(stack(1, push=50.0, height=1.5)))


@pytest.mark.long
def test_the_least_coefficient_is_where_rest_begins():
    rng, tried, limited = np.random.default_rng(8), 0, 0
    for number in range(120):
        problem = random_rest(rng, 1 + number % 3)
        problem = with_a_limit(problem) if number % 4 == 3 and problem.k > 1 else problem
        rest = np.zeros(len(problem.f))
        sticky = np.any(problem.T != 0.0, axis=1) & ~problem.limited
        if not np.any(sticky):
            continue
        answer = required_coefficient(problem)
        if not np.isfinite(answer.value) or answer.value < 1e-3:
            continue
        for factor, yes in ((1.0 - 1e-5, False), (1.0 + 1e-5, True)):
            rough = np.where(sticky, factor * answer.value, problem.static)
            assert admits(replace(problem, static=rough, kinetic=np.minimum(rough, problem.kinetic)), rest) == yes
        tried, limited = tried + 1, limited + bool(np.any(problem.limited))
    assert tried > 25
    assert limited > 3


def test_wedged_bodies_are_said_to_be_wedged():
    held = contact_forces(wedge(0.1, 0.3), np.zeros(3))
    assert held.wedged
    assert held.squeezed == ("left", "right")
    assert "without any load" in held.sentence
    low = np.cos(np.arctan(0.3)) / (2 * np.sin(0.1 + np.arctan(0.3)))
    np.testing.assert_allclose(held.normal, [[low, np.inf]] * 2, rtol=1e-10)
    empty = contact_forces(wedge(0.1, 0.3, (0, 0, 0)), np.zeros(3))
    np.testing.assert_allclose(empty.normal, [[0.0, np.inf]] * 2, atol=1e-12)
    assert (empty.load, contact_forces(wedge(0.5, 0.3, (0, 0, 0)), np.zeros(3)).wedged) == (0.0, False)
    bar = contact_forces(between_walls(0.1), np.zeros(2), groups={"walls": ["contact 0", "contact 1"]})
    np.testing.assert_allclose(bar.normal, [[5.0, np.inf]] * 2, rtol=1e-10)
    np.testing.assert_allclose(bar.group("walls").force, [[0.0, 0.0], [1.0, 1.0]], atol=1e-12)


def test_friction_at_its_limit_is_named():
    slope = np.arctan(0.5)
    block = ContactProblem.of(
        np.eye(2), [np.sin(slope), -np.cos(slope)], [[0, 1]], [0], [[1, 0]], [0], [0.5], [0], names=["foot"]
    )
    found = contact_forces(block, [0.0, 0.0])
    assert found.at_limit.tolist() == [-1.0]
    assert "limit at 'foot'" in found.sentence
    assert contact_forces(replace(block, static=np.array([0.6])), [0.0, 0.0]).at_limit.tolist() == [0.0]


def test_brakes_of_constant_limits():
    def brakes(kinetic, slip, T, f=0.0):
        zero = np.zeros((2, 1))
        return ContactProblem.of([[1.0]], [f], zero, [0, 0], T, [0, 0], kinetic, slip, limited=[True, True])

    held = contact_findings(brakes([3.0, 2.0], [0, 0], [[1.0], [1.0]], f=4.0))
    assert (held.verdict, held.bound, held.required) == ("one", 0.0, None)
    assert "too weak" in held.evidence  # Δt Δṡ ≤ 0 whatever the limits are
    np.testing.assert_allclose(held.forces[0].tangential, [[-3.0, -2.0], [-2.0, -1.0]], atol=1e-12)
    assert held.forces[0].linked == (("contact 0", "contact 1"),)
    problem = brakes([0.1, 0.3], [1, 1], [[0.3], [-0.1]])  # in balance up to rounding
    balance = contact_findings(problem)
    assert balance.verdict == "one"
    assert contact_forces(problem, [3e-17]).unique
    np.testing.assert_allclose(balance.forces[0].tangential, [[-0.1, -0.1], [-0.3, -0.3]], rtol=1e-12)


def test_painleve_states_have_findings():
    rod = g.System(
        "rod",
        coordinates="x z h",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2 + v.h**2 / 3),
        potential_energy=lambda q: G * q.z,
        constraints=[g.Unilateral("tip", lambda q: q.z - g.sin(q.h))],
    )
    angle, turning = np.arctan(2.0), 4.0
    c, s = np.cos(angle), np.sin(angle)
    q, v = [0.0, s, angle], [-1.0 - s * turning, c * turning, turning]
    slip = Rub("tip", lambda q, v: v.x + g.sin(q.h) * v.h, 2.0)
    found = findings_at(rubbed(rod, slip), q, v)
    assert (found.verdict, len(found.forces), found.minors.verdict) == ("several", 2, "not P")
    assert found.critical == pytest.approx(4 / 3, rel=1e-12)
    assert found.required is None  # it slides
    assert sorted(f.modes[0] for f in found.forces) == ["open", "slip−"]
    for forces in found.forces:  # separating needs no friction either, but the contact slips: no proof
        assert not only_acceleration(found.problem, forces.a)
    none = findings_at(rubbed(rod, slip), q, [-1.0, 0.0, 0.0])
    assert (none.verdict, none.forces, none.complete) == ("none", (), True)
    for answer in (found, none):
        data = json.loads(json.dumps(friction_data(answer), allow_nan=False))["friction"]
        assert data["verdict"] == answer.verdict
        assert data["critical_coefficient"] == pytest.approx(4 / 3)
        with console().capture() as text:
            console().print(friction_part(answer))
        assert text is not None


# ------------------------------------------------------------------ in space


def table(mu=0.3, force=(0, 0, 0, 0, 0, 0), a=0.6, b=0.4, h=0.7, m=20.0):
    """A table on four legs, in the coordinates of its middle, h above the floor."""
    N, T = [], []
    for x, y in ((a, -b), (a, b), (-a, b), (-a, -b)):
        point = np.hstack([np.eye(3), [[0, -h, -y], [h, 0, x], [y, -x, 0]]])
        N.append(point[2])
        T.append(point[:2])
    M = np.diag([m, m, m, m * b * b / 3, m * a * a / 3, m * (a * a + b * b) / 3])
    load = np.array([0, 0, -m * G, 0, 0, 0]) + np.array(force, dtype=float)
    return ContactProblem.of(M, load, N, np.zeros(4), T, np.zeros((4, 2)), np.full(4, mu))


def test_table_on_four_rough_legs_has_its_closed_forms():
    weight, mu = 20.0 * G, 0.3
    zero = np.zeros(6)
    forces = contact_forces(table(mu), zero)
    np.testing.assert_allclose(forces.normal / weight, [[0.0, 0.5]] * 4, atol=1e-8)
    assert forces.freedom == 6
    assert forces.accuracy < 1e-9
    diagonal = np.arctan2(0.4, 0.6)
    turned = contact_forces(table(mu).turned(np.array([-1, 1, -1, 1]) * diagonal), zero)
    np.testing.assert_allclose(turned.tangential[:, 0] / (mu * weight), [[-0.5, 0.5]] * 4, atol=1e-8)
    for force, exact in (((30, -40, 0, 0, 0, 0), 50 / weight), ((0, 0, 0, 0, 0, 5), 5 / weight / np.hypot(0.6, 0.4))):
        found = required_coefficient(table(force=force))
        assert found.value == pytest.approx(exact, abs=1e-8)
        assert found.attained
    assert (required_coefficient(table()).value, required_coefficient(table()).attained) == (0.0, True)
    assert str(required_coefficient(table())) == "no friction is needed"
    assert required_coefficient(table(force=(weight, 0, 0, 0, 0, 0))).value == np.inf  # it tips: 0.7 F > 0.6 mg


def test_ranges_in_space_lie_between_those_of_inner_and_outer_pyramids():
    mu, facets = 0.4, 48
    problem = table(mu, (20, 10, 0, 3, -4, 6))
    found = contact_forces(problem, np.zeros(6))
    rays = np.linspace(0, 2 * np.pi, facets, endpoint=False)
    for i, c in ((0, 0), (2, 1)):
        ends = []
        for radius in (mu, mu / np.cos(np.pi / facets)):
            columns, values = [], []
            for j in range(4):
                for angle in rays:
                    columns.append(problem.N[j] + radius * np.array([np.cos(angle), np.sin(angle)]) @ problem.T[j])
                    values.append(radius * (np.cos(angle), np.sin(angle))[c] * (i == j))
            for sign in (1.0, -1.0):
                answer = opt.linprog(sign * np.array(values), A_eq=np.array(columns).T, b_eq=-problem.f)
                ends.append(sign * answer.fun)
        low, high = found.tangential[i, c]
        assert ends[2] - 1e-7 <= low <= ends[0] + 1e-7
        assert ends[1] - 1e-7 <= high <= ends[3] + 1e-7
        assert ends[0] - ends[2] < 0.02 * (high - low)


def test_a_large_end_of_a_range_does_not_blur_the_small_one():
    """A wedge 1e-7 before it is wedged: p from 1/(2(sin β + μ cos β)) to 1/(2(sin β − μ cos β)) = 2.5e7 N."""
    beta = 0.2
    mu = np.tan(beta) * (1.0 - 1e-7)
    flat = wedge(beta, mu)
    T = np.stack([flat.T, np.zeros((2, 3))], axis=1)
    found = contact_forces(ContactProblem.of(flat.M, flat.f, flat.N, np.zeros(2), T, np.zeros((2, 2)), flat.static))
    ends = [0.5 / (np.sin(beta) + side * mu * np.cos(beta)) for side in (1.0, -1.0)]
    np.testing.assert_allclose(found.normal, [ends, ends], rtol=1e-6)


def test_plane_problems_have_the_same_ranges_in_space():
    for problem in (stack(3, push=0.5), wedge(0.1), between_walls(0.2), wedge(0.5, 0.2)):
        k, n = problem.k, len(problem.f)
        T = np.stack([problem.T, np.zeros((k, n))], axis=1)
        space = ContactProblem.of(problem.M, problem.f, problem.N, np.zeros(k), T, np.zeros((k, 2)), problem.static)
        flat, round_ = contact_forces(problem, np.zeros(n)), contact_forces(space, np.zeros(n))
        np.testing.assert_allclose(round_.normal, flat.normal, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(round_.tangential[:, 0], flat.tangential, rtol=1e-8, atol=1e-8)
        assert round_.wedged == flat.wedged
        answer = required_coefficient(problem)
        wide = required_coefficient(space)
        assert wide.value == pytest.approx(answer.value, abs=1e-8)
        assert wide.attained == answer.attained


def test_resistances_have_ranges_over_the_same_normal_force():
    spin = Resistance.of(0, [0, 0, 1.0], 0.0, 0.02, 0.0, kind="spinning")
    disc = ContactProblem.of(
        np.eye(3), [0, -5.0, 0.06], [[0, 1, 0]], [0], [[[1, 0, 0], [0, 0, 0]]], [[0, 0]], [0.3], resistances=[spin]
    )
    found = contact_forces(disc, np.zeros(3))
    assert found.unique
    (label, moment), p = found.resistances[0], found.normal[0]
    assert label == "spinning at contact 0"
    np.testing.assert_allclose((p, moment[0]), ([5.0, 5.0], [-0.06, -0.06]), atol=1e-9)
    with pytest.raises(g.errors.InputError, match="no contact forces"):
        contact_forces(replace(disc, f=np.array([0, -5.0, 0.2])), np.zeros(3))  # the moment may be 0.1 N m at most


def test_findings_in_space_say_whether_rest_is_alone():
    rest, zero = contact_findings(table()), np.zeros(6)
    assert only_acceleration(table(), zero)
    assert not only_acceleration(table(force=(10, 0, 0, 0, 0, 0)), zero)
    assert not only_acceleration(replace(table(), slip=np.ones((4, 2))), zero)
    assert (rest.verdict, rest.complete, rest.required.value, rest.required.attained) == ("one", True, 0.0, True)
    data = json.loads(json.dumps(friction_data(rest), allow_nan=False))["friction"]
    assert data["accelerations"][0]["normal"]["contact 0"] == pytest.approx([0.0, 10.0 * G], abs=1e-6)


# ------------------------------------------------------------------ ends of the range


def sliding_along(normal):
    """A slider on a rail whose direction is a bilateral row, and a contact that slides; the row of its normal force."""
    M = [[2, 0.3, 0.1], [0.3, 1, 0.2], [0.1, 0.2, 3]]
    return ContactProblem.of(
        M, np.zeros(3), [normal], [0], [[1, 0.4, 0.2]], [0], [0.5], [1], J=[[0.3, 0.7, 0.1]], gamma=[0]
    )


def test_critical_coefficient_where_the_bilateral_rows_leave_no_freedom():
    """Forces along a row that is held change no acceleration: with no friction at all they are not determined."""
    assert critical_coefficient(sliding_along([0.3, 0.7, 0.1])) == 0.0
    assert critical_coefficient(sliding_along([0.99, 2.31, 0.33])) == 0.0
    assert critical_coefficient(sliding_along([0.3, 0.7, 0.2])) > 0.0


@pytest.mark.parametrize("mu", [1e2, 1e4, 1e6])
def test_steep_cones_keep_the_digits_that_they_announce(mu):
    """A plank on two legs: 2 p = 1 ± 0.05 by the moments about the legs; t at the left leg up to its limit μ p."""
    M, N, T = np.diag([1, 1, 1 / 3]), [[0, 1, -1], [0, 1, 1]], [[1, 0, 0.5], [1, 0, 0.5]]
    found = contact_forces(ContactProblem.of(M, [0.3, -1, 0.1], N, [0, 0], T, [0, 0], [mu, mu], [0, 0]), np.zeros(3))
    error = 10.0 * found.accuracy + 1e-14
    assert error <= 1e-13 * mu + 1e-13
    np.testing.assert_allclose(found.normal, [[0.475, 0.475], [0.525, 0.525]], atol=error)
    assert found.tangential[0] == pytest.approx([-0.475 * mu, 0.475 * mu], rel=error)


# ------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: contact_forces(stack(4, push=0.2)), "modes"),
        (lambda: contact_forces(stack(2), np.zeros(5)), "expected (6,)"),
        (lambda: contact_forces(stack(1), [0, -1.0, 0]), "into each other"),
        (lambda: contact_forces(stack(1), [0, 1.0, 0]), "no contact forces"),
        (lambda: contact_forces(stack(1), np.zeros(3), groups={"all": ["top"]}), "'top'"),
        (lambda: contact_forces(between_walls(0.5)), "not unique"),
        (lambda: contact_forces("table"), "ContactProblem"),
        (lambda: contact_forces(stack(1), np.zeros(3)).range_of("left 0", "vertical"), "'tangential'"),
        (lambda: contact_forces(stack(1), np.zeros(3)).range_of("middle"), "'left 0'"),
        (lambda: contact_forces(stack(1), np.zeros(3)).group("joint"), "no group"),
        (lambda: required_coefficient(stack(1), contacts=["middle"]), "'middle'"),
        (lambda: required_coefficient(replace(stack(1), slip=np.ones(2))), "no frictional contact sticks"),
        (lambda: contact_findings(None), "ContactProblem"),
        (lambda: required_coefficient(None), "ContactProblem"),
        (lambda: friction_bound(3), "ContactProblem"),
        (lambda: friction_bound(table()), "in the plane only"),
        (lambda: critical_coefficient(table()), "in the plane only"),
        (lambda: jamming_coefficient(table()), "in the plane only"),
        (lambda: critical_coefficient(None), "ContactProblem"),
        (lambda: required_coefficient(stack(1), contacts=3), "list of names"),
        (lambda: contact_forces(stack(1), np.zeros(3), groups=["left 0"]), "dictionary"),
        (lambda: contact_forces(stack(1), np.zeros(3), groups={"all": None}), "nothing"),
        (lambda: contact_forces(replace(stack(1), static=np.full(2, 1e12)), np.zeros(3)), "half-plane"),
        (lambda: contact_forces(table(), np.zeros(6), groups={"all": ["contact 0"]}), "plane only"),
        (lambda: contact_forces(table(), np.array([0, 0, -1.0, 0, 0, 0])), "violates"),
        (lambda: contact_forces(table(0.1, (40, 0, 0, 0, 0, 0)), np.zeros(6)), "no contact forces"),
        (lambda: required_coefficient(table(), contacts=["leg"]), "'leg'"),
    ],
)
def test_bad_input_gives_one_clear_error(call, words):
    with pytest.raises(g.errors.InputError) as caught:
        call()
    assert words in str(caught.value)


def test_rows_given_twice_do_not_wedge_the_contacts():
    p = ContactProblem.of(
        np.eye(2), [0.0, -5.0], N=[[0, 1]], nu=[0], T=[[1, 0]], tau=[0], coefficient=[0.5], slip=[0],
        J=[[1.0, 0.0], [1.0, 0.0]], gamma=[0.0, 0.0],
    )  # fmt: skip
    found = contact_forces(p)
    assert not np.all(np.isfinite(found.bilateral))  # what one row gains the other loses
    assert not found.wedged
    assert found.normal == pytest.approx(np.array([[5.0, 5.0]]), rel=1e-12)  # the weight


def test_the_verdict_of_a_state_answers_for_modes_and_coefficients():
    """A block of 1 kg pushed with 2 N: it rests from μ = 2/g on; pushed along, it slips; between walls it may jam."""

    def block(push, speed=0.0):
        system = g.System(
            "block",
            coordinates="x z",
            kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2),
            force=lambda q: {"x": push, "z": -G},
            constraints=[g.Unilateral("floor", lambda q: q.z, friction=g.Coulomb(0.5, lambda v: v.x))],
        )
        return g.classify(system, [0.0, 0.0], [speed, 0.0])

    rests, slips, slides = block(2.0), block(10.0), block(0.0, -1.0)
    assert [found.modes for found in (rests, slips, slides)] == [
        ({"floor": "stick"},),
        ({"floor": "slip+"},),
        ({"floor": "slip−"},),
    ]
    assert rests.friction.required.value == pytest.approx(2.0 / G, rel=1e-9)
    assert slides.friction.required is None
    assert slides.friction.critical == np.inf  # its friction does not act on the normal acceleration
    assert rests.friction.jamming.value == np.inf  # one contact presses on nothing without a load
    assert g.classify(block(2.0).friction.system, [0.0, 1.0]).modes == ()
