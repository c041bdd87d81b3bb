"""The other claims of scenarios/space_robot.py.

A base of mass M = 40 kg and moment of inertia I = 2.5 kg m² floats in a plane without gravity; a massless arm of
variable length l is hinged at its mass centre and carries a mass m = 10 kg. The model has the position (X, Y) of the
base, its angle theta (rad) and the position (x, y) of the mass, in m. Two motors drive the length l(t) and the joint
angle phi(t) against the base: with α = theta + phi, the constraints are (x − X) cos α + (y − Y) sin α = l(t), the arm,
and (x − X) sin α − (y − Y) cos α = 0, the joint. The Lagrangian is

    L = ½M(X_dot² + Y_dot²) + ½I theta_dot² + ½m(x_dot² + y_dot²).

Known answers: the momenta stay zero. With the reduced mass μ = mM/(m + M) the angular momentum is

    I theta_dot + μl²(theta_dot + phi_dot) = 0,

a row in the rates that cannot be integrated: after a loop in the plane of l and phi the base has turned by
Δtheta = −∮ μl²/(I + μl²) dphi, which is the integral of 2μIl/(I + μl²)² over the area of the loop, whatever the speed.
The arm pushes the mass along itself with μ(l_ddot − l α_dot²), the motor in the joint turns the base with the torque
I theta_ddot. The exercise does not say where on the base the joint is; here it is the mass centre.
"""

import numpy as np
from scipy.integrate import dblquad, solve_ivp

import gauss as g
from scenarios.space_robot import (
    BASE,
    CYCLES,
    INERTIA,
    LENGTH,
    RATE,
    REDUCED,
    STROKE,
    SWING,
    TIP,
    arm,
    at_rest,
    model,
    start,
)


def chart(s, t):
    """The coordinates with the mass centre at (s0, s1) and the base at the angle s2."""
    l, phi, _, _ = arm(t)
    c, s_ = g.cos(s[2] + phi), g.sin(s[2] + phi)
    near, far = -TIP / (TIP + BASE) * l, BASE / (TIP + BASE) * l
    return [s[0] + near * c, s[1] + near * s_, s[2], s[0] + far * c, s[1] + far * s_]


def inverse(q, v, t):
    """Mass centre and angle of the base, and their rates."""
    share = TIP / (TIP + BASE)
    return (
        [q[0] + share * (q[3] - q[0]), q[1] + share * (q[4] - q[1]), q[2]],
        [v[0] + share * (v[3] - v[0]), v[1] + share * (v[4] - v[1]), v[2]],
    )


def _lagrangian(s, s_dot, t):
    l, _, l_dot, phi_dot = arm(t)
    centre = 0.5 * (BASE + TIP) * (s_dot[0] ** 2 + s_dot[1] ** 2)
    return centre + 0.5 * INERTIA * s_dot[2] ** 2 + 0.5 * REDUCED * (l_dot**2 + l**2 * (s_dot[2] + phi_dot) ** 2)


minimal = g.Minimal(lagrangian=_lagrangian, chart=chart, inverse=inverse, text="mass centre, theta")


def by_momentum(times, rate=RATE):
    """theta (N,) from theta_dot = −μl²/(I + μl²) phi_dot, integrated by SciPy."""

    def slope(t, theta):
        l, _, _, phi_dot = arm(t, rate)
        return [-REDUCED * l**2 / (INERTIA + REDUCED * l**2) * phi_dot]

    return solve_ivp(slope, (0.0, times[-1]), [0.0], "DOP853", t_eval=times, rtol=1e-13, atol=1e-14).y[0]


def turn_by_area():
    """Δtheta of one loop, rad: the integral of 2μIl/(I + μl²)² over its area."""
    return dblquad(
        lambda l, phi: 2 * REDUCED * INERTIA * l / (INERTIA + REDUCED * l**2) ** 2,
        -SWING,
        SWING,
        lambda phi: LENGTH - STROKE * np.sqrt(1 - (phi / SWING) ** 2),
        lambda phi: LENGTH + STROKE * np.sqrt(1 - (phi / SWING) ** 2),
        epsabs=1e-12,
        epsrel=1e-12,
    )[0]


def row_of_momentum():
    """The shape (l, phi) and the base, with zero angular momentum as a Pfaffian row."""
    return g.System(
        "zero angular momentum",
        coordinates="theta l phi",
        kinetic_energy=lambda v: 0.5 * (v.theta**2 + v.l**2 + v.phi**2),
        constraints=[
            g.Pfaffian("momentum", lambda q: [INERTIA + REDUCED * q.l**2, 0.0, REDUCED * q.l**2]),
        ],
    )


@g.needs(start.t_end)
def claims(run):
    loop, area = 2 * np.pi / RATE, turn_by_area()
    turned = run.at(loop * np.arange(1, CYCLES + 1))["theta"]
    fast = model("quick robot", 3 * RATE)
    quick = g.simulate(fast, *at_rest(3 * RATE), t_end=loop / 3, rtol=start.rtol, progress="none")
    found = g.analysis.holonomy(row_of_momentum(), [0.0, LENGTH, 0.3])
    l, _, _, phi_dot = arm(run.t)
    l_ddot, alpha_dot = -(RATE**2) * (l - LENGTH), run["d_theta"] + phi_dot
    return [
        g.Claim(
            "theta follows from zero angular momentum",
            g.relative(run["theta"], by_momentum(run.t)),
            1e-9,
            "one equation of first order, integrated by SciPy with rtol 1e-13, atol 1e-14",
        ),
        g.Claim(
            "every loop turns the base by the integral over its area",
            g.relative(turned, area * np.arange(1, CYCLES + 1)),
            1e-9,
            f"double integral: {area:.9f} rad for each of {CYCLES} loops",
        ),
        g.Claim(
            "three times as fast, a loop turns it by the same angle",
            g.relative(quick["theta"][-1], area),
            1e-9,
            "the same integral",
        ),
        g.Claim(
            "zero angular momentum is a nonholonomic row",
            float(found.verdict != "completely nonholonomic"),
            0.0,
            f"Lie algebra of the admissible velocities, growth {found.growth}: {found.verdict}",
        ),
        g.Claim(
            "the force in the arm is μ(l_ddot − l α_dot²)",
            g.relative(run["arm"], REDUCED * (l_ddot - l * alpha_dot**2)),
            1e-9,
            "motion of two masses relative to each other, with the reduced mass",
        ),
        g.Claim(
            "the torque of the joint turns the base: −λl = I theta_ddot",
            g.relative(-run["joint"] * l, INERTIA * run["dd_theta"]),
            1e-11,
            "moments about the mass centre of the base, at the recorded states",
        ),
    ]
