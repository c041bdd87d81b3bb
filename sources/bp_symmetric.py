"""Printed equations of BP §2–3: point masses inside a rolling ball under constraints with spherical symmetry.

The model is the full one: (X, Y, Z) is the centre of the ball, (a, b, c) are angles with its rotation Rz(a) Ry(b)
Rx(c), and x1 … z3 are the positions of three unequal masses relative to the centre. One hangs on a thread, the angle
between two threads is kept, and a rod joins the second mass and the third. Variations under an integral sign are
tested there, for every δr that the constraints admit.
"""

import sympy as sp

import gauss as g
from gauss.sources import Equation, Integral, Printed

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
free = g.System(
    "masses inside a rolling ball with spherically symmetric constraints",
    coordinates=COORDINATES,
    kinetic_energy=kinetic,
    potential_energy=lambda q, p: weight(q, p) + link(q, p, 1, 2) + link(q, p, 1, 3),
    constraints=[
        *ROLLING,
        TABLE,
        g.Holonomic("thread", lambda q: square(q, 1) - 0.6),
        g.Holonomic("angle", lambda q: dot(place(q, 1), place(q, 2)) - 0.2),
        g.Holonomic("rod", lambda q: square(q, 2, 3) - 1.5),
    ],
    parameters={**MASSES, **LINKS},
)


def of_ball(q, l):
    """Forces N_i of the ball on the masses."""
    first = plus(scaled(2 * l[3], place(q, 1)), scaled(l[4], place(q, 2)))
    return [first, scaled(l[4], place(q, 1)), [0.0, 0.0, 0.0]]


def inner(q, l, p):
    """Forces F_i of the masses on one another."""
    near, far, rod = pull(q, p, 1, 2), pull(q, p, 1, 3), scaled(2 * l[5], minus(place(q, 2), place(q, 3)))
    return [plus(near, far), minus(rod, near), plus(scaled(-1, rod), scaled(-1, far))]


def moment(q, l):
    """M, the moment of the forces of the ball about its centre."""
    return plus(*(cross(place(q, i), G) for i, G in zip(POINTS, of_ball(q, l))))


def mass_centre(q, p):
    return scaled(1 / total(p), plus(*(scaled(mass(p, i), place(q, i)) for i in POINTS)))


def down(m, p):
    return [0.0, 0.0, -m * p.g]


def final_force(q, a, l, p, i):
    """P_i of (3.1)."""
    m = mass(p, i)
    pushed = scaled(m * total(p) / (mu(p) + total(p)), level(mass_centre(a, p)))
    return plus(down(m, p), of_ball(q, l)[i - 1], inner(q, l, p)[i - 1], pushed)


def momentum(q, v, p):
    """K, the moment of momentum of the masses relative to the centre."""
    return plus(*(scaled(mass(p, i), cross(place(q, i), place(v, i))) for i in POINTS))


def share(p):
    return total(p) ** 2 / (mu(p) + total(p))


def modified_energy(v, p):
    x_dot = level(mass_centre(v, p))
    return sum(mass(p, i) * dot(place(v, i), place(v, i)) / 2 for i in POINTS) - share(p) * dot(x_dot, x_dot) / 2


def height(q, p):
    return mass_centre(q, p)[2]


def each(function):
    """The three components for each mass, in one list."""
    return [x for i in POINTS for x in function(i)]


def varied(q, p):
    """δr_i that the symmetric constraints admit, for any numbers u, w, h: u turns all, w mass 2 about 1, h the rod."""
    u, w, h = ([p[f"{x}{k}"] for k in (1, 2, 3)] for x in "uwh")
    first = cross(u, place(q, 1))
    second = plus(cross(u, place(q, 2)), cross(w, place(q, 1)))
    return [first, second, plus(second, cross(h, minus(place(q, 3), place(q, 2))))]


def impulse(v, p, i):
    """p_i of (3.2), or its rate if v holds the second rates."""
    return minus(
        scaled(mass(p, i), place(v, i)),
        scaled(mass(p, i) * total(p) / (mu(p) + total(p)), level(mass_centre(v, p))),
    )


def work(vectors, changes):
    return sum(dot(one, other) for one, other in zip(vectors, changes))


def moved(q, v, p):
    """d(δr_i)/dt."""
    rates = dict(zip(q, v))
    return [[sum(sp.diff(x, y) * rates[y] for y in rates) for x in change] for change in varied(q, p)]


def along_change(function, v, changes, p):
    """The change of a function of the velocities for changes of those."""
    names = [place(v, i) for i in POINTS]
    return sum(sp.diff(function(v, p), x) * y for xs, ys in zip(names, changes) for x, y in zip(xs, ys))


