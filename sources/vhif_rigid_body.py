"""Printed equations of VHIF: the rigid body with its rotation matrix as coordinates, about a fixed point.

The entries R11 … R33 are the coordinates; the rows are those of RᵀR = I, so that Λ has twice the multipliers of the
diagonal rows on its diagonal and those of the others beside it.
"""

import numpy as np
import sympy as sp

import gauss as g
from gauss.sources import Equation, Printed

AXES = (1, 2, 3)
PAIRS = ((1, 1), (2, 2), (3, 3), (1, 2), (1, 3), (2, 3))


def entry(vector, i, j):
    return vector[f"R{i}{j}"]


def inertia(p, j):
    return (p.k1, p.k2, p.k3)[j - 1]


def product(one, two, a, b):
    """(oneᵀ two)_ab of two 3×3 matrices of named entries."""
    return sum(entry(one, i, a) * entry(two, i, b) for i in AXES)


def lam(l, a, b):
    """Λ_ab from the multipliers of the six rows."""
    pair = (min(a, b), max(a, b))
    return (2 if a == b else 1) * l[PAIRS.index(pair)]


body = g.System(
    "rigid body by its rotation matrix",
    coordinates=" ".join(f"R{i}{j}" for i in AXES for j in AXES),
    kinetic_energy=lambda v, p: sum(inertia(p, j) * entry(v, i, j) ** 2 for i in AXES for j in AXES) / 2,
    constraints=[g.Holonomic("rotation", lambda q: [product(q, q, a, b) - (1.0 if a == b else 0.0) for a, b in PAIRS])],
    parameters={"k1": 0.5, "k2": 0.7, "k3": 1.1},
)
symmetric = g.System(
    "symmetric body by its rotation matrix",
    coordinates=body.coordinates,
    kinetic_energy=lambda v, p: sum((p.k1, p.k1, p.k3)[j - 1] * entry(v, i, j) ** 2 for i in AXES for j in AXES) / 2,
    constraints=list(body.constraints),
    parameters={"k1": 0.5, "k3": 1.1},
)
START = {"q": [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], "v": [0.0, -0.5, 0.4, 0.5, 0.0, -0.3, -0.4, 0.3, 0.0]}
OMEGA = {  # j(ω) = RᵀṘ
    "w1": lambda q, v: product(q, v, 3, 2),
    "w2": lambda q, v: product(q, v, 1, 3),
    "w3": lambda q, v: product(q, v, 2, 1),
}


def squared(q, a, b):
    """(j(ω)²)_ab = ω_a ω_b − |ω|² δ_ab."""
    w = (q.w1, q.w2, q.w3)
    return w[a - 1] * w[b - 1] - (w[0] ** 2 + w[1] ** 2 + w[2] ** 2 if a == b else 0.0)


def skew(w1, w2, w3, a, b):
    return ((0.0, -w3, w2), (w3, 0.0, -w1), (-w2, w1, 0.0))[a - 1][b - 1]


