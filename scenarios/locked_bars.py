"""Three bars stretched into a line beside a pendulum: the bars are locked, and the pendulum swings as if alone.

Three bars of L = 0.5 m in the vertical plane join the fixed points (0, 0) and (1.5, 0): their inner joints are
particles of m₁ = 1 kg and m₂ = 2 kg at (L, 0) and (2L, 0). A pendulum of 0.3 kg and l = 0.6 m hangs at (0.75, −0.2).
Gravity g = 9.81 m/s² acts along −y; coordinates are in m. To first order both joints may move up and down. To second
order the bars demand of the heights y₁, y₂ that y₁² + (y₂ − y₁)² + y₂² = 0: rigid all the same, *locked*. The joints
stay, although no multipliers hold them; the pendulum swings with sin(θ/2) = sin(θ₀/2) cd(√(g/l) t, sin²(θ₀/2)).
"""

import numpy as np
from scipy.special import ellipj, ellipk

import gauss as g

SOURCE = "an infinitesimal mechanism, as in S. Pellegrino, C. R. Calladine, Int. J. Solids Struct. 22 (1986) 409"

L, M1, M2, M3, LENGTH, G = 0.5, 1.0, 2.0, 0.3, 0.6, 9.81  # m, kg, kg, kg, m, m/s²
PIVOT, THETA = (0.75, -0.2), 1.2  # m, and rad from the lowest point, at rest
K, OMEGA = np.sin(THETA / 2) ** 2, np.sqrt(G / LENGTH)
HALF = 2 / OMEGA * ellipk(K)  # s, half a period of the pendulum
JOINTS = np.array([L, 0.0, 2 * L, 0.0])

system = g.System(
    "three bars in a line beside a pendulum",
    coordinates="x1 y1 x2 y2 x y",
    kinetic_energy=lambda v: 0.5 * (M1 * (v.x1**2 + v.y1**2) + M2 * (v.x2**2 + v.y2**2) + M3 * (v.x**2 + v.y**2)),
    potential_energy=lambda q: G * (M1 * q.y1 + M2 * q.y2 + M3 * q.y),
    constraints=[
        g.Holonomic("left bar", lambda q: q.x1**2 + q.y1**2 - L**2),
        g.Holonomic("middle bar", lambda q: (q.x2 - q.x1) ** 2 + (q.y2 - q.y1) ** 2 - L**2),
        g.Holonomic("right bar", lambda q: (3 * L - q.x2) ** 2 + q.y2**2 - L**2),
        g.Holonomic("thread", lambda q: (q.x - PIVOT[0]) ** 2 + (q.y - PIVOT[1]) ** 2 - LENGTH**2),
    ],
)
start = g.Start(q=[*JOINTS, PIVOT[0] + LENGTH * np.sin(THETA), PIVOT[1] - LENGTH * np.cos(THETA)])


def swing():
    """The motion over half a period of the pendulum, and its angle θ."""
    run = g.simulate(system, start.q, t_end=HALF, rtol=1e-9, progress="none").at(np.linspace(0, HALF, 100))
    return run, np.arctan2(run["x"] - PIVOT[0], PIVOT[1] - run["y"])


def exact(t):
    """θ of the pendulum by Jacobi's functions."""
    _, cn, dn, _ = ellipj(OMEGA * np.asarray(t), K)
    return 2 * np.arcsin(np.sin(THETA / 2) * cn / dn)


def claims(step):
    run, theta = swing()
    apart, off = np.max(np.abs(run.q[:, :4] - JOINTS)) / L, np.max(np.abs(theta - exact(run.t)))
    return [
        g.Claim("along the motion the joints stay where they are", apart, 1e-7, "the root of 1e-14"),
        g.Claim("and the pendulum swings by Jacobi's functions", off, 1e-8, "errors of the steps, 1e-9 each, add up"),
    ]


def figure(step, figure):
    axes = figure.subplots()
    run, theta = swing()
    axes.plot(run.t, theta, label="θ / rad, Gauss")
    axes.plot(run.t[::6], exact(run.t[::6]), "k.", label="Jacobi's functions")
    axes.plot(run.t, run["y1"], label="y₁ / m")
    axes.set(xlabel="t / s", title="the bars are locked, the pendulum swings")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
