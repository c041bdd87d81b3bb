"""Printed equations of TM §8.1–8.4 in general: constraints, rolling by (8.4), the ball of §8.3.1, Lie brackets."""

import sympy as sp

import gauss as g
from gauss.sources import ConstraintMatrix, ControlFields, Equation, Printed

N = range(3)


def multiply(A, B):
    return [[sum(a * B[k][j] for k, a in enumerate(row)) for j in range(len(B[0]))] for row in A]


def product(*matrices):
    total = matrices[0]
    for B in matrices[1:]:
        total = multiply(total, B)
    return total


def transposed(A):
    return [list(column) for column in zip(*A, strict=True)]


def apply(A, u):
    return [sum(a * x for a, x in zip(row, u, strict=True)) for row in A]


def flat(A):
    return [x for row in A for x in row]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def about(axis, angle):
    """R(X, angle), R(Y, angle), R(Z, angle) for axis 0, 1, 2."""
    c, s, (j, k) = g.cos(angle), g.sin(angle), ((axis + 1) % 3, (axis + 2) % 3)
    R = [[float(a == b) for b in N] for a in N]
    R[axis][axis], R[j][j], R[j][k], R[k][j], R[k][k] = 1.0, c, -s, s, c
    return R


def entries(s):
    """R or Ṙ from the quantities R00 … R22."""
    return [[getattr(s, f"R{i}{j}") for j in N] for i in N]


def in_space(q, v):
    """ω_S, the vector of Ω_S = ṘRᵀ."""
    spin = multiply(entries(v), transposed(entries(q)))
    return [spin[2][1], spin[0][2], spin[1][0]]


def unit_energy(v):
    return sum(x**2 for x in v) / 2


def surfaces(q):
    """F(q) of (8.1), two constraints on four coordinates."""
    return [q.x**2 + q.y * q.z - 2 + q.w**2, q.x * g.sin(q.w) - q.z + q.y**2 / 2]


configuration = Printed(
    "TM §8.1",
    [
        ConstraintMatrix(
            "the velocities on a manifold, and its dimension",
            matrix=lambda q: [[sp.diff(f, x) for x in (q.x, q.y, q.z, q.w)] for f in surfaces(q)],
            number="(8.1), §8.1 (1), (2)",
            text="F(q) = (F₁, …, F_l) = 0, rank DF(q) = l, M_F = {q | F(q) = 0} of dimension n − l",
        )
    ],
    system=g.System(
        "two surfaces",
        coordinates="x y z w",
        kinetic_energy=unit_energy,
        constraints=[g.Holonomic("F", surfaces)],
    ),
    q=[0.9, 0.8, 0.9, 0.5],
    v=[0.3, -0.2, 0.4, 0.5],
    spread=0.2,
)


def pfaff(q):
    """A(q) of (8.2), with an entry for every coordinate."""
    return [
        [g.sin(q.x), q.y, 1 + 0.3 * q.w**2, 0.4 * q.x],
        [0.5 * q.z, g.cos(q.w), 0.3 * q.y * q.x, 2 + g.sin(q.z)],
    ]


def fields(q):
    """Two fields with A g = 0, by Cramer's rule."""
    (a, b, c, d), (e, f, h, k) = pfaff(q)
    det = c * k - d * h
    return [
        [det, 0 * det],
        [0 * det, det],
        [d * e - a * k, d * f - b * k],
        [a * h - c * e, b * h - c * f],
    ]


phase = Printed(
    "TM §8.2",
    [
        ConstraintMatrix("constraints in Pfaff's form", matrix=pfaff, number="(8.2)", text="A(q)q̇ = 0, rank A(q) = l"),
        ControlFields(
            "associated control system",
            matrix=fields,
            number="(8.3), §8.4.2 (1)",
            text="q̇ = G(q)u = Σg_i(q)u_i, A(q)g_i(q) = 0, m = n − l",
        ),
        Equation(
            "annihilated fields",
            left=lambda q: flat(multiply(pfaff(q), fields(q))),
            number="§8.2, text; §9, step 4",
            text="A(q)g_i(q) = 0",
        ),
    ],
    system=g.System(
        "two rows", coordinates="x y z w", kinetic_energy=unit_energy, constraints=[g.Pfaffian("A", pfaff)]
    ),
    q=[0.5, -0.4, 0.3, 0.6],
    v=[0.3, -0.2, 0.4, 0.5],
    spread=0.3,
)
PIN, SPOT = (0.4, -0.3, 0.5), (0.2, 0.1, -0.6)  # the point in the body, and where it is held


