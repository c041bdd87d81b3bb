"""Printed equations of VHIF §2: a symmetric body with an inclined axis z₀, and its closed form.

The coordinates are the entries of the rotation matrix R. z₀ = (2, −1, 2)/3, so that K₀ is a full matrix; the motion
starts at R = I with ω₀, whose components are numbers of the collection. Exponentials of antisymmetric matrices are
written by Rodrigues' formula.
"""

import numpy as np

import gauss as g
from gauss.sources import Equation, Integral, Printed

AXES = (1, 2, 3)
PAIRS = ((1, 1), (2, 2), (3, 3), (1, 2), (1, 3), (2, 3))
Z0 = np.array([2.0, -1.0, 2.0]) / 3.0
OMEGA0 = np.array([0.5, 0.8, -0.3])  # rad/s
T_END = 2.5  # s


def tensor(p):
    """K₀ (3, 3) of lemma 1 with J₀ = BI + (C − B) z₀ ⊗ z₀."""
    return [[p.C / 2 * float(i == j) + (p.B - p.C) * Z0[i] * Z0[j] for j in range(3)] for i in range(3)]


def kinetic(v, p):
    K = tensor(p)
    rows = [[v[f"R{i}{j}"] for j in AXES] for i in AXES]
    return sum(row[j] * K[j][k] * row[k] for row in rows for j in range(3) for k in range(3)) / 2


def j(w):
    """j(w) (3, 3), j(w)v = w × v."""
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


system = g.System(
    "symmetric body with an inclined axis",
    coordinates=" ".join(f"R{i}{k}" for i in AXES for k in AXES),
    kinetic_energy=kinetic,
    constraints=[
        g.Holonomic(
            "rotation",
            lambda q: [sum(q[f"R{i}{a}"] * q[f"R{i}{b}"] for i in AXES) - float(a == b) for a, b in PAIRS],
        )
    ],
    parameters={"B": 1.2, "C": 0.9},
)
start = g.Start(q=np.eye(3).ravel(), v=j(OMEGA0).ravel(), t_end=T_END)


def matrix(q):
    return np.array([[q[f"R{i}{k}"] for k in AXES] for i in AXES])


def omega(q):
    """ω or ω̇ (3,)."""
    return np.array([q.w1, q.w2, q.w3])


def first(p):
    """ω₀ (3,)."""
    return np.array([p.o1, p.o2, p.o3])


def rate(p):
    """(C/B − 1)⟨z₀, ω₀⟩."""
    return (p.C / p.B - 1) * (Z0 @ first(p))


def turn(t, w):
    """exp[t j(w)] (3, 3)."""
    size = g.sqrt(w @ w)
    return np.eye(3) + g.sin(size * t) / size * j(w) + (1 - g.cos(size * t)) / size**2 * (j(w) @ j(w))


def about_axis(t, p):
    """E(t) (3, 3): |z₀| = 1."""
    s = rate(p) * t
    return np.eye(3) + g.sin(s) * j(Z0) + (1 - g.cos(s)) * (j(Z0) @ j(Z0))


def about_axis_rate(t, p):
    """dE/dt (3, 3)."""
    s = rate(p) * t
    return rate(p) * (g.cos(s) * j(Z0) + g.sin(s) * (j(Z0) @ j(Z0)))


def flat(*arrays):
    return [x for array in arrays for x in np.ravel(array)]


def second(p):
    """ω₀ + (C/B − 1)⟨z₀, ω₀⟩z₀ (3,)."""
    return first(p) + rate(p) * Z0


def solution(t, p):
    """R(t) (3, 3) with j(z₀) in the second exponential, E⁻¹."""
    return turn(t, second(p)) @ about_axis(-t, p)


