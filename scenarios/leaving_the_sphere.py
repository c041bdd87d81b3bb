"""A particle slides down a smooth sphere and leaves it: the contact force is never negative.

A particle of mass m = 0.5 kg rests on a fixed smooth sphere of radius R = 0.8 m, x² + y² + z² ≥ R² (coordinates in m,
gravity g = 9.81 m/s² along −z). At the top it gets the horizontal speed v₀ < √(gR). With the polar angle θ from the
top, energy gives v² = v₀² + 2gR(1 − cos θ), so the sphere presses with

    N = mg cos θ − mv²/R = mg(3 cos θ − 2) − mv₀²/R ≥ 0   (N; λ = N/2R, as the row of the gap is 2(x, y, z)),

and the particle leaves where N vanishes, at cos θ = 2/3 + v₀²/(3gR). From there it flies on a parabola.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

COVERS = ("C6",)
SOURCE = "C, equations (14)–(18); textbook problem"

SHARE, AZIMUTH = 0.3, 0.6  # start speed as a share of √(gR), direction of the start (rad)

system = g.System(
    "particle on top of a sphere",
    coordinates="x y z",
    kinetic_energy=lambda v, p: 0.5 * p.m * (v.x**2 + v.y**2 + v.z**2),
    potential_energy=lambda q, p: p.m * p.g * q.z,
    constraints=[g.Unilateral("sphere", lambda q, p: q.x**2 + q.y**2 + q.z**2 - p.R**2)],
    parameters={"m": 0.5, "g": 9.81, "R": 0.8},
    units={"x": "m", "y": "m", "z": "m", "sphere": "m²", "m": "kg", "g": "m/s²", "R": "m"},
)


M, G, R = (system.parameters[name] for name in "mgR")
V0 = SHARE * np.sqrt(G * R)  # m/s
start = g.Start(q=[0.0, 0.0, R], v=[V0 * np.cos(AZIMUTH), V0 * np.sin(AZIMUTH), 0.0], t_end=1.0, rtol=1e-12)
drawing = mb.Drawing(
    shapes={mb.GROUND: mb.shapes.Ball(R)}, traces=[lambda q: (q["x"], q["y"], q["z"])], view=(10.0, -60.0), speed=0.2
)


def pressing(z):
    """N (N) at the height z on the sphere."""
    return M * G * (3 * z / R - 2) - M * V0**2 / R


@g.needs(start.t_end)
def claims(run):
    (event,) = [event for event in run.events if event.kind == "release"]
    off = abs(run.at(event.t)["z"][0] / R - (2 / 3 + SHARE**2 / 3))
    on, force = run.active[:, 0], 2 * R * run["sphere"]
    reason = "closed form; the integrator keeps 1e-12 per step, and errors grow on the way down"
    return [
        g.Claim("the particle leaves at cos θ = 2/3 + v₀²/(3gR)", off, 1e-9, reason),
        g.Claim("the contact force follows N(θ)", g.relative(force[on], pressing(run["z"][on])), 1e-9, reason),
    ]


def figure(run, figure):
    axes = figure.subplots()
    dense = run.at(np.linspace(run.t[0], run.t[-1], 300))
    axes.plot(dense.t, 2 * R * dense["sphere"], label="Gauss")
    axes.plot(dense.t, np.maximum(pressing(dense["z"]), 0.0), "k:", label="mg(3 cos θ − 2) − mv₀²/R")
    axes.set(xlabel="t / s", ylabel="contact force / N", title="the sphere presses, until the particle leaves it")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
