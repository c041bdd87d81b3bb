"""Adhesion: the friction that rolling needs, and where wheel, ball, skate, disc and car would slip.

Rows without slip hold because the ground pulls along it with F = Aᵀλ. Where the rows are the velocities of the point of
contact, λ is the force of the ground there; the row of the ground itself has the normal force N as its multiplier, so
the least coefficient of friction with which a body rolls on is μ = |λ|/N. The slope falls along x by the angle s, z is
normal to it, SI units. Straight down a disc needs 1/3 tan s. One that is held upright by its rider and turns, with the
heading ωt, has the speed v = v₀ + (2/3)(g sin s/ω) sin ωt of the point of contact; the force is −(1/3) m g sin s cos ωt
along the disc, m v ω + m g sin s sin ωt across it. It speeds up while it heads downhill, and needs most friction where
it runs fast across the slope. The proof has a ball, a skate, a disc that leans and a car.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

COVERS = ("T22",)
SOURCE = "TM §9, (9.3)"

G = 9.81  # m/s²
SLOPE = np.radians(20.0)
SPEED, TURNING, LIMIT = 0.6, 0.9, 0.5  # m/s, rad/s, friction coefficient of the ground
DIP, PRESS = G * np.sin(SLOPE), G * np.cos(SLOPE)


def disc_rows(q, p):
    """A of the upright disc: the ground, and the velocity of the point of contact across and along the disc."""
    c, s = g.cos(q.alpha), g.sin(q.alpha)
    return [[0, 0, 1, 0, 0], [-s, c, 0, 0, 0], [c, s, 0, 0, -p.r]]


system = g.System(
    "upright disc on a slope",
    coordinates="x y z alpha beta",
    kinetic_energy=lambda v, p: (
        0.5 * p.m * (v.x**2 + v.y**2 + v.z**2) + 0.25 * p.m * p.r**2 * v.beta**2 + 0.125 * p.m * p.r**2 * v.alpha**2
    ),
    potential_energy=lambda q, p: p.m * (PRESS * q.z - DIP * q.x),
    constraints=[
        g.Holonomic("ground", lambda q, p: q.z - p.r),
        g.Pfaffian("across", lambda q, p: disc_rows(q, p)[1]),
        g.Pfaffian("along", lambda q, p: disc_rows(q, p)[2]),
    ],
    parameters={"m": 3.0, "r": 0.4},
)
M, R = system.parameters["m"], system.parameters["r"]
start = g.Start(q=[0, 0, R, 0, 0], v=[SPEED, 0, 0, TURNING, SPEED / R], t_end=7.0, step=0.01, rtol=1e-12)


def disc(q):
    """Where the disc is, for the picture; its third axis is the axle to the left."""
    (sa, sb), (ca, cb) = ([f(q[angle]) for angle in ("alpha", "beta")] for f in (np.sin, np.cos))
    return mb.Placed((q["x"], q["y"], q["z"]), ((ca * cb, sa * cb, -sb), (-ca * sb, -sa * sb, -cb), (-sa, ca, 0.0)))


drawing = mb.Drawing(placed=[(mb.shapes.Disc(R), disc)], planes=[((0, 0, 0), (0, 0, 1))])


def needed(run, *rows, load="ground"):
    """The friction coefficient that the forces of some rows need, along a run."""
    return np.sqrt(sum(run[row] ** 2 for row in rows)) / run[load]


def disc_needs(t):
    """The friction coefficient that the motion above needs."""
    along = -DIP * np.cos(TURNING * t) / 3
    speed = SPEED + 2 * DIP / (3 * TURNING) * np.sin(TURNING * t)
    across = speed * TURNING + DIP * np.sin(TURNING * t)
    return np.hypot(along, across) / PRESS


def claims(run):
    straight = g.simulate(system, start.q, [SPEED, 0, 0, 0, SPEED / R], t_end=2.0, rtol=1e-12, progress="none")
    down = g.relative(needed(straight, "across", "along"), np.tan(SLOPE) / 3)
    off = g.relative(needed(run, "across", "along"), disc_needs(run.t))
    return [
        g.Claim("the turning disc needs the closed form's friction", off, 1e-9, "closed form; rtol 1e-12 a step"),
        g.Claim("the ground bears m g cos s", g.relative(run["ground"], M * PRESS), 1e-12, "rounding"),
        g.Claim("straight down, the disc needs 1/3 tan s", down, 1e-12, "constant, rounding"),
    ]


def figure(run, figure):
    axes = figure.subplots()
    axes.plot(run.t, needed(run, "across", "along"), label="disc that turns")
    axes.plot(run.t[::5], disc_needs(run.t[::5]), "k.", label="closed form")
    axes.axhline(LIMIT, color="r", lw=0.8, ls="--", label=f"μ = {LIMIT}: beyond it would slip")
    axes.set(xlabel="t / s", ylabel="needed μ", title="friction that rolling needs")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
