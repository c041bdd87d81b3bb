"""Printed equations of VHIF §1: a free rigid body of five unequal point masses, in a field of force.

The coordinates are the vector a of the point A of the body and the entries of the rotation matrix R. Integrals over the
body are sums over the masses, at b₀ at the start and at b = R b₀ now. Λ has twice the multipliers of the diagonal rows
of RᵀR = I on its diagonal and those of the others beside it. A variation is any velocity where that holds for every
velocity, and otherwise any numbers.
"""

import numpy as np
import sympy as sp

import gauss as g
from gauss.sources import Equation, Printed

AXES = (1, 2, 3)
PAIRS = ((1, 1), (2, 2), (3, 3), (1, 2), (1, 3), (2, 3))
PLACES = ((0.6, -0.3, 0.2), (-0.4, 0.7, 0.1), (0.3, 0.2, -0.8), (-0.5, -0.6, 0.4), (0.2, 0.5, 0.9))  # b₀
MASSES = {"m1": 0.7, "m2": 0.4, "m3": 0.9, "m4": 0.5, "m5": 0.3}
COORDINATES = " ".join([*(f"R{i}{j}" for i in AXES for j in AXES), "a1 a2 a3"])


def turned(q, place):
    """R b₀, or Ṙ b₀."""
    return [sum(q[f"R{i}{j}"] * b for j, b in zip(AXES, place)) for i in AXES]


def moved(q, place):
    """r = a + R b₀, or its rate."""
    return [q[f"a{i}"] + x for i, x in zip(AXES, turned(q, place))]


def field(r, p):
    """The force on a point at r."""
    return [p.s * r[1] * r[2] - r[0], p.s * r[0] ** 2 + 0.5 * r[2], -p.w + 0.3 * r[0] * r[1]]


def kinetic(v, p):
    return sum(p[m] * sum(x**2 for x in moved(v, b)) / 2 for m, b in zip(MASSES, PLACES))


def forces(q, p):
    """Generalized forces of the field on the masses."""
    each = [field(moved(q, b), p) for b in PLACES]
    along = {f"a{i}": sum(f[i - 1] for f in each) for i in AXES}
    return along | {f"R{i}{j}": sum(f[i - 1] * b[j - 1] for f, b in zip(each, PLACES)) for i in AXES for j in AXES}


system = g.System(
    "rigid body of five masses by its rotation matrix",
    coordinates=COORDINATES,
    kinetic_energy=kinetic,
    force=forces,
    constraints=[
        g.Holonomic(
            "rotation",
            lambda q: [sum(q[f"R{i}{a}"] * q[f"R{i}{b}"] for i in AXES) - float(a == b) for a, b in PAIRS],
        )
    ],
    parameters={**MASSES, "s": 0.7, "w": 1.3},
)
start = g.Start(
    q=[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.2, -0.3, 0.4],
    v=[0.0, -0.5, 0.4, 0.5, 0.0, -0.3, -0.4, 0.3, 0.0, 0.6, 0.3, -0.2],
)

# --- matrices of the source, as arrays -------------------------------------------------------------------------------


def matrix(q):
    """R, Ṙ or R̈ (3, 3)."""
    return np.array([[q[f"R{i}{j}"] for j in AXES] for i in AXES])


def shift(q):
    """a, ȧ or ä (3,)."""
    return np.array([q[f"a{i}"] for i in AXES])


def given(p):
    """Numbers of the collection for a variation δR (3, 3) and δa (3,)."""
    return np.array([[p[f"D{i}{j}"] for j in AXES] for i in AXES]), np.array([p[f"d{i}"] for i in AXES])


def masses(p):
    return [(p[m], np.array(b)) for m, b in zip(MASSES, PLACES)]


def inverse(R):
    return np.array(sp.Matrix(R).adjugate() / sp.Matrix(R).det())


def at_start(p):
    """K₀ (3, 3)."""
    return sum(m * np.outer(b, b) for m, b in masses(p))


def now(q, p):
    """K (3, 3)."""
    return sum(m * np.outer(matrix(q) @ b, matrix(q) @ b) for m, b in masses(p))


def inertia(q, p):
    """J (3, 3) about A, ∫(|b|²I − b ⊗ b) dm."""
    parts = [(m, matrix(q) @ b) for m, b in masses(p)]
    return sum(m * ((b @ b) * np.eye(3) - np.outer(b, b)) for m, b in parts)


def whole(p):
    return sum(m for m, _ in masses(p))


def centre(p):
    """c₀ (3,)."""
    return sum(m * b for m, b in masses(p)) / whole(p)


def multipliers(l):
    """Λ (3, 3)."""
    return np.array([[(2 if a == b else 1) * l[PAIRS.index((min(a, b), max(a, b)))] for b in AXES] for a in AXES])


