"""Coulomb friction at one state: all solutions against exact arithmetic, closed forms and published states."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from frictional import Rub, rubbed
from rational_friction import as_problem, disagreement, pieces_of, random_problem, unlawful

import gauss as g
from gauss.contact import (
    ContactProblem,
    all_solutions,
    contact_problem,
    critical_coefficient,
    friction_matrix,
    least_zwang,
    p_matrix,
    solve_contacts,
)

G = 9.81
LAW = 1e-10  # bound on forces outside their cone, created power and complementarity, relative to the forces


def rod_with(inertia, held=False):
    """A rod of half-length 1 m and mass 1 kg with one tip on the floor; J in kg m²."""
    row = g.Holonomic if held else g.Unilateral
    return g.System(
        "rod",
        coordinates="x z h",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2 + inertia * v.h**2),
        potential_energy=lambda q: G * q.z,
        constraints=[row("tip", lambda q: q.z - g.sin(q.h))],
    )


def tip(mu, static=None):
    return Rub("tip", lambda q, v: v.x + g.sin(q.h) * v.h, mu, static)


def closed_form(inertia, angle, turning, mu, sign):
    """A and b of the tip's normal acceleration A p + b, by hand."""
    c, s = np.cos(angle), np.sin(angle)
    return 1.0 + c * (c + sign * mu * s) / inertia, turning**2 * s - G


def on_floor(angle, slip, turning):
    """q and v of the rod with its tip on the floor at x = 0, slipping with `slip`."""
    c, s = np.cos(angle), np.sin(angle)
    return (c, s, angle), (slip - s * turning, c * turning, turning)


def test_random_problems_agree_with_exact_arithmetic():
    rng = np.random.default_rng(3)
    kinds = {"none": 0, "one": 0, "several": 0, "continuum": 0}
    for number in range(150):
        problem = random_problem(rng, 1 + number % 3 if number % 15 else 4)
        verdict = solve_contacts(as_problem(problem))
        kinds[verdict.verdict] += 1
        assert not verdict.doubtful
        assert disagreement(problem, verdict, pieces_of(problem)) < 1e-9, problem
        assert unlawful(problem, verdict) < LAW, problem
        assert max((s.residual for s in verdict.every), default=0.0) < LAW, problem
    assert min(kinds.values()) >= 3, kinds


def test_modes_that_are_excluded_at_a_glance_have_no_solution(monkeypatch):
    """The verdict is that of trying every mode, to the last bit, of degenerate problems too."""
    rng = np.random.default_rng(8)
    problems = [as_problem(random_problem(rng, 1 + number % 3)) for number in range(90)]
    for k in (1, 2, 3, 3, 4):
        N, T = rng.normal(size=(2, k, 2 * k + 1))
        f, mu = rng.normal(size=2 * k + 1), rng.uniform(0.0, 0.8, k)
        problems.append(ContactProblem.of(np.eye(2 * k + 1), f, N, np.zeros(k), T, np.zeros(k), mu))
    found = [solve_contacts(problem) for problem in problems]
    tried = []

    def all_modes(held, parts):
        tried.append(1)
        return product(*(range(len(part)) for part in parts))

    monkeypatch.setattr("gauss.contact.plane.modes.candidates", all_modes)
    for problem, verdict in zip(problems, found, strict=True):
        every = solve_contacts(problem)
        assert (every.doubtful, every.contradictory, every.verdict) == (
            verdict.doubtful,
            verdict.contradictory,
            verdict.verdict,
        )
        assert [s.modes for s in every.solutions] == [s.modes for s in verdict.solutions]
        for one, other in zip(every.solutions, verdict.solutions, strict=True):
            for each in ("accelerations", "normal", "tangential", "rays", "residual"):
                assert np.array_equal(getattr(one, each), getattr(other, each)), each
    assert len(tried) >= len(problems)


