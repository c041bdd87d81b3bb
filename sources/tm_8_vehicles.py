"""Printed equations of TM §8.2.3 (kinematic car), §8.4 (holonomic or not) and §8.4.3 (Lie brackets)."""

import sympy as sp

import gauss as g
from gauss.sources import ConstraintMatrix, ControlFields, Derivative, Equation, Integral, Printed

car = g.System(
    "kinematic car with unit inertia",
    coordinates="x y phi theta",
    kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.phi**2 + v.theta**2),
    constraints=[
        g.Pfaffian("rear", lambda q: [g.sin(q.phi), -g.cos(q.phi), 0.0, 0.0]),
        g.Nonholonomic(
            "front",
            lambda q, v, p: (
                (v.x - p.l * v.phi * g.sin(q.phi)) * g.sin(q.phi + q.theta)
                - (v.y + p.l * v.phi * g.cos(q.phi)) * g.cos(q.phi + q.theta)
            ),
        ),
    ],
    parameters={"l": 1.4},
)
car_claims = Printed(
    "TM §8.2.3",
    [
        Equation(
            "centre of the front axle",
            left=lambda v: [v.xi, v.eta],
            right=lambda q, v, p: [v.x - p.l * v.phi * g.sin(q.phi), v.y + p.l * v.phi * g.cos(q.phi)],
            number="§8.2.3 (1)",
            text="ξ̇ = ẋ − lφ̇ sin φ, η̇ = ẏ + lφ̇ cos φ",
        ),
        Equation(
            "no slip of the front wheels",
            left=lambda q, v: v.xi * g.sin(q.phi + q.theta) - v.eta * g.cos(q.phi + q.theta),
            number="§8.2.3 (2)",
            text="ξ̇ sin(φ + θ) − η̇ cos(φ + θ) = 0",
        ),
        Equation(
            "the same in the coordinates",
            left=lambda q, v, p: (
                v.x * g.sin(q.phi + q.theta) - v.y * g.cos(q.phi + q.theta) - p.l * v.phi * g.cos(q.theta)
            ),
            number="§8.2.3 (3)",
            text="ẋ sin(φ + θ) − ẏ cos(φ + θ) − lφ̇ cos θ = 0",
        ),
        ConstraintMatrix(
            "Pfaffian matrix",
            matrix=lambda q, p: [
                [g.sin(q.phi), -g.cos(q.phi), 0.0, 0.0],
                [g.sin(q.phi + q.theta), -g.cos(q.phi + q.theta), -p.l * g.cos(q.theta), 0.0],
            ],
            number="§8.2.3 (4)",
            text="A = [sin φ, −cos φ, 0, 0; sin(φ+θ), −cos(φ+θ), −l cos θ, 0]",
        ),
        ControlFields(
            "control fields, front drive",
            matrix=lambda q, p: [
                [p.l * g.cos(q.phi) * g.cos(q.theta), 0.0],
                [p.l * g.sin(q.phi) * g.cos(q.theta), 0.0],
                [g.sin(q.theta), 0.0],
                [0.0, 1.0],
            ],
            number="§8.2.3 (5)",
            text="g₁ = (l cos φ cos θ, l sin φ cos θ, sin θ, 0), g₂ = (0, 0, 0, 1)",
        ),
        ControlFields(
            "control fields, rear drive",
            matrix=lambda q, p: [
                [g.cos(q.phi), 0.0],
                [g.sin(q.phi), 0.0],
                [g.sin(q.theta) / (p.l * g.cos(q.theta)), 0.0],
                [0.0, 1.0],
            ],
            number="§8.2.3, footnote",
            text="g₁ = (cos φ, sin φ, sin θ/(l cos θ), 0)",
        ),
    ],
    system=car,
    q=[0.3, -0.2, 0.5, 0.3],
    quantities={"xi": lambda q, p: q.x + p.l * g.cos(q.phi), "eta": lambda q, p: q.y + p.l * g.sin(q.phi)},
    spread=0.4,
)


def first_field(q, p):
    return [p.r * g.cos(q.phi), p.r * g.sin(q.phi), 0.0 * q.phi, 1.0 + 0.0 * q.phi]


