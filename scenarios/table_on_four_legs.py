"""Table on four legs: its acceleration is unique, the forces in its legs are not.

A rigid table of mass m = 20 kg stands on a level floor, gravity g = 9.81 m/s². Its legs are at (±a, ±b) with a = 0.6 m
and b = 0.4 m. Coordinates are the height z of its middle above the standing position (m) and the small tilts alpha
about the x axis and beta about the y axis (rad); the gap under the leg at (x, y) is z + y alpha − x beta ≥ 0. A load of
weight W at (X, Y), both parameters, presses down; it has no mass of its own.

Four gaps depend on three coordinates: N₁ − N₂ + N₃ − N₄ of the leg forces (counted round the table) is in no equation
of motion. The legs can open all at once, so the position is redundant, not singular: the acceleration is unique, and
each leg carries between 0 and half the weight when W = 0 (the choice of least squares: a quarter).
"""

import numpy as np

import gauss as g

COVERS = ("C6",)
SOURCE = "C, equations (14)–(18); the four-legged table is a textbook example of undetermined reactions"

MASS, G = 20.0, 9.81  # kg, m/s²
A, B = 0.6, 0.4  # m
INERTIA_X, INERTIA_Y = MASS * B**2 / 3, MASS * A**2 / 3  # kg m², a uniform plate 2a by 2b
LEGS = {"front right": (A, -B), "back right": (A, B), "back left": (-A, B), "front left": (-A, -B)}


def _gap(x, y):
    return lambda q: q.z + y * q.alpha - x * q.beta


system = g.System(
    "table on four legs",
    coordinates="z alpha beta",
    kinetic_energy=lambda v: 0.5 * (MASS * v.z**2 + INERTIA_X * v.alpha**2 + INERTIA_Y * v.beta**2),
    potential_energy=lambda q: MASS * G * q.z,
    force=lambda p: {"z": -p.W, "alpha": -p.W * p.Y, "beta": p.W * p.X},
    constraints=[g.Unilateral(name, _gap(x, y)) for name, (x, y) in LEGS.items()],
    parameters={"W": 0.0, "X": 0.0, "Y": 0.0},
)
start = g.Start(q=[0.0, 0.0, 0.0])


def claims(step):
    weight, found = MASS * G, step.reactions
    off = max(np.max(np.abs(found.low)), np.max(np.abs(found.high - weight / 2))) / weight
    return [
        g.Claim(
            "at rest on four legs the verdict is redundant, and the acceleration unique: 0",
            np.max(np.abs(step.a)) / G if step.verdicts == ("redundant",) else np.inf,
            1e-11,
            "rounding of a − a_free, relative to g",
        ),
        g.Claim("each leg carries between 0 and half the weight", off, 1e-9, "rounding of the linear programs"),
    ]


def figure(step, figure):
    axes = figure.subplots()
    loads = [(0.0, 0.0, 0.0), (150.0, 0.3, 0.2), (400.0, -0.5, 0.1), (80.0, 0.55, -0.35)]
    for j, (W, X, Y) in enumerate(loads):
        found = g.accelerate(system.with_parameters(W=W, X=X, Y=Y), start.q).reactions
        places = j + 0.17 * (np.arange(4) - 1.5)
        axes.vlines(places, found.low, found.high, colors=[f"C{k}" for k in range(4)], lw=7)
        axes.plot(places, found.multipliers, "k_", ms=9, label=None if j else "choice of least squares")
    axes.set_xticks(range(4), [f"{W:g} N at ({X:g}, {Y:g}) m" for W, X, Y in loads])
    axes.set(ylabel="force of the leg / N", title="what each leg may carry")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
