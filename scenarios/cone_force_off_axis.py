"""Particle at rest at the apex of a cone under a force off the axis: two perpendiculars, two accelerations.

A particle of mass 1 kg (coordinates x, y, z in m) is at rest at the apex of the cone x² + y² − z² = 0 under the force
F = (X, Y, Z) in N, parameters of the model. Let ρ = √(X² + Y²) > 0. The plane through the axis and the force cuts the
cone in two lines, and the feet of the perpendiculars from F on them are the accelerations at which the Zwang is
stationary,

    a± = ½(ρ ± Z)(X/ρ, Y/ρ, ±1),   with the Zwang (ρ ∓ Z)²/4.

The one on the side of Z has the least Zwang. The other is a local minimum if |Z| < ρ and a saddle if |Z| > ρ; at |Z|
= ρ it is the apex. For Z = 0 both have the same Zwang: Gauss's principle does not choose. On the axis the construction
fails: see the scenario cone_apex.
"""

import numpy as np

import gauss as g

COVERS = ("C3",)
SOURCE = "C, equation (13) and the construction that follows it, after P. Stäckel"

FORCE = np.array([3.0, 4.0, -8.0])  # N: ρ = 5, so the second foot is a saddle

system = g.System(
    "particle on a cone under a force",
    coordinates="x y z",
    kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2),
    force=lambda p: {"x": p.X, "y": p.Y, "z": p.Z},
    constraints=[g.Holonomic("cone", lambda q: q.x**2 + q.y**2 - q.z**2)],
    parameters=dict(zip("XYZ", FORCE.tolist(), strict=True)),
)
start = g.Start(q=[0.0, 0.0, 0.0])


def feet(force):
    """Both feet (2, 3), that of least Zwang first, and their Zwang (2,)."""
    X, Y, Z = force
    rho, side = np.hypot(X, Y), 1.0 if Z >= 0 else -1.0
    found = [(rho + s * Z) / 2 * np.array([X / rho, Y / rho, s]) for s in (side, -side)]
    return np.array(found), np.array([(rho - abs(Z)) ** 2, (rho + abs(Z)) ** 2]) / 4


def claims(step):
    found = [c for c in step.candidates if c.kind != "vertex"]
    expected, zwang = feet(FORCE)
    size = np.linalg.norm(FORCE)
    off = np.max(np.abs([c.a for c in found] - expected)) / size
    wrong = step.verdicts != ("branching",) or not step.accelerations.complete
    less = np.max(np.abs([c.zwang for c in found] - zwang)) / size**2
    return [
        g.Claim("the verdict is branching, with a list of accelerations certified complete", wrong),
        g.Claim("the two accelerations are the feet a±", off, 1e-13, "rounding, relative to |F|"),
        g.Claim("their Zwang is (ρ ∓ Z)²/4", less, 1e-13, "rounding, relative to |F|²"),
    ]


def figure(step, figure):
    from gauss.show.geometry.geometry import draw_cone  # late: drawing is optional

    found = [c for c in step.candidates if c.kind != "vertex"]
    draw_cone(np.diag([1.0, 1.0, -1.0]), FORCE, np.array([c.a for c in found]), [], figure, [c.kind for c in found])


if __name__ == "__main__":
    g.main(__file__)
