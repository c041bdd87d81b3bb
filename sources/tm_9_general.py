"""Printed equations of TM chapter 9 in general, (9.1)–(9.3), and what §9.1.2–9.1.3 print beside their scenarios.

The general part is asked of four coordinates with two rows; the inertia matrix, the rows and the fields G depend on the
coordinates and have no entry that is always zero. G, Q, P, GᵀQG and AAᵀ are quantities, so that the printed products
stay short; Q and P are formed from the kinetic energy.
"""

import sympy as sp

import gauss as g
from gauss.sources import Equation, Printed

N, M = range(4), range(2)


def symbols(s):
    return [s.x, s.y, s.z, s.w]


def energy(q, v, p):
    """The kinetic energy, term by term."""
    squares = p.m * (2 + g.sin(q.y)) * v.x**2 + 1.75 * v.y**2 + (1.5 + 0.25 * g.cos(q.x)) * v.z**2 + v.w**2
    mixed = 0.5 * g.cos(q.z) * v.x * v.y + 0.25 * g.sin(q.x) * v.z * v.w + 0.25 * v.y * v.w
    return squares / 2 + mixed + 0.25 * q.w * v.x * v.z + 0.125 * v.x * v.w + 0.25 * g.cos(q.y) * v.y * v.z


def potential(q, p):
    return p.k * q.x * q.y + g.sin(q.z) + 0.5 * q.w**2 * q.x


def rows(q):
    """A(q)."""
    return [
        [g.sin(q.x), q.y, 1 + 0.25 * q.w**2, 0.5 * q.x],
        [0.5 * q.z, g.cos(q.w), 0.25 * q.y * q.x, 2 + g.sin(q.z)],
    ]


def determinant(q):
    (_, _, c, d), (_, _, h, k) = rows(q)
    return c * k - d * h


def fields(q):
    """G(q) with A G = 0: its columns are g₁ − ¼g₂ and ½g₁ + g₂ for the two fields by Cramer's rule."""
    (a, b, c, d), (e, f, h, k) = rows(q)
    det = c * k - d * h
    pairs = [(det, 0 * det), (0 * det, det), (d * e - a * k, d * f - b * k), (a * h - c * e, b * h - c * f)]
    return [[one - two / 4, one / 2 + two] for one, two in pairs]


def quasi(first, second):
    """A quasi-velocity: first·ẋ + second·ẏ over the determinants, so that q̇ = Gη."""
    return lambda q, v: (first * v.x + second * v.y) / (determinant(q) * sp.Rational(9, 8))


def inertia_entry(i, j):
    return lambda q, v, p: sp.diff(sp.diff(energy(q, v, p), symbols(v)[i]), symbols(v)[j])


def metric(i, j):
    """An entry of GᵀQG."""

    def function(q, v, p):
        Q = [[inertia_entry(a, b)(q, v, p) for b in N] for a in N]
        return sum(fields(q)[a][i] * Q[a][b] * fields(q)[b][j] for a in N for b in N)

    return function


def gram(i, j):
    """An entry of AAᵀ."""
    return lambda q: sum(a * b for a, b in zip(rows(q)[i], rows(q)[j], strict=True))


def remainder(k):
    """P_k: the terms of Lagrange's equation without second derivatives."""

    def function(q, v, p):
        momentum = sp.diff(energy(q, v, p), symbols(v)[k])
        turning = sum(sp.diff(momentum, x) * dx for x, dx in zip(symbols(q), symbols(v), strict=True))
        return turning - sp.diff(energy(q, v, p) - potential(q, p), symbols(q)[k])

    return function


def fields_of(s):
    """G, or Ġ, from the quantities."""
    return [[getattr(s, f"G{i}{j}") for j in M] for i in N]


def inertia(q):
    return [[getattr(q, f"Q{min(i, j)}{max(i, j)}") for j in N] for i in N]


def rest(q):
    return [q.P0, q.P1, q.P2, q.P3]


def transposed(A):
    return [list(column) for column in zip(*A, strict=True)]


def multiply(A, B):
    return [[sum(a * B[k][j] for k, a in enumerate(row)) for j in range(len(B[0]))] for row in A]


def apply(A, u):
    return [sum(a * x for a, x in zip(row, u, strict=True)) for row in A]


def added(*vectors):
    return [sum(entries[1:], entries[0]) for entries in zip(*vectors, strict=True)]


def grip(q, l):
    """F = Aᵀλ."""
    return apply(transposed(rows(q)), [l[0], l[1]])


def full(q, a):
    """Qq̈ + P."""
    return added(apply(inertia(q), symbols(a)), rest(q))


def inverse(q, letter, u):
    """S⁻¹u of a symmetric 2 × 2 matrix of quantities, GᵀQG (letter S) or AAᵀ (letter B)."""
    a, b, c = (getattr(q, letter + place) for place in ("00", "01", "11"))
    return [(c * u[0] - b * u[1]) / (a * c - b**2), (a * u[1] - b * u[0]) / (a * c - b**2)]


