"""A cart on two wheels coasts, in the matrix form of Boltzmann and Hamel: three bodies, three rolling conditions.

A platform of mass m = 5 kg and moment of inertia J = 0.6 kg m² about its mass centre rides on two thin wheels, each of
mass m_w = 0.8 kg, radius r = 0.15 m and half track d = 0.25 m, with moments of inertia J_a = ½m_w r² about the axle and
J_d = ¼m_w r² about a diameter. The mass centre lies a = 0.2 m ahead of the axle. The coordinates are the middle of the
axle x, y (m), the heading phi and the angles left, right (rad) of the wheels, which roll without slip. With the speed u
along the heading, ω the velocity of phi, M = m + 2m_w + 2J_a/r² and N = J + ma² + 2J_d + 2m_w d² + 2J_a d²/r²,

    M u̇ = maω²,   N ω̇ = −mauω:   u = U tanh s,   ω = W/cosh s,   s = k(t + t₀),

MU² = Mu² + Nω², W = U√(M/N), k = maU/N. u and ω are free quasi-velocities, the slip velocities vanishing ones.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb
from gauss.formulations.boltzmann.maggi import maggi

COVERS = ("H1", "H2", "H3")
SOURCE = "BH §3–5; Ju. I. Neimark, N. A. Fufaev, Dynamics of Nonholonomic Systems (1972)"

PLATFORM, J, A = 5.0, 0.6, 0.2  # kg, kg m², m
WHEEL, R, D = 0.8, 0.15, 0.25  # kg, m, m
AXIAL, DIAMETRAL = WHEEL * R**2 / 2, WHEEL * R**2 / 4  # kg m²
SIDES = {"left": -1.0, "right": 1.0}  # a wheel is ahead of the axle's middle by side·d·phi for small phi
ALONG = PLATFORM + 2 * WHEEL + 2 * AXIAL / R**2  # kg
TURNING = J + PLATFORM * A**2 + 2 * DIAMETRAL + 2 * WHEEL * D**2 + 2 * AXIAL * D**2 / R**2  # kg m²
PHI0, U0, OMEGA0 = 0.4, -0.7, 1.1  # rad, m/s, rad/s at the start


def kinetic_energy(q, v):
    """Energy of platform and wheels; q and v by position, so that lists and arrays serve too."""
    cos, sin = g.cos(q[2]), g.sin(q[2])
    energy = 0.5 * PLATFORM * ((v[0] - A * v[2] * sin) ** 2 + (v[1] + A * v[2] * cos) ** 2) + 0.5 * J * v[2] ** 2
    for side, wheel in zip(SIDES.values(), (3, 4), strict=True):
        x_dot, y_dot = v[0] + side * D * v[2] * cos, v[1] + side * D * v[2] * sin
        energy += 0.5 * WHEEL * (x_dot**2 + y_dot**2) + 0.5 * DIAMETRAL * v[2] ** 2 + 0.5 * AXIAL * v[wheel] ** 2
    return energy


def rolling(q):
    cos, sin = g.cos(q[2]), g.sin(q[2])
    return [[-sin, cos, 0.0, 0.0, 0.0], [cos, sin, -D, -R, 0.0], [cos, sin, D, 0.0, -R]]


system = g.System(
    "cart on two wheels",
    coordinates="x y phi left right",
    kinetic_energy=kinetic_energy,
    constraints=[g.Pfaffian("rolling", rolling)],
)
rates = [U0 * np.cos(PHI0), U0 * np.sin(PHI0), OMEGA0, (U0 - D * OMEGA0) / R, (U0 + D * OMEGA0) / R]
start = g.Start(q=[0.0, 0.0, PHI0, 0.0, 0.0], v=rates, t_end=6.0, step=0.01, rtol=1e-12)
cart = [mb.shapes.Polygon([(0, 0), (2 * A, -D), (2 * A, D)]), mb.shapes.Polyline([(0, -D), (0, D)])]
drawing = mb.Drawing(placed=[(cart, lambda q: mb.shapes.at_angle((q["x"], q["y"]), q["phi"]))])


def speed_and_turning(q, t):
    """α with the free quasi-velocities u and ω."""
    return [[np.cos(q[2]), np.sin(q[2]), 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0, 0.0], *rolling(q)]


def free_velocities(q, v):
    """The free quasi-velocities u and ω."""
    return np.array([np.cos(q[2]) * v[0] + np.sin(q[2]) * v[1], v[2]])


def claims(run):
    U = np.sqrt(U0**2 + TURNING * OMEGA0**2 / ALONG)
    s = PLATFORM * A * U / TURNING * run.t + np.arctanh(U0 / U)
    u, omega = free_velocities(run.q.T, run.v.T)
    turning = U * np.sqrt(ALONG / TURNING) / np.cosh(s)
    states = [(run.q[i], run.v[i]) for i in range(0, len(run), 10)]
    found = [
        maggi(lambda q, v, t: kinetic_energy(q, v), speed_and_turning, q, free_velocities(q, v)) for q, v in states
    ]
    reason = "closed form; the integrator keeps 1e-12 per step, and errors add up over the run"
    return [
        g.Claim("the speed is U tanh s", g.relative(u, U * np.tanh(s)), 1e-9, reason),
        g.Claim("the angular velocity is W / cosh s", g.relative(omega, turning), 1e-9, reason),
        g.Claim("Maggi's equations agree with Gauss", g.relative(found, run.a[::10]), 1e-11, "rounding"),
    ]


def figure(run, figure):
    axes = figure.subplots()
    dense = run.at(np.linspace(run.t[0], run.t[-1], 600))
    axes.plot(dense.t, free_velocities(dense.q.T, dense.v.T).T, label=("u / (m/s)", "ω / (rad/s)"))
    axes.set(xlabel="t / s", title="speed and angular velocity")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
