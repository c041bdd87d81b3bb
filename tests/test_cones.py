"""Friction in space: closed forms, planar answers, other algorithms, pyramids, resistance, impacts, bad input."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from cone_witness import projected, random_problem, scanned, violation
from frictional import Rub, rubbed
from rational_friction import as_problem
from rational_friction import random_problem as random_planar

import gauss as g
from gauss.contact import (
    ContactProblem,
    ImpactProblem,
    Resistance,
    collide,
    contact_forces,
    contact_problem,
    impact_problem,
    required_coefficient,
    solve_contacts,
    space,
)
from gauss.contact.space.solvers.enumeration import _turned
from gauss.contact.space.solvers.search import _law
from gauss.errors import EnergyGainError, InputError, MassMatrixError, SolverError

G = 9.81
LAW = 1e-10  # bound on forces outside their cone, complementarity and created power, relative to the forces
AROUND = np.linspace(0.0, 2.0 * np.pi, 7)[:-1] + 0.1


def sphere(m=0.1, r=0.05, slope=0.0, azimuth=0.0, restitution=0.0):
    """A homogeneous sphere on an inclined plane, its angular velocity as velocities of three coordinates."""
    inertia = 0.4 * m * r**2
    return g.System(
        "sphere",
        coordinates="x y z a b c",
        kinetic_energy=lambda v: 0.5 * m * (v.x**2 + v.y**2 + v.z**2) + 0.5 * inertia * (v.a**2 + v.b**2 + v.c**2),
        potential_energy=lambda q: (
            m * G * (np.cos(slope) * q.z - np.sin(slope) * (np.cos(azimuth) * q.x + np.sin(azimuth) * q.y))
        ),
        constraints=[g.Unilateral("plane", lambda q: q.z - r, restitution=restitution)],
    )


def foot(mu, r=0.05, static=None):
    return Rub("plane", lambda v: [v.x - r * v.b, v.y + r * v.a], mu, static)


def block(slope, azimuth, mu, static=None, slip=(0.0, 0.0)):
    """A point of 1 kg on an inclined plane that falls towards `azimuth`."""
    pull = G * np.sin(slope) * np.array([np.cos(azimuth), np.sin(azimuth)])
    static = None if static is None else [static]
    return good(f=[*pull, -G * np.cos(slope)], coefficient=[mu], slip=[slip], static=static)


def table(push, mu, height=0.0, shifted=(0.0, 0.0)):
    """A table of 1 kg on four legs; `push` (N) acts at the centre of mass, which lies `height` above the feet."""
    N, T = [], []
    for x in (-0.5, 0.5):
        for y in (-0.4, 0.4):
            r = np.array([x, y, 0.0]) - [*shifted, height]
            rows = [np.concatenate([e, np.cross(r, e)]) for e in np.eye(3)]
            N.append(rows[2])
            T.append(rows[:2])
    force = [*push, -G, 0, 0, 0]
    return ContactProblem.of(np.diag([1, 1, 1, 0.1, 0.1, 0.15]), force, N, np.zeros(4), T, np.zeros((4, 2)), [mu] * 4)


def rod(angle, turning, mu, frame=0.0, sign=-1.0):
    """Painlevé's rod of 1 kg and half-length 1 m in a vertical plane, that may drift out of it; tangents turned."""
    c, s = np.cos(angle), np.sin(angle)
    problem = ContactProblem.of(
        np.diag([1.0, 1.0, 1.0, 1.0 / 3.0]),
        [0, 0, -G, 0],
        [[0, 0, 1, -c]],
        [-s * turning**2],
        [[[1, 0, 0, s], [0, 1, 0, 0]]],
        [[-c * turning**2, 0]],
        [mu],
        [[sign, 0]],
    )
    return problem.turned([frame])


# --- closed forms ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("azimuth", AROUND)
def test_sphere_rolls_down_an_incline_in_any_direction(azimuth):
    data = {"r": 0.05, "m": 0.1, "mu_s": 1.0}  # of Drake's inclined_plane_test.cc
    slope, m = np.radians(15.0), data["m"]
    system = sphere(m, data["r"], slope, azimuth)
    model = rubbed(system, [foot(data["mu_s"], data["r"])])
    verdict = solve_contacts(contact_problem(model, [0, 0, data["r"], 0, 0, 0]))
    along = np.array([np.cos(azimuth), np.sin(azimuth)])
    assert verdict.verdict == "one"
    assert verdict.solution.modes == ("stick",)
    np.testing.assert_allclose(verdict.a[:2], 5 / 7 * G * np.sin(slope) * along, atol=1e-12)
    np.testing.assert_allclose(verdict.solution.tangential[0, 0], -2 / 7 * m * G * np.sin(slope) * along, atol=1e-13)
    steep = np.radians(80.0)  # beyond tan slope = 3.5 μ it slips: t = μ m g cos slope
    slipping = solve_contacts(
        contact_problem(
            rubbed(sphere(m, data["r"], steep, azimuth), [foot(1.0, data["r"])]), [0, 0, data["r"], 0, 0, 0]
        )
    )
    assert slipping.solution.modes == ("slip",)
    np.testing.assert_allclose(slipping.solution.tangential[0, 0], -m * G * np.cos(steep) * along, atol=1e-13)


@pytest.mark.parametrize("azimuth", AROUND)
def test_block_at_the_edge_of_slipping(azimuth):
    along, mu = np.array([np.cos(azimuth), np.sin(azimuth), 0.0]), 0.6
    for excess in (-1e-6, 1e-6):
        slope = np.arctan(mu) + excess
        verdict = solve_contacts(block(slope, azimuth, mu))
        assert verdict.verdict == "one"
        assert verdict.solution.modes == (("slip",) if excess > 0.0 else ("stick",))
        expected = max(0.0, G * (np.sin(slope) - mu * np.cos(slope)))
        np.testing.assert_allclose(verdict.a, expected * along, atol=1e-13)
    edge = solve_contacts(block(np.arctan(mu), azimuth, mu))
    np.testing.assert_allclose(edge.a, 0.0, atol=1e-13)
    assert edge.solution.residual < LAW


def test_what_can_stick_sticks_and_what_slips_has_the_kinetic_coefficient():
    for slope, modes, a in ((np.arctan(0.55), ("stick",), 0.0), (np.arctan(0.75), ("slip",), None)):
        solution = solve_contacts(block(slope, 0.4, 0.5, static=0.6))
        assert (solution.verdict, solution.solution.modes) == ("one", modes)
        expected = G * (np.sin(slope) - 0.5 * np.cos(slope)) if a is None else a
        np.testing.assert_allclose(np.linalg.norm(solution.a), expected, atol=1e-13)
    sliding = solve_contacts(block(0.2, 0.4, 0.5, static=0.6, slip=(0.0, -1.0)))
    np.testing.assert_allclose(sliding.solution.tangential[0, 0], [0.0, 0.5 * G * np.cos(0.2)], atol=1e-13)


