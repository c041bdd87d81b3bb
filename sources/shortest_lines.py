"""Printed statements of TM §3.5.2: shortest lines between two points."""

import gauss as g
from gauss.sources import ClosedForm, Derivative, Equation, Integral, Printed

page = g.scenario.module("shortest_lines")
system, start = page.system, page.start
straight = g.System("free point in the plane", "x_1 x_2", kinetic_energy=lambda v: 0.5 * (v.x_1**2 + v.x_2**2))
SLOPE = 0.75


def length(v):
    """L of §3.5.2."""
    return g.sqrt(v.x_1**2 + v.x_2**2)


equations = Printed(
    "TM §3.5.2",
    [
        Derivative(
            "∂L/∂ẋ₁", of=length, by="v.x_1", function=lambda v: v.x_1 / length(v), number="§3.5.2 (1)", text="ẋ₁/L"
        ),
        Derivative("∂L/∂x₁", of=length, by="q.x_1", function=lambda: 0.0, number="§3.5.2 (2)", text="0"),
        Derivative(
            "∂L/∂ẋ₂", of=length, by="v.x_2", function=lambda v: v.x_2 / length(v), number="§3.5.2 (3)", text="ẋ₂/L"
        ),
        Integral("ẋ₁/L = C₁", function=lambda v: v.x_1 / length(v), number="§3.5.2 (4)", text="ẋ₁/L = C₁"),
        Integral("ẋ₂/L = C₂", function=lambda v: v.x_2 / length(v), number="§3.5.2 (5)", text="ẋ₂/L = C₂"),
        Integral("dx₂/dx₁ = C", function=lambda v: v.x_2 / v.x_1, number="§3.5.2 (6)", text="dx₂/dx₁ = C"),
        Equation(
            "the straight line",
            left=lambda q: q.x_2,
            right=lambda q, p: p.C * q.x_1 + p.D,
            along=True,
            number="§3.5.2 (7)",
            text="x₂ = Cx₁ + D",
        ),
        ClosedForm("uniform motion on it", of="x_1", function=lambda t: 1.0 + 2.0 * t, number="§3.5.2 (8)"),
    ],
    system=straight,
    q=[1.0, 1.0],
    v=[2.0, 2.0 * SLOPE],
    t_end=2.0,
    parameters={"C": SLOPE, "D": 1.0 - SLOPE},
)
