"""The other claims of scenarios/heavy_top.py.

The top of the benchmark of Géradin and Cardona: a body of mass m = 15 kg, its centre of mass l = 1 m from the joint
along the body's y-axis, with central moments 0.234375, 0.46875, 0.234375 kg m² and gravity 9.81 m/s² along −z. It
starts with R = 1, so that its axis is level, and ω = (0, 150, −4.61538) rad/s. Twelve coordinates, the position of the
joint's point and the entries of R, are kept by six rows RᵀR = 1 and three of the joint.

Known answers: the centre of mass at five times, by an integration in Euler parameters with rtol 1e-12, and Euler
parameters at t = 0.2 s printed with a test of the program EXUDYN (Runge–Kutta, five digits). In Euler's angles it is
Lagrange's top with A = 15.234375 and C = 0.46875 kg m² about the joint: it starts at the upper turning point of its
inclination, and with u = cos β and the roots u₁ < u₂ < u₃ of

    f(u) = (a − b u)(1 − u²) − (c − d u)²,   a = c² = α̇₀²,  b = 2mgl/A,  c = α̇₀,  d = Cω_y/A

(u₂ = 0) the height of the centre is l u(t), u = u₁ + (u₂ − u₁) sn²(½√(b(u₃ − u₁)) t + K, k), k² = (u₂ − u₁)/(u₃ − u₁).
"""

import numpy as np

import gauss as g
from gauss import bodies as mb
from scenarios.heavy_top import GRAVITY, LENGTH, MASS, A, C, body, start

TIMES = [0.05, 0.1, 0.2, 0.5, 1.0]  # s
CENTRES = np.array(  # m, at these times
    [
        [0.22574112, 0.97343198, -0.03835518],
        [0.42129666, 0.89457197, -0.1491647],
        [0.60555056, 0.59895768, -0.52398303],
        [-0.7024683, -0.02116518, -0.71140026],
        [0.17334396, 0.64008859, -0.74849079],
    ]
)
PRINTED = np.array([-0.70828, 0.43878, 0.54573, 0.0894])  # Euler parameters at 0.2 s, the scalar first


# ---------------------------------------------------------------- Lagrange's top: R = Z(α) X(β) Z(γ) X(½π)


def chart(s, t):
    a, b, c = s
    ca, sa, cb, sb, cc, sc = g.cos(a), g.sin(a), g.cos(b), g.sin(b), g.cos(c), g.sin(c)
    columns = [  # of Z(α) X(β) Z(γ); the body's y-axis is the third
        [ca * cc - sa * cb * sc, sa * cc + ca * cb * sc, sb * sc],
        [-ca * sc - sa * cb * cc, -sa * sc + ca * cb * cc, sb * cc],
        [sa * sb, -ca * sb, cb],
    ]
    return [0.0, 0.0, 0.0, *(x for i in range(3) for x in (columns[0][i], columns[2][i], -columns[1][i]))]


def angles(q, v, t):
    """(α, β, γ) and rates, from the second column and the third row of R."""
    R, W = np.reshape(q[3:], (3, 3)), np.reshape(v[3:], (3, 3))
    sine = R[0, 1] ** 2 + R[1, 1] ** 2
    s = [g.atan2(R[0, 1], -R[1, 1]), g.acos(R[2, 1]), g.atan2(R[2, 0], -R[2, 2])]
    rates = [
        (R[0, 1] * W[1, 1] - R[1, 1] * W[0, 1]) / sine,
        -W[2, 1] / g.sqrt(sine),
        (R[2, 0] * W[2, 2] - R[2, 2] * W[2, 0]) / sine,
    ]
    return s, rates


minimal = g.Minimal(
    lagrangian=lambda s, s_dot, t: (
        A / 2 * (s_dot[1] ** 2 + s_dot[0] ** 2 * g.sin(s[1]) ** 2)
        + C / 2 * (s_dot[2] + s_dot[0] * g.cos(s[1])) ** 2
        - MASS * GRAVITY * LENGTH * g.cos(s[1])
    ),
    chart=chart,
    inverse=angles,
    text="Euler's angles α, β, γ",
)


def rotation(run):
    """R along a run, (N, 3, 3)."""
    return np.array([[run[f"top_R{i}{j}"] for j in (1, 2, 3)] for i in (1, 2, 3)]).transpose(2, 0, 1)


@g.needs(start.t_end)
def claims(run):
    dense = run.at(TIMES)
    centre = np.array(body.centre_of(dense)).T
    printed = mb.quaternion(*(PRINTED / np.linalg.norm(PRINTED)))
    accelerations = {name: run[f"dd_{name}"] for name in body.coordinates}
    pull = MASS * (np.array(body.placed(accelerations).point((0, LENGTH, 0))).T + np.array([0.0, 0.0, GRAVITY]))
    held = np.array([run[f"joint[{k}]"] for k in range(3)]).T
    rates = {name: run[f"d_{name}"] for name in body.coordinates}
    spin = np.array(body.angular_velocity(run, rates)).T
    momentum = np.einsum("nij,nj->ni", rotation(run), np.array([A, C, A]) * spin)
    kept = "N steps that err by rtol each"
    return [
        g.Claim("centre of mass at five times", float(np.max(np.abs(centre - CENTRES))), 1e-7, "eight digits given"),
        g.Claim(
            "rotation at 0.2 s as printed for EXUDYN",
            float(np.max(np.abs(rotation(dense)[2] - printed))),
            1e-5,
            "five printed digits; its Runge-Kutta steps",
        ),
        g.Claim(
            "angular momentum about the vertical and spin about the axis are kept",
            max(g.relative(momentum[:, 2], momentum[:1, 2]), g.relative(spin[:, 1], spin[:1, 1])),
            len(run) * start.rtol,
            kept,
        ),
        g.Claim("the joint holds with m(c̈ − g)", g.relative(held, pull), 1e-10, "Newton's law, at recorded states"),
    ]