general = Printed(
    "VHIF",
    [
        Equation(
            "equations of motion about a fixed point",
            left=lambda a, p: [inertia(p, j) * entry(a, i, j) for i in AXES for j in AXES],
            right=lambda q, l: [sum(entry(q, i, k) * lam(l, k, j) for k in AXES) for i in AXES for j in AXES],
            number="(1.3), (2.1)",
            text="R̈K₀ = RΛ, RᵀR = I (Q = 0)",
        ),
        Equation(
            "equation for Λ",
            left=lambda l, p: [lam(l, a, b) / inertia(p, a) + lam(l, a, b) / inertia(p, b) for a, b in PAIRS],
            right=lambda v: [-2 * product(v, v, a, b) for a, b in PAIRS],
            number="§1, proof of lemma 2",
            text="K₀⁻¹Λ + ΛK₀⁻¹ = −2ṘᵀṘ",
        ),
        Equation(
            "the constraint differentiated twice, and Λ in it",
            left=lambda q, a, l, p: [
                *(product(q, a, i, j) for i in AXES for j in AXES),
                *(product(a, q, i, j) + product(q, a, i, j) for i, j in PAIRS),
            ],
            right=lambda v, l, p: [
                *(lam(l, i, j) / inertia(p, j) for i in AXES for j in AXES),
                *(-2 * product(v, v, i, j) for i, j in PAIRS),
            ],
            number="§1, proof of lemma 2 (1)",
            text="RᵀR̈ = ΛK₀⁻¹, R̈ᵀR + RᵀR̈ = −2ṘᵀṘ",
        ),
        Equation(
            "Λ by the angular velocity",
            left=lambda q, v, p: [
                squared(q, a, b) * inertia(p, b) + skew(v.w1, v.w2, v.w3, a, b) * inertia(p, b)
                for a in AXES
                for b in AXES
            ],
            right=lambda l: [lam(l, a, b) for a in AXES for b in AXES],
            number="§2 (1)",
            text="(j(ω))²K₀ + j(ω̇)K₀ = Λ",
        ),
        Equation(
            "without multipliers",
            left=lambda q, v, p: [
                squared(q, a, b) * (inertia(p, b) - inertia(p, a))
                + skew(v.w1, v.w2, v.w3, a, b) * (inertia(p, b) + inertia(p, a))
                for a, b in PAIRS[3:]
            ],
            number="(2.2)",
            text="[j(ω)]²K₀ − K₀[j(ω)]² + j(ω̇)K₀ + K₀j(ω̇) = 0",
        ),
        Equation(
            "Euler's equations",
            left=lambda q, v, p: [
                (p.k2 + p.k3) * v.w1 - ((p.k1 + p.k3) * q.w2 * q.w3 - (p.k1 + p.k2) * q.w3 * q.w2),
                (p.k1 + p.k3) * v.w2 - ((p.k1 + p.k2) * q.w3 * q.w1 - (p.k2 + p.k3) * q.w1 * q.w3),
                (p.k1 + p.k2) * v.w3 - ((p.k2 + p.k3) * q.w1 * q.w2 - (p.k1 + p.k3) * q.w2 * q.w1),
            ],
            number="(2.3)",
            text="J₀ω̇ − (J₀ω) × ω = 0, J₀ = tr(K₀)I − K₀",
        ),
    ],
    system=body,
    quantities=OMEGA,
    spread=0.15,
    **START,
)
top = Printed(
    "VHIF",
    [
        Equation(
            "angular velocity of the symmetric body",
            left=lambda v: [v.w1, v.w2, v.w3],
            right=lambda q, p: [
                -(2 * p.k1 / (p.k1 + p.k3) - 1) * q.w3 * q.w2,
                (2 * p.k1 / (p.k1 + p.k3) - 1) * q.w3 * q.w1,
                0.0,
            ],
            number="(2.4)",
            text="ω̇ = (C/B − 1)⟨z₀, ω₀⟩ j(z₀)ω, C = 2k₁, B = k₁ + k₃",
        )
    ],
    system=symmetric,
    quantities=OMEGA,
    spread=0.15,
    **START,
)
tensor = Printed(
    "VHIF",
    [
        Equation(
            "K₀ across and along the axis",
            left=lambda q: [(2 * q.B + q.C) / 2 - q.B, (2 * q.B + q.C) / 2 - q.C],
            right=lambda q: [q.C / 2, q.C / 2 + (q.B - q.C / 2)],
            correct=(
                lambda q: [(2 * q.B + q.C) / 2 - q.B, (2 * q.B + q.C) / 2 - q.C],
                lambda q: [q.C / 2, q.C / 2 + (q.B - q.C)],
            ),
            number="§2, at (2.1)",
            text="K₀ = IC/2 + (B − C/2) z₀ ⊗ z₀, with K = ½(tr J)I − J and J = BI + (C − B) z ⊗ z",
            remark="the factor of z₀ ⊗ z₀ is B − C; with B − C/2 the second statement of lemma 1 fails along the axis",
        )
    ],
    ranges={"B": (0.5, 2.0), "C": (0.5, 2.0)},
)


def j(w):
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def omega(q):
    return np.array([q.w1, q.w2, q.w3])


def full(q):
    """A full symmetric K₀ (3, 3)."""
    return np.array([[q.K11, q.K12, q.K13], [q.K12, q.K22, q.K23], [q.K13, q.K23, q.K33]])


def flat(array):
    return list(np.ravel(array))


def momentum(q):
    """∂W/∂Ṙ₁₁ of W = ½tr(ṘK₀Ṙᵀ), and its time derivative; V and A are the first rows of Ṙ and R̈."""
    V, A = (q.V1, q.V2, q.V3), (q.A1, q.A2, q.A3)
    W = np.array(V) @ full(q) @ np.array(V) / 2
    slope = sp.diff(W, q.V1)
    return slope, sum(sp.diff(slope, x) * y for x, y in zip(V, A))


identities = Printed(
    "VHIF",
    [
        Equation(
            "the first commutator",
            left=lambda q: flat(j(omega(q)) @ j(omega(q)) @ full(q) - full(q) @ j(omega(q)) @ j(omega(q))),
            right=lambda q: flat(j(np.cross(full(q) @ omega(q), omega(q)))),
            number="§2, after (2.2) (1)",
            text="[j(ω)]²K₀ − K₀[j(ω)]² = j((K₀ω) × ω)",
        ),
        Equation(
            "the second sum",
            left=lambda q: flat(j(omega(q)) @ full(q) + full(q) @ j(omega(q))),
            right=lambda q: flat(j(np.trace(full(q)) * omega(q) - full(q) @ omega(q))),
            number="§2, after (2.2) (2)",
            text="j(ω̇)K₀ + K₀j(ω̇) = j[(tr(K₀)I − K₀)ω̇]",
        ),
        Equation(
            "left side of Lagrange's equations, first entry",
            left=0.0,
            right=lambda q: q.A1 * q.K11 + q.A2 * q.K12 + q.A3 * q.K13,
            correct=(lambda q: momentum(q)[1], lambda q: q.A1 * q.K11 + q.A2 * q.K12 + q.A3 * q.K13),
            number="§1, P",
            text="P = d/dt(∂W/∂R) − ∂W/∂R = RΛ",
            remark="∂W/∂R vanishes, as the source says itself; d/dt(∂W/∂Ṙ) = R̈K₀ = RΛ is meant, a dot is missing",
        ),
    ],
    ranges={
        **dict.fromkeys(("K11", "K22", "K33", "K12", "K13", "K23"), (0.3, 1.5)),
        **dict.fromkeys(("w1", "w2", "w3", "A1", "A2", "A3", "V1", "V2", "V3"), (-1.5, 1.5)),
    },
)
system = body
start = g.Start(**START)
equations = [general, top, tensor, identities]
