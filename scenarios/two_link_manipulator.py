"""Two-link manipulator with massless arms: its load falls freely until the arm is stretched.

Two arms of lengths a = 0.6 m and b = 0.4 m without mass move in a vertical plane; a load of mass m = 2 kg is at the end
of the second one, and gravity is 9.81 m/s². The model has the positions (ex, ey) of the elbow and (x, y) of the load in
m, and two constraints, the lengths of the arms. The elbow has no mass, so the mass matrix is only semidefinite. With
the angle q1 of the first arm from the x axis and the angle q2 of the second one against the first (rad),

    L = ½m(a² q1_dot² + b² (q1_dot + q2_dot)² + 2ab q1_dot (q1_dot + q2_dot) cos q2) − mg(a sin q1 + b sin(q1 + q2)).

Known answers: without torques the massless arms carry no force, so the load moves on the parabola of a free fall and
the angles follow from the triangle of the arms. The determinant of the inertia matrix is (m a b sin q2)²: where the arm
is stretched, the elbow's acceleration across it is not determined, although the constraints are regular there. Where
the joints are driven, q1 = q1(t) and q2 = q2(t), the multipliers are the torques of the motors, and follow from
Lagrange's equations (inverse dynamics).
"""

import numpy as np
from scipy.integrate import solve_ivp

import gauss as g
from gauss import bodies as mb

COVERS = ("T12",)
SOURCE = "TM Ex. 4.4"

UPPER, FORE, LOAD, GRAVITY = 0.6, 0.4, 2.0, 9.81  # m, m, kg, m/s²
ANGLES, RATES = (0.3, 1.9), (3.0, 1.5)  # rad, rad/s: the start
REACH = 0.96 * (UPPER + FORE)  # m, where the fall is stopped
DRIVEN = ((0.9, 0.5, 2.0, 0.0), (1.2, 0.6, 3.0, 0.4))  # driven angles: mean, amplitude, rate, phase

arms = (
    g.Holonomic("upper arm", lambda q, p: q.ex**2 + q.ey**2 - p.a**2),
    g.Holonomic("forearm", lambda q, p: (q.x - q.ex) ** 2 + (q.y - q.ey) ** 2 - p.b**2),
)


def first_angle(q):
    return g.atan2(q.ey, q.ex)


def second_angle(q):
    x, y = q.x - q.ex, q.y - q.ey
    return g.atan2(q.ex * y - q.ey * x, q.ex * x + q.ey * y)


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


def inverse(q, v, t):
    """(q1, q2) and their rates."""
    ex, ey, x, y = q[0], q[1], q[2] - q[0], q[3] - q[1]
    rate = (ex * v[1] - ey * v[0]) / UPPER**2
    turn = (x * (v[3] - v[1]) - y * (v[2] - v[0])) / FORE**2
    return [g.atan2(ey, ex), g.atan2(ex * y - ey * x, ex * x + ey * y)], [rate, turn - rate]


def driven_angle(k, t):
    """The driven angle of joint k as a function of t, rad."""
    mean, size, rate, phase = DRIVEN[k]
    return mean + size * g.sin(rate * t + phase)


system = model("two-link manipulator", arms)
driven = model(
    "two-link manipulator with driven joints",
    (
        *arms,
        g.Holonomic("joint 1", lambda q, t: first_angle(q) - driven_angle(0, t)),
        g.Holonomic("joint 2", lambda q, t: second_angle(q) - driven_angle(1, t)),
    ),
)
_FIRST = [driven_angle(k, 0.0) for k in (0, 1)]
ready = {  # where the driven motion starts
    "q": chart(_FIRST, 0.0),
    "v": velocities(_FIRST, [size * rate * np.cos(phase) for _, size, rate, phase in DRIVEN]),
}
stretched = g.Event("nearly stretched", lambda q: q.x**2 + q.y**2 - REACH**2, direction=1, terminal=True)
start = g.Start(q=chart(ANGLES, 0.0), v=velocities(ANGLES, RATES), t_end=2.0, step=0.0005, events=(stretched,))
drawing = mb.Drawing(
    lines=[lambda q: [(0, 0), (q["ex"], q["ey"]), (q["x"], q["y"])]], traces=[lambda q: (q["x"], q["y"])], speed=0.2
)


