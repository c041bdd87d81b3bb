"""The other claims of scenarios/cusp.py.

A particle of mass 1 kg (coordinates x, y in m) is bound to the curve y² = x³ under gravity g = 9.81 m/s² along −x,
into the cusp. The row (−3x², 2y) vanishes at the cusp; its derivatives there are φ_yy = 2 and φ_xxx = −6 only.

* At rest order 4 demands ÿ² = 0, and no order up to the fourth binds ẍ; but the rank is 1 at all other points:
  the branch of the curve decides. (Order 6 does: it ties the square of y‴ to ẍ³, so that ẍ ≥ 0.) Under gravity the
  particle stays: *locked*.
* With v = (w, 0), order 3 demands −6w³ = 0: *no smooth continuation*, whichever way it moves.
* Any velocity with ẏ ≠ 0 violates order 2: *not admissible*.

Near the cusp every point is regular. In the arc length the particle is free but for gravity, so falling along the
curve from x₀ it reaches the cusp with the speed √(2g x₀) after the time

    T = ∫₀^{x₀} √(1 + 9x/4)/√(2g(x₀ − x)) dx,

and its acceleration v²κ, with the curvature κ = (3/4)/(√x (1 + 9x/4)^{3/2}), grows beyond all bounds there: the
tangent turns back. The motion ends at the cusp.
"""

import numpy as np

import gauss as g
from scenarios.cusp import G, fall_time, falling, start, system


def on_curve(x, rate, side=1.0):
    """Position and velocity at x > 0 with the given ẋ."""
    return np.array([x, side * x**1.5]), rate * np.array([1.0, side * 1.5 * np.sqrt(x)])


def acceleration(x, rate, side=1.0):
    """By the curve: along the tangent −g cos, across it v²κ towards the side to which it bends."""
    slope = 1.5 * np.sqrt(x)
    tangent = np.array([1.0, side * slope]) / np.hypot(1.0, slope)
    normal = np.array([-side * slope, 1.0]) / np.hypot(1.0, slope) * side
    curvature = 0.75 / np.sqrt(x) / (1 + 2.25 * x) ** 1.5
    return (-G * tangent[0]) * tangent + (rate**2 * (1 + slope**2)) * curvature * normal


def near_error():
    """Worst relative error at regular points down to 1 µm from the cusp, on both sides."""
    worst = 0.0
    for x in (1.0, 1e-2, 1e-4, 1e-6):
        for side in (1.0, -1.0):
            for rate in (0.0, -2.0):
                step = g.accelerate(system, *on_curve(x, rate, side))
                error = g.relative(step.a, acceleration(x, rate, side))
                worst = max(worst, error if step.regular else np.inf)
    return worst


def claims(step):
    rest = step
    aside = g.classify(system, start.q, [0.5, 0.5])
    end = fall_time(0.05)
    run = falling(end)
    try:
        g.accelerate(system, start.q, [-1.0, 0.0])
        refused = False
    except g.errors.ContradictoryRowsError:
        refused = True
    return [
        g.Claim(
            "and the particle stays, as order 6 demands ẍ ≥ 0",
            float(np.max(np.abs(rest.candidates[0].a))),
            1e-12,
            "rounding",
        ),
        g.Claim("asked for the acceleration there, the program refuses", float(not refused)),
        g.Claim("any other velocity is not admissible", float(aside.verdicts != ("velocity not admissible",))),
        g.Claim(
            "near the cusp, down to x = 1 µm, the acceleration is that of the curve",
            near_error(),
            1e-9,
            "rounding over the length of the row, 3e-3 relative to its change there",
        ),
        g.Claim(
            "falling from 0.5 m it is at x = 0.05 m when the closed form says",
            abs(float(run["x"][-1]) - 0.05),
            1e-8,
            "quadrature; errors of the steps, 1e-11 each, add up",
        ),
    ]
