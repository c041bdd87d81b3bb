"""`find_singular` reaches singular positions that are known by geometry or planted, and says when there is none."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest
from proofs import together

import gauss as g
from gauss.uniqueness import find_singular

EPS = float(np.finfo(float).eps)
SCENARIOS = Path(__file__).resolve().parent.parent / "scenarios"
EXACT = (
    1e-13  # relative to the size of the position: a hundred rounding errors and the condition of the equations, < 10
)


scenario = functools.cache(together)


def unit_mass(v):
    """Kinetic energy of unit masses on all coordinates."""
    return 0.5 * sum(speed**2 for speed in v)


def point(name, rows, coordinates="x y z", **functions):
    return g.System(name, coordinates, kinetic_energy=unit_mass, constraints=rows, **functions)


def rows_at(system, q, v=None, t=0.0):
    """J of all rows at a position, from the model itself."""
    state = system.state(q, v, t)
    return system.model.terms(state.q, state.v, state.t, system.theta()).J


def expect_found(found, system, q, *, rank, freedoms, beside, v=None, t=0.0):
    """Compare a position that was found with the known one, and its numbers with the rows of the model."""
    size = max(1.0, float(np.max(np.abs(q))))
    assert found.q == pytest.approx(np.array(q, dtype=float), abs=EXACT * size)
    assert (found.rank, found.freedoms, found.generic_mobility) == (rank, freedoms, beside)
    assert found.count == system.n - len(system.model.equality)
    J = rows_at(system, found.q, v, t)
    assert np.linalg.norm(found.left) == pytest.approx(1.0, rel=10 * EPS)
    assert np.linalg.norm(found.left @ J) <= EXACT * max(1.0, float(np.linalg.norm(J)))
    assert found.sigma_min <= EXACT


# --- linkages ---------------------------------------------------------------------------------------------------


@pytest.mark.sampled(8)
@pytest.mark.parametrize("size", [0.0, 1e-9, 1e-6, 1e-3, 0.1])
@pytest.mark.parametrize(("a", "b"), [(1.0, 0.6), (0.7, 1.3), (2.0, 0.25), (1.0, 1.0)])
def test_parallelogram_is_singular_where_it_is_flat(a, b, size):
    """All bars on the x axis; the two ways to move on from there are known, so beside it there is one freedom."""
    system = scenario("four_bar_chain").parallelogram(a, b)
    flat = np.array([b, 0.0, a + b, 0.0])
    aside = np.random.default_rng(1).normal(size=4) * size * min(a, b)
    found = find_singular(system, flat + aside)
    expect_found(found, system, flat, rank=2, freedoms=2, beside=1)
    assert found.rows == system.row_names
    M = system.model.terms(flat, np.zeros(4), 0.0, system.theta()).M
    assert found.distance == pytest.approx(np.sqrt(aside @ M @ aside), rel=1e-6, abs=10 * EPS)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("start", [0.05, 0.3, 0.9])
@pytest.mark.parametrize("N", [2, 5])
def test_chain_loses_all_loops_at_once_where_it_is_flat(N, start):
    """N of the 2N + 1 rows are lost together, on the constraint set and off it; N + 1 lines part there."""
    chain = scenario("four_bar_chain")
    system, flat = chain.chain(N), chain.positions(N, 0.0)
    aside = 0.03 * start * np.random.default_rng(2).normal(size=2 * N + 2)
    found = find_singular(system, chain.positions(N, start) + aside)
    expect_found(found, system, flat, rank=N + 1, freedoms=N + 1, beside=1)
    assert found.rows == system.row_names


def test_chain_folded_to_the_other_side_is_the_nearest_from_there():
    chain = scenario("four_bar_chain")
    system = chain.chain(2)
    found = find_singular(system, chain.positions(2, 2.6))
    expect_found(found, system, chain.positions(2, np.pi), rank=3, freedoms=3, beside=1)


def test_linkage_in_angles_is_singular_at_the_same_position():
    """The same flat parallelogram by the angles of its bars and two closure rows, which share no row with the other."""
    a, b = 1.0, 0.6
    rows = [
        g.Holonomic("closure x", lambda q: b * g.cos(q.one) + a * g.cos(q.two) - b * g.cos(q.three) - a),
        g.Holonomic("closure y", lambda q: b * g.sin(q.one) + a * g.sin(q.two) - b * g.sin(q.three)),
    ]
    system = point("parallelogram in angles", rows, "one two three")
    found = find_singular(system, [0.2, 0.05, 0.3])
    expect_found(found, system, [0.0, 0.0, 0.0], rank=1, freedoms=2, beside=1)
    assert found.rows == ("closure x",)  # its derivative, all sines, vanishes; that of the other row does not


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_slider_crank_with_equal_links_is_singular_with_the_crank_across(side):
    """s = 2x and s = 0 both satisfy the rod; they cross where x = 0."""
    rows = [
        g.Holonomic("crank", lambda q: q.x**2 + q.y**2 - 1.0),
        g.Holonomic("rod", lambda q: (q.x - q.s) ** 2 + q.y**2 - 1.0),
    ]
    system = point("slider-crank", rows, "x y s")
    found = find_singular(system, {"x": 0.2, "y": 0.95 * side, "s": 0.3})
    expect_found(found, system, [0.0, side, 0.0], rank=1, freedoms=2, beside=1)
    assert found.rows == ("crank", "rod")
    assert np.abs(found.left) == pytest.approx(np.full(2, np.sqrt(0.5)), rel=EXACT)


@pytest.mark.parametrize("gap", [1e-2, 1e-4, 1e-6, 1e-8])
def test_linkage_that_just_misses_a_flat_position_has_none(gap):
    """The bars cannot all lie on one line if the coupler is longer than the ground by `gap`, with equal rockers."""
    linkage = scenario("four_bar_chain").linkage([0.0, 1.0], 0.6, 1.0 + gap, "near miss")
    with pytest.raises(g.errors.GaussError, match="no singular position") as caught:
        find_singular(linkage, [0.6, 0.02, 1.6, 0.02])
    assert type(caught.value) is g.errors.GaussError
    assert "smallest singular value" in str(caught.value)


# --- surfaces ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("near", [[0.3, 0.4, 0.5], [0.3, 0.1, 0.4], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [1e-9, 0, 0]])
def test_apex_of_a_cone_is_where_its_row_vanishes(near):
    cone = scenario("cone_apex").system
    found = find_singular(cone, near)
    expect_found(found, cone, [0.0, 0.0, 0.0], rank=0, freedoms=3, beside=2)
    assert found.rows == ("cone",)
    assert "the row 'cone' vanishes" in found.verdict


TOUCHING = {  # surface: position that is found from (0.1, 0.2, 0.05), dimension of what the two surfaces share
    "saddle": ([0.0, 0.0, 0.0], 1),
    "bowl": ([0.0, 0.0, 0.0], 0),
    "trough": ([0.0, 0.2, 0.0], 1),
}


@pytest.mark.parametrize("surface", TOUCHING)
def test_surfaces_are_dependent_where_they_touch(surface):
    """Both rows are (0, 0, 1) there. All points of the trough's line touch, a point is all that the bowl shares."""
    system = scenario("touching_surfaces").touching(surface)
    place, dimension = TOUCHING[surface]
    found = find_singular(system, [0.1, 0.2, 0.05])
    expect_found(found, system, place, rank=1, freedoms=2, beside=dimension)
    assert found.rows == ("plane", surface)


