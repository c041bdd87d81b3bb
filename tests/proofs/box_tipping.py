"""The other claims of scenarios/box_tipping.py.

A homogeneous box (mass m = 40 kg, width b = 0.5 m, height H = 1.2 m, gravity g = 9.81 m/s²) stands on two corners and
is pushed with the horizontal force P at the height h. x, z are the place of its centre (m), theta its turn (rad,
against the clock); the coefficient of friction is μ.

* It rests while P ≤ μmg and Ph ≤ mgb/2. As P grows it slides first if μ < b/(2h), and tips first if μ > b/(2h).
* At rest the corners carry mg/2 ± Ph/b, but how they share the friction P is not determined.
* It slides upright while |P(2h − H) + μmgH| ≤ mgb: pushed high and hard it tips forwards, pushed low backwards. It
  tips about the standing corner, with the angular acceleration α = (Ph − mgb/2)/(I + m(b² + H²)/4), while
  |P − mαH/2| ≤ μm(g + αb/2), I the moment of inertia about the centre.
"""

from dataclasses import replace
from functools import cache

import numpy as np
from scipy.integrate import solve_ivp

import gauss as g
from gauss.contact import (
    contact_findings,
    contact_forces,
    contact_problem,
    required_coefficient,
    solve_contacts,
)
from proofs import yes
from scenarios.box_tipping import HEIGHT, INERTIA, MU, PUSH, TIPPING, B, G, H, M, start, system

WORDS = ("rests", "slides", "tips", "tips and slides")


@cache
def frozen():
    return contact_problem(system, start.q)


def problem(push, height=HEIGHT, mu=MU):
    """The box at rest, pushed with `push` (N) at `height` (m)."""
    force = np.array([push, -M * G, -push * (height - 0.5 * H)])
    rough = np.array([mu, mu])
    return replace(frozen(), f=force, static=rough, kinetic=rough)


def seen(push, height, mu):
    """What the box does, by the modes of its only acceleration."""
    found = solve_contacts(problem(push, height, mu))
    if found.verdict != "one":
        return found.verdict
    slides = any(mode.startswith("slip") for mode in found.solutions[0].modes)
    tips = "open" in found.solutions[0].modes
    return WORDS[2 * tips + slides]


def expected(push, height, mu):
    """The same by the docstring."""
    weight, share = M * G, 0.25 * M * (B**2 + H**2)
    if push <= mu * weight and push * height <= 0.5 * weight * B:
        return WORDS[0]
    if push > mu * weight and abs(push * (2 * height - H) + mu * weight * H) <= weight * B:
        return WORDS[1]
    turn = (push * height - 0.5 * weight * B) / (INERTIA + share)
    sticks = abs(push - 0.5 * M * turn * H) <= mu * M * (G + 0.5 * turn * B)
    return WORDS[2] if turn > 0.0 and sticks else WORDS[3]


COEFFICIENTS = np.linspace(0.05, 1.0, 20)
HEIGHTS = np.linspace(0.1, 1.2, 23)  # m
PUSHES = np.linspace(0.03, 1.2, 24) * M * G  # N


@cache
def maps():
    """What happens just above the least push that moves the box, over μ and h; and over P and h for μ = 0.3."""
    first = [[seen(1.0001 * least_push(h, mu), h, mu) for mu in COEFFICIENTS] for h in HEIGHTS]
    return np.array(first), np.array([[seen(push, h, MU) for push in PUSHES] for h in HEIGHTS])


def least_push(height, mu):
    return M * G * min(mu, 0.5 * B / height)


def wrong_on_the_maps():
    first, second = maps()
    wrong = sum(
        first[i, j] != (WORDS[1] if mu < 0.5 * B / h else WORDS[2])
        for i, h in enumerate(HEIGHTS)
        for j, mu in enumerate(COEFFICIENTS)
        if abs(mu * 2 * h / B - 1.0) > 1e-3  # on the boundary both begin
    )
    return wrong + sum(
        second[i, j] != expected(push, h, MU) for i, h in enumerate(HEIGHTS) for j, push in enumerate(PUSHES)
    )


def rest_error():
    """Worst distance of the ranges at rest from the closed form, relative to the weight."""
    worst, weight = 0.0, M * G
    for push, height, mu in ((100.0, 0.5, 0.3), (60.0, 1.1, 0.9), (0.0, 0.5, 0.5)):
        p = 0.5 * weight + np.array([-1.0, 1.0]) * push * height / B
        low = np.maximum(-mu * p, -push - mu * p[::-1])
        high = np.minimum(mu * p, -push + mu * p[::-1])
        found = contact_forces(problem(push, height, mu))
        off = np.abs(np.column_stack([found.normal - p[:, None], found.tangential - np.column_stack([low, high])]))
        worst = max(worst, float(np.max(off)) / weight)
    return worst


@cache
def motion(push, height, t_end):
    """The motion from rest."""
    model = system.with_parameters(P=push, h=height)
    return g.simulate(model, start.q, t_end=t_end, progress="none")


def turning(push, height, t_end):
    """The angle (rad) of a box that turns about its front corner, by an equation of its own."""

    def rate(t, y):
        c, s = np.cos(y[0]), np.sin(y[0])
        moment = push * (0.5 * H * c + 0.5 * B * s + height - 0.5 * H) - M * G * (0.5 * B * c - 0.5 * H * s)
        return [y[1], moment / (INERTIA + 0.25 * M * (B**2 + H**2))]

    return solve_ivp(rate, (0.0, t_end), [0.0, 0.0], rtol=1e-12, atol=1e-13).y[0, -1]


def motion_errors():
    """Distance slid and angle tipped at the end of two motions, relative to their closed form and equation."""
    slides, tips = motion(150.0, 0.5, 0.5), motion(*TIPPING)
    exact = 0.5 * (150.0 / M - MU * G) * 0.5**2
    return abs(slides.q[-1, 0] / exact - 1.0), abs(-tips.q[-1, 2] / turning(*TIPPING) - 1.0)


def claims(step):
    both = contact_forces(frozen(), groups={"both": ["rear corner", "front corner"]}).group("both")
    known = both.unique and np.allclose(both.force[:2, 0], [-PUSH, M * G], rtol=1e-12)
    light = contact_findings(problem(0.0))
    least = [required_coefficient(problem(push, 0.5)).value - push / (M * G) for push in (0.0, 50.0, 100.0, 190.0)]
    return [
        yes("the sum of both is determined: the weight and the push", known),
        g.Claim("the ranges are those of the closed form", rest_error(), 1e-9, "rounding of the linear programs"),
        yes("without a push rest needs no friction", light.evidence.startswith("it needs no friction")),
        g.Claim("the least coefficient is P/(mg)", float(np.max(np.abs(least))), 1e-12, "rounding"),
        yes(
            "beyond the tipping push no coefficient suffices", required_coefficient(problem(200.0, 0.5)).value == np.inf
        ),
        g.Claim("the box slides as ½(P/m − μg)t²", motion_errors()[0], 1e-9, "steps to 1e-10"),
        g.Claim("and tips as a body that turns about its corner", motion_errors()[1], 1e-8, "steps to 1e-10"),
        g.Claim(
            f"all {sum(map(np.size, maps()))} verdicts of both maps are those of the closed forms",
            wrong_on_the_maps(),
            0.0,
            "count",
        ),
    ]
