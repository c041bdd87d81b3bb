"""Small full systems: exact where all numbers are integers, and without the threads that LAPACK's routines wake."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.linalg.lapack import dgetrf

from gauss.foundation import Cholesky, solve_factored, solve_triangular

RNG = np.random.default_rng(15)


@pytest.mark.sampled(9)
@pytest.mark.parametrize(("lower", "transposed", "unit"), list(itertools.product((False, True), repeat=3)))
@pytest.mark.parametrize("shape", [(), (0,), (1,), (4,)])
@pytest.mark.parametrize("n", [0, 1, 2, 7])
@pytest.mark.parametrize("order", "CF")
def test_integers_are_solved_exactly(lower, transposed, unit, shape, n, order):
    """T x = b with pivots that are powers of two; the other triangle and a unit diagonal hold what must not be read."""
    T = RNG.integers(-3, 4, (n, n)).astype(float)
    np.fill_diagonal(T, RNG.choice([-2.0, 0.5, 4.0], n))
    used = (np.tril if lower else np.triu)(T, -1 if lower else 1)
    used = used + (np.eye(n) if unit else np.diag(np.diagonal(T)))
    T[(np.triu if lower else np.tril)(np.ones((n, n), bool), 1 if lower else -1)] = np.nan
    if unit:
        np.fill_diagonal(T, np.nan)
    x = RNG.integers(-5, 6, (n, *shape)).astype(float)
    given = np.array(T, order=order)
    kept = (used.T if transposed else used) @ x
    found = solve_triangular(given, kept, lower, transposed, unit)
    assert found.shape == x.shape
    assert np.array_equal(found, x)
    assert np.array_equal(given, T, equal_nan=True)


def test_a_zero_on_the_diagonal_is_refused():
    with pytest.raises(np.linalg.LinAlgError, match="zero on its diagonal"):
        solve_triangular(np.array([[1.0, 2.0], [0.0, 0.0]]), np.ones(2))


@pytest.mark.parametrize("n", [0, 1, 3, 20])
def test_factored_matrices_solve_what_they_were_made_of(n):
    """Against numpy.linalg.solve, which calls another routine of LAPACK."""
    A, b = RNG.normal(size=(n, n)), RNG.normal(size=n)
    factors, pivots, _ = dgetrf(A) if n else (A, np.zeros(0, dtype=int), 0)
    assert solve_factored(factors, pivots, b) == pytest.approx(np.linalg.solve(A, b), rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("shape", [(), (0,), (1,), (4,)])
@pytest.mark.parametrize("n", [0, 1, 3, 20])
def test_positive_definite_matrices_solve_what_they_were_made_of(n, shape):
    """Against numpy.linalg.solve, by LU."""
    root, right = RNG.normal(size=(n, n)), RNG.normal(size=(n, *shape))
    A = root @ root.T + np.eye(n)
    found = Cholesky.of(A).solve(right)
    assert found.shape == right.shape
    assert found == pytest.approx(np.linalg.solve(A, right), rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("A", [[[1.0, 2.0], [2.0, 1.0]], [[0.0]]])
def test_matrices_that_are_not_positive_definite_have_no_factor(A):
    with pytest.raises(np.linalg.LinAlgError, match="not positive"):
        Cholesky.of(np.array(A))
