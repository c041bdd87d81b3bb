"""Printed equations of BP: a spherical pendulum, or a Lagrange top, hung from the centre of a rolling ball.

(X, Y) is the centre of the ball, mu = I/R² + M; the rolling constraint is solved for the ball's angular velocity, whose
vertical part stays constant. x, y, z is the pendulum's mass relative to the centre.
"""

from types import SimpleNamespace

import sympy as sp

import gauss as g
from gauss.sources import Equation, Integral, Printed


def reduced_mass(p):
    return p.m**2 / (p.mu + p.m)


pendulum = g.System(
    "spherical pendulum in a rolling ball",
    coordinates="X Y x y z",
    kinetic_energy=lambda v, p: p.mu * (v.X**2 + v.Y**2) / 2 + p.m * ((v.X + v.x) ** 2 + (v.Y + v.y) ** 2 + v.z**2) / 2,
    potential_energy=lambda q, p: p.m * p.g * q.z,
    constraints=[g.Holonomic("thread", lambda q, p: q.x**2 + q.y**2 + q.z**2 - p.r**2)],
    parameters={"m": 0.7, "mu": 1.9, "g": 3.3, "r": 0.8},
)
START = {"q": [0.0, 0.0, 0.4, 0.3, -0.6], "v": [0.3, -0.2, 0.5, 0.4, 0.2]}


def routh_energy(q, v, p):
    """T of (4.3) plus the reduced potential."""
    kinetic = p.m * p.r**2 * (p.mu + p.m * g.sin(q.theta) ** 2) * v.theta**2 / (2 * (p.m + p.mu))
    potential = (p.mu + p.m) * q.k**2 / (2 * p.m * p.mu * p.r**2 * g.sin(q.theta) ** 2)
    return kinetic + potential + p.m * p.g * p.r * g.cos(q.theta)


def modified(v, p):
    """T̂ of (2.6)."""
    return p.m * (v.x**2 + v.y**2 + v.z**2) / 2 - reduced_mass(p) * (v.x**2 + v.y**2) / 2


def lagrangian(q, v, p):
    """L of (4.2)."""
    sin2 = g.sin(q.theta) ** 2
    polar = p.m * p.r**2 * (p.mu + p.m * sin2) * v.theta**2 / (2 * (p.m + p.mu))
    return polar + p.mu * p.m * p.r**2 * v.phi**2 * sin2 / (2 * (p.m + p.mu)) - p.m * p.g * p.r * g.cos(q.theta)


def routhian(q, v, p):
    """R_k of (4.3)."""
    potential = (p.mu + p.m) * q.k**2 / (2 * p.m * p.mu * p.r**2 * g.sin(q.theta) ** 2)
    polar = p.m * p.r**2 * (p.mu + p.m * g.sin(q.theta) ** 2) * v.theta**2 / (2 * (p.m + p.mu))
    return polar - potential - p.m * p.g * p.r * g.cos(q.theta)


def in_theta(L, q, v, a):
    """d/dt ∂L/∂θ̇ − ∂L/∂θ with constant k and c."""
    momentum = sp.diff(L, v.theta)
    rate = sp.diff(momentum, q.theta) * v.theta + sp.diff(momentum, v.theta) * a.theta
    return rate - sp.diff(L, q.theta)


