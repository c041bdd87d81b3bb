"""The other claims of scenarios/brockett_integrator.py.

The control system ẋ₁ = u₁, ẋ₂ = u₂, ẋ₃ = x₁u₂ − x₂u₁ is to go from the origin to a given point in the time 1 with the
least ∫(u₁² + u₂²) dt. That is the vakonomic problem with L = ẋ₁² + ẋ₂² and the row G = ẋ₃ − x₁ẋ₂ + x₂ẋ₁ = 0, imposed
before varying. With the same L and the same row Gauss's principle gives the motion of a mechanical system. Quantities
have no units. Known answers:

* vakonomic: λ is constant, ü + λ²u = 0, so the controls are sinusoidal and the path in the plane is a circle of radius
  C/λ, C² = u₁² + u₂²; x₃ = (C/λ)²(λt − sin λt). A point at the distance r from the x₃ axis and the height h is reached
  where r²/h = 4 sin²(λ/2)/(λ − sin λ), with the energy C² = hλ²/(λ − sin λ);
* back on the axis (r = 0) λ = 2kπ for a positive or negative whole number k, of the sign of h, with the energy 2kπh:
  least for |k| = 1. Rotations about the axis give a family of extremals, so that the second variation has a zero;
  paths with more turns are saddles;
* Gauss, from the same state (u₁, u₂) = (C, 0) at the origin: x₁ = Ct, x₂ = x₃ = 0, a straight line, whose row needs no
  reaction. To make Gauss's motion follow the vakonomic one takes a force that d'Alembert's principle does not know, the
  gyroscopic 2λ(−ẋ₂, ẋ₁, 0), and λ, which no mechanical state determines. That motion is the run of this scenario.
"""

from functools import cache

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import gauss as g
from gauss.formulations import vakonomic
from gauss.variational import VariationalProblem, extremal
from scenarios.brockett_integrator import LAMBDA, C, energy, path, row, start, straight

HEIGHT, RADIUS = 0.5, 0.2  # of the points that are reached: on the axis, and beside it


def followed(lam, speed):
    """The vakonomic motion from the origin, by its equations (`gauss.formulations.vakonomic`), dense in t."""

    def L(q, v, t):
        return v[0] ** 2 + v[1] ** 2

    def psi(q, v, t):
        return np.array([v[2] - q[0] * v[1] + q[1] * v[0]])

    def rates(t, w):
        a, mu_dot = vakonomic(L, psi, w[:3], w[3:6], w[6:], t)
        return [*w[3:6], *a, *mu_dot]

    w = [0.0, 0.0, 0.0, speed, 0.0, 0.0, lam]
    return solve_ivp(rates, (0.0, 1.0), w, "DOP853", rtol=1e-10, atol=1e-12, dense_output=True)


@cache
def least(radius, turns):
    """The extremal to the given distance from the axis at HEIGHT, round it about `turns` times or less than once."""
    problem = VariationalProblem(
        energy,
        "x_1 x_2 x_3",
        start={"x_1": 0.0, "x_2": 0.0, "x_3": 0.0},
        end={"x_1": radius, "x_2": 0.0, "x_3": HEIGHT},
        rows=[row],
    )
    if turns == 0:
        return extremal(problem)
    size = np.sqrt(HEIGHT / (2 * np.pi * turns))

    def guess(t):
        angle = 2 * np.pi * turns * t
        return [size * np.sin(angle) + radius * t, size * (1 - np.cos(angle)), HEIGHT * t]

    return extremal(problem, guess)


def multiplier(low, high):
    """The root of r²/h = 4 sin²(λ/2)/(λ − sin λ) between two bounds."""
    return brentq(
        lambda x: RADIUS**2 * (x - np.sin(x)) - 4 * HEIGHT * np.sin(x / 2) ** 2, low, high, xtol=1e-14, rtol=1e-15
    )


def motions(run):
    """The claims about the motions."""
    alone, t = straight(), np.linspace(0.0, 1.0, 101)
    vakonomic_path = followed(LAMBDA, C).sol(t)[:3].T
    distance = np.linalg.norm(alone.at(t).q - vakonomic_path, axis=1)
    expected = np.linalg.norm(path(t) - np.outer(C * t, [1.0, 0.0, 0.0]), axis=1)
    witness = "closed form; SciPy keeps 1e-10 per step, over about fifty steps"
    return [
        g.Claim("and needs no reaction", float(np.max(np.abs(alone["Brockett"]))), 1e-12, "closed form, rounding"),
        g.Claim(
            "the vakonomic equations lead from the same state along the closed form",
            float(np.max(np.abs(vakonomic_path - path(t)))),
            1e-8,
            witness,
        ),
        g.Claim("both motions part as the closed forms do", g.relative(distance, expected), 1e-8, witness),
    ]


@g.needs(start.t_end)
def claims(run):
    once, twice = least(0.0, 1), least(0.0, 2)
    aside = [least(RADIUS, 0), least(RADIUS, 1)]  # less than one turn, and a little more
    roots = [multiplier(np.pi, 2 * np.pi), multiplier(2 * np.pi, 2.5 * np.pi)]
    energies = [HEIGHT * x**2 / (x - np.sin(x)) for x in roots]
    bvp = "ten times the tolerance 1e-9 of the collocation"
    away = float(np.linalg.norm(run.q[-1] - [0.0, 0.0, HEIGHT]))
    reason = "closed form; the integrator keeps 1e-12 per step"
    return [
        g.Claim("with λ = 2π it is back on the axis at t = 1, at the height h", away, 1e-9, reason),
        *motions(run),
        g.Claim(
            "to the axis the extremals have λ = 2kπ, k = 1, 2",
            max(
                g.relative(one["Brockett"], np.full(len(one.t), 2 * k * np.pi))
                for k, one in enumerate((once, twice), start=1)
            ),
            1e-8,
            bvp,
        ),
        g.Claim(
            "with the energy 2kπh",
            g.relative([once.value, twice.value], [2 * np.pi * HEIGHT, 4 * np.pi * HEIGHT]),
            1e-8,
            bvp,
        ),
        g.Claim(
            "one turn: no negative eigenvalue, and the zero of the rotations; two turns: a saddle",
            float(once.second.negative + abs(once.second.vanishing - 1) + (twice.kind != "saddle")),
            0.0,
            "count of eigenvalues of the second variation",
        ),
        g.Claim(
            "beside the axis λ solves r²/h = 4 sin²(λ/2)/(λ − sin λ), on two branches",
            max(g.relative(one["Brockett"], np.full(len(one.t), x)) for one, x in zip(aside, roots, strict=True)),
            1e-8,
            bvp,
        ),
        g.Claim("with the energy hλ²/(λ − sin λ)", g.relative([one.value for one in aside], energies), 1e-8, bvp),
        g.Claim(
            "the shorter turn is a minimum, the longer one a saddle",
            float((aside[0].kind != "minimum") + (aside[1].kind != "saddle")),
            0.0,
            "count of eigenvalues of the second variation",
        ),
    ]
