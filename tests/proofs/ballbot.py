"""The other claims of scenarios/ballbot.py.

A wheel of radius r = 0.12 m, mass M = 2.4 kg and moment of inertia I = 0.03 kg m² rolls along the axis X without slip
and carries an inverted pendulum (the body) of length l = 0.7 m with a mass m = 5 kg at its end; gravity is 9.81 m/s².
The model has the position (x, y) of the wheel's centre and of the body's mass (bx, by) in m, and the wheel's rotation
psi (rad, clockwise); its constraints are the ground, y = r, the rolling, x = r psi, and the length of the body. In the
angles of the exercise, phi of the body from the vertical and theta of the wheel against the body, psi = phi + theta and

    L = ½(I + M r²) psi_dot² + ½ m (r² psi_dot² + 2 r l psi_dot phi_dot cos phi + l² phi_dot²) − m g l cos phi.

Known answers: theta is cyclic, so (I + (M + m) r²) psi_dot + m r l phi_dot cos phi is conserved, and the robot falls
like an inverted pendulum on a cart of mass M + I/r²; from rest it reaches the ground after a time given by a
quadrature. Upright it grows like exp(κt), κ² = (M + I/r² + m) g/((M + I/r²) l). The ground carries (M + m)g + m by_ddot
and drives the wheel with the force −I psi_ddot/r. A torque τ of the motor between body and wheel changes the momentum
of theta at the rate τ; linear in the state, it places the eigenvalues and balances the robot, if the ground is rough
enough.
"""

import numpy as np
from scipy.integrate import quad, solve_ivp
from scipy.signal import place_poles

import gauss as g
from scenarios.ballbot import BODY, GRAVITY, INERTIA, LENGTH, PHI, RADIUS, WHEEL, body, ground, rolling, start, system

CART = WHEEL + INERTIA / RADIUS**2  # kg, M + I/r²
SHARE = BODY / (CART + BODY)

POLES = np.array([-2.5, -3.0, -4.0, -4.5])  # 1/s, of the balancing robot
HELD = "psi bx d_psi d_bx"  # the states of its linear equations


def kinetic_energy(v, p):
    return 0.5 * p.M * (v.x**2 + v.y**2) + 0.5 * p.I * v.psi**2 + 0.5 * p.m * (v.bx**2 + v.by**2)


def model(constraints=(ground, rolling, body), **more):
    """The robot, with further arguments of the System."""
    return g.System(
        "ballbot in the plane",
        coordinates="x y psi bx by",
        kinetic_energy=kinetic_energy,
        potential_energy=lambda q, p: p.g * (p.M * q.y + p.m * q.by),
        constraints=constraints,
        parameters={"M": WHEEL, "m": BODY, "I": INERTIA, "r": RADIUS, "l": LENGTH, "g": GRAVITY},
        **more,
    )


def chart(s, t):
    """The coordinates at the angles (phi, theta)."""
    x = RADIUS * (s[0] + s[1])
    return [x, RADIUS, s[0] + s[1], x + LENGTH * g.sin(s[0]), RADIUS + LENGTH * g.cos(s[0])]


def inverse(q, v, t):
    """(phi, theta) and their rates."""
    x, y, vx, vy = q[3] - q[0], q[4] - q[1], v[3] - v[0], v[4] - v[1]
    phi, rate = g.atan2(x, y), (y * vx - x * vy) / LENGTH**2
    return [phi, q[2] - phi], [rate, v[2] - rate]


def _lagrangian(s, s_dot, t):
    rate = s_dot[0] + s_dot[1]
    wheel = 0.5 * (INERTIA + WHEEL * RADIUS**2) * rate**2
    cross = 2 * RADIUS * LENGTH * rate * s_dot[0] * g.cos(s[0])
    moved = 0.5 * BODY * (RADIUS**2 * rate**2 + cross + LENGTH**2 * s_dot[0] ** 2)
    return wheel + moved - BODY * GRAVITY * LENGTH * g.cos(s[0])


minimal = g.Minimal(lagrangian=_lagrangian, chart=chart, inverse=inverse, text="phi, theta")


def motor(q, p, u):
    """The generalised force of the torque u.tau on theta = psi − phi."""
    x, y = (q.bx - q.x) / p.l**2, (q.by - q.y) / p.l**2
    return [u.tau * y, -u.tau * x, u.tau, -u.tau * y, u.tau * x]


def angles(run):
    """phi (N,), psi (N,) and their rates along a run."""
    (phi, theta), (rate, spin) = inverse(run.q.T, run.v.T, 0.0)
    return phi, phi + theta, rate, rate + spin


def momentum(run):
    """The momentum of theta (N,), N m s."""
    phi, _, rate, spin = angles(run)
    return (INERTIA + (WHEEL + BODY) * RADIUS**2) * spin + BODY * RADIUS * LENGTH * rate * np.cos(phi)


