"""Mathematical pendulum: its period, its separatrix and the tension of its rod.

A point of mass 1 kg hangs on a massless rod of length 1 m in a field of 1 m/s², so that g/l = 1 s⁻². The position
(x, y) in m, y upwards, obeys x² + y² = 1. With the angle q from the lowest point (rad) and p = q̇ (rad/s) the motion is
q̈ = −sin q. The rod's tension is p² + cos q (N), and λ is minus half of it. Released at rest from q₀ it follows
Jacobi's elliptic functions of modulus k = sin(q₀/2): sin(q/2) = k sn(t + K), p = 2k cn(t + K), with the period 4K(k).
The separatrix is p = ±2 cos(q/2); the list that ends TM §2.4.2 prints p = ±|cos ½q|, without the factor 2.
"""

import numpy as np
from scipy.special import ellipj, ellipk

import gauss as g
from gauss import bodies as mb

COVERS = ("T3",)
SOURCE = "TM §2.4.2"

AMPLITUDE = 2.0  # rad
MODULUS = np.sin(AMPLITUDE / 2)  # k of the elliptic functions; SciPy takes k²

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


def swing(t):
    """The closed form (x, y, p) of the release at rest from the amplitude."""
    sn, cn, dn, _ = ellipj(t + ellipk(MODULUS**2), MODULUS**2)
    return 2 * MODULUS * sn * dn, 2 * (MODULUS * sn) ** 2 - 1, 2 * MODULUS * cn


@g.needs(start.t_end)
def claims(run):
    x, y, p = swing(run.t)
    p_run = run["x"] * run["d_y"] - run["y"] * run["d_x"]
    off = max(g.relative(run["x"], x), g.relative(run["y"], y), g.relative(p_run, p))
    period = 4 * ellipk(MODULUS**2)
    turns = [event.t for event in run.events if event.name == turning.name]
    wrong = g.relative(turns, [period / 2, period]) if len(turns) == 2 else np.inf
    return [
        g.Claim("x, y and p follow the elliptic functions", off, 1e-9, "closed form"),
        g.Claim("the pendulum turns after half a period and after a period 4K", wrong, 1e-9, "closed form; two turns"),
        g.Claim("λ of the rod is −(p² + cos q)/2", g.relative(run["rod"], -(p**2 - y) / 2), 1e-9, "closed form"),
    ]


def figure(run, figure):
    left, right = figure.subplots(1, 2)
    some = run.t[::100]
    x, y, p = swing(some)
    left.plot(np.arctan2(run["x"], -run["y"]), run["x"] * run["d_y"] - run["y"] * run["d_x"], label="Gauss")
    left.plot(np.arctan2(x, -y), p, ".", label="elliptic functions")
    left.set(xlabel="q / rad", ylabel="p / rad s⁻¹", title="phase plane")
    right.plot(run.t, -2 * run["rod"], label="Gauss, −2λ")
    right.plot(some, p**2 - y, ".", label="p² + cos q")
    right.set(xlabel="t / s", ylabel="tension / N", title=f"rod, released from {AMPLITUDE:g} rad")
    for axes in (left, right):
        axes.legend()


if __name__ == "__main__":
    g.main(__file__)
