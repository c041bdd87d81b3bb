"""Stäckel's three cases: the free acceleration is admissible, or the foot of a perpendicular is, or a boundary point.

With z = √M(a − a_free) the Zwang is half the squared distance from the origin O, the free acceleration. The equality
rows cut out a flat R_N, the closed contacts bound a convex region S_N in it, and Gauss's principle asks for the point
of S_N nearest to O. Exactly one of three cases holds:

* O: O lies in S_N; the constraints do nothing.
* T: O does not, but the foot T of the perpendicular from O on R_N does; T is nearest.
* A: neither does; the nearest point A ≠ T lies on the boundary of S_N.

A particle of 2 kg lies in the plane z = 0 in the corner of two walls that make an angle of 120°, x ≥ 0 and
x cos 60° + y sin 60° ≥ 0 (m). R_N is a plane, S_N a wedge in it. The forces (X, Y, Z) in N are parameters.
"""

import numpy as np

import gauss as g
from gauss.uniqueness.geometry import geometry

COVERS = ("C7", "C6")
SOURCE = "C, pp. 265–266, equations (21)–(23), after P. Stäckel"

MASS, WALL = 2.0, np.radians(60.0)  # kg; direction of the second wall's normal

system = g.System(
    "particle on a table in the corner of two walls",
    coordinates="x y z",
    kinetic_energy=lambda v: 0.5 * MASS * (v.x**2 + v.y**2 + v.z**2),
    force=lambda p: {"x": p.X, "y": p.Y, "z": p.Z},
    constraints=[
        g.Holonomic("table", lambda q: q.z),
        g.Unilateral("wall", lambda q: q.x),
        g.Unilateral("other wall", lambda q: q.x * np.cos(WALL) + q.y * np.sin(WALL)),
    ],
    parameters={"X": 3.0, "Y": -4.0, "Z": -5.0},
)
start = g.Start(q=[0.0, 0.0, 0.0])

IN_SPACE = {"O": (3.0, 2.0, 0.0), "T": (4.0, 1.0, -4.0), "A": (3.0, -4.0, -5.0)}


def at(model, force):
    named = dict(zip("XYZ", map(float, force), strict=False))
    return g.accelerate(model.with_parameters(**named), [0.0] * model.n)


def claims(step):
    found = geometry(step.solution)
    off = abs(found.distance**2 - found.to_foot**2 - found.beside**2) / found.distance**2
    words = ("case A", "'table'", "'other wall'", "nearest point A")
    said = all(word in found.sentence for word in words)
    return [
        g.Claim("|OA|² = |OT|² + |TA|², as OT is perpendicular to the flat", off, 1e-12, "rounding"),
        g.Claim(
            "in words: the case, the rows that O violates, the wall that T violates", not said, 0.0, found.sentence
        ),
        g.Claim("in the corner nothing else is needed: the verdict is regular", not step.regular, 0.0, "three rows"),
    ]


def figure(step, figure):
    from gauss.show.geometry.geometry import draw_geometry  # late: drawing is optional

    for part, force in zip(figure.subfigures(1, 3), IN_SPACE.values(), strict=True):
        draw_geometry(geometry(at(system, force).solution), part)
        part.axes[0].title.set_fontsize(8)


if __name__ == "__main__":
    g.main(__file__)