@pytest.mark.long
@pytest.mark.parametrize("azimuth", AROUND)
def test_table_pushed_in_any_direction(azimuth):
    along, mu = np.array([np.cos(azimuth), np.sin(azimuth)]), 0.3
    at_rest = solve_contacts(table(0.99 * mu * G * along, mu, 0.3))
    np.testing.assert_allclose(at_rest.a, 0.0, atol=1e-12)
    moving = solve_contacts(table(1.2 * mu * G * along, mu, 0.3))
    np.testing.assert_allclose(moving.a, [*(0.2 * mu * G * along), 0, 0, 0, 0], atol=1e-12)
    for verdict in (at_rest, moving):
        s = verdict.solution
        assert verdict.verdict == "undecided"  # four legs: the forces are not unique, so nothing is proved
        assert not s.unique_forces
        assert violation(verdict.problem, s) < LAW
        np.testing.assert_allclose(s.normal.sum(), G, rtol=1e-12)


def test_rolling_and_spinning_resistance_slow_a_ball():
    m, r, rolling, spinning = 0.1, 0.05, 0.001, 0.002
    resistances = [
        g.Friction("rolling", lambda v: [v.a, v.b], rolling, load="plane"),
        g.Friction("spinning", lambda v: v.c, spinning, load="plane"),
    ]
    model = rubbed(sphere(m, r), foot(1.0), resistances)
    for azimuth in AROUND:
        u = np.array([np.cos(azimuth), np.sin(azimuth)])
        verdict = solve_contacts(
            contact_problem(model, [0, 0, r, 0, 0, 0], [*(2.0 * r * u), 0, -2.0 * u[1], 2.0 * u[0], 3.0])
        )
        expected = -5 / 7 * rolling * G / r  # (m + I/r²) dv/dt = −ρ m g/r
        np.testing.assert_allclose(verdict.a[:2], expected * u, atol=1e-12)
        np.testing.assert_allclose(verdict.a[5], -spinning * G / (0.4 * r**2), rtol=1e-12)
        assert verdict.solution.resisted == ("slip", "slip")
        assert verdict.verdict == "one"
    for slope, moves in ((0.9 * rolling / r, False), (1.1 * rolling / r, True)):
        inclined = rubbed(sphere(m, r, np.arctan(slope), 0.7), foot(1.0), resistances)
        verdict = solve_contacts(contact_problem(inclined, [0, 0, r, 0, 0, 0]))
        assert verdict.solution.resisted[0] == ("slip" if moves else "stick")
        pull = max(0.0, np.sin(np.arctan(slope)) - rolling / r * np.cos(np.arctan(slope)))
        np.testing.assert_allclose(np.linalg.norm(verdict.a[:2]), 5 / 7 * G * pull, atol=1e-12)


def test_wheel_in_the_plane_with_rolling_resistance_lists_all_solutions():
    m, r, arm, drive = 2.0, 0.3, 0.01, 1.5  # kg, m, m, N m
    T, tau = [[[1.0, 0.0, -r], [0.0, 0.0, 0.0]]], [[0.0, 0.0]]
    for turning, expected in ((0.0, drive - arm * m * G), (1.0, drive - arm * m * G), (-1.0, drive + arm * m * G)):
        resistance = Resistance.of(0, [0.0, 0.0, 1.0], [0.0], arm, [turning])
        wheel = ContactProblem.of(
            np.diag([m, m, 0.5 * m * r**2]),
            [0, -m * G, drive],
            [[0, 1, 0]],
            [0],
            T,
            tau,
            [0.8],
            resistances=[resistance],
        )
        verdict = solve_contacts(wheel)
        assert verdict.verdict == "one"
        np.testing.assert_allclose(verdict.a[2], expected / (1.5 * m * r**2), rtol=1e-12)


# --- the plane, Painlevé --------------------------------------------------------------------------------------------


def embedded(p, angles=None):
    """A planar problem in space: each contact's second tangent acts on one more coordinate, without a load."""
    n, k = len(p.f), p.k
    M = np.eye(n + 1)
    M[:n, :n] = p.M
    wide = lambda table: np.hstack([table, np.zeros((len(table), 1))])  # noqa: E731
    T = np.stack([wide(p.T), np.tile(np.eye(n + 1)[n], (k, 1))], axis=1)
    pad = lambda x: np.stack([x, np.zeros(k)], axis=1)  # noqa: E731
    args = (M, [*p.f, 0.0], wide(p.N), p.nu, T, pad(p.tau), p.kinetic, pad(p.slip))
    problem = ContactProblem.of(*args, static=p.static, J=wide(p.J), gamma=p.gamma)
    return problem if angles is None else problem.turned(angles)


@pytest.mark.long
def test_planar_problems_have_their_planar_answers():
    rng = np.random.default_rng(5)
    seen, listed = {"one": 0, "several": 0, "none": 0}, 0
    for number in range(120):
        planar = as_problem(random_planar(rng, 1 + number % 3))
        if np.any(planar.bilateral):
            continue
        known = solve_contacts(planar)
        if known.verdict == "continuum" or known.contradictory:
            continue
        rows = {name: getattr(planar, name) for name in ("M", "f", "N", "nu", "T", "tau", "static", "kinetic", "slip")}
        answer = solve_contacts(flat(**rows, J=planar.J, gamma=planar.gamma))
        size = 1.0 + np.max(np.abs(known.accelerations), initial=0.0)
        for s in answer.solutions:  # nothing that the exact enumeration does not know
            assert np.min(np.max(np.abs(known.accelerations - s.a), axis=1)) < 1e-7 * size
        assert answer.verdict in (known.verdict, "undecided"), (answer.sentence, known.sentence)
        listed += answer.verdict == known.verdict
        assert len(answer.solutions) == len(known.accelerations)
        if len(known.solutions) == len(answer.solutions) == 1 and np.all(np.any(planar.T, axis=1)):
            assert answer.solution.unique_forces == known.solutions[0].unique_forces
        seen[known.verdict] += 1
    assert min(seen.values()) >= 4, seen
    assert listed >= 0.95 * sum(seen.values())  # one tangent each, so that all modes are linear


def test_planar_problems_in_space_with_turned_tangents():
    rng = np.random.default_rng(8)
    checked = 0
    for _ in range(60):
        planar = as_problem(random_planar(rng, 1))
        known = solve_contacts(planar)
        if np.any(planar.bilateral) or known.contradictory or known.verdict == "continuum":
            continue
        answer = solve_contacts(embedded(planar, rng.uniform(0.0, 6.0, 1)))
        found = np.array([s.a for s in answer.solutions]).reshape(-1, len(planar.f) + 1)
        for a in known.accelerations:
            size = 1.0 + np.max(np.abs(a))
            assert np.min(np.max(np.abs(found - [*a, 0.0]), axis=1)) < 1e-8 * size, answer.sentence
            checked += 1
    assert checked > 20


