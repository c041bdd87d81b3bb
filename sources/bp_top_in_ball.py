"""Printed equations of BP §2: Lagrange's top in a rolling ball, hung from a joint that is not ideal.

(X, Y) is the centre of the ball, Rz(a) Ry(b) Rx(c) its rotation, and phi, theta, psi are Euler's angles of the top. The
joint exerts the moment M on the top, of friction and of a spring that turns the top's axis towards one of the ball.
"""

import numpy as np

import gauss as g
from gauss.sources import Equation, Integral, Printed

UP = np.array([0.0, 0.0, 1.0])


def spin(q, v):
    """Angular velocity Ω of the ball in fixed axes."""
    sa, ca, sb, cb = g.sin(q.a), g.cos(q.a), g.sin(q.b), g.cos(q.b)
    return [-v.b * sa + v.c * ca * cb, v.b * ca + v.c * sa * cb, v.a - v.c * sb]


def turning(q, v):
    """Angular velocity ω of the top in fixed axes."""
    n = axis(q)
    return [-v.theta * g.sin(q.phi) + v.psi * n[0], v.theta * g.cos(q.phi) + v.psi * n[1], v.phi + v.psi * n[2]]


def axis(q):
    """The axis n of the top."""
    return [g.sin(q.theta) * g.cos(q.phi), g.sin(q.theta) * g.sin(q.phi), g.cos(q.theta)]


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def kinetic(q, v, p):
    w, n = turning(q, v), axis(q)
    moving = cross(w, n)
    ball = p.M * (v.X**2 + v.Y**2) / 2 + p.I * dot(spin(q, v), spin(q, v)) / 2
    joint = p.m * (v.X**2 + v.Y**2) / 2 + p.m * p.r * (v.X * moving[0] + v.Y * moving[1])
    return ball + joint + (p.A * dot(w, w) + (p.C - p.A) * dot(w, n) ** 2) / 2


def moment(q, v, p):
    """M on the top."""
    inside = [g.cos(q.a) * g.cos(q.b), g.sin(q.a) * g.cos(q.b), -g.sin(q.b)]
    spring = cross(axis(q), inside)
    return [p.h * (O - w) + p.e * s for O, w, s in zip(spin(q, v), turning(q, v), spring)]


def joint_forces(q, v, p):
    """Generalized forces of M on the top and −M on the ball."""
    M, n = moment(q, v, p), axis(q)
    sa, ca, sb, cb = g.sin(q.a), g.cos(q.a), g.sin(q.b), g.cos(q.b)
    return {
        "a": -M[2],
        "b": M[0] * sa - M[1] * ca,
        "c": -M[0] * ca * cb - M[1] * sa * cb + M[2] * sb,
        "phi": M[2],
        "theta": -M[0] * g.sin(q.phi) + M[1] * g.cos(q.phi),
        "psi": dot(M, n),
    }


system = g.System(
    "top in a rolling ball, on a joint with friction",
    coordinates="X Y a b c phi theta psi",
    kinetic_energy=kinetic,
    potential_energy=lambda q, p: p.m * p.g * p.r * g.cos(q.theta),
    force=joint_forces,
    constraints=[
        g.Pfaffian(
            "rolling",
            lambda q, p: [
                {"X": 1.0, "b": -p.R * g.cos(q.a), "c": -p.R * g.sin(q.a) * g.cos(q.b)},
                {"Y": 1.0, "b": -p.R * g.sin(q.a), "c": p.R * g.cos(q.a) * g.cos(q.b)},
            ],
        )
    ],
    parameters={"R": 1.3, "M": 0.8, "I": 0.9, "m": 0.7, "g": 3.3, "r": 0.6, "A": 0.8, "C": 0.5, "h": 0.3, "e": 0.7},
)
start = g.Start(q=[0.0, 0.0, 0.3, 0.4, 0.2, 0.3, 1.1, 0.2], v=[0.3, -0.2, 0.5, 0.2, 0.3, 0.6, 0.4, 1.2])


def vector(x, q):
    """A vector of the collection's quantities, its value or its rate."""
    return np.array([q[f"{x}{k}"] for k in (1, 2, 3)])


def whole(p):
    return p.I / p.R**2 + p.M + p.m


def inertia(p, n, w):
    """Jw."""
    return p.A * w + (p.C - p.A) * (w @ n) * n


def tensor(name, function):
    """The three components of a vector as quantities."""
    return {
        f"{name}1": lambda q, v: function(q, v)[0],
        f"{name}2": lambda q, v: function(q, v)[1],
        f"{name}3": lambda q, v: function(q, v)[2],
    }


def energy(q, v, p):
    """H = T̂ + mgz of the top, with T̂ of (2.9)."""
    n, w = axis(q), turning(q, v)
    turned = (p.A * dot(w, w) + (p.C - p.A) * dot(w, n) ** 2) / 2
    lost = p.m**2 * p.r**2 * sum(x**2 for x in cross(w, n)[:2]) / (2 * whole(p))
    return turned - lost + p.m * p.g * p.r * n[2]


