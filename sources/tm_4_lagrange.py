"""Printed equations of TM chapter 4 in general: Lagrange's equations, Christoffel's symbols, geodesics.

They are asked of a system of three coordinates whose inertia matrix has no zero and depends on every coordinate, with
a potential and with forces that depend on places, velocities and time; §4.3 of the same system without them.
"""

import sympy as sp

import gauss as g
from gauss.sources import Equation, Integral, Lagrangian, Printed

N = range(3)


def inertia(q, p):
    """Q(q), symmetric and positive definite."""
    off = [0.4 * g.cos(q.x - q.z), 0.3 * g.sin(q.y), 0.5 * p.k * g.cos(q.z)]
    return [
        [p.m * (3 + g.sin(q.y)), off[0], off[1]],
        [off[0], 2 + 0.5 * g.cos(q.x), off[2]],
        [off[1], off[2], p.m * (2 + g.sin(q.x + q.z))],
    ]


def kinetic(q, v, p):
    return sum(inertia(q, p)[i][j] * v[i] * v[j] for i in N for j in N) / 2


def energy(q, v, p):
    """The same kinetic energy term by term: what the systems have, and the printed forms are compared with."""
    squares = p.m * (3 + g.sin(q.y)) * v.x**2 + (2 + 0.5 * g.cos(q.x)) * v.y**2 + p.m * (2 + g.sin(q.x + q.z)) * v.z**2
    mixed = 0.4 * g.cos(q.x - q.z) * v.x * v.y + 0.3 * g.sin(q.y) * v.x * v.z + 0.5 * p.k * g.cos(q.z) * v.y * v.z
    return squares / 2 + mixed


def potential(q, p):
    return p.k * q.x * q.y**2 + g.sin(q.z) * g.cos(q.x) + 0.7 * q.z**2


def force(q, v, t):
    return [0.4 * g.sin(t) - 0.3 * v.y, 0.2 * q.z * v.x, 0.6 - 0.5 * v.z * q.y]


def lagrangian(q, v, p):
    return kinetic(q, v, p) - potential(q, p)


def gradient(f, symbols):
    return [sp.diff(f, symbols[k]) for k in N]


def product(matrix, vector):
    return [sum(matrix[i][j] * vector[j] for j in N) for i in N]


def form(u, matrix, w):
    return sum(u[i] * matrix[i][j] * w[j] for i in N for j in N)


def first_kind(k, i, j, q, p):
    """Christoffel's symbol c_ij^k of the first kind, as it is printed."""
    Q = inertia(q, p)
    return (sp.diff(Q[i][k], q[j]) + sp.diff(Q[k][j], q[i]) - sp.diff(Q[i][j], q[k])) / 2


def coriolis(q, v, p):
    """C(q, q̇), as it is printed."""
    return [[sum(first_kind(k, i, j, q, p) * v[i] for i in N) for j in N] for k in N]


def inverse(q):
    """The entries of Q⁻¹, which are quantities of the collection."""
    return [[getattr(q, f"W{min(i, j)}{max(i, j)}") for j in N] for i in N]


def second_kind(k, i, j, q, p):
    """Christoffel's symbol Γ_ij^k of the second kind, as it is printed."""
    return sum(inverse(q)[k][n] * first_kind(n, i, j, q, p) for n in N)


def inverse_entry(i, j):
    return lambda q, p: (
        sp.Matrix(3, 3, lambda a, b: inertia(q, p)[a][b]).adjugate()[i, j]
        / sp.Matrix(3, 3, lambda a, b: inertia(q, p)[a][b]).det(method="berkowitz")
    )


def rates(v):
    """Q̇, the rates of the quantities Q00 … Q22."""
    return [[getattr(v, f"Q{min(i, j)}{max(i, j)}") for j in N] for i in N]


def without_forces(q, v, a, p):
    """The left side of Lagrange's equations, with the second derivatives of L."""
    L = lagrangian(q, v, p)
    momentum = gradient(L, v)
    mixed = [[sp.diff(momentum[i], q[j]) for j in N] for i in N]
    return [
        x + y - z
        for x, y, z in zip(
            product([gradient(m, v) for m in momentum], a), product(mixed, v), gradient(L, q), strict=True
        )
    ]


def solved(q, v, p, t):
    """The right side of (4.2); ∂²L/∂q̇² is Q, whose inverse is a quantity."""
    L = lagrangian(q, v, p)
    mixed = [[sp.diff(sp.diff(L, v[i]), q[j]) for j in N] for i in N]
    right = [x - y + f for x, y, f in zip(gradient(L, q), product(mixed, v), force(q, v, t), strict=True)]
    return product(inverse(q), right)