def on_points(q, p):
    """Forces f (3,) with b₀ (3,) of their points."""
    return [(np.array(field(moved(q, b), p)), np.array(b)) for b in PLACES]


def resultant(q, p):
    """L (3,)."""
    return sum(f for f, _ in on_points(q, p))


def moments(q, p):
    """Q (3, 3) = (∫f ⊗ b dv)R."""
    return sum(np.outer(f, matrix(q) @ b) for f, b in on_points(q, p)) @ matrix(q)


def energy(v, p):
    """W of property 1."""
    R_dot, a_dot = matrix(v), shift(v)
    turning = np.trace(R_dot @ at_start(p) @ R_dot.T) + whole(p) * (a_dot @ a_dot)
    return turning / 2 + whole(p) * (a_dot @ (R_dot @ centre(p)))


def flat(*arrays):
    return [x for array in arrays for x in np.ravel(array)]


def rate_of_momentum(v, a, p):
    """d/dt ∂W/∂Ṙ and d/dt ∂W/∂ȧ (12,), by differentiation of W."""
    slopes = [sp.diff(energy(v, p), x) for x in v]
    return [sum(sp.diff(slope, x) * y for x, y in zip(v, a)) for slope in slopes]


def work(q, p):
    """Virtual work of the field on any δR and δa."""
    D, d = given(p)
    return sum(f @ (D @ b + d) for f, b in on_points(q, p))


