"""The other claims of scenarios/adhesion.py.

Rows without slip hold because the ground pulls along it with F = Aᵀλ. Where the rows are the velocities of the point of
contact, λ is the force of the ground there; the row of the ground itself has the normal force N as its multiplier, so
the least coefficient of friction with which a body rolls on is μ = |λ|/N. The slope falls along x by the angle s, z is
normal to it, g = 9.81 m/s², SI units.

Known answers, with v the speed of the point of contact:

    straight down the slope     μ = tan(s) I/(I + m r²): ball 2/7 tan s, disc 1/3 tan s, hoop 1/2 tan s; a ball that is
                                thrown across the slope needs the same, as its force points up the slope all the time
    upright disc, heading       v = v₀ + (2/3)(g sin s/ω) sin ωt, and the force is −(1/3) m g sin s cos ωt along the
    ωt on the slope             disc, m v ω + m g sin s sin ωt across it
    skate, heading ωt           λ = 2 m g sin s sin ωt, so μ = 2 tan s |sin ωt|
    leaning disc on a circle    μ = Ω²ρ/g, with its centre on a circle of radius ρ
    car on a level road,        u² (m + (m c² + I) tan²δ/L²) is constant, yaw rate u tan(δ)/L; with the accelerations
    steering δ                  u ψ̇ + c ψ̈ across and ψ̈, front F cos δ = (m c (u ψ̇ + c ψ̈) + I ψ̈)/L, rear the rest

The motion is that of the upright disc, held upright by its rider, on a slope of 20°. It speeds up while it heads
downhill, and needs most friction where it runs fast across the slope; on ground with μ = 0.5 it slips when
μ(t) first reaches that.

The source gives F by its (9.3), Aᵀ(AAᵀ)⁻¹A(Qq̈ + P) with P of Coriolis, centrifugal and potential forces, and says that
this tells whether friction suffices. It holds, but needs N beside it, which is there only if the direction normal to
the ground is modelled and its row belongs to A, as here.
"""

import numpy as np
from scipy.optimize import brentq

import gauss as g
from scenarios.adhesion import DIP, LIMIT, PRESS, SLOPE, G, disc_needs, needed, start


def downhill(height, p, q):
    """The potential energy of a mass m at the height above the slope and the place q.x down it."""
    return p.m * (PRESS * height - DIP * q.x)


# ------------------------------------------------------------------ the other bodies


def skate_rows(q, p):
    return [[0, 0, 1, 0], [-g.sin(q.phi), g.cos(q.phi), 0, 0]]


SKATE = g.System(
    "skate on a slope",
    coordinates="x y z phi",
    kinetic_energy=lambda v, p: 0.5 * p.m * (v.x**2 + v.y**2 + v.z**2) + 0.5 * p.I * v.phi**2,
    potential_energy=lambda q, p: downhill(q.z, p, q),
    constraints=[g.Holonomic("ground", lambda q: q.z), g.Pfaffian("edge", lambda q, p: skate_rows(q, p)[1])],
    parameters={"m": 70.0, "I": 1.5},
)
BALL_AT = 1.2, 0.9  # rad: beta and gamma at the start


def ball_rows(q, p):
    """A of the ball in the coordinates of TM §9.1.3: ground, point of contact, spin about the normal."""
    sin_b, cos_b, sin_c, cos_c = g.sin(q.beta), g.cos(q.beta), g.sin(q.gamma), g.cos(q.gamma)
    return [
        [0, 0, 1, 0, 0, 0],
        [1, 0, 0, -p.r * sin_b * sin_c, -p.r * cos_c, 0],
        [0, 1, 0, p.r * sin_b * cos_c, -p.r * sin_c, 0],
        [0, 0, 0, cos_b, 0, 1],
    ]


def ball_energy(q, v, p):
    spin = v.alpha**2 + v.beta**2 + v.gamma**2 + 2 * v.alpha * v.gamma * g.cos(q.beta)
    return 0.5 * p.m * (v.x**2 + v.y**2 + v.z**2) + 0.2 * p.m * p.r**2 * spin


BALL = g.System(
    "ball on a slope",
    coordinates="x y z alpha beta gamma",
    kinetic_energy=ball_energy,
    potential_energy=lambda q, p: downhill(q.z, p, q),
    constraints=[
        g.Holonomic("ground", lambda q, p: q.z - p.r),
        g.Pfaffian("rolling", lambda q, p: ball_rows(q, p)[1:]),
    ],
    parameters={"m": 2.0, "r": 0.3},
)


