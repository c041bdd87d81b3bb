"""What rows leave near a singular position: against planted branches, closed forms, mpmath and SymPy."""

from __future__ import annotations

import itertools

import mpmath
import numpy as np
import pytest
import sympy as sp
from flint import arb, arb_series

import gauss
from gauss.errors import InputError
from gauss.foundation import precise
from gauss.functions import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cos,
    cosh,
    exp,
    fabs,
    fmax,
    hypot,
    less,
    log,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
    where,
)
from gauss.uniqueness import Germ, Noisy, OpenError, RestrictedRows, Series, Split, germ_of, germs
from gauss.uniqueness.germs.series import PLAIN as SERIES


def system_of(rows, coordinates="xy"):
    names = list(coordinates)
    constraints = [gauss.Holonomic(f"row{k}", row) for k, row in enumerate(rows)]
    return gauss.System(
        "germ", names, kinetic_energy=lambda v: sum(getattr(v, c) ** 2 for c in names) / 2, constraints=constraints
    )


def germ(rows, q, coordinates="xy", **options) -> Germ:
    system = system_of(rows, coordinates)
    return germ_of(system, system.state(q), **options)


def reduction(rows, q, coordinates, degree) -> germs.Reduction:
    s = system_of(rows, coordinates)
    parts = rows_of(s)
    split, point = germs.point_of(parts, np.array(q, dtype=float), np.zeros(s.n))
    return germs.Reduction.at(parts, split, point, degree)


def rows_of(s) -> RestrictedRows:
    return RestrictedRows(
        s.model.positions, tuple(range(s.model.m)), tuple(range(s.n)), s.model.names, (1,) * s.n, s.n, s.theta()
    )


def shape(g: Germ) -> list[tuple[int, int]]:
    """Ramification and multiplicity of every branch."""
    return sorted((branch.ramification, branch.multiplicity) for branch in g.branches)


# ------------------------------------------------------------------ power series of the rows


FUNCTIONS = [
    (sin, 0.7), (cos, 0.7), (tan, 0.4), (asin, 0.3), (acos, -0.6), (atan, 1.3), (sinh, 0.2), (cosh, -0.9), (tanh, 0.5),
    (asinh, 2.0), (acosh, 1.7), (atanh, -0.4), (exp, -1.1), (log, 0.6), (sqrt, 2.2), (fabs, -0.7),
    (lambda x: x**3, 0.9),
    (lambda x: x**2.5, 1.4), (lambda x: 2.0**x, 0.3), (lambda x: x ** (-2), 0.8),
    (lambda x: (1 + x) / (2 - x * x), 0.3),
    (lambda x: atan2(x, -1 - x), 0.5), (lambda x: atan2(1 + x, x), -0.5), (lambda x: hypot(x, 1 + x), 0.2),
    (lambda x: fmax(x, x * x), 0.4), (lambda x: where(less(x, 1), x**2, sqrt(x - 1)), 0.5),
]  # fmt: skip


@pytest.mark.parametrize("k", range(len(FUNCTIONS)))
def test_every_operation_has_the_taylor_coefficients_of_mpmath(k):
    function, x0 = FUNCTIONS[k]
    rows = rows_of(system_of([lambda q: q.y - function(q.x)]))
    with mpmath.workdps(60), precise():
        truth = mpmath.taylor(function, mpmath.mpf(x0), 5)
        start = [Noisy(arb(x0), 0.0), Noisy(arb(mpmath.nstr(truth[0], 60)), 0.0)]
        series = germs.Reduction.at(rows, Split((0,), (1,), (), (0,)), start, 5).coordinates[1].value
        got = [mpmath.mpf(series[k].mid().str(50, radius=False)) for k in range(6)]
        assert all(abs(a - b) <= 1e-25 * max(1, abs(b)) for a, b in zip(got, truth, strict=True))


