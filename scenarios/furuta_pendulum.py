"""Furuta pendulum: two independent integrals in involution, so its motion is solvable by quadratures.

A vertical column of height l = 1 m turns by theta (rad) and carries a horizontal arm of length a = 0.5 m; at its end a
pendulum of length b = 0.3 m with a mass m = 1 kg swings by phi (rad) in the vertical plane of the arm; gravity is
9.81 m/s². Column, arm and rod are massless. The mass is a heavy point on the torus
(√(x² + y²) − a)² + (z − l)² = b², the one constraint of the model below (m). As a > b, the mass keeps off the axis,
where that function is not smooth. In the angles L = ½ m (a + b sin phi)² theta_dot² + ½ m b² phi_dot² + m g b cos phi;
H and p_theta = m(x ẏ − y ẋ) are conserved and in involution.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

COVERS = ("T10",)
SOURCE = "TM §4.1.2, 5.4.2, 5.7"

MASS, ARM, ROD, HEIGHT, GRAVITY = 1.0, 0.5, 0.3, 1.0, 9.81  # kg, m, m, m, m/s²
PHI, THETA_DOT = -0.9, 3.0  # rad, rad/s: the start, with theta = 0 and the rod at rest on the arm

system = g.System(
    "Furuta pendulum",
    coordinates="x y z",
    kinetic_energy=lambda v: 0.5 * MASS * (v.x**2 + v.y**2 + v.z**2),
    potential_energy=lambda q: MASS * GRAVITY * (q.z - HEIGHT),
    constraints=[g.Holonomic("torus", lambda q: (g.hypot(q.x, q.y) - ARM) ** 2 + (q.z - HEIGHT) ** 2 - ROD**2)],
)
RADIUS = ARM + ROD * np.sin(PHI)  # m
POINT = [RADIUS, 0.0, HEIGHT - ROD * np.cos(PHI)]
start = g.Start(q=POINT, v=[0.0, RADIUS * THETA_DOT, 0.0], t_end=10.0, step=0.0008)


def column_arm_rod(q):
    """Corners of the mechanism, for the picture."""
    far = ARM / np.hypot(q["x"], q["y"])
    return [(0, 0, 0), (0, 0, HEIGHT), (far * q["x"], far * q["y"], HEIGHT), (q["x"], q["y"], q["z"])]


drawing = mb.Drawing(lines=[column_arm_rod], traces=[lambda q: column_arm_rod(q)[3]], speed=0.5)


def claims(run):
    H = run.energy
    P = MASS * (run["x"] * run["d_y"] - run["y"] * run["d_x"])
    drift, speed = len(run) * run.about.rtol, np.sqrt(2 * np.max(run.kinetic) / MASS)
    kept = drift * (np.max(2 * run.kinetic) + MASS * GRAVITY * (HEIGHT + ROD))
    turning = drift * 2 * MASS * (ARM + ROD) * speed
    return [
        g.Claim("H is conserved", np.max(np.abs(H - H[0])), kept, "N rtol, times the largest 2T + m g |z|"),
        g.Claim("p_theta is conserved", np.max(np.abs(P - P[0])), turning, "N rtol, times the largest m ρ v"),
    ]


def figure(run, figure):
    axes = figure.add_subplot(projection="3d")
    u, w = np.meshgrid(np.linspace(0, 2 * np.pi, 37), np.linspace(0, 2 * np.pi, 13))
    far = ARM + ROD * np.sin(w)
    axes.plot_wireframe(far * np.cos(u), far * np.sin(u), HEIGHT - ROD * np.cos(w), color="0.87", lw=0.4)
    axes.plot(*run.at(np.linspace(run.t[0], run.t[-1], 1500)).q.T, lw=0.9)
    axes.set(xlabel="x / m", ylabel="y / m", zlabel="z / m", title="path on the torus")
    axes.set_aspect("equal")


if __name__ == "__main__":
    g.main(__file__)
