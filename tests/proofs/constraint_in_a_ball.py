"""The other claims of scenarios/constraint_in_a_ball.py.

A ball of radius R = 0.4 m, mass M = 2 kg and central moment of inertia I = 0.15 kg m² rolls without slip on a level
plane. A point of mass m = 1.2 kg hangs in it on a weightless thread of length l = 0.2 m, from a point h fixed in the
ball 0.12 m from its centre; gravity is 9.81 m/s². The model has the centre (X, Y) of the ball, its rotation as a unit
quaternion p, and the place r = (x, y, z) of the mass relative to the centre, kept by |p|² = 1, |r − h|² = l² and the
two rows of rolling, (Ẋ, Ẏ) = R (Ω_y, −Ω_x).

Known answers: let μ = I/R² + M, V = (Ẋ, Ẏ), G the force of the thread on the mass and N = r × G its moment. By Newton's
and Euler's equations (BP (1.2), (1.5), (1.6), (1.10)), Ḡ being the level part of G,

    m r̈ = −m g e_z + G − m V̇,   μ V̇ = −Ḡ + e_z × N/R,   I Ω̇_z = −N_z,   (μ + m) V̇ + m (ẍ, ÿ) = e_z × N/R.

Where N = 0, the ball drops out: r moves by Lagrange's equations with the kinetic energy
T̂ = ½ m|ṙ|² − ½ m²/(μ+m) (ẋ² + ẏ²), and V + m/(μ+m) (ẋ, ẏ) is constant (BP §3). Constraints that are symmetric about the
centre give no moment, such as a thread from the centre. A thread from elsewhere turns the ball with N = h × G, and as
the ball rolls its centre is pushed by e_z × N/R, which no T̂ contains. A thread from a point that keeps its place
relative to the centre without turning (on a frame that does not turn) puts no moment on the ball; for it Lagrange's
equations are right, although it is not symmetric either.
"""

import numpy as np
from scipy.integrate import solve_ivp

import gauss as g
from gauss import bodies as mb
from scenarios.constraint_in_a_ball import (
    BALL,
    GRAVITY,
    H0,
    INERTIA,
    LENGTH,
    MASS,
    MU,
    OFF,
    OMEGA,
    P0,
    RADIUS,
    SPEED,
    THREAD,
    energy,
    hook,
    rolling,
    start,
)

SHARE = MASS / (MU + MASS)
UP = np.array([0.0, 0.0, 1.0])
MODIFIED = MASS * (1 - SHARE * np.array([1.0, 1.0, 0.0]))  # kg: T̂ = ½ Σ MODIFIED_i ṙ_i²


def hung(name, point):
    """The system with the thread from point(q)."""
    return g.System(
        name,
        coordinates="X Y p0 p1 p2 p3 x y z",
        kinetic_energy=energy,
        potential_energy=lambda q: MASS * GRAVITY * q.z,
        constraints=[
            g.Holonomic("unit quaternion", lambda q: q.p0**2 + q.p1**2 + q.p2**2 + q.p3**2 - 1.0),
            g.Holonomic(
                "thread",
                lambda q: sum((x - h) ** 2 for x, h in zip((q.x, q.y, q.z), point(q), strict=True)) / 2 - LENGTH**2 / 2,
            ),
            g.Pfaffian("ball rolls", rolling),
        ],
    )


steady = hung("pendulum on a frame that does not turn", lambda q: H0)


def turned(p, omega):
    """The rate ½ Ω p of the quaternion p (4,) with Ω (3,) in space axes."""
    return np.array([-omega @ p[1:], *(p[0] * omega + np.cross(omega, p[1:]))]) / 2


def first(turning):
    """q and v (9,) at the start: h turns with the ball or not."""
    along = THREAD / np.linalg.norm(THREAD)
    v = SPEED - SPEED @ along * along + turning * np.cross(OMEGA, H0)
    centre = RADIUS * np.cross(OMEGA, UP)[:2]
    return np.concatenate([[0.0, 0.0], P0, H0 + LENGTH * along]), np.concatenate([centre, turned(P0, OMEGA), v])


