"""Printed equations of C, (1)–(8) and (14)–(23): particles of unequal mass at regular positions, after P. Stäckel.

Three particles have two holonomic constraints, one of which moves, and two linear nonholonomic ones with terms of their
own; in `resting` two unilateral constraints are added. All rows depend on time. The force is (X, Y, Z) on each
particle. An admissible u is made of any five numbers: the other four follow from (6), row by row. Z(a) is here
Σ m_i(ẍ_i − X_i/m_i)², twice the Zwang of the package. An inequality f ≥ 0 is asked as |f| = f.
"""

import sympy as sp

import gauss as g
from gauss.sources import Equation, Printed

NAMES = ("x1", "y1", "z1", "x2", "y2", "z2", "x3", "y3", "z3")
FREE = ("z1", "y2", "z2", "x3", "y3")  # of u; x1, y1, x2 and z3 follow


def mass(p, name):
    return p[f"m{name[1]}"]


def force(q, v, t):
    """X_i by coordinate: pulls between the particles, drag, a push in time."""
    pulls = {x: q[f"{x[0]}{int(x[1]) % 3 + 1}"] - q[x] for x in NAMES}
    return {
        x: 0.8 * pulls[x] - 0.2 * v[x] + (g.sin(t) - 2.5 if x == "y2" else 0.0) - (1.9 if x[0] == "z" else 0.0)
        for x in NAMES
    }


def holonomic(q, t):
    """The functions of (1)."""
    apart = (q.x1 - q.x2) ** 2 + (q.y1 - q.y2) ** 2 + (q.z1 - q.z2) ** 2
    return [apart - (1.4 + 0.2 * g.sin(t)) ** 2, q.x3**2 + q.y3**2 + q.z3**2 - 1.1 - 0.3 * q.x3 * t]


def nonholonomic(q, t):
    """Coefficients (9,) and terms of the two rows of (3)."""
    first = {"y1": 1.0, "x2": 0.4 * q.z1, "z3": 0.5 * q.x2 + t, "z1": q.y3}
    second = {"x2": 1.0, "y3": t + q.y1, "z2": -q.z2, "x3": 0.3 * q.x1}
    return [(first, 0.3 * q.y2 + t), (second, -0.2 * g.cos(t) + q.z3)]


ROWS = [
    g.Holonomic("holonomic", holonomic),
    g.Pfaffian(
        "nonholonomic",
        matrix=lambda q, t: [row for row, _ in nonholonomic(q, t)],
        offset=lambda q, t: [term for _, term in nonholonomic(q, t)],
    ),
]


def particles(name, more):
    return g.System(
        name,
        coordinates=" ".join(NAMES),
        kinetic_energy=lambda v, p: sum(mass(p, x) * v[x] ** 2 for x in NAMES) / 2,
        force=force,
        constraints=[*ROWS, *more],
        parameters={"m1": 0.7, "m2": 1.6, "m3": 0.9},
    )


def contacts(q, t):
    """The functions of (14)."""
    return [q.z1 - 0.3 * q.x1 - 0.2 * t, 0.5 + q.y2 + 0.4 * q.x3**2 - 0.1 * t]


bound = particles("particles with bilateral constraints", [])
resting = particles("particles with bilateral and unilateral constraints", [g.Unilateral("contacts", contacts)])
START = {
    "q": [0.9, 0.2, 0.1, -0.4, -0.3, 0.2, 0.5, 0.3, 0.9],
    "v": [0.2, 0.3, -0.1, 0.4, 0.2, 0.3, 0.1, -0.2, 0.3],
    "t": 0.4,
    "spread": 0.2,
}

# --- what the source builds of it ------------------------------------------------------------------------------------


def rate(formula, q, v, t):
    return sp.diff(formula, t) + sum(sp.diff(formula, q[x]) * v[x] for x in NAMES)


def rows(q, t):
    """F (m, 9) and the terms (m,) of (4)."""
    found = [([sp.diff(f, q[x]) for x in NAMES], sp.diff(f, t)) for f in holonomic(q, t)]
    for row, term in nonholonomic(q, t):
        found.append(([sp.sympify(row.get(x, 0.0)) for x in NAMES], term))
    return found


