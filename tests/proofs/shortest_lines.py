"""The other claims of scenarios/shortest_lines.py.

A point of mass 1 kg moves without applied forces on the unit sphere x² + y² + z² = 1 (m), and another one on the plane
2x − y + 2z = 1. By Hertz's principle, which is Gauss's without forces, both follow shortest lines. Here these are found
by the calculus of variations as well, between two given points: make ∫√(ẋ₁² + ẋ₂²) dt stationary in the plane, and
∫√(θ'² + sin² θ) dφ on the sphere (θ from the pole, φ the longitude, rad). Known answers:

* in the plane the line x₂ = C x₁ + D, and its length;
* on the sphere the great circle, of length α = arccos(P·Q) the short way and 2π − α the long way round. Both are
  extremals and both satisfy Legendre's condition, but the long one passes the antipode of its start, a conjugate point:
  it is no minimum (Jacobi). The lowest eigenvalue of the second variation of an arc of length ℓ, relative to
  ∫ η²/ℓ² + η'² ds, is (π² − ℓ²)/(1 + π²), which changes its sign at ℓ = π.
"""

from functools import cache

import numpy as np

import gauss as g
from gauss.variational import VariationalProblem, extremal
from scenarios.shortest_lines import P, Q, arc, arcs, point, start

A, B = (0.5, 1.0, 0.5), (2.5, -1.0, -2.5)  # two points of the plane


def kinetic_energy(v):
    return 0.5 * (v.x**2 + v.y**2 + v.z**2)


plane = g.System(
    "free point on a plane",
    coordinates="x y z",
    kinetic_energy=kinetic_energy,
    constraints=[g.Holonomic("plane", lambda q: 2 * q.x - q.y + 2 * q.z - 1.0)],
)


def _angles(q, v, t):
    """(phi, theta) and their rates."""
    x, y, z = q
    rho = g.hypot(x, y)
    theta_dot = z * (x * v[0] + y * v[1]) / rho - rho * v[2]
    return [g.atan2(y, x), g.atan2(rho, z)], [(x * v[1] - y * v[0]) / rho**2, theta_dot]


minimal = g.Minimal(
    lagrangian=lambda s, s_dot, t: 0.5 * (g.sin(s[1]) ** 2 * s_dot[0] ** 2 + s_dot[1] ** 2),
    chart=lambda s, t: [g.sin(s[1]) * g.cos(s[0]), g.sin(s[1]) * g.sin(s[0]), g.cos(s[1])],
    inverse=_angles,
    text="longitude and polar angle with the metric diag(sin² theta, 1)",
)


@cache
def equator(length):
    """The extremal along the equator."""
    return extremal(arc((np.pi / 2, np.pi / 2), (0.0, length)))


def in_the_plane():
    """The extremal from A to B in coordinates of the plane, as points in space (N, 3)."""
    one, two = np.array([1.0, 2.0, 0.0]) / np.sqrt(5), np.array([-4.0, 2.0, 5.0]) / np.sqrt(45)
    difference = np.subtract(B, A)
    line = extremal(
        VariationalProblem(
            lambda v: g.sqrt(v.x_1**2 + v.x_2**2),
            "x_1 x_2",
            start={"x_1": 0.0, "x_2": 0.0},
            end={"x_1": float(one @ difference), "x_2": float(two @ difference)},
        ),
        guess=lambda t: [t * (one @ difference) + np.sin(3 * t), t * (two @ difference) - np.sin(5 * t)],
    )
    return line, A + line.q[:, :1] * one + line.q[:, 1:] * two


def off_circle(points):
    """Largest distance of points from the plane of the great circle through P and Q."""
    normal = np.cross(P, Q)
    return float(np.max(np.abs(points @ (normal / np.linalg.norm(normal)))))


@g.needs(start.t_end)
def claims(run):
    short, long = arcs()
    line, points = in_the_plane()
    move = g.simulate(plane, A, np.subtract(B, A) / 2.0, t_end=2.0, progress="none")
    across = np.cross(points - A, np.subtract(B, A) / np.linalg.norm(np.subtract(B, A)))
    lengths = (1.0, 2.5, 4.0)
    lowest = [equator(x).second.smallest for x in lengths]
    bvp = "ten times the tolerance 1e-9 of the collocation"
    return [
        g.Claim("short way: the extremal is the great circle", off_circle(point(short["theta"], short.t)), 1e-8, bvp),
        g.Claim("long way: the extremal is the great circle", off_circle(point(long["theta"], long.t)), 1e-8, bvp),
        g.Claim(
            "both satisfy Legendre's condition of a minimum",
            float(sum(x.legendre_condition != "minimum" for x in (short, long))),
            0.0,
            "sign of the second derivative by θ'",
        ),
        g.Claim(
            "the lowest eigenvalue of the second variation is (π² − ℓ²)/(1 + π²)",
            g.relative(lowest, [(np.pi**2 - x**2) / (1 + np.pi**2) for x in lengths]),
            1e-6,
            "160 elements, extrapolated from 80: the fourth power of 4/160",
        ),
        g.Claim("in the plane the extremal is the segment", float(np.max(np.abs(across))), 1e-8, bvp),
        g.Claim("its length is |B − A|", g.relative(line.value, np.linalg.norm(np.subtract(B, A))), 1e-8, bvp),
        g.Claim(
            "the free particle on the plane started from A towards B arrives there",
            float(np.linalg.norm(move.q[-1] - B)),
            1e-9,
            "closed form: uniform motion",
        ),
    ]
