"""All motions from a branching position: each is that of its own mechanism with one angle, and they go on as a tree.

A chain of N four-bar linkages (bars of 1 m and 1 kg; N + 1 rockers on pivots 1 m apart, ends joined by N couplers) lies
flat and at rest. On its branch p the rockers before the p-th stay where they are and the others swing in parallel by
θ. The coupler between the two sorts swings with them about the end of the rocker that stays, which is the pivot of
rocker p; the couplers behind it move without turning. With k = N + 1 − p rockers that swing, each of m/3 about its end,
k − 1 couplers of m that move along a circle of 1 m, and for p > 0 that coupler,

    θ̈ = −c cos θ,   c = g (k/2 + (k − 1) + s/2) / (k/3 + (k − 1) + s/3),   s = 1 for p > 0, else 0,

a pendulum released from the height of its pivot: with ψ = θ + π/2, sin(ψ/2) = √½ cd(√c t, ½), at rest again at θ = −π.
The loops before the (p − 1)-th stay flat: their p − 1 dependent rows lock them.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import gauss as g
from gauss.motion.several import branches as module

G = 9.81  # m/s²
WINDOW = 1e-9  # relative error of the acceleration with which a window leaves the singular position
RTOL = 1e-10  # the default of simulate


def bar(a, b):
    """Kinetic energy of a uniform bar of 1 kg between points with the velocities a and b."""
    return sum(x * x + x * y + y * y for x, y in zip(a, b, strict=True)) / 6


def chain(N, gravity=G):
    """The chain in the coordinates of the rocker ends."""

    def ends(q):
        return [(q[2 * i], q[2 * i + 1]) for i in range(N + 1)]

    def kinetic(v):
        e = ends(v)
        return sum(bar((0.0, 0.0), x) for x in e) + sum(bar(e[i], e[i + 1]) for i in range(N))

    def potential(q):
        heights = [y for _, y in ends(q)]
        return gravity * (sum(heights) / 2 + sum(heights[i] + heights[i + 1] for i in range(N)) / 2)

    def rocker(i):
        return lambda q: (ends(q)[i][0] - i) ** 2 + ends(q)[i][1] ** 2 - 1

    def coupler(i):
        return lambda q: sum((b - a) ** 2 for a, b in zip(ends(q)[i], ends(q)[i + 1], strict=True)) - 1

    return g.System(
        "chain",
        [f"{axis}{i}" for i in range(N + 1) for axis in "xy"],
        kinetic_energy=kinetic,
        potential_energy=potential,
        constraints=[
            *(g.Holonomic(f"rocker {i}", rocker(i)) for i in range(N + 1)),
            *(g.Holonomic(f"coupler {i}", coupler(i)) for i in range(N)),
        ],
    )


def flat(N, turned=0.0):
    """Positions with all rockers at the angle 0 or π."""
    return np.ravel([(i + np.cos(turned), 0.0) for i in range(N + 1)])


def rate(N, p):
    """c of the branch p."""
    k, s = N + 1 - p, float(p > 0)
    return G * (k / 2 + (k - 1) + s / 2) / (k / 3 + (k - 1) + s / 3)


def exact(N, p, t):
    """Positions (len(t), 2N + 2) on the branch p."""
    _, cn, dn, _ = ellipj(np.sqrt(rate(N, p)) * np.asarray(t), 0.5)
    theta = 2 * np.arcsin(np.sqrt(0.5) * cn / dn) - np.pi / 2
    rows = [[(i + np.cos(x), np.sin(x)) if i >= p else (i + 1.0, 0.0) for i in range(N + 1)] for x in theta]
    return np.array(rows).reshape(len(theta), -1)


def half_period(N, p):
    """The time (s) from θ = 0 to θ = −π."""
    return 2 * ellipk(0.5) / np.sqrt(rate(N, p))


def quiet(*arguments, **options):
    """The tree without the warnings about motions that ended early."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", g.errors.MotionWarning)
        return g.simulate(*arguments, branches="all", **options)


def by_branch(tree):
    """The motions of a tree by the number p of rockers that stay, as their first accelerations show."""
    return {int(np.sum(np.abs(b.a[1::2]) < 1.0)): b for b in tree}


