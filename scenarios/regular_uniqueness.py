"""Regular position: the Zwang has exactly one least point, and grows from there at least by ½‖u‖².

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

COVERS = ("C1", "C6")
SOURCE = "C, equations (5)–(8) and (17)–(20), after P. Stäckel"

M1, M2, L1, L2, G = 0.8, 1.5, 1.0, 1.2, 9.81  # kg, kg, m, m, m/s²
FLOOR = -1.6  # m
FIRST, RATE = 0.5, 1.2  # rad from the vertical, rad/s: the first rod
COUNT = 1000
EPS = float(np.finfo(float).eps)


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


system = _system("double pendulum on the floor", [g.Unilateral("floor", lambda q: q.y2 - FLOOR)])
hanging = _system("double pendulum", [])

SECOND = float(np.arccos((-FLOOR - L1 * np.cos(FIRST)) / L2))  # rad: the second rod reaches the floor
SECOND_RATE = -L1 * np.sin(FIRST) * RATE / (L2 * np.sin(SECOND))  # rad/s: and its end stays on it


def _state():
    """Position and velocity (4,) from the angles."""
    rods = np.array([[L1 * np.sin(FIRST), -L1 * np.cos(FIRST)], [L2 * np.sin(SECOND), -L2 * np.cos(SECOND)]])
    turned = np.array([[-y, x] for x, y in rods]) * [[RATE], [SECOND_RATE]]
    return np.cumsum(rods, axis=0).ravel(), np.cumsum(turned, axis=0).ravel()


POSITION, VELOCITY = _state()
start = g.Start(q=POSITION, v=VELOCITY)


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
    return [
        g.Claim(
            "the position is regular: rank 3 of 3",
            float(found.verdicts != ("regular",) or found.regularity.rank != 3 or found.regularity.doubtful),
            0.0,
            "yes or no",
        ),
        g.Claim(
            "the singular values that decide it are those of the rows by hand",
            g.relative(found.sigma, singular_values()),
            1e3 * EPS,
            "rounding, 1e3·eps",
        ),
        g.Claim(
            "the smallest is more than 10¹⁰ times what counts as zero",
            1e10 * found.tolerance,
            found.sigma_min,
            "the decision is not doubtful",
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
            "with the floor: Z(ξ + u) ≥ Z(ξ) + ½‖u‖² for 1000 admissible u",
            float(np.max((half - grown) / noise)),
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


def figure(step, figure):
    left, middle, right = figure.subplots(1, 3, width_ratios=[1.0, 1.1, 1.1])
    x, y = np.vstack([np.zeros(2), POSITION.reshape(2, 2)]).T
    left.axhspan(FLOOR - 0.16, FLOOR - 0.06, color="0.85", zorder=0)
    left.axhline(FLOOR - 0.06, color="0.5", lw=1)
    left.plot(x, y, color="0.35", lw=2.5, zorder=1)
    left.plot(x[1:], y[1:], "o", color="C0", ms=8, zorder=2)
    left.plot([0], [0], "k^", ms=8)
    free = np.array([0.0, -G, 0.0, -G])
    for vector, color, text, beside in ((free, "0.45", "a_free", (0.05, 0.0)), (step.a, "C3", "ξ", (-0.14, -0.05))):
        for k in range(2):
            place, arrow = POSITION[2 * k : 2 * k + 2], 0.075 * vector[2 * k : 2 * k + 2]
            left.quiver(*place, *arrow, color=color, angles="xy", scale_units="xy", scale=1, width=0.012, zorder=3)
        left.text(*(place + arrow + beside), text, color=color)
    left.set(aspect="equal", xlabel="x / m", ylabel="y / m", title="two rods and a contact")
    left.set(xlim=(-0.3, 1.9), ylim=(-2.5, 0.15))
    other = g.accelerate(hanging, start.q, start.v)
    for axes, result, title in ((middle, other, "rods alone: equal"), (right, step, "with the floor: greater")):
        half, grown, _ = growth(result)
        axes.plot(half, grown, ".", ms=3, color="C0")
        span = np.array([1e-6, 1e6])
        axes.plot(span, span, color="C3", lw=1)
        axes.text(3e1, 4.0, "½‖u‖²", color="C3")
        axes.set(xscale="log", yscale="log", xlabel="½‖u‖² / kg m²/s⁴", title=title)
        axes.set(xlim=(3e-7, 3e6), ylim=(3e-7, 3e6))
    middle.set(ylabel="Z(ξ + u) − Z(ξ) / kg m²/s⁴")


if __name__ == "__main__":
    g.main(__file__)
