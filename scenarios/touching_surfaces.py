"""Particle on two surfaces that touch: the contact decides whether it is free, branches, or is locked.

A particle of mass 1 kg (coordinates x, y, z in m) lies on the plane z = 0 and on a second surface z = h(x, y) that
touches the plane at the origin; the force (X, Y, Z) in N is a parameter. Both rows are (0, 0, 1) there, and their
difference leaves

* h = x² − y² (saddle): ẍ² − ÿ² = 0 at rest. *Branching*: the feet of (X, Y) on the lines y = ±x.
* h = x² + y² (bowl): ẍ² + ÿ² = 0. *Locked*: the particle cannot move at all, a = 0.
* h = x² (trough): ẍ² = 0. *Locked onto a line*: a = (0, Y, 0), at rest and moving along the line.
* h = x³ − 3xy² (monkey saddle): nothing at order 4; the three lines x(x² − 3y²) = 0 that part there are the branches of
  the constraint set, found by its power series: *branching* at rest, with a foot on each.
"""

import numpy as np

import gauss as g

SOURCE = "contact of surfaces by their difference (Morse functions, monkey saddle)"

FORCE = np.array([3.0, 1.0, -9.81])  # N
SURFACES = {
    "saddle": lambda x, y: x**2 - y**2,
    "bowl": lambda x, y: x**2 + y**2,
    "trough": lambda x, y: x**2,
    "monkey saddle": lambda x, y: x**3 - 3 * x * y**2,
}


def touching(name):
    """Return the particle on the plane and on the named surface."""
    height = SURFACES[name]
    return g.System(
        f"particle on a plane and a {name}",
        coordinates="x y z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2),
        force=lambda p: {"x": p.X, "y": p.Y, "z": p.Z},
        constraints=[
            g.Holonomic("plane", lambda q: q.z),
            g.Holonomic(name, lambda q: q.z - height(q.x, q.y)),
        ],
        parameters=dict(zip("XYZ", FORCE.tolist(), strict=True)),
    )


system = touching("saddle")
start = g.Start(q=[0.0, 0.0, 0.0])
DIAGONALS = np.array([[1.0, -1.0, 0.0], [1.0, 1.0, 0.0]]) / np.sqrt(2)


def at_origin(name, velocity=(0.0, 0.0, 0.0)):
    return g.classify(touching(name), start.q, velocity)


def claims(step):
    size, bowl, trough = np.linalg.norm(FORCE), at_origin("bowl"), at_origin("trough")
    found = [c.a for c in step.candidates if c.kind != "vertex"]
    feet = sorted(((FORCE @ line) * line for line in DIAGONALS), key=lambda a: np.linalg.norm(a - FORCE))
    stuck, onto = (
        np.max(np.abs(x.solution.a - a)) / size if x.verdicts == ("locked",) else np.inf
        for x, a in ((bowl, np.zeros(3)), (trough, FORCE * [0, 1, 0]))
    )
    return [
        g.Claim("the two accelerations are the feet on y = ±x", g.relative(found, feet), 1e-13, "rounding"),
        g.Claim("bowl: locked, a = 0", stuck, 1e-13, "rounding, relative to |F|"),
        g.Claim("trough: locked onto the line, a = (0, Y, 0), at rest", onto, 1e-13, "rounding, relative to |F|"),
    ]


def figure(step, figure):
    x, y = np.meshgrid(*[np.linspace(-1, 1, 41)] * 2)
    for axes, (name, height) in zip(figure.subplots(1, 4), SURFACES.items(), strict=True):
        axes.contour(x, y, height(x, y), levels=9)
        found = at_origin(name)
        for candidate in found.candidates:
            axes.arrow(0.0, 0.0, *(candidate.a[:2] / 5), color="C3", width=0.02)
        axes.set(aspect="equal", xlabel="x / m", ylabel="y / m", title=f"{name}:\n{found.verdicts[0]}")


if __name__ == "__main__":
    g.main(__file__)
