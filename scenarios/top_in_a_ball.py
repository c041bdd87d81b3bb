"""Lagrange's top in a rolling ball: three integrals, and quadratures as for the top on a fixed point.

A ball of radius R = 0.4 m, mass M = 2 kg and central moment of inertia I = 0.15 kg m² rolls without slip on a level
plane. A symmetric top of mass m = 1.2 kg turns about a ball joint at the centre of the ball; its centre of mass lies on
its axis, r = 0.15 m from the joint; its moments of inertia about the joint are C along the axis and A across it. The
model has the centre (X, Y) of the ball and the rotations of ball and top as unit quaternions p and e. With
μ = I/R² + M, the unit vector n along the axis of the top, its angular velocity ω, (x, y) = r(n_x, n_y) and V = (Ẋ, Ẏ)
constant are V + m/(μ+m) (ẋ, ẏ) and K_n = C ω·n (BP (2.1), §2).
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

COVERS = ("B3",)
SOURCE = "BP §2, 4"

RADIUS, BALL, INERTIA, GRAVITY = 0.4, 2.0, 0.15, 9.81  # m, kg, kg m², m/s²
MASS, LENGTH, A, C = 1.2, 0.15, 0.042, 0.02  # kg, m, kg m², kg m²: about the joint
MU = INERTIA / RADIUS**2 + BALL  # kg
SHARE = MASS / (MU + MASS)
THETA, OMEGA = 0.6, np.array([0.5, 0.4, 25.0])  # rad; rad/s, in axes of the top
CENTRE_V, SPIN = np.array([0.1, 0.05]), 0.8  # m/s, rad/s of the ball about the vertical


def energy(q, v):
    """Kinetic energy (J); where |p| = |e| = 1, |Ω| = 2|ṗ| and |ω| = 2|ė|."""
    *_, s, x, y, z = q
    X1, Y1, a, b, c, d, s1, x1, y1, z1 = v
    ball = (BALL + MASS) * (X1**2 + Y1**2) + 4 * INERTIA * (a**2 + b**2 + c**2 + d**2)
    along = 2 * (s * z1 - z * s1 + y * x1 - x * y1)  # ω·n
    turning = 4 * A * (s1**2 + x1**2 + y1**2 + z1**2) + (C - A) * along**2
    n_dot = [2 * (x1 * z + x * z1 + s1 * y + s * y1), 2 * (y1 * z + y * z1 - s1 * x - s * x1)]
    return (ball + turning) / 2 + MASS * LENGTH * (X1 * n_dot[0] + Y1 * n_dot[1])


def rolling(q):
    """The rows Ẋ − RΩ_y = 0 and Ẏ + RΩ_x = 0."""
    d = 2 * RADIUS
    return [
        {"X": 1.0, "p0": d * q.p2, "p1": -d * q.p3, "p2": -d * q.p0, "p3": d * q.p1},
        {"Y": 1.0, "p0": -d * q.p1, "p1": d * q.p0, "p2": -d * q.p3, "p3": d * q.p2},
    ]


system = g.System(
    "top in a rolling ball",
    coordinates="X Y p0 p1 p2 p3 e0 e1 e2 e3",
    kinetic_energy=energy,
    potential_energy=lambda q: MASS * GRAVITY * LENGTH * (1 - 2 * (q.e1**2 + q.e2**2)),
    constraints=[
        g.Holonomic("unit quaternion of the ball", lambda q: q.p0**2 + q.p1**2 + q.p2**2 + q.p3**2 - 1.0),
        g.Holonomic("unit quaternion of the top", lambda q: q.e0**2 + q.e1**2 + q.e2**2 + q.e3**2 - 1.0),
        g.Pfaffian("ball rolls", rolling),
    ],
)
E0 = np.array([np.cos(THETA / 2), 0.0, np.sin(THETA / 2), 0.0])  # of the top at the start
E0_DOT = np.array([-OMEGA @ E0[1:], *(E0[0] * OMEGA + np.cross(E0[1:], OMEGA))]) / 2
V0 = [*CENTRE_V, 0, -CENTRE_V[1] / RADIUS / 2, CENTRE_V[0] / RADIUS / 2, SPIN / 2, *E0_DOT]
start = g.Start(q=[0, 0, 1, 0, 0, 0, *E0], v=V0, t_end=20.0, rtol=1e-13, atol=1e-14)


def axle(q):
    """The axle of the top, for the picture."""
    top = mb.shapes.at_quaternion((q["X"], q["Y"], RADIUS), [q[f"e{k}"] for k in range(4)])
    return [top.point((0, 0, z)) for z in (0.0, 0.25)]


def ball(q):
    """Where the ball is, for the picture."""
    return mb.shapes.at_quaternion((q["X"], q["Y"], RADIUS), [q[f"p{k}"] for k in range(4)])


drawing = mb.Drawing(
    placed=[([mb.shapes.Circle(RADIUS, normal=n) for n in np.eye(3)], ball)],
    lines=[axle],
    traces=[lambda q: axle(q)[1], lambda q: (q["X"], q["Y"], 0.0)],
    speed=0.5,
)


def axis(q, v):
    """n (3, N) and its rate from q and v of a run, (N, 10) each."""
    (s, x, y, z), (s1, x1, y1, z1) = q.T[6:], v.T[6:]
    n = [2 * (x * z + s * y), 2 * (y * z - s * x), 1 - 2 * (x**2 + y**2)]
    rate = [2 * (x1 * z + x * z1 + s1 * y + s * y1), 2 * (y1 * z + y * z1 - s1 * x - s * x1), -4 * (x * x1 + y * y1)]
    return np.array(n), np.array(rate)


def claims(run):
    _, n_dot = axis(run.q, run.v)
    (s, x, y, z), (s1, x1, y1, z1) = run.q.T[6:], run.v.T[6:]
    along = 2 * (s * z1 - z * s1 + y * x1 - x * y1)  # ω·n
    level = run.v.T[:2] + SHARE * LENGTH * n_dot[:2]
    kept = "rtol 1e-13 a step; less than the sum of those"
    return [
        g.Claim("Chaplygin's integral V + m/(μ+m)(ẋ, ẏ) is kept (m/s)", np.max(np.ptp(level, axis=1)), 1e-10, kept),
        g.Claim("momentum K_n about the axis is kept", g.relative(C * along, C * along[:1]), 1e-10, kept),
    ]


def figure(run, figure):
    axes = figure.subplots()
    axes.plot(*axis(run.q, run.v)[0][:2], lw=0.8)
    axes.set(xlabel="n_x", ylabel="n_y", title="axis of the top", aspect="equal")


if __name__ == "__main__":
    g.main(__file__)
