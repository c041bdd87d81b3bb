"""Flyball governor: the angle of its arms at each rate of turning, its oscillation, and the torque of its shaft.

Two arms hang on hinges at the top of a vertical shaft that turns at the rate Ω = 14 rad/s; each is a uniform rod of
length l = 0.3 m and 0.3 kg with a ball of 1.5 kg at its end. Links of the same length without mass join the balls to a
sleeve of M = 4 kg on the shaft. The arms are thin rods with the place of their hinge and their direction u as
coordinates, the sleeve is a particle: 15 coordinates and 14 rows, two of which, n(t)·u = 0 with n = (−sin Ωt, cos Ωt,
0), keep the arms in the plane that turns. Start: the arms are at rest in that plane, at 25° from the vertical.

Known answers: with the angle α of the arms, the moments S = ∫ s dm and A = ∫ s² dm of one arm about its hinge and the
sleeve at 2l cos α below the hinges, the Lagrangian is

    L = A(α_dot² + Ω² sin² α) + 2 M l² sin² α α_dot² + 2(S + M l) g cos α.

So the arms are steady where cos α = (S + M l) g/(A Ω²), from the rate Ω² = (S + M l) g/A on; about that angle they
oscillate with κ² = A Ω² sin² α/(A + 2 M l² sin² α), and A α_dot² + 2 M l² sin² α α_dot² − A Ω² sin² α − 2(S + M l) g
cos α is kept. The shaft needs the torque d/dt(2 A Ω sin² α).
"""

import numpy as np
from scipy.integrate import solve_ivp

import gauss as g
from gauss import bodies as mb

COVERS = ("V5",)
SOURCE = "VHIF §1 for the coordinates; the governor of Watt, loaded as by Porter, in closed form"

LENGTH, ROD, BALL, SLEEVE, GRAVITY = 0.3, 0.3, 1.5, 4.0, 9.81  # m, kg, kg, kg, m/s²
OMEGA, ALPHA = 14.0, np.radians(25.0)  # rad/s, rad
FIRST = BALL * LENGTH + ROD * LENGTH / 2  # S, kg m
SECOND = BALL * LENGTH**2 + ROD * LENGTH**2 / 3  # A, kg m²
LOAD = (FIRST + SLEEVE * LENGTH) * GRAVITY  # N m
LEAST = np.sqrt(LOAD / SECOND)  # rad/s, the rate at which the arms begin to rise
RATES = np.array([11.0, 12.0, 14.0, 18.0, 30.0])  # rad/s

arm = mb.rod(ROD, (0, 0, 0), (0, 0, LENGTH)) + mb.point(BALL, (0, 0, LENGTH))
arms = [mb.Rod("right", arm), mb.Rod("left", arm)]
sleeve = mb.Particle("sleeve", SLEEVE)


def across(arm):
    """The row that keeps an arm in the plane that turns."""

    def row(q, t, p):
        return q[f"{arm.name}_u2"] * g.cos(p.rate * t) - q[f"{arm.name}_u1"] * g.sin(p.rate * t)

    return g.Holonomic(f"{arm.name} turns", row)


governor = mb.Mechanism(
    "flyball governor",
    [*arms, sleeve],
    [
        *(mb.Spherical(f"{x.name} hinge", mb.GROUND, (0, 0, 0), x, (0, 0, 0)) for x in arms),
        *(mb.Distance(f"{x.name} link", x, (0, 0, LENGTH), sleeve, (0, 0, 0), LENGTH) for x in arms),
    ],
    constraints=[*map(across, arms), g.Holonomic("shaft", lambda q: [q.sleeve_x, q.sleeve_y])],
    parameters={"rate": OMEGA},
)
system = governor.system


def chart(s, t, rate=OMEGA):
    """The coordinates at the angle α = s[0]."""
    sine, cosine, c, d = g.sin(s[0]), g.cos(s[0]), g.cos(rate * t), g.sin(rate * t)
    right, left = (0.0, 0.0, 0.0, sine * c, sine * d, -cosine), (0.0, 0.0, 0.0, -sine * c, -sine * d, -cosine)
    return [*right, *left, 0.0, 0.0, -2 * LENGTH * cosine]


def state(alpha, swing=0.0, rate=OMEGA):
    """q and v at t = 0 at an angle α, which grows at the rate `swing` (rad/s)."""
    spin = np.array([0.0, 0.0, rate])
    poses = []
    for x, sign in zip(arms, (1.0, -1.0), strict=True):
        u = (sign * np.sin(alpha), 0.0, -np.cos(alpha))
        poses.append(x.pose(direction=u, angular_velocity=spin - [0.0, sign * swing, 0.0]))
    below, rising = -2 * LENGTH * np.cos(alpha), 2 * LENGTH * np.sin(alpha) * swing
    return governor.state(*poses, sleeve.pose((0, 0, below), (0, 0, rising)))


