"""Printed equations of TM §5.1–5.6 in general: Legendre's transform, canonical equations, Poisson's bracket.

The Hamiltonian of the general part belongs to a system of two coordinates with a full inertia matrix, a potential and
forces. Momenta are quantities, formed from the kinetic energy; formulas over them are differentiated as printed.
"""

import sympy as sp

import gauss as g
from gauss.sources import Equation, Hamiltonian, Printed

N = range(2)


def legendre(names, f, argument, rest, number, text):
    """F(p) of a function f: d(pv − f)/dv = 0 at v(p), F = pv(p) − f(v(p)), and F − (pw − f(w)) = rest ≥ 0 for any w."""

    def pairs(q, letter):
        return [getattr(q, letter + n) for n in names]

    def value(q, v):
        return sum(x * y for x, y in zip(pairs(q, "p"), v, strict=True)) - f(v)

    return Printed(
        "TM §5.1",
        [
            Equation(
                "argument of the maximum, value and maximum",
                left=lambda q: [
                    *(sp.diff(value(q, pairs(q, "v")), v) for v in pairs(q, "v")),
                    value(q, pairs(q, "v")) - value(q, pairs(q, "w")),
                ],
                right=lambda q: [*(0 * v for v in pairs(q, "v")), rest(pairs(q, "w"), pairs(q, "v"))],
                number=number,
                text=text,
            )
        ],
        ranges={letter + n: limits for letter, limits in (("p", (0.3, 2.0)), ("w", (-2.0, 2.0))) for n in names},
        quantities={f"v{n}": lambda q, k=k: argument(pairs(q, "p"))[k] for k, n in enumerate(names)},
    )


scalar = "F(p) = max_v (pv − f(v)), d/dv (pv − f(v)) = 0, F(p) = pv(p) − f(v(p)), f = "
square = legendre(
    ("1",),
    lambda v: v[0] ** 2,
    lambda p: [p[0] / 2],
    lambda w, v: (w[0] - v[0]) ** 2,
    "§5.1 (1)–(3), Ex. 5.1",
    scalar + "v²",
)
fourth = legendre(
    ("1",),
    lambda v: v[0] ** 4,
    lambda p: [(p[0] / 4) ** sp.Rational(1, 3)],
    lambda w, v: (w[0] - v[0]) ** 2 * ((w[0] + v[0]) ** 2 + 2 * v[0] ** 2),
    "§5.1 (1)–(3), Ex. 5.1",
    scalar + "v⁴",
)
vectors = legendre(
    ("1", "2"),
    lambda v: v[0] ** 2 + v[0] * v[1] + 1.5 * v[1] ** 2 - 0.4 * v[0],
    lambda p: [(3 * (p[0] + 0.4) - p[1]) / 5, (2 * p[1] - p[0] - 0.4) / 5],
    lambda w, v: (w[0] - v[0]) ** 2 + (w[0] - v[0]) * (w[1] - v[1]) + 1.5 * (w[1] - v[1]) ** 2,
    "§5.1 (4)–(6)",
    "F(p) = max_v (pᵀv − f(v)), p = ∂f/∂v, F(p) = pᵀv(p) − f(v(p))",
)


def inertia(q, p):
    return [[p.m * (2 + g.cos(q.y)), 0.6 * g.sin(q.x)], [0.6 * g.sin(q.x), 1.5 + 0.4 * g.sin(q.x + q.y)]]


def energy(q, v, p):
    """The kinetic energy of the system, term by term."""
    squares = p.m * (2 + g.cos(q.y)) * v.x**2 + (1.5 + 0.4 * g.sin(q.x + q.y)) * v.y**2
    return squares / 2 + 0.6 * g.sin(q.x) * v.x * v.y


def potential(q, p):
    return p.k * q.x * q.y + g.sin(q.y) * g.cos(2 * q.x)


def force(q, v, t):
    return [0.3 * g.sin(t) - 0.4 * v.y * q.x, 0.5 - 0.2 * v.x]


def momenta(q):
    return [q.p_1, q.p_2]


def velocity(q, p):
    """v(q, p) = Q⁻¹p."""
    ((a, b), (c, d)), (e, f) = inertia(q, p), momenta(q)
    return [(d * e - b * f) / (a * d - b * c), (a * f - c * e) / (a * d - b * c)]


def lagrangian(q, v, p):
    Q = inertia(q, p)
    return sum(v[i] * Q[i][j] * v[j] for i in N for j in N) / 2 - potential(q, p)


def hamiltonian(q, p):
    """H by (5.2)."""
    return sum(x * y for x, y in zip(momenta(q), velocity(q, p), strict=True)) / 2 + potential(q, p)


def by_momentum(q, v, p):
    return [sp.diff(lagrangian(q, v, p), v[i]) for i in N]


