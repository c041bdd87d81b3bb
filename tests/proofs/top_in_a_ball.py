"""The other claims of scenarios/top_in_a_ball.py.

A ball of radius R = 0.4 m, mass M = 2 kg and central moment of inertia I = 0.15 kg m² rolls without slip on a level
plane. A symmetric top of mass m = 1.2 kg turns about a ball joint at the centre of the ball; its own centre of mass
lies on its axis, r = 0.15 m from the joint, above it at the start. Its moments of inertia about the joint are
C = 0.02 kg m² along the axis and A = 0.042 kg m² across it; gravity is 9.81 m/s². The model is the full one: the centre
(X, Y) of the ball and the rotations of ball and top as unit quaternions p and e, kept by |p|² = |e|² = 1 and the two
rows of rolling, (Ẋ, Ẏ) = R (Ω_y, −Ω_x), where Ω is the vector part of 2 ṗ p*.

Known answers: with μ = I/R² + M, the unit vector n along the axis of the top, its angular velocity ω,
(x, y) = r(n_x, n_y) and V = (Ẋ, Ẏ), these are constant (BP (2.1), §2, (2.5), (2.8), (2.9)):

    V + m/(μ+m) (ẋ, ẏ),   K_n = C ω·n,   K = (Jω)·e_z − m²/(μ+m) (x ẏ − y ẋ),
    H = ½ ω·Jω − ½ m²/(μ+m) (ẋ² + ẏ²) + m g r n_z.

In Euler's angles, theta from the upper vertical (rad), with c = K_n and k = K, theta moves by Routh's reduced system

    ½ (A − m²r² cos² theta/(μ+m)) theta_dot² + V_kc = h,
    V_kc = (k − c cos theta)²/(2 sin² theta (A − m²r²/(μ+m))) + m g r cos theta

(BP (4.4)), and phi_dot = (k − c cos theta)/(sin² theta (A − m²r²/(μ+m))). Where C = 0 and A = m r² these are the
equations of a pendulum in the ball.
"""

import numpy as np
from scipy.integrate import solve_ivp

import gauss as g
from scenarios.top_in_a_ball import GRAVITY, LENGTH, MASS, OMEGA, SHARE, THETA, A, C, axis, start

STIFF = A - SHARE * MASS * LENGTH**2  # kg m²


def angular_velocity(run):
    """ω (3, N) of the top along a run, in space axes: the vector part of 2 ė e*."""
    (s, *u), (s1, *u1) = run.q.T[6:], run.v.T[6:]
    return 2 * (s * np.array(u1) - s1 * np.array(u) + np.cross(u, u1, axis=0))


def integrals(run):
    """The integrals of BP along a run: V + m/(μ+m)(ẋ, ẏ) in m/s, K_n and K in N m s, and H in J."""
    (n, n_dot), w = axis(run.q, run.v), angular_velocity(run)
    along = np.sum(w * n, axis=0)
    V = run.v.T[:2] + SHARE * LENGTH * n_dot[:2]
    lost = SHARE * MASS * LENGTH**2
    K = A * w[2] + (C - A) * along * n[2] - lost * (n[0] * n_dot[1] - n[1] * n_dot[0])
    T = (A * np.sum(w**2, axis=0) + (C - A) * along**2 - lost * np.sum(n_dot[:2] ** 2, axis=0)) / 2
    return [*V, C * along, K, T + MASS * GRAVITY * LENGTH * n[2]]


def reduced_potential(theta, k, c):
    """V_kc (J)."""
    return (k - c * np.cos(theta)) ** 2 / (2 * np.sin(theta) ** 2 * STIFF) + MASS * GRAVITY * LENGTH * np.cos(theta)


def by_routh(times, k, c):
    """(theta, phi) at times (N,), (2, N): Lagrange's equation of (4.4) and the cyclic phi, integrated by SciPy."""
    lost = SHARE * MASS * LENGTH**2

    def rates(t, w):
        theta, _, rate = w
        sine, cosine = np.sin(theta), np.cos(theta)
        phi_dot = (k - c * cosine) / (sine**2 * STIFF)
        slope = c * sine * phi_dot - STIFF * sine * cosine * phi_dot**2 - MASS * GRAVITY * LENGTH * sine  # V_kc′
        return [rate, phi_dot, (-slope - lost * sine * cosine * rate**2) / (A - lost * cosine**2)]

    first = [THETA, 0.0, OMEGA[1]]
    return solve_ivp(rates, (0.0, times[-1]), first, "DOP853", t_eval=times, rtol=3e-14, atol=1e-15).y[:2]


def claims(run):
    centre, (n, n_dot) = run.q.T[:2], axis(run.q, run.v)
    c1, c2, Kn, K, H = integrals(run)
    k, c = K[0], Kn[0]
    theta, phi = by_routh(run.t, k, c)
    expected = np.array([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)])
    path = [
        centre[i] - centre[i, 0] - drift[0] * run.t + SHARE * LENGTH * (n[i] - n[i, 0])
        for i, drift in enumerate((c1, c2))
    ]
    polar = n_dot[2] ** 2 / (1.0 - n[2] ** 2)  # theta_dot²
    reduced = (A - SHARE * MASS * LENGTH**2 * n[2] ** 2) * polar / 2 + reduced_potential(np.arccos(n[2]), k, c)
    kept = f"rtol {start.rtol:g} at each of {len(run)} steps; less than the sum of those, relative to its size"
    return [
        g.Claim("modified angular momentum K is kept", g.relative(K, K[:1]), 1e-10, kept),
        g.Claim("modified energy H is kept", g.relative(H, H[:1]), 1e-10, kept),
        g.Claim(
            "energy of the reduced system (4.4) is H − c²/(2C)",
            g.relative(reduced, np.full(len(run), H[0] - c**2 / (2 * C))),
            1e-10,
            "at recorded states, with the first c and k",
        ),
        g.Claim(
            "the centre goes along p₀ + ct − m/(μ+m)(x, y) (m)",
            float(np.max(np.abs(path))),
            1e-10,
            "BP (2.2); as the integral, of which it is the sum",
        ),
        g.Claim(
            "the axis moves by Routh's reduced system (4.4)",
            g.relative(n, expected),
            1e-9,
            "theta and phi by SciPy, rtol 3e-14; errors add up over 20 s",
        ),
    ]
