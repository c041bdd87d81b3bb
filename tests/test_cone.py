"""Stationary points of the Zwang on quadrics: complete lists, kinds, continua, locked sets, lower bounds."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import brute_quadrics as brute
import mpmath
import numpy as np
import pytest

from gauss.errors import InputError
from gauss.numerics import Quadric, stationary
from gauss.numerics.quadrics import several

VALIDATION = Path(__file__).resolve().parent.parent / "validation"
EPS = np.finfo(float).eps
STAECKEL = np.diag([1.0, 1.0, -1.0])
CONE = Quadric(STAECKEL, np.zeros(3), 0.0)
FOUND = 1e-6  # relative distance within which a point found by brute force (Newton to 1e-10, κ ≤ 1e4) is in the list


def homogeneous(S, sense="="):
    S = np.array(S, dtype=float)
    return Quadric(S, np.zeros(len(S)), 0.0, sense)


def rotation(rng, d):
    return np.linalg.qr(rng.normal(size=(d, d)))[0]


def symmetric(rng, d):
    S = rng.normal(size=(d, d))
    return S + S.T


def random_quadric(rng, d, kind):
    """A generic quadric, a cone, one with equal and vanishing eigenvalues, or such a one along the axes."""
    if kind == "generic":
        return symmetric(rng, d), rng.normal(size=d), float(rng.normal())
    if kind == "cone":
        return symmetric(rng, d), np.zeros(d), 0.0
    values = rng.choice([-1.0, 1.0, 2.0, 0.0], size=d)
    values[:2] = 1.0, -1.0  # at least a hyperbola
    level = float(rng.normal() * rng.integers(0, 2))
    if kind == "repeated":
        Q = rotation(rng, d)
        S = Q @ np.diag(values) @ Q.T
        return (S + S.T) / 2.0, rng.normal(size=d) * rng.integers(0, 2), level
    return np.diag(values), np.where(rng.random(d) < 0.3, rng.normal(size=d), 0.0), level


KINDS = ("generic", "cone", "repeated", "axes")


def listed(found, y, close=FOUND):
    """Whether y is one of the points or a member of a family."""
    limit = close * (1.0 + np.linalg.norm(y))
    return any(np.linalg.norm(p.y - y) <= limit for p in found.points) or any(
        f.contains(y, limit) for f in found.families
    )


def kinds(found):
    return [p.kind for p in found.points]


# --- Stäckel's cone ----------------------------------------------------------------------------------------------


def feet(target):
    """The feet of the perpendiculars on the two generators in the plane through the axis and the target."""
    rho, Z = float(np.hypot(target[0], target[1])), float(target[2])
    e, up = np.array(target[:2]) / rho, np.copysign(1.0, Z)
    near = np.append(e * (rho + abs(Z)) / 2.0, up * (rho + abs(Z)) / 2.0)
    return near, np.append(e * (rho - abs(Z)) / 2.0, -up * (rho - abs(Z)) / 2.0)


@pytest.mark.long
def test_the_stationary_points_on_staeckels_cone_are_the_two_feet_down_to_a_billionth_of_the_axis():
    rng = np.random.default_rng(1)
    for k in range(1000):
        size, share = 10.0 ** rng.uniform(-3, 3), 10.0 ** rng.uniform(-9, 0)
        angle = rng.uniform(0.0, 2.0 * np.pi)
        target = size * np.array(
            [share * np.cos(angle), share * np.sin(angle), np.sqrt(1.0 - share**2) * rng.choice([-1.0, 1.0])]
        )
        Q = rotation(rng, 3) if k % 2 else np.eye(3)
        S = Q @ STAECKEL @ Q.T
        found = stationary(Q @ target, [homogeneous((S + S.T) / 2.0)])
        rho = np.hypot(target[0], target[1])
        # Stated accuracy: the direction ⊥ axis is known to rounding relative to ρ, everything else relative to |F|.
        bound = 1e-12 * size * size / rho
        near, far = feet(target)
        points = {p.kind: p for p in found.points}
        second = "local minimum" if abs(target[2]) < rho else "saddle"
        assert set(points) == {"global minimum", second, "vertex"}
        assert np.linalg.norm(Q.T @ points["global minimum"].y - near) <= bound
        assert np.linalg.norm(Q.T @ points[second].y - far) <= bound
        assert points["global minimum"].value == pytest.approx((rho - abs(target[2])) ** 2 / 4.0, abs=1e-12 * size**2)
        assert (found.status, found.complete, found.globally_certified) == ("finite", True, True)


def test_equal_distances_give_two_global_minimisers():
    found = stationary([3.0, 4.0, 0.0], [CONE])
    assert kinds(found) == ["global minimum", "global minimum", "vertex"]
    assert sorted(p.y[2] for p in found.minimisers) == pytest.approx([-2.5, 2.5], abs=10 * EPS)
    assert [p.value for p in found.minimisers] == pytest.approx([6.25, 6.25], abs=100 * EPS)


def test_a_target_on_the_axis_has_a_circle_of_minimisers():
    g = 9.81
    found = stationary([0.0, 0.0, -g], [CONE])
    assert (found.status, found.complete, found.globally_certified) == ("continuum", True, True)
    (circle,) = found.minimisers
    assert (circle.dimension, circle.kind, circle.least) == (1, "global minimum", True)
    assert circle.value == pytest.approx(g * g / 4.0, rel=100 * EPS)
    members = np.vstack([circle.sample(50, 3), [circle.point(s) for s in np.linspace(0.0, 6.0, 7)]])
    assert np.hypot(members[:, 0], members[:, 1]) == pytest.approx(g / 2.0, rel=100 * EPS)
    assert members[:, 2] == pytest.approx(-g / 2.0, rel=100 * EPS)
    assert np.ptp(members[:, 0]) > 1.9 * g / 2.0
    for y in members:
        assert y - [0, 0, -g] == pytest.approx(circle.multipliers[0] * CONE.slope(y), abs=100 * EPS * g)


def test_the_second_foot_becomes_the_vertex_where_it_changes_from_minimum_to_saddle():
    assert kinds(stationary([3.0, 4.0, 5.0], [CONE])) == ["global minimum", "vertex"]
    assert "local minimum" in kinds(stationary([3.0, 4.0, 5.0 - 1e-9], [CONE]))
    assert "saddle" in kinds(stationary([3.0, 4.0, 5.0 + 1e-9], [CONE]))


def test_the_vertex_of_an_indefinite_cone_is_a_minimum_only_for_a_target_in_it():
    vertex = stationary([1.0, 2.0, 0.5], [CONE]).points[-1]
    assert (vertex.kind, vertex.least) == ("vertex", False)
    assert np.all(np.isnan(vertex.multipliers))
    at_rest = stationary([0.0, 0.0, 0.0], [CONE])
    assert (at_rest.status, at_rest.points[0].kind, at_rest.points[0].least) == ("unique", "vertex", True)
    beside = Quadric(np.diag([1.0, 1.0, -1.0, 0.0]), np.zeros(4), 0.0)  # the vertex is a line
    assert stationary([0.0, 0.0, 0.0, 7.0], [beside]).minimisers[0].y == pytest.approx([0, 0, 0, 7])
    apex = stationary([3.0, 4.0, 1.0, 7.0], [beside]).points[-1]
    assert apex.kind == "vertex"
    assert apex.y == pytest.approx([0, 0, 0, 7])


def test_a_cone_with_its_vertex_elsewhere_is_the_same_cone_moved():
    rng = np.random.default_rng(4)
    for _ in range(20):
        shift, target, S = rng.normal(size=4), rng.normal(size=4), symmetric(rng, 4)
        here = stationary(target, [homogeneous(S)])
        there = stationary(target + shift, [Quadric(S, -S @ shift, float(shift @ S @ shift))])
        assert kinds(there) == kinds(here)
        for p, q in zip(here.points, there.points, strict=True):
            # rounding: the vertex is S⁻¹g, so its error is eps·cond(S)
            assert q.y - shift == pytest.approx(p.y, abs=1e3 * EPS * np.linalg.cond(S))


# --- one quadric -------------------------------------------------------------------------------------------------


def real_root_count(S, g, c, y0):
    """The number of real roots of the polynomial of the secular equation, in 60 digits."""
    with mpmath.workdps(60):
        A, V = mpmath.eigsy(mpmath.matrix(S.tolist()))
        d = len(y0)
        h = [mpmath.fsum(V[i, k] * mpmath.mpf((S @ y0 + g)[i]) for i in range(d)) for k in range(d)]
        q0 = mpmath.mpf(float(y0 @ S @ y0 + 2 * g @ y0 + c))
        factors = [[A[k] ** 2, -2 * A[k], 1] for k in range(d)]  # (1 − μσ)², highest power first

        def product(polynomials):
            result = [mpmath.mpf(1)]
            for p in polynomials:
                grown = [mpmath.mpf(0)] * (len(result) + len(p) - 1)
                for i, x in enumerate(result):
                    for j, y in enumerate(p):
                        grown[i + j] += x * y
                result = grown
            return result

        total = [q0 * x for x in product(factors)]
        for k in range(d):
            term = product([*(factors[j] for j in range(d) if j != k), [-A[k] * h[k] ** 2, 2 * h[k] ** 2, 0]])
            total = [x + y for x, y in zip(total, term, strict=True)]
        found = mpmath.polyroots(total, maxsteps=500, extraprec=200)
        return sum(1 for x in found if abs(mpmath.im(x)) < mpmath.mpf(10) ** -25)


def test_there_are_as_many_stationary_points_as_the_secular_polynomial_has_real_roots():
    rng = np.random.default_rng(5)
    seen = set()
    for d in (2, 3, 4):
        for _ in range(10):
            S, g, c = random_quadric(rng, d, "generic")
            y0 = rng.normal(size=d)
            found = stationary(y0, [Quadric(S, g, c)])
            assert found.complete
            assert len(found.points) == real_root_count(S, g, c, y0)
            seen.add(len(found.points))
    assert {0, 2, 4} <= seen | {0}


def test_the_hard_case_on_an_ellipse_gives_its_two_symmetric_points():
    # Ellipse x²/a² + y²/b² = 1, target (t, 0), |t| < (a² − b²)/a: feet at x = a² t/(a² − b²), nearer than (±a, 0)
    a, b, t = 2.0, 1.0, 0.6
    found = stationary([t, 0.0], [Quadric(np.diag([1 / a**2, 1 / b**2]), np.zeros(2), -1.0)])
    x = a**2 * t / (a**2 - b**2)
    y = b * np.sqrt(1.0 - x * x / a**2)
    assert sorted(p.y.tolist() for p in found.minimisers) == pytest.approx(np.array([[x, -y], [x, y]]), abs=100 * EPS)
    assert kinds(found) == ["global minimum", "global minimum", "local maximum", "local maximum"] or kinds(found) == [
        "global minimum",
        "global minimum",
        "saddle",
        "local maximum",
    ]
    assert sorted(p.y[0] for p in found.points[2:]) == pytest.approx([-a, a], abs=100 * EPS)


def test_near_the_hard_case_the_points_are_as_exact_as_the_target():
    for offset in (1e-3, 1e-6, 1e-9, 1e-12, 1e-15, 1e-18, 1e-25):
        found = stationary([0.6, offset], [Quadric(np.diag([0.25, 1.0]), np.zeros(2), -1.0)])
        assert len(found.points) == 4
        for p in found.points:
            # y = y0 + μ S y in the coordinate that is nearly zero, without cancellation: y₂ (1 − μ) = offset
            mu = p.multipliers[0]
            assert p.residual <= 100 * EPS
            assert abs(p.y[0] * (1.0 - 0.25 * mu) - 0.6) <= 1e3 * EPS


def test_on_the_evolute_a_point_is_undecided_unless_it_is_the_least():
    ellipse = Quadric(np.diag([0.25, 1.0]), np.zeros(2), -1.0)
    cusp = stationary([1.5, 0.0], [ellipse])  # centre of curvature at the end of the long axis
    assert kinds(cusp) == ["global minimum", "local maximum"]
    beyond = stationary([0.0, -3.0], [ellipse])  # centre of curvature at (0, 1), which is not the nearest point
    assert [p.kind for p in beyond.points if p.y[1] > 0.5] == ["undecided"]
    assert [p.least for p in beyond.points if p.y[1] > 0.5] == [None]


def test_a_sphere_about_the_target_is_a_family_as_a_whole():
    found = stationary([1.0, 2.0, 3.0], [Quadric(np.eye(3), -np.array([1.0, 2.0, 3.0]), 14.0 - 4.0)])
    (sphere,) = found.families
    assert (found.points, sphere.dimension, sphere.kind) == ((), 2, "global minimum")
    assert sphere.radius == pytest.approx(2.0, rel=100 * EPS)
    assert np.linalg.norm(sphere.point([0.3, 1.2]) - [1, 2, 3]) == pytest.approx(2.0, rel=100 * EPS)
    with pytest.raises(InputError, match="the parameters"):
        sphere.point(0.3)


def test_planes_and_products_of_planes_are_solved_in_closed_form():
    plane = stationary([1.0, 2.0], [Quadric(np.zeros((2, 2)), np.array([1.0, 1.0]), -4.0)])
    assert plane.affine is not None
    assert plane.points[0].y == pytest.approx([0.5, 1.5])
    parallel = stationary([0.25, 5.0], [Quadric(np.diag([1.0, 0.0]), np.zeros(2), -1.0)])  # x = ±1
    assert [p.y.tolist() for p in parallel.points] == pytest.approx(np.array([[1.0, 5.0], [-1.0, 5.0]]))
    assert kinds(parallel) == ["global minimum", "local minimum"]
    assert stationary([1.0, 2.0], [Quadric(np.eye(2), np.zeros(2), 1.0)]).status == "none"


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_no_minimum_on_one_quadric_is_missed(seed):
    rng = np.random.default_rng(seed)
    for k in range(12):
        d = int(rng.integers(2, 5))
        S, g, c = random_quadric(rng, d, KINDS[k % 4])
        y0 = np.where(rng.random(d) < 0.3, 0.0, rng.normal(size=d))
        found = stationary(y0, [Quadric(S, g, c)])
        assert found.complete
        assert_nothing_is_missed(found, y0, [(S, g, c)], rng)


def assert_nothing_is_missed(found, y0, quadrics, rng):
    with np.errstate(all="ignore"):
        for y in brute.minima(y0, quadrics, rng, 80, 60):
            assert listed(found, y)
        for y in brute.kkt_points(y0, quadrics, rng, 200):
            assert listed(found, y)
    least = min([x.value for x in found.minimisers], default=np.inf)
    for y in brute.admissible(y0, quadrics, rng, 200):
        if brute.regular(quadrics, y):
            assert 0.5 * np.sum((y - y0) ** 2) >= least - FOUND


# --- zero sets that split ----------------------------------------------------------------------------------------


def chain(N, W=None):
    """The N forms y_i (y_i − y_{i+1}) of a flat chain of four-bar linkages, in coordinates y = W z."""
    W = np.eye(N + 1) if W is None else W
    forms = []
    for i in range(N):
        S = np.zeros((N + 1, N + 1))
        S[i, i], S[i, i + 1], S[i + 1, i] = 1.0, -0.5, -0.5
        S = W.T @ S @ W
        forms.append((S + S.T) / 2.0)
    lines = np.linalg.inv(W) @ np.array([np.r_[np.zeros(k), np.ones(N + 1 - k)] for k in range(N + 1)]).T
    return forms, (lines / np.linalg.norm(lines, axis=0)).T


def assert_lines(found, lines, target, accuracy):
    """The linear pieces are exactly these lines, and the points the feet on them and the vertex."""
    assert len(found.pieces) == len(lines)
    assert all(piece.linear and piece.basis.shape[1] == 1 for piece in found.pieces)
    for line in lines:
        off = min(np.linalg.norm(line - p.basis @ (p.basis.T @ line)) for p in found.pieces)
        assert off <= accuracy
        foot = line * (line @ target)
        assert min(np.linalg.norm(p.y - foot) for p in found.points) <= accuracy * (1.0 + np.linalg.norm(target))
    assert len(found.points) == len(lines) + 1
    assert found.complete


@pytest.mark.sampled(8)
@pytest.mark.parametrize("N", [1, 2, 5, 40])
@pytest.mark.parametrize("order", ["given", "reversed", "shuffled"])
def test_the_flat_chain_of_n_loops_has_n_plus_one_lines_in_any_order_and_metric(N, order):
    rng = np.random.default_rng(N)
    forms, lines = chain(N, rng.normal(size=(N + 1, N + 1)))
    if order == "reversed":
        forms = forms[::-1]
    elif order == "shuffled":
        rng.shuffle(forms)
    target = rng.normal(size=N + 1)
    found = stationary(target, [homogeneous(S) for S in forms])
    assert_lines(found, lines, target, 1e-10)
    assert found.globally_certified
    vertex = [p for p in found.points if p.kind == "vertex"]
    assert [(p.least, np.linalg.norm(p.y) < 1e-12) for p in vertex] == [(False, True)]


@pytest.mark.parametrize("N", [2, 3])
def test_the_lines_are_found_when_the_forms_come_mixed(N):
    rng = np.random.default_rng(10 + N)
    forms, lines = chain(N, rng.normal(size=(N + 1, N + 1)))
    mixed = np.tensordot(rng.normal(size=(N, N)), np.array(forms), 1)
    target = rng.normal(size=N + 1)
    assert_lines(stationary(target, [homogeneous(S) for S in mixed]), lines, target, 1e-10)


def test_a_candidate_without_multipliers_is_not_missed():
    # The line (0, 0, 1) of the chain with two loops: both gradients vanish on it, so no multipliers exist.
    found = stationary([1.0, 2.0, 9.81], [homogeneous(S) for S in chain(2)[0]])
    (p,) = [p for p in found.points if np.allclose(p.y, [0.0, 0.0, 9.81])]
    assert np.all(np.isnan(p.multipliers))
    assert p.residual <= 100 * EPS * 9.81


def test_the_chain_has_one_piece_for_each_line():
    found = stationary(np.arange(1.0, 14.0), [homogeneous(S) for S in chain(12)[0]])
    assert (len(found.pieces), found.complete) == (13, True)


def test_vertices_where_planes_meet_are_listed_and_judged():
    cross = homogeneous([[0.0, 0.5], [0.5, 0.0]])  # xy = 0
    found = stationary([1.0, 0.25], [cross])
    assert [(p.kind, p.least) for p in found.points] == [
        ("global minimum", True),
        ("local minimum", True),
        ("vertex", False),
    ]
    on_the_crossing = stationary([0.0, 0.0, 3.0], [Quadric(np.diag([1.0, -1.0, 0.0]), np.zeros(3), 0.0)])
    assert [(p.kind, p.least, p.value) for p in on_the_crossing.points] == [("vertex", True, 0.0)]
    # a cone that meets a plane: (x² + y² − z²) is not split, x = 0 cuts it in two lines
    both = stationary([0.0, 1.0, 3.0], [CONE, homogeneous(np.diag([1.0, 0.0, 0.0]))])
    assert sorted(p.y.tolist() for p in both.points) == pytest.approx(
        np.array([[0, -1, 1], [0, 0, 0], [0, 2, 2]], dtype=float)
    )


@pytest.mark.parametrize(
    ("S", "dimension"),
    [
        ([np.diag([1.0, 2.0, 3.0])], 0),
        ([np.diag([1.0, 2.0, 0.0])], 1),
        ([np.diag([-1.0, 0.0, 0.0])], 2),
        ([np.diag([0.0, 1.0]), np.array([[0.0, 0.5], [0.5, 0.0]])], 1),
    ],
)
def test_semidefinite_forms_are_locked_on_their_common_kernel(S, dimension):
    target = np.arange(1.0, len(S[0]) + 1.0)
    found = stationary(target, [homogeneous(x) for x in S])
    offset, basis = found.affine
    assert (found.status, found.points[0].kind, basis.shape[1]) == ("unique", "global minimum", dimension)
    kept = np.flatnonzero(np.any(basis != 0.0, axis=1))
    assert found.points[0].y == pytest.approx(np.where(np.isin(np.arange(target.size), kept), target, 0.0))
    assert not np.any(offset)


@pytest.mark.parametrize("count", [2, 3])
def test_a_semidefinite_combination_hidden_in_indefinite_forms_is_found(count):
    rng = np.random.default_rng(count)
    W = rng.normal(size=(5, 5))
    definite = W.T @ np.diag([1.0, 2.0, 1.0, 3.0, 0.0]) @ W
    others = [symmetric(rng, 5) for _ in range(count - 1)]
    axis = np.linalg.inv(W)[:, 4]
    others = [S - (axis @ S @ axis) / (axis @ axis) ** 2 * np.outer(axis, axis) for S in others]  # vanish on the axis
    weights = rng.normal(size=(count, count))
    forms = np.tensordot(weights, np.array([definite, *others]), 1)
    found = stationary(rng.normal(size=5), [homogeneous(S) for S in forms])
    assert (found.status, found.complete) == ("unique", True)
    assert abs(found.affine[1][:, 0] @ axis) == pytest.approx(np.linalg.norm(axis), rel=1e-10)


def test_cones_with_only_their_vertex_in_common_are_locked_without_any_semidefinite_combination():
    rng = np.random.default_rng(3)
    forms = [symmetric(rng, 4) for _ in range(4)]
    forms = [S - np.trace(S) / 4.0 * np.eye(4) for S in forms]  # tr(S·1) = 0: no combination is semidefinite
    found = stationary(rng.normal(size=4), [homogeneous(S) for S in forms])
    assert (found.status, found.affine[1].shape, found.points[0].kind) == ("unique", (4, 0), "global minimum")
    three = stationary(rng.normal(size=4), [homogeneous(S) for S in forms[:3]])
    assert "complete with probability one" in three.evidence or all(piece.linear for piece in three.pieces)


def test_the_pieces_tell_locked_from_branching():
    target = [0.3, 0.7, 1.1]
    assert [piece.linear for piece in stationary(target, [CONE]).pieces] == [False]
    lines = stationary(target, [homogeneous(S) for S in chain(2)[0]])
    assert [piece.linear for piece in lines.pieces] == [True, True, True]
    assert stationary(target[:2], [Quadric(np.eye(2), np.zeros(2), 1.0)]).pieces == ()
    assert stationary(target[:2], []).affine[1].shape == (2, 2)
    touching = [Quadric(np.eye(2), np.zeros(2), -1.0), Quadric(np.eye(2), np.array([-2.0, 0.0]), 3.0)]
    assert stationary(target[:2], touching).affine[0] == pytest.approx([1.0, 0.0])  # two circles that touch: one point


# --- several quadrics --------------------------------------------------------------------------------------------


def test_two_conics_meet_where_elimination_says():
    # x²/4 + y² = 1 and x² − y² = ½: x² = 6/5, y² = 7/10
    found = stationary(
        [3.0, 1.0],
        [Quadric(np.diag([0.25, 1.0]), np.zeros(2), -1.0), Quadric(np.diag([1.0, -1.0]), np.zeros(2), -0.5)],
    )
    expected = np.array(list(itertools.product([-np.sqrt(1.2), np.sqrt(1.2)], [-np.sqrt(0.7), np.sqrt(0.7)])))
    assert sorted(p.y.tolist() for p in found.points) == pytest.approx(expected, abs=1e3 * EPS)
    assert found.complete
    assert found.affine is None


@pytest.mark.long
@pytest.mark.parametrize(("seed", "d"), [(0, 3), (1, 3), (2, 4), (3, 4)])
def test_no_stationary_point_on_two_quadrics_is_missed(seed, d):
    rng = np.random.default_rng(seed)
    for k in range(3):
        quadrics = [random_quadric(rng, d, KINDS[(seed + k) % 4]), random_quadric(rng, d, KINDS[k % 3])]
        y0 = rng.normal(size=d)
        found = stationary(y0, [Quadric(*q) for q in quadrics])
        assert_nothing_is_missed(found, y0, quadrics, rng)


def test_a_generic_pair_is_complete_with_an_even_number_of_points_and_the_reason():
    rng = np.random.default_rng(8)
    pair = [Quadric(*random_quadric(rng, 4, "generic")) for _ in range(2)]
    found = stationary(rng.normal(size=4), pair)
    assert found.complete
    assert "24 paths" in found.evidence  # 2² · C(4, 2)
    assert len(found.points) % 2 == 0  # real solutions of 24 complex ones
    for p in found.points:
        G = np.array([q.slope(p.y) for q in pair]).T
        assert np.linalg.norm(p.y - found_target(rng, 8) - G @ p.multipliers) <= 1e-10


def found_target(_, seed):
    """The target of the test above, drawn again."""
    rng = np.random.default_rng(seed)
    for _ in range(2):
        random_quadric(rng, 4, "generic")
    return rng.normal(size=4)


def test_what_cannot_be_certified_is_said_to_be_incomplete():
    rng = np.random.default_rng(9)
    many = [Quadric(*random_quadric(rng, 12, "generic")) for _ in range(4)]
    found = stationary(rng.normal(size=12), many)
    assert not found.complete
    assert "points may be missing" in found.evidence


def test_a_common_symmetry_of_two_quadrics_gives_circles_that_are_verified():
    B = np.zeros((4, 4))
    B[2, 3] = B[3, 2] = 1.0
    B[0, 0] = B[1, 1] = 0.3
    pair = [Quadric(np.diag([1.0, 1.0, -1.0, -2.0]), np.zeros(4), -1.0), Quadric(B, np.array([0, 0, 0.2, 0.1]), 0.1)]
    target = np.array([0.0, 0.0, 1.0, 0.5])
    found = stationary(target, pair)
    assert (found.status, found.complete) == ("continuum", False)
    circle = found.minimisers[0]
    for y in circle.sample(10, 1):
        assert max(abs(q.value(y)) for q in pair) <= 1e-9
        assert 0.5 * np.sum((y - target) ** 2) == pytest.approx(circle.value, rel=1e-9)
    plane = pair[0].S @ np.eye(4)[:, :2]
    assert np.linalg.matrix_rank(np.hstack([circle.basis, plane]), tol=1e-6) == 2  # in the plane of rotation


# --- independent conditions --------------------------------------------------------------------------------------


def two_cones(sense="="):
    zero = np.zeros((3, 3))
    return [
        Quadric(np.block([[STAECKEL, zero], [zero, zero]]), np.zeros(6), 0.0, sense),
        Quadric(np.block([[zero, zero], [zero, STAECKEL]]), np.zeros(6), 0.0, sense),
    ]


def test_two_particles_on_two_cones_are_solved_one_by_one():
    rng = np.random.default_rng(11)
    one, two = rng.normal(size=3), rng.normal(size=3)
    both = stationary([*one, *two], two_cones())
    singles = stationary(one, [CONE]), stationary(two, [CONE])
    expected = sorted(p.value + q.value for p in singles[0].points for q in singles[1].points)
    assert [p.value for p in both.points] == pytest.approx(expected, rel=1e3 * EPS)
    assert both.complete
    assert both.globally_certified
    assert kinds(both).count("global minimum") == 1
    saddles = [s.kind for single in singles for s in single.points]
    assert kinds(both).count("vertex") == len(expected) - (len(singles[0].points) - 1) * (len(singles[1].points) - 1)
    assert saddles.count("vertex") == 2


def test_gravity_on_two_cones_gives_a_torus():
    g = 9.81
    found = stationary([0, 0, -g, 0, 0, -g], two_cones())
    (torus,) = found.minimisers
    assert torus.dimension == 2
    for y in torus.sample(20, 0):
        assert np.hypot(y[0], y[1]) == pytest.approx(g / 2.0, rel=100 * EPS)
        assert np.hypot(y[3], y[4]) == pytest.approx(g / 2.0, rel=100 * EPS)
    assert torus.contains(torus.point([0.3, 2.0]), 1e-12)


def test_directions_that_no_condition_touches_follow_the_target():
    rng = np.random.default_rng(12)
    Q = rotation(rng, 5)
    S = Q[:, :3] @ STAECKEL @ Q[:, :3].T
    target = rng.normal(size=5)
    found = stationary(target, [homogeneous((S + S.T) / 2.0)])
    alone = stationary(Q[:, :3].T @ target, [CONE])
    assert [p.value for p in found.points] == pytest.approx([p.value for p in alone.points], abs=1e3 * EPS)
    for p in found.points:
        assert Q[:, 3:].T @ (p.y - target) == pytest.approx([0, 0], abs=1e3 * EPS)


# --- invariance --------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_factors_units_and_rotations_change_nothing(seed):
    rng = np.random.default_rng(seed)
    for k in range(6):
        d, p = int(rng.integers(2, 5)), 1 + k % 2
        quadrics = [
            Quadric(*random_quadric(rng, d, KINDS[(k + j) % 4]), ("=", ">=")[(k + j) % 3 == 0]) for j in range(p)
        ]
        y0 = rng.normal(size=d)
        R, unit = rotation(rng, d), 10.0 ** rng.uniform(-8, 8)
        changed = []
        for q in quadrics:
            factor = 10.0 ** rng.uniform(-6, 6) * (1.0 if q.sense == ">=" else rng.choice([-1.0, 1.0]))
            S = factor * R @ q.S @ R.T
            changed.append(Quadric((S + S.T) / 2.0, factor * unit * R @ q.g, factor * unit**2 * q.c, q.sense))
        one, two = stationary(y0, quadrics), stationary(unit * R @ y0, changed)
        assert (two.status, two.complete, len(two.pieces)) == (one.status, one.complete, len(one.pieces))
        assert len(two.points) == len(one.points)
        assert len(two.families) == len(one.families)
        for point in one.points:
            twin = min(two.points, key=lambda q, y=point.y: np.linalg.norm(unit * R @ y - q.y))
            # rounding times the condition of the points: at most 1e5 in this sample
            assert R.T @ twin.y / unit == pytest.approx(point.y, abs=1e-11 * (1.0 + np.linalg.norm(point.y)))
            assert (twin.kind, twin.least) == (point.kind, point.least)


# --- points far away, and points that only look like stationary ones -----------------------------------------------

FAR = (  # two cones, of which the first has another vertex: a minimum at 3e4 times the distance of the target
    [-0.53415732, 0.38842152, 0.41669137, -0.80248644],
    [
        ([[-1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]], [0.0, -0.45590776, 0.0, -0.81273987]),
        (
            [
                [-0.28814779, 1.84192888, 2.16732183, 0.77285548],
                [1.84192888, 0.81223657, 2.43245190, 1.02314224],
                [2.16732183, 2.43245190, -0.08200282, -0.50907861],
                [0.77285548, 1.02314224, -0.50907861, -2.95390306],
            ],
            [0.0, 0.0, 0.0, 0.0],
        ),
    ],
)
NEAR_VERTEX = (  # three quadrics through the origin, the gradients of two of which vanish there
    [0.36473979, -0.30850596, -0.32155544, 0.00813482],
    [
        (
            [
                [0.376145797577683, -0.46126127468798933, -2.0304700132677476, 0.20205683847985756],
                [-0.46126127468798933, -0.6023620230561021, -1.3096119480709114, 1.8164791741915962],
                [-2.0304700132677476, -1.3096119480709114, -0.23256923061847698, 0.22221576429743584],
                [0.20205683847985756, 1.8164791741915962, 0.22221576429743584, -2.7787889559889525],
            ],
            [0.0, 0.0, 0.0, 0.0],
        ),
        (
            [
                [2.6903815048971262, 0.06003622851133089, -0.480569042997072, -0.18576264413479082],
                [0.06003622851133089, 1.096757891048731, 1.4024945298180675, -2.523962362670942],
                [-0.480569042997072, 1.4024945298180675, -1.5624485062353701, -0.7007799554634933],
                [-0.18576264413479082, -2.523962362670942, -0.7007799554634933, 2.3015448966337475],
            ],
            [0.0, 0.0, 0.0, 0.0],
        ),
        (
            [
                [0.7372511875422508, 0.0030058254970367674, 0.9174137166303509, -0.3106600903587664],
                [0.0030058254970367674, -0.10444813904937461, -0.04676374677394423, -0.3046119724571162],
                [0.9174137166303509, -0.04676374677394423, 1.1171851436105393, -0.5332365457208503],
                [-0.3106600903587664, -0.3046119724571162, -0.5332365457208503, -0.7499881921034154],
            ],
            [1.04469118, -0.84460254, 0.68631485, 1.29329704],
        ),
    ],
)


def turned(rng, target, quadrics):
    """The same problem in another frame, another unit and with other factors; the frame and the unit."""
    R, unit = rotation(rng, len(target)), 10.0 ** rng.uniform(-8, 8)
    others = []
    for S, g in quadrics:
        factor = 10.0 ** rng.uniform(-6, 6)
        S = factor * R @ np.array(S, dtype=float) @ R.T
        others.append(Quadric((S + S.T) / 2.0, factor * unit * R @ np.array(g), 0.0))
    return unit * R @ np.array(target), others, R, unit


def with_fifty_digits(y, y0, quadrics):
    """The stationary point to which Newton's method with 50 digits leads from y, and its multipliers' residual."""
    with mpmath.workdps(50):
        d, p = len(y), len(quadrics)
        S = [mpmath.matrix(q.S.tolist()) for q in quadrics]
        g, c = [mpmath.matrix(q.g.tolist()) for q in quadrics], [mpmath.mpf(q.c) for q in quadrics]
        G = np.array([q.slope(y) for q in quadrics]).T
        x, mu = mpmath.matrix(y.tolist()), mpmath.matrix(np.linalg.lstsq(G, y - y0, rcond=None)[0].tolist())
        target = mpmath.matrix(y0.tolist())
        for _ in range(8):
            slopes = [S[k] * x + g[k] for k in range(p)]
            r, J = mpmath.matrix(d + p, 1), mpmath.matrix(d + p, d + p)
            for i in range(d):
                r[i] = x[i] - target[i] - sum(mu[k] * slopes[k][i] for k in range(p))
                for j in range(d):
                    J[i, j] = (i == j) - sum(mu[k] * S[k][i, j] for k in range(p))
                for k in range(p):
                    J[i, d + k], J[d + k, i] = -slopes[k][i], 2 * slopes[k][i]
            for k in range(p):
                r[d + k] = (x.T * slopes[k])[0] + (x.T * g[k])[0] + c[k]
            step = mpmath.lu_solve(J, r)
            x, mu = x - step[:d], mu - step[d:]
        return np.array([float(v) for v in x])


@pytest.mark.long
@pytest.mark.parametrize(("problem", "count"), [(FAR, 5), (NEAR_VERTEX, 9)], ids=["far", "near a vertex"])
def test_points_far_away_and_near_vertices_are_the_same_in_every_frame_and_have_fifty_digits(problem, count):
    rng = np.random.default_rng(3)
    lists = []
    for _ in range(6):
        y0, quadrics, R, unit = turned(rng, *problem)
        found = stationary(y0, quadrics)
        assert found.complete
        for point in found.points:
            if point.kind != "vertex":  # a point that only seems stationary goes elsewhere with more digits
                exact = with_fifty_digits(point.y, y0, quadrics)
                assert np.linalg.norm(point.y - exact) <= 1e-9 * np.linalg.norm(exact)
        lists.append(
            np.array(sorted(([*(R.T @ p.y / unit), p.value / unit**2] for p in found.points), key=lambda x: x[-1]))
        )
    assert {len(points) for points in lists} == {count}
    for points in lists:
        assert points == pytest.approx(lists[0], rel=1e-7, abs=1e-9)


def test_a_list_without_a_solution_of_the_homotopy_is_not_called_complete(monkeypatch):
    problem = FAR
    y0, quadrics = np.array(problem[0]), [Quadric(np.array(S, dtype=float), np.array(g), 0.0) for S, g in problem[1]]
    whole = stationary(y0, quadrics)
    kept = several.descended

    def forgetful(*given):
        return [x for x in kept(*given) if np.linalg.norm(x) < 1e4]

    monkeypatch.setattr(several, "descended", forgetful)
    less = stationary(y0, quadrics)
    assert whole.complete
    assert len(less.points) == len(whole.points) - 1
    assert not less.complete
    assert "1 of the solutions" in less.evidence


# --- inequalities ------------------------------------------------------------------------------------------------


def test_an_admissible_target_is_the_only_answer():
    found = stationary([3.0, 4.0, 1.0], [homogeneous(STAECKEL, ">=")])  # outside the cone
    assert (found.status, found.points[0].kind, found.points[0].value) == ("unique", "global minimum", 0.0)
    assert found.points[0].multipliers.tolist() == [0.0]


def test_reversing_an_inequality_brings_the_boundary_back():
    inside, outside = homogeneous(-STAECKEL, ">="), homogeneous(STAECKEL, ">=")
    target = [3.0, 4.0, 1.0]
    found = stationary(target, [inside])
    assert [(p.kind, p.least) for p in found.points] == [
        ("global minimum", True),
        ("local minimum", True),
        ("vertex", False),
    ]
    assert found.points[0].y == pytest.approx([1.8, 2.4, 3.0])
    assert all(p.multipliers[0] > 0.0 for p in found.points[:2])
    assert stationary(target, [outside]).points[0].y == pytest.approx(target)
    assert found.complete
    assert found.globally_certified


def test_a_boundary_point_that_pulls_is_no_stationary_point():
    # The disc |y| ≤ 1 from outside: on the circle both (1, 0) and (−1, 0) are stationary, in the disc only the nearer.
    disc = Quadric(-np.eye(2), np.zeros(2), 1.0, ">=")
    circle = Quadric(-np.eye(2), np.zeros(2), 1.0)
    assert len(stationary([2.0, 0.0], [circle]).points) == 2
    found = stationary([2.0, 0.0], [disc])
    assert found.status == "unique"
    assert found.points[0].y == pytest.approx([1.0, 0.0], abs=100 * EPS)


def test_a_half_circle_of_a_family_remains_where_a_second_inequality_cuts_it():
    g = 9.81
    half = Quadric(np.zeros((3, 3)), np.array([0.5, 0.0, 0.0]), 0.0, ">=")  # x ≥ 0
    found = stationary([0.0, 0.0, -g], [homogeneous(STAECKEL, ">="), half])
    assert (found.status, len(found.minimisers)) == ("continuum", 1)
    for y in found.minimisers[0].sample(40, 0):
        assert y[0] >= 0.0
        assert np.hypot(y[0], y[1]) == pytest.approx(g / 2.0, rel=100 * EPS)


def test_active_sets_find_the_corner_the_edge_and_the_curved_side():
    sides = [
        Quadric(np.zeros((2, 2)), np.array([0.5, 0.0]), 0.0, ">="),  # x ≥ 0
        Quadric(-np.eye(2), np.zeros(2), 1.0, ">="),  # x² + y² ≤ 1
    ]
    for target, expected in (([-1.0, 0.5], [0.0, 0.5]), ([3.0, 4.0], [0.6, 0.8]), ([-1.0, 5.0], [0.0, 1.0])):
        found = stationary(target, sides)
        assert found.minimisers[0].y == pytest.approx(expected, abs=100 * EPS)
        assert np.all(found.minimisers[0].multipliers >= 0.0)
        assert (found.status, found.globally_certified) == ("unique", True)  # a convex region


def test_an_inequality_that_can_only_be_an_equality_locks():
    found = stationary([1.0, 2.0], [Quadric(-np.diag([1.0, 0.0]), np.zeros(2), 0.0, ">=")])
    assert found.affine[1].shape == (2, 1)
    assert found.points[0].y == pytest.approx([0.0, 2.0])
    free = stationary([1.0, 2.0], [Quadric(np.diag([1.0, 0.0]), np.zeros(2), 0.0, ">=")])
    assert free.points[0].y == pytest.approx([1.0, 2.0])


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_no_minimum_of_a_region_is_missed(seed):
    rng = np.random.default_rng(seed)
    for k in range(6):
        d = int(rng.integers(2, 4))
        senses = [(">=",), ("=", ">="), (">=", ">=")][k % 3]
        quadrics = [Quadric(*random_quadric(rng, d, KINDS[int(rng.integers(4))]), sense) for sense in senses]
        y0 = rng.normal(size=d)
        found = stationary(y0, quadrics)
        least = min([x.value for x in found.minimisers], default=np.inf)
        inside = all(q.value(y0) >= 0.0 and q.sense == ">=" for q in quadrics)
        for y in brute.minima_of_region(y0, quadrics, rng, 8):
            assert 0.5 * np.sum((y - y0) ** 2) >= least - FOUND
            assert inside or listed(found, y, 1e-4)  # scipy's solver stops at about √ftol = 1e-7 times the condition


# --- lower bounds ------------------------------------------------------------------------------------------------


def test_the_bound_of_one_quadric_is_exact():
    rng = np.random.default_rng(13)
    for k in range(8):
        S, g, c = random_quadric(rng, 3, KINDS[k % 4])
        found = stationary(rng.normal(size=3), [Quadric(S, g, c)])
        size = found.value_tolerance / 1e-10
        assert found.lower_bound == pytest.approx(found.minimisers[0].value, abs=1e3 * EPS * size)
        assert found.globally_certified


def test_the_bound_of_two_quadrics_is_never_above_an_admissible_value():
    rng = np.random.default_rng(14)
    loose = 0
    for _ in range(6):
        quadrics = [random_quadric(rng, 3, "generic") for _ in range(2)]
        y0 = rng.normal(size=3)
        found = stationary(y0, [Quadric(*q) for q in quadrics])
        if not found.points:
            continue
        values = 0.5 * np.sum((brute.admissible(y0, quadrics, rng, 300) - y0) ** 2, axis=1)
        assert found.lower_bound <= np.min(values, initial=found.points[0].value) + 1e-9
        loose += not found.globally_certified
    assert loose < 6


def test_the_bound_holds_for_a_region():
    found = stationary([3.0, 4.0, 1.0], [homogeneous(-STAECKEL, ">=")])
    assert found.lower_bound == pytest.approx(4.0, abs=1e3 * EPS)
    assert stationary([3.0, 4.0, 1.0], [homogeneous(STAECKEL, ">=")]).lower_bound == 0.0


# --- bad input ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("y0", "quadric", "words"),
    [
        ([1.0, np.nan], homogeneous(np.eye(2)), "target y0 must be finite"),
        ([[1.0]], homogeneous(np.eye(1)), "expected \\(d,\\)"),
        ([1.0, 2.0], homogeneous(np.eye(3)), "the matrix S of quadric 0 has shape"),
        (
            [1.0, 2.0],
            Quadric(np.array([[0.0, 1.0], [0.0, 0.0]]), np.zeros(2), 0.0, name="bar"),
            "'bar' is not symmetric",
        ),
        ([1.0, 2.0], Quadric(np.eye(2), np.zeros(2), 0.0, "<="), "the sense of quadric 0"),
        ([1.0, 2.0], Quadric(np.eye(2), np.zeros(2), np.inf), "the constant c of quadric 0"),
        ([1.0, 2.0], np.eye(2), "build it with Quadric"),
    ],
)
def test_bad_quadrics_are_refused_by_name(y0, quadric, words):
    with pytest.raises(InputError, match=words):
        stationary(y0, [quadric])


@pytest.mark.parametrize("tolerance", [0.0, -1.0, 0.5, np.nan, "small"])
def test_a_tolerance_outside_its_range_is_refused(tolerance):
    with pytest.raises(InputError, match="tolerance"):
        stationary([1.0, 2.0, 3.0], [CONE], tolerance)


def test_a_constant_condition_that_fails_is_named():
    found = stationary([1.0], [Quadric(np.zeros((1, 1)), np.zeros(1), 1.0, name="gap")])
    assert (found.status, found.complete) == ("none", True)
    assert "'gap'" in found.evidence
    assert stationary([1.0], [Quadric(np.zeros((1, 1)), np.zeros(1), 1.0, ">=")]).status == "unique"


def test_the_campaign_of_forces_at_the_apex_found_both_accelerations_every_time():
    """Of these `scenarios/cone_force_off_axis.py` takes a sample."""
    stored = json.loads((VALIDATION / "cone_forces.json").read_text(encoding="utf-8"))["circular cone"]
    assert stored["problems"] == 1000
    assert stored["wrong"] == 0
    assert max(stored["feet"], stored["moderate"], stored["zwang"]) <= 1e-12
    assert not stored["first_failures"]
