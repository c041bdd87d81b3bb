"""Least solutions of dependent equations against the truncated singular value decomposition, and what is left to it."""

from __future__ import annotations

import numpy as np
import pytest

from gauss.numerics import least_solution

SHARE = 1e-9
EPS = np.finfo(float).eps


def rows_of_rank(rng, m, n, rank, spread=0.0):
    U, V = (np.linalg.qr(rng.normal(size=(size, rank)))[0] for size in (m, n))
    return (U * 10.0 ** -rng.uniform(0.0, spread, rank)) @ V.T


def truncated(A, right):
    U, sigma, V = np.linalg.svd(A, full_matrices=False)
    kept = int(np.sum(sigma > SHARE * sigma[0]))
    return V[:kept].T @ ((U[:, :kept].T @ right) / sigma[:kept]), kept, sigma[0] / sigma[kept - 1]


@pytest.mark.parametrize("seed", range(20))
def test_the_solution_and_the_rank_are_those_of_the_truncated_decomposition(seed):
    rng = np.random.default_rng(seed)
    m, n = rng.integers(35, 70, 2)
    A = rows_of_rank(rng, m, n, int(rng.integers(1, min(m, n) + 1)), spread=5.0)
    right = rng.normal(size=m)
    expected, rank, condition = truncated(A, right)
    found = least_solution(A, right, SHARE)
    assert found is not None
    assert found.rank == rank
    assert np.linalg.norm(found.z - expected) <= 100.0 * EPS * condition**2 * np.linalg.norm(expected)
    following = np.append(np.linalg.svd(A, compute_uv=False), 0.0)[rank]
    assert following <= found.lost


@pytest.mark.parametrize("value", [0.3e-9, 1e-9, 3e-9])
def test_what_is_near_the_decision_is_left_open(value):
    rng = np.random.default_rng(1)
    U, V = (np.linalg.qr(rng.normal(size=(40, 40)))[0] for _ in range(2))
    A = (U * np.append(np.ones(39), value)) @ V.T
    assert least_solution(A, rng.normal(size=40), SHARE) is None


def test_small_and_vanishing_matrices_are_left_open():
    assert least_solution(np.eye(5), np.ones(5), SHARE) is None
    assert least_solution(np.zeros((40, 40)), np.ones(40), SHARE) is None
