"""The other claims of scenarios/ladder.py.

A ladder (mass m = 12 kg, length l = 4 m, centre in the middle, gravity g = 9.81 m/s²) leans at the angle θ to the floor
against a vertical wall. x, z are the place of its centre (m), theta is θ (rad). A climber's weight W acts at the share
s of its length from the foot; G = mg + W, Q = mg/2 + sW, c = cot θ. At rest, with the friction force t at the wall
(upwards positive),

    floor: p = G − t, friction (Q − t) c towards the wall;      wall: p = (Q − t) c.

Four forces, three equations: t is free within the law. With coefficients μ_f and μ_w

    t ≤ μ_w c Q/(1 + μ_w c);    t ≥ −μ_w c Q/(1 − μ_w c) if μ_w c < 1;    t (μ_f − c) ≤ μ_f G − Q c,

and these bounds meet at the least angle, below which the ladder slides:

    tan θ_min = (Q − μ_f μ_w (G − Q))/(μ_f G);    without a climber (1 − μ_f μ_w)/(2 μ_f).

A smooth wall leaves nothing free: all forces are determined, and tan θ_min = 1/(2 μ_f) without a climber. Where
cot θ ≤ μ_f and tan θ ≤ μ_w the line through both contacts lies in both cones of friction: the ladder is wedged, and may
press on wall and floor with any force.
"""

import numpy as np

import gauss as g
from gauss.contact import (
    admits,
    contact_findings,
    contact_forces,
    contact_problem,
    jamming_coefficient,
    required_coefficient,
)
from proofs import yes
from scenarios.ladder import ANGLE, ROUGH, G, M, at, start, system

CLIMBER = {"W": 700.0, "s": 0.7}  # N, share of the length from the foot


def problem(angle, floor=ROUGH, wall=ROUGH, **load):
    """The ladder at rest with coefficients of its own."""
    return contact_problem(system.with_parameters(mu_floor=floor, mu_wall=wall, **load), at(angle))


def free_force(angle, floor=ROUGH, wall=ROUGH, W=0.0, s=0.5):
    """Least and greatest friction force at the wall, by the docstring; nan where there is no rest."""
    weight, Q, c = M * G + W, 0.5 * M * G + s * W, 1.0 / np.tan(angle)
    low, high = -np.inf, min(Q, wall * c * Q / (1 + wall * c))
    if wall * c < 1.0:
        low = -wall * c * Q / (1 - wall * c)
    bound = (floor * weight - Q * c) / (floor - c)
    low, high = (max(low, bound), high) if c > floor else (low, min(high, bound))
    return (low, high) if low <= high else (np.nan, np.nan)


def expected(angle, **given):
    """Ranges (4, 2) of p and t at the floor, p and t at the wall."""
    W, s = given.get("W", 0.0), given.get("s", 0.5)
    low, high = free_force(angle, **given)
    weight, Q, c = M * G + W, 0.5 * M * G + s * W, 1.0 / np.tan(angle)
    push = [(Q - high) * c, (Q - low) * c]
    return np.array([[weight - high, weight - low], push, push, [low, high]])


def found(angle, **given):
    """The same by linear programs, of the acceleration zero."""
    forces = contact_forces(problem(angle, **given), np.zeros(3))
    return np.array([forces.normal[0], forces.tangential[0], forces.normal[1], forces.tangential[1]])


def least_angle(floor, wall, W=0.0, s=0.5):
    weight, Q = M * G + W, 0.5 * M * G + s * W
    return float(np.arctan((Q - floor * wall * (weight - Q)) / (floor * weight)))


CASES = (
    (ANGLE, {}),
    (np.radians(50.0), {"floor": 0.5, "wall": 0.3}),
    (np.radians(75.0), CLIMBER),
    (np.radians(80.0), {"floor": 0.6, "wall": 1.5, **CLIMBER}),
    (np.radians(55.0), {"floor": 0.9, "wall": 0.9}),
)


def range_error():
    """Worst distance of the ranges from the closed form, relative to the weight."""
    worst = 0.0
    for angle, given in CASES:
        off = np.abs(found(angle, **given) - expected(angle, **given))
        worst = max(worst, float(np.max(off)) / (M * G + given.get("W", 0.0)))
    return worst


def coefficient_error():
    """Worst error of the least common coefficient, μ = 1/cos θ − tan θ, or cot θ/2 at the floor of a smooth wall."""
    worst = 0.0
    for angle in np.radians((20.0, 45.0, 70.0)):
        both = required_coefficient(problem(angle)).value - (1 / np.cos(angle) - np.tan(angle))
        smooth = required_coefficient(problem(angle, wall=0.0), contacts=["floor"]).value - 0.5 / np.tan(angle)
        worst = max(worst, abs(both), abs(smooth))
    return worst


def boundary_error():
    """How far from the least angle rest begins, by bisection of "is rest possible" alone; rad."""
    worst = 0.0
    for floor, wall, load in ((0.4, 0.4, {}), (0.5, 0.2, CLIMBER), (0.3, 0.0, {})):
        low, high = 0.1, 1.5
        while high - low > 1e-11:
            mid = 0.5 * (low + high)
            still = admits(problem(mid, floor, wall, **load), np.zeros(3))
            low, high = (low, mid) if still else (mid, high)
        worst = max(worst, abs(high - least_angle(floor, wall, **load)))
    return worst


def claims(step):
    slides = contact_findings(problem(np.radians(40.0)))
    smooth = contact_forces(problem(ANGLE, wall=0.0))
    steep, wedged = np.radians(50.0), contact_forces(problem(np.radians(50.0), 1.3, 1.3), np.zeros(3))
    jam = jamming_coefficient(problem(steep)).value
    rounding = "rounding of the linear programs, relative to the weight"
    return [
        yes("without friction the ladder slides down", g.accelerate(system.frictionless(), start.q).a[2] < -0.1),
        yes("at 40° it slides", slides.verdict == "one" and slides.forces[0].modes == ("slip−", "slip−")),
        g.Claim("the ranges are those of the closed form", range_error(), 1e-9, rounding),
        yes("at a smooth wall all forces are determined", smooth.unique),
        g.Claim(
            "there the floor rubs with mg cot θ/2",
            abs(smooth.tangential[0, 0] - 0.5 * M * G / np.tan(ANGLE)) / (M * G),
            1e-12,
            "rounding",
        ),
        g.Claim("the least coefficients are 1/cos θ − tan θ, and cot θ/2", coefficient_error(), 1e-12, "rounding"),
        g.Claim(
            "rest begins at the least angle",
            boundary_error(),
            1e-8,
            "forces that miss the load by 1e-9 count as rest",
        ),
        yes("at 50° between very rough walls it is wedged", wedged.wedged and wedged.squeezed == ("floor", "wall")),
        g.Claim("wedging needs μ = max(tan θ, cot θ)", abs(jam - np.tan(steep)), 1e-12, "rounding"),
    ]