def eta(s):
    return [s.eta_1, s.eta_2]


def reduced(q):
    """GᵀQ."""
    return multiply(transposed(fields_of(q)), inertia(q))


def bent(q, v):
    """QĠη + P."""
    return added(apply(inertia(q), apply(fields_of(v), eta(q))), rest(q))


def grip_from_accelerations(q, a):
    """The right side of (9.3)."""
    A = rows(q)
    return apply(transposed(A), inverse(q, "B", apply(A, full(q, a))))


general = Printed(
    "TM §9",
    [
        Equation(
            "Lagrange's equations",
            left=lambda q, v, p: (
                [getattr(v, f"p{k}") - sp.diff(energy(q, v, p) - potential(q, p), symbols(q)[k]) for k in N] * 2
            ),
            right=lambda q, a, l: [*full(q, a), *grip(q, l)],
            number="§9, step 1",
            text="d/dt ∂L/∂q̇ − ∂L/∂q = Qq̈ + P = F",
        ),
        Equation(
            "d'Alembert's principle",
            left=lambda q, v, l: sum(f * x for f, x in zip(grip(q, l), symbols(v), strict=True)),
            number="§9, step 2",
            text="A(q)q̇ = 0 → Fᵀq̇ = 0, Fᵀ = λᵀA(q), F = Aᵀ(q)λ",
        ),
        Equation("equations with multipliers", left=full, right=grip, number="(9.1)", text="Qq̈ + P = Aᵀλ"),
        Equation(
            "multipliers eliminated",
            left=lambda q, v, a: [
                *(x - y for x, y in zip(symbols(v), apply(fields_of(q), eta(q)), strict=True)),
                *apply(transposed(fields_of(q)), full(q, a)),
            ],
            number="§9, step 4",
            text="q̇ = G(q)η, GᵀQq̈ + GᵀP = 0",
        ),
        Equation(
            "accelerations by quasi-velocities",
            left=lambda a, q, v: [
                *symbols(a),
                *apply(multiply(reduced(q), fields_of(q)), eta(v)),
            ],
            right=lambda q, v: [
                *added(apply(fields_of(q), eta(v)), apply(fields_of(v), eta(q))),
                *(-x for x in apply(transposed(fields_of(q)), bent(q, v))),
            ],
            number="§9, step 5",
            text="q̈ = Gη̇ + Ġη, GᵀQGη̇ + GᵀQĠη + GᵀP = 0",
        ),
        Equation(
            "equations of motion",
            left=lambda v: [*symbols(v), *eta(v)],
            right=lambda q, v: [
                *apply(fields_of(q), eta(q)),
                *(-x for x in inverse(q, "S", apply(transposed(fields_of(q)), bent(q, v)))),
            ],
            number="(9.2)",
            text="q̇ = Gη, η̇ = −(GᵀQG)⁻¹Gᵀ(QĠη + P)",
        ),
        Equation(
            "multiplied by A",
            left=lambda q, a: apply(rows(q), full(q, a)),
            right=lambda q, l: apply(rows(q), grip(q, l)),
            number="Thm 9.1 (1)",
            text="AQq̈ + AP = AAᵀλ",
        ),
        Equation(
            "forces of grip",
            left=grip,
            right=grip_from_accelerations,
            number="(9.3)",
            text="F = Aᵀλ = Aᵀ(AAᵀ)⁻¹A(Qq̈ + P)",
        ),
    ],
    system=g.System(
        "four coordinates with two rows",
        coordinates="x y z w",
        kinetic_energy=energy,
        potential_energy=potential,
        constraints=[g.Pfaffian("A", rows)],
        parameters={"m": 1.3, "k": 0.8},
    ),
    q=[0.5, -0.4, 0.3, 0.6],
    v=[0.3, -0.2, 0.4, 0.5],
    quantities={f"Q{i}{j}": inertia_entry(i, j) for i in N for j in N if i <= j}
    | {f"P{k}": remainder(k) for k in N}
    | {f"p{k}": lambda q, v, p, k=k: sp.diff(energy(q, v, p), symbols(v)[k]) for k in N}
    | {f"G{i}{j}": lambda q, i=i, j=j: fields(q)[i][j] for i in N for j in M}
    | {"S00": metric(0, 0), "S01": metric(0, 1), "S11": metric(1, 1)}
    | {"B00": gram(0, 0), "B01": gram(0, 1), "B11": gram(1, 1)}
    | {"eta_1": quasi(1, -sp.Rational(1, 2)), "eta_2": quasi(sp.Rational(1, 4), 1)},
    spread=0.2,
)
SPIN, ROLL = 0.9, 1.4  # rad/s: ω and η of §9.1.2
wheel = Printed(
    "TM §9.1.2",
    [
        Equation(
            "velocity of the contact",
            left=lambda v: [v.x, v.y],
            right=lambda t, p: [
                p.eta * p.r * g.cos(p.omega * t),
                p.eta * p.r * g.sin(p.omega * t),
            ],
            along=True,
            number="§9.1.2, after (7)",
            text="ẋ = ηr cos ωt, ẏ = ηr sin ωt",
        )
    ],
    system=g.System(
        "upright wheel",
        coordinates="x y alpha beta",
        kinetic_energy=lambda v: (1.3 * (v.x**2 + v.y**2) + 0.9 * v.beta**2 + 0.4 * v.alpha**2) / 2,
        constraints=[
            g.Pfaffian(
                "rolling",
                lambda q: [
                    [g.sin(q.alpha), -g.cos(q.alpha), 0.0, 0.0],
                    [g.cos(q.alpha), g.sin(q.alpha), 0.0, -0.7],
                ],
            )
        ],
    ),
    q=[0.0, 0.0, 0.0, 0.0],
    v=[0.7 * ROLL, 0.0, SPIN, ROLL],
    t_end=2.0,
    parameters={"eta": ROLL, "omega": SPIN, "r": 0.7},
)


