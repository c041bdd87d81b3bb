"""Printed equations of BP §3 in local coordinates: Lagrange's equations and the invariant 2-form.

Two spherical pendulums of unequal mass hang from the centre (X, Y) of the ball, with a spring and a damper between
them; theta and phi are their spherical coordinates. The accelerations of one pendulum that the invariance of the
2-form is tested with come from the model with the ball, not from the Lagrangian of the source.
"""

import sympy as sp

import gauss as g
from gauss.sources import Equation, Integral, Printed

BOTH = (1, 2)
ANGLES = ("th1", "ph1", "th2", "ph2")
UP = (0.0, 0.0, 1.0)


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def scaled(s, a):
    return [s * x for x in a]


def plus(*vectors):
    return [sum(parts) for parts in zip(*vectors)]


def place(q, i):
    return [q[f"x{i}"], q[f"y{i}"], q[f"z{i}"]]


def mass(p, i):
    return p[f"m{i}"]


def between(q):
    """r₁ − r₂, or its rates."""
    return [x - y for x, y in zip(place(q, 1), place(q, 2))]


def pendulum_energy(v, p):
    moving = [plus([v.X, v.Y, 0.0], place(v, i)) for i in BOTH]
    return p.mu * (v.X**2 + v.Y**2) / 2 + sum(mass(p, i) * dot(u, u) / 2 for i, u in zip(BOTH, moving))


def weight(q, p):
    return sum(mass(p, i) * p.g * q[f"z{i}"] for i in BOTH)


def spring(r, p):
    return p.e * (dot(r, r) - 0.5) ** 2 / 4


def damper(r, r_dot, p):
    """The damper's force on mass 1."""
    return scaled(-p.h * dot(r, r_dot), r)


def damper_forces(q, v, p, share):
    F = scaled(share, damper(between(q), between(v), p))
    return {f"{x}{i}": (1 if i == 1 else -1) * F[k] for i in BOTH for k, x in enumerate("xyz")}


def two_pendulums(name, damping):
    return g.System(
        name,
        coordinates="X Y x1 y1 z1 x2 y2 z2",
        kinetic_energy=pendulum_energy,
        potential_energy=lambda q, p: weight(q, p) + spring(between(q), p),
        force=lambda q, v, p: damper_forces(q, v, p, damping),
        constraints=[
            g.Holonomic("threads", lambda q, p: [dot(place(q, i), place(q, i)) - p[f"r{i}"] ** 2 for i in BOTH])
        ],
        parameters={"m1": 0.7, "m2": 0.4, "mu": 1.9, "g": 3.3, "e": 0.8, "r1": 0.8, "r2": 1.1, "h": 0.6},
    )


STATE = {
    "q": [0.0, 0.0, 0.4, 0.3, -0.62, -0.5, 0.4, 0.9],
    "v": [0.3, -0.2, 0.5, 0.4, 0.2, -0.1, 0.3, 0.2],
    "spread": 0.2,
}


def spherical(q, i, name):
    x, y, z = place(q, i)
    return g.atan2(g.sqrt(x**2 + y**2), z) if name == "th" else g.atan2(y, x)


SPHERICAL = {
    "th1": lambda q: spherical(q, 1, "th"),
    "ph1": lambda q: spherical(q, 1, "ph"),
    "th2": lambda q: spherical(q, 2, "th"),
    "ph2": lambda q: spherical(q, 2, "ph"),
}


def points(q, p):
    """r_i by the angles."""
    return [
        scaled(
            p[f"r{i}"],
            [
                g.sin(q[f"th{i}"]) * g.cos(q[f"ph{i}"]),
                g.sin(q[f"th{i}"]) * g.sin(q[f"ph{i}"]),
                g.cos(q[f"th{i}"]),
            ],
        )
        for i in BOTH
    ]


def rates(vectors, q, v):
    """Time derivatives of vectors that depend on the angles."""
    return [[sum(sp.diff(x, q[n]) * v[n] for n in ANGLES) for x in r] for r in vectors]


def modified(velocities, p):
    """T̂ = T − (m²/(2(μ+m)))|ẋ|² from ṙ_i."""
    drift = plus(*(scaled(mass(p, i), u) for i, u in zip(BOTH, velocities)))
    lost = (drift[0] ** 2 + drift[1] ** 2) / (p.mu + p.m1 + p.m2)
    return (sum(mass(p, i) * dot(u, u) for i, u in zip(BOTH, velocities)) - lost) / 2


def in_angles(q, v, p):
    """T̂(q, q̇)."""
    return modified(rates(points(q, p), q, v), p)


