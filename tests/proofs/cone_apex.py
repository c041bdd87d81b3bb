"""The other claims of scenarios/cone_apex.py.

A particle of mass 1 kg (coordinates x, y, z in m, gravity g = 9.81 m/s² along −z) is bound to the cone x² + y² − z² =
0. Away from the apex the row 2(x, y, −z) determines the acceleration; at rest at s (cos φ, sin φ, 1) it is −g/2 (cos
φ, sin φ, 1) for every s > 0. At the apex the row is zero: the position is singular.

*At rest at the apex* every motion on the cone has an acceleration on the cone,

    ẍ² + ÿ² − z̈² = 0,

a condition of order 4, quadratic and not to be had from rows J a = γ. d'Alembert's principle, which needs linear
conditions on the virtual displacements, says nothing: with J = 0 its equations M(a − a_free) = Jᵀλ have the one
solution a = a_free, free fall, which leaves the cone at once; no a on the cone has a multiplier, |a − a_free| being
at least g/√2. Gauss's principle still answers: ½|a − a_free|² on the cone is least on the whole circle

    ẍ² + ÿ² = g²/4,   z̈ = −g/2,   with the Zwang g²/4,

as the force lies on the axis and no plane through the axis and the force is singled out.

*Moving through the apex* along a generator, v = w (cos φ, sin φ, 1), the order 3 row x''·v = 0 of the cone completes
the rank: the acceleration is −g/2 (cos φ, sin φ, 1), as before and after; with v = (0.3, 0.4, 0.5) m/s it is (−2.943,
−3.924, −4.905) m/s². A velocity off the cone is not admissible.
"""

import numpy as np

import gauss as g
from proofs import yes
from scenarios.cone_apex import CROSSING, G, start, system

EPS = float(np.finfo(float).eps)

CONDITION = "order 4: x''² + y''² − z''² = 0"
FREE = np.array([0.0, 0.0, -G])
HEIGHTS = (1.0, 1e-2, 1e-4, 1e-6)  # m, of the regular points near the apex
AZIMUTHS = (0.0, 0.7, 2.5, 4.0)  # rad
MEMBERS = 100

DIRECTION = np.array([0.6, 0.8, 1.0])  # of its generator


def generator(azimuth):
    return np.array([np.cos(azimuth), np.sin(azimuth), 1.0])


def error_at_rest():
    """Relative distance from −g/2 (cos φ, sin φ, 1) at rest at s (cos φ, sin φ, 1), the worst of all s and φ."""
    worst = 0.0
    for s in HEIGHTS:
        for azimuth in AZIMUTHS:
            step = g.accelerate(system, s * generator(azimuth))
            error = g.relative(step.a, -G / 2 * generator(azimuth))
            worst = max(worst, error if step.regular else np.inf)
    return worst


def error_in_motion():
    """The same for a particle that crosses the generator horizontally with the speed w.

    The row demands x ẍ + y ÿ − z z̈ = −w², so a = (0, 0, −g) − (w²/s + g)/2 (cos φ, sin φ, −1); with w² = g s this is
    the steady horizontal circle.
    """
    worst = 0.0
    for s in HEIGHTS:
        for azimuth in AZIMUTHS:
            for w in (0.3, np.sqrt(G * s)):
                direction = generator(azimuth)
                velocity = w * np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])
                expected = FREE - (w**2 / s + G) / 2 * (direction * [1, 1, -1])
                worst = max(worst, g.relative(g.accelerate(system, s * direction, velocity).a, expected))
    return worst


def error_through_apex():
    """Worst relative distance from −g/2 (cos φ, sin φ, 1) in motion through the apex, upwards and downwards."""
    worst = 0.0
    for azimuth in AZIMUTHS:
        for w in (2.0, 0.05, -1.0):
            step = g.accelerate(system, start.q, w * generator(azimuth))
            error = g.relative(step.a, -G / 2 * generator(azimuth))
            worst = max(worst, error if step.verdicts == ("crossing",) else np.inf)
    return worst


def shot():
    """Error of the motion that is shot through the apex with (0.3, 0.4, 0.5) m/s and falls back through it (m).

    On the line of its generator it is a throw against g/2 in z: at t = 0 and t = 4w/g, w = 0.5 m/s, it is at the apex.
    Infinite unless the run reports both passages.
    """

    def exact(t):
        return np.multiply.outer(t, CROSSING) - np.multiply.outer(np.square(t), G / 4 * DIRECTION)

    begin, end, back = -0.1, 0.35, 4 * CROSSING[2] / G
    run = g.simulate(
        system, exact(begin), CROSSING - G / 2 * begin * DIRECTION, t=begin, t_end=end, rtol=1e-12, progress="none"
    )
    passed = [event.t for event in run.events]
    if len(passed) != 2:
        return np.inf
    return max(float(np.max(np.abs(run.q - exact(run.t)))), abs(passed[0]), abs(passed[1] - back))


