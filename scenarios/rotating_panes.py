"""Two particles on a rod between panes of glass that are made to turn: Kane's equations, with and without an edge.

Particles P1, P2 of masses m1 = 0.4 kg, m2 = 0.7 kg are joined by a massless rod of length L = 0.6 m. Smooth panes keep
both in a vertical plane through the vertical axis y, and the plane is made to turn about it with ω = 1.5 rad/s. The
coordinates are Cartesian and at rest (m), so the panes are two rheonomic rows, x sin ωt + z cos ωt = 0 for each
particle. In the plane, with P1 at the distance q1 from the axis and at the height q2, and the rod at the angle q3 to
the horizontal, the velocities of P1 along the rod, u1, and across it in the plane, u2, and u3 = q3_dot obey

    u1_dot = −g sin q3 + ω² q1 cos q3 + u2 u3 + (ω² cos² q3 + u3²) L m2/(m1 + m2),
    u2_dot = −g cos q3 − ω² q1 sin q3 − u1 u3,   u3_dot = −ω² sin q3 cos q3.

These are the closed forms of the book. The proofs add its sharp edge at P2, which moves in the plane along the rod.
"""

import numpy as np
from scipy.integrate import solve_ivp

import gauss as g

SOURCE = "T. Kane, D. Levinson, Dynamics: Theory and Applications (1985), ch. 6, ex. 11.1 and 11.2"

M1, M2, L, OMEGA, G = 0.4, 0.7, 0.6, 1.5, 9.81  # kg, kg, m, rad/s, m/s²
FIRST, RATES = [0.3, 0.0, 0.4], [0.5, 1.0, 1.2]  # q1, q2 (m), q3 (rad) and their rates


def particles(name, *edge):
    """The two particles on their rod between the panes, with further rows."""
    return g.System(
        name,
        coordinates="x1 y1 z1 x2 y2 z2",
        kinetic_energy=lambda v: 0.5 * M1 * (v.x1**2 + v.y1**2 + v.z1**2) + 0.5 * M2 * (v.x2**2 + v.y2**2 + v.z2**2),
        potential_energy=lambda q: G * (M1 * q.y1 + M2 * q.y2),
        constraints=[
            g.Holonomic("panes at P1", lambda q, t: q.x1 * g.sin(OMEGA * t) + q.z1 * g.cos(OMEGA * t)),
            g.Holonomic("panes at P2", lambda q, t: q.x2 * g.sin(OMEGA * t) + q.z2 * g.cos(OMEGA * t)),
            g.Holonomic("rod", lambda q: (q.x2 - q.x1) ** 2 + (q.y2 - q.y1) ** 2 + (q.z2 - q.z1) ** 2 - L**2),
            *edge,
        ],
    )


def at_start(s, s_dot):
    """Cartesian coordinates and velocities at t = 0."""
    far, high = s[0] + L * np.cos(s[2]), s[1] + L * np.sin(s[2])
    far_dot, high_dot = s_dot[0] - L * s_dot[2] * np.sin(s[2]), s_dot[1] + L * s_dot[2] * np.cos(s[2])
    return [s[0], s[1], 0, far, high, 0], [s_dot[0], s_dot[1], -OMEGA * s[0], far_dot, high_dot, -OMEGA * far]


system = particles("particles between turning panes")
start = g.Start(*at_start(FIRST, RATES), t_end=1.0, step=0.001, rtol=1e-12)


def free_rates(q1, q3, u):
    """The book's u_dot of ex. 11.1."""
    share, w2 = L * M2 / (M1 + M2), OMEGA**2
    return [
        -G * g.sin(q3) + w2 * q1 * g.cos(q3) + u[1] * u[2] + (w2 * g.cos(q3) ** 2 + u[2] ** 2) * share,
        -G * g.cos(q3) - w2 * q1 * g.sin(q3) - u[2] * u[0],
        -w2 * g.sin(q3) * g.cos(q3),
    ]


def by_kane(rates, s_dot, times):
    """(q1, q2, q3) by the book's equations, integrated by SciPy."""

    def flow(t, y):
        q1, _, q3, *u = y
        c, s = np.cos(q3), np.sin(q3)
        return [u[0] * c - u[1] * s, u[0] * s + u[1] * c, u[2], *rates(q1, q3, u)]

    c, s = np.cos(FIRST[2]), np.sin(FIRST[2])
    u = [s_dot[0] * c + s_dot[1] * s, -s_dot[0] * s + s_dot[1] * c, s_dot[2]]
    return solve_ivp(flow, (0.0, times[-1]), [*FIRST, *u], "DOP853", t_eval=times, rtol=1e-13, atol=1e-13).y[:3]


def in_plane(run):
    """(q1, q2, q3) along a run."""
    c, s = np.cos(OMEGA * run.t), np.sin(OMEGA * run.t)
    q1, far = run["x1"] * c - run["z1"] * s, run["x2"] * c - run["z2"] * s
    return np.array([q1, run["y1"], np.unwrap(np.arctan2(run["y2"] - run["y1"], far - q1))])


def claims(run):
    off = max(g.relative(a, b) for a, b in zip(in_plane(run), by_kane(free_rates, RATES, run.t), strict=True))
    reason = "the book's equations integrated by SciPy to 1e-13; the run keeps 1e-12 per step, and errors add up"
    return [g.Claim("the motion is that of Kane's equations", off, 1e-9, reason)]


def figure(run, figure):
    axes, times = figure.subplots(), np.linspace(0.0, run.t[-1], 300)
    (q1, q2, q3), book = in_plane(run.at(times)), by_kane(free_rates, RATES, times)
    axes.plot(q1, q2, label="P1")
    axes.plot(q1 + L * np.cos(q3), q2 + L * np.sin(q3), label="P2")
    axes.plot(book[0][::15], book[1][::15], "k.", label="P1 by Kane's equations")
    axes.set(xlabel="distance from the axis / m", ylabel="height / m", title="in the turning plane")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
