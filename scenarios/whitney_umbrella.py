"""Whitney's umbrella: locked onto its handle, branching where two sheets cross, undecided at the pinch point.

A particle of mass 1 kg (coordinates x, y, z in m) is bound to x² = y² z under the force F = (X, Y, Z) in N,
parameters of the model. The row (2x, −2yz, −y²) vanishes on the whole z axis:

* z > 0: two sheets x = ±y√z cross there. Every motion has ẍ² − z ÿ² = 0, so the Zwang is stationary at the feet of F on
  both planes: *branching*. Moving across the axis in one of the sheets, order 3 picks that sheet: *crossing*.
* z < 0: the handle, nothing else. Every motion has ẍ² + |z| ÿ² = 0: *locked* onto the axis, a = (0, 0, Z), unique,
  though no multiplier balances X and Y.
* z = 0: the pinch point. Order 4 leaves ẍ² = 0, but the rank changes nearby: *higher order*.
"""

import numpy as np

import gauss as g

SOURCE = "the surface x² = y² z of H. Whitney, Ann. Math. 45 (1944) 247"

FORCE = np.array([2.0, 1.0, -1.5])  # N

system = g.System(
    "particle on Whitney's umbrella",
    coordinates="x y z",
    kinetic_energy=lambda v: 0.5 * (v.x**2 + v.y**2 + v.z**2),
    force=lambda p: {"x": p.X, "y": p.Y, "z": p.Z},
    constraints=[g.Holonomic("umbrella", lambda q: q.x**2 - q.y**2 * q.z)],
    parameters=dict(zip("XYZ", FORCE.tolist(), strict=True)),
)
start = g.Start(q=[0.0, 0.0, 1.0])


def claims(step):
    pinch = g.classify(system, [0.0, 0.0, 0.0], length=1.0)
    kinds = [c.kind for c in step.candidates if c.kind != "vertex"]
    printed = step.verdicts == ("branching",) and step.conditions == ("order 4: x''² − y''² = 0",)
    return [
        g.Claim("at z = 1 m the verdict is branching, with ẍ² − ÿ² = 0", not printed, 0.0, "yes or no, as printed"),
        g.Claim(
            "one sheet has the global minimum, the other a local one", kinds != ["global minimum", "local minimum"]
        ),
        g.Claim("at the pinch point: higher order", "higher order" not in pinch.verdicts),
    ]


def figure(step, figure):
    for axes, z in zip(figure.subplots(1, 2), (1.0, -1.0), strict=True):
        found = g.classify(system, [0.0, 0.0, z])
        axes.plot(*FORCE[:2], "ko")
        for c in found.candidates:
            axes.plot([FORCE[0], c.a[0]], [FORCE[1], c.a[1]], "k--", lw=1)
            axes.plot(*c.a[:2], "o", ms=7, label=f"{c.kind}, Zwang {c.zwang:.3g}")
        axes.set(aspect="equal", xlabel="ẍ / m/s²", ylabel="ÿ / m/s²", title=f"z = {z:g} m: {found.verdicts[0]}")
        axes.legend()


if __name__ == "__main__":
    g.main(__file__)
