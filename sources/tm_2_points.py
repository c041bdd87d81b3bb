"""Printed equations of TM §2.1–2.3 and 2.4.2: gravitating points in space, their momenta and energy; the pendulum.

Three points of masses m1, m2, m3 attract one another (G is a parameter); in the second collection forces from outside
act on them as well, which depend on places, velocities and time. Nothing is in a plane or of equal mass.
"""

import numpy as np

import gauss as g
from gauss.sources import Derivative, Equation, Integral, Printed

SOURCE = "TM chapter 2"
POINTS = (1, 2, 3)
COORDINATES = [f"{axis}{i}" for i in POINTS for axis in "xyz"]
SHIFT, SPEED = (0.4, -0.7, 0.3), (-0.2, 0.5, 0.6)
ANGLES = (0.7, 1.1, -0.4)


def point(i, q):
    """The three entries of point i among coordinates, rates or second rates."""
    return [getattr(q, f"{axis}{i}") for axis in "xyz"]


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def minus(a, b):
    return [x - y for x, y in zip(a, b, strict=True)]


def times(factor, a):
    return [factor * x for x in a]


def plus(*vectors):
    return [sum(entries[1:], entries[0]) for entries in zip(*vectors, strict=True)]


def flat(vectors):
    return [x for vector in vectors for x in vector]


def mass(i, p):
    return getattr(p, f"m{i}")


def others(i):
    return [j for j in POINTS if j != i]


def attraction(ci, cj, mi, mj, p):
    """F_ij: the force with which mass i acts on mass j, as it is printed."""
    apart = minus(ci, cj)
    length = g.sqrt(dot(apart, apart))
    return times(p.G * mi * mj / length**2 / length, apart)


def inner(i, c, p):
    """F_wi = Σ_j F_ji, for places c by number."""
    return plus(*(attraction(c[j], c[i], mass(j, p), mass(i, p), p) for j in others(i)))


def places(q):
    return {i: point(i, q) for i in POINTS}


def potential(q, p):
    """V of the whole, each pair counted once."""
    total = 0.0
    for i, j in ((1, 2), (2, 3), (3, 1)):
        apart = minus(point(i, q), point(j, q))
        total = total - p.G * mass(i, p) * mass(j, p) / g.sqrt(dot(apart, apart))
    return total


def kinetic(v, p):
    return sum(mass(i, p) * dot(point(i, v), point(i, v)) for i in POINTS) / 2


def outer(i, q, v, t):
    """F_zi, an arbitrary choice."""
    return {
        1: [0.3 * g.sin(t) - 0.4 * v.x1, 0.2 * q.y1, 0.1 - 0.3 * q.x1],
        2: [-0.5 * v.z2, 0.4 * g.cos(q.x2), 0.6 * q.z2 * v.y2],
        3: [0.7, -0.2 * v.x3 * v.y3, 0.5 * t - 0.3 * q.z3],
    }[i]


def force(i, q, v, p, t):
    """F_i = F_wi + F_zi."""
    return plus(inner(i, places(q), p), outer(i, q, v, t))


def momentum(v, p):
    return plus(*(times(mass(i, p), point(i, v)) for i in POINTS))


def moment(q, v, p):
    return plus(*(times(mass(i, p), cross(point(i, q), point(i, v))) for i in POINTS))


def potential_of(i, q, p):
    """V_i, as it is printed."""
    total = 0.0
    for j in others(i):
        apart = minus(point(j, q), point(i, q))
        total = total + mass(j, p) / g.sqrt(dot(apart, apart))
    return -p.G * mass(i, p) * total


def turned(vector):
    """R c for a fixed rotation about z, y and x."""
    (a, b, c), (x, y, z) = ANGLES, vector
    x, y = float(np.cos(a)) * x - float(np.sin(a)) * y, float(np.sin(a)) * x + float(np.cos(a)) * y
    x, z = float(np.cos(b)) * x + float(np.sin(b)) * z, -float(np.sin(b)) * x + float(np.cos(b)) * z
    return [x, float(np.cos(c)) * y - float(np.sin(c)) * z, float(np.sin(c)) * y + float(np.cos(c)) * z]