pendulums = Printed(
    "BP",
    [
        Equation(
            "motion relative to the centre, M = 0",
            left=lambda a, p: [p.m * a.x, p.m * a.y, p.m * a.z],
            right=lambda q, a, l, p: [
                2 * l[0] * q.x + p.m**2 / (p.mu + p.m) * a.x,
                2 * l[0] * q.y + p.m**2 / (p.mu + p.m) * a.y,
                -p.m * p.g + 2 * l[0] * q.z,
            ],
            number="(1.9)",
            text="m r̈ = −mg e_z + G + (m²/(μ+m)) ẍ, with M = 0",
        ),
        Equation(
            "motion of the ball's centre, M = 0",
            left=lambda a, p: [(p.mu + p.m) * a.X + p.m * a.x, (p.mu + p.m) * a.Y + p.m * a.y],
            number="(1.10)",
            text="(μ + m)V̇ + mẍ = 0, with M = 0",
        ),
        Integral(
            "Chaplygin's integral, x",
            function=lambda v, p: v.X + p.m / (p.mu + p.m) * v.x,
            number="(2.1)",
            text="V + (m/(μ+m)) ẋ = c",
        ),
        Integral(
            "Chaplygin's integral, y",
            function=lambda v, p: v.Y + p.m / (p.mu + p.m) * v.y,
            number="(2.1)",
            text="V + (m/(μ+m)) ẋ = c",
        ),
        Integral(
            "modified angular momentum",
            function=lambda q, v, p: p.m * (q.x * v.y - q.y * v.x) - reduced_mass(p) * (q.x * v.y - q.y * v.x),
            number="(2.5)",
            text="K̂_z = K_z − (m²/(μ+m)) (x × ẋ, e_z) = k",
        ),
        Integral(
            "modified energy",
            function=lambda q, v, p: (
                p.m * (v.x**2 + v.y**2 + v.z**2) / 2 - reduced_mass(p) * (v.x**2 + v.y**2) / 2 + p.m * p.g * q.z
            ),
            number="(2.6), (2.8)",
            text="T̂ + mgz = h, T̂ = T − (m²/(2(μ+m))) |ẋ|²",
        ),
        Integral(
            "cyclic momentum",
            function=lambda q, v, p: p.mu * p.m * p.r**2 * v.phi * g.sin(q.theta) ** 2 / (p.m + p.mu),
            number="(4.2)",
            text="p_φ = μmr²φ̇ sin²θ/(m + μ) = k (partly illegible in the scan)",
        ),
        Integral(
            "energy of the Routhian",
            function=routh_energy,
            number="(4.3)",
            text="R_k = mr²(μ + m sin²θ)θ̇²/(2(m+μ)) − V_k, V_k = (μ+m)k²/(2mμr² sin²θ) + mgr cos θ",
        ),
        Equation(
            "modified kinetic energy of one pendulum",
            left=lambda v, p: p.m * (p.mu * (v.x**2 + v.y**2 + v.z**2) + p.m * v.z**2) / (2 * (p.mu + p.m)),
            right=lambda v, p: modified(v, p),
            number="(4.1)",
            text="T̂ = m(μ|ṙ|² + mż²)/(2(μ+m))",
        ),
        Equation(
            "Lagrangian of one pendulum",
            left=lambda q, v, p: lagrangian(q, v, p),
            right=lambda q, v, p: modified(v, p) - p.m * p.g * q.z,
            number="(4.2)",
            text="L = mr²(μ + m sin²θ)θ̇²/(2(m+μ)) + μmr²φ̇² sin²θ/(2(m+μ)) − mgr cos θ",
            remark="the second term is hardly legible in the scan",
        ),
        Equation(
            "cyclic momentum and modified angular momentum",
            left=lambda q, v, p: [sp.diff(lagrangian(q, v, p), v.phi)] * 2,
            right=lambda q, v, p: [p.mu * p.m * p.r**2 * v.phi * g.sin(q.theta) ** 2 / (p.m + p.mu), q.k],
            number="§4, after (4.2)",
            text="p_φ = ∂L/∂φ̇ = μmr²φ̇ sin²θ/(m+μ) = K̂_z = k",
        ),
        Equation(
            "Routhian",
            left=lambda q, v, p: routhian(q, v, p),
            right=lambda q, v, p: lagrangian(q, v, p) - q.k * v.phi,
            number="(4.3)",
            text="R_k(θ, θ̇) = L − kφ̇ = mr²(μ + m sin²θ)θ̇²/(2(m+μ)) − V_k(θ)",
        ),
        Equation(
            "motion of the reduced system",
            left=lambda q, v, a, p: in_theta(routhian(q, v, p), q, v, a),
            number="(4.3), Lagrange's equation",
            text="d/dt ∂R_k/∂θ̇ − ∂R_k/∂θ = 0",
        ),
    ],
    system=pendulum,
    quantities={
        "theta": lambda q: g.atan2(g.sqrt(q.x**2 + q.y**2), q.z),
        "phi": lambda q: g.atan2(q.y, q.x),
        "k": lambda q, v, p: (p.m - reduced_mass(p)) * (q.x * v.y - q.y * v.x),
    },
    spread=0.3,
    **START,
)
path = Printed(
    "BP",
    [
        Equation(
            "path of the ball's centre",
            left=lambda q, p: [q.X + p.share * q.x, q.Y + p.share * q.y],
            right=lambda t, p: [p.x0 + p.cx * t, p.y0 + p.cy * t],
            along=True,
            number="(2.2)",
            text="p = p₀ + ct − (m/(μ+m)) x",
        )
    ],
    system=pendulum,
    t_end=2.0,
    parameters={
        "share": 0.7 / 2.6,
        "x0": 0.4 * 0.7 / 2.6,
        "y0": 0.3 * 0.7 / 2.6,
        "cx": 0.3 + 0.5 * 0.7 / 2.6,
        "cy": -0.2 + 0.4 * 0.7 / 2.6,
    },
    q=START["q"],
    v=[0.3, -0.2, 0.5, 0.4, (0.4 * 0.5 + 0.3 * 0.4) / 0.6],
)
path = Printed(**{**path.__dict__, "system": pendulum.with_parameters(r=float(0.61**0.5))})


