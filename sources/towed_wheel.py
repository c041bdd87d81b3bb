"""Statements derived by hand after BH §6: the towed wheel."""

import gauss as g
from gauss.sources import Equation, Printed

page = g.scenario.module("towed_wheel")
system, start = page.system, page.start


def motion(q, v, a, p):
    """The equation of motion, without reactions: Σ (m r̈ − F)·δr = 0 for δpsi = 1, δx = 0, δy = l/cos psi."""
    c, s = g.cos(q.psi), g.sin(q.psi)
    shift = p.l / c
    fork_x = p.a * (a.psi * s + v.psi**2 * c) * p.a * s
    fork_y = (a.y - p.a * (a.psi * c - v.psi**2 * s)) * (shift - p.a * c)
    return (
        p.m * (fork_x + fork_y)
        + (p.m0 * a.y + p.b * v.y + p.k * q.y) * shift
        + p.J * a.psi
        + p.I * a.theta * p.l * (s / c / p.r)
    )


equations = Printed(
    "derived by hand, after BH §6",
    [
        Equation(
            "sideways rolling",
            left=lambda q, v, p: v.y * g.cos(q.psi),
            right=lambda q, v, p: p.V * g.sin(q.psi) + p.l * v.psi,
            number="(1)",
            text="ẏ cos ψ = V sin ψ + lψ̇",
        ),
        Equation(
            "equation of motion without reactions",
            left=motion,
            right=lambda: 0.0,
            number="(2)",
            text="m(r̈·δr) + (m₀ÿ + bẏ + ky) l/cos ψ + Jψ̈ + Iθ̈ (l/r) tan ψ = 0",
        ),
    ],
)
