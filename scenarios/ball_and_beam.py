"""Ball and beam: Gauss, Lagrange and Hamilton agree until the ball leaves the beam.

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
drawing = mb.Drawing(  # the ball is a point on the line of the beam
    placed=[
        (
            mb.shapes.Segment([(-HALF_LENGTH, 0), (HALF_LENGTH, 0)]),
            lambda q: mb.shapes.at_angle((0, 0), q["phi"]),
        ),
        (mb.shapes.Points([(0, 0)]), lambda q: mb.shapes.at_angle((q["x"], q["y"]), 0.0)),
    ],
    shapes={mb.GROUND: mb.shapes.Polygon([(0, 0), (-0.15, -0.5), (0.15, -0.5)])},
)


def along(q, v, t):
    """(r, phi) and their rates."""
    x, y, phi = q
    c, s = g.cos(phi), g.sin(phi)
    return [x * c + y * s, phi], [v[0] * c + v[1] * s, v[2]]


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
    inertia, phi_ddot = INERTIA + MASS * r**2, run["dd_phi"]
    canonical = r, phi, MASS * r_dot, inertia * phi_dot
    weight = MASS * GRAVITY * r * np.cos(phi)
    normal = MASS * (GRAVITY * np.cos(phi) + 2 * r_dot * phi_dot + r * phi_ddot)
    return [
        g.Claim(
            "r, phi and their momenta follow Hamilton's equations",
            max(g.relative(*pair) for pair in zip(canonical, by_hamilton(run.t), strict=True)),
            1e-9,
            "the canonical equations as printed, integrated by SciPy with rtol 1e-12, atol 1e-13",
        ),
        g.Claim(
            "Lagrange's equation for phi holds with the term 2 m r r_dot phi_dot",
            g.relative(inertia * phi_ddot + 2 * MASS * r * r_dot * phi_dot, -weight),
            1e-12,
            "an identity at the recorded states, which are on the beam to rounding",
        ),
        g.Claim(
            "the energy is conserved",
            float(np.max(np.abs(run.energy - run.energy[0]))),
            len(run) * run.about.rtol * float(np.max(2 * run.kinetic + np.abs(run.potential))),
            "N steps that err by rtol each, times the largest 2T + |V|",
        ),
        g.Claim(
            "−λ is the normal force m(g cos phi + 2 r_dot phi_dot + r phi_ddot)",
            g.relative(-run["ball on beam"], normal),
            1e-12,
            "Newton's second law across the beam, at the recorded states",
        ),
    ]


def figure(run, figure):
    grid = figure.add_gridspec(2, 2, width_ratios=[1.25, 1])
    t = np.linspace(run.t[0], run.t[-1], 600)
    dense = run.at(t)
    (r, phi), _ = along(dense.q.T, dense.v.T, 0.0)
    left = figure.add_subplot(grid[:, 0])
    for k in range(0, 600, 46):
        reach = HALF_LENGTH * np.array([-1, 1])
        left.plot(reach * np.cos(phi[k]), reach * np.sin(phi[k]), color="0.82", lw=1)
    left.plot(dense["x"], dense["y"])
    left.plot(dense["x"][0], dense["y"][0], "ko", ms=5, label="start")
    left.plot(dense["x"][-1], dense["y"][-1], "ks", ms=5, label="end of the beam")
    left.plot([], [], color="0.82", label="the beam, at 14 times")
    left.set(xlabel="x / m", ylabel="y / m", title="path of the ball (y stretched)", ylim=(-0.75, 0.75))
    left.legend(loc="lower right")
    upper = figure.add_subplot(grid[0, 1])
    upper.plot(t, r, label="r / m")
    upper.plot(t, phi, label="phi / rad")
    expected = by_hamilton(t[::30])
    upper.plot(t[::30], expected[0], "k.", ms=4, label="Hamilton")
    upper.plot(t[::30], expected[1], "k.", ms=4)
    upper.legend(loc="lower left")
    upper.tick_params(labelbottom=False)
    upper.set(title="ball along the beam, and beam")
    lower = figure.add_subplot(grid[1, 1], sharex=upper)
    lower.plot(t, -dense["ball on beam"])
    lower.axhline(MASS * GRAVITY, color="0.7", lw=0.8)
    lower.text(t[0], MASS * GRAVITY, "m g", va="bottom", color="0.4")
    lower.set(xlabel="t / s", ylabel="normal force / N")


if __name__ == "__main__":
    g.main(__file__)