def test_painleve_paradox_in_space():
    angle = np.arctan(2.0)
    for frame in (0.0, 0.7, 4.0):
        verdicts = [
            solve_contacts(rod(angle, turning, mu, frame)).verdict
            for mu, turning in ((0.5, 0.0), (4 / 3 - 1e-9, 0.0), (4 / 3 + 1e-9, 0.0), (2.0, 0.0), (2.0, 4.0))
        ]
        assert verdicts == ["one", "one", "none", "none", "several"]
    verdict = solve_contacts(rod(angle, 4.0, 2.0, 0.7))
    pressed = next(s for s in verdict.solutions if s.modes == ("slip",))
    np.testing.assert_allclose(pressed.a, [11.2520876, 0.0, -4.18395618, 22.6443896], rtol=1e-8, atol=1e-8)
    drake = rod(np.pi / 4, 0.0, 1000.0, 0.3)  # Drake's rod: J = 1 kg m², μ = 1000
    verdict = solve_contacts(replace(drake, M=np.eye(4)))
    assert (verdict.verdict, verdict.evidence) == ("none", "all modes of the contacts were tried")


def flat(M, f, N, nu, T, tau, static, kinetic, slip, **bilateral):
    """A planar problem with a second tangent row of zeros."""
    rows, right, now = (np.stack([np.asarray(x, dtype=float), 0.0 * np.asarray(x)], axis=1) for x in (T, tau, slip))
    return ContactProblem.of(M, f, N, nu, rows, right, kinetic, now, static=static, **bilateral)


def test_forces_that_balance_are_no_second_acceleration():
    """A wedge without a load: it may press as hard as it likes, and stays where it is."""
    for count in (1, 2):
        p = flat(
            [[2.0]],
            [0],
            [[1]] * count,
            [0] * count,
            [[-1]] * count,
            [0] * count,
            [1.5] * count,
            [1] * count,
            [0] * count,
        )
        answer = solve_contacts(p)
        assert (answer.verdict, answer.solution.unique_forces) == ("one", False), answer.sentence
    p = flat([[2.0]], [0], [[1], [1]], [0, 0], [[0], [-1]], [-1, 0], [2.5, 1.5], [2, 1], [-1, 0])
    assert solve_contacts(p).verdict == "one"


def test_friction_at_its_limit_may_have_more_forces():
    """p + 2 t = 5 with |t| ≤ p/2: one end of a ray of forces has t = p/2."""
    answer = solve_contacts(flat([[2.0]], [5], [[-1]], [0], [[-2]], [0], [0.5], [0.5], [0]))
    np.testing.assert_allclose(answer.a, 0.0, atol=1e-12)
    assert (answer.solution.modes, answer.solution.unique_forces) == (("stick",), False)
    w = space.ScaledCone.of(block(np.arctan(0.6), 0.0, 0.6))
    x = np.array([1.0, -0.6, 0.0]) * np.cos(np.arctan(0.6)) * G / w.size
    assert space.solution_of(w, space.ModeForces(x, (True,), ("slip",), 0.0)).modes == (
        "stick",
    )  # it does not begin to slip


def test_what_hangs_on_rounding_is_not_called_listed():
    """Within 1e-11 of its critical coefficient a rod has forces beyond 10¹¹ times its weight."""
    angle = np.arctan(2.0)
    for below in (1e-11, 1e-12, 1e-13):
        answer = solve_contacts(rod(angle, 0.0, 4.0 / 3.0 - below))
        assert "all modes" not in answer.evidence
    for opening, decided in ((1e-9, False), (1e-5, True)):  # a pull of so little has one mode that is nearly another
        assert space.all_modes(space.ScaledCone.of(good(f=[1.0, 0.0, opening], coefficient=[0.0])))[1] is decided
    for below in (1e-9, 1e-10):  # and above that rounding makes no second acceleration
        assert solve_contacts(beside(rod(angle, 0.0, 4.0 / 3.0 - below), table([1.0, 2.0], 0.3))).verdict == "undecided"


def test_undetermined_friction_forces_leave_the_bound():
    """Three legs determine their normal forces, not the friction in them; four do not determine these either."""
    four = table([0.5, 0.2], 0.1)
    keep = [0, 1, 3]
    parts = {name: getattr(four, name)[keep] for name in ("N", "nu", "T", "tau", "static", "kinetic", "slip")}
    three = replace(four, **parts, names=("a", "b", "c"))
    answer = solve_contacts(three)
    assert answer.bound < 1.0
    assert "bound" in answer.evidence
    assert not answer.solution.unique_forces
    assert solve_contacts(four).bound == np.inf


# --- random problems ------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_random_problems_satisfy_the_law_in_plain_numbers():
    rng = np.random.default_rng(2)
    solved = 0
    for number in range(48):
        p = random_problem(
            rng, 1 + number % 4, sliding=0.4 * (number % 2), loose=number % 5 == 0, resisted=number % 3 == 0
        )
        verdict = solve_contacts(p)
        for s in verdict.solutions:
            assert violation(p, s) < LAW, (number, verdict.sentence)
            assert s.residual < LAW
        solved += bool(verdict.solutions)
        assert verdict.bound >= 1.0 or verdict.verdict == "one"
    assert solved >= 45


def test_the_certificate_sees_every_violation():
    p = block(0.5, 0.3, 0.3)
    w = space.ScaledCone.of(p)
    answer = solve_contacts(p).solution
    x = np.array([answer.normal[0, 0], *answer.tangential[0, 0]]) / w.size  # unit rows and unit mass: no other scale
    assert space.residuals_of(w, x, ("slip",)).largest < 1e-15
    turn = np.array([[1, 0, 0], [0, np.cos(0.1), -np.sin(0.1)], [0, np.sin(0.1), np.cos(0.1)]])
    turned = space.residuals_of(w, turn @ x, ("slip",))
    assert turned.friction > 0.01
    assert max(turned.cone, turned.complementarity, turned.balance) < 1e-15
    assert space.residuals_of(w, [1, 1.1, 1.1] * x, ("slip",)).cone > 0.01
    assert space.residuals_of(w, [-1, 0, 0] * x, ("slip",)).cone > 0.1
    assert space.residuals_of(w, [1.1, 1.1, 1.1] * x, ("slip",)).complementarity > 0.01
    assert space.residuals_of(w, [0.9, 0.9, 0.9] * x, ("slip",)).rows > 0.01
    assert space.residuals_of(w, [1, -1, -1] * x, ("slip",)).power > 0.01


