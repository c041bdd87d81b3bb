"""The other claims of scenarios/catenary.py.

A curve y(x) from (−b, 1) to (b, 1) turns about the x axis; lengths are in units of the rings' radius. The area is
2π∫ y√(1 + y'²) dx. Its extremals are the catenaries y = c cosh(x/c) with c cosh(b/c) = 1:

* two for b < 0.6627 (the larger c is a minimum, the smaller one no more than a saddle: it touches the envelope of the
  catenaries through the first ring on its way), one at b = 0.6627, where b/c = 1.1997 solves u tanh u = 1, none beyond;
* the area is πc(2b + c sinh(2b/c)). Two discs have 2π together (Goldschmidt); that is less from b = 0.5277 on, where
  the catenary is a minimum among its neighbours only.

A particle of unit mass in the potential V = −½y² with energy 0 moves along the same curves: by Jacobi's form of the
principle of least action its path makes ∫√(2(E − V)) ds = ∫ y ds stationary. It has ẋ = c and y = c cosh t about its
lowest point, so it flies from one ring to the other in the time 2b/c, at each of two angles, or it cannot reach it.

The source rejects the vertical line x₁ = const because its area would be zero; a vertical line turns into a disc. Its
curve x₂ = c cosh(ax₁ + b) with a = 1/C is an extremal only if c = C too, which its first equation asks for.
"""

from functools import cache

import numpy as np
from scipy.optimize import brentq

import gauss as g
from gauss.variational import VariationalProblem, extremals
from scenarios.catenary import FARTHEST, NARROW, B, launch, necks, start, system

WIDEST = FARTHEST / np.cosh(FARTHEST)


def area(b, c):
    """The area of the catenoid."""
    return np.pi * c * (2 * b + c * np.sinh(2 * b / c))


EQUAL = brentq(lambda b: area(b, necks(b)[0]) - 2 * np.pi, 0.4, 0.66)  # where two discs have the same area


def problem(b):
    """The area of revolution between rings at ±b as a variational problem."""
    return VariationalProblem(
        lambda q, v: 2 * g.pi * q.y * g.sqrt(1 + v.y**2), "y", start={"y": 1.0}, end={"y": 1.0}, span=(-b, b)
    )


@cache
def found(b):
    """All extremals found between rings at ±b, by rising area."""
    return extremals(problem(b))


def off_extremal(run, one):
    """Largest distance in y between a motion and an extremal at the same x."""
    y, _ = one.at(np.clip(run["x"], -B, B))
    return float(np.max(np.abs(run["y"] - y[:, 0])))


@g.needs(start.t_end)
def claims(run):
    wide, narrow = found(B)
    other = g.simulate(system, start.q, launch(NARROW), t_end=2 * B / NARROW, rtol=1e-12, progress="none")
    motion = "the tolerance of the collocation; the integrator keeps 1e-12 per step"
    return [
        g.Claim("two extremals are found", float(abs(len(found(B)) - 2)), 0.0, "count; b < 0.6627"),
        g.Claim(
            "the wide one is a minimum, the narrow one a saddle with one conjugate point",
            float((wide.kind != "minimum") + (narrow.kind != "saddle") + abs(narrow.second.negative - 1)),
            0.0,
            "count of negative eigenvalues of the second variation (Jacobi)",
        ),
        g.Claim(
            "both satisfy Legendre's condition of a minimum",
            float(sum(x.legendre_condition != "minimum" for x in (wide, narrow))),
            0.0,
            "y/(1 + y'²)^{3/2} > 0",
        ),
        g.Claim(
            "just below b = 0.6627 there are two extremals, just above none",
            float(abs(len(found(0.999 * WIDEST)) - 2) + len(found(1.01 * WIDEST))),
            0.0,
            "count, at 0.999 and 1.01 times the largest b",
        ),
        g.Claim(
            "two discs have more area than the catenoid before b = 0.5277, less after",
            float(sum((found(x * EQUAL)[0].value < 2 * np.pi) != (x < 1.0) for x in (0.99, 1.01))),
            0.0,
            "count, at 0.99 and 1.01 times that b",
        ),
        g.Claim("at a steeper angle it follows the narrow one", off_extremal(other, narrow), 1e-8, motion),
        g.Claim(
            "both arrive at the other ring after 2b/c",
            max(float(np.linalg.norm(x.q[-1] - [B, 1.0])) for x in (run, other)),
            1e-9,
            "closed form",
        ),
    ]