def side_rows(q, t):
    """v_σ (s, 9) and v_σ0 (s,) of (16)."""
    return [([sp.diff(f, q[x]) for x in NAMES], sp.diff(f, t)) for f in contacts(q, t)]


def linear(row, values):
    return sum(c * values[x] for c, x in zip(row, NAMES))


def second(row, term, q, v, t):
    """H of (5), or K of (17): what differentiation adds to the row times the accelerations."""
    return sum(rate(c, q, v, t) * v[x] for c, x in zip(row, NAMES)) + rate(term, q, v, t)


def admissible(q, t, p, numbers="u"):
    """u_i by coordinate that satisfies (6), from five numbers of the collection."""
    u = {x: p[f"{numbers}{k}"] for k, x in enumerate(FREE)}
    (rod, _), (ball, _), (first, _), (other, _) = rows(q, t)
    for name, row in (("z3", ball), ("x2", other), ("y1", first), ("x1", rod)):
        known = sum(c * u[x] for c, x in zip(row, NAMES) if x in u)
        u[name] = -known / row[NAMES.index(name)]
    return u


def zwang(a, q, v, t, p):
    X = force(q, v, t)
    return sum(mass(p, x) * (a[x] - X[x] / mass(p, x)) ** 2 for x in NAMES)


def shifted(a, u, share=1):
    """ξ + Θu."""
    return {x: a[x] + share * u[x] for x in NAMES}


def slope(q, v, a, t, p, u):
    """Σ(m_i ξ_i − X_i)u_i."""
    X = force(q, v, t)
    return sum((mass(p, x) * a[x] - X[x]) * u[x] for x in NAMES)


def half(u, p):
    """Σ m_i u_i²."""
    return sum(mass(p, x) * u[x] ** 2 for x in NAMES)


def stretched(a, q, v, t, p):
    """y_i by coordinate."""
    X = force(q, v, t)
    return {x: g.sqrt(mass(p, x)) * a[x] - X[x] / g.sqrt(mass(p, x)) for x in NAMES}


def in_stretched(row, term, y, q, v, t, p):
    """Σ F_i y_i/√m_i + H°, with H° = H + Σ F_i X_i/m_i."""
    X = force(q, v, t)
    constant = second(row, term, q, v, t) + sum(c * X[x] / mass(p, x) for c, x in zip(row, NAMES))
    return sum(c * y[x] / g.sqrt(mass(p, x)) for c, x in zip(row, NAMES)) + constant


def number(p):
    """Any numbers in place of u."""
    return {x: p[f"n{k}"] for k, x in enumerate(NAMES)}


