"""Printed equations of TM §5.5, 5.7–5.9: brackets of invariants, their independence, flows and their divergence.

The flow of §5.8 is that of ẋ₁ = x₁², ẋ₂ = x₁x₂, which has the closed form x/(1 − tx₁) and a divergence, 3x₁, that is
not constant; D is a rectangle, its image is bounded by x₁ = const and by straight lines x₂ = b(1 + tx₁).
"""

import sympy as sp

import gauss as g
from gauss.sources import Derivative, Equation, Integral, Printed


def spatial(F1, F2, q):
    pairs = ((q.x, q.p_x), (q.y, q.p_y), (q.z, q.p_z))
    return sum(sp.diff(F1, x) * sp.diff(F2, y) - sp.diff(F1, y) * sp.diff(F2, x) for x, y in pairs)


def first_moment(q):
    return q.y * q.p_z - q.z * q.p_y


def second_moment(q):
    return q.z * q.p_x - q.x * q.p_z


central = Printed(
    "TM §5.5",
    [
        Equation(
            "invariants have no bracket with the Hamiltonian",
            left=lambda q, p: [
                spatial(F, (q.p_x**2 + q.p_y**2 + q.p_z**2) / (2 * p.m) + (q.x**2 + q.y**2 + q.z**2) ** 2 / 4, q)
                for F in (first_moment(q), second_moment(q))
            ],
            number="§5.5 (1), (3)",
            text="{F, H} = 0",
        ),
        Integral(
            "the bracket of two invariants (two moments in a central field) is one",
            function=lambda q: spatial(first_moment(q), second_moment(q), q),
            number="Thm 5.5.1, Ex. 5.7",
            text="{F₁, F₂} = const if F₁ = const and F₂ = const",
        ),
    ],
    system=g.System(
        "point in a central field",
        coordinates="x y z",
        kinetic_energy=lambda v, p: p.m * (v.x**2 + v.y**2 + v.z**2) / 2,
        potential_energy=lambda q: (q.x**2 + q.y**2 + q.z**2) ** 2 / 4,
        parameters={"m": 1.3},
    ),
    q=[0.8, -0.5, 0.6],
    v=[0.3, 0.9, -0.4],
    quantities={f"p_{x}": lambda v, p, x=x: p.m * getattr(v, x) for x in "xyz"},
)


def furuta(q, p):
    return (
        q.p_1**2 / (p.m * (p.a + p.b * g.sin(q.phi)) ** 2) + q.p_2**2 / (p.m * p.b**2)
    ) / 2 - p.m * p.g * p.b * g.cos(q.phi)


def rows(q, p):
    """The matrix of §5.7 as its first display has it."""
    symbols = (q.theta, q.phi, q.p_1, q.p_2)
    return [[sp.diff(F, x) for x in symbols] for F in (furuta(q, p), q.p_1)]


def gram(q, p):
    """Σ of the squares of all minors of order two: zero where the rank is less."""
    first, second = rows(q, p)
    pairs = [(i, j) for j in range(4) for i in range(j)]
    return sum((first[i] * second[j] - first[j] * second[i]) ** 2 for i, j in pairs)


independent = Printed(
    "TM §5.7",
    [
        Equation(
            "matrix of the invariants",
            left=lambda q, p: [x for row in rows(q, p) for x in row],
            right=lambda v: [0, -v.p_2, v.theta, v.phi, 0, 0, 1, 0],
            number="§5.7 (5), (6)",
            text="[∂H/∂θ, ∂H/∂φ, ∂H/∂p₁, ∂H/∂p₂; ∂p₁/∂θ, …] = [0, −ṗ₂, θ̇, φ̇; 0, 0, 1, 0]",
        ),
        Equation(
            "its rank, by the sum of the squares of its minors",
            left=gram,
            right=lambda v: v.p_2**2 + v.phi**2,
            number="§5.7 (6)",
            text="rank [0, −ṗ₂, θ̇, φ̇; 0, 0, 1, 0] = 2 if φ̇ ≠ 0 or ṗ₂ ≠ 0",
        ),
    ],
    system=g.System(
        "Furuta pendulum",
        coordinates="theta phi",
        kinetic_energy=lambda q, v, p: p.m * ((p.a + p.b * g.sin(q.phi)) ** 2 * v.theta**2 + p.b**2 * v.phi**2) / 2,
        potential_energy=lambda q, p: -p.m * p.g * p.b * g.cos(q.phi),
        parameters={"m": 1.3, "g": 3.3, "a": 1.1, "b": 0.7},
    ),
    q=[0.2, 0.5],
    v=[0.6, -0.8],
    quantities={
        "p_1": lambda q, v, p: p.m * (p.a + p.b * g.sin(q.phi)) ** 2 * v.theta,
        "p_2": lambda v, p: p.m * p.b**2 * v.phi,
    },
)


