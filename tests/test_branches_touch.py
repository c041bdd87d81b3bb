"""Branches that touch: each is a motion of its own, on its own curve, with the label of that curve.

A particle of 1 kg on y = f(x) under the force (X, −g) moves by the equation in x alone

    (1 + f'²) ẍ = X − g f' − f' f'' ẋ²,

which scipy integrates without a constraint and without knowing of any other branch.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gauss as g

G, X = 9.81, 3.0
WINDOW = 1e-9  # relative error of the acceleration with which a window leaves the singular position


def particle(*rows, push=X, gravity=G, names="x y"):
    return g.System(
        "particle",
        names,
        kinetic_energy=lambda v: 0.5 * sum(speed**2 for speed in v),
        force=lambda: [push, -gravity, *[0.0] * (len(names.split()) - 2)],
        constraints=[g.Holonomic(f"row {k}", row) for k, row in enumerate(rows)],
    )


def on_curve(f, x0, v0, times, push=X, gravity=G):
    """x and y at the times on y = f(x); f gives the value and two derivatives."""

    def rate(t, s):
        _, once, twice = f(s[0])
        return [s[1], (push - gravity * once - once * twice * s[1] ** 2) / (1 + once**2)]

    found = solve_ivp(rate, (times[0], times[-1]), [x0, v0], method="DOP853", rtol=1e-13, atol=1e-15, t_eval=times)
    assert found.success
    return np.array([found.y[0], [f(x)[0] for x in found.y[0]]]).T


def power(c, n):
    return lambda x: (c * x**n, c * n * x ** (n - 1), c * n * (n - 1) * x ** (n - 2))


def circle(sign):
    return lambda x: (
        sign * (1 - np.sqrt(1 - x * x)),
        sign * x / np.sqrt(1 - x * x),
        sign / np.sqrt(1 - x * x) ** 3,
    )


def half(sign):
    """y = x² ± x^(5/2) for x ≥ 0."""

    def f(x):
        root = np.sqrt(max(x, 0.0))
        return x**2 + sign * root**5, 2 * x + sign * 2.5 * root**3, 2 + sign * 3.75 * root

    return f


LINE = power(0.0, 2)
FAMILIES = {
    **{f"y(y - x^{n})": ((lambda q, n=n: q.y * (q.y - q.x**n)), [LINE, power(1.0, n)]) for n in range(2, 9)},
    "cusp-like": (lambda q: (q.y - q.x**2) ** 2 - q.x**5, [half(1), half(-1)]),
    "circles": (
        lambda q: (q.x**2 + (q.y - 1) ** 2 - 1) * (q.x**2 + (q.y + 1) ** 2 - 1),
        [circle(1), circle(-1)],
    ),
    "xy(y - x^2)": (lambda q: q.x * q.y * (q.y - q.x**2), [LINE, power(1.0, 2)]),
    "three": (lambda q: q.y * (q.y - 2 * q.x**3) * (q.y - 2 * q.x**3 - q.x**4), None),
}
FAMILIES["three"] = (
    FAMILIES["three"][0],
    [LINE, power(2.0, 3), lambda x: tuple(a + b for a, b in zip(power(2.0, 3)(x), power(1.0, 4)(x), strict=True))],
)


def distances(run, curves, x0, v0):
    """The largest distance of a run from the motion on each curve."""
    return [float(np.max(np.abs(run.q - on_curve(f, x0, v0, run.t)))) for f in curves]


@pytest.mark.sampled(16)
@pytest.mark.parametrize(
    ("name", "v0"),
    [(name, 1.0) for name in FAMILIES] + [(name, 0.0) for name in ("y(y - x^3)", "y(y - x^8)", "cusp-like", "circles")],
)
def test_each_branch_that_touches_is_the_motion_on_its_own_curve(name, v0):
    """From the touching point with speed along the tangent, and from rest by a push along it."""
    row, curves = FAMILIES[name]
    tree = g.simulate(particle(row), [0, 0], [v0, 0], t_end=0.4, branches="all")
    along = [b for b in tree if abs(b.a[0]) > 0.1]  # x = 0 is a branch of its own
    errors = np.array([distances(b.run, curves, 0.0, v0) for b in along])
    assert errors.shape == (len(curves), len(curves))
    assert sorted(np.argmin(errors, axis=1)) == list(range(len(curves)))
    for b, row_of_errors in zip(along, errors, strict=True):
        assert b.run.ending.kind == "finished"
        assert np.sort(row_of_errors)[0] <= 10 * WINDOW
        assert np.sort(row_of_errors)[1] > 1e3 * WINDOW  # the others are other motions
    assert len({b.name for b in tree}) == len(tree)


def start_on(f, x, speed):
    """A state on y = f(x) that moves with ẋ = speed."""
    place, slope, _ = f(x)
    return [x, place], [speed, slope * speed]


COMING = [  # family, the curve on which the motion comes, start x and ẋ, end of the run
    *((name, 0, -0.5, 1.0, 0.6) for name in ("y(y - x^2)", "y(y - x^3)", "y(y - x^8)", "xy(y - x^2)")),
    *((f"y(y - x^{n})", 1, -0.5, 2.0, 0.5) for n in (2, 3, 5, 8)),
    ("circles", 0, -0.5, 4.0, 0.25),
    ("three", 1, -0.4, 2.0, 0.5),
]


@pytest.mark.sampled(16)
@pytest.mark.parametrize(("name", "first", "x0", "v0", "t_end"), COMING)
def test_a_motion_ends_where_branches_touch_and_each_goes_on_from_there(name, first, x0, v0, t_end):
    row, curves = FAMILIES[name]
    system, (q, v) = particle(row), start_on(curves[first], x0, v0)
    with pytest.warns(g.errors.MotionWarning, match="branches touch, and the motion may go on along any of them"):
        run = g.simulate(system, q, v, t_end=t_end)
    assert run.ending.kind == "singular"
    assert abs(run.q[-1, 0]) <= 1e-8
    assert np.max(np.abs(run.q - on_curve(curves[first], x0, v0, run.t))) <= 10 * WINDOW
    tree = g.simulate(system, q, v, t_end=t_end, branches="all")
    (root,) = tree
    assert np.array_equal(root.run.q, run.q)
    assert len(root.children) == len(curves)
    met, speed = root.run.q[-1, 0], root.run.v[-1, 0]
    errors = np.array([distances(child.run, curves, met, speed) for child in root.children])
    assert sorted(np.argmin(errors, axis=1)) == list(range(len(curves)))
    for child, row_of_errors in zip(root.children, errors, strict=True):
        assert child.run.ending.kind == "finished"
        assert child.run.t[-1] == t_end
        assert np.sort(row_of_errors)[0] <= 20 * WINDOW
        assert np.sort(row_of_errors)[1] > 1e3 * WINDOW


def test_branches_that_cross_are_passed_as_before():
    """Three lines through one point: the velocity tells which one the motion follows."""
    run = g.simulate(particle(lambda q: q.y * (q.y - q.x) * (q.y + 2 * q.x)), [-0.5, 0], [1, 0], t_end=0.6)
    assert run.ending.kind == "finished"
    assert np.max(np.abs(run.q - on_curve(LINE, -0.5, 1.0, run.t))) <= 10 * WINDOW


@pytest.mark.long
def test_every_choice_of_branches_is_a_motion_where_two_parts_touch_at_once():
    system = g.System(
        "two particles",
        "x y a b",
        kinetic_energy=lambda v: 0.5 * sum(speed**2 for speed in v),
        force=lambda: [X, -G, X, -G],
        constraints=[
            g.Holonomic("one", lambda q: q.y * (q.y - q.x**3)),
            g.Holonomic("other", lambda q: q.b * (q.b - q.a**4)),
        ],
    )
    tree = g.simulate(system, [0] * 4, [1, 0, 2, 0], t_end=0.3, branches="all")
    assert len({b.name for b in tree}) == 4
    found = set()
    for b in tree:
        best = []
        for part, v0, curves in ((slice(0, 2), 1.0, (LINE, power(1.0, 3))), (slice(2, 4), 2.0, (LINE, power(1.0, 4)))):
            errors = [np.max(np.abs(b.run.q[:, part] - on_curve(f, 0.0, v0, b.run.t))) for f in curves]
            assert min(errors) <= 10 * WINDOW
            best.append(int(np.argmin(errors)))
        found.add(tuple(best))
    assert len(found) == 4


@pytest.mark.long
def test_a_coupled_body_beside_the_branches_moves_with_each():
    """A pendulum whose mass is coupled to the particle: the same as with the branch as the only row."""

    def system(row):
        return g.System(
            "coupled",
            "x y a b",
            kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + (v.a + v.x) ** 2 + v.b**2),
            potential_energy=lambda q: G * (q.b + q.y),
            constraints=[g.Holonomic("particle", row), g.Holonomic("rod", lambda q: q.a**2 + q.b**2 - 1)],
        )

    start = [0, 0, 1, 0], [1, 0, 0, 0.3]
    tree = g.simulate(system(lambda q: q.y * (q.y - q.x**3)), *start, t_end=0.4, branches="all")
    alone = [g.simulate(system(row), *start, t_end=0.4) for row in (lambda q: q.y, lambda q: q.y - q.x**3)]
    errors = np.array([[np.max(np.abs(b.run.q[-1] - run.q[-1])) for run in alone] for b in tree])
    assert sorted(np.argmin(errors, axis=1)) == [0, 1]
    assert np.max(np.min(errors, axis=1)) <= 10 * WINDOW
    assert np.min(np.max(errors, axis=1)) > 1e-4


# ------------------------------------------------------------------ at rest


@pytest.mark.long
@pytest.mark.parametrize(
    "row",
    [
        lambda q: q.x**2 + q.y**6,
        lambda q: (0.6 * q.x + 0.8 * q.y) ** 2 + (0.8 * q.x - 0.6 * q.y) ** 6,
        lambda q: (q.y - q.x**2) ** 2 + q.x**6,
    ],
)
def test_a_body_at_an_isolated_point_stays_there(row):
    found = g.classify(particle(row), [0, 0])
    assert (found.verdict, found.motion_unique) == ("locked", True)
    run = g.simulate(particle(row), [0, 0], t_end=1.0)
    assert run.ending.kind == "finished"
    assert not np.any(run.q)


def test_branches_along_which_nothing_drives_a_body_leave_it_at_rest():
    system = particle(lambda q: q.y * (q.y - q.x**3), push=0.0)
    found = g.classify(system, [0, 0])
    assert (found.verdict, found.motion_unique) == ("branching", True)
    assert "nothing drives a body at rest" in found.sentence
    assert not np.any(g.simulate(system, [0, 0], t_end=1.0).q)
    tree = g.simulate(system, [0, 0], t_end=1.0, branches="all")
    assert [b.kind for b in tree] == ["rest"]
    driven = g.classify(particle(lambda q: q.y * (q.y - q.x**3), push=1e-3), [0, 0])
    assert driven.motion_unique is False


@pytest.mark.long
@pytest.mark.parametrize(("push", "verdict", "unique"), [(1.0, "branching", False), (-1.0, "locked", True)])
def test_a_cusp_holds_a_body_at_rest_until_it_is_pushed_out(push, verdict, unique):
    system = particle(lambda q: q.y**2 - q.x**3, push=push)
    found = g.classify(system, [0, 0])
    assert (found.verdict, found.motion_unique) == (verdict, unique)
    assert "as at a cusp" in found.sentence
    assert found.solution.a == pytest.approx([max(push, 0.0), 0.0], abs=1e-14)
    if push < 0.0:
        assert not np.any(g.simulate(system, [0, 0], t_end=0.5).q)
        return
    tree = g.simulate(system, [0, 0], t_end=0.3, branches="all")
    assert sorted(b.run.q[-1, 1] > 0.0 for b in tree) == [False, True]
    for b in tree:  # both halves, in the parameter s = √x where their motion is smooth: (4 s² + 9 s⁴) s̈ …
        side = float(np.sign(b.run.q[-1, 1]))
        x, y = b.run.q[1:].T
        assert np.max(np.abs(y - side * x**1.5)) <= 1e-11  # what a window satisfies the rows to
        work = push * x - G * y
        assert np.max(np.abs(0.5 * np.sum(b.run.v[1:] ** 2, axis=1) - work)) <= 10 * WINDOW


BLOCKED = {  # rows and walls, a force that presses against one of their ends, and the one acceleration that is left
    "cusp on a line": (lambda q: q.y**3 - q.y * q.x**3, None, (-1.0, 0.5), (-1.0, 0.0)),
    "cusp across a line": (lambda q: q.x * (q.y**2 - q.x**3), None, (-1.0, 0.5), (0.0, 0.5)),
    "y = |x|³": (lambda q: q.y**2 - q.x**6, lambda q: q.y + q.x**5, (-1.0, 0.5), (-1.0, 0.0)),
    "three lines and a wall": (
        lambda q: q.x**2 * q.y - q.y**3,
        lambda q: q.x + 2 * q.y,
        (-1.0, 0.5),
        (-0.75, 0.75),
    ),
}


@pytest.mark.parametrize("name", BLOCKED)
def test_a_body_pressed_against_an_end_leaves_where_another_branch_lets_it_go(name):
    """At rest on the end the reaction would do work along the other branch: on y = |x|³, which is smooth, for one."""
    row, wall, force, left = BLOCKED[name]
    walls = [] if wall is None else [g.Unilateral("wall", wall)]
    system = g.System("end", "x y", mass_matrix=np.eye(2), force=force, constraints=[g.Holonomic("row", row), *walls])
    found = g.classify(system, [0.0, 0.0])
    assert (found.verdict, found.unique, found.motion_unique) == ("locked", True, True), str(found)
    np.testing.assert_allclose(found.a, left, atol=1e-12)
    if wall is None:
        run = g.simulate(system, [0.0, 0.0], t_end=0.5, progress="none")
        np.testing.assert_allclose(run.q[-1], np.array(left) / 8, atol=1e-9)


@pytest.mark.parametrize("push", [1.0, -1.0])
def test_of_two_cusps_back_to_back_a_body_leaves_along_the_one_it_is_pushed_into(push):
    both = particle(lambda q: (q.y**2 - q.x**3) * (q.y**2 + q.x**3), push=push)
    found = g.classify(both, [0.0, 0.0])
    assert (found.verdict, found.unique, found.motion_unique) == ("branching", True, False), str(found)
    np.testing.assert_allclose(found.a, [push, 0.0], atol=1e-12)


def test_whether_a_body_under_its_weight_stays_on_a_cusp_is_said_to_be_open():
    """On y = −x^(3/2) the weight is 1.5 g √x along x: x = (g/8)² t⁴ is a motion from rest, as on Norton's dome."""
    found = g.classify(particle(lambda q: q.y**2 - q.x**3, push=0.0), [0, 0])
    assert found.motion_unique is None
    assert "may also leave by itself" in found.sentence


