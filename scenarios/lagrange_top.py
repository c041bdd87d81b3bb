"""Lagrange's top: nutation between two roots of a cubic, three patterns of precession, and steady precession.

A symmetric top with a fixed point, moments of inertia I₁ = 1 and I₃ = 0.6 kg m² about that point, m g r = 2 N m. The
angles are precession alpha about the vertical, inclination beta from it, and rotation gamma about the axis (rad):

    L = ½ I₁ (β̇² + α̇² sin² β) + ½ I₃ (γ̇ + α̇ cos β)² − m g r cos β.

p₁ = ∂L/∂α̇, p₃ = ∂L/∂γ̇ and the energy E are conserved. The precession keeps its sign (waves), changes it (loops), or
vanishes at the upper turning point (cusps). The motion shown nods with loops. Steady is the precession where
I₁ cos β α̇² − p₃ α̇ + m g r = 0, and a fast top keeps to it.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

COVERS = ("T15",)
SOURCE = "TM chapter 7; V. I. Arnold, Mathematical Methods of Classical Mechanics, chapter 6"

I1, I3, WEIGHT = 1.0, 0.6, 2.0  # kg m², kg m², N m
SPIN = 4.0  # p₃ = I₃(γ̇ + α̇ cos β), kg m²/s
UPPER = 0.6  # rad from the vertical, the upper turning point
PATTERNS = {"waves": 0.35, "cusps": 0.0, "loops": -0.35}  # α̇ at the upper turning point, rad/s
TURNS = 100  # of the steady precession


def energy(q, v, p):
    turning = p.I1 * (v.beta**2 + v.alpha**2 * g.sin(q.beta) ** 2) + p.I3 * (v.gamma + v.alpha * g.cos(q.beta)) ** 2
    return turning / 2


system = g.System(
    "Lagrange's top",
    coordinates="alpha beta gamma",
    kinetic_energy=energy,
    potential_energy=lambda q, p: p.mgr * g.cos(q.beta),
    parameters={"I1": I1, "I3": I3, "mgr": WEIGHT},
)


def at_turning_point(rate, beta=UPPER):
    """State (q, v) at a turning point of the inclination with the precession α̇ = rate."""
    return [0.0, beta, 0.0], [rate, 0.0, SPIN / I3 - rate * np.cos(beta)]


start = g.Start(*at_turning_point(PATTERNS["loops"]), t_end=12.0, rtol=1e-12, atol=1e-14)


def axle(q):
    """The axis of the top, of arbitrary length, as only moments are given."""
    sin = np.sin(q["beta"])
    return [(0, 0, 0), (np.sin(q["alpha"]) * sin, -np.cos(q["alpha"]) * sin, np.cos(q["beta"]))]


drawing = mb.Drawing(lines=[axle], traces=[lambda q: axle(q)[1]], speed=0.5)


def nods(rate, t_end=12.0):
    """The motion from the upper turning point with the precession α̇ = rate."""
    return g.simulate(system, *at_turning_point(rate), t_end=t_end, rtol=1e-12, atol=1e-14, progress="none")


def claims(run):
    slowest = {name: np.min(nods(rate)["d_alpha"]) for name, rate in PATTERNS.items()}
    right = slowest["waves"] > 0.0 > slowest["loops"]
    steady = 2 * WEIGHT / (SPIN + np.sqrt(SPIN**2 - 4 * I1 * WEIGHT * np.cos(UPPER)))  # the slow root, rad/s
    q, v = at_turning_point(steady)
    held = g.simulate(
        system, q, v, t_end=TURNS * 2 * np.pi / steady, rtol=1e-12, atol=1e-14, solver="kkt", progress="none"
    )
    off = np.max(np.abs(held["beta"] - UPPER))
    return [
        g.Claim("waves keep the sense of precession, loops do not", not right),
        g.Claim(f"steady precession is held for {TURNS} turns (inclination)", off, 1e-8, "a fast top is stable"),
        g.Claim("energy, p₁ and p₃ are found as integrals", len(g.analysis.first_integrals(system)) != 3),
    ]


def figure(run, figure):
    for (name, rate), axes in zip(PATTERNS.items(), figure.subplots(1, 3), strict=True):
        dense = nods(rate).at(np.linspace(0.0, 12.0, 1500))
        axes.plot(dense["alpha"], dense["beta"])
        axes.invert_yaxis()
        axes.set(xlabel="precession α / rad", ylabel="inclination β / rad", title=name)


if __name__ == "__main__":
    g.main(__file__)