PARAMETERS = {"m": 1.3, "k": 0.8}
ENTRIES = {f"Q{i}{j}": lambda q, p, i=i, j=j: inertia(q, p)[i][j] for i in N for j in N if i <= j}
INVERSE = {f"W{i}{j}": inverse_entry(i, j) for i in N for j in N if i <= j}
HERE = {"q": [0.4, 0.7, -0.5], "v": [0.6, -0.8, 0.5]}

general = Printed(
    "TM §4.2",
    [
        Equation(
            "Lagrange's equations",
            left=lambda q, v, p: [
                x - y for x, y in zip([v.p0, v.p1, v.p2], gradient(lagrangian(q, v, p), q), strict=True)
            ],
            right=force,
            number="(4.1)",
            text="d/dt ∂L/∂q̇ − ∂L/∂q = F",
        ),
        Equation(
            "differentiated",
            left=without_forces,
            right=force,
            number="ch. 4 (3)",
            text="(∂²L/∂q̇²)q̈ + (∂²L/∂q∂q̇)q̇ − ∂L/∂q = F",
        ),
        Equation(
            "solved for the accelerations",
            left=lambda a: [a.x, a.y, a.z],
            right=solved,
            number="(4.2)",
            text="q̈ = (∂²L/∂q̇²)⁻¹(∂L/∂q − (∂²L/∂q∂q̇)q̇ + F)",
        ),
        Equation(
            "kinetic energy",
            left=lambda q: [q.K, q.K],
            right=lambda q, v, p: [form(v, inertia(q, p), v) / 2, kinetic(q, v, p)],
            number="§4.2 (1)",
            text="K = ½q̇ᵀQq̇ = ½ΣQ_ij q̇_i q̇_j",
        ),
        Lagrangian("Lagrangian", function=lagrangian, number="(4.3)", text="L = ½ΣQ_ij q̇_i q̇_j − V"),
        Equation(
            "by Christoffel's symbols of the first kind",
            left=lambda q, v, a, p: [
                sum(inertia(q, p)[k][i] * a[i] for i in N)
                + sum(first_kind(k, i, j, q, p) * v[i] * v[j] for i in N for j in N)
                + sp.diff(potential(q, p), q[k])
                for k in N
            ],
            right=force,
            number="(4.4), §4.2 (2)",
            text="ΣQ_ki q̈_i + Σc_ij^k q̇_i q̇_j + ∂V/∂q_k = F_k, c_ij^k = ½(∂Q_ik/∂q_j + ∂Q_kj/∂q_i − ∂Q_ij/∂q_k)",
        ),
        Equation(
            "as matrices",
            left=lambda q, v, a, p: [
                x + y + z
                for x, y, z in zip(
                    product(inertia(q, p), a),
                    product(coriolis(q, v, p), v),
                    gradient(potential(q, p), q),
                    strict=True,
                )
            ],
            right=force,
            number="(4.5), §4.2 (3), (4)",
            text="Qq̈ + Cq̇ + D = F, C_kj = Σ_i c_ij^k q̇_i, D_k = ∂V/∂q_k",
        ),
        Equation(
            "by Christoffel's symbols of the second kind",
            left=lambda q, v, a, p: [
                a[k]
                + sum(second_kind(k, i, j, q, p) * v[i] * v[j] for i in N for j in N)
                + product(inverse(q), gradient(potential(q, p), q))[k]
                for k in N
            ],
            right=lambda q, v, t: product(inverse(q), force(q, v, t)),
            number="(4.6), §4.2 (5), (6)",
            text="q̈_k + ΣΓ_ij^k q̇_i q̇_j + D̄_k = F̄_k, D̄ = Q⁻¹D, F̄ = Q⁻¹F, Γ_ij^k = ΣQ⁻¹_kl c_ij^l",
        ),
        Equation(
            "symmetry of the symbols of the first kind",
            left=lambda q, p: [first_kind(k, i, j, q, p) for k in N for i, j in ((0, 1), (1, 2), (2, 0))],
            right=lambda q, p: [first_kind(k, j, i, q, p) for k in N for i, j in ((0, 1), (1, 2), (2, 0))],
            number="§4.2 (7)",
            text="c_ij^k = c_ji^k",
        ),
        Equation(
            "rate of the inertia matrix",
            left=lambda v: [rates(v)[i][j] for i in N for j in N],
            right=lambda q, v, p: [coriolis(q, v, p)[i][j] + coriolis(q, v, p)[j][i] for i in N for j in N],
            number="(4.7), Ex. 4.1",
            text="Q̇ = C + Cᵀ",
        ),
    ],
    system=g.System(
        "three coordinates",
        coordinates="x y z",
        kinetic_energy=energy,
        potential_energy=potential,
        force=force,
        parameters=PARAMETERS,
    ),
    quantities={f"p{k}": lambda q, v, p, k=k: sp.diff(energy(q, v, p), v[k]) for k in N}
    | {"K": energy}
    | ENTRIES
    | INVERSE,
    **HERE,
)


