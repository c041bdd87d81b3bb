"""Shortest lines: extremals between two points beside the free motion of a particle on the same surface.

A point of mass 1 kg moves without applied forces on the unit sphere x² + y² + z² = 1 (m). By Hertz's principle, which
is Gauss's without forces, it follows shortest lines. Here these are found by the calculus of variations as well,
between two given points: make ∫√(θ'² + sin² θ) dφ stationary (θ from the pole, φ the longitude, rad).

Known answers: the great circle, of length α = arccos(P·Q) the short way and 2π − α the long way round. Both are
extremals and both satisfy Legendre's condition, but the long one passes the antipode of its start, a conjugate point:
it is no minimum (Jacobi).
"""

from functools import cache

import numpy as np

import gauss as g
from gauss.variational import VariationalProblem, extremal

COVERS = ("T6",)
SOURCE = "TM §3.5.2"

THETA, PHI = (1.0, 1.5), 2.0  # rad: polar angles of the two points, and the longitude between them
SPEED = 1.3  # m/s


def point(theta, phi):
    """The point of the unit sphere (..., 3)."""
    return np.stack([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta) + 0 * phi], axis=-1)


P, Q = point(THETA[0], 0.0), point(THETA[1], PHI)
ANGLE = float(np.arccos(P @ Q))
TOWARDS = (Q - np.cos(ANGLE) * P) / np.sin(ANGLE)  # the unit tangent at P of the short way to Q

system = g.System(
    "free point on the unit sphere",
    coordinates="x y z",
    kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2),
    constraints=[g.Holonomic("sphere", lambda q: q.x**2 + q.y**2 + q.z**2 - 1.0)],
)
start = g.Start(q=P, v=SPEED * TOWARDS, t_end=2 * np.pi / SPEED, rtol=1e-12)


def arc(theta, phi):
    """Arcs on the sphere between polar angles `theta`, over the longitudes `phi`, as a variational problem."""
    return VariationalProblem(
        lambda q, v: g.sqrt(v.theta**2 + g.sin(q.theta) ** 2),
        "theta",
        start={"theta": theta[0]},
        end={"theta": theta[1]},
        span=phi,
    )


@cache
def arcs():
    """The extremals the short way, from P to Q, and the long way round, from Q to P."""
    return extremal(arc(THETA, (0.0, PHI))), extremal(arc(THETA[::-1], (PHI, 2 * np.pi)))


@g.needs(start.t_end)
def claims(run):
    short, long = arcs()
    lengths = g.relative([short.value, long.value], [ANGLE, 2 * np.pi - ANGLE])
    missed = np.linalg.norm(run.at(ANGLE / SPEED).q - Q)
    off = abs(long.second.negative - 1) + short.second.negative + (short.kind != "minimum")
    counted = "count of negative eigenvalues of the second variation (Jacobi)"
    motion = "the integrator keeps 1e-12 per step, and errors add up over the run"
    return [
        g.Claim("their lengths are α and 2π − α", lengths, 1e-8, "ten times the tolerance 1e-9 of the collocation"),
        g.Claim("the free particle started from P towards Q is there after α/speed", missed, 1e-9, motion),
        g.Claim("the long way has one conjugate point, the short way none", float(off), 0.0, counted),
    ]


def figure(run, figure):
    ball = figure.add_subplot(projection="3d")
    for found, label in zip(arcs(), ("extremal, short way: minimum", "extremal, long way: saddle"), strict=True):
        phi = np.linspace(found.t[0], found.t_end, 200)
        ball.plot(*point(found.at(phi)[0][:, 0], phi).T, lw=2.2, label=label)
    moments = run.at(np.linspace(0.0, run.t[-1], 28)[:-1]).q
    ball.plot(*moments.T, "k.", ms=5, label="free particle (Gauss), at equal times")
    for place, name in ((P, "P"), (Q, "Q")):
        ball.text(*(1.16 * place), name)
    ball.set(xlabel="x / m", ylabel="y / m", zlabel="z / m", aspect="equal")
    ball.legend()


if __name__ == "__main__":
    g.main(__file__)