def test_balanced_forces_beyond_all_loads_hide_nothing():
    """Two walls press a point with 10⁸ and 10¹² N against each other, while it falls through the floor."""
    N, T = [[1, 0, 0], [-1, 0, 0], [0, 0, 1]], np.zeros((3, 2, 3))
    w = space.ScaledCone.of(ContactProblem.of(np.eye(3), [0, 0, -G], N, [0, 0, 0], T, np.zeros((3, 2)), [0, 0, 0]))
    right = np.array([0.0, 0.0, 1.0])
    for pressing in (1e8, 1e10):
        x = np.array([pressing, pressing, 0.0]) / w.size
        assert space.residuals_of(w, x, ()).largest > 1e-6
        assert space.residuals_of(w, x + right, ()).largest < LAW
    assert space.residuals_of(w, np.array([1e13, 1e13, 0.0]), ()).largest == np.inf


def test_the_answer_does_not_depend_on_the_tangent_frame():
    rng = np.random.default_rng(3)
    for number in range(16):
        p = random_problem(rng, 1 + number % 3, independent=True, rough=0.15, sliding=0.3)
        angles = rng.uniform(0.0, 2.0 * np.pi, p.k)
        turned = p.turned(angles)
        one, other = solve_contacts(p), solve_contacts(turned)
        assert one.verdict == other.verdict == "one"
        np.testing.assert_allclose(one.bound, other.bound, rtol=1e-6)
        np.testing.assert_allclose(one.a, other.a, atol=1e-10 * (1.0 + np.max(np.abs(one.a))))
        c, s = np.cos(angles), np.sin(angles)
        t = one.solution.tangential[0]
        expected = np.stack([c * t[:, 0] + s * t[:, 1], -s * t[:, 0] + c * t[:, 1]], axis=1)
        np.testing.assert_allclose(other.solution.tangential[0], expected, atol=1e-9 * (1.0 + np.max(np.abs(t))))


def test_least_squares_search_finds_what_is_unique():
    rng = np.random.default_rng(18)
    for number in range(3):
        p = random_problem(rng, 1 + number, independent=True, rough=0.2, sliding=0.4, resisted=True)
        w = space.ScaledCone.of(p)
        found = space.search(w, 40)
        assert found is not None
        expected = solve_contacts(p)
        np.testing.assert_allclose(w.acceleration(found.x), expected.a, atol=1e-9 * (1.0 + np.max(np.abs(expected.a))))
        x = rng.standard_normal(len(w.c)) * 3.0
        x[: w.k] = np.abs(x[: w.k])
        change = [(_law(w, x + e)[0] - _law(w, x - e)[0]) / 2e-6 for e in 1e-6 * np.eye(len(x))]
        np.testing.assert_allclose(_law(w, x)[1], np.array(change).T, atol=1e-6)


def test_units_do_not_matter():
    """Coordinates, masses and times in units up to 10⁶ times larger or smaller."""
    rng = np.random.default_rng(16)
    for number in range(8):
        p = random_problem(
            rng, 1 + number % 2, independent=number % 2 == 0, rough=0.5, sliding=0.3, resisted=number > 4
        )
        D, S, A = 10.0 ** rng.uniform(-4, 4, len(p.f)), 10.0 ** rng.uniform(-6, 6), 10.0 ** rng.uniform(-4, 4)
        blocks = tuple(replace(b, rows=b.rows * D, right=A * b.right) for b in p.resistances)
        parts = {"M": S * p.M * np.outer(D, D), "f": S * A * D * p.f, "N": p.N * D, "T": p.T * D}
        other = solve_contacts(replace(p, **parts, nu=A * p.nu, tau=A * p.tau, resistances=blocks))
        one = solve_contacts(p)
        assert (one.verdict, len(one.solutions)) == (other.verdict, len(other.solutions))
        for s in one.solutions:
            gap = min(np.max(np.abs(o.a * D / A - s.a)) for o in other.solutions)
            assert gap < 1e-10 * (1.0 + np.max(np.abs(s.a)))


def test_odd_problems():
    free = ContactProblem.of(np.eye(3), [0, 0, -1], np.zeros((0, 3)), [], np.zeros((0, 2, 3)), np.zeros((0, 2)), [])
    for method in ("exact", "polyhedral", "relaxed"):
        np.testing.assert_allclose(solve_contacts(free, method).a, [0, 0, -1], atol=1e-12)
    push = [1.0, 0.0, -1.0]
    rough = solve_contacts(good(f=push, coefficient=[1e6]))
    assert (rough.verdict, rough.solution.modes) == ("one", ("stick",))
    T = [[[1, 0, 0], [0, 1, 0]]] * 2
    twice = ContactProblem.of(np.eye(3), push, [[0, 0, 1]] * 2, [0, 0], T, np.zeros((2, 2)), [0.5, 0.5])
    for method, bound in (("exact", 1e-12), ("polyhedral", 1e-8)):
        answer = solve_contacts(twice, method)
        np.testing.assert_allclose(answer.a, [0.5, 0, 0], atol=bound)
        assert not answer.solution.unique_forces
    for slip in ([[0.0, 0.0]], [[1.0, 0.0]]):  # nothing presses
        np.testing.assert_allclose(solve_contacts(good(f=[0, 0, 0], slip=slip)).a, 0.0, atol=1e-15)
    assert solve_contacts(good()).sentence == (
        "the acceleration is unique: 'contact 0' sticks. Proof: the bound on friction is 0.25 < 1."
    )


def test_agrees_with_projections_on_forces():
    rng = np.random.default_rng(4)
    for number in range(8):
        p = random_problem(rng, 1 + number % 4, independent=True, rough=0.2)
        verdict = solve_contacts(p)
        assert verdict.verdict == "one"
        np.testing.assert_allclose(verdict.a, projected(p), atol=1e-8 * (1.0 + np.max(np.abs(verdict.a))))


@pytest.mark.long
def test_one_contact_lists_what_a_scan_over_directions_finds():
    rng = np.random.default_rng(6)
    counts = {0: 0, 1: 0, 2: 0, 3: 0}
    for _ in range(40):
        p = random_problem(rng, 1, independent=True, rough=6.0)
        verdict, known = solve_contacts(p), scanned(p)
        assert verdict.verdict in ("one", "none", "several")
        assert len(verdict.solutions) == len(known), verdict.sentence
        for a in known:
            gap = min(np.max(np.abs(s.a - a)) for s in verdict.solutions)
            assert gap < 1e-6 * (1.0 + np.max(np.abs(a)))
        if verdict.bound < 1.0:
            assert len(known) == 1
        counts[len(known)] += 1
    assert counts[1] >= 10
    assert counts[2] + counts[3] >= 3, counts


