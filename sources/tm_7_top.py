"""Printed equations of TM, chapter 7: Lagrange's top."""

import sympy as sp

import gauss as g
from gauss.sources import Derivative, Equation, Hamiltonian, Integral, Lagrangian, Printed


def body_rates(phi, theta, psi, d_phi, d_theta, d_psi):
    """The angular velocity in the body, from R = R(Z, phi) R(Y, theta) R(Z, psi): RᵀṘ = [ω]."""
    about_y = [-g.sin(theta) * d_phi, d_theta, g.cos(theta) * d_phi]
    return [
        about_y[0] * g.cos(psi) + about_y[1] * g.sin(psi),
        -about_y[0] * g.sin(psi) + about_y[1] * g.cos(psi),
        about_y[2] + d_psi,
    ]


def top_energy(q, v, p):
    w = body_rates(q.alpha, q.beta, q.gamma, v.alpha, v.beta, v.gamma)
    return (p.I1 * w[0] ** 2 + p.I1 * w[1] ** 2 + p.I3 * w[2] ** 2) / 2


def gradient(q, function):
    """Derivatives of a formula by the angles and by the momenta."""
    return [sp.diff(function, x) for x in (q.alpha, q.beta, q.gamma, q.p_1, q.p_2, q.p_3)]


def bracket(q, F1, F2):
    """Poisson's bracket (5.4)."""
    a, b = gradient(q, F1), gradient(q, F2)
    return sum(a[k] * b[k + 3] - a[k + 3] * b[k] for k in range(3))


top = g.System(
    "Lagrange's top",
    coordinates="alpha beta gamma",
    kinetic_energy=top_energy,
    potential_energy=lambda q, p: p.m * p.g * p.r * g.cos(q.beta),
    parameters={"m": 1.3, "g": 3.3, "r": 0.7, "I1": 0.5, "I3": 1.1},
)


def top_lagrangian(q, v, p):
    spin = v.gamma + v.alpha * g.cos(q.beta)
    kinetic = p.I1 * (v.beta**2 + v.alpha**2 * g.sin(q.beta) ** 2) / 2 + p.I3 * spin**2 / 2
    return kinetic - p.m * p.g * p.r * g.cos(q.beta)


def top_hamiltonian(q, p, sign):
    s2, c = g.sin(q.beta) ** 2, g.cos(q.beta)
    return (
        q.p_1**2 / (p.I1 * s2) / 2
        + q.p_2**2 / p.I1 / 2
        + q.p_3**2 * (p.I1 * s2 + p.I3 * c**2) / (p.I1 * p.I3 * s2) / 2
        + sign * q.p_1 * q.p_3 * c / (p.I1 * s2)
        + p.m * p.g * p.r * c
    )


def rate_of_p2(q, p, sign):
    c = g.cos(q.beta)
    parts = -(q.p_1**2) * c - q.p_3**2 * c - sign * q.p_1 * q.p_3 * (1 + c**2)
    return -parts / (p.I1 * g.sin(q.beta) ** 3) + p.m * p.g * p.r * g.sin(q.beta)


def printed_rate_of_p2(q, p):
    c = g.cos(q.beta)
    parts = q.p_1**2 * c + q.p_3**2 * c + q.p_1 * q.p_3 * (1 + c**2)
    return -parts / (p.I1 * g.sin(q.beta) ** 3) + p.m * p.g * p.r * g.sin(q.beta)


def spin(v, q):
    return v.gamma + v.alpha * g.cos(q.beta)


def reduced_energy(q, v, p):
    return (
        (q.p_1 - q.p_3 * g.cos(q.beta)) ** 2 / (p.I1 * g.sin(q.beta) ** 2) / 2
        + p.I1 * v.beta**2 / 2
        + p.m * p.g * p.r * g.cos(q.beta)
    )


def cubic(q, v, p):
    a, b = 2 * reduced_energy(q, v, p) / p.I1, 2 * p.m * p.g * p.r / p.I1
    c, d = q.p_1 / p.I1, q.p_3 / p.I1
    return (a - b * q.u) * (1 - q.u**2) - (c - d * q.u) ** 2


