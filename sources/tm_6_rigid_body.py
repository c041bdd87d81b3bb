"""Printed equations of TM §6.4–6.9: the rigid body in Euler angles ZYZ, Euler's equations, exercise 6.7."""

import gauss as g
from gauss.sources import Equation, Integral, Lagrangian, Printed


def body_rates(phi, theta, psi, d_phi, d_theta, d_psi):
    """The angular velocity in the body, from R = R(Z, phi) R(Y, theta) R(Z, psi): RᵀṘ = [ω]."""
    about_y = [-g.sin(theta) * d_phi, d_theta, g.cos(theta) * d_phi]
    return [
        about_y[0] * g.cos(psi) + about_y[1] * g.sin(psi),
        -about_y[0] * g.sin(psi) + about_y[1] * g.cos(psi),
        about_y[2] + d_psi,
    ]


def omega(q, v):
    return body_rates(q.phi, q.theta, q.psi, v.phi, v.theta, v.psi)


def rotation(q):
    """The matrix of the Euler angles as it is printed in §6.3."""
    cf, sf, ct, st, cp, sp = g.cos(q.phi), g.sin(q.phi), g.cos(q.theta), g.sin(q.theta), g.cos(q.psi), g.sin(q.psi)
    return [
        [cf * ct * cp - sf * sp, -cf * ct * sp - sf * cp, cf * st],
        [sf * ct * cp + cf * sp, -sf * ct * sp + cf * cp, sf * st],
        [-st * cp, st * sp, ct],
    ]


def in_body(q, v, k):
    """Component k of Rᵀ ẋ."""
    R = rotation(q)
    return R[0][k] * v.x + R[1][k] * v.y + R[2][k] * v.z


def body_energy(q, v, p):
    w = omega(q, v)
    turning = p.I1 * w[0] ** 2 + p.I2 * w[1] ** 2 + p.I3 * w[2] ** 2
    return turning / 2 + p.m * (v.x**2 + v.y**2 + v.z**2) / 2


def by_angles(q, v):
    """M_E ė, as it is printed."""
    return [
        -g.sin(q.theta) * g.cos(q.psi) * v.phi + g.sin(q.psi) * v.theta,
        g.sin(q.theta) * g.sin(q.psi) * v.phi + g.cos(q.psi) * v.theta,
        g.cos(q.theta) * v.phi + v.psi,
    ]


def printed_lagrangian(q, v, p):
    st, ct, sp, cp = g.sin(q.theta), g.cos(q.theta), g.sin(q.psi), g.cos(q.psi)
    return (
        (p.I1 * st**2 * cp**2 + p.I2 * st**2 * sp**2 + p.I3 * ct**2) * v.phi**2 / 2
        + (p.I1 * sp**2 + p.I2 * cp**2) * v.theta**2 / 2
        + p.I3 * v.psi**2 / 2
        - (p.I1 - p.I2) * st * sp * cp * v.phi * v.theta
        + p.I3 * ct * v.phi * v.psi
        + p.m * (v.x**2 + v.y**2 + v.z**2) / 2
        - p.m * p.g * q.z
    )


body = g.System(
    "rigid body",
    coordinates="x y z phi theta psi",
    kinetic_energy=body_energy,
    potential_energy=lambda q, p: p.m * p.g * q.z,
    parameters={"m": 1.3, "g": 3.3, "I1": 0.5, "I2": 0.8, "I3": 1.1},
)
free_body = g.System(
    "free rigid body",
    coordinates="x y z phi theta psi",
    kinetic_energy=body_energy,
    parameters={"m": 1.3, "I1": 0.5, "I2": 0.8, "I3": 1.1},
)
HERE = {"q": [0.0, 0.0, 0.0, 0.4, 1.1, 0.3], "v": [0.3, -0.2, 0.1, 0.7, -0.4, 0.9]}
OMEGA = {f"w{k + 1}": lambda q, v, k=k: omega(q, v)[k] for k in range(3)}
BODY_VELOCITY = {f"v{k + 1}": lambda q, v, k=k: in_body(q, v, k) for k in range(3)}