BILATERAL = [
    Equation("holonomic constraints", left=holonomic, number="(1)", text="f_p(x_i, t) = 0"),
    Equation(
        "velocities of the holonomic constraints",
        left=lambda q, v, t: [rate(f, q, v, t) for f in holonomic(q, t)],
        number="(2)",
        text="Σ(∂f_p/∂x_i)ẋ_i + ∂f_p/∂t = 0",
        remark="only the end of the line is legible",
    ),
    Equation(
        "nonholonomic constraints",
        left=lambda q, v, t: [sum(c * v[x] for x, c in row.items()) + term for row, term in nonholonomic(q, t)],
        number="(3)",
        text="Σf_νi(x_i, t)ẋ_i + φ_ν(x_i, t) = 0",
    ),
    Equation(
        "all rows",
        left=lambda q, v, t: [linear(row, v) + term for row, term in rows(q, t)],
        number="(4)",
        text="ΣF_ρi(x_i, t)ẋ_i + Φ_ρ(x_i, t) = 0",
    ),
    Equation(
        "rows on the accelerations",
        left=lambda q, v, a, t: [linear(row, a) + second(row, term, q, v, t) for row, term in rows(q, t)],
        number="(5)",
        text="ΣF_ρi ẍ_i + H_ρ(x_i, ẋ_i, t) = 0",
        remark="the equation is missing in the transcription; it is entered as the text around it defines it",
    ),
    Equation(
        "admissible changes",
        left=lambda q, v, a, t, p: [
            *(linear(row, admissible(q, t, p)) for row, _ in rows(q, t)),
            *(
                linear(row, shifted(a, admissible(q, t, p), 0.7)) + second(row, term, q, v, t)
                for row, term in rows(q, t)
            ),
        ],
        number="(6)",
        text="ΣF_ρi u_i = 0, also for ū_i = gu_i with any number g",
    ),
    Equation(
        "the Zwang beside its least value, for any u",
        left=lambda q, v, a, t, p: zwang(shifted(a, number(p)), q, v, t, p),
        right=lambda q, v, a, t, p: zwang(a, q, v, t, p) + half(number(p), p) + 2 * slope(q, v, a, t, p, number(p)),
        number="(7)",
        text="Z(ξ_i + u_i) = Z(ξ_i) + Σm_i u_i² + 2Σ(m_i ξ_i − X_i)u_i",
    ),
    Equation(
        "the Zwang is stationary",
        left=lambda q, v, a, t, p: slope(q, v, a, t, p, admissible(q, t, p)),
        number="(8)",
        text="Σ(m_i ξ_i − X_i)u_i = 0 for admissible u_i",
        remark="the equation is missing in the transcription; it is entered as (7) and the text around it define it",
    ),
    Equation(
        "the least value is less than any other",
        left=lambda q, v, a, t, p: g.fabs(zwang(shifted(a, admissible(q, t, p)), q, v, t, p) - zwang(a, q, v, t, p)),
        right=lambda t, q, p: half(admissible(q, t, p), p),
        number="§1, Z(ξ + u) > Z(ξ)",
        text="Z(ξ_i + u_i) > Z(ξ_i), with the difference Σm_i u_i² that (7) and (8) give",
    ),
    Equation(
        "the Zwang as a squared distance",
        left=lambda q, v, a, t, p: zwang(a, q, v, t, p),
        right=lambda q, v, a, t, p: sum(y**2 for y in stretched(a, q, v, t, p).values()),
        number="before (21)",
        text="y_i = √m_i ẍ_i − X_i/√m_i, Z = Σy_i²",
        remark="the first formula is hardly legible",
    ),
    Equation(
        "rows in stretched coordinates",
        left=lambda q, v, a, t, p: [
            in_stretched(row, term, stretched(a, q, v, t, p), q, v, t, p) for row, term in rows(q, t)
        ],
        number="(21), (22)",
        text="Σ(F_ρi/√m_i)y_i + H°_ρ = 0",
    ),
    Equation(
        "the least distance is along the perpendicular",
        left=lambda q, v, a, t, p: sum(
            stretched(a, q, v, t, p)[x] * g.sqrt(mass(p, x)) * u for x, u in admissible(q, t, p).items()
        ),
        number="after (21)",
        text="the least distance is along the perpendicular from the origin to R_{3n−m}",
    ),
]


def pressing(q, t, p):
    """Shares of two admissible changes whose sum opens the two contacts by c1 and c2, by Cramer's rule."""
    one, other = admissible(q, t, p), admissible(q, t, p, "w")
    (first, _), (last, _) = side_rows(q, t)
    a, b = linear(first, one), linear(first, other)
    c, d = linear(last, one), linear(last, other)
    return (d * p.c1 - b * p.c2) / (a * d - b * c), (a * p.c2 - c * p.c1) / (a * d - b * c)


def opening(q, t, p):
    """u_i with (6) that opens both contacts."""
    one, other = admissible(q, t, p), admissible(q, t, p, "w")
    return {x: q.first * one[x] + q.other * other[x] for x in NAMES}


def steep(q, v, a, t, p, l):
    """Σ(m_i ξ_i − X_i)u_i by the multipliers of the contacts, (4 rows) + contact k."""
    u = admissible(q, t, p)
    return sum(l[4 + k] * linear(row, u) for k, (row, _) in enumerate(side_rows(q, t)))


def excess(q, v, a, t, k):
    """(17) for contact k."""
    row, term = side_rows(q, t)[k]
    return linear(row, a) + second(row, term, q, v, t)


