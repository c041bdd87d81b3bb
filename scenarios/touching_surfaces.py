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
DIAGONALS = np.array([[1.0, 1.0, 0.0], [1.0, -1.0, 0.0]]) / np.sqrt(2)


def foot(line):
    """The foot of the force on a line through the origin, and its Zwang."""
    a = float(FORCE @ line) * line
    return a, 0.5 * float((a - FORCE) @ (a - FORCE))


def at_origin(name, velocity=(0.0, 0.0, 0.0)):
    return g.classify(touching(name), start.q, velocity)


def locked_error(name, expected, velocity=(0.0, 0.0, 0.0)):
    found = at_origin(name, velocity)
    if found.verdicts != ("locked",):
        return np.inf
    return float(np.max(np.abs(found.solution.a - expected))) / np.linalg.norm(FORCE)


def apart_from(found, lines):
    """Worst distance of the accelerations found from the feet on some lines, relative to |F|; infinite for others."""
    single = [c for c in found.candidates if c.kind != "vertex"]
    expected = sorted((foot(line) for line in lines), key=lambda pair: pair[1])
    if len(single) != len(expected):
        return np.inf
    return max(np.max(np.abs(c.a - a)) for c, (a, _) in zip(single, expected, strict=True)) / np.linalg.norm(FORCE)


def claims(step):
    return [
        g.Claim("the two accelerations are the feet on y = ±x", apart_from(step, DIAGONALS), 1e-13, "rounding"),
        g.Claim("bowl: locked, a = 0", locked_error("bowl", np.zeros(3)), 1e-13, "rounding, relative to |F|"),
        g.Claim(
            "trough: locked onto the line, a = (0, Y, 0), at rest",
            locked_error("trough", FORCE * [0, 1, 0]),
            1e-13,
            "rounding, relative to |F|",
        ),
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
