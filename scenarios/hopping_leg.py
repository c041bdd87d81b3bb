"""Hopping leg: it stands on its foot, lifts off where the ground would have to pull, and flies.

A mass m = 8 kg is carried by a massless spring of length l and stiffness k = 2500 N/m. While the leg is on the ground
its foot does not move. The model has the positions (x, y) of the mass and (fx, fy) of the foot, in m, and two
constraints, the ground fy = 0 and the hold of the foot fx = 0; both belong to the contact alone. The foot has a mass of
0.4 kg, which the exercise leaves out: on the ground it only adds its weight to the reaction. With the angle phi (rad)
of the leg from the vertical, L = ½m(l_dot² + l² phi_dot²) − m g l cos phi − ½k(l − l₀)². The exercise takes l₀ = 0, a
leg in tension at every length; here l₀ = 0.8 m. The ground carries k(l₀ − l) cos phi and the foot's weight; the leg
lifts off where this sum vanishes. In flight the mass centre follows a parabola, and the leg swings on.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

COVERS = ("T12",)
SOURCE = "TM Ex. 4.3"

MASS, FOOT, STIFFNESS, NATURAL, GRAVITY = 8.0, 0.4, 2500.0, 0.8, 9.81  # kg, kg, N/m, m, m/s²
PHI, SPEED, SINK = -0.26, 2.2, 1.2  # rad, m/s, m/s: touch-down, the foot ahead of the mass


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
lift_off = g.Event("lift-off", reaction, direction=-1, terminal=True)
down = [NATURAL * np.sin(PHI), NATURAL * np.cos(PHI), 0.0, 0.0]
start = g.Start(q=down, v=[SPEED, -SINK, 0.0, 0.0], t_end=1.0, step=0.0001, events=(lift_off,))
drawing = mb.Drawing(
    lines=[lambda q: [(q["fx"], q["fy"]), (q["x"], q["y"])]], traces=[lambda q: (q["x"], q["y"])], speed=0.1
)


def flight(run):
    """The flight from the end of a run on the ground, until the mass centre is back at its height."""
    rise = MASS * run["d_y"][-1] / (MASS + FOOT)
    return g.simulate(flying, run.q[-1], run.v[-1], t_end=2 * rise / GRAVITY, progress="none")


def claims(run):
    if run.ending.kind != "event" and run.t[-1] < start.t_end:
        return [
            g.analysis.Unexamined("all up to the lift-off", f"needs the lift-off; the motion ends at {run.t[-1]:.6g} s")
        ]
    air, load = flight(run), run["ground"] / ((MASS + FOOT) * GRAVITY)
    x, y = ((MASS * air[a] + FOOT * air[f"f{a}"]) / (MASS + FOOT) for a in "xy")
    vx, vy = (MASS * run[f"d_{a}"][-1] / (MASS + FOOT) for a in "xy")
    off = max(g.relative(x, x[0] + vx * air.t), g.relative(y, y[0] + vy * air.t - GRAVITY / 2 * air.t**2))
    return [
        g.Claim(
            "it lifts off where the ground carries nothing, and it carried a load until then",
            abs(load[-1]) if np.all(load[:-1] > 0.0) else np.inf,
            1e-9,
            f"event at t = {run.t[-1]:.6f} s, relative to the weight",
        ),
        g.Claim("in flight the mass centre follows a parabola", off, 1e-9, "closed form; rtol 1e-10 per step"),
    ]


def figure(run, figure):
    axes = figure.subplots()
    for part, name in ((run, "on the ground"), (flight(run), "in flight")):
        (path,) = axes.plot(part["x"], part["y"], label=name)
        for x, y, fx, fy in part.at(np.linspace(0.0, part.t[-1], 7)).q:
            axes.plot([fx, x], [fy, y], "-o", color=path.get_color(), lw=0.8)
    axes.set(xlabel="x / m", ylabel="y / m", title="one hop", aspect="equal")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
