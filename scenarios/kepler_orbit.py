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


def perihelion(a, eccentricity):
    """State (q, v) at the perihelion of an orbit with the semi-major axis a (AU)."""
    r = a * (1 - eccentricity)
    return [r, 0.0], [0.0, np.sqrt(GM * (1 + eccentricity) / r)]


AXIS = PERIHELION / (1 - ECCENTRICITY)  # AU
PERIOD = AXIS**1.5  # a: the third law in these units
place, velocity = perihelion(AXIS, ECCENTRICITY)
start = g.Start(q=place, v=velocity, t_end=TURNS * PERIOD, rtol=1e-12, atol=1e-14)


def eccentric_anomaly(mean, eccentricity=ECCENTRICITY):
    """Solve Kepler's equation u − ε sin u = mean (rad) by bracketing; exact to rounding."""
    whole = np.floor(mean / (2 * np.pi)) * 2 * np.pi
    rest = mean - whole
    return whole + brentq(lambda u: u - eccentricity * np.sin(u) - rest, -1.0, 7.5, xtol=1e-15)


def position(t, a=AXIS, eccentricity=ECCENTRICITY):
    """Position (k, 2) at times t from Kepler's equation."""
    u = np.array([eccentric_anomaly(2 * np.pi * s / a**1.5, eccentricity) for s in np.atleast_1d(t)])
    return np.column_stack([a * (np.cos(u) - eccentricity), a * np.sqrt(1 - eccentricity**2) * np.sin(u)])


def laplace(q, v):
    """The vector (v × l)/GMm − r/|r| (k, 2), which has the length of the eccentricity."""
    spin = q[:, 0] * v[:, 1] - q[:, 1] * v[:, 0]
    r = np.hypot(q[:, 0], q[:, 1])
    return np.column_stack([v[:, 1] * spin / GM - q[:, 0] / r, -v[:, 0] * spin / GM - q[:, 1] / r])


@g.needs(start.t_end)
def claims(run):
    spin = run["x"] * run.v[:, 1] - run["y"] * run.v[:, 0]
    integration = "integration: rtol 1e-12, five turns"
    return [
        g.Claim("position from Kepler's equation", g.relative(run.q, position(run.t)), 1e-9, integration),
        g.Claim("angular momentum", float(np.ptp(spin) / spin[0]), 1e-11, integration),
        g.Claim(
            "the vector to the perihelion, of length ε",
            float(np.max(np.abs(laplace(run.q, run.v) - [ECCENTRICITY, 0.0]))),
            1e-10,
            integration,
        ),
    ]


def figure(run, figure):
    axes = figure.subplots()
    dense = run.at(np.linspace(0.0, PERIOD, 500))
    axes.plot(dense["x"], dense["y"], label="Gauss")
    axes.plot(*position(np.linspace(0.0, PERIOD, 13)).T, ".", label="Kepler's equation, equal times")
    axes.plot(0, 0, "o", color="goldenrod", ms=9)
    axes.set(aspect="equal", xlabel="x / AU", ylabel="y / AU", title="the planet's ellipse")
    axes.legend(loc="center right")