def by_lagrange(times, torque=lambda w: 0.0):
    """(phi, psi) and rates, (4, N), from Lagrange's equations with a motor torque, integrated by SciPy."""

    def rates(t, w):
        phi, _, rate, spin = w
        c, s, tau = np.cos(phi), np.sin(phi), torque(w)
        whole, cross = INERTIA + (WHEEL + BODY) * RADIUS**2, BODY * RADIUS * LENGTH
        matrix = np.array([[cross * c, whole], [BODY * LENGTH**2, cross * c]])
        force = [tau + cross * rate**2 * s, BODY * GRAVITY * LENGTH * s - tau]
        return [rate, spin, *np.linalg.solve(matrix, force)]

    first = [PHI, 0.0, 0.0, 0.0]
    return solve_ivp(rates, (times[0], times[-1]), first, "DOP853", t_eval=times, rtol=1e-13, atol=1e-14).y


def fall_time():
    """The time from rest at phi₀ until the body is on the ground, s: ∫dφ/φ̇ with φ = φ₀ + w²."""
    last = np.arccos(-RADIUS / LENGTH)

    def integrand(w):
        phi = PHI + w**2
        rise = 2 * np.sin((phi + PHI) / 2) * np.sin(w**2 / 2)  # cos φ₀ − cos φ
        return 2 * w / np.sqrt(2 * GRAVITY / LENGTH * rise / (1 - SHARE * np.cos(phi) ** 2))

    return quad(integrand, 0.0, np.sqrt(last - PHI), epsabs=0.0, epsrel=1e-13)[0]


def balanced(t_end):
    """The balancing motion, the gains of the motor, and the closed-loop matrix."""
    driven = model(controls="tau", force=motor)
    linear = g.linearize(driven, chart([0.0, 0.0], 0.0), states=HELD)
    gains = place_poles(linear.A, linear.B, POLES).gain_matrix[0]

    def torque(t, q, v):
        return [-gains @ np.array([q[2], q[3], v[2], v[3]])]

    run = g.simulate(driven, start.q, t_end=t_end, control=torque, progress="none")
    return run, gains, linear.A - linear.B @ gains[None, :]


def balance_claims():
    """Claims about the robot that balances."""
    run, gains, closed = balanced(3.0)

    def torque(w):
        phi, psi, rate, spin = w
        place = RADIUS * psi + LENGTH * np.sin(phi)
        return -gains @ np.array([psi, place, spin, RADIUS * spin + LENGTH * rate * np.cos(phi)])

    expected = by_lagrange(run.t, torque)
    rough = np.max(np.abs(run["rolling"]) / run["ground"])
    return [
        g.Claim(
            "a motor torque −K(psi, bx and rates) places the eigenvalues",
            g.relative(np.sort(np.linalg.eigvals(closed).real), np.sort(POLES)),
            1e-9,
            "as asked for; eigenvalues of a 4 × 4 matrix that are 0.5 s⁻¹ apart",
        ),
        g.Claim(
            "under it the robot follows Lagrange's equations with ±τ on theta and phi",
            max(g.relative(*pair) for pair in zip(angles(run), expected, strict=True)),
            1e-8,
            "equations for phi and theta with the same torque, integrated by SciPy with rtol 1e-13",
        ),
        g.Claim(
            "a ground with friction coefficient 0.6 is rough enough",
            float(rough),
            0.6,
            f"the largest share of the normal force that drives the wheel is {rough:.3f}",
        ),
    ]


def linear_claims():
    """Claims about the upper position, and about the rolling."""
    linear = g.linearize(system, chart([0.0, 0.0], 0.0), states=HELD)
    pfaffian = g.Pfaffian("rolling", lambda p: [1.0, 0.0, -p.r, 0.0, 0.0])
    found = g.analysis.holonomy(model((ground, pfaffian, body)), start.q)
    return [
        g.Claim("upright is unstable", float(linear.stability != "unstable"), 0.0, "verdict on the spectrum"),
        g.Claim(
            "rolling along a line, ẋ = r psi_dot, is holonomic",
            float(found.verdict != "holonomic"),
            0.0,
            f"rank of the Lie algebra of the admissible velocities: {found.verdict}",
        ),
    ]


def claims(run):
    expected = by_lagrange(run.t)
    drift = len(run) * run.about.rtol
    lifted = (WHEEL + BODY) * GRAVITY + BODY * run["dd_by"]
    turn = (INERTIA + (WHEEL + BODY) * RADIUS**2) * float(np.max(np.abs(angles(run)[3])))
    end = f"needs t ≥ {fall_time():.6g} s; the motion ends at {run.t[-1]:.6g} s"
    early = run.ending.kind != "event" and run.t[-1] < fall_time()
    return [
        g.Claim(
            "phi, psi and their rates follow Lagrange's equations",
            max(g.relative(*pair) for pair in zip(angles(run), expected, strict=True)),
            1e-8,
            "equations for phi and theta, integrated by SciPy with rtol 1e-13, atol 1e-14; errors grow as exp(κt)",
        ),
        g.analysis.Unexamined("the time of the fall", end)
        if early
        else g.Claim(
            "the body reaches the ground in the time of the quadrature",
            g.relative(run.t[-1], fall_time()) if run.ending.kind == "event" else np.inf,
            1e-9,
            f"quadrature: {fall_time():.9f} s",
        ),
        g.Claim(
            "the momentum of theta stays zero",
            float(np.max(np.abs(momentum(run)))),
            drift * turn,
            "N steps that err by rtol each, times the largest of its terms",
        ),
        g.Claim("the ground carries (M + m)g + m by_ddot", g.relative(run["ground"], lifted), 1e-11, "Newton"),
        *linear_claims(),
        *balance_claims(),
    ]
