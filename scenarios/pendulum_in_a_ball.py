"""Pendulum in a rolling ball: integrable, although the ball's rolling is nonholonomic.

A ball of radius R = 0.4 m, mass M = 2 kg and central moment of inertia I = 0.15 kg m² rolls without slip on a level
plane. From its centre hangs a point of mass m = 1.2 kg on a weightless thread of length r = 0.25 m. The model is the
full one: the centre (X, Y) of the ball, its rotation as a unit quaternion p, and the place (x, y, z) of the mass
relative to the centre, kept by |p|² = 1, the thread and the two rows of rolling, (Ẋ, Ẏ) = R (Ω_y, −Ω_x), where Ω is the
vector part of 2 ṗ p*. With μ = I/R² + M and V = (Ẋ, Ẏ) these are constant (BP (2.1), (2.5), (2.8)):

    V + m/(μ+m) (ẋ, ẏ),   K = μm/(μ+m) (x ẏ − y ẋ),   H = ½m|ṙ|² − ½m²/(μ+m)(ẋ² + ẏ²) + m g z.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

COVERS = ("B2",)
SOURCE = "BP §2, 4"

RADIUS, BALL, INERTIA = 0.4, 2.0, 0.15  # m, kg, kg m²
MASS, LENGTH, GRAVITY = 1.2, 0.25, 9.81  # kg, m, m/s²
MU = INERTIA / RADIUS**2 + BALL  # kg
SHARE = MASS / (MU + MASS)
AT, MOVING = np.array([0.2, 0.0, -0.15]), np.array([0.36, 0.7, 0.48])  # m, m/s: the mass relative to the centre
CENTRE_V, SPIN = np.array([0.05, -0.25]), 0.8  # m/s, rad/s about the vertical


def energy(v):
    """Kinetic energy (J); |Ω| = 2|ṗ| where |p| = 1."""
    X, Y, a, b, c, d, x, y, z = v
    ball = BALL * (X**2 + Y**2) + 4 * INERTIA * (a**2 + b**2 + c**2 + d**2)
    return (ball + MASS * ((X + x) ** 2 + (Y + y) ** 2 + z**2)) / 2


def rolling(q):
    """The rows Ẋ − RΩ_y = 0 and Ẏ + RΩ_x = 0."""
    d = 2 * RADIUS
    return [
        {"X": 1.0, "p0": d * q.p2, "p1": -d * q.p3, "p2": -d * q.p0, "p3": d * q.p1},
        {"Y": 1.0, "p0": -d * q.p1, "p1": d * q.p0, "p2": -d * q.p3, "p3": d * q.p2},
    ]


system = g.System(
    "pendulum in a rolling ball",
    coordinates="X Y p0 p1 p2 p3 x y z",
    kinetic_energy=energy,
    potential_energy=lambda q: MASS * GRAVITY * q.z,
    constraints=[
        g.Holonomic("unit quaternion", lambda q: q.p0**2 + q.p1**2 + q.p2**2 + q.p3**2 - 1.0),
        g.Holonomic("thread", lambda q: q.x**2 + q.y**2 + q.z**2 - LENGTH**2),
        g.Pfaffian("ball rolls", rolling),
    ],
)
OMEGA = np.array([-CENTRE_V[1] / RADIUS, CENTRE_V[0] / RADIUS, SPIN])  # rad/s
start = g.Start(q=[0, 0, 1, 0, 0, 0, *AT], v=[*CENTRE_V, 0, *(OMEGA / 2), *MOVING], t_end=20.0, rtol=1e-13, atol=1e-14)


def ball(q):
    """Where the ball is, for the picture."""
    return mb.shapes.at_quaternion((q["X"], q["Y"], RADIUS), [q[f"p{k}"] for k in range(4)])


drawing = mb.Drawing(
    placed=[([mb.shapes.Circle(RADIUS, normal=n) for n in np.eye(3)], ball)],
    lines=[lambda q: [(q["X"], q["Y"], RADIUS), (q["X"] + q["x"], q["Y"] + q["y"], RADIUS + q["z"])]],
    traces=[lambda q: (q["X"], q["Y"], 0.0)],
    speed=2.0,
)


def integrals(run):
    """The integrals of BP along a run: V + m/(μ+m)(ẋ, ẏ) in m/s, K in N m s and H in J."""
    V, r, r_dot = run.v.T[:2], run.q.T[6:], run.v.T[6:]
    K = MU * SHARE * (r[0] * r_dot[1] - r[1] * r_dot[0])
    H = MASS * (np.sum(r_dot**2, axis=0) - SHARE * np.sum(r_dot[:2] ** 2, axis=0)) / 2 + MASS * GRAVITY * r[2]
    return [*(V + SHARE * r_dot[:2]), K, H]


@g.needs(start.t_end)
def claims(run):
    *level, K, H = integrals(run)
    kept = f"rtol {start.rtol:g} a step; less than the sum of those, relative to its size"
    return [
        g.Claim("Chaplygin's integral V + m/(μ+m)(ẋ, ẏ) is kept (m/s)", np.max(np.ptp(level, axis=1)), 1e-10, kept),
        g.Claim("modified angular momentum K is kept", g.relative(K, K[:1]), 1e-10, kept),
        g.Claim("modified energy H is kept", g.relative(H, H[:1]), 1e-10, kept),
    ]


def figure(run, figure):
    axes = figure.subplots()
    dense = run.at(np.linspace(run.t[0], run.t[0] + 6.0, 1000))
    axes.plot(dense["X"], dense["Y"], label="centre of the ball")
    axes.plot(dense["X"] + dense["x"], dense["Y"] + dense["y"], lw=0.8, label="mass")
    axes.set(xlabel="x / m", ylabel="y / m", title="path seen from above, 6 s", aspect="equal")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
