"""The other claims of scenarios/brachistochrone.py.

Depths d (m) are counted from the level at which a bead of mass m = 0.2 kg would rest, so its speed is √(2gd), with
g = 9.81 m/s². From the depth d₀ to another point the descent along d(x) takes ∫√((1 + d'²)/(2gd)) dx; the extremal is
the cycloid x = R(θ − sin θ), d = R(1 − cos θ), and it takes √(R/g)(θ₁ − θ₀). The integrand is infinite at d = 0, where
the cycloid has its cusp; both ends lie below. Here R = 5 m, θ from 0.5 to 3.8 rad: past the lowest point.

The bead itself is constrained to the wire by x = R(φ + sin φ), y = 2R sin²(φ/2), y upwards from the lowest point and
φ = θ − π. The angle φ carries no mass: the mass matrix is semidefinite. Known answers:

* started at the upper end with the speed of its depth, the bead is at the lower one after √(R/g)(θ₁ − θ₀), sooner than
  on a straight wire, which takes 2s/(√(2gd₀) + √(2gd₁)) for its length s;
* the arc from the lowest point, s = 4R sin(φ/2), obeys s̈ = −(g/4R) s: the period is 4π√(R/g) from every height;
* on a circular wire of the same curvature there, radius 4R, it is 16√(R/g)·K(sin(φ/2)) for the amplitude φ: longer
  the higher the start.
"""

from functools import cache

import numpy as np
from scipy.special import ellipk

import gauss as g
from gauss.variational import VariationalProblem, extremal
from scenarios.brachistochrone import (
    BEGIN,
    D0,
    D1,
    FIRST,
    GRAVITY,
    LAST,
    PERIOD,
    QUICKEST,
    X0,
    X1,
    R,
    cycloid,
    on_wire,
    system,
)

RELEASES = (0.3, 1.0, 2.0, 2.8)  # rad: φ where the bead is released at rest

circular = g.System(
    "bead on a circular wire",
    coordinates="x y",
    kinetic_energy=lambda v, p: 0.5 * p.m * (v.x**2 + v.y**2),
    potential_energy=lambda q, p: p.m * p.g * q.y,
    constraints=[g.Holonomic("wire", lambda q, p: q.x**2 + (q.y - p.r) ** 2 - p.r**2)],
    parameters={"m": 0.2, "r": 4 * R, "g": GRAVITY},
)
straight = g.System(
    "bead on a straight wire",
    coordinates="x y",
    kinetic_energy=lambda v, p: 0.5 * p.m * (v.x**2 + v.y**2),
    potential_energy=lambda q, p: p.m * p.g * q.y,
    constraints=[g.Holonomic("wire", lambda q: (q.x - X0) * (D1 - D0) + (q.y + D0) * (X1 - X0))],
    parameters={"m": 0.2, "g": GRAVITY},
)

arrival = g.Event("arrival", lambda q: q.phi - (LAST - np.pi), direction=1)
bottom = g.Event("bottom", lambda q: q.x, direction=1)

minimal = g.Minimal(
    lagrangian=lambda s, s_dot, t: (
        0.4 * R**2 * g.cos(s[0] / 2) ** 2 * s_dot[0] ** 2 - 0.4 * GRAVITY * R * g.sin(s[0] / 2) ** 2
    ),
    chart=lambda s, t: [R * (s[0] + g.sin(s[0])), 2 * R * g.sin(s[0] / 2) ** 2, s[0]],
    inverse=lambda q, v, t: ([q[2]], [v[2]]),
    text="the angle phi",
)


@cache
def quickest():
    """The extremal between both ends."""
    problem = VariationalProblem(
        lambda q, v, p: g.sqrt((1 + v.d**2) / (2 * p.g * q.d)),
        "d",
        start={"d": D0},
        end={"d": D1},
        span=(X0, X1),
        parameters={"g": GRAVITY},
    )
    return extremal(problem)


@cache
def descent():
    """The bead on the cycloid from the upper end with the speed of its depth, past the lower one."""
    return g.simulate(system, *BEGIN, t_end=1.1 * QUICKEST, rtol=1e-12, events=(arrival,), progress="none")


def off_cycloid(one):
    """Largest distance in depth of an extremal from the cycloid at the same x."""
    theta = np.linspace(FIRST, LAST, 400)
    x, depth = cycloid(theta)
    return float(np.max(np.abs(one.at(np.clip(x, X0, X1))[0][:, 0] - depth)))


@cache
def swing(wire, phi):
    """A motion from rest at the arc length of φ on the cycloid, and the time between passages of the lowest point."""
    if wire == "cycloid":
        model, q = system, on_wire(phi)[0]
    else:
        angle = np.sin(phi / 2)  # the same arc 4R sin(φ/2) on the radius 4R
        model, q = circular, [4 * R * np.sin(angle), 4 * R * (1 - np.cos(angle))]
    run = g.simulate(model, q, t_end=2.2 * PERIOD, rtol=1e-12, events=(bottom,), progress="none")
    passages = [event.t for event in run.events if event.name == "bottom"]
    return run, passages[1] - passages[0]


def straight_time():
    """When a bead with the speed of its depth arrives at the end of a straight wire."""
    along = np.array([X1 - X0, D0 - D1]) / np.hypot(X1 - X0, D1 - D0)
    there = g.Event("there", lambda q: q.x - X1, direction=1)
    first = np.sqrt(2 * GRAVITY * D0) * along
    run = g.simulate(straight, [X0, -D0], first, t_end=2 * QUICKEST, rtol=1e-12, events=(there,), progress="none")
    return run.events[0].t


def claims(run):
    one = quickest()
    move = descent()
    periods = [swing("cycloid", phi)[1] for phi in RELEASES]
    others = [swing("circle", phi)[1] for phi in RELEASES]
    amplitudes = np.sin(np.array(RELEASES) / 2)
    length = np.hypot(X1 - X0, D1 - D0)
    by_line = 2 * length / (np.sqrt(2 * GRAVITY * D0) + np.sqrt(2 * GRAVITY * D1))
    bvp = "ten times the tolerance 1e-9 of the collocation"
    motion = "closed form; the integrator keeps 1e-12 per step, and errors add up over the run"
    return [
        g.Claim("the extremal is the cycloid", off_cycloid(one), 1e-8, bvp),
        g.Claim(
            "it is a minimum", float(one.kind != "minimum") + one.second.negative, 0.0, "sign of the second variation"
        ),
        g.Claim(
            "θ grows uniformly along its motion",
            g.relative(move["phi"], FIRST - np.pi + np.sqrt(GRAVITY / R) * move.t),
            1e-9,
            motion,
        ),
        g.Claim(
            "a straight wire takes its closed form, which is longer",
            g.relative(straight_time(), by_line) + float(by_line <= QUICKEST),
            1e-9,
            motion,
        ),
        g.Claim(
            "on the cycloid the period is 4π√(R/g) from every height",
            g.relative(periods, np.full(len(periods), PERIOD)),
            1e-9,
            motion,
        ),
        g.Claim(
            "on the circle it is the elliptic integral",
            g.relative(others, 16 * np.sqrt(R / GRAVITY) * ellipk(np.sin(amplitudes / 2) ** 2) / 2),
            1e-9,
            motion,
        ),
        g.Claim(
            "which grows with the height, so the circle is not tautochronous",
            float(np.sum(np.diff(others) <= 1e-3 * PERIOD)),
            0.0,
            "count of starts that are not slower by 1e-3 of the period than the one below",
        ),
    ]
