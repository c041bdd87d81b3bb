"""Box pushed on a rough floor: it rests, slides, tips, or tips and slides, and what its corners carry.

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
    contact_forces,
    friction_findings,
    friction_problem,
    required_coefficient,
    solve_friction,
)

COVERS = ("C8",)
SOURCE = "C, p. 267, after A. Przeborski; tipping or sliding is a textbook example"

M, B, H, G = 40.0, 0.5, 1.2, 9.81  # kg, m, m, m/s²
INERTIA = M * (B**2 + H**2) / 12  # kg m²
TIPPING = (100.0, 1.1, 0.9)  # push in N, its height in m, end time in s
MU, HEIGHT, PUSH = 0.3, 0.5, 100.0  # coefficient, m, N
WORDS = ("rests", "slides", "tips", "tips and slides")


def _corner(side, q):
    return side * 0.5 * B * g.sin(q.theta) - 0.5 * H * g.cos(q.theta)


system = g.System(
    "box",
    coordinates="x z theta",
    parameters={"P": PUSH, "h": HEIGHT},
    kinetic_energy=lambda v: 0.5 * M * (v.x**2 + v.z**2) + 0.5 * INERTIA * v.theta**2,
    potential_energy=lambda q: M * G * q.z,
    force=lambda p: {"x": p.P, "theta": -p.P * (p.h - 0.5 * H)},
    constraints=[
        g.Unilateral(
            f"{name} corner",
            lambda q, side=side: q.z + _corner(side, q),
            friction=g.Coulomb(MU, lambda q, v, side=side: v.x - _corner(side, q) * v.theta),
        )
        for name, side in (("rear", -1), ("front", 1))
    ],
)
start = g.Start(q=[0.0, 0.5 * H, 0.0])


@cache
def frozen():
    return friction_problem(system, start.q)


def problem(push, height=HEIGHT, mu=MU):
    """The box at rest, pushed with `push` (N) at `height` (m)."""
    force = np.array([push, -M * G, -push * (height - 0.5 * H)])
    rough = np.array([mu, mu])
    return replace(frozen(), f=force, static=rough, kinetic=rough)


def seen(push, height, mu):
    """What the box does, by the modes of its only acceleration."""
    found = solve_friction(problem(push, height, mu))
    if found.verdict != "one":
        return found.verdict
    slides = any(mode.startswith("slip") for mode in found.solutions[0].modes)
    tips = "separate" in found.solutions[0].modes
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


def yes(text, truth):
    return g.Claim(text, float(not truth), 0.0, "yes or no")


def claims(step):
    rest, light = friction_findings(problem(PUSH)), friction_findings(problem(0.0))
    least = [required_coefficient(problem(push, 0.5)).value - push / (M * G) for push in (0.0, 50.0, 100.0, 190.0)]
    both = contact_forces(problem(PUSH), groups={"both": ["rear corner", "front corner"]})
    total, smooth = both.group("both"), g.accelerate(system.frictionless(), start.q)
    return [
        yes("without friction the push moves the box", abs(smooth.a[0] - PUSH / M) < 1e-9),
        yes(
            "with it the box rests, its normal forces determined, its friction forces not",
            rest.verdict == "one" and rest.complete and rest.forces[0].freedom == 1,
        ),
        yes(
            "the sum of both is determined: the weight and the push",
            total.unique and np.allclose(total.force[:2, 0], [-PUSH, M * G], rtol=1e-12),
        ),
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


def figure(step, figure):
    from matplotlib.colors import BoundaryNorm, ListedColormap
    from matplotlib.patches import Patch

    figure.set_size_inches(13.0, 4.6)
    left, right, third = figure.subplots(1, 3, width_ratios=(1, 1, 0.8))
    draw_tipping(third)
    colors = ListedColormap(["#f2f2f2", "#9fc3e6", "#f3b98b", "#c58fc0"])
    norm = BoundaryNorm([-0.5, 0.5, 1.5, 2.5, 3.5], 4)
    codes = [np.vectorize(WORDS.index)(found) for found in maps()]
    fine = np.linspace(0.02, 1.3, 400)
    left.pcolormesh(COEFFICIENTS, HEIGHTS / B, codes[0], cmap=colors, norm=norm)
    left.plot(0.5 * B / fine, fine / B, color="k", lw=1.4)
    left.annotate("μ = b/(2h)", (0.5 * B / 0.4, 0.4 / B), (0.72, 0.42), arrowprops={"arrowstyle": "-"})
    left.set(xlabel="μ", ylabel="h/b", title="what begins as the push grows", xlim=(0.03, 1.02), ylim=(0.15, 2.45))
    right.pcolormesh(PUSHES / (M * G), HEIGHTS / B, codes[1], cmap=colors, norm=norm)
    edges = {
        "P = μmg": (np.full_like(fine, MU), fine <= 0.5 * B / MU),
        "Ph = mgb/2": (0.5 * B / fine, fine >= 0.5 * B / MU),
        "P(2h − H) = mg(b − μH)": ((B - MU * H) / np.maximum(2 * fine - H, 1e-9), fine > 0.5 * H + 0.02),
        "P(H − 2h) = mg(b + μH)": ((B + MU * H) / np.maximum(H - 2 * fine, 1e-9), fine < 0.5 * H - 0.02),
    }
    for dashes, (label, (push, where)) in zip(("-", "--", ":", "-."), edges.items(), strict=True):
        where = where & (push >= (MU - 1e-9 if "H" in label else 0.0))
        right.plot(push[where], fine[where] / B, color="k", lw=1.4, ls=dashes, label=label)
    right.set(xlabel="P/(mg)", ylabel="h/b", title=f"what it does, μ = {MU:g}", xlim=(0.01, 1.22), ylim=(0.15, 2.45))
    handles = [Patch(facecolor=colors(k), edgecolor="0.4", label=word) for k, word in enumerate(WORDS)]
    handles += right.get_lines()
    figure.legend(
        handles=handles, loc="outside lower center", ncols=8, columnspacing=1.0, handlelength=1.6, fontsize=8.5
    )


def draw_tipping(axes):
    """The box at five times of a motion."""
    run = motion(*TIPPING).at([0.0, 0.5, 0.7, 0.8, 0.9])
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]]) * [0.5 * B, 0.5 * H]
    for k, (x, z, theta) in enumerate(run.q):
        c, s = np.cos(theta), np.sin(theta)
        place = corners @ np.array([[c, s], [-s, c]]) + [x, z]
        axes.plot(*place.T, color="C1", alpha=0.3 + 0.15 * k, lw=1.3)
    axes.axhline(0.0, color="0.3", lw=1.5)
    push, height, end = TIPPING
    axes.annotate("", (-0.25, height), (-0.55, height), arrowprops={"arrowstyle": "-|>", "color": "k", "lw": 1.6})
    axes.text(-0.6, height + 0.05, f"{push:g} N")
    axes.set(aspect="equal", xlabel="x / m", ylabel="z / m", title=f"tipping, t = 0 … {end:g} s", xlim=(-0.7, 1.1))
    axes.set_xticks([-0.5, 0.0, 0.5, 1.0])


if __name__ == "__main__":
    g.main(__file__)
