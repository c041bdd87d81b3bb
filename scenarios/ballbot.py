"""Ballbot in the plane: a body falls over a rolling wheel, or balances on it.

A wheel of radius r = 0.12 m, mass M = 2.4 kg and moment of inertia I = 0.03 kg m² rolls along the axis X without slip
and carries an inverted pendulum (the body) of length l = 0.7 m with a mass m = 5 kg at its end. The coordinates are the
wheel's centre (x, y), the body's mass (bx, by) in m, and the wheel's rotation psi (rad, clockwise); the constraints are
the ground, y = r, the rolling, x = r psi, and the length of the body. Upright it falls like exp(κt) with
κ² = (M + I/r² + m) g/((M + I/r²) l). The ground drives the wheel with the force −I psi_ddot/r (N).
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

COVERS = ("T12",)
SOURCE = "TM Ex. 4.6"

WHEEL, BODY, INERTIA, RADIUS, LENGTH, GRAVITY = 2.4, 5.0, 0.03, 0.12, 0.7, 9.81  # kg, kg, kg m², m, m, m/s²
PHI = 0.15  # rad, at the start

ground = g.Holonomic("ground", lambda q, p: q.y - p.r)
rolling = g.Holonomic("rolling", lambda q, p: q.x - p.r * q.psi)
body = g.Holonomic("body", lambda q, p: (q.bx - q.x) ** 2 + (q.by - q.y) ** 2 - p.l**2)


system = g.System(
    "ballbot in the plane",
    coordinates="x y psi bx by",
    kinetic_energy=lambda v, p: (p.M * (v.x**2 + v.y**2) + p.I * v.psi**2 + p.m * (v.bx**2 + v.by**2)) / 2,
    potential_energy=lambda q, p: p.g * (p.M * q.y + p.m * q.by),
    constraints=[ground, rolling, body],
    parameters={"M": WHEEL, "m": BODY, "I": INERTIA, "r": RADIUS, "l": LENGTH, "g": GRAVITY},
)


def leaning(phi):
    """The position with the body at the angle phi from the vertical, the wheel at the origin."""
    return [0.0, RADIUS, 0.0, LENGTH * np.sin(phi), RADIUS + LENGTH * np.cos(phi)]


fallen = g.Event("body on the ground", lambda q: q.by, direction=-1, terminal=True)
start = g.Start(q=leaning(PHI), t_end=5.0, step=0.0005, events=(fallen,))
drawing = mb.Drawing(
    placed=[(mb.shapes.Disc(RADIUS), lambda q: mb.shapes.at_angle((q["x"], q["y"]), -q["psi"]))],
    lines=[lambda q: [(q["x"], q["y"]), (q["bx"], q["by"])]],
    speed=0.25,
)


def claims(run):
    driving = -INERTIA * run["dd_psi"] / RADIUS
    linear = g.linearize(system, leaning(0.0), states="psi bx d_psi d_bx").eigenvalues.real
    cart = WHEEL + INERTIA / RADIUS**2
    rate = np.sqrt((cart + BODY) * GRAVITY / (cart * LENGTH))
    words = "upright the eigenvalues are ±κ, κ² = (M + I/r² + m)g/((M + I/r²)l), and two zeros"
    return [
        g.Claim("the ground drives the wheel with −I psi_ddot/r", g.relative(run["rolling"], driving), 1e-11, "Newton"),
        g.Claim(words, g.relative(linear[[0, -1]], [rate, -rate]), 1e-12, "closed form, to rounding"),
    ]


def figure(run, figure):
    axes = figure.subplots()
    for x, y, _, bx, by in run.at(np.linspace(0.0, run.t[-1], 9)).q:
        axes.plot([x, bx], [y, by], "-o", color="C0")
    axes.set(xlabel="x / m", ylabel="y / m", title="the body falls", aspect="equal")


if __name__ == "__main__":
    g.main(__file__)
