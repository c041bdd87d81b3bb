"""The other claims of scenarios/pendulums_in_a_ball.py.

A ball of radius R = 0.4 m, mass M = 2 kg and central moment of inertia I = 0.15 kg m² rolls without slip on a level
plane. From its centre hang points of masses 1.2 and 0.7 kg on weightless threads of lengths 0.25 and 0.16 m; gravity is
9.81 m/s². The model is the full one: the centre (X, Y) of the ball, its rotation as a unit quaternion p, and the places
r_i of the masses relative to the centre, kept by |p|² = 1, the threads and the two rows of rolling,
(Ẋ, Ẏ) = R (Ω_y, −Ω_x), where Ω is the vector part of 2 ṗ p*.

Known answers: let μ = I/R² + M, m = m₁ + m₂, (x, y) the level part of the masses' centre of mass, from the centre of
the ball, and V = (Ẋ, Ẏ). These are constant (BP (2.1), (2.5), (2.8)):

    V + m/(μ+m) (ẋ, ẏ),
    K = Σ m_i (x_i ẏ_i − y_i ẋ_i) − m²/(μ+m) (x ẏ − y ẋ),
    H = T̂ + Σ m_i g z_i,   T̂ = ½ Σ m_i |ṙ_i|² − ½ m²/(μ+m) (ẋ² + ẏ²),

so the centre goes along p₀ + ct − m/(μ+m) (x, y) (2.2). As the threads turn freely about the centre, the r_i move by
Lagrange's equations with the kinetic energy T̂ (§3), the ball being left out. Each pendulum alone would be integrable;
together, exchanging energy through the ball, they are not (§4).
"""

import numpy as np
from scipy.integrate import solve_ivp

import gauss as g
from scenarios.pendulums_in_a_ball import GRAVITY, MASSES, MU, SHARE, TOTAL, start

UP = np.array([0.0, 0.0, 1.0])


def split(values):
    """The ball's centre (2, N) and the masses relative to it (n, 3, N), from q, v or a of a run (N, 6 + 3n)."""
    return values.T[:2], values.T[6:].reshape(len(MASSES), 3, -1)


def mean(r):
    """The centre of mass, from the masses (n, 3, N)."""
    return np.einsum("i,ij...->j...", MASSES / TOTAL, r)


def integrals(run):
    """The integrals of BP along a run: V + m/(μ+m)(ẋ, ẏ) in m/s, K in N m s and H in J."""
    (_, r), (V, v) = split(run.q), split(run.v)
    s, s_dot = mean(r), mean(v)
    turning = MASSES @ (r[:, 0] * v[:, 1] - r[:, 1] * v[:, 0])
    K = turning - SHARE * TOTAL * (s[0] * s_dot[1] - s[1] * s_dot[0])
    T = (MASSES @ np.sum(v**2, axis=1) - SHARE * TOTAL * np.sum(s_dot[:2] ** 2, axis=0)) / 2
    return [*(V + SHARE * s_dot[:2]), K, T + GRAVITY * MASSES @ r[:, 2]]


def modified_mass():
    """The matrix (3n, 3n) of T̂: m_i δ_ij, less m_i m_j/(μ+m) for level velocities."""
    level = np.diag([1.0, 1.0, 0.0])
    return np.kron(np.diag(MASSES), np.eye(3)) - np.kron(np.outer(MASSES, MASSES) / (MU + TOTAL), level)


def by_lagrange(r, v):
    """Accelerations (n, 3) by Lagrange's equations with T̂: M̂ r̈ = −m_i g e_z + λ_i r_i, r_i·r̈_i = −|ṙ_i|²."""
    n = len(r)
    rows = np.zeros((n, n, 3))
    rows[range(n), range(n)] = r
    rows = rows.reshape(n, 3 * n)
    matrix = np.block([[modified_mass(), -rows.T], [rows, np.zeros((n, n))]])
    right = np.concatenate([np.kron(-MASSES * GRAVITY, UP), -np.sum(v**2, axis=1)])
    return np.linalg.solve(matrix, right)[: 3 * n].reshape(n, 3)


def integrated(times, r, v):
    """Positions (n, 3, N) relative to the centre at times (N,), from the first r, v (n, 3), by SciPy."""
    count = r.size

    def rates(t, w):
        r, v = w.reshape(2, -1, 3)
        return np.concatenate([v.ravel(), by_lagrange(r, v).ravel()])

    first = np.concatenate([r.ravel(), v.ravel()])
    run = solve_ivp(rates, (0.0, times[-1]), first, "DOP853", t_eval=times, rtol=1e-12, atol=1e-13)
    return run.y[:count].reshape(*r.shape, -1)


@g.needs(start.t_end)
def claims(run):
    (centre, r), (_, v), (_, a) = split(run.q), split(run.v), split(run.a)
    c1, c2, _K, H = integrals(run)
    s = mean(r)
    path = [centre[i] - centre[i, 0] - c[0] * run.t + SHARE * (s[i] - s[i, 0]) for i, c in enumerate((c1, c2))]
    expected = np.array([by_lagrange(r[..., n], v[..., n]) for n in range(len(run))])
    early = run.at(np.linspace(0.0, 5.0, 200))
    kept = f"rtol {start.rtol:g} at each of {len(run)} steps; less than the sum of those, relative to its size"
    return [
        g.Claim("modified energy H is kept", g.relative(H, H[:1]), 1e-10, kept),
        g.Claim(
            "the centre goes along p₀ + ct − m/(μ+m)(x, y) (m)",
            float(np.max(np.abs(path))),
            1e-10,
            "BP (2.2); as the integral, of which it is the sum",
        ),
        g.Claim(
            "accelerations relative to the centre by Lagrange's equations with T̂",
            g.relative(np.moveaxis(a, 2, 0), expected),
            1e-11,
            "six coordinates and two rows without the ball, at every recorded state; rounding",
        ),
        g.Claim(
            "the masses move by these equations for 5 s",
            g.relative(split(early.q)[1], integrated(early.t, r[..., 0], v[..., 0])),
            1e-9,
            "SciPy, rtol 1e-12; errors grow along the run",
        ),
    ]