def test_drake_rod_states_are_inconsistent():
    r = np.sqrt(0.5)
    model = rubbed(rod_with(1.0), [tip(1000.0)])
    for q, v in (((r, r, np.pi / 4), (-1.0, 0, 0)), ((-r, r, 3 * np.pi / 4), (1.0, 0, 0))):
        problem = contact_problem(model, q, v)
        A, b = friction_matrix(problem)
        np.testing.assert_allclose((A[0, 0], b[0]), (-498.5, -9.81), rtol=1e-12)
        verdict = solve_contacts(problem)
        assert verdict.verdict == "none"
        assert "'tip'" in verdict.sentence
        assert "inconsistent" in verdict.sentence
        assert solve_contacts(contact_problem(rubbed(rod_with(1.0), [tip(0.0)]), q, v)).verdict == "one"
        assert solve_contacts(contact_problem(model, q)).verdict == "one"  # the same place without slip
    upright = solve_contacts(contact_problem(model, (0.0, 1.0, np.pi / 2)))
    np.testing.assert_allclose(upright.solutions[0].a, 0.0, atol=1e-12)


def test_sphere_on_an_incline_rolls():
    slope, r, m = np.radians(15.0), 0.05, 0.1
    ball = g.System(
        "sphere",
        coordinates="x y h",
        kinetic_energy=lambda v: 0.5 * m * (v.x**2 + v.y**2) + 0.2 * m * r**2 * v.h**2,
        force=[m * G * np.sin(slope), -m * G * np.cos(slope), 0.0],
        constraints=[g.Unilateral("plane", lambda q: q.y - r)],
    )

    def at(mu, v=None):
        return solve_contacts(
            contact_problem(rubbed(ball, [Rub("plane", lambda v: v.x - r * v.h, mu)]), [0.0, r, 0.0], v)
        ).solutions

    (rolls,) = at(1.0)
    assert rolls.modes == ("stick",)
    np.testing.assert_allclose(rolls.tangential, [[-2 / 7 * m * G * np.sin(slope)]], rtol=1e-12)
    np.testing.assert_allclose(rolls.a, np.array([1.0, 0.0, 1 / r]) * 5 / 7 * G * np.sin(slope), rtol=1e-12, atol=1e-12)
    limit = 2 / 7 * np.tan(slope)
    assert at(limit * (1 + 1e-6))[0].modes == ("stick",)
    (slips,) = at(limit / 2)
    assert slips.modes == ("slip+",)
    np.testing.assert_allclose(slips.a[0], G * (np.sin(slope) - limit / 2 * np.cos(slope)), rtol=1e-12)
    assert at(1.0, [0.0, 0.0, 3.0])[0].modes == ("slip−",)  # spins faster than it rolls


@pytest.mark.parametrize("held", [False, True])
def test_rod_has_the_solutions_of_its_scalar_equation(held):
    rng = np.random.default_rng(4)
    system = rod_with(1 / 3, held)
    counts = set()
    for _ in range(60):
        mu, angle = float(rng.uniform(0.0, 4.0)), float(rng.uniform(0.2, 1.4))
        turning, slip = float(rng.choice([0.0, 2.0, 5.0])), float(rng.choice([-1.0, 1.0]))
        q, v = on_floor(angle, slip, turning)
        A, b = closed_form(1 / 3, angle, turning, mu, slip)
        if held:  # p = −b/A pushes, and with |p| = −p it pulls
            other = closed_form(1 / 3, angle, turning, -mu, slip)[0]
            wanted = [p for p, fits in ((-b / A, -b / A > 0.0), (-b / other, -b / other < 0.0)) if fits]
        else:
            wanted = ([-b / A] if -b / A > 0.0 else []) + ([0.0] if b > 0.0 else [])
        found = solve_contacts(contact_problem(rubbed(system, [tip(mu)]), q, v))
        counts.add(len(wanted))
        np.testing.assert_allclose(sorted(s.normal[0, 0] for s in found.solutions), sorted(wanted), rtol=1e-9)
        assert found.verdict == ("none", "one", "several")[len(wanted)]
    assert counts == {0, 1, 2}


def test_critical_coefficient_is_that_of_the_homogeneous_rod_and_of_bisection():
    model = rubbed(rod_with(1 / 3), [tip(1.0)])
    for angle in (0.3, 0.9, np.arctan(2.0), 1.3):
        c, s = np.cos(angle), np.sin(angle)
        found = critical_coefficient(contact_problem(model, *on_floor(angle, -1.0, 0.0)))
        np.testing.assert_allclose(found, (1 + 3 * c * c) / (3 * s * c), rtol=1e-12)
        assert (
            critical_coefficient(contact_problem(model, *on_floor(angle, 1.0, 0.0))) == np.inf
        )  # the tip is drawn, not pushed
    np.testing.assert_allclose(
        critical_coefficient(contact_problem(model, *on_floor(np.arctan(2.0), -1.0, 0.0))), 4 / 3, rtol=1e-12
    )
    low, high = 0.0, 3.0  # where the verdict changes, without the matrix
    while high - low > 1e-6:
        mid = (low + high) / 2
        state = on_floor(np.arctan(2.0), -1.0, 0.0)
        low, high = (
            (mid, high)
            if solve_contacts(contact_problem(rubbed(rod_with(1 / 3), [tip(mid)]), *state)).verdict == "one"
            else (low, mid)
        )
    assert abs(low - 4 / 3) < 1e-6


