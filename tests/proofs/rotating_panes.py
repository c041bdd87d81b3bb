"""The other claims of scenarios/rotating_panes.py.

Particles P1, P2 of masses m1 = 0.4 kg, m2 = 0.7 kg are joined by a massless rod of length L = 0.6 m. Smooth panes keep
both in a vertical plane through the vertical axis y, and the plane is made to turn about it with ω = 1.5 rad/s. The
coordinates are Cartesian and at rest (m), so the panes are two rheonomic rows, x sin ωt + z cos ωt = 0 for each
particle. In the plane, with P1 at the distance q1 from the axis and at the height q2, and the rod at the angle q3 to
the horizontal, the velocities of P1 along the rod, u1, and across it in the plane, u2, and u3 = q3_dot obey

    u1_dot = −g sin q3 + ω² q1 cos q3 + u2 u3 + (ω² cos² q3 + u3²) L m2/(m1 + m2),
    u2_dot = −g cos q3 − ω² q1 sin q3 − u1 u3,
    u3_dot = −ω² sin q3 cos q3.

With a sharp edge at P2 that lets it move in the plane along the rod only, u3 = −u2/L, and

    u1_dot = −g sin q3 + ω² q1 cos q3 + (m2 L ω² cos² q3 − m1 u2²/L)/(m1 + m2),
    u2_dot = −g cos q3 − ω² q1 sin q3 + u1 u2/L.

These are the closed forms of the book. The panes do work, so energy is not conserved, but without the edge the function
of Jacobi, energy less ω times the angular momentum about the axis, is.
"""

import numpy as np

import gauss as g
from scenarios.rotating_panes import FIRST, M1, M2, OMEGA, RATES, G, L, at_start, by_kane, in_plane, particles, start


def across(q, t):
    """E_y, the unit vector across the rod in the plane: the normal of the plane times the direction of the rod."""
    s, c = g.sin(OMEGA * t), g.cos(OMEGA * t)
    ex = [(q.x2 - q.x1) / L, (q.y2 - q.y1) / L, (q.z2 - q.z1) / L]
    return [-c * ex[1], c * ex[0] - s * ex[2], s * ex[1]]


def carried(q, t):
    """−E_y·(ω × P2), which is what the plane's own velocity adds to that of P2."""
    e = across(q, t)
    return -OMEGA * (e[0] * q.z2 - e[2] * q.x2)


EDGED = particles(
    "particles between turning panes, one with an edge",
    g.Pfaffian("edge", lambda q, t: dict(zip(("x2", "y2", "z2"), across(q, t), strict=True)), carried),
)


def chart(s, t):
    """The Cartesian coordinates at (q1, q2, q3)."""
    c, z = g.cos(OMEGA * t), -g.sin(OMEGA * t)
    far, high = s[0] + L * g.cos(s[2]), s[1] + L * g.sin(s[2])
    return [s[0] * c, s[1], s[0] * z, far * c, high, far * z]


def inverse(q, v, t):
    """(q1, q2, q3) and their rates."""
    c, z = g.cos(OMEGA * t), -g.sin(OMEGA * t)
    near, far = q[0] * c + q[2] * z, q[3] * c + q[5] * z
    pace, space = v[0] * c + v[2] * z, v[3] * c + v[5] * z
    angle_dot = ((far - near) * (v[4] - v[1]) - (q[4] - q[1]) * (space - pace)) / L**2
    return [near, q[1], g.atan2(q[4] - q[1], far - near)], [pace, v[1], angle_dot]


def lagrangian(s, s_dot, t):
    """T − V in (q1, q2, q3)."""
    far = s[0] + L * g.cos(s[2])
    far_dot = s_dot[0] - L * s_dot[2] * g.sin(s[2])
    high_dot = s_dot[1] + L * s_dot[2] * g.cos(s[2])
    first = 0.5 * M1 * (s_dot[0] ** 2 + s_dot[1] ** 2 + OMEGA**2 * s[0] ** 2)
    second = 0.5 * M2 * (far_dot**2 + high_dot**2 + OMEGA**2 * far**2)
    return first + second - G * (M1 * s[1] + M2 * (s[1] + L * g.sin(s[2])))


EDGE_RATES = [*RATES[:2], (RATES[0] * np.sin(FIRST[2]) - RATES[1] * np.cos(FIRST[2])) / L]  # u3 = −u2/L

minimal = g.Minimal(lagrangian=lagrangian, chart=chart, inverse=inverse, text="q1, q2, q3 in the plane")


def edged_rates(q1, q3, u):
    """The book's u_dot of ex. 11.2, with that of u3 = −u2/L."""
    w2 = OMEGA**2
    first = -G * g.sin(q3) + w2 * q1 * g.cos(q3) + (M2 * L * w2 * g.cos(q3) ** 2 - M1 * u[1] ** 2 / L) / (M1 + M2)
    second = -G * g.cos(q3) - w2 * q1 * g.sin(q3) + u[0] * u[1] / L
    return [first, second, -second / L]


def edged_run():
    q, v = at_start(FIRST, EDGE_RATES)
    return g.simulate(EDGED, q, v, t_end=start.t_end, rtol=start.rtol, progress="none")


def claims(run):
    edged = edged_run()
    reason = "the book's equations integrated by SciPy to 1e-13; the run keeps 1e-12 per step, and errors add up"
    return [
        g.Claim("with the edge too", error(edged, edged_rates, EDGE_RATES), 1e-9, reason),
    ]


def error(run, rates, s_dot):
    """The largest difference from the book's motion, relative to the largest coordinate."""
    return max(g.relative(a, b) for a, b in zip(in_plane(run), by_kane(rates, s_dot, run.t), strict=True))
