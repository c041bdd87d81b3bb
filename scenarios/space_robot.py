"""Space robot: without momentum it turns by moving its arm round a loop.

A base of mass M = 40 kg and moment of inertia I = 2.5 kg m² floats in a plane without gravity; a massless arm of
variable length l is hinged at its mass centre and carries a mass m = 10 kg. The model has the position (X, Y) of the
base, its angle theta (rad) and the position (x, y) of the mass, in m. Two motors drive the length l(t) and the joint
angle phi(t) against the base: two rheonomic constraints.

Known answers: the momenta stay zero. With the reduced mass μ = mM/(m + M), I theta_dot + μl²(theta_dot + phi_dot) = 0,
a row that cannot be integrated: after a loop in the plane of l and phi the base has turned by −∮ μl²/(I + μl²) dphi,
the integral of 2μIl/(I + μl²)² over the area of the loop, whatever the speed.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

COVERS = ("T12",)
SOURCE = "TM Ex. 4.5"

BASE, INERTIA, TIP = 40.0, 2.5, 10.0  # kg, kg m², kg
REDUCED = TIP * BASE / (TIP + BASE)  # μ, kg
LENGTH, STROKE, SWING, PHASE = 1.0, 0.4, 1.0, 0.6  # m, m, rad, rad: l = LENGTH + STROKE sin τ, phi = SWING cos τ
RATE, CYCLES = 1.5, 4  # rad/s of τ, loops of the run


def arm(t, rate=RATE):
    """(l, phi) and their rates at time t."""
    tau = rate * t + PHASE
    l, phi = LENGTH + STROKE * g.sin(tau), SWING * g.cos(tau)
    return l, phi, STROKE * rate * g.cos(tau), -SWING * rate * g.sin(tau)


def model(name, rate=None):
    """The robot with driven arm, τ = rate·t + PHASE; with a free arm where no rate is given."""

    def driven(q, t):
        l, phi, _, _ = arm(t, rate)
        c, s = g.cos(q.theta + phi), g.sin(q.theta + phi)
        return (q.x - q.X) * c + (q.y - q.Y) * s - l, (q.y - q.Y) * c - (q.x - q.X) * s

    rows = (g.Holonomic("arm", lambda q, t: driven(q, t)[0]), g.Holonomic("joint", lambda q, t: driven(q, t)[1]))
    return g.System(
        name,
        coordinates="X Y theta x y",
        kinetic_energy=lambda v, p: (p.M * (v.X**2 + v.Y**2) + p.I * v.theta**2 + p.m * (v.x**2 + v.y**2)) / 2,
        constraints=() if rate is None else rows,
        parameters={"M": BASE, "I": INERTIA, "m": TIP},
    )


def at_rest(rate=RATE):
    """The state at t = 0 with the mass centre at rest in the origin, theta = 0, and no angular momentum."""
    l, phi, l_dot, phi_dot = arm(0.0, rate)
    theta_dot = -REDUCED * l**2 / (INERTIA + REDUCED * l**2) * phi_dot
    along, across = np.array([np.cos(phi), np.sin(phi)]), np.array([-np.sin(phi), np.cos(phi)])
    velocity = l_dot * along + l * (theta_dot + phi_dot) * across  # of the mass against the base
    near, far = -TIP / (TIP + BASE), BASE / (TIP + BASE)
    return [*near * l * along, 0.0, *far * l * along], [*near * velocity, theta_dot, *far * velocity]


system = model("space robot with driven arm", RATE)
start = g.Start(*at_rest(), t_end=CYCLES * 2 * np.pi / RATE, step=0.005, rtol=1e-12)
drawing = mb.Drawing(
    placed=[(mb.shapes.Box((0.7, 0.5)), lambda q: mb.shapes.at_angle((q["X"], q["Y"]), q["theta"]))],
    lines=[lambda q: [(q["X"], q["Y"]), (q["x"], q["y"])]],
)


def turn_by_loop():
    """Δtheta of one loop, rad, by the trapezoidal rule: for a periodic function it is exact to rounding."""
    tau = np.linspace(0.0, 2 * np.pi, 200, endpoint=False)
    l = LENGTH + STROKE * np.sin(tau)
    return 2 * np.pi * np.mean(REDUCED * l**2 / (INERTIA + REDUCED * l**2) * SWING * np.sin(tau))


@g.needs(start.t_end)
def claims(run):
    loops = np.arange(1, CYCLES + 1)
    turned = g.relative(run.at(loops * 2 * np.pi / RATE)["theta"], turn_by_loop() * loops)
    X, Y, theta, x, y = run.v.T
    spin = BASE * (run["X"] * Y - run["Y"] * X) + TIP * (run["x"] * y - run["y"] * x)
    momenta = np.max(np.abs([BASE * X + TIP * x, BASE * Y + TIP * y, INERTIA * theta + spin]))
    bound = len(run) * run.about.rtol * TIP * np.max(np.hypot(x, y)) * (LENGTH + STROKE)
    return [
        g.Claim("every loop turns the base by the integral over its area", turned, 1e-9, "as a contour integral"),
        g.Claim("the momenta stay zero", momenta, bound, "N steps that err by rtol each"),
    ]


def figure(run, figure):
    axes = figure.subplots()
    axes.plot(run.t, run["theta"], label="Gauss")
    axes.plot(run.t, turn_by_loop() * RATE * run.t / (2 * np.pi), "--", label="integral over the area, per loop")
    axes.set(xlabel="t / s", ylabel="theta / rad", title="attitude of the base")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
