"""Inertia: every shape against an integral over its mass, textbook tensors, and the rules for joining and moving.

The integrals are sums over weighted points, built here from Gauss and Chebyshev-Gauss (trapezoidal) rules that are
exact for polynomials of degree two over the shape; they share nothing with the closed forms. All comparisons are at
rounding: 100 eps times the largest number involved.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from gauss.bodies import Inertia
from gauss.errors import InputError
from gauss.geometry import inertia, second_of_tensor, tensor_of_second

EPS = np.finfo(float).eps
AT = (0.3, -0.7, 0.4)  # m
AXIS = (1.0, -2.0, 0.5)  # of any length
AXES = Rotation.from_rotvec([0.4, -1.1, 0.7]).as_matrix()
MASS = 1.7  # kg


def close(got, expected, scale=None):
    scale = np.max(np.abs(expected)) if scale is None else scale
    np.testing.assert_allclose(got, expected, rtol=0.0, atol=100 * EPS * scale)


def gauss_rule(low, high, n=6):
    x, w = np.polynomial.legendre.leggauss(n)
    return low + (high - low) * (x + 1) / 2, w * (high - low) / 2


def circle(n=8):
    return np.arange(n) * 2 * np.pi / n, np.full(n, 2 * np.pi / n)


def cloud(rules, place):
    """Points (k, 3) and masses (k,) of sum 1: `place` maps the parameters of the rules to (x, y, z, density)."""
    grids = np.meshgrid(*(x for x, _ in rules), indexing="ij")
    weights = np.ones_like(grids[0])
    for w in np.meshgrid(*(w for _, w in rules), indexing="ij"):
        weights = weights * w
    x, y, z, density = (np.broadcast_to(a, weights.shape).ravel() for a in place(*grids))
    mass = weights.ravel() * density
    return np.stack([x, y, z], axis=1), mass / mass.sum()


def polar(r, angle, z, density):
    return r * np.cos(angle), r * np.sin(angle), z, density


def spherical(r, height, angle, density):
    """A point at distance r by the cosine `height` of its angle from z and its angle about z."""
    flat = np.sqrt(1 - height**2)
    return r * flat * np.cos(angle), r * flat * np.sin(angle), r * height, density


def frame_along(axis):
    """A rotation whose third column is along `axis`."""
    third = np.array(axis) / np.linalg.norm(axis)
    first = np.cross([0.0, 1.0, 0.0], third)
    first /= np.linalg.norm(first)
    return np.stack([first, np.cross(third, first), third], axis=1)


R, R1, H = 0.6, 0.35, 1.3
SIDES = (0.4, 0.9, 1.6)
REVOLUTION = {  # shapes about an axis: constructor, points in axes with z along the axis
    "ring": (lambda **k: inertia.ring(MASS, R, **k), cloud([circle()], lambda a: polar(R, a, 0.0, 1.0))),
    "disc": (
        lambda **k: inertia.disc(MASS, R, **k),
        cloud([gauss_rule(0, R), circle()], lambda r, a: polar(r, a, 0.0, r)),
    ),
    "cylinder": (
        lambda **k: inertia.cylinder(MASS, R, H, **k),
        cloud([gauss_rule(0, R), circle(), gauss_rule(-H / 2, H / 2)], lambda r, a, z: polar(r, a, z, r)),
    ),
    "tube": (
        lambda **k: inertia.tube(MASS, R1, R, H, **k),
        cloud([gauss_rule(R1, R), circle(), gauss_rule(-H / 2, H / 2)], lambda r, a, z: polar(r, a, z, r)),
    ),
    "thin tube": (
        lambda **k: inertia.tube(MASS, R, R, H, **k),
        cloud([circle(), gauss_rule(-H / 2, H / 2)], lambda a, z: polar(R, a, z, 1.0)),
    ),
    "cone": (
        lambda **k: inertia.cone(MASS, R, H, **k),
        cloud(  # the share s of the radius there, R(1 − z/H)
            [gauss_rule(0, 1), circle(), gauss_rule(0, H)],
            lambda s, a, z: polar(s * R * (1 - z / H), a, z, s * (1 - z / H) ** 2),
        ),
    ),
}
FIXED = {  # shapes with axes, or none: constructor by `at` and `axes`, points about `at` in those axes
    "box": (
        lambda at, axes: inertia.box(MASS, SIDES, at, axes),
        cloud([gauss_rule(-s / 2, s / 2) for s in SIDES], lambda x, y, z: (x, y, z, 1.0)),
    ),
    "ellipsoid": (
        lambda at, axes: inertia.ellipsoid(MASS, SIDES, at, axes),
        cloud(
            [gauss_rule(0, 1), gauss_rule(-1, 1), circle()],
            lambda r, u, a: (*(s * x for s, x in zip(SIDES, spherical(r, u, a, 1.0)[:3])), r**2),
        ),
    ),
    "sphere": (
        lambda at, axes: inertia.sphere(MASS, R, at),
        cloud([gauss_rule(0, R), gauss_rule(-1, 1), circle()], lambda r, u, a: spherical(r, u, a, r**2)),
    ),
    "shell": (
        lambda at, axes: inertia.shell(MASS, R, at),
        cloud([gauss_rule(-1, 1), circle()], lambda u, a: spherical(R, u, a, 1.0)),
    ),
    "rod": (
        lambda at, axes: inertia.rod(MASS, np.array(at) - axes @ [0, 0, H / 2], np.array(at) + axes @ [0, 0, H / 2]),
        cloud([gauss_rule(-H / 2, H / 2)], lambda z: (0.0, 0.0, z, 1.0)),
    ),
    "point": (lambda at, axes: inertia.point(MASS, at), (np.zeros((1, 3)), np.ones(1))),
}


def check_moments(body, points, share):
    """Mass, centre, K₀ and J of `body` are the sums over the points."""
    assert body.mass == MASS
    close(body.centre, share @ points, scale=1.0)
    close(body.second, MASS * np.einsum("k,ki,kj->ij", share, points, points), scale=MASS)
    square = np.einsum("ki,ki->k", points, points)
    J = MASS * (np.eye(3) * (share @ square) - np.einsum("k,ki,kj->ij", share, points, points))
    close(body.tensor, J, scale=MASS)
    about = points - share @ points
    close(body.central, MASS * np.einsum("k,ki,kj->ij", share, about, about), scale=MASS)


@pytest.mark.parametrize("name", REVOLUTION)
def test_shape_about_an_axis_has_the_moments_of_its_integral(name):
    build, (points, share) = REVOLUTION[name]
    keyword = "normal" if name in ("ring", "disc") else "axis"
    check_moments(build(), points, share)
    check_moments(build(at=AT), points + AT, share)
    check_moments(build(at=AT, **{keyword: AXIS}), points @ frame_along(AXIS).T + AT, share)
    check_moments(
        build(at=AT, **{keyword: np.multiply(-1e3, AXIS)}), points @ frame_along(np.negative(AXIS)).T + AT, share
    )


@pytest.mark.parametrize("name", FIXED)
def test_shape_with_axes_has_the_moments_of_its_integral(name):
    build, (points, share) = FIXED[name]
    check_moments(build(AT, AXES), points @ AXES.T + AT, share)


def test_textbook_tensors_about_the_centre_of_mass():
    m, r, h, (a, b, c) = MASS, R, H, SIDES
    cases = [
        (inertia.ring(m, r), (m * r**2 / 2, m * r**2 / 2, m * r**2)),
        (inertia.disc(m, r), (m * r**2 / 4, m * r**2 / 4, m * r**2 / 2)),
        (inertia.cylinder(m, r, h), (m * (3 * r**2 + h**2) / 12,) * 2 + (m * r**2 / 2,)),
        (
            inertia.tube(m, R1, r, h),
            (m * (3 * (R1**2 + r**2) + h**2) / 12,) * 2 + (m * (R1**2 + r**2) / 2,),
        ),
        (inertia.cone(m, r, h), (3 * m * (4 * r**2 + h**2) / 80,) * 2 + (3 * m * r**2 / 10,)),
        (inertia.box(m, SIDES), (m * (b**2 + c**2) / 12, m * (a**2 + c**2) / 12, m * (a**2 + b**2) / 12)),
        (inertia.ellipsoid(m, SIDES), (m * (b**2 + c**2) / 5, m * (a**2 + c**2) / 5, m * (a**2 + b**2) / 5)),
        (inertia.sphere(m, r), (2 * m * r**2 / 5,) * 3),
        (inertia.shell(m, r), (2 * m * r**2 / 3,) * 3),
        (inertia.rod(m, (0, 0, 0), (0, 0, h)), (m * h**2 / 12, m * h**2 / 12, 0.0)),
    ]
    for body, J in cases:
        close(body.central_tensor, np.diag(J))
    close(inertia.rod(m, (0, 0, 0), (0, 0, h)).tensor, np.diag([m * h**2 / 3, m * h**2 / 3, 0.0]))
    close(inertia.cone(m, r, h, axis=(0, 0, -1), at=(0, 0, h)).tensor[0, 0], 3 * m * (r**2 / 20 + h**2 / 5))  # the apex


def test_limits_of_shapes_are_the_thinner_shapes():
    thin = 1e-9

    def same(one, other):
        np.testing.assert_allclose(one.second, other.second, rtol=0.0, atol=1e-15)  # thin² and rounding
        np.testing.assert_allclose(one.centre, other.centre, rtol=0.0, atol=1e-15)

    end = np.multiply(H / 2, AXIS) / np.linalg.norm(AXIS)
    same(inertia.cylinder(1.0, R, thin, AXIS, AT), inertia.disc(1.0, R, AXIS, AT))
    same(inertia.cylinder(1.0, thin, H, AXIS, AT), inertia.rod(1.0, AT - end, AT + end))
    same(inertia.tube(1.0, thin, R, H, AXIS, AT), inertia.cylinder(1.0, R, H, AXIS, AT))
    same(inertia.tube(1.0, R, R, thin, AXIS, AT), inertia.ring(1.0, R, AXIS, AT))
    same(inertia.ellipsoid(1.0, (R, R, R), AT, AXES), inertia.sphere(1.0, R, AT))
    same(inertia.box(1.0, (0, 0, H), AT, frame_along(AXIS)), inertia.rod(1.0, AT - end, AT + end))
    same(inertia.box(1.0, (0, 0, 0), AT), inertia.point(1.0, AT))


def test_composites_fill_the_whole_shape():
    small, big = np.pi * R1**2 * H, np.pi * R**2 * H
    whole = inertia.cylinder(small, R1, H, AXIS, AT) + inertia.tube(big - small, R1, R, H, AXIS, AT)
    close(whole.second, inertia.cylinder(big, R, H, AXIS, AT).second)
    half = np.array(SIDES) / 2
    signs = [(i, j, k) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]
    octants = sum(inertia.box(MASS / 8, half, np.multiply(s, half) / 2).moved(AT, AXES) for s in signs)
    close(octants.second, inertia.box(MASS, SIDES, AT, AXES).second)
    close(octants.centre, AT)
    assert octants.mass == pytest.approx(MASS, rel=4 * EPS)
    r, w = gauss_rule(0, R)
    shells = sum(inertia.shell(4 * np.pi * x**2 * y, x, AT) for x, y in zip(r, w))
    close(shells.second, inertia.sphere(4 / 3 * np.pi * R**3, R, AT).second)


def test_parallel_axes_follow_steiner():
    body = inertia.box(MASS, SIDES, (0.1, 0.2, -0.3), AXES)
    c = body.centre
    close(body.tensor, body.central_tensor + MASS * (c @ c * np.eye(3) - np.outer(c, c)))
    shifted = body.moved((2.0, -1.0, 0.5))
    d = np.add(c, (2.0, -1.0, 0.5))
    close(shifted.tensor, body.central_tensor + MASS * (d @ d * np.eye(3) - np.outer(d, d)))
    close(shifted.central, body.central, scale=MASS)


numbers = st.integers(-(2**21), 2**21).map(
    lambda i: i / 2**20
)  # up to 2, in steps of 1e-6: nothing whose square vanishes
triples = st.tuples(numbers, numbers, numbers)
turns = triples.map(lambda v: Rotation.from_rotvec(v).as_matrix())
particles = st.lists(st.tuples(st.floats(0.1, 5.0), triples), min_size=1, max_size=6)
SIZE = 6 * 5.0 * 12.0  # the largest ∫ b² dm of the particles, kg m²


def assembled(parts):
    return sum(inertia.point(m, at) for m, at in parts)


@pytest.mark.long
@settings(deadline=None)
@given(particles, triples, triples, triples)
def test_kinetic_energy_by_second_moment_is_that_of_the_particles(parts, a_dot, turn, omega):
    body, R = assembled(parts), Rotation.from_rotvec(turn).as_matrix()
    R_dot = np.cross(omega, R, axisb=0, axisc=0)
    direct = sum(m * np.sum((a_dot + np.cross(omega, R @ at)) ** 2) for m, at in parts) / 2
    m, K, c = body.mass, body.second, body.centre
    by_moments = (np.trace(R_dot @ K @ R_dot.T) + m * np.dot(a_dot, a_dot)) / 2 + m * np.dot(a_dot, R_dot @ c)
    close(by_moments, direct, scale=6 * 5.0 * (2 * 3**0.5 + 12) ** 2 / 2)  # six times 5 kg, |ȧ| ≤ 2√3, |ω||b| ≤ 12


@pytest.mark.long
@settings(deadline=None)
@given(particles, turns, triples, turns, triples)
def test_moving_is_what_happens_to_the_particles_and_composes(parts, R, p, S, s):
    body = assembled(parts)
    moved = body.moved(p, R)
    direct = assembled([(m, tuple(np.add(p, R @ at))) for m, at in parts])
    close(moved.second, direct.second, scale=4 * SIZE)
    close(moved.centre, direct.centre, scale=8.0)
    close(body.moved(rotation=R).second, R @ body.second @ R.T, scale=SIZE)  # VHIF lemma 1
    close(moved.moved(s, S).second, body.moved(np.add(s, S @ p), S @ R).second, scale=16 * SIZE)
    close(moved.principal()[0], body.principal()[0], scale=4 * SIZE)


@settings(deadline=None)
@given(particles, particles)
def test_sum_of_two_bodies_is_the_body_of_all_their_particles(one, other):
    both, direct = assembled(one) + assembled(other), assembled(other + one)
    close(both.second, direct.second, scale=2 * SIZE)
    close(both.centre, direct.centre, scale=4.0)
    assert both.mass == pytest.approx(direct.mass, rel=1e-14)


@settings(deadline=None)
@given(particles, turns)
def test_tensor_and_second_moment_are_each_other_s_inverse(parts, A):
    body = assembled(parts)
    again = Inertia.of_tensor(body.mass, A.T @ body.central_tensor @ A, body.centre, A)
    close(again.second, body.second, scale=SIZE)
    close(second_of_tensor(tensor_of_second(body.second)), body.second, scale=SIZE)
    values, axes = body.principal()
    close(axes @ np.diag(values) @ axes.T, body.central_tensor, scale=SIZE)
    assert np.linalg.det(axes) == pytest.approx(1.0)
    assert np.all(np.diff(values) >= 0)


@settings(deadline=None)
@given(st.tuples(*(st.integers(1, 40),) * 3), turns)
def test_tensor_is_accepted_exactly_if_the_triangle_inequality_holds(doubled, A):
    J = A @ np.diag(np.array(doubled) / 2) @ A.T
    if 2 * max(doubled) <= sum(doubled):
        close(Inertia.of_tensor(1.0, J).central_tensor, J, scale=20.0)
    else:
        with pytest.raises(InputError, match="exceeds the sum of the other two"):
            Inertia.of_tensor(1.0, J)


LINE, PLANE = [(0, 0, 0), (1, 2, 3), (2, 4, 6)], [(0, 0, 0), (1, 2, 3), (-1, 1, 0)]


@pytest.mark.parametrize(
    ("points", "rank"),
    [(LINE[:1], 0), (LINE, 1), (PLANE, 2), ([*PLANE, (1, 0, 0)], 3)],
    ids=lambda value: str(value)[:9],
)
def test_rank_counts_the_dimensions_of_the_body_wherever_it_is(points, rank):
    for at in ((0, 0, 0), (5.0, -7.0, 11.0)):
        body = sum(inertia.point(m, p) for m, p in zip((1.0, 2.5, 0.7, 3.1), points)).moved(at, AXES)
        assert body.rank == rank


def test_rank_of_shapes():
    assert [build(AT, AXES).rank for build, _ in FIXED.values()] == [3, 3, 3, 3, 1, 0]
    assert [build(at=AT).rank for build, _ in REVOLUTION.values()] == [2, 2, 3, 3, 3, 3]
    assert inertia.box(1.0, (0.0, 1.0, 2.0)).rank == 2


def test_axes_of_a_tensor_are_columns_in_body_axes():
    quarter = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]  # the first axis of the tensor is y of the body
    body = Inertia.of_tensor(2.0, (3.0, 4.0, 5.0), axes=quarter)
    close(body.central_tensor, np.diag([4.0, 3.0, 5.0]))
    close(Inertia.of_second(2.0, (3.0, 4.0, 5.0), axes=quarter).second, np.diag([4.0, 3.0, 5.0]))


def test_moments_cannot_be_changed_afterwards():
    given_ = np.eye(3)
    body = Inertia(1.0, np.zeros(3), given_)
    given_[0, 0] = 7.0
    assert body.second[0, 0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        body.second[0, 0] = 2.0


ORIGIN, UNIT = (0.0, 0.0, 0.0), np.eye(3)
BAD = {
    "mass zero": (lambda: inertia.sphere(0.0, 1.0), "the mass must be positive, but is 0"),
    "mass negative": (lambda: Inertia.of_tensor(-1.0, UNIT), "the mass must be positive, but is -1"),
    "mass negative, point": (lambda: inertia.point(-2.0), "the mass must be positive"),
    "mass nan": (lambda: Inertia(np.nan, ORIGIN, UNIT), "the mass must be finite"),
    "mass of two numbers": (lambda: inertia.box([1, 2], SIDES), "the mass has shape"),
    "centre nan": (lambda: Inertia(1.0, (0.0, np.nan, 0.0), UNIT), "the centre of mass must be finite, but y = nan"),
    "centre short": (lambda: Inertia.of_tensor(1.0, UNIT, (0.0, 0.0)), r"the centre of mass has shape \(2,\)"),
    "second nan": (
        lambda: Inertia(1.0, ORIGIN, np.diag([1, 1, np.nan])),
        r"the second moment must be finite.*\[2, 2\]",
    ),
    "second of another shape": (lambda: Inertia(1.0, ORIGIN, np.eye(2)), "the second moment has shape"),
    "tensor not symmetric": (
        lambda: Inertia.of_tensor(1.0, [[2, 0.1, 0], [0, 2, 0], [0, 0, 2]]),
        r"the inertia tensor is not symmetric: its entries \[0, 1\] and \[1, 0\] are 0.1 and 0",
    ),
    "second not symmetric": (
        lambda: Inertia(1.0, ORIGIN, [[2, 0, 0], [0, 2, 1], [0, 0, 2]]),
        "second moment is not symm",
    ),
    "triangle": (
        lambda: Inertia.of_tensor(1.0, (1, 1, 2.5)),
        "moments of inertia 1, 1, 2.5 .* of the other two by 0.5",
    ),
    "tensor negative": (lambda: Inertia.of_tensor(1.0, (-1, -1, -1)), "no body has"),
    "moment negative": (lambda: Inertia.of_tensor(1.0, (-1, 2, 2)), "no body has"),
    "second negative": (lambda: Inertia.of_second(1.0, (1, 1, -1e-3)), "none may be negative"),
    "centre too far": (lambda: Inertia(1.0, (2.0, 0.0, 0.0), UNIT), "principal values -3, 1, 1 .*Check the mass"),
    "axes not orthogonal": (lambda: Inertia.of_tensor(1.0, UNIT, axes=2 * UNIT), "the axes of the inertia is not orth"),
    "axes left-handed": (
        lambda: inertia.box(1.0, SIDES, axes=np.diag([1, 1, -1])),
        "the axes of the inertia is a refl",
    ),
    "radius": (lambda: inertia.disc(1.0, -0.1), "the radius of the disc must be positive"),
    "radius of a ring": (lambda: inertia.ring(1.0, 0.0), "the radius of the ring must be positive"),
    "radius of a sphere": (lambda: inertia.sphere(1.0, -1.0), "the radius of the sphere must be positive"),
    "radius of a shell": (lambda: inertia.shell(1.0, -1.0), "the radius of the shell must be positive"),
    "length": (lambda: inertia.cylinder(1.0, 1.0, 0.0), "the length of the cylinder must be positive"),
    "height": (lambda: inertia.cone(1.0, 1.0, -1.0), "the height of the cone must be positive"),
    "axis zero": (lambda: inertia.cylinder(1.0, 1.0, 1.0, ORIGIN), "is the zero vector"),
    "tube inside out": (
        lambda: inertia.tube(1.0, 2.0, 1.0, 1.0),
        "inner radius of the tube, 2 m, exceeds the outer, 1 m",
    ),
    "side negative": (lambda: inertia.box(1.0, (1.0, -1.0, 1.0)), "the sides of the box must not be negative"),
    "semi-axis zero": (lambda: inertia.ellipsoid(1.0, (1.0, 0.0, 1.0)), "semi-axes of the ellipsoid must be positive"),
    "rod of length zero": (lambda: inertia.rod(1.0, AT, AT), r"the same point.*point\(mass, at\)"),
    "position": (lambda: inertia.sphere(1.0, 1.0).moved((1.0, 2.0)), "the position has shape"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name):
    act, message = BAD[name]
    with pytest.raises(InputError, match=message):
        act()


def test_only_inertias_are_added():
    with pytest.raises(TypeError):
        inertia.sphere(1.0, 1.0) + 1.0
    with pytest.raises(TypeError):
        1 + inertia.sphere(1.0, 1.0)
