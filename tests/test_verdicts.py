"""Verdicts derived by hand, in any coordinates, units and scaling of the rows.

The states and their derivations are in `verdict_unique`, `verdict_several` and `verdict_none`; how coordinates, units
and rows are changed is in `singular_systems`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from singular_systems import CHANGES, plain_change, words
from singular_systems import GRAVITY as G
from verdict_cases import CASES

import gauss as g

VERDICTS = (
    *("regular", "redundant", "crossing", "locked", "branching", "higher order"),
    *("no smooth continuation", "velocity not admissible", "contradictory"),
)
# An acceleration at a singular position is known to about 1e3 rounding errors of the state, and the maps have condition
# numbers below 100: 1e5 eps is 2e-11 of numbers up to 50.
CLOSE = 1e-8


def named(case):
    return case.name


def sets_of(found):
    return frozenset(frozenset(group) for group in found.dependent)


def plain_accelerations(case, change, candidates):
    """Accelerations of a verdict in the plain coordinates."""
    _, w = change.state(np.array(case.x, dtype=float), np.array(case.v, dtype=float))
    return [change.plain_acceleration(w, c.a) for c in candidates]


def misses(case, a, other):
    """The distance of two plain accelerations in the mass metric."""
    return float(np.sqrt(np.sum(case.masses * (np.array(a) - np.array(other)) ** 2)))


def require_right(case, change, found):
    """Fail unless verdict, dependent sets and acceleration are those derived by hand."""
    assert found.verdict in (case.verdicts, case.elsewhere), f"{case.why}\n{found}"
    if case.sets is not None:
        assert sets_of(found) == words(case.sets), str(found)
    if case.a is None:
        return
    least = plain_accelerations(case, change, found.accelerations.least())
    assert len(least) == 1, f"{case.why}\n{found}"
    error = misses(case, least[0], case.a)
    assert error <= CLOSE, f"{case.why}\n{least[0]} instead of {case.a}\n{found}"
    if found.answer is not None:
        unit = np.sqrt(change.mass) * change.length / change.time**2
        assert error <= (found.error + found.solution.error_bound) * unit + CLOSE * 1e-3


# --- the states as a user writes them -------------------------------------------------------------------------------


@pytest.mark.sampled(14)
@pytest.mark.parametrize("case", CASES, ids=named)
def test_verdict_sets_and_acceleration_are_those_derived_by_hand(case):
    require_right(case, plain_change(case), case.classify(plain_change(case)))


def test_every_verdict_has_at_least_five_systems_and_all_kinds_of_rows_occur():
    count = Counter(v for case in CASES for v in case.verdicts.split(" and "))
    assert set(count) == set(VERDICTS)
    assert min(count.values()) >= 5
    for verdict in VERDICTS:
        kinds = {row.kind for case in CASES if verdict in case.verdicts.split(" and ") for row in case.rows}
        assert kinds >= {g.Holonomic, g.Pfaffian, g.Nonholonomic, g.Unilateral}, verdict
        timed = [case for case in CASES if verdict in case.verdicts and any(_timed(row) for row in case.rows)]
        assert timed, verdict


def _timed(row):
    functions = [f for f in (row.function, row.offset) if f is not None]
    return any("t" in f.__code__.co_varnames[: f.__code__.co_argcount] for f in functions)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("case", [c for c in CASES if c.a is None and c.verdicts != "higher order"], ids=named)
def test_a_state_without_a_motion_has_no_acceleration_and_names_its_rows(case):
    found = case.classify(plain_change(case))
    assert found.accelerations.status == "none"
    assert found.answer is None
    assert not found.unique
    for name in next(iter(words(case.sets))):
        assert repr(name) in found.sentence
    with pytest.raises(g.errors.ContradictoryRowsError):
        g.accelerate(case.system(plain_change(case)), case.x, case.v, case.t)


@pytest.mark.parametrize("case", [c for c in CASES if "higher order" in c.verdicts and not c.elsewhere], ids=named)
def test_where_higher_orders_decide_no_acceleration_is_called_unique(case):
    found = case.classify(plain_change(case))
    assert not found.unique
    assert not found.accelerations.complete
    assert "beyond order 4" in found.sentence


@pytest.mark.sampled(8)
@pytest.mark.parametrize("case", [c for c in CASES if "branching" in c.verdicts], ids=named)
def test_where_motions_branch_none_of_them_is_called_the_acceleration(case):
    found = case.classify(plain_change(case))
    assert not found.unique
    assert found.answer is None
    assert len(found.candidates) > 1
    step = g.accelerate(case.system(plain_change(case)), case.x, case.v, case.t)
    with pytest.raises(g.errors.NonUniqueAccelerationError):
        _ = step.a
    assert step.zwang == pytest.approx(found.accelerations.least()[0].zwang)


@pytest.mark.parametrize(
    ("force", "candidates"),
    [
        # the other foot, (1, 0, −1), and a circle of equal Zwang below the apex are under the floor z ≥ 0
        ((3.0, 0.0, 1.0), [(2.0, 0.0, 2.0)]),
        ((0.0, 0.0, -G), [(0.0, 0.0, 0.0)]),
        ((3.0, 0.0, -1.0), [(1.0, 0.0, 1.0)]),
        ((1.0, 0.0, -2.0), [(0.0, 0.0, 0.0)]),
    ],
)
def test_candidates_at_a_cone_apex_satisfy_a_closed_contact_too(force, candidates):
    system = g.System(
        "funnel",
        "x y z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2),
        force=lambda: list(force),
        constraints=[
            g.Holonomic("cone", lambda q: q.x**2 + q.y**2 - q.z**2),
            g.Unilateral("floor", lambda q: q.z),
        ],
    )
    found = g.classify(system, [0, 0, 0])
    assert all(c.a[2] >= -1e-12 for c in found.candidates)
    least = [c.a for c in found.accelerations.least()]
    assert len(least) == len(candidates)
    for a, expected in zip(least, candidates, strict=True):
        assert np.max(np.abs(a - expected)) <= 1e-12


# --- the same states in other words ---------------------------------------------------------------------------------


PAIRS = [  # every second change of each case, and everything at once; `validation/zero.py` draws the others
    (case, change)
    for i, case in enumerate(CASES)
    for k, change in enumerate(CHANGES)
    if (i + k) % 2 == 0 or change == "everything"
]


@pytest.mark.sampled(29)
@pytest.mark.parametrize(("case", "change"), PAIRS, ids=lambda x: x if isinstance(x, str) else named(x))
def test_verdict_does_not_depend_on_coordinates_units_and_rows_and_the_acceleration_transforms(case, change):
    """Each state in each change, drawn once; twice where everything is changed."""
    for seed in (0, 1) if change == "everything" else (CASES.index(case) // 2 % 2,):
        drawn = CHANGES[change](case, np.random.default_rng(seed))
        require_right(case, drawn, case.classify(drawn))


@pytest.mark.sampled(8)
@pytest.mark.parametrize("case", [c for c in CASES if len(c.rows) > 1], ids=named)
def test_verdict_does_not_depend_on_the_order_of_the_rows(case):
    turned = replace(case, rows=case.rows[::-1])
    require_right(turned, plain_change(turned), turned.classify(plain_change(turned)))


@pytest.mark.sampled(8)
@pytest.mark.parametrize("change", ["curved", "everything"])
@pytest.mark.parametrize("case", [c for c in CASES if "branching" in c.verdicts], ids=named)
def test_all_candidates_of_a_branching_state_transform(case, change):
    plain = plain_change(case)
    expected = plain_accelerations(case, plain, case.classify(plain).candidates)
    drawn = CHANGES[change](case, np.random.default_rng(7))
    found = plain_accelerations(case, drawn, case.classify(drawn).candidates)
    assert len(found) == len(expected)
    for a in expected:
        assert min(misses(case, a, b) for b in found) <= 1e-6  # roots of polynomials: the square root of CLOSE is safe


# --- doubt ----------------------------------------------------------------------------------------------------------


@pytest.mark.sampled(14)
@pytest.mark.parametrize("case", CASES, ids=named)
def test_a_state_given_exactly_leaves_no_doubt_about_its_rank(case):
    assert not case.classify(plain_change(case)).regularity.doubtful


def two_rods(angle):
    """Rows x cos α + y sin α = 0 and x = 0 in a plane with gravity, at the origin moving along y where α = 0."""
    return g.System(
        "two lines",
        "x y z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2),
        potential_energy=lambda q: 9.81 * q.z,
        parameters={"angle": angle},
        constraints=[
            g.Holonomic("first", lambda q: q.x),
            g.Holonomic("second", lambda q, p: q.x * g.cos(p.angle) + q.y * g.sin(p.angle)),
        ],
    )


@pytest.mark.parametrize("angle", [1e-13, 1e-12, 3e-12])
def test_rows_that_differ_by_little_more_than_rounding_leave_a_doubt_that_is_told(angle):
    verdict = g.classify(two_rods(angle), [0.0, 0.0, 1.0], [0.0, 0.0, 1.0])
    assert verdict.regularity.doubtful
    assert verdict.regularity.gap < 1e3 or verdict.sigma_min < 1e3 * verdict.tolerance


@pytest.mark.parametrize(("angle", "verdict"), [(0.0, "redundant"), (1e-9, "regular"), (1e-3, "regular")])
def test_rows_that_differ_by_nothing_or_by_much_leave_no_doubt(angle, verdict):
    found = g.classify(two_rods(angle), [0.0, 0.0, 1.0], [0.0, 0.0, 1.0])
    assert found.verdict == verdict
    assert not found.regularity.doubtful


def test_a_cone_is_doubtful_just_outside_its_tolerance_and_not_far_from_it():
    cone = g.System(
        "cone",
        "x y z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2),
        potential_energy=lambda q: 9.81 * q.z,
        constraints=[g.Holonomic("cone", lambda q: q.x**2 + q.y**2 - q.z**2)],
    )
    tolerance = g.classify(cone, [0.0, 0.0, 0.0], [1.0, 0.0, 1.0], length=1.0).tolerance
    near = g.classify(cone, [10 * tolerance, 0.0, 10 * tolerance], [1.0, 0.0, 1.0], length=1.0)
    far = g.classify(cone, [1e6 * tolerance, 0.0, 1e6 * tolerance], [1.0, 0.0, 1.0], length=1.0)
    assert near.regularity.doubtful
    assert not far.regularity.doubtful


def test_conditions_are_written_without_what_single_rows_give():
    bowl = g.System(  # x² = y z rises with z = t²: z'' = 2
        "bowl",
        "x y z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + 2 * v.y**2 + v.z**2) + 0.3 * v.x * v.z,
        potential_energy=lambda q: q.y,
        constraints=[
            g.Holonomic("lift", lambda q, t: q.z - t**2),
            g.Holonomic("bowl", lambda q: q.x**2 - q.y * q.z),
        ],
    )
    assert g.classify(bowl, [0, 0, 0]).conditions == ("order 4: 0.5 x''² − y'' = 0",)
