"""Pendulum whose rod is given twice, the second time in millimetres: redundant, and the same pendulum.

A particle of mass m = 0.4 kg (coordinates x, y in m from the pivot, gravity g = 9.81 m/s² along −y) hangs on a rod of
l = 0.8 m. The rod is given as x² + y² − l² = 0 in m², and again in mm², a million times as large. The rank of the two
rows is 1 at every position, so no acceleration is lost and none is gained; the verdict is *redundant*, not singular:

* the acceleration is unique, and the motion is the pendulum's: released at rest at θ₀ = 2 rad from the lowest point,

      sin(θ/2) = sin(θ₀/2) cd(√(g/l) t, k),   k = sin²(θ₀/2),   period 4 √(l/g) K(k),

  with Jacobi's cd = cn/dn and the complete elliptic integral K of the parameter k; * each multiplier may be any
  number, λ₂ = −10⁻⁶ λ₁ + …; their total force, the tension S = m(v²/l − g y/l), is unique.
"""

import numpy as np
from scipy.special import ellipj, ellipk

import gauss as g

SOURCE = "textbook problem; duplicated rows as a test of invariance"

M, G, L = 0.4, 9.81, 0.8  # kg, m/s², m
THETA = 2.0  # rad from the lowest point, at rest
MM = 1e6  # mm² in a m²
K = np.sin(THETA / 2) ** 2
OMEGA = np.sqrt(G / L)
PERIOD = 4 / OMEGA * ellipk(K)

system = g.System(
    "pendulum with its rod given twice",
    coordinates="x y",
    kinetic_energy=lambda v: 0.5 * M * (v.x**2 + v.y**2),
    potential_energy=lambda q: M * G * q.y,
    constraints=[
        g.Holonomic("rod", lambda q: q.x**2 + q.y**2 - L**2),
        g.Holonomic("rod in mm", lambda q: MM * (q.x**2 + q.y**2 - L**2)),
    ],
)
start = g.Start(q=[L * np.sin(THETA), -L * np.cos(THETA)], t_end=3 * PERIOD, rtol=1e-12)

minimal = g.Minimal(
    lagrangian=lambda s, s_dot, t: 0.5 * M * L**2 * s_dot[0] ** 2 + M * G * L * g.cos(s[0]),
    chart=lambda s, t: [L * g.sin(s[0]), -L * g.cos(s[0])],
    inverse=lambda q, v, t: ([g.atan2(q[0], -q[1])], [(q[0] * v[1] - q[1] * v[0]) / L**2]),
    text="the angle theta",
)


def exact(t):
    """Position (2, N) by Jacobi's functions."""
    _, cn, dn, _ = ellipj(OMEGA * np.asarray(t), K)
    half = np.sin(THETA / 2) * cn / dn  # sin(θ/2)
    return L * np.array([2 * half * np.sqrt(1 - half**2), 2 * half**2 - 1])


def tension(run):
    """S from the speed (N), positive when the rod pulls."""
    return M * (np.sum(run.v**2, axis=1) - G * run["y"]) / L


def total(run):
    """The force along the rod that both multipliers make up (N)."""
    return -2 * L * (run["rod"] + MM * run["rod in mm"])


def claims(run):
    step = g.accelerate(system, start.q)
    found = step.reactions
    single = g.System(
        "pendulum",
        coordinates="x y",
        kinetic_energy=lambda v: 0.5 * M * (v.x**2 + v.y**2),
        potential_energy=lambda q: M * G * q.y,
        constraints=system.constraints[0],
    )
    states = list(zip(run.q, run.v, strict=True))[:: max(1, len(run) // 20)]
    verdicts = {g.classify(system, q, v).verdict for q, v in states}
    apart = max(g.relative(g.accelerate(system, q, v).a, g.accelerate(single, q, v).a) for q, v in states)
    truncation = "Jacobi's functions; errors of the steps, 1e-12 each, add up over three periods"
    return [
        g.Claim(
            "the verdict is redundant all along the motion, and names both rows",
            float(verdicts != {"redundant"} or step.dependent != (("rod", "rod in mm"),)),
            0.0,
            "yes or no, at 20 states",
        ),
        g.Claim("the motion is the pendulum's", g.relative(run.q.T, exact(run.t)), 1e-9, truncation),
        g.Claim(
            "the acceleration is that of the rod given once",
            apart,
            1e-12,
            "rounding, at 20 states",
        ),
        g.Claim(
            "no multiplier is determined: both range from −∞ to ∞",
            float(np.any(np.isfinite(found.low)) or np.any(np.isfinite(found.high)) or np.any(found.determined)),
            0.0,
            "yes or no",
        ),
        g.Claim(
            "their total is the tension m(v² − g y)/l",
            g.relative(total(run), tension(run)),
            1e-11,
            "rounding, relative to the largest tension",
        ),
    ]


def figure(run, figure):
    left, middle, right = figure.subplots(1, 3, width_ratios=[0.9, 1.1, 1.1])
    circle = np.linspace(0, 2 * np.pi, 200)
    left.plot(L * np.cos(circle), L * np.sin(circle), color="0.85", lw=1)
    for k, q in enumerate(run.at(np.linspace(0, PERIOD / 2, 13)).q):
        shade = 0.25 + 0.75 * k / 12
        left.plot([-0.012, q[0] - 0.012], [0, q[1]], color="C0", lw=1, alpha=shade)
        left.plot([0.012, q[0] + 0.012], [0, q[1]], color="C1", lw=1, alpha=shade)
        left.plot(*q, "o", color="k", ms=6, alpha=shade)
    left.plot([0], [0], "k^", ms=7)
    left.set(aspect="equal", xlabel="x / m", ylabel="y / m", title="half a period, two rods")
    t = np.linspace(0, 3 * PERIOD, 700)
    dense = run.at(t)
    middle.plot(t, np.arctan2(dense["x"], -dense["y"]), label="Gauss")
    x, y = exact(t[::14])
    middle.plot(t[::14], np.arctan2(x, -y), ".", label="Jacobi's functions")
    middle.set(xlabel="t / s", ylabel="θ / rad", title="three periods")
    middle.margins(y=0.2)
    middle.legend(ncols=2, loc="upper center")
    part = t <= PERIOD
    right.plot(t[part], total(dense)[part], color="k", label="total")
    right.plot(t[part], -2 * L * dense["rod"][part], color="C0", label="rod")
    right.plot(t[part], -2 * L * MM * dense["rod in mm"][part], color="C1", ls="--", label="rod in mm")
    right.plot(t[part][::16], tension(dense)[part][::16], "k.", ms=5, label="m(v² − g y)/l")
    right.set(xlabel="t / s", ylabel="force / N", title="only the total is determined")
    right.margins(y=0.25)
    right.legend(ncols=2, loc="upper center", fontsize=8)


if __name__ == "__main__":
    g.main(__file__)