@pytest.mark.long
@pytest.mark.parametrize(("N", "t_end"), [(1, 0.9), (2, 0.05), (3, 0.9), (5, 0.05)])
def test_every_branch_of_a_flat_chain_is_the_motion_of_its_own_pendulum(N, t_end):
    tree = g.simulate(chain(N), flat(N), t_end=t_end, branches="all")
    found = by_branch(tree)
    assert set(found) == set(range(N + 1))
    for p, branch in found.items():
        run = branch.run
        assert run.ending.kind == "finished", p
        error = np.max(np.abs(run.q - exact(N, p, run.t)))
        assert error <= 10 * WINDOW * np.max(np.abs(branch.a)) * t_end**2 / 2 + 10 * RTOL, p
        assert np.ptp(run.energy) <= 10 * WINDOW * G * (2 * N + 1), p
        assert run.about.locked == (2 * N + 1 - (p - 1) if p > 1 else None)
    assert [text.split(":")[0] for text in tree.left_out] == ["at t = 0 s, vertex"]


@pytest.mark.long
def test_motions_end_at_rest_at_the_next_flat_position():
    tree = quiet(chain(2), flat(2), t_end=1.3, depth=1)
    for p, branch in by_branch(tree).items():
        run = branch.run
        assert run.ending.kind == "singular"
        assert "comes to rest" in run.ending.message
        assert run.t[-1] == pytest.approx(half_period(2, p), rel=10 * WINDOW)
        assert not np.any(run.v[-1])
        assert np.max(np.abs(run.q[-1, 1::2])) <= 1e-12  # located, not only integrated
        assert not branch.children
    assert sum("deeper than 1" in text for text in tree.left_out) == 3


@pytest.mark.long
def test_children_leave_from_where_their_parent_came_to_rest():
    tree = g.simulate(chain(1), flat(1), t_end=2.1, branches="all", depth=3)
    levels = [level for level, _ in tree.walk()]
    assert max(levels) >= 1
    parallel = by_branch(tree)[0]
    assert len(parallel.children) == 2
    for _, branch in tree.walk():
        for child in branch.children:
            assert child.run.t[0] == branch.run.t[-1]
            assert np.array_equal(child.run.q[0], branch.run.q[-1])
            assert child.run.t[-1] > child.run.t[0]
    back = min(parallel.children, key=lambda b: abs(b.a[1] - b.a[3]))  # all rockers together again
    T = half_period(1, 0)
    assert np.max(np.abs(back.run.q - exact(1, 0, 2 * T - back.run.t))) <= 1e-8  # the same way back, in time reversed
    lines = str(tree).splitlines()
    assert sum(line.startswith("    ") for line in lines) == sum(level > 0 for level in levels)
    tables = tree.data
    assert len(tables.leaves) == len(levels)
    for k, branch in enumerate(tree):
        assert np.array_equal(tables[f"{k}/run"]["x0"], branch.run["x0"])
        for i, child in enumerate(branch.children):
            assert np.array_equal(tables[f"{k}/{i}/run"]["energy"], child.run.energy)


@pytest.mark.long
def test_tree_is_cut_at_its_depth_and_at_the_number_of_motions(monkeypatch):
    monkeypatch.setattr(module, "MOST", 2)
    tree = quiet(chain(1), flat(1), t_end=2.1, depth=3)
    assert sum(1 for _ in tree.walk()) == 2 + 2
    assert any("2 motions already" in text for text in tree.left_out)
    for depth in (0, 1.5, "2"):
        with pytest.raises(g.errors.InputError, match="depth"):
            g.simulate(chain(1), flat(1), t_end=1.0, branches="all", depth=depth)


