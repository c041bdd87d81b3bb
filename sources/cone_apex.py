"""Printed statements of C, (9)–(12): a particle on a cone, away from the apex and at it."""

import sympy as sp

import gauss as g
from gauss.sources import ConstraintMatrix, Equation, Printed

page = g.scenario.module("cone_apex")
system, start = page.system, page.start
away = Printed(
    "C",
    [
        Equation(
            "the cone, its velocities and its accelerations away from the apex",
            left=lambda q, v, a: [
                q.x**2 + q.y**2 - q.z**2,
                q.x * v.x + q.y * v.y - q.z * v.z,
                q.x * a.x + q.y * a.y - q.z * a.z + v.x**2 + v.y**2 - v.z**2,
            ],
            number="(9), (10)",
            text="x² + y² − z² = 0, xẋ + yẏ − zż = 0, xẍ + yÿ − zz̈ + ẋ² + ẏ² − ż² = 0",
        ),
        ConstraintMatrix(
            "virtual displacements away from the apex",
            matrix=lambda q: [[q.x, q.y, -q.z]],
            number="(11)",
            text="xδx + yδy − zδz = 0",
        ),
    ],
    system=system,
    q=[0.6, 0.8, 1.0],
    v=[0.3, 0.4, 0.5],
    spread=0.3,
)


def path(q):
    """A curve (3,) on the cone that starts from rest at the apex, and its parameter."""
    s = sp.Symbol("s", real=True)
    height = q.c2 * s**2 / 2 + q.c3 * s**3 / 6
    azimuth = q.f0 + q.f1 * s + q.f2 * s**2
    return [height * g.cos(azimuth), height * g.sin(azimuth), height], s


def leaving(q, order):
    """Its derivatives (3,) at the apex, or its displacement (3,) from there for order 0."""
    curve, s = path(q)
    return [sp.diff(x, s, order).subs(s, 0 if order else q.s1) for x in curve]


def square(x):
    return x[0] ** 2 + x[1] ** 2 - x[2] ** 2


apex = Printed(
    "C",
    [
        Equation(
            "displacements from the apex",
            left=lambda q: square(leaving(q, 0)),
            number="(12)",
            text="(δx)² + (δy)² − (δz)² = 0",
        ),
        Equation(
            "velocity and acceleration at rest at the apex",
            left=lambda q: [*leaving(q, 1), square(leaving(q, 2))],
            number="(13)",
            text="ẍ² + ÿ² − z̈² = 0",
        ),
    ],
    ranges={
        "c2": (-2.0, 2.0),
        "c3": (-2.0, 2.0),
        "f0": (0.0, 6.0),
        "f1": (-1.0, 1.0),
        "f2": (-1.0, 1.0),
        "s1": (0.2, 1.0),
    },
)
equations = [away, apex]
