"""Two-link manipulator with massless arms: its load falls freely until the arm is stretched.

Two arms of lengths a = 0.6 m and b = 0.4 m without mass move in a vertical plane; a load of mass m = 2 kg is at the end
of the second one, and gravity is 9.81 m/s². The model has the positions (ex, ey) of the elbow and (x, y) of the load in
m, and two constraints, the lengths of the arms. The elbow has no mass, so the mass matrix is only semidefinite. The
angle of the first arm from the x axis is q1, that of the second one against the first q2 (rad).

Known answers: without torques the massless arms carry no force, so the load moves on the parabola of a free fall. Where
the arm is stretched, the elbow's acceleration across it is not determined. Where the joints are driven, q1 = q1(t) and
q2 = q2(t), the multipliers are the torques of the motors (inverse dynamics).
"""

import numpy as np

import gauss as g
from gauss import bodies as mb

COVERS = ("T12",)
SOURCE = "TM Ex. 4.4"

UPPER, FORE, LOAD, GRAVITY = 0.6, 0.4, 2.0, 9.81  # m, m, kg, m/s²
ANGLES, RATES = (0.3, 1.9), (3.0, 1.5)  # rad, rad/s: the start
REACH = 0.96 * (UPPER + FORE)  # m, where the fall is stopped

arms = (
    g.Holonomic("upper arm", lambda q, p: q.ex**2 + q.ey**2 - p.a**2),
    g.Holonomic("forearm", lambda q, p: (q.x - q.ex) ** 2 + (q.y - q.ey) ** 2 - p.b**2),
)


def model(name, constraints):
    return g.System(
        name,
        coordinates="ex ey x y",
        kinetic_energy=lambda v, p: 0.5 * p.m * (v.x**2 + v.y**2),
        potential_energy=lambda q, p: p.m * p.g * q.y,
        constraints=constraints,
        parameters={"a": UPPER, "b": FORE, "m": LOAD, "g": GRAVITY},
    )


def chart(s, t):
    """The coordinates at the angles (q1, q2)."""
    ex, ey = UPPER * g.cos(s[0]), UPPER * g.sin(s[0])
    return [ex, ey, ex + FORE * g.cos(s[0] + s[1]), ey + FORE * g.sin(s[0] + s[1])]


def velocities(s, s_dot):
    """The velocities at the angles and their rates."""
    ex, ey, x, y = chart(s, 0.0)
    turn = s_dot[0] + s_dot[1]
    vex, vey = -ey * s_dot[0], ex * s_dot[0]
    return [vex, vey, vex - (y - ey) * turn, vey + (x - ex) * turn]


system = model("two-link manipulator", arms)
stretched = g.Event("nearly stretched", lambda q: q.x**2 + q.y**2 - REACH**2, direction=1, terminal=True)
start = g.Start(q=chart(ANGLES, 0.0), v=velocities(ANGLES, RATES), t_end=2.0, step=0.0005, events=(stretched,))
drawing = mb.Drawing(
    lines=[lambda q: [(0, 0), (q["ex"], q["ey"]), (q["x"], q["y"])]], traces=[lambda q: (q["x"], q["y"])], speed=0.2
)


def parabola(t):
    """The position (x, y) of the load in free fall."""
    return start.q[2] + start.v[2] * t, start.q[3] + start.v[3] * t - GRAVITY * t**2 / 2


def undetermined():
    """The acceleration at the stretched arm at rest: whether it is refused as not unique."""
    try:
        g.accelerate(system, [UPPER, 0.0, UPPER + FORE, 0.0])
    except g.errors.NonUniqueAccelerationError:
        return True
    return False


def claims(run):
    off = max(g.relative(run[name], each) for name, each in zip("xy", parabola(run.t), strict=True))
    pull = np.max(np.abs([run["upper arm"], run["forearm"]])) * UPPER / (LOAD * GRAVITY)
    stuck = "at the stretched arm the acceleration is refused: that of the elbow is not determined"
    closed = "closed form; the integrator keeps 1e-10 per step"
    return [
        g.Claim("without torques the load moves on the parabola of a free fall", off, 1e-9, closed),
        g.Claim("the arms carry no force", pull, 1e-9, "the load falls freely, the elbow has no mass"),
        g.Claim(stuck, float(not undetermined()), 0.0, "the elbow's direction across the arm is free"),
    ]


def figure(run, figure):
    axes = figure.subplots()
    for ex, ey, x, y in run.at(np.linspace(0.0, run.t[-1], 9)).q:
        axes.plot([0.0, ex, x], [0.0, ey, y], "-o", color="0.7")
    axes.plot(*parabola(run.t), color="C3", label="free fall")
    axes.set(xlabel="x / m", ylabel="y / m", title="no torques: the arm at 9 times", aspect="equal")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