def euler(q):
    return product(about(2, q.phi), about(1, q.theta), about(2, q.psi))


def held(q):
    """s = Rp + T less the place where the point is held."""
    return [x + t - s for x, t, s in zip(apply(euler(q), PIN), (q.x, q.y, q.z), SPOT, strict=True)]


def rolling(q, v, s, T, dT):
    """ω_S × (s − T) + Ṫ."""
    return [x + y for x, y in zip(cross(in_space(q, v), [a - b for a, b in zip(s, T, strict=True)]), dT, strict=True)]


contact = Printed(
    "TM §8.3",
    [
        Equation(
            "a point of a body at rest",
            left=lambda q, v: [x + y for x, y in zip(apply(entries(v), PIN), (v.x, v.y, v.z), strict=True)],
            number="§8.3 (2)",
            text="ṡ = Ṙp + Ṫ = 0",
        ),
        Equation(
            "the same by the angular velocity",
            left=lambda q, v: rolling(q, v, SPOT, (q.x, q.y, q.z), (v.x, v.y, v.z)),
            number="(8.4)",
            text="ω_S × (s − T) + Ṫ = 0",
        ),
    ],
    system=g.System(
        "body held at a point",
        coordinates="x y z phi theta psi",
        kinetic_energy=unit_energy,
        constraints=[g.Holonomic("pin", held)],
    ),
    q=[0.1, 0.2, -0.4, 0.4, 1.1, 0.3],
    v=[0.3, -0.2, 0.1, 0.7, -0.4, 0.9],
    quantities={f"R{i}{j}": lambda q, i=i, j=j: euler(q)[i][j] for i in N for j in N},
    spread=0.3,
)
wheel = Printed(
    "TM Ex. 8.1",
    [
        Equation(
            "the rolling wheel of §8.2.2 by (8.4), its axis being Y in the body",
            left=lambda q, v, p: rolling(q, v, (q.x, q.y, 0), (q.x, q.y, p.r), (v.x, v.y, 0)),
            number="Ex. 8.1",
            text="ω_S × (s − T) + Ṫ = 0 for the rolling wheel",
        )
    ],
    system=g.System(
        "rolling wheel",
        coordinates="x y phi theta",
        kinetic_energy=unit_energy,
        constraints=[
            g.Pfaffian(
                "rolling",
                lambda q, p: [
                    [g.sin(q.phi), -g.cos(q.phi), 0.0, 0.0],
                    [g.cos(q.phi), g.sin(q.phi), 0.0, -p.r],
                ],
            )
        ],
        parameters={"r": 0.7},
    ),
    q=[0.1, 0.2, 0.4, 0.3],
    v=[0.3, -0.2, 0.7, 0.9],
    quantities={
        f"R{i}{j}": lambda q, i=i, j=j: product(about(2, q.phi), about(1, q.theta))[i][j] for i in N for j in N
    },
)


def turns(q):
    """The four elementary rotations whose product is R of §8.3.1."""
    return [about(2, q.gamma), about(0, sp.pi), about(1, -q.beta), about(2, -q.alpha)]


def back(q):
    """Rᵀ, as it is printed."""
    return product(about(2, q.alpha), about(1, q.beta), about(0, sp.pi), about(2, -q.gamma))


def three_terms(q, v):
    """Ω_S by the product rule, as it is printed; R(X, π) is constant."""
    first, second, third, fourth = turns(q)

    def rate(R, x, dx):
        return [[sp.diff(entry, x) * dx for entry in row] for row in R]

    parts = [
        product(rate(first, q.gamma, v.gamma), second, third, fourth),
        product(first, second, rate(third, q.beta, v.beta), fourth),
        product(first, second, third, rate(fourth, q.alpha, v.alpha)),
    ]
    return multiply([[sum(P[i][j] for P in parts) for j in N] for i in N], back(q))


def printed_omega(q, v):
    return [
        v.alpha * g.cos(q.gamma) * g.sin(q.beta) - v.beta * g.sin(q.gamma),
        v.alpha * g.sin(q.gamma) * g.sin(q.beta) + v.beta * g.cos(q.gamma),
        v.alpha * g.cos(q.beta) + v.gamma,
    ]