@pytest.mark.long
@pytest.mark.parametrize("n", [3, 4, 7])
def test_a_motion_ends_where_sheets_touch_and_goes_on_along_either(n):
    """z(z − yⁿ) = 0 in space: on z = yⁿ the motion along y is that on the curve, and x has its own."""
    system = g.System(
        "sheets",
        "x y z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2),
        force=lambda: [0.5, X, -G],
        constraints=[g.Holonomic("row", lambda q: q.z * (q.z - q.y**n))],
    )
    with pytest.warns(g.errors.MotionWarning, match="2 branches touch"):
        run = g.simulate(system, [0.1, -0.3, 0.0], [0.2, 1.0, 0.0], t_end=0.6)
    meeting = (np.sqrt(1.0 + 0.6 * X) - 1.0) / X
    assert run.ending.kind == "singular"
    assert run.t[-1] == pytest.approx(meeting, abs=1e-10)
    assert run.q[-1] == pytest.approx([0.1 + 0.2 * meeting + 0.25 * meeting**2, 0.0, 0.0], abs=1e-10)
    tree = g.simulate(system, run.q[-1], run.v[-1], t_end=0.3, branches="all")
    assert len(tree) == 2
    ends = sorted((b.run.q[-1] for b in tree), key=lambda q: abs(q[2]))
    x = run.q[-1, 0] + 0.3 * run.v[-1, 0] + 0.25 * 0.3**2
    for end, c in zip(ends, (0.0, 1.0), strict=True):
        along = on_curve(power(c, n), run.q[-1, 1], run.v[-1, 1], [0.0, 0.3])[-1]
        assert end == pytest.approx([x, *along], abs=1e-9)


