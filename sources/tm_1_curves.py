"""Printed equations of TM, chapter 1: products of vectors, Frenet's trihedron, curvature and torsion.

The curve is the path of a unit mass in an arbitrary field of force, so that its second derivative is the force and its
third one the rate of the force along the motion. The normal vector is the direction of the acceleration's part across
the path; the printed forms have curvature and torsion by (1.1) and (1.2).
"""

import gauss as g
from gauss.sources import Derivative, Equation, Printed

N = range(3)


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def norm(a):
    return g.sqrt(dot(a, a))


def times(factor, a):
    return [factor * x for x in a]


def plus(*vectors):
    return [sum(entries[1:], entries[0]) for entries in zip(*vectors, strict=True)]


def triple(q, letter):
    return [getattr(q, f"{letter}{k}") for k in "123"]


def printed_cross(u, v):
    return [u[1] * v[2] - v[1] * u[2], -(u[0] * v[2] - v[0] * u[2]), u[0] * v[1] - v[0] * u[1]]


def determinant(u, v, w):
    """Sarrus's rule for the rows u, v, w."""
    return (
        u[0] * v[1] * w[2]
        + u[1] * v[2] * w[0]
        + u[2] * v[0] * w[1]
        - u[2] * v[1] * w[0]
        - u[0] * v[2] * w[1]
        - u[1] * v[0] * w[2]
    )


def columns(*vectors):
    return [list(row) for row in zip(*vectors, strict=True)]


def uvw(q):
    return triple(q, "u"), triple(q, "v"), triple(q, "w")


def in_plane(q, length, angle):
    """A vector in a plane that is inclined by the angle q.tilt."""
    flat = [length * g.cos(angle), length * g.sin(angle)]
    return [flat[0], flat[1] * g.cos(q.tilt), flat[1] * g.sin(q.tilt)]


products = Printed(
    "TM §1.1",
    [
        Equation(
            "vector product, perpendicular to its factors",
            left=lambda q: (
                [dot(printed_cross(*uvw(q)[:2]), w) for w in uvw(q)[:2]] + [dot(*[printed_cross(*uvw(q)[:2])] * 2)]
            ),
            right=lambda q: [0.0, 0.0, dot(uvw(q)[0], uvw(q)[0]) * dot(uvw(q)[1], uvw(q)[1]) - dot(*uvw(q)[:2]) ** 2],
            number="§1.1 (4)",
            text="u × v = i(u₂v₃ − v₂u₃) − j(u₁v₃ − v₁u₃) + k(u₁v₂ − v₁u₂)",
        ),
        Equation(
            "products of three vectors",
            left=lambda q: cross(cross(*uvw(q)[:2]), uvw(q)[2]),
            right=lambda q: plus(cross(uvw(q)[0], cross(*uvw(q)[1:])), cross(uvw(q)[1], cross(uvw(q)[2], uvw(q)[0]))),
            number="§1.1, text after (4)",
            text="(u × v) × w = u × (v × w) + v × (w × u)",
        ),
        Equation(
            "mixed product",
            left=lambda q: [dot(cross(*uvw(q)[:2]), uvw(q)[2])] * 2,
            right=lambda q: [determinant(*uvw(q)), determinant(*columns(*uvw(q)))],
            number="§1.1 (6)",
            text="(u × v, w) = det[rows u, v, w] = det[columns u, v, w]",
        ),
        Equation(
            "products by lengths and the angle",
            left=lambda q: [
                dot(in_plane(q, q.a, q.u1), in_plane(q, q.b, q.u1 + q.angle)),
                norm(cross(in_plane(q, q.a, q.u1), in_plane(q, q.b, q.u1 + q.angle))),
            ],
            right=lambda q: [q.a * q.b * g.cos(q.angle), q.a * q.b * g.sin(q.angle)],
            number="§1.1 (3), (5), (7), (8)",
            text="(u, v) = |u||v| cos ∠(u, v), |u × v| = |u||v| sin ∠(u, v), |u| = (u, u)^{1/2}",
        ),
    ],
    ranges=dict.fromkeys([f"{letter}{k}" for letter in "uvw" for k in "123"], (0.4, 1.6))
    | {"a": (0.5, 2.0), "b": (0.5, 2.0), "angle": (0.4, 1.2), "tilt": (0.4, 1.2)},
)


def force(q, v, t):
    """The acceleration c̈, an arbitrary choice."""
    return [
        0.5 * g.sin(q.y) - 0.75 * v.z + 0.5 * v.y,
        q.x * q.z + 0.5 * v.x + 0.25 * g.cos(t),
        0.5 * q.y - 0.25 * v.x * v.y + 0.5 * q.z**2,
    ]