STATES = {
    "system": system,
    "q": start.q,
    "v": start.v,
    "quantities": {
        "w1": lambda q, v: (matrix(q).T @ matrix(v))[2, 1],
        "w2": lambda q, v: (matrix(q).T @ matrix(v))[0, 2],
        "w3": lambda q, v: (matrix(q).T @ matrix(v))[1, 0],
    },
    "spread": 0.15,
}
NUMBERS = {"o1": float(OMEGA0[0]), "o2": float(OMEGA0[1]), "o3": float(OMEGA0[2])}
always = Printed(
    "VHIF",
    [
        Equation(
            "angular velocity",
            left=lambda v: flat(matrix(v)),
            right=lambda q: flat(matrix(q) @ j(omega(q))),
            number="§2, after (2.1)",
            text="Ṙ = Rj(ω), j(ω)v = ω × v",
        ),
        Equation(
            "tensor of inertia",
            left=lambda p: flat(np.trace(np.array(tensor(p))) * np.eye(3) - np.array(tensor(p))),
            right=lambda p: flat(p.B * np.eye(3) + (p.C - p.B) * np.outer(Z0, Z0)),
            number="§2, before (2.1)",
            text="J = BI + (C − B)z ⊗ z",
        ),
        Equation(
            "without multipliers, full K₀",
            left=lambda q, v, p: flat(
                j(omega(q)) @ j(omega(q)) @ np.array(tensor(p))
                - np.array(tensor(p)) @ j(omega(q)) @ j(omega(q))
                + j(omega(v)) @ np.array(tensor(p))
                + np.array(tensor(p)) @ j(omega(v))
            ),
            number="(2.2)",
            text="[j(ω)]²K₀ − K₀[j(ω)]² + j(ω̇)K₀ + K₀j(ω̇) = 0",
        ),
        Equation(
            "angular velocity along the axis",
            left=lambda v: Z0 @ omega(v),
            number="§2, before (2.4)",
            text="⟨z₀, ω̇⟩ = 0",
        ),
        Integral(
            "angular velocity along the axis is constant",
            function=lambda q: Z0 @ omega(q),
            number="§2, before (2.4) (2)",
            text="⟨z₀, ω⟩ = const",
        ),
        Equation(
            "angular velocity, inclined axis",
            left=lambda v: list(omega(v)),
            right=lambda q, p: list((p.C / p.B - 1) * (Z0 @ omega(q)) * (j(Z0) @ omega(q))),
            number="(2.4)",
            text="ω̇ = (C/B − 1)⟨z₀, ω₀⟩j(z₀)ω",
        ),
    ],
    **STATES,
)
along = Printed(
    "VHIF",
    [
        Equation(
            "solution for the angular velocity",
            left=lambda q: list(omega(q)),
            right=lambda t, p: list(about_axis(t, p) @ first(p)),
            along=True,
            number="§2, after (2.4)",
            text="ω = E(t)ω₀, E(t) = exp[t(C/B − 1)⟨z₀, ω₀⟩j(z₀)]",
        ),
        Equation(
            "equation for R",
            left=lambda v: flat(matrix(v)),
            right=lambda q, t, p: flat(matrix(q) @ j(about_axis(t, p) @ first(p))),
            along=True,
            number="§2, equation for R",
            text="dR/dt = Rj(Eω₀)",
        ),
        Equation(
            "rotation of a vector in j",
            left=lambda t, p: flat(j(about_axis(t, p) @ first(p))),
            right=lambda t, p: flat(about_axis(t, p) @ j(first(p)) @ about_axis(-t, p)),
            along=True,
            number="§2, j(Eω₀)",
            text="j(Eω₀) = Ej(ω₀)E⁻¹",
        ),
        Equation(
            "equation for RE",
            left=lambda q, v, t, p: flat(matrix(v) @ about_axis(t, p) + matrix(q) @ about_axis_rate(t, p)),
            right=lambda q, t, p: flat(matrix(q) @ about_axis(t, p) @ (j(first(p)) + rate(p) * j(Z0))),
            along=True,
            number="§2, d(RE)/dt",
            text="d(RE)/dt = RE[j(ω₀) + (C/B − 1)⟨z₀, ω₀⟩j(z₀)]",
        ),
        Equation(
            "closed form with j(z₀) in the second exponential",
            left=lambda q: flat(matrix(q)),
            right=lambda t, p: flat(solution(t, p)),
            along=True,
            number="§2, R(t), as corrected",
            text="R(t) = exp[t(j(ω₀) + (C/B − 1)⟨z₀, ω₀⟩j(z₀))] × exp[−t(C/B − 1)⟨z₀, ω₀⟩j(z₀)]",
        ),
    ],
    **STATES,
    t_end=T_END,
    parameters=NUMBERS,
)


def pair(q):
    """ω₀, t and (C/B − 1)⟨z₀, ω₀⟩ of identities."""
    w = np.array([q.o1, q.o2, q.o3])
    return w, q.time, q.c * (Z0 @ w)


def undone(k):
    """Entry k of the first row of E(t)."""
    return lambda q: turn(pair(q)[1] * pair(q)[2], Z0)[0, k]


def as_printed(k):
    """Entry k of the first column of the second exponential."""
    return lambda q: turn(-pair(q)[1] * pair(q)[2], pair(q)[0])[k, 0]


def as_meant(k):
    return lambda q: turn(-pair(q)[1] * pair(q)[2], Z0)[k, 0]


last_factor = Printed(
    "VHIF",
    [
        Equation(
            "the second exponential of the closed form is E⁻¹, first entry of their product",
            left=lambda q: q.E1 * q.F1 + q.E2 * q.F2 + q.E3 * q.F3,
            right=1.0,
            correct=(lambda q: q.E1 * q.G1 + q.E2 * q.G2 + q.E3 * q.G3, 1.0),
            number="§2, R(t)",
            text="R(t) = exp[t(j(ω₀) + (C/B − 1)⟨z₀, ω₀⟩j(z₀))] × exp[−t(C/B − 1)⟨z₀, ω₀⟩j(ω₀)]",
            remark="the second exponential must be E⁻¹, with j(z₀) in place of j(ω₀), as the text below it says",
        )
    ],
    ranges={"time": (0.5, 2.0), "c": (-0.5, 1.0), **dict.fromkeys(("o1", "o2", "o3"), (0.3, 1.5))},
    quantities={
        **{f"E{k + 1}": undone(k) for k in range(3)},
        **{f"F{k + 1}": as_printed(k) for k in range(3)},
        **{f"G{k + 1}": as_meant(k) for k in range(3)},
    },
)
equations = [always, along, last_factor]
