"""Cusp y² = x³: at rest the particle stays in it, into it no motion passes smoothly.

A particle of mass 1 kg (coordinates x, y in m) is bound to the curve y² = x³ under gravity g = 9.81 m/s² along −x, into
the cusp. The row (−3x², 2y) vanishes there. At rest order 6 demands ẍ ≥ 0, and under gravity the particle stays:
*locked*. With the velocity (w, 0) order 3 demands −6w³ = 0: *no smooth continuation*, whichever way it moves. Falling
along the curve from x₀ it reaches the cusp after T = ∫₀^{x₀} √(1 + 9x/4)/√(2g(x₀ − x)) dx. Its acceleration grows
beyond all bounds there, the tangent turns back, and the motion ends.
"""

import warnings

import numpy as np
from scipy.integrate import quad

import gauss as g

SOURCE = "textbook singularity: the semicubical parabola of W. Neile"

G, HEIGHT = 9.81, 0.5  # m/s², m: x₀

system = g.System(
    "particle on a cusp",
    coordinates="x y",
    kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
    potential_energy=lambda q: G * q.x,
    constraints=[g.Holonomic("cusp", lambda q: q.y**2 - q.x**3)],
)
start = g.Start(q=[0.0, 0.0])


def fall_time(x):
    """Time (s) from rest at x₀ down to x, with the substitution x₀ − x = u² that takes the root away."""
    return quad(lambda u: 2 * np.sqrt(1 + 2.25 * (HEIGHT - u**2)) / np.sqrt(2 * G), 0, np.sqrt(HEIGHT - x))[0]


def falling(t_end):
    """The fall from rest at x₀."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", g.errors.MotionWarning)  # that it ends early is what is claimed
        return g.simulate(system, [HEIGHT, HEIGHT**1.5], t_end=t_end, rtol=1e-11, progress="none")


def claims(step):
    ended = {g.classify(system, start.q, [w, 0.0]).verdicts for w in (1.0, -1.0, 1e-3)} == {("no smooth continuation",)}
    last = falling(2 * fall_time(0.0))
    return [
        g.Claim("at rest at the cusp the verdict is locked", step.verdicts != ("locked",)),
        g.Claim("with a velocity along x, either way, there is no smooth continuation", not ended),
        g.Claim(
            "and there its motion ends, at the time T",
            abs(last.t[-1] - fall_time(0.0)) if not last.ending.complete else np.inf,
            1e-8,
            "quadrature; errors of the steps, 1e-11 each, add up",
        ),
    ]


def figure(step, figure):
    axes = figure.subplots()
    x = np.linspace(0, 0.62, 300)
    axes.plot(np.concatenate([x[::-1], x]), np.concatenate([-(x[::-1] ** 1.5), x**1.5]), lw=2)
    run = falling(fall_time(0.05))
    part = run.at(np.linspace(0, run.t[-1], 15))
    axes.plot(part["x"], part["y"], "ko", ms=5)
    axes.quiver(part["x"], part["y"], *part.a.T, color="C3", angles="xy", width=0.004, scale=110)
    axes.set(xlabel="x / m", ylabel="y / m", title="falling into the cusp, with the acceleration", ylim=(-0.45, 0.5))


if __name__ == "__main__":
    g.main(__file__)