def test_a_verdict_that_hangs_on_the_tolerance_says_so():
    state = on_floor(np.arctan(2.0), -1.0, 0.0)
    near, far = (
        solve_contacts(contact_problem(rubbed(rod_with(1 / 3), [tip(4 / 3 * (1 + gap))]), *state))
        for gap in (1e-10, 1e-5)
    )
    assert near.doubtful
    assert "hangs on the tolerance" in near.sentence
    assert not far.doubtful


def test_critical_coefficient_of_several_contacts_is_where_the_matrix_stops_being_p():
    rng = np.random.default_rng(12)
    seen = 0
    for _ in range(12):
        half = rng.normal(size=(4, 4))
        arrays = (half @ half.T + np.eye(4), rng.normal(size=4), rng.normal(size=(3, 4)), np.zeros(3))
        rows = {"J": rng.normal(size=(1, 4)), "gamma": [0.3]}

        T, signs = rng.normal(size=(3, 4)), rng.choice([-1.0, 1.0], 3)

        def at(mu, arrays=arrays, rows=rows, T=T, signs=signs):
            return ContactProblem.of(*arrays, T, np.zeros(3), [mu] * 3, signs, **rows)

        mu = critical_coefficient(at(0.5))
        if np.isfinite(mu):
            seen += 1
            assert p_matrix(friction_matrix(at(mu * (1 - 1e-6)))[0]).verdict == "P"
            assert p_matrix(friction_matrix(at(mu * (1 + 1e-6)))[0]).verdict == "not P"
        else:
            assert p_matrix(friction_matrix(at(1e4))[0]).verdict == "P"
    assert seen > 6


def block(mu, static, force):
    """A block of 2 kg on the floor, at rest, pushed sideways with a force in N."""
    system = g.System(
        "block",
        coordinates="x z",
        kinetic_energy=lambda v: v.x**2 + v.z**2,
        force=[force, -2.0 * G],
        constraints=[g.Unilateral("floor", lambda q: q.z)],
    )
    return solve_contacts(contact_problem(rubbed(system, [Rub("floor", lambda v: v.x, mu, static)]), [0.0, 0.0], None))


def test_contradictory_rows_are_not_blamed_on_friction():
    problem = ContactProblem.of(
        np.eye(2), [0, -1], [[0, 1]], [0], [[1, 0]], [0], [1], [0], J=[[1, 0], [1, 0]], gamma=[0, 1]
    )
    verdict = solve_contacts(problem)
    assert verdict.verdict == "none"
    assert verdict.sentence == "the bilateral rows 'row 0', 'row 1' contradict one another."


def test_what_can_stick_sticks():
    between = block(0.3, 0.5, 0.4 * 2.0 * G)  # above kinetic, below static friction
    assert [s.modes for s in between.every] == [("stick",), ("slip+",)]
    assert [s.modes for s in between.solutions] == [("stick",)]
    assert between.verdict == "one"
    assert "left out" in between.sentence
    np.testing.assert_allclose(between.every[1].a, [0.1 * G, 0.0], atol=1e-12)
    above = block(0.3, 0.5, 0.6 * 2.0 * G)
    assert [s.modes for s in above.every] == [("slip+",)]
    np.testing.assert_allclose(above.solutions[0].a, [0.3 * G, 0.0], atol=1e-12)
    limit = block(0.5, 0.5, 0.5 * 2.0 * G)  # the border of sticking and slipping is one solution, not two
    assert [s.modes for s in limit.every] == [("stick",)]


