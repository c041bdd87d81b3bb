"""Printed statements of TM Ex. 3.1: the pursuit curve."""

import gauss as g
from gauss.sources import ClosedForm, Equation, Integral, Printed

page = g.scenario.module("pursuit")
system, start = page.system, page.start


def gap(q, t, p):
    """The same at any state."""
    return g.sqrt((p.a - q.x) ** 2 + (p.c * t - q.y) ** 2)


equations = Printed(
    "TM Ex. 3.1",
    [
        Equation(
            "direction of the velocity",
            left=lambda q, v, t, p: v.y * (p.a - q.x),
            right=lambda q, v, t, p: v.x * (p.c * t - q.y),
            number="Ex. 3.1 (1)",
            text="the dog's velocity points at the hare",
        ),
        Integral("constant speed", function=lambda v: v.x**2 + v.y**2, number="Ex. 3.1 (2)", text="|v| = const"),
        Equation(
            "hint: the path is vt long",
            left=lambda p: p.v,
            right=lambda v: v.x * g.sqrt(1 + (v.y / v.x) ** 2),
            along=True,
            number="Ex. 3.1 (3)",
            text="vt = ∫√(1 + y'²) dx",
        ),
        Equation(
            "equation of the curve, derived",
            left=lambda q, v, p: (p.a - q.x) * v.slope,
            right=lambda q, v, p: p.c / p.v * g.sqrt(1 + q.slope**2) * v.x,
            along=True,
            number="Ex. 3.1 (4)",
            text="(a − x)y'' = (c/v)√(1 + y'²)",
        ),
        ClosedForm(
            "closing in",
            of="closing",
            function=lambda t, p: p.a * p.v - (p.v**2 - p.c**2) * t,
            number="Ex. 3.1 (5)",
            text="vρ + c(ct − y) = av − (v² − c²)t",
        ),
    ],
    t_end=1.5,
    quantities={
        "slope": lambda v: v.y / v.x,
        "closing": lambda q, t, p: page.V * gap(q, t, p) + p.c * (p.c * t - q.y),
    },
    parameters={"v": page.V},
)
