"""The other claims of scenarios/three_cases.py.

With z = √M(a − a_free) the Zwang is half the squared distance from the origin O, the free acceleration. The equality
rows cut out a flat R_N, the closed contacts bound a convex region S_N in it, and Gauss's principle asks for the point
of S_N nearest to O. Exactly one of three cases holds:

* O: O lies in S_N; the constraints do nothing.
* T: O does not, but the foot T of the perpendicular from O on R_N does; T is nearest.
* A: neither does; the nearest point A ≠ T lies on the boundary of S_N.

*In the plane* a particle (1 kg along x, 3 kg along y, as with a sledge that is carried along) is held in the straight
groove y = 0.7 x and rests against a stop at its lower end, x ≥ 0. R_N is a line, S_N a half-line.

*In space* a particle of 2 kg lies in the plane z = 0 in the corner of two walls that make an angle of 120°, x ≥ 0 and
x cos 60° + y sin 60° ≥ 0. R_N is a plane, S_N a wedge in it; A lies on one of its edges, or is the corner.

The forces (X, Y, Z) in N are parameters. Known answer: the projection on the half-line by hand, and on the wedge by
trying the inside, both edges and the corner.
"""

import numpy as np

import gauss as g
from gauss.uniqueness import geometry
from scenarios.three_cases import IN_SPACE, MASS, WALL, at, system

MASSES, SLOPE = np.array([1.0, 3.0]), 0.7  # kg, along x and y; dy/dx of the groove
COUNT = 150
EPS = float(np.finfo(float).eps)

IN_PLANE = {"O": (2.0, 4.2), "T": (4.5, 0.0), "A": (0.0, -6.0)}  # N: a force that shows each case

groove = g.System(
    "particle in a groove with a stop",
    coordinates="x y",
    kinetic_energy=lambda v: 0.5 * (MASSES[0] * v.x**2 + MASSES[1] * v.y**2),
    force=lambda p: {"x": p.X, "y": p.Y},
    constraints=[
        g.Holonomic("groove", lambda q: q.y - SLOPE * q.x),
        g.Unilateral("stop", lambda q: q.x),
    ],
    parameters={"X": 0.0, "Y": 0.0},
)


def on_half_line(force):
    """The case and the nearest acceleration (2,) in the groove, by hand."""
    direction = np.array([1.0, SLOPE])
    along = float(direction @ np.asarray(force)) / float(direction @ (MASSES * direction))
    free = np.asarray(force) / MASSES
    inside = free[0] >= 0.0 and abs(free[1] - SLOPE * free[0]) <= 1e-12 * np.max(np.abs(free))
    return ("O" if inside else "T" if along >= 0.0 else "A"), max(along, 0.0) * direction


def on_wedge(force):
    """The case and the nearest acceleration (3,) in the corner: the nearest admissible of inside, edges and corner."""
    free = np.asarray(force) / MASS
    flat = np.array([free[0], free[1], 0.0])
    normals = np.array([[1.0, 0.0, 0.0], [np.cos(WALL), np.sin(WALL), 0.0]])
    edges = [np.array([0.0, 1.0, 0.0]), np.array([np.sin(WALL), -np.cos(WALL), 0.0])]
    tried = [flat, *(max(float(flat @ edge), 0.0) * edge for edge in edges), np.zeros(3)]
    allowed = [a for a in tried if np.all(normals @ a >= -1e-12 * np.linalg.norm(free))]
    nearest = min(allowed, key=lambda a: float(np.linalg.norm(a - free)))
    inside = np.all(normals @ flat >= 0.0)
    return ("A" if not inside else "T" if free[2] != 0.0 else "O"), nearest


def compared(model, by_hand, forces):
    """How many cases differ from those by hand, and the worst relative error of the nearest point."""
    wrong, worst = 0, 0.0
    for force in forces:
        step = at(model, force)
        found = geometry(step.solution)
        case, nearest = by_hand(force)
        wrong += found.case != case
        size = np.linalg.norm(
            force / model.model.terms(np.zeros(model.n), np.zeros(model.n), 0.0, model.theta()).M[0, 0]
        )
        worst = max(worst, float(np.max(np.abs(found.point - nearest))) / size)
        worst = max(worst, abs(found.zwang - step.zwang) / max(step.zwang, size**2))
    return wrong, worst


def random_forces(n):
    """COUNT forces (COUNT, n), a third of them exactly admissible."""
    rng = np.random.default_rng(7)
    forces = rng.normal(size=(COUNT, n))
    if n == 3:
        forces[::3, 2] = 0.0
    else:
        along = np.abs(rng.normal(size=COUNT))[::3]
        forces[::3] = along[:, None] * (MASSES * [1.0, SLOPE])
    return forces


def claims(step):
    plane = compared(groove, on_half_line, random_forces(2))
    space = compared(system, on_wedge, random_forces(3))
    shown = [
        geometry(at(model, force).solution).case
        for model, forces in ((groove, IN_PLANE), (system, IN_SPACE))
        for force in forces.values()
    ]
    return [
        g.Claim("the six forces drawn show the cases O, T, A twice", float(shown != list("OTAOTA"))),
        g.Claim("in the groove: the case is that by hand, for 150 forces", plane[0], 0.0, "count"),
        g.Claim("in the groove: nearest point and Zwang", plane[1], 1e3 * EPS, "rounding, 1e3·eps"),
        g.Claim("in the corner: the case is that by hand, for 150 forces", space[0], 0.0, "count"),
        g.Claim("in the corner: nearest point and Zwang", space[1], 1e3 * EPS, "rounding, 1e3·eps"),
    ]
