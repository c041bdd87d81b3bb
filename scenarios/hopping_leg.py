"""Hopping leg: it stands on its foot, lifts off where the ground would have to pull, and flies.

A mass m = 8 kg is carried by a massless spring of length l and stiffness k = 2500 N/m; gravity is 9.81 m/s². While the
leg is on the ground its foot does not move. The model has the positions (x, y) of the mass and (fx, fy) of the foot, in
m, and two constraints, the ground fy = 0 and the hold of the foot fx = 0; both belong to the contact alone. The foot
has a mass of 0.4 kg, which the exercise leaves out: on the ground it only adds its weight to the reaction. With the
angle phi (rad) of the leg from the vertical, x = l sin phi, y = l cos phi,

    L = ½m(l_dot² + l² phi_dot²) − m g l cos phi − ½k(l − l₀)².

The exercise takes ½kl² for the energy of the spring, so l₀ = 0. Such a leg is in tension at every length, and the
ground would have to pull at the foot; here l₀ = 0.8 m, and l₀ = 0 is a case of its own.

Known answers: the ground carries k(l₀ − l) cos phi and the foot's weight, and holds the foot with k(l₀ − l) sin phi;
the leg lifts off where the first sum vanishes. Straight up and down the motion is a cosine, and so is the time on the
ground. In flight the mass centre follows a parabola, and the angular momentum about it is conserved, so that the leg
swings on. As printed, l₀ = 0, the mass goes round an ellipse about (0, −mg/k) with the frequency √(k/m).
"""

import numpy as np
from scipy.integrate import solve_ivp

import gauss as g
from gauss import bodies as mb

COVERS = ("T12",)
SOURCE = "TM Ex. 4.3"

MASS, FOOT, STIFFNESS, NATURAL, GRAVITY = 8.0, 0.4, 2500.0, 0.8, 9.81  # kg, kg, N/m, m, m/s²
PHI, SPEED, SINK = -0.26, 2.2, 1.2  # rad, m/s, m/s: touch-down, the foot ahead of the mass
DROP = 1.5  # m/s, touch-down straight from above
RATE = np.sqrt(STIFFNESS / MASS)  # 1/s


def model(name, constraints=()):
    return g.System(
        name,
        coordinates="x y fx fy",
        kinetic_energy=lambda v, p: 0.5 * p.m * (v.x**2 + v.y**2) + 0.5 * p.m_f * (v.fx**2 + v.fy**2),
        potential_energy=lambda q, p: (
            p.g * (p.m * q.y + p.m_f * q.fy) + 0.5 * p.k * (g.hypot(q.x - q.fx, q.y - q.fy) - p.l_0) ** 2
        ),
        constraints=constraints,
        parameters={"m": MASS, "m_f": FOOT, "k": STIFFNESS, "l_0": NATURAL, "g": GRAVITY},
    )


def reaction(q, l_0=NATURAL):
    """The force of the ground along y at a position q, N."""
    length = g.hypot(q.x, q.y)
    return FOOT * GRAVITY + STIFFNESS * (l_0 - length) * q.y / length


contact = (g.Holonomic("hold", lambda q: q.fx), g.Holonomic("ground", lambda q: q.fy))
system = model("hopping leg on the ground", contact)
flying = model("hopping leg in flight")
printed = system.with_parameters(l_0=0.0)
lift_off = g.Event("lift-off", reaction, direction=-1, terminal=True)
start = g.Start(
    q=[NATURAL * np.sin(PHI), NATURAL * np.cos(PHI), 0.0, 0.0],
    v=[SPEED, -SINK, 0.0, 0.0],
    t_end=1.0,
    step=0.0001,
    events=(lift_off,),
)
drawing = mb.Drawing(
    lines=[lambda q: [(q["fx"], q["fy"]), (q["x"], q["y"])]],
    shapes={mb.GROUND: mb.shapes.Segment([(-0.4, 0), (0.4, 0)])},
    traces=[lambda q: (q["x"], q["y"])],
    speed=0.1,
)


def inverse(q, v, t):
    """(l, phi) of the leg on the ground, and their rates."""
    x, y = q[0], q[1]
    length = g.hypot(x, y)
    return [length, g.atan2(x, y)], [(x * v[0] + y * v[1]) / length, (y * v[0] - x * v[1]) / length**2]


minimal = g.Minimal(
    lagrangian=lambda s, s_dot, t: (
        0.5 * MASS * (s_dot[0] ** 2 + s[0] ** 2 * s_dot[1] ** 2)
        - MASS * GRAVITY * s[0] * g.cos(s[1])
        - 0.5 * STIFFNESS * (s[0] - NATURAL) ** 2
    ),
    chart=lambda s, t: [s[0] * g.sin(s[1]), s[0] * g.cos(s[1]), 0.0, 0.0],
    inverse=inverse,
    text="l, phi",
)