tops = Printed(
    "TM §7.1–7.4",
    [
        Lagrangian(
            "Lagrangian",
            function=top_lagrangian,
            number="§7.1 (1)",
            text="L = ½I₁(β̇² + α̇² sin²β) + ½I₃(γ̇ + α̇ cos β)² − mgr cos β",
        ),
        Derivative(
            "momentum of α",
            of=top_lagrangian,
            by="v.alpha",
            function=lambda q, v, p: p.I1 * v.alpha * g.sin(q.beta) ** 2 + p.I3 * spin(v, q) * g.cos(q.beta),
            number="§7.1 (2)",
            text="∂L/∂α̇ = I₁α̇ sin²β + I₃(γ̇ + α̇ cos β) cos β",
        ),
        Derivative(
            "force on α", of=top_lagrangian, by="q.alpha", function=lambda: 0.0, number="§7.1 (3)", text="∂L/∂α = 0"
        ),
        Derivative(
            "momentum of β",
            of=top_lagrangian,
            by="v.beta",
            function=lambda v, p: p.I1 * v.beta,
            number="§7.1 (4)",
            text="∂L/∂β̇ = I₁β̇",
        ),
        Derivative(
            "force on β",
            of=top_lagrangian,
            by="q.beta",
            function=lambda q, v, p: (
                p.I1 * v.alpha**2 * g.sin(q.beta) * g.cos(q.beta)
                - p.I3 * spin(v, q) * v.alpha * g.sin(q.beta)
                + p.m * p.g * p.r * g.sin(q.beta)
            ),
            number="§7.1 (5)",
            text="∂L/∂β = I₁α̇² sin β cos β − I₃(γ̇ + α̇ cos β)α̇ sin β + mgr sin β",
        ),
        Derivative(
            "momentum of γ",
            of=top_lagrangian,
            by="v.gamma",
            function=lambda q, v, p: p.I3 * spin(v, q),
            number="§7.1 (6)",
            text="∂L/∂γ̇ = I₃(γ̇ + α̇ cos β)",
        ),
        Derivative(
            "force on γ", of=top_lagrangian, by="q.gamma", function=lambda: 0.0, number="§7.1 (7)", text="∂L/∂γ = 0"
        ),
        Integral(
            "first equation of motion",
            function=lambda q, v, p: (
                (p.I1 * g.sin(q.beta) ** 2 + p.I3 * g.cos(q.beta) ** 2) * v.alpha + p.I3 * v.gamma * g.cos(q.beta)
            ),
            number="(7.1), first",
            text="(I₁ sin²β + I₃ cos²β)α̇ + I₃γ̇ cos β = const",
        ),
        Equation(
            "second equation of motion",
            left=lambda q, v, a, p: (
                p.I1 * a.beta
                + (p.I3 - p.I1) * v.alpha**2 * g.sin(q.beta) * g.cos(q.beta)
                + p.I3 * v.alpha * v.gamma * g.sin(q.beta)
                - p.m * p.g * p.r * g.sin(q.beta)
            ),
            number="(7.1), second",
            text="I₁β̈ + (I₃ − I₁)α̇² sin β cos β + I₃α̇γ̇ sin β − mgr sin β = 0",
        ),
        Integral(
            "third equation of motion",
            function=lambda q, v, p: p.I3 * spin(v, q),
            number="(7.1), third",
            text="I₃(γ̇ + α̇ cos β) = const",
        ),
        Equation(
            "inertia matrix",
            left=lambda q: [q.p_1, q.p_2, q.p_3],
            right=lambda q, v, p: [
                (p.I1 * g.sin(q.beta) ** 2 + p.I3 * g.cos(q.beta) ** 2) * v.alpha + p.I3 * g.cos(q.beta) * v.gamma,
                p.I1 * v.beta,
                p.I3 * g.cos(q.beta) * v.alpha + p.I3 * v.gamma,
            ],
            number="§7.2 (1)",
            text="Q = [I₁ sin²β + I₃ cos²β, 0, I₃ cos β; 0, I₁, 0; I₃ cos β, 0, I₃]",
        ),
        Equation(
            "its inverse",
            left=lambda v: [v.alpha, v.beta, v.gamma],
            right=lambda q, p: [
                (p.I1 * p.I3 * q.p_1 - p.I1 * p.I3 * g.cos(q.beta) * q.p_3) / (p.I1**2 * p.I3 * g.sin(q.beta) ** 2),
                p.I1 * p.I3 * g.sin(q.beta) ** 2 * q.p_2 / (p.I1**2 * p.I3 * g.sin(q.beta) ** 2),
                (
                    -p.I1 * p.I3 * g.cos(q.beta) * q.p_1
                    + p.I1 * (p.I1 * g.sin(q.beta) ** 2 + p.I3 * g.cos(q.beta) ** 2) * q.p_3
                )
                / (p.I1**2 * p.I3 * g.sin(q.beta) ** 2),
            ],
            number="§7.2 (2)",
            text="Q⁻¹ = 1/(I₁²I₃ sin²β) [I₁I₃, 0, −I₁I₃ cos β; 0, I₁I₃ sin²β, 0; …, 0, I₁(I₁ sin²β + I₃ cos²β)]",
        ),
        Hamiltonian(
            "Hamiltonian",
            function=lambda q, p: top_hamiltonian(q, p, -1),
            number="§7.2 (3)",
            text="H = ½p₁²/(I₁ sin²β) + ½p₂²/I₁ + ½p₃²(I₁ sin²β + I₃ cos²β)/(I₁I₃ sin²β) − p₁p₃ cos β/(I₁ sin²β) "
            "+ mgr cos β",
        ),
        Equation(
            "canonical equations for the angles",
            left=lambda v: [v.alpha, v.beta, v.gamma],
            right=lambda q, p: [
                (q.p_1 - q.p_3 * g.cos(q.beta)) / (p.I1 * g.sin(q.beta) ** 2),
                q.p_2 / p.I1,
                (q.p_3 * (p.I1 * g.sin(q.beta) ** 2 + p.I3 * g.cos(q.beta) ** 2) - q.p_1 * p.I3 * g.cos(q.beta))
                / (p.I1 * p.I3 * g.sin(q.beta) ** 2),
            ],
            number="(7.2), α̇, β̇, γ̇",
            text="α̇ = (p₁ − p₃ cos β)/(I₁ sin²β), β̇ = p₂/I₁, γ̇ = (p₃(I₁ sin²β + I₃ cos²β) − p₁I₃ cos β)/(I₁I₃ sin²β)",
        ),
        Equation(
            "canonical equation for p₂",
            left=lambda v: v.p_2,
            right=printed_rate_of_p2,
            correct=(lambda v: v.p_2, lambda q, p: rate_of_p2(q, p, -1)),
            number="(7.2), ṗ₂",
            text="ṗ₂ = −(p₁² cos β + p₃² cos β + p₁p₃(1 + cos²β))/(I₁ sin³β) + mgr sin β",
            remark="ṗ₂ = (p₁² cos β + p₃² cos β − p₁p₃(1 + cos²β))/(I₁ sin³β) + mgr sin β",
        ),
        Integral("p₁ is an invariant", function=lambda q: q.p_1, number="(7.2), ṗ₁", text="ṗ₁ = 0"),
        Integral("p₃ is an invariant", function=lambda q: q.p_3, number="(7.2), ṗ₃", text="ṗ₃ = 0"),
        Hamiltonian(
            "Hamiltonian, printed again",
            function=lambda q, p: top_hamiltonian(q, p, 1),
            correct=lambda q, p: top_hamiltonian(q, p, -1),
            number="§7.4 (1)",
            text="H = … + p₁p₃ cos β/(I₁ sin²β) + mgr cos β",
            remark="−p₁p₃ cos β/(I₁ sin²β), as in §7.2",
        ),
        Equation(
            "third term as a sum",
            left=lambda q, p: (
                q.p_3**2
                * (p.I1 * g.sin(q.beta) ** 2 + p.I3 * g.cos(q.beta) ** 2)
                / (p.I1 * p.I3 * g.sin(q.beta) ** 2)
                / 2
            ),
            right=lambda q, p: q.p_3**2 / p.I3 / 2 + q.p_3**2 * g.cos(q.beta) ** 2 / (p.I1 * g.sin(q.beta) ** 2) / 2,
            number="§7.4 (2)",
            text="½p₃²/I₃ + ½p₃² cos²β/(I₁ sin²β)",
        ),
        Integral(
            "reduced energy",
            function=reduced_energy,
            number="§7.4 (3)",
            text="E = ½(p₁ − p₃ cos β)²/(I₁ sin²β) + ½I₁β̇² + mgr cos β = const",
        ),
        Equation(
            "reduced energy and Hamiltonian",
            left=reduced_energy,
            right=lambda q, p: top_hamiltonian(q, p, -1) - q.p_3**2 / p.I3 / 2,
            number="§7.4 (4)",
            text="E = H − ½p₃²/I₃",
        ),
        Equation(
            "rate of u = cos β",
            left=lambda v: [v.u, v.u**2],
            right=lambda q, v: [-g.sin(q.beta) * v.beta, (1 - q.u**2) * v.beta**2],
            number="§7.4 (5)",
            text="u̇ = −sin β β̇, u̇² = (1 − u²)β̇²",
        ),
        Equation(
            "rate of β",
            left=lambda v: v.beta**2,
            right=lambda q, v, p: (
                2 * reduced_energy(q, v, p) / p.I1
                - (q.p_1 - q.p_3 * q.u) ** 2 / (p.I1**2 * (1 - q.u**2))
                - 2 * p.m * p.g * p.r * q.u / p.I1
            ),
            number="§7.4 (6)",
            text="β̇² = 2E/I₁ − (p₁ − p₃u)²/(I₁²(1 − u²)) − 2mgru/I₁",
        ),
        Equation(
            "equation for u",
            left=lambda v: v.u**2,
            right=cubic,
            number="(7.3)",
            text="u̇² = (a − bu)(1 − u²) − (c − du)², a = 2E/I₁, b = 2mgr/I₁, c = p₁/I₁, d = p₃/I₁",
        ),
        Equation(
            "precession and spin by u",
            left=lambda v: [v.alpha, v.gamma],
            right=lambda q, p: [
                (q.p_1 / p.I1 - q.p_3 / p.I1 * q.u) / (1 - q.u**2),
                ((q.p_3 / p.I1 - q.p_3 / p.I3) * q.u**2 - q.p_1 / p.I1 * q.u + q.p_3 / p.I3) / (1 - q.u**2),
            ],
            number="§7.4 (7)",
            text="α̇ = (c − du)/(1 − u²), γ̇ = ((d − e)u² − cu + e)/(1 − u²), e = p₃/I₃",
        ),
    ],
    system=top,
    q=[0.2, 1.1, 0.4],
    v=[0.8, 0.3, 1.5],
    quantities={
        "p_1": lambda q, v, p: p.I1 * v.alpha * g.sin(q.beta) ** 2 + p.I3 * spin(v, q) * g.cos(q.beta),
        "p_2": lambda v, p: p.I1 * v.beta,
        "p_3": lambda q, v, p: p.I3 * spin(v, q),
        "u": lambda q: g.cos(q.beta),
    },
    spread=0.3,
)


