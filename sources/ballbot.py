"""Printed statements of TM Ex. 4.6: the ballbot in the plane, and its equations worked out."""

import gauss as g
from gauss.sources import Equation, Integral, Lagrangian, Printed

page = g.scenario.module("ballbot")
system, start = page.system, page.start


def printed_lagrangian(q, v, p):
    rate = v.phi + v.theta
    return (
        (p.I + p.M * p.r**2) * rate**2 / 2
        + p.m * (p.r**2 * rate**2 + 2 * p.r * p.l * rate * v.phi * g.cos(q.phi) + p.l**2 * v.phi**2) / 2
        - p.m * p.g * p.l * g.cos(q.phi)
    )


ANGLES = {
    "phi": lambda q: g.atan2(q.bx - q.x, q.by - q.y),
    "theta": lambda q: q.psi - g.atan2(q.bx - q.x, q.by - q.y),
}
equations = [
    Printed(
        "TM Ex. 4.6",
        [
            Equation(
                "path of the wheel",
                left=lambda q: q.x,
                right=lambda q, p: p.r * (q.phi + q.theta),
                number="Ex. 4.6",
                text="x = r(φ + θ)",
            ),
        ],
        quantities=ANGLES,
    ),
    Printed(
        "TM Ex. 4.6, worked out",
        [
            Lagrangian(
                "Lagrangian",
                function=printed_lagrangian,
                number="Ex. 4.6 (1)",
                text="L = ½(I + Mr²)(φ̇ + θ̇)² + ½m(r²(φ̇ + θ̇)² + 2rl(φ̇ + θ̇)φ̇ cos φ + l²φ̇²) − mgl cos φ",
            ),
            Equation(
                "Lagrange's equation for θ",
                left=lambda q, v, a, p: (
                    (p.I + (p.M + p.m) * p.r**2) * (a.phi + a.theta)
                    + p.m * p.r * p.l * (a.phi * g.cos(q.phi) - v.phi**2 * g.sin(q.phi))
                ),
                number="Ex. 4.6 (2)",
                text="(I + (M + m)r²)(φ̈ + θ̈) + mrl(φ̈ cos φ − φ̇² sin φ) = 0",
            ),
            Equation(
                "Lagrange's equation for φ less that for θ",
                left=lambda q, a, p: p.l * a.phi + p.r * (a.phi + a.theta) * g.cos(q.phi) - p.g * g.sin(q.phi),
                number="Ex. 4.6 (3)",
                text="lφ̈ + r(φ̈ + θ̈) cos φ − g sin φ = 0",
            ),
            Integral(
                "momentum of θ",
                function=lambda q, v, p: (
                    (p.I + (p.M + p.m) * p.r**2) * (v.phi + v.theta) + p.m * p.r * p.l * v.phi * g.cos(q.phi)
                ),
                number="Ex. 4.6 (4)",
                text="(I + (M + m)r²)(φ̇ + θ̇) + mrlφ̇ cos φ = const",
            ),
        ],
        quantities=ANGLES,
    ),
]
