"""Particle on two surfaces that touch: the contact decides whether it is free, branches, or is locked.

A particle of mass 1 kg (coordinates x, y, z in m) lies on the plane z = 0 and on a second surface z = h(x, y) that
touches the plane at the origin. The force (X, Y, Z) is in N. Both rows are (0, 0, 1) there. At rest

* h = x² − y² (saddle): ẍ² − ÿ² = 0. *Branching*: the feet of (X, Y) on the lines y = ±x.
* h = x² + y² (bowl): ẍ² + ÿ² = 0. *Locked*: the particle cannot move at all, a = 0.
* h = x² (trough): ẍ² = 0. *Locked onto a line*: a = (0, Y, 0).
* h = x³ − 3xy² (monkey saddle): *branching*, with a foot on each of the three lines x(x² − 3y²) = 0.
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
    return g.System(
        f"particle on a plane and a {name}",
        coordinates="x y z",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2),
        force=lambda p: {"x": p.X, "y": p.Y, "z": p.Z},
        constraints=[g.Holonomic("plane", lambda q: q.z), g.Holonomic(name, lambda q: q.z - SURFACES[name](q.x, q.y))],
        parameters=dict(zip("XYZ", FORCE.tolist(), strict=True)),
    )


system = touching("saddle")
start = g.Start(q=[0.0, 0.0, 0.0])
DIAGONALS = np.array([[1.0, -1.0, 0.0], [1.0, 1.0, 0.0]]) / np.sqrt(2)


def at_origin(name, velocity=(0.0, 0.0, 0.0)):
    return g.classify(touching(name), start.q, velocity)


def claims(step):
    bowl = at_origin("bowl")
    found = [c.a for c in step.candidates if c.kind != "vertex"]
    feet = sorted(((FORCE @ line) * line for line in DIAGONALS), key=lambda a: np.linalg.norm(a - FORCE))
    stuck = np.max(np.abs(bowl.solution.a)) / np.linalg.norm(FORCE) if bowl.verdicts == ("locked",) else np.inf
    return [
        g.Claim("the two accelerations are the feet on y = ±x", g.relative(found, feet), 1e-13, "rounding"),
        g.Claim("bowl: locked, a = 0", stuck, 1e-13, "rounding, relative to |F|"),
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
