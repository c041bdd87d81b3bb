"""The other claims of scenarios/touching_surfaces.py.

A particle of mass 1 kg (coordinates x, y, z in m) lies on the plane z = 0 and on a second surface z = h(x, y) that
touches the plane at the origin; the force (X, Y, Z) in N is a parameter. Both rows are (0, 0, 1) there, and their
difference leaves

* h = x² − y² (saddle): ẍ² − ÿ² = 0 at rest. *Branching*: the feet of (X, Y) on the lines y = ±x. In motion along one
  of the lines it is *crossing*, and that line's foot is the only one; no other velocity is admissible.
* h = x² + y² (bowl): ẍ² + ÿ² = 0. *Locked*: the particle cannot move at all, a = 0.
* h = x² (trough): ẍ² = 0. *Locked onto a line*: a = (0, Y, 0), at rest and moving along the line.
* h = x³ − 3xy² (monkey saddle): nothing at order 4; the three lines x(x² − 3y²) = 0 that part there are the branches of
  the constraint set, found by its power series: *branching* at rest, with a foot on each. In motion along one of the
  three lines order 4 is linear in the acceleration, and holds it on that line.

In all cases the acceleration is that of a particle on the line or point that is left, so every answer is known.
"""

import numpy as np

import gauss as g
from proofs import yes
from scenarios.touching_surfaces import DIAGONALS, FORCE, at_origin

THREE = np.array([[np.cos(a), np.sin(a), 0.0] for a in np.radians([90.0, 30.0, 150.0])])  # x = 0, y = ±x/√3


def foot(line):
    """The foot of the force on a line through the origin, and its Zwang."""
    a = float(FORCE @ line) * line
    return a, 0.5 * float((a - FORCE) @ (a - FORCE))


def moving_error(name, lines, verdicts):
    """Worst error in motion along some lines, relative to |F|; infinite for another verdict."""
    worst = 0.0
    for line in lines:
        for speed in (1.5, -0.2):
            found = at_origin(name, speed * line)
            if found.verdicts not in verdicts or not found.unique:
                return np.inf
            worst = max(worst, float(np.max(np.abs(found.solution.a - foot(line)[0]))) / np.linalg.norm(FORCE))
    return worst


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
    single = [c for c in step.candidates if c.kind != "vertex"]
    expected = sorted((foot(line) for line in DIAGONALS), key=lambda pair: pair[1])
    zwang = g.relative([c.zwang for c in single], [z for _, z in expected]) if len(single) == 2 else np.inf
    aside = [at_origin("saddle", v).verdicts for v in ([1.0, 0.0, 0.0], [0.2, 0.3, 0.0])]
    monkey = at_origin("monkey saddle")
    return [
        yes(
            "saddle, at rest: branching, by both rows together, with ẍ² − ÿ² = 0",
            step.verdicts == ("branching",)
            and step.dependent == (("plane", "saddle"),)
            and step.conditions[0] in ("order 4: x''² − y''² = 0", "order 4: −x''² + y''² = 0"),
            "yes or no, as printed",
        ),
        g.Claim("with their Zwang", zwang, 1e-13, "rounding"),
        g.Claim(
            "saddle, moving along one of the lines: crossing, and its foot alone",
            moving_error("saddle", DIAGONALS, [("crossing",)]),
            1e-13,
            "rounding, relative to |F|",
        ),
        yes(
            "any other velocity is not admissible",
            all(verdicts == ("velocity not admissible",) for verdicts in aside),
        ),
        g.Claim(
            "trough: locked onto the line, a = (0, Y, 0), at rest",
            locked_error("trough", FORCE * [0, 1, 0]),
            1e-13,
            "rounding, relative to |F|",
        ),
        g.Claim(
            "and moving along it",
            locked_error("trough", FORCE * [0, 1, 0], (0.0, 0.8, 0.0)),
            1e-13,
            "rounding, relative to |F|",
        ),
        yes(
            "monkey saddle, at rest: branching, the list complete",
            monkey.verdicts == ("branching",) and monkey.accelerations.complete,
        ),
        g.Claim("its accelerations are the feet on its three lines", apart_from(monkey, THREE), 1e-12, "rounding"),
        g.Claim(
            "monkey saddle, moving along one of its three lines: the foot on it",
            moving_error("monkey saddle", THREE, [("locked",), ("crossing",)]),
            1e-12,
            "rounding, relative to |F|",
        ),
    ]