def thrown(r):
    """A state (q, v) of a ball thrown across the slope, q̇ = G(q) η."""
    eta, (beta, gamma) = (-2.0, 1.0), BALL_AT
    x = r * (eta[0] * np.sin(beta) * np.sin(gamma) + eta[1] * np.cos(gamma))
    y = r * (-eta[0] * np.sin(beta) * np.cos(gamma) + eta[1] * np.sin(gamma))
    return [0, 0, r, 0, beta, gamma], [x, y, 0, *eta, -eta[0] * np.cos(beta)]


def disc_energy(q, v, p):
    """A thin disc that leans by be: the place of contact is (x, y, z), the heading al, the rotation ga."""
    up, down = g.sin(q.be), g.cos(q.be)
    spin = 0.25 * (v.al**2 * down**2 + v.be**2) + 0.5 * (v.al * up + v.ga) ** 2
    x = v.x + p.r * (v.al * g.cos(q.al) * up + v.be * g.sin(q.al) * down)
    y = v.y + p.r * (v.al * g.sin(q.al) * up - v.be * g.cos(q.al) * down)
    return 0.5 * p.m * (p.r**2 * spin + x**2 + y**2 + (v.z - p.r * v.be * up) ** 2)


LEANING = g.System(
    "leaning disc",
    coordinates="x y z al be ga",
    kinetic_energy=disc_energy,
    potential_energy=lambda q, p: p.m * G * (q.z + p.r * g.cos(q.be)),
    constraints=[
        g.Holonomic("ground", lambda q: q.z),
        g.Pfaffian("across", lambda q: {"x": g.sin(q.al), "y": -g.cos(q.al)}),
        g.Pfaffian("along", lambda q, p: {"x": g.cos(q.al), "y": g.sin(q.al), "ga": -p.r}),
    ],
    parameters={"m": 3.0, "r": 0.4},
)
CAR = g.System(
    "car",
    coordinates="x y z phi tip delta",
    kinetic_energy=lambda q, v, p: (
        0.5 * p.m * ((v.x - p.c * v.phi * g.sin(q.phi)) ** 2 + (v.y + p.c * v.phi * g.cos(q.phi)) ** 2 + v.z**2)
        + 0.5 * p.I * (v.phi**2 + v.tip**2)
        + 0.5 * v.delta**2
    ),
    potential_energy=lambda q, p: p.m * G * q.z,
    constraints=[
        g.Holonomic("front load", lambda q, p: q.z - (p.L - p.c) * q.tip),
        g.Holonomic("rear load", lambda q, p: q.z + p.c * q.tip),
        g.Pfaffian("rear axle", lambda q: {"x": -g.sin(q.phi), "y": g.cos(q.phi)}),
        g.Pfaffian(
            "front axle",
            lambda q, p: {"x": -g.sin(q.phi + q.delta), "y": g.cos(q.phi + q.delta), "phi": p.L * g.cos(q.delta)},
        ),
    ],
    parameters={"m": 900.0, "I": 1100.0, "L": 2.6, "c": 1.2},
)


# ------------------------------------------------------------------ motions


def turn(q):
    """Rotation of the plane about the origin."""
    return {"x": -q.y, "y": q.x, "al": 1.0}


def moved(model, q, v, t_end):
    return g.simulate(model, q, v, t_end=t_end, rtol=1e-12, progress="none")


def other_runs():
    """The ball that is thrown, the skate that turns at 1.3 rad/s, the car at 9 m/s that steers at 0.05 rad/s."""
    ball = moved(BALL, *thrown(BALL.parameters["r"]), 0.8)
    skate = moved(SKATE, [0, 0, 0, 0], [0, 0, 0, 1.3], 5.0)
    return ball, skate, moved(CAR, [0, 0, 0, 0, 0, 0], [9.0, 0, 0, 0, 0, 0.05], 6.0)


def leaning_run():
    """The disc on its steady circle, leaning by 0.3 rad, with the radius of its centre's path and its rate."""
    steady = g.analysis.steady_motion(LEANING, [0, -2, 0, 0, -0.3, 0], [1.0, 4.0], symmetry=[turn, "ga"], hold="be x")
    q, v = steady.state.q, steady.state.v
    centre = q[:2] + LEANING.parameters["r"] * np.sin(q[4]) * np.array([np.sin(q[3]), -np.cos(q[3])])
    return moved(LEANING, q, v, 5.0), float(np.hypot(*centre)), steady.rates["turn"]


