"""The other claims of scenarios/non_unique_motion.py.

A particle of mass 1 kg moves along a line, r ≥ 0 (m), in the potential V = −(2/3) r^{3/2} (J; the unit of its factor is
m^{1/2}/s² times kg), so that r̈ = r^{1/2}. At every state the acceleration is unique. The motion from r(0) = 0, ṙ(0) = 0
is not: besides r = 0 there is r = t⁴/144, and the particle may rest for any time T ≥ 0 first,

    r(t) = 0 for t ≤ T,   r(t) = (t − T)⁴/144 for t ≥ T.

The reason is that the force is not Lipschitz continuous at r = 0: r^{1/2}/r grows without bound. That alone does not
suffice: r̈ = −sgn(r)|r|^{1/2} has the same exponent and only one motion from rest. `gauss.simulate` refuses to choose
one of the motions; those that leave are found by their power law and confirmed.
"""

import numpy as np

import gauss as g
from gauss.motion import motions
from gauss.uniqueness import lipschitz
from gauss.uniqueness.lipschitz import OPEN
from scenarios.non_unique_motion import END, quartic, system

attracted = g.System(
    "particle attracted by |r|^(1/2)",
    coordinates="r",
    kinetic_energy=lambda v: 0.5 * v.r**2,
    force=lambda q: [-g.sign(q.r) * g.sqrt(g.fabs(q.r))],
)


def refused():
    """Whether a run from rest is refused, as it would have to choose one of the motions."""
    try:
        g.simulate(system, [0.0], t_end=END, progress="none")
    except g.errors.SingularPositionError:
        return True
    return False


def claims(step):
    judged = lipschitz(system, [0.0])
    named = [(item.where, item.operation, item.argument) for item in judged.irregular]
    found = motions(system, [0.0], t_end=END)
    elsewhere = lipschitz(system, [0.25])
    leaving = found.leaves[0] if found.leaves else None
    energy = 0.5 * leaving.run["d_r"] ** 2 - 2 / 3 * leaving.run["r"] ** 1.5 if leaving else np.array([np.inf])
    other = motions(attracted, [0.0], t_end=END)
    return [
        g.Claim("to stay at rest is a motion", float(np.max(np.abs(found.stays["r"]))), 0.0, "exactly"),
        g.Claim("a run from rest is refused with the verdict", float(not refused())),
        g.Claim(
            "the force is named: sqrt(r), force of coordinate 'r'",
            float(named != [("force of coordinate 'r'", "sqrt", "r")]),
        ),
        g.Claim(
            "the acceleration changes like r^p with p = 1/2",
            abs(judged.exponent - 0.5),
            judged.band + 1e-12,
            "95 % band of the fit, and rounding",
        ),
        g.Claim("by itself this gives 'not guaranteed'", float(judged.verdict != OPEN)),
        g.Claim("at r = 0.25 the motion is unique, proved by the expressions", float(not elsewhere.proved)),
        g.Claim(
            "its energy is that of rest, 0",
            float(np.max(np.abs(energy))) / (0.5 * quartic(END, 0.0)[1] ** 2),
            1e-10,
            "relative to the kinetic energy at the end",
        ),
        g.Claim(
            "r = r₀ + ∫v dt and v = ∫r^(1/2) dt from r₀ = 0 on",
            leaving.residual if leaving else np.inf,
            1e-10,
            "Gauss-Legendre quadrature with the acceleration certified anew at 204 states",
        ),
        g.Claim(
            "r̈ = −sgn(r)|r|^(1/2) has the same exponent and no second motion is claimed",
            float(other.verdict != OPEN or bool(other.leaves)) + abs(other.smoothness.exponent - 0.5),
            other.smoothness.band + 1e-12,
            "yes or no; its energy ½ṙ² + (2/3)|r|^(3/2) = 0 allows rest only",
        ),
    ]
