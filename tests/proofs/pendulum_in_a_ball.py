"""The other claims of scenarios/pendulum_in_a_ball.py.

A ball of radius R = 0.4 m, mass M = 2 kg and central moment of inertia I = 0.15 kg m² rolls without slip on a level
plane. From its centre hangs a point of mass m = 1.2 kg on a weightless thread of length r = 0.25 m; gravity is
9.81 m/s². The model is the full one: the centre (X, Y) of the ball, its rotation as a unit quaternion p, and the place
(x, y, z) of the mass relative to the centre, kept by |p|² = 1, the thread and the two rows of rolling,
(Ẋ, Ẏ) = R (Ω_y, −Ω_x), where Ω is the vector part of 2 ṗ p*.

Known answers: with μ = I/R² + M and V = (Ẋ, Ẏ) these are constant (BP (2.1), (2.5), (2.8))

    V + m/(μ+m) (ẋ, ẏ),   K = μm/(μ+m) (x ẏ − y ẋ),   H = ½m|ṙ|² − ½m²/(μ+m)(ẋ² + ẏ²) + m g z,

so the centre goes along p₀ + ct − m/(μ+m) (x, y) (2.2). In spherical angles, theta from the upper vertical (rad), the
motion relative to the centre is that of the Lagrangian (4.2)

    L = m r²(μ + m sin² theta) theta_dot²/(2(μ+m)) + μ m r² sin² theta phi_dot²/(2(μ+m)) − m g r cos theta,

and theta has, by Routh's reduced system (4.3), the period 2∫ √(I_θ / (2(h − V_k))) dθ between its turning points, with
I_θ = m r²(μ + m sin² theta)/(μ+m) and V_k = (μ+m)k²/(2μ m r² sin² theta) + m g r cos theta.
"""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import gauss as g
from scenarios.pendulum_in_a_ball import AT, GRAVITY, LENGTH, MASS, MOVING, MU, SHARE, start


def parts(run):
    """Along a run: the centre and its velocity, each (2, N), the mass relative to it and its velocity, each (3, N)."""
    q, v = run.q.T, run.v.T
    return q[:2], v[:2], q[6:], v[6:]


def integrals(run):
    """The integrals of BP along a run: V + m/(μ+m)(ẋ, ẏ) in m/s, K in N m s and H in J."""
    _, V, r, r_dot = parts(run)
    K = MU * SHARE * (r[0] * r_dot[1] - r[1] * r_dot[0])
    H = MASS * (np.sum(r_dot**2, axis=0) - SHARE * np.sum(r_dot[:2] ** 2, axis=0)) / 2 + MASS * GRAVITY * r[2]
    return [*(V + SHARE * r_dot[:2]), K, H]


def inertia_of(theta):
    """I_θ (kg m²)."""
    return SHARE * LENGTH**2 * (MU + MASS * np.sin(theta) ** 2)


def reduced_potential(theta, k):
    """V_k (J)."""
    return k**2 / (2 * MU * SHARE * LENGTH**2 * np.sin(theta) ** 2) + MASS * GRAVITY * LENGTH * np.cos(theta)


def by_lagrange(times, k):
    """(theta, phi) at times (N,), (2, N): Lagrange's equations of (4.2), integrated by SciPy."""

    def rates(t, w):
        theta, _, rate = w
        sine, cosine = np.sin(theta), np.cos(theta)
        phi_dot = k / (MU * SHARE * LENGTH**2 * sine**2)
        force = SHARE * LENGTH**2 * sine * cosine * (MU * phi_dot**2 - MASS * rate**2) + MASS * GRAVITY * LENGTH * sine
        return [rate, phi_dot, force / inertia_of(theta)]

    first = [np.arccos(AT[2] / LENGTH), np.arctan2(AT[1], AT[0]), -MOVING[2] / np.hypot(AT[0], AT[1])]
    return solve_ivp(rates, (0.0, times[-1]), first, "DOP853", t_eval=times, rtol=3e-14, atol=1e-15).y[:2]


def turning_points(k, h):
    """The two angles at which V_k = h, on either side of its lowest point."""
    angles = np.linspace(0.02, np.pi - 0.02, 4001)
    lowest = angles[np.argmin(reduced_potential(angles, k))]
    return [brentq(lambda x: reduced_potential(x, k) - h, lowest, end, xtol=1e-15) for end in (angles[0], angles[-1])]


def period(k, h):
    """The period of theta (s) by quadrature; θ = middle − half cos s takes the roots out of the ends."""
    low, high = turning_points(k, h)
    middle, half = (low + high) / 2, (high - low) / 2
    s = (np.arange(80) + 0.5) * np.pi / 80
    theta = middle - half * np.cos(s)
    slowness = np.sqrt(inertia_of(theta) / (2 * (h - reduced_potential(theta, k))))  # dt/dθ
    return 2 * np.sum(half * np.sin(s) * slowness) * np.pi / 80


def highest_times(run):
    """The times (s) at which the mass passes its highest points."""

    rate = parts(run)[3][2]
    found = np.flatnonzero((rate[:-1] > 0) & (rate[1:] <= 0))
    return np.array([brentq(lambda x: parts(run.at(x))[3][2, 0], *run.t[i : i + 2], xtol=1e-14) for i in found])


@g.needs(start.t_end)
def claims(run):
    centre, _, r, _ = parts(run)
    values = integrals(run)
    k, h = values[2][0], values[3][0]
    theta, phi = by_lagrange(run.t, k)
    expected = LENGTH * np.array([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)])
    constant = (values[0][0], values[1][0])
    path = [centre[i] - centre[i, 0] - constant[i] * run.t + SHARE * (r[i] - r[i, 0]) for i in (0, 1)]
    tops = highest_times(run)
    measured = (tops[-1] - tops[0]) / (len(tops) - 1)
    return [
        g.Claim(
            "the centre goes along p₀ + ct − m/(μ+m)(x, y) (m)",
            float(np.max(np.abs(path))),
            1e-10,
            "BP (2.2); as the integral, of which it is the sum",
        ),
        g.Claim(
            "the mass moves by the Lagrangian (4.2)",
            g.relative(r, expected),
            1e-9,
            "Lagrange's equations in theta and phi by SciPy, rtol 3e-14; errors add up over 20 s",
        ),
        g.Claim(
            "period of theta",
            abs(measured / period(k, h) - 1.0),
            1e-10,
            f"quadrature of Routh's reduced system (4.3); mean of {len(tops) - 1} periods",
        ),
    ]
