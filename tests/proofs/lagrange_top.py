"""The other claims of scenarios/lagrange_top.py.

A symmetric top with a fixed point, moments of inertia I₁ = 1 and I₃ = 0.6 kg m² about that point, m g r = 2 N m. The
angles are precession alpha about the vertical, inclination beta from it, and rotation gamma about the axis (rad):

    L = ½ I₁ (β̇² + α̇² sin² β) + ½ I₃ (γ̇ + α̇ cos β)² − m g r cos β.

Known answers: p₁ = ∂L/∂α̇, p₃ = ∂L/∂γ̇ and the energy E are conserved. With u = cos β,

    u̇² = f(u) = (a − b u)(1 − u²) − (c − d u)²,   a = (2E − p₃²/I₃)/I₁,  b = 2mgr/I₁,  c = p₁/I₁,  d = p₃/I₁,

so that the axis nods between the two roots u₁ < u₂ of f below 1, with the third root u₃ > 1 as

    u(t) = u₁ + (u₂ − u₁) sn²(½ √(b (u₃ − u₁)) t, k),   k = (u₂ − u₁)/(u₃ − u₁)  (the parameter),

at u₁ at t = 0. The precession α̇ = (c − d u)/(1 − u²) keeps its sign (waves), changes it (loops), or vanishes at the
upper turning point (cusps), as the root of c − d u lies outside, inside, or at the border of [u₁, u₂]. Where u₁ = u₂
the precession is steady, I₁ cos β α̇² − p₃ α̇ + m g r = 0, and a fast top keeps to it.

(TM's E is the energy less that of the spin, p₃²/2I₃, which is constant.) The motion shown nods with loops.
"""

import numpy as np
from scipy.special import ellipj, ellipk

import gauss as g
from scenarios.lagrange_top import I1, I3, PATTERNS, SPIN, TURNS, UPPER, WEIGHT, at_turning_point, system


def cubic(q, v):
    """Coefficients a, b, c, d of f for a state."""
    _, beta, _ = q
    spin = v[2] + v[0] * np.cos(beta)
    nodding = I1 * (v[1] ** 2 + v[0] ** 2 * np.sin(beta) ** 2) / 2 + WEIGHT * np.cos(beta)
    p1 = I1 * v[0] * np.sin(beta) ** 2 + I3 * spin * np.cos(beta)
    return 2 * nodding / I1, 2 * WEIGHT / I1, p1 / I1, I3 * spin / I1


def roots(q, v):
    """The roots u₁ < u₂ ≤ 1 < u₃ of f; one Newton step each on the companion matrix' eigenvalues."""
    a, b, c, d = cubic(q, v)
    f = np.polynomial.Polynomial([a - c**2, 2 * c * d - b, -a - d**2, b])
    found = np.sort(f.roots().real)
    return found - f(found) / f.deriv()(found)


place, velocity = at_turning_point(PATTERNS["loops"])


def inclination(t, q, v):
    """u = cos β at times t of a motion that starts at its upper turning point u₂, in closed form."""
    low, high, third = roots(q, v)
    k, rate = (high - low) / (third - low), np.sqrt(2 * WEIGHT / I1 * (third - low)) / 2
    sn = ellipj(rate * np.asarray(t) + ellipk(k), k)[0]
    return low + (high - low) * sn**2


def motion(rate, t_end=12.0):
    """The motion from the upper turning point, with an event at each turning point."""
    turning = g.Event("turning point", lambda q, v: v.beta)
    q, v = at_turning_point(rate)
    return g.simulate(system, q, v, t_end=t_end, rtol=1e-12, atol=1e-14, events=[turning], progress="none")


def steady_rate(beta):
    """The slow root of I₁ cos β α̇² − p₃ α̇ + mgr = 0."""
    return 2 * WEIGHT / (SPIN + np.sqrt(SPIN**2 - 4 * I1 * WEIGHT * np.cos(beta)))


def turns_back(run):
    """Whether the precession changes its sign between the turning points."""
    rates = run.v[:, 0]
    size = np.max(np.abs(rates))
    return bool(np.min(rates) < -1e-6 * size < 1e-6 * size < np.max(rates))


def claims(run):
    integration = "integration: rtol 1e-12"
    worst = period = 0.0
    kinds = {}
    for name, rate in PATTERNS.items():
        q, v = at_turning_point(rate)
        low, high, third = roots(q, v)
        nods = motion(rate)
        times = [event.t for event in nods.events if event.t > 1e-6]
        u = np.cos(nods.at(times)["beta"])
        worst = max(worst, float(np.max(np.minimum(np.abs(u - low), np.abs(u - high)))))
        worst = max(worst, float(np.max(np.cos(nods["beta"])) - high), float(low - np.min(np.cos(nods["beta"]))))
        exact = 2 * ellipk((high - low) / (third - low)) / np.sqrt(2 * WEIGHT / I1 * (third - low))
        period = max(period, float(np.max(np.abs(np.diff([0.0, *times]) / exact - 1.0))))
        kinds[name] = turns_back(nods)
    steady = steady_rate(UPPER)
    q, v = at_turning_point(steady)
    held = g.simulate(
        system, q, v, t_end=TURNS * 2 * np.pi / steady, rtol=1e-12, atol=1e-14, solver="kkt", progress="none"
    )
    return [
        g.Claim(
            "inclination in Jacobi's functions",
            g.relative(np.cos(run["beta"]), inclination(run.t, place, velocity)),
            1e-9,
            integration,
        ),
        g.Claim("nods between the roots u₁, u₂ of f in all patterns", worst, 1e-9, integration),
        g.Claim("half a nod takes the time of the elliptic integral", period, 1e-8, f"{integration}; events located"),
        g.Claim(
            "steady precession is held for 100 turns (angle)",
            abs(float(held["alpha"][-1]) / (2 * np.pi * TURNS) - 1.0),
            1e-9,
            "the same",
        ),
    ]
