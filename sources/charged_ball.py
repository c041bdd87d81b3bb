"""Statements worked out for TM Ex. 2.4: a charged ball on a spring over a charge."""

import gauss as g
from gauss.sources import Equation, Integral, Lagrangian, Printed

page = g.scenario.module("charged_ball")
system, start = page.system, page.start
equations = Printed(
    "TM Ex. 2.4, worked out",
    [
        Lagrangian(
            "Lagrangian",
            function=lambda q, v, p: p.m * v.x**2 / 2 - p.k * q.x**2 / 2 + p.K / (p.l - q.x),
            number="Ex. 2.4 (1)",
            text="L = ½mẋ² − ½kx² + K/(l − x)",
        ),
        Equation(
            "equation of motion",
            left=lambda a, p: p.m * a.x,
            right=lambda q, p: -p.k * q.x + p.K / (p.l - q.x) ** 2,
            number="Ex. 2.4 (2)",
            text="mẍ = −kx + K/(l − x)²",
        ),
        Integral(
            "phase curves",
            function=lambda q, v, p: p.m * v.x**2 / 2 + p.k * q.x**2 / 2 - p.K / (p.l - q.x),
            number="Ex. 2.4 (3)",
            text="½mẋ² + ½kx² − K/(l − x) = E",
        ),
    ],
    q=[page.CENTRE, 0.0, 0.0],
    spread=0.1,  # the equations hold before the charge, x < l
)
