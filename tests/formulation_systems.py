"""Systems that tests of the formulations share: one with every kind of term, and classical ones with closed forms."""

import numpy as np

EPS = float(np.finfo(float).eps)
G = 9.81  # m/s²


def rounding(scale, cond=1.0):
    """A hundred rounding errors, amplified by a condition number."""
    return 100.0 * EPS * cond * scale


def equal(value, expected, cond=1.0, scale=None):
    """Whether two arrays agree to rounding, relative to the largest expected entry (or to a given scale)."""
    size = max(float(np.max(np.abs(expected), initial=0.0)), 0.0 if scale is None else scale)
    return np.max(np.abs(np.asarray(value) - expected), initial=0.0) <= rounding(size or 1.0, cond)


def rich_lagrangian(q, v, t):
    """Four coordinates, inertia that depends on q and t, terms linear in v, a potential that depends on t."""
    return (
        0.5 * (1.0 + q[0] ** 2) * v[0] ** 2
        + v[1] ** 2 * (1.0 + 0.3 * np.sin(q[2] * t))
        + 0.7 * v[2] ** 2
        + 0.4 * v[3] ** 2
        + 0.3 * np.cos(q[1]) * v[0] * v[2]
        + q[1] * v[3] * t
        + np.sin(q[0] * q[1]) * v[2]
        - G * np.cos(q[0]) * q[3]
        + q[2] ** 3 * t
    )


def rich_slopes(q, t):
    """B(q, t) with B₀ as its last column: the velocities of q[2], q[3] by those of q[0], q[1]."""
    return np.array([[np.sin(q[2]) + q[3], q[0] * t, q[1]], [q[0] * q[1], np.cos(q[3]), 0.3 * t * q[2]]])


def rich_rows(q, v, t):
    """The same constraint as ψ = 0."""
    B = rich_slopes(q, t)
    return v[2:] - (B[:, :2] @ v[:2] + B[:, 2])


def rich_velocities(q, omega, t):
    """The same constraint as v(q, ω, t), its quasi-velocities being mixtures of the independent ones."""
    x = np.array([omega[0] + omega[1], omega[0] - 2.0 * omega[1]])
    B = rich_slopes(q, t)
    return np.concatenate([x, B[:, :2] @ x + B[:, 2]])


def rich_force(q, v, t):
    """A force that has no potential."""
    return np.array([v[1] * q[0], -0.3 * v[0], 0.5, t])


def rich_state(seed):
    """q (4,), ω (2,), the admissible v (4,) that belongs to it, and t."""
    rng = np.random.default_rng(seed)
    q, omega, t = rng.standard_normal(4), rng.standard_normal(2), float(rng.standard_normal())
    return q, omega, rich_velocities(q, omega, t), t


def rich_scale(a, J=None):
    """What errors of accelerations of the rich system are relative to: its forces, and the rows' conditioning."""
    return np.linalg.norm(a) + 2.0 * G, 20.0 * (1.0 if J is None else np.linalg.cond(J) ** 2)


M1, M2, L1, L2 = 1.3, 0.7, 0.9, 1.6  # kg, m: double pendulum


def double_pendulum(q):
    """Cartesian coordinates (x1, y1, x2, y2), y upwards, of the two masses at the angles q from the vertical."""
    x1, y1 = L1 * np.sin(q[0]), -L1 * np.cos(q[0])
    return np.array([x1, y1, x1 + L2 * np.sin(q[1]), y1 - L2 * np.cos(q[1])])


def double_pendulum_acceleration(q, v):
    """Closed form (2,) of the angular accelerations."""
    c, s = M2 * L1 * L2 * np.cos(q[0] - q[1]), M2 * L1 * L2 * np.sin(q[0] - q[1])
    M = np.array([[(M1 + M2) * L1**2, c], [c, M2 * L2**2]])
    weight = G * np.array([(M1 + M2) * L1 * np.sin(q[0]), M2 * L2 * np.sin(q[1])])
    return np.linalg.solve(M, np.array([-s * v[1] ** 2, s * v[0] ** 2]) - weight)


MASS, INERTIA, ARM = 1.4, 0.3, 0.45  # kg, kg m², m: Chaplygin's sleigh, its centre of mass ARM before the blade


def sleigh(q, v, t):
    """Lagrangian in the position (x, y) of the blade and its direction."""
    x_dot, y_dot = v[0] - ARM * np.sin(q[2]) * v[2], v[1] + ARM * np.cos(q[2]) * v[2]
    return 0.5 * MASS * (x_dot**2 + y_dot**2) + 0.5 * INERTIA * v[2] ** 2


def sleigh_velocities(q, omega, t):
    """v by the speed along the blade and the rate of turning."""
    return np.array([omega[0] * np.cos(q[2]), omega[0] * np.sin(q[2]), omega[1]])


def sleigh_rates(omega):
    """Closed form (2,): u̇ = a ω², ω̇ = −m a u ω/(I + m a²)."""
    u, w = omega
    return np.array([ARM * w**2, -MASS * ARM * u * w / (INERTIA + MASS * ARM**2)])


def sleigh_acceleration(q, omega):
    """Closed form (3,) in x, y and the angle."""
    u_dot, w_dot = sleigh_rates(omega)
    c, s = np.cos(q[2]), np.sin(q[2])
    return np.array([u_dot * c - omega[0] * omega[1] * s, u_dot * s + omega[0] * omega[1] * c, w_dot])
