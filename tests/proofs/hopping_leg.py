"""The other claims of scenarios/hopping_leg.py.

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
from scenarios.hopping_leg import FOOT, GRAVITY, MASS, NATURAL, STIFFNESS, flight, lift_off, start, system

DROP = 1.5  # m/s, touch-down straight from above
RATE = np.sqrt(STIFFNESS / MASS)  # 1/s

printed = system.with_parameters(l_0=0.0)


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
    _place, speed = centre(air)
    launch = speed[:, 0]
    turning = spin(air)
    drift = (len(run) + len(air)) * run.about.rtol
    size = float(np.max(2 * air.kinetic + np.abs(air.potential)))
    return [
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
        return [
            g.analysis.Unexamined("all up to the lift-off", f"needs the lift-off; the motion ends at {run.t[-1]:.6g} s")
        ]
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
