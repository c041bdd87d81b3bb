"""The other claims of scenarios/rocking_block.py.

A homogeneous rectangular block (m = 1 kg, half-diagonal R = 0.5 m, which makes the angle α = 0.35 rad with the upright,
g = 9.81 m/s²) rocks on its two lower corners without slip and without bounce. x and z are the place of its centre in m
and θ its angle in rad; at rest it is tilted by θ₀ = 0.6 α. About a corner its inertia is 4mR²/3, so that with
p² = 3g/(4R) and the tilt φ = |θ|

    φ̈ = −p² sin(α − φ),   φ̇² = 2p² (cos(α − φ_m) − cos(α − φ)),   φ_m the largest tilt,

and the time of a quarter of a rocking is ∫₀^φ_m dφ/φ̇. For a slender block α − φ replaces its sine: the whole rocking
takes T = (4/p) arcosh(1/(1 − φ_m/α)). At the impact the angular momentum about the corner that closes is kept,

    φ̇⁺ = r φ̇⁻,   r = 1 − (3/2) sin² α,

exactly, for a block of any slenderness. The kinetic energy falls by the factor r² each time; φ_m and with it T tend to
zero, and the infinitely many impacts are over in a finite time, the sum of all half periods. The block then stands.
Dry friction with μ = 0.6 at both corners holds them. A corner on the floor slips with ẋ + z θ̇, so one ideal row of no
slip, ẋ + z θ̇ = 0, stands for both; the motion with it must be the same.
"""

from functools import cache

import numpy as np

import gauss as g
from gauss.contact import collide
from scenarios.rocking_block import ALPHA, SHARE, B, G, H, M, R, start, system

RATIO = 1 - 1.5 * np.sin(ALPHA) ** 2
P = np.sqrt(3 * G / (4 * R))  # 1/s
NODES, WEIGHTS = np.polynomial.legendre.leggauss(80)
NODES, WEIGHTS = (NODES + 1) / 2, WEIGHTS / 2  # of Gauss's quadrature on [0, 1], exact to rounding here


def quarter(top, alpha=ALPHA):
    """Time (s) from the largest tilt `top` (rad) to the upright, by quadrature; φ = top (1 − w²) smooths its root."""
    phi = top * (1 - NODES**2)
    fall = 2 * np.sin(alpha - (top + phi) / 2) * np.sin((top - phi) / 2)  # cos(α − top) − cos(α − φ)
    return float(WEIGHTS @ (2 * top * NODES / (P * np.sqrt(2 * fall))))


def linearised(top, alpha=ALPHA):
    """The period (s) of Housner for a slender block."""
    return 4 / P * np.arccosh(1 / (1 - top / alpha))


def tilt(drop):
    """The largest tilt (rad) φ at which cos(α − φ) − cos α = drop, by Newton's method."""
    phi = min(drop / np.sin(ALPHA), ALPHA / 2)
    for _ in range(60):
        excess = 2 * np.sin(ALPHA - phi / 2) * np.sin(phi / 2) - drop
        phi -= excess / np.sin(ALPHA - phi)
    return phi


@cache
def rocking(count):
    """Times of the first impacts, φ̇ before each, and the largest tilts before each, by the closed form."""
    top = SHARE * ALPHA
    drop = np.cos(ALPHA - top) - np.cos(ALPHA)
    t, times, rates, tops = quarter(top), [], [], []
    for _ in range(count):
        times.append(t)
        rates.append(P * np.sqrt(2 * drop))
        tops.append(top)
        drop *= RATIO**2
        top = tilt(drop)
        t += 2 * quarter(top)
    return np.array(times), np.array(rates), np.array(tops)


def linear_error(alpha):
    """Relative error of Housner's period for a block of the slenderness alpha, against the quadrature."""
    return abs(linearised(SHARE * alpha, alpha) / (4 * quarter(SHARE * alpha, alpha)) - 1)


@cache
def single_impact():
    """The impact from the left to the right corner at 1 rad/s, by Moreau's law."""
    return g.impact(system, [0.0, H, 0.0], [H, -B, -1.0])


@g.needs(start.t_end)
def claims(run):
    impacts = [e for e in run.events if e.kind == "impact"]
    (over,) = (e for e in run.events if e.kind == "accumulation")
    times, rates, _ = rocking(len(impacts))
    found = np.array([e.t for e in impacts])
    speeds = np.array([e.value for e in impacts]) / (2 * B)  # the corner that closes turns about the other one
    losses = np.array([e.energy_loss for e in impacts])
    kinetic = 0.5 * (4 * M * R**2 / 3) * rates**2
    no_slip = g.Pfaffian("no slip", lambda q: [1.0, 0.0, q.z])
    held = system.with_constraints([*system.constraints, no_slip])
    ideal = g.simulate(held, start.q, t_end=1.8, rtol=1e-12, progress="none")
    look = np.linspace(0.0, 1.8, 200)
    one = single_impact()
    early = times < 0.8 * over.t  # later ones are so small that rounding shows
    integrated = "closed form and quadrature; step control 1e-10 a step"
    return [
        g.Claim("times of the impacts", g.relative(found, times), 1e-9, integrated),
        g.Claim(
            "angular velocities before the impacts", g.relative(speeds[early] / rates[early], 1.0), 1e-9, integrated
        ),
        g.Claim(
            "each impact keeps 1 − 1.5 sin² α of the angular velocity, whose square is the energy",
            g.relative(losses[early] / kinetic[early], 1 - RATIO**2),
            1e-9,
            integrated,
        ),
        g.Claim("the time at which all impacts are over", abs(over.t - rocking(400)[0][-1]), 1e-9, "extrapolated"),
        g.Claim(
            "with an ideal row of no slip in place of friction the motion is the same",
            float(np.max(np.abs(ideal.at(look)["theta"] - run.at(look)["theta"]))) / ALPHA,
            1e-9,
            integrated,
        ),
        g.Claim(
            "one impact by Moreau's law: 1 − 1.5 sin² α, no impulse at the corner that opens",
            abs(one.v[2] / -RATIO - 1) + abs(one.normal[0]),
            1e-12,
            "rounding",
        ),
        g.Claim(
            "the same one corner after the other, by Stronge's law",
            float(one.order_matters) + abs(collide(one.problem, "stronge").v[2] / -RATIO - 1),
            1e-12,
            "rounding",
        ),
        g.Claim(
            "Housner's period is that of slender blocks: its error falls with α²",
            abs(linear_error(0.2) / linear_error(0.02) / 100 - 1),
            1e-3,
            "terms of higher order are below that",
        ),
        g.Claim("at α = 0.35 it errs by less than 0.4 %", linear_error(ALPHA), 4e-3, "the term in α²"),
    ]
