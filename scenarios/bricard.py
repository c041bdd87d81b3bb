"""Rectangular Bricard mechanism: six revolute joints, one more row than the rank, and it moves all the same.

Five uniform bars of 1 m and 1 kg, with a square section of 0.1 m, join the points P₀ … P₅ on the edges of a cube; P₀
and P₅ are on the ground, 1 m apart. Revolute joints at P₀ … P₅ have axes along the edges left over; gravity g = 9.81
m/s² acts along −y, and it starts at rest. Each bar is given by its two end points and the unit vectors of its two joint
axes (natural coordinates): P₁ … P₄ and u₁ … u₄ make 24 coordinates. Axes of unit length, bars of 1 m and right angles
make 24 rows. Their rank is 23 on the whole motion, 24 off it: the mechanism is *redundant*, and it moves, with one
degree of freedom. All joint angles alternate between θ and φ with cos(θ/2) cos(φ/2) = ½.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

SOURCE = "IFToMM benchmark A04; closure after Y. Chen, Z. You, T. Tarnai, Int. J. Solids Struct. 42 (2005) 2287"

G, SECTION = 9.81, 0.1  # m/s², m
POINTS = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], dtype=float)
AXES = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]], dtype=float)


def _dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def _point(q, i):
    """Pᵢ: a coordinate for i = 1 … 4, else on the ground."""
    return [q[3 * (i - 1) + c] for c in range(3)] if 1 <= i <= 4 else POINTS[i].tolist()


def _axis(q, i):
    return [q[12 + 3 * (i - 1) + c] for c in range(3)] if 1 <= i <= 4 else AXES[i].tolist()


def _bar(q, i):
    return [b - a for a, b in zip(_point(q, i), _point(q, i + 1), strict=True)]


def _rates(v, i, shift):
    return [v[shift + 3 * (i - 1) + c] for c in range(3)] if 1 <= i <= 4 else [0.0, 0.0, 0.0]


def _kinetic(v):
    total = 0.0
    for i in range(5):
        a, b = _rates(v, i, 0), _rates(v, i + 1, 0)
        turning = sum(_dot(w, w) for w in (_rates(v, i, 12), _rates(v, i + 1, 12)))
        total += (_dot(a, a) + _dot(a, b) + _dot(b, b)) / 6 + SECTION**2 / 24 * turning
    return total


rows = [g.Holonomic(f"axis {i}", lambda q, i=i: _dot(_axis(q, i), _axis(q, i)) - 1.0) for i in range(1, 5)]
for i in range(5):
    rows += [
        g.Holonomic(f"length of bar {i}", lambda q, i=i: _dot(_bar(q, i), _bar(q, i)) - 1.0),
        g.Holonomic(f"bar {i} on axis {i}", lambda q, i=i: _dot(_bar(q, i), _axis(q, i))),
        g.Holonomic(f"bar {i} on axis {i + 1}", lambda q, i=i: _dot(_bar(q, i), _axis(q, i + 1))),
        g.Holonomic(f"axes {i} and {i + 1}", lambda q, i=i: _dot(_axis(q, i), _axis(q, i + 1))),
    ]
system = g.System(
    "rectangular Bricard mechanism",
    coordinates=[f"{letter}{i}{axis}" for letter in "Pu" for i in range(1, 5) for axis in "xyz"],
    kinetic_energy=_kinetic,
    potential_energy=lambda q: G * sum((_point(q, i)[1] + _point(q, i + 1)[1]) / 2 for i in range(5)),
    constraints=rows,
)
start = g.Start(q=[*POINTS[1:5].ravel(), *AXES[1:5].ravel()], t_end=5.0, rtol=1e-11)  # one oscillation


def joints(q):
    """P₀ … P₅, for the picture."""
    return [POINTS[0], *([q[f"P{i}{x}"] for x in "xyz"] for i in range(1, 5)), POINTS[5]]


drawing = mb.Drawing(lines=[joints], traces=[lambda q: joints(q)[2]], up=(0, 1, 0))


def claims(run):
    found = g.classify(system, start.q)
    regular = found.verdicts != ("redundant",) or found.regularity.rank != 23 or len(found.regularity.rows) != 24
    states = list(zip(run.q, run.v, strict=True))[:: max(1, len(run) // 12)]
    verdicts = {(c.verdict, c.regularity.rank) for c in (g.classify(system, q, v) for q, v in states)}
    return [
        g.Claim("at rest at right angles the verdict is redundant, with rank 23 of 24", regular),
        g.Claim("and stays so along the motion", verdicts != {("redundant", 23)}, 0.0, "yes or no, at 12 states"),
    ]


def figure(run, figure):
    axes = figure.add_subplot(projection="3d")
    for k, q in enumerate(run.at(np.linspace(0.0, 0.55 * run.t[-1], 9)).q):
        x, y, z = np.array([_point(q, i) for i in range(6)], dtype=float).T
        axes.plot(x, z, y, color="C0", lw=2.2, alpha=1.0 - 0.1 * k)
    axes.set(xlabel="x / m", ylabel="z / m", zlabel="y / m", title="bars at nine times")
    axes.set_aspect("equal")


if __name__ == "__main__":
    g.main(__file__)
