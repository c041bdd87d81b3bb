"""Escape to infinity in finite time, and the sign of its potential.

A particle of mass 1 kg moves along a line (r in m, t in s) from r(0) = 0 with ṙ(0) = 1 m/s. In the potential
V = −(r² + r⁴/2) (J) its energy ½ṙ² − r² − r⁴/2 = ½ gives ṙ² = (1 + r²)², so

    r = tan t,

which reaches infinity at t* = π/2 s. Close to t* the steps of the integrator shrink to nothing; from the growth of the
speed it tells the escape and t*. TM Ex. 2.2 prints V = r² + r⁴/2 and asks to show that the motion escapes. With that
sign it does not: the energy ½ṙ² + r² + r⁴/2 = ½ bounds it by r² ≤ √2 − 1. The exercise means V = −(r² + r⁴/2).
"""

import warnings

import numpy as np

import gauss as g

COVERS = ("T4",)
SOURCE = "TM Ex. 2.2"

system = g.System(
    "particle that escapes",
    coordinates="r",
    kinetic_energy=lambda v: 0.5 * v.r**2,
    potential_energy=lambda q, p: p.sign * (q.r**2 + q.r**4 / 2),
    parameters={"sign": -1.0},
)
printed = system.with_parameters(sign=1.0)
start = g.Start(q=[0.0], v=[1.0], t_end=1.5, step=0.001)


def past(speed, t_end):
    """The run beyond the escape, which ends early with a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", g.errors.MotionWarning)
        return g.simulate(system, [0.0], [speed], t_end=t_end, progress="none")


def claims(run):
    bounded = g.simulate(printed, [0.0], [1.0], t_end=50.0, progress="none").ending.kind != "finished"
    ending, early = past(1.0, np.pi).ending, np.max(np.abs(np.arctan(run["r"]) - run.t))
    missed = abs(ending.limit / (np.pi / 2) - 1) if ending.kind == "escape" else np.inf
    words = "with the printed sign the run reaches t = 50 s: no escape, a misprint"
    return [
        g.Claim("r = tan t", early, 1e-9, "closed form; s, as an error of the time, t = arctan r"),
        g.Claim("past π/2 the run ends as an escape, with t* = π/2", missed, 1e-9, "relative; rtol 1e-10 per step"),
        g.Claim(words, bounded),
    ]


def figure(run, figure):
    axes = figure.subplots()
    t = np.linspace(0.0, 1.5, 301)
    axes.plot(t, run.at(t)["r"], lw=2, label="V = −(r² + r⁴/2): escapes")
    axes.plot(t[::12], np.tan(t[::12]), "k.", label="tan t")
    axes.axvline(past(1.0, 3.0).ending.limit, color="C3", ls="--", label="t*")
    bounded = g.simulate(printed, [0.0], [1.0], t_end=6.0, progress="none")
    axes.plot(bounded.t, bounded["r"], color="C2", label="V = r² + r⁴/2, as printed")
    axes.set(xlabel="t / s", ylabel="r / m", title="from r = 0 with 1 m/s")
    axes.legend(loc="upper right")


if __name__ == "__main__":
    g.main(__file__)