def test_ordinary_motion_ends_where_it_comes_to_rest_at_a_flat_position():
    """Released a little off the flat position on the branch with parallel rockers, upward so that it just reaches it:
    from θ = −1 at the speed with which it falls there from θ = 0."""
    theta = -1.0
    speed = np.sqrt(-2 * rate(1, 0) * np.sin(theta))
    q = np.ravel([(i + np.cos(theta), np.sin(theta)) for i in range(2)])
    v = speed * np.tile([-np.sin(theta), np.cos(theta)], 2)
    with pytest.warns(g.errors.MotionWarning, match="several motions go on"):
        run = g.simulate(chain(1), q, v, t_end=2.0)
    assert run.ending.kind == "singular"
    assert np.max(np.abs(run.q[-1] - flat(1))) <= 1e-9
    with pytest.raises(g.errors.SingularPositionError, match="branching"):
        g.simulate(chain(1), run.q[-1], run.v[-1], t_end=1.0)


def test_turning_point_at_a_regular_position_ends_nothing():
    theta = -0.3
    q = np.ravel([(i + np.cos(theta), np.sin(theta)) for i in range(2)])
    run = g.simulate(chain(1), q, t_end=3.0)
    assert run.ending.kind == "finished"
    assert run.t[-1] == 3.0


@pytest.mark.long
def test_without_forces_a_flat_chain_at_rest_stays_at_rest():
    """The Zwang has its minimum, zero, at the vertex of the cone; under gravity it is none, and no motion has it."""
    tree = g.simulate(chain(1, gravity=0.0), flat(1), t_end=5.0, branches="all")
    assert [b.kind for b in tree] == ["vertex"]
    run = tree[0].run
    assert run.ending.kind == "finished"
    assert run.t[-1] == 5.0
    for part in (run.q - flat(1), run.v, run.a, run.zwang):
        assert not np.any(part)
    dense = run.at([1.0, 4.9])
    assert not np.any(dense.q - flat(1))
    falling = g.simulate(chain(1), flat(1), t_end=0.5, branches="all")
    assert any("vertex" in text and "would do work" in text for text in falling.left_out)


def test_saddles_of_the_zwang_are_motions_too():
    """Cone x² + y² = z² under the force (0.2, 0, 1): both feet of the force on the cone start straight motions.

    With |Z| > ρ the farther foot is a saddle. A motion along a generator has a constant force along it.
    """
    system = g.System(
        "cone",
        "x y z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2),
        force=[0.2, 0.0, 1.0],
        constraints=[g.Holonomic("cone", lambda q: q.x**2 + q.y**2 - q.z**2)],
    )
    tree = g.simulate(system, [0.0, 0.0, 0.0], t_end=2.0, branches="all")
    kinds = {b.kind: b for b in tree}
    assert set(kinds) == {"global minimum", "saddle"}
    for kind, foot in (("global minimum", [0.6, 0.0, 0.6]), ("saddle", [-0.4, 0.0, 0.4])):
        run = kinds[kind].run
        assert run.ending.kind == "finished"
        assert np.max(np.abs(run.q - np.outer(run.t**2 / 2, foot))) <= 10 * WINDOW


@pytest.mark.long
@pytest.mark.parametrize("rtol", [1e-9, 1e-12])
def test_crossed_parallelogram_passes_every_flat_position_at_any_tolerance(rtol):
    """Ground and coupler a, rockers b: crossed, tan(θ₁/2) = (a + b)/(b − a) tan(θ₀/2) holds on and on."""
    a, b, first, rate0 = 1.0, 0.6, -0.4, 3.0
    ratio = (a + b) / (b - a)
    second = 2 * np.arctan(ratio * np.tan(first / 2))
    turn = ratio * (1 + np.tan(first / 2) ** 2) / (1 + np.tan(second / 2) ** 2)
    system = g.System(
        "parallelogram",
        "x0 y0 x1 y1",
        kinetic_energy=lambda v: 0.5 * sum(speed**2 for speed in v),
        constraints=[
            g.Holonomic("left", lambda q: q.x0**2 + q.y0**2 - b**2),
            g.Holonomic("right", lambda q: (q.x1 - a) ** 2 + q.y1**2 - b**2),
            g.Holonomic("coupler", lambda q: (q.x1 - q.x0) ** 2 + (q.y1 - q.y0) ** 2 - a**2),
        ],
    )
    q = np.ravel([(i * a + b * np.cos(x), b * np.sin(x)) for i, x in enumerate((first, second))])
    v = np.ravel([(-b * w * np.sin(x), b * w * np.cos(x)) for x, w in ((first, rate0), (second, turn * rate0))])
    run = g.simulate(system, q, v, t_end=5.0, rtol=rtol)
    assert run.ending.kind == "finished"
    angles = np.arctan2(run["y0"], run["x0"]), np.arctan2(run["y1"], run["x1"] - a)
    half = [(np.sin(x / 2), np.cos(x / 2)) for x in angles]
    off = half[1][0] * half[0][1] - ratio * half[0][0] * half[1][1]  # without the poles of the tangents
    assert np.max(np.abs(off)) <= 1e-8
    turns = np.unwrap(angles[0])
    passed = np.floor(turns[-1] / np.pi) - np.floor(turns[0] / np.pi)
    assert len([e for e in run.events if e.kind == "singular"]) == passed >= 2


