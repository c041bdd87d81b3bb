"""A ball rolls on a plane without slip and without spin: its centre moves straight on.

A homogeneous ball of mass m = 2 kg, radius r = 0.3 m and moment of inertia I = ⅖mr² rolls on a horizontal plane. The
coordinates are the point of contact on the plane x, y (m), the point of contact on the ball in spherical coordinates
alpha (longitude) and beta (polar angle), and the angle gamma between the meridian of contact and the x axis (rad).
Three rows say that it rolls without slip and without spin about the vertical. The kinetic energy is
½I(α̇² + β̇² + γ̇²) + Iα̇γ̇ cos(beta) + ½m(ẋ² + ẏ²).

No reaction is needed, λ = 0: the centre moves on a straight line at constant speed, and the point of contact goes round
a great circle of the ball. The coordinates fail at the poles sin(beta) = 0; this start stays away from them.
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

COVERS = ("T20",)
SOURCE = "TM §8.3.1, §9.1.3"

M, R = 2.0, 0.3  # kg, m
I = 0.4 * M * R**2  # kg m²


def kinetic_energy(q, v):
    rotation = 0.5 * I * (v.alpha**2 + v.beta**2 + v.gamma**2) + I * v.alpha * v.gamma * g.cos(q.beta)
    return rotation + 0.5 * M * (v.x**2 + v.y**2)


def rolling(q):
    return [
        [1.0, 0.0, -R * g.sin(q.beta) * g.sin(q.gamma), -R * g.cos(q.gamma), 0.0],
        [0.0, 1.0, R * g.sin(q.beta) * g.cos(q.gamma), -R * g.sin(q.gamma), 0.0],
        [0.0, 0.0, g.cos(q.beta), 0.0, 1.0],
    ]


def rates(q, eta):
    """q̇ = G(q) η: all velocities from η = (α̇, β̇)."""
    s, c, (first, second) = np.sin(q[3:]), np.cos(q[3:]), eta
    x = R * (first * s[0] * s[1] + second * c[1])
    y = R * (-first * s[0] * c[1] + second * s[1])
    return np.array([x, y, first, second, -first * c[0]])


system = g.System(
    "rolling ball",
    coordinates="x y alpha beta gamma",
    kinetic_energy=kinetic_energy,
    constraints=[g.Pfaffian("rolling", rolling)],
)
Q0 = np.array([0.0, 0.0, 0.5, 1.2, 2.5])
V0 = rates(Q0, [1.5, -0.8])
start = g.Start(q=list(Q0), v=list(V0), t_end=10.0, step=0.01, rtol=1e-12)


def ball(q):
    """Where the ball is, for the picture."""
    (sa, sb, sc), (ca, cb, cc) = ([f(q[angle]) for angle in ("alpha", "beta", "gamma")] for f in (np.sin, np.cos))
    turned = ((cb * ca, -sa, sb * ca), (cb * sa, ca, sb * sa), (-sb, 0.0, cb))  # columns of R(Y, −beta) R(Z, −alpha)
    return mb.Placed((q["x"], q["y"], R), tuple((cc * a + sc * b, sc * a - cc * b, -c) for a, b, c in turned))


drawing = mb.Drawing(
    placed=[(mb.shapes.Ball(R), ball)],
    traces=[lambda q: (q["x"], q["y"], 0.0), lambda q: ball(q).point((0.0, 0.0, R))],
    planes=[((0, 0, 0), (0, 0, 1))],
)


def claims(run):
    off, speed = g.relative(run.q[:, :2], np.outer(run.t, V0[:2])), np.hypot(*V0[:2])
    force = M * speed**2 / R
    reaction = np.max(np.abs(run.multipliers / [force, force, force * R]))
    closed = "closed form; the integrator keeps 1e-12 per step, and errors add up over the run"
    return [
        g.Claim("the centre moves on a straight line", off, 1e-9, closed),
        g.Claim("at constant speed", g.relative(np.hypot(run["d_x"], run["d_y"]), speed), 1e-9, closed),
        g.Claim("no reaction is needed", reaction, 1e-12, "rounding, relative to m v²/r"),
    ]


def figure(run, figure):
    path, angles = figure.subplots(1, 2)
    marks, dense = np.linspace(run.t[0], run.t[-1], 11), run.at(np.linspace(run.t[0], run.t[-1], 600))
    path.plot(run["x"], run["y"], label="Gauss")
    path.plot(V0[0] * marks, V0[1] * marks, "o", label="straight line")
    path.set(xlabel="x / m", ylabel="y / m", title="path of the centre, seen from above")
    path.legend()
    for name in ("alpha", "beta", "gamma"):
        angles.plot(dense.t, dense[name], label=name)
    angles.set(xlabel="t / s", ylabel="angle / rad", title="where it touches, and how it is turned")
    angles.legend()


if __name__ == "__main__":
    g.main(__file__)