def test_uniqueness_bound_of_one_sliding_contact_by_hand():
    problem = rod(np.arctan(2.0), 0.0, 0.7)
    c, s = np.sqrt(0.2), np.sqrt(0.8)
    nn, nt, tt = 1.0 + 3.0 * c * c, 3.0 * s * c, 1.0 + 3.0 * s * s
    # rows N and T only: P = (W⁻¹ B)_n, S = B_t; the largest ½(α PᵀP + SᵀS/α) is ½(|P||S| + |P·S|), and P·S = 0 here
    length = np.sqrt(tt / (nn * tt - nt**2))
    np.testing.assert_allclose(solve_contacts(problem).bound, 0.35 * length * np.sqrt(tt), rtol=1e-9)


def test_published_rolling_problem():
    """RFC3D_sphere_2.dat of Siconos: a sphere that rolls, μ = 0.6, rolling coefficient 0.5; solved in closed form.

    W couples each tangent with one axis of rolling. The normal direction is separate: p = 0.0664158.
    """
    a, b, d = 1.009947680143835, -0.09973805765020312, 0.09968735655077131
    W = np.eye(5)
    W[1, 1] = W[2, 2] = a
    W[1, 4] = W[4, 1] = b
    W[2, 3] = W[3, 2] = d
    q = np.array([-6.641583304667984e-02, 1.9019572686395094e-04, 0.0, 0.0, -8.490091428975058e-01])
    L = np.linalg.cholesky(W)
    rolling = Resistance.of(0, L[3:], -q[3:], 0.5, [0.0, 0.0])
    p = ContactProblem.of(
        np.eye(5), np.zeros(5), L[:1], -q[:1], L[None, 1:3], -q[None, 1:3], [0.6], resistances=[rolling]
    )
    verdict = solve_contacts(p)
    s = verdict.solution
    normal = -q[0]
    moment = np.array([0.0, 0.5 * normal])  # it goes on rolling: the moment has its bound, against the motion
    friction = -(q[1] + b * moment[1]) / a  # and friction can hold the slip at zero
    assert abs(friction) < 0.6 * normal
    np.testing.assert_allclose(s.normal[0], [normal], rtol=1e-12)
    np.testing.assert_allclose(s.moments[0], moment, atol=1e-12)
    np.testing.assert_allclose(s.tangential[0, 0], [friction, 0.0], atol=1e-12)
    assert (s.modes, s.resisted) == (("stick",), ("slip",))


def test_no_acceleration_where_contacts_contradict_one_another():
    p = ContactProblem.of(
        np.eye(3), [0, 0, 0], [[0, 0, 1], [0, 0, -1]], [1.0, 0.0], np.zeros((2, 2, 3)), np.zeros((2, 2)), [0, 0]
    )
    verdict = solve_contacts(p)
    assert (verdict.verdict, verdict.solvable) == ("none", False)
    with pytest.raises(InputError, match="no solution"):
        _ = verdict.a


def test_a_narrow_gap_between_two_planes_is_no_contradiction():
    """A floor that rises with 1 m/s² under a lid sloped by ε: what gives way sideways has the acceleration 1/ε."""
    for slope in (1e-2, 1e-5):
        N = [[0, 0, 1], [slope, 0, -1]]
        p = ContactProblem.of(np.eye(3), [0, 0, -1], N, [1, 0], np.zeros((2, 2, 3)), np.zeros((2, 2)), [0, 0])
        answer = solve_contacts(p)
        assert answer.verdict == "one", answer.sentence
        np.testing.assert_allclose(answer.a, [1.0 / slope, 0.0, 1.0], rtol=1e-16 / slope**2, atol=1e-10)


def beside(p, other):
    """Two problems that do not touch each other, as one."""
    n, m = len(p.f), len(other.f)
    wide = lambda x: np.concatenate([x, np.zeros((*x.shape[:-1], m))], axis=-1)  # noqa: E731
    deep = lambda x: np.concatenate([np.zeros((*x.shape[:-1], n)), x], axis=-1)  # noqa: E731
    M = np.block([[p.M, np.zeros((n, m))], [np.zeros((m, n)), other.M]])
    join = lambda name: np.concatenate([getattr(p, name), getattr(other, name)])  # noqa: E731
    N, T = np.vstack([wide(p.N), deep(other.N)]), np.concatenate([wide(p.T), deep(other.T)])
    return ContactProblem.of(M, join("f"), N, join("nu"), T, join("tau"), join("kinetic"), join("slip"))


@pytest.mark.long
def test_none_is_proved_where_modes_cannot_be_listed():
    """Painlevé's rod beside a table: two legs may begin to slip, but a convex program proves that the rod cannot."""
    angle = np.arctan(2.0)
    for mu, verdict in ((1.3, "undecided"), (1.4, "none")):
        answer = solve_contacts(beside(rod(angle, 0.0, mu), table([1.0, 2.0], 0.3)))
        assert answer.verdict == verdict, answer.sentence
        assert answer.solvable is (verdict != "none")
    assert "no point" in answer.evidence
    both = solve_contacts(beside(rod(angle, 4.0, 2.0), table([4.0, 0.0], 0.3)))
    assert (both.verdict, both.evidence, both.unproved) == ("several", "", "others are not excluded")
    assert len(both.solutions) == 2


def test_an_acceleration_inside_all_cones_shows_that_a_solution_exists():
    """Two plates that close on a point at 45° each: with steep cones no acceleration opens both with g̈ > μ|ṡ|."""
    h = np.sqrt(0.5)
    N, T = [[h, 0, h], [-h, 0, h]], [[[h, 0, -h], [0, 1, 0]], [[h, 0, h], [0, 1, 0]]]
    for mu, inside in ((0.9, True), (1.1, False)):
        p = ContactProblem.of(np.eye(3), [0, 0, -G], N, [1.0, 1.0], T, np.zeros((2, 2)), [mu, mu])
        assert space.solvable(space.ScaledCone.of(p)) is inside
        assert not space.contradictory(space.ScaledCone.of(p))
    assert space.solvable(space.ScaledCone.of(block(0.1, 0.0, 0.5, slip=(1.0, 0.0)))) is None


def test_wedged_plank_has_one_acceleration_and_many_forces():
    """Two rough legs in the plane: they may press against each other where they stick, not where they slip."""
    for pull, unique in ((0.0, False), (20.0, True)):
        plank = ContactProblem.of(
            np.diag([1.0, 1.0, 1.0 / 3.0]),
            [pull, -10.0, 0.0],
            [[0, 1, -1], [0, 1, 1]],
            [0, 0],
            [[[1, 0, 0], [0, 0, 0]]] * 2,
            np.zeros((2, 2)),
            [0.5, 0.5],
        )
        verdict = solve_contacts(plank)
        assert verdict.solution.unique_forces is unique
        np.testing.assert_allclose(verdict.a, [max(0.0, pull - 5.0), 0.0, 0.0], atol=1e-12)


