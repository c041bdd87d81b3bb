"""Regular position: the Zwang has exactly one least point, and grows from there at least by ½‖u‖².

A double pendulum (masses 0.8 and 1.5 kg, rods 1 and 1.2 m, gravity g = 9.81 m/s² along −y; coordinates x1, y1, x2, y2
in m) touches the level floor y = −1.6 m with its second mass and slides along it. Its two rods and the contact are
three independent rows of four coordinates: the position is *regular*. Let ξ be the acceleration of least Zwang
Z(a) = ½(a − a_free)ᵀM(a − a_free), and ξ + u another admissible one, J_u u ≥ 0. With the force λ ≥ 0 of the floor
Z(ξ + u) = Z(ξ) + ½‖u‖²_M + λ·(J_u u) ≥ Z(ξ) + ½‖u‖²_M, so a second least point is impossible.
"""

import numpy as np

import gauss as g

COVERS = ("C1", "C6")
SOURCE = "C, equations (5)–(8) and (17)–(20), after P. Stäckel"

M1, M2, L1, L2, G = 0.8, 1.5, 1.0, 1.2, 9.81  # kg, kg, m, m, m/s²
FLOOR, FIRST, RATE = -1.6, 0.5, 1.2  # m, and rad from the vertical, rad/s: the first rod
COUNT, EPS = 1000, float(np.finfo(float).eps)

system = g.System(
    "double pendulum on the floor",
    coordinates="x1 y1 x2 y2",
    kinetic_energy=lambda v: 0.5 * (M1 * (v.x1**2 + v.y1**2) + M2 * (v.x2**2 + v.y2**2)),
    potential_energy=lambda q: G * (M1 * q.y1 + M2 * q.y2),
    constraints=[
        g.Holonomic("first rod", lambda q: q.x1**2 + q.y1**2 - L1**2),
        g.Holonomic("second rod", lambda q: (q.x2 - q.x1) ** 2 + (q.y2 - q.y1) ** 2 - L2**2),
        g.Unilateral("floor", lambda q: q.y2 - FLOOR),
    ],
)
SECOND = float(np.arccos((-FLOOR - L1 * np.cos(FIRST)) / L2))  # rad: the second rod reaches the floor
SECOND_RATE = -L1 * np.sin(FIRST) * RATE / (L2 * np.sin(SECOND))  # rad/s: and its end stays on it
RODS = np.array([[L1 * np.sin(FIRST), -L1 * np.cos(FIRST)], [L2 * np.sin(SECOND), -L2 * np.cos(SECOND)]])
TURNED = np.array([[-y, x] for x, y in RODS]) * [[RATE], [SECOND_RATE]]
POSITION, VELOCITY = np.cumsum(RODS, axis=0).ravel(), np.cumsum(TURNED, axis=0).ravel()
start = g.Start(q=POSITION, v=VELOCITY)


def growth(step):
    """½‖u‖² (k,) and Z(ξ + u) − Z(ξ) (k,) of random admissible u."""
    problem, rng = step.solution.problem, np.random.default_rng(1)
    u = rng.normal(size=(COUNT, 2)) @ np.linalg.svd(problem.rows.J[:2])[2][2:]  # in the kernel of the rods
    u *= (10.0 ** rng.uniform(-3, 3, COUNT) * np.sign(u @ problem.rows.J[2]))[:, None]
    off = step.a - np.linalg.solve(problem.M, problem.f)
    half, before, after = (np.einsum("ki,ij,kj->k", x, problem.M, x) / 2 for x in (u, off[None], off + u))
    return half, after - before


def claims(step):
    half, grown = growth(step)
    short = np.max((half - grown) / (1e4 * EPS * (2 * step.zwang + half)))  # of the difference of two Zwang, rounded
    doubtful = step.verdicts != ("regular",) or step.regularity.rank != 3 or step.regularity.doubtful
    return [
        g.Claim("the position is regular: rank 3 of 3", doubtful),
        g.Claim("with the floor: Z(ξ + u) ≥ Z(ξ) + ½‖u‖² for 1000 admissible u", short, 1.0, "rounding"),
    ]


def figure(step, figure):
    axes = figure.subplots()
    half, grown = growth(step)
    axes.loglog(half, grown, ".", ms=3)
    axes.loglog(half, half, color="C3", lw=1, label="½‖u‖²")
    axes.set(xlabel="½‖u‖² / kg m²/s⁴", ylabel="Z(ξ + u) − Z(ξ) / kg m²/s⁴", title="the Zwang grows at least by ½‖u‖²")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