def test_series_in_two_and_three_variables_are_those_of_sympy():
    x, y, z, t = sp.symbols("x y z t")
    truth = sp.exp(x * y) * sp.sin(x + 2 * y - z) / (1 + x + z**2)
    scaled = sp.series(truth.subs({x: t * x, y: t * y, z: t * z}, simultaneous=True), t, 0, 4).removeO().subs(t, 1)
    for names in ("xyw", "xyzw"):
        expected = sp.Poly(scaled if "z" in names else scaled.subs(z, 0), *([x, y, z][: len(names) - 1]))

        def row(q, names=names):
            third = q.z if "z" in names else 0.0
            return q.w - exp(q.x * q.y) * sin(q.x + 2 * q.y - third) / (1 + q.x + third**2)

        s = system_of([row], names)
        rows = rows_of(s)
        with precise():
            split = Split((0,), (s.n - 1,), (), tuple(range(s.n - 1)))
            found = germs.Reduction.at(rows, split, [Noisy(arb(0), 0.0)] * s.n, 3)
            for powers, place in found.packing.monomials:
                value = float(found.coordinates[-1].value[place])
                assert value == pytest.approx(float(expected.coeff_monomial(powers)), abs=1e-15)


@pytest.mark.parametrize("rounded", [0.1 + 0.2, 0.3, np.nextafter(0.3, 1)])
def test_a_coefficient_within_the_rounding_of_constants_is_zero(rounded):
    with precise():
        found = reduction([lambda q: q.y - (0.1 + 0.2 - rounded + 1) * q.x**2, lambda q: q.y - q.x**2], [0, 0], "xy", 4)
        assert all(found.equations[0].coefficient(place).zero for _, place in found.packing.monomials)
        clear = reduction([lambda q: q.y - (1 + 1e-13) * q.x**2, lambda q: q.y - q.x**2], [0, 0], "xy", 4)
        assert clear.equations[0].coefficient(2).zero is False


def test_the_rounding_of_a_constant_reaches_the_rows_behind_it():
    """The doubles 0.1, 0.2 and 0.7 do not add up to one; the second row has no constant of its own."""
    for share, zero in ((0.7, True), (0.7 + 1e-13, False)):

        def sums(q, share=share):
            return q.z - 0.1 * q.x**2 - 0.2 * q.x**2 - share * q.x**2

        rows = rows_of(system_of([sums, lambda q: q.z - q.x**2], "xz"))
        with precise():
            found = germs.Reduction.at(rows, Split((0,), (1,), (1,), (0,)), [Noisy(arb(0), 0.0)] * 2, 4)
            assert not found.equations[0].value[2].is_zero()
            assert found.equations[0].coefficient(2).zero is zero


# ------------------------------------------------------------------ real roots


@pytest.mark.parametrize("seed", range(12))
def test_real_roots_and_multiplicities_of_planted_polynomials(seed):
    rng = np.random.default_rng(seed)
    scale = 10.0 ** rng.integers(-9, 10)
    planted = {int(r): int(m) for r, m in zip(rng.integers(-9, 10, 3), rng.integers(1, 4, 3), strict=True)}
    x = sp.symbols("x")
    polynomial = sp.Integer(3) * (x**2 + x + 1) ** int(rng.integers(0, 2))
    for root, multiplicity in planted.items():
        polynomial *= (x - root) ** multiplicity
    coefficients = [float(c) for c in reversed(sp.Poly(sp.expand(polynomial), x).all_coeffs())]
    given = [Noisy(arb(c) * arb(scale) ** -k, germs.DUST * abs(c) * scale**-k) for k, c in enumerate(coefficients)]
    with precise():
        found = germs.real_roots(given)
    assert [(round(float(r.at.value) / scale, 9), r.multiplicity) for r in found] == sorted(planted.items())


def test_a_root_that_is_double_within_its_noise_is_double_and_one_between_is_open():
    with precise():
        for gap, count in ((0.0, 1), (1e-17, 1), (1e-12, 2), (-1e-12, 0)):
            given = [Noisy(arb(1) - arb(gap), germs.UNIT), Noisy(arb(-2), 0.0), Noisy(arb(1), 0.0)]
            assert len(germs.real_roots(given)) == count
        with pytest.raises(OpenError):
            germs.real_roots(
                [Noisy(arb(1) - arb(20 * germs.UNIT), germs.UNIT), Noisy(arb(-2), 0.0), Noisy(arb(1), 0.0)]
            )