def test_a_vertex_is_confirmed_iff_a_tree_has_a_motion_with_it():
    """A bead on two crossing wires rests on the one that its weight is normal to; with the force (1, 2) on none.

    As an oblique force turns into the weight, its motion ½ f t² along the level wire goes over into that rest.
    """
    wires = g.Holonomic("wires", lambda q: q.x * q.y)
    for force, ends in (([0.0, -9.81], [(0.0, -9.81), (0.0, 0.0)]), ([1.0, 2.0], [(0.0, 2.0), (1.0, 0.0)])):
        bead = g.System("bead", "x y", mass_matrix=[[1, 0], [0, 1]], force=force, constraints=[wires])
        found = g.classify(bead, [0, 0]).accelerations
        tree = g.simulate(bead, [0, 0], t_end=1.0, branches="all", progress="none")
        assert [c.a.tolist() for c in found.candidates if c.confirmed == "confirmed"] == [b.a.tolist() for b in tree]
        assert np.allclose([2.0 * b.run.q[-1] for b in tree], ends, rtol=0.0, atol=1e-9)
        assert len(tree.left_out) == sum(c.confirmed.startswith("no: ") for c in found.candidates)


def test_a_mechanism_at_rest_on_its_vertex_loses_no_branch_of_another():
    """A ball rests without force on the apex of a cone; a bead leaves its crossing wires along either: ½ f t²."""
    cone = g.Holonomic("cone", lambda q: q.x**2 + q.y**2 - q.z**2)
    wires = g.Holonomic("wires", lambda q: q.u * q.w)
    both = g.System(
        "ball and bead", "x y z u w", mass_matrix=np.eye(5), force=[0, 0, 0, 1, 2], constraints=[cone, wires]
    )
    found = g.classify(both, np.zeros(5)).accelerations.candidates
    assert [(c.kind, c.confirmed.split(":")[0]) for c in found] == [
        ("global minimum", "confirmed numerically"),
        ("local minimum", "confirmed numerically"),
        ("vertex", "no"),
    ]
    tree = g.simulate(both, np.zeros(5), t_end=1.0, branches="all", progress="none")
    ends = [(0, 0, 0, 0, 1.0), (0, 0, 0, 0.5, 0)]
    assert np.allclose([b.run.q[-1] for b in tree], ends, rtol=0.0, atol=1e-9)


def test_the_apex_is_a_motion_of_the_generator_that_the_force_is_normal_to():
    """At |Z| = ρ the second foot is the apex; with a little less it is a motion with ½(ρ − |Z|) along each axis."""
    cone = g.Holonomic("cone", lambda q: q.x**2 + q.y**2 - q.z**2)
    for z, second in ((-1.0, "vertex"), (-0.9, "local minimum"), (-1.1, "saddle")):
        bead = g.System("bead", "x y z", mass_matrix=np.eye(3), force=[1.0, 0.0, z], constraints=[cone])
        one = g.classify(bead, [0, 0, 0]).accelerations.candidates[1]
        assert (one.kind, one.confirmed) == (second, "confirmed")
        assert np.allclose(one.a, [(1 + z) / 2, 0, (1 + z) / 2], rtol=0.0, atol=1e-12)