ball = Printed(
    "TM §8.3.1",
    [
        Equation(
            "orientation and its transpose",
            left=lambda q: flat(back(q)),
            right=lambda q: flat(transposed(entries(q))),
            number="§8.3.1 (4), (5)",
            text="Rᵀ = R(Z, α)R(Y, β)R(X, π)R(Z, −γ), R = R(Z, γ)R(X, π)R(Y, −β)R(Z, −α)",
        ),
        Equation(
            "angular velocity in space as a matrix",
            left=lambda q, v: flat(multiply(entries(v), transposed(entries(q)))),
            right=lambda q, v: flat(three_terms(q, v)),
            number="§8.3.1 (6)",
            text="Ω_S = ṘRᵀ = (Ṙ(Z, γ)R(X, π)R(Y, −β)R(Z, −α) + R(Z, γ)R(X, π)Ṙ(Y, −β)R(Z, −α) "
            "+ R(Z, γ)R(X, π)R(Y, −β)Ṙ(Z, −α))R(Z, α)R(Y, β)R(X, π)R(Z, −γ)",
        ),
        Equation(
            "angular velocity in space",
            left=in_space,
            right=printed_omega,
            number="§8.3.1 (7), Ex. 8.2",
            text="ω_S = (α̇ cos γ sin β − β̇ sin γ, α̇ sin γ sin β + β̇ cos γ, α̇ cos β + γ̇)",
        ),
        Equation(
            "(8.4), and no spin about the vertical",
            left=lambda q, v, p: [
                *rolling(q, v, (q.x, q.y, 0), (q.x, q.y, p.r), (v.x, v.y, 0)),
                printed_omega(q, v)[2],
            ],
            number="(8.4), §8.3.1 (3)",
            text="ω_S × (s − T) + Ṫ = 0, α̇ cos β + γ̇ = 0 with T = (x, y, r), s = (x, y, 0)",
        ),
    ],
    system=g.System(
        "rolling ball",
        coordinates="x y alpha beta gamma",
        kinetic_energy=unit_energy,
        constraints=[
            g.Pfaffian(
                "rolling",
                lambda q, p: [
                    [1.0, 0.0, -p.r * g.sin(q.gamma) * g.sin(q.beta), -p.r * g.cos(q.gamma), 0.0],
                    [0.0, 1.0, p.r * g.cos(q.gamma) * g.sin(q.beta), -p.r * g.sin(q.gamma), 0.0],
                    [0.0, 0.0, g.cos(q.beta), 0.0, 1.0],
                ],
            )
        ],
        parameters={"r": 0.7},
    ),
    q=[0.0, 0.0, 0.4, 1.1, 0.3],
    v=[0.1, -0.2, 0.8, 0.3, 1.0],
    quantities={f"R{i}{j}": lambda q, i=i, j=j: product(*turns(q))[i][j] for i in N for j in N},
)


def hat(w):
    return [[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]]


def plane_turn(q, last):
    """Entry (2, 1) of R(Z, γ)[ω] times `last`."""
    return product(about(2, q.gamma), hat([q.w1, q.w2, q.w3]), last)[2][1]


conjugate = Printed(
    "TM §8.3.1",
    [
        Equation(
            "skew matrix of a turned vector, entry (3, 2) for R = R(Z, γ)",
            left=lambda q: plane_turn(q, about(2, q.gamma)),
            right=lambda q: hat(apply(about(2, q.gamma), [q.w1, q.w2, q.w3]))[2][1],
            correct=(
                lambda q: plane_turn(q, transposed(about(2, q.gamma))),
                lambda q: hat(apply(about(2, q.gamma), [q.w1, q.w2, q.w3]))[2][1],
            ),
            number="§8.3.1, text before (7)",
            text="RΩRᵀ = R[ω]R = [Rω]",
            remark="the last factor must be transposed, as in exercise 6.3: R[ω]Rᵀ = [Rω]",
        )
    ],
    ranges=dict.fromkeys(("w1", "w2", "w3", "gamma"), (0.3, 1.4)),
)
system = phase.system
start = g.Start(q=phase.q, v=phase.v)
equations = [configuration, phase, contact, wheel, ball, conjugate]
