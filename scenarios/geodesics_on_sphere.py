"""Geodesics on the sphere: without forces a point follows great circles at constant speed.

A point of mass 1 kg moves on the unit sphere x² + y² + z² = 1 (m) without applied forces. Its Lagrangian is the kinetic
energy, so it follows the geodesics of the Riemannian metric that the mass matrix defines, at constant speed. In the
spherical angles phi, theta (rad; z = cos theta) that metric is diag(sin² theta, 1). Known answer, with the speed c:

    r(t) = r₀ cos(ct) + (v₀/c) sin(ct),

a great circle in the plane with the normal r × v. The multiplier is constant, λ = −c²/2 (N/m): the reaction 2λr is the
centripetal force. Without forces the Zwang is half the squared acceleration, ½c⁴κ² at constant speed, where κ is the
curvature of the path: Gauss's principle becomes Hertz's principle of least curvature, and a great circle has the least
that a curve on the unit sphere can have, κ = 1 per metre.
"""

import numpy as np

import gauss as g

COVERS = ("T11",)
SOURCE = "TM §4.3–4.4"

SPEED = 1.3  # m/s
POINT = np.array([0.6, 0.0, 0.8])
DIRECTION = np.array([0.48, 0.8, -0.36])  # a unit tangent at the point

system = g.System(
    "free point on the unit sphere",
    coordinates="x y z",
    kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2),
    constraints=[g.Holonomic("sphere", lambda q: q.x**2 + q.y**2 + q.z**2 - 1.0)],
)
start = g.Start(q=POINT, v=SPEED * DIRECTION, t_end=10.0, step=0.005)


def _angles(q, v, t):
    """(phi, theta) and their rates."""
    x, y, z = q
    rho = g.hypot(x, y)
    theta_dot = z * (x * v[0] + y * v[1]) / rho - rho * v[2]
    return [g.atan2(y, x), g.atan2(rho, z)], [(x * v[1] - y * v[0]) / rho**2, theta_dot]


minimal = g.Minimal(
    lagrangian=lambda s, s_dot, t: 0.5 * (g.sin(s[1]) ** 2 * s_dot[0] ** 2 + s_dot[1] ** 2),
    chart=lambda s, t: [g.sin(s[1]) * g.cos(s[0]), g.sin(s[1]) * g.sin(s[0]), g.cos(s[1])],
    inverse=_angles,
    text="spherical angles phi, theta with the metric diag(sin² theta, 1)",
)


def great_circle(t):
    """The closed-form positions and velocities, each (N, 3)."""
    c, s = np.cos(SPEED * t)[:, None], np.sin(SPEED * t)[:, None]
    return POINT * c + DIRECTION * s, SPEED * (DIRECTION * c - POINT * s)


def claims(run):
    position, velocity = great_circle(run.t)
    speed = np.linalg.norm(run.v, axis=1)
    normal = np.cross(run.q, run.v)
    drift = len(run) * run.about.rtol
    return [
        g.Claim(
            "positions and velocities follow the great circle",
            max(g.relative(run.q, position), g.relative(run.v, velocity)),
            1e-9,
            "closed form",
        ),
        g.Claim("the speed is constant", g.relative(speed, SPEED), drift, "N steps that err by rtol each"),
        g.Claim(
            "the plane of the motion is constant: its normal r × v",
            g.relative(normal, SPEED * np.cross(POINT, DIRECTION)),
            drift,
            "N steps that err by rtol each",
        ),
        g.Claim(
            "the Zwang is c⁴/2, that of the least curvature",
            g.relative(run.zwang, np.full(len(run), SPEED**4 / 2)),
            1e-9,
            "closed form: curvature 1 of a great circle",
        ),
        g.Claim(
            "λ is −c²/2",
            g.relative(run["sphere"], np.full(len(run), -(SPEED**2) / 2)),
            1e-9,
            "closed form: centripetal acceleration c², and a row of length 2",
        ),
    ]


def figure(run, figure):
    grid = figure.add_gridspec(1, 2, width_ratios=[1.1, 1])
    ball = figure.add_subplot(grid[0], projection="3d", computed_zorder=False)
    u, w = np.meshgrid(np.linspace(0, 2 * np.pi, 61), np.linspace(0, np.pi, 31))
    sphere = (np.sin(w) * np.cos(u), np.sin(w) * np.sin(u), np.cos(w))
    ball.plot_surface(*sphere, color="0.95", lw=0, alpha=0.6, shade=False, zorder=0)
    ball.plot_wireframe(*sphere, rstride=5, cstride=5, color="0.8", lw=0.4, zorder=1)
    ball.view_init(elev=25, azim=20)
    eye = np.array([np.cos(0.436) * np.cos(0.349), np.cos(0.436) * np.sin(0.349), np.sin(0.436)])
    t = np.linspace(0.0, 2 * np.pi / SPEED, 241)
    side = np.cross(POINT, DIRECTION)
    for k in range(5):
        heading = DIRECTION * np.cos(k * np.pi / 5) + side * np.sin(k * np.pi / 5)
        q = g.simulate(system, POINT, SPEED * heading, t_end=t[-1]).at(t).q
        front = q @ eye >= 0.0
        ball.plot(*np.where(front, q.T, np.nan), color=f"C{k}", lw=1.8, zorder=3)
        ball.plot(*np.where(front, np.nan, q.T), color=f"C{k}", lw=0.8, ls=":", zorder=2)
    ball.plot(*POINT, "ko", ms=5, zorder=4)
    ball.set_box_aspect((1, 1, 1), zoom=1.35)
    ball.set_axis_off()
    ball.set_title("great circles through one point")
    right = figure.add_subplot(grid[1])
    position, velocity = great_circle(run.t)
    right.semilogy(run.t, np.linalg.norm(run.q - position, axis=1) + 1e-17, label="distance from closed form / m")
    right.semilogy(run.t, np.abs(np.linalg.norm(run.v, axis=1) - SPEED) + 1e-17, lw=4, label="error of speed / m s⁻¹")
    tilt = np.linalg.norm(np.cross(run.q, run.v) - np.cross(position, velocity), axis=1)
    right.semilogy(run.t, tilt + 1e-17, label="error of r × v / m² s⁻¹")
    right.set(xlabel="t / s", title="errors", ylim=(1e-14, 1e-8))
    right.legend(loc="upper left")


if __name__ == "__main__":
    g.main(__file__)
