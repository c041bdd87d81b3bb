"""The other claims of scenarios/elastic_pendulum.py.

A mass m = 1 kg hangs on a massless telescopic arm of length l with the stiffness k = 39.24 N/m; gravity is 9.81 m/s².
The model has the position (x, y, z) of the mass (z upwards) and the length l, in m, and one constraint, the sphere of
radius l: x² + y² + z² = l². The coordinate l has no mass. The exercise takes V_s = ½kl² for the spring; l₀ is a natural
length that it may have besides, V_s = ½k(l − l₀)². With theta from the downward vertical and phi about it (rad),

    L = ½m(l_dot² + l² theta_dot² + l² sin²theta phi_dot²) + m g l cos theta − ½k(l − l₀)².

Known answers: the energy and the angular momentum p_phi are conserved. As printed, l₀ = 0, the force of the spring is
−k(x, y, z): the mass goes round an ellipse about (0, 0, −mg/k) with the one frequency √(k/m), and λ = −k/2 is constant.
With a natural length the frequencies of small motions about l_e = l₀ + mg/k are √(k/m) along the arm and √(g/l_e)
across it; for l₀ = 3mg/k they are 2:1, and the energy goes to and fro between springing and swinging, while the plane
of the swing turns from one time to the next.
"""

import numpy as np
from scipy.integrate import solve_ivp

import gauss as g
from scenarios.elastic_pendulum import GRAVITY, MASS, NATURAL, RATE, SAG, STIFFNESS, start, state, system

resonant = system.with_parameters(l_0=NATURAL)


def chart(s, t):
    """The coordinates at (l, theta, phi)."""
    across = s[0] * g.sin(s[1])
    return [across * g.cos(s[2]), across * g.sin(s[2]), -s[0] * g.cos(s[1]), s[0]]


def inverse(q, v, t):
    """(l, theta, phi) and their rates; l may have either sign."""
    l, l_dot = q[3], v[3]
    ux, uy, uz = (q[k] / l for k in range(3))
    wx, wy, wz = ((v[k] - q[k] / l * l_dot) / l for k in range(3))
    rho = g.hypot(ux, uy)
    theta_dot = rho * wz - uz * (ux * wx + uy * wy) / rho
    return [l, g.atan2(rho, -uz), g.atan2(uy, ux)], [l_dot, theta_dot, (ux * wy - uy * wx) / rho**2]


minimal = g.Minimal(
    lagrangian=lambda s, s_dot, t: (
        0.5 * MASS * (s_dot[0] ** 2 + s[0] ** 2 * s_dot[1] ** 2 + (s[0] * g.sin(s[1]) * s_dot[2]) ** 2)
        + MASS * GRAVITY * s[0] * g.cos(s[1])
        - 0.5 * STIFFNESS * s[0] ** 2
    ),
    chart=chart,
    inverse=inverse,
    text="l, theta, phi",
)


def by_lagrange(times, first):
    """(l, theta, phi) and rates, (6, N), of the resonant pendulum, from Lagrange's equations, integrated by SciPy."""

    def rates(t, w):
        l, theta, _, l_dot, theta_dot, phi_dot = w
        s, c = np.sin(theta), np.cos(theta)
        along = l * theta_dot**2 + l * s**2 * phi_dot**2 + GRAVITY * c - STIFFNESS * (l - NATURAL) / MASS
        across = (-2 * l_dot * theta_dot - GRAVITY * s) / l + s * c * phi_dot**2
        around = -2 * phi_dot * (l_dot / l + theta_dot * c / s)
        return [l_dot, theta_dot, phi_dot, along, across, around]

    return solve_ivp(rates, (times[0], times[-1]), first, "DOP853", t_eval=times, rtol=1e-13, atol=1e-14).y


def swing(t_end):
    """The resonant pendulum, started high on its spring and a little aside."""
    q, v = state(np.array([0.04, 0.0, -(NATURAL + SAG) + 0.11]), np.array([0.0, 0.0427, 0.0]))
    return g.simulate(resonant, q, v, t_end=t_end, progress="none")


def resonance_claims():
    """Claims about the pendulum with a natural length."""
    run = swing(20.0)
    angles, rates = inverse(run.q.T, run.v.T, 0.0)
    rest = NATURAL + SAG
    expected = by_lagrange(run.t, [*(x[0] for x in angles), *(x[0] for x in rates)])
    position = np.array(chart(expected[:3], 0.0))
    turn = run["x"] * run["d_y"] - run["y"] * run["d_x"]
    linear = g.linearize(resonant, [0.0, 0.0, -rest, rest])
    frequencies = np.sort(np.abs(linear.eigenvalues.imag))[::2]
    drift = len(run) * run.about.rtol
    return [
        g.Claim(
            "with a natural length l, theta and phi follow Lagrange's equations",
            max(g.relative(run.q[:, k], position[k]) for k in range(4)),
            1e-7,
            "the three equations, integrated for 20 s by SciPy with rtol 1e-13; phi is fast where theta is small",
        ),
        g.Claim(
            "with l₀ = 3mg/k the frequencies at rest are √(k/m), and twice √(g/l_e) = ½√(k/m)",
            g.relative(frequencies, RATE * np.array([0.5, 0.5, 1.0])),
            1e-7,
            "closed form; a double eigenvalue is known to about √eps",
        ),
        g.Claim(
            "the resonant pendulum conserves energy",
            float(np.max(np.abs(run.energy - run.energy[0]))),
            drift * float(np.max(2 * run.kinetic + np.abs(run.potential))),
            "N steps that err by rtol each, times the largest 2T + |V|",
        ),
        g.Claim(
            "and its angular momentum about the vertical",
            float(np.max(np.abs(turn - turn[0]))),
            2 * drift * float(np.max(np.hypot(run["x"], run["y"])) * np.max(np.hypot(run["d_x"], run["d_y"]))),
            "N steps that err by rtol each in position and velocity",
        ),
    ]


@g.needs(start.t_end)
def claims(run):
    period = 2 * np.pi / RATE
    back = run.at([period, 2 * period, 3 * period])
    turn = run["x"] * run["d_y"] - run["y"] * run["d_x"]
    return [
        g.Claim(
            "the angular momentum about the vertical is conserved",
            float(np.max(np.abs(turn / turn[0] - 1))),
            2 * len(run) * run.about.rtol,
            "N steps that err by rtol each in position and velocity",
        ),
        g.Claim(
            "it is back after each period 2π√(m/k)",
            float(np.max(np.abs(back.q - run.q[0]))),
            1e-9,
            f"closed form: {period:.9f} s",
        ),
        *resonance_claims(),
    ]
