"""The other claims of scenarios/inverted_pendulum.py.

A cart of mass M = 1 kg moves along the axis X without friction and carries a massless rod of length l = 0.5 m with a
mass m = 0.3 kg at its end; gravity is 9.81 m/s². The model has the positions (X, Y) of the cart and (x, y) of the bob
(m) and two constraints: the cart is on the rail, Y = 0, and the rod keeps its length. With the angle phi (rad) of the
rod from the upward vertical, x = X + l sin phi, y = l cos phi,

    L = ½(M + m) X_dot² + m l X_dot phi_dot cos phi + ½ m l² phi_dot² − m g l cos phi,

and Lagrange's equations, which the exercise asks for, are

    (M + m) X_ddot + m l phi_ddot cos phi − m l phi_dot² sin phi = 0,   l phi_ddot + X_ddot cos phi − g sin phi = 0.

Known answers: the momentum along X and the energy are conserved. Released at rest from phi₀ the mass centre stays above
its place, phi_dot² = 2(g/l)(cos phi₀ − cos phi)/(1 − μ cos² phi) with μ = m/(M + m), and the period is a quadrature.
Upright the eigenvalues are ±κ, 0, 0 with κ² = (M + m)g/(M l); hanging they are ±iκ, 0, 0. A force on the cart, linear
in the state, holds the rod up: the eigenvalues may be placed.
"""

import numpy as np
from scipy.integrate import quad, solve_ivp
from scipy.signal import place_poles

import gauss as g
from scenarios.inverted_pendulum import BOB, CART, GRAVITY, HELD, PHI, RATE, ROD, SHARE, place, start, system, turning

POLES = np.array([-3.0, -4.0, -5.0, -6.0])  # 1/s, of the pendulum that is held up


def kinetic_energy(v, p):
    return 0.5 * p.M * (v.X**2 + v.Y**2) + 0.5 * p.m * (v.x**2 + v.y**2)


def model(**more):
    """The pendulum, with further arguments of the System."""
    return g.System(
        "inverted pendulum on a cart",
        coordinates="X Y x y",
        kinetic_energy=kinetic_energy,
        potential_energy=lambda q, p: p.g * (p.M * q.Y + p.m * q.y),
        constraints=[
            g.Holonomic("rail", lambda q: q.Y),
            g.Holonomic("rod", lambda q, p: (q.x - q.X) ** 2 + (q.y - q.Y) ** 2 - p.l**2),
        ],
        parameters={"M": CART, "m": BOB, "l": ROD, "g": GRAVITY},
        **more,
    )


def inverse(q, v, t):
    """(X, phi) and their rates."""
    x, y, vx, vy = q[2] - q[0], q[3] - q[1], v[2] - v[0], v[3] - v[1]
    return [q[0], g.atan2(x, y)], [v[0], (y * vx - x * vy) / ROD**2]


minimal = g.Minimal(
    lagrangian=lambda s, s_dot, t: (
        0.5 * (CART + BOB) * s_dot[0] ** 2
        + BOB * ROD * s_dot[0] * s_dot[1] * g.cos(s[1])
        + 0.5 * BOB * ROD**2 * s_dot[1] ** 2
        - BOB * GRAVITY * ROD * g.cos(s[1])
    ),
    chart=lambda s, t: [s[0], 0.0, s[0] + ROD * g.sin(s[1]), ROD * g.cos(s[1])],
    inverse=inverse,
    text="X, phi",
)


def angle(run):
    """phi, continued over full turns, and its rate."""
    (_, phi), (_, rate) = inverse(run.q.T, run.v.T, 0.0)
    return np.unwrap(np.mod(phi, 2 * np.pi)), rate


def by_lagrange(times, phi=PHI):
    """(X, phi, X_dot, phi_dot), each (N,), from the equations of the docstring, solved for and integrated by SciPy."""

    def rates(t, w):
        _, angle, speed, rate = w
        c, s = np.cos(angle), np.sin(angle)
        inertia = np.array([[CART + BOB, BOB * ROD * c], [c, ROD]])
        return [speed, rate, *np.linalg.solve(inertia, [BOB * ROD * rate**2 * s, GRAVITY * s])]

    first = [0.0, phi, 0.0, 0.0]
    return solve_ivp(rates, (times[0], times[-1]), first, "DOP853", t_eval=times, rtol=1e-13, atol=1e-14).y


def half_period():
    """Half the period of the swing from phi₀ through the lower position, s: ∫dφ/φ̇ with φ = π + A sin u."""
    A = np.pi - PHI

    def integrand(u):
        rise = 2 * np.sin(A * (1 + np.sin(u)) / 2) * np.sin(A * np.sin(np.pi / 4 - u / 2) ** 2)  # cos φ₀ − cos φ
        rate = np.sqrt(2 * GRAVITY / ROD * rise / (1 - SHARE * np.cos(A * np.sin(u)) ** 2))
        return A * np.cos(u) / rate

    return quad(integrand, -np.pi / 2, np.pi / 2, epsabs=0.0, epsrel=1e-13)[0]


