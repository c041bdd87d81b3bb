"""Printed statements of TM §8.3.1 and §9.1.3: the ball that rolls without slip and without spin."""

import gauss as g
from gauss.sources import ConstraintMatrix, ControlFields, Equation, Lagrangian, Printed

page = g.scenario.module("rolling_ball")
system, start = page.system, page.start
MATRIX_TEXT = "A = [1, 0, −r sin β sin γ, −r cos γ, 0; 0, 1, r sin β cos γ, −r sin γ, 0; 0, 0, cos β, 0, 1]"
FIELDS_TEXT = "G = [r sin β sin γ, r cos γ; −r sin β cos γ, r sin γ; 1, 0; 0, 1; −cos β, 0]"


def lagrange_left(q, v, a, p):
    """The left sides of Lagrange's equations."""
    sin, cos = g.sin(q.beta), g.cos(q.beta)
    return [
        p.m * a.x,
        p.m * a.y,
        p.I * a.alpha + p.I * a.gamma * cos - p.I * v.beta * v.gamma * sin,
        p.I * a.beta + p.I * v.alpha * v.gamma * sin,
    ]


def lagrange_right(q, l, p):
    """The right sides, with the multipliers."""
    return [
        l[0],
        l[1],
        -l[0] * p.r * g.sin(q.beta) * g.sin(q.gamma)
        + l[1] * p.r * g.sin(q.beta) * g.cos(q.gamma)
        + l[2] * g.cos(q.beta),
        -l[0] * p.r * g.cos(q.gamma) - l[1] * p.r * g.sin(q.gamma),
    ]


def acceleration_y(q, v, p, last):
    """The printed ÿ; `last` is the sign of its last term."""
    sin_b, cos_b, sin_c, cos_c = g.sin(q.beta), g.cos(q.beta), g.sin(q.gamma), g.cos(q.gamma)
    return (
        -v.eta_1 * p.r * sin_b * cos_c
        + q.eta_1 * p.r * v.gamma * sin_b * sin_c
        - q.eta_1 * p.r * v.beta * cos_b * cos_c
        + v.eta_2 * p.r * sin_c
        + last * q.eta_2 * p.r * v.gamma * cos_c
    )


