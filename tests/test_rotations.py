"""Rotations against SciPy and the matrix exponential, their rates against complex steps, and the input refused."""

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from gauss.errors import InputError
from gauss.geometry import rotations as ro

ROUNDING = 100 * np.finfo(float).eps
numbers = st.floats(-3.0, 3.0)
triples = st.tuples(numbers, numbers, numbers)
axes_of_turns = triples.filter(lambda e: np.linalg.norm(e) > 1e-3)
turns = triples.map(lambda v: Rotation.from_rotvec(v).as_matrix())


def close(got, expected, scale=1.0):
    np.testing.assert_allclose(got, expected, rtol=0.0, atol=ROUNDING * scale)


def cross_matrix(w):
    """The matrix of w × by its columns, w × e_j."""
    return np.stack([np.cross(w, e) for e in np.eye(3)], axis=1)


@settings(deadline=None)
@given(axes_of_turns, st.floats(-7.0, 7.0))
def test_turn_about_an_axis_is_the_exponential_of_its_cross_product(axis, angle):
    e = np.array(axis) / np.linalg.norm(axis)
    close(ro.about(axis, angle), expm(angle * cross_matrix(e)), scale=10.0)


def test_small_turn_keeps_its_digits():
    R = ro.about((0, 0, 2), 1e-9)
    assert R[1, 0] == pytest.approx(1e-9, rel=1e-15)
    assert np.max(np.abs(R.T @ R - np.eye(3))) < 1e-15


def test_turns_are_right_handed():
    close(ro.about((0, 0, 1), np.pi / 2) @ [1, 0, 0], [0, 1, 0])
    close(ro.euler("X", np.pi / 2) @ [0, 1, 0], [0, 0, 1])
    close(ro.quaternion(np.sqrt(0.5), 0, np.sqrt(0.5), 0) @ [0, 0, 1], [1, 0, 0])


SEQUENCES = [a + b + c for a in "XYZ" for b in "XYZ" for c in "XYZ" if a != b and b != c]


@pytest.mark.parametrize("sequence", [*SEQUENCES, "XY", "ZX", "Y"])
def test_euler_angles_are_those_of_scipy(sequence):
    angles = [0.7, -1.9, 2.6][: len(sequence)]
    for letters in (sequence, sequence.lower()):
        close(ro.euler(letters, *angles), Rotation.from_euler(letters, angles).as_matrix())


def test_zxz_angles_have_the_matrix_of_the_textbooks():
    psi, theta, phi = 0.4, 1.1, -0.8
    R = ro.euler("ZXZ", psi, theta, phi)
    close(R[2], [np.sin(theta) * np.sin(phi), np.sin(theta) * np.cos(phi), np.cos(theta)])
    close(R[:, 2], [np.sin(theta) * np.sin(psi), -np.sin(theta) * np.cos(psi), np.cos(theta)])


@settings(deadline=None)
@given(st.tuples(numbers, numbers, numbers, numbers).filter(lambda q: np.linalg.norm(q) > 1e-3))
def test_quaternion_is_that_of_scipy_with_the_scalar_first(q):
    w, x, y, z = np.array(q) / np.linalg.norm(q)
    close(ro.quaternion(w, x, y, z), Rotation.from_quat([x, y, z, w]).as_matrix())
    close(ro.quaternion(-w, -x, -y, -z), ro.quaternion(w, x, y, z))


@settings(deadline=None)
@given(turns, triples)
def test_rate_is_the_derivative_of_the_turning_body(R, omega):
    h = 1e-30  # a complex step: exact to rounding
    in_body = (R @ expm(1j * h * cross_matrix(omega))).imag / h
    in_space = (expm(1j * h * cross_matrix(omega)) @ R).imag / h
    close(ro.rate(R, omega), in_body, scale=10.0)
    close(ro.rate(R, omega, axes="space"), in_space, scale=10.0)
    close(ro.rate(R, omega, axes="body"), ro.rate(R, R @ omega, axes="space"), scale=10.0)
    b = np.array([0.3, -1.2, 0.8])
    close(ro.rate(R, omega, "space") @ b, np.cross(omega, R @ b), scale=10.0)


@settings(deadline=None)
@given(turns, triples, st.sampled_from(["body", "space"]))
def test_angular_velocity_is_read_back_from_the_rate(R, omega, axes):
    close(ro.angular_velocity(R, ro.rate(R, omega, axes), axes), omega, scale=10.0)


def test_angular_velocity_of_a_body_at_rest_is_zero():
    assert np.array_equal(ro.angular_velocity(np.eye(3), np.zeros((3, 3))), np.zeros(3))


@pytest.mark.parametrize("axes", ["body", "space"])
def test_spin_of_symbols_is_linear_in_the_rate_and_has_the_numbers(axes):
    R = Rotation.from_rotvec([0.4, -1.1, 0.7]).as_matrix()
    R_dot = np.array([[0.3, -0.2, 0.9], [1.4, 0.6, -0.8], [0.1, 0.5, -1.3]])  # no rigid motion: the part that turns
    A, B = sp.MatrixSymbol("A", 3, 3), sp.MatrixSymbol("B", 3, 3)
    entries = [[B[i, j] for j in range(3)] for i in range(3)]
    symbols = ro.spin([[A[i, j] for j in range(3)] for i in range(3)], entries, axes)
    numbers = {A[i, j]: R[i, j] for i in range(3) for j in range(3)}
    numbers |= {B[i, j]: R_dot[i, j] for i in range(3) for j in range(3)}
    inner = R.T @ R_dot if axes == "body" else R_dot @ R.T
    expected = [np.trace(cross_matrix(e).T @ inner) / 2 for e in np.eye(3)]  # ω·e = tr([e]ᵀ RᵀṘ)/2
    close([float(w.subs(numbers)) for w in symbols], expected, scale=10.0)
    assert all(sp.expand(w).diff(one, other) == 0 for w in symbols for row in entries for one in row for other in row)


