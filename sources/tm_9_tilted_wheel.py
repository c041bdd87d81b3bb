"""Printed equations of TM §9.1.4 (tilted wheel) and exercise 9.1."""

from types import SimpleNamespace

import sympy as sp

import gauss as g
from gauss.sources import ConstraintMatrix, ControlFields, Equation, Lagrangian, Printed


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


def horizontal(q, v, a, p, sine, cosine, sign, more):
    """The left side of an equation for x or y: m times the acceleration of the centre, from its printed terms."""
    along, sin_b, cos_b = p.m * p.r, g.sin(q.beta), g.cos(q.beta)
    return (
        along * a.alpha * cosine * sin_b
        + sign * along * a.beta * sine * cos_b
        + 2 * along * v.alpha * v.beta * cosine * cos_b
        + more * along * v.alpha**2 * g.sin(q.alpha) * sin_b
    )


def first_row(q, v, a, p, more):
    squares = p.m * p.r * (v.alpha**2 + v.beta**2) * g.sin(q.alpha) * g.sin(q.beta)
    return p.m * a.x + horizontal(q, v, a, p, g.sin(q.alpha), g.cos(q.alpha), 1, more) - squares


def second_row(q, v, a, p, more, sign):
    squares = p.m * p.r * (v.alpha**2 + v.beta**2) * g.cos(q.alpha) * g.sin(q.beta)
    return p.m * a.y + horizontal(q, v, a, p, g.cos(q.alpha), g.sin(q.alpha), -1, more) + sign * squares


def first_force(q, l):
    return l[0] * g.sin(q.alpha) + l[1] * g.cos(q.alpha)


def second_force(q, l):
    return -l[0] * g.cos(q.alpha) + l[1] * g.sin(q.alpha)


UNCLEAR = "the scan is unclear (r and α run together, read as rα̈, rβ̈, rα̇β̇); "


