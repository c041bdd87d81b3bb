"""The other claims of scenarios/andrews_squeezer.py.

The bodies K1 … K7 lie in the plane without gravity. K1 = OF is driven by the torque 0.033 N m about the fixed point O
and K2 = FE follows it; the plate K3 = BDE turns about B, a spring from its corner D to the fixed point C holds it; the
arms K5 = AG and K7 = AH turn about A and carry K4 = GE and K6 = HE. At E four bodies meet. Everything is of a few
centimetres and grams, and in t = 0.03 s the crank K1 makes two and a half turns.

In the published form the coordinates are seven angles

    β of K1, β + θ of K2, γ of K3, φ + δ of K4, δ of K5, ω + ε of K6, ε of K7

and the six rows make E the same point on K2 and K3, K2 and K4, K2 and K6. Here each body has the place of its origin
and the cosine and sine of its angle: 28 coordinates, 27 rows, of which the pins at E are those six. Their multipliers,
the forces of K2 on the other three bodies (N), are those of the published equations.

Known answers, from the test set of initial value problems of the university of Bari: accelerations and multipliers at
the start with 30 digits, and angles, rates and multipliers at 0.03 s. The form in seven angles, with Jacobians of the
mass centres written by hand, is integrated by SciPy besides. It and the motion here agree to a few 1e-12 in the angles
at 0.03 s; both are off the published values by 3e-10 of each angle, 5e-8 of each rate and 1.3e-6 of each multiplier,
which says how many digits of those are right. Halved steps of the Runge-Kutta method of order 4 come to the same end.
"""

import numpy as np
from scipy.integrate import solve_ivp

import gauss as g
from scenarios.andrews_squeezer import (
    CORNER,
    FREE,
    PHI,
    RR,
    SS,
    STIFFNESS,
    TORQUE,
    ZF,
    ZT,
    B,
    C,
    D,
    E,
    U,
    bodies,
    start,
    system,
)

FIRST = np.array(  # β, θ, γ, φ, δ, ω, ε / rad, at rest
    [-0.0617138900142764496, 0.0, 0.455279819163070380, PHI, 0.487364979543842550, -PHI, 1.23054744454982119]
)
FIRST_ACCELERATIONS = np.array([14222.4439199541138706, -10666.8329399655854029, 0, 0, 0, 0, 0])  # rad/s²

LAST = np.array(  # at 0.03 s
    [
        15.81077119629904,
        -15.75637105984298,
        0.04082224013073101,
        -0.5347301163226948,
        0.5244099658805304,
        0.5347301163226948,
        1.048080741042263,
    ]
)
LAST_RATES = np.array(
    [
        1139.920302151208,
        -1424.379294994111,
        11.03291221937134,
        19.29337464421385,
        0.5735699284790808,
        -19.29337464421385,
        0.3231791658026955,
    ]
)
LAST_MULTIPLIERS = np.array(
    [199.1753333731910, -29.75531228015052, 23.06654119098399, 31.45271365475927, 22.64249232082739, 11.61740700019673]
)


def relative_angles(a1, a2, a3, a4, a5, a6, a7):
    """β, θ, γ, φ, δ, ω, ε, or their rates, from those of the bodies."""
    return np.array([a1, a2 - a1, a3, a4 - a5, a5, a6 - a7, a7])


def angles(run):
    """The seven angles (7, N) along a run."""
    return relative_angles(*(np.unwrap(np.arctan2(run[f"{b.name}_s"], run[f"{b.name}_c"])) for b in bodies))


def rates(run, prefix="d_"):
    """Their rates, or with the prefix dd_ their second rates (7, N): c ds − s dc."""
    turning = (
        run[f"{b.name}_c"] * run[f"{prefix}{b.name}_s"] - run[f"{b.name}_s"] * run[f"{prefix}{b.name}_c"]
        for b in bodies
    )
    return relative_angles(*turning)


def multipliers(run):
    """The forces of K2 on K3, K4 and K6 at E (6, N), N."""
    return np.array([run[f"{pin}[{k}]"] for pin in ("E3", "E4", "E6") for k in range(2)])


# ---------------------------------------------------------------- the seven angles, each from the x-axis

# From a fixed point to a point of a body: the bodies passed (0 for K1) with vectors in their axes.
CENTRES = [
    [(0, (0.00092, 0))],
    [(0, (RR, 0)), (1, (-0.0115, 0))],
    [(2, (0.01043, -0.01874))],
    [(4, (ZT, 0)), (3, (0, -(E - 0.01421)))],
    [(4, (0.02308, 0.00916))],
    [(6, (0, -U)), (5, (ZF - 0.01421, 0))],
    [(6, (0.00449, -0.01228))],
]
MEETING = [  # E as a point of K2, K3, K4 and K6
    [(0, (RR, 0)), (1, (-D, 0))],
    [(2, (0, -SS))],
    [(4, (ZT, 0)), (3, (0, -E))],
    [(6, (0, -U)), (5, (ZF, 0))],
]


