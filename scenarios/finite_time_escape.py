"""Escape to infinity in finite time, and the sign of its potential.

A particle of mass 1 kg moves along a line (r in m, t in s) from r(0) = 0 with ṙ(0) = 1 m/s. In the potential
V = −(r² + r⁴/2) (J) its energy ½ṙ² − r² − r⁴/2 = ½ gives ṙ² = (1 + r²)², so

    r = tan t,

which reaches infinity at t* = π/2 s. From another speed v₀ it takes t* = ∫₀^∞ dr/√(v₀² + 2r² + r⁴).

TM Ex. 2.2 prints V = r² + r⁴/2 and asks to show that the motion escapes. With that sign it does not: the energy
½ṙ² + r² + r⁴/2 = ½ bounds it by r² ≤ √2 − 1, and with Jacobi's function of parameter m = (√2 − 1)/(2√2)

    r = 2^{−3/4} sd(2^{3/4} t | m),

a vibration of period 4K(m)/2^{3/4}. The exercise means V = −(r² + r⁴/2), in keeping with V = −(2/3) r^{3/2} in §2.4.1.
Close to t* the steps of the integrator shrink to nothing; from the growth of the speed it tells the escape and t*.
"""

import warnings

import numpy as np
from scipy.integrate import quad
from scipy.special import ellipj, ellipk

import gauss as g

COVERS = ("T4",)
SOURCE = "TM Ex. 2.2"

PARAMETER = (np.sqrt(2) - 1) / (2 * np.sqrt(2))  # m of Jacobi's functions
ESCAPE = np.pi / 2  # s

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
        warnings.simplefilter("ignore", g.MotionWarning)
        return g.simulate(system, [0.0], [speed], t_end=t_end, progress="none")


def escape_error(speed, expected):
    """Relative error of the time of the escape; infinite unless the run ends as an escape."""
    ending = past(speed, 2 * expected).ending
    return abs(ending.limit / expected - 1) if ending.kind == "escape" else np.inf


def escape_time(speed):
    """t* by quadrature."""
    return quad(lambda r: 1 / np.sqrt(speed**2 + 2 * r**2 + r**4), 0, np.inf, epsabs=0, epsrel=1e-12)[0]


def vibration(t):
    """The closed form (r, ṙ) for the printed sign."""
    sn, cn, dn, _ = ellipj(2**0.75 * t, PARAMETER)
    return 2**-0.75 * sn / dn, cn / dn**2


def claims(run):
    r, v = run["r"], run["d_r"]
    bounded = g.simulate(printed, [0.0], [1.0], t_end=50.0, progress="none")
    highest = np.sqrt(np.sqrt(2) - 1)
    period = 4 * ellipk(PARAMETER) / 2**0.75
    turning = g.Event("turning point", lambda v: v.r)
    turns = [e.t for e in g.simulate(printed, [0.0], [1.0], t_end=period, events=[turning], progress="none").events]
    early = float(np.max(np.abs(np.arctan(r) - run.t)))
    return [
        g.Claim("r = tan t", early, 1e-9, "closed form; s, as an error of the time, t = arctan r"),
        g.Claim("ṙ = 1 + r²", float(np.max(np.abs(v / (1 + r**2) - 1))), 1e-9, "energy, relative"),
        g.Claim(
            "past π/2 the run ends as an escape, with t* = π/2",
            escape_error(1.0, ESCAPE),
            1e-9,
            "relative; rtol 1e-10 per step",
        ),
        g.Claim(
            "t* for the speeds 0.1, 0.5, 2 and 10 m/s",
            max(escape_error(speed, escape_time(speed)) for speed in (0.1, 0.5, 2.0, 10.0)),
            1e-9,
            "quadrature of dr/√(v₀² + 2r² + r⁴) to 1e-12, relative",
        ),
        g.Claim(
            "with the printed sign the run reaches t = 50 s: no escape, a misprint",
            float(bounded.ending.kind != "finished"),
            0.0,
            "yes or no",
        ),
        g.Claim(
            "with the printed sign r² stays below √2 − 1",
            max(0.0, float(np.max(np.abs(bounded["r"]))) / highest - 1),
            1e-9,
            "energy; N steps that err by 1e-10 each, less on average",
        ),
        g.Claim(
            "with the printed sign r = 2^(−3/4) sd(2^(3/4) t | m)",
            max(g.relative(bounded["r"], vibration(bounded.t)[0]), g.relative(bounded["d_r"], vibration(bounded.t)[1])),
            1e-8,
            "closed form over 19 periods; errors of the phase grow with time",
        ),
        g.Claim(
            "its turning points are a quarter and three quarters of the period 4K(m)/2^(3/4)",
            g.relative(turns, [period / 4, 3 * period / 4]) if len(turns) == 2 else np.inf,
            1e-9,
            "complete elliptic integral",
        ),
    ]


def figure(run, figure):
    left, middle, right = figure.subplots(1, 3, width_ratios=(1.25, 1.0, 1.0))
    beyond = past(1.0, 3.0)
    t = np.linspace(0.0, 1.5, 301)
    dense = run.at(t)
    bounded = g.simulate(printed, [0.0], [1.0], t_end=6.0, progress="none").at(np.linspace(0, 6, 301))
    left.plot(t, dense["r"], lw=2, label="V = −(r² + r⁴/2): escapes")
    left.plot(t[::12], np.tan(t[::12]), "k.", label="tan t")
    left.axvline(beyond.ending.limit, color="C3", ls="--", lw=1, label=f"t* = {beyond.ending.limit:.9f} s")
    left.plot(bounded.t, bounded["r"], color="C2", label="V = r² + r⁴/2, as printed")
    left.plot(bounded.t[::15], vibration(bounded.t[::15])[0], ".", color="0.4", label="Jacobi's sd")
    left.set(xlabel="t / s", ylabel="r / m", xlim=(-0.3, 6.3), ylim=(-2, 14), title="from r = 0 with 1 m/s")
    left.legend(loc="upper right", fontsize="small")
    inner = dense["r"] < 2.2
    middle.plot(dense["r"][inner], dense["d_r"][inner], lw=2)
    r = np.linspace(0, 2.2, 12)
    middle.plot(r, 1 + r**2, "k.", label="1 + r²")
    middle.plot(bounded["r"], bounded["d_r"], color="C2")
    middle.plot([0], [1], "o", color="C3", label="start")
    middle.set(xlabel="r / m", ylabel="ṙ / m s⁻¹", title="open and closed orbit")
    middle.legend(loc="upper left")
    left_over = beyond.ending.limit - beyond.t
    clear = left_over > 1e-9
    right.loglog(left_over[clear], beyond["d_r"][clear], "o", ms=3, label="ṙ")
    right.loglog(left_over[clear], beyond["r"][clear], "o", ms=3, color="C1", label="r")
    share = np.array([1e-9, 1e-1])
    right.loglog(share, share**-2.0, "k", lw=0.8, label="(t* − t)⁻², (t* − t)⁻¹")
    right.loglog(share, share**-1.0, "k", lw=0.8)
    right.invert_xaxis()
    right.set(xlabel="t* − t / s", ylabel="ṙ / m s⁻¹, r / m", ylim=(0.03, 1e19), title="power laws at the escape")
    right.legend(loc="upper left")


if __name__ == "__main__":
    g.main(__file__)
