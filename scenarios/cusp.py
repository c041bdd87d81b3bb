"""Cusp y² = x³: at rest the particle stays in it, into it no motion passes smoothly.

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

import warnings

import numpy as np
from scipy.integrate import quad

import gauss as g

SOURCE = "textbook singularity: the semicubical parabola of W. Neile"

G, HEIGHT = 9.81, 0.5  # m/s², m: x₀
EPS = float(np.finfo(float).eps)

system = g.System(
    "particle on a cusp",
    coordinates="x y",
    kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
    potential_energy=lambda q: G * q.x,
    constraints=[g.Holonomic("cusp", lambda q: q.y**2 - q.x**3)],
)
start = g.Start(q=[0.0, 0.0])


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


def fall_time(x):
    """Time (s) from rest at x₀ down to x, with the substitution x₀ − x = u² that takes the root away."""
    return quad(lambda u: 2 * np.sqrt(1 + 2.25 * (HEIGHT - u**2)) / np.sqrt(2 * G), 0, np.sqrt(HEIGHT - x))[0]


def falling(t_end):
    place, _ = on_curve(HEIGHT, 0.0)
    return g.simulate(system, place, t_end=t_end, rtol=1e-11, progress="none")


def claims(step):
    rest = step
    towards = {w: g.classify(system, start.q, [w, 0.0]) for w in (1.0, -1.0, 1e-3)}
    aside = g.classify(system, start.q, [0.5, 0.5])
    end = fall_time(0.05)
    run = falling(end)
    try:
        g.accelerate(system, start.q, [-1.0, 0.0])
        refused = False
    except g.ContradictoryRowsError:
        refused = True
    place, _ = on_curve(HEIGHT, 0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", g.MotionWarning)  # that it ends early is what is claimed
        last = g.simulate(system, place, t_end=2 * fall_time(0.0), rtol=1e-11, progress="none")
    return [
        g.Claim(
            "at rest at the cusp the verdict is locked",
            float(rest.verdicts != ("locked",)),
            0.0,
            "yes or no",
        ),
        g.Claim(
            "and the particle stays, as order 6 demands ẍ ≥ 0",
            float(np.max(np.abs(rest.candidates[0].a))),
            1e-12,
            "rounding",
        ),
        g.Claim(
            "with a velocity along x, either way, there is no smooth continuation",
            float(any(found.verdicts != ("no smooth continuation",) for found in towards.values())),
            0.0,
            "yes or no",
        ),
        g.Claim("asked for the acceleration there, the program refuses", float(not refused), 0.0, "yes or no"),
        g.Claim(
            "any other velocity is not admissible",
            float(aside.verdicts != ("velocity not admissible",)),
            0.0,
            "yes or no",
        ),
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
        g.Claim(
            "and there its motion ends, at the time T",
            abs(float(last.t[-1]) - fall_time(0.0)) if not last.ending.complete else np.inf,
            1e-8,
            "quadrature; errors of the steps, 1e-11 each, add up",
        ),
    ]


def figure(step, figure):
    left, right = figure.subplots(1, 2, width_ratios=[1.1, 1.0])
    x = np.linspace(0, 0.62, 300)
    for side in (1, -1):
        left.plot(x, side * x**1.5, color="C0", lw=2)
    run = falling(fall_time(0.05))
    times = np.linspace(0, run.t[-1], 15)
    part = run.at(times)
    left.plot(part["x"], part["y"], "o", color="k", ms=5)
    left.quiver(part["x"], part["y"], part.a[:, 0], part.a[:, 1], color="C3", angles="xy", width=0.004, scale=110)
    left.plot([0], [0], "o", color="C1", ms=10, zorder=5)
    left.annotate(
        "locked at rest,\nno smooth continuation at speed",
        (0.0, 0.0),
        (0.03, -0.3),
        color="C1",
        arrowprops={"arrowstyle": "->", "color": "C1"},
    )
    left.set(xlabel="x / m", ylabel="y / m", title="falling into the cusp, with the acceleration", xlim=(-0.06, 0.62))
    left.set(ylim=(-0.45, 0.5))
    places = np.logspace(-6, 0, 40)
    for rate, color, text in ((-2.0, "C3", "ẋ = −2 m/s"), (0.0, "C0", "at rest")):
        sizes = [float(np.linalg.norm(g.accelerate(system, *on_curve(p, rate)).a)) for p in places]
        exact = [float(np.linalg.norm(acceleration(p, rate))) for p in places]
        right.plot(places, exact, color=color, lw=1.2, label=f"{text}: curve")
        right.plot(places[::3], sizes[::3], "o", color=color, ms=4, label=f"{text}: Gauss")
    right.set(xscale="log", yscale="log", xlabel="x / m", ylabel="|a| / m/s²", title="v²κ grows beyond all bounds")
    right.legend(fontsize=8)


if __name__ == "__main__":
    g.main(__file__)
