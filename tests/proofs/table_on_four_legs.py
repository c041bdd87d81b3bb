"""The other claims of scenarios/table_on_four_legs.py.

A rigid table of mass m = 20 kg stands on a level floor, gravity g = 9.81 m/s². Its legs are at (±a, ±b) with a = 0.6
m and b = 0.4 m. Coordinates are the height z of its middle above the standing position (m) and the small tilts alpha
about the x axis and beta about the y axis (rad); the gap under the leg at (x, y) is z + y alpha − x beta ≥ 0. A load
of weight W at (X, Y), both parameters, presses down; it has no mass of its own (a spring-loaded jack, say).

Four gaps depend on three coordinates: N₁ − N₂ + N₃ − N₄ of the leg forces (counted round the table) is in no equation
of motion. The legs can open all at once, so the position is redundant, not singular: Gauss's quadratic program is
exact, and

* the acceleration is unique: the table stays at rest while the centre of pressure, (X, Y) W/(mg + W), lies in the
  rectangle of the legs, and tips over an edge with a closed form beyond it;
* each leg carries between 0 and half the weight when W = 0 (the choice of least squares: a quarter);
* in general Nₖ = (mg + W)(1 + xₖX′/a² + yₖY′/b²)/4 ± s, (X′, Y′) the centre of pressure, with any s that leaves all
  Nₖ ≥ 0.

With friction (μ = 0.3, `rough`, six coordinates, the middle h = 0.7 m above the floor) twelve forces obey six
equations. Rest needs no friction and stays the only acceleration, but the legs may strain against each other: the
normal forces keep their ranges, and the friction along the diagonal of the table lies between ± μmg/2, the value for
two opposite legs that carry all. Pushed horizontally with F at the height of its middle the table stays if
μ ≥ F/(mg), twisted by a couple C about the vertical if μ ≥ C/(mg√(a² + b²)).
"""

from functools import cache

import numpy as np

import gauss as g
from gauss.contact import contact_findings, contact_forces, contact_problem, required_coefficient
from proofs import yes
from scenarios.table_on_four_legs import INERTIA_X, INERTIA_Y, LEGS, MASS, A, B, G, _gap, start, system

H, MU = 0.7, 0.3  # m, height of the middle over the floor; coefficient of friction
DIAGONAL = float(np.arctan2(B, A))  # rad
EPS = float(np.finfo(float).eps)


def ranges(W, X, Y):
    """Least and greatest force (4, 2) of each leg, from Nₖ = Pₖ ± s ≥ 0, the sign going round the table."""
    total = MASS * G + W
    x, y = np.array(list(LEGS.values())).T
    P = total * (1 + x * (W * X / total) / A**2 + y * (W * Y / total) / B**2) / 4
    sign = np.array([1.0, -1.0, 1.0, -1.0])
    low, high = np.max(-P[sign > 0]), np.min(P[sign < 0])
    ends = P[:, None] + sign[:, None] * np.array([low, high])
    return np.sort(ends, axis=1)


def tipping(W, X):
    """Acceleration (z̈, α̈, β̈) under a load on the x axis beyond the right legs: the table turns about their line.

    About that line the load drives with W(X − a), the weight holds with mga, and the inertia is I_y + ma².
    """
    turn = (W * (X - A) - MASS * G * A) / (INERTIA_Y + MASS * A**2)
    return np.array([A * turn, 0.0, turn])


def loaded(**load):
    return g.accelerate(system.with_parameters(**load), start.q)


def range_error(step, load):
    """Worst distance of the ranges from the closed form, over the whole weight; infinite for another verdict."""
    found = step.reactions
    if step.verdicts != ("redundant",) or found.rows != tuple(LEGS):
        return np.inf
    expected = ranges(load.get("W", 0.0), load.get("X", 0.0), load.get("Y", 0.0))
    return float(np.max(np.abs(np.column_stack([found.low, found.high]) - expected))) / (MASS * G + load.get("W", 0.0))


OFF_CENTRE = ({"W": 150.0, "X": 0.3, "Y": 0.2}, {"W": 400.0, "X": -0.5, "Y": 0.1}, {"W": 80.0, "X": 0.55, "Y": -0.35})


def _slip(x, y):
    return lambda v: [v.x - H * v.beta - y * v.gamma, v.y + H * v.alpha + x * v.gamma]


rough = g.System(
    "table on four legs with friction",
    coordinates="x y z alpha beta gamma",
    kinetic_energy=lambda v: (
        0.5 * MASS * (v.x**2 + v.y**2 + v.z**2)
        + 0.5 * (INERTIA_X * v.alpha**2 + INERTIA_Y * v.beta**2 + (INERTIA_X + INERTIA_Y) * v.gamma**2)
    ),
    potential_energy=lambda q: MASS * G * q.z,
    force=lambda p: {"x": p.Fx, "y": p.Fy, "gamma": p.C},
    constraints=[g.Unilateral(name, _gap(x, y), friction=g.Coulomb(MU, _slip(x, y))) for name, (x, y) in LEGS.items()],
    parameters={"Fx": 0.0, "Fy": 0.0, "C": 0.0},
)