def chain(q, v, p, symbol):
    """pᵀ∂v/∂s − (∂L/∂v)ᵀ∂v/∂s for a coordinate or a momentum s."""
    slopes = [sp.diff(x, symbol) for x in velocity(q, p)]
    return sum((a - b) * x for a, b, x in zip(momenta(q), by_momentum(q, v, p), slopes, strict=True))


def bracket(F1, F2, q):
    """Poisson's bracket as it is printed, of formulas over the coordinates and momenta."""
    return sum(
        sp.diff(F1, x) * sp.diff(F2, y) - sp.diff(F1, y) * sp.diff(F2, x)
        for x, y in zip((q.x, q.y), momenta(q), strict=True)
    )


def maximum(q, v, p):
    """H − (pᵀw − L(q, w)) for w off the velocities by (0.7, −0.4)."""
    w = [v.x + 0.7, v.y - 0.4]
    return hamiltonian(q, p) - sum(x * y for x, y in zip(momenta(q), w, strict=True)) + lagrangian(q, w, p)


def some(q, p_1, p_2):
    """An arbitrary function of coordinates and momenta."""
    return p_1**2 * g.sin(q.y) + q.x * p_1 * p_2 - q.y**2 * p_2


def system_of(name, **more):
    return g.System(
        name,
        coordinates="x y",
        kinetic_energy=energy,
        potential_energy=potential,
        parameters={"m": 1.3, "k": 0.8},
        **more,
    )


