"""Furuta pendulum: two independent integrals in involution, so its motion is solvable by quadratures.

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
from gauss import bodies as mb

COVERS = ("T10",)
SOURCE = "TM §4.1.2, 5.4.2, 5.7"

MASS, ARM, ROD, HEIGHT, GRAVITY = 1.0, 0.5, 0.3, 1.0, 9.81  # kg, m, m, m, m/s²
PHI, THETA_DOT = -0.9, 3.0  # rad, rad/s: the start, with theta = 0 and the rod at rest on the arm
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


system = g.System(
    "Furuta pendulum",
    coordinates="x y z",
    kinetic_energy=lambda v: 0.5 * MASS * (v.x**2 + v.y**2 + v.z**2),
    potential_energy=lambda q: MASS * GRAVITY * (q.z - HEIGHT),
    constraints=[g.Holonomic("torus", lambda q: (g.hypot(q.x, q.y) - ARM) ** 2 + (q.z - HEIGHT) ** 2 - ROD**2)],
)
start = g.Start(q=chart([0.0, PHI], 0.0), v=[0.0, (ARM + ROD * np.sin(PHI)) * THETA_DOT, 0.0], t_end=10.0, step=0.0008)


def column_arm_rod(q):
    """Corners of the mechanism, for the picture."""
    far = ARM / np.hypot(q["x"], q["y"])
    return [(0, 0, 0), (0, 0, HEIGHT), (far * q["x"], far * q["y"], HEIGHT), (q["x"], q["y"], q["z"])]


drawing = mb.Drawing(lines=[column_arm_rod], traces=[lambda q: column_arm_rod(q)[3]], speed=0.5)
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
    H, P = integrals(w.T)
    gradient = np.array([gradients(point) for point in w])  # (N, 2, 4)
    size = np.linalg.norm(gradient, axis=2)
    brackets = np.array([bracket(pair) for pair in gradient])
    gram = np.linalg.det(gradient @ gradient.transpose(0, 2, 1))
    rates = w[:, 3] / (MASS * ROD**2), MASS * ROD**2 * phi_acceleration(run)
    drift = len(run) * run.about.rtol
    speed = np.sqrt(2 * np.max(run.kinetic) / MASS)
    return [
        g.Claim(
            "theta, phi and their momenta follow Hamilton's equations",
            max(g.relative(w[:, k], expected[:, k]) for k in range(4)),
            1e-9,
            "the canonical equations as printed, integrated by SciPy with rtol 1e-13, atol 1e-14",
        ),
        g.Claim(
            "H is conserved",
            float(np.max(np.abs(H - H[0]))),
            drift * float(np.max(2 * run.kinetic) + MASS * GRAVITY * (HEIGHT + ROD)),
            "N steps that err by rtol each, times the largest 2T + m g |z|",
        ),
        g.Claim(
            "p_theta is conserved",
            float(np.max(np.abs(P - P[0]))),
            drift * 2 * MASS * (ARM + ROD) * speed,
            "N steps that err by rtol in position and velocity, times the largest m ρ v",
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


def figure(run, figure):
    grid = figure.add_gridspec(2, 3, width_ratios=[1.2, 1, 1])
    t = np.linspace(run.t[0], run.t[-1], 1500)
    dense = run.at(t)
    x, y, z = dense.q.T
    space = figure.add_subplot(grid[:, 0], projection="3d", computed_zorder=False)
    u, w = np.meshgrid(np.linspace(0, 2 * np.pi, 73), np.linspace(0, 2 * np.pi, 25))
    space.plot_wireframe(*chart([u, w], 0.0), rstride=3, cstride=3, color="0.87", lw=0.4, zorder=0)
    space.plot(x, y, z, lw=0.9, zorder=1)
    elbow = ARM * x[0] / np.hypot(x[0], y[0]), ARM * y[0] / np.hypot(x[0], y[0])
    space.plot([0, 0, elbow[0], x[0]], [0, 0, elbow[1], y[0]], [0.55, HEIGHT, HEIGHT, z[0]], color="0.25", zorder=2)
    space.plot(x[:1], y[:1], z[:1], "ko", ms=6, zorder=3)
    space.view_init(elev=32, azim=-70)
    space.set_box_aspect((1.6, 1.6, 0.75), zoom=1.5)
    space.set_axis_off()
    space.set_title("path on the torus")
    coordinates = canonical(dense)
    for k, (name, cell) in enumerate((("theta", grid[0, 1]), ("phi", grid[1, 1]))):
        axes = figure.add_subplot(cell)
        axes.plot(t, coordinates[:, k], color=f"C{k}", lw=1)
        axes.set(ylabel=f"{name} / rad")
        if name == "theta":
            axes.set_title("angles")
            axes.tick_params(labelbottom=False)
        else:
            axes.set(xlabel="t / s")
    drifts = figure.add_subplot(grid[:, 2])
    for values, name in zip(integrals(canonical(run).T), ("H / J", "p_theta / N m s"), strict=True):
        drifts.semilogy(run.t[1:], np.maximum(np.abs(values - values[0]), 1e-17)[1:], lw=1, label=name)
    drifts.set(xlabel="t / s", title="drift of the integrals", ylim=(1e-14, 1e-8))
    drifts.legend(loc="upper left")


if __name__ == "__main__":
    g.main(__file__)