def _lagrangian(s, s_dot, t):
    turn = s_dot[0] + s_dot[1]
    squares = UPPER**2 * s_dot[0] ** 2 + FORE**2 * turn**2 + 2 * UPPER * FORE * s_dot[0] * turn * g.cos(s[1])
    return 0.5 * LOAD * squares - LOAD * GRAVITY * (UPPER * g.sin(s[0]) + FORE * g.sin(s[0] + s[1]))


minimal = g.Minimal(lagrangian=_lagrangian, chart=chart, inverse=inverse, text="joint angles q1, q2")


def parabola(t):
    """The position (x, y) of the load in free fall."""
    return start.q[2] + start.v[2] * t, start.q[3] + start.v[3] * t - GRAVITY * t**2 / 2


def by_triangle(x, y):
    """The joint angles at which the load is at (x, y), with q2 in (0, π)."""
    second = np.arccos((x**2 + y**2 - UPPER**2 - FORE**2) / (2 * UPPER * FORE))
    return np.unwrap(np.arctan2(y, x)) - np.arctan2(FORE * np.sin(second), UPPER + FORE * np.cos(second)), second


def by_lagrange(times):
    """(q1, q2) and rates, (4, N), from Lagrange's equations, integrated by SciPy."""

    def rates(t, w):
        q1, q2, d1, d2 = w
        cross, spun = UPPER * FORE * np.cos(q2), UPPER * FORE * np.sin(q2)
        inertia = [[UPPER**2 + FORE**2 + 2 * cross, FORE**2 + cross], [FORE**2 + cross, FORE**2]]
        weight = GRAVITY * FORE * np.cos(q1 + q2)
        force = [spun * (2 * d1 * d2 + d2**2) - weight - GRAVITY * UPPER * np.cos(q1), -spun * d1**2 - weight]
        return [d1, d2, *np.linalg.solve(inertia, force)]

    first = [*ANGLES, *RATES]
    return solve_ivp(rates, (times[0], times[-1]), first, "DOP853", t_eval=times, rtol=1e-13, atol=1e-14).y


def torques(t):
    """The torques (2, N) of the motors that drive the joints: the force on the load, turned into torques."""
    (m1, s1, w1, p1), (m2, s2, w2, p2) = DRIVEN
    q1, q2 = m1 + s1 * np.sin(w1 * t + p1), m2 + s2 * np.sin(w2 * t + p2)
    d1, d2 = s1 * w1 * np.cos(w1 * t + p1), s2 * w2 * np.cos(w2 * t + p2)
    a1, a2 = -(w1**2) * (q1 - m1), -(w2**2) * (q2 - m2)
    near, far = UPPER * np.exp(1j * q1), FORE * np.exp(1j * (q1 + q2))
    acceleration = near * (1j * a1 - d1**2) + far * (1j * (a1 + a2) - (d1 + d2) ** 2)
    force = LOAD * (acceleration + 1j * GRAVITY)
    return np.array([np.imag(np.conj(near + far) * force), np.imag(np.conj(far) * force)])


def drive(t_end=4.0):
    """The motion with driven joints."""
    return g.simulate(driven, **ready, t_end=t_end, progress="none")


def undetermined():
    """The acceleration at the stretched arm at rest: whether it is refused as not unique."""
    try:
        g.accelerate(system, [UPPER, 0.0, UPPER + FORE, 0.0])
    except g.NonUniqueAccelerationError:
        return True
    return False


