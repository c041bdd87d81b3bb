"""A vertical wheel rolls on a plane: who steers at a constant rate goes round in a circle.

A thin homogeneous wheel of mass m = 3 kg and radius r = 0.4 m stays upright and rolls on a horizontal plane. The
coordinates are the point of contact x, y (m), the heading alpha (rad) and the angle of rotation beta (rad). It rolls
without slip, neither sideways nor lengthwise. Its moments of inertia are I₂ = ½mr² about the axle and I₃ = ¼mr² about
the vertical (kg m²). Neither angular velocity changes, β̇ = η and α̇ = ω (rad/s), so the wheel started at the origin
along x goes round

    x = (ηr/ω) sin ωt,   y = (ηr/ω)(1 − cos ωt),

a circle of radius |ηr/ω| (the source prints ηr/ω, which is the radius where η and ω have the same sign). The plane
holds the wheel on it by λ₁ = m(ẍ sin alpha − ÿ cos alpha) = −mηrω (N, across the wheel); along it λ₂ = 0.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

COVERS = ("T19",)
SOURCE = "TM §9.1.2"

ETA, OMEGA = 2.5, 0.8  # rad/s: rolling and turning


def kinetic_energy(v, p):
    I2, I3 = p.m * p.r**2 / 2, p.m * p.r**2 / 4
    return 0.5 * p.m * (v.x**2 + v.y**2) + 0.5 * I2 * v.beta**2 + 0.5 * I3 * v.alpha**2


system = g.System(
    "vertical rolling wheel",
    coordinates="x y alpha beta",
    kinetic_energy=kinetic_energy,
    constraints=[
        g.Pfaffian("no side slip", lambda q: [g.sin(q.alpha), -g.cos(q.alpha), 0.0, 0.0]),
        g.Pfaffian("no lengthwise slip", lambda q, p: [g.cos(q.alpha), g.sin(q.alpha), 0.0, -p.r]),
    ],
    parameters={"m": 3.0, "r": 0.4},
)
M, R = system.parameters["m"], system.parameters["r"]
start = g.Start(q=[0.0, 0.0, 0.0, 0.0], v=[ETA * R, 0.0, OMEGA, ETA], t_end=10.0, step=0.01, rtol=1e-12)


def wheel(q):
    """Where the wheel is, its third axis the axle to the left, for the picture."""
    (sa, sb), (ca, cb) = ([f(q[angle]) for angle in ("alpha", "beta")] for f in (np.sin, np.cos))
    return mb.Placed((q["x"], q["y"], R), ((ca * cb, sa * cb, -sb), (-ca * sb, -sa * sb, -cb), (-sa, ca, 0.0)))


drawing = mb.Drawing(
    placed=[(mb.shapes.Disc(R), wheel)],
    traces=[lambda q: (q["x"], q["y"], 0.0), lambda q: wheel(q).point((R, 0.0, 0.0))],
    planes=[((0, 0, 0), (0, 0, 1))],
)


def circle(t, eta=ETA):
    """The closed-form path (x, y)."""
    radius = eta * R / OMEGA
    return radius * np.sin(OMEGA * t), radius * (1 - np.cos(OMEGA * t))


def path_error(run, eta=ETA):
    """Largest distance of x and of y from the closed form, relative to the largest coordinate."""
    x, y = circle(run.t, eta)
    return max(g.relative(run["x"], x), g.relative(run["y"], y))


def claims(run):
    uniform = max(g.relative(run["alpha"], OMEGA * run.t), g.relative(run["beta"], ETA * run.t))
    across = g.relative(run["no side slip"], -M * ETA * R * OMEGA)
    closed = "closed form; the integrator keeps 1e-12 per step, and errors add up over the run"
    return [
        g.Claim("x and y follow the circle", path_error(run), 1e-9, closed),
        g.Claim("heading and rotation are uniform: alpha = ωt, beta = ηt", uniform, 1e-9, closed),
        g.Claim("the reaction across the wheel is −mηrω", across, 1e-9, closed),
    ]


def figure(run, figure):
    left, right = figure.subplots(1, 2)
    dense = run.at(np.linspace(run.t[0], run.t[-1], 600))
    left.plot(dense["x"], dense["y"], label="Gauss")
    left.plot(*circle(dense.t[::20]), ".", label="circle of radius ηr/ω")
    left.set(xlabel="x / m", ylabel="y / m", title="path of the point of contact, seen from above", aspect="equal")
    left.legend(loc="center")
    right.plot(run.t, run["no side slip"], label="λ₁, across the wheel")
    right.plot(run.t, run["no lengthwise slip"], label="λ₂, along the wheel")
    right.set(xlabel="t / s", ylabel="force of the plane / N", title="reaction of the plane")
    right.legend()


if __name__ == "__main__":
    g.main(__file__)