def seen(letter, change):
    """Quantities a1 … c3: the places after a change of the frame, `change(k, c, t)` being entry k of point c."""
    return {
        f"{letter}{axis}{i}": lambda q, t, i=i, k=k: change(k, point(i, q), t)
        for i in POINTS
        for k, axis in enumerate("xyz")
    }


def law_in(letter):
    """Newton's law written in the places of another frame."""

    def entries(s):
        return {i: [getattr(s, f"{letter}{axis}{i}") for axis in "xyz"] for i in POINTS}

    return (
        lambda a, p: flat(times(mass(i, p), entries(a)[i]) for i in POINTS),
        lambda q, p: flat(inner(i, entries(q), p) for i in POINTS),
    )


def points(name, **more):
    return g.System(
        name,
        coordinates=COORDINATES,
        kinetic_energy=kinetic,
        potential_energy=potential,
        parameters={"m1": 1.3, "m2": 0.7, "m3": 2.1, "G": 0.9},
        **more,
    )


HERE = {
    "q": [2.0, 0.3, -0.4, -1.5, 1.1, 0.8, 0.2, -1.9, 1.2],
    "v": [0.3, -0.5, 0.4, 0.6, 0.2, -0.3, -0.4, 0.7, 0.5],
    "spread": 0.15,
}


def frame(name, letter, number, text):
    left, right = law_in(letter)
    return Equation(name, left=left, right=right, number=number, text=text)