# ------------------------------------------------------------------ plane curves


PLANE = {
    "cusp": (lambda q: q.y**2 - q.x**3, [(2, 1)]),
    "ramphoid cusp": (lambda q: (q.y - q.x**2) ** 2 - q.x**5, [(2, 1)]),
    "half of three": (lambda q: q.y**3 - q.x**4, [(3, 1)]),
    "both halves touch": (lambda q: q.y**2 - q.x**4 - q.x**5, [(1, 1), (1, 1)]),
    "circles": (lambda q: q.x**2 + q.y**2, None),
    "x2 + y6": (lambda q: q.x**2 + q.y**6, None),
    "touching and complex": (lambda q: (q.y - q.x**2) ** 2 + q.x**6, None),
    "x3 + y3": (lambda q: q.x**3 + q.y**3, [(1, 1)]),
    "double": (lambda q: (q.y - 0.1 * q.x**2) ** 2, [(1, 2)]),
    "triple beside a line": (lambda q: (q.y - sin(q.x)) ** 3 * (q.x - q.y**2), [(1, 1), (1, 3)]),
    "three lines": (lambda q: q.x * q.y * (q.x - q.y), [(1, 1)] * 3),
    "node": (lambda q: q.y**2 - q.x**2 * (1 + q.x), [(1, 1)] * 2),
    "four by four": (lambda q: (q.y**2 - q.x**3) ** 2 - q.x**7 * q.y, [(4, 1)]),
    "two cusps": (lambda q: (q.y**2 - q.x**3) * (q.x**2 - q.y**3), [(2, 1)] * 2),
    "E8": (lambda q: q.y**3 - q.x**5, [(3, 1)]),
    "no branch, tangent to the axis": (lambda q: q.y**4 + q.x**6, None),
}


@pytest.mark.parametrize("name", PLANE)
@pytest.mark.parametrize("swap", [False, True])
def test_plane_curves_have_the_branches_of_the_books(name, swap):
    row, branches = PLANE[name]
    g = germ([row], [0, 0], "yx" if swap else "xy")
    assert g.status == ("isolated" if branches is None else "curves")
    assert shape(g) == (branches or [])
    assert g.proved == all(multiplicity == 1 for _, multiplicity in branches or [])


@pytest.mark.parametrize("n", range(2, 9))
def test_two_branches_that_touch_to_any_order_are_told_apart(n):
    g = germ([lambda q: q.y * (q.y - q.x**n)], [0, 0])
    assert g.status == "curves"
    assert g.proved
    assert shape(g) == [(1, 1), (1, 1)]
    ends = sorted(branch.series[n, 1] for branch in g.branches)
    assert ends == [0.0, 1.0]
    assert all(not np.any(branch.series[2:n]) for branch in g.branches)
    found = germs.motions_at(g, np.array([3.0, 0.0]))
    curved = sorted(entry.curvature[1] for entry in found.leaving)
    assert curved == ([0.0, 18.0] if n == 2 else [0.0, 0.0])  # y = x²: a = 2 v²
    assert (found.acceleration_unique, found.motion_unique) == (n > 2, False)


@pytest.mark.long
@pytest.mark.parametrize("n", range(2, 9))
def test_branches_with_a_common_beginning_keep_it_and_their_own_terms(n):
    """y = sin x and y = sin x + 0.1 xⁿ: the mean of both is not lost where they part."""
    g = germ([lambda q: (q.y - sin(q.x)) * (q.y - sin(q.x) - 0.1 * q.x**n)], [0, 0])
    x = sp.symbols("x")
    common = [float(sp.series(sp.sin(x), x, 0, 12).removeO().coeff(x, k)) for k in range(12)]
    count = min(len(branch.series) for branch in g.branches)
    assert count > n
    found = sorted(tuple(branch.series[:count, 1]) for branch in g.branches)
    for got, added in zip(found, (0.0, 0.1), strict=True):
        truth = [c + added * (k == n) for k, c in enumerate(common[:count])]
        assert got == pytest.approx(truth, abs=1e-16)