involution = Printed(
    "TM §7.3",
    [
        Equation(
            "matrix of the invariants",
            left=lambda q, p: [
                *gradient(q, top_hamiltonian(q, p, -1)),
                *gradient(q, q.p_1),
                *gradient(q, q.p_3),
                0 * q.p_1,
            ],
            right=lambda v, a, p: [
                0,
                -v.p_2,
                0,
                v.alpha,
                v.beta,
                v.gamma,
                *[0, 0, 0, 1, 0, 0],
                *[0, 0, 0, 0, 0, 1],
                -v.p_2 + p.I1 * a.beta,
            ],
            number="§7.3 (1)",
            text="[∂H/∂α, …; ∂p₁/∂α, …; ∂p₃/∂α, …] = [0, −ṗ₂ = −I₁β̈, 0, α̇, β̇, γ̇; 0, 0, 0, 1, 0, 0; 0, 0, 0, 0, 0, 1]",
        ),
        Equation(
            "invariants in involution",
            left=lambda q, p: [
                bracket(q, top_hamiltonian(q, p, -1), q.p_1),
                bracket(q, top_hamiltonian(q, p, -1), q.p_3),
                bracket(q, q.p_1, q.p_3),
            ],
            number="§7.3 (2)–(4)",
            text="{H, p₁} = 0, {H, p₃} = 0, {p₁, p₃} = 0",
        ),
    ],
    system=top,
    q=tops.q,
    v=tops.v,
    quantities=tops.quantities,
    spread=0.3,
)
system = top
start = g.Start(q=[0.2, 1.1, 0.4])
equations = [tops, involution]