def printed_lagrangian(q, v, p):
    return (
        p.I1 * (v.alpha**2 * g.cos(q.beta) ** 2 + v.beta**2) / 2
        + p.I3 * (v.alpha * g.sin(q.beta) + v.gamma) ** 2 / 2
        + p.m * (v.x + p.r * v.alpha * g.cos(q.alpha) * g.sin(q.beta)) ** 2 / 2
        + p.m * (v.y + p.r * v.alpha * g.sin(q.alpha) * g.sin(q.beta)) ** 2 / 2
        + p.m * p.r**2 * v.beta**2 / 2
        + p.m * p.r * v.beta * (v.x * g.sin(q.alpha) - v.y * g.cos(q.alpha)) * g.cos(q.beta)
        - p.m * p.g * p.r * g.cos(q.beta)
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
            function=printed_lagrangian,
            number="§9.1.4 (4)",
            text="L = ½I₁(α̇² cos²β + β̇²) + ½I₃(α̇ sin β + γ̇)² + ½m(ẋ + rα̇ cos α sin β)² + ½m(ẏ + rα̇ sin α sin β)² "
            "+ ½mr²β̇² + mrβ̇(ẋ sin α − ẏ cos α) cos β − mgr cos β",
        ),
        Equation(
            "Lagrange's equation for x",
            left=lambda q, v, a, p: first_row(q, v, a, p, -1),
            right=first_force,
            correct=(lambda q, v, a, p: first_row(q, v, a, p, 0), first_force),
            number="§9.1.4 (5a)",
            text="mẍ + mrα̈ cos α sin β + mrβ̈ sin α cos β + 2mrα̇β̇ cos α cos β − mrα̇² sin α sin β "
            "− mr(α̇² + β̇²) sin α sin β = λ₁ sin α + λ₂ cos α",
            remark=UNCLEAR + "−mrα̇² sin α sin β is superfluous, as the last term on the left has it",
        ),
        Equation(
            "Lagrange's equation for y",
            left=lambda q, v, a, p: second_row(q, v, a, p, 1, -1),
            right=second_force,
            correct=(lambda q, v, a, p: second_row(q, v, a, p, 0, 1), second_force),
            number="§9.1.4 (5b)",
            text="mÿ + mrα̈ sin α sin β − mrβ̈ cos α cos β + 2mrα̇β̇ sin α cos β + mrα̇² sin α sin β "
            "− mr(α̇² + β̇²) cos α sin β = −λ₁ cos α + λ₂ sin α",
            remark=UNCLEAR + "mrα̇² sin α sin β is superfluous, and +mr(α̇² + β̇²) cos α sin β is meant",
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


def entries(q):
    """E(φ, θ, ψ) of §6.3 with the printed angles φ = α − π/2, θ = β − π/2, ψ = γ."""
    phi, theta, psi = q.alpha - sp.pi / 2, q.beta - sp.pi / 2, q.gamma
    cf, sf, ct, st, cp, sn = g.cos(phi), g.sin(phi), g.cos(theta), g.sin(theta), g.cos(psi), g.sin(psi)
    return [
        [cf * ct * cp - sf * sn, -cf * ct * sn - sf * cp, cf * st],
        [sf * ct * cp + cf * sn, -sf * ct * sn + cf * cp, sf * st],
        [-st * cp, st * sn, ct],
    ]


def omega(q, v, in_body):
    """The angular velocity in the body, RᵀṘ, or in space, ṘRᵀ, from the quantities R00 … R22."""
    R, dR = ([[getattr(s, f"R{i}{j}") for j in range(3)] for i in range(3)] for s in (q, v))
    first, second = (list(zip(*R, strict=True)), list(zip(*dR, strict=True))) if in_body else (dR, R)
    W = [[sum(x * y for x, y in zip(first[i], second[j], strict=True)) for j in range(3)] for i in range(3)]
    return [W[2][1], W[0][2], W[1][0]]


def at_contact(q, v):
    """ω_S × (s − T) + Ṫ."""
    (a, b, c), arm = omega(q, v, False), [q.x - q.T1, q.y - q.T2, -q.T3]
    return [
        b * arm[2] - c * arm[1] + v.T1,
        c * arm[0] - a * arm[2] + v.T2,
        a * arm[1] - b * arm[0] + v.T3,
    ]


attitude = Printed(
    "TM §9.1.4",
    [
        Equation(
            "energy of rotation by the Euler angles",
            left=lambda q, v, p: (
                p.I1 * (v.alpha**2 * g.cos(q.beta) ** 2 + v.beta**2) + p.I3 * (v.alpha * g.sin(q.beta) + v.gamma) ** 2
            ),
            right=lambda q, v, p: sum(
                moment * w**2 for moment, w in zip((p.I1, p.I1, p.I3), omega(q, v, True), strict=True)
            ),
            number="§9.1.4 (2a), (4)",
            text="φ = α − π/2, θ = β − π/2, ψ = γ in (6.6)",
        ),
        Equation(
            "place of the centre: at the distance r, and in the plane of the wheel",
            left=lambda q: [
                (q.T1 - q.x) ** 2 + (q.T2 - q.y) ** 2 + q.T3**2,
                (q.T1 - q.x) * q.R02 + (q.T2 - q.y) * q.R12 + q.T3 * q.R22,
            ],
            right=lambda p: [p.r**2, 0.0],
            number="§9.1.4 (2b)",
            text="T = (x + r sin α sin β, y − r cos α sin β, r cos β)",
        ),
        Equation(
            "the rows by (8.4)",
            left=at_contact,
            number="§9.1.4 (1), by (8.4)",
            text="ω_S × (s − T) + Ṫ = 0 with A of §9.1.4",
        ),
    ],
    system=wheel,
    q=wheel_claims.q,
    v=wheel_claims.v,
    quantities={f"R{i}{j}": lambda q, i=i, j=j: entries(q)[i][j] for i in range(3) for j in range(3)}
    | {name: wheel_claims.quantities[name] for name in ("T1", "T2", "T3")},
)
upright = Printed(
    "TM Ex. 9.1",
    [
        Lagrangian(
            "Lagrangian of the tilted wheel with β = 0, β̇ = 0",
            function=lambda q, v, p: printed_lagrangian(
                SimpleNamespace(alpha=q.alpha, beta=0.0),
                SimpleNamespace(x=v.x, y=v.y, alpha=v.alpha, beta=0.0, gamma=v.gamma),
                p,
            ),
            number="Ex. 9.1",
            text="L of §9.1.4 with β = 0 is L of §9.1.2 (but for the constant −mgr)",
        )
    ],
    system=g.System(
        "upright wheel of §9.1.2",
        coordinates="x y alpha gamma",
        kinetic_energy=lambda v, p: (p.m * (v.x**2 + v.y**2) + p.I3 * v.gamma**2 + p.I1 * v.alpha**2) / 2,
        parameters={"m": 1.3, "r": 0.7, "g": 3.3, "I1": 0.4, "I3": 0.9},
    ),
    q=[0.0, 0.0, 0.4, 0.3],
    v=[0.3, -0.4, 0.8, 1.0],
)
system = wheel
start = g.Start(q=[0.0, 0.0, 0.4, 0.5, 0.3])
equations = [wheel_claims, attitude, upright]
