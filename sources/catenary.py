"""Printed statements of TM §3.5.3: the least surface of revolution between two rings."""

import gauss as g
from gauss.sources import Derivative, Equation, Printed

page = g.scenario.module("catenary")
system, start = page.system, page.start


def speed(v):
    return g.sqrt(v.x_1**2 + v.x_2**2)


def surface(q, v):
    """L of §3.5.3."""
    return q.x_2 * speed(v)


parallel = g.System(
    "particle in the potential −½x₂²",
    coordinates="x_1 x_2",
    kinetic_energy=lambda v: 0.5 * (v.x_1**2 + v.x_2**2),
    potential_energy=lambda q: -0.5 * q.x_2**2,
)
printed = Printed(
    "TM §3.5.3",
    [
        Derivative(
            "∂L/∂ẋ₁",
            of=surface,
            by="v.x_1",
            function=lambda q, v: q.x_2 * v.x_1 / speed(v),
            number="§3.5.3 (1)",
            text="x₂ẋ₁/√(ẋ₁² + ẋ₂²)",
        ),
        Derivative("∂L/∂x₁", of=surface, by="q.x_1", function=lambda: 0.0, number="§3.5.3 (2)", text="0"),
        Derivative(
            "∂L/∂ẋ₂",
            of=surface,
            by="v.x_2",
            function=lambda q, v: q.x_2 * v.x_2 / speed(v),
            number="§3.5.3 (3)",
            text="x₂ẋ₂/√(ẋ₁² + ẋ₂²)",
        ),
        Derivative("∂L/∂x₂", of=surface, by="q.x_2", function=speed, number="§3.5.3 (4)", text="√(ẋ₁² + ẋ₂²)"),
        Equation(
            "first extremal equation",
            left=lambda q, v: q.x_2 * v.x_1 / speed(v),
            right=lambda p: p.C,
            along=True,
            number="§3.5.3 (5)",
            text="x₂ẋ₁/√(ẋ₁² + ẋ₂²) = C",
        ),
        Equation(
            "second extremal equation",
            left=lambda v: v.P - speed(v),
            along=True,
            number="§3.5.3 (6)",
            text="d/dt(x₂ẋ₂/√(ẋ₁² + ẋ₂²)) − √(ẋ₁² + ẋ₂²) = 0",
        ),
        Equation(
            "both together",
            left=lambda v, p: [p.C * v.slope, speed(v)],
            right=lambda q, v, p: [speed(v), q.x_2 * v.x_1 / p.C],
            along=True,
            number="§3.5.3 (7)",
            text="d/dt(Cẋ₂/ẋ₁) = √(ẋ₁² + ẋ₂²) = x₂ẋ₁/C",
        ),
        Equation(
            "equation of the catenary",
            left=lambda v: v.slope,
            right=lambda q, v, p: p.a**2 * q.x_2 * v.x_1,
            along=True,
            number="§3.5.3 (8)",
            text="d/dt(dx₂/dx₁) = (d²x₂/dx₁²) ẋ₁ = a²x₂ẋ₁, a = 1/C",
        ),
        Equation(
            "the catenary",
            left=lambda q: q.x_2,
            right=lambda q, p: p.C * g.cosh(p.a * q.x_1),
            along=True,
            number="§3.5.3 (9)",
            text="x₂ = c cosh(ax₁ + b), with c = C, b = 0",
        ),
    ],
    system=parallel,
    q=[-page.B, 1.0],
    v=page.launch(page.WIDE),
    t_end=2 * page.B / page.WIDE,
    quantities={"slope": lambda v: v.x_2 / v.x_1, "P": lambda q, v: q.x_2 * v.x_2 / speed(v)},
    parameters={"C": page.WIDE, "a": 1 / page.WIDE},
)
in_words = Printed(
    "TM §3.5.3",
    [
        Equation(
            "area that a vertical line turns into",
            left=lambda q: g.pi * (q.far**2 - q.near**2),
            right=0.0,
            correct=(
                lambda q: g.pi * (q.far**2 - q.near**2),
                lambda q: 2 * g.pi * (q.far + q.near) / 2 * (q.far - q.near),
            ),
            number="§3.5.3 (10)",
            text="x₁ = const gives zero lateral area",
            remark="2π∫x₂|dx₂| is the area of a ring-shaped disc; the limit of discs is Goldschmidt's solution",
        ),
    ],
    ranges={"near": (0.1, 0.9), "far": (1.0, 2.0)},
)
equations = [printed, in_words]