brackets = Printed(
    "TM §8.4.3",
    [
        Derivative(
            "[g₁, g₂] = −∂g₁/∂φ",
            of=lambda q, p: [-x for x in first_field(q, p)],
            by="q.phi",
            function=lambda q, p: [p.r * g.sin(q.phi), -p.r * g.cos(q.phi), 0.0, 0.0],
            number="§8.4.3 (1)",
            text="[g₁, g₂] = −∂g₁/∂φ = r(sin φ, −cos φ, 0, 0)",
        ),
        Derivative(
            "[g₂, g₁₂] = ∂g₁₂/∂φ",
            of=lambda q, p: [p.r * g.sin(q.phi), -p.r * g.cos(q.phi), 0.0, 0.0],
            by="q.phi",
            function=lambda q, p: [p.r * g.cos(q.phi), p.r * g.sin(q.phi), 0.0, 0.0],
            number="§8.4.3 (2)",
            text="g₂₁₂ = ∂g₁₂/∂φ = (r cos φ, r sin φ, 0, 0)",
        ),
    ],
    ranges={"phi": (-3.0, 3.0)},
    parameters={"r": 0.7},
)


def function(q):
    """F(q) of an integrable row."""
    return q.x**2 * q.y + g.sin(q.z) - q.y * q.z


def factor(q):
    """M(q), which makes a derivative of the row."""
    return 2 + g.cos(q.x * q.y)


def row(q):
    """A(q) = DF(q)/M(q), multiplied out by hand."""
    entries = [2 * q.x * q.y, q.x**2 - q.z, g.cos(q.z) - q.y]
    return [entry / factor(q) for entry in entries]


def space(name, matrix):
    return g.System(
        name,
        coordinates="x y z",
        kinetic_energy=lambda v: (v.x**2 + v.y**2 + v.z**2) / 2,
        constraints=[g.Pfaffian("A", matrix)],
    )


sphere = Printed(
    "TM §8.4",
    [
        ConstraintMatrix(
            "velocities on a sphere", matrix=lambda q: [[q.x, q.y, q.z]], number="§8.4 (1)", text="A(q) = [x, y, z]"
        ),
        Equation(
            "in coordinates",
            left=lambda q, v: q.x * v.x + q.y * v.y + q.z * v.z,
            number="§8.4 (2)",
            text="A(q)q̇ = xẋ + yẏ + zż = 0",
        ),
        Integral(
            "integrated", function=lambda q: q.x**2 + q.y**2 + q.z**2, number="§8.4 (3)", text="x² + y² + z² = const"
        ),
    ],
    system=space("row of a sphere", lambda q: [[q.x, q.y, q.z]]),
    q=[0.6, -0.4, 0.8],
    v=[0.3, 0.5, -0.2],
)
integrable = Printed(
    "TM §8.4",
    [
        Equation(
            "integrating factor",
            left=lambda q: [factor(q) * a for a in row(q)],
            right=lambda q: [sp.diff(function(q), x) for x in (q.x, q.y, q.z)],
            number="§8.4 (4)",
            text="M(q)A(q) = DF(q)",
        ),
        Equation(
            "the row is a rate",
            left=lambda q, v: [
                factor(q) * sum(a * b for a, b in zip(row(q), (v.x, v.y, v.z), strict=True)) - v.F,
                sum(sp.diff(function(q), x) * b for x, b in zip((q.x, q.y, q.z), (v.x, v.y, v.z), strict=True)) - v.F,
                v.F,
            ],
            number="§8.4 (5)",
            text="M(q)A(q)q̇ = DF(q)q̇ = d/dt F(q(t)) = 0",
        ),
        Integral("F along motions", function=function, number="§8.4, text after (5)", text="F(q) = const"),
    ],
    system=space("integrable row", lambda q: [row(q)]),
    q=[0.9, 1.2, -0.4],
    v=[0.3, 0.5, -0.2],
    quantities={"F": function},
    spread=0.2,
)


def multiplier(q):
    """An arbitrary m(q)."""
    return g.exp(q.x) * g.cos(q.phi) + q.y * q.phi**2


skate = Printed(
    "TM §8.4.1",
    [
        Equation(
            "mixed derivatives: those of m sin φ and of m cos φ",
            left=lambda q: [
                sp.diff(multiplier(q) * g.sin(q.phi), q.phi),
                sp.diff(multiplier(q) * g.cos(q.phi), q.phi),
            ],
            right=lambda q: [
                g.sin(q.phi) * sp.diff(multiplier(q), q.phi) + g.cos(q.phi) * multiplier(q),
                g.cos(q.phi) * sp.diff(multiplier(q), q.phi) - g.sin(q.phi) * multiplier(q),
            ],
            number="§8.4.1 (1)–(4)",
            text="[sin φ, cos φ; cos φ, −sin φ](∂m/∂φ, m) = 0, from ∂²F/∂x∂φ = 0 and ∂²F/∂y∂φ = 0",
        ),
        Equation(
            "its determinant, so that only m = 0 solves it",
            left=lambda q: g.sin(q.phi) * -g.sin(q.phi) - g.cos(q.phi) * g.cos(q.phi),
            right=-1.0,
            number="§8.4.1, text after (4)",
            text="∂m/∂φ = 0 and m = 0",
        ),
    ],
    ranges=dict.fromkeys(("x", "y", "phi"), (-1.5, 1.5)),
)