def action_rate(q, v, a, p):
    """d/dt Σ(p_i, δr_i)."""
    formula = work([impulse(v, p, i) for i in POINTS], varied(q, p))
    pairs = [*zip(q, v), *((x, y) for i in POINTS for x, y in zip(place(v, i), place(a, i)))]
    return sum(sp.diff(formula, x) * y for x, y in pairs)


def inner_potential(q, p):
    return link(q, p, 1, 2) + link(q, p, 1, 3)


def chaplygin(v, p, k):
    return centre(v)[k] + total(p) / (mu(p) + total(p)) * mass_centre(v, p)[k]


CHAPLYGIN = {"number": "(2.1)", "text": "V + (m/(μ+m))ẋ = c"}
symmetric = Printed(
    "BP",
    [
        Integral("Chaplygin's integral, x", function=lambda v, p: chaplygin(v, p, 0), **CHAPLYGIN),
        Integral("Chaplygin's integral, y", function=lambda v, p: chaplygin(v, p, 1), **CHAPLYGIN),
        Integral(
            "modified moment of momentum",
            function=lambda q, v, p: (
                momentum(q, v, p)[2] - share(p) * cross(level(mass_centre(q, p)), level(mass_centre(v, p)))[2]
            ),
            number="(2.5)",
            text="K̂_z = K_z − (m²/(μ+m))(x × ẋ, e_z) = k",
        ),
        Integral(
            "modified energy",
            function=lambda q, v, p: modified_energy(v, p) + total(p) * p.g * height(q, p) + inner_potential(q, p),
            number="(2.6), (2.8)",
            text="H = T̂ + mgz + V = h",
        ),
        Equation(
            "reactions do no work",
            left=lambda q, l, p: work(of_ball(q, l), varied(q, p)),
            number="§3 (1)",
            text="Σ(N_i, δr_i) = 0",
        ),
        Equation(
            "moment of the reactions",
            left=lambda q, l, p: moment(q, l),
            number="§3 (2)",
            text="M = Σr_i × N_i = 0",
        ),
        Equation(
            "one mass, constraints with spherical symmetry",
            left=lambda a, p: each(lambda i: scaled(mass(p, i), place(a, i))),
            right=lambda q, a, l, p: each(lambda i: final_force(q, a, l, p, i)),
            number="(3.1)",
            text="m_i r̈_i = P_i = −m_i ge_z + N_i + F_i + (m_i m/(μ+m))ẍ",
        ),
        Equation(
            "momenta of the modified kinetic energy",
            left=lambda v, p: each(lambda i: impulse(v, p, i)),
            right=lambda v, p: each(lambda i: [sp.diff(modified_energy(v, p), x) for x in place(v, i)]),
            number="(3.2)",
            text="p_i = ∂T̂/∂ṙ_i = m_i ṙ_i − (m_i m/(μ+m))Πṡ",
            remark="the last term is hardly legible in the scan",
        ),
        Equation(
            "variation of the action, under the integral sign and with the boundary term",
            left=lambda q, v, p: along_change(modified_energy, v, moved(q, v, p), p),
            right=lambda q, v, a, p: action_rate(q, v, a, p) - work([impulse(a, p, i) for i in POINTS], varied(q, p)),
            number="(3.3)",
            text="δ∫T̂ dt = ∫Σ(p_i, δṙ_i) dt = −∫Σ(ṗ_i, δr_i) dt",
            remark="the middle is hardly legible; δr vanishes at both ends, where the boundary term is taken",
        ),
        Equation(
            "variation of the action by the forces, under the integral sign",
            left=lambda q, a, p: work([minus(down(mass(p, i), p), impulse(a, p, i)) for i in POINTS], varied(q, p)),
            right=lambda q, l, p: -work(inner(q, l, p), varied(q, p)),
            number="(3.4)",
            text="δ∫(T̂ − mgz) dt = −∫Σ(F_i, δr_i) dt",
        ),
        Integral(
            "Noether's integral",
            function=lambda q, v, p: sum(
                dot(cross(UP, place(q, i)), [sp.diff(modified_energy(v, p), x) for x in place(v, i)]) for i in POINTS
            ),
            number="§3, after (3.6)",
            text="K̂_z = Σ(e_z × r_i, ∂T̂/∂ṙ_i) = k",
        ),
    ],
    system=free,
    parameters=dict(
        zip([f"{x}{k}" for x in "uwh" for k in (1, 2, 3)], (0.3, -0.5, 0.7, 0.4, 0.6, -0.2, 0.8, -0.1, 0.5))
    ),
    spread=0.2,
    **STATE,
)
system = free
start = g.Start(**STATE)
equations = [symmetric]
