"""Spherical pendulum: a heavy point on a sphere, and the tension of its thread.

A point of mass m = 0.5 kg moves on the sphere x² + y² + z² = r² with r = 1 m, z upwards, under gravity 9.81 m/s². The
angular momentum m(x ẏ − y ẋ) about the vertical is conserved; the tension of the thread is |λ∇φ| = m(v² − g z)/r,
positive while the thread pulls. The motion is bound between two heights and its apsides precess.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

COVERS = ("T16",)
SOURCE = "TM §8.1.1"

MASS, RADIUS, GRAVITY = 0.5, 1.0, 9.81  # kg, m, m/s²
THETA, PHI_DOT = 2.0, 1.5  # rad from the upper pole, rad/s: the start, an apsis

system = g.System(
    "spherical pendulum",
    coordinates="x y z",
    kinetic_energy=lambda v, p: 0.5 * p.m * (v.x**2 + v.y**2 + v.z**2),
    potential_energy=lambda q, p: p.m * p.g * q.z,
    constraints=[g.Holonomic("thread", lambda q, p: q.x**2 + q.y**2 + q.z**2 - p.r**2)],
    parameters={"m": MASS, "r": RADIUS, "g": GRAVITY},
    units={"x": "m", "y": "m", "z": "m", "thread": "m²", "m": "kg", "r": "m", "g": "m/s²"},
)
start = g.Start(
    q=[RADIUS * np.sin(THETA), 0.0, RADIUS * np.cos(THETA)],
    v=[0.0, RADIUS * np.sin(THETA) * PHI_DOT, 0.0],
    t_end=10.0,
    step=0.002,
)
drawing = mb.Drawing(
    lines=[lambda q: [(0, 0, 0), (q["x"], q["y"], q["z"])]], traces=[lambda q: (q["x"], q["y"], q["z"])], speed=0.5
)


def tension(run):
    """The pull of the thread |λ∇φ| (N) towards the centre."""
    return -2 * RADIUS * run["thread"]


def claims(run):
    momentum = MASS * (run["x"] * run["d_y"] - run["y"] * run["d_x"])
    expected = np.full(len(run), MASS * (RADIUS * np.sin(THETA)) ** 2 * PHI_DOT)
    speed2, turning = np.sum(run.v**2, axis=1), g.relative(momentum, expected)
    bound = len(run) * run.about.rtol * MASS * RADIUS * np.sqrt(np.max(speed2)) / expected[0]
    reason = "N steps that err by rtol each, times m r v"
    pull = g.relative(tension(run), MASS * (speed2 - GRAVITY * run["z"]) / RADIUS)
    return [
        g.Claim("the angular momentum about the vertical is conserved", turning, bound, reason),
        g.Claim("the tension |λ∇φ| is m(v² − g z)/r", pull, 1e-12, "Newton's second law along the thread; rounding"),
    ]


def figure(run, figure):
    top, right = figure.subplots(1, 2)
    g.plot(run, "x", "y", ax=top)
    top.set(title="from above", aspect="equal")
    part = run.at(np.linspace(0.0, 0.4 * run.t[-1], 400))
    right.plot(part.t, tension(part), label="|λ∇φ|")
    formula = MASS * (np.sum(part.v**2, axis=1) - GRAVITY * part["z"]) / RADIUS
    right.plot(part.t[::10], formula[::10], ".", label="m(v² − g z)/r")
    right.set(xlabel="$t$ / s", ylabel="tension of the thread / N")
    right.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)


if __name__ == "__main__":
    g.main(__file__)