PUSHED = [
    Equation(
        "unilateral constraints",
        left=lambda q, t: [g.fabs(f) for f in contacts(q, t)],
        right=contacts,
        number="(14)",
        text="g_ν(x_i, t) ≥ 0",
    ),
    Equation(
        "those that press are satisfied with the equality",
        left=lambda q, v, t, l: [l[4 + k] * (linear(row, v) + term) for k, (row, term) in enumerate(side_rows(q, t))],
        number="(16)",
        text="Σv_σi ẋ_i + v_σ0 = 0, for the σ with a reaction",
    ),
    Equation(
        "accelerations of the contacts that are closed",
        left=lambda q, v, a, t, p, l: [
            *(g.fabs(l[4 + k]) for k in range(2)),
            *(l[4 + k] * excess(q, v, a, t, k) for k in range(2)),
        ],
        right=lambda l: [l[4], l[5], 0.0, 0.0],
        number="(17)",
        text="Σv_σi ẍ_i + K_σ ≥ 0: with equality where a reaction λ ≥ 0 acts",
    ),
    Equation(
        "the slope of the Zwang by the reactions",
        left=lambda q, v, a, t, p: slope(q, v, a, t, p, admissible(q, t, p)),
        right=steep,
        number="(18) (1)",
        text="Σ(m_i ξ_i − X_i)u_i = Σλ_σ Σv_σi u_i for u_i with (6)",
    ),
    Equation(
        "the slope of the Zwang is not negative",
        left=lambda q, v, a, t, p: g.fabs(slope(q, v, a, t, p, opening(q, t, p))),
        right=lambda q, v, a, t, p: slope(q, v, a, t, p, opening(q, t, p)),
        number="(18)",
        text="Σ(m_i ξ_i − X_i)u_i ≥ 0 for admissible u_i",
        remark="the equation is hardly legible; it is entered as the text around it defines it",
    ),
    Equation(
        "admissible changes of closed contacts, and shorter ones",
        left=lambda q, v, a, t, p: [
            *(linear(row, opening(q, t, p)) for row, _ in side_rows(q, t)),
            *(
                linear(row, shifted(a, opening(q, t, p), 0.3)) + second(row, term, q, v, t)
                for row, term in side_rows(q, t)
            ),
        ],
        right=lambda q, v, a, t, p: [
            p.c1,
            p.c2,
            *(
                0.7 * excess(q, v, a, t, k)
                + 0.3 * (linear(row, shifted(a, opening(q, t, p))) + second(row, term, q, v, t))
                for k, (row, term) in enumerate(side_rows(q, t))
            ),
        ],
        number="(19), (20)",
        text="Σv_σi(ξ_i + u_i) + K_σ ≥ 0, hence Σv_σi(ξ_i + Θu_i) + K_σ ≥ 0 for 0 < Θ < 1",
        remark="hardly legible; entered as the sum (1 − Θ)·(17) + Θ·(19) that proves (20)",
    ),
    Equation(
        "contacts in stretched coordinates, closed ones with a reaction",
        left=lambda q, v, a, t, p, l: [
            l[4 + k] * in_stretched(row, term, stretched(a, q, v, t, p), q, v, t, p)
            for k, (row, term) in enumerate(side_rows(q, t))
        ],
        number="(23)",
        text="Σ(v_σi/√m_i)y_i + K°_σ ≥ 0: with equality where a reaction acts",
        remark="hardly legible",
    ),
]


general = Printed(
    "C",
    BILATERAL,
    system=bound,
    parameters={
        **{f"u{k}": x for k, x in enumerate((0.4, -0.7, 0.5, 0.9, -0.3))},
        **{f"n{k}": x for k, x in enumerate((0.4, -0.7, 0.5, 0.9, -0.3, 0.6, 0.2, -0.8, 0.3))},
    },
    **START,
)
pushed = Printed(
    "C",
    PUSHED,
    system=resting,
    quantities={"first": lambda q, t, p: pressing(q, t, p)[0], "other": lambda q, t, p: pressing(q, t, p)[1]},
    parameters={
        **{f"u{k}": x for k, x in enumerate((0.4, -0.7, 0.5, 0.9, -0.3))},
        **{f"w{k}": x for k, x in enumerate((-0.6, 0.3, 0.8, -0.2, 0.7))},
        "c1": 0.3,
        "c2": 0.8,
    },
    **{**START, "q": [0.9, 0.2, 0.1, -0.4, -0.5, 0.2, 0.3, 0.3, 0.9]},
)
system = bound
start = g.Start(q=START["q"], v=START["v"], t=START["t"])
equations = [general, pushed]