def test_surfaces_that_touch_to_third_order_are_found_to_the_root_of_rounding():
    """h = x³ − 3xy² has the slope r² at the distance r: it is below rounding where r is below its root."""
    system = scenario("touching_surfaces").touching("monkey saddle")
    found = find_singular(system, [0.1, 0.2, 0.05])
    assert found.q == pytest.approx(np.zeros(3), abs=10 * np.sqrt(EPS))
    assert (found.rank, found.freedoms, found.generic_mobility) == (1, 2, 1)


def test_plane_and_line_that_meet():
    """x z = y z = 0 is the plane z = 0, where the rows are redundant, and the z axis, where they are not."""
    system = point("plane and line", [g.Holonomic("a", lambda q: q.x * q.z), g.Holonomic("b", lambda q: q.y * q.z)])
    for near in ([0.1, 0.05, 0.2], [0.1, 0.2, 0.0], [0.0, 0.0, 0.3]):
        expect_found(find_singular(system, near), system, [0.0, 0.0, 0.0], rank=0, freedoms=3, beside=2)


# --- planted positions ------------------------------------------------------------------------------------------


def planted(n, m, lost, seed):
    """Return m quadrics of n coordinates through a random position where the rank is m − lost, and the position."""
    rng = np.random.default_rng(seed)
    place = rng.normal(size=n)
    J = rng.normal(size=(m, m - lost)) @ rng.normal(size=(m - lost, n))
    H = rng.normal(size=(m, n, n))
    H = H + H.swapaxes(1, 2)

    def row(k):
        def value(q):
            x = [q[i] - place[i] for i in range(n)]
            bent = sum(H[k, i, j] * x[i] * x[j] for i in range(n) for j in range(n))
            return sum(J[k, i] * x[i] for i in range(n)) + bent / 2

        return g.Holonomic(f"row {k}", value)

    system = point("planted", [row(k) for k in range(m)], [f"q{i}" for i in range(n)])
    return system, place, J


