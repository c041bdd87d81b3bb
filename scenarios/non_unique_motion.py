"""One force, many motions: r̈ = r^{1/2} from rest at r = 0.

A particle of mass 1 kg moves along a line, r ≥ 0 (m), in the potential V = −(2/3) r^{3/2} (J), so that r̈ = r^{1/2}. At
every state the acceleration is unique. The motion from rest at r = 0 is not: the particle may rest for any time T ≥ 0
and leave then, r = (t − T)⁴/144, or never. The reason is that the force is not Lipschitz continuous at r = 0.
`gauss.simulate` refuses to choose one of the motions; those that leave are found by their power law and confirmed.
"""

import numpy as np

import gauss as g
from gauss.motion.several.non_lipschitz import motions
from gauss.uniqueness.lipschitz import TWO

COVERS = ("T2",)
SOURCE = "TM §2.4.1, Ex. 2.1"

RESTS = (0.0, 1.0, 2.0, 3.0, 4.0)  # s, values of T
END = 6.0  # s

system = g.System(
    "particle in the potential −(2/3) r^(3/2)",
    coordinates="r",
    kinetic_energy=lambda v: 0.5 * v.r**2,
    potential_energy=lambda q: -2.0 / 3.0 * q.r**1.5,
)
start = g.Start(q=[0.0])


def quartic(t, rest):
    """The closed form (r, ṙ) of the motion that rests until T."""
    tau = np.maximum(t - rest, 0.0)
    return tau**4 / 144, tau**3 / 36


def family_error(leaving):
    """Worst relative error of r and ṙ over all T at 200 times after each."""
    worst = 0.0
    for rest in RESTS:
        t = np.linspace(rest, END, 201)[1:]
        q, v = leaving.at(t, stays=rest)
        r, speed = quartic(t, rest)
        worst = max(worst, float(np.max(np.abs(q[:, 0] / r - 1))), float(np.max(np.abs(v[:, 0] / speed - 1))))
    return worst


def claims(step):
    found = motions(system, [0.0], t_end=END)
    off = family_error(found.leaves[0]) if len(found.leaves) == 1 else np.inf
    return [
        g.Claim("the acceleration at rest is unique: 0", float(abs(step.a[0])), 0.0, "exactly"),
        g.Claim("one motion leaves: the motion is not unique", found.verdict != TWO or len(found.leaves) != 1),
        g.Claim("it is (t − T)⁴/144, resting for T = 0, 1, 2, 3, 4 s first", off, 1e-10, "relative; rtol 1e-12 a step"),
    ]


def figure(step, figure):
    axes = figure.subplots()
    (leaving,) = motions(system, [0.0], t_end=END).leaves
    t = np.linspace(0.0, END, 301)
    axes.plot(t, 0.0 * t, color="k", lw=2.5, label="rests for ever")
    for rest in RESTS:
        (line,) = axes.plot(t, leaving.at(t, stays=rest)[0][:, 0], label=f"rests until T = {rest:g} s")
        axes.plot(t[::15], quartic(t, rest)[0][::15], ".", color=line.get_color())
    axes.set(xlabel="t / s", ylabel="r / m", title="motions from rest at r = 0, dots: (t − T)⁴/144")
    axes.legend()


if __name__ == "__main__":
    g.main(__file__)
