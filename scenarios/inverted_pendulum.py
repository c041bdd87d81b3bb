"""Inverted pendulum on a cart: how fast it falls, how long it swings, and what holds it up.

A cart of mass M = 1 kg moves along the axis X without friction and carries a massless rod of length l = 0.5 m with a
mass m = 0.3 kg at its end; gravity is 9.81 m/s². The model has the positions (X, Y) of the cart and (x, y) of the bob
(m) and two constraints: the cart is on the rail, Y = 0, and the rod keeps its length.

Known answers, with the angle phi (rad) of the rod from the upward vertical: the momentum along X and the energy are
conserved. Released at rest from phi₀, phi_dot² = 2(g/l)(cos phi₀ − cos phi)/(1 − μ cos² phi) with μ = m/(M + m).
Upright the eigenvalues are ±κ, 0, 0 with κ² = (M + m)g/(M l); hanging they are ±iκ, 0, 0.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

COVERS = ("T12",)
SOURCE = "TM Ex. 4.2"

CART, BOB, ROD, GRAVITY = 1.0, 0.3, 0.5, 9.81  # kg, kg, m, m/s²
PHI = 0.5  # rad, at the start
RATE = np.sqrt((CART + BOB) * GRAVITY / (CART * ROD))  # κ, 1/s
SHARE = BOB / (CART + BOB)  # μ
HELD = "X x d_X d_x"  # the states of its linear equations


def model(**more):
    """The pendulum, with further arguments of the System."""
    return g.System(
        "inverted pendulum on a cart",
        coordinates="X Y x y",
        kinetic_energy=lambda v, p: 0.5 * p.M * (v.X**2 + v.Y**2) + 0.5 * p.m * (v.x**2 + v.y**2),
        potential_energy=lambda q, p: p.g * (p.M * q.Y + p.m * q.y),
        constraints=[
            g.Holonomic("rail", lambda q: q.Y),
            g.Holonomic("rod", lambda q, p: (q.x - q.X) ** 2 + (q.y - q.Y) ** 2 - p.l**2),
        ],
        parameters={"M": CART, "m": BOB, "l": ROD, "g": GRAVITY},
        **more,
    )


def place(phi, X=0.0):
    """The coordinates (X, Y, x, y) at the angle phi."""
    return [X, 0.0, X + ROD * np.sin(phi), ROD * np.cos(phi)]


system = model()
turning = g.Event("turning point", lambda q, v: (q.y - q.Y) * (v.x - v.X) - (q.x - q.X) * (v.y - v.Y))
start = g.Start(q=place(PHI), t_end=4.0, step=0.001, events=(turning,))
drawing = mb.Drawing(
    shapes={mb.GROUND: mb.shapes.Polyline([(-0.25, -0.06), (0.55, -0.06)])},
    placed=[(mb.shapes.Box((0.24, 0.12)), lambda q: mb.shapes.at_angle((q["X"], q["Y"]), 0.0))],
    lines=[lambda q: [(q["X"], q["Y"]), (q["x"], q["y"])]],
    traces=[lambda q: (q["x"], q["y"])],
    speed=0.5,
)


@g.needs(start.t_end)
def claims(run):
    x, y, vx, vy = run["x"] - run["X"], run["y"], run["d_x"] - run["d_X"], run["d_y"]
    rate, integral = (x * vy - y * vx) / ROD**2, 2 * GRAVITY / ROD * (np.cos(PHI) - y / ROD)
    law = np.abs(rate**2 - integral / (1 - SHARE * (y / ROD) ** 2)) * ROD * (1 - SHARE) / (2 * GRAVITY)
    momentum, drift = np.abs(CART * run["d_X"] + BOB * run["d_x"]), len(run) * run.about.rtol
    bound = drift * (CART + BOB) * np.max(np.abs(run["d_x"]))
    up, down = (g.linearize(system, place(phi), states=HELD).eigenvalues for phi in (0.0, np.pi))
    off = max(g.relative(up[[0, -1]].real, [RATE, -RATE]), g.relative(np.abs(down).max(), RATE))
    each = "N steps that err by rtol each"
    return [
        g.Claim("phi_dot² is the function of phi that energy and momentum leave", np.max(law), 10 * drift, each),
        g.Claim("the momentum along X stays zero", np.max(momentum), bound, f"{each}, times the largest speed"),
        g.Claim("the eigenvalues are ±κ upright and ±iκ hanging, κ² = (M + m)g/(Ml)", off, 1e-12, "closed form"),
    ]


def figure(run, figure):
    axes = figure.subplots()
    shown = run.at(np.linspace(0.0, 0.4 * run.t[-1], 25))
    for X, _, x, y in shown.q:
        axes.plot([X, x], [0.0, y], color="0.7", lw=0.8)
    axes.plot(run["x"], run["y"], label="bob")
    axes.plot(run["X"], run["Y"], lw=3, label="cart")
    axes.set(xlabel="x / m", ylabel="y / m", title="it falls over and swings through", aspect="equal")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
