"""The other claims of scenarios/spherical_pendulum.py.

A point of mass m = 0.5 kg moves on the sphere x² + y² + z² = r² with r = 1 m, z upwards, under gravity 9.81 m/s². With
the spherical angles theta from the upper pole and phi (rad), x = r sin theta cos phi, y = r sin theta sin phi,
z = r cos theta, the Lagrangian is

    L = ½ m r² (theta_dot² + sin² theta phi_dot²) − m g r cos theta.

Known answers: the energy and the angular momentum m(x ẏ − y ẋ) about the vertical are conserved; the path is the one
that the equations of motion in the angles give; the tension of the thread is |λ∇φ| = m(v²/r − g z/r), positive while
the thread pulls. The motion is bound between two heights and its apsides precess.
"""

import numpy as np
from scipy.integrate import solve_ivp

import gauss as g
from scenarios.spherical_pendulum import GRAVITY, MASS, PHI_DOT, RADIUS, THETA, start, system


def _chart(s, t):
    theta, phi = s
    return [RADIUS * g.sin(theta) * g.cos(phi), RADIUS * g.sin(theta) * g.sin(phi), RADIUS * g.cos(theta)]


def _angles(q, v, t):
    """(theta, phi) and their rates."""
    x, y, z = q
    rho = g.hypot(x, y)
    theta_dot = (z * (x * v[0] + y * v[1]) / rho - rho * v[2]) / RADIUS**2
    return [g.atan2(rho, z), g.atan2(y, x)], [theta_dot, (x * v[1] - y * v[0]) / rho**2]


minimal = g.Minimal(
    lagrangian=lambda s, s_dot, t: (
        0.5 * MASS * RADIUS**2 * (s_dot[0] ** 2 + g.sin(s[0]) ** 2 * s_dot[1] ** 2)
        - MASS * GRAVITY * RADIUS * g.cos(s[0])
    ),
    chart=_chart,
    inverse=_angles,
    text="spherical angles theta, phi",
)


def in_angles(times):
    """The Cartesian path (3, N) from the equations of motion in theta and phi, integrated by SciPy."""

    def rates(t, y):
        theta, _, theta_dot, phi_dot = y
        swing = np.sin(theta) * np.cos(theta) * phi_dot**2 + GRAVITY / RADIUS * np.sin(theta)
        return [theta_dot, phi_dot, swing, -2 * theta_dot * phi_dot * np.cos(theta) / np.sin(theta)]

    first = [THETA, 0.0, 0.0, PHI_DOT]
    y = solve_ivp(rates, (times[0], times[-1]), first, "DOP853", t_eval=times, rtol=1e-13, atol=1e-14).y
    return np.array(_chart(y[:2], 0.0))


def claims(run):
    steps = [0.02, 0.01, 0.005]
    coarse = [g.simulate(system, start.q, start.v, t_end=2.0, method="rk4", step=h) for h in steps]
    errors = [float(np.max(np.abs(r.q.T - in_angles(r.t)))) for r in coarse]
    return [
        g.Claim(
            "the energy is conserved",
            float(np.max(np.abs(run.energy - run.energy[0]))),
            len(run) * run.about.rtol * float(np.max(2 * run.kinetic + np.abs(run.potential))),
            "N steps that err by rtol each, times the largest 2T + |V|",
        ),
        g.Claim(
            "the path agrees with the equations of motion in theta and phi",
            g.relative(run.q.T, in_angles(run.t)),
            1e-9,
            "those integrated by SciPy with rtol 1e-13, atol 1e-14",
        ),
        g.Claim(
            "RK4 has order 4",
            abs(g.analysis.convergence_order(steps, errors) - 4.0),
            0.1,
            "error against the angles' path over 2 s, finest pair of three steps",
        ),
    ]
