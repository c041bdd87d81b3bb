"""Statements worked out for TM Ex. 4.4: the two-link manipulator, free and with driven joints."""

import numpy as np

import gauss as g
from gauss.sources import Equation, Lagrangian, Printed

page = g.scenario.module("two_link_manipulator")
system, start = page.system, page.start
DRIVEN = ((0.9, 0.5, 2.0, 0.0), (1.2, 0.6, 3.0, 0.4))  # driven angles: mean, amplitude, rate, phase


def first_angle(q):
    return g.atan2(q.ey, q.ex)


def second_angle(q):
    x, y = q.x - q.ex, q.y - q.ey
    return g.atan2(q.ex * y - q.ey * x, q.ex * x + q.ey * y)


def driven_angle(k, t):
    """The driven angle of joint k as a function of t, rad."""
    mean, size, rate, phase = DRIVEN[k]
    return mean + size * g.sin(rate * t + phase)


driven = page.model(
    "two-link manipulator with driven joints",
    (
        *page.arms,
        g.Holonomic("joint 1", lambda q, t: first_angle(q) - driven_angle(0, t)),
        g.Holonomic("joint 2", lambda q, t: second_angle(q) - driven_angle(1, t)),
    ),
)


_FIRST = [driven_angle(k, 0.0) for k in (0, 1)]


ready = {  # where the driven motion starts
    "q": page.chart(_FIRST, 0.0),
    "v": page.velocities(_FIRST, [size * rate * np.cos(phase) for _, size, rate, phase in DRIVEN]),
}


def _first_torque(q, v, a, p):
    cross = p.a * p.b * g.cos(q.q2)
    inertia = (p.a**2 + p.b**2 + 2 * cross) * a.q1 + (p.b**2 + cross) * a.q2
    spun = p.a * p.b * g.sin(q.q2) * (2 * v.q1 * v.q2 + v.q2**2)
    return p.m * (inertia - spun + p.g * (p.a * g.cos(q.q1) + p.b * g.cos(q.q1 + q.q2)))


def _second_torque(q, v, a, p):
    cross = p.a * p.b * g.cos(q.q2)
    inertia = (p.b**2 + cross) * a.q1 + p.b**2 * a.q2
    spun = p.a * p.b * g.sin(q.q2) * v.q1**2
    return p.m * (inertia + spun + p.g * p.b * g.cos(q.q1 + q.q2))


JOINTS = {"q1": first_angle, "q2": second_angle}
equations = [
    Printed(
        "TM Ex. 4.4, worked out",
        [
            Lagrangian(
                "Lagrangian",
                function=lambda q, v, p: (
                    p.m
                    * (
                        p.a**2 * v.q1**2
                        + p.b**2 * (v.q1 + v.q2) ** 2
                        + 2 * p.a * p.b * v.q1 * (v.q1 + v.q2) * g.cos(q.q2)
                    )
                    / 2
                    - p.m * p.g * (p.a * g.sin(q.q1) + p.b * g.sin(q.q1 + q.q2))
                ),
                number="Ex. 4.4 (1)",
                text="L = ½m(a²q̇₁² + b²(q̇₁ + q̇₂)² + 2abq̇₁(q̇₁ + q̇₂) cos q₂) − mg(a sin q₁ + b sin(q₁ + q₂))",
            ),
            Equation(
                "Lagrange's equation for q₁",
                left=_first_torque,
                number="Ex. 4.4 (2)",
                text="m((a² + b² + 2ab cos q₂)q̈₁ + (b² + ab cos q₂)q̈₂ − ab(2q̇₁q̇₂ + q̇₂²) sin q₂"
                " + g(a cos q₁ + b cos(q₁ + q₂))) = 0",
            ),
            Equation(
                "Lagrange's equation for q₂",
                left=_second_torque,
                number="Ex. 4.4 (3)",
                text="m((b² + ab cos q₂)q̈₁ + b²q̈₂ + abq̇₁² sin q₂ + gb cos(q₁ + q₂)) = 0",
            ),
        ],
        quantities=JOINTS,
        spread=0.2,
    ),
    Printed(
        "TM Ex. 4.4, worked out",
        [
            Equation(
                "torque of motor 1",
                left=_first_torque,
                right=lambda l: l["joint 1"],
                number="Ex. 4.4 (4)",
                text="the left side of (2) = τ₁",
            ),
            Equation(
                "torque of motor 2",
                left=_second_torque,
                right=lambda l: l["joint 2"],
                number="Ex. 4.4 (5)",
                text="the left side of (3) = τ₂",
            ),
        ],
        system=driven,
        **ready,
        t_end=2.0,
        quantities=JOINTS,
    ),
]
