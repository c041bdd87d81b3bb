# ruff: noqa: D103
"""Printed equations of TM §8.2.3 (kinematic car), §8.4.3 (Lie brackets) and §9.1.4 (tilted wheel)."""

import gauss as g
from gauss.analysis.equations import (
    ConstraintMatrix,
    ControlFields,
    Derivative,
    Equation,
    Lagrangian,
    Printed,
)

car = g.System(
    "kinematic car with unit inertia",
    coordinates="x y phi theta",
    kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.phi**2 + v.theta**2),
    constraints=[
        g.Pfaffian("rear", lambda q: [g.sin(q.phi), -g.cos(q.phi), 0.0, 0.0]),
        g.Nonholonomic(
            "front",
            lambda q, v, p: (
                (v.x - p.l * v.phi * g.sin(q.phi)) * g.sin(q.phi + q.theta)
                - (v.y + p.l * v.phi * g.cos(q.phi)) * g.cos(q.phi + q.theta)
            ),
        ),
    ],
    parameters={"l": 1.4},
)
car_claims = Printed(
    "TM §8.2.3",
    [
        Equation(
            "centre of the front axle",
            left=lambda v: [v.xi, v.eta],
            right=lambda q, v, p: [v.x - p.l * v.phi * g.sin(q.phi), v.y + p.l * v.phi * g.cos(q.phi)],
            number="§8.2.3 (1)",
            text="ξ̇ = ẋ − lφ̇ sin φ, η̇ = ẏ + lφ̇ cos φ",
        ),
        Equation(
            "no slip of the front wheels",
            left=lambda q, v: v.xi * g.sin(q.phi + q.theta) - v.eta * g.cos(q.phi + q.theta),
            number="§8.2.3 (2)",
            text="ξ̇ sin(φ + θ) − η̇ cos(φ + θ) = 0",
        ),
        Equation(
            "the same in the coordinates",
            left=lambda q, v, p: (
                v.x * g.sin(q.phi + q.theta) - v.y * g.cos(q.phi + q.theta) - p.l * v.phi * g.cos(q.theta)
            ),
            number="§8.2.3 (3)",
            text="ẋ sin(φ + θ) − ẏ cos(φ + θ) − lφ̇ cos θ = 0",
        ),
        ConstraintMatrix(
            "Pfaffian matrix",
            matrix=lambda q, p: [
                [g.sin(q.phi), -g.cos(q.phi), 0.0, 0.0],
                [g.sin(q.phi + q.theta), -g.cos(q.phi + q.theta), -p.l * g.cos(q.theta), 0.0],
            ],
            number="§8.2.3 (4)",
            text="A = [sin φ, −cos φ, 0, 0; sin(φ+θ), −cos(φ+θ), −l cos θ, 0]",
        ),
        ControlFields(
            "control fields, front drive",
            matrix=lambda q, p: [
                [p.l * g.cos(q.phi) * g.cos(q.theta), 0.0],
                [p.l * g.sin(q.phi) * g.cos(q.theta), 0.0],
                [g.sin(q.theta), 0.0],
                [0.0, 1.0],
            ],
            number="§8.2.3 (5)",
            text="g₁ = (l cos φ cos θ, l sin φ cos θ, sin θ, 0), g₂ = (0, 0, 0, 1)",
        ),
        ControlFields(
            "control fields, rear drive",
            matrix=lambda q, p: [
                [g.cos(q.phi), 0.0],
                [g.sin(q.phi), 0.0],
                [g.sin(q.theta) / (p.l * g.cos(q.theta)), 0.0],
                [0.0, 1.0],
            ],
            number="§8.2.3, footnote",
            text="g₁ = (cos φ, sin φ, sin θ/(l cos θ), 0)",
        ),
    ],
    system=car,
    q=[0.3, -0.2, 0.5, 0.3],
    quantities={"xi": lambda q, p: q.x + p.l * g.cos(q.phi), "eta": lambda q, p: q.y + p.l * g.sin(q.phi)},
    spread=0.4,
)


