"""Spherical pendulum: a heavy point on a sphere, and the tension of its thread.

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
from gauss import bodies as mb

COVERS = ("T16",)
SOURCE = "TM §8.1.1"

MASS, RADIUS, GRAVITY = 0.5, 1.0, 9.81  # kg, m, m/s²
THETA, PHI_DOT = 2.0, 1.5  # rad from the upper pole, rad/s: the start, an apsis

system = g.System(
    "spherical pendulum",
    coordinates="x y z",
    kinetic_energy=lambda v, p: 0.5 * p.m * (v.x**2 + v.y**2 + v.z**2),
    potential_energy=lambda q, p: p.m * p.g * q.z,
    constraints=[g.Holonomic("thread", lambda q, p: q.x**2 + q.y**2 + q.z**2 - p.r**2)],
    parameters={"m": MASS, "r": RADIUS, "g": GRAVITY},
)
start = g.Start(
    q=[RADIUS * np.sin(THETA), 0.0, RADIUS * np.cos(THETA)],
    v=[0.0, RADIUS * np.sin(THETA) * PHI_DOT, 0.0],
    t_end=10.0,
    step=0.002,
)
drawing = mb.Drawing(
    lines=[lambda q: [(0, 0, 0), (q["x"], q["y"], q["z"])]], traces=[lambda q: (q["x"], q["y"], q["z"])], speed=0.5
)


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


def tension(run):
    """The pull of the thread |λ∇φ| (N) towards the centre."""
    return -2 * RADIUS * run["thread"]


def claims(run):
    momentum = MASS * (run["x"] * run["d_y"] - run["y"] * run["d_x"])
    speed2 = np.sum(run.v**2, axis=1)
    drift = len(run) * run.about.rtol
    steps = [0.02, 0.01, 0.005]
    coarse = [g.simulate(system, start.q, start.v, t_end=2.0, method="rk4", step=h) for h in steps]
    errors = [float(np.max(np.abs(r.q.T - in_angles(r.t)))) for r in coarse]
    return [
        g.Claim(
            "the path agrees with the equations of motion in theta and phi",
            g.relative(run.q.T, in_angles(run.t)),
            1e-9,
            "those integrated by SciPy with rtol 1e-13, atol 1e-14",
        ),
        g.Claim(
            "the energy is conserved",
            float(np.max(np.abs(run.energy - run.energy[0]))),
            drift * float(np.max(2 * run.kinetic + np.abs(run.potential))),
            "N steps that err by rtol each, times the largest 2T + |V|",
        ),
        g.Claim(
            "the angular momentum about the vertical is conserved",
            g.relative(momentum, np.full(len(run), MASS * (RADIUS * np.sin(THETA)) ** 2 * PHI_DOT)),
            drift * float(np.max(MASS * RADIUS * np.sqrt(speed2))) / abs(momentum[0]),
            "N steps that err by rtol each, times the largest m r v",
        ),
        g.Claim(
            "the tension |λ∇φ| is m(v² − g z)/r",
            g.relative(tension(run), MASS * (speed2 - GRAVITY * run["z"]) / RADIUS),
            1e-12,
            "Newton's second law along the thread at the recorded states, which lie on the sphere to rounding",
        ),
        g.Claim(
            "RK4 has order 4",
            abs(g.convergence_order(steps, errors) - 4.0),
            0.1,
            "error against the angles' path over 2 s, finest pair of three steps",
        ),
    ]


def figure(run, figure):
    grid = figure.add_gridspec(1, 3, width_ratios=[1.15, 1, 1.1])
    t = np.linspace(run.t[0], run.t[-1], 1500)
    dense = run.at(t)
    x, y, z = dense.q.T
    space = figure.add_subplot(grid[0], projection="3d", computed_zorder=False)
    u, w = np.meshgrid(np.linspace(0, 2 * np.pi, 49), np.linspace(np.pi / 2, np.pi, 13))
    bowl = (RADIUS * np.sin(w) * np.cos(u), RADIUS * np.sin(w) * np.sin(u), RADIUS * np.cos(w))
    space.plot_wireframe(*bowl, rstride=2, cstride=4, color="0.85", lw=0.5, zorder=0)
    space.plot(x, y, z, lw=0.9, zorder=2)
    space.plot([0, x[0]], [0, y[0]], [0, z[0]], color="0.3", lw=1.2, zorder=3)
    space.plot(x[:1], y[:1], z[:1], "ko", ms=6, zorder=4)
    space.view_init(elev=28, azim=-60)
    space.set_box_aspect((1, 1, 0.5), zoom=1.3)
    space.set_axis_off()
    space.set_title("path on the sphere")
    top = figure.add_subplot(grid[1])
    top.plot(x, y, lw=0.9)
    top.plot(x[:1], y[:1], "ko", ms=5)
    top.set(xlabel="x / m", ylabel="y / m", title="from above", aspect="equal")
    right = figure.add_subplot(grid[2])
    part = t <= 4.0
    right.plot(t[part], tension(dense)[part], label="|λ∇φ|")
    formula = MASS * (np.sum(dense.v**2, axis=1) - GRAVITY * z) / RADIUS
    right.plot(t[part][::12], formula[part][::12], ".", label="m(v² − g z)/r")
    right.set(xlabel="t / s", ylabel="tension / N", title="thread")
    right.margins(y=0.2)
    right.legend(loc="upper right", ncols=2, fontsize=8, handlelength=1.2)


if __name__ == "__main__":
    g.main(__file__)