def by_lagrange(times):
    """(l, phi) and rates, (4, N), from Lagrange's equations, integrated by SciPy."""

    def rates(t, w):
        l, phi, l_dot, phi_dot = w
        along = l * phi_dot**2 - GRAVITY * np.cos(phi) - STIFFNESS * (l - NATURAL) / MASS
        return [l_dot, phi_dot, along, (GRAVITY * np.sin(phi) - 2 * l_dot * phi_dot) / l]

    position, speed = inverse(start.q, start.v, 0.0)
    first = [float(x) for x in (*position, *speed)]
    return solve_ivp(rates, (times[0], times[-1]), first, "DOP853", t_eval=times, rtol=1e-13, atol=1e-14).y


def drop(t):
    """The height of the mass that comes straight down, in closed form, and the time of lift-off."""
    sag = MASS * GRAVITY / STIFFNESS
    size, phase = np.hypot(sag, DROP / RATE), np.arctan2(DROP / RATE, sag)
    off = 2 * np.pi - np.arccos((sag + FOOT * GRAVITY / STIFFNESS) / size) - phase
    return NATURAL - sag + size * np.cos(RATE * t + phase), off / RATE


def ellipse(t):
    """The position (x, y) of the mass on the printed leg, from the start of the run."""
    x, y, sag = start.q[0], start.q[1], MASS * GRAVITY / STIFFNESS
    c, s = np.cos(RATE * t), np.sin(RATE * t) / RATE
    return x * c + start.v[0] * s, -sag + (y + sag) * c + start.v[1] * s


def flight(run):
    """The flight from the end of a run on the ground, until the mass centre is back at its height."""
    rise = MASS * run["d_y"][-1] / (MASS + FOOT)
    return g.simulate(flying, run.q[-1], run.v[-1], t_end=2 * rise / GRAVITY, progress="none")


def centre(run):
    """Mass centre (2, N) and its velocity."""
    share = MASS / (MASS + FOOT)
    place = np.array([share * run["x"] + (1 - share) * run["fx"], share * run["y"] + (1 - share) * run["fy"]])
    speed = np.array([share * run["d_x"] + (1 - share) * run["d_fx"], share * run["d_y"] + (1 - share) * run["d_fy"]])
    return place, speed


def spin(run):
    """The angular momentum (N,) about the mass centre, clockwise as phi, N m s."""
    x, y, vx, vy = (run[a] - run[b] for a, b in (("x", "fx"), ("y", "fy"), ("d_x", "d_fx"), ("d_y", "d_fy")))
    return MASS * FOOT / (MASS + FOOT) * (y * vx - x * vy)


def flight_claims(run):
    """Claims about the flight that follows the run."""
    air = flight(run)
    place, speed = centre(air)
    first, launch = place[:, 0], speed[:, 0]
    parabola = first[:, None] + np.outer(launch, air.t) - np.outer([0.0, GRAVITY / 2], air.t**2)
    turning = spin(air)
    drift = (len(run) + len(air)) * run.about.rtol
    size = float(np.max(2 * air.kinetic + np.abs(air.potential)))
    return [
        g.Claim(
            "in flight the mass centre follows a parabola",
            max(g.relative(*pair) for pair in zip(place, parabola, strict=True)),
            1e-9,
            "closed form; the integrator keeps 1e-10 per step",
        ),
        g.Claim(
            "in flight the momentum along x is conserved",
            float(np.max(np.abs(speed[0] - launch[0]))) / launch[0],
            drift,
            "N steps that err by rtol each",
        ),
        g.Claim(
            "in flight the angular momentum about the mass centre is conserved",
            float(np.max(np.abs(turning / turning[0] - 1.0))),
            2 * drift,
            "N steps that err by rtol each in position and velocity",
        ),
        g.Claim(
            "the energy is the same on the ground and in flight",
            float(max(np.max(np.abs(part.energy - run.energy[0])) for part in (run, air))),
            drift * max(size, float(np.max(2 * run.kinetic + np.abs(run.potential)))),
            "lift-off without reaction does no work; N steps that err by rtol, times the largest 2T + |V|",
        ),
    ]