@pytest.mark.long
@pytest.mark.parametrize(
    ("n", "m", "lost"), [(3, 1, 1), (3, 2, 1), (4, 3, 1), (6, 4, 1), (6, 4, 2), (5, 5, 1), (8, 5, 2)]
)
def test_planted_positions_are_found_exactly(n, m, lost):
    """Random quadrics meet no other singular position this near; their condition is measured."""
    for seed in range(3):
        system, place, J = planted(n, m, lost, seed)
        aside = np.random.default_rng(seed + 100).normal(size=n)
        found = find_singular(system, place + 3e-3 * aside / np.linalg.norm(aside))
        kept = np.linalg.svd(J, compute_uv=False)
        condition = kept[0] / kept[m - lost - 1] if m > lost else 1.0
        assert np.max(np.abs(found.q - place)) <= 100 * EPS * condition * max(1.0, float(np.max(np.abs(place)))) * n
        assert (found.rank, found.freedoms, found.count) == (m - lost, n - m + lost, n - m)
        left = np.linalg.svd(J)[0][:, m - lost :]
        assert np.linalg.norm(left.T @ found.left) == pytest.approx(1.0, abs=1e-9)  # in the space of all combinations


# --- other kinds of rows, redundant rows ------------------------------------------------------------------------


def test_two_skates_are_dependent_where_both_are_across_the_line_that_joins_them():
    """Skates at (x, y) and l ahead of it, steered by α and β: their rows are (−sin, cos, l cos α) and (−sin, cos, 0)
    of the angles φ + α and φ + β, which are parallel where α = β = π/2 only (in this range). Then the body may turn."""
    length = 0.8

    def blade(ahead, steering):
        def row(q):
            angle = q.phi + steering(q)
            return {"x": -g.sin(angle), "y": g.cos(angle), "phi": ahead * g.cos(steering(q))}

        return row

    rows = [g.Pfaffian("front", blade(length, lambda q: q.alpha)), g.Pfaffian("back", blade(0.0, lambda q: q.beta))]
    system = point("two skates", rows, "x y phi alpha beta")
    found = find_singular(system, [0.3, -0.2, 0.7, 1.3, 1.8])
    expect_found(found, system, [*found.q[:3], np.pi / 2, np.pi / 2], rank=1, freedoms=4, beside=3)
    assert found.rows == ("front", "back")


