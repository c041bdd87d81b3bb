"""Printed statements of TM §4.1.1 and §5.4.1: the ball and beam by Lagrange and by Hamilton."""

import gauss as g
from gauss.sources import Derivative, Equation, Hamiltonian, Integral, Lagrangian, Printed

page = g.scenario.module("ball_and_beam")
system, start = page.system, page.start


def lagrangian(q, v, p):
    return (p.I + p.m * q.r**2) * v.phi**2 / 2 + p.m * v.r**2 / 2 - p.m * p.g * q.r * g.sin(q.phi)


def hamiltonian(q, p):
    return (q.p_1**2 / p.m + q.p_2**2 / (p.I + p.m * q.r**2)) / 2 + p.m * p.g * q.r * g.sin(q.phi)


general = g.System(
    "ball and beam of any size",
    coordinates="x y phi",
    kinetic_energy=lambda v, p: 0.5 * p.m * (v.x**2 + v.y**2) + 0.5 * p.I * v.phi**2,
    potential_energy=lambda q, p: p.m * p.g * q.y,
    constraints=[g.Holonomic("ball on beam", lambda q: q.x * g.sin(q.phi) - q.y * g.cos(q.phi))],
    parameters={"m": 0.7, "I": 1.9, "g": 3.3},
)
equations = Printed(
    "TM §4.1.1, §5.4.1",
    [
        Equation(
            "position of the ball",
            left=lambda q: [q.x, q.y],
            right=lambda q: [q.r * g.cos(q.phi), q.r * g.sin(q.phi)],
            number="§4.1.1 (1)",
            text="x = r cos φ, y = r sin φ",
        ),
        Equation(
            "velocity of the ball",
            left=lambda v: [v.x, v.y],
            right=lambda q, v: [
                v.r * g.cos(q.phi) - q.r * v.phi * g.sin(q.phi),
                v.r * g.sin(q.phi) + q.r * v.phi * g.cos(q.phi),
            ],
            number="§4.1.1 (2)",
            text="ẋ = ṙ cos φ − rφ̇ sin φ, ẏ = ṙ sin φ + rφ̇ cos φ",
        ),
        Equation(
            "square of the speed",
            left=lambda v: v.x**2 + v.y**2,
            right=lambda q, v: v.r**2 + q.r**2 * v.phi**2,
            number="§4.1.1 (3)",
            text="v² = ṙ² + r²φ̇²",
        ),
        Equation(
            "kinetic energy",
            left=lambda v, p: p.I * v.phi**2 / 2 + p.m * (v.x**2 + v.y**2) / 2,
            right=lambda q, v, p: (p.I + p.m * q.r**2) * v.phi**2 / 2 + p.m * v.r**2 / 2,
            number="§4.1.1 (4)",
            text="K = ½(I + mr²)φ̇² + ½mṙ²",
        ),
        Equation(
            "potential energy",
            left=lambda q, p: p.m * p.g * q.y,
            right=lambda q, p: p.m * p.g * q.r * g.sin(q.phi),
            number="§4.1.1 (5)",
            text="V = mgr sin φ",
        ),
        Lagrangian(
            "Lagrangian",
            function=lagrangian,
            number="§4.1.1 (6)",
            text="L = ½(I + mr²)φ̇² + ½mṙ² − mgr sin φ",
        ),
        Derivative(
            "momentum of r",
            of=lagrangian,
            by="v.r",
            function=lambda v, p: p.m * v.r,
            number="§4.1.1 (7)",
            text="∂L/∂ṙ = mṙ",
        ),
        Derivative(
            "momentum of φ",
            of=lagrangian,
            by="v.phi",
            function=lambda q, v, p: (p.I + p.m * q.r**2) * v.phi,
            number="§4.1.1 (8)",
            text="∂L/∂φ̇ = (I + mr²)φ̇",
        ),
        Derivative(
            "force on r",
            of=lagrangian,
            by="q.r",
            function=lambda q, v, p: p.m * q.r * v.phi**2 - p.m * p.g * g.sin(q.phi),
            number="§4.1.1 (9)",
            text="∂L/∂r = mrφ̇² − mg sin φ",
        ),
        Derivative(
            "force on φ",
            of=lagrangian,
            by="q.phi",
            function=lambda q, p: -p.m * p.g * q.r * g.cos(q.phi),
            number="§4.1.1 (10)",
            text="∂L/∂φ = −mgr cos φ",
        ),
        Equation(
            "Lagrange's equation for r",
            left=lambda q, v, a, p: p.m * a.r - p.m * q.r * v.phi**2 + p.m * p.g * g.sin(q.phi),
            number="§4.1.1 (11)",
            text="mr̈ − mrφ̇² + mg sin φ = 0",
        ),
        Equation(
            "Lagrange's equation for φ",
            left=lambda q, v, a, p: (
                (p.I + p.m * q.r**2) * a.phi + 2 * p.m * q.r * v.phi + p.m * p.g * q.r * g.cos(q.phi)
            ),
            correct=lambda q, v, a, p: (
                (p.I + p.m * q.r**2) * a.phi + 2 * p.m * q.r * v.r * v.phi + p.m * p.g * q.r * g.cos(q.phi)
            ),
            number="§4.1.1 (12)",
            text="(I + mr²)φ̈ + 2mrφ̇ + mgr cos φ = 0",
            remark="the velocity ṙ is missing in 2mrṙφ̇",
        ),
        Hamiltonian(
            "Hamiltonian",
            function=hamiltonian,
            number="§5.4.1 (1)",
            text="H = ½(p₁²/m + p₂²/(I + mr²)) + mgr sin φ",
        ),
        Equation(
            "canonical equations",
            left=lambda v: [v.r, v.phi, v.p_1, v.p_2],
            right=lambda q, p: [
                q.p_1 / p.m,
                q.p_2 / (p.I + p.m * q.r**2),
                p.m * q.r * q.p_2**2 / (p.I + p.m * q.r**2) ** 2 - p.m * p.g * g.sin(q.phi),
                -p.m * p.g * q.r * g.cos(q.phi),
            ],
            number="§5.4.1 (2)",
            text="ṙ = p₁/m, φ̇ = p₂/(I+mr²), ṗ₁ = mrp₂²/(I+mr²)² − mg sin φ, ṗ₂ = −mgr cos φ",
        ),
        Integral("the Hamiltonian is an invariant", function=hamiltonian, number="Thm 5.3.1", text="dH/dt = 0"),
    ],
    system=general,
    q=[0.8, 0.3, 0.36],
    quantities={
        "r": lambda q: q.x * g.cos(q.phi) + q.y * g.sin(q.phi),
        "p_1": lambda q, v, p: p.m * (v.x * g.cos(q.phi) + v.y * g.sin(q.phi)),
        "p_2": lambda q, v, p: (p.I + p.m * (q.x**2 + q.y**2)) * v.phi,
    },
)