def test_what_parts_beyond_the_order_reached_is_open():
    g = germ([lambda q: q.y * (q.y - q.x**11)], [0, 0])
    assert (g.status, g.proved, g.dimension) == ("open", False, None)


@pytest.mark.parametrize("R", [1e-9, 1e-4, 0.1, 1.0, 7.3, 1e3, 1e8, 1e12])
def test_circles_that_touch_leave_two_motions_at_every_radius(R):
    g = germ([lambda q: (q.x**2 + (q.y - R) ** 2 - R**2) * (q.x**2 + (q.y + R) ** 2 - R**2)], [0, 0])
    assert g.status == "curves"
    assert g.proved
    curvatures = sorted(2 * branch.series[2, 1] for branch in g.branches)
    assert curvatures == pytest.approx([-1 / R, 1 / R], rel=1e-14)
    found = germs.motions_at(g, np.array([R, 0.0]))
    assert (found.acceleration_unique, found.motion_unique, len(found.leaving)) == (False, False, 2)


@pytest.mark.parametrize("e", [10.0**-k for k in range(0, 17, 2)] + [1e-100])
def test_a_line_and_one_that_bends_away_leave_a_point_however_slowly(e):
    g = germ([lambda q: q.y, lambda q: q.y - e * q.x**3], [0, 0])
    assert (g.status, g.proved, g.dimension) == ("isolated", True, 0)
    if e < 1e-16:
        return  # what follows is then below 60 digits at the test points
    far = germ([lambda q: q.y - q.x**2, lambda q: q.y - q.x**2 - e * (sin(q.x) - q.x) ** 7], [0, 0])
    assert (far.status, far.proved) == ("isolated", True)


def test_near_copies_become_copies_with_open_between_and_nothing_wrong():
    """φ and φ + e x³ with constants that round: isolated for large e, one curve where e is rounding, open between."""
    seen = []
    for e in 10.0 ** np.arange(-1.0, -19.0, -1.0):
        second = float(0.3 + e)
        g = germ([lambda q: q.y - 0.3 * q.x**3, lambda q, c=second: q.y - c * q.x**3], [0, 0])
        seen.append(g.status)
        if e > 1e-13:
            assert g.status == "isolated"
        if e < 1e-16:
            assert g.status == "smooth"
    order = [seen[0]] + [b for a, b in itertools.pairwise(seen) if a != b]
    assert order in (["isolated", "smooth"], ["isolated", "open", "smooth"])


@pytest.mark.parametrize("unit", [1e-3, 1e3])
@pytest.mark.parametrize("factor", [1e-12, 1e12])
@pytest.mark.parametrize("name", ["cusp", "node", "x2 + y6", "triple beside a line", "four by four"])
def test_units_and_factors_of_rows_change_nothing(name, unit, factor):
    row, branches = PLANE[name]

    class Scaled:
        def __init__(self, q):
            self.x, self.y = q.x / unit, q.y / unit

    g = germ([lambda q: factor * row(Scaled(q))], [0, 0])
    assert shape(g) == (branches or [])
    assert g.status == ("isolated" if branches is None else "curves")


# ------------------------------------------------------------------ planted branches in general position


