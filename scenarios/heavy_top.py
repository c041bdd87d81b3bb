"""Heavy top on a ball joint, with its rotation matrix as coordinates: published numbers, and Jacobi's functions.

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
from scipy.special import ellipj, ellipk

import gauss as g
from gauss import bodies as mb

COVERS = ("T15",)
SOURCE = (
    "M. Géradin, A. Cardona, Flexible Multibody Dynamics (2001); J. Gerstmayr, EXUDYN, TestModels/heavyTop.py;"
    " TM chapter 7"
)

MASS, LENGTH, GRAVITY = 15.0, 1.0, 9.81  # kg, m, m/s²
CENTRAL = np.array([0.234375, 0.46875, 0.234375])  # kg m²
OMEGA = np.array([0.0, 150.0, -4.61538])  # rad/s
A, C = CENTRAL[0] + MASS * LENGTH**2, CENTRAL[1]
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

body = mb.Body("top", mb.Inertia.of_tensor(MASS, CENTRAL, centre=(0, LENGTH, 0)))
joint = mb.Spherical("joint", mb.GROUND, (0, 0, 0), body, (0, 0, 0))
top = mb.Mechanism("heavy top", [body], [joint], gravity=(0, 0, -GRAVITY))
system = top.system
Q, V = top.state(body.pose(angular_velocity=OMEGA))
start = g.Start(q=Q, v=V, t_end=1.0, rtol=1e-12, atol=1e-13)
drawing = mb.Drawing(  # a wheel on its axle: the disc has the radius that the moment about the axis would give it
    top,
    shapes={
        body: [
            mb.shapes.Disc(np.sqrt(2 * CENTRAL[1] / MASS), (0, LENGTH, 0), normal=(0, 1, 0)),
            mb.shapes.Segment([(0, 0, 0), (0, LENGTH, 0)]),
        ]
    },
    traces=[(body, (0, LENGTH, 0))],
    view=(28.0, -60.0),
    speed=0.1,
)


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


def height(t):
    """Height of the centre of mass (m), in closed form."""
    rate, b, d = OMEGA[2], 2 * MASS * GRAVITY * LENGTH / A, C * OMEGA[1] / A
    f = np.polynomial.Polynomial([0.0, 2 * rate * d - b, -(rate**2) - d**2, b])
    low, third = np.roots([b, -(rate**2) - d**2, 2 * rate * d - b])[::-1].real  # the root u₂ = 0 is divided out
    low, third = (x - f(x) / f.deriv()(x) for x in (low, third))
    k, speed = -low / (third - low), np.sqrt(b * (third - low)) / 2
    return LENGTH * (low - low * ellipj(speed * np.asarray(t) + ellipk(k), k)[0] ** 2)


def rotation(run):
    """R along a run, (N, 3, 3)."""
    return np.array([[run[f"top_R{i}{j}"] for j in (1, 2, 3)] for i in (1, 2, 3)]).transpose(2, 0, 1)


@g.needs(start.t_end)
def claims(run):
    dense = run.at(TIMES)
    centre = np.array(body.centre_of(dense)).T
    printed = mb.quaternion(*(PRINTED / np.linalg.norm(PRINTED)))
    whole = np.array(body.centre_of(run)).T
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
            "height of the centre in Jacobi's functions",
            g.relative(whole[:, 2], height(run.t)),
            len(run) * start.rtol,
            kept,
        ),
        g.Claim("energy is kept", g.relative(run.energy, run.energy[:1]), len(run) * start.rtol, kept),
        g.Claim(
            "angular momentum about the vertical and spin about the axis are kept",
            max(g.relative(momentum[:, 2], momentum[:1, 2]), g.relative(spin[:, 1], spin[:1, 1])),
            len(run) * start.rtol,
            kept,
        ),
        g.Claim("the joint holds with m(c̈ − g)", g.relative(held, pull), 1e-10, "Newton's law, at recorded states"),
    ]


def figure(run, figure):
    grid = figure.add_gridspec(2, 2, width_ratios=[1.0, 1.25])
    t = np.linspace(0.0, run.t[-1], 500)
    dense = run.at(t)
    centre = np.array(body.centre_of(dense))
    space = figure.add_subplot(grid[:, 0], projection="3d")
    space.plot(*centre, color="C0", label="Gauss")
    space.plot(*CENTRES.T, "k.", ms=7, label="published")
    for k in (0, 20, 40, 60):
        space.plot(*np.array([np.zeros(3), centre[:, k]]).T, color="0.6", lw=1.5)
    space.plot([0], [0], [0], "ko", ms=4)
    space.set(xlabel="x / m", ylabel="y / m", zlabel="z / m", title="centre of mass")
    space.set(xticks=[-1, -0.5, 0, 0.5], yticks=[0, 0.5, 1], zticks=[-1, -0.5, 0])
    space.set_box_aspect((1, 1, 0.6), zoom=0.92)
    space.view_init(elev=28, azim=-60)
    space.legend(loc="upper left", bbox_to_anchor=(-0.05, 0.95))
    upper = figure.add_subplot(grid[0, 1])
    upper.plot(t, centre[2], label="Gauss")
    upper.plot(t[::12], height(t[::12]), "k.", ms=4, label="Jacobi's functions")
    upper.set(ylabel="height / m", title="nutation", ylim=(-1.1, 0.3))
    upper.tick_params(labelbottom=False)
    upper.legend(loc="upper center", ncols=2)
    lower = figure.add_subplot(grid[1, 1], sharex=upper)
    for k in range(3):
        lower.plot(t, dense[f"joint[{k}]"], label=f"along {'xyz'[k]}")
    lower.set(xlabel="t / s", ylabel="force of the joint / N")
    lower.margins(y=0.3)
    lower.legend(loc="upper center", ncols=3)


if __name__ == "__main__":
    g.main(__file__)