equations = Printed(
    "TM §8.3.1, §9.1.3",
    [
        ConstraintMatrix(
            "Pfaffian matrix",
            matrix=lambda q, p: [
                [1.0, 0.0, -p.r * g.sin(q.gamma) * g.sin(q.beta), -p.r * g.cos(q.gamma), 0.0],
                [0.0, 1.0, p.r * g.cos(q.gamma) * g.sin(q.beta), -p.r * g.sin(q.gamma), 0.0],
                [0.0, 0.0, g.cos(q.beta), 0.0, 1.0],
            ],
            number="§8.3.1 (1), §9.1.3",
            text=MATRIX_TEXT,
        ),
        ControlFields(
            "control fields",
            matrix=lambda q, p: [
                [p.r * g.sin(q.beta) * g.sin(q.gamma), p.r * g.cos(q.gamma)],
                [-p.r * g.sin(q.beta) * g.cos(q.gamma), p.r * g.sin(q.gamma)],
                [1.0, 0.0],
                [0.0, 1.0],
                [-g.cos(q.beta), 0.0],
            ],
            number="§8.3.1 (2), §9.1.3",
            text=FIELDS_TEXT,
        ),
        Equation(
            "rolling along meridian and parallel, without spin",
            left=lambda q, v, p: [
                v.x - p.r * v.alpha * g.sin(q.gamma) * g.sin(q.beta) - p.r * v.beta * g.cos(q.gamma),
                v.y + p.r * v.alpha * g.cos(q.gamma) * g.sin(q.beta) - p.r * v.beta * g.sin(q.gamma),
                v.alpha * g.cos(q.beta) + v.gamma,
            ],
            number="§8.3.1 (3)",
            text="ẋ − rα̇ sin γ sin β − rβ̇ cos γ = 0, ẏ + rα̇ cos γ sin β − rβ̇ sin γ = 0, α̇ cos β + γ̇ = 0",
        ),
        Lagrangian(
            "Lagrangian",
            function=lambda q, v, p: (
                p.I * (v.alpha**2 + v.beta**2 + v.gamma**2) / 2
                + p.I * v.alpha * v.gamma * g.cos(q.beta)
                + p.m * (v.x**2 + v.y**2) / 2
            ),
            number="§9.1.3 (1)",
            text="L = ½I(α̇² + β̇² + γ̇²) + Iα̇γ̇ cos β + ½m(ẋ² + ẏ²) − mgr",
        ),
        Equation(
            "Lagrange's equations with multipliers for x, y, α, β",
            left=lagrange_left,
            right=lagrange_right,
            number="§9.1.3 (2)",
            text="mẍ = λ₁, mÿ = λ₂, Iα̈ + Iγ̈ cos β − Iβ̇γ̇ sin β = −λ₁r sin β sin γ + λ₂r sin β cos γ + λ₃ cos β, …",
        ),
        Equation(
            "Lagrange's equation for γ",
            left=lambda q, v, a, p: (
                p.I * a.gamma + p.I * v.alpha * g.cos(q.beta) - p.I * v.alpha * v.beta * g.sin(q.beta)
            ),
            right=lambda l: l[2],
            correct=(
                lambda q, v, a, p: (
                    p.I * a.gamma + p.I * a.alpha * g.cos(q.beta) - p.I * v.alpha * v.beta * g.sin(q.beta)
                ),
                lambda l: l[2],
            ),
            number="§9.1.3 (3)",
            text="Iγ̈ + Iα̇ cos β − Iα̇β̇ sin β = λ₃",
            remark="the acceleration is meant: Iα̈ cos β",
        ),
        Equation(
            "without multipliers",
            left=lambda q, v, a, p: [
                p.m * p.r * a.x * g.sin(q.beta) * g.sin(q.gamma)
                - p.m * p.r * a.y * g.sin(q.beta) * g.cos(q.gamma)
                + p.I * a.alpha * g.sin(q.beta) ** 2
                - p.I * v.beta * v.gamma * g.sin(q.beta)
                + p.I * v.alpha * v.beta * g.sin(q.beta) * g.cos(q.beta),
                p.m * p.r * a.x * g.cos(q.gamma)
                + p.m * p.r * a.y * g.sin(q.gamma)
                + p.I * a.beta
                + p.I * v.alpha * v.gamma * g.sin(q.beta),
            ],
            number="§9.1.3 (4)",
            text="mrẍ sin β sin γ − mrÿ sin β cos γ + Iα̈ sin²β − Iβ̇γ̇ sin β + Iα̇β̇ sin β cos β = 0, …",
        ),
        Equation(
            "ẍ",
            left=lambda a: a.x,
            right=lambda q, v, p: (
                v.eta_1 * p.r * g.sin(q.beta) * g.sin(q.gamma)
                + q.eta_1 * p.r * v.gamma * g.sin(q.beta) * g.cos(q.gamma)
                + q.eta_1 * p.r * v.beta * g.cos(q.beta) * g.sin(q.gamma)
                + v.eta_2 * p.r * g.cos(q.gamma)
                - q.eta_2 * p.r * v.gamma * g.sin(q.gamma)
            ),
            number="§9.1.3 (5)",
            text="ẍ = η̇₁r sin β sin γ + η₁rγ̇ sin β cos γ + η₁rβ̇ cos β sin γ + η̇₂r cos γ − η₂rγ̇ sin γ",
        ),
        Equation(
            "ÿ",
            left=lambda a: a.y,
            right=lambda q, v, p: acceleration_y(q, v, p, -1),
            correct=(lambda a: a.y, lambda q, v, p: acceleration_y(q, v, p, 1)),
            number="§9.1.3 (6)",
            text="ÿ = −η̇₁r sin β cos γ + η₁rγ̇ sin β sin γ − η₁rβ̇ cos β cos γ + η̇₂r sin γ − η₂rγ̇ cos γ",
            remark="the last term is +η₂rγ̇ cos γ",
        ),
        Equation(
            "γ̈",
            left=lambda a: a.gamma,
            right=lambda q, v: -v.eta_1 * g.cos(q.beta) + q.eta_1 * v.beta * g.sin(q.beta),
            number="§9.1.3 (7)",
            text="γ̈ = −η̇₁ cos β + η₁β̇ sin β",
        ),
        Equation(
            "equations of motion",
            left=lambda q, v, p: [
                (p.m * p.r**2 + p.I) * v.eta_1 * g.sin(q.beta) ** 2
                + 2 * (p.m * p.r**2 + p.I) * q.eta_1 * q.eta_2 * g.sin(q.beta) * g.cos(q.beta),
                (p.m * p.r**2 + p.I) * v.eta_2 - (p.m * p.r**2 + p.I) * q.eta_1**2 * g.sin(q.beta) * g.cos(q.beta),
            ],
            number="§9.1.3 (8)",
            text="(mr² + I)η̇₁ sin²β + 2(mr² + I)η₁η₂ sin β cos β = 0, (mr² + I)η̇₂ − (mr² + I)η₁² sin β cos β = 0",
        ),
    ],
    t_end=2.0,
    quantities={"eta_1": lambda v: v.alpha, "eta_2": lambda v: v.beta},
    parameters={"m": page.M, "r": page.R, "I": page.I},
)