def absolute(given):
    """The angles of the bodies (7,) from the published ones."""
    beta, theta, gamma, phi, delta, omega, epsilon = given
    return np.array([beta, beta + theta, gamma, phi + delta, delta, omega + epsilon, epsilon])


def moved(path, angle, rate):
    """Of the point at the end of a path: its Jacobian (2, 7), and its acceleration (2,) where no angle accelerates."""
    jacobian, bias = np.zeros((2, 7)), np.zeros(2)
    for k, (x, y) in path:
        c, s = np.cos(angle[k]), np.sin(angle[k])
        jacobian[:, k] += [-s * x - c * y, c * x - s * y]
        bias -= rate[k] ** 2 * np.array([c * x - s * y, s * x + c * y])
    return jacobian, bias


def in_angles(angle, rate):
    """Accelerations of the angles (7,) and forces at E (6,), from Lagrange's equations of the first kind."""
    mass, force = np.diag([body.inertia for body in bodies]), np.zeros(7)
    for body, path in zip(bodies, CENTRES, strict=True):
        jacobian, bias = moved(path, angle, rate)
        mass += body.mass * jacobian.T @ jacobian
        force -= body.mass * jacobian.T @ bias
    c, s = np.cos(angle[2]), np.sin(angle[2])
    corner = np.array([c * CORNER[0] - s * CORNER[1], s * CORNER[0] + c * CORNER[1]])
    apart = np.array(B) + corner - C
    length = np.hypot(*apart)
    pull = STIFFNESS * (length - FREE) / length * apart
    force[2] += pull[0] * corner[1] - pull[1] * corner[0]
    force[0] += TORQUE
    points = [moved(path, angle, rate) for path in MEETING]
    rows = np.vstack([jacobian - points[0][0] for jacobian, _ in points[1:]])
    right = np.concatenate([points[0][1] - bias for _, bias in points[1:]])
    answer = np.linalg.solve(np.block([[mass, rows.T], [rows, np.zeros((6, 6))]]), np.concatenate([force, right]))
    return answer[:7], -answer[7:]


def by_angles(times):
    """The seven angles, their rates and the forces at E, (20, N), integrated by SciPy from the published start."""

    def slope(t, w):
        return np.concatenate([w[7:], in_angles(w[:7], w[7:])[0]])

    first = np.concatenate([absolute(FIRST), np.zeros(7)])
    found = solve_ivp(slope, (0.0, times[-1]), first, "DOP853", t_eval=times, rtol=1e-13, atol=1e-15).y
    forces = np.array([in_angles(w[:7], w[7:])[1] for w in found.T]).T
    return np.concatenate([relative_angles(*found[:7]), relative_angles(*found[7:]), forces])


def motion(run):
    """The same along a run, (20, N)."""
    return np.concatenate([angles(run), rates(run), multipliers(run)])


@g.needs(start.t_end)
def claims(run):
    found, exact = motion(run), by_angles(run.t)
    kept = len(run) * start.rtol
    off = np.abs(found[:, -1] / np.concatenate([LAST, LAST_RATES, LAST_MULTIPLIERS]) - 1)
    steps = [2e-5, 1e-5]  # s
    coarse = [g.simulate(system, start.q, start.v, t_end=0.03, method="rk4", step=h, progress="none") for h in steps]
    ends = [g.relative(motion(rk4)[:7, -1], exact[:7, -1]) for rk4 in coarse]
    return [
        g.Claim(
            "accelerations at the start",
            g.relative(rates(run, "dd_")[:, 0], FIRST_ACCELERATIONS),
            1e-12,
            "30 digits are published; rounding",
        ),
        g.Claim(
            "the seven angles follow their own equations",
            g.relative(found[:7], exact[:7]),
            kept,
            "N steps that err by rtol each; Lagrange's equations in the angles, integrated by SciPy",
        ),
        g.Claim("their rates", g.relative(found[7:14], exact[7:14]), kept, "the same"),
        g.Claim("the forces at E", g.relative(found[14:], exact[14:]), kept, "the same"),
        g.Claim("each angle at 0.03 s as published", float(off[:7].max()), 1e-8, "see above: 3e-10 is theirs"),
        g.Claim("each rate at 0.03 s as published", float(off[7:14].max()), 1e-6, "see above: 5e-8 is theirs"),
        g.Claim("each force at 0.03 s as published", float(off[14:].max()), 1e-5, "see above: 1.3e-6 is theirs"),
        g.Claim(
            "Runge-Kutta steps of 20 and 10 µs converge to that end with order 4, or faster",
            4.0 - g.analysis.convergence_order(steps, ends),
            0.2,
            f"errors {ends[0]:.1e} and {ends[1]:.1e} of the largest angle",
        ),
    ]