def inverse(q, v, t):
    """α and its rate, from the sleeve."""
    alpha = g.acos(-q[14] / (2 * LENGTH))
    return [alpha], [v[14] / (2 * LENGTH * g.sin(alpha))]


start = g.Start(*state(ALPHA), t_end=2.0, rtol=1e-12, atol=1e-13)
drawing = mb.Drawing(
    governor,
    shapes={
        **{x: [mb.shapes.Segment([(0, 0, 0), (0, 0, LENGTH)]), mb.shapes.Sphere(0.035, (0, 0, LENGTH))] for x in arms},
        sleeve: mb.shapes.Cylinder(0.05, 0.06),
        mb.GROUND: mb.shapes.Segment([(0, 0, 0.05), (0, 0, -2 * LENGTH)]),
    },
    lines=[lambda q, x=x: [x.placed(q).point((0, 0, LENGTH)), sleeve.placed(q).origin] for x in arms],
    speed=0.25,
)
minimal = g.Minimal(
    lagrangian=lambda s, s_dot, t: (
        SECOND * (s_dot[0] ** 2 + OMEGA**2 * g.sin(s[0]) ** 2)
        + 2 * SLEEVE * LENGTH**2 * g.sin(s[0]) ** 2 * s_dot[0] ** 2
        + 2 * LOAD * g.cos(s[0])
    ),
    chart=chart,
    inverse=inverse,
    text="the angle of the arms",
)


def swinging(alpha, swing, rate=OMEGA):
    """The second rate of α (rad/s²), from the Lagrangian of the docstring."""
    s, c = np.sin(alpha), np.cos(alpha)
    inertia = SECOND + 2 * SLEEVE * LENGTH**2 * s**2
    return s * (SECOND * rate**2 * c - LOAD - 2 * SLEEVE * LENGTH**2 * c * swing**2) / inertia


def by_lagrange(times, alpha=ALPHA):
    """α and its rate, (2, N), from rest at α, integrated by SciPy."""

    def slopes(t, w):
        return [w[1], swinging(*w)]

    span = times[0], times[-1]
    return solve_ivp(slopes, span, [alpha, 0.0], "DOP853", t_eval=times, rtol=1e-13, atol=1e-14).y


def steady(rate):
    """The angle of the arms (rad) at a rate above the least one."""
    return np.arccos(np.minimum(LOAD / (SECOND * rate**2), 1.0))


def frequency(rate=OMEGA):
    """κ (rad/s) of small oscillations about the steady angle."""
    s = np.sin(steady(rate))
    return rate * s * np.sqrt(SECOND / (SECOND + 2 * SLEEVE * LENGTH**2 * s**2))


def angle(run):
    """α and its rate along a run, from the directions of the right arm."""
    u, v = (np.array([run[f"{d}right_u{k}"] for k in (1, 2, 3)]) for d in ("", "d_"))
    level = np.hypot(u[0], u[1])
    return np.arctan2(level, -u[2]), v[2] / level


def torque(run):
    """The torque of the shaft on the arms (N m), from the multipliers of the rows that turn them."""
    sine = np.sin(angle(run)[0])
    return sine * (run["right turns"] - run["left turns"])


def steady_claims():
    """Claims about the steady angle at several rates."""
    rests, restoring = [], []
    for rate in RATES:
        turning, alpha = system.with_parameters(rate=float(rate)), steady(rate)
        for off in (0.0, -1e-3, 1e-3):
            lifted = g.accelerate(turning, *state(alpha + off, rate=rate)).acceleration["sleeve_z"]
            found = lifted / (2 * LENGTH * np.sin(alpha + off))  # α_ddot where α_dot = 0
            if off == 0.0:
                rests.append(abs(found) / rate**2)
            else:
                restoring.append(found * np.sign(off) / rate**2)
    sizes, errors = [2e-3, 1e-3], []
    for size in sizes:
        run = g.simulate(system, *state(steady(OMEGA) + size), t_end=1.0, rtol=1e-12, atol=1e-13, progress="none")
        exact = size * np.cos(frequency() * run.t)
        errors.append(float(np.max(np.abs(angle(run)[0] - steady(OMEGA) - exact))) / size)
    return [
        g.Claim(
            "at five rates the arms rest where cos α = (S + Ml)g/(AΩ²)",
            max(rests),
            1e-12,
            "closed form; α_ddot there, in units of Ω²",
        ),
        g.Claim(
            "beside that angle they are driven back to it",
            max(restoring),
            0.0,
            "at 1e-3 rad to either side, the part of α_ddot away from it is negative",
        ),
        g.Claim(
            "small oscillations have κ² = AΩ² sin²α/(A + 2Ml² sin²α)",
            abs(g.convergence_order(sizes, errors) - 1.0),
            0.05,
            f"relative errors {errors[0]:.1e} and {errors[1]:.1e} from 2 and 1 mrad, in proportion to the amplitude",
        ),
    ]


