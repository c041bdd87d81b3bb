"""Ball and beam: Gauss, Lagrange and Hamilton agree until the ball leaves the beam.

A beam with moment of inertia I = 20 kg m² turns about its middle by the angle phi (rad) from the horizontal; a ball,
taken as a point of mass m = 0.5 kg, moves along it without friction; gravity is 9.81 m/s². The model has the position
(x, y) of the ball (m) and phi, and the ball is on the line of the beam: x sin phi − y cos phi = 0.

With r = x cos phi + y sin phi, L = ½(I + m r²) phi_dot² + ½ m r_dot² − m g r sin phi. The ball presses on the beam with
N = −λ = m(g cos phi + 2 r_dot phi_dot + r phi_ddot). The start, at rest with phi = k² r/g, k⁴ = m g²/I, excites
the oscillation alone to first order; the unstable part that is left grows until the ball reaches the end of the beam.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

COVERS = ("T9",)
SOURCE = "TM §4.1.1, 5.4.1"

INERTIA, MASS, GRAVITY, HALF_LENGTH = 20.0, 0.5, 9.81, 2.0  # kg m², kg, m/s², m
R = 0.8  # m, at the start
PHI = R * np.sqrt(MASS / INERTIA)  # rad, at the start: k² R/g

system = g.System(
    "ball and beam",
    coordinates="x y phi",
    kinetic_energy=lambda v: 0.5 * MASS * (v.x**2 + v.y**2) + 0.5 * INERTIA * v.phi**2,
    potential_energy=lambda q: MASS * GRAVITY * q.y,
    constraints=[g.Holonomic("ball on beam", lambda q: q.x * g.sin(q.phi) - q.y * g.cos(q.phi))],
)
end = g.Event("end of the beam", lambda q: q.x**2 + q.y**2 - HALF_LENGTH**2, direction=1, terminal=True)
start = g.Start(q=[R * np.cos(PHI), R * np.sin(PHI), PHI], t_end=10.0, step=0.005, events=(end,))
beam = mb.shapes.Polyline([(-HALF_LENGTH, 0), (HALF_LENGTH, 0)])
drawing = mb.Drawing(
    placed=[(beam, lambda q: mb.shapes.at_angle((0, 0), q["phi"]))], traces=[lambda q: (q["x"], q["y"])]
)


def along(q, v, t):
    """(r, phi) and their rates."""
    x, y, phi = q
    c, s = g.cos(phi), g.sin(phi)
    return [x * c + y * s, phi], [v[0] * c + v[1] * s, v[2]]


def claims(run):
    (r, phi), (r_dot, phi_dot) = along(run.q.T, run.v.T, 0.0)
    left = (INERTIA + MASS * r**2) * run["dd_phi"] + 2 * MASS * r * r_dot * phi_dot
    normal = MASS * (GRAVITY * np.cos(phi) + 2 * r_dot * phi_dot + r * run["dd_phi"])
    off, pressed = g.relative(left, -MASS * GRAVITY * r * np.cos(phi)), g.relative(-run["ball on beam"], normal)
    return [
        g.Claim("Lagrange's equation for phi holds with the term 2 m r r_dot phi_dot", off, 1e-12, "an identity"),
        g.Claim("−λ is the normal force m(g cos phi + 2 r_dot phi_dot + r phi_ddot)", pressed, 1e-12, "Newton's law"),
    ]


def figure(run, figure):
    axes = figure.subplots()
    dense = run.at(np.linspace(run.t[0], run.t[-1], 600))
    axes.plot(dense.t, np.transpose(along(dense.q.T, dense.v.T, 0.0)[0]), label=("r / m", "phi / rad"))
    axes.set(xlabel="t / s", title="ball along the beam, and beam, until the ball leaves it")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
