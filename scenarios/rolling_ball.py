"""A ball rolls on a plane without slip and without spin: its centre moves straight on.

A homogeneous ball of mass m = 2 kg, radius r = 0.3 m and moment of inertia I = ⅖mr² rolls on a horizontal plane. The
coordinates are the point of contact on the plane x, y (m), the point of contact on the ball in spherical coordinates
alpha (longitude) and beta (polar angle), and the angle gamma between the meridian of contact and the x axis (rad). The
ball has the orientation R = R(Z, gamma) R(X, π) R(Y, −beta) R(Z, −alpha), so it rolls without slip and its angular
velocity has no vertical part where A(q) q̇ = 0,

    A = [ 1  0  −r sin(beta) sin(gamma)  −r cos(gamma)  0
          0  1   r sin(beta) cos(gamma)  −r sin(gamma)  0
          0  0        cos(beta)                0        1 ].

(The third row is more than absence of slip: a real ball may also spin about the vertical.) The kinetic energy is
½I(α̇² + β̇² + γ̇²) + Iα̇γ̇ cos(beta) + ½m(ẋ² + ẏ²). No reaction is needed, λ = 0: the centre moves on a straight line at
constant speed, and the point of contact goes round a great circle of the ball with the angular velocity speed/r. With
η₁ = α̇, η₂ = β̇ this is what the reduced equations of the source say,

    η̇₁ sin²(beta) + 2η₁η₂ sin(beta) cos(beta) = 0,   η̇₂ − η₁² sin(beta) cos(beta) = 0.

The coordinates fail at the poles sin(beta) = 0, where M is singular; this start stays away from them.

Checked against the source: the constraints, the Lagrangian and the reduced equations hold. Two of its intermediate
formulas are misprinted: in the Lagrange equation for gamma the term "Iα̇ cos β" must be Iα̈ cos β, and in ÿ the last
term "−η₂ r γ̇ cos γ" must be +η₂ r γ̇ cos γ.
"""

import numpy as np
from scipy.integrate import solve_ivp

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
    _, _, _, beta, gamma = q
    sin_beta, cos_beta, sin_gamma, cos_gamma = np.sin(beta), np.cos(beta), np.sin(gamma), np.cos(gamma)
    return np.array(
        [
            R * (eta[0] * sin_beta * sin_gamma + eta[1] * cos_gamma),
            R * (-eta[0] * sin_beta * cos_gamma + eta[1] * sin_gamma),
            eta[0],
            eta[1],
            -eta[0] * cos_beta,
        ]
    )


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
    placed=[(mb.shapes.Sphere(R), ball)],
    traces=[lambda q: (q["x"], q["y"], 0.0), lambda q: ball(q).point((0.0, 0.0, R))],
    planes=[((0, 0, 0), (0, 0, 1))],
)


def reduced(t):
    """The motion by the reduced equations, integrated by SciPy: coordinates (N, 5) at the times t."""

    def right_side(_, state):
        q, eta = state[:5], state[5:]
        sin_beta, cos_beta = np.sin(q[3]), np.cos(q[3])
        eta_dot = [-2 * eta[0] * eta[1] * cos_beta / sin_beta, eta[0] ** 2 * sin_beta * cos_beta]
        return np.concatenate([rates(q, eta), eta_dot])

    begin = np.concatenate([Q0, V0[2:4]])
    return solve_ivp(right_side, (t[0], t[-1]), begin, method="DOP853", t_eval=t, rtol=1e-12, atol=1e-13).y[:5].T


def orientation(alpha, beta, gamma):
    """R(Z, gamma) R(X, π) R(Y, −beta) R(Z, −alpha), body to space."""

    def about_z(angle):
        return np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])

    about_y = np.array([[np.cos(beta), 0, -np.sin(beta)], [0, 1, 0], [np.sin(beta), 0, np.cos(beta)]])
    return about_z(gamma) @ np.diag([1.0, -1.0, -1.0]) @ about_y @ about_z(-alpha)


def slip_and_spin(run):
    """Largest slip speed r |…| and spin r |ω_z| by the orientation matrix itself, which the system does not use."""
    worst = 0.0
    for q, v in zip(run.q, run.v, strict=True):
        h = 1e-30  # complex step: exact to rounding
        turned = orientation(*(q[2:] + 1j * h * v[2:]))
        Omega = (turned.imag / h) @ turned.real.T
        omega = np.array([Omega[2, 1], Omega[0, 2], Omega[1, 0]])
        slip = np.array([v[0], v[1], 0.0]) + np.cross(omega, [0.0, 0.0, -R])
        worst = max(worst, float(np.max(np.abs(slip))), R * abs(float(omega[2])))
    return worst


def on_the_ball(run):
    """The point of contact as a unit vector of the ball (3, N)."""
    alpha, beta = run["alpha"], run["beta"]
    return np.array([np.cos(alpha) * np.sin(beta), np.sin(alpha) * np.sin(beta), np.cos(beta)])


