"""The other claims of scenarios/rolling_ball.py.

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
from scenarios.rolling_ball import Q0, V0, I, R, rates, system


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
    closed = "closed form; the integrator keeps 1e-12 per step, and errors add up over the run"
    return [
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
