"""Painlevé's rod: at regular positions sliding friction leaves one acceleration, none, or several.

A homogeneous rod (mass m = 1 kg, half-length l = 1 m, J = ml²/3, gravity g = 9.81 m/s²) slides with one tip on the
floor. x and z are the place of its centre in m, θ is its angle with the floor in rad, μ the coefficient of friction; it
leans away from where the tip slips (σ = −1). With the normal force p the tip's height obeys

    g̈ = A p + b,   A = 1/m + (l²/J) cos θ (cos θ − μ sin θ),   b = l θ̇² sin θ − g,   p ≥ 0, g̈ ≥ 0, p g̈ = 0.

A > 0: one solution, p = −b/A or 0. A < 0 and b < 0: none, though the state is regular and all forces are finite. A < 0
and b > 0: two, p = 0 and p = −b/A. A vanishes at the critical coefficient μ*(θ) = (1 + 3 cos² θ)/(3 sin θ cos θ), least
at tan θ = 2, where it is 4/3.
"""

import numpy as np

import gauss as g
from gauss.contact import contact_problem, critical_coefficient

COVERS = ("C8",)
SOURCE = "C, p. 267, after A. Przeborski, Wykłady mechaniki teoretycznej II (1935); P. Painlevé (1895)"

M, L, G = 1.0, 1.0, 9.81  # kg, m (half-length), m/s²
STEEP = float(np.arctan(2.0))  # rad, where the critical coefficient is least


INERTIA = M * L**2 / 3  # kg m²

floor = g.Unilateral(
    "floor",
    lambda q: q.z - L * g.sin(q.theta),
    friction=g.Coulomb("mu", lambda q, v: v.x + L * g.sin(q.theta) * v.theta),
)
system = g.System(
    "rod on a floor with friction",
    coordinates="x z theta",
    kinetic_energy=lambda v: 0.5 * (M * (v.x**2 + v.z**2) + INERTIA * v.theta**2),
    potential_energy=lambda q: M * G * q.z,
    parameters={"mu": 2.0},
    constraints=[floor],
)
start = g.Start(q=[0.0, L * np.sin(STEEP), STEEP], v=[-1.0, 0.0, 0.0])


def claims(step):
    smooth = g.classify(system.frictionless(), start.q, start.v)
    least = critical_coefficient(contact_problem(system, start.q, start.v))
    return [
        g.Claim(
            "the position is regular, without friction the acceleration is unique, with it there is none",
            not (step.regular and step.accelerations.status == "none" and smooth.unique),
        ),
        g.Claim("the critical coefficient at tan θ = 2 is 4/3", abs(least - 4 / 3), 1e-12, "rounding"),
    ]


def figure(step, figure):
    axes = figure.subplots()
    degrees = np.linspace(5.0, 85.0, 33)
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    axes.plot(degrees, (1 + 3 * c * c) / (3 * s * c), "k", label="critical coefficient μ*")
    states = [([0.0, L * y, np.arctan2(y, x)], [-1.0, 0.0, 0.0]) for x, y in zip(c, s, strict=True)]
    none = [g.classify(system, q, v).accelerations.status == "none" for q, v in states]
    axes.plot(degrees[none], np.full(sum(none), 2.0), "o", color="C3", label="μ = 2: no acceleration")
    axes.plot(degrees[~np.array(none)], np.full(len(none) - sum(none), 2.0), "o", color="C0", label="μ = 2: one")
    axes.set(xlabel="θ / °", ylabel="μ", ylim=(0, 4), title="sliding without turning")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