def refused(step):
    """Whether asking for the one acceleration fails, because it is not unique."""
    try:
        step.a  # noqa: B018
    except g.errors.NonUniqueAccelerationError:
        return True
    return False


def d_alembert(step):
    """|M(a − a_free) − Jᵀλ| with the best λ, the least over members of the circle, over g/√2."""
    problem = g.principle.GaussProblem.at(system, system.state(start.q))
    J = problem.rows.J
    least = np.inf
    for a in circle(step):
        needed = problem.M @ a - problem.f
        multiplier = np.linalg.lstsq(J.T, needed, rcond=1e-12)[0]
        least = min(least, float(np.linalg.norm(needed - J.T @ multiplier)))
    return least / (G / np.sqrt(2))


def circle(step):
    """Members (MEMBERS, 3) of the continuum, or of nothing."""
    continua = step.accelerations.continua
    return continua[0].sample(MEMBERS) if len(continua) == 1 else np.full((MEMBERS, 3), np.nan)


def stationarity(a):
    """Parts of a − a_free along the cone (k,) over g, at points a (k, 3) of it; its normal there is (ẍ, ÿ, −z̈)."""
    normal = a * [1.0, 1.0, -1.0]
    normal = normal / np.linalg.norm(normal, axis=1)[:, None]
    off = a - FREE
    return np.linalg.norm(off - np.sum(off * normal, axis=1)[:, None] * normal, axis=1) / G


def claims(step):
    return [*at_rest(step), *in_motion()]


def at_rest(step):
    verdict, found, a = step, step.accelerations, circle(step)
    angles = np.sort(np.arctan2(a[:, 1], a[:, 0]))
    single = [c for c in found.candidates if c.kind != "vertex"]
    rounding = "rounding"
    return [
        yes(
            f"the condition that it prints is {CONDITION.removeprefix('order 4: ')}",
            verdict.conditions == (CONDITION,),
            "yes or no, as printed",
        ),
        yes(
            "the least Zwang is reached on a continuum of dimension 1, and by no other single acceleration",
            found.status == "continuum" and [f.dimension for f in found.continua] == [1] and not single,
        ),
        yes("there is no answer without a choice: step.a raises", refused(step)),
        g.Claim(
            "100 members lie on the circle ẍ² + ÿ² = g²/4, z̈ = −g/2",
            float(max(np.max(np.abs(np.hypot(a[:, 0], a[:, 1]) - G / 2)), np.max(np.abs(a[:, 2] + G / 2)))) / G,
            1e-12,
            rounding,
        ),
        g.Claim(
            "all round it",
            float(np.max(np.diff(np.append(angles, angles[0] + 2 * np.pi)))),
            np.pi / 4,
            "no gap wider than an eighth of the circle; random members would leave one with probability 1e-5",
        ),
        g.Claim("each of them is stationary on the cone", float(np.max(stationarity(a))), 1e-12, rounding),
        g.Claim(
            "d'Alembert has no multiplier for any of them: g/√2 is left over",
            abs(d_alembert(step) - 1.0),
            1e-12,
            rounding,
        ),
    ]


def in_motion():
    leaving = g.classify(system, start.q, [1.0, 0.0, 0.2])
    rounding = "rounding"
    return [
        g.Claim(
            "through the apex along any generator it is −g/2 (cos φ, sin φ, 1), unique",
            error_through_apex(),
            1e-12,
            rounding,
        ),
        g.Claim(
            "shot through the apex it rises on the other half, and falls back through it",
            shot(),
            1e-10,
            "closed form; a straight line, so that steps err by rounding only",
        ),
        yes("a velocity off the cone is not admissible there", leaving.verdicts == ("velocity not admissible",)),
        g.Claim(
            "near the apex the acceleration at rest is −g/2 (cos φ, sin φ, 1), at a regular position",
            error_at_rest(),
            1e4 * EPS,
            "rounding of the coordinates and of the row",
        ),
        g.Claim(
            "near the apex the acceleration of a moving particle follows its closed form",
            error_in_motion(),
            1e4 * EPS,
            "rounding of the coordinates and of the row",
        ),
    ]
