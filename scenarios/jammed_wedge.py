"""Jammed wedge: below the angle of friction it may squeeze with any force, and hold against a pull.

A wedge of half angle β sits point down between two fixed faces; F presses it in (F < 0 pulls it out). x, z are the
place of its middle (m), theta its turn; each face touches at one point at half height (half width 0.1 m), coefficient
of friction μ, angle of friction φ = arctan μ. At rest both faces carry the same normal force p and, along the face
outwards, the friction t: 2p sin β + 2t cos β = F, |t| ≤ μp.

For β < φ that is p ≥ F cos φ/(2 sin(β + φ)) without an upper bound, with any squeezing force even without a load: the
wedge is wedged. A pull then has two answers within the law: it stays, squeezed, or leaves. A rigid wedge cannot tell.
For β > φ p is free within bounds, and there is no rest against a pull.
"""

import numpy as np

import gauss as g
from gauss.contact import contact_findings, contact_forces, contact_problem

COVERS = ("C8",)
SOURCE = "C, p. 267, after A. Przeborski; self-locking of a wedge is a textbook example"

MASS, WIDTH, HEIGHT = 2.0, 0.1, 0.4  # kg, half width and height in m
INERTIA = MASS * (4 * WIDTH**2 + HEIGHT**2) / 12  # kg m², of a rectangle of the mean width
SLIM, FORCE, MU = np.radians(8.0), 50.0, 0.3  # half angle, N, coefficient: the angle of friction is 16.7°


def face(side, beta):
    """The left (−1) or right (1) face, by the gap and the slip at the point that touches it."""
    c, s = np.cos(beta), np.sin(beta)
    point = side * WIDTH

    def gap(q):
        x, z = q.x + point * (g.cos(q.theta) - 1.0), q.z + point * g.sin(q.theta)
        return -side * c * x + s * z

    def slip(q, v):
        return side * s * (v.x - point * g.sin(q.theta) * v.theta) + c * (v.z + point * g.cos(q.theta) * v.theta)

    return g.Unilateral("right face" if side > 0 else "left face", gap, friction=g.Coulomb(MU, slip))


def model(beta):
    return g.System(
        "wedge",
        coordinates="x z theta",
        parameters={"F": FORCE},
        kinetic_energy=lambda v: 0.5 * MASS * (v.x**2 + v.z**2) + 0.5 * INERTIA * v.theta**2,
        force=lambda p: {"z": -p.F},
        constraints=[face(-1, beta), face(1, beta)],
    )


system = model(SLIM)
start = g.Start(q=[0.0, 0.0, 0.0])


def pressed(beta, force):
    """The problem of a wedge at rest in its place, pressed in with `force` (N)."""
    return contact_problem(model(beta).with_parameters(F=force), [0.0, 0.0, 0.0])


def claims(step):
    rest, unloaded = (contact_forces(pressed(SLIM, force), np.zeros(3)) for force in (FORCE, 0.0))
    pulled = contact_findings(pressed(SLIM, -20.0))
    wedged = rest.wedged and rest.squeezed == ("left face", "right face")
    two = pulled.verdict == "several" and sorted(round(f.a[1], 9) for f in pulled.forces) == [0.0, 10.0]
    return [
        g.Claim("below the angle of friction it is wedged", not wedged),
        g.Claim("even without any load", not (unloaded.wedged and unloaded.load == 0.0)),
        g.Claim("a pull has two answers, stay or leave, where it is wedged", not two),
    ]


def figure(step, figure):
    axes = figure.subplots()
    degrees, top = np.linspace(1.0, 40.0, 79), 12.0
    ranges = [contact_forces(pressed(np.radians(x), FORCE), np.zeros(3)).normal[0] / FORCE for x in degrees]
    axes.fill_between(degrees, *np.minimum(ranges, top).T, alpha=0.3)
    axes.axvline(np.degrees(np.arctan(MU)), color="0.3", ls="--")
    axes.text(8.0, 8.0, "wedged:\nany larger force", ha="center")
    axes.set(xlabel="half angle β / °", ylabel="normal force of a face / F", title=f"what the faces carry, μ = {MU:g}")


if __name__ == "__main__":
    g.main(__file__)
