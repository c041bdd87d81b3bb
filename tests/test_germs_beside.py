"""Branches beside rows that have no germ: driven coordinates, rows on velocities, rows with the time, many coordinates.

"Locked" and "redundant" are claims that orders above 4 can undo. The sets are those of `test_germs`, two branches that
touch and an isolated point, known by hand; what stands beside them changes neither.
"""

from __future__ import annotations

import numpy as np
import pytest

import gauss as g

FORCE = [1.0, -9.81]
CLOSE = 1e-9  # of accelerations up to 10


def system_of(rows, names="x y", more=(), force=FORCE):
    """Unit masses on all coordinates; the force acts on the first two."""
    n = len(names.split())
    return g.System(
        "beside",
        names,
        kinetic_energy=lambda v: 0.5 * sum(x**2 for x in v),
        force=[*force, *[0.0] * (n - len(force))],
        constraints=[*rows, *more],
    )


def touching(q):
    """Branches y = 0 and y = x⁵."""
    return q.y * (q.y - q.x**5)


def point(q):
    """x² + y⁶, which vanishes at the origin alone."""
    return q.x**2 + q.y**6


BESIDE = {  # names, further rows, and the further velocities at t = 0
    "a driven coordinate": ("x y s", [g.Holonomic("drive", lambda q, t: q.s - g.sin(t))], [1.0]),
    "a row on velocities": ("x y s", [g.Pfaffian("roll", lambda q: [-1.0, -q.x, 1.0])], [1.0]),
    "many coordinates": (
        "x y " + " ".join(f"s{k}" for k in range(12)),
        [g.Holonomic(f"link{k}", lambda q, k=k: q[f"s{k}"] - (k + 1) * q.x) for k in range(12)],
        [float(k + 1) for k in range(12)],
    ),
}


@pytest.mark.parametrize("beside", list(BESIDE))
def test_touching_branches_are_no_lock_beside_other_rows(beside):
    names, more, rates = BESIDE[beside]
    system = system_of([g.Holonomic("lines", touching)], names, more)
    found = g.classify(system, [0.0] * system.n, [1.0, 0.0, *rates])
    assert "branching" in found.verdicts, str(found)
    assert (found.unique, found.motion_unique) == (True, False)
    assert abs(found.a[1]) < CLOSE


@pytest.mark.parametrize("beside", list(BESIDE))
def test_an_isolated_point_rests_beside_other_rows(beside):
    names, more, rates = BESIDE[beside]
    moved = rates if beside == "a driven coordinate" else [0.0] * len(rates)
    system = system_of([g.Holonomic("point", point)], names, more)
    found = g.classify(system, [0.0] * system.n, [0.0, 0.0, *moved])
    assert found.verdict == "locked", str(found)
    assert np.max(np.abs(found.a)) < CLOSE


def test_touching_branches_that_move_with_the_time():
    """With y − t² for y: the acceleration on both is 2, and the motions part at order 5."""
    lines = g.Holonomic("lines", lambda q, t: (q.y - t**2) * (q.y - t**2 - (q.x - t) ** 5))
    found = g.classify(system_of([lines]), [0.0, 0.0], [2.0, 0.0])
    assert "branching" in found.verdicts, str(found)
    assert found.motion_unique is False
    np.testing.assert_allclose(found.a, [1.0, 2.0], atol=CLOSE)


@pytest.mark.parametrize("t", [0.0, 0.3])
def test_a_point_that_moves_with_the_time_is_followed(t):
    way = g.Holonomic("way", lambda q, t: (q.x - g.sin(t)) ** 2 + (q.y - t**2) ** 6)
    found = g.classify(system_of([way]), [np.sin(t), t**2], [np.cos(t), 2.0 * t], t)
    if found.unique:
        np.testing.assert_allclose(found.a, [-np.sin(t), 2.0], atol=1e-7)
    else:
        assert "undecided" in found.accelerations.status, str(found)


