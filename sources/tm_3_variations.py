"""Printed equations of TM §3.1–3.5.1: Gâteaux derivatives, the first variation, equations of Euler, Lagrange, Poisson.

Integrals are taken in closed form for curves and variations that are polynomials of the time with arbitrary
coefficients; a variation has the factor t(1 − t), or its square for a functional with second derivatives. The second
order form of Lagrange's equations is asked of a system whose Lagrangian depends on the time.
"""

import sympy as sp

import gauss as g
from gauss.sources import Equation, Printed

ALPHA, TIME = sp.Symbol("alpha_", real=True), sp.Symbol("tau_", real=True)
X, DX, DDX = sp.symbols("X_ DX_ DDX_", real=True)


def slope(function):
    """d/dα at α = 0."""
    return sp.diff(function(ALPHA), ALPHA).subs(ALPHA, 0)


def matrix(q, letter, n=3):
    return sp.Matrix(n, n, lambda i, j: getattr(q, f"{letter}{i}{j}"))


def column(q, letter, n=3):
    return sp.Matrix([getattr(q, f"{letter}{i}") for i in range(n)])


def with_column(q, k):
    """det[X₁, …, V_k, …, X_n]."""
    changed = matrix(q, "X")
    changed[:, k] = matrix(q, "V")[:, k]
    return changed.det()


def product_trace(A, B):
    return (A.T * B).trace()


gateaux = Printed(
    "TM §3.5.1",
    [
        Equation(
            "derivative of a quadratic form",
            left=lambda q: (
                [
                    slope(
                        lambda a: (
                            (column(q, "x") + a * column(q, "v")).T
                            * matrix(q, "X")
                            * (column(q, "x") + a * column(q, "v"))
                        )[0]
                    )
                ]
                * 2
            ),
            right=lambda q: [
                (
                    column(q, "v").T * matrix(q, "X") * column(q, "x")
                    + column(q, "x").T * matrix(q, "X") * column(q, "v")
                )[0],
                (column(q, "x").T * (matrix(q, "X") + matrix(q, "X").T) * column(q, "v"))[0],
            ],
            number="(3.1), §3.5.1 (1)",
            text="Df(x)v = d/dα (x + αv)ᵀQ(x + αv) = vᵀQx + xᵀQv = xᵀ(Q + Qᵀ)v for f = xᵀQx",
        ),
        Equation(
            "derivative of a trace",
            left=lambda q: (
                [
                    slope(
                        lambda a: product_trace(
                            matrix(q, "X") + a * matrix(q, "V"), matrix(q, "X") + a * matrix(q, "V")
                        )
                    )
                ]
                * 2
            ),
            right=lambda q: [
                product_trace(matrix(q, "V"), matrix(q, "X")) + product_trace(matrix(q, "X"), matrix(q, "V")),
                2 * product_trace(matrix(q, "X"), matrix(q, "V")),
            ],
            number="§3.5.1 (2)",
            text="Df(X)V = tr VᵀX + tr XᵀV = 2 tr XᵀV for f = tr XᵀX",
        ),
        Equation(
            "derivative of a determinant",
            left=lambda q: slope(lambda a: (matrix(q, "X") + a * matrix(q, "V")).det()),
            right=lambda q: sum(with_column(q, k) for k in range(3)),
            number="§3.5.1 (3)",
            text="Df(X)V = det[V₁, X₂, …, X_n] + … + det[X₁, X₂, …, V_n] for f = det X",
        ),
    ],
    ranges=dict.fromkeys(
        [f"{letter}{i}{j}" for letter in "XV" for i in range(3) for j in range(3)]
        + [f"{letter}{i}" for letter in "xv" for i in range(3)],
        (0.4, 1.6),
    ),
)


def curve(q):
    """x(t) on [0, 1]."""
    return q.c0 + q.c1 * TIME + q.c2 * TIME**2


def variation(q, order):
    """v(t), which vanishes at both ends with its derivatives below the order."""
    return (TIME * (1 - TIME)) ** order * (q.d0 + q.d1 * TIME)


def integrand(x, dx, ddx=0):
    """An arbitrary L(t, x, ẋ, ẍ), polynomial."""
    return TIME * x**2 + 2 * x * dx + 3 * dx**2 + TIME**2 * dx * x**2 - x + ddx**2 * (1 + x) + TIME * ddx * dx


def integral(expression):
    return sp.integrate(sp.expand(expression), (TIME, 0, 1))


def partial(symbol, x, second):
    """A partial derivative of L along the curve."""
    derivative = sp.diff(integrand(X, DX, DDX if second else 0), symbol)
    return derivative.subs({X: x, DX: sp.diff(x, TIME), DDX: sp.diff(x, TIME, 2)}, simultaneous=True)


