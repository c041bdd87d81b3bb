"""Printed statements of TM §8.1.1: the spherical pendulum."""

import gauss as g
from gauss.sources import ConstraintMatrix, Derivative, Equation, Integral, Lagrangian, Printed

page = g.scenario.module("spherical_pendulum")
system, start = page.system, page.start


def lagrangian(q, v, p):
    kinetic = (p.m * p.r**2 * v.theta**2 + p.m * p.r**2 * g.sin(q.theta) ** 2 * v.phi**2) / 2
    return kinetic - p.m * p.g * p.r * g.cos(q.theta)


def by_theta(q, v, p):
    return p.m * p.r**2 * g.sin(q.theta) * g.cos(q.theta) * v.phi**2 + p.m * p.g * p.r * g.sin(q.theta)


equations = Printed(
    "TM §8.1.1",
    [
        Lagrangian(
            "Lagrangian in space",
            function=lambda q, v, p: p.m * (v.x**2 + v.y**2 + v.z**2) / 2 - p.m * p.g * q.z,
            number="§8.1.1 (1)",
            text="L = ½m(ẋ² + ẏ² + ż²) − mgz",
        ),
        ConstraintMatrix(
            "gradient of the constraint",
            matrix=lambda q: [[2 * q.x, 2 * q.y, 2 * q.z]],
            number="§8.1.1 (2)",
            text="DF(q) = 2(x, y, z)",
        ),
        Equation(
            "spherical coordinates",
            left=lambda q: [q.x, q.y, q.z],
            right=lambda q, p: [
                p.r * g.sin(q.theta) * g.cos(q.phi),
                p.r * g.sin(q.theta) * g.sin(q.phi),
                p.r * g.cos(q.theta),
            ],
            number="§8.1.1 (3)",
            text="x = r sin θ cos φ, y = r sin θ sin φ, z = r cos θ",
        ),
        Equation(
            "velocities",
            left=lambda v: [v.x, v.y, v.z],
            right=lambda q, v, p: [
                p.r * v.theta * g.cos(q.theta) * g.cos(q.phi) - p.r * v.phi * g.sin(q.theta) * g.sin(q.phi),
                p.r * v.theta * g.cos(q.theta) * g.sin(q.phi) + p.r * v.phi * g.sin(q.theta) * g.cos(q.phi),
                -p.r * v.theta * g.sin(q.theta),
            ],
            number="§8.1.1 (4)",
            text="ẋ = rθ̇ cos θ cos φ − rφ̇ sin θ sin φ, ẏ = rθ̇ cos θ sin φ + rφ̇ sin θ cos φ, ż = −rθ̇ sin θ",
        ),
        Lagrangian(
            "Lagrangian in the angles",
            function=lagrangian,
            number="§8.1.1 (5)",
            text="L̃ = ½(mr²θ̇² + mr² sin²θ φ̇²) − mgr cos θ",
        ),
        Derivative(
            "momentum of θ",
            of=lagrangian,
            by="v.theta",
            function=lambda v, p: p.m * p.r**2 * v.theta,
            number="§8.1.1 (6)",
            text="∂L̃/∂θ̇ = mr²θ̇",
        ),
        Derivative(
            "force on θ",
            of=lagrangian,
            by="v.phi",
            function=by_theta,
            correct="q.theta",
            number="§8.1.1 (7)",
            text="∂L̃/∂φ̇ = mr² sin θ cos θ φ̇² + mgr sin θ",
            remark="the derivative by θ is meant: ∂L̃/∂θ",
        ),
        Derivative(
            "momentum of φ",
            of=lagrangian,
            by="v.phi",
            function=lambda q, v, p: p.m * p.r**2 * g.sin(q.theta) ** 2 * v.phi,
            number="§8.1.1 (8)",
            text="∂L̃/∂φ̇ = mr² sin²θ φ̇",
        ),
        Derivative(
            "force on φ", of=lagrangian, by="q.phi", function=lambda: 0.0, number="§8.1.1 (9)", text="∂L̃/∂φ = 0"
        ),
        Equation(
            "Lagrange's equation for θ",
            left=lambda q, v, a, p: (
                p.m * p.r**2 * a.theta
                - p.m * p.r**2 * g.sin(q.theta) * g.cos(q.theta) * v.phi**2
                - p.m * p.g * p.r * g.sin(q.theta)
            ),
            number="§8.1.1 (10)",
            text="mr²θ̈ − mr² sin θ cos θ φ̇² − mgr sin θ = 0",
        ),
        Integral(
            "Lagrange's equation for φ",
            function=lambda q, v, p: p.m * p.r**2 * g.sin(q.theta) ** 2 * v.phi,
            number="§8.1.1 (11)",
            text="mr² sin²θ φ̇ = const",
        ),
    ],
    t_end=1.0,
    quantities={
        "theta": lambda q: g.atan2(g.sqrt(q.x**2 + q.y**2), q.z),
        "phi": lambda q: g.atan2(q.y, q.x),
    },
)
