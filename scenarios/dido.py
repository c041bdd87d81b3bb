"""Dido's problem: the line of given length around the largest area, and a charged particle in a magnetic field.

Make ∫ x₂ẋ₁ dt, the area under a curve, as large as possible while ∫√(ẋ₁² + ẋ₂²) dt = ℓ. With 𝓛 = x₂ẋ₁ + λ√(ẋ₁² + ẋ₂²)
the extremals are circles (x₁ + D)² + (x₂ − C)² = R², R = |λ|; λ < 0 for the largest area, > 0 for the smallest. Lengths
in m. With the ends (−1, 0) and (1, 0), ℓ = 5, it is an arc of more than a half circle, which no function x₂(x₁)
describes, with R sin(ℓ/2R) = 1 and the area ½ℓR − R cos(ℓ/2R).

A particle of mass 1 kg and charge 1 C in a uniform magnetic field ω (T, across the plane) feels the gyroscopic force
ω(ẋ₂, −ẋ₁), which does no work. Its action ∫ (speed) ds − ω ∫ x₂ dx₁ is −ω times that of 𝓛 with λ = −speed/ω: it
moves on the same circles, with R = speed/ω and the period 2π/ω whatever its speed.
"""

from functools import cache

import numpy as np
from scipy.optimize import brentq

import gauss as g
from gauss.variational import Isoperimetric, VariationalProblem, extremal

COVERS = ("T6",)
SOURCE = "TM §3.5.4"

LENGTH = 5.0  # m, of the line between ends that are 2 m apart
R = brentq(lambda r: r * np.sin(LENGTH / (2 * r)) - 1.0, LENGTH / (2 * np.pi), LENGTH / np.pi, xtol=1e-15)
HALF = LENGTH / (2 * R)  # rad, half the angle of the arc
AREA = R**2 * (HALF - np.sin(HALF) * np.cos(HALF))
SPEED = 1.0  # m/s

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
    """K of §3.5.4."""
    return g.sqrt(v.x_1**2 + v.x_2**2)


def area(q, v):
    """L of §3.5.4."""
    return q.x_2 * v.x_1


@cache
def arc(side=1.0):
    """The extremal over (side 1) or under (side −1) the chord."""
    ends = {"x_1": -1.0, "x_2": 0.0}, {"x_1": 1.0, "x_2": 0.0}
    line = VariationalProblem(area, "x_1 x_2", *ends, integrals=[Isoperimetric("length", length, LENGTH)])
    return extremal(line, lambda t: [-1.0 + 2.0 * t, side * np.sin(np.pi * t)])


@g.needs(start.t_end)
def claims(run):
    over, there = arc(), run.at(LENGTH / SPEED)
    on, by = (np.max(np.abs(np.hypot(q[:, 0], q[:, 1] + R * np.cos(HALF)) - R)) for q in (over.q, run.q))
    bvp = "ten times the tolerance 1e-9 of the collocation, for lengths of order 1 m"
    arrived = np.linalg.norm(there.q - [1.0, 0.0])
    return [
        g.Claim("the extremal between the ends is the arc of radius R", on, 1e-8, bvp),
        g.Claim("the particle moves on the circle of the arc", by, 1e-9, "closed form; rtol 1e-12 a step"),
        g.Claim("after the path ℓ it is at the other end", arrived, 1e-9, "closed form; rtol 1e-12 a step"),
    ]


def figure(run, figure):
    axes = figure.subplots()
    t = np.linspace(0.0, 1.0, 300)
    axes.plot(*run.q.T, "k.", ms=4, label="charged particle (Gauss)")
    axes.plot(*arc().at(t)[0].T, label="largest area, λ = −R")
    axes.plot(*arc(-1.0).at(t)[0].T, label="smallest area, λ = R")
    axes.set(xlabel="x₁ / m", ylabel="x₂ / m", aspect="equal", title="5 m of line between two points")
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))


if __name__ == "__main__":
    g.main(__file__)
