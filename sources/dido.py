"""Printed statements of TM §3.5.4: Dido's problem."""

import numpy as np

import gauss as g
from gauss.sources import Derivative, Equation, Printed

page = g.scenario.module("dido")
system, start = page.system, page.start


def extended(q, v, p):
    """𝓛 = L + λK."""
    return page.area(q, v) + p.lam * page.length(v)


equations = Printed(
    "TM §3.5.4",
    [
        Derivative(
            "∂𝓛/∂ẋ₁",
            of=extended,
            by="v.x_1",
            function=lambda q, v, p: q.x_2 + p.lam * v.x_1 / page.length(v),
            number="§3.5.4 (1)",
            text="x₂ + λẋ₁/K",
        ),
        Derivative(
            "∂𝓛/∂ẋ₂",
            of=extended,
            by="v.x_2",
            function=lambda v, p: p.lam * v.x_2 / page.length(v),
            number="§3.5.4 (2)",
            text="λẋ₂/K",
        ),
        Derivative("∂𝓛/∂x₁", of=extended, by="q.x_1", function=lambda: 0.0, number="§3.5.4 (3)", text="0"),
        Derivative("∂𝓛/∂x₂", of=extended, by="q.x_2", function=lambda v: v.x_1, number="§3.5.4 (4)", text="ẋ₁"),
        Equation(
            "extremal equations",
            left=lambda q, v, p: [q.x_2 + p.lam * v.x_1 / page.length(v), v.P],
            right=lambda v, p: [p.C, v.x_1],
            along=True,
            number="§3.5.4 (5)",
            text="x₂ + λẋ₁/K = C, d/dt(λẋ₂/K) = ẋ₁",
        ),
        Equation(
            "integrated",
            left=lambda v, p: [p.lam * v.x_1 / page.length(v), p.lam * v.x_2 / page.length(v)],
            right=lambda q, p: [p.C - q.x_2, q.x_1 + p.D],
            along=True,
            number="§3.5.4 (6)",
            text="λẋ₁/K = C − x₂, λẋ₂/K = x₁ + D",
        ),
        Equation(
            "equation of the curve",
            left=lambda q, v, p: v.x_2 * (p.C - q.x_2),
            right=lambda q, v, p: v.x_1 * (p.D + q.x_1),
            along=True,
            number="§3.5.4 (7)",
            text="dx₂/dx₁ = (D + x₁)/(C − x₂)",
        ),
        Equation(
            "the circle",
            left=lambda q, p: (q.x_1 + p.D) ** 2 + (q.x_2 - p.C) ** 2,
            right=lambda p: p.R**2,
            along=True,
            number="§3.5.4 (8)",
            text="(x₁ + D)² + (x₂ − C)² = R²",
        ),
    ],
    t_end=3.0,
    quantities={"P": lambda v: -page.R * v.x_2 / g.sqrt(v.x_1**2 + v.x_2**2)},
    parameters={"lam": -page.R, "C": -page.R * np.cos(page.HALF), "D": 0.0, "R": page.R},
)
