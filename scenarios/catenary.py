"""Catenary: the least surface of revolution between two rings, and a motion that follows the same curve.

A curve y(x) from (−b, 1) to (b, 1) turns about the x axis; lengths are in units of the rings' radius. The area is
2π∫ y√(1 + y'²) dx. Its extremals are the catenaries y = c cosh(x/c) with c cosh(b/c) = 1: two for b < 0.6627 (the wide
one is a minimum, the narrow one a saddle), one at b = 0.6627, none beyond. The area is πc(2b + c sinh(2b/c)).

A particle of unit mass in the potential V = −½y² with energy 0 moves along the same curves: by Jacobi's form of the
principle of least action its path makes ∫√(2(E − V)) ds = ∫ y ds stationary. It has ẋ = c and y = c cosh t about its
lowest point, so it flies from one ring to the other in the time 2b/c.
"""

from functools import cache

import numpy as np
from scipy.optimize import brentq

import gauss as g
from gauss.variational import VariationalProblem, extremals

COVERS = ("T6",)
SOURCE = "TM §3.5.3"

B = 0.6  # half the distance of the rings
FARTHEST = brentq(lambda u: u * np.tanh(u) - 1.0, 1.0, 1.5)  # b/c where both catenaries are one


def necks(b):
    """The radii c (large, small) of the necks of both catenaries between rings at ±b."""
    middle = b / FARTHEST

    def missing(c):
        return c * np.cosh(b / c) - 1.0

    return brentq(missing, middle, 1.0, xtol=1e-15), brentq(missing, b / 50.0, middle, xtol=1e-15)


WIDE, NARROW = necks(B)

system = g.System(
    "particle in the potential −½y²",
    coordinates="x y",
    kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
    potential_energy=lambda q: -0.5 * q.y**2,
)


def launch(c):
    """The velocity of energy 0 at the left ring, for the catenary of neck c."""
    return [c, -np.sqrt(1.0 - c**2)]


start = g.Start(q=[-B, 1.0], v=launch(WIDE), t_end=2 * B / WIDE, rtol=1e-12)


@cache
def found(b):
    """All extremals found between rings at ±b, by rising area."""
    problem = VariationalProblem(
        lambda q, v: 2 * g.pi * q.y * g.sqrt(1 + v.y**2), "y", start={"y": 1.0}, end={"y": 1.0}, span=(-b, b)
    )
    return extremals(problem)


@g.needs(start.t_end)
def claims(run):
    wide, narrow = found(B)
    apart = max(np.max(np.abs(one["y"] - c * np.cosh(one.t / c))) for one, c in ((wide, WIDE), (narrow, NARROW)))
    areas = [np.pi * c * (2 * B + c * np.sinh(2 * B / c)) for c in (WIDE, NARROW)]
    beside = np.max(np.abs(run["y"] - wide.at(np.clip(run["x"], -B, B))[0][:, 0]))
    bvp = "ten times the tolerance 1e-9 of the collocation"
    return [
        g.Claim("they are the two catenaries", apart, 1e-8, bvp),
        g.Claim("their areas are πc(2b + c sinh(2b/c))", g.relative([wide.value, narrow.value], areas), 1e-8, bvp),
        g.Claim("the particle follows the wide catenary", beside, 1e-8, bvp),
    ]


def figure(run, figure):
    axes = figure.subplots()
    x = np.linspace(-B, B, 200)
    for one, name in zip(found(B), ("minimum", "saddle"), strict=True):
        axes.plot(x, one.at(x)[0], label=f"extremal, {name}")
    axes.plot(run["x"][::3], run["y"][::3], "k.", label="particle in V = −½y² (Gauss)")
    axes.set(xlabel="x / radius", ylabel="y / radius", title="catenaries from ring to ring")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