angles = Printed(
    "TM §6.4, §6.6",
    [
        Equation(
            "angular velocity in the body",
            left=lambda q: [q.w1, q.w2, q.w3],
            right=by_angles,
            number="(6.3)",
            text="ω_B = [−sin θ cos ψ, sin ψ, 0; sin θ sin ψ, cos ψ, 0; cos θ, 0, 1] (φ̇, θ̇, ψ̇)",
        ),
        Lagrangian(
            "Lagrangian by M_E",
            function=lambda q, v, p: (
                sum(I * w**2 for I, w in zip((p.I1, p.I2, p.I3), by_angles(q, v), strict=True)) / 2
                + p.m * (v.x**2 + v.y**2 + v.z**2) / 2
                - p.m * p.g * q.z
            ),
            number="§6.6 (1)",
            text="L = ½ėᵀM_EᵀI_BM_Eė + ½m_B(Ṫ₁² + Ṫ₂² + Ṫ₃²) + m_B(g, T)",
        ),
        Lagrangian(
            "Lagrangian of the rigid body",
            function=printed_lagrangian,
            number="(6.6)",
            text="L = ½(I₁ sin²θ cos²ψ + I₂ sin²θ sin²ψ + I₃ cos²θ)φ̇² + ½(I₁ sin²ψ + I₂ cos²ψ)θ̇² + ½I₃ψ̇² "
            "− (I₁ − I₂) sin θ sin ψ cos ψ φ̇θ̇ + I₃ cos θ φ̇ψ̇ + ½m(Ṫ₁² + Ṫ₂² + Ṫ₃²) − mgT₃",
        ),
    ],
    system=body,
    quantities=OMEGA,
    **HERE,
)
euler = Printed(
    "TM §6.7, §6.8",
    [
        Equation(
            "Euler-Newton equations, translation",
            left=lambda v: [v.v1, v.v2, v.v3],
            right=lambda q: [
                q.v2 * q.w3 - q.v3 * q.w2,
                q.v3 * q.w1 - q.v1 * q.w3,
                q.v1 * q.w2 - q.v2 * q.w1,
            ],
            number="(6.7), first",
            text="v̇_B = v_B × ω_B",
        ),
        Equation(
            "Euler's equations",
            left=lambda v: [v.w1, v.w2, v.w3],
            right=lambda q, p: [
                (p.I2 - p.I3) / p.I1 * q.w2 * q.w3,
                (p.I3 - p.I1) / p.I2 * q.w1 * q.w3,
                (p.I1 - p.I2) / p.I3 * q.w1 * q.w2,
            ],
            number="(6.7), second; §6.8",
            text="ω̇₁ = (I₂ − I₃)/I₁ ω₂ω₃, ω̇₂ = (I₃ − I₁)/I₂ ω₁ω₃, ω̇₃ = (I₁ − I₂)/I₃ ω₁ω₂",
        ),
    ],
    system=free_body,
    quantities=OMEGA | BODY_VELOCITY,
    spread=0.3,
    **HERE,
)


def turned_in(q, v, p, mass):
    """v_B × ω_B + F_B/mass along the body's third axis, where F_B = Rᵀ(0, 0, −mg)."""
    return q.v1 * q.w2 - q.v2 * q.w1 - p.m * p.g * rotation(q)[2][2] / mass


forced = Printed(
    "TM §6.7",
    [
        Equation(
            "Euler-Newton equation of translation with a force, third component",
            left=lambda v: v.v3,
            right=lambda q, v, p: turned_in(q, v, p, 1),
            correct=(lambda v: v.v3, lambda q, v, p: turned_in(q, v, p, p.m)),
            number="(6.7), text",
            text="F_B is to be added to the right side of (6.7): v̇_B = v_B × ω_B + F_B",
            remark="F_B/m_B is to be added, as (6.7) has been divided by m_B; a moment τ_B is added as it is",
        )
    ],
    system=body,
    quantities=OMEGA | BODY_VELOCITY,
    spread=0.3,
    **HERE,
)
symmetric = Printed(
    "TM Ex. 6.7",
    [
        Integral(
            "size of the angular velocity of a body with I₁ = I₂",
            function=lambda q: q.w1**2 + q.w2**2 + q.w3**2,
            number="Ex. 6.7",
            text="|ω| = const where I₁ = I₂",
        )
    ],
    system=g.System(
        "free symmetric body",
        coordinates="x y z phi theta psi",
        kinetic_energy=lambda q, v, p: (
            (p.I1 * (omega(q, v)[0] ** 2 + omega(q, v)[1] ** 2) + p.I3 * omega(q, v)[2] ** 2 + v.x**2 + v.y**2 + v.z**2)
            / 2
        ),
        parameters={"I1": 0.5, "I3": 1.1},
    ),
    quantities=OMEGA,
    spread=0.3,
    **HERE,
)
system = body
start = g.Start(q=HERE["q"], v=HERE["v"])
equations = [angles, euler, forced, symmetric]
