"""The other claims of scenarios/slider_crank.py.

A crank of length a = 0.5 m with J₁ = 1 kg m² turns about the origin by the angle q (rad). A rod of length 1 m joins its
end to a slider on the line y = 0, at x (m), and has the angle p. The mass of rod and slider, m₂ = 1 kg, lies on the
slider; J₂ = 2 kg m² is the rod's moment of inertia about it. A spring (k = 1 N/m, free at 1 m) with a damper (c = 1
N s/m) joins the middles of crank and rod. The force F = 1 N along x acts on the prolonged rod, 1 m beyond the slider:
its generalized force in (q, x, p) is F (0, 1, −sin p), as the published program has it. There is no gravity. The start
is at rest with q = π/2.

The mechanism is made of three bodies, each with the place of its origin and the cosine and sine of its angle, three
pins and a slider: twelve coordinates and eleven rows.

Known answers: q, x and p printed with an example of the program IDA (SUNDIALS; rtol = atol = 1e-6, five digits). The
middles of crank and rod have the same height, as sin p = −a sin q; so the spring is level and has the length x/2, and

    I q̈ + ½ I′ q̇² = F (x + cos p)′ − ½ f x′,   I = J₁ + m₂ x′² + J₂ p′²,   f = k(x/2 − l₀) + ½ c x′q̇,

primes being derivatives by q. SciPy integrates this equation. Newton's and Euler's equations of the rod then give the
force at the crank pin.
"""

import numpy as np
from scipy.integrate import solve_ivp

import gauss as g
from scenarios.slider_crank import J1, J2, L0, M2, A, C, F, K, angles, start

TABLE = np.array(  # t / s, q / rad, x / m, p / rad
    [
        [0.5, 1.5069, 0.89855, -0.52242],
        [1.0, 1.3154, 1.0015, -0.50497],
        [1.5, 1.0016, 1.1765, -0.43472],
        [2.0, 0.57904, 1.3803, -0.27715],
        [2.5, 0.072238, 1.498, -0.036096],
        [3.0, -0.44711, 1.4272, 0.2179],
        [3.5, -0.8875, 1.2374, 0.39819],
        [4.0, -1.2064, 1.0623, 0.48609],
        [4.5, -1.3883, 0.96149, 0.51404],
        [5.0, -1.43, 0.93903, 0.5179],
        [5.5, -1.3346, 0.99087, 0.50765],
        [6.0, -1.108, 1.1176, 0.46386],
        [6.5, -0.76277, 1.2999, 0.35273],
        [7.0, -0.31828, 1.4626, 0.15711],
        [7.5, 0.18041, 1.4879, -0.089839],
        [8.0, 0.64422, 1.3536, -0.305],
        [8.5, 1.0053, 1.1745, -0.43582],
        [9.0, 1.2363, 1.0456, -0.49189],
        [9.5, 1.3266, 0.99533, -0.50655],
        [10.0, 1.2757, 1.0236, -0.49881],
    ]
)


def along(q):
    """x, p and their first and second derivatives by q."""
    p = -np.arcsin(A * np.sin(q))
    dp = -A * np.cos(q) / np.cos(p)
    ddp = (A * np.sin(q) + np.sin(p) * dp**2) / np.cos(p)
    x = np.cos(p) + A * np.cos(q)
    dx = -np.sin(p) * dp - A * np.sin(q)
    ddx = -np.cos(p) * dp**2 - np.sin(p) * ddp - A * np.cos(q)
    return (x, dx, ddx), (p, dp, ddp)


def pull(x, x_dot):
    """Force of spring and damper (N) at the slider's place and velocity."""
    return K * (x / 2 - L0) + C * x_dot / 2


def second(q, q_dot):
    """The second rate of q (1/s²)."""
    (x, dx, ddx), (p, dp, ddp) = along(q)
    inertia, slope = J1 + M2 * dx**2 + J2 * dp**2, 2 * (M2 * dx * ddx + J2 * dp * ddp)
    return (F * (dx - np.sin(p) * dp) - pull(x, dx * q_dot) * dx / 2 - slope * q_dot**2 / 2) / inertia


def by_angle(times):
    """q, its rate, and the work the damper has taken (J), each (N,), integrated by SciPy."""

    def rates(t, w):
        q, q_dot, _ = w
        (_, dx, _), _ = along(q)
        return [q_dot, second(q, q_dot), C * (dx * q_dot / 2) ** 2]

    span = times[0], times[-1]
    return solve_ivp(rates, span, [np.pi / 2, 0.0, 0.0], "DOP853", t_eval=times, rtol=1e-13, atol=1e-14).y


def pin_force(q, q_dot):
    """Force (2, N) of the crank on the rod, from Newton's and Euler's equations of rod and slider."""
    (x, dx, ddx), (p, dp, ddp) = along(q)
    q_ddot = second(q, q_dot)
    f = pull(x, dx * q_dot)
    level = M2 * (dx * q_ddot + ddx * q_dot**2) - F + f
    turning = J2 * (dp * q_ddot + ddp * q_dot**2)
    return np.array([level, ((level - f / 2 - F) * np.sin(p) - turning) / np.cos(p)])


@g.needs(start.t_end)
def claims(run):
    q, q_dot, taken = by_angle(run.t)
    (x, _, _), (p, _, _) = along(q)
    found = angles(run)
    printed = np.array(angles(run.at(np.concatenate([[0.0], TABLE[:, 0]]))))[:, 1:].T
    kept = len(run) * start.rtol
    force = np.array([run["crank pin[0]"], run["crank pin[1]"]])
    energy = run.energy - run.energy[0] + taken - F * (x + np.cos(p) - x[0] - np.cos(p[0]))
    return [
        g.Claim(
            "q, x and p as printed for IDA",
            float(np.max(np.abs(printed - TABLE[:, 1:]))),
            1e-4,
            "five printed digits (5e-5 above 1) and a few of IDA's tolerances of 1e-6",
        ),
        g.Claim(
            "the motion is that of the one angle",
            max(g.relative(*pair) for pair in zip(found, (q, x, p), strict=True)),
            10 * kept,
            "N steps that err by rtol each, in unit coordinates",
        ),
        g.Claim(
            "the energy is what the force gives less what the damper takes",
            float(np.max(np.abs(energy))),
            kept * float(np.max(run.kinetic)),
            "N steps that err by rtol each, times the largest kinetic energy",
        ),
        g.Claim(
            "the crank pin carries the force of Newton's and Euler's equations",
            g.relative(force, pin_force(q, q_dot)),
            10 * kept,
            "smooth functions of the motion",
        ),
    ]
