"""Printed equations of TM, chapter 0: the motion of a planet about the sun.

The planet (mass m) moves in the plane under Newton's attraction with GM = 1; r and theta are polar coordinates about
the sun, u = 1/r, w = du/dtheta. The motion starts at the perihelion, theta = 0, t = 0.
"""

import numpy as np

import gauss as g
from gauss.sources import Equation, Integral, Printed

SOURCE = "TM chapter 0"
M, PERIHELION, SPEED = 1.7, 0.8, 1.3
H = M * PERIHELION * SPEED
E = M * SPEED**2 / 2 - M / PERIHELION

system = g.System(
    "planet",
    coordinates="x y",
    kinetic_energy=lambda v, p: 0.5 * p.m * (v.x**2 + v.y**2),
    potential_energy=lambda q, p: -p.m / g.sqrt(q.x**2 + q.y**2),
    parameters={"m": M},
)
start = g.Start(q=[PERIHELION, 0.0], v=[0.0, SPEED], t_end=2.0)

POLAR = {"r": lambda q: g.sqrt(q.x**2 + q.y**2), "theta": lambda q: g.atan2(q.y, q.x)}


def momentum(q, v, p):
    return p.m * (q.x * v.y - q.y * v.x)


def energy(q, v, p):
    return p.m * (v.x**2 + v.y**2) / 2 - p.m / g.sqrt(q.x**2 + q.y**2)


def slope(q, v, p):
    """du/dtheta = −m ṙ/h."""
    return -p.m * (q.x * v.x + q.y * v.y) / g.sqrt(q.x**2 + q.y**2) / momentum(q, v, p)


