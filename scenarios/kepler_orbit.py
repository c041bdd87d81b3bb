"""Kepler's problem: the ellipse, its equation of time, and the three laws.

A planet of mass m = 1.7 kg moves in a plane about a fixed sun with GM = 4π² AU³/a² (astronomical units and years), from
its perihelion at 0.6 AU with a speed that gives the eccentricity ε = 0.55: T = ½ m (ẋ² + ẏ²), V = −G M m/r.

The angular momentum l = m r² θ̇ is conserved, and so is the vector (v × l)/GMm − r/|r|, which points to the perihelion
and has the length ε. Kepler's equation n t = u − ε sin u gives the position at any time, x = a(cos u − ε),
y = a √(1 − ε²) sin u. The motion is followed for five years of the planet.
"""

import numpy as np
from scipy.optimize import brentq

import gauss as g

COVERS = ("T1",)
SOURCE = "TM chapter 0"

GM = 4 * np.pi**2  # AU³/a²
MASS, PERIHELION, ECCENTRICITY = 1.7, 0.6, 0.55
TURNS = 5

system = g.System(
    "planet",
    coordinates="x y",
    kinetic_energy=lambda v, p: 0.5 * p.m * (v.x**2 + v.y**2),
    potential_energy=lambda q, p: -p.GM * p.m / g.hypot(q.x, q.y),
    parameters={"m": MASS, "GM": GM},
)


AXIS = PERIHELION / (1 - ECCENTRICITY)  # AU
PERIOD = AXIS**1.5  # a: the third law in these units
SPEED = np.sqrt(GM * (1 + ECCENTRICITY) / PERIHELION)  # AU/a
start = g.Start(q=[PERIHELION, 0.0], v=[0.0, SPEED], t_end=TURNS * PERIOD, rtol=1e-12, atol=1e-14)


def position(t):
    """Position (k, 2) at times t, from Kepler's equation by bracketing."""
    mean = np.atleast_1d(t) * 2 * np.pi / PERIOD
    u = np.array([brentq(lambda u, m=m: u - ECCENTRICITY * np.sin(u) - m, m - 1, m + 1, xtol=1e-15) for m in mean])
    return AXIS * np.column_stack([np.cos(u) - ECCENTRICITY, np.sqrt(1 - ECCENTRICITY**2) * np.sin(u)])


@g.needs(start.t_end)
def claims(run):
    (x, y), (vx, vy), r = run.q.T, run.v.T, np.hypot(run["x"], run["y"])
    spin = x * vy - y * vx
    laplace = np.array([vy * spin / GM - x / r - ECCENTRICITY, -vx * spin / GM - y / r])
    reason = "integration: rtol 1e-12, five turns"
    return [
        g.Claim("position from Kepler's equation", g.relative(run.q, position(run.t)), 1e-9, reason),
        g.Claim("angular momentum", np.ptp(spin) / spin[0], 1e-11, reason),
        g.Claim("the vector to the perihelion, of length ε", np.max(np.abs(laplace)), 1e-10, reason),
    ]


def figure(run, figure):
    axes = figure.subplots()
    dense = run.at(np.linspace(0.0, PERIOD, 500))
    axes.plot(dense["x"], dense["y"], label="Gauss")
    axes.plot(*position(np.linspace(0.0, PERIOD, 13)).T, ".", label="Kepler's equation, equal times")
    axes.plot(0, 0, "o", color="goldenrod", ms=9)
    axes.set(aspect="equal", xlabel="x / AU", ylabel="y / AU", title="the planet's ellipse")
    axes.legend(loc="center right")


if __name__ == "__main__":
    g.main(__file__)
