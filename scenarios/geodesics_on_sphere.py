"""Geodesics on the sphere: without forces a point follows great circles at constant speed.

A point of mass 1 kg moves on the unit sphere x² + y² + z² = 1 (m) without applied forces. Its Lagrangian is the kinetic
energy, so it follows the geodesics of the Riemannian metric that the mass matrix defines, at constant speed c:

    r(t) = r₀ cos(ct) + (v₀/c) sin(ct),

a great circle in the plane with the normal r × v. The multiplier is constant, λ = −c²/2 (N/m): the reaction 2λr is the
centripetal force. Without forces the Zwang is ½c⁴κ² at constant speed, where κ is the curvature of the path: Gauss's
principle becomes Hertz's principle of least curvature, and a great circle has the least on the unit sphere, κ = 1.
"""

import numpy as np

import gauss as g

COVERS = ("T11",)
SOURCE = "TM §4.3–4.4"

SPEED = 1.3  # m/s
POINT = np.array([0.6, 0.0, 0.8])
DIRECTION = np.array([0.48, 0.8, -0.36])  # a unit tangent at the point

system = g.System(
    "free point on the unit sphere",
    coordinates="x y z",
    kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2),
    constraints=[g.Holonomic("sphere", lambda q: q.x**2 + q.y**2 + q.z**2 - 1.0)],
)
start = g.Start(q=POINT, v=SPEED * DIRECTION, t_end=10.0, step=0.005)


def great_circle(t):
    """The closed-form positions and velocities, each (N, 3)."""
    c, s = np.cos(SPEED * t)[:, None], np.sin(SPEED * t)[:, None]
    return POINT * c + DIRECTION * s, SPEED * (DIRECTION * c - POINT * s)


def claims(run):
    position, velocity = great_circle(run.t)
    off = max(g.relative(run.q, position), g.relative(run.v, velocity))
    return [
        g.Claim("positions and velocities follow the great circle", off, 1e-9, "closed form"),
        g.Claim(
            "the Zwang is c⁴/2, that of the least curvature",
            g.relative(run.zwang, SPEED**4 / 2),
            1e-9,
            "closed form: curvature 1 of a great circle",
        ),
        g.Claim("λ is −c²/2", g.relative(run["sphere"], -(SPEED**2) / 2), 1e-9, "a row of length 2"),
    ]


def figure(run, figure):
    axes = figure.add_subplot(projection="3d")
    u, w = np.meshgrid(np.linspace(0, 2 * np.pi, 25), np.linspace(0, np.pi, 13))
    axes.plot_wireframe(np.sin(w) * np.cos(u), np.sin(w) * np.sin(u), np.cos(w), color="0.85", lw=0.4)
    side = np.cross(POINT, DIRECTION)
    for angle in np.arange(5) * np.pi / 5:
        heading = DIRECTION * np.cos(angle) + side * np.sin(angle)
        axes.plot(*g.simulate(system, POINT, SPEED * heading, t_end=2 * np.pi / SPEED, progress="none").q.T)
    axes.set_aspect("equal")
    axes.set_title("great circles through one point")


if __name__ == "__main__":
    g.main(__file__)
