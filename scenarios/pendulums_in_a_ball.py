"""Two pendulums in a rolling ball: what rolling conserves, and Lagrange's equations of a nonholonomic system.

A ball of radius R = 0.4 m, mass M = 2 kg and central moment of inertia I = 0.15 kg m² rolls without slip on a level
plane. From its centre hang points of masses 1.2 and 0.7 kg on weightless threads of lengths 0.25 and 0.16 m. The model
has the centre (X, Y) of the ball, its rotation as a unit quaternion p, and the places r_i of the masses relative to the
centre. With μ = I/R² + M, m = m₁ + m₂, (x, y) the level part of the masses' centre of mass and V = (Ẋ, Ẏ) these are
constant (BP (2.1), (2.5)), as the ball rolls and the threads turn freely about its centre:

    V + m/(μ+m) (ẋ, ẏ),   K = Σ m_i (x_i ẏ_i − y_i ẋ_i) − m²/(μ+m) (x ẏ − y ẋ).
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

COVERS = ("B1",)
SOURCE = "BP §2–4"

RADIUS, BALL, INERTIA, GRAVITY = 0.4, 2.0, 0.15, 9.81  # m, kg, kg m², m/s²
MASSES, LENGTHS = np.array([1.2, 0.7]), np.array([0.25, 0.16])  # kg, m
MU, TOTAL = INERTIA / RADIUS**2 + BALL, float(np.sum(MASSES))  # kg
SHARE = TOTAL / (MU + TOTAL)
AT = np.array([[0.2, 0.0, -0.15], [-0.064, 0.096, -0.11085125168440815]])  # m, relative to the centre
MOVING = np.array([[0.36, 0.5, 0.48], [-0.45, -0.3, 0.0]])  # m/s
CENTRE_V, SPIN = np.array([0.12, -0.12]), 0.8  # m/s, rad/s about the vertical


def energy(v):
    """Kinetic energy (J); |Ω| = 2|ṗ| where |p| = 1."""
    X, Y, a, b, c, d, *rates = v
    total = BALL * (X**2 + Y**2) + 4 * INERTIA * (a**2 + b**2 + c**2 + d**2)
    for mass, x, y, z in zip(MASSES, rates[::3], rates[1::3], rates[2::3], strict=True):
        total = total + mass * ((X + x) ** 2 + (Y + y) ** 2 + z**2)
    return total / 2


def threads(q):
    """The rows |r_i|² = l_i²."""
    _, _, _, _, _, _, *r = q
    return [x**2 + y**2 + z**2 - length**2 for length, x, y, z in zip(LENGTHS, r[::3], r[1::3], r[2::3], strict=True)]


def rolling(q):
    """The rows Ẋ − RΩ_y = 0 and Ẏ + RΩ_x = 0."""
    d = 2 * RADIUS
    return [
        {"X": 1.0, "p0": d * q.p2, "p1": -d * q.p3, "p2": -d * q.p0, "p3": d * q.p1},
        {"Y": 1.0, "p0": -d * q.p1, "p1": d * q.p0, "p2": -d * q.p3, "p3": d * q.p2},
    ]


system = g.System(
    "pendulums in a rolling ball",
    coordinates=["X", "Y", "p0", "p1", "p2", "p3", *(f"{x}{i}" for i in range(1, len(MASSES) + 1) for x in "xyz")],
    kinetic_energy=energy,
    potential_energy=lambda q: sum(mass * GRAVITY * q[f"z{i}"] for i, mass in enumerate(MASSES, 1)),
    constraints=[
        g.Holonomic("unit quaternion", lambda q: q.p0**2 + q.p1**2 + q.p2**2 + q.p3**2 - 1.0),
        g.Holonomic("threads", threads),
        g.Pfaffian("ball rolls", rolling),
    ],
)
V0 = [*CENTRE_V, 0, -CENTRE_V[1] / RADIUS / 2, CENTRE_V[0] / RADIUS / 2, SPIN / 2, *MOVING.ravel()]
start = g.Start(q=[0, 0, 1, 0, 0, 0, *AT.ravel()], v=V0, t_end=20.0, rtol=1e-13, atol=1e-14)


def hanging(q):
    """The first mass, the centre of the ball and the second mass, for the picture."""
    first, second = ((q["X"] + q[f"x{i}"], q["Y"] + q[f"y{i}"], RADIUS + q[f"z{i}"]) for i in (1, 2))
    return [first, (q["X"], q["Y"], RADIUS), second]


def ball(q):
    """Where the ball is, for the picture."""
    return mb.shapes.at_quaternion((q["X"], q["Y"], RADIUS), [q[f"p{k}"] for k in range(4)])


drawing = mb.Drawing(
    placed=[([mb.shapes.Circle(RADIUS, normal=n) for n in np.eye(3)], ball)], lines=[hanging], speed=2.0
)


@g.needs(start.t_end)
def claims(run):
    r, v = (values.T[6:].reshape(2, 3, -1) for values in (run.q, run.v))
    s, s_dot = (np.einsum("i,ijn->jn", MASSES / TOTAL, x) for x in (r, v))  # of the centre of mass
    level = run.v.T[:2] + SHARE * s_dot[:2]
    turning = MASSES @ (r[:, 0] * v[:, 1] - r[:, 1] * v[:, 0])
    K = turning - SHARE * TOTAL * (s[0] * s_dot[1] - s[1] * s_dot[0])
    kept = "rtol 1e-13 a step; less than the sum of those"
    return [
        g.Claim("Chaplygin's integral V + m/(μ+m)(ẋ, ẏ) is kept (m/s)", np.max(np.ptp(level, axis=1)), 1e-10, kept),
        g.Claim("modified angular momentum K is kept", g.relative(K, K[:1]), 1e-10, kept),
    ]


def figure(run, figure):
    axes = figure.subplots()
    axes.plot(run["X"], run["Y"], label="centre of the ball")
    axes.plot(run["X"] + run["x1"], run["Y"] + run["y1"], lw=0.8, label="first mass")
    axes.set(xlabel="x / m", ylabel="y / m", title="path seen from above", aspect="equal")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
