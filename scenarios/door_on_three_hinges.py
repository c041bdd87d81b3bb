"""Door on three hinges: twelve rows of rank eight; what each hinge carries is not determined, their total is.

A uniform door of mass m = 30 kg, w = 0.9 m wide and h = 2.1 m high, hangs on three hinges at the heights 0.2, 1.05 and
1.9 m. The nine coordinates (m) are those of A (bottom of the hinge side), B (top of it) and C (bottom of the free
side). Three rows keep the distances AB, BC and CA, and each hinge holds the point of AB at its height: twelve rows of
rank eight. A hand pushes with F = 12 N at C, square to the door: φ(t) = ½ α t², α = 3F/mw. How the hinges share their
total is not determined: each component of each hinge force may be anything, and so may the force of the bar AB.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

SOURCE = "textbook problem of undetermined reactions; points as coordinates after J. García de Jalón"

MASS, WIDTH, HEIGHT, G, PUSH = 30.0, 0.9, 2.1, 9.81, 12.0  # kg, m, m, m/s², N
# ½m E[NNᵀ] of a parallelogram plate with the points A(1 − ξ − η) + Bξ + Cη, N = (1 − ξ − η, ξ, η)
SHARES = MASS / 24 * np.array([[2, -1, -1], [-1, 4, 3], [-1, 3, 4]])  # kg
ALPHA = 3 * PUSH / (MASS * WIDTH)  # rad/s²


def _distance(i, j, length):
    return lambda q: sum((q[3 * i + c] - q[3 * j + c]) ** 2 for c in range(3)) - length**2


def _hinge(height):
    """The point of AB at this height (m) stays where it is."""
    s = height / HEIGHT
    return lambda q: [(1 - s) * q[c] + s * q[3 + c] - height * (c == 2) for c in range(3)]


system = g.System(
    "door on three hinges",
    coordinates=[f"{axis}{point}" for point in "ABC" for axis in "xyz"],
    kinetic_energy=lambda v: sum(SHARES[i, j] * v[3 * i + c] * v[3 * j + c] for i, j, c in np.ndindex(3, 3, 3)),
    potential_energy=lambda q: MASS * G * (q.zB + q.zC) / 2,
    force=lambda q: {"xC": -PUSH * (q.yC - q.yA) / WIDTH, "yC": PUSH * (q.xC - q.xA) / WIDTH},
    constraints=[
        g.Holonomic("distance AB", _distance(0, 1, HEIGHT)),
        g.Holonomic("distance BC", _distance(1, 2, float(np.hypot(WIDTH, HEIGHT)))),
        g.Holonomic("distance CA", _distance(2, 0, WIDTH)),
        *(g.Holonomic(f"hinge {k}", _hinge(height)) for k, height in enumerate((0.2, 1.05, 1.9), 1)),
    ],
)
start = g.Start(q={**dict.fromkeys(system.coordinates, 0.0), "zB": HEIGHT, "xC": WIDTH}, t_end=2.2, rtol=1e-12)
drawing = mb.Drawing(lines=[lambda q: [[q[f"{x}{point}"] for x in "xyz"] for point in "ABCA"]], speed=0.5)


def claims(run):
    found = g.accelerate(system, start.q).reactions
    free = {name for name, a, b in zip(found.rows, found.low, found.high, strict=True) if np.isinf(a) and np.isinf(b)}
    every = {"distance AB", *(f"hinge {k}[{c}]" for k in (1, 2, 3) for c in range(3))}
    turned = np.unwrap(np.arctan2(run["yC"], run["xC"])) - ALPHA * run.t**2 / 2
    return [
        g.Claim("the door turns by ½αt², α = 3F/(mw)", np.max(np.abs(turned)), 1e-9, "errors of the steps add up"),
        g.Claim("each component of each hinge force and the bar AB range over all numbers", free != every),
    ]


def figure(run, figure):
    axes = figure.subplots()
    axes.plot(run.t, np.unwrap(np.arctan2(run["yC"], run["xC"])), ".", label="Gauss")
    axes.plot(run.t, ALPHA * run.t**2 / 2, label="½αt²")
    axes.set(xlabel="t / s", ylabel="φ / rad", title="angle of the door")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