def test_motions_are_told_apart_by_what_they_leave_with():
    """On x y = 0 under (1, 2) one motion leaves along y with the force 2, the other along x with 1: ẍ and ÿ tell."""
    lines = g.Holonomic("lines", lambda q: q.x * q.y)
    metres = {"x": "m", "y": "m"}
    bead = g.System("bead", "x y", mass_matrix=[[1, 0], [0, 1]], force=[1.0, 2.0], constraints=[lines], units=metres)
    tree = g.simulate(bead, [0.0, 0.0], t_end=0.1, branches="all", progress="none")
    assert tree.directions == ("x'' = 0 m/s², y'' = 2 m/s²", "x'' = 1 m/s², y'' = 0 m/s²")
    assert all(way in line for way, line in zip(tree.directions, str(tree).splitlines()[1:], strict=False))


def test_motions_with_the_same_acceleration_are_told_apart_by_where_they_are_later():
    """x'' = √|x| from rest at 0: one motion stays, one is at t⁴/144 after leaving at once: 0.5625 at t = 3 s."""
    dome = g.System("dome", "x", mass_matrix=[[1.0]], force=lambda q: [g.sqrt(g.fabs(q.x))])
    tree = g.simulate(dome, [0.0], t_end=3.0, branches="all", progress="none")
    assert dict(zip([b.kind for b in tree], tree.directions, strict=True)) == {
        "rest": "x = 0 at t = 3 s",
        "leaves rest": "x = 0.563 at t = 3 s",
    }


@pytest.mark.long
def test_as_many_digits_are_shown_as_tell_motions_apart():
    lines = g.Holonomic("lines", lambda q: (q.x + 1e-4 * q.y) * (q.x - 1e-4 * q.y))
    bead = g.System("bead", "x y", mass_matrix=[[1, 0], [0, 1]], force=[0.0, 1.0], constraints=[lines])
    tree = g.simulate(bead, [0.0, 0.0], t_end=0.1, branches="all", progress="none")
    assert len(tree) == len({*tree.directions}) == 2
    alone = g.simulate(bead, [1e-4, 1.0], t_end=0.1, branches="all", progress="none")
    assert alone.directions == ("",)


def test_a_refused_start_says_each_thing_once():
    lines = g.Holonomic("lines", lambda q: q.x * q.y)
    bead = g.System("bead", "x y", mass_matrix=[[1, 0], [0, 1]], force=[1.0, 2.0], constraints=[lines])
    dome = g.System("dome", "x", mass_matrix=[[1.0]], force=lambda q: [g.sqrt(g.fabs(q.x))])
    for system, once in ((bead, 'branches="all"'), (bead, "several motions"), (dome, "not unique")):
        with pytest.raises(g.errors.SingularPositionError) as caught:
            g.simulate(system, np.zeros(system.n), t_end=3.0)
        assert str(caught.value).count(once) == 1


def test_a_count_of_none_is_said_in_one_word():
    ends = [g.Holonomic("here", lambda q: q.x), g.Holonomic("there", lambda q, t: q.x - t**2)]
    text = str(g.classify(g.System("pulled", "x", mass_matrix=[[1]], constraints=ends), [0.0]))
    assert text.splitlines()[0] == "accelerations  none"
    assert text.count("demand different accelerations") == 1


def test_a_row_without_a_condition_to_order_four_may_forbid_what_the_others_admit():
    """Y and Z are free on the first of two pieces, X = −YZ/2, W = Y³; X = 0, Y = −ZW, with Z and W free, is the second.

    With speed along y the motion is on the first. Of products of their rows those with a cube have no condition.
    """
    first = (lambda q: q.x + q.y * q.z / 2, lambda q: q.w - q.y**3)
    second = (lambda q: q.x, lambda q: (q.y + q.z * q.w) ** 3)
    system = g.System(
        "two pieces",
        "x y z w",
        kinetic_energy=lambda v: 0.5 * sum(x**2 for x in v),
        force=[-2.3, -1.3, 1.9, -2.2],
        constraints=[g.Holonomic("rows", lambda q: [a(q) * b(q) for a in first for b in second])],
    )
    found = g.classify(system, [0, 0, 0, 0], [0, 0.86, 1, 0])
    assert "redundant" not in found.verdicts
    assert found.accelerations.status in ("one", "undecided"), str(found)
    assert any(np.allclose(c.a, [-0.86, -1.3, 1.9, 0.0], atol=1e-9) for c in found.candidates)


