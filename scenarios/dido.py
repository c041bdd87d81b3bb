"""Dido's problem: the line of given length around the largest area, and a charged particle in a magnetic field.

Make ∫ x₂ẋ₁ dt, the area under a curve, as large as possible while ∫√(ẋ₁² + ẋ₂²) dt = ℓ (m). The extremals are circles
of radius R = |λ|, λ < 0. Between the ends (−1, 0) and (1, 0), with ℓ = 5, it is an arc of more than a half circle,
R sin(ℓ/2R) = 1, which no function x₂(x₁) describes. A particle of mass 1 kg and charge 1 C in a uniform magnetic field
ω (T, across the plane) feels the gyroscopic force ω(ẋ₂, −ẋ₁), which does no work. Its action ∫ (speed) ds − ω ∫ x₂ dx₁
is that of Dido's problem but for a factor: it moves on the same circles, with R = speed/ω.
"""

from functools import cache

import numpy as np
from scipy.optimize import brentq

import gauss as g
from gauss.variational import Isoperimetric, VariationalProblem, extremal

COVERS = ("T6",)
SOURCE = "TM §3.5.4"

LENGTH, SPEED = 5.0, 1.0  # m, of the line between ends that are 2 m apart; m/s
R = brentq(lambda r: r * np.sin(LENGTH / (2 * r)) - 1.0, LENGTH / (2 * np.pi), LENGTH / np.pi, xtol=1e-15)
HALF = LENGTH / (2 * R)  # rad, half the angle of the arc

system = g.System(
    "charged particle in a magnetic field",
    coordinates="x_1 x_2",
    kinetic_energy=lambda v: 0.5 * (v.x_1**2 + v.x_2**2),
    force=lambda v, p: [p.w * v.x_2, -p.w * v.x_1],
    parameters={"w": SPEED / R},
)
upwards = SPEED * np.array([np.cos(HALF), np.sin(HALF)])  # along the arc over the chord, at its beginning
start = g.Start(q=(-1.0, 0.0), v=upwards, t_end=2 * np.pi * R / SPEED, rtol=1e-12)


def length(v):
    return g.sqrt(v.x_1**2 + v.x_2**2)


def area(q, v):
    return q.x_2 * v.x_1


@cache
def arc():
    """The line of largest area."""
    ends = {"x_1": -1.0, "x_2": 0.0}, {"x_1": 1.0, "x_2": 0.0}
    line = VariationalProblem(area, "x_1 x_2", *ends, integrals=[Isoperimetric("length", length, LENGTH)])
    return extremal(line, lambda t: [-1.0 + 2.0 * t, np.sin(np.pi * t)])


@g.needs(start.t_end)
def claims(run):
    on, by = (np.max(np.abs(np.hypot(q[:, 0], q[:, 1] + R * np.cos(HALF)) - R)) for q in (arc().q, run.q))
    return [
        g.Claim("the extremal between the ends is the arc of radius R", on, 1e-8, "collocation to 1e-9"),
        g.Claim("the particle moves on the circle of the arc", by, 1e-9, "closed form; rtol 1e-12 a step"),
    ]


def figure(run, figure):
    axes = figure.subplots()
    axes.plot(*run.q.T, "k.", ms=4, label="charged particle (Gauss)")
    axes.plot(*arc().at(np.linspace(0.0, 1.0, 300))[0].T, label="largest area")
    axes.set(xlabel="x₁ / m", ylabel="x₂ / m", aspect="equal", title="5 m of line between two points")
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))


if __name__ == "__main__":
    g.main(__file__)