anywhere = Printed(
    SOURCE,
    [
        Equation(
            "Newton's second law",
            left=lambda a, p: [p.m * a.x, p.m * a.y],
            right=lambda q, p: [
                -p.m / (q.x**2 + q.y**2) / g.sqrt(q.x**2 + q.y**2) * q.x,
                -p.m / (q.x**2 + q.y**2) / g.sqrt(q.x**2 + q.y**2) * q.y,
            ],
            number="(1)",
            text="m(ẍ, ÿ) = −GMm/(x² + y²) · (x, y)/√(x² + y²), GM = 1",
        ),
        Equation(
            "polar coordinates",
            left=lambda q: [q.x, q.y],
            right=lambda q: [q.r * g.cos(q.theta), q.r * g.sin(q.theta)],
            number="§0.1",
            text="x = r cos θ, y = r sin θ",
        ),
        Equation(
            "equations of motion in polar coordinates",
            left=lambda q, v, a: [
                a.r - q.r * v.theta**2 + 1 / q.r**2,
                q.r * a.theta + 2 * v.r * v.theta,
            ],
            number="(2)",
            text="r̈ − rθ̇² + 1/r² = 0, rθ̈ + 2ṙθ̇ = 0",
        ),
        Integral(
            "moment of momentum",
            function=lambda q, v, p: p.m * q.r**2 * v.theta,
            number="§0.2 (1)",
            text="h = mr²θ̇ = const",
        ),
        Equation(
            "its rate",
            left=lambda v: v.h,
            right=lambda q, v, a, p: 2 * p.m * q.r * v.r * v.theta + p.m * q.r**2 * a.theta,
            number="§0.2 (2)",
            text="ḣ = 2mrṙθ̇ + mr²θ̈",
        ),
        Equation(
            "energy",
            left=lambda v, q, p: p.m * (v.x**2 + v.y**2) / 2 - p.m / q.r,
            right=lambda v, q, p: p.m * v.r**2 / 2 + q.h * v.theta / 2 - p.m / q.r,
            number="§0.2 (3)",
            text="E = ½m(ẋ² + ẏ²) − m/r = ½mṙ² + ½hθ̇ − m/r",
        ),
        Integral("the energy is an invariant", function=energy, number="§0.2 (4)", text="Ė = 0"),
        Equation(
            "rate of the energy",
            left=lambda v: v.E,
            right=lambda q, v, a, p: p.m * v.r * a.r + q.h * a.theta / 2 + p.m / q.r**2 * v.r,
            number="§0.2 (5)",
            text="Ė = mṙr̈ + ½hθ̈ + (m/r²)ṙ",
        ),
        Equation(
            "intermediate forms of Ė",
            left=lambda q, v, a, p: [
                p.m * v.r * (a.r + 1 / q.r**2) + q.h * a.theta / 2,
                p.m * v.r * q.r * v.theta**2 + q.h * a.theta / 2,
            ],
            right=lambda q, v, a, p: [
                p.m * v.r * q.r * v.theta**2 + q.h * a.theta / 2,
                q.h / q.r * (q.r * a.theta + 2 * v.r * v.theta) / 2,
            ],
            number="§0.2 (6)",
            text="mṙ(r̈ + 1/r²) + ½hθ̈ = mṙrθ̇² + ½hθ̈ = ½(h/r)(rθ̈ + 2ṙθ̇)",
        ),
        Equation(
            "velocities by u",
            left=lambda v: [v.r, v.theta],
            right=lambda q, v, p: [-(q.r**2) * v.theta * q.w, q.h / p.m * (1 / q.r) ** 2],
            number="§0.3 (1)",
            text="ṙ = −r²θ̇ du/dθ, θ̇ = (h/m)u²",
        ),
        Equation(
            "energy by u",
            left=lambda q: q.E,
            right=lambda q, p: q.h**2 / p.m * (q.w**2 + 1 / q.r**2) / 2 - p.m / q.r,
            number="§0.3 (2)",
            text="E = ½(h²/m)((du/dθ)² + u²) − mu",
        ),
        Equation(
            "first order equation of the orbit",
            left=lambda q: q.w**2 + 1 / q.r**2,
            right=lambda q, p: 2 * p.m / q.h**2 * (q.E + p.m / q.r),
            number="(3)",
            text="(du/dθ)² + u² = (2m/h²)(E + mu)",
        ),
        Equation(
            "its rate",
            left=lambda q, v, p: v.theta * q.w * (v.w / v.theta + 1 / q.r - p.m**2 / q.h**2),
            number="§0.3, before (4)",
            text="θ̇ (du/dθ)(d²u/dθ² + u − m²/h²) = 0",
        ),
        Integral(
            "areal velocity",
            function=lambda q, v: q.r**2 * v.theta / 2,
            number="Ex. 0.2",
            text="Kepler's second law: the area swept in unit time is constant",
        ),
        Equation(
            "second order equation of the orbit",
            left=lambda q, v: v.w / v.theta + 1 / q.r,
            right=lambda q, p: p.m**2 / q.h**2,
            number="(4)",
            text="d²u/dθ² + u = m²/h²",
        ),
    ],
    q=[0.9, 0.7],
    v=[-0.6, 0.8],
    quantities=POLAR | {"h": momentum, "E": energy, "w": slope},
    spread=0.2,
)
orbit = Printed(
    SOURCE,
    [
        Equation(
            "the solution of (4)",
            left=lambda q: 1 / q.r,
            right=lambda q, p: (
                p.m**2 / p.h**2 + p.m**2 / p.h**2 * g.sqrt(1 + 2 * p.E * p.h**2 / p.m**3) * g.cos(q.theta)
            ),
            along=True,
            number="§0.3 (3)",
            text="u = m²/h² + C cos(θ + θ₀), θ₀ = 0, C = (m²/h²)(1 + 2Eh²/m³)^{1/2}",
        ),
        Equation(
            "the orbit",
            left=lambda q, p: q.r * (1 + p.e * g.cos(q.theta)),
            right=lambda p: p.l,
            along=True,
            number="(5)",
            text="r(1 + ε cos θ) = l, ε = (1 + 2Eh²/m³)^{1/2}, l = h²/m²",
        ),
        Equation(
            "semi-axes",
            left=lambda q, p: ((q.x + p.a * p.e) / p.a) ** 2 + (q.y / p.b) ** 2,
            right=1.0,
            along=True,
            number="(6)",
            text="a = l/(1 − ε²), b = l/√(1 − ε²); the ellipse (x/a)² + (y/b)² = 1 about its centre",
        ),
        Equation(
            "semi-axes and focus",
            left=lambda p: [p.b, p.a - p.perihelion],
            right=lambda p: [p.a * g.sqrt(1 - p.e**2), p.a * p.e],
            along=True,
            number="(6), third; §0.4, after (8)",
            text="b = a√(1 − ε²), e = a − r(0) = aε",
        ),
        Equation(
            "trajectory by the angle",
            left=lambda q: [q.r, q.x, q.y],
            right=lambda q, p: [
                p.l / (1 + p.e * g.cos(q.theta)),
                *(p.l / (1 + p.e * g.cos(q.theta)) * f(q.theta) for f in (g.cos, g.sin)),
            ],
            along=True,
            number="§0.4, after (7)",
            text="r = l/(1 + ε cos θ(t)), x = r cos θ, y = r sin θ",
        ),
        Equation(
            "differential of time",
            left=lambda v, q, p: p.h / (p.m * p.l**2),
            right=lambda v, q, p: v.theta / (1 + p.e * g.cos(q.theta)) ** 2,
            along=True,
            number="(7)",
            text="(h/ml²) dt = dθ/(1 + ε cos θ)²",
        ),
        Equation(
            "parameter of the ellipse",
            left=lambda q, p: [p.a * g.cos(q.u) - p.a * p.e, p.b * g.sin(q.u), p.a * (1 - p.e * g.cos(q.u))],
            right=lambda q: [q.x, q.y, q.r],
            along=True,
            number="(8)",
            text="x = a cos u − e, y = b sin u, e = aε, r = a(1 − ε cos u)",
        ),
        Equation(
            "differentials of θ and u",
            left=lambda q, v, p: p.l * v.theta / (1 + p.e * g.cos(q.theta)) ** 2,
            right=lambda q, v, p: p.l * p.a**2 / p.b * (1 - p.e * g.cos(q.u)) * v.u,
            along=True,
            number="§0.4 (1)",
            text="l dθ/(1 + ε cos θ)² = (la²/b)(1 − ε cos u) du",
            correct=(
                lambda q, v, p: p.l * v.theta / (1 + p.e * g.cos(q.theta)) ** 2,
                lambda q, v, p: p.a**2 / p.b * (1 - p.e * g.cos(q.u)) * v.u,
            ),
            remark="the factor l on the right is superfluous: (a sin u/sin θ) du = (a²/b)(1 − ε cos u) du",
        ),
        Equation(
            "differentials of θ and u, first form",
            left=lambda q, v, p: g.sin(q.theta) * p.l * v.theta / (1 + p.e * g.cos(q.theta)) ** 2,
            right=lambda q, v, p: p.a * g.sin(q.u) * v.u,
            along=True,
            number="§0.4 (1), middle",
            text="l dθ/(1 + ε cos θ)² = (a sin u/sin θ) du",
        ),
        Equation(
            "Kepler's equation",
            left=lambda t: t,
            right=lambda q, p: p.m * p.a * p.b / p.h * (q.u - p.e * g.sin(q.u)),
            along=True,
            number="§0.4 (2)",
            text="t = (mab/h)(u − ε sin u)",
        ),
        Equation(
            "angle and parameter",
            left=lambda q, p: g.sin(q.theta) * p.a * (g.cos(q.u) - p.e),
            right=lambda q, p: g.cos(q.theta) * p.b * g.sin(q.u),
            along=True,
            number="§0.4 (3)",
            text="tg θ = b sin u/(a(cos u − ε))",
        ),
    ],
    system=g.System(
        "planet of given mass",
        coordinates="x y",
        kinetic_energy=lambda v: 0.5 * M * (v.x**2 + v.y**2),
        potential_energy=lambda q: -M / g.sqrt(q.x**2 + q.y**2),
    ),
    q=[PERIHELION, 0.0],
    v=[0.0, SPEED],
    t_end=2.0,
)
ECCENTRICITY = float(np.sqrt(1 + 2 * E * H**2 / M**3))
L = H**2 / M**2
A, B = L / (1 - ECCENTRICITY**2), L / np.sqrt(1 - ECCENTRICITY**2)
orbit = Printed(
    **{
        **orbit.__dict__,
        "parameters": {
            "perihelion": PERIHELION,
            "m": M,
            "h": H,
            "E": E,
            "e": ECCENTRICITY,
            "l": L,
            "a": float(A),
            "b": float(B),
        },
        "quantities": POLAR | {"u": lambda q: g.atan2(q.y / float(B), q.x / float(A) + ECCENTRICITY)},
    }
)


def period(q, number):
    """T = (mab/h)·2π, Kepler's equation for one turn, with a and b by (6) and h = m√l."""
    l, e, m = (getattr(q, name + number) for name in ("l", "e", "m"))
    a, b = axis(q, number), l / g.sqrt(1 - e**2)
    return m * a * b / (m * g.sqrt(l)) * 2 * float(np.pi)


def axis(q, number):
    return getattr(q, "l" + number) / (1 - getattr(q, "e" + number) ** 2)


third_law = Printed(
    SOURCE,
    [
        Equation(
            "Kepler's third law",
            left=lambda q: period(q, "1") ** 2 / period(q, "2") ** 2,
            right=lambda q: axis(q, "1") ** 3 / axis(q, "2") ** 3,
            number="Ex. 0.3",
            text="T₁²/T₂² = a₁³/a₂³, with T from §0.4 (2) for u = 2π",
        )
    ],
    ranges={"l1": (0.5, 2.0), "l2": (0.5, 2.0), "e1": (0.1, 0.8), "e2": (0.1, 0.8), "m1": (0.5, 2.0), "m2": (0.5, 2.0)},
)
equations = [anywhere, orbit, third_law]