def field(x):
    """X(x) of the flow."""
    return [x[0] ** 2, x[0] * x[1]]


def flow(t, x):
    """φ_t(x)."""
    return [x[0] / (1 - t * x[0]), x[1] / (1 - t * x[0])]


def divergence(X, symbols):
    return sum(sp.diff(f, x) for f, x in zip(X, symbols, strict=True))


def over_image(q, t, weight):
    """∫ weight(x₁) dx over the image of the rectangle [a1, a2] × [b1, b2] at the time t, by primitives."""
    x = sp.Symbol("x", positive=True)
    primitive = sp.integrate(sp.expand(weight(x) * (1 + t * x)), x)
    ends = [primitive.subs(x, flow(t, [a, 0])[0]) for a in (q.a1, q.a2)]
    return (q.b2 - q.b1) * (ends[1] - ends[0])


def volume(q, t):
    return over_image(q, t, lambda x: sp.Integer(1))


flows = Printed(
    "TM §5.8",
    [
        Derivative(
            "the flow solves ẋ = X(x)",
            of=lambda q: flow(q.time, [q.a1, q.b1]),
            by="q.time",
            function=lambda q: field(flow(q.time, [q.a1, q.b1])),
            number="§5.8 (1), (2)",
            text="ẋ = X(x), x(t) = φ(t, x)",
        ),
        Equation(
            "identity, semigroup, inverse",
            left=lambda q: [
                *flow(0, [q.a1, q.b1]),
                *flow(q.time + q.more, [q.a1, q.b1]),
                *flow(-q.time, flow(q.time, [q.a1, q.b1])),
            ],
            right=lambda q: [q.a1, q.b1, *flow(q.time, flow(q.more, [q.a1, q.b1])), q.a1, q.b1],
            number="§5.8 (3), properties 1, 2",
            text="φ₀(x) = x, φ_{t+s}(x) = φ_t(φ_s(x)), φ_t⁻¹(x) = φ_{−t}(x)",
        ),
        Equation(
            "volume at the start",
            left=lambda q: volume(q, 0),
            right=lambda q: (q.a2 - q.a1) * (q.b2 - q.b1),
            number="§5.8 (4)",
            text="V_t = vol(φ_t(D)), V₀ = vol(D)",
        ),
        Derivative(
            "rate of the volume",
            of=lambda q: volume(q, q.time),
            by="q.time",
            function=lambda q: over_image(
                q, q.time, lambda x: divergence(field([x, sp.Symbol("y")]), [x, sp.Symbol("y")])
            ),
            number="(5.5), §5.8 (5)",
            text="dV(t)/dt = ∫_{φ_t(D)} div X dx, div X = tr ∂X/∂x",
        ),
        Equation(
            "rate of the volume by a later start",
            left=lambda q: sp.diff(volume(q, q.time), q.time),
            right=lambda q: sp.diff(volume(q, q.time + q.more), q.more).subs(q.more, 0),
            number="Ex. 5.8",
            text="dV(t)/dt = dV(t + s)/ds at s = 0",
        ),
    ],
    ranges={
        "a1": (0.3, 0.6),
        "a2": (0.7, 1.2),
        "b1": (-1.0, 0.2),
        "b2": (0.4, 1.5),
        "time": (0.1, 0.4),
        "more": (0.1, 0.3),
    },
)


