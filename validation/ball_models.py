"""Mechanisms with a rolling ball, their states, and Lagrange's equations of BP in which the ball does not appear.

What `validation/ball.py` and the tests of the ball share. Units are m, kg, s, rad; R and Ω are the rotation matrix and
the angular velocity (space axes) of the ball, r and v (k, 3) the places and velocities of masses from its centre.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from proofs import together

import gauss as g
from gauss import bodies as mb

off_centre, single, spinning = map(together, ("constraint_in_a_ball", "pendulum_in_a_ball", "top_in_a_ball"))
RADIUS, BALL, INERTIA, GRAVITY = 0.4, 2.0, 0.15, 9.81  # m, kg, kg m², m/s²: those of the scenarios
MU = INERTIA / RADIUS**2 + BALL  # kg
MASSES = np.array([1.2, 0.7, 0.4, 0.9, 0.55])  # kg; the first is that of the single pendulum
LENGTHS = np.array([0.25, 0.16, 0.2, 0.12, 0.3])  # m
UP = np.array([0.0, 0.0, 1.0])
TIGHT = {"rtol": 1e-13, "atol": 1e-14}


def rolling_ball():
    """The ball and its contact."""
    ball = mb.Body("ball", mb.Inertia.of_tensor(BALL, [INERTIA] * 3))
    return ball, mb.RollingBall("ball", ball, RADIUS)


def pendulums(count):
    """The mechanism with so many pendulums from the centre."""
    ball, rolls = rolling_ball()
    bobs = [mb.Particle(f"bob{i}", mass) for i, mass in enumerate(MASSES[:count])]
    threads = [
        mb.Distance(f"thread{i}", ball, (0, 0, 0), bob, (0, 0, 0), length=LENGTHS[i]) for i, bob in enumerate(bobs)
    ]
    return mb.Mechanism(f"{count} in a ball", [ball, *bobs], [rolls, *threads], gravity=-GRAVITY * UP)


def top():
    """The mechanism with Lagrange's top on a ball joint at the centre."""
    ball, rolls = rolling_ball()
    across = spinning.A - spinning.MASS * spinning.LENGTH**2
    inertia = mb.Inertia.of_tensor(spinning.MASS, [across, across, spinning.C], centre=(0, 0, spinning.LENGTH))
    body = mb.Body("top", inertia)
    joint = mb.Spherical("joint", ball, (0, 0, 0), body, (0, 0, 0))
    return mb.Mechanism("top in a ball", [ball, body], [rolls, joint], gravity=-GRAVITY * UP)


def hung_off(distance, turning=True):
    """The mechanism with a pendulum from a point off the centre: fixed in the ball, or one that does not turn."""
    ball, rolls = rolling_ball()
    bob = mb.Particle("bob", off_centre.MASS)
    joints, rows = [rolls], []
    if turning:
        length = off_centre.LENGTH
        joints.append(mb.Distance("thread", ball, (0, 0, distance), bob, (0, 0, 0), length=length))
    else:

        def stretch(q):
            apart = [q[f"bob_{x}"] - q[f"ball_{x}"] - distance * n for x, n in zip("xyz", (0.6, 0, 0.8))]
            return sum(x**2 for x in apart) - off_centre.LENGTH**2

        rows = [g.Holonomic("thread", stretch)]
    return mb.Mechanism("off the centre", [ball, bob], joints, gravity=-GRAVITY * UP, constraints=rows)


# ---------------------------------------------------------------- states


def ball_at(rng):
    """A random rotation matrix and angular velocity (space axes) of the ball."""
    w = rng.normal(size=4)
    return mb.quaternion(*(w / np.linalg.norm(w))), 2.0 * rng.normal(size=3)


def posed(mechanism, R, omega, inside):
    """(q, v) with the centre over the origin, rolling, V = R Ω × e_z; inside(centre, V) are the other poses."""
    centre, V = RADIUS * UP, RADIUS * np.cross(omega, UP)
    return mechanism.state(mechanism.bodies[0].pose(centre, R, V, omega, axes="space"), *inside(centre, V))


def with_bobs(mechanism, R, omega, r, v):
    """(q, v) of a ball and particles at r (k, 3) from its centre with relative velocities v (k, 3)."""
    bobs = mechanism.bodies[1:]
    return posed(mechanism, R, omega, lambda c, V: [b.pose(c + x, V + w) for b, x, w in zip(bobs, r, v, strict=True)])


def relative(values, count):
    """The centre (2, …) and the particles relative to it (count, 3, …), from q, v or a (…, 12 + 3 count)."""
    x = np.moveaxis(values, -1, 0)
    return x[:2], x[12:].reshape(count, 3, *x.shape[1:]) - x[:3]


