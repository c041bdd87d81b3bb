"""Pendulum hung off the centre of a rolling ball: where the equations of motion stop being Lagrange's.

A ball of radius R = 0.4 m, mass M = 2 kg and central moment of inertia I = 0.15 kg m² rolls without slip on a level
plane. A point of mass m = 1.2 kg hangs in it on a weightless thread of length l = 0.2 m, from a point h fixed in the
ball 0.12 m from its centre. The model has the centre (X, Y) of the ball, its rotation as a unit quaternion p, and the
place r = (x, y, z) of the mass relative to the centre (m). With μ = I/R² + M, V = (Ẋ, Ẏ) and the moment N = r × G of
the force G of the thread, (μ + m) V̇ + m (ẍ, ÿ) = e_z × N/R. Where N = 0, as for a thread from the centre, Chaplygin's
integral V + m/(μ+m) (ẋ, ẏ) is kept. A thread from elsewhere pushes the centre of the ball by e_z × N/R.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

COVERS = ("B4",)
SOURCE = "BP §1, 3"

RADIUS, BALL, INERTIA = 0.4, 2.0, 0.15  # m, kg, kg m²
MASS, LENGTH, OFF, GRAVITY = 1.2, 0.2, 0.12, 9.81  # kg, m, m, m/s²
MU = INERTIA / RADIUS**2 + BALL  # kg
TURN, OMEGA = 1.1, np.array([0.5, 0.3, 0.8])  # rad, of the ball about y at the start; rad/s
THREAD, SPEED = np.array([0.3, 0.2, -1.0]), np.array([0.4, 0.6, 0.0])  # its direction; m/s, across it


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


def hook(p):
    """h, on the ball's third axis, from its quaternion (4, …)."""
    a, b, c, d = p
    return [OFF * 2 * (b * d + a * c), OFF * 2 * (c * d - a * b), OFF * (a**2 - b**2 - c**2 + d**2)]


system = g.System(
    "pendulum off the centre of a rolling ball",
    coordinates="X Y p0 p1 p2 p3 x y z",
    kinetic_energy=energy,
    potential_energy=lambda q: MASS * GRAVITY * q.z,
    constraints=[
        g.Holonomic("unit quaternion", lambda q: q.p0**2 + q.p1**2 + q.p2**2 + q.p3**2 - 1.0),
        g.Holonomic(
            "thread", lambda q: sum((x - h) ** 2 for x, h in zip(q[6:], hook(q[2:6]), strict=True)) / 2 - LENGTH**2 / 2
        ),
        g.Pfaffian("ball rolls", rolling),
    ],
)
P0 = np.array([np.cos(TURN / 2), 0.0, np.sin(TURN / 2), 0.0])
P0_DOT = np.array([-OMEGA @ P0[1:], *(P0[0] * OMEGA + np.cross(OMEGA, P0[1:]))]) / 2
H0, along = np.array(hook(P0)), THREAD / np.linalg.norm(THREAD)
V0 = SPEED - SPEED @ along * along + np.cross(OMEGA, H0)  # m/s, of the mass relative to the centre
Q = np.concatenate([[0.0, 0.0], P0, H0 + LENGTH * along])
V = np.concatenate([RADIUS * np.cross(OMEGA, (0, 0, 1))[:2], P0_DOT, V0])
start = g.Start(q=Q, v=V, t_end=10.0, rtol=1e-13, atol=1e-14)


def ball(q):
    """Where the ball is, for the picture."""
    return mb.shapes.at_quaternion((q["X"], q["Y"], RADIUS), [q[f"p{k}"] for k in range(4)])


drawing = mb.Drawing(
    placed=[([mb.shapes.Circle(RADIUS, normal=n) for n in np.eye(3)], ball)],
    lines=[lambda q: [(q["X"], q["Y"], RADIUS), (q["X"] + q["x"], q["Y"] + q["y"], RADIUS + q["z"])]],
    traces=[lambda q: (q["X"], q["Y"], 0.0)],
)


def chaplygin(run):
    """V + m/(μ+m)(ẋ, ẏ) (2, N) along a run, m/s."""
    return run.v.T[:2] + MASS / (MU + MASS) * run.v.T[6:8]


@g.needs(start.t_end)
def claims(run):
    h, r = np.array(hook(run.q.T[2:6])), run.q.T[6:]
    push = np.cross((0, 0, 1), np.cross(h, run["thread"] * (r - h), axis=0), axisb=0, axisc=0)[:2] / RADIUS
    pushed = (MU + MASS) * run.a.T[:2] + MASS * run.a.T[6:8]
    share = 0.5 * np.max(np.abs(chaplygin(run))) / np.max(np.ptp(chaplygin(run), axis=1))
    return [
        g.Claim("the energy is conserved", g.relative(run.energy, run.energy[:1]), 1e-10, "rtol a step"),
        g.Claim("(μ+m) V̇ + m (ẍ, ÿ) is e_z × N/R", g.relative(pushed, push), 1e-11, "BP (1.10); rounding"),
        g.Claim("Chaplygin's integral changes by half its size", share, 1.0, "half its size over its largest change"),
    ]


def figure(run, figure):
    axes = figure.subplots()
    axes.plot(run.t, chaplygin(run).T, label=("along x", "along y"))
    axes.set(xlabel="t / s", ylabel="m/s", title="Chaplygin's integral V + m/(μ+m)(ẋ, ẏ) is not kept")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
