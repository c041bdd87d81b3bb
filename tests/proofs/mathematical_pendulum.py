"""The other claims of scenarios/mathematical_pendulum.py.

A point of mass 1 kg hangs on a massless rod of length 1 m in a field of 1 m/s², so that g/l = 1 s⁻² and times are in
units of √(l/g). The position (x, y) in m, y upwards, obeys x² + y² = 1. With the angle q from the lowest point (rad)
and p = q̇ (rad/s), x = sin q, y = −cos q, the motion is q̈ = −sin q. Known answers:

* p² − 2 cos q = C is conserved; the rod's tension is p² + cos q (N), and λ is minus half of it;
* released at rest from q₀, with k = sin(q₀/2) and Jacobi's elliptic functions of modulus k,
  sin(q/2) = k sn(t + K), p = 2k cn(t + K), and the period is 4K(k);
* C = 2 is the separatrix p = ±2 cos(q/2); started at q = 0 with p = 2 rad/s, q = 4 arctan(eᵗ) − π, which tends to the
  upper equilibrium and never reaches it.

The list that ends TM §2.4.2 prints the separatrix as p = ±|cos ½q|. The factor 2 is missing there: C = 2 gives
p² = 2 + 2 cos q = 4 cos²(q/2), as the text before that list also says.
"""

import numpy as np

import gauss as g
from scenarios.mathematical_pendulum import AMPLITUDE, start, swing, system

APPROACH = 10.0  # s, how long the separatrix is followed

minimal = g.Minimal(
    lagrangian=lambda s, s_dot, t: 0.5 * s_dot[0] ** 2 + g.cos(s[0]),
    chart=lambda s, t: [g.sin(s[0]), -g.cos(s[0])],
    inverse=lambda q, v, t: ([g.atan2(q[0], -q[1])], [q[0] * v[1] - q[1] * v[0]]),
    text="the angle q from the lowest point",
)


def launch(q, p, t_end, **settings):
    """The motion from the angle q with angular velocity p."""
    return g.simulate(system, [np.sin(q), -np.cos(q)], [p * np.cos(q), p * np.sin(q)], t_end=t_end, **settings)


def angle(run):
    """The angle q, continued over full turns, and p."""
    x, y = run["x"], run["y"]
    return np.unwrap(np.arctan2(x, -y)), x * run["d_y"] - y * run["d_x"]


@g.needs(start.t_end)
def claims(run):
    _x, y, p = swing(run.t)
    q_run, p_run = angle(run)
    steps = [0.04, 0.02, 0.01]
    coarse = [launch(AMPLITUDE, 0.0, 5.0, method="rk4", step=h) for h in steps]
    errors = [float(np.max(np.hypot(r["x"] - swing(r.t)[0], r["y"] - swing(r.t)[1]))) for r in coarse]
    edge = launch(0.0, 2.0, APPROACH)
    q_edge, p_edge = angle(edge)
    exact = 4 * np.arctan(np.exp(edge.t)) - np.pi
    return [
        g.Claim(
            "p² − 2 cos q is conserved",
            float(np.max(np.abs(p_run**2 - 2 * np.cos(q_run) + 2 * np.cos(AMPLITUDE)))),
            len(run) * run.about.rtol * float(np.max(2 * p**2 + 2 * np.abs(y))),
            "N steps that err by rtol each, times the largest 2p² + 2|y|",
        ),
        g.Claim(
            "RK4 has order 4",
            abs(g.analysis.convergence_order(steps, errors) - 4.0),
            0.1,
            "error against the elliptic functions over 5 s, finest pair of three steps",
        ),
        g.Claim(
            "from q = 0, p = 2 the motion stays on the separatrix p² = 4 cos²(q/2)",
            g.relative(p_edge**2, 4 * np.cos(q_edge / 2) ** 2),
            len(edge) * edge.about.rtol,
            "N steps that err by rtol each",
        ),
        g.Claim(
            "it approaches the upper equilibrium as π − q = 4 arctan(e⁻ᵗ)",
            float(np.max(np.abs(q_edge - exact) * np.exp(-edge.t))),
            len(edge) * edge.about.rtol,
            "times e⁻ᵗ, for errors near the upper equilibrium grow like eᵗ; N steps that err by rtol each",
        ),
        g.Claim(
            f"it does not pass q = π within {APPROACH:g} s",
            float(np.max(q_edge - np.pi)),
            0.0,
            f"closed form: {4 * np.arctan(np.exp(-APPROACH)):.1e} rad are left",
        ),
    ]
