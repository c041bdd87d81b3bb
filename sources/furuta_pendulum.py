"""Printed statements of TM §4.1.2, §5.4.2 and §5.7: the Furuta pendulum by Lagrange and by Hamilton."""

import gauss as g
from gauss.sources import Derivative, Equation, Hamiltonian, Integral, Lagrangian, Printed

page = g.scenario.module("furuta_pendulum")
system, start = page.system, page.start


def _radius(q, p):
    return p.a + p.b * g.sin(q.phi)


def lagrangian(q, v, p):
    kinetic = p.m * _radius(q, p) ** 2 * v.theta**2 / 2 + p.m * p.b**2 * v.phi**2 / 2
    return kinetic + p.m * p.g * p.b * g.cos(q.phi)


def hamiltonian(q, p):
    kinetic = (q.p_1**2 / (p.m * _radius(q, p) ** 2) + q.p_2**2 / (p.m * p.b**2)) / 2
    return kinetic - p.m * p.g * p.b * g.cos(q.phi)


general = g.System(
    "Furuta pendulum of any size",
    coordinates="x y z",
    kinetic_energy=lambda v, p: 0.5 * p.m * (v.x**2 + v.y**2 + v.z**2),
    potential_energy=lambda q, p: p.m * p.g * q.z,
    constraints=[g.Holonomic("torus", lambda q, p: (g.hypot(q.x, q.y) - p.a) ** 2 + (q.z - p.l) ** 2 - p.b**2)],
    parameters={"m": 0.7, "a": 1.9, "b": 0.6, "l": 1.2, "g": 3.3},
)
equations = Printed(
    "TM §4.1.2, §5.4.2, §5.7",
    [
        Equation(
            "position of the mass",
            left=lambda q: [q.x, q.y, q.z],
            right=lambda q, p: [
                _radius(q, p) * g.cos(q.theta),
                _radius(q, p) * g.sin(q.theta),
                p.l - p.b * g.cos(q.phi),
            ],
            number="§4.1.2 (1)",
            text="x = (a + b sin φ) cos θ, y = (a + b sin φ) sin θ, z = l − b cos φ",
        ),
        Equation(
            "velocity of the mass",
            left=lambda v: [v.x, v.y, v.z],
            right=lambda q, v, p: [
                -_radius(q, p) * v.theta * g.sin(q.theta) + p.b * g.cos(q.phi) * v.phi * g.cos(q.theta),
                _radius(q, p) * v.theta * g.cos(q.theta) + p.b * g.cos(q.phi) * v.phi * g.sin(q.theta),
                p.b * v.phi * g.sin(q.phi),
            ],
            number="§4.1.2 (2)",
            text="ẋ = −(a + b sin φ)θ̇ sin θ + b cos φ φ̇ cos θ, ẏ = (a + b sin φ)θ̇ cos θ + b cos φ φ̇ sin θ, "
            "ż = bφ̇ sin φ",
        ),
        Equation(
            "square of the speed",
            left=lambda v: v.x**2 + v.y**2 + v.z**2,
            right=lambda q, v, p: _radius(q, p) ** 2 * v.theta**2 + p.b**2 * v.phi**2,
            number="§4.1.2 (3)",
            text="v² = (a + b sin φ)²θ̇² + b²φ̇²",
        ),
        Equation(
            "potential energy",
            left=lambda q, p: p.m * p.g * q.z,
            right=lambda q, p: p.m * p.g * (p.l - p.b * g.cos(q.phi)),
            number="§4.1.2 (4)",
            text="V = mgz = mg(l − b cos φ)",
        ),
        Lagrangian(
            "Lagrangian",
            function=lagrangian,
            number="§4.1.2 (5)",
            text="L = ½m(a + b sin φ)²θ̇² + ½mb²φ̇² + mgb cos φ",
        ),
        Derivative(
            "momentum of θ",
            of=lagrangian,
            by="v.theta",
            function=lambda q, v, p: p.m * _radius(q, p) ** 2 * v.theta,
            number="§4.1.2 (6)",
            text="∂L/∂θ̇ = m(a + b sin φ)²θ̇",
        ),
        Derivative(
            "momentum of φ",
            of=lagrangian,
            by="v.phi",
            function=lambda v, p: p.m * p.b**2 * v.phi,
            number="§4.1.2 (7)",
            text="∂L/∂φ̇ = mb²φ̇",
        ),
        Derivative(
            "force on θ", of=lagrangian, by="q.theta", function=lambda: 0.0, number="§4.1.2 (8)", text="∂L/∂θ = 0"
        ),
        Derivative(
            "force on φ",
            of=lagrangian,
            by="q.phi",
            function=lambda q, v, p: (
                p.m * _radius(q, p) * p.b * v.theta**2 * g.cos(q.phi) - p.m * p.g * p.b * g.sin(q.phi)
            ),
            number="§4.1.2 (9)",
            text="∂L/∂φ = m(a + b sin φ)bθ̇² cos φ − mgb sin φ",
        ),
        Integral(
            "Lagrange's equation for θ",
            function=lambda q, v, p: p.m * _radius(q, p) ** 2 * v.theta,
            number="§4.1.2 (10)",
            text="m(a + b sin φ)²θ̇ = const",
        ),
        Equation(
            "Lagrange's equation for φ",
            left=lambda q, v, a, p: (
                p.m * p.b**2 * a.phi
                - p.m * _radius(q, p) * p.b * v.theta**2 * g.cos(q.phi)
                + p.m * p.g * p.b * g.sin(q.phi)
            ),
            number="§4.1.2 (11)",
            text="mb²φ̈ − m(a + b sin φ)bθ̇² cos φ + mgb sin φ = 0",
        ),
        Hamiltonian(
            "Hamiltonian",
            function=hamiltonian,
            number="§5.4.2 (1)",
            text="H = ½(p₁²/(m(a + b sin φ)²) + p₂²/(mb²)) − mgb cos φ",
        ),
        Equation(
            "canonical equations",
            left=lambda v: [v.theta, v.phi, v.p_1, v.p_2],
            right=lambda q, p: [
                q.p_1 / (p.m * _radius(q, p) ** 2),
                q.p_2 / (p.m * p.b**2),
                0.0,
                p.b * q.p_1**2 * g.cos(q.phi) / (p.m * _radius(q, p) ** 3) - p.m * p.g * p.b * g.sin(q.phi),
            ],
            number="§5.4.2 (2)",
            text="θ̇ = p₁/(m(a+b sin φ)²), φ̇ = p₂/(mb²), ṗ₁ = 0, ṗ₂ = bp₁² cos φ/(m(a+b sin φ)³) − mgb sin φ",
        ),
        Integral("the Hamiltonian is an invariant", function=hamiltonian, number="§5.7 (1)", text="H = const"),
        Integral("p₁ is an invariant", function=lambda q: q.p_1, number="§5.7 (2)", text="p₁ = const"),
        Derivative(
            "involution: {H, p₁} = ∂H/∂θ",
            of=hamiltonian,
            by="q.theta",
            function=lambda: 0.0,
            number="§5.7 (3)",
            text="{H, p₁} = 0",
        ),
        Equation(
            "momentum of φ",
            left=lambda q: q.p_2,
            right=lambda v, p: p.m * p.b**2 * v.phi,
            number="§5.7 (4)",
            text="p₂ = mb²φ̇",
        ),
    ],
    system=general,
    q=[1.7, 0.2, 0.8],
    v=[0.0, 1.0, 0.0],
    quantities={
        "theta": lambda q: g.atan2(q.y, q.x),
        "phi": lambda q, p: g.atan2(g.sqrt(q.x**2 + q.y**2) - p.a, p.l - q.z),
        "p_1": lambda q, v, p: p.m * (q.x * v.y - q.y * v.x),
        "p_2": lambda q, v, p: (
            p.m
            * ((p.l - q.z) * (q.x * v.x + q.y * v.y) / g.sqrt(q.x**2 + q.y**2) + (g.sqrt(q.x**2 + q.y**2) - p.a) * v.z)
        ),
    },
    spread=0.3,
)