def lagrange(L, q, v, a, name):
    """d/dt ∂L/∂q̇ − ∂L/∂q."""
    momentum = sp.diff(L, v[name])
    rate = sum(sp.diff(momentum, q[n]) * v[n] + sp.diff(momentum, v[n]) * a[n] for n in ANGLES)
    return rate - sp.diff(L, q[name])


def gravity(q, p):
    return sum(mass(p, i) * p.g * r[2] for i, r in zip(BOTH, points(q, p)))


def apart(q, p):
    first, second = points(q, p)
    return [x - y for x, y in zip(first, second)]


def generalized(q, v, p, name):
    """Q of the spring and the damper by their work on a change of one angle."""
    r = apart(q, p)
    (r_dot,) = rates([r], q, v)
    F = plus(damper(r, r_dot, p), scaled(-p.e * (dot(r, r) - 0.5), r))
    return dot(F, [sp.diff(x, q[name]) for x in r])


damped = Printed(
    "BP",
    [
        Equation(
            "metric of the modified kinetic energy",
            left=lambda q, v, p: in_angles(q, v, p),
            right=lambda v, p: modified([place(v, i) for i in BOTH], p),
            number="(3.5), (4.1)",
            text="2T̂ dt² = Σm_i|dr_i|² − m²|Πds|²/(μ+m), T̂ = T̂(q, q̇)",
        ),
        Equation(
            "Lagrange's equations",
            left=lambda q, v, a, p: [lagrange(in_angles(q, v, p), q, v, a, n) for n in ANGLES],
            right=lambda q, v, p: [-sp.diff(gravity(q, p), q[n]) + generalized(q, v, p, n) for n in ANGLES],
            number="(3.6)",
            text="d/dt ∂T̂/∂q̇ − ∂T̂/∂q = −mg ∂z/∂q + Q",
            remark="the right side is hardly legible in the scan",
        ),
        Integral(
            "Noether's integral",
            function=lambda q, v, p: sum(sp.diff(in_angles(q, v, p), v[f"ph{i}"]) for i in BOTH),
            number="§3, after (3.6)",
            text="K̂_z = Σ(e_z × r_i, ∂T̂/∂ṙ_i) = k",
        ),
    ],
    system=two_pendulums("two pendulums with a damper in a rolling ball", 1.0),
    quantities=SPHERICAL,
    **STATE,
)


def lagrangian(q, v, p):
    return in_angles(q, v, p) - gravity(q, p) - spring(apart(q, p), p)


conservative = Printed(
    "BP",
    [
        Equation(
            "Lagrange's equations with potential forces",
            left=lambda q, v, a, p: [lagrange(lagrangian(q, v, p), q, v, a, n) for n in ANGLES],
            number="§3, L",
            text="d/dt ∂L/∂q̇ − ∂L/∂q = 0, L = T̂ − mgz − V",
        ),
        Integral(
            "modified energy in the angles",
            function=lambda q, v, p: in_angles(q, v, p) + gravity(q, p) + spring(apart(q, p), p),
            number="(2.8), §3",
            text="H = T̂ + mgz + V = h",
        ),
    ],
    system=two_pendulums("two pendulums in a rolling ball", 0.0),
    quantities=SPHERICAL,
    **STATE,
)

# --- one pendulum with angles th, ph: the 2-form ----------------------------------------------------------------------


