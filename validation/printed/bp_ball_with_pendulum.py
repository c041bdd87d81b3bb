# ruff: noqa: D103
"""Printed equations of BP: a spherical pendulum, or a Lagrange top, hung from the centre of a rolling ball.

(X, Y) is the centre of the ball, mu = I/R² + M; the rolling constraint is solved for the ball's angular velocity, whose
vertical part stays constant. x, y, z is the pendulum's mass relative to the centre.
"""

import gauss as g
from gauss.analysis.equations import Equation, Integral, Printed


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
    ],
    system=top,
    q=[0.0, 0.0, 0.3, 1.1, 0.2],
    v=[0.3, -0.2, 0.6, 0.4, 1.2],
    quantities={"c": along_axis, "k": about_vertical},
    spread=0.3,
)
system = pendulum
start = g.Start(**START)
equations = [pendulums, path, tops]
