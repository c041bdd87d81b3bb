"""Statements worked out for TM Ex. 4.3: the hopping leg in flight and in stance."""

import gauss as g
from gauss.sources import Equation, Lagrangian, Printed

page = g.scenario.module("hopping_leg")
system, start = page.system, page.start
equations = Printed(
    "TM Ex. 4.3, worked out",
    [
        Lagrangian(
            "Lagrangian with the printed energy ½kl² of the spring",
            function=lambda q, v, p: (
                p.m * (v.l**2 + q.l**2 * v.phi**2) / 2 - p.k * q.l**2 / 2 - p.m * p.g * q.l * g.cos(q.phi)
            ),
            number="Ex. 4.3 (1)",
            text="L = ½m(l̇² + l²φ̇²) − ½kl² − mgl cos φ",
        ),
        Equation(
            "Lagrange's equation for l",
            left=lambda q, v, a, p: p.m * (a.l - q.l * v.phi**2) + p.k * q.l + p.m * p.g * g.cos(q.phi),
            number="Ex. 4.3 (2)",
            text="m(l̈ − lφ̇²) + kl + mg cos φ = 0",
        ),
        Equation(
            "Lagrange's equation for φ",
            left=lambda q, v, a, p: q.l * a.phi + 2 * v.l * v.phi - p.g * g.sin(q.phi),
            number="Ex. 4.3 (3)",
            text="lφ̈ + 2l̇φ̇ − g sin φ = 0",
        ),
    ],
    system=page.model("printed leg", page.contact).with_parameters(l_0=0.0, m=1.3, k=4.0, g=3.3),
    q=[-0.3, 0.8, 0.0, 0.0],
    quantities={"l": lambda q: g.sqrt(q.x**2 + q.y**2), "phi": lambda q: g.atan2(q.x, q.y)},
    spread=0.2,
)
