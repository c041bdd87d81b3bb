"""Printed equations of BP §1–3: point masses inside a rolling ball, by the full model with the ball's rotation.

(X, Y, Z) is the centre of the ball, (a, b, c) are angles with the rotation A = Rz(a) Ry(b) Rx(c) of the ball, and
x1 … z3 are the positions of three unequal masses relative to the centre. F_P = (l0, l1, l2) are the multipliers of
rolling and of the table. One mass slides on a disc fixed in the ball and one hangs on a spring from a point of it, so
that the moment M of the forces of the ball is not zero. The three masses stand for any number of them.
"""

import gauss as g
from gauss.sources import Equation, Printed

POINTS = (1, 2, 3)
MASSES = {"R": 1.3, "M": 0.8, "I": 0.9, "m1": 0.7, "m2": 0.4, "m3": 0.55, "g": 3.3}
LINKS = {"k": 0.6, "d": 0.5}
UP = (0.0, 0.0, 1.0)


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def scaled(s, a):
    return [s * x for x in a]


def plus(*vectors):
    return [sum(parts) for parts in zip(*vectors)]


def minus(a, b):
    return [x - y for x, y in zip(a, b)]


def level(a):
    """Πa, the projection on the horizontal plane."""
    return [a[0], a[1], 0.0]


def place(q, i):
    """Position, velocity or acceleration of mass i relative to the centre, as q holds values or rates."""
    return [q[f"x{i}"], q[f"y{i}"], q[f"z{i}"]]


def centre(q):
    return [q.X, q.Y, q.Z]


def mass(p, i):
    return p[f"m{i}"]


def total(p):
    return p.m1 + p.m2 + p.m3


def mu(p):
    return p.I / p.R**2 + p.M


def spin(q, v):
    """Angular velocity Ω of the ball in fixed axes."""
    sa, ca, sb, cb = g.sin(q.a), g.cos(q.a), g.sin(q.b), g.cos(q.b)
    return [-v.b * sa + v.c * ca * cb, v.b * ca + v.c * sa * cb, v.a - v.c * sb]


def axis(q):
    """A e₁, a direction fixed in the ball."""
    return [g.cos(q.a) * g.cos(q.b), g.sin(q.a) * g.cos(q.b), -g.sin(q.b)]


def kinetic(q, v, p):
    moving = [plus(centre(v), place(v, i)) for i in POINTS]
    ball = p.M * dot(centre(v), centre(v)) / 2 + p.I * dot(spin(q, v), spin(q, v)) / 2
    return ball + sum(mass(p, i) * dot(u, u) / 2 for i, u in zip(POINTS, moving))


def weight(q, p):
    return p.M * p.g * q.Z + sum(mass(p, i) * p.g * (q.Z + q[f"z{i}"]) for i in POINTS)


def link(q, p, i, j):
    """Potential of a force between two masses that depends on their distance."""
    r = minus(place(q, i), place(q, j))
    return p.k * (dot(r, r) - p.d**2) ** 2 / 4


def pull(q, p, i, j):
    """That force on mass i."""
    r = minus(place(q, i), place(q, j))
    return scaled(-p.k * (dot(r, r) - p.d**2), r)


def square(q, i, j=None):
    r = place(q, i) if j is None else minus(place(q, i), place(q, j))
    return dot(r, r)


