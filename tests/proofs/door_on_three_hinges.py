"""The other claims of scenarios/door_on_three_hinges.py.

A uniform door of mass m = 30 kg, w = 0.9 m wide and h = 2.1 m high, hangs on three hinges at the heights 0.2, 1.05
and 1.9 m; z points up, gravity g = 9.81 m/s². It is given by the points A (bottom of the hinge side), B (top of it)
and C (bottom of the free side), nine coordinates in m: every point of a plate is A(1 − ξ − η) + Bξ + Cη, so the mass
matrix is constant,

    m E[NNᵀ] ⊗ 1,   N = (1 − ξ − η, ξ, η),   ξ and η uniform in [0, 1].

Three rows keep the distances AB, BC and CA, and each hinge holds the point of AB at its height with three more:
twelve rows of rank eight. The distance AB and one of the hinges are given more than once. A hand pushes with F = 12 N
at C, always square to the door. From rest

    φ(t) = ½ α t²,   α = 3F/(m w),

which makes all reactions closed forms: with n along the door and e = (−n_y, n_x, 0) across it, the hinges together
exert

    R = m(−½w φ̇² n + ½w α e) + m g ẑ − F e.

How R is shared is not determined: each component of each hinge force may be anything, and so may the bar AB, which
the hinges hold anyway. The distances BC and CA are given once only; the rows of C demand

    λ_BC = −m g/4h,   λ_CA = m g/4h − m φ̇²/6.
"""

import numpy as np

import gauss as g
from scenarios.door_on_three_hinges import ALPHA, HEIGHT, MASS, PUSH, WIDTH, G, start, system

EPS = float(np.finfo(float).eps)

minimal = g.Minimal(
    lagrangian=lambda s, s_dot, t: MASS * WIDTH**2 / 6 * s_dot[0] ** 2 + PUSH * WIDTH * s[0],
    chart=lambda s, t: [0.0, 0.0, 0.0, 0.0, 0.0, HEIGHT, WIDTH * g.cos(s[0]), WIDTH * g.sin(s[0]), 0.0],
    inverse=lambda q, v, t: ([g.atan2(q[7], q[6])], [(q[6] * v[7] - q[7] * v[6]) / WIDTH**2]),
    text="the angle phi of the door",
)


def at_angle(phi, rate=0.0):
    """Position and velocity (9,) of the door at the angle φ."""
    q, v = np.zeros(9), np.zeros(9)
    q[5], q[6], q[7] = HEIGHT, WIDTH * np.cos(phi), WIDTH * np.sin(phi)
    v[6], v[7] = -q[7] * rate, q[6] * rate
    return q, v


def hinge_total(phi, rate):
    """The closed form of the total hinge force R (3,)."""
    n = np.array([np.cos(phi), np.sin(phi), 0.0])
    across = np.array([-n[1], n[0], 0.0])
    centre = MASS * WIDTH / 2 * (-(rate**2) * n + ALPHA * across)
    return centre + np.array([0.0, 0.0, MASS * G]) - PUSH * across


def hinge_forces(multipliers, rows):
    """Force (3, 3) of each hinge from the multipliers by row name."""
    return np.array([[multipliers[rows.index(f"hinge {k}[{c}]")] for c in range(3)] for k in (1, 2, 3)])


ANGLES = (0.0, 0.8, 2.1)  # rad, at which the reactions are examined


def hinge_error(choice):
    """Worst relative error of the total hinge force over some states; `choice` picks multipliers from the reactions."""
    worst = 0.0
    for phi in ANGLES:
        rate = np.sqrt(2 * ALPHA * phi)
        found = g.accelerate(system, *at_angle(phi, rate)).reactions
        total = hinge_forces(choice(found), found.rows).sum(axis=0)
        worst = max(worst, g.relative(total, hinge_total(phi, rate)))
    return worst


def bar_error():
    """Worst relative error of λ_BC and λ_CA over some states, infinite where others are determined or these are not."""
    worst = 0.0
    for phi in ANGLES:
        rate = np.sqrt(2 * ALPHA * phi)
        found = g.accelerate(system, *at_angle(phi, rate)).reactions
        if set(found.rows) - set(found.undetermined) != {"distance BC", "distance CA"}:
            return np.inf
        expected = MASS * G / (4 * HEIGHT) * np.array([-1.0, 1.0]) - np.array([0.0, MASS * rate**2 / 6])
        worst = max(worst, g.relative(found.multipliers[[1, 2]], expected))
    return worst


def claims(run):
    step = g.accelerate(system, start.q)
    phi = ALPHA * run.t**2 / 2
    exact = np.array([at_angle(p)[0] for p in phi])
    states = list(zip(run.q, run.v, strict=True))[:: max(1, len(run) // 10)]
    verdicts = {(c.verdict, c.regularity.rank) for c in (g.classify(system, q, v) for q, v in states)}
    return [
        g.Claim(
            "the verdict is redundant along the motion, with rank 8 of 12",
            float(verdicts != {("redundant", 8)} or len(step.regularity.rows) != 12),
            0.0,
            "yes or no, at 10 states",
        ),
        g.Claim(
            "all its points turn with it",
            float(np.max(np.abs(run.q - exact))) / WIDTH,
            1e-9,
            "closed form; errors of the steps, 1e-12 each, add up",
        ),
        g.Claim(
            "at the start the acceleration is αw across the door",
            g.relative(step.a, np.array([0, 0, 0, 0, 0, 0, 0, ALPHA * WIDTH, 0])),
            1e4 * EPS,
            "rounding",
        ),
        g.Claim(
            "only the bars BC and CA are determined, and carry −mg/4h and mg/4h − mφ̇²/6",
            bar_error(),
            1e-11,
            "rounding, at three angles",
        ),
        g.Claim(
            "the total of the hinges is R, at three angles up to 2.1 rad",
            hinge_error(lambda reactions: reactions.multipliers),
            1e-11,
            "rounding",
        ),
    ]
