"""Mathematical pendulum: its period, its separatrix and the tension of its rod.

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
from scipy.special import ellipj, ellipk

import gauss as g
from gauss import bodies as mb

COVERS = ("T3",)
SOURCE = "TM §2.4.2"

AMPLITUDE = 2.0  # rad
MODULUS = np.sin(AMPLITUDE / 2)  # k of the elliptic functions; SciPy takes k²
APPROACH = 10.0  # s, how long the separatrix is followed

system = g.System(
    "mathematical pendulum",
    coordinates="x y",
    kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2),
    potential_energy=lambda q: q.y,
    constraints=[g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - 1.0)],
)
turning = g.Event("turning point", lambda q, v: q.x * v.y - q.y * v.x)
start = g.Start(q=[np.sin(AMPLITUDE), -np.cos(AMPLITUDE)], t_end=10.0, step=0.005, events=(turning,))
drawing = mb.Drawing(lines=[lambda q: [(0, 0), (q["x"], q["y"])]], traces=[lambda q: (q["x"], q["y"])])

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


def swing(t):
    """The closed form (x, y, p) of the release at rest from the amplitude."""
    sn, cn, dn, _ = ellipj(t + ellipk(MODULUS**2), MODULUS**2)
    return 2 * MODULUS * sn * dn, 2 * (MODULUS * sn) ** 2 - 1, 2 * MODULUS * cn


@g.needs(start.t_end)
def claims(run):
    x, y, p = swing(run.t)
    period = 4 * ellipk(MODULUS**2)
    turns = [event.t for event in run.events if event.name == turning.name]
    q_run, p_run = angle(run)
    steps = [0.04, 0.02, 0.01]
    coarse = [launch(AMPLITUDE, 0.0, 5.0, method="rk4", step=h) for h in steps]
    errors = [float(np.max(np.hypot(r["x"] - swing(r.t)[0], r["y"] - swing(r.t)[1]))) for r in coarse]
    edge = launch(0.0, 2.0, APPROACH)
    q_edge, p_edge = angle(edge)
    exact = 4 * np.arctan(np.exp(edge.t)) - np.pi
    return [
        g.Claim(
            "x, y and p follow the elliptic functions",
            max(g.relative(run["x"], x), g.relative(run["y"], y), g.relative(p_run, p)),
            1e-9,
            "closed form",
        ),
        g.Claim(
            "the pendulum turns after half a period and after a period 4K",
            g.relative(turns, [period / 2, period]) if len(turns) == 2 else np.inf,
            1e-9,
            "complete elliptic integral K(sin(q₀/2)); exactly two turning points in 10 s",
        ),
        g.Claim(
            "p² − 2 cos q is conserved",
            float(np.max(np.abs(p_run**2 - 2 * np.cos(q_run) + 2 * np.cos(AMPLITUDE)))),
            len(run) * run.about.rtol * float(np.max(2 * p**2 + 2 * np.abs(y))),
            "N steps that err by rtol each, times the largest 2p² + 2|y|",
        ),
        g.Claim(
            "λ of the rod is −(p² + cos q)/2",
            g.relative(run["rod"], -(p**2 - y) / 2),
            1e-9,
            "closed form: tension p² + cos q, and a row of length 2",
        ),
        g.Claim(
            "RK4 has order 4",
            abs(g.convergence_order(steps, errors) - 4.0),
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


def figure(run, figure):
    left, right = figure.subplots(1, 2)
    for q0 in (0.5, 1.1, 1.7, 2.3, 2.8):
        q, p = angle(launch(q0, 0.0, 4 * ellipk(np.sin(q0 / 2) ** 2), max_step=0.05))
        left.plot(q, p, color="C0", lw=1)
    for top in (0.7, 1.3):  # p at the top
        period = 2 * ellipk(4 / (top**2 + 4)) * 2 / np.sqrt(top**2 + 4)
        for sign in (1, -1):
            q, p = angle(launch(0.0, sign * np.sqrt(top**2 + 4), period / 2, max_step=0.05))
            left.plot(np.concatenate([-q[::-1], q]), np.concatenate([p[::-1], p]), color="C2", lw=1)
    for sign in (1, -1):
        q, p = angle(launch(0.0, 2.0 * sign, APPROACH, max_step=0.05))
        left.plot(np.concatenate([-q[::-1], q]), np.concatenate([p[::-1], p]), color="C3", lw=2)
    q = np.linspace(-np.pi, np.pi, 25)
    left.plot(np.concatenate([q, q]), np.concatenate([2 * np.cos(q / 2), -2 * np.cos(q / 2)]), "k.", ms=4)
    for text, color in (("oscillation", "C0"), ("rotation", "C2"), ("separatrix", "C3")):
        left.plot([], [], color=color, label=text)
    left.plot([], [], "k.", label="±2 cos(q/2)")
    left.set(xlabel="q / rad", ylabel="p / rad s⁻¹", title="phase portrait", ylim=(-2.9, 4.3))
    left.set_xticks([-np.pi, -np.pi / 2, 0, np.pi / 2, np.pi], ["−π", "−π/2", "0", "π/2", "π"])
    left.legend(ncols=2, loc="upper center")
    t = np.linspace(run.t[0], run.t[-1], 400)
    right.plot(t, -2 * run.at(t)["rod"], label="Gauss, −2λ")
    _, y, p = swing(t[::10])
    right.plot(t[::10], p**2 - y, ".", label="p² + cos q")
    right.axhline(0.0, color="0.7", lw=0.8)
    right.set(xlabel="t / s", ylabel="tension / N", title=f"rod, released from {AMPLITUDE:g} rad", ylim=(-0.8, 5.0))
    right.legend(ncols=2, loc="upper center")


if __name__ == "__main__":
    g.main(__file__)