def upright():
    """The linear equations about the upper position with a force u on the cart."""
    pushed = model(controls="u", force=lambda u: [u.u, 0.0, 0.0, 0.0])
    return pushed, g.linearize(pushed, place(0.0), states=HELD)


def held(phi, t_end=4.0):
    """The motion from rest at phi under the force that places the eigenvalues, and its gains."""
    pushed, linear = upright()
    gains = place_poles(linear.A, linear.B, POLES).gain_matrix[0]

    def push(t, q, v):
        return [-gains @ np.array([q[0], q[2], v[0], v[2]])]

    return g.simulate(pushed, place(phi), t_end=t_end, control=push, progress="none"), gains


def linear_claims():
    """Claims about the two equilibria and the pendulum that is held up."""
    up, _down = (g.linearize(system, place(phi), states=HELD) for phi in (0.0, np.pi))
    share = BOB * GRAVITY / (CART * ROD)
    expected = np.zeros((4, 4))
    expected[:2, 2:] = np.eye(2)
    expected[2:, :2] = [[share, -share], [-GRAVITY / ROD, GRAVITY / ROD]]
    small = 1e-4
    fallen = g.simulate(system, place(small), t_end=1.0, progress="none")
    growth = small * np.cosh(RATE * fallen.t)
    sizes = [0.08, 0.04, 0.02]
    runs = [held(size, 1.0) for size in sizes]
    _, linear = upright()
    closed = linear.A - linear.B @ runs[0][1][None, :]
    errors = [g.relative(angle_near(run), response(closed, size, run.t)) for (run, _), size in zip(runs, sizes)]
    return [
        g.Claim(
            "upright, the linear equations are X_ddot = −(m/M)g phi, x_ddot = g phi with phi = (x − X)/l",
            g.relative(up.A, expected),
            1e-13,
            "closed form; derivatives are exact, so only rounding is left",
        ),
        g.Claim(
            "upright is unstable",
            float(up.stability != "unstable"),
            0.0,
            f"verdict on the spectrum: {up.stability}",
        ),
        g.Claim(
            f"from rest at {small:g} rad it falls as phi₀ cosh κt",
            float(np.max(np.abs(angle_near(fallen) / growth - 1.0))),
            float(growth[-1] ** 2),
            "closed form; the terms left out are a share phi² of those kept, or less",
        ),
        g.Claim(
            "a force −K(X, x, X_dot, x_dot) places the eigenvalues",
            g.relative(np.sort(np.linalg.eigvals(closed).real), np.sort(POLES)),
            1e-9,
            "as asked for; eigenvalues of a 4 × 4 matrix, apart by 1 s⁻¹, with entries below 200",
        ),
        g.Claim(
            "held up, the pendulum moves as the linear equations do, but for a share of order 2 in phi₀",
            abs(g.analysis.convergence_order(sizes, errors) - 2.0),
            0.1,
            f"from {sizes[-2]:g} and {sizes[-1]:g} rad the errors are {errors[-2]:.2g} and {errors[-1]:.2g}",
        ),
    ]


def angle_near(run):
    """phi near the upper position."""
    return np.arctan2(run["x"] - run["X"], run["y"])


def response(A, phi, times):
    """phi (N,) by the linear equations with the matrix A, from rest at phi."""
    values, vectors = np.linalg.eig(A)
    share = np.linalg.solve(vectors, [0.0, ROD * phi, 0.0, 0.0])
    states = (vectors * share) @ np.exp(np.outer(values, times))
    return ((states[1] - states[0]) / ROD).real


@g.needs(start.t_end)
def claims(run):
    expected = by_lagrange(run.t)
    phi, rate = angle(run)
    turns = np.array([event.t for event in run.events if event.name == turning.name and event.t > 0.0])
    half = half_period()
    weight = (CART + BOB) * GRAVITY + BOB * run["dd_y"]
    return [
        g.Claim(
            "X, phi and their rates follow Lagrange's equations",
            max(g.relative(*pair) for pair in zip((run["X"], phi, run["d_X"], rate), expected, strict=True)),
            1e-8,
            "the two equations for X and phi, integrated by SciPy with rtol 1e-13, atol 1e-14; errors grow at the top",
        ),
        g.Claim(
            "the pendulum turns after each half period",
            g.relative(turns, half * np.arange(1, turns.size + 1)) if turns.size == int(4.0 / half) else np.inf,
            1e-9,
            f"quadrature: half a period is {half:.9f} s; {int(4.0 / half)} turning points in 4 s",
        ),
        g.Claim(
            "the rail carries (M + m)g + m y_ddot",
            g.relative(run["rail"], weight),
            1e-11,
            "Newton's second law for cart and bob together, at the recorded states",
        ),
        *linear_claims(),
    ]