def first_field(q, p):
    return [p.r * g.cos(q.phi), p.r * g.sin(q.phi), 0.0 * q.phi, 1.0 + 0.0 * q.phi]


brackets = Printed(
    "TM §8.4.3",
    [
        Derivative(
            "[g₁, g₂] = −∂g₁/∂φ",
            of=lambda q, p: [-x for x in first_field(q, p)],
            by="q.phi",
            function=lambda q, p: [p.r * g.sin(q.phi), -p.r * g.cos(q.phi), 0.0, 0.0],
            number="§8.4.3 (1)",
            text="[g₁, g₂] = −∂g₁/∂φ = r(sin φ, −cos φ, 0, 0)",
        ),
        Derivative(
            "[g₂, g₁₂] = ∂g₁₂/∂φ",
            of=lambda q, p: [p.r * g.sin(q.phi), -p.r * g.cos(q.phi), 0.0, 0.0],
            by="q.phi",
            function=lambda q, p: [p.r * g.cos(q.phi), p.r * g.sin(q.phi), 0.0, 0.0],
            number="§8.4.3 (2)",
            text="g₂₁₂ = ∂g₁₂/∂φ = (r cos φ, r sin φ, 0, 0)",
        ),
    ],
    ranges={"phi": (-3.0, 3.0)},
    parameters={"r": 0.7},
)


def wheel_energy(q, v, p):
    """T from the velocity of the centre and the angular velocity of the wheel."""
    sin_a, cos_a, sin_b, cos_b = g.sin(q.alpha), g.cos(q.alpha), g.sin(q.beta), g.cos(q.beta)
    centre = [
        v.x + p.r * (cos_a * sin_b * v.alpha + sin_a * cos_b * v.beta),
        v.y + p.r * (sin_a * sin_b * v.alpha - cos_a * cos_b * v.beta),
        -p.r * sin_b * v.beta,
    ]
    turning = p.I1 * (v.alpha**2 * cos_b**2 + v.beta**2) + p.I3 * (v.alpha * sin_b + v.gamma) ** 2
    return p.m * (centre[0] ** 2 + centre[1] ** 2 + centre[2] ** 2) / 2 + turning / 2


def wheel_matrix(q, p):
    return [
        [g.sin(q.alpha), -g.cos(q.alpha), 0.0, 0.0, 0.0],
        [g.cos(q.alpha), g.sin(q.alpha), 0.0, 0.0, -p.r],
    ]


wheel = g.System(
    "tilted wheel",
    coordinates="x y alpha beta gamma",
    kinetic_energy=wheel_energy,
    potential_energy=lambda q, p: p.m * p.g * p.r * g.cos(q.beta),
    constraints=[g.Pfaffian("rolling", wheel_matrix)],
    parameters={"m": 1.3, "r": 0.7, "g": 3.3, "I1": 0.4, "I3": 0.9},
)


def third(q, v, a, p, angles, moment):
    return (
        p.m * p.r * (a.x * g.cos(q.alpha) + a.y * g.sin(q.alpha)) * g.sin(q.beta)
        + (p.I1 * g.cos(q.beta) ** 2 + (p.I3 + p.m * p.r**2) * g.sin(q.beta) ** 2) * a.alpha
        + p.I3 * a.gamma * g.sin(q.beta)
        + 2 * (p.I3 - p.I1 + p.m * p.r**2) * v.alpha * v.beta * angles
        + moment * v.beta * v.gamma * g.cos(q.beta)
    )


