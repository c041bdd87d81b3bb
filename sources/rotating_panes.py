"""Printed statements of Kane and Levinson, ex. 11.1 and 11.2: two particles on a rod between panes that turn."""

import numpy as np

import gauss as g
from gauss.sources import Equation, Integral, Printed

page = g.scenario.module("rotating_panes")
system, start = page.system, page.start
M1, M2, L, OMEGA, G = page.M1, page.M2, page.L, page.OMEGA, page.G
FIRST, RATES = page.FIRST, page.RATES
QUANTITIES = {
    "q1": lambda q, t: q.x1 * g.cos(OMEGA * t) - q.z1 * g.sin(OMEGA * t),
    "far": lambda q, t: q.x2 * g.cos(OMEGA * t) - q.z2 * g.sin(OMEGA * t),
    "q3": lambda q: g.atan2(q.y2 - q.y1, q.far - q.q1),
    "u1": lambda q, v: v.q1 * g.cos(q.q3) + v.y1 * g.sin(q.q3),
    "u2": lambda q, v: -v.q1 * g.sin(q.q3) + v.y1 * g.cos(q.q3),
}


def across(q, t):
    """E_y, the unit vector across the rod in the plane: the normal of the plane times the direction of the rod."""
    s, c = g.sin(OMEGA * t), g.cos(OMEGA * t)
    ex = [(q.x2 - q.x1) / L, (q.y2 - q.y1) / L, (q.z2 - q.z1) / L]
    return [-c * ex[1], c * ex[0] - s * ex[2], s * ex[1]]


def carried(q, t):
    """−E_y·(ω × P2), which is what the plane's own velocity adds to that of P2."""
    e = across(q, t)
    return -OMEGA * (e[0] * q.z2 - e[2] * q.x2)


EDGED = page.particles(
    "particles between turning panes, one with an edge",
    g.Pfaffian("edge", lambda q, t: dict(zip(("x2", "y2", "z2"), across(q, t), strict=True)), carried),
)


EDGE_RATES = [*RATES[:2], (RATES[0] * np.sin(FIRST[2]) - RATES[1] * np.cos(FIRST[2])) / L]  # u3 = −u2/L


def edged_rates(q1, q3, u):
    """The book's u_dot of ex. 11.2, with that of u3 = −u2/L."""
    w2 = OMEGA**2
    first = -G * g.sin(q3) + w2 * q1 * g.cos(q3) + (M2 * L * w2 * g.cos(q3) ** 2 - M1 * u[1] ** 2 / L) / (M1 + M2)
    second = -G * g.cos(q3) - w2 * q1 * g.sin(q3) + u[0] * u[1] / L
    return [first, second, -second / L]


def jacobi(q, v):
    """Energy less ω times the angular momentum about the axis."""
    energy = M1 * (v.x1**2 + v.y1**2 + v.z1**2) / 2 + M2 * (v.x2**2 + v.y2**2 + v.z2**2) / 2
    turning = M1 * (q.z1 * v.x1 - q.x1 * v.z1) + M2 * (q.z2 * v.x2 - q.x2 * v.z2)
    return energy + G * (M1 * q.y1 + M2 * q.y2) - OMEGA * turning


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
                edged_rates,
                "ex. 11.2",
                "u̇₁ = −g s₃ + ω²q₁c₃ + (m₂Lω²c₃² − m₁u₂²/L)/(m₁ + m₂), u̇₂ = −g c₃ − ω²q₁s₃ + u₁u₂/L",
            )
        ],
        system=EDGED,
        q=page.at_start(FIRST, EDGE_RATES)[0],
        v=page.at_start(FIRST, EDGE_RATES)[1],
        t_end=1.0,
        quantities=QUANTITIES,
    ),
]