def claims(run):
    if run.ending.kind != "event" and run.t[-1] < start.t_end:
        return [g.Unexamined("all up to the lift-off", f"needs the lift-off; the motion ends at {run.t[-1]:.6g} s")]
    expected = by_lagrange(run.t)
    position, speed = inverse(run.q.T, run.v.T, 0.0)
    push = STIFFNESS * (NATURAL - expected[0])
    forces = push * np.sin(expected[1]), push * np.cos(expected[1]) + FOOT * GRAVITY
    down = g.simulate(
        system, [0.0, NATURAL, 0.0, 0.0], [0.0, -DROP, 0.0, 0.0], t_end=1.0, events=(lift_off,), progress="none"
    )
    height, off = drop(down.t)
    pulled = g.simulate(printed, start.q, start.v, t_end=0.5, progress="none")
    x, y = ellipse(pulled.t)
    weight = (MASS + FOOT) * GRAVITY
    return [
        g.Claim(
            "on the ground l, phi and their rates follow Lagrange's equations",
            max(g.relative(*pair) for pair in zip((*position, *speed), expected, strict=True)),
            1e-9,
            "the two equations, integrated by SciPy with rtol 1e-13, atol 1e-14",
        ),
        g.Claim(
            "the ground holds the foot with the force of the spring and the foot's weight",
            max(g.relative(run["hold"], forces[0]), g.relative(run["ground"], forces[1])),
            1e-8,
            "closed form at the l and phi of Lagrange's equations; the force magnifies errors of l by l₀/(l₀ − l)",
        ),
        g.Claim(
            "it lifts off where the ground carries nothing, and it carried a load until then",
            float(abs(run["ground"][-1]) / weight if np.all(run["ground"][:-1] > 0.0) else np.inf),
            1e-9,
            f"event at t = {run.t[-1]:.6f} s, relative to the weight",
        ),
        g.Claim(
            "straight down, the mass follows a cosine and lifts off at the time of the closed form",
            max(g.relative(down["y"], height), g.relative(down.t[-1], off)),
            1e-9,
            f"closed form: {off:.9f} s on the ground",
        ),
        *flight_claims(run),
        g.Claim(
            "as printed, with l₀ = 0, the mass goes round the ellipse about (0, −mg/k)",
            max(g.relative(pulled["x"], x), g.relative(pulled["y"], y)),
            1e-9,
            "closed form of an isotropic oscillator",
        ),
        g.Claim(
            "as printed the ground must pull with ky, less the foot's weight",
            g.relative(pulled["ground"], FOOT * GRAVITY - STIFFNESS * y),
            1e-9,
            f"closed form; while the mass is above the ground it is down to {np.min(pulled['ground']):.0f} N",
        ),
    ]


def figure(run, figure):
    grid = figure.add_gridspec(2, 2, width_ratios=[1.5, 1])
    robot = figure.add_subplot(grid[:, 0])
    force, length = figure.add_subplot(grid[0, 1]), figure.add_subplot(grid[1, 1])
    air = flight(run)
    ends = run.t[-1], air.t[-1]
    parts = (run.at(np.linspace(0.0, ends[0], 7)), air.at(np.linspace(0.0, ends[1], 6)[1:]))
    for part, color in zip(parts, ("C0", "C1"), strict=True):
        for x, y, fx, fy in part.q:
            zigzag = 0.012 * np.array([0, 0, 1, -1, 1, -1, 1, -1, 0, 0])
            along = np.array([0.0, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 1.0])
            dx, dy = x - fx, y - fy
            size = np.hypot(dx, dy)
            robot.plot(fx + along * dx - zigzag * dy / size, fy + along * dy + zigzag * dx / size, color=color, lw=0.8)
            robot.plot(x, y, "o", color=color, ms=8)
            robot.plot(fx, fy, "k.", ms=3)
    dense = [part.at(np.linspace(0.0, end, 200)) for part, end in zip((run, air), ends, strict=True)]
    for part, color, text in zip(dense, ("C0", "C1"), ("on the ground", "in flight"), strict=True):
        robot.plot(part["x"], part["y"], color=color, lw=1, label=text)
    robot.axhline(0.0, color="k", lw=1)
    robot.set(xlabel="x / m", ylabel="y / m", title="one hop", aspect="equal", ylim=(-0.05, 1.15))
    robot.legend(loc="upper left")
    ground, aloft = dense
    force.plot(ground.t, ground["ground"], label="up")
    force.plot(ground.t, ground["hold"], label="along x")
    force.set(ylabel="force / N", xlabel="t / s", title="reaction of the ground", ylim=(-50, 420))
    force.set_xticks([0.0, 0.05, 0.1, 0.15, 0.2])
    force.legend(loc="upper right", ncols=2)
    for part, shift, color in ((ground, 0.0, "C0"), (aloft, ends[0], "C1")):
        length.plot(part.t + shift, np.hypot(part["x"] - part["fx"], part["y"] - part["fy"]), color=color)
    length.axhline(NATURAL, color="0.6", lw=0.8)
    length.text(ends[0] / 2, NATURAL, "l₀", va="bottom", ha="center", color="0.4")
    length.set(xlabel="t / s", ylabel="l / m", title="length of the leg")


if __name__ == "__main__":
    g.main(__file__)
