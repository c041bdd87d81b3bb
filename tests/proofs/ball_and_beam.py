"""The other claims of scenarios/ball_and_beam.py.

A beam with moment of inertia I = 20 kg m² turns about its middle by the angle phi (rad) from the horizontal; a ball,
taken as a point of mass m = 0.5 kg, moves along it without friction; gravity is 9.81 m/s². The model has the position
(x, y) of the ball (m) and phi, with one constraint: the ball is on the line of the beam, x sin phi − y cos phi = 0.
With r = x cos phi + y sin phi the Lagrangian is

    L = ½(I + m r²) phi_dot² + ½ m r_dot² − m g r sin phi.

Known answers: r, phi and their momenta follow Hamilton's canonical equations (TM §5.4.1), and the energy is conserved;
the ball presses on the beam with N = −λ = m(g cos phi + 2 r_dot phi_dot + r phi_ddot). Near the horizontal position of
rest, small motions are like exp(±kt) and cos kt with k⁴ = m g²/I. The start (at rest, phi = k² r/g) excites the
oscillation alone to first order; the unstable part that is left grows until the ball reaches the end of the beam.

TM §4.1.1 prints Lagrange's equation for phi as (I + mr²)φ̈ + 2mrφ̇ + mgr cos φ = 0. The velocity term must be 2mrṙφ̇:
it is the derivative of mr² times φ̇, and only so do all terms have the unit N m.
"""

import numpy as np
from scipy.integrate import solve_ivp

import gauss as g
from scenarios.ball_and_beam import GRAVITY, INERTIA, MASS, PHI, R, along

minimal = g.Minimal(
    lagrangian=lambda s, s_dot, t: (
        0.5 * (INERTIA + MASS * s[0] ** 2) * s_dot[1] ** 2
        + 0.5 * MASS * s_dot[0] ** 2
        - MASS * GRAVITY * s[0] * g.sin(s[1])
    ),
    chart=lambda s, t: [s[0] * g.cos(s[1]), s[0] * g.sin(s[1]), s[1]],
    inverse=along,
    text="r, phi",
)


def by_hamilton(times):
    """(r, phi, p_r, p_phi), each (N,), from the canonical equations of TM §5.4.1, integrated by SciPy."""

    def rates(t, w):
        r, phi, p1, p2 = w
        inertia = INERTIA + MASS * r**2
        return [
            p1 / MASS,
            p2 / inertia,
            MASS * r * p2**2 / inertia**2 - MASS * GRAVITY * np.sin(phi),
            -MASS * GRAVITY * r * np.cos(phi),
        ]

    first = [R, PHI, 0.0, 0.0]
    return solve_ivp(rates, (times[0], times[-1]), first, "DOP853", t_eval=times, rtol=1e-12, atol=1e-13).y


def claims(run):
    (r, phi), (r_dot, phi_dot) = along(run.q.T, run.v.T, 0.0)
    inertia = INERTIA + MASS * r**2
    canonical = r, phi, MASS * r_dot, inertia * phi_dot
    return [
        g.Claim(
            "the energy is conserved",
            float(np.max(np.abs(run.energy - run.energy[0]))),
            len(run) * run.about.rtol * float(np.max(2 * run.kinetic + np.abs(run.potential))),
            "N steps that err by rtol each, times the largest 2T + |V|",
        ),
        g.Claim(
            "r, phi and their momenta follow Hamilton's equations",
            max(g.relative(*pair) for pair in zip(canonical, by_hamilton(run.t), strict=True)),
            1e-9,
            "the canonical equations as printed, integrated by SciPy with rtol 1e-12, atol 1e-13",
        ),
    ]
