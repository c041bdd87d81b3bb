"""Printed statements of TM Ex. 4.7: the elastic spherical pendulum, and its equations worked out."""

import gauss as g
from gauss.sources import Equation, Integral, Lagrangian, Printed

page = g.scenario.module("elastic_pendulum")
system, start = page.system, page.start
ANGLES = {
    "theta": lambda q: g.atan2(g.sqrt(q.x**2 + q.y**2), -q.z),
    "phi": lambda q: g.atan2(q.y, q.x),
}
equations = [
    Printed(
        "TM Ex. 4.7",
        [
            Equation(
                "the mass is on the sphere of radius l",
                left=lambda q: q.x**2 + q.y**2 + q.z**2,
                right=lambda q: q.l**2,
                number="Ex. 4.7",
                text="x² + y² + z² = l² (in words)",
            ),
            Equation(
                "energy of the spring",
                left=lambda q, p: p.k * (q.x**2 + q.y**2 + q.z**2) / 2,
                right=lambda q, p: p.k * q.l**2 / 2,
                number="Ex. 4.7",
                text="V_s = ½kl²",
            ),
        ],
    ),
    Printed(
        "TM Ex. 4.7, worked out",
        [
            Lagrangian(
                "Lagrangian with the printed V_s = ½kl²",
                function=lambda q, v, p: (
                    p.m * (v.l**2 + q.l**2 * v.theta**2 + q.l**2 * g.sin(q.theta) ** 2 * v.phi**2) / 2
                    + p.m * p.g * q.l * g.cos(q.theta)
                    - p.k * q.l**2 / 2
                ),
                number="Ex. 4.7 (1)",
                text="L = ½m(l̇² + l²θ̇² + l² sin²θ φ̇²) + mgl cos θ − ½kl²",
            ),
            Equation(
                "Lagrange's equation for l",
                left=lambda q, v, a, p: (
                    p.m * (a.l - q.l * v.theta**2 - q.l * g.sin(q.theta) ** 2 * v.phi**2)
                    - p.m * p.g * g.cos(q.theta)
                    + p.k * q.l
                ),
                number="Ex. 4.7 (2)",
                text="m(l̈ − lθ̇² − l sin²θ φ̇²) − mg cos θ + kl = 0",
            ),
            Equation(
                "Lagrange's equation for θ",
                left=lambda q, v, a, p: (
                    q.l * a.theta
                    + 2 * v.l * v.theta
                    - q.l * g.sin(q.theta) * g.cos(q.theta) * v.phi**2
                    + p.g * g.sin(q.theta)
                ),
                number="Ex. 4.7 (3)",
                text="lθ̈ + 2l̇θ̇ − l sin θ cos θ φ̇² + g sin θ = 0",
            ),
            Integral(
                "Lagrange's equation for φ",
                function=lambda q, v, p: p.m * q.l**2 * g.sin(q.theta) ** 2 * v.phi,
                number="Ex. 4.7 (4)",
                text="ml² sin²θ φ̇ = const",
            ),
        ],
        quantities=ANGLES,
        spread=0.2,
    ),
]