def planted(rng):
    """A product of factors with known branches, in shifted and scaled coordinates, perhaps behind a second row."""
    shift = np.round(rng.uniform(-2, 2, 3), 3)
    unit = 10.0 ** rng.integers(-3, 4, 2)
    kinds = rng.choice(["line", "upright", "cusp", "third", "point"], size=rng.integers(1, 4), replace=False)
    slopes = rng.permutation([-1.7, -0.6, 0.0, 0.9, 1.8])
    bends = rng.normal(size=5)
    signs = rng.choice([-1.0, 1.0], 5)
    ramification = {"line": 1, "upright": 1, "cusp": 2, "third": 3}
    factors = {
        "line": lambda x, y, w, s: w,
        "upright": lambda x, y, w, s: x - s * y**2,
        "cusp": lambda x, y, w, s: w**2 - s * x**3,
        "third": lambda x, y, w, s: w**3 - s * x**4,
        "point": lambda x, y, w, s: w**2 + x**4,
    }
    behind, multiplied = rng.random() < 0.5, rng.random() < 0.5

    def place(q):
        return q.x / unit[0] - shift[0], q.y / unit[1] - shift[1]

    def row(q):
        x, y = place(q)
        product = 1.0
        for kind, slope, bend, sign in zip(kinds, slopes, bends, signs, strict=False):
            product = product * factors[kind](x, y, y - slope * x - bend * x**2, sign)
        product = product * (1.5 + sin(x + 0.3 * y)) if multiplied else product
        return product + (0.3 + x) * second(q) if behind else product

    def second(q):
        x, y = place(q)
        return q.z - shift[2] - 0.7 * x - x * y

    at = np.array([*(shift[:2] * unit), shift[2]])
    truth = sorted(ramification[kind] for kind in kinds if kind != "point")
    return ([row, second], at, "xyz", truth) if behind else ([row], at[:2], "xy", truth)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(20))
def test_planted_branches_are_found_or_called_open(seed):
    rows, at, names, truth = planted(np.random.default_rng(seed))
    g = germ(rows, at, names)
    if g.status == "open":
        assert "rounding" in g.why
        assert seed not in range(12)  # these are decided
        return
    if g.status == "smooth":
        assert truth == [1]  # a single line is no singularity
        return
    assert [e for e, _ in shape(g)] == truth
    assert g.status == ("curves" if truth else "isolated")


# ------------------------------------------------------------------ linkages


def bar(ground, coupler, length):
    """A bar from (ground, 0) to a point of the coupler, whose pose is x, y, a."""
    return lambda q: (q.x + coupler * cos(q.a) - ground) ** 2 + (q.y + coupler * sin(q.a)) ** 2 - length**2


def residual_order(rows, branch, tau=1e-3) -> float:
    """Order in τ at which the rows are violated along the series of a branch, with 60 digits."""
    with mpmath.workdps(60):
        sizes = []
        for t in (tau, tau / 2):
            q = [sum(mpmath.mpf(c) * mpmath.mpf(t) ** k for k, c in enumerate(column)) for column in branch.series.T]
            point = type("point", (), dict(zip("xya", q, strict=True)))()
            sizes.append(max(abs(row(point)) for row in rows))
        return float(mpmath.log(sizes[0] / sizes[1], 2)) if sizes[1] else np.inf


FOUR_BAR = [bar(0.0, 0.0, 0.25), bar(1.5, 1.5, 0.25)]  # exact in binary


def test_a_parallelogram_at_its_flat_position_crosses():
    g = germ(FOUR_BAR, [0.25, 0.0, 0.0], "xya")
    assert g.status == "curves"
    assert g.proved
    assert shape(g) == [(1, 1), (1, 1)]
    parallel = min(g.branches, key=lambda branch: np.max(np.abs(branch.series[1:, 2])))
    assert not np.any(parallel.series[1:, 2])  # the coupler does not turn, and its point runs on a circle
    assert parallel.series[2, 0] / parallel.series[1, 1] ** 2 == pytest.approx(-1 / (2 * 0.25), rel=1e-15)
    assert all(residual_order(FOUR_BAR, branch) > 3.9 for branch in g.branches)
    v = 2.0 * parallel.series[1]
    found = germs.motions_at(g, v)
    assert [entry.through for entry in found.leaving] == [True]
    assert found.leaving[0].curvature == pytest.approx([-(v[1] ** 2) / 0.25, 0.0, 0.0])
    assert (found.acceleration_unique, found.motion_unique) == (True, True)
    assert len(germs.motions_at(g, np.zeros(3)).half_tangents) == 4


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3, 1e6])
def test_a_third_equal_bar_leaves_the_parallel_motion_alone_and_one_slightly_off_leaves_none(unit):
    def bars(gap):
        return [
            bar(0.0, 0.0, 0.3 * unit),
            bar(1.1 * unit, 1.1 * unit, 0.3 * unit),
            bar(0.7 * unit, (0.7 + gap) * unit, (0.3 + gap) * unit),
        ]

    for gap in (0.0, 1e-1, 1e-4, 1e-8, 1e-12, 3e-15, 1e-17):
        g = germ(bars(gap), [0.3 * unit, 0.0, 0.0], "xya")
        if gap == 0.0 or gap < 1e-16:
            assert g.status == "curves"
            assert shape(g) == [(1, 1)]
            assert not np.any(g.branches[0].series[1:, 2])
        elif gap > 1e-13:
            assert (g.status, g.proved) == ("isolated", True)
        else:
            assert g.status in ("open", "isolated", "curves")


