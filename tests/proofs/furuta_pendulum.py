"""The other claims of scenarios/furuta_pendulum.py.

A vertical column of height l = 1 m turns by theta (rad) and carries a horizontal arm of length a = 0.5 m; at its end a
pendulum of length b = 0.3 m with a mass m = 1 kg swings by phi (rad) in the vertical plane of the arm; gravity is
9.81 m/s². Column, arm and rod are massless. The mass has the position (m)

    x = (a + b sin phi) cos theta,   y = (a + b sin phi) sin theta,   z = l − b cos phi,

so it is a heavy point on the torus (√(x² + y²) − a)² + (z − l)² = b², the one constraint of the model below. As a > b,
the mass keeps off the axis, where that function is not smooth. In the angles

    L = ½ m (a + b sin phi)² theta_dot² + ½ m b² phi_dot² + m g b cos phi.

Known answers: H and p_theta = m(x ẏ − y ẋ) are conserved and in involution, {H, p_theta} = 0. Their gradients are
independent unless phi_dot and the rate of p_phi = m b² phi_dot vanish together: the Gram determinant of the gradients
with respect to (theta, phi, p_theta, p_phi), in SI units, is phi_dot² + (m b² phi_ddot)².
"""

import numpy as np
from scipy.integrate import solve_ivp

import gauss as g
from scenarios.furuta_pendulum import ARM, GRAVITY, HEIGHT, MASS, PHI, ROD, THETA_DOT

EPS = np.finfo(float).eps


def chart(s, t):
    """The position of the mass at the angles (theta, phi)."""
    radius = ARM + ROD * g.sin(s[1])
    return [radius * g.cos(s[0]), radius * g.sin(s[0]), HEIGHT - ROD * g.cos(s[1])]


def angles(q, v, t):
    """(theta, phi) and their rates."""
    x, y, z = q
    rho = g.hypot(x, y)
    rho_dot = (x * v[0] + y * v[1]) / rho
    across, down = rho - ARM, HEIGHT - z
    phi_dot = (down * rho_dot + across * v[2]) / ROD**2
    return [g.atan2(y, x), g.atan2(across, down)], [(x * v[1] - y * v[0]) / rho**2, phi_dot]


minimal = g.Minimal(
    lagrangian=lambda s, s_dot, t: (
        0.5 * MASS * (ARM + ROD * g.sin(s[1])) ** 2 * s_dot[0] ** 2
        + 0.5 * MASS * ROD**2 * s_dot[1] ** 2
        + MASS * GRAVITY * ROD * g.cos(s[1])
    ),
    chart=chart,
    inverse=angles,
    text="theta, phi",
)


def integrals(w):
    """(H, p_theta) as the mass has them in space, at the canonical coordinates w = (theta, phi, p_theta, p_phi)."""
    theta, phi, p_theta, p_phi = w
    radius = ARM + ROD * np.sin(phi)
    theta_dot, phi_dot = p_theta / (MASS * radius**2), p_phi / (MASS * ROD**2)
    x, y, z = chart([theta, phi], 0.0)
    outward = ROD * np.cos(phi) * phi_dot
    vx, vy = outward * np.cos(theta) - y * theta_dot, outward * np.sin(theta) + x * theta_dot
    vz = ROD * np.sin(phi) * phi_dot
    return np.array([0.5 * MASS * (vx**2 + vy**2 + vz**2) + MASS * GRAVITY * (z - HEIGHT), MASS * (x * vy - y * vx)])


def gradients(w):
    """The gradients (2, 4) of H and p_theta at one point, by complex steps."""
    return np.array([integrals(w + 1e-30j * e).imag / 1e-30 for e in np.eye(4)]).T


def bracket(gradient):
    """The Poisson bracket {H, p_theta} from the two gradients."""
    (Hq, Hp), (Pq, Pp) = ((row[:2], row[2:]) for row in gradient)
    return Hq @ Pp - Hp @ Pq


def canonical(run):
    """The canonical coordinates (N, 4) along a run."""
    (theta, phi), (theta_dot, phi_dot) = (np.array(part) for part in angles_of(run))
    radius = ARM + ROD * np.sin(phi)
    return np.column_stack([np.unwrap(theta), phi, MASS * radius**2 * theta_dot, MASS * ROD**2 * phi_dot])


def angles_of(run):
    """(theta, phi) and their rates along a run."""
    return angles(run.q.T, run.v.T, 0.0)


def phi_acceleration(run):
    """The second derivative of phi along a run, from the accelerations in space."""
    (x, y, z), (vx, vy, _), (ax, ay, az) = run.q.T, run.v.T, run.a.T
    rho = np.hypot(x, y)
    rho_ddot = (x * ax + y * ay + vx**2 + vy**2 - ((x * vx + y * vy) / rho) ** 2) / rho
    return ((HEIGHT - z) * rho_ddot + (rho - ARM) * az) / ROD**2


def by_hamilton(times):
    """The canonical coordinates (N, 4) from Hamilton's equations of TM §5.4.2, integrated by SciPy."""

    def rates(t, w):
        _, phi, p1, p2 = w
        radius = ARM + ROD * np.sin(phi)
        force = ROD * p1**2 * np.cos(phi) / (MASS * radius**3) - MASS * GRAVITY * ROD * np.sin(phi)
        return [p1 / (MASS * radius**2), p2 / (MASS * ROD**2), 0.0, force]

    first = [0.0, PHI, MASS * (ARM + ROD * np.sin(PHI)) ** 2 * THETA_DOT, 0.0]
    return solve_ivp(rates, (times[0], times[-1]), first, "DOP853", t_eval=times, rtol=1e-13, atol=1e-14).y.T


def claims(run):
    w, expected = canonical(run), by_hamilton(run.t)
    gradient = np.array([gradients(point) for point in w])  # (N, 2, 4)
    size = np.linalg.norm(gradient, axis=2)
    brackets = np.array([bracket(pair) for pair in gradient])
    gram = np.linalg.det(gradient @ gradient.transpose(0, 2, 1))
    rates = w[:, 3] / (MASS * ROD**2), MASS * ROD**2 * phi_acceleration(run)
    return [
        g.Claim(
            "theta, phi and their momenta follow Hamilton's equations",
            max(g.relative(w[:, k], expected[:, k]) for k in range(4)),
            1e-9,
            "the canonical equations as printed, integrated by SciPy with rtol 1e-13, atol 1e-14",
        ),
        g.Claim(
            "{H, p_theta} vanishes along the motion",
            float(np.max(np.abs(brackets) / (size[:, 0] * size[:, 1]))),
            100 * EPS,
            "100·eps relative to the gradients, which complex steps give to rounding",
        ),
        g.Claim(
            "H and p_theta are independent along the motion: Gram determinant phi_dot² + (m b² phi_ddot)²",
            g.relative(gram, rates[0] ** 2 + rates[1] ** 2),
            100 * EPS * float(np.max(size[:, 0] ** 2 * size[:, 1] ** 2) / np.max(gram)),
            "100·eps times the product of the squared gradients, of which the determinant is what is left",
        ),
        g.Claim(
            "the gradients have rank 2 at every recorded state",
            float(2 - np.min(np.linalg.matrix_rank(gradient))),
            0.0,
            "singular values against 4·eps times the largest one",
        ),
    ]
