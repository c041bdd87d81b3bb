"""A ball rolls on a turntable: its centre goes round a circle with two sevenths of the table's angular velocity.

A homogeneous ball (m = 1 kg, r = 0.1 m, I = ⅖mr²) rolls without slip on a horizontal table that turns with Ω = 3 rad/s
about the origin. Its centre is above the point x, y (m), its angular velocity is ω in space-fixed axes: ẋ − rω_y = −Ωy,
ẏ + rω_x = Ωx. The centre goes round a circle with Ω/(1 + mr²/I) = (2/7) Ω, whatever the start. The coordinates px, py,
pz (rad) have ω_x, ω_y, ω_z as velocities; such quasi-coordinates may be used, for the ball's moment is I dω/dt.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

SOURCE = "S. Earnshaw (1844); W. Weckesser, Am. J. Phys. 65, 736 (1997)"

Q0, V0, SPIN = (0.5, 0.0), (0.2, 0.3), 1.0  # m, m/s, rad/s


def rolling(p):
    return [[1.0, 0.0, 0.0, -p.r, 0.0], [0.0, 1.0, p.r, 0.0, 0.0]]


system = g.System(
    "ball on a turntable",
    coordinates="x y px py pz",
    kinetic_energy=lambda v, p: (p.m * (v.x**2 + v.y**2) + p.I * (v.px**2 + v.py**2 + v.pz**2)) / 2,
    constraints=[g.Pfaffian("rolling", rolling, offset=lambda q, p: [p.Omega * q.y, -p.Omega * q.x])],
    parameters={"m": 1.0, "r": 0.1, "I": 0.4 * 0.1**2, "Omega": 3.0},
)
R, OMEGA = (system.parameters[name] for name in ("r", "Omega"))
RATE, PERIOD = 2 / 7 * OMEGA, 7 * np.pi / OMEGA  # rad/s, s


def rolling_start(v=V0):
    """Velocities of a ball at Q0 with the velocity v of its centre that rolls on the table."""
    return [*v, (OMEGA * Q0[0] - v[1]) / R, (v[0] + OMEGA * Q0[1]) / R, SPIN]


start = g.Start(q=[*Q0, 0.0, 0.0, 0.0], v=rolling_start(), t_end=PERIOD, step=0.01, rtol=1e-12)
ball = [mb.shapes.Circle(R, normal=n) for n in np.eye(3)]  # drawn without its turning: px, py, pz are no pose
drawing = mb.Drawing(
    shapes={mb.GROUND: mb.shapes.Circle(1.0)},
    placed=[(ball, lambda q: mb.shapes.at_quaternion((q["x"], q["y"], R), (1.0, 0.0, 0.0, 0.0)))],
    traces=[lambda q: (q["x"], q["y"], R)],
)


def circle(t, rate=RATE, v=V0):
    """Closed-form path (x, y)."""
    sin, cos = np.sin(rate * t) / rate, (1 - np.cos(rate * t)) / rate
    return np.array([Q0[0] + v[0] * sin - v[1] * cos, Q0[1] + v[1] * sin + v[0] * cos])


@g.needs(start.t_end)
def claims(run):
    path, size = np.array([run["x"], run["y"]]), np.max(np.abs(circle(run.t)))
    reason = "closed form; rtol 1e-12 a step"
    return [
        g.Claim("the centre goes round the circle", g.relative(path, circle(run.t)), 1e-9, reason),
        g.Claim("it returns after 7π/Ω", np.max(np.abs(path[:, -1] - Q0)) / size, 1e-9, reason),
    ]


def figure(run, figure):
    axes = figure.subplots()
    dense = run.at(np.linspace(run.t[0], run.t[-1], 800))
    axes.plot(dense["x"], dense["y"], label="Gauss")
    axes.plot(*circle(dense.t[::40]), ".", color="C1", label="circle, (2/7) Ω")
    axes.plot([0], [0], "k+", ms=10, label="axis of the table")
    axes.set(xlabel="x / m", ylabel="y / m", title="path in space", aspect="equal")
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))


if __name__ == "__main__":
    g.main(__file__)
