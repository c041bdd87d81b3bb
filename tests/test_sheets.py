"""Sheets that touch, one equation or several, in turned coordinates u = R q, against what the construction says.

With M = 1 the least Zwang on a sheet u₀ = f(u₁, …) has ü₀ = d²f/dt² at the state, all else following the force.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import special_ortho_group

import gauss as g
from gauss.uniqueness import germ_of


def turned(rows, n, force, seed, size=1.0):
    """A system with rows of u = R q/size, R being a rotation, and R."""
    R = np.eye(n) if seed is None else special_ortho_group.rvs(n, random_state=seed)
    names = [f"x{k}" for k in range(n)]

    def in_u(row):
        def of_q(q):
            x = [getattr(q, name) / size for name in names]
            return row([sum(float(R[i, j]) * x[j] for j in range(n) if R[i, j]) for i in range(n)])

        return of_q

    push = (R.T @ force).tolist()
    system = g.System(
        "turned",
        " ".join(names),
        kinetic_energy=lambda v: 0.5 * sum(speed**2 for speed in v),
        force=lambda: push,
        constraints=[g.Holonomic(f"row {k}", in_u(row)) for k, row in enumerate(rows)],
    )
    return system, R


def accelerations(found, R):
    return sorted((R @ c.a).round(6).tolist() for c in found.candidates if c.kind != "vertex")


FORCE = np.array([0.7, 1.1, -0.6, 0.9, 0.4])
SHEETS = {  # rows of u; velocity; ü₀ on every sheet that the motion can take, which are counted
    "three, moving": ([lambda u: u[0] * (u[0] - u[1] ** 3) * (u[0] + 2 * u[1] ** 4)], [0, 1, 1], [0, 0, 0]),
    "three, moving where they meet": ([lambda u: u[0] * (u[0] - u[1] ** 2) * (u[0] + u[1] ** 3)], [0, 0, 1], [0, 0, 0]),
    "three, at rest": ([lambda u: u[0] * (u[0] - u[1] ** 2) * (u[0] + 2 * u[1] ** 3)], [0, 0, 0], [0, 0, 0]),
    "curved alike": ([lambda u: (u[0] - u[2] ** 2) * (u[0] - u[2] ** 2 - u[1] ** 3 - u[2] ** 4)], [0, 2, 1], [2, 2]),
    "curved apart": ([lambda u: u[0] * (u[0] - u[1] ** 2) * (u[0] - u[1] ** 2 - u[2] ** 3)], [0, 1, 1], [0, 2, 2]),
    "by a sum of powers": ([lambda u: u[0] * (u[0] - u[1] ** 3 - 2 * u[2] ** 5)], [0, 0, 0], [0, 0]),
    "twice and once": ([lambda u: u[0] ** 2 * (u[0] - u[1] ** 3)], [0, 1, 0], [0, 0]),
    "one beside a point": ([lambda u: u[0] * (u[0] ** 2 + (u[1] + u[2]) ** 4)], [0, 1, 0], [0]),
    "product in z": ([lambda u: u[0] * (u[0] - u[1] ** 2) * (u[0] + u[1] ** 4) * (1.5 + u[2])], [0, 0, 1], [0, 0, 0]),
}


@pytest.mark.sampled(8)
@pytest.mark.parametrize("seed", [None, 1, 2])
@pytest.mark.parametrize("kind", SHEETS)
def test_sheets_are_counted_with_their_accelerations(kind, seed):
    rows, v, bends = SHEETS[kind]
    n = len(v)
    system, R = turned(rows, n, FORCE[:n], seed)
    found = g.classify(system, np.zeros(n), R.T @ np.array(v, dtype=float))
    truth = sorted([b, *np.round(FORCE[1:n], 6)] for b in set(bends))
    assert accelerations(found, R) == pytest.approx(np.array(truth), abs=2e-6)
    assert found.unique == (len(truth) == 1)
    assert found.motion_unique is (len(bends) == 1)
    assert found.verdict == ("locked" if len(bends) == 1 else "branching")
    assert len(bends) == 1 or f"{len(bends)} branches" in found.sentence


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_units_do_not_matter(size):
    system, R = turned([lambda u: u[0] * (u[0] - u[1] ** 3) * (u[0] + u[1] ** 4)], 3, FORCE[:3] * size, 3, size)
    found = g.classify(system, np.zeros(3), size * (R.T @ [0.0, 1.0, 0.5]))
    assert found.verdict == "branching"
    assert "3 branches" in found.sentence
    assert R @ found.candidates[0].a == pytest.approx(size * np.array([0.0, 1.1, -0.6]), rel=1e-9, abs=1e-9 * size)


def test_planes_at_rest_of_which_two_touch():
    """u₀ = 0 and u₀ = u₁³ touch, u₁ = 0 crosses both: three planes to first order, in general coordinates."""
    system, R = turned([lambda u: u[0] * (u[0] - u[1] ** 3) * (u[1] - u[2] ** 2)], 3, FORCE[:3], 5)
    found = g.classify(system, np.zeros(3))
    assert found.verdict == "branching"
    assert not found.unique
    assert accelerations(found, R) == pytest.approx(np.array([[0.0, 1.1, -0.6], [0.7, 0.0, -0.6]]), abs=1e-6)


@pytest.mark.parametrize("v", [[0, 1, 0], [0, 0, 0]])
def test_a_curve_that_ends_in_one_direction_alone_is_open(v):
    """u₀² = u₁⁴ − u₂² u₁³ is two sheets along u₁; a cone has no planes, and is no product of sheets."""
    cone, _ = turned([lambda u: u[0] ** 3 - u[0] * (u[1] ** 2 + 2 * u[2] ** 2)], 3, FORCE[:3], 4)
    found = g.classify(cone, np.zeros(3), np.zeros(3))
    assert not found.unique or found.verdict != "branching"


@pytest.mark.long
def test_an_equation_without_terms_to_the_order_reached_is_not_forgotten():
    """F = 0, F + u₁⁵ = 0 and 1.5 F − 2 u₂² = 0 leave u₀ = u₁ = u₂ = 0: no edge, no two sheets."""
    rows = [lambda u: u[0], lambda u: u[0] + u[1] ** 5, lambda u: 1.5 * u[0] - 2.0 * u[2] ** 2]
    for seed in (1, 2, 3):
        system, _ = turned(rows, 5, FORCE, seed)
        found = g.classify(system, np.zeros(5))
        assert "branching" not in found.verdicts
        assert not found.unique or found.candidates[0].a == pytest.approx(np.append(np.zeros(3), FORCE[3:]))


def test_two_sheets_are_not_a_set_on_which_another_equation_vanishes_between_them():
    """u₀ (u₀ − u₁⁴) = 0 and u₀ (u₂ − u₁²) = 0 leave u₀ = 0 and a smaller set, not two sheets that touch."""
    rows = [lambda u: u[0] * (u[0] - u[1] ** 4), lambda u: u[0] * (u[2] - u[1] ** 2)]
    system, R = turned(rows, 5, FORCE * 1e5, 1, 1e5)
    germ = germ_of(system, system.state(np.zeros(5), R.T @ [0.0, 1.0, 0.0, 1.0, 0.0]))
    assert germ.status == "open"


def test_rows_that_bind_beyond_order_four_are_not_redundant():
    """F = 0, F + 2 u₁⁵ = 0 and 1.3 F + u₂⁴ = 0 leave u₀ = u₁ = u₂ = 0, though nearby points nearly hold all rows."""
    rows = [lambda u: u[0], lambda u: u[0] + 2.0 * u[1] ** 5, lambda u: 1.3 * u[0] + u[2] ** 4]
    system, R = turned(rows, 5, FORCE, 2, 100.0)
    found = g.classify(system, np.zeros(5), R.T @ [0.0, 0.0, 0.0, 1.0, 0.5])
    assert "redundant" not in found.verdicts
    assert not found.unique


def test_a_branch_is_tested_at_its_own_points():
    """l₁ (l₀ + u₀³) = 0 and l₀ l₁² = 0 leave l₁ = 0 alone, which other parts of the first row come near to."""
    rows = [lambda u: 0.5 * (u[1] + 0.61 * u[0] ** 2) * (u[1] + 0.61 * u[0] ** 2 + 1.08 * u[0]) ** 2]
    rows += [lambda u: (1.75 * (u[1] + 0.61 * u[0] ** 2) + 0.7 * u[0] ** 3) * (u[1] + 0.61 * u[0] ** 2 + 1.08 * u[0])]
    system, R = turned(rows, 2, FORCE[:2], 19)
    found = g.classify(system, np.zeros(2))
    tangent = np.array([1.0, -1.08]) / np.hypot(1.0, 1.08)
    assert found.unique
    assert R @ found.candidates[0].a == pytest.approx(tangent * (tangent @ FORCE[:2]), abs=1e-9)


def test_accelerations_that_no_motion_confirms_are_no_branches():
    """Two lines that four quadrics share; on one of them the last row fails at the next order."""
    forms = [((1.75, 0.5), (1.5, 0.75)), ((0.5, 0.75), (0.25, 1.25)), ((1.5, 0.75), (1.0, -0.5))]

    def product(a, b, more=0.0):
        def row(u):
            first = a[0] * u[1] + a[1] * u[2]
            return first * (b[0] * (u[1] - 1.06 * u[0]) + b[1] * u[2] + more * u[0] ** 2)

        return row

    rows = [product(a, b) for a, b in forms] + [product((0.5, 0.75), (2.0, 0.75), 0.7)]
    system, _ = turned(rows, 3, FORCE[:3], None)
    found = g.classify(system, np.zeros(3))
    assert "branching" not in found.verdicts or found.accelerations.status == "undecided"


@pytest.mark.parametrize("drive", [0.0, 0.7])
def test_curves_beside_a_direction_that_moves(drive):
    """Three curves in u₀, u₁ times u₂, which is in the row for show and moves alone: u₁ is driven, or stays."""
    force = np.array([0.4, drive, -0.6])

    def row(u):
        y = (u[0] + u[2]) - u[2]
        return y * (y - u[1] ** 2) * (y - u[1] ** 3)

    system, _ = turned([row], 3, force, None)
    found = g.classify(system, np.zeros(3), [0.0, 0.0, 2.0])
    assert found.verdict == "branching"
    assert found.candidates[0].a == pytest.approx([0.0, drive, -0.6], abs=1e-9)
    assert ("meet at this state" in found.sentence) is not bool(drive)


@pytest.mark.parametrize(("before", "decided"), [(0.0, True), (2.4e-14, False)])
def test_where_sheets_begin_is_decided_where_rounding_does_not_hide_it(before, decided):
    # x² = y² z: for z < 0 the line alone, for z > 0 two sheets on which y is free, with another acceleration.
    place = (0.0, 0.0, 0.0) if decided else (-16.0, -8.1, -8.9)
    umbrella = g.System(
        "umbrella",
        coordinates="x y z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2),
        force=lambda: (1.0, -2.0, -3.0),
        constraints=[
            g.Holonomic("row", lambda q: (q.x - place[0]) ** 2 - (q.y - place[1]) ** 2 * (q.z - place[2])),
        ],
    )
    found = g.classify(umbrella, (*place[:2], place[2] - before), (0.0, 0.0, 0.5))
    if decided:
        assert found.verdict == "branching"
        assert found.candidates[0].a == pytest.approx([0.0, -2.0, -3.0], abs=1e-9)
    else:
        assert found.verdict == "higher order"
        assert not found.unique