def claims(run):
    alpha, swing = angle(run)
    exact = by_lagrange(run.t)
    kept = len(run) * start.rtol
    s, c = np.sin(alpha), np.cos(alpha)
    moving = (SECOND + 2 * SLEEVE * LENGTH**2 * s**2) * swing**2
    integral = moving - SECOND * OMEGA**2 * s**2 - 2 * LOAD * c
    mirrored = np.array([run["right_u1"] + run["left_u1"], run["right_u2"] + run["left_u2"]])
    return [
        g.Claim("α follows Lagrange's equation", g.relative(alpha, exact[0]), kept, "N steps that err by rtol each"),
        g.Claim("and so does its rate", g.relative(swing, exact[1]), 10 * kept, "the same, and κ is 5.5 s⁻¹"),
        g.Claim(
            "Jacobi's integral is kept",
            float(np.ptp(integral)),
            kept * float(np.max(SECOND * OMEGA**2 * s**2 + 2 * LOAD)),
            "N steps that err by rtol each, times the largest of its terms",
        ),
        g.Claim(
            "the shaft turns the arms with d/dt(2AΩ sin²α)",
            g.relative(torque(run), 4 * SECOND * OMEGA * s * c * swing),
            1e-10,
            "moment of momentum about the shaft, at recorded states",
        ),
        g.Claim("the arms stay opposite", float(np.max(np.abs(mirrored))), kept, "both links hold one sleeve"),
        *steady_claims(),
    ]


def figure(run, figure):
    grid = figure.add_gridspec(2, 2, width_ratios=[0.8, 1.2])
    t = np.linspace(0.0, run.t[-1], 500)
    dense = run.at(t)
    alpha, _ = angle(dense)
    side = figure.add_subplot(grid[:, 0])
    for k, n in enumerate((0, int(np.argmax(alpha)))):
        s, c = LENGTH * np.sin(alpha[n]), LENGTH * np.cos(alpha[n])
        side.plot([-s, 0, s], [-c, 0, -c], color=f"C{k}", lw=2.2, label=f"{t[n]:.2f} s")
        side.plot([-s, 0, s], [-c, -2 * c, -c], color=f"C{k}", lw=1)
        side.plot([-s, s], [-c, -c], "o", color=f"C{k}", ms=11)
        side.plot(0, -2 * c, "s", color=f"C{k}", ms=10)
    side.axvline(0.0, color="0.7", lw=0.8, zorder=0)
    side.set(xlabel="along the arms / m", ylabel="z / m", title="in the plane that turns", aspect="equal")
    side.set(xlim=(-0.36, 0.36), ylim=(-0.62, 0.16))
    side.legend(loc="upper center", ncols=2)
    upper = figure.add_subplot(grid[0, 1])
    upper.plot(t, np.degrees(alpha), label="Gauss")
    upper.plot(t[::12], np.degrees(by_lagrange(t[::12])[0]), "k.", ms=4, label="Lagrange")
    upper.axhline(np.degrees(steady(OMEGA)), color="0.6", lw=0.9, zorder=0, label="steady angle")
    upper.set(xlabel="t / s", ylabel="α / degrees", ylim=(20, 100))
    upper.legend(loc="upper center", ncols=3)
    lower = figure.add_subplot(grid[1, 1])
    raised = np.linspace(0.0, steady(30.0), 200)
    lower.plot([5.0, *(LEAST / np.sqrt(np.cos(raised)))], [0.0, *np.degrees(raised)], color="C0", label="steady angle")
    lower.plot(RATES, np.degrees(steady(RATES)), "k.", ms=5, label="at rest, by Gauss")
    lower.set(xlabel="Ω / rad s⁻¹", ylabel="α / degrees", ylim=(-5, 100))
    lower.legend(loc="lower right")


if __name__ == "__main__":
    g.main(__file__)