ROLLING = [
    g.Pfaffian(
        "rolling",
        lambda q, p: [
            {"X": 1.0, "b": -p.R * g.cos(q.a), "c": -p.R * g.sin(q.a) * g.cos(q.b)},
            {"Y": 1.0, "b": -p.R * g.sin(q.a), "c": p.R * g.cos(q.a) * g.cos(q.b)},
        ],
    )
]
TABLE = g.Holonomic("table", lambda q, p: q.Z - p.R)
COORDINATES = "X Y Z a b c x1 y1 z1 x2 y2 z2 x3 y3 z3"
STATE = {
    "q": [0.0, 0.0, 1.3, 0.3, 0.4, 0.2, 0.5, 0.1, -0.6, -0.3, 0.5, -0.4, 0.2, -0.6, 0.3],
    "v": [0.3, -0.2, 0.0, 0.5, 0.2, 0.3, 0.1, 0.4, 0.2, 0.3, -0.2, 0.1, -0.3, 0.2, 0.4],
}
tied = g.System(
    "masses inside a rolling ball, tied to it",
    coordinates=COORDINATES,
    kinetic_energy=kinetic,
    potential_energy=lambda q, p: (
        weight(q, p)
        + link(q, p, 1, 2)
        + p.e * dot(minus(place(q, 3), scaled(p.s, axis(q))), minus(place(q, 3), scaled(p.s, axis(q)))) / 2
    ),
    force=lambda q, v, p: {"a": -p.h * spin(q, v)[2], "c": p.h * spin(q, v)[2] * g.sin(q.b)},  # M_P, along the vertical
    constraints=[
        *ROLLING,
        TABLE,
        g.Holonomic("thread", lambda q: square(q, 1) - 0.6),
        g.Holonomic("disc", lambda q: dot(place(q, 2), axis(q)) - 0.3),
        g.Holonomic("rod", lambda q: square(q, 2, 3) - 1.5),
    ],
    parameters={**MASSES, **LINKS, "e": 1.1, "s": 0.5, "h": 0.3},
)


def of_ball(q, l, p):
    """Forces G_i of the ball on the masses."""
    spring = scaled(-p.e, minus(place(q, 3), scaled(p.s, axis(q))))
    return [scaled(2 * l[3], place(q, 1)), scaled(l[4], axis(q)), spring]


def inner(q, l, p):
    """Forces F_i of the masses on one another."""
    near, rod = pull(q, p, 1, 2), scaled(2 * l[5], minus(place(q, 2), place(q, 3)))
    return [near, minus(rod, near), scaled(-1, rod)]


def resultant(q, l, p):
    return plus(*of_ball(q, l, p))


def moment(q, l, p):
    """M, the moment of the forces of the ball about its centre."""
    return plus(*(cross(place(q, i), G) for i, G in zip(POINTS, of_ball(q, l, p))))


def tilt(q, l, p):
    """e_z × M."""
    return cross(UP, moment(q, l, p))


def mass_centre(q, p):
    return scaled(1 / total(p), plus(*(scaled(mass(p, i), place(q, i)) for i in POINTS)))


def down(m, p):
    return [0.0, 0.0, -m * p.g]


def inertia_force(q, l, p):
    """ΠG − e_z × M/R."""
    return minus(level(resultant(q, l, p)), scaled(1 / p.R, tilt(q, l, p)))


def final_force(q, a, l, p, i):
    """P_i of (1.9)."""
    m, whole = mass(p, i), p.R * (mu(p) + total(p))
    pushed = scaled(m * total(p) / (mu(p) + total(p)), level(mass_centre(a, p)))
    tilted = scaled(-m / whole, tilt(q, l, p))
    return plus(down(m, p), of_ball(q, l, p)[i - 1], inner(q, l, p)[i - 1], pushed, tilted)


def momentum(q, v, p):
    """K, the moment of momentum of the masses relative to the centre."""
    return plus(*(scaled(mass(p, i), cross(place(q, i), place(v, i))) for i in POINTS))


def share(p):
    return total(p) ** 2 / (mu(p) + total(p))


def modified_momentum(q, v, p):
    s, s_dot = mass_centre(q, p), mass_centre(v, p)
    return minus(momentum(q, v, p), scaled(share(p), cross(s, s_dot)))


def modified_energy(v, p):
    x_dot = level(mass_centre(v, p))
    return sum(mass(p, i) * dot(place(v, i), place(v, i)) / 2 for i in POINTS) - share(p) * dot(x_dot, x_dot) / 2


def height(q, p):
    return mass_centre(q, p)[2]


def power(q, v, l, p):
    forces = [plus(G, F) for G, F in zip(of_ball(q, l, p), inner(q, l, p))]
    return sum(dot(f, place(v, i)) for i, f in zip(POINTS, forces))


def each(function):
    """The three components for each mass, in one list."""
    return [x for i in POINTS for x in function(i)]


