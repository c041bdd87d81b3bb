"""Two pendulums in a rolling ball: what rolling conserves, and Lagrange's equations of a nonholonomic system.

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
from gauss import bodies as mb

COVERS = ("B1",)
SOURCE = "BP §2–4"

RADIUS, BALL, INERTIA, GRAVITY = 0.4, 2.0, 0.15, 9.81  # m, kg, kg m², m/s²
MASSES, LENGTHS = np.array([1.2, 0.7]), np.array([0.25, 0.16])  # kg, m
MU, TOTAL = INERTIA / RADIUS**2 + BALL, float(np.sum(MASSES))  # kg
SHARE = TOTAL / (MU + TOTAL)
AT = np.array([[0.2, 0.0, -0.15], [-0.064, 0.096, -0.11085125168440815]])  # m, relative to the centre
MOVING = np.array([[0.36, 0.5, 0.48], [-0.45, -0.3, 0.0]])  # m/s
CENTRE_V, SPIN = np.array([0.12, -0.12]), 0.8  # m/s, rad/s about the vertical
UP = np.array([0.0, 0.0, 1.0])


def energy(v):
    """Kinetic energy (J); |Ω| = 2|ṗ| where |p| = 1."""
    X, Y, a, b, c, d, *rates = v
    total = BALL * (X**2 + Y**2) + 4 * INERTIA * (a**2 + b**2 + c**2 + d**2)
    for mass, x, y, z in zip(MASSES, rates[::3], rates[1::3], rates[2::3], strict=True):
        total = total + mass * ((X + x) ** 2 + (Y + y) ** 2 + z**2)
    return total / 2


def threads(q):
    """The rows |r_i|² = l_i²."""
    _, _, _, _, _, _, *r = q
    return [x**2 + y**2 + z**2 - length**2 for length, x, y, z in zip(LENGTHS, r[::3], r[1::3], r[2::3], strict=True)]


def rolling(q):
    """The rows Ẋ − RΩ_y = 0 and Ẏ + RΩ_x = 0."""
    d = 2 * RADIUS
    return [
        {"X": 1.0, "p0": d * q.p2, "p1": -d * q.p3, "p2": -d * q.p0, "p3": d * q.p1},
        {"Y": 1.0, "p0": -d * q.p1, "p1": d * q.p0, "p2": -d * q.p3, "p3": d * q.p2},
    ]


system = g.System(
    "pendulums in a rolling ball",
    coordinates=["X", "Y", "p0", "p1", "p2", "p3", *(f"{x}{i}" for i in range(1, len(MASSES) + 1) for x in "xyz")],
    kinetic_energy=energy,
    potential_energy=lambda q: sum(mass * GRAVITY * q[f"z{i}"] for i, mass in enumerate(MASSES, 1)),
    constraints=[
        g.Holonomic("unit quaternion", lambda q: q.p0**2 + q.p1**2 + q.p2**2 + q.p3**2 - 1.0),
        g.Holonomic("threads", threads),
        g.Pfaffian("ball rolls", rolling),
    ],
)
OMEGA = np.array([-CENTRE_V[1] / RADIUS, CENTRE_V[0] / RADIUS, SPIN])  # rad/s
start = g.Start(
    q=[0, 0, 1, 0, 0, 0, *AT.ravel()],
    v=[*CENTRE_V, 0, *(OMEGA / 2), *MOVING.ravel()],
    t_end=20.0,
    rtol=1e-13,
    atol=1e-14,
)


def ball(q):
    """Where the ball is, for the picture."""
    return mb.shapes.at_quaternion((q["X"], q["Y"], RADIUS), [q[f"p{k}"] for k in range(4)])


def hanging(i):
    """The centre of the ball and mass i, for the picture."""
    return lambda q: [(q["X"], q["Y"], RADIUS), (q["X"] + q[f"x{i}"], q["Y"] + q[f"y{i}"], RADIUS + q[f"z{i}"])]


drawing = mb.Drawing(
    placed=[([mb.shapes.Circle(RADIUS, normal=e) for e in np.eye(3)], ball)],
    lines=[hanging(1), hanging(2)],
    traces=[lambda q: (q["X"], q["Y"], 0.0)],
    planes=[((0, 0, 0), (0, 0, 1))],
    speed=2.0,
)


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
    c1, c2, K, H = integrals(run)
    s = mean(r)
    path = [centre[i] - centre[i, 0] - c[0] * run.t + SHARE * (s[i] - s[i, 0]) for i, c in enumerate((c1, c2))]
    expected = np.array([by_lagrange(r[..., n], v[..., n]) for n in range(len(run))])
    early = run.at(np.linspace(0.0, 5.0, 200))
    kept = f"rtol {start.rtol:g} at each of {len(run)} steps; less than the sum of those, relative to its size"
    return [
        g.Claim(
            "Chaplygin's integral V + m/(μ+m)(ẋ, ẏ) is kept (m/s)",
            float(max(np.ptp(c1), np.ptp(c2))),
            1e-10,
            kept,
        ),
        g.Claim("modified angular momentum K is kept", g.relative(K, K[:1]), 1e-10, kept),
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


def figure(run, figure):
    grid = figure.add_gridspec(2, 2, width_ratios=[1.1, 1.0])
    t = np.linspace(run.t[0], run.t[-1], 1600)
    dense = run.at(t)
    centre, r = split(dense.q)
    s, shown = mean(r), t <= 8.0
    above = figure.add_subplot(grid[:, 0])
    above.plot(*centre[:, shown], label="centre of the ball")
    rates = [values[0] for values in integrals(run)[:2]]
    line = [centre[i, 0] + SHARE * s[i, 0] + rates[i] * t[shown] for i in (0, 1)]
    above.plot(*line, "k--", lw=0.8, label="p₀ + ct")
    above.set(xlabel="x / m", ylabel="y / m", title="path seen from above, 8 s", aspect="equal")
    figure.legend(handles=above.lines, loc="outside lower left", ncols=3)
    inside = figure.add_subplot(grid[0, 1])
    tilts = figure.add_subplot(grid[1, 1])
    for i, name in enumerate(("first", "second")):
        inside.plot(*r[i, :2, shown].T, lw=0.8, color=f"C{i + 1}", label=name)
        tilts.plot(t[shown], np.arccos(-r[i, 2, shown] / LENGTHS[i]), lw=1, color=f"C{i + 1}")
    inside.set(xlabel="x / m", ylabel="y / m", title="masses relative to the centre", aspect="equal")
    inside.legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
    tilts.set(xlabel="t / s", ylabel="tilt / rad", title="angles of the threads to the vertical")


if __name__ == "__main__":
    g.main(__file__)
