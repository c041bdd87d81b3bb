"""The other claims of scenarios/flyball_governor.py.

Two arms hang on hinges at the top of a vertical shaft that turns at the rate Ω = 14 rad/s; each is a uniform rod of
length l = 0.3 m and 0.3 kg with a ball of 1.5 kg at its end. Links of the same length without mass join the balls to a
sleeve of M = 4 kg on the shaft. The arms are thin rods with the place of their hinge and their direction u as
coordinates, the sleeve is a particle: 15 coordinates and 14 rows, two of which, n(t)·u = 0 with n = (−sin Ωt, cos Ωt,
0), keep the arms in the plane that turns. Start: the arms are at rest in that plane, at 25° from the vertical.

Known answers: with the angle α of the arms, the moments S = ∫ s dm and A = ∫ s² dm of one arm about its hinge and the
sleeve at 2l cos α below the hinges, the Lagrangian is

    L = A(α_dot² + Ω² sin² α) + 2 M l² sin² α α_dot² + 2(S + M l) g cos α.

So the arms are steady where cos α = (S + M l) g/(A Ω²), from the rate Ω² = (S + M l) g/A on; about that angle they
oscillate with κ² = A Ω² sin² α/(A + 2 M l² sin² α), and A α_dot² + 2 M l² sin² α α_dot² − A Ω² sin² α − 2(S + M l) g
cos α is kept. The shaft needs the torque d/dt(2 A Ω sin² α).
"""

import numpy as np
from scipy.integrate import solve_ivp

import gauss as g
from scenarios.flyball_governor import ALPHA, LENGTH, LOAD, OMEGA, SECOND, SLEEVE, angle, start, state, system

LEAST = np.sqrt(LOAD / SECOND)  # rad/s, the rate at which the arms begin to rise
RATES = np.array([11.0, 12.0, 14.0, 18.0, 30.0])  # rad/s


def chart(s, t, rate=OMEGA):
    """The coordinates at the angle α = s[0]."""
    sine, cosine, c, d = g.sin(s[0]), g.cos(s[0]), g.cos(rate * t), g.sin(rate * t)
    right, left = (0.0, 0.0, 0.0, sine * c, sine * d, -cosine), (0.0, 0.0, 0.0, -sine * c, -sine * d, -cosine)
    return [*right, *left, 0.0, 0.0, -2 * LENGTH * cosine]


def inverse(q, v, t):
    """α and its rate, from the sleeve."""
    alpha = g.acos(-q[14] / (2 * LENGTH))
    return [alpha], [v[14] / (2 * LENGTH * g.sin(alpha))]


minimal = g.Minimal(
    lagrangian=lambda s, s_dot, t: (
        SECOND * (s_dot[0] ** 2 + OMEGA**2 * g.sin(s[0]) ** 2)
        + 2 * SLEEVE * LENGTH**2 * g.sin(s[0]) ** 2 * s_dot[0] ** 2
        + 2 * LOAD * g.cos(s[0])
    ),
    chart=chart,
    inverse=inverse,
    text="the angle of the arms",
)


def swinging(alpha, swing, rate=OMEGA):
    """The second rate of α (rad/s²), from the Lagrangian of the docstring."""
    s, c = np.sin(alpha), np.cos(alpha)
    inertia = SECOND + 2 * SLEEVE * LENGTH**2 * s**2
    return s * (SECOND * rate**2 * c - LOAD - 2 * SLEEVE * LENGTH**2 * c * swing**2) / inertia


def by_lagrange(times, alpha=ALPHA):
    """α and its rate, (2, N), from rest at α, integrated by SciPy."""

    def slopes(t, w):
        return [w[1], swinging(*w)]

    span = times[0], times[-1]
    return solve_ivp(slopes, span, [alpha, 0.0], "DOP853", t_eval=times, rtol=1e-13, atol=1e-14).y


def steady(rate):
    """The angle of the arms (rad) at a rate above the least one."""
    return np.arccos(np.minimum(LOAD / (SECOND * rate**2), 1.0))


def frequency(rate=OMEGA):
    """κ (rad/s) of small oscillations about the steady angle."""
    s = np.sin(steady(rate))
    return rate * s * np.sqrt(SECOND / (SECOND + 2 * SLEEVE * LENGTH**2 * s**2))


def steady_claims():
    """Claims about the steady angle at several rates."""
    rests, restoring = [], []
    for rate in RATES:
        turning, alpha = system.with_parameters(rate=float(rate)), steady(rate)
        for off in (0.0, -1e-3, 1e-3):
            lifted = g.accelerate(turning, *state(alpha + off, rate=rate)).acceleration["sleeve_z"]
            found = lifted / (2 * LENGTH * np.sin(alpha + off))  # α_ddot where α_dot = 0
            if off == 0.0:
                rests.append(abs(found) / rate**2)
            else:
                restoring.append(found * np.sign(off) / rate**2)
    sizes, errors = [2e-3, 1e-3], []
    for size in sizes:
        run = g.simulate(system, *state(steady(OMEGA) + size), t_end=1.0, rtol=1e-12, atol=1e-13, progress="none")
        exact = size * np.cos(frequency() * run.t)
        errors.append(float(np.max(np.abs(angle(run)[0] - steady(OMEGA) - exact))) / size)
    return [
        g.Claim(
            "at five rates the arms rest where cos α = (S + Ml)g/(AΩ²)",
            max(rests),
            1e-12,
            "closed form; α_ddot there, in units of Ω²",
        ),
        g.Claim(
            "beside that angle they are driven back to it",
            max(restoring),
            0.0,
            "at 1e-3 rad to either side, the part of α_ddot away from it is negative",
        ),
        g.Claim(
            "small oscillations have κ² = AΩ² sin²α/(A + 2Ml² sin²α)",
            abs(g.analysis.convergence_order(sizes, errors) - 1.0),
            0.05,
            f"relative errors {errors[0]:.1e} and {errors[1]:.1e} from 2 and 1 mrad, in proportion to the amplitude",
        ),
    ]


def claims(run):
    alpha, swing = angle(run)
    exact = by_lagrange(run.t)
    kept = len(run) * start.rtol
    return [
        g.Claim("α follows Lagrange's equation", g.relative(alpha, exact[0]), kept, "N steps that err by rtol each"),
        g.Claim("and so does its rate", g.relative(swing, exact[1]), 10 * kept, "the same, and κ is 5.5 s⁻¹"),
        *steady_claims(),
    ]