def top_energy(q, v, p):
    """T of ball and top: the top turns about the centre, which moves with (X, Y)."""
    sin_t, cos_t, sin_f, cos_f = g.sin(q.theta), g.cos(q.theta), g.sin(q.phi), g.cos(q.phi)
    along = v.X * (cos_t * cos_f * v.theta - sin_t * sin_f * v.phi)
    across = v.Y * (cos_t * sin_f * v.theta + sin_t * cos_f * v.phi)
    turning = p.A * (v.theta**2 + v.phi**2 * sin_t**2) + p.C * (v.psi + v.phi * cos_t) ** 2
    return (p.mu + p.m) * (v.X**2 + v.Y**2) / 2 + p.m * p.r * (along + across) + turning / 2


top = g.System(
    "Lagrange's top in a rolling ball",
    coordinates="X Y phi theta psi",
    kinetic_energy=top_energy,
    potential_energy=lambda q, p: p.m * p.g * p.r * g.cos(q.theta),
    parameters={"m": 0.7, "mu": 1.9, "g": 3.3, "r": 0.8, "A": 0.9, "C": 0.6},
)


def along_axis(q, v, p):
    return p.C * (v.psi + v.phi * g.cos(q.theta))


def about_vertical(q, v, p):
    return along_axis(q, v, p) * g.cos(q.theta) + (p.A - reduced_mass(p) * p.r**2) * g.sin(q.theta) ** 2 * v.phi


def stiff(p):
    """A − m²r²/(μ+m)."""
    return p.A - reduced_mass(p) * p.r**2


def top_modified(q, v, p):
    """T̂ of §4."""
    turning = p.C * (v.psi + v.phi * g.cos(q.theta)) ** 2 + p.A * (v.theta**2 + v.phi**2 * g.sin(q.theta) ** 2)
    lost = v.phi**2 * g.sin(q.theta) ** 2 + v.theta**2 * g.cos(q.theta) ** 2
    return turning / 2 - reduced_mass(p) * p.r**2 * lost / 2


def relative_energy(q, v, p):
    """T − (m²/(2(μ+m)))|ẋ|², T being that of a body with J = A, A, C about the centre."""
    axis = [g.sin(q.theta) * g.cos(q.phi), g.sin(q.theta) * g.sin(q.phi), g.cos(q.theta)]
    about_axis = v.psi + v.phi * g.cos(q.theta)
    rates = [sp.diff(x, q.theta) * v.theta + sp.diff(x, q.phi) * v.phi for x in axis]
    turning = p.A * sum(x**2 for x in rates) + p.C * about_axis**2
    return turning / 2 - reduced_mass(p) * p.r**2 * (rates[0] ** 2 + rates[1] ** 2) / 2


def top_lagrangian(q, v, p):
    return top_modified(q, v, p) - p.m * p.g * p.r * g.cos(q.theta)


def top_routhian(q, v, p):
    """R_kc of (4.4)."""
    potential = (q.k - q.c * g.cos(q.theta)) ** 2 / (2 * g.sin(q.theta) ** 2 * stiff(p))
    polar = (p.A - reduced_mass(p) * p.r**2 * g.cos(q.theta) ** 2) * v.theta**2 / 2
    return polar - potential - p.m * p.g * p.r * g.cos(q.theta)


