"""The other claims of scenarios/regular_uniqueness.py.

A double pendulum (masses 0.8 and 1.5 kg, rods 1 and 1.2 m, gravity g = 9.81 m/s² along −y; Cartesian coordinates x1,
y1, x2, y2 in m) touches the level floor y = −1.6 m with its second mass and slides along it. Its two rods and the
contact are three independent rows of four coordinates: the position is *regular*, shown by the singular values of the
rows, of unit scale in the mass metric, and by the gap between them and what rounding makes of a zero.

Let ξ be the acceleration of least Zwang Z(a) = ½(a − a_free)ᵀM(a − a_free), and ξ + u another admissible one. Then

    Z(ξ + u) = Z(ξ) + ½‖u‖²_M                           with the rods alone (bilateral rows, J u = 0),
    Z(ξ + u) = Z(ξ) + ½‖u‖²_M + λ·(J_u u) ≥ Z(ξ) + ½‖u‖²_M   with the floor as well (J_u u ≥ 0, λ ≥ 0),

so a second least point is impossible. The source's (7) is the first line, written for twice this Zwang. ξ itself is
known from the equations of the double pendulum in its angles, with the floor's force as a third unknown.
"""

import numpy as np

import gauss as g
from scenarios.regular_uniqueness import (
    COUNT,
    EPS,
    FIRST,
    L1,
    L2,
    M1,
    M2,
    POSITION,
    RATE,
    SECOND,
    SECOND_RATE,
    VELOCITY,
    G,
    start,
)


def _system(name, floor):
    rods = [
        g.Holonomic("first rod", lambda q: q.x1**2 + q.y1**2 - L1**2),
        g.Holonomic("second rod", lambda q: (q.x2 - q.x1) ** 2 + (q.y2 - q.y1) ** 2 - L2**2),
    ]
    return g.System(
        name,
        coordinates="x1 y1 x2 y2",
        kinetic_energy=lambda v: 0.5 * (M1 * (v.x1**2 + v.y1**2) + M2 * (v.x2**2 + v.y2**2)),
        potential_energy=lambda q: G * (M1 * q.y1 + M2 * q.y2),
        constraints=[*rods, *floor],
    )


hanging = _system("double pendulum", [])


def textbook(floor):
    """Acceleration (4,) and floor force from the equations in the angles; without the floor its force is zero."""
    a, b, c, s = FIRST, SECOND, np.cos(FIRST - SECOND), np.sin(FIRST - SECOND)
    matrix = np.array(
        [
            [(M1 + M2) * L1**2, M2 * L1 * L2 * c, -L1 * np.sin(a)],
            [M2 * L1 * L2 * c, M2 * L2**2, -L2 * np.sin(b)],
            [L1 * np.sin(a), L2 * np.sin(b), 0.0],
        ]
    )
    right = np.array(
        [
            -M2 * L1 * L2 * s * SECOND_RATE**2 - (M1 + M2) * G * L1 * np.sin(a),
            M2 * L1 * L2 * s * RATE**2 - M2 * G * L2 * np.sin(b),
            -L1 * np.cos(a) * RATE**2 - L2 * np.cos(b) * SECOND_RATE**2,
        ]
    )
    if floor:
        first, second, force = np.linalg.solve(matrix, right)
    else:
        (first, second), force = np.linalg.solve(matrix[:2, :2], right[:2]), 0.0
    rods = np.array([[L1 * np.sin(a), -L1 * np.cos(a)], [L2 * np.sin(b), -L2 * np.cos(b)]])
    turned = np.array([[-y, x] for x, y in rods])
    parts = turned * [[first], [second]] - rods * [[RATE**2], [SECOND_RATE**2]]
    return np.cumsum(parts, axis=0).ravel(), float(force)