MOMENTA = {
    "p_1": lambda q, v, p: sp.diff(energy(q, v, p), v.x),
    "p_2": lambda q, v, p: sp.diff(energy(q, v, p), v.y),
}
HERE = {"q": [0.4, 0.7], "v": [0.6, -0.8]}
canonical = Printed(
    "TM §5.2–5.3",
    [
        Equation(
            "the Hamiltonian is the maximum",
            left=maximum,
            right=lambda q, p: (
                (0.49 * inertia(q, p)[0][0] - 0.56 * inertia(q, p)[0][1] + 0.16 * inertia(q, p)[1][1]) / 2
            ),
            number="§5.2 (1)",
            text="H = max_v (pᵀv − L(q, v)): H − (pᵀw − L(q, w)) = ½(w − v)ᵀQ(w − v)",
        ),
        Hamiltonian(
            "Hamiltonian",
            function=lambda q, p: (
                sum(x * y for x, y in zip(momenta(q), velocity(q, p), strict=True)) - lagrangian(q, velocity(q, p), p)
            ),
            number="(5.1), §5.3 (5)",
            text="H = pᵀv(q, p) − L(q, v(q, p))",
        ),
        Equation(
            "momentum and velocity",
            left=lambda q, v: [q.p_1, q.p_2, q.p_1, q.p_2, v.x, v.y],
            right=lambda q, v, p: [
                *by_momentum(q, v, p),
                *(sum(inertia(q, p)[i][j] * v[j] for j in N) for i in N),
                *velocity(q, p),
            ],
            number="§5.2 (2)–(4), §5.3 (4)",
            text="p = ∂L/∂v = Qv, v = Q⁻¹p",
        ),
        Hamiltonian("by the inertia matrix", function=hamiltonian, number="(5.2)", text="H = ½pᵀQ⁻¹p + V"),
        Equation(
            "Lagrange's equations",
            left=lambda q, v, p: [v.p_1 - sp.diff(lagrangian(q, v, p), q.x), v.p_2 - sp.diff(lagrangian(q, v, p), q.y)],
            right=force,
            number="§5.3 (3)",
            text="d/dt ∂L/∂q̇ − ∂L/∂q = F",
        ),
        Equation(
            "derivatives by the coordinates",
            left=lambda q, p: [sp.diff(hamiltonian(q, p), q[i]) for i in N] * 2,
            right=lambda q, v, p: [
                *(chain(q, v, p, q[i]) - sp.diff(lagrangian(q, v, p), q[i]) for i in N),
                *(-sp.diff(lagrangian(q, v, p), q[i]) for i in N),
            ],
            number="§5.3 (6), (7)",
            text="∂H/∂q_i = pᵀ∂v/∂q_i − ∂L/∂q_i − (∂L/∂v)ᵀ∂v/∂q_i = −∂L/∂q_i",
        ),
        Equation(
            "rates of the momenta",
            left=lambda q, v, p: [*(sp.diff(lagrangian(q, v, p), q[i]) for i in N), v.p_1, v.p_2],
            right=lambda q, v, p, t: [
                v.p_1 - force(q, v, t)[0],
                v.p_2 - force(q, v, t)[1],
                *(-sp.diff(hamiltonian(q, p), q[i]) + force(q, v, t)[i] for i in N),
            ],
            number="§5.3 (8), (9)",
            text="∂L/∂q_i = ṗ_i − F_i, ṗ_i = −∂H/∂q_i + F_i",
        ),
        Equation(
            "derivatives by the momenta",
            left=lambda q, p: [sp.diff(hamiltonian(q, p), x) for x in momenta(q)] * 2,
            right=lambda q, v, p: [
                *(v[i] + chain(q, v, p, momenta(q)[i]) for i in N),
                *(v[i] for i in N),
            ],
            number="§5.3 (10), (11)",
            text="∂H/∂p_i = v_i + pᵀ∂v/∂p_i − (∂L/∂v)ᵀ∂v/∂p_i = v_i",
        ),
        Equation(
            "canonical equations",
            left=lambda v: [v.x, v.y, v.p_1, v.p_2],
            right=lambda q, v, p, t: [
                *(sp.diff(hamiltonian(q, p), x) for x in momenta(q)),
                *(-sp.diff(hamiltonian(q, p), q[i]) + force(q, v, t)[i] for i in N),
            ],
            number="(5.3), §5.3 (12)",
            text="q̇ = ∂H/∂p, ṗ = −∂H/∂q + F",
        ),
    ],
    system=system_of("two coordinates", force=force),
    quantities=MOMENTA,
    **HERE,
)
free = Printed(
    "TM §5.3, §5.5, §5.6",
    [
        Equation(
            "rate of the Hamiltonian",
            left=lambda q, v, p: [
                v.H,
                sum(
                    sp.diff(hamiltonian(q, p), x) * dx
                    for x, dx in zip((q.x, q.y, q.p_1, q.p_2), (v.x, v.y, v.p_1, v.p_2), strict=True)
                ),
                -v.p_1 * v.x
                - v.p_2 * v.y
                + sum(sp.diff(hamiltonian(q, p), x) * y for x, y in ((q.p_1, v.p_1), (q.p_2, v.p_2))),
            ],
            number="Thm 5.3.1",
            text="dH/dt = (∂H/∂q)ᵀq̇ + (∂H/∂p)ᵀṗ = −ṗᵀq̇ + q̇ᵀṗ = 0",
        ),
        Equation(
            "rate of a function",
            left=lambda v: [v.F, v.F],
            right=lambda q, v, p: [
                sum(
                    sp.diff(some(q, *momenta(q)), x) * dx
                    for x, dx in zip((q.x, q.y, q.p_1, q.p_2), (v.x, v.y, v.p_1, v.p_2), strict=True)
                ),
                bracket(some(q, *momenta(q)), hamiltonian(q, p), q),
            ],
            number="§5.5 (2)",
            text="dF/dt = (∂F/∂q)ᵀq̇ + (∂F/∂p)ᵀṗ = (∂F/∂q)ᵀ∂H/∂p − (∂F/∂p)ᵀ∂H/∂q = {F, H}",
        ),
        Equation(
            "canonical equations without forces",
            left=lambda v: [v.x, v.y, v.p_1, v.p_2],
            right=lambda q, p: [
                *(sp.diff(hamiltonian(q, p), x) for x in momenta(q)),
                *(-sp.diff(hamiltonian(q, p), q[i]) for i in N),
            ],
            number="§5.6 (1)",
            text="q̇ = ∂H/∂p, ṗ = −∂H/∂q",
        ),
    ],
    system=system_of("two coordinates, without forces"),
    quantities=MOMENTA
    | {
        "H": lambda q, v, p: energy(q, v, p) + potential(q, p),
        "F": lambda q, v, p: some(q, sp.diff(energy(q, v, p), v.x), sp.diff(energy(q, v, p), v.y)),
    },
    **HERE,
)


def three(q):
    return some(q, q.p_1, q.p_2), q.x**2 * q.p_2 + g.cos(q.y) * q.p_1, q.p_1 * q.p_2 + g.sin(q.x) * q.y


def jacobi(q):
    F1, F2, F3 = three(q)
    return sum(bracket(a, bracket(b, c, q), q) for a, b, c in ((F1, F2, F3), (F2, F3, F1), (F3, F1, F2)))


brackets = Printed(
    "TM §5.5",
    [
        Equation(
            "properties of the bracket",
            left=lambda q: [bracket(three(q)[0], three(q)[0], q), bracket(three(q)[1], three(q)[0], q), jacobi(q)],
            right=lambda q: [0 * q.x, -bracket(three(q)[0], three(q)[1], q), 0 * q.x],
            number="(5.4), properties 1–3",
            text="{F, F} = 0, {F₂, F₁} = −{F₁, F₂}, {F₁, {F₂, F₃}} + {F₂, {F₃, F₁}} + {F₃, {F₁, F₂}} = 0",
        )
    ],
    ranges=dict.fromkeys(("x", "y", "p_1", "p_2"), (-1.0, 1.0)),
)


system = canonical.system
start = g.Start(q=HERE["q"], v=HERE["v"])
equations = [square, fourth, vectors, canonical, free, brackets]
