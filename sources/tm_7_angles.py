"""Printed equations of TM, chapter 7, before the top's own angles: Euler angles and the Lagrangian in them."""

import sympy as sp

import gauss as g
from gauss.sources import Equation, Lagrangian, Printed


def about(axis, angle):
    """R(X, angle), R(Y, angle), R(Z, angle) for axis 0, 1, 2."""
    c, s, (j, k) = g.cos(angle), g.sin(angle), ((axis + 1) % 3, (axis + 2) % 3)
    R = [[float(a == b) for b in range(3)] for a in range(3)]
    R[axis][axis], R[j][j], R[j][k], R[k][j], R[k][k] = 1.0, c, -s, s, c
    return R


def product(*matrices):
    total = matrices[0]
    for B in matrices[1:]:
        total = [[sum(row[k] * B[k][j] for k in range(3)) for j in range(3)] for row in total]
    return total


def flat(R):
    return [x for row in R for x in row]


def omega(q, v):
    """The angular velocity in the body: the rates about Z, the new Y and the new Z, turned into the body."""
    about_y = [-g.sin(q.theta) * v.phi, v.theta, g.cos(q.theta) * v.phi]
    return [
        about_y[0] * g.cos(q.psi) + about_y[1] * g.sin(q.psi),
        -about_y[0] * g.sin(q.psi) + about_y[1] * g.cos(q.psi),
        about_y[2] + v.psi,
    ]


def printed(q, v, p):
    st, ct, sn, cs = g.sin(q.theta), g.cos(q.theta), g.sin(q.psi), g.cos(q.psi)
    return (
        (p.I1 * st**2 * cs**2 + p.I2 * st**2 * sn**2 + p.I3 * ct**2) * v.phi**2 / 2
        + (p.I1 * sn**2 + p.I2 * cs**2) * v.theta**2 / 2
        + p.I3 * v.psi**2 / 2
        - (p.I1 - p.I2) * st * sn * cs * v.phi * v.theta
        + p.I3 * ct * v.phi * v.psi
        + weight(q, p)
    )


def weight(q, p):
    """m_B (g, R r_B) with g = (0, 0, −g), r_B = (0, 0, r)."""
    R = product(about(2, q.phi), about(1, q.theta), about(2, q.psi))
    return -p.m * p.g * R[2][2] * p.r


def system_of(name, second, **parameters):
    """A body on a fixed point; `second(p)` is its second moment of inertia."""

    def kinetic(q, v, p):
        w = omega(q, v)
        return (p.I1 * w[0] ** 2 + second(p) * w[1] ** 2 + p.I3 * w[2] ** 2) / 2

    return g.System(
        name,
        coordinates="phi theta psi",
        kinetic_energy=kinetic,
        potential_energy=lambda q, p: p.m * p.g * p.r * g.cos(q.theta),
        parameters={"m": 1.3, "g": 3.3, "r": 0.7, "I1": 0.5, "I3": 1.1} | parameters,
    )


HERE = {"q": [0.4, 1.1, 0.3], "v": [0.7, -0.4, 0.9]}
relations = Printed(
    "TM chapter 7",
    [
        Equation(
            "angles of the top (turns about Z, the new X and the new Z) and Euler angles ZYZ",
            left=lambda q: flat(product(about(2, q.alpha), about(0, q.beta), about(2, q.gamma))),
            right=lambda q: flat(
                product(about(2, q.alpha - sp.pi / 2), about(1, q.beta), about(2, q.gamma + sp.pi / 2))
            ),
            number="ch. 7 (1)",
            text="φ = α − π/2, θ = β, ψ = γ + π/2",
        )
    ],
    ranges=dict.fromkeys(("alpha", "beta", "gamma"), (0.3, 1.2)),
)
general = Printed(
    "TM §7.1",
    [
        Lagrangian(
            "Lagrangian of a body on a fixed point",
            function=printed,
            number="§7.1, before (1): first, second",
            text="L = ½(I_B1 sin²θ cos²ψ + I_B2 sin²θ sin²ψ + I_B3 cos²θ)φ̇² + ½(I_B1 sin²ψ + I_B2 cos²ψ)θ̇² + ½I_B3ψ̇² "
            "− (I_B1 − I_B2) sin θ sin ψ cos ψ φ̇θ̇ + I_B3 cos θ φ̇ψ̇ + m_B(g, Rr_B)",
        ),
        Equation(
            "the last term",
            left=lambda q: -q.V,
            right=weight,
            number="§7.1, before (1): third",
            text="m_B(g, Rr_B) = −mgr cos θ",
        ),
    ],
    system=system_of("heavy body on a fixed point", lambda p: p.I2, I2=0.8),
    quantities={"V": lambda q, p: p.m * p.g * p.r * g.cos(q.theta)},
    **HERE,
)
symmetric = Printed(
    "TM §7.1",
    [
        Lagrangian(
            "Lagrangian with I₁ = I₂",
            function=lambda q, v, p: (
                p.I1 * (v.theta**2 + v.phi**2 * g.sin(q.theta) ** 2) / 2
                + p.I3 * (v.psi + v.phi * g.cos(q.theta)) ** 2 / 2
                - p.m * p.g * p.r * g.cos(q.theta)
            ),
            number="§7.1, before (1): fourth",
            text="L = ½I₁(θ̇² + φ̇² sin²θ) + ½I₃(ψ̇ + φ̇ cos θ)² − mgr cos θ",
        )
    ],
    system=system_of("heavy symmetric body on a fixed point", lambda p: p.I1),
    **HERE,
)
system = general.system
start = g.Start(q=HERE["q"], v=HERE["v"])
equations = [relations, general, symmetric]