FIRST, AGAIN = 0.0, 0.3  # abscissae at which the branches below touch


def touching_twice(n):
    return particle(lambda q: q.y * (q.y - (q.x * (q.x - AGAIN)) ** n), push=0.3, gravity=0.0)


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    "options", [{}, {"method": "rk4", "step": 0.005}, {"method": "radau"}], ids=["", "rk4", "radau"]
)
@pytest.mark.parametrize("x0", [0.05, -0.05, -0.4])
@pytest.mark.parametrize("n", [2, 3, 4, 6])
def test_no_step_or_window_leads_over_a_place_where_branches_touch(n, x0, options):
    """On y = 0 the particle moves by ẍ = 0.3; before, windows and steps led over one place, or ended beside both."""
    with pytest.warns(g.errors.MotionWarning, match="branches touch"):
        run = g.simulate(touching_twice(n), [x0, 0], [1, 0], t_end=1.0, **options)
    place = FIRST if x0 < FIRST else AGAIN
    t = (np.sqrt(1.0 + 0.6 * (place - x0)) - 1.0) / 0.3
    assert run.t[-1] == pytest.approx(t, rel=1e-8)
    assert run.q[-1] == pytest.approx([place, 0.0], abs=1e-8)
    assert run.ending.kind == "singular"
    assert not run.events


@pytest.mark.long
@pytest.mark.parametrize("n", [2, 3, 6])
def test_on_each_branch_the_second_place_is_met_too(n):
    tree = g.simulate(touching_twice(n), [0, 0], [1, 0], t_end=0.5, branches="all")
    assert len(tree) == 2
    for branch in tree:
        assert branch.run.q[-1][0] == pytest.approx(AGAIN, abs=1e-8)
        assert len(branch.children) == 2
        assert all(child.run.ending.complete for child in branch.children)