def test_skew_is_the_cross_product():
    a, b = [0.3, -1.2, 0.8], [1.1, 0.4, -0.5]
    close(ro.skew(a) @ b, np.cross(a, b))


def test_exact_rotations_are_taken_as_they_are():
    quarter = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    assert np.array_equal(ro.rotation(quarter), quarter)
    got = ro.rotation(quarter)
    got[0, 0] = 5.0
    assert quarter[0, 0] == 0.0


@settings(deadline=None)
@given(turns, st.lists(st.floats(-2e-10, 2e-10), min_size=9, max_size=9))
def test_rounded_rotations_become_orthogonal_and_stay_near(R, noise):
    got = ro.rotation(R + np.reshape(noise, (3, 3)))
    close(got.T @ got, np.eye(3))
    assert np.linalg.norm(got - R) <= 2 * np.linalg.norm(noise) + ROUNDING  # nearest: no farther from the matrix than R


@settings(deadline=None)
@given(turns, st.lists(st.floats(-0.3, 0.3), min_size=9, max_size=9), turns)
def test_nearest_rotation_is_not_beaten_by_another(R, noise, other):
    A = 2.0 * (R + np.reshape(noise, (3, 3)))  # |noise| < 1: the determinant stays positive
    got = ro.nearest(A)
    close(got.T @ got, np.eye(3))
    assert np.linalg.det(got) == pytest.approx(1.0)
    small = Rotation.from_matrix(other).as_rotvec() * 1e-3
    for rival in (R, other, got @ Rotation.from_rotvec(small).as_matrix()):
        assert np.linalg.norm(A - got) <= np.linalg.norm(A - rival) + ROUNDING


def test_scipy_rotation_is_accepted():
    turn = Rotation.from_rotvec([0.4, -1.1, 0.7])
    close(ro.rotation(turn), turn.as_matrix())
    close(ro.rate(turn, (1, 2, 3)), turn.as_matrix() @ cross_matrix((1, 2, 3)), scale=10.0)


SHORT = [[0.866, -0.5, 0], [0.5, 0.866, 0], [0, 0, 1]]
BAD = {
    "few digits": (lambda: ro.rotation(SHORT), r"not orthogonal: RᵀR differs from 1 by 4.4e-05.*nearest\(matrix\)"),
    "named": (lambda: ro.rotation(2 * np.eye(3), "the pose of wheel"), "the pose of wheel is not orthogonal"),
    "reflection": (lambda: ro.rotation(np.diag([1, 1, -1])), "reflection.*Reverse one axis"),
    "four numbers": (lambda: ro.rotation([1, 0, 0, 0]), r"quaternion\(w, x, y, z\), the scalar first"),
    "shape": (lambda: ro.rotation(np.eye(2)), r"shape \(2, 2\), expected \(3, 3\)"),
    "nan": (lambda: ro.rotation(np.diag([1, 1, np.nan])), "must be finite"),
    "huge": (lambda: ro.rotation(1e200 * np.eye(3)), "not orthogonal"),
    "words": (lambda: ro.rotation("upright"), "not a number"),
    "stack": (lambda: ro.rotation(Rotation.from_rotvec(np.eye(3))), "a stack of 3 rotations"),
    "nearest to a reflection": (lambda: ro.nearest(np.diag([1, 2, -1])), "no nearest rotation"),
    "nearest to a projection": (lambda: ro.nearest(np.diag([1, 1, 0])), "no nearest rotation"),
    "nearest to zero": (lambda: ro.nearest(np.zeros((3, 3))), "no nearest rotation"),
    "quaternion norm": (lambda: ro.quaternion(1, 1, 0, 0), "norm 1.414.*Divide"),
    "quaternion zero": (lambda: ro.quaternion(0, 0, 0, 0), "norm 0"),
    "quaternion nan": (lambda: ro.quaternion(1, 0, np.nan, 0), "component y of the quaternion must be finite"),
    "axis": (lambda: ro.about((0, 0, 0), 1.0), "the axis of rotation is the zero vector"),
    "angle": (lambda: ro.about((0, 0, 1), np.inf), "the angle of rotation must be finite"),
    "sequence mixed": (lambda: ro.euler("Xyz", 1, 2, 3), "the sequence of axes is 'Xyz'"),
    "sequence doubled": (lambda: ro.euler("XXZ", 1, 2, 3), "neighbours different"),
    "sequence long": (lambda: ro.euler("XYZX", 1, 2, 3, 4), "one to three"),
    "sequence letter": (lambda: ro.euler("XYW", 1, 2, 3), "one to three"),
    "sequence number": (lambda: ro.euler(3, 1, 2, 3), "one to three"),
    "angles few": (lambda: ro.euler("XYZ", 1, 2), "'XYZ' needs 3 angles, got 2"),
    "angles nan": (lambda: ro.euler("XY", 1, np.nan), "the angle about y must be finite"),
    "omega": (lambda: ro.rate(np.eye(3), (1, 2)), "the angular velocity has shape"),
    "rate of no rotation": (lambda: ro.rate(2 * np.eye(3), (1, 2, 3)), "not orthogonal"),
    "frame": (lambda: ro.rate(np.eye(3), (1, 2, 3), axes="world"), "axes is 'world'"),
    "stretching": (lambda: ro.angular_velocity(np.eye(3), np.eye(3)), "stretches the body.*reaches 1 1/s"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name):
    act, message = BAD[name]
    with pytest.raises(InputError, match=message):
        act()