tops = Printed(
    "BP",
    [
        Integral(
            "momentum about the axis of the top",
            function=along_axis,
            number="§4 (1)",
            text="K_n = C(ψ̇ + φ̇ cos θ) = c",
        ),
        Integral(
            "modified momentum about the vertical",
            function=about_vertical,
            number="§4 (2)",
            text="K̂_z = c cos θ + (A − m²r²/(μ+m)) φ̇ sin²θ = k",
        ),
        Integral(
            "modified energy",
            function=lambda q, v, p: (
                p.C * (v.psi + v.phi * g.cos(q.theta)) ** 2 / 2
                + p.A * (v.theta**2 + v.phi**2 * g.sin(q.theta) ** 2) / 2
                - reduced_mass(p) * p.r**2 * (v.phi**2 * g.sin(q.theta) ** 2 + v.theta**2 * g.cos(q.theta) ** 2) / 2
                + p.m * p.g * p.r * g.cos(q.theta)
            ),
            number="(2.9), §4",
            text="T̂ = ½C(ψ̇ + φ̇ cos θ)² + ½A(θ̇² + φ̇² sin²θ) − (m²r²/(2(μ+m)))(φ̇² sin²θ + θ̇² cos²θ)",
        ),
        Integral(
            "energy of the reduced system",
            function=lambda q, v, p: (
                (p.A - reduced_mass(p) * p.r**2 * g.cos(q.theta) ** 2) * v.theta**2 / 2
                + (q.k - q.c * g.cos(q.theta)) ** 2 / (2 * g.sin(q.theta) ** 2 * (p.A - reduced_mass(p) * p.r**2))
                + p.m * p.g * p.r * g.cos(q.theta)
            ),
            number="(4.4)",
            text="½(A − m²r² cos²θ/(μ+m))θ̇² + (k − c cos θ)²/(2 sin²θ (A − m²r²/(μ+m))) + mgr cos θ",
        ),
        Equation(
            "modified kinetic energy of the top",
            left=lambda q, v, p: top_modified(q, v, p),
            right=lambda q, v, p: relative_energy(q, v, p),
            number="§4, T̂",
            text="T̂ = ½C(ψ̇ + φ̇ cos θ)² + ½A(θ̇² + φ̇² sin²θ) − (m²r²/(2(μ+m)))(φ̇² sin²θ + θ̇² cos²θ)",
        ),
        Equation(
            "cyclic momenta of the top",
            left=lambda q, v, p: [sp.diff(top_lagrangian(q, v, p), v[x]) for x in ("psi", "phi")],
            right=lambda q, v, p: [
                p.C * (v.psi + v.phi * g.cos(q.theta)),
                q.c * g.cos(q.theta) + stiff(p) * v.phi * g.sin(q.theta) ** 2,
            ],
            number="§4 (1), (2)",
            text="K_n = p_ψ = C(ψ̇ + φ̇ cos θ) = c, K̂_z = p_φ = c cos θ + [A − m²r²/(μ+m)]φ̇ sin²θ = k",
        ),
        Equation(
            "Lagrangian of the reduced system",
            left=lambda q, v, p: top_routhian(q, v, p) - q.c**2 / (2 * p.C),
            right=lambda q, v, p: top_lagrangian(q, v, p) - q.c * v.psi - q.k * v.phi,
            number="(4.4)",
            text="R_kc(θ, θ̇) = ½(A − m²r² cos²θ/(μ+m))θ̇² − V_kc(θ), but for the constant −c²/(2C)",
        ),
        Equation(
            "motion of the reduced system",
            left=lambda q, v, a, p: in_theta(top_routhian(q, v, p), q, v, a),
            number="(4.4), Lagrange's equation",
            text="V_kc = (k − c cos θ)²/(2 sin²θ (A − m²r²/(μ+m))) + mgr cos θ",
        ),
    ],
    system=top,
    q=[0.0, 0.0, 0.3, 1.1, 0.2],
    v=[0.3, -0.2, 0.6, 0.4, 1.2],
    quantities={"c": along_axis, "k": about_vertical},
    spread=0.3,
)


def slender(q):
    """Values, rates and parameters of a top with C = 0 and A = mr², from the variables of identities."""
    parameters = SimpleNamespace(m=q.m, mu=q.mu, r=q.r, g=q.g, A=q.m * q.r**2)
    return SimpleNamespace(theta=q.theta, k=q.k, c=0.0), SimpleNamespace(theta=q.w), parameters


def margin(q):
    return q.A_c + q.m * q.r**2 - q.m**2 * q.r**2 / (q.mu + q.m)


limits = Printed(
    "BP",
    [
        Equation(
            "the modified moment of inertia is positive",
            left=lambda q: g.fabs(margin(q)),
            right=margin,
            number="§4, after (4.4)",
            text="A > m²r²/(μ+m), with A = A_c + mr²",
        ),
        Equation(
            "a top without inertia about its axis is a pendulum",
            left=lambda q: top_routhian(*slender(q)),
            right=lambda q: routhian(*slender(q)),
            number="§4, end",
            text="for C = 0 and A = mr² (4.4) becomes (4.3)",
        ),
    ],
    ranges={
        **dict.fromkeys(("m", "mu", "r", "g", "k", "w"), (0.5, 2.0)),
        "A_c": (0.01, 2.0),
        "theta": (0.3, 2.8),
    },
)
system = pendulum
start = g.Start(**START)
equations = [pendulums, path, tops, limits]