def lie(a, b, symbols):
    """[a, b], as it is printed."""
    return [
        sum(sp.diff(b[i], x) * a[k] - sp.diff(a[i], x) * b[k] for k, x in enumerate(symbols))
        for i in range(len(symbols))
    ]


def along(a, f, symbols):
    """The derivative of f along the field a."""
    return sum(sp.diff(f, x) * c for x, c in zip(symbols, a, strict=True))


def three(q):
    """Three arbitrary fields."""
    return (
        [q.x * q.y, g.sin(q.z), q.x - q.z**2],
        [g.cos(q.y), q.x * q.z, q.y**2],
        [q.z, q.x**2, q.y * g.sin(q.x)],
    )


def commutator(q):
    """f₁₂ = g₁(g₂f) − g₂(g₁f) for an arbitrary f, and the derivative of f along [g₁, g₂]."""
    s, (a, b, _), f = (q.x, q.y, q.z), three(q), q.x**2 * q.y * q.z + g.sin(q.x) * q.z
    return along(lie(a, b, s), f, s), along(a, along(b, f, s), s) - along(b, along(a, f, s), s)


def jacobi(q):
    s, (a, b, c) = (q.x, q.y, q.z), three(q)
    parts = [lie(u, lie(v, w, s), s) for u, v, w in ((a, b, c), (b, c, a), (c, a, b))]
    return [sum(entries) for entries in zip(*parts, strict=True)]


algebra = Printed(
    "TM §8.4.2",
    [
        Equation(
            "bracket, as the commutator of derivatives along the fields",
            left=lambda q: commutator(q)[0],
            right=lambda q: commutator(q)[1],
            number="§8.4.2 (2)",
            text="[g_i, g_j] = Dg_j g_i − Dg_i g_j",
        ),
        Equation(
            "properties of the bracket",
            left=lambda q: [
                *lie(three(q)[0], three(q)[0], (q.x, q.y, q.z)),
                *lie(three(q)[1], three(q)[0], (q.x, q.y, q.z)),
                *jacobi(q),
            ],
            right=lambda q: [
                *[0.0] * 3,
                *(-c for c in lie(three(q)[0], three(q)[1], (q.x, q.y, q.z))),
                *[0.0] * 3,
            ],
            number="§8.4.2, properties",
            text="[g_i, g_i] = 0, [g_j, g_i] = −[g_i, g_j], "
            "[g_i, [g_j, g_k]] + [g_j, [g_k, g_i]] + [g_k, [g_i, g_j]] = 0",
        ),
    ],
    ranges=dict.fromkeys(("x", "y", "z"), (-1.0, 1.0)),
)


def gram(columns):
    """Gram's determinant of fields."""
    return sp.Matrix(
        len(columns), len(columns), lambda i, j: sum(a * b for a, b in zip(columns[i], columns[j], strict=True))
    ).det()


def generated(q, p):
    """g₁, g₂, g₁₂, g₂₁₂ and g₁₁₂ of the rolling wheel."""
    s, g1, g2 = (q.x, q.y, q.phi, q.theta), first_field(q, p), [0.0, 0.0, 1.0, 0.0]
    g12 = lie(g1, g2, s)
    return g1, g2, g12, lie(g2, g12, s), lie(g1, g12, s)


ranks = Printed(
    "TM §8.4.3",
    [
        Equation(
            "brackets of the third order",
            left=lambda q, p: [*generated(q, p)[4], *generated(q, p)[3]],
            right=lambda q, p: [0.0] * 4 + [p.r * g.cos(q.phi), p.r * g.sin(q.phi), 0.0, 0.0],
            number="§8.4.3 (3)",
            text="g₁₁₂ = [g₁, g₁₂] = 0, g₂₁₂ = [g₂, g₁₂] = (r cos φ, r sin φ, 0, 0)",
        ),
        Equation(
            "ranks 3 and 4, by Gram's determinants r²(1 + r²) and r⁴, which are not zero",
            left=lambda q, p: [gram(generated(q, p)[:3]), gram(generated(q, p)[:4])],
            right=lambda p: [p.r**2 * (1 + p.r**2), p.r**4],
            number="§8.4.3 (4), (5)",
            text="rank [g₁, g₂, g₁₂] = 3, rank [g₁, g₂, g₁₂, g₂₁₂] = 4",
        ),
    ],
    ranges=dict.fromkeys(("x", "y", "phi", "theta"), (-3.0, 3.0)),
    parameters={"r": 0.7},
)
system = car
start = g.Start(q=[0.3, -0.2, 0.5, 0.3])
equations = [car_claims, sphere, integrable, skate, algebra, brackets, ranks]
