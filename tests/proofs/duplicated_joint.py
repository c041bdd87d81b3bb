"""The other claims of scenarios/duplicated_joint.py.

A particle of mass m = 0.4 kg (coordinates x, y in m from the pivot, gravity g = 9.81 m/s² along −y) hangs on a rod of
l = 0.8 m. The rod is given as x² + y² − l² = 0 in m², and again in mm², a million times as large. The rank of the two
rows is 1 at every position, so no acceleration is lost and none is gained; the verdict is *redundant*, not singular:

* the acceleration is unique, and the motion is the pendulum's: released at rest at θ₀ = 2 rad from the lowest point,

      sin(θ/2) = sin(θ₀/2) cd(√(g/l) t, k),   k = sin²(θ₀/2),   period 4 √(l/g) K(k),

  with Jacobi's cd = cn/dn and the complete elliptic integral K of the parameter k; * each multiplier may be any
  number, λ₂ = −10⁻⁶ λ₁ + …; their total force, the tension S = m(v²/l − g y/l), is unique.
"""

import numpy as np
from scipy.special import ellipj

import gauss as g
from scenarios.duplicated_joint import THETA, G, L, M, start, system


def exact(t):
    """Position (2, N) by Jacobi's functions."""
    _, cn, dn, _ = ellipj(np.sqrt(G / L) * np.asarray(t), np.sin(THETA / 2) ** 2)
    half = np.sin(THETA / 2) * cn / dn  # sin(θ/2)
    return L * np.array([2 * half * np.sqrt(1 - half**2), 2 * half**2 - 1])


def claims(run):
    step = g.accelerate(system, start.q)
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
    off = g.relative(run.q.T, exact(run.t))
    return [
        g.Claim("the motion is the pendulum's", off, 1e-9, "Jacobi's functions; errors of the steps, 1e-12 each"),
        g.Claim(
            "the verdict is redundant all along the motion, and names both rows",
            float(verdicts != {"redundant"} or step.dependent != (("rod", "rod in mm"),)),
            0.0,
            "yes or no, at 20 states",
        ),
        g.Claim(
            "the acceleration is that of the rod given once",
            apart,
            1e-12,
            "rounding, at 20 states",
        ),
    ]
