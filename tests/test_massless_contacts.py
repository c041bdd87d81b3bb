"""Directions without inertia that closed contacts hold together: problems of integers, their truth in fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import gauss as g
from gauss.errors import ContradictoryRowsError, NonUniqueAccelerationError, SolverError
from gauss.principle import GaussProblem, solve
from gauss.uniqueness import require_unique

INF = np.inf


def dot(one, other):
    return sum(x * y for x, y in zip(one, other, strict=True))


def solved(A, b, n):
    """A solution of A x = b and a basis of the kernel, in fractions; None where there is no solution."""
    rows, pivots = [[*map(Fraction, row), Fraction(y)] for row, y in zip(A, b, strict=True)], []
    for column in range(n):
        k = len(pivots)
        best = next((i for i in range(k, len(rows)) if rows[i][column]), None)
        if best is None:
            continue
        rows[k], rows[best] = rows[best], rows[k]
        rows[k] = [x / rows[k][column] for x in rows[k]]
        for i in range(len(rows)):
            if i != k:
                rows[i] = [x - rows[i][column] * y for x, y in zip(rows[i], rows[k], strict=True)]
        pivots.append(column)
    if any(row[n] for row in rows[len(pivots) :]):
        return None
    x, kernel = [Fraction(0)] * n, []
    for k, column in enumerate(pivots):
        x[column] = rows[k][n]
    for free in (j for j in range(n) if j not in pivots):
        kernel.append([Fraction(int(j == free)) for j in range(n)])
        for k, column in enumerate(pivots):
            kernel[-1][column] = -rows[k][free]
    return x, kernel


def directions(rows, k):
    """Directions in a line or a plane, among them the edges of a cone rows·z ≥ 0, and normals that it may contain."""
    if not k:
        return []
    if k == 1:
        return [[1], [-1]]
    turned = [[-r[1], r[0]] for r in rows if any(r)] + [list(r) for r in rows if any(r)]
    return [[s * x for x in d] for d in [*turned, [1, 0], [0, 1]] for s in (1, -1)]


def truth(M, f, J, gamma):
    """What M a = f + Jᵀλ with J a ≥ γ says: "unique", "free" (several minima), "unbounded" or "none", and a minimum."""
    n, u = len(f), len(J)
    _, W = solved(M, [0] * n, n)
    C, push = [[dot(row, w) for w in W] for row in J], [dot(f, w) for w in W]

    def inside(z, rows):
        return all(dot(row, z) >= 0 for row in rows)

    for size in range(u + 1):
        for chosen in combinations(range(u), size):
            A = [[*M[i], *[-J[k][i] for k in chosen]] for i in range(n)] + [[*J[k], *[0] * size] for k in chosen]
            found = solved(A, [*f, *[gamma[k] for k in chosen]], n + size)
            if found is None:
                continue
            x, kernel = found
            sides = [([*J[k], *[0] * size], gamma[k]) for k in range(u)]
            sides += [([int(j == n + i) for j in range(n + size)], 0) for i in range(size)]
            corners = [x]
            for some in combinations(sides, min(len(kernel), len(sides))) if kernel else ():
                at = solved(
                    [[dot(s, v) for v in kernel] for s, _ in some], [b - dot(s, x) for s, b in some], len(kernel)
                )
                if at is not None:
                    corners.append([c + sum(t * v[j] for t, v in zip(at[0], kernel)) for j, c in enumerate(x)])
            for y in corners:
                if all(dot(s, y) >= b for s, b in sides):
                    closed = [C[k] for k in range(u) if dot(J[k], y[:n]) == gamma[k]]
                    moves = any(inside(z, closed) and dot(push, z) == 0 for z in directions([*closed, push], len(W)))
                    return "free" if moves else "unique", y[:n]
    falls = any(inside(z, C) and dot(push, z) > 0 for z in directions([*C, push], len(W)))
    return ("unbounded" if falls else "none"), None


def drawn(rng):
    """Masses (n, n) with one or two directions without inertia, a force, contacts and their bounds, of integers."""
    n, u = int(rng.integers(2, 5)), int(rng.integers(1, 5))
    B = rng.integers(-2, 3, (n - int(rng.integers(1, min(n, 2) + 1)), n))
    J, gamma, f = rng.integers(-2, 3, (u, n)), rng.integers(-2, 3, u), rng.integers(-3, 4, n)
    if rng.random() < 0.7:  # pressed
        f = B.T @ rng.integers(-2, 3, len(B)) - J.T @ rng.integers(0, 3, u)
    return (B.T @ B).tolist(), f.tolist(), J.tolist(), gamma.tolist()


def said(M, f, J, gamma, sizes, weights):
    """What the package says in units of coordinates (n,) and of rows (u,), and the solution."""
    M, f = np.array(M) * np.outer(sizes, sizes), np.array(f) * sizes
    J, gamma = np.array(J) * np.outer(weights, sizes), np.array(gamma) * weights
    problem = GaussProblem.of(M, f, J, gamma, np.full(len(J), INF))
    try:
        require_unique(problem)
        return "unique", solve(problem)
    except NonUniqueAccelerationError as error:
        words = {"unbounded": "unbounded", "free": "so the acceleration is not unique", "undecided": "not decided"}
        return next(word for word, text in words.items() if text in str(error)), None
    except (ContradictoryRowsError, SolverError):
        return "none", None


@pytest.mark.sampled(8)
@pytest.mark.parametrize("seed", range(32))
@pytest.mark.parametrize("units", [0, 8, 20])
def test_directions_without_inertia_are_held_or_not_as_fractions_say(seed, units):
    rng, unique, undecided = np.random.default_rng(seed), 0, 0
    for _ in range(50):
        M, f, J, gamma = drawn(rng)
        if not 1 <= len(solved(M, [0] * len(f), len(f))[1]) <= 2:
            continue
        word, a = truth(M, f, J, gamma)
        sizes, weights = (2.0 ** rng.integers(-units, units + 1, len(x)) for x in (f, J))
        found, mine = said(M, f, J, gamma, sizes, weights)
        if truth(np.eye(len(f), dtype=int).tolist(), f, J, gamma)[0] == "none":  # no acceleration satisfies the rows
            assert found != "unique"
            continue
        unique += word == "unique"
        undecided += word == "unique" and found == "undecided"
        several = {"unbounded", "free"} if units == 20 and word != "unique" else {word}  # by how much is not told there
        assert found in several | {"undecided"}, (M, f, J, gamma)
        if found == "unique":
            off = mine.a - np.array(a, dtype=float) / sizes
            assert mine.problem.metric.norm(off) <= mine.error_bound + 1e-15 * mine.problem.metric.norm(mine.a)
            assert units == 20 or np.abs(off * sizes) == pytest.approx(0.0, abs=1e-9)
    assert unique > 5
    assert units == 20 or 3 * undecided <= unique  # a force that vanishes by chance says nothing


@pytest.mark.parametrize("share", [-1.0, 0.7, 3.0])
@pytest.mark.parametrize("push", [-1.0, -1e-9, -1e9])
def test_of_two_floors_that_a_slider_may_rest_on_the_higher_one_holds_it(push, share):
    """s ≥ 0 beside s ≥ 2x at x = s = 0: a share of the push drives the mass, and s̈ ≥ 0, s̈ ≥ 2ẍ."""
    system = g.System(
        "cart and slider",
        "x s",
        kinetic_energy=lambda v: 0.5 * v.x**2,
        force=[share * -push, push],
        constraints=[g.Unilateral("level", lambda q: q.s), g.Unilateral("ramp", lambda q: q.s - 2.0 * q.x)],
    )
    found = g.accelerate(system, [0.0, 0.0])
    # on the ramp ẍ = F + 2 push, if that is > 0; on the level ẍ = F, if that is < 0; between, on both, ẍ = 0
    ramp, level = share * -push + 2.0 * push, share * -push
    expected = ramp if ramp > 0.0 else level if level < 0.0 else 0.0
    assert found.unique
    assert found.a == pytest.approx([expected, max(0.0, 2.0 * expected)], abs=1e-12 * abs(push))


def test_a_slider_between_two_walls_that_nothing_pushes_is_free_or_undecided_but_not_held():
    walls = [g.Unilateral("left", lambda q: q.s - q.x**2), g.Unilateral("right", lambda q: q.x**2 - q.s)]
    system = g.System("slider", "x s", kinetic_energy=lambda v: 0.5 * v.x**2, constraints=walls)
    with pytest.raises(NonUniqueAccelerationError):
        g.accelerate(system, [0.5, 0.25], [1.0, 1.0])