def test_a_slip_that_is_rounding_is_rest():
    model = rubbed(sphere(), [foot(0.5)])
    problem = contact_problem(model, [0, 0, 0.05, 0, 0, 0], [0.05 * 0.3 + 1e-13, 0, 0, 0, 0.3, 0])
    assert not np.any(problem.slip)
    assert np.any(contact_problem(model, [0, 0, 0.05, 0, 0, 0], [0.05 * 0.3 + 1e-8, 0, 0, 0, 0.3, 0]).slip)


def test_the_bound_says_nothing_where_the_static_coefficient_is_larger():
    assert solve_contacts(block(0.1, 0.0, 0.2)).bound < 1.0
    assert solve_contacts(block(0.1, 0.0, 0.2, static=0.3)).bound == np.inf
    assert solve_contacts(block(0.1, 0.0, 0.2, static=0.3, slip=(1.0, 0.0))).bound < 1.0


def test_directions_of_slip_are_roots_of_the_polynomial():
    rng = np.random.default_rng(14)
    for _ in range(5):
        p = random_problem(rng, 2, independent=True, rough=0.3, sliding=0.0)
        p = replace(p, slip=np.array([[0.0, 0.0], [1.0, 2.0]]))  # the second contact slides
        w = space.ScaledCone.of(p)
        for candidate in space.all_modes(w)[0]:
            if candidate.modes[0] == "slip":
                s = w.rates(candidate.x)[w.frictions[0].place]
                args = (w, candidate.closed, candidate.modes, w.frictions[0])
                at, beside_it = (_turned(*args, np.arctan2(s[1], s[0]) + off) for off in (0.0, 0.1))
                assert abs(at) < 1e-9 * abs(beside_it)
                assert _turned(*args, 0.3) == pytest.approx(
                    sum(np.real(c * np.exp(1j * n * 0.3)) for n, c in _series(args).items()), rel=1e-9
                )
                break
    assert candidate.residual < LAW


def _series(args):
    """Fourier coefficients up to the second order from six samples."""
    angles = 2.0 * np.pi * np.arange(6) / 6
    values = np.array([_turned(*args, angle) for angle in angles])
    return {n: np.mean(values * np.exp(-1j * n * angles)) for n in range(-2, 3)}


# --- forces and coefficients ----------------------------------------------------------------------------------------


def test_coefficients_that_are_not_attained_agree_with_the_plane():
    """Two contacts that carry a load only by wedging: the needed coefficient is that of wedging without a load."""
    rng = np.random.default_rng(0)
    seen = 0
    for number in range(16):
        n, k = 2 + number % 2, 2 + number % 3
        N, T, f = rng.standard_normal((k, n)), rng.standard_normal((k, n)), rng.standard_normal(n)
        none = np.zeros(k)
        known = required_coefficient(ContactProblem.of(np.eye(n), f, N, none, T, none, none + 1.0, none))
        found = required_coefficient(flat(np.eye(n), f, N, none, T, none, none + 1.0, none + 1.0, none))
        value, attained = found.value, found.attained
        assert attained == known.attained
        assert value == known.value or abs(value - known.value) < 1e-8 * max(1.0, known.value)
        seen += np.isfinite(value) and not attained
    assert seen >= 3


def test_bilateral_rows_that_depend_on_each_other_do_not_wedge_contacts():
    twice = good(J=[[1, 0, 0], [1, 0, 0]], gamma=[0, 0])
    forces = contact_forces(twice)
    assert not forces.wedged
    assert not forces.unique
    assert np.all(np.isinf(forces.bilateral))


def test_a_slip_however_small_has_a_direction():
    slow = good(slip=[[3e-200, 4e-200]])
    answer = solve_contacts(slow)
    np.testing.assert_allclose(answer.solution.tangential[0], [[-0.3, -0.4]], rtol=1e-12)
    np.testing.assert_allclose(contact_forces(slow, answer.a).tangential[0].mean(axis=1), [-0.3, -0.4], rtol=1e-9)


# --- approximations under their own names ---------------------------------------------------------------------------


def test_pyramid_converges_and_states_its_error():
    """Of a point that slips the pyramid's friction is the foot of the load on a polygon: known in closed form."""
    mu, push = 0.5, 8.0
    worst = []
    for facets in (4, 8, 16, 32, 64):
        half, found = np.pi / facets, []
        for share in (0.0, 0.3, 0.7, 1.0):
            side = np.floor(0.2 * np.pi / (2.0 * half))
            angle = 2.0 * half * side + half * (1.0 - share)  # share: 0 mid-side, 1 corner
            p = good(f=[push * np.cos(angle), push * np.sin(angle), -G], coefficient=[mu])
            answer = solve_contacts(p, "polyhedral", facets=facets)
            off = half * share  # angle between the load and the middle of the side
            along = min(push * np.sin(off), mu * G * np.sin(half))
            foot_on_side = np.array([mu * G * np.cos(half), along])
            expected = np.linalg.norm(push * np.array([np.cos(off), np.sin(off)]) - foot_on_side)
            np.testing.assert_allclose(np.linalg.norm(answer.a[:2]), expected, rtol=1e-7)
            true = push - mu * G
            found.append([abs(np.linalg.norm(answer.a[:2]) - true), answer.distance])
            assert np.linalg.norm(answer.solution.tangential[0, 0]) <= mu * answer.solution.normal[0, 0] * (1 + 1e-9)
        assert answer.shortfall == pytest.approx(1.0 - np.cos(half))
        worst.append(np.max(found, axis=0))
    speed, direction = np.log2(np.array(worst[1:-1]) / np.array(worst[2:])).T
    np.testing.assert_allclose(speed, 2.0, atol=0.1)  # size of the friction force: second order
    np.testing.assert_allclose(direction, 1.0, atol=0.1)  # direction of the slip: first order


def test_pyramid_agrees_with_the_cone_on_random_problems():
    rng = np.random.default_rng(9)
    for number in range(6):
        p = random_problem(rng, 1 + number % 3, independent=True, rough=0.2, sliding=0.3, resisted=number % 2 == 1)
        fine = solve_contacts(p, "polyhedral", facets=16)
        assert fine.distance < 0.05
        assert fine.solution.residual < 0.2


def test_relaxation_opens_slipping_contacts_and_says_so():
    mu, push = 0.5, 8.0
    p = good(f=[push * 0.6, push * 0.8, -G], coefficient=[mu])
    answer = solve_contacts(p, "relaxed")
    normal = (G + mu * push) / (1.0 + mu**2)  # from p − g = μ (F − μ p)
    np.testing.assert_allclose(answer.solution.normal[0], [normal], rtol=1e-10)
    np.testing.assert_allclose(answer.separation, [mu * (push - mu * normal)], rtol=1e-9)
    np.testing.assert_allclose(p.gap_rates(answer.a), answer.separation, rtol=1e-9)
    true = np.array([*((push - mu * G) * np.array([0.6, 0.8])), 0.0])
    np.testing.assert_allclose(answer.distance, np.linalg.norm(answer.a - true) / np.hypot(push, G), rtol=1e-9)
    assert "not Coulomb's law" in answer.sentence
    assert solve_contacts(replace(p, f=np.array([1.0, 1.0, -G])), "relaxed").distance < 1e-9  # what sticks is exact