FIRST = [
    Equation(
        "no slip",
        left=lambda v: centre(v),
        right=lambda q, p: scaled(p.R, cross([q.O1, q.O2, q.O3], UP)),
        number="(1.1)",
        text="V = RΩ × e_z",
    ),
    Equation(
        "forces between the masses",
        left=lambda q, l, p: [
            *plus(*inner(q, l, p)),
            *plus(*(cross(place(q, i), F) for i, F in zip(POINTS, inner(q, l, p)))),
        ],
        number="§1, before (1.2)",
        text="ΣF_i = 0, Σr_i × F_i = 0",
    ),
    Equation(
        "rotation of the ball",
        left=lambda v, p: scaled(p.I, [v.O1, v.O2, v.O3]),
        right=lambda q, l, p: plus(
            scaled(-p.R, cross(UP, [l[0], l[1], l[2]])), scaled(-1, moment(q, l, p)), [0.0, 0.0, -p.h * q.O3]
        ),
        number="(1.2)",
        text="IΩ̇ = −Re_z × F_P − M + M_P",
    ),
    Equation(
        "centre of the ball",
        left=lambda a, p: scaled(p.M, centre(a)),
        right=lambda q, l, p: plus([l[0], l[1], l[2]], down(p.M, p), scaled(-1, resultant(q, l, p))),
        number="(1.3)",
        text="MV̇ = F_P − Mge_z − G",
    ),
    Equation(
        "one mass",
        left=lambda a, p: each(lambda i: scaled(mass(p, i), plus(centre(a), place(a, i)))),
        right=lambda q, l, p: each(lambda i: plus(down(mass(p, i), p), of_ball(q, l, p)[i - 1], inner(q, l, p)[i - 1])),
        number="(1.4)",
        text="m_i(V̇ + r̈_i) = −m_i ge_z + G_i + F_i",
    ),
    Equation(
        "centre of the ball without the reaction of the table",
        left=lambda a, p: scaled(mu(p), centre(a)),
        right=lambda q, l, p: plus(scaled(-1, level(resultant(q, l, p))), scaled(1 / p.R, tilt(q, l, p))),
        number="(1.5)",
        text="μV̇ = −ΠG + R⁻¹e_z × M, μ = I/R² + M",
    ),
    Equation(
        "horizontal part of G",
        left=lambda q, l, p: [
            *scaled(-1, cross(UP, cross(UP, resultant(q, l, p)))),
            *minus(resultant(q, l, p), scaled(resultant(q, l, p)[2], UP)),
        ],
        right=lambda q, l, p: [*level(resultant(q, l, p)), *level(resultant(q, l, p))],
        number="§1, after (1.5)",
        text="ΠG = −e_z × (e_z × G) = G − G_z e_z",
    ),
    Equation(
        "one mass relative to the centre",
        left=lambda a, p: each(lambda i: scaled(mass(p, i), place(a, i))),
        right=lambda q, l, p: each(
            lambda i: plus(
                down(mass(p, i), p),
                of_ball(q, l, p)[i - 1],
                inner(q, l, p)[i - 1],
                scaled(mass(p, i) / mu(p), inertia_force(q, l, p)),
            )
        ),
        number="(1.6)",
        text="m_i r̈_i = P_i = −m_i ge_z + G_i + F_i + (m_i/μ)(ΠG − R⁻¹e_z × M)",
        remark="the factor of the last term is hardly legible in the scan",
    ),
    Equation(
        "mass centre",
        left=lambda a, p: scaled(total(p), mass_centre(a, p)),
        right=lambda q, l, p: plus(
            down(total(p), p), resultant(q, l, p), scaled(total(p) / mu(p), inertia_force(q, l, p))
        ),
        number="(1.7)",
        text="ms̈ = −mge_z + G + (m/μ)(ΠG − R⁻¹e_z × M)",
        remark="the factor of the last term is hardly legible in the scan",
    ),
    Equation(
        "horizontal part of G by the acceleration",
        left=lambda q, l, p: level(resultant(q, l, p)),
        right=lambda q, a, l, p: scaled(
            total(p) / (mu(p) + total(p)),
            plus(scaled(mu(p), level(mass_centre(a, p))), scaled(1 / p.R, tilt(q, l, p))),
        ),
        number="(1.8)",
        text="ΠG = (m/(μ+m))(μẍ + R⁻¹e_z × M)",
        remark="the factors are hardly legible in the scan",
    ),
    Equation(
        "one mass relative to the centre, in the end",
        left=lambda a, p: each(lambda i: scaled(mass(p, i), place(a, i))),
        right=lambda q, a, l, p: each(lambda i: final_force(q, a, l, p, i)),
        number="(1.9)",
        text="m_i r̈_i = P_i = −m_i ge_z + G_i + F_i + (m_i m/(μ+m))ẍ − (m_i/(R(μ+m)))e_z × M",
    ),
    Equation(
        "centre of the ball, in the end",
        left=lambda a, p: plus(scaled(mu(p) + total(p), centre(a)), scaled(total(p), level(mass_centre(a, p)))),
        right=lambda q, l, p: scaled(1 / p.R, tilt(q, l, p)),
        number="(1.10)",
        text="(μ + m)V̇ + mẍ = R⁻¹e_z × M",
    ),
]
SECOND = [
    Equation(
        "rate of the moment of momentum",
        left=lambda q, a, p: momentum(q, a, p),
        right=lambda q, a, l, p: plus(
            scaled(-total(p) * p.g, cross(mass_centre(q, p), UP)),
            moment(q, l, p),
            scaled(share(p), cross(mass_centre(q, p), level(mass_centre(a, p)))),
            scaled(-total(p) / (p.R * (mu(p) + total(p))), cross(mass_centre(q, p), tilt(q, l, p))),
        ),
        number="(2.3)",
        text="K̇ = Σr_i × P_i = −mgs × e_z + M + (m²/(μ+m))s × ẍ − (m/(R(μ+m)))s × (e_z × M)",
    ),
    Equation(
        "rate of the modified moment of momentum",
        left=lambda v: v.Kz,
        right=lambda q, l, p: (
            moment(q, l, p)[2] - total(p) * dot(level(mass_centre(q, p)), moment(q, l, p)) / (p.R * (mu(p) + total(p)))
        ),
        number="(2.4)",
        text="dK̂_z/dt = M_z − m(x, M)/(R(μ+m)), K̂ = K − (m²/(μ+m))s × ṡ",
    ),
    Equation(
        "rate of the kinetic energy",
        left=lambda v, a, p: sum(mass(p, i) * dot(place(v, i), place(a, i)) for i in POINTS),
        right=lambda q, v, a, l, p: (
            -total(p) * p.g * height(v, p)
            + power(q, v, l, p)
            + share(p) * dot(mass_centre(a, p), level(mass_centre(v, p)))
            - total(p) * dot(tilt(q, l, p), mass_centre(v, p)) / (p.R * (mu(p) + total(p)))
        ),
        number="§2, before (2.6)",
        text="Ṫ = Σ(P_i, ṙ_i) = −mgż + Σ(G_i + F_i, ṙ_i) + (m²/(μ+m))(ẍ, ẋ) − (m/(R(μ+m)))(e_z × M, ẋ)",
    ),
    Equation(
        "rate of the modified kinetic energy",
        left=lambda v: v.Th,
        right=lambda q, v, l, p: (
            -total(p) * p.g * height(v, p)
            + power(q, v, l, p)
            - total(p) * dot(tilt(q, l, p), mass_centre(v, p)) / (p.R * (mu(p) + total(p)))
        ),
        number="(2.6), (2.7)",
        text="dT̂/dt = −mgż + Σ(G_i + F_i, ṙ_i) − (m/(R(μ+m)))(e_z × M, ẋ), T̂ = T − (m²/(2(μ+m)))|ẋ|²",
    ),
]
general = Printed(
    "BP",
    [*FIRST, *SECOND],
    system=tied,
    quantities={
        "O1": lambda q, v: spin(q, v)[0],
        "O2": lambda q, v: spin(q, v)[1],
        "O3": lambda q, v: spin(q, v)[2],
        "Kz": lambda q, v, p: modified_momentum(q, v, p)[2],
        "Th": lambda v, p: modified_energy(v, p),
    },
    spread=0.2,
    **STATE,
)
system = tied
start = g.Start(**STATE)
equations = [general]
