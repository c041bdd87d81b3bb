"""Lagrange's top: nutation between two roots of a cubic, three patterns of precession, and steady precession.

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
from gauss import bodies as mb

COVERS = ("T15",)
SOURCE = "TM chapter 7; V. I. Arnold, Mathematical Methods of Classical Mechanics, chapter 6"

I1, I3, WEIGHT = 1.0, 0.6, 2.0  # kg m², kg m², N m
SPIN = 4.0  # p₃ = I₃(γ̇ + α̇ cos β), kg m²/s
UPPER = 0.6  # rad from the vertical, the upper turning point
PATTERNS = {"waves": 0.35, "cusps": 0.0, "loops": -0.35}  # α̇ at the upper turning point, rad/s
TURNS = 100  # of the steady precession


def energy(q, v, p):
    turning = p.I1 * (v.beta**2 + v.alpha**2 * g.sin(q.beta) ** 2) + p.I3 * (v.gamma + v.alpha * g.cos(q.beta)) ** 2
    return turning / 2


system = g.System(
    "Lagrange's top",
    coordinates="alpha beta gamma",
    kinetic_energy=energy,
    potential_energy=lambda q, p: p.mgr * g.cos(q.beta),
    parameters={"I1": I1, "I3": I3, "mgr": WEIGHT},
)


def at_turning_point(rate, beta=UPPER):
    """State (q, v) at a turning point of the inclination with the precession α̇ = rate."""
    return [0.0, beta, 0.0], [rate, 0.0, SPIN / I3 - rate * np.cos(beta)]


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
start = g.Start(q=place, v=velocity, t_end=12.0, rtol=1e-12, atol=1e-14)


def top(q):
    """Where the top is: turned by R(Z, alpha) R(X, beta) R(Z, gamma); for the picture."""
    whole, apart = (q["alpha"] + q["gamma"]) / 2, (q["alpha"] - q["gamma"]) / 2
    c, s = np.cos(q["beta"] / 2), np.sin(q["beta"] / 2)
    return mb.shapes.at_quaternion(
        (0, 0, 0), (c * np.cos(whole), s * np.cos(apart), s * np.sin(apart), c * np.sin(whole))
    )


drawing = mb.Drawing(  # its size is arbitrary, as only moments are given
    placed=[([mb.shapes.Disc(0.5, (0, 0, 1)), mb.shapes.Segment([(0, 0, 0), (0, 0, 1.3)])], top)],
    traces=[lambda q: top(q).point((0, 0, 1.3))],
    speed=0.5,
)


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
    first = g.first_integrals(system)
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
            "waves keep the sense of precession, loops do not",
            float(kinds["waves"] or not kinds["loops"]),
            0.0,
            "yes or no",
        ),
        g.Claim(
            f"steady precession is held for {TURNS} turns (inclination)",
            float(np.max(np.abs(held["beta"] - UPPER))),
            1e-8,
            "integration over 1,200 s, rtol 1e-12; a fast top is stable",
        ),
        g.Claim(
            "steady precession is held for 100 turns (angle)",
            abs(float(held["alpha"][-1]) / (2 * np.pi * TURNS) - 1.0),
            1e-9,
            "the same",
        ),
        g.Claim("energy, p₁ and p₃ are found as integrals", float(len(first) != 3), 0.0, "yes or no"),
    ]


def figure(run, figure):
    panels = figure.subplots(1, 4)
    u = np.linspace(0.2, 1.0, 300)
    for (name, rate), axes, color in zip(PATTERNS.items(), panels, ("C0", "C1", "C2"), strict=False):
        q, v = at_turning_point(rate)
        low, high, _ = roots(q, v)
        dense = motion(rate).at(np.linspace(0.0, 12.0, 1500))
        axes.plot(dense["alpha"], dense["beta"], color=color)
        for root in (low, high):
            axes.axhline(np.arccos(root), color="0.5", lw=0.8, ls=":")
        axes.invert_yaxis()
        axes.set(xlabel="precession α / rad", title=name)
        a, b, c, d = cubic(q, v)
        panels[3].plot(u, (a - b * u) * (1 - u**2) - (c - d * u) ** 2, color=color, label=name)
        panels[3].plot([low, high], [0.0, 0.0], "o", color=color, ms=4)
    panels[0].set_ylabel("inclination β / rad")
    panels[3].axhline(0.0, color="0.5", lw=0.8)
    panels[3].set(xlabel="u = cos β", title="f(u)", xlim=(0.5, 1.0), ylim=(-0.3, 0.2))
    panels[3].legend()