@pytest.mark.parametrize("c", [0.01120963706224005, 3e-7])
def test_a_high_power_beside_its_row_is_no_copy(c):
    """F = 0 and F + c G⁵ = 0 are F = G = 0, though near by G⁵ is less than the rounding of F.

    How near is told by the rows: further coordinates follow x and z, and x is 0.004.
    """
    start = np.array([-0.0036709999999999994, -0.971661, 0.19247])
    follow = [(2, 2.0), (0, 1.0), (0, 1.0), (2, 2.0), (2, 3.0), (0, 1.0), (2, 1.0), (2, 3.0)]

    def first(q):
        linear = q[0] * (-1.134845586109974) + q[1] * (-1.5704278069366502) + q[2] * (-1.3615815955936403)
        return linear + q[1] * g.sin(q[1]) * (-0.837) + (-0.5963998829187487)

    def second(q):
        linear = q[0] * (-0.4358821632564748) + q[1] * 0.9330168141734546 + q[2] * 2.2187519164691683
        return linear + q[0] * g.sin(q[2]) * 1.686 + g.sin(q[2] * 0.866 + 0.3) + 0.029193747327806385

    rows = [g.Holonomic("F", first), g.Holonomic("more", lambda q: first(q) + second(q) ** 5 * c)]
    links = [
        g.Holonomic(f"link{k}", lambda q, k=k, j=j, factor=factor: q[3 + k] + q[j] * factor * (-1.0))
        for k, (j, factor) in enumerate(follow)
    ]
    names = "x y z " + " ".join(f"s{k}" for k in range(len(follow)))
    system = system_of(rows, names, links, [1.0, -9.81, 3.0])
    found = g.classify(system, [*start, *(start[j] * factor for j, factor in follow)])
    assert "redundant" not in found.verdicts, str(found)


@pytest.mark.parametrize("cusp", [lambda q: q.y**2 - q.x**3, lambda q: (q.y**2 - q.x**3) ** 2 - q.x**7])
@pytest.mark.parametrize("rate", [0.0, -0.75])
@pytest.mark.parametrize("beside", ["nothing", "one branch", "two branches"])
def test_a_body_that_is_pressed_against_a_cusp_is_held_there_whatever_moves_beside_it(cusp, rate, beside):
    """One cusp, or two with one tangent, and a force along −x: how many motions there are is a matter of z and w."""
    more = {"nothing": [], "one branch": [lambda q: q.w**3 - q.z**7], "two branches": [lambda q: q.w * (q.w - q.z**4)]}
    rows = [g.Holonomic(f"row{k}", row) for k, row in enumerate([cusp, *more[beside]])]
    held = g.classify(system_of(rows, "x y z w", force=[-3.0, 0.5, 1.0, 2.0]), [0.0] * 4, [0.0, 0.0, rate, 0.0])
    assert held.unique
    np.testing.assert_allclose(held.a, [0.0, 0.0, 1.0, 2.0 * (beside == "nothing")], atol=CLOSE)
    assert held.motion_unique is (beside != "two branches"), str(held)
    assert held.verdict == ("branching" if beside == "two branches" else "locked")
    left = g.classify(system_of(rows, "x y z w", force=[3.0, 0.5, 1.0, 2.0]), [0.0] * 4, [0.0, 0.0, rate, 0.0])
    assert (left.verdict, left.unique, left.motion_unique) == ("branching", True, False)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("gap", [lambda x, y: -y + 2 * x**2, lambda x, y: -y - x**4])
def test_a_lock_that_goes_on_beyond_order_four_is_none_of_order_four_beside_a_contact(seed, gap):
    """y² + x⁶ = 0 leaves a line, along which the bead moves; order 4 demands ÿ = 0 alone, and the wall says no more."""
    rng = np.random.default_rng(seed)
    place, A = np.round(rng.normal(size=3), 3), np.round(rng.uniform(-1, 1, (3, 3)) * 8) / 8 + 2 * np.eye(3)
    force = np.array([1.0, -2.0, 0.5, 0.7])

    def xy(q):
        return [sum(A[i, j] * (q[j] - place[j]) for j in range(3)) for i in range(2)]

    def link(q):
        x, y = xy(q)
        return q.w - (x + y / 2 + x * y + 0.3 * x**2)

    def row(q):
        x, y = xy(q)
        return y**2 + x**6 + (0.5 + x) * link(q)

    wall = g.Unilateral("wall", lambda q: gap(*xy(q)))
    system = system_of([g.Holonomic("row", row), g.Holonomic("link", link)], "x y z w", [wall], list(force))
    edge = np.append(np.linalg.inv(A)[:, 2], 0.0)
    found = g.classify(system, [*place, 0.0], 0.8 * edge)
    if found.unique:
        np.testing.assert_allclose(found.a, edge * (edge @ force) / (edge @ edge), atol=1e-7)
    else:
        assert found.accelerations.status == "undecided", str(found)
