"""Chaplygin's sleigh turns round until its centre of mass leads, and then runs straight.

A rigid body of mass m = 1.2 kg and moment of inertia I = 0.5 kg m² about its centre of mass slides on a horizontal
plane without friction on two feet and a knife edge. The coordinates are the point x, y of the edge (m) and its
direction phi (rad); the centre of mass lies a = 0.3 m ahead of the edge, which does not slip sideways. With the speed v
along the edge and ω, the velocity of phi, v̇ = aω² and (I + ma²) ω̇ = −mavω: v never decreases, although energy is
conserved. With the energy E, V = √(2E/m), W = √(2E/(I + ma²)), k = amV/(I + ma²) and tanh(kt₀) = v(0)/V,

    v = V tanh s,   ω = W/cosh s,   s = k(t + t₀).

The path of the edge has a cusp where v = 0. The reaction across the edge is λ = mIvω/(I + ma²) (N).
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

SOURCE = "S. A. Chaplygin (1911); Ju. I. Neimark, N. A. Fufaev, Dynamics of Nonholonomic Systems (1972)"

M, I, A = 1.2, 0.5, 0.3  # kg, kg m², m
EDGE = I + M * A**2  # kg m², moment of inertia about the edge
PHI, SPEED, OMEGA = 1.4, -0.6, 1.5  # rad, m/s, rad/s: direction, speed along it and angular velocity at the start


def kinetic_energy(q, v):
    x_dot, y_dot = v.x - A * v.phi * g.sin(q.phi), v.y + A * v.phi * g.cos(q.phi)
    return 0.5 * M * (x_dot**2 + y_dot**2) + 0.5 * I * v.phi**2


system = g.System(
    "Chaplygin sleigh",
    coordinates="x y phi",
    kinetic_energy=kinetic_energy,
    constraints=[g.Pfaffian("no side slip", lambda q: [-g.sin(q.phi), g.cos(q.phi), 0.0])],
)
backward = [SPEED * np.cos(PHI), SPEED * np.sin(PHI), OMEGA]
start = g.Start(q=[0.0, 0.0, PHI], v=backward, t_end=8.0, step=0.01, rtol=1e-12)
sleigh = mb.shapes.Polygon([(0, 0), (1.5 * A, -0.2), (1.5 * A, 0.2)])  # the edge and the two feet, seen from above
drawing = mb.Drawing(
    placed=[(sleigh, lambda q: mb.shapes.at_angle((q["x"], q["y"]), q["phi"]))], traces=[lambda q: (q["x"], q["y"])]
)


def claims(run):
    V, W = np.sqrt(SPEED**2 + EDGE / M * OMEGA**2), np.sqrt(M / EDGE * SPEED**2 + OMEGA**2)
    s = A * M * V / EDGE * run.t + np.arctanh(SPEED / V)
    v, omega = V * np.tanh(s), W / np.cosh(s)
    along = run["d_x"] * np.cos(run["phi"]) + run["d_y"] * np.sin(run["phi"])
    reaction = g.relative(run["no side slip"], M * I * v * omega / EDGE)
    reason = "closed form; the integrator keeps 1e-12 per step, and errors add up over the run"
    return [
        g.Claim("started backward: v = V tanh s", g.relative(along, v), 1e-9, reason),
        g.Claim("started backward: ω = W / cosh s", g.relative(run["d_phi"], omega), 1e-9, reason),
        g.Claim("started backward: the reaction is mIvω/(I + ma²)", reaction, 1e-9, reason),
    ]


def figure(run, figure):
    axes = figure.subplots()
    dense = run.at(np.linspace(run.t[0], run.t[-1], 600))
    axes.plot(dense["x"], dense["y"], label="knife edge")
    axes.plot(dense["x"] + A * np.cos(dense["phi"]), dense["y"] + A * np.sin(dense["phi"]), label="centre of mass")
    axes.set(xlabel="x / m", ylabel="y / m", title="path", aspect="equal")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