def great_circle(t):
    """The great circle through the first point of contact in its first direction (3, N)."""
    alpha, beta = Q0[2:4]
    n = np.array([np.cos(alpha) * np.sin(beta), np.sin(alpha) * np.sin(beta), np.cos(beta)])
    east = np.array([-np.sin(alpha), np.cos(alpha), 0.0])
    south = np.array([np.cos(alpha) * np.cos(beta), np.sin(alpha) * np.cos(beta), -np.sin(beta)])
    n_dot = V0[2] * np.sin(beta) * east + V0[3] * south
    rate = np.linalg.norm(n_dot)
    return np.outer(n, np.cos(rate * t)) + np.outer(n_dot / rate, np.sin(rate * t))


def claims(run):
    speed = np.hypot(*V0[:2])
    line = np.outer(run.t, V0[:2])
    d, dd = {k: run["d_" + k] for k in system.coordinates}, {k: run["dd_" + k] for k in system.coordinates}
    beta, gamma = run["beta"], run["gamma"]
    for_gamma = I * dd["gamma"] + I * dd["alpha"] * np.cos(beta) - I * d["alpha"] * d["beta"] * np.sin(beta)
    y_dd = R * (
        -dd["alpha"] * np.sin(beta) * np.cos(gamma)
        + d["alpha"] * d["gamma"] * np.sin(beta) * np.sin(gamma)
        - d["alpha"] * d["beta"] * np.cos(beta) * np.cos(gamma)
        + dd["beta"] * np.sin(gamma)
        + d["beta"] * d["gamma"] * np.cos(gamma)
    )
    force = M * speed**2 / R
    closed = "closed form; the integrator keeps 1e-12 per step, and errors add up over the run"
    rounding = "rounding: of order 100·eps·(condition of M)"
    return [
        g.Claim("the centre moves on a straight line", g.relative(run.q[:, :2], line), 1e-9, closed),
        g.Claim("at constant speed", g.relative(np.hypot(d["x"], d["y"]), speed), 1e-9, closed),
        g.Claim(
            "the point of contact goes round a great circle of the ball",
            g.relative(on_the_ball(run), great_circle(run.t)),
            1e-9,
            closed,
        ),
        g.Claim(
            "all coordinates agree with the reduced equations",
            g.relative(run.q, reduced(run.t)),
            1e-9,
            "reduced equations of the source, integrated by SciPy with tolerance 1e-12",
        ),
        g.Claim(
            "no reaction is needed", float(np.max(np.abs(run.multipliers / [force, force, force * R]))), 1e-12, rounding
        ),
        g.Claim(
            "A(q) q̇ = 0 is rolling without slip and without spin",
            slip_and_spin(run) / speed,
            1e-12,
            "rounding; slip and spin from the orientation matrix by a complex step",
        ),
        g.Claim(
            "the Lagrange equation for gamma holds with Iα̈ cos β",
            float(np.max(np.abs(for_gamma - run["rolling[2]"]))) / (I * (speed / R) ** 2),
            1e-12,
            "rounding; the printed Iα̇ cos β is a misprint",
        ),
        g.Claim(
            "ÿ = d(G η)/dt holds with +η₂ r γ̇ cos γ",
            float(np.max(np.abs(y_dd - dd["y"]))) / (speed**2 / R),
            1e-12,
            "rounding; the printed −η₂ r γ̇ cos γ is a misprint",
        ),
    ]


def figure(run, figure):
    grid = figure.add_gridspec(2, 2)
    t = np.linspace(run.t[0], run.t[-1], 600)
    dense, marks = run.at(t), np.linspace(run.t[0], run.t[-1], 11)
    path = figure.add_subplot(grid[0, 0])
    path.plot(dense["x"], dense["y"], label="Gauss")
    path.plot(V0[0] * marks, V0[1] * marks, "o", label="straight line, every second")
    path.set(xlabel="x / m", ylabel="y / m", title="path of the centre, seen from above")
    path.legend()
    angles = figure.add_subplot(grid[1, 0])
    witness = reduced(marks)
    for k, name in enumerate(("alpha", "beta", "gamma")):
        angles.plot(t, dense[name], color=f"C{k}", label=name)
        angles.plot(marks, witness[:, k + 2], "o", color=f"C{k}", ms=4)
    angles.set(xlabel="t / s", ylabel="angle / rad", title="lines: Gauss, dots: reduced equations")
    angles.legend()
    ball = figure.add_subplot(grid[:, 1], projection="3d")
    u, w = np.meshgrid(np.linspace(0, 2 * np.pi, 25), np.linspace(0, np.pi, 13))
    ball.plot_wireframe(np.cos(u) * np.sin(w), np.sin(u) * np.sin(w), np.cos(w), color="0.88", lw=0.6)
    ball.plot(*on_the_ball(dense), label="Gauss")
    ball.plot(*great_circle(np.linspace(0, 2 * np.pi * R / np.hypot(*V0[:2]), 25)), ".", label="great circle")
    ball.set(title="point of contact on the ball")
    ball.set_axis_off()
    ball.set_box_aspect((1, 1, 1), zoom=1.3)
    ball.legend(loc="lower right")


if __name__ == "__main__":
    g.main(__file__)