def singular_values():
    """Singular values (3,) of the rows by hand: each over the larger of its length and of its change over |q|_M."""
    x1, y1, x2, y2 = POSITION
    dx, dy = x2 - x1, y2 - y1
    half = np.sqrt([M1, M1, M2, M2])
    rows = np.array([[2 * x1, 2 * y1, 0, 0], [-2 * dx, -2 * dy, 2 * dx, 2 * dy], [0, 0, 0, 1]]) / half
    free = np.linalg.norm(half * [0, -G, 0, -G])
    length = max(np.linalg.norm(half * POSITION), np.linalg.norm(half * VELOCITY) ** 2 / free)
    bend = np.array([2 * np.sqrt(2) / M1, 2 * np.sqrt(2) * (1 / M1 + 1 / M2), 0.0])  # norms of the second derivatives
    scale = np.maximum(np.linalg.norm(rows, axis=1), bend * length)
    return np.linalg.svd(rows / scale[:, None], compute_uv=False)


def zwang(problem, a):
    """Z of accelerations (k, n)."""
    off = a - np.linalg.solve(problem.M, problem.f)
    return 0.5 * np.einsum("ki,ij,kj->k", off, problem.M, off)


def _random(problem, seed=1):
    """Random u (COUNT, 4) in the kernel of the rods, of lengths 1e-3 … 1e3 in the metric."""
    rng = np.random.default_rng(seed)
    kernel = np.linalg.svd(problem.rows.J[:2])[2][2:]
    u = rng.normal(size=(COUNT, 2)) @ kernel
    length = np.sqrt(np.einsum("ki,ij,kj->k", u, problem.M, u))
    return u * (10.0 ** rng.uniform(-3, 3, COUNT) / length)[:, None]


def growth(step):
    """½‖u‖² (k,) and Z(ξ + u) − Z(ξ) (k,) of admissible u, and what the floor's multiplier adds (k,)."""
    problem, xi = step.solution.problem, step.a
    u = _random(problem)
    floor = problem.rows.J[2] @ u.T if len(problem.rows) > 2 else np.zeros(COUNT)
    u[floor < 0] *= -1
    half = 0.5 * np.einsum("ki,ij,kj->k", u, problem.M, u)
    force = step.multiplier("floor") if len(problem.rows) > 2 else 0.0
    return half, zwang(problem, xi + u) - zwang(problem, xi[None]), np.abs(floor) * force


def claims(step):
    other = g.accelerate(hanging, start.q, start.v)
    (half, grown, added), (half_free, grown_free, _) = growth(step), growth(other)
    size = 2 * max(step.zwang, other.zwang)
    noise = 1e4 * EPS * (size + half)  # the difference of two Zwang, rounded
    noise_free = 1e4 * EPS * (size + half_free)
    xi, force = textbook(floor=True)
    found = step
    rounding = "rounding, 1e4·eps of the terms"
    least, zero = step.sigma_min, step.tolerance
    return [
        g.Claim("the smallest is more than 10¹⁰ times what counts as zero", 1e10 * zero, least, "it is not doubtful"),
        g.Claim(
            "the singular values that decide it are those of the rows by hand",
            g.relative(found.sigma, singular_values()),
            1e3 * EPS,
            "rounding, 1e3·eps",
        ),
        g.Claim(
            "the acceleration is that of the equations in the angles, with the floor",
            g.relative(step.a, xi),
            1e3 * EPS,
            "rounding, 1e3·eps",
        ),
        g.Claim("and so is the floor's force", g.relative(step.multiplier("floor"), force), 1e3 * EPS, "rounding"),
        g.Claim(
            "without the floor as well",
            g.relative(other.a, textbook(floor=False)[0]),
            1e3 * EPS,
            "rounding, 1e3·eps",
        ),
        g.Claim(
            "rods alone: Z(ξ + u) = Z(ξ) + ½‖u‖² for 1000 admissible u",
            float(np.max(np.abs(grown_free - half_free) / noise_free)),
            1.0,
            rounding,
        ),
        g.Claim(
            "and what it is more is λ·(J_u u)",
            float(np.max(np.abs(grown - half - added) / noise)),
            1.0,
            rounding,
        ),
    ]
