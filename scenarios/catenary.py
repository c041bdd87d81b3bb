"""Catenary: the least surface of revolution between two rings, and a motion that follows the same curve.

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

COVERS = ("T6",)
SOURCE = "TM §3.5.3"

B = 0.6  # half the distance of the rings
FARTHEST = brentq(lambda u: u * np.tanh(u) - 1.0, 1.0, 1.5)  # b/c where both catenaries are one
WIDEST = FARTHEST / np.cosh(FARTHEST)


def necks(b):
    """The radii c (large, small) of the necks of both catenaries between rings at ±b."""
    middle = b / FARTHEST

    def missing(c):
        return c * np.cosh(b / c) - 1.0

    return brentq(missing, middle, 1.0, xtol=1e-15), brentq(missing, b / 50.0, middle, xtol=1e-15)


def area(b, c):
    """The area of the catenoid."""
    return np.pi * c * (2 * b + c * np.sinh(2 * b / c))


WIDE, NARROW = necks(B)
EQUAL = brentq(lambda b: area(b, necks(b)[0]) - 2 * np.pi, 0.4, 0.66)  # where two discs have the same area

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


def problem(b):
    """The area of revolution between rings at ±b as a variational problem."""
    return VariationalProblem(
        lambda q, v: 2 * g.pi * q.y * g.sqrt(1 + v.y**2), "y", start={"y": 1.0}, end={"y": 1.0}, span=(-b, b)
    )


@cache
def found(b):
    """All extremals found between rings at ±b, by rising area."""
    return extremals(problem(b))


def off_catenary(one, c):
    """Largest distance of an extremal from c cosh(x/c)."""
    return float(np.max(np.abs(one["y"] - c * np.cosh(one.t / c))))


def off_extremal(run, one):
    """Largest distance in y between a motion and an extremal at the same x."""
    y, _ = one.at(np.clip(run["x"], -B, B))
    return float(np.max(np.abs(run["y"] - y[:, 0])))


@g.needs(start.t_end)
def claims(run):
    wide, narrow = found(B)
    other = g.simulate(system, start.q, launch(NARROW), t_end=2 * B / NARROW, rtol=1e-12, progress="none")
    bvp = "ten times the tolerance 1e-9 of the collocation"
    motion = "the tolerance of the collocation; the integrator keeps 1e-12 per step"
    return [
        g.Claim("two extremals are found", float(abs(len(found(B)) - 2)), 0.0, "count; b < 0.6627"),
        g.Claim("they are the two catenaries", max(off_catenary(wide, WIDE), off_catenary(narrow, NARROW)), 1e-8, bvp),
        g.Claim(
            "their areas are πc(2b + c sinh(2b/c))",
            g.relative([wide.value, narrow.value], [area(B, WIDE), area(B, NARROW)]),
            1e-8,
            bvp,
        ),
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
        g.Claim("the particle follows the wide catenary", off_extremal(run, wide), 1e-8, motion),
        g.Claim("at a steeper angle it follows the narrow one", off_extremal(other, narrow), 1e-8, motion),
        g.Claim(
            "both arrive at the other ring after 2b/c",
            max(float(np.linalg.norm(x.q[-1] - [B, 1.0])) for x in (run, other)),
            1e-9,
            "closed form",
        ),
    ]


def figure(run, figure):
    left, right = figure.subplots(1, 2)
    for angle in np.radians(np.arange(-86, -3, 4)):
        fan = g.simulate(system, start.q, [np.cos(angle), np.sin(angle)], t_end=9.0, progress="none", max_step=0.1)
        seen = (fan["x"] < 0.9) & (fan["y"] < 1.35)
        left.plot(fan["x"][seen], fan["y"][seen], color="0.82", lw=0.7)
    wide, narrow = found(B)
    x = np.linspace(-B, B, 200)
    left.plot(x, wide.at(x)[0], color="C0", lw=2.2, label="extremal, minimum")
    left.plot(x, narrow.at(x)[0], color="C1", lw=2.2, label="extremal, saddle")
    moments = run.at(np.linspace(0, run.t[-1], 14)).q
    left.plot(*moments.T, "k.", ms=6, label="particle in V = −½y² (Gauss)")
    left.plot([-B, B], [1, 1], "ko", ms=7)
    left.plot([], [], color="0.82", label="the same, other angles")
    left.set(
        xlabel="x / radius", ylabel="y / radius", xlim=(-0.75, 0.9), ylim=(0, 1.3), title="catenaries from ring to ring"
    )
    left.legend(loc="upper left", bbox_to_anchor=(0.0, -0.13), ncols=2)
    b = np.linspace(0.05, WIDEST, 400)[:-1]
    c = np.array([necks(x) for x in b])
    right.plot(b, area(b, c[:, 0]), color="C0", label="wide catenoid")
    right.plot(b, area(b, c[:, 1]), color="C1", label="narrow catenoid")
    right.axhline(2 * np.pi, color="C2", ls="--", label="two discs (Goldschmidt)")
    for k, some in enumerate((0.2, 0.4, 0.99 * EQUAL, B, 0.999 * WIDEST)):
        label = "extremals found" if k == 0 else None
        right.plot([some] * len(found(some)), [one.value for one in found(some)], "k.", ms=7, label=label)
    right.axvline(WIDEST, color="0.6", lw=0.8, ls=":")
    right.text(WIDEST + 0.006, 1.2, "none beyond", rotation=90, color="0.4")
    right.set(xlabel="half distance b / radius", ylabel="area / radius²", xlim=(0, 0.75), ylim=(0, 8), title="areas")
    right.legend(loc="lower right", bbox_to_anchor=(0.86, 0.0))


if __name__ == "__main__":
    g.main(__file__)
