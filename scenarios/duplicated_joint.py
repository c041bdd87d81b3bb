"""Pendulum whose rod is given twice, the second time in millimetres: redundant, and the same pendulum.

A particle of mass m = 0.4 kg (coordinates x, y in m from the pivot, gravity g = 9.81 m/s² along −y) hangs on a rod of
l = 0.8 m. The rod is given as x² + y² − l² = 0 in m², and again in mm², a million times as large. The rank of the two
rows is 1 at every position; the verdict is *redundant*, not singular. The motion is that of the pendulum with its one
angle theta (rad from the lowest point), released at rest at θ₀ = 2 rad; its period is 4 √(l/g) K(sin²(θ₀/2)) with the
elliptic integral K. Each multiplier may be any number; their total force, the tension m(v² − g y)/l, is unique.
"""

import numpy as np
from scipy.special import ellipk

import gauss as g

SOURCE = "textbook problem; duplicated rows as a test of invariance"

M, G, L = 0.4, 9.81, 0.8  # kg, m/s², m
THETA = 2.0  # rad from the lowest point, at rest
MM = 1e6  # mm² in a m²
PERIOD = 4 * np.sqrt(L / G) * ellipk(np.sin(THETA / 2) ** 2)

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


def total(run):
    """The force along the rod that both multipliers make up (N)."""
    return -2 * L * (run["rod"] + MM * run["rod in mm"])


def claims(run):
    found = g.accelerate(system, start.q).reactions
    known = np.isfinite(found.low) | np.isfinite(found.high) | found.determined
    tension = M * (np.sum(run.v**2, axis=1) - G * run["y"]) / L
    return [
        g.Claim("no multiplier is determined: both range from −∞ to ∞", np.any(known)),
        g.Claim("their total is the tension m(v² − g y)/l", g.relative(total(run), tension), 1e-11, "rounding"),
    ]


def figure(run, figure):
    axes = figure.subplots()
    dense = run.at(np.linspace(0, PERIOD, 300))
    axes.plot(dense.t, total(dense), color="k", label="total")
    axes.plot(dense.t, -2 * L * dense["rod"], label="rod")
    axes.plot(dense.t, -2 * L * MM * dense["rod in mm"], "--", label="rod in mm")
    axes.set(xlabel="t / s", ylabel="force / N", title="only the total is determined")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