def hamiltonian(q):
    return q.p_1**2 * g.cos(q.y) + q.x * q.p_1 * q.p_2 + g.exp(q.p_2) * q.y**2 + g.sin(q.x * q.p_2)


def hamiltonian_field(q):
    H = hamiltonian(q)
    return [sp.diff(H, q.p_1), sp.diff(H, q.p_2), -sp.diff(H, q.x), -sp.diff(H, q.y)]


def blocks(q, symbol):
    """The column of the printed matrix of blocks that belongs to a coordinate or momentum."""
    H = hamiltonian(q)
    upper = [sp.diff(sp.diff(H, symbol), x) for x in (q.p_1, q.p_2)]
    return [*upper, *(-sp.diff(sp.diff(H, symbol), x) for x in (q.x, q.y))]


liouville = Printed(
    "TM §5.8",
    [
        *(
            Derivative(
                f"derivative of a Hamiltonian field by {name}",
                of=hamiltonian_field,
                by=f"q.{name}",
                function=lambda q, name=name: blocks(q, getattr(q, name)),
                number="§5.8 (7)",
                text="∂X/∂x = [∂²H/∂q∂p, ∂²H/∂p²; −∂²H/∂q², −∂²H/∂p∂q]",
            )
            for name in ("x", "y", "p_1", "p_2")
        ),
        Equation(
            "divergence of a Hamiltonian field",
            left=lambda q: divergence(hamiltonian_field(q), (q.x, q.y, q.p_1, q.p_2)),
            number="Thm 5.8.1, §5.8 (6), (8)",
            text="div X = tr ∂²H/∂q∂p − tr ∂²H/∂p∂q = 0",
        ),
    ],
    ranges=dict.fromkeys(("x", "y", "p_1", "p_2"), (-1.0, 1.0)),
)
second = Printed(
    "TM §5.9.2",
    [
        Derivative(
            f"derivative of the field by x{k + 1}",
            of=lambda q: [q.x1 + q.x2**2, q.x1**3],
            by=f"q.x{k + 1}",
            function=lambda q, k=k: [[1, 2 * q.x2][k], [3 * q.x1**2, 0][k]],
            number="§5.9.2 (1), (2)",
            text="X = (x₁ + x₂², x₁³), ∂X/∂x = [1, 2x₂; 3x₁², 0]",
        )
        for k in range(2)
    ]
    + [
        Equation(
            "its divergence",
            left=lambda q: divergence([q.x1 + q.x2**2, q.x1**3], (q.x1, q.x2)),
            right=1.0,
            number="§5.9.2 (2)",
            text="div X = tr [1, 2x₂; 3x₁², 0] = 1",
        )
    ],
    ranges=dict.fromkeys(("x1", "x2"), (-2.0, 2.0)),
)
first = Printed(
    "TM §5.9.1",
    [
        Equation(
            "the pendulum as a dynamical system",
            left=lambda v, a: [a.x, v.x1, v.x2],
            right=lambda q: [-g.sin(q.x), q.x2, -g.sin(q.x1)],
            number="§5.9.1 (1), (2)",
            text="ẍ = −sin x; ẋ₁ = x₂, ẋ₂ = −sin x₁",
        ),
        *(
            Derivative(
                f"derivative of the field by x{k + 1}",
                of=lambda q: [q.x2, -g.sin(q.x1)],
                by=f"q.x{k + 1}",
                function=lambda q, k=k: [[0, 1][k], [-g.cos(q.x1), 0][k]],
                number="§5.9.1 (3)",
                text="DX = [0, 1; −cos x₁, 0], div X = 0",
            )
            for k in range(2)
        ),
    ],
    system=g.System(
        "pendulum", coordinates="x", kinetic_energy=lambda v: v.x**2 / 2, potential_energy=lambda q: -g.cos(q.x)
    ),
    q=[0.4],
    v=[0.9],
    quantities={"x1": lambda q: q.x, "x2": lambda v: v.x},
)
system = independent.system
start = g.Start(q=[0.2, 0.5], v=[0.6, -0.8])
equations = [central, independent, flows, liouville, first, second]