def car_needs(run):
    """The friction coefficients that both axles need, from energy and the equations of a plane body."""
    m, inertia, L, c = (CAR.parameters[k] for k in ("m", "I", "L", "c"))
    delta, rate = run["delta"], run["d_delta"][0]
    tan, secant = np.tan(delta), 1 / np.cos(delta) ** 2
    share = (m * c**2 + inertia) / L**2
    u = run["d_x"][0] * np.sqrt(m / (m + share * tan**2))
    u_dot = -u * share * tan * secant * rate / (m + share * tan**2)
    yaw, yaw_dot = u * tan / L, (u_dot * tan + u * secant * rate) / L
    lateral = m * (u * yaw + c * yaw_dot)
    front, rear = (lateral * c + inertia * yaw_dot) / L, (lateral * (L - c) - inertia * yaw_dot) / L
    return np.abs(front / np.cos(delta)) / (m * G * c / L), np.abs(rear) / (m * G * (L - c) / L)


def slip_acceleration(share, mu):
    """How fast the point of contact begins to slip on the slope under the friction μN; I = share·m r²."""
    model = g.System(
        "sliding body",
        coordinates="x theta",
        kinetic_energy=lambda v: 0.5 * (v.x**2 + share * v.theta**2),
        potential_energy=lambda q: -DIP * q.x,
        force=lambda: [-mu * PRESS, mu * PRESS],
    )
    a = g.accelerate(model, [0, 0], [0, 0]).a
    return a[0] - a[1]


def first_slip(friction, run):
    """The time at which the needed coefficient first reaches that of the ground, along the run."""

    def spare(t):
        dense = run.at(np.array([t]))
        return float(needed(dense, "across", "along")[0]) - friction

    times = np.linspace(run.t[0], run.t[-1], 400)
    above = int(np.argmax(needed(run.at(times), "across", "along") > friction))
    return brentq(spare, times[above - 1], times[above], xtol=1e-13)


@g.needs(start.t_end)
def claims(run):
    ball, skate, car = other_runs()
    leaning, radius, rate = leaning_run()
    tangent = np.tan(SLOPE)
    roots = [brentq(lambda mu, k=k: slip_acceleration(k, mu), 0.0, 1.0, xtol=1e-15) for k in (0.4, 0.5, 1.0)]
    slips = first_slip(LIMIT, run)
    by_formula = brentq(lambda t: disc_needs(t) - LIMIT, slips - 0.05, slips + 0.05, xtol=1e-14)
    closed = "closed form; the integrator keeps 1e-12 per step, and errors add up over the run"
    poles = "constant; 100·eps·cond, as its coordinates near their poles make M ill-conditioned"
    steady = "steady motion, a neighbour of which the integrator follows"
    linear = "sliding bodies under the friction μN: zero of the slip's acceleration, linear in μ"
    along, across = ball["rolling[0]"], ball["rolling[1]"]
    thrown_off = g.relative(np.hypot(along, across) / ball["ground"], 2 * tangent / 7)
    pull_off = max(g.relative(along, -2 / 7 * 2.0 * DIP), float(np.max(np.abs(across))) / DIP)
    slip_off = g.relative(roots, tangent * np.array([2 / 7, 1 / 3, 1 / 2]))
    skate_off = g.relative(needed(skate, "edge"), 2 * tangent * np.abs(np.sin(1.3 * skate.t)))
    leaning_off = g.relative(needed(leaning, "across", "along"), rate**2 * radius / G)
    axles = (needed(car, f"{end} axle", load=f"{end} load") for end in ("front", "rear"))
    car_off = max(g.relative(value, wanted) for value, wanted in zip(axles, car_needs(car), strict=True))
    reached = f"the turning disc slips on ground with μ = {LIMIT} when the closed form reaches it"
    return [
        g.Claim("a ball thrown across the slope needs 2/7 tan s all the time", thrown_off, 1e-10, poles),
        g.Claim("the ball is pulled up the slope only", pull_off, 1e-10, "constant, as above"),
        g.Claim("ball, disc, hoop slip where friction is short of 2/7, 1/3, 1/2 of tan s", slip_off, 1e-12, linear),
        g.Claim("the skate needs 2 tan s |sin ωt|", skate_off, 1e-9, closed),
        g.Claim("the leaning disc needs Ω²ρ/g", leaning_off, 1e-9, steady),
        g.Claim("the car's axles need what energy and the plane body's equations say", car_off, 1e-9, closed),
        g.Claim(reached, abs(slips - by_formula), 1e-8, "s; dense output between steps over the slope of μ(t)"),
    ]