def test_relaxation_is_the_cone_program_in_accelerations():
    """The same program posed with cvxpy over accelerations, not forces."""
    import cvxpy as cp

    rng = np.random.default_rng(12)
    for k in (1, 3):
        p = random_problem(rng, k, independent=True, rough=0.5)
        L = np.linalg.cholesky(p.M)
        a = cp.Variable(len(p.f))
        slips = [cp.norm(p.T[i] @ a - p.tau[i]) for i in range(k)]
        rows = [p.N[i] @ a - p.nu[i] >= p.kinetic[i] * slips[i] for i in range(k)]
        zwang = 0.5 * cp.sum_squares(L.T @ a - np.linalg.solve(L, p.f))
        cp.Problem(cp.Minimize(zwang), rows).solve(
            solver=cp.CLARABEL, tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12
        )
        answer = solve_contacts(p, "relaxed")
        opening = np.where(answer.solution.normal[0] > 1e-9, p.gap_rates(answer.a), answer.separation)
        np.testing.assert_allclose(answer.separation, opening, atol=1e-9)  # in m/s², whatever the length of the rows
        slips = np.linalg.norm(p.slip_rates(answer.a), axis=1)
        np.testing.assert_allclose(answer.separation, p.kinetic * slips, rtol=1e-9)
        np.testing.assert_allclose(answer.a, a.value, atol=1e-6 * (1.0 + np.max(np.abs(answer.a))))
        assert answer.solution.residual < LAW


# --- impacts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mu", [0.05, 0.9])
def test_ball_strikes_a_plane(mu):
    m, r, e = 0.1, 0.05, 0.5
    model = rubbed(sphere(m, r, restitution=e), [foot(mu, r)])
    before = [1.0, 0.5, -2.0, 4.0, 3.0, 1.0]
    problem = impact_problem(model, model.state([0, 0, r, 0, 0, 0], before))
    for tangential in (0.0, e):
        impact = collide(problem, tangential=tangential)
        slip = np.array([1.0 - 3.0 * r, 0.5 + 4.0 * r])
        P = m * (1.0 + e) * 2.0
        S = -2 / 7 * m * (1.0 + tangential) * slip
        if np.linalg.norm(S) > mu * P:
            S *= mu * P / np.linalg.norm(S)
        np.testing.assert_allclose(impact.normal, [P], rtol=1e-12)
        np.testing.assert_allclose(impact.tangential[0], S, rtol=1e-10)
        np.testing.assert_allclose(impact.v[2], 1.0, rtol=1e-12)
        np.testing.assert_allclose(impact.energy_loss, -impact.work.sum() - impact.drive_work, atol=1e-14)
        assert impact.energy_loss > 0.0
        np.testing.assert_allclose(impact.v[5], 1.0, rtol=1e-12)


def test_energy_balance_with_moving_obstacles():
    rng = np.random.default_rng(15)
    p = random_problem(rng, 2, independent=True, rough=0.2, resisted=True)
    p = replace(p, J=rng.standard_normal((1, len(p.f))), gamma=np.array([0.4]), rows=("driven",))
    impact = collide(ImpactProblem.from_contacts(p, rng.standard_normal(len(p.f)), 0.4), tangential=0.4)
    assert abs(impact.drive_work) > 0.01
    np.testing.assert_allclose(impact.energy_loss, -impact.work.sum() - impact.drive_work, rtol=1e-10)
    np.testing.assert_allclose(p.J @ impact.v, p.gamma, atol=1e-12)


def steady(p):
    """The same problem with rows that do not move by themselves, so that no obstacle does work."""
    blocks = tuple(replace(b, right=np.zeros(len(b.right))) for b in p.resistances)
    return replace(p, nu=np.zeros(p.k), tau=np.zeros((p.k, 2)), resistances=blocks)


def test_resistances_restore_what_their_restitution_says():
    m, r, e = 0.1, 0.05, 0.5
    spinning = g.Friction("spinning", lambda v: v.c, 0.02, load="plane")
    model = rubbed(sphere(m, r, restitution=e), [foot(0.3)], [spinning])
    problem = impact_problem(model, model.state([0, 0, r, 0, 0, 0], [0, 0, -2.0, 0, 0, 4.0]))
    P, inertia = m * (1.0 + e) * 2.0, 0.4 * m * r**2
    assert inertia * 4.0 * (1.0 + e) < 0.02 * P  # within its cone, so the spin is reversed with e_t
    impact = collide(problem, tangential=e)
    np.testing.assert_allclose(impact.v[5], -e * 4.0, rtol=1e-10)
    np.testing.assert_allclose(impact.moments[0], [-inertia * 4.0 * (1.0 + e)], rtol=1e-10)
    np.testing.assert_allclose(impact.energy_loss, -impact.work.sum(), rtol=1e-12)
    np.testing.assert_allclose(collide(problem).v[5], 0.0, atol=1e-12)


def test_one_restitution_for_all_directions_never_creates_energy():
    rng = np.random.default_rng(10)
    for number in range(24):
        p = steady(random_problem(rng, 1 + number % 3, independent=True, rough=0.3, resisted=number % 2 == 0))
        v, e = rng.standard_normal(len(p.f)), rng.uniform(0.2, 1.0)
        impact = collide(ImpactProblem.from_contacts(p, v, e), tangential=e)
        assert impact.work.sum() <= 1e-12
        np.testing.assert_allclose(impact.energy_loss, -impact.work.sum(), atol=1e-12 * (1.0 + impact.energy_before))


@pytest.mark.long
def test_impacts_that_would_create_energy_are_refused():
    rng = np.random.default_rng(4)
    refused = 0
    for _ in range(40):
        p, v = steady(random_problem(rng, 1, independent=True)), rng.standard_normal(6)
        (after,) = scanned(replace(p, f=p.M @ v, nu=-0.9 * p.N @ v))  # Moreau's law without the package
        gain = 0.5 * (after @ p.M @ after - v @ p.M @ v)
        if gain > 1e-9:
            with pytest.raises(EnergyGainError, match="create") as caught:
                collide(ImpactProblem.from_contacts(p, v, 0.9))
            np.testing.assert_allclose(caught.value.energy, gain, rtol=1e-6)
            assert caught.value.contact == "contact 0"
            allowed = collide(ImpactProblem.from_contacts(p, v, 0.9), allow_energy_gain=True)
            np.testing.assert_allclose(allowed.v, after, atol=1e-7 * (1.0 + np.max(np.abs(after))))
            np.testing.assert_allclose(allowed.created, gain, rtol=1e-6)
            refused += 1
        else:
            np.testing.assert_allclose(collide(ImpactProblem.from_contacts(p, v, 0.9)).energy_loss, -gain, atol=1e-9)
            assert collide(ImpactProblem.from_contacts(p, v, 0.9)).created == 0.0
    assert refused >= 2  # friction with e_t = 0 < e does create energy now and then