def claims(run):
    angles, rates = inverse(run.q.T, run.v.T, 0.0)
    states = np.array([np.unwrap(angles[0]), angles[1], *rates])
    expected = by_lagrange(run.t)
    triangle = by_triangle(*parabola(run.t))
    moved = drive()
    motors = np.array([moved["joint 1"], moved["joint 2"]])
    weight = LOAD * GRAVITY / UPPER  # of a multiplier: the force is 2aλ
    return [
        g.Claim(
            "without torques the load moves on the parabola of a free fall",
            max(g.relative(run[name], each) for name, each in zip("xy", parabola(run.t), strict=True)),
            1e-9,
            "closed form; the integrator keeps 1e-10 per step",
        ),
        g.Claim(
            "the joint angles are those of the triangle of the arms",
            max(g.relative(*pair) for pair in zip(states[:2], triangle, strict=True)),
            1e-8,
            "closed form; errors grow by 1/sin q2 near the stretched arm",
        ),
        g.Claim(
            "the joint angles and their rates follow Lagrange's equations",
            max(g.relative(*pair) for pair in zip(states, expected, strict=True)),
            1e-7,
            "the two equations, integrated by SciPy with rtol 1e-13; they are stiff near the stretched arm",
        ),
        g.Claim(
            "the arms carry no force",
            float(max(np.max(np.abs(run["upper arm"])), np.max(np.abs(run["forearm"])))) / weight,
            1e-9,
            "closed form: the load falls freely and the elbow has no mass; relative to m g/a",
        ),
        g.Claim(
            "at the stretched arm the acceleration is refused: that of the elbow is not determined",
            float(not undetermined()),
            0.0,
            "M and the rows leave the elbow's direction across the arm free",
        ),
        g.Claim(
            "driven joints: the multipliers are the torques of the motors",
            g.relative(motors, torques(moved.t)),
            1e-9,
            "moments of m(r̈ + g) about the joints, from the angles as functions of t",
        ),
    ]


def figure(run, figure):
    grid = figure.add_gridspec(2, 2, width_ratios=[1, 1])
    arm = figure.add_subplot(grid[:, 0])
    upper, lower = figure.add_subplot(grid[0, 1]), figure.add_subplot(grid[1, 1])
    u = np.linspace(0.0, 2 * np.pi, 200)
    arm.plot((UPPER + FORE) * np.cos(u), (UPPER + FORE) * np.sin(u), "--", color="0.6", lw=1, label="reach of the arm")
    shown = run.at(np.linspace(0.0, run.t[-1], 9))
    for k in range(9):
        ex, ey, x, y = shown.q[k]
        tone = str(0.8 - 0.8 * k / 8)
        arm.plot([0.0, ex, x], [0.0, ey, y], "-", color=tone, lw=1.5)
        arm.plot([0.0, ex], [0.0, ey], "o", color=tone, ms=3)
        arm.plot(x, y, "s", color=tone, ms=6)
    t = np.linspace(0.0, run.t[-1], 200)
    arm.plot(*parabola(t), color="C3", lw=1, label="free fall")
    arm.set(xlabel="x / m", ylabel="y / m", title="no torques: the arm at 9 times", aspect="equal", ylim=(-1.1, 1.45))
    arm.legend(loc="upper center", ncols=2)
    dense = run.at(t)
    angles, _ = inverse(dense.q.T, dense.v.T, 0.0)
    for k, each in enumerate(by_triangle(*parabola(t))):
        upper.plot(t, np.unwrap(angles[k]), label=f"q{k + 1}")
        upper.plot(t[::12], each[::12], "k.", ms=4)
    upper.plot([], [], "k.", label="triangle")
    upper.set(ylabel="angle / rad", xlabel="t / s", title="no torques: joint angles")
    upper.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    moved = drive()
    t = np.linspace(0.0, 4.0, 400)
    wanted = torques(t)
    for k in (0, 1):
        lower.plot(t, moved.at(t)[f"joint {k + 1}"], label=f"motor {k + 1}")
        lower.plot(t[::12], wanted[k, ::12], "k.", ms=4)
    lower.plot([], [], "k.", label="closed form")
    lower.set(xlabel="t / s", ylabel="torque / N m", title="driven joints: torques of the motors")
    lower.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))


if __name__ == "__main__":
    g.main(__file__)