def test_two_rough_legs_have_one_acceleration_and_a_segment_of_forces():
    """A plank on two legs at x = ±1 m: the normal forces are determined, the friction forces are wedged by 2 c."""
    weight, mu = 10.0, 0.5
    problem = ContactProblem.of(
        np.diag([1.0, 1.0, 1 / 3]),
        [0.0, -weight, 0.0],
        [[0, 1, -1], [0, 1, 1]],
        [0, 0],
        [[1, 0, 0], [1, 0, 0]],
        [0, 0],
        [mu, mu],
        [0, 0],
        names=["left", "right"],
    )
    verdict = solve_contacts(problem)
    assert verdict.verdict == "one"
    (s,) = verdict.solutions
    assert not s.unique_forces
    assert not len(s.rays)
    np.testing.assert_allclose(s.a, 0.0, atol=1e-12)
    np.testing.assert_allclose(s.normal, weight / 2, rtol=1e-12)
    ends = sorted(s.tangential.tolist())
    np.testing.assert_allclose(ends, [[-mu * weight / 2, mu * weight / 2], [mu * weight / 2, -mu * weight / 2]])
    assert "forces not unique" in verdict.sentence


def test_a_wedge_jams_with_forces_without_end():
    """A particle between two walls that face each other: with friction it may be squeezed as hard as one likes."""
    problem = ContactProblem.of(
        np.eye(2), [0.0, -10.0], [[1, 0], [-1, 0]], [0, 0], [[0, 1], [0, 1]], [0, 0], [1, 1], [0, 0]
    )
    verdict = solve_contacts(problem)
    jammed = next(s for s in verdict.solutions if s.modes == ("stick", "stick"))
    np.testing.assert_allclose(jammed.a, 0.0, atol=1e-12)
    assert len(jammed.rays) >= 2
    assert np.min(jammed.rays[:, :2]) > 0.0
    assert verdict.verdict == "continuum"  # it may also slide down at any rate up to free fall, squeezed less


def test_friction_without_roughness_is_gauss_principle():
    rng = np.random.default_rng(9)
    for _ in range(20):
        half = rng.normal(size=(4, 4))
        M, f, N, J = half @ half.T + np.eye(4), rng.normal(size=4), rng.normal(size=(3, 4)), rng.normal(size=(1, 4))
        problem = ContactProblem.of(M, f, N, [0.1, 0.0, -0.2], 0 * N, [0] * 3, [0] * 3, [1] * 3, J=J, gamma=[0.4])
        lower = [0.4, 0.1, 0.0, -0.2]
        wanted = g.principle.solve(
            g.principle.GaussProblem.of(M, f, np.vstack([J, N]), lower, [0.4, np.inf, np.inf, np.inf])
        )
        verdict = solve_contacts(problem)
        assert verdict.verdict == "one"
        np.testing.assert_allclose(verdict.solutions[0].a, wanted.a, rtol=1e-9, atol=1e-10)


def test_every_solution_minimises_the_zwang_of_what_friction_leaves():
    rng = np.random.default_rng(10)
    several = 0
    for number in range(60):
        problem = as_problem(random_problem(rng, 1 + number % 3))
        for s in solve_contacts(problem).every:
            if len(s.accelerations) == 1:
                for tangential in s.tangential:
                    least = least_zwang(problem, tangential)
                    size = max(1.0, float(np.max(np.abs(s.a))))
                    assert np.max(np.abs(least.a - s.a)) < 1e-7 * size  # rounding times the load of a vertex
                    several += 1
    assert several > 60


def test_right_sides_of_a_curved_floor_and_a_moving_belt():
    """A particle on the bowl z = x²/2 with a belt along it that moves with 0.3 t: ν and τ hold ẋ² and the belt."""
    system = g.System(
        "bowl",
        coordinates="x z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.z**2),
        potential_energy=lambda q: G * q.z,
        constraints=[g.Unilateral("bowl", lambda q: (q.z - 0.5 * q.x**2) / g.sqrt(1 + q.x**2))],  # a distance there
        parameters={"belt": 0.3},
    )
    contact = Rub("bowl", lambda q, v, t, p: (v.x + q.x * v.z) / g.sqrt(1 + q.x**2) - p.belt * t, 0.2)
    x, speed, t = 0.7, 1.1, 2.0
    (s,) = solve_contacts(contact_problem(rubbed(system, [contact]), [x, x**2 / 2], [speed, x * speed], t)).solutions
    length = np.hypot(1.0, x)
    along, normal = np.array([1.0, x]) / length, np.array([-x, 1.0]) / length
    slip = speed * length - 0.3 * t
    assert slip > 0.0
    pressure = G / length + speed**2 / length  # m (g cos + v²/ρ), v² /ρ = ẋ²/length
    np.testing.assert_allclose(s.normal[0, 0], pressure, rtol=1e-12)
    np.testing.assert_allclose(normal @ s.a, speed**2 / length, rtol=1e-12)
    np.testing.assert_allclose(along @ s.a, -G * x / length - 0.2 * pressure, rtol=1e-12)


