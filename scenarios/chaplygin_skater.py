"""Chaplygin's skater on a slope: who spins does not slide down.

A skater of mass 1 kg and moment of inertia 1 kg m² stands on a slope whose potential energy is V = −x (x down the
slope, m; y along it, m; phi the direction of the skate, rad). The skate does not slip sideways:
sin(phi) ẋ − cos(phi) ẏ = 0. Started with zero speed and angular velocity ω, the skater follows the cycloid

    x = (1 − cos 2ωt)/4ω²,   y = (2ωt − sin 2ωt)/4ω²,   phi = ωt,

so on average it moves along the slope, never down it. The reaction across the skate is λ = −2 sin(phi).
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

COVERS = ("T18",)
SOURCE = "TM §9.1.1"

OMEGA = 2.0  # rad/s

system = g.System(
    "Chaplygin skater on a slope",
    coordinates="x y phi",
    kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.phi**2),
    potential_energy=lambda q: -q.x,
    constraints=[g.Pfaffian("no side slip", lambda q: [g.sin(q.phi), -g.cos(q.phi), 0.0])],
    units={"x": "m", "y": "m", "phi": "rad", "no side slip": "m/s"},
)
start = g.Start(q=[0.0, 0.0, 0.0], v=[0.0, 0.0, OMEGA], t_end=10.0, step=0.01)
drawing = mb.Drawing(  # seen from above the slope
    placed=[(mb.shapes.Polyline([(-0.15, 0), (0.15, 0)]), lambda q: mb.shapes.at_angle((q["x"], q["y"]), q["phi"]))],
    traces=[lambda q: (q["x"], q["y"])],
)


def cycloid(t):
    """The closed-form path (x, y)."""
    return (1 - np.cos(2 * OMEGA * t)) / (4 * OMEGA**2), (2 * OMEGA * t - np.sin(2 * OMEGA * t)) / (4 * OMEGA**2)


def claims(run):
    off = max(g.relative(run[name], path) for name, path in zip("xy", cycloid(run.t), strict=True))
    reaction = g.relative(run["no side slip"], -2 * np.sin(OMEGA * run.t))
    return [
        g.Claim("x and y follow the cycloid", off, 1e-9, "closed form"),
        g.Claim("reaction across the skate is −2 sin(phi)", reaction, 1e-9, "closed form, from the equation of motion"),
    ]


def figure(run, figure):
    axes = figure.subplots()
    t = np.linspace(run.t[0], run.t[-1], 600)
    dense, (x, y) = run.at(t), cycloid(t)
    axes.plot(dense["y"], dense["x"], label="Gauss")
    axes.plot(y[::15], x[::15], ".", label="cycloid")
    axes.invert_yaxis()
    axes.set(xlabel="y along the slope / m", ylabel="x down the slope / m")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
