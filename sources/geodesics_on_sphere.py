"""Printed statements of TM §4.3–4.4: geodesics on the sphere."""

import gauss as g
from gauss.sources import Equation, Integral, Lagrangian, Printed

page = g.scenario.module("geodesics_on_sphere")
system, start = page.system, page.start


def kinetic_energy(q, v):
    """L of (4.8) with the metric of the sphere."""
    return (g.sin(q.theta) ** 2 * v.phi**2 + v.theta**2) / 2


equations = Printed(
    "TM §4.3–4.4",
    [
        Equation(
            "spherical coordinates",
            left=lambda q: [q.x, q.y, q.z],
            right=lambda q: [g.sin(q.theta) * g.cos(q.phi), g.sin(q.theta) * g.sin(q.phi), g.cos(q.theta)],
            number="§4.4 (1)",
            text="x = sin θ cos φ, y = sin θ sin φ, z = cos θ",
        ),
        Equation(
            "Riemannian metric",
            left=lambda v: v.x**2 + v.y**2 + v.z**2,
            right=lambda q, v: g.sin(q.theta) ** 2 * v.phi**2 + v.theta**2,
            number="§4.4 (2)",
            text="Q = [sin²θ, 0; 0, 1]",
        ),
        Lagrangian("kinetic energy alone", function=kinetic_energy, number="(4.8)", text="L = ½q̇ᵀQq̇"),
        Integral("L is constant", function=kinetic_energy, number="§4.3 (1)", text="dL/dt = 0"),
        Equation(
            "geodesics",
            left=lambda q, v, a: [
                g.sin(q.theta) ** 2 * a.phi + 2 * g.sin(q.theta) * g.cos(q.theta) * v.phi * v.theta,
                a.theta - g.sin(q.theta) * g.cos(q.theta) * v.phi**2,
            ],
            number="(4.9)",
            text="Qq̈ + Cq̇ = 0, with Q of §4.4",
        ),
        Equation(
            "integrand of the action",
            left=lambda q, v: g.sin(q.theta) ** 2 * v.phi**2 + v.theta**2,
            right=kinetic_energy,
            correct=(lambda q, v: g.sin(q.theta) ** 2 * v.phi**2 + v.theta**2, lambda q, v: 2 * kinetic_energy(q, v)),
            number="(4.10)",
            text="2I = ∫q̇ᵀQq̇ dt = ∫L dt",
            remark="with L = ½q̇ᵀQq̇ of (4.8), ∫q̇ᵀQq̇ dt is ∫2L dt; the extremals are the same",
        ),
        Equation(
            "integrand of the length",
            left=lambda q, v: g.sqrt(g.sin(q.theta) ** 2 * v.phi**2 + v.theta**2),
            right=lambda q, v: g.sqrt(kinetic_energy(q, v)),
            correct=(
                lambda q, v: g.sqrt(g.sin(q.theta) ** 2 * v.phi**2 + v.theta**2),
                lambda q, v: g.sqrt(2 * kinetic_energy(q, v)),
            ),
            number="(4.11)",
            text="J = ∫√(q̇ᵀQq̇) dt = ∫√L dt",
            remark="with L = ½q̇ᵀQq̇ of (4.8), √(q̇ᵀQq̇) is √(2L); the extremals are the same",
        ),
    ],
    t_end=2.0,
    quantities={"theta": lambda q: g.atan2(g.sqrt(q.x**2 + q.y**2), q.z), "phi": lambda q: g.atan2(q.y, q.x)},
)