def root(q, v, p):
    return g.sqrt(kinetic(q, v, p))


geodesics = Printed(
    "TM §4.3",
    [
        Lagrangian("kinetic energy alone", function=kinetic, number="(4.8)", text="L = ½q̇ᵀQq̇"),
        Equation(
            "Lagrange's equations",
            left=lambda q, v, a, p: [
                x + y for x, y in zip(product(inertia(q, p), a), product(coriolis(q, v, p), v), strict=True)
            ],
            number="(4.9)",
            text="Qq̈ + Cq̇ = 0",
        ),
        Integral("L is constant", function=kinetic, number="§4.3 (1)", text="dL/dt = 0"),
        Equation(
            "rate of L",
            left=lambda v: v.L,
            right=lambda q, v, a, p: form(v, inertia(q, p), a) + form(v, rates(v), v) / 2,
            number="§4.3 (2)",
            text="dL/dt = q̇ᵀQq̈ + ½q̇ᵀQ̇q̇",
        ),
        Equation(
            "its forms by the equations of motion",
            left=lambda q, v, a, p: [
                form(v, inertia(q, p), a) + form(v, rates(v), v) / 2,
                form(v, rates(v), v) / 2 - form(v, coriolis(q, v, p), v),
                form(v, [[rates(v)[i][j] - 2 * coriolis(q, v, p)[i][j] for j in N] for i in N], v) / 2,
                form(v, [[coriolis(q, v, p)[j][i] - coriolis(q, v, p)[i][j] for j in N] for i in N], v) / 2,
            ],
            number="§4.3 (3)",
            text="½q̇ᵀQ̇q̇ − q̇ᵀCq̇ = ½q̇ᵀ(Q̇ − 2C)q̇ = ½q̇ᵀ(Cᵀ − C)q̇ = 0",
        ),
        Equation(
            "Lagrange's equations of √L",
            left=lambda q, v, p: [getattr(v, f"s{k}") - sp.diff(root(q, v, p), q[k]) for k in N],
            right=lambda q, v, p: [
                getattr(v, f"r{k}") - sp.diff(kinetic(q, v, p), q[k]) / (2 * root(q, v, p)) for k in N
            ],
            number="§4.3 (4)",
            text="d/dt ∂√L/∂q̇ − ∂√L/∂q = d/dt (1/(2√L)) ∂L/∂q̇ − (1/(2√L)) ∂L/∂q",
        ),
        Equation(
            "they hold along the motions of L",
            left=lambda q, v, p: [
                *(getattr(v, f"s{k}") - sp.diff(root(q, v, p), q[k]) for k in N),
                *((getattr(v, f"p{k}") - sp.diff(kinetic(q, v, p), q[k])) / (2 * root(q, v, p)) for k in N),
            ],
            number="§4.3 (5), Thm 4.3.1",
            text="(1/(2√L)) (d/dt ∂L/∂q̇ − ∂L/∂q) = 0",
        ),
    ],
    system=g.System("three coordinates, free", coordinates="x y z", kinetic_energy=energy, parameters=PARAMETERS),
    quantities={"L": energy}
    | {f"p{k}": lambda q, v, p, k=k: sp.diff(energy(q, v, p), v[k]) for k in N}
    | {f"s{k}": lambda q, v, p, k=k: sp.diff(root(q, v, p), v[k]) for k in N}
    | {f"r{k}": lambda q, v, p, k=k: sp.diff(kinetic(q, v, p), v[k]) / (2 * root(q, v, p)) for k in N}
    | ENTRIES,
    **HERE,
)


def image(q, u):
    """DF(φ, θ) u for the spherical coordinates F of §4.4 and u = (u[0], u[1])."""
    F = [g.sin(q.theta) * g.cos(q.phi), g.sin(q.theta) * g.sin(q.phi), g.cos(q.theta)]
    return [sp.diff(x, q.phi) * u[0] + sp.diff(x, q.theta) * u[1] for x in F]


sphere = Printed(
    "TM §4.4",
    [
        Equation(
            "product of tangent vectors",
            left=lambda q: sum(x * y for x, y in zip(image(q, [q.a, q.b]), image(q, [q.c, q.d]), strict=True)),
            right=lambda q: g.sin(q.theta) ** 2 * q.a * q.c + q.b * q.d,
            number="§4.4 (3)–(6)",
            text="v₁ = DF u₁, v₂ = DF u₂, (u₁, u₂)_Q = u₁ᵀQu₂ = v₁ᵀv₂ = u₁ᵀ DFᵀDF u₂, Q = [sin²θ, 0; 0, 1]",
        )
    ],
    ranges=dict.fromkeys(("phi", "theta", "a", "b", "c", "d"), (-2.0, 2.0)),
)
system = general.system
start = g.Start(q=HERE["q"], v=HERE["v"])
equations = [general, geodesics, sphere]