def about(axis, angle):
    """R(X, angle), R(Y, angle), R(Z, angle) for axis 0, 1, 2."""
    c, s, (j, k) = g.cos(angle), g.sin(angle), ((axis + 1) % 3, (axis + 2) % 3)
    R = [[float(a == b) for b in range(3)] for a in range(3)]
    R[axis][axis], R[j][j], R[j][k], R[k][j], R[k][k] = 1.0, c, -s, s, c
    return R


def product(*matrices):
    total = matrices[0]
    for B in matrices[1:]:
        total = multiply(total, B)
    return [x for row in total for x in row]


angles = Printed(
    "TM §9.1.3",
    [
        Equation(
            "Euler angles of the ball",
            left=lambda q: product(about(2, q.gamma), about(0, sp.pi), about(1, -q.beta), about(2, -q.alpha)),
            right=lambda q: product(about(2, sp.pi + q.gamma), about(1, sp.pi - q.beta), about(2, -q.alpha)),
            number="§9.1.3, before (1)",
            text="R = R(Z, γ)R(X, π)R(Y, −β)R(Z, −α) = E(φ, θ, ψ), e = (π + γ, π − β, −α)",
        )
    ],
    ranges=dict.fromkeys(("alpha", "beta", "gamma"), (0.3, 1.2)),
)
ball = Printed(
    "TM §9.1.3",
    [
        Equation(
            "all equations of motion",
            left=lambda q, v: [
                *[v.x, v.y, v.alpha, v.gamma, v.beta],
                v.eta_1 * g.sin(q.beta) ** 2 + 2 * q.eta_1 * q.eta_2 * g.sin(q.beta) * g.cos(q.beta),
                v.eta_2 - q.eta_1**2 * g.sin(q.beta) * g.cos(q.beta),
            ],
            right=lambda q, p: [
                q.eta_1 * p.r * g.sin(q.beta) * g.sin(q.gamma) + q.eta_2 * p.r * g.cos(q.gamma),
                -q.eta_1 * p.r * g.sin(q.beta) * g.cos(q.gamma) + q.eta_2 * p.r * g.sin(q.gamma),
                *[q.eta_1, -q.eta_1 * g.cos(q.beta), q.eta_2, 0.0, 0.0],
            ],
            number="§9.1.3 (9)",
            text="ẋ = η₁r sin β sin γ + η₂r cos γ, …, η̇₁ sin²β + 2η₁η₂ sin β cos β = 0, η̇₂ − η₁² sin β cos β = 0",
        ),
        Equation(
            "angular accelerations",
            left=lambda a: [a.alpha, a.beta],
            right=lambda v: [v.eta_1, v.eta_2],
            number="§9.1.3 (6a)",
            text="α̈ = η̇₁, β̈ = η̇₂",
        ),
    ],
    system=g.System(
        "rolling ball",
        coordinates="x y alpha beta gamma",
        kinetic_energy=lambda q, v, p: (
            (
                p.m * (v.x**2 + v.y**2)
                + p.I * ((v.gamma + v.alpha * g.cos(q.beta)) ** 2 + (v.alpha * g.sin(q.beta)) ** 2 + v.beta**2)
            )
            / 2
        ),
        constraints=[
            g.Pfaffian(
                "rolling",
                lambda q, p: [
                    [1.0, 0.0, -p.r * g.sin(q.beta) * g.sin(q.gamma), -p.r * g.cos(q.gamma), 0.0],
                    [0.0, 1.0, p.r * g.sin(q.beta) * g.cos(q.gamma), -p.r * g.sin(q.gamma), 0.0],
                    [0.0, 0.0, g.cos(q.beta), 0.0, 1.0],
                ],
            )
        ],
        parameters={"m": 1.3, "I": 0.6, "r": 0.7},
    ),
    q=[0.0, 0.0, 0.4, 1.1, 0.3],
    v=[0.1, -0.2, 0.8, 0.3, 1.0],
    quantities={"eta_1": lambda v: v.alpha, "eta_2": lambda v: v.beta},
    spread=0.3,
)
system = general.system
start = g.Start(q=general.q, v=general.v)
equations = [general, wheel, angles, ball]