KINEMATICS = [
    Equation(
        "place of a point",
        left=lambda q: flat([moved(q, b) for b in PLACES]),
        right=lambda q: flat([shift(q) + matrix(q) @ np.array(b) for b in PLACES]),
        number="§1 (1)",
        text="r(t) = a(t) + b(t) = a(t) + R(t)b₀",
    ),
    Equation(
        "velocity of a point",
        left=lambda v: flat([moved(v, b) for b in PLACES]),
        right=lambda q, v: flat(
            [shift(v) + matrix(v) @ inverse(matrix(q)) @ (matrix(q) @ np.array(b)) for b in PLACES[:1]],
            [shift(v) + matrix(v) @ matrix(q).T @ (matrix(q) @ np.array(b)) for b in PLACES[1:]],
        ),
        number="(1.1)",
        text="V(M/R₀) = ȧ + Ṙb₀ = ȧ + Ṙ[R]⁻¹b",
    ),
    Equation(
        "K by K₀, lemma 1",
        left=lambda q, p: flat(now(q, p)),
        right=lambda q, p: flat(matrix(q) @ at_start(p) @ matrix(q).T),
        number="§1, lemma 1 (1)",
        text="K(t) = R(t)K₀Rᵀ(t), K = ∫b ⊗ b dm",
    ),
    Equation(
        "K by J, lemma 1",
        left=lambda q, p: flat(now(q, p)),
        right=lambda q, p: flat(np.trace(inertia(q, p)) / 2 * np.eye(3) - inertia(q, p)),
        number="§1, lemma 1 (2)",
        text="K = ½(tr J)I − J",
    ),
    Equation(
        "steps of the proof of lemma 1",
        left=lambda q, p: flat(now(q, p), inertia(q, p), np.trace(inertia(q, p))),
        right=lambda q, p: flat(
            sum(m * np.outer(matrix(q) @ b, matrix(q) @ b) for m, b in masses(p)),
            np.trace(now(q, p)) * np.eye(3) - now(q, p),
            2 * np.trace(now(q, p)),
        ),
        number="§1, proof of lemma 1",
        text="K = ∫Rb₀ ⊗ Rb₀ dm, J = (tr K)I − K, tr J = 2 tr K",
    ),
    Equation(
        "tensor product of turned vectors",
        left=lambda q: flat([np.outer(matrix(q) @ np.array(b), matrix(q) @ np.array(b)) for b in PLACES[:2]]),
        right=lambda q: flat([matrix(q) @ np.outer(b, b) @ matrix(q).T for b in PLACES[:2]]),
        number="§1, proof of lemma 1 (2)",
        text="Rb₀ ⊗ Rb₀ = R(b₀ ⊗ b₀)Rᵀ",
    ),
    Equation(
        "kinetic energy, property 1",
        left=lambda v, p: energy(v, p),
        right=kinetic,
        number="§1, property 1",
        text="W = ½(tr(ṘK₀Ṙᵀ) + m‖ȧ‖²) + m⟨ȧ, Ṙc₀⟩",
    ),
    Equation(
        "kinetic energy in the proof of property 1",
        left=lambda v, p: 2 * kinetic(v, p),
        right=lambda q, v, p: (
            whole(p) * (shift(v) @ shift(v))
            + 2 * whole(p) * (shift(v) @ (matrix(v) @ matrix(q).T @ matrix(q) @ centre(p)))
            + np.trace(matrix(v) @ matrix(q).T @ now(q, p) @ matrix(q) @ matrix(v).T)
        ),
        number="§1, proof of property 1",
        text="2W = m‖ȧ‖² + 2m⟨ȧ, ṘRᵀc⟩ + tr(ṘRᵀKRṘᵀ)",
    ),
]
WORK = [
    Equation(
        "virtual work, property 2 and its example",
        left=work,
        right=lambda q, p: np.trace(moments(q, p) @ given(p)[0].T) + resultant(q, p) @ given(p)[1],
        number="§1, property 2",
        text="Tᵛ = tr(QδRᵀ) + ⟨L, δa⟩, L = ∫f dv, Q = (∫f ⊗ b dv)R",
    ),
    Equation(
        "virtual work in the example",
        left=lambda q, p: sum(f @ (given(p)[0] @ b + given(p)[1]) for f, b in on_points(q, p)),
        right=lambda q, p: sum(
            f @ (given(p)[0] @ matrix(q).T @ (matrix(q) @ b) + given(p)[1]) for f, b in on_points(q, p)
        ),
        number="§1, example of property 2",
        text="Tᵛ = ∫⟨f, δr⟩ dv = ∫⟨f, δRRᵀb + δa⟩ dv",
    ),
    Equation(
        "left sides of Lagrange's equations",
        left=rate_of_momentum,
        right=lambda a, p: flat(
            matrix(a) @ at_start(p) + whole(p) * np.outer(shift(a), centre(p)),
            whole(p) * (matrix(a) @ centre(p) + shift(a)),
        ),
        number="§1, before (1.2)",
        text="d/dt(∂W/∂Ṙ) = R̈K₀ + mä ⊗ c₀, d/dt(∂W/∂ȧ) = m(R̈c₀ + ä)",
    ),
    Equation(
        "W does not depend on R and a",
        left=lambda q, v, p: [sp.diff(energy(v, p), x) for x in q],
        number="§1, Lagrange's equations",
        text="∂W/∂R = 0, ∂W/∂a = 0",
    ),
    Equation(
        "variation of the constraint",
        left=lambda q, v: flat(matrix(v) @ matrix(q).T + matrix(q) @ matrix(v).T),
        number="(1.2)",
        text="(δR)Rᵀ + R(δR)ᵀ = 0",
    ),
    Equation(
        "equations of motion",
        left=lambda a, p: flat(
            matrix(a) @ at_start(p) + whole(p) * np.outer(shift(a), centre(p)),
            whole(p) * (shift(a) + matrix(a) @ centre(p)),
        ),
        right=lambda q, l, p: flat(moments(q, p) + matrix(q) @ multipliers(l), resultant(q, p)),
        number="(1.3)",
        text="R̈K₀ + mä ⊗ c₀ = Q + RΛ, m(ä + R̈c₀) = L",
    ),
]
NUMBERS = (0.4, -0.7, 0.3, 0.9, 0.2, -0.5, -0.3, 0.8, 0.6, 0.7, -0.4, 0.5)
general = Printed(
    "VHIF",
    [*KINEMATICS, *WORK],
    system=system,
    q=start.q,
    v=start.v,
    parameters=dict(zip([*(f"D{i}{j}" for i in AXES for j in AXES), "d1", "d2", "d3"], NUMBERS)),
    spread=0.15,
)


def first_row(q):
    """One component of r = a + R b₀ with its variables and their variations."""
    variables, changes = (q.a, q.R1, q.R2, q.R3), (q.d, q.D1, q.D2, q.D3)
    r = q.a + q.R1 * q.b1 + q.R2 * q.b2 + q.R3 * q.b3
    return sum(sp.diff(r, x) * y for x, y in zip(variables, changes)), q.D1 * q.b1 + q.D2 * q.b2 + q.D3 * q.b3


displacement = Printed(
    "VHIF",
    [
        Equation(
            "virtual displacement of a point, one component",
            left=lambda q: first_row(q),
            right=lambda q: [first_row(q)[1], q.d],
            correct=(lambda q: first_row(q)[0], lambda q: first_row(q)[1] + q.d),
            number="§1, δr",
            text="δr = δRb₀ = δa",
            remark="δr = δRb₀ + δa is meant: a plus is missing",
        )
    ],
    ranges=dict.fromkeys(("a", "R1", "R2", "R3", "b1", "b2", "b3", "d", "D1", "D2", "D3"), (0.3, 1.5)),
)
equations = [general, displacement]
