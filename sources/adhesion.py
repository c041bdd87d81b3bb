"""Printed statements of TM §9: the adhesion forces (9.3) of an upright disc, a skate and a ball."""

import numpy as np

import gauss as g
from gauss.sources import Equation, Printed

page = g.scenario.module("adhesion")
system, start = page.system, page.start


def downhill(height, p, q):
    """The potential energy of a mass m at the height above the slope and the place q.x down it."""
    return p.m * (page.PRESS * height - page.DIP * q.x)


def skate_rows(q, p):
    return [[0, 0, 1, 0], [-g.sin(q.phi), g.cos(q.phi), 0, 0]]


SKATE = g.System(
    "skate on a slope",
    coordinates="x y z phi",
    kinetic_energy=lambda v, p: 0.5 * p.m * (v.x**2 + v.y**2 + v.z**2) + 0.5 * p.I * v.phi**2,
    potential_energy=lambda q, p: downhill(q.z, p, q),
    constraints=[g.Holonomic("ground", lambda q: q.z), g.Pfaffian("edge", lambda q, p: skate_rows(q, p)[1])],
    parameters={"m": 70.0, "I": 1.5},
)


BALL_AT = 1.2, 0.9  # rad: beta and gamma at the start


def ball_rows(q, p):
    """A of the ball in the coordinates of TM §9.1.3: ground, point of contact, spin about the normal."""
    sin_b, cos_b, sin_c, cos_c = g.sin(q.beta), g.cos(q.beta), g.sin(q.gamma), g.cos(q.gamma)
    return [
        [0, 0, 1, 0, 0, 0],
        [1, 0, 0, -p.r * sin_b * sin_c, -p.r * cos_c, 0],
        [0, 1, 0, p.r * sin_b * cos_c, -p.r * sin_c, 0],
        [0, 0, 0, cos_b, 0, 1],
    ]


def ball_energy(q, v, p):
    spin = v.alpha**2 + v.beta**2 + v.gamma**2 + 2 * v.alpha * v.gamma * g.cos(q.beta)
    return 0.5 * p.m * (v.x**2 + v.y**2 + v.z**2) + 0.2 * p.m * p.r**2 * spin


BALL = g.System(
    "ball on a slope",
    coordinates="x y z alpha beta gamma",
    kinetic_energy=ball_energy,
    potential_energy=lambda q, p: downhill(q.z, p, q),
    constraints=[
        g.Holonomic("ground", lambda q, p: q.z - p.r),
        g.Pfaffian("rolling", lambda q, p: ball_rows(q, p)[1:]),
    ],
    parameters={"m": 2.0, "r": 0.3},
)


def thrown(r):
    """A state (q, v) of a ball thrown across the slope, q̇ = G(q) η."""
    eta, (beta, gamma) = (-2.0, 1.0), BALL_AT
    x = r * (eta[0] * np.sin(beta) * np.sin(gamma) + eta[1] * np.cos(gamma))
    y = r * (-eta[0] * np.sin(beta) * np.cos(gamma) + eta[1] * np.sin(gamma))
    return [0, 0, r, 0, beta, gamma], [x, y, 0, *eta, -eta[0] * np.cos(beta)]


def dot(x, y):
    return sum(a * b for a, b in zip(x, y, strict=True))


def solved(S, b):
    """The solution of S x = b for formulas, S symmetric and positive definite, by Gauss's elimination."""
    if not S:
        return []
    (pivot, *row), below = S[0], S[1:]
    rest = [[x - line[0] / pivot * y for x, y in zip(line[1:], row, strict=True)] for line in below]
    x = solved(rest, [c - line[0] / pivot * b[0] for line, c in zip(below, b[1:], strict=True)])
    return [(b[0] - dot(row, x)) / pivot, *x]


def stated(name, model, place, rows, inertial):
    """The statement F = Aᵀλ = Aᵀ(AAᵀ)⁻¹A(Qq̈ + P) for one system, at a place (q, v)."""

    def left(q, l, p):
        A = rows(q, p)
        return [dot(column, [l[k] for k in range(len(A))]) for column in zip(*A, strict=True)]

    def right(q, v, a, p):
        A, forces = rows(q, p), inertial(q, v, a, p)
        weights = solved([[dot(x, y) for y in A] for x in A], [dot(row, forces) for row in A])
        return [dot(column, weights) for column in zip(*A, strict=True)]

    text = "F = Aᵀλ = Aᵀ(AAᵀ)⁻¹A(Qq̈ + P)"
    remark = "N, without which λ does not decide, is in it only with the row of the ground in A"
    equation = Equation(f"adhesion forces: {name}", left=left, right=right, number="(9.3)", text=text, remark=remark)
    return Printed(f"TM §9, {name}", [equation], system=model, q=place[0], v=place[1], t_end=0.8)


def carried(a, p):
    """Qq̈ + P of a mass on the slope."""
    return [p.m * (a.x - page.DIP), p.m * a.y, p.m * (a.z + page.PRESS)]


def disc_inertial(q, v, a, p):
    turning = p.m * p.r**2 / 4
    return [*carried(a, p), turning * a.alpha, 2 * turning * a.beta]


def skate_inertial(q, v, a, p):
    return [*carried(a, p), p.I * a.phi]


def ball_inertial(q, v, a, p):
    sin, cos, inertia = g.sin(q.beta), g.cos(q.beta), 2 * p.m * p.r**2 / 5
    return [
        *carried(a, p),
        inertia * (a.alpha + a.gamma * cos - v.beta * v.gamma * sin),
        inertia * (a.beta + v.alpha * v.gamma * sin),
        inertia * (a.gamma + a.alpha * cos - v.alpha * v.beta * sin),
    ]


equations = [
    stated("upright disc", system, (start.q, start.v), page.disc_rows, disc_inertial),
    stated("skate", SKATE, ([0, 0, 0, 0.3], [0, 0, 0, 1.0]), skate_rows, skate_inertial),
    stated("ball", BALL, thrown(BALL.parameters["r"]), ball_rows, ball_inertial),
]