alone = Printed(
    SOURCE,
    [
        Equation(
            "the law of motion does not depend on time (states are drawn at random times)",
            left=lambda a: flat(point(i, a) for i in POINTS),
            right=lambda q, p: flat(times(1 / mass(i, p), inner(i, places(q), p)) for i in POINTS),
            number="ch. 2 (2), (3)",
            text="c̈ = F(c, ċ, t), F(c, ċ, t + s) = F(c, ċ, t)",
        ),
        frame("a shift in space", "a", "ch. 2 (4)", "F(c¹ + u, …, cⁿ + u, ċ) = F(c¹, …, cⁿ, ċ)"),
        frame("uniform motion of the frame", "b", "ch. 2 (5)", "F(c, ċ¹ + v, …, ċⁿ + v) = F(c, ċ¹, …, ċⁿ)"),
        frame("rotation of the frame", "c", "ch. 2 (6)", "F_i(Rc¹, …, Rcⁿ, Rċ¹, …, Rċⁿ) = RF_i(c¹, …, cⁿ, ċ¹, …, ċⁿ)"),
        Integral("momentum is kept, x", function=lambda v, p: momentum(v, p)[0], number="Thm 2.3.1", text="P = const"),
        Integral("momentum is kept, z", function=lambda v, p: momentum(v, p)[2], number="Thm 2.3.1", text="P = const"),
        *(
            Integral(
                f"moment of momentum is kept, {axis}",
                function=lambda q, v, p, k=k: moment(q, v, p)[k],
                number="Thm 2.3.2",
                text="M = const",
            )
            for k, axis in enumerate("xyz")
        ),
        Integral(
            "energy is kept",
            function=lambda q, v, p: kinetic(v, p) + potential(q, p),
            number="Thm 2.3.3",
            text="Ė = 0, E = K + V",
        ),
    ],
    system=points("gravitating points"),
    quantities=seen("a", lambda k, c, t: c[k] + SHIFT[k])
    | seen("b", lambda k, c, t: c[k] + SPEED[k] * t)
    | seen("c", lambda k, c, t: turned(c)[k]),
    **HERE,
)
pair = Printed(
    SOURCE,
    [
        Equation(
            "the force turns with the points",
            left=lambda q, p: attraction(turned(point(1, q)), turned(point(2, q)), p.m1, p.m2, p),
            right=lambda q, p: turned(attraction(point(1, q), point(2, q), p.m1, p.m2, p)),
            number="§2.1 (2)",
            text="G mᵢmⱼ/|Rcⁱ − Rcʲ|² (Rcⁱ − Rcʲ)/|Rcⁱ − Rcʲ| = R G mᵢmⱼ/|cⁱ − cʲ|² (cⁱ − cʲ)/|cⁱ − cʲ|",
        ),
        Equation(
            "third law, and the moments of a pair",
            left=lambda q, p: [
                *attraction(point(2, q), point(1, q), p.m2, p.m1, p),
                *plus(
                    cross(point(1, q), attraction(point(2, q), point(1, q), p.m2, p.m1, p)),
                    cross(point(2, q), attraction(point(1, q), point(2, q), p.m1, p.m2, p)),
                ),
                *cross(minus(point(1, q), point(2, q)), attraction(point(2, q), point(1, q), p.m2, p.m1, p)),
            ],
            right=lambda q, p: [
                *times(-1, attraction(point(1, q), point(2, q), p.m1, p.m2, p)),
                *cross(minus(point(1, q), point(2, q)), attraction(point(2, q), point(1, q), p.m2, p.m1, p)),
                *[0.0, 0.0, 0.0],
            ],
            number="§2.3 (11)",
            text="F_ji = −F_ij, cⁱ × F_ji + cʲ × F_ij = (cⁱ − cʲ) × F_ji = 0",
        ),
        *(
            Derivative(
                f"potential of the force on a point, {axis}",
                of=lambda q, p: -potential_of(1, q, p),
                by=f"q.{axis}1",
                function=lambda q, p, k=k: inner(1, places(q), p)[k],
                number="§2.3 (19), Ex. 2.3",
                text="F_wi = −∂V_i/∂cⁱ, V_i = −Gm_i Σ_{j≠i} m_j/|cʲ − cⁱ|",
            )
            for k, axis in enumerate("xyz")
        ),
    ],
    ranges={name: (3.0 * int(name[1]), 3.0 * int(name[1]) + 1.5) for name in COORDINATES},
    parameters={"m1": 1.3, "m2": 0.7, "m3": 2.1, "G": 0.9},
)
pushed = Printed(
    SOURCE,
    [
        Equation(
            "second law with inner and outer forces",
            left=lambda a, p: flat(times(mass(i, p), point(i, a)) for i in POINTS),
            right=lambda q, v, p, t: flat(force(i, q, v, p, t) for i in POINTS),
            number="§2.1 (1), §2.2 (1), §2.3 (1)–(3)",
            text="m_i c̈ⁱ = F_i = F_wi + F_zi, F_wi = Σ_{j≠i} F_ji, F_ji = G m_j m_i/|cʲ − cⁱ|² (cʲ − cⁱ)/|cʲ − cⁱ|",
        ),
        Equation(
            "rate of the momentum",
            left=lambda v, a, p, q, t: [
                *[v.Px, v.Py, v.Pz],
                *plus(*(times(mass(i, p), point(i, a)) for i in POINTS)),
                *plus(*(inner(i, places(q), p) for i in POINTS), *(outer(i, q, v, t) for i in POINTS)),
            ],
            right=lambda q, v, t: plus(*(outer(i, q, v, t) for i in POINTS)) * 3,
            number="§2.3 (4)–(6)",
            text="Ṗ = Σ m_i c̈ⁱ = ΣΣ F_ji + Σ F_zi = Σ F_zi, P = Σ p_i = Σ m_i ċⁱ",
        ),
        Equation(
            "rate of the moment of momentum",
            left=lambda v: [v.Mx, v.My, v.Mz] * 3,
            right=lambda q, v, a, p, t: [
                *plus(
                    *(times(mass(i, p), cross(point(i, v), point(i, v))) for i in POINTS),
                    *(times(mass(i, p), cross(point(i, q), point(i, a))) for i in POINTS),
                ),
                *plus(
                    *(cross(point(i, q), inner(i, places(q), p)) for i in POINTS),
                    *(cross(point(i, q), outer(i, q, v, t)) for i in POINTS),
                ),
                *plus(*(cross(point(i, q), outer(i, q, v, t)) for i in POINTS)),
            ],
            number="§2.3 (7)–(10), (12)",
            text="Ṁ = Σ m_i ċⁱ × ċⁱ + Σ m_i cⁱ × c̈ⁱ = Σ cⁱ × ΣF_ji + Σ cⁱ × F_zi = Σ cⁱ × F_zi, M = Σ m_i cⁱ × ċⁱ",
        ),
        Equation(
            "rate of the kinetic energy",
            left=lambda v: v.K,
            right=lambda q, v, p, t: sum(dot(point(i, v), force(i, q, v, p, t)) for i in POINTS),
            number="§2.3 (13)–(15)",
            text="K̇ = Σ(ċⁱ, F_i), K = ½Σ m_i(ċⁱ, ċⁱ)",
        ),
        Equation(
            "rate of the energy",
            left=lambda v: v.E,
            right=lambda q, v, p, t: sum(
                dot(point(i, v), minus(force(i, q, v, p, t), inner(i, places(q), p))) for i in POINTS
            ),
            number="§2.3 (16)–(18)",
            text="Ė = K̇ + V̇ = Σ(ċⁱ, F_i + ∂V/∂cⁱ), E = K + V, potential forces being −∂V/∂cⁱ",
        ),
    ],
    system=points("pushed points", force=lambda q, v, t: flat(outer(i, q, v, t) for i in POINTS)),
    quantities={f"P{axis}": lambda v, p, k=k: momentum(v, p)[k] for k, axis in enumerate("xyz")}
    | {f"M{axis}": lambda q, v, p, k=k: moment(q, v, p)[k] for k, axis in enumerate("xyz")}
    | {"K": kinetic, "E": lambda q, v, p: kinetic(v, p) + potential(q, p)},
    **HERE,
)
middle = Printed(
    SOURCE,
    [
        Equation(
            "rate of the kinetic energy, middle form",
            left=lambda v: v.K,
            right=lambda v, p: v.x1 * p.m1 * v.x1 + v.x2 * p.m2 * v.x2,
            correct=(lambda v: v.K, lambda v, a, p: v.x1 * p.m1 * a.x1 + v.x2 * p.m2 * a.x2),
            number="§2.3 (15), middle",
            text="½ d/dt Σ m_i(ċⁱ, ċⁱ) = Σ(ċⁱ, m_i ċⁱ)",
            remark="the acceleration is meant: Σ(ċⁱ, m_i c̈ⁱ)",
        )
    ],
    system=g.System(
        "two points that attract each other on a line",
        coordinates="x1 x2",
        kinetic_energy=lambda v, p: (p.m1 * v.x1**2 + p.m2 * v.x2**2) / 2,
        potential_energy=lambda q, p: -p.m1 * p.m2 / (q.x2 - q.x1),
        parameters={"m1": 1.3, "m2": 0.7},
    ),
    q=[-2.0, 3.0],
    v=[0.7, -0.4],
    quantities={"K": lambda v, p: (p.m1 * v.x1**2 + p.m2 * v.x2**2) / 2},
    spread=0.2,
)
pendulum = Printed(
    SOURCE,
    [
        Equation(
            "separated variables",
            left=lambda q, v: q.p * v.p,
            right=lambda q, v: -g.sin(q.q) * v.q,
            number="§2.4.2, p dp",
            text="p dp = −sin q dq",
        ),
        Equation(
            "the rate by the constant of integration (for p > 0)",
            left=lambda v: v.q,
            right=lambda q, p: g.sqrt(2 * g.cos(q.q) + p.C),
            along=True,
            number="§2.4.2, q̇",
            text="q̇ = ±√(2 cos q + C)",
        ),
    ],
    system=g.System(
        "pendulum", coordinates="q", kinetic_energy=lambda v: v.q**2 / 2, potential_energy=lambda q: -g.cos(q.q)
    ),
    q=[0.4],
    v=[2.3],
    t_end=2.0,
    quantities={"p": lambda v: v.q},
    parameters={"C": 2.3**2 - 2 * float(np.cos(0.4))},
)
system = alone.system
start = g.Start(q=HERE["q"], v=HERE["v"])
equations = [alone, pair, pushed, middle, pendulum]
