"""Printed statements of TM Ex. 3.2: the brachistochrone."""

import gauss as g
from gauss.sources import Equation, Integral, Printed

page = g.scenario.module("brachistochrone")
system, start = page.system, page.start
equations = Printed(
    "TM Ex. 3.2",
    [
        Equation(
            "speed at a depth",
            left=lambda v, p: p.m / 2 * (v.x**2 + v.y**2),
            right=lambda q, p: p.m * p.g * (2 * p.R - q.y),
            along=True,
            number="Ex. 3.2 (1)",
            text="½mv² = mgy, v = ds/dt",
        ),
        Integral(
            "energy", function=lambda q, v, p: p.m / 2 * (v.x**2 + v.y**2) + p.m * p.g * q.y, number="Ex. 3.2 (1)"
        ),
    ],
    q=page.BEGIN[0],
    v=page.BEGIN[1],
    t_end=0.8,
)