class Flow:
    """Symbols of one pendulum: th, ph, their rates w1, w2, and the accelerations that the model with the ball gives."""

    def __init__(self, q, p):
        self.p, self.names = p, (q.th, q.ph, q.w1, q.w2)
        self.r = scaled(p.r, [g.sin(q.th) * g.cos(q.ph), g.sin(q.th) * g.sin(q.ph), g.cos(q.th)])
        self.u = [sp.diff(x, q.th) * q.w1 + sp.diff(x, q.ph) * q.w2 for x in self.r]
        self.momenta = [sp.diff(self.reduced(), w) for w in (q.w1, q.w2)]

    def reduced(self):
        """T̂ of (2.6)."""
        lost = self.p.m**2 * (self.u[0] ** 2 + self.u[1] ** 2) / (self.p.mu + self.p.m)
        return (self.p.m * dot(self.u, self.u) - lost) / 2

    def accelerations(self):
        """The accelerations of the angles from T = ½μV² + ½m|V + ṙ|², V eliminated last."""
        th, ph, w1, w2 = self.names
        X, Y = sp.symbols("X_rate Y_rate")
        moving = plus([X, Y, 0.0], self.u)
        T = self.p.mu * (X**2 + Y**2) / 2 + self.p.m * dot(moving, moving) / 2
        velocities = [X, Y, w1, w2]
        slopes = [0, 0, sp.diff(T - self.p.m * self.p.g * self.r[2], th), sp.diff(T, ph)]
        momenta = [sp.diff(T, x) for x in velocities]
        M = sp.Matrix([[sp.diff(m, x) for x in velocities] for m in momenta])
        f = sp.Matrix([s - sp.diff(m, th) * w1 - sp.diff(m, ph) * w2 for s, m in zip(slopes, momenta)])
        f = f.applyfunc(sp.simplify)
        inverse = 1 / (self.p.mu + self.p.m)
        small = (M[2:, 2:] - M[2:, :2] * M[:2, 2:] * inverse).applyfunc(sp.simplify)
        rest = (f[2:, :] - M[2:, :2] * f[:2, :] * inverse).applyfunc(sp.simplify)
        det = sp.simplify(small[0, 0] * small[1, 1] - small[0, 1] * small[1, 0])
        found = [
            (small[1, 1] * rest[0] - small[0, 1] * rest[1]) / det,
            (small[0, 0] * rest[1] - small[1, 0] * rest[0]) / det,
        ]
        return [sp.simplify(x) for x in found]

    def change(self, formula, direction):
        """The change of a formula of (th, ph, w1, w2) in a direction."""
        return sum(sp.diff(formula, x) * y for x, y in zip(self.names, direction))

    def momenta_rate(self):
        """Rates of the momenta along the flow."""
        field = [self.names[2], self.names[3], *self.accelerations()]
        return [self.change(x, field) for x in self.momenta]


def tangents(p):
    return ([p[f"s{k}"] for k in range(4)], [p[f"u{k}"] for k in range(4)])


def form(flow, firsts, seconds, one, other):
    """Σ d(first) ∧ d(second) on two tangent vectors."""
    return sum(
        flow.change(x, one) * flow.change(y, other) - flow.change(x, other) * flow.change(y, one)
        for x, y in zip(firsts, seconds)
    )


def chart_form(q, p):
    flow = Flow(q, p)
    return form(flow, flow.momenta, [q.th, q.ph], *tangents(p))


def space_form(q, p):
    flow = Flow(q, p)
    point = form(flow, flow.u, flow.r, *tangents(p))
    return p.m * point - p.m**2 * form(flow, flow.u[:2], flow.r[:2], *tangents(p)) / (p.mu + p.m)


def form_rate(q, p):
    """Rate of the 2-form along the motion of the model with the ball."""
    flow = Flow(q, p)
    return form(flow, flow.momenta_rate(), [q.th, q.ph], *tangents(p)) + form(
        flow, flow.momenta, [q.w1, q.w2], *tangents(p)
    )


def density(q, p):
    """Volume of dp₁ dp₂ dth dph over that of dw₁ dw₂ dth dph."""
    first, second = Flow(q, p).momenta
    return sp.diff(first, q.w1) * sp.diff(second, q.w2) - sp.diff(first, q.w2) * sp.diff(second, q.w1)


def volume_rate(q, p):
    size, flow = density(q, p), Flow(q, p)
    accelerations = flow.accelerations()
    return [
        sp.diff(size, q.th) * q.w1 + sp.diff(size, q.ph) * q.w2,
        -size * sum(sp.diff(x, w) for x, w in zip(accelerations, (q.w1, q.w2))),
    ]


phase = Printed(
    "BP",
    [
        Equation(
            "the 2-form in two ways",
            left=chart_form,
            right=space_form,
            number="§3, 2-form",
            text="ω = Σdp_i ∧ dr_i = Σm_i dṙ_i ∧ dr_i − (m²/(μ+m)) dẋ ∧ dx",
        ),
        Equation(
            "the 2-form is invariant",
            left=form_rate,
            number="§3, 2-form (2)",
            text="ω is invariant with respect to the phase flow",
        ),
        Equation(
            "the volume is invariant",
            left=lambda q, p: volume_rate(q, p)[0],
            right=lambda q, p: volume_rate(q, p)[1],
            number="§3, corollary 1",
            text="ω ∧ … ∧ ω is an invariant volume on the phase space",
        ),
    ],
    ranges={"th": (0.4, 1.4), "ph": (0.2, 1.4), "w1": (0.3, 1.5), "w2": (-1.5, -0.3)},
    parameters={
        "m": 0.7,
        "mu": 1.9,
        "g": 3.3,
        "r": 0.8,
        **{f"s{k}": x for k, x in enumerate((0.3, -0.5, 0.7, 0.4))},
        **{f"u{k}": x for k, x in enumerate((-0.6, 0.2, 0.5, 0.9))},
    },
)
system = damped.system
start = g.Start(q=STATE["q"], v=STATE["v"])
equations = [damped, conservative, phase]
