"""The other claims of scenarios/kepler_orbit.py.

A planet of mass m = 1.7 kg moves in a plane about a fixed sun with GM = 4π² AU³/a² (astronomical units and years), from
its perihelion at 0.6 AU with a speed that gives the eccentricity ε = 0.55:

    T = ½ m (ẋ² + ẏ²),   V = −G M m/r.

Known answers, all closed forms:

* the angular momentum l = m r² θ̇ and the energy E = −GMm/2a are conserved, and so is the vector
  (v × l)/GMm − r/|r|, which points to the perihelion and has the length ε;
* the orbit is r = p/(1 + ε cos θ) with p = l²/(GMm²) = a(1 − ε²): a planet's first law;
* equal areas in equal times, dA/dt = l/2m: the second;
* T² = 4π² a³/GM: the third, tried on orbits of five sizes;
* Kepler's equation n t = u − ε sin u gives the position at any time, x = a(cos u − ε), y = a √(1 − ε²) sin u.

The motion is followed for five years of the planet. Minimal coordinates are r and θ.
"""

import numpy as np
from scipy.optimize import brentq

import gauss as g
from scenarios.kepler_orbit import AXIS, ECCENTRICITY, GM, MASS, PERIOD, start, system


def perihelion(a, eccentricity):
    """State (q, v) at the perihelion of an orbit with the semi-major axis a (AU)."""
    r = a * (1 - eccentricity)
    return [r, 0.0], [0.0, np.sqrt(GM * (1 + eccentricity) / r)]


minimal = g.Minimal(
    lagrangian=lambda s, s_dot, t: MASS * (s_dot[0] ** 2 + s[0] ** 2 * s_dot[1] ** 2) / 2 + GM * MASS / s[0],
    chart=lambda s, t: [s[0] * g.cos(s[1]), s[0] * g.sin(s[1])],
    inverse=lambda q, v, t: (
        [g.hypot(q[0], q[1]), g.atan2(q[1], q[0])],
        [
            (q[0] * v[0] + q[1] * v[1]) / g.hypot(q[0], q[1]),
            (q[0] * v[1] - q[1] * v[0]) / (q[0] ** 2 + q[1] ** 2),
        ],
    ),
    text="polar coordinates r, theta",
)


def eccentric_anomaly(mean, eccentricity=ECCENTRICITY):
    """Solve Kepler's equation u − ε sin u = mean (rad) by bracketing; exact to rounding."""
    whole = np.floor(mean / (2 * np.pi)) * 2 * np.pi
    rest = mean - whole
    return whole + brentq(lambda u: u - eccentricity * np.sin(u) - rest, -1.0, 7.5, xtol=1e-15)


def period_of(a, eccentricity=0.3):
    """Time (a) between two perihelia of an orbit, from its motion."""
    q, v = perihelion(a, eccentricity)
    again = g.Event("perihelion", lambda q, v: q.x * v.x + q.y * v.y, direction=1, terminal=False)
    run = g.simulate(system, q, v, t_end=1.3 * a**1.5, rtol=1e-12, atol=1e-14, events=[again], progress="none")
    times = [event.t for event in run.events if event.t > 0.5 * a**1.5]
    return times[0] if times else np.nan


@g.needs(start.t_end)
def claims(run):
    r, theta = np.hypot(run["x"], run["y"]), np.unwrap(np.arctan2(run["y"], run["x"]))
    spin = run["x"] * run.v[:, 1] - run["y"] * run.v[:, 0]
    p = AXIS * (1 - ECCENTRICITY**2)
    dense = run.at(np.linspace(0.0, PERIOD, 401))
    x, y = dense["x"], dense["y"]
    areas = np.cumsum(0.5 * (x[:-1] * y[1:] - x[1:] * y[:-1]))  # of triangles: the chords miss segments
    u = np.array([eccentric_anomaly(2 * np.pi * t / PERIOD) for t in dense.t])
    segments = 0.5 * AXIS**2 * np.sqrt(1 - ECCENTRICITY**2) * np.cumsum(np.diff(u) - np.sin(np.diff(u)))
    axes = (0.4, 0.7, 1.0, 1.9, 5.2)
    third = max(abs(period_of(a) / a**1.5 - 1.0) for a in axes)
    integration = "integration: rtol 1e-12, five turns"
    return [
        g.Claim("orbit r = p/(1 + ε cos θ)", g.relative(r, p / (1 + ECCENTRICITY * np.cos(theta))), 1e-10, integration),
        g.Claim(
            "equal areas in equal times: l/2m",
            g.relative(areas + segments, spin[0] / 2 * dense.t[1:]),
            1e-10,
            "integration; segments between chord and ellipse added in closed form",
        ),
        g.Claim("T² = 4π²a³/GM for five orbits", float(third), 1e-9, "integration, and the location of the perihelion"),
        g.Claim(
            "five turns return to the start",
            float(np.max(np.abs(run.q[-1] - run.q[0]))),
            1e-9,
            integration,
        ),
    ]