def test_impact_in_space_is_the_planar_one_in_the_plane():
    rng = np.random.default_rng(13)
    for _ in range(10):
        A = rng.standard_normal((4, 4))
        M, v = A @ A.T + np.eye(4), rng.standard_normal(4)
        N, T = rng.standard_normal((2, 4)), rng.standard_normal((2, 4))
        mu, none = [0.2, 0.2], np.zeros(2)
        problem = flat(M, M @ v, N, none, T, none, mu, mu, none)
        planar = ImpactProblem.of(M, v, N, T=T, restitution=0.3, coefficient=0.2)
        try:
            expected = collide(planar, "moreau").v
        except EnergyGainError:
            continue
        approaching = N @ v < 0.0
        if np.all(approaching):
            np.testing.assert_allclose(collide(ImpactProblem.from_contacts(problem, v, 0.3)).v, expected, atol=1e-9)


# --- input ----------------------------------------------------------------------------------------------------------


def good(**changes):
    parts = {
        "M": np.eye(3),
        "f": [0, 0, -1],
        "N": [[0, 0, 1]],
        "nu": [0],
        "T": [[[1, 0, 0], [0, 1, 0]]],
        "tau": [[0, 0]],
    }
    return ContactProblem.of(**{**parts, "coefficient": [0.5], **changes})


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"T": [[[1, 0, 0]]]}, InputError, "two tangent rows"),
        ({"N": [[0, np.nan, 1]]}, InputError, "finite"),
        ({"coefficient": [-0.1]}, InputError, "μ_k"),
        ({"static": [0.4]}, InputError, "μ_s"),
        ({"slip": [0.0]}, InputError, "slip has shape"),
        ({"J": [[1, 0, 0]]}, InputError, "belong together"),
        ({"M": [[1, 1, 0], [0, 1, 0], [0, 0, 1]]}, MassMatrixError, "symmetric"),
        ({"resistances": [3]}, InputError, "Resistance"),
        ({"resistances": None}, InputError, "Resistance"),
        ({"resistances": [Resistance.of(1, [0, 0, 1], [0], 0.1, [0])]}, InputError, "contact 1"),
        ({"names": ["a", "b"]}, InputError, "names"),
    ],
)
def test_bad_problems_get_one_clear_error(changes, error, message):
    with pytest.raises(error, match=message):
        good(**changes)


def test_bad_arguments_get_one_clear_error():
    with pytest.raises(InputError, match="ContactProblem"):
        solve_contacts(sphere())
    with pytest.raises(InputError, match="in the plane all modes are tried"):
        solve_contacts(ContactProblem.of(np.eye(2), [0, 0], [[0, 1]], [0], [[1, 0]], [0], [0.1], [0]), "relaxed")
    with pytest.raises(InputError, match="starts"):
        solve_contacts(good(), starts=0)
    with pytest.raises(InputError, match="method"):
        solve_contacts(good(), "mujoco")
    with pytest.raises(InputError, match="facets"):
        solve_contacts(good(), "polyhedral", facets=3)
    with pytest.raises(InputError, match="slides already"):
        solve_contacts(good(slip=[[1.0, 0.0]]), "relaxed")
    with pytest.raises(InputError, match="μ_s > μ_k"):
        solve_contacts(good(static=[0.7]), "polyhedral")
    with pytest.raises(MassMatrixError, match="inertia"):
        solve_contacts(good(M=np.diag([1.0, 1.0, 0.0])))
    with pytest.raises(InputError, match="no row 'floor'"):
        rubbed(sphere(), g.Friction("slip", lambda v: [v.x, v.y], 0.1, load="floor"))
    with pytest.raises(InputError, match="entries"):
        rubbed(sphere(), [Rub("plane", lambda v: [v.x, v.y, v.z], 0.1)])
    with pytest.raises(g.errors.ModelError, match="linear"):
        rubbed(sphere(), [Rub("plane", lambda v: [v.x**2, v.y], 0.1)])
    with pytest.raises(InputError, match="number of its contact"):
        Resistance.of("a", [0, 0, 1], [0], 0.1, [0])
    with pytest.raises(InputError, match="contacts must be"):
        required_coefficient(good(), contacts=3)
    with pytest.raises(InputError, match="restitution must lie"):
        collide(ImpactProblem.from_contacts(good(), [0, 0, -1], 1.5))
    with pytest.raises(InputError, match="rolling"):
        Resistance.of(0, [0, 0, 1], [0], 0.1, [0], kind="wobbling")
    with pytest.raises(InputError, match="friction"):
        g.Friction("spinning", lambda v: v.c, -0.1, load="plane")
    contradiction = ([[0, 0, 1], [0, 0, -1]], [1.0, 0.0], np.zeros((2, 2, 3)), np.zeros((2, 2)), [0, 0])
    clamped = ContactProblem.of(np.eye(3), [0, 0, 0], *contradiction)
    with pytest.raises(SolverError, match="relaxation"):
        solve_contacts(clamped, "relaxed")


def test_the_door_to_impacts_takes_systems_in_space():
    """A ball of 1 kg that spins about the horizontal strikes a floor: P = (1 + e) m v; it slips, S = μ P."""
    r, mu, e = 0.05, 0.1, 0.6
    ball = rubbed(sphere(1.0, r, restitution=e), [foot(mu, r)])
    hit = g.impact(ball, [0, 0, r, 0, 0, 0], [3.0, 4.0, -2.0, 0, 0, 0])
    P = (1 + e) * 2.0
    np.testing.assert_allclose(hit.normal, [P], rtol=1e-12)
    np.testing.assert_allclose(hit.tangential, [[-mu * P * 0.6, -mu * P * 0.8]], rtol=1e-12)
    np.testing.assert_allclose(hit.v[:3], [3.0 - mu * P * 0.6, 4.0 - mu * P * 0.8, e * 2.0], rtol=1e-12)
    assert hit.energy_loss == pytest.approx(-float(hit.work.sum()), rel=1e-12)
    assert "slips" in hit.sentence
    with pytest.raises(InputError, match="by the law 'moreau'"):
        g.impact(ball, [0, 0, r, 0, 0, 0], [3.0, 4.0, -2.0, 0, 0, 0], law="stronge")
