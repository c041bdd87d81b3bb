"""Elastic spherical pendulum: an ellipse as printed, a swing that turns where the spring has a natural length.

A mass m = 1 kg hangs on a massless telescopic arm of length l with the stiffness k = 39.24 N/m; gravity is 9.81 m/s².
The model has the position (x, y, z) of the mass (z upwards) and the length l, in m, on the sphere x² + y² + z² = l².
The spring has V_s = ½k(l − l₀)². As printed, l₀ = 0, its force is −k(x, y, z): the mass goes round an ellipse about
(0, 0, −mg/k) with the one frequency √(k/m), and λ = −k/2 is constant. For l₀ = 3mg/k the frequencies along and across
the arm are 2:1, and the energy goes to and fro between springing and swinging.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

COVERS = ("T12",)
SOURCE = "TM Ex. 4.7"

MASS, STIFFNESS, GRAVITY = 1.0, 39.24, 9.81  # kg, N/m, m/s²
SAG, RATE = MASS * GRAVITY / STIFFNESS, np.sqrt(STIFFNESS / MASS)  # m, 1/s: mg/k and √(k/m)
NATURAL = 3 * SAG  # m, the natural length at which the frequencies are 2:1
POSITION, VELOCITY = np.array([0.6, 0.0, -0.5]), np.array([0.5, 2.5, 1.5])  # m, m/s: the start

system = g.System(
    "elastic spherical pendulum",
    coordinates="x y z l",
    kinetic_energy=lambda v, p: 0.5 * p.m * (v.x**2 + v.y**2 + v.z**2),
    potential_energy=lambda q, p: p.m * p.g * q.z + 0.5 * p.k * (q.l - p.l_0) ** 2,
    constraints=[g.Holonomic("sphere", lambda q: q.x**2 + q.y**2 + q.z**2 - q.l**2)],
    parameters={"m": MASS, "k": STIFFNESS, "g": GRAVITY, "l_0": 0.0},
)


def state(position, velocity):
    """The coordinates (x, y, z, l) and their rates, from those of the mass."""
    length = np.linalg.norm(position)
    return [*position, length], [*velocity, np.dot(position, velocity) / length]


start = g.Start(*state(POSITION, VELOCITY), t_end=6.0, step=0.002)
drawing = mb.Drawing(
    lines=[lambda q: [(0, 0, 0), (q["x"], q["y"], q["z"])]], traces=[lambda q: (q["x"], q["y"], q["z"])], speed=0.5
)


def ellipse(t):
    """The position of the mass, (3, N), with the printed spring."""
    centre = np.array([0.0, 0.0, -SAG])
    return centre[:, None] + np.outer(POSITION - centre, np.cos(RATE * t)) + np.outer(VELOCITY / RATE, np.sin(RATE * t))


def claims(run):
    off = max(g.relative(run[name], each) for name, each in zip("xyz", ellipse(run.t), strict=True))
    return [
        g.Claim("as printed, the mass goes round the ellipse", off, 1e-9, "closed form of an isotropic oscillator"),
        g.Claim("λ of the sphere is −k/2", g.relative(run["sphere"], -STIFFNESS / 2), 1e-11, "balance: −kl − 2lλ = 0"),
    ]


def figure(run, figure):
    left, right = figure.subplots(1, 2)
    left.plot(run["x"], run["y"])
    left.set(xlabel="x / m", ylabel="y / m", title="printed spring: an ellipse, from above", aspect="equal")
    q, v = state(np.array([0.04, 0.0, -(NATURAL + SAG) + 0.11]), np.array([0.0, 0.0427, 0.0]))
    swing = g.simulate(system.with_parameters(l_0=NATURAL), q, v, t_end=60.0, progress="none")
    right.plot(swing["x"], swing["y"], lw=0.5)
    right.set(xlabel="x / m", ylabel="y / m", title="2:1: the plane of the swing turns, 60 s", aspect="equal")


if __name__ == "__main__":
    g.main(__file__)
