"""Printed statements of TM §2.4.2: the mathematical pendulum and its separatrix."""

import gauss as g
from gauss.sources import Equation, Integral, Printed

page = g.scenario.module("mathematical_pendulum")
system, start = page.system, page.start
long_pendulum = g.System(
    "pendulum of length l",
    coordinates="x y",
    kinetic_energy=lambda v, p: 0.5 * p.m * (v.x**2 + v.y**2),
    potential_energy=lambda q, p: p.m * p.g * q.y,
    constraints=[g.Holonomic("rod", lambda q, p: q.x**2 + q.y**2 - p.l**2)],
    parameters={"m": 1.3, "g": 9.81, "l": 0.8},
)
ANGLE = {"phi": lambda q: g.atan2(q.x, -q.y)}
equations = [
    Printed(
        "TM §2.4.2",
        [
            Equation(
                "Newton's second law for the angle",
                left=lambda a, p: p.m * p.l**2 * a.phi,
                right=lambda q, p: -p.m * p.g * p.l * g.sin(q.phi),
                number="§2.4.2 (1)",
                text="ml²φ̈ = −mgl sin φ",
            ),
        ],
        system=long_pendulum,
        q=[0.4, -0.6],
        quantities=ANGLE,
    ),
    Printed(
        "TM §2.4.2",
        [
            Equation(
                "with g/l = 1",
                left=lambda a: a.phi,
                right=lambda q: -g.sin(q.phi),
                number="§2.4.2 (2)",
                text="φ̈ = −sin φ",
            ),
            Equation(
                "as two equations of first order",
                left=lambda v: [v.phi, v.p],
                right=lambda q: [q.p, -g.sin(q.phi)],
                number="§2.4.2 (3)",
                text="q̇ = p, ṗ = −sin q",
            ),
            Integral(
                "the orbit p² = 2 cos q + C",
                function=lambda q: q.p**2 - 2 * g.cos(q.phi),
                number="§2.4.2 (4)",
                text="p² = 2 cos q + C",
            ),
            Equation(
                "p² = 2 cos q + 2 is 4 cos²(q/2)",
                left=lambda q: 2 * g.cos(q.phi) + 2,
                right=lambda q: 4 * g.cos(q.phi / 2) ** 2,
                number="§2.4.2 (5)",
                text="p² = 2 cos q + 2 = 4 cos² ½q",
            ),
            Equation(
                "the separatrix, in the text",
                left=lambda q: q.p,
                right=lambda q: 2 * g.fabs(g.cos(q.phi / 2)),
                along=True,
                number="§2.4.2 (6)",
                text="p = ±2|cos ½q|",
            ),
            Equation(
                "the separatrix, in the closing list",
                left=lambda q: q.p,
                right=lambda q: g.fabs(g.cos(q.phi / 2)),
                along=True,
                correct=(lambda q: q.p, lambda q: 2 * g.fabs(g.cos(q.phi / 2))),
                number="§2.4.2 (7)",
                text="p = ±|cos ½q|",
                remark="the factor 2 is missing: p = ±2|cos ½q|",
            ),
        ],
        v=[2.0, 0.0],
        q=[0.0, -1.0],
        t_end=3.0,
        quantities=ANGLE | {"p": lambda q, v: (q.x * v.y - q.y * v.x) / (q.x**2 + q.y**2)},
    ),
]