@cache
def standing(**push):
    """The problem of friction of the table at rest, pushed by Fx, Fy (N) or twisted by C (N m)."""
    return contact_problem(rough.with_parameters(**push), np.zeros(6))


def along(angles):
    """Ranges (4, 2) of the friction forces along directions at the given angles from the x axis (rad), over μmg."""
    return contact_forces(standing().turned(angles)).tangential[:, 0] / (MU * MASS * G)


def claims(step):
    return [*without_load(step), *under_loads(), *with_friction()]


def with_friction():
    weight = MASS * G
    rest, forces = contact_findings(standing()), contact_forces(standing())
    least = [
        required_coefficient(standing(Fx=30.0, Fy=-40.0)).value - 50.0 / weight,
        required_coefficient(standing(C=12.0)).value - 12.0 / (weight * np.hypot(A, B)),
    ]
    twisted = contact_forces(standing(C=MU * weight * np.hypot(A, B) * (1 - 1e-6)), np.zeros(6))
    reason = "second-order cone programs to 1e-11 of the weight"
    return [
        yes("with friction rest is proved to be the only acceleration", rest.verdict == "one" and rest.complete),
        g.Claim(
            "the legs carry between 0 and half the weight as before",
            float(np.max(np.abs(forces.normal / weight - [0.0, 0.5]))),
            1e-8,
            reason,
        ),
        g.Claim(
            "and rub along the diagonals with up to μmg/2 either way",
            float(np.max(np.abs(along([-DIAGONAL, DIAGONAL, -DIAGONAL, DIAGONAL]) - [-0.5, 0.5]))),
            1e-8,
            reason,
        ),
        g.Claim(
            "the least coefficients are F/(mg), and C/(mg√(a² + b²)) for a couple",
            float(np.max(np.abs(least))),
            1e-8,
            reason,
        ),
        yes(
            "where the couple is just what friction can take, the normal forces are still free",
            np.min(twisted.normal[:, 1] - twisted.normal[:, 0]) > 0.49 * weight,
        ),
    ]


def without_load(step):
    weight = MASS * G
    found = step.reactions
    rounding = "rounding of the linear programs, relative to the weight"
    return [
        g.Claim(
            "what the program chooses, a quarter each, has the least sum of squares",
            g.relative(found.multipliers, weight / 4),
            1e-9,
            rounding,
        ),
        yes(
            "no leg force is determined, their total is",
            not np.any(found.determined) and abs(np.sum(found.multipliers) - weight) <= 1e-9 * weight,
        ),
    ]


def under_loads():
    weight = MASS * G
    off = [(loaded(**load), load) for load in OFF_CENTRE]
    edge = loaded(W=2 * weight, X=0.8 * A, Y=0.0)
    corner = loaded(W=1e9 * weight, X=A, Y=B)
    beyond = loaded(W=3 * weight, X=1.5 * A, Y=0.0)
    sides, lifted = edge.reactions, beyond.reactions
    share = (4 * weight + MASS * tipping(3 * weight, 1.5 * A)[0]) / 2
    rounding = "rounding of the linear programs, relative to the weight"
    return [
        g.Claim(
            "under off-centre loads the ranges are those of Nₖ = Pₖ ± s ≥ 0",
            max(range_error(other, load) for other, load in off),
            1e-9,
            rounding,
        ),
        g.Claim(
            "and the table stays where it is",
            max(float(np.max(np.abs(other.a))) / G for other, _ in off),
            1e4 * EPS,
            "rounding of a − a_free, relative to g",
        ),
        g.Claim(
            "a load on the axis over the right legs leaves the left ones what the closed form says",
            float(np.max(np.abs(np.column_stack([sides.low, sides.high]) - ranges(2 * weight, 0.8 * A, 0.0)))) / weight,
            1e-9,
            rounding,
        ),
        g.Claim(
            "a huge load over one leg is carried by that leg",
            abs(corner.reactions.multipliers[1] / (1e9 * weight) - 1.0),
            1e-8,
            "the table's own weight, 1e-9 of the load, is shared",
        ),
        g.Claim(
            "beyond the edge the table tips with the closed form",
            g.relative(beyond.a, tipping(3 * weight, 1.5 * A)),
            1e-11,
            "rounding",
        ),
        g.Claim(
            "and then all leg forces are determined: two carry half of mg + W + m z̈ each, two have left the floor",
            float(np.max(np.abs(lifted.multipliers - share * np.array([1, 1, 0, 0]))) / share)
            if lifted.unique
            else np.inf,
            1e4 * EPS,
            "rounding",
        ),
    ]
