"""Ladder between a wall and a floor with friction: one acceleration, one free force, and the least angle.

A ladder (mass m = 12 kg, length l = 4 m, centre in the middle, gravity g = 9.81 m/s²) leans at the angle θ to the floor
against a vertical wall. x, z are the place of its centre (m), theta is θ (rad). A climber's weight W acts at the share
s of its length from the foot; G = mg + W, Q = mg/2 + sW, c = cot θ. At rest the wall carries the force p = (Q − t) c
and the friction t upwards, the floor p = G − t and the friction (Q − t) c. Four forces, three equations: t is free
within the law. The ladder slides below tan θ_min = (1 − μ_f μ_w)/(2 μ_f).
"""

import numpy as np

import gauss as g
from gauss.contact import contact_findings, contact_forces, contact_problem

COVERS = ("C8",)
SOURCE = "C, p. 267, after A. Przeborski; the ladder is a textbook example of undetermined reactions"

M, L, G = 12.0, 4.0, 9.81  # kg, m, m/s²
ANGLE, ROUGH = np.radians(65.0), 0.4  # rad, and the coefficient at wall and floor


def at(angle):
    """The position of a ladder whose foot is on the floor and whose top touches the wall x = 0."""
    return [-0.5 * L * np.cos(angle), 0.5 * L * np.sin(angle), angle]


floor = g.Unilateral(
    "floor",
    lambda q: q.z - 0.5 * L * g.sin(q.theta),
    friction=g.Coulomb("mu_floor", lambda q, v: v.x + 0.5 * L * g.sin(q.theta) * v.theta),
)
wall = g.Unilateral(
    "wall",
    lambda q: -q.x - 0.5 * L * g.cos(q.theta),
    friction=g.Coulomb("mu_wall", lambda q, v: v.z + 0.5 * L * g.cos(q.theta) * v.theta),
)
system = g.System(
    "ladder",
    coordinates="x z theta",
    parameters={"W": 0.0, "s": 0.5, "mu_floor": ROUGH, "mu_wall": ROUGH},
    kinetic_energy=lambda v: 0.5 * M * (v.x**2 + v.z**2 + L**2 / 12 * v.theta**2),
    potential_energy=lambda q: M * G * q.z,
    force=lambda q, p: {"z": -p.W, "theta": -p.W * (p.s - 0.5) * L * g.cos(q.theta)},
    constraints=[floor, wall],
)
start = g.Start(q=at(ANGLE))


def claims(step):
    found = contact_findings(contact_problem(system, start.q))
    rest = found.forces[0]
    return [
        g.Claim("with it rest is the only acceleration", found.verdict != "one" or np.max(np.abs(rest.a)) > 1e-12),
        g.Claim("one force is free, and all four forces with it", rest.freedom != 1 or rest.unique),
    ]


def figure(step, figure):
    axes = figure.subplots()
    angles = np.linspace(np.arctan((1 - ROUGH**2) / (2 * ROUGH)) + 1e-6, np.radians(85.0), 60)
    forces = [contact_forces(contact_problem(system, at(angle)), np.zeros(3)) for angle in angles]
    for k, name in enumerate(("floor", "wall")):
        ranges = np.array([found.normal[k] for found in forces]) / (M * G)
        axes.fill_between(np.degrees(angles), *ranges.T, alpha=0.4, label=f"{name}: normal force")
    axes.set(xlabel="θ / °", ylabel="force / mg", title=f"what the contacts may carry, μ = {ROUGH:g}")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