def test_pfaffian_rows_demand_nothing_else_of_the_position():
    """ż = 0 and ż + x ẏ − y ẋ = 0 are dependent on the z axis; the nearest point of it has the same z."""
    rows = [g.Pfaffian("flat", lambda q: [0.0, 0.0, 1.0]), g.Pfaffian("bent", lambda q: [-q.y, q.x, 1.0])]
    system = point("bent", rows)
    found = find_singular(system, [0.3, 0.2, 0.7])
    expect_found(found, system, [0.0, 0.0, 0.7], rank=1, freedoms=2, beside=1)
    assert found.distance == pytest.approx(np.hypot(0.3, 0.2), rel=EXACT)


def test_rows_nonlinear_in_the_velocities_are_taken_at_the_velocity_given():
    """ψ = ẋ² + ẏ² − 5 has the row 2(ẋ, ẏ), parallel to (x, y) where the position lies along the velocity."""
    rows = [g.Nonholonomic("speed", lambda v: v.x**2 + v.y**2 - 5.0), g.Pfaffian("radial", lambda q: [q.x, q.y])]
    system = point("speed", rows, "x y")
    velocity = [1.0, 2.0]
    found = find_singular(system, [1.0, 0.3], velocity)
    expect_found(found, system, np.array(velocity) * found.q[0], rank=1, freedoms=1, beside=0, v=velocity)
    assert found.q[0] > 0.1


def test_moving_rows_are_taken_at_the_time_given():
    """The cone x² + y² = (z − t)² has its apex at the height t."""
    cone = point("moving cone", [g.Holonomic("cone", lambda q, t: q.x**2 + q.y**2 - (q.z - t) ** 2)])
    found = find_singular(cone, [0.1, 0.2, 3.3], t=3.0)
    expect_found(found, cone, [0.0, 0.0, 3.0], rank=0, freedoms=3, beside=2, t=3.0)


def repeated(N):
    """The chain with its first rocker again in other units, and the sum of two bars."""
    chain = scenario("four_bar_chain").chain(N)

    def both(q):
        return q.x0**2 + q.y0**2 - 1.0 + (q.x1 - q.x0) ** 2 + (q.y1 - q.y0) ** 2 - 1.0

    again = [g.Holonomic("again", lambda q: 1e3 * (q.x0**2 + q.y0**2 - 1.0)), g.Holonomic("sum", both)]
    return point("repeated", [*chain.constraints, *again], chain.coordinates)


@pytest.mark.parametrize("N", [1, 2, 5])
def test_repeated_rows_hide_no_singular_position(N):
    """They are dependent everywhere; what is found is where the rank is lower."""
    system = repeated(N)
    flat = scenario("four_bar_chain").positions(N, 0.0)
    found = find_singular(system, scenario("four_bar_chain").positions(N, 0.2))
    expect_found(found, system, flat, rank=N + 1, freedoms=N + 1, beside=1)
    assert found.count == -1  # the count n − m does not know of repetitions
    assert {f"rocker {i}" for i in range(1, N + 1)} <= set(found.rows)


def test_duplicated_row_alone_is_not_a_singular_position():
    twice = scenario("duplicated_joint").system
    with pytest.raises(g.errors.GaussError, match="all over the constraint set near it the rows have the rank 1"):
        find_singular(twice, [0.1, -0.8])


def test_bricard_mechanism_is_redundant_and_nowhere_singular_near_its_start():
    """24 rows of rank 23 on the constraint set, 24 off it."""
    bricard = scenario("bricard")
    with pytest.raises(g.errors.GaussError, match="all over the constraint set near it the rows have the rank 23"):
        find_singular(bricard.system, bricard.start.q)


def test_unilateral_rows_are_left_out():
    cone = scenario("cone_apex").system
    rows = [*cone.constraints, g.Unilateral("floor", lambda q: q.z + 5.0)]
    system = point("cone over a floor", rows)
    found = find_singular(system, [0.3, 0.1, 0.4])
    assert found.rows == ("cone",)
    assert found.left.shape == (1,)
    assert found.count == 2


# --- no singular position, and wrong arguments ------------------------------------------------------------------


def test_sphere_has_no_singular_position():
    sphere = point("sphere", [g.Holonomic("sphere", lambda q: q.x**2 + q.y**2 + q.z**2 - 1.0)])
    with pytest.raises(g.errors.GaussError, match=r"'sphere' was reached.*smallest singular value .*Start nearer"):
        find_singular(sphere, [0.1, 0.0, 0.99])