def momentum_rate(q, v, a, p):
    """The right side of (2.3) for the top."""
    n, M = vector("n", q), np.array(moment(q, v, p))
    s, x_ddot = p.r * n, p.r * vector("n", a) * [1, 1, 0]
    tilt = np.cross(s, np.cross(UP, M)) * p.m / (p.R * whole(p))
    return -p.m * p.g * np.cross(s, UP) + M + p.m**2 / whole(p) * np.cross(s, x_ddot) - tilt


def by_inertia(q, v, p):
    """K̇ = d(Jω)/dt."""
    n, w, n_dot, w_dot = vector("n", q), vector("w", q), vector("n", v), vector("w", v)
    along = (w_dot @ n + w @ n_dot) * n + (w @ n) * n_dot
    return p.A * w_dot + (p.C - p.A) * along


tied = Printed(
    "BP",
    [
        Equation(
            "velocity of the mass centre of the top",
            left=lambda v, p: list(p.r * vector("n", v)),
            right=lambda q, v, p: list(p.r * np.cross(vector("w", q), vector("n", q))),
            number="§2, example (1)",
            text="s = rn, ṡ = rṅ = rω × n",
        ),
        Equation(
            "moment of momentum along the axis",
            left=lambda q, v, p: [
                *inertia(p, vector("n", q), vector("n", q)),
                inertia(p, vector("n", q), vector("w", q)) @ vector("n", q),
                inertia(p, vector("n", q), vector("w", q)) @ vector("n", v),
                inertia(p, vector("n", q), vector("w", q)) @ np.cross(vector("w", q), vector("n", q)),
            ],
            right=lambda q, v, p: [*(p.C * vector("n", q)), p.C * (vector("w", q) @ vector("n", q)), 0.0, 0.0],
            number="§2, example (2)",
            text="Jn = Cn, K_n = (K, n) = Cω_n, (K, ṅ) = (Jω, ω × n) = 0",
        ),
        Equation(
            "rate of the moment of momentum along the axis",
            left=lambda q, v, p: [
                p.C * (vector("w", v) @ vector("n", q) + vector("w", q) @ vector("n", v)),
                by_inertia(q, v, p) @ vector("n", q),
            ],
            right=lambda q, v, p: [np.array(moment(q, v, p)) @ vector("n", q)] * 2,
            number="§2, example (3)",
            text="d/dt K_n = (K̇, n) = (M, n) = M_n",
        ),
        Equation(
            "rate of the moment of momentum of the top",
            left=lambda q, v, p: list(by_inertia(q, v, p)),
            right=lambda q, v, a, p: list(momentum_rate(q, v, a, p)),
            number="(2.3), K = Jω",
            text="K̇ = −mgs × e_z + M + (m²/(μ+m))s × ẍ − (m/(R(μ+m)))s × (e_z × M)",
        ),
        Equation(
            "centre of the ball with the top",
            left=lambda v, a, p: [whole(p) * a.X + p.m * p.r * a.n1, whole(p) * a.Y + p.m * p.r * a.n2],
            right=lambda q, v, p: list(np.cross(UP, moment(q, v, p))[:2] / p.R),
            number="(1.10), top",
            text="(μ + m)V̇ + mẍ = R⁻¹e_z × M",
        ),
        Equation(
            "rate of the modified energy of the top",
            left=lambda v, p: v.H,
            right=lambda q, v, p: (
                np.array(moment(q, v, p)) @ vector("w", q)
                - p.m * (np.cross(UP, moment(q, v, p)) @ (p.r * vector("n", v))) / (p.R * whole(p))
            ),
            number="(2.7), (2.9)",
            text="T̂ = ½(Jω, ω) − (m²r²/(2(μ+m)))|Π(ω × n)|², dT̂/dt = −mgż + (M, ω) − (m/(R(μ+m)))(e_z × M, ẋ)",
            remark="(2.9) is missing in the transcription; it is entered as the text around it defines it",
        ),
    ],
    system=system,
    q=start.q,
    v=start.v,
    quantities={
        **tensor("n", lambda q, v: axis(q)),
        **tensor("w", turning),
        "H": energy,
    },
    spread=0.2,
)
ideal = Printed(
    "BP",
    [
        Integral(
            "moment of momentum about the axis",
            function=lambda q, v, p: p.C * dot(turning(q, v), axis(q)),
            number="§2, example (4)",
            text="K_n = const for M = 0",
        ),
        Integral(
            "modified energy of the top",
            function=energy,
            number="(2.8), (2.9)",
            text="H = T̂ + mgz = h, T̂ = ½(Jω, ω) − (m²r²/(2(μ+m)))|Π(ω × n)|²",
            remark="(2.9) is missing in the transcription; it is entered as the text around it defines it",
        ),
    ],
    system=g.System(
        "top in a rolling ball, on an ideal joint",
        coordinates=system.coordinates,
        kinetic_energy=kinetic,
        potential_energy=lambda q, p: p.m * p.g * p.r * g.cos(q.theta),
        constraints=list(system.constraints),
        parameters=dict(system.parameters),
    ),
    q=start.q,
    v=start.v,
    spread=0.2,
)
equations = [tied, ideal]
