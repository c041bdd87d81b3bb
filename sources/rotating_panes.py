"""Printed statements of Kane and Levinson, ex. 11.1 and 11.2: two particles on a rod between panes that turn."""

import gauss as g
from gauss.sources import Equation, Integral, Printed

page = g.scenario.module("rotating_panes")
system, start = page.system, page.start
QUANTITIES = {
    "q1": lambda q, t: q.x1 * g.cos(page.OMEGA * t) - q.z1 * g.sin(page.OMEGA * t),
    "far": lambda q, t: q.x2 * g.cos(page.OMEGA * t) - q.z2 * g.sin(page.OMEGA * t),
    "q3": lambda q: g.atan2(q.y2 - q.y1, q.far - q.q1),
    "u1": lambda q, v: v.q1 * g.cos(q.q3) + v.y1 * g.sin(q.q3),
    "u2": lambda q, v: -v.q1 * g.sin(q.q3) + v.y1 * g.cos(q.q3),
}


def jacobi(q, v):
    """Energy less ω times the angular momentum about the axis."""
    energy = page.M1 * (v.x1**2 + v.y1**2 + v.z1**2) / 2 + page.M2 * (v.x2**2 + v.y2**2 + v.z2**2) / 2
    turning = page.M1 * (q.z1 * v.x1 - q.x1 * v.z1) + page.M2 * (q.z2 * v.x2 - q.x2 * v.z2)
    return energy + page.G * (page.M1 * q.y1 + page.M2 * q.y2) - page.OMEGA * turning


def kane(rates, number, text):
    """One row for each u_dot."""
    return Equation(
        "accelerations",
        left=lambda q, v, a: [v.u1, v.u2, a.q3],
        right=lambda q, v: rates(q.q1, q.q3, [q.u1, q.u2, v.q3]),
        number=number,
        text=text,
    )


equations = [
    Printed(
        "Kane and Levinson, ex. 11.1",
        [
            kane(
                page.free_rates,
                "ex. 11.1",
                "u̇₁ = −g s₃ + ω²q₁c₃ + u₂u₃ + (ω²c₃² + u₃²)Lm₂/(m₁ + m₂), u̇₂ = −g c₃ − ω²q₁s₃ − u₃u₁, u̇₃ = −ω²s₃c₃",
            ),
            Integral("Jacobi's function", function=jacobi, number="(J)", text="T + V − ωL_y = const"),
        ],
        quantities=QUANTITIES,
    ),
    Printed(
        "Kane and Levinson, ex. 11.2",
        [
            kane(
                page.edged_rates,
                "ex. 11.2",
                "u̇₁ = −g s₃ + ω²q₁c₃ + (m₂Lω²c₃² − m₁u₂²/L)/(m₁ + m₂), u̇₂ = −g c₃ − ω²q₁s₃ + u₁u₂/L",
            )
        ],
        system=page.EDGED,
        q=page.at_start(page.FIRST, page.EDGE_RATES)[0],
        v=page.at_start(page.FIRST, page.EDGE_RATES)[1],
        t_end=1.0,
        quantities=QUANTITIES,
    ),
]
