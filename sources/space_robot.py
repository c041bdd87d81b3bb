"""Statements worked out for TM Ex. 4.5: the space robot, free and with driven joints."""

import gauss as g
from gauss.sources import Equation, Integral, Lagrangian, Printed

page = g.scenario.module("space_robot")
system, start = page.system, page.start
ARM = {
    "l": lambda q: g.sqrt((q.x - q.X) ** 2 + (q.y - q.Y) ** 2),
    "phi": lambda q: g.atan2(q.y - q.Y, q.x - q.X) - q.theta,
}


def printed_lagrangian(q, v, p):
    alpha, rate = q.theta + q.phi, v.theta + v.phi
    vx = v.X + v.l * g.cos(alpha) - q.l * rate * g.sin(alpha)
    vy = v.Y + v.l * g.sin(alpha) + q.l * rate * g.cos(alpha)
    return p.M * (v.X**2 + v.Y**2) / 2 + p.I * v.theta**2 / 2 + p.m * (vx**2 + vy**2) / 2


def _along(q, v, a, p):
    alpha, rate = q.theta + q.phi, v.theta + v.phi
    return p.m * (a.l - q.l * rate**2 + a.X * g.cos(alpha) + a.Y * g.sin(alpha))


def _across(q, v, a, p):
    alpha, rate = q.theta + q.phi, v.theta + v.phi
    turned = q.l * (a.theta + a.phi) + 2 * v.l * rate
    return p.m * q.l * (turned - a.X * g.sin(alpha) + a.Y * g.cos(alpha))


equations = [
    Printed(
        "TM Ex. 4.5, worked out",
        [
            Lagrangian(
                "Lagrangian",
                function=printed_lagrangian,
                number="Ex. 4.5 (1)",
                text="L = ½M(Ẋ² + Ẏ²) + ½Iθ̇² + ½m((Ẋ + l̇ cos α − lα̇ sin α)² + (Ẏ + l̇ sin α + lα̇ cos α)²), α = θ + φ",
            ),
            Integral(
                "angular momentum",
                function=lambda q, v, p: p.I * v.theta + p.M * (q.X * v.Y - q.Y * v.X) + p.m * (q.x * v.y - q.y * v.x),
                number="Ex. 4.5 (2)",
                text="Iθ̇ + M(XẎ − YẊ) + m(xẏ − yẋ) = const",
            ),
        ],
        system=page.model("space robot with free arm"),
        q=[0.0, 0.0, 0.2, 1.0, 0.4],
        quantities=ARM,
        spread=0.2,
    ),
    Printed(
        "TM Ex. 4.5, worked out",
        [
            Equation(
                "Lagrange's equation for l",
                left=_along,
                right=lambda l: l["arm"],
                number="Ex. 4.5 (3)",
                text="m(l̈ − lα̇² + Ẍ cos α + Ÿ sin α) = F",
            ),
            Equation(
                "Lagrange's equation for φ",
                left=_across,
                right=lambda q, l: q.l * l["joint"],
                number="Ex. 4.5 (4)",
                text="ml(lα̈ + 2l̇α̇ − Ẍ sin α + Ÿ cos α) = τ",
            ),
            Equation(
                "Lagrange's equation for θ",
                left=lambda q, v, a, p: p.I * a.theta + _across(q, v, a, p),
                number="Ex. 4.5 (5)",
                text="Iθ̈ + ml(lα̈ + 2l̇α̇ − Ẍ sin α + Ÿ cos α) = 0",
            ),
        ],
        quantities=ARM,
    ),
]
