"""One force, many motions: r̈ = r^{1/2} from rest at r = 0.

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
from gauss.motion.several.leaving import motions
from gauss.uniqueness.lipschitz import OPEN, TWO, lipschitz

COVERS = ("T2",)
SOURCE = "TM §2.4.1, Ex. 2.1"

RESTS = (0.0, 1.0, 2.0, 3.0, 4.0)  # s, values of T

system = g.System(
    "particle in the potential −(2/3) r^(3/2)",
    coordinates="r",
    kinetic_energy=lambda v: 0.5 * v.r**2,
    potential_energy=lambda q: -2.0 / 3.0 * q.r**1.5,
)
start = g.Start(q=[0.0])
END = 6.0  # s

attracted = g.System(
    "particle attracted by |r|^(1/2)",
    coordinates="r",
    kinetic_energy=lambda v: 0.5 * v.r**2,
    force=lambda q: [-g.sign(q.r) * g.sqrt(g.fabs(q.r))],
)


def quartic(t, rest):
    """The closed form (r, ṙ) of the motion that rests until T."""
    tau = np.maximum(t - rest, 0.0)
    return tau**4 / 144, tau**3 / 36


def family_error(leaving, t_end):
    """Worst relative error of r and ṙ over all T at 200 times after each."""
    worst = 0.0
    for rest in RESTS:
        t = np.linspace(rest, t_end, 201)[1:]
        q, v = leaving.at(t, stays=rest)
        r, speed = quartic(t, rest)
        worst = max(worst, float(np.max(np.abs(q[:, 0] / r - 1))), float(np.max(np.abs(v[:, 0] / speed - 1))))
    return worst


def refused():
    """Whether a run from rest is refused, as it would have to choose one of the motions."""
    try:
        g.simulate(system, [0.0], t_end=END, progress="none")
    except g.SingularPositionError:
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
        g.Claim("the acceleration at rest is unique: 0", float(abs(step.a[0])), 0.0, "exactly"),
        g.Claim("to stay at rest is a motion", float(np.max(np.abs(found.stays["r"]))), 0.0, "exactly"),
        g.Claim("a run from rest is refused with the verdict", float(not refused()), 0.0, "yes or no"),
        g.Claim(
            "the force is named: sqrt(r), force of coordinate 'r'",
            float(named != [("force of coordinate 'r'", "sqrt", "r")]),
            0.0,
            "yes or no",
        ),
        g.Claim(
            "the acceleration changes like r^p with p = 1/2",
            abs(judged.exponent - 0.5),
            judged.band + 1e-12,
            "95 % band of the fit, and rounding",
        ),
        g.Claim("by itself this gives 'not guaranteed'", float(judged.verdict != OPEN), 0.0, "yes or no"),
        g.Claim(
            "at r = 0.25 the motion is unique, proved by the expressions", float(not elsewhere.proved), 0.0, "yes or no"
        ),
        g.Claim(
            "one motion leaves: the motion is not unique",
            float(found.verdict != TWO or len(found.leaves) != 1),
            0.0,
            "yes or no",
        ),
        g.Claim(
            "it is (t − T)⁴/144, resting for T = 0, 1, 2, 3, 4 s first",
            family_error(leaving, END) if leaving else np.inf,
            1e-10,
            "closed form, r and ṙ at 200 times for each T, relative; the integrator keeps 1e-12 per step",
        ),
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


def figure(step, figure):
    left, right = figure.subplots(1, 2, width_ratios=(1.5, 1.0))
    (leaving,) = motions(system, [0.0], t_end=END).leaves
    t = np.linspace(0.0, END, 301)
    left.plot(t, 0.0 * t, color="k", lw=2.5, label="rests for ever")
    for k, rest in enumerate(RESTS):
        q, _ = leaving.at(t, stays=rest)
        (line,) = left.plot(t, q[:, 0], color=f"C{k}", label=f"rests until T = {rest:g} s")
        some = t[(t > rest) & (np.arange(t.size) % 15 == 0)]
        left.plot(some, quartic(some, rest)[0], ".", color=line.get_color())
    left.plot([], [], "k.", label="(t − T)⁴/144")
    left.set(xlabel="t / s", ylabel="r / m", title="motions from rest at r = 0", ylim=(-0.4, 9.2))
    left.legend(loc="upper left")
    r = 10.0 ** np.linspace(-12, 0, 25)
    quotient = [g.accelerate(system, [x]).a[0] / x for x in r]
    right.loglog(r, quotient, "o", ms=4, label="(r̈(r) − r̈(0))/r")
    right.loglog(r, r**-0.5, color="k", lw=0.8, label="r^(−1/2)")
    right.set(xlabel="r / m", ylabel="difference quotient / s⁻²", title="not Lipschitz at r = 0")
    right.legend()


if __name__ == "__main__":
    g.main(__file__)
