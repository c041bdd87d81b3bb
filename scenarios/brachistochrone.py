"""Brachistochrone: the curve of quickest descent is a cycloid, and a bead on a cycloid is tautochronous.

Depths d (m) are counted from the level at which a bead of mass m = 0.2 kg would rest, so its speed is √(2gd), with
g = 9.81 m/s². From the depth d₀ to another point the descent along d(x) takes ∫√((1 + d'²)/(2gd)) dx; the extremal is
the cycloid x = R(θ − sin θ), d = R(1 − cos θ), and it takes √(R/g)(θ₁ − θ₀). Here R = 5 m, θ from 0.5 to 3.8 rad.

The bead itself is constrained to the wire by x = R(φ + sin φ), y = 2R sin²(φ/2), y upwards from the lowest point and
φ = θ − π. The angle φ carries no mass: the mass matrix is semidefinite. The arc from the lowest point, s = 4R sin(φ/2),
obeys s̈ = −(g/4R) s: the period is 4π√(R/g) from every height.
"""

from functools import cache

import numpy as np

import gauss as g
from gauss.variational import VariationalProblem, extremal

COVERS = ("T6",)
SOURCE = "TM Ex. 3.2"

R, GRAVITY = 5.0, 9.81  # m, m/s²
FIRST, LAST = 0.5, 3.8  # rad: θ at both ends
RELEASE = 0.5  # rad: φ where the run of this scenario starts, at rest


def cycloid(theta):
    """x and depth (m)."""
    return R * (theta - np.sin(theta)), R * (1 - np.cos(theta))


(X0, D0), (X1, D1) = cycloid(FIRST), cycloid(LAST)
QUICKEST = np.sqrt(R / GRAVITY) * (LAST - FIRST)  # s
PERIOD = 4 * np.pi * np.sqrt(R / GRAVITY)  # s

system = g.System(
    "bead on a cycloidal wire",
    coordinates="x y phi",
    kinetic_energy=lambda v, p: 0.5 * p.m * (v.x**2 + v.y**2),
    potential_energy=lambda q, p: p.m * p.g * q.y,
    constraints=[
        g.Holonomic("wire, across", lambda q, p: q.x - p.R * (q.phi + g.sin(q.phi))),
        g.Holonomic("wire, height", lambda q, p: q.y - 2 * p.R * g.sin(q.phi / 2) ** 2),
    ],
    parameters={"m": 0.2, "R": R, "g": GRAVITY},
)


def on_wire(phi, rate=0.0):
    """q and v of the bead on the cycloid."""
    q = [R * (phi + np.sin(phi)), R * (1 - np.cos(phi)), phi]
    return q, [R * (1 + np.cos(phi)) * rate, R * np.sin(phi) * rate, rate]


BEGIN = on_wire(FIRST - np.pi, np.sqrt(GRAVITY / R))  # θ grows uniformly, at √(g/R)
start = g.Start(q=on_wire(RELEASE)[0], t_end=PERIOD, rtol=1e-12)


@cache
def quickest():
    """The extremal between both ends."""
    problem = VariationalProblem(
        lambda q, v: g.sqrt((1 + v.d**2) / (2 * GRAVITY * q.d)), "d", {"d": D0}, {"d": D1}, span=(X0, X1)
    )
    return extremal(problem)


def claims(run):
    arrival = g.Event("arrival", lambda q: q.phi - (LAST - np.pi), direction=1)
    move = g.simulate(system, *BEGIN, t_end=1.1 * QUICKEST, rtol=1e-12, events=(arrival,), progress="none")
    arc, value = np.sin(RELEASE / 2) * np.cos(np.sqrt(GRAVITY / (4 * R)) * run.t), quickest().value
    bvp, there = "ten times the tolerance 1e-9 of the collocation", move.events[0].t
    harmonic = "released at rest its arc from the lowest point is harmonic: 4R sin(φ₀/2) cos(√(g/4R) t)"
    return [
        g.Claim("the descent takes √(R/g)(θ₁ − θ₀)", g.relative(value, QUICKEST), 1e-8, bvp),
        g.Claim("a bead on the cycloid arrives after that time", g.relative(there, value), 1e-8, bvp),
        g.Claim(harmonic, g.relative(np.sin(run["phi"] / 2), arc), 1e-9, "closed form; rtol 1e-12 a step"),
    ]


def figure(run, figure):
    axes = figure.subplots()
    x = np.linspace(X0, X1, 300)
    axes.plot(x, quickest().at(x)[0], label=f"extremal, {quickest().value:.4f} s")
    axes.plot(*cycloid(np.linspace(0, 2 * np.pi, 300)), color="0.7", ls="--", label="the whole cycloid")
    axes.set(xlabel="x / m", ylabel="depth / m", title="quickest descent", aspect="equal")
    axes.invert_yaxis()
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