def varied(q, second):
    """d/dα of the integral of L along x + αv."""

    def functional(a):
        x = curve(q) + a * variation(q, 2 if second else 1)
        return integral(integrand(x, sp.diff(x, TIME), sp.diff(x, TIME, 2) if second else 0))

    return slope(functional)


def first_variation(q):
    x, v = curve(q), variation(q, 1)
    return integral(partial(X, x, False) * v) + integral(partial(DX, x, False) * sp.diff(v, TIME))


def euler_lagrange(q):
    x = curve(q)
    return partial(X, x, False) - sp.diff(partial(DX, x, False), TIME)


def euler_poisson(q):
    x = curve(q)
    return partial(X, x, True) - sp.diff(partial(DX, x, True), TIME) + sp.diff(partial(DDX, x, True), TIME, 2)


def by_parts(q):
    """Both sides of the integration by parts, for a variation that does not vanish at the ends."""
    momentum, v = partial(DX, curve(q), False), q.d0 + q.d1 * TIME
    ends = (momentum * v).subs(TIME, 1) - (momentum * v).subs(TIME, 0)
    return integral(momentum * sp.diff(v, TIME)), ends - integral(sp.diff(momentum, TIME) * v)


variations = Printed(
    "TM §3.3",
    [
        Equation(
            "first variation",
            left=lambda q: varied(q, False),
            right=first_variation,
            number="§3.3 (1)",
            text="Df(x(·))v(·) = d/dα ∫L(t, x + αv, ẋ + αv̇) dt = ∫(∂L/∂x)v dt + ∫(∂L/∂ẋ)v̇ dt",
        ),
        Equation(
            "integration by parts",
            left=lambda q: by_parts(q)[0],
            right=lambda q: by_parts(q)[1],
            number="§3.3 (2)",
            text="∫(∂L/∂ẋ)v̇ dt = (∂L/∂ẋ)v|ₜ₀ᵗ¹ − ∫(d/dt ∂L/∂ẋ)v dt",
        ),
        Equation(
            "the variation that vanishes at the ends",
            left=lambda q: varied(q, False),
            right=lambda q: integral(euler_lagrange(q) * variation(q, 1)),
            number="(3.2)–(3.4)",
            text="Df(x(·))v(·) = ∫(∂L/∂x − d/dt ∂L/∂ẋ)v dt, zero for every v if ∂L/∂x − d/dt ∂L/∂ẋ = 0",
        ),
        Equation(
            "the same with second derivatives",
            left=lambda q: varied(q, True),
            right=lambda q: integral(euler_poisson(q) * variation(q, 2)),
            number="(3.5)",
            text="∂L/∂x − d/dt ∂L/∂ẋ + d²/dt² ∂L/∂ẍ = 0",
        ),
    ],
    ranges=dict.fromkeys(("c0", "c1", "c2", "d0", "d1"), (0.4, 1.6)),
)


def kinetic(q, v, t, p):
    squares = p.m * (2 + g.sin(q.y) + 0.5 * g.cos(t)) * v.x**2 + (2 + 0.5 * t**2) * v.y**2
    return squares / 2 + 0.5 * g.cos(q.x - t) * v.x * v.y + p.m * q.x * t * v.y


def potential(q, t, p):
    return p.m * q.x**2 * (1 + t) + g.sin(q.y - 2 * t)


def expanded(q, v, a, t, p):
    """The left sides of the second order equations."""
    L = kinetic(q, v, t, p) - potential(q, t, p)
    rows = []
    for k in range(2):
        momentum = sp.diff(L, v[k])
        parts = [sp.diff(momentum, v[j]) * a[j] + sp.diff(momentum, q[j]) * v[j] for j in range(2)]
        rows.append(sum(parts) + sp.diff(momentum, t) - sp.diff(L, q[k]))
    return rows


in_time = Printed(
    "TM §3.3",
    [
        Equation(
            "Lagrange's equations with a Lagrangian that depends on time",
            left=expanded,
            number="§3.3 (3)",
            text="(∂²L/∂ẋ²)ẍ + (∂²L/∂x∂ẋ)ẋ + ∂²L/∂t∂ẋ − ∂L/∂x = 0",
        )
    ],
    system=g.System(
        "two coordinates and the time",
        coordinates="x y",
        kinetic_energy=kinetic,
        potential_energy=potential,
        parameters={"m": 1.3},
    ),
    q=[0.4, 0.7],
    v=[0.6, -0.8],
)
system = in_time.system
start = g.Start(q=in_time.q, v=in_time.v)
equations = [gateaux, variations, in_time]
