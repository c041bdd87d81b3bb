"""Printed statements of TM §3.5.5: Brockett's integrator with the least energy of its controls."""

import gauss as g
from gauss.sources import ClosedForm, ControlFields, Derivative, Equation, Printed

page = g.scenario.module("brockett_integrator")
system, start = page.system, page.start


def extended(q, v, p):
    """𝓛 = L + λG."""
    return page.energy(v) + p.lam * (v.x_3 - q.x_1 * v.x_2 + q.x_2 * v.x_1)


def control_1(t, p):
    return p.A_1 * g.cos(p.l * t) + p.B_1 * g.sin(p.l * t)


def control_2(t, p):
    return p.A_2 * g.cos(p.l * t) + p.B_2 * g.sin(p.l * t)


def height(t, p):
    return (p.A_1 * p.B_2 - p.A_2 * p.B_1) / p.l**2 * (p.l * t - g.sin(p.l * t))


DERIVATIVES = [
    ("v.x_1", "∂𝓛/∂ẋ₁", lambda q, v, p: 2 * v.x_1 + p.lam * q.x_2, "2ẋ₁ + λx₂"),
    ("v.x_2", "∂𝓛/∂ẋ₂", lambda q, v, p: 2 * v.x_2 - p.lam * q.x_1, "2ẋ₂ − λx₁"),
    ("v.x_3", "∂𝓛/∂ẋ₃", lambda p: p.lam, "λ"),
    ("q.x_1", "∂𝓛/∂x₁", lambda v, p: -p.lam * v.x_2, "−λẋ₂"),
    ("q.x_2", "∂𝓛/∂x₂", lambda v, p: p.lam * v.x_1, "λẋ₁"),
    ("q.x_3", "∂𝓛/∂x₃", lambda: 0.0, "0"),
]
STEADY = {"u_1": lambda v: v.x_1, "u_2": lambda v: v.x_2}


def printed(v, numbers, claims):
    """A collection along the vakonomic motion from the origin with the velocity v."""
    return Printed(
        "TM §3.5.5",
        claims,
        q=[0.0, 0.0, 0.0],
        v=v,
        t_end=1.0,
        quantities=STEADY,
        parameters=numbers,
    )


general = printed(
    [1.1, -0.7, 0.0],
    {"l": page.LAMBDA, "A_1": 1.1, "B_1": 0.7, "A_2": -0.7, "B_2": 1.1},
    [
        ControlFields(
            "control system",
            matrix=lambda q: [[1.0, 0.0], [0.0, 1.0], [-q.x_2, q.x_1]],
            number="§3.5.5 (1)",
            text="ẋ₁ = u₁, ẋ₂ = u₂, ẋ₃ = x₁u₂ − x₂u₁",
        ),
        *(
            Derivative(name, of=extended, by=by, function=function, number=f"§3.5.5 ({k})", text=text)
            for k, (by, name, function, text) in enumerate(DERIVATIVES, 2)
        ),
        Equation(
            "extremal equations",
            left=lambda v, a, p: [a.x_1 + p.lam * v.x_2, a.x_2 - p.lam * v.x_1, v.u_1 - a.x_1, v.u_2 - a.x_2],
            number="§3.5.5 (8)",
            text="ẍ₁ + λẋ₂ = u̇₁ + λu₂ = 0, ẍ₂ − λẋ₁ = u̇₂ − λu₁ = 0",
        ),
        ClosedForm("u₁", of="u_1", function=control_1, number="§3.5.5 (9)", text="u₁ = A₁ cos λt + B₁ sin λt"),
        ClosedForm("u₂", of="u_2", function=control_2, number="§3.5.5 (9)", text="u₂ = A₂ cos λt + B₂ sin λt"),
        ClosedForm(
            "x₁",
            of="x_1",
            function=lambda t, p: (p.A_1 * g.sin(p.l * t) - p.B_1 * g.cos(p.l * t) + p.B_1) / p.l,
            number="§3.5.5 (10)",
            text="x₁ = (A₁ sin λt − B₁ cos λt + B₁)/λ",
        ),
        ClosedForm(
            "x₂",
            of="x_2",
            function=lambda t, p: (p.A_2 * g.sin(p.l * t) - p.B_2 * g.cos(p.l * t) + p.B_2) / p.l,
            number="§3.5.5 (10)",
            text="x₂ = (A₂ sin λt − B₂ cos λt + B₂)/λ",
        ),
        ClosedForm(
            "x₃",
            of="x_3",
            function=height,
            number="§3.5.5 (10)",
            text="x₃ = (A₁B₂ − A₂B₁)(λt − sin λt)/λ²",
        ),
    ],
)
circle = printed(
    [page.C, 0.0, 0.0],
    {"C": page.C},
    [
        Equation(
            "the circle",
            left=lambda q, p: q.x_1**2 + (q.x_2 - p.C / p.lam) ** 2,
            right=lambda p: (p.C / p.lam) ** 2,
            along=True,
            number="§3.5.5 (11)",
            text="x₁² + (x₂ − C/λ)² = (C/λ)²",
        ),
    ],
)
equations = [general, circle]