def tangent(q, v, t):
    c = [v.x, v.y, v.z]
    return times(1 / norm(c), c)


def normal(q, v, t):
    """The direction of the part of c̈ across the path."""
    along = dot(force(q, v, t), tangent(q, v, t))
    across = plus(force(q, v, t), times(-along, tangent(q, v, t)))
    return times(1 / norm(across), across)


def binormal(q, v, t):
    return cross(tangent(q, v, t), normal(q, v, t))


def velocity(v):
    return [v.x, v.y, v.z]


def acceleration(q):
    """c̈ as quantities, whose rates are c⃛."""
    return [q.f1, q.f2, q.f3]


def by_derivatives(c, f):
    """K by (1.1)."""
    return g.sqrt(dot(c, c) * dot(f, f) - dot(c, f) ** 2) / norm(c) ** 3


def curvature(q, v):
    return by_derivatives(velocity(v), acceleration(q))


def curvature_of_path(q, v, t):
    return by_derivatives(velocity(v), force(q, v, t))


def torsion(q, v):
    """T by (1.2)."""
    c = velocity(v)
    return dot(cross(c, acceleration(q)), triple(v, "f")) / norm(c) ** 6 / curvature(q, v) ** 2


def by_arc(v, letter):
    """The derivative of a vector by the arc, ds = |ċ| dt."""
    return times(1 / norm(velocity(v)), triple(v, letter))


def vectors(letter, function):
    return {f"{letter}{k + 1}": lambda q, v, t, k=k: function(q, v, t)[k] for k in N}


def trihedron(q):
    return triple(q, "t"), triple(q, "n"), triple(q, "b")


frenet = Printed(
    "TM §1.2–1.5",
    [
        Equation(
            "trihedron",
            left=lambda q, v: [
                *triple(q, "t"),
                *triple(q, "b"),
                *(dot(x, y) for k, x in enumerate(trihedron(q)) for y in trihedron(q)[: k + 1]),
                v.x**2 + v.y**2 + v.z**2,
            ],
            right=lambda q, v, t: [
                *times(1 / norm(velocity(v)), velocity(v)),
                *cross(triple(q, "t"), triple(q, "n")),
                *[1, 0, 1, 0, 0, 1],
                q.speed**2,
            ],
            number="§1.2 (1), (2)",
            text="t = ċ/|ċ|, b = t × n, ds = |ċ| dt",
        ),
        Equation(
            "curvature",
            left=lambda q, v: [*by_arc(v, "t"), curvature(q, v)],
            right=lambda q, v: [*times(curvature(q, v), triple(q, "n")), norm(by_arc(v, "t"))],
            number="(1.1), §1.3 (1)–(3), Ex. 1.2",
            text="K = |dt/ds| = √(|ċ|²|c̈|² − (ċ, c̈)²)/|ċ|³, dt/ds = Kn",
        ),
        Equation(
            "binormal vector",
            left=lambda q: triple(q, "b"),
            right=lambda q, v: times(1 / curvature(q, v) / norm(velocity(v)) ** 3, cross(velocity(v), acceleration(q))),
            number="§1.3 (7)",
            text="b = (1/K)(1/|ċ|³) ċ × c̈",
        ),
        Equation(
            "derivatives of products",
            left=lambda q, v: [
                *(dot(by_arc(v, x), triple(q, x)) for x in "tnb"),
                *(
                    dot(by_arc(v, x), triple(q, y)) + dot(triple(q, x), by_arc(v, y))
                    for x, y in (("t", "n"), ("t", "b"), ("n", "b"))
                ),
            ],
            number="(1.6), (1.7)",
            text="(dt/ds, t) = (dn/ds, n) = (db/ds, b) = 0, (dt/ds, n) + (t, dn/ds) = … = 0",
        ),
        Equation(
            "Frenet-Serret equations",
            left=lambda v: [*by_arc(v, "t"), *by_arc(v, "n"), *by_arc(v, "b")],
            right=lambda q, v: [
                *times(curvature(q, v), triple(q, "n")),
                *plus(times(-curvature(q, v), triple(q, "t")), times(torsion(q, v), triple(q, "b"))),
                *times(-torsion(q, v), triple(q, "n")),
            ],
            number="(1.2), (1.3)–(1.5), (1.8), (1.9)",
            text="dt/ds = Kn, dn/ds = −Kt + Tb, db/ds = −Tn; dR/ds = RA, A = [0, −K, 0; K, 0, −T; 0, T, 0]; "
            "T = (ċ × c̈, c⃛)/(K²|ċ|⁶)",
        ),
        Equation(
            "sign of β₁",
            left=lambda q, v: dot(by_arc(v, "n"), triple(q, "t")),
            right=lambda q: q.K,
            correct=(lambda q, v: dot(by_arc(v, "n"), triple(q, "t")), lambda q: -q.K),
            number="§1.4, text after (1.7)",
            text="β₁ = K in dn/ds = β₁t + β₂n + β₃b",
            remark="β₁ = −K by (1.7), as (1.8) has it",
        ),
        Equation(
            "torsion as a length",
            left=lambda v: norm(by_arc(v, "b")),
            right=torsion,
            correct=(lambda v: norm(by_arc(v, "b")), lambda q, v: abs(torsion(q, v))),
            number="§1.3 (6), (1.2)",
            text="T = |db/ds| = (ċ × c̈, c⃛)/(K²|ċ|⁶)",
            remark="|T| is meant: by (1.2) T has a sign, and (1.8) needs it",
        ),
        Equation(
            "acceleration",
            left=lambda a: [a.x, a.y, a.z] * 2,
            right=lambda q, v: [
                *plus(times(v.speed, triple(q, "t")), times(q.speed, triple(v, "t"))),
                *plus(times(v.speed, triple(q, "t")), times(q.speed**2 * curvature(q, v), triple(q, "n"))),
            ],
            number="§1.5.1 (1), (2)",
            text="c̈ = (d|ċ|/dt)t + |ċ|dt/dt = (d|ċ|/dt)t + |ċ|²Kn",
        ),
    ],
    system=g.System(
        "unit mass in a field of force",
        coordinates="x y z",
        kinetic_energy=lambda v: (v.x**2 + v.y**2 + v.z**2) / 2,
        force=force,
    ),
    q=[0.4, 0.7, -0.5],
    v=[0.9, -0.8, 0.7],
    quantities=vectors("f", force)
    | vectors("t", tangent)
    | vectors("n", normal)
    | vectors("b", binormal)
    | {"speed": lambda v: norm(velocity(v)), "K": curvature_of_path},
    spread=0.3,
)


