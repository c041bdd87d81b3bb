"""The other claims of scenarios/two_link_manipulator.py.

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
from scenarios.two_link_manipulator import (
    ANGLES,
    FORE,
    GRAVITY,
    LOAD,
    RATES,
    UPPER,
    arms,
    chart,
    model,
    parabola,
    velocities,
)

DRIVEN = ((0.9, 0.5, 2.0, 0.0), (1.2, 0.6, 3.0, 0.4))  # driven angles: mean, amplitude, rate, phase


def first_angle(q):
    return g.atan2(q.ey, q.ex)


def second_angle(q):
    x, y = q.x - q.ex, q.y - q.ey
    return g.atan2(q.ex * y - q.ey * x, q.ex * x + q.ey * y)


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


def _lagrangian(s, s_dot, t):
    turn = s_dot[0] + s_dot[1]
    squares = UPPER**2 * s_dot[0] ** 2 + FORE**2 * turn**2 + 2 * UPPER * FORE * s_dot[0] * turn * g.cos(s[1])
    return 0.5 * LOAD * squares - LOAD * GRAVITY * (UPPER * g.sin(s[0]) + FORE * g.sin(s[0] + s[1]))


minimal = g.Minimal(lagrangian=_lagrangian, chart=chart, inverse=inverse, text="joint angles q1, q2")


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


def claims(run):
    angles, rates = inverse(run.q.T, run.v.T, 0.0)
    states = np.array([np.unwrap(angles[0]), angles[1], *rates])
    expected = by_lagrange(run.t)
    triangle = by_triangle(*parabola(run.t))
    moved = drive()
    motors = np.array([moved["joint 1"], moved["joint 2"]])
    return [
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
            "driven joints: the multipliers are the torques of the motors",
            g.relative(motors, torques(moved.t)),
            1e-9,
            "moments of m(r̈ + g) about the joints, from the angles as functions of t",
        ),
    ]
