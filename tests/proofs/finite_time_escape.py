"""The other claims of scenarios/finite_time_escape.py.

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

import numpy as np
from scipy.integrate import quad
from scipy.special import ellipj, ellipk

import gauss as g
from scenarios.finite_time_escape import past, printed

PARAMETER = (np.sqrt(2) - 1) / (2 * np.sqrt(2))  # m of Jacobi's functions


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
    return [
        g.Claim("ṙ = 1 + r²", float(np.max(np.abs(v / (1 + r**2) - 1))), 1e-9, "energy, relative"),
        g.Claim(
            "t* for the speeds 0.1, 0.5, 2 and 10 m/s",
            max(escape_error(speed, escape_time(speed)) for speed in (0.1, 0.5, 2.0, 10.0)),
            1e-9,
            "quadrature of dr/√(v₀² + 2r² + r⁴) to 1e-12, relative",
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
