"""Kepler's problem: the ellipse, its equation of time, and the three laws.

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


def position(t, a=AXIS, eccentricity=ECCENTRICITY):
    """Position (k, 2) at times t from Kepler's equation."""
    u = np.array([eccentric_anomaly(2 * np.pi * s / a**1.5, eccentricity) for s in np.atleast_1d(t)])
    return np.column_stack([a * (np.cos(u) - eccentricity), a * np.sqrt(1 - eccentricity**2) * np.sin(u)])


def laplace(q, v):
    """The vector (v × l)/GMm − r/|r| (k, 2), which has the length of the eccentricity."""
    spin = q[:, 0] * v[:, 1] - q[:, 1] * v[:, 0]
    r = np.hypot(q[:, 0], q[:, 1])
    return np.column_stack([v[:, 1] * spin / GM - q[:, 0] / r, -v[:, 0] * spin / GM - q[:, 1] / r])


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
        g.Claim("position from Kepler's equation", g.relative(run.q, position(run.t)), 1e-9, integration),
        g.Claim("orbit r = p/(1 + ε cos θ)", g.relative(r, p / (1 + ECCENTRICITY * np.cos(theta))), 1e-10, integration),
        g.Claim("angular momentum", float(np.ptp(spin) / spin[0]), 1e-11, integration),
        g.Claim(
            "the vector to the perihelion, of length ε",
            float(np.max(np.abs(laplace(run.q, run.v) - [ECCENTRICITY, 0.0]))),
            1e-10,
            integration,
        ),
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


def figure(run, figure):
    left, middle, right = figure.subplots(1, 3)
    dense = run.at(np.linspace(0.0, PERIOD, 500))
    left.plot(dense["x"], dense["y"], label="Gauss")
    times = np.linspace(0.0, PERIOD, 13)
    spots = position(times)
    left.plot(spots[:, 0], spots[:, 1], ".", color="C1", label="Kepler's equation")
    for k in (0, 6):
        wedge = position(np.linspace(times[k], times[k + 1], 40))
        left.fill([0.0, *wedge[:, 0]], [0.0, *wedge[:, 1]], color="C2", alpha=0.35, lw=0)
    left.plot(0, 0, "o", color="goldenrod", ms=9)
    left.set(aspect="equal", xlabel="x / AU", ylabel="y / AU", title="equal times, equal areas")
    left.legend(loc="lower center", bbox_to_anchor=(0.5, -0.45))
    spin = run["x"] * run.v[:, 1] - run["y"] * run.v[:, 0]
    energy = 0.5 * np.sum(run.v**2, axis=1) - GM / np.hypot(run["x"], run["y"])
    for label, values in (("l", spin), ("E", energy)):
        drift = np.abs(values / values[0] - 1.0)
        middle.semilogy(run.t, np.where(drift > 0.0, drift, np.nan), ".", ms=3, label=label)
    middle.set(xlabel="t / a", title="relative drift of the integrals")
    middle.legend()
    axes = np.array([0.4, 0.7, 1.0, 1.9, 5.2])
    right.loglog(axes, [period_of(a) for a in axes], "o", label="Gauss")
    right.loglog(axes, axes**1.5, color="C1", label="a^(3/2)")
    right.minorticks_off()
    right.set_xticks([0.5, 1, 2, 5], ["0.5", "1", "2", "5"])
    right.set(xlabel="semi-major axis / AU", ylabel="period / a", title="third law")
    right.legend()
