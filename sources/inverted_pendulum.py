"""Statements worked out for TM Ex. 4.2: the inverted pendulum on a cart, with the rod's angle φ from the vertical."""

import gauss as g
from gauss.sources import Equation, Integral, Lagrangian, Printed

page = g.scenario.module("inverted_pendulum")
system, start = page.system, page.start
equations = Printed(
    "TM Ex. 4.2, worked out",
    [
        Lagrangian(
            "Lagrangian",
            function=lambda q, v, p: (
                (p.M + p.m) * v.X**2 / 2
                + p.m * p.l * v.X * v.phi * g.cos(q.phi)
                + p.m * p.l**2 * v.phi**2 / 2
                - p.m * p.g * p.l * g.cos(q.phi)
            ),
            number="Ex. 4.2 (1)",
            text="L = ½(M + m)Ẋ² + mlẊφ̇ cos φ + ½ml²φ̇² − mgl cos φ",
        ),
        Equation(
            "Lagrange's equation for X",
            left=lambda q, v, a, p: (
                (p.M + p.m) * a.X + p.m * p.l * a.phi * g.cos(q.phi) - p.m * p.l * v.phi**2 * g.sin(q.phi)
            ),
            number="Ex. 4.2 (2)",
            text="(M + m)Ẍ + mlφ̈ cos φ − mlφ̇² sin φ = 0",
        ),
        Equation(
            "Lagrange's equation for φ",
            left=lambda q, a, p: p.l * a.phi + a.X * g.cos(q.phi) - p.g * g.sin(q.phi),
            number="Ex. 4.2 (3)",
            text="lφ̈ + Ẍ cos φ − g sin φ = 0",
        ),
        Integral(
            "momentum along X",
            function=lambda q, v, p: (p.M + p.m) * v.X + p.m * p.l * v.phi * g.cos(q.phi),
            number="Ex. 4.2 (4)",
            text="(M + m)Ẋ + mlφ̇ cos φ = const",
        ),
    ],
    quantities={"phi": lambda q: g.atan2(q.x - q.X, q.y - q.Y)},
)