def test_redundant_rows_leave_a_manifold():
    def sphere(q):
        return q.x**2 + q.y**2 + q.z**2 - 1

    g = germ([sphere, lambda q: sphere(q) * (1.5 + sin(q.x))], [0.6, 0.0, 0.8], "xyz")
    assert (g.status, g.dimension, g.proved) == ("smooth", 2, False)  # evidence, however strong, is no proof
    assert np.abs(np.array([0.6, 0.0, 0.8]) @ g.tangents) == pytest.approx([0.0, 0.0], abs=1e-15)
    assert np.linalg.matrix_rank(g.tangents) == 2
    near = germ([sphere, lambda q: sphere(q) * (1.5 + sin(q.x)) + (q.y + 0.5) ** 9], [0.6, -0.5, np.sqrt(0.39)], "xyz")
    assert near.status == "open" or (near.status, shape(near)) == ("curves", [(1, 9)])


def test_parts_that_share_no_coordinates_make_a_product():
    rows = [lambda q: q.y * (q.y - q.x**2), lambda q: q.b**2 - q.a**3, lambda q: q.z - 2 * q.w]
    g = germ(rows, [0] * 6, "xyabzw")
    assert g.status == "product"
    assert g.dimension == 2
    assert [shape(part) for part in g.factors] == [[(1, 1), (1, 1)], [(2, 1)]]
    assert g.coordinates == (0, 1, 2, 3)
    fixed = germ([rows[0], lambda q: q.a**2 + q.b**2], [0] * 4, "xyab")
    assert fixed.status == "curves"
    assert fixed.dimension == 1
    assert len(fixed.branches) == 2
    coupled = germ([rows[0], lambda q: q.w - q.z - q.x], [0] * 4, "xyzw")
    assert coupled.status == "product"
    assert coupled.dimension == 2
    assert not coupled.proved


def test_definite_forms_of_three_coordinates_leave_a_point():
    assert germ([lambda q: q.x**2 + q.y**2 + q.z**2 + q.x * q.y], [0] * 3, "xyz").status == "isolated"
    assert germ([lambda q: q.x**2 + q.y**6 + q.z**4 + q.x * q.y**4], [0] * 3, "xyz").status == "isolated"
    assert germ([lambda q: q.x**2 + q.y**2 - q.z**2], [0] * 3, "xyz").status == "open"
    assert germ([lambda q: q.x**2 + q.y**4 + q.z**2 + 3 * q.x * q.y**2], [0] * 3, "xyz").status == "open"


# ------------------------------------------------------------------ motions


def test_from_rest_a_cusp_lets_go_to_one_side_and_a_point_not_at_all():
    cusp = germs.motions_at(germ([lambda q: q.y**2 - q.x**3], [0, 0]), np.zeros(2))
    assert cusp.half_tangents.tolist() == [[1.0, 0.0]]
    assert cusp.acceleration_unique is False
    left = germs.motions_at(germ([lambda q: q.y**2 + q.x**3], [0, 0]), np.zeros(2))
    assert left.half_tangents.tolist() == [[-1.0, 0.0]]
    through = germs.motions_at(germ([lambda q: q.y**3 - q.x**4], [0, 0]), np.zeros(2))
    assert sorted(through.half_tangents.tolist()) == [[-1.0, 0.0], [1.0, 0.0]]
    rigid = germs.motions_at(germ([lambda q: q.y**2 + q.x**6], [0, 0]), np.zeros(2))
    assert len(rigid.half_tangents) == 0
    assert rigid.acceleration_unique
    assert rigid.motion_unique