def second_without(q, v, a, p, last, sign):
    return (
        p.m * p.r * a.x * g.cos(q.alpha) * g.sin(q.beta)
        + p.m * p.r * a.y * g.sin(q.alpha) * last
        + (p.m * p.r**2 * g.sin(q.beta) ** 2 + p.I1 * g.cos(q.beta) ** 2 + p.I3 * g.sin(q.beta) ** 2) * a.alpha
        + p.I3 * a.gamma * g.sin(q.beta)
        + 2 * (p.m * p.r**2 + p.I3 - p.I1) * v.alpha * v.beta * g.sin(q.beta) * g.cos(q.beta)
        + sign * p.I3 * v.beta * v.gamma * g.cos(q.beta)
    )


def third_without(q, v, a, p, sign):
    return (
        p.m * p.r * (a.x * g.sin(q.alpha) - a.y * g.cos(q.alpha)) * g.cos(q.beta)
        + (p.I1 + p.m * p.r**2) * a.beta
        - (p.m * p.r**2 + p.I3 - p.I1) * v.alpha**2 * g.sin(q.beta) * g.cos(q.beta)
        - p.I3 * v.alpha * v.gamma * g.cos(q.beta)
        + sign * p.m * p.g * p.r * g.sin(q.beta)
    )


def reduced_second(q, v, p, sign):
    mass = p.m * p.r**2
    return (
        (mass + p.I3) * v.eta_1 * g.sin(q.beta)
        + ((mass + p.I3) * g.sin(q.beta) ** 2 + p.I1 * g.cos(q.beta) ** 2) * v.eta_2
        + 2 * (mass + p.I3 - p.I1) * q.eta_2 * q.eta_3 * g.sin(q.beta) * g.cos(q.beta)
        + sign * p.I3 * q.eta_1 * q.eta_3 * g.cos(q.beta)
    )


def reduced_third(q, v, p, sign):
    mass = p.m * p.r**2
    return (
        (mass + p.I1) * v.eta_3
        - mass * q.eta_1 * q.eta_2 * g.cos(q.beta)
        - (mass + p.I3 - p.I1) * q.eta_2**2 * g.sin(q.beta) * g.cos(q.beta)
        - p.I3 * q.eta_1 * q.eta_2 * g.cos(q.beta)
        + sign * mass / p.r * p.g * g.sin(q.beta)
    )


