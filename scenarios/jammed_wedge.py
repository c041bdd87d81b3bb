"""Jammed wedge: below the angle of friction it may squeeze with any force, and hold against a pull.

A wedge of half angle β (rad) sits point down between two fixed faces; F (N) presses it in, or pulls it out where F < 0.
x, z are the place of its middle (m), theta its turn. Each face touches at one point at half height (half width 0.1 m),
with the coefficient μ and the angle of friction φ = arctan μ. At rest both faces carry the same normal force p and,
along the face outwards, the friction t: 2p sin β + 2t cos β = F, |t| ≤ μp. For β < φ that is p ≥ F cos φ/(2 sin(β + φ))
without an upper bound: it is wedged, and may stay against a pull. For β > φ p has bounds, and any pull frees the wedge.
"""

import numpy as np

import gauss as g
from gauss.contact import contact_findings, contact_forces, contact_problem

COVERS = ("C8",)
SOURCE = "C, p. 267, after A. Przeborski; self-locking of a wedge is a textbook example"

MASS, INERTIA, WIDTH = 2.0, 1 / 30, 0.1  # kg, kg m², half width in m
SLIM, FORCE, MU = np.radians(8.0), 50.0, 0.3  # half angle, N, coefficient: the angle of friction is 16.7°


def face(name, side):
    """The left (−1) or right (1) face, by the gap and the slip at the point that touches it."""
    point = side * WIDTH

    def gap(q, p):
        x, z = q.x + point * (g.cos(q.theta) - 1.0), q.z + point * g.sin(q.theta)
        return -side * x * g.cos(p.beta) + z * g.sin(p.beta)

    def slip(q, v, p):
        x, z = v.x - point * g.sin(q.theta) * v.theta, v.z + point * g.cos(q.theta) * v.theta
        return side * x * g.sin(p.beta) + z * g.cos(p.beta)

    return g.Unilateral(name, gap, friction=g.Coulomb(MU, slip))


system = g.System(
    "wedge",
    coordinates="x z theta",
    parameters={"F": FORCE, "beta": SLIM},
    kinetic_energy=lambda v: 0.5 * MASS * (v.x**2 + v.z**2) + 0.5 * INERTIA * v.theta**2,
    force=lambda p: {"z": -p.F},
    constraints=[face("left face", -1), face("right face", 1)],
)
start = g.Start(q=[0.0, 0.0, 0.0])


def claims(step):
    rest = contact_forces(contact_problem(system, start.q), np.zeros(3))
    pulled = contact_findings(contact_problem(system.with_parameters(F=-20.0), start.q))
    two = pulled.verdict == "several" and sorted(round(f.a[1], 9) for f in pulled.forces) == [0.0, 10.0]
    return [
        g.Claim("below the angle of friction it is wedged", not rest.wedged or len(rest.squeezed) != 2),
        g.Claim("a pull has two answers, stay or leave, where it is wedged", not two),
    ]


def figure(step, figure):
    axes = figure.subplots()
    degrees, top = np.linspace(1.0, 40.0, 79), 12.0
    problems = [contact_problem(system.with_parameters(beta=beta), start.q) for beta in np.radians(degrees)]
    ranges = [contact_forces(problem, np.zeros(3)).normal[0] / FORCE for problem in problems]
    axes.fill_between(degrees, *np.minimum(ranges, top).T, alpha=0.3)
    axes.axvline(np.degrees(np.arctan(MU)), color="0.3", ls="--")
    axes.text(8.0, 8.0, "wedged:\nany larger force", ha="center")
    axes.set(xlabel="half angle β / °", ylabel="normal force of a face / F", title=f"what the faces carry, μ = {MU:g}")


if __name__ == "__main__":
    g.main(__file__)