@pytest.mark.parametrize(
    ("row", "v", "bounded", "through", "unique"),
    [
        (lambda q: q.y**2 - q.x**3, [1.0, 0.0], 0, False, (False, False)),  # y = x^1.5: unbounded on both halves
        (lambda q: (q.y - q.x**2) ** 2 - q.x**5, [1.0, 0.0], 2, False, (True, False)),  # a = 2 on both halves
        (lambda q: (q.y - q.x**2) ** 2 - q.x**5, [-1.0, 0.0], 0, False, (False, False)),  # no set on that side
        (lambda q: q.y**3 - q.x**4, [1.0, 0.0], 0, False, (False, False)),  # y = x^(4/3)
        (lambda q: q.y**3 - q.x**7, [1.0, 0.0], 1, True, (True, True)),  # y = x^(7/3)
    ],
)
def test_which_branches_carry_a_velocity(row, v, bounded, through, unique):
    found = germs.motions_at(germ([row], [0, 0]), np.array(v))
    kept = [entry for entry in found.leaving if entry.curvature is not None]
    assert len(kept) == bounded
    assert all(entry.through == through for entry in kept)
    assert (found.acceleration_unique, found.motion_unique) == unique


# ------------------------------------------------------------------ states and input


def test_a_state_beside_the_singular_point_is_at_it_within_its_doubt():
    rows = [lambda q: q.y * (q.y - q.x**2)]
    assert germ(rows, [1e-9, 0.0]).status == "smooth"  # regular, two motions 1e-18 apart
    beside = germ(rows, [1e-9, 0.0], doubt=[1e-7, 1e-7])
    assert beside.status == "curves"
    assert len(beside.branches) == 2
    off = germ([lambda q: q.y, lambda q: q.y - q.x**3], [0.0, 1e-6])
    assert off.status == "open"
    assert "off" in off.why


def test_rows_without_a_power_series_are_open_and_say_so():
    g = germ([lambda q: fabs(q.y) * q.x], [0, 0])
    assert g.status == "open"
    assert "fabs" in g.why


def test_rows_that_depend_on_time_or_are_not_holonomic_are_refused():
    moving = gauss.System(
        "moving",
        ["x"],
        kinetic_energy=lambda v: v.x**2 / 2,
        constraints=[gauss.Holonomic("driven", lambda q, t: q.x - t), gauss.Pfaffian("knife", lambda q: [1.0])],
    )
    with pytest.raises(InputError, match="driven"):
        germ_of(moving, moving.state([0.0]), ["driven"])
    with pytest.raises(InputError, match="knife"):
        germ_of(moving, moving.state([0.0]), ["knife"])


def test_roots_of_series_with_terms_far_apart_are_roots():
    """1 + c X^150 + …, c about 1e-76: FLINT's own square root of such a series ends the process."""
    given = [0] * 625
    places = ((0, 1.0, 3e-76), (150, -4e-76, 8e-76), (300, 6e-76, 1e-75), (450, 1e-76, 2e-75), (600, -1e-74, 6e-75))
    for place, value, radius in places:
        given[place] = arb(value, radius)
    with precise():
        x = arb_series(given, 625)
        for name, back in (("sqrt", lambda y: y * y), ("asin", lambda y: y.sin()), ("acos", lambda y: y.cos())):
            scaled = x if name == "sqrt" else x / 2
            found = SERIES[name](Series(scaled, None)).value
            left = (back(found) - scaled).coeffs()
            assert all(c.contains(0) and float(c.rad()) < 1e-60 for c in left)