def test_arguments_that_do_not_fit_are_refused():
    cone = scenario("cone_apex").system
    free = g.System("free", "x", kinetic_energy=unit_mass)
    for wrong in (
        lambda: find_singular("cone", [0.0, 0.0, 0.0]),
        lambda: find_singular(cone, [0.0, 0.0]),
        lambda: find_singular(cone, {"w": 0.0}),
        lambda: find_singular(cone, [0.0, 0.0, np.nan]),
        lambda: find_singular(cone, [0.0, 0.0, 1.0], length=-1.0),
        lambda: find_singular(free, [0.0]),
    ):
        with pytest.raises(g.errors.InputError):
            wrong()


# --- invariance -------------------------------------------------------------------------------------------------


def scaled_linkage(metre, kilogram, factor):
    """The parallelogram with lengths, masses and one row in other units."""
    a, b = 1.0 * metre, 0.6 * metre
    rows = [
        g.Holonomic("left", lambda q: factor * (q.x**2 + q.y**2 - b**2)),
        g.Holonomic("right", lambda q: (q.u - a) ** 2 + q.w**2 - b**2),
        g.Holonomic("coupler", lambda q: ((q.u - q.x) ** 2 + (q.w - q.y) ** 2 - a**2) / metre**2),
    ]
    return g.System(
        "scaled", "x y u w", kinetic_energy=lambda v: 0.5 * kilogram * sum(x**2 for x in v), constraints=rows
    )


@pytest.mark.parametrize(("metre", "kilogram", "factor"), [(1e3, 1.0, 1.0), (1e-3, 1e3, -1.0), (1e6, 1e-3, 1e-9)])
def test_units_and_factors_of_rows_change_nothing(metre, kilogram, factor):
    near = np.array([0.55, 0.2, 1.57, 0.1])
    plain = find_singular(scaled_linkage(1.0, 1.0, 1.0), near)
    scaled = find_singular(scaled_linkage(metre, kilogram, factor), near * metre)
    assert scaled.q / metre == pytest.approx(np.array([0.6, 0.0, 1.6, 0.0]), abs=EXACT)
    assert scaled.distance == pytest.approx(plain.distance * metre * np.sqrt(kilogram), rel=1e-9)
    assert (scaled.rank, scaled.freedoms, scaled.generic_mobility) == (2, 2, 1)
    assert scaled.rows == plain.rows
    J = rows_at(scaled_linkage(metre, kilogram, factor), scaled.q)
    assert np.linalg.norm(scaled.left @ J) <= EXACT * np.max(np.abs(scaled.left)[:, None] * np.abs(J))


def test_a_distant_origin_changes_nothing():
    linkage = scenario("four_bar_chain").linkage([1000.0, 1001.0], 0.6, 1.0, "far away")
    near = [1000.0 + 0.6 * np.cos(0.3), 0.6 * np.sin(0.3), 1001.0 + 0.6 * np.cos(0.2), 0.6 * np.sin(0.2)]
    for length in (None, 1.0):
        found = find_singular(linkage, near, length=length)
        expect_found(found, linkage, [1000.6, 0.0, 1001.6, 0.0], rank=2, freedoms=2, beside=1)


def test_the_same_position_is_found_from_the_position_itself():
    system, flat = scenario("four_bar_chain").chain(5), scenario("four_bar_chain").positions(5, 0.0)
    found = find_singular(system, flat)
    assert np.array_equal(found.q, flat)
    assert found.distance == 0.0


def test_the_text_names_rows_counts_and_place():
    found = find_singular(scenario("four_bar_chain").parallelogram(1.0, 0.6), [0.58, 0.1, 1.58, 0.1])
    for part in ("'rocker 0' + 'rocker 1' + 'coupler 0' become dependent", "the rank is 2", "2 freedoms here"):
        assert part in found.verdict
    assert "1 beside it; the count n − m is 1" in found.verdict
    assert "x0 = 0.6" in str(found)