def test_slip_by_the_name_of_a_row():
    """Friction replaces the rolling row, and where it sticks gives what the row gives."""
    r = 0.3
    wheel = g.System(
        "wheel",
        coordinates="x y h",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2) + 0.25 * r**2 * v.h**2,
        force=[1.0, -G, 0.0],
        constraints=[
            g.Pfaffian("rolling", lambda: {"x": 1.0, "h": -r}),
            g.Unilateral("floor", lambda q: q.y - r),
        ],
    )
    q = [0.0, r, 0.0]
    found = solve_contacts(contact_problem(rubbed(wheel, [Rub("floor", "rolling", 0.8)]), q, None))
    np.testing.assert_allclose(found.solutions[0].a, g.accelerate(wheel, q).a, atol=1e-12)
    assert solve_contacts(contact_problem(rubbed(wheel, [Rub("floor", "rolling", 0.8)]), q, [1.0, 0.0, 0.0])).solutions[
        0
    ].modes == ("slip+",)


def test_a_wheel_on_a_belt_that_speeds_up():
    """slip = ẋ − r ω − b t: a disc at rest on it takes a third of the belt's b, as ẍ = t/m, r ω̇ = −2t/m."""
    r, b = 0.3, 1.2
    wheel = g.System(
        "wheel",
        coordinates="x y h",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2) + 0.25 * r**2 * v.h**2,
        force=[0.0, -G, 0.0],
        constraints=[g.Unilateral("belt", lambda q: q.y - r)],
    )
    model = rubbed(wheel, [Rub("belt", lambda v, t: v.x - r * v.h - b * t, 0.8)])
    (s,) = solve_contacts(contact_problem(model, [0.0, r, 0.0], [2.0 * b, 0.0, 0.0], 2.0)).solutions
    assert s.modes == ("stick",)
    np.testing.assert_allclose(s.a, [b / 3, 0.0, -2 * b / (3 * r)], rtol=1e-12, atol=1e-12)
    for share, mode in ((1e-12, "stick"), (1e-6, "slip+")):  # rounding of a slip velocity is no slip
        speed = [7.1 * r * (1 + share), 0.0, 7.1]
        assert solve_contacts(contact_problem(model, [0.0, r, 0.0], speed)).solutions[0].modes == (mode,)


def test_the_matrix_of_sliding_contacts_has_the_solutions_found_mode_by_mode():
    rng = np.random.default_rng(14)
    counts = set()
    for _ in range(40):
        half = rng.normal(size=(4, 4))
        problem = ContactProblem.of(
            half @ half.T + np.eye(4),
            rng.normal(size=4),
            rng.normal(size=(2, 4)),
            rng.normal(size=2),
            rng.normal(size=(2, 4)),
            np.zeros(2),
            rng.uniform(0.0, 5.0, 2),
            rng.choice([-1.0, 1.0], 2),
            J=rng.normal(size=(1, 4)),
            gamma=[0.3],
        )
        pressures = [piece.vertices[0] for piece in all_solutions(*friction_matrix(problem))]
        found = [s.normal[0] for s in solve_contacts(problem).solutions]
        counts.add(len(found))
        for mine, its in zip(sorted(map(tuple, found)), sorted(map(tuple, pressures)), strict=True):
            np.testing.assert_allclose(mine, its, rtol=1e-8, atol=1e-9)
    assert len(counts) > 2