def arc(q):
    """The curve of constant curvature as it is printed."""
    return [g.sin(q.K * q.s) / q.K, 1 / q.K - g.cos(q.K * q.s) / q.K, 0.0]


circle = Printed(
    "TM §1.5.2",
    [
        Derivative(
            "R(s) solves dR/ds = RA",
            of=lambda q: [g.cos(q.K * q.s), -g.sin(q.K * q.s), g.sin(q.K * q.s), g.cos(q.K * q.s)],
            by="q.s",
            function=lambda q: [
                -g.sin(q.K * q.s) * q.K,
                -q.K * g.cos(q.K * q.s),
                g.cos(q.K * q.s) * q.K,
                -q.K * g.sin(q.K * q.s),
            ],
            number="§1.5.2 (1), (2)",
            text="A = [0, −K, 0; K, 0, 0; 0, 0, 0], R(s) = R(0)[cos Ks, −sin Ks, 0; sin Ks, cos Ks, 0; 0, 0, 1]",
        ),
        Derivative(
            "the curve and its tangent",
            of=arc,
            by="q.s",
            function=lambda q: [g.cos(q.K * q.s), g.sin(q.K * q.s), 0.0],
            number="(1.10), §1.5.2 (3), (4)",
            text="t = (cos Ks, sin Ks, 0), c = ((1/K) sin Ks, 1/K − (1/K) cos Ks, 0), dc/ds = t",
        ),
        Equation(
            "a circle",
            left=lambda q: arc(q)[0] ** 2 + (arc(q)[1] - 1 / q.K) ** 2,
            right=lambda q: 1 / q.K**2,
            number="§1.5.2 (5)",
            text="c₁² + (c₂ − 1/K)² = 1/K²",
        ),
        Equation(
            "curvature of a plane path",
            left=lambda q: abs(q.v1 * q.a2 - q.v2 * q.a1) / (q.v1**2 + q.v2**2) ** 1.5,
            right=lambda q: (
                g.sqrt((q.v1**2 + q.v2**2) * (q.a1**2 + q.a2**2) - (q.v1 * q.a1 + q.v2 * q.a2) ** 2)
                / g.sqrt(q.v1**2 + q.v2**2) ** 3
            ),
            number="Ex. 1.3",
            text="K = |ẋÿ − ẏẍ|/(ẋ² + ẏ²)^{3/2}",
        ),
    ],
    ranges={"K": (0.5, 2.0), "s": (0.2, 1.5), "v1": (0.5, 1.5), "v2": (0.5, 1.5), "a1": (-1.5, -0.5), "a2": (0.5, 1.5)},
)
system = frenet.system
start = g.Start(q=frenet.q, v=frenet.v)
equations = [products, frenet, circle]