def test_nearby_points_on_another_piece_do_not_confirm_an_acceleration():
    """On c = 0 a and b are free; on the line a = b = 0 only c is, though c (B² − a³) has no condition to order 4."""
    mass = (4.5, 1.0, 4.0, 4.0, 1.0, 0.5)

    def rows(q):
        B = q.b + q.a * q.f * q.d
        return [q.c * (B**2 - q.a**3), q.c * q.a, q.f + 2 * q.b - 2 * q.d * q.b * q.e]

    system = g.System(
        "plane and line",
        "a b c d e f",
        kinetic_energy=lambda v: 0.5 * sum(m * x**2 for m, x in zip(mass, v)),
        force=[1.5, -1.2, -0.65, 1.5, -4.5, 3.4],
        constraints=[g.Holonomic("rows", rows)],
    )
    found = g.classify(system, [0.0] * 6)
    assert "redundant" not in found.verdicts
    wrong = [c for c in found.candidates if abs(c.a[1]) > 1e-9 and abs(c.a[2]) > 1e-9]
    assert not any(c.confirmed.startswith("confirmed") for c in wrong), str(found)


WALLS = {  # a wall along y = 0, and whether it lets a bead pass that is driven along x or moves there
    "-y - x²": (lambda q: -q.y - q.x**2, False),
    "-y - x⁴": (lambda q: -q.y - q.x**4, False),
    "-y + x²": (lambda q: -q.y + q.x**2, True),
    "-y + x⁴": (lambda q: -q.y + q.x**4, True),
}


@pytest.mark.parametrize("wall", WALLS)
@pytest.mark.parametrize("rate", [0.0, 1.0, -1.0])
def test_a_wall_that_touches_a_branch_is_asked_beyond_order_two(wall, rate):
    """xy = 0 and a wall whose row is (0, −1) at the crossing: it neither opens nor binds ẍ on the branch y = 0."""

    def classified(gap):
        system = g.System(
            "lines and a wall",
            "x y",
            kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
            force=[3.0, -2.0],
            constraints=[g.Holonomic("lines", lambda q: q.x * q.y), g.Unilateral("wall", gap)],
        )
        return g.classify(system, [0, 0], [rate, 0])

    gap, passes = WALLS[wall]
    found = classified(gap)
    along = [c for c in found.candidates if c.a[0] > 1.0 and c.confirmed.startswith("confirmed")]
    assert len(along) == passes, str(found)
    assert found.accelerations.several is (passes and rate == 0.0)
    assert found.unique is (passes and rate != 0.0) or (rate == 0.0 and found.a == pytest.approx([0.0, -2.0]))
    assert found.verdicts == classified(WALLS[wall.replace("⁴", "²")][0]).verdicts


def test_a_wall_that_closes_with_the_fourth_power_is_not_redundant():
    """On x = −2y² the gap is −(5/2) y⁴: at (3, 0.5) from the origin its rounding hides it at small distances only."""

    def shifted(q):
        x, y = q.x - 3.0, q.y - 0.5
        y = y - 0.75 * x * x + 0.25 * x**3
        return x + 0.25 * y + 1.5 * y**3 + 1.25 * y * y, y

    def row(q):
        x, y = shifted(q)
        return x + 2 * y * y

    def gap(q):
        x, y = shifted(q)
        return 0.25 * (x + 2 * y * y) + 0.25 * x * x + 1.75 * x * y * y

    system = g.System(
        "a wall on a curve",
        "x y",
        mass_matrix=[[8.28125, -0.375], [-0.375, 1.5]],
        force=[0.1847, -0.8259],
        constraints=[g.Holonomic("curve", row), g.Unilateral("wall", gap)],
    )
    found = g.classify(system, [3.0, 0.5])
    assert "redundant" not in found.verdicts
    assert found.accelerations.status == "undecided" or abs(found.a[1]) < 1e-9, str(found)