def test_units_do_not_matter():
    q, v = on_floor(np.arctan(2.0), -1.0, 6.0)
    problem = contact_problem(rubbed(rod_with(1 / 3), [tip(2.0)]), q, v)
    C, scale = np.diag([1e5, 1e-4, 1e2]), 1e-6  # a = C a', another unit of force
    other = ContactProblem.of(
        scale * C @ problem.M @ C,
        scale * C @ problem.f,
        problem.N @ C,
        problem.nu,
        problem.T @ C,
        problem.tau,
        problem.kinetic,
        problem.slip,
    )
    mine, its = solve_contacts(problem), solve_contacts(other)
    assert mine.verdict == its.verdict == "several"
    for a, b in zip(mine.solutions, its.solutions, strict=True):
        np.testing.assert_allclose(C @ b.a, a.a, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(b.normal / scale, a.normal, rtol=1e-9, atol=1e-9)


def test_a_coordinate_without_mass_that_a_row_holds():
    """The force acts on a massless slider that is tied to the rod's centre: nothing else changes."""
    q, v = on_floor(np.arctan(2.0), -1.0, 6.0)
    plain = contact_problem(rubbed(rod_with(1 / 3), [tip(2.0)]), q, v)
    push = np.array([0.7, 0.0, 0.0])

    def wide(x):
        return np.hstack([x, np.zeros((len(x), 1))])

    tied = ContactProblem.of(
        np.diag([1.0, 1.0, 1 / 3, 0.0]),
        [*plain.f, 0.7],
        wide(plain.N),
        plain.nu,
        wide(plain.T),
        plain.tau,
        plain.kinetic,
        plain.slip,
        J=[[1.0, 0.0, 0.0, -1.0]],
        gamma=[0.0],
    )
    expected, found = solve_contacts(replace(plain, f=plain.f + push)), solve_contacts(tied)
    assert found.verdict == expected.verdict == "several"
    for mine, its in zip(found.solutions, expected.solutions, strict=True):
        np.testing.assert_allclose(mine.a, [*its.a, its.a[0]], rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(mine.bilateral, [[0.7]], rtol=1e-9)  # J a = a_x − a_u: λ carries the push to x
    np.testing.assert_allclose(critical_coefficient(tied), critical_coefficient(plain), rtol=1e-9)


def test_open_contacts_take_no_part_and_unnamed_ones_are_smooth():
    system = rod_with(1 / 3)
    free = solve_contacts(contact_problem(rubbed(system, [tip(1.0)]), [0.0, 3.0, 0.5], None))
    assert free.problem.k == 0
    np.testing.assert_allclose(free.solutions[0].a, [0.0, -G, 0.0], atol=1e-12)
    q = on_floor(0.8, 0.0, 0.0)[0]
    np.testing.assert_allclose(
        solve_contacts(contact_problem(system, q)).solutions[0].a, g.accelerate(system, q).a, atol=1e-12
    )


@pytest.mark.parametrize(
    ("error", "words", "act"),
    [
        (
            g.errors.InputError,
            "no row 'tipp'",
            lambda s: solve_contacts(contact_problem(rubbed(s, [Rub("tipp", lambda v: v.x, 1.0)]), [1, 1, 1], None)),
        ),
        (g.errors.InputError, "0 ≤ μ_k ≤ μ_s", lambda s: rubbed(s, tip(0.5, 0.2))),
        (g.errors.ModelError, "linear", lambda s: rubbed(s, [Rub("tip", lambda v: v.x**2, 1.0)])),
        (
            g.errors.InputError,
            "do not slide",
            lambda s: critical_coefficient(contact_problem(rubbed(s, [tip(1)]), [0, 1, np.pi / 2])),
        ),
        (
            g.errors.InconsistentStateError,
            "'tip' by -2",
            lambda s: solve_contacts(contact_problem(rubbed(s, [tip(1.0)]), [0, 1, np.pi / 2], [0, -2, 0])),
        ),
        (
            g.errors.InputError,
            "at most 20000",
            lambda s: solve_contacts(replace(many(8), held=np.ones(8, dtype=bool))),
        ),
        (g.errors.MassMatrixError, "inertia", lambda s: solve_contacts(many(1, 0.0))),
        (g.errors.InputError, "got 5", lambda s: g.Unilateral("floor", lambda q: q.z, friction=5).frictions()),
        (g.errors.InputError, "a ContactProblem is expected, got System", lambda s: solve_contacts(s)),
        (g.errors.InputError, r"tangential has shape \(2,\)", lambda s: least_zwang(many(1), [1.0, 2.0])),
        (g.errors.InputError, "slip must hold signs", lambda s: many(1, slip=0.5)),
    ],
)
def test_bad_input_is_named(error, words, act):
    with pytest.raises(error, match=words):
        act(rod_with(1.0))


def many(k, mass=1.0, slip=0.0):
    row = np.array([[0.0, 1.0]] * k)
    return ContactProblem.of(
        np.diag([mass, 1.0]), [0.0, -1.0], row, [0] * k, row[:, ::-1], [0] * k, [1] * k, [slip] * k
    )