def ball(q):
    """Where the ball is, for the picture."""
    return mb.shapes.at_quaternion((q["X"], q["Y"], RADIUS), [q[f"p{k}"] for k in range(4)])


def spin(q, v):
    """Ω (3, N) in space axes: the vector part of 2 ṗ p*."""
    (s, *u), (s1, *u1) = q.T[2:6], v.T[2:6]
    return 2 * (s * np.array(u1) - s1 * np.array(u) + np.cross(u, u1, axis=0))


def by_newton(h, r, v, omega, moment=True, turning=True):
    """r̈ (3,), V̇ (2,) and Ω̇_z from Newton's and Euler's equations; without the moment N these are Lagrange's with T̂.

    h, r, v and omega (3,); turning: h turns with the ball. The last unknown is the multiplier λ, G = λ (r − h).
    """
    u, h_dot = r - h, turning * np.cross(omega, h)
    lever = np.cross(h, u)  # N = λ lever
    torque = moment * lever
    matrix, right = np.zeros((7, 7)), np.zeros(7)
    matrix[:3, :3], matrix[:2, 3:5], matrix[:3, 6] = MASS * np.eye(3), MASS * np.eye(2), -u
    right[2] = -MASS * GRAVITY
    matrix[3:5, 3:5], matrix[3:5, 6] = MU * np.eye(2), u[:2] - np.cross(UP, torque)[:2] / RADIUS
    matrix[5, 5], matrix[5, 6] = INERTIA, torque[2]
    matrix[6, :3], right[6] = u, -(v - h_dot) @ (v - h_dot)
    if turning:  # u·ḧ = Ω̇·(h × u) + u·(Ω × ḣ) with R Ω̇ = e_z × V̇ + R Ω̇_z e_z
        matrix[6, 3:6] = -lever[1] / RADIUS, lever[0] / RADIUS, -lever[2]
        right[6] += u @ np.cross(omega, h_dot)
    return np.linalg.solve(matrix, right)[:6]


def expected(q, v, moment=True, turning=True):
    """r̈ and V̇ (N, 5) by `by_newton` at states (N, 9)."""
    points = np.array(hook(q.T[2:6])).T if turning else np.broadcast_to(H0, (len(q), 3))
    states = zip(points, q[:, 6:], v[:, 6:], spin(q, v).T, strict=True)
    return np.array([by_newton(*state, moment, turning)[:5] for state in states])


def by_lagrange(times, turning):
    """r (3, N) at times (N,) by Lagrange's equations with T̂, integrated by SciPy."""

    def rates(t, w):
        p, r, v, omega = w[:4], w[4:7], w[7:10], w[10:]
        h = np.array(hook(p)) if turning else H0
        a = by_newton(h, r, v, omega, moment=False, turning=turning)
        return np.concatenate([turned(p, omega), v, a[:3], [-a[4] / RADIUS, a[3] / RADIUS, a[5]]])

    q, v = first(turning)
    w = np.concatenate([q[2:], v[6:], OMEGA])
    return solve_ivp(rates, (0.0, times[-1]), w, "DOP853", t_eval=times, rtol=1e-12, atol=1e-13).y[4:7]


def chaplygin(run):
    """V + m/(μ+m)(ẋ, ẏ) (2, N) along a run, m/s."""
    return run.v.T[:2] + SHARE * run.v.T[6:8]


def modified_energy(run):
    """T̂ + m g z (N,), J."""
    return MODIFIED @ run.v.T[6:] ** 2 / 2 + MASS * GRAVITY * run.q.T[8]


def across_thread(q, a, turning=True):
    """The part of M̂ r̈ + m g e_z across the thread (3, N), N, from q and a (N, 9): zero by Lagrange's equations."""
    u = q.T[6:] - (np.array(hook(q.T[2:6])) if turning else H0[:, None])
    force = MODIFIED[:, None] * a.T[6:] + MASS * GRAVITY * UP[:, None]
    return force - u * np.sum(u * force, axis=0) / LENGTH**2


