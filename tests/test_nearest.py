"""`consistent` on random problems: the state it returns is a nearest one, by conditions and by points beside it."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import lsq_linear

import gauss as g

SPREAD = 2.0  # decades of masses on each side of 1 kg


def value(row, x):
    return x @ row.A @ x + row.b @ x + row.c


def gradient(row, x):
    return 2.0 * row.A @ x + row.b


def random_problem(number):
    """Quadrics through, and walls beside, a base point; rows that say the same again, in other words too."""
    rng = np.random.default_rng([5, number])
    n = int(rng.integers(2, 7))
    m, walls, again = int(rng.integers(1, n)), int(rng.integers(0, 3)), int(rng.integers(0, 3))
    unit, masses, base = 10.0 ** rng.uniform(-3, 3), 10.0 ** rng.uniform(-SPREAD, SPREAD, n), rng.normal(size=n)
    C, roots, bent = 0.3 * rng.normal(size=(n, n)), np.sqrt(masses), rng.random() < 0.3
    M = roots[:, None] * (np.eye(n) + C @ C.T) * roots

    def quadric(gap):
        A, b = 0.4 * rng.normal(size=(n, n)), rng.normal(size=n)
        A = 0.5 * (A + A.T)
        return SimpleNamespace(A=A, b=b, c=gap - base @ A @ base - b @ base, scale=10.0 ** rng.uniform(-2, 2))

    equal = [quadric(0.0) for _ in range(m)]
    above = [quadric(0.0 if rng.random() < 0.5 else abs(rng.normal())) for _ in range(walls)]

    def of(row, q):
        x = [q[i] / unit for i in range(n)]
        square = sum(row.A[i, j] * x[i] * x[j] for i in range(n) for j in range(n))
        return row.scale * (square + sum(row.b[i] * x[i] for i in range(n)) + row.c)

    def combined(w):
        factor = (lambda q: 3.0 + g.sin(q[0] / unit)) if bent else (lambda q: 1.0)
        return lambda q: factor(q) * sum(share * of(row, q) for share, row in zip(w, equal, strict=True))

    rows = [g.Holonomic(f"row {k}", lambda q, row=row: of(row, q)) for k, row in enumerate(equal)]
    rows += [g.Holonomic(f"again {k}", combined(rng.normal(size=m))) for k in range(again)]
    rng.shuffle(rows)
    rows += [g.Unilateral(f"wall {k}", lambda q, row=row: of(row, q) * unit) for k, row in enumerate(above)]
    names = " ".join(f"q{i}" for i in range(n))
    system = g.System("random", names, mass_matrix=lambda q: [[float(x) for x in line] for line in M], constraints=rows)
    start = base + 10.0 ** rng.uniform(-4, -0.2) * rng.normal(size=n)
    return SimpleNamespace(
        system=system, M=M, unit=unit, equal=equal, above=above, start=start, v=rng.normal(size=n), rng=rng
    )


def missed(M, change, equal, above):
    """The share of M times a change that no admissible forces of the rows bring about."""
    L = np.linalg.cholesky(M)
    columns, force = np.linalg.solve(L, np.array([*equal, *above]).T), L.T @ change
    low = np.array([-np.inf] * len(equal) + [0.0] * len(above))
    return float(np.linalg.norm(columns @ lsq_linear(columns, force, bounds=(low, np.inf), tol=1e-14).x - force))


def back(problem, x):
    """A point on the rows beside x, by least changes, or None."""
    for _ in range(30):
        rows = problem.equal + [row for row in problem.above if value(row, x) < 0.0]
        change = np.linalg.lstsq(
            np.array([gradient(row, x) for row in rows]), -np.array([value(row, x) for row in rows]), rcond=1e-10
        )[0]
        x = x + change
        if np.max(np.abs(change)) < 1e-13:
            on = all(value(row, x) > -1e-12 for row in problem.above)
            return x if on and all(abs(value(row, x)) < 1e-12 for row in problem.equal) else None
    return None


@pytest.mark.sampled(24)
@pytest.mark.parametrize("number", range(240))
def test_no_state_on_the_rows_is_nearer(number):
    p = random_problem(number)
    state = g.consistent(p.system, p.unit * p.start, p.v)
    x, way = state.q / p.unit, state.q / p.unit - p.start
    J = [gradient(row, x) for row in p.equal]
    assert max(abs(value(row, x)) / np.linalg.norm(line) for row, line in zip(p.equal, J, strict=True)) < 1e-10
    assert all(value(row, x) > -1e-9 for row in p.above)
    closed = [gradient(row, x) for row in p.above if value(row, x) < 1e-8]
    size = np.sqrt(way @ p.M @ way)
    assert missed(p.M, way, J, closed) <= 1e-6 * size + 1e-10 * np.sqrt(np.max(p.M))
    for _ in range(40):
        near = back(p, x + 10.0 ** p.rng.uniform(-3, -2) * np.linalg.norm(way) * p.rng.normal(size=len(x)))
        if near is not None and np.linalg.norm(near - x) < 0.3 * np.linalg.norm(way):
            assert (near - p.start) @ p.M @ (near - p.start) >= size**2 * (1.0 - 1e-6)
    speed = np.linalg.norm(p.v)
    assert all(abs(line @ state.v) <= 1e-9 * speed * np.linalg.norm(line) for line in J)
    held = [gradient(row, x) for row in p.above if abs(value(row, x)) < 1e-11]
    assert all(line @ state.v >= -1e-9 * speed * np.linalg.norm(line) for line in held)
    held = [line for line in held if abs(line @ state.v) <= 1e-9 * speed * np.linalg.norm(line)]
    assert missed(p.M, state.v - p.v, J, held) <= 1e-6 * np.sqrt(p.v @ p.M @ p.v)


def circle(q):
    return q.x**2 + q.y**2 - 1.0


def body(*rows):
    rows = [g.Holonomic(f"row {k}", row) for k, row in enumerate(rows)]
    return g.System("body", "x y", kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2), constraints=rows)


@pytest.mark.parametrize("start", [(1.001, 0.006), (1.1, 0.003), (-0.7, 0.02)])
def test_a_row_in_two_wordings_is_closed_as_in_one(start):
    """Beside the circle the two gradients differ, which is no condition of its own."""
    twice = body(circle, lambda q: circle(q) * (3.0 + g.sin(q.x)))
    assert g.consistent(twice, start).q == pytest.approx(np.array(start) / np.hypot(*start), abs=1e-12)


@pytest.mark.parametrize("height", [0.0, 1e-9])
def test_a_stationary_point_that_is_no_minimum_is_left(height):
    """Of the ellipse x²/16 + y² = 1 the vertex (4, 0) is farther from (0.5, 0) than all points beside it."""
    q = g.consistent(body(lambda q: q.x**2 / 16.0 + q.y**2 - 1.0), [0.5, height]).q
    assert np.abs(q) == pytest.approx([8.0 / 15.0, np.sqrt(1.0 - 4.0 / 225.0)], abs=1e-8)