def on_spheres(rng, lengths):
    """Random places (k, 3) at these distances from the centre, and velocities (k, 3) square to them."""
    n = rng.normal(size=(len(lengths), 3))
    n /= np.linalg.norm(n, axis=1)[:, None]
    return lengths[:, None] * n, lengths[:, None] * np.cross(2.0 * rng.normal(size=n.shape), n)


def spherical(angles, rates, accelerations):
    """The unit vector of (theta, phi), its velocity and its acceleration, each (3,)."""
    (theta, phi), (theta1, phi1), (theta2, phi2) = angles, rates, accelerations
    sine, cosine = np.sin(theta), np.cos(theta)
    n = np.array([sine * np.cos(phi), sine * np.sin(phi), cosine])
    e = np.array([cosine * np.cos(phi), cosine * np.sin(phi), -sine])
    f = np.array([-np.sin(phi), np.cos(phi), 0.0])
    along_e, along_f = theta2 - sine * cosine * phi1**2, sine * phi2 + 2 * cosine * theta1 * phi1
    return n, theta1 * e + sine * phi1 * f, along_e * e + along_f * f - (theta1**2 + sine**2 * phi1**2) * n


def drawn(rng):
    """Angles (theta, phi), at least 0.2 rad from the poles, and their rates."""
    return [rng.uniform(0.2, np.pi - 0.2), rng.uniform(-np.pi, np.pi)], list(2.0 * rng.normal(size=2))


# ---------------------------------------------------------------- Lagrange's equations without the ball


def by_lagrange(r, v):
    """Accelerations (k, 3) of k masses by T̂: M̂ r̈ = −m_i g e_z + λ_i r_i, r_i·r̈_i = −|ṙ_i|²."""
    k = len(r)
    m = MASSES[:k]
    modified = np.kron(np.diag(m), np.eye(3))
    modified -= np.kron(np.outer(m, m) / (MU + m.sum()), np.diag([1.0, 1.0, 0.0]))
    rows = np.zeros((k, k, 3))
    rows[range(k), range(k)] = r
    rows = rows.reshape(k, 3 * k)
    matrix = np.block([[modified, -rows.T], [rows, np.zeros((k, k))]])
    right = np.concatenate([np.kron(-m * GRAVITY, UP), -np.sum(v**2, axis=1)])
    return np.linalg.solve(matrix, right)[: 3 * k].reshape(k, 3)


def motion_of(times, r, v):
    """Positions (k, 3, N) at times (N,) by T̂, integrated by SciPy."""

    def rates(t, w):
        r, v = w.reshape(2, -1, 3)
        return np.concatenate([v.ravel(), by_lagrange(r, v).ravel()])

    first = np.concatenate([r.ravel(), v.ravel()])
    run = solve_ivp(rates, (0.0, times[-1]), first, "DOP853", t_eval=times, **TIGHT)
    return run.y[: r.size].reshape(*r.shape, -1)


def in_angles(angles, rates, spin, mass, length, A, C):
    """(theta_ddot, phi_ddot) by Lagrange's equations of T̂ − mgr cos theta (BP §4), with ω·n = spin; a pendulum: C = 0.

    The Lagrangian is that of (4.4) before the reduction; with A = m r² and C = 0 it is (4.2).
    """
    (theta, _), (theta1, phi1) = angles, rates
    sine, cosine, lost = np.sin(theta), np.cos(theta), mass**2 * length**2 / (MU + mass)
    stiff, c = A - lost, C * spin
    force = stiff * sine * cosine * phi1**2 - c * sine * phi1 + mass * GRAVITY * length * sine
    theta2 = (force - lost * sine * cosine * theta1**2) / (A - lost * cosine**2)
    phi2 = (c * sine * theta1 - 2 * stiff * sine * cosine * theta1 * phi1) / (stiff * sine**2)
    return theta2, phi2


def start_of(count):
    """Places and velocities (count, 3) of the masses, and the ball's Ω, at the start of the long runs."""
    if count == 1:  # as in the scenario
        return single.AT[None], single.MOVING[None], single.OMEGA
    rng = np.random.default_rng(count)
    n = np.column_stack([rng.uniform(-0.8, 0.8, (count, 2)), -np.ones(count)])
    n /= np.linalg.norm(n, axis=1)[:, None]
    r = LENGTHS[:count, None] * n
    return r, np.cross(5.0 * rng.normal(size=n.shape), r), np.array([0.3, 0.3, 0.8])


def unit_vectors(theta, phi):
    """(3, N) from angles (N,)."""
    return np.array([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)])