def mechanism():
    """The same ball and pendulum made of bodies and joints."""
    ball, bob = mb.Body("ball", mb.Inertia.of_tensor(BALL, [INERTIA] * 3)), mb.Particle("bob", MASS)
    thread = mb.Distance("thread", ball, (0, 0, OFF), bob, (0, 0, 0), length=LENGTH)
    joints = [mb.RollingBall("ball", ball, RADIUS), thread]
    return mb.Mechanism("pendulum off the centre", [ball, bob], joints, gravity=-GRAVITY * UP)


def by_bodies(q, v):
    """r̈ and V̇ (N, 5) of the mechanism at states (N, 9)."""
    made, found = mechanism(), []
    ball, bob = made.bodies
    for q_now, v_now, omega in zip(q, v, spin(q, v).T, strict=True):
        centre, velocity = np.array([*q_now[:2], RADIUS]), np.array([*v_now[:2], 0.0])
        poses = [
            ball.pose(centre, mb.quaternion(*q_now[2:6]), velocity, omega, axes="space"),
            bob.pose(centre + q_now[6:], velocity + v_now[6:]),
        ]
        a = g.accelerate(made.system, *made.state(*poses)).a
        found.append([*(a[12:] - a[:3]), *a[:2]])
    return np.array(found)


@g.needs(start.t_end)
def claims(run):
    a = np.column_stack([run.a[:, 6:], run.a[:, :2]])
    some = slice(None, None, 10)
    weight = MASS * GRAVITY
    return [
        g.Claim(
            "accelerations by Newton's and Euler's equations with the moment of the thread",
            g.relative(a, expected(run.q, run.v)),
            1e-11,
            "BP (1.2), (1.5), (1.6) at every recorded state; rounding",
        ),
        g.Claim(
            "a mechanism of bodies and joints has the same accelerations",
            g.relative(by_bodies(run.q[some], run.v[some]), a[some]),
            1e-11,
            "rotation matrix instead of quaternion, at every tenth state; rounding",
        ),
        g.Claim(
            "Lagrange's equations with T̂ are wrong by a twentieth of the weight",
            0.05 * weight / float(np.max(np.abs(across_thread(run.q, run.a)))),
            1.0,
            "a twentieth of mg over the largest M̂r̈ + mg e_z across the thread, which they say is zero",
        ),
        *steady_claims(run.t[-1]),
    ]


def steady_claims(t_end):
    """Claims about the thread from a point that does not turn."""
    run = g.simulate(steady, *first(turning=False), t_end=t_end, rtol=start.rtol, atol=start.atol, progress="none")
    early = run.at(np.linspace(0.0, min(5.0, t_end), 100))
    kept = f"rtol {start.rtol:g} at each of {len(run)} steps; less than the sum of those, relative to its size"
    where = "with a point that does not turn"
    return [
        g.Claim(
            f"{where} Chaplygin's integral is kept (m/s)",
            float(np.max(np.ptp(chaplygin(run), axis=1))),
            1e-10,
            kept,
        ),
        g.Claim(
            f"{where} the modified energy is kept",
            g.relative(modified_energy(run), modified_energy(run)[:1]),
            1e-10,
            kept,
        ),
        g.Claim(
            f"{where} accelerations are those of Lagrange's equations with T̂",
            float(np.max(np.abs(across_thread(run.q, run.a, turning=False)))) / (MASS * GRAVITY),
            1e-11,
            "M̂r̈ + mg e_z across the thread at every recorded state, relative to mg; rounding",
        ),
        g.Claim(
            f"{where} the mass moves by these equations for 5 s",
            g.relative(early.q.T[6:], by_lagrange(early.t, turning=False)),
            1e-9,
            "SciPy, rtol 1e-12; errors grow along the run",
        ),
    ]
