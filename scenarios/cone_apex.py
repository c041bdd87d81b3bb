"""Particle at the apex of a cone: the row vanishes there, and gravity along the axis admits a circle of accelerations.

A particle of mass 1 kg (coordinates x, y, z in m, gravity g = 9.81 m/s² along −z) is bound to the cone x² + y² − z² =
0. At the apex the row 2(x, y, −z) is zero: the position is singular. *At rest* every motion on the cone has an
acceleration on the cone, ẍ² + ÿ² − z̈² = 0, a condition of order 4 that no rows J a = γ give. d'Alembert's principle,
with J = 0, says nothing. Gauss's principle still answers: ½|a − a_free|² on the cone is least on the whole circle

    ẍ² + ÿ² = g²/4,   z̈ = −g/2,   with the Zwang g²/4.

*Moving through the apex* along a generator, v = w (cos φ, sin φ, 1), the order 3 row x''·v = 0 completes the rank: the
acceleration is −g/2 (cos φ, sin φ, 1), as before and after.
"""

import numpy as np

import gauss as g

COVERS = ("C2", "C4", "C5")
SOURCE = "C, equations (9)–(13), after P. Stäckel"

G = 9.81  # m/s²
CROSSING = np.array([0.3, 0.4, 0.5])  # m/s

system = g.System(
    "particle on a cone",
    coordinates="x y z",
    kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2),
    potential_energy=lambda q: G * q.z,
    constraints=[g.Holonomic("cone", lambda q: q.x**2 + q.y**2 - q.z**2)],
)
start = g.Start(q=[0.0, 0.0, 0.0])


def claims(step):
    crossed = g.accelerate(system, start.q, CROSSING)
    branching = step.verdicts == ("branching",) and step.dependent == (("cone",),)
    through = "through the apex with (0.3, 0.4, 0.5) m/s the acceleration is (−2.943, −3.924, −4.905) m/s²"
    off = g.relative(crossed.a, np.array([-2.943, -3.924, -4.905]))
    return [
        g.Claim("at rest at the apex the verdict is branching, by the row 'cone'", not branching),
        g.Claim("the Zwang of the circle is g²/4", g.relative(step.zwang, G**2 / 4), 1e-12, "rounding"),
        g.Claim(through, off, 1e-12, "rounding"),
    ]


def figure(step, figure):
    axes = figure.add_subplot(projection="3d")
    angle, s = np.meshgrid(np.linspace(0, 2 * np.pi, 61), np.linspace(-8.0, 3.5, 15))
    axes.plot_surface(s * np.cos(angle), s * np.sin(angle), s, color="C0", alpha=0.15)
    axes.plot(*step.accelerations.continua[0].sample(100).T, "C1.", label="least Zwang: a circle")
    axes.plot([0, 0], [0, 0], [0, -G], "C3", label="free fall")
    axes.set(xlabel="ẍ / m/s²", ylabel="ÿ / m/s²", zlabel="z̈ / m/s²", title="at rest at the apex")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