wheel_claims = Printed(
    "TM §9.1.4",
    [
        ConstraintMatrix(
            "Pfaffian matrix",
            matrix=wheel_matrix,
            number="§9.1.4 (1)",
            text="A = [sin α, −cos α, 0, 0, 0; cos α, sin α, 0, 0, −r]",
        ),
        ControlFields(
            "control fields",
            matrix=lambda q, p: [
                [p.r * g.cos(q.alpha), 0.0, 0.0],
                [p.r * g.sin(q.alpha), 0.0, 0.0],
                [0.0, 1.0, 0.0],
                [0.0, 0.0, 1.0],
                [1.0, 0.0, 0.0],
            ],
            number="§9.1.4 (2)",
            text="G = [r cos α, 0, 0; r sin α, 0, 0; 0, 1, 0; 0, 0, 1; 1, 0, 0]",
        ),
        Equation(
            "velocity of the centre",
            left=lambda v: [v.T1, v.T2, v.T3],
            right=lambda q, v, p: [
                v.x + p.r * v.alpha * g.cos(q.alpha) * g.sin(q.beta) + p.r * v.beta * g.sin(q.alpha) * g.cos(q.beta),
                v.y + p.r * v.alpha * g.sin(q.alpha) * g.sin(q.beta) - p.r * v.beta * g.cos(q.alpha) * g.cos(q.beta),
                -p.r * v.beta * g.sin(q.beta),
            ],
            number="§9.1.4 (3)",
            text="Ṫ₁ = ẋ + rα̇ cos α sin β + rβ̇ sin α cos β, Ṫ₂ = ẏ + rα̇ sin α sin β − rβ̇ cos α cos β, Ṫ₃ = −rβ̇ sin β",
        ),
        Lagrangian(
            "Lagrangian",
            function=lambda q, v, p: (
                p.I1 * (v.alpha**2 * g.cos(q.beta) ** 2 + v.beta**2) / 2
                + p.I3 * (v.alpha * g.sin(q.beta) + v.gamma) ** 2 / 2
                + p.m * (v.x + p.r * v.alpha * g.cos(q.alpha) * g.sin(q.beta)) ** 2 / 2
                + p.m * (v.y + p.r * v.alpha * g.sin(q.alpha) * g.sin(q.beta)) ** 2 / 2
                + p.m * p.r**2 * v.beta**2 / 2
                + p.m * p.r * v.beta * (v.x * g.sin(q.alpha) - v.y * g.cos(q.alpha)) * g.cos(q.beta)
                - p.m * p.g * p.r * g.cos(q.beta)
            ),
            number="§9.1.4 (4)",
            text="L = ½I₁(α̇² cos²β + β̇²) + ½I₃(α̇ sin β + γ̇)² + ½m(ẋ + rα̇ cos α sin β)² + ½m(ẏ + rα̇ sin α sin β)² "
            "+ ½mr²β̇² + mrβ̇(ẋ sin α − ẏ cos α) cos β − mgr cos β",
        ),
        Equation(
            "Lagrange's equation for α",
            left=lambda q, v, a, p: third(q, v, a, p, g.sin(q.alpha) * g.cos(q.alpha), p.I1),
            correct=lambda q, v, a, p: third(q, v, a, p, g.sin(q.beta) * g.cos(q.beta), p.I3),
            number="§9.1.4 (5c)",
            text="mr(ẍ cos α + ÿ sin α) sin β + (I₁ cos²β + (I₃ + mr²) sin²β)α̈ + I₃γ̈ sin β "
            "+ 2(I₃ − I₁ + mr²)α̇β̇ sin α cos α + I₂β̇γ̇ cos β = 0",
            remark="sin β cos β is meant in place of sin α cos α, and I₃ in place of I₂ (= I₁)",
        ),
        Equation(
            "Lagrange's equation for β",
            left=lambda q, v, a, p: third_without(q, v, a, p, -1),
            number="§9.1.4 (5d)",
            text="mr(ẍ sin α − ÿ cos α) cos β + (I₁ + mr²)β̈ − (I₃ − I₁ + mr²)α̇² sin β cos β "
            "− I₃α̇γ̇ cos β − mgr sin β = 0",
        ),
        Equation(
            "Lagrange's equation for γ",
            left=lambda q, v, a, p: (
                p.I3 * (a.alpha * g.sin(q.beta) + a.gamma) + p.I3 * v.alpha * v.beta * g.cos(q.beta)
            ),
            right=lambda l, p: -l[1] * p.r,
            number="§9.1.4 (5e)",
            text="I₃(α̈ sin β + γ̈) + I₃α̇β̇ cos β = −λ₂r",
        ),
        Equation(
            "first equation without multipliers",
            left=lambda q, v, a, p: (
                p.m * p.r * a.x * g.cos(q.alpha)
                + p.m * p.r * a.y * g.sin(q.alpha)
                + (p.I3 + p.m * p.r**2) * a.alpha * g.sin(q.beta)
                + p.I3 * a.gamma
                + (p.I3 + 2 * p.m * p.r**2) * v.alpha * v.beta * g.cos(q.beta)
            ),
            number="§9.1.4 (6a)",
            text="mrẍ cos α + mrÿ sin α + (I₃ + mr²)α̈ sin β + I₃γ̈ + (I₃ + 2mr²)α̇β̇ cos β = 0",
        ),
        Equation(
            "second equation without multipliers",
            left=lambda q, v, a, p: second_without(q, v, a, p, g.cos(q.beta), -1),
            correct=lambda q, v, a, p: second_without(q, v, a, p, g.sin(q.beta), 1),
            number="§9.1.4 (6b)",
            text="mrẍ cos α sin β + mrÿ sin α cos β + (mr² sin²β + I₁ cos²β + I₃ sin²β)α̈ + I₃γ̈ sin β "
            "+ 2(mr² + I₃ − I₁)α̇β̇ sin β cos β − I₃β̇γ̇ cos β = 0",
            remark="mrÿ sin α sin β is meant, and +I₃β̇γ̇ cos β",
        ),
        Equation(
            "third equation without multipliers",
            left=lambda q, v, a, p: third_without(q, v, a, p, 1),
            correct=lambda q, v, a, p: third_without(q, v, a, p, -1),
            number="§9.1.4 (6c)",
            text="mr(ẍ sin α − ÿ cos α) cos β + (I₁ + mr²)β̈ − (mr² + I₃ − I₁)α̇² sin β cos β "
            "− I₃α̇γ̇ cos β + mgr sin β = 0",
            remark="−mgr sin β, as in the equation for β before",
        ),
        Equation(
            "accelerations",
            left=lambda a: [a.x, a.y],
            right=lambda q, v, p: [
                v.eta_1 * p.r * g.cos(q.alpha) - q.eta_1 * p.r * v.alpha * g.sin(q.alpha),
                v.eta_1 * p.r * g.sin(q.alpha) + q.eta_1 * p.r * v.alpha * g.cos(q.alpha),
            ],
            number="§9.1.4 (7)",
            text="ẍ = η̇₁r cos α − η₁rα̇ sin α, ÿ = η̇₁r sin α + η₁rα̇ cos α",
        ),
        Equation(
            "first equation of motion",
            left=lambda q, v, p: (
                (p.m * p.r**2 + p.I3) * v.eta_1
                + (p.m * p.r**2 + p.I3) * v.eta_2 * g.sin(q.beta)
                + (p.I3 + 2 * p.m * p.r**2) * q.eta_2 * q.eta_3 * g.cos(q.beta)
            ),
            number="§9.1.4 (8a)",
            text="(mr² + I₃)η̇₁ + (mr² + I₃)η̇₂ sin β + (I₃ + 2mr²)η₂η₃ cos β = 0",
        ),
        Equation(
            "second equation of motion",
            left=lambda q, v, p: reduced_second(q, v, p, -1),
            correct=lambda q, v, p: reduced_second(q, v, p, 1),
            number="§9.1.4 (8b)",
            text="(mr² + I₃)η̇₁ sin β + ((mr² + I₃) sin²β + I₁ cos²β)η̇₂ + 2(mr² + I₃ − I₁)η₂η₃ sin β cos β "
            "− I₃η₁η₃ cos β = 0",
            remark="+I₃η₁η₃ cos β",
        ),
        Equation(
            "third equation of motion",
            left=lambda q, v, p: reduced_third(q, v, p, 1),
            correct=lambda q, v, p: reduced_third(q, v, p, -1),
            number="§9.1.4 (8c)",
            text="(mr² + I₁)η̇₃ − mr²η₁η₂ cos β − (mr² + I₃ − I₁)η₂² sin β cos β − I₃η₁η₂ cos β + mgr sin β = 0",
            remark="−mgr sin β: an upright wheel at rest falls over",
        ),
    ],
    system=wheel,
    q=[0.0, 0.0, 0.4, 0.5, 0.3],
    v=[0.0, 0.0, 0.8, 0.3, 1.0],
    quantities={
        "eta_1": lambda v: v.gamma,
        "eta_2": lambda v: v.alpha,
        "eta_3": lambda v: v.beta,
        "T1": lambda q, p: q.x + p.r * g.sin(q.alpha) * g.sin(q.beta),
        "T2": lambda q, p: q.y - p.r * g.cos(q.alpha) * g.sin(q.beta),
        "T3": lambda q, p: p.r * g.cos(q.beta),
    },
)
system = wheel
start = g.Start(q=[0.0, 0.0, 0.4, 0.5, 0.3])
equations = [car_claims, brackets, wheel_claims]
