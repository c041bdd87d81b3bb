"""Box pushed on a floor with friction: it rests, slides, tips, or tips and slides, and what its corners carry.

A homogeneous box (mass m = 40 kg, width b = 0.5 m, height H = 1.2 m, gravity g = 9.81 m/s²) stands on two corners and
is pushed with the horizontal force P at the height h. x, z are the place of its centre (m), theta its turn (rad,
against the clock). With the coefficient of friction μ it rests while P ≤ μmg and Ph ≤ mgb/2. As P grows it slides first
if μ < b/(2h), and tips first if μ > b/(2h). At rest the corners carry mg/2 ± Ph/b, but how they share the friction P is
not determined.
"""

import numpy as np

import gauss as g
from gauss.contact import contact_findings, contact_problem

COVERS = ("C8",)
SOURCE = "C, p. 267, after A. Przeborski; tipping or sliding is a textbook example"

M, B, H, G = 40.0, 0.5, 1.2, 9.81  # kg, m, m, m/s²
INERTIA = M * (B**2 + H**2) / 12  # kg m²
MU, HEIGHT, PUSH = 0.3, 0.5, 100.0  # coefficient, m, N
TIPPING = (100.0, 1.1, 0.9)  # push in N, its height in m, end time in s


def _corner(side, q):
    return side * 0.5 * B * g.sin(q.theta) - 0.5 * H * g.cos(q.theta)


def corner(name, side):
    return g.Unilateral(
        f"{name} corner",
        lambda q: q.z + _corner(side, q),
        friction=g.Coulomb(MU, lambda q, v: v.x - _corner(side, q) * v.theta),
    )


system = g.System(
    "box",
    coordinates="x z theta",
    parameters={"P": PUSH, "h": HEIGHT},
    kinetic_energy=lambda v: 0.5 * M * (v.x**2 + v.z**2) + 0.5 * INERTIA * v.theta**2,
    potential_energy=lambda q: M * G * q.z,
    force=lambda p: {"x": p.P, "theta": -p.P * (p.h - 0.5 * H)},
    constraints=[corner("rear", -1), corner("front", 1)],
)
start = g.Start(q=[0.0, 0.5 * H, 0.0])


def claims(step):
    smooth = g.accelerate(system.frictionless(), start.q)
    rest = contact_findings(contact_problem(system, start.q))
    open_shares = rest.verdict == "one" and rest.complete and rest.forces[0].freedom == 1
    return [
        g.Claim("without friction the push moves the box", abs(smooth.a[0] - PUSH / M), 1e-9, "m/s²"),
        g.Claim("with it the box rests, its normal forces determined, its friction forces not", not open_shares),
    ]


def figure(step, figure):
    axes = figure.subplots()
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]]) * [0.5 * B, 0.5 * H]
    push, height, t_end = TIPPING
    tips = g.simulate(system.with_parameters(P=push, h=height), start.q, t_end=t_end, progress="none")
    for x, z, theta in tips.at([0.0, 0.5, 0.7, 0.8, 0.9]).q:
        c, s = np.cos(theta), np.sin(theta)
        axes.plot(*(corners @ [[c, s], [-s, c]] + [x, z]).T, color="C1")
    axes.set(aspect="equal", xlabel="x / m", ylabel="z / m", title=f"pushed with {push:g} N at {height:g} m: it tips")


if __name__ == "__main__":
    g.main(__file__)
